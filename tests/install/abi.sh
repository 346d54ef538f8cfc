#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compares libstixels of a build with libstixels.abi.xz, the dump of the last release: a function
# that went, or a function or struct that changed, is a fault; a new function is none. --write makes
# the dump anew, with the structs of the public headers. gststixels-1.0: tests/tools/check_abi.py.
#
#   tests/install/abi.sh BUILD [--write]
#
# Exit status 77 without libabigail or debugging information (-Ddebug=true), and on other processors
# than x86-64, whose sizes differ.
. "$(dirname "$0")/../strict.sh"
dump=$(realpath "$(dirname "$0")")/libstixels.abi.xz
cd "$1/common/stixels" || exit
[ "$(uname -m)" = x86_64 ] && command -v abidiff >/dev/null || exit 77
readelf -SW libstixels.so.0 | grep -q ' \.debug_info ' || exit 77
if [ "${2:-}" = --write ]; then
  abidw --headers-dir . --drop-private-types --exported-interfaces-only --no-corpus-path \
    --no-comp-dir-path --no-show-locs libstixels.so.0 | xz >"$dump"
  exit
fi
old=$(mktemp)
trap 'rm "$old"' EXIT
xz -dc "$dump" >"$old"
abidiff --no-added-syms "$old" libstixels.so.0
