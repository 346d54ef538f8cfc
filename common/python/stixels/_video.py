# SPDX-License-Identifier: LGPL-2.1-or-later
"""Videos whose frames have stixels, as the element stixel-sei writes them."""
import os
import warnings

import numpy as np

from . import _c as c
from ._core import Error
from ._types import STIXEL, Camera, Stixels

# The head of a block, and the numbers of a meta of stixels; docs/formats.md, "Metas as bytes".
BLOCK = np.dtype([("number", "u1"), ("version", "u1"), ("size", "<u4")])
IMAGE = np.dtype([("sizes", "<u4", 4), ("camera", "<f8", 6), ("camera_sizes", "<u4", 3),
                  ("place", "<f8", 8), ("size", "<u4")])
NUMBER_OF_STIXELS, WAIT_MS = 1, 100
LINE = "filesrc name=file ! decodebin ! stixel-sei ! appsink name=frames sync=false max-buffers=8"


def _open():
    try:
        import gi
        gi.require_version("Gst", "1.0")
        gi.require_version("GstStixels", "1.0")
        from gi.repository import GLib, Gst
        Gst.init(None)
        pipeline = Gst.parse_launch(LINE)
        from gi.repository import GstStixels  # whose library the element has loaded
    except (ImportError, ValueError) as missing:
        raise Error("videos are read by GStreamer for Python with the typelib of gst-stixels "
                    f"(Debian: python3-gst-1.0, gir1.2-gststixels-1.0): {missing}") from None
    except GLib.Error as error:
        raise Error(f"videos are read by {LINE}: {error.message}") from None
    return Gst, pipeline, GstStixels.metas_to_bytes


def _stixels_of(data, time):
    """The stixels among metas as bytes, or None."""
    at = 0
    while at < len(data):
        block = np.frombuffer(data, BLOCK, 1, at)[0]
        at += BLOCK.itemsize
        if (block["number"], block["version"]) == (NUMBER_OF_STIXELS, 1):
            image = np.frombuffer(data, IMAGE, 1, at)[0]
            camera = c.StxCamera(*image["camera"].tolist(), *image["camera_sizes"].tolist())
            records = np.frombuffer(data, STIXEL, image["size"] // STIXEL.itemsize,
                                    at + IMAGE.itemsize).copy()
            return Stixels(records, *image["sizes"][:3].tolist(), Camera._of(camera), time=time)
        at += int(block["size"])
    return None


def _check(bus, Gst, path):
    while (message := bus.pop_filtered(Gst.MessageType.ERROR | Gst.MessageType.WARNING)):
        if message.type == Gst.MessageType.ERROR:
            raise Error(f"{path}: {message.parse_error()[0].message}")
        warnings.warn(f"{path}: {message.parse_warning()[0].message}", stacklevel=3)


def read_video(path):
    """Yields the stixels of each frame of a video, as the element stixel-sei wrote them.

    A frame without stixels is None. `time` is that of the frame. In a file with several videos the
    first one is read. Needs GStreamer for Python, the elements, and a decoder. """
    Gst, pipeline, to_bytes = _open()
    pipeline.get_by_name("file").set_property("location", os.fsdecode(path))
    sink, bus = pipeline.get_by_name("frames"), pipeline.get_bus()
    pipeline.set_state(Gst.State.PLAYING)
    try:
        ended = False
        while not ended:
            sample = sink.emit("try-pull-sample", WAIT_MS * Gst.MSECOND)
            ended = sample is None and sink.get_property("eos")
            _check(bus, Gst, path)
            if sample is not None:
                buffer = sample.get_buffer()
                found = to_bytes(buffer)
                time = None if buffer.pts == Gst.CLOCK_TIME_NONE else buffer.pts / Gst.SECOND
                yield _stixels_of(found.get_data() if found else b"", time)
    finally:
        pipeline.set_state(Gst.State.NULL)
