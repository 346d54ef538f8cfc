# SPDX-License-Identifier: LGPL-2.1-or-later
"""stx-eval [FOLDER]: disparities and stixels on frames with truth, and what users see of them."""
import json
import os

import numpy as np

import data
import report
import seen
import stixels
from options import (BACKENDS, GROUNDS, MODELS, Parser, Refused, Settings, at_least, check_folder,
                     choose, size)
from stixels import _c as c
from stixels import _core as core

CLASSES = c.STX_LABEL_CLASSES
STAGES = [core.lib.stx_stage_name(i).decode() for i in range(c.STX_STAGE_COUNT)]
MAPS, TRUTHS = ("raw", "filled", "stixels"), ("non_occluded", "all")
CUTS, TERRAINS = ("all", "rdp"), ("gentle", "flat", "sloped", "hilly")
REDUCTIONS = ("mean", "weighted", "median")
COMPUTE = ("cell", "semantics", "scores", "ground", "model", "cut_candidates", "no_confidence",
           "backend", "repeat")
MOST_POINTS = 64  # of an area


# ---- Masks and scores ---------------------------------------------------------------------------

def load_masks(path):
    """Masks that were drawn by hand: what surely is sky, and what surely is a wall. A file in JSON
    has an object for each frame, by name, and in it a list of areas for each mask:
      {"000000_10": {"sky":  [{"gray": [240, 255], "outline": [[390, 0], [605, 0], [605, 110]]}],
                     "wall": [{"outline": [[850, 62], [940, 25], [1062, 0], [850, 145]]}]}}
    An area has the pixels inside of its outline whose gray values, and for the sky those of the
    5 × 5 pixels around them, lie in the range, from 0 to 255 where there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError) as error:
        raise Refused(f"--masks: {path}: {error}") from None
    if not isinstance(found, dict):
        raise Refused(f"--masks: {path}: no object with the names of frames")
    return found


def inside(outline, shape):
    """Where a line to the right crosses the outline an odd number of times."""
    found, (height, width) = np.zeros(shape, bool), shape
    u, v = np.arange(width)[None, :], np.arange(height)[:, None]
    for (x, y), (last_x, last_y) in zip(outline, [outline[-1], *outline[:-1]]):
        if y != last_y:
            crosses = u < x + (v - y) * (last_x - x) / (last_y - y)
            found ^= ((y > v) != (last_y > v)) & crosses
    return found


def draw_masks(file, frame):
    if frame.name not in file:
        return
    frame.masks = np.zeros(frame.left.shape, np.uint8)
    for mask, name, radius in ((data.SKY, "sky", 2), (data.WALL, "wall", 0)):
        for i, area in enumerate(file[frame.name].get(name, ())):
            try:
                low, high = map(int, area.get("gray", (0, 255)))
                outline = [(float(x), float(y)) for x, y in area["outline"]]
                if not 3 <= len(outline) <= MOST_POINTS:
                    raise ValueError
            except (KeyError, TypeError, ValueError, AttributeError):
                raise Refused(f"{frame.name}: area {i} of mask {name} has no \"outline\" of 3 to "
                              f"{MOST_POINTS} points [x, y]") from None
            least, most = seen.extremes(frame.left, radius)
            frame.masks[inside(outline, frame.left.shape) & (least >= low) & (most <= high)] = mask


def load_scores(folder, index, frame):
    """Class scores of a network, from files: one for each frame, in the order of their names."""
    names, (width, height) = data.files_of(folder), frame.size
    if names is None:
        raise Refused(f"--scores={folder}: no such folder")
    if index >= len(names):
        raise Refused(f"--scores={folder}: {len(names)} files, but {frame.name} is number "
                      f"{index + 1}")
    path = os.path.join(folder, names[index])
    try:
        found = np.fromfile(path, np.uint8)
    except OSError:
        raise Refused(f"{path}: cannot be read") from None
    for shift in range(c.STX_SCORE_SHIFT_MAX + 1):
        shape = (CLASSES, *((side + (1 << shift) - 1) >> shift for side in (height, width)))
        if found.size == 4 * np.prod(shape):
            return found.view(np.float32).reshape(shape)
    raise Refused(f"{path} has {found.size} bytes; for {frame.name} it must be {CLASSES} images of "
                  f"float32, of {width}×{height} or 1/2, 1/4 or 1/8 of it")


# ---- One frame ----------------------------------------------------------------------------------

class Result:
    """Counts of one frame, or the sum over all."""

    def __init__(self, name):
        self.name, self.frames = name, 0
        self.pixels = self.known = self.stixels = self.pairs = self.evaluated = 0
        self.wrong = {}  # (truth, map): counts as of stixels.Wrong
        self.confusions = {}  # kinds, classes, cells: counts[truth, called]
        self.seen = None
        self.ms = dict.fromkeys(STAGES, 0)

    def add(self, part):
        for name in ("frames", "pixels", "known", "stixels", "pairs", "evaluated"):
            setattr(self, name, getattr(self, name) + getattr(part, name))
        for name in ("wrong", "confusions"):
            mine = getattr(self, name)
            for key, counts in getattr(part, name).items():
                mine[key] = mine.get(key, 0) + counts
        if part.seen is not None:
            self.seen = part.seen if self.seen is None else self.seen + part.seen
        for stage in STAGES:
            self.ms[stage] += part.ms[stage]


def confusion(truth, called, classes):
    """counts[true class, class that it was called]; the last column: called nothing."""
    counts = truth < classes
    pairs = truth[counts].astype(np.intp) * (classes + 1) + np.minimum(called[counts], classes)
    return np.bincount(pairs, minlength=classes * (classes + 1)).reshape(classes, classes + 1)


def kinds_of(labels, satdp):
    """The kind of every label; what has none keeps it."""
    table = np.full(256, stixels.NO_LABEL, np.uint8)
    for label in range(c.STX_MAX_CLASSES):
        table[label] = (stixels.GROUND if satdp.ground_classes >> label & 1 else
                        stixels.SKY if satdp.sky_classes >> label & 1 else stixels.OBJECT)
    return table[labels]


def score(frame, found, options, settings):
    """Counts what a frame of stixels is worth."""
    result, has_kinds = Result(frame.name), bool(found.records["kind"].any())
    result.frames, result.stixels, result.pixels = 1, len(found), frame.left.size
    drawn = found.draw("disparity")
    maps = {"stixels": drawn}
    if found.disparity is not None:
        result.evaluated, result.pairs = found.pairs
        result.known = int(np.count_nonzero(found.disparity))
        maps.update(raw=found.disparity, filled=stixels.fill(found.disparity))
    for truth, name in ((frame.visible, TRUTHS[0]), (frame.all, TRUTHS[1])):
        if truth is not None:
            for key, disparity in maps.items():
                result.wrong[name, key] = np.array(stixels.wrong_disparities(truth, disparity))
    if has_kinds:
        kinds = found.draw("kind")
        result.seen = seen.Seen(frame, kinds, drawn)
        if options.pictures:
            seen.save_picture(data.picture_path(options.pictures, frame.name), frame, kinds, drawn)
    if frame.labels is None:
        return result
    add = result.confusions
    if found.columns is not None:
        add["cells"] = confusion(frame.labels, stixels.majority(found.columns, frame.labels),
                                 CLASSES)
    if has_kinds:
        add["kinds"] = confusion(kinds_of(frame.labels, settings.struct.satdp), kinds,
                                 stixels.SKY + 1)
    if has_kinds and (options.with_classes or settings.recording
                      and (found.records["label"] != stixels.NO_LABEL).any()):
        add["classes"] = confusion(frame.labels, found.draw("label"), CLASSES)
    return result


# ---- The pipeline over the frames ---------------------------------------------------------------

def run_frames(source, options, settings, masks):
    """Results, frame by frame. With `repeat` the shortest time of each stage counts; a video's
    frame that is run again must not count twice for the road: that has a pipeline of its own."""
    pipelines, shape, video = (), None, source.is_video
    for index in range(source.count):
        frame = source.load(index)
        if options.semantics == "truth" and frame.labels is None:
            raise Refused(f"{frame.name}: no label image for --semantics=truth")
        draw_masks(masks, frame)
        if options.scores:
            frame.scores = load_scores(options.scores, index, frame)
        if frame.size != shape:
            shape = frame.size
            pipelines = [settings.pipeline(*shape) for _ in range(1 + video)]
        given = {"labels": frame.labels if options.semantics == "truth" else None,
                 "scores": frame.scores}
        best, times = None, []
        for run in range(options.repeat):
            pipeline = pipelines[video and run > 0]
            if run > 0 or not video:
                pipeline.reset()
            found = pipeline(frame.left, frame.right, frame.camera, **given)
            times.append(found.times)
            best = found if best is None or not video else best
        result = score(frame, best, options, settings)
        result.ms = {stage: min(time[stage] for time in times) for stage in STAGES}
        yield result


def judge_recording(source, options, settings, masks):
    """Results of the stixels that a video has in place of computed ones, frame by frame."""
    recording, path = stixels.read_video(settings.recording), settings.recording
    for index in range(source.count):
        frame, found = source.load(index), next(recording, "")
        if not isinstance(found, stixels.Stixels):
            raise Refused(f"--recording={path}: frame {index} of {source.count} "
                          + ("has no stixels" if found is None else "is missing"))
        if (found.width, found.height) != frame.size:
            raise Refused(f"--recording={path}: its stixels are of {found.width} × {found.height} "
                          "pixels, {} has {} × {}".format(frame.name, *frame.size))
        draw_masks(masks, frame)
        yield score(frame, found, options, settings)
    if not options.frames and next(recording, "") != "":
        raise Refused(f"--recording={path}: it has more frames than {source.name}: "
                      f"{source.count} (--frames takes the first ones)")


# ---- Report -------------------------------------------------------------------------------------

def iou(counts):
    """Intersection over union, as mean and of each class; None of a class that does not occur."""
    if counts is None:
        return None
    right = np.diagonal(counts)
    union = counts.sum(axis=1) + counts[:, :-1].sum(axis=0) - right
    each = [report.share(int(a), int(b)) for a, b in zip(right, union)]
    known = [one for one in each if one is not None]
    return {"mean": sum(known) / len(known) if known else None, "each": each}


def errors_of(result, truth):
    wrong = {key: result.wrong[truth, key] for key in MAPS if (truth, key) in result.wrong}
    if not wrong:
        return None
    root = {}
    for key, counts in wrong.items():
        pixels, known, both, either = map(int, counts)
        root[key] = {"pixels": pixels, "known": known,
                     "error_and": both / pixels if pixels else 0.,
                     "error_or": either / pixels if pixels else 0.}
    for i, rule in ((2, "and"), (3, "or")):
        root[f"ratio_{rule}"] = (report.share(int(wrong["stixels"][i]), int(wrong["filled"][i]))
                                 if "filled" in wrong else None)
    return root


def json_of(result, settings):
    has = {"rdp": settings.has_segments, **dict.fromkeys(
        ("roadline", "satdp"), settings.model != "rdp")}
    if settings.recording:
        has = dict.fromkeys(STAGES, False)
    return {"name": result.name, "frames": result.frames,
            "density": report.share(result.known, 0 if settings.recording else result.pixels),
            "stixels_per_frame": result.stixels / result.frames,
            "pixels_per_stixel": result.pixels / result.stixels if result.stixels else 0.,
            "pairs_evaluated": report.share(result.evaluated, result.pairs),
            **{truth: errors_of(result, truth) for truth in TRUTHS},
            **{f"iou_{key}": iou(result.confusions.get(key))
               for key in ("kinds", "classes", "cells")},
            "seen": result.seen and result.seen.json(),
            "ms": {stage: result.ms[stage] / result.frames if has.get(stage, True) else None
                   for stage in STAGES}}


def settings_json(settings, options):
    if settings.recording:
        return {"recording": settings.recording}
    sgm, colmean = settings.struct.sgm, settings.struct.colmean
    root = {name: getattr(sgm, name) for name in ("paths", "max_disparity", "p1", "p2")}
    root.update(cell_width=colmean.grid.cell_width, cell_height=colmean.grid.cell_height,
                reduction=REDUCTIONS[colmean.reduction], ground=options.ground,
                classes=CLASSES if options.with_classes else 0, model=settings.model,
                cut_candidates=settings.cuts)
    if settings.has_segments:
        root.update(epsilon=settings.epsilon, median=settings.struct.rdp.median)
    return root


def report_of(source, results, options, settings):
    total = Result("total")
    for result in results:
        total.add(result)
    return {"data": source.name, "settings": settings_json(settings, options),
            "frames": [json_of(result, settings) for result in results],
            "total": json_of(total, settings)}


# ---- Command line -------------------------------------------------------------------------------

def parser_of(settings):
    parser = Parser(
        "stx-eval", "[FOLDER]", "Measures disparities and stixels.\n\n"
        "FOLDER holds KITTI's stereo layout: image_2 and image_3, or image_0 and image_1; "
        "disp_noc_0\nor disp_noc, disp_occ_0 or disp_occ; and where there are any semantic and "
        "calib.\nDefaults are those of the elements.",
        "Examples:\n"
        "  stx-eval --street --frames 3\n"
        "  stx-eval kitti2015/training --cell 4 --json\n"
        "  stx-eval --scans semantickitti --pictures /tmp\n"
        "  stx-eval kitti2015/training --model rdp --epsilon 2 --median 3\n"
        "  stx-eval kitti2015/training --recording drive.mkv\n"
        "  stx-eval --help-all                     every parameter, as the elements have it\n"
        "  stx-eval column --help                  why there is a stixel here\n"
        "  stx-eval lidar --help                   ground in LiDAR scans\n"
        "  stx-eval motion --help                  how the camera moves\n"
        "  stx-eval obstacles --help               what stands on the synthetic street\n")
    parser.flag("street", "the synthetic street, no folder")
    parser.flag("scans", "with labelled LiDAR scans: FOLDER is like KITTI's odometry benchmark, or "
                         "--street")
    parser.text("pictures", "DIR", "write a picture of each frame's errors there")
    parser.text("size", "WxH", "of the street (1242x375)", "1242x375")
    parser.whole("seed", "of the street (1)", 1)
    parser.text("terrain", "T", "of the street: gentle (default), flat, sloped, hilly", "gentle")
    parser.whole("frames", "at most N (0: all; street: 5)")
    parser.whole("streets", "the first frames of N streets, seeds from --seed on")
    parser.text("calibration", "FILE", "instead of the folder's calib/")
    parser.text("recording", "VIDEO", "judge the stixels that stixel-sei or stx-record wrote into "
                                      "it, a frame for each of FOLDER or the street")
    parser.text("masks", "JSON", "what of the pictures is sky and what is wall, drawn by hand")
    parser.text("cell", "N|WxH", "size of the cells (8)")
    parser.text("semantics", "S", "none (default), or truth: the true labels as input", "none")
    parser.text("scores", "FOLDER", "a network's scores as input: a file per frame, in the order "
                                    "of names")
    parser.text("ground", "G", "auto, calibration, estimate, piecewise, none", "auto")
    parser.text("model", "M", "satdp (default): stixels, gaussian-uniform: the same with outliers, "
                              "or rdp: segments of depth alone", "satdp")
    parser.text("cut-candidates", "C", "where stixels may begin: all rows (default), or what rdp "
                                       "keeps at epsilon 0.5", "all")
    parser.flag("no-confidence", "all pixels certain")
    parser.text("backend", "B", "auto or omp", "auto")
    parser.whole("repeat", "runs per frame; the fastest counts", 1)
    settings.add_to(parser)
    return parser


def apply(options, settings):
    choose("semantics", options.semantics, ("none", "truth"))
    choose("ground", options.ground, GROUNDS)
    choose("backend", options.backend, BACKENDS)
    settings.model = MODELS[choose("model", options.model, MODELS)]
    settings.cuts = CUTS[choose("cut-candidates", options.cut_candidates, CUTS)]
    choose("terrain", options.terrain, TERRAINS)
    if options.semantics == "truth" and options.scores:
        raise Refused("--scores and --semantics=truth: give one of the two")
    if settings.model == "rdp" and settings.cuts == "rdp":
        raise Refused("--cut-candidates is not for --model=rdp")
    options.with_classes = options.semantics == "truth" or bool(options.scores)
    if options.cell:
        settings.set_cell(options.cell)
    at_least(1, repeat=options.repeat)
    if options.streets < 0 or (options.streets > 0 and (
            not options.street or options.scans or options.frames > 0)):
        raise Refused(f"--streets={options.streets}: is for --street, without --scans and --frames")
    settings.more = {"ground": options.ground, "backend": options.backend,
                     "threads": options.threads, "use_confidence": not options.no_confidence,
                     "labels": options.semantics == "truth", "scores": bool(options.scores)}


def check_recording(parser, options, settings):
    """Nothing that computes stixels changes those of a recording."""
    settings.recording = options.recording
    given = [name for name in COMPUTE if getattr(options, name) != parser.get_default(name)]
    given += [name for part, before in zip(settings.parts(), Settings().parts())
              for name in part if part[name] != before.get(name)]
    if options.recording and given:
        raise Refused(f"--{given[0].replace('_', '-')} changes nothing of a --recording")


def open_source(options):
    if not options.street:
        source = (data.Scans if options.scans else data.Kitti)(options.rest[0], options.calibration)
        source.count = min(options.frames or source.count, source.count)
        return source
    if options.calibration:
        raise Refused("--calibration: the street brings its own camera")
    return data.Street(options.streets or options.frames or 5, *size("size", options.size),
                       options.seed, options.streets > 0, options.scans, terrain=options.terrain)


def main(arguments):
    settings = Settings()
    parser = parser_of(settings)
    options = parser.parse(arguments)
    check_folder(options)
    check_recording(parser, options, settings)
    apply(options, settings)
    masks = load_masks(options.masks) if options.masks else {}
    source = open_source(options)
    run = judge_recording if options.recording else run_frames
    root = report_of(source, list(run(source, options, settings, masks)), options, settings)
    if not options.json:
        del root["frames"]
    report.tell(root, options.json)
