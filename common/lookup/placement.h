/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The position of an image in a frame that was made from it by scaling, cropping, mirroring,
 * rotating or adding borders. Positions are in pixels from the top left corner, x to the right and
 * y down: the middle of the first pixel is (0.5, 0.5).
 */
#ifndef STX_PLACEMENT_H
#define STX_PLACEMENT_H

#include "common/camera.h"

typedef struct {
  double x, y, width, height; /* its top left corner, and its size, pixels */
} StxRectangle;

/* Position (u, v) of the image is (xx·u + xy·v + x0, yx·u + yy·v + y0) of the frame. All 0: no
 * placement. */
typedef struct {
  double xx, xy, x0;
  double yx, yy, y0;
  double width, height; /* of the frame */
} StxPlacement;

/* The image, of width × height pixels, fills the frame. */
StxPlacement stx_placement_fill(
    double width, double height, double frame_width, double frame_height);

/* The image's top left corner, its top right and its lower left one lie at these places, x and y,
 * of the frame. */
StxPlacement stx_placement_of_corners(double width, double height, const double corners[3][2],
    double frame_width, double frame_height);

/* Places a frame in another one: `step` is its placement there. */
StxPlacement stx_placement_then(const StxPlacement *placement, const StxPlacement *step);

/*
 * A frame was scaled, and perhaps got borders so that its shape stays what it is; who did it does
 * not say. `shape` is the width of its pixels over that of the new ones, the heights being alike.
 * False where it matters: where borders would be two pixels or more.
 */
bool stx_placement_scaled(double width, double height, double new_width, double new_height,
    double shape, StxPlacement *step);

void stx_placement_point(const StxPlacement *placement, double u, double v, double *x, double *y);

/* From the frame back to the image. False where that is not possible. The position may lie outside
 * of the image. */
bool stx_placement_back(const StxPlacement *placement, double x, double y, double *u, double *v);

/* The smallest upright rectangle of the frame around one of the image, without what lies outside of
 * the frame. False, and all 0, if nothing is left. */
bool stx_placement_rectangle(
    const StxPlacement *placement, const StxRectangle *image, StxRectangle *frame);

/*
 * The camera of the frame: its pixels and disparities, seen through this, give the same distances.
 * In a mirrored frame x, in one upside down y has the other sign, in one that lies on its side they
 * change places; for places in the axes of the camera use the
 * image's. Height and pitch are known only of a frame that stands upright. False where the frame
 * has none: its pixels are not square by more than rounding makes them, or it is skewed.
 */
bool stx_placement_camera(const StxPlacement *placement, const StxCamera *image, StxCamera *frame);

#endif
