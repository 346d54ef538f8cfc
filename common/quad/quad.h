/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stixels as flat quads in space, as an orbiting camera sees them, and their colours.
 *
 * Axes and origin are those of metres.h: the left camera's, x to the right, y down, z forward, in
 * metres. The disparity of a stixel is linear in the rows of its column, so its points lie in one
 * plane
 *
 *   normal · (x, y, z) = focal · baseline      normal = (0, slope · focal, d0 + slope · cy)
 *
 * where d0 + slope · v is the disparity at row v. It reaches from the edges of its columns and from
 * row top − ½, with disparity_top, to row bottom + ½, with disparity_bottom: what metres.h says of
 * its lower edge, its width and its z_top are the corners here. What lies farther than `reach`, as
 * the end of a road that leads to the horizon, is cut off.
 *
 * No quad has: sky; what is farther than `reach` or of unknown distance as a whole; a record that
 * no image can have (a column or a row outside, top > bottom, an unknown kind, a disparity that is
 * not finite, is negative, or is larger than the image is wide).
 */
#pragma once

#include "common/camera.h"
#include "common/colour/colour.h"
#include "common/fields.h"
#include "common/stixel.h"

#define STX_QUAD_MAX_REACH 1000 /* metres */

/* The image that stixels belong to, and how far to look. */
typedef struct {
  StxCamera camera; /* metric, with cx and cy */
  int width, height;
  int stixel_width;
  double reach; /* metres along z; > 0 */
} StxQuadImage;

enum { STX_LOWER_LEFT, STX_LOWER_RIGHT, STX_UPPER_RIGHT, STX_UPPER_LEFT, STX_CORNERS };

typedef struct {
  double corner[STX_CORNERS][3]; /* seen from the camera anticlockwise */
  double normal[3], offset;      /* of the plane, see above */
  double left, right;            /* in the image, pixels from the centre of the first */
  double top, bottom;            /* likewise, after the cut */
} StxQuad;

/* False, with the names of all that is missing, and of the elements that take them, if the camera
 * cannot say where things are. */
bool stx_quad_check_camera(const StxCamera *camera, StxError *error);

/* False: the stixel has none, and *quad is not written. */
bool stx_quad(const StxQuadImage *image, const StxStixel *stixel, StxQuad *quad);

/* Modes of colour of stixels in space; the colours come from common/colour. */
typedef enum { STX_QUAD_DISTANCE, STX_QUAD_KIND, STX_QUAD_CLASS } StxQuadMode;

typedef struct {
  StxQuadMode mode;
  StxPalette palette;  /* of DISTANCE */
  double max_distance; /* metres: this and more is the farthest colour */
} StxQuadColours;

#define STX_QUAD_COLOURS_DEFAULTS                                                                  \
  {                                                                                                \
    .mode = STX_QUAD_DISTANCE, .palette = STX_PALETTE_DISTANCE, .max_distance = 50                 \
  }

/* Every field of StxQuadColours. */
extern const StxFields stx_quad_colour_fields;

/* Returns the colour of a stixel at a place of it that is `metres` away. */
StxRgb stx_quad_colour(const StxQuadColours *colours, const StxStixel *stixel, double metres);
