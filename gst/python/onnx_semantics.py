# SPDX-License-Identifier: LGPL-2.1-or-later
"""onnx-semantics: pictures through a segmentation network, to class scores (other/tensors).

An element in Python, for GStreamer's loader of those; ONNX Runtime does the work. What it takes and
gives: docs/elements/onnx-semantics.md.
"""
import gi

gi.require_version("GstBase", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, GObject, Gst, GstBase, GstVideo  # noqa: E402

try:
    import numpy as np
    import onnxruntime
    MISSING = None
except ImportError as error:
    MISSING = error

# ONNX Runtime's names of the types that downsample-transpose takes.
TYPES = {"tensor(uint8)": "uint8", "tensor(float16)": "float16", "tensor(float)": "float32"}
TENSORS = "other/tensors,format=static,num_tensors=1"
PICTURE = "video/x-raw,format={RGB,BGR},width=%s,height=%s"
ANY = "[1,32768]"


class Refused(Exception):
    """An error for the user; becomes an error message on the bus."""


def numbers(text, name):
    """One number for each of three channels: "0.5" or "0.485,0.456,0.406"."""
    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        values = []
    if len(values) not in (1, 3):
        raise Refused(f"{name}={text}: one number, or three with commas between them")
    return np.array(values, np.float32)


def first_structure(caps):
    """A copy: get_structure() gives a structure up to GStreamer 1.24, something else in 1.26."""
    return Gst.Structure.new_from_string(caps.copy_nth(0).to_string())


def softmax(scores, axis):
    scores = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return scores / scores.sum(axis=axis, keepdims=True)


def is_image(sides, height, width):
    """Whether these are height and width, or 1/2, 1/4 or 1/8 of both, rounded up."""
    return any(tuple(sides) == (-(-height // n), -(-width // n)) for n in (1, 2, 4, 8))


class Network:
    """A file of ONNX with one picture in; `channels_first` as in 1 x 3 x height x width."""

    def __init__(self, path, threads, providers):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        try:
            self.session = onnxruntime.InferenceSession(path, options, providers=providers)
        except Exception as error:
            raise Refused(f"model={path}: {error}") from error
        self.input, self.output = self.session.get_inputs()[0], self.session.get_outputs()[0]
        shape = self.input.shape
        if len(shape) != 4 or self.input.type not in TYPES or 3 not in (shape[1], shape[3]):
            raise Refused(f"model={path}: its input {self.input.name} is {self.input.type} "
                          f"{shape}, must be one picture, 1:3:height:width or 1:height:width:3, of "
                          "uint8, float16 or float32")
        if self.output.type not in TYPES:
            raise Refused(f"model={path}: its output {self.output.name} is {self.output.type}, "
                          "must be scores of uint8, float16 or float32")
        self.channels_first = shape[1] == 3
        self.type = TYPES[self.output.type]

    def sides(self):
        """Height and width of its pictures; what is no number is free."""
        return self.input.shape[2:4] if self.channels_first else self.input.shape[1:3]

    def run(self, picture, mean, std):
        """Scores of a picture, height x width x 3, as the network orders them."""
        if self.input.type != "tensor(uint8)":
            picture = (picture.astype(np.float32) / np.float32(255) - mean) / std
            picture = picture.astype(TYPES[self.input.type])
        if self.channels_first:
            picture = picture.transpose(2, 0, 1)
        picture = np.ascontiguousarray(picture[None])
        return self.session.run([self.output.name], {self.input.name: picture})[0]


class OnnxSemantics(GstBase.BaseTransform):
    __gstmetadata__ = ("Semantics from an ONNX network", "Filter/Analyzer/Video",
                       "Runs a segmentation network on each picture and gives its class scores",
                       "The gst-stixels developers")
    __gsttemplates__ = (
        Gst.PadTemplate.new("sink", Gst.PadDirection.SINK, Gst.PadPresence.ALWAYS,
                            Gst.Caps.from_string(PICTURE % (ANY, ANY))),
        Gst.PadTemplate.new("src", Gst.PadDirection.SRC, Gst.PadPresence.ALWAYS,
                            Gst.Caps.from_string(TENSORS)))

    model = GObject.Property(type=str, nick="Model", blurb="The network, a file of ONNX")
    logits = GObject.Property(type=bool, default=False, nick="Logits",
                              blurb="The network has no softmax at its end; take it here")
    mean = GObject.Property(type=str, default="0", nick="Mean", blurb="Taken from values of "
                            "0 to 1, one number or one for each channel, as in "
                            "0.485,0.456,0.406; not for networks that take uint8")
    std = GObject.Property(type=str, default="1", nick="Standard deviation", blurb="What values "
                           "are divided by then, one number or one for each channel")
    threads = GObject.Property(type=int, default=0, minimum=0, maximum=256, nick="Threads",
                               blurb="Threads of ONNX Runtime (0 = one per core)")
    providers = GObject.Property(type=str, nick="Providers", blurb="Execution providers of ONNX "
                                 "Runtime, the best first; none: CUDA if it is there, else CPU")

    network = info = None

    # ---- What the network wants ----------------------------------------------------------------

    def load(self):
        if MISSING is not None:
            raise Refused(f"{MISSING}: install ONNX Runtime (pip install onnxruntime); if it is in "
                          "a virtual environment, name its site-packages in PYTHONPATH")
        if not self.model:
            raise Refused("no network: set model=FILE.onnx")
        usable = onnxruntime.get_available_providers()
        wanted = self.providers.split(",") if self.providers else [
            name for name in ("CUDAExecutionProvider", "CPUExecutionProvider") if name in usable]
        for name in wanted:
            if name not in usable:
                raise Refused(f"providers={name}: must be of {', '.join(usable)}")
        self.average, self.spread = numbers(self.mean, "mean"), numbers(self.std, "std")
        self.network = Network(self.model, self.threads, wanted)

    def do_start(self):
        return self.guarded(self.load) is not False

    def do_stop(self):
        self.network = self.info = None
        return True

    def guarded(self, work, *arguments):
        """The work's result, or False and a message on the bus."""
        try:
            return work(*arguments)
        except Refused as reason:
            text = str(reason)
        except Exception as error:  # of ONNX Runtime, which has many
            text = f"model={self.model}: {error}"
        error = GLib.Error.new_literal(Gst.StreamError.quark(), text, Gst.StreamError.FAILED)
        self.post_message(Gst.Message.new_error(self, error, ""))
        return False

    # ---- Caps ----------------------------------------------------------------------------------

    def do_transform_caps(self, direction, caps, filter):
        if direction == Gst.PadDirection.SINK:
            other = Gst.Caps.from_string(TENSORS)
            if self.network:
                other.set_value("types", self.network.type)
        else:
            sides = self.network.sides() if self.network else ("", "")
            height, width = (side if isinstance(side, int) else ANY for side in sides)
            other = Gst.Caps.from_string(PICTURE % (width, height))
        first = first_structure(caps) if caps.get_size() > 0 else None
        if first and first.has_field("framerate"):
            other.set_value("framerate", first.get_value("framerate"))
        return filter.intersect_full(other, Gst.CapsIntersectMode.FIRST) if filter else other

    def do_fixate_caps(self, direction, caps, other):
        """The size of the scores follows from a picture: an empty one tells."""
        other = other.copy()
        if direction == Gst.PadDirection.SINK and self.network:
            dimensions = self.guarded(self.dimensions, GstVideo.VideoInfo.new_from_caps(caps))
            if dimensions:
                other.set_value("dimensions", dimensions)
        return other.fixate()

    def dimensions(self, info):
        return ":".join(str(side) for side in reversed(self.scores(np.zeros(
            (info.height, info.width, 3), np.uint8)).shape[1:])) + ":1"

    def do_set_caps(self, caps, other):
        self.info = GstVideo.VideoInfo.new_from_caps(caps)
        return first_structure(other).has_field("dimensions")

    # ---- A picture -----------------------------------------------------------------------------

    def scores(self, picture):
        scores = self.network.run(picture, self.average, self.spread)
        height, width = picture.shape[:2]
        planar = scores.ndim == 4 and is_image(scores.shape[2:], height, width)
        if not planar and not (scores.ndim == 4 and is_image(scores.shape[1:3], height, width)):
            raise Refused(f"model={self.model}: for {width}x{height} pixels it gives "
                          f"{'x'.join(map(str, scores.shape))}, must be 1 x classes x height x "
                          "width or 1 x height x width x classes, of the picture's sides or 1/2, "
                          "1/4 or 1/8 of them, rounded up")
        return softmax(scores, 1 if planar else 3) if self.logits else scores

    def picture_of(self, buffer, data):
        """The buffer's pixels, without a copy, however far apart its rows are."""
        meta = GstVideo.buffer_get_video_meta(buffer)
        layout = meta or self.info
        return np.ndarray((self.info.height, self.info.width, 3), np.uint8, data,
                          layout.offset[0], (layout.stride[0], 3, 1))

    def do_prepare_output_buffer(self, buffer):
        ok, view = buffer.map(Gst.MapFlags.READ)
        if not ok:
            return Gst.FlowReturn.ERROR, None
        scores = self.guarded(lambda: self.scores(self.picture_of(buffer, view.data)).tobytes())
        buffer.unmap(view)
        if scores is False:
            return Gst.FlowReturn.ERROR, None
        result = Gst.Buffer.new_wrapped(scores)
        flags = Gst.BufferCopyFlags.TIMESTAMPS | Gst.BufferCopyFlags.FLAGS
        result.copy_into(buffer, flags, 0, 0)
        return Gst.FlowReturn.OK, result

    def do_transform(self, buffer, result):
        return Gst.FlowReturn.OK


GObject.type_register(OnnxSemantics)
__gstelementfactory__ = ("onnx-semantics", Gst.Rank.NONE, OnnxSemantics)
