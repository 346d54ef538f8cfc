#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records of the metas in NumPy, without a copy, and all that introspection offers beside; so does
what docs/applications.md prints.
"""
import pathlib
import re
import struct
import sys

import gi
import numpy as np

gi.require_version("Gst", "1.0")
gi.require_version("GstStixels", "1.0")
from gi.repository import GLib, Gst, GstStixels

STIXEL = np.dtype([
    ("column", "<u2"), ("top", "<u2"), ("bottom", "<u2"), ("kind", "u1"), ("label", "u1"),
    ("disparity_top", "<f4"), ("disparity_bottom", "<f4"), ("cost", "<f4"), ("confidence", "<f4")])
OBSTACLE_BYTES = 64
CAPS = ("application/x-stixels,width=64,height=32,stixel-width=8,columns=8,"
        "camera-focal=50.,camera-baseline=.5,camera-cx=31.5,camera-cy=15.5")


def new_records():
    records = np.zeros(8, STIXEL)
    records["column"] = np.arange(8)
    records["bottom"] = 31
    records["kind"] = GstStixels.Kind.OBJECT
    records["disparity_bottom"] = records["disparity_top"] = np.arange(8) + 1
    return records


def address(data):
    return data.__array_interface__["data"][0]


def check_no_copy(stixels):
    """Two maps of one buffer are the same memory."""
    with stixels.get_buffer().map(Gst.MapFlags.READ) as one:
        with stixels.get_buffer().map(Gst.MapFlags.READ) as other:
            first, second = (np.frombuffer(data.data, STIXEL) for data in (one, other))
            assert address(first) == address(second), "the records were copied"
            assert first["disparity_bottom"].tolist() == list(range(1, 9))
            del first, second


def check_page(sample):
    page = pathlib.Path(__file__).resolve().parents[2] / "docs/applications.md"
    (block,) = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
    names = {"sample": sample, "GstStixels": GstStixels, "Gst": Gst, "np": np, "STIXEL": STIXEL}
    exec(block, names)
    assert names["records"].size == 8
    del names


def check_frame():
    caps = Gst.Caps.from_string(CAPS)
    records = Gst.Buffer.new_wrapped(new_records().tobytes())
    info = GstStixels.Stixels.new_from_buffer(records, caps).get_info()
    frame = Gst.Buffer.new()
    GstStixels.buffer_add_stx_stixel_meta(frame, records, info).set_frame_size(128, 64)
    video = Gst.Caps.from_string("video/x-raw,width=128,height=64")
    sample = Gst.Sample.new(frame, video, None, None)
    check_page(sample)
    stixels = GstStixels.Stixels.new_from_sample(sample)
    del sample, frame, records
    check_no_copy(stixels)
    assert stixels.get_count() == 8 and stixels.find_at(127.5, 10) == 7
    known, stixel = stixels.get_stixel(3)
    assert known and stixel.column == 3 and stixel.kind == GstStixels.Kind.OBJECT
    assert stixels.get_rectangle(3) == (True, 48, 0, 16, 64)
    known, where = stixels.get_metres(4)
    assert known and where.z == 5
    known, camera = stixels.get_camera()
    assert known and camera.focal == 100
    known, _ = stixels.get_stixel(8)
    assert not known


def check_errors():
    frame = Gst.Buffer.new()
    try:
        GstStixels.Stixels.new_from_buffer(frame, Gst.Caps.from_string("video/x-raw"))
        sys.exit("a frame without stixels has stixels")
    except GLib.Error as error:
        assert "carries no stixels" in error.message


def check_obstacles():
    frame = Gst.Buffer.new()
    data = Gst.Buffer.new_wrapped(bytes(2 * OBSTACLE_BYTES))
    GstStixels.buffer_add_stx_obstacles_meta(frame, data, None, None)
    assert GstStixels.buffer_get_stx_obstacles_meta(frame).free_space is None
    obstacles = GstStixels.Obstacles.new_from_buffer(frame, None)
    assert obstacles.get_count() == 2 and obstacles.get_free_count() == 0
    assert obstacles.get_free_buffer() is None
    known, obstacle = obstacles.get_obstacle(0)
    assert known and obstacle.source == GstStixels.ObstacleSource.STEREO
    assert GstStixels.FREE_NO_OBSTACLE == 65535


def check_motion():
    frame = Gst.Buffer.new()
    motion = GstStixels.Motion()
    motion.state, motion.points, motion.agree = GstStixels.MotionState.KNOWN, 7, 5
    points = Gst.Buffer.new_wrapped(struct.pack("<6f", 1, 2, 3, 4, 5, -1))
    GstStixels.buffer_add_stx_motion_meta(frame, motion, 100, points, 64, 32)
    meta = GstStixels.buffer_get_stx_motion_meta(frame)
    assert meta.motion.state == GstStixels.MotionState.KNOWN and meta.motion.agree == 5
    assert (meta.interval, meta.width, meta.points.get_size()) == (100, 64, 24)
    other = Gst.Buffer.new()
    assert GstStixels.buffer_copy_stx_motion_meta(other, frame)
    assert GstStixels.buffer_get_stx_motion_meta(other).motion.points == 7


def check_velocities():
    frame = Gst.Buffer.new()
    one = Gst.Buffer.new_wrapped(struct.pack("<6f8B", 1, 2, 3, 4, 5, 6, 3, *bytes(7)))
    GstStixels.buffer_add_stx_velocities_meta(frame, one, Gst.Buffer.new())
    meta = GstStixels.buffer_get_stx_velocities_meta(frame)
    assert (meta.obstacles.get_size(), meta.stixels.get_size()) == (32, 0)
    assert GstStixels.Moves.ONCOMING == 3


def main():
    Gst.init(None)
    check_frame()
    check_errors()
    check_obstacles()
    check_motion()
    check_velocities()
    print("records are read without a copy")


if __name__ == "__main__":
    main()
