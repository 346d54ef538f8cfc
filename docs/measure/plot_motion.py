# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of plot_quality.py for the camera's own motion: no times, nothing of the machine."""
from plots import data_folder, read, table, write

LENGTHS = (2, 5, 10, 20)  # frames
SEQUENCES = {"KITTI odometry 05": "kitti-odometry-05", "07": "kitti-odometry-07",
             "06, gray": "kitti-odometry-06-gray"}


def sources():
    """{name: options of stx-eval motion}."""
    found = {"street": ("--seed", 11, "--seeds", 4, "--frames", 20),
             "street, true disparities": ("--perfect", "--seed", 11, "--seeds", 4, "--frames", 20)}
    for name, folder in SEQUENCES.items():
        path = data_folder() / "sequences" / folder
        found.update({name: ("--sequence", path)} if path.exists() else {})
    if "06, gray" in found:
        found["06, gray, from frame 12 on"] = (*found["06, gray"], "--first", 12)
    return found


def row(evaluate, programs, name, options):
    total = evaluate(programs, "motion", *options)
    pieces = {piece.get("frames"): piece for piece in total["lengths"]}
    return {"data": name, **{key: total[key] for key in ("frames", "known")},
            **{key: f"{total[key]:.5f}" for key in (
                "points", "agree", "turn_over_deviation", "shift_over_deviation", "uneven_found",
                "uneven_true")},
            **{f"{key}_{length}": f"{pieces[length][key]:.6f}" if length in pieces else ""
               for length in LENGTHS for key in ("translation", "degrees_per_metre")}}


def measure(evaluate, programs):
    write("motion.csv", [row(evaluate, programs, *source) for source in sources().items()])


def sample(evaluate, programs):
    """Rows that the test measures again."""
    return {"motion.csv": [row(evaluate, programs, name, options)
                           for name, options in sources().items() if name == "KITTI odometry 05"]}


def cell(row_of, key, length, factor, places):
    value = row_of[f"{key}_{length}"]
    return f"{factor * float(value):.{places}f}" if value else "–"


def tables():
    lines = [["", "frames", "points", "agree, %",
              *(f"off by, %: {length} frames" for length in (2, 10, 20)),
              *(f"°/m: {length} frames" for length in (2, 10, 20)),
              "turn, shift off by, of the deviation given", "uneven by, mm: found, true"]]
    for found in read("motion.csv"):
        lines.append([found["data"], found["frames"], f"{float(found['points']):.0f}",
                      f"{100 * float(found['agree']):.1f}",
                      *(cell(found, "translation", length, 100, 2) for length in (2, 10, 20)),
                      *(cell(found, "degrees_per_metre", length, 1, 4) for length in (2, 10, 20)),
                      f"{float(found['turn_over_deviation']):.1f}, "
                      f"{float(found['shift_over_deviation']):.1f}",
                      f"{1e3 * float(found['uneven_found']):.1f}, "
                      f"{1e3 * float(found['uneven_true']):.1f}"])
    return table("motion", lines, 1)
