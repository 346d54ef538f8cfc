#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Gives the LiDAR packets of ROS 2 bags and of captures to GStreamer.

  stx-packets drive/ | gst-launch-1.0 fdsrc ! pcapparse ! lidar-decode ! fakesink
  stx-packets fragments.pcapng -o whole.pcap

SOURCE is a bag (its folder, a .db3 or .mcap) or a capture (.pcap, .pcapng). What comes out is a
capture of Ethernet frames with one UDP packet each, which pcapparse reads: fragments of packets are
joined, IPv6, VLANs and Linux' "any" become plain IPv4.

Needs nothing but Python; for bags of MCAP the package mcap (PyPI).
docs/elements/lidar-decode.md shows it at work.
"""
import argparse
import itertools
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shared"))

import bags  # noqa: E402 (where it is had to be said first)
import captures  # noqa: E402
import release  # noqa: E402


def arguments_of(command_line):
    parser = argparse.ArgumentParser(prog="stx-packets", description=__doc__.splitlines()[0])
    release.add_to(parser)
    parser.add_argument("source", metavar="SOURCE", type=pathlib.Path,
                        help="a bag (its folder, a .db3 or .mcap) or a capture (.pcap, .pcapng)")
    parser.add_argument("-o", "--output", metavar="FILE",
                        help="the capture to write; without: to standard output")
    parser.add_argument("--topic", help="of a bag with several sensors: which one")
    parser.add_argument("--port", type=int, default=2368,
                        help="the port that packets of a bag get (%(default)s)")
    arguments = parser.parse_args(command_line)
    if not arguments.source.exists():
        parser.error(f"{arguments.source}: there is no such file or folder")
    if not 1 <= arguments.port <= 65535:
        parser.error(f"--port {arguments.port}: expected 1 to 65535")
    if not arguments.output and sys.stdout.isatty():
        parser.error("say -o FILE, or send the output to a program")
    return arguments


def write_packets(arguments):
    losses = captures.Losses()
    if captures.is_capture(arguments.source):
        packets = captures.read(arguments.source, losses)
    else:
        packets = bags.packets(arguments.source, arguments.topic, arguments.port)
    # The first one is looked for before anything is written: a refusal leaves files as they are.
    first, count = list(itertools.islice(packets, 1)), 0
    if not first and (words := losses.words(0)):
        raise captures.Refused(f"no packets in it: of its frames, {words}")
    if not first:
        return 0
    with open(arguments.output, "wb") if arguments.output else sys.stdout.buffer as output:
        output.write(captures.HEADER)
        for packet in itertools.chain(first, packets):
            output.write(captures.record(packet, count))
            count += 1
    words = losses.words(count)
    print(f"stx-packets: {count} packets" + (f"; left out frames: {words}" if words else ""),
          file=sys.stderr)
    return count


def main():
    arguments = arguments_of(sys.argv[1:])
    try:
        count = write_packets(arguments)
    except (bags.Refused, captures.Refused) as fault:
        sys.exit(f"stx-packets: {arguments.source}: {fault}")
    except struct.error:
        sys.exit(f"stx-packets: {arguments.source}: ends in the middle of something")
    except BrokenPipeError:
        return 1
    except OSError as fault:
        place = fault.filename or arguments.output or "standard output"
        sys.exit(f"stx-packets: {place}: {fault.strerror}")
    if count == 0:
        sys.exit(f"stx-packets: {arguments.source}: no packets of UDP and no messages of a LiDAR "
                 "in it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
