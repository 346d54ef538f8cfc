# SPDX-License-Identifier: LGPL-2.1-or-later
"""Realistic pictures, disparities, labels and scores of a given size, and columns for rdp."""
import pathlib

import numpy as np

import png
import rdp_inputs
import stixels
import timing
from arguments import Refused
from stixels import _core as core
from stixels import _types

c = timing.c
FRAME, NOISE = 12, 2.  # of the street; gray levels
THIRDS = np.array([10, 2, 0], np.uint8)  # sky, building and road, one above the other
CLASSES = len(stixels.CLASSES)


def mixed(value):
    """A hash of each pixel (finalizer of MurmurHash3, A. Appleby)."""
    value = (value ^ value >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    value = (value ^ value >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return value ^ value >> np.uint32(16)


def scores_of(labels):
    """Scores as a network gives them: the true class has most of the probability, a second class
    what is left, and in patches of 16 pixels (one of 32 of them) the two are exchanged."""
    height, width = labels.shape
    y, x = np.indices(labels.shape, np.uint32)
    patch = mixed(y // np.uint32(16) << np.uint32(16) | x // np.uint32(16))
    sure = 170 + mixed(np.arange(height * width, dtype=np.uint32).reshape(labels.shape)) % 80
    second = patch % np.uint32(CLASSES)
    wrong = (patch >> np.uint32(27) == 0) | (labels >= CLASSES)
    scores = np.zeros((CLASSES, height, width), np.uint8)
    first = np.where(wrong, second, labels)
    scores[first, y, x] = sure
    other = ~wrong & (second != labels)
    scores[second[other], y[other], x[other]] = 255 - sure[other]
    return scores


class Input:
    """One stereo frame and what the stages before would make of it; `struct` is the library's."""

    def __init__(self, name, left, right, labels, camera):
        self.name, self.height, self.width = name, *left.shape
        found = stixels.match(left, right, max_disparity=128, disparity_at_infinity=0)
        self.disparity = found.disparity
        self.arrays = left, right, labels, found.disparity, found.confidence
        self.scores = scores_of(labels)
        self.struct = c.BenchInput(self.width, self.height, *map(timing.image, self.arrays),
                                   core.pointer(self.scores),
                                   c.StxCamera.from_buffer_copy(camera))
        self.is_metric = camera.focal > 0 and camera.baseline > 0


def street(width, height):
    found = stixels.Street(width, height, seed=1, noise=NOISE, speed=10.)
    found.move(FRAME)
    return Input("street", *found.pair(), found.truth()[1], found._camera)


def of_files(left, right, labels, calibration):
    """Without labels the classes are thirds; without a calibration the camera is unknown."""
    pair = [png.load_gray(path) for path in (left, right)]
    (height, width), other = pair[0].shape, pair[1].shape
    if other != (height, width):
        raise Refused(f"{left} has {width} × {height} pixels, {right} {other[1]} × {other[0]}")
    camera = c.StxCamera()
    if calibration:
        camera = _types.fitted(stixels.read_camera(calibration), width, height)
    classes = np.repeat(THIRDS[3 * np.arange(height) // height, None], width, axis=1)
    if labels:
        table, ids = np.empty(256, np.uint8), png.load_ids(labels)
        if ids.shape != (height, width):
            raise Refused(f"{labels} has {ids.shape[1]} × {ids.shape[0]} pixels, the left picture "
                          f"{width} × {height}")
        core.lib.stx_labels_from_cityscapes(core.pointer(table))
        classes = table[ids]
    return Input(pathlib.Path(left).name.split(".")[0], *pair, np.ascontiguousarray(classes),
                 camera)


# ---- Columns for rdp -----------------------------------------------------------------------------

def columns(given, rows, kind):
    """uint16 (2, columns, rows): disparities and weights."""
    shape = given.width, rows
    return rdp_inputs.certain(rdp_inputs.noise(shape) if kind == "noise" else rdp_inputs.cells_of(
        kind, rdp_inputs.resampled(stixels.fill(given.disparity), rows)))
