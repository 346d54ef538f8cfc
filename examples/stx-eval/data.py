# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames with truth: the synthetic street, KITTI's stereo layout, pairs with labelled scans as in
KITTI's odometry and SemanticKITTI, and sequences with poses."""
import dataclasses
import math
import os
import pathlib
import re
import sys

import numpy as np

import png
import stixels
from options import Refused
from stixels import _c as c
from stixels import _core as core

OUTLIER, VEGETATION = 1, 70  # of SemanticKITTI's labels; 0: without one
GROUND_LABELS = (40, 44, 48, 49, 60, 72)
POINT = np.dtype([("x", np.int32), ("y", np.int32), ("disparity", np.float32),
                  ("depth", np.float32), ("kind", np.uint8), ("label", np.uint32)])
RANGES = (0., 10., 20., 30., 50.)  # metres: from each to the next, and beyond the last
SKY, WALL = 1, 2  # of masks
FRAMES_PER_SECOND = 10

# A point is hidden if another one within so many pixels is nearer by more than a fifth: the scanner
# stands higher than the camera, and looks behind what hides the point from that.
HIDING_WIDTH, HIDING_HEIGHT, HIDING_SHARE = 4, 6, np.float32(1.2)

# The scanner looks straight ahead: 8 cm above KITTI's cameras, 27 cm behind them.
STRAIGHT = np.array([0, -1, 0, 0, 0, 0, -1, -.08, 1, 0, 0, -.27])


@dataclasses.dataclass
class Frame:
    """Fields that the data set has not are None. visible, all: true disparities of what both
    cameras see, and of everything; labels: train ids; points: array of POINT, none of them
    hidden."""
    name: str
    left: np.ndarray
    right: np.ndarray
    camera: stixels.Camera = None
    visible: np.ndarray = None
    all: np.ndarray = None
    labels: np.ndarray = None
    points: np.ndarray = None
    scores: np.ndarray = None
    masks: np.ndarray = None

    @property
    def size(self):
        """(width, height)."""
        return self.left.shape[1], self.left.shape[0]


def is_ground(labels):
    return np.isin(labels & 0xFFFF, GROUND_LABELS)


def is_road(labels):
    return np.isin(labels & 0xFFFF, (40, 44, 60))


def range_of(metres):
    """The number of the range in which each lies."""
    return np.maximum(np.searchsorted(RANGES, metres, side="right") - 1, 0)


def picture_path(folder, name):
    """Returns the path of the picture of a frame or scan; makes the folder."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        pass  # who writes the picture says it
    return os.path.join(folder, f"{name}.png".replace("/", "_").replace(" ", "_"))


def fit(camera, width, height):
    """(camera of pictures of this size, what is to be said of that)."""
    struct, note = camera._struct(), c.StxError()
    good = core.lib.stx_camera_fit(core.byref(struct), width, height, core.byref(note))
    if not good:
        raise Refused(note.text.decode())
    return stixels.Camera._of(struct), note.text.decode()


def nearest_of(place, disparity, shape):
    """The largest of the disparities at each place of a flat map of this shape."""
    found, order = np.zeros(math.prod(shape), disparity.dtype), np.argsort(disparity, kind="stable")
    found[place[order]] = disparity[order]  # of equal places the last one stays
    return found.reshape(shape)


def spread(values, radius, axis, extreme=np.maximum):
    """The extreme of the values up to a radius away along an axis."""
    found, size = values.copy(), values.shape[axis]
    for step in range(1, min(radius, size - 1) + 1):
        low, high = [slice(None)] * 2, [slice(None)] * 2
        low[axis], high[axis] = slice(size - step), slice(step, size)
        low, high = tuple(low), tuple(high)
        extreme(found[low], values[high], out=found[low])
        extreme(found[high], values[low], out=found[high])
    return found


# ---- The street ---------------------------------------------------------------------------------

def visible_of(truth):
    """The truth without what the right camera does not see: points outside its picture, and points
    behind a nearer one, more than a pixel of disparity in front, at the same place."""
    height, width = truth.shape
    wide = truth.astype(np.int32)
    right = np.arange(width) - (wide + 128) // 256
    inside = right >= 0
    place = (right + width * np.arange(height)[:, None]).ravel()
    nearest = nearest_of(place[inside.ravel()], truth[inside], truth.shape)
    hidden = ~inside | (nearest.ravel()[np.maximum(place, 0)].reshape(truth.shape) > wide + 256)
    return np.where(hidden, 0, truth).astype(np.uint16)


class Street:
    """Frames of the synthetic street. first: the first frames of streets, each with the seed after
    the one before; scans: each has the points of a LiDAR with 64 beams above the left camera."""
    has_labels = True

    def __init__(self, count, width, height, seed, first=False, scans=False, **settings):
        self.count, self.is_video, self._first, self._scans = count, not first, first, scans
        self._settings = {"width": width, "height": height, "speed": 10, "noise": 2, **settings}
        self._seed, self.street = seed, stixels.Street(seed=seed, **self._settings)
        terrain = settings.get("terrain", "gentle")
        self.name = (f"synthetic street {width} × {height}, seed {seed}"
                     + (f", {terrain}" if terrain != "gentle" else "")
                     + (", with scans" if scans else " and those after it" if first else ""))

    def load(self, index):
        if self._first:
            self.street = stixels.Street(seed=self._seed + index, **self._settings)
        self.street.move(0 if self._first else index)
        left, right = self.street.pair()
        truth, labels = self.street.truth()
        name = f"seed {self._seed + index}" if self._first else f"frame {index}"
        frame = Frame(name, left, right, self.street.camera, visible_of(truth), truth, labels)
        if self._scans:  # the sensor stands above the camera and looks along its axis
            f, cx, cy = frame.camera.focal, frame.camera.cx, frame.camera.cy
            above = core.lib.stx_scene_lidar(64).height - frame.camera.height
            base = -f * frame.camera.baseline
            add_scan(frame, np.array([[f, 0, cx, 0, 0, f, cy, 0, 0, 0, 1, 0],
                                      [f, 0, cx, base, 0, f, cy, 0, 0, 0, 1, 0],
                                      [0, -1, 0, 0, 0, 0, -1, -above, 1, 0, 0, 0]]),
                     *self.street.scan(64))
        return frame


# ---- KITTI's stereo layout ----------------------------------------------------------------------

def folder_of(root, *names):
    """The first of these folders that there is, or None."""
    return next((path for path in (os.path.join(root, name) for name in names)
                 if os.path.isdir(path)), None)


def files_of(folder, suffix=""):
    """The names of a folder's files that end so, in order; None: there is no such folder."""
    try:
        return sorted((name for name in os.listdir(folder) if name.endswith(suffix)),
                      key=os.fsencode)
    except OSError:
        return None


def stereo_of(root):
    """(left folder, right folder, number of the pair in the calibration), or None."""
    for pair in (2, 0):
        left, right = folder_of(root, f"image_{pair}"), folder_of(root, f"image_{pair + 1}")
        if left and right:
            return left, right, pair
    return None


def same_size(name, left, what, other):
    if other is not None and other.shape != left.shape:
        raise Refused(f"{name}: the left picture has {left.shape[1]} × {left.shape[0]} pixels, the "
                      f"{what} {other.shape[1]} × {other.shape[0]}")


class Kitti:
    """A folder in the layout of KITTI's stereo benchmarks, or its training/ folder. `calibration`
    replaces that of every frame."""
    is_video = False

    def __init__(self, folder, calibration=None):
        if not os.path.isdir(folder):
            raise Refused(f"{folder}: no such folder")
        self.name, root = folder, folder_of(folder, "training") or folder
        found = stereo_of(root)
        if found is None:
            raise Refused(f"{root}: no stereo pictures: looked for the folders image_2 and image_3 "
                          "(KITTI 2015) or image_0 and image_1 (KITTI 2012)")
        self._left, self._right, self._pair = found
        self._truth = [folder_of(root, f"disp_{name}_0", f"disp_{name}") for name in ("noc", "occ")]
        self._labels, self._calib = folder_of(root, "semantic"), folder_of(root, "calib")
        self._calibration, self.has_labels = calibration, self._labels is not None
        known = next((path for path in (*self._truth, self._labels) if path), None)
        if known is None:
            raise Refused(f"{root}: no truth: looked for the folders disp_noc_0, disp_noc, "
                          "disp_occ_0, disp_occ and semantic")
        self.names = [name for name in files_of(known, ".png") if all(
            os.path.isfile(os.path.join(folder, name)) for folder in (self._left, self._right))]
        if not self.names:
            raise Refused(f"{known}: no frames: no .png here has pictures of its name in "
                          f"{self._left} and {self._right}")
        self.count = len(self.names)

    def _camera(self, name):
        if self._calibration is None and self._calib is None:
            return stixels.Camera()
        number = name.partition(".")[0].partition("_")[0]
        return stixels.read_camera(self._calibration or os.path.join(self._calib, f"{number}.txt"),
                                   self._pair)

    @staticmethod
    def _given(folder, name, load):
        """Files that the data set has not for this frame are no error."""
        path = folder and os.path.join(folder, name)
        return load(path) if path and os.path.isfile(path) else None

    def load(self, index):
        name = self.names[index]
        frame = Frame(name.partition(".")[0], *(png.load_gray(os.path.join(folder, name))
                                                for folder in (self._left, self._right)))
        labels = self._given(self._labels, name, png.load_ids)
        if labels is not None:
            table = np.empty(256, np.uint8)
            core.lib.stx_labels_from_cityscapes(core.pointer(table))
            frame.labels = table[labels]
        camera = self._camera(name)
        frame.visible, frame.all = (self._given(folder, name, png.load_gray16)
                                    for folder in self._truth)
        for what, other in (("right one", frame.right), ("label image", frame.labels),
                            ("true disparity", frame.visible), ("true disparity", frame.all)):
            same_size(frame.name, frame.left, what, other)
        try:
            frame.camera, note = fit(camera, *frame.size)
        except Refused as error:
            raise Refused(f"{frame.name}: {error}") from None
        if note:
            print(f"{frame.name}: {note}", file=sys.stderr)
        return frame


# ---- Scans as the camera sees them --------------------------------------------------------------

def _finite(word):
    try:
        number = float(word)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _matrix(path, text, key):
    found = re.search(f"^{key}", text, re.M)
    if found is None:
        raise Refused(f"{path}: no line \"{key}\"")
    numbers = [_finite(word) for word in text[found.end():].split()[:12]]
    good = numbers.index(None) if None in numbers else len(numbers)
    if good < 12:
        raise Refused(f"{path}: \"{key}\" needs 12 numbers, and has {good}")
    return np.array(numbers)


def read_projection(path, pair, needs_scan):
    """Three rows, each a 3×4 matrix: from the cameras' axes to the left and the right picture, and
    from a scan's points to these axes."""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise Refused(f"Failed to open file “{path}”: {error.strerror}") from None
    left, right = ("P2:", "P3:") if pair == 2 else ("P0:", "P1:")
    matrices = [_matrix(path, text, left), _matrix(path, text, right)]
    straight = not needs_scan and not re.search("^Tr:", text, re.M)
    return np.array([*matrices, STRAIGHT if straight else _matrix(path, text, "Tr:")])


def _multiply(m, x, y, z):
    return [m[i] * x + m[i + 1] * y + m[i + 2] * z + m[i + 3] for i in (0, 4, 8)]


def add_scan(frame, projection, points, labels, every=False):
    """Puts the points of a labelled scan that count into the frame; every: vegetation, too, which
    is ground or object as it pleases, and hides nothing for sure."""
    width, height = frame.size
    kind = labels & 0xFFFF
    counts = (kind > OUTLIER) & (every | (kind != VEGETATION))
    xyz, labels = points[counts, :3].astype(np.float64).T, labels[counts]
    with np.errstate(all="ignore"):
        camera = _multiply(projection[2], *xyz)
        left, right = _multiply(projection[0], *camera), _multiply(projection[1], *camera)
        u = left[0] / left[2]
        x, y = np.floor(u + .5), np.floor(left[1] / left[2] + .5)
        disparity = (u - right[0] / right[2]).astype(np.float32)
        seen = ((left[2] > .5) & (right[2] > .5) & (x >= 0) & (y >= 0) & (x < width) & (y < height)
                & (disparity > 0))
    found = np.empty(np.count_nonzero(seen), POINT)
    found["x"], found["y"], found["disparity"] = x[seen], y[seen], disparity[seen]
    found["depth"], found["label"] = left[2][seen], labels[seen]
    found["kind"] = np.where(is_ground(found["label"]), stixels.GROUND, stixels.OBJECT)
    nearest = nearest_of(found["y"] * width + found["x"], found["disparity"], (height, width))
    nearest = spread(spread(nearest, HIDING_WIDTH, 1), HIDING_HEIGHT, 0)
    frame.points = found[nearest[found["y"], found["x"]] <= HIDING_SHARE * found["disparity"]]


# ---- Folders of scans ---------------------------------------------------------------------------

def labels_path(scan):
    folder, name = os.path.split(scan)
    return os.path.join(os.path.dirname(folder), "labels", name[:-4] + ".label")


def labelled_scans(folder):
    """Every scan below a folder that has labels: NAME/velodyne/X.bin with NAME/labels/X.label, in
    the folder itself, in its sub-folders or in sequences/. Sorted by path."""
    roots = [folder, os.path.join(folder, "sequences")]
    roots += [os.path.join(root, name) for root in list(roots) for name in files_of(root) or ()]
    paths = [os.path.join(root, "velodyne", name) for root in roots
             for name in files_of(os.path.join(root, "velodyne"), ".bin") or ()]
    paths = sorted((path for path in paths if os.path.isfile(labels_path(path))), key=os.fsencode)
    if not paths:
        raise Refused(f"no scans in {folder}: looked for velodyne/*.bin with labels/*.label in it, "
                      "in its sub-folders and in sequences/")
    return paths


def read_labels(path, count):
    try:
        data = pathlib.Path(path).read_bytes()
    except OSError as error:
        raise Refused(f"Failed to open file “{path}”: {error.strerror}") from None
    if len(data) != 4 * count:
        raise Refused(f"{path} has {len(data)} bytes, but {count} points need {4 * count}")
    return np.frombuffer(data, np.uint32)


def read_scan(path):
    """(points, labels)."""
    points = stixels.read_points(path, "kitti")
    return points, read_labels(labels_path(path), len(points))


def scan_name(path):
    parts = path.split("/")
    return f"{parts[-3][:20] if len(parts) > 2 else ''}/{parts[-1][:30]}"


def _beside(scan, *names):
    return os.path.join(os.path.dirname(os.path.dirname(scan)), *names)


def _picture(scan, pair):
    return _beside(scan, f"image_{pair}", os.path.basename(scan)[:-4] + ".png")


def pair_of(scan):
    """2: the colour pair, 0: the gray pair, -1: none."""
    return next((pair for pair in (2, 0) if os.path.isfile(_picture(scan, pair))
                 and os.path.isfile(_picture(scan, pair + 1))), -1)


def load_beside(scan, calibration, needs_scan, name):
    """(frame, projection): the pictures and the calibration that belong to SEQUENCE/velodyne/X.bin,
    which need not exist."""
    pair = pair_of(scan)
    calib = calibration or _beside(scan, "calib.txt")
    left, right = (png.load_gray(_picture(scan, max(pair, 0) + i)) for i in range(2))
    camera = stixels.read_camera(calib, pair)
    projection = read_projection(calib, pair, needs_scan)
    same_size(scan, left, "right one", right)
    frame = Frame(name, left, right)
    try:
        frame.camera, _ = fit(camera, *frame.size)
    except Refused as error:
        raise Refused(f"{scan}: {error}") from None
    if camera.focal != frame.camera.focal:  # the matrices are not scaled
        raise Refused(f"{scan}: the calibration is for pictures of {camera.image_width} × "
                      f"{camera.image_height} pixels, not {frame.size[0]} × {frame.size[1]}")
    return frame, projection


class Scans:
    """Pairs with labelled scans, in the folders of KITTI's odometry benchmark and SemanticKITTI."""
    is_video = has_labels = False

    def __init__(self, folder, calibration=None):
        self.name, self._calibration = folder, calibration
        self._paths = [path for path in labelled_scans(folder) if pair_of(path) >= 0]
        self.count = len(self._paths)
        if not self._paths:
            raise Refused(f"{folder}: no scan here has stereo pictures of its name: looked beside "
                          "velodyne/ for image_2/ and image_3/, or image_0/ and image_1/")

    def load(self, index):
        path = self._paths[index]
        frame, projection = load_beside(path, self._calibration, True,
                                        scan_name(path).rpartition(".")[0])
        add_scan(frame, projection, *read_scan(path))
        return frame


# ---- Sequences ----------------------------------------------------------------------------------

class Sequence:
    """A folder in the layout of KITTI's odometry benchmark: image_2 and image_3 (or image_0 and
    image_1), calib.txt, poses.txt, times.txt or ten frames a second, and where there are any,
    velodyne/ with labels/."""
    is_video, has_labels = True, False

    def __init__(self, folder, calibration=None):
        self.name, self._folder, self._calibration = folder, folder, calibration
        names = [files_of(os.path.join(folder, name), ".png") for name in ("image_2", "image_0")]
        self.names = [name[:-4] for name in names[0] or names[1] or ()]
        if not self.names:
            raise Refused(f"{folder}: no pictures in image_2 or image_0")
        self.count = len(self.names)
        self.poses = self._numbers("poses.txt", 12).reshape(-1, 3, 4)
        self.times = (self._numbers("times.txt", 1)
                      if os.path.exists(os.path.join(folder, "times.txt"))
                      else np.arange(self.count) / FRAMES_PER_SECOND)
        try:
            self.scans = labelled_scans(folder)
        except Refused:
            self.scans = []

    def _numbers(self, name, columns):
        path, count = os.path.join(self._folder, name), self.count * columns
        try:
            words = pathlib.Path(path).read_text(encoding="utf-8", errors="replace").split()
        except OSError as error:
            raise Refused(f"{path}: {error.strerror}; it must be the numbers of a sequence") \
                from None
        found = [_finite(word) for word in words[:count]]
        good = found.index(None) if None in found else len(found)
        if good < count:
            raise Refused(f"{path}: {self.count} frames need {columns} numbers each, and number "
                          f"{good + 1} is missing or not finite")
        return np.array(found)

    def load(self, index):
        name = self.names[index]
        path = os.path.join(self._folder, "velodyne", name + ".bin")
        frame, projection = load_beside(path, self._calibration, False, name)
        if path in self.scans:
            add_scan(frame, projection, *read_scan(path), every=True)
        return frame

    def motion(self, index):
        """The camera's, to this frame, by the poses: now⁻¹ · before."""
        if index == 0:
            return stixels.Estimate("first")
        now, before = self.poses[index], self.poses[index - 1]
        rotation, translation = np.zeros((3, 3)), np.zeros(3)
        for k in range(3):
            translation += now[k, :3] * (before[k, 3] - now[k, 3])
            rotation += np.outer(now[k, :3], before[k, :3])
        return stixels.Estimate("known", stixels.Motion(rotation, translation))
