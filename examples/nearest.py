#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The nearest obstacle in each column of a synthetic street, in metres."""
import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstStixels", "1.0")
from gi.repository import Gst, GstApp, GstStixels  # GstApp: an appsink with methods

LINE = """stereo-stixels name=stixels ! videoconvert ! appsink name=sink
  street-scene-src view=left num-buffers=3 ! stixels.sink_left
  street-scene-src view=right num-buffers=3 ! stixels.sink_right"""

Gst.init(None)
pipeline = Gst.parse_launch(LINE)
sink = pipeline.get_by_name("sink")
pipeline.set_state(Gst.State.PLAYING)
while sample := sink.pull_sample():
    stixels = GstStixels.Stixels.new_from_sample(sample)
    print(f"frame at {sample.get_buffer().pts / Gst.SECOND:.3f} s")
    for column in range(stixels.get_info().columns):
        nearest = stixels.find_nearest(column)
        if nearest >= 0:
            known, where = stixels.get_metres(nearest)
            if known:
                print(f"{column}: {where.z:.2f} m ahead, {where.x:.2f} m to the right")
pipeline.set_state(Gst.State.NULL)
