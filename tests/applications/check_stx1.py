#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of stx-stx1 in the package that the format is from, pyStixel-lib, and back through it:
every object stixel, its place in metres, classes, obstacles, pictures; and what is refused.

pyStixel-lib is in the folder that STX_STX1 names (tests/packages.sh), or installed; without it the
test is skipped.
"""
import json
import os
import pathlib
import sys
import tempfile

if os.environ.get("STX_STX1"):
    sys.path.insert(0, os.environ["STX_STX1"])

import street

street.skip_without("numpy", "stixel")

import numpy as np  # noqa: E402
import stixel  # noqa: E402

PROGRAM = [sys.executable, street.EXAMPLES / "stx-stx1/stx-stx1.py"]
FOLDER = pathlib.Path(tempfile.mkdtemp())
FRAMES = 3
# Classes without a type of their own, and what they are after a conversion there and back.
BACK = {"wall": "building", "fence": "building", "train": "none", "rider": "rider"}


def launch(line):
    street.run(["gst-launch-1.0", "-q", *line.split()], folder=FOLDER)


def make(*words, status=0):
    return street.run([*PROGRAM, *words], status, folder=FOLDER)


def lines(name):
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]


def expect_near(found, expected, what, tolerance):
    worst = np.abs(np.subtract(found, expected)).max()
    street.expect(worst <= tolerance, f"{what} are off by {worst}")


def objects_of(frame):
    return [(i, s) for i, s in enumerate(frame["stixels"])
            if s["kind"] == "object" and s["distance"] is not None]


def check_world(world, frame, number):
    """The package reads the numbers of the line."""
    objects = objects_of(frame)
    street.expect(len(world.stixel) == len(objects) > 200, f"{len(world.stixel)} stixels")
    ids = {o["id"] for o in frame["obstacles"]} - {None}
    for one, (index, s) in zip(world.stixel, objects):
        left = s["column"] * street.CELL
        width = min(street.CELL, street.WIDTH - left)
        street.expect((one.u, one.vT, one.vB, one.width, one.idx) == (
            left + width // 2, s["top"], s["bottom"] + 1, width, index), f"{one} is not {s}")
        street.expect(abs(one.confidence - s["confidence"]) < 1e-6, f"{one} is not {s}")
        street.expect(one.cluster == -1 or one.cluster in ids, f"{one.cluster} of {ids}")
    scale = street.FOCAL * street.BASELINE
    expect_near([scale / one.d for one in world.stixel],
                [(s["disparity_top"] + s["disparity_bottom"]) / 2 for _, s in objects],
                "disparities of what the package has", .001)
    types = {stixel.Segmentation.Type.Name(one.label): s["class"]
             for one, (_, s) in zip(world.stixel, objects)}
    street.expect(types.get("TYPE_CAR") == "car" and types.get("TYPE_BUILDING") in (
        "building", "wall", "fence") and types.get("TYPE_VEGETATION") == "vegetation", f"{types}")
    found = {one.cluster for one in world.stixel} - {-1}
    street.expect(len(found) > .7 * len(ids) and world.context.clusters == max(found),
                  f"clusters {found} of obstacles {ids}")
    street.expect(world.context.name == f"drive-{number}", world.context.name)


def check_places(world, frame):
    """Points of the package lie where metres are, half a pixel aside; of what is not slanted."""
    upright = [(i, one, s) for i, (one, (_, s)) in enumerate(zip(world.stixel, objects_of(frame)))
               if s["metres"] and s["disparity_top"] == s["disparity_bottom"]
               and s["metres"]["z"] < 60]
    tops = stixel.convert_to_3d_stixel(world)
    street.expect(len(upright) > 40, f"{len(upright)} upright stixels")
    expect_near([[tops[i][0], tops[i][2]] for i, _, _ in upright],
                [[s["metres"]["x"] + (one.width // 2 - (one.width - 1) / 2) * one.d / street.FOCAL,
                  s["metres"]["z"]] for _, one, s in upright], "places", .01)
    points = stixel.convert_to_point_cloud(world)[0]
    rows = sum(s["bottom"] - s["top"] + 1 for _, s in objects_of(frame))
    street.expect(points.shape == (rows, 3), f"{points.shape} points of {rows} rows")
    depths = stixel.derive_depth_map_from_stixel_world(world)
    street.expect(depths.shape == (street.HEIGHT, street.WIDTH), f"{depths.shape}")
    boxes = stixel.derive_3d_bounding_boxes_from_clusters(world)
    street.expect(len(boxes) > 3, f"{len(boxes)} boxes")


def check_out():
    launch(f"{street.stixels(FRAMES)} ! stixel-obstacles ! stixel-json ! "
           "filesink location=street.jsonl")
    launch(f"street-scene-src num-buffers={FRAMES} ! video/x-raw,format=RGB ! pngenc ! "
           "multifilesink location=left-%d.png")
    make("--image", "left-%d.png", "street.jsonl", "drive-%d.stx1")
    for number, frame in enumerate(lines("street.jsonl")):
        data = (FOLDER / f"drive-{number}.stx1").read_bytes()
        world = stixel.read(str(FOLDER / f"drive-{number}.stx1"))
        street.expect(world.SerializeToString() == data, "the package writes other bytes")
        check_world(world, frame, number)
        check_places(world, frame)
        street.expect(stixel.decode_img(world).size == (street.WIDTH, street.HEIGHT), "no picture")
        street.expect(stixel.draw_stixels_on_image(world).size[0] == street.WIDTH, "no drawing")
    print(f"{FRAMES} frames are what the package reads")


def check_back():
    """Read and saved by the package, then lines again: the same objects."""
    (FOLDER / "saved").mkdir()
    for number in range(FRAMES):
        stixel.save(stixel.read(str(FOLDER / f"drive-{number}.stx1")), str(FOLDER / "saved"),
                    export_image=number == 0)
    make("--baseline", street.BASELINE, *(f"saved/drive-{n}.stx1" for n in range(FRAMES)),
         "back.jsonl")
    said = street.run([sys.executable, street.EXAMPLES / "read_stixels.py", "back.jsonl"],
                      folder=FOLDER)
    street.expect(said.count("object") >= FRAMES, said)
    for before, after in zip(lines("street.jsonl"), lines("back.jsonl")):
        expected = [(s["column"], s["top"], s["bottom"], BACK.get(s["class"], s["class"]))
                    for _, s in objects_of(before)]
        found = [s for s in after["stixels"] if s["disparity_bottom"] > 0]
        street.expect([(s["column"], s["top"], s["bottom"], s["class"]) for s in found] == expected,
                      "other stixels came back")
        expect_near([s["disparity_bottom"] for s in found],
                    [(s["disparity_top"] + s["disparity_bottom"]) / 2
                     for _, s in objects_of(before)], "disparities", .001)
        street.expect(all(before[key] == after[key] for key in (
            "width", "height", "stixel_width", "columns")), "another picture")
        for name in ("focal", "cx", "cy", "baseline"):
            expect_near(after["camera"][name], before["camera"][name], name, 1e-4)
    print(f"{FRAMES} frames come back")


def check_schema():
    try:
        import jsonschema
    except ImportError:
        return
    schema = json.loads((street.ROOT / "docs/stixel-json-1.schema.json").read_text())
    for line in lines("back.jsonl"):
        jsonschema.validate(line, schema)


def check_ground():
    make("--ground", "street.jsonl", "all-%d.stx1")
    world = stixel.read(str(FOLDER / "all-0.stx1"))
    found = {stixel.Segmentation.Type.Name(one.label) for one in world.stixel}
    street.expect({"TYPE_ROAD", "TYPE_SIDEWALK"} <= found, f"{found}")
    make("all-0.stx1", "ground.jsonl")
    kinds = {s["kind"] for s in lines("ground.jsonl")[0]["stixels"]}
    street.expect(kinds == {"ground", "object"}, f"{kinds}")


def check_others():
    """As the samples of the package are: places of the grid, overlaps, sizes that are none."""
    world = stixel.StixelWorld()
    for u, top, bottom, depth in ((0, 10, 40, 20), (0, 30, 60, 10), (8, 5, 9, 3)):
        world.stixel.add(u=u, vT=top, vB=bottom, d=depth, width=8, label=1, confidence=.5)
    world.context.calibration.K.extend([100, 0, 50, 0, 100, 30, 0, 0, 1])
    world.context.calibration.width, world.context.calibration.height = 1280, 3
    world.context.name = "other"
    stixel.save(world, str(FOLDER))
    make("other.stx1", "other.jsonl")
    line = lines("other.jsonl")[0]
    known = [(s["column"], s["top"], s["bottom"], s["distance"]) for s in line["stixels"]
             if s["distance"]]
    street.expect((line["width"], line["height"]) == (16, 60), f"{line['width']}")
    street.expect(known == [(0, 30, 59, 10), (0, 10, 29, 20), (1, 5, 8, 3)], f"{known}")
    for change, words in (
            (lambda w: w.stixel[0].__setattr__("width", 6), "6 pixels wide, others 8"),
            (lambda w: w.stixel[1].__setattr__("d", 0), "stixel 1 is 0.0 m away"),
            (lambda w: w.stixel[1].__setattr__("vB", 3), "stixel 1 is at u 0, rows 30 to 3"),
            (lambda w: w.ClearField("stixel"), "it has no stixels"),
            (lambda w: w.context.calibration.ClearField("K"), "--focal")):
        changed = stixel.StixelWorld()
        changed.CopyFrom(world)
        change(changed)
        (FOLDER / "changed.stx1").write_bytes(changed.SerializeToString())
        said = make("changed.stx1", "x.jsonl", status=1)
        street.expect(words in said and "changed.stx1: " in said, said)
    make("--focal", 100, "changed.stx1", "x.jsonl")


def check_refusals():
    data = (FOLDER / "drive-1.stx1").read_bytes()
    (FOLDER / "half.stx1").write_bytes(data[:len(data) // 2])
    (FOLDER / "noise.stx1").write_bytes(b"\x0e\x7f\xff" * 9)
    (FOLDER / "empty.stx1").write_bytes(b"")
    launch("street-scene-src view=disparity num-buffers=1 ! downsample-transpose ! rdp-columns ! "
           "stixel-json ! filesink location=segments.jsonl")
    bare = {**lines("street.jsonl")[0], "camera": None}
    (FOLDER / "bare.jsonl").write_text(json.dumps(bare))
    launch("videotestsrc num-buffers=1 ! video/x-raw,width=64,height=64 ! pngenc ! "
           "filesink location=small.png")
    for words, status, reasons in (
            (("half.stx1", "x.jsonl"), 1, ("half.stx1: it ends in the middle",)),
            (("noise.stx1", "x.jsonl"), 1, ("noise.stx1: ", "this is no .stx1")),
            (("empty.stx1", "x.jsonl"), 1, ("empty.stx1: it has no stixels",)),
            (("missing.stx1", "x.jsonl"), 1, ("missing.stx1",)),
            (("street.jsonl", "x.stx1"), 1, ("more than one frame", "%03d")),
            (("street.jsonl", "x.bin"), 2, ("x.bin", ".stx1", ".jsonl")),
            (("bare.jsonl", "x.stx1"), 1, ("line 1", "focal, baseline, cx, cy")),
            (("segments.jsonl", "x.stx1"), 1, ("line 1", "rdp-columns")),
            (("drive-0.stx1", "x.stx1"), 1, ("drive-0.stx1: line 1",)),
            (("--image", "small.png", "street.jsonl", "x-%d.stx1"), 1, ("small.png", "1242 x 375")),
            (("--baseline", "0", "drive-0.stx1", "x.jsonl"), 2, ("--baseline 0",))):
        said = make(*words, status=status)
        street.expect(all(reason in said for reason in reasons), f"{words}: {said}")


if __name__ == "__main__":
    check_out()
    check_back()
    check_schema()
    check_ground()
    check_others()
    check_refusals()
