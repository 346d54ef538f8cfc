#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds and runs the tests. Installs missing packages first; the last line is "N passed, N failed,
# N skipped".
#
#   tests/run.sh         all of them: as users build it, with the address and undefined-behaviour
#                        sanitizers, and what has threads with the thread sanitizer
#   tests/run.sh quick   the fast daily subset: one build, without sanitizers and nvcc; the suites
#                        common, gst and docs, and the kernels on the CPU in one order of threads
#   tests/run.sh full    before a release: all of them, and then the checks listed at the end of
#                        this script, which take hours
#   tests/run.sh NAME    in the build of quick, the tests that bear the name of a file (one that was
#                        edited, or the test's); where there is none, those of its folder
#
#   BUILD=DIR        build folder (default build-test, build-quick for quick; those with sanitizers
#                    are DIR-asan, DIR-tsan and DIR-fuzz)
#   SANITIZE=no      without the sanitizers
. "$(dirname "$0")/strict.sh"
cd "$(dirname "$0")/.."
. tests/packages.sh
# shellcheck disable=SC2086
install_packages $packages_build $packages_run $packages_test $packages_cuda
# Debian's Python modules are there for its own Python, not for one that stands before it. What
# Python compiles of PyPI's is kept, or hundreds of processes compile it again.
python3 -c 'import numpy' 2>/dev/null || export PATH=/usr/bin:$PATH
export PYTHONDONTWRITEBYTECODE='' PYTHONPYCACHEPREFIX=${TMPDIR:-/tmp}/stixels-pycache

mode=${1:-all} build=${BUILD:-build-test}
edited=''
[[ $mode =~ ^(all|quick|full)$ ]] || { edited=$mode mode=quick; }
[ "$mode" != quick ] || build=${BUILD:-build-quick}
passed=0 failed=0 skipped=0 failures='' sets='' said=''

# configure DIR OPTION...: a fresh or an existing build folder with these options. Meson builds the
# programs of the tests that are run, if not all are built before.
configure() {
  local folder=$1 command=setup
  shift
  [ ! -f "$folder/build.ninja" ] || command=configure
  meson $command "$folder" "$@"
}

# Builds all but the programs of suites gst and fuzz.
build_without_elements() {
  # shellcheck disable=SC2046  # a list of files
  ninja -C "$build" $(meson introspect "$build" --targets | python3 -c '
import json, os, sys
for target in json.load(sys.stdin):
    path = os.path.relpath(target["filename"][0], os.path.realpath(sys.argv[1]))
    if target["build_by_default"] and not path.startswith(("tests/gst/", "tests/fuzz/")):
        print(path)' "$build")
}

# build_for DIR ARGUMENT...: builds what `meson test ARGUMENT...` needs, with what other programs
# leave of the processors.
build_for() {
  local folder=$1
  shift
  nice -n 19 meson test -C "$folder" --wrapper true "$@"
}

# fetch PACKAGE...: exports where they are; those that are missing are fetched first.
fetch() {
  local package
  for package in "$@"; do
    "fetch_$package" "$(realpath -m "$build/${package/_/-}")"
  done
}

line='^ *[0-9]+/[0-9]+ ' bad='FAIL|TIMEOUT|ERROR' # of what meson prints

# keep_errors LOG: what a failure said, for the end of the output.
keep_errors() {
  said+=$(grep -E -B2 -A3 ':(E|F):|FAILED|Sanitizer|runtime error|ERROR' "$1" | tail -n 60)$'\n' ||
    true
}

# run_tests DIR ARGUMENT...: runs tests of a build and adds up meson's summary. Tests that wait
# leave a processor free for one more.
run_tests() {
  local folder=$1 log=$1/summary.txt names ok bad_ones
  shift
  meson test -C "$folder" --print-errorlogs --num-processes $(($(nproc) + 1)) "$@" 2>&1 |
    tee "$log" || true
  # count NAMES: the sum of the last lines of the log that begin with these names.
  count() { awk -F: "/^($1):/ { n[\$1] = \$2 } END { for (k in n) s += n[k]; print s "" }" "$log"; }
  ok=$(count Ok) bad_ones=$(count 'Fail|Timeout|Unexpected Pass')
  sets+=$(sed -n "s#^compared#\n$folder: compared#p" "$folder/meson-logs/testlog.txt")
  failures+=$(sed -nE -e '/^Summary of Failures/q' \
    -e "s#$line(.*($bad|UNEXPECTEDPASS).*)#\n$folder: \1#p" "$log")
  [ "${bad_ones:-0}" = 0 ] || keep_errors "$folder/meson-logs/testlog.txt"
  # A test that fails beside others and passes alone has met a busy machine: it counts, but is
  # named.
  names=$(sed -nE "s#${line}[^ ]+ / ([^ ]+) +($bad) .*#\1#p" "$log" | sort -u)
  # shellcheck disable=SC2086  # a list of words
  if [ -n "$names" ] && meson test -C "$folder" --no-rebuild --num-processes 1 "$@" $names; then
    failures+=$'\n'"$folder: passed only when run again, alone: "${names//$'\n'/ }
    ok=$((ok + bad_ones)) bad_ones=0
  fi
  [ -n "$ok" ] || { failures+=$'\n'"$folder: meson test printed no summary"; ok=0 bad_ones=1; }
  passed=$((passed + ok)) failed=$((failed + bad_ones))
  skipped=$((skipped + $(count Skipped) + 0))
}

# tests_of FILE: the names of its tests, or of those of its folder.
tests_of() {
  local path=${1%.*} name all found
  all=$(meson test -C "$build" --list 2>/dev/null | sed -n 's#.* / ##p')
  for path in "$(basename "$path")" "$(basename "$(dirname "$path")")"; do
    path=$(sed -E 's/^check_|^gst|_(omp|c|math|private|launch)$//g; s/[-_]//g' <<<"$path")
    found=$(while read -r name; do
      [[ ${name//[-_]/} != "$path"* ]] || echo "$name"
    done <<<"$all")
    [ -z "$found" ] || break
  done
  [ -n "$found" ] || { echo "No test is named like $1; there are:"$'\n'"$all" >&2; exit 2; }
  echo "$found"
}

# check NAME COMMAND...: one more test, which is skipped if the command exits with 77.
check() {
  local name=$1 status=0
  shift
  "$@" 2>&1 | tee "$build-$name.log" || status=$?
  passed=$((passed + (status == 0))) skipped=$((skipped + (status == 77)))
  if [ $status != 0 ] && [ $status != 77 ]; then
    failed=$((failed + 1)) failures+=$'\n'"$name fails; $build-$name.log says why"
    keep_errors "$build-$name.log"
  fi
}

# The build of users, without debugging information. One architecture instead of a dozen: what CI
# looks at is that nvcc takes the kernels, as CUDA 12's compiler does for an older one (the test
# cuda12). Before a release the oldest, too, and the emulator's kernels with the thread sanitizer:
# every day PTX's machine sees their races.
archs=90 races=()
[ "$mode" != full ] || { archs=75,90 races=(--suite cuda); }
options=(-Dtests=enabled -Dexamples=enabled -Dwerror=true -Ddebug=false "-Dcuda-archs=$archs")
packages=(cuda_binutils onnx opencv mcap cuda12 jsonschema)
optional=$packages_applications
if [ "$mode" = quick ]; then
  options+=(-Dexamples=disabled -Dcuda-archs=none)
  packages=(onnx opencv jsonschema) optional=''
  [ -z "$edited" ] || packages=()
fi
# Suite lazy is that of the address sanitizer, and what it or the thread sanitizer runs runs once:
# there, where it proves more. But suite common compares the instruction sets.
users_tests=(--no-suite lazy --no-suite gst --no-suite fuzz --no-suite faults --no-suite threads)
[ "$mode" = all ] && [ "${SANITIZE:-yes}" = yes ] || users_tests=(--no-suite lazy)
# The emulator runs the kernels: what nvcc makes of them is not looked at. Instrumented code draws
# false warnings from gcc, so they are no errors here. Reports need the lines of the source alone.
# One instruction set: all are made of the same sources, and where a wider one reads or writes too
# far it meets the pages behind the blocks of tests/testing.h in the build of users.
sanitizers=(-Dtests=enabled -Dexamples=disabled -Dcuda-archs=none -Db_lundef=false -Doptimization=1
  -Ddebug=false -Dc_args=-g1 -Dcpp_args=-g1 -Dcpu-variants=base)
# gst-launch-1.0 and gst-inspect-1.0 are not instrumented and cannot load the plugin: no suite docs.
# Tests of suite cuda run only if they are in faults, too: PTX's machine sees a kernel's accesses.
asan_tests=(--timeout-multiplier 6 --suite common --suite gst --suite fuzz --suite faults
  --suite threads)
tsan_tests=(--timeout-multiplier 6 --suite threads "${races[@]}")

configure "$build" "${options[@]}"
# While the compilers run.
# shellcheck disable=SC2086  # a list of words
{ fetch "${packages[@]}" && install_optional_packages $optional; } &
fetching=$!
case $mode in
  quick) [ -n "$edited" ] || ninja -C "$build" ;;
  all) build_without_elements ;;
  full) ninja -C "$build" ;;
esac
wait $fetching || true
fetch "${packages[@]}"

sanitize=no building=''
if [ "$mode" != quick ] && [ "${SANITIZE:-yes}" = yes ]; then
  sanitize=yes
  # Pointers that lead nowhere or too far are seen when they are used: to check them before, too,
  # costs a quarter of the time.
  configure "$build-asan" "${sanitizers[@]}" -Db_sanitize=address,undefined \
    '-Dc_args=-g1 -fsanitize=float-cast-overflow -fno-sanitize=null,object-size,pointer-overflow'
  configure "$build-tsan" "${sanitizers[@]}" -Db_sanitize=thread
  # While tests wait. What fails here fails again, and is shown, when the tests are run.
  {
    build_for "$build-asan" "${asan_tests[@]}" && build_for "$build-tsan" "${tsan_tests[@]}"
  } >"$build-sanitizers.log" 2>&1 &
  building=$!
fi

if [ -n "$edited" ]; then
  names=$(tests_of "$edited")
  # shellcheck disable=SC2086  # a list of words
  run_tests "$build" $names
elif [ "$mode" = quick ]; then
  run_tests "$build" --suite common --suite gst --suite fuzz --suite frames --suite docs \
    --suite cuda
elif [ "$mode" = full ]; then
  STX_CALLS=all STX_CUDA_MODES=all run_tests "$build"
else
  run_tests "$build" "${users_tests[@]}"
fi

if [ $sanitize = yes ]; then
  wait $building || true
  run_tests "$build-asan" "${asan_tests[@]}"
  # GLib's locks are seen where tests/endurance/see_glib.c tells of them.
  run_tests "$build-tsan" "${tsan_tests[@]}"
fi
if [ "$mode" = full ]; then
  # nvcc's output, in a hundred orders of threads, and without each of its barriers in turn.
  check seeds tests/ptx/seeds.sh "$build"
  check remove tests/ptx/remove.py "$build"
  # One after the other, as they measure memory and time.
  STX_ENDURANCE=full run_tests "$build" --num-processes 1 --timeout-multiplier 0 --suite endurance
  check fuzz tests/fuzz/minutes.sh "$build-fuzz"
  check newest tests/roots/newest.sh "$build-newest"
  check arm tests/machines/arm.sh "$build-arm" "$build"
  check wheel tests/install/wheel.sh "$build-wheel"
  check install tests/install/in_clean_roots.sh "$build-install"
  check mutants python3 tests/mutants/mutants.py --folder "$build-mutants" --jobs "$(nproc)"
fi

# For readers of the last lines alone.
echo "$said$failures"
echo "$sets" # which instruction sets this processor could compare
echo
echo "$passed passed, $failed failed, $skipped skipped"
exit $((failed > 0))
