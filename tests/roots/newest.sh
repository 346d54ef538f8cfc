#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds the tree in a root of the newest Debian (root.sh beside this file), or of another suite as
# sid is, with its compiler, its GStreamer and its CUDA library, and runs the tests that need no
# sanitizer. CUDA's headers are those of this machine; nvcc is only looked for. DIR, which is /out
# there, stays: build, compiler cache, packages from PyPI, CUDA's headers, certificates.
#
#   tests/roots/newest.sh DIR [SUITE]
. "$(dirname "$0")/../strict.sh"
. tests/packages.sh
if [ "$1" != --inside ]; then
  folder=$(realpath -m "$1")
  mkdir -p "$folder/cuda/bin" "$folder/cuda/include"
  nvcc=$(readlink -f "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")
  cp /etc/ssl/certs/ca-certificates.crt "$folder/authorities.crt" || true
  if [ -x "$nvcc" ]; then
    cp "$nvcc" "$(dirname "$nvcc")/bin2c" "$folder/cuda/bin"
    cp "$(dirname "$nvcc")"/../include/*.h "$folder/cuda/include"
  fi
  # shellcheck disable=SC2086,SC2116  # lists of words, in one line
  packages=$(echo $packages_build $packages_run $packages_test $packages_cuda \
    gstreamer1.0-plugins-bad ccache)
  export ROOT_OUT=$folder ROOT_PACKAGES=$packages
  exec tests/roots/root.sh "${2:-trixie}" tests/roots/newest.sh --inside
fi

export CCACHE_DIR=/out/ccache PATH=/usr/lib/ccache:$PATH:/out/cuda/bin
if [ -f /out/authorities.crt ]; then
  export PIP_CERT=/out/authorities.crt
fi
if [ ! -f /out/build/build.ninja ]; then
  meson setup /out/build -Dtests=enabled -Dexamples=enabled -Dwerror=true -Dcuda-archs=none
fi
ninja -C /out/build
# The elements on a pretended GPU are in suite gst, where CUDA's headers are there.
if [ -x /out/cuda/bin/nvcc ]; then
  meson test -C /out/build --list | grep -q cuda-foreign
fi
fetch_onnx /out/onnx
fetch_opencv /out/opencv
gst-inspect-1.0 --version
# Whose tensors the test onnx-semantics takes where it is there.
gst-inspect-1.0 --exists onnxinference
# As README has it; it says itself what is missing.
examples/demo.sh
test -s stixels.png && test -s stixels.mkv
examples/demo.sh --dashboard --frame 3
test -s dashboard.png
meson test -C /out/build --no-rebuild --print-errorlogs --num-processes $(($(nproc) + 1)) \
  --suite common --suite gst --suite frames --suite fuzz --suite docs --suite cuda --suite pipeline
