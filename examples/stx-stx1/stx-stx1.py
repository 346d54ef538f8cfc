#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Turns stixels into .stx1, the StixelWorld of the package pyStixel-lib, and back.

  stx-stx1 stixels.jsonl drive-%03d.stx1
  stx-stx1 drive-*.stx1 again.jsonl

Stixels are lines of JSON from stixel-json; "-" is the standard input or output. A .stx1 is one
frame: a number in the name of the output (%d) is that of the frame. What is lost on the way, and
which class becomes which, is in docs/stx1.md.

Needs NumPy.
"""
import argparse
import contextlib
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shared"))

import release  # noqa: E402 (where it is had to be said first)
import stx1  # noqa: E402

MOST_PIXELS = 32768


def numbered(name):
    try:
        return name % 0 != name
    except (TypeError, ValueError):
        return False


def arguments_of(command_line):
    parser = argparse.ArgumentParser(prog="stx-stx1", description=__doc__.splitlines()[0])
    release.add_to(parser)
    parser.add_argument("--ground", action="store_true",
                        help="to .stx1: ground, too, each at the distance of its middle row")
    parser.add_argument("--image", metavar="PNG",
                        help="to .stx1: the left picture, %%d: of each frame")
    parser.add_argument("--baseline", type=float, default=.5, metavar="METRES",
                        help="from .stx1, which has none: that of the lines (%(default)s)")
    for name in ("focal", "cx", "cy"):
        parser.add_argument(f"--{name}", type=float, metavar="PIXELS",
                            help="from .stx1: in place of the file's camera matrix")
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="lines of JSON, or .stx1")
    parser.add_argument("output", help="name.stx1, or name.jsonl")
    arguments = parser.parse_args(command_line)
    arguments.numbered = numbered(arguments.output)
    arguments.writes_worlds = arguments.output.endswith(".stx1")
    if not arguments.writes_worlds and arguments.output != "-" and not re.search(
            r"\.jsonl?$", arguments.output):
        parser.error(f"{arguments.output!a}: ends neither in .stx1 nor in .jsonl")
    if arguments.writes_worlds and re.search(r"%\d*d", arguments.output) and \
            not arguments.numbered:
        parser.error(f"{arguments.output!a}: one number of the frame, such as %03d")
    if not .0005 <= arguments.baseline <= 10:
        parser.error(f"--baseline {arguments.baseline}: 0.0005 to 10 m")
    if arguments.focal is not None and not 0 < arguments.focal <= 1e6:
        parser.error(f"--focal {arguments.focal}: above 0, to 1000000 pixels")
    return arguments


# Before what follows is looked for: --help and --version need none of it.
ARGUMENTS = arguments_of(sys.argv[1:])

try:
    import numpy as np
    import records
except ImportError as missing:
    release.refuse(missing, "NumPy", "numpy")

GROUND, OBJECT = records.KINDS.index("ground"), records.OBJECT
UNKNOWN = {"kind": "object", "label": None, "class": "none", "disparity_top": 0,
           "disparity_bottom": 0, "distance": None, "distance_deviation": None, "metres": None,
           "cost": 0, "confidence": 0}


# ---- To .stx1 ------------------------------------------------------------------------------------

def camera_of(frame):
    camera = frame["camera"]
    missing = [name for name in ("focal", "baseline", "cx", "cy") if camera.get(name) is None]
    missing += [name for name in ("width", "height", "stixel_width") if not frame.get(name)]
    if missing:
        raise ValueError(f"of the camera or its image is unknown: {', '.join(missing)}; set "
                         "calibration on stereo-stixels or stereo-sgm")
    return camera


def clusters_of(stixels, frame, depth):
    """The number of the obstacle that each stixel is a part of, -1: of none."""
    found = np.full(len(stixels), -1)
    for obstacle in frame["obstacles"]:
        box, place = obstacle["box"], obstacle["metres"]
        if box is None or obstacle["id"] is None:  # None: seen for the first time
            continue
        off = 1 + .05 * place["z"]
        found[(stixels["kind"] == OBJECT) & (stixels["column"] >= box["first_column"])
              & (stixels["column"] <= box["last_column"]) & (stixels["top"] <= box["bottom"])
              & (stixels["bottom"] >= box["top"]) & (depth > place["z"] - off)
              & (depth < place["z"] + (place["depth"] or 0) + off)] = obstacle["id"]
    return found


def type_of(label):
    known = label < len(records.LABELS) and stx1.TYPE_OF_CLASS.get(records.LABELS[label])
    return stx1.TYPES.index(known) if known else 0


def world_of(line, number, image, name):
    """A line of JSON as the bytes of a .stx1."""
    stixels, frame = records.of_line(line, number)
    try:
        camera = camera_of(frame)
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from error
    if (stixels["kind"] == 0).any():
        raise ValueError(f"line {number}: segments of rdp-columns, which know no objects")
    middle = (stixels["disparity_top"].astype(float) + stixels["disparity_bottom"]) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = camera["focal"] * camera["baseline"] / middle
    kinds = (OBJECT, GROUND) if ARGUMENTS.ground else (OBJECT,)
    told = np.isfinite(depth) & (middle > 0) & np.isin(stixels["kind"], kinds)
    has_obstacles = frame.get("obstacles") is not None
    clusters = clusters_of(stixels, frame, depth) if has_obstacles else np.zeros(len(stixels), int)
    cell, out = frame["stixel_width"], []
    for i in np.flatnonzero(told):
        s = stixels[i]
        left = int(s["column"]) * cell
        wide = min(cell, frame["width"] - left)
        out.append(stx1.data(stx1.STIXEL, b"".join((
            stx1.number(stx1.U, left + wide // 2), stx1.number(stx1.TOP, int(s["top"])),
            stx1.number(stx1.BOTTOM, int(s["bottom"]) + 1), stx1.real(stx1.DEPTH, depth[i]),
            stx1.number(stx1.LABEL, type_of(int(s["label"]))), stx1.number(stx1.WIDTH, wide),
            stx1.real(stx1.CONFIDENCE, float(np.nan_to_num(s["confidence"]))),
            stx1.number(stx1.INDEX, int(i)), stx1.number(stx1.CLUSTER, int(clusters[i]))))))
    unit = [float(i % 5 == 0) for i in range(16)]
    info = b"".join((
        stx1.reals(stx1.K, [camera["focal"], 0, camera["cx"], 0, camera["focal"], camera["cy"],
                            0, 0, 1]),
        stx1.reals(stx1.T, unit), stx1.reals(stx1.R, unit), stx1.reals(stx1.D, [0] * 5),
        stx1.data(stx1.REFERENCE, "self"), stx1.data(stx1.IMAGE_NAME, name + ".png"),
        stx1.number(stx1.IMAGE_WIDTH, frame["width"]),
        stx1.number(stx1.IMAGE_HEIGHT, frame["height"]), stx1.number(stx1.CHANNELS, 3)))
    context = b"".join((stx1.data(stx1.NAME, name), stx1.data(stx1.CALIBRATION, info),
                        stx1.number(stx1.CLUSTERS, max(0, int(clusters.max())))))
    if image and stx1.png_size(image) != (frame["width"], frame["height"]):
        raise ValueError(f"{ARGUMENTS.image}: a PNG of {frame['width']} x {frame['height']} pixels "
                         f"is needed, as line {number} has it, not {stx1.png_size(image)}")
    return b"".join(out) + stx1.data(stx1.IMAGE, image) + stx1.data(stx1.CONTEXT, context)


def image_of(number):
    if ARGUMENTS.image is None:
        return b""
    name = ARGUMENTS.image % number if numbered(ARGUMENTS.image) else ARGUMENTS.image
    return pathlib.Path(name).read_bytes()


def write_worlds(lines_of):
    frame = 0
    for path in ARGUMENTS.inputs:
        for number, line in lines_of(path):
            if frame > 0 and not ARGUMENTS.numbered:
                raise ValueError(f"{path}: more than one frame: {ARGUMENTS.output} wants a number, "
                                 "such as %03d, in its name")
            name = ARGUMENTS.output % frame if ARGUMENTS.numbered else ARGUMENTS.output
            try:
                world = world_of(line, number, image_of(frame), pathlib.Path(name).stem)
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from error
            pathlib.Path(name).write_bytes(world)
            frame += 1


def lines_of(path):
    with contextlib.nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            yield number, line


# ---- From .stx1 ----------------------------------------------------------------------------------

def matrix_of(info):
    """Focal length, cx and cy: as the command line says, else of K, if that has the usual form."""
    values = ARGUMENTS.focal, ARGUMENTS.cx, ARGUMENTS.cy
    k = info[stx1.K]
    usual = len(k) == 9 and k[0] > 0 and abs(k[8] - 1) < 1e-3 and k[6] == k[7] == 0
    if not usual and ARGUMENTS.focal is None:
        raise ValueError(f"its camera matrix {[round(v, 3) for v in k]} is not of the form f 0 cx "
                         "0 f cy 0 0 1: say --focal, --cx and --cy")
    return tuple(value if value is not None else float(k[i]) if usual else None
                 for value, i in zip(values, (0, 2, 5)))


def size_of(world, info, stixels):
    """Returns the picture's size: that of the picture in the file, else the file's, if all stixels
    are in it, else the least that holds them."""
    size = stx1.png_size(world[stx1.IMAGE])
    right = max(s[stx1.U] // s[stx1.WIDTH] * s[stx1.WIDTH] + s[stx1.WIDTH] for s in stixels)
    bottom = max(s[stx1.BOTTOM] for s in stixels)
    if size is None:
        size = info[stx1.IMAGE_WIDTH], info[stx1.IMAGE_HEIGHT]
        if size[0] <= max(s[stx1.U] for s in stixels) or size[1] < bottom - 1:
            size = right, bottom
    if not (0 < size[0] <= MOST_PIXELS and 0 < size[1] <= MOST_PIXELS):
        raise ValueError(f"a picture of {size[0]} x {size[1]} pixels: 1 to {MOST_PIXELS} each")
    return size


def check(stixel, index):
    u, top, bottom, width = (stixel[key] for key in (stx1.U, stx1.TOP, stx1.BOTTOM, stx1.WIDTH))
    depth = stixel[stx1.DEPTH]
    if u < 0 or top < 0 or bottom <= top or width < 1 or bottom > MOST_PIXELS or u > MOST_PIXELS:
        raise ValueError(f"stixel {index} is at u {u}, rows {top} to {bottom}, {width} wide: a "
                         "place in a picture is needed")
    if not 0 < depth < float("inf"):
        raise ValueError(f"stixel {index} is {depth} m away: above 0")
    if not 0 <= stixel[stx1.LABEL] < len(stx1.TYPES):
        raise ValueError(f"stixel {index} has label {stixel[stx1.LABEL]}: 0 to "
                         f"{len(stx1.TYPES) - 1}")


def record_of(stixel, column, top, bottom, scale):
    """Rows of a stixel, or (None) rows of which nothing is said."""
    place = {"column": column, "top": top, "bottom": bottom}
    if stixel is None:
        return {**place, **UNKNOWN}
    kind = stx1.TYPES[stixel[stx1.LABEL]]
    name, disparity = stx1.CLASS_OF_TYPE.get(kind), round(scale / stixel[stx1.DEPTH], 6)
    return {**place, "kind": "ground" if kind in stx1.GROUND else "object",
            "label": records.LABELS.index(name) if name else None, "class": name or "none",
            "disparity_top": disparity, "disparity_bottom": disparity,
            "distance": round(stixel[stx1.DEPTH], 6), "distance_deviation": None, "cost": 0,
            "confidence": round(min(max(stixel[stx1.CONFIDENCE], 0), 1), 6)}


def column_of(stixels, column, height, scale):
    """All rows of a column, from the bottom up; where stixels overlap, the nearest shows."""
    owner = np.full(height, -1)
    for i in sorted(range(len(stixels)), key=lambda i: -stixels[i][stx1.DEPTH]):
        owner[stixels[i][stx1.TOP]:stixels[i][stx1.BOTTOM]] = i
    edges = [0, *(np.flatnonzero(np.diff(owner)) + 1), height]
    return [record_of(None if owner[top] < 0 else stixels[owner[top]], column, int(top),
                      int(below) - 1, scale)
            for top, below in reversed(list(zip(edges, edges[1:])))]


def line_of(data):
    """A line as stixel-json writes it, of the bytes of a .stx1."""
    world = stx1.parse(data, stx1.WORLD)
    context = stx1.parse(world[stx1.CONTEXT], stx1.ONE_CONTEXT)
    info = stx1.parse(context[stx1.CALIBRATION], stx1.CAMERA)
    stixels = [stx1.parse(one, stx1.ONE_STIXEL) for one in world[stx1.STIXEL]]
    if not stixels:
        raise ValueError("it has no stixels")
    for index, stixel in enumerate(stixels):
        check(stixel, index)
    focal, cx, cy = matrix_of(info)
    width, height = size_of(world, info, stixels)
    cell = max(stixel[stx1.WIDTH] for stixel in stixels)
    count = -(-width // cell)
    columns = [[] for _ in range(count)]
    for index, stixel in enumerate(stixels):
        last = width - (count - 1) * cell  # the last column may be narrower
        if stixel[stx1.WIDTH] != cell and (stixel[stx1.WIDTH], stixel[stx1.U] // cell) != (
                last, count - 1):
            raise ValueError(f"stixel {index} is {stixel[stx1.WIDTH]} pixels wide, others {cell}: "
                             "all columns must be alike")
        if stixel[stx1.U] >= width:
            raise ValueError(f"stixel {index} is at u {stixel[stx1.U]}, in a picture of {width} "
                             "columns")
        columns[stixel[stx1.U] // cell].append(stixel)
    scale = focal * ARGUMENTS.baseline
    return {"version": 1, "pts": None, "width": width, "height": height, "stixel_width": cell,
            "columns": count, "camera": {"focal": focal, "cx": cx, "cy": cy,
                                         "baseline": ARGUMENTS.baseline, "height": None,
                                         "pitch": None},
            "stixels": [record for column, mine in enumerate(columns)
                        for record in column_of(mine, column, height, scale)]}


def write_lines():
    with (contextlib.nullcontext(sys.stdout) if ARGUMENTS.output == "-"
          else open(ARGUMENTS.output, "w", encoding="utf-8")) as out:
        for path in ARGUMENTS.inputs:
            try:
                line = line_of(pathlib.Path(path).read_bytes() if path != "-"
                               else sys.stdin.buffer.read())
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from error
            out.write(json.dumps(line, separators=(",", ":")) + "\n")


def main():
    sys.stdout.reconfigure(errors="backslashreplace")  # names are bytes, whatever the locale is
    with contextlib.suppress(KeyboardInterrupt):
        try:
            if ARGUMENTS.writes_worlds:
                write_worlds(lines_of)
            else:
                write_lines()
        except (OSError, ValueError) as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
