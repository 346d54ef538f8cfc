/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stixels from above: the layer that stixel-bev lays into a bird's-eye picture (bev.h).
 *
 * The sensor of the picture is the left camera: ahead is its z, to the left −x (metres.h). A column
 * of the image is a wedge on the ground: the places whose x/z lies between those of its two edges.
 * Every stixel covers a piece of its column's wedge, from a near depth to a far one. A pixel is in
 * it if its centre is; the left ray and the near depth count, the right ray and the far depth do
 * not. The depths are
 *
 *   ground     those of its lower and of its upper edge; unlimited if the upper disparity is 0. So
 *              are those of segments that reach farther than they rise, for which cy is needed
 *   things     objects, and other segments: the depth of the largest disparity of the two edges
 *              plus `uncertainty`, and of the smallest minus `uncertainty`, but not less than half
 *              of it. So an object is as long as its depth is uncertain, and a slanted one as long
 *              as it is. It is at least stx_bev_stroke pixels long and, in every row, wide, around
 *              its middle
 *   free       from the camera to the end of the free space of the column, as its record says; an
 *              unknown one is not drawn. Without records the nearest thing of the column is the
 *              end. Where nothing is, it reaches as far as ground was seen
 *
 * Colours. Things by class have three quarters of the class's colour and a quarter of white, to be
 * seen on a dark background. Areas are mixed with the background: 90/256 of the colour of ground of
 * a class or kind, 190/256 where it is free. Ground without a class is gray, and green where it is
 * free; what is free without ground is blue.
 *
 * Order. Things are drawn over areas. A thing whose upper edge is higher above the camera is drawn
 * over a lower one, in the steps of points' heights; at equal heights the larger colour number
 * wins. Points (bev.h) of obstacles are drawn over things, points of the ground below things, both
 * over areas.
 *
 * Not drawn: sky; records with a column outside of the image, an unknown kind, top below bottom or
 * a disparity that is not finite; and records without a disparity at the lower edge, which have no
 * place. Records of a column are next to each other (stixel.h); apart from that, their order and
 * overlap do not matter.
 */
#ifndef STX_BEV_STIXELS_H
#define STX_BEV_STIXELS_H

#include "common/bev/bev.h"
#include "common/camera.h"
#include "common/labels.h"
#include "common/obstacle.h"
#include "common/velocity.h"
#include "common/canvas/canvas.h"
#include "common/stixel.h"

/* Modes of colour of things; with CLASS also of the ground. */
typedef enum {
  STX_BEV_BY_DISTANCE, /* near red to far blue, as stixel-overlay has it */
  STX_BEV_BY_KIND,
  STX_BEV_BY_CLASS,
  STX_BEV_BY_OBSTACLE, /* a colour for each; grey: of none */
  STX_BEV_BY_HEIGHT    /* of the upper edge, from 2 m below the camera to 2 m above */
} StxBevStixelMode;

typedef enum {
  STX_BEV_SHOW_GROUND = 1,
  STX_BEV_SHOW_THINGS = 2,
  STX_BEV_SHOW_FREE = 4,
  STX_BEV_SHOW_CONE = 8,
  STX_BEV_SHOW_OBSTACLES = 16,
  STX_BEV_SHOW_CORRIDOR = 32,
  STX_BEV_SHOW_ALL = 63
} StxBevShow;

/* Ranges, units and texts of these: stx_bev_stixels_fields. */
typedef struct {
  StxBevStixelMode mode;
  unsigned show;       /* StxBevShow */
  double max_distance; /* metres: this and more is the farthest colour */
  double uncertainty;  /* of the disparity of a thing, pixels */
  double corridor_width, corridor_length, corridor_offset; /* metres, as in obstacles.h */
  int labels_max;                                          /* numbers of obstacles */
  bool fit; /* near scenes are magnified, by the caller: nothing here reads it */
} StxBevStixelsParams;

#define STX_BEV_STIXELS_DEFAULTS                                                                   \
  {                                                                                                \
    .mode = STX_BEV_BY_DISTANCE, .show = STX_BEV_SHOW_ALL, .max_distance = 50, .uncertainty = .25, \
    .corridor_width = 2.4, .corridor_length = 30, .labels_max = STX_LABELS_MAX, .fit = true        \
  }

STX_API const StxFields stx_bev_stixels_fields;
STX_API bool stx_bev_stixels_check(const StxBevStixelsParams *params, StxError *error);

/* A frame of stixels, and what is known of it besides. Records may be NULL where their number is
 * 0. */
typedef struct {
  const StxStixel *stixels;
  size_t count;
  int width, height, stixel_width; /* pixels; ⌈width / stixel_width⌉ columns */
  StxCamera camera;                /* of that image; stx_bev_stixels_can_place */
  const StxObstacle *obstacles;    /* of stixels */
  size_t obstacle_count;
  const StxFreeSpace *free_space; /* of column 0 and so on; columns beyond it have none */
  size_t directions;

  /* Over ground, of every obstacle and of every stixel; NULL: unknown. */
  const StxVelocity *velocities, *stixel_velocities;
} StxBevStixels;

/* Pixels: what a line needs to be seen in a picture of this size. */
double stx_bev_stroke(const StxBevParams *params);

/* False: the camera does not tell where stixels stand; `error` names what is missing. */
STX_API bool stx_bev_stixels_can_place(const StxCamera *camera, StxError *error);

/* A layer, and what is drawn over all layers: rings, the camera's cone, and of obstacles boxes,
 * numbers, and arrows to where they will be in half a second: over ground where that is known, and
 * then of stixels, too; else as seen from the camera. The camera can place stixels, and the
 * parameters have passed the check. At most once in a picture. */
STX_API void stx_bev_put_stixels(
    StxBev *bev, const StxBevStixelsParams *params, const StxBevStixels *stixels);

#endif
