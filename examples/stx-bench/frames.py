# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames per second through whole pipelines, end to end: pictures that are in memory already in,
results out. Several builds of the plugin, and several pipelines, take turns, each time in a process
of its own, so that other load hits all of them alike."""
import ctypes
import os
import subprocess
import sys
import tempfile
import zlib

import settings
from arguments import Refused, size

FED = "appsrc name=left ! s.sink_left appsrc name=right ! s.sink_right"
KNOWN = {
    "overlay": f"stereo-stixels name=s ! fakesink name=out {FED}",
    "json": f"stereo-stixels name=s output=json ! fakesink name=out {FED}",
    "hand": "appsrc name=left ! tee name=l l. ! queue ! s.sink_left "
            "appsrc name=right ! queue ! s.sink_right stereo-sgm name=s ! "
            "downsample-transpose ! sat-dp-stixels ! overlay.stixels "
            "l. ! queue ! stixel-overlay name=overlay ! fakesink name=out",
    "window": "stereo-stixels name=s ! videoconvert ! video/x-raw,format=BGRx ! "
              f"fakesink name=out {FED}",
    "sgm": f"stereo-sgm name=s ! fakesink name=out {FED}",
}
SUMMARY = """Times whole pipelines.

Frames per second of pipelines with appsrc name=left, appsrc name=right and fakesink name=out, or of
these: overlay json hand window sgm."""
EXAMPLES = """Examples:
  stx-bench frames                                       this machine
  stx-bench frames --plugin OLD/gst --plugin NEW/gst     one build against another
  taskset -c 0 stx-bench frames 'appsrc name=left ! … fakesink name=out'"""
MOST_TURNS = 99


def parse(name, words):
    parser = settings.parser_of(name, SUMMARY, " [NAME|PIPELINE…]", EXAMPLES)
    for letter, option, metavar, kind, default, text in (
            ("s", "size", "WxH", str, "1242x375", "of the synthetic street; 1242x375"),
            ("l", "left", "LINE", str, None, "in place of the street: a gst-launch line"),
            ("r", "right", "LINE", str, None, "the same of the right view"),
            ("f", "frames", "N", int, 4, "that are kept, and fed in turn; 4"),
            ("t", "turns", "N", int, 5, "5"),
            ("S", "seconds", "S", float, 1.5, "of each run, after the warm-up; 1.5"),
            ("R", "rate", "N", float, 0., "frames per second that are fed, as by cameras; as many "
             "as the pipeline takes")):
        parser.add_argument(f"-{letter}", f"--{option}", metavar=metavar, type=kind,
                            default=default, help=text)
    parser.add_argument("-p", "--plugin", action="append", metavar="FOLDER",
                        help="folder of the plugin, for GST_PLUGIN_PATH; several are compared")
    parser.add_argument("lines", nargs="*", metavar="NAME|PIPELINE")
    once = words[:1] == ["--once"]  # of a process that was started here
    options = parser.parse_intermixed_args(words[once:])
    if not 1 <= options.turns <= MOST_TURNS or options.frames < 1 or (
            options.seconds <= 0 or options.rate < 0):
        raise Refused(f"turns must be 1 to {MOST_TURNS}, frames 1 or more, seconds more than 0, "
                      "rate 0 or more")
    options.width, options.height = size("size", options.size)
    options.once = once and options.lines.pop(0)
    options.lines, options.given = options.lines or ["overlay", "json"], words
    return options


def run_once(options):
    """Runs the pipeline in this process, and prints what came of it."""
    import timing
    views = [given or f"street-scene-src view={view} num-buffers={options.frames} ! "
             f"video/x-raw,width={options.width},height={options.height}"
             for view, given in (("left", options.left), ("right", options.right))]
    found = timing.c.BenchFrames()
    line = KNOWN.get(options.once, options.once)
    if not timing.lib.bench_frames(*(text.encode() for text in (line, *views)), options.frames,
                                   options.seconds, options.rate, ctypes.byref(found)):
        raise Refused(f"{options.once}: cannot be timed")
    print(found.ms, found.cpu_ms, found.latency_ms)


def run_apart(options, plugin, word):
    """This program with the same options for one pipeline: milliseconds from frame to frame, of all
    processors, and of latency."""
    environment = dict(os.environ)
    if plugin:
        name = f"stx-frames-{zlib.crc32(plugin.encode()):08x}.registry"
        environment.update(GST_PLUGIN_PATH=plugin,
                           GST_REGISTRY=os.path.join(tempfile.gettempdir(), name))
    done = subprocess.run([sys.executable, sys.argv[0], "frames", "--once", word, *options.given],
                          env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise Refused(f"a run of {word} has failed")
    return tuple(map(float, done.stdout.split()))


def compare(options, word):
    """All plugins with one pipeline; of each the median counts."""
    plugins = options.plugin or [None]
    turns = [[run_apart(options, plugin, word) for plugin in plugins]
             for _ in range(options.turns)]
    medians = [sorted(of_one)[options.turns // 2] for of_one in zip(*turns)]
    for plugin, (ms, cpu_ms, latency) in zip(plugins, medians):
        print(f"| {plugin or ''} | {word} | {1e3 / ms:.1f} | {ms:.2f} | {cpu_ms:.2f} | "
              f"{cpu_ms / ms:.2f} | {latency:.0f} | {medians[0][0] / ms:.2f} |", flush=True)


def run(options):
    if options.once:
        run_once(options)
        return
    print("| plugin | pipeline | frames/s | ms | processor ms | cores | latency ms | x first |\n"
          "|---|---|--:|--:|--:|--:|--:|--:|", flush=True)
    for word in options.lines:
        compare(options, word)
