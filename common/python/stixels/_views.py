# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures: stixels drawn on a frame, stixels and scans from above; and the synthetic street."""
import ctypes
import threading
from typing import Optional

import numpy as np

from . import _c as c
from ._core import (Block, Error, Single, array, byref, checked, contiguous, copy, defaults,
                    documented, image, implementation, keywords, labelled, lib, params_of, place,
                    pointer, scratch, set_fields, settings_of, structs, whole)
from ._files import Calibration
from ._motion import Estimate, motion_of
from ._obstacles import Obstacles
from ._types import FREE_SPACE, OBSTACLE, Camera, Stixels, camera_struct, stixel_records

HIT, THING = np.dtype(c.StxSceneHit), np.dtype(c.StxSceneHazard)
PIXELS = {3: ("RGB", "BGR"), 4: ("RGBA", "BGRA", "ARGB", "ABGR", "RGBx", "BGRx", "xRGB", "xBGR")}


def _format(name, channels):
    if name not in PIXELS[channels]:
        raise Error(f"format is {name!r}, must be one of {', '.join(PIXELS[channels])} for "
                    f"{channels} channels")
    return lib.stx_pixel_format(name.encode())


def _obstacles(obstacles):
    """(records, free space) as blocks, or two None."""
    if obstacles is None:
        return None, None
    if not isinstance(obstacles, Obstacles):
        raise TypeError(f"obstacles is a {type(obstacles).__name__}, must be stixels.Obstacles")
    return (contiguous("obstacles.records", obstacles.records, OBSTACLE, "count"),
            contiguous("obstacles.free_space", obstacles.free_space, FREE_SPACE, "directions"))


@documented("stx_overlay_fields")
def overlay(picture: np.ndarray, stixels: Stixels, *, obstacles: Optional[Obstacles] = None,
            format: Optional[str] = None, threads: int = 0, **settings) -> np.ndarray:
    """A copy of a picture with stixels drawn on it.

    picture: uint8 (height, width, 3 or 4); any size of the stixels' shape. format: RGB or BGR; with
    four channels RGBA, BGRA, ARGB, ABGR, RGBx, BGRx, xRGB or xBGR. With obstacles their labels and
    the free space can be drawn: labels="distance+id", free_space=True.
    """
    picture = array("picture", picture, np.uint8, "height, width, channels")
    if picture.shape[2] not in PIXELS:
        raise Error(f"picture has {picture.shape[2]} channels, must have 3 or 4")
    picture = np.array(picture, order="C")
    found, (known, free) = stixel_records(stixels), _obstacles(obstacles)
    height, width, channels = picture.shape
    params = params_of("overlay", c.StxOverlayParams, settings, camera=stixels.camera._struct(),
                       stixel_width=stixels.stixel_width, width=stixels.width,
                       height=stixels.height, columns=-(-stixels.width // stixels.stixel_width),
                       frame_height=height, frame_width=width,
                       format=_format(format or PIXELS[channels][0], channels))
    impl, where = implementation("stx_overlay_impls", c.StxOverlayImpl), place(threads)
    frame, given = c.StxFrame(), structs(c.StxStixel, found)
    frame.data[0], frame.stride[0] = pointer(picture), picture.strides[0]
    memory = Block(lib.stx_overlay_size(byref(params)))
    drawing = lib.stx_overlay_init(memory.address, byref(params))
    lib.stx_overlay_draw_all(byref(impl), drawing, byref(frame), given, len(found),
                             scratch(impl.scratch_size(byref(params), len(found), where.threads)),
                             where.threads)
    facts = c.StxOverlayFacts(given, len(found))
    if known is not None:
        facts.obstacles, facts.obstacle_count = structs(c.StxObstacle, known), len(known)
        facts.free_space, facts.free_count = structs(c.StxFreeSpace, free), len(free)
    _draw_canvas(params, drawing, facts, frame, where)
    return picture


def _draw_canvas(params, drawing, facts, frame, where):
    """Lines, the legend and labels, which lie over the stixels."""
    canvas = c.StxCanvasParams(params.frame_width, params.frame_height, params.format)
    checked(lib.stx_canvas_check, byref(canvas))
    memory = Block(lib.stx_canvas_size(byref(canvas)))
    canvas = lib.stx_canvas_init(memory.address, byref(canvas))
    marks = scratch(lib.stx_overlay_mark_scratch(byref(params)))
    lib.stx_overlay_draw_lines(canvas, byref(params), byref(facts), marks)
    lib.stx_overlay_draw_legend(drawing, canvas)
    lib.stx_overlay_draw_labels(canvas, byref(params), byref(facts), marks)
    if not lib.stx_canvas_is_empty(canvas):
        checked(implementation("stx_canvas_impls", c.StxCanvasImpl).lay, canvas, None, byref(frame),
                byref(where))


@documented("stx_bev_ahead_fields", "stx_bev_stixels_fields", "stx_bev_points_fields")
def above(stixels: Optional[Stixels] = None, *, points: Optional[np.ndarray] = None,
          labels: Optional[np.ndarray] = None, obstacles: Optional[Obstacles] = None,
          extrinsics: Optional[np.ndarray] = None, width: int = 800, height: int = 800,
          format: str = "RGB", threads: int = 0, **settings) -> np.ndarray:
    """A picture, uint8 (height, width, 3), of stixels, of a scan, or of both from above.

    points: float32 (points, 4), labels: uint32 (points,), as of ground(). extrinsics: float64 (3,
    4), takes a point of the scan (x ahead, y to the left, z up, 1) to the camera's axes (x to the
    right, y down, z ahead). What only a scan shows is all around it: extent=50, center_x=0. """
    if stixels is None and points is None:
        raise Error("above: there are neither stixels nor points")
    base = "stx_bev_fields" if stixels is None else "stx_bev_ahead_fields"
    params = defaults(base, c.StxBevParams)
    own = keywords("stx_bev_stixels_fields") if stixels is not None else {}
    layer = defaults("stx_bev_stixels_fields", c.StxBevStixelsParams)
    set_fields(layer, {k: v for k, v in settings.items() if k in own}, "stx_bev_stixels_fields")
    params.mode = _point_mode(stixels, layer, settings)
    set_fields(params, {k: v for k, v in settings.items() if k not in own}, base,
               "stx_bev_points_fields")
    params.width, params.height = whole("width", width), whole("height", height)
    params.format = _format(format, 3)
    checked(lib.stx_bev_stixels_check, byref(layer))
    checked(lib.stx_bev_check, byref(params))
    memory, where = Block(lib.stx_bev_size(byref(params))), place(threads)
    bev = lib.stx_bev_init(memory.address, byref(params))
    lib.stx_bev_begin(bev)
    if points is not None:
        _put_points(bev, points, labels, extrinsics, stixels is not None)
    if stixels is not None:
        _put_stixels(bev, layer, stixels, obstacles)
    picture, frame = np.empty((height, width, 3), np.uint8), c.StxFrame()
    frame.data[0], frame.stride[0] = pointer(picture), picture.strides[0]
    lib.stx_bev_finish(bev, byref(frame), where.threads)
    return picture


def _point_mode(stixels, layer, settings):
    """The choice of points=auto: over stixels, points stand out from what is below them."""
    if settings.get("points", "auto") == "auto":
        settings.pop("points", None)
    if stixels is None or layer.mode == c.STX_BEV_BY_OBSTACLE:
        return c.STX_BEV_CLUSTERS
    return c.STX_BEV_HEIGHT if layer.mode == c.STX_BEV_BY_HEIGHT else c.STX_BEV_PLAIN


def _put_points(bev, points, labels, extrinsics, over):
    points = contiguous("points", points, np.float32, "points, 4")
    ahead = None
    if labels is not None:
        points, labels = labelled(points, labels)
    if over and extrinsics is None:
        raise Error("extrinsics: where the sensor stands is not known, but stixels are seen from "
                    "the camera")
    if extrinsics is not None:
        given = contiguous("extrinsics", extrinsics, np.float64, "3, 4")
        ahead = np.empty((3, 4))
        lib.stx_extrinsics_to_scan_axes(pointer(given), pointer(ahead))
    lib.stx_bev_put_points(bev, pointer(points), pointer(labels), len(points), pointer(ahead))


def _put_stixels(bev, layer, stixels, obstacles):
    found, (known, free) = stixel_records(stixels), _obstacles(obstacles)
    camera = stixels.camera._struct()
    checked(lib.stx_bev_stixels_can_place, byref(camera))
    view = c.StxBevStixels(structs(c.StxStixel, found), len(found), stixels.width, stixels.height,
                           stixels.stixel_width, camera)
    if known is not None:
        view.obstacles, view.obstacle_count = structs(c.StxObstacle, known), len(known)
        view.free_space, view.directions = structs(c.StxFreeSpace, free), len(free)
    lib.stx_bev_put_stixels(bev, byref(layer), byref(view))


# ---- The street ---------------------------------------------------------------------------------

@documented("stx_scene_fields")
class Street(Single):
    """A synthetic street, what two cameras and a LiDAR see of it, and the truth.

    camera: of pictures of width × height pixels; frames are ten a second. calibration: pictures are
    those of two real cameras, with these lenses. One call at a time: other threads wait for it.
    """

    def __init__(self, width: int = 1242, height: int = 375, *, seed: int = 0,
                 camera: Optional[Camera] = None, calibration: Optional[Calibration] = None,
                 **settings):
        params = settings_of(c.StxSceneParams, settings, "stx_scene_fields")
        params.seed = whole("seed", seed, 0, 2 ** 64 - 1)
        params.width, params.height = whole("width", width), whole("height", height)
        params.camera = camera_struct(camera)
        if calibration is not None:
            params.calibration = ctypes.pointer(calibration._struct)
        self._lock, self._scene = threading.Lock(), None
        self._scene = checked(lib.stx_scene_new, byref(params))
        self.width, self.height = width, height
        struct = lib.stx_scene_params(self._scene).contents.camera
        struct.image_width, struct.image_height = width, height
        self._camera, self.camera = struct, Camera._of(struct)

    def __del__(self):
        if getattr(self, "_scene", None):
            lib.stx_scene_free(self._scene)

    def move(self, frame: int) -> None:
        """Goes to a frame; they may come in any order."""
        with self._lock:
            lib.stx_scene_move(self._scene, whole("frame", frame, 0, 2 ** 63 - 1))

    def _picture(self, eye, colour):
        shape = (self.height, self.width, 3) if colour else (self.height, self.width)
        picture = np.empty(shape, np.uint8)
        view = image(c.StxImage8, picture)
        lib.stx_scene_render(self._scene, eye, 3 if colour else 1, byref(view))
        return picture

    def pair(self, colour: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """(left, right): uint8 (height, width), gray, or (height, width, 3), RGB."""
        with self._lock:
            return (self._picture(c.STX_SCENE_LEFT, colour),
                    self._picture(c.STX_SCENE_RIGHT, colour))

    def truth(self) -> tuple[np.ndarray, np.ndarray]:
        """(disparity, labels) of the left picture: uint16 (height, width) in 1/256 pixel, 0 in the
        sky; uint8 (height, width), Cityscapes' train ids."""
        disparity = np.empty((self.height, self.width), np.uint16)
        labels = np.empty((self.height, self.width), np.uint8)
        with self._lock:
            lib.stx_scene_truth(self._scene, byref(image(c.StxImage16, disparity)),
                                byref(image(c.StxImage8, labels)))
        return disparity, labels

    def motion(self) -> Estimate:
        """The left camera's motion since the frame before."""
        with self._lock:
            struct = lib.stx_scene_motion(self._scene)
        known = motion_of(struct)
        return Estimate("known" if known else "first", known, np.zeros(6) if known else None)

    def hits(self, pixels: np.ndarray) -> np.ndarray:
        """The surfaces at points (u, v) of the left picture: pixels is float64 (points, 2). An
        array of HIT: t, the depth in metres, label, instance, and speed over ground, m/s to the
        right and ahead."""
        pixels = contiguous("pixels", pixels, np.float64, "points, 2")
        found = np.empty(len(pixels), HIT)
        with self._lock:
            lib.stx_scene_hits(self._scene, c.STX_SCENE_LEFT, pointer(pixels), len(pixels),
                               structs(c.StxSceneHit, found))
        return found

    def cast(self, origin, direction) -> np.void:
        """The HIT of one ray; t in units of the direction's length."""
        ray = c.StxSceneRay(tuple(origin), tuple(direction))
        with self._lock:
            return np.frombuffer(lib.stx_scene_cast(self._scene, byref(ray)), HIT)[0]

    def things(self) -> np.ndarray:
        """Small things on the road and holes in it, of scene="hazards": an array of THING."""
        found = ctypes.POINTER(c.StxSceneHazard)()
        with self._lock:
            count = lib.stx_scene_hazards(self._scene, byref(found))
            return copy(found, (count,), THING) if count else np.empty(0, THING)

    def road(self, z: float) -> float:
        """The height of the road's surface at z, metres."""
        return lib.stx_scene_road(self._scene, z)

    def scan(self, beams: int = 64, **settings) -> tuple[np.ndarray, np.ndarray]:
        """(points, labels) of a turn: float32 (points, 4), x ahead, y to the left, z up in metres,
        intensity; uint32 (points,), SemanticKITTI's classes and instances."""
        lidar = self._lidar(beams, settings)
        points = np.empty((lidar.beams * lidar.steps, 4), np.float32)
        labels = np.empty(len(points), np.uint32)
        with self._lock:
            count = lib.stx_scene_scan(self._scene, byref(lidar), pointer(points), pointer(labels))
        return points[:count].copy(), labels[:count].copy()

    @staticmethod
    def _lidar(beams, settings):
        lidar = lib.stx_scene_lidar(whole("beams", beams))
        set_fields(lidar, settings, "stx_scene_lidar_fields")
        checked(lib.stx_scene_lidar_check, byref(lidar))
        return lidar

    def extrinsics(self, beams: int = 64, **settings) -> np.ndarray:
        """float64 (3, 4): where the sensor stands, for above()."""
        lidar, matrix = self._lidar(beams, settings), np.empty((3, 4))
        place_ = lib.stx_scene_lidar_extrinsics(byref(lidar), byref(self._camera))
        lib.stx_extrinsics_matrix(byref(place_), pointer(matrix))
        return matrix
