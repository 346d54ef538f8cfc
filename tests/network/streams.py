# SPDX-License-Identifier: LGPL-2.1-or-later
"""Streams for tests: buffers of any bytes with caps and times, through elements."""
import random

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp  # noqa: E402,F401  GstApp: appsrc, appsink

Gst.init(None)
SECONDS_MOST = 60

# Numbers that no short text holds, a rate that is not known, a camera that looks up.
CAMERA = ("camera-focal=(double)720.36000000000001, camera-cx=(double)0.33333333333333331, "
          "camera-cy=(double)1e-300, camera-baseline=(double)0.54, camera-height=(double)1.65, "
          "camera-pitch=(double)-0.017453292519943295, "
          "camera-image-width=(int)1242, camera-image-height=(int)375")
STIXELS = ("application/x-stixels, width=(int)1242, height=(int)375, stixel-width=(int)8, "
           f"columns=(int)156, framerate=(fraction)0/1, {CAMERA}")
OTHERS = ("application/x-lidar, framerate=(fraction)10/1",
          "application/x-point-labels, framerate=(fraction)0/1",
          f"application/x-obstacles, framerate=(fraction)30/1, {CAMERA}")


class Failure(Exception):
    """An element has posted an error."""


class Pipeline:
    """Runs DESCRIPTION between an appsrc and an appsink until everything has come out."""

    def __init__(self, caps, description):
        self.line = Gst.parse_launch(f"appsrc name=from format=time max-bytes=0 ! {description} "
                                     "! appsink name=to sync=false")
        self.source, self.sink = (self.line.get_by_name(name) for name in ("from", "to"))
        self.source.set_property("caps", Gst.Caps.from_string(caps))

    def run(self, buffers):
        """The samples that come out."""
        samples = []
        self.line.set_state(Gst.State.PLAYING)
        for buffer in buffers:
            self.source.push_buffer(buffer)
        self.source.end_of_stream()
        try:
            while (sample := self.sink.try_pull_sample(SECONDS_MOST * Gst.SECOND)) is not None:
                samples.append(sample)
            self.raise_error()
        finally:
            self.line.set_state(Gst.State.NULL)
        return samples

    def raise_error(self):
        kinds = Gst.MessageType.ERROR | Gst.MessageType.EOS
        message = self.line.get_bus().timed_pop_filtered(SECONDS_MOST * Gst.SECOND, kinds)
        if message is None:
            raise Failure(f"nothing comes for {SECONDS_MOST} s")
        if message.type == Gst.MessageType.ERROR:
            raise Failure(message.parse_error()[0].message)


def frames(count, size, rate=10):
    """Buffers whose bytes tell which frame it is, everywhere in it; `size` may be a list."""
    sizes = size if isinstance(size, list) else [size] * count
    for n, length in enumerate(sizes):
        data = random.Random(n).randbytes(length)
        buffer = Gst.Buffer.new_wrapped(data) if length else Gst.Buffer.new()
        buffer.pts = n * Gst.SECOND // rate
        yield buffer


def content(thing):
    """Bytes of a buffer or of a sample."""
    buffer = thing.get_buffer() if isinstance(thing, Gst.Sample) else thing
    return buffer.extract_dup(0, buffer.get_size())


def numbers(samples, sent):
    """Which frames these are; what is none of them is an error."""
    known = {content(buffer): n for n, buffer in enumerate(sent)}
    return [known[content(sample)] for sample in samples]
