# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-bench lidar as a user runs it, on scans of the synthetic street; and the steps of ground.

usage: check_lidar.py STX-BENCH LIDAR-STEPS [FOLDER]   with PYTHONPATH and STIXELS_LIBRARY

FOLDER has the driver that has no GPU behind it.
"""
import csv
import io
import pathlib
import sys
import tempfile

import stixels

from programs import refuses, run, run_json

BENCH, STEPS = sys.argv[1:3]
GPU = {"LD_LIBRARY_PATH": sys.argv[3], "STX_FAKE_CUDA_LEAKS": "1"} if len(sys.argv) > 3 else None


def times_every_implementation():
    """Each code with and without clusters, on one thread and on two."""
    rows = run_json(BENCH, "lidar --beams 16 --time 1 --threads 2 --json")["rows"]
    for row in rows:
        assert row["input"] == "street, 16 beams", row
        assert row["runs"] >= 3 and 0 < row["minimum_ms"] <= row["median_ms"], row
    references = [row["times_reference"] for row in rows
                  if row["implementation"] == "omp" and row["threads"] == 1]
    assert references == [1, 1], rows
    codes = {row["implementation"] for row in rows}
    assert len(rows) == 2 * 2 * len(codes), rows
    assert sum(row["stage"] == "ground+clusters" for row in rows) == len(rows) // 2, rows


def prints_tables_of_a_folder():
    street = stixels.Street(64, 64, seed=1, speed=10.)
    points, labels = street.scan(16)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("velodyne/000000.bin", points), ("labels/000000.label", labels)):
            path = pathlib.Path(folder, "sequences/00", name)
            path.parent.mkdir(parents=True)
            content.tofile(path)
        text = run(BENCH, f"lidar --scans {folder} --time 1 --threads 1 --markdown")[0]
    assert f"\n| ground+clusters | omp | 1 | {len(points)} |  | 1 scan | " in text, text


def refuses_what_it_cannot_use():
    refuses(BENCH, [(f"lidar {options}", words) for options, words in (
        ("ground", "what is 'ground'?"), ("--threads -1", "--threads=-1"),
        ("--time -1", "--time=-1"), ("--frames -1", "--frames=-1"), ("--beams 129", "--beams=129"),
        ("--sets -1", "--sets=-1"),
        ("--backend gpu", "--backend=gpu: choose one of cpu, cuda, all"),
        ("--scans . --beams 16", "--beams is for the synthetic street"),
        ("--scans /no/such/folder", "no scans in /no/such/folder"))])


def times_the_gpu():
    """Launched and as a graph, with the reference's labels, or the program fails."""
    rows = run_json(BENCH, "lidar --beams 1 --time 1 --sets 2 --backend cuda --json", GPU)["rows"]
    for row in rows:
        assert row["implementation"] == "cuda", row
        assert row["minimum_ms"] > 0, row
    assert [row["graph"] for row in rows].count(True) == 2 and len(rows) == 4, rows


def reports_that_there_is_no_cuda():
    refuses(BENCH, [("lidar --backend cuda", "no GPU to time: this build has no CUDA")])


def steps_are_timed_over_points_sectors_and_bins():
    """Each value: whole and in steps on one thread and two, and the reference. The minima of the
    steps cannot exceed the minimum of their sum."""
    text = run(STEPS, "--beams 16 --time 1 --threads 2")[0]
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 14 * (1 + 2 * 8), text
    full, total = max(int(row["points"]) for row in rows), 0
    for row in reversed(rows):
        assert row["scans"] == "street, 16 beams", row
        share = int(row["value"]) if row["experiment"] == "points" else 100
        assert int(row["points"]) == full * share // 100, row
        ms = float(row["minimum_ms"])
        if row["step"] == "all steps":
            assert 0 < total <= ms * 1.001, (row, total)
            total = 0
        elif row["step"] != "whole":
            total += ms


for check in (times_every_implementation, prints_tables_of_a_folder, refuses_what_it_cannot_use,
              times_the_gpu if GPU else reports_that_there_is_no_cuda,
              steps_are_timed_over_points_sectors_and_bins):
    check()
    print(check.__name__)
