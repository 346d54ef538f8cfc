/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LiDAR scans into ground and obstacles: lines fitted to the lowest points of polar bins.
 *
 * Source: M. Himmelsbach, F. v. Hundelshausen, H.-J. Wünsche, "Fast Segmentation of 3D Point Clouds
 * for Ground Vehicles", IV 2010, in the steps of A. Piroli, "Parallel 3D Point Cloud Segmentation",
 * 2025; steps 0 and 5 are additions.
 *
 *   0. Level   the plane of the road near the sensor, by RANSAC over the lowest points of square
 *              cells; the scan is rotated so that it is level, and its distance is the height of
 *              the sensor
 *   1. Bins    sector from the azimuth, bin from the range; points outside [r_min, r_max) or not
 *              finite belong to no bin and are not classified
 *   2. Prototype of a bin: its lowest point, of several the nearest
 *   3. Lines   in each sector, the nearest prototype first, without those that are feet of standing
 *              things; see ground_lines_math.h. A line is valid in the bins from its first to its
 *              last prototype
 *   4. Ground line of a bin: that of its sector, else that of the nearest sector within
 *              line_search_angle that has one there (counter-clockwise first); bins without one
 *              hold no ground
 *   5. Obstacle bins: if the highest point lies `above` > obstacle_height over the line, something
 *              stands there, and its foot is not ground: max_dist_to_line shrinks by the factor
 *              (obstacle_height / above)², but not below 0.03 m + 0.002 · range. Except on a bank
 *              or a kerb: if the highest point is within obstacle_height of the highest ground that
 *              the sector's lines have within bank_reach, all points up to that ground are ground
 *   6. Labels  ground if −max_dist_below < z − line < max_dist_to_line, else obstacle
 *   7. Clusters: connected cells (4 neighbours) of a square grid that hold obstacle points,
 *              numbered from 1 in the order of their first cells, x first. At most 65535 have a
 *              number; the clusters after them are cluster 0
 *
 * Points are float32 x, y, z, intensity: metres, x forward, y left, z up, from the sensor. Any
 * values are allowed. Reflections below the ground begin no line (max_start_height) and join none
 * (max_fit_error), so that they need no step of their own. Nothing is kept from one scan to the
 * next.
 */
#ifndef STX_GROUND_H
#define STX_GROUND_H

#include "common/fields.h"

#define STX_GROUND_MAX_POINTS (1 << 26)
#define STX_GROUND_MAX_SECTORS 4096
#define STX_GROUND_MAX_BINS 1024
#define STX_GROUND_MAX_GRID 2048 /* cells of the clusters' grid, in each direction */
#define STX_GROUND_MAX_RANGE 250 /* m */
#define STX_GROUND_MAX_ANGLE 3.14159265358979323846 /* π */
/* m: of a sensor whose height is asked for and cannot be measured. */
#define STX_GROUND_HEIGHT 1.73

/* Labels as in SemanticKITTI: the class in the low 16 bits, the cluster in the high ones. */
#define STX_POINT_NONE 0u      /* not classified */
#define STX_POINT_GROUND 49u   /* other-ground */
#define STX_POINT_OBSTACLE 99u /* other-object */

/* Road 40, parking 44, sidewalk 48, other ground 49, lane marking 60 and terrain 72; the cluster
 * does not matter. */
STX_INLINE bool stx_point_is_ground(uint32_t label)
{
  uint32_t point_class = label & 0xFFFF;
  return point_class == 40 || point_class == 44 || point_class == 48 ||
         point_class == STX_POINT_GROUND || point_class == 60 || point_class == 72;
}

/* Metres and radians. Ranges, units and texts of these: stx_ground_fields. */
typedef struct {
  int sectors;              /* of a turn */
  int bins;                 /* of the range */
  double r_min, r_max;      /* at least 0.1 apart */
  double max_dist_to_line;  /* ground above its line */
  double max_dist_below;    /* ground below its line */
  double max_fit_error;     /* largest squared residual of a line, m² */
  double max_slope;         /* of a line */
  double long_threshold;    /* a gap is long from here on, plus a tenth of the range */
  double max_long_height;   /* step of height across a long gap */
  double max_start_height;  /* from the running height of the ground to a line's first point */
  double line_search_angle; /* how far aside a line may be taken from */
  double obstacle_height;   /* 100: none */
  double max_foot_height;   /* of a prototype above the ground before it where something stands */
  double bank_reach;        /* how far from a bin its bank's ground may be; 0: no banks */
  double sensor_height;     /* above the ground; 0: measured */
  bool level;               /* step 0's rotation */
  double cluster_cell;      /* 0 (no clusters) or at least 0.01; 2·r_max holds at most _MAX_GRID */
} StxGroundParams;

#define STX_GROUND_DEFAULTS                                                                        \
  {                                                                                                \
    .sectors = 360, .bins = 120, .r_min = 0.5, .r_max = 50, .max_dist_to_line = 0.25,              \
    .max_dist_below = 0.5, .max_fit_error = 0.0025, .max_slope = 0.2, .long_threshold = 2,         \
    .max_long_height = 0.3, .max_start_height = 0.5, .line_search_angle = 0.35,                    \
    .obstacle_height = 0.3, .max_foot_height = 0.15, .bank_reach = 3, .sensor_height = 0,          \
    .level = true, .cluster_cell = 0.5                                                             \
  }

typedef struct {
  uint32_t ground, obstacles, outside; /* points; outside: not classified. They add up. */
  uint32_t lines, clusters;
  bool measured;          /* a plane was found; else level and height are what they were without */
  float height;           /* of the sensor above the ground, that counted */
  float slope_x, slope_y; /* of the plane, along x and y of the scan, before it was levelled */
} StxGroundResult;

typedef struct {
  StxImplInfo info;
  size_t (*scratch_size)(const StxGroundParams *params, size_t count, int threads);
  /*
   * Labels `count` points, at most STX_GROUND_MAX_POINTS.
   *
   * points   count · 4 floats, 4-byte aligned; may be NULL if count is 0
   * labels   count words; may be NULL if count is 0
   *
   * For the rest see StxPlace.
   */
  bool (*run)(const StxGroundParams *params, const float *points, size_t count, uint32_t *labels,
      StxGroundResult *result, void *scratch, const StxPlace *place, StxError *error);
} StxGroundImpl;

/* Host implementations, best first. */
STX_API const StxImplTable stx_ground_impls;

/* Every field of StxGroundParams. */
STX_API const StxFields stx_ground_fields;

/* Refuses what the table does not allow, and what is said above of r_max and cluster_cell; the text
 * names the field, its value and range. */
STX_API bool stx_ground_check(const StxGroundParams *params, StxError *error);

#endif
