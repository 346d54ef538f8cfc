#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A web page with live pictures, stixels drawn on them, and what they say in metres beside them.

  stx-web v4l2src ! video/x-raw,width=2560,height=720 \\
      ! stereo-stixels layout=side-by-side calibration=camera.conf

The rest of the command line is a pipeline as for gst-launch-1.0 that ends in video with stixels.
The page is for this machine alone unless --host says more: docs/publishing.md.

Needs GStreamer for Python.
"""
import argparse
import collections
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shared"))

import release  # noqa: E402 (where it is had to be said first)


def arguments_of(command_line):
    parser = argparse.ArgumentParser(prog="stx-web", description=__doc__.splitlines()[0])
    release.add_to(parser)
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS",
                        help="to listen on (%(default)s); 0.0.0.0 is every network of this machine")
    parser.add_argument("--port", type=int, default=8090, help="%(default)s; 0: any that is free")
    parser.add_argument("--quality", type=int, default=80, metavar="1…100",
                        help="of the pictures (%(default)s)")
    parser.add_argument("pipeline", nargs=argparse.REMAINDER,
                        help="as for gst-launch-1.0; without one, the synthetic street")
    arguments = parser.parse_args(command_line)
    if not 0 <= arguments.port < 65536:
        parser.error(f"--port {arguments.port}: 0 … 65535")
    if not 1 <= arguments.quality <= 100:
        parser.error(f"--quality {arguments.quality}: 1 … 100")
    return arguments


# Before what follows is looked for: --help and --version need none of it.
ARGUMENTS = arguments_of(sys.argv[1:])

import frames  # noqa: E402
import server  # noqa: E402


def launch_line(arguments):
    """Pictures, and what is known of them in words: two sinks, which get the same frames."""
    return (f"{frames.linked(arguments.pipeline, frames.OBSTACLES)} ! tee name=stixels-tee "
            f"stixels-tee. ! queue ! {frames.JSON} ! {frames.sink('lines', True)} "
            "stixels-tee. ! queue ! videoconvert ! "
            f"jpegenc quality={arguments.quality} ! {frames.sink('pictures', True)}")


class Pairs:
    """Pictures wait for their words, which an element may leave out where nothing is known."""

    def __init__(self, hub):
        self.hub, self.number = hub, 0
        self.waiting = {"pictures": collections.deque(), "lines": collections.deque()}

    def add(self, name, sample):
        self.waiting[name].append((frames.pts_of(sample) or 0, frames.bytes_of(sample)))
        pictures, lines = self.waiting["pictures"], self.waiting["lines"]
        while pictures and lines:
            if lines[0][0] < pictures[0][0]:
                lines.popleft()
                continue
            pts, picture = pictures.popleft()
            line = lines.popleft()[1] if lines[0][0] == pts else json.dumps({"pts": pts}).encode()
            self.hub.put(self.number, picture, line.strip())
            self.number += 1


def main():
    arguments = ARGUMENTS
    hub = server.Hub()
    try:
        pipeline = frames.Pipeline(launch_line(arguments), "pictures", "lines")
        pipeline.stop_on_signals()
        page = server.Server(arguments.host, arguments.port, hub)
    except frames.PipelineError as error:
        sys.exit(str(error))
    except OSError as error:
        sys.exit(f"{arguments.host}:{arguments.port}: {error}")
    print(page.url, flush=True)
    pairs = Pairs(hub)
    try:
        for name, sample in pipeline.samples():
            pairs.add(name, sample)
        hub.end("the pipeline has ended")
    except frames.PipelineError as error:
        hub.end(str(error))
        sys.exit(str(error))


if __name__ == "__main__":
    main()
