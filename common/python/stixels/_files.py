# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files: LiDAR points, calibrations, records; and rectification, which takes a calibration."""
import json
import os
import pathlib
from typing import Optional, Sequence

import numpy as np

from . import _c as c
from ._core import (Block, Error, array, byref, checked, documented, image, implementation, lib,
                    one_of, place, pointer, rows, settings_of, unmasked, whole)
from ._types import NO_LABEL, STIXEL, Camera, Stixels

FORMATS = ("auto", "kitti", "nuscenes", "pcd")
KINDS = ("segment", "ground", "object", "sky", "carrier")


def read_points(path, format: str = "auto") -> np.ndarray:
    """The points of a LiDAR file, float32 (points, 4): KITTI's and nuScenes' .bin, PCD."""
    one_of("format", format, FORMATS)
    bytes_ = pathlib.Path(path).read_bytes()
    file = c.StxLidarFile()
    try:
        checked(lib.stx_lidar_file_probe, bytes_, len(bytes_), FORMATS.index(format), byref(file))
        points, memory = np.empty((file.points, 4), np.float32), Block(file.scratch_size)
        checked(lib.stx_lidar_file_read, byref(file), bytes_, pointer(points), memory.address)
    except Error as error:
        raise Error(f"{path}: {error}") from None
    return points


# ---- Records ------------------------------------------------------------------------------------

def write_records(path, records: np.ndarray) -> None:
    """Writes records, as the elements' files have them: one after another, without a header."""
    if not isinstance(records, np.ndarray) or records.dtype.names is None:
        raise TypeError("records: must be an array of STIXEL, OBSTACLE, FREE_SPACE or METRES")
    pathlib.Path(path).write_bytes(np.ascontiguousarray(unmasked("records", records)).tobytes())


def read_records(path, dtype: np.dtype = STIXEL) -> np.ndarray:
    """Reads records of a type: STIXEL, OBSTACLE, FREE_SPACE, METRES."""
    data, dtype = pathlib.Path(path).read_bytes(), np.dtype(dtype)
    if dtype.hasobject or not dtype.itemsize:
        raise TypeError(f"dtype is {dtype}, must be STIXEL, OBSTACLE, FREE_SPACE or METRES")
    if len(data) % dtype.itemsize:
        raise Error(f"{path}: {len(data)} bytes are no whole number of records of {dtype.itemsize}")
    return np.frombuffer(data, dtype).copy()


def _row(stixel):
    """Returns the record of a stixel of JSON, where null is a number that is not finite."""
    return (*(whole(name, stixel[name], 0, 65535) for name in ("column", "top", "bottom")),
            KINDS.index(stixel["kind"]),
            NO_LABEL if stixel["label"] is None else whole("label", stixel["label"], 0, 255),
            *(np.nan if stixel[name] is None else stixel[name] for name in STIXEL.names[5:]))


def _of_line(line):
    frame = json.loads(line)
    camera = {name: value for name, value in (frame.get("camera") or {}).items()
              if name in ("focal", "cx", "cy", "baseline", "height", "pitch")}
    records = np.array([_row(stixel) for stixel in frame["stixels"]], STIXEL)
    sizes = (whole(name, frame[name], 1) for name in ("width", "height", "stixel_width"))
    return Stixels(records, *sizes, Camera(**camera))


def read_lines(path) -> list:
    """The frames of a file of the element stixel-json, as a list of Stixels."""
    frames = []
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                frames.append(_of_line(line))
            except KeyError as error:
                raise Error(f"{path}: line {number} has no {error}") from None
            except (ValueError, TypeError, AttributeError, OverflowError) as error:
                raise Error(f"{path}: line {number}: {error}") from None
    return frames


# ---- Calibrations -------------------------------------------------------------------------------

class Calibration:
    """Lenses and poses of a stereo camera. Distances in metres; cameras look along z, y is down."""

    def __init__(self, struct):
        self._struct = struct

    @classmethod
    def of_opencv(cls, K1, D1, K2, D2, R, T, size: Optional[Sequence[int]] = None,
                  fisheye: bool = False) -> "Calibration":
        """Takes the results of cv2.stereoCalibrate or cv2.fisheye.stereoCalibrate: camera matrices
        (3, 3), coefficients (up to 14, of a fisheye 4), R (3, 3) and T (3) in metres; size:
        (width, height)."""
        struct = c.StxCalibration(format=b"OpenCV")
        for camera, matrix, coefficients in zip(struct.camera, (K1, K2), (D1, D2)):
            k = _numbers("camera matrix", matrix, 9).reshape(3, 3)
            d = _numbers("coefficients", coefficients, None)
            most = 4 if fisheye else c.STX_LENS_COEFFICIENTS
            if len(d) > most:
                raise Error(f"coefficients: there are {len(d)}, at most {most}")
            camera.lens = c.StxLens(k[0, 0], k[1, 1], k[0, 2], k[1, 2],
                                    c.STX_LENS_FISHEYE if fisheye else c.STX_LENS_BROWN)
            camera.lens.d[:len(d)] = d.tolist()
            camera.width, camera.height = (whole("size", side) for side in size or (0, 0))
        struct.r[:] = _numbers("R", R, 9).tolist()
        struct.t[:] = _numbers("T", T, 3).tolist()
        checked(lib.stx_calibration_check, byref(struct))
        return cls(struct)

    format = property(lambda self: self._struct.format.decode(), doc="What the file was taken for.")
    rectified = property(lambda self: self._struct.rectified,
                         doc="Whether it says itself how pictures are rectified; else it has R, T.")
    size = property(lambda self: (self._struct.camera[0].width, self._struct.camera[0].height),
                    doc="(width, height) of the pictures that it was made with; 0: not known.")
    R = property(lambda self: None if self.rectified else np.array(self._struct.r).reshape(3, 3),
                 doc="float64 (3, 3): a point X of the left camera is R·X + T in the right one.")
    T = property(lambda self: None if self.rectified else np.array(self._struct.t),
                 doc="float64 (3,), metres.")

    def lens(self, side: int):
        """(camera matrix, coefficients, is it a fisheye) of the left (0) or right (1) camera."""
        lens = self._struct.camera[side].lens
        return (np.array([[lens.fx, 0, lens.cx], [0, lens.fy, lens.cy], [0, 0, 1]]),
                np.array(lens.d), lens.model == c.STX_LENS_FISHEYE)


def _numbers(name, value, count):
    value = np.asarray(unmasked(name, value), float).ravel()
    if count is not None and len(value) != count:
        raise Error(f"{name}: there are {len(value)} numbers, must be {count}")
    if not np.isfinite(value).all():
        raise Error(f"{name}: has numbers that are not finite")
    return value


def read_calibration(path, second=None, *, width: int = 0, height: int = 0, pair: int = -1,
                     unit: float = 0) -> Calibration:
    """A calibration of OpenCV, ROS, Kalibr, KITTI's raw recordings, ZED or OAK; the content
    decides.

    second: of a calibration of two files. width, height: of the pictures, which choose among those
    of a file with several. pair: of KITTI. unit: metres per unit of length in the file; 0: the
    format's. """
    struct = c.StxCalibration()
    files = c.StxCalibrationFiles(os.fsencode(path), second and os.fsencode(second), pair, unit)
    checked(lib.stx_calibration_load, byref(files), whole("width", width), whole("height", height),
            byref(struct))
    return Calibration(struct)


def write_calibration(path, calibration: Calibration) -> None:
    """Writes a calibration as OpenCV's FileStorage does, in JSON."""
    checked(lib.stx_calibration_save, byref(_calibration(calibration)), os.fsencode(path))


def _calibration(calibration):
    if not isinstance(calibration, Calibration):
        raise TypeError(f"calibration is a {type(calibration).__name__}, must be a "
                        "stixels.Calibration")
    return calibration._struct


# ---- Rectification ------------------------------------------------------------------------------

@documented("stx_rectify_fields")
class Rectifier:
    """Pictures of width × height pixels of two cameras become those of two ideal ones.

    camera: the left one of these, without height and pitch, which Camera's dataclasses.replace
    adds. """

    def __init__(self, calibration: Calibration, source_width: int, source_height: int, *,
                 threads: int = 0, backend: str = "auto", **settings):
        params = settings_of(c.StxRectifyParams, settings, "stx_rectify_fields")
        self._place = place(threads)
        self._impl = implementation("stx_rectify_impls", c.StxRectifyImpl, backend)
        self._size, self._maps = (whole("source_height", source_height),
                                  whole("source_width", source_width)), []
        for side in range(2):
            view, camera = c.StxRectifyView(), c.StxCamera()
            checked(lib.stx_rectify_view, byref(_calibration(calibration)), byref(params), side,
                    source_width, source_height, byref(view), byref(camera))
            memory = Block(lib.stx_rectify_map_bytes(byref(view), 0, 0))
            lib.stx_rectify_map_fill(byref(view), 0, 0, memory.address, self._place.threads)
            self._maps.append((lib.stx_rectify_map_in(byref(view), 0, 0, memory.address), memory))
            if side == 0:
                camera.missing |= c.STX_CAMERA_PITCH
                self.width, self.height = view.width, view.height
                camera.image_width, camera.image_height = view.width, view.height
                self.camera = Camera._of(camera)

    def _rectify(self, side, name, picture):
        shape = "height, width" + (", channels" if getattr(picture, "ndim", 2) == 3 else "")
        picture = rows(name, picture, np.uint8, shape)
        channels = picture.shape[2] if picture.ndim == 3 else 1
        if not 1 <= channels <= 4:
            raise Error(f"{name} has {channels} channels, must have 1 to 4")
        if picture.shape[:2] != self._size:
            raise Error(f"{name} has {picture.shape[1]} × {picture.shape[0]} pixels; the rectifier "
                        f"is one for {self._size[1]} × {self._size[0]}")
        found = np.empty((self.height, self.width, *picture.shape[2:]), np.uint8)
        checked(self._impl.run, byref(self._maps[side][0]),
                byref(c.StxRectifySample(channels)), byref(image(c.StxImage8, picture)),
                byref(image(c.StxImage8, found)), byref(self._place))
        return found

    def __call__(self, left: np.ndarray,
                 right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(left, right), rectified. uint8 (height, width) or (height, width, 1 to 4 channels);
        black where a camera does not see."""
        return self._rectify(0, "left", left), self._rectify(1, "right", right)


def rectify(calibration: Calibration, left: np.ndarray, right: np.ndarray,
            **settings) -> tuple[np.ndarray, np.ndarray, Camera]:
    """(left, right, camera) of one pair; Rectifier keeps what a calibration leads to."""
    height, width = array("left", left, np.uint8, "height, width" + (
        ", channels" if getattr(left, "ndim", 2) == 3 else "")).shape[:2]
    rectifier = Rectifier(calibration, width, height, **settings)
    return (*rectifier(left, right), rectifier.camera)
