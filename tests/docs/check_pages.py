#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds the pages of docs/ to what the plugin does.

  - every property of an element is on its page docs/elements/<factory>.md, with the range, unit,
    choices and default that gst-inspect-1.0 shows, and the page has no others; so are its pads,
    signals and actions; a property of a child of the bin is one of the child's;
  - the Python example of docs/formats.md and examples/read_stixels.py read what the line beside
    the example writes (where NumPy is installed);
  - so does that of docs/cameras.md;
  - settings that, as a page says, keep the picture as it came, change no byte of it.
"""
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What examples/read_stixels.py says of each of three frames.
NEAREST = r"(?:.*nearest object [\d.]+ {} in column \d+\n?){{3}}"
# What base classes bring and our pages do not repeat.
INHERITED = {"name", "parent", "qos", "emit-signals", "latency", "min-upstream-latency",
             "start-time", "start-time-selection", "blocksize", "num-buffers", "do-timestamp",
             "typefind", "automatic-eos", "async-handling", "message-forward",
             "samples-selected"}


def run(command, folder=None):
    """Exit status and output of a shell command that must end within a minute."""
    result = subprocess.run(["timeout", "60", "bash", "-o", "pipefail", "-c", command], cwd=folder,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return result.returncode, result.stdout


# What the texts of gst-inspect-1.0 call a unit, and how the pages write it. "500 metres" in a text
# is a length, not the unit of the property.
UNITS = [("nats per pixel", "nat/px"), ("pixels per row", "px/row"), ("square metres", "m²"),
         ("m/s", "m/s"), ("rad/s", "rad/s"), ("bits", "bits"), ("pixels", "px"),
         ("metres", "m"), ("radians", "rad"), ("degrees", "°"), ("nats", "nat"), ("percent", "%"),
         ("milliseconds", "ms"), ("gray levels", "gray levels"), ("grey levels", "grey levels")]
LARGEST = {"2147483647", "2147483647/1"}


def plain(text):
    """The same for any way to write a number or a unit."""
    text = text.replace("−", "-").replace(" °", "°")
    return re.sub(r"-?(\d+\.?\d*|\.\d+)", lambda number: f"{float(number[0]):.7g}", text)


def ticked(words):
    return ", ".join(f"`{word}`" for word in words)


def span(low, high, unit=""):
    """A range as pages write it: "0 … 10 m", "-1 …"."""
    return f"{low} …" if high in LARGEST else f"{low} … {high}{unit and ' ' + unit}"


def type_and_range(body):
    """What a page says of a property with this description in gst-inspect-1.0; None: nothing."""
    if "readable, writable" not in body:
        return "read-only"
    if "Integer64. Range" in body:
        return "nanoseconds"
    for word, text in (("Boolean.", "boolean"), ("Address of", "text"),
                       ("String. Default: null", "file name"), ("String.", "text")):
        if word in body:
            return text
    if 'Flags "' in body:
        return "flags " + ticked(re.findall(r"^ +\(0x[0-9a-f]+\): (\S+)", body, re.M))
    if 'Enum "' in body:
        return ticked(re.findall(r"^ +\(-?\d+\): (\S+)", body, re.M))
    found = re.search(r"Fraction\. Range: +(\S+) - (\S+)", body)
    if found:
        return span(*found.groups())
    found = re.search(r"\. Range: +(\S+) - +(\S+)", body)
    unit = next((unit for word, unit in UNITS
                 if re.search(rf"(?<!\d )\b{word}", body.split("\n")[0], re.I)), "")
    return found and span(*found.groups(), unit)


def default_of(body):
    default = re.search(r"Default: +(?:(?:-?\d+|0x[0-9a-f]+), )?(\"[^\"]*\"|\S+)", body)
    value = default[1].strip('"') if default and "readable, writable" in body else None
    return None if value in ("null", "") else value


@functools.cache
def inspected(factory):
    """What gst-inspect-1.0 says of an element, or of the plugin."""
    status, text = run(f"gst-inspect-1.0 --no-colors {factory}")
    if status != 0:
        sys.exit(f"no element {factory}:\n{text}")
    return text


def section_of(factory, heading):
    """The lines under a heading that begins at the margin, up to the next."""
    found = re.search(rf"^{heading}:\n(.*?)(?=^[A-Z]|\Z)", inspected(factory), re.M | re.S)
    return found[1] if found else ""


def inspect(factory):
    """{property: (type and range, default or None, its text)} of an element."""
    found = re.findall(r"^  ([a-z0-9-]+) *: (.*)((?:\n {6,}.*)*)",
                       section_of(factory, "Element Properties"), re.M)
    return {name: (type_and_range(text + body), default_of(text + body), text)
            for name, text, body in found}


def same(shown, actual):
    """Flags may stand in any order."""
    try:
        return abs(float(shown) - float(actual)) < 1e-6
    except ValueError:
        return set(shown.split("+")) == set(actual.split("+"))


def each(cell, separator, names):
    """A cell's entries, one for each name; a single one is that of all."""
    entries = cell.split(separator)
    return entries if len(entries) == len(names) else [cell] * len(names)


def documented(page):
    """{property: (type and range, default or "")} of the table under "Properties"."""
    section = re.search(r"^## Properties\n(.*?)(?=^## |\Z)", page, re.M | re.S)
    found = {}
    for row in re.findall(r"^\| (`.*)\|$", section[1] if section else "", re.M):
        cells = [cell.strip().replace("−", "-") for cell in row.split("|")]
        names = re.findall(r"`([^`]*)`", cells[0])
        defaults = [value.strip("` ") for value in each(cells[2], ", ", names)]
        found.update(zip(names, zip(each(cells[1], "; ", names), defaults)))
    return found


def check_properties(factory, page):
    actual, shown = inspect(factory), documented(page)
    faults = [f"{factory}: property {name} is not on its page"
              for name in actual.keys() - shown.keys() - INHERITED]
    faults += [f"{factory}: there is no property {name}" for name in shown.keys() - actual.keys()]
    faults += [f"{factory}: property {name} says nothing of itself"
               for name, (_, _, text) in actual.items() if len(text.strip()) < 8]
    for name in shown.keys() & actual.keys():
        (page_range, page_default), (our_range, our_default, _) = shown[name], actual[name]
        if plain(page_range) != plain(our_range or ""):
            faults.append(f"{factory}: {name} is '{page_range}' on the page, '{our_range}' in the "
                          "element")
        if page_default != (our_default or "") and not same(page_default, our_default or ""):
            faults.append(f"{factory}: the default of {name} is '{page_default}' on the page, "
                          f"'{our_default}' in the element")
    return faults


def check_elements(pages):
    """Every element of the plugin has a page, and every page an element."""
    features = re.findall(r"^  ([a-z0-9-]+): ", inspected("stixels"), re.M)
    ours = {name for name in features  # and no typefinder
            if "Element Properties:" in run(f"gst-inspect-1.0 --no-colors {name}")[1]}
    named = {path.stem for path in pages}
    return [f"{name}: no page docs/elements/{name}.md" for name in ours - named] + [
        f"docs/elements/{name}.md: no such element" for name in named - ours]


def check_names(factory, page):
    """Pads, signals and actions are on the page, each as `name`."""
    pads = re.findall(r"^  (?:SRC|SINK) template: '([^']+)'", section_of(factory, "Pad Templates"),
                      re.M)
    signals = [name for heading in ("Element Signals", "Element Actions")
               for name in re.findall(r'^  "([a-z0-9-]+)" ', section_of(factory, heading), re.M)]
    return [f"{factory}: {what} {name} is not on its page"
            for what, names in (("pad", pads), ("signal", signals))
            for name in names if name not in INHERITED and f"`{name}`" not in page]


def check_children():
    """What pages say with child::property of the bin is a property of that child."""
    page = (ROOT / "docs/elements/stereo-stixels.md").read_text()
    table = re.search(r"^\| child \| is \|\n.*?(?=\n\n)", page, re.M | re.S)[0]
    children = {}
    for row in table.split("\n")[2:]:
        names, elements = (re.findall(r"`([^`]*)`", cell) for cell in row.split("|")[1:3])
        children.update(zip(names, elements if len(elements) == len(names)
                            else elements[:1] * len(names)))
    for path in sorted(ROOT.glob("docs/**/*.md")):
        for child, name in re.findall(r"\b([a-z-]+)::([a-z][a-z0-9-]*)", path.read_text()):
            if child in children and name not in inspect(children[child]):
                yield f"{path.name}: {child}::{name}: {children[child]} has no such property"


def check_python(folder):
    if run(f"{sys.executable} -c 'import numpy'")[0] != 0:
        print("skipped: no NumPy for the examples in Python")
        return []
    page = (ROOT / "docs/formats.md").read_text()
    pathlib.Path(folder, "example.py").write_text(block("formats.md", "python", "import numpy"))
    status, output = run(re.search(r"^(gst-launch-1.0 street-.*)$", page, re.M)[1], folder)
    faults = [] if status == 0 else [output]
    status, output = run(
        "gst-launch-1.0 street-scene-src view=disparity num-buffers=3 ! downsample-transpose ! "
        "sat-dp-stixels ! stixel-json ! filesink location=stixels.jsonl", folder)
    faults += [] if status == 0 else [output]
    reader = f"{ROOT}/examples/read_stixels.py"
    for command, expected in (
            ("example.py", r"\d"),
            (f"{reader} frame-*.stixels", NEAREST.format("px")),
            (f"{reader} --camera stixels.jsonl frame-*.stixels", NEAREST.format("m")),
            (f"{reader} stixels.jsonl", NEAREST.format("m"))):
        status, output = run(f"{sys.executable} {command}", folder)
        if status != 0 or not re.search(expected, output):
            faults.append(f"{command}: {output}")
    for command, expected in ((f"{reader} --camera frame-000.stixels frame-000.stixels", "no line"),
                              (f"{reader} missing.jsonl", "missing.jsonl")):
        status, output = run(f"{sys.executable} {command}", folder)
        if status != 1 or expected not in output or "Traceback" in output:
            faults.append(f"{command}: {output}")
    return faults


def block(page, kind, word):
    """The first block of code of that kind on a page of docs/ with that word in it."""
    blocks = re.findall(rf"^```{kind}\n(.*?)^```", (ROOT / "docs" / page).read_text(), re.S | re.M)
    return next(text for text in blocks if word in text)


def check_metres(folder):
    """What docs/cameras.md makes of lines of JSON."""
    status, output = run(block("elements/stereo-stixels.md", "sh", "location=stixels.json"), folder)
    pathlib.Path(folder, "nearest.py").write_text(block("cameras.md", "python", "stixels.json"))
    found = run(f"{sys.executable} nearest.py", folder)[1]
    places = re.findall(r"^\d+\.\d m ahead, [-+]\d+\.\d m to the right, \d\.\d m high$", found,
                        re.M)
    return [] if status == 0 and len(places) == 20 else [f"docs/cameras.md: {output}{found}"]


def check_untouched(folder):
    """What pages set where a picture is to stay as it came."""
    street = "street-scene-src view={} num-buffers=1 ! video/x-raw,format=RGB,width=320,height=96"
    said = {settings for path in ROOT.glob("docs/**/*.md") for settings in re.findall(
        r"`([^`]*)`\s+keeps\s+the\s+picture\s+as\s+it\s+came", path.read_text())}
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
        pages = sorted((ROOT / "docs/elements").glob("*.md"))
        faults += [] if pages else [f"no pages in {ROOT}/docs/elements"]
        for path in pages:
            faults += check_properties(path.stem, path.read_text())
            faults += check_names(path.stem, path.read_text())
        faults += check_elements(pages)
        faults += check_children()
        faults += check_python(folder)
        faults += check_metres(folder)
        faults += check_untouched(folder)
    print("\n".join(faults) or "all pages hold")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
