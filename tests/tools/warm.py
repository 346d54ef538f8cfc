# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs programs on the package stixels without the time of their start, which is most of that of a
small street: in a child of this process, which has NumPy and the library in memory. Others, and
those with an environment of their own, run as always.

`subprocess.run = warm.run` for what calls it with a command, capture_output, text and check, and
needs a command's output once; `fresh` runs it each time.
"""
import functools
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import traceback

import numpy  # noqa: F401 (what a start takes longest for)
try:
    import stixels  # noqa: F401
except ImportError:  # stx-calibrate does without
    pass

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
PROGRAMS = "stx-calibrate", "stx-check", "stx-eval"
cold = subprocess.run


def child(program, arguments, streams, folder):
    """Never returns."""
    status = 1
    try:
        os.chdir(folder)
        for number, stream in enumerate(streams, 1):
            os.dup2(stream.fileno(), number)
        sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8") for number in (1, 2))
        path = EXAMPLES / ("" if program == "demo" else program) / f"{program}.py"
        sys.argv = [str(path), *arguments]
        sys.path.insert(0, str(path.parent))
        runpy.run_path(str(path), run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except Exception:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def is_warm(command):
    path = pathlib.Path(command[0])
    return path.stem in PROGRAMS and path.exists()


def run(command, **options):
    return once(tuple(command)) if is_warm(command) else cold(command, **options)


def fresh(command, env=None, **options):
    words = [str(word) for word in command]
    return always(words) if env is None and is_warm(words) else cold(words, env=env, **options)


def always(command, folder="."):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sys.stdout.flush()
        process = os.fork()
        if process == 0:
            child(pathlib.Path(command[0]).stem, command[1:], (out, err), folder)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
        return subprocess.CompletedProcess(command, status, *texts)


once = functools.lru_cache(None)(always)
