# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records as NumPy arrays, and where stixels stand in metres. docs/formats.md describes them."""
import numpy as np

STIXEL = np.dtype([
    ("column", "<u2"), ("top", "<u2"), ("bottom", "<u2"), ("kind", "u1"), ("label", "u1"),
    ("disparity_top", "<f4"), ("disparity_bottom", "<f4"), ("cost", "<f4"), ("confidence", "<f4"),
])
assert STIXEL.itemsize == 24

KINDS = ("segment", "ground", "object", "sky", "carrier")
OBJECT, SKY = KINDS.index("object"), KINDS.index("sky")
NO_LABEL = 255


def parse(data):
    """The records in `data` (bytes), as a structured array without a copy."""
    if len(data) % STIXEL.itemsize:
        raise ValueError(f"{len(data)} bytes are no whole number of {STIXEL.itemsize}-byte records")
    return np.frombuffer(data, dtype=STIXEL)


def of_stixels(stixels):
    """The records of the stixels of a line of JSON."""
    names = STIXEL.names[5:]  # numbers, which are null where they are not finite
    return np.array([(s["column"], s["top"], s["bottom"], KINDS.index(s["kind"]),
                      NO_LABEL if s["label"] is None else s["label"],
                      *(np.nan if s[name] is None else s[name] for name in names))
                     for s in stixels], dtype=STIXEL)


def quads(stixels, camera, width, stixel_width, reach):
    """Where stixels are flat quads: which have one, and of these the corners in metres, lower left,
    lower right, upper right, upper left, in the axes of metres ().

    What lies farther than `reach` is cut off: no quad has sky, what is farther than that or of
    unknown distance as a whole. The camera is metric, with cx and cy.
    """
    scale = camera["focal"] * camera["baseline"]
    least = scale / reach
    above, below = (stixels["disparity_" + end].astype(float) for end in ("top", "bottom"))
    top, bottom = stixels["top"] - .5, stixels["bottom"] + .5
    left = stixels["column"] * float(stixel_width) - .5
    right = np.minimum(left + stixel_width, width - .5)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = (below - above) / (bottom - top)
        border = np.where(slope == 0, top, top + (least - above) / slope)
        first, last = np.where(above < least, border, top), np.where(below < least, border, bottom)
    seen = ((stixels["kind"] != SKY) & (np.minimum(above, below) >= 0) & (left < right)
            & (np.maximum(above, below) >= least) & (first < last))
    row = np.stack([last, last, first, first], axis=1)[seen]
    column = np.stack([left, right, right, left], axis=1)[seen]
    z = scale / (above[seen, None] + slope[seen, None] * (row - top[seen, None]))
    return seen, np.stack([(column - camera["cx"]) * z / camera["focal"],
                           (row - camera["cy"]) * z / camera["focal"], z], axis=2)
