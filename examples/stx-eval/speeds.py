# SPDX-License-Identifier: LGPL-2.1-or-later
"""Speeds over ground of what stands: they should be 0."""
import numpy as np

import report

CLOSING, LATERAL = range(2)
WIDE, FAR = 1.5, 3.  # m/s


def over_ground(motion, dt, record):
    """The velocity of an obstacle, back and to the right: its speeds less those of one that stands
    there, over `dt` seconds."""
    now = [float(record["x"]), float(record["y"]) - .5 * float(record["height"]),
           float(record["z"])]
    off = [a - b for a, b in zip(now, motion.translation.tolist())]
    r = motion.rotation.tolist()
    before = [r[0][i] * off[0] + r[1][i] * off[1] + r[2][i] * off[2] for i in range(3)]
    return (float(record["closing_speed"]) + (now[2] - before[2]) / dt,
            float(record["lateral_speed"]) - (now[0] - before[0]) / dt)


class Speeds:
    """Obstacles that stand; of each kind of speed how many have one, and how many of these are off
    by more than 1.5 and by more than 3 m/s."""

    def __init__(self):
        self.standing, self.counts = 0, np.zeros((2, 3), int)

    def add(self, speed):
        """Whether one of them is off by more than 1.5 m/s."""
        off = np.abs(speed)
        self.standing += 1
        self.counts += np.stack([~np.isnan(off), off > WIDE, off > FAR], axis=1)
        return bool((off > WIDE).any())

    def __add__(self, other):
        both = Speeds()
        both.standing, both.counts = self.standing + other.standing, self.counts + other.counts
        return both

    def json(self, name):
        row = {"range": name, "standing": self.standing}
        for kind, (said, wide, far) in zip(("closing", "lateral"), self.counts.tolist()):
            row[kind] = {"said": report.share(said, self.standing),
                         "off_1_5": report.share(wide, said), "off_3": report.share(far, said)}
        return row
