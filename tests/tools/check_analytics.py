#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether what examples/analytics.c printed of the synthetic street is true.

usage: check_analytics.py FILE
"""
import json
import sys

import numpy as np
import street_truth

WIDTH, LENGTH = 2.4, 30  # metres: the defaults of stixel-obstacles
CLOSE = .05


def main():
    frames = [json.loads(line) for line in open(sys.argv[1], encoding="ascii")]
    truth = list(street_truth.in_corridor(len(frames), WIDTH, LENGTH))
    seen = [min((thing["distance"] for thing in frame["things"] if thing["ahead"]), default=np.inf)
            for frame in frames]
    worst = max(abs(found / true - 1) for found, true in zip(seen, truth))
    things = [thing for frame in frames for thing in frame["things"]]
    classes = {thing["class"] for thing in things}
    known = [thing["speed"] for thing in things if thing["speed"] is not None]
    print(f"{len(frames)} frames, {worst:.1%} from the truth at worst, {len(known)} speeds, "
          f"{', '.join(sorted(classes))}")
    if len(frames) != 10 or not worst < CLOSE or not {"car", "person"} < classes or len(
            known) < 50 or not all(min(thing["box"]) >= 0 for thing in things):
        sys.exit(f"the truth is {[f'{true:.2f}' for true in truth]}")


if __name__ == "__main__":
    main()
