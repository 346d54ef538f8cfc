# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of make-plots.py for figures on README.md and on pages without plots."""
import json
import math
import os
import pathlib
import re
import subprocess
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


def sei_rows():
    """Bytes of stixel-sei's messages, as it says them in its log; GST_PLUGIN_PATH names the plugin.
    None where there is no data."""
    sequences, rows = data_folder() / "sequences", []
    streets = {"street": ["", [f"street-scene-src view={view} num-buffers=10"
                               for view in ("left", "right")]]}
    for name, images, count in (("05", (2, 3), 10), ("06-gray", (0, 1), 20)):
        folder = sequences / f"kitti-odometry-{name}"
        streets[f"KITTI odometry {name[:2]}"] = [f"calibration={folder}/calib.txt", [
            f"multifilesrc location={folder}/image_{image}/%06d.png stop-index={count - 1} "
            "caps=image/png,framerate=10/1 ! pngdec ! videoconvert ! video/x-raw,format=I420"
            for image in images]]
    for name, (camera, views) in streets.items() if sequences.exists() else ():
        row = {"data": name}
        for parts, options in (("all", "obstacles=true"), ("stixels", "motion=false")):
            for exact in ("true", "false"):
                line = (f"{views[0]} ! s.sink_left {views[1]} ! s.sink_right stereo-stixels name=s "
                        f"{options} {camera} ! videoconvert ! x264enc speed-preset=ultrafast "
                        f"! stixel-sei exact={exact} ! fakesink")
                told = subprocess.run(
                    ["gst-launch-1.0", "-q", *line.split()], text=True, check=True,
                    capture_output=True,
                    env={**os.environ, "GST_DEBUG_NO_COLOR": "1", "GST_DEBUG": "stixel-sei:6"})
                sizes = [[int(number) for number in found] for found in re.findall(
                    r"(\d+) bytes of metas in a unit of (\d+)", told.stderr)]
                row |= {"frames": len(sizes), f"{parts}_memory": sum(s for s, _ in sizes),
                        f"{parts}_exact_{exact}": sum(s for _, s in sizes)}
        rows.append(row)
    return rows


def measure(programs):
    for name, rows in (("scans.csv", scan_rows(programs)), ("sei.csv", sei_rows())):
        if rows:
            write(name, rows)


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


def messages():
    """Bytes of messages in video."""
    lines = [["frames", "all metas", "exact", "rounded", "stixels alone", "exact", "rounded"]]
    lines += [[f"{row['data']}, {row['frames']}",
               *(f"{float(row[f'{parts}_{how}']) / int(row['frames']):.0f}" for parts in (
                   "all", "stixels") for how in ("memory", "exact_true", "exact_false"))]
              for row in read("sei.csv")]
    return table("messages", lines, 1)


def blocks():
    return (stixel_quality() + ground_quality() + scans() + packets() + messages() +
            speed.blocks() +
            table("gpu-model", gpu_model.lines(), 1) +
            table("gpu-published", gpu_model.published(), 2))
