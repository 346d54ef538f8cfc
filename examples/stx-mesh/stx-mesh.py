#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes stixels or LiDAR scans as files that viewers of 3-D open: GLB or PLY, one for each frame.

  stx-mesh stixels.jsonl street-%03d.glb
  stx-mesh --mode kind --labels scan-0.bin scan.ply

Stixels are lines of JSON from stixel-json; "-" is the standard input. Each becomes a flat quad, as
wide and as high as it is, where it stands. Scans are files of points as KITTI has them, x, y, z and
intensity as float32. A number in the name of the output (%d) is that of the frame.

Needs NumPy and trimesh (PyPI). docs/mesh.md has what is in a file.
"""
import argparse
import contextlib
import functools
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shared"))
if os.environ.get("STX_VIEWERS"):  # a folder with trimesh and its NumPy
    sys.path.insert(0, os.environ["STX_VIEWERS"])

import release  # noqa: E402 (where it is had to be said first)

FORMATS = ".glb", ".ply"
MATERIAL = {"pbrMetallicRoughness": {"metallicFactor": 0}, "doubleSided": True,
            "extensions": {"KHR_materials_unlit": {}}}


def metres(text):
    value = float(text)
    if not 1 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"{text}: 1 to 1000 m")
    return value


def arguments_of(command_line):
    parser = argparse.ArgumentParser(prog="stx-mesh", description=__doc__.splitlines()[0])
    release.add_to(parser)
    parser.add_argument("--mode", choices=("distance", "kind", "class"), default="distance",
                        help="what the colours show (%(default)s)")
    parser.add_argument("--palette", choices=("distance", "turbo", "viridis", "cividis", "gray"),
                        default="distance", help="colours of distances (%(default)s)")
    parser.add_argument("--max-distance", type=metres, default=50, metavar="METRES",
                        help="this and more has the farthest colour (%(default)s)")
    parser.add_argument("--reach", type=metres, default=100, metavar="METRES",
                        help="stixels farther ahead are cut off (%(default)s)")
    parser.add_argument("--labels", action="store_true",
                        help="labels of the scan NAME.bin are in NAME.label")
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="lines of JSON, or a scan")
    parser.add_argument("output", help="name.glb or name.ply")
    arguments = parser.parse_args(command_line)
    if pathlib.Path(arguments.output).suffix not in FORMATS:
        parser.error(f"{arguments.output!a}: ends neither in .glb nor in .ply")
    try:
        arguments.numbered = arguments.output % 0 != arguments.output
    except (TypeError, ValueError):
        if re.search(r"%\d*d", arguments.output):
            parser.error(f"{arguments.output!a}: one number of the frame, such as %03d")
        arguments.numbered = False
    return arguments


# Before what follows is looked for: --help and --version need none of it.
ARGUMENTS = arguments_of(sys.argv[1:])

try:
    import numpy as np
    import trimesh
    import colours
    import records
except ImportError as missing:
    release.refuse(missing, "trimesh and NumPy", "trimesh numpy")

GROUND = 40, 44, 48, 49, 60, 72  # SemanticKITTI's classes
UNCLASSIFIED, ON_GROUND, NO_CLUSTER = (72, 74, 84), (52, 104, 88), (206, 208, 212)


@functools.lru_cache
def stops_of(palette):
    """Colours from near to far; those that are not the plugin's own are matplotlib's."""
    if palette == "distance":
        return colours.NEAR_TO_FAR
    try:
        import matplotlib
    except ImportError as missing:
        release.refuse(missing, f"matplotlib for --palette {palette}", "matplotlib")
    return 255 * matplotlib.colormaps[palette](np.linspace(1, 0, 33))[:, :3]


def by_distance(distances):
    return colours.by_distance(distances, ARGUMENTS.max_distance, stops_of(ARGUMENTS.palette))


def stixel_colours(stixels, corners):
    """Returns the colour of each corner."""
    if ARGUMENTS.mode == "distance":
        return by_distance(corners[:, :, 2])
    if ARGUMENTS.mode == "kind":
        shown = np.array([colours.KINDS[name] for name in records.KINDS])[stixels["kind"]]
    else:
        known = np.minimum(stixels["label"], len(colours.CLASSES))
        shown = np.array([*colours.CLASSES, colours.NO_CLASS])[known]
    return np.repeat(shown[:, None], 4, axis=1)


def cluster_colours(cluster):
    """Steps of the golden ratio around the hues, greens left out."""
    step = cluster % 64
    hue = np.mod(.45 + .8 * np.mod(step * .61803398875, 1), 1)
    away = np.abs(np.mod(hue[:, None] * 6 + (0, 4, 2), 6) - 3) - 1
    return 255 * np.where(step % 2, 1, .85)[:, None] * (.25 + .75 * np.clip(away, 0, 1))


def point_colours(places, labels):
    if labels is None or ARGUMENTS.mode == "distance":
        return by_distance(np.linalg.norm(places, axis=1))
    kind, cluster = labels & 0xFFFF, labels >> 16
    shown = np.where(cluster[:, None] == 0, NO_CLUSTER, cluster_colours(cluster))
    shown[np.isin(kind, GROUND)] = ON_GROUND
    shown[kind == 0] = UNCLASSIFIED
    return shown


def stixels_of(line, number):
    """The mesh of a line of JSON, in the axes of scans."""
    stixels, frame = records.of_line(line, number)
    missing = [name for name in ("focal", "baseline", "cx", "cy")
               if frame["camera"].get(name) is None]
    if missing:
        raise ValueError(f"line {number}: of the camera is unknown: {', '.join(missing)}; set "
                         "calibration on stereo-stixels or stereo-sgm")
    missing = [name for name in ("width", "stixel_width") if not frame.get(name)]
    if missing:
        raise ValueError(f"line {number}: without {', '.join(missing)}")
    seen, corners = records.quads(stixels, frame["camera"], frame["width"], frame["stixel_width"],
                                  ARGUMENTS.reach)
    first = 4 * np.arange(len(corners))[:, None, None]
    return trimesh.Trimesh(
        vertices=corners[:, :, [2, 0, 1]].reshape(-1, 3) * (1, -1, -1),
        faces=(first + ((0, 1, 2), (0, 2, 3))).reshape(-1, 3), process=False,
        vertex_colors=stixel_colours(stixels[seen], corners).reshape(-1, 3).astype(np.uint8))


def scan_of(data, path):
    """Points, without those that are not finite."""
    if len(data) % 16:
        raise ValueError(f"{len(data)} bytes are neither lines of JSON nor a whole number of "
                         "points of 16 bytes")
    points, labels = np.frombuffer(data, "<f4").reshape(-1, 4), None
    finite = (np.abs(points[:, :3]) < 8192).all(axis=1)
    if ARGUMENTS.labels:
        beside = pathlib.Path(path).with_suffix(".label")
        labels = np.fromfile(beside, "<u4")
        if len(labels) != len(points):
            raise ValueError(f"{len(points)} points, but {beside} has {len(labels)} labels")
        labels = labels[finite]
    places = points[finite, :3]
    cloud = trimesh.PointCloud(places, colors=point_colours(places, labels).astype(np.uint8))
    cloud.vertex_attributes = {"intensity": points[finite, 3]}
    return cloud


def frames_of(path):
    """Meshes of a file's lines, or its scan."""
    with contextlib.nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as file:
        line, number = file.readline(), 1
        if not line.startswith(b'{"'):
            yield scan_of(line + file.read(), path)
            return
        while line:
            yield stixels_of(line, number)
            line, number = file.readline(), number + 1


def unlit(tree):
    """Seen from both sides, in its own colours."""
    tree.update(materials=[MATERIAL], extensionsUsed=["KHR_materials_unlit"])
    for mesh in tree.get("meshes", ()):
        mesh["primitives"][0]["material"] = 0


def linear(shown):
    """sRGB (IEC 61966-2-1) as the light that glTF's colours are."""
    value = shown / 255
    return np.where(value > .04045, ((value + .055) / 1.055) ** 2.4, value / 12.92) * 255


def write(geometry, path):
    if path.endswith(".glb"):
        geometry.vertices = geometry.vertices[:, [1, 2, 0]] * (-1, 1, -1)
        shown = geometry.visual.vertex_colors
        shown[:, :3] = linear(shown[:, :3]).round()
        geometry.visual.vertex_colors = shown
        trimesh.Scene(geometry).export(path, tree_postprocessor=unlit)
    else:
        geometry.export(path)


def write_all():
    number = 0
    for path in ARGUMENTS.inputs:
        try:
            for geometry in frames_of(path):
                if number > 0 and not ARGUMENTS.numbered:
                    raise ValueError(f"more than one frame: {ARGUMENTS.output} wants a number, "
                                     "such as %03d, in its name")
                write(geometry, ARGUMENTS.output % number if ARGUMENTS.numbered
                      else ARGUMENTS.output)
                number += 1
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error


def main():
    sys.stdout.reconfigure(errors="backslashreplace")  # names are bytes, whatever the locale is
    with contextlib.suppress(KeyboardInterrupt):
        try:
            write_all()
        except (OSError, ValueError) as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
