# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of make-plots.py for the quality of the matcher, the road line and obstacles.

Everything is measured by stx-eval and does not depend on the machine: no times. A source that is
not there (KITTI's, without $STX_DATA) leaves no rows."""
import concurrent.futures
import importlib.util
import json
import math
import os
import pathlib
import statistics

import plot_calibration
import plot_motion
import plot_occupancy
import plot_stixels
import plot_velocities
from plots import FOLDER, data_folder, data_names, read, run, sentences, table, write

SCANS = "scans"
FULL, DIAGONALS = ("--search", "full"), ("--paths", 8)
DEFAULTS = "defaults: coarse to fine, 4 paths"
# The matcher's settings: name in the table, and stx-eval's options.
SETTINGS = {
    DEFAULTS: (),
    "8 paths": DIAGONALS,
    "`search=full`": FULL,
    "`search=full`, 8 paths": (*FULL, *DIAGONALS),
    "`max-disparity` 256": ("--max-disparity", 256),
    **{f"`{name}` {value}": (f"--{name}", value) for name, values in {
        "p1": (7, 15), "p2": (70, 96), "uniqueness": (5,), "lr-max-diff": (-1, 0, 2),
        "texture": (-1, 6, 12)}.items() for value in values},
    "`median` off": ("--no-median",),
    "`sky` off": ("--no-sky",),
    "`sky-cost` 0": ("--sky-cost", 0),
    "no confidence": ("--no-confidence",)}
NOT_ON_THE_PAGE = ("`p1` 7", "`p1` 15", "`p2` 70", "`p2` 96", "`lr-max-diff` 2", "`texture` 6")
SEEN = ("ground_as_ground", "object_as_object", "distance_far_off", "sky_as_sky", "sky_as_near")
GROUNDS = ("calibration", "estimate", "piecewise")
TERRAINS = ("flat", "gentle", "sloped", "hilly")
ROAD_SEEDS = range(11, 17)  # on which nothing was tuned
INPUTS = {"stereo": (), "true labels": ("--labels",), "true disparities": ("--perfect",),
          "LiDAR, 64 beams": ("--scans",)}
CAMERAS_AGAIN = ("hall_ir", "mb_adirondack", "zagreb_bb2")  # pairs that the test measures again


# ---- Measuring -------------------------------------------------------------------------------

def evaluate(programs, *options):
    return json.loads(run(pathlib.Path(programs) / "stx-eval", *options, "--json"))


def in_parallel(measure_one, keys):
    """Several programs at a time: none of them measures time."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda key: measure_one(*key), keys))


def sources():
    """{name: stx-eval's options}, the streets last."""
    found = {}
    for folder in plot_stixels.known_folders():
        name, _, words = folder.partition("=")
        path, _, camera = words.partition(",")
        found[name] = (path, "--calibration", camera) if camera else (path,)
    scans = data_folder() / "semantickitti"
    found.update({SCANS: ("--scans", scans)} if scans.exists() else {})
    return {**found, "street": ("--street", "--streets", 4, "--seed", 5)}


def digits(value):
    return "" if value is None else f"{value:.5f}"


def matcher_row(programs, setting, data, source):
    """Rates are 0 to 1; of scans there is no map of true disparities."""
    total = evaluate(programs, *source, *SETTINGS[setting])["total"]
    near = total["non_occluded"] or {}
    return {"setting": setting, "data": data, "frames": total["frames"],
            "density": digits(total["density"]),
            **{f"{what}_{rule}": digits(near.get(what, {}).get(f"error_{rule}"))
               for what in ("raw", "filled", "stixels") for rule in ("and", "or")},
            "pixels_per_stixel": f'{total["pixels_per_stixel"]:.1f}',
            "iou_kinds": digits((total["iou_kinds"] or {}).get("mean")),
            **{key: digits(total["seen"][key]) for key in SEEN}}


def masked():
    """(name, stx-eval's options) of what there are masks of."""
    names = {"KITTI 2012, more": "kitti2012-more", SCANS: "semantickitti"}
    return [(name, ("--masks", FOLDER.parent / f"measure/masks/{names[name]}.json", *source))
            for name, source in sources().items() if name in names]


def mask_rows(programs, name, options):
    """Both sizes of cells; of the frames that have masks."""
    drawn = json.loads(options[1].read_text())
    for cell in (8, 4):
        frames = [frame for frame in evaluate(programs, *options, "--cell", cell)["frames"]
                  if frame["name"] in drawn]
        row = {"data": name, "cell": cell, "frames": len(frames)}
        for area, kinds in (("sky", ("sky", "near")), ("wall", ("sky",))):
            pixels = [frame["seen"][area] for frame in frames]
            for kind in kinds:
                shares = [frame["seen"][f"{area}_as_{kind}"] or 0 for frame in frames]
                row[f"{area}_as_{kind}"] = digits(
                    sum(map(math.prod, zip(pixels, shares))) / max(sum(pixels), 1))
            row[area] = sum(pixels)
        yield row


def road_row(programs, data, ground, seed, options):
    total = evaluate(programs, *options, "--ground", ground)["total"]
    kinds = total["iou_kinds"]
    return {"data": data, "ground": ground, "seed": seed,
            "ratio_and": digits(total["non_occluded"]["ratio_and"]),
            "error_and": digits(total["non_occluded"]["stixels"]["error_and"]),
            "iou_ground": digits(kinds["each"][1] if kinds else None),
            "pixels_per_stixel": f'{total["pixels_per_stixel"]:.1f}'}


def road_keys():
    """Streets seed by seed, and folders with a camera's height."""
    streets = [(f"{terrain} street", ground, seed, (
        "--street", "--terrain", terrain, "--seed", seed, "--frames", 4))
        for terrain in TERRAINS for ground in GROUNDS for seed in ROAD_SEEDS]
    folders = [(name, ground, "", source) for name, source in sources().items()
               if name.startswith("KITTI") for ground in GROUNDS]
    return streets + folders


def obstacle_row(programs, seed, name):
    found = evaluate(programs, "obstacles", "--seed", seed, *INPUTS[name])
    return {"streets": f"{seed} to {seed + 3}", "input": name, "frames": found["frames"],
            **{key: found[key] for key in ("obstacles", "ghosts", "parts")},
            **{key: digits(found[key]) for key in ("precision", "strict_precision")},
            **{f"{kind}_{key}": digits(value) if key != "counted" else value
               for kind in ("all", "vehicles", "people") for key, value in found[kind].items()
               if not key.startswith("moving")}}


def hazard_rows(programs, seed):
    """The share of the street's small things and holes that is found, by height; false ones."""
    found = evaluate(programs, "hazards", "--seed", seed, "--seeds", 10)
    return [{"streets": f"{seed} to {seed + 9}", "frames": found["frames"],
             "false": found["false"], "other_kind": found["other-kind"], "height": size["height"],
             **{f'{key}_{part["to"]:.0f}': digits(part[key]) if key == "found" else part[key]
                for part in size["ranges"] for key in ("seen", "found")}}
            for size in found["sizes"]]


def real_hazard_row(programs, name, folders, options, confirm):
    """Reports in the lane of real frames, and those where nothing is known to be."""
    found = evaluate(programs, "hazards", "--known", FOLDER.parent / "measure/hazards-known.txt",
                     "--confirm", confirm, *options, *(data_folder() / f for f in folders))
    return {"frames": found["frames"], "of": name, "confirm": confirm,
            "reported": found["small-in-lane"] + found["holes-in-lane"], "false": found["false"]}


def measure_real_hazards(programs):
    more = data_folder() / "kitti2012-more"
    frames = [
        ("sequences", ("semantickitti/sequences/04", *(
            f"sequences/kitti-odometry-{n}" for n in ("05", "06-gray", "07"))), (), 2),
        ("single pictures", (more,), ("--calibration", more / "assumed-calib.txt"), 1)]
    frames.insert(1, (*frames[0][:3], 1))
    if more.exists():
        write("hazards-real.csv", in_parallel(
            lambda *key: real_hazard_row(programs, *key), frames))


def measure_hazards(programs):
    measure_real_hazards(programs)
    write("hazards.csv", hazard_rows(programs, 11))


def camera_rows(programs, only=()):
    """Pairs of other cameras through the build's plugin, without `only` with the mean and the worst
    tenth; none without data or NumPy."""
    if not importlib.util.find_spec("numpy"):
        return []
    import cameras
    os.environ["GST_PLUGIN_PATH_1_0"] = str(pathlib.Path(programs).resolve().parent / "gst")
    rows = cameras.rows(only)
    if rows and not only:
        total = cameras.totals(rows)
        rows += [{"pair": "mean", **total["mean"]}, {"pair": "worst tenth", **total["worst_tenth"]}]
    return [{"pair": row["pair"], **{key: digits(row.get(key)) for key in cameras.MEASURES}}
            for row in rows]


def measure(programs):
    """Writes cameras.csv, masks.csv, matcher.csv, roadline.csv, obstacles.csv, hazards.csv,
    hazards-real.csv, drift.csv, calibration.csv, motion.csv, occupancy.csv and velocities'."""
    write("masks.csv", [row for key in masked() for row in mask_rows(programs, *key)])
    measure_hazards(programs)
    rows = camera_rows(programs)
    if rows:
        write("cameras.csv", rows)
    plot_calibration.measure(programs)
    plot_motion.measure(evaluate, programs)
    plot_occupancy.measure(evaluate, programs)
    plot_velocities.measure(evaluate, programs)
    write("matcher.csv", in_parallel(lambda *key: matcher_row(programs, *key), [
        (setting, *source) for setting in SETTINGS for source in sources().items()]))
    write("roadline.csv", in_parallel(lambda *key: road_row(programs, *key), road_keys()))
    write("obstacles.csv", in_parallel(lambda *key: obstacle_row(programs, *key), [
        (seed, name) for seed in (1, 11) for name in INPUTS]))


def sample(programs):
    """Some rows as they are today, by file: what the test measures again."""
    there = sources()
    return {"matcher.csv": [matcher_row(programs, setting, data, there[data])
                            for setting, data in ((DEFAULTS, "street"),
                                                  ("`search=full`", "KITTI 2015"),
                                                  ("8 paths", "KITTI 2012")) if data in there],
            "roadline.csv": [road_row(programs, *key) for key in road_keys()
                             if key[:3] == ("hilly street", "piecewise", ROAD_SEEDS[0])],
            "obstacles.csv": [obstacle_row(programs, 11, "true disparities")
                              for _ in range(os.environ.get("STX_ENDURANCE") == "full")],
            "cameras.csv": camera_rows(programs, CAMERAS_AGAIN),
            **plot_motion.sample(evaluate, programs),
            **plot_occupancy.sample(evaluate, programs),
            **plot_velocities.sample(evaluate, programs)}


# ---- Tables of the pages ---------------------------------------------------------------------

def percent(row, *keys, places=1):
    return " / ".join(f"{100 * float(row[key]):.{places}f}" for key in keys)


def matcher():
    rows = read("matcher.csv")
    names = data_names(rows)
    lines = [["setting", *names]]
    for setting in data_names(rows, "setting"):
        if setting in NOT_ON_THE_PAGE:
            continue
        found = {row["data"]: row for row in rows if row["setting"] == setting}
        lines.append([setting, *(
            percent(found[name], "sky_as_sky", "sky_as_near", "distance_far_off") if name == SCANS
            else percent(found[name], "raw_and", "filled_and", "stixels_and", places=2)
            for name in names)])
    return table("matcher", lines, 1)


def masks():
    lines = [["data", "frames", "cells", "sky as sky", "sky as near object", "walls as sky"]]
    for row in read("masks.csv"):
        lines.append([row["data"], row["frames"], f"{row['cell']}×{row['cell']}",
                      percent(row, "sky_as_sky") + " %", percent(row, "sky_as_near") + " %",
                      percent(row, "wall_as_sky") + " %" if int(row["wall"]) else ""])
    return table("masks", lines, 1)


def roadline():
    """Mean of the seeds, and the one with the worst ground."""
    rows = read("roadline.csv")
    lines = [["ratio; IoU of ground, %: mean (worst)", *(f"`{ground}`" for ground in GROUNDS)]]
    for data in data_names(rows):
        cells = []
        for ground in GROUNDS:
            mine = [row for row in rows if (row["data"], row["ground"]) == (data, ground)]
            ratio = statistics.mean(float(row["ratio_and"]) for row in mine)
            overlap = [100 * float(row["iou_ground"]) for row in mine if row["iou_ground"]]
            worst = f" ({min(overlap):.1f})" if len(overlap) > 1 else ""
            cells.append(f"{ratio:.3f}" + (f"; {statistics.mean(overlap):.1f}{worst}"
                                           if overlap else ""))
        lines.append([data, *cells])
    return table("roadline", lines, 1)


OBSTACLES = (("recall, all, %", "all_recall"), ("vehicles", "vehicles_recall"),
             ("people", "people_recall"), ("possible, all, %", "all_possible"),
             ("vehicles", "vehicles_possible"), ("people", "people_possible"),
             ("precision, %", "precision"), ("strict", "strict_precision"),
             ("id kept, %", "all_id_kept"), ("distance off by, median, %", "all_distance_median"),
             ("mean", "all_distance_mean"), ("within 3 %", "all_distance_within_3_percent"))


def obstacles():
    rows = [row for row in read("obstacles.csv") if row["streets"] == "11 to 14"]
    lines = [["", *(row["input"] for row in rows)]]
    lines += [[name, *(percent(row, key) for row in rows)] for name, key in OBSTACLES]
    lines.append(["closing speed off by, m/s", *(
        f"{float(row['all_speed_error']):.2f}" if row["all_speed_error"] else "–"
        for row in rows)])
    return table("obstacles", lines, 1)


def hazards():
    rows = read("hazards.csv")
    lines = [["found, % (of)", *(f"from {low} to {low + 5} m" for low in (5, 10, 15))]]
    for row in rows:
        cm = round(100 * float(row["height"]))
        lines.append([f"{cm} cm high" if cm > 0 else f"{-cm} cm deep",
                      *(f'{percent(row, f"found_{to}", places=0)} ({row[f"seen_{to}"]})'
                        for to in (10, 15, 20))])
    lines.append([f'false, in {rows[0]["frames"]} frames', rows[0]["false"], "", ""])
    return table("hazards", lines, 1)


def real_hazards():
    lines = [["frames of KITTI", "`confirm`", "frames", "reported", "false"], *(
        [row["of"], *(row[key] for key in ("confirm", "frames", "reported", "false"))]
        for row in read("hazards-real.csv"))]
    return table("hazards-real", lines, 1)


def other_cameras():
    rows = read("cameras.csv")
    names = [name for name in rows[0] if name != "pair"]
    lines = [["%", *(name.replace("_", " ") for name in names)]]
    lines += [[row["pair"], *(percent(row, name) if row[name] else "" for name in names)]
              for row in rows if any(row[name] for name in names)]
    shares = [[float(row[name]) for name in names[:3] if row[name]] for row in rows[:-2]]
    right = [min(of_pair) >= .85 for of_pair in shares if of_pair]
    return table("cameras", lines, 1) + sentences("cameras-right", f"""
        {sum(right)} of {len(right)} pairs with a mask have 85 % or more of each kind right.""")


def tables():
    return (other_cameras() + masks() + matcher() + roadline() + obstacles() + hazards() +
            real_hazards() +
            plot_calibration.tables() + plot_motion.tables() + plot_occupancy.tables() +
            plot_velocities.tables())
