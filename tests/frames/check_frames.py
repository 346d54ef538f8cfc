#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares what elements make with checksums of what a person has looked at, or another test has
compared.

usage: check_frames.py                 compares
       check_frames.py --write         writes the sums anew, after a look at the sheet
       check_frames.py --sheet FOLDER  writes every drawn frame as FOLDER/NAME.png, and all of them
                                       as FOLDER/index.html

A line of frames.txt, of pictures that are drawn, and of records.txt, of all else, is
"sum | name | pipeline", without a sink. The sum is that of the last frame's bytes, in records.txt
of the bytes, times and durations of all frames. "# NAME = …" at the head gives a name to what many
lines begin with; "# NAME := …" is recorded once, and read again by each of them. Where a sum has
changed, look at the sheets of both versions: a change that was meant is written, any other is a
fault.
"""
import hashlib
import os
import pathlib
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

Gst.init(None)

LISTS = [pathlib.Path(__file__).with_name(name) for name in ("frames.txt", "records.txt")]
AT_ONCE = 2
MOST = 60 * Gst.SECOND  # between two frames


def read(path):
    """The text of the head, {name: text}, the names to record, and [sum, name, pipeline]."""
    lines = path.read_text(encoding="utf-8").split("\n")
    head = [line for line in lines if line.startswith("#")]
    named = [found.groups() for line in head
             if (found := re.fullmatch(r"# (\w+(?: ! \w+)?) (:?=) (.*)", line))]
    rows = [[cell.strip() for cell in line.split(" | ", 2)] for line in lines
            if line and not line.startswith("#")]
    return ("\n".join(head), {name: text for name, _, text in named},
            [name for name, how, _ in named if how == ":="], rows)


def spelled(pipeline, sources):
    for name, text in sources.items():
        pipeline = re.sub(rf"\b{name}\b", lambda _, text=text: text, pipeline)
    return pipeline


def with_recordings(sources, recorded, folder):
    """`sources`, with those to be recorded in files."""
    files = dict(sources)
    for number, name in enumerate(recorded):
        path = pathlib.Path(folder, str(number))
        path.write_bytes(b"".join(map(bytes_of, frames_of(f"{sources[name]} ! gdppay", sources))))
        files[name] = f"filesrc location={path} ! gdpdepay"
    return files


def frames_of(pipeline, sources, end=""):
    """The buffers of a line behind elements `end`."""
    pipeline = spelled(pipeline, sources)
    line = Gst.parse_launch(f"{pipeline} ! {end} appsink name=out sync=false max-buffers=4")
    sink, frames = line.get_by_name("out"), []
    line.set_state(Gst.State.PLAYING)
    while (sample := sink.emit("try-pull-sample", MOST)) is not None:
        frames.append(sample.get_buffer())
    error = line.get_bus().pop_filtered(Gst.MessageType.ERROR)
    ended = sink.get_property("eos")
    line.set_state(Gst.State.NULL)
    if error or not frames or not ended:
        raise RuntimeError(f"{pipeline}: {error and error.parse_error()}")
    return frames


def bytes_of(frame):
    return frame.extract_dup(0, frame.get_size())


def sum_of(row, sources, drawn):
    found, frames = hashlib.sha256(), frames_of(row[2], sources)
    for frame in frames[-1:] if drawn else frames:
        found.update(bytes_of(frame))
        if not drawn:
            found.update(f"{frame.pts} {frame.duration}".encode())
    return found.hexdigest()[:16]


def write_sheet(rows, sources, folder):
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    page = ["<meta charset=utf-8><style>img{max-width:32%;margin:2px}</style>"]
    for _, name, pipeline in rows:
        png = bytes_of(frames_of(pipeline, sources, "videoconvert ! pngenc !")[-1])
        pathlib.Path(folder, f"{name}.png").write_bytes(png)
        page.append(f"<img src={name}.png title='{name}'>")
    pathlib.Path(folder, "index.html").write_text("\n".join(page), encoding="utf-8")


def check(path, write):
    """The names of the rows whose sums have changed."""
    head, sources, recorded, rows = read(path)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        sources = with_recordings(sources, recorded, folder)
        sums = list(pool.map(lambda row: sum_of(row, sources, path == LISTS[0]), rows))
    if write:
        lines = [" | ".join([found, *row[1:]]) for found, row in zip(sums, rows)]
        path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    changed = [row[1] for found, row in zip(sums, rows) if found != row[0]]
    print(f"{path.name}: {len(changed)} of {len(rows)} sums have changed")
    return changed


def main():
    os.chdir(LISTS[0].parent)  # of files that lines name
    if sys.argv[1:2] == ["--sheet"]:
        _, sources, _, rows = read(LISTS[0])
        return write_sheet(rows, sources, sys.argv[2])
    write = sys.argv[1:] == ["--write"]
    changed = [name for path in LISTS for name in check(path, write)]
    if changed and not write:
        print(f"look at {', '.join(changed)}: check_frames.py --sheet FOLDER, then --write")
    return 1 if changed and not write else 0


if __name__ == "__main__":
    sys.exit(main())
