#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records both views of a stereo camera with their results, replays and verifies such files.

  stx-record drive.mkv --left /dev/video0 --right /dev/video2 calibration=stereo.yml
  stx-record --replay drive.mkv sgm::p1=8
  stx-record --verify drive.mkv

A source is a camera, a video, or a pipeline as for gst-launch-1.0; without one it is the synthetic
street. The words at the end are properties of stereo-stixels, with --replay and --verify in place
of those of the recording. The file has the rectified pair in H.264, the results as SEI messages of
the left view, and the camera and these properties in the name of its first track. Only a file
without --quantizer verifies as equal.

Needs GStreamer for Python and NumPy, x264enc, h264parse and avdec_h264; --verify also the typelib
GstStixels (Debian: gir1.2-gststixels-1.0).
"""
import argparse
import json
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shared"))

import release  # noqa: E402 (where it is had to be said first)
from arguments import DECODE, quoted  # noqa: E402

FORMAT = 1  # of the description in a file
HEAD = 1 << 20  # bytes in which it stands


def setting(text):
    """A word of gst-launch-1.0, whose value means nothing but itself."""
    name, equals, value = text.partition("=")
    if not equals or not re.fullmatch(r"[\w-]+(::[\w-]+)*", name):
        raise argparse.ArgumentTypeError(f"{text}: say PROPERTY=VALUE, as in sgm::p1=8")
    return f"{name}={quoted(value)}"


def arguments_of(command_line):
    parser = release.parser_of("stx-record", __doc__)
    add = parser.add_argument
    use = parser.add_mutually_exclusive_group()
    use.add_argument("--replay", action="store_true", help="compute the file's pictures again")
    use.add_argument("--verify", action="store_true", help="and compare with its results")
    add("--left", metavar="SOURCE", help="of the left view")
    add("--right", metavar="SOURCE", help="of the right view")
    add("--both", metavar="SOURCE", help="of frames with both, as the property layout says")
    add("--quantizer", type=int, default=0, metavar="N", help="1 to 50: lossy, the more the "
        "smaller; default: lossless")
    add("--output", metavar="FILE", help="of --replay: .jsonl or .mkv; default: a window")
    add("file", metavar="FILE.mkv")
    add("settings", nargs="*", type=setting, metavar="PROPERTY=VALUE",
        help="of stereo-stixels or its parts, as sgm::p1=8")
    options = parser.parse_intermixed_args(command_line)
    given = [bool(view) for view in (options.left, options.right, options.both)]
    if given[0] != given[1] or given[0] and given[2]:
        parser.error("say --left and --right, or --both")
    if not 0 <= options.quantizer <= 50:
        parser.error(f"--quantizer {options.quantizer}: 0 to 50")
    if (options.replay or options.verify) and (any(given) or options.quantizer):
        parser.error("--left, --right, --both and --quantizer are of a new recording")
    if options.output and (not options.replay
                           or pathlib.Path(options.output).suffix not in (".jsonl", ".mkv")):
        parser.error("--output FILE.jsonl or FILE.mkv is for --replay")
    return options


# Before what follows is looked for: --help and --version need none of it.
ARGUMENTS = arguments_of(sys.argv[1:])

try:
    import numpy as np
except ImportError as missing:
    sys.exit(f"There is no NumPy for this Python ({missing}): "
             + release.cure("python3-numpy", "numpy"))
import frames  # noqa: E402
import records  # noqa: E402
from frames import Gst  # noqa: E402

PACKAGES = {"x264enc": "gstreamer1.0-plugins-ugly", "h264parse": "gstreamer1.0-plugins-bad",
            "avdec_h264": "gstreamer1.0-libav", "matroskamux": "gstreamer1.0-plugins-good",
            "capssetter": "gstreamer1.0-plugins-good",
            "stixel-sei": "gstreamer1.0-stixels"}
# Formats of the encoder in which no chroma of any source is lost.
PICTURES = "videoconvert ! video/x-raw,format={I420,Y42B,Y444}"
# A recording waits for all that belongs together, however slow the machine is.
PATIENT = "qos=false timeout=10000"
# A decoder that asks all branches for memory would wait until they have shown what they hold, which
# can be until the other view is decoded.
TEE = "identity drop-allocation=true ! tee"
# Properties with which the pictures stay as they are.
UNDRAWN = "alpha=0 legend=none overlay::outlines=false"
DEFAULTS = ['obstacles="true"']
OF_RECTIFY = ("calibration", "calibration-right", "calibration-pair", "unit", "fov", "refine",
              "layout")
# A property with its value, as setting() writes it.
WORD = re.compile(r'[\w-]+(::[\w-]+)*="([^"\\]|\\.)*"', re.A | re.S)
CALIBRATIONS = "calibration", "sgm::calibration"
METAS = {1: "stixels", 2: "obstacles", 3: "motion", 4: "velocities", 5: "confidence"}
BEFORE_RECORDS, RECORD = 144, {1: 24, 2: 64}  # bytes; docs/formats.md, "Metas as bytes"
BEFORE_POINTS = 164  # of the motion


def need(*elements):
    for name in elements:
        if Gst.ElementFactory.find(name) is None:
            raise frames.PipelineError(f"GStreamer has no {name}: sudo apt install "
                                       f"{PACKAGES[name]}")


# ---- Recording -----------------------------------------------------------------------------------

def source(text):
    if text.startswith("/dev/"):
        return f"v4l2src device={quoted(text)} ! {DECODE}"
    if os.path.isfile(text):
        return f"filesrc location={quoted(text)} ! {DECODE}"
    if not re.search(r"[\s=]", text) and Gst.ElementFactory.find(text) is None:
        raise frames.PipelineError(f"{text}: no camera, no file and no element")
    return text


def rectifies(settings):
    """Whether stereo-stixels would rectify with these. It says what is wrong with them."""
    trial = frames.Pipeline("fakesrc ! stixels.sink_left fakesrc ! stixels.sink_right "
                            f"stereo-stixels name=stixels {' '.join(settings)} ! fakesink")
    failed = trial.pipeline.set_state(Gst.State.READY) == Gst.StateChangeReturn.FAILURE
    trial.check_bus()
    part = trial.pipeline.get_by_name("rectify")
    found = part is not None and part.get_static_pad("src_left").is_linked()
    trial.pipeline.set_state(Gst.State.NULL)
    if failed:
        raise frames.PipelineError("stereo-stixels does not start with these properties")
    return found


def views(options, settings):
    """The beginning of both branches, and those settings that are not done with there."""
    street = [f"street-scene-src num-buffers=50 view={view}" for view in ("left", "right")]
    left, right = map(source, [options.left or street[0], options.right or street[1]])
    plain = [word for word in settings if not word.startswith("layout=")]
    if not rectifies(plain):
        if options.both:
            raise frames.PipelineError("--both needs a calibration of pictures that are not "
                                       "rectified; cut others by videocrop, --left and --right")
        return left, right, settings
    mine = [word for word in settings if word.split("=")[0] in OF_RECTIFY]
    into = (f"{source(options.both)} ! queue ! rectify.sink" if options.both else
            f"{left} ! queue ! rectify.sink_left {right} ! queue ! rectify.sink_right")
    return (f"{into} stereo-rectify name=rectify {' '.join(mine)} rectify.src_left ! queue",
            "rectify.src_right ! queue", [word for word in settings if word not in mine])


def embedded(settings):
    """The settings without the file of the calibration, and its text."""
    paths = [word for word in settings if word.split("=")[0] in CALIBRATIONS]
    text = None
    for word in paths:
        name, path = word.split("=", 1)
        text = [name, pathlib.Path(re.sub(r"\\(.)", r"\1", path[1:-1])).read_text()]
    return [word for word in settings if word not in paths], text


def describe(pad, info, tag, description):
    """As soon as the left view has caps with its camera, which is before the first frame."""
    event = info.get_event()
    if event.type == Gst.EventType.CAPS:
        caps = Gst.Structure.new_from_string(event.parse_caps().to_string())
        names = [caps.nth_field_name(n) for n in range(caps.n_fields())]
        camera = {name: caps.get_value(name) for name in names if name.startswith("camera-")}
        text = json.dumps({**description, "camera": camera})
        tag.set_property("tags", f"title={quoted(text)}")
    return Gst.PadProbeReturn.OK


def record(options):
    need("x264enc", "h264parse", "matroskamux", "stixel-sei")
    left, right, settings = views(options, DEFAULTS + options.settings)
    kept, calibration = embedded(settings)
    description = {"stx-record": FORMAT, "release": release.VERSION, "settings": kept,
                   "calibration": calibration, "quantizer": options.quantizer}
    encode = ("x264enc tune=zerolatency speed-preset=superfast key-int-max=30 pass=quant "
              f"quantizer={options.quantizer}")
    wait = "queue max-size-buffers=0 max-size-bytes=0 max-size-time=0"
    part = f"{options.file}.part"
    # Times in nanoseconds, which speeds are computed from.
    pipeline = frames.Pipeline(
        f"stereo-stixels name=stixels {' '.join(settings)} {UNDRAWN} {PATIENT} "
        f"! taginject name=tag ! {encode} ! stixel-sei ! h264parse ! {wait} ! mux.video_0 "
        f"{left} ! {PICTURES} ! identity name=left ! stixels.sink_left "
        f"{right} ! {PICTURES} ! {TEE} name=right right. ! queue ! stixels.sink_right "
        f"right. ! {wait} ! {encode} ! h264parse ! mux.video_1 "
        f"matroskamux name=mux timecodescale=1 ! filesink location={quoted(part)}")
    left, tag = map(pipeline.pipeline.get_by_name, ("left", "tag"))
    left.get_static_pad("src").add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, describe, tag,
                                         description)
    number = []
    tag.get_static_pad("src").add_probe(
        Gst.PadProbeType.BUFFER, lambda *_: number.append(1) or Gst.PadProbeReturn.OK)
    try:
        pipeline.play()
    except frames.PipelineError as error:
        path = pathlib.Path(part)
        if number and path.exists() and path.stat().st_size > 0:
            raise frames.PipelineError(f"{error}\nwhat came until then is in {part}") from error
        path.unlink(missing_ok=True)
        raise
    os.replace(part, options.file)
    print(f"{len(number)} frames, {os.path.getsize(options.file) / 1e6:.1f} MB")


# ---- Files ---------------------------------------------------------------------------------------

def is_sound(description):
    """Whether the parts that get into a launch line are settings and numbers, and add no elements:
    a file comes from anywhere."""
    settings, camera, calibration = map(description.get, ("settings", "camera", "calibration"))
    return (isinstance(settings, list) and isinstance(camera, dict)
            and all(isinstance(word, str) and WORD.fullmatch(word) for word in settings)
            and all(re.fullmatch("camera-[a-z-]+", name) and type(value) in (int, float)
                    and abs(value) < 1e9 for name, value in camera.items())
            and (calibration is None or isinstance(calibration, list) and len(calibration) == 2
                 and calibration[0] in CALIBRATIONS and isinstance(calibration[1], str)))


def vint(data, at):
    """A size in Matroska: its value, or None where it is not known, and where it ends."""
    length = 9 - data[at].bit_length()
    value = int.from_bytes(data[at:at + length], "big") & ((1 << 7 * length) - 1)
    return None if value == (1 << 7 * length) - 1 else value, at + length


def fault_of(path):
    """Says what is wrong with a Matroska file, or None: one that was cut plays as far as it goes,
    and says nothing."""
    with path.open("rb") as file:
        data = file.read(4096)
    if data[:4] != b"\x1a\x45\xdf\xa3":
        return f"{path}: this is no Matroska file"
    data += bytes(32)  # one that ends within its header
    size, at = vint(data, 4)
    at += size or len(data)  # a header of unknown length is not Matroska's
    if data[at:at + 4] != b"\x18\x53\x80\x67":
        return f"{path}: its header is cut or not Matroska's"
    size, at = vint(data, at + 4)
    there = path.stat().st_size - at
    if size is not None and there < size:
        return f"{path}: {there} of {size} bytes are there, the rest is missing"
    return None


def description_of(head):
    """Returns the recording's description of itself, or raises ValueError. GStreamer writes it a
    second time, with backslashes, and ffmpeg copies that one."""
    at = head.find(b'{"stx-record"')
    if at < 0:
        head = re.sub(rb"\\(.)", rb"\1", head[head.index(rb'{\"stx-record\"'):], flags=re.S)
        at = 0
    return json.JSONDecoder().raw_decode(head[at:].decode("ascii", "replace"))[0]


def read(path):
    """The description of a file, and what of it is missing, or None."""
    cut = fault_of(pathlib.Path(path))
    with open(path, "rb") as file:
        head = file.read(HEAD)
    try:
        description = description_of(head)
        form = description["stx-record"]
    except (ValueError, RecursionError):
        raise frames.PipelineError(
            cut or f"{path}: this is no recording of stx-record") from None
    if form != FORMAT:
        raise frames.PipelineError(f"{path}: its format is {form}, of release "
                                   f"{description.get('release')}; expected {FORMAT}")
    if not is_sound(description):
        raise frames.PipelineError(f"{path}: its settings, camera or calibration are damaged")
    trial = frames.Pipeline(f"filesrc location={quoted(path)} ! matroskademux name=demux "
                            "demux.video_0 ! queue ! appsink name=one sync=false", "one")
    pads = next((len(trial.pipeline.get_by_name("demux").srcpads) for _ in trial.samples()), 0)
    if pads < 2:
        raise frames.PipelineError(cut or f"{path}: it has no frame, or one view only")
    return description, cut


def computing(path, description, folder, settings):
    """The launch line up to stereo-stixels; its left view can be had from the tee `left`."""
    camera = ",".join(f"{name}=({'int' if isinstance(value, int) else 'double'}){value!r}"
                      for name, value in description["camera"].items())
    words = [*description["settings"]]
    if description["calibration"]:
        name, text = description["calibration"]
        (folder / "calibration").write_text(text)
        words.append(f"{name}={quoted(folder / 'calibration')}")
    caps = f"capssetter caps={quoted('video/x-raw' + (camera and ',' + camera))}"
    # A decoder of several threads sends frames after the event that tells of the hole behind them;
    # and a queue with a limit of time is full of the two frames around a long hole.
    decode = "queue max-size-time=0 ! h264parse ! avdec_h264 max-threads=1"
    return (f"filesrc location={quoted(path)} ! matroskademux name=demux "
            f"demux.video_0 ! {decode} ! {TEE} name=left "
            f"left. ! queue max-size-time=0 ! {caps} ! stixels.sink_left "
            f"demux.video_1 ! {decode} ! queue max-size-time=0 "
            f"! {caps} ! stixels.sink_right "
            f"stereo-stixels name=stixels {' '.join(words + settings)}")


def replay(options, description, folder, _):
    line = computing(options.file, description, folder, options.settings)
    place = options.output and f"filesink location={quoted(options.output)}"
    if not place:
        line += " ! videoconvert ! autovideosink"
    elif options.output.endswith(".jsonl"):
        line += f" output=json ! {place}"
    else:
        need("x264enc", "matroskamux")
        line += f" ! videoconvert ! x264enc ! h264parse ! matroskamux ! {place}"
    frames.Pipeline(line).play()


# ---- Comparing -----------------------------------------------------------------------------------

def blocks(data):
    """By the number of their meta; of the motion without its points, which recordings leave out."""
    found, at = {}, 0
    while at < len(data):
        size = int.from_bytes(data[at + 2:at + 6], "little")
        found[data[at]] = data[at + 6:at + 6 + size]
        at += 6 + size
    if 3 in found and 4 in found:
        found[3] = found[3][:BEFORE_POINTS]
    return found


def records_of(number, block):
    size = int.from_bytes(block[BEFORE_RECORDS - 4:BEFORE_RECORDS], "little") if block else 0
    data, each = block[BEFORE_RECORDS:BEFORE_RECORDS + size], RECORD[number]
    return [data[at:at + each] for at in range(0, size, each)]


def difference(recorded, computed):
    """The differences in a frame, in words."""
    before, now = blocks(recorded), blocks(computed)
    said = []
    for number in sorted(number for number in {*before, *now}
                         if before.get(number) != now.get(number)):
        text = METAS.get(number, f"meta {number}")
        if number in RECORD:
            old, new = (records_of(number, found.get(number, b"")) for found in (before, now))
            first = next((n for n, pair in enumerate(zip(old, new)) if pair[0] != pair[1]),
                         min(len(old), len(new)))
            text += f" ({len(old)} recorded, {len(new)} now, equal up to number {first})"
        said.append(text)
    return ", ".join(said)


def disparities(data):
    """The disparity of each row and column of stixels; not a number: none."""
    block = blocks(data).get(1, bytes(BEFORE_RECORDS))
    _, height, _, columns = (int.from_bytes(block[at:at + 4], "little") for at in range(0, 16, 4))
    found = np.full((height, columns), np.nan)
    for one in records.parse(b"".join(records_of(1, block))):
        rows = slice(one["top"], one["bottom"] + 1)
        place = found[rows, one["column"]]
        place[:] = np.linspace(one["disparity_top"], one["disparity_bottom"], len(place))
    return found


def apart(recorded, computed):
    """Share of the image whose disparity is off by more than a pixel."""
    before, now = disparities(recorded), disparities(computed)
    return np.mean(~(np.abs(before - now) <= 1) & ~(np.isnan(before) & np.isnan(now))) \
        if before.shape == now.shape else 1


def verify(options, description, folder, cut):
    """Prints what was found. Whether all frames are equal; those are left out whose right view was
    cut off."""
    try:
        frames.gi.require_version("GstStixels", "1.0")
        from gi.repository import GstStixels
    except (ImportError, ValueError) as fault:
        raise frames.PipelineError(f"{fault}: sudo apt install gir1.2-gststixels-1.0") from fault
    line = computing(options.file, description, folder, [*options.settings, UNDRAWN])
    pipeline = frames.Pipeline(f"{line} ! {frames.sink('computed', False)} left. ! queue "
                               f"max-size-time=0 ! stixel-sei ! {frames.sink('recorded', False)}",
                               "recorded", "computed")
    waiting, order, count, others = {}, {}, 0, []
    for name, sample in pipeline.samples():
        pts = frames.pts_of(sample)
        data = GstStixels.metas_to_bytes(sample.get_buffer())
        found = waiting.setdefault(pts, {})
        found[name] = data.get_data() if data else b""
        if name == "recorded":
            order[pts] = len(order)
        if len(found) == 2:
            del waiting[pts]
            if cut and not found["computed"]:
                continue
            number, count = order[pts], count + 1
            said = difference(**found)
            if said:
                others.append((number, said, apart(**found)))
    if waiting and not cut:
        raise frames.PipelineError(f"{len(waiting)} frames have lost one view")
    if not others:
        print(f"{count} frames, all equal")
        return count > 0
    number, what, _ = min(others)
    print(f"{len(others)} of {count} frames are different, from frame {number} on: {what}")
    share = sum(share for _, _, share in others) / count
    print(f"{100 * share:.2f} % of the image have a disparity that is off by more than a pixel")
    if description.get("quantizer"):
        print(f"the file is lossy (--quantizer {description['quantizer']}): this is what the "
              "encoder has changed")
    return False


def main():
    sys.stdout.reconfigure(errors="backslashreplace")  # names are bytes, whatever the locale is
    options, cut, equal = ARGUMENTS, None, True
    try:
        with tempfile.TemporaryDirectory() as folder:
            if not (options.replay or options.verify):
                record(options)
            else:
                need("h264parse", "avdec_h264", "capssetter", "stixel-sei")
                description, cut = read(options.file)
                equal = (verify if options.verify else replay)(
                    options, description, pathlib.Path(folder), cut) is not False
    except (frames.PipelineError, OSError, UnicodeError) as error:
        sys.exit(f"stx-record: {error}")
    sys.exit(f"stx-record: {cut}" if cut else not equal)


if __name__ == "__main__":
    main()
