# SPDX-License-Identifier: LGPL-2.1-or-later
"""The camera's own motion, from its left pictures and their disparities; and times."""
import dataclasses
import math
from typing import NamedTuple, Optional

import numpy as np

from . import _c as c
from ._core import (BACKENDS, Error, Stream, byref, checked, contiguous, copy, image, lib, one_of,
                    place, rows, same_size)
from ._types import Brief, Camera, fitted

MATCH = np.dtype(c.StxMotionPoint)
STATES = {"known": c.STX_MOTION_KNOWN, "first": c.STX_MOTION_FIRST,
          "too few points": c.STX_MOTION_TOO_FEW, "no agreement": c.STX_MOTION_DISAGREE,
          "still": c.STX_MOTION_STILL}
NO_TIME = 2 ** 64 - 1


class Motion(NamedTuple):
    """The camera's, from the frame before to this: what stands at p has the coordinates
    rotation · p + translation now; metres, x to the right, y down, z ahead. rotation: float64
    (3, 3); translation: float64 (3,)."""
    rotation: np.ndarray
    translation: np.ndarray


@dataclasses.dataclass(repr=False)
class Estimate(Brief):
    """A motion that was found, with `state` "known", or why there is none: "first" of a stream,
    "too few points", "no agreement", or "still", the same frame again.

    deviation: standard deviations, rotation about x, y, z in radians, then x, y, z in metres.
    matched, agree: points that were matched, and that agree with the motion. points: array of
    MATCH, those that were matched. interval: ns since the frame before. offset: pixels by which
    disparities are too large, by the stream so far, and offset_deviation, for Pipeline.correct."""
    state: str
    motion: Optional[Motion] = None
    deviation: Optional[np.ndarray] = None
    matched: int = 0
    agree: int = 0
    points: np.ndarray = dataclasses.field(default_factory=lambda: np.empty(0, MATCH))
    interval: int = NO_TIME
    offset: float = 0.
    offset_deviation: float = math.inf


def motion_of(struct):
    if struct.state != c.STX_MOTION_KNOWN:
        return None
    return Motion(np.array(struct.rotation).reshape(3, 3), np.array(struct.translation))


def motion_struct(motion):
    """The struct of a motion or an estimate."""
    if isinstance(motion, Estimate):
        if motion.motion is None:
            return c.StxMotion(STATES[motion.state])
        found = motion_struct(motion.motion)
        found.points, found.agree = motion.matched, motion.agree
        if motion.deviation is not None:
            found.deviation[:] = motion.deviation.tolist()
        return found
    if not isinstance(motion, tuple) or len(motion) != 2:
        raise TypeError(f"motion is {motion!r}, must be 'auto', None, or a stixels.Motion of "
                        "rotation and translation")
    rotation = contiguous("motion.rotation", motion[0], np.float64, "3, 3")
    translation = contiguous("motion.translation", motion[1], np.float64, "3")
    return c.StxMotion(c.STX_MOTION_KNOWN, tuple(rotation.flat), tuple(translation))


def nanoseconds(time):
    """Returns the nanoseconds of a time in seconds of any clock; None: there is no time."""
    if time is None:
        return NO_TIME
    if isinstance(time, bool) or not isinstance(time, (int, float, np.number)):
        raise TypeError(f"time is {time!r}, must be seconds or None")
    if not (math.isfinite(time) and 0 <= time < 1e10):
        raise Error(f"time is {time} s, must be 0 to 1e10")
    return round(time * 1e9)


def fitted_camera(stixels):
    return Camera._of(fitted(stixels.camera, stixels.width, stixels.height))


class Egomotion(Stream):
    """The camera's motion from each frame to the next: egomotion(left, disparity, camera, time).

    left: uint8 (height, width); disparity: uint16 (height, width) in 1/256 pixel, 0 unknown, as
    match() gives; the camera has focal, baseline, cx and cy. time in seconds of any clock. One
    frame at a time: other threads wait for it.
    """
    _stem = "egomotion"

    def __init__(self, *, threads: int = 0, backend: str = "auto"):
        self._backend = one_of("backend", backend, BACKENDS)
        self._threads = place(threads).threads
        super().__init__()

    @staticmethod
    def can(left, disparity, camera):
        """Whether these suffice."""
        return not (left is None or disparity is None or None in (camera.focal, camera.baseline,
                                                                  camera.cx, camera.cy))

    def __call__(self, left: np.ndarray, disparity: np.ndarray, camera: Camera,
                 time: Optional[float] = None) -> Estimate:
        left = rows("left", left, np.uint8)
        disparity = rows("disparity", disparity, np.uint16, unknown=0)
        same_size("disparity", disparity, "left", left.shape)
        height, width = left.shape
        given = c.StxEgomotionFrame(image(c.StxImage8, left), image(c.StxImage16, disparity), 0,
                                    fitted(camera, width, height), nanoseconds(time), self._threads)
        found = c.StxEgomotionResult()
        with self._lock:
            checked(lib.stx_egomotion_prepare, self._state, self._backend, width, height)
            self._timed(lib.stx_egomotion_frame, self._state, byref(given), byref(found))
            motion, points = found.motion, copy(found.points, (found.count,), MATCH)
        state = next(name for name, value in STATES.items() if value == motion.state)
        return Estimate(state, motion_of(motion), np.array(motion.deviation), motion.points,
                        motion.agree, points, found.interval, found.offset,
                        found.offset_deviation or math.inf)
