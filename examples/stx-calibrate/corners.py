# SPDX-License-Identifier: LGPL-2.1-or-later
"""The chessboard's corners in pictures, and which of the found views are worth to be used."""
import collections

import cv2
import numpy as np

# The corners of one board in both pictures, N x 2 each.
View = collections.namedtuple("View", "left right")

FAST = cv2.CALIB_CB_ADAPTIVE_THRESH | cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_FAST_CHECK
THOROUGH = cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_ACCURACY
SMALL = 800  # pixels of the longer side
MOST_WINDOW = 11  # pixels around a corner, to either side, in which it is refined


def spacing(points, board):
    """The shortest distance between neighbours, pixels."""
    grid = points.reshape(board[1], board[0], 2)
    return min(np.linalg.norm(np.diff(grid, axis=axis), axis=2).min() for axis in (0, 1))


def quick(gray, board):
    """Roughly where the corners are, or None. Small squares are looked for in a larger picture."""
    found, points = cv2.findChessboardCorners(gray, board, flags=FAST)
    if not found and max(gray.shape) < SMALL:
        twice = cv2.resize(gray, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
        found, points = cv2.findChessboardCorners(twice, board, flags=FAST)
        points = (points + 0.5) / 2 - 0.5 if found else None
    return points if found else None


def find(gray, board):
    """The corners by a quick search, refined; None: there is no board that it sees."""
    points = quick(gray, board)
    if points is None:
        return None
    window = int(np.clip(spacing(points, board) * 0.4, 2, MOST_WINDOW))
    points = cv2.cornerSubPix(gray, points.astype(np.float32), (window, window), (-1, -1),
                              (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 40, 1e-3))
    return points.reshape(-1, 2).astype(np.float64)


def find_thoroughly(gray, board):
    """The same, slowly, for a picture whose other view has the board."""
    found, points = cv2.findChessboardCornersSB(gray, board, flags=THOROUGH)
    return points.reshape(-1, 2).astype(np.float64) if found else None


def upright(points):
    """A board may be read from either end: begin at the upper left."""
    return points if (points[-1] - points[0]).sum() > 0 else points[::-1].copy()


def like(points, other):
    """The way round that looks most like the other view's."""
    def difference(candidate):
        return np.abs((candidate - candidate.mean(0)) - (other - other.mean(0))).sum()

    turned = points[::-1].copy()
    return points if difference(points) <= difference(turned) else turned


def find_pair(pair, board):
    """The board in both pictures: a View. Else whether it is in the left, and in the right one."""
    found = [find(picture, board) for picture in (pair.left, pair.right)]
    if sum(points is not None for points in found) == 1:
        found = [points if points is not None else find_thoroughly(picture, board)
                 for points, picture in zip(found, (pair.left, pair.right))]
    if any(points is None for points in found):
        return None, [points is not None for points in found]
    left = upright(found[0])
    return View(left, like(found[1], left)), [True, True]


def other_board(pictures, board):
    """A board that is in one of the pictures, where another was asked for; None: none."""
    for columns, rows in ((-1, -1), (1, 1), (-1, 0), (0, -1), (1, 0), (0, 1)):
        size = (board[0] + columns, board[1] + rows)
        if min(size) >= 3 and any(find(picture, size) is not None for picture in pictures):
            return size
    return None


# ---- Choice -------------------------------------------------------------------------------------

def features(points, board, size):
    """Where the board is, how large, and how it is tilted, each about 0 ... 1."""
    grid = points.reshape(board[1], board[0], 2)
    centre = points.mean(0) / size
    area = cv2.contourArea(cv2.convexHull(points.astype(np.float32))) / (size[0] * size[1])
    top, bottom, left, right = (np.linalg.norm(edge[-1] - edge[0]) for edge in (
        grid[0], grid[-1], grid[:, 0], grid[:, -1]))
    across = grid[:, -1].mean(0) - grid[:, 0].mean(0)
    return np.array([centre[0], centre[1], np.sqrt(area),
                     np.log(top / bottom), np.log(left / right),
                     np.arctan2(across[1], across[0])])


def spread(views, board, size, most):
    """Up to so many views, each as unlike those before it as can be, and those left over."""
    points = np.array([features(view.left, board, np.array(size)) for view in views])
    order = [int(np.argmax(points[:, 2]))]
    distance = np.linalg.norm(points - points[order[0]], axis=1)
    while len(order) < min(most, len(views)):
        order.append(int(np.argmax(distance)))
        distance = np.minimum(distance, np.linalg.norm(points - points[order[-1]], axis=1))
    rest = [view for i, view in enumerate(views) if i not in order]
    return [views[i] for i in order], rest
