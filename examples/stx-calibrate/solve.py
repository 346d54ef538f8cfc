# SPDX-License-Identifier: LGPL-2.1-or-later
"""From corners to two cameras: OpenCV's calibration, views that do not fit left out."""
import cv2
import numpy as np

LEAST_VIEWS = 8
ROUNDS = 4  # of leaving out
WORST = 3  # times the median error of a view
LEAST_WORST = 0.3  # pixels, below which no view is left out
FISHEYE_GUESSES = (0.32, 0.5, 0.8)  # focal lengths, shares of the width
CRITERIA = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 100, 1e-7)


def board_points(board, square):
    points = np.zeros((board[0] * board[1], 3))
    points[:, :2] = np.mgrid[:board[0], :board[1]].T.reshape(-1, 2) * square
    return points


def rms(values):
    return float(np.sqrt(np.mean(np.square(values))))


def highest(values):
    """Where they no longer grow."""
    turns = np.flatnonzero(~(np.diff(values) > 0))
    return values[turns[0]] if len(turns) else values[-1]


class Pinhole:
    """Lenses of up to about 120 degrees."""

    def __init__(self, rational):
        self.flags = cv2.CALIB_RATIONAL_MODEL if rational else 0
        self.name = "rational_polynomial" if rational else "plumb_bob"
        self.count = 8 if rational else 5

    @staticmethod
    def single(points):
        return [p.astype(np.float32).reshape(-1, 1, points[0].shape[-1]) for p in points]

    def one(self, objects, points, size):
        """K, D, pose vectors and RMS of a camera."""
        result = cv2.calibrateCamera(self.single(objects), self.single(points), size, None, None,
                                     flags=self.flags, criteria=CRITERIA)
        return result[1], result[2].ravel()[:self.count], result[3], result[0]

    def both(self, objects, left, right, cameras, size):
        """Refines both cameras together: K D K D R T."""
        (k1, d1), (k2, d2) = cameras
        result = cv2.stereoCalibrate(
            self.single(objects), self.single(left), self.single(right), k1, d1, k2, d2, size,
            flags=self.flags | cv2.CALIB_USE_INTRINSIC_GUESS, criteria=CRITERIA)
        return (result[1], result[2].ravel()[:self.count], result[3],
                result[4].ravel()[:self.count], result[5], result[6])

    def reach(self, d):
        """The radius up to which the lens shows something, focal lengths: there it turns back."""
        k1, k2, _, _, k3, k4, k5, k6 = np.append(d, np.zeros(8))[:8]
        r = np.linspace(0, 20, 20001)
        s = r * r
        return highest(r * (1 + s * (k1 + s * (k2 + s * k3))) / (1 + s * (k4 + s * (k5 + s * k6))))

    def project(self, points, rotation, translation, k, d):
        return cv2.projectPoints(points, rotation, translation, k, d)[0].reshape(-1, 2)

    def pose(self, objects, points, k, d):
        return cv2.solvePnP(objects, points, k, d)[1:3]

    def rectify(self, result):
        return cv2.stereoRectify(
            result.k[0], result.d[0], result.k[1], result.d[1], result.size, result.r, result.t,
            flags=cv2.CALIB_ZERO_DISPARITY, alpha=0)[:4]

    def undistort(self, points, k, d, r, p):
        return cv2.undistortPoints(points.reshape(-1, 1, 2), k, d, R=r, P=p).reshape(-1, 2)

    def maps(self, k, d, r, p, size):
        return cv2.initUndistortRectifyMap(k, d, r, p, size, cv2.CV_32FC1)


def fisheye_flag(name):
    """OpenCV 5 has them among its own."""
    return getattr(cv2.fisheye, name, None) or getattr(cv2, name)


class Fisheye:
    """Lenses whose angle counts, not its tangent."""
    name, count = "equidistant", 4

    @staticmethod
    def double(points):
        return [p.reshape(1, -1, points[0].shape[-1]) for p in points]

    def one(self, objects, points, size):
        """The best from several first guesses: OpenCV's own, 180 degrees, is too wide for some."""
        flags = (fisheye_flag("CALIB_RECOMPUTE_EXTRINSIC") | fisheye_flag("CALIB_FIX_SKEW") |
                 fisheye_flag("CALIB_USE_INTRINSIC_GUESS"))
        best, fault = None, None
        for focal in np.array(FISHEYE_GUESSES) * size[0]:
            k = np.array([[focal, 0, size[0] / 2], [0, focal, size[1] / 2], [0, 0, 1]])
            try:
                error, k, d, turns, shifts = cv2.fisheye.calibrate(
                    self.double(objects), self.double(points), size, k, np.zeros((4, 1)),
                    flags=flags, criteria=CRITERIA)
            except cv2.error as failure:
                fault = failure
                continue
            if best is None or error < best[3]:
                best = k, d.ravel(), turns, error
        if best is None:
            raise fault
        return best

    def both(self, objects, left, right, cameras, size):
        (k1, d1), (k2, d2) = cameras
        flags = (fisheye_flag("CALIB_USE_INTRINSIC_GUESS") | fisheye_flag("CALIB_FIX_SKEW") |
                 fisheye_flag("CALIB_RECOMPUTE_EXTRINSIC"))
        result = cv2.fisheye.stereoCalibrate(
            self.double(objects), self.double(left), self.double(right), k1, d1.reshape(4, 1), k2,
            d2.reshape(4, 1), size, flags=flags, criteria=CRITERIA)
        return (result[1], result[2].ravel(), result[3], result[4].ravel(), result[5],
                np.asarray(result[6]).reshape(3, 1))

    def reach(self, d):
        t = np.linspace(0, 3.1, 20001)
        s = t * t
        return highest(t * (1 + s * (d[0] + s * (d[1] + s * (d[2] + s * d[3])))))

    def project(self, points, rotation, translation, k, d):
        return cv2.fisheye.projectPoints(
            points.reshape(1, -1, 3), rotation, translation, k, d)[0].reshape(-1, 2)

    def pose(self, objects, points, k, d):
        flat = cv2.fisheye.undistortPoints(points.reshape(-1, 1, 2), k, d)
        return cv2.solvePnP(objects, flat, np.eye(3), None)[1:3]

    def rectify(self, result):
        return cv2.fisheye.stereoRectify(
            result.k[0], result.d[0], result.k[1], result.d[1], result.size, result.r, result.t,
            fisheye_flag("CALIB_ZERO_DISPARITY"), newImageSize=result.size, balance=0)[:4]

    def undistort(self, points, k, d, r, p):
        return cv2.fisheye.undistortPoints(
            points.reshape(-1, 1, 2), k, d, R=r, P=p).reshape(-1, 2)

    def maps(self, k, d, r, p, size):
        return cv2.fisheye.initUndistortRectifyMap(k, d, r, p[:, :3], size, cv2.CV_32FC1)


def model_of(name):
    return Fisheye() if name == "fisheye" else Pinhole(name == "rational")


class Result:
    """Two cameras, how well they fit, and the pair that rectification makes of them."""

    def __init__(self, model, size, numbers):
        self.model, self.size = model, size
        k1, d1, k2, d2, self.r, self.t = numbers
        self.k, self.d = (k1, k2), (d1, d2)
        self.alone = (0.0, 0.0)  # RMS of each camera by itself
        self.views, self.dropped, self.errors, self.poses = [], 0, [], []
        self.rectified = None

    def rectify(self):
        self.rectified = self.model.rectify(self)

    def residuals(self, view, objects):
        """Distances of the corners from where both cameras together expect them, and the pose."""
        turn, shift = self.model.pose(objects, view.left, self.k[0], self.d[0])
        right = cv2.composeRT(turn, shift, cv2.Rodrigues(self.r)[0], self.t)[:2]
        off = [points - self.model.project(objects, *pose, self.k[i], self.d[i])
               for i, (points, pose) in enumerate(((view.left, (turn, shift)),
                                                   (view.right, right)))]
        return np.linalg.norm(np.vstack(off), axis=1), (turn, shift)

    def epipolar(self, view):
        """Differences of the rows of a view's corners, rectified, pixels."""
        r1, r2, p1, p2 = self.rectified
        left, right = (self.model.undistort(points, self.k[i], self.d[i], r, p) for i, points, r, p
                       in ((0, view.left, r1, p1), (1, view.right, r2, p2)))
        return np.abs(left[:, 1] - right[:, 1])

    def shows(self, side, x, y):
        """Whether the lens reaches that pixel."""
        k = self.k[side]
        place = (x - k[0, 2]) / k[0, 0], (y - k[1, 2]) / k[1, 1]
        return bool(np.hypot(*place) < self.model.reach(self.d[side]))

    def maps(self, side):
        return self.model.maps(self.k[side], self.d[side], self.rectified[side],
                               self.rectified[2 + side], self.size)

    @property
    def baseline(self):
        return float(np.linalg.norm(self.t))


def solve_once(model, views, objects, size):
    same = [objects] * len(views)
    sides = [view.left for view in views], [view.right for view in views]
    cameras = [model.one(same, points, size) for points in sides]
    numbers = model.both(same, *sides, [camera[:2] for camera in cameras], size)
    result = Result(model, size, [np.array(number, np.float64) for number in numbers])
    result.alone = tuple(camera[3] for camera in cameras)
    result.views = views
    residuals = [result.residuals(view, objects) for view in views]
    result.errors = [rms(off) for off, pose in residuals]
    result.poses = [pose for off, pose in residuals]
    return result


def solve(model, views, objects, size):
    """Leaves out views that fit much worse than most, and solves again."""
    result = solve_once(model, views, objects, size)
    for _ in range(ROUNDS):
        limit = max(WORST * float(np.median(result.errors)), LEAST_WORST)
        good = [view for view, error in zip(result.views, result.errors) if error <= limit]
        if len(good) == len(result.views) or len(good) < LEAST_VIEWS:
            break
        result = solve_once(model, good, objects, size)
    result.dropped = len(views) - len(result.views)
    result.rectify()
    return result
