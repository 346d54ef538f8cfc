# SPDX-License-Identifier: LGPL-2.1-or-later
"""Captures of UDP packets, .pcap and .pcapng: read, with fragments joined; and written."""
import collections
import ipaddress
import struct

# time in nanoseconds, addresses as ipaddress has them
Packet = collections.namedtuple("Packet", "time source target source_port target_port payload")

MAGICS = {b"\xd4\xc3\xb2\xa1": ("<", 1000), b"\xa1\xb2\xc3\xd4": (">", 1000),
          b"\x4d\x3c\xb2\xa1": ("<", 1), b"\xa1\xb2\x3c\x4d": (">", 1)}
PCAPNG = b"\x0a\x0d\x0d\x0a"
HEADER = struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 262144, 1)
UDP, FRAGMENT = 17, 44
WAITING = 64  # packets of which fragments are kept: those of lost ones must not pile up


class Refused(Exception):
    pass


def is_capture(path):
    if path.is_dir():
        return False
    with open(path, "rb") as file:
        magic = file.read(4)
    return magic in MAGICS or magic == PCAPNG


# ---- Frames --------------------------------------------------------------------------------------

def pcap_frames(data):
    """(link type, time, bytes) of each frame."""
    order, unit = MAGICS[data[:4]]
    link = struct.unpack_from(order + "I", data, 20)[0] & 0xffff
    at = 24
    while at + 16 <= len(data):
        seconds, part, size, _ = struct.unpack_from(order + "4I", data, at)
        yield link, seconds * 10**9 + part * unit, data[at + 16:at + 16 + size]
        at += 16 + size


def time_unit(options, order):
    """Ticks a second of an interface: option 9."""
    at = 0
    while at + 4 <= len(options):
        code, size = struct.unpack_from(order + "HH", options, at)
        if code == 9 and size >= 1:
            power = options[at + 4]
            return 2 ** (power & 127) if power & 128 else 10 ** power
        at += 4 + (size + 3) // 4 * 4
    return 10**6


def pcapng_frames(data):
    at, order, interfaces = 0, "<", []
    while at + 12 <= len(data):
        if data[at:at + 4] == PCAPNG:
            order = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
        kind, size = struct.unpack_from(order + "II", data, at)
        if size < 12 or size % 4:
            raise Refused(f"a block of {size} bytes at byte {at}")
        body = data[at + 8:at + size - 4]
        if kind == 1:
            interfaces.append((struct.unpack_from(order + "H", body)[0],
                               time_unit(body[8:], order)))
        elif kind == 6:
            interface, high, low, kept, _ = struct.unpack_from(order + "5I", body)
            if interface >= len(interfaces):
                raise Refused(f"a packet of interface {interface}, of {len(interfaces)}")
            link, ticks = interfaces[interface]
            yield link, (high << 32 | low) * 10**9 // ticks, body[20:20 + kept]
        at += size


# ---- Internet ------------------------------------------------------------------------------------

def network_of(link, frame):
    """(EtherType, bytes behind it) of a frame; None: nothing of the internet."""
    if link == 1:
        at = 12
    elif link == 113:  # Linux' "any"
        at = 14
    elif link == 276:
        return struct.unpack_from(">H", frame)[0], frame[20:]
    elif link in (12, 101, 228, 229):
        return (0x86dd if frame and frame[0] >> 4 == 6 else 0x0800), frame
    else:
        return None
    kind = struct.unpack_from(">H", frame, at)[0]
    while kind in (0x8100, 0x88a8):  # VLAN
        at += 4
        kind = struct.unpack_from(">H", frame, at)[0]
    return kind, frame[at + 2:]


def ipv4(data):
    """(key of the fragments, offset, more, protocol, source, target, bytes)"""
    begin, total = (data[0] & 15) * 4, struct.unpack_from(">H", data, 2)[0]
    number, flags = struct.unpack_from(">HH", data, 4)
    source, target = data[12:16], data[16:20]
    return ((source, target, number), (flags & 0x1fff) * 8, bool(flags & 0x2000), data[9],
            source, target, data[begin:total or None])


def ipv6(data):
    length, protocol = struct.unpack_from(">HB", data, 4)
    source, target, at = data[8:24], data[24:40], 40
    key, offset, more = (source, target, None), 0, False
    while protocol in (0, 43, 60, FRAGMENT):
        size = 8
        if protocol == FRAGMENT:
            flags, number = struct.unpack_from(">HI", data, at + 2)
            key, offset, more = (source, target, number), flags & ~7, bool(flags & 1)
        else:
            size += data[at + 1] * 8
        protocol, at = data[at], at + size
    return key, offset, more, protocol, source, target, data[at:40 + length]


class Joiner:
    """Fragments to whole packets."""

    def __init__(self):
        self.waiting = collections.OrderedDict()

    def add(self, key, offset, more, data):
        """The whole, or None."""
        if offset == 0 and not more:
            return data
        parts = self.waiting.setdefault(key, {})
        parts[offset] = (data, more)
        whole = b""
        while len(whole) in parts:
            part, goes_on = parts[len(whole)]
            if not part:
                break
            whole += part
            if not goes_on:
                del self.waiting[key]
                return whole
        while len(self.waiting) > WAITING:
            self.waiting.popitem(last=False)
        return None


def read(path):
    """Every UDP packet of a capture."""
    data = path.read_bytes()
    joiner = Joiner()
    for link, time, frame in (pcapng_frames if data[:4] == PCAPNG else pcap_frames)(data):
        try:
            network = network_of(link, frame)
            if network is None or network[0] not in (0x0800, 0x86dd):
                continue
            parse = ipv4 if network[0] == 0x0800 else ipv6
            key, offset, more, protocol, source, target, part = parse(network[1])
        except (struct.error, IndexError):
            continue  # cut off
        whole = joiner.add(key, offset, more, part) if protocol == UDP else None
        if whole is None or len(whole) < 8:
            continue
        source_port, target_port, size = struct.unpack_from(">HHH", whole)
        yield Packet(time, ipaddress.ip_address(source), ipaddress.ip_address(target),
                     source_port, target_port, whole[8:max(size, 8)])


# ---- Writing -------------------------------------------------------------------------------------

def plain(address):
    """As IPv4: of IPv6 the last four bytes stay apart."""
    packed = address.packed
    return packed if len(packed) == 4 else b"\x0a" + packed[-3:]


def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def record(packet, number):
    """A packet as a frame of a capture."""
    payload = packet.payload[:65507]
    udp = struct.pack(">HHHH", packet.source_port, packet.target_port, 8 + len(payload), 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 28 + len(payload), number & 0xffff, 0, 64, UDP, 0,
                     plain(packet.source), plain(packet.target))
    ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
    frame = b"\xff" * 6 + b"\x02" + bytes(5) + b"\x08\x00" + ip + udp + payload
    seconds, rest = divmod(packet.time, 10**9)
    return struct.pack("<4I", seconds & 0xffffffff, rest, len(frame), len(frame)) + frame
