#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every line of docs/network.md: a sender and a receiver each, over the loopback. What comes
out must be what the same elements make without a network; of pictures and stixels that are paired
on the other side, no pair may be a wrong one.
"""
import json
import pathlib
import tempfile
import time
import unittest

from gstreamer import Gst
from page import SECONDS_MOST, SIZE, Page, listens, running, wait_for
from watch import Watch, data_of, played, wrong_pairs

ENOUGH = 5
SCANS_MOST = 300
LABELS = "application/x-point-labels"
FRAMES_MOST = 900
TOGETHER = 25 * Gst.MSECOND
STREET = "street-scene-src"
STIXELS = "downsample-transpose ! sat-dp-stixels"


class Lines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = Page()

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def labels(self):
        """Files that are there as a whole: the last one may be on its way."""
        return sorted(self.folder.glob("*.label"))[:-1]

    def expect_labels(self):
        """Each of some frame of the street."""
        missing = {path.read_bytes() for path in self.labels()}
        line = f"{STREET} num-buffers={SCANS_MOST} view=lidar ! lidar-ground ! {LABELS}"
        for sample in played(line):
            missing.discard(data_of(sample.get_buffer()))
            if not missing:
                break
        self.assertEqual(missing, set())

    def run_pair(self, sender, receiver, what, found):
        with running(self.page.words(sender), self.folder):
            with running(self.page.words(receiver), self.folder):
                wait_for(what, found)

    def test_udp(self):
        stixels_out, stixels_in, labels_out, labels_in = self.page.blocks("One stream over UDP")
        obstacles_out = stixels_out.replace(
            "sat-dp-stixels", "sat-dp-stixels ! stixel-obstacles ! application/x-obstacles")
        obstacles_in = stixels_in.replace(
            "stixel-json ! filesink location=stixels.jsonl",
            "multifilesink location=%06d.obstacles")
        path = self.folder / "stixels.jsonl"

        def lines():
            return path.read_bytes().split(b"\n")[:-1] if path.exists() else []

        self.run_pair(stixels_out, stixels_in, "stixels", lambda: len(lines()) >= ENOUGH)
        received = [json.loads(line) for line in lines()]
        for sample in played(f"{STREET} view=disparity ! {SIZE} ! {STIXELS} ! stixel-json"):
            frame = json.loads(data_of(sample.get_buffer()))
            if received and frame["stixels"] == received[0]["stixels"]:
                self.assertEqual(frame["camera"], received.pop(0)["camera"])
            if not received or frame["pts"] > FRAMES_MOST * Gst.SECOND / 10:
                break
        self.assertEqual(len(received), 0)
        self.run_pair(obstacles_out, obstacles_in, "obstacles",
                      lambda: len(list(self.folder.glob("*.obstacles"))) > 2)
        for path in sorted(self.folder.glob("*.obstacles"))[:2]:
            self.assertEqual(path.stat().st_size % 64, 0)
        limit = pathlib.Path("/proc/sys/net/core/rmem_max")
        if limit.exists() and int(limit.read_text()) < 1 << 20:
            self.skipTest(f"{limit} is too small for labels over UDP, as the page says")
        self.run_pair(labels_out, labels_in, "labels", lambda: len(self.labels()) >= 3)
        self.expect_labels()

    @unittest.skipUnless(Gst.ElementFactory.find("gdppay"), "no gstreamer1.0-plugins-bad")
    def test_tcp(self):
        scans_out, labels_in, pair_out, pair_in = self.page.blocks("TCP")
        with running(self.page.words(scans_out), self.folder):
            wait_for("server", listens(self.page.ports["5008"]))
            with running(self.page.words(labels_in), self.folder):
                wait_for("labels", lambda: len(self.labels()) >= 3)
        self.expect_labels()
        truth = (f"{STREET} ! {SIZE},format=GRAY8",
                 f"{STREET} view=disparity ! {SIZE} ! {STIXELS}")
        with running(self.page.words(pair_out), self.folder):
            for port in ("5010", "5011"):
                wait_for("server", listens(self.page.ports[port]))
            watch = self.watched(Gst.parse_launchv(self.page.words(pair_in)[1:]))
        self.expect_right_pairs(truth, watch)
        self.assertEqual(max(pair[2] for pair in watch.pairs(TOGETHER)), 0)

    def watched(self, pipeline):
        """Plays until there are enough pairs."""
        watch = Watch(pipeline)
        pipeline.set_state(Gst.State.PLAYING)
        last = time.monotonic() + SECONDS_MOST
        bus = pipeline.get_bus()
        while len(watch.pairs(TOGETHER)) < ENOUGH and time.monotonic() < last:
            message = bus.timed_pop_filtered(50 * Gst.MSECOND, Gst.MessageType.ERROR)
            self.assertIsNone(message, message and message.parse_error())
        pipeline.set_state(Gst.State.NULL)
        return watch

    def expect_right_pairs(self, truth, *watches):
        pairs = []
        for watch in watches:
            new = watch.pairs(TOGETHER)
            print(f"{len(watch.pictures)} pictures, {len(watch.stixels)} stixels, {len(new)} "
                  f"pairs, off by at most {max((pair[2] for pair in new), default=0)} ns")
            self.assertGreaterEqual(len(new), ENOUGH)
            self.assertEqual(watch.without_camera, 0)
            pairs += new
        self.assertEqual(wrong_pairs(pairs, *truth), 0)

    @unittest.skipUnless(Gst.ElementFactory.find("x264enc"), "no gstreamer1.0-plugins-ugly")
    def test_rtsp(self):
        """The stixels inside the video are those of frames in a row."""
        program, = self.page.blocks("Video and stixels of one camera", "python")
        client, = self.page.blocks("Video and stixels of one camera")
        head, tail = client.split("stixel-overlay ! ")
        self.assertEqual(tail, "videoconvert ! fakesink\n")
        client = f"{head}stixel-overlay ! stixel-json ! filesink location=lines.jsonl " \
                 "buffer-mode=unbuffered"
        path = self.folder / "lines.jsonl"

        def received():
            """Returns the stixels of each line; a slow machine leaves frames without any."""
            lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
            return [line["stixels"] for line in map(json.loads, lines) if "stixels" in line]

        with running(["/usr/bin/python3", "-c", program], self.folder):
            wait_for("server", listens(self.page.ports["8554"]))
            with running(self.page.words(client), self.folder):
                wait_for("stixels", lambda: len(received()) >= ENOUGH)
        missing = received()
        left, right = (f"{STREET} view={view} ! video/x-raw,width=640,height=192 ! "
                       f"stereo.sink_{view}" for view in ("left", "right"))
        street = f"stereo-stixels name=stereo {left} {right} stereo. ! stixel-json"
        for number, sample in enumerate(played(street)):
            if json.loads(data_of(sample.get_buffer()))["stixels"] == missing[0]:
                missing.pop(0)
            if not missing or number > FRAMES_MOST:
                break
        self.assertEqual(len(missing), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
