# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-paper.py on small streets: its rows are what stx-eval says with the options of each.

usage: check_paper.py STX-EVAL

PYTHONPATH and STIXELS_LIBRARY are those of the build: stx-paper.py and stx-eval run in children of
this process (warm.py).
"""
import contextlib
import csv
import importlib
import io
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import warm

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs/measure"))
stx_paper = importlib.import_module("stx-paper")
subprocess.run = warm.run
PROGRAMS = pathlib.Path(sys.argv[1]).parent
STREET = "--size 240x96"
# Rows of a scene: cells; models from depth and labels, with the defaults and as the paper has them.
SCENES, ROWS = 4, 2 * (5 + 4 + 4 + 3)
FLAT = "--object-sigma-slope 0 --ground-sigma-intercept .01 --ground-sigma-slope .01"
PRINTED = "--reduction mean --fill-width 0 --no-confidence --no-sky --object-sigma-slope 0"


def run(command, status=0):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=300, check=False)
    assert done.returncode == status and "Traceback" not in done.stderr, (command, done)
    return done.stdout if status == 0 else done.stderr


def paper(options, *folders, status=0):
    """Returns its output; status 2 is that of argparse, 1 that of a message."""
    sys.argv = ["stx-paper.py", "--programs", str(PROGRAMS), "--seeds", "1", *STREET.split(),
                *options.split(), *folders]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            stx_paper.main()
            end = 0
        except SystemExit as said:
            end = said.code
    found = end if isinstance(end, int) else 1
    assert found == status, (options, end, err.getvalue())
    return out.getvalue() if status == 0 else f"{err.getvalue()}{end}"


def evaluate(options):
    return json.loads(run([PROGRAMS / "stx-eval", "--street", *STREET.split(), "--frames", 1,
                           "--threads", 1, "--json", *options.split()]))["total"]


def rows_of(name, *folders):
    found = json.loads(paper(f"--tables {name} --json", *folders))
    assert all(not found[other] for other in ("comparison", "frames", "growth", "study")
               if other != name)
    return found


def at(total, path):
    for key in path.split("."):
        total = total[key]
    return total


def check_comparison():
    """Seeds after the study's; every line once; a few of them by another way."""
    found = rows_of("comparison")
    rows = found["comparison"]
    assert len(rows) == SCENES * ROWS, len(rows)
    keys = ("data", "cell", "settings", "labels", "model")
    assert len({tuple(row[key] for key in keys) for row in rows}) == len(rows)
    alike = sum(row["stixels_per_frame"] == other["stixels_per_frame"]
                for row, other in zip(rows, rows[1:]))
    assert alike < len(rows) / 6, "a mix-up could not be seen"
    for row in rows:
        assert row["ms_sgm"] > 0
        assert row["ms_rdp" if row["model"] == "rdp" else "ms_satdp"] > 0
        assert (row["iou_classes"] is None) == (row["labels"] == "none")
    for number, options in (
            (0, "--cell 8 --model gaussian-uniform"), (2, "--cell 8 --model satdp"),
            (3, f"--cell 8 --model satdp {FLAT}"),
            (14, f"--cell 8 --model satdp --semantics truth {PRINTED} --sigma-weight 1"),
            (ROWS + 16 + 4, "--terrain sloped --cell 4 --model rdp"),
            (SCENES * ROWS - 1, "--terrain hilly --ground piecewise --cell 4 --semantics truth "
             f"{PRINTED} {FLAT} --sigma-weight 1")):
        total, row = evaluate(f"--seed 2 {options}"), rows[number]
        for key, path in (("error_or", "non_occluded.stixels.error_or"),
                          ("input_and", "non_occluded.filled.error_and"),
                          ("error_all_or", "all.stixels.error_or"),
                          ("ratio_and", "non_occluded.ratio_and"),
                          ("pixels_per_stixel", "pixels_per_stixel"),
                          ("iou_cells", "iou_cells.mean"), ("pairs_evaluated", "pairs_evaluated")):
            assert row[key] == at(total, path), (options, key, row, total)


def check_frames():
    """A row for every model and street, which is one frame."""
    frames = rows_of("frames")["frames"]
    assert len(frames) == SCENES * 3 and {row["frame"] for row in frames} == {"seed 2"}, frames
    total = evaluate("--seed 2 --cell 4 --model satdp --object-sigma-slope 0 --terrain sloped")
    (row,) = (row for row in frames if (row["data"], row["model"]) == ("sloped street", "upright"))
    for key, path in (("error_and", "non_occluded.stixels.error_and"),
                      ("input_or", "non_occluded.filled.error_or")):
        assert row[key] == at(total, path), (key, row, total)


def check_growth(folder):
    """The slope through the logarithms of all points; a folder comes first."""
    found = rows_of("growth", f"One frame={folder}")
    rows, exponents = found["growth"], found["exponents"]
    assert rows[0]["data"] == "One frame" and len(exponents) == 2
    for line in exponents:
        curve = [row for row in rows if all(row[key] == line[key] for key in ("data", "model"))]
        x, y = ([math.log(row[name]) for row in curve] for name in ("rows", "us_per_column"))
        assert abs(line["exponent"] - statistics.linear_regression(x, y).slope) < 1e-6, line


def check_tables(folder):
    """Tables for a page, and the same rows as files."""
    page = paper(f"--tables comparison --markdown --csv {folder}")
    assert "<!-- table errors -->\n| data | cells | from | or: closed form |" in page, page
    assert "\n|---|---|---|--:|" in page and "\n| street | 8×8 | labels | " in page
    assert "<!-- table table-2 -->\n" in page and "\n| error, or | street | depth | " in page
    assert "table growth" not in page
    text = (folder / "stixels-comparison.csv").read_text()
    rows = list(csv.reader(text.splitlines()))
    assert text.startswith("data,cell,settings,labels,model,fra"), text
    assert len(rows) == 1 + SCENES * ROWS and all(len(row) == len(rows[0]) for row in rows), text


def check_refusals():
    for options, folders, status, word in (
            ("", ["some/folder"], 2, "Give NAME=FOLDER"), ("", ["=folder"], 2, "what is '=folder'"),
            ("", ["KITTI=/no/such/folder"], 1, "/no/such/folder"),
            ("--tables none", [], 2, "comparison"), ("--seeds 0", [], 2, "1 to 1000"),
            ("--repeat 0", [], 2, "repeat"), ("--threads 257", [], 2, "0 to 256"),
            ("--size 416", [], 1, "--size=416"), ("--json --markdown", [], 2, "not allowed"),
            ("--tables growth --csv /no/such", [], 1, "/no/such"),
            ("--programs /no/such", [], 1, "/no/such/stx-eval")):
        said = paper(options, *folders, status=status)
        assert word in said, (options, folders, said)


def make_folder(folder):
    """A frame in KITTI's layout, without labels and calibration."""
    for view, form, sub in (("left", "GRAY8", "image_0"), ("right", "GRAY8", "image_1"),
                            ("disparity", "GRAY16_BE", "disp_occ")):
        (folder / sub).mkdir()
        run(["gst-launch-1.0", "-q", "street-scene-src", f"view={view}", "num-buffers=1", "!",
             "video/x-raw,width=416,height=160", "!", "videoconvert", "!",
             f"video/x-raw,format={form}", "!", "pngenc", "!", "filesink",
             f"location={folder}/{sub}/000000_10.png"])


with tempfile.TemporaryDirectory() as name:
    make_folder(pathlib.Path(name))
    check_comparison()
    check_frames()
    check_growth(name)
    check_tables(pathlib.Path(name))
    check_refusals()
print("stx-paper.py says what stx-eval says")
