/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The plane of the road around the sensor: RANSAC (M. Fischler and R. Bolles, CACM 24(6), 1981)
 * with a fixed sequence of samples over the lowest points of square cells, then least squares over
 * what lies near it, three times. Private to common/ground*.c and cuda/ground*.
 *
 * Counts are integers and the sums of the least squares too, so that their order does not matter.
 */
#pragma once

#include "common/ground/ground_point_math.h"

enum {
  STX_GROUND_REACH = 20,                  /* m: cells reach so far, in x and in y */
  STX_GROUND_SIDE = 2 * STX_GROUND_REACH, /* cells of 1 m in x, and in y */
  STX_GROUND_CELLS = STX_GROUND_SIDE * STX_GROUND_SIDE,
  STX_GROUND_SAMPLES = 128,
  STX_GROUND_ENOUGH = 1 << 15, /* points of the scan that are looked at, twice that at most */
  STX_GROUND_FEWEST = 30,      /* cells; with fewer there is no plane */
};

#define STX_GROUND_NEAREST 2.5f /* m: nearer points may be the vehicle's own */
#define STX_GROUND_STEEPEST 0.5f
#define STX_GROUND_INLIER 0.15f /* m: RANSAC's inliers of a sample and of the first fit */
#define STX_GROUND_CLOSER 0.1f  /* m: inliers of the later fits */

/* The cell of a point of the scan, not levelled; −1: none. */
STX_INLINE int stx_ground_cell(const float *point)
{
  float x = point[0], y = point[1], squared = x * x + y * y, reach = (float)STX_GROUND_REACH;
  if (!(stx_ground_is_near(point[2]) & (squared >= STX_GROUND_NEAREST * STX_GROUND_NEAREST) &
          (squared < reach * reach)))
    return -1;
  int row = (int)(x + reach), column = (int)(y + reach), last = STX_GROUND_SIDE - 1;
  return (row < last ? row : last) * STX_GROUND_SIDE + (column < last ? column : last);
}

/* Every how many points one is looked at: an odd number, so that none of the beams of a sensor that
 * fires them in turn is left out. */
STX_INLINE size_t stx_ground_stride(size_t count)
{
  return count / STX_GROUND_ENOUGH | 1;
}

/* Cells compare their points by this: the lowest first, of those the one that comes first. */
STX_INLINE uint64_t stx_ground_cell_key(const float *point, uint32_t index)
{
  return stx_ground_key(stx_ground_units(point[2]), (int32_t)index);
}

/* z = height + x·slope_x + y·slope_y, metres. */
typedef struct {
  float height, slope_x, slope_y;
} StxGroundPlane;

/* The lowest points of the cells that have any, in the order of the cells. */
typedef struct {
  float x[STX_GROUND_CELLS], y[STX_GROUND_CELLS], z[STX_GROUND_CELLS];
  int count;
} StxGroundLows;

STX_INLINE float stx_ground_above(const StxGroundPlane *plane, float x, float y, float z)
{
  return z - (plane->height + plane->slope_x * x + plane->slope_y * y);
}

/* The three cells of sample `index`: a fixed sequence, some of them the same cell. */
STX_INLINE void stx_ground_sample(int index, int count, int cell[3])
{
  uint32_t state = (uint32_t)index * 3 + 1;
  for (int i = 0; i < 3; i++) {
    uint32_t mixed = (state + (uint32_t)i) * 0x9E3779B9u;
    mixed = (mixed ^ mixed >> 15) * 0x85EBCA6Bu;
    cell[i] = (int)((uint64_t)(mixed ^ mixed >> 13) * (uint32_t)count >> 32);
  }
}

/* The plane through three points, false if they are nearly in a line (seen from above) or it is
 * steep. */
STX_INLINE int stx_ground_plane_through(
    const StxGroundLows *lows, const int cell[3], StxGroundPlane *plane)
{
  int a = cell[0], b = cell[1], c = cell[2];
  float bx = lows->x[b] - lows->x[a], by = lows->y[b] - lows->y[a], bz = lows->z[b] - lows->z[a];
  float cx = lows->x[c] - lows->x[a], cy = lows->y[c] - lows->y[a], cz = lows->z[c] - lows->z[a];
  float area = bx * cy - by * cx;
  if (!(fabsf(area) >= 8.0f))
    return 0;
  plane->slope_x = (bz * cy - by * cz) / area;
  plane->slope_y = (bx * cz - bz * cx) / area;
  plane->height = lows->z[a] - (plane->slope_x * lows->x[a] + plane->slope_y * lows->y[a]);
  return plane->slope_x * plane->slope_x + plane->slope_y * plane->slope_y <=
         STX_GROUND_STEEPEST * STX_GROUND_STEEPEST;
}

STX_INLINE int stx_ground_is_close(
    const StxGroundLows *lows, int i, const StxGroundPlane *plane, float limit)
{
  return fabsf(stx_ground_above(plane, lows->x[i], lows->y[i], lows->z[i])) < limit;
}

STX_INLINE int stx_ground_support(const StxGroundLows *lows, const StxGroundPlane *plane)
{
  int count = 0;
  for (int i = 0; i < lows->count; i++)
    count += stx_ground_is_close(lows, i, plane, STX_GROUND_INLIER);
  return count;
}

/* Sums over points in 1/1024 m; |x|, |y| < 2^15, |z| < 2^20, at most 2^11 points. */
typedef struct {
  int64_t n, x, y, z, xx, xy, yy, xz, yz;
} StxGroundPlaneSums;

STX_INLINE void stx_ground_plane_add(StxGroundPlaneSums *s, float fx, float fy, float fz)
{
  int64_t x = stx_ground_units(fx), y = stx_ground_units(fy), z = stx_ground_units(fz);
  s->n++;
  s->x += x;
  s->y += y;
  s->z += z;
  s->xx += x * x;
  s->xy += x * y;
  s->yy += y * y;
  s->xz += x * z;
  s->yz += y * z;
}

/* Least squares; false if the points do not span a plane. */
STX_INLINE int stx_ground_plane_solve(const StxGroundPlaneSums *s, StxGroundPlane *plane)
{
  double n = (double)s->n, mx = (double)s->x / n, my = (double)s->y / n, mz = (double)s->z / n;
  double xx = (double)s->xx - mx * (double)s->x, yy = (double)s->yy - my * (double)s->y;
  double xy = (double)s->xy - mx * (double)s->y;
  double xz = (double)s->xz - mx * (double)s->z, yz = (double)s->yz - my * (double)s->z;
  double area = xx * yy - xy * xy;
  if (!(s->n >= 3 && area > 1e-6 * xx * yy))
    return 0;
  double a = (xz * yy - yz * xy) / area, b = (yz * xx - xz * xy) / area;
  plane->slope_x = (float)a;
  plane->slope_y = (float)b;
  plane->height = (float)((mz - a * mx - b * my) / (double)STX_GROUND_UNIT);
  return 1;
}

/* One trimmed fit around the plane. */
STX_INLINE void stx_ground_refit(const StxGroundLows *lows, float limit, StxGroundPlane *plane)
{
  StxGroundPlaneSums sums = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  for (int i = 0; i < lows->count; i++)
    if (stx_ground_is_close(lows, i, plane, limit))
      stx_ground_plane_add(&sums, lows->x[i], lows->y[i], lows->z[i]);
  stx_ground_plane_solve(&sums, plane);
}

/* The plane with the most support; of several the one sampled first. False: there is none. */
STX_INLINE int stx_ground_find_plane(const StxGroundLows *lows, StxGroundPlane *plane)
{
  int best = 0;
  if (lows->count < STX_GROUND_FEWEST)
    return 0;
  for (int i = 0; i < STX_GROUND_SAMPLES; i++) {
    int cell[3], support;
    StxGroundPlane candidate;
    stx_ground_sample(i, lows->count, cell);
    if (!stx_ground_plane_through(lows, cell, &candidate))
      continue;
    support = stx_ground_support(lows, &candidate);
    if (support > best) {
      best = support;
      *plane = candidate;
    }
  }
  if (best < STX_GROUND_FEWEST / 2)
    return 0;
  for (int i = 0; i < 3; i++)
    stx_ground_refit(lows, i == 0 ? STX_GROUND_INLIER : STX_GROUND_CLOSER, plane);
  return 1;
}

/* ---- The frame in which points are placed ------------------------------------------------- */

/* The rotation that turns the plane's normal upright by the shortest way. */
STX_INLINE void stx_ground_level_rotation(const StxGroundPlane *plane, float rotation[9])
{
  double a = -(double)plane->slope_x, b = -(double)plane->slope_y;
  double length = sqrt(a * a + b * b + 1.0);
  double x = a / length, y = b / length, z = 1.0 / length, k = 1.0 / (1.0 + z);
  rotation[0] = (float)(1.0 - x * x * k);
  rotation[1] = rotation[3] = (float)(-x * y * k);
  rotation[2] = (float)-x;
  rotation[4] = (float)(1.0 - y * y * k);
  rotation[5] = (float)-y;
  rotation[6] = (float)x;
  rotation[7] = (float)y;
  rotation[8] = (float)z;
}

/* Height of the sensor above the plane: upright with the rotation, else along z. */
STX_INLINE float stx_ground_plane_height(const StxGroundPlane *plane, int levelled)
{
  double a = (double)plane->slope_x, b = (double)plane->slope_y;
  return (float)(-(double)plane->height / (levelled ? sqrt(a * a + b * b + 1.0) : 1.0));
}

/* Computes how points move, and the height, by the plane (NULL: none was wanted or found). */
STX_INLINE StxGroundFrame stx_ground_frame(
    const StxGroundParams *params, const StxGroundPlane *plane, float *height)
{
  float r_min = (float)params->r_min, r_max = (float)params->r_max;
  StxGroundFrame frame = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, r_min, r_max,
      (float)params->bins / (r_max - r_min), (float)params->sectors, (float)(params->sectors - 1),
      (float)(params->bins - 1), params->bins};
  if (plane != NULL && params->level)
    stx_ground_level_rotation(plane, frame.rotation);
  *height = params->sensor_height > 0 ? (float)params->sensor_height
            : plane != NULL           ? stx_ground_plane_height(plane, params->level)
                                      : (float)STX_GROUND_HEIGHT;
  return frame;
}
