# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays lines of docs/debugging.md, and measures what is wrong with the stixels on the pictures
that come out, against the street's truth. For the Python that has GStreamer and the library."""
import collections
import functools
import pathlib
import re
import sys

import gi
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/shared"))
gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstStixels", "1.0")
from gi.repository import GLib, Gst, GstApp, GstStixels  # noqa: E402, F401
from records import OBJECT, parse  # noqa: E402

Gst.init(None)

WIDTH, HEIGHT, CELL = 1242, 375, 8
FOCAL_BASELINE = .58 * WIDTH * .54  # the street's
GROUND, SKY, NONE = (0, 1, 9), 10, 255  # Cityscapes' train ids
FAR = 40  # metres: what is beyond is not asked for
OF_THE_STREET = ("seed", "speed", "first-frame", "terrain")

# A picture as bytes; its stixels, None if there are none; metres to the nearest one per column.
Frame = collections.namedtuple("Frame", "picture stixels nearest")
Played = collections.namedtuple("Played", "frames error street")


def short(word, frames):
    """A number of buffers for a test, in proportion."""
    return re.sub(r"num-buffers=(\d+)", lambda found: f"num-buffers={int(found[1]) * frames // 50}",
                  word)


def nearest_of(stixels):
    metres = np.full(stixels.get_info().columns, np.inf)
    for column in range(len(metres)):
        index = stixels.find_nearest(column)
        known, where = stixels.get_metres(index) if index >= 0 else (False, None)
        if known:
            metres[column] = where.z
    return metres


def frame_of(sample):
    buffer = sample.get_buffer()
    picture = buffer.extract_dup(0, buffer.get_size())
    try:
        stixels = GstStixels.Stixels.new_from_sample(sample)
    except GLib.Error:
        return Frame(picture, None, None)
    records = stixels.get_buffer()
    return Frame(picture, parse(records.extract_dup(0, records.get_size())), nearest_of(stixels))


def play(words, frames=1):
    """The pictures that a line for the shell shows in its window: so many of 50."""
    street = " ".join(word for word in words[words.index("street-scene-src"):][:6]
                      if word.split("=")[0] in OF_THE_STREET)
    words = [short(word, frames) for word in words[1:]]
    window = words.index("autovideosink")
    words[window:window + 1] = ["appsink", "name=sink", "sync=false"]
    pipeline = Gst.parse_launchv(words)
    sink, shown, message = pipeline.get_by_name("sink"), [], None
    pipeline.set_state(Gst.State.PLAYING)
    while message is None and not sink.is_eos():
        if sample := sink.try_pull_sample(50 * Gst.MSECOND):
            shown.append(frame_of(sample))
        message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    return Played(shown, " ".join(map(str, message.parse_error())) if message else "", street)


# ---- The truth ----------------------------------------------------------------------------------

@functools.lru_cache
def pictures(name, kind, street, count):
    pipeline = Gst.parse_launch(
        f"street-scene-src view={name} num-buffers={count} {street} ! video/x-raw,format={kind},"
        f"width={WIDTH},height={HEIGHT} ! appsink name=sink")
    sink, found = pipeline.get_by_name("sink"), []
    pipeline.set_state(Gst.State.PLAYING)
    while sample := sink.pull_sample():
        buffer = sample.get_buffer()
        data = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8)
        found.append(data.reshape(HEIGHT, -1))
    pipeline.set_state(Gst.State.NULL)
    return found


def view(name, kind, played):
    """Pictures of the street that was played, each as rows of pixels."""
    return pictures(name, kind, played.street, len(played.frames))


def classes(played):
    return [rows[:, :WIDTH] for rows in view("semantics", "GRAY8", played)]


def nearest(played):
    """For each frame metres to the nearest thing that stands in each column of cells."""
    for rows, label in zip(view("disparity", "GRAY16_LE", played), classes(played)):
        disparity = np.ascontiguousarray(rows).view("<u2")[:, :WIDTH] / 256
        stands = ~np.isin(label, GROUND + (SKY, NONE)) & (disparity > 0)
        metres = np.full(disparity.shape, np.inf)
        metres[stands] = FOCAL_BASELINE / disparity[stands]
        yield np.minimum.reduceat(metres.min(axis=0), np.arange(0, WIDTH, CELL))


def columns(played):
    """Found and true distances of all columns, one frame behind the other."""
    found = np.concatenate([frame.nearest for frame in played.frames])
    return found, np.concatenate(list(nearest(played)))


# ---- What is wrong ------------------------------------------------------------------------------

def taken(played, wanted):
    """Share of the pixels of these classes that are in an object."""
    count = total = 0
    for frame, label in zip(played.frames, classes(played)):
        objects = np.zeros(label.shape, bool)
        for stixel in frame.stixels[frame.stixels["kind"] == OBJECT]:
            left = int(stixel["column"]) * CELL
            objects[stixel["top"]:int(stixel["bottom"]) + 1, left:left + CELL] = True
        inside = np.isin(label, wanted)
        count, total = count + np.count_nonzero(inside & objects), total + inside.sum()
    return count / total


def road_taken(played):
    return taken(played, GROUND)


def sky_taken(played):
    return taken(played, [SKY])


def too_near(played):
    """Share of the columns with an obstacle before anything that is there."""
    found, true = columns(played)
    return np.mean((found < FAR) & (found < .8 * true))


def missed(played):
    """Share of the columns whose nearest obstacle is not found, or thought far behind."""
    found, true = columns(played)
    return np.mean((true < FAR) & (found > 1.25 * true))


def elsewhere(played):
    return too_near(played) + missed(played)


def ratios(played, low=0, high=FAR):
    """Found / true where something was found and the truth is between these, else not a number."""
    found, true = columns(played)
    known = np.isfinite(found) & (true > low) & (true < high)
    return np.where(known, found / np.where(known, true, 1), np.nan)


def factor(played):
    return np.nanmedian(ratios(played))


def far_error(played):
    return abs(np.nanmedian(ratios(played, 25, 60)) - 1)


def sides_differ(played):
    by_column = ratios(played).reshape(len(played.frames), -1)
    third = by_column.shape[1] // 3
    return abs(np.nanmedian(by_column[:, :third]) / np.nanmedian(by_column[:, -third:]) - 1)


def in_a_frame(played):
    """Stixels."""
    return np.mean([len(frame.stixels) for frame in played.frames])


def in_a_column(played):
    return in_a_frame(played) / len(played.frames[0].nearest)


def bare(played):
    """Share of the pictures with nothing drawn on them."""
    plain = [rows.tobytes() for rows in view("left", "RGB", played)]
    equal = [np.mean(np.frombuffer(frame.picture, np.uint8) == np.frombuffer(picture, np.uint8))
             for frame, picture in zip(played.frames, plain)]
    return np.mean(np.array(equal) > .9)
