#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""rdp-columns against a second program of the same definition, on real columns.

The columns are what stereo-sgm and downsample-transpose make of frames of KITTI ($STX_DATA or
../shared/data; without them of the street alone), read from the pipeline as the element reads them.
Algorithm 1 of its paper is written down here once more, in Python's integers, which are exact and
have no bound: `distance > epsilon` times the length of the chord. Both must cut at the same cells,
and a segment's cost must be the largest distance of its cells.
"""
import array
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("STX_DATA", ROOT.parent / "shared/data"))
STEPS = 256  # of disparity in a pixel
RECORD = struct.Struct("<HHHBBffff")
# Cell, epsilon in steps, median.
SETTINGS = ((1, 512, 0), (1, 1024, 5), (4, 256, 3), (8, 64, 7))
FRAMES = (("kitti2015-stereo/training", "image_2", "image_3", "000001_10"),
          ("kitti2015-stereo/training", "image_2", "image_3", "000002_10"),
          ("kitti2012-stereo/training", "image_0", "image_1", "000027_10"),
          ("kitti2012-more", "image_0", "image_1", "000099_10"))


def sources():
    """The name of a frame, and the pipelines of its left and right picture."""
    yield "street", [f"street-scene-src view={view} seed=3 first-frame=20 num-buffers=1"
                     for view in ("left", "right")]
    for folder, *views, frame in FRAMES:
        paths = [DATA / folder / view / f"{frame}.png" for view in views]
        if all(path.exists() for path in paths):
            yield f"{folder}, {frame}", [f"filesrc location={path} ! pngdec ! videoconvert"
                                         for path in paths]


def columns_and_records(views, cell, epsilon, median):
    """The input and the output of rdp-columns."""
    with tempfile.TemporaryDirectory() as folder:
        line = (f"{views[0]} ! sgm.sink_left {views[1]} ! sgm.sink_right stereo-sgm name=sgm "
                f"! downsample-transpose stixel-width={cell} stixel-height={cell} ! tee name=cells "
                f"cells. ! queue ! filesink location={folder}/in cells. ! queue "
                f"! rdp-columns epsilon={epsilon / STEPS} median={median} "
                f"! filesink location={folder}/out")
        subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True, timeout=100)
        cells = array.array("H", pathlib.Path(folder, "in").read_bytes())
        if sys.byteorder == "big":
            cells.byteswap()
        return cells, list(RECORD.iter_unpack(pathlib.Path(folder, "out").read_bytes()))


def smoothed(cells, width):
    """The lower median of the known cells around each known one."""
    half = width // 2
    windows = (sorted(filter(None, cells[max(0, i - half):i + half + 1]))
               for i in range(len(cells)))
    return [window[(len(window) - 1) // 2] if cell else 0 for cell, window in zip(cells, windows)]


def with_known_ends(cells):
    known = [cell for cell in cells if cell] or [0]
    return [cells[0] or known[0], *cells[1:-1], cells[-1] or known[-1]]


def segments(cells, epsilon):
    """(first, last, largest distance times the length) of every segment, the lowest first."""
    found, calls = [], [(0, len(cells) - 1)]
    while calls:
        first, last = calls.pop()
        length, rise = last - first, cells[last] - cells[first]
        far = [abs((cells[i] - cells[first]) * length - rise * (i - first)) if cells[i] else 0
               for i in range(first + 1, last)]
        if max(far, default=0) > epsilon * length:
            cut = first + 1 + far.index(max(far))
            calls += [(first, cut), (cut, last)]
        else:
            found.append((first, last, max(far, default=0)))
    return found


def compare(name, views, cell, epsilon, median):
    """Returns how many cuts there are; ends the test where one differs."""
    cells, records = columns_and_records(views, cell, epsilon, median)
    columns = 1 + max(record[0] for record in records)
    rows = len(cells) // columns // 2  # disparities, then weights
    made = [[] for _ in range(columns)]
    for record in records:
        made[record[0]].append(record)
    differ = count = 0
    for x in range(columns):
        column = list(cells[x * rows:(x + 1) * rows])
        column = with_known_ends(smoothed(column, median) if median else column)
        mine = segments(column, epsilon)
        same = [record[1] for record in made[x]] == [first * cell for first, _, _ in mine]
        differ += not (same and all(
            abs(record[7] - most / (last - first) / STEPS) < 1e-4 * (1 + record[7])
            for record, (first, last, most) in zip(made[x], mine)))
        count += len(mine)
    print(f"{name}: {columns} columns of {rows} cells, epsilon {epsilon / STEPS} px, median "
          f"{median}: {count} segments, {differ} columns differ", flush=True)
    assert differ == 0 and count > columns
    return count


def main():
    frames = list(sources())
    total = sum(compare(name, views, *settings) for name, views in frames for settings in SETTINGS)
    print(f"{total} segments of {len(frames)} frames, 0 differ"
          + ("" if len(frames) > 1 else "; skipped: frames of KITTI, no data"))


main()
