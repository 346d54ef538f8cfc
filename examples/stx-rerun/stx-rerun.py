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

import release  # noqa: E402 (where it is had to be said first)

STREET = {"disparity": "street-scene-src view=disparity",
          "scan": "street-scene-src view=lidar",
          "lidar_place": (0, -.08, 0)}
SINK = "appsink name={} sync=false max-buffers=8"


def arguments_of(command_line):
    parser = argparse.ArgumentParser(prog="stx-rerun", description=__doc__.splitlines()[0])
    release.add_to(parser)
    parser.add_argument("--save", metavar="FILE", help="write a file, and start no viewer")
    parser.add_argument("--kinds", action="store_true", help="colours by kind, not by distance")
    parser.add_argument("--frames", type=int, metavar="N", help="stop after so many")
    parser.add_argument("--disparity", metavar="PIPELINE", help="that ends in disparities")
    parser.add_argument("--scan", metavar="PIPELINE", help="that ends in points")
    parser.add_argument("--lidar-place", type=float, nargs=3, metavar=("X", "Y", "Z"),
                        help="of the scanner, metres to the right, down and ahead of the camera")
    parser.add_argument("pipeline", nargs=argparse.REMAINDER, help="as for gst-launch-1.0")
    arguments = parser.parse_args(command_line)
    if not arguments.pipeline:  # the street has all of it
        for name, value in STREET.items():
            if getattr(arguments, name) is None:
                setattr(arguments, name, value)
    if arguments.frames is not None and arguments.frames < 1:
        parser.error(f"--frames {arguments.frames}: at least 1")
    return arguments


# Before what follows is looked for: --help and --version need none of it.
ARGUMENTS = arguments_of(sys.argv[1:])

import frames  # noqa: E402
try:
    import numpy as np
    import rerun as rr
    import shapes
except ImportError as missing:
    release.refuse(missing, "Rerun and NumPy", "rerun-sdk numpy")


def launch_line(arguments):
    """What ends in each sink."""
    line = (f"{frames.linked(arguments.pipeline, frames.OBSTACLES)} ! tee name=rerun-frames "
            f"rerun-frames. ! queue ! videoconvert ! jpegenc ! {SINK.format('picture')} "
            f"rerun-frames. ! queue ! stixel-json ! {SINK.format('json')}")
    if arguments.disparity:
        line += (f" {arguments.disparity} ! queue ! video/x-raw,format=GRAY16_LE "
                 f"! {SINK.format('disparity')}")
    if arguments.scan:
        line += f" {arguments.scan} ! queue ! {SINK.format('scan')}"
    return line


def disparity_of(sample):
    caps = frames.caps_of(sample)
    width, height = caps.get_int("width").value, caps.get_int("height").value
    data = np.frombuffer(frames.bytes_of(sample), "<u2")
    return data.reshape(height, -1)[:, :width]


class Log:
    """Entities of a recording, at the time stamps of their frames."""

    def __init__(self, arguments):
        self.kinds, self.camera, self.waiting = arguments.kinds, None, []
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

    def json(self, sample, pts):
        line = json.loads(frames.bytes_of(sample))
        if "camera" not in line:
            raise frames.PipelineError("the pipeline ends in video without stixels: put "
                                       "stereo-stixels or stixel-overlay into it")
        camera = line["camera"]
        missing = [name for name in ("focal", "baseline", "cx", "cy")
                   if camera is None or camera[name] is None]
        if missing:
            raise frames.PipelineError(f"of the camera is unknown: {', '.join(missing)}; set "
                                       "calibration on stereo-stixels or stereo-sgm")
        if camera != self.camera:
            self.camera = camera
            self.put("world/camera", shapes.pinhole(line), pts=pts)
        boxes = shapes.stixel_boxes(line.get("stixels") or [], self.kinds)
        self.put("world/stixels", boxes, pts=pts)
        self.put("world/obstacles", shapes.obstacle_boxes(line.get("obstacles") or []), pts=pts)
        for then, disparity in self.waiting:
            self.depth(disparity, then)
        self.waiting = []

    def disparity(self, sample, pts):
        """Their depth is known as soon as the camera is."""
        if self.camera is None:
            self.waiting.append((pts, disparity_of(sample)))
        else:
            self.depth(disparity_of(sample), pts)

    def depth(self, disparity, pts):
        self.put("world/camera/depth", shapes.depth_image(disparity, self.camera), pts=pts)

    def scan(self, sample, pts):
        points = np.frombuffer(frames.bytes_of(sample), "<f4").reshape(-1, 4)
        self.put("world/lidar/scan", shapes.scan_points(points), pts=pts)


def run(arguments):
    names = ["picture", "json"] + [n for n in ("disparity", "scan") if getattr(arguments, n)]
    pipeline = frames.Pipeline(launch_line(arguments), *names)
    pipeline.stop_on_signals()
    log = Log(arguments)
    counts = dict.fromkeys(names, 0)
    for name, sample in pipeline.samples():
        counts[name] += 1
        if arguments.frames is None or counts[name] <= arguments.frames:
            try:
                getattr(log, name)(sample, frames.pts_of(sample) or 0)
            except ValueError as error:
                raise frames.PipelineError(f"what comes as {name}: {error}") from error
        elif all(count > arguments.frames for count in counts.values()):
            pipeline.stop()
    log.recording.flush()


def main():
    try:
        run(ARGUMENTS)
    except (frames.PipelineError, OSError, RuntimeError, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
