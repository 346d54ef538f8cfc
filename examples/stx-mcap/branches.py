# SPDX-License-Identifier: LGPL-2.1-or-later
"""A pipeline that ends in video with stixels, and beside it branches that end in disparities and in
points: what comes out of them, frame by frame."""
import json

import numpy as np

import frames

AT_FIRST = 30  # frames without stixels before the first one with them
THICK = .1  # metres, of what stands upright


def launch_line(arguments, words):
    """For gst-launch-1.0. `words` are those of the pipeline, or None: branches alone. Live, what
    comes is in time with the clock."""
    def sink(name):
        return frames.sink(name, bool(arguments.live))

    parts = []
    if words is not None:
        parts += [f"{frames.linked(words, frames.OBSTACLES)} ! tee name=stx-frames "
                  f"stx-frames. ! queue ! videoconvert ! jpegenc ! {sink('picture')} "
                  f"stx-frames. ! queue ! stixel-json ! {sink('json')}"]
    if arguments.disparity:
        parts += [f"{arguments.disparity} ! queue ! video/x-raw,format=GRAY16_LE "
                  f"! {sink('disparity')}"]
    if arguments.scan:
        parts += [f"{arguments.scan} ! tee name=stx-scan "
                  f"stx-scan. ! queue ! {sink('scan')}"]
        if tells_obstacles(arguments.scan):
            parts += [f"stx-scan. ! queue ! stixel-json ! {sink('scan_json')}"]
    if arguments.grid:
        parts += [f"{arguments.grid} ! queue ! application/x-occupancy-grid "
                  f"! {sink('grid')}"]
    return " ".join(parts)


def tells_obstacles(scan):
    return frames.OBSTACLES in frames.factories(scan)


def sinks(arguments, words):
    """Their names, which are those of the methods of a log, too."""
    return (["picture", "json"] * (words is not None) + ["disparity"] * bool(arguments.disparity)
            + ["scan"] * bool(arguments.scan)
            + ["scan_json"] * bool(arguments.scan and tells_obstacles(arguments.scan))
            + ["grid"] * bool(arguments.grid))


def run(pipeline, log, limit):
    """Gives the log what comes to each sink, with its time stamp; until the end, or `limit`."""
    counts = dict.fromkeys(pipeline.sinks, 0)
    for name, sample in pipeline.samples():
        counts[name] += 1
        if limit is None or counts[name] <= limit:
            try:
                getattr(log, name)(sample, frames.pts_of(sample) or 0)
            except ValueError as error:
                raise frames.PipelineError(f"what comes as {name}: {error}") from error
        elif all(count > limit for count in counts.values()):
            pipeline.stop()
    log.check(0)


# ---- What comes ----------------------------------------------------------------------------------

def disparity_of(sample):
    caps = frames.caps_of(sample)
    width, height = caps.get_int("width").value, caps.get_int("height").value
    data = np.frombuffer(frames.bytes_of(sample), "<u2")
    return data.reshape(height, -1)[:, :width]


def depth_of(disparity, camera):
    """In metres, of a map of 1/256 pixel; unknown is not a number."""
    return np.divide(camera["focal"] * camera["baseline"] * 256, disparity,
                     out=np.full(disparity.shape, np.nan), where=disparity > 0)


def points_of(sample):
    return np.frombuffer(frames.bytes_of(sample), "<f4").reshape(-1, 4)


def camera_of(line):
    """The camera of a line of JSON, complete."""
    camera = line["camera"]
    missing = [name for name in ("focal", "baseline", "cx", "cy")
               if camera is None or camera[name] is None]
    if missing:
        raise frames.PipelineError(f"of the camera is unknown: {', '.join(missing)}; set "
                                   "calibration on stereo-stixels or stereo-sgm")
    return camera


def boxes_of(obstacles):
    """Middle and size of each, in the axes of docs/formats.md#metres."""
    metres = np.array([[o["metres"][name] for name in
                        ("x", "y", "z", "width", "height", "depth")] for o in obstacles],
                      float).reshape(-1, 6)
    x, y, z, width, height, depth = np.nan_to_num(metres).T
    depth = np.maximum(depth, THICK)
    return (np.stack([x, y - height / 2, z + depth / 2], axis=1),
            np.stack([width, height, depth], axis=1))


class Log:
    """Base of logs: a subclass has frame (), depth (), and methods named like the other sinks."""

    def __init__(self):
        self.camera, self.waiting, self.without = None, [], 0

    def check(self, most):
        """Fails if more than `most` frames had no stixels; a live camera's first ones may."""
        if self.camera is None and self.without > most:
            raise frames.PipelineError("the pipeline ends in video without stixels: put "
                                       "stereo-stixels or stixel-overlay into it")

    def json(self, sample, pts):
        line = json.loads(frames.bytes_of(sample))
        if "camera" not in line:
            self.without += 1
            self.check(AT_FIRST)
            return
        camera = camera_of(line)
        new, self.camera = camera != self.camera, camera
        self.frame(line, pts, new)
        for what, then, method in self.waiting:
            method(what, then)
        self.waiting = []

    def with_camera(self, what, pts, method):
        """As soon as the camera is known."""
        if self.camera is None:
            self.waiting.append((what, pts, method))
        else:
            method(what, pts)

    def disparity(self, sample, pts):
        self.with_camera(disparity_of(sample), pts, self.depth)
