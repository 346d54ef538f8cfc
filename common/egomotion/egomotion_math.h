/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arithmetic of egomotion that C and CUDA both compile: integers, and + − × ÷ of doubles. */
#pragma once

#include <math.h>

#include "common/egomotion/egomotion.h"

#define EGO_CELL 8      /* pixels of the half picture, a side of a cell */
#define EGO_SIDE 8      /* pixels, a side of a patch of the relief */
#define EGO_BEFORE 4    /* pixels of such a patch before its place, across and down */
#define EGO_BORDER 7    /* pixels of the half picture without corners and places: patches fit in */
#define EGO_RADIUS 5    /* of a patch of the full picture */
#define EGO_REACH 31    /* most columns of a window to either side */
#define EGO_DOWN 10     /* most rows of a window up and down */
#define EGO_STEPS 64    /* of a pixel: where patches are taken between pixels */
#define EGO_PIXELS 8    /* of a gray level: of the values there */
#define EGO_SPACE 192   /* bytes behind the last row of a picture that may be read */
#define EGO_ROUNDS 8    /* iterations of the regression */
#define EGO_COUNT 121.0 /* pixels of the regression's patch */
#define EGO_PIVOT 1e-6

#define EGO_LEAST_CONTRAST 16
#define EGO_MOST_CONTRAST 512
#define EGO_NEAR_PLACE 2        /* rows and columns around a place that do not compete with it */
#define EGO_UNIQUE 1.15         /* how much worse all others must be */
#define EGO_STEPS_AWAY 3.0      /* px: by how much the regression may move a place */
#define EGO_STEADY .03          /* px: when it ends */
#define EGO_FIT .7              /* share of the patch's variance that it must explain */
#define EGO_AGREE_DISPARITY 1.5 /* px: between neighbours of one surface */
#define EGO_LEAST_DISPARITY .25 /* px */
#define EGO_LEAST_Z .1          /* m: what is nearer is not seen */
#define EGO_ANYWHERE 1e6        /* px: places beyond are outside of any picture */

#define EGO_BENDS 3

/* ---- Pictures ------------------------------------------------------------------------------ */

/* Findings about the picture as a whole. */
typedef struct {
  int64_t sum;      /* of its contrast */
  uint32_t differs; /* it is not the one before */
  uint32_t reserved;
} EgoLook;

/* The factor of the relief, from the sum of differences across in rows 2, 6, 10 … of a half picture
 * of this size. */
STX_INLINE int ego_contrast(int64_t sum, int width, int height)
{
  const int64_t count = (int64_t)((height + 1) / 4) * (width - 2);
  int k = sum > 0 ? (int)(10240 / (16 * sum / count + (16 * sum < count))) : EGO_MOST_CONTRAST;
  return k < EGO_LEAST_CONTRAST  ? EGO_LEAST_CONTRAST
         : k > EGO_MOST_CONTRAST ? EGO_MOST_CONTRAST
                                 : k;
}

STX_INLINE uint8_t ego_relief(int pixel, int sum, int k)
{
  int value = 128 + (k * (49 * pixel - sum) >> 10);
  return (uint8_t)(value < 1 ? 1 : value > 255 ? 255 : value);
}

/* Exact up to the division: all products are below 2^53. */
STX_INLINE int32_t ego_score(double a, double b, double c)
{
  return (int32_t)((a * b - c * c) / (a + b + 1));
}

/* The largest score of a cell, the first one by rows; and the disparity there, pixels. x = 0: there
 * is no corner. */
typedef struct {
  int16_t x, y;
  float disparity;
} EgoCell;

/* ---- Places -------------------------------------------------------------------------------- */

/* Rotation by rows, and metres: of a point before in the coordinates now. */
typedef struct {
  double r[9], t[3];
} EgoPose;

typedef struct {
  double focal, cx, cy, scale; /* scale: focal · baseline */
} EgoCamera;

/* A corner of the frame before. */
typedef struct {
  int32_t x, y;    /* in the half picture; the full one's is twice that */
  float disparity; /* pixels, > 0 */
} EgoCorner;

/* Its place in the full picture now, and the disparity there if the search measures; < 0: unknown.
 */
typedef struct {
  double u, v;
  float disparity;
  int32_t found;
} EgoMatch;

/* The reach of a window to either side, pixels of the half picture. */
typedef struct {
  int32_t across, down;
} EgoReach;

/* A search for every `stride`-th corner, `count` of them. */
typedef struct {
  EgoCamera camera;
  EgoPose pose;             /* that is expected */
  double offset[EGO_BENDS]; /* of disparities, as in EgoBend */
  EgoReach reach;
  int32_t surmise; /* the pose is not made up */
  int32_t measure; /* the disparities now are wanted */
  int32_t stride, count;
} EgoSearch;

/* Returns ⌊x⌋; an int must have room for it. */
STX_INLINE int ego_floor(double x)
{
  const int towards_zero = (int)x;
  return towards_zero - (towards_zero > x);
}

/* The image now of a point before. False: not in front of the camera. */
STX_INLINE bool ego_project(
    const EgoCamera *c, const EgoPose *pose, const double p[3], double seen[3])
{
  const double *r = pose->r, *t = pose->t;
  double x = r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + t[0];
  double y = r[3] * p[0] + r[4] * p[1] + r[5] * p[2] + t[1];
  double z = r[6] * p[0] + r[7] * p[1] + r[8] * p[2] + t[2];
  if (!(z > EGO_LEAST_Z))
    return false;
  seen[0] = c->focal * x / z + c->cx;
  seen[1] = c->focal * y / z + c->cy;
  seen[2] = c->scale / z;
  return true;
}

STX_INLINE double ego_column_of(const EgoCamera *camera, double u)
{
  return (u - camera->cx) / camera->focal;
}

STX_INLINE double ego_offset_at(const double offset[EGO_BENDS], double x)
{
  return offset[0] + x * (offset[1] + x * offset[2]);
}

/* The position of a corner without the offset of its disparity, which is returned. */
STX_INLINE double ego_place_of(const EgoSearch *search, const EgoCorner *c, double p[3])
{
  const EgoCamera *camera = &search->camera;
  const double x = ego_column_of(camera, 2 * c->x);
  double d = c->disparity - ego_offset_at(search->offset, x);
  d = d > EGO_LEAST_DISPARITY ? d : EGO_LEAST_DISPARITY;
  p[2] = camera->scale / d;
  p[0] = x * p[2];
  p[1] = (2 * c->y - camera->cy) * p[2] / camera->focal;
  return d;
}

/* The expected position of a corner in the half picture. */
STX_INLINE bool ego_expect(const EgoSearch *search, const EgoCorner *c, double *x, double *y)
{
  double p[3], seen[3];
  ego_place_of(search, c, p);
  if (!ego_project(&search->camera, &search->pose, p, seen))
    return false;
  *x = seen[0] / 2;
  *y = seen[1] / 2;
  return true;
}

STX_INLINE bool ego_is_anywhere(double x, double y)
{
  return x > -EGO_ANYWHERE && x < EGO_ANYWHERE && y > -EGO_ANYWHERE && y < EGO_ANYWHERE;
}

/* ---- Search -------------------------------------------------------------------------------- */

/* Places in the relief where a patch is searched: those from (x, y) on. */
typedef struct {
  int x, y, columns, rows;
} EgoWindow;

/* The part of the window around (x, y) where patches fit, in a half picture of this size. */
STX_INLINE EgoWindow ego_window_at(int width, int height, double x, double y, EgoReach reach)
{
  EgoWindow w = {0, 0, 0, 0};
  const int most_x = width - EGO_BORDER, most_y = height - EGO_BORDER;
  if (!ego_is_anywhere(x, y))
    return w;
  int left = ego_floor(x + .5) - reach.across, right = left + 2 * reach.across + 1;
  int top = ego_floor(y + .5) - reach.down, bottom = top + 2 * reach.down + 1;
  left = left < EGO_BORDER ? EGO_BORDER : left;
  top = top < EGO_BORDER ? EGO_BORDER : top;
  right = right < most_x ? right : most_x;
  bottom = bottom < most_y ? bottom : most_y;
  if (left < right && top < bottom) {
    w.x = left;
    w.y = top;
    w.columns = right - left;
    w.rows = bottom - top;
  }
  return w;
}

typedef struct {
  int least, second, x, y; /* second: of those that are not near */
  bool inside;             /* no place at the window's edge */
} EgoFound;

/* A place that is unlike all else. */
STX_INLINE bool ego_is_unique(const EgoFound *found)
{
  return found->inside && found->second > EGO_UNIQUE * found->least;
}

/* ---- Places between pixels ----------------------------------------------------------------- */

/* Sums over 11 × 11 pixels: of gray levels, central differences across and down, and of their
 * products. */
typedef struct {
  int32_t t, x, y, tt, tx, ty, xx, xy, yy;
} EgoProducts;

/* The same with the values J now, EGO_PIXELS for a gray level. */
typedef struct {
  int32_t sum_j, jj, tj, xj, yj;
} EgoSums;

STX_INLINE int ego_between(const int weights[4], int a, int b, int c, int d)
{
  return (weights[0] * a + weights[1] * b + weights[2] * c + weights[3] * d + 256) >> 9;
}

STX_INLINE void ego_weights(int x, int y, int weights[4])
{
  weights[0] = (EGO_STEPS - x) * (EGO_STEPS - y);
  weights[1] = x * (EGO_STEPS - y);
  weights[2] = (EGO_STEPS - x) * y;
  weights[3] = x * y;
}

/* Solves four unknowns by elimination; the matrix is that of sums of products. */
STX_INLINE bool ego_solve4(double a[4][5])
{
  for (int k = 0; k < 4; k++) {
    if (!(a[k][k] > EGO_PIVOT))
      return false;
    for (int i = 0; i < 4; i++) {
      double factor = i == k ? 0 : a[i][k] / a[k][k];
      for (int j = k; j < 5 && i != k; j++)
        a[i][j] -= factor * a[k][j];
    }
  }
  for (int k = 0; k < 4; k++)
    a[k][4] /= a[k][k];
  return true;
}

/* Computes the displacement from the solution; false: that explains too little. */
STX_INLINE bool ego_judge(const double solution[4], const EgoSums *j, double move[2])
{
  const double sums[4] = {(double)j->sum_j, (double)j->tj, (double)j->xj, (double)j->yj};
  double gain = solution[1], explained = 0, mean = j->sum_j / EGO_COUNT;
  for (int k = 0; k < 4; k++)
    explained += solution[k] * sums[k];
  explained -= EGO_COUNT * mean * mean;
  if (!(gain > EGO_PIXELS * .25 && gain < EGO_PIXELS * 4) ||
      !(explained > EGO_FIT * (j->jj - EGO_COUNT * mean * mean)))
    return false;
  move[0] = -2 * solution[2] / gain;
  move[1] = -2 * solution[3] / gain;
  return fabs(move[0]) < EGO_STEPS_AWAY && fabs(move[1]) < EGO_STEPS_AWAY;
}

/* J ≈ offset + gain · T + across · ∂T/∂x + down · ∂T/∂y; a displacement of −across / gain. */
STX_INLINE bool ego_regress(const EgoProducts *p, const EgoSums *j, double move[2])
{
  double a[4][5] = {{EGO_COUNT, (double)p->t, (double)p->x, (double)p->y, (double)j->sum_j},
      {(double)p->t, (double)p->tt, (double)p->tx, (double)p->ty, (double)j->tj},
      {(double)p->x, (double)p->tx, (double)p->xx, (double)p->xy, (double)j->xj},
      {(double)p->y, (double)p->ty, (double)p->xy, (double)p->yy, (double)j->yj}};
  if (!ego_solve4(a))
    return false;
  const double solution[4] = {a[0][4], a[1][4], a[2][4], a[3][4]};
  return ego_judge(solution, j, move);
}

/* A place that the regression makes exact, from (from_u, from_v) on. */
typedef struct {
  double u, v, from_u, from_v;
  int x, y; /* where the round looks, EGO_STEPS a pixel */
} EgoPlace;

typedef enum { EGO_LOST, EGO_SETTLED, EGO_GOES_ON } EgoStep;

/* False: the patch does not fit into a picture of this size there. */
STX_INLINE bool ego_round_begin(EgoPlace *p, int width, int height)
{
  if (!ego_is_anywhere(p->u, p->v))
    return false;
  p->x = ego_floor(p->u * EGO_STEPS + .5);
  p->y = ego_floor(p->v * EGO_STEPS + .5);
  return p->x >= EGO_RADIUS * EGO_STEPS && p->y >= EGO_RADIUS * EGO_STEPS &&
         p->x < (width - EGO_RADIUS - 1) * EGO_STEPS &&
         p->y < (height - EGO_RADIUS - 1) * EGO_STEPS;
}

STX_INLINE EgoStep ego_round_end(EgoPlace *p, const double move[2])
{
  p->u = (double)p->x / EGO_STEPS + move[0];
  p->v = (double)p->y / EGO_STEPS + move[1];
  if (fabs(p->u - p->from_u) > EGO_STEPS_AWAY || fabs(p->v - p->from_v) > EGO_STEPS_AWAY)
    return EGO_LOST;
  return fabs(move[0]) < EGO_STEADY && fabs(move[1]) < EGO_STEADY ? EGO_SETTLED : EGO_GOES_ON;
}

/* ---- Disparities --------------------------------------------------------------------------- */

STX_INLINE double ego_value_of(uint16_t value, int depth)
{
  if (value == 0)
    return -1;
  return depth > 0 ? depth / (256.0 * value) : value / 256.0;
}

/* A mean over 3 × 3 pixels; between pixels, of what these means are there: over 4 × 4. */
typedef struct {
  double right, below; /* of the pixel, 0 … 1 */
  double sum, least, most;
} EgoMean;

STX_INLINE double ego_share(int i, double beyond)
{
  return i == 0 ? 1 - beyond : i == 3 ? beyond : 1;
}

/* The value of pixel (i, j) of the 4 × 4. */
STX_INLINE void ego_mean_add(EgoMean *mean, int i, int j, double value)
{
  const double weight = ego_share(i, mean->right) * ego_share(j, mean->below);
  if (weight == 0)
    return;
  mean->least = value < mean->least ? value : mean->least;
  mean->most = value > mean->most ? value : mean->most;
  mean->sum += weight * value;
}

/* < 0: not all are known, or they are of several surfaces. */
STX_INLINE float ego_mean_end(const EgoMean *mean)
{
  return mean->least > 0 && mean->most - mean->least < EGO_AGREE_DISPARITY ? (float)(mean->sum / 9)
                                                                           : -1;
}

/* Begins the mean at a place: (*x, *y) is its pixel. False: it is not inside the picture. */
STX_INLINE bool ego_mean_begin(
    EgoMean *mean, const StxImage16 *image, double u, double v, int *x, int *y)
{
  *x = ego_floor(u);
  *y = ego_floor(v);
  mean->right = u - *x;
  mean->below = v - *y;
  mean->sum = 0;
  mean->least = 1e9;
  mean->most = -1;
  return *x >= 1 && *y >= 1 && *x + 2 < image->width && *y + 2 < image->height;
}

/* The disparity at a place of the full picture, pixels; < 0: unknown. */
STX_INLINE float ego_disparity(const StxImage16 *image, int depth, double u, double v)
{
  EgoMean mean;
  int x, y;
  if (!ego_mean_begin(&mean, image, u, v, &x, &y))
    return -1;
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 4; i++)
      ego_mean_add(&mean, i, j, ego_value_of(stx_row16(image, y + j - 1)[x + i - 1], depth));
  return ego_mean_end(&mean);
}
