# SPDX-License-Identifier: LGPL-2.1-or-later
"""The part of make-plots.py for figures on README.md and on pages without plots."""
from plots import read, sentences


def stixels(**wanted):
    """A row of the comparison on frames of KITTI 2015, with the default settings."""
    wanted = {"data": "KITTI 2015", "settings": "defaults", "labels": "none", "model": "gaussian",
              **wanted}
    return next(row for row in read("stixels-comparison.csv")
                if all(row[key] == value for key, value in wanted.items()))


def stixel_quality():
    large, small = stixels(cell="8"), stixels(cell="4")

    def percent(row, key):
        return f"{100 * float(row[key]):.2f} %"

    return sentences("stixel-quality", f"""
        On {large["frames"]} frames of KITTI 2015, {percent(large, "input_and")} of
        `stereo-sgm`'s disparities are wrong (non-occluded, holes filled as the KITTI kit does);
        rendered back from the stixels, {percent(large, "error_and")} at
        {float(large["pixels_per_stixel"]):.0f} pixels per stixel (8×8 cells) and
        {percent(small, "error_and")} at {float(small["pixels_per_stixel"]):.0f} (4×4).""")


def ground_quality():
    row = next(row for row in read("lidar-quality.csv")
               if (row["experiment"], row["value"]) == ("bins", "120"))
    return sentences("ground-quality", f"""
        `lidar-ground` finds the ground of ten scans of SemanticKITTI with an F1 of
        {float(row["f1_mean"]):.1f} % on average and {float(row["f1_worst"]):.1f} % at worst
        (vegetation not counted: protocol B).""")


def blocks():
    return stixel_quality() + ground_quality()
