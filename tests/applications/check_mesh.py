#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of stx-mesh, read by trimesh: corners of every stixel against the metres of stixel-json, a
scan, and what is refused.

trimesh is in the folder that STX_VIEWERS names (tests/packages.sh), or installed; without it the
test is skipped.
"""
import json
import os
import pathlib
import sys
import tempfile

if os.environ.get("STX_VIEWERS"):
    sys.path.insert(0, os.environ["STX_VIEWERS"])

import street

street.skip_without("numpy", "trimesh")

import numpy as np  # noqa: E402
import trimesh  # noqa: E402

PROGRAM = [sys.executable, street.EXAMPLES / "stx-mesh/stx-mesh.py"]
FOLDER = pathlib.Path(tempfile.mkdtemp())
REACH = 60
# Disparities have three decimals, which is so much there; metres have three, too.
NEAR = .0005 * REACH ** 2 / (street.FOCAL * street.BASELINE) + .0006
STIXELS = "street-scene-src view=disparity num-buffers={} ! downsample-transpose ! sat-dp-stixels"
SCAN = "street-scene-src view=lidar num-buffers=1"


def launch(line):
    street.run(["gst-launch-1.0", "-q", *line.split()], folder=FOLDER)


def make(*words, status=0):
    return street.run([*PROGRAM, *words], status, folder=FOLDER)


def geometry(name):
    """The only mesh or cloud in a file, read by trimesh."""
    scene = trimesh.load(FOLDER / name, process=False)
    if isinstance(scene, trimesh.Scene):
        street.expect(len(scene.geometry) == 1, f"{name}: {len(scene.geometry)} meshes")
        scene = next(iter(scene.geometry.values()))
    return scene


def colours(mesh):
    """The different ones that its corners have."""
    visual = mesh.visual
    attributes = getattr(visual, "vertex_attributes", None)  # beside a material
    found = visual.vertex_colors if attributes is None else attributes["color"]
    return {tuple(colour[:3]) for colour in np.unique(found, axis=0)}


def near(found, expected, what, tolerance=NEAR):
    error = np.abs(np.asarray(found) - np.asarray(expected)).max()
    street.expect(error <= tolerance, f"{what}: off by {error} m")


def check_stixels(corners, stixels, where):
    """Corners as they come, four for a stixel, in the camera's axes. A road may be cut at its upper
    edge, what hangs over at its lower one."""
    street.expect(len(corners) == 4 * len(stixels) > 1000, f"{where}: {len(corners)} corners of "
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
    street.expect(whole.sum() > 500 and (~high).sum() > 5,
                  f"{where}: {whole.sum()} whole stixels and {(~high).sum()} without an end")


def seen(stixels):
    """Those with a quad: not the sky, and an end that is near enough; infinite: unknown."""
    metres = [{name: np.inf if value is None else value for name, value in s["metres"].items()}
              for s in stixels if s["kind"] != "sky" and s["metres"]]
    return [s for s in metres if min(s["z"], s["z_top"]) < REACH]


def check_street():
    launch(f"{STIXELS.format(1)} ! stixel-json ! filesink location=street.jsonl")
    stixels = seen(json.loads((FOLDER / "street.jsonl").read_text())["stixels"])
    for name, axes, signs in (("street.glb", [0, 1, 2], (1, -1, -1)),
                              ("street.ply", [1, 2, 0], (-1, -1, 1))):
        make("--reach", REACH, "street.jsonl", name)
        mesh = geometry(name)
        check_stixels(mesh.vertices[:, axes] * signs, stixels, name)
        street.expect(len(mesh.faces) == 2 * len(stixels), f"{name}: {len(mesh.faces)} triangles")
        street.expect(len(colours(mesh)) > 50, f"{name} has few colours")
    print(f"{len(stixels)} stixels are where stixel-json says, in both files")


def check_modes():
    """A file for every frame; colours of kinds and classes, as the plugin draws them."""
    launch(f"{street.stixels(2)} ! stixel-json ! filesink location=two.jsonl")
    for mode, least, some in (("kind", 2, {(150, 90, 200), (232, 64, 56)}),
                              ("class", 5, {(128, 64, 128), (0, 0, 142)})):
        make("--mode", mode, "two.jsonl", "frame-%d.ply")
        for number in range(2):
            found = colours(geometry(f"frame-{number}.ply"))
            street.expect(some <= found and len(found) >= least, f"{mode}: colours {found}")
    make("--mode", "kind", "two.jsonl", "frame-%d.glb")
    found = colours(geometry("frame-1.glb"))
    street.expect(found == {(78, 26, 147), (206, 13, 10)}, f"light of kinds: {found}")


def check_scan():
    launch(f"{SCAN} ! tee name=t t. ! queue ! filesink location=scan.bin "
           "t. ! queue ! lidar-ground ! application/x-point-labels ! filesink location=scan.label")
    points = np.fromfile(FOLDER / "scan.bin", "<f4").reshape(-1, 4)
    points[0, 0] = np.inf
    points.tofile(FOLDER / "scan.bin")
    points = points[1:]
    make("scan.bin", "scan.ply")
    make("--mode", "kind", "--labels", "scan.bin", "scan.glb")
    near(geometry("scan.ply").vertices, points[:, :3], "points of ply", 0)
    cloud = geometry("scan.glb")
    near(cloud.vertices * (-1, 1, -1), points[:, [1, 2, 0]], "points of glb", 0)
    ground = tuple(cloud.visual.vertex_colors[:, :3][points[:, 2] < -1.6].mean(0).round())
    street.expect(len(colours(cloud)) > 20 and np.allclose(ground, (9, 35, 25), atol=3),
                  f"{len(colours(cloud))} colours of clusters, the ground is {ground}")
    launch("filesrc location=scan.ply blocksize=100000000 ! lidar-parse "
           "! filesink location=again.bin")
    again = np.fromfile(FOLDER / "again.bin", "<f4").reshape(-1, 4)
    near(again, points, "points that lidar-parse reads", 0)
    print(f"{len(points)} points are where they were")


def check_refusals():
    (FOLDER / "odd.bin").write_bytes(bytes(17))
    (FOLDER / "short.bin").write_bytes(bytes(32))
    (FOLDER / "short.label").write_bytes(bytes(4))
    bare = json.loads((FOLDER / "street.jsonl").read_text())
    for name, change in (("camera", {"camera": None}), ("nothing", {"stixels": []})):
        (FOLDER / f"{name}.jsonl").write_text(json.dumps({**bare, **change}))
    for words, status, reasons in (
            (("street.jsonl", "street.obj"), 2, ("street.obj", ".glb", ".ply")),
            (("two.jsonl", "street.glb"), 1, ("two.jsonl", "more than one frame", "%03d")),
            (("--reach", "0", "two.jsonl", "x.glb"), 2, ("1 to 1000",)),
            (("missing.jsonl", "x.glb"), 1, ("missing.jsonl",)),
            (("odd.bin", "x.glb"), 1, ("odd.bin", "17 bytes")),
            (("--labels", "short.bin", "x.glb"), 1, ("2 points", "short.label has 1")),
            (("camera.jsonl", "x.glb"), 1, ("line 1", "focal, baseline, cx, cy")),
            (("nothing.jsonl", "x.glb"), 1, ("nothing.jsonl", "without stixels"))):
        said = make(*words, status=status)
        street.expect(all(reason in said for reason in reasons), f"{words}: {said}")


if __name__ == "__main__":
    check_street()
    check_modes()
    check_scan()
    check_refusals()
