# SPDX-License-Identifier: LGPL-2.1-or-later
"""Looking at pairs of files, as they are or as they would be if something were put right."""
import collections
import ctypes
import functools
import os
import types

import numpy as np

import moments
import png
import stixels
from files import Unusable
from stixels import _c as c
from stixels import _core as core

lib = core.lib
FAULTS = Unusable, png.Unreadable, stixels.Error
SMALL = 36, 64  # places down and across a picture in which motion is looked for
USUAL = 10  # pictures a second, where that is not known

# The result of several pairs: how many have each verdict; the finding of the first pair with the
# most frequent one; the range of disparities of the plausible pairs, as a stream.
Look = collections.namedtuple("Look", "pairs seen_as verdict finding range")


def is_calibration(path):
    """Whether the file is one of real lenses."""
    return lib.stx_calibration_is_known(os.fsencode(path), core.byref(c.StxError()))


def camera_of(path, picture):
    """The camera of a rectified pair, for that picture, and what is said of its size."""
    camera, note = c.StxCamera(), c.StxError()
    core.checked(lib.stx_camera_load, os.fsencode(path), -1, core.byref(camera))
    height, width = png.load_gray(picture).shape
    lib.stx_camera_fit(core.byref(camera), width, height, core.byref(note))
    return camera, note.text.decode()


def name_of(finding):
    return lib.stx_pair_name(finding.verdict).decode()


def text_of(finding):
    """The fault and the cure, as a sentence without a full stop."""
    text = ctypes.create_string_buffer(256)
    lib.stx_pair_describe(core.byref(finding), text)
    return text.value.decode()


def angles_of(finding):
    """Pitch and roll of the right camera against the left one, degrees."""
    angles = lib.stx_pair_angles(core.byref(finding))
    return angles.pitch, angles.roll


@functools.lru_cache(2)
def rectifier(calibration, width, height):
    return stixels.Rectifier(calibration, width, height)


def images(*pictures):
    return [core.byref(core.image(c.StxImage8, picture)) for picture in pictures]


def examine(left, right, rows, max_disparity):
    """Looks at what both pictures show if the right one is moved up; negative: down."""
    if left.shape != right.shape:
        raise Unusable(f"the left picture has {left.shape[1]} × {left.shape[0]} pixels, the right "
                       f"one {right.shape[1]} × {right.shape[0]}: both must be of one size")
    height = max(len(left) - abs(rows), 1)
    left, right = left[max(-rows, 0):][:height], right[max(rows, 0):][:height]
    finding = c.StxPairFinding()
    scratch = core.scratch(lib.stx_pair_scratch(left.shape[1], height))
    lib.stx_pair_examine(max_disparity, *images(left, right), scratch, core.byref(finding))
    return finding


def reach(left, right, found):
    """Adds the range of disparities of a pair, and where infinity is."""
    params = core.defaults("stx_sgm_fields", c.StxSgmParams)
    params.height, params.width = left.shape
    place = core.place(0)
    size = lib.stx_sgm_range_scratch(core.byref(params), core.byref(found), place.threads)
    core.checked(lib.stx_sgm_range_look, core.byref(params), *images(left, right),
                 core.scratch(size), core.byref(place), core.byref(found))


def look(paths, max_disparity, most, *, swap=False, rows=0, later=0, rectify=None):
    """Up to `most` pairs, spread over all there are. Before that, pictures may be swapped, the
    right view shown so many rows higher, each left picture taken with the right one so many moments
    later, or both be rectified by a calibration."""
    begin = max(-later, 0)
    count = min(len(paths[0]), len(paths[1]) - later) - begin
    pairs = min(count, most)
    seen = {lib.stx_pair_name(verdict).decode(): 0 for verdict in range(c.STX_PAIR_VERDICTS)}
    first, best, found = c.StxPairFinding(), "unknown", c.StxSgmRange()
    for i in range(pairs):
        at = begin + i * count // pairs
        pair = [png.load_gray(paths[0][at]), png.load_gray(paths[1][at + later])]
        if rectify is not None:
            pair = rectifier(rectify, *pair[0].shape[::-1])(*pair)
        left, right = pair[::-1] if swap else pair
        finding = examine(left, right, rows, max_disparity)
        verdict = name_of(finding)
        if verdict == "plausible" and rows == 0:
            reach(left, right, found)
        seen[verdict] += 1
        # A known verdict goes before an unknown one, then the more frequent.
        if i == 0 or verdict != "unknown" and (best == "unknown" or seen[verdict] > seen[best]):
            first, best = finding, verdict
    return Look(max(pairs, 0), seen, best, first, found)


# ---- Moments -------------------------------------------------------------------------------------

def video_of(paths):
    """Times, and the sums of the changes from each picture to the next, of means of its parts."""
    step, motion, before = moments.SECOND / (paths.rate or USUAL), [], None
    for path in paths:
        picture = png.load_gray(path)
        down, across = (-(-size // most) for size, most in zip(picture.shape, SMALL))
        rows, columns = len(picture) // down, len(picture[0]) // across
        seen = picture[:rows * down, :columns * across].reshape(
            rows, down, columns, across).mean((1, 3))
        motion.append(0 if before is None else float(abs(seen - before).sum()))
        before = seen
    return types.SimpleNamespace(times=[round(k * step) for k in range(len(paths))], motion=motion)


def lag_of(paths):
    """Finds how many pictures later than the left ones, below 0 earlier, the right ones show the
    same motion; 0 where that cannot be told. And by how many pictures that may be wrong."""
    try:
        offset, _, within = moments.find_offset(*map(video_of, paths))
    except FAULTS:
        return 0, 0
    return [round(seconds * (paths[0].rate or USUAL)) for seconds in (offset, within)]
