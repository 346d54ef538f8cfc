#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds the pages of docs/ to what the plugin does.

  - every property of an element is on its page docs/elements/<factory>.md, with the default that
    gst-inspect-1.0 shows, and the page has no others;
  - the Python example of docs/formats.md and examples/read_stixels.py read what the line beside
    the example writes (where NumPy is installed).
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What base classes bring and our pages do not repeat.
INHERITED = {"name", "parent", "qos", "emit-signals", "latency", "min-upstream-latency",
             "start-time", "start-time-selection", "blocksize", "num-buffers", "do-timestamp",
             "typefind", "cuda-device-id"}


def run(command, folder=None):
    """Exit status and output of a shell command that must end within a minute."""
    result = subprocess.run(["timeout", "60", "bash", "-o", "pipefail", "-c", command], cwd=folder,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return result.returncode, result.stdout


def inspect(factory):
    """{property: default as text, or None} of an element."""
    status, text = run(f"gst-inspect-1.0 --no-colors {factory}")
    if status != 0:
        sys.exit(f"no element {factory}:\n{text}")
    text = text[text.index("Element Properties:"):]
    text = re.split(r"\n\n(?=Element (?:Signals|Actions))", text)[0]
    found = {}
    for name, body in re.findall(r"^  ([a-z0-9-]+) *: (.*(?:\n {6,}.*)*)", text, re.M):
        default = re.search(r"Default: +(?:-?\d+, )?(\"[^\"]*\"|\S+)", body)
        value = default[1].strip('"') if default and "readable, writable" in body else None
        found[name] = None if value and value.startswith("0x") else value  # flags: by bits only
    return found


def same(shown, actual):
    try:
        return abs(float(shown) - float(actual)) < 1e-6
    except ValueError:
        return shown == actual


def documented(page):
    """{property: default as text, or ""} of the table under "Properties"."""
    section = re.search(r"^## Properties\n(.*?)(?=^## |\Z)", page, re.M | re.S)
    found = {}
    for row in re.findall(r"^\| (`.*)\|$", section[1] if section else "", re.M):
        cells = [cell.strip().replace("−", "-") for cell in row.split("|")]
        names = re.findall(r"`([^`]*)`", cells[0])
        defaults = [value.strip("` ") for value in cells[2].split(", ")]
        if len(defaults) != len(names):
            defaults = defaults[:1] * len(names)
        found.update(zip(names, defaults))
    return found


def check_properties(factory, page):
    actual, shown = inspect(factory), documented(page)
    faults = [f"{factory}: property {name} is not on its page"
              for name in actual.keys() - shown.keys() - INHERITED]
    faults += [f"{factory}: there is no property {name}" for name in shown.keys() - actual.keys()]
    faults += [f"{factory}: {name} is {shown[name]} on the page, {actual[name]} in the element"
               for name in shown.keys() & actual.keys()
               if shown[name] and actual[name] and not same(shown[name], actual[name])]
    return faults


def check_python(folder):
    if run(f"{sys.executable} -c 'import numpy'")[0] != 0:
        print("skipped: no NumPy for the examples in Python")
        return []
    page = (ROOT / "docs/formats.md").read_text()
    pathlib.Path(folder, "example.py").write_text(re.search(r"```python\n(.*?)```", page, re.S)[1])
    status, output = run(re.search(r"^    (gst-launch-1.0 street-.*)$", page, re.M)[1], folder)
    faults = [] if status == 0 else [output]
    for command in ("example.py", f"{ROOT}/examples/read_stixels.py frame-*.stixels"):
        status, output = run(f"{sys.executable} {command}", folder)
        if status != 0 or not re.search(r"\d", output):
            faults.append(f"{command}: {output}")
    return faults


def main():
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("GST_REGISTRY_1_0", os.path.join(folder, "registry"))
        for path in sorted((ROOT / "docs/elements").glob("*.md")):
            faults += check_properties(path.stem, path.read_text())
        faults += check_python(folder)
    print("\n".join(faults) or "all pages hold")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
