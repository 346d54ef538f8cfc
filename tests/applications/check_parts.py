#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts of the programs that publish, each by itself.

Without GStreamer for Python the test is skipped.

  - what a program adds to a pipeline is left out only where an element of that kind is in it;
  - where a package is missing or too old, the program says why, and prints the page's recipe;
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import street

street.skip_without("gi", "numpy")
sys.path.insert(0, str(street.EXAMPLES / "shared"))

import frames  # noqa: E402


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


class Packages(unittest.TestCase):
    def test_what_is_too_old(self):
        for program, folder, package, page in (
                ("stx-parquet", "STX_PYARROW", "pyarrow", "publishing"),
                ("stx-rerun", "STX_VIEWERS", "rerun", "rerun")):
            with tempfile.TemporaryDirectory() as name:
                pathlib.Path(name, f"{package}.py").write_text("raise ImportError('this is why')\n")
                found = subprocess.run(
                    [sys.executable, street.EXAMPLES / program / f"{program}.py"],
                    env={**os.environ, folder: name}, capture_output=True, text=True)
            why, recipe = found.stderr.splitlines()
            self.assertTrue(why.startswith("this is why. ") and sys.executable in why, why)
            self.assertIn(recipe, (street.ROOT / f"docs/{page}.md").read_text())


if __name__ == "__main__":
    unittest.main(verbosity=2)
