# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-eval hazards: what is found of the small things and holes of the synthetic street, and what
is told in the lane of real frames, where as a rule there is nothing. The camera's motion between
the frames is estimated, as it is for the element behind stereo-sgm motion=true."""
import os
import pathlib
import sys

import numpy as np

import data
import png
import report
import stixels
from options import BACKENDS, Parser, Refused, Settings, at_least, choose, size
from stixels import _c as c
from stixels import _core as core

METRES_PER_SECOND = 15.
RANGES = (5., 10., 15., 20.)  # m: from each to the next
SIZES = (5, 10, 20, 30, -10, -20, -30)  # cm: heights of things, then depths of holes
BINS = 1001  # of an error: mm; cm of a distance; and what is more
SAMPLES = 5  # across a thing's front
OFF_X, OFF_Z = .25, .6  # m by which a record may lie beside it, and before or behind it
SOONEST = 4.  # m: what is nearer is partly below the picture


# ---- What the street has ------------------------------------------------------------------------

class Thing:
    def __init__(self, hazard, street):
        self._street = street
        self.kind, self.x, self.z = int(hazard["thing"]), float(hazard["x"]), float(hazard["z"])
        self.width, self.length, self.height = (float(hazard[name]) for name in (
            "width", "length", "height"))
        self.is_pit = self.kind == c.STX_SCENE_PIT
        half = .5 * self.length
        if self.kind in (c.STX_SCENE_BOX, c.STX_SCENE_PALLET):
            half += .5 * abs(float(hazard["turn"])) * self.width
        # The middle of its front, or of the wall of a hole that is seen, which is the farther one.
        self._face = self.z + (half if self.is_pit else -half)
        self.near = self.z - .5 * self.length if self.is_pit else self._face

    def in_sight(self):
        """Rays to its front, half way up, meet nothing before it."""
        z, eye, seen = self._face, self._street.camera.height, 0
        y = self._street.road(z) + .5 * self.height
        for i in range(SAMPLES):
            x = self.x + ((i + .5) / SAMPLES - .5) * .8 * self.width
            t = float(self._street.cast((0, eye, 0), (x, y - eye, z))["t"])
            seen += z - .8 < t * z < z + .8
        return 2 * seen > SAMPLES

    def has(self, record, more):
        """Is the record there? What half a pixel of disparity is counts, too."""
        camera, z, far = self._street.camera, float(record["z"]), self.z + .5 * self.length
        off = OFF_Z + .5 * self.z * self.z / (camera.focal * camera.baseline) + more
        if abs(float(record["x"]) - self.x) > .5 * (self.width + float(record["width"])) + OFF_X:
            return False
        if self.is_pit:
            return z < far + off and float(record["z"] + record["depth"]) > self.near - off
        return self.near - off < z < (far if more > 0 else self.near) + off

    def is_kind_of(self, record):
        return is_hole(record) == self.is_pit


def is_hole(record):
    return bool(record["flags"] & c.STX_OBSTACLE_HOLE)


def tell(log, frame, what, record):
    if log:
        x, z, width, height, sure = (float(record[name]) for name in (
            "x", "z", "width", "height", "confidence"))
        print(f"{frame}: {what} {'hole' if is_hole(record) else 'thing'} at x {x:.2f} z {z:.2f}, "
              f"{width:.2f} wide, {height:.2f} high, sure {sure:.2f}, pixels {record['left']} "
              f"{record['top']} to {record['right']} {record['bottom']}", file=sys.stderr)


class Score:
    def __init__(self, log, lane):
        self.log, self.lane = log, lane
        self.frames = self.with_ground = self.other_kind = self.nothing = 0
        self.records = [0, 0]  # in the lane: small things, holes
        self.seen, self.found = np.zeros((2, len(SIZES), len(RANGES) - 1), int)
        self.heights, self.distances = np.zeros((2, BINS), int)
        self.ms = 0.

    def in_lane(self, records):
        return [record for record in records if abs(float(record["x"])) < .5 * self.lane]

    def _judge_thing(self, thing, records, name):
        place = int(np.searchsorted(RANGES, thing.near, side="right")) - 1
        if not 0 <= place < len(RANGES) - 1 or not thing.in_sight():
            return
        centimetres = round(100 * thing.height)
        at = SIZES.index(centimetres) if centimetres in SIZES else len(SIZES) - 1, place
        self.seen[at] += 1
        for record in records:
            if thing.is_kind_of(record) and thing.has(record, 0):
                self.found[at] += 1
                for bins, off, unit in (
                        (self.heights, float(record["height"]) - thing.height, .001),
                        (self.distances, float(record["z"]) - thing.near, .01)):
                    bins[int(min(abs(off) / unit, BINS - 1))] += 1
                return
        if self.log:
            print(f"{name}: missed kind {thing.kind} at x {thing.x:.2f} z {thing.near:.2f}, "
                  f"{thing.width:.2f} wide, {thing.length:.2f} long, {thing.height:.2f} high",
                  file=sys.stderr)

    def _judge_record(self, things, record, name):
        at = [thing for thing in things if thing.has(record, .5)]
        if any(thing.is_kind_of(record) for thing in at):
            return
        self.other_kind += bool(at)
        self.nothing += not at
        tell(self.log, name, "other kind" if at else "false", record)

    def judge(self, street, seed, number, records):
        """A frame of the street. Things at the picture's lower border are not judged."""
        things = [Thing(hazard, street) for hazard in street.things()]
        name = f"street {seed}, frame {number}"
        for thing in things:
            self._judge_thing(thing, records, name)
        for record in self.in_lane(records):
            self.records[is_hole(record)] += 1
            if record["z"] > SOONEST:
                self._judge_record(things, record, name)

    @staticmethod
    def _median(bins, unit):
        place = report.quantile(bins, .5)
        return None if place is None else (place + .5) * unit

    def json(self, name, street, judged):
        root = {"data": name, "frames": self.frames, "with-ground": self.with_ground,
                "small-in-lane": self.records[0], "holes-in-lane": self.records[1],
                "ms": report.share(self.ms, self.frames)}
        if judged:
            root["false"] = self.nothing
        if street:
            root["sizes"] = [{"height": centimetres / 100., "ranges": [
                {"from": start, "to": end, "seen": int(seen),
                 "found": report.share(int(found), int(seen))}
                for start, end, seen, found in zip(RANGES, RANGES[1:], self.seen[s], self.found[s])
            ]} for s, centimetres in enumerate(SIZES)]
            root.update({"other-kind": self.other_kind,
                         "height-error": self._median(self.heights, .001),
                         "distance-error": self._median(self.distances, .01)})
        return root


# ---- A list of what real frames have ------------------------------------------------------------

class Known:
    """A file of lines "FRAMES X0 X1 Z0 Z1 WORDS": in the frames "folder/name" that begin with
    FRAMES there is something from X0 to X1 and from Z0 to Z1 metres. Lines that begin with # are
    comments."""

    def __init__(self, path):
        try:
            lines = pathlib.Path(path).read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError as error:
            raise Refused(f"{path}: {error.strerror}; it must be a list of what frames have") \
                from None
        self._lines = []
        for number, line in enumerate(lines, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            try:
                x0, x1, z0, z1 = place = [float(word) for word in words[1:5]]
                if not (-1000 <= min(place) and max(place) <= 1000 and x0 <= x1 and z0 <= z1):
                    raise ValueError
            except ValueError:
                raise Refused(f"{os.path.basename(path)}: line {number}: must be FRAMES X0 X1 Z0 "
                              "Z1, metres, X0 up to X1 and Z0 up to Z1") from None
            self._lines.append((words[0], *place))

    def has(self, frame, record):
        x, z, half = float(record["x"]), float(record["z"]), .5 * float(record["width"])
        far = float(record["z"] + record["depth"])
        return any(frame.startswith(name) and x + half >= x0 and x - half <= x1 and far >= z0
                   and z <= z1 for name, x0, x1, z0, z1 in self._lines)


# ---- Frames -------------------------------------------------------------------------------------

class Finder:
    """Hazards of pictures that follow each other, ten a second."""

    def __init__(self, options, settings, params, score):
        self._settings, self._score, self._size, self._pipeline = settings, score, None, None
        self._egomotion = stixels.Egomotion(threads=options.threads)
        self._hazards = stixels.Hazards(threads=options.threads, backend=options.backend, **params)
        self._frame = 0

    def begin(self):
        """The next frame has none before it."""
        self._egomotion.reset()
        self._hazards.reset()
        self._frame = 0

    def __call__(self, left, right, camera, truth=None):
        if truth is None and self._size != left.shape:
            self._size = left.shape
            self._pipeline = self._settings.pipeline(left.shape[1], left.shape[0])
        if truth is None:
            truth = self._pipeline(left, right, camera).disparity
        seconds, self._frame = self._frame / data.FRAMES_PER_SECOND, self._frame + 1
        motion = stixels.Estimate("first", interval=0)
        if camera.cy is not None:
            motion = self._egomotion(left, truth, camera, seconds)
        found = self._hazards(left, right, truth, camera, seconds, motion=motion)
        self._score.ms += self._hazards.ms
        self._score.frames += 1
        self._score.with_ground += int(found.ground)
        return found


def run_street(options, finder, score, seed):
    width, height = size("size", options.size)
    street = stixels.Street(width, height, seed=seed, scene="hazards", noise=2.,
                            speed=METRES_PER_SECOND, threads=options.threads)
    finder.begin()
    for number in range(options.frames):
        street.move(number)
        found = finder(*street.pair(), street.camera,
                       street.truth()[0] if options.perfect else None)
        score.judge(street, seed, number, found.records)


def draw(path, left, records):
    """The left picture with frames around what was found: red things, blue holes."""
    picture = np.repeat(left[:, :, None], 3, axis=2)
    for record in records:
        x0, x1, y0, y1 = (int(record[name]) for name in ("left", "right", "top", "bottom"))
        colour = (0, 0, 255) if is_hole(record) else (255, 0, 0)
        for edge in ((y0, slice(x0, x1 + 1)), (y1, slice(x0, x1 + 1)), (slice(y0, y1 + 1), x0),
                     (slice(y0, y1 + 1), x1)):
            picture[edge] = colour
    png.save(path, picture)


def load_pair(options, folder, pair, name):
    left, right = (png.load_gray(os.path.join(folder, f"image_{pair + i}", name)) for i in range(2))
    number = name.partition(".")[0].partition("_")[0]
    own = os.path.join(folder, "calib", f"{number}.txt")
    path = options.calibration or (own if os.path.isfile(own) else os.path.join(folder,
                                                                                "calib.txt"))
    return left, right, data.fit(stixels.read_camera(path, pair), left.shape[1], left.shape[0])[0]


def run_folder(options, finder, score, known, folder):
    pair, names = next(((pair, names) for pair in (2, 0) if (
        names := data.files_of(os.path.join(folder, f"image_{pair}"), ".png"))), (None, ()))
    if pair is None:
        raise Refused(f"{folder}: no pictures: looked for .png in image_2/ and image_3/, or "
                      "image_0/ and image_1/")
    finder.begin()
    for name in names:
        title = f"{os.path.basename(folder.rstrip('/')) or '/'}/{name}"
        left, right, camera = load_pair(options, folder, pair, name)
        found = finder(left, right, camera)
        if options.pictures:
            draw(os.path.join(options.pictures, title.replace("/", "-")), left, found.records)
        for record in score.in_lane(found.records):
            is_known = known is None or known.has(title, record)
            score.records[is_hole(record)] += 1
            score.nothing += not is_known
            tell(options.log, title, "" if known is None else "known" if is_known else "false",
                 record)


# ---- Command line -------------------------------------------------------------------------------

def parser_of(struct, params):
    parser = Parser(
        "stx-eval hazards", "[FOLDER…]", "Measures road-hazards.\n\n"
        "Without folders: which small things and holes of the synthetic street are found.\n"
        "With folders that hold image_2 and image_3, or image_0 and image_1: what is told in the\n"
        "lane ahead, where as a rule there is nothing. Frames of a folder follow each other, "
        "100 ms apart;\n--confirm=1 judges each alone.")
    parser.flag("perfect", "with the true disparities: what stereo costs")
    parser.whole("seed", "of the first street (1)", 1)
    parser.whole("seeds", "so many streets (4)", 4)
    parser.whole("frames", "of each, 1.5 m apart (80)", 80)
    parser.text("size", "WxH", "of the street's pictures (1242x375)", "1242x375")
    parser.text("calibration", "FILE", "of the folders, in place of their calib.txt or calib/")
    parser.text("known", "FILE", "what the folders' frames have: other records in the lane are "
                                 "false")
    parser.real("lane", "M", "metres straight ahead in which records count (3)", 3.)
    parser.text("backend", "NAME", "auto or omp (auto)", "auto")
    parser.text("pictures", "FOLDER", "draw what is found in the folders' frames into this folder")
    parser.flag("log", "tell misses and records, on stderr")
    parser.group("hazards", "road-hazards", ("stx_hazards_fields", struct, params))
    return parser


def main(arguments):
    settings, params = Settings(), {}
    struct = core.defaults("stx_hazards_fields", c.StxHazardsParams)
    options = parser_of(struct, params).parse(arguments)
    choose("backend", options.backend, BACKENDS)
    at_least(1, seeds=options.seeds, frames=options.frames)
    if not options.lane > 0:
        raise Refused(f"--lane={options.lane:g}: must be more than 0")
    size("size", options.size)
    settings.more, score = {"threads": options.threads}, Score(options.log, options.lane)
    finder = Finder(options, settings, params, score)
    known = Known(options.known) if options.known else None
    if options.rest:
        name = options.rest[0]
        for folder in options.rest:
            run_folder(options, finder, score, known, folder)
    else:
        name = f"synthetic street, seeds {options.seed} to {options.seed + options.seeds - 1}"
        for number in range(options.seeds):
            run_street(options, finder, score, options.seed + number)
    root = score.json(name, not options.rest, not options.rest or known is not None)
    report.tell(root, options.json)
