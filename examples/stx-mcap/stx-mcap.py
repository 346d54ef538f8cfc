#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes what a pipeline finds to an MCAP file with messages of ROS 2, for Foxglove, RViz and ros2,
or sends it to Foxglove live.

  stx-mcap --save results.mcap                 the synthetic street
  stx-mcap --live 8765                         the same in Foxglove, at this port
  stx-mcap --save results.mcap --bag drive/    a bag with two cameras, or with a scanner
  stx-mcap --save results.mcap PIPELINE        as for gst-launch-1.0; ends in video with stixels

A bag is a folder, or a file of one (.mcap, .db3). A PIPELINE of your own finds its cameras as
elements bag-left and bag-right, rectified, and its point clouds as bag-points. --disparity, --scan
and --grid are more branches of the same pipeline: they end in a map of disparities, in points and
in an occupancy grid, and may name elements of it; a scan alone needs no PIPELINE.

The file has its name when it is complete: until then it ends in .part. The exit status is 1 where
the pipeline failed or the bag is damaged; what was found until then is in the file.

Needs GStreamer for Python, NumPy, and MCAP or Foxglove's SDK (PyPI: mcap, foxglove-sdk).
docs/ros2.md has topics and frames.
"""
import argparse
import os
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shared"))
if os.environ.get("STX_MCAP"):  # a folder with MCAP and its NumPy
    sys.path.insert(0, os.environ["STX_MCAP"])

import release  # noqa: E402 (where it is had to be said first)

PLAIN = "motion=true alpha=0 overlay::outlines=false legend=none"
STREET = ("street-scene-src ! stixels.sink_left street-scene-src view=right ! stixels.sink_right "
          f"stereo-stixels name=stixels {PLAIN}")
STREET_TOO = {
    "disparity": "street-scene-src view=disparity",
    "scan": "street-scene-src view=lidar ! lidar-ground ! stixel-obstacles"}
PAIR = ("bag-left. ! stixels.sink_left bag-right. ! stixels.sink_right "
        f"stereo-stixels name=stixels {PLAIN}")
PAIR_TOO = {"disparity": "stixels.src_disparity"}
GRID = "stixels.src_stixels ! occupancy-grid"  # where there is that element
SCAN = "bag-points. ! lidar-ground ! stixel-obstacles"


def seconds(text):
    """Nanoseconds of seconds since 1970, as "now" or "1700000000.5"."""
    if text == "now":
        return time.time_ns()
    whole, _, part = text.partition(".")
    if not re.fullmatch(r"\d{1,10}", whole) or not re.fullmatch(r"\d{0,9}", part):
        raise argparse.ArgumentTypeError(f"{text}: expected seconds since 1970, or now")
    return int(whole) * 10**9 + int(part.ljust(9, "0"))


def fill(arguments, values):
    """Sets what those options are that were not said."""
    for name, value in values.items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)


def arguments_of(command_line):
    parser = release.parser_of("stx-mcap", __doc__)
    add = parser.add_argument
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--save", metavar="FILE", help="the .mcap file to write")
    where.add_argument("--live", metavar="PORT", type=int, help="where viewers connect; Foxglove's "
                       "default is 8765")
    add("--host", default="127.0.0.1", help="the address of --live; default: %(default)s")
    add("--bag", metavar="BAG", help="what the pipeline reads")
    for name, what in (("left", "pictures"), ("right", "pictures"), ("points", "point clouds")):
        add(f"--{name}", metavar="TOPIC", help=f"of the bag's {what}, if it is not to be told from "
            "their names")
    for name in ("left", "right"):
        add(f"--{name}-info", metavar="TOPIC", help="of CameraInfo, if it is not camera_info "
            "beside the pictures")
    add("--camera", choices=("bag", "none"), default="bag",
        help="none: the pipeline brings its calibration; default: %(default)s")
    add("--rectified", choices=("auto", "yes", "no"), default="auto",
        help="are the bag's pictures? auto: by CameraInfo and topic; default: %(default)s")
    add("--times", choices=("stamp", "recording"), default="stamp",
        help="of the bag's messages: of their headers, or when they were recorded; default: "
        "%(default)s")
    add("--start", type=seconds, metavar="SECONDS", help="since 1970, or now: what time the time "
        "stamp 0 is; default: what the bag or a live source says, else 0")
    add("--namespace", type=lambda name: name.strip("/"), default="stixels",
        help="of the topics; default: %(default)s")
    add("--camera-place", type=float, nargs=3, metavar=("X", "Y", "Z"),
        help="of the camera in base_link, metres ahead, to the left and up; default: its height "
        "above the road")
    add("--kinds", action="store_true", help="colour stixels by kind, not by distance")
    add("--grid", metavar="PIPELINE", help="that ends in an occupancy grid")
    add("--frames", type=int, metavar="N", help="stop after so many")
    add("--disparity", metavar="PIPELINE", help="that ends in disparities")
    add("--scan", metavar="PIPELINE", help="that ends in points")
    add("--lidar-place", type=float, nargs=3, metavar=("X", "Y", "Z"),
        help="of the scanner, metres to the right, down and ahead of the camera")
    add("pipeline", nargs=argparse.REMAINDER, help="as for gst-launch-1.0")
    arguments = parser.parse_args(command_line)
    if not re.fullmatch(r"[A-Za-z_]\w*(/[A-Za-z_]\w*)*", arguments.namespace):
        parser.error(f"--namespace {arguments.namespace}: expected words of letters, digits and _ "
                     "between slashes")
    if not arguments.bag and (said := [name for name in (
            "left", "right", "points", "left_info", "right_info") if getattr(arguments, name)]):
        parser.error(f"--{said[0].replace('_', '-')} needs --bag")
    arguments.street = not (arguments.pipeline or arguments.bag or arguments.scan)
    if arguments.street:
        fill(arguments, STREET_TOO | ({} if arguments.live else {"frames": 100}))
    if arguments.frames is not None and arguments.frames < 1:
        parser.error(f"--frames {arguments.frames}: at least 1")
    return arguments


# Before what follows is looked for: --help and --version need none of it.
ARGUMENTS = arguments_of(sys.argv[1:])

import frames  # noqa: E402
try:
    import bagfile
    import branches
    import inputs
    import output
    import scene
except ImportError as missing:
    release.refuse(missing, "NumPy", "mcap numpy")


def words_of(arguments, source):
    """The words of the pipeline; None: branches alone. The default is the street, or the bag's."""
    if arguments.pipeline:
        return arguments.pipeline
    if source and not source.left:
        arguments.scan = arguments.scan or SCAN
    if arguments.scan and not arguments.street:
        return None
    if arguments.grid is None and frames.Gst.ElementFactory.find("occupancy-grid"):
        if scene.GRID_META:
            arguments.grid = GRID
        else:
            print(f"stx-mcap: no grid: {scene.NO_GRID}", file=sys.stderr)
    if not source:
        return [STREET]
    fill(arguments, PAIR_TOO)
    return [PAIR]


def clock_of(pipeline):
    """The time of time stamp 0: now less the running time, if it is live; else 0, or now where
    viewers look on."""
    if not pipeline.live:
        return time.time_ns() if ARGUMENTS.live else 0
    running = pipeline.pipeline.get_clock().get_time() - pipeline.pipeline.get_base_time()
    return time.time_ns() - running


def run(arguments):
    """False: the bag is damaged."""
    source = None
    if arguments.grid and not scene.GRID_META:
        raise ValueError(f"--grid: {scene.NO_GRID}")
    if arguments.bag:
        said = [frames.description(arguments.pipeline) if arguments.pipeline else "",
                arguments.disparity or "", arguments.scan or "", arguments.grid or ""]
        source = inputs.Input(bagfile.Bag(arguments.bag), arguments, " ".join(said))
    words = words_of(arguments, source)
    if words is None and arguments.disparity:
        raise ValueError("--disparity: depths need a PIPELINE, which knows the camera")
    line = branches.launch_line(arguments, words)
    pipeline = frames.Pipeline(f"{source.launch_line()} {line}" if source else line,
                               *branches.sinks(arguments, words))
    pipeline.stop_on_signals()
    start = arguments.start if arguments.start is not None else (
        source.base if source else lambda: clock_of(pipeline))
    with (output.Live(arguments.host, arguments.live) if arguments.live
          else output.File(arguments.save)) as file:
        own_tree, camera, lidar = True, None, None
        if source:
            source.start(pipeline.pipeline)
            own_tree = not source.has_tree
            camera = source.left.frame if source.left else None
            lidar = source.points.frame if source.points else None
            source.copy_transforms(file)
        log = scene.Log(file, arguments, start, camera, lidar, own_tree,
                        words is not None)
        try:
            branches.run(pipeline, log, arguments.frames)
        finally:
            whole = source.end() if source else True
            if log.motion.lost:
                print(f"stx-mcap: how the camera moved is unknown in {log.motion.lost} frames: "
                      "odom stays where it was in these", file=sys.stderr)
    return whole


def main():
    sys.stdout.reconfigure(errors="backslashreplace")  # names are bytes, whatever the locale is
    try:
        sys.exit(0 if run(ARGUMENTS) else 1)
    except ImportError as missing:
        release.refuse(missing, *(("Foxglove's SDK", "foxglove-sdk numpy") if ARGUMENTS.live else
                                  ("MCAP", "mcap numpy")))
    except (bagfile.Refused, frames.PipelineError, OSError, ValueError) as error:
        sys.exit(f"stx-mcap: {error}")


if __name__ == "__main__":
    main()
