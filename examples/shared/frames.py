# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames of a pipeline that somebody describes as for gst-launch-1.0, for programs in Python."""
import collections
import signal
import sys

import records

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst
except (ImportError, ValueError) as missing:
    sys.exit(f"There is no GStreamer for this Python ({missing}): sudo apt install python3-gst-1.0")

Gst.init(None)

# The synthetic street, in time with the clock, stixels drawn on the left picture.
STREET = ("street-scene-src is-live=true ! stixels.sink_left "
          "street-scene-src is-live=true view=right ! stixels.sink_right "
          "stereo-stixels name=stixels")
OBSTACLES = "stixel-obstacles"
PATIENCE = 200 * Gst.MSECOND  # between two looks at whether there is something else to do

# One moment. `where` are the metres of the stixels, by name. What the pipeline does not have is
# None: `stixels` and `where` of obstacles alone, `obstacles` without the element.
Frame = collections.namedtuple(
    "Frame", "number pts width height stixel_width columns camera stixels where obstacles "
             "free_space buffer caps")


class PipelineError(Exception):
    """Why there are no more frames."""


def has_element(name):
    return Gst.ElementFactory.find(name) is not None


def obstacles_tail(words):
    """The element that finds obstacles, unless the description has it, or there is none."""
    return [] if OBSTACLES in description(words) or not has_element(OBSTACLES) else [OBSTACLES]


def description(words):
    """One text of the words of a command line, which quotes kept together; or the street."""
    if len(words) < 2:
        return "".join(words) or STREET
    return " ".join(word.replace(" ", "\\ ") for word in words)


class Pipeline:
    """`words` as they stand on a command line, followed by the elements of `tail`.

    `clock`: whether frames come in time with it.
    """

    def __init__(self, words, tail, clock):
        line = " ! ".join([description(words), *tail,
                           f"appsink name=records-sink sync={clock} max-buffers=4"])
        try:
            self.pipeline = Gst.parse_launch(line)
        except GLib.Error as error:
            raise PipelineError(f"{line}: {error.message}")
        self.sink = self.pipeline.get_by_name("records-sink")
        self.stopped = False

    def stop(self, *_):
        self.stopped = True

    def stop_on_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.stop)

    def check_bus(self):
        kinds = Gst.MessageType.ERROR | Gst.MessageType.WARNING | Gst.MessageType.LATENCY
        while (message := self.pipeline.get_bus().pop_filtered(kinds)) is not None:
            if message.type == Gst.MessageType.LATENCY:
                self.pipeline.recalculate_latency()
            elif message.type == Gst.MessageType.WARNING:
                print(f"{message.src.name}: {message.parse_warning()[0].message}", file=sys.stderr)
            else:
                error, debug = message.parse_error()
                raise PipelineError(f"{message.src.name}: {error.message}\n{debug or ''}".rstrip())

    def frames(self):
        """Until the end or stop (). Raises PipelineError."""
        number = 0
        try:
            if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
                self.check_bus()
                raise PipelineError("the pipeline does not start, and says nothing of it")
            while not self.stopped:
                self.check_bus()
                sample = self.sink.emit("try-pull-sample", PATIENCE)
                if sample is not None:
                    yield frame_of(sample, number)
                    number += 1
                elif self.sink.get_property("eos"):
                    break
            self.check_bus()
        finally:
            self.pipeline.set_state(Gst.State.NULL)


def records_of(buffer, dtype):
    return records.parse(buffer.extract_dup(0, buffer.get_size()), dtype)


def camera_of(caps):
    """What the caps know of it: focal, baseline, cx, cy, height, pitch."""
    prefix, names = "camera-", ("focal", "baseline", "cx", "cy", "height", "pitch")
    return {name: caps.get_value(prefix + name) for name in names if caps.has_field(prefix + name)}


def frame_of(sample, number):
    buffer, caps = sample.get_buffer(), sample.get_caps().get_structure(0)
    kind = caps.get_name()
    pts = None if buffer.pts == Gst.CLOCK_TIME_NONE else buffer.pts
    frame = Frame(number, pts, 0, 0, 0, 0, {}, None, None, None, None, buffer, caps)
    if kind == "application/x-obstacles":
        return frame._replace(obstacles=records_of(buffer, records.OBSTACLE))
    if kind == "application/x-stixels":
        size = [caps.get_value(name) for name in ("width", "height", "stixel-width", "columns")]
        return with_stixels(frame, size, camera_of(caps), buffer)
    raise PipelineError(f"the pipeline ends in {kind}: neither stixels (application/x-stixels), "
                        "nor obstacles (application/x-obstacles)")


def with_stixels(frame, size, camera, buffer):
    width, height, stixel_width, columns = size
    stixels = records_of(buffer, records.STIXEL)
    where = records.metres(stixels, camera, width, stixel_width)
    free = records.nearest_objects(stixels, where, columns)
    return frame._replace(width=width, height=height, stixel_width=stixel_width, columns=columns,
                          camera=camera, stixels=stixels, where=where, free_space=free)
