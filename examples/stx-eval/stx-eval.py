#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-eval: how good disparities, stixels and what is made of them are, on frames with truth. The
page docs/evaluation.md has the protocols."""
import importlib
import pathlib
import sys

# Behind PYTHONPATH: where it is installed, the package lies there, too.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "shared"))

import release  # noqa: E402 (where it is had to be said first)

COMMANDS = ("column", "hazards", "lidar", "motion", "obstacles", "occupancy")


def main():
    arguments = sys.argv[1:]
    command = arguments.pop(0) if arguments and arguments[0] in COMMANDS else ""
    name = f"stx-eval {command}".rstrip()
    if arguments == ["--version"]:  # without the library
        sys.exit(print(f"{name} (gst-stixels) {release.VERSION}"))
    try:
        import numpy  # noqa: F401
        import stixels
    except ImportError as error:
        release.refuse(str(error), "NumPy and the library stixels", "numpy")
    from options import Refused
    from png import Unreadable
    try:
        importlib.import_module(command or "stereo").main(arguments)
    except (Refused, Unreadable, stixels.Error, MemoryError) as error:
        sys.exit(f"{name}: {error}")


if __name__ == "__main__":
    main()
