/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the road is in a frame: the line D(row) = slope · (row − horizon) that its disparity
 * follows, from the camera's calibration or estimated from the frame itself.
 *
 * Calibration: for a camera at `height` over a plane and turned down by `pitch`,
 *   slope = (baseline/height)·cos(pitch),  horizon = cy − focal·tan(pitch).
 * Estimate: after R. Labayrade, D. Aubert, J.-P. Tarel, "Real time obstacle detection in
 * stereovision on non flat road geometry through v-disparity representation", IV 2002: a robust
 * line fit to the histogram of the cells' disparities by row (roadline.c). What is voted and summed
 * is an integer and candidates have a fixed order, so every machine finds the same line.
 */
#ifndef STX_ROADLINE_H
#define STX_ROADLINE_H

#include "common/camera.h"
#include "common/columns.h"

typedef struct {
  double slope;   /* pixels of disparity per image row, > 0 */
  double horizon; /* image row (0 = centre of the top row) where the road's disparity is 0; may lie
                     outside the image */
  double support; /* 0…1: share of the known cells below the horizon, by confidence, that lie
                     within about 1.5 px of the line; 1 from calibration */
} StxRoadLine;

/* From calibration. False, and *line untouched, if the camera has no ground
 * (stx_camera_has_ground). */
bool stx_roadline_from_camera(const StxCamera *camera, StxRoadLine *line);

/* Bytes of scratch that the estimate needs; at most 0.8 MiB. */
size_t stx_roadline_scratch(const StxGrid *grid);

/*
 * Estimate from the disparity and weight channels of `columns`.
 *
 * prior  the previous frame's line, or the calibration's: only lines whose slope is within 25 % of
 *        its and whose horizon is within a tenth of the image height of its are considered. NULL:
 *        any line that reaches 3 px at the bottom of the image, with its horizon between half an
 *        image height above the image and a tenth above its bottom.
 *
 * False, and *line untouched, when no line has a support of at least 0.15 and cells on it in
 * half of the rows below its horizon: a frame of sky, of a wall, of noise or of zeros. A
 * constant-disparity wall has no slope; a wall seen at an angle has one only from left to right.
 *
 * Cost: about 33,000 cells at most are looked at, whatever the image size (then every second,
 * third … column).
 */
bool stx_roadline_estimate(const StxGrid *grid, const void *columns, const StxRoadLine *prior,
    StxRoadLine *line, void *scratch);

#endif
