#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2317  # functions are called through step
set -uo pipefail

usage() {
  cat <<'END'
Everything that waits for an NVIDIA GPU, in one go and in the order of its worth: builds with CUDA,
runs the GPU's tests, compares whole pipelines with the CPU's byte by byte, times every stage, and
looks for memory errors and races with compute-sanitizer. Goes on after a failure. A table of what
happened comes last, after the times. Both grow among the logs, with what failed, and the logs are
packed into one file after every step and every 30 s, for when another time limit ends this first.

  examples/gpu-check.sh

Needs GStreamer, meson, nvcc, and a GPU with its driver; its tests need check (README.md). From the
environment:

  BUILD=DIR      build folder (default build-gpu), absolute or from the top of the tree
  LOGS=DIR       what every step printed (default: the folder gpu-check in the build folder)
  PACKED=FILE    the logs in one file (default: LOGS with .tar.gz)
  ARCHS=LIST     architectures to build for (default: native, this GPU's; all: every one, which
                 takes long)
  LIMIT=SECONDS  for everything together (default 530). A step gets at most half of what is left,
                 the build all
  STEPS=LIST     of tests, pipelines, bench, memcheck, racecheck, synccheck, initcheck (default:
                 all but the last two)
  BENCH=OPTIONS  of stx-bench, besides --backend cuda --markdown (default: --time 200)
  SIZE=WxH       of all pictures that are compared or timed, instead of common ones

Ends with 0 if every step passed or its tool is not installed, 1 if one failed, had no time left, or
nothing was tested, 77 if there is no GPU.
END
}

case ${1:-} in
  '') ;;
  --help | -h) usage; exit 0 ;;
  *) echo "gpu-check.sh: unknown option '$1' (see --help)" >&2; exit 2 ;;
esac

cd "$(dirname "$0")/.." || exit 1
build=$(realpath -m "${BUILD:-build-gpu}") archs=${ARCHS:-native}
limit=${LIMIT:-530}
logs=$(realpath -m "${LOGS:-$build/gpu-check}")
packed=$(realpath -m "${PACKED:-$logs.tar.gz}")
steps=${STEPS:-tests pipelines bench memcheck racecheck}

# Runs a command within what is left of the time.
deadline=$limit
limited() {
  local left=$((deadline - SECONDS))
  timeout -k 5 "$((left > 0 ? left : 1))" "$@"
}

# ---- Steps: the last line that one prints is its result; status 77: it could not be done --------

# The compute capability of the first GPU, as 90.
find_gpu() {
  python3 - <<'END'
import ctypes, sys
try:
    cuda = ctypes.CDLL("libcuda.so.1")
except OSError as error:
    sys.exit(f"no NVIDIA driver: {error}")
value = ctypes.c_int()
if cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(value)) or value.value < 1:
    sys.exit("the NVIDIA driver sees no GPU")
for attribute in (75, 76):  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
    cuda.cuDeviceGetAttribute(ctypes.byref(value), attribute, 0)
    print(value.value, end="")
END
}

# Targets that the steps need: the plugin, stx-bench, the programs of suite gpu. All else would take
# longer than all steps together.
targets() {
  meson introspect "$build" --targets | python3 -c '
import json, os, sys
for target in json.load(sys.stdin):
    path = os.path.relpath(target["filename"][0], os.path.realpath(sys.argv[1]))
    linked = target["type"] in ("executable", "shared library", "shared module")
    if path == "examples/stx-bench" or linked and path.startswith(("gst/", "tests/cuda/check_")):
        print(path)' "$build"
}

# With all that can be had here: where check or GStreamer's CUDA library is missing, without the
# tests or the elements.
build() {
  local options=(-Dexamples=auto -Dcuda=auto -Dtests=auto -Dcuda-archs="$archs") tests
  command -v nvcc || [ -x /usr/local/cuda/bin/nvcc ] || { echo "no nvcc"; return 1; }
  if [ -f "$build/build.ninja" ]; then
    limited meson configure "$build" "${options[@]}"
  else
    limited meson setup "$build" "${options[@]}"
  fi || return
  # shellcheck disable=SC2046  # a list of files
  limited ninja -C "$build" $(targets) || return
  tests=$(meson introspect "$build" --tests | grep -o '"cmd"' | wc -l)
  echo "for architecture $archs, GPU ${gpu:-none}, $tests tests"
}

# A suite of which every test was skipped has tested nothing.
run_tests() {
  local text status
  check_programs | grep -q . || { echo "no tests in this build: is check installed?"; return 1; }
  text=$(limited meson test -C "$build" --no-rebuild --suite gpu --print-errorlogs 2>&1)
  status=$?
  echo "$text"
  [ "$status" = 0 ] || cp "$build/meson-logs/testlog.txt" "$logs/failed-tests.txt"
  count() { sed -n "s/^$1: *\([0-9]*\).*/\1/p; \$s/.*/0/p" <<<"$text" | head -n 1; }
  echo "$(count Ok) passed, $(count Fail) failed, $(count Skipped) skipped," \
    "$(count Timeout) too slow"
  [ "$status" = 0 ] && [ "$(count Ok)" -gt 0 ]
}

# from_pair WxH REST: pictures of both cameras into stereo-sgm, then the rest of a pipeline.
from_pair() {
  local size=${SIZE:-$1} rest=$2
  local caps=video/x-raw,width=${size%x*},height=${size#*x}
  echo "street-scene-src view=left num-buffers=2 ! $caps ! tee name=left" \
    "left. ! queue ! videoconvert ! sgm.sink_left" \
    "street-scene-src view=right num-buffers=2 ! $caps ! videoconvert ! sgm.sink_right" \
    "stereo-sgm name=sgm backend=BACKEND $rest"
}

stixels="sat-dp-stixels backend=BACKEND"
overlay="stixel-overlay name=overlay backend=BACKEND"
drawn="downsample-transpose backend=BACKEND ! $stixels ! overlay.stixels"
drawn="$drawn left. ! queue ! videoconvert"

# from_camera FORMAT: the pair through stereo-rectify, with the lenses of write_calibration.
from_camera() {
  local size=${SIZE:-1280x720} view
  local caps=video/x-raw,width=${size%x*},height=${size#*x}
  for view in left right; do
    echo -n "street-scene-src view=$view num-buffers=2 ! $caps ! videoconvert !" \
      "video/x-raw,format=$1 ! rectify.sink_$view rectify.src_$view ! queue ! sgm.sink_$view "
  done
  echo "stereo-rectify name=rectify backend=BACKEND calibration=CALIBRATION" \
    "stereo-sgm name=sgm backend=BACKEND"
}

write_calibration() {
  local size=${SIZE:-1280x720}
  local x=$((${size%x*} / 2)) y=$((${size#*x} / 2)) f=$((${size%x*} * 9 / 16))
  cat <<END
K1: [$f, 0, $x, 0, $f, $y, 0, 0, 1]
D1: [-0.17, 0.025, 0.001, -0.002]
K2: [$((f + 2)), 0, $((x - 2)), 0, $((f + 2)), $((y + 2)), 0, 0, 1]
D2: [-0.16, 0.02, 0, 0.001]
R: [1, 0, 0.01, 0, 1, 0, -0.01, 0, 1]
T: [-0.2, 0.002, 0]
END
}

# name, and the pipeline up to its last element
pipelines() {
  echo "rectify     $(from_camera NV12)"
  echo "USB-camera  $(from_camera YUY2)"
  echo "disparity   $(from_pair 1242x375 '')"
  echo "8-paths     $(from_pair 641x363 'paths=8 max-disparity=64')"
  echo "stixels     $(from_pair 1242x375 "! downsample-transpose backend=BACKEND ! $stixels")"
  echo "4x4         $(from_pair 2048x1024 "! downsample-transpose backend=BACKEND stixel-width=4 \
    stixel-height=4 ! $stixels")"
  echo "semantics   street-scene-src view=semantics num-buffers=2 ! cells.semantics \
    street-scene-src view=disparity num-buffers=2 ! downsample-transpose name=cells \
    backend=BACKEND ! $stixels"
  echo "candidates  $(from_pair 1242x375 "! downsample-transpose backend=BACKEND stixel-width=4 \
    stixel-height=4 ! $stixels cut-candidates=rdp epsilon=0.5")"
  echo "outliers    $(from_pair 1242x375 "! downsample-transpose backend=BACKEND ! $stixels \
    model=gaussian-uniform")"
  echo "segments    $(from_pair 1242x375 "! downsample-transpose backend=BACKEND stixel-width=1 \
    stixel-height=1 ! rdp-columns backend=BACKEND epsilon=2 median=5")"
  echo "motion      $(from_pair 1242x375 "motion=true ! downsample-transpose backend=BACKEND \
    ! $stixels ! stixel-json write=motion")"
  echo "lidar       street-scene-src view=lidar num-buffers=3 ! lidar-ground backend=BACKEND \
    ! application/x-point-labels"
  echo "overlay     $(from_pair 1242x375 "! $drawn ! video/x-raw,format=RGBA ! $overlay")"
  echo "NV12        $(from_pair 642x362 "! $drawn ! video/x-raw,format=NV12 ! $overlay mode=kind \
    legend=top-left")"
}

# run_pipeline BACKEND FILE WORDS...: also fails when the element went to the CPU, of which it warns
run_pipeline() {
  local backend=$1 file=$2 text status
  shift 2
  set -- "${@//CALIBRATION/${file%/*}/calibration.yml}"
  # shellcheck disable=SC2068  # words of a pipeline
  text=$(limited gst-launch-1.0 -q ${@//BACKEND/$backend} ! filesink location="$file" 2>&1)
  status=$?
  echo "$text"
  [ "$status" = 0 ] && [ -s "$file" ] && ! grep -q WARNING <<<"$text"
}

# open_pipelines: a folder for them, in $folder. 77 where none can run.
open_pipelines() {
  local name
  for name in gst-launch-1.0 gst-inspect-1.0; do
    command -v $name >/dev/null || { echo "no $name"; return 77; }
  done
  for name in videoconvert filesink; do
    gst-inspect-1.0 --exists $name || { echo "GStreamer has no $name"; return 77; }
  done
  folder=$(mktemp -d)
  write_calibration >"$folder/calibration.yml"
  export GST_PLUGIN_PATH_1_0=$build/gst GST_REGISTRY_1_0=$folder/registry
}

# sum_of BACKEND LINE: the checksum of what a pipeline writes, into $sum.
sum_of() {
  run_pipeline "$1" "$folder/$1" "$2" || return
  sum=$(sha256sum "$folder/$1")
  sum=${sum%% *}
}

compare_pipelines() {
  local name line sum cpu backend same=0 different='' left_out='' folder
  open_pipelines || return
  if ! grep -q 'gstreamer-cuda-1.0 found: YES' "$build/meson-logs/meson-log.txt"; then
    echo "the elements of this build have no CUDA: libgstreamer-plugins-bad1.0-dev was missing"
    return 77
  fi
  while read -r name line; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      left_out+=" $name"
      continue
    fi
    echo "$name: $line"
    if sum_of omp "$line" && cpu=$sum && sum_of cuda "$line" && [ "$sum" = "$cpu" ]; then
      same=$((same + 1))
    else
      different+=" $name"
      for backend in omp cuda; do
        [ ! -e "$folder/$backend" ] || cp "$folder/$backend" "$logs/failed-$name.$backend"
      done
    fi
    rm -f "$folder/omp" "$folder/cuda"
  done < <(pipelines)
  rm -r "$folder"
  echo "$same gave the CPU's bytes${different:+, not so:$different}${left_out:+, no time:$left_out}"
  [ -z "$different$left_out" ]
}

bench() {
  [ -x "$build/examples/stx-bench" ] || { echo "no stx-bench in this build"; return 77; }
  # shellcheck disable=SC2086  # a list of options
  limited "$build/examples/stx-bench" --backend cuda --markdown ${SIZE:+--size $SIZE} \
    ${BENCH---time 200} >"$logs/bench.md"
  local status=$?
  # shellcheck disable=SC2086  # likewise
  limited "$build/examples/stx-bench" lidar --backend cuda --markdown \
    ${BENCH---time 200} >>"$logs/bench.md" || status=$?
  echo "$(grep -c '| cuda' "$logs/bench.md") lines in bench.md"
  return "$status"
}

# The check programs of the suite, one per line.
check_programs() {
  meson introspect "$build" --tests | python3 -c '
import json, os, sys
tests = [t for t in json.load(sys.stdin) if any(s.split(":")[-1] == "gpu" for s in t["suite"])]
programs = sorted({t["cmd"][0] for t in tests})
print("\n".join(p for p in programs if os.path.basename(p).startswith("check_")))'
}

# One tool over all programs at the same time, each with its smallest cases only.
sanitize() {
  local tool=$1 options=(--error-exitcode 99) programs program failed='' sanitizer jobs=()
  # Calls that fail on purpose are no errors.
  [ "$tool" = memcheck ] && options+=(--report-api-errors no)
  sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
  [ -x "$sanitizer" ] || { echo "no compute-sanitizer"; return 77; }
  mapfile -t programs < <(check_programs)
  [ ${#programs[@]} -gt 0 ] || { echo "no tests in this build"; return 77; }
  for program in "${programs[@]}"; do
    CK_FORK=no CK_DEFAULT_TIMEOUT=0 STX_CHECK_SIZES=small limited "$sanitizer" --tool "$tool" \
      "${options[@]}" "$program" >"$logs/$tool-${program##*/}.log" 2>&1 &
    jobs+=($!)
  done
  for job in "${jobs[@]}"; do wait "$job" || failed+=" $?"; done
  for program in "${programs[@]}"; do
    local log=$logs/$tool-${program##*/}.log
    echo "==== ${program##*/}"
    cat "$log"
    rm "$log"
  done
  echo "${#programs[@]} programs${failed:+; exit statuses:$failed}"
  [ -z "$failed" ]
}

# The Python of stx-bench, which needs NumPy; what it prints is kept line by line.
export PYTHONUNBUFFERED=1
for python in /usr/bin/python3 python3; do
  "$python" -c 'import numpy' 2>/dev/null || continue
  export STIXELS_PYTHON=$python
  break
done

# ---- One after another ---------------------------------------------------------------------------

failed=0

# note NAME RESULT SECONDS TEXT: a line of the table.
note() {
  printf '%-10s %-8s %4s s  %s\n' "$@" >>"$logs/summary.txt"
}

# The packed logs are whole at any moment.
pack() {
  tar -czf "$packed.$BASHPID" -C "$(dirname "$logs")" "$(basename "$logs")" 2>/dev/null
  mv "$packed.$BASHPID" "$packed"
}

# step NAME COMMAND...
step() {
  local name=$1 log=$logs/$1.log begin=$SECONDS status result
  shift
  if [ "$SECONDS" -ge "$limit" ]; then
    note "$name" 'left out' 0 'no time'
    failed=1
    return
  fi
  deadline=$limit
  [ "$name" = build ] || deadline=$((SECONDS + (limit - SECONDS + 1) / 2))
  echo "== $name"
  "$@" >"$log" 2>&1
  status=$?
  case $status in
    0) result=ok ;;
    77) result=skipped ;;
    *) result=FAILED failed=1 ;;
  esac
  [ "$result" = FAILED ] && tail -n 15 "$log" | cut -c 1-200
  [ "$result" = ok ] && [ "$name" != build ] && tested=1
  [ "$result" = FAILED ] && [ "$SECONDS" -ge "$deadline" ] && result="no time"
  note "$name" "$result" $((SECONDS - begin)) "$(tail -n 1 "$log" | cut -c 1-100)"
  pack
  return "$status"
}

gpu=$(find_gpu) || { echo "gpu-check.sh: nothing to do without a GPU" >&2; exit 77; }
tested=0
mkdir -p "$logs" "$(dirname "$packed")"
# Removes the results of an earlier run.
rm -f "$logs"/{bench.md,summary.txt,failed-*}
while sleep 30; do pack; done >/dev/null 2>&1 &
packer=$!
trap 'kill $packer 2>/dev/null; pack' EXIT
if step build build; then
  for name in $steps; do
    case $name in
      tests) step tests run_tests ;;
      pipelines) step pipelines compare_pipelines ;;
      *check) step "$name" sanitize "$name" ;;
      bench) step bench bench ;;
      *) echo "gpu-check.sh: no step '$name'" >&2; failed=1 ;;
    esac
  done
fi
[ "$tested" = 1 ] || { note nothing FAILED 0 'was tested'; failed=1; }

echo
[ ! -s "$logs/bench.md" ] || cat "$logs/bench.md"
echo
cat "$logs/summary.txt"
echo "logs in $packed"
exit "$failed"
