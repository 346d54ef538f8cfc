# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stixels of stereo pairs, obstacles and free space, ground and clusters of LiDAR scans.

NumPy arrays in and out, over the C library of the same name. What is refused raises Error with the
library's text, or TypeError for what is of another type; nothing is changed in place. Calls let go
of the interpreter's lock and work on `threads` threads, 0: one per core.

    street = stixels.Street()
    left, right = street.pair()
    disparity, confidence = stixels.match(left, right)
    depth = street.camera.depth(disparity)
    frame = stixels.stixels(stixels.reduce(disparity, confidence), street.camera)
"""
from ._c import VERSION as __version__  # noqa: F401
from ._core import Error
from ._files import (Calibration, Rectifier, read_calibration, read_lines, read_points,
                     read_records, rectify, write_calibration, write_records)
from ._measures import (Explainer, Explanation, Told, Wrong, fill, majority, road_of,
                        wrong_disparities)
from ._motion import MATCH, Egomotion, Estimate, Motion
from ._obstacles import Ground, Obstacles, Tracker, clusters, free_space, ground, obstacles
from ._road import Found, Grid, Hazards, Occupancy
from ._stereo import Match, Pipeline, gray, match, reduce, segments, stixels
from ._types import (CLASSES, CLUSTER, FREE_SPACE, GROUND, METRES, NO_LABEL, NO_OBSTACLE, OBJECT,
                     OBSTACLE, POINT_GROUND, POINT_OBSTACLE, SEGMENT, SKY, STIXEL, VELOCITY, Camera,
                     Columns, Stixels, read_camera)
from ._video import read_video
from ._views import HIT, THING, Street, above, overlay

__all__ = [
    "CLASSES", "CLUSTER", "Calibration", "Camera", "Columns", "Egomotion", "Error", "Estimate",
    "Explainer", "Explanation", "FREE_SPACE", "Found", "GROUND", "Grid", "Ground", "HIT", "Hazards",
    "MATCH", "METRES", "Match", "Motion", "NO_LABEL", "NO_OBSTACLE", "OBJECT", "OBSTACLE",
    "Obstacles", "Occupancy", "POINT_GROUND", "POINT_OBSTACLE", "Pipeline", "Rectifier", "SEGMENT",
    "SKY", "STIXEL", "Stixels", "Street", "THING", "Told", "Tracker", "VELOCITY", "Wrong", "above",
    "clusters", "fill", "free_space", "gray", "ground", "majority", "match", "obstacles", "overlay",
    "read_calibration", "read_camera", "read_lines", "read_points", "read_records", "read_video",
    "rectify", "reduce", "road_of", "segments", "stixels", "write_calibration", "write_records",
    "wrong_disparities",
]
