# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-eval boxes: the score of StixelNExT's evaluation. A stixel is right if at least half of its
points lie in the box of a labelled thing, grown by 1.2 around its middle.

Boxes are made of the labelled points that the left camera sees of an instance: as wide and high as
these, and as deep, but at least as deep as such things are, away from the camera.
"""
import numpy as np

import data
import report
import stixels
from options import Parser, Refused, Settings

GROWN, HALF, LEAST_POINTS = 1.2, .5, 3
LEAST_VEHICLE, LEAST_PERSON = 1.6, .6  # m: how deep a thing is at least
SLIM = (11, 15, 30, 31, 32, 253, 254, 255)
NEAREST = 4  # m: where boxes and stixels count
STEPS = np.arange(5) * .2  # of confidences, from 0 on


class Box:
    """Along the line of sight and across it, in the camera's axes; points: float64 (points, 3)."""

    def __init__(self, label, points):
        self.label, self.count = label, len(points)
        ahead = points.cumsum(axis=0)[-1, [0, 2]]  # one after another
        self._ahead = ahead / np.sqrt(ahead[0] * ahead[0] + ahead[1] * ahead[1])
        axes = self._axes(points)
        self.low, self.high = axes.min(axis=1), axes.max(axis=1)
        self.near = self.low[0]
        least = LEAST_PERSON if label & 0xFFFF in SLIM else LEAST_VEHICLE
        self.high[0] = max(self.high[0], self.near + least)

    def _axes(self, p):
        """Along, across and down."""
        x, z = self._ahead
        return np.stack([x * p[:, 0] + z * p[:, 2], z * p[:, 0] - x * p[:, 2], p[:, 1]])

    def has(self, points):
        middle = (self.low + self.high) / 2
        reach = GROWN * (self.high - self.low) / 2
        return (np.abs(self._axes(points) - middle[:, None]) <= reach[:, None]).all(axis=0)


def place_of(camera, u, v, z):
    return np.stack([(u - camera.cx) * z / camera.focal, (v - camera.cy) * z / camera.focal, z],
                    axis=1)


def boxes_of(frame, farthest):
    points, found = frame.points, []
    kind = points["label"] & 0xFFFF
    points = points[(points["label"] >> 16 > 0) & ((kind >= 10) & (kind <= 32) | (kind >= 252))]
    places = place_of(frame.camera, points["x"].astype(float), points["y"].astype(float),
                      points["depth"].astype(float))
    for label in np.unique(points["label"]):
        box = Box(int(label), places[points["label"] == label])
        if box.count >= LEAST_POINTS and NEAREST <= box.near <= farthest:
            found.append(box)
    return found


def points_of(found, stixels_):
    """(points, the first of each stixel): one for each row, in the middle of the column."""
    heights = stixels_["bottom"].astype(int) - stixels_["top"] + 1
    first = np.cumsum(heights) - heights
    of = np.repeat(stixels_, heights)
    row = np.arange(heights.sum()) - np.repeat(first, heights)
    part = row / np.maximum(np.repeat(heights, heights) - 1, 1)
    top, bottom = of["disparity_top"], of["disparity_bottom"]
    disparity = top.astype(float) + part * (bottom - top).astype(float)
    u = (of["column"] + .5) * found.stixel_width - .5
    return place_of(found.camera, u, of["top"] + row,
                    found.camera.focal * found.camera.baseline / disparity), first, heights


def shows_things(frame, found, stixels_, labels):
    """Whether most of the labelled points that each stixel covers are of things with boxes."""
    owner = np.full((found.height, -(-found.width // found.stixel_width)), -1)
    for i, stixel in enumerate(stixels_):
        owner[stixel["top"]:int(stixel["bottom"]) + 1, stixel["column"]] = i
    of = owner[frame.points["y"], frame.points["x"] // found.stixel_width]
    is_thing = np.isin(frame.points["label"], labels)
    every, things = (np.bincount(of[chosen], minlength=len(stixels_))
                     for chosen in (of >= 0, (of >= 0) & is_thing))
    return 2 * things > every


def judge(frame, found, farthest, score):
    boxes, records = boxes_of(frame, farthest), found.records
    with np.errstate(divide="ignore"):
        z = found.camera.focal * found.camera.baseline / records["disparity_bottom"].astype(float)
    counts = ((records["kind"] == stixels.OBJECT) & (records["disparity_bottom"] > 0)
              & (records["disparity_top"] > 0) & (z >= NEAREST) & (z <= farthest))
    chosen = records[counts]
    if not len(chosen):
        return len(boxes)
    points, first, heights = points_of(found, chosen)
    sure = chosen["confidence"].astype(float)[:, None] >= STEPS
    right = np.zeros(len(chosen), bool)
    for box in boxes:
        hits = np.add.reduceat(box.has(points).astype(int), first) >= HALF * heights
        right |= hits
        score["hit"] += sure[hits].any(axis=0)
    shows = shows_things(frame, found, chosen, [box.label for box in boxes])
    for name, those in (("stixels", slice(None)), ("right", right), ("things", shows | right)):
        score[name] += sure[those].sum(axis=0)
    return len(boxes)


def main(arguments):
    settings = Settings()
    parser = Parser("stx-eval boxes", "FOLDER", "Computes the score of StixelNExT's evaluation.\n\n"
                    "Pairs with labelled scans in the folders of KITTI's odometry: how many object "
                    "stixels lie\nin boxes of labelled vehicles and people, and how many boxes "
                    "have such stixels.")
    parser.text("calibration", "FILE", "in place of each sequence's calib.txt")
    parser.real("farthest", "METRES", "stixels and boxes count up to here, metres (30)", 30.)
    options = parser.parse(arguments)
    if len(options.rest) != 1:
        raise Refused(f"{'one folder' if options.rest else 'say a folder'} with labelled scans "
                      "(see --help)")
    if not NEAREST < options.farthest <= 250:
        raise Refused(f"--farthest={options.farthest:g}: above {NEAREST}, up to 250 m")
    settings.more = {"threads": options.threads}
    source = data.Scans(options.rest[0], options.calibration)
    score = {name: np.zeros(len(STEPS), int) for name in ("stixels", "things", "right", "hit")}
    boxes = 0
    for index in range(source.count):
        frame = source.load(index)
        found = settings.pipeline(*frame.size)(frame.left, frame.right, frame.camera)
        boxes += judge(frame, found, options.farthest, score)
    steps = [{"confidence": float(step), "stixels": int(score["stixels"][k]),
              "things": int(score["things"][k]), "right": int(score["right"][k]),
              "precision": report.share(int(score["right"][k]), int(score["stixels"][k])),
              "precision_of_things": report.share(int(score["right"][k]), int(score["things"][k])),
              "recall": report.share(int(score["hit"][k]), boxes)} for k, step in enumerate(STEPS)]
    root = {"data": source.name, "frames": source.count, "boxes": boxes, "confidences": steps}
    report.tell(root, options.json)
