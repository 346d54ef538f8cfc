#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The columns that stx-bench times rdp with, as Figure 8 of its paper has them; for make-plots.py
what Figures 4, 5 and 7 show of them. A cell is one pixel wide; disparities are those of sgm, holes
filled, resampled to a number of rows, all certain.

usage: rdp_columns.py BUILD/examples FOLDER WIDTHxHEIGHT     writes FOLDER/rdp-KIND.png
"""
import ctypes
import dataclasses
import sys

import numpy as np

import package

EPSILONS = (0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32)
ROWS, EPSILON = 1024, 4 * 256  # of the trees and pictures: the paper's


def disparities(pair=None, size=(1242, 375)):
    """The disparities of the synthetic street as stx-bench sees it, or of two files of PNG."""
    import png
    import stixels
    if pair is None:
        street = stixels.Street(*size, seed=1, noise=2., speed=10.)
        street.move(12)
        left, right = street.pair()
    else:
        left, right = map(png.load_gray, pair)
    match = stixels.match(left, right, max_disparity=128, disparity_at_infinity=0)
    return stixels.fill(match.disparity)


class Rdp:
    """rdp on columns; `drawn` and `kept` are what its last run left, beside what it returns."""

    def __init__(self, cells):
        import rdp_inputs
        import stixels
        from stixels import _c as c, _core as core
        self.c, self.core, (width, rows) = c, core, cells.shape
        self.columns = stixels.Columns(rdp_inputs.certain(cells), width, rows, 1, 1)
        self.frame = stixels.Stixels(np.empty(cells.size, stixels.STIXEL), width, rows, 1)
        self.kept = np.empty(cells.shape, np.uint8)

    def run(self, epsilon, median=0):
        c, core = self.c, self.core
        params = core.defaults("stx_rdp_fields", c.StxRdpParams)
        params.grid, params.epsilon, params.median = self.columns._grid(), epsilon, median
        impl, where = core.implementation("stx_rdp_impls", c.StxRdpImpl), core.place(0)
        result, found = c.StxRdpResult(), self.frame.records
        core.checked(impl.run, core.byref(params), core.pointer(self.columns.data),
                     ctypes.cast(found.ctypes.data, ctypes.POINTER(c.StxStixel)),
                     ctypes.cast(self.kept.ctypes.data, ctypes.POINTER(ctypes.c_uint8)),
                     core.byref(result),
                     core.scratch(impl.scratch_size(core.byref(params), where.threads)),
                     core.byref(where))
        return result

    def error(self, count):
        """The mean distance of the first `count` segments from the columns, pixels."""
        found = dataclasses.replace(self.frame, records=self.frame.records[:count])
        drawn = found.draw("disparity").T.astype(np.int64)
        return np.abs(drawn - self.columns.data[0]).mean() / 256


# ---- Levels and trees ------------------------------------------------------------------------

def levels(disparity, heights=(256, 512, 1024, 4096)):
    """For every epsilon, median and number of rows: how often segments are split, how many there
    are and how far they are from the columns."""
    import rdp_inputs
    for rows in heights:
        rdp = Rdp(rdp_inputs.resampled(disparity, rows))
        for median in (0, 5):
            for epsilon in EPSILONS:
                result = rdp.run(int(epsilon * 256), median)
                yield {"columns": disparity.shape[1], "rows": rows, "median": median,
                       "epsilon_px": f"{epsilon:g}", "segments": result.count,
                       "levels": result.levels, "levels_squared": result.levels_squared,
                       "deepest": result.deepest,
                       "mean_error_px": f"{rdp.error(result.count):.5f}"}


def calls(cells, first, last, level=1):
    """The calls of Algorithm 1 as (level, first, last, cut or -1), distances times the length of
    the chord."""
    length, cut = last - first, -1
    if length > 1:
        rise = cells[last] - cells[first]
        distances = np.abs((cells[first + 1:last] - cells[first]) * length
                           - rise * np.arange(1, length))
        most = int(distances.argmax())
        if distances[most] > EPSILON * length:
            cut = first + 1 + most
    yield level, first, last, cut
    if cut >= 0:
        yield from calls(cells, first, cut, level + 1)
        yield from calls(cells, cut, last, level + 1)


def trees(disparity):
    """(For every level the columns that have it and the cells of the segments that are looked at
    in it, the tree of the column in the middle). rdp must cut where Algorithm 1 does."""
    import rdp_inputs
    cells = rdp_inputs.resampled(disparity, ROWS)
    found = [list(calls(column, 0, ROWS - 1)) for column in cells.astype(np.int64)]
    deepest = [max(level for level, *_ in column) for column in found]
    result = Rdp(cells).run(EPSILON)
    if (result.levels, result.count) != (sum(deepest), sum(
            cut < 0 for column in found for *_, cut in column)):
        sys.exit("rdp does not cut where Algorithm 1 does")
    cells_open = np.zeros(ROWS + 1, np.int64)
    for column in found:
        for level, first, last, _ in column:
            cells_open[level] += last - first + (last == ROWS - 1)
    utility = [{"rows": ROWS, "epsilon_px": f"{EPSILON / 256:g}", "level": level,
                "running": sum(each >= level for each in deepest),
                "open_cells": int(cells_open[level])} for level in range(1, max(deepest) + 1)]
    middle = len(cells) // 2
    tree = [{"column": middle, "level": level, "first": first, "last": last, "cut": cut,
             "first_px": f"{cells[middle][first] / 256:.3f}",
             "last_px": f"{cells[middle][last] / 256:.3f}"}
            for level, first, last, cut in found[middle]]
    return utility, tree


# ---- Pictures --------------------------------------------------------------------------------

def main():
    import png
    import rdp_inputs
    cells = rdp_inputs.resampled(disparities(size=map(int, sys.argv[3].split("x"))), ROWS)
    for kind in rdp_inputs.KINDS:
        png.save(f"{sys.argv[2]}/rdp-{kind}.png", rdp_inputs.cells_of(kind, cells).T)


if __name__ == "__main__":
    package.use(sys.argv[1])
    main()
