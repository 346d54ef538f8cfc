#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kinds and disparities of stereo-stixels on pairs of many cameras.

usage: cameras.py [FOLDER] [--only NAME...] [--changed] [--json]

Each FOLDER/NAME (FOLDER: $STX_DATA/cameras or ../shared/data/cameras) has left.png and right.png,
and where they are known:
  mask.png   drawn by hand: 0 unsure, 1 ground, 2 object, 3 sky, 4 the carrier itself
  disp.png   disparities, 16 bits, value / 256 px, 0 unknown
  calib.*    a file for the property `calibration`
Every pair has the same weight in the totals. A kind with 300 pixels or fewer in a mask does not
count. A disparity is wrong if it is off by more than 3 px and more than 5 %, or missing.

--changed measures the totals of copies that are changed in a dozen ways, such as another camera or
another exposure might: kinds should not depend on them. Pairs with calib.* are left out.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from plots import FOLDER, data_folder

sys.path.append(str(FOLDER.parents[1] / "examples/shared"))
import records  # noqa: E402

GROUND, OBJECT, SKY = 1, 2, 3
SHARES = {"ground_as_ground": (GROUND, GROUND), "object_as_object": (OBJECT, OBJECT),
          "sky_as_sky": (SKY, SKY), "ground_as_sky": (GROUND, SKY), "object_as_sky": (OBJECT, SKY),
          "sky_as_object": (SKY, OBJECT)}
MEASURES, RIGHT = (*SHARES, "disparities_wrong"), tuple(SHARES)[:3]
LEAST_PIXELS, GOOD, CELL = 300, .85, 8


def scaled(factor):
    def change(width, height):
        size = round(factor * width), round(factor * height)
        caps = "video/x-raw,width={},height={}".format(*size)
        return (f"videoscale method=lanczos ! {caps}",
                f"videoscale method=nearest-neighbour ! {caps}", size)
    return change


def cropped(side):
    def change(width, height):
        crop = f"videocrop {side}={height // 5}"
        return crop, crop, (width, height - height // 5)
    return change


def as_bright(effect):
    return lambda width, height: (effect, "identity", (width, height))


# Each gives what changes pictures, what changes masks, and the size that they have then.
CHANGES = {
    "none": as_bright("identity"), "scaled by .6": scaled(.6), "scaled by .97": scaled(.97),
    "scaled by 1.03": scaled(1.03), "scaled by 1.5": scaled(1.5),
    "gamma .6": as_bright("gamma gamma=.6"), "gamma 1.6": as_bright("gamma gamma=1.6"),
    "half the contrast": as_bright("videobalance contrast=.5"),
    "darker": as_bright("videobalance brightness=-.15"),
    "brighter": as_bright("videobalance brightness=.15"),
    "JPEG of quality 40": as_bright("jpegenc quality=40 ! jpegdec"),
    "blurred": as_bright("gaussianblur sigma=1.2"),
    "without the upper fifth": cropped("top"), "without the lower fifth": cropped("bottom")}


def launch(line):
    result = subprocess.run(["gst-launch-1.0", "-q", *line.split()], capture_output=True, text=True,
                            timeout=300)
    if result.returncode:
        sys.exit(f"gst-launch-1.0 {line}: {result.stdout}{result.stderr}")


def size_of(path):
    """Width and height of a PNG."""
    return tuple(np.frombuffer(path.read_bytes()[16:24], ">u4").astype(int))


def picture(path, form, change="identity", shape=None):
    """The pixels as (rows, columns, channels); GStreamer pads rows to 4 bytes. `shape`: width and
    height of what is changed."""
    width, height = shape or size_of(path)
    size = {"GRAY8": 1, "GRAY16_LE": 2, "RGB": 3}[form]
    with tempfile.NamedTemporaryFile() as raw:
        launch(f"filesrc location={path} ! pngdec ! videoconvert ! video/x-raw,format={form} "
               f"! {change} ! filesink location={raw.name}")
        rows = np.frombuffer(pathlib.Path(raw.name).read_bytes(), "u1").reshape(height, -1)
    pixels = np.ascontiguousarray(rows[:, :width * size])
    return pixels.view("<u2" if form == "GRAY16_LE" else "u1").reshape(height, width, -1)


def stixels(left, right, options=""):
    """The stixels of two sources."""
    with tempfile.NamedTemporaryFile() as out:
        launch(f"{left} ! s.sink_left {right} ! s.sink_right stereo-stixels name=s {options} "
               f"output=stixels ! filesink location={out.name}")
        return records.parse(pathlib.Path(out.name).read_bytes())


def drawn(found, width, height):
    """The kind and the disparity of each pixel."""
    kinds, disparities = np.zeros((height, width), "u1"), np.zeros((height, width), "f4")
    for one in found:
        rows = slice(one["top"], one["bottom"] + 1)
        columns = slice(one["column"] * CELL, (one["column"] + 1) * CELL)
        kinds[rows, columns] = one["kind"]
        disparities[rows, columns] = np.linspace(one["disparity_top"], one["disparity_bottom"],
                                                 one["bottom"] + 1 - one["top"])[:, None]
    return kinds, disparities


def wrong(disparities, truth):
    known = truth > 0
    off, truth, disparities = (abs(disparities - truth)[known], truth[known], disparities[known])
    return ((off > 3) & (off > .05 * truth) | (disparities <= 0)).mean()


def measure(folder, change="none"):
    """{"pair": name, shares, None where there are none, and the share of wrong disparities}."""
    effect, of_mask, shape = CHANGES[change](*size_of(folder / "left.png"))
    sides = [f"filesrc location={folder}/{side}.png ! pngdec ! videoconvert ! {effect} "
             "! videoconvert" for side in ("left", "right")]
    options = " ".join(f"calibration={path}" for path in sorted(folder.glob("calib.*"))[:1])
    kinds, disparities = drawn(stixels(*sides, options), *shape)
    row = {"pair": folder.name, **dict.fromkeys(MEASURES)}
    if (folder / "mask.png").exists():
        mask = picture(folder / "mask.png", "GRAY8", of_mask, shape)[..., 0]
        for name, (truth, kind) in SHARES.items():
            if np.count_nonzero(mask == truth) > LEAST_PIXELS:
                row[name] = float((kinds[mask == truth] == kind).mean())
    if change == "none" and (folder / "disp.png").exists():
        truth = picture(folder / "disp.png", "GRAY16_LE")[..., 0] / np.float32(256)
        row["disparities_wrong"] = float(wrong(disparities, truth))
    return row


def rows(only=(), folder=None, change="none"):
    """A row of each pair; none where there is no data. A change is not that of a calibration."""
    folders = sorted(path.parent for path in (folder or data_folder() / "cameras").glob(
        "*/left.png") if (not only or path.parent.name in only)
        and (change == "none" or not [*path.parent.glob("calib.*")]))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda one: measure(one, change), folders))


def totals(found):
    """The means of the pairs, the worst tenths of what is right, and how many pairs of those with a
    mask are right in all kinds."""
    known = {name: [row[name] for row in found if row[name] is not None] for name in MEASURES}
    shares = [[row[name] for name in RIGHT if row[name] is not None] for row in found]
    masked = [of_pair for of_pair in shares if of_pair]
    return {"pairs": len(found), "with_masks": len(masked),
            "right": sum(min(of_pair) >= GOOD for of_pair in masked),
            "mean": {name: float(np.mean(values)) if values else None
                     for name, values in known.items()},
            "worst_tenth": {name: float(np.percentile(known[name], 10)) if known[name] else None
                            for name in RIGHT}}


def line(name, row):
    return f"{name:24}" + "".join(
        f"  {key} {'–' if row.get(key) is None else f'{100 * row[key]:.1f}'}"
        for key in MEASURES)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME")
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.changed:
        changed = {change: totals(rows(arguments.only, arguments.folder, change))
                   for change in CHANGES}
        print(json.dumps(changed, indent=1) if arguments.json else "\n".join(
            f"{line(change, total['mean'])}  right {total['right']} of {total['with_masks']}"
            for change, total in changed.items()))
        return
    found = rows(arguments.only, arguments.folder)
    if not found:
        sys.exit(f"{arguments.folder or data_folder() / 'cameras'}: no NAME/left.png")
    total = totals(found)
    if arguments.json:
        print(json.dumps({"pairs": found, "total": total}, indent=1))
        return
    for row in found:
        print(line(row["pair"], row))
    print(line("mean, %", total["mean"]))
    print(line("worst tenth, %", total["worst_tenth"]))
    print(f"{total['right']} of {total['with_masks']} pairs with masks are right in all kinds "
          f"({GOOD:.0%} or more)")


if __name__ == "__main__":
    main()
