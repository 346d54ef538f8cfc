#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stereo-stixels refine=apply: the right camera of a street is turned by half a degree halfway.

Three seconds later rows are level and stixels are as far away as before, compared with the true
disparities. Without refine they are not.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

WIDTH, HEIGHT, FOCAL, CX, CY, FPS = 512, 200, 300, 255.5, 90, 30
TURNED, END, HALF = 30, 135, 15  # frames; half a second
FOLDER = pathlib.Path(tempfile.mkdtemp())
PROJECTION = f"{FOCAL}, 0, {CX}, 0, 0, {FOCAL}, {CY}, 0, 0, 0, 1, 0"


def launch(line):
    result = subprocess.run(["gst-launch-1.0", "-m", *line.split()], cwd=FOLDER, text=True,
                            capture_output=True, timeout=300)
    if result.returncode:
        sys.exit(f"{line}\n{result.stdout[-3000:]}{result.stderr}")
    return result.stdout


def street(view, first=0, end=END, bits="GRAY8"):
    return (f"street-scene-src terrain=flat seed=5 view={view} first-frame={first} "
            f"num-buffers={end - first} calibration=calib.txt ! video/x-raw,format={bits},"
            f"width={WIDTH},height={HEIGHT},framerate={FPS}/1")


def write_files(pitch, roll):
    """The rectified pair's file, and one that turns a right view as if the camera were turned."""
    k = PROJECTION.replace(",", "")
    (FOLDER / "calib.txt").write_text(
        f"P0: {k}\nP1: {k.replace(' 0 0 ', f' {-.54 * FOCAL} 0 ', 1)}\n")
    x, z = np.radians(pitch), np.radians(roll)
    turn = np.array([[1, 0, 0], [0, np.cos(x), -np.sin(x)], [0, np.sin(x), np.cos(x)]]) @ np.array(
        [[np.cos(z), -np.sin(z), 0], [np.sin(z), np.cos(z), 0], [0, 0, 1]])
    square, eye = f"[{FOCAL}, 0, {CX}, 0, {FOCAL}, {CY}, 0, 0, 1]", "[1, 0, 0, 0, 1, 0, 0, 0, 1]"
    numbers = {"K1": square, "K2": square, "D1": "[0, 0, 0, 0]", "D2": "[0, 0, 0, 0]", "R": eye,
               "T": "[-0.54, 0, 0]", "R1": eye, "R2": str(turn.ravel().tolist()),
               "P1": f"[{PROJECTION}]",
               "P2": f"[{PROJECTION.replace(', 0, 0, ', f', {-.54 * FOCAL}, 0, ', 1)}]"}
    (FOLDER / "turn.yml").write_text("\n".join([
        "%YAML:1.0", "---", f"image_size: [{WIDTH}, {HEIGHT}]",
        *(f"{key}: {value}" for key, value in numbers.items())]) + "\n")


def drive():
    """Runs the bin with and without refine over the same frames; what was told."""
    bins = [f"stereo-stixels name={mode} calibration=calib.txt refine={mode} output=stixels "
            f"! stixel-json metres=false ! filesink location={mode}.jsonl "
            f"left. ! queue ! {mode}.sink_left right. ! queue ! {mode}.sink_right"
            for mode in ("off", "apply")]
    return launch(
        f"{street('left')} ! tee name=left concat name=both ! tee name=right "
        f"{street('right', end=TURNED)} ! both. {street('right', TURNED)} ! turn.sink_right "
        "stereo-rectify name=turn calibration=turn.yml turn.src_right ! queue ! both. "
        + " ".join(bins))


def distance_errors(mode, true):
    """The median error of objects up to 40 m in half a second before the turn, and at the end."""
    frames = [json.loads(line) for line in (FOLDER / f"{mode}.jsonl").read_text().splitlines()]
    assert len(frames) == END, f"{len(frames)} frames"
    for end, maps in true.items():
        errors = []
        for frame, map_of in zip(frames[end - HALF:end], maps):
            near = [(map_of[(s["top"] + s["bottom"]) // 2, s["column"] * frame["stixel_width"] + 4],
                     (s["disparity_top"] + s["disparity_bottom"]) / 2)
                    for s in frame["stixels"] if s["kind"] == "object"]
            errors += [abs(truth / max(found, .1) - 1) for truth, found in near
                       if truth > .54 * FOCAL / 40]
        yield float(np.median(errors))


def true_maps(end):
    """The disparities of half a second."""
    launch(f"{street('disparity', end - HALF, end, 'GRAY16_LE')} ! filesink location=true.raw")
    return np.fromfile(FOLDER / "true.raw", "<u2").reshape(HALF, HEIGHT, WIDTH) / 256


def main():
    write_files(.4, -.3)
    true = {end: true_maps(end) for end in (TURNED, END)}
    told = drive()
    (before, left), (same, after) = (distance_errors(mode, true) for mode in ("off", "apply"))
    print(f"distances off by {100 * before:.1f} % before the turn; 3.5 s after it "
          f"{100 * left:.1f} %, with refine=apply {100 * after:.1f} %")
    assert same == before, "what is right has been changed"
    assert before < .04 and left > 3 * before and after < 1.3 * before, "not as it should be"
    last = [line for line in told.splitlines() if "stereo-rectify-drift" in line][-1]
    for name, angle in ("pitch", -.4), ("roll", .3):
        applied = float(re.search(rf"applied-{name}=\(double\)([^,;]+)", last)[1])
        assert abs(applied - angle) < .05, last


if __name__ == "__main__":
    try:
        main()
    finally:
        for name in os.listdir(FOLDER):
            (FOLDER / name).unlink()
        FOLDER.rmdir()
