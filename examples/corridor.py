#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Warns of what stands in the corridor ahead, frame by frame, and counts at the end: corridor.c in
Python, with the records in NumPy, where they are.

usage: corridor.py [PIPELINE]
"""
import sys

import gi
import numpy as np

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstStixels", "1.0")
from gi.repository import GLib, Gst, GstApp, GstStixels  # GstApp: an appsink with methods

STREET = """street-scene-src view=left num-buffers=10 ! stixels.sink_left
  street-scene-src view=right num-buffers=10 ! stixels.sink_right
  stereo-stixels name=stixels obstacles=true"""
SOON = 2  # seconds to contact that are worth a warning
NEAR = 8  # metres, likewise

OBSTACLE = np.dtype([
    ("id", "<u4"), ("age", "<u4"), ("left", "<u2"), ("top", "<u2"), ("right", "<u2"),
    ("bottom", "<u2"), ("first_column", "<u2"), ("last_column", "<u2"), ("count", "<u4"),
    ("source", "u1"), ("label", "u1"), ("flags", "u1"), ("reserved", "u1"), ("confidence", "<f4"),
    ("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("width", "<f4"), ("height", "<f4"),
    ("depth", "<f4"), ("closing_speed", "<f4"), ("lateral_speed", "<f4")])


class Statistics:
    """The result of a frame."""

    def __init__(self):
        self.frames = self.without = self.occupied = self.warnings = self.obstacles = 0
        self.nearest = np.inf

    def __str__(self):
        nearest = f", nearest {self.nearest:.2f} m" if np.isfinite(self.nearest) else ""
        return (f"{self.frames} frames, {self.without} of them without obstacles' meta; "
                f"{self.obstacles / max(self.frames, 1):.1f} obstacles per frame\n"
                f"corridor occupied in {self.occupied} frames, {self.warnings} warnings{nearest}")


def is_urgent(obstacle):
    speed = obstacle["closing_speed"]
    return bool(obstacle["z"] < NEAR or (speed > 0 and obstacle["z"] / speed < SOON))


def tell(time, obstacle, statistics):
    urgent = is_urgent(obstacle)
    speed = obstacle["closing_speed"]
    print(f"{time / Gst.SECOND:.2f} s: {'WARNING, ' * urgent}obstacle {obstacle['id']}, "
          f"{obstacle['z']:.2f} m ahead, {obstacle['width']:.2f} m wide"
          + (f", closing at {speed:.1f} m/s" if np.isfinite(speed) else ""))
    statistics.occupied += 1
    statistics.warnings += int(urgent)
    statistics.nearest = min(statistics.nearest, obstacle["z"])


def look(time, records, statistics):
    """Obstacles are sorted: the first one in the corridor is the nearest."""
    statistics.obstacles += len(records)
    inside = records[records["flags"] & GstStixels.ObstacleFlags.IN_CORRIDOR != 0]
    if len(inside) > 0:
        tell(time, inside[0], statistics)


def read_frame(sample, statistics):
    """A frame without obstacles' meta says nothing of the road ahead: it is not free."""
    statistics.frames += 1
    try:
        obstacles = GstStixels.Obstacles.new_from_sample(sample)
    except GLib.Error:
        statistics.without += 1
        return
    if obstacles.get_count() == 0:
        return
    with obstacles.get_buffer().map(Gst.MapFlags.READ) as mapped:
        look(sample.get_buffer().pts, np.frombuffer(mapped.data, OBSTACLE), statistics)


def main():
    Gst.init(None)
    words = " ".join(sys.argv[1:]) or STREET
    pipeline = Gst.parse_launch(f"{words} ! appsink name=sink sync=false")
    sink = pipeline.get_by_name("sink")
    statistics = Statistics()
    pipeline.set_state(Gst.State.PLAYING)
    while sample := sink.pull_sample():
        read_frame(sample, statistics)
    failure = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    print(statistics)
    if failure:
        sys.exit(failure.parse_error()[0].message)


if __name__ == "__main__":
    main()
