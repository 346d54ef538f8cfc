#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every block of code on the pages is run as it is printed, or stands in not_run.txt with a reason.

usage: commands.py EXAMPLES

EXAMPLES is the folder of the programs in the build.

  - sh: commands run one after the other, those of a page in the same folder, which has the files of
    samples.py. Lines of gst-launch-1.0 are run by launch_lines.py; what needs minutes runs with
    STX_ENDURANCE=full;
  - python: a block runs after the lines that stand for it in BEFORE;
  - json: is JSON. yaml: begins with "# name.yml", a file that lines of launch_lines.py use;
  - c: tests/tools/check_snippets.py compiles it;
  - a block without a language, or an indented one that begins like a command, is a fault, as is an
    entry of not_run.txt that is about nothing.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import blocks
import samples

FULL = os.environ.get("STX_ENDURANCE") == "full"
SECONDS = 1800 if FULL else 300
# The beginning of a command in an indented block.
COMMAND = re.compile(r"^ {4}(gst-\w+-1\.0|stx-|docs/\S|sudo |meson |ninja |cc |python3 |"
                     r"tests/\w+\.|examples/\S|LD_LIBRARY|STX_|import |from )", re.M)
# Code that a page expects before its Python.
BEFORE = {
    "docs/formats.md": """import numpy as np
classes, rows, columns = 3, 4, 5
data = np.zeros((2 + classes) * columns * rows, "<u2").tobytes()
""",
}


def run(command, folder):
    """The fault of a command, or None."""
    try:
        result = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command], cwd=folder,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"has not ended after {SECONDS} s"
    if result.returncode == 0:
        return None
    return f"exit status {result.returncode}: {result.stdout[-2000:]}"


def run_shell(block, folder, listed):
    for command in blocks.commands(block.text):
        one = blocks.exception_of(block.page, command, listed)
        launch = command.startswith("gst-launch-1.0 ")
        if not launch and (one is None or one.full and FULL):
            yield command, run(command, folder)


def run_python(block, folder):
    text = BEFORE.get(block.page, "") + block.text
    yield block.text.split("\n")[0], run(f"python3 - <<'END'\n{text}\nEND", folder)


def parse_json(block):
    try:
        json.loads(block.text)
        yield "JSON", None
    except ValueError as fault:
        yield "JSON", str(fault)


def is_file(block):
    yield "YAML", None if re.match(r"# \w+\.yml\n", block.text) else "begins without # name.yml"


def faults_of(block, folder, listed):
    """(what, fault or None) of each thing that a block has to run."""
    one = blocks.exception_of(block.page, block.text, listed)
    if block.language != "sh" and one is not None and not (one.full and FULL):
        return []
    return {
        "sh": lambda: run_shell(block, folder, listed),
        "python": lambda: run_python(block, folder),
        "json": lambda: parse_json(block),
        "yaml": lambda: is_file(block),
        "c": lambda: [],
    }.get(block.language, lambda: [(block.text.split("\n")[0],
                                    f"nothing runs '{block.language}': see not_run.txt")])()


def check_list(listed):
    """Entries that are about nothing."""
    texts = {}
    for path in blocks.pages():
        for block in blocks.blocks(path):
            found = blocks.commands(block.text) if block.language == "sh" else [block.text]
            texts.setdefault(block.page, []).extend(found)
    for one in listed:
        if not any(text.startswith(one.begins) for text in texts.get(one.page, [])):
            yield f"not_run.txt: nothing on {one.page} begins with: {one.begins}"


def check_indented():
    for path in blocks.pages():
        text = blocks.FENCED.sub("", path.read_text(encoding="utf-8"))
        for found in COMMAND.finditer(text):
            yield f"{path.relative_to(blocks.ROOT)}: no fence around: {found[0].strip()}"


def prepare(folder, examples):
    samples.make(folder)
    os.symlink(blocks.ROOT / "examples", f"{folder}/examples")
    os.environ["PATH"] = f"{examples}:{os.environ['PATH']}"


def main():
    listed = list(blocks.exceptions())
    faults = [*check_list(listed), *check_indented()]
    ran = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder, pathlib.Path(sys.argv[1]).resolve())
        for path in blocks.pages():
            for block in blocks.blocks(path):
                for what, fault in faults_of(block, folder, listed):
                    ran += 1
                    where = f"{block.page}:{block.line}"
                    print(f"{'FAILED' if fault else 'ran'}: {where}: {what[:110]}")
                    faults += [f"{where}: {what}\n{fault}"] if fault else []
    print("\n".join(faults) or f"{ran} blocks and commands ran, {len(listed)} are listed")
    return 1 if faults or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
