# SPDX-License-Identifier: LGPL-2.1-or-later
"""ROS 2 bags: the messages that hold a LiDAR's packets."""
import ipaddress
import sys

import bagfile
import rostypes
from captures import Packet
from cdr import Refused, short

SENSOR, HOST = ipaddress.ip_address("192.168.1.201"), ipaddress.ip_address("192.168.1.77")


def several(message):
    """Packets with their times, of which some say how much of their bytes counts."""
    for one in message["packets"]:
        yield rostypes.nanoseconds(one["stamp"]), one["data"][:one.get("size")]


# By the name of the type without its package: makers have packages of their own. What it is where
# the bag does not say it, and how packets come out of it.
PACKETS = {
    "VelodyneScan": ("velodyne_msgs/VelodyneScan", several),
    "PandarScan": ("pandar_msgs/PandarScan", several),
    "NebulaPackets": ("nebula_msgs/NebulaPackets", several),
    "PacketMsg": ("ouster_sensor_msgs/PacketMsg", lambda message: [(None, message["buf"])]),
}


def name_of(topic):
    return short(topic.kind).rsplit("/", 1)[-1]


def messages(path, wanted):
    """Name of the type, time and content of those that hold packets, of one topic."""
    if path.is_file() and path.suffix not in bagfile.ENDINGS:
        raise Refused("neither a capture (.pcap, .pcapng) nor a bag (a folder, or a .db3 or .mcap "
                      "of one)")
    bag = bagfile.Bag(path)
    found = sorted(name for name, topic in bag.topics.items() if name_of(topic) in PACKETS)
    if wanted is not None and wanted not in bag.topics:
        raise Refused(f"no topic {wanted}; there are {', '.join(sorted(bag.topics))}")
    topic = wanted or next(iter(found), None)
    if topic not in found:
        return
    if others := [name for name in found if name != topic]:
        print(f"stx-packets: read {topic}; --topic reads {', '.join(others)}", file=sys.stderr)
    kind = name_of(bag.topics[topic])
    types = bag.types(topic, PACKETS[kind][0])
    for _, time, data in bag.messages([topic]):
        yield kind, time, types.decode(data)


def packets(path, topic, port):
    """Every packet of a bag."""
    for kind, time, message in messages(path, topic):
        for stamp, payload in PACKETS[kind][1](message):
            yield Packet(stamp or time, SENSOR, HOST, port, port, payload)
