# SPDX-License-Identifier: LGPL-2.1-or-later
"""Options of programs that take a pipeline with branches; branches.py is what becomes of them, and
needs GStreamer."""
import argparse

STREET = {"disparity": "street-scene-src view=disparity",
          "scan": "street-scene-src view=lidar",
          "lidar_place": (0, -.08, 0)}


def add_to(parser):
    parser.add_argument("--frames", type=int, metavar="N", help="stop after so many")
    parser.add_argument("--disparity", metavar="PIPELINE", help="that ends in disparities")
    parser.add_argument("--scan", metavar="PIPELINE", help="that ends in points")
    parser.add_argument("--lidar-place", type=float, nargs=3, metavar=("X", "Y", "Z"),
                        help="of the scanner, metres to the right, down and ahead of the camera")
    parser.add_argument("pipeline", nargs=argparse.REMAINDER, help="as for gst-launch-1.0")


def check(parser, arguments, street):
    """`street`: what those options are that were not said, if that is what is shown."""
    for name, value in street.items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    if arguments.frames is not None and arguments.frames < 1:
        parser.error(f"--frames {arguments.frames}: at least 1")
