# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-eval lidar: how well ground is told from obstacles, against labels of SemanticKITTI's kind.

Protocol B (S. Lee et al., "Patchwork++", IROS 2022): ground is road, parking, sidewalk, other
ground, lane marking and terrain; vegetation, outliers and what has no label do not count.
Protocol A: vegetation counts too, as ground below −1.29 m.
"""
import math
import os
import time

import numpy as np

import data
import png
import report
import stixels
from options import BACKENDS, Parser, Refused, at_least, check_folder, choose
from stixels import _c as c
from stixels import _core as core

VEGETATION_LOW = np.float32(-1.29)  # m, protocol A
IGNORED, OTHER, GROUND = 0, 1, 2  # the truth of a point
RANGES = (0., 10., 20., 30., 50., math.inf)  # m: from each to the next
FRAMES_APART = 10  # of the street
PROTOCOLS = ("b", "a")

SIDE, PIXELS_PER_M = 1000, 10.  # of a picture
# In the order in which they lie over each other.
MEANINGS = (c.STX_MEANS_IGNORED, c.STX_MEANS_TRUTH, c.STX_MEANS_TRUE_POSITIVE,
            c.STX_MEANS_FALSE_NEGATIVE, c.STX_MEANS_FALSE_POSITIVE)


# ---- Scans --------------------------------------------------------------------------------------

class Street:
    """Scans of the synthetic street by a sensor of so many beams."""

    def __init__(self, seed, beams, count):
        sensor = core.lib.stx_scene_lidar(beams)
        core.checked(core.lib.stx_scene_lidar_check, core.byref(sensor))
        self.name, self.count = f"synthetic street, {beams} beams, seed {seed}", count
        self._beams, self._street = beams, stixels.Street(64, 64, seed=seed, noise=0., speed=10.)

    def load(self, index):
        """(name, points, labels)."""
        self._street.move(index * FRAMES_APART)
        return (f"frame {index * FRAMES_APART}", *self._street.scan(self._beams))


class Folder:
    def __init__(self, folder):
        self.name, self.paths = folder, data.labelled_scans(folder)
        self.count = len(self.paths)

    def load(self, index):
        return (data.scan_name(self.paths[index]), *data.read_scan(self.paths[index]))

    def other_labels(self, index, folder, count):
        """Another program's: FOLDER/SEQUENCE/X.label for SEQUENCE/velodyne/X.bin."""
        own = data.labels_path(self.paths[index])
        sequence = os.path.basename(os.path.dirname(os.path.dirname(own)))
        return data.read_labels(os.path.join(folder, sequence, os.path.basename(own)), count)


def moved(points, up, roll, pitch):
    """The scan as a sensor would see it that stands `up` metres lower and is tilted, degrees."""
    sr, cr = math.sin(math.radians(roll)), math.cos(math.radians(roll))
    sp, cp = math.sin(math.radians(pitch)), math.cos(math.radians(pitch))
    x, y, z = points[:, :3].astype(float).T
    z = z + up
    rolled = sr * y + cr * z
    return np.stack([cp * x - sp * rolled, cr * y - sr * z, sp * x + cp * rolled,
                     points[:, 3]], axis=1).astype(np.float32)


# ---- One scan -----------------------------------------------------------------------------------

def truth_of(points, labels, protocol):
    kind = labels & 0xFFFF
    truth = np.where(data.is_ground(labels), GROUND, OTHER)
    low = points[:, 2] < VEGETATION_LOW
    plants = np.where(low, GROUND, OTHER) if protocol == "a" else IGNORED
    return np.where(kind <= data.OUTLIER, IGNORED,
                    np.where(kind == data.VEGETATION, plants, truth))


def ranges_of(points):
    metres = np.hypot(points[:, 0].astype(float), points[:, 1].astype(float))
    return np.searchsorted(RANGES[1:-1], metres, side="right")


def label(points, options):
    """(labels, clusters, height, ms), the shortest time of some runs."""
    best = math.inf
    for _ in range(options.repeat):
        begin = time.perf_counter()
        found = stixels.ground(points, threads=options.threads, backend=options.backend,
                               **options.ground)
        best = min(best, 1e3 * (time.perf_counter() - begin))
    return found.labels, found.clusters, found.height, best


def save_picture(path, points, truth, ground):
    """The scan from above, x up and y to the left, 1000 × 1000 pixels of 10 cm around the sensor:
    ground that was found green, what is no ground white, what is and was not found blue, what was
    taken for ground red, points that do not count gray. What is wrong lies over what is right, and
    that over what does not count."""
    row, column = (SIDE // 2 - np.floor(points[:, i].astype(float) * PIXELS_PER_M) - 1
                   for i in range(2))
    outcome = np.where(truth == IGNORED, 0, np.where(truth == GROUND, np.where(ground, 2, 3),
                                                     np.where(ground, 4, 1)))
    within = (row >= 0) & (row < SIDE) & (column >= 0) & (column < SIDE)
    order = np.flatnonzero(within)[np.argsort(outcome[within], kind="stable")]
    picture = np.zeros((SIDE, SIDE, 3), np.uint8)
    colours = [core.lib.stx_colour(meaning) for meaning in MEANINGS]
    table = np.array([[colour.r, colour.g, colour.b] for colour in colours], np.uint8)
    picture[row[order].astype(int), column[order].astype(int)] = table[outcome[order]]
    png.save(path, picture)


def judge(scans, index, options):
    """(row of the report, counts[range]: truly ground and found, missed, wrong, truly other)."""
    name, points, labels = scans.load(index)
    truth, ranges = truth_of(points, labels, options.protocol), ranges_of(points)
    points = moved(points, options.raise_, options.roll, options.pitch)
    if options.labels:
        found = scans.other_labels(index, options.labels, len(points))
        clusters, height, ms = 0, 0., None
    else:
        found, clusters, height, ms = label(points, options)
    ground, none = data.is_ground(found), found & 0xFFFF == 0
    if options.pictures:
        save_picture(data.picture_path(options.pictures, name), points, truth, ground)
    counted = truth != IGNORED
    outcome = np.where(truth == GROUND, np.where(ground, 0, 1), np.where(ground, 2, 3))
    counts = np.bincount(ranges[counted] * 4 + outcome[counted], minlength=4 * (len(RANGES) - 1)
                         ).reshape(-1, 4)
    told = {"name": name, "points": len(points), "ground": int(ground.sum()),
            "obstacles": int((~ground & ~none).sum()), "outside": int((none & ~ground).sum()),
            "ignored": int((~counted).sum()), "clusters": clusters, "height": float(height),
            "ms": ms}
    return {**told, **measures(counts.sum(axis=0))}, counts


# ---- Report -------------------------------------------------------------------------------------

def measures(counts):
    """Precision and the like are % of the points that count."""
    found, missed, wrong, other = map(int, counts)

    def percent(part, whole):
        return 100. * part / whole if whole else None
    return {"precision": percent(found, found + wrong), "recall": percent(found, found + missed),
            "f1": percent(2 * found, 2 * found + wrong + missed),
            "iou": percent(found, found + wrong + missed),
            "counted": found + missed + wrong + other}


def mean(rows, key):
    values = [row[key] for row in rows]
    return None if None in values else sum(value / len(rows) for value in values)


def report_of(scans, options, rows, counts):
    worst = min((row["f1"] for row in rows if row["f1"] is not None), default=None)
    ranges = [{"from": start, **measures(part)} for start, part in zip(RANGES, counts)]
    return {"data": scans.name, "protocol": options.protocol.upper(),
            "implementation": options.labels or core.implementation(
                "stx_ground_impls", c.StxGroundImpl, options.backend).info.name.decode(),
            "scans": rows, "ranges": ranges,
            "total": {"f1_mean": mean(rows, "f1"), "f1_worst": worst,
                      "iou_mean": mean(rows, "iou"), "ms": mean(rows, "ms"),
                      **measures(counts.sum(axis=0))}}


# ---- Command line -------------------------------------------------------------------------------

def parser_of(struct, given):
    parser = Parser(
        "stx-eval lidar", "[FOLDER]", "Measures ground in LiDAR scans.\n\n"
        "FOLDER holds SemanticKITTI's layout: velodyne/*.bin with labels/*.label, itself, in\n"
        "sub-folders or in sequences/. Defaults are those of lidar-ground.")
    parser.flag("street", "the synthetic street, no folder")
    parser.whole("seed", "of the street (1)", 1)
    parser.whole("beams", "of the street's sensor (64)", 64)
    parser.whole("frames", "at most N (0: all; street: 10)")
    parser.text("protocol", "P", "b (default): vegetation is ignored, or a: low vegetation is "
                                 "ground", "b")
    parser.real("raise", "M", "as if the sensor stood so much lower")
    parser.real("roll", "DEG", "tilt the scans about x")
    parser.real("pitch", "DEG", "tilt the scans about y")
    parser.text("pictures", "DIR", "write a picture of each scan from above there: ground found "
                                   "green, missed blue, false red")
    parser.text("labels", "DIR", "judge another program: DIR/SEQUENCE/NAME.label for "
                                 "SEQUENCE/velodyne/NAME.bin")
    parser.text("backend", "B", "auto or omp", "auto")
    parser.whole("repeat", "runs per scan; the fastest counts", 1)
    parser.group("ground", "the ground segmentation",
                 ("stx_ground_fields", struct, given))
    return parser


def main(arguments):
    struct, given = core.defaults("stx_ground_fields", c.StxGroundParams), {}
    options = parser_of(struct, given).parse(arguments)
    options.ground, options.raise_ = given, getattr(options, "raise")
    check_folder(options)
    if options.street and options.labels:
        raise Refused("--labels needs a folder of scans, not --street")
    choose("backend", options.backend, BACKENDS)
    choose("protocol", options.protocol, PROTOCOLS)
    at_least(1, repeat=options.repeat)
    core.checked(core.lib.stx_ground_check, core.byref(struct))
    scans = (Street(options.seed, options.beams, options.frames or 10) if options.street
             else Folder(options.rest[0]))
    found = [judge(scans, i, options) for i in range(min(options.frames or scans.count,
                                                         scans.count))]
    root = report_of(scans, options, [row for row, _ in found], sum(part for _, part in found))
    report.tell(root, options.json)
