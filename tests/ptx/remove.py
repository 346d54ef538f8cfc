#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Takes one barrier or fence after the other out of the kernels, and says which nobody misses.

usage: remove.py [--seeds N] [--only TEXT]... BUILD

For each __syncthreads, __syncwarp, __threadfence and their kin in cuda/: compiles the stems that
hold it without it, and runs their check programs on the machine that runs PTX until one fails:
their smallest cases in order and with N seeds (default 8), late and not, then all of them in order
and with one seed. BUILD is a build folder with the tests in it, configured with -Dcuda-archs=75 or
more. --only restricts it to places that contain one of the texts.

Prints a line for each place. The exit status is 1 if one was not missed that NOT_MISSED does not
explain.
"""
import argparse
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
# Where the machine sees no difference, and why the call stands there all the same.
NOT_MISSED = {
    "cuda/driver/ordered.cuh: __threadfence()": "the pattern of is_last_block, in litmus.cu",
    "cuda/fulldp/fulldp_dp.cuh: __syncthreads()": "keeps nvcc from peeling a loop, one of three",
    "cuda/fulldp/fulldp_dp.cuh: __syncwarp()": "keeps values from staying in registers",
    "cuda/satdp/satdp_backtrack.cuh: __syncwarp()": "keeps values from staying in registers",
    "cuda/satdp/satdp_dp.cuh: __syncwarp()": "keeps values from staying in registers, one of four",
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
    """What it says if it fails, or None."""
    name = "check_cuda" if check == "cuda" else f"check_{check}_cuda"
    program = build / "tests" / "cuda" / name
    environment = dict(os.environ, LD_LIBRARY_PATH=str(build / "tests" / "emu"),
                       STX_PTX=str(folder), STX_PTX_SEED=str(seed), STX_PTX_LATE=str(seed % 2),
                       STX_CHECK_SIZES=sizes, CK_FORK="no", STX_FAKE_CUDA_DEVICES="2")
    try:
        run = subprocess.run([program], env=environment, capture_output=True, text=True,
                             timeout=600, check=False)
    except subprocess.TimeoutExpired:
        return "never ends"
    if run.returncode == 0:
        return None
    lines = [line for line in (run.stdout + run.stderr).splitlines()
             if "libcuda:" in line or ":F:" in line]
    return (lines or ["fails"])[0][:160]


def fails(build, stem, folder, seeds):
    """What the first failing run says, or None."""
    runs = [(seed, "small") for seed in range(seeds + 1)] + [(0, "all"), (1, "all")]
    for seed, sizes in runs:
        for check in CHECKS.get(stem, [stem]):
            said = run_check(build, check, folder, seed, sizes)
            if said:
                return f"seed {seed}, {sizes} cases: {said}"
    return None


def try_one(build, path, match, seeds):
    kept = build / "cuda" / "kept"
    with tempfile.TemporaryDirectory() as name:
        tree = pathlib.Path(name)
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
            said = fails(build, stem, ptx, seeds)
            if said:
                return f"{stem}: {said}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--only", action="append")
    parser.add_argument("build", type=pathlib.Path)
    options = parser.parse_args()
    missed = total = unexplained = 0
    for path, match in places():
        name = str(path.relative_to(ROOT))
        line = path.read_text().count("\n", 0, match.start()) + 1
        where = f"{name}:{line}: {match[0]}"
        if options.only and not any(text in where for text in options.only):
            continue
        said = try_one(options.build.resolve(), path, match, options.seeds)
        reason = NOT_MISSED.get(f"{name}: {match[0]}")
        total += 1
        missed += said is not None
        unexplained += said is None and reason is None
        print(f"{where}: {said or 'not missed: ' + (reason or 'nobody knows why')}", flush=True)
    print(f"{missed} of {total} are missed; {unexplained} are neither missed nor explained")
    sys.exit(unexplained > 0)


if __name__ == "__main__":
    main()
