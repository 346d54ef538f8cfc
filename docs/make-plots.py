#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures and plots what docs/benchmarks/rdp.md, lidar.md and stixels.md show.

  docs/make-plots.py numbers build/examples [NAME=FOLDER[,CALIBRATION]...]
                               programs to CSV and to the tables of rdp.md and stixels.md; without
                               a folder: those of $STX_DATA (about half an hour on an idle machine)
  docs/make-plots.py measure-rdp build/examples ...            for rdp.md alone
  docs/make-plots.py measure-stixels build/examples ...        for stixels.md alone
  docs/make-plots.py measure-lidar build/examples [FOLDER]     scans, SemanticKITTI's or street's
  docs/make-plots.py tables [--check]                          CSV to the page's tables
  docs/make-plots.py plot                                      CSV to SVG

A FOLDER is laid out like KITTI's stereo benchmarks; the synthetic street is always measured.
Plotting needs Matplotlib (Debian: python3-matplotlib). All files lie in docs/benchmarks/.
"""
import csv
import json
import os
import pathlib
import sys
import tempfile

import plot_rdp
import plot_stixels
from plots import (COLOURS, data_names, machine_line, plain, read, run, save, start, table, write,
                   write_tables)

REPEATS = 3  # of the timings; the fastest count


# ---- Measuring scans -------------------------------------------------------------------------

def lidar_steps(program, arguments):
    with tempfile.TemporaryDirectory() as folder:
        run(program, "lidar", "--figures", folder, *arguments)
        with open(pathlib.Path(folder, "lidar-steps.csv"), newline="") as file:
            return list(csv.DictReader(file))


def bench_lidar(program, arguments):
    return json.loads(run(program, "lidar", "--json", *arguments))["rows"]


def fastest(measure_once, program, arguments, part_of):
    """Of several runs of the program; lines that are parts of one time stay together."""
    best = measure_once(program, arguments)
    for _ in range(REPEATS - 1):
        more, better = measure_once(program, arguments), False
        for place, (row, other) in enumerate(zip(best, more)):
            if not part_of(row):
                better = float(other["minimum_ms"]) < float(row["minimum_ms"])
            best[place] = other if better else row
    return best


def lidar_quality(program, source):
    """F1 over the numbers of sectors and of bins of the experiments."""
    rows = []
    for name, values in (("sectors", (1, 10, 50, 100, 360)), ("bins", (1, 10, 50, 100, 120))):
        for value in values:
            text = run(program, "lidar", *source, "--json", f"--{name}", value)
            total = json.loads(text)["total"]
            rows.append({"experiment": name, "value": value, "f1_mean": f'{total["f1_mean"]:.2f}',
                         "f1_worst": f'{total["f1_worst"]:.2f}'})
    return rows


def measure_lidar(programs, folders):
    bench = pathlib.Path(programs) / "stx-bench"
    scans = ["--scans", folders[0], "--frames", 2, "--time", 1000] if folders else []
    rows = []
    for threading in THREADING:
        os.environ["STX_THREADING"] = threading
        rows += [{"threading": threading, **row} for row in fastest(
            lidar_steps, bench, scans, lambda row: row["step"] in STEPS)]
    write("lidar-steps.csv", rows)
    os.environ.pop("STX_THREADING")
    rows = []
    for arguments in [[], scans] if scans else [[]]:
        for row in fastest(bench_lidar, bench, arguments, lambda row: False):
            rows.append({"scans": row["scans"], "points": row["points"],
                         "clusters": "yes" if row["clusters"] else "no",
                         "code": row["implementation"], "threads": row["threads"],
                         "minimum_ms": f'{row["minimum_ms"]:.4f}'})
    write("lidar-times.csv", rows)
    write("lidar-quality.csv", lidar_quality(pathlib.Path(programs) / "stx-eval",
                                             folders[:1] or ["--street", "--frames", 5]))


# ---- Plotting --------------------------------------------------------------------------------

STEPS = {"level": "#9a9a9a", "bins": COLOURS[0], "lines": COLOURS[1], "levels": "#e0b03a",
         "labels": COLOURS[2], "clusters": COLOURS[3]}


THREADING = ("openmp", "pool")


def steps_of(rows, value, threads, threading="openmp"):
    return {row["step"]: float(row["minimum_ms"]) for row in rows
            if (row["value"], row["threads"], row["threading"]) == (value, threads, threading)
            and row["code"] != "c"}


def plot_lidar_steps(plt):
    """Bars of the steps, one thread left and all threads right, and the whole as a dot."""
    rows = read("lidar-steps.csv")
    threads = max((row["threads"] for row in rows), key=int)
    counts = list(dict.fromkeys(["1", threads]))
    titles = {"points": "% of the points", "sectors": "sectors", "bins": "bins"}
    figure, panels = plt.subplots(1, 3, figsize=(8, 3.4), sharey=True)
    for axes, (name, title) in zip(panels, titles.items()):
        mine = [row for row in rows if row["experiment"] == name]
        values = data_names(mine, "value")
        for place, value in enumerate(values):
            for side, count in enumerate(counts):
                times, x, bottom = steps_of(mine, value, count), place + 0.42 * side, 0
                for step, colour in STEPS.items():
                    axes.bar(x, times[step], 0.38, bottom, color=colour,
                             label=step if place + side == 0 else None)
                    bottom += times[step]
                axes.plot(x, times["whole"], "k.", markersize=4,
                          label="whole, no clock inside" if place + side == 0 else None)
                axes.text(x, max(bottom, times["whole"]) + 0.03, count, ha="center", fontsize=6)
        axes.set_xticks([place + 0.21 * (len(counts) - 1) for place in range(len(values))], values)
        axes.grid(axis="x", visible=False)
        axes.set_xlabel(title)
    panels[0].set_ylabel("ms per scan, minimum; above: threads")
    figure.legend(*panels[0].get_legend_handles_labels(), fontsize=7, ncol=7, loc="lower center")
    save(figure, "lidar-steps.svg", 0.07)


def plot_lidar_times(plt):
    """Every implementation with clusters, and what clusters cost, in scans of several sensors."""
    rows = read("lidar-times.csv")
    names = data_names(rows, "scans")
    bars = [key for key in dict.fromkeys((row["code"], row["threads"]) for row in rows)]
    figure, axes = plt.subplots(figsize=(8, 3.2))
    width = 0.8 / len(bars)
    for i, (code, threads) in enumerate(bars):
        mine = {(row["scans"], row["clusters"]): float(row["minimum_ms"]) for row in rows
                if (row["code"], row["threads"]) == (code, threads)}
        x = [place + i * width for place in range(len(names))]
        colour = "#9a9a9a" if code == "c" else COLOURS[data_names(rows, "code").index(code)]
        label = f"{code}, {threads} thread{'s' if int(threads) > 1 else ''}"
        axes.bar(x, [mine[name, "yes"] for name in names], width * 0.9, color=colour, label=label,
                 alpha=0.55 if int(threads) > 1 else 1)
        axes.plot(x, [mine[name, "no"] for name in names], "k_", markersize=7, markeredgewidth=1.2,
                  label="without clusters" if i == len(bars) - 1 else None)
        for place, name in zip(x, names):
            axes.text(place, mine[name, "yes"] * 1.05, f'{mine[name, "yes"]:.2g}', ha="center",
                      fontsize=6)
    points = {row["scans"]: int(row["points"]) for row in rows}
    axes.set_xticks([place + 0.4 - width / 2 for place in range(len(names))],
                    [f"{name}\n{points[name]} points" for name in names], fontsize=8)
    axes.set_yscale("log")
    plain(axes.yaxis)
    axes.grid(axis="x", visible=False)
    axes.set_ylabel("ms per scan, minimum")
    axes.legend(fontsize=7, ncol=2)
    save(figure, "lidar-times.svg")


# ---- Tables of the pages ---------------------------------------------------------------------

NAMES = {"points": "{} % of the points", "sectors": "sectors: {}", "bins": "bins: {}"}
# Best speed-ups that the report gives: experiment, its words, our step, and for each value against
# its own code on one thread, and against the best sequential code.
REPORT = (
    ("points", "all", "whole", (1.17, 1.33, 1.39, 1.45), (1.13, 1.30, 1.42, 1.45)),
    ("points", "sorting into bins", "bins", (1.56, 1.97, 2.13, 2.24), (1.36, 1.73, 2.04, 2.09)),
    ("points", "classification", "labels", (6.86, 5.26, 5.72, 7.02), (6.87, 5.15, 5.84, 7.22)),
    ("sectors", "line fitting", "lines", (1.10, 2.74, 3.70, 3.08), (1.03, 2.38, 3.71, 3.10)),
    ("sectors", "prototypes", "bins", (.98, 5.91, 5.80, 4.40), (.97, 5.06, 5.92, 4.47)),
    ("bins", "all", "whole", (1.24, 1.33, 1.70, 1.73), (1.22, 1.45, 1.62, 1.68)),
    ("bins", "prototypes", "bins", (5.56, 4.10, 4.67, 4.16), (5.45, 4.47, 4.54, 4.14)))


def lidar_rows():
    rows = read("lidar-steps.csv")
    return rows, max((row["threads"] for row in rows), key=int)


def lidar_step_table():
    rows, most = lidar_rows()
    lines = [["", "threads", *STEPS, "whole", "whole, pool"]]
    for name, title in NAMES.items():
        mine = [row for row in rows if row["experiment"] == name]
        for value in data_names(mine, "value"):
            for threads in ("1", most):
                times, pool = (steps_of(mine, value, threads, kind) for kind in THREADING)
                lines.append([title.format(value), threads,
                              *(f"{times[step]:.2f}" for step in (*STEPS, "whole")),
                              f'{pool["whole"]:.2f}'])
    return table("lidar-steps", lines, 1)


def lidar_speed_ups():
    """The report's, and ours with as many threads as there are; the reference is one number."""
    rows, most = lidar_rows()
    lines = [["speed-up", "report, relative", "ours, OpenMP", "ours, pool", "report, absolute",
              "ours, OpenMP", "ours, pool"]]
    for name, words, step, relative, absolute in REPORT:
        mine = [row for row in rows if row["experiment"] == name]
        values = data_names(mine, "value")[:len(relative)]
        slow = {row["value"]: float(row["minimum_ms"]) for row in mine
                if (row["code"], row["step"]) == ("c", "whole")}

        def listed(numbers):
            return " / ".join(f"{number:.2f}" for number in numbers)

        def ours(kind):
            return listed(steps_of(mine, value, "1", kind)[step] /
                          steps_of(mine, value, most, kind)[step] for value in values)

        def beside_reference(kind):
            return "" if step != "whole" else listed(
                slow[value] / steps_of(mine, value, most, kind)[step] for value in values)

        lines.append([f'{NAMES[name].format(" / ".join(values))}: {words}', listed(relative),
                      *map(ours, THREADING), listed(absolute), *map(beside_reference, THREADING)])
    return table("lidar-speed-ups", lines, 1)


def lidar_times():
    rows = read("lidar-times.csv")
    codes = list(dict.fromkeys((row["code"], row["threads"]) for row in rows))
    lines = [["ms per scan, without / with clusters",
              *(f"{code}, {threads}" for code, threads in codes)]]
    for name in data_names(rows, "scans"):
        mine = [row for row in rows if row["scans"] == name]
        found = {(row["code"], row["threads"], row["clusters"]): float(row["minimum_ms"])
                 for row in mine}
        lines.append([f'{name}, {mine[0]["points"]} points',
                      *(f'{found[(*code, "no")]:.2f} / {found[(*code, "yes")]:.2f}'
                        for code in codes)])
    return table("lidar-times", lines, 1)


def lidar_quality_table():
    rows = read("lidar-quality.csv")
    lines = [["F1 mean / worst scan", "1", "10", "50", "100", "default"]]
    for name in data_names(rows, "experiment"):
        lines.append([name, *(f'{row["f1_mean"]} / {row["f1_worst"]}' for row in rows
                              if row["experiment"] == name)])
    return table("lidar-quality", lines, 1)


def write_pages(check=False):
    write_tables("lidar.md", lidar_times() + lidar_step_table() + lidar_speed_ups() +
                 lidar_quality_table(), check)
    write_tables("stixels.md", plot_stixels.tables() + machine_line("stixels"), check)
    write_tables("rdp.md", plot_rdp.tables() + machine_line("rdp"), check)


def main():
    command, words = sys.argv[1:2], sys.argv[2:]
    if command in (["numbers"], ["measure-rdp"], ["measure-stixels"]) and words:
        folders = words[1:] or plot_stixels.known_folders()
        if command != ["measure-stixels"]:
            plot_rdp.measure(words[0], folders)
        if command != ["measure-rdp"]:
            plot_stixels.measure(words[0], folders)
        write_pages()
    elif command == ["measure-lidar"] and len(words) in (1, 2):
        measure_lidar(words[0], words[1:])
        write_pages()
    elif sys.argv[1:] in (["tables"], ["tables", "--check"]):
        write_pages(check="--check" in sys.argv)
    elif sys.argv[1:] == ["plot"]:
        plt = start()
        for plot in (*plot_rdp.PLOTS, plot_lidar_steps, plot_lidar_times, *plot_stixels.PLOTS):
            plot(plt)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
