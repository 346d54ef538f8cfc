#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every gst-launch-1.0 line of the documentation: README.md, docs/ and the doc blocks in gst/.

usage: launch_lines.py SOURCE_ROOT

A line passes if the pipeline ends without an error, or, where it has no end, if it ends cleanly on
an interrupt after a few seconds. Of a number of buffers the first few will do. Lines that need a
camera (tests/cameras/ runs those) or files of the reader's own are only parsed as far as their
elements: every factory named in them must exist, with the properties set. Windows are replaced by
fakesink. A block of YAML whose first line is "# name.yml" is a file that lines of all pages may
name.
"""
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile

SECONDS = 3  # of a line without an end
SECONDS_MOST = 60
BUFFERS = 5
NEEDS_READER = re.compile(r"v4l2src|image_[023]/|left/%|right/%|velodyne/|\.pcd|\.mp4|\.avi"
                          r"|/dev/|location=[^ ]*%0[^ ]*\.png.*pngdec"
                          r"|calib\.txt|camera\.json|disp_|\.raw|…|udpsrc|tensor_")


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
        # tests/cameras/ and tests/network/ run these, with what is on the other side.
        if path.name not in ("cameras.md", "network.md"):
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


def check_factories(words):
    for factory in factories(words):
        if subprocess.run(["gst-inspect-1.0", "--exists", factory]).returncode != 0:
            # Only our own are sure to be installed.
            ours = subprocess.run(["gst-inspect-1.0", "stixels"], capture_output=True,
                                  text=True).stdout
            if "-" in factory and factory not in ours:
                return f"no element '{factory}'"
    return None


def shortened(word):
    """A word of a launch line, as it is run here."""
    number = re.fullmatch(r"num-buffers=(\d+)", word)
    if number:
        return f"num-buffers={min(int(number[1]), BUFFERS)}"
    return "fakesink" if word in ("autovideosink", "ximagesink") else word


def run(words, folder):
    ends = any("num-buffers=" in word or "filesrc" in word for word in words)
    process = subprocess.Popen(["gst-launch-1.0", "-e", *map(shortened, words)], cwd=folder,
                               text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _, errors = process.communicate(timeout=SECONDS_MOST if ends else SECONDS)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=SECONDS_MOST)
        except subprocess.TimeoutExpired:
            process.kill()
            return "does not end on an interrupt"
        if ends:
            return f"has not ended after {SECONDS_MOST} s"
        return None if "ERROR" not in errors else errors.strip()
    if process.returncode != 0 or "ERROR" in errors:
        return f"exit status {process.returncode}: {errors.strip()}"
    return None


def main():
    root = sys.argv[1]
    ran, bad = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        write_files(root, folder)
        for where, command in launch_lines(root):
            if "onnx-semantics" in command:
                continue  # check_semantics.py knows what that needs
            words = shlex.split(re.split(r"\s(?:>|\||&&|;|#)\s?", command)[0])
            words = [word for word in words if word not in ("-e", "-v", "-q")]
            if NEEDS_READER.search(command):
                problem, verb = check_factories(words), "parsed"
            else:
                problem, verb = run(words, folder), "ran"
                ran += 1
            print(f"{'FAILED' if problem else verb}: {where}: {command[:120]}")
            if problem:
                bad += 1
                print("  ", problem)
    if ran == 0:
        print("no launch line found to run")
    return 1 if bad or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
