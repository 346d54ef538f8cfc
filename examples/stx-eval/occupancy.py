# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-eval occupancy: how much of what is free or occupied an occupancy grid shows."""
import math

import numpy as np

import data
import report
import stixels
from options import Parser, Refused, Settings, at_least, check_sequence
from stixels import _c as c
from stixels import _core as core

NEAREST, FARTHEST = 5, 40  # m: where cells count
TRUE_POINTS = 2  # of things in a cell, that something stands there
PATCH, PATCHES = 2., 128  # m: squares in which the ground is level; along a side, around the sensor
POINT = np.dtype([("ahead", np.float32), ("left", np.float32), ("up", np.float32),
                  ("label", np.uint32)])


# ---- The judge ----------------------------------------------------------------------------------

def ground_heights(points, is_ground):
    """The height of the ground at every point, of its patch and those around it; NaN: unknown."""
    def patch(values):
        return np.floor(values.astype(float) / PATCH).astype(int) + PATCHES // 2
    x, y = patch(points["ahead"]), patch(points["left"])
    inside = (x >= 0) & (x < PATCHES) & (y >= 0) & (y < PATCHES)
    chosen = is_ground & inside
    place = y[chosen] * PATCHES + x[chosen]
    sums, counts = (np.pad(np.bincount(place, weights, PATCHES * PATCHES
                                       ).reshape(PATCHES, PATCHES), 2)
                    for weights in (points["up"][chosen].astype(float), None))
    x, y = np.clip(x, -1, PATCHES), np.clip(y, -1, PATCHES)  # beyond, there is none around
    total, count = 0., 0
    for i in range(9):
        at = y + i % 3 + 1, x + i // 3 + 1
        total, count = total + sums[at], count + counts[at]
    with np.errstate(invalid="ignore"):
        return total / count


class Judge:
    """Cells by what they truly are, and by what the grid says of them: all, free, occupied."""

    def __init__(self, struct):
        self._low, self._high, self.frames, self.ms = struct.min_height, struct.clearance, 0, 0.
        self.cells = {name: np.zeros(3, int) for name in ("ground", "road", "thing")}

    def _true_cells(self, grid, points):
        """Points of the ground, of the road and of things in every cell. Things that hang too high,
        or that lie too low, make no truth; where the ground is unknown the cell is as if it had
        both."""
        height, width = grid.cells.shape
        cos, sin = math.cos(grid.yaw), math.sin(grid.yaw)
        ahead, left = points["ahead"].astype(float), points["left"].astype(float)
        x = np.floor((grid.x + cos * ahead - sin * left - grid.origin_x) / grid.resolution)
        y = np.floor((grid.y + sin * ahead + cos * left - grid.origin_y) / grid.resolution)
        is_ground = data.is_ground(points["label"])
        high = points["up"].astype(float) - ground_heights(points, is_ground)
        counts = ((x >= 0) & (x < width) & (y >= 0) & (y < height)
                  & ((points["label"] & 0xFFFF) > data.OUTLIER))
        place = (np.where(counts, y, 0) * width + np.where(counts, x, 0)).astype(int)
        things = ~is_ground & (np.isnan(high) | (high >= self._low) & (high <= self._high))
        return [np.bincount(place[counts & those], minlength=width * height).reshape(height, width)
                for those in (is_ground, is_ground & data.is_road(points["label"]), things)]

    @staticmethod
    def _counted(grid, camera, width):
        """The cells in range and, of pictures, in view."""
        cos, sin = math.cos(grid.yaw), math.sin(grid.yaw)
        rows, columns = (np.arange(side) + .5 for side in grid.cells.shape)
        x = (grid.origin_x + columns * grid.resolution - grid.x)[None, :]
        y = (grid.origin_y + rows * grid.resolution - grid.y)[:, None]
        ahead, left = cos * x + sin * y, cos * y - sin * x
        distance = np.sqrt(ahead * ahead + left * left)
        counted = (distance >= NEAREST) & (distance <= FARTHEST)
        if camera is None:
            return counted
        with np.errstate(divide="ignore"):
            u = np.where(ahead > 0, camera.cx - left * camera.focal / ahead, -1)
        return counted & (u >= 0) & (u < width)

    def __call__(self, grid, points, camera=None, width=0):
        ground, road, things = self._true_cells(grid, points)
        counted = self._counted(grid, camera, width)
        free = counted & (things == 0) & (ground > 0)
        for name, cells in (("ground", free), ("road", free & (road == ground)),
                            ("thing", counted & (things >= TRUE_POINTS) & (ground == 0))):
            said = grid.cells[cells]
            self.cells[name] += [said.size, ((said >= 0) & (said < 50)).sum(), (said > 50).sum()]
        self.frames += 1

    def json(self, name):
        return {"data": name, "frames": self.frames,
                **{kind: {"cells": int(every), "free": report.share(int(free), int(every)),
                          "occupied": report.share(int(occupied), int(every))}
                   for kind, (every, free, occupied) in self.cells.items()},
                "ms": report.share(self.ms, self.frames)}


# ---- Frames -------------------------------------------------------------------------------------

def points_of(frame):
    """The scan's points as the camera sees them."""
    camera, seen = frame.camera, frame.points
    depth = seen["depth"]
    points = np.empty(len(seen), POINT)
    points["ahead"], points["label"] = depth, seen["label"]
    for name, middle, pixel in (("left", camera.cx, "x"), ("up", camera.cy, "y")):
        points[name] = ((middle - seen[pixel]) / camera.focal).astype(np.float32) * depth
    return points


class Run:
    def __init__(self, options, settings, params, judged):
        self._options, self._settings, self._pipeline = options, settings, None
        self._occupancy, self._judge = stixels.Occupancy(**params), judged

    def pictures(self, frame, seconds, motion):
        self._pipeline = self._pipeline or self._settings.pipeline(*frame.size)
        found = self._pipeline(frame.left, frame.right, frame.camera)
        grid = self._occupancy(found, time=seconds, motion=motion)
        self._judge.ms += self._occupancy.cpu_ms
        self._judge(grid, points_of(frame), found.camera, found.width)

    def scan(self, points, labels, seconds, motion):
        """Labels by lidar-ground, beside those of the scan itself."""
        found = stixels.ground(points, threads=self._options.threads)
        grid = self._occupancy(points=points, labels=found.labels, time=seconds, motion=motion)
        self._judge.ms += self._occupancy.cpu_ms
        given = np.empty(len(points), POINT)
        for i, name in enumerate(("ahead", "left", "up")):
            given[name] = points[:, i]
        given["label"] = labels
        self._judge(grid, given)


def run_street(run, options):
    source = data.Street(options.frames, 1242, 375, options.seed, scans=True,
                         threads=options.threads)
    step = stixels.Motion(np.eye(3), np.array([0., 0., -10. * 1 / 10]))  # straight on
    for index in range(source.count):
        motion = stixels.Estimate("known", step) if index else stixels.Estimate("first")
        run.pictures(source.load(index), index / data.FRAMES_PER_SECOND, motion)
    return source.name


def run_sequence(run, options):
    source = data.Sequence(options.sequence, options.calibration)
    if len(source.scans) != source.count:
        raise Refused(f"{options.sequence}: every picture needs a labelled scan, in velodyne/ and "
                      "labels/")
    for index in range(source.count):
        given = float(source.times[index]), source.motion(index)
        if options.scans:
            run.scan(*data.read_scan(source.scans[index]), *given)
        else:
            run.pictures(source.load(index), *given)
    return source.name


def main(arguments):
    settings, params = Settings(), {}
    struct = core.defaults("stx_occupancy_fields", c.StxOccupancyParams)
    parser = Parser(
        "stx-eval occupancy", "", "Measures occupancy grids beside labelled scans.\n\n"
        "Cells from 5 to 40 m in which a scan has points of the ground alone, or of things alone:\n"
        "how many of them the grid says are free or occupied. The motion is that of the poses;\n"
        "--motion alone is a grid of each frame alone.")
    parser.text("sequence", "FOLDER", "a real street: pictures, labelled scans, calib.txt and "
                                      "poses.txt as in KITTI's odometry")
    parser.text("calibration", "FILE", "in place of the sequence's calib.txt")
    parser.flag("scans", "of the sequence's scans as lidar-ground labels them, in place of stereo")
    parser.whole("seed", "of the synthetic street (1)", 1)
    parser.whole("frames", "of it, ten per second (40)", 40)
    parser.group("occupancy", "occupancy-grid",
                 ("stx_occupancy_fields", struct, params))
    options = parser.parse(arguments)
    check_sequence(options)
    at_least(1, frames=options.frames)
    if options.scans and not options.sequence:
        raise Refused("--scans needs a --sequence")
    settings.more = {"threads": options.threads}
    judged = Judge(struct)
    run = Run(options, settings, params, judged)
    root = judged.json((run_sequence if options.sequence else run_street)(run, options))
    report.tell(root, options.json)
