#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times two builds of stx-bench, and other programs, in turns, and prints one Markdown table.

  docs/compare-speed.py OLD NEW [--size WxH] [--rounds N] [--left PNG --right PNG]
                        [--scans FOLDER] [--peer 'LINE=NAME=COMMAND'...]

OLD and NEW are folders with stx-bench, of before and after a change. In each round every stage runs
in OLD, in NEW, and what else does the same work at once after them, so that the load of the machine
hits all of them alike; a number is the median of the rounds' medians. Of the implementations AVX2
and AVX-512 are shown.

Beside the matcher stands OpenCV (Python module cv2), StereoSGBM in its fastest mode,
MODE_SGBM_3WAY, if it can be imported and a pair of pictures is given. --peer adds another program
to the line that begins with LINE, on one thread: its COMMAND prints milliseconds. --scans has ten
scans in SemanticKITTI's layout in place of the street's.
"""
import argparse
import collections
import json
import shlex
import statistics
import subprocess
import sys
import time

from plots import run

VARIANTS = {"avx2": "AVX2", "avx512": "AVX-512", "best": "best"}
# Program's arguments, which lines of its JSON.
STAGES = [
    (["sgm"], lambda row: True),
    (["colmean"], lambda row: True),
    (["satdp"], lambda row: True),
    (["fulldp"], lambda row: True),
    (["rdp"], lambda row: row["height"] in (256, 1024)),
    (["pipeline"], lambda row: True),
    (["lidar"], lambda row: True),
]


def line_of(row):
    """What a line of the table is about."""
    if "scans" in row:
        clusters = "with clusters" if row["clusters"] else "labels alone"
        return f'lidar, {row["points"]} points, {clusters}'
    cell = f' {row["cell"]}×{row["cell"]}' if row["cell"] > 1 else ""
    height = f' {row["width"]}×{row["height"]}' if row["stage"] == "rdp" else ""
    return f'{row["stage"]}{cell}{height}, {row["input"]}'


def arguments_of(stage, options):
    if stage != ["lidar"]:
        return ["--size", options.size]
    return ["--scans", options.scans, "--frames", 10] if options.scans else ["--beams", 64]


def measure(folder, stage, wanted, options, found):
    more = arguments_of(stage, options)
    text = run(f"{folder}/stx-bench", *stage, *more, "--time", 100, "--json")
    for row in json.loads(text)["rows"]:
        if row["implementation"] in VARIANTS and not row["differs"] and wanted(row):
            key = line_of(row), row["threads"], row["implementation"]
            found[key].append(row["median_ms"])


def time_opencv(pictures, threads):
    import cv2
    cv2.setNumThreads(threads)
    left, right = (cv2.imread(name, cv2.IMREAD_GRAYSCALE) for name in pictures)
    matcher = cv2.StereoSGBM_create(0, 128, 5, 200, 800, 1, 0, 10, 100, 2,
                                    cv2.STEREO_SGBM_MODE_SGBM_3WAY)
    times = []
    for _ in range(8):
        begin = time.monotonic()
        matcher.compute(left, right)
        times.append(1000 * (time.monotonic() - begin))
    return f"OpenCV {cv2.__version__} 3WAY", statistics.median(times)


def measure_peers(options, arguments, found):
    if arguments == ["sgm"] and options.left and options.right:
        for threads in 1, 2:
            name, milliseconds = time_opencv([options.left, options.right], threads)
            found["sgm", threads, name].append(milliseconds)
    for peer in options.peer:
        line, name, command = peer.split("=", 2)
        if line.split(",")[0].split()[0] == arguments[0]:
            text = subprocess.run(shlex.split(command), capture_output=True, text=True, check=True)
            found[line, 1, name].append(float(text.stdout.split()[0]))


def peers_of(peers, line, threads):
    return {name: statistics.median(times) for (begin, count, name), times in peers.items()
            if count == threads and line.startswith(begin)}


def print_table(old, new, peers):
    print("| line | threads | code | before, ms | after, ms | times as fast |"
          " others, ms (times ours) |\n|---|--:|---|--:|--:|--:|---|")
    for key, times in new.items():
        line, threads, variant = key
        after = statistics.median(times)
        before = statistics.median(old[key]) if key in old else None
        others = "; ".join(f"{name} {peer:.3g} ({peer / after:.1f})"
                           for name, peer in peers_of(peers, line, threads).items())
        print(f"| {line} | {threads} | {VARIANTS[variant]} | "
              + (f"{before:.3g} | {after:.3g} | {before / after:.2f}" if before
                 else f" | {after:.3g} | ") + f" | {others} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--size", default="1242x375")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--left")
    parser.add_argument("--right")
    parser.add_argument("--scans")
    parser.add_argument("--peer", action="append", default=[], metavar="LINE=NAME=COMMAND")
    parser.add_argument("--only", action="append", help="stages, else all")
    options = parser.parse_args()
    old, new, peers = (collections.defaultdict(list) for _ in range(3))
    for arguments, wanted in STAGES:
        if options.only and arguments[0] not in options.only:
            continue
        for _ in range(options.rounds):
            measure(options.old, arguments, wanted, options, old)
            measure(options.new, arguments, wanted, options, new)
            measure_peers(options, arguments, peers)
        print(f"{' '.join(arguments)}: done", file=sys.stderr)
    print_table(old, new, peers)


if __name__ == "__main__":
    main()
