# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stereo pairs: matching, cells, stixels, segments, all of it in a pipeline."""
import threading
from typing import NamedTuple, Optional

import numpy as np

from . import _c as c
from ._core import (BACKENDS, MAX_THREADS, Error, Stream, array, byref, checked, contiguous, copy,
                    documented, image, implementation, lib, one_of, params_of, place, pointer, rows,
                    same_size, scratch, set_fields, settings_of, structs, whole)
from ._types import NO_LABEL, STIXEL, Camera, Columns, Stixels, camera_struct, fitted

GROUNDS = {"auto": c.STX_ROAD_AUTO, "calibration": c.STX_ROAD_CALIBRATION,
           "estimate": c.STX_ROAD_ESTIMATE, "none": c.STX_ROAD_NONE,
           "piecewise": c.STX_ROAD_PIECEWISE}
MODELS = ("gaussian", "gaussian-uniform")
SOURCES = {"pairs": c.STX_PIPELINE_PAIRS, "disparities": c.STX_PIPELINE_DISPARITIES}


def gray(picture: np.ndarray) -> np.ndarray:
    """uint8 (height, width) of RGB, uint8 (height, width, 3), as the elements and videoconvert make
    it: (77·R + 150·G + 29·B) >> 8."""
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3:
        raise TypeError(f"picture is {picture.dtype} {picture.shape}, must be RGB, uint8 (height, "
                        "width, 3)")
    return (picture @ np.array([77, 150, 29], np.uint16) >> 8).astype(np.uint8)


class Match(NamedTuple):
    """disparity: uint16 (height, width) of the left picture in 1/256 pixel, 0 unknown; confidence:
    uint8 (height, width), 255 · probability of being right, of an unknown one 255 in the sky."""
    disparity: np.ndarray
    confidence: np.ndarray


@documented("stx_sgm_fields")
def match(left: np.ndarray, right: np.ndarray, *, threads: int = 0, backend: str = "auto",
          **settings) -> Match:
    """Semi-global matching of a rectified pair.

    left, right: uint8 (height, width), gray; rows may be any number of bytes apart, others are
    copied.
    """
    left, right = rows("left", left, np.uint8), rows("right", right, np.uint8)
    same_size("right", right, "left", left.shape)
    params = params_of("sgm", c.StxSgmParams, settings, height=left.shape[0], width=left.shape[1])
    impl, where = implementation("stx_sgm_impls", c.StxSgmImpl, backend), place(threads)
    found = Match(np.empty(left.shape, np.uint16), np.empty(left.shape, np.uint8))
    checked(impl.run, byref(params), byref(image(c.StxImage8, left)),
            byref(image(c.StxImage8, right)), byref(image(c.StxImage16, found.disparity)),
            byref(image(c.StxImage8, found.confidence)),
            scratch(impl.scratch_size(byref(params), where.threads)), byref(where))
    return found


# ---- Cells --------------------------------------------------------------------------------------

ENCODINGS = {"kitti": (c.STX_DISPARITY_KITTI, np.uint16),
             "cityscapes": (c.STX_DISPARITY_CITYSCAPES, np.uint16),
             "opencv": (c.STX_DISPARITY_OPENCV, np.int16),
             "depth-mm": (c.STX_DISPARITY_DEPTH_MM, np.uint16),
             "pixels": (c.STX_DISPARITY_PIXELS, np.float32),
             "depth-m": (c.STX_DISPARITY_DEPTH_M, np.float32)}
# Numbers of each encoding that are unknown whatever the smallest disparity is.
UNKNOWN_IN = {"opencv": -32768, "pixels": np.nan, "depth-m": np.nan}
SCORES = {np.dtype(np.uint8): c.STX_SEMANTICS_SCORES_U8,
          np.dtype(np.int8): c.STX_SEMANTICS_SCORES_I8,
          np.dtype(np.float16): c.STX_SEMANTICS_SCORES_F16,
          np.dtype(np.float32): c.STX_SEMANTICS_SCORES_F32}


def _take_map(params, given, value, encoding, camera):
    code, dtype = one_of("encoding", encoding, ENCODINGS)
    value = rows("disparity", value, dtype, unknown=UNKNOWN_IN.get(encoding, 0))
    params.grid.height, params.grid.width = value.shape
    params.disparity.encoding = code
    if encoding.startswith("depth"):
        camera = camera_struct(camera)
        if not camera.focal or not camera.baseline:
            raise Error(f"encoding {encoding} needs a camera with focal and baseline")
        params.disparity.focal_baseline = camera.focal * camera.baseline
    if dtype == np.float32:
        given.floats = image(c.StxImageFloat, value)
    else:
        given.disparity = image(c.StxImage16, value)
    return value


def _take_semantics(params, given, labels, scores, size):
    """Returns what has to live while it is read."""
    if labels is not None and scores is not None:
        raise Error("labels and scores: give one of them")
    if labels is not None:
        labels = rows("labels", labels, np.uint8, unknown=NO_LABEL)
        same_size("labels", labels, "disparity", size)
        params.semantics, params.grid.classes = c.STX_SEMANTICS_LABELS, c.STX_LABEL_CLASSES
        lib.stx_labels_identity(params.label_map)
        given.labels = image(c.StxImage8, labels)
    if scores is not None:
        if getattr(scores, "dtype", None) not in SCORES:
            raise TypeError("scores: must be an array of uint8, int8, float16 or float32")
        scores = array("scores", scores, scores.dtype, "classes, height, width",
                       unknown=-128 if scores.dtype == np.int8 else 0)
        shift = next((s for s in range(c.STX_SCORE_SHIFT_MAX + 1) if scores.shape[1:] ==
                      tuple((side + (1 << s) - 1) >> s for side in size)), None)
        if shift is None:
            raise Error(f"scores have {scores.shape[2]} × {scores.shape[1]} pixels, must have "
                        f"{size[1]} × {size[0]}, or a half, a quarter or an eighth of it")
        if scores.strides[2] == 0:
            scores = np.ascontiguousarray(scores)
        params.semantics, params.grid.classes = SCORES[scores.dtype], len(scores)
        given.scores, given.score_shift = pointer(scores), shift
        given.class_stride, given.row_stride, given.pixel_stride = scores.strides
    return labels, scores


@documented("stx_grid_fields", "stx_colmean_fields")
def reduce(disparity: np.ndarray, confidence: Optional[np.ndarray] = None, *,
           labels: Optional[np.ndarray] = None, scores: Optional[np.ndarray] = None,
           encoding: str = "kitti", camera: Optional[Camera] = None, confidence_is_sky: bool = True,
           threads: int = 0, backend: str = "auto", **settings) -> Columns:
    """Disparities, and classes, as cells in columns.

    disparity: (height, width), as `encoding` says: kitti (uint16, 1/256 pixel, 0 unknown: what
    match() gives), cityscapes, opencv (int16, 1/16 pixel), depth-mm (uint16), pixels (float32) or
    depth-m (float32 metres; depths need a camera). confidence: uint8 (height, width); that of an
    unknown disparity says how surely it is sky, unless confidence_is_sky is False. Without it all
    are certain. labels: uint8 (height, width), Cityscapes' train ids. scores: (classes, height,
    width) of uint8, int8, float16 or float32, strides as they like, also of a half, a quarter or an
    eighth of the size. """
    params = settings_of(c.StxColmeanParams, settings, "stx_grid_fields", "stx_colmean_fields")
    given = c.StxColmeanInput(confidence_is_sky=confidence_is_sky)
    hidden = np.ma.getmask(disparity)
    disparity = _take_map(params, given, disparity, encoding, camera)
    if confidence is not None:
        confidence = rows("confidence", confidence, np.uint8, unknown=0)
        if hidden is not np.ma.nomask and hidden.shape == confidence.shape:
            confidence = np.where(hidden, np.uint8(0), confidence)  # unknown, but not as sky is
        same_size("confidence", confidence, "disparity", disparity.shape)
        given.confidence = image(c.StxImage8, confidence)
    alive = _take_semantics(params, given, labels, scores, disparity.shape)
    checked(lib.stx_colmean_check, byref(params))
    impl, where = implementation("stx_colmean_impls", c.StxColmeanImpl, backend), place(threads)
    grid, tables = params.grid, c.StxColmeanTables()
    lib.stx_colmean_prepare(byref(tables))
    found = _columns_of(grid, np.empty(_shape(grid), np.uint16))
    checked(impl.run, byref(params), byref(tables), byref(given), pointer(found.data),
            scratch(impl.scratch_size(byref(params), where.threads)), byref(where))
    del alive
    return found


# ---- Stixels ------------------------------------------------------------------------------------

def _shape(grid):
    return (2 + grid.classes, -(-grid.width // grid.cell_width),
            -(-grid.height // grid.cell_height))


def _columns_of(grid, data):
    return Columns(data, grid.width, grid.height, grid.cell_width, grid.cell_height)


def _columns(columns):
    """The columns' data and grid, checked: code that reads them trusts their size."""
    if not isinstance(columns, Columns):
        raise TypeError(f"columns is a {type(columns).__name__}, must be stixels.Columns, as "
                        "reduce() gives")
    data = contiguous("columns.data", columns.data, np.uint16, "2 + classes, columns, rows")
    grid = columns._grid()
    if len(data) < 2:
        raise Error(f"columns.data has {len(data)} channels, must have 2 and one for each class")
    checked(lib.stx_grid_check, byref(grid))
    if data.shape != (shape := _shape(grid)):
        raise Error(f"columns.data has {data.shape[1:]} columns and cells, an image of "
                    f"{grid.width} × {grid.height} pixels in cells of {grid.cell_width} × "
                    f"{grid.cell_height} {shape[1:]}")
    return data, grid


def _stixels(found, count, columns, camera):
    return Stixels(found[:count].copy(), columns.width, columns.height, columns.stixel_width,
                   Camera._of(camera), columns=columns)


def _road(grid, data, ground, camera):
    """A pointer to the road's line, or None, and what holds it."""
    track = c.StxRoadTrack()
    checked(lib.stx_road_track_reset, byref(track), one_of("ground", ground, GROUNDS),
            byref(camera))
    line = lib.stx_road_track_follow(byref(track), byref(grid), pointer(data),
                                     scratch(lib.stx_roadline_scratch(byref(grid))))
    return line, track


@documented("stx_satdp_fields")
def stixels(columns: Columns, camera: Optional[Camera] = None, *, ground: str = "auto",
            model: str = "gaussian", sky_known: bool = True, threads: int = 0,
            backend: str = "auto", **settings) -> Stixels:
    """Stixels of columns, of one frame; Pipeline follows the road from frame to frame.

    ground: where the road comes from: auto (the camera, where its height is known, else the frame),
    calibration, estimate, piecewise or none. model: gaussian, or gaussian-uniform, which expects
    wrong disparities and takes several times as long. sky_known: what made the disparities has
    looked for the sky, as match() does. """
    data, grid = _columns(columns)
    one_of("model", model, MODELS)
    params = settings_of(c.StxSatdpParams, settings, "stx_satdp_fields")
    params.grid, params.sky_known = grid, sky_known
    struct = fitted(camera, grid.width, grid.height)
    tables = c.StxSatdpTables()
    line, track = _road(grid, data, ground, struct)
    checked(lib.stx_satdp_prepare, byref(params), byref(struct), line, byref(tables))
    table = "stx_satdp_impls"
    if model != "gaussian":
        lib.stx_fulldp_prepare(byref(params), byref(tables))
        table = "stx_fulldp_impls"
    impl, where = implementation(table, c.StxSatdpImpl, backend), place(threads)
    found, result = np.empty(data[0].size, STIXEL), c.StxSatdpResult()
    checked(impl.run, byref(params), byref(tables), bool(line), pointer(data), None,
            structs(c.StxStixel, found), byref(result),
            scratch(impl.scratch_size(byref(params), where.threads)), byref(where))
    del track
    return _stixels(found, result.count, columns, struct)


@documented("stx_rdp_fields")
def segments(columns: Columns, camera: Optional[Camera] = None, *, threads: int = 0,
             backend: str = "auto", **settings) -> Stixels:
    """Line segments of columns, by Ramer-Douglas-Peucker: records of the kind SEGMENT, which know
    of no road."""
    data, grid = _columns(columns)
    params = params_of("rdp", c.StxRdpParams, settings, grid=grid)
    impl, where = implementation("stx_rdp_impls", c.StxRdpImpl, backend), place(threads)
    found, result = np.empty(data[0].size, STIXEL), c.StxRdpResult()
    checked(impl.run, byref(params), pointer(data), structs(c.StxStixel, found), None,
            byref(result), scratch(impl.scratch_size(byref(params), where.threads)), byref(where))
    return _stixels(found, result.count, columns, fitted(camera, grid.width, grid.height))


# ---- All of it ----------------------------------------------------------------------------------

class Pipeline(Stream):
    """Frames of one size to stixels, one after another, with memory that is made once.

    `match`, `reduce`, `stixels`, `segments` and `candidates` are dictionaries with the settings of
    the functions of these names. segments=None: stixels; else line segments in place of them.
    candidates: stixels begin only where segments with these settings do; fast=True is the same
    with the defaults. ground, model, threads and backend are as in stixels(). use_confidence=False:
    all disparities are certain. source: frames are "pairs" or "disparities". labels, scores: frames
    come with them; scores are float32, of Cityscapes' classes.
    maps=True: a frame has copies of its left picture, disparity, confidence and columns, too; from
    the first two Tracker estimates the camera's motion.

    One frame at a time: other threads wait for it.
    """
    _stem = "pipeline"

    def __init__(self, width: int, height: int, *, match: Optional[dict] = None,
                 reduce: Optional[dict] = None, stixels: Optional[dict] = None,
                 segments: Optional[dict] = None, candidates: Optional[dict] = None,
                 ground: str = "auto", model: str = "gaussian", fast: bool = False,
                 use_confidence: bool = True, source: str = "pairs", threads: int = 0,
                 backend: str = "auto", labels: bool = False, scores: bool = False,
                 maps: bool = False):
        settings = lib.stx_pipeline_defaults()
        set_fields(settings.sgm, match or {}, "stx_sgm_fields")
        set_fields(settings.colmean, reduce or {}, "stx_grid_fields", "stx_colmean_fields")
        set_fields(settings.satdp, stixels or {}, "stx_satdp_fields")
        set_fields(settings.rdp, segments or {}, "stx_rdp_fields")
        set_fields(settings.cuts_rdp, candidates or {}, "stx_rdp_fields")
        settings.ground = one_of("ground", ground, GROUNDS)
        settings.backend = one_of("backend", backend, BACKENDS)
        settings.threads = whole("threads", threads, 0, MAX_THREADS)
        settings.source = one_of("source", source, SOURCES)
        settings.use_confidence = use_confidence
        settings.model = (c.STX_PIPELINE_RDP if segments is not None else c.STX_PIPELINE_FULLDP
                          if one_of("model", model, MODELS) != "gaussian" else c.STX_PIPELINE_SATDP)
        settings.cuts = (c.STX_PIPELINE_CUTS_RDP if fast or candidates is not None
                         else c.STX_PIPELINE_CUTS_ALL)
        if labels or scores:
            settings.colmean.semantics = (c.STX_SEMANTICS_LABELS if labels
                                          else c.STX_SEMANTICS_SCORES_F32)
            settings.colmean.grid.classes = c.STX_LABEL_CLASSES
        self._lock, self._state = threading.Lock(), None
        self._state = checked(lib.stx_pipeline_new, byref(settings), whole("width", width),
                              whole("height", height))
        self._labels, self._scores, self._maps = labels, scores, maps

    def _semantics(self, given, labels, scores, size):
        if labels is not None:
            if not self._labels:
                raise Error("labels: this pipeline was made without labels=True")
            labels = rows("labels", labels, np.uint8, unknown=NO_LABEL)
            given.labels = image(c.StxImage8, labels)
        if scores is not None:
            if not self._scores:
                raise Error("scores: this pipeline was made without scores=True")
            scores = array("scores", scores, np.float32, f"{c.STX_LABEL_CLASSES}, height, width")
            _, scores = _take_semantics(c.StxColmeanParams(), given, None, scores, size)
        return labels, scores

    def __call__(self, left: Optional[np.ndarray] = None, right: Optional[np.ndarray] = None,
                 camera: Optional[Camera] = None, *, disparity: Optional[np.ndarray] = None,
                 labels: Optional[np.ndarray] = None,
                 scores: Optional[np.ndarray] = None) -> Stixels:
        """Stixels of a frame. left, right: uint8 (height, width), gray, rectified; or disparity,
        uint16 (height, width) in 1/256 pixel, of source="disparities". labels, scores:
        as in reduce(), the scores float32, of a pipeline with labels=True or scores=True."""
        given = c.StxPipelineInput(camera=camera_struct(camera))
        if disparity is None:
            left, right = rows("left", left, np.uint8), rows("right", right, np.uint8)
            given.left, given.right = image(c.StxImage8, left), image(c.StxImage8, right)
        elif left is not None or right is not None:
            raise Error("disparity: give it, or a pair")
        else:
            disparity = rows("disparity", disparity, np.uint16, unknown=0)
            given.disparity = image(c.StxImage16, disparity)
        size = (left if disparity is None else disparity).shape
        alive, output = self._semantics(given, labels, scores, size), c.StxPipelineOutput()
        with self._lock:
            checked(lib.stx_pipeline_run, self._state, byref(given), byref(output))
            found = self._take(output, left)
        del alive
        return found

    def correct(self, estimate) -> bool:
        """Takes into account what an Estimate of the last frame's motion says of its disparities.
        True: infinity moves with the next frame. Tracker(pipeline=...) does it."""
        with self._lock:
            return lib.stx_pipeline_correct(self._state, estimate.offset, estimate.offset_deviation)

    def _take(self, output, left):
        """Copies of what is the pipeline's."""
        grid = output.grid
        names = [lib.stx_stage_name(i).decode() for i in range(c.STX_STAGE_COUNT)]
        found = Stixels(copy(output.stixels, (output.count,), STIXEL), grid.width, grid.height,
                        grid.cell_width, Camera._of(output.camera),
                        times=dict(zip(names, output.ms)), pairs=(output.evaluated, output.pairs),
                        infinity=output.infinity)
        if output.line:
            found.road = c.StxRoadLine.from_buffer_copy(output.line.contents)
        if not self._maps:
            return found
        found.left = None if left is None else left.copy()
        size = grid.height, grid.width
        found.disparity = copy(output.disparity.data, size, np.uint16, output.disparity.stride)
        if output.confidence.data:
            found.confidence = copy(output.confidence.data, size, np.uint8,
                                    output.confidence.stride)
        found.columns = _columns_of(grid, copy(output.columns, _shape(grid), np.uint16))
        return found
