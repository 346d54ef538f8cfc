# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-eval and stx-bench as a user runs them."""
import functools
import json
import os
import pathlib
import shlex
import sys
import tempfile

import warm


def in_folder(check):
    """The check with a folder of its own."""
    @functools.wraps(check)
    def checked():
        with tempfile.TemporaryDirectory() as folder:
            check(pathlib.Path(folder))
    return checked


def run(program, options="", status=0, env=None):
    """Its output and its messages on stderr; it must end with this status."""
    command = [str(program), *shlex.split(options)]
    done = warm.fresh(command, env and {**os.environ, **env}, capture_output=True, text=True,
                      timeout=300, check=False)
    if (done.returncode == 0) != (status == 0):
        sys.exit(f"FAILED: {command} ends with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def run_json(program, options, env=None):
    return json.loads(run(program, options, env=env)[0])


def refuses(program, cases, env=None):
    """It fails with these options, each time with these words."""
    for options, words in cases:
        said = run(program, options, 1, env)[1]
        assert words in said, f"{options}: '{said}' does not say '{words}'"


def at(found, path):
    """The number at a path like "total.all.recall"."""
    for key in path.split("."):
        found = found[key]
    assert isinstance(found, (int, float)), (path, found)
    return found
