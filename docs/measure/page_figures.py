# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of make-plots.py for figures on README.md and on pages without plots."""
import json
import math
import pathlib
import sys

import gpu_model
import plot_stixels
import speed
from plots import FOLDER, data_folder, read, run, sentences, table, write

SHARES = ("ground_as_ground", "object_as_object", "distance_median", "distance_90",
          "distance_far_off")
METRES = ("metres_median", "metres_90")
PACKET = 1400 - 12 - 8  # bytes of a record in one: without the heads of RTP and of rtpgstpay


# ---- Measuring -------------------------------------------------------------------------------

def scan_rows(programs):
    """Stixels against labelled scans, all points and by range; none where there is no data."""
    folder = data_folder() / "semantickitti"
    if not folder.exists():
        return []
    total = json.loads(run(pathlib.Path(programs) / "stx-eval", "--scans", folder, "--masks",
                           FOLDER.parent / "measure/masks/semantickitti.json", "--json"))["total"]
    seen, rows = total["seen"], []
    starts = [part["from"] for part in seen["ranges"]]
    names = [f"{start:.0f} to {end:.0f} m" for start, end in zip(starts, starts[1:])]
    for name, part in (("all", seen), *zip(names, seen["ranges"])):
        whole = {"frames": total["frames"], "sky_as_sky": seen["sky_as_sky"],
                 "sky_as_near": seen["sky_as_near"],
                 "ground_as_object": seen["kinds"]["ground"]["object"],
                 "object_as_ground": seen["kinds"]["object"]["ground"]}
        rows.append({"range": name, "points": part["points"],
                     **{key: part[key] for key in (*SHARES, *METRES)},
                     **{key: value if name == "all" else "" for key, value in whole.items()}})
    return rows


def measure(programs):
    rows = scan_rows(programs)
    if rows:
        write("scans.csv", rows)


# ---- Blocks of the pages ---------------------------------------------------------------------

def percent(value, digits):
    return f"{100 * float(value):.{digits}f} %"


def stixels(**wanted):
    """A row of the comparison with the default settings, on frames of KITTI 2015 or others."""
    wanted = {"data": "KITTI 2015", "settings": "defaults", "labels": "none", "model": "gaussian",
              **wanted}
    return next(row for row in read("stixels-comparison.csv")
                if all(row[key] == value for key, value in wanted.items()))


def stixel_quality():
    large, small = stixels(cell="8"), stixels(cell="4")

    return sentences("stixel-quality", f"""
        On {large["frames"]} frames of KITTI 2015, {percent(large["input_and"], 2)} of
        `stereo-sgm`'s disparities are wrong (non-occluded, holes filled as the KITTI kit does);
        rendered back from the stixels, {percent(large["error_and"], 2)} at
        {float(large["pixels_per_stixel"]):.0f} pixels per stixel (8×8 cells) and
        {percent(small["error_and"], 2)} at {float(small["pixels_per_stixel"]):.0f} (4×4).""")


def ground_quality():
    row = next(row for row in read("lidar-quality.csv")
               if (row["experiment"], row["value"]) == ("bins", "120"))
    return sentences("ground-f1", f"""
        `lidar-ground` finds the ground of {read("scans.csv")[0]["frames"]} scans of SemanticKITTI
        with an F1 of {float(row["f1_mean"]):.1f} % on average and {float(row["f1_worst"]):.1f} % at
        worst (vegetation not counted: protocol B).""")


def scans():
    """Stixels compared with the points of scans."""
    rows = read("scans.csv")
    lines = [["points", "of them", "ground as ground", "objects as objects",
              "distance off by, median", "nine in ten", "over 10 %", "in metres, median",
              "nine in ten"]]
    for row in rows:
        lines.append([row["range"], row["points"], *(percent(row[key], 1) for key in SHARES),
                      *(f"{float(row[key]):.2f}" for key in METRES)])
    whole = {key: percent(value, 1) for key, value in rows[0].items() if "_as_" in key}
    return table("scans", lines, 1) + sentences("scans-sky", f"""
        {whole["ground_as_object"]} of the ground are seen as objects, {whole["object_as_ground"]}
        of the objects as ground. Where sky is certain, {whole["sky_as_sky"]} are seen as sky
        and
        {whole["sky_as_near"]} as an object nearer than 100 m. Beyond 50 m no point has a
        label.""")


def packets():
    """Packets of RTP for frames of the street, and the share of frames that arrive whole."""
    lines = [["frame", "bytes", "packets", "Mbit/s at 10 frames/s",
              "whole if 1 in 1000 packets is lost"]]
    counted = [(f"stixels, {size}, {cell}×{cell}", 24 * float(stixels(
        data=data, cell=cell)["stixels_per_frame"]))
        for data, size in (("street", "1242×375"), (plot_stixels.LARGE, "2048×1024"))
        for cell in ("8", "4")]
    points = max(int(row["points"]) for row in read("lidar-times.csv")
                 if row["scans"] == "street, 64 beams")
    for name, size in (*counted, ("labels of a scan", 4 * points), ("scan", 16 * points)):
        count = math.ceil(size / PACKET)
        lines.append([name, f"{size:.0f}", str(count), f"{size * 80 / 1e6:.1f}",
                      percent(.999 ** count, 1)])
    return table("packets", lines, 1)


def blocks():
    return (stixel_quality() + ground_quality() + scans() + packets() + speed.blocks() +
            table("gpu-model", gpu_model.lines(), 1) +
            table("gpu-published", gpu_model.published(), 2))
