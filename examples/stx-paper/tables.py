# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rows of stx-paper.py as tables, for a terminal or for a page, and as files of CSV."""
import csv

ORIGINAL, OURS, SEGMENTS = "gaussian-uniform", "gaussian", "rdp"
WORDS = ("data", "settings", "labels", "model", "frame", "parameter", "default", "value", "code")
# How the tables call the models, with the default settings and as the paper describes them.
DEFAULTS = {"original": ORIGINAL, "equal": "upright", "ours": OURS, "flat": "flat",
            "segments": SEGMENTS}
PRINTED = {name: model for name, model in DEFAULTS.items() if name != "equal"}


# Columns of the comparison: head, model, key, scale, digits.

def group(models, head, *column):
    """A column for every model; the first of them says what they are."""
    return [(f"{head}: {name}" if i == 0 else name, model, *column)
            for i, (name, model) in enumerate(models.items())]


def errors(models):
    return [(f"{rule}: input", OURS, f"input_{rule}", 100, 2) if model is None
            else (name, model, f"error_{rule}", 100, 2)
            for rule in ("or", "and") for name, model in {"input": None, **models}.items()]


def records(models):
    kinds = {name: model for name, model in models.items() if model != SEGMENTS}
    return [*group(models, "px per stixel", "pixels_per_stixel", 1, 0),
            *group(kinds, "IoU of kinds", "iou_kinds", 100, 2),
            *group(kinds, "of classes", "iou_classes", 100, 2),
            ("of cells", OURS, "iou_cells", 100, 2)]


TIMES = (("matching", OURS, "ms_sgm", 1, 1), ("reduction", OURS, "ms_colmean", 1, 2),
         ("original", ORIGINAL, "ms_satdp", 1, 2), ("ours", OURS, "ms_satdp", 1, 2),
         ("segments", SEGMENTS, "ms_rdp", 1, 2),
         ("looked at, %: original", ORIGINAL, "pairs_evaluated", 100, 1),
         ("ours", OURS, "pairs_evaluated", 100, 1))
COMPARISON = (("errors", "Disparity error, %: more than 3 px OR, AND 5 % off", "defaults",
               errors(DEFAULTS)),
              ("records", "Compression and intersection over union, %", "defaults",
               records(DEFAULTS)),
              ("times", "Time of a frame, ms, and pairs of rows", "defaults", TIMES),
              ("errors-paper", "Disparity error, %, as the paper describes it", "paper",
               errors(PRINTED)),
              ("records-paper", "Compression and IoU, %, as the paper describes it", "paper",
               records(PRINTED)))
CURVES = (("ours, all pairs", OURS, False), ("pruned", OURS, True),
          ("original, all pairs", ORIGINAL, False), ("pruned", ORIGINAL, True))


def find(lines, /, **wanted):
    """The first row that has all that is wanted, or an empty one."""
    return next((row for row in lines if all(row[key] == wanted[key] for key in wanted)), {})


def number(row, key, scale=1, digits=0):
    """A dash where there is no row or no number."""
    value = row.get(key)
    return "–" if value is None else f"{scale * value:.{digits}f}"


def put(name, title, words, lines, markdown):
    """Prints the lines, of which the first is the head, unless they are nothing but a head;
    `words` columns at the left hold no numbers."""
    if len(lines) < 2:
        return
    if markdown:
        lines = [lines[0], ["---"] * words + ["--:"] * (len(lines[0]) - words), *lines[1:]]
        print(f"<!-- table {name} -->")
        for i, line in enumerate(lines):
            print("|" + "|".join(line) + "|" if i == 1 else "| " + " | ".join(line) + " |")
        print("<!-- end -->\n")
        return
    widths = [max(map(len, column)) for column in zip(*lines)]
    print(title)
    for line in lines:
        print("  ".join(text.ljust(width) if i < words else text.rjust(width)
                        for i, (text, width) in enumerate(zip(line, widths))))
    print()


def show_comparison(rows, markdown):
    """A line for every row of our model with the settings of the table."""
    same = ("data", "cell", "settings", "labels")
    for name, title, settings, columns in COMPARISON:
        lines = [["data", "cells", "from", *(column[0] for column in columns)]]
        for row in rows:
            if row["settings"] == settings and row["model"] == OURS:
                where = {key: row[key] for key in same}
                lines.append([row["data"], f"{row['cell']}×{row['cell']}",
                              "labels" if row["labels"] == "true" else "depth",
                              *(number(find(rows, model=model, **where), *column)
                                for _, model, *column in columns)])
        put(name, title, 3, lines, markdown)


def show_counts(rows, markdown):
    """How many more stixels than the original model needs, in %."""
    columns = (("defaults: equal", "defaults", "upright"), ("ours", "defaults", OURS),
               ("flat", "defaults", "flat"), ("as the paper: ours", "paper", OURS),
               ("flat", "paper", "flat"))
    lines = [["data", "cells", "from", *(head for head, _, _ in columns)]]
    for row in rows:
        if (row["settings"], row["model"]) != ("defaults", OURS):
            continue
        where = {key: row[key] for key in ("data", "cell", "labels")}
        lines.append([row["data"], f"{row['cell']}×{row['cell']}",
                      "labels" if row["labels"] == "true" else "depth"])
        for _, settings, model in columns:
            found = [find(rows, settings=settings, model=name, **where)["stixels_per_frame"]
                     for name in (model, ORIGINAL)]
            lines[-1].append(f"{100 * (found[0] / found[1] - 1):+.1f}")
    put("counts", "Stixels beside those of the original model, %", 3, lines, markdown)


def show_growth(rows, exponents, markdown):
    lines = [["rows", *(head for head, _, _ in CURVES), "left, %: ours", "original"]]
    for count in dict.fromkeys(row["rows"] for row in rows):
        found = [find(rows, rows=count, model=model, pruned=pruned) for _, model, pruned in CURVES]
        lines.append([str(count), *(number(row, "us_per_column", 1, 1) for row in found),
                      *(number(found[i], "pairs_evaluated", 100, 1) for i in (1, 3))])
    for words, key in (("exponent", "exponent"), ("exponent, last three", "exponent_last")):
        if exponents:
            lines.append([words, *(number(find(exponents, model=model, pruned=pruned), key, 1, 2)
                                   for _, model, pruned in CURVES), "", ""])
    put("growth", "Time of a column, µs, and pairs looked at, %", 1, lines, markdown)


def show_study(rows, markdown):
    """A line for every setting, with all data sets beside each other."""
    names = list(dict.fromkeys(row["data"] for row in rows))
    lines = [["parameter (default)", "value", *names]]
    same = ("model", "labels", "parameter", "value")
    for setting in dict.fromkeys(tuple(row[key] for key in same) for row in rows):
        wanted = dict(zip(same, setting))
        first = find(rows, **wanted)
        words = ("all defaults" if first["parameter"] == "defaults"
                 else f"{first['parameter']} ({first['default']})")
        words += ", with labels" if first["labels"] == "true" else ""
        words += ", original" if first["model"] == ORIGINAL else ""
        found = [find(rows, data=name, **wanted) for name in names]
        lines.append([words, first["value"], *(
            f"{number(row, 'error_and', 100, 2)} @{number(row, 'pixels_per_stixel')}" if row
            else "–" for row in found)])
    put("study", "Error (and), %, at pixels per stixel, cells of 8×8", 2, lines, markdown)


def show(lists, markdown):
    """Markdown tables stand between lines by which docs/make-plots.py finds them."""
    show_comparison(lists["comparison"], markdown)
    show_counts(lists["comparison"], markdown)
    show_growth(lists["growth"], lists["exponents"], markdown)
    show_study(lists["study"], markdown)


def text_of(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else value


def write_csv(folder, lists):
    """The lists as stixels-LIST.csv."""
    for name, rows in lists.items():
        if rows:
            with open(folder / f"stixels-{name}.csv", "w", encoding="utf-8") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(rows[0])
                writer.writerows(map(text_of, row.values()) for row in rows)


def value_of(text):
    if text in ("yes", "no", ""):
        return {"yes": True, "no": False, "": None}[text]
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        return text


def read_csv(folder, names):
    """What write_csv wrote; an empty list where there is no file."""
    lists = {}
    for name in names:
        path = folder / f"stixels-{name}.csv"
        lists[name] = []
        if path.exists():
            with open(path, encoding="utf-8", newline="") as file:
                lists[name] = [{key: value if key in WORDS else value_of(value)
                                for key, value in row.items()} for row in csv.DictReader(file)]
    return lists
