#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Obstacles with speeds over ground, from poses of the camera that the application knows."""
import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstStixels", "1.0")
from gi.repository import Gst, GstApp, GstStixels  # GstApp: an appsink with methods

STREET = "street-scene-src terrain=flat num-buffers=9"
STIXELS = f"""appsrc name=source format=time ! stixels.sink_left
  {STREET} view=right ! stixels.sink_right
  stereo-stixels name=stixels obstacles=true output=json ! filesink location=/dev/stdout"""

Gst.init(None)
camera, pipeline = Gst.parse_launch(f"{STREET} ! appsink name=sink"), Gst.parse_launch(STIXELS)
camera.set_state(Gst.State.PLAYING)
pipeline.set_state(Gst.State.PLAYING)
before, last = None, 0
while sample := camera.get_by_name("sink").pull_sample():
    picture = sample.get_buffer().copy_deep()  # in Python what copy() gives is not writable
    now = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 10 * picture.pts / Gst.SECOND]  # ahead at 10 m/s
    GstStixels.buffer_add_stx_motion_meta_of_poses(picture, before, now, None, picture.pts - last)
    pipeline.get_by_name("source").push_sample(Gst.Sample.new(picture, sample.get_caps()))
    before, last = now, picture.pts
pipeline.get_by_name("source").end_of_stream()
pipeline.get_bus().timed_pop_filtered(
    Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
pipeline.set_state(Gst.State.NULL)
camera.set_state(Gst.State.NULL)
