/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A bird's-eye picture: what lidar-bev draws of a scan, and stixel-bev of stixels (bev_stixels.h),
 * with a scan over them.
 *
 * x of the scan points up in the picture, y to the left. A point covers a square of point_size
 * pixels around the pixel that it lies in; of an even size, half a pixel more to the right and
 * down. Points with a coordinate that is not finite are not drawn. If several points fall on one
 * pixel, obstacles cover ground, and ground covers unclassified points; within one kind the highest
 * point is drawn (heights in steps of 1/256 m, from 32 m below the sensor to 32 m above; of equal
 * heights the larger colour number). So the order of the points does not matter. Without labels all
 * points are of one kind. Rings around the sensor, their distances, a bar of scale and the sensor
 * itself are drawn over the points.
 *
 * Labels are SemanticKITTI's: 0 is not classified; road 40, parking 44, sidewalk 48, other ground
 * 49, lane marking 60 and terrain 72 are ground; everything else is an obstacle, whose high 16 bits
 * are its cluster.
 *
 * Memory: one block belongs to the caller, see stx_bev_size. Threads: one StxBev per thread.
 */
#ifndef STX_BEV_H
#define STX_BEV_H

#include "common/canvas/canvas.h"

#define STX_BEV_MAX_SIDE 8192
#define STX_BEV_MIN_EXTENT 1   /* metres */
#define STX_BEV_MAX_EXTENT 500 /* metres */

/* CLUSTERS: a colour per cluster, light grey for obstacles in none; LABELS: ground, obstacle, none.
 * Without labels both are HEIGHT: blue at 2 m below the sensor … red at 2 m above. INTENSITY: 0…1,
 * or 0…255 where a point of the scan exceeds 1. PLAIN: as LABELS, obstacles white, for a scan over
 * something in colours. */
typedef enum {
  STX_BEV_AUTO = -1, /* of who makes a StxBevParams; not of one */
  STX_BEV_CLUSTERS,
  STX_BEV_LABELS,
  STX_BEV_HEIGHT,
  STX_BEV_INTENSITY,
  STX_BEV_PLAIN
} StxBevMode;

/* Ranges, units and texts of these: stx_bev_fields, and stx_bev_mode_fields for `mode`. */
typedef struct {
  StxBevMode mode;
  int width, height;            /* pixels */
  const StxPixelFormat *format; /* of one plane, RGB */
  double extent;                /* metres from the centre to the nearer edge, at zoom 1 */
  double zoom;                  /* extent / zoom is clamped to STX_BEV_MIN_… and _MAX_EXTENT */
  double center_x, center_y;    /* point in the centre, metres */
  int point_size;               /* pixels */
  bool rings;                   /* rings, distances, bar, sensor */
  StxLegend legend;             /* of every layer */
} StxBevParams;

#define STX_BEV_DEFAULTS                                                                           \
  {                                                                                                \
    .mode = STX_BEV_CLUSTERS, .width = 800, .height = 800, .extent = 50, .zoom = 1,                \
    .point_size = 2, .rings = true, .legend = STX_LEGEND_TOP_LEFT                                  \
  }

/* The view of a camera, 45 m ahead. */
#define STX_BEV_AHEAD_DEFAULTS                                                                     \
  {                                                                                                \
    .width = 800, .height = 800, .extent = 25, .zoom = 1, .center_x = 20, .point_size = 2,         \
    .rings = true, .legend = STX_LEGEND_TOP_LEFT                                                   \
  }

/* Every field of StxBevParams but the format, with the first defaults and with the second. `mode`
 * has tables of its own: that of pictures, and, as "points", one with AUTO. */
STX_API const StxFields stx_bev_fields, stx_bev_ahead_fields, stx_bev_mode_fields,
    stx_bev_points_fields;

/* False, with a text that names field, value and range, for what the tables do not allow, and for
 * any other format. */
STX_API bool stx_bev_check(const StxBevParams *params, StxError *error);

/* Do they make the same pictures? */
bool stx_bev_is_same(const StxBevParams *a, const StxBevParams *b);

/* Colours, rings, and the buffer of what is seen where. */
typedef struct StxBev StxBev;

/* Bytes of the block that stx_bev_init needs; params have passed the check. */
STX_API size_t stx_bev_size(const StxBevParams *params);

/* Prepares `memory` (aligned to STX_ALIGN) and returns it as an StxBev. */
STX_API StxBev *stx_bev_init(void *memory, const StxBevParams *params);

/* The position of the ground in the picture. A pixel is seen from its centre, which is half a pixel
 * from its edges. */
typedef struct {
  double scale;       /* pixels per metre */
  double column, row; /* of the sensor, from the top left of the picture; may lie outside */
} StxBevPlan;

StxBevPlan stx_bev_plan(const StxBevParams *params);

/*
 * A picture in three steps: nothing; layers, in any order; and the frame, of which every pixel is
 * written; bytes that carry no channel become 255.
 *
 * points  count · 4 floats (common/ground/ground.h), any values; may be NULL if count is 0
 * labels  count words, or NULL
 * extrinsics   3 rows of 4: a point (x, y, z, 1) in the picture's axes, x ahead, y to the left, z
 *         up, from the sensor in whose place the arrow stands. NULL: it is the same sensor
 */
STX_API void stx_bev_begin(StxBev *bev);
STX_API void stx_bev_put_points(StxBev *bev, const float *points, const uint32_t *labels,
    size_t count, const double extrinsics[12]);
STX_API void stx_bev_finish(const StxBev *bev, const StxFrame *frame, int threads);

#endif
