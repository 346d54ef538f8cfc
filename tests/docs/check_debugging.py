#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each symptom of docs/debugging.md is there in the line of its section, and gone once that was
changed as "Cure: …" says: both are run as they are printed, but for the window and the length, and
what comes out is measured against the street's truth.
"""
import os
import pathlib
import re
import shlex
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import blocks  # noqa: E402
import launch_lines  # noqa: E402
import symptoms  # noqa: E402
from symptoms import Gst  # noqa: E402

# For each section: what is measured, its least value with the fault, and its largest once that is
# cured.
SECTIONS = {
    "The road is full of objects": (symptoms.road_taken, .3, .15),
    "Objects where the road rises": (symptoms.too_near, .04, .015),
    "There are no obstacles": (symptoms.missed, .1, .02),
    "What is near is missing": (symptoms.missed, .06, .02),
    "Everything is too near, or too far": (symptoms.factor, 2, 1.05),
    "Near is right, far is too near": (symptoms.far_error, .2, .06),
    "One side is too near, the other too far": (symptoms.sides_differ, .08, .02),
    "Shreds everywhere": (symptoms.in_a_column, 10, 6),
    "Still shreds: not rectified": (symptoms.in_a_column, 10, 6),
    "Still shreds: not of one moment": (symptoms.in_a_column, 6.5, 5),
    "The sky becomes houses": (symptoms.sky_taken, .8, .3),
    "Objects in the dark": (symptoms.too_near, .03, .02),
    "Stixels flicker": (symptoms.bare, .4, 0),
    "The overlay does not fit the picture": (symptoms.elsewhere, .4, .1),
    "Too slow": (symptoms.in_a_frame, 1200, 800),
}
# Those that one frame does not show.
OF_TWO_FRAMES = ("Objects where the road rises", "What is near is missing", "Stixels flicker")
NOTHING = "Nothing comes out"
# The form of a cure's words, and the line that it makes of another.
CURES = (
    (r"Cure: `([^`]+)` in place of `([^`]+)`", lambda line, new, old: line.replace(old, new)),
    (r"Cure: add `([^`]+)` to `([^`]+)`", lambda line, new, old: line.replace(old, f"{old} {new}")),
    (r"Cure: leave out `([^`]+)`", lambda line, old: line.replace(old, "")),
    (r"Cure: exchange `([^`]+)` and `([^`]+)`",
     lambda line, one, two: line.replace(one, "\0").replace(two, one).replace("\0", two)),
)


def cured_line(line, body):
    for pattern, change in CURES:
        if found := re.search(pattern, " ".join(body.split())):
            changed = change(line, *found.groups())
            assert changed != line, f"changes nothing: {found[0]}"
            return [changed]
    return []


def sections(page):
    """{heading: the pipelines below it, as words, and what the cure makes of one}."""
    found, heading = {}, ""
    for part in page.read_text(encoding="utf-8").split("\n#")[1:]:
        heading, _, body = part.lstrip("#").strip().partition("\n")
        lines = [command for block in blocks.FENCED.finditer(body)
                 for command in blocks.commands(block[3]) if command.startswith("gst-launch-1.0 ")]
        if lines:
            found[heading] = [shlex.split(line) for line in lines + cured_line(lines[0], body)]
    return found


def check_symptom(heading, lines):
    measure, least, most = SECTIONS[heading]
    assert len(lines) == 2, f"{heading}: {len(lines)} lines, expected the symptom and the cure"
    frames = 2 if heading in OF_TWO_FRAMES else 1
    sick, cured = (measure(symptoms.play(words, frames)) for words in lines)
    print(f"{heading}: {measure.__name__} {sick:.3g}, then {cured:.3g}", flush=True)
    return sick >= least and cured <= most


def check_nothing(lines):
    """The symptom is the message."""
    sick, cured = (symptoms.play(words) for words in lines)
    print(f"{NOTHING}: {sick.error}")
    return (not sick.frames and "The views differ in size" in sick.error and cured.frames
            and not cured.error)


def main():
    page = blocks.ROOT / "docs/debugging.md"
    found = sections(page)
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        launch_lines.write_files(blocks.ROOT, folder)
        os.chdir(folder)
        for heading, lines in found.items():
            if heading in SECTIONS:
                good = check_symptom(heading, lines)
            elif heading == NOTHING:
                good = check_nothing(lines)
            else:
                good = all(symptoms.play(words).frames for words in lines)
            if not good:
                bad.append(heading)
    missing = {*SECTIONS, NOTHING} - set(found)
    if bad or missing:
        sys.exit(f"not as the page says: {bad}; not on the page: {missing}; {Gst.version_string()}")


if __name__ == "__main__":
    main()
