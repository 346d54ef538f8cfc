#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds and runs the tests. Installs missing packages first; the last line is "N passed, N failed,
# N skipped".
#
#   tests/run.sh         all of them: as users build it, with the address and undefined-behaviour
#                        sanitizers, and the kernels, on the CPU, with the thread sanitizer
#   tests/run.sh quick   for every day: one build, without sanitizers and nvcc; the suites common,
#                        gst and docs, and the kernels on the CPU in one order of their threads
#   tests/run.sh full    before a release: all of them, and then what takes hours: pipelines at
#                        length, the PTX of the kernels with a hundred seeds and without each of
#                        their barriers, each fuzz target for a minute with libFuzzer
#                        (FUZZ_SECONDS=60), the newest Debian in a root of its own, 64-bit ARM under
#                        qemu-user, README's Install in clean roots of this one, and 200 mutants
#                        (tests/mutants/mutants.py)
#
#   BUILD=DIR        build folder (default build-test, build-quick for quick; those with sanitizers
#                    are DIR-asan, DIR-tsan and DIR-fuzz)
#   SANITIZE=no      without the sanitizers
. "$(dirname "$0")/strict.sh"
cd "$(dirname "$0")/.."
. tests/packages.sh
# shellcheck disable=SC2086
install_packages $packages_build $packages_run $packages_test $packages_cuda
# Debian's Python modules are there for its own Python, not for one that stands before it.
python3 -c 'import numpy' 2>/dev/null || export PATH=/usr/bin:$PATH

mode=${1:-all}
case $mode in
  all | full) build=${BUILD:-build-test} ;;
  quick) build=${BUILD:-build-quick} ;;
  *)
    echo "usage: tests/run.sh [quick | full]" >&2
    exit 2 ;;
esac
passed=0 failed=0 skipped=0 failures='' sets='' failed_logs=()

# configure DIR OPTION...: a fresh or an existing build folder with these options.
configure() {
  local folder=$1
  shift
  if [ -f "$folder/build.ninja" ]; then
    meson configure "$folder" "$@"
  else
    meson setup "$folder" "$@"
  fi
}

line='^ *[0-9]+/[0-9]+ ' bad='FAIL|TIMEOUT|ERROR' # of what meson prints

# read_summary DIR: what meson said in DIR/summary.txt, into ok, fail, timeout, skip, unexpected. At
# its end it names once more what has failed.
read_summary() {
  local log=$1/summary.txt
  count() { sed -n "s/^$1: *\([0-9]*\).*/\1/p" "$log" | tail -n 1; }
  ok=$(count Ok) fail=$(count Fail) timeout=$(count Timeout) skip=$(count Skipped)
  unexpected=$(count 'Unexpected Pass')
  failures+=$(sed -nE -e '/^Summary of Failures/q' \
    -e "s#$line(.*($bad|UNEXPECTEDPASS).*)#\n$1: \1#p" "$log")
}

# add_up: these numbers to those of all.
add_up() {
  if [ -z "$ok" ]; then
    echo "meson test printed no summary" >&2
    fail=1
  fi
  passed=$((passed + ${ok:-0}))
  failed=$((failed + ${fail:-0} + ${timeout:-0} + ${unexpected:-0}))
  skipped=$((skipped + ${skip:-0}))
}

# run_tests DIR ARGUMENT...: builds what the tests need, runs them, and adds up meson's summary.
run_tests() {
  local folder=$1 log copy ok fail timeout unexpected skip
  shift
  log=$folder/summary.txt
  meson test -C "$folder" --print-errorlogs "${processes[@]}" "$@" 2>&1 | tee "$log" || true
  read_summary "$folder"
  sets+=$(sed -n "s#^compared#\n$folder: compared#p" "$folder/meson-logs/testlog.txt")
  if [ "${fail:-0}" != 0 ] || [ "${timeout:-0}" != 0 ]; then
    copy=$folder/failed-$(date +%s%N).txt
    cp "$folder/meson-logs/testlog.txt" "$copy"
    failed_logs+=("$copy")
  fi
  # A test that fails beside others and passes alone has met a busy machine: it counts, but is
  # named.
  local names
  names=$(sed -nE "s#${line}[^ ]+ / ([^ ]+) +($bad) .*#\1#p" "$log" | sort -u)
  # shellcheck disable=SC2086  # a list of words
  if [ -n "$names" ] && meson test -C "$folder" --no-rebuild --num-processes 1 "$@" $names; then
    failures+=$'\n'"$folder: passed only when run again, alone: "${names//$'\n'/ }
    ok=$((ok + ${fail:-0} + ${timeout:-0})) fail=0 timeout=0
  fi
  add_up
}

# What is measured here is whether tests pass: the code is that of users, without what debuggers
# need. Tests that wait leave a processor free for one more.
options=(-Dtests=enabled -Dexamples=enabled -Dwerror=true -Ddebug=false)
processes=(--num-processes $(($(nproc) + 1)))

test_as_users_build_it() {
  # Two architectures, the oldest and one more, instead of a dozen: what CI looks at is that nvcc
  # takes the kernels; -Dcuda-archs=all is for those who install.
  configure "$build" "${options[@]}" '-Dcuda-archs=75,90'
  ninja -C "$build"
  fetch_cuda_binutils "$(realpath -m "$build/cuda-binutils")"
  fetch_onnx "$(realpath -m "$build/onnx")"
  fetch_opencv "$(realpath -m "$build/opencv")"
  fetch_pyarrow "$(realpath -m "$build/pyarrow")"
  fetch_viewers "$(realpath -m "$build/viewers")"
  # shellcheck disable=SC2086  # a list of words
  install_optional_packages $packages_applications
  fetch_cuda12 "$(realpath -m "$build/cuda12")"
  if [ "$mode" = full ]; then
    STX_CALLS=all run_tests "$build"
  else
    # Of the orders of a block's threads, random meets what the others would; reverse is that of
    # the address sanitizer, which also runs the suite lazy. Of the PTX of the kernels three seeds.
    run_tests "$build" --no-suite cuda-forward --no-suite cuda-reverse --no-suite ptx-more \
      --no-suite lazy
  fi
}

test_quickly() {
  configure "$build" "${options[@]}" -Dexamples=disabled -Dcuda-archs=none
  ninja -C "$build"
  fetch_onnx "$(realpath -m "$build/onnx")"
  fetch_opencv "$(realpath -m "$build/opencv")"
  run_tests "$build" --suite common --suite gst --suite docs --suite cuda-reverse
}

# The emulator runs the kernels: what nvcc makes of them is not looked at. Instrumented code draws
# false warnings from gcc, so they are no errors here. Reports need the lines of the source alone.
sanitizers=(-Dtests=enabled -Dcuda-archs=none -Db_lundef=false -Doptimization=1 -Ddebug=false
  -Dc_args=-g1 -Dcpp_args=-g1)

# gst-launch-1.0 and gst-inspect-1.0 are not instrumented and cannot load the plugin: no suite docs.
# Of the orders of a block's threads one each is enough here: the sanitizers see in any order what
# is wrong in another. Pointers that lead nowhere or too far are seen when they are used: to check
# them before, too, costs a quarter of the time.
test_addresses() {
  configure "$build-asan" "${sanitizers[@]}" -Dexamples=enabled -Db_sanitize=address,undefined \
    '-Dc_args=-g1 -fsanitize=float-cast-overflow -fno-sanitize=null,object-size,pointer-overflow'
  ninja -C "$build-asan"
  run_tests "$build-asan" --timeout-multiplier 6 --suite common --suite cuda \
    --suite gst --suite pipeline --no-suite cuda-forward --no-suite cuda-random
}

# Kernels, and elements that are started, stopped and steered from several threads: GLib's locks
# are seen where tests/endurance/see_glib.c tells of them. The sanitizer finds what nothing orders
# whatever the order was, so one of the kernels' threads is enough.
test_threads() {
  configure "$build-tsan" "${sanitizers[@]}" -Dexamples=disabled -Db_sanitize=thread \
    -Dcpu-variants=base
  run_tests "$build-tsan" --timeout-multiplier 6 --suite threads --suite cuda \
    --no-suite cuda-forward --no-suite cuda-reverse
}

# What stx-fleet does with an engine of PyPI's, which takes longer to install than the test.
test_engine() {
  fetch_dask "$(realpath -m "$build/dask")"
  run_tests "$build" fleet
}

# On the build that users have, one after the other, as they measure memory and time.
test_endurance() {
  STX_ENDURANCE=full run_tests "$build" --num-processes 1 --timeout-multiplier 0 --suite endurance
}

# fuzz_target DIR NAME: from the target's seeds, and from what earlier runs have found, which stays
# in DIR. A finding lies there as finding-NAME-…. Leaks are for the tests: what GStreamer and GLib
# keep of texts grows with every input.
fuzz_target() {
  local folder=$1 name=$2
  "$folder/tests/fuzz/fuzz-$name" --write-corpus "$folder/corpus/$name"
  "$folder/tests/fuzz/fuzz-$name" --write-words "$folder/corpus/$name.words"
  ASAN_OPTIONS=detect_leaks=0 "$folder/tests/fuzz/libfuzzer-$name" -max_total_time="$seconds" \
    -max_len=4096 -timeout=20 -rss_limit_mb=4096 -detect_leaks=0 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix="$folder/finding-$name-" -dict="$folder/corpus/$name.words" \
    "$folder/corpus/$name"
}

test_fuzz() {
  # shellcheck disable=SC2086  # a list of words
  install_packages $packages_fuzz
  local folder=$build-fuzz seconds=${FUZZ_SECONDS:-60} program name
  CC=clang configure "$folder" -Dtests=enabled -Dfuzz=enabled -Dexamples=disabled -Dcuda=disabled \
    -Dopenmp=disabled -Db_sanitize=address,undefined -Db_lundef=false \
    -Dc_args=-fno-sanitize-recover=all
  ninja -C "$folder" fuzz
  mkdir -p "$folder/corpus"
  for program in "$folder"/tests/fuzz/libfuzzer-*; do
    [ -f "$program" ] || continue # a folder of meson's
    name=${program##*/libfuzzer-}
    echo "libFuzzer: $name"
    if fuzz_target "$folder" "$name" >"$folder/$name.log" 2>&1; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      failures+=$'\n'"$folder: libfuzzer-$name"
      failed_logs+=("$folder/$name.log")
    fi
    grep -E 'Done|stat::(number|average)' "$folder/$name.log" || true
  done
}

# The newest release of Debian: its compiler, its GStreamer, its CUDA library. CUDA's headers are
# those of this machine; nvcc is only looked for. Its loader of elements in Python looks for a
# library that is in libpython3-dev.
test_newest() {
  local folder nvcc packages ok fail timeout unexpected skip status=0
  folder=$(realpath -m "$build-newest")
  mkdir -p "$folder/cuda/bin" "$folder/cuda/include"
  nvcc=$(readlink -f "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")
  cp /etc/ssl/certs/ca-certificates.crt "$folder/authorities.crt" || true
  if [ -x "$nvcc" ]; then
    cp "$nvcc" "$(dirname "$nvcc")/bin2c" "$folder/cuda/bin"
    cp "$(dirname "$nvcc")"/../include/*.h "$folder/cuda/include"
  fi
  # shellcheck disable=SC2086,SC2116  # lists of words, in one line
  packages=$(echo $packages_build $packages_run $packages_test $packages_cuda \
    gstreamer1.0-plugins-bad ccache libpython3-dev)
  ROOT_OUT=$folder ROOT_PACKAGES=$packages tests/roots/root.sh trixie tests/roots/newest.sh \
    2>&1 | tee "$folder/summary.txt" || status=$?
  if [ "$status" = 77 ]; then
    skipped=$((skipped + 1))
    return
  fi
  read_summary "$folder"
  add_up
}

# 64-bit ARM, emulated; and pipelines there give the bytes that they give here.
test_arm() {
  local folder ok fail timeout unexpected skip status=0
  folder=$(realpath -m "$build-arm")
  mkdir -p "$folder"
  # shellcheck disable=SC2086,SC2116  # lists of words, in one line
  ROOT_OUT=$folder ROOT_FOREIGN=arm64 ROOT_PACKAGES=$(echo $packages_arm) \
    tests/roots/root.sh bookworm tests/machines/arm.sh 2>&1 | tee "$folder/summary.txt" || status=$?
  if [ "$status" = 77 ]; then
    skipped=$((skipped + 1))
    return
  fi
  read_summary "$folder"
  add_up
  meson devenv -C "$build" "$PWD/tests/machines/pipelines.sh" >"$folder/pipelines-here.txt" || true
  if diff "$folder/pipelines.txt" "$folder/pipelines-here.txt"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    failures+=$'\n'"$folder: pipelines on ARM give other bytes than here"
  fi
}

# README's Install as printed, packages and from source, in clean roots of this Debian.
test_installing() {
  local status=0
  tests/install/in_clean_roots.sh "$build-install" 2>&1 | tee "$build-install.log" || status=$?
  case $status in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *)
      failed=$((failed + 1))
      failures+=$'\n'"$build-install: README's Install fails; $build-install.log says where" ;;
  esac
}

# What nvcc emits, in a hundred orders of threads, and without each of its barriers in turn.
test_ptx() {
  local program
  for program in tests/ptx/seeds.sh tests/ptx/remove.py; do
    if "$program" "$build"; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      failures+=$'\n'"$build: $program fails; what it said stands above"
    fi
  done
}

# Whether the tests see it when the code does something else. Each processor has a tree of its own.
test_mutants() {
  if python3 tests/mutants/mutants.py --folder "$build-mutants" --jobs "$(nproc)"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    failures+=$'\n'"$build-mutants: too few mutants were killed; they stand above"
  fi
}

if [ "$mode" = quick ]; then
  test_quickly
else
  test_as_users_build_it
  if [ "${SANITIZE:-yes}" = yes ]; then
    test_addresses
    test_threads
  fi
fi
if [ "$mode" = full ]; then
  test_engine
  test_ptx
  test_endurance
  test_fuzz
  test_newest
  test_arm
  test_installing
  test_mutants
fi

# The last lines name what failed, and what it said, for whoever sees only these.
for log in "${failed_logs[@]}"; do
  grep -E -B2 -A3 ':(E|F):|FAILED|Sanitizer|runtime error|ERROR' "$log" | tail -n 60 || true
done
echo "$failures"
echo "$sets" # which instruction sets this processor could compare
echo
echo "$passed passed, $failed failed, $skipped skipped"
exit $((failed > 0))
