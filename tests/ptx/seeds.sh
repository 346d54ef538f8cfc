#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs every check program of tests/cuda on the machine that runs PTX, with many seeds.
#
#   tests/ptx/seeds.sh BUILD [COUNT [FIRST]]    default: 100 seeds, from 1 on
#
# Every second seed has late stores; the architectures that BUILD has take turns. At its smallest
# cases a seed takes half a minute of one core. A run that fails prints the command that repeats it;
# the last line is "N runs, N failed".
set -euo pipefail
build=$(realpath "$1") count=${2:-100} first=${3:-1}

mapfile -t archs < <(find "$build/cuda/kept" -name '*.ptx' | sed 's/.*compute_\([0-9]*\).*/\1/' |
  sort -u)
if [ ${#archs[@]} = 0 ]; then
  echo "$build has no PTX: configure it with -Dtests=enabled -Dcuda-archs=75,90, and nvcc" >&2
  exit 2
fi

# run PROGRAM SEED: one of them; what it printed if it fails.
run() {
  local program=$1 seed=$2 arch=${archs[$(($2 % ${#archs[@]}))]} output
  local setting=(LD_LIBRARY_PATH="$build/tests/emu" STX_PTX="$build/cuda/kept"
    STX_FAKE_CUDA_CAPABILITY="${arch%?}.${arch: -1}" STX_FAKE_CUDA_DEVICES=2 CK_FORK=no
    STX_PTX_COPIES=1 STX_PTX_SEED="$seed" STX_PTX_LATE=$((seed % 2)) STX_CHECK_SIZES=small)
  output=$(env "${setting[@]}" timeout 600 "$program" 2>&1) && return
  printf '%s\nenv %s %s\n' "$output" "${setting[*]}" "$program"
  return 1
}

runs=0 failed=0
for ((seed = first; seed < first + count; seed++)); do
  for program in "$build"/tests/cuda/check_*cuda "$build/tests/cuda/check_cuda_steps"; do
    runs=$((runs + 1))
    run "$program" "$seed" || failed=$((failed + 1))
  done
done
echo "$runs runs, $failed failed"
[ "$failed" = 0 ]
