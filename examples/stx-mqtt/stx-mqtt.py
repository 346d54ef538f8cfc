#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Publishes obstacles, free space and warnings of a pipeline by MQTT, frame by frame.

  stx-mqtt --broker localhost:1883 --topic car/front v4l2src ! video/x-raw,width=2560,height=720 \\
      ! stereo-stixels layout=side-by-side calibration=camera.conf output=stixels

The rest of the command line is a pipeline as for gst-launch-1.0 that ends in what stixel-obstacles
takes: stixels, video with stixels, scans with labels. docs/publishing.md has the topics.

The exit status is 1 if the pipeline failed, or if no message reached the broker.

Needs GStreamer for Python and Paho (Debian: python3-paho-mqtt; PyPI: paho-mqtt).
"""
import argparse
import json
import os
import pathlib
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shared"))

import release  # noqa: E402 (where it is had to be said first)

# An obstacle as a list.
COMPACT = ("id", "x", "z", "width", "height", "closing_speed", "lateral_speed", "class",
           "in_corridor")
OF_THE_STREAM = ("version", "width", "height", "stixel_width", "columns", "camera")


def address(text):
    """Host and port, which may be None."""
    try:
        parts = urllib.parse.urlsplit(f"//{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or port == 0 or parts.netloc != text or "@" in text:
        raise argparse.ArgumentTypeError(f"{text}: say HOST or HOST:PORT, as in localhost:1883")
    return host, port


def topic(text):
    if not text or any(sign in text for sign in "#+\0") or text.startswith("/"):
        raise argparse.ArgumentTypeError(f"{text!r}: a topic to publish to has no + and no #, and "
                                         "does not begin with /")
    return text.rstrip("/")


def arguments_of(command_line):
    parser = argparse.ArgumentParser(prog="stx-mqtt", description=__doc__.splitlines()[0])
    release.add_to(parser)
    parser.add_argument("--broker", type=address, default=("localhost", None),
                        metavar="HOST:PORT", help="localhost, port 1883, with --tls 8883, if "
                        "nothing is said")
    parser.add_argument("--topic", type=topic, default="stixels", help="%(default)s")
    parser.add_argument("--qos", type=int, choices=(0, 1, 2), default=0,
                        help="0 at most once (default), 1 at least once, 2 exactly once")
    parser.add_argument("--queue", type=int, default=100, metavar="N",
                        help="of qos 1 and 2: messages that wait for the broker (%(default)s)")
    parser.add_argument("--compact", action="store_true", help="obstacles as lists, not objects")
    parser.add_argument("--user", help="its password is in the environment, in STX_MQTT_PASSWORD")
    parser.add_argument("--tls", action="store_true",
                        help="encrypted, with the system's certificates")
    parser.add_argument("pipeline", nargs=argparse.REMAINDER,
                        help="as for gst-launch-1.0; without one, the synthetic street")
    arguments = parser.parse_args(command_line)
    if arguments.queue < 1:
        parser.error(f"--queue {arguments.queue}: at least 1")
    return arguments


# Before what follows is looked for: --help and --version need none of it.
ARGUMENTS = arguments_of(sys.argv[1:])

import frames  # noqa: E402
try:
    import link
except ImportError as missing:
    sys.exit(f"There is no Paho for this Python ({missing}): sudo apt install python3-paho-mqtt")


def compact(obstacle):
    """As a list, in the order of COMPACT."""
    flat = {**obstacle, **(obstacle["metres"] or {})}
    return [flat.get(name) for name in COMPACT]


class Publisher:
    """The topics, and the parts of a line of stixel-json for each."""

    def __init__(self, broker, form):
        self.broker, self.form = broker, form
        self.config, self.in_corridor = None, None

    def line(self, line):
        config = {key: line[key] for key in OF_THE_STREAM if key in line}
        if config != self.config:
            self.config = config
            self.broker.publish("config", {**config, "compact": COMPACT}, retain=True)
        if "free_space" in line:
            self.broker.publish("free-space", {"pts": line["pts"],
                                               "free_space": line["free_space"]})
        if "obstacles" in line:
            self.obstacles(line["pts"], line["obstacles"])

    def obstacles(self, pts, obstacles):
        """The corridor's only when something else is the nearest in it, or nothing any more."""
        self.broker.publish("obstacles", {"pts": pts, "obstacles": list(map(self.form, obstacles))})
        nearest = next(filter(lambda obstacle: obstacle["in_corridor"], obstacles), None)
        found = nearest and (nearest["id"] or "unknown")
        if found != self.in_corridor:
            self.in_corridor = found
            told = nearest and self.form(nearest)
            self.broker.publish("corridor", {"pts": pts, "obstacle": told})


def main():
    arguments = ARGUMENTS
    password = os.environ.get("STX_MQTT_PASSWORD")
    host, port = arguments.broker
    broker = link.Link(host, port or (8883 if arguments.tls else 1883), arguments.topic,
                       arguments.qos, arguments.queue, arguments.user, password, arguments.tls)
    publisher = Publisher(broker, compact if arguments.compact else dict)
    status = 0
    try:
        line = frames.linked(arguments.pipeline, frames.OBSTACLES, frames.JSON)
        pipeline = frames.Pipeline(f"{line} ! {frames.sink('lines', True)}", "lines")
        pipeline.stop_on_signals()
        broker.wait()
        for _, sample in pipeline.samples():
            publisher.line(json.loads(frames.bytes_of(sample)))
    except (frames.PipelineError, ValueError) as error:
        print(error, file=sys.stderr)
        status = 1
    broker.close()
    print(broker.counts())
    sys.exit(status or (broker.lost > 0 and broker.sent == 0))


if __name__ == "__main__":
    main()
