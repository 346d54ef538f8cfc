#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What kernels did on the machine that runs PTX: which code never ran, and counts.

usage: report.py [--counts] [--never] DIR

DIR holds what runs with STX_PTX_REPORT=DIR left behind. --never prints, for every kernel that was
launched, the basic blocks that no run entered, with their lines of the PTX; a kernel that nobody
launched is named. --counts prints a table: instructions of a warp by class and in percent, lanes at
work of 32, sectors of 32 bytes per request of global memory, turns that bank conflicts of shared
memory cost per request, and how many branches split a warp. Counts are those of a GPU only with
STX_PTX_SEED=0, where warps stay as whole as they can. Without either option both are printed.
"""
import argparse
import collections
import pathlib

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


def print_never(kernels):
    entered = total = 0
    for (file, name), kernel in sorted(kernels.items()):
        if kernel.launches == 0:
            print(f"{file}: {name} was never launched")
        for block in blocks_of(kernel.lines):
            total += 1
            entered += block[0].runs > 0
            if block[0].runs == 0:
                print(f"{file}:{block[0].line}: {name}: never: {block[0].text}"
                      + (f" … {block[-1].text}" if len(block) > 1 else ""))
    print(f"{entered} of {total} basic blocks were entered")


def ratio(part, whole):
    return f"{part / whole:.2f}" if whole else ""


def print_counts(kernels):
    print("| kernel | " + " | ".join(SHOWN) + " | lanes | sectors | conflicts | splits |")
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
        cells = [f"{100 * runs[kind] / every:.1f} %" for kind in SHOWN]
        cells += [ratio(sum(line.lanes for line in kernel.lines), every),
                  ratio(sum(line.sectors for line in outside),
                        sum(line.requests for line in outside)),
                  ratio(sum(line.conflicts for line in inside),
                        sum(line.requests for line in inside)),
                  ratio(sum(line.splits for line in kernel.lines), runs["branch"])]
        print(f"| `{name}` ({file}) | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--never", action="store_true")
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("folder")
    options = parser.parse_args()
    kernels = read_reports(options.folder)
    if options.never or not options.counts:
        print_never(kernels)
    if options.counts or not options.never:
        print_counts(kernels)


if __name__ == "__main__":
    main()
