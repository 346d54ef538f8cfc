#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds the tree for 64-bit ARM in a root with the packages of two architectures
# (tests/roots/root.sh), runs the suite common by qemu-user, and compares the checksums of pipelines
# there with those of the build BUILD here. DIR, which is /out there, stays: build and compiler
# cache.
#
#   tests/machines/arm.sh DIR BUILD
. "$(dirname "$0")/../strict.sh"
if [ "$1" != --inside ]; then
  . tests/packages.sh
  folder=$(realpath -m "$1")
  mkdir -p "$folder"
  # shellcheck disable=SC2086,SC2116  # lists of words, in one line
  ROOT_OUT=$folder ROOT_FOREIGN=arm64 ROOT_PACKAGES=$(echo $packages_arm) \
    tests/roots/root.sh bookworm tests/machines/arm.sh --inside || exit $?
  meson devenv -C "$2" "$PWD/tests/machines/pipelines.sh" >"$folder/pipelines-here.txt"
  exec diff "$folder/pipelines.txt" "$folder/pipelines-here.txt"
fi

export CCACHE_DIR=/out/ccache PATH=/usr/lib/ccache:$PATH
if [ ! -f /out/build/build.ninja ]; then
  meson setup /out/build --cross-file tests/machines/aarch64.ini -Dtests=enabled \
    -Dexamples=disabled -Dcuda=disabled -Dwerror=true
fi
ninja -C /out/build
qemu-aarch64 --version | head -n 1
GST_PLUGIN_PATH=/out/build/gst GST_REGISTRY=/tmp/registry GST_REGISTRY_FORK=no \
  tests/machines/pipelines.sh qemu-aarch64 | tee /out/pipelines.txt
meson test -C /out/build --no-rebuild --print-errorlogs --num-processes $(($(nproc) + 1)) \
  --timeout-multiplier 10 --suite common
