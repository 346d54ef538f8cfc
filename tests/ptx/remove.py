#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Takes one barrier or fence after the other out of the kernels, and says which no test misses.

usage: remove.py [--seeds N] [--all] [--jobs N] [--only TEXT]... BUILD

For each __syncthreads, __syncwarp, __threadfence and their kin in cuda/: compiles the stems that
hold it without it, and runs their check programs on the machine that runs PTX until one fails:
their smallest cases in order and with N seeds (default 8), late and not; with --all then all of
them in order and with one seed, which takes hours. A stem of which nvcc makes the same without the
call is not run. BUILD is a build folder with the tests in it, configured with -Dcuda-archs=75 or
more; --jobs places are tried at once, by default as many as there are processors. --only restricts
it to places that contain one of the texts.

Prints a line for each place. The exit status is 1 if one was not missed that NOT_MISSED does not
explain.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CALL = re.compile(r"__(syncthreads(_or|_count|_and)?|syncwarp|threadfence(_block)?)"
                  r"\(([^()]|\([^()]*\))*\)")
FLAGS = ["-ptx", "-std=c++17", "-O3", "-fmad=false", "-diag-suppress=177", "-arch=compute_75"]
# Calls whose removal the machine does not notice, and the reason to keep them.
NOT_MISSED = {
    "cuda/driver/threads.cuh: __syncthreads()": "litmus.cu misses both: is_last_block",
    "cuda/fulldp/fulldp.cu: __syncthreads()": "keeps nvcc from peeling a loop, one of three",
    "cuda/fulldp/fulldp.cu: __syncwarp()": "keeps values from staying in registers",
    "cuda/satdp/satdp_columns.cuh: __syncwarp()": "keeps values from staying in registers",
    "cuda/satdp/satdp_dp.cuh: __syncwarp()": "keeps values from staying in registers, one of six",
}
# Check programs that run a stem's kernels.
CHECKS = {"satdp_slanted": ["satdp"], "probe": ["cuda"]}


def places():
    """(file, offset, text) of every call in code."""
    for path in sorted((ROOT / "cuda").rglob("*.cu*")):
        text = path.read_text()
        code = re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: " " * len(m[0]), text, flags=re.DOTALL)
        for match in CALL.finditer(code):
            if "#define" not in code[code.rfind("\n", 0, match.start()):match.start()]:
                yield path, match


def without(text, match):
    name = match[0].split("(")[0]
    if name in ("__syncthreads_or", "__syncthreads_count", "__syncthreads_and"):
        return text[:match.start()] + "(" + match[0][len(name):] + " != 0)" + text[match.end():]
    return text[:match.start()] + "((void)0)" + text[match.end():]


def stems_of(path, tree):
    """The .cu files below `tree` that include it."""
    name = path.name
    holders, grown = {name}, True
    sources = {p.name: p.read_text() for p in (tree / "cuda").rglob("*.cu*")}
    while grown:
        more = {p for p, text in sources.items()
                if any(f'/{h}"' in text for h in holders)} - holders
        holders |= more
        grown = bool(more)
    return sorted(h[:-3] for h in holders if h.endswith(".cu"))


def compile_stem(tree, stem, folder):
    source = next((tree / "cuda").rglob(stem + ".cu"))
    target = folder / f"{stem}.compute_75.ptx"
    done = subprocess.run(["nvcc", *FLAGS, "-I", tree, "-o", target, source], cwd=tree,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)


def run_check(build, check, folder, seed, sizes):
    """Its message if it fails, or None."""
    name = "check_cuda" if check == "cuda" else f"check_{check}_cuda"
    program = build / "tests" / "cuda" / name
    mode = f"ptx-75-late:{seed}" if seed % 2 else f"ptx-75:{seed}"
    environment = dict(os.environ, STX_PTX=str(folder), STX_CHECK_SIZES=sizes)
    try:
        run = subprocess.run([program, mode], env=environment, capture_output=True, text=True,
                             timeout=600, check=False)
    except subprocess.TimeoutExpired:
        return "never ends"
    if run.returncode == 0:
        return None
    lines = (run.stderr + run.stdout).splitlines()
    lines = [line for word in ("libcuda:", ":F:") for line in lines if word in line]
    return (lines or ["fails"])[0][:160]


def runs_of(seeds, thorough):
    """(seed, sizes) in the order in which they are tried."""
    small = [(seed, "small") for seed in range(seeds + 1)]
    return small + [(0, "all"), (1, "all")] if thorough else small


def build_without(tree, path, match, kept):
    """The PTX of every kernel without this call, in tree/ptx; the stems whose PTX is another."""
    for folder in ("cuda", "common"):
        shutil.copytree(ROOT / folder, tree / folder)
    (tree / "tests").mkdir()
    changed = tree / path.relative_to(ROOT)
    changed.write_text(without(path.read_text(), match))
    ptx = tree / "ptx"
    ptx.mkdir()
    for text in kept.glob("*.compute_75.ptx"):
        shutil.copy(text, ptx)
    stems = stems_of(path, tree)
    for stem in stems:
        compile_stem(tree, stem, ptx)
    return [stem for stem in stems
            if instructions(ptx, stem) != instructions(kept, stem)]


def instructions(folder, stem):
    """Without the names that nvcc makes of a hash of the file's path."""
    text = (folder / f"{stem}.compute_75.ptx").read_text()
    return re.sub(r"_[0-9a-f]{8}_", "_", re.sub(r"//[^\n]*", "", text))


def try_one(build, path, match, options):
    """The message of the first failing run, or None; and the stems whose PTX changes without it."""
    with tempfile.TemporaryDirectory() as name:
        tree = pathlib.Path(name)
        stems = build_without(tree, path, match, build / "cuda" / "kept")
        for seed, sizes in runs_of(options.seeds, options.all):
            for stem in stems:
                for check in CHECKS.get(stem, [stem]):
                    said = run_check(build, check, tree / "ptx", seed, sizes)
                    if said:
                        return f"{stem}: seed {seed}, {sizes} cases: {said}", stems
    return None, stems


def chosen(options):
    """(file, match, where) of the places that --only leaves."""
    for path, match in places():
        line = path.read_text().count("\n", 0, match.start()) + 1
        where = f"{path.relative_to(ROOT)}:{line}: {match[0]}"
        if not options.only or any(text in where for text in options.only):
            yield path, match, where


def judge(options, path, match, where):
    """Prints a place's line; returns whether it is missed, and whether a reason is known if not."""
    said, stems = try_one(options.build.resolve(), path, match, options)
    reason = NOT_MISSED.get(f"{path.relative_to(ROOT)}: {match[0]}")
    if not said and not stems:
        reason = "nvcc makes the same of it" + (f"; {reason}" if reason else "")
    print(f"{where}: {said or 'not missed: ' + (reason or 'nobody knows why')}", flush=True)
    return said is not None, reason is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", action="append")
    parser.add_argument("build", type=pathlib.Path)
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(lambda place: judge(options, *place), chosen(options)))
    missed = sum(is_missed for is_missed, _ in found)
    unexplained = sum(not is_missed and not known for is_missed, known in found)
    print(f"{missed} of {len(found)} are missed; {unexplained} are neither missed nor explained")
    sys.exit(unexplained > 0)


if __name__ == "__main__":
    main()
