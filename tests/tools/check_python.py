#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Python package `stixels`, as it lies in the build folder or is installed.

usage: check_python.py [COMPILER...]   with PYTHONPATH and STIXELS_LIBRARY of the build folder

  - structs have the sizes and offsets that the compiler gives them (with COMPILER);
  - everything that goes in comes out as the elements have it, byte by byte, where there is
    GStreamer; also by one thread, by the reference, and from arrays of any strides;
  - what is wrong is refused by name, and then all goes on;
  - other threads run during a call;
  - python -m stixels draws the overlay;
  - the blocks of docs/python.md run one after the other.
"""
import copy
import ctypes
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zlib

import numpy as np

import stixels
from installed import run
from stixels import _c as c

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH, HEIGHT = 613, 187  # odd: the last column of cells is narrow


def expect(good, what):
    if not good:
        sys.exit(f"not true: {what}")


# ---- Layout -------------------------------------------------------------------------------------

def check_layout(compiler, folder):
    """The compiler's sizes and offsets against those of ctypes."""
    kinds = [kind for kind in vars(c).values() if isinstance(kind, type)
             and issubclass(kind, c.Structure) and getattr(kind, "_fields_", None)]
    lines, ours = [], []
    for kind in kinds:
        name = kind.__name__
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        ours.append(f"{name} {ctypes.sizeof(kind)}")
        for field, _ in kind._fields_:
            place = getattr(kind, field)
            lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}),'
                         f" sizeof((({name} *)0)->{field}));")
            ours.append(f"{name}.{field} {place.offset} {place.size}")
    headers = re.findall(r"'([\w/]+\.h)'", re.search(
        r"stixels_headers = \[(.*?)\]", (ROOT / "common/stixels/meson.build").read_text(),
        re.S)[1])
    text = "".join(f'#include "common/{header}"\n' for header in headers)
    (folder / "probe.c").write_text(text + "#include <stdio.h>\nint main(void)\n{\n"
                                    + "\n".join(lines) + "\nreturn 0;\n}\n")
    theirs = run(f"{' '.join(compiler)} -I'{ROOT}' probe.c -o probe && ./probe",
                 cwd=folder).splitlines()
    wrong = [f"{a} in C, {b} in Python" for a, b in zip(theirs, ours) if a != b]
    expect(len(theirs) == len(ours) and not wrong, "\n".join(wrong))
    print(f"{len(kinds)} structs, {len(ours) - len(kinds)} fields as the compiler has them")


# ---- The elements -------------------------------------------------------------------------------

SIZE = f"width={WIDTH},height={HEIGHT}"


def gst(line, folder):
    run(f"gst-launch-1.0 -q {line}", cwd=folder)


def source(view, form="GRAY8"):
    """A frame of the street, with its number."""
    return (f"street-scene-src view={view} num-buffers=1 ! video/x-raw,{SIZE}"
            + (f" ! videoconvert ! video/x-raw,format={form}" if form else ""))


def elements(folder):
    """Files of what the elements make of the first frame; strides are whole: 613 is odd, so rows of
    GRAY8 are padded, and cut again here."""
    pair = (f"{source('left')} ! sgm.sink_left {source('right')} ! sgm.sink_right"
            " stereo-sgm name=sgm")
    gst(f"{pair} ! filesink location=disparity", folder)
    for name, rest in {"stixels": "sat-dp-stixels", "segments": "rdp-columns",
                       "uniform": "sat-dp-stixels model=gaussian-uniform"}.items():
        gst(f"{pair} ! downsample-transpose ! {rest} ! filesink location={name}", folder)
    gst(f"{pair} ! downsample-transpose ! filesink location=columns", folder)
    gst(f"{pair} ! downsample-transpose ! sat-dp-stixels ! stixel-obstacles"
        " ! application/x-obstacles ! filesink location=obstacles", folder)
    gst(f"{pair} ! downsample-transpose ! sat-dp-stixels ! stixel-json ! filesink location=lines",
        folder)
    gst(f"{pair} ! downsample-transpose ! sat-dp-stixels ! tee name=t"
        f" {source('left', 'RGB')} ! o.sink t. ! queue ! stixel-obstacles ! o.stixels"
        " stixel-overlay name=o labels=distance+id free-space=true ! filesink location=overlay"
        " t. ! queue ! stixel-obstacles ! stixel-bev ! video/x-raw,format=RGB,width=400,height=300"
        " ! filesink location=above", folder)
    gst("street-scene-src view=lidar num-buffers=1 ! tee name=t"
        " t. ! queue ! filesink location=scan"
        " t. ! queue ! lidar-ground ! stixel-obstacles ! application/x-obstacles"
        " ! filesink location=around"
        " t. ! queue ! lidar-ground ! lidar-bev ! video/x-raw,format=RGB,width=400,height=300"
        " ! filesink location=scan-above", folder)


def unpadded(path, dtype, width, height, channels=1):
    """A picture of GStreamer, whose rows are padded to four bytes."""
    data = np.frombuffer(path.read_bytes(), np.uint8).reshape(height, -1)
    row = np.ascontiguousarray(data[:, :width * channels * np.dtype(dtype).itemsize]).view(dtype)
    return row.reshape(height, width, channels)[..., 0] if channels == 1 else row.reshape(
        height, width, channels)


def same(name, ours, theirs):
    """Byte by byte."""
    theirs = theirs.tobytes() if isinstance(theirs, np.ndarray) else theirs
    if ours.tobytes() != theirs:
        sys.exit(f"{name}: {ours.nbytes} bytes are not the {len(theirs)} of the element")


def check_elements(street, folder):
    elements(folder)
    read = lambda name: (folder / name).read_bytes()  # noqa: E731
    left, right = street.pair()
    found = stixels.match(left, right)
    same("match", found.disparity, unpadded(folder / "disparity", np.uint16, WIDTH, HEIGHT))
    columns = stixels.reduce(*found)
    same("reduce", columns.data, read("columns"))
    frame = stixels.stixels(columns, street.camera)
    same("stixels", frame.records, read("stixels"))
    same("segments", stixels.segments(columns).records, read("segments"))
    same("model", stixels.stixels(columns, street.camera, model="gaussian-uniform").records,
         read("uniform"))
    obstacles = stixels.Tracker()(frame, 0)
    same("obstacles", obstacles.records, read("obstacles"))
    colour, _ = street.pair(colour=True)
    same("overlay", stixels.overlay(colour, frame, obstacles=obstacles, labels="distance+id",
                                    free_space=True),
         unpadded(folder / "overlay", np.uint8, WIDTH, HEIGHT, 3))
    above = {"width": 400, "height": 300}
    same("above", stixels.above(frame, obstacles=obstacles, **above), read("above"))
    points, _ = stixels.Street().scan()
    same("scan", points, read("scan"))
    labels = stixels.ground(points).labels
    same("around", stixels.Tracker().scan(points, labels, 0).records, read("around"))
    same("scan above", stixels.above(points=points, labels=labels, **above), read("scan-above"))
    (line,) = stixels.read_lines(folder / "lines")
    near = np.abs(line.records["disparity_top"] - frame.records["disparity_top"]) <= .0006
    expect((line.records["kind"] == frame.records["kind"]).all() and near.all()
           and abs(line.camera.focal - street.camera.focal) < 1e-6,
           "lines of JSON are these stixels")
    print("as the elements: match, reduce, stixels, segments, obstacles, overlay, above, ground")


# The elements behind the matcher, or behind true disparities, and the same of a Pipeline.
PIPELINES = (
    ("sat-dp-stixels", {}),
    ("sat-dp-stixels ground=estimate", {"ground": "estimate"}),  # depends on the frames before
    ("sat-dp-stixels cut-candidates=rdp", {"fast": True}),
    ("rdp-columns", {"segments": {}}),
    ("sat-dp-stixels model=gaussian-uniform", {"model": "gaussian-uniform"}),
    ("sat-dp-stixels", {"source": "disparities"}),
    ("sat-dp-stixels", {"labels": True}))


def check_pipelines(street, folder):
    """Four frames, one after the other."""
    def view(name, form=None):
        return source(name, form).replace("buffers=1", "buffers=4")

    pair = (f"{view('left', 'GRAY8')} ! sgm.sink_left {view('right', 'GRAY8')} ! sgm.sink_right"
            " stereo-sgm name=sgm")
    for element, settings in PIPELINES:
        first = view("disparity") if "source" in settings else pair
        labels = f"{view('semantics')} ! cells.semantics" * ("labels" in settings)
        gst(f"{first} ! downsample-transpose name=cells ! {element} ! filesink location=frames "
            f"{labels}", folder)
        pipeline, found = stixels.Pipeline(WIDTH, HEIGHT, **settings), []
        for number in range(4):
            street.move(number)
            disparity, kinds = street.truth()
            given = {"disparity": disparity} if "source" in settings else {}
            given |= {"labels": kinds} if "labels" in settings else {}
            found.append(pipeline(*(() if "source" in settings else street.pair()),
                                  camera=street.camera, **given).records)
        same(f"{element} {settings}", np.concatenate(found), (folder / "frames").read_bytes())
    street.move(0)
    print(f"as the elements: {len(PIPELINES)} pipelines of four frames")


# ---- The same again -----------------------------------------------------------------------------

def strided(picture):
    """The same picture in other memory: rows apart, upside down, every second column,
    transposed."""
    wide = np.zeros((picture.shape[0], picture.shape[1] + 11), picture.dtype)
    wide[:, 3:-8] = picture
    twice = np.repeat(picture, 2, axis=1)
    return (wide[:, 3:-8], np.ascontiguousarray(picture[::-1])[::-1], twice[:, ::2],
            np.asfortranarray(picture))


def check_same(street):
    left, right = street.pair()
    frame = stixels.Pipeline(WIDTH, HEIGHT, maps=True)(left, right, street.camera)
    found = stixels.match(left, right)
    expect((found.disparity == frame.disparity).all(), "match and Pipeline agree")
    expect((found.confidence == frame.confidence).all(), "so do confidences")
    for a, b in zip(strided(left), strided(right)):
        again = stixels.match(a, b, threads=1)
        expect((again.disparity == found.disparity).all(), f"strides {a.strides}")
    columns = stixels.reduce(*found)
    for disparity, confidence in zip(strided(found.disparity), strided(found.confidence)):
        again = stixels.reduce(disparity, confidence, threads=1, backend="omp")
        expect((again.data == columns.data).all(), f"strides {disparity.strides}")
    stored = [stixels.stixels(columns, street.camera, threads=n, backend=b).records.tobytes()
              for n, b in ((0, "auto"), (1, "omp"))]
    expect(len(set(stored)) == 1 and stored[0] == frame.records.tobytes(), "all backends agree")
    floats = np.where(found.disparity > 0, found.disparity / 256, np.nan).astype(np.float32)
    again = stixels.reduce(floats, found.confidence, encoding="pixels", confidence_is_sky=True)
    expect((again.data == columns.data).all(), "pixels of float32 are the same columns")
    check_semantics(street, found)
    check_metres(frame)
    expect("records=<" in repr(frame) and len(repr(frame)) < 700, f"a frame prints as {frame}")
    check_masked(street, found)


def masked(value, mask):
    """The array with a mask over elements that say something else."""
    below = np.ma.masked_array(value.copy(), mask=mask)
    below.data[mask] = below.data[mask] // 2 + 20
    return below


def check_masked(street, found):
    """The number below a mask never counts."""
    mask = np.zeros((HEIGHT, WIDTH), bool)
    mask[:, 100:200] = True
    unknown = np.where(mask, 0, found.disparity).astype(np.uint16)
    surely = np.where(mask, 0, found.confidence).astype(np.uint8)
    expected = stixels.reduce(unknown, surely).data
    for disparity, confidence in ((masked(found.disparity, mask), found.confidence),
                                  (masked(found.disparity, mask), masked(found.confidence, mask)),
                                  (found.disparity, masked(found.confidence, mask))):
        again = stixels.reduce(disparity, confidence)
        expect((again.data[0] == expected[0]).all(), "masked disparities are unknown")
    for encoding, dtype in (("opencv", np.int16), ("pixels", np.float32)):
        plain = stixels.reduce(unknown.astype(dtype), encoding=encoding)
        again = stixels.reduce(masked(unknown.astype(dtype), mask), encoding=encoding)
        expect((again.data == plain.data).all(), f"masked disparities of {encoding} are unknown")
    _, labels = street.truth()
    plain = stixels.reduce(*found, labels=np.where(mask, 255, labels).astype(np.uint8))
    again = stixels.reduce(*found, labels=masked(labels, mask))
    expect((again.data == plain.data).all(), "masked labels are none")
    depth = street.camera.depth(masked(found.disparity, mask))
    expect(np.isnan(depth[mask]).all(), "masked disparities have no depth")
    left, right = street.pair()
    nothing = np.zeros(left.shape, bool)
    again = stixels.match(np.ma.masked_array(left, mask=nothing), right)
    expect((again.disparity == found.disparity).all(), "a mask that hides nothing is no matter")


def check_semantics(street, found):
    _, labels = street.truth()
    labelled = stixels.reduce(*found, labels=labels)
    expect(labelled.data.shape[0] == 21, "two channels and one for each class")
    scores = (labels[..., None] == np.arange(19)).astype(np.uint8) * 255
    apart = stixels.reduce(*found, scores=np.moveaxis(scores, 2, 0))
    expect((apart.data == labelled.data).all(), "scores, classes innermost, are these labels")
    frame = stixels.stixels(labelled, street.camera)
    expect({stixels.CLASSES[i] for i in set(frame.records["label"])} >= {"road", "car"},
           "stixels have classes")


def check_metres(frame):
    """By the formula of common/metres.h."""
    records, camera, metres = frame.records, frame.camera, frame.metres()
    below = records["disparity_bottom"].astype(float)
    with np.errstate(divide="ignore"):
        z = np.where(below > 0, camera.focal * camera.baseline / below, np.nan)
    y = (records["bottom"] + .5 - camera.cy) * z / camera.focal
    expect(np.array_equal(metres["z"], z, equal_nan=True), "z is focal · baseline / disparity")
    expect(np.array_equal(metres["y"], y, equal_nan=True), "y is as the camera has it")


# ---- Files --------------------------------------------------------------------------------------

def check_files(street, folder):
    points, _ = street.scan(16)
    points.tofile(folder / "scan.bin")
    expect((stixels.read_points(folder / "scan.bin") == points).all(), "points come back")
    lines = "\n".join(" ".join(map(str, point)) for point in points[:9])
    (folder / "scan.pcd").write_text("VERSION .7\nFIELDS x y z intensity\nSIZE 4 4 4 4\n"
                                     "TYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 9\nHEIGHT 1\nPOINTS 9\n"
                                     "DATA ascii\n"
                                     + lines + "\n")
    expect((stixels.read_points(folder / "scan.pcd") == points[:9]).all(), "points of PCD, too")
    frame = stixels.Pipeline(WIDTH, HEIGHT)(*street.pair(), street.camera)
    stixels.write_records(folder / "frame", frame.records)
    expect((stixels.read_records(folder / "frame") == frame.records).all(), "records come back")
    matrix = np.array([[500, 0, 300.5], [0, 501, 90.25], [0, 0, 1]])
    made = stixels.Calibration.of_opencv(matrix, [-.3, .1, 1 / 3000], matrix, [-.2], np.eye(3),
                                         [-.5, 1e-3, 0], (WIDTH, HEIGHT))
    stixels.write_calibration(folder / "c.json", made)
    read = stixels.read_calibration(folder / "c.json")
    expect(all(np.array_equal(a, b) for side in range(2)
               for a, b in zip(made.lens(side), read.lens(side))), "lenses come back")
    expect((read.T == made.T).all() and (read.R == np.eye(3)).all()
           and read.size == (WIDTH, HEIGHT), "so does the rest")
    left, right, camera = stixels.rectify(read, *street.pair())
    expect(abs(camera.baseline - .5) < 1e-5 and left.shape == right.shape, "it rectifies")
    colour = np.dstack([street.pair()[0]] * 3)
    rectifier = stixels.Rectifier(read, WIDTH, HEIGHT)
    expect((rectifier(colour, colour)[0][..., 1] == left).all(), "colours as gray")


# ---- The camera's motion ------------------------------------------------------------------------

def stands(frame, found, labels):
    """Returns for each obstacle whether none of its stixels truly shows a class that may move."""
    which = found.members != stixels.NO_OBSTACLE
    records, members = frame.records[which], found.members[which]
    row = (records["top"].astype(int) + records["bottom"]) // 2
    column = np.minimum(records["column"] * frame.stixel_width + frame.stixel_width // 2, WIDTH - 1)
    result = np.ones(len(found), bool)
    result[members[np.isin(labels[row, column], range(11, 19))]] = False
    return result


def check_motion(street):
    """A street at 10 m/s and ten frames a second: the camera comes 1 m nearer in each."""
    pipeline = stixels.Pipeline(WIDTH, HEIGHT, maps=True)
    trackers = [stixels.Tracker() for _ in range(3)]
    forward = stixels.Motion(np.eye(3), np.array([0, 0, -1.]))
    known, count, judged = 0, 0, 0
    for number in range(8):
        street.move(number)
        frame = pipeline(*street.pair(), street.camera)
        auto, given, none = (tracker(frame, number / 10, motion=motion) for tracker, motion
                             in zip(trackers, ("auto", forward, None)))
        expect(none.motion is None and none.velocities is None, "no motion is known with None")
        expect((given.motion.translation == [0, 0, -1]).all()
               and (given.motion.rotation == np.eye(3)).all(), "a given motion is used")
        if number < 3:
            continue
        expect(np.abs(auto.motion.translation - [0, 0, -1]).max() < .03, "the estimate is right")
        expect(len(auto.velocities) == len(auto) and len(auto.stixel_velocities) == len(frame),
               "all have a velocity")
        speeds = auto.records["closing_speed"]
        told = np.isfinite(speeds)
        known, count = known + told.sum(), count + len(auto)
        standing = told & stands(frame, auto, street.truth()[1])
        judged += standing.sum()
        expect((np.abs(speeds[standing] - 10) <= 1.5).all(), f"stands, so 10 m/s: {speeds}")
    street.move(0)
    expect(known > .5 * count and judged >= 10, f"{known} of {count} speeds known, {judged} judged")
    expect(np.isfinite(given.records["closing_speed"]).any(), "speeds with a given motion")
    far = dataclasses.replace(frame, left=None)
    expect(trackers[0](far, .8).motion is None and trackers[0](frame, .9).motion is None,
           "an estimate does not reach beyond a frame without its picture")
    print(f"with the camera's motion {known} of {count} speeds are known")


def check_infinity(street):
    """The right camera turns: its picture moves by 5 px, and the disparity at infinity follows."""
    for settings, infinity in ({}, -5), ({"disparity_at_infinity": 0}, 0):
        pipeline = stixels.Pipeline(WIDTH, HEIGHT, maps=True, match=settings)
        tracker = stixels.Tracker(pipeline=pipeline)
        for number in range(20):
            street.move(number)
            left, right = street.pair()
            if number >= 8:
                right[:, 5:] = right[:, :-5].copy()
            frame = pipeline(left, right, street.camera)
            found = tracker(frame, number / 10)
            expect(frame.infinity == 0 if number < 8 else infinity <= frame.infinity <= 0,
                   f"{frame.infinity} px in frame {number}")
        expect(frame.infinity == infinity, f"{frame.infinity} px, not {infinity}")
        if infinity:
            expect(np.abs(found.motion.translation - [0, 0, -1]).max() < .06, found.motion)
    street.move(0)


def check_measures(street):
    """Errors and confusions by NumPy; a column's terms add up to its stixels' costs."""
    pipeline = stixels.Pipeline(WIDTH, HEIGHT, maps=True)
    frame, (truth, labels) = pipeline(*street.pair(), street.camera), street.truth()
    filled, drawn = stixels.fill(frame.disparity), frame.draw("disparity")
    expect(((filled == frame.disparity) | (frame.disparity == 0)).all() and (filled > 0).all(),
           "filling changes holes alone")
    known, off = truth > 0, np.abs(truth.astype(int) - drawn)
    far, much = off > 3 * 256, 20 * off > truth.astype(int)
    expect(stixels.wrong_disparities(truth, drawn) == (
        known.sum(), (known & (drawn > 0)).sum(), (known & (far & much | (drawn == 0))).sum(),
        (known & (far | much | (drawn == 0))).sum()), "errors as KITTI counts them")
    cell = np.s_[HEIGHT - HEIGHT % 8 - 8:HEIGHT - HEIGHT % 8, 80:88]
    counts = np.bincount(labels[cell].ravel(), minlength=256)[:19]
    expect((stixels.majority(frame.columns, labels)[cell] == counts.argmax()).all(), "a majority")
    told = stixels.Explainer(frame)(40)
    for one in told.stixels:
        expect(abs(sum(one.terms.values()) - one.record["cost"]) < 1e-3, "terms add up to the cost")
        expect(min(one.changed.values()) >= -1e-9, "no other kind is cheaper")
    expect(abs(sum(one.record["cost"] for one in told.stixels) - told.energy) < 1e-3
           and told.least <= told.energy, "costs add up to the energy")
    again = stixels.Pipeline(WIDTH, HEIGHT, source="disparities", use_confidence=False)
    pairs = stixels.Pipeline(WIDTH, HEIGHT, use_confidence=False, match={"sky": False}, maps=True)
    first = pairs(*street.pair(), street.camera)
    expect(again(camera=street.camera, disparity=first.disparity).records["kind"].max() <= 3
           and len(first), "disparities in place of pairs")


# ---- What is refused ----------------------------------------------------------------------------

def refusals(street, folder):
    """(what begins the text or is in it, the exception, call)."""
    left, right = street.pair()
    disparity = stixels.match(left, right).disparity
    columns = stixels.reduce(disparity)
    frame = stixels.stixels(columns, street.camera)
    points, labels = street.scan(16)
    (folder / "words").write_text("no numbers here\n")
    (folder / "short").write_bytes(b"x" * 25)
    (folder / "bad.jsonl").write_text('{"stixels": [], "width": 8}\n')
    error, kind = stixels.Error, TypeError
    eye, matrix = np.eye(3), np.array([[500, 0, 300.5], [0, 501, 90.25], [0, 0, 1]])
    hidden = np.ma.masked_array(left, mask=left > 100)

    def of_opencv(R=eye, T=(-.5, 0, 0), K=matrix):
        return stixels.Calibration.of_opencv(K, [0], matrix, [0], R, T, (WIDTH, HEIGHT))

    return [
        ("left is a masked array", kind, lambda: stixels.match(hidden, right)),
        ("picture is a masked array", kind, lambda: stixels.overlay(
            np.ma.masked_array(np.dstack([left] * 3), mask=True), frame)),
        ("points is a masked array", kind, lambda: stixels.ground(
            np.ma.masked_array(points, mask=True))),
        ("T is a masked array", kind, lambda: of_opencv(
            T=np.ma.masked_array([-.5, 0, 0], mask=[0, 1, 0]))),
        ("R, between the cameras, is no rotation", error, lambda: of_opencv(R=eye * 2)),
        ("left and right are swapped", error, lambda: of_opencv(T=(.5, 0, 0))),
        ("expected beside it", error, lambda: of_opencv(T=(0, .5, 0))),
        ("give metres", error, lambda: of_opencv(T=(-500, 0, 0))),
        ("same place", error, lambda: of_opencv(T=(0, 0, 0))),
        ("principal point (900.5, 90.25) lies outside", error,
         lambda: of_opencv(K=matrix + [[0, 0, 600], [0] * 3, [0] * 3])),
        ("Pipeline cannot be copied", kind, lambda: copy.copy(stixels.Pipeline(64, 64))),
        ("Tracker cannot be copied", kind, lambda: copy.deepcopy(stixels.Tracker())),
        ("Street cannot be copied", kind, lambda: copy.copy(street)),
        ("frame is 9223372036854775808", error, lambda: street.move(2 ** 63)),
        ("must be STIXEL", kind, lambda: stixels.read_records(folder / "short", [])),
        ("max_disparity is 100, must be one of auto, 64, 128, 256", error,
         lambda: stixels.match(left, right, max_disparity=100)),
        ("p1 is 90, but must not exceed p2", error,
         lambda: stixels.match(left, right, p1=90, p2=2)),
        ("p1 is 1000 bits, must be 0 to 96", error, lambda: stixels.match(left, right, p1=1000)),
        ("no setting 'pahts'; did you mean paths?", kind,
         lambda: stixels.match(left, right, pahts=4)),
        ("median is 1, must be True or False", kind, lambda: stixels.match(left, right, median=1)),
        ("left is an array of float64, must be of uint8", kind,
         lambda: stixels.match(left / 1, right)),
        ("left has the shape (187, 613, 1)", error, lambda: stixels.match(left[..., None], right)),
        ("right has 613 × 186 pixels, left 613 × 187", error,
         lambda: stixels.match(left, right[1:])),
        ("left is a list", kind, lambda: stixels.match(left.tolist(), right)),
        ("threads is -1, must be 0 to 256", error, lambda: stixels.match(left, right, threads=-1)),
        ("backend is 'gpu', must be one of auto, omp", error,
         lambda: stixels.match(left, right, backend="gpu")),
        ("height is 0, but must be from 1 to 16384", error,
         lambda: stixels.match(np.empty((0, 5), np.uint8), np.empty((0, 5), np.uint8))),
        ("disparity is an array of >u2", kind, lambda: stixels.reduce(disparity.astype(">u2"))),
        ("encoding depth-mm needs a camera", error,
         lambda: stixels.reduce(disparity, encoding="depth-mm")),
        ("labels has 612 × 187 pixels", error,
         lambda: stixels.reduce(disparity, labels=np.zeros((HEIGHT, WIDTH - 1), np.uint8))),
        ("columns.data has (76, 24) columns and cells", error, lambda: stixels.stixels(
            dataclasses.replace(columns, data=columns.data[:, 1:]), street.camera)),
        ("ground is 'up', must be one of auto", error,
         lambda: stixels.stixels(columns, ground="up")),
        ("class_kinds: x", error, lambda: stixels.stixels(columns, class_kinds="x")),
        ("camera is a dict", kind, lambda: stixels.stixels(columns, {})),
        ("camera: the baseline is 540 m", error, lambda: stixels.Camera(baseline=540)),
        ("camera: cx is nan", error, lambda: stixels.Camera(cx=float("nan"))),
        ("stixel 1 comes before its place", error, lambda: stixels.Tracker()(dataclasses.replace(
            frame, records=frame.records[::-1]))),
        ("max_distance is -1 m", error, lambda: stixels.Tracker(max_distance=-1)),
        ("time is -1 s", error, lambda: stixels.Tracker()(frame, -1)),
        ("motion is 'on', must be 'auto', None, or", kind,
         lambda: stixels.Tracker()(frame, motion="on")),
        ("motion.rotation has the shape (3,)", error,
         lambda: stixels.Tracker()(frame, motion=(eye[0], eye[0]))),
        ("motion.translation is an array of float32", kind,
         lambda: stixels.Tracker()(frame, motion=(eye, eye[0].astype("f4")))),
        ("rotation", error, lambda: stixels.Tracker()(frame, motion=(eye * 2, eye[0]))),
        ("stixels.left has 612 × 187 pixels", error, lambda: stixels.Tracker()(
            dataclasses.replace(frame, left=left[:, 1:], disparity=disparity))),
        ("threads is -1", error, lambda: stixels.Tracker(threads=-1)),
        ("disparity has 612 × 187 pixels, left 613 × 187", error, lambda: stixels.Egomotion()(
            left, disparity[:, 1:], street.camera)),
        ("disparity has 612 × 187 pixels, left 613 × 187", error, lambda: stixels.Hazards()(
            left, right, disparity[:, 1:], street.camera)),
        ("min_height is 0.9 m", error, lambda: stixels.Hazards(min_height=.9)),
        ("labels is a NoneType", kind, lambda: stixels.Occupancy()(points=points)),
        ("frame: it has no columns", error, lambda: stixels.Explainer(
            dataclasses.replace(frame, columns=None))),
        ("column is 77, must be 0 to 76", error, lambda: stixels.Explainer(frame)(77)),
        ("what is 'depth', must be one of", error, lambda: frame.draw("depth")),
        ("disparity: give it, or a pair", error, lambda: stixels.Pipeline(
            WIDTH, HEIGHT)(left, right, disparity=disparity)),
        ("points has the shape", error, lambda: stixels.ground(points[:, :3])),
        ("labels: there are 1", error, lambda: stixels.clusters(points, labels[:1])),
        ("no header of a .pcd", error, lambda: stixels.read_points(folder / "words")),
        ("25 bytes are no whole number", error, lambda: stixels.read_records(folder / "short")),
        ("line 1 has no 'height'", error, lambda: stixels.read_lines(folder / "bad.jsonl")),
        ("expected KITTI's or", error, lambda: stixels.read_camera(folder / "words")),
        ("words", error, lambda: stixels.read_calibration(folder / "words")),
        ("picture has the shape", error, lambda: stixels.overlay(left, frame)),
        ("format is 'HSV'", error, lambda: stixels.overlay(np.dstack([left] * 3), frame,
                                                           format="HSV")),
        ("extrinsics: where the sensor stands", error, lambda: stixels.above(frame, points=points)),
        ("neither stixels nor points", error, lambda: stixels.above()),
        ("width is 9000", error, lambda: stixels.above(frame, width=9000)),
        ("the pipeline is one for 64 × 64", error, lambda: stixels.Pipeline(64, 64)(left, right)),
        ("width is 0, but must be from 1 to", error, lambda: stixels.Pipeline(0, 64)),
        ("width is 4294967936, must be 0 to", error, lambda: stixels.Pipeline(2 ** 32 + 640, 480)),
        ("width is 6.5, must be a whole number", kind, lambda: stixels.Street(width=6.5)),
        ("columns.stixel_width is 0", error, lambda: stixels.segments(
            dataclasses.replace(columns, stixel_width=0))),
        ("stixels.width is 0", error, lambda: stixels.above(dataclasses.replace(frame, width=0))),
        ("scene width is 0", error, lambda: stixels.Street(width=0)),
    ]


def check_refusals(street, folder):
    listed = refusals(street, folder)
    for text, kind, call in listed:
        try:
            call()
        except (ValueError, TypeError) as error:
            if text not in str(error) or not isinstance(error, kind):
                sys.exit(f"expected {kind.__name__} with: {text}\nfound {type(error).__name__}: "
                         f"{error}")
        else:
            sys.exit(f"accepted, where this was expected: {text}")
    print(f"{len(listed)} mistakes are refused by name")


# ---- Threads ------------------------------------------------------------------------------------

def check_lock():
    """Another thread goes on while a long call runs."""
    left, right = stixels.Street(1242, 375).pair()
    seen, end = [0], threading.Event()

    def count():
        while not end.is_set():
            seen[0] += 1
            time.sleep(.001)

    worker = threading.Thread(target=count)
    worker.start()
    before = seen[0]
    stixels.match(left, right, backend="omp", threads=1)
    during = seen[0] - before
    end.set()
    worker.join()
    expect(during >= 5, f"other threads run during a call: {during} turns of one")
    pipeline, results = stixels.Pipeline(1242, 375, threads=1), []
    pipeline(left, right)  # from the second frame on costs are those of a camera that stands
    several = [threading.Thread(target=lambda: results.append(
        pipeline(left, right).records["kind"].tobytes())) for _ in range(4)]
    for thread in several:
        thread.start()
    for thread in several:
        thread.join()
    expect(len(results) == 4 and len(set(results)) == 1, "four threads share a pipeline")


# ---- python -m stixels --------------------------------------------------------------------------

def check_command(folder):
    """The PNG of the street holds the overlay, and wrong arguments are named."""
    run(f"'{sys.executable}' -m stixels -o street.png", cwd=folder)
    data = (folder / "street.png").read_bytes()
    begin = data.index(b"IDAT")
    size = int.from_bytes(data[begin - 4:begin], "big")
    rows = np.frombuffer(zlib.decompress(data[begin + 4:begin + 4 + size]), np.uint8)
    street = stixels.Street(width=1242, height=375)
    left, right = street.pair(colour=True)
    frame = stixels.Pipeline(1242, 375)(stixels.gray(left), stixels.gray(right), street.camera)
    expect((rows.reshape(375, -1)[:, 1:].reshape(left.shape) == stixels.overlay(left, frame)).all(),
           "the command draws the overlay")
    for arguments, word in (("one.png", "LEFT RIGHT"), ("a.png b.png", "a.png"),
                            ("--calibration c.txt", "LEFT RIGHT"), ("-o no/s.png", "no/s.png")):
        failed = subprocess.run([sys.executable, "-m", "stixels", *arguments.split()], cwd=folder,
                                capture_output=True, text=True)
        if "are not installed" in failed.stderr:
            continue
        named = word in failed.stderr and "Traceback" not in failed.stderr
        expect(failed.returncode != 0 and named,
               f"{arguments} is refused by name: {failed.stderr}")


# ---- The page -----------------------------------------------------------------------------------

def check_page(folder):
    page = (ROOT / "docs/python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.S | re.M)
    expect(len(blocks) >= 6, "the page has its blocks")
    (folder / "page.py").write_text("\n".join(blocks))
    print(run(f"'{sys.executable}' page.py", cwd=folder), end="")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        street = stixels.Street(WIDTH, HEIGHT)
        if sys.argv[1:]:
            check_layout(sys.argv[1:], folder)
        if shutil.which("gst-launch-1.0") and os.environ.get("GST_PLUGIN_PATH_1_0"):
            check_elements(street, folder)
            check_pipelines(street, folder)
        else:
            print("skipped: no GStreamer to compare with")
        check_same(street)
        check_motion(street)
        check_infinity(street)
        check_measures(street)
        check_files(street, folder)
        check_refusals(street, folder)
        check_lock()
        check_command(folder)
        check_page(folder)


if __name__ == "__main__":
    main()
