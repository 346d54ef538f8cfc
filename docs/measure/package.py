# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Python package stixels for programs of this folder, and the modules that examples share."""
import os
import pathlib
import sys


def use(programs):
    """That of the build folder that these programs lie in, or the installed one."""
    build = pathlib.Path(programs).resolve().parent
    if (build / "common/stixels/libstixels.so").exists():
        os.environ["STIXELS_LIBRARY"] = str(build / "common/stixels/libstixels.so")
        sys.path.append(str(build / "common/python"))
    examples = pathlib.Path(__file__).resolve().parents[2] / "examples"
    sys.path += [str(examples / name) for name in ("shared", "stx-eval", "stx-bench")]
