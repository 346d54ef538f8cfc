#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws stixels on a street: stixels.png, stixels.mkv and stixels.mp4. Installs what is missing,
builds, runs.

  examples/demo.sh                               a synthetic street, no files and no camera needed
  examples/demo.sh --left L --right R [--calibration C]
                                                 your own pair
  examples/demo.sh --both B [--calibration C]    your own, both views in one picture

L, R and B are each a video, a camera (/dev/video0), a PNG or JPEG, numbered pictures
(left/%06d.png), or a folder of PNGs and JPEGs, in the order of their names.
"""
import argparse
import bisect
import fractions
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "examples/shared"))

import release  # noqa: E402 (where it is had to be said first)
from arguments import DECODE, natural, quoted  # noqa: E402
from moments import APART, find_offset, intervals  # noqa: E402

CHOICES = ("give a video, a camera (/dev/video0), a PNG or JPEG, numbered pictures "
           "(left/%06d.png), or a folder of PNGs and JPEGs")
NO_VIDEO, HANGS = "no video in it", "its decoder hangs"
SILENT = 20  # seconds after which a decoder hangs
FASTEST = 60  # frames a second of a video in which the time is looked for
SMALL = 64, 36  # pixels of the pictures in which motion is looked for
EVEN = "videoscale ! video/x-raw,width=[2,32768,2],height=[2,32768,2]"  # as H.264 needs it
MP4 = (("x264enc", "x264enc speed-preset=veryfast ! video/x-h264,profile=high ! h264parse"),
       ("openh264enc", "openh264enc bitrate=4000000 ! h264parse"),
       ("vp9enc", "vp9enc deadline=1 cpu-used=8 ! vp9parse"))


def fail(text):
    sys.exit(f"demo.sh: {text}")


# ---- What was asked for --------------------------------------------------------------------------

class Parser(argparse.ArgumentParser):
    def error(self, message):
        fail(f"{message} (see --help)")


def whole(least):
    def read(text):
        if not re.fullmatch(r"\d{1,9}", text) or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text}: must be a whole number, {least} or more")
        return int(text)
    return read


def rate(text):
    try:
        value = fractions.Fraction(text).limit_denominator(1001)
    except (ValueError, ZeroDivisionError):
        value = 0
    if not 0 < value <= 1000:
        raise argparse.ArgumentTypeError(f"{text}: must be a number above 0, to 1000")
    return value


def arguments_of(words):
    parser = Parser(prog="demo.sh", description=__doc__, allow_abbrev=False,
                    formatter_class=argparse.RawDescriptionHelpFormatter,
                    epilog="BUILD=DIR in the environment takes the plugin from that build folder, "
                           "as it is.")
    add = parser.add_argument
    add("--left", metavar="L", help="the left view")
    add("--right", metavar="R", help="the right view")
    add("--both", metavar="B", help="both views in every picture, as --layout says")
    add("--layout", choices=("side-by-side", "top-bottom"), default="side-by-side",
        help="default: %(default)s")
    add("--calibration", metavar="C", help="KITTI's calib.txt or Cityscapes' camera.json; of "
        "cameras that are not rectified yet what stereo-rectify reads; without it the road is "
        "estimated")
    add("--calibration-right", metavar="C", help="the right camera's, if it has a file of its own")
    add("--output", metavar="DIR", default=".", help="where the results go (default: here)")
    add("--frames", type=whole(1), default=40, metavar="N",
        help="length of the video (default %(default)s)")
    add("--fps", type=rate, default=fractions.Fraction(10), metavar="N",
        help="frame rate of pictures (default %(default)s)")
    add("--offset", type=float, metavar="S", help="how many seconds the right video started before "
        "the left one; found by the motion in both if not given")
    add("--cell", type=whole(1), default=8, metavar="N",
        help="width and height of a stixel cell in pixels (default %(default)s)")
    add("--max-disparity", metavar="N", help="candidate disparities in pixels: what is near, or "
        "wide pictures, need more")
    add("--disparity-at-infinity", type=int, metavar="N",
        help="disparity of infinitely far things in pixels (default: what the pictures prove)")
    add("--mode", help="what colours mean: distance, kind, class, … (default distance)")
    add("--scale", help="of the colours of distances: disparity or depth")
    add("--labels", nargs="?", const="distance", metavar="WHAT",
        help="what is written on objects: distance (metres, if nothing is said), class, …")
    add("--dashboard", action="store_true", help="picture, stixels, disparity, confidence and, "
        "with a calibration, the view from above side by side, in dashboard.*")
    add("--frame", type=whole(0), metavar="N",
        help="that frame alone, counted from 0: only a picture")
    add("--no-window", action="store_true", help="no window even when there is a display")
    add("--print", action="store_true", help="print the pipeline and stop")
    add("--check", action="store_true", help=argparse.SUPPRESS)  # before anything is installed
    options = parser.parse_args(words)
    given = [name for name in ("left", "right", "both") if getattr(options, name)]
    if given not in ([], ["left", "right"], ["both"]):
        parser.error("--both has both views: no --left and no --right" if "both" in given else
                     f"--{given[0]} needs --{'right' if given == ['left'] else 'left'}, too")
    for file in options.calibration, options.calibration_right:
        if file and not os.access(file, os.R_OK):
            fail(f"cannot read the calibration file '{file}'")
    options.first = options.frame or 0
    if options.frame is not None:
        options.frames = 1
    return options


class View:
    """A view: what it is (street, video, camera, pictures), its files, how many frames it has if
    that is known, the size of a picture; of videos the times of frames and how much moves until
    each."""

    def __init__(self, name, text):
        self.name, self.text, self.files = name, text, []
        self.number, self.size, self.times, self.motion = None, None, [], []
        self.kind = "street" if text is None else self.look()

    def wrong(self, why):
        fail(f"--{self.name} {self.text}: {why}; {CHOICES}")

    def look(self):
        path = pathlib.Path(self.text)
        if path.is_dir():
            self.files = sorted((file for file in path.iterdir()
                                 if file.suffix.lower() in (".png", ".jpg", ".jpeg")), key=natural)
            if not self.files:
                self.wrong("a folder without pictures")
        elif path.exists() and stat.S_ISCHR(path.stat().st_mode):
            return "camera"
        elif path.exists():
            if not path.is_file() or not os.access(path, os.R_OK):
                self.wrong("no file that can be read")
            if not type_of(path):
                if is_text(path):
                    self.wrong("a text")
                self.files = [path]
                return "video"
            self.files = [path]
        elif re.search(r"%0?\d*d", self.text):
            self.files = numbered(self.text)
            if not self.files:
                self.wrong("no file has such a name")
        else:
            cameras = " ".join(sorted(map(str, pathlib.Path("/dev").glob("video*"))))
            self.wrong("no such file or folder" + (f" (cameras: {cameras})" if cameras else ""))
        self.number = len(self.files)
        return "pictures"


def numbered(pattern):
    """Files of a numbered sequence, from its first number on."""
    found = []
    for number in range(100000):
        path = pathlib.Path(re.sub(r"%(0?)(\d*)d", lambda form: f"{number:{form[1]}{form[2]}d}",
                                   pattern, count=1))
        if path.exists():
            found.append(path)
        elif found:
            break
    return found


def type_of(path):
    head = path.read_bytes()[:8] if path.stat().st_size < 1 << 20 else open(path, "rb").read(8)
    return ("png" if head == b"\x89PNG\r\n\x1a\n" else "jpeg" if head[:3] == b"\xff\xd8\xff"
            else None)


def is_text(path):
    with open(path, "rb") as file:
        head = file.read(512)
    return bool(head) and all(byte >= 32 or byte in b"\t\r\n" for byte in head)


# ---- Pipelines -----------------------------------------------------------------------------------

def load_gstreamer():
    global Gst, GstPbutils
    try:
        import gi
        gi.require_version("Gst", "1.0")
        gi.require_version("GstPbutils", "1.0")
        from gi.repository import Gst, GstPbutils
    except (ImportError, ValueError) as missing:
        fail(f"there is no GStreamer for this Python ({missing}): " + release.cure(
            "python3-gst-1.0 gir1.2-gst-plugins-base-1.0", "'PyGObject<3.51'"))
    Gst.init(None)


class Failed(Exception):
    """Why a pipeline ended; `missing`: decoders that it lacks."""

    def __init__(self, text, missing=()):
        super().__init__(text)
        self.missing = list(missing)


def run(pipeline, told=None):
    """Until its end, or Ctrl-C. `told`: warnings that were told already."""
    bus, missing, ending = pipeline.get_bus(), [], False
    kinds = (Gst.MessageType.ERROR | Gst.MessageType.EOS | Gst.MessageType.WARNING
             | Gst.MessageType.ELEMENT | Gst.MessageType.LATENCY)
    pipeline.set_state(Gst.State.PLAYING)
    try:
        while True:
            try:
                message = bus.timed_pop_filtered(Gst.SECOND // 4, kinds)
            except KeyboardInterrupt:
                if ending:
                    raise
                pipeline.send_event(Gst.Event.new_eos())  # so that files are finished
                ending, message = True, None
            if message is None:
                continue
            if message.type == Gst.MessageType.EOS:
                return
            if message.type == Gst.MessageType.LATENCY:
                pipeline.recalculate_latency()
            elif message.type == Gst.MessageType.ERROR:
                raise Failed(message.parse_error()[0].message.rstrip("."), missing)
            elif message.type == Gst.MessageType.WARNING and told is not None:
                text = message.parse_warning()[0].message.replace("calibration=FILE",
                                                                  "--calibration FILE")
                if text not in told:
                    apart = "of one moment" in text or "was taken" in text
                    hint = "; if the videos started apart: --offset SECONDS" if apart else ""
                    print(f"demo.sh: {text}{hint}", file=sys.stderr)
                told.add(text)
            elif GstPbutils.is_missing_plugin_message(message):
                missing.append(GstPbutils.missing_plugin_message_get_description(message))
    finally:
        pipeline.set_state(Gst.State.NULL)


def source_of(view, options, folder):
    """The beginning of a line that yields a view's pictures, as they are to be seen."""
    if view.kind == "street":
        return (f"street-scene-src view={view.name} first-frame={options.first} "
                f"num-buffers={options.frames} ! video/x-raw,width=1242,height=375")
    if view.kind == "pictures":
        kind = link_pictures(view, options, folder)
        return (f"multifilesrc location={quoted(folder / view.name / '%d')} "
                f"num-buffers={options.frames} caps=image/{kind},framerate="
                f"{options.fps.numerator}/{options.fps.denominator} ! {kind}dec")
    begin = (f"v4l2src device={quoted(view.text)}" if view.kind == "camera" else
             f"filesrc location={quoted(view.files[0].absolute())}")
    return f"{begin} ! {DECODE}"


def link_pictures(view, options, folder):
    """Puts the pictures that are wanted, numbered, into a folder of ours. All are of one type, for
    one decoder: where PNGs and JPEGs stand side by side, PNG."""
    files = view.files[options.first:options.first + options.frames]
    types = [type_of(file) for file in files]
    if None in types:
        view.wrong(f"{files[types.index(None)].name} is no PNG or JPEG")
    kind = "png" if "png" in types else "jpeg"
    target = folder / view.name
    target.mkdir(exist_ok=True)
    for number, (file, its) in enumerate(zip(files, types)):
        if its == kind:
            (target / str(number)).unlink(missing_ok=True)
            (target / str(number)).symlink_to(file.absolute())
        else:
            run(Gst.parse_launch(f"filesrc location={quoted(file)} ! jpegdec ! videoconvert ! "
                                 f"pngenc ! filesink location={quoted(target / str(number))}"))
    return kind


# ---- A look at the views -------------------------------------------------------------------------

def next_sample(sink, bus, missing):
    """None at the end. An error ends no wait for a sample, so it is looked for five times a second;
    what the pipeline lacks is added to `missing`."""
    for _ in range(5 * SILENT):
        sample = sink.emit("try-pull-sample", Gst.SECOND // 5)
        if sample is not None or sink.get_property("eos"):
            return sample
        error, lacks = said(bus)
        missing += lacks
        if error:
            raise Failed(error, missing)
    raise Failed(HANGS)


def survey(view, options, folder, most, until):
    """Decodes up to so many frames, or up to that time: when they come, their size, and how much
    moves from one to the next."""
    width, height = SMALL
    line = (f"{source_of(view, options, folder)} ! identity name=seen ! videoscale ! videoconvert "
            f"! video/x-raw,format=GRAY8,width={width},height={height} "
            "! appsink name=sink sync=false max-buffers=4")
    pipeline, before, missing = Gst.parse_launch(line), None, []
    sink, bus = pipeline.get_by_name("sink"), pipeline.get_bus()
    pipeline.set_state(Gst.State.PLAYING)
    view.times, view.motion = [], []
    try:
        while view.times[-1:] < [until] if until else len(view.times) < most:
            sample = next_sample(sink, bus, missing)
            if sample is None:
                break
            buffer = sample.get_buffer()
            data = buffer.extract_dup(0, width * height)
            view.times.append(sample.get_segment().to_running_time(Gst.Format.TIME, buffer.pts))
            view.motion.append(sum(abs(a - b) for a, b in zip(data, before or data)))
            before = data
        caps = pipeline.get_by_name("seen").get_static_pad("src").get_current_caps()
    finally:
        pipeline.set_state(Gst.State.NULL)
    if caps is None:
        error, lacks = said(bus)
        missing += lacks
        raise Failed(error or (NO_VIDEO if view.kind == "video" else "no whole picture"), missing)
    structure = Gst.Structure.new_from_string(caps.to_string())
    view.size = structure.get_value("width"), structure.get_value("height")


def said(bus):
    """The error that a pipeline ended with, or None; and what it lacks."""
    error, missing = None, []
    while (message := bus.pop()) is not None:
        if message.type == Gst.MessageType.ERROR:
            fault = message.parse_error()[0]
            lacks = fault.matches(Gst.CoreError.quark(), Gst.CoreError.MISSING_PLUGIN)
            error = error or (NO_VIDEO if lacks else fault.message.rstrip("."))
        elif message.type == Gst.MessageType.ELEMENT and \
                GstPbutils.is_missing_plugin_message(message):
            missing.append(GstPbutils.missing_plugin_message_get_description(message))
    return error, missing


def packages():
    return subprocess.run(["bash", "-c", f". {quoted(ROOT / 'tests/packages.sh')}; "
                           "echo $packages_video"], text=True, stdout=subprocess.PIPE,
                          check=True).stdout.strip()


def install_decoders():
    """Installs them, and begins anew: GStreamer looks for plugins once. False: they were already,
    or cannot be."""
    if os.environ.get("STX_DEMO_INSTALLED"):
        return
    done = subprocess.run(["bash", "-c", f". {quoted(ROOT / 'tests/packages.sh')}; "
                           "install_packages $packages_video"], check=False)
    if done.returncode == 0:
        os.environ["STX_DEMO_INSTALLED"] = "yes"
        os.execv(sys.executable, [sys.executable, *sys.argv])


def check_view(view, options, folder, until=None):
    """Whether it can be decoded, if need be with a decoder that is installed now; of videos so far
    as the other view was, if that is known."""
    if view.kind in ("street", "camera"):
        view.size = (1242, 375) if view.kind == "street" else None
        return
    if view.kind == "pictures":
        check_frame(view, options)
    most = options.first + options.frames
    if view.kind == "video" and view.name != "both":
        # Every second frame has a partner where the left view has twice the right one's rate.
        most *= 2
        most += round(FASTEST * (2 * APART if options.offset is None else abs(options.offset)))
    for again in True, False:
        try:
            survey(view, options, folder, most, until)
            break
        except Failed as fault:
            video = [text for text in fault.missing if "udio" not in text]
            if video:
                install_decoders()
                fail(f"--{view.name} {view.text}: no decoder for "
                     f"{video[0].removesuffix(' decoder')}; install {packages()}")
            if str(fault) not in (NO_VIDEO, HANGS):
                view.wrong(f"cannot be decoded: {fault}")
            if str(fault) == NO_VIDEO or not again:  # decoders of others seldom hang twice
                view.wrong(fault)
    if view.kind == "video":
        view.number = len(view.times)


def check_frame(view, options):
    if view.number is not None and options.first >= view.number:
        fail(f"--frame {options.frame}: --{view.name} ends before it; it has {view.number}, "
             "counted from 0")


def check_pair(left, right, options):
    """Whether the views can be those of one pair."""
    if left.kind != right.kind:
        fail(f"--left is {left.kind}, --right {right.kind}: both must be videos, or both cameras, "
             "or both pictures, numbered pictures (left/%06d.png) or folders")
    patterns = not (os.path.exists(left.text) or os.path.exists(right.text))
    if left.kind == "pictures" and left.number != right.number and not patterns:
        fail(f"--left has {left.number} pictures, --right {right.number}: give folders that have "
             "the same number of them, or numbered pictures (left/%06d.png)")
    if left.size != right.size and None not in (left.size, right.size):
        fail(f"--left is {left.size[0]}x{left.size[1]}, --right {right.size[0]}x{right.size[1]}: "
             "both views must have the same size")
    if options.offset is not None and left.kind != "video":
        fail(f"--offset {options.offset:g}: is for two videos; --left is {left.kind}")


# ---- The time between two videos -----------------------------------------------------------------

def settle_times(views, options):
    """Which frames of videos are taken, whatever their rates: of the left one those that are
    `wanted` and have a partner in the right one, and the right one's of that time. `shift`: from a
    frame's time to that in the result."""
    left, right = views[0], views[-1]
    if options.offset is None:
        options.offset, alike, within = find_offset(left, right) if left is not right else (0, 1, 0)
        if options.offset:
            print(f"The right video started {abs(options.offset):.2f} s "
                  f"{'before' if options.offset > 0 else 'after'} the left one, by the motion in "
                  f"both (correlation {alike:.2f}; within {within:.2f} s): --offset "
                  f"{options.offset:.2f}; another value sets it")
    offset = round(options.offset * Gst.SECOND)
    apart, both = min(intervals(left)[1], intervals(right)[1]) // 2, []
    for time in left.times:
        next_ = bisect.bisect(right.times, time + offset)
        if any(abs(near - time - offset) <= apart for near in
               right.times[max(0, next_ - 1):next_ + 1]):
            both.append(time)
    if not both:
        early = left if offset < 0 else right
        fail(f"--offset {options.offset:g}: --{early.name} ends after "
             f"{early.times[-1] / Gst.SECOND:.2f} s")
    for view in views:
        view.number = len(both)
        check_frame(view, options)
    wanted = both[options.first:options.first + options.frames]
    right.wanted = range(wanted[0] + offset - apart, wanted[-1] + offset + apart + 1)
    right.shift = wanted[0] + offset
    left.wanted, left.shift = wanted, wanted[0]


# ---- Drawing -------------------------------------------------------------------------------------

def choices_of(spec):
    """Names of the values of an enumeration or flags; [] of others."""
    if hasattr(spec, "enum_class"):
        return [value.value_nick for value in spec.enum_class.__enum_values__.values()]
    if hasattr(spec, "flags_class"):
        return [value.value_nicks[0] for value in spec.flags_class.__flags_values__.values()]
    return []


def check_values(options):
    """The values of stereo-stixels' own properties, by the element: it has their choices."""
    bin_, overlay = (Gst.ElementFactory.make(name) for name in ("stereo-stixels", "stixel-overlay"))
    if bin_ is None:
        fail("GStreamer finds no stereo-stixels; is BUILD a folder of the build?")
    words = []
    for name, value in (("mode", options.mode), ("overlay::scale", options.scale),
                        ("labels", options.labels), ("max-disparity", options.max_disparity),
                        ("disparity-at-infinity", options.disparity_at_infinity),
                        ("stixel-width", options.cell), ("stixel-height", options.cell)):
        if value is None:
            continue
        spec = (overlay if "::" in name else bin_).find_property(name.removeprefix("overlay::"))
        option = "cell" if "stixel" in name else spec.name
        known = choices_of(spec)
        flags = hasattr(spec, "flags_class")
        if known and not set(value.split("+") if flags else [value]) <= set(known):
            fail(f"--{option} {value}: must be {'of ' if flags else 'one of '}{', '.join(known)}"
                 + (", with + between them" if flags else ""))
        if not known and not spec.minimum <= value <= spec.maximum:
            fail(f"--{option} {value}: must be {spec.minimum} to {spec.maximum}")
        words.append(f"{name}={value}")
    return words


def panel(size, layout):
    """Width and height of a picture on the dashboard: its own shape, so that no bars are left
    beside it."""
    width, height = size or (1280, 720)
    width, height = (width // 2, height) if layout == "side-by-side" else (
        (width, height // 2) if layout else (width, height))
    if width * 3 > height * 4:
        width, height = 720, 720 * height // width
    else:
        width, height = 540 * width // height, 540
    return (width + 1) // 2 * 2, (height + 1) // 2 * 2


def dashboard(width, height, metres):
    """The pair's left picture over its stixels, disparity over confidence, and what stands where
    from above, in one picture. docs/debugging.md has the line."""
    pads = " ".join(f"sink_{pad}::xpos={pad // 2 * width} sink_{pad}::ypos={pad % 2 * height} "
                    f"sink_{pad}::width={width} sink_{pad}::height={height}" for pad in range(4))
    above = (f"overlaid. ! queue ! stixel-bev ! video/x-raw,width={2 * height},height={2 * height} "
             "! videoconvert ! board.sink_4 " if metres else "")
    return ("tee name=overlaid stixels.src_left ! videoconvert ! board.sink_0 "
            "overlaid. ! queue ! videoconvert ! board.sink_1 "
            "stixels.src_disparity ! tee name=map "
            "map. ! queue ! disparity-colour ! videoconvert ! board.sink_2 "
            "map. ! queue ! disparity-colour mode=confidence ! videoconvert ! board.sink_3 "
            f"{above}compositor name=board background=black {pads} "
            f"{f'sink_4::xpos={2 * width} ' if metres else ''}!")


def files_of(options, folder, name):
    """The branches that write files, and these: the first frame, and of several the videos."""
    branches = [("png", "queue name=picture ! videoconvert ! pngenc")]
    if options.frame is None and options.frames > 1:
        branches.append(("mkv", "queue ! videoconvert ! jpegenc quality=90 ! matroskamux"))
        coder = next((line for factory, line in MP4 if Gst.ElementFactory.find(factory)), None)
        if coder:
            branches.append(("mp4", f"queue ! {EVEN} ! videoconvert ! {coder} ! mp4mux"))
        else:
            print("No MP4: no encoder for it (Debian: gstreamer1.0-plugins-ugly)")
    written = {ending: folder / f"{name}.{ending}" for ending, _ in branches}
    return " ".join(f"drawn. ! {branch} ! filesink async=false location={quoted(written[ending])}"
                    for ending, branch in branches), written


def launch_line(views, options, folder, words, ends):
    """From the views to what is drawn, which goes to `ends`."""
    metres = options.calibration or views[0].kind == "street"
    layout = options.layout if views[0].name == "both" else None
    board = ""
    if options.dashboard:
        board = dashboard(*panel(views[0].size, layout), metres)
    # With metres, labels are those of obstacles, not of single stixels.
    words = [*words, *([f"layout={layout}"] if layout else []),
             *(["obstacles=true"] if options.labels and metres else []),
             *(f"{name}={quoted(os.path.abspath(file))}" for name, file in
               (("calibration", options.calibration),
                ("calibration-right", options.calibration_right)) if file)]
    sources = " ".join(
        f"{source_of(view, options, folder)} ! identity name=frames-{view.name} ! "
        f"stixels.sink{'' if layout else '_' + view.name}" for view in views)
    return (f"stereo-stixels name=stixels {' '.join(words)} ! {board} tee name=drawn {ends} "
            f"{sources}")


def running(pad, buffer):
    """The running time of a buffer. A stream of H.264 that reorders its frames begins after 0."""
    segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
    return segment.to_running_time(Gst.Format.TIME, buffer.pts)


def limit(gate, view, options):
    """Lets only those frames pass that are wanted, then the end, and nothing after it: a tag behind
    the end would be an error."""
    src, seen, ended = gate.get_static_pad("src"), 0, False
    wanted = view.wanted if view.kind == "video" else range(1, options.frames + 1)
    last = wanted[-1]
    if view.kind == "video":
        src.set_offset(-view.shift)

    def look(pad, info):
        nonlocal seen, ended
        takes = True
        if info.type & Gst.PadProbeType.BUFFER:
            seen += 1
            time = running(pad, info.get_buffer()) if view.kind == "video" else seen
            takes = time in wanted
            if time > last and not ended:
                ended = True
                src.push_event(Gst.Event.new_eos())
        return Gst.PadProbeReturn.OK if takes and not ended else Gst.PadProbeReturn.DROP

    gate.get_static_pad("sink").add_probe(
        Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM, look)


def first_only(pad):
    """Lets one frame pass."""
    def look(_, info, seen=[]):
        seen.append(1)
        return Gst.PadProbeReturn.OK if len(seen) == 1 else Gst.PadProbeReturn.DROP
    pad.add_probe(Gst.PadProbeType.BUFFER, look)


def draw(line, views, options, told):
    pipeline = Gst.parse_launch(line)
    for view in views:
        limit(pipeline.get_by_name(f"frames-{view.name}"), view, options)
    if pipeline.get_by_name("picture"):
        first_only(pipeline.get_by_name("picture").get_static_pad("sink"))
    try:
        run(pipeline, told)
    except Failed as fault:
        fail(fault)


def main():
    options = arguments_of(sys.argv[1:])
    names = ["both"] if options.both else ["left", "right"]
    views = [View(name, getattr(options, name)) for name in names]
    if options.check:
        return
    load_gstreamer()
    words = check_values(options)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for view in views:
            times = view is not views[0] and views[0].times
            check_view(view, options, folder, times[-1] if times else None)
        if len(views) == 2 and options.left:
            check_pair(*views, options)
        if views[0].kind == "video":
            settle_times(views, options)
        # The shorter video or sequence ends both.
        options.frames = min([options.frames, *(view.number - options.first for view in views
                                                if view.number is not None)])
        draw_all(views, options, folder, words)


def draw_all(views, options, folder, words):
    name, live = "dashboard" if options.dashboard else "stixels", views[0].kind == "camera"
    window = not options.no_window and options.frame is None and (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    if options.dashboard and not options.calibration and views[0].kind != "street":
        print("No view from above without --calibration: it is in metres")
    ends, written = files_of(options, folder, name)
    if live and window:
        ends += " drawn. ! queue ! videoconvert ! autovideosink sync=false"
    line = launch_line(views, options, folder, words, ends)
    if options.print:
        print(line)
        return
    print("Drawing", flush=True)
    try:
        os.makedirs(options.output, exist_ok=True)
        tempfile.TemporaryFile(dir=options.output).close()
    except OSError as error:
        fail(f"--output {options.output}: {error.strerror}")
    told = set()
    draw(line, views, options, told)
    if not written["png"].exists() or written["png"].stat().st_size == 0:
        fail("nothing to draw: no frame of --left is of the time of one of --right")
    for path in written.values():
        target = os.path.join(options.output, path.name)
        shutil.move(path, target)
        print(f"Wrote {os.path.abspath(target)}")
    if window and not live:
        print("Opening a window; Ctrl-C ends it.", flush=True)
        draw(launch_line(views, options, folder, words,
                         "drawn. ! queue ! videoconvert ! autovideosink"), views, options, told)


if __name__ == "__main__":
    main()
