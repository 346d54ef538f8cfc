# SPDX-License-Identifier: LGPL-2.1-or-later
"""What make-plots.py and its parts share: running programs, files of CSV, and the look of plots."""
import csv
import pathlib
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
