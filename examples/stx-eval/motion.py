# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-eval motion: the camera's own motion beside the true one, by KITTI odometry's measure."""
import math
import sys

import numpy as np

import data
import report
import stixels
from options import BACKENDS, Parser, Refused, Settings, at_least, check_sequence, choose, size
from stixels import _c as c
from stixels import _core as core

# Pieces of so many frames or, negative, metres.
LENGTHS = (2, 5, 10, 20, 50, 100, 200, -100, -200, -300, -400, -500, -600, -700, -800)
STATES = {"known": "known", "first": "first", "too few points": "too_few",
          "no agreement": "disagree", "still": "still"}


# ---- Motions ------------------------------------------------------------------------------------

def product(a, b):
    """a · b, summed from the left, as the numbers in the tables are."""
    return sum(np.multiply.outer(a[:, k], b[k]) for k in range(3))


def chain(first, later):
    """`later` after `first`."""
    return stixels.Motion(product(later.rotation, first.rotation),
                          later.translation + product(later.rotation, first.translation))


def length_of(vector):
    return math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])


def difference(found, truth):
    """(rotation about each axis, radians; shift, metres) between two motions."""
    r = product(truth.rotation, found.rotation.T)
    shift = truth.translation - product(r, found.translation)
    return np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / 2, shift


# ---- Scores -------------------------------------------------------------------------------------

class Score:
    """Sums; of squares of errors and deviations (rotation, translation), and of second differences
    of translations (found, true)."""

    def __init__(self):
        self.states, self.ms = dict.fromkeys(STATES, 0), 0.
        self.frames = self.points = self.agree = 0
        self.off, self.expected, self.uneven, self.even = np.zeros(2), np.zeros(2), np.zeros(2), 0
        self.lengths = [[0, 0., 0.] for _ in LENGTHS]  # pieces; shares; degrees a metre

    def add_frame(self, found, truth):
        self.frames += 1
        self.states[found.state] += 1
        if found.motion is None:
            return
        self.points += found.matched
        self.agree += found.agree
        turn, shift = difference(found.motion, truth.motion)
        self.off += [(turn ** 2).sum(), (shift ** 2).sum()]
        squares = found.deviation ** 2
        self.expected += [squares[:3].sum(), squares[3:].sum()]

    def add_track(self, track):
        """Adds a drive: (found, true) of each frame."""
        for found, truth in track:
            self.add_frame(found, truth)
        known = 0
        for i, (found, _) in enumerate(track):
            known = known + 1 if found.motion is not None else 0
            if known >= 3:
                self.even += 1
                for k in range(2):
                    a, b, last = (step[k].motion.translation if step[k].motion else np.zeros(3)
                                  for step in track[i - 2:i + 1])
                    self.uneven[k] += ((a - 2 * b + last) ** 2).sum()
        for score, length in zip(self.lengths, LENGTHS):
            for first in range(len(track)):
                self._add_piece(track, first, length, score)

    @staticmethod
    def _add_piece(track, first, length, score):
        found = truth = stixels.Motion(np.eye(3), np.zeros(3))
        metres = 0.
        for end in range(first + 1, len(track)):
            if track[end][0].motion is None:
                return
            found, truth = chain(found, track[end][0].motion), chain(truth, track[end][1].motion)
            metres += length_of(track[end][1].motion.translation)
            if end - first + 1 == length if length > 0 else metres >= -length:
                break
        else:
            return
        if metres < .1:
            return
        turn, shift = difference(found, truth)
        score[0] += 1
        score[1] += length_of(shift) / metres
        score[2] += length_of(turn) * 180 / math.pi / metres

    def json(self, name):
        known = self.states["known"]

        def ratio(a, b):
            return a / b if b else None
        turn, shift = (report.known(math.sqrt(a / b)) if b else None
                       for a, b in zip(self.off, self.expected))
        uneven = [math.sqrt(sum_ / (6 * self.even)) if self.even else None for sum_ in self.uneven]
        lengths = [{"frames" if length > 0 else "metres": abs(length), "pieces": n,
                    "translation": shifts / n, "degrees_per_metre": turns / n}
                   for length, (n, shifts, turns) in zip(LENGTHS, self.lengths) if n]
        return {"name": name, "frames": self.frames,
                **{STATES[state]: count for state, count in self.states.items()},
                "points": ratio(self.points, known), "agree": ratio(self.agree, self.points),
                "turn_over_deviation": turn, "shift_over_deviation": shift,
                "uneven_found": uneven[0], "uneven_true": uneven[1],
                "ms": ratio(self.ms, self.frames), "lengths": lengths}


# ---- Frames -------------------------------------------------------------------------------------

def log_frame(name, found, truth):
    motion, deviation = found.motion, np.zeros(6) if found.deviation is None else found.deviation
    turn, shift = (np.zeros(3),) * 2 if motion is None else difference(motion, truth.motion)
    z = 0. if motion is None else motion.translation[2]

    def three(values, digits):
        return " ".join(f"{1e3 * value:.{digits}f}" for value in values)
    print(f"frame {name}: {found.state}, {found.agree} of {found.matched} points agree, z {z:.3f} "
          f"m; off by {three(shift, 1)} mm, {three(turn, 3)} mrad; deviations "
          f"{three(deviation[3:], 1)} mm {three(deviation[:3], 3)} mrad", file=sys.stderr)


def run(source, first, count, truth_of, options, score):
    """A drive over `count` frames of a source; truth_of(index): the camera's motion."""
    egomotion = stixels.Egomotion(threads=options.threads, backend=options.backend)
    track = []
    for index in range(first, first + count):
        frame = source.load(index)
        disparity = frame.visible
        if not options.perfect or disparity is None:
            disparity, _ = stixels.match(frame.left, frame.right, threads=options.threads,
                                         **options.match)
        seconds = getattr(source, "times", None)
        seconds = index / data.FRAMES_PER_SECOND if seconds is None else seconds[index]
        found = egomotion(frame.left, disparity, frame.camera, seconds)
        score.ms += egomotion.cpu_ms
        track.append((found, truth_of(index)))
        if options.log:
            log_frame(frame.name, *track[-1])
    score.add_track(track)


def parser_of(settings, street, given):
    parser = Parser(
        "stx-eval motion", "", "Measures the camera's own motion.\n\n"
        "The motion between frames, put together over pieces, beside the true one: the distance\n"
        "between the two ends as a share of the way, and the angle for each metre of it.")
    parser.text("sequence", "FOLDER", "a real street: pictures, calib.txt and poses.txt as in "
                                      "KITTI's odometry")
    parser.text("calibration", "FILE", "in place of the sequence's calib.txt")
    parser.whole("seed", "of the first street (1)", 1)
    parser.whole("seeds", "so many streets (1)", 1)
    parser.whole("frames", "of each street, ten per second (20); of a sequence at most (all)")
    parser.whole("first", "frame of a sequence to begin with (0)")
    parser.flag("perfect", "with the street's true disparities")
    parser.text("size", "WxH", "of the street's pictures (1242x375)")
    parser.text("backend", "B", "of the motion: auto or omp", "auto")
    parser.flag("log", "each frame's motion and error, on stderr")
    parser.group("sgm", "the stereo matcher",
                 ("stx_sgm_fields", settings.struct.sgm, settings.match))
    parser.group("street", "street-scene-src", ("stx_scene_fields", street, given))
    return parser


def main(arguments):
    settings, given = Settings(), {}
    street = core.defaults("stx_scene_fields", c.StxSceneParams)
    options = parser_of(settings, street, given).parse(arguments)
    check_sequence(options)
    choose("backend", options.backend, BACKENDS)
    at_least(1, seeds=options.seeds)
    at_least(0, frames=options.frames, first=options.first)
    if options.sequence and (options.perfect or options.size):
        raise Refused(f"--sequence has no use for {'--perfect' if options.perfect else '--size'}")
    options.match, score = settings.match, Score()
    width, height = size("size", options.size or "1242x375")
    if options.sequence:
        source = data.Sequence(options.sequence, options.calibration)
        first = min(options.first, source.count)
        run(source, first, min(options.frames or source.count, source.count - first), source.motion,
            options, score)
        name = options.sequence
    else:
        for seed in range(options.seed, options.seed + options.seeds):
            source = data.Street(options.frames or 20, width, height, seed, **given)
            run(source, 0, source.count, lambda _, source=source: source.street.motion(), options,
                score)
        name = f"synthetic street, seeds {options.seed} to {options.seed + options.seeds - 1}"
    root = score.json(name)
    report.tell(root, options.json)
