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
        stands = ~np.isin(label[:, :width], GROUND + (SKY, 255)) & (disparity > 0)
        ahead = np.full(disparity.shape, np.nan)
        ahead[stands] = focal * caps.get_value("camera-baseline") / disparity[stands]
        yield ahead, (np.arange(width) - caps.get_value("camera-cx")) * ahead / focal


def nearest(frames, stixel_width=8):
    """One array per frame: metres to the nearest thing that stands in each column of stixels, not a
    number where there is none."""
    for ahead, _ in standing(frames):
        columns = np.fmin.reduce(ahead, axis=0)
        yield np.fmin.reduceat(columns, np.arange(0, len(columns), stixel_width))


def in_corridor(frames, width, length):
    """For each frame metres to what stands in the corridor straight ahead, infinite if it is free.
    A few pixels are nothing: the hundredth nearest counts."""
    for ahead, right in standing(frames):
        inside = np.sort(ahead[(np.abs(right) < width / 2) & (ahead < length)])
        yield inside[99] if len(inside) > 99 else np.inf
