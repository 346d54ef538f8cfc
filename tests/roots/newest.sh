#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What tests/run.sh runs in a root of the newest Debian (root.sh beside this file): builds the tree
# with that compiler and that GStreamer, and runs the tests that need no sanitizer. /out stays:
# build, compiler cache, packages from PyPI, and what is the machine's: CUDA's headers, and whom it
# trusts on the web.
. "$(dirname "$0")/../strict.sh"
export CCACHE_DIR=/out/ccache PATH=/usr/lib/ccache:$PATH:/out/cuda/bin
if [ -f /out/authorities.crt ]; then
  export PIP_CERT=/out/authorities.crt
fi
. tests/packages.sh
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
# As README has it; it says itself what is missing.
examples/demo.sh
test -s stixels.png && test -s stixels.mkv
examples/demo.sh --dashboard --frame 3
test -s dashboard.png
meson test -C /out/build --no-rebuild --print-errorlogs --num-processes $(($(nproc) + 1)) \
  --suite common --suite gst --suite docs --suite cuda-reverse --suite pipeline
