#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the stixels and obstacles of a pipeline to Parquet files, for DuckDB, pandas and others.

  stx-parquet --stixels drive.parquet street-scene-src view=disparity num-buffers=50 \\
      ! downsample-transpose ! sat-dp-stixels

The rest of the command line is a pipeline as for gst-launch-1.0 that ends in stixels, in video with
stixels or in obstacles. A file has its name when it is complete: until then it ends in .part. It is
completed at the end of the stream, on an interrupt, and when the pipeline fails.

Needs GStreamer for Python, NumPy and PyArrow (PyPI: pyarrow). docs/publishing.md has the columns
and some queries.
"""
import argparse
import contextlib
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shared"))
if os.environ.get("STX_PYARROW"):  # a folder with PyArrow and its NumPy
    sys.path.insert(0, os.environ["STX_PYARROW"])

import frames  # noqa: E402 (where it is had to be said first)
try:
    import tables
except ImportError as missing:
    sys.exit(f"There is no PyArrow for this Python ({missing}): pip install pyarrow numpy")


def arguments_of(command_line):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stixels", metavar="FILE", help="a row per stixel")
    parser.add_argument("--obstacles", metavar="FILE", help="a row per obstacle")
    parser.add_argument("--recording", default="", help="what the column of this name says")
    parser.add_argument("--rows", type=int, default=100000, metavar="N",
                        help="rows that are held before they are written (%(default)s)")
    parser.add_argument("pipeline", nargs=argparse.REMAINDER,
                        help="as for gst-launch-1.0; without one, the synthetic street")
    arguments = parser.parse_args(command_line)
    if not (arguments.stixels or arguments.obstacles):
        parser.error("say --stixels FILE, --obstacles FILE or both")
    if arguments.rows < 1:
        parser.error(f"--rows {arguments.rows}: at least 1")
    return arguments


def write(arguments, files):
    """Frames until the end, an interrupt or an error; the files are complete in each case."""
    tail = frames.obstacles_tail(arguments.pipeline) if arguments.obstacles else []
    pipeline = frames.Pipeline(arguments.pipeline, tail, clock=False)
    pipeline.stop_on_signals()
    for frame in pipeline.frames():
        for file in files:
            file.add(frame)


def main():
    arguments = arguments_of(sys.argv[1:])
    wanted = ((arguments.stixels, tables.Stixels), (arguments.obstacles, tables.Obstacles))
    with contextlib.ExitStack() as stack:
        try:
            files = [stack.enter_context(kind(path, arguments.recording, arguments.rows))
                     for path, kind in wanted if path]
            write(arguments, files)
        except (frames.PipelineError, OSError, ValueError) as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
