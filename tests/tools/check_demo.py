#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/demo.sh as users type it, on the synthetic street.

usage: check_demo.py BUILD_ROOT

  - videos, numbered pictures, single pictures, folders and side-by-side videos are drawn: pictures
    of the frames that are wanted, with stixels on them, and videos of as many frames;
  - two videos of which one started earlier are drawn at one moment, turned as their tags say;
  - options reach the elements; cameras have their source; wrong values get their choices;
  - a dashboard has no bars;
  - what elements warn of is told once: views that are swapped;
  - what has no frames gets one line, which names the choices;
  - a decoder that is missing is installed, or its package is named;
  - scripts of this tree that a failure ends say where.
"""
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types

import gi
import numpy as np

import warm

gi.require_version("GstPbutils", "1.0")
from gi.repository import GstPbutils  # noqa: E402, F401 (for children)

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEMO = ROOT / "examples/demo.sh"
WIDTH, HEIGHT, FRAMES = 192, 144, 5
CHOICES = ["a video", "PNG or JPEG", "numbered pictures (left/%06d.png)", "folder"]


def expect(condition, fault):
    if not condition:
        sys.exit(f"FAILED: {fault}")


def launch(line, folder):
    subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True, cwd=folder, timeout=60)


def has(element):
    return subprocess.run(["gst-inspect-1.0", "--exists", element], check=False).returncode == 0


# ---- What users have ----------------------------------------------------------------------------

def coded(h264):
    """Elements that make a stream of a video; without an encoder for H.264 it is MJPEG."""
    if h264 and has("x264enc"):
        return "x264enc speed-preset=veryfast pass=quant quantizer=12 ! video/x-h264,profile=main"
    if h264 and has("openh264enc"):
        return "openh264enc bitrate=4000000 ! h264parse"
    return "jpegenc quality=95"


def write_street(folder):
    """left and right: folders of PNGs, and videos; both.mkv with the views side by side. The
    right MP4 has sound; late.mkv is of another rate and ends early."""
    caps = f"video/x-raw,width={WIDTH},height={HEIGHT},framerate=10/1"
    line = (f"compositor name=both sink_1::xpos={WIDTH} ! videoconvert ! jpegenc quality=95 "
            "! matroskamux ! filesink location=both.mkv "
            "audiotestsrc num-buffers=20 ! audioconvert ! jobs.")
    line = line.replace("jobs.", "audio/x-raw,format=S16LE ! qtright.")
    for view, pad in ("left", "both.sink_0"), ("right", "both.sink_1"):
        (folder / view).mkdir()
        mux = "mp4mux" if has("x264enc") or has("openh264enc") else "qtmux"
        mux = "qtmux" if view == "right" else mux  # which takes plain sound
        line += (f" street-scene-src view={view} num-buffers={FRAMES} ! {caps} ! tee name=t{view}"
                 f" t{view}. ! queue ! pngenc ! multifilesink location={view}/%06d.png"
                 f" t{view}. ! queue ! videoconvert ! {pad}"
                 f" t{view}. ! queue ! videoconvert ! {coded(True)} ! {mux} name=qt{view}"
                 f" ! filesink location={view}.mp4")
    launch(line, folder)
    launch(f"street-scene-src view=right num-buffers=3 ! {caps.replace('10/1', '1001/100')} "
           "! videoconvert ! jpegenc quality=95 ! matroskamux ! filesink location=late.mkv", folder)
    for view in "left", "right":  # neither numbered nor of one kind
        named = folder / f"named {view}"
        named.mkdir()
        for i, name in enumerate(["a.png", "b (2).JPG", "b (10).png", "c.jpeg", "d.PNG"]):
            picture = folder / view / f"{i:06}.png"
            if name.lower().endswith(".png"):
                shutil.copy(picture, named / name)
            else:
                launch(f"filesrc location={picture} ! pngdec ! videoconvert ! jpegenc quality=95 "
                       "! filesink location=picture.jpg", folder)
                shutil.move(folder / "picture.jpg", named / name)
    launch(f"street-scene-src num-buffers=1 ! {caps.replace(str(WIDTH), str(WIDTH + 2))} ! pngenc "
           "! filesink location=other.png", folder)
    launch("audiotestsrc num-buffers=9 ! audioconvert ! wavenc ! filesink location=sound.wav",
           folder)
    (folder / "note.txt").write_text("no picture, but a text of more than a few words\n" * 9)
    (folder / "empty").mkdir()
    (folder / "broken.png").write_bytes((folder / "left/000000.png").read_bytes()[:500])


# ---- What the demo makes of it ------------------------------------------------------------------

def demo(folder, *words, env=None, output="out"):
    """The end: status, what it said, and what it said of faults; of the script, if there is an
    environment for it, otherwise of the program that it calls."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    command = [DEMO, *words, "--output", output]
    result = warm.always(command, folder) if env is None else subprocess.run(
        command, text=True, timeout=120, cwd=folder, capture_output=True, check=False,
        env={**os.environ, "BUILD": sys.argv[1], "GST_PLUGIN_PATH_1_0": "", **env})
    return result.returncode, result.stdout, result.stderr


@functools.cache
def plain_pixels(picture):
    """Those of a picture that does not change."""
    return pixels(picture)


def pixels(picture):
    """A picture as rows of RGB."""
    raw = picture.with_suffix(".raw")
    said = subprocess.run(
        ["gst-launch-1.0", "-v", "filesrc", f"location={picture}", "!", "pngdec", "!",
         "videoconvert", "!", "video/x-raw,format=RGB", "!", "filesink", f"location={raw}"],
        check=True, capture_output=True, text=True).stdout
    caps = said.split("filesink0.GstPad:sink: caps = ")[1]
    width, height = (int(caps.split(f"{side}=(int)")[1].split(",")[0])
                     for side in ("width", "height"))
    rows = np.fromfile(raw, np.uint8).reshape(height, -1)
    return rows[:, :3 * width].reshape(height, width, 3).astype(int)


def count_frames(video):
    launch(f"filesrc location={video} ! matroskademux ! multifilesink location=frame%d.jpg",
           video.parent)
    return len(list(video.parent.glob("frame*.jpg")))


def check_drawn(folder, words, frame, frames, env=None):
    """A picture of that frame with stixels on it, and a video of so many frames, or none."""
    status, said, faults = demo(folder, *words, env=env)
    expect(status == 0 and "ERROR" not in faults, f"{words} ends with {status}:\n{said}{faults}")
    drawn = pixels(folder / "out/stixels.png")
    plain = [plain_pixels(folder / f"left/{i:06}.png") for i in range(FRAMES)]
    expect(drawn.shape == plain[0].shape, f"{words}: a picture of {drawn.shape}")
    expect(drawn.std() > 20, f"{words}: a blank picture")
    changed = (abs(drawn - plain[frame]).max(axis=2) > 16).mean()
    expect(changed > .5, f"{words}: stixels change only {changed:.0%} of the picture")
    # Above, where little is drawn over the sky and far houses, only its own frame fits.
    fits = [abs(drawn - other).mean() for other in plain]
    expect(np.argmin(fits) == frame, f"{words}: not frame {frame}; differences {fits}")
    video = folder / "out/stixels.mkv"
    expect(video.exists() == (frames > 1), f"{words}: {'no' if frames > 1 else 'a'} video")
    expect(frames == 1 or count_frames(video) == frames, f"{words}: not {frames} frames")
    return drawn


def check_kinds(folder):
    pair = ["--left", "left.mp4", "--right", "right.mp4"]
    check_drawn(folder, pair, 0, FRAMES, env={})
    check_drawn(folder, [*pair, "--frames", "2"], 0, 2)
    check_drawn(folder, [*pair, "--frame", "3"], 3, 1)
    check_drawn(folder, ["--left", "left.mp4", "--right", "late.mkv"], 0, 3)
    check_drawn(folder, ["--both", "both.mkv", "--frame", "1"], 1, 1)
    numbered = check_drawn(folder, ["--left", "left/%06d.png", "--right", "right/%06d.png"], 0,
                           FRAMES)
    same = check_drawn(folder, ["--left", "left", "--right", f"{folder}/right/", "--frame", "0"],
                       0, 1)
    expect((same == numbered).all(), "a folder is not drawn as its numbered pictures are")
    same = check_drawn(folder, ["--left", "left/000000.png", "--right", "right/000000.png"], 0, 1)
    expect((same == numbered).all(), "a picture is not drawn as the first of a sequence")
    names = ["--left", "named left", "--right", "named right"]
    check_drawn(folder, [*names, "--frames", "4"], 0, 4)
    check_drawn(folder, [*names, "--frame", "1"], 1, 1)  # b (2).JPG comes before b (10).png
    check_drawn(folder, [*names, "--frame", "2"], 2, 1)
    # Tags of the bit rate come after the last frame that is wanted.
    for view in "left", "right":
        launch(f"street-scene-src view={view} num-buffers=16 ! video/x-raw,width={WIDTH},height="
               f"{HEIGHT},framerate=10/1 ! videoconvert ! {coded(True)} ! qtmux ! filesink "
               f"location={view}-long.mp4", folder)
    check_drawn(folder, ["--left=left-long.mp4", "--right=right-long.mp4", "--frames", "10"], 0, 10)


def check_apart(folder):
    """Two videos of one street of which the right one began .7 s earlier, turned by their tags."""
    caps = f"video/x-raw,width={WIDTH},height={HEIGHT},framerate=10/1"
    for view, first in ("left", 17), ("right", 10):
        launch(f"street-scene-src view={view} first-frame={first} num-buffers=40 ! {caps} "
               "! videoflip video-direction=180 ! videoconvert ! jpegenc quality=95 "
               f"! qtmux ! filesink location={view}-apart.mov", folder)
        video = folder / f"{view}-apart.mov"
        data = bytearray(video.read_bytes())
        matrix = data.index(b"tkhd") + 44  # which the muxer leaves as it is
        for place in (0, 16):
            data[matrix + place:matrix + place + 4] = (-65536).to_bytes(4, "big", signed=True)
        video.write_bytes(data)
    launch(f"street-scene-src first-frame=17 num-buffers=5 ! {caps} ! pngenc "
           "! multifilesink location=moment-%d.png", folder)
    plain = [pixels(folder / f"moment-{i}.png") for i in range(5)]
    words = ["--left", "left-apart.mov", "--right", "right-apart.mov", "--frame", "2"]
    for more in [], ["--offset", ".7"]:
        status, said, faults = demo(folder, *words, *more)
        expect(status == 0 and "swapped" not in faults, f"{more}: {status}: {said}{faults}")
        expect(bool(more) or "started 0.70 s before" in said, f"the offset is not found: {said}")
        drawn = pixels(folder / "out/stixels.png")
        away = [abs(drawn - other).mean() for other in [*plain, plain[2][::-1, ::-1]]]
        expect(np.argmin(away) == 2, f"{more}: another moment, or not turned: {away}")
    faults = demo(folder, *words, "--offset", "0")[2]
    expect("--offset SECONDS" in faults, faults)
    status, said, faults = demo(folder, *words[:4], "--offset", "9")
    expect(status == 1 and "--offset 9: --right ends after" in faults, faults)


def check_rates(folder):
    """Videos of two rates: each frame that is drawn has a partner, and stixels of its own."""
    for view, rate, number in ("left", 10, 8), ("right", 20, 16):
        launch(f"street-scene-src view={view} num-buffers={number} ! video/x-raw,width={WIDTH},"
               f"height={HEIGHT},framerate={rate}/1 ! videoconvert ! jpegenc quality=95 "
               f"! matroskamux ! filesink location={view}-{rate}.mkv", folder)
    for words in ["left-10.mkv", "--right", "right-20.mkv"], ["right-20.mkv", "--right",
                                                              "left-10.mkv", "--frame", "3"]:
        words = ["--left", *words, "--offset", "0", "--frames", "7"]
        status, said, faults = demo(folder, *words)
        expect(status == 0 and "has no stixels" not in faults, f"{words}: {status}: {faults}")


def check_offset():
    """The left video lacks every fourth frame and began 9 frames after the right one."""
    sys.path.insert(0, str(DEMO.parent))
    import demo as program
    program.load_gstreamer()
    moves = np.random.default_rng(5).uniform(1, 9, 100)

    def video(numbers):
        view = types.SimpleNamespace(times=[int(n - numbers[0]) * 10**8 for n in numbers])
        view.motion = [0, *(moves[a:b].sum() for a, b in zip(numbers, numbers[1:]))]
        return view

    found = program.find_offset(video([n for n in range(9, 100) if n % 4]), video(range(91)))
    expect(found[1] > .99 and abs(found[0] - .9) < .05, f"another offset: {found}")


def check_options(folder):
    """Values reach the elements, or their choices are told."""
    pair = ["--left=left", "--right=right"]
    status, line, faults = demo(folder, *pair, "--print", "--max-disparity", "64", "--labels",
                                "--scale=depth", "--cell=4", "--frames=2")
    for words in ("max-disparity=64", "labels=distance", "scale=depth", "stixel-width=4",
                  "matroskamux", "mp4mux"):
        expect(status == 0 and words in line, f"no {words} in {line}{faults}")
    status, line, faults = demo(folder, "--left", "/dev/null", "--right=/dev/zero", "--print")
    for words in ('v4l2src device="/dev/null" !', 'v4l2src device="/dev/zero" !',
                  "stixels.sink_left", "stixels.sink_right"):
        expect(status == 0 and words in line, f"no {words} in {line}{faults}")
    status, line, faults = demo(folder, "--both", "/dev/null", "--layout=top-bottom", "--print")
    expect(status == 0 and "layout=top-bottom" in line and "stixels.sink" in line, line + faults)
    for words, parts in (["--mode", "Distance"], ["distance, kind, class"]), \
            (["--labels", "x"], ["distance, class, id, speed", "+"]), \
            (["--max-disparity", "9"], ["64, 128, 256"]), \
            (["--scale", "x"], ["disparity, depth"]), (["--cell", "0"], ["1 or more"]), \
            (["--layout", "x"], ["'side-by-side', 'top-bottom'"]), \
            (["--frames", "x"], ["1 or more"]), (["--fps", "x"], ["above 0"]), \
            (["--offset", "1"], ["two videos"]), (["--nonsense"], ["--nonsense"]):
        env = {} if words == ["--nonsense"] else None
        status, said, faults = demo(folder, *pair, *words, env=env)
        expect(status == 1 and faults.count("\n") == 1 and all(part in faults for part in parts),
               f"{words}: {status}: {said}{faults}")


def check_warnings(folder):
    for view in "left", "right":
        (folder / f"long {view}").mkdir()
        launch(f"street-scene-src view={view} num-buffers=15 "
               f"! video/x-raw,width=320,height=240 ! pngenc ! multifilesink "
               f"location={view}-%02d.png", folder)
        for picture in folder.glob(f"{view}-*.png"):
            shutil.move(picture, folder / f"long {view}")
    for left, right, told in ("left", "right", 0), ("right", "left", 1):
        words = ["--left", f"long {left}", "--right", f"long {right}"]
        status, said, faults = demo(folder, *words)
        expect(status == 0, f"{words} ends with {status}:\n{said}{faults}")
        expect(faults.count("the views are swapped") == told, f"{words} is told:\n{faults}")


def check_dashboards(folder):
    for words, width, height in (["--dashboard", "--frame", "1"], 1440, 436), \
            (["--dashboard", "--left", "left.mp4", "--right", "right.mp4", "--frame", "2"],
             1440, 1080):
        status, said, faults = demo(folder, *words)
        expect(status == 0, f"{words} ends with {status}:\n{said}{faults}")
        board = pixels(folder / "out/dashboard.png")
        expect(board.shape[0] == height, f"{words}: {board.shape[0]} rows")
        expect((board.shape[1] > width) == ("--left" not in words), f"{words}: {board.shape[1]}")
        lit = board[:, :width].max(axis=2) > 8
        for panel in lit[:height // 2], lit[height // 2:]:
            bars = (panel.mean(axis=0) < .02).sum(), (panel.mean(axis=1) < .02).sum()
            expect(bars == (0, 0), f"{words}: columns and rows without a picture: {bars}")


def check_faults(folder):
    (folder / "zero.mp4").touch()
    status, _, faults = demo(folder, "--frames", "1", output="zero.mp4")
    expect(status == 1 and "--output zero.mp4: " in faults and faults.count("\n") == 1,
           f"a file as folder ends with {status}: {faults}")
    for left, right, parts in [
            ("nothing.mp4", "right.mp4", ["--left", "nothing.mp4", "no such file", *CHOICES]),
            ("left.mp4", "empty", ["--right", "folder without pictures", *CHOICES]),
            ("note.txt", "right.mp4", ["--left", "note.txt", *CHOICES]),
            ("left/%03d.png", "right", ["no file has such a name", *CHOICES]),
            ("left.mp4", "sound.wav", ["sound.wav", "no video", *CHOICES]),
            ("broken.png", "broken.png", ["broken.png", "cannot be decoded", *CHOICES]),
            ("zero.mp4", "right.mp4", ["zero.mp4", "contains no data", *CHOICES]),
            ("left.mp4", "right", ["video", "pictures", "both must be videos"]),
            ("left/000000.png", "right", ["--left has 1 picture", "5", "same number"]),
            ("left/000000.png", "other.png", ["192x144", "194x144", "same size"])]:
        status, said, faults = demo(folder, "--left", left, "--right", right)
        expect(status == 1 and faults.count("\n") == 1 and "Drawing" not in said,
               f"{left} and {right} end with {status}:\n{said}{faults}")
        expect(all(part in faults for part in parts), f"{left} and {right}: not {parts}: {faults}")
    for words in (["--left", "left.mp4", "--right", "right.mp4", "--frame", "5"],
                  ["--left", "left", "--right", "right", "--frame", "5"]):
        status, _, faults = demo(folder, *words)
        expect(status == 1 and faults.count("\n") == 1 and "it has 5" in faults,
               f"{words} ends with {status}: {faults}")
    for words in ["left.mp4", "right.mp4"], ["--left", "left.mp4"], ["--layout", "left"]:
        status, _, faults = demo(folder, *words, env={})
        expect(status == 1 and faults.count("\n") == 1, f"{words} ends with {status}: {faults}")


# ---- A machine without decoders -----------------------------------------------------------------

PLUGINS = ["coreelements", "app", "playback", "videofilter", "typefindfunctions", "isomp4",
           "matroska", "png", "jpeg", "multifile", "videoconvertscale", "videoconvert",
           "videoscale", "videoparsersbad", "audioconvert", "videocrop"]
PROGRAMS = {
    "sudo": 'exec "$@"',
    "dpkg-query": 'shift 3; for p; do [ $p = gstreamer1.0-libav ] && [ ! -e installed ] || '
                  'echo "ii  $p $p:all"; done',
    "apt-get": 'echo "$@" >>apt.log; case "$*" in *" install "* | install*) [ ! -e refuse ] || '
               'exit 100; touch installed; ln -sf "$SYSTEM"/*.so plugins/ ;; esac',
}


def check_decoder(folder):
    system = subprocess.run(["pkg-config", "--variable=pluginsdir", "gstreamer-1.0"], text=True,
                            stdout=subprocess.PIPE, check=True).stdout.strip()
    (folder / "plugins").mkdir()
    (folder / "bin").mkdir()
    for name in PLUGINS:
        if pathlib.Path(f"{system}/libgst{name}.so").exists():
            (folder / f"plugins/libgst{name}.so").symlink_to(f"{system}/libgst{name}.so")
    for name, text in PROGRAMS.items():
        program = folder / "bin" / name
        program.write_text(f"#!/bin/sh\ncd '{folder}'\n{text}\n")
        program.chmod(0o755)
    env = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "SYSTEM": system,
           "GST_PLUGIN_SYSTEM_PATH_1_0": f"{folder}/plugins",
           "GST_REGISTRY_1_0": f"{folder}/bare.registry"}
    words = ["--left", "left.mp4", "--right", "right.mp4", "--frame", "2"]
    (folder / "refuse").touch()
    status, said, faults = demo(folder, *words, env=env)
    expect(status == 1 and faults.count("\n") == 1 and "gstreamer1.0-libav" in faults
           and "H.264" in faults, f"without a decoder: {status}\n{said}{faults}")
    (folder / "refuse").unlink()
    (folder / "apt.log").unlink()
    status, said, faults = demo(folder, *words, env=env)
    expect(status == 0, f"with a decoder to be installed: {status}\n{said}{faults}")
    expect("gstreamer1.0-libav" in (folder / "apt.log").read_text(), "apt was told something else")
    (folder / "apt.log").unlink()
    demo(folder, *words, env=env)
    expect(not (folder / "apt.log").exists(), "what is there is installed again")


# ---- Other scripts ------------------------------------------------------------------------------

def check_scripts(folder):
    """Each script that a failure ends says where; an example of one does."""
    listed = subprocess.run(["git", "ls-files", "*.sh"], cwd=ROOT, text=True, capture_output=True,
                            check=False).stdout.split()
    silent = [name for name in listed if "\nset -euo" in (ROOT / name).read_text()]
    expect(not silent, f"{silent} do not source tests/strict.sh")
    script = folder / "script.sh"
    script.write_text(f'. "{ROOT}/tests/strict.sh"\nfound=$(false; echo on)\nquiet() {{\n'
                      '  [ -n "" ] && true\n  return\n}\nquiet\necho never\n')
    result = subprocess.run(["bash", script], text=True, capture_output=True, check=False)
    expect(result.returncode == 1 and result.stdout == "" and result.stderr.count("\n") == 1
           and "script.sh, line " in result.stderr, f"a script that fails says {result}")


def main():
    os.environ.pop("DISPLAY", None)
    os.environ.pop("WAYLAND_DISPLAY", None)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_street(folder)
        check_scripts(folder)
        check_kinds(folder)
        check_warnings(folder)
        check_dashboards(folder)
        check_apart(folder)
        check_rates(folder)
        check_options(folder)
        check_faults(folder)
        if has("x264enc") or has("openh264enc"):
            check_decoder(folder)
        else:
            print("no encoder for H.264: its decoder is not asked for")
    check_offset()  # last: GStreamer does not work in children of one that has used it


if __name__ == "__main__":
    main()
