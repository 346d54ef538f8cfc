#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compiles gst/cuda/ with the headers of newer versions of GStreamer, from packages of these
# releases of Debian: the compiler compares the functions of libgstcuda with the types by which we
# call them (gst/cuda/cudalib.c). The packages, 2 MB of each release, stay in a cache.
#
#   headers.sh CUDA-INCLUDES SUITE...
#
# Exit status 77 where a package cannot be had.
. "$(dirname "$0")/../../strict.sh"
cd "$(dirname "$0")/../../.."
cuda=$1
shift
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gst-stixels/headers
keys=/usr/share/keyrings/debian-archive-keyring.gpg

# fetch SUITE FOLDER: unpacks the headers into the folder.
fetch() {
  local state=$2.apt options
  rm -rf "$state" "$2.part"
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$2.part"
  echo "deb [signed-by=$keys] http://deb.debian.org/debian $1 main" >"$state/sources.list"
  options=(-qq -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state/cache" -o Acquire::Languages=none
    -o Acquire::Check-Valid-Until=false -o Acquire::Retries=2 -o Acquire::http::Timeout=20
    -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update || return
  (cd "$state" && apt-get "${options[@]}" download libgstreamer1.0-dev \
    libgstreamer-plugins-base1.0-dev libgstreamer-plugins-bad1.0-dev) || return
  for package in "$state"/*.deb; do
    dpkg-deb -x "$package" "$2.part" || return
  done
  rm -rf "$state"
  mv "$2.part" "$2"
}

if [ ! -f "$keys" ] || ! command -v apt-get >/dev/null; then
  echo "Debian's packages cannot be had here"
  exit 77
fi
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
for suite in "$@"; do
  folder=$cache/$suite
  [ -d "$folder" ] || fetch "$suite" "$folder" || {
    echo "The headers of GStreamer in Debian $suite cannot be had"
    exit 77
  }
  version=$(sed -n 's/^Version: //p' "$folder"/usr/lib/*/pkgconfig/gstreamer-1.0.pc)
  includes=("-isystem$folder/usr/include/gstreamer-1.0" "-isystem$cuda")
  for inner in "$folder"/usr/lib/*/gstreamer-1.0/include; do
    includes+=("-isystem$inner")
  done
  for file in gst/cuda/cuda*.c; do
    [ "${file##*/}" = cudastubs.c ] && continue
    # shellcheck disable=SC2046  # a list of words
    "${CC:-cc}" -std=gnu11 -fsyntax-only -Wall -Wextra -Werror -Wno-unused-{parameter,variable} \
      -Wno-missing-field-initializers -I. "${includes[@]}" $(pkg-config --cflags glib-2.0) "$file"
  done
  echo "GStreamer $version: libgstcuda is called as its headers say"
done
