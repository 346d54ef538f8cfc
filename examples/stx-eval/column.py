# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-eval column: why a column's stixels are what they are, as JSON, which
docs/measure/plot_column.py draws."""
import dataclasses
import math
import os

import numpy as np

import png
import report
import stixels
from options import GROUNDS, Parser, Refused, Settings, choose, size
from stixels import _core as core

KINDS = ("segment", "ground", "object", "sky")


# ---- Frames -------------------------------------------------------------------------------------

def load_frame(options):
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
    street = stixels.Street(*size("size", options.size), seed=options.seed, speed=0.,
                            noise=0.)
    street.move(options.frame)
    left, right = street.pair()
    given = {"left": left, "right": right, "camera": street.camera}
    if options.labels:
        given["labels"] = street.truth()[1]
    return f"synthetic street, seed {options.seed}, frame {options.frame}", left, given


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


# ---- One column, as JSON -------------------------------------------------------------------------

def stixel_json(story, told):
    record = told.record
    root = {"kind": KINDS[record["kind"]], "top": int(record["top"]),
            "bottom": int(record["bottom"]),
            **{name: float(record[name]) for name in ("disparity_top", "disparity_bottom", "cost")}}
    if story.told:
        root.update(terms=told.terms, merged=report.known(told.merged),
                    **{"as": {kind: report.known(more) for kind, more in told.changed.items()}})
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


# ---- Command line -------------------------------------------------------------------------------

def parser_of(settings):
    parser = Parser(
        "stx-eval column", "",
        "Explains one column of stixels.\n\n"
        "What was measured in a column, what was made of it, what that costs, and what another "
        "kind\nor one stixel less would, as JSON. Without pictures it is one of the synthetic "
        "street.")
    parser.whole("column", "from the left, from 0 on (-1: the middle)", -1)
    parser.text("left", "PNG", "left picture")
    parser.text("right", "PNG", "right picture")
    parser.text("disparity", "PNG", "a disparity map as KITTI has them, in place of pictures")
    parser.text("calibration", "FILE", "of these")
    parser.whole("seed", "of the street (3)", 3)
    parser.whole("frame", "of the street (20)", 20)
    parser.text("size", "WxH", "of the street (1242x375)", "1242x375")
    parser.flag("labels", "with the street's true classes")
    parser.text("cell", "N|WxH", "size of the cells (8)")
    parser.text("ground", "G", "auto, calibration, estimate, piecewise, none", "auto")
    parser.flag("segments", "of rdp in place of stixels")
    settings.add_to(parser)
    return parser


def check_source(options):
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


def open_frame(arguments):
    """(options, the frame's name, its stixels, what explains a column; of segments None)."""
    settings = Settings(compared=False)
    options = parser_of(settings).parse(arguments)
    if options.rest:
        raise Refused(f"'{options.rest[0]}': pictures are given by --left and --right (see --help)")
    choose("ground", options.ground, GROUNDS)
    check_source(options)
    if options.cell:
        settings.set_cell(options.cell)
    settings.model = "rdp" if options.segments else "satdp"
    settings.more = {"ground": options.ground, "labels": options.labels,
                     "threads": options.threads,
                     "source": "disparities" if options.disparity else "pairs"}
    name, picture, given = load_frame(options)
    frame = settings.pipeline(picture.shape[1], picture.shape[0])(**given)
    if not options.segments:
        return options, name, frame, stixels.Explainer(
            frame, sky_known=bool(settings.struct.sgm.sky), **settings.stixels)
    if frame.road is None:  # segments need no road, but the picture shows it
        frame.road = stixels.road_of(frame.camera)
    return options, name, frame, None


def main(arguments):
    options, name, frame, explain = open_frame(arguments)
    columns = frame.columns.data.shape[1]
    column = columns // 2 if options.column == -1 else options.column
    if not 0 <= column < columns:
        raise Refused(f"--column={column}: must be 0 to {columns - 1}, of columns of "
                      f"{frame.stixel_width} pixels")
    dump(Story(name, frame, column, explain and explain(column)))
