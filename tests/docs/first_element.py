#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/first-element.md adds an element, as printed, to a copy of the tree."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import blocks

PAGE = blocks.ROOT / "docs/first-element.md"
# The page's `meson setup build` finds a folder that is quick to build.
SETUP = ("meson setup build -Dauto_features=disabled -Dcpu-variants=base -Doptimization=0 "
         "-Ddebug=false >setup.txt\n")


def main():
    source, commands = blocks.blocks(PAGE)
    name = re.search(r"this one is `(.*?)`", PAGE.read_text(encoding="utf-8"))[1]
    if shutil.which("ccache"):
        os.environ["CC"] = "ccache cc"
    with tempfile.TemporaryDirectory() as folder:
        for path in blocks.ROOT.iterdir():
            if not path.name.startswith((".", "build")):
                (pathlib.Path(folder) / path.name).symlink_to(path)
        (pathlib.Path(folder) / "gst").unlink()
        shutil.copytree(blocks.ROOT / "gst", pathlib.Path(folder) / "gst")
        (pathlib.Path(folder) / name).write_text(source.text, encoding="utf-8")
        return subprocess.run(["bash", "-e"], input=SETUP + commands.text, text=True, cwd=folder,
                              env=os.environ | {"GST_REGISTRY": f"{folder}/registry"}).returncode


if __name__ == "__main__":
    sys.exit(main())
