#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds the pages of docs/ to what the plugin does.

  - every element has a page docs/elements/<factory>.md with a place for its tables, and each place
    is filled; a property of a child of the bin is one of the child's;
  - the Python example of docs/formats.md reads what the line beside it writes (where NumPy is
    installed);
  - so does that of docs/cameras.md;
  - settings that, as a page says, keep the picture as it came, change no byte of it.
"""
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs/site"))
import element_tables  # noqa: E402
from element_tables import run  # noqa: E402


def check_tables():
    """Each page has its own place, and what fills it names all properties that it must."""
    pages = {path.stem: [path.stem] for path in (ROOT / "docs/elements").glob("*.md")}
    for name in sorted(pages.keys() ^ set(element_tables.elements())):
        yield f"docs/elements/{name}.md: a page without an element, or the other way round"
    for name, wanted in {"../properties": list(element_tables.GROUPS), **pages}.items():
        text = (ROOT / f"docs/elements/{name}.md").read_text(encoding="utf-8")
        if element_tables.PLACE.findall(text) != wanted:
            yield f"{name}.md: must have the places of {wanted}"
    for name in element_tables.elements():
        filled = element_tables.tables(name)
        common = element_tables.shared()
        yield from (f"{name}: its table lacks {own}"
                    for own, one in element_tables.properties(name).items()
                    if common.get(own) != one and f"`{own}" not in filled)


def check_texts():
    """Every property says what it is for."""
    return [f"{factory}: property {name} says nothing of itself"
            for factory in element_tables.elements()
            for name, one in element_tables.properties(factory).items() if len(one.text) < 8]


def check_children():
    """Every child::property of the bin on the pages is a property of that child."""
    page = (ROOT / "docs/elements/stereo-stixels.md").read_text()
    table = re.search(r"^\| child \| is \|\n.*?(?=\n\n)", page, re.M | re.S)[0]
    children = {}
    for row in table.split("\n")[2:]:
        names, elements = (re.findall(r"`([^`]*)`", cell) for cell in row.split("|")[1:3])
        children.update(zip(names, elements if len(elements) == len(names)
                            else elements[:1] * len(names)))
    for path in sorted(ROOT.glob("docs/**/*.md")):
        for child, name in re.findall(r"\b([a-z-]+)::([a-z][a-z0-9-]*)(?=[=` ])",
                                      path.read_text()):
            if child in children and name not in element_tables.properties(children[child]):
                yield f"{path.name}: {child}::{name}: {children[child]} has no such property"


def check_python(folder):
    if run(f"{sys.executable} -c 'import numpy'")[0] != 0:
        print("skipped: no NumPy for the examples in Python")
        return []
    page = (ROOT / "docs/formats.md").read_text()
    pathlib.Path(folder, "example.py").write_text(block("formats.md", "python", "import numpy"))
    status, output = run(re.search(r"^(gst-launch-1.0 street-.*)$", page, re.M)[1], folder)
    faults = [] if status == 0 else [output]
    status, output = run(f"{sys.executable} example.py", folder)
    if status != 0 or not re.search(r"\d", output):
        faults.append(f"example.py: {output}")
    return faults


def block(page, kind, word):
    """The first block of code of that kind on a page of docs/ with that word in it."""
    blocks = re.findall(rf"^```{kind}\n(.*?)^```", (ROOT / "docs" / page).read_text(), re.S | re.M)
    return next(text for text in blocks if word in text)


def check_metres(folder):
    """Runs the example of docs/cameras.md that reads lines of JSON."""
    status, output = run(block("elements/stereo-stixels.md", "sh", "location=stixels.json"), folder)
    pathlib.Path(folder, "nearest.py").write_text(block("cameras.md", "python", "stixels.json"))
    found = run(f"{sys.executable} nearest.py", folder)[1]
    places = re.findall(r"^\d+\.\d m ahead, [-+]\d+\.\d m to the right, \d\.\d m high$", found,
                        re.M)
    return [] if status == 0 and len(places) == 20 else [f"docs/cameras.md: {output}{found}"]


def check_untouched(folder):
    """Properties that pages set so that a picture stays unchanged."""
    street = "street-scene-src view={} num-buffers=1 ! video/x-raw,format=RGB,width=320,height=96"
    said = {settings for path in ROOT.glob("docs/**/*.md") for settings in re.findall(
        r"`([^`]*)`\s+keeps\s+the\s+picture\s+unchanged", path.read_text())}
    faults = [] if said else ["no page says how to keep the picture as it came"]
    for settings in said:
        status, output = run(
            f"gst-launch-1.0 -q {street.format('left')} ! filesink location=came && "
            f"gst-launch-1.0 -q {street.format('left')} ! stixels.sink_left "
            f"{street.format('right')} ! stixels.sink_right "
            f"stereo-stixels name=stixels {settings} ! filesink location=went", folder)
        came, went = (pathlib.Path(folder, name).read_bytes() for name in ("came", "went"))
        if status != 0 or not came or came != went:
            changed = sum(a != b for a, b in zip(came, went))
            faults.append(f"{settings}: {changed} of {len(came)} bytes are others {output}")
    return faults


def main():
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("GST_REGISTRY_1_0", os.path.join(folder, "registry"))
        faults += check_tables()
        faults += check_texts()
        faults += check_children()
        faults += check_python(folder)
        faults += check_metres(folder)
        faults += check_untouched(folder)
    print("\n".join(faults) or "all pages hold")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
