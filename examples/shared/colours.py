# SPDX-License-Identifier: LGPL-2.1-or-later
"""Colours of stixels and points in space; the plugin draws in the same."""
import numpy as np

FAR = 50  # metres: this and more has the farthest colour
KINDS = {"segment": (232, 176, 60), "ground": (150, 90, 200), "object": (232, 64, 56),
         "sky": (80, 170, 240), "carrier": (110, 120, 130)}
# Cityscapes' own, by train id.
CLASSES = ((128, 64, 128), (244, 35, 232), (70, 70, 70), (102, 102, 156), (190, 153, 153),
           (153, 153, 153), (250, 170, 30), (220, 220, 0), (107, 142, 35), (152, 251, 152),
           (70, 130, 180), (220, 20, 60), (255, 0, 0), (0, 0, 142), (0, 0, 70), (0, 60, 100),
           (0, 80, 100), (0, 0, 230), (119, 11, 32))
NO_CLASS = (150, 150, 150)
NEAR_TO_FAR = ((224, 28, 46), (242, 60, 36), (255, 122, 32), (255, 186, 36), (214, 220, 48),
               (128, 224, 84), (40, 214, 160), (20, 188, 226), (36, 144, 248), (64, 96, 240))


def by_distance(metres, far=FAR, stops=NEAR_TO_FAR):
    """Near red, over yellow and green, to far blue; or the colours of other stops."""
    share = np.clip(np.asarray(metres, float) / far, 0, 1)
    at = np.linspace(0, 1, len(stops))
    return np.stack([np.interp(share, at, channel) for channel in np.transpose(stops)],
                    axis=-1).round().astype(np.uint8)
