# SPDX-License-Identifier: LGPL-2.1-or-later
"""ROS 2 bags: the messages that hold a LiDAR's packets, and point clouds."""
import contextlib
import ipaddress
import sqlite3
import struct
import sys

from captures import Packet

SENSOR, HOST = ipaddress.ip_address("192.168.1.201"), ipaddress.ip_address("192.168.1.77")
FLOATS = {7: "f", 8: "d", 1: "b", 2: "B", 3: "h", 4: "H", 5: "i", 6: "I"}


class Refused(Exception):
    pass


class Reader:
    """CDR, as ROS 2 writes messages: little-endian, numbers aligned from the fourth byte on."""

    def __init__(self, data):
        self.data, self.at = data, 4
        if len(data) < 4 or data[1] not in (0, 1):
            raise Refused("a message that is no CDR")
        self.order = "<" if data[1] else ">"

    def number(self, kind):
        size = struct.calcsize(kind)
        self.at += -(self.at - 4) % size
        value, = struct.unpack_from(self.order + kind, self.data, self.at)
        self.at += size
        return value

    def take(self, size):
        if self.at + size > len(self.data):
            raise Refused("a message that ends too early")
        self.at += size
        return self.data[self.at - size:self.at]

    def text(self):
        return self.take(self.number("I"))

    def sequence(self):
        return self.take(self.number("I"))

    def time(self):
        seconds = self.number("i")
        return seconds * 10**9 + self.number("I")

    def header(self):
        time = self.time()
        self.text()
        return time


# ---- Messages with packets -----------------------------------------------------------------------

def velodyne_scan(reader, time):
    """velodyne_msgs/VelodyneScan: packets of 1206 bytes."""
    reader.header()
    for _ in range(reader.number("I")):
        yield reader.time(), reader.take(1206)


def pandar_scan(reader, time):
    """pandar_msgs/PandarScan: packets in 1500 bytes each."""
    reader.header()
    for _ in range(reader.number("I")):
        stamp, data = reader.time(), reader.take(1500)
        yield stamp, data[:reader.number("I")]


def nebula_packets(reader, time):
    """nebula_msgs/NebulaPackets: packets of any length."""
    reader.header()
    for _ in range(reader.number("I")):
        yield reader.time(), reader.sequence()


def one_packet(reader, time):
    """ouster_sensor_msgs/PacketMsg and others: nothing but the bytes."""
    yield time, reader.sequence()


PACKETS = {"VelodyneScan": velodyne_scan, "PandarScan": pandar_scan,
           "NebulaPackets": nebula_packets, "PacketMsg": one_packet}


# ---- Bags ----------------------------------------------------------------------------------------

def sqlite_messages(path):
    """(topic, type, time, bytes) of a .db3 that is not compressed."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
        try:
            topics = {row[0]: row[1:] for row in base.execute("select id, name, type from topics")}
            for topic, time, data in base.execute(
                    "select topic_id, timestamp, data from messages order by timestamp"):
                yield *topics[topic], time, bytes(data)
        except sqlite3.Error as fault:
            raise Refused(f"no bag of ROS 2: {fault}") from fault


def rosbags_messages(path):
    """Those of a folder, whatever it holds."""
    if not path.is_dir():
        raise Refused("neither a capture (.pcap, .pcapng) nor a bag (a folder, or a .db3 of one)")
    try:
        from rosbags.highlevel import AnyReader
    except ImportError as missing:
        raise Refused(f"{missing}; pip install rosbags") from missing
    try:
        with AnyReader([path]) as reader:
            for connection, time, data in reader.messages():
                yield connection.topic, connection.msgtype, time, bytes(data)
    except Exception as fault:  # whatever rosbags finds wrong with a file
        raise Refused(f"{type(fault).__name__}: {fault}") from fault


def messages(path, wanted, kinds):
    """Those of the kinds, of one topic."""
    seen = {}
    for topic, kind, time, data in (sqlite_messages if path.suffix == ".db3"
                                    else rosbags_messages)(path):
        name = kind.rsplit("/", 1)[-1]
        seen[topic] = kind
        if name not in kinds or wanted not in (None, topic):
            continue
        wanted = wanted or topic
        yield name, time, data
    others = sorted(topic for topic, kind in seen.items()
                    if kind.rsplit("/", 1)[-1] in kinds and topic != wanted)
    if wanted is not None and wanted not in seen:
        raise Refused(f"no topic {wanted}; there are {', '.join(sorted(seen))}")
    if others:
        print(f"stx-packets: read {wanted}; --topic reads {', '.join(others)}", file=sys.stderr)


def packets(path, topic, port):
    """Every packet of a bag."""
    for name, time, data in messages(path, topic, PACKETS):
        for stamp, payload in PACKETS[name](Reader(data), time):
            yield Packet(stamp or time, SENSOR, HOST, port, port, payload)


# ---- Point clouds --------------------------------------------------------------------------------

def fields_of(reader):
    fields = {}
    for _ in range(reader.number("I")):
        name = reader.text()[:-1].decode("ascii", "replace")
        offset, kind = reader.number("I"), reader.number("B")
        reader.number("I")
        fields[name] = offset, kind
    return fields


def cloud(reader):
    """sensor_msgs/PointCloud2 as four float32 per point."""
    reader.header()
    height, width = reader.number("I"), reader.number("I")
    fields = fields_of(reader)
    order = ">" if reader.number("B") else "<"
    step, row = reader.number("I"), reader.number("I")
    data = reader.sequence()
    places = [fields.get(name) for name in ("x", "y", "z")]
    if None in places or height * row > len(data) or width * step > row:
        raise Refused("a point cloud without x, y and z, or shorter than it says")
    places.append(fields.get("intensity") or fields.get("i") or fields.get("reflectivity"))
    out = bytearray()
    for y in range(height):
        for at in range(y * row, y * row + width * step, step):
            out += struct.pack("<4f", *(
                struct.unpack_from(order + FLOATS[place[1]], data, at + place[0])[0] if place else 0
                for place in places))
    return bytes(out)


def clouds(path, topic):
    """Every point cloud of a bag."""
    for _, _, data in messages(path, topic, {"PointCloud2"}):
        yield cloud(Reader(data))
