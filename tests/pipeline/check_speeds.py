#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Speeds that stereo-stixels obstacles=true tells with nothing else set, of things that stand.

On the synthetic street, and on KITTI's sequences of standing streets in $STX_DATA or
../shared/data: the speeds relative to the camera, less those that the poses give the camera, are
below 1.5 m/s. Most obstacles have speeds, with standard deviations. With motion=false few have, and
no wrong ones. Ids are seen in 4 of 10 frames or more in the median.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("STX_DATA", ROOT.parent / "shared/data")) / "sequences"
SEQUENCES = {  # left and right pictures; the left camera's number in calib.txt
    "kitti-odometry-05": ("image_2", "image_3", 2),
    "kitti-odometry-06-gray": ("image_0", "image_1", 0),
    "kitti-odometry-07": ("image_2", "image_3", 2)}
WALKER = "kitti-odometry-07", 740, 840  # pixels: there somebody walks
WRONG = 1.5  # m/s
FRAMES = 12  # of the street
LIFE = 5  # of 10 frames: gray pictures; 8 and 10 elsewhere
BIN = "stereo-stixels name=all obstacles=true output=json"


def lines_of(properties, *sources):
    """The lines of JSON of the bin."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "lines")
        line = f"{BIN} {properties} ! filesink location={out} {' '.join(sources)}"
        subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True, timeout=300)
        return [json.loads(line) for line in out.read_text().splitlines()]


def street():
    """Its camera goes straight ahead, a metre a frame."""
    sources = [f"street-scene-src seed=11 num-buffers={FRAMES} view={eye} ! "
               f"video/x-raw,width=1242,height=375,framerate=10/1 ! all.sink_{eye}"
               for eye in ("left", "right")]
    poses = np.tile(np.eye(3, 4), (FRAMES, 1, 1))
    poses[:, 2, 3] = np.arange(FRAMES)
    return "", sources, poses, 10


def sequence(name):
    left, right, pair = SEQUENCES[name]
    folder = DATA / name
    rate = 1 / np.median(np.diff(np.loadtxt(folder / "times.txt")))
    sources = [f"multifilesrc location={folder / eye}/%06d.png "
               f"caps=image/png,framerate={round(1000 * rate)}/1000 ! pngdec ! all.{pad}"
               for eye, pad in ((left, "sink_left"), (right, "sink_right"))]
    poses = np.loadtxt(folder / "poses.txt").reshape(-1, 3, 4)
    return f"calibration={folder / 'calib.txt'} calibration-pair={pair}", sources, poses, rate


def over_ground(obstacle, before, now, rate):
    """The speeds that are told, ahead and to the right, without the camera's between two poses."""
    metres = obstacle["metres"]
    place = np.array([metres["x"], metres["y"] - metres["height"] / 2, metres["z"]])
    world = now[:, :3] @ place + now[:, 3]
    own = (place - before[:, :3].T @ (world - before[:, 3])) * rate
    told = obstacle["closing_speed"], obstacle["lateral_speed"]
    return [sign * speed - away for sign, speed, away in zip((-1, 1), told, own[[2, 0]])
            if speed is not None]


def moves(name, obstacle):
    """Whether it is one of the cars of the street that move, by its own word, or the walker."""
    box = obstacle["box"]
    return (name == "street" and obstacle["velocity"]["state"] in ("moving", "oncoming")
            or name == WALKER[0] and box["left"] < WALKER[2] and box["right"] > WALKER[1])


def life(lines):
    """In how many of ten frames an id is seen in the median; each ten are counted anew."""
    seen = collections.Counter((i // 10, obstacle["id"]) for i, line in enumerate(lines)
                               for obstacle in line["obstacles"] if obstacle["id"])
    return np.median(list(seen.values()))


def check(name, extra=""):
    """Whether no speed of a standing thing is wrong; the share of those that have both speeds."""
    properties, sources, poses, rate = street() if name == "street" else sequence(name)
    lines = lines_of(f"{properties} {extra}", *sources)
    every = told = wrong = bare = 0
    for i, line in enumerate(lines[1:], 1):
        for obstacle in line["obstacles"]:
            if moves(name, obstacle):
                continue
            speeds = over_ground(obstacle, poses[i - 1], poses[i], rate)
            every += 1
            told += len(speeds) == 2
            bare += len(speeds) == 2 and obstacle["lateral_speed_deviation"] is None
            if any(abs(speed) > WRONG for speed in speeds):
                wrong += 1
                print(f"frame {i}: {speeds} over ground, {obstacle}")
    lived = life(lines)
    print(f"{name} {extra}: {len(lines)} frames, {every} standing obstacles, {told} with both "
          f"speeds, {wrong} wrong, {bare} without a deviation; ids live {lived:g} frames")
    good = extra or bare == 0 and (name == "street" or lived >= LIFE)
    return len(lines) == len(poses) and wrong == 0 and good, told / max(every, 1)


def main():
    good = True
    for name in ("street", *SEQUENCES):
        if name != "street" and not (DATA / name).exists():
            print(f"{name}: not there, skipped")
            continue
        right, share = check(name)
        good = good and right and share > .7
        if name != "street":
            good = check(name, "motion=false")[0] and good
    sys.exit(0 if good else "FAILED: see above")


if __name__ == "__main__":
    main()
