#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Calibrates a stereo camera from pictures of a chessboard, or of any scene in which it moves, and
writes the file for stereo-rectify.

  stx-calibrate left.mkv right.mkv --baseline 0.12 -o camera.yml
  stx-calibrate --print-board board.svg --board 9x6 --square 0.025
  stx-calibrate left.mkv right.mkv --board 9x6 --square 0.025 -o camera.yml

An INPUT is a recording, a folder or quoted pattern of pictures, or a live source, gst: and a
gst-launch line. Two inputs are the left and the right view. One is a recording with two tracks, or
frames with both views in them. The board's numbers are its corners between squares, across and
down, and the side of a square in metres.

Needs OpenCV and GStreamer for Python (Debian: python3-opencv python3-gst-1.0). The page
docs/calibration.md tells how to record, and what the report means.
"""
import argparse
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shared"))
if os.environ.get("STX_OPENCV"):  # a folder with OpenCV for Python
    sys.path.insert(0, os.environ["STX_OPENCV"])

import release  # noqa: E402 (where it is had to be said first)


class Failure(Exception):
    """An error that ends the program with a message."""


def corners_of(text):
    match = re.fullmatch(r"0*(\d{1,9})x0*(\d{1,9})", text)
    if not match or not all(3 <= int(n) <= 100 for n in match.groups()):
        raise argparse.ArgumentTypeError(f"{text}: say the corners between squares across and "
                                         "down, 3 to 100 each, as in 9x6")
    return int(match[1]), int(match[2])


def positive(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is no number above 0")
    return value


def metres(text):
    value = positive(text)
    if value > 2:
        raise argparse.ArgumentTypeError(
            f"{text} m is a large square, or distance of cameras: 25 mm are 0.025")
    return value


def degrees(text):
    value = positive(text)
    if not 10 <= value <= 130:
        raise argparse.ArgumentTypeError(f"{text} degrees; expected 10 to 130, across the picture")
    return value


def thing(text):
    try:
        x1, y1, x2, y2, length = map(float, text.split(","))
    except ValueError:
        length = 0
    if not 0 < length < 1e3 or (x1, y1) == (x2, y2) or min(x1, y1, x2, y2) < 0:
        raise argparse.ArgumentTypeError(
            f"{text}: say where in the first left picture a straight thing of known length ends, "
            "pixels across and down, and its metres: X1,Y1,X2,Y2,M, as in 412,300,618,305,0.8")
    return ((x1, y1), (x2, y2)), length


def options():
    parser = argparse.ArgumentParser(
        prog="stx-calibrate", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    release.add_to(parser)
    add = parser.add_argument
    add("input", nargs="*", metavar="INPUT", help="the left and the right view, or both in one")
    add("--board", type=corners_of, default=(9, 6), metavar="9x6",
        help="corners between squares, across and down")
    add("--square", type=metres, default=0.025, metavar="M", help="side of a square, metres")
    add("--baseline", type=metres, metavar="M",
        help="without a board: the distance between the cameras, metres, by a tape measure")
    add("--camera-height", type=positive, metavar="M",
        help="without a board, instead of --baseline: metres from the left lens, in the first "
             "picture, down to a floor that is in view")
    add("--object", type=thing, metavar="X1,Y1,X2,Y2,M",
        help="without a board, instead of --baseline: both ends of a straight thing in the first "
             "left picture, pixels across and down, and its length in metres")
    add("--fov", type=degrees, metavar="DEGREES",
        help="without a board: the lens's horizontal angle of view, to begin with (default: the "
             "pictures' EXIF, or 70)")
    add("-o", "--output", default="camera.yml", metavar="FILE", help="default: camera.yml")
    add("--model", choices=("plumb-bob", "rational", "fisheye"), default="plumb-bob",
        help="of the lenses: 5 coefficients, 8 for wide ones, 4 for those above 120 degrees")
    add("--layout", choices=("side-by-side", "top-bottom"), default="side-by-side",
        help="of frames that hold both views")
    add("--swap", action="store_true", help="the first view is the right one")
    add("--views", type=int, default=40, metavar="N",
        help="how many views of the board are used (default 40)")
    add("--every", type=positive, default=0, metavar="S",
        help="look at a frame every S seconds (default: at all, of live sources 0.5)")
    add("--tolerance", type=positive, default=0.02, metavar="S",
        help="frames of the two views that are this close in time are a pair (default 0.02)")
    add("--seconds", type=positive, default=120, metavar="S",
        help="how long live sources run (default 120; Ctrl-C ends them, too)")
    add("--picture", metavar="FILE", help="a rectified pair with level lines, PNG")
    add("--print-board", metavar="FILE", help="write the board as SVG, to be printed, and stop")
    return parser


def check(parser, arguments):
    if arguments.views < 8:
        parser.error("--views: a calibration needs 8 at least")
    scales = [name for name in ("baseline", "camera_height", "object") if getattr(arguments, name)]
    arguments.scene = bool(scales)
    if len(scales) > 1:
        parser.error("--baseline, --camera-height and --object all give the scale: choose one")
    if arguments.fov and not scales:
        parser.error("--fov is for a calibration without a board: give --baseline, "
                     "--camera-height or --object, too")
    if len(arguments.input) not in (1, 2):
        parser.error("give the left and the right view, or one input that holds both; "
                     "--help tells more")


def main():
    parser = options()
    arguments = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")  # names are bytes, whatever the locale is
    if arguments.print_board:
        import drawing
        if re.fullmatch(r"\d+x\d+", arguments.print_board):
            parser.error(f"--print-board {arguments.print_board}: must be a file, as in "
                         f"--print-board board.svg --board {arguments.print_board}")
        drawing.write_board(arguments.print_board, arguments.board, arguments.square)
        return
    check(parser, arguments)
    try:
        import cv2  # looked for here, so that what is missing is said once
    except ImportError:
        raise Failure("there is no OpenCV for this Python: "
                      + release.cure("python3-opencv", "opencv-python"))
    import calibration
    import sources
    try:
        calibration.run(arguments)
    except (sources.SourceError, calibration.CalibrationError) as error:
        raise Failure(error)
    except (cv2.error, MemoryError) as error:
        raise Failure(f"the pictures are more than OpenCV can take: {error}")


if __name__ == "__main__":
    try:
        main()
    except (Failure, OSError) as failure:
        sys.exit(f"stx-calibrate: {failure}")
