# SPDX-License-Identifier: LGPL-2.1-or-later
"""Captures of UDP packets, .pcap and .pcapng: read, with fragments joined; and written.

A file is read frame by frame: a frame and the fragments that wait are all that memory holds.
"""
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
LARGEST = 1 << 24  # bytes of a block; libpcap keeps at most 2^18 of a frame
LONGEST = 65535    # bytes of a packet
ETHERNET, IPV4, IPV6 = 1, 0x0800, 0x86dd
VLANS = 0x8100, 0x88a8, 0x9100


class Refused(Exception):
    pass


def is_capture(path):
    if path.is_dir():
        return False
    with open(path, "rb") as file:
        magic = file.read(4)
    return magic in MAGICS or magic == PCAPNG


# ---- Frames --------------------------------------------------------------------------------------

# time in nanoseconds; whole: the bytes that the network had, of which `data` may be the first
Frame = collections.namedtuple("Frame", "link time whole data")


def take(file, size):
    """So many bytes; fewer at the end of the file."""
    if size > LARGEST:
        raise Refused(f"a block of {size} bytes before byte {file.tell()}")
    return file.read(size)


def pcap_frames(file):
    head = take(file, 24)
    order, unit = MAGICS[head[:4]]
    link = struct.unpack_from(order + "I", head, 20)[0] & 0xffff
    while len(head := take(file, 16)) == 16:
        seconds, part, size, whole = struct.unpack(order + "4I", head)
        yield Frame(link, seconds * 10**9 + part * unit, whole, take(file, size))


def interface_of(body, order):
    """(link type, bytes that are kept of a frame, ticks a second: option 9) of an interface."""
    link, _, kept = struct.unpack_from(order + "HHI", body)
    options, ticks = body[8:], 10**6
    while len(options) >= 5:
        code, size = struct.unpack_from(order + "HH", options)
        if code == 9 and size >= 1:
            power = options[4]
            ticks = 2 ** (power & 127) if power & 128 else 10 ** power
        options = options[4 + (size + 3) // 4 * 4:]
    return link, kept or LARGEST, ticks


def pcapng_frames(file):
    order, interfaces, time = "<", [], 0
    while len(head := take(file, 8)) == 8:
        if head[:4] == PCAPNG:
            magic = take(file, 4)
            order, interfaces = "<" if magic == b"\x4d\x3c\x2b\x1a" else ">", []
            file.seek(-4, 1)
        kind, size = struct.unpack(order + "II", head)
        if size < 12 or size % 4:
            raise Refused(f"a block of {size} bytes at byte {file.tell() - 8}")
        body = take(file, size - 8)[:-4]
        if kind == 1:
            interfaces.append(interface_of(body, order))
        elif kind in (3, 6):
            # A Simple Packet Block is of the first interface, and has no time.
            number = struct.unpack_from(order + "I", body)[0] if kind == 6 else 0
            if number >= len(interfaces):
                raise Refused(f"a packet of interface {number}, of {len(interfaces)}")
            link, most, ticks = interfaces[number]
            if kind == 6:
                high, low, kept, whole = struct.unpack_from(order + "4I", body, 4)
                time, begin = (high << 32 | low) * 10**9 // ticks, 20
            else:
                whole, begin = struct.unpack_from(order + "I", body)[0], 4
                kept = min(whole, most)
            yield Frame(link, time, whole, body[begin:begin + kept])


# ---- Internet ------------------------------------------------------------------------------------

def by_version(data):
    """EtherType of what begins with a header of IP, and its bytes."""
    return (IPV6 if data and data[0] >> 4 == 6 else IPV4), data


# By link type, where in a frame the EtherType is, and where the bytes behind it begin.
ETHERTYPE = {ETHERNET: (12, 14), 113: (14, 16), 276: (0, 20)}  # the others: Linux' "any"
# By link type, where IP begins: behind a loopback's number of the protocol, or at once.
IP_AT = {0: 4, 108: 4, 12: 0, 14: 0, 101: 0, 228: 0, 229: 0}


def network_of(frame):
    """(EtherType, bytes behind it) of a frame; None: of a link that is not known."""
    if frame.link in IP_AT:
        return by_version(frame.data[IP_AT[frame.link]:])
    if frame.link not in ETHERTYPE:
        return None
    at, begin = ETHERTYPE[frame.link]
    kind = struct.unpack_from(">H", frame.data, at)[0]
    while kind in VLANS:
        kind = struct.unpack_from(">H", frame.data, begin + 2)[0]
        begin += 4
    return kind, frame.data[begin:]


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
        if offset + len(data) > LONGEST:
            return None
        parts = self.waiting.setdefault(key, {"there": 0, "size": None})
        parts["there"] += len(data) - len(parts.get(offset, b""))
        parts[offset] = data
        if not more:
            parts["size"] = offset + len(data)
        while len(self.waiting) > WAITING:
            self.waiting.popitem(last=False)
        # They are joined once, when there are as many bytes as a packet has; where fragments lie
        # over each other, none is right (RFC 5722).
        if parts["size"] is None or parts["there"] < parts["size"]:
            return None
        whole = []
        at = 0
        while at < parts["size"] and parts.get(at):
            whole.append(parts[at])
            at += len(parts[at])
        self.waiting.pop(key, None)
        return b"".join(whole) if at == parts["size"] else None


CUT = "cut off when they were recorded: record without a limit (tcpdump -s 0)"


class Losses:
    """Frames that gave no packet, by their reason."""

    def __init__(self):
        self.damaged, self.others = collections.Counter(), collections.Counter()

    def words(self, packets):
        """Frames of other protocols are named only where there are no packets at all."""
        found = self.damaged + (self.others if packets == 0 else collections.Counter())
        return ", ".join(f"{count} {why}" for why, count in found.items())


def read(path, losses):
    """Every UDP packet of a capture that is whole; counts other frames."""
    joiner = Joiner()
    with open(path, "rb") as file:
        frames = pcapng_frames if file.read(4) == PCAPNG else pcap_frames
        file.seek(0)
        for frame in frames(file):
            try:
                network = network_of(frame)
                if network is None:
                    losses.damaged[f"of link type {frame.link}, which is not read"] += 1
                    continue
                if network[0] not in (IPV4, IPV6):
                    losses.others["not of IP"] += 1
                    continue
                parse = ipv4 if network[0] == IPV4 else ipv6
                key, offset, more, protocol, source, target, part = parse(network[1])
            except (struct.error, IndexError):
                losses.damaged[CUT] += 1
                continue
            if protocol != UDP:
                losses.others["not of UDP"] += 1
                continue
            if len(frame.data) < frame.whole:
                losses.damaged[CUT] += 1
                continue
            whole = joiner.add(key, offset, more, part)
            if whole is None or len(whole) < 8:
                continue
            source_port, target_port, size = struct.unpack_from(">HHH", whole)
            yield Packet(frame.time, ipaddress.ip_address(source), ipaddress.ip_address(target),
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
