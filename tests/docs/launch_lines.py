#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every gst-launch-1.0 line of the documentation: README.md, docs/ and the doc blocks in gst/.

usage: launch_lines.py SOURCE_ROOT

A line passes if the pipeline ends without an error, or, where it has no end, if it ends cleanly on
an interrupt after its first frames. num-buffers is reduced to one, and the street to a small one
where a line names no size: check_debugging.py and check_frames.py look at it in full. Files of the
reader's own are those of samples.py. Recordings of the street take the place of cameras: the
matcher warns of views that are no pair, so such a line must not warn either. Lines that need
another machine or a maker's elements are only parsed: every factory of ours must exist. Windows are
replaced by fakesink; a page whose lines open one says how to do without, and one whose lines need
other packages than GStreamer's base and good names them. A block of YAML whose first line is "#
name.yml" is a file that lines of all pages may name.
"""
import functools
import itertools
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import samples

SECONDS = 0.1  # of a line without an end, once its first frames have reached the sinks
SECONDS_IDLE = 5  # of one that gets nothing
SECONDS_MOST = 60
BUFFERS = 1
SMALL = f"width={samples.WIDTH},height={samples.HEIGHT}"
NEEDS_MORE = re.compile(r"…|udpsrc|rtspsrc|zedsrc stream-type=4|realsensesrc|tensor_")
CAMERA = re.compile(r"v4l2src(?: device=\S+?(\d))? ! (\S+?width=(\d+)\S*)|zedsrc \S+ \S+ \S+")
BENT = "width=480,height=270"  # half of the size in bent.yml, which lines with it take too
AT_ONCE = 3  # most of them wait


def joined_lines(text):
    """Logical lines: a backslash at the end, or a doc block line that goes on, joins the next."""
    text = re.sub(r"\\\n\s*(\*\s*)?", " ", text)
    return text.split("\n")


def doc_block_lines(text):
    """Between |[ and ]| every line belongs to one command."""
    for block in re.findall(r"\|\[(.*?)\]\|", text, re.S):
        lines = (re.sub(r"^\s*\*", "", line) for line in block.split("\n"))
        yield " ".join(re.sub(r"\\\s*$", "", line).strip() for line in lines)


def markdown_lines(text):
    for line in joined_lines(text):
        if line.strip().startswith("gst-launch-1.0 "):
            yield line.strip()


def pages_and_sources(root):
    root = pathlib.Path(root)
    yield from sorted(root.glob("*.md"))
    for path in sorted(root.glob("docs/**/*.md")):
        # tests/network/ runs these, with what is on the other side, and check_debugging.py looks at
        # what comes out.
        if path.name not in ("network.md", "debugging.md"):
            yield path
    yield from sorted(root.glob("gst/**/*.c"))


def write_files(root, folder):
    for path in pathlib.Path(root).glob("docs/**/*.md"):
        blocks = re.findall(r"^```yaml\n# (\w+\.yml)\n(.*?)^```", path.read_text(), re.S | re.M)
        for name, text in blocks:
            pathlib.Path(folder, name).write_text(text)


def launch_lines(root):
    for path in pages_and_sources(root):
        text = path.read_text(encoding="utf-8")
        lines = markdown_lines(text) if path.suffix == ".md" else doc_block_lines(text)
        for line in lines:
            for command in re.findall(r"gst-launch-1\.0 (.*?)(?= gst-launch-1\.0|$)", line.strip()):
                yield path.relative_to(root), command


def factories(words):
    """Names of the elements in a launch line: the first word, and those after a '!' or a pad."""
    for before, word in zip(["!"] + words, words):
        names_element = before == "!" or "." in before and "=" not in before
        if names_element and re.fullmatch(r"[a-z][a-z0-9_-]*", word):
            yield word


@functools.lru_cache(None)
def inspected(*words):
    return subprocess.run(["gst-inspect-1.0", *words], capture_output=True, text=True)


def check_factories(words):
    for factory in factories(words):
        if inspected("--exists", factory).returncode != 0:
            # Only our own are sure to be installed.
            if "-" in factory and factory not in inspected("stixels").stdout:
                return f"no element '{factory}'"
    return None


def shortened(word):
    """A word of a launch line, as it is run here."""
    number = re.fullmatch(r"num-buffers=(\d+)", word)
    if number:
        return f"num-buffers={min(int(number[1]), BUFFERS)}"
    return "fakevideosink" if word in ("autovideosink", "ximagesink") else word


def small_street(words):
    """The words of a line, with a size behind each source of a picture that is given none. Cameras
    of a file have theirs."""
    words, bent = list(words), any("calibration=bent.yml" in word for word in words)
    if not bent and any("calibration=" in word for word in words):
        return words
    size = BENT if bent else SMALL
    for i in reversed(range(len(words) - 1)):
        if words[i] == "street-scene-src" and "!" in words[i:-1]:
            link = words.index("!", i)
            then = words[link + 1]
            if then.startswith("video/x-raw") and "width=" not in then:
                words[link + 1] += f",{size}"
            elif "width=" not in then and "view=lidar" not in " ".join(words[i:link]):
                words[link:link] = ["!", f"video/x-raw,{size}"]
    return words


def wait_for_playing(process, output):
    """An interrupt before that may be lost, or block GStreamer 1.22 for ever: its event waits for
    a live source that waits for its sink to play, and the state that lets it for the event. A
    source that gets nothing never plays."""
    until = time.monotonic() + SECONDS_MOST
    while process.poll() is None and time.monotonic() < until:
        output.seek(0)
        said = output.read()
        if re.search(r'"pipeline0" \(state-changed\).*new-state=\(GstState\)playing', said):
            return
        if "to PLAYING" in said:
            until = min(until, time.monotonic() + SECONDS_IDLE)
        time.sleep(.1)


def end_of(process, output, ends):
    """Why a line did not end in time, or None; one without an end is interrupted."""
    if not ends:
        wait_for_playing(process, output)
    try:
        process.wait(SECONDS_MOST if ends else SECONDS)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(SECONDS_MOST)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return "does not end on an interrupt"
        return f"has not ended after {SECONDS_MOST} s" if ends else None
    return f"exit status {process.returncode}" if process.returncode != 0 else None


def recorded(camera):
    """The recording of samples.py that shows what stands at a camera of a line."""
    device, caps, width = camera.groups()
    if not caps:
        return "filesrc location=above-raw.mkv ! matroskademux"
    view = "both" if int(width) > samples.CAMERA_WIDTH else "right" if device == "2" else "left"
    if "image/jpeg" in caps:
        return f"filesrc location={view}-jpeg.mkv ! matroskademux ! {caps}"
    return f"filesrc location={view}-raw.mkv ! matroskademux ! videoconvert ! {caps}"


def run(words, folder, faults=("ERROR",)):
    ends = any("num-buffers=" in word or "filesrc" in word for word in words)
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen(
            ["gst-launch-1.0", "-em", *map(shortened, small_street(words))], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        problem = end_of(process, output, ends)
        output.seek(0)
        said = output.read()
    if problem or any(fault in said for fault in faults):
        return f"{problem or 'an error'}: {said[-2000:].strip()}"
    return None


def judge(command, folder):
    """(what was done with a line, its problem or None)"""
    line, cameras = CAMERA.subn(recorded, re.split(r"\s(?:>|\||&&|;|#)\s?", command)[0])
    words = [word for word in shlex.split(line) if word not in ("-e", "-v", "-q")]
    if NEEDS_MORE.search(command):
        return "parsed", check_factories(words)
    return "ran", run(words, folder, ("ERROR", "WARNING") if cameras else ("ERROR",))


@functools.lru_cache(None)
def package_of(element):
    """The Debian package of an element that is in none of the usual ones, or ""."""
    absent = {"x264enc": "ugly", "pcapparse": "bad", "avdec_h264": "libav"}
    said = subprocess.run(["gst-inspect-1.0", element], capture_output=True, text=True).stdout
    module = re.search(r"Source module +gst-(?:plugins-(bad|ugly)|(libav))\n", said)
    kind = module[1] or module[2] if module else absent.get(element) if not said else None
    return f"gstreamer1.0-{kind if kind == 'libav' else f'plugins-{kind}'}" if kind else ""


def unsaid(root):
    """Faults of pages that do not say what their lines need."""
    for path in (pathlib.Path(root, "README.md"), *pathlib.Path(root).glob("docs/**/*.md")):
        text = path.read_text(encoding="utf-8")
        lines = " ".join(re.findall(r"^```\w*\n(.*?)^```", text, re.S | re.M))
        for word in sorted(set(re.findall(r"[!'(]\s+([a-z]\w*)(?=\s)", lines))):
            if package_of(word) not in text:
                yield f"{path.name}: {word} needs {package_of(word)}, which the page does not name"
        if "autovideosink" in lines and "without a window" not in text.lower():
            yield f"{path.name}: opens a window, without a link to install.md#without-a-window"


def judge_page(lines, folder):
    """Those of a page one after the other: one may read what another writes."""
    return [(where, command, *judge(command, folder)) for where, command in lines]


def main():
    root = sys.argv[1]
    # Lines with networks are run by check_semantics.py and check_onnx_stereo.py.
    lines = [line for line in launch_lines(root) if "onnx" not in line[1]]
    pages = [list(page) for _, page in itertools.groupby(lines, key=lambda line: line[0])]
    subprocess.run(["gst-inspect-1.0"], stdout=subprocess.DEVNULL)  # makes the registry, once
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        samples.make(folder)
        pathlib.Path(folder, "labels").mkdir()
        write_files(root, folder)
        judged = sum(pool.map(lambda page: judge_page(page, folder), pages), [])
    for where, command, verb, problem in judged:
        print(f"{'FAILED' if problem else verb}: {where}: {command[:120]}")
        if problem:
            print("  ", problem)
    faults = list(unsaid(root))
    print("\n".join(faults))
    bad = faults or any(problem for *_, problem in judged)
    ran = sum(verb == "ran" for _, _, verb, _ in judged)
    if ran == 0:
        print("no launch line found to run")
    return 1 if bad or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
