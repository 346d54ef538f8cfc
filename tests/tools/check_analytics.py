#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether what examples/analytics.c printed of the synthetic street is true.

usage: check_analytics.py FILE WIDTH HEIGHT, by the Python that has GStreamer
"""
import json
import sys

import gi
import numpy as np

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp  # noqa: E402,F401

Gst.init(None)

WIDTH, LENGTH = 2.4, 30  # metres: the defaults of stixel-obstacles
CLOSE = .05
FREE = (0, 1, 9, 10, 255)  # road, sidewalk, terrain, sky: Cityscapes' train ids; none


def pictures(view, format_name, frames):
    """Arrays of one view, and its caps."""
    pipeline = Gst.parse_launch(f"street-scene-src view={view} num-buffers={frames}"
                                f" ! video/x-raw,format={format_name},width={sys.argv[2]},"
                                f"height={sys.argv[3]} ! appsink name=sink")
    sink = pipeline.get_by_name("sink")
    pipeline.set_state(Gst.State.PLAYING)
    found = []
    while sample := sink.pull_sample():
        # Not get_structure(), which gives something else from GStreamer 1.26 on.
        caps = Gst.Structure.new_from_string(sample.get_caps().to_string())
        with sample.get_buffer().map(Gst.MapFlags.READ) as data:
            rows = np.frombuffer(data.data, np.uint8).reshape(caps.get_value("height"), -1)
            found.append(rows.copy())
    pipeline.set_state(Gst.State.NULL)
    return found, caps


def standing(frames):
    """For each frame metres ahead and to the right of every pixel; not a number where nothing
    stands."""
    depths, caps = pictures("disparity", "GRAY16_LE", frames)
    labels, _ = pictures("semantics", "GRAY8", frames)
    width, focal = caps.get_value("width"), caps.get_value("camera-focal")
    for depth, label in zip(depths, labels):
        disparity = np.ascontiguousarray(depth).view("<u2")[:, :width] / 256
        stands = ~np.isin(label[:, :width], FREE) & (disparity > 0)
        ahead = np.full(disparity.shape, np.nan)
        ahead[stands] = focal * caps.get_value("camera-baseline") / disparity[stands]
        yield ahead, (np.arange(width) - caps.get_value("camera-cx")) * ahead / focal


def in_corridor(frames):
    """For each frame metres to what stands in the corridor straight ahead, infinite if it is free.
    A few pixels are nothing: the hundredth nearest counts."""
    for ahead, right in standing(frames):
        inside = np.sort(ahead[(np.abs(right) < WIDTH / 2) & (ahead < LENGTH)])
        yield inside[99] if len(inside) > 99 else np.inf


def main():
    frames = [json.loads(line) for line in open(sys.argv[1], encoding="ascii")]
    truth = list(in_corridor(len(frames)))
    seen = [min((thing["distance"] for thing in frame["things"] if thing["ahead"]), default=np.inf)
            for frame in frames]
    worst = max(abs(found / true - 1) for found, true in zip(seen, truth))
    things = [thing for frame in frames for thing in frame["things"]]
    classes = {thing["class"] for thing in things}
    known = [thing["speed"] for thing in things if thing["speed"] is not None]
    print(f"{len(frames)} frames, {worst:.1%} from the truth at worst, {len(known)} speeds, "
          f"{', '.join(sorted(classes))}")
    if len(frames) != 10 or not worst < CLOSE or not {"car", "person"} < classes or len(
            known) < 50 or not all(min(thing["box"]) >= 0 for thing in things):
        sys.exit(f"the truth is {[f'{true:.2f}' for true in truth]}")


if __name__ == "__main__":
    main()
