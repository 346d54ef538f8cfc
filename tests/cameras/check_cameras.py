#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the lines of the pages that need cameras, those under one heading one after the other in the
same folder, where calibrations lie. Recordings of the synthetic street take the place of cameras: a
line ends with them, must post no error and no warning, must bring every frame to every sink, and
its matcher must find the distances of the street, from the first frame on, in pairs alone.
"""
import contextlib
import pathlib
import re
import sys
import tempfile
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/network"))

from gstreamer import Gst  # noqa: E402
from page import SECONDS_MOST, free_port, listens, running, wait_for  # noqa: E402
from watch import data_of, played, structure_of  # noqa: E402

PAGES = ("docs/cameras.md", "README.md", "docs/calibration.md", "docs/elements/stereo-rectify.md",
         "docs/elements/stereo-stixels.md")
NEEDS_CAMERA = re.compile(r"v4l2src|zedsrc|realsensesrc|rtspsrc|location=\S*\.(mkv|mp4|png)")
WIDTH, HEIGHT, FRAMES = 1280, 720, 3
RIGHT = 0.8  # of the pixels are within one of the street's disparity
VIEW = f"street-scene-src num-buffers={FRAMES} view={{}} ! video/x-raw,width={WIDTH}," \
       f"height={HEIGHT},framerate=30/1{{}}"
# The recordings: a view or both, as MJPEG and raw, and the tee they come from in record ().
CAMERAS = {"left": "l", "right": "r", "both": "both", "above": "above"}


def lines_of(path):
    """(heading, [line]) of a page, of those lines that need a camera or what one recorded."""
    text = (ROOT / path).read_text(encoding="utf-8")
    for heading, body in re.findall(r"^##+ (.*?)\n(.*?)(?=^##|\Z)", text, re.S | re.M):
        body = re.sub(r"\\\n\s*", " ", body)
        lines = re.findall(r"^gst-launch-1\.0 (.*)$", body, re.M)
        lines = [line for line in lines if NEEDS_CAMERA.search(line)]
        if path != PAGES[0]:
            lines = [line for line in lines if "v4l2src" in line]
        if lines:
            yield heading, lines


def run(line, enough=None, warns=False):
    """Plays a line to its end, or until enough () is true; it posts no error, nor a warning unless
    it may. Returns the frames at each sink, the
    matcher's first disparity with its caps, and its statistics."""
    pipeline = Gst.parse_launch(line)
    counts, first, matchers = {}, [], []

    def count(pad, info):
        counts[pad] += 1
        return Gst.PadProbeReturn.OK

    def see(pad, info):
        first.append((data_of(info.get_buffer()), pad.get_current_caps()))
        return Gst.PadProbeReturn.REMOVE

    for element in iterate(pipeline.iterate_recurse()):
        factory = element.get_factory()  # none of elements inside others
        name = factory and factory.get_name()
        if name in ("fakesink", "filesink"):
            pad = element.get_static_pad("sink")
            counts[pad] = 0
            pad.add_probe(Gst.PadProbeType.BUFFER, count)
        if name == "stereo-sgm":
            matchers.append(element)
            element.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, see)
    pipeline.set_state(Gst.State.PLAYING)
    kinds = Gst.MessageType.ERROR | Gst.MessageType.EOS
    if not warns:
        kinds |= Gst.MessageType.WARNING
    try:
        for _ in range(SECONDS_MOST * 20):
            message = pipeline.get_bus().timed_pop_filtered(Gst.SECOND // 20, kinds)
            if message or (enough and enough(list(counts.values()))):
                break
        ended = message is not None and message.type == Gst.MessageType.EOS
        assert ended or (message is None and enough), f"{line}\n{message and said(message)}"
        stats = [element.get_property("stats").to_string() for element in matchers]
    finally:
        pipeline.set_state(Gst.State.NULL)
    return list(counts.values()), first, stats


def said(message):
    error = message.type == Gst.MessageType.ERROR
    return message.parse_error() if error else message.parse_warning()


def iterate(iterator):
    while (found := iterator.next())[0] == Gst.IteratorResult.OK:
        yield found[1]


def pixels(data, caps):
    size = structure_of(caps)
    shape = size.get_int("height")[1], size.get_int("width")[1]
    return np.frombuffer(data, "<u2").reshape(shape) / 256


def write_calibrations(folder, width, height):
    """A pair that is rectified as it comes, in the forms of OpenCV, ZED, KITTI and Cityscapes."""
    caps = next(played(VIEW.format("disparity", "").replace(str(WIDTH), str(width))
                       .replace(str(HEIGHT), str(height)))).get_caps()
    f, cx, cy, b = (structure_of(caps).get_double(f"camera-{name}")[1]
                    for name in ("focal", "cx", "cy", "baseline"))
    k, lens = f"[{f}, 0, {cx}, 0, {f}, {cy}, 0, 0, 1]", f"fx={f}\nfy={f}\ncx={cx}\ncy={cy}\n"
    yml = (f"%YAML:1.0\n---\nimage_width: {width}\nimage_height: {height}\nK1: {k}\n"
           f"D1: [0, 0, 0, 0, 0]\nK2: {k}\nD2: [0, 0, 0, 0, 0]\n"
           f"R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [{-b}, 0, 0]\n")
    texts = {
        "stereo.yml": yml, "camera.yml": yml,
        "SN12345678.conf": f"[LEFT_CAM_HD]\n{lens}k1=0\nk2=0\n[RIGHT_CAM_HD]\n{lens}k1=0\nk2=0\n"
                           f"[STEREO]\nBaseline={1000 * b}\nRX_HD=0\nCV_HD=0\nRZ_HD=0\n",
        "calib.txt": f"P0: {f} 0 {cx} 0 0 {f} {cy} 0 0 0 1 0\n"
                     f"P1: {f} 0 {cx} {-f * b} 0 {f} {cy} 0 0 0 1 0\n",
        "camera.json": f'{{"intrinsic": {{"fx": {f}, "fy": {f}, "u0": {cx}, "v0": {cy}, '
                       f'"width": {width}, "height": {height}}}, '
                       f'"extrinsic": {{"baseline": {b}, "z": 1.65, "pitch": 0}}}}'}
    for name, text in texts.items():
        (folder / name).write_text(text)


def record(folder):
    """Draws the street once: each view, both beside and above one another, as MJPEG and raw."""
    mux = "queue ! matroskamux ! filesink location="
    left, right = (VIEW.format(view, ",format=RGB") for view in ("left", "right"))
    parts = [f"{left} ! videoconvert ! video/x-raw,format=I420 ! tee name=l",
             f"{right} ! videoconvert ! video/x-raw,format=I420 ! tee name=r"]
    for name, x, y in (("both", WIDTH, 0), ("above", 0, HEIGHT)):
        parts.append(f"compositor name=c{name} sink_1::xpos={x} sink_1::ypos={y} ! "
                     f"video/x-raw,format=I420 ! tee name={name} l. ! queue ! c{name}.sink_0 "
                     f"r. ! queue ! c{name}.sink_1")
    for name, tee in CAMERAS.items():
        parts.append(f"{tee}. ! queue ! jpegenc quality=100 ! {mux}{folder}/{name}-jpeg.mkv")
        raw = "video/x-raw,format=YUY2" if name == "both" else "video/x-raw"
        parts.append(f"{tee}. ! queue ! videoconvert ! {raw} ! {mux}{folder}/{name}-raw.mkv")
    run(" ".join(parts))


# A camera of the network: RTSP at the port argv[1], of the line argv[2].
SERVER = """
import sys
import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer
Gst.init(None)
server = GstRtspServer.RTSPServer(address="127.0.0.1", service=sys.argv[1])
factory = GstRtspServer.RTSPMediaFactory(shared=True)
factory.set_launch(sys.argv[2])
server.get_mount_points().add_factory("/street", factory)
server.attach(None)
GLib.MainLoop().run()
"""


class Lines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.recordings = pathlib.Path(cls.holder.name)
        record(cls.recordings)
        cls.truth = pixels(*[(data_of(s.get_buffer()), s.get_caps())
                             for s in played(VIEW.format("disparity", ""))][0])

    def camera(self, device, caps):
        """The recording of what stands at that device, with these caps behind it."""
        width = int(re.search(r"width=(\d+)", caps)[1])
        view = "both" if width > WIDTH else "right" if device == "/dev/video2" else "left"
        kind = "jpeg" if "image/jpeg" in caps else "raw"
        demux = f"filesrc location={self.recordings}/{view}-{kind}.mkv ! matroskademux"
        return demux if kind == "jpeg" else f"{demux} ! videoconvert"

    def replaced(self, line, folder):
        """With recordings for cameras, and without windows and options."""
        line = re.sub(r"^-e ", "", line).replace("autovideosink", "fakesink")
        line = re.sub(r"v4l2src(?: device=(\S+))? ! (\S+)",
                      lambda found: f"{self.camera(found[1], found[2])} ! {found[2]}", line)
        line = re.sub(r"zedsrc stream-type=2 \S+ \S+",
                      f"filesrc location={self.recordings}/above-raw.mkv ! matroskademux", line)
        # The demuxers of makers: a picture, and its depth in millimetres.
        line = re.sub(r"(zedsrc|realsensesrc) .*? name=demux ", "", line)
        views = [f"filesrc location={self.recordings}/{view}-jpeg.mkv ! matroskademux ! jpegdec"
                 for view in ("left", "right")]
        line, vendors = re.subn(r"demux\.(src_left|color)", views[0], line)
        line = re.sub(r"demux\.(src_aux|depth)", "depths.", line)
        if vendors:
            line += " stereo-sgm name=depths output=depth-mm focal=742.4 baseline=0.54 {} ! " \
                "depths.sink_left {} ! depths.sink_right".format(*views)
        return re.sub(r"location=(\S+)", lambda found: "location=" + self.file(found[1], folder,
                                                                               line), line)

    def file(self, name, folder, line):
        """A file of the reader's own, which is made when a line reads it."""
        path, view = folder / name, "right" if re.search("right|image_3", name) else "left"
        path.parent.mkdir(parents=True, exist_ok=True)
        source = f"filesrc location={self.recordings}/{view}-jpeg.mkv ! matroskademux ! "
        if name.endswith(".mp4"):
            run(f"{source} filesink location={path}".replace("! matroskademux ", ""))
        elif name.endswith(".png") and not path.exists():
            first = re.search(r"start-index=(\d+)", line)
            run(f"{source} jpegdec ! videoconvert ! pngenc ! multifilesink location={path} "
                f"index={first[1] if first else 0}")
        return str(path)

    def check(self, printed, folder):
        line = self.replaced(printed, folder)
        counts, first, stats = run(line)
        self.assertTrue(counts and min(counts) > 0, line)
        if "filesink" not in line:
            self.assertGreaterEqual(max(counts), FRAMES, line)
        if "stereo-s" in printed:
            self.assertIn(f"frames=(guint64){FRAMES},", stats[0], line)
            self.assertIn("unpaired=(guint64)0,", stats[0], line)
            found = pixels(*first[0])
            known = (found > 0) & (self.truth > 0)
            right = (np.abs(found - self.truth) < 1)[known].mean()
            self.assertGreater(right, RIGHT, line)
            self.assertGreater(known.mean(), 0.3, line)

    def test_lines_run_as_printed(self):
        sections = [(path, *section) for path in PAGES for section in lines_of(path)]
        self.assertGreater(len(sections), 2 * len(PAGES))
        for path, heading, lines in sections:
            with self.subTest(f"{path}: {heading}"), tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                write_calibrations(folder, WIDTH, HEIGHT)
                for line in lines:
                    if "rtspsrc" not in line:
                        line = re.sub(r"calibration=(\w+\.)", rf"calibration={folder}/\1", line)
                        self.check(line, folder)

    def test_a_recording_that_was_cut_plays_to_the_cut(self):
        """As when the disk is full, or the power gone."""
        lines = dict(lines_of(PAGES[0]))["Cameras alone"]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write_calibrations(folder, WIDTH, HEIGHT)
            run(self.replaced(lines[0], folder))
            data = (folder / "pair.mkv").read_bytes()
            (folder / "pair.mkv").write_bytes(data[:len(data) * 9 // 10])
            line = lines[1].replace("calibration=", f"calibration={folder}/")
            _, _, stats = run(self.replaced(line, folder), warns=True)
            self.assertIn(f"frames=(guint64){FRAMES - 1},", stats[0])

    def test_cameras_in_the_network(self):
        """Cameras that send the time of each picture, in H.264."""
        line, = dict(lines_of(PAGES[0]))["Two cameras in the network"]
        with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as servers:
            folder = pathlib.Path(name)
            write_calibrations(folder, 320, 176)
            for view, machine in (("left", 10), ("right", 11)):
                port = free_port()
                line = line.replace(f"192.168.1.{machine}/stream", f"127.0.0.1:{port}/street")
                street = (f"street-scene-src is-live=true view={view} ! video/x-raw,width=320,"
                          "height=176,framerate=10/1 ! videoconvert ! x264enc tune=zerolatency "
                          "speed-preset=ultrafast ! rtph264pay name=pay0")
                words = ["/usr/bin/python3", "-c", SERVER, str(port), f"( {street} )"]
                servers.enter_context(running(words, folder))
                wait_for("server", listens(port))
            line = line.replace("autovideosink", "fakesink")
            line = line.replace("calibration=", f"calibration={folder}/")
            _, first, _ = run(line, lambda counts: counts[0] >= 10, warns=True)
            self.assertEqual(len(first), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
