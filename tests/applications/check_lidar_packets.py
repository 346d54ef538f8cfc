#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-packets, and lidar-decode on the packets of real sensors.

usage: check_lidar_packets.py

  - a capture of the street's packets, cut into fragments, as .pcapng, of IPv6, with VLANs, and a
    bag of them decode to the same bytes;
  - what is no capture and no bag is refused;
  - in $STX_DATA or ../shared/data, lidar-packets: every point of the reference's cloud of a
    Velodyne and a Hesai is there, within 5 mm; an Ouster's ranges are to the bit those of its
    digest; odd captures pass or are refused by name. Without the data that part is left out.

Python's own packages will do.
"""
import collections
import hashlib
import json
import math
import os
import pathlib
import random
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "examples/stx-packets"))

import captures  # noqa: E402

PROGRAM = [sys.executable, str(ROOT / "examples/stx-packets/stx-packets.py")]
NEAR = .005  # metres
FOLDER = pathlib.Path(tempfile.mkdtemp())
Turn = collections.namedtuple("Turn", "points complete")


def expect(good, what):
    if not good:
        sys.exit(f"FAILED: {what}")
    print(f"ok: {what}")


def run(*command, status=0):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, errors="replace", cwd=FOLDER,
                            timeout=100)
    if (result.returncode == 0) != (status == 0):
        sys.exit(f"FAILED: {command}: {result.returncode}\n{result.stdout}")
    return result.stdout


def turns(capture, *properties, status=0):
    """The bytes of each turn, and what was said."""
    for old in FOLDER.glob("turn-*"):
        old.unlink()
    # gst-launch-1.0 may miss an error that comes early, and wait.
    said = run(*("timeout", "5") * bool(status), "gst-launch-1.0", "filesrc",
               f"location={capture}", "!", "pcapparse", "!", "lidar-decode", *properties, "!",
               "multifilesink", "location=turn-%03d", status=status)
    return [path.read_bytes() for path in sorted(FOLDER.glob("turn-*"))], said


def points_of(data):
    return list(struct.iter_unpack("<4f", data))


# ---- The street's packets ------------------------------------------------------------------------

def street_packets():
    run("gst-launch-1.0", "street-scene-src", "view=lidar", "beams=32", "azimuth-steps=1024",
        "num-buffers=2", "!", "lidar-encode", "sensor=ouster", "metadata=metadata.json", "!",
        "multifilesink", "location=packet-%04d")
    paths = sorted(FOLDER.glob("packet-*"))
    return [captures.Packet(10**18 + i * 1562500, captures.ipaddress.ip_address("10.0.0.1"),
                            captures.ipaddress.ip_address("10.0.0.2"), 7502, 7502,
                            path.read_bytes()) for i, path in enumerate(paths)]


def write_capture(name, frames):
    (FOLDER / name).write_bytes(captures.HEADER + b"".join(
        struct.pack("<4I", time // 10**9, time % 10**9, len(frame), len(frame)) + frame
        for time, frame in frames))
    return FOLDER / name


def whole(packets):
    return [(packet.time, captures.record(packet, i)[16:]) for i, packet in enumerate(packets)]


def fragments(packets):
    """IPv4 in pieces of 1480 bytes, out of order, one of each packet's twice; behind a VLAN."""
    shuffle = random.Random(1)
    for time, frame in whole(packets):
        ip, data = bytearray(frame[14:34]), frame[34:]
        parts = []
        for at in range(0, len(data), 1480):
            more = 0x2000 if at + 1480 < len(data) else 0
            ip[2:4] = struct.pack(">H", 20 + len(data[at:at + 1480]))
            ip[6:8] = struct.pack(">H", more | at // 8)
            parts.append(frame[:12] + b"\x81\x00\x00\x05\x08\x00" + bytes(ip)
                         + data[at:at + 1480])
        shuffle.shuffle(parts)
        yield from ((time, part) for part in parts[:-1] + parts[:1] + parts[-1:])


def of_ipv6(packets):
    for number, (time, frame) in enumerate(whole(packets)):
        data = frame[34:]
        for at in range(0, len(data), 2048):
            more = int(at + 2048 < len(data))
            part = data[at:at + 2048]
            head = struct.pack(">IHBB", 6 << 28, 8 + len(part), captures.FRAGMENT, 1)
            yield time, (frame[:12] + b"\x86\xdd" + head + bytes(15) + b"\x01" + bytes(15) + b"\x02"
                         + struct.pack(">BBHI", captures.UDP, 0, at | more, number) + part)


def pcapng(path, frames):
    blocks = [(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1)),
              (1, struct.pack("<HHI", 1, 0, 0) + struct.pack("<HHB3x", 9, 1, 9))]
    for time, frame in frames:
        blocks.append((6, struct.pack("<5I", 0, time >> 32, time & 0xffffffff, len(frame),
                                      len(frame)) + frame + bytes(-len(frame) % 4)))
    (FOLDER / path).write_bytes(b"".join(
        struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))
        for kind, body in blocks))
    return FOLDER / path


def simple(path, packets):
    """A .pcapng of Simple Packet Blocks, with the frames of an interface cut to its snap length."""
    def block(kind, body):
        return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))
    (FOLDER / path).write_bytes(
        block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1))
        + block(1, struct.pack("<HHI", 1, 0, 65535))
        + b"".join(block(3, struct.pack("<I", len(frame)) + frame + bytes(-len(frame) % 4))
                   for _, frame in whole(packets)))
    return FOLDER / path


def of_link(packets, link, head):
    """A capture of another link type: what stands before the header of IP is its own."""
    path = write_capture(f"link-{link}.pcap", [(at, head + frame[14:])
                                               for at, frame in whole(packets)])
    data = bytearray(path.read_bytes())
    data[20:24] = struct.pack("<I", link)
    path.write_bytes(data)
    return path


def bag(path, packets):
    """A .db3 of ouster_sensor_msgs/PacketMsg, whose recorder names no format."""
    base = sqlite3.connect(FOLDER / path)
    base.execute("create table topics (id integer, name text, type text, "
                 "serialization_format text)")
    base.execute("create table messages (topic_id integer, timestamp integer, data blob)")
    base.execute("insert into topics values (1, '/os/lidar', 'ouster_sensor_msgs/msg/PacketMsg', "
                 "'')")
    for packet in packets:
        data = b"\0\1\0\0" + struct.pack("<I", len(packet.payload)) + packet.payload
        base.execute("insert into messages values (1, ?, ?)", (packet.time, data))
    base.commit()
    base.close()
    return FOLDER / path


def check_left_out(packets):
    """Frames that give no packet are named; too long ones, and many fragments, end soon."""
    frames = whole(packets)
    (FOLDER / "snapped.pcap").write_bytes(captures.HEADER + b"".join(
        struct.pack("<4I", at // 10**9, at % 10**9, 96, len(frame)) + frame[:96]
        for at, frame in frames))
    arp = [(0, frames[0][1][:12] + b"\x08\x06" + bytes(28))]
    for source, words in ((FOLDER / "snapped.pcap", f"{len(frames)} cut off when they were"),
                          (of_link(packets[:1], 127, b""), "1 of link type 127"),
                          (write_capture("arp.pcap", arp), "1 not of IP")):
        said = run(*PROGRAM, source, "-o", "out.pcap", status=1)
        expect(words in said, f"left out: {words}")
    (FOLDER / "long.pcap").write_bytes(captures.HEADER + struct.pack("<4I", 0, 0, 1 << 30, 1 << 30))
    expect("a block of 1073741824 bytes" in run(*PROGRAM, FOLDER / "long.pcap", "-o", "out.pcap",
                                                status=1), "refused: a frame of a gigabyte")
    joiner, begin = captures.Joiner(), time.process_time()
    parts = [joiner.add("key", 8 * i, True, bytes([i % 256]) * 8) for i in range(8000)]
    last = joiner.add("key", 64000, False, b"end")
    expect(parts == [None] * 8000 and len(last) == 64003 and time.process_time() - begin < 1,
           "8000 fragments are joined within a second")


def check_street():
    packets = street_packets()
    plain = write_capture("plain.pcap", whole(packets))
    expected, _ = turns(plain, "calibration=metadata.json")
    expect(len(expected) == 2 and min(map(len, expected)) > 16 * 20000, "the street's packets")
    sources = {"fragments behind a VLAN": write_capture("cut.pcap", fragments(packets)),
               "IPv6 in fragments": write_capture("six.pcap", of_ipv6(packets)),
               ".pcapng": pcapng("next.pcapng", whole(packets)), "a bag": bag("drive.db3", packets),
               "Simple Packet Blocks": simple("simple.pcapng", packets),
               "BSD's loopback": of_link(packets, 0, b"\2\0\0\0"),
               "OpenBSD's loopback": of_link(packets, 108, b"\0\0\0\2"),
               "Linux' any with two VLANs": of_link(packets, 276, struct.pack(
                   ">H18xHHHH", 0x88a8, 5, 0x8100, 7, 0x0800))}
    for what, source in sources.items():
        run(*PROGRAM, source, "-o", "out.pcap")
        found, _ = turns(FOLDER / "out.pcap", "calibration=metadata.json")
        expect(found == expected, what)
    check_left_out(packets)
    (FOLDER / "text").write_text("no packets\n")
    write_capture("empty.pcap", [])
    for source, words in (("text", "neither a capture"), ("nowhere", "no such file"),
                          ("empty.pcap", "no packets of UDP")):
        said = run(*PROGRAM, FOLDER / source, "-o", "refused.pcap", status=1)
        expect(words in said and not (FOLDER / "refused.pcap").exists(), f"refused: {words}")
    for output, words in (("nowhere/x.pcap", "nowhere/x.pcap: No such file"),
                          ("/dev/full", "/dev/full: No space left")):
        said = run(*PROGRAM, plain, "-o", output, status=1)
        expect(words in said and "Traceback" not in said, f"not written: {words}")


# ---- Real sensors --------------------------------------------------------------------------------

def cloud(path):
    """[(x, y, z, ring or None)] of a .pcd"""
    data = path.read_bytes()
    begin = data.index(b"DATA binary\n") + 12
    head = {line.split()[0]: line.split()[1:] for line in data[:begin].decode().splitlines()}
    letters = {("F", "4"): "f", ("U", "1"): "B", ("U", "2"): "H", ("U", "4"): "I"}
    form = "<" + "".join(letters[key] for key in zip(head["TYPE"], head["SIZE"]))
    ring = head["FIELDS"].index("channel") if "channel" in head["FIELDS"] else None
    return [(*record[:3], None if ring is None else record[ring])
            for record in struct.iter_unpack(form, data[begin:])]


def misses(reference, points):
    """The number of reference points without one of ours near, and the farthest of the others."""
    cells = collections.defaultdict(list)
    for point in points:
        cells[tuple(math.floor(c / NEAR) for c in point[:3])].append(point)
    missing, farthest = 0, 0
    for x, y, z, _ in reference:
        cell = [math.floor(c / NEAR) for c in (x, y, z)]
        near = min((math.dist(point[:3], (x, y, z)) for i in range(27) for point in cells.get(
            (cell[0] + i % 3 - 1, cell[1] + i // 3 % 3 - 1, cell[2] + i // 9 - 1), ())), default=9)
        missing += near > NEAR
        farthest = max(farthest, near if near <= NEAR else 0)
    return missing, farthest


def elevation_ring(point):
    return round((math.degrees(math.atan2(point[2], math.hypot(*point[:2]))) + 15) / 2)


# Points that a reference leaves out: nebula loses the shots of the turn that came with the last
# packet of the one before, and takes whole packets where a VLP-32C was told to look at a part of
# the turn.
REFERENCES = (
    ("velodyne/vlp16", "yaml", ("firing=ros",), 40),
    ("velodyne/vlp32", "yaml", ("firing=ros", f"cut={math.pi}"), 45),
    ("hesai/xt32", "csv", (), 0),
    ("hesai/qt64", "csv", (), 0),
)


def check_clouds(data):
    for name, ending, properties, more in REFERENCES:
        run(*PROGRAM, data / f"{name}.db3", "-o", "out.pcap")
        found, _ = turns(FOLDER / "out.pcap", f"calibration={data / name}.{ending}", *properties)
        reference = cloud(data / f"{name}.pcd")
        every = [point for turn in found for point in points_of(turn)]
        missing, farthest = misses(reference, every)
        expect(missing == 0, f"{name}: {len(reference)} points, the farthest "
                             f"{farthest * 1e3:.3f} mm away; {missing} beyond 5 mm")
        counts = [len(turn) // 16 for turn in found]
        expect(any(0 <= count - len(reference) <= more for count in counts),
               f"{name}: {len(reference)} points in one of the turns {counts}")
        if reference[0][3] is not None:
            expect(all(elevation_ring(point) == point[3] for point in reference),
                   f"{name}: rings are by elevation")


def marks_of(capture, *properties):
    """(time, ring, echo) of each point, through Python's GStreamer; None without it."""
    try:
        import gi
        gi.require_version("Gst", "1.0")
        gi.require_version("GstStixels", "1.0")
        from gi.repository import Gst, GstStixels
    except (ImportError, ValueError):
        return None
    Gst.init(None)
    line = Gst.parse_launch(f"filesrc location={capture} ! pcapparse ! lidar-decode name=d "
                            f"{' '.join(properties)} ! appsink name=sink sync=false")
    line.set_state(Gst.State.PLAYING)
    sink, turns_found = line.get_by_name("sink"), []
    while (sample := sink.emit("pull-sample")) is not None:
        buffer = sample.get_buffer()
        meta = GstStixels.buffer_get_stx_turn_meta(buffer)
        turns_found.append((
            points_of(buffer.extract_dup(0, buffer.get_size())),
            list(struct.iter_unpack("<IHBB", meta.marks.extract_dup(0, meta.marks.get_size())))))
    line.set_state(Gst.State.NULL)
    return turns_found


def pixel_of(point, azimuth, columns, origin, up):
    """(column, range in mm) of a point: the column whose beam goes through it."""
    x, y, z = -point[0] * 1e3, -point[1] * 1e3, point[2] * 1e3 - up
    middle = round((1 - (math.atan2(y, x) + azimuth) / (2 * math.pi)) * columns)
    best, aside = None, 2 + int(2000 / math.hypot(x, y, z))
    for column in range(middle - aside, middle + aside + 1):
        e = 2 * math.pi * (1 - column / columns)
        inner = x - origin * math.cos(e), y - origin * math.sin(e)
        off = abs(math.remainder(math.atan2(inner[1], inner[0]) + azimuth - e, 2 * math.pi))
        if best is None or off < best[0]:
            best = off, column % columns, round(math.hypot(*inner, z) + origin)
    return best[1:]


def check_digest(data, name):
    """Ranges back from the points, to the bit."""
    capture, metadata = data / f"{name}.pcap", json.loads((data / f"{name}.json").read_text())
    found = marks_of(capture, f"calibration={data / name}.json")
    if not found:
        print(f"left out: {name} without GStreamer for Python")
        return
    digest = json.loads((data / f"{name}_digest.json").read_text())["scans"][0]
    columns = metadata["data_format"]["columns_per_frame"]
    beams = metadata["data_format"]["pixels_per_column"]
    azimuths = [math.radians(angle) for angle in metadata["beam_azimuth_angles"]]
    ranges = [0] * (beams * columns)
    for point, (_, ring, *_) in zip(*found[0]):
        column, distance = pixel_of(point, azimuths[ring], columns,
                                    metadata["lidar_origin_to_beam_origin_mm"],
                                    metadata["lidar_to_sensor_transform"][11])
        ranges[ring * columns + column] = distance
    same = hashlib.md5(struct.pack(f"<{len(ranges)}I", *ranges)).hexdigest() == digest["RANGE"]
    expect(same, f"{name}: {len(found[0][0])} ranges are those of the digest")


def check_odd(data):
    for name, metadata, count in (("crc_test", "crc_test", 2),
                                  ("windowed_frame1", "windowed_frame1_0", 1),
                                  ("OS-1-128_767798045_1024x10_20230712_120049", None, 1)):
        found, _ = turns(data / f"{name}.pcap", f"calibration={data / (metadata or name)}.json")
        expect(len(found) == count, f"{name}: {len(found)} turns")
    _, said = turns(data / "imu_zm_no_lidar.pcap", "sensor=ouster",
                    f"calibration={data / 'imu_zm_no_lidar_0.json'}", status=1)
    expect("none of 9 packets" in said, "imu_zm_no_lidar: refused by name")
    run(*PROGRAM, data / "duplicate_id.pcap", "-o", "out.pcap")
    found, _ = turns(FOLDER / "out.pcap", f"calibration={data / 'duplicate_id.json'}")
    expect(len(found) == 1, "duplicate_id: joined")


def main():
    check_street()
    data = pathlib.Path(os.environ.get("STX_DATA") or ROOT.parent / "shared/data") / "lidar-packets"
    if not data.is_dir():
        print("left out: no data of real sensors")
        return
    check_clouds(data)
    for name in ("OS-0-128-U1_v2.3.0_1024x10", "OS-1-32-G_v2.1.1_1024x10"):
        check_digest(data / "ouster", name)
    check_odd(data / "ouster")


if __name__ == "__main__":
    main()
