#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-bench: times every stage and implementation. The page docs/benchmarks.md has results."""
import importlib
import pathlib
import sys

# Behind PYTHONPATH: where it is installed, the package lies there, too.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "shared"))

import release  # noqa: E402 (where it is had to be said first)
from arguments import Refused  # noqa: E402

COMMANDS = {"frames": "pipelines", "lidar": "lidar"}  # and their parts


def main():
    words = sys.argv[1:]
    command = words.pop(0) if words and words[0] in COMMANDS else ""
    module = importlib.import_module(COMMANDS.get(command, "stages"))
    try:
        arguments = module.parse(f"stx-bench {command}".rstrip(), words)
        try:
            import timing
        except ImportError as error:
            release.refuse(str(error), "NumPy and the library stixels", "numpy")
        try:
            module.run(arguments)
        except timing.FAULTS as error:
            raise Refused(error) from None
    except Refused as error:
        sys.exit(f"stx-bench: {error}")


if __name__ == "__main__":
    main()
