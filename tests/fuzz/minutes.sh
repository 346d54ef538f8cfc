#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs each fuzz target with libFuzzer for FUZZ_SECONDS (60), from its seeds and from what earlier
# runs have left in DIR/corpus. A finding lies in DIR as finding-NAME-….
#
#   tests/fuzz/minutes.sh DIR
. "$(dirname "$0")/../strict.sh"
cd "$(dirname "$0")/../.."
. tests/packages.sh
# shellcheck disable=SC2086  # a list of words
install_packages $packages_fuzz
folder=$1 failed=0
if [ ! -f "$folder/build.ninja" ]; then
  CC=clang meson setup "$folder" -Dtests=enabled -Dfuzz=enabled -Dexamples=disabled \
    -Dcuda=disabled -Dopenmp=disabled -Db_sanitize=address,undefined -Db_lundef=false \
    -Dc_args=-fno-sanitize-recover=all
fi
ninja -C "$folder" fuzz
mkdir -p "$folder/corpus"
for program in "$folder"/tests/fuzz/libfuzzer-*; do
  [ -f "$program" ] || continue # a folder of meson's
  name=${program##*/libfuzzer-}
  echo "libFuzzer: $name"
  "$folder/tests/fuzz/fuzz-$name" --write-corpus "$folder/corpus/$name"
  "$folder/tests/fuzz/fuzz-$name" --write-words "$folder/corpus/$name.words"
  # Leaks are for the tests: what GStreamer and GLib keep of texts grows with every input.
  if ! ASAN_OPTIONS=detect_leaks=0 "$program" -max_total_time="${FUZZ_SECONDS:-60}" -max_len=4096 \
    -timeout=20 -rss_limit_mb=4096 -detect_leaks=0 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix="$folder/finding-$name-" -dict="$folder/corpus/$name.words" \
    "$folder/corpus/$name" >"$folder/$name.log" 2>&1; then
    failed=1
    echo "FAILED: libfuzzer-$name"
    tail -n 60 "$folder/$name.log"
  fi
  grep -E 'Done|stat::(number|average)' "$folder/$name.log" || true
done
exit $failed
