# SPDX-License-Identifier: LGPL-2.1-or-later
"""A bag as the source of a pipeline: two cameras as the elements `bag-left` and `bag-right`, a
scanner as `bag-points`, with the times of the messages and what CameraInfo and TF say of them."""
import collections
import contextlib
import fractions
import pathlib
import re
import statistics
import sys
import tempfile
import threading

import numpy as np

import clouds
import rostypes
import transforms
from cdr import Refused, short

import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp  # noqa: E402, F401 (it gives appsrc its methods)

PICTURES = ("sensor_msgs/Image", "sensor_msgs/CompressedImage")
CLOUD, INFO, TF = "sensor_msgs/PointCloud2", "sensor_msgs/CameraInfo", "tf2_msgs/TFMessage"
# Names of topics, and so of cameras, in pairs.
PAIRS = (("left", "right"), ("infra1", "infra2"), ("cam0", "cam1"), ("camera0", "camera1"),
         ("camera_0", "camera_1"), ("image_00", "image_01"), ("image_02", "image_03"))
RECTIFIED = re.compile("[/_]rect")
NO_VIEWS = re.compile("depth|disparity|theora|mask|label|confidence")
PACKETS = re.compile("(Velodyne|Pandar)Scan|Packet")  # which stx-packets reads
# Caps and bytes of a pixel by encoding of sensor_msgs/Image.
RAW = {name: (f"video/x-raw,format={form}", size) for names, form, size in (
    ("mono8 8UC1", "GRAY8", 1), ("rgb8", "RGB", 3), ("bgr8 8UC3", "BGR", 3), ("rgba8", "RGBA", 4),
    ("bgra8 8UC4", "BGRA", 4), ("yuv422 uyvy", "UYVY", 2), ("yuv422_yuy2 yuyv", "YUY2", 2))
    for name in names.split()}
RAW |= {f"bayer_{order}8": (f"video/x-bayer,format={order}", 1)
        for order in ("rggb", "bggr", "gbrg", "grbg")}
SIXTEEN = ("mono16", "16UC1")
COMPRESSED = {b"\xff\xd8": "image/jpeg", b"\x89P": "image/png"}
DECODERS = {"image/jpeg": "jpegdec", "image/png": "pngdec", "video/x-bayer": "bayer2rgb"}
APPSRC = "appsrc name=appsrc-{} format=time block=true max-bytes=0 max-buffers=4"
LOOKED_AT = 8  # messages of a topic, before it begins


class Source:
    """A topic, as an element of a pipeline. A subclass converts its messages to buffers."""

    def __init__(self, bag, name, topic, by_recording):
        self.bag, self.name, self.topic, self.by_recording = bag, name, topic, by_recording
        self.types = bag.types(topic)
        self.base, self.caps, self.last, self.pushed = 0, None, None, 0
        self.left_out, self.fault, self.appsrc = collections.Counter(), None, None
        first = self.begin()
        self.first, self.frame = first[0][0], first[0][1]["header"]["frame_id"].lstrip("/")
        steps = [b - a for (a, _), (b, _) in zip(first, first[1:]) if b > a]
        rate = 10**9 / statistics.median(steps) if steps else 0
        self.rate = fractions.Fraction(rate).limit_denominator(1001)
        self.first_caps = self.convert(first[0][1])[0]

    def begin(self):
        """Time and message of the first ones. What is wrong behind these is said in its turn."""
        found, fault = [], Refused(f"{self.topic} has no messages")
        try:
            for _, recorded, data in self.bag.messages([self.topic]):
                message = self.types.decode(data)
                found.append((self.time_of(message, recorded), message))
                if len(found) == LOOKED_AT:
                    break
        except Refused as told:
            fault = told
        if not found:
            raise fault
        return found

    def time_of(self, message, recorded):
        return recorded if self.by_recording else rostypes.nanoseconds(message["header"]["stamp"])

    def with_rate(self, caps):
        return f"{caps},framerate={self.rate.numerator}/{self.rate.denominator}"

    def start(self, pipeline):
        self.appsrc = pipeline.get_by_name(f"appsrc-{self.name}")
        thread = threading.Thread(target=self.run, daemon=True)
        self.appsrc.connect("need-data", lambda *_: thread.ident or thread.start())

    def run(self):
        try:
            for _, recorded, data in self.bag.messages([self.topic]):
                if not self.push(recorded, data):
                    return
        except Exception as fault:  # whatever it is, the pipeline must end
            self.fault = str(fault) if isinstance(fault, Refused) else (
                f"{type(fault).__name__}: {fault}")
        self.appsrc.end_of_stream()

    def leave_out(self, reason):
        self.left_out[reason] += 1
        if self.left_out[reason] == 1:
            print(f"stx-mcap: {self.topic}: message {self.pushed + self.left_out.total()} is left "
                  f"out: {reason}", file=sys.stderr)

    def push(self, recorded, data):
        """False: nothing is wanted any more."""
        try:
            message = self.types.decode(data)
            caps, data = self.convert(message)
        except Refused as fault:
            self.leave_out(str(fault))
            return True
        time = self.time_of(message, recorded)
        if self.last is not None and time <= self.last:
            self.leave_out("its time is not behind that of the one before; --times recording takes "
                           "the times of recording")
            return True
        self.last = time
        buffer = Gst.Buffer.new_wrapped(data)
        buffer.pts = time - self.base
        if caps != self.caps:
            self.caps = caps
            self.appsrc.set_property("caps", Gst.Caps.from_string(caps))
        self.pushed += 1
        return self.appsrc.push_buffer(buffer) == Gst.FlowReturn.OK

    def told(self):
        """Its messages, counted: used, and left out by reason."""
        text = f"{self.topic}: {self.pushed} as bag-{self.name}"
        return text + "".join(f"; {count} left out: {reason}"
                              for reason, count in self.left_out.items())


# ---- Pictures ------------------------------------------------------------------------------------

def padded(message, size):
    """Rows as GStreamer has them: a multiple of 4 bytes."""
    width, height, step = message["width"], message["height"], message["step"]
    row = width * size
    if step < row or len(message["data"]) < step * height or not width or not height:
        raise Refused(f"a picture of {width}x{height} in {message['encoding']} with rows of {step} "
                      f"bytes and {len(message['data'])} in all")
    want = (row + 3) // 4 * 4
    if step == want:
        return message["data"][:want * height]
    rows = np.frombuffer(message["data"], np.uint8)[:step * height].reshape(height, step)[:, :row]
    return np.pad(rows, ((0, 0), (0, want - row))).tobytes()


class Picture(Source):
    """`info`: its CameraInfo, or None."""

    def __init__(self, *what, info=None):
        self.info = info
        super().__init__(*what)

    def convert(self, message):
        if "format" in message:
            kind = COMPRESSED.get(bytes(message["data"][:2]))
            if kind is None or "bayer" in message["format"]:
                raise Refused(f"a picture in {message['format'][:60]!r}; expected JPEG or PNG")
            return self.with_rate(kind), message["data"]
        encoding = message["encoding"]
        if encoding in SIXTEEN:
            caps, size = f"video/x-raw,format=GRAY16_{'BE' if message['is_bigendian'] else 'LE'}", 2
        elif encoding in RAW:
            caps, size = RAW[encoding]
        else:
            raise Refused(f"pictures in {encoding!r}; expected JPEG, PNG, "
                          f"{', '.join([*RAW, *SIXTEEN])}")
        return (self.with_rate(f"{caps},width={message['width']},height={message['height']}"),
                padded(message, size))

    def launch(self, camera, target):
        """Up to a queue of its name, or to another element's pad."""
        media = self.first_caps.split(",")[0]
        parts = [APPSRC.format(self.name)]
        if media in DECODERS:
            parts.append(DECODERS[media])
        if target:
            return " ! ".join([*parts, "videoconvert", target])
        if camera:
            parts.append(f"capssetter caps=video/x-raw{camera}")
        return " ! ".join([*parts, f"queue name=bag-{self.name}"])


# ---- Cameras -------------------------------------------------------------------------------------

def scaled(info):
    """The part of the picture that was read out: its size and where it begins."""
    roi = info["roi"]
    if roi["width"] and roi["height"]:
        return roi["width"], roi["height"], roi["x_offset"], roi["y_offset"]
    return info["width"], info["height"], 0, 0


def is_rectified(source):
    """Does it say so in its name, or has it no lens to speak of?"""
    straight = not any(source.info["d"]) and np.allclose(np.reshape(source.info["r"], (3, 3)),
                                                         np.eye(3), atol=1e-9)
    return bool(straight or RECTIFIED.search(source.topic))


def camera_caps(left, right):
    """Fields of caps, of the left projection and the baseline in the right one."""
    p, q = left.info["p"], right.info["p"]
    if not p[0] > 0:
        raise Refused(f"CameraInfo of {left.topic}: its projection has no focal length (P[0] = "
                      f"{p[0]}): the pair was never calibrated; say --camera none, and set "
                      "calibration in the pipeline")
    baseline = p[3] / p[0] - (q[3] / q[0] if q[0] else 0)
    if baseline < 0:
        raise Refused(f"CameraInfo: {right.topic} stands {-baseline:.3f} m to the left of "
                      f"{left.topic}: exchange --left and --right")
    if not baseline:
        raise Refused(f"CameraInfo of {right.topic}: its projection has no baseline (P[3] = 0): "
                      "say --camera none, and set calibration, or focal, cx, cy and baseline, in "
                      "the pipeline")
    width, height, x, y = scaled(left.info)
    return (f",camera-focal=(double){p[0]!r},camera-cx=(double){p[2] - x!r},"
            f"camera-cy=(double){p[6] - y!r},camera-baseline=(double){baseline!r},"
            f"camera-image-width={width},camera-image-height={height}")


def calibration_file(info, path):
    """As ROS's camera_calibration writes it."""
    lines = [f"image_width: {info['width']}", f"image_height: {info['height']}",
             f"distortion_model: {info['distortion_model'] or 'plumb_bob'}"]
    for name, rows, values in (("camera_matrix", 3, info["k"]),
                               ("distortion_coefficients", 1, info["d"] or (0.,) * 5),
                               ("rectification_matrix", 3, info["r"]),
                               ("projection_matrix", 3, info["p"])):
        lines += [f"{name}:", f"  rows: {rows}", f"  cols: {len(values) // rows}",
                  f"  data: [{', '.join(repr(float(v)) for v in values)}]"]
    path.write_text("\n".join(lines) + "\n")


# ---- Scans ---------------------------------------------------------------------------------------

class Cloud(Source):
    def convert(self, message):
        return self.with_rate("application/x-lidar"), clouds.points_of(message).tobytes()

    def launch(self, place):
        fields = "".join(f",sensor-{name}=(double){float(value)!r}" for name, value in zip(
            ("x", "y", "z", "roll", "pitch", "yaw"), place or ()))
        setter = f"capssetter caps=application/x-lidar{fields} ! " if fields else ""
        return f"{APPSRC.format(self.name)} ! {setter}queue name=bag-points"


# ---- A whole bag ---------------------------------------------------------------------------------

def listed(names):
    return ", ".join(names) or "none"


class Input:
    """The topics of a bag that go into a pipeline: those that the pipeline's text names, or, if it
    is empty, two cameras or else a scanner."""

    def __init__(self, bag, arguments, text):
        self.bag, self.arguments = bag, arguments
        self.folder = tempfile.TemporaryDirectory(prefix="stx-mcap-")
        self.views = [name for name in bag.of_type(*PICTURES) if not NO_VIEWS.search(name)]
        self.clouds = bag.of_type(CLOUD)
        wanted = {name for name in ("left", "right", "points")
                  if re.search(rf"(?<![\w./:-])bag-{name}\.(?![\w/])", text)}
        if not text.strip():
            wanted = {"left", "right"} if self.has_pair() else {"points"}
        if not wanted:
            raise Refused("the pipeline names none of the bag's elements: bag-left., bag-right., "
                          "bag-points.")
        self.tree, self.has_tree = self.read_tree(), False
        self.left, self.right = self.pair() if wanted & {"left", "right"} else (None, None)
        self.points = self.cloud() if "points" in wanted else None
        self.sources = [s for s in (self.left, self.right, self.points) if s]
        self.base = min(source.first for source in self.sources)
        for source in self.sources:
            source.base = self.base
        camera = self.left.frame if self.left else None
        self.has_tree = (camera or self.points.frame) in self.tree.parents

    def check(self, option, topic, names, kinds):
        """The topic that the caller said."""
        if topic not in self.bag.topics:
            raise Refused(f"--{option} {topic}: no such topic; there are {listed(names)}")
        if short(self.bag.topics[topic].kind) not in kinds:
            raise Refused(f"--{option} {topic}: messages of {self.bag.topics[topic].kind}; "
                          f"expected {' or '.join(kinds)}: {listed(names)}")
        return topic

    # ---- Two cameras -------------------------------------------------------------------------

    def pairs(self):
        """Topics of pictures whose names differ in the camera alone, rectified ones first."""
        found = []
        for one, other in PAIRS:
            for name in self.views:
                partner = name.replace(one, other)
                if partner != name and partner in self.views:
                    found.append((not RECTIFIED.search(name), "gray" in name, len(name), name,
                                  partner))
        return [pair[3:] for pair in sorted(found)]

    def has_pair(self):
        return bool(self.arguments.left or self.arguments.right or self.pairs())

    def pair(self):
        left, right = self.arguments.left, self.arguments.right
        if not (left and right):
            found = [pair for pair in self.pairs()
                     if left in (None, pair[0]) and right in (None, pair[1])]
            if not found:
                raise Refused("no two topics of pictures are named like a pair: say --left TOPIC "
                              f"and --right TOPIC; there are {listed(self.views)}")
            left, right = found[0]
        elif left == right:
            raise Refused(f"--left and --right are both {left}; there are {listed(self.views)}")
        found = [Picture(self.bag, name, self.check(name, topic, self.views, PICTURES),
                         self.arguments.times == "recording",
                         info=self.camera_info(name, topic))
                 for name, topic in (("left", left), ("right", right))]
        return found

    def camera_info(self, name, topic):
        """The first message of the topic beside that of the pictures."""
        if self.arguments.camera == "none":
            return None
        said = getattr(self.arguments, f"{name}_info")
        infos = self.bag.of_type(INFO)
        if said:
            self.check(f"{name}-info", said, infos, (INFO,))
        beside = [topic.rsplit("/", depth)[0] + "/camera_info" for depth in (1, 2)]
        found = said or next((place for place in beside if place in infos), None)
        for _, _, data in self.bag.messages([found] if found else []):
            return self.bag.types(found).decode(data)
        raise Refused(f"no CameraInfo for {topic}: expected messages on {found or beside[0]}; say "
                      f"--{name}-info TOPIC (there are: {listed(infos)}), or --camera none, and "
                      "set calibration in the pipeline")

    def launch_pair(self):
        left, right = self.left, self.right
        if self.arguments.camera == "none":
            return [left.launch("", None), right.launch("", None)]
        rectified = {"auto": is_rectified(left) and is_rectified(right), "yes": True,
                     "no": False}[self.arguments.rectified]
        print(f"stx-mcap: {left.topic} and {right.topic} are "
              f"{'rectified' if rectified else 'not rectified: stereo-rectify does that'}",
              file=sys.stderr)
        if rectified:
            camera = camera_caps(left, right)
            return [left.launch(camera, None), right.launch(camera, None)]
        files = {}
        for source in (left, right):
            if scaled(source.info)[:2] != (source.info["width"], source.info["height"]):
                raise Refused(f"CameraInfo of {source.topic}: pictures are a part of the sensor's "
                              "and not rectified; rectify them in ROS (image_proc)")
            files[source.name] = pathlib.Path(self.folder.name, f"{source.name}.yaml")
            calibration_file(source.info, files[source.name])
        return [f"stereo-rectify name=bag-rectify calibration={files['left']} "
                f"calibration-right={files['right']}",
                *(source.launch("", f"bag-rectify.sink_{source.name} "
                                f"bag-rectify.src_{source.name} ! queue name=bag-{source.name}")
                  for source in (left, right))]

    # ---- A scanner ---------------------------------------------------------------------------

    def cloud(self):
        topic = self.arguments.points
        if topic:
            self.check("points", topic, self.clouds, (CLOUD,))
        elif not self.clouds and (packets := [name for name, of in self.bag.topics.items()
                                              if PACKETS.search(of.kind)]):
            raise Refused(
                f"{packets[0]} has a scanner's packets, not point clouds: write these to a capture "
                f"by stx-packets {self.arguments.bag} > scan.pcap, and say --scan 'filesrc "
                "location=scan.pcap ! pcapparse ! lidar-decode ! lidar-ground ! stixel-obstacles' "
                "in place of --bag")
        elif not self.clouds:
            raise Refused("which point clouds? The bag has none, but "
                          f"{listed(sorted(self.bag.topics))}")
        elif len(self.clouds) != 1:
            raise Refused(f"which point clouds? Say --points TOPIC; there are "
                          f"{listed(self.clouds)}")
        return Cloud(self.bag, "points", topic or self.clouds[0],
                     self.arguments.times == "recording")

    def lidar_place(self):
        """x, y, z, roll, pitch and yaw in the camera's body, where TF knows them."""
        found = self.left and self.tree.between(self.left.frame, self.points.frame)
        if found is None:
            return None
        found = transforms.OPTICAL @ found
        return (*found[:3, 3], *transforms.angles(found))

    # ---- Transforms --------------------------------------------------------------------------

    def read_tree(self):
        """The transforms of /tf_static."""
        tree = transforms.Tree()
        topics = [name for name in self.bag.of_type(TF) if name.endswith("tf_static")]
        with contextlib.suppress(Refused):  # the sources say it, too
            for topic, _, data in self.bag.messages(topics):
                for one in self.bag.types(topic).decode(data)["transforms"]:
                    tree.add(one["header"]["frame_id"], one["child_frame_id"],
                             transforms.of_message(one["transform"]))
        return tree

    def copy_transforms(self, file):
        with contextlib.suppress(Refused):  # the sources say it, too
            for name, time, data in self.bag.messages(self.bag.of_type(TF)):
                file.put_bytes(name, self.bag.topics[name].kind, rostypes.definition(TF), time,
                               data)

    # ---- Into the pipeline -------------------------------------------------------------------

    def launch_line(self):
        parts = self.launch_pair() if self.left else []
        if self.points:
            parts.append(self.points.launch(self.lidar_place()))
        return " ".join(parts)

    def start(self, pipeline):
        for source in self.sources:
            source.start(pipeline)

    def end(self):
        """Says what became of the messages. True: all of the bag could be read."""
        self.folder.cleanup()
        for source in self.sources:
            print(f"stx-mcap: {source.told()}", file=sys.stderr)
        for fault in {source.fault for source in self.sources if source.fault}:
            print(f"stx-mcap: {fault}", file=sys.stderr)
        return not any(source.fault for source in self.sources)
