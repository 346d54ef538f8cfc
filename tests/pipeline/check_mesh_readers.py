#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of stixel-mesh, read by trimesh, which knows nothing of us: corners of every stixel against
the metres of stixel-json, and the points of a scan.

trimesh is in the folder that STX_VIEWERS names (tests/packages.sh), or installed; without it the
test is skipped.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

if os.environ.get("STX_VIEWERS"):
    sys.path.insert(0, os.environ["STX_VIEWERS"])
try:
    import numpy as np
    import trimesh
except ImportError as missing:
    print(f"skipped: {missing}; see tests/packages.sh")
    sys.exit(77)

FOLDER = pathlib.Path(tempfile.mkdtemp())
REACH = 60
STEP = 1 / 1024  # metres
NEAR = 1.01 * (STEP / 2 + .0005)  # both are rounded, stixel-json to millimetres
STREET = "street-scene-src view={} num-buffers=1"
STIXELS = STREET.format("disparity") + " ! downsample-transpose ! sat-dp-stixels"


def expect(condition, fault):
    if not condition:
        sys.exit(f"FAILED: {fault}")


def launch(line):
    subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True, timeout=60, cwd=FOLDER)


def geometry(name):
    """What trimesh makes of a file: the only mesh or cloud in it."""
    scene = trimesh.load(FOLDER / name, process=False)
    if isinstance(scene, trimesh.Scene):
        expect(len(scene.geometry) == 1, f"{name}: {len(scene.geometry)} meshes")
        scene = next(iter(scene.geometry.values()))
    return scene


def colours(mesh):
    """How many different ones its corners have."""
    visual = mesh.visual
    attributes = getattr(visual, "vertex_attributes", None)  # beside a material
    return len(np.unique(visual.vertex_colors if attributes is None else attributes["color"],
                         axis=0))


def near(found, expected, what, tolerance=NEAR):
    error = np.abs(np.asarray(found) - np.asarray(expected)).max()
    expect(error <= tolerance, f"{what}: off by {error} m")


def check_stixels(corners, stixels, where):
    """Corners as they come, four for a stixel, in the camera's axes. A road may be cut at its upper
    edge, what hangs over at its lower one."""
    expect(len(corners) == 4 * len(stixels) > 1000, f"{where}: {len(corners)} corners of "
           f"{len(stixels)} stixels")
    of = {name: np.array([s[name] for s in stixels]) for name in stixels[0]}
    low_left, low_right, _, high_left = corners.reshape(-1, 4, 3).swapaxes(0, 1)
    low, high = of["z"] < REACH, of["z_top"] < REACH
    for axis, name in enumerate("xyz"):
        near(((low_left + low_right)[:, axis] / 2)[low], of[name][low], f"{where}, {name}")
    near((low_right - low_left)[low, 0], of["width"][low], f"{where}, width", 2 * NEAR)
    near(high_left[high, 2], of["z_top"][high], f"{where}, z_top")
    near(high_left[~high, 2], REACH, f"{where}, what is cut above")
    whole = low & high
    near((low_left - high_left)[whole, 1], of["height"][whole], f"{where}, height", 2 * NEAR)
    expect(whole.sum() > 500 and (~high).sum() > 10, f"{where}: a street without an end")


def seen(stixels):
    """Those with a facet: not the sky, and an end that is near enough; infinite: unknown."""
    metres = [{name: np.inf if value is None else value for name, value in s["metres"].items()}
              for s in stixels if s["kind"] != "sky" and s["metres"]]
    return [s for s in metres if min(s["z"], s["z_top"]) < REACH]


def check_street():
    launch(f"{STIXELS} ! tee name=t t. ! queue ! stixel-json ! filesink location=street.jsonl "
           f"t. ! queue ! stixel-mesh reach={REACH} ! filesink location=street.glb "
           f"t. ! queue ! stixel-mesh reach={REACH} ! application/x-ply "
           "! filesink location=street.ply")
    stixels = seen(json.loads((FOLDER / "street.jsonl").read_text())["stixels"])
    glb, ply = geometry("street.glb"), geometry("street.ply")
    check_stixels(glb.vertices * (1, -1, -1), stixels, "glb")
    check_stixels(ply.vertices[:, [1, 2, 0]] * (-1, -1, 1), stixels, "ply")
    for name, mesh in (("glb", glb), ("ply", ply)):
        expect(len(mesh.faces) == 2 * len(stixels), f"{name}: {len(mesh.faces)} triangles")
        expect(colours(mesh) > 50, f"{name} has few colours")
    print(f"{len(stixels)} stixels are where stixel-json says, in both files")


def check_scan():
    launch(f"{STREET.format('lidar')} ! tee name=t t. ! queue ! filesink location=scan.bin "
           "t. ! queue ! stixel-mesh ! filesink location=scan.glb "
           "t. ! queue ! stixel-mesh ! application/x-ply ! filesink location=scan.ply")
    points = np.fromfile(FOLDER / "scan.bin", "<f4").reshape(-1, 4)
    points = points[np.isfinite(points[:, :3]).all(axis=1), :3]
    near(geometry("scan.ply").vertices, points, "points of ply")
    near(geometry("scan.glb").vertices * (-1, 1, -1), points[:, [1, 2, 0]], "points of glb")
    launch("filesrc location=scan.ply blocksize=100000000 ! lidar-parse "
           "! filesink location=again.bin")
    again = np.fromfile(FOLDER / "again.bin", "<f4").reshape(-1, 4)
    near(again[:, :3], points, "points that lidar-parse reads")
    print(f"{len(points)} points are where they were")


def check_sequence():
    """A file for every frame, and one of a picture's stixels."""
    launch("street-scene-src num-buffers=2 ! s.sink_left street-scene-src view=right num-buffers=2 "
           "! s.sink_right stereo-stixels name=s ! stixel-mesh mode=kind "
           "! multifilesink location=frame-%d.glb")
    for number in range(2):
        mesh = geometry(f"frame-{number}.glb")
        expect(len(mesh.vertices) > 1000, f"frame {number}: {len(mesh.vertices)} corners")
        expect(colours(mesh) == 2, "not one colour per kind")


if __name__ == "__main__":
    check_street()
    check_scan()
    check_sequence()
