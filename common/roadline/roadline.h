/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The road in a frame: the line D(row) = slope · (row − horizon) that its disparity follows, from
 * the camera's calibration or estimated from the frame itself; how far it is tilted where the
 * camera rolls; and where it rises or falls ahead, the bends of that line.
 *
 * Calibration: for a camera at `height` over a plane and turned down by `pitch`,
 *   slope = (baseline/height)·cos(pitch),  horizon = cy − focal·tan(pitch).
 * Estimate: after R. Labayrade, D. Aubert, J.-P. Tarel, "Real time obstacle detection in
 * stereovision on non flat road geometry through v-disparity representation", IV 2002: a robust
 * line fit to the histogram of the cells' disparities by row, for several tilts, and then a plane
 * by least squares (roadline.c). What is voted and summed is an integer and candidates have a fixed
 * order, so every machine finds the same plane.
 */
#ifndef STX_ROADLINE_H
#define STX_ROADLINE_H

#include "common/camera.h"
#include "common/columns.h"

#define STX_ROAD_BENDS 3 /* at most */

/* Above an image row the line goes on with another slope. */
typedef struct {
  double row, slope; /* pixels of disparity per image row, > 0 */
} StxRoadBend;

/* The line below its first bend, and its bends from there up: each above the one before, and where
 * the disparity is above 0. Without bends all of the road is one line. */
typedef struct {
  double slope;   /* pixels of disparity per image row, > 0 */
  double horizon; /* image row (0 = centre of the top row) where the line without its bends is 0;
                     may lie outside the image */
  double support; /* 0…1: share of the known cells below the horizon, by confidence, that lie
                     within about 1.5 px of the line; 1 from calibration */
  int bends;
  StxRoadBend bend[STX_ROAD_BENDS];
  double tilt, centre; /* the line is that of image column `centre`; beside it the road is that of
                          `tilt` rows higher up per column to the right: the tangent of the
                          camera's roll. At most STX_ROAD_TILT either way */
  double noise; /* of a cell on the road, px, as far as its neighbour in the row does not share it;
                   0 from calibration */
} StxRoadLine;

#define STX_ROAD_TILT 0.3   /* 16.7 degrees */
#define STX_ROAD_LEAST 0.03 /* share of cells that lie in an estimated road, at least */

/* The road of one image column, without a tilt. */
STX_API StxRoadLine stx_roadline_in_column(const StxRoadLine *line, double column);

/* The road's disparity at an image row of column `centre`, px; negative above its far end. */
STX_API double stx_roadline_at(const StxRoadLine *line, double row);

/* The image row where the road ends: its disparity is 0 there, beyond all bends. */
STX_API double stx_roadline_end(const StxRoadLine *line);

/* The slope at an image row, of what lies below on a bend. */
STX_API double stx_roadline_slope(const StxRoadLine *line, double row);

/* The same road, where a pixel of disparity is `factor` of them. */
StxRoadLine stx_roadline_times(const StxRoadLine *line, double factor);

/* From calibration. False, and *line untouched, if the camera has no ground
 * (stx_camera_has_ground). */
STX_API bool stx_roadline_from_camera(const StxCamera *camera, StxRoadLine *line);

/* Bytes of scratch that an estimate or its bends need; 2.1 MiB. */
STX_API size_t stx_roadline_scratch(const StxGrid *grid);

/*
 * Estimate from the disparity and weight channels of `columns`.
 *
 * prior  the previous frame's line, or the calibration's: only lines whose slope is within 25 % of
 *        its, whose horizon is within a tenth of the image height of its and whose tilt is near
 *        its are considered. NULL: any line that reaches 768 steps (3 px) at the bottom of the
 *        image, with its horizon between 16 image heights above the image and a tenth above its
 *        bottom.
 *
 * False, and *line untouched, when nothing lies: a frame of sky, of walls, of noise or of zeros.
 * A cell lies if the disparity grows down its column as the plane's does. Fronts of things have one
 * disparity, and a wall seen at an angle changes its disparity only from left to right. A plane
 * counts if STX_ROAD_LEAST of the known cells below its horizon lie in it, in a fifth of the rows
 * there and a twentieth of all, and if at most half as many as are on it are behind it in these
 * rows, and as many in all from the lowest of them up: nothing can be seen through it. Where the
 * camera looks down steeply (the horizon is more than half an image height above the image), a
 * third of the known cells must be on the plane, in a twentieth of the rows: a table is most of the
 * picture, and what leans is not. Where noise or holes hide what lies, a tenth of the cells must be
 * in the plane, in three fifths of the rows, and an eighth as many behind it at most; and no third
 * of them in the fronts of steps.
 *
 * Without a prior and such a plane: the line that the feet of things stand on, if what is below
 * them is unknown. Half of these feet, in a quarter of the columns and at three distances at least,
 * must be on it; its support is the share of the columns.
 *
 * Cost: about 33,000 cells at most are looked at, whatever the image size (then every second,
 * third … column).
 */
bool stx_roadline_estimate(const StxGrid *grid, const void *columns, const StxRoadLine *prior,
    StxRoadLine *line, void *scratch);

/*
 * Bends a line as the frame's road does (roadline_bend.c): searches the polyline of at most
 * STX_ROAD_BENDS bends that the cells on surfaces that lie follow best.
 *
 * line    slope and horizon: about where the near part of the road is, as from an estimate or the
 *         camera; what comes of it is near that at the bottom of the image
 * before  the bent line of the frame before, which this one is kept to where it fits as well; or
 *         NULL
 *
 * Without a bend that is worth it, *line loses what bends it has and else stays as it is. False:
 * that; true: it bends.
 */
bool stx_roadline_bend(const StxGrid *grid, const void *columns, const StxRoadLine *before,
    StxRoadLine *line, void *scratch);

#endif
