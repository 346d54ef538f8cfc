# SPDX-License-Identifier: LGPL-2.1-or-later
"""Obstacles of a real street beside what the camera's own motion and a labelled scan say."""
import dataclasses
import math
import sys

import numpy as np

import data
import report
from data import is_road, range_of
from speeds import LATERAL, WIDE, Speeds, over_ground
from stixels import _c as c

LIFE_FRAMES = 10  # in which lives are counted: from each tenth frame anew
STAY_FRAMES = 7  # in which an id should be seen
VIEW = 1, 50  # m: what is nearer has left the view, what is farther comes and goes with the noise
MOVES = 250  # labels above it are of what moves
LEAST_POINTS, THING_POINTS = 5, 30  # that an obstacle has a label; that a thing counts
THING_VIEW = 4, 40  # m
THINGS = 10, 32  # labels of vehicles and people
DEPTH_OFF = .1  # of the depth: it is the same thing


@dataclasses.dataclass
class Life:
    """An id in all frames: in how many it was seen, the number of the last, and where, of its
    middle; left: it was out of view when it was not seen any more."""
    frames: int = 0
    last: int = 0
    place: tuple = (0, 0, 0)
    left: bool = False


class Judge:
    def __init__(self, log):
        self._log, self.frames, self.labelled = log, 0, False
        self.obstacles = self.moving = self.things = self.found = self.on_road = 0
        self.stixels = self.known = self.wrong = 0
        self.ms, self.speeds = 0., [Speeds() for _ in data.RANGES]
        self._lives, self._ended, self._whole = {}, [], {}

    # ---- Lives

    def _end_lives(self):
        self._ended += self._lives.values()
        self._lives = {}

    def _live_on(self, record):
        id_, life = int(record["id"]), self._whole.setdefault(int(record["id"]), Life())
        self._lives[id_] = self._lives.get(id_, 0) + 1
        life.frames, life.last, life.left = life.frames + 1, self.frames, False
        life.place = (float(record["x"]), float(record["y"]) - .5 * float(record["height"]),
                      float(record["z"]))

    def _look_for_the_lost(self, frame, motion):
        """Would things that were seen a frame ago and are not now be in view, if they stood?"""
        for life in self._whole.values():
            if life.last + 1 != self.frames:
                continue
            x, z = 0., 0.
            if motion.motion is not None:
                r, t = motion.motion.rotation, motion.motion.translation
                x, z = (r[i, 0] * life.place[0] + r[i, 1] * life.place[1] + r[i, 2] * life.place[2]
                        + t[i] for i in (0, 2))
            u = frame.camera.focal * x / z + frame.camera.cx if z else math.nan
            life.left = z < VIEW[0] or z > VIEW[1] or u < 0 or u >= frame.size[0]

    def _stay(self):
        """The share of ids that are seen in STAY_FRAMES or more (E. L. Kaplan, P. Meier, 1958): one
        that is seen to the end of the sequence or left the view counts only for the frames that it
        was seen in."""
        share, lives = 1., self._whole.values()
        for frames in range(1, STAY_FRAMES):
            there = sum(life.frames >= frames for life in lives)
            ended = sum(life.frames == frames and not life.left and life.last < self.frames
                        for life in lives)
            share *= 1 - ended / there if there else math.nan
        return share

    # ---- What the scan says

    @staticmethod
    def _inside(points, record):
        return ((points["x"] >= record["left"]) & (points["x"] <= record["right"])
                & (points["y"] >= record["top"]) & (points["y"] <= record["bottom"]))

    def _judge_things(self, points, records):
        """Labelled things that stand, and whether most of their points are in obstacles."""
        kind = points["label"] & 0xFFFF
        points = points[(kind >= THINGS[0]) & (kind <= THINGS[1]) & (points["label"] >> 16 > 0)]
        depth, in_some = points["depth"].astype(float), np.zeros(len(points), bool)
        off = DEPTH_OFF * depth + .5
        for record in records:
            in_some |= (self._inside(points, record) & (depth > float(record["z"]) - off)
                        & (depth < float(record["z"] + record["depth"]) + off))
        for label in np.unique(points["label"]):
            those = points["label"] == label
            count, mean = int(those.sum()), depth[those].cumsum()[-1] / those.sum()
            if count >= THING_POINTS and THING_VIEW[0] <= mean <= THING_VIEW[1]:
                self.things += 1
                self.found += int(2 * in_some[those].sum() > count)

    # ---- A frame

    def _judge_speed(self, frame, motion, dt, record):
        off = over_ground(motion, dt, record)
        wrong = self.speeds[int(range_of(float(record["z"])))].add(off)
        if wrong and self._log:
            cut = ", cut off" if record["flags"] & c.STX_OBSTACLE_CUT else ""
            print(f"frame {frame.name}: obstacle {record['id']} of age {record['age']} at "
                  f"{record['z']:.1f} m, {record['x']:.1f} m aside, columns "
                  f"{record['first_column']} to {record['last_column']}{cut}: stands, but goes "
                  f"{off[0]:.1f} m/s back and {off[LATERAL]:.1f} m/s to the right", file=sys.stderr)

    def _judge_obstacle(self, frame, motion, dt, found, place):
        record = found.records[place]
        if record["id"] > 0:
            self._live_on(record)
        judged, moves = True, False
        if frame.points is not None:
            labels = frame.points["label"][self._inside(frame.points, record)]
            judged = len(labels) >= LEAST_POINTS
            moves = 2 * np.count_nonzero((labels & 0xFFFF) > MOVES) > len(labels)
            self.moving += int(judged and moves)
            self.on_road += int(judged and 2 * np.count_nonzero(is_road(labels)) > len(labels))
        if not judged or moves or motion.motion is None or not dt > 0:
            return
        self._judge_speed(frame, motion.motion, dt, record)
        if found.stixel_velocities is not None:  # standing things have no speed over ground
            own = found.stixel_velocities[found.members[:len(found.stixel_velocities)] == place]
            self.stixels += len(own)
            self.known += int(np.isfinite(own["x"] + own["z"]).sum())
            self.wrong += int(((np.abs(own["x"]) > WIDE) | (np.abs(own["z"]) > WIDE)).sum())

    def __call__(self, frame, motion, dt, found):
        """motion of the frame: what stands has its speed, over `dt` seconds."""
        if self.frames % LIFE_FRAMES == 0:
            self._end_lives()
        self.frames += 1
        self.obstacles += len(found)
        self.labelled = frame.points is not None
        for place in range(len(found)):
            self._judge_obstacle(frame, motion, dt, found, place)
        self._look_for_the_lost(frame, motion)
        if self.labelled:
            self._judge_things(frame.points, found.records)

    # ---- Report

    @staticmethod
    def _median(lives, weighed):
        """Returns the median of the lives, each counted once or, if `weighed`, once per frame."""
        weights = [life if weighed else 1 for life in lives]
        for life, below in zip(lives, np.cumsum(weights)):
            if 2 * below >= sum(weights):
                return float(life)
        return None

    def json(self, name):
        self._end_lives()
        lives = sorted(self._ended)
        edges = data.RANGES
        names = [*(f"{low:g}-{high:g} m" for low, high in zip(edges, edges[1:])),
                 f"> {edges[-1]:g} m"]
        rows = [speeds.json(name) for speeds, name in zip(self.speeds, names)]
        rows.append(sum(self.speeds, Speeds()).json("all"))
        return {"data": name, "frames": self.frames, "labelled": self.labelled,
                "obstacles": self.obstacles, "moving": self.moving, "on_road": self.on_road,
                "things": self.things, "recall": report.share(self.found, self.things),
                "ids": len(lives), "life": self._median(lives, False),
                "life_of_most": self._median(lives, True), "stay": report.known(self._stay()),
                "stixels_known": report.share(self.known, self.stixels),
                "stixels_off_1_5": report.share(self.wrong, self.known),
                "ms": report.share(self.ms, self.frames), "speeds": rows}
