#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the stixels and obstacles of a pipeline to Parquet files, for DuckDB, pandas and others.

  stx-parquet --stixels drive.parquet street-scene-src view=disparity num-buffers=50 \\
      ! downsample-transpose ! sat-dp-stixels

The rest of the command line is a pipeline as for gst-launch-1.0 that ends in stixels; for obstacles
alone also in what stixel-obstacles takes: video with stixels, scans with labels. A file has its
name when it is complete: until then it ends in .part. It is completed at the end of the stream, on
an interrupt, and when the pipeline fails.

Needs GStreamer for Python, NumPy 2 and PyArrow (PyPI: pyarrow). Files describe their columns;
docs/publishing.md has a query.
"""
import argparse
import contextlib
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shared"))
if os.environ.get("STX_PYARROW"):  # a folder with PyArrow and its NumPy
    sys.path.insert(0, os.environ["STX_PYARROW"])

import release  # noqa: E402 (where it is had to be said first)


def text(word):
    if not word.isprintable():
        raise argparse.ArgumentTypeError(f"{word!a}: is no text")
    return word


def arguments_of(command_line):
    parser = argparse.ArgumentParser(prog="stx-parquet", description=__doc__.splitlines()[0])
    release.add_to(parser)
    parser.add_argument("--stixels", metavar="FILE", help="a row per stixel")
    parser.add_argument("--obstacles", metavar="FILE", help="a row per obstacle")
    parser.add_argument("--recording", type=text, default="",
                        help="what the column of this name says")
    parser.add_argument("--rows", type=int, default=100000, metavar="N",
                        help="rows that are held before they are written (%(default)s)")
    parser.add_argument("pipeline", nargs=argparse.REMAINDER,
                        help="as for gst-launch-1.0")
    arguments = parser.parse_args(command_line)
    if not (arguments.stixels or arguments.obstacles):
        parser.error("say --stixels FILE, --obstacles FILE or both")
    if not arguments.pipeline:
        parser.error("say what pipeline; the synthetic street is in the page docs/publishing.md")
    if arguments.rows < 1:
        parser.error(f"--rows {arguments.rows}: at least 1")
    return arguments


# Before what follows is looked for: --help and --version need none of it.
ARGUMENTS = arguments_of(sys.argv[1:])

import frames  # noqa: E402
try:
    import tables
except ImportError as missing:
    release.refuse(missing, "PyArrow and NumPy 2", "pyarrow 'numpy>=2'")

KINDS = {"stixels": tables.Stixels, "obstacles": tables.Obstacles}


def launch_line(arguments):
    """Obstacles are found by an element at the end, unless it is there."""
    words = arguments.pipeline
    both = arguments.stixels and arguments.obstacles
    if both and frames.OBSTACLES in frames.factories(frames.description(words)):
        raise ValueError(f"with both --stixels and --obstacles leave {frames.OBSTACLES} out of the "
                         "pipeline: stixels come from before it")
    stixels = f"capsfilter caps=application/x-stixels ! {frames.sink('stixels', False)}"
    obstacles = f"capsfilter caps=application/x-obstacles ! {frames.sink('obstacles', False)}"
    if not arguments.obstacles:
        return f"{frames.linked(words)} ! {stixels}"
    if not arguments.stixels:
        return f"{frames.linked(words, frames.OBSTACLES)} ! {obstacles}"
    return (f"{frames.linked(words)} ! tee name=stixels-tee stixels-tee. ! queue ! {stixels} "
            f"stixels-tee. ! queue ! {frames.OBSTACLES} ! {obstacles}")


def paths_of(arguments):
    """By name. What is there is replaced at the end, but only if it is a file."""
    paths = {name: pathlib.Path(getattr(arguments, name)) for name in KINDS
             if getattr(arguments, name)}
    for path in paths.values():
        if path.exists() and not path.is_file():
            raise ValueError(f"{path}: is there, and is no file")
    if len({path.resolve() for path in paths.values()}) < len(paths):
        raise ValueError(f"{arguments.stixels}: one file for both tables")
    return paths


def write(arguments):
    """Until the end, an interrupt or an error; the files are complete in each case."""
    paths = paths_of(arguments)
    pipeline = frames.Pipeline(launch_line(arguments), *paths)
    pipeline.stop_on_signals()
    with contextlib.ExitStack() as stack:
        files = {name: stack.enter_context(KINDS[name](path, arguments.recording, arguments.rows))
                 for name, path in paths.items()}
        for name, sample in pipeline.samples():
            files[name].add(sample)


def main():
    sys.stdout.reconfigure(errors="backslashreplace")  # names are bytes, whatever the locale is
    try:
        write(ARGUMENTS)
    except (frames.PipelineError, OSError, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
