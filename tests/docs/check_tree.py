#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds the source tree to the rules of CONTRIBUTING.md.

usage: check_tree.py [SOURCE_ROOT]

  - layers: common/ includes nothing of cuda/, gst/, GLib or GStreamer, cuda/ nothing of gst/, GLib
    or GStreamer, and none of the three anything of tests/ or examples/;
  - no circle of includes in common/, cuda/ and gst/, neither among units (name.c with name.h,
    name_private.h and name_math.h) nor among folders;
  - no line of code or prose above 100 columns.

A file above 700 lines is printed: whether it should be cut is for a reader to judge.
"""
import collections
import pathlib
import re
import sys

MOST_LINES, MOST_COLUMNS = 700, 100

# The headers in which another compiler than nvcc finds the language; tests alone compile it so.
EXCEPTIONS = {("gpu.cuh", "emu.h")}

SOURCES = {".c", ".h", ".cu", ".cuh", ".cc"}
OTHER_CODE = {".in", ".py", ".sh", ".build"}
FOLDERS = ("common", "cuda", "gst", "examples", "tests", "docs")
FOREIGN = re.compile(r"(glib|gobject|gio|gmodule|gst)(/|\.h$|-)")
FORBIDDEN = {
    "common": re.compile(r"(cuda|gst|tests|examples)/|cuda\w*\.h$"),
    "cuda": re.compile(r"(gst|tests|examples)/"),
    "gst": re.compile(r"(tests|examples)/"),
}

Include = collections.namedtuple("Include", "file line target system")


def files_of(root):
    """All text files that people write, as paths relative to the root."""
    found = [path for path in root.iterdir() if path.is_file()]
    for folder in FOLDERS:
        found += (root / folder).rglob("*")
    kinds = SOURCES | OTHER_CODE | {".md"}
    return sorted(path.relative_to(root) for path in found
                  if path.is_file() and (path.suffix in kinds or path.name == "meson_options.txt"))


def includes_of(root, path):
    text = (root / path).read_text(encoding="utf-8")
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield Include(path, number, match[2], match[1] == "<")


# ---- Layers -------------------------------------------------------------------------------------

def check_layers(includes):
    for include in includes:
        layer = include.file.parts[0]
        foreign = layer in ("common", "cuda") and include.system and FOREIGN.match(include.target)
        # <gst/…> is GStreamer's in gst/; our own files are included in quotes.
        ours = layer != "gst" or not include.system
        excepted = (include.file.name, include.target.split("/")[-1]) in EXCEPTIONS
        forbidden = ours and layer in FORBIDDEN and FORBIDDEN[layer].match(include.target)
        if (foreign or forbidden) and not excepted:
            yield f"{include.file}:{include.line}: {layer}/ may not include {include.target}"


# ---- Circles ------------------------------------------------------------------------------------

def unit_name(path):
    return re.sub(r"_(private|math)$", "", path.with_suffix("").as_posix())


def folder_name(path):
    return path.parent.as_posix()


def named(files, name):
    """{file: the unit or folder it belongs to} for the files that may not form circles."""
    return {path: name(path) for path in files
            if path.suffix in SOURCES and path.parts[0] in ("common", "cuda", "gst")}


def edges_between(includes, unit_of):
    """{unit: {unit it includes: the first place where}}."""
    edges = collections.defaultdict(dict)
    for include in includes:
        source = unit_of.get(include.file)
        target = unit_of.get(pathlib.Path(include.target)) or unit_of.get(
            include.file.parent / include.target)
        if source and target and source != target:
            edges[source].setdefault(target, include)
    return edges


def reachable(edges, start):
    seen, todo = set(), [start]
    while todo:
        for target in edges.get(todo.pop(), ()):
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def circles(edges):
    """Sets of units of which each includes each, in the end."""
    reach = {unit: reachable(edges, unit) for unit in edges}
    groups = {frozenset(other for other in reach[unit] if unit in reach.get(other, ()))
              for unit in edges if unit in reach[unit]}
    return sorted(groups, key=sorted)


def shortest_way(edges, start):
    """The includes from a unit back to itself."""
    ways = collections.deque([(start, [])])
    seen = set()
    while ways:
        unit, way = ways.popleft()
        for target, include in sorted(edges.get(unit, {}).items()):
            if target == start:
                return way + [include]
            if target not in seen:
                seen.add(target)
                ways.append((target, way + [include]))
    return []


def check_circles(includes, unit_of):
    edges = edges_between(includes, unit_of)
    for circle in circles(edges):
        way = shortest_way(edges, min(circle))
        yield f"circle of {' '.join(sorted(circle))}:" + "".join(
            f"\n    {include.file}:{include.line} includes {include.target}" for include in way)


# ---- Sizes --------------------------------------------------------------------------------------

def check_sizes(root, files):
    for path in files:
        if path.suffix == ".md":
            continue
        lines = (root / path).read_text(encoding="utf-8").split("\n")
        count = len(lines) - (lines[-1] == "")
        if path.name != "meson.build" and count > MOST_LINES:
            print(f"large: {path}: {count} lines")
        for number, line in enumerate(lines, 1):
            if len(line) > MOST_COLUMNS:
                yield f"{path}:{number}: {len(line)} columns, at most {MOST_COLUMNS}"


def prose_lines(text):
    """Numbered lines of a page outside of code blocks and tables."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    ") and not line.lstrip().startswith("|"):
            yield number, line


def check_prose(root, files):
    for path in files:
        if path.suffix != ".md":
            continue
        for number, line in prose_lines((root / path).read_text(encoding="utf-8")):
            # Text that cannot be wrapped, an address or a picture, may be longer.
            words = re.sub(r"\]\([^)]*\)|<[^>]*>|https?://\S+", "", line)
            if len(line) > MOST_COLUMNS and len(words) > MOST_COLUMNS:
                yield f"{path}:{number}: {len(line)} columns of prose, at most {MOST_COLUMNS}"


def main():
    here = pathlib.Path(__file__).resolve().parents[2]
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else here
    files = files_of(root)
    includes = [include for path in files if path.suffix in SOURCES
                for include in includes_of(root, path)]
    bad = [*check_layers(includes), *check_circles(includes, named(files, unit_name)),
           *check_circles(includes, named(files, folder_name)), *check_sizes(root, files),
           *check_prose(root, files)]
    print("\n".join(bad) if bad else f"{len(files)} files keep the rules")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
