#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts of the programs that publish, each by itself.

Without GStreamer for Python the test is skipped.

  - what a program adds to a pipeline is left out only where an element of that kind is in it;
  - where a package is missing or too old, the program says why, and prints the page's recipe;
  - connections on which nothing is asked, or heard, take no place of viewers of the page.
"""
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import street

street.skip_without("gi", "numpy")
sys.path += [str(street.EXAMPLES / "shared"), str(street.EXAMPLES / "stx-web")]

import frames  # noqa: E402
import server  # noqa: E402


class Words(unittest.TestCase):
    def expect_added(self, text, added):
        line = frames.linked([text], frames.OBSTACLES, frames.JSON)
        self.assertEqual(line.removeprefix(text) == f" ! {frames.OBSTACLES} ! {frames.JSON}",
                         added, line)

    def test_names_that_are_no_elements(self):
        for text in ("filesrc location=stixel-json/a.gdp ! gdpdepay", "file:///stixel-json/a ! x",
                     "fakesrc name=stixel-obstacles", "fakesrc ! application/x-stixels",
                     "fakesrc ! queue name = my-stixel-json ! application/x-obstacles",
                     'filesrc location="a ! stixel-json \\" ! stixel-json" ! x',
                     "filesrc location=a\\ !\\ stixel-json\\ ! ! x", "stixel-json. ! x"):
            self.expect_added(text, True)

    def test_elements_in_any_place(self):
        for text in ("fakesrc ! stixel-obstacles ! stixel-json", "x!stixel-obstacles!stixel-json",
                     "fakesrc ! ( stixel-obstacles max-distance=9 ! (stixel-json name=x) )"):
            self.expect_added(text, False)

    def test_words_keep_what_their_quotes_kept_together(self):
        path = "/no where/at\tall !"
        line = frames.linked(["filesrc", "name=file", f"location={path}"], "identity")
        pipeline = frames.Pipeline(line, "file")
        self.assertEqual(pipeline.sinks["file"].get_property("location"), path)


class Signals(unittest.TestCase):
    def test_end_what_hangs(self):
        pipeline = frames.Pipeline("videotestsrc ! tee name=t t. ! queue max-size-buffers=2 ! mix. "
                                   "t. ! queue min-threshold-buffers=50 ! mix. "
                                   "compositor name=mix ! fakesink")
        frames.SILENT = 1
        threading.Timer(.5, os.kill, (os.getpid(), signal.SIGTERM)).start()
        with self.assertRaisesRegex(frames.PipelineError, "by force"):
            pipeline.play()


class Packages(unittest.TestCase):
    def test_what_is_too_old(self):
        with tempfile.TemporaryDirectory() as name:
            pathlib.Path(name, "mcap.py").write_text("raise ImportError('this is why')\n")
            found = subprocess.run(
                [sys.executable, street.EXAMPLES / "stx-mcap/stx-mcap.py", "--save", "a.mcap"],
                env={**os.environ, "STX_MCAP": name}, capture_output=True, text=True)
        why, recipe = found.stderr.splitlines()
        self.assertTrue(why.startswith("this is why. ") and sys.executable in why, why)
        self.assertIn(recipe, (street.ROOT / "docs/ros2.md").read_text())


class Connections(unittest.TestCase):
    def setUp(self):
        server.TIMEOUT = .5
        self.hub = server.Hub()
        self.server = server.Server("127.0.0.1", 0, self.hub)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def ask(self, text, host="127.0.0.1"):
        viewer = socket.create_connection(self.server.server_address, 10, (host, 0))
        self.addCleanup(viewer.close)
        viewer.sendall(text.encode())
        return viewer

    def watch(self, host="127.0.0.1"):
        return self.ask("GET /stream.mjpg HTTP/1.1\r\nHost: localhost\r\n\r\n", host)

    def expect_page(self, host="127.0.0.1"):
        viewer = self.ask("GET / HTTP/1.0\r\nHost: localhost\r\n\r\n", host)
        self.assertIn(b"200 OK", viewer.recv(100))

    def test_a_head_that_never_ends(self):
        viewer = self.ask("GET / HTTP/1.1\r\nX")
        viewer.setblocking(False)
        for _ in range(100):
            time.sleep(.03)
            with contextlib.suppress(BlockingIOError):
                self.assertEqual(viewer.recv(1), b"")
                return
            with contextlib.suppress(ConnectionError):
                viewer.send(b"x")
        self.fail("it still waits for the end of the head")

    def test_heads_that_take_all_places(self):
        server.TIMEOUT = 60
        for _ in range(server.CONNECTIONS):
            self.ask("GET")
        self.expect_page()
        for n in range(server.CONNECTIONS):
            self.ask("GET", f"127.0.1.{n + 1}")
        self.expect_page("127.0.0.2")

    def test_streams_of_one_address(self):
        viewers = [self.watch() for _ in range(server.OF_ONE)]
        street.wait_until(lambda: self.hub.watching == len(viewers), "viewers")
        self.assertEqual(self.watch().recv(1), b"")
        self.expect_page("127.0.0.2")

    def test_streams_end_without_a_frame(self):
        viewer = self.watch()
        street.wait_until(lambda: self.hub.watching == 1, "a viewer")
        viewer.close()
        street.wait_until(lambda: self.hub.watching == 0, "its end")


if __name__ == "__main__":
    unittest.main(verbosity=2)
