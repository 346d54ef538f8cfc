# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of plot_quality.py for occupancy grids: no times, nothing of the machine."""
from plots import data_folder, read, table, write

SEQUENCE = "KITTI odometry 05"
FOLDER = "kitti-odometry-05"
CAMERA = "semantickitti/sequences/04/calib.txt"  # of the same camera, with the scanner's place
STREETS = range(11, 15)  # on which nothing was tuned
KINDS = ("ground", "road", "thing")
MOTIONS = {"given": "over time", "alone": "each frame alone"}


def row_of(evaluate, programs, data, source, motion, *options):
    found = evaluate(programs, "occupancy", "--motion", motion, *options)
    return {"data": data, "source": source, "motion": motion, "frames": found["frames"],
            **{f"{kind}_{key}": f"{found[kind][key]:.5f}" if key != "cells" else found[kind][key]
               for kind in KINDS for key in ("cells", "free", "occupied")}}


def sequence_rows(evaluate, programs, sources=("stereo", "LiDAR"), motions=tuple(MOTIONS)):
    folder, camera = data_folder() / "sequences" / FOLDER, data_folder() / CAMERA
    if not folder.exists() or not camera.exists():
        return []
    return [row_of(evaluate, programs, SEQUENCE, source, motion, "--sequence", folder,
                   "--calibration", camera, *(("--scans",) if source == "LiDAR" else ()))
            for source in sources for motion in motions]


def street_row(evaluate, programs, seed, motion):
    return row_of(evaluate, programs, f"street {seed}", "stereo", motion, "--seed", seed,
                  "--frames", 20)


def measure(evaluate, programs):
    write("occupancy.csv", sequence_rows(evaluate, programs) + [
        street_row(evaluate, programs, seed, motion) for seed in STREETS for motion in MOTIONS])


def sample(evaluate, programs):
    """Rows that the test measures again."""
    return {"occupancy.csv": sequence_rows(evaluate, programs, ("stereo",), ("given",))}


# ---- Tables ----------------------------------------------------------------------------------

def line(name, rows):
    """Returns a line of the table: the mean of several rows over their cells."""
    cells = {kind: [int(row[f"{kind}_cells"]) for row in rows] for kind in KINDS}

    def share(kind, key):
        parts = zip(cells[kind], (float(row[f"{kind}_{key}"]) for row in rows))
        return f"{100 * sum(n * part for n, part in parts) / sum(cells[kind]):.1f}"
    return [name, MOTIONS[rows[0]["motion"]], share("ground", "free"), share("ground", "occupied"),
            share("road", "occupied"), share("thing", "occupied"), share("thing", "free")]


def tables():
    groups = {}
    for row in read("occupancy.csv"):
        name = ("synthetic streets" if row["data"].startswith("street") else row["data"])
        groups.setdefault((f'{name}, {row["source"]}', row["motion"]), []).append(row)
    lines = [["", "", "ground: free", "occupied", "labelled road: occupied", "things: occupied",
              "free"]]
    lines += [line(name, rows) for (name, _), rows in groups.items()]
    return table("occupancy", lines, 2)
