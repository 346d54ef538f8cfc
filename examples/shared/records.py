# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records as NumPy arrays, and where stixels stand in metres. docs/formats.md describes them."""
import numpy as np

STIXEL = np.dtype([
    ("column", "<u2"), ("top", "<u2"), ("bottom", "<u2"), ("kind", "u1"), ("label", "u1"),
    ("disparity_top", "<f4"), ("disparity_bottom", "<f4"), ("cost", "<f4"), ("confidence", "<f4"),
])
assert STIXEL.itemsize == 24

OBSTACLE = np.dtype([
    ("id", "<u4"), ("age", "<u4"), ("left", "<u2"), ("top", "<u2"), ("right", "<u2"),
    ("bottom", "<u2"), ("first_column", "<u2"), ("last_column", "<u2"), ("count", "<u4"),
    ("source", "u1"), ("label", "u1"), ("flags", "u1"), ("reserved", "u1"), ("confidence", "<f4"),
    ("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("width", "<f4"), ("height", "<f4"),
    ("depth", "<f4"), ("closing_speed", "<f4"), ("lateral_speed", "<f4"),
])
assert OBSTACLE.itemsize == 64
IN_CORRIDOR, CUT = 1, 2  # of its flags

KINDS = ("segment", "ground", "object", "sky")
OBJECT = KINDS.index("object")
SOURCES = ("stereo", "lidar")
LABELS = ("road", "sidewalk", "building", "wall", "fence", "pole", "traffic light", "traffic sign",
          "vegetation", "terrain", "sky", "person", "rider", "car", "truck", "bus", "train",
          "motorcycle", "bicycle")
NO_LABEL = 255


def parse(data, dtype=STIXEL):
    """The records in `data` (bytes), as a structured array without a copy."""
    if len(data) % dtype.itemsize:
        raise ValueError(f"{len(data)} bytes are no whole number of {dtype.itemsize}-byte records")
    return np.frombuffer(data, dtype=dtype)


def metres(stixels, camera, width, stixel_width):
    """x, y, z, z_top, width and height of each, as docs/formats.md has them; NaN: unknown.

    `camera` is a dictionary with what is known of focal, baseline, cx and cy.
    """
    focal, scale = camera.get("focal", 0), camera.get("focal", 0) * camera.get("baseline", 0)
    cx, cy = camera.get("cx", np.nan), camera.get("cy", np.nan)

    def depth(name):
        disparity = stixels[name].astype(float)
        known = (disparity > 0) & np.isfinite(disparity) & (scale > 0)
        return np.divide(scale, disparity, out=np.full(len(stixels), np.nan), where=known)

    z = depth("disparity_bottom")
    far = np.where(np.isnan(z), np.nan, depth("disparity_top"))
    left = stixels["column"] * float(stixel_width) - .5
    right = np.minimum(left + stixel_width, width - .5)
    with np.errstate(divide="ignore", invalid="ignore"):
        foot, head = stixels["bottom"] + .5, stixels["top"] - .5
        upright = (foot - head) * z / focal
        slanted = ((foot - cy) * z - (head - cy) * far) / focal
        return {"x": ((left + right) / 2 - cx) * z / focal, "y": (foot - cy) * z / focal, "z": z,
                "z_top": far, "width": (right - left) * z / focal,
                "height": np.where(far == z, upright, slanted)}
