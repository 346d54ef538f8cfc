# SPDX-License-Identifier: LGPL-2.1-or-later
"""Places and turns of frames: 4×4 matrices, which take points of a child to its parent, and what
ROS makes of them. REP 103: a body has x ahead, y to the left, z up; an optical frame x to the
right, y down, z ahead."""
import numpy as np

# Points of an optical frame in the body's that looks the same way.
OPTICAL = np.array([[0, 0, 1, 0], [-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 0, 1]], float)


def turn(roll, pitch, yaw):
    """Radians, rolled first: right side down, front down, front to the left."""
    (cr, cp, cy), (sr, sp, sy) = (f([roll, pitch, yaw]) for f in (np.cos, np.sin))
    return (np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
            @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
            @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]]))


def angles(matrix):
    """The inverse of turn ()."""
    return (np.arctan2(matrix[2, 1], matrix[2, 2]), -np.arcsin(np.clip(matrix[2, 0], -1, 1)),
            np.arctan2(matrix[1, 0], matrix[0, 0]))


def matrix(place, turned=np.eye(3)):
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = turned, place
    return found


def quaternion(turned):
    """x, y, z, w of a rotation: the eigenvector of the largest eigenvalue (Bar-Itzhack)."""
    (a, b, c), (d, e, f), (g, h, i) = turned[:3, :3]
    symmetric = np.array([[a - e - i, 0, 0, 0], [b + d, e - a - i, 0, 0],
                          [c + g, f + h, i - a - e, 0], [h - f, c - g, d - b, a + e + i]]) / 3
    found = np.linalg.eigh(symmetric)[1][:, -1]  # of the lower triangle
    return found if found[3] >= 0 else -found


def of_quaternion(x, y, z, w):
    s = 2 / max(x * x + y * y + z * z + w * w, 1e-12)
    return np.array([[1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
                     [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
                     [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)]])


def of_message(transform):
    place, turned = transform["translation"], transform["rotation"]
    return matrix([place[name] for name in "xyz"], of_quaternion(*(turned[n] for n in "xyzw")))


def message(header, child, found):
    return {"header": header, "child_frame_id": child, "transform": {
        "translation": dict(zip("xyz", found[:3, 3])),
        "rotation": dict(zip("xyzw", quaternion(found)))}}


class Tree:
    """Frames with their parents and places."""

    def __init__(self):
        self.parents = {}

    def add(self, parent, child, found):
        self.parents[child.lstrip("/")] = parent.lstrip("/"), found

    def to_root(self, frame):
        """(the root, the matrix to it)"""
        found, seen = np.eye(4), set()
        while frame in self.parents and frame not in seen:
            seen.add(frame)
            frame, step = self.parents[frame]
            found = step @ found
        return frame, found

    def between(self, target, source):
        """The matrix that takes points of `source` to `target`; None: they hang on two trees."""
        (root, one), (other, two) = self.to_root(target), self.to_root(source)
        return np.linalg.inv(one) @ two if root == other else None
