#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds the plugin, and calls demo.py, which draws stixels.
# shellcheck source=tests/strict.sh
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/strict.sh"
. "$root/tests/packages.sh"

fail() {
  echo "demo.sh: $*" >&2
  exit 1
}

# Python that finds the packages of the system, on any PATH.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
demo() { exec "$python" "$root/examples/demo.py" "$@"; }

# Whether there is an NVIDIA driver with a GPU; the build asks it which.
has_gpu() {
  [ -e /proc/driver/nvidia/version ] || nvidia-smi -L 2>/dev/null | grep -q GPU
}

# A folder for the build, if there is none. Kernels for the GPU of this machine alone: for all that
# nvcc knows they take minutes.
configure() {
  local log
  if [ -f "$build/build.ninja" ]; then
    return
  fi
  log=$(meson setup "$build" "$root" -Dcuda-archs=native 2>&1) || fail "$log"
  echo "CUDA kernels: $(sed -n 's/^ *CUDA *: //p' <<<"$log")"
}

build_plugin() {
  has_gpu || packages_cuda=
  # shellcheck disable=SC2086  # lists of words
  install_packages $packages_build $packages_cuda
  configure
  echo "Building the plugin: a minute on two cores"
  ninja -C "$build" gst/libgststixels.so
}

for word in "$@"; do
  case $word in --help | -h) demo --help ;; esac
done
# Wrong names are told before anything is installed.
if command -v "$python" >/dev/null; then
  (demo --check "$@") || exit 1
fi
# shellcheck disable=SC2086  # a list of words
install_packages $packages_run $packages_demo
build=${BUILD:-$root/build}
if [ -z "${BUILD:-}" ] || [ ! -e "$build/gst/libgststixels.so" ]; then
  build_plugin
fi
# The one of these that GStreamer looks at first.
others=${GST_PLUGIN_PATH_1_0:-${GST_PLUGIN_PATH:-}}
GST_PLUGIN_PATH_1_0=$(cd "$build" && pwd)/gst${others:+:$others}
export GST_PLUGIN_PATH_1_0
demo "$@"
