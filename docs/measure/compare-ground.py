#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures lidar-ground's code and other programs on labelled scans: benchmarks/lidar-peers.csv.

  docs/measure/compare-ground.py build/examples [NAME=FOLDER...] [--peer NAME=COMMAND...]
                                 [--rounds N] [--beams N...]

FOLDER has SemanticKITTI's layout; without one: those of $STX_DATA. Quality is what `stx-eval lidar`
says by its protocols B and A; time is the mean over the scans of the least of N rounds, in
milliseconds, of one thread on one core. Patchwork++ is measured if its Python module can be
imported (`pip install pypatchworkpp numpy`). With --beams 16, 32 or both, also on copies of the
recorded scans with so many of their 64 beams.

--peer adds any other program. The shell runs `COMMAND ROUNDS LABELS SCAN...`: it labels each SCAN,
a file SEQUENCE/velodyne/NAME.bin of float32 x, y, z, intensity, ROUNDS times, with its state fresh
for each sequence and round; writes LABELS/SEQUENCE/NAME.label, a little-endian uint32 for each
point, 49 where it is ground, else 99; and prints a line for each SCAN, the least of its times in
milliseconds, without reading and writing files.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from plot_lidar import RECORDED_BEAMS, known_folders, thinned
from plots import run, write

GROUND, OTHER = 49, 99


def patchwork(rounds, labels, scans):
    """As a peer's COMMAND: writes the labels, returns the times."""
    import numpy
    import pypatchworkpp
    times = [float("inf")] * len(scans)
    for _ in range(rounds):
        programs = {}
        for place, scan in enumerate(scans):
            sequence = scan.parents[1].name
            if sequence not in programs:
                programs[sequence] = pypatchworkpp.patchworkpp(pypatchworkpp.Parameters())
            points = numpy.fromfile(scan, numpy.float32).reshape(-1, 4)
            begin = time.perf_counter()
            programs[sequence].estimateGround(points)
            times[place] = min(times[place], 1000 * (time.perf_counter() - begin))
            found = numpy.full(len(points), OTHER, "<u4")
            found[programs[sequence].getGroundIndices()] = GROUND
            (labels / sequence).mkdir(exist_ok=True)
            found.tofile(labels / sequence / f"{scan.stem}.label")
    return times


def command(line):
    """The same, of a program."""
    def peer(rounds, labels, scans):
        text = subprocess.run(["sh", "-c", f'{line} "$@"', "sh", str(rounds), labels, *scans],
                              stdout=subprocess.PIPE, text=True, check=True).stdout
        return [float(word) for word in text.split()]
    return peer


def total(program, folder, *options):
    return json.loads(run(program, "lidar", folder, "--json", *options))


def row(name, data, count, points, quality, milliseconds):
    """`quality`: what stx-eval says for each protocol."""
    found = {"data": data, "scans": count, "points": points, "program": name}
    for protocol, said in quality.items():
        found[f"{protocol}_f1_mean"] = f'{said["total"]["f1_mean"]:.2f}'
        found[f"{protocol}_f1_worst"] = f'{said["total"]["f1_worst"]:.2f}'
    return {**found, "minimum_ms": f"{milliseconds:.3f}"}


def measure(program, data, folder, peers, rounds):
    """One row for each program."""
    folder = pathlib.Path(folder).resolve()
    scans = [path for path in sorted(folder.glob("**/velodyne/*.bin"))
             if (path.parents[1] / "labels" / f"{path.stem}.label").exists()]
    points = sum(path.stat().st_size for path in scans) // (16 * len(scans))

    def judge(*options):
        return {protocol: total(program, folder, "--protocol", protocol, *options)
                for protocol in "ba"}

    own = ("--threads", 1, "--cluster-cell", 0, "--repeat", rounds)
    quality = judge(*own)
    rows = [row("lidar-ground", data, len(scans), points, quality, quality["b"]["total"]["ms"])]
    for name, peer in peers.items():
        with tempfile.TemporaryDirectory() as labels:
            times = peer(rounds, pathlib.Path(labels), scans)
            assert len(times) == len(scans), f"{name}: {len(times)} times of {len(scans)} scans"
            rows.append(row(name, data, len(scans), points, judge("--labels", labels),
                            sum(times) / len(times)))
        print(rows[-1], file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("data", nargs="*")
    parser.add_argument("--peer", action="append", default=[])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--beams", type=int, nargs="+", default=[])
    options = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    peers = {name: command(line) for name, line in (peer.split("=", 1) for peer in options.peer)}
    if importlib.util.find_spec("pypatchworkpp") and importlib.util.find_spec("numpy"):
        peers["Patchwork++"] = patchwork
    rows = []
    for data, folder in (name.split("=", 1) for name in options.data or known_folders()):
        program = pathlib.Path(options.programs) / "stx-eval"
        rows += measure(program, data, folder, peers, options.rounds)
        for beams in options.beams:
            with tempfile.TemporaryDirectory() as target:
                thinned(folder, RECORDED_BEAMS // beams, target)
                rows += measure(program, f"{data}, {beams} beams", target, peers, options.rounds)
    write("lidar-peers.csv", rows)


if __name__ == "__main__":
    main()
