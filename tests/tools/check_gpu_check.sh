#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# examples/gpu-check.sh builds, tests and goes on, on the GPU of tests/emu, with a meson that
# refuses some options and builds nothing.
#
#   check_gpu_check.sh BUILD FOLDER-OF-LIBCUDA
. "$(dirname "$0")/../strict.sh"
cd "$(dirname "$0")/../.."
build=$1 folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/meson" <<'END'
#!/bin/bash
case $1 in
  setup | configure) [[ "$*" != *"$REFUSED"* ]] ;;
  introspect) echo "[${NO_TESTS-{\"cmd\": [\"/bin/check_true\"], \"suite\": [\"gpu\"]\}}]" ;;
  test) printf 'Ok: 3\nFail: 0\n' ;;
esac
END
printf '#!/bin/sh\n' >"$folder/ninja"
cp "$folder/ninja" "$folder/nvcc"
chmod +x "$folder"/*

# check REFUSED BUILD STATUS WORDS: what the script ends with, and a line of what it says.
check() {
  local status=0 text
  text=$(PATH=$folder:$PATH LD_LIBRARY_PATH=$cuda REFUSED=$1 BUILD=$2 LOGS=$folder/logs \
    STEPS=tests LIMIT=100 examples/gpu-check.sh 2>&1) || status=$?
  if [ "$status" != "$3" ] || ! grep -q -- "$4" <<<"$text"; then
    echo "$text"
    echo "Without $1: status $status, expected $3 and '$4'"
    exit 1
  fi
}
cuda=$2
check nothing "$(realpath --relative-to=. "$build")" 0 '1 tests'
check nothing "$build" 0 '3 passed, 0 failed'
check archs "$build" 1 'build      FAILED'
[[ $(tar -tzf "$folder/logs.tar.gz") == *summary.txt* ]]
NO_TESTS='' check nothing "$build" 1 'nothing    FAILED'
