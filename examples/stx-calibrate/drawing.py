# SPDX-License-Identifier: LGPL-2.1-or-later
"""Drawings of stx-calibrate: the board to print, and a rectified pair to look at."""
import pathlib


def write_board(path, board, square):
    """An SVG of the board's real size, white around it as wide as a square."""
    columns, rows = board[0] + 1, board[1] + 1
    side = square * 1000
    width, height = (columns + 2) * side, (rows + 2) * side
    text = (f"{board[0]}x{board[1]} corners, squares of {side:g} mm: print at 100 %, measure one, "
            f"and give its side to --square")
    squares = "".join(f"M{x + 1} {y + 1}h1v1h-1z" for y in range(rows) for x in range(columns)
                      if (x + y) % 2 == 0)
    pathlib.Path(path).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{height:g}mm" '
        f'viewBox="0 0 {columns + 2} {rows + 2}">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n<path d="{squares}"/>\n'
        f'<text x="1" y="{rows + 1.6}" font-size=".2" font-family="sans-serif">{text}</text>\n'
        "</svg>\n", encoding="utf-8")
    print(f"{path}: {columns}x{rows} squares of {side:g} mm, {width:g} x {height:g} mm with the "
          "white around them, which belongs to the board")


def write_pair(path, pair, result):
    """The two views, rectified, side by side, with lines of equal rows."""
    import cv2
    views = [cv2.remap(view, *result.maps(side), cv2.INTER_LINEAR)
             for side, view in enumerate(pair)]
    both = cv2.cvtColor(cv2.hconcat(views), cv2.COLOR_GRAY2BGR)
    for y in range(10, both.shape[0], 20):
        cv2.line(both, (0, y), (both.shape[1] - 1, y), (0, 200, 0), 1)
    path.write_bytes(cv2.imencode(".png", both)[1])
