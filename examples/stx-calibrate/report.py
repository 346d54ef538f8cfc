# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report to the user: how good the calibration is, and what is lacking."""
import cv2
import numpy as np

from solve import rms

GOOD_RMS, POOR_RMS = 0.3, 1.0  # pixels
GOOD_ROWS, POOR_ROWS = 0.25, 0.7
APART = 3  # both together fit so many times worse than each alone: not of one moment
ENOUGH_VIEWS = 15
ENOUGH_TILT = 25.0  # degrees
ENOUGH_SIZE = 0.35  # of the picture's width or height, the nearest board
LENGTHS = ((0, "left"), (1, "right"))


def degrees_seen(result, side):
    """The field of view across and down, degrees."""
    width, height = result.size
    ends = np.array([[0, (height - 1) / 2], [width - 1, (height - 1) / 2],
                     [(width - 1) / 2, 0], [(width - 1) / 2, height - 1]])
    flat = result.model.undistort(ends, result.k[side], result.d[side], np.eye(3), np.eye(3))
    angles = np.degrees(np.arctan(np.abs([flat[0, 0], flat[1, 0], flat[2, 1], flat[3, 1]])))
    return angles[0] + angles[1], angles[2] + angles[3]


def coverage(views, size, side):
    """Share of the cells of 8 x 6 in which corners lie, and a 3 x 3 table of how many views."""
    points = np.vstack([view[side] for view in views]) / np.array(size)
    cells = {(int(x * 8), int(y * 6)) for x, y in points}
    thirds = np.zeros((3, 3), int)
    for view in views:
        for column, row in {(int(x * 3), int(y * 3)) for x, y in
                            np.clip(view[side] / np.array(size), 0, 0.999)}:
            thirds[row, column] += 1
    return len(cells) / 48, thirds


def tilts(result):
    """Angles of the boards to the picture, degrees."""
    normals = [cv2.Rodrigues(turn)[0][:, 2] for turn, shift in result.poses]
    return [float(np.degrees(np.arccos(min(1, abs(normal[2]))))) for normal in normals]


def distances(result):
    return [float(np.linalg.norm(shift)) for turn, shift in result.poses]


def largest(result):
    """The largest share of the picture's width or height that a board takes."""
    size = np.array(result.size)
    return max(float(((view.left.max(0) - view.left.min(0)) / size).max())
               for view in result.views)


# ---- What is lacking ----------------------------------------------------------------------------

def lacking_parts(views, size):
    """Thirds of the pictures where no board was. What only one camera sees, neither can help."""
    for side, name in LENGTHS:
        thirds = coverage(views, size, side)[1]
        for i, part in enumerate(("left", "middle", "right")):
            if thirds[:, i].sum() == 0:
                yield f"no board in the {part} third of the {name} picture"
        for i, part in enumerate(("upper", "middle", "lower")):
            if thirds[i].sum() == 0:
                yield f"no board in the {part} third of the {name} picture"


def lacking_poses(result):
    tilted, size = max(tilts(result)), largest(result)
    if tilted < ENOUGH_TILT:
        yield f"tilt the board more: {tilted:.0f} degrees at most, {ENOUGH_TILT:.0f} and more help"
    if size < ENOUGH_SIZE:
        yield (f"bring it nearer: it takes {100 * size:.0f} % of the picture's width or height at "
               f"most, {100 * ENOUGH_SIZE:.0f} % and more help")
    if len(result.views) < ENOUGH_VIEWS:
        yield f"more views: {len(result.views)} are used, {ENOUGH_VIEWS} and more help"


def pixels(value):
    return f"{value:.2f} px" if value < 100 else "more than 100 px"


def lacking_fit(result, rows):
    both = rms(result.errors)
    alone = max(max(result.alone), 0.05)
    if both > max(APART * alone, GOOD_RMS):
        yield (f"the cameras fit to {max(result.alone):.2f} px each, but to {pixels(both)} "
               "together: their frames are not of the same moment; hold the board still, or "
               "trigger both")
    elif both > POOR_RMS:
        yield (f"corners are {pixels(both)} off: is the board flat, --square and --board right, "
               "the focus fixed, the lens wider than --model allows?")
    if rows > POOR_ROWS:
        yield f"rows of the two views differ by {pixels(rows)} after rectification"


def lacking_edges(result):
    """Numbers that fit where boards were may mean nothing where none was."""
    right, lower = (n - 1 for n in result.size)
    for side, name in LENGTHS:
        if not all(result.shows(side, x, y) for x in (0, right) for y in (0, lower)):
            yield (f"the {name} lens turns back before the picture's corners: show the board "
                   "there, or take a --model with fewer coefficients")


def edge_is_lost(result):
    """Whether an edge of a picture is out of the lens's reach, which stereo-rectify refuses."""
    right, lower = (n - 1 for n in result.size)
    middles = (0, lower / 2), (right, lower / 2), (right / 2, 0), (right / 2, lower)
    return not all(result.shows(side, *place) for side in (0, 1) for place in middles)


def lacking(result, rows):
    return [*lacking_fit(result, rows), *lacking_edges(result),
            *lacking_parts(result.views, result.size), *lacking_poses(result)]


# ---- The text -----------------------------------------------------------------------------------

def judgement(value, good, poor):
    return "good" if value <= good else "usable" if value <= poor else "poor"


def lens_line(result, side, name):
    across, down = degrees_seen(result, side)
    k, d = result.k[side], result.d[side]
    share = coverage(result.views, result.size, side)[0]
    return (f"{name:7}focal length {k[0, 0]:.2f}, {k[1, 1]:.2f} px, centre {k[0, 2]:.1f}, "
            f"{k[1, 2]:.1f}; sees {across:.1f} x {down:.1f} degrees\n"
            f"       boards cover {100 * share:.0f} % of the picture; "
            f"{result.model.name} {' '.join(f'{value:.4g}' for value in d)}")


def turned(result):
    return float(np.degrees(np.linalg.norm(cv2.Rodrigues(result.r)[0])))


def rows_apart(result, others):
    """Median and 95 % of the differences of rows, of views not used for the fit if they suffice."""
    views = others if len(others) >= 5 else result.views
    off = np.concatenate([result.epipolar(view) for view in views])
    return float(np.median(off)), float(np.percentile(off, 95)), len(views), views is others


def text_of(result, others):
    """The report, and what is lacking."""
    rows, most, count, fresh = rows_apart(result, others)
    fit = rms(result.errors)
    far, near = max(distances(result)), min(distances(result))
    focal = result.rectified[2][0, 0]
    lines = [
        *(lens_line(result, side, name) for side, name in LENGTHS),
        f"pair   baseline {100 * result.baseline:.2f} cm, turned by {turned(result):.2f} degrees; "
        f"rectified focal length {focal:.1f} px",
        f"       at 10 m a disparity of {focal * result.baseline / 10:.1f} px",
        f"board  {near:.2f} to {far:.2f} m away, tilted by up to {max(tilts(result)):.0f} degrees",
        f"fit    corners {fit:.3f} px off (RMS; left alone {result.alone[0]:.3f}, right "
        f"{result.alone[1]:.3f}): {judgement(fit, GOOD_RMS, POOR_RMS)}",
        f"rows   {rows:.3f} px apart after rectification (median; 95 % below {most:.3f}), in "
        f"{count} views {'not used for the fit' if fresh else 'of these'}: "
        f"{judgement(rows, GOOD_ROWS, POOR_ROWS)}"]
    return "\n".join(lines), lacking(result, rows), (fit, rows)
