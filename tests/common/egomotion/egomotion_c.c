/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* egomotion, the reference of what looks at pixels: reads like egomotion.h. */
#include "tests/common/oracle.h"
#include "common/egomotion/egomotion_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void stx_egomotion_half_c(const StxImage8 *full, const StxImage8 *half, int row, int end)
{
  for (int y = row; y < end; y++)
    for (int x = 0; x < half->width; x++) {
      const uint8_t *a = stx_row8(full, 2 * y) + 2 * x, *b = a + full->stride;
      stx_row8(half, y)[x] = (uint8_t)((a[0] + a[1] + b[0] + b[1] + 2) >> 2);
    }
}

static void stx_egomotion_relief_c(
    const StxImage8 *half, const StxImage8 *relief, int k, int row, int end)
{
  for (int y = row; y < end; y++)
    for (int x = 0; x < half->width; x++) {
      uint8_t *to = stx_row8(relief, y) + x;
      int sum = 0;
      *to = 128;
      if (x < 3 || y < 3 || x >= half->width - 3 || y >= half->height - 3)
        continue;
      for (int i = 0; i < 49; i++)
        sum += stx_row8(half, y + i / 7 - 3)[x + i % 7 - 3];
      *to = ego_relief(stx_row8(half, y)[x], sum, k);
    }
}

static int32_t score_at(const StxImage8 *half, int x, int y)
{
  int a = 0, b = 0, c = 0;
  for (int k = 0; k < 25; k++) {
    const uint8_t *p = stx_row8(half, y + k / 5 - 2) + x + k % 5 - 2;
    int across = p[1] - p[-1], down = p[half->stride] - p[-half->stride];
    a += across * across;
    b += down * down;
    c += across * down;
  }
  return ego_score(a, b, c);
}

static void stx_egomotion_corners_c(
    const StxImage8 *half, int row, int32_t *scores, int16_t (*places)[2])
{
  const int cells = (half->width + EGO_CELL - 1) / EGO_CELL;
  for (int cell = 0; cell < cells; cell++) {
    scores[cell] = 0;
    for (int k = 0; k < EGO_CELL * EGO_CELL; k++) {
      int x = cell * EGO_CELL + k % EGO_CELL, y = row * EGO_CELL + k / EGO_CELL;
      if (x < EGO_BORDER || y < EGO_BORDER || x >= half->width - EGO_BORDER ||
          y >= half->height - EGO_BORDER)
        continue;
      int32_t score = score_at(half, x, y);
      if (score < STX_EGOMOTION_TEXTURE || score <= scores[cell])
        continue;
      scores[cell] = score;
      places[cell][0] = (int16_t)x;
      places[cell][1] = (int16_t)y;
    }
  }
}

static void stx_egomotion_costs_c(const StxImage8 *before, int x, int y, const StxImage8 *now,
    const EgoWindow *window, int limit, uint16_t (*costs)[EGO_COSTS], uint16_t *least)
{
  for (int row = 0; row < window->rows; row++) {
    least[row] = UINT16_MAX;
    for (int column = 0; column < window->columns; column++) {
      int cost = 0;
      for (int k = 0; k < EGO_SIDE * EGO_SIDE; k++) {
        int right = k % EGO_SIDE - EGO_BEFORE, down = k / EGO_SIDE - EGO_BEFORE;
        cost += abs(stx_row8(before, y + down)[x + right] -
                    stx_row8(now, window->y + row + down)[window->x + column + right]);
      }
      costs[row][column] = (uint16_t)cost;
      least[row] = costs[row][column] < least[row] ? costs[row][column] : least[row];
    }
  }
}

static void stx_egomotion_patch_c(const StxImage8 *before, int x, int y, EgoPatch *patch)
{
  memset(patch, 0, sizeof *patch);
  for (int j = 0; j <= 2 * EGO_RADIUS; j++)
    for (int i = 0; i <= 2 * EGO_RADIUS; i++) {
      const uint8_t *p = stx_row8(before, y + j - EGO_RADIUS) + x + i - EGO_RADIUS;
      int t = p[0], across = p[1] - p[-1], down = p[before->stride] - p[-before->stride];
      patch->t[j][i] = (int16_t)t;
      patch->x[j][i] = (int16_t)across;
      patch->y[j][i] = (int16_t)down;
      patch->of.t += t;
      patch->of.x += across;
      patch->of.y += down;
      patch->of.tt += t * t;
      patch->of.tx += t * across;
      patch->of.ty += t * down;
      patch->of.xx += across * across;
      patch->of.xy += across * down;
      patch->of.yy += down * down;
    }
}

static void stx_egomotion_sums_c(
    const EgoPatch *patch, const StxImage8 *now, int x, int y, EgoSums *sums)
{
  int weights[4];
  ego_weights(x % EGO_STEPS, y % EGO_STEPS, weights);
  *sums = (EgoSums){0};
  for (int j = 0; j <= 2 * EGO_RADIUS; j++)
    for (int i = 0; i <= 2 * EGO_RADIUS; i++) {
      const uint8_t *p =
          stx_row8(now, y / EGO_STEPS + j - EGO_RADIUS) + x / EGO_STEPS + i - EGO_RADIUS;
      int value = ego_between(weights, p[0], p[1], p[now->stride], p[now->stride + 1]);
      sums->sum_j += value;
      sums->jj += value * value;
      sums->tj += patch->t[j][i] * value;
      sums->xj += patch->x[j][i] * value;
      sums->yj += patch->y[j][i] * value;
    }
}

/* ---- The equations for the motion of all points, one after another ------------------------ */

/* Independent errors of unit variance, and their slopes. */
typedef struct {
  int count; /* 0: nothing is known; 2: without the disparity now */
  double error[3], slope[3][EGO_UNKNOWNS];
} Errors;

/* The place of a point whose disparity is less than it was by the offset. */
static double move_in_depth(const EgoPoint *p, double offset, double q[3])
{
  const double d = p->before - offset;
  for (int i = 0; i < 3; i++)
    q[i] = p->p[i] * p->before / d;
  return d;
}

/* The image of a point, and its derivative by the disparity before. */
static bool see(const EgoFit *s, const EgoPoint *p, double seen[3], double by_depth[3])
{
  double q[3], nearer[3];
  const double offset = ego_offset_at(s->bend, p->p[0] / p->p[2]);
  if (!(move_in_depth(p, offset - EGO_NUDGE, q) > EGO_LEAST_DISPARITY) ||
      !ego_project(s->camera, &s->pose, q, nearer) ||
      !(move_in_depth(p, offset, q) > EGO_LEAST_DISPARITY) ||
      !ego_project(s->camera, &s->pose, q, seen))
    return false;
  for (int i = 0; i < 3; i++)
    by_depth[i] = (nearer[i] - seen[i]) / EGO_NUDGE;
  return true;
}

static void fill_slopes(
    const EgoFit *s, const EgoPoint *p, const double seen[3], const double by_depth[3], Errors *e)
{
  const double x = p->p[0] / p->p[2], x_now = (p->u - s->camera->cx) / s->camera->focal;
  const double before[EGO_BENDS] = {1, x, x * x}, now[EGO_BENDS] = {1, x_now, x_now * x_now};
  ego_slopes(s->camera, seen, e->slope);
  for (int k = 0; k < EGO_BENDS; k++)
    for (int i = 0; i < 3; i++)
      e->slope[i][6 + k] = -by_depth[i] * before[k] + (i == 2 ? now[k] : 0);
}

/* Noise of the disparity before moves all three: the covariance is 1 + from · from', whose inverse
 * is the square of 1 − less · from · from'. */
static void make_independent(Errors *e, const double from[3], double square)
{
  const double less = square > 0 ? (1 - 1 / sqrt(1 + square)) / square : 0;
  for (int k = -1; k < EGO_UNKNOWNS; k++) {
    double along = 0;
    for (int i = 0; i < e->count; i++)
      along += from[i] * (k < 0 ? e->error[i] : e->slope[i][k]);
    for (int i = 0; i < e->count; i++)
      *(k < 0 ? &e->error[i] : &e->slope[i][k]) -= less * along * from[i];
  }
}

static void find_errors(const EgoFit *s, const EgoPoint *p, Errors *e)
{
  const double own[3] = {1 / p->spread, 1 / p->spread, 1 / EGO_NOISE_NOW};
  const double x_now = (p->u - s->camera->cx) / s->camera->focal;
  const double measured[3] = {p->u, p->v, p->d - ego_offset_at(s->bend, x_now)};
  double seen[3], by_depth[3], from[3], square = 0;
  e->count = 0;
  if (!see(s, p, seen, by_depth))
    return;
  e->count = p->d < 0 ? 2 : 3;
  fill_slopes(s, p, seen, by_depth, e);
  for (int i = 0; i < e->count; i++) {
    from[i] = by_depth[i] * EGO_NOISE_BEFORE * own[i];
    square += from[i] * from[i];
    e->error[i] = (measured[i] - seen[i]) * own[i];
    for (int k = 0; k < EGO_UNKNOWNS; k++)
      e->slope[i][k] *= own[i];
  }
  make_independent(e, from, square);
}

static double square_of(const Errors *e)
{
  double square = 0;
  for (int i = 0; i < e->count; i++)
    square += e->error[i] * e->error[i];
  return square;
}

/* The sum over the errors of a point of two slopes, or of a slope and the error: j = −1. */
static double product(const Errors *e, int i, int j)
{
  double sum = 0;
  for (int row = 0; row < e->count; row++)
    sum += e->slope[row][i] * (j < 0 ? e->error[row] : e->slope[row][j]);
  return sum;
}

static void add_point(EgoEquations *sums, const Errors *e)
{
  const double square = square_of(e), soft = EGO_SOFT / (EGO_SOFT + square), weight = soft * soft;
  for (int i = 0; i < EGO_UNKNOWNS; i++) {
    sums->b[i] += weight * product(e, i, -1);
    for (int j = i; j < EGO_UNKNOWNS; j++)
      sums->a[i][j] += weight * product(e, i, j);
  }
  sums->weight += weight * e->count;
  sums->error += weight * square;
  sums->agree += e->count > 0 && square < EGO_FAR;
}

static void add_lane(EgoEquations *sums, const EgoEquations *lane)
{
  for (int i = 0; i < EGO_UNKNOWNS; i++) {
    sums->b[i] += lane->b[i];
    for (int j = i; j < EGO_UNKNOWNS; j++)
      sums->a[i][j] += lane->a[i][j];
  }
  sums->weight += lane->weight;
  sums->error += lane->error;
  sums->agree += lane->agree;
}

static void stx_egomotion_equations_c(const EgoFit *fit, int first, int end, EgoEquations *sums)
{
  EgoEquations lanes[EGO_LANES] = {0};
  Errors errors;
  for (int i = first; i < end; i++) {
    find_errors(fit, &fit->points[i], &errors);
    add_point(&lanes[(i - first) % EGO_LANES], &errors);
  }
  *sums = (EgoEquations){0};
  for (int lane = 0; lane < EGO_LANES; lane++)
    add_lane(sums, &lanes[lane]);
}

/* The functions that do not look at pixels are the product's. */
const struct StxEgomotionImpl *oracle_egomotion(void)
{
  static struct StxEgomotionImpl impl;
  if (impl.info.name == NULL) {
    impl = *(const struct StxEgomotionImpl *)stx_impl_named(&stx_egomotion_impls, "omp");
    impl.half = stx_egomotion_half_c;
    impl.relief = stx_egomotion_relief_c;
    impl.corners = stx_egomotion_corners_c;
    impl.costs = stx_egomotion_costs_c;
    impl.patch = stx_egomotion_patch_c;
    impl.sums = stx_egomotion_sums_c;
    impl.equations = stx_egomotion_equations_c;
    impl.info.name = "c";
  }
  return &impl;
}
