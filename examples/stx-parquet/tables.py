# SPDX-License-Identifier: LGPL-2.1-or-later
"""Columns of the Parquet files, and how rows of records become row groups."""
import collections
import pathlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import frames
import records

FLOAT, TEXT = pa.float32(), pa.dictionary(pa.int8(), pa.string())
KINDS, LABELS, SOURCES = (pa.array(names, pa.string()) for names in (
    records.KINDS, records.LABELS, records.SOURCES))


def numbers(kind):
    return lambda values: pa.array(np.ascontiguousarray(values), kind)


def floats(values):
    """NaN becomes null: unknown."""
    values = np.ascontiguousarray(values, np.float32)
    return pa.array(values, FLOAT, mask=np.isnan(values))


def names(texts, none=None):
    """Indices into `texts`, as text; beyond them null."""
    def column(values):
        values = np.ascontiguousarray(values).astype(np.int16)
        unknown = values >= len(texts)
        index = pa.array(np.where(unknown, 0, values).astype(np.int8), mask=unknown)
        return pa.DictionaryArray.from_arrays(index, texts)
    return column


# One moment: its number and time, its records, and of stixels their metres by name.
Frame = collections.namedtuple("Frame", "number pts rows where")


def record(name, kind, unit, text):
    """A column that is a field of the record."""
    make = floats if kind == FLOAT else numbers(kind)
    return name, kind, unit, text, lambda frame: make(frame.rows[name])


def named(name, texts, text):
    make = names(texts)
    return name, TEXT, "", text, lambda frame: make(frame.rows[name])


def flag(name, bit, text):
    return name, pa.bool_(), "", text, lambda frame: pa.array((frame.rows["flags"] & bit) != 0)


def place(name, text):
    return name, FLOAT, "m", text, lambda frame: floats(frame.where[name])


def pts(frame):
    if frame.pts is None:
        return pa.nulls(len(frame.rows), pa.int64())
    return pa.array(np.full(len(frame.rows), frame.pts, np.int64))


def number(frame):
    return pa.array(np.full(len(frame.rows), frame.number, np.uint32))


# Name, type, unit, what it is, and how the column is made of a frame and its records.
FRAME = [
    ("frame", pa.uint32(), "", "counted from 0", number),
    ("pts", pa.int64(), "ns", "time stamp of the frame", pts),
]
STIXEL = [
    record("column", pa.uint16(), "", "from the left"),
    record("top", pa.uint16(), "px", "first row of the image"),
    record("bottom", pa.uint16(), "px", "last row of the image"),
    named("kind", KINDS, "segment, ground, object, sky or carrier"),
    named("label", LABELS, "class of Cityscapes"),
    record("disparity_top", FLOAT, "px", "at its first row; 0: unknown or infinitely far"),
    record("disparity_bottom", FLOAT, "px", "at its last row; 0: unknown or infinitely far"),
    place("x", "to the right, of the middle of its lower edge"),
    place("y", "down, of the same"),
    place("z", "forward, of the same"),
    place("z_top", "forward, of its upper edge"),
    place("width", "at the lower edge"),
    place("height", "from the lower edge up"),
    record("cost", FLOAT, "nat", "its share of the column's energy"),
    record("confidence", FLOAT, "", "0 to 1"),
]
OBSTACLE = [
    record("id", pa.uint32(), "", "the same in all frames; 0: not followed, or new"),
    record("age", pa.uint32(), "frames", "since the first one that showed it"),
    named("source", SOURCES, "stereo or lidar"),
    named("label", LABELS, "class of Cityscapes of most of it"),
    record("x", FLOAT, "m", "to the right, of the middle of its foot"),
    record("y", FLOAT, "m", "down, of the same"),
    record("z", FLOAT, "m", "forward: the distance ahead"),
    record("width", FLOAT, "m", "across"),
    record("height", FLOAT, "m", "from the foot up"),
    record("depth", FLOAT, "m", "how far behind z it was seen to reach; 0: only a front"),
    record("closing_speed", FLOAT, "m/s", "positive: it comes nearer"),
    record("lateral_speed", FLOAT, "m/s", "positive: it goes to the right"),
    record("confidence", FLOAT, "", "0 to 1"),
    flag("in_corridor", records.IN_CORRIDOR, "some of it lies in the corridor"),
    flag("cut", records.CUT, "at the border of what is seen: it may be larger"),
    record("left", pa.uint16(), "px", "first column of pixels"),
    record("top", pa.uint16(), "px", "first row"),
    record("right", pa.uint16(), "px", "last column of pixels"),
    record("bottom", pa.uint16(), "px", "last row"),
    record("count", pa.uint32(), "", "stixels or points"),
]


def schema_of(columns):
    fields = [pa.field("recording", TEXT, metadata={"description": "what --recording said"})]
    for name, kind, unit, text, _ in columns:
        fields.append(pa.field(name, kind, metadata={"unit": unit, "description": text} if unit
                               else {"description": text}))
    return pa.schema(fields)


class File:
    """A Parquet file, a row group for every `group` rows or a few more, in whole frames."""

    def __init__(self, path, recording, group):
        self.path, self.group, self.recording = pathlib.Path(path), group, recording
        self.part = self.path.with_name(self.path.name + ".part")
        self.schema = schema_of(FRAME + self.columns)
        self.file = open(self.part, "wb")
        self.writer = pq.ParquetWriter(self.file, self.schema, compression="zstd")
        self.batches, self.held, self.rows, self.frames = [], 0, 0, 0

    def add(self, sample):
        rows = records.parse(frames.bytes_of(sample), self.record)
        frame = Frame(self.frames, frames.pts_of(sample), rows, self.where(sample, rows))
        recording = pa.DictionaryArray.from_arrays(
            pa.array(np.zeros(len(rows), np.int8)), pa.array([self.recording]))
        arrays = [recording, *(column(frame) for *_, column in FRAME + self.columns)]
        self.batches.append(pa.RecordBatch.from_arrays(arrays, schema=self.schema))
        self.held += len(rows)
        self.frames += 1
        if self.held >= self.group:
            self.write()

    def where(self, sample, rows):
        """Metres that are not in the records."""

    def write(self):
        self.writer.write_table(pa.Table.from_batches(self.batches, self.schema), self.held)
        self.rows += self.held
        self.batches, self.held = [], 0

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        """Writes the rest and names the file; not if the first frame failed."""
        if self.held:
            self.write()
        self.writer.close()
        self.file.close()
        if failure and self.frames == 0:
            self.part.unlink()
            return
        self.part.replace(self.path)
        print(f"{self.path}: {self.rows} rows of {self.frames} frames")


class Stixels(File):
    columns, record = STIXEL, records.STIXEL

    def where(self, sample, rows):
        caps = frames.caps_of(sample)
        sizes = [caps.get_value(name) for name in ("width", "stixel-width")]
        if None in sizes:
            raise ValueError(f"{caps.to_string()} has no width or no stixel-width")
        return records.metres(rows, frames.camera_of(caps), *sizes)


class Obstacles(File):
    columns, record = OBSTACLE, records.OBSTACLE
