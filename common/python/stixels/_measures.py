# SPDX-License-Identifier: LGPL-2.1-or-later
"""Disparities against truth, as KITTI counts; what cells can reach; columns explained."""
import ctypes
import dataclasses
from typing import NamedTuple, Optional

import numpy as np

from . import _c as c
from ._core import (Block, Error, byref, checked, documented, image, lib, pointer, rows, same_size,
                    settings_of, structs, whole)
from ._stereo import _columns
from ._types import (GROUND, NO_LABEL, OBJECT, SKY, Brief, Camera, Columns, Stixels, fitted,
                     stixel_records)

ONE = 1024  # energies are whole numbers of 1/1024 nat
TERMS = ("data", "semantic", "horizon", "unknown", "noise", "first", "cut", "pair")


class Wrong(NamedTuple):
    """Pixels whose true disparity is known; of these those with a disparity, and those that are off
    by more than 3 px and more than 5 %, or that are unknown; and the same with "or"."""
    truth: int
    known: int
    bad_and: int
    bad_or: int


def wrong_disparities(truth: np.ndarray, disparity: np.ndarray) -> Wrong:
    """Counts errors as KITTI does. Both uint16 (height, width) in 1/256 pixel, 0 unknown."""
    truth, disparity = (rows(name, value, np.uint16, unknown=0) for name, value in (
        ("truth", truth), ("disparity", disparity)))
    same_size("disparity", disparity, "truth", truth.shape)
    score = c.StxDisparityScore()
    lib.stx_disparity_score_add(byref(score), byref(image(c.StxImage16, truth)),
                                byref(image(c.StxImage16, disparity)))
    return Wrong(score.truth, score.known, score.bad_and, score.bad_or)


def fill(disparity: np.ndarray) -> np.ndarray:
    """A copy whose holes are filled, as KITTI's development kit does it."""
    filled = np.array(rows("disparity", disparity, np.uint16, unknown=0), order="C")
    lib.stx_disparity_fill(byref(image(c.StxImage16, filled)))
    return filled


def majority(columns: Columns, labels: np.ndarray) -> np.ndarray:
    """Labels, uint8 (height, width), if every cell of the columns had its most frequent one."""
    labels = rows("labels", labels, np.uint8, unknown=NO_LABEL)
    same_size("labels", labels, "columns", (columns.height, columns.width))
    found = np.empty(labels.shape, np.uint8)
    lib.stx_render_majority(byref(columns._grid()), byref(image(c.StxImage8, labels)),
                            byref(image(c.StxImage8, found)))
    return found


# ---- Why is there a stixel here? ----------------------------------------------------------------

class Told(NamedTuple):
    """A stixel's record; its terms; by how much the column would cost more, nats, with it of
    another kind (`changed`, by ground, object, sky), or one with that below it (`merged`, as
    `merged_kind`; NaN of the lowest one); infinite: that cannot be."""
    record: np.void
    terms: dict
    changed: dict
    merged: float
    merged_kind: Optional[str]


@dataclasses.dataclass(repr=False)
class Explanation(Brief):
    """A column's energy and that of the cheapest segmentation, nats, and its stixels, the lowest
    first. sky, least_sky: stixels of sky that end below the horizon, here and in the cheapest
    one."""
    energy: float
    least: float
    stixels: list
    sky: int
    least_sky: int


def road_of(camera: Camera) -> Optional[c.StxRoadLine]:
    """The road's line by a camera whose height is known, as Stixels.road has it, or None."""
    line = c.StxRoadLine()
    return line if lib.stx_roadline_from_camera(byref(camera._struct()), byref(line)) else None


KIND_NAMES = {GROUND: "ground", OBJECT: "object", SKY: "sky"}


@documented("stx_satdp_fields")
class Explainer:
    """Explains columns of a frame of stixels, which has its columns and road: that of a
    Pipeline(maps=True) with the same settings. sky_known: as in stixels()."""

    def __init__(self, frame: Stixels, *, sky_known: bool = True, **settings):
        self._records = stixel_records(frame)
        if frame.columns is None:
            raise Error("frame: it has no columns; give one of a Pipeline with maps=True")
        self._data, grid = _columns(frame.columns)
        self._params = settings_of(c.StxSatdpParams, settings, "stx_satdp_fields")
        self._params.grid, self._params.sky_known = grid, sky_known
        self._tables, camera = c.StxSatdpTables(), fitted(frame.camera, grid.width, grid.height)
        line = None if frame.road is None else ctypes.pointer(frame.road)
        checked(lib.stx_satdp_prepare, byref(self._params), byref(camera), line,
                byref(self._tables))
        self._terms = (c.StxSatdpTerms * c.STX_MAX_ROWS)()

    def _energy(self, column, pieces):
        """In 1/1024 nat; infinite if it cannot be."""
        pieces = (c.StxSatdpPiece * len(pieces))(*pieces)
        energy = lib.stx_satdp_explain(byref(self._params), byref(self._tables),
                                       pointer(self._data), column, pieces, len(pieces),
                                       self._terms)
        return energy if energy < 2 ** 48 else np.inf

    def _sky(self, pieces):
        """Stixels of sky that end below the horizon, under something else."""
        horizon = self._tables.horizon_sky
        return sum(kind == SKY and horizon[last + 1] > horizon[last]
                   for _, last, kind in pieces[:-1])

    def _merged(self, column, pieces, i, energy):
        if i == 0:
            return np.nan, None
        begin, end = pieces[i - 1][0], pieces[i][1]
        more = {name: self._energy(column, pieces[:i - 1] + [(begin, end, kind)] + pieces[i + 1:])
                for kind, name in KIND_NAMES.items()}
        name = min(more, key=more.get)
        return (more[name] - energy) / ONE, name

    def __call__(self, column: int) -> Explanation:
        columns = self._data.shape[1]
        whole("column", column, 0, columns - 1)
        records = self._records[self._records["column"] == column]
        found = [lib.stx_satdp_piece(byref(self._params.grid), structs(c.StxStixel, records[i:]))
                 for i in range(len(records))]
        pieces = [(piece.first, piece.last, piece.kind) for piece in found]
        energy = self._energy(column, pieces)
        terms = [{name: getattr(self._terms[i], name) / ONE for name in TERMS}
                 for i in range(len(pieces))]
        told = []
        for i, (first, last, _) in enumerate(pieces):
            changed = {name: (self._energy(column, pieces[:i] + [(first, last, kind)]
                                           + pieces[i + 1:]) - energy) / ONE
                       for kind, name in KIND_NAMES.items()}
            told.append(Told(records[i], terms[i], changed,
                             *self._merged(column, pieces, i, energy)))
        best, count = (c.StxSatdpPiece * c.STX_MAX_ROWS)(), ctypes.c_int()
        memory = Block(lib.stx_satdp_least_scratch(byref(self._params.grid)))
        least = lib.stx_satdp_least(byref(self._params), byref(self._tables), pointer(self._data),
                                    column, best, byref(count), memory.address)
        cheapest = [(piece.first, piece.last, piece.kind) for piece in best[:count.value]]
        return Explanation(energy / ONE, least / ONE, told, self._sky(pieces), self._sky(cheapest))
