# SPDX-License-Identifier: LGPL-2.1-or-later
"""What make-plots.py and its parts share: running programs, files of CSV, and the look of plots."""
import csv
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent / "benchmarks"
COLOURS = ["#1f6fb4", "#d1641b", "#2c8a57", "#8a4fa3"]


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


def table(name, lines, words):
    """A page's table, of which the first line is the head, and `words` columns hold no numbers."""
    lines = [lines[0], ["---"] * words + ["--:"] * (len(lines[0]) - words), *lines[1:]]
    rows = ("|" + "|".join(line) + "|" if i == 1 else "| " + " | ".join(line) + " |"
            for i, line in enumerate(lines))
    return "\n".join([f"<!-- table {name} -->", *rows, "<!-- end -->\n"])


def write_tables(name, tables, check):
    """Puts tables into the page that has their places; `check` only says where they differ."""
    page = FOLDER / name
    text, faults = page.read_text(encoding="utf-8"), []
    for block, title in re.findall(r"(<!-- table (\S+) -->\n.*?<!-- end -->)", tables, re.S):
        old = re.search(rf"<!-- table {title} -->\n.*?<!-- end -->", text, re.S)
        if old is None:
            sys.exit(f"{page} has no place for the table {title}")
        faults += [title] if old[0] != block else []
        text = text.replace(old[0], block)
    if check and faults:
        sys.exit(f"{page}: not what the files of CSV say: {', '.join(faults)}; "
                 "docs/make-plots.py tables writes them")
    if not check:
        page.write_text(text, encoding="utf-8")


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
