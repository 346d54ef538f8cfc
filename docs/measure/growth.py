# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times the dynamic programmes over the number of rows, Figure 9 of D. Hernandez-Juarez et al., "3D
Perception with Slanted Stixels on GPU", TPDS 32(10), 2021. stx-paper.py runs it: growth.py
BUILD/examples [FOLDER] [OPTIONS].

The cells of one picture, always of the same width, of several heights. The codes leave out what
exact bounds allow of the start rows of every end row. One thread's processor time, so that other
work on the machine does not count, on columns evenly spread over the picture, as many as fill the
widest vectors.
"""
import ctypes
import dataclasses
import sys
import time

import numpy as np

import package

package.use(sys.argv[1])

import data  # noqa: E402 (where they are had to be said first)
import report  # noqa: E402
import stixels  # noqa: E402
from options import Parser, Refused, Settings, size  # noqa: E402
from png import Unreadable  # noqa: E402
from stixels import _c as c  # noqa: E402
from stixels import _core as core  # noqa: E402

CELL_WIDTH, COLUMNS, HEIGHTS = 4, 32, (16, 8, 4, 2, 1)
ENOUGH_MS, LEAST_MS = 2000., 20.  # no further run of what took so long; runs go on until then
TABLES = {"gaussian": "stx_satdp_impls", "gaussian-uniform": "stx_fulldp_impls"}


def columns_of(frame):
    """COLUMNS of the frame's columns, or all if there are fewer."""
    every = frame.columns.data.shape[1]
    count = min(every, COLUMNS)
    chosen = np.ascontiguousarray(frame.columns.data[:, np.arange(count) * every // count])
    return dataclasses.replace(frame.columns, data=chosen, width=count * frame.stixel_width)


class Work:
    """The columns to segment, with their parameters and tables."""

    def __init__(self, frame):
        self._columns, self.params = columns_of(frame), core.defaults("stx_satdp_fields",
                                                                      c.StxSatdpParams)
        self.params.grid, self._tables = self._columns._grid(), c.StxSatdpTables()
        line = None if frame.road is None else ctypes.pointer(frame.road)
        core.checked(core.lib.stx_satdp_prepare, core.byref(self.params),
                     core.byref(frame.camera._struct()), line, core.byref(self._tables))
        core.lib.stx_fulldp_prepare(core.byref(self.params), core.byref(self._tables))

    def time(self, model, repeat):
        impl = core.implementation(TABLES[model], c.StxSatdpImpl, "auto")
        found, result = np.empty(self._columns.data[0].size, stixels.STIXEL), c.StxSatdpResult()
        memory = core.Block(impl.scratch_size(core.byref(self.params), 1))
        times = []
        while len(times) < repeat and sum(times) < ENOUGH_MS or sum(times) < LEAST_MS:
            begin = time.thread_time()
            core.checked(impl.run, core.byref(self.params), core.byref(self._tables),
                         self._tables.has_ground, core.pointer(self._columns.data), None,
                         ctypes.cast(core.pointer(found), ctypes.POINTER(c.StxStixel)),
                         core.byref(result), memory.address, core.byref(core.place(1)))
            times.append(1e3 * (time.thread_time() - begin))
        columns, rows = self._columns.data.shape[1:]
        pairs = columns * (3 if self._tables.has_ground else 2) * rows * (rows + 1) // 2
        return {"rows": rows, "model": model, "code": impl.info.name.decode(),
                "pruned": True, "us_per_column": 1e3 * min(times) / columns,
                "pairs_evaluated": report.share(result.evaluated, pairs) or 0.}


def main(arguments):
    parser = Parser("growth.py", "[FOLDER] - times the dynamic programmes over the number of "
                    "rows", "FOLDER is in KITTI's stereo layout; without one: the street.")
    parser.text("size", "WxH", "of the street (1242x375)", "1242x375")
    parser.whole("seed", "of the street (1)", 1)
    parser.whole("repeat", "runs; the fastest counts (1)", 1)
    options = parser.parse(arguments)
    frame = (data.Kitti(options.rest[0]) if options.rest else data.Street(
        1, *size("size", options.size), options.seed, speed=0., noise=0.)).load(0)
    rows = []
    for height in HEIGHTS:
        if -(-frame.size[1] // height) > c.STX_MAX_ROWS:
            continue
        settings = Settings(compared=False)
        settings.reduce = {"stixel_width": CELL_WIDTH, "stixel_height": height}
        work = Work(settings.pipeline(*frame.size, threads=1)(frame.left, frame.right,
                                                              frame.camera))
        rows += [work.time(model, options.repeat) for model in TABLES]
    report.dump(rows)


if __name__ == "__main__":
    try:
        main(sys.argv[2:])
    except (Refused, Unreadable, stixels.Error, MemoryError) as error:
        sys.exit(f"growth.py: {error}")
