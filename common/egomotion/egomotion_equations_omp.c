/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* egomotion, the fast one of the equations for the motion of all points: as many points at a time
 * as a vector has lanes, each with the arithmetic of the reference; compiled once per instruction
 * set. Points without a place, and errors without a disparity, add zeros. */
#include "common/egomotion/egomotion_private.h"
#include "common/simd/simd_f64.h"

enum {
  FIELDS = sizeof(EgoPoint) / sizeof(double),
  PRODUCTS = EGO_UNKNOWNS * (EGO_UNKNOWNS + 1) / 2,
  TERMS = PRODUCTS + EGO_UNKNOWNS + 3 /* the upper half by rows, right side, weight, error, agree */
};

/* Points, in the order of EgoPoint. */
typedef struct {
  VecF64 p[3], before, u, v, d, spread;
} Points;

/* Those of every EGO_LANES-th point, from `first` on; in lanes where there is none, the last. */
INLINE Points take(const EgoPoint *points, int first, int end, Mask64 *there)
{
  _Alignas(VECTOR_BYTES) double numbers[LANES_64], fields[FIELDS][LANES_64];
  Points taken;
  for (int l = 0; l < LANES_64; l++) {
    const EgoPoint *p = &points[first + l < end ? first + l : end - 1];
    const double of[FIELDS] = {p->p[0], p->p[1], p->p[2], p->before, p->u, p->v, p->d, p->spread};
    for (int k = 0; k < FIELDS; k++)
      fields[k][l] = of[k];
    numbers[l] = first + l;
  }
  *there = lt_f64(load_f64(numbers), set1_f64(end));
  for (int i = 0; i < 3; i++)
    taken.p[i] = load_f64(fields[i]);
  taken.before = load_f64(fields[3]);
  taken.u = load_f64(fields[4]);
  taken.v = load_f64(fields[5]);
  taken.d = load_f64(fields[6]);
  taken.spread = load_f64(fields[7]);
  return taken;
}

INLINE VecF64 offset_at(const double bend[EGO_BENDS], VecF64 x)
{
  return bend[0] + x * (bend[1] + x * bend[2]);
}

/* ego_project. */
INLINE Mask64 project(const EgoFit *fit, const VecF64 p[3], VecF64 seen[3])
{
  const double *r = fit->pose.r, *t = fit->pose.t;
  const EgoCamera *c = fit->camera;
  const VecF64 x = r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + t[0];
  const VecF64 y = r[3] * p[0] + r[4] * p[1] + r[5] * p[2] + t[1];
  const VecF64 z = r[6] * p[0] + r[7] * p[1] + r[8] * p[2] + t[2];
  seen[0] = c->focal * x / z + c->cx;
  seen[1] = c->focal * y / z + c->cy;
  seen[2] = c->scale / z;
  return lt_f64(set1_f64(EGO_LEAST_Z), z);
}

/* The image of points whose disparity is less than it was by the offset. */
INLINE Mask64 see_at(const EgoFit *fit, const Points *p, VecF64 offset, VecF64 seen[3])
{
  const VecF64 d = p->before - offset;
  const VecF64 q[3] = {p->p[0] * p->before / d, p->p[1] * p->before / d, p->p[2] * p->before / d};
  return lt_f64(set1_f64(EGO_LEAST_DISPARITY), d) & project(fit, q, seen);
}

/* ego_slopes. */
INLINE void fill_slopes(const EgoCamera *c, const VecF64 seen[3], VecF64 slope[3][EGO_UNKNOWNS])
{
  const VecF64 u = seen[0] - c->cx, v = seen[1] - c->cy, d = seen[2], none = {0};
  const double f = c->focal;
  const VecF64 x = u / f, y = v / f, over_z = d / c->scale;
  const VecF64 slopes[3][6] = {{-f * x * y, f + f * x * x, -f * y, f * over_z, none, -u * over_z},
      {-f - f * y * y, f * x * y, f * x, none, f * over_z, -v * over_z},
      {-d * y, d * x, none, none, none, -d * over_z}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 6; k++)
      slope[i][k] = slopes[i][k];
}

INLINE void make_independent(VecF64 error[3], VecF64 slope[3][EGO_UNKNOWNS], const VecF64 from[3])
{
  const VecF64 none = {0}, square = from[0] * from[0] + from[1] * from[1] + from[2] * from[2];
  const VecF64 less =
      blend_f64(lt_f64(none, square), (1 - 1 / sqrt_f64(1 + square)) / square, none);
  for (int k = -1; k < EGO_UNKNOWNS; k++) {
    VecF64 *column[3], along = {0};
    for (int i = 0; i < 3; i++) {
      column[i] = k < 0 ? &error[i] : &slope[i][k];
      along += from[i] * *column[i];
    }
    for (int i = 0; i < 3; i++)
      *column[i] -= less * along * from[i];
  }
}

/* Errors and slopes, all zero where the points are not in front of the camera. */
INLINE Mask64 find_errors(
    const EgoFit *fit, const Points *p, VecF64 error[3], VecF64 slope[3][EGO_UNKNOWNS])
{
  const EgoCamera *c = fit->camera;
  const VecF64 x = p->p[0] / p->p[2], x_now = (p->u - c->cx) / c->focal, none = {0};
  const VecF64 offset = offset_at(fit->bend, x), unit = set1_f64(1);
  const VecF64 before[EGO_BENDS] = {unit, x, x * x}, now[EGO_BENDS] = {unit, x_now, x_now * x_now};
  const VecF64 measured[3] = {p->u, p->v, p->d - offset_at(fit->bend, x_now)};
  const VecF64 own[3] = {1 / p->spread, 1 / p->spread,
      blend_f64(lt_f64(p->d, none), none, set1_f64(1 / EGO_NOISE_NOW))};
  VecF64 nearer[3], seen[3], from[3];
  const Mask64 known = see_at(fit, p, offset - EGO_NUDGE, nearer) & see_at(fit, p, offset, seen);
  fill_slopes(c, seen, slope);
  for (int i = 0; i < 3; i++) {
    const VecF64 by_depth = (nearer[i] - seen[i]) / EGO_NUDGE;
    for (int k = 0; k < EGO_BENDS; k++)
      slope[i][6 + k] = -by_depth * before[k] + (i == 2 ? now[k] : none);
    from[i] = by_depth * EGO_NOISE_BEFORE * own[i];
    error[i] = (measured[i] - seen[i]) * own[i];
    for (int k = 0; k < EGO_UNKNOWNS; k++)
      slope[i][k] *= own[i];
  }
  make_independent(error, slope, from);
  for (int i = 0; i < 3; i++) {
    error[i] = keep_f64(known, error[i]);
    for (int k = 0; k < EGO_UNKNOWNS; k++)
      slope[i][k] = keep_f64(known, slope[i][k]);
  }
  return known;
}

INLINE void add_points(const EgoFit *fit, int first, int end, VecF64 sums[TERMS])
{
  VecF64 error[3], slope[3][EGO_UNKNOWNS];
  Mask64 there;
  const Points p = take(fit->points, first, end, &there);
  const Mask64 known = find_errors(fit, &p, error, slope) & there;
  const VecF64 square = error[0] * error[0] + error[1] * error[1] + error[2] * error[2];
  const VecF64 soft = EGO_SOFT / (EGO_SOFT + square), weight = keep_f64(known, soft * soft);
  const VecF64 errors = blend_f64(lt_f64(p.d, (VecF64){0}), set1_f64(2), set1_f64(3));
  VecF64 *to = sums;
  for (int i = 0; i < EGO_UNKNOWNS; i++)
    for (int j = i; j < EGO_UNKNOWNS; j++)
      *to++ += weight *
               (slope[0][i] * slope[0][j] + slope[1][i] * slope[1][j] + slope[2][i] * slope[2][j]);
  for (int i = 0; i < EGO_UNKNOWNS; i++)
    *to++ += weight * (slope[0][i] * error[0] + slope[1][i] * error[1] + slope[2][i] * error[2]);
  *to++ += weight * errors;
  *to++ += weight * square;
  *to += keep_f64(known & lt_f64(square, set1_f64(EGO_FAR)), set1_f64(1));
}

void STX_VARIANT(stx_egomotion_equations)(const EgoFit *fit, int first, int end, EgoEquations *sums)
{
  _Alignas(VECTOR_BYTES) double lanes[TERMS][EGO_LANES];
  double total[TERMS];
  for (int part = 0; part < EGO_LANES; part += LANES_64) {
    VecF64 terms[TERMS] = {{0}};
    for (int i = first + part; i < end; i += EGO_LANES)
      add_points(fit, i, end, terms);
    for (int k = 0; k < TERMS; k++)
      store_f64(&lanes[k][part], terms[k]);
  }
  for (int k = 0; k < TERMS; k++) {
    total[k] = 0;
    for (int l = 0; l < EGO_LANES; l++)
      total[k] += lanes[k][l];
  }
  const double *from = total;
  *sums = (EgoEquations){0};
  for (int i = 0; i < EGO_UNKNOWNS; i++)
    for (int j = i; j < EGO_UNKNOWNS; j++)
      sums->a[i][j] = *from++;
  for (int i = 0; i < EGO_UNKNOWNS; i++)
    sums->b[i] = *from++;
  sums->weight = from[0];
  sums->error = from[1];
  sums->agree = (int)from[2];
}
