# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of make-plots.py for benchmarks/rdp.md."""
import json
import pathlib

import package
import rdp_columns
from plots import COLOURS, data_names, note_machine, plain, read, run, save, table, write

EPSILONS = [0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16]
STREET = "street"
STREET_SIZE = ["--size", "1242x375"]
CELLS = "8x8"
SHOWN = ("1", "2", "4", "8")  # of the epsilons, in tables
COUNTS = ("256", "512", "1024", "4096")
LEVELS = (2, 4, 6, 8, 10, 12)  # in the table
REPEATS = 3  # of the timings; the fastest count
# Table 1 of the paper, ms at n = 1024: low, default and maximum energy.
XAVIER = (("GPU", (5.66, 2.33, 1.09)), ("CPU, multi-core", (23.3, 14.31, 4.97)),
          ("CPU, single-core", (43.9, 40.10, 21.15)))
USEFUL, IDLE, GREY = COLOURS[0], COLOURS[2], "#9a9a9a"
LINES = (GREY, COLOURS[1], COLOURS[3], "#e0b03a")  # of the levels


# ---- Measuring -------------------------------------------------------------------------------

def error_row(program, data, source, arguments, **key):
    total = json.loads(run(program, *source, "--cell", CELLS, "--json", *arguments))["total"]
    score = total["non_occluded"]
    return {"data": data, **key,
            "error": f'{100 * score["stixels"]["error_and"]:.3f}',
            "error_or": f'{100 * score["stixels"]["error_or"]:.3f}',
            "input_error": f'{100 * score["filled"]["error_and"]:.3f}',
            "pixels_per_stixel": f'{total["pixels_per_stixel"]:.1f}'}


def error_rows(program, data, source, medians=(0, 3, 5), epsilons=EPSILONS):
    """Error and compression over epsilon, against truth, and those of satdp."""
    yield error_row(program, data, source, [], model="satdp", median="", epsilon_px="")
    for median in medians:
        for epsilon in epsilons:
            yield error_row(program, data, source,
                            ["--model", "rdp", "--epsilon", epsilon, "--median", median],
                            model="rdp", median=median, epsilon_px=epsilon)


def times(bench, arguments):
    """The rows of stx-bench rdp."""
    return [{"columns": row["width"], "rows": row["height"], "input": row["input"],
             "code": row["implementation"] + " graph" * row["graph"], "threads": row["threads"],
             "runs": row["runs"], "median_ms": row["median_ms"], "minimum_ms": row["minimum_ms"]}
            for row in json.loads(run(bench, "rdp", "--json", *arguments))["rows"]]


def summed(rows, keys, sums):
    """The rows of several frames as one for each of the keys."""
    total = {}
    for row in rows:
        mine = total.setdefault(tuple(row[key] for key in keys), dict.fromkeys(sums, 0))
        for name, add in sums.items():
            mine[name] = add(mine[name], row)
    return [{**dict(zip(keys, key)), **mine} for key, mine in total.items()]


def count(name):
    return lambda before, row: before + int(row[name])


def level_rows(data, frames):
    rows = summed(frames, ("rows", "median", "epsilon_px"), {
        "columns": count("columns"), "segments": count("segments"), "levels": count("levels"),
        "squared": count("levels_squared"),
        "deepest": lambda before, row: max(before, int(row["deepest"])),
        "error": lambda before, row: before + int(row["columns"]) * float(row["mean_error_px"])})
    for row in rows:
        columns, mean = row["columns"], row["levels"] / row["columns"]
        deviation = max(0, row["squared"] / columns - mean * mean) ** 0.5
        yield {"data": data, **{key: row[key] for key in ("rows", "median", "epsilon_px")},
               "segments": f'{row["segments"] / columns:.2f}', "levels": f"{mean:.3f}",
               "levels_sd": f"{deviation:.3f}", "deepest": row["deepest"],
               "mean_error_px": f'{row["error"] / columns:.4f}'}


def utility_rows(data, frames):
    for row in summed(frames, ("rows", "epsilon_px", "level"),
                      {"running": count("running"), "open_cells": count("open_cells")}):
        yield {"data": data, **row}


def pictures(folder):
    """The two pictures of every frame with a truth."""
    root = pathlib.Path(folder)
    root = root / "training" if (root / "training").is_dir() else root
    left, right = ("image_2", "image_3") if (root / "image_2").is_dir() else ("image_0", "image_1")
    truth = root / ("disp_noc_0" if left == "image_2" else "disp_noc")
    return [(root / left / path.name, root / right / path.name)
            for path in sorted(truth.glob("*.png"))]


def tree_rows(programs, data, pairs, **heights):
    """Levels and trees of frames: the rows of Figures 5 and 7, and the tree of the first frame."""
    package.use(programs)
    found, cells, tree = [], [], None
    for pair in pairs:
        disparity = rdp_columns.disparities(pair)
        found += rdp_columns.levels(disparity, **heights)
        more, own = rdp_columns.trees(disparity)
        cells, tree = cells + more, tree or own
    return list(level_rows(data, found)), list(utility_rows(data, cells)), tree


def measure_levels(programs, folders):
    """Levels and trees of all frames: Figures 4, 5 and 7. No times."""
    levels, utility = [], []
    for data, folder in {STREET: None, **folders}.items():
        more, cells, tree = tree_rows(programs, data, pictures(folder) if folder else [None])
        levels, utility = levels + more, utility + cells
        if data == STREET:
            write("rdp-tree.csv", tree)
    write("rdp-levels.csv", levels)
    write("rdp-utility.csv", utility)


def measure_errors(evaluate, folders):
    """Figure 2. No times."""
    sources = {STREET: ["--street", "--frames", 5], **{data: [at] for data, at in folders.items()}}
    write("rdp-error.csv", [row for data, source in sources.items()
                            for row in error_rows(evaluate, data, source)])


def repeat_times(bench, arguments):
    """The times of several runs of the program: of every line the fastest."""
    best = times(bench, arguments)
    for _ in range(REPEATS - 1):
        for row, other in zip(best, times(bench, arguments)):
            for key in ("median_ms", "minimum_ms"):
                row[key] = min(row[key], other[key], key=float)
    return best


def measure_times(bench, folders):
    """Measures the street and the first folder's second frame: Figures 9 and 10, Table 1."""
    note_machine("rdp", bench)
    rows = [{"picture": STREET, **row} for row in repeat_times(bench, STREET_SIZE)]
    for data, folder in list(folders.items())[:1]:
        pairs = pictures(folder)
        left, right = pairs[min(1, len(pairs) - 1)]
        rows += [{"picture": data, **row}
                 for row in repeat_times(bench, ["--left", left, "--right", right])]
    write("rdp-times.csv", rows)


def measure(programs, names):
    """Folders with a calibration of their own are too many frames for this page."""
    folders = dict(name.split("=", 1) for name in names if "," not in name)
    measure_times(pathlib.Path(programs) / "stx-bench", folders)
    measure_levels(programs, folders)
    measure_errors(pathlib.Path(programs) / "stx-eval", folders)


# ---- Plotting --------------------------------------------------------------------------------

def epsilon_axis(axes):
    axes.set_xscale("log", base=2)
    axes.set_xticks([0.25, 0.5, 1, 2, 4, 8, 16, 32], ["¼", "½", "1", "2", "4", "8", "16", "32"])
    axes.set_xlabel("epsilon, px")


def plot_errors(plt):
    """Figure 2."""
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


def draw_lines(axes, nodes):
    """Figure 3: the column as the segments of each level have it."""
    final = [node for node in nodes if node["cut"] < 0]
    deepest = max(node["level"] for node in nodes)
    for level in range(1, deepest + 1):
        shown = sorted((node for node in nodes if node["level"] == level) if level < deepest else
                       final, key=lambda node: node["first"])
        for i, node in enumerate(shown):
            axes.plot([node["first_px"], node["last_px"]], [node["first"], node["last"]],
                      "-" if level < deepest else "o-", linewidth=1 if level < deepest else 1.8,
                      color=COLOURS[0] if level == deepest else LINES[(level - 1) % len(LINES)],
                      label=None if i else "the result" if level == deepest else f"level {level}")
    axes.invert_yaxis()
    axes.set_xlabel("disparity, px")
    axes.set_ylabel("cell of the column")
    axes.legend(fontsize=7)


def draw_tree(axes, nodes):
    """Figure 4: a box for every call of the recursion, as wide as its segment."""
    for node in nodes:
        final, width = node["cut"] < 0, node["last"] - node["first"]
        axes.barh(node["level"], width, 0.55, node["first"], edgecolor="white", linewidth=0.8,
                  color=COLOURS[2] if final else COLOURS[0],
                  label={True: "nothing above epsilon: a segment", False: "split"}[final])
        if width > 60:
            axes.text(node["first"] + width / 2, node["level"], str(width + 1), ha="center",
                      va="center", fontsize=7, color="white")
        for child in nodes:
            if child["level"] == node["level"] + 1 and node["cut"] in (child["first"],
                                                                       child["last"]):
                axes.plot([node["cut"], (child["first"] + child["last"]) / 2],
                          [node["level"] + 0.28, child["level"] - 0.28], "k-", linewidth=0.6)
    axes.invert_yaxis()
    axes.set_yticks(sorted({node["level"] for node in nodes}))
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("cell of the column; in the boxes: cells of the segment")
    axes.set_ylabel("level of the recursion")
    handles = dict(zip(*reversed(axes.get_legend_handles_labels())))
    axes.legend(handles.values(), handles.keys(), fontsize=7, loc="lower right")


def plot_tree(plt):
    """Figures 3 and 4."""
    nodes = [{key: float(value) if key.endswith("px") else int(value)
              for key, value in row.items()} for row in read("rdp-tree.csv")]
    figure, panels = plt.subplots(1, 2, figsize=(8, 3.6), width_ratios=(1, 1.6))
    draw_lines(panels[0], nodes)
    draw_tree(panels[1], nodes)
    save(figure, "rdp-tree.svg")


def plot_levels(plt):
    """Figure 5."""
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


def useful(row):
    """Share of the threads with a segment that is looked at, of the columns that still run."""
    return 100 * int(row["open_cells"]) / (int(row["running"]) * int(row["rows"]))


def plot_utility(plt):
    """Figure 7, in the paper's colours."""
    rows = read("rdp-utility.csv")
    names = data_names(rows)
    figure, panels = plt.subplots(1, len(names), figsize=(8, 3), sharey=True, squeeze=False)
    for axes, data in zip(panels[0], names):
        mine = [row for row in rows if row["data"] == data]
        levels, shares = [int(row["level"]) for row in mine], [useful(row) for row in mine]
        axes.bar(levels, shares, 0.8, color=USEFUL, label="useful: the segment is open")
        axes.bar(levels, [100 - share for share in shares], 0.8, shares, color=IDLE,
                 label="the segment is done")
        axes.plot(levels, [100 * int(row["running"]) / int(mine[0]["running"]) for row in mine],
                  "k.-", linewidth=0.8, label="columns that run")
        axes.set_xlim(0.4, 16.6)
        axes.set_xticks(range(2, 17, 2))
        axes.grid(axis="x", visible=False)
        axes.set_xlabel("level of the recursion")
        axes.set_title(data, fontsize=9)
    panels[0][0].set_ylabel("% of the threads; of the columns")
    figure.legend(*panels[0][0].get_legend_handles_labels(), fontsize=7, ncol=3,
                  loc="lower center")
    save(figure, "rdp-utility.svg", 0.07)


def best_code(rows):
    """The fastest code of the CPU, and all its threads."""
    cpu = [row for row in rows if int(row["threads"]) > 0]
    threads = max(int(row["threads"]) for row in cpu)
    best = min((row for row in cpu if row["rows"] == "1024" and row["input"] == "average"),
               key=lambda row: float(row["minimum_ms"]))
    return best["code"], threads


def plot_times(plt):
    """Figure 9."""
    rows = read("rdp-times.csv")
    names = data_names(rows, "picture")
    code, threads = best_code(rows)
    kinds = ["noise", "worst", "average", "best"]
    figure, panels = plt.subplots(1, len(names), figsize=(8, 3.8), sharey=True, squeeze=False)
    for axes, data in zip(panels[0], names):
        for colour, kind in zip(COLOURS, kinds):
            for many, style in ((1, "s:"), (threads, "o-")):
                mine = [row for row in rows if row["picture"] == data and row["input"] == kind
                        and row["code"] == code and int(row["threads"]) == many]
                axes.plot([int(row["rows"]) for row in mine],
                          [float(row["minimum_ms"]) for row in mine], style, color=colour,
                          label=f"{kind}, {many} thread{'s' if many > 1 else ''}")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks([int(each) for each in COUNTS], COUNTS)
        axes.minorticks_off()
        axes.set_xlabel("cells of a column, n")
        axes.set_title(f"{data}, {code}", fontsize=9)
        plain(axes.yaxis)
    panels[0][0].set_ylabel("ms per frame, minimum")
    figure.legend(*panels[0][0].get_legend_handles_labels(), fontsize=7, ncol=4,
                  loc="lower center")
    save(figure, "rdp-times.svg", 0.13)


def code_name(row):
    threads = int(row["threads"])
    return row["code"] + (f", {threads} thread{'s' if threads > 1 else ''}" if threads else "")


def plot_ranked(plt):
    """Figure 10: 256 cells above 1024, with what Table 1 has of these."""
    rows = [row for row in read("rdp-times.csv") if row["input"] == "average"]
    picture = data_names(rows, "picture")[-1]
    rows = [row for row in rows if row["picture"] == picture]
    figure, panels = plt.subplots(2, 1, figsize=(8, 5.4), sharex=True, height_ratios=(1, 2))
    for axes, n in zip(panels, ("256", "1024")):
        bars = [(float(row["minimum_ms"]), code_name(row), COLOURS[0]) for row in rows
                if row["rows"] == n]
        if n == "1024":
            bars += [(ms, f"paper: {what}, {energy} energy", GREY) for what, times in XAVIER
                     for energy, ms in zip(("low", "default", "max"), times)]
        bars.sort(reverse=True)
        axes.barh([name for _, name, _ in bars], [ms for ms, _, _ in bars], height=0.65,
                  color=[colour for _, _, colour in bars])
        for place, (ms, _, _) in enumerate(bars):
            axes.text(ms * 1.04, place, f"{ms:.3g}", va="center", fontsize=7)
        axes.set_xscale("log")
        plain(axes.xaxis)
        axes.tick_params(axis="y", labelsize=7)
        axes.grid(axis="y", visible=False)
        axes.set_title(f"{picture}, {rows[0]['columns']} columns of {n} cells", fontsize=9)
    panels[1].set_xlim(0.1, 100)
    panels[1].set_xlabel("ms, minimum")
    save(figure, "rdp-ranked.svg")


PLOTS = (plot_errors, plot_tree, plot_levels, plot_utility, plot_times, plot_ranked)


# ---- Tables ----------------------------------------------------------------------------------

def error_table():
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


def level_table():
    rows = [row for row in read("rdp-levels.csv") if (row["rows"], row["median"]) == ("1024", "5")]
    lines = [["segments / levels ± deviation / deepest", *("epsilon " + each for each in SHOWN)]]
    for data in sorted(data_names(rows)):
        found = {row["epsilon_px"]: row for row in rows if row["data"] == data}
        lines.append([data, *(
            f'{float(row["segments"]):.1f} / {float(row["levels"]):.1f} ± '
            f'{float(row["levels_sd"]):.1f} / {row["deepest"]}' for row in map(found.get, SHOWN))])
    return table("rdp-levels", lines, 1)


def utility_table():
    """The share of useful threads in all levels of a column together, and in some levels."""
    rows = read("rdp-utility.csv")
    lines = [["useful threads, %, in level", *map(str, LEVELS), "all"]]
    for data in sorted(data_names(rows)):
        mine = [row for row in rows if row["data"] == data]
        found = {int(row["level"]): f"{useful(row):.0f}" for row in mine}
        cells, running = (sum(int(row[key]) for row in mine) for key in ("open_cells", "running"))
        lines.append([data, *(found.get(level, "–") for level in LEVELS),
                      f'{100 * cells / (running * int(mine[0]["rows"])):.0f}'])
    return table("rdp-utility", lines, 1)


def time_tables():
    """The times of every code on average columns of the last picture; Table 1."""
    rows = read("rdp-times.csv")
    code, threads = best_code(rows)
    rows = [row for row in rows if row["picture"] == data_names(rows, "picture")[-1]]

    def line(name, **wanted):
        found = {row["rows"]: row for row in rows
                 if all(row[key] == str(value) for key, value in wanted.items())}
        return [name, *(f'{float(found[each]["minimum_ms"]):.3g}' if each in found else ""
                        for each in COUNTS)]

    codes = {(row["code"], row["threads"]): line(
        f'{row["code"]}, {row["threads"]}', code=row["code"], input="average",
        threads=row["threads"]) for row in rows}
    heads = [f"ms, {rows[0]['picture']}; average, threads", *("n = " + each for each in COUNTS)]
    ours = {"GPU": "–", "CPU, multi-core": f"{code}, {threads}", "CPU, single-core": "c, 1"}
    ours = {what: (words, codes.get(tuple(words.split(", ")), ["", "", "", "–"])[3])
            for what, words in ours.items()}
    one = (f"{code}, 1", codes[code, "1"][3])
    energy = [["ms, n = 1024, average", "Xavier: low energy", "default", "max", "here",
               "our code, threads"],
              *([what, *map(str, times), ours[what][1], ours[what][0].replace("–", "")]
                for what, times in XAVIER),
              ["CPU, single-core, vectors", "–", "–", "–", one[1], one[0]]]
    return (table("rdp-energy", energy, 1) +
            table("rdp-ranked", [heads, *sorted(codes.values(), key=lambda each: float(each[1]))],
                  1))


def tables():
    return error_table() + level_table() + utility_table() + time_tables()
