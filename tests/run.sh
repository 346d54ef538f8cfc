#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Configures, builds and runs every test: once as users build it, once with the address and
# undefined-behaviour sanitizers; the kernels, on the CPU, once more with the thread sanitizer.
# Installs missing packages first. Needs no arguments; the last line is "N passed, N failed, N
# skipped".
#
#   BUILD=DIR        build folder (default build-test; the others are DIR-asan and DIR-tsan)
#   SANITIZE=no      without the sanitizers
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/packages.sh
# shellcheck disable=SC2086
install_packages $packages_build $packages_run $packages_test $packages_cuda

build=${BUILD:-build-test}
passed=0 failed=0 skipped=0 failures='' failed_logs=()

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

# run_tests DIR ARGUMENT...: builds what the tests need, runs them, and adds up meson's summary.
run_tests() {
  local folder=$1 log copy
  shift
  log=$folder/summary.txt
  meson test -C "$folder" --print-errorlogs "$@" 2>&1 | tee "$log" || true
  count() { sed -n "s/^$1: *\([0-9]*\).*/\1/p" "$log" | tail -n 1; }
  local ok fail timeout unexpected skip
  ok=$(count Ok) fail=$(count Fail) timeout=$(count Timeout) skip=$(count Skipped)
  unexpected=$(count 'Unexpected Pass')
  failures+=$(sed -nE "s#^ *[0-9]+/[0-9]+ (.*(FAIL|TIMEOUT|UNEXPECTEDPASS|ERROR).*)#\n$folder: \1#p" "$log")
  if [ "${fail:-0}" != 0 ] || [ "${timeout:-0}" != 0 ]; then
    copy=$folder/failed-$(date +%s%N).txt
    cp "$folder/meson-logs/testlog.txt" "$copy"
    failed_logs+=("$copy")
  fi
  # A test that fails beside others and passes alone has met a busy machine: it counts, but is named.
  local names
  names=$(sed -nE 's#^ *[0-9]+/[0-9]+ [^ ]+ / ([^ ]+) +(FAIL|TIMEOUT|ERROR) .*#\1#p' "$log" | sort -u)
  # shellcheck disable=SC2086  # a list of words
  if [ -n "$names" ] && meson test -C "$folder" --no-rebuild --num-processes 1 "$@" $names; then
    failures+=$'\n'"$folder: passed only when run again, alone: "${names//$'\n'/ }
    ok=$((ok + ${fail:-0} + ${timeout:-0})) fail=0 timeout=0
  fi
  if [ -z "$ok" ]; then
    echo "meson test printed no summary" >&2
    fail=1
  fi
  passed=$((passed + ${ok:-0}))
  failed=$((failed + ${fail:-0} + ${timeout:-0} + ${unexpected:-0}))
  skipped=$((skipped + ${skip:-0}))
}

# Two architectures, the oldest and one more, instead of a dozen: what CI looks at is that nvcc
# takes the kernels; -Dcuda-archs=all is for those who install.
common_options=(-Dtests=enabled -Dexamples=enabled)
configure "$build" -Dwerror=true '-Dcuda-archs=75,90' "${common_options[@]}"
ninja -C "$build"
run_tests "$build"

if [ "${SANITIZE:-yes}" = yes ]; then
  # Instrumented code draws false warnings from gcc, so they are no errors here. The emulator runs
  # the kernels: what nvcc makes of them is not looked at.
  common_options+=('-Dcuda-archs=90')
  configure "$build-asan" "${common_options[@]}" -Db_sanitize=address,undefined -Db_lundef=false
  ninja -C "$build-asan"
  # GStreamer's plugin scanner is a process of its own without the sanitizer: scan in process.
  export GST_REGISTRY_FORK=no UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
  export ASAN_OPTIONS=fast_unwind_on_malloc=0:detect_leaks=1
  export LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0
  # gst-launch-1.0 and gst-inspect-1.0 are not instrumented and cannot load the plugin.
  # Of the orders of a block's threads one each is enough here: the sanitizers see in any order what
  # is wrong in another.
  run_tests "$build-asan" --timeout-multiplier 6 --suite common --suite cuda --suite gst \
    --no-suite cuda-forward --no-suite cuda-random
  # Whole pipelines load plugins of others, whose leaks are not ours; leaks of ours are found above
  # and by the leaks tracer.
  ASAN_OPTIONS=fast_unwind_on_malloc=0:detect_leaks=0 \
    run_tests "$build-asan" --timeout-multiplier 6 --suite pipeline

  # Kernels only: OpenMP and GLib synchronise in ways that the thread sanitizer does not see. It
  # finds what nothing orders whatever the order was, so one is enough.
  configure "$build-tsan" "${common_options[@]}" -Db_sanitize=thread -Db_lundef=false -Dopenmp=disabled
  if meson introspect "$build-tsan" --tests | grep '"cuda-forward"' >/dev/null; then
    STX_CHECK_SIZES=small \
      run_tests "$build-tsan" --timeout-multiplier 6 --suite cuda \
      --no-suite cuda-forward --no-suite cuda-reverse
  fi
fi

# The last lines name what failed, and what it said, for whoever sees only these.
for log in "${failed_logs[@]}"; do
  grep -E -B2 -A3 ':(E|F):|FAILED|Sanitizer|runtime error|ERROR' "$log" | tail -n 60 || true
done
echo "$failures"
echo
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
