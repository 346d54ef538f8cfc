#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether what examples/nearest.c printed of the synthetic street is true.

usage: check_nearest.py FILE

The truth is the nearest pixel of all that stands in a column; a stixel has one distance for a piece
of a wall that goes on from there.
"""
import re
import sys

import numpy as np
import street_truth

FAR = 40  # metres: a pixel of disparity is 3 % there
CLOSE, MOST_MEDIAN, LEAST_CLOSE = .1, .03, .8


def read_frames(path):
    """{column: (metres ahead, to the right)} of each frame."""
    frames = []
    for line in open(path, encoding="ascii"):
        if line.startswith("frame at "):
            frames.append({})
        else:
            column, ahead, right = re.fullmatch(
                r"(\d+): (\S+) m ahead, (\S+) m to the right\n", line).groups()
            frames[-1][int(column)] = float(ahead), float(right)
    return frames


def main():
    frames = read_frames(sys.argv[1])
    for printed, truth in zip(frames, street_truth.nearest(len(frames))):
        found = np.array([printed.get(column, (np.nan,))[0] for column in range(len(truth))])
        error = (found / truth - 1)[truth < FAR]
        close, median = np.mean(np.abs(error) < CLOSE), np.nanmedian(np.abs(error))
        print(f"{len(error)} columns with something within {FAR} m: {close:.0%} within "
              f"{CLOSE:.0%} of the truth, median error {median:.1%}")
        if len(error) < 100 or close < LEAST_CLOSE or median > MOST_MEDIAN:
            sys.exit("that is not the street")
        sides = np.array([printed[column][1] for column in sorted(printed)])
        if not sides[0] < 0 < sides[-1]:
            sys.exit("left is not left")


if __name__ == "__main__":
    main()
