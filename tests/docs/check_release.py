#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A release is one version everywhere, its history can be read, and public CI runs this tree's
scripts.

usage: check_release.py              checks
       check_release.py --set X.Y.Z  writes the version to all places but NEWS.md

Checks those of the last hundred commits that were written after SINCE; without git, as in an
archive, none. The workflow is compared with GitHub's schema where check-jsonschema is
(STX_JSONSCHEMA has its folder, or it is on the PATH).
"""
import email.utils
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SINCE = 1796083200  # December 2026; a commit's name would change when it is rebased
WORKFLOW = ".github/workflows/ci.yml"
CHANGELOG = "examples/packaging/debian/changelog"
SYMBOLS = "examples/packaging/debian/libstixels0.symbols"  # under the version's first two numbers
# Where the version stands.
PLACES = {
    "meson.build": r"^  version: '(.*?)'",
    "examples/shared/release.py": r"^VERSION = \"(.*?)\"",
    CHANGELOG: r"\Agst-stixels \((.*?)-\d+\)",
    "NEWS.md": r"\A# News\n\n## (\S+)",
}


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def version_faults():
    found = {}
    for name, pattern in PLACES.items():
        match = re.search(pattern, read(name), re.M)
        found[name] = match[1] if match else None
    if len(set(found.values())) != 1 or None in found.values():
        yield f"versions differ: {found}"
    elif f"(symver)STIXELS_{found[CHANGELOG].rpartition('.')[0]} " not in read(SYMBOLS):
        yield f"{SYMBOLS} names another version than {found[CHANGELOG]}: no package can be built"


def set_version(version):
    for name in ("meson.build", "examples/shared/release.py"):
        text = read(name)
        place = re.search(PLACES[name], text, re.M)
        (ROOT / name).write_text(text[:place.start(1)] + version + text[place.end(1):],
                                 encoding="utf-8")
    (ROOT / SYMBOLS).write_text(
        re.sub(r"STIXELS_.*", f"STIXELS_{version.rpartition('.')[0]} {version}", read(SYMBOLS)),
        encoding="utf-8")
    old = read(CHANGELOG)
    maintainer = re.search(r"^ -- (.*?)  ", old, re.M)[1]
    entry = (f"gst-stixels ({version}-1) unstable; urgency=medium\n\n  * See NEWS.md.\n\n"
             f" -- {maintainer}  {email.utils.formatdate(localtime=False)}\n\n")
    (ROOT / CHANGELOG).write_text(entry + old, encoding="utf-8")


def commit_faults(text):
    """`text`: parents, subject and body of a commit, a line each, the body last."""
    name, parents, subject, body = text.split("\n", 3)
    if " " in parents.strip():
        yield f"{name} is a merge: rebase"
    if not re.match(r"[a-zA-Z0-9][\w ,./+-]*: \S", subject) or len(subject) > 76:
        yield f"{name} has no subject 'area: what it does' of at most 76 letters: {subject}"
    if re.search(r"\bwip\b", subject, re.I):
        yield f"{name} is unfinished: {subject}"
    if not body.strip():
        yield f"{name} has no body that says why: {subject}"


def history_faults():
    if shutil.which("git") is None:
        return
    log = subprocess.run(["git", "log", "-100", "-z", "--format=%at%n%h%n%p%n%s%n%b"],
                         cwd=ROOT, capture_output=True, text=True)
    for text in filter(None, log.stdout.split("\0")):
        date, text = text.split("\n", 1)
        if int(date) >= SINCE:
            yield from commit_faults(text)


def schema_faults():
    program = shutil.which("check-jsonschema", path=os.environ.get("STX_JSONSCHEMA") or None)
    if program is None:
        return
    result = subprocess.run([program, "--builtin-schema", "vendor.github-workflows", WORKFLOW],
                            cwd=ROOT, capture_output=True, text=True, env=os.environ | {
                                "PYTHONPATH": str(pathlib.Path(program).parents[1])})
    if result.returncode != 0:
        yield f"{WORKFLOW}: {result.stdout}{result.stderr}"


def workflow_faults():
    commands = re.findall(r"^ *- run: (\S+)", read(WORKFLOW), re.M)
    if not commands:
        yield f"{WORKFLOW} runs nothing"
    for command in commands:
        if not os.access(ROOT / command, os.X_OK):
            yield f"{WORKFLOW}: '{command}' is no script of this tree"
    yield from schema_faults()


def main():
    if sys.argv[1:2] == ["--set"] and len(sys.argv) == 3:
        set_version(sys.argv[2])
        return 0
    if len(sys.argv) > 1:
        print(__doc__, file=sys.stderr)
        return 2
    faults = [*version_faults(), *history_faults(), *workflow_faults()]
    print("\n".join(faults) or "one version, a readable history, and a workflow that runs scripts")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
