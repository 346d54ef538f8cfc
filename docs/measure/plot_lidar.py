# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of make-plots.py for benchmarks/lidar.md and algorithms/ground.md."""
import csv
import json
import math
import os
import pathlib
import tempfile

from plots import (COLOURS, data_folder, data_names, note_machine, plain, read, run, save, table,
                   write)

REPEATS = 3  # of the timings; the fastest count
STREET = "street"
OURS = "lidar-ground"
FOLDERS = {"SemanticKITTI": "semantickitti", "odometry 05": "sequences/kitti-odometry-05"}
EXPERIMENTS = {"sectors": (1, 10, 50, 100, 360), "bins": (1, 10, 50, 100, 120)}
# Settings that ground.md shows, and stx-eval lidar's options for them.
SETTINGS = {
    "defaults": [], "sensor 0.3 m lower": ["--raise", 0.3],
    "sensor 0.3 m higher": ["--raise", -0.3],
    **{f"tilted {angle}° about {axis}": [f"--{turn}", angle]
       for angle in (5, -5, 10, -10) for axis, turn in (("x", "roll"), ("y", "pitch"))},
    "without step 0": ["--no-level"],
    "lines of the own sector only": ["--line-search-angle", 0],
    "without feet and step 5": ["--obstacle-height", 100],
    "without feet": ["--max-foot-height", 100],
    "without banks": ["--bank-reach", 0]}
BEAMS = (16, 32, 64, 128)
RECORDED_BEAMS = 64


# ---- Fewer beams -----------------------------------------------------------------------------

def thin_scan(scan, every, target):
    """Keeps one beam of so many. Scans of SemanticKITTI have one beam after the other, each a turn
    that begins at azimuth 0."""
    import numpy as np
    points = np.fromfile(scan, np.float32).reshape(-1, 4)
    labels = np.fromfile(scan.parents[1] / "labels" / f"{scan.stem}.label", np.uint32)
    x, y = points[:, 0], points[:, 1]
    begins = (x > 0) & (np.append(0, y[:-1]) < 0) & (y >= 0)
    kept = np.cumsum(begins) % every == 0
    for kind, name, values in (("velodyne", "bin", points), ("labels", "label", labels)):
        path = target / scan.parents[1].name / kind / f"{scan.stem}.{name}"
        path.parent.mkdir(parents=True, exist_ok=True)
        values[kept].tofile(path)


def thinned(folder, every, target):
    """A copy of the labelled scans of the folder with one beam of so many."""
    for scan in sorted(pathlib.Path(folder).glob("**/velodyne/*.bin")):
        if (scan.parents[1] / "labels" / f"{scan.stem}.label").exists():
            thin_scan(scan, every, pathlib.Path(target))
    return target


# ---- Measuring -------------------------------------------------------------------------------

def known_folders():
    """Those of $STX_DATA, or of ../shared/data, as NAME=FOLDER."""
    data = data_folder()
    return [f"{name}={data / path}" for name, path in FOLDERS.items() if (data / path).exists()]


def sources_of(folders):
    """NAME=FOLDER... and the street, as stx-eval takes them."""
    return {**dict((name, [folder]) for name, folder in (each.split("=", 1) for each in folders)),
            STREET: ["--street"]}


def quality(program, *options):
    """F1 of stx-eval lidar, as the files have it."""
    total = json.loads(run(program, "lidar", "--json", *options))["total"]
    return {key: f"{total[key]:.2f}" for key in ("f1_mean", "f1_worst")}


def beams_quality(program, sources):
    """F1 of sensors with fewer and more beams."""
    rows = []
    for data, source in sources.items():
        for beams in BEAMS if data == STREET else (16, 32):
            with tempfile.TemporaryDirectory() as target:
                options = (["--street", "--beams", beams] if data == STREET else
                           [thinned(source[0], RECORDED_BEAMS // beams, target)])
                rows.append({"data": data, "setting": f"{beams} beams",
                             **quality(program, *options)})
    return rows


def settings_quality(program, sources, step=1):
    """F1 of one setting in `step`, others on each data, and of sensors of other numbers of beams.
    """
    return [{"data": data, "setting": setting, **quality(program, *source, *options)}
            for i, (data, source) in enumerate(sources.items())
            for setting, options in list(SETTINGS.items())[i % step::step]
            ] + beams_quality(program, sources)


def experiments_quality(program, source, step=1):
    """F1 over the numbers of sectors and of bins of the experiments, of one in `step`."""
    return [{"experiment": name, "value": value, **quality(program, *source, f"--{name}", value)}
            for name, values in EXPERIMENTS.items() for value in values[::step]]


def measure_quality(programs, folders):
    """Measures quality, which the load of the machine does not change."""
    program, sources = pathlib.Path(programs) / "stx-eval", sources_of(folders)
    write("ground-quality.csv", settings_quality(program, sources))
    write("lidar-quality.csv", experiments_quality(program, next(iter(sources.values()))))


def check_quality(programs):
    """Compares some of today's measurements with the files, for the data that there is."""
    program, sources = pathlib.Path(programs) / "stx-eval", sources_of(known_folders())
    there = [row for row in read("ground-quality.csv") if row["data"] in sources]
    again = settings_quality(program, sources, 12)
    assert all(row in there for row in again), "ground-quality.csv: measure-ground"
    first = next(iter(FOLDERS))
    if first in sources:
        now = [{key: str(value) for key, value in row.items()}
               for row in experiments_quality(program, sources[first], 3)]
        there = read("lidar-quality.csv")
        assert all(row in there for row in now), "lidar-quality.csv: measure-ground"
    for row in read("lidar-peers.csv"):
        if row["program"] == OURS and row["data"] in sources:
            for protocol in "ba":
                now = quality(program, *sources[row["data"]], "--protocol", protocol)
                assert all(row[f"{protocol}_{key}"] == now[key] for key in now), (row, now)
    return len(again)


def bench_steps(program, arguments):
    return list(csv.DictReader(run(program, *arguments).splitlines()))


def bench_times(program, arguments):
    return json.loads(run(program, "lidar", "--json", *arguments))["rows"]


def fastest(measure_once, program, arguments, part_of):
    """Returns the fastest of several runs; lines that are parts of one time stay together."""
    best = measure_once(program, arguments)
    for _ in range(REPEATS - 1):
        more, better = measure_once(program, arguments), False
        for place, (row, other) in enumerate(zip(best, more)):
            if not part_of(row):
                better = float(other["minimum_ms"]) < float(row["minimum_ms"])
            best[place] = other if better else row
    return best


def measure_times(programs):
    """Measures times on two scans of SemanticKITTI, or on the street."""
    bench = pathlib.Path(programs) / "stx-bench"
    scans = data_folder() / "semantickitti"
    scans = ["--scans", scans, "--frames", 2, "--time", 1000] if scans.exists() else []
    note_machine("lidar", bench)
    rows = []
    for threading in THREADING:
        os.environ["STX_THREADING"] = threading
        rows += [{"threading": threading, **row} for row in fastest(
            bench_steps, bench.with_name("lidar-steps"), scans, lambda row: row["step"] in STEPS)]
    write("lidar-steps.csv", rows)
    os.environ.pop("STX_THREADING")
    rows = []
    for arguments in [[], scans] if scans else [[]]:
        for row in fastest(bench_times, bench, arguments, lambda row: False):
            rows.append({"scans": row["input"], "points": row["width"],
                         "clusters": "yes" if row["stage"] == "ground+clusters" else "no",
                         "code": row["implementation"], "threads": row["threads"],
                         "minimum_ms": f'{row["minimum_ms"]:.4f}'})
    write("lidar-times.csv", rows)


# ---- Plotting --------------------------------------------------------------------------------

STEPS = {"level": "#9a9a9a", "bins": COLOURS[0], "lines": COLOURS[1], "levels": "#e0b03a",
         "labels": COLOURS[2], "clusters": COLOURS[3]}


THREADING = ("openmp", "pool")
PLAIN = ("c", "omp")  # code without vectors


def steps_of(rows, value, threads, threading="openmp"):
    return {row["step"]: float(row["minimum_ms"]) for row in rows
            if (row["value"], row["threads"], row["threading"]) == (value, threads, threading)
            and row["code"] not in PLAIN}


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
        colour = "#9a9a9a" if code in PLAIN else COLOURS[data_names(rows, "code").index(code)]
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

PLOTS = (plot_lidar_steps, plot_lidar_times)


# ---- Tables of the pages ---------------------------------------------------------------------

NAMES = {"points": "{} % of the points", "sectors": "sectors: {}", "bins": "bins: {}"}
# Best speed-ups that the report gives for the whole: experiment, and for each value against its own
# code on one thread, and against the best sequential code.
REPORT = (("points", (1.17, 1.33, 1.39, 1.45), (1.13, 1.30, 1.42, 1.45)),
          ("bins", (1.24, 1.33, 1.70, 1.73), (1.22, 1.45, 1.62, 1.68)))


def lidar_rows():
    rows = read("lidar-steps.csv")
    return rows, max((row["threads"] for row in rows), key=int)


def lidar_speed_ups():
    """The report's, and ours with as many threads as there are; the reference is one number."""
    rows, most = lidar_rows()
    lines = [["speed-up", "report, relative", "ours", "report, absolute", "ours"]]
    for name, relative, absolute in REPORT:
        mine = [row for row in rows if row["experiment"] == name]
        values = data_names(mine, "value")[:len(relative)]
        slow = {row["value"]: float(row["minimum_ms"]) for row in mine
                if row["code"] in PLAIN and row["step"] == "whole"}

        def listed(numbers):
            return " / ".join(f"{number:.2f}" for number in numbers)

        whole = {threads: [steps_of(mine, value, threads)["whole"] for value in values]
                 for threads in ("1", most)}
        lines.append([NAMES[name].format(" / ".join(values)), listed(relative),
                      listed(one / all_ for one, all_ in zip(whole["1"], whole[most])),
                      listed(absolute),
                      listed(slow[value] / all_ for value, all_ in zip(values, whole[most]))])
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


# Step of ours; the report's for the same, its equations, their work, ours, and the speed-up on p
# threads that the report expects.
TERMS = (
    ("level", "", "", "", "O(1)", ""),
    ("bins", "sorting into bins", "1, 9, 10", "O(N)", "O(N)", "N / (N + N/p)"),
    ("bins", "prototypes", "2, 11, 12", "O(N) + S · O(B log B)", "O(N)", "p"),
    ("lines", "line fitting", "3, 4, 13, 14", "O(S · B²)", "O(S · B)", "p"),
    ("levels", "", "", "", "O(S · B)", ""),
    ("labels", "classification", "5, 15, 16", "O(N · L)", "O(N)", "p"),
    ("clusters", "clusters", "6", "O(N) + O(N_ng) + O(cells)", "O(N) + O(N_ng) + O(cells)", "1"))


def growth(rows, name, step):
    """The exponent of a power law: the line of least squares of both logarithms."""
    mine = [row for row in rows if row["experiment"] == name]
    points = [(math.log(float(value)), math.log(steps_of(mine, value, "1")[step]))
              for value in data_names(mine, "value") if value != "1"]
    x, y = (sum(axis) / len(points) for axis in zip(*points))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def lidar_growth():
    """The report's terms beside the exponents of ours, and the gain of all threads."""
    rows, most = lidar_rows()
    lines = [["step", "in the report", "its equations", "its work", "ours", "over N", "over S",
              "over B", "its speed-up", f"ours, {most} threads"]]
    mine = [row for row in rows if row["experiment"] == "points"]
    one, all_threads = (steps_of(mine, "100", threads) for threads in ("1", most))
    for step, *words, speed_up in TERMS:
        exponents = [round(growth(rows, name, step), 2) + 0 for name in NAMES]  # + 0: no -0.00
        lines.append([step, *words, *(f"{exponent:.2f}" for exponent in exponents),
                      speed_up, f"{one[step] / all_threads[step]:.2f}"])
    return table("lidar-growth", lines, 5)


def lidar_peers():
    lines = [["data", "program", "B: F1 mean", "worst", "A: F1 mean", "worst", "ms",
              "times ours"]]
    ours = {}
    for row in read("lidar-peers.csv"):
        time = float(row["minimum_ms"])
        ours.setdefault(row["data"], time)
        lines.append([f'{row["data"]}, {row["scans"]} scans', row["program"], row["b_f1_mean"],
                      row["b_f1_worst"], row["a_f1_mean"], row["a_f1_worst"], f"{time:.2f}",
                      f'{time / ours[row["data"]]:.1f}'])
    return table("lidar-peers", lines, 2)


def ground_tables():
    rows = read("ground-quality.csv")
    names = data_names(rows)
    found = {(row["data"], row["setting"]): f'{row["f1_mean"]} / {row["f1_worst"]}'
             for row in rows}
    lines = [["F1 mean / worst scan", "`stx-eval lidar`", *names]]
    for setting, options in SETTINGS.items():
        if "5°" in setting or "-10°" in setting:  # like 10°
            continue
        words = " ".join(map(str, options))
        lines.append([setting, f"`{words}`" if words else "",
                      *(found[name, setting] for name in names)])
    beams = [f"{count} beams" for count in BEAMS]
    for name in names:
        found.setdefault((name, f"{RECORDED_BEAMS} beams"), found[name, "defaults"])
    return (table("ground-quality", lines, 2) +
            table("ground-beams", [["F1 mean / worst scan", *beams],
                                   *([name, *(found.get((name, each), "") for each in beams)]
                                     for name in names)], 1))


def tables():
    """Blocks of benchmarks/lidar.md and algorithms/ground.md."""
    return (lidar_times() + lidar_growth() + lidar_speed_ups() +
            lidar_quality_table() + lidar_peers() + ground_tables())
