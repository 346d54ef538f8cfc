#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads stixels with NumPy and prints one line per frame.

Write one file per frame, then read them:

  gst-launch-1.0 street-scene-src view=disparity num-buffers=3 ! downsample-transpose ! \\
      sat-dp-stixels ! multifilesink location=frame-%03d.stixels
  python3 examples/read_stixels.py --focal 720 --baseline 0.54 frame-*.stixels

The record is described in docs/formats.md.
"""
import argparse
import sys

import numpy as np

STIXEL = np.dtype([
    ("column", "<u2"), ("top", "<u2"), ("bottom", "<u2"), ("kind", "u1"), ("label", "u1"),
    ("disparity_top", "<f4"), ("disparity_bottom", "<f4"), ("cost", "<f4"), ("confidence", "<f4"),
])
assert STIXEL.itemsize == 24

KINDS = ("segment", "ground", "object", "sky")
OBJECT = KINDS.index("object")


def parse(data):
    """The records in `data` (bytes), as a structured array without a copy."""
    if len(data) == 0 or len(data) % STIXEL.itemsize:
        raise ValueError(f"{len(data)} bytes are no whole number of {STIXEL.itemsize}-byte records")
    return np.frombuffer(data, dtype=STIXEL)


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


def summary(stixels, focal, baseline):
    """'312 stixels: 80 ground, 201 object, 31 sky; nearest object 7.31 m in column 40'."""
    counts = ", ".join(f"{np.count_nonzero(stixels['kind'] == i)} {kind}"
                       for i, kind in enumerate(KINDS) if np.any(stixels["kind"] == i))
    text = f"{len(stixels)} stixels: {counts}"
    objects = stixels[(stixels["kind"] == OBJECT) & (stixels["disparity_bottom"] > 0)]
    if len(objects):
        nearest = objects[objects["disparity_bottom"].argmax()]
        disparity = float(nearest["disparity_bottom"])
        where = (f"{focal * baseline / disparity:.2f} m" if focal and baseline
                 else f"{disparity:.2f} px")
        text += f"; nearest object {where} in column {nearest['column']}"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", help="one file of records per frame")
    parser.add_argument("--focal", type=float, default=0, help="focal length, pixels")
    parser.add_argument("--baseline", type=float, default=0, help="stereo baseline, metres")
    arguments = parser.parse_args()
    for path in arguments.files:
        try:
            with open(path, "rb") as file:
                stixels = parse(file.read())
            check(stixels)
        except (OSError, ValueError) as error:
            sys.exit(f"{path}: {error}")
        print(f"{path}: {summary(stixels, arguments.focal, arguments.baseline)}")


if __name__ == "__main__":
    main()
