#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck source=tests/strict.sh
. "$(dirname "$0")/../tests/strict.sh"

usage() {
  cat <<'END'
Draws stixels on a street: stixels.png and stixels.mkv. Installs what is missing, builds, runs.

  examples/demo.sh                               a synthetic street, no files and no camera needed
  examples/demo.sh --left L --right R [--calibration C]
                                                 your own pair
  examples/demo.sh --both B [--calibration C]    your own, both views in one picture

  --left, --right   a video, a PNG or JPEG, numbered pictures (left/%06d.png), or a folder of PNGs
                    and JPEGs, in the order of their names
  --both            the same, every picture with the views side by side, or as --layout says
  --layout L        side-by-side (default) or top-bottom
  --calibration     KITTI's calib.txt or Cityscapes' camera.json; of cameras that are not rectified
                    yet what stereo-rectify reads; without it the road is estimated
  --output DIR      where the results go (default: here)
  --frames N        length of the video (default 40)
  --fps N           frame rate of pictures (default 10)
  --cell N          width and height of a stixel cell in pixels (default 8)
  --mode M          what colours mean: distance, kind, class, … (default distance)
  --dashboard       picture, stixels, disparity, confidence and, with a calibration, the view from
                    above side by side: dashboard.png and dashboard.mkv
  --frame N         that frame alone, counted from 0: only pictures
  --no-window       no window even when there is a display

BUILD=DIR in the environment takes the plugin from that build folder, as it is.
END
}

fail() {
  echo "demo.sh: $*" >&2
  exit 1
}

left='' right='' both='' layout=side-by-side calibration='' output=$PWD frames=40 fps=10 cell=8
mode=distance window=yes dashboard='' frame=''
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --no-window) window=no; shift; continue ;;
    --dashboard) dashboard=yes; shift; continue ;;
    --left | --right | --both | --layout | --calibration | --output | --frames | --fps | --cell | \
      --mode | --frame)
      [ $# -ge 2 ] || fail "$1 needs a value (see --help)" ;;
    *) fail "unknown option '$1': --left L --right R, or --both B (see --help)" ;;
  esac
  printf -v "${1#--}" '%s' "$2"
  shift 2
done
case ${left:+left}${right:+right}${both:+both} in
  '') views=(left right) ;;
  leftright) views=(left right) ;;
  both) views=(both) ;;
  left) fail "--left needs --right, too" ;;
  right) fail "--right needs --left, too" ;;
  *) fail "--both has both views: no --left and no --right" ;;
esac
if [ -n "$calibration" ] && [ ! -r "$calibration" ]; then
  fail "cannot read the calibration file '$calibration'"
fi
[[ $frame =~ ^[0-9]*$ ]] || fail "--frame $frame: frames are counted from 0"
[[ $frames =~ ^[1-9][0-9]*$ ]] || fail "--frames $frames: must be 1 or more"
[ -z "$frame" ] || frames=1
[[ $layout =~ ^(side-by-side|top-bottom)$ ]] ||
  fail "--layout $layout: must be side-by-side or top-bottom"
mkdir -p "$output"
# Paths as the user typed them, before we change folder.
absolute() { case $1 in '' | /*) printf '%s' "$1" ;; *) printf '%s/%s' "$PWD" "$1" ;; esac; }
left=$(absolute "$left") right=$(absolute "$right") both=$(absolute "$both")
calibration=$(absolute "$calibration") output=$(absolute "$output") build=$(absolute "${BUILD:-}")
cd "$(dirname "$0")/.." || exit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- What the views are -------------------------------------------------------------------------

# Of each view: street, video or pictures; how many of these, PNG or JPEG; a frame's size, 1242x375.
declare -A kind number type size

# wrong VIEW WHY: the one line about a view that has no frames.
wrong() {
  fail "--$1 ${!1}: $2; give a video, a PNG or JPEG, numbered pictures (left/%06d.png)," \
    "or a folder of PNGs and JPEGs"
}

# numbered PATTERN: sets `files` to those of a numbered sequence, from its first number on.
numbered() {
  local i file
  for ((i = 0; i < 100000; i++)); do
    # shellcheck disable=SC2059  # the pattern is the format
    printf -v file "$1" "$i"
    if [ -e "$file" ]; then
      files+=("$file")
    elif [ ${#files[@]} -gt 0 ]; then
      break
    fi
  done
}

# files_of VIEW: sets `files` to the pictures of a folder or of a sequence, or to the one file.
files_of() {
  local path=${!1}
  files=()
  if [ -d "$path" ]; then
    mapfile -t files < <(find "$path/" -maxdepth 1 -iregex '.*\.\(png\|jpe?g\)' | sort -V)
    [ ${#files[@]} -gt 0 ] || wrong "$1" "a folder without pictures"
  elif [ -e "$path" ]; then
    if [ ! -f "$path" ] || [ ! -r "$path" ]; then
      wrong "$1" "no file that can be read"
    fi
    files=("$path")
  else
    [[ $path =~ %0?[0-9]*d ]] || wrong "$1" "no such file or folder"
    numbered "$path"
    [ ${#files[@]} -gt 0 ] || wrong "$1" "no file has such a name"
  fi
}

# types_of FILE...: sets `types` to png, jpeg, text/… or whatever else they are by their content.
types_of() {
  mapfile -t types < <(LC_ALL=C gst-typefind-1.0 "$@" 2>&1 | grep -F ' - ')
  types=("${types[@]##* - }")
  types=("${types[@]%%,*}")
  types=("${types[@]#image/}")
}

# link_pictures VIEW: those of `files` that are wanted, numbered, in a folder of ours. All are of
# one type, for one decoder: where PNGs and JPEGs stand side by side, PNG.
link_pictures() {
  local i folder=$work/$1 types
  has_frame "$1"
  files=("${files[@]:${frame:-0}:frames}")
  types_of "${files[@]}"
  type[$1]=jpeg
  [[ " ${types[*]} " != *' png '* ]] || type[$1]=png
  mkdir "$folder"
  for i in "${!files[@]}"; do
    [[ ${types[i]} =~ ^(png|jpeg)$ ]] || wrong "$1" "${files[i]##*/} is no PNG or JPEG"
    if [ "${types[i]}" = "${type[$1]}" ]; then
      ln -s "${files[i]}" "$folder/$i"
    else
      gst-launch-1.0 -q filesrc location="${files[i]}" ! jpegdec ! videoconvert \
        ! pngenc compression-level=1 ! filesink location="$folder/$i"
    fi
  done
}

# look_at VIEW: sets its kind, and links its pictures.
look_at() {
  local files types
  files_of "$1"
  kind[$1]=pictures number[$1]=${#files[@]}
  types_of "${files[0]}"
  case "${!1} ${types[0]}" in
    "${files[0]} png" | "${files[0]} jpeg") ;;
    "${files[0]} text/"*) wrong "$1" "a text" ;;
    "${files[0]} "*) kind[$1]=video ;;
  esac
  [ "${kind[$1]}" = video ] || link_pictures "$1"
}

# source_of VIEW FRAMES: sets `source` to the beginning of a pipeline that yields so many frames.
source_of() {
  local first=${frame:-0}
  case ${kind[$1]} in
    street)
      source=(street-scene-src view="$1" first-frame="$first" num-buffers="$2"
        ! video/x-raw,width=1242,height=375) ;;
    pictures)
      source=(multifilesrc location="$work/$1/%d" num-buffers="$2"
        caps="image/${type[$1]},framerate=$fps/1" ! "${type[$1]}dec") ;;
    video)
      # Only its pictures. When identity has enough, it drops a frame and says so; the queue then
      # lets nothing more through.
      source=(filesrc location="${!1}" ! decodebin expose-all-streams=false
        caps='video/x-raw(ANY)' ! queue ! identity eos-after=$((first + $2 + 1))) ;;
  esac
}

# probe VIEW: decodes all that is wanted: its size; what was said goes to `said`. Decoders of others
# may hang, and seldom do so twice.
probe() {
  local source digits='[^0-9]*([0-9]+)' status turn
  source_of "$1" "$frames"
  for turn in first second; do
    status=0
    said=$(LC_ALL=C timeout $((40 + frames)) gst-launch-1.0 -v "${source[@]}" \
      ! fakesink name=probe silent=false 2>&1) || status=$?
    [ "$status" = 124 ] || break
    [ "$turn" = first ] || wrong "$1" "its decoder hangs"
  done
  # Both the pad and the event may tell of the caps, and in a race only one of them does.
  size[$1]=$(sed -nE "s/.*probe.*caps.*width$digits.*height$digits.*/\1x\2/p" <<<"$said" |
    tail -n 1)
}

# first_said PATTERN: what the pattern's group is in the first line of `said` that has it.
first_said() {
  sed -nE "s/$1/\1/p" <<<"$said" | head -n 1
}

# check VIEW: whether it can be decoded, if need be with a decoder that is installed now.
check() {
  local missing
  probe "$1"
  missing=$(first_said '^Missing decoder: (.*) \(video\/.*')
  if [ -z "${size[$1]}" ] && [ -n "$missing" ]; then
    # shellcheck disable=SC2086  # a list of words
    install_packages $packages_video || true
    probe "$1"
    # shellcheck disable=SC2086
    [ -n "${size[$1]}" ] || fail "--$1 ${!1}: no decoder for $missing; install" $packages_video
  fi
  if [ -z "${size[$1]}" ]; then
    [[ $said != *'Missing decoder'* ]] || wrong "$1" "no video in it"
    wrong "$1" "cannot be decoded: $(first_said '^[A-Z]+: from element [^ ]*: (.*[^.])\.*')"
  fi
  if [ "${kind[$1]}" = video ]; then
    number[$1]=$(grep -c ':probe: last-message = chain' <<<"$said" || true)
    has_frame "$1"
  fi
}

# has_frame VIEW: that the one frame that is wanted is among those there are.
has_frame() {
  [ "${frame:-0}" -lt "${number[$1]}" ] ||
    fail "--frame $frame: --$1 ends before it; it has ${number[$1]}, counted from 0"
}

# check_pair: whether the views can be those of one pair.
check_pair() {
  if [ "${kind[left]}" != "${kind[right]}" ]; then
    fail "--left is ${kind[left]}, --right ${kind[right]}: both must be videos, or both pictures," \
      "numbered pictures (left/%06d.png) or folders"
  fi
  if [ "${kind[left]}" = pictures ] && [ "${number[left]}" != "${number[right]}" ] &&
    { [ -e "$left" ] || [ -e "$right" ]; }; then
    fail "--left has ${number[left]} pictures, --right ${number[right]}: give folders that have" \
      "the same number of them, or numbered pictures (left/%06d.png)"
  fi
  if [ "${size[left]}" != "${size[right]}" ]; then
    fail "--left is ${size[left]}, --right ${size[right]}: both views must have the same size"
  fi
}

# ---- Build --------------------------------------------------------------------------------------

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
  log=$(meson setup "$build" -Dcuda-archs=native 2>&1) || fail "$log"
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

# ---- Pipelines ----------------------------------------------------------------------------------

# tell_warnings: what elements have warned of in `said`, each once, however many pipelines say it.
tell_warnings() {
  local line
  while read -r line; do
    grep -qxF -e "$line" "$work/told" 2>/dev/null || echo "demo.sh: $line" >&2
    echo "$line" >>"$work/told"
  done < <(sed -n 's/^WARNING: from element [^ ]*: //p' "$work/said")
}

# stixels SINK...: from the pair to the picture with stixels, ending in SINK.
stixels() {
  local view pad source pipeline=(stereo-stixels name=stixels mode="$mode" stixel-width="$cell"
    stixel-height="$cell")
  [ "${views[*]}" != both ] || pipeline+=(layout="$layout")
  [ -z "$calibration" ] || pipeline+=(calibration="$calibration")
  pipeline+=(! "$@")
  for view in "${views[@]}"; do
    source_of "$view" "$count"
    pad=sink_$view
    pipeline+=("${source[@]}" ! stixels."${pad%_both}")
  done
  LC_ALL=C gst-launch-1.0 -e "${pipeline[@]}" >"$work/said"
  tell_warnings
}

# panels: sets width and height of a picture on the dashboard: its own shape, so that no bars are
# left beside it.
panels() {
  local shape=${size[${views[0]}]}
  width=${shape%x*} height=${shape#*x}
  case "${views[*]} $layout" in
    'both side-by-side') width=$((width / 2)) ;;
    'both top-bottom') height=$((height / 2)) ;;
  esac
  if [ $((width * 3)) -gt $((height * 4)) ]; then
    height=$((720 * height / width)) width=720
  else
    width=$((540 * width / height)) height=540
  fi
  width=$(((width + 1) / 2 * 2)) height=$(((height + 1) / 2 * 2))
}

# dashboard SINK...: the pair's left picture over its stixels, disparity over confidence, and what
# stands where from above, in one picture that ends in SINK. docs/debugging.md has the line.
dashboard() {
  local width height pad board=(compositor name=board background=black)
  panels
  for pad in 0 1 2 3; do
    board+=("sink_$pad::xpos=$((pad / 2 * width))" "sink_$pad::ypos=$((pad % 2 * height))"
      "sink_$pad::width=$width" "sink_$pad::height=$height")
  done
  if [ -n "$metres" ]; then
    board+=(sink_4::xpos=$((2 * width)))
  fi
  board+=(! "$@"
    stixels.src_left ! videoconvert ! board.sink_0 drawn. ! queue ! videoconvert ! board.sink_1
    stixels.src_disparity ! tee name=map
    map. ! queue ! disparity-colour ! videoconvert ! board.sink_2
    map. ! queue ! disparity-colour mode=confidence ! videoconvert ! board.sink_3)
  if [ -n "$metres" ]; then
    board+=(drawn. ! queue ! stixel-bev ! "video/x-raw,width=$((2 * height)),height=$((2 * height))"
      ! videoconvert ! board.sink_4)
  fi
  stixels tee name=drawn "${board[@]}"
}

# draw COUNT FILE SINK...: writes so many frames, of pictures the last one.
draw() {
  local count=$1 files
  "$what" videoconvert ! "${@:3}" location="$work/drawn.%d"
  files=("$work"/drawn.*)
  [ -s "${files[0]}" ] ||
    fail "nothing to draw: no frame of --left is of the time of one of --right"
  mv "${files[0]}" "$2"
  echo "Wrote $2"
}

# ---- One after the other ------------------------------------------------------------------------

. tests/packages.sh
metres=$calibration
if [ -n "$left$both" ]; then
  for view in "${views[@]}"; do files_of "$view"; done # wrong names are told before all else
fi
# shellcheck disable=SC2086  # a list of words
install_packages $packages_run
if [ -n "$left$both" ]; then
  for view in "${views[@]}"; do
    look_at "$view"
    check "$view"
    # The shorter video or sequence ends both.
    if [ "${number[$view]}" -lt "$frames" ]; then
      frames=${number[$view]}
    fi
  done
  [ "${views[*]}" = both ] || check_pair
else
  metres=yes kind[left]=street kind[right]=street size[left]=1242x375
fi
if [ -z "${BUILD:-}" ] || [ ! -e "$build/gst/libgststixels.so" ]; then
  build=${build:-$PWD/build}
  build_plugin
fi
# The one of these that GStreamer looks at first.
others=${GST_PLUGIN_PATH_1_0:-${GST_PLUGIN_PATH:-}}
export GST_PLUGIN_PATH_1_0="$build/gst${others:+:$others}"
if [ -n "$dashboard" ] && [ -z "$metres" ]; then
  echo "No view from above without --calibration: it is in metres"
fi

echo "Drawing"
what=${dashboard:+dashboard} what=${what:-stixels}
if [ -n "$frame" ]; then
  draw 1 "$output/$what.png" pngenc ! multifilesink max-files=1
  exit
fi
draw "$frames" "$output/$what.png" pngenc snapshot=true ! filesink
if [ "$frames" -gt 1 ]; then
  draw "$frames" "$output/$what.mkv" jpegenc quality=90 ! matroskamux ! filesink
fi
if [ "$window" = yes ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  echo "Opening a window; Ctrl-C ends it."
  count=$frames
  "$what" videoconvert ! autovideosink
fi
