# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rows of stx-paper.py as tables, for a terminal or for a page, and as files of CSV."""
import csv

ORIGINAL, OURS, SEGMENTS = "gaussian-uniform", "gaussian", "rdp"
WORDS = ("data", "settings", "labels", "model", "frame", "parameter", "default", "value", "code")
# Models of the tables of all models: those that Tables 2 and 3 leave out, and the closed form.
MODELS = {"closed form": "upright", "slanted": OURS, "flat": "flat", "segments": SEGMENTS}
# Tables 2 and 3 of the paper, cells of 8x8 and of 4x4: the original's and its own.
PAPER_PIXELS = {"KITTI 2015": (587, 572, 254, 242), "Cityscapes": (1105, 877, 475, 331),
                "SYNTHIA-SF": (1439, 1379, 637, 606)}
PAPER_ERRORS = {"KITTI 2015": (8.51, 8.53, 8.72, 7.81, 7.93),  # the input's first
                "SYNTHIA-SF": (10.26, 8.55, 8.85, 7.56, 7.83)}
PAPER_IOU = {"KITTI 2015": (44.51, 43.97, 43.63, 44.54, 44.23),
             "Cityscapes": (68.22, 66.87, 66.75, 67.92, 67.78),
             "SYNTHIA-SF": (34.01, 33.41, 33.39, 33.82, 33.83)}
# The data of tables on a page; the files of CSV have all.
PAGE = ("KITTI 2015", "KITTI 2012, more", "street")
LEAST_CHANGE = .15  # of the error, in the study on a page
# Our rows beside these: the settings, and the model that differs in the data term alone.
BESIDE = (("paper", OURS), ("defaults", "upright"))


# Columns of the comparison: head, model, key, scale, digits.

def group(models, head, *column):
    """A column for every model; the first of them says what they are."""
    return [(f"{head}: {name}" if i == 0 else name, model, *column)
            for i, (name, model) in enumerate(models.items())]


def errors(models):
    return [column for rule in ("or", "and") for column in group(models, rule, f"error_{rule}",
                                                                 100, 2)]


def records(models):
    kinds = {name: model for name, model in models.items() if model != SEGMENTS}
    all_kinds = {"original": ORIGINAL, **kinds}
    return [*group(models, "px per stixel", "pixels_per_stixel", 1, 0),
            *group(all_kinds, "IoU of kinds", "iou_kinds", 100, 2),
            *group(kinds, "of classes", "iou_classes", 100, 2),
            ("of cells", OURS, "iou_cells", 100, 2)]


TIMES = (("matching", OURS, "ms_sgm", 1, 1), ("reduction", OURS, "ms_colmean", 1, 2),
         ("original", ORIGINAL, "ms_satdp", 1, 2), ("closed form", "upright", "ms_satdp", 1, 2),
         ("slanted", OURS, "ms_satdp", 1, 2),
         ("segments", SEGMENTS, "ms_rdp", 1, 2),
         ("looked at, %: original", ORIGINAL, "pairs_evaluated", 100, 1),
         ("slanted", OURS, "pairs_evaluated", 100, 1))
COMPARISON = (("errors", "Disparity error, %: more than 3 px OR, AND 5 % off", "defaults",
               errors(MODELS)),
              ("records", "Compression and intersection over union, %", "defaults",
               records(MODELS)),
              ("times", "Time of a frame, ms, and pairs of rows", "defaults", TIMES))
CURVES = (("slanted, all pairs", OURS, False), ("pruned", OURS, True),
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
            if (row["settings"] == settings and row["model"] == OURS
                    and (row["cell"] == 8 or not markdown)):
                where = {key: row[key] for key in same}
                lines.append([row["data"], f"{row['cell']}×{row['cell']}",
                              "labels" if row["labels"] == "true" else "depth",
                              *(number(find(rows, model=model, **where), *column)
                                for _, model, *column in columns)])
        put(name, title, 3, lines, markdown)


def inputs(rows):
    """Every data set, from depth and with labels."""
    return list(dict.fromkeys((row["data"], row["labels"]) for row in rows))


def four(rows, key, settings, model, **where):
    """The original's and the other model's number at 8x8, then at 4x4."""
    return [find(rows, settings=settings, model=name, cell=cell, **where).get(key)
            for cell in (8, 4) for name in (ORIGINAL, model)]


def show_table2(rows, markdown):
    """Pixels per stixel, and how many more stixels the paper's model needs."""
    def cells(numbers):
        pairs = (numbers[:2], numbers[2:])
        return [text for a, b in pairs for text in (
            ("–", "–", "–") if None in (a, b) else
            (f"{a:.0f}", f"{b:.0f}", f"{100 * (a / b - 1):+.1f} %"))]

    heads = ["original", "closed form", "stixels"]
    lines = [["px per stixel", "from", *(f"{words}{cell}×{cell}: {head}" if head == heads[0]
              else head for words in ("as the paper, ", "defaults, ") for cell in (8, 4)
              for head in heads)]]
    lines += [[f"the paper, {name}", "labels, network's", *cells(numbers), *["–"] * 6]
              for name, numbers in PAPER_PIXELS.items()]
    for data, labels in inputs(rows):
        lines.append([data, "labels" if labels == "true" else "depth"])
        for settings, model in BESIDE:
            lines[-1] += cells(four(rows, "pixels_per_stixel", settings, model, data=data,
                                    labels=labels))
    if rows:
        put("table-2", "Table 2: pixels per stixel", 2, lines, markdown)


def show_table3(rows, markdown):
    """Error by both rules, and IoU of the classes."""
    heads = ["input", "8×8: original", "closed form", "4×4: original", "closed form"]
    lines = [["%", "data", "from", *(f"{words}{head}" if head == "input" else head
              for words in ("as the paper, ", "defaults, ") for head in heads)]]

    def add(metric, paper, mine, key, input_key):
        lines.extend([metric, f"the paper, {name}", "labels, network's",
                      *(f"{number:.2f}" for number in numbers), *["–"] * 5]
                     for name, numbers in paper.items())
        for data, labels in mine:
            lines.append([metric, data, "labels" if labels == "true" else "depth"])
            for settings, model in BESIDE:
                where = {"settings": settings, "data": data, "labels": labels}
                numbers = [find(rows, model=model, cell=4, **where).get(input_key) if input_key
                           else 1, *four(rows, key, model=model, **where)]
                lines[-1] += ["–" if number is None else f"{100 * number:.2f}"
                              for number in numbers]

    add("error, or", PAPER_ERRORS, inputs(rows), "error_or", "input_or")
    add("error, and", {}, inputs(rows), "error_and", "input_and")
    add("IoU", PAPER_IOU, [each for each in inputs(rows) if each[1] == "true"], "iou_classes", None)
    if rows:
        put("table-3", "Table 3: accuracy", 3, lines, markdown)


def show_growth(rows, exponents, markdown):
    lines = [["rows", *(head for head, _, _ in CURVES), "left, %: slanted", "original"]]
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


def page_only(lists):
    """The lists with the rows that a page shows: some data, and settings that change something."""
    study = lists["study"]

    def matters(row):
        same = {key: row[key] for key in ("data", "labels", "model")}
        default = find(study, parameter="defaults", **same).get("error_and")
        return not default or abs(row["error_and"] / default - 1) >= LEAST_CHANGE

    kept = {(row["parameter"], row["value"]) for row in study
            if row["parameter"] == "defaults" or matters(row)}
    return {**lists, "comparison": [row for row in lists["comparison"] if row["data"] in PAGE],
            "study": [row for row in study if (row["parameter"], row["value"]) in kept]}


def show(lists, markdown):
    """Markdown tables stand between lines by which docs/measure/make-plots.py finds them."""
    lists = page_only(lists) if markdown else lists
    show_table2(lists["comparison"], markdown)
    show_table3(lists["comparison"], markdown)
    show_comparison(lists["comparison"], markdown)
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
    """Reads the rows of write_csv; an empty list where there is no file."""
    lists = {}
    for name in names:
        path = folder / f"stixels-{name}.csv"
        lists[name] = []
        if path.exists():
            with open(path, encoding="utf-8", newline="") as file:
                lists[name] = [{key: value if key in WORDS else value_of(value)
                                for key, value in row.items()} for row in csv.DictReader(file)]
    return lists
