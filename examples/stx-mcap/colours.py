# SPDX-License-Identifier: LGPL-2.1-or-later
"""Colours of stixels; the plugin draws in the same."""
import numpy as np

FAR = 50  # metres: this and more has the farthest colour
KINDS = {"segment": (232, 176, 60), "ground": (150, 90, 200), "object": (232, 64, 56),
         "sky": (80, 170, 240), "carrier": (110, 120, 130)}
NEAR_TO_FAR = ((224, 28, 46), (242, 60, 36), (255, 122, 32), (255, 186, 36), (214, 220, 48),
               (128, 224, 84), (40, 214, 160), (20, 188, 226), (36, 144, 248), (64, 96, 240))


def by_distance(metres):
    """Near red, over yellow and green, to far blue."""
    share = np.clip(np.asarray(metres, float) / FAR, 0, 1)
    at = np.linspace(0, 1, len(NEAR_TO_FAR))
    return np.stack([np.interp(share, at, channel) for channel in np.transpose(NEAR_TO_FAR)],
                    axis=-1).round().astype(np.uint8)
