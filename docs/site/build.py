#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages and the public headers as a site: what `ninja -C build site` and `sites` run.

usage: build.py [--test | --tags] SOURCE_ROOT FOLDER VERSION HEADER...

FOLDER/index.html is the README. A HEADER is one of common/, whose programs write
<stixels/name.h>; those of gst/stixels/ are all taken. A link to a page, an anchor or a picture that
is not there is an error, and so is a page that docs/index.md does not lead to. Without Sphinx
nothing is made (with --test the exit status is 77).

With --tags, FOLDER/VERSION is this tree, and FOLDER/X.Y.Z that of each tag vX.Y.Z of the
repository; every page names its version and links to the same page of the others. FOLDER/index.html
leads to the newest release.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import api

HERE = pathlib.Path(__file__).resolve().parent
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


def make(source, site, version, headers, versions, strict=True, only=()):
    """The exit status of Sphinx; `versions` are {version: its pages}, newest first. With `only` all
    is checked, and these pages are written."""
    folder = site.with_name(site.name + "-source")
    stage(source, folder)
    shutil.rmtree(site, ignore_errors=True)
    headers = [path for path in headers if (source / path).exists()]
    headers += sorted(str(path.relative_to(source)) for path in (source / "gst/stixels").glob("*.h")
                      if "private" not in path.name)
    pages = write_headers(source, folder, headers)
    os.environ["STX_SOURCE"] = str(source)
    os.environ["STX_VERSION"] = version
    os.environ["STX_VERSIONS"] = json.dumps(versions)
    os.environ["STX_HEADERS"] = " ".join(f"{key}={value}" for key, value in pages.items())
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-c", HERE, "-d", str(site) + "-cache", "-b"]
    result = subprocess.run([*sphinx, "dummy" if only else "html", "-E", "-a",
                             *(["-W", "--keep-going"] if strict else []), folder, site])
    if only and result.returncode == 0:
        result = subprocess.run([*sphinx, "html", folder, site,
                                 *(folder / f"{page}.md" for page in only)])
    if result.returncode == 0:
        shutil.copy(site / "README.html", site / "index.html")
        print(f"{site}/index.html")
    return result.returncode


def git(source, *words):
    return subprocess.run(["git", "-C", source, *words], check=True, stdout=subprocess.PIPE).stdout


def releases(source):
    """{version: its tag}, newest first."""
    tags = git(source, "tag", "--sort=-v:refname").decode().split()
    return {tag[1:]: tag for tag in tags if re.fullmatch(r"v\d[\d.]*", tag)}


def pages_of(source, tree):
    names = git(source, "ls-tree", "-r", "--name-only", tree).decode().split("\n")
    return [name[:-3] for name in names if name.endswith(".md")]


def make_all(source, folder, version, headers):
    """This tree beside the releases; an old page may have faults that are errors here."""
    tags = releases(source)
    tags.pop(version, None)
    versions = {version: pages_of(source, "HEAD")}
    versions |= {name: pages_of(source, tag) for name, tag in tags.items()}
    status = make(source, folder / version, version, headers, versions)
    for name, tag in tags.items():
        with tempfile.TemporaryDirectory() as place:
            subprocess.run(["tar", "-x", "-C", place], check=True,
                           input=git(source, "archive", tag))
            status = make(pathlib.Path(place), folder / name, name, headers, versions, False) \
                or status
    for name in versions:
        for rest in ("-source", "-cache"):
            shutil.rmtree(folder / (name + rest), ignore_errors=True)
    (folder / "index.html").write_text(
        f'<meta http-equiv="refresh" content="0; url={next(iter(tags), version)}/index.html">\n')
    return status


def main():
    test, tags = "--test" in sys.argv, "--tags" in sys.argv
    source, site, version, *headers = [word for word in sys.argv[1:] if word[:2] != "--"]
    if not have_generator():
        print(f"no site: {sys.executable} has not all of {', '.join(NEEDED)}; install {PACKAGES}")
        return 77 if test else 0
    source, site = pathlib.Path(source).resolve(), pathlib.Path(site).resolve()
    if tags:
        return make_all(source, site, version, headers)
    if not test:
        return make(source, site, version, headers, {version: []})
    site = site.with_name("site-test")  # what is in the other is installed
    links = {"docs/install": "../../0.0.1/docs/install.html",
             "docs/python": "../../0.0.1/index.html", "README": "../0.0.1/index.html"}
    status = make(source, site, version, headers, {version: [], "0.0.1": ["docs/install"]},
                  only=links)
    for page, wanted in links.items():
        if f'href="{wanted}"' not in (site / f"{page}.html").read_text():
            print(f"{page}.html has no link to {wanted}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
