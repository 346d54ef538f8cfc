#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-rerun on the synthetic street: its file, read with Rerun's own reader, against the truth.

usage: check_rerun.py

Rerun and its NumPy are in the folder that STX_VIEWERS names (tests/packages.sh), or installed;
without them, or without GStreamer for Python, the test is skipped. No viewer is started.

  - every frame has all entities, at its time stamp;
  - seen through the camera of the file, boxes and scan lie where the street's depth says;
  - depths are those of the street; the picture is one of its size;
  - what cannot work ends in a message that names it.
"""
import os
import pathlib
import sys
import tempfile

if os.environ.get("STX_VIEWERS"):
    sys.path.insert(0, os.environ["STX_VIEWERS"])

import street

street.skip_without("gi", "numpy", "rerun")

import numpy as np  # noqa: E402
import rerun.chunk  # noqa: E402

PROGRAM = [sys.executable, street.EXAMPLES / "stx-rerun/stx-rerun.py"]
FOLDER = pathlib.Path(tempfile.mkdtemp())
FRAMES = 2
EVERY_FRAME = ("stixels", "obstacles", "camera/picture", "camera/depth", "lidar/scan")


def entities(path):
    """Returns the rows of each entity, as dictionaries in the order of time."""
    found = {}
    for chunk in rerun.chunk.RrdReader(str(path)).stream():
        table = chunk.to_record_batch()
        batch = {name: table.column(name).cast("int64").to_pylist() if name == "time"
                 else table.column(name).to_pylist()
                 for name in table.schema.names if name == "time" or ":" in name}
        for row in range(chunk.num_rows):
            found.setdefault(chunk.entity_path.removeprefix("/world/"), []).append(
                {name: values[row] for name, values in batch.items()})
    for rows in found.values():
        rows.sort(key=lambda row: row.get("time", 0))
    return found


def component(row, name):
    """A component of a row, of any archetype."""
    return next(value for key, value in row.items() if key.split(":")[-1] == name)


def pinhole_of(row):
    """focal length, cx and cy, from the centre of the first pixel."""
    matrix = np.reshape(component(row, "image_from_camera"), (3, 3))  # columns
    return matrix[0, 0], matrix[2, 0] - .5, matrix[2, 1] - .5


def true_at(depth, places, camera):
    """True distance where each place is seen; infinite: outside of the picture."""
    focal, cx, cy = camera
    ahead = places[:, 2] > .5
    z = np.where(ahead, places[:, 2], 1)
    u = np.rint(focal * places[:, 0] / z + cx).astype(int)
    v = np.rint(focal * places[:, 1] / z + cy).astype(int)
    inside = ahead & (u >= 0) & (u < street.WIDTH) & (v >= 0) & (v < street.HEIGHT)
    return np.where(inside, depth[np.where(inside, v, 0), np.where(inside, u, 0)], np.inf)


def expect_near(found, true, what, least, good):
    """Most of what is seen nearer than 40 m is as far as the truth says."""
    near = true < 40
    share = np.mean(np.abs(found[near] / true[near] - 1) < .05)
    print(f"{what}: {near.sum()} seen, {100 * share:.1f} % within 5 % of the truth")
    street.expect(near.sum() > least and share > good, f"{what}: see above")


def check_frame(found, number, depth):
    camera = pinhole_of(found["camera"][0])
    boxes = found["stixels"][number]
    centers = np.array(component(boxes, "centers"))
    half = np.array(component(boxes, "half_sizes"))
    street.expect(len(centers) == len(half) == len(component(boxes, "colors")), "boxes differ")
    upright = half[:, 2] < .06
    expect_near(centers[upright, 2], true_at(depth, centers[upright], camera),
                "stixels", 100, .8)
    lying = centers[~upright]
    expect_near(lying[:, 2], true_at(depth, lying, camera), "road", 100, .7)
    move = np.array(component(found["lidar"][0], "translation")).reshape(3)
    scan = np.array(component(found["lidar/scan"][number], "positions")) + move
    expect_near(scan[:, 2], true_at(depth, scan, camera), "scan", 5000, .9)
    image = np.frombuffer(bytes(np.array(component(found["camera/depth"][number], "buffer"),
                                         np.uint8)), "<u2").reshape(street.HEIGHT, street.WIDTH)
    known = (image > 0) & np.isfinite(depth)
    street.expect(np.abs(image[known] / 1000 - depth[known]).max() < .01 and known.mean() > .5,
                  "depths are not the street's")


def check_street():
    path = FOLDER / "street.rrd"
    street.run([*PROGRAM, "--frames", FRAMES, "--save", path], seconds=120)
    found = entities(path)
    for name in EVERY_FRAME:
        rows = found.get(name, [])
        street.expect(len(rows) == FRAMES, f"{name}: {len(rows)} of {FRAMES} frames")
        street.expect(rows[0]["time"] != rows[1]["time"], f"{name}: one time for all")
        street.expect(rows[1]["time"] == found["stixels"][1]["time"], f"{name}: another time")
    jpeg = bytes(np.array(component(found["camera/picture"][0], "blob"), np.uint8).ravel())
    street.expect(jpeg[:2] == b"\xff\xd8", "the picture is no JPEG")
    street.expect(len(component(found["obstacles"][0], "centers")) > 3, "few obstacles")
    disparity = street.view(FOLDER, "disparity", FRAMES, 0, "<u2") / 256
    for number in range(FRAMES):
        with np.errstate(divide="ignore"):
            check_frame(found, number, street.FOCAL * street.BASELINE / disparity[number])


def check_refusals():
    noise = "fakesrc num-buffers=1 sizetype=fixed sizemax=101"
    plain = ["--save", FOLDER / "x.rrd", *street.words("street-scene-src num-buffers=1")]
    drawn = street.words("street-scene-src num-buffers=1 ! overlay.sink " + street.stixels(1) +
                         " ! overlay.stixels stixel-overlay name=overlay")
    odd = pathlib.Path(FOLDER, "\udcff.rrd")
    for words, reason in ((["--frames", "0"], "at least 1"),
                          (plain, "without stixels"), (["--save", FOLDER, *plain[2:]], "directory"),
                          (["--save", odd, *plain[2:]], "utf-8"),
                          (["--scan", noise, *plain[:2], *drawn], "what comes as scan"),
                          (["--save", FOLDER / "x.rrd", "videotestsrc", "!", "nothing"], "nothing"),
                          (["--save", FOLDER / "none" / "x.rrd"], "none/x.rrd")):
        status = 2 if "at least" in reason else 1
        text = street.run([*PROGRAM, *words], status=status)
        street.expect(reason in text, f"{words}: no {reason} in {text}")


if __name__ == "__main__":
    check_street()
    check_refusals()
