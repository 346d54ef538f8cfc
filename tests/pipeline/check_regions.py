#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Regions of interest on the pictures of stereo-stixels, read with GStreamer's introspection alone:
what is nearest has a box in the picture and metres, in every frame.
"""
import sys

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstVideo", "1.0")
    from gi.repository import Gst, GstVideo
except (ImportError, ValueError) as missing:
    print(f"skipped: {missing}; see tests/packages.sh")
    sys.exit(77)

LINE = ("stereo-stixels name=s obstacles=true ! fakesink name=out signal-handoffs=true "
        "street-scene-src view=left num-buffers=3 ! video/x-raw,width=640,height=192 ! "
        "s.sink_left "
        "street-scene-src view=right num-buffers=3 ! video/x-raw,width=640,height=192 ! "
        "s.sink_right")


def regions(frame):
    """(box, metres ahead) of what has one of the first numbers."""
    for number in range(100):
        region = GstVideo.buffer_get_video_region_of_interest_meta_id(frame, number)
        known = region and region.get_param("stx-obstacle")
        if known:
            yield (region.x, region.y, region.w, region.h), known.get_double("distance").value


def main():
    Gst.init(None)
    pipeline = Gst.parse_launch(LINE)
    frames = []
    pipeline.get_by_name("out").connect(
        "handoff", lambda sink, frame, pad: frames.append(list(regions(frame))))
    pipeline.set_state(Gst.State.PLAYING)
    end = pipeline.get_bus().timed_pop_filtered(
        60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    good = end is not None and end.type == Gst.MessageType.EOS and len(frames) == 3
    for found in frames:
        inside = [box[0] + box[2] <= 640 and box[1] + box[3] <= 192 for box, _ in found]
        near = min((distance for _, distance in found), default=0)
        good = good and len(found) > 3 and all(inside) and 2 < near < 20
        print(len(found), "regions, the nearest", near, "m ahead")
    sys.exit(0 if good else "FAILED: see above")


if __name__ == "__main__":
    main()
