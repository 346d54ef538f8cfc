# SPDX-License-Identifier: LGPL-2.1-or-later
"""The way from pictures to the file."""
import collections
import datetime
import os
import pathlib
import sys

import cv2
import numpy as np

import corners
import drawing
import report
import scene
import solve
import sources

LIVE_EVERY = 0.5  # seconds
MOST_LONELY = 0.2  # share of frames without a partner
USELESS = 3  # pixels, of both errors: nothing is written

# The views; how many pairs were looked at, and how often the board was in the left and in the right
# picture; the last pair, if possible one with the board.
Found = collections.namedtuple("Found", "views looked left right pair")


class CalibrationError(Exception):
    """Why there is no calibration."""


# ---- Looking for boards -------------------------------------------------------------------------

def look(pairs, arguments):
    """The views of the board among the pairs of pictures."""
    live = sources.is_live(arguments.input[0])
    every = arguments.every or (LIVE_EVERY if live else 0)
    views, looked, seen, shown, due = [], 0, [0, 0], None, -1e9
    try:
        for pair in pairs:
            if pair.time < due:
                continue
            due, looked = pair.time + every, looked + 1
            view, found = corners.find_pair(pair, arguments.board)
            seen = [n + there for n, there in zip(seen, found)]
            if view is not None:
                views.append(view)
            if view is not None or not views:
                shown = pair
            tell(live, looked, views, pair)
    except KeyboardInterrupt:
        if not live:
            raise
    return Found(views, looked, *seen, shown)


def tell(live, looked, views, pair):
    """Prints the progress; live, the views that are still missing."""
    if not sys.stderr.isatty():
        return
    hint = ""
    if live and views:
        size = pair.left.shape[::-1]
        hint = next(report.lacking_parts(views, size), "")
    print(f"\r{looked} frames, {len(views)} views of the board  {hint:70}", end="",
          file=sys.stderr, flush=True)


def check_found(found, arguments, count):
    """Says why there are too few views."""
    board = f"{arguments.board[0]}x{arguments.board[1]}"
    if count.pairs == 0:
        raise CalibrationError(
            f"no pairs: {count.frames[0]} left and {count.frames[1]} right frames, none within "
            f"{arguments.tolerance} s of each other; record both views by one pipeline, or set "
            "--tolerance" if any(count.frames) else f"{' and '.join(arguments.input)}: no frames")
    if len(found.views) >= solve.LEAST_VIEWS:
        return
    if found.left == 0 and found.right == 0:
        other = corners.other_board(found.pair[:2], arguments.board)
        hint = (f"; but there is one of {other[0]}x{other[1]}: --board counts corners between "
                "squares, not squares" if other else "; all of its corners, and white around "
                "them, have to be seen")
        raise CalibrationError(f"no board of {board} corners in {found.looked} frames{hint}")
    raise CalibrationError(
        f"only {len(found.views)} views with the board in both pictures, of {found.looked} (left "
        f"{found.left}, right {found.right}); {solve.LEAST_VIEWS} are needed, and "
        f"{report.ENOUGH_VIEWS} or more in different places are good")


def check_pairing(count):
    lonely = 1 - 2 * count.pairs / max(sum(count.frames), 1) if all(count.frames) else 0
    if len(set(count.frames)) > 1 and lonely > MOST_LONELY:
        print(f"note: {100 * lonely:.0f} % of the frames have no partner within the tolerance: the "
              "cameras are out of step, or one of them loses frames")


# ---- Solving ------------------------------------------------------------------------------------

def check_pose(result):
    x, y, z = result.t.ravel()
    if abs(x) < max(abs(y), abs(z)):
        raise CalibrationError(
            f"the right camera stands at {-x:.3f}, {-y:.3f}, {-z:.3f} m (right, down, ahead) from "
            "the left one: stereo needs them side by side")
    if x > 0:
        raise CalibrationError("left and right are swapped: exchange the inputs, or add --swap")


def solve_views(found, arguments):
    """The result, and the views not used for the fit."""
    size = tuple(int(n) for n in found.pair.left.shape[::-1])
    chosen, others = corners.spread(found.views, arguments.board, size, arguments.views)
    objects = solve.board_points(arguments.board, arguments.square)
    try:
        result = solve.solve(solve.model_of(arguments.model), chosen, objects, size)
    except cv2.error as error:
        raise CalibrationError(
            f"OpenCV finds no cameras for these {len(chosen)} views ({error.err}): show the board "
            "in more places, more tilted, and choose the --model of the lens")
    check_pose(result)
    if not all(np.isfinite(number).all() for number in (*result.k, *result.d, result.r, result.t)):
        raise CalibrationError("the numbers found are not finite: show the board in more places")
    return result, others


# ---- The file -----------------------------------------------------------------------------------

def check_output(path):
    """Before the work, not after it."""
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise CalibrationError(f"{path}: cannot be written")


def write(path, result, arguments, numbers):
    """OpenCV's FileStorage, with the names of its sample stereo_calib."""
    what = (f"a scene, baseline {result.baseline:g} m" if arguments.scene else
            f"{len(result.views)} views of {arguments.board[0]}x{arguments.board[1]} corners, "
            f"squares of {arguments.square:g} m")
    file = cv2.FileStorage("", cv2.FILE_STORAGE_WRITE | cv2.FILE_STORAGE_FORMAT_YAML |
                           cv2.FILE_STORAGE_MEMORY)
    comment = (f"stx-calibrate, {datetime.date.today()}: {what}\nRMS {numbers[0]:.4f} px, rows "
               f"{numbers[1]:.4f} px apart; lengths in metres")
    for line in comment.split("\n"):
        file.writeComment(line)
    file.write("image_width", result.size[0])
    file.write("image_height", result.size[1])
    file.write("distortion_model", result.model.name)
    for i in range(2):
        file.write(f"K{i + 1}", result.k[i])
        file.write(f"D{i + 1}", result.d[i].reshape(1, -1))
    file.write("R", result.r)
    file.write("T", result.t.reshape(3, 1))
    path.write_text(file.releaseAndGetString(), encoding="utf-8")


def run_scene(pairs, count, arguments, outputs):
    """Without a board."""
    try:
        result, text, numbers, pair = scene.run(
            pairs, arguments, arguments.fov or sources.fov_of(arguments.input[0]))
    except scene.SceneError as error:
        if count.pairs == 0:
            check_found(None, arguments, count)
        raise CalibrationError(error)
    check_pairing(count)
    print(text)
    if numbers[1] > USELESS:
        raise CalibrationError(f"rows are {numbers[1]:.1f} px apart after rectification: are the "
                               "recordings of the same moments?")
    write(outputs[0], result, arguments, numbers)
    for path in outputs[1:]:
        drawing.write_pair(path, pair[:2], result)
    print(f"{arguments.output}: for stereo-rectify calibration={arguments.output}")


def run(arguments):
    outputs = [pathlib.Path(name) for name in (arguments.output, arguments.picture) if name]
    for path in outputs:
        check_output(path)
    pairs, count = sources.open_pairs(arguments)
    if arguments.scene:
        run_scene(pairs, count, arguments, outputs)
        return
    found = look(pairs, arguments)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    check_found(found, arguments, count)
    check_pairing(count)
    result, others = solve_views(found, arguments)
    text, lacking, numbers = report.text_of(result, others)
    if max(numbers) > USELESS or report.edge_is_lost(result):
        raise CalibrationError("; ".join(lacking[:2]))
    print(f"{found.looked} frames of {result.size[0]}x{result.size[1]}, {len(found.views)} views "
          f"of the board, {len(result.views)} used, {result.dropped} left out\n{text}")
    for line in lacking:
        print(f"better {line}")
    write(outputs[0], result, arguments, numbers)
    for path in outputs[1:]:
        drawing.write_pair(path, found.pair[:2], result)
    print(f"{arguments.output}: for stereo-rectify calibration={arguments.output}")
