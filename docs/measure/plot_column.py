#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws what `stx-eval column` prints: a column's cells, its stixels and what they cost.

usage: stx-eval column | docs/measure/plot_column.py OUTPUT.svg|.png

Needs Matplotlib (Debian: python3-matplotlib).
"""
import json
import sys

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "stixels"})

import matplotlib.pyplot as plt  # noqa: E402 (the backend is chosen first)

COLOURS = {"ground": "#2ca02c", "object": "#d62728", "sky": "#1f77b4", "segment": "#9467bd"}
NOTE = .075  # height of a note, in parts of the plot's


def title_of(stixel):
    disparity = stixel["disparity_bottom"]
    return (f'{stixel["kind"]}, ' + (f"{disparity:.1f} px, " if disparity > 0 else "") +
            f'rows {stixel["top"]} to {stixel["bottom"]}')


def reasons_of(stixel):
    """The terms of the cost, and what the column costs more with another choice; nats."""
    if "terms" not in stixel:
        return f'off by {stixel["cost"]:.2f} px'
    terms = {name: cost for name, cost in stixel["terms"].items() if cost != 0}
    others = {**{kind: cost for kind, cost in stixel["as"].items() if kind != stixel["kind"]},
              "one with that below": stixel["merged"]}
    costs = " + ".join(f"{name} {cost:.2f}" for name, cost in terms.items()) or "0"
    instead = ", ".join(f"{name} never" if cost is None else f"{name} {cost:+.2f}"
                        for name, cost in others.items())
    return f"costs {sum(terms.values()):.2f} = {costs}\ninstead: {instead}"


def draw_cells(axes, cells):
    """The more certain, the darker; an unknown cell lies on the left border."""
    for cell in cells:
        known = cell["disparity"] > 0
        axes.plot(cell["disparity"], cell["row"], "o", markersize=3 if known else 2,
                  color="#222222" if known else "none", markeredgecolor="#888888",
                  alpha=.15 + .85 * min(cell["weight"], 1) ** .5 if known else 1)
    road = [(cell["road"], cell["row"]) for cell in cells if (cell["road"] or 0) > 0]
    if road:
        axes.plot(*zip(*road), "--", color="#b06000", linewidth=1.5)


def draw_stixels(axes, stixels, rows):
    """Each as a line, and a note beside it as near as the other notes leave space."""
    least = 0
    for left, (i, stixel) in zip(range(len(stixels), 0, -1), enumerate(reversed(stixels))):
        colour = COLOURS[stixel["kind"]]
        edges = stixel["top"] - .5, stixel["bottom"] + .5
        axes.plot((stixel["disparity_top"], stixel["disparity_bottom"]), edges, color=colour,
                  linewidth=4, alpha=.85, gid=f"stixel-{i}")
        axes.axhline(edges[0], color="#999999", linewidth=.5)
        middle = (edges[0] + edges[1]) / 2 / rows
        place = max(min(middle - NOTE / 2, 1 - left * NOTE), least)
        least = place + NOTE
        axes.annotate(f"{title_of(stixel)}\n{reasons_of(stixel)}", (1, 1 - middle),
                      (1.05, 1 - place), "axes fraction", "axes fraction", va="top", fontsize=7,
                      color=colour, arrowprops={"arrowstyle": "-", "color": "#aaaaaa"})


def main():
    column = json.load(sys.stdin)
    stixels, cells = column["stixels"], column["cells"]
    rows = max(stixel["bottom"] for stixel in stixels) + 1
    figure, axes = plt.subplots(figsize=(6, max(5, .45 * len(stixels))))
    draw_cells(axes, cells)
    draw_stixels(axes, stixels, rows)
    most = max([4] + [cell["disparity"] for cell in cells] +
               [cell["road"] or 0 for cell in cells])
    axes.set(xlim=(0, 1.05 * most), ylim=(rows - .5, -.5), xlabel="disparity, pixels",
             ylabel="image row")
    energy = "" if column["energy"] is None else f': {column["energy"]:.2f} nats'
    axes.set_title(f'{column["frame"]}, column {column["column"]}{energy}', fontsize=9, loc="left")
    date = {"Date": None} if sys.argv[1].endswith(".svg") else None
    figure.savefig(sys.argv[1], bbox_inches="tight", metadata=date)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
