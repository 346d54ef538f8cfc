# SPDX-License-Identifier: LGPL-2.1-or-later
"""LiDAR scans into ground and clusters; obstacles and free space of stixels and of scans."""
import ctypes
import dataclasses
from typing import NamedTuple, Optional

import numpy as np

from . import _c as c
from ._core import (Error, Stream, byref, checked, contiguous, copy, documented, implementation,
                    labelled, lib, params_of, place, pointer, rows, same_size, scratch, structs)
from ._motion import (Egomotion, Estimate, Motion, fitted_camera, motion_of, motion_struct,
                      nanoseconds)
from ._stereo import Pipeline
from ._types import (CLUSTER, FREE_SPACE, OBSTACLE, VELOCITY, Brief, Stixels, stixel_records)


class Ground(NamedTuple):
    """labels: uint32 (points,), SemanticKITTI's encoding: the class in the low 16 bits (0 not
    classified, 49 ground, 99 obstacle), the cluster, from 1, in the high ones. The sensor's height
    above the ground in metres and the ground's slope along x and y, if they could be `measured`."""
    labels: np.ndarray
    clusters: int
    measured: bool
    height: float
    slope_x: float
    slope_y: float


@documented("stx_ground_fields")
def ground(points: np.ndarray, *, threads: int = 0, backend: str = "auto", **settings) -> Ground:
    """The ground, obstacles and clusters of a scan.

    points: float32 (points, 4): x ahead, y to the left, z up from the sensor in metres, intensity;
    copied unless it is one block.
    """
    points = contiguous("points", points, np.float32, "points, 4")
    params, result = params_of("ground", c.StxGroundParams, settings), c.StxGroundResult()
    if len(points) > c.STX_GROUND_MAX_POINTS:
        raise Error(f"points: {len(points)} are too many, at most {c.STX_GROUND_MAX_POINTS}")
    impl, where = implementation("stx_ground_impls", c.StxGroundImpl, backend), place(threads)
    labels = np.empty(len(points), np.uint32)
    checked(impl.run, byref(params), pointer(points), len(points), pointer(labels), byref(result),
            scratch(impl.scratch_size(byref(params), len(points), where.threads)), byref(where))
    return Ground(labels, result.clusters, result.measured, result.height, result.slope_x,
                  result.slope_y)


def clusters(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Where each cluster of a labelled scan lies: an array of CLUSTER whose index is the cluster's
    number; 0 stays empty. count: points; low, high: metres to the right, down and ahead."""
    points, labels = labelled(points, labels)
    highest = lib.stx_clusters_highest(pointer(labels), len(labels))
    found, counts = np.empty(highest + 1, CLUSTER), c.StxPointCounts()
    lib.stx_clusters_gather(pointer(points), pointer(labels), len(labels),
                            structs(c.StxCluster, found), highest, byref(counts))
    return found


@dataclasses.dataclass(repr=False)
class Obstacles(Brief):
    """records: array of OBSTACLE, the nearest first; free_space: array of FREE_SPACE, one for each
    column or, of a scan, each sector of its turn; members: uint16, for every stixel or point its
    obstacle's place in records, or NO_OBSTACLE. left_out: how many there were beyond max_obstacles.
    entered: places of those that came into the corridor. With the camera's motion: velocities and
    stixel_velocities, arrays of VELOCITY over ground, of each obstacle and stixel; motion: that
    motion, None where it could not be estimated."""
    records: np.ndarray
    free_space: np.ndarray
    members: np.ndarray
    left_out: int
    entered: np.ndarray
    corridor_occupied: bool
    corridor_cleared: bool
    restarted: bool
    velocities: Optional[np.ndarray] = None
    stixel_velocities: Optional[np.ndarray] = None
    motion: Optional[Motion] = None

    def __len__(self) -> int:
        return len(self.records)


@documented("stx_obstacles_fields")
class Tracker(Stream):
    """Obstacles of frames, or of scans, with the same ids from one to the next.

    tracker(stixels, time) or tracker.scan(points, labels, time), time in seconds of any clock:
    without it there are no speeds. The camera's motion is estimated from frames that have their
    left picture and disparity, as of Pipeline(maps=True). Where it is not known, and of scans,
    speeds are NaN unless their standard deviation is at most .6 m/s. threads: of the estimation,
    0: one per core. pipeline: the one that makes the frames, of which each comes here before the
    next is made: its disparity at infinity then follows cameras that turn against each other, by
    the motion. One frame at a time: other threads wait for it.
    """
    _stem = "obstacles"

    def __init__(self, *, threads: int = 0, pipeline: Optional[Pipeline] = None, **settings):
        if not isinstance(pipeline, (Pipeline, type(None))):
            raise TypeError(f"pipeline is a {type(pipeline).__name__}, must be a stixels.Pipeline")
        self._egomotion, self._pipeline = Egomotion(threads=threads), pipeline
        self._infinity = 0
        self._params = params_of("obstacles", c.StxObstaclesParams, settings)
        self._room = 0, 0
        super().__init__()

    def reset(self) -> None:
        """Nothing is followed from before; ids go on."""
        with self._lock:
            lib.stx_obstacles_reset(self._state)
            self._egomotion.reset()

    def _add_motion(self, frame, stixels, motion, time):
        """The motion of a frame that is about to be followed."""
        if not isinstance(motion, str) or motion != "auto":
            self._egomotion.reset()  # the next estimate must not reach back beyond this frame
        elif self._egomotion.can(stixels.left, stixels.disparity, stixels.camera):
            same_size("stixels.left", rows("stixels.left", stixels.left, np.uint8), "the frame",
                      (stixels.height, stixels.width))
            if stixels.infinity != self._infinity:  # the last frame's disparities count otherwise
                self._egomotion.reset()
            self._infinity = stixels.infinity
            motion = self._egomotion(stixels.left, stixels.disparity, fitted_camera(stixels), time)
            if self._pipeline is not None:
                self._pipeline.correct(motion)
        else:
            self._egomotion.reset()
            motion = None
        if motion is not None:
            frame.motion = ctypes.pointer(motion_struct(motion))
        if isinstance(motion, Estimate):
            frame.points = structs(c.StxMotionPoint, motion.points)
            frame.point_count = len(motion.points)
            frame.interval = motion.interval
        return motion

    def __call__(self, stixels: Stixels, time: Optional[float] = None, *,
                 motion="auto") -> Obstacles:
        """Obstacles of stixels, whose camera has focal, baseline and cx.

        motion: of the camera since the frame before: "auto", which estimates it from left picture
        and disparity if the camera also has cy, and else does not know it; a Motion, or an Estimate
        as of Egomotion; or None, not known."""
        found = stixel_records(stixels)
        frame = c.StxObstaclesFrame(structs(c.StxStixel, found), len(found), stixels.width,
                                    stixels.height, stixels.stixel_width, stixels.camera._struct(),
                                    nanoseconds(time))
        columns = -(-stixels.width // stixels.stixel_width)
        with self._lock:
            motion = self._add_motion(frame, stixels, motion, time)
            return self._find(lib.stx_obstacles_of_stixels, frame, len(found), columns)

    def scan(self, points: np.ndarray, labels: np.ndarray, time: Optional[float] = None
             ) -> Obstacles:
        """Obstacles of a scan with the labels of ground()."""
        points, labels = labelled(points, labels)
        scan = c.StxObstaclesScan(pointer(points), pointer(labels), len(points), nanoseconds(time))
        with self._lock:
            self._egomotion.reset()
            return self._find(lib.stx_obstacles_of_scan, scan, len(points), 0)

    def _find(self, function, frame, count, directions):
        result = c.StxObstaclesResult()
        room = max(self._room[0], count), max(self._room[1], directions)
        if room != self._room or room == (0, 0):
            checked(lib.stx_obstacles_prepare, self._state, byref(self._params), *room)
            self._room = room
        self._timed(function, self._state, byref(frame), byref(result))
        found = Obstacles(
            copy(result.obstacles, (result.count,), OBSTACLE),
            copy(result.free_space, (result.directions,), FREE_SPACE),
            copy(result.members, (count,), np.uint16), result.left_out,
            copy(result.entered, (result.entered_count,), np.uint16),
            result.corridor_occupied, result.corridor_cleared, result.restarted)
        if result.velocities:
            found.velocities = copy(result.velocities, (result.count,), VELOCITY)
            found.stixel_velocities = copy(result.stixel_velocities, (result.stixels,), VELOCITY)
        motion = result.given or getattr(frame, "motion", None)
        if motion:
            found.motion = motion_of(motion.contents)
        return found


@documented("stx_obstacles_fields")
def obstacles(stixels: Stixels, **settings) -> Obstacles:
    """Obstacles of one frame, without ids and speeds."""
    return Tracker(**{"follow": False, **settings})(stixels, motion=None)


@documented("stx_obstacles_fields")
def free_space(stixels: Stixels, **settings) -> np.ndarray:
    """The free space of each column: an array of FREE_SPACE. x, z: metres, z infinite where it
    is free as far as was seen, NaN where that is not known; row: of the image, where it ends."""
    return obstacles(stixels, **settings).free_space
