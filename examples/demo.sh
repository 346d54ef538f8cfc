#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
set -euo pipefail

usage() {
  cat <<'END'
Draws stixels on a street: stixels.png and stixels.mkv. Installs what is missing, builds, runs.

  examples/demo.sh                               a synthetic street, no files and no camera needed
  examples/demo.sh --left L --right R [--calibration C]
                                                 your own rectified pair

  --left, --right   a PNG or JPEG, a numbered sequence (left/%06d.png), or a video file
  --calibration     KITTI calib.txt or Cityscapes camera.json; without it the road is estimated
  --output DIR      where the results go (default: here)
  --frames N        length of the video (default 40)
  --fps N           frame rate of numbered pictures (default 10)
  --cell N          width and height of a stixel cell in pixels (default 8)
  --mode M          what colours mean: distance, kind, class, … (default distance)
  --dashboard       picture, stixels, disparity, confidence and the view from above side by side:
                    dashboard.png and dashboard.mkv
  --frame N         that frame alone, counted from 0: only pictures
  --no-window       no window even when there is a display
END
}

fail() {
  echo "demo.sh: $*" >&2
  exit 1
}

left='' right='' calibration='' output=$PWD frames=40 fps=10 cell=8 mode=distance window=yes
dashboard='' frame=''
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --no-window) window=no; shift; continue ;;
    --dashboard) dashboard=yes; shift; continue ;;
    --left | --right | --calibration | --output | --frames | --fps | --cell | --mode | --frame)
      [ $# -ge 2 ] || fail "$1 needs a value (see --help)" ;;
    *) fail "unknown option '$1' (see --help)" ;;
  esac
  printf -v "${1#--}" '%s' "$2"
  shift 2
done
[ -n "$left" ] && [ -z "$right" ] && fail "--left needs --right, too"
[ -n "$right" ] && [ -z "$left" ] && fail "--right needs --left, too"
[ -n "$calibration" ] && [ ! -r "$calibration" ] &&
  fail "cannot read the calibration file '$calibration'"
[ -n "$dashboard" ] && [ -n "$left" ] && [ -z "$calibration" ] &&
  fail "--dashboard needs --calibration: the view from above is in metres"
[[ $frame =~ ^[0-9]*$ ]] || fail "--frame $frame: frames are counted from 0"
mkdir -p "$output"
# Paths as the user typed them, before we change folder.
absolute() { case $1 in '' | /*) printf '%s' "$1" ;; *) printf '%s/%s' "$PWD" "$1" ;; esac; }
left=$(absolute "$left") right=$(absolute "$right") calibration=$(absolute "$calibration")
output=$(absolute "$output")

# Whether there is an NVIDIA driver with a GPU; the build asks it which.
has_gpu() {
  [ -e /proc/driver/nvidia/version ] || nvidia-smi -L 2>/dev/null | grep -q GPU
}

# A folder for the build, if there is none. Kernels for the GPU of this machine alone: for all that
# nvcc knows they take minutes.
configure() {
  local log
  [ -f build/build.ninja ] && return
  log=$(meson setup build -Dcuda-archs=native 2>&1) || fail "$log"
  echo "CUDA kernels: $(sed -n 's/^ *CUDA *: //p' <<<"$log")"
}

cd "$(dirname "$0")/.."
. tests/packages.sh
has_gpu || packages_cuda=
# shellcheck disable=SC2086
install_packages $packages_build $packages_run $packages_cuda
configure
echo "Building the plugin: a minute on two cores"
ninja -C build gst/libgststixels.so
echo "Drawing"
export GST_PLUGIN_PATH="$PWD/build/gst${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}"

# The first number for which a numbered sequence has a file.
first_index() {
  local i
  for ((i = 0; i < 100000; i++)); do
    # shellcheck disable=SC2059  # the pattern is the format
    [ -e "$(printf "$1" "$i")" ] && { echo "$i"; return; }
  done
  fail "no file matches '$1'"
}

# source_of FILE VIEW: sets `source` to the beginning of a pipeline that yields the frames of FILE.
source_of() {
  local decoder type first
  case $1 in
    '')
      source=(street-scene-src view="$2" first-frame="${frame:-0}" num-buffers="$frames")
      return ;;
    *.png | *.PNG) decoder=pngdec type=image/png ;;
    *.jpg | *.jpeg | *.JPG | *.JPEG) decoder=jpegdec type=image/jpeg ;;
    *)
      [ -r "$1" ] || fail "cannot read '$1'"
      source=(filesrc location="$1" ! decodebin)
      # Up to that frame: multifilesink keeps the last picture.
      [ -n "$frame" ] && source+=(! identity eos-after=$((frame + 1)))
      return ;;
  esac
  source=(multifilesrc location="$1" caps="$type,framerate=$fps/1")
  case $1 in
    *%*)
      first=$(first_index "$1")
      source+=(start-index=$((first + ${frame:-0})) num-buffers="$frames") ;;
    *) [ -r "$1" ] || fail "cannot read '$1'"
      source+=(num-buffers=1) ;;
  esac
  source+=(! "$decoder")
}

# stixels SINK...: the whole pipeline from the pair to the picture with stixels, ending in SINK.
stixels() {
  local sgm=(stereo-sgm name=sgm) source
  [ -n "$calibration" ] && sgm+=(calibration="$calibration")
  local pipeline=()
  source_of "$left" left
  pipeline+=("${source[@]}" ! videoconvert ! video/x-raw,format=RGB ! tee name=left
    left. ! queue ! videoconvert ! sgm.sink_left)
  source_of "$right" right
  pipeline+=("${source[@]}" ! videoconvert ! queue ! sgm.sink_right
    "${sgm[@]}" ! downsample-transpose stixel-width="$cell" stixel-height="$cell"
    ! sat-dp-stixels ! queue ! overlay.stixels
    left. ! queue ! overlay.sink
    stixel-overlay name=overlay mode="$mode" ! "$@")
  gst-launch-1.0 -q -e "${pipeline[@]}"
}

# dashboard SINK...: the pair's left picture over its stixels, disparity over confidence, and what
# stands where from above, in one picture that ends in SINK. docs/debugging.md has the line.
dashboard() {
  local source pad board=(compositor name=board background=black)
  for pad in 0 1 2 3; do
    board+=(sink_$pad::xpos=$((pad / 2 * 720)) sink_$pad::ypos=$((pad % 2 * 270))
      sink_$pad::width=720 sink_$pad::height=270 sink_$pad::sizing-policy=keep-aspect-ratio)
  done
  local pipeline=("${board[@]}" sink_4::xpos=1440 ! "$@"
    stereo-stixels name=stixels mode="$mode" stixel-width="$cell" stixel-height="$cell")
  [ -n "$calibration" ] && pipeline+=(calibration="$calibration")
  pipeline+=(! tee name=drawn drawn. ! queue ! videoconvert ! board.sink_1
    drawn. ! queue ! stixel-bev ! video/x-raw,width=540,height=540 ! videoconvert ! board.sink_4
    stixels.src_left ! videoconvert ! board.sink_0 stixels.src_disparity ! tee name=map
    map. ! queue ! disparity-colour ! videoconvert ! board.sink_2
    map. ! queue ! disparity-colour mode=confidence ! videoconvert ! board.sink_3)
  source_of "$left" left
  pipeline+=("${source[@]}" ! stixels.sink_left)
  source_of "$right" right
  pipeline+=("${source[@]}" ! stixels.sink_right)
  gst-launch-1.0 -q -e "${pipeline[@]}"
}

# last_picture NAME: writes the last frame alone.
last_picture() {
  rm -f "$output/$1".*.png
  "$what" videoconvert ! pngenc ! multifilesink max-files=1 location="$output/$1.%d.png"
  mv "$output/$1".*.png "$output/$1.png"
  echo "Wrote $output/$1.png"
}

what=${dashboard:+dashboard} what=${what:-stixels}
if [ -n "$frame" ]; then
  frames=1
  last_picture "$what"
  exit
fi
all_frames=$frames
frames=1
"$what" videoconvert ! pngenc snapshot=true ! filesink location="$output/$what.png"
echo "Wrote $output/$what.png"
frames=$all_frames
case $left in
  '' | *%* | *.[!pPjJ]*)
    "$what" videoconvert ! jpegenc quality=90 ! matroskamux ! filesink location="$output/$what.mkv"
    echo "Wrote $output/$what.mkv" ;;
esac
if [ "$window" = yes ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  echo "Opening a window; Ctrl-C ends it."
  "$what" videoconvert ! autovideosink
fi
