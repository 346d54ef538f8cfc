# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of make-plots.py for benchmarks/stixels.md: what stx-paper.py measures."""
import re

from plots import COLOURS, FOLDER, data_folder, data_names, plain, read, run, save

REPEATS = 5
LARGE = "street, 2048×1024"
MANY = "KITTI 2012, more"  # too many to draw each
FOLDERS = {"KITTI 2015": ["kitti2015-stereo"], "KITTI 2012": ["kitti2012-stereo/training"],
           MANY: ["kitti2012-more", "kitti2012-more/assumed-calib.txt"]}
MODELS = {"gaussian-uniform": ("original", COLOURS[1]), "gaussian": ("ours", COLOURS[0]),
          "rdp": ("segments", COLOURS[2])}
MARKS = {"8": "s", "4": "o"}


# ---- Measuring -------------------------------------------------------------------------------

def paper(*options):
    return run(FOLDER.parents[1] / "examples/stx-paper/stx-paper.py", *options)


def tables():
    """Those of the page, of what stixels-*.csv say."""
    return paper("--read", FOLDER, "--markdown")


def known_folders():
    """Those of data_folder () as stx-paper.py takes them."""
    data = data_folder()
    return [f"{name}=" + ",".join(str(data / path) for path in paths)
            for name, paths in FOLDERS.items() if (data / paths[0]).exists()]


def measure(programs, folders):
    """Writes stixels-*.csv."""
    paper("--programs", programs, *folders, "--repeat", REPEATS, "--csv", FOLDER)

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
    figure.legend(*panels[0].get_legend_handles_labels(), fontsize=7, ncol=6, loc="lower center")
    save(figure, "stixels-accuracy.svg", 0.07)


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
    figure.legend(*panels[0][0].get_legend_handles_labels(), fontsize=7, ncol=6,
                  loc="lower center")
    save(figure, "stixels-compression.svg", 0.05)


def plot_frames(plt):
    """Figure 7: the error of every frame, both models."""
    rows = [row for row in read("stixels-frames.csv") if row["data"] not in (LARGE, MANY)
            and (row["settings"], row["labels"], row["cell"]) == ("defaults", "none", "4")]
    frames = list(dict.fromkeys((row["data"], row["frame"]) for row in rows))
    figure, axes = plt.subplots(figsize=(8, 3))
    for side, (model, (name, colour)) in enumerate(list(MODELS.items())[:2]):
        errors = {(row["data"], row["frame"]): percent(row, "error_or") for row in rows
                  if row["model"] == model}
        axes.bar([place + 0.4 * side for place in range(len(frames))],
                 [errors[frame] for frame in frames], 0.38, color=colour, label=name)
    names = [re.sub(r"^0+|_10$|seed ", "", frame) for _, frame in frames]
    axes.set_xticks([place + 0.2 for place in range(len(frames))], names, fontsize=7)
    for data in data_names(rows):
        places = [place for place, frame in enumerate(frames) if frame[0] == data]
        axes.text(sum(places) / len(places) + 0.2, -0.12, data.replace(" ", "\n"), ha="center",
                  va="top", fontsize=7, transform=axes.get_xaxis_transform())
    axes.grid(axis="x", visible=False)
    axes.set_ylabel("error: > 3 px or > 5 %, %")
    axes.legend(fontsize=7)
    save(figure, "stixels-frames.svg")


def plot_rates(plt):
    """Figure 8: frames per second at the paper's size."""
    figure, panels = panels_for(plt, ["depth", "true labels"], 2.8)
    for axes, labels in zip(panels, ("none", "true")):
        rows = comparison(data=LARGE, labels=labels)
        for place, cell in enumerate(("8", "4")):
            mine = [row for row in rows if row["cell"] == cell]
            for side, row in enumerate(mine):
                name, colour = MODELS[row["model"]]
                rate, x = 1000 / stage_ms(row), place + 0.27 * side
                axes.bar(x, rate, 0.25, color=colour, label=name if place == 0 else None)
                axes.text(x, rate * 1.04, f"{rate:.0f}", ha="center", fontsize=7)
        axes.set_yscale("log")
        axes.minorticks_off()
        axes.set_ylim(1, 1000)
        plain(axes.yaxis)
        axes.set_xticks([0.27, 1.27], ["8×8", "4×4"])
        axes.grid(axis="x", visible=False)
    panels[0].set_ylabel("frames per second")
    figure.legend(*panels[0].get_legend_handles_labels(), fontsize=7, ncol=3, loc="lower center")
    save(figure, "stixels-rates.svg", 0.06)


def plot_growth(plt):
    """Figure 9: time of a column over its rows."""
    rows, exponents = read("stixels-growth.csv"), read("stixels-exponents.csv")
    figure, axes = plt.subplots(figsize=(8, 3.6))
    for model in ("gaussian-uniform", "gaussian"):
        name, colour = MODELS[model]
        for pruned, style, words in (("no", "s:", "all pairs"), ("yes", "o-", "pruned")):
            mine = [row for row in rows if (row["model"], row["pruned"]) == (model, pruned)]
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


PLOTS = (plot_accuracy, plot_compression, plot_frames, plot_rates, plot_growth)
