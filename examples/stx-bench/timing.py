# SPDX-License-Identifier: LGPL-2.1-or-later
"""The library that takes the times, stx_bench.h, and what it finds as dictionaries, which are the
rows of the JSON."""
import contextlib
import ctypes
import pathlib

import _bench as c
import png
import stixels
from stixels import _core as core

FAULTS = stixels.Error, png.Unreadable, MemoryError, OSError
GPU_WARM_UP = 100  # ms: long enough for its clocks to rise


def _load():
    """In the build folder it lies beside its declarations."""
    here = pathlib.Path(c.__file__).resolve().parent
    beside = here / "libstx-bench.so"
    library = ctypes.CDLL(str(beside if beside.exists() else here / c.LIBRARY))
    for name, (result, arguments) in c.FUNCTIONS.items():
        if name.startswith("bench_"):
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    return library


lib = _load()
STAGES = {lib.bench_stage_name(i).decode(): i for i in range(c.BENCH_STAGES)}


def checked(function, *arguments):
    error = c.StxError()
    if not function(*arguments, ctypes.byref(error)):
        raise stixels.Error(error.text.decode("utf-8", "replace"))


@contextlib.contextmanager
def machine(options):
    found = c.BenchMachine()
    checked(lib.bench_machine_open, ctypes.byref(found), options.threads, options.cpu, options.gpu)
    try:
        yield found
    finally:
        lib.bench_machine_close(ctypes.byref(found))


def _row(found, stage, text):
    row = {"stage": stage, "implementation": found.impl.decode(), "graph": found.graph,
           "input_sets": found.sets, "threads": found.threads, "width": found.width,
           "height": found.height, "cell": found.cell, "classes": found.classes, "input": text,
           "runs": found.runs}
    if found.runs:
        row.update(median_ms=found.median, minimum_ms=found.minimum)
        if found.ratio > 0:
            row["times_reference"] = found.ratio
        if found.rate > 0:
            row.update(rate=found.rate, unit="GB/s", limit=found.limit)
        if found.share >= 0:
            row["pairs_evaluated"] = found.share
    return row


def group(context, stage, text, **parameters):
    """The rows of a stage; `text` names its input."""
    case = c.BenchCase(stage=STAGES[stage], **parameters)
    rows, count = (c.BenchRow * c.BENCH_MAX_ROWS)(), ctypes.c_int()
    checked(lib.bench_group, ctypes.byref(context), ctypes.byref(case), rows, ctypes.byref(count))
    return [_row(row, stage, text) for row in rows[:count.value]]


def image(value):
    return core.image(c.StxImage16 if value.itemsize == 2 else c.StxImage8, value)
