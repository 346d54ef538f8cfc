#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Statistics of kernels on the machine that runs PTX: which code never ran, and counts.

usage: report.py DIR
       report.py [--counts] [--never] --run [--arch 75] [--sizes small] BUILD

DIR holds what runs with STX_PTX_REPORT=DIR left behind. With --run all check programs of a build
run first, with its PTX of that architecture, in order, at their smallest or at `all` cases.

--never runs some of them once more, with blocks that wait for one another, and prints which code
of the kernels no run entered, by lines of the sources, and why (cover.py, never.txt). The exit
status is 1 if there is some without a reason, a reason without code, or a kernel that nobody
launched. It is for the architecture whose PTX is there with lines, 7.5.

--counts, the default, prints a table: instructions of a warp by class and in percent, lanes at work
of 32, sectors of 32 bytes per request of global memory, turns that bank conflicts of shared memory
cost per request, and how many branches split a warp. Counts are those of a GPU only with
STX_PTX_SEED=0, where warps stay as whole as they can.
"""
import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

import cover

EVERY_CHECK = ["check_*cuda", "check_cuda_steps"]
# Those whose blocks wait for one another, and a seed with which they do.
WAITING_CHECKS = ["check_fulldp_cuda", "check_rdp_cuda", "check_satdp_cuda"]
WAITING_SEED = 3
CLASSES = ["compute", "load", "store", "atomic", "fence", "branch", "return", "barrier", "warp"]
SHOWN = ["compute", "load", "store", "atomic", "branch", "barrier", "warp"]
Line = collections.namedtuple("Line", "line leads kind runs lanes requests sectors conflicts "
                              "splits text")



class Kernel:
    """The sums over all reports of one kernel in one file."""

    def __init__(self):
        self.launches = self.threads = 0
        self.lines = []

    def add(self, launches, threads, lines):
        self.launches += launches
        self.threads += threads
        if not self.lines:
            self.lines = lines
        elif lines:
            self.lines = [a._replace(**{name: getattr(a, name) + getattr(b, name)
                                        for name in ("runs", "lanes", "requests", "sectors",
                                                     "conflicts", "splits")})
                          for a, b in zip(self.lines, lines)]


def read_line(fields):
    numbers = [int(field) for field in fields[:9]]
    return Line(*numbers, fields[9])


def read_reports(folder):
    """Kernel by (file, name)."""
    kernels = collections.defaultdict(Kernel)
    for path in sorted(pathlib.Path(folder).glob("*.report")):
        head, lines = None, []
        for text in path.read_text().splitlines() + ["kernel\t\t\t0\t0"]:
            fields = text.split("\t")
            if fields[0] != "kernel":
                lines.append(read_line(fields))
                continue
            if head is not None:
                kernels[head[2], head[1]].add(int(head[3]), int(head[4]), lines)
            head, lines = fields, []
    return kernels


def blocks_of(lines):
    block = []
    for line in lines:
        if line.leads and block:
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def ratio(part, whole):
    return f"{part / whole:.2f}" if whole else ""


def print_counts(kernels):
    head = [f"{kind} %" for kind in SHOWN] + ["lanes", "sectors", "conflicts", "splits"]
    print("| kernel | " + " | ".join(head) + " |")
    print("|---|" + "--:|" * (len(SHOWN) + 4))
    for (file, name), kernel in sorted(kernels.items()):
        runs = collections.Counter()
        for line in kernel.lines:
            runs[CLASSES[line.kind]] += line.runs
        every = sum(runs.values())
        if every == 0:
            continue
        memory = [line for line in kernel.lines if line.requests]
        outside = [line for line in memory if line.sectors]
        inside = [line for line in memory if not line.sectors]
        cells = [f"{100 * runs[kind] / every:.1f}" for kind in SHOWN]
        cells += [ratio(sum(line.lanes for line in kernel.lines), every),
                  ratio(sum(line.sectors for line in outside),
                        sum(line.requests for line in outside)),
                  ratio(sum(line.conflicts for line in inside),
                        sum(line.requests for line in inside)),
                  ratio(sum(line.splits for line in kernel.lines), runs["branch"])]
        print(f"| `{name}` | " + " | ".join(cells) + " |")


def run_checks(options, checks, seed, folder):
    """Each of the check programs leaves its report in the folder."""
    build = options.folder.resolve()
    environment = dict(os.environ, STX_PTX_REPORT=str(folder), STX_CHECK_SIZES=options.sizes)
    for program in sorted(p for name in checks for p in (build / "tests" / "cuda").glob(name)):
        done = subprocess.run([program, f"ptx-{options.arch}:{seed}"], env=environment,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{program}:\n{done.stdout}{done.stderr}")


def read_run(options, checks, seed):
    with tempfile.TemporaryDirectory() as folder:
        run_checks(options, checks, seed, folder)
        return read_reports(folder)


def both(kernels, others):
    for key, other in others.items():
        kernels[key].add(other.launches, other.threads, other.lines)
    return kernels


def check_launches(kernels):
    idle = [name for (_, name), kernel in sorted(kernels.items()) if kernel.launches == 0]
    if idle:
        sys.exit("launched by nobody: " + ", ".join(idle))


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--never", action="store_true")
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--run", action="store_true", help="the folder is that of a build")
    parser.add_argument("--arch", type=int, default=75)
    parser.add_argument("--sizes", choices=["small", "all"], default="small")
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    if options.never and not options.run:
        parser.error("--never needs a build: --run")
    return options


def main():
    options = parse_options()
    kernels = read_run(options, EVERY_CHECK, 0) if options.run else read_reports(options.folder)
    if options.counts or not options.never:
        print_counts(kernels)
    if not options.never:
        return
    both(kernels, read_run(options, WAITING_CHECKS, WAITING_SEED))
    check_launches(kernels)
    wrong = cover.print_never(kernels, blocks_of, options.folder / "cuda" / "kept",
                              options.folder / "tests" / "ptx")
    sys.exit(wrong)


if __name__ == "__main__":
    main()
