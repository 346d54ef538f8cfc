# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages of ROS 2 in an MCAP file, or live for viewers."""
import atexit
import pathlib
import sys
import threading

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


class Output:
    """Its channels. A subclass has open (), which makes one, and write ()."""

    def __init__(self):
        self.channels, self.counts = {}, {}

    def put(self, topic, kind, time, message):
        """A message of a type of rostypes.py."""
        self.put_bytes(topic, kind, rostypes.definition(kind), time,
                       rostypes.types(kind).encode(message))

    def put_bytes(self, topic, kind, definition, time, data):
        if topic not in self.channels:
            full = kind if "/msg/" in kind else kind.replace("/", "/msg/")
            self.channels[topic] = self.open(topic, full, definition.encode())
            self.counts[topic] = 0
        self.write(topic, time, data)
        self.counts[topic] += 1

    def tell(self, what):
        print(f"{what}: " + ", ".join(f"{topic} {count}" for topic, count in
                                      sorted(self.counts.items())))

    def __enter__(self):
        return self


class File(Output):
    """Has its name when it is complete: until then it ends in .part."""

    def __init__(self, path):
        from mcap.writer import CompressionType, Writer
        super().__init__()
        self.path = pathlib.Path(path)
        if self.path.exists() and not self.path.is_file():
            raise ValueError(f"{self.path}: is there, and is no file")
        self.part = self.path.with_name(self.path.name + ".part")
        self.file = open(self.part, "wb")
        self.writer = Writer(self.file, compression=CompressionType.ZSTD)
        self.writer.start("ros2", f"stx-mcap (gst-stixels) {release.VERSION}")
        self.schemas = {}

    def open(self, topic, kind, definition):
        if kind not in self.schemas:
            self.schemas[kind] = self.writer.register_schema(kind, "ros2msg", definition)
        return self.writer.register_channel(
            topic, "cdr", self.schemas[kind],
            {"offered_qos_profiles": LATCHED if topic == "/tf_static" else ""})

    def write(self, topic, time, data):
        self.writer.add_message(self.channels[topic], log_time=time, publish_time=time, data=data,
                                sequence=self.counts[topic])

    def __exit__(self, failure, *_):
        """The file gets its name, unless the pipeline failed before the first message."""
        self.writer.finish()
        self.file.close()
        if failure and not self.counts:
            self.part.unlink()
            return
        self.part.replace(self.path)
        self.tell(self.path)


class Live(Output):
    """A server for viewers that speak Foxglove's protocol over WebSocket. What is latched is sent
    again when a viewer subscribes; a slow one loses messages, and the pipeline waits for none."""

    def __init__(self, host, port):
        import foxglove
        super().__init__()
        self.foxglove, self.latched = foxglove, {}
        try:
            self.server = foxglove.start_server(
                name=f"stx-mcap (gst-stixels) {release.VERSION}", host=host, port=port,
                server_listener=self)
        except RuntimeError as error:
            raise ValueError(f"--live {host}:{port}: {error}") from error
        print(f"ws://{host}:{self.server.port}", file=sys.stderr, flush=True)

    def __getattr__(self, name):
        """Ignores what else a viewer may do."""
        if not name.startswith("on_"):
            raise AttributeError(name)
        return lambda *_: None

    def on_subscribe(self, client, channel):
        if channel.topic in self.latched:
            self.write(channel.topic, *self.latched[channel.topic], client.id)

    def open(self, topic, kind, definition):
        return self.foxglove.Channel(topic, message_encoding="cdr", schema=self.foxglove.Schema(
            name=kind, encoding="ros2msg", data=definition))

    def write(self, topic, time, data, viewer=None):
        if topic == "/tf_static":
            self.latched[topic] = time, data
        self.channels[topic].log(bytes(data), log_time=time, sink_id=viewer)

    def __exit__(self, *_):
        """The SDK says goodbye to each viewer, and would wait without end for one that is stuck,
        here and when Python ends."""
        goodbye = threading.Thread(target=self.server.stop, daemon=True)
        goodbye.start()
        goodbye.join(2)
        if goodbye.is_alive():
            atexit.unregister(self.foxglove._foxglove.shutdown)
        self.tell("live")
