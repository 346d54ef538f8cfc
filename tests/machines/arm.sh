#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What tests/run.sh runs in a root with the packages of two architectures (tests/roots/root.sh):
# builds the tree for 64-bit ARM, runs the tests that need no other program by qemu-user, and
# leaves the checksums of pipelines in /out/pipelines.txt. /out stays: build and compiler cache.
. "$(dirname "$0")/../strict.sh"
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
