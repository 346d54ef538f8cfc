#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every source file is as clang-format 14 leaves it; other versions format otherwise.

usage: check_format.py [SOURCE_ROOT]

Exit status 77, skipped, where there is no clang-format 14. `clang-format -i FILE` mends a file.
"""
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
VERSION = "14"
SOURCES = {".c", ".h", ".cu", ".cuh", ".cc"}
FOLDERS = ("common", "cuda", "gst", "examples", "tests")


def find_program():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        try:
            text = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
        except OSError:
            continue
        if re.search(rf"version {VERSION}\.", text):
            return name
    return None


def main():
    here = pathlib.Path(__file__).resolve().parents[2]
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else here
    program = find_program()
    if program is None:
        print(f"no clang-format {VERSION} here")
        return SKIPPED
    files = sorted(str(path.relative_to(root)) for folder in FOLDERS
                   for path in (root / folder).rglob("*") if path.suffix in SOURCES)
    if not files:
        print(f"no sources in {root}")
        return 1
    return subprocess.run([program, "--dry-run", "-Werror", *files], cwd=root).returncode


if __name__ == "__main__":
    sys.exit(main())
