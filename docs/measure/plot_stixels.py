# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of make-plots.py for benchmarks/stixels.md: what stx-paper.py measures."""
import pathlib
import statistics

from plots import (COLOURS, FOLDER, data_folder, data_names, note, note_machine, plain,
                   read, run, save, table)

REPEATS = 5
LARGE = "street, 2048×1024"
MANY = "KITTI 2012, more"  # too many to draw each
FOLDERS = {"KITTI 2015": ["kitti2015-stereo"], "KITTI 2012": ["kitti2012-stereo/training"],
           MANY: ["kitti2012-more", "kitti2012-more/assumed-calib.txt"]}
MODELS = {"gaussian-uniform": ("original", COLOURS[1]), "upright": ("closed form", COLOURS[0]),
          "gaussian": ("slanted", COLOURS[3]), "rdp": ("segments", COLOURS[2])}
XAVIER = {"original": (102.4, 10.9), "closed form": (344.3, 92.3)}  # Figure 8, at 8x8 and 4x4
XAVIER_PROGRAMME = (7.2, 10.9)  # as many times as fast in the dynamic programme alone
MARKS = {"8": "s", "4": "o"}
STAGES = {"ms_colmean": "reduction and transposition", "ms_satdp": "tables, recurrence, records",
          "ms_rdp": "segments"}


# ---- Measuring -------------------------------------------------------------------------------

def paper(*options):
    return run(pathlib.Path(__file__).with_name("stx-paper.py"), *options)


def frame_errors(rows, data, model, rule):
    return [100 * float(row[f"error_{rule}"]) for row in rows
            if (row["data"], row["model"]) == (data, model)]


def relative(original, other):
    """% of the original's error; below 0 where the original has less, as in the paper."""
    return [100 * (a - b) / a for a, b in zip(original, other)]


def frame_table():
    """The table of Figure 7 (c): how many frames gain and lose, and how much the middle one."""
    rows = read("stixels-frames.csv")
    heads = ["better", "worse", "median difference, %"]
    lines = [["closed form beside original", "frames", *(
        f"{rule}: {head}" if head == "better" else head for rule in ("or", "and")
        for head in heads)]]
    for data in data_names(rows):
        if data not in (*FOLDERS, "street"):  # the CSV has all
            continue
        lines.append([data])
        for rule in ("or", "and"):
            found = relative(*(frame_errors(rows, data, model, rule)
                               for model in ("gaussian-uniform", "upright")))
            lines[-1] += [] if rule == "and" else [str(len(found))]
            lines[-1] += [str(sum(each > 0 for each in found)),
                          str(sum(each < 0 for each in found)), f"{statistics.median(found):+.1f}"]
    return table("frames", lines, 1)


def rate_table():
    """Figure 8, and how many times as fast the closed form is."""
    def gain(pair):
        return f"{pair[1] / pair[0]:.1f} ×"

    lines = [["frames per second, 2048 × 1024", "8×8: original", "closed form", "gain",
              "4×4: original", "closed form", "gain", "stixels alone: 8×8", "4×4"]]
    pairs = list(zip(*(XAVIER[name] for name in ("original", "closed form"))))
    lines.append(["the paper, Tegra Xavier", *(text for pair in pairs for text in (
        *map(str, pair), gain(pair))), *(f"{times} ×" for times in XAVIER_PROGRAMME)])
    for labels, words in (("none", "here, one thread, from depth"), ("true", "with labels")):
        found = [[comparison(data=LARGE, labels=labels, cell=cell, model=model)[0]
                  for model in ("gaussian-uniform", "upright")] for cell in ("8", "4")]
        rates = [[1000 / stage_ms(row) for row in rows] for rows in found]
        alone = [[1 / float(row["ms_satdp"]) for row in rows] for rows in found]
        lines.append([words, *(text for pair in rates for text in (
            *(f"{rate:.0f}" for rate in pair), gain(pair))), *map(gain, alone)])
    return table("rates", lines, 1)


def tables():
    """Those of the page, of what stixels-*.csv say."""
    return paper("--read", FOLDER, "--markdown") + frame_table() + rate_table()


def known_folders():
    """Those of data_folder () as stx-paper.py takes them."""
    data = data_folder()
    return [f"{name}=" + ",".join(str(data / path) for path in paths)
            for name, paths in FOLDERS.items() if (data / paths[0]).exists()]


def measure(programs, folders):
    """Writes stixels-*.csv."""
    note_machine("stixels", pathlib.Path(programs) / "stx-bench")
    paper("--programs", programs, *folders, "--repeat", REPEATS, "--csv", FOLDER)
    note(*(path.name for path in FOLDER.glob("stixels-*.csv")))


# ---- Plotting --------------------------------------------------------------------------------

def comparison(**wanted):
    """Rows of the default settings with these values, of the models that are drawn."""
    return [row for row in read("stixels-comparison.csv")
            if row["settings"] == "defaults" and row["model"] in MODELS
            and row["data"] != MANY and all(row[key] == value for key, value in wanted.items())]


def percent(row, key):
    return 100 * float(row[key])


def stage_ms(row):
    """Reduction and stixels: what the paper times."""
    return float(row["ms_colmean"]) + float(row["ms_rdp" if row["model"] == "rdp" else "ms_satdp"])


def panels_for(plt, names, height=3.2):
    figure, panels = plt.subplots(1, len(names), figsize=(8, height), squeeze=False)
    for axes, name in zip(panels[0], names):
        axes.set_title(name, fontsize=9)
    return figure, panels[0]


def scatter(axes, rows, x_of, y_of):
    """The cell sizes of each model, joined by a line."""
    for model, (name, colour) in MODELS.items():
        mine = [row for row in rows if row["model"] == model]
        axes.plot([x_of(row) for row in mine], [y_of(row) for row in mine], "-", color=colour,
                  linewidth=0.8)
        for row in mine:
            axes.plot(x_of(row), y_of(row), MARKS[row["cell"]], color=colour, markersize=6,
                      label=f'{name}, {row["cell"]}×{row["cell"]}')


def plot_accuracy(plt):
    """Figure 2: error over time."""
    names = [name for name in data_names(comparison()) if name != LARGE][:3]
    figure, panels = panels_for(plt, names)
    for axes, name in zip(panels, names):
        scatter(axes, comparison(data=name, labels="none"), stage_ms,
                lambda row: percent(row, "error_or"))
        axes.set_xscale("log")
        axes.set_xticks((0.5, 1, 2, 4, 8), ("0.5", "1", "2", "4", "8"))
        axes.minorticks_off()
        axes.set_xlabel("reduction and stixels, ms")
    panels[0].set_ylabel("error: > 3 px or > 5 %, %")
    figure.legend(*panels[0].get_legend_handles_labels(), fontsize=7, ncol=4, loc="lower center")
    save(figure, "stixels-accuracy.svg", 0.11)


def plot_compression(plt):
    """Tables 2 and 3: error and IoU over compression, from depth and from true labels."""
    rows = comparison()
    with_labels = [name for name in data_names(rows) if name != LARGE
                   and any(row["data"] == name and row["labels"] == "true" for row in rows)]
    with_labels = with_labels[:2] + [name for name in with_labels[2:] if name == "hilly street"]
    figure, panels = plt.subplots(2, len(with_labels), figsize=(8, 5.2), squeeze=False)
    for column, name in enumerate(with_labels):
        scatter(panels[0][column], comparison(data=name, labels="none"),
                lambda row: float(row["pixels_per_stixel"]), lambda row: percent(row, "error_or"))
        scatter(panels[1][column], comparison(data=name, labels="true"),
                lambda row: float(row["pixels_per_stixel"]),
                lambda row: percent(row, "iou_classes"))
        panels[0][column].set_title(f"{name}, depth", fontsize=9)
        panels[1][column].set_title(f"{name}, true labels", fontsize=9)
        panels[1][column].set_xlabel("image pixels per stixel")
    panels[0][0].set_ylabel("error: > 3 px or > 5 %, %")
    panels[1][0].set_ylabel("mean IoU of the classes, %")
    figure.legend(*panels[0][0].get_legend_handles_labels(), fontsize=7, ncol=4,
                  loc="lower center")
    save(figure, "stixels-compression.svg", 0.07)


def histogram(axes, errors, bins):
    """Bars of all data sets on top of each other; `errors` by the data set."""
    axes.hist(list(errors.values()), bins, stacked=True, label=list(errors), rwidth=0.9,
              color=[COLOURS[0], COLOURS[2], "#9a9a9a"][:len(errors)])
    axes.grid(axis="x", visible=False)
    axes.yaxis.get_major_locator().set_params(integer=True)


def plot_frames(plt):
    """Figure 7: how many frames have which error with both models, and the relative difference."""
    rows = read("stixels-frames.csv")
    names = [name for name in data_names(rows) if name in FOLDERS] or data_names(rows)
    figure, panels = plt.subplots(2, 3, figsize=(8, 4.6), sharey="row")
    for line, rule, most in zip(panels, ("or", "and"), (40, 20)):
        original, closed = (
            {name: [percent(row, f"error_{rule}") for row in rows
                    if (row["data"], row["model"]) == (name, model)] for name in names}
            for model in ("gaussian-uniform", "upright"))
        for axes, errors, title in zip(line, (original, closed), ("(a) original",
                                                                  "(b) closed form")):
            histogram(axes, errors, [most * i / 20 for i in range(21)])
            axes.set_title(f"{title}: > 3 px {rule} > 5 %", fontsize=9)
            axes.set_xlabel("error of a frame, %")
        histogram(line[2], {name: relative(original[name], closed[name]) for name in names},
                  [2 * i - 21 for i in range(22)])
        line[2].axvline(0, color="black", linewidth=0.8)
        line[2].set_title("(c) original − closed form", fontsize=9)
        line[2].set_xlabel("% of the original's error")
        line[0].set_ylabel("frames")
    figure.legend(*panels[0][0].get_legend_handles_labels(), fontsize=7, ncol=3,
                  loc="lower center")
    save(figure, "stixels-histograms.svg", 0.05)


def plot_rates(plt):
    """Figure 8: frames per second at the paper's size, and the paper's, whose input has labels."""
    figure, panels = panels_for(plt, ["depth", "labels"], 2.8)
    for axes, labels in zip(panels, ("none", "true")):
        for place, cell in enumerate(("8", "4")):
            bars = [(1000 / stage_ms(row), *MODELS[row["model"]])
                    for row in comparison(data=LARGE, labels=labels, cell=cell)]
            bars += [(rates[place], f"Tegra Xavier: {name}", colour)
                     for (name, rates), colour in zip(XAVIER.items(), ("#9a9a9a", "#5a5a5a"))]
            for side, (rate, name, colour) in enumerate(bars):
                x = place + (side - (len(bars) - 1) / 2) * 0.14
                axes.bar(x, rate, 0.13, color=colour, label=name if place == 0 else None)
                axes.text(x, rate * 1.04, f"{rate:.0f}", ha="center", fontsize=6)
        axes.set_yscale("log")
        axes.minorticks_off()
        axes.set_ylim(5, 2000)
        plain(axes.yaxis)
        axes.set_xticks([0, 1], ["8×8", "4×4"])
        axes.grid(axis="x", visible=False)
    panels[0].set_ylabel("frames per second")
    figure.legend(*panels[0].get_legend_handles_labels(), fontsize=7, ncol=6, loc="lower center")
    save(figure, "stixels-rates.svg", 0.06)


def plot_breakdown(plt):
    """Figure 9: where the time of a frame goes, at the paper's size."""
    figure, panels = panels_for(plt, ["depth", "true labels"], 2.8)
    for axes, labels in zip(panels, ("none", "true")):
        rows = [row for cell in ("8", "4") for model in MODELS
                for row in comparison(data=LARGE, labels=labels, cell=cell, model=model)]
        names = [f'{MODELS[row["model"]][0]}, {row["cell"]}×{row["cell"]}' for row in rows][::-1]
        left = [0] * len(rows)
        for (key, words), colour in zip(STAGES.items(), COLOURS):
            times = [float(row[key] or 0) for row in rows][::-1]
            axes.barh(names, times, 0.7, left, color=colour, label=words)
            left = [a + b for a, b in zip(left, times)]
        for place, total in enumerate(left):
            axes.text(total, place, f" {total:.1f}", va="center", fontsize=7)
        axes.set_xlim(right=1.12 * max(left))
        axes.tick_params(axis="y", labelsize=7)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("ms per frame, one thread")
    figure.legend(*panels[0].get_legend_handles_labels(), fontsize=7, ncol=3, loc="lower center")
    save(figure, "stixels-breakdown.svg", 0.07)


def plot_growth(plt):
    """Time of a column over its rows: the complexities of Table 1."""
    rows, exponents = read("stixels-growth.csv"), read("stixels-exponents.csv")
    figure, axes = plt.subplots(figsize=(8, 3.6))
    for model in ("gaussian-uniform", "gaussian"):
        name, colour = MODELS[model]
        for pruned, style, words in (("no", "s:", "all pairs"), ("yes", "o-", "pruned")):
            mine = [row for row in rows if (row["model"], row["pruned"]) == (model, pruned)]
            if not mine:
                continue
            power = next(float(row["exponent_last"]) for row in exponents
                         if (row["model"], row["pruned"]) == (model, pruned))
            axes.plot([int(row["rows"]) for row in mine],
                      [float(row["us_per_column"]) for row in mine], style, color=colour,
                      label=f'{name}, {words} ({mine[0]["code"]}): last three ~ h^{power:.2f}')
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    ticks = sorted({int(row["rows"]) for row in rows})
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    plain(axes.yaxis)
    axes.set_xlabel("rows of cells, h")
    axes.set_ylabel("µs per column, one thread")
    axes.legend(fontsize=7)
    save(figure, "stixels-growth.svg")


PLOTS = (plot_accuracy, plot_compression, plot_frames, plot_rates, plot_breakdown, plot_growth)
