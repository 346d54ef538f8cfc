#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fetches the pairs of more-cameras.json, for cameras.py; needs NumPy and Pillow.

usage: more_cameras.py FOLDER [--split dev|kept] [--only NAME...] [--mirror DIRECTORY]

Writes FOLDER/SPLIT/NAME/{left,right,mask}.png. The pictures belong to others, so they come from
raw.githubusercontent.com, or from DIRECTORY/OWNER+NAME, Git directories with those commits.
A pair has `repository`, `commit`, the paths `left` and `right`, where the original is too large or
its rows are not aligned to a pixel the `size` that it is scaled to, and its mask.
`mask` is a list of [kind, x, y, x, y, ...], polygons drawn by hand on left.png, a later one over an
earlier one: 0 unsure, 1 ground, 2 object, 3 sky, 4 the carrier. `band` px on each side of where two
kinds meet are unsure.
Thresholds may be chosen on the split `dev`; `kept` is for checking them.
"""
import argparse
import io
import json
import pathlib
import subprocess
import sys
import urllib.parse
import urllib.request

import numpy as np
from PIL import Image

LIST = pathlib.Path(__file__).with_name("more-cameras.json")
BAND = 4


def content(pair, path, mirror):
    if mirror is None:
        place = urllib.parse.quote(f"{pair['repository']}/{pair['commit']}/{path}")
        with urllib.request.urlopen(f"https://raw.githubusercontent.com/{place}") as answer:
            return answer.read()
    name = pair["repository"].replace("/", "+")
    folders = [found.parent for found in sorted((mirror / name).glob("**/objects"))]
    if not folders:
        sys.exit(f"{mirror / name}: no Git directory")
    return subprocess.run(["git", f"--git-dir={folders[0]}", "show", f"{pair['commit']}:{path}"],
                          check=True, stdout=subprocess.PIPE).stdout


def picture(pair, side, mirror):
    shown = Image.open(io.BytesIO(content(pair, pair[side], mirror))).convert("RGB")
    return shown.resize(pair["size"], Image.LANCZOS) if "size" in pair else shown


def inside(corners, width, height):
    """The pixels whose centres are in a polygon."""
    x, y = np.reshape(corners, (-1, 2)).T.astype(float)
    filled = np.zeros((height, width), bool)
    columns, rows = np.arange(width) + .5, np.arange(height) + .5
    for x0, y0, x1, y1 in zip(x, y, np.roll(x, -1), np.roll(y, -1)):
        crossed = (y0 <= rows) != (y1 <= rows)
        if crossed.any():
            edge = x0 + (rows[crossed] - y0) / (y1 - y0) * (x1 - x0)
            filled[crossed] ^= columns > edge[:, None]
    return filled


def grown(pixels, by):
    for axis in (0, 1):
        padded = np.pad(pixels, [(by, by) if axis == a else (0, 0) for a in (0, 1)])
        pixels = np.lib.stride_tricks.sliding_window_view(padded, 2 * by + 1, axis).any(-1)
    return pixels


def drawn(pair, width, height):
    """The kinds of a mask."""
    kinds = np.zeros((height, width), "u1")
    for kind, *corners in pair["mask"]:
        kinds[inside(corners, width, height)] = kind
    near = sum(grown(kinds == kind, pair.get("band", BAND)).astype(int) for kind in (1, 2, 3, 4))
    kinds[near > 1] = 0
    return kinds


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--split", choices=("dev", "kept"))
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME")
    parser.add_argument("--mirror", type=pathlib.Path)
    arguments = parser.parse_args()
    for name, pair in json.loads(LIST.read_text()).items():
        if arguments.split not in (None, pair["split"]) or arguments.only and (
                name not in arguments.only):
            continue
        into = arguments.folder / pair["split"] / name
        into.mkdir(parents=True, exist_ok=True)
        left, right = (picture(pair, side, arguments.mirror) for side in ("left", "right"))
        if left.size != right.size:
            sys.exit(f"{name}: pictures of two sizes")
        left.save(into / "left.png")
        right.save(into / "right.png")
        Image.fromarray(drawn(pair, *left.size)).save(into / "mask.png")
        print(into)


if __name__ == "__main__":
    main()
