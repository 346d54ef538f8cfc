# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of make-plots.py for evaluation.md, "What is optimal", and algorithms/satdp.md: in how
many columns satdp's recurrence is above the least energy."""
import csv
import json
import os
import pathlib

from plots import FOLDER, read, run, table, write

STREET = "street, seeds 1 to 10"
# Of $STX_DATA: left and right pictures, and a calibration, for all or of this frame.
PICTURES = {
    "KITTI 2015": [("kitti2015-stereo/training/image_2/*_10.png", "image_3", "calib/{}.txt")],
    "KITTI 2012": [("kitti2012-stereo/training/image_0/*_10.png", "image_1", "calib/{}.txt")],
    "KITTI 2012, more": [("kitti2012-more/image_0/*.png", "image_1", "assumed-calib.txt")],
    "KITTI odometry 05, 06, 07": [
        (f"sequences/kitti-odometry-{name}/*.png", right, "calib.txt") for name, right in (
            ("05/image_2", "image_3"), ("06-gray/image_0", "image_1"), ("07/image_2", "image_3"))]}

# Programs of the tests, and the file for the two lines of CSV that each prints.
TESTS = {"check_satdp_exhaustive": "optimal-small.csv", "check_fulldp_sum": "fulldp-sum.csv"}


# ---- Measuring -------------------------------------------------------------------------------

def frames_of(parts):
    """The options of every frame there is."""
    root = pathlib.Path(os.environ.get("STX_DATA", FOLDER.parents[2] / "shared/data")).resolve()
    for pattern, right, calibration in parts:
        for left in sorted(root.glob(pattern)):
            folder = left.parents[1]
            yield ["--left", left, "--right", folder / right / left.name, "--calibration",
                   folder / calibration.format(left.stem.split("_")[0])]


def count(program, data, cell, frames):
    row = {"data": data, "cell": cell, "frames": 0, "columns": 0, "stixels": 0, "one_changed": 0,
           "one_changed_most": 0, "any_changed": 0, "any_changed_most": 0, "excess": 0, "energy": 0,
           "sky_below": 0, "sky_below_least": 0}
    for options in frames:
        found = json.loads(run(program, "column", "--column", "all", "--json", "--cell", cell,
                               *options))
        for key in ("frames", "columns", "stixels", "excess", "energy"):
            row[key] += found[key]
        for key in ("one_changed", "any_changed"):
            row[key] += found[key]["columns"]
            row[key + "_most"] = max(row[key + "_most"], found[key]["most"])
        row["sky_below"] += found["sky_below_horizon"]
        row["sky_below_least"] += found["sky_below_horizon_least"]
    return {key: f"{value:.2f}" if isinstance(value, float) else value
            for key, value in row.items()}


def measure(programs):
    """Writes optimal.csv, and if the tests are built what they print."""
    program = pathlib.Path(programs) / "stx-eval"
    sources = {STREET: [["--seed", 1, "--streets", 10, "--frame", 20, "--frames", 4]]}
    sources.update({data: list(frames_of(parts)) for data, parts in PICTURES.items()})
    write("optimal.csv", [count(program, data, cell, frames) for data, frames in sources.items()
                          if frames for cell in (8, 4)])
    for test, name in TESTS.items():
        path = pathlib.Path(programs).parent / "tests/common" / test
        if path.exists():
            said = run(path).splitlines()
            start = next(i for i, line in enumerate(said) if line.startswith("columns,"))
            write(name, list(csv.DictReader(said[start:start + 2])))


# ---- Tables ----------------------------------------------------------------------------------

def tables():
    """Of evaluation.md."""
    lines = [["data", "cells", "columns", "one stixel changed", "by up to", "any segmentation",
              "by up to", "above the least in all"]]
    for row in read("optimal.csv"):
        share = 100 * float(row["excess"]) / float(row["energy"])
        lines.append([row["data"], f'{row["cell"]}×{row["cell"]}', row["columns"],
                      row["one_changed"], f'{float(row["one_changed_most"]):.2f} nats',
                      row["any_changed"], f'{float(row["any_changed_most"]):.2f} nats',
                      f"{share:.4f} %"])
    for row in read("optimal-small.csv"):
        lines.append(["small random columns", "1 to 8 rows", row["columns"], "", "",
                      row["above_least"], f'{float(row["largest_gap"]):.2f} nats', ""])
    return table("optimal", lines, 2)


def satdp_tables():
    """Of algorithms/satdp.md."""
    lines = [["data", "cells", "stixels", "sky that ends below the horizon",
              "where the energy is least"]]
    lines += [[row["data"], f'{row["cell"]}×{row["cell"]}', row["stixels"], row["sky_below"],
               row["sky_below_least"]] for row in read("optimal.csv")]
    (small,) = read("optimal-small.csv")
    weights = [["small columns", "least energy off by more than .01 nats and 1 %", "by at most"],
               ["1 to 8 rows", f'{small["one_percent_off"]} of {small["columns"]}',
                f'{float(small["largest_error"]):.3f} nats']]
    return table("sky-below", lines, 2) + table("weights", weights, 1)


def fulldp_tables():
    """Of algorithms/fulldp.md."""
    (row,) = read("fulldp-sum.csv")
    return table("sum", [
        ["street 412×155, 4×4", "columns", "others with the sum", "cells", "off by, mean",
         "at most"],
        ["four frames", row["columns"], row["different"], row["cells"],
         f'{float(row["mean_nats"]):.3f} nats', f'{float(row["most_nats"]):.3f} nats']], 1)
