# SPDX-License-Identifier: LGPL-2.1-or-later
"""An MCAP file with messages of ROS 2."""
import pathlib

from mcap.writer import CompressionType, Writer

import release
import rostypes

# Reliable, and kept for subscribers that come later (transient local): played in any other way,
# /tf_static is lost. In numbers, as ROS 2 up to Iron writes it and later ones read it, too.
LATCHED = """- history: 1
  depth: 1
  reliability: 1
  durability: 1
  deadline: {sec: 0, nsec: 0}
  lifespan: {sec: 0, nsec: 0}
  liveliness: 1
  liveliness_lease_duration: {sec: 0, nsec: 0}
  avoid_ros_namespace_conventions: false
"""


class File:
    """Has its name when it is complete: until then it ends in .part."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        if self.path.exists() and not self.path.is_file():
            raise ValueError(f"{self.path}: is there, and is no file")
        self.part = self.path.with_name(self.path.name + ".part")
        self.file = open(self.part, "wb")
        self.writer = Writer(self.file, compression=CompressionType.ZSTD)
        self.writer.start("ros2", f"stx-mcap (gst-stixels) {release.VERSION}")
        self.schemas, self.channels, self.counts = {}, {}, {}

    def channel(self, topic, kind, definition):
        if topic not in self.channels:
            full = kind if "/msg/" in kind else kind.replace("/", "/msg/")
            if full not in self.schemas:
                self.schemas[full] = self.writer.register_schema(full, "ros2msg",
                                                                 definition.encode())
            self.channels[topic] = self.writer.register_channel(
                topic, "cdr", self.schemas[full],
                {"offered_qos_profiles": LATCHED if topic == "/tf_static" else ""})
            self.counts[topic] = 0
        return self.channels[topic]

    def put(self, topic, kind, time, message):
        """A message of a type of rostypes.py."""
        self.put_bytes(topic, kind, rostypes.definition(kind), time,
                       rostypes.types(kind).encode(message))

    def put_bytes(self, topic, kind, definition, time, data):
        channel = self.channel(topic, kind, definition)
        self.writer.add_message(channel, log_time=time, publish_time=time, data=data,
                                sequence=self.counts[topic])
        self.counts[topic] += 1

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        """The file gets its name, unless the pipeline failed before the first message."""
        self.writer.finish()
        self.file.close()
        if failure and not self.counts:
            self.part.unlink()
            return
        self.part.replace(self.path)
        print(f"{self.path}: " + ", ".join(f"{topic} {count}" for topic, count in
                                           sorted(self.counts.items())))
