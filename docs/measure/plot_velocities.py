# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of plot_quality.py for velocities of obstacles: no times, nothing of the machine."""
from plot_motion import SEQUENCES
from plots import data_folder, read, table, write

MOTIONS = ("none", "video")
SCENES = ("street", "turns", "braking", "oncoming", "crossing", "occlusions", "rain")
KEPT = 11  # parameters were chosen on streets 1 to 4
ALL = "all"
SAID = ("said", "off_1_5", "off_3")


def digits(value):
    return "" if value is None else f"{value:.5f}"


def folders():
    return {name: data_folder() / "sequences" / folder for name, folder in SEQUENCES.items()
            if (data_folder() / "sequences" / folder).exists()}


def sequence_rows(evaluate, programs, name, folder, motion):
    """One row for each range of distances, and one for all."""
    found = evaluate(programs, "obstacles", "--sequence", folder, "--motion", motion)
    return [{"data": name, "motion": motion, "range": row["range"], "standing": row["standing"],
             **{f"{kind}_{key}": digits(row[kind][key])
                for kind in ("closing", "lateral") for key in SAID},
             **{key: digits(found[key]) if row["range"] == ALL else ""
                for key in ("life", "life_of_most", "stay", "stixels_known", "stixels_off_1_5")}}
            for row in found["speeds"]]


def scene_row(found, name):
    motion, of_all = found["motion"], found[ALL]
    speeds, states = motion["speeds"], motion["states"]
    return {"scene": name, "standing": speeds["standing"], "moving": of_all["moving"],
            "id_changes": of_all["id_changes"],
            **{f"{kind}_{key}": digits(speeds[kind][key])
               for kind in ("closing", "lateral") for key in SAID},
            **{f"{state}_right": digits(states[state]["right"])
               for state in ("standing", "moving", "oncoming")},
            **{key: digits(of_all[key]) for key in (
                "moving_speed_median", "id_kept", "contact_median")}}


def measure_scenes(evaluate, programs):
    write("velocities-scenes.csv", [
        scene_row(evaluate(programs, "obstacles", "--scene", name, "--seed", KEPT,
                           "--motion", "video"), name) for name in SCENES])


def measure(evaluate, programs):
    measure_scenes(evaluate, programs)
    rows = [row for name, folder in folders().items() for motion in MOTIONS
            for row in sequence_rows(evaluate, programs, name, folder, motion)]
    if rows:
        write("velocities.csv", rows)


def sample(evaluate, programs):
    """Rows that the test measures again."""
    there = folders()
    name = "KITTI odometry 05"
    return {"velocities.csv": sequence_rows(evaluate, programs, name, there[name], "video")
                              if name in there else []}


# ---- Tables ----------------------------------------------------------------------------------

def number(text, factor=100, places=1):
    return f"{factor * float(text):.{places}f}" if text else "–"


def cells(row):
    return [row["standing"], *(number(row[f"{kind}_{key}"])
                               for kind in ("closing", "lateral") for key in SAID[:2])]


HEAD = ["standing", *(f"{kind}: {what}" for kind in ("closing", "lateral")
                      for what in ("said, %", "> 1.5 m/s, %"))]


def sequences():
    rows = [row for row in read("velocities.csv") if row["range"] == ALL]
    lines = [["", "motion", *HEAD, "ids live, frames of 10", "ids seen in 7 frames, %",
              "stixels known, %"]]
    lines += [[row["data"], row["motion"], *cells(row), number(row["life"], 1, 0),
               number(row["stay"]), number(row["stixels_known"])] for row in rows]
    return table("velocities", lines, 2)


def scenes():
    lines = [["scene", "standing", "closing > 1.5, > 3 m/s, %", "lateral > 1.5, > 3 m/s, %",
              "moving", "off by, median, m/s", "id kept, %", "ids changed",
              "time to contact off by, %", "state right, %: standing, moving, oncoming"]]
    for row in read("velocities-scenes.csv"):
        pairs = [", ".join(number(row[f"{kind}_{key}"]) for key in SAID[1:])
                 for kind in ("closing", "lateral")]
        states = ", ".join(number(row[f"{state}_right"])
                           for state in ("standing", "moving", "oncoming"))
        lines.append([row["scene"], row["standing"], *pairs, row["moving"],
                      number(row["moving_speed_median"], 1, 2), number(row["id_kept"]),
                      row["id_changes"], number(row["contact_median"]), states])
    return table("velocities-scenes", lines, 1)


def tables():
    return sequences() + scenes()
