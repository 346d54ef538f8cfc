# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lines of stixel-json, depths and scans in Rerun: one batch of each for a frame.

Axes are those of the left camera: x to the right, y down, z forward, in metres.
"""
import numpy as np
import rerun as rr

import branches
import colours

REACH = 100  # metres: what lies farther is left out


def stixel_boxes(stixels, by_kind=False):
    """Sky and what is of unknown distance have none; a road that leads too far ends at REACH."""
    seen = [s for s in stixels if s["kind"] != "sky" and s["metres"] and s["metres"]["z"] < REACH
            and None not in s["metres"].values()]
    x, y, z, z_top, width, height = np.array(
        [[s["metres"][name] for name in ("x", "y", "z", "z_top", "width", "height")]
         for s in seen], float).reshape(-1, 6).T
    end = np.minimum(z_top, REACH)
    height = height * np.divide(end - z, z_top - z, out=np.ones_like(z), where=z_top > REACH)
    centers = np.stack([x, y - height / 2, (z + end) / 2], axis=1)
    depth = np.maximum(np.abs(end - z), branches.THICK)
    half = np.stack([width, np.abs(height), depth], axis=1) / 2
    shown = np.array([colours.KINDS[s["kind"]] for s in seen], np.uint8).reshape(-1, 3) \
        if by_kind else colours.by_distance(z)
    return rr.Boxes3D(centers=centers, half_sizes=half, colors=shown, fill_mode="solid")


def obstacle_boxes(obstacles):
    """Frames around them, with number and distance."""
    centers, sizes = branches.boxes_of(obstacles)
    return rr.Boxes3D(centers=centers, half_sizes=sizes / 2,
                      colors=[(255, 255, 255)] * len(obstacles),
                      labels=[f"{o['id'] or ''} {o['metres']['z']:.1f} m" for o in obstacles])


def depth_image(disparity, camera):
    """Returns the depth, millimetres, of a map of 1/256 pixel; unknown is 0."""
    depth = np.nan_to_num(branches.depth_of(disparity, camera) * 1000)
    return rr.DepthImage(np.where(depth < 65535, depth, 0).astype(np.uint16), meter=1000,
                         depth_range=(0, colours.FAR * 1000))


def scan_points(points):
    """Returns the points of a scan whose axes are x forward, y to the left, z up."""
    places = np.stack([-points[:, 1], -points[:, 2], points[:, 0]], axis=1)
    places = places[(np.abs(places) < 1e6).all(axis=1)]  # neither infinite nor not a number
    distances = np.linalg.norm(places, axis=1)
    return rr.Points3D(places, colors=colours.by_distance(distances), radii=.03)


def pinhole(line):
    """The camera of a line; its picture then fits to everything else."""
    camera = line["camera"]
    return rr.Pinhole(focal_length=camera["focal"], width=line["width"], height=line["height"],
                      principal_point=(camera["cx"] + .5, camera["cy"] + .5),
                      camera_xyz=rr.ViewCoordinates.RDF, image_plane_distance=2)
