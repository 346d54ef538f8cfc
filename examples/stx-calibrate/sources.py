# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where pairs of pictures come from: recordings and live sources by GStreamer, or picture files."""
import collections
import glob
import pathlib
import re
import time

import cv2
import numpy as np

LIVE = "gst:"
PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".pgm", ".ppm", ".webp"}
TIMEOUT = 10  # seconds without a frame

# Both views of one moment, gray, and their time in seconds.
Pair = collections.namedtuple("Pair", "left right time")


class SourceError(Exception):
    """Why there are no pairs."""


class Count:
    """Counts of the pairing of two streams."""

    def __init__(self):
        self.frames, self.pairs = [0, 0], 0


# ---- Picture files ------------------------------------------------------------------------------

def picture_files(text):
    """The pictures of a folder or pattern; None: it is something else."""
    path = pathlib.Path(text)
    if path.is_dir():
        found = [str(file) for file in path.iterdir() if file.suffix.lower() in PICTURES]
        if not found:
            raise SourceError(f"{text}: no pictures in this folder "
                              f"({', '.join(sorted(PICTURES))})")
    elif glob.has_magic(text) and not path.exists():
        found = glob.glob(text)
        if not found:
            raise SourceError(f"{text}: no file has such a name")
    elif path.suffix.lower() in PICTURES:
        found = [text]
    else:
        return None
    return sorted(found, key=lambda name: [int(part) if part.isdigit() else part
                                           for part in re.split(r"(\d+)", name)])


def read_picture(path):
    data = np.fromfile(path, np.uint8)  # cv2.imread () crashes at names that are no UTF-8
    try:
        picture = cv2.imdecode(data, cv2.IMREAD_GRAYSCALE) if len(data) > 0 else None
    except cv2.error as error:  # more pixels than OpenCV takes
        raise SourceError(f"{path}: OpenCV does not read this picture: {error.err}") from error
    if picture is None:
        raise SourceError(f"{path}: is not a picture that OpenCV reads")
    return picture


def pairs_of_files(lists, count):
    if len({len(files) for files in lists}) > 1:
        raise SourceError(f"{len(lists[0])} left and {len(lists[1])} right pictures: there must "
                          "be as many of both, and they are taken in the order of their names")
    for i, names in enumerate(zip(*lists)):
        views = [read_picture(name) for name in names]
        count.frames = [n + 1 for n in count.frames]
        yield views, float(i)


# ---- GStreamer ----------------------------------------------------------------------------------

def load_gstreamer():
    try:
        import gi
        gi.require_version("Gst", "1.0")
        from gi.repository import Gst
    except (ImportError, ValueError) as error:
        raise SourceError(f"there is no GStreamer for this Python ({error}): "
                          "sudo apt install python3-gst-1.0")
    Gst.init(None)
    return Gst


def is_live(text):
    return text.startswith(LIVE)


def line_of(text, number=0):
    """A gst-launch line that ends in raw video, of a recording or a live source."""
    if is_live(text):
        return text[len(LIVE):]
    if not pathlib.Path(text).is_file():
        raise SourceError(f"{text}: there is no such file, folder or pattern; live sources "
                          f"begin with {LIVE}, as in \"{LIVE}v4l2src\"")
    return f"filesrc name=file{number} ! decodebin"


def parsed(Gst, line, inputs):
    """The pipeline of lines of these inputs. Names of files mean nothing but themselves in it."""
    pipeline = Gst.parse_launch(line)
    for number, text in enumerate(inputs):
        if not is_live(text):
            pipeline.get_by_name(f"file{number}").set_uri(pathlib.Path(text).absolute().as_uri())
    return pipeline


def sink(name, live):
    """Live sources go on while corners are looked for: old frames are dropped."""
    return (f"queue max-size-buffers=30 max-size-bytes=0 max-size-time=0 "
            f"{'leaky=downstream' if live else ''} ! videoconvert ! "
            f"video/x-raw,format=GRAY8 ! appsink name={name} sync=false max-buffers=8 "
            f"drop={'true' if live else 'false'}")


def count_tracks(Gst, text):
    """The number of tracks of video in a recording."""
    pipeline = parsed(Gst, f"{line_of(text)} name=d", [text])
    bus, pads = pipeline.get_bus(), []

    def plug(element, pad):
        caps = pad.get_current_caps() or pad.query_caps(None)
        fake = Gst.ElementFactory.make("fakesink")
        pipeline.add(fake)
        fake.sync_state_with_parent()
        pad.link(fake.get_static_pad("sink"))
        if caps.to_string().startswith("video/"):
            pads.append(pad)

    pipeline.get_by_name("d").connect("pad-added", plug)
    pipeline.set_state(Gst.State.PAUSED)
    message = bus.timed_pop_filtered(
        TIMEOUT * Gst.SECOND, Gst.MessageType.ASYNC_DONE | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message is not None and message.type == Gst.MessageType.ERROR:
        raise SourceError(f"{text}: {message.parse_error()[0].message}")
    return len(pads)


def launch_line(Gst, inputs):
    """The whole pipeline, with an appsink per view; one if frames hold both."""
    live = is_live(inputs[0])
    names = ("left", "right")
    if len(inputs) == 2:
        return " ".join(f"{line_of(text, n)} ! {sink(names[n], is_live(text))}"
                        for n, text in enumerate(inputs)), 2
    line = line_of(inputs[0])
    if live or count_tracks(Gst, inputs[0]) < 2:
        return f"{line} ! {sink('left', live)}", 1
    return f"{line} name=d " + " ".join(f"d. ! {sink(name, live)}" for name in names), 2


class Stream:
    """Frames of an appsink, with their times."""

    def __init__(self, Gst, pipeline, name, text):
        self.gst, self.pipeline, self.text = Gst, pipeline, text
        self.sink = pipeline.get_by_name(name)

    def fail_on_error(self):
        message = self.pipeline.get_bus().pop_filtered(self.gst.MessageType.ERROR)
        if message is not None:
            error, debug = message.parse_error()
            raise SourceError(f"{self.text}: {error.message}")

    def pull(self):
        """The next frame and its time in seconds; None at the end."""
        sample = self.sink.emit("try-pull-sample", TIMEOUT * self.gst.SECOND)
        if sample is None:
            self.fail_on_error()
            if not self.sink.get_property("eos"):
                raise SourceError(f"{self.text}: no frame came within {TIMEOUT} s")
            return None
        return frame_of(self.gst, sample), sample.get_buffer().pts / self.gst.SECOND


def frame_of(Gst, sample):
    # Not get_structure(), which gives something else from GStreamer 1.26 on.
    structure = Gst.Structure.new_from_string(sample.get_caps().to_string())
    width, height = structure.get_value("width"), structure.get_value("height")
    buffer = sample.get_buffer()
    stride = -(-width // 4) * 4  # GStreamer's of GRAY8
    done, info = buffer.map(Gst.MapFlags.READ)
    if not done:
        raise SourceError("cannot read a frame")
    data = np.frombuffer(info.data, np.uint8)[:stride * height].reshape(height, stride)
    frame = data[:, :width].copy()
    buffer.unmap(info)
    return frame


def matched(streams, tolerance, count):
    """Pairs by time: the earlier of two frames that are no pair is left out."""
    heads = [stream.pull() for stream in streams]
    count.frames = [n + (head is not None) for n, head in zip(count.frames, heads)]
    while all(head is not None for head in heads):
        apart = heads[0][1] - heads[-1][1]
        late = (apart <= tolerance, apart >= -tolerance)  # both of a pair
        if abs(apart) <= tolerance:
            yield [head[0] for head in heads], heads[0][1]
        for i, stream in enumerate(streams):
            if late[i]:
                heads[i] = stream.pull()
                count.frames[i] += heads[i] is not None


def pairs_of_streams(inputs, tolerance, seconds, count):
    Gst = load_gstreamer()
    if len({is_live(text) for text in inputs}) > 1:
        raise SourceError("one of the views is live and the other is not")
    line, sinks = launch_line(Gst, inputs)
    try:
        pipeline = parsed(Gst, line, inputs)
    except Exception as error:  # GLib.Error, of which nothing is known before gi is loaded
        raise SourceError(f"{' '.join(inputs)}: {getattr(error, 'message', error)}")
    streams = [Stream(Gst, pipeline, name, inputs[min(i, len(inputs) - 1)])
               for i, name in enumerate(("left", "right")[:sinks])]
    end = time.monotonic() + seconds if is_live(inputs[0]) else float("inf")
    pipeline.set_state(Gst.State.PLAYING)
    try:
        for views, at in matched(streams, tolerance, count):
            yield views, at
            if time.monotonic() > end:
                return
    finally:
        pipeline.set_state(Gst.State.NULL)


# ---- Pairs --------------------------------------------------------------------------------------

def halves(frame, layout):
    height, width = frame.shape
    if layout == "top-bottom":
        return [frame[:height // 2], frame[height // 2:height // 2 * 2]]
    return [frame[:, :width // 2], frame[:, width // 2:width // 2 * 2]]


def check_sizes(views, first):
    left, right = (f"{view.shape[1]}x{view.shape[0]}" for view in views)
    if 0 in views[0].shape or 0 in views[1].shape:
        raise SourceError(f"views of {left} and {right}: the pictures are too small")
    if left != right:
        raise SourceError(f"the left pictures are {left}, the right ones {right}: set both cameras "
                          "to one mode")
    if first is not None and views[0].shape != first:
        raise SourceError(f"the pictures are {left} now and were {first[1]}x{first[0]} before")


def open_pairs(arguments):
    """Pairs of views (an iterator), and what was counted meanwhile."""
    count, inputs = Count(), arguments.input
    lists = [picture_files(text) if not is_live(text) else None for text in inputs]
    if any(files is None for files in lists) and any(lists):
        raise SourceError(f"{' and '.join(inputs)}: pictures and recordings do not go together")
    frames = (pairs_of_files(lists, count) if lists[0] is not None else
              pairs_of_streams(inputs, arguments.tolerance, arguments.seconds, count))

    def pairs():
        first = None
        for views, at in frames:
            if len(views) == 1:
                views = halves(views[0], arguments.layout)
            if arguments.swap:
                views = views[::-1]
            check_sizes(views, first)
            first = views[0].shape
            count.pairs += 1
            yield Pair(*views, at)

    return pairs(), count
