#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares stixel models as their paper does, with stx-eval on every setting.

  docs/measure/stx-paper.py --programs build/examples --tables comparison
  docs/measure/stx-paper.py --programs build/examples "KITTI 2015=FOLDER" --markdown

D. Hernandez-Juarez et al., "3D Perception with Slanted Stixels on GPU", TPDS 32(10), 2021, section
5: its model, the one it replaces, and segments of rdp, on synthetic streets and on FOLDERs in
KITTI's stereo layout, which the tables call NAME; CALIBRATION is the file of the camera where a
folder has no calib/. docs/benchmarks/stixels.md shows the result.

Everything measured is a list of rows; all rows of a list have the same keys in the same order, and
what does not apply is None. Rates are 0 to 1.
  comparison   Tables 2 and 3: a row for each data set, cell size, settings, labels and model
  frames       Figure 7: error of every frame, cells of 4x4, from depth
  growth       Figure 9: time of the dynamic programmes over the number of rows of cells
  exponents    the lines of least squares through that, both axes logarithmic
  study        what each parameter does, with cells of 8x8
"""
import argparse
import collections
import json
import math
import pathlib
import re
import subprocess
import sys

import tables

LISTS = ("comparison", "frames", "growth", "exponents", "study")
# The names of the rows, and stx-eval's options. "upright" is "gaussian" with the objects of
# "gaussian-uniform", which do not slant: equal models. "flat" knows no slanted stixel at all: the
# ground lies in the expected plane.
UPRIGHT = ("--object-sigma-slope", 0)
FLAT = (*UPRIGHT, "--ground-sigma-intercept", .01, "--ground-sigma-slope", .01)
MODELS = {"gaussian-uniform": ("--model", "gaussian-uniform"),
          "upright": ("--model", "satdp", *UPRIGHT), "gaussian": ("--model", "satdp"),
          "flat": ("--model", "satdp", *FLAT), "rdp": ("--model", "rdp")}
# To what the paper describes: the mean of a cell's valid pixels, no filling, all pixels certain, no
# search for the sky, upright objects. Equation 6 of "gaussian-uniform" has the Gaussian's
# normaliser in any case; for the others sigma-weight is that of Equation 12.
AS_PRINTED = ("--reduction", "mean", "--fill-width", 0, "--no-confidence", "--no-sky", *UPRIGHT)
NORMALISED = ("--sigma-weight", 1)
TRUE_LABELS = ("--semantics", "truth")
LAST = 3  # numbers of rows for the exponent of the end of the curve

# Kinds of street: how the tables call them, and the options.
SCENES = {"street": (), "sloped street": ("--terrain", "sloped"),
          "hilly street": ("--terrain", "hilly"),
          "hilly street (piecewise)": ("--terrain", "hilly", "--ground", "piecewise")}
# Parameters of the model "gaussian", and the values to try beside the default.
PARAMETERS = {
    "stixel-cost": (1, 3, 10, 20), "sigma-disparity-ground": (.35, 1.5, 4),
    "sigma-disparity-object": (.6, 2.4, 4.8), "sigma-disparity-sky": (.5, 2, 4),
    "sigma-weight": (.5, 1), "sigma-height": (0, .02, .2), "sigma-angle": (0, .01, .02),
    "sigma-depth": (0, .2), "ground-sigma-intercept": (1, 5, 100),
    "ground-sigma-slope": (.05, .1, 1.5), "object-sigma-slope": (0, .003, .03, .1),
    "pair-cost": (0, 1, 4), "pair-slope": (0, .4, 1.6), "pair-tolerance": (.5, 8),
    "horizon-cost": (0, 1, 9), "unknown-cost": (0, 1), "sky-cost": (0, 1, 16),
    "first-object-cost": (2, 8), "first-sky-cost": (2, 8), "reduction": ("mean", "median"),
    "fill-width": (0, 8, 128), "sky": ("off",)}
WITH_LABELS = {"stixel-cost": (3, 6, 20), "semantic-weight": (.5, 5)}
WITH_OUTLIERS = {"outlier-share-ground": (.05, .3), "outlier-share-object": (.05, .3),
                 "outlier-share-sky": (.15, .6), "outlier-range": (64, 256), "stixel-cost": (3, 10)}
EPSILONS = (.25, .5, 1, 2, 4, 8)  # of --cut-candidates

Data = collections.namedtuple("Data", "name options growth")  # growth: of growth.py


def at_least(least, most=math.inf):
    def number(text):
        if not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"must be {least} to {most}")
        return int(text)
    return number


def folder(text):
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise argparse.ArgumentTypeError(f"what is '{text}'? Give NAME=FOLDER")
    path, comma, camera = path.partition(",")
    return Data(name, (path, *(("--calibration", camera) if comma else ())), (path,))


def arguments_of(command_line):
    parser = argparse.ArgumentParser(prog="stx-paper.py", description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=folder, metavar="NAME=FOLDER[,CALIBRATION]")
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER",
                        default=pathlib.Path("build/examples"),
                        help="of stx-eval (%(default)s)")
    parser.add_argument("--tables", default="all",
                        choices=("all", "comparison", "frames", "growth", "study"))
    parser.add_argument("--seeds", type=at_least(1, 1000), default=4, metavar="N",
                        help="streets 1 to N for the study, N + 1 to 2 N for the rest (4)")
    parser.add_argument("--size", metavar="WxH",
                        help="of the streets (1242x375, and one of 2048x1024)")
    parser.add_argument("--repeat", type=at_least(1), default=1, metavar="N",
                        help="runs; the fastest counts (1)")
    parser.add_argument("--threads", type=at_least(0, 256), default=1, metavar="N",
                        help="0: all cores (1)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--markdown", action="store_true", help="print tables for a page")
    parser.add_argument("--csv", type=pathlib.Path, metavar="DIR", help="write stixels-*.csv there")
    parser.add_argument("--read", type=pathlib.Path, metavar="DIR",
                        help="measure nothing: print what stixels-*.csv there say")
    return parser.parse_args(command_line)


class Study:
    def __init__(self, arguments):
        self.arguments, self.size = arguments, arguments.size or "1242x375"
        self.rows = {name: [] for name in LISTS}

    def run(self, program, *words):
        command = [str(word) for word in (self.arguments.programs / program, *words)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            sys.exit(f"{error}: --programs says where stx-eval is")
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stderr.strip()}")
        return done.stdout

    def evaluate(self, data, model, *options):
        return json.loads(self.run(
            "stx-eval", *data.options, "--json", "--threads", self.arguments.threads, "--repeat",
            self.arguments.repeat, *MODELS[model], *options))

    # ---- Data ----------------------------------------------------------------------------------

    def streets(self, seed, scenes):
        count = self.arguments.seeds
        return [Data(name, ("--street", "--streets", count, "--seed", seed, "--size", self.size,
                            *SCENES[name]), ("--seed", seed, "--size", self.size))
                for name in scenes]

    def kept(self):
        """Folders first: the first data set shows the growth."""
        seed = 1 + self.arguments.seeds
        found = [*self.arguments.folders, *self.streets(seed, SCENES)]
        if self.arguments.size is None:  # as large as the paper measures time, twice the search
            found.append(Data("street, 2048×1024", (
                "--street", "--streets", 1, "--seed", seed, "--size", "2048x1024",
                "--max-disparity", 256), ()))
        return found

    # ---- Tables 2 and 3 ------------------------------------------------------------------------

    @staticmethod
    def errors(result, stixels, filled, truth):
        score = result[truth] or {}
        return {f"{key}_{rule}": score.get(name, {}).get(f"error_{rule}")
                for key, name in ((filled, "filled"), (stixels, "stixels"))
                for rule in ("or", "and")}

    def measures(self, total):
        near = total["non_occluded"] or {}
        return {**self.errors(total, "error", "input", "non_occluded"),
                "ratio_and": near.get("ratio_and"),
                **self.errors(total, "error_all", "input_all", "all"),
                **{f"iou_{name}": (total[f"iou_{name}"] or {}).get("mean")
                   for name in ("kinds", "classes", "cells")},
                **{name: total[name] for name in ("pixels_per_stixel", "stixels_per_frame",
                                                  "pairs_evaluated")},
                **{f"ms_{stage}": ms for stage, ms in total["ms"].items()}}

    def compare(self, data, cell, printed, labels, model):
        options = () if not printed else AS_PRINTED
        options += NORMALISED if printed and model in ("gaussian", "flat") else ()
        found = self.evaluate(data, model, "--cell", cell, *options,
                              *(TRUE_LABELS if labels else ()))
        line = {"data": data.name, "cell": cell, "settings": "paper" if printed else "defaults",
                "labels": "true" if labels else "none", "model": model}
        self.rows["comparison"].append({**line, "frames": len(found["frames"]),
                                        **self.measures(found["total"])})
        return all(frame["iou_cells"] for frame in found["frames"])

    def compare_all(self):
        """Segments know no classes; folders may have no labels; the paper's objects are upright."""
        for data in self.kept():
            for cell in (8, 4):
                for printed in (False, True):
                    models = [name for name in MODELS if not (printed and name == "upright")]
                    labelled = all([self.compare(data, cell, printed, False, model)
                                    for model in models])
                    for model in models[:-1] if labelled else ():
                        self.compare(data, cell, printed, True, model)

    # ---- Figure 7 ------------------------------------------------------------------------------

    def list_frames(self):
        for data in self.kept():
            for model in ("gaussian-uniform", "upright", "gaussian"):
                self.rows["frames"] += [
                    {"data": data.name, "model": model, "frame": frame["name"],
                     **self.errors(frame, "error", "input", "non_occluded"),
                     "pixels_per_stixel": frame["pixels_per_stixel"]}
                    for frame in self.evaluate(data, model, "--cell", 4, "--repeat", 1)["frames"]]

    # ---- Growth --------------------------------------------------------------------------------

    def grow(self):
        data = self.kept()[0]
        rows = json.loads(self.run(
            sys.executable, pathlib.Path(__file__).with_name("growth.py"),
            self.arguments.programs, *data.growth, "--repeat", self.arguments.repeat))
        self.rows["growth"] = [{"data": data.name, **row} for row in rows]
        curves = collections.defaultdict(list)
        for row in rows:
            curves[row["model"], row["code"], row["pruned"]].append(
                (math.log(row["rows"]), math.log(row["us_per_column"])))
        self.rows["exponents"] = [
            {"data": data.name, "model": model, "code": code, "pruned": pruned,
             "exponent": slope(curve), "exponent_last": slope(curve[-LAST:])}
            for (model, code, pruned), curve in curves.items()]

    # ---- Study ---------------------------------------------------------------------------------

    def try_settings(self, model, labels, parameter="defaults", default="", value="", option=()):
        for data in self.arguments.folders + self.streets(1, ["street"]):
            if labels and data in self.bare:
                continue
            found = self.evaluate(data, model, "--cell", 8, *option,
                                  *(TRUE_LABELS if labels else ()))
            if not all(frame["iou_cells"] for frame in found["frames"]):
                self.bare.add(data)
            total = found["total"]
            errors = self.errors(total, "error", "input", "non_occluded")
            self.rows["study"].append({
                "model": model, "labels": "true" if labels else "none", "parameter": parameter,
                "default": default, "value": value, "data": data.name,
                "error_or": errors["error_or"] or 0, "error_and": errors["error_and"] or 0,
                "ratio_and": (total["non_occluded"] or {}).get("ratio_and"),
                "pixels_per_stixel": total["pixels_per_stixel"],
                "pairs_evaluated": total["pairs_evaluated"]})

    def study(self):
        self.bare = set()  # data sets without labels
        options = self.run("stx-eval", "--help-all")
        kinds = (("gaussian", False, PARAMETERS), ("gaussian", True, WITH_LABELS),
                 ("gaussian-uniform", False, WITH_OUTLIERS))
        for model, labels, _ in kinds:
            self.try_settings(model, labels)
        for model, labels, parameters in kinds:
            for name, values in parameters.items():
                for value in values:
                    option = ("--no-" + name,) if value == "off" else ("--" + name, value)
                    self.try_settings(model, labels, name, default_of(name, options), str(value),
                                      option)
        self.try_settings("gaussian", False, "confidence", "on", "off", ("--no-confidence",))
        for epsilon in EPSILONS:
            self.try_settings("gaussian", False, "cut-candidates", "all", f"rdp, epsilon {epsilon}",
                              ("--cut-candidates", "rdp", "--epsilon", epsilon))


def default_of(name, options):
    """The default by stx-eval --help-all; switches are on, costs below 0 are found."""
    found = re.search(rf" --{name} (?:(?! --).)*?; default (\S+)", " ".join(options.split()))
    return "on" if found is None else "auto" if found[1] == "-1" else found[1]


def slope(points):
    """Returns the slope of the line of least squares; None for fewer than two x."""
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points))
    xx = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / xx if xx > 0 else None


def main():
    arguments = arguments_of(sys.argv[1:])
    study = Study(arguments)
    for name, measure in (("comparison", study.compare_all), ("frames", study.list_frames),
                          ("growth", study.grow), ("study", study.study)):
        if arguments.tables in ("all", name) and arguments.read is None:
            measure()
    if arguments.read is not None:
        study.rows = tables.read_csv(arguments.read, LISTS)
    if arguments.json:
        settings = {"size": study.size, "seeds": arguments.seeds, "repeat": arguments.repeat,
                    "threads": arguments.threads}
        print(json.dumps({"settings": settings, **study.rows}, indent=2, ensure_ascii=False))
    else:
        tables.show(study.rows, arguments.markdown)
    if arguments.csv is not None:
        try:
            tables.write_csv(arguments.csv, study.rows)
        except OSError as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
