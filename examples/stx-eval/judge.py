# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which obstacles are which objects of the synthetic street, as a camera or a LiDAR sees it."""
import math
import sys

import numpy as np

import data
import report
import stixels
from motion import difference
from speeds import LATERAL, Speeds, over_ground
from stixels import _c as c

NONE, GROUND, OTHER, VEHICLE, PERSON = range(5)  # what a sample shows
THINGS = {VEHICLE: "vehicles", PERSON: "people"}
COLUMNS, ROWS = 2, 4  # pixels from one sample to the next
BINS = 1001  # of distances: steps of .1 %, and what is more
DEPTH_BINS = 1000  # of .1 m
BELOW = 4  # samples one below the other: 16 pixels
OVERLAP = .5  # intersection over union of what is found with what is there
DEPTH_OFF = np.float32(.1)  # of the depth: where something stands is there
FORGOTTEN, SPEED_AFTER = 1., 1.  # s: an id is not asked for any more; a speed should be right
MOVES, STANDS, NEARS = 1., .3, 1.  # m/s over ground; what comes nearer so fast has a contact
MIXED = .2  # of an obstacle's samples: it is not only what stands
STATES = {c.STX_MOVES_NOT: "standing", c.STX_MOVES_ON: "moving", c.STX_MOVES_ONCOMING: "oncoming"}

OF_LABEL = np.full(256, OTHER)
OF_LABEL[[c.STX_SCENE_ROAD, c.STX_SCENE_SIDEWALK, c.STX_SCENE_TERRAIN]] = GROUND
OF_LABEL[[c.STX_SCENE_CAR, c.STX_SCENE_TRUCK, c.STX_SCENE_BUS]] = VEHICLE
OF_LABEL[c.STX_SCENE_PERSON], OF_LABEL[c.STX_SCENE_SKY] = PERSON, NONE


class Truth:
    """Samples, column by column, each from the top; of a scan one for each point, in one row: what
    it shows, its object's number, metres along the optical axis (of a scan the range), whether the
    right camera shows it, too, if nothing hides it there, and its speed over ground."""

    def __init__(self, thing, instance, z, seen, speed, down):
        self.thing, self.instance, self.z = thing.ravel(), instance.ravel(), z.ravel()
        self.seen, self.speed, self.down = seen.ravel(), speed.reshape(-1, 2), down
        self.column = np.arange(self.thing.size) // down
        self.across = -(-self.thing.size // down)


def truth_of_picture(street):
    """Labels and disparities of all pixels are quick; objects are asked for where they are."""
    disparity, labels = (whole[::ROWS, ::COLUMNS].T for whole in street.truth())
    scale = street.camera.focal * street.camera.baseline
    with np.errstate(divide="ignore"):
        z = scale * 256 / disparity.astype(float)
    thing = OF_LABEL[labels]
    instance, speed = np.zeros(thing.shape, int), np.zeros((*thing.shape, 2), np.float32)
    x, y = np.nonzero(thing >= VEHICLE)
    hits = street.hits(np.stack([x * COLUMNS, y * ROWS], axis=1).astype(float))
    z[x, y], instance[x, y], speed[x, y] = hits["t"], hits["instance"], hits["speed"]
    seen = np.arange(len(thing))[:, None] * COLUMNS >= scale / z
    return Truth(thing, instance, z.astype(np.float32), seen, speed, thing.shape[1])


def truth_of_scan(points, labels):
    kind = labels & 0xFFFF
    thing = np.where(data.is_ground(labels), GROUND, OTHER)
    thing[np.isin(kind, (c.STX_SCENE_POINT_CAR, c.STX_SCENE_POINT_BUS,
                         c.STX_SCENE_POINT_TRUCK))] = VEHICLE
    thing[kind == c.STX_SCENE_POINT_PERSON] = PERSON
    return Truth(thing, labels >> 16, np.hypot(points[:, 0], points[:, 1]),
                 np.ones(len(points), bool), np.zeros((len(points), 2), np.float32), 1)


class Samples:
    """For every sample: the place of its obstacle, or NO_OBSTACLE; the object stixel that it lies
    in, or -1; and the distance that its stixel has."""

    def __init__(self, frame, members, truth):
        self.index = np.full((truth.across, truth.down), -1)
        wide, records = frame.stixel_width // COLUMNS, frame.records
        top, bottom = -(-records["top"].astype(int) // ROWS), records["bottom"] // ROWS
        column = records["column"].astype(int) * wide
        for i, place in enumerate(zip(column, column + wide, top, bottom + 1)):
            self.index[place[0]:place[1], place[2]:place[3]] = i
        index = self.index.ravel()
        outside = index < 0
        with np.errstate(divide="ignore"):
            depths = (frame.camera.focal * frame.camera.baseline
                      / records["disparity_bottom"].astype(float)).astype(np.float32)
        self.members = np.where(outside, stixels.NO_OBSTACLE, members[index])
        self.pieces = np.where(outside | (records["kind"][index] != stixels.OBJECT), -1, index)
        self.depths = np.where(outside, np.float32(0), depths[index])


class Points:
    """The same of a scan, whose points are pieces of their own."""
    pieces = None

    def __init__(self, members, truth):
        self.members, self.depths = members, truth.z


# ---- Scores -------------------------------------------------------------------------------------

class Score:
    """The score of vehicles or people. Everything adds up."""

    def __init__(self):
        self.counted = self.found = self.possible = self.again = self.kept = 0
        self.speeds, self.speed_error = 0, 0.
        self.moving = self.said = self.contacts = 0
        self.errors, self.moving_errors, self.contact_errors = np.zeros((3, BINS), int)

    def __add__(self, other):
        both = Score()
        for name, value in vars(self).items():
            setattr(both, name, value + getattr(other, name))
        return both

    @staticmethod
    def _quantile(errors, part, steps):
        """Returns that of errors counted in so many steps to one; None of none."""
        place = report.quantile(errors, part)
        return None if place is None else (place + 1) / steps

    def json(self):
        share, quantile = report.share, self._quantile
        middle = (np.arange(BINS) + .5) / 1000
        return {
            "counted": self.counted, "recall": share(self.found, self.counted),
            "possible": share(self.possible, self.counted),
            "id_kept": share(self.kept, self.again), "id_changes": self.again - self.kept,
            "distance_median": quantile(self.errors, .5, 1000),
            "distance_mean": share(float((middle * self.errors).sum()), self.found),
            "distance_9_in_10": quantile(self.errors, .9, 1000),
            "distance_within_3_percent": share(int(self.errors[:30].sum()), self.found),
            "speed_error": share(self.speed_error, self.speeds), "moving": self.moving,
            "moving_said": share(self.said, self.moving),
            "moving_speed_median": quantile(self.moving_errors, .5, 100),
            "moving_speed_9_in_10": quantile(self.moving_errors, .9, 100),
            "contacts": self.contacts,
            "contact_median": quantile(self.contact_errors, .5, 1000)}


class Scores:
    """The scores of all frames; ghosts: obstacles where nothing stands; parts: obstacles on objects
    that count, but not the one that is matched with the object."""

    def __init__(self):
        self.frames = self.obstacles = self.ghosts = self.parts = self.motions = 0
        self.ms, self.motion_error = 0., np.zeros(2)
        self.thing = {thing: Score() for thing in THINGS}
        self.standing = Speeds()
        self.state = {state: np.zeros(3, int) for state in STATES}  # all, said, right

    def add_motion(self, found, truth):
        if found.motion is not None:
            turn, shift = difference(found.motion, truth.motion)
            self.motions += 1
            self.motion_error += [(turn ** 2).sum(), (shift ** 2).sum()]

    def _motion_json(self):
        turn, shift = (math.sqrt(error / self.motions) if self.motions else None
                       for error in self.motion_error)
        states = {STATES[state]: {"all": int(every), "said": report.share(int(said), int(every)),
                                  "right": report.share(int(right), int(said))}
                  for state, (every, said, right) in self.state.items()}
        return {"speeds": self.standing.json("all"), "states": states, "motions": self.motions,
                "turn_error": None if turn is None else turn * 180 / math.pi, "shift_error": shift}

    def json(self, name):
        wrong, total = self.ghosts + self.parts, self.thing[VEHICLE] + self.thing[PERSON]
        return {"data": name, "frames": self.frames, "obstacles": self.obstacles,
                "ghosts": self.ghosts, "parts": self.parts,
                "precision": 1 - wrong / self.obstacles if self.obstacles else None,
                "strict_precision": report.share(total.found, total.found + wrong),
                "ms": report.share(self.ms, self.frames),
                **{THINGS[thing]: score.json() for thing, score in self.thing.items()},
                "all": total.json(), "motion": self._motion_json()}


# ---- The judge ----------------------------------------------------------------------------------

class Object:
    """An object in this frame; z: a tenth of what is seen of it is nearer; obstacle: that is it."""

    def __init__(self, key, speed, samples, seen, across, depths):
        self.thing, self.instance, self.speed = key >> 16, key & 0xFFFF, speed
        self.samples, self.across, self.most_seen = samples, across, 2 * seen >= samples
        behind = np.flatnonzero(np.cumsum(depths)[:-1] * 10 > samples)
        face = behind[0] if behind.size else DEPTH_BINS - 1
        self.z = np.float32(.1) * (np.float32(face) + np.float32(.5))
        self.obstacle, self.counts = None, False


class Judge:
    """Judges the frames of one stream. Objects count from `nearest` to `farthest` metres, with so
    many samples that both cameras see, in so many columns that have some of them one below the
    other; `pixel`: by how much 1/z may be off where something stands, 1/m."""

    def __init__(self, scores, log, farthest=40., nearest=4., samples=30, across=0, pixel=0.):
        self.scores, self._log, self._known = scores, log, {}
        self._nearest, self._farthest, self._pixel = nearest, farthest, pixel
        self._samples, self._across, self._last = samples, across, 0.

    def _say(self, text):
        if self._log:
            print(f"frame {self.scores.frames}: {text}", file=sys.stderr)

    def _say_of(self, o, what):
        self._say(f"{'person' if o.thing == PERSON else 'vehicle'} {o.instance} at {o.z:.1f} m, "
                  f"{o.samples} samples in {o.across} columns, {what}")

    # ---- What there is

    def _find_objects(self, truth):
        """(objects as they appear, of every sample its object's place or -1)."""
        at = np.flatnonzero(truth.thing >= VEHICLE)
        keys = truth.thing[at].astype(int) << 16 | truth.instance[at].astype(int)
        unique, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), int)
        rank[order] = np.arange(len(order))
        of, count, z = rank[inverse], len(order), truth.z[at]
        samples = np.bincount(of, minlength=count)
        seen = np.bincount(of[truth.seen[at]], minlength=count)
        bins = np.where(z < np.float32(.1) * DEPTH_BINS, z * np.float32(10), DEPTH_BINS - 1)
        depths = np.bincount(of * DEPTH_BINS + bins.astype(int), minlength=count * DEPTH_BINS
                             ).reshape(count, -1)
        columns, sizes = np.unique(of * truth.across + truth.column[at], return_counts=True)
        across = np.bincount(columns[sizes >= BELOW] // truth.across, minlength=count)
        objects = [Object(int(unique[k]), truth.speed[at[first[k]]], int(samples[i]), int(seen[i]),
                          int(across[i]), depths[i]) for i, k in enumerate(order)]
        for o in objects:
            o.counts = (self._nearest <= o.z <= self._farthest and o.samples >= self._samples
                        and o.across >= self._across and o.most_seen)
        of_sample = np.full(truth.thing.size, -1)
        of_sample[at] = of
        return objects, of_sample

    def _stand(self, truth, depths):
        """Where something stands at that distance."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return (truth.thing >= OTHER) & (
                (np.abs(truth.z - depths) <= DEPTH_OFF * truth.z)
                | (np.abs(1 / truth.z.astype(float) - 1 / depths.astype(float)) <= self._pixel))

    def _claim(self, truth, samples, objects, of_sample, count):
        """Counts for every obstacle: its samples, those that move, its columns, those of them in
        which something stands, and the samples that it shares with each object."""
        at = np.flatnonzero(samples.members != stixels.NO_OBSTACLE)
        of = samples.members[at].astype(int)
        speed = np.hypot(truth.speed[at, 0], truth.speed[at, 1]) >= np.float32(STANDS)
        column = of * truth.across + truth.column[at]
        stands = self._stand(truth, samples.depths)[at]
        self._size, self._moving, self._wide, self._standing = (
            np.bincount(places, minlength=count) for places in (
                of, of[speed], np.unique(column) // truth.across,
                np.unique(column[stands]) // truth.across))
        own = of_sample[at]
        self._shared = np.bincount(
            of[own >= 0] * len(objects) + own[own >= 0], minlength=count * len(objects)
        ).reshape(count, len(objects))

    def _count_possible(self, samples, objects, of_sample):
        """Is there a choice of pieces that would be found? It shares more than OVERLAP of the union
        if what it shares, less OVERLAP times what it has besides, is more than OVERLAP times the
        object: the best choice takes every piece that adds to that."""
        if samples.pieces is not None and objects:
            inside = samples.pieces >= 0
            sizes = np.bincount(samples.pieces[inside])
            both = inside & (of_sample >= 0)
            shares = np.bincount(of_sample[both] * len(sizes) + samples.pieces[both],
                                 minlength=len(objects) * len(sizes)).reshape(len(objects), -1)
            best = np.maximum(0, shares - OVERLAP * (sizes - shares)).sum(axis=1)
        for k, o in enumerate(objects):
            if o.counts:
                self.scores.thing[o.thing].possible += int(
                    samples.pieces is None or best[k] > OVERLAP * o.samples)

    # ---- What was found

    @staticmethod
    def _distance(record):
        """As far away as the truth counts it: ahead, of a scan the range."""
        if record["source"] == c.STX_OBSTACLE_LIDAR:
            return math.hypot(record["x"], record["z"])
        return float(record["z"])

    def _count_state(self, found, place, truth):
        if (found.velocities is None or truth == c.STX_MOVES_UNKNOWN
                or found.records[place]["age"] == 0):
            return
        said = found.velocities[place]["moves"]
        self.scores.state[truth] += [1, said != c.STX_MOVES_UNKNOWN, said == truth]

    def _count_moving(self, o, record, score):
        if np.hypot(*o.speed) < np.float32(MOVES):
            return
        back, right = over_ground(self._motion, self._dt, record)
        off = math.hypot(right - float(o.speed[0]), -back - float(o.speed[1]))
        score.moving += 1
        if math.isnan(off):
            return
        score.said += 1
        score.moving_errors[bin_of(off * 100)] += 1
        if off > 1.5:
            self._say_of(o, f"id {record['id']}: goes {right:.1f} {-back:.1f} and not "
                            f"{o.speed[0]:.1f} {o.speed[1]:.1f} m/s")

    def _count_contact(self, o, record, velocity, score):
        """As if it went on as it does: the truth of that."""
        still = record.copy()
        still["closing_speed"] = still["lateral_speed"] = 0
        closing = -over_ground(self._motion, self._dt, still)[0] - float(o.speed[1])
        if velocity is not None:
            said = float(velocity["contact"])
        else:
            nearing = record["closing_speed"] > 0
            said = float(record["z"] / record["closing_speed"]) if nearing else math.nan
        if closing >= NEARS and math.isfinite(said):
            score.contacts += 1
            score.contact_errors[bin_of(abs(said / (float(o.z) / closing) - 1) * 1000)] += 1

    def _count_speed(self, known, o, record, velocity, seconds, score):
        _, since, last_time, last_z = known
        if (seconds - since < SPEED_AFTER or record["flags"] & c.STX_OBSTACLE_CUT
                or record["source"] == c.STX_OBSTACLE_LIDAR):
            return
        self._count_moving(o, record, score)
        self._count_contact(o, record, velocity, score)
        if math.isfinite(record["closing_speed"]):
            score.speeds += 1
            score.speed_error += abs((last_z - float(o.z)) / (seconds - last_time)
                                     - float(record["closing_speed"]))

    def _count_found(self, o, found, seconds):
        record, score, key = found.records[o.obstacle], self.scores.thing[o.thing], (o.thing,
                                                                                     o.instance)
        off = abs(self._distance(record) - float(o.z)) / float(o.z) * 1000
        score.errors[bin_of(off)] += 1
        score.found += 1
        known, since = self._known.get(key), seconds
        if known and known[0] > 0 and seconds - known[2] < FORGOTTEN:
            since = known[1]
            score.again += 1
            score.kept += int(known[0] == record["id"])
            if known[0] != record["id"]:
                self._say_of(o, "has another id")
            velocity = None if found.velocities is None else found.velocities[o.obstacle]
            self._count_speed(known, o, record, velocity, seconds, score)
        self._known[key] = int(record["id"]), since, seconds, float(o.z)

    def _count_standing(self, found, place):
        """The speed over ground of an obstacle that stands: it should be 0."""
        record = found.records[place]
        if (record["source"] == c.STX_OBSTACLE_LIDAR or self._motion is None
                or self._moving[place] > MIXED * self._size[place]):
            return
        speed = over_ground(self._motion, self._dt, record)
        self._count_state(found, place, c.STX_MOVES_NOT)
        if self.scores.standing.add(speed):
            self._say(f"obstacle {record['id']} of age {record['age']} at {record['z']:.1f} m, "
                      f"columns {record['first_column']} to {record['last_column']}, stands, but "
                      f"goes {speed[LATERAL]:.1f} {-speed[0]:.1f} m/s")

    def _is_part(self, objects, p):
        """Is it mostly of an object that counts, or of several, without being one of them?"""
        if any(o.obstacle == p for o in objects):
            return False
        shared = [(int(both), o) for both, o in zip(self._shared[p], objects) if o.counts]
        return (any(both > .5 * self._size[p] for both, _ in shared)
                or sum(both > .5 * o.samples for both, o in shared) > 1)

    def _count_obstacles(self, found, objects):
        scores = self.scores
        for p, record in enumerate(found.records):
            distance = self._distance(record)
            if distance > self._farthest:
                continue
            ghost = self._standing[p] < .5 * self._wide[p]
            part = not ghost and self._is_part(objects, p)
            scores.obstacles += 1
            scores.ghosts += int(ghost)
            scores.parts += int(part)
            if not ghost:
                self._count_standing(found, p)
            if ghost or part:
                self._say(f"obstacle {record['id']} at {distance:.1f} m, columns "
                          f"{record['first_column']} to {record['last_column']}, is "
                          f"{'nothing' if ghost else 'a part'}")

    def __call__(self, truth, samples, found, seconds, motion):
        """Adds a frame; motion: the camera's, by the truth."""
        self._motion, self._dt, self._last = motion, seconds - self._last, seconds
        objects, of_sample = self._find_objects(truth)
        self._claim(truth, samples, objects, of_sample, len(found))
        self._count_possible(samples, objects, of_sample)
        sizes = np.array([o.samples for o in objects])
        # More than half of a union is shared with one obstacle at most, and one object.
        for p, k in zip(*np.nonzero(self._shared > OVERLAP * (
                sizes + self._size[:, None] - self._shared))):
            objects[k].obstacle = int(p)
        for o in objects:
            if not o.counts:
                continue
            self.scores.thing[o.thing].counted += 1
            if o.obstacle is None:
                self._say_of(o, "is missed")
                continue
            self._count_found(o, found, seconds)
            if state_of(o.speed) != c.STX_MOVES_NOT:
                self._count_state(found, o.obstacle, state_of(o.speed))
        self._count_obstacles(found, objects)
        self.scores.frames += 1


def bin_of(steps):
    return int(min(steps, BINS - 1))


def state_of(speed):
    """By the truth: it stands, moves or comes on; unknown in between."""
    over = math.hypot(speed[0], speed[1])
    if over < STANDS:
        return c.STX_MOVES_NOT
    if over < MOVES or abs(float(speed[1]) + MOVES) < STANDS:
        return c.STX_MOVES_UNKNOWN
    return c.STX_MOVES_ONCOMING if -speed[1] > np.float32(MOVES) else c.STX_MOVES_ON
