#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages and the public headers as a site: what `ninja -C build site` runs.

usage: build.py [--test] SOURCE_ROOT FOLDER VERSION HEADER...

FOLDER/index.html is the README. A HEADER is one of common/, whose programs write
<stixels/name.h>; those of gst/stixels/ are all taken. A link to a page, an anchor or a picture that
is not there is an error, and so is a page that docs/index.md does not lead to. Without Sphinx
nothing is made (with --test the exit status is 77).
"""
import os
import pathlib
import shutil
import subprocess
import sys

import api

NEEDED = ("sphinx", "myst_parser", "furo")
PACKAGES = "python3-sphinx python3-myst-parser furo"


def have_generator():
    return subprocess.run([sys.executable, "-c", "import " + ", ".join(NEEDED)],
                          capture_output=True).returncode == 0


def stage(source, folder):
    """A folder with what pages and links name, and nothing else: builds may lie in the root."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in source.iterdir():
        hidden = path.name.startswith(".") or (path / "build.ninja").exists()
        if not hidden:
            (folder / path.name).symlink_to(path)


def write_headers(source, folder, headers):
    """{header: its page} of the pages that are made."""
    pages = {}
    for path in headers:
        room = "gst" if path.startswith("gst/") else "stixels"
        include = ("gst/stixels/" if room == "gst" else "stixels/") + os.path.basename(path)
        page = pathlib.Path("api", room, os.path.basename(path)[:-2] + ".rst")
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        text = (source / path).read_text(encoding="utf-8")
        (folder / page).write_text(api.page(os.path.basename(path), include, text))
        pages[path] = str(page)
    return pages


def main():
    test = "--test" in sys.argv
    source, site, version, *headers = [word for word in sys.argv[1:] if word != "--test"]
    if not have_generator():
        print(f"no site: {sys.executable} has not all of {', '.join(NEEDED)}; install {PACKAGES}")
        return 77 if test else 0
    source, site = pathlib.Path(source).resolve(), pathlib.Path(site).resolve()
    folder = site.with_name(site.name + "-source")
    stage(source, folder)
    headers += sorted(str(path.relative_to(source)) for path in (source / "gst/stixels").glob("*.h")
                      if "private" not in path.name)
    pages = write_headers(source, folder, headers)
    os.environ["STX_VERSION"] = version
    os.environ["STX_HEADERS"] = " ".join(f"{key}={value}" for key, value in pages.items())
    result = subprocess.run(
        [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-E", "-a",
         "-c", source / "docs/site", "-d", str(site) + "-cache", folder, site])
    if result.returncode == 0:
        shutil.copy(site / "README.html", site / "index.html")
        print(f"{site}/index.html")
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
