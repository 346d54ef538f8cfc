# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-eval obstacles: what is found of the moving things of the synthetic street, and of a real one
whose camera's places are known."""
import sys

import data
import judge
import report
import sequence
import stixels
from data import FRAMES_PER_SECOND
from options import Parser, Refused, Settings, at_least, check_sequence, choose, size
from stixels import _c as c
from stixels import _core as core

# Pixels, and samples of 8 × 4 pixels each; see docs/evaluation.md.
SEEN_COLUMNS, SEEN_SAMPLES = 32, 96
MOTIONS = ("none", "poses", "video")  # the source of the camera's motion


class Finder:
    """Obstacles of frames; ms: what that takes a processor."""

    def __init__(self, options, params):
        self._motion, self.ms = options.motion, 0.
        self._egomotion = stixels.Egomotion(threads=options.threads)
        self._tracker = stixels.Tracker(**params)

    def __call__(self, frame, seconds, poses):
        """(obstacles, the motion that they were found with)."""
        motion = poses if self._motion == "poses" else None
        if self._motion == "video":
            motion = self._egomotion(frame.left, frame.disparity, frame.camera, seconds)
        found = self._tracker(frame, seconds, motion=motion)
        self.ms += self._tracker.cpu_ms
        return found, motion

    def scan(self, points, labels, seconds):
        found = self._tracker.scan(points, labels, seconds)
        self.ms += self._tracker.cpu_ms
        return found


# ---- Streets ------------------------------------------------------------------------------------

def run_pictures(options, settings, street, finder, judged, scores):
    pipeline = settings.pipeline(street.width, street.height)
    for number in range(options.frames):
        street.move(number)
        seconds, poses = number / FRAMES_PER_SECOND, street.motion()
        disparity, labels = street.truth()
        given = {"labels": labels if options.labels else None}
        frame = (pipeline(camera=street.camera, disparity=disparity, **given) if options.perfect
                 else pipeline(*street.pair(), street.camera, **given))
        found, motion = finder(frame, seconds, poses)
        if options.motion == "video":
            scores.add_motion(motion, poses)
        truth = judge.truth_of_picture(street)
        judged(truth, judge.Samples(frame, found.members, truth), found, seconds, poses.motion)
        yield number


def run_scans(options, street, finder, judged):
    for number in range(options.frames):
        street.move(number)
        seconds, (points, labels) = number / FRAMES_PER_SECOND, street.scan(64)
        ground = stixels.ground(points, threads=options.threads)
        found = finder.scan(points, ground.labels, seconds)
        truth = judge.truth_of_scan(points, labels)
        judged(truth, judge.Points(found.members, truth), found, seconds, None)
        yield number


def run_street(options, settings, number, street, params, scores):
    width, height = size("size", options.size)
    street = stixels.Street(width, height, seed=options.seed + number,
                            **{"speed": 10., "noise": 2., "threads": options.threads, **street})
    # A search of 128 pixels sees nothing that is nearer than 3 m.
    limits = {} if options.scans else {
        "samples": SEEN_SAMPLES, "across": SEEN_COLUMNS // judge.COLUMNS,
        "pixel": 1 / (street.camera.focal * street.camera.baseline)}
    finder, judged = Finder(options, params), judge.Judge(scores, options.log, **limits)
    for frame in (run_scans(options, street, finder, judged) if options.scans
                  else run_pictures(options, settings, street, finder, judged, scores)):
        if (frame + 1) % FRAMES_PER_SECOND == 0:
            print(f"street {number + 1} of {options.seeds}: frame {frame + 1} of {options.frames}",
                  file=sys.stderr)
    scores.ms += finder.ms


def run_streets(options, settings, street, params):
    scores = judge.Scores()
    for number in range(options.seeds):
        run_street(options, settings, number, street, params, scores)
    data_name = ("LiDAR with 64 beams" if options.scans else
                 ("true disparities" if options.perfect else "stereo")
                 + (" with labels" if options.labels else ""))
    return scores.json(f"synthetic {street.get('scene', 'street')}, {data_name}, seeds "
                       f"{options.seed} to {options.seed + options.seeds - 1}")


# ---- A real street ------------------------------------------------------------------------------

def run_sequence(options, settings, params):
    source = data.Sequence(options.sequence, options.calibration)
    judged = sequence.Judge(options.log)
    finder, pipeline, before = Finder(options, params), None, None
    for index in range(source.count):
        frame, poses = source.load(index), source.motion(index)
        pipeline = pipeline or settings.pipeline(*frame.size)
        seconds = float(source.times[index])
        found, _ = finder(pipeline(frame.left, frame.right, frame.camera), seconds, poses)
        judged(frame, poses, 0. if before is None else seconds - before, found)
        before = seconds
    judged.ms = finder.ms
    return judged.json(source.name)


# ---- Command line -------------------------------------------------------------------------------

def parser_of(struct, params, street_struct, street):
    parser = Parser(
        "stx-eval obstacles", "", "Measures obstacles on the synthetic street.\n\n"
        "Vehicles and people from 4 to 40 m: how many are found, how many obstacles are right, "
        "how\noften an id is kept, and how far off distances are.")
    parser.flag("labels", "with the true classes as semantics")
    parser.flag("perfect", "stixels of the true disparities: what stereo costs")
    parser.flag("scans", "of a LiDAR with 64 beams")
    parser.text("sequence", "FOLDER", "a real street: pictures, calib.txt and poses.txt as in "
                                      "KITTI's odometry")
    parser.text("calibration", "FILE", "in place of the sequence's calib.txt, which may lack "
                                       "\"Tr:\"")
    parser.text("motion", "FROM", "of the camera: none, poses, or video: what is seen, with points "
                                  "(of a sequence video)")
    parser.whole("seed", "of the first street (1)", 1)
    parser.whole("seeds", "so many streets (4)", 4)
    parser.whole("frames", "of each, ten per second (40)", 40)
    parser.text("size", "WxH", "of the pictures (1242x375)", "1242x375")
    parser.flag("log", "tell what is wrong, on stderr")
    parser.group("obstacles", "stixel-obstacles",
                 ("stx_obstacles_fields", struct, params))
    parser.group("street", "street-scene-src",
                 ("stx_scene_fields", street_struct, street))
    return parser


def apply(options, settings):
    at_least(1, seeds=options.seeds, frames=options.frames)
    useless = [f"--{name}" for name in ("labels", "perfect") if getattr(options, name)]
    if options.scans and useless:
        raise Refused(f"--scans has no use for {useless[0]}")
    options.motion = options.motion or ("video" if options.sequence else "none")
    choose("motion", options.motion, MOTIONS)
    if options.scans and options.motion != "none":
        raise Refused("--scans has no use for --motion")
    if options.motion == "video" and options.perfect and not options.sequence:
        raise Refused("--perfect has no pictures for --motion=video")
    useless += ["--scans"] if options.scans else []
    if options.sequence and useless:
        raise Refused(f"--sequence has no use for {useless[0]}")
    size("size", options.size)
    settings.more = {"threads": options.threads, "labels": options.labels,
                     "source": "disparities" if options.perfect else "pairs"}


def main(arguments):
    settings, params, street = Settings(), {}, {}
    options = parser_of(core.defaults("stx_obstacles_fields", c.StxObstaclesParams), params,
                        core.defaults("stx_scene_fields", c.StxSceneParams), street
                        ).parse(arguments)
    check_sequence(options)
    apply(options, settings)
    report.tell(run_sequence(options, settings, params) if options.sequence
                else run_streets(options, settings, street, params), options.json)
