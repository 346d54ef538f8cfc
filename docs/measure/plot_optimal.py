# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of make-plots.py for what is optimal, in evaluation.md and algorithms/satdp.md: in how
many columns satdp's recurrence is above the least energy; and for Eq. 6 in algorithms/fulldp.md."""
import csv
import pathlib

import package
from plots import data_folder, read, run, table, write

STREET = "street, seeds 1 to 10"
# Files of $STX_DATA: left and right pictures, and a calibration, for all or of this frame.
PICTURES = {
    "KITTI 2015": [("kitti2015-stereo/training/image_2/*_10.png", "image_3", "calib/{}.txt")],
    "KITTI 2012": [("kitti2012-stereo/training/image_0/*_10.png", "image_1", "calib/{}.txt")],
    "KITTI 2012, more": [("kitti2012-more/image_0/*.png", "image_1", "assumed-calib.txt")],
    "KITTI odometry 05, 06, 07": [
        (f"sequences/kitti-odometry-{name}/*.png", right, "calib.txt") for name, right in (
            ("05/image_2", "image_3"), ("06-gray/image_0", "image_1"), ("07/image_2", "image_3"))]}

# Programs of the tests, and the file for the two lines of CSV that each prints.
TESTS = {"check_fulldp_sum": "fulldp-sum.csv"}


# ---- Measuring -------------------------------------------------------------------------------

def frames_of(parts):
    """The options of every frame there is."""
    for pattern, right, calibration in parts:
        for left in sorted(data_folder().glob(pattern)):
            folder = left.parents[1]
            yield ["--left", left, "--right", folder / right / left.name, "--calibration",
                   folder / calibration.format(left.stem.split("_")[0])]


def six_digits(number):
    return float(f"{number:.6g}")


def count(programs, data, cell, frames):
    """In how many columns other stixels would cost less: one changed, and any segmentation."""
    package.use(programs)
    import column
    row = {"data": data, "cell": cell, "frames": 0, "columns": 0, "stixels": 0, "one_changed": 0,
           "one_changed_most": 0.0, "any_changed": 0, "any_changed_most": 0.0, "excess": 0.0,
           "energy": 0.0, "sky_below": 0, "sky_below_least": 0}
    for options in frames:
        _, name, frame, explain = column.open_frame(list(map(str, ("--cell", cell, *options))))
        told = [explain(i) for i in range(frame.columns.data.shape[1])]
        gains = {"one_changed": [column.Story(name, frame, i, one).gain
                                 for i, one in enumerate(told)],
                 "any_changed": [one.energy - one.least for one in told]}
        row["frames"] += 1
        row["columns"] += len(told)
        row["stixels"] += sum(len(one.stixels) for one in told)
        row["energy"] += six_digits(sum(one.energy for one in told))
        row["excess"] += six_digits(sum(gains["any_changed"]))
        row["sky_below"] += sum(one.sky for one in told)
        row["sky_below_least"] += sum(one.least_sky for one in told)
        for key, each in gains.items():
            row[key] += sum(gain > 0 for gain in each)
            row[key + "_most"] = max(row[key + "_most"], six_digits(max(each)))
    return {key: f"{value:.3f}" if isinstance(value, float) else value
            for key, value in row.items()}


def said_by(programs, test):
    """The row that a program of the tests prints, or none if it is not built."""
    path = pathlib.Path(programs).parent / "tests/common" / test
    lines = run(path).splitlines() if path.exists() else []
    start = next((i for i, line in enumerate(lines) if line.startswith("columns,")), 0)
    return list(csv.DictReader(lines[start:start + 2]))


def measure(programs):
    """Writes optimal.csv, and if the tests are built what they print."""
    sources = {STREET: [["--seed", seed, "--frame", frame] for seed in range(1, 11)
                        for frame in range(20, 24)]}
    sources.update({data: list(frames_of(parts)) for data, parts in PICTURES.items()})
    write("optimal.csv", [count(programs, data, cell, frames) for data, frames in sources.items()
                          if frames for cell in (8, 4)])
    for test, name in TESTS.items():
        if rows := said_by(programs, test):
            write(name, rows)


def check(programs):
    """Some of it again: what is quick."""
    for test, name in TESTS.items():
        assert said_by(programs, test) in ([], read(name)), name
    frames = list(frames_of(PICTURES["KITTI 2015"]))
    now = count(programs, "KITTI 2015", 8, frames)
    assert not frames or {key: str(value) for key, value in now.items()} in read(
        "optimal.csv"), f"optimal.csv: today {now}"


# ---- Tables ----------------------------------------------------------------------------------

def optimal():
    lines = [["4×4 cells", "columns", "one stixel changed", "by up to", "any segmentation",
              "by up to", "above the least in all"]]
    for row in read("optimal.csv"):
        if row["cell"] == "8":
            continue
        share = 100 * float(row["excess"]) / float(row["energy"])
        lines.append([row["data"], row["columns"],
                      row["one_changed"], f'{row["one_changed_most"]} nats',
                      row["any_changed"], f'{row["any_changed_most"]} nats', f"{share:.4f} %"])
    return table("optimal", lines, 1)


def sky():
    head = ["4×4 cells", "stixels", "sky that ends below the horizon", "where the energy is least"]
    return table("sky-below", [head, *(
        [row["data"], row["stixels"], row["sky_below"], row["sky_below_least"]]
        for row in read("optimal.csv") if row["cell"] == "4")], 1)


def sums():
    (row,) = read("fulldp-sum.csv")
    return table("sum", [
        ["street 412×155, 4×4", "columns", "others with the sum", "cells", "off by, mean",
         "at most"],
        ["four frames", row["columns"], row["different"], row["cells"],
         f'{float(row["mean_nats"]):.3f} nats', f'{float(row["most_nats"]):.3f} nats']], 1)


def tables():
    """Blocks of evaluation.md, algorithms/satdp.md and algorithms/fulldp.md."""
    return optimal() + sky() + sums()
