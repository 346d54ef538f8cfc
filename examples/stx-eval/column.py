# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-eval column: why a column's stixels are what they are. docs/measure/plot_column.py draws the
JSON."""
import dataclasses
import math
import os

import numpy as np

import png
import report
import stixels
from options import GROUNDS, Parser, Refused, Settings, choose, size
from stixels import _core as core

TERMS = {"data": "how far its cells are from its plane",
         "semantic": "how badly its classes fit",
         "horizon": "ground above the horizon, sky below it, ground off the road",
         "unknown": "cells without disparity that are more likely sky",
         "noise": "what a larger sigma costs",
         "first": "a column that does not begin with ground",
         "cut": "one stixel more",
         "pair": "how it stands on the one below it"}
KINDS = ("segment", "ground", "object", "sky")


# ---- Frames -------------------------------------------------------------------------------------

def load_frame(options, seed, number):
    """(name, the pipeline's input)."""
    camera = options.calibration and stixels.read_camera(options.calibration)
    if options.left:
        left, right = png.load_gray(options.left), png.load_gray(options.right)
        if left.shape != right.shape:
            raise Refused(f"--left has {left.shape[1]} x {left.shape[0]} pixels, --right "
                          f"{right.shape[1]} x {right.shape[0]}")
        return os.path.basename(options.left), left, {"left": left, "right": right,
                                                      "camera": camera}
    if options.disparity:
        disparity = png.load_gray16(options.disparity)
        return os.path.basename(options.disparity), disparity, {"disparity": disparity,
                                                                "camera": camera}
    street = stixels.Street(*size("size", options.size), seed=seed, speed=0., noise=0.)
    street.move(number)
    left, right = street.pair()
    given = {"left": left, "right": right, "camera": street.camera}
    if options.labels:
        given["labels"] = street.truth()[1]
    return f"synthetic street, seed {seed}, frame {number}", left, given


@dataclasses.dataclass
class Story:
    """A column: its frame, the frame's name, and its explanation; of segments None."""
    name: str
    frame: stixels.Stixels
    column: int
    told: stixels.Explanation

    @property
    def stixels(self):
        """The lowest first."""
        if self.told is not None:
            return self.told.stixels
        records = self.frame.records
        return [stixels.Told(record, {}, {}, math.nan, None)
                for record in records[records["column"] == self.column]]

    @property
    def cells(self):
        """(row of its centre, disparity in pixels, weight of 1) of every cell, from the top."""
        columns = self.frame.columns
        disparity, weight = columns.data[:2, self.column].astype(float)
        edges = np.minimum(np.arange(len(weight) + 1) * columns.stixel_height, columns.height)
        return zip(((edges[:-1] + edges[1:] - 1) / 2).tolist(), (disparity / 256).tolist(),
                   (weight / 65025).tolist())

    @property
    def road(self):
        """The road's line in this column, or None."""
        if self.frame.road is None:
            return None
        width = self.frame.stixel_width
        return core.lib.stx_roadline_in_column(core.byref(self.frame.road),
                                               (self.column + .5) * width - .5)

    @property
    def gain(self):
        """By how much a single change would make the column cheaper, 0: none would."""
        return -min([0., *(more for told in self.stixels
                           for more in (*told.changed.values(), told.merged)
                           if not math.isnan(more))])


# ---- One column, as text and as JSON ------------------------------------------------------------

def number(value, width, digits):
    return f"{value:{width}.{digits}f}" if math.isfinite(value) else f"{'-':>{width}}"


def rows_of(told):
    record = told.record
    return f"{record['top']:5} - {record['bottom']:<5} {KINDS[record['kind']]:8}"


def print_head(story):
    frame, columns = story.frame, story.frame.columns
    first, cells = story.column * frame.stixel_width, list(story.cells)
    last = min(first + frame.stixel_width, frame.width)
    known = sum(disparity != 0 for _, disparity, _ in cells)
    print(f"{story.name}, column {story.column} of 0 to {columns.data.shape[1] - 1}: pixels "
          f"{first} to {last - 1}, {len(cells)} cells, {known} of them of known disparity")
    road = story.road
    if road is None:
        print(f"road: not known{', so there is no ground' if story.told else ''}")
    else:
        print(f"road: {frame.road.slope:.4f} px per row, ends at row "
              f"{core.lib.stx_roadline_end(core.byref(road)):.1f}"
              f"{', bends' if frame.road.bends > 0 else ''}")


def print_record(story, told):
    record, camera = told.record, story.frame.camera
    below, above = float(record["disparity_bottom"]), float(record["disparity_top"])
    metric = camera.focal and camera.baseline and below > 0
    metres = camera.focal * camera.baseline / below if metric else math.nan
    print(rows_of(told) + number(below if below > 0 else math.nan, 9, 2)
          + number(above if above > 0 else math.nan, 9, 2) + number(metres, 8, 1)
          + f" {record['cost']:9.2f}")


def more_text(more, is_own=False):
    """"+3.2", "-" for what it is, "never" for what cannot be."""
    if is_own or math.isnan(more):
        return f"{'-':>9}"
    return f"{more:+9.2f}" if math.isfinite(more) else f"{'never':>9}"


def print_costs(story, told):
    used = [term for term in TERMS if any(one.terms[term] for one in story.stixels)]
    print("\nwhat each costs, nats\n  rows         kind     "
          + "".join(f"{term:>9}" for term in used))
    for one in told:
        print(rows_of(one) + "".join(f"{one.terms[term]:9.2f}" for term in used))
    print("\nwhat the column would cost more, nats, if one of them were\n"
          "  rows         kind        ground   object      sky   one with that below it")
    for one in told:
        own = KINDS[one.record["kind"]]
        merged = f", as {one.merged_kind}" if math.isfinite(one.merged) else ""
        print(rows_of(one) + "".join(more_text(more, kind == own)
                                     for kind, more in one.changed.items())
              + more_text(one.merged) + merged)
    if story.gain > 0:
        print("negative: of what ends at a row, satdp keeps one of each kind with its plane, and\n"
              "pair costs depend on the plane. What it dropped here would have cost less.")
    print()
    for term in used:
        print(f"{term:9} {TERMS[term]}")


def show(story):
    told = list(reversed(story.stixels))
    print_head(story)
    print("\n  rows         kind      px below px above  metres "
          f"{'     cost' if story.told else '  off by, px'}")
    for one in told:
        print_record(story, one)
    if story.told:
        print(f"all {len(told)}: {story.told.energy:.2f} nats, the least of all segmentations is "
              f"{story.told.least:.2f}")
        print_costs(story, told)


def stixel_json(story, told):
    record = told.record
    root = {"kind": KINDS[record["kind"]], "top": int(record["top"]),
            "bottom": int(record["bottom"]),
            **{name: float(record[name]) for name in ("disparity_top", "disparity_bottom", "cost")}}
    if story.told:
        root.update(terms=told.terms, merged=report.known(told.merged),
                    **{"as": {kind: report.known(more) for kind, more in told.changed.items()}})
        root["merged"] = root.pop("merged")
    return root


def dump(story):
    road = story.road
    cells = [{"row": row, "disparity": disparity, "weight": weight,
              "road": road and report.known(core.lib.stx_roadline_at(core.byref(road), row))}
             for row, disparity, weight in story.cells]
    report.dump({"frame": story.name, "column": story.column,
                 "energy": story.told and story.told.energy,
                 "least": story.told and story.told.least,
                 "stixels": [stixel_json(story, told) for told in story.stixels], "cells": cells},
                digits=9, indent=1)


# ---- All columns --------------------------------------------------------------------------------

class Worst:
    """Columns that could cost less, and the one that could most."""

    def __init__(self):
        self.count, self.most, self.column, self.frame = 0, 0., None, None

    def add(self, story, gain):
        self.count += gain > 0
        if gain > self.most:
            self.most, self.column, self.frame = gain, story.column, story.name

    def json(self):
        return {"columns": self.count, "most": self.most, "frame": self.frame,
                "column": self.column}

    def show(self, what):
        by = (f"   by up to {self.most:.2f} nats ({self.frame}, column {self.column})"
              if self.count else "")
        print(f"{what:48} {self.count:5}{by}")


class Count:
    """In how many columns other stixels would cost less, by a single change and by any."""

    def __init__(self):
        self.frames = self.columns = self.stixels = self.sky = self.least_sky = 0
        self.energy, self.excess, self.change, self.least = 0., 0., Worst(), Worst()

    def add(self, story):
        told = story.told
        self.columns += 1
        self.stixels += len(told.stixels)
        self.energy += told.energy
        self.excess += told.energy - told.least
        self.sky += told.sky
        self.least_sky += told.least_sky
        self.change.add(story, story.gain)
        self.least.add(story, told.energy - told.least)

    def json(self):
        return {"frames": self.frames, "columns": self.columns, "stixels": self.stixels,
                "energy": self.energy, "excess": self.excess, "one_changed": self.change.json(),
                "any_changed": self.least.json(), "sky_below_horizon": self.sky,
                "sky_below_horizon_least": self.least_sky}

    def show(self):
        print(f"{'columns':48} {self.columns:5}   of {self.frames} frames, {self.stixels} stixels")
        self.change.show("one stixel changed would cost less in")
        self.least.show("another segmentation would cost less in")
        print(f"{'by how much, in all':48} {self.excess:8.2f} of {self.energy:.2f} nats")
        print(f"{'stixels of sky that end below the horizon':48} {self.sky:5}   where the energy "
              f"is least {self.least_sky}")


def run_frame(options, settings, count, seed, frame_number):
    name, picture, given = load_frame(options, seed, frame_number)
    frame = settings.pipeline(picture.shape[1], picture.shape[0])(**given)
    columns = frame.columns.data.shape[1]
    explain = None
    if options.segments:
        if frame.road is None:  # segments need no road, but the picture shows it
            frame.road = stixels.road_of(frame.camera)
    else:
        explain = stixels.Explainer(frame, sky_known=bool(settings.struct.sgm.sky),
                                    **settings.stixels)
    if options.column == "all":
        for column in range(columns):
            count.add(Story(name, frame, column, explain(column)))
        count.frames += 1
        return
    column = columns // 2 if options.column is None else options.column
    if column >= columns:
        raise Refused(f"--column={column}: must be 0 to {columns - 1}, of columns of "
                      f"{frame.stixel_width} pixels, or all")
    story = Story(name, frame, column, explain and explain(column))
    if options.json:
        dump(story)
    else:
        show(story)


# ---- Command line -------------------------------------------------------------------------------

def parser_of(settings):
    parser = Parser(
        "stx-eval column", "- explains one column of stixels",
        "What was measured in a column, what was made of it, what that costs, and what another "
        "kind\nor one stixel less would. Without pictures it is one of the synthetic street. Of "
        "all columns\nit counts how many would cost less: satdp's recurrence does not always find "
        "the least.")
    parser.text("column", "N|all", "from the left, from 0 on (the middle); all: how many could "
                                   "cost less")
    parser.text("left", "PNG", "left picture")
    parser.text("right", "PNG", "right picture")
    parser.text("disparity", "PNG", "a disparity map as KITTI has them, in place of pictures")
    parser.text("calibration", "FILE", "of these")
    parser.whole("seed", "of the street (3)", 3)
    parser.whole("frame", "of the street (20)", 20)
    parser.whole("frames", "of each street, from --frame on (1)", 1)
    parser.whole("streets", "with seeds from --seed on (1)", 1)
    parser.text("size", "WxH", "of the street (1242x375)", "1242x375")
    parser.flag("labels", "with the street's true classes")
    parser.text("cell", "N|WxH", "size of the cells (8)")
    parser.text("ground", "G", "auto, calibration, estimate, piecewise, none", "auto")
    parser.flag("segments", "of rdp in place of stixels")
    parser.flag("json", "print JSON")
    settings.add_to(parser)
    return parser


def apply_source(options):
    files = bool(options.left or options.disparity)
    if bool(options.left) != bool(options.right):
        raise Refused(f"--{'right' if options.left else 'left'} is missing: a pair has two "
                      "pictures")
    if options.left and options.disparity:
        raise Refused("--disparity and --left: give one of the two")
    if options.labels and files:
        raise Refused("--labels is of the street alone")
    if options.calibration and not files:
        raise Refused("--calibration: the street brings its own camera")
    if options.frame < 0:
        raise Refused(f"--frame={options.frame}: must be at least 0")
    return files


def apply_columns(options, files):
    """Which column, or all, and of how many frames."""
    if options.column not in (None, "all"):
        if not options.column.isdigit():
            raise Refused(f"--column={options.column}: must be the number of a column, from 0 on, "
                          "or all")
        options.column = int(options.column)
    if options.column == "all" and options.segments:
        raise Refused("--column=all: not with --segments")
    for name in ("frames", "streets"):
        if getattr(options, name) < 1:
            raise Refused(f"--{name}={getattr(options, name)}: must be at least 1")
        if getattr(options, name) > 1 and (options.column != "all" or files):
            raise Refused(f"--{name}: only of the street, with --column=all")


def main(arguments):
    settings = Settings(compared=False)
    options = parser_of(settings).parse(arguments)
    if options.rest:
        raise Refused(f"'{options.rest[0]}': pictures are given by --left and --right (see --help)")
    choose("ground", options.ground, GROUNDS)
    apply_columns(options, apply_source(options))
    if options.cell:
        settings.set_cell(options.cell)
    settings.model = "rdp" if options.segments else "satdp"
    settings.more = {"ground": options.ground, "labels": options.labels,
                     "source": "disparities" if options.disparity else "pairs"}
    count = Count()
    for seed in range(options.seed, options.seed + options.streets):
        for frame in range(options.frame, options.frame + options.frames):
            run_frame(options, settings, count, seed, frame)
    if options.column == "all" and options.json:
        report.dump(count.json())
    elif options.column == "all":
        count.show()
