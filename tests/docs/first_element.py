#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/first-element.md adds an element, as printed, to a copy of the tree.

usage: first_element.py BUILD

The compiler takes the objects of the build for the sources of which the page changes nothing.
"""
import configparser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import blocks

PAGE = blocks.ROOT / "docs/first-element.md"
# Its arguments end with … -o OBJECT -c SOURCE. The plugin's entry expands the list of elements.
COMPILER = """#!/bin/sh
for source; do object=$before before=$last last=$source; done
case $source in
  */plugin.c) ;;
  *.c) ln "$BUILD/$object" "$object" 2>/dev/null && exit ;;
esac
exec $COMPILER "$@"
"""


def main():
    source, commands = blocks.blocks(PAGE)
    name = re.search(r"this one is `(.*?)`", PAGE.read_text(encoding="utf-8"))[1]
    build = pathlib.Path(sys.argv[1]).resolve()
    options = configparser.ConfigParser(interpolation=None)
    options.read(build / "meson-private/cmd_line.txt")
    # The page's `meson setup build` finds a folder like the one of which the objects are.
    without = dict.fromkeys(("cuda", "docs", "examples", "introspection", "tests"), "disabled")
    setup = " ".join(f"'-D{key}={value}'" for key, value in (dict(options["options"]) |
                                                             without).items())
    with tempfile.TemporaryDirectory(dir=build) as folder:
        folder = pathlib.Path(folder)
        for path in blocks.ROOT.iterdir():
            if not path.name.startswith((".", "build")):
                (folder / path.name).symlink_to(path)
        (folder / "gst").unlink()
        shutil.copytree(blocks.ROOT / "gst", folder / "gst")
        (folder / name).write_text(source.text, encoding="utf-8")
        compiler = folder / "compiler"
        compiler.write_text(COMPILER)
        compiler.chmod(0o755)
        return subprocess.run(["bash", "-e"], text=True, cwd=folder,
                              input=f"meson setup build {setup} >setup.txt\n{commands.text}",
                              env=os.environ | {"BUILD": str(build), "CC": str(compiler),
                                                "COMPILER": os.environ.get("CC", "cc"),
                                                "GST_REGISTRY": f"{folder}/registry"}).returncode


if __name__ == "__main__":
    sys.exit(main())
