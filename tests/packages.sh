# SPDX-License-Identifier: LGPL-2.1-or-later
# Sourced by tests/run.sh and examples/demo.sh: installs missing Debian / Ubuntu packages through
# apt, with sudo only when something is missing and the user is not root.

packages_build="build-essential meson ninja-build pkg-config libgstreamer1.0-dev
  libgstreamer-plugins-base1.0-dev libjansson-dev libyaml-dev libpng-dev
  help2man"
packages_run="gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good"
packages_demo="python3 python3-gst-1.0 gir1.2-gst-plugins-base-1.0"
# For videos, H.264 above all, where nothing decodes them.
packages_video="gstreamer1.0-libav gstreamer1.0-plugins-bad"
packages_test="abigail-tools check gobject-introspection libgirepository1.0-dev valac python3
  python3-numpy python3-jsonschema clang-format
  gstreamer1.0-python3-plugin-loader libpython3-dev python3-gst-1.0 python3-venv
  gir1.2-gst-rtsp-server-1.0 gstreamer1.0-plugins-ugly $packages_video
  python3-sphinx python3-myst-parser furo"
# Each for a test that is skipped without it; not every distribution has them. Mosquitto's package
# starts a broker that listens on the loopback; the test has one of its own.
packages_applications="mosquitto mosquitto-clients chromium-headless-shell"
packages_fuzz="clang libclang-rt-dev llvm"
[[ ${CC:-} != clang* ]] || packages_build+=" $packages_fuzz"
packages_root="debootstrap"
# In a root of their own: a compiler for 64-bit ARM, what it links, and what runs its programs.
packages_arm="build-essential ccache gcc-aarch64-linux-gnu g++-aarch64-linux-gnu meson ninja-build
  pkg-config python3 qemu-user check:arm64 gstreamer1.0-plugins-base:arm64
  gstreamer1.0-plugins-good:arm64 gstreamer1.0-tools:arm64 libgstreamer-plugins-base1.0-dev:arm64
  libgstreamer1.0-dev:arm64 libjansson-dev:arm64 libpng-dev:arm64
  libyaml-dev:arm64"
packages_windows="build-essential cmake debian-archive-keyring dpkg-dev gcc-mingw-w64-x86-64-posix
  meson ninja-build pkg-config python3 wine"
# Only where there is nvcc: GStreamer's CUDA library, and what its headers include.
packages_cuda=
if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
  packages_cuda="libgstreamer-plugins-bad1.0-dev libgl-dev libegl-dev python3-venv"
fi

# from_pypi NAME FOLDER FILE WHAT PACKAGE...: puts packages from PyPI into a folder, for the Python
# that GStreamer has, and exports as NAME where the file lies in it. One pip, beside the folders,
# installs all; it compiles nothing, as the tests import little of it. Without a network WHAT is
# skipped.
from_pypi() {
  local name=$1 folder=$2 file=$3 what=$4 pip
  pip=$(dirname "$2")/pip
  shift 4
  [ -x "$pip/bin/pip" ] || /usr/bin/python3 -m venv "$pip" >&2 || true
  [ -d "$folder" ] || "$pip/bin/pip" install -q --no-compile --target "$folder" "$@" >&2 ||
    echo "No $* from PyPI: $what is skipped" >&2
  export "$name=$(find "$folder" -name "$file" -printf '%h\n' -quit 2>/dev/null)"
}

# Where nvcc is and NVIDIA's disassemblers are not, puts these into the folder $1.
fetch_cuda_binutils() {
  [ -n "$packages_cuda" ] || return 0
  if command -v nvdisasm >/dev/null || [ -x /usr/local/cuda/bin/nvdisasm ]; then
    return 0
  fi
  from_pypi STX_CUDA_BINUTILS "$1" nvdisasm 'suite sass' nvidia-cuda-cuobjdump \
    nvidia-cuda-nvdisasm
}

# The device compiler of CUDA 12, that of JetPack 6, which knows GPUs that CUDA 13 does not.
fetch_cuda12() {
  [ -n "$packages_cuda" ] || return 0
  from_pypi STX_CUDA12 "$1" libnvrtc.so.12 'the test cuda12' nvidia-cuda-nvrtc-cu12==12.6.85
}

# Packages for onnx-semantics, onnx-stereo and their tests. GStreamer's Python is the system's.
fetch_onnx() {
  from_pypi STX_ONNX "$1" onnxruntime 'the tests onnx-semantics and onnx-stereo' \
    onnx onnxruntime
}

# OpenCV, with which rectify is compared and which stx-calibrate uses.
fetch_opencv() {
  from_pypi STX_OPENCV "$1" cv2 'the tests opencv and calibrate' opencv-python-headless
}

# GitHub's schema, with which the file of public CI is compared.
fetch_jsonschema() {
  from_pypi STX_JSONSCHEMA "$1" check-jsonschema 'a part of the test release' check-jsonschema
}

# Packages for stx-mcap and its test, and the libraries that read its files and write bags for it.
fetch_mcap() {
  from_pypi STX_MCAP "$1" 'mcap-*.dist-info' 'the test mcap' mcap numpy rosbags \
    foxglove-sdk
}

# The ones among the arguments that are not installed.
missing_packages() {
  local package installed
  # shellcheck disable=SC2016  # for dpkg-query
  local form='${db:Status-Abbrev} ${Package} ${Package}:${Architecture}\n'
  installed=" $(dpkg-query -W -f "$form" "$@" 2>/dev/null | sed -n 's/^ii *//p' | tr '\n' ' ') " ||
    true
  for package in "$@"; do
    [[ $installed == *" $package "* ]] || printf '%s ' "$package"
  done
}

# Installs what is missing among the arguments; says so first. Fails with a message where there is
# no apt or no way to become root.
install_packages() {
  local missing as_root quiet output
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "No apt here: install the counterparts of these packages yourself: $*" >&2
    return 0
  fi
  missing=$(missing_packages "$@")
  [ -z "$missing" ] && return 0
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    as_root=sudo
    command -v sudo >/dev/null || {
      echo "These packages are missing and need root to install: $missing" >&2
      return 1
    }
  fi
  echo "Installing (apt): $missing"
  $as_root apt-get update -qq
  # Output for a person at a terminal.
  quiet=-qq output=/dev/null
  if [ -t 1 ]; then
    quiet=-q output=/dev/stdout
  fi
  # shellcheck disable=SC2086  # a list of words
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y $quiet --no-install-recommends \
    $missing >$output
}

# Those that there are.
install_optional_packages() {
  local package
  for package in "$@"; do
    install_packages "$package" || echo "No $package: its test is skipped" >&2
  done
}

# fetch_sources FOLDER PACKAGE...: sources of Debian 12's packages, unpacked in FOLDER, whatever the
# system's lists have.
fetch_sources() {
  local folder=$1 options name
  shift
  mkdir -p "$folder/lists/partial"
  name=/usr/share/keyrings/debian-archive-keyring.gpg
  echo "deb-src [signed-by=$name] http://deb.debian.org/debian bookworm main" \
    >"$folder/sources.list"
  options=(-qq -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::Lists=$folder/lists" -o APT::Sandbox::User=root)
  apt-get update "${options[@]}"
  (cd "$folder" && apt-get source --download-only "${options[@]}" "$@")
  for name in "$folder"/*.orig.tar.gz; do
    tar -x -C "$folder" -f "$name"
  done
}

# build_inside FOLDER COMPILER AR: Jansson and libyaml of fetch_sources FOLDER, as static libraries
# in FOLDER/inside, and files for pkg-config there.
build_inside() {
  local folder=$1/inside library
  rm -rf "$folder"
  mkdir -p "$folder/yaml"
  cp "$1"/jansson-*/src/*.[ch] "$1"/jansson-*/android/*.h "$folder"
  cp "$1"/libyaml-*/src/*.[ch] "$1"/libyaml-*/include/yaml.h "$folder/yaml"
  echo >"$folder/jansson_private_config.h"
  sed -i 's/^#define JSON_HAVE_LOCALECONV 0/#define JSON_HAVE_LOCALECONV 1/' \
    "$folder/jansson_config.h"
  (cd "$folder" && "$2" -c -O2 -fPIC -fvisibility=hidden -DHAVE_STDINT_H=1 -I. ./*.c &&
    "$3" rcs libjansson.a ./*.o)
  (cd "$folder/yaml" && "$2" -c -O2 -fPIC -fvisibility=hidden -DYAML_DECLARE_STATIC \
    -DYAML_VERSION_{MAJOR=0,MINOR=2,PATCH=5,STRING='"0.2.5"'} -I. ./*.c &&
    "$3" rcs ../libyaml.a ./*.o)
  for library in jansson:jansson yaml-0.1:yaml; do
    printf '%s\n' "Name: ${library%:*}" 'Description: inside' 'Version: 1' \
      "Libs: $folder/lib${library#*:}.a" \
      "Cflags: -isystem $folder -isystem $folder/yaml -DYAML_DECLARE_STATIC" \
      >"$folder/${library%:*}.pc"
  done
}
