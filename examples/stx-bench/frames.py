# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames per second through whole pipelines, end to end: pictures that are in memory already in,
results out."""
import ctypes

import settings
from arguments import Refused, size

FED = "appsrc name=left ! s.sink_left appsrc name=right ! s.sink_right"
KNOWN = {
    "overlay": f"stereo-stixels name=s ! fakesink name=out {FED}",
    "json": f"stereo-stixels name=s output=json ! fakesink name=out {FED}",
    "sgm": f"stereo-sgm name=s ! fakesink name=out {FED}",
}
SUMMARY = """Times whole pipelines.

Frames per second of pipelines with appsrc name=left, appsrc name=right and fakesink name=out, or of
these: overlay json sgm."""
EXAMPLES = """Examples:
  stx-bench frames
  GST_PLUGIN_PATH=OLD/gst stx-bench frames               another build of the plugin
  taskset -c 0 stx-bench frames 'appsrc name=left ! … fakesink name=out'"""


def parse(name, words):
    parser = settings.parser_of(name, SUMMARY, " [NAME|PIPELINE…]", EXAMPLES)
    for letter, option, metavar, kind, default, text in (
            ("s", "size", "WxH", str, "1242x375", "of the synthetic street; 1242x375"),
            ("l", "left", "LINE", str, None, "in place of the street: a gst-launch line"),
            ("r", "right", "LINE", str, None, "the same of the right view"),
            ("f", "frames", "N", int, 4, "that are kept, and fed in turn; 4"),
            ("S", "seconds", "S", float, 5., "of each pipeline, after the warm-up; 5"),
            ("R", "rate", "N", float, 0., "frames per second that are fed, as by cameras; as many "
             "as the pipeline takes")):
        parser.add_argument(f"-{letter}", f"--{option}", metavar=metavar, type=kind,
                            default=default, help=text)
    parser.add_argument("lines", nargs="*", metavar="NAME|PIPELINE")
    options = parser.parse_intermixed_args(words)
    if options.frames < 1 or options.seconds <= 0 or options.rate < 0:
        raise Refused("frames must be 1 or more, seconds more than 0, rate 0 or more")
    options.width, options.height = size("size", options.size)
    options.lines = options.lines or ["overlay", "json"]
    return options


def run(options):
    import timing
    views = [given or f"street-scene-src view={view} num-buffers={options.frames} ! "
             f"video/x-raw,width={options.width},height={options.height}"
             for view, given in (("left", options.left), ("right", options.right))]
    print("| pipeline | frames/s | ms | processor ms | cores | latency ms |\n"
          "|---|--:|--:|--:|--:|--:|", flush=True)
    for word in options.lines:
        found, line = timing.c.BenchFrames(), KNOWN.get(word, word)
        if not timing.lib.bench_frames(*(text.encode() for text in (line, *views)), options.frames,
                                       options.seconds, options.rate, ctypes.byref(found)):
            raise Refused(f"{word}: cannot be timed")
        print(f"| {word} | {1e3 / found.ms:.1f} | {found.ms:.2f} | {found.cpu_ms:.2f} | "
              f"{found.cpu_ms / found.ms:.2f} | {found.latency_ms:.0f} |", flush=True)
