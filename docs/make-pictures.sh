#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the pictures of the documentation from the synthetic street: docs/street.jpg (the README's),
# docs/segments.jpg (that of rdp-columns), docs/lidar.png (that of lidar-ground and lidar-bev),
# docs/lidar-truth.png (benchmarks/lidar.md),
# docs/labels.jpg (stixel-overlay), docs/scan.jpg (lidar-overlay),
# docs/kinds.jpg (sat-dp-stixels), docs/grid.png (occupancy-grid),
# docs/disparity*.jpg (disparity-colour), docs/above.png and docs/above-scan.png (stixel-bev),
# docs/column.svg (stx-eval column), and in docs/benchmarks/ figures
# as the papers have them, stixels-examples.jpg and rdp-inputs.jpg; docs/step-*.jpg (cameras.md).
#   GST_PLUGIN_PATH=build/gst docs/make-pictures.sh
. "$(dirname "$0")/../tests/strict.sh"
cd "$(dirname "$0")/.."
export GST_PLUGIN_PATH=${GST_PLUGIN_PATH:-$PWD/build/gst}
street=(seed=3 first-frame=20 num-buffers=1)

# The picture, what each stixel is, and how far away.
gst-launch-1.0 -q \
  street-scene-src view=left "${street[@]}" ! video/x-raw,format=RGB ! tee name=left \
  left. ! queue ! videoconvert ! sgm.sink_left \
  street-scene-src view=right "${street[@]}" ! videoconvert ! sgm.sink_right \
  stereo-sgm name=sgm ! downsample-transpose ! sat-dp-stixels ! tee name=stixels \
  stixels. ! queue ! kinds.stixels  stixels. ! queue ! distances.stixels \
  left. ! queue ! stixel-overlay name=kinds mode=kind ! videoconvert ! all.sink_1 \
  left. ! queue ! stixel-overlay name=distances ! videoconvert ! all.sink_2 \
  left. ! queue ! videoconvert ! all.sink_0 \
  compositor name=all sink_1::ypos=379 sink_2::ypos=758 background=white \
  ! video/x-raw,width=1242,height=1133 ! videoconvert ! jpegenc quality=85 \
  ! filesink location=docs/street.jpg

# The line of docs/debugging.md, of one frame.
board=$(sed -n '/^## All at once/,/^## /{/^gst-launch/,/^```$/{/^```/!p}}' docs/debugging.md)
board=${board//num-buffers=50/"${street[*]}"}
jpeg="video/x-raw,format=I420 ! jpegenc quality=70 ! filesink location=docs/dashboard.jpg"
eval "${board/autovideosink/$jpeg}"

# pair NAME PAD LEFT RIGHT PROPERTY...: the pipeline from two views of a scene to a small picture.
pair() {
  local name=$1 pad=$2 left=$3 right=$4
  shift 4
  line+=(stereo-stixels name="$name" legend=none "$@" ! videoconvert ! videoscale
    ! video/x-raw,width=621,height=188 ! both."$pad")
  line+=(street-scene-src view="$left" "${scene[@]}" ! "${kitti[@]}" ! "$name".sink_left)
  line+=(street-scene-src view="$right" "${scene[@]}" ! "${kitti[@]}" ! "$name".sink_right)
}

# symptom NAME: what pair has put into `line`, side by side, for docs/debugging.md.
symptom() {
  gst-launch-1.0 -q compositor name=both sink_1::xpos=625 background=white \
    ! video/x-raw,width=1246,height=188 ! videoconvert ! video/x-raw,format=I420 \
    ! jpegenc quality=80 \
    ! filesink location=docs/debugging-"$1".jpg "${line[@]}"
  line=()
}

line=() kitti=(video/x-raw,width=1242,height=375) scene=(num-buffers=1)
pair sick sink_0 left right mode=kind camera-height=5
pair cured sink_1 left right mode=kind
symptom road
pair sick sink_0 left right mode=kind camera-height=0.4
pair cured sink_1 left right mode=kind
symptom missing
pair sick sink_0 left right sgm::baseline=1.2
pair cured sink_1 left right
symptom scale
pair sick sink_0 right left
pair cured sink_1 left right
symptom shreds
scene=(first-frame=3 num-buffers=1)
pair sick sink_0 left right max-disparity=64
pair cured sink_1 left right
symptom near
scene=(terrain=hilly seed=3 first-frame=25 num-buffers=1)
pair sick sink_0 left right mode=kind
pair cured sink_1 left right mode=kind ground=piecewise
symptom hills

gst-launch-1.0 -q \
  street-scene-src view=left "${street[@]}" ! video/x-raw,format=RGB ! tee name=left \
  left. ! queue ! videoconvert ! sgm.sink_left \
  street-scene-src view=right "${street[@]}" ! videoconvert ! sgm.sink_right \
  stereo-sgm name=sgm ! downsample-transpose stixel-width=1 stixel-height=1 \
  ! rdp-columns epsilon=2 median=5 ! overlay.stixels \
  left. ! queue ! stixel-overlay name=overlay alpha=0.6 ! videoconvert \
  ! jpegenc quality=75 ! filesink location=docs/segments.jpg

gst-launch-1.0 -q \
  street-scene-src view=left "${street[@]}" ! video/x-raw,format=RGB ! tee name=left \
  left. ! queue ! videoconvert ! sgm.sink_left \
  street-scene-src view=right "${street[@]}" ! videoconvert ! sgm.sink_right \
  stereo-sgm name=sgm ! downsample-transpose ! sat-dp-stixels ! stixel-obstacles ! overlay.stixels \
  left. ! queue ! stixel-overlay name=overlay labels=distance+id free-space=true \
  corridor-width=2.4 alpha=0.35 ! videoconvert ! jpegenc quality=34 \
  ! filesink location=docs/labels.jpg

gst-launch-1.0 -q \
  street-scene-src view=lidar beams=64 "${street[@]}" ! lidar-ground \
  ! lidar-bev extent=24 center-x=5 ! video/x-raw,format=RGB,width=720,height=800 \
  ! pngenc compression-level=9 ! filesink location=docs/lidar.png

# The found parts of a scan, in the colours of the LiDAR report.
folder=$(mktemp -d)
"${STX_EVAL:-build/examples/stx-eval}" lidar --street --frames 1 --pictures "$folder" > /dev/null
mv "$folder/frame_0.png" docs/lidar-truth.png
rmdir "$folder"

# The same frame, smaller, for disparity-colour.
small=(video/x-raw,width=828,height=250)
gst-launch-1.0 -q \
  street-scene-src view=left "${street[@]}" ! "${small[@]}" ! sgm.sink_left \
  street-scene-src view=right "${street[@]}" ! "${small[@]}" ! sgm.sink_right \
  stereo-sgm name=sgm ! disparity-colour max=40 ! videoconvert ! jpegenc quality=75 \
  ! filesink location=docs/disparity.jpg

# sat-dp-stixels and occupancy-grid, from the true disparity.
gst-launch-1.0 -q \
  street-scene-src view=left "${street[@]}" ! "${small[@]}" ! kinds.sink \
  street-scene-src view=disparity "${street[@]}" ! "${small[@]}" ! downsample-transpose \
  ! sat-dp-stixels ! kinds.stixels \
  stixel-overlay name=kinds mode=kind ! videoconvert ! video/x-raw,format=I420 \
  ! jpegenc quality=68 ! filesink location=docs/kinds.jpg
gst-launch-1.0 -q \
  street-scene-src view=disparity "${street[@]}" ! downsample-transpose ! sat-dp-stixels \
  ! occupancy-grid ! videoflip video-direction=90l ! pngenc compression-level=9 \
  ! filesink location=docs/grid.png

# Speeds are known from the second frame on: of three the last one stays.
drive=(seed=3 first-frame=18 num-buffers=3)
stixels=(street-scene-src view=disparity "${drive[@]}" ! downsample-transpose ! sat-dp-stixels
  ! stixel-obstacles ! above.sink)
scan=(street-scene-src view=lidar beams=64 "${drive[@]}" ! lidar-ground ! above.points)
picture=(! video/x-raw,format=RGB,width=640,height=600 ! pngenc compression-level=9
  ! multifilesink max-files=1)
gst-launch-1.0 -q stixel-bev name=above "${picture[@]}" location=docs/above-%d.png "${stixels[@]}"
mv docs/above-2.png docs/above.png
gst-launch-1.0 -q stixel-bev name=above mode=obstacle \
  "${picture[@]}" location=docs/above-%d.png "${stixels[@]}" "${scan[@]}"
mv docs/above-2.png docs/above-scan.png

# lidar-overlay: the scan on the picture.
gst-launch-1.0 -q \
  street-scene-src view=left "${street[@]}" ! video/x-raw,width=828,height=250 ! overlay.sink \
  street-scene-src view=lidar beams=64 "${street[@]}" ! lidar-ground ! stixel-obstacles \
  ! overlay.points lidar-overlay name=overlay ! videoconvert ! jpegenc quality=68 \
  ! filesink location=docs/scan.jpg

# Figure 6 of benchmarks/stixels.md, three streets: picture, original, closed form.
small=(! videoconvert ! videoscale ! video/x-raw,width=500,height=151 !)
pads=() line=() row=0
for terrain in gentle sloped hilly; do
  scene=(terrain="$terrain" seed=5 first-frame=12 num-buffers=1)
  line+=(street-scene-src view=left "${scene[@]}" ! "${kitti[@]}" "${small[@]}" both.sink_$row)
  pads+=(sink_$row::ypos=$((row * 52)))
  for side in 1 2; do
    models=("" model=gaussian-uniform "stixels::object-sigma-slope=0") name=s$((row + side))
    line+=(stereo-stixels name="$name" legend=none alpha=0.8 overlay::outlines=false
      "${models[side]}" "${small[@]}" both.sink_$((row + side)))
    pads+=(sink_$((row + side))::xpos=$((side * 505)) sink_$((row + side))::ypos=$((row * 52)))
    for view in left right; do
      line+=(street-scene-src view=$view "${scene[@]}" ! "${kitti[@]}" ! "$name".sink_$view)
    done
  done
  row=$((row + 3))
done
gst-launch-1.0 -q compositor name=both background=white "${pads[@]}" \
  ! video/x-raw,width=1510,height=463 ! videoconvert ! video/x-raw,format=I420 \
  ! jpegenc quality=75 ! filesink location=docs/benchmarks/stixels-examples.jpg "${line[@]}"

# Figure 8 of benchmarks/rdp.md: the columns that rdp is timed with.
columns=$(mktemp -d)
docs/measure/rdp_columns.py "${STX_PROGRAMS:-build/examples}" "$columns" 1242x375
pads=() line=() place=0
for kind in noise worst average best; do
  max=64
  [[ $kind != noise ]] || max=255
  line+=(filesrc location="$columns"/rdp-$kind.png ! pngdec ! videoconvert
    ! video/x-raw,format=GRAY16_LE ! disparity-colour max=$max legend=none ! videoconvert
    ! videoscale ! video/x-raw,width=310,height=256 ! both.sink_$place)
  pads+=(sink_$place::xpos=$((place * 314)))
  place=$((place + 1))
done
gst-launch-1.0 -q compositor name=both background=white "${pads[@]}" \
  ! video/x-raw,width=1252,height=256 ! videoconvert ! video/x-raw,format=I420 \
  ! jpegenc quality=70 ! filesink location=docs/benchmarks/rdp-inputs.jpg "${line[@]}"
rm -r "$columns"

# stx-eval column: a column of the same frame.
"${STX_EVAL:-build/examples/stx-eval}" column \
  | docs/measure/plot_column.py docs/column.svg
ls -l docs/*.svg docs/*.jpg docs/*.png

# The steps of docs/cameras.md, of the synthetic cameras of docs/elements/street-scene-src.md.
bent=$(mktemp -d)/bent.yml
sed -n '/^# bent.yml/,/^```/{/^# /!{/^```/!p}}' docs/elements/street-scene-src.md >"$bent"
lens=(lens-calibration="$bent" num-buffers=1)
small="videoconvert ! videoscale ! video/x-raw,width=480,height=270"
beside="compositor name=both sink_1::xpos=484 background=white ! video/x-raw,width=964,height=270 \
  ! videoconvert ! video/x-raw,format=I420 ! jpegenc quality=75 ! filesink"

# step NAME PROPERTY...: what both cameras see, side by side.
step() {
  local name=$1
  shift
  eval "gst-launch-1.0 -q $beside location=docs/step-$name.jpg \
    street-scene-src view=left $* ! $small ! both.sink_0 \
    street-scene-src view=right $* ! $small ! both.sink_1"
}

step cameras "${lens[@]}" seed=3 first-frame=20
step board "${lens[@]}" scene=chessboard board-hold=1 first-frame=4
eval "gst-launch-1.0 -q $beside location=docs/step-rectified.jpg \
  street-scene-src view=left ${lens[*]} seed=3 first-frame=20 ! rectify.sink_left \
  street-scene-src view=right ${lens[*]} seed=3 first-frame=20 ! rectify.sink_right \
  stereo-rectify name=rectify calibration=$bent \
  rectify.src_left ! queue ! $small ! both.sink_0  rectify.src_right ! queue ! $small ! both.sink_1"
gst-launch-1.0 -q stereo-stixels name=stixels calibration="$bent" camera-height=1.65 \
  ! videoconvert ! videoscale ! video/x-raw,width=964,height=542 ! jpegenc quality=75 \
  ! filesink location=docs/step-stixels.jpg \
  street-scene-src view=left "${lens[@]}" seed=3 first-frame=20 ! stixels.sink_left \
  street-scene-src view=right "${lens[@]}" seed=3 first-frame=20 ! stixels.sink_right
