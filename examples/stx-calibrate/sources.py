# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where pairs of pictures come from: picture files, or streams (streams.py)."""
import collections
import glob
import math
import pathlib
import re

import cv2
import numpy as np

LIVE = "gst:"
PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".pgm", ".ppm", ".webp"}

# Both views of one moment, gray, and their time in seconds.
Pair = collections.namedtuple("Pair", "left right time")


class SourceError(Exception):
    """Why there are no pairs."""


class Count:
    """Counts of the pairing of two streams."""

    def __init__(self):
        self.frames, self.pairs = [0, 0], 0


# ---- Picture files ------------------------------------------------------------------------------

def picture_files(text):
    """The pictures of a folder or pattern; None: it is something else."""
    path = pathlib.Path(text)
    if path.is_dir():
        found = [str(file) for file in path.iterdir() if file.suffix.lower() in PICTURES]
        if not found:
            raise SourceError(f"{text}: no pictures in this folder "
                              f"({', '.join(sorted(PICTURES))})")
    elif glob.has_magic(text) and not path.exists():
        found = glob.glob(text)
        if not found:
            raise SourceError(f"{text}: no file has such a name")
    elif path.suffix.lower() in PICTURES:
        found = [text]
    else:
        return None
    return sorted(found, key=lambda name: [int(part) if part.isdigit() else part
                                           for part in re.split(r"(\d+)", name)])


def read_picture(path):
    data = np.fromfile(path, np.uint8)  # cv2.imread () crashes at names that are no UTF-8
    try:
        picture = cv2.imdecode(data, cv2.IMREAD_GRAYSCALE) if len(data) > 0 else None
    except cv2.error as error:  # more pixels than OpenCV takes
        raise SourceError(f"{path}: OpenCV does not read this picture: {error.err}") from error
    if picture is None:
        raise SourceError(f"{path}: is not a picture that OpenCV reads")
    return picture


def fov_of(text):
    """The horizontal angle of view that the EXIF of the first JPEG says, in degrees; None: it says
    none. The focal length for film is told for the same diagonal, of 43.27 mm."""
    name = (picture_files(text) or [""])[0] if not is_live(text) else ""
    if not name.lower().endswith((".jpg", ".jpeg")):
        return None
    import streams
    focal, (height, width) = streams.film_focal_length(name), read_picture(name).shape
    return focal and math.degrees(2 * math.atan(width / math.hypot(width, height) * 43.27 /
                                                2 / focal))


def pairs_of_files(lists, count):
    if len({len(files) for files in lists}) > 1:
        raise SourceError(f"{len(lists[0])} left and {len(lists[1])} right pictures: there must "
                          "be as many of both, and they are taken in the order of their names")
    for i, names in enumerate(zip(*lists)):
        views = [read_picture(name) for name in names]
        count.frames = [n + 1 for n in count.frames]
        yield views, float(i)


# ---- Pairs --------------------------------------------------------------------------------------

def is_live(text):
    return text.startswith(LIVE)


def matched(streams, tolerance, count):
    """Pairs by time: the earlier of two frames that are no pair is left out."""
    heads = [stream.pull() for stream in streams]
    count.frames = [n + (head is not None) for n, head in zip(count.frames, heads)]
    while all(head is not None for head in heads):
        apart = heads[0][1] - heads[-1][1]
        late = (apart <= tolerance, apart >= -tolerance)  # both of a pair
        if abs(apart) <= tolerance:
            yield [head[0] for head in heads], heads[0][1]
        for i, stream in enumerate(streams):
            if late[i]:
                heads[i] = stream.pull()
                count.frames[i] += heads[i] is not None


def halves(frame, layout):
    height, width = frame.shape
    if layout == "top-bottom":
        return [frame[:height // 2], frame[height // 2:height // 2 * 2]]
    return [frame[:, :width // 2], frame[:, width // 2:width // 2 * 2]]


def check_sizes(views, first):
    left, right = (f"{view.shape[1]}x{view.shape[0]}" for view in views)
    if 0 in views[0].shape or 0 in views[1].shape:
        raise SourceError(f"views of {left} and {right}: the pictures are too small")
    if left != right:
        raise SourceError(f"the left pictures are {left}, the right ones {right}: set both cameras "
                          "to one mode")
    if first is not None and views[0].shape != first:
        raise SourceError(f"the pictures are {left} now and were {first[1]}x{first[0]} before")


def open_pairs(arguments):
    """Pairs of views (an iterator), and what was counted meanwhile."""
    count, inputs = Count(), arguments.input
    lists = [picture_files(text) if not is_live(text) else None for text in inputs]
    if any(files is None for files in lists) and any(lists):
        raise SourceError(f"{' and '.join(inputs)}: pictures and recordings do not go together")
    if lists[0] is not None:
        frames = pairs_of_files(lists, count)
    else:
        import streams  # which needs GStreamer
        frames = streams.pairs_of(inputs, arguments.tolerance, arguments.seconds, count)

    def pairs():
        first = None
        for views, at in frames:
            if len(views) == 1:
                views = halves(views[0], arguments.layout)
            if arguments.swap:
                views = views[::-1]
            check_sizes(views, first)
            first = views[0].shape
            count.pairs += 1
            yield Pair(*views, at)

    return pairs(), count
