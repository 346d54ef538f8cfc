# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stixels as users see them: beside the points of a labelled scan, and in the sky."""
import numpy as np

import data
import png
import report
import stixels

NEAR = 100.  # m
FAR_OFF = .1  # share of the distance that is an error
BINS = 1001  # of a distance's error: steps of .1 % or 1 cm, and what is more
SKY_LABEL = 10  # Cityscapes' train id

# A sky without labels: gray levels that it has at least, and spans at most within 5 × 5 pixels.
SKY_BRIGHT, SKY_SPAN, SKY_RADIUS = 150, 16, 2

KINDS = {"ground": stixels.GROUND, "object": stixels.OBJECT, "sky": stixels.SKY}
POINT_KINDS = ("ground", "object")  # no point of a scan is sky
QUANTILES = (("distance_median", 0, .5, 1000), ("distance_90", 0, .9, 1000),
             ("metres_median", 1, .5, 100), ("metres_90", 1, .9, 100))

SKY_COLOURS = np.array([[60, 110, 230], [230, 50, 40], [240, 160, 30]])  # as sky, near, far
MISSED = np.array([[230, 40, 200], [250, 230, 40]])  # ground, object
RIGHT = np.array([[40, 130, 50], [90, 200, 220]])
FAR_OFF_COLOUR = np.array([255, 120, 0])


def extremes(image, radius):
    """The least and the greatest value up to a radius away, both ways."""
    return [data.spread(data.spread(image, radius, 1, extreme), radius, 0, extreme)
            for extreme in (np.minimum, np.maximum)]


# ---- Sky ----------------------------------------------------------------------------------------

def _along(row, reached):
    """The pixels of a row's runs that were reached somewhere."""
    runs = np.cumsum(~row)
    hit = np.zeros(runs[-1] + 1, bool)
    hit[runs[reached]] = True
    return row & hit[runs]


def connected_to_top(mask):
    """Pixels that are connected to the top edge, through neighbours beside and above them."""
    found, before = np.zeros_like(mask), -1
    found[0] = mask[0]
    while (count := np.count_nonzero(found)) != before:
        before = count
        for order in (range(1, len(mask)), range(len(mask) - 2, -1, -1)):
            step = 1 if order.step > 0 else -1
            for y in order:
                new = mask[y] & found[y - step] & ~found[y]
                if new.any():
                    found[y] = _along(mask[y], new | found[y])
    return found


def find_sky(frame):
    if frame.masks is not None:
        return frame.masks == data.SKY
    if frame.labels is not None:
        return frame.labels == SKY_LABEL
    least, greatest = extremes(frame.left, SKY_RADIUS)
    return connected_to_top((frame.left >= SKY_BRIGHT) & (greatest - least <= SKY_SPAN))


def sky_seen_as(frame, kinds, disparity):
    """0: as sky, 1: as what is near, 2: as what is far."""
    near = (frame.camera.focal or 0) * (frame.camera.baseline or 0) / NEAR * 256
    is_near = (disparity > 0) & (disparity >= near) & (near > 0)
    return np.where(kinds == stixels.SKY, 0, np.where(is_near, 1, 2))


# ---- Counts -------------------------------------------------------------------------------------

def distance_errors(points, disparity):
    """|distance / true distance − 1|; what is unknown is infinitely wrong."""
    at = disparity[points["y"], points["x"]].astype(float)
    with np.errstate(divide="ignore"):
        return np.abs(points["disparity"].astype(float) * 256 / at - 1)


class Seen:
    """points[is it an object, seen as, range]; errors[share or length, range, bin]."""

    def __init__(self, frame, kinds, disparity):
        self.points = np.zeros((2, stixels.SKY + 1, len(data.RANGES)), np.int64)
        self.errors = np.zeros((2, len(data.RANGES), BINS), np.int64)
        if frame.points is not None:
            self._add_points(frame.points, kinds, disparity)
        sky = find_sky(frame)
        seen = np.bincount(sky_seen_as(frame, kinds[sky], disparity[sky]), minlength=3)
        wall = kinds[frame.masks == data.WALL] if frame.masks is not None else kinds[:0]
        self.counts = np.array([seen.sum(), seen[0], seen[1], wall.size,
                                np.count_nonzero(wall == stixels.SKY)])

    def _add_points(self, points, kinds, disparity):
        ranges = data.range_of(points["depth"])
        as_kind = kinds[points["y"], points["x"]]
        np.add.at(self.points, ((points["kind"] == stixels.OBJECT).astype(int), as_kind, ranges), 1)
        errors = distance_errors(points, disparity)
        for i, steps in enumerate((errors * 1000, errors * points["depth"].astype(float) * 100)):
            bins = np.minimum(steps, BINS - 1).astype(int)
            self.errors[i] += np.bincount(ranges * BINS + bins, minlength=self.errors[i].size
                                          ).reshape(self.errors[i].shape)

    def __add__(self, other):
        found = object.__new__(Seen)
        for name in ("points", "errors", "counts"):
            setattr(found, name, getattr(self, name) + getattr(other, name))
        return found

    def _points_json(self, ranges=slice(None)):
        """Returns the results for the points of some ranges."""
        points = self.points[:, :, ranges].sum(axis=2)
        errors = self.errors[:, ranges].sum(axis=1)
        everything = int(points.sum())
        root = {"points": everything}
        for i, name in enumerate(POINT_KINDS):
            root[f"{name}_as_{name}"] = report.share(int(points[i, KINDS[name]]),
                                                     int(points[i].sum()))
        for key, which, part, scale in QUANTILES:
            root[key] = _quantile(errors[which], part) / scale if everything else None
        root["distance_far_off"] = report.share(int(errors[0, int(FAR_OFF * 1000):].sum()),
                                                everything)
        return root

    def json(self):
        root = self._points_json()
        root["ranges"] = [{**self._points_json(slice(i, i + 1)), "from": start}
                          for i, start in enumerate(data.RANGES)]
        points = self.points.sum(axis=2)
        root["kinds"] = {name: {seen: report.share(int(points[i, kind]), int(points[i].sum()))
                                for seen, kind in KINDS.items()}
                         for i, name in enumerate(POINT_KINDS)}
        sky, as_sky, as_near, wall, wall_as_sky = map(int, self.counts)
        root.update(sky=sky, sky_as_sky=report.share(as_sky, sky),
                    sky_as_near=report.share(as_near, sky), wall=wall,
                    wall_as_sky=report.share(wall_as_sky, wall))
        return root


def _quantile(bins, part):
    """The middle of the bin where a share of the points ends; the last bin has no middle."""
    total = bins.sum()
    after = total - np.cumsum(bins)  # points beyond each bin
    beyond = np.flatnonzero(after[:-1] <= (1 - part) * total)
    return beyond[0] + .5 if beyond.size else BINS - 1


# ---- The picture --------------------------------------------------------------------------------

def save_picture(path, frame, kinds, disparity):
    gray = np.repeat(frame.left[:, :, None].astype(int), 3, axis=2)
    sky, colours = find_sky(frame), gray.copy()
    colours[sky] = SKY_COLOURS[sky_seen_as(frame, kinds[sky], disparity[sky])]
    picture = ((gray + colours) // 2).astype(np.uint8)
    points = frame.points if frame.points is not None else np.empty(0, data.POINT)
    group = (points["kind"] == stixels.OBJECT).astype(int)
    right = kinds[points["y"], points["x"]] == points["kind"]
    far_off = distance_errors(points, disparity) > FAR_OFF
    colours = np.where(right[:, None], np.where(far_off[:, None], FAR_OFF_COLOUR, RIGHT[group]),
                       MISSED[group])
    for x, y, colour in zip(points["x"], points["y"], colours):
        picture[max(y - 1, 0):y + 1, max(x - 1, 0):x + 1] = colour
    png.save(path, picture)
