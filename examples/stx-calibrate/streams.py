# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pairs of pictures of recordings and live sources, by GStreamer."""
import pathlib
import time

import numpy as np

import frames
from frames import GLib, Gst, gi
from sources import LIVE, SourceError, is_live, matched

gi.require_version("GstPbutils", "1.0")
from gi.repository import GstPbutils  # noqa: E402 (its version had to be said first)

TIMEOUT = 10  # seconds without a frame


def uri_of(text):
    return pathlib.Path(text).absolute().as_uri()


def line_of(text, number=0):
    """A gst-launch line that ends in raw video, of a recording or a live source."""
    if is_live(text):
        return text[len(LIVE):]
    if not pathlib.Path(text).is_file():
        raise SourceError(f"{text}: there is no such file, folder or pattern; live sources "
                          f"begin with {LIVE}, as in \"{LIVE}v4l2src\"")
    return f"filesrc name=file{number} ! decodebin"


def sink(name, live):
    """Live sources go on while corners are looked for: old frames are dropped."""
    return (f"queue max-size-buffers=30 max-size-bytes=0 max-size-time=0 "
            f"{'leaky=downstream' if live else ''} ! videoconvert ! "
            "video/x-raw,format=GRAY8 ! videoflip video-direction=auto ! "
            f"{frames.sink(name, False)} drop={'true' if live else 'false'}")


def count_tracks(text):
    """The number of tracks of video in a recording."""
    try:
        found = GstPbutils.Discoverer.new(TIMEOUT * Gst.SECOND).discover_uri(uri_of(text))
    except GLib.Error as error:
        raise SourceError(f"{text}: {error.message}") from error
    return len(found.get_video_streams())


def film_focal_length(name):
    """The focal length of a JPEG's EXIF, in millimetres on 35 mm film; None: it has none."""
    if not Gst.ElementFactory.find("jpegparse"):
        return None
    pipeline = Gst.parse_launch("filesrc name=file ! jpegparse ! fakesink")
    pipeline.get_by_name("file").set_property("location", name)
    pipeline.set_state(Gst.State.PAUSED)
    pipeline.get_state(TIMEOUT * Gst.SECOND)
    pipeline.set_state(Gst.State.READY)
    bus, focal = pipeline.get_bus(), 0
    while message := bus.pop_filtered(Gst.MessageType.TAG):
        focal = message.parse_tag().get_double("capturing-focal-length-35mm")[1] or focal
    pipeline.set_state(Gst.State.NULL)
    return focal if focal > 0 else None


def launch_line(inputs):
    """The whole pipeline, and its appsinks: one per view, or one if frames hold both."""
    live = is_live(inputs[0])
    names = ("left", "right")
    if len(inputs) == 2:
        return " ".join(f"{line_of(text, n)} ! {sink(names[n], is_live(text))}"
                        for n, text in enumerate(inputs)), names
    line = line_of(inputs[0])
    if live or count_tracks(inputs[0]) < 2:
        return f"{line} ! {sink('left', live)}", names[:1]
    return f"{line} name=d " + " ".join(f"d. ! {sink(name, live)}" for name in names), names


class Stream:
    """Frames of an appsink, with their times."""

    def __init__(self, pipeline, name, text):
        self.pipeline, self.sink, self.text = pipeline, pipeline.sinks[name], text

    def pull(self):
        """The next frame and its time in seconds; None at the end."""
        sample = self.sink.emit("try-pull-sample", TIMEOUT * Gst.SECOND)
        if sample is None:
            self.pipeline.check_bus()
            if not self.sink.get_property("eos"):
                raise SourceError(f"{self.text}: no frame came within {TIMEOUT} s")
            return None
        return frame_of(sample), sample.get_buffer().pts / Gst.SECOND


def frame_of(sample):
    caps = frames.caps_of(sample)
    width, height = caps.get_value("width"), caps.get_value("height")
    stride = -(-width // 4) * 4  # GStreamer's of GRAY8
    data = np.frombuffer(frames.bytes_of(sample), np.uint8)[:stride * height]
    return data.reshape(height, stride)[:, :width].copy()


def pairs_of(inputs, tolerance, seconds, count):
    if len({is_live(text) for text in inputs}) > 1:
        raise SourceError("one of the views is live and the other is not")
    line, names = launch_line(inputs)
    try:
        pipeline = frames.Pipeline(line, *names)
        for number, text in enumerate(inputs):  # names of files mean nothing but themselves
            if not is_live(text):
                pipeline.pipeline.get_by_name(f"file{number}").set_uri(uri_of(text))
        streams = [Stream(pipeline, *of) for of in zip(names, inputs * 2)]
        end = time.monotonic() + seconds if is_live(inputs[0]) else float("inf")
        try:
            pipeline.start()
            for views, at in matched(streams, tolerance, count):
                yield views, at
                if time.monotonic() > end:
                    return
        finally:
            pipeline.pipeline.set_state(Gst.State.NULL)
    except frames.PipelineError as error:
        raise SourceError(f"{' '.join(inputs)}: {error}") from error
