#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-record on the synthetic street.

usage: check_record.py

Without GStreamer for Python, the typelib GstStixels, x264enc or avdec_h264 the test is skipped.

  - a recording has the results that its pictures give: byte for byte, at any frame rate, also
    behind a calibration, which the recording replaces;
  - other settings, and pictures that a lossy encoder has changed, are told;
  - a replay writes the lines that the recorded settings and those of its command line give;
  - videos in H.264 are recorded, turned as their tags say;
  - an interrupt finishes the file;
  - the package and stx-eval read the stixels of a recording;
  - what is cut, foreign, newer or has one view ends in a message.
"""
import json
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile

import street

street.skip_without("gi", "numpy", "stixels")

import gi  # noqa: E402
import stixels  # noqa: E402

try:
    gi.require_version("GstStixels", "1.0")
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
    Gst.init(None)
    for element in ("x264enc", "avdec_h264", "h264parse"):
        assert Gst.ElementFactory.find(element), element
except (ValueError, AssertionError) as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

PROGRAM = [sys.executable, street.EXAMPLES / "stx-record/stx-record.py"]
EVAL = [sys.executable, street.EXAMPLES / "stx-eval/stx-eval.py", "--street", "--size", "320x95"]
FOLDER = pathlib.Path(tempfile.mkdtemp())
VIEW = "street-scene-src num-buffers={} view={} ! video/x-raw,width={},height={},framerate=30/1"


def record(name, *words, frames=4, width=320, height=95, status=0):
    left, right = (VIEW.format(frames, view, width, height) for view in ("left", "right"))
    said = street.run([*PROGRAM, name, "--left", left, "--right", right, *words], status,
                      folder=FOLDER)
    street.expect(status or f"{frames} frames" in said, said)
    return FOLDER / name


def verify(path, *words, status=0):
    return street.run([*PROGRAM, "--verify", path, *words], status)


def replay(path, name, *words):
    street.run([*PROGRAM, "--replay", path, "--output", FOLDER / name, *words])
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]


def check_equal():
    path = record("drive.mkv", "stixel-width=4", frames=20)
    street.expect(verify(path).strip() == "20 frames, all equal", "a recording is not its own")
    said = verify(path, "sgm::p1=30", status=1)
    found = re.search(r"(\d+) of 20 frames are different, from frame (\d+) on: stixels \((\d+) "
                      r"recorded, (\d+) now", said)
    street.expect(found and int(found[1]) + int(found[2]) <= 20 and found[3] != "0", said)
    lines, others = replay(path, "a.jsonl"), replay(path, "b.jsonl", "sgm::p1=30")
    street.expect(len(lines) == len(others) == 20 and lines != others, "settings do nothing")
    street.expect(lines[0]["camera"]["focal"] > 100 and lines[1]["pts"] == 33333333,
                  f"{lines[1]['pts']}, {lines[0]['camera']}")
    street.run([*PROGRAM, "--replay", path, "--output", FOLDER / "drawn.mkv"])
    street.expect((FOLDER / "drawn.mkv").stat().st_size > 10000, "no drawn video")
    return path


def check_calibration():
    """Calibrations may be gone when the file is read, of pairs that are rectified or not."""
    numbers = "[186, 0, 160, 0, 186, 43, 0, 0, 1]"
    file = FOLDER / "street.yml"
    file.write_text(f"%YAML:1.0\n---\nimage_width: 320\nimage_height: 95\nK1: {numbers}\n"
                    f"D1: [0.05, 0, 0, 0, 0]\nK2: {numbers}\nD2: [0, 0, 0, 0, 0]\n"
                    "R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [-0.54, 0, 0]\n")
    path = record("rectified.mkv", f"calibration={file}", "camera-height=1.65")
    pair = FOLDER / "calib.txt"
    pair.write_text("P0: 186 0 160 0 0 186 43 0 0 0 1 0\nP1: 186 0 160 -100 0 186 43 0 0 0 1 0\n"
                    "P2: 186 0 160 0 0 186 43 0 0 0 1 0\nP3: 186 0 160 -100 0 186 43 0 0 0 1 0\n")
    other = record("pair.mkv", f"calibration={pair}")
    left, right = (VIEW.format(4, view, 320, 95) for view in ("left", "right"))
    both = (f"{left} ! views.sink_0 {right} ! views.sink_1 compositor name=views sink_1::xpos=320 "
            "! video/x-raw,width=640,height=95,framerate=30/1")
    street.run([*PROGRAM, "both.mkv", "--both", both, "layout=side-by-side",
                f"calibration={file}"], folder=FOLDER)
    file.unlink()
    pair.unlink()
    remuxed = FOLDER / "remuxed.mkv"  # what ffmpeg leaves
    remuxed.write_bytes(path.read_bytes().replace(b'{"stx-record"', b'{"any-record"', 1))
    for one in path, other, FOLDER / "both.mkv", remuxed:
        street.expect("4 frames, all equal" in verify(one), "a calibration is not kept")


def check_lossy():
    said = verify(record("lossy.mkv", "--quantizer", "30"), status=1)
    street.expect("4 of 4 frames are different" in said and "--quantizer 30" in said
                  and 0 < float(re.search(r"([\d.]+) % of the image", said)[1]) < 100, said)


def check_videos():
    """The width is no multiple of 16: with such ones decoders ask for memory at every frame."""
    for view in "left", "right":
        video = FOLDER / f"{view}.mov"
        street.run(["gst-launch-1.0", "-q", *street.words(
            f"{VIEW.format(20, view, 314, 94)} ! videoflip video-direction=90l ! videoconvert "
            f"! x264enc ! video/x-h264,profile=high ! qtmux ! filesink location={video}")])
        data = bytearray(video.read_bytes())
        matrix = data.index(b"tkhd") + 44  # which the muxer leaves as it is
        data[matrix:matrix + 20] = struct.pack(">5i", 0, 65536, 0, -65536, 0)
        video.write_bytes(data)
    said = street.run([*PROGRAM, "film.mkv", "--left", "left.mov", "--right", "right.mov",
                       "sgm::focal=180", "sgm::baseline=.54", "sgm::cx=157", "sgm::cy=43"],
                      folder=FOLDER)
    street.expect("20 frames" in said, said)
    lines = replay(FOLDER / "film.mkv", "film.jsonl")
    street.expect(len(lines) == 20 and lines[0]["width"] == 314, lines[0]["width"])


def check_interrupt():
    views = (f"street-scene-src view={view} ! video/x-raw,width=320,height=96"
             for view in ("left", "right"))
    left, right = views
    process = street.start([*PROGRAM, FOLDER / "live.mkv", "--left", left, "--right", right],
                           stdout=subprocess.PIPE)
    part = FOLDER / "live.mkv.part"
    street.wait_until(lambda: part.exists() and part.stat().st_size > 50000, "frames in a file")
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=30)[0]
    street.expect(process.returncode == 0 and not part.exists(), said)
    street.expect("all equal" in verify(FOLDER / "live.mkv"), "an interrupt costs frames")


def check_refused(path):
    data = path.read_bytes()
    (FOLDER / "cut.mkv").write_bytes(data[:len(data) * 2 // 3])
    (FOLDER / "newer.mkv").write_bytes(data.replace(b'{"stx-record": 1,', b'{"stx-record": 2,'))
    (FOLDER / "more.mkv").write_bytes(data.replace(b'obstacles=\\"true\\"', b"a=1 ! fakesink n=1"))
    (FOLDER / "camera.mkv").write_bytes(data.replace(b'"camera-focal"', b'"camera-f ! l"'))
    (FOLDER / "head.mkv").write_bytes(data[:200])
    (FOLDER / "text.mkv").write_text("no video\n")
    street.run(["gst-launch-1.0", "-q", "filesrc", f"location={path}", "!", "matroskademux",
                "name=d", "d.video_0", "!", "h264parse", "!", "mux.", "matroskamux", "name=mux",
                "!", "filesink", f"location={FOLDER / 'single.mkv'}"])
    street.run(["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=2", "!", "x264enc", "!",
                "matroskamux", "!", "filesink", f"location={FOLDER / 'other.mkv'}"])
    for name, words in (("cut.mkv", "the rest is missing"), ("newer.mkv", "its format is 2"),
                        ("more.mkv", "are damaged"), ("camera.mkv", "are damaged"),
                        ("head.mkv", "head.mkv"), ("text.mkv", "no Matroska file"),
                        ("other.mkv", "no recording of stx-record"),
                        ("single.mkv", "one view only"), ("none.mkv", "none.mkv")):
        for use in "--verify", "--replay":
            said = street.run([*PROGRAM, use, FOLDER / name, *["--output", FOLDER / "x.jsonl"]
                               * (use == "--replay")], 1)
            street.expect(words in said, f"{use} {name}: {said}")
    said = verify(FOLDER / "cut.mkv", status=1)
    street.expect(re.search(r"^\d+ frames, all equal$", said, re.M), said)
    for words, status, text in (
            (["--left", "a"], 2, "--right"), (["--quantizer", "51"], 2, "0 to 50"),
            (["--left", "no-such", "--right", "no-such"], 1, "no camera, no file"),
            (["--left", "left.mov", "--right", "videotestsrc"], 1, "differ in size"),
            (["--left", "text.mkv", "--right", "videotestsrc"], 1, "text.mkv: "),
            (["calibration=/nowhere"], 1, "/nowhere"), (["odd=1"], 1, "odd"),
            (["--both", "videotestsrc"], 1, "not rectified"), (["alpha"], 2, "PROPERTY=VALUE")):
        said = street.run([*PROGRAM, "new.mkv", *words], status, folder=FOLDER)
        street.expect(text in said, f"{words}: {said}")
    said = street.run(["env", "GST_PLUGIN_SYSTEM_PATH_1_0=/nowhere", "GST_REGISTRY_1_0=none",
                       *PROGRAM, "new.mkv"], 1, folder=FOLDER)
    street.expect("no x264enc: sudo apt install gstreamer1.0-plugins-ugly" in said, said)
    street.expect(not list(FOLDER.glob("new.mkv*")), "a failure leaves a file")
    # As one of pyenv: the packages of Debian are not on its path.
    said = street.run([sys.executable, "-IS", PROGRAM[-1], "new.mkv"], 1, folder=FOLDER)
    street.expect(f"{sys.executable} -m pip install numpy" in said, said)


def judge(path, *words, status=0):
    return street.run([*EVAL, "--recording", path, *words], status)


def check_judged(path):
    """Its stixels are those that its pictures give, and near the truth of their street only."""
    views = (f"{VIEW.format(20, view, 320, 95)} ! videoconvert ! video/x-raw,format=Y444 ! "
             f"s.sink_{view}" for view in ("left", "right"))
    street.run(street.words(f"gst-launch-1.0 -q {' '.join(views)} stereo-stixels name=s "
                            "stixel-width=4 obstacles=true output=stixels ! "
                            "filesink location=records"),
               folder=FOLDER)
    frames = list(stixels.read_video(path))
    street.expect(b"".join(frame.records.tobytes() for frame in frames)
                  == (FOLDER / "records").read_bytes(), "read_video has other stixels")
    one = frames[1]
    street.expect((one.width, one.height, one.stixel_width, round(one.time, 6), one.camera.baseline)
                  == (320, 95, 4, .033333, .54), one)
    errors = [json.loads(judge(path, "--frames", "1", "--json", "--seed", seed))["total"]["all"]
              for seed in ("0", "2")]
    street.expect([list(one) for one in errors] == [["stixels", "ratio_and", "ratio_or"]] * 2
                  and errors[0]["stixels"]["error_and"] < .09 < errors[1]["stixels"]["error_and"],
                  errors)
    street.run(["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=2", "!", "x264enc", "!",
                "matroskamux", "!", "filesink", f"location={FOLDER / 'plain.mkv'}"])
    for words, text in ((["--frames", "21"], "frame 20 of 21 is missing"),
                        ([], "it has more frames than"), (["--size", "322x95"], "320 × 95 pixels"),
                        (["--cell", "4"], "--cell changes nothing"),
                        (["--p1", "9"], "--p1 changes nothing")):
        said = judge(path, *words, status=1)
        street.expect(text in said, f"{words}: {said}")
    for name, text in (("plain.mkv", "frame 0 of 5 has no stixels"), ("none.mkv", "none.mkv")):
        street.expect(text in judge(FOLDER / name, status=1), name)


def main():
    path = check_equal()
    check_judged(path)
    check_calibration()
    check_lossy()
    check_videos()
    check_interrupt()
    check_refused(path)


if __name__ == "__main__":
    main()
