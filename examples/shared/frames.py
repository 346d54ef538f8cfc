# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames of a pipeline that is described as for gst-launch-1.0, for programs in Python."""
import re
import signal
import sys
import threading
import time

import release

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst
except (ImportError, ValueError) as missing:
    sys.exit(f"There is no GStreamer for this Python ({missing}): "
             + release.cure("python3-gst-1.0", "'PyGObject<3.51'"))

Gst.init(None)

# The synthetic street, stixels drawn on the left picture. Not live: a slow machine loses no frame.
STREET = ("street-scene-src ! stixels.sink_left "
          "street-scene-src view=right ! stixels.sink_right "
          "stereo-stixels name=stixels")
OBSTACLES = "stixel-obstacles"
JSON = "stixel-json write=obstacles+free-space"
# A word of a launch line: a property with its value, or what may be the factory of an element.
WORD = re.compile(r"""[\w:-]+\s*=\s*(?:"(?:\\.|[^"\\])*"|'[^']*'|(?:\\.|\S)+)
                   |(?<![/.\w-])(?P<factory>[\w-]+)(?![/.\w-])|\S""", re.S | re.X)
# A property with its value, a link, or an element, caps or a pad.
TOKEN = re.compile(r"""(?P<property>[\w:-]+\s*=\s*(?:"(?:\\.|[^"\\])*"|'[^']*'|(?:\\.|\S)+))
                    |!|(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s!])+""", re.S | re.X)
WAIT = 5 * Gst.MSECOND  # between two looks at all sinks
SILENT = 10  # seconds without a buffer, after which a pipeline that is to end hangs
SINK = "appsink name={} sync={} max-buffers=8"


class PipelineError(Exception):
    """Why nothing more comes."""


def description(words):
    """One text of the words of a command line, which quotes kept together; or the street."""
    if len(words) < 2:
        return "".join(words) or STREET
    return " ".join(re.sub(r"([ \t])", r"\\\1", word) for word in words)


def factories(text):
    """Returns the factories of the elements that the text names."""
    return {word["factory"] for word in WORD.finditer(text)}


def chains_of(text):
    """The chains of a launch line: lists of elements, each with its properties."""
    chains, linked_to_last = [], False
    for word in TOKEN.finditer(text):
        if word["property"] and chains:
            chains[-1][-1] += f" {word[0]}"
        elif word[0] == "!":
            linked_to_last = bool(chains)
        else:
            if not linked_to_last:
                chains.append([])
            chains[-1].append(word[0])
            linked_to_last = False
    return chains


def is_end(element):
    """Whether it writes, sends or shows what comes, or codes it for that."""
    factory = Gst.ElementFactory.find(element.split()[0])
    return factory is not None and any(
        kind in (factory.get_metadata("klass") or "") for kind in ("Sink", "Encoder", "Muxer"))


def open_ended(text):
    """The line with the chain to which more can be linked at its end: the one that leads to no pad
    by its name. What writes or shows at that chain's end is left out."""
    chains = chains_of(text)
    free = [chain for chain in chains if not re.search(r"\.[\w%-]*$", chain[-1].split()[0])]
    ends = [chain for chain in free if not is_end(chain[-1])] or free
    if len(ends) != 1 or "(" in text:
        return text
    kept = list(ends[0])
    while kept and is_end(kept[-1]):
        kept.pop()
    if not kept or kept == chains[-1]:
        return text
    return " ".join(" ! ".join(chain) for chain in
                    [*(chain for chain in chains if chain is not ends[0]), kept])


def linked(words, *tail):
    """The description, and those elements of the tail whose factory it does not name already."""
    text = open_ended(description(words))
    named = factories(text)
    return " ! ".join([text, *(element for element in tail if element.split()[0] not in named)])


def sink(name, clock):
    """`clock`: whether what comes here comes in time with the clock."""
    return SINK.format(name, clock)


class Pipeline:
    """A launch line with appsinks of these names."""

    def __init__(self, line, *sinks):
        try:
            self.pipeline = Gst.parse_launch(line)
        except (GLib.Error, UnicodeEncodeError) as error:  # the latter of names that are no UTF-8
            raise PipelineError(f"{line}: {getattr(error, 'message', error)}") from error
        self.sinks = {name: self.pipeline.get_by_name(name) for name in sinks}
        self.stopped, self.ended, self.live, self.moved = False, False, False, 0

    def stop(self, *_):
        self.stopped = True

    def stop_on_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.stop)

    def check_bus(self):
        kinds = (Gst.MessageType.ERROR | Gst.MessageType.WARNING | Gst.MessageType.LATENCY
                 | Gst.MessageType.EOS)
        while (message := self.pipeline.get_bus().pop_filtered(kinds)) is not None:
            if message.type == Gst.MessageType.LATENCY:
                self.pipeline.recalculate_latency()
            elif message.type == Gst.MessageType.EOS:
                self.ended = True
            elif message.type == Gst.MessageType.WARNING:
                print(f"{message.src.name}: {message.parse_warning()[0].message}", file=sys.stderr)
            else:
                error, debug = message.parse_error()
                file = self.file_of(message.src)
                raise PipelineError(f"{file and f'{file}: ' or ''}{message.src.name}: "
                                    f"{error.message}\n{debug or ''}".rstrip())

    def file_of(self, element):
        """The file that alone comes to an element, or None."""
        while element and element.get_parent() not in (None, self.pipeline):
            element = element.get_parent()
        while element and element.numsinkpads == 1 and element.sinkpads[0].is_linked():
            element = element.sinkpads[0].get_peer().get_parent_element()
        return (element.get_property("location") if element and not element.numsinkpads
                and element.find_property("location") else None)

    def pull(self):
        """Name and sample of each sink that has one by now."""
        wait = 0
        while not self.stopped:
            found = [(name, element.emit("try-pull-sample", wait))
                     for name, element in self.sinks.items()]
            found = [(name, sample) for name, sample in found if sample is not None]
            if found:
                return found
            if all(element.get_property("eos") for element in self.sinks.values()):
                break
            self.check_bus()
            wait = WAIT
        return []

    def start(self):
        results = [self.pipeline.set_state(state)
                   for state in (Gst.State.PAUSED, Gst.State.PLAYING)]
        self.live = results[0] == Gst.StateChangeReturn.NO_PREROLL
        if Gst.StateChangeReturn.FAILURE in results:
            self.check_bus()
            raise PipelineError("the pipeline does not start, and says nothing of it")

    def watch(self):
        """From now on, every buffer anywhere is noted."""
        def note(*_):
            self.moved = time.monotonic()
            return Gst.PadProbeReturn.OK

        self.moved = time.monotonic()
        for element in self.pipeline.iterate_recurse():
            for pad in element.pads:
                pad.add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST, note)

    def play(self):
        """A line without appsinks, to its end. Signals end the streams, so that files are
        finished; and where these hang, or at a signal a second later, the pipeline. Raises
        PipelineError."""
        self.stop_on_signals()
        asked = None
        try:
            self.start()
            while not self.ended:
                now = time.monotonic()
                if self.stopped and asked is None:
                    self.watch()
                    # A source that waits for what is behind it lets this wait, too; sent by the
                    # pipeline, the event would keep that from a change of state.
                    for source in self.pipeline.iterate_sources():
                        threading.Thread(target=source.send_event, args=(Gst.Event.new_eos(),),
                                         daemon=True).start()
                    asked, self.stopped = now, False
                elif asked and (self.stopped and now > asked + 1 or now > self.moved + SILENT):
                    raise PipelineError("ended by force: the streams did not end by themselves")
                self.check_bus()
                time.sleep(.02)
        finally:
            self.pipeline.set_state(Gst.State.NULL)

    def samples(self):
        """Names of sinks and what came there, until the end or stop (). Raises PipelineError."""
        try:
            self.start()
            while found := self.pull():
                yield from found
                self.check_bus()
            self.check_bus()
        finally:
            self.pipeline.set_state(Gst.State.NULL)


def bytes_of(sample):
    buffer = sample.get_buffer()
    return buffer.extract_dup(0, buffer.get_size())


def pts_of(sample):
    """Nanoseconds, or None."""
    pts = sample.get_buffer().pts
    return None if pts == Gst.CLOCK_TIME_NONE else pts


def caps_of(sample):
    """A copy: get_structure() gives a structure up to GStreamer 1.24, something else in 1.26."""
    return Gst.Structure.new_from_string(sample.get_caps().to_string())
