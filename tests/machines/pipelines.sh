#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Checksums of what pipelines give: frames with stixels drawn, stixels and obstacles as text, and a
# scan. They must be the same on every machine. The elements come from the build of `meson devenv`
# or from GST_PLUGIN_PATH.
#
#   tests/machines/pipelines.sh [COMMAND]   COMMAND runs gst-launch-1.0 of another machine
. "$(dirname "$0")/../strict.sh"
pair='street-scene-src view=left num-buffers=2 ! stixels.sink_left
  street-scene-src view=right num-buffers=2 ! stixels.sink_right'

# sum_of NAME PIPELINE: what the pipeline writes to FILE.
sum_of() {
  # shellcheck disable=SC2086  # words
  ${launcher} "$(command -v gst-launch-1.0)" -q ${2//FILE/$file} >&2
  [ -s "$file" ]
  echo "$(sha256sum <"$file" | cut -c1-64) $1"
}

launcher=${1:-}
file=$(mktemp)
trap 'rm -f "$file"' EXIT
sum_of pictures "stereo-stixels name=stixels ! filesink location=FILE $pair"
sum_of segments "stereo-stixels name=stixels segmentation=segments ! filesink location=FILE $pair"
sum_of lines "stereo-stixels name=stixels obstacles=true ! stixel-json ! filesink location=FILE
  $pair"
sum_of scan 'street-scene-src view=lidar num-buffers=2 ! lidar-ground ! stixel-json !
  filesink location=FILE'
