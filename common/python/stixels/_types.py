# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records as NumPy types, and the camera. Fields, units and axes: the headers of the library."""
import ctypes
import dataclasses
import math
import os
from typing import Any, Optional, Union

import numpy as np

from . import _c as c
from ._core import Error, byref, checked, contiguous, image, lib, one_of, structs, unmasked, whole

STIXEL = np.dtype(c.StxStixel)
OBSTACLE = np.dtype(c.StxObstacle)
FREE_SPACE = np.dtype(c.StxFreeSpace)
METRES = np.dtype(c.StxMetres)
CLUSTER = np.dtype(c.StxCluster)
VELOCITY = np.dtype(c.StxVelocity)

SEGMENT, GROUND, OBJECT, SKY = (c.STX_KIND_SEGMENT, c.STX_KIND_GROUND, c.STX_KIND_OBJECT,
                                c.STX_KIND_SKY)
NO_LABEL = c.STX_LABEL_NONE
NO_OBSTACLE = c.STX_FREE_NO_OBSTACLE
POINT_GROUND, POINT_OBSTACLE = 49, 99
CLASSES = tuple(lib.stx_label_name(i).decode() for i in range(c.STX_LABEL_CLASSES))


@dataclasses.dataclass(frozen=True)
class Camera:
    """The left camera of a rectified pair; what is None is not known.

    focal, cx, cy are in pixels (cx and cy from the centre of the top left one), baseline and height
    above the road in metres, pitch in radians, positive where it looks down. image_width and
    image_height are those of the pictures for which the numbers hold.
    """
    focal: Optional[float] = None
    cx: Optional[float] = None
    cy: Optional[float] = None
    baseline: Optional[float] = None
    height: Optional[float] = None
    pitch: Optional[float] = None
    image_width: Optional[int] = None
    image_height: Optional[int] = None

    def __post_init__(self):
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is None:
                continue
            if field.name.startswith("image_"):
                whole(f"camera: {field.name}", value)
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
                raise TypeError(f"camera: {field.name} is {value!r}, must be a number or None")
            if not math.isfinite(value):
                raise Error(f"camera: {field.name} is {value}, must be finite")
        checked(lib.stx_camera_check, byref(self._struct()), b"camera",
                b"give baseline and height in metres, pitch in radians")

    def _struct(self):
        missing = sum(bit for bit, value in ((c.STX_CAMERA_CX, self.cx), (c.STX_CAMERA_CY, self.cy),
                                             (c.STX_CAMERA_PITCH, self.pitch)) if value is None)
        return c.StxCamera(self.focal or 0, self.cx or 0, self.cy or 0, self.baseline or 0,
                           self.height or 0, self.pitch or 0, int(self.image_width or 0),
                           int(self.image_height or 0), missing)

    @classmethod
    def _of(cls, struct):
        def known(bit, value):
            return None if struct.missing & bit else value
        return cls(struct.focal or None, known(c.STX_CAMERA_CX, struct.cx),
                   known(c.STX_CAMERA_CY, struct.cy), struct.baseline or None,
                   struct.height or None, known(c.STX_CAMERA_PITCH, struct.pitch),
                   struct.image_width or None, struct.image_height or None)

    def depth(self, disparity) -> np.ndarray:
        """Metres along the optical axis of disparities: an array of 16 bits in 1/256 pixel, 0
        unknown, as match() gives, or of floats in pixels. NaN where it is not known."""
        disparity = np.asarray(unmasked("disparity", disparity, 0))
        scale = 256. if disparity.dtype == np.uint16 else 1.
        if not self.focal or not self.baseline:
            raise Error("camera: depths need focal and baseline")
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(disparity > 0, self.focal * self.baseline * scale / disparity, np.nan)


UNKNOWN = Camera()


def camera_struct(camera):
    """Returns the camera's struct; for None, that of an unknown camera."""
    if camera is None:
        camera = UNKNOWN
    if not isinstance(camera, Camera):
        raise TypeError(f"camera is a {type(camera).__name__}, must be a stixels.Camera")
    return camera._struct()


def fitted(camera, width, height):
    """The struct of a camera for pictures of this size: scaled where it is that of another one."""
    struct = camera_struct(camera)
    note = c.StxError()
    if not lib.stx_camera_fit(byref(struct), width, height, byref(note)):
        raise Error(note.text.decode())
    return struct


def read_camera(path, pair: int = -1) -> Camera:
    """The camera in KITTI's calib.txt or Cityscapes' camera.json.

    `pair` chooses KITTI's cameras: 0 the gray ones, 2 the coloured ones, -1 those if they are
    there. """
    camera = c.StxCamera()
    checked(lib.stx_camera_load, os.fsencode(path), pair, byref(camera))
    return Camera._of(camera)


def _brief(value):
    if isinstance(value, ctypes.Structure):
        return f"<{type(value).__name__}>"
    if not isinstance(value, np.ndarray):
        return repr(value)
    kind = "records" if value.dtype.names else value.dtype.name
    return f"<{' × '.join(map(str, value.shape))} {kind}>"


class Brief:
    """Prints the sizes of arrays in place of their elements."""

    def __repr__(self):
        fields = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        return (f"{type(self).__name__}("
                + ", ".join(f"{name}={_brief(value)}" for name, value in fields) + ")")


@dataclasses.dataclass(repr=False)
class Columns(Brief):
    """An image reduced to cells and transposed: what stixels() and segments() read.

    data: uint16 (2 + classes, columns, rows), the top cell first: disparity in 1/256 pixel, 0
    unknown; weight, 0 to 65025; then a cost for each class in 1/1024 nat.
    """
    data: np.ndarray
    width: int
    height: int
    stixel_width: int
    stixel_height: int

    def _grid(self):
        names = ("width", "height", "stixel_width", "stixel_height")
        sizes = [whole(f"columns.{name}", getattr(self, name), 1) for name in names]
        return c.StxGrid(*sizes, len(self.data) - 2, 0)


@dataclasses.dataclass(repr=False)
class Stixels(Brief):
    """The stixels of an image of width × height pixels, in columns of stixel_width.

    records: array of STIXEL, sorted by column, then from the bottom up. Every row of every column
    is in exactly one. `left`, `disparity`, `confidence` and `columns` are what they were made of,
    where that was made with them; `times` how many milliseconds each stage took; `pairs` how many
    candidates were looked at, and how many there are; `road` the road's line, for explain();
    `infinity` the disparity, in pixels, that disparities count from; `time` the seconds in a video
    that was read. """
    records: np.ndarray
    width: int
    height: int
    stixel_width: int
    camera: Camera = UNKNOWN
    disparity: Union[np.ndarray, Any] = None
    confidence: Union[np.ndarray, Any] = None
    columns: Union[Columns, Any] = None
    times: Union[dict, Any] = None
    left: Union[np.ndarray, Any] = None
    pairs: Union[tuple, Any] = None
    road: Union[c.StxRoadLine, Any] = None
    infinity: int = 0
    time: Optional[float] = None

    def __len__(self) -> int:
        return len(self.records)

    def draw(self, what: str) -> np.ndarray:
        """A map (height, width) of the stixels: "disparity", uint16 in 1/256 pixel, 0 unknown and 1
        in the sky; "kind", uint8; or "label", uint8."""
        draw, dtype, kind = one_of("what", what, {
            "disparity": (lib.stx_render_disparity, np.uint16, c.StxImage16),
            "kind": (lib.stx_render_kinds, np.uint8, c.StxImage8),
            "label": (lib.stx_render_labels, np.uint8, c.StxImage8)})
        found, given = np.empty((self.height, self.width), dtype), stixel_records(self)
        draw(structs(c.StxStixel, given), len(given), self.stixel_width, byref(image(kind, found)))
        return found

    def metres(self) -> np.ndarray:
        """Where each stands, as an array of METRES: x to the right, y down, z ahead of the middle
        of its lower edge, z_top of the upper one, width and height. NaN: unknown."""
        found = np.empty(len(self.records), METRES)
        given = stixel_records(self)
        lib.stx_metres_of_all(byref(self.camera._struct()), self.width, self.stixel_width,
                              structs(c.StxStixel, given), len(given), structs(c.StxMetres, found))
        return found


def stixel_records(stixels):
    """The records of a frame of stixels as one block."""
    if not isinstance(stixels, Stixels):
        raise TypeError(f"stixels is a {type(stixels).__name__}, must be stixels.Stixels")
    for name in ("width", "height", "stixel_width"):
        whole(f"stixels.{name}", getattr(stixels, name), 1)
    return contiguous("stixels.records", stixels.records, STIXEL, "count")
