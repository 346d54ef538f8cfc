# SPDX-License-Identifier: LGPL-2.1-or-later
"""The synthetic street's own distances, to hold programs to. For the Python that has GStreamer."""
import gi
import numpy as np

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp  # noqa: F401

Gst.init(None)

GROUND = (0, 1, 9)  # road, sidewalk, terrain: Cityscapes' train ids
SKY = 10


def pictures(view, format_name, frames):
    """Arrays of one view, and the structure of its caps."""
    pipeline = Gst.parse_launch(f"street-scene-src view={view} num-buffers={frames}"
                                f" ! video/x-raw,format={format_name} ! appsink name=sink")
    sink = pipeline.get_by_name("sink")
    pipeline.set_state(Gst.State.PLAYING)
    found = []
    while sample := sink.pull_sample():
        caps = sample.get_caps().get_structure(0)
        with sample.get_buffer().map(Gst.MapFlags.READ) as data:
            rows = np.frombuffer(data.data, np.uint8).reshape(caps.get_value("height"), -1)
            found.append(rows.copy())
    pipeline.set_state(Gst.State.NULL)
    return found, caps


def nearest(frames, stixel_width=8):
    """One array per frame: metres to the nearest thing that stands in each column of stixels, not a
    number where there is none."""
    depths, caps = pictures("disparity", "GRAY16_LE", frames)
    labels, _ = pictures("semantics", "GRAY8", frames)
    width = caps.get_value("width")
    factor = caps.get_value("camera-focal") * caps.get_value("camera-baseline")
    for depth, label in zip(depths, labels):
        disparity = np.ascontiguousarray(depth).view("<u2")[:, :width] / 256
        stands = ~np.isin(label[:, :width], GROUND + (SKY, 255))
        most = np.where(stands, disparity, 0).max(axis=0)
        starts = np.arange(0, width, stixel_width)
        largest = np.maximum.reduceat(most, starts)
        yield np.where(largest > 0, factor / np.where(largest > 0, largest, 1), np.nan)
