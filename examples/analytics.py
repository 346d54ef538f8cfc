#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Video analytics: the things before a stereo camera as boxes with distance, speed and class, drawn
into analytics.mkv and, one line of JSON per frame, to the standard output: analytics.c in Python.

usage: analytics.py [LEFT RIGHT CALIBRATION [NETWORK]]

Without arguments one second of the synthetic street; else videos, or cameras: /dev/video0
/dev/video2. CALIBRATION is a file for stereo-stixels, NETWORK one for onnx-semantics; without a
network things have no class.
"""
import json
import sys

import gi
import numpy as np

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstStixels", "1.0")
from gi.repository import GLib, Gst, GstApp, GstStixels  # GstApp: an appsink with methods

GRAPH = """stereo-stixels name=pair motion=true %s pair.src_left ! tee name=left
  pair.src_disparity ! downsample-transpose name=cells ! sat-dp-stixels ! stixel-obstacles
  ! overlay.stixels left. ! queue ! videoconvert
  ! stixel-overlay name=overlay labels=box+distance+speed+class ! tee name=drawn
  drawn. ! queue ! videoconvert ! jpegenc ! matroskamux ! filesink location=analytics.mkv
  drawn. ! queue ! appsink name=sink sync=false """
STREET = """street-scene-src view=left num-buffers=10 ! pair.sink_left
  street-scene-src view=right num-buffers=10 ! pair.sink_right
  street-scene-src view=semantics num-buffers=10 ! cells.semantics"""

# The classes of Cityscapes, by train id.
CLASSES = ("road", "sidewalk", "building", "wall", "fence", "pole", "traffic light", "traffic sign",
           "vegetation", "terrain", "sky", "person", "rider", "car", "truck", "bus", "train",
           "motorcycle", "bicycle")

# docs/formats.md
OBSTACLE = np.dtype({"names": ["id", "label", "flags", "z"], "formats": ["<u4", "u1", "u1", "<f4"],
                     "offsets": [0, 25, 26, 40], "itemsize": 64})
VELOCITY = np.dtype({"names": ["x", "z", "moves"], "formats": ["<f4", "<f4", "u1"],
                     "offsets": [0, 4, 24], "itemsize": 32})


def records(buffer, kind):
    """A copy of a buffer's records; none of no buffer."""
    return np.frombuffer(buffer.extract_dup(0, buffer.get_size()) if buffer else b"", kind)


def number(value):
    return round(float(value), 2) if np.isfinite(value) else None


def speed_of(velocity):
    """Over ground; not a number: unknown."""
    if velocity["moves"] == GstStixels.Moves.UNKNOWN:
        return np.nan
    return 0. if velocity["moves"] == GstStixels.Moves.NOT else np.hypot(velocity["x"],
                                                                        velocity["z"])


def things(sample):
    """Boxes in pixels, metres, metres per second, whether one stands in the corridor. None: they
    are unknown."""
    try:
        obstacles = GstStixels.Obstacles.new_from_sample(sample)
    except GLib.Error:
        return None
    meta = GstStixels.buffer_get_stx_velocities_meta(sample.get_buffer())
    velocities = records(meta and meta.obstacles, VELOCITY)
    found = []
    for i, thing in enumerate(records(obstacles.get_buffer(), OBSTACLE)):
        inside, *box = obstacles.get_rectangle(i)
        found.append({
            "id": int(thing["id"]),
            "class": CLASSES[thing["label"]] if thing["label"] < len(CLASSES) else "unknown",
            "box": [round(value) for value in box] if inside else [0, 0, 0, 0],
            "distance": number(thing["z"]),
            "speed": number(speed_of(velocities[i])) if i < len(velocities) else None,
            "ahead": bool(thing["flags"] & GstStixels.ObstacleFlags.IN_CORRIDOR)})
    return found


def source(path):
    """A file, or a camera."""
    kind = "v4l2src device" if path.startswith("/dev/") else "filesrc location"
    return f'{kind}="{path}" ! decodebin ! videoconvert'


def pipeline_of(words):
    if len(words) < 3:
        return GRAPH % "" + STREET
    left, right, calibration, *network = words
    classes = (f'left. ! queue ! videoconvert ! onnx-semantics model="{network[0]}" '
               "! cells.semantics" if network else "")
    return (GRAPH % f'calibration="{calibration}"' + f"{source(left)} ! pair.sink_left "
            f"{source(right)} ! pair.sink_right {classes}")


def main():
    Gst.init(None)
    pipeline = Gst.parse_launch(pipeline_of(sys.argv[1:]))
    sink = pipeline.get_by_name("sink")
    pipeline.set_state(Gst.State.PLAYING)
    while sample := sink.pull_sample():
        print(json.dumps({"time": round(sample.get_buffer().pts / Gst.SECOND, 3),
                          "things": things(sample)}), flush=True)
    end = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if end.type == Gst.MessageType.ERROR:
        sys.exit(end.parse_error()[0].message)


if __name__ == "__main__":
    main()
