#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures and plots what docs/benchmarks/rdp.md, lidar.md and stixels.md show.

  docs/make-plots.py numbers build/examples [NAME=FOLDER[,CALIBRATION]...]
                               programs to CSV and to the tables of rdp.md and stixels.md; without
                               a folder: those of $STX_DATA (about half an hour on an idle machine)
  docs/make-plots.py measure build/examples ...                the same for rdp.md alone
  docs/make-plots.py measure-stixels build/examples ...        for stixels.md alone
  docs/make-plots.py measure-optimal build/examples            how often satdp misses the least
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

import plot_optimal
import plot_stixels
from plots import (COLOURS, data_names, plain, read, run, save, start, table, write,
                   write_tables)

EPSILONS = [0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16]
STREET = "street"
CELLS = "8x8"
SHOWN = ("1", "2", "4", "8")  # of the epsilons, in tables
REPEATS = 3  # of the timings; the fastest count


# ---- Measuring -------------------------------------------------------------------------------

def error_row(program, data, source, arguments, **key):
    total = json.loads(run(program, *source, "--cell", CELLS, "--json", *arguments))["total"]
    score = total["non_occluded"]
    return {"data": data, **key,
            "error": f'{100 * score["stixels"]["error_and"]:.3f}',
            "error_or": f'{100 * score["stixels"]["error_or"]:.3f}',
            "input_error": f'{100 * score["filled"]["error_and"]:.3f}',
            "pixels_per_stixel": f'{total["pixels_per_stixel"]:.1f}'}


def measure_errors(program, sources):
    """Error and compression over epsilon, against truth, and those of satdp."""
    rows = []
    for data, source in sources.items():
        rows.append(error_row(program, data, source, [], model="satdp", median="", epsilon_px=""))
        for median in (0, 3, 5):
            for epsilon in EPSILONS:
                rows.append(error_row(
                    program, data, source,
                    ["--model", "rdp", "--epsilon", epsilon, "--median", median],
                    model="rdp", median=median, epsilon_px=epsilon))
    write("rdp-error.csv", rows)


def figures(program, arguments):
    """The two tables that stx-bench --figures writes."""
    with tempfile.TemporaryDirectory() as folder:
        print(run(program, "rdp", "--figures", folder, *arguments), flush=True)
        tables = []
        for name in ("rdp-times.csv", "rdp-levels.csv"):
            with open(pathlib.Path(folder, name), newline="") as file:
                tables.append(list(csv.DictReader(file)))
        return tables


def add_frames(data, frames):
    """The levels of several frames as those of one data set."""
    total = {}
    for row in frames:
        key = (row["rows"], row["median"], row["epsilon_px"])
        sums = total.setdefault(key, dict(columns=0, segments=0, levels=0, squared=0, deepest=0,
                                          error=0.0))
        columns = int(row["columns"])
        sums["columns"] += columns
        sums["segments"] += int(row["segments"])
        sums["levels"] += int(row["levels"])
        sums["squared"] += int(row["levels_squared"])
        sums["deepest"] = max(sums["deepest"], int(row["deepest"]))
        sums["error"] += columns * float(row["mean_error_px"])
    rows = []
    for (count, median, epsilon), sums in total.items():
        mean = sums["levels"] / sums["columns"]
        deviation = max(0, sums["squared"] / sums["columns"] - mean * mean) ** 0.5
        rows.append({"data": data, "rows": count, "median": median, "epsilon_px": epsilon,
                     "segments": f'{sums["segments"] / sums["columns"]:.2f}',
                     "levels": f"{mean:.3f}", "levels_sd": f"{deviation:.3f}",
                     "deepest": sums["deepest"],
                     "mean_error_px": f'{sums["error"] / sums["columns"]:.4f}'})
    return rows


def pictures(folder):
    """--left and --right of every frame with a truth."""
    root = pathlib.Path(folder)
    root = root / "training" if (root / "training").is_dir() else root
    left, right = ("image_2", "image_3") if (root / "image_2").is_dir() else ("image_0", "image_1")
    truth = root / ("disp_noc_0" if left == "image_2" else "disp_noc")
    return [["--left", root / left / path.name, "--right", root / right / path.name]
            for path in sorted(truth.glob("*.png"))]


def repeat_times(program, arguments):
    """The times of several runs of the program: of every line the fastest."""
    best, frames = figures(program, arguments)
    for _ in range(REPEATS - 1):
        more, frames = figures(program, arguments)
        for row, other in zip(best, more):
            for key in ("median_ms", "minimum_ms"):
                row[key] = min(row[key], other[key], key=float)
            for key in ("rate_gb_s", "limit_gb_s"):
                row[key] = max(row[key], other[key], key=float)
    return best, frames


def measure_bench(program, folders):
    """Levels of all frames; times of the street and of the first folder's second frame."""
    times, frames = repeat_times(program, ["--size", "1242x375"])
    for row in times:
        row["picture"] = STREET
    levels = add_frames(STREET, frames)
    for data, folder in folders.items():
        pairs = pictures(folder)
        _, frames = figures(program, ["--quick", "--time", 1, *sum(pairs, [])])
        levels += add_frames(data, frames)
        if len(data_names(times, "picture")) == 1:
            more, _ = repeat_times(program, pairs[min(1, len(pairs) - 1)])
            times += [{**row, "picture": data} for row in more]
    write("rdp-levels.csv", levels)
    write("rdp-times.csv", times)


def measure(programs, names):
    folders = dict(name.split("=", 1) for name in names)
    sources = {STREET: ["--street", "--frames", 5]}
    sources.update({data: [folder] for data, folder in folders.items()})
    measure_bench(pathlib.Path(programs) / "stx-bench", folders)
    measure_errors(pathlib.Path(programs) / "stx-eval", sources)


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

def epsilon_axis(axes):
    axes.set_xscale("log", base=2)
    axes.set_xticks([0.25, 0.5, 1, 2, 4, 8, 16, 32], ["¼", "½", "1", "2", "4", "8", "16", "32"])
    axes.set_xlabel("epsilon, px")


def plot_errors(plt):
    rows = read("rdp-error.csv")
    figure, panels = plt.subplots(1, 2, figsize=(8, 3.3))
    for colour, data in zip(COLOURS, data_names(rows)):
        mine = [row for row in rows if row["data"] == data]
        satdp = next(row for row in mine if row["model"] == "satdp")
        for axes, key in zip(panels, ("error", "pixels_per_stixel")):
            for median, style in (("0", "o-"), ("5", "s:")):
                chosen = [row for row in mine if row["median"] == median]
                axes.plot([float(row["epsilon_px"]) for row in chosen],
                          [float(row[key]) for row in chosen], style, color=colour,
                          label=f"{data}, median {median}")
            axes.axhline(float(satdp[key]), color=colour, linestyle="--", linewidth=1,
                         label=f"{data}, satdp")
    for axes in panels:
        epsilon_axis(axes)
        axes.set_xlim(0.22, 18)
        axes.set_ylim(bottom=0)
    panels[0].set_title("Error: more than 3 px and more than 5 % off", fontsize=9)
    panels[0].set_ylabel("% of the pixels with truth")
    panels[1].set_title("Compression", fontsize=9)
    panels[1].set_ylabel("image pixels per segment")
    panels[0].legend(fontsize=6.5)
    save(figure, "rdp-error.svg")


def plot_levels(plt):
    rows = [row for row in read("rdp-levels.csv") if row["rows"] == "1024"]
    figure, panels = plt.subplots(1, 2, figsize=(8, 3.3))
    for i, (colour, data) in enumerate(zip(COLOURS, data_names(rows))):
        for median, style in (("5", "o-"), ("0", "s:")):
            mine = [row for row in rows if row["data"] == data and row["median"] == median]
            x = [float(row["epsilon_px"]) * 1.06 ** (i - 1) for row in mine]
            label = f"{data}, median {median}"
            panels[0].errorbar(x, [float(row["levels"]) for row in mine],
                               [float(row["levels_sd"]) if median == "5" else 0 for row in mine],
                               fmt=style, color=colour, elinewidth=0.8, label=label)
            panels[1].plot(x, [float(row["segments"]) for row in mine], style, color=colour,
                           label=label)
    for axes in panels:
        epsilon_axis(axes)
        axes.axvspan(4, 8, color="#eeeeee", zorder=0)
    panels[0].set_title("Levels, mean; bars: ± standard deviation at median 5", fontsize=9)
    panels[0].set_ylabel("levels of a column")
    panels[0].set_ylim(0, 20)
    panels[0].set_yticks([0, 5, 10, 15, 20])
    panels[1].set_title("Segments, mean", fontsize=9)
    panels[1].set_ylabel("segments of a column")
    panels[1].set_yscale("log")
    plain(panels[1].yaxis)
    panels[1].legend(fontsize=6.5)
    save(figure, "rdp-levels.svg")


def best_code(rows):
    """The fastest code of the CPU, and all its threads."""
    cpu = [row for row in rows if int(row["threads"]) > 0]
    threads = max(int(row["threads"]) for row in cpu)
    best = min((row for row in cpu if row["rows"] == "1024" and row["input"] == "average"),
               key=lambda row: float(row["minimum_ms"]))
    return best["code"], threads


def plot_times(plt):
    rows = read("rdp-times.csv")
    names = data_names(rows, "picture")
    code, threads = best_code(rows)
    kinds = ["noise", "worst", "average", "best"]
    figure, panels = plt.subplots(1, len(names), figsize=(8, 3.8), sharey=True, squeeze=False)
    for axes, data in zip(panels[0], names):
        for colour, kind in zip(COLOURS, kinds):
            for count, style in ((1, "s:"), (threads, "o-")):
                mine = [row for row in rows if row["picture"] == data and row["input"] == kind
                        and row["code"] == code and int(row["threads"]) == count]
                axes.plot([int(row["rows"]) for row in mine],
                          [float(row["minimum_ms"]) for row in mine], style, color=colour,
                          label=f"{kind}, {count} thread{'s' if count > 1 else ''}")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks([256, 512, 1024, 4096], ["256", "512", "1024", "4096"])
        axes.minorticks_off()
        axes.set_xlabel("cells of a column, n")
        axes.set_title(f"{data}, {code}", fontsize=9)
        plain(axes.yaxis)
    panels[0][0].set_ylabel("ms per frame, minimum")
    figure.legend(*panels[0][0].get_legend_handles_labels(), fontsize=7, ncol=4,
                  loc="lower center")
    save(figure, "rdp-times.svg", 0.13)


def plot_ranked(plt):
    rows = [row for row in read("rdp-times.csv") if row["input"] == "average"]
    picture = data_names(rows, "picture")[-1]
    rows = [row for row in rows if row["picture"] == picture]
    figure, panels = plt.subplots(1, 2, figsize=(8, 3))
    for axes, count in zip(panels, ("256", "1024")):
        mine = sorted((row for row in rows if row["rows"] == count),
                      key=lambda row: float(row["minimum_ms"]), reverse=True)
        times = [float(row["minimum_ms"]) for row in mine]
        names = []
        for row in mine:
            threads = int(row["threads"])
            names.append(row["code"] + (f", {threads} thread{'s' if threads > 1 else ''}"
                                        if threads > 0 else ""))
        axes.barh(names, times, color=COLOURS[0], height=0.65)
        for place, time in enumerate(times):
            axes.text(time * 1.06, place, f"{time:.3g}", va="center", fontsize=8)
        axes.set_xscale("log")
        plain(axes.xaxis)
        axes.set_xlim(min(times) / 3, max(times) * 2.5)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("ms, minimum")
        axes.set_title(f"{picture}, {rows[0]['columns']} columns of {count} cells", fontsize=9)
    save(figure, "rdp-ranked.svg")


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

def rdp_errors():
    rows = read("rdp-error.csv")
    lines = [["error, % @ px per segment", *("epsilon " + epsilon for epsilon in SHOWN), "satdp"]]
    for data in sorted(data_names(rows)):
        for median in "05":
            found = {row["epsilon_px"]: row for row in rows
                     if row["data"] == data and row["median"] in (median, "")}
            found[""] = found[""] if median == "0" else None
            lines.append([f"{data}, median {median}", *(
                f'{float(row["error"]):.2f} @{float(row["pixels_per_stixel"]):.0f}' if row else ""
                for row in map(found.get, (*SHOWN, "")))])
    return table("rdp-error", lines, 1)


def rdp_levels():
    rows = [row for row in read("rdp-levels.csv") if (row["rows"], row["median"]) == ("1024", "5")]
    lines = [["segments / levels ± deviation / deepest", *("epsilon " + each for each in SHOWN)]]
    for data in sorted(data_names(rows)):
        found = {row["epsilon_px"]: row for row in rows if row["data"] == data}
        lines.append([data, *(
            f'{float(row["segments"]):.1f} / {float(row["levels"]):.1f} ± '
            f'{float(row["levels_sd"]):.1f} / {row["deepest"]}' for row in map(found.get, SHOWN))])
    return table("rdp-levels", lines, 1)


def rdp_times():
    """Of the fastest code on the last picture; and every code on average columns."""
    rows = read("rdp-times.csv")
    code, threads = best_code(rows)
    rows = [row for row in rows if row["picture"] == data_names(rows, "picture")[-1]]
    counts = ("256", "512", "1024", "4096")

    def line(name, **wanted):
        found = {row["rows"]: row for row in rows
                 if all(row[key] == str(value) for key, value in wanted.items())}
        return [name, *(f'{float(found[count]["minimum_ms"]):.3g}' if count in found else ""
                        for count in counts)]

    kinds = [line(f"{kind}, {count}", code=code, input=kind, threads=count)
             for kind in ("best", "average", "worst", "noise") for count in (1, threads)]
    codes = {(row["code"], row["threads"]): line(
        f'{row["code"]}, {row["threads"]}', code=row["code"], input="average",
        threads=row["threads"]) for row in rows}
    heads = [f"ms, {rows[0]['picture']}; {{}}, threads", *("n = " + count for count in counts)]
    return (table("rdp-times", [[heads[0].format(code), *heads[1:]], *kinds], 1) +
            table("rdp-ranked", [[heads[0].format("average"), *heads[1:]], *sorted(
                codes.values(), key=lambda one: float(one[1]))], 1))


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
    write_tables("stixels.md", plot_stixels.tables(), check)
    for page, tables in plot_optimal.tables().items():
        write_tables(page, tables, check)
    write_tables("rdp.md", rdp_errors() + rdp_levels() + rdp_times(), check)


def main():
    command, words = sys.argv[1:2], sys.argv[2:]
    if command in (["numbers"], ["measure"], ["measure-stixels"]) and words:
        folders = words[1:] or plot_stixels.known_folders()
        if command != ["measure-stixels"]:
            measure(words[0], [name for name in folders if "," not in name])
        if command != ["measure"]:
            plot_stixels.measure(words[0], folders)
        if command == ["numbers"]:
            plot_optimal.measure(words[0])
        write_pages()
    elif command == ["measure-optimal"] and len(words) == 1:
        plot_optimal.measure(words[0])
        write_pages()
    elif command == ["measure-lidar"] and len(words) in (1, 2):
        measure_lidar(words[0], words[1:])
        write_pages()
    elif sys.argv[1:] in (["tables"], ["tables", "--check"]):
        write_pages(check="--check" in sys.argv)
    elif sys.argv[1:] == ["plot"]:
        plt = start()
        for plot in (plot_errors, plot_levels, plot_times, plot_ranked, plot_lidar_steps,
                     plot_lidar_times, *plot_stixels.PLOTS):
            plot(plt)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
