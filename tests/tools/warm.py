# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs stx-eval without the time of its start, which is most of that of a small street: in a child
of this process, which has NumPy and the library in memory. Other programs run as always.

`subprocess.run = warm.run` for what calls it with a command, capture_output, text and check.
"""
import functools
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile

import numpy  # noqa: F401 (what a start takes longest for)
import stixels  # noqa: F401

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "examples/stx-eval/stx-eval.py"
cold = subprocess.run


def child(arguments, streams):
    """Never returns."""
    status = 1
    try:
        for number, stream in enumerate(streams, 1):
            os.dup2(stream.fileno(), number)
        sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8") for number in (1, 2))
        sys.argv = [str(PROGRAM), *arguments]
        sys.path.insert(0, str(PROGRAM.parent))
        runpy.run_path(str(PROGRAM), run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        print(end.code if isinstance(end.code, str) else "", end="", file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def run(command, **options):
    if pathlib.Path(command[0]).name != "stx-eval" or not pathlib.Path(command[0]).exists():
        return cold(command, **options)
    return once(tuple(command))


@functools.lru_cache(None)
def once(command):
    """The same command says the same again."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sys.stdout.flush()
        process = os.fork()
        if process == 0:
            child(command[1:], (out, err))
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
        return subprocess.CompletedProcess(command, status, *texts)
