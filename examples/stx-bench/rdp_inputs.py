# SPDX-License-Identifier: LGPL-2.1-or-later
"""Columns for rdp as in its paper's experiments (common/rdp/rdp.h): disparities from sgm, scaled
vertically, so that a column has as many cells as is wanted; of these all, the tenth with the fewest
or the most segments over and over, or white noise."""
import numpy as np

import stixels
from stixels import _c as c

EPSILON = 4 * 256  # the paper's
KINDS = ("best", "average", "worst", "noise")
TENTH = 10


def resampled(disparity, rows):
    """(columns, rows): linear between the centres of a column's pixels, rounded."""
    values, height, unit = disparity.astype(np.int64), len(disparity), 2 * rows
    place = np.clip((2 * np.arange(rows) + 1) * height - rows, 0, (height - 1) * unit)
    above, part = place // unit, (place % unit)[:, None]
    below = np.minimum(above + 1, height - 1)
    sums = values[above] * (unit - part) + values[below] * part
    return np.ascontiguousarray(((sums + rows) // unit).T.astype(np.uint16))


def certain(cells):
    return np.stack([cells, np.full_like(cells, c.STX_WEIGHT_ONE)])


def tenth(cells, most):
    """The tenth of the columns with the fewest or the most segments, again and again."""
    columns = stixels.Columns(certain(cells), *cells.shape, 1, 1)
    found = stixels.segments(columns, epsilon=EPSILON / 256, median=0)
    counts = np.bincount(found.records["column"], minlength=len(cells))
    order = np.argsort(counts, kind="stable")[::-1 if most else 1]
    return cells[order[np.arange(len(cells)) % max(len(cells) // TENTH, 1)]]


def noise(shape):
    """White noise over all 16 bits (xorshift32, G. Marsaglia), never unknown. One step is linear
    over bits: n steps of all the numbers so far make as many more."""
    def step(value):
        value = value ^ value << np.uint32(13)
        value = value ^ value >> np.uint32(17)
        return value ^ value << np.uint32(5)

    count, bits = int(np.prod(shape)), np.uint32(1) << np.arange(32, dtype=np.uint32)
    found, steps = step(np.array([1], np.uint32)), step(bits)  # what each bit becomes
    while len(found) < count:
        def many(value, steps=steps):
            return np.bitwise_xor.reduce([(value >> np.uint32(bit) & 1) * steps[bit]
                                          for bit in range(32)])
        found, steps = np.concatenate([found, many(found)]), many(steps)
    return (found[:count] >> np.uint32(16) | 1).astype(np.uint16).reshape(shape)


def cells_of(kind, cells):
    """The columns of a kind: of all these, or as many and as long ones of noise."""
    if kind == "noise":
        return noise(cells.shape)
    return cells if kind == "average" else tenth(cells, kind == "worst")
