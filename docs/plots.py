# SPDX-License-Identifier: LGPL-2.1-or-later
"""What make-plots.py and its parts share: running programs, files of CSV, and the look of plots."""
import collections
import csv
import os
import pathlib
import re
import subprocess
import sys
import textwrap

FOLDER = pathlib.Path(__file__).resolve().parent / "benchmarks"
PAGES = [FOLDER.parents[1] / "README.md", *sorted(FOLDER.parent.glob("**/*.md"))]
BLOCK = re.compile(r"(<!-- table (\S+) -->\n(?:(?!<!-- table ).)*?<!-- end -->)", re.S)
COLOURS = ["#1f6fb4", "#d1641b", "#2c8a57", "#8a4fa3"]


def data_folder():
    """$STX_DATA, or ../shared/data."""
    return pathlib.Path(os.environ.get("STX_DATA", FOLDER.parents[2] / "shared/data")).resolve()


def run(program, *arguments):
    result = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {result.stderr}")
    return result.stdout


def write(name, rows):
    FOLDER.mkdir(exist_ok=True)
    with open(FOLDER / name, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read(name):
    with open(FOLDER / name, newline="") as file:
        return list(csv.DictReader(file))


def block(name, text):
    """What stands on a page between two lines by which write_blocks finds it."""
    return f"<!-- table {name} -->\n{text}\n<!-- end -->\n"


def sentences(name, text):
    """A block of prose, wrapped as the pages are."""
    return block(name, textwrap.fill(" ".join(text.split()), 100, break_on_hyphens=False))


def table(name, lines, words):
    """A page's table, of which the first line is the head, and `words` columns hold no numbers."""
    lines = [lines[0], ["---"] * words + ["--:"] * (len(lines[0]) - words), *lines[1:]]
    return block(name, "\n".join(
        "|" + "|".join(line) + "|" if i == 1 else "| " + " | ".join(line) + " |"
        for i, line in enumerate(lines)))


def write_blocks(blocks, check):
    """Puts each block into the one page that has its place; `check` only says what differs."""
    new = {name: text for text, name in BLOCK.findall(blocks)}
    places, faults = collections.Counter(), []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if text.count("<!-- table ") != len(BLOCK.findall(text)):
            sys.exit(f"{page}: a block that no <!-- end --> ends")
        for old, name in BLOCK.findall(text):
            places[name] += 1
            if new.get(name) not in (None, old):
                faults.append(f"{page}: {name} is not what the files of CSV say; "
                              "docs/make-plots.py tables writes it")
            text = text.replace(old, new.get(name, old))
        if not check:
            page.write_text(text, encoding="utf-8")
    wrong = [f"the block {name} has {places[name]} places on the pages and "
             f"{'a' if name in new else 'no'} writer"
             for name in sorted(new.keys() | places) if places[name] != 1 or name not in new]
    if wrong + (faults if check else []):
        sys.exit("\n".join(wrong + faults))


def start():
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({
        "svg.fonttype": "none", "svg.hashsalt": "gst-stixels", "font.size": 9,
        "font.family": "sans-serif", "axes.spines.top": False, "axes.spines.right": False,
        "axes.grid": True, "axes.axisbelow": True, "grid.color": "#dddddd",
        "grid.linewidth": 0.6, "legend.frameon": False,
        "lines.linewidth": 1.6, "lines.markersize": 3.5, "savefig.facecolor": "white"})
    import matplotlib.pyplot
    return matplotlib.pyplot


def save(figure, name, below=0):
    """`below`: the share of the height that a legend under the panels takes."""
    figure.tight_layout(rect=(0, below, 1, 1))
    figure.savefig(FOLDER / name, metadata={"Date": None, "Creator": None})


def plain(axis):
    """Numbers on a logarithmic axis as 0.1, 1, 10, not as powers."""
    axis.set_major_formatter(lambda value, place: f"{value:g}")


def data_names(rows, key="data"):
    return list(dict.fromkeys(row[key] for row in rows))
