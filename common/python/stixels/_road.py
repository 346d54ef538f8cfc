# SPDX-License-Identifier: LGPL-2.1-or-later
"""The road ahead: small things and holes on it, and occupancy grids."""
import ctypes
import dataclasses
from typing import Optional

import numpy as np

from . import _c as c
from ._core import (Stream, byref, checked, contiguous, copy, documented, image, implementation,
                    labelled, lib, params_of, place, pointer, rows, same_size, structs)
from ._motion import NO_TIME, Estimate, motion_struct, nanoseconds
from ._types import OBSTACLE, Brief, Camera, Stixels, fitted, stixel_records


def _add_motion(frame, motion):
    """Sets the fields motion and interval of a frame."""
    frame.interval = motion.interval if isinstance(motion, Estimate) else NO_TIME
    if motion is not None:
        frame.motion = ctypes.pointer(motion_struct(motion))


@dataclasses.dataclass(repr=False)
class Found(Brief):
    """records: array of OBSTACLE, the nearest first, with the flag SMALL or HOLE; left_out: those
    beyond max_hazards; ground: whether it was found, without which there are none; noise: median
    difference of the pictures on it, gray levels."""
    records: np.ndarray
    left_out: int
    ground: bool
    noise: float

    def __len__(self) -> int:
        return len(self.records)


@documented("stx_hazards_fields")
class Hazards(Stream):
    """Small things on the road and holes in it: hazards(left, right, disparity, camera, time).

    A frame is a rectified pair, uint8 (height, width), its disparities as match() gives them, and a
    camera with focal, baseline and cx. With the camera's motion, a Motion or an Estimate as of
    Egomotion, what is told was seen in several frames; without it each frame is judged alone.
    """
    _stem = "hazards"

    def __init__(self, *, threads: int = 0, backend: str = "auto", **settings):
        self._params = params_of("hazards", c.StxHazardsParams, settings)
        self._threads = place(threads).threads
        self._impl = implementation("stx_hazards_impls", c.StxHazardsImpl, backend)
        super().__init__()

    def __call__(self, left: np.ndarray, right: np.ndarray, disparity: np.ndarray, camera: Camera,
                 time: Optional[float] = None, *, motion=None) -> Found:
        left, right = rows("left", left, np.uint8), rows("right", right, np.uint8)
        disparity = rows("disparity", disparity, np.uint16, unknown=0)
        same_size("right", right, "left", left.shape)
        same_size("disparity", disparity, "left", left.shape)
        frame = c.StxHazardsFrame(image(c.StxImage8, left), image(c.StxImage8, right),
                                  image(c.StxImage16, disparity),
                                  fitted(camera, left.shape[1], left.shape[0]))
        frame.time, result = nanoseconds(time), c.StxHazardsResult()
        _add_motion(frame, motion)
        with self._lock:
            self._timed(lib.stx_hazards_find, self._state, byref(self._params), byref(frame),
                        byref(self._impl), self._threads, byref(result))
            return Found(copy(result.hazards, (result.count,), OBSTACLE), result.left_out,
                         result.ground, result.noise)


@dataclasses.dataclass(repr=False)
class Grid(Brief):
    """cells: int8 (along y, along x): -1 unknown, or 0 to 100 %, that something stands there. The
    corner of the first cell is at origin_x, origin_y, the sensor at x, y, turned to the left by
    yaw, in axes that stand in the world if `fixed`, and began anew when `epoch` counts up; `lost`
    says why."""
    cells: np.ndarray
    resolution: float
    origin_x: float
    origin_y: float
    fixed: bool
    epoch: int
    x: float
    y: float
    yaw: float
    lost: Optional[str] = None


@documented("stx_occupancy_fields")
class Occupancy(Stream):
    """Occupancy grids of stixels, of scans, or of both: occupancy(stixels, time=..., motion=...).

    One frame at a time: other threads wait for it.
    """
    _stem = "occupancy"

    def __init__(self, **settings) -> None:
        self._params = params_of("occupancy", c.StxOccupancyParams, settings)
        self._room = None
        super().__init__()

    def __call__(self, stixels: Optional[Stixels] = None, *, points: Optional[np.ndarray] = None,
                 labels: Optional[np.ndarray] = None, place: Optional[np.ndarray] = None,
                 time: Optional[float] = None, motion=None) -> Grid:
        """The grid after a frame. points and labels: as of ground(); place: float64 (3, 4), takes
        points to the sensor's axes; motion: of the sensor, a Motion or an Estimate as of Egomotion,
        or None, not known."""
        frame, columns, alive = c.StxOccupancyFrame(time=nanoseconds(time)), 0, []
        if stixels is not None:
            found, columns = stixel_records(stixels), -(-stixels.width // stixels.stixel_width)
            alive.append(found)
            frame.stixels, frame.count = structs(c.StxStixel, found), len(found)
            frame.width, frame.height = stixels.width, stixels.height
            frame.stixel_width, frame.camera = stixels.stixel_width, stixels.camera._struct()
        if points is not None:
            points, labels = labelled(points, labels)
            frame.points, frame.labels = pointer(points), pointer(labels)
            frame.point_count = len(points)
        if place is not None:
            place = contiguous("place", place, np.float64, "3, 4")
            frame.place = pointer(place)
        _add_motion(frame, motion)
        room, result = (frame.count, columns), c.StxOccupancyResult()
        with self._lock:
            if self._room is None or any(a > b for a, b in zip(room, self._room)):
                self._room = tuple(map(max, room, self._room or room))
                checked(lib.stx_occupancy_prepare, self._state, byref(self._params), *self._room)
            self._timed(lib.stx_occupancy_update, self._state, byref(frame), byref(result))
            cells = copy(result.cells, (result.height, result.width), np.int8)
        return Grid(cells, result.resolution, result.origin_x, result.origin_y, result.fixed,
                    result.epoch, result.x, result.y, result.yaw,
                    result.lost.decode() if result.lost else None)
