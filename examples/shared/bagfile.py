# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bags of ROS 2, read: folders, .mcap and .db3 (SQLite), also half-written ones. MCAP needs the
package mcap (PyPI), SQLite nothing but Python.

Messages come in the order of their times; a bag that is damaged gives what there is, and then
raises Refused.
"""
import collections
import contextlib
import pathlib
import sqlite3

import rostypes
from arguments import natural
from cdr import Refused, Types, short

# `definition` may be "": bags in SQLite have definitions only since ROS 2 Iron.
Topic = collections.namedtuple("Topic", "name kind encoding schema definition")
ENDINGS = (".db3", ".mcap")
# Limits on what an MCAP unpacks to: bytes of a chunk, and of all that are read, also as a multiple
# of those of the file. A recording of sensors shrinks to a tenth, one of constant pictures to less.
CHUNK_MOST, ALL_MOST, SHRINKS_TO = 1 << 30, 1 << 30, 1000


def parts_of(path):
    """The files of a bag."""
    path = pathlib.Path(path)
    if not path.exists():
        raise Refused(f"{path}: there is no such file or folder")
    if path.is_file():
        found = [path]
    else:
        found = sorted((p for ending in ENDINGS for p in path.glob(f"*{ending}")), key=natural)
    if packed := sorted([*path.glob("*.zst*"), *[path] * (path.suffix in (".zstd", ".zst"))]):
        raise Refused(f"{packed[0].name} is compressed as a whole: unpack it with "
                      f"`zstd -d {packed[0].name}`")
    if not found or found[0].suffix not in ENDINGS:
        raise Refused(f"{path}: no bag of ROS 2: expected a folder with {' or '.join(ENDINGS)} in "
                      "it, or one of these")
    return found


class Sqlite:
    def __init__(self, path):
        self.path = path

    def ask(self, text, values=()):
        # A bag whose recorder died may have its last messages in a file beside it (-wal): without
        # mode=ro SQLite would write them back.
        uri = f"{self.path.resolve().as_uri()}?mode=ro"
        try:
            with contextlib.closing(sqlite3.connect(uri, uri=True)) as base:
                yield from base.execute(text, values)
        except (sqlite3.Error, UnicodeDecodeError) as fault:
            raise Refused(f"{self.path.name}: SQLite says: {fault}") from fault

    def topics(self):
        tables = {name for name, in self.ask("select name from sqlite_master")}
        if not {"topics", "messages"} <= tables:
            raise Refused(f"{self.path.name} is no bag of ROS 2: it has no topics and messages")
        known = {}
        if "message_definitions" in tables:
            known = {kind: (encoding, text) for kind, encoding, text in self.ask(
                "select topic_type, encoding, encoded_message_definition from message_definitions")}
        columns = {row[1] for row in self.ask("pragma table_info(topics)")}
        encoding = "serialization_format" if "serialization_format" in columns else "'cdr'"
        return [Topic(str(name), str(kind), encoding, *known.get(kind, ("ros2msg", "")))
                for name, kind, encoding in self.ask(f"select name, type, {encoding} from topics")]

    def messages(self, names):
        marks = ",".join("?" * len(names))
        for topic, time, data in self.ask(
                "select topics.name, timestamp, data from messages join topics on "
                f"topics.id = topic_id where topics.name in ({marks}) order by timestamp", names):
            yield topic, time, bytes(data)


class Mcap:
    def __init__(self, path):
        try:
            import mcap.reader
            import mcap.stream_reader
        except ImportError as missing:
            raise Refused(f"{missing}; pip install mcap") from missing
        self.path, self.library, self.unpacked = path, mcap, 0
        # The library unpacks whatever a chunk's header says, in this function alone.
        self.unpack = getattr(mcap.stream_reader.get_chunk_data_stream, "unpack",
                              mcap.stream_reader.get_chunk_data_stream)

    def bounded(self, chunk, *arguments, **names):
        """Unpacks a chunk if it does not become too much."""
        size = chunk.uncompressed_size
        if chunk.compression == "zstd":
            import zstandard
            size = max(size, zstandard.frame_content_size(chunk.data))
        elif chunk.compression == "lz4":
            import lz4.frame
            size = max(size, lz4.frame.get_frame_info(chunk.data)["content_size"])
        self.unpacked += size
        if size > CHUNK_MOST or self.unpacked > max(
                ALL_MOST, SHRINKS_TO * self.path.stat().st_size):
            raise ValueError(f"a chunk that would unpack to {size} bytes, after "
                             f"{self.unpacked - size}; that is more than any sensor's")
        return self.unpack(chunk, *arguments, **names)

    @contextlib.contextmanager
    def reader(self):
        """With what the file says of itself at its end, or None: it was not finished."""
        def bounded(*arguments, **names):
            return self.bounded(*arguments, **names)
        bounded.unpack, self.unpacked = self.unpack, 0
        self.library.stream_reader.get_chunk_data_stream = bounded
        with open(self.path, "rb") as file:
            reader = summary = None
            with contextlib.suppress(Exception):  # whatever is wrong there
                reader = self.library.reader.make_reader(file)
                summary = reader.get_summary()
            if summary is not None and not (summary.chunk_indexes or summary.statistics and
                                            summary.statistics.message_count == 0):
                summary = None  # without an index
            file.seek(0)
            yield file, reader, summary

    def records(self, file):
        """(topic, message or None) in the order of the file, until it ends or is damaged."""
        schemas, topics, count = {}, {}, 0
        try:
            for record in self.library.stream_reader.StreamReader(
                    file, record_size_limit=None).records:
                name = type(record).__name__
                if name == "Schema":
                    schemas[record.id] = record
                elif name == "Channel":
                    topics[record.id] = self.topic(record, schemas.get(record.schema_id))
                    yield topics[record.id], None
                elif name == "Message":
                    count += 1
                    yield topics[record.channel_id], record
        except Exception as fault:
            raise Refused(f"{self.path.name} is damaged or was not finished: {count} messages "
                          f"could be read, then {type(fault).__name__} {fault}".rstrip()) from fault

    @staticmethod
    def topic(channel, schema):
        return Topic(channel.topic, schema.name if schema else "", channel.message_encoding,
                     schema.encoding if schema else "",
                     schema.data.decode("utf-8", "replace") if schema else "")

    def topics(self):
        with self.reader() as (file, _, summary):
            if summary is not None:
                return [self.topic(channel, summary.schemas.get(channel.schema_id))
                        for channel in summary.channels.values()]
            found = {}
            try:
                for topic, _ in self.records(file):
                    found[topic.name] = topic
            except Refused:  # messages () will say it
                if not found:
                    raise
            return list(found.values())

    def messages(self, names):
        with self.reader() as (file, reader, summary):
            if summary is None:
                for topic, record in self.records(file):
                    if record is not None and topic.name in names:
                        yield topic.name, record.log_time, record.data
                return
            count = 0
            try:
                for _, channel, record in reader.iter_messages(topics=names):
                    count += 1
                    yield channel.topic, record.log_time, record.data
            except Exception as fault:
                raise Refused(f"{self.path.name} is damaged: {count} messages could be read, then "
                              f"{type(fault).__name__} {fault}".rstrip()) from fault


class Bag:
    def __init__(self, path):
        self.files = [(Sqlite if part.suffix == ".db3" else Mcap)(part) for part in parts_of(path)]
        self.topics = {topic.name: topic for file in self.files for topic in file.topics()}

    def of_type(self, *kinds):
        """Names of the topics whose messages are of one of these types."""
        return sorted(name for name, topic in self.topics.items()
                      if short(topic.kind) in kinds)

    def types(self, name, kind=None):
        """The types of a topic's messages: by the bag's definition, where it has one in ros2msg,
        or by ours of `kind`, or else of the type that the topic names."""
        topic = self.topics[name]
        # Some recorders leave the format of .db3 empty; a message without CDR's header is refused.
        if topic.encoding not in ("cdr", ""):
            raise Refused(f"{name}: {topic.kind} as {topic.encoding}; expected messages of ROS 2 "
                          "(cdr)")
        ours = rostypes.types(kind or topic.kind)
        if not topic.definition or topic.schema != "ros2msg":
            return ours
        types = Types(topic.kind, topic.definition)
        for part, fields in ours.types.items():
            if missing := [one[0] for one in fields if one not in types.types.get(part, fields)]:
                raise Refused(f"{name}: the bag's {part} is another one than ROS 2's, in "
                              f"{', '.join(missing)}")
        return types

    def messages(self, names):
        """(topic, time of recording, bytes) of these topics."""
        for file in self.files:
            yield from file.messages(list(names))
