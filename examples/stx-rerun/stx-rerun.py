#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Logs picture, depth, stixels, obstacles and scans of a pipeline to Rerun, a viewer of 3-D.

  stx-rerun                        the synthetic street, in a viewer that is started
  stx-rerun --save drive.rrd …     to a file, for `rerun drive.rrd`

The rest of the command line is a pipeline as for gst-launch-1.0 that ends in video with stixels,
whose camera is known. --disparity and --scan are more branches of the same pipeline: they end in a
map of disparities and in points, and may name elements of it.

Needs GStreamer for Python, NumPy and Rerun (PyPI: rerun-sdk). docs/rerun.md has the entities.
"""
import argparse
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shared"))
if os.environ.get("STX_VIEWERS"):  # a folder with Rerun and its NumPy
    sys.path.insert(0, os.environ["STX_VIEWERS"])

import branch_options  # noqa: E402 (where it is had to be said first)
import release  # noqa: E402


def arguments_of(command_line):
    parser = argparse.ArgumentParser(prog="stx-rerun", description=__doc__.splitlines()[0])
    release.add_to(parser)
    parser.add_argument("--save", metavar="FILE", help="write a file, and start no viewer")
    parser.add_argument("--kinds", action="store_true", help="colours by kind, not by distance")
    branch_options.add_to(parser)
    arguments = parser.parse_args(command_line)
    branch_options.check(parser, arguments, {} if arguments.pipeline else branch_options.STREET)
    return arguments


# Before what follows is looked for: --help and --version need none of it.
ARGUMENTS = arguments_of(sys.argv[1:])

import frames  # noqa: E402
try:
    import branches
    import rerun as rr
    import shapes
except ImportError as missing:
    release.refuse(missing, "Rerun and NumPy", "rerun-sdk numpy")


class Log(branches.Log):
    """Entities of a recording, at the time stamps of their frames."""

    def __init__(self, arguments):
        super().__init__()
        self.kinds = arguments.kinds
        self.recording = rr.RecordingStream("stixels")
        if arguments.save:
            self.recording.save(arguments.save)
        else:
            self.recording.spawn()
        self.put("world", rr.ViewCoordinates.RDF, static=True)
        if arguments.lidar_place:
            self.put("world/lidar", rr.Transform3D(translation=arguments.lidar_place), static=True)

    def put(self, entity, *what, pts=None, **how):
        if pts is not None:
            self.recording.set_time("time", duration=pts / 1e9)
        self.recording.log(entity, *what, **how)

    def picture(self, sample, pts):
        self.put("world/camera/picture", rr.EncodedImage(
            contents=frames.bytes_of(sample), media_type="image/jpeg"), pts=pts)

    def frame(self, line, pts, new_camera):
        if new_camera:
            self.put("world/camera", shapes.pinhole(line), pts=pts)
        boxes = shapes.stixel_boxes(line.get("stixels") or [], self.kinds)
        self.put("world/stixels", boxes, pts=pts)
        self.put("world/obstacles", shapes.obstacle_boxes(line.get("obstacles") or []), pts=pts)

    def depth(self, disparity, pts):
        self.put("world/camera/depth", shapes.depth_image(disparity, self.camera), pts=pts)

    def scan(self, sample, pts):
        self.put("world/lidar/scan", shapes.scan_points(branches.points_of(sample)), pts=pts)

    def scan_json(self, sample, pts):
        self.put("world/lidar/obstacles", shapes.obstacle_boxes(json.loads(
            frames.bytes_of(sample)).get("obstacles") or []), pts=pts)


def run(arguments):
    words = arguments.pipeline
    pipeline = frames.Pipeline(branches.launch_line(arguments, words),
                               *branches.sinks(arguments, words))
    pipeline.stop_on_signals()
    log = Log(arguments)
    branches.run(pipeline, log, arguments.frames)
    log.recording.flush()


def main():
    try:
        run(ARGUMENTS)
    except (frames.PipelineError, OSError, RuntimeError, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
