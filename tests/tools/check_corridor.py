#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether what examples/corridor.c printed of the synthetic street is true.

usage: check_corridor.py FILE
"""
import re
import sys

import numpy as np
import street_truth

WIDTH, LENGTH = 2.4, 30  # metres: the defaults of stixel-obstacles
CLOSE = .03
FRAME_TIME = .1  # seconds


def main():
    text = open(sys.argv[1], encoding="ascii").read()
    frames = int(re.search(r"^(\d+) frames, 0 of them without", text, re.M)[1])
    truth = list(street_truth.in_corridor(frames, WIDTH, LENGTH))
    seen = np.full(frames, np.inf)
    for time, ahead in re.findall(r"^(\S+) s: .*obstacle \d+, (\S+) m ahead", text, re.M):
        seen[round(float(time) / FRAME_TIME)] = float(ahead)
    worst = max(abs(found / true - 1) for found, true in zip(seen, truth))
    print(f"{np.isfinite(seen).sum()} of {frames} frames with something in the corridor, "
          f"{worst:.1%} from the truth at worst")
    occupied = f"corridor occupied in {np.isfinite(truth).sum()} frames"
    if frames < 10 or not worst < CLOSE or occupied not in text:
        sys.exit(f"the truth is {[f'{true:.2f}' for true in truth]}")


if __name__ == "__main__":
    main()
