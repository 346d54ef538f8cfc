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
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

Gst.init(None)

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


def with_recordings(sources, folder):
    """`sources`, with what takes longest to draw, and many lines begin with, in files."""
    pictures = {f"PICTURE ! {size}": f"{sources['PICTURE']} ! {sources[size]}"
                for size in ("SMALL", "HALF")}
    recorded = {**pictures, **{name: sources[name] for name in ("DISPARITY", "FEWER", "SWEEP")}}
    for number, (name, text) in enumerate(recorded.items()):
        path = f"{folder}/{number}"
        line = Gst.parse_launch(f"{text} ! gdppay ! filesink location={path}")
        line.set_state(Gst.State.PLAYING)
        line.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE,
                                          Gst.MessageType.EOS | Gst.MessageType.ERROR)
        line.set_state(Gst.State.NULL)
        recorded[name] = f"filesrc location={path} ! gdpdepay"
    return {**pictures, **sources, **recorded}


def last_frame(pipeline, sources, end=""):
    """The bytes of a line's last frame, behind elements `end`."""
    for name, text in sources.items():
        pipeline = re.sub(rf"\b{name}\b", text, pipeline)
    line = Gst.parse_launch(f"{pipeline} ! {end} appsink name=out sync=false max-buffers=4")
    sink, frame = line.get_by_name("out"), None
    line.set_state(Gst.State.PLAYING)
    while (sample := sink.emit("pull-sample")) is not None:
        frame = sample.get_buffer()
    error = line.get_bus().pop_filtered(Gst.MessageType.ERROR)
    line.set_state(Gst.State.NULL)
    if error or frame is None:
        raise RuntimeError(f"{pipeline}: {error and error.parse_error()}")
    return frame.extract_dup(0, frame.get_size())


def sum_of(row, sources):
    return hashlib.sha256(last_frame(row[2], sources)).hexdigest()[:16]


def write_sheet(rows, sources, folder):
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    page = ["<meta charset=utf-8><style>img{max-width:32%;margin:2px}</style>"]
    for _, name, pipeline in rows:
        png = last_frame(pipeline, sources, "videoconvert ! pngenc !")
        pathlib.Path(folder, f"{name}.png").write_bytes(png)
        page.append(f"<img src={name}.png title='{name}'>")
    pathlib.Path(folder, "index.html").write_text("\n".join(page), encoding="utf-8")


def main():
    head, sources, rows = read()
    if sys.argv[1:2] == ["--sheet"]:
        return write_sheet(rows, sources, sys.argv[2])
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        sources = with_recordings(sources, folder)
        sums = list(pool.map(lambda row: sum_of(row, sources), rows))
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
