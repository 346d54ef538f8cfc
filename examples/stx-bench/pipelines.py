# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames per second through whole pipelines, end to end: pictures that are in memory already in,
results out."""
import resource
import threading
import time

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
these: overlay json sgm. Needs GStreamer for Python."""
EXAMPLES = """Examples:
  stx-bench frames
  GST_PLUGIN_PATH=OLD/gst stx-bench frames               another build of the plugin
  taskset -c 0 stx-bench frames 'appsrc name=left ! … fakesink name=out'"""
WARM_UP = 20  # frames before the measurement
FRAME = 10**9 // 30


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


# ---- A run ---------------------------------------------------------------------------------------

def load(shared, line, count):
    """(caps, frames) of a line."""
    sink = f"identity eos-after={count + 1} ! appsink name=out sync=false"
    samples = [sample for _, sample in shared.Pipeline(f"{line} ! {sink}", "out").samples()]
    return samples[0].get_caps(), [sample.get_buffer() for sample in samples]


def cpu_ms():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return 1e3 * (used.ru_utime + used.ru_stime)


class Run:
    """Feeds a pipeline, and takes the times of what comes out of it."""

    def __init__(self, shared, line, views, options):
        self.pipeline = shared.Pipeline(line, "left", "right", "out")
        self.views, self.seconds, self.rate = views, options.seconds, options.rate
        self.null, flags = shared.Gst.State.NULL, shared.Gst.BufferCopyFlags
        self.parts = flags.MEMORY | flags.META
        self.ended, self.pushed, self.latency, self.count = threading.Event(), {}, 0., 0
        self.begin = self.end = None
        if None in self.pipeline.sinks.values():
            raise Refused(f"{line}: it needs appsrc name=left, appsrc name=right and fakesink "
                          "name=out")
        for name, (caps, _) in zip(("left", "right"), views):
            for key, value in (("caps", caps), ("block", True), ("max-buffers", 1),
                               ("max-bytes", 0), ("format", shared.Gst.Format.TIME)):
                self.pipeline.sinks[name].set_property(key, value)
        self.pipeline.sinks["out"].set_property("sync", False)
        self.pipeline.sinks["out"].set_property("signal-handoffs", True)
        self.pipeline.sinks["out"].connect("handoff", self.take)

    def feed(self, name, buffers):
        source, begin, number, flow = self.pipeline.sinks[name], time.monotonic(), 0, 0
        while flow == 0:
            buffer = buffers[number % len(buffers)]  # whose copy () would be the same one
            buffer = buffer.copy_region(self.parts, 0, buffer.get_size())
            if self.rate > 0:  # as a camera of this rate would have it
                time.sleep(max(0., begin + number / self.rate - time.monotonic()))
            buffer.pts, buffer.duration = number * FRAME, FRAME
            if name == "left":
                self.pushed[number] = time.monotonic()
            flow, number = source.emit("push-buffer", buffer), number + 1

    def take(self, _, buffer, pad):
        number, now = buffer.pts // FRAME, time.monotonic()
        if self.ended.is_set() or number < WARM_UP:
            return
        if self.begin is None:
            self.begin = now, cpu_ms()
            return
        self.latency, self.count = self.latency + now - self.pushed.pop(number), self.count + 1
        if now - self.begin[0] > self.seconds:
            self.end = now, cpu_ms()
            self.ended.set()

    def play(self):
        """Milliseconds from frame to frame, of all processors, and of latency: the means."""
        feeds = [threading.Thread(target=self.feed, args=(name, buffers))
                 for name, (_, buffers) in zip(("left", "right"), self.views)]
        try:
            self.pipeline.start()
            for one in feeds:
                one.start()
            while not self.ended.wait(.02):
                self.pipeline.check_bus()
        finally:
            self.pipeline.pipeline.set_state(self.null)
            for one in feeds:
                one.join()
        passed, used = (b - a for a, b in zip(self.begin, self.end))
        return 1e3 * passed / self.count, used / self.count, 1e3 * self.latency / self.count


def run(options):
    import frames as shared
    pairs = zip(("left", "right"), (options.left, options.right))
    try:
        views = [load(shared, given or f"street-scene-src view={view} num-buffers={options.frames} "
                      f"! video/x-raw,width={options.width},height={options.height}",
                      options.frames) for view, given in pairs]
        print("| pipeline | frames/s | ms | processor ms | cores | latency ms |\n"
              "|---|--:|--:|--:|--:|--:|", flush=True)
        for word in options.lines:
            ms, cpu, latency = Run(shared, KNOWN.get(word, word), views, options).play()
            print(f"| {word} | {1e3 / ms:.1f} | {ms:.2f} | {cpu:.2f} | {cpu / ms:.2f} | "
                  f"{latency:.0f} |", flush=True)
    except shared.PipelineError as error:
        raise Refused(error) from None
