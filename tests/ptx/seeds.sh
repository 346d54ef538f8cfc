#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs every check program of tests/cuda on the machine that runs PTX, with many seeds.
#
#   tests/ptx/seeds.sh BUILD [COUNT [FIRST]]    default: 100 seeds, from 1 on
#
# Every second seed has late stores; the architectures that BUILD has take turns. At its smallest
# cases a seed takes half a minute of one core; the processors share the seeds. A run that fails
# prints the command that repeats it; the last line is "N runs, N failed, N known". What passed
# stands in BUILD/ptx-seeds.txt and is not run again, until the build changes.
. "$(dirname "$0")/../strict.sh"
build=$(realpath "$1") count=${2:-100} first=${3:-1}

mapfile -t archs < <(sed -n 's/^\.target sm_//p' "$build"/cuda/kept/*.ptx | sort -u)
if [ ${#archs[@]} = 0 ]; then
  echo "$build has no PTX: configure it with -Dtests=enabled -Dcuda-archs=75,90, and nvcc" >&2
  exit 2
fi
programs=("$build"/tests/cuda/check_*cuda "$build/tests/cuda/check_cuda_steps")
key=$(cat "$build"/cuda/kept/*.ptx "$build"/tests/emu/libcuda.so.1 "${programs[@]}" | sha256sum)
key=${key:0:16} passed=$build/ptx-seeds.txt
touch "$passed"

# run SEED PROGRAM: one of them; what it printed if it fails.
run() {
  local seed=$1 program=$2 list arch output line
  read -ra list <<<"$ARCHS"
  arch=${list[$((seed % ${#list[@]}))]} line="$KEY $seed ${program##*/}"
  local mode=ptx-$arch:$seed
  ((seed % 2)) && mode=ptx-$arch-late:$seed
  if grep -qxF "$line" "$PASSED"; then
    echo known
  elif output=$(timeout 600 "$program" "$mode" 2>&1); then
    echo "$line" >>"$PASSED"
    echo passed
  else
    printf '%s\n%s\n' "$output" "$program $mode" >&2
    echo failed
  fi
}
export -f run
export KEY=$key PASSED=$passed ARCHS="${archs[*]}"

outcomes=$(for ((seed = first; seed < first + count; seed++)); do
  printf "$seed %s\n" "${programs[@]}"
done | xargs -P "$(nproc)" -n 2 bash -c 'run "$0" "$1"')
outcome() { grep -c "$1" <<<"$outcomes" || true; }
echo "$(outcome .) runs, $(outcome failed) failed, $(outcome known) known"
exit $(($(outcome failed) > 0))
