#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads stixels with NumPy and prints one line per frame.

Lines of JSON know the camera, so distances come in metres:

  gst-launch-1.0 street-scene-src view=disparity num-buffers=3 ! downsample-transpose ! \\
      sat-dp-stixels ! stixel-json metres=false ! filesink location=stixels.jsonl
  python3 examples/read_stixels.py stixels.jsonl

Files of records, one per frame (multifilesink location=frame-%03d.stixels in place of the last
two elements), are smaller and have no camera. It is in a line of JSON of the same stream, or in
numbers; without it distances are pixels of disparity:

  python3 examples/read_stixels.py --camera stixels.jsonl frame-*.stixels
  python3 examples/read_stixels.py --focal 720 --baseline 0.54 frame-*.stixels

The record is described in docs/formats.md, the line in docs/elements/stixel-json.md.
"""
import argparse
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "shared"))

from records import KINDS, OBJECT, of_line, parse  # noqa: E402


def scale_of(focal, baseline):
    """Focal length · baseline; 0: unknown."""
    scale = (focal or 0) * (baseline or 0)
    if not 0 <= scale < np.inf:
        raise ValueError(f"focal length {focal}, baseline {baseline}: no numbers from 0 on")
    return scale


def parse_line(line, number=1):
    """The records of a line of JSON, and focal length · baseline in pixel metres (0: unknown)."""
    stixels, frame = of_line(line, number)
    camera = frame["camera"]
    try:
        return stixels, scale_of(camera.get("focal"), camera.get("baseline"))
    except (TypeError, ValueError) as error:
        raise ValueError(f"line {number}: {error}") from error


def check(stixels):
    """Raises ValueError unless every row of every column belongs to exactly one record."""
    column, top, bottom = (stixels[name].astype(int) for name in ("column", "top", "bottom"))
    steps = np.diff(column, prepend=-1)  # 1 where a column begins, else 0
    first, last = steps == 1, np.append(steps[1:] == 1, True)
    if not np.isin(steps, (0, 1)).all() or not first[0]:
        raise ValueError("columns are missing or out of order")
    if (bottom[first] != bottom.max()).any():
        raise ValueError("a column does not reach the bottom of the image")
    if (top != np.where(last, 0, np.append(bottom[1:], 0) + 1)).any():
        raise ValueError("records overlap, leave rows out, or do not reach the top of the image")


def summary(stixels, scale):
    """'312 stixels: 80 ground, 201 object, 31 sky; nearest object 7.31 m in column 40'."""
    counts = ", ".join(f"{np.count_nonzero(stixels['kind'] == i)} {kind}"
                       for i, kind in enumerate(KINDS) if np.any(stixels["kind"] == i))
    text = f"{len(stixels)} stixels: {counts}"
    objects = stixels[(stixels["kind"] == OBJECT) & (stixels["disparity_bottom"] > 0)]
    if len(objects):
        nearest = objects[objects["disparity_bottom"].argmax()]
        disparity = float(nearest["disparity_bottom"])
        where = f"{scale / disparity:.2f} m" if scale else f"{disparity:.2f} px"
        text += f"; nearest object {where} in column {nearest['column']}"
    return text


def frames(path, scale):
    """Name, records and focal length · baseline of each frame in a file of either kind."""
    with open(path, "rb") as file:
        data = file.read()
    if not data.startswith(b"{"):
        if not data:
            raise ValueError("an empty file: every frame has stixels")
        yield path, parse(data), scale
        return
    for number, line in enumerate(data.splitlines(), 1):
        yield f"{path}:{number}", *parse_line(line, number)


def camera_of(arguments):
    """Focal length · baseline as the command line says; 0: unknown."""
    if arguments.camera is None:
        return scale_of(arguments.focal, arguments.baseline)
    with open(arguments.camera, "rb") as file:
        return parse_line(file.readline())[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", help="lines of JSON, or one file of records per frame")
    parser.add_argument("--camera", metavar="FILE", help="of records: a line of JSON that has it")
    parser.add_argument("--focal", type=float, default=0, help="of records: focal length, pixels")
    parser.add_argument("--baseline", type=float, default=0, help="of records: metres")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")  # names are bytes, whatever the locale is
    name = arguments.camera or "the camera"
    try:
        scale = camera_of(arguments)
        for path in arguments.files:
            name = path
            for name, stixels, known in frames(path, scale):
                check(stixels)
                print(f"{name}: {summary(stixels, known)}")
    except (OSError, ValueError) as error:
        sys.exit(f"{name}: {error}")


if __name__ == "__main__":
    main()
