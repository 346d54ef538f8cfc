#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares frames of what draws with checksums of those that a person has looked at.

usage: check_frames.py                 compares
       check_frames.py --write         writes the sums anew, after a look at the sheet
       check_frames.py --sheet FOLDER  writes every frame as FOLDER/NAME.png, and all of them as
                                       FOLDER/index.html

A line of frames.txt is "sum | name | pipeline", without a sink; the sum is that of the last frame's
bytes. "# NAME = …" at its head gives a name to what many lines begin with. Where a sum has changed,
look at the sheets of both versions: a change that was meant is written, any other is a fault.
"""
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

LIST = pathlib.Path(__file__).with_name("frames.txt")
AT_ONCE = 2


def read():
    """(text of the head, [sum, name, pipeline])"""
    lines = LIST.read_text(encoding="utf-8").split("\n")
    sources = dict(re.fullmatch(r"# (\w+) = (.*)", line).groups() for line in lines
                   if re.match(r"# \w+ = ", line))
    rows = [[cell.strip() for cell in line.split(" | ", 2)] for line in lines
            if line and not line.startswith("#")]
    head = "\n".join(line for line in lines if line.startswith("#"))
    return head, sources, rows


def launch(pipeline, sources, end, folder):
    """Runs a line and returns the file of the last frame."""
    for name, text in sources.items():
        pipeline = re.sub(rf"\b{name}\b", text, pipeline)
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    line = f"{pipeline} ! {end} multifilesink location={folder}/%05d"
    result = subprocess.run(f"gst-launch-1.0 -q {line}", shell=True, capture_output=True, text=True)
    frames = sorted(pathlib.Path(folder).glob("*"))
    if result.returncode != 0 or not frames:
        raise RuntimeError(f"{line}: {result.stdout}{result.stderr}")
    return frames[-1]


def sum_of(row, sources, folder):
    frame = launch(row[2], sources, "", f"{folder}/{row[1]}")
    return hashlib.sha256(frame.read_bytes()).hexdigest()[:16]


def write_sheet(rows, sources, folder):
    page = ["<meta charset=utf-8><style>img{max-width:32%;margin:2px}</style>"]
    for _, name, pipeline in rows:
        with tempfile.TemporaryDirectory() as scratch:
            frame = launch(pipeline, sources, "videoconvert ! pngenc !", scratch)
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            pathlib.Path(folder, f"{name}.png").write_bytes(frame.read_bytes())
        page.append(f"<img src={name}.png title='{name}'>")
    pathlib.Path(folder, "index.html").write_text("\n".join(page), encoding="utf-8")


def main():
    head, sources, rows = read()
    if sys.argv[1:2] == ["--sheet"]:
        return write_sheet(rows, sources, sys.argv[2])
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        sums = list(pool.map(lambda row: sum_of(row, sources, folder), rows))
    if sys.argv[1:] == ["--write"]:
        lines = [" | ".join([found, *row[1:]]) for found, row in zip(sums, rows)]
        LIST.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
        return 0
    changed = [row[1] for found, row in zip(sums, rows) if found != row[0]]
    print(f"{len(changed)} of {len(rows)} frames have changed")
    if changed:
        print(f"look at {', '.join(changed)}: check_frames.py --sheet FOLDER, then --write")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
