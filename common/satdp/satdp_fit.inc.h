/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The data cost of a start row, from two rows of a group's summed tables. Private to satdp_omp.c
 * and fulldp's vector code.
 */
#pragma once

#include "common/satdp/satdp_simd.inc.h"

INLINE LanesGroundPrior lanes_ground_prior(const LaneTables *t)
{
  LanesGroundPrior prior = {t->ground_slope, t->horizon_x, t->lambda_intercept, t->lambda_slope};
  return prior;
}

INLINE LanesPairCost lanes_pair_cost(const LaneTables *t)
{
  LanesPairCost pair = {
      load_f64(t->pair_cost), load_f64(t->pair_slope), load_f64(t->pair_tolerance)};
  return pair;
}

/* stx_data_energy */
INLINE VecF64 lanes_data_energy(HalfF32 residual, HalfF32 residual_energy)
{
  return lanes_round(widen_f32(residual * residual_energy));
}

/* stx_moments, with doubles for the integers. */
INLINE LanesMoments moments_of_ground(const SumRow *hi, const SumRow *lo)
{
#define SUM(field) (load_f64(hi->field) - load_f64(lo->field))
  VecF64 w = SUM(ground_w), x = SUM(ground_x), d = SUM(ground_d);
  HalfF32 weight = narrow_f64(w), inverse = lanes_inverse(weight);
  HalfF32 x0 = lanes_centre(narrow_f64(x), inverse);
  VecF64 near_x = widen_f32(x0), off_x = x - near_x * w;
  VecF64 xx = SUM(ground_xx) - near_x * (x + off_x), xd = SUM(ground_xd) - near_x * d;
  LanesMoments moments = {weight, inverse, x0, set1_half_f32(0), narrow_f64(off_x), narrow_f64(d),
      narrow_f64(xx), narrow_f64(xd), narrow_f64(SUM(ground_dd))};
  return moments;
}

/* Returns the moments of an upright object, without those of x. */
INLINE LanesMoments moments_of_upright(const SumRow *hi, const SumRow *lo)
{
  VecF64 w = SUM(object_w), d = SUM(object_d);
  HalfF32 none = set1_half_f32(0), weight = narrow_f64(w), inverse = lanes_inverse(weight);
  HalfF32 d0 = lanes_centre(narrow_f64(d), inverse);
  VecF64 near_d = widen_f32(d0), off_d = d - near_d * w;
  VecF64 dd = SUM(object_dd) - near_d * (d + off_d);
  LanesMoments moments = {
      weight, inverse, none, d0, none, narrow_f64(off_d), none, none, narrow_f64(dd)};
  return moments;
}

INLINE LanesMoments moments_of_slanted(
    const SumRow *hi, const SumRow *lo, const SlantRow *slant_hi, const SlantRow *slant_lo)
{
#define SLANT(field) (load_f64(slant_hi->field) - load_f64(slant_lo->field))
  LanesMoments moments = moments_of_upright(hi, lo);
  VecF64 x = SLANT(x), near_d = widen_f32(moments.d0);
  moments.x0 = lanes_centre(narrow_f64(x), moments.inverse);
  VecF64 near_x = widen_f32(moments.x0), off_x = x - near_x * SUM(object_w);
  moments.x = narrow_f64(off_x);
  moments.xx = narrow_f64(SLANT(xx) - near_x * (x + off_x));
  moments.xd = narrow_f64(SLANT(xd) - near_x * SUM(object_d) - near_d * off_x);
  return moments;
}

/* Energy and plane of start row vb at row k, without horizon, unknown cells and classes. */
typedef struct {
  VecF64 energy, foot, top;
} Fit;

/* `cut`: where the boundaries lie. */
INLINE Fit fit_kind(
    const LaneTables *terms, int kind, const SumRow *hi, const SumRow *lo, const HalfF32 *cut[2])
{
  Fit fit = {set1_f64(0), set1_f64(0), set1_f64(0)};
  HalfF32 unit = terms->residual_energy;
  if (kind == GROUND) {
    LanesGroundFit plane = lanes_fit_ground(lanes_ground_prior(terms), moments_of_ground(hi, lo));
    fit.energy = lanes_data_energy(plane.residual, unit);
    fit.foot = widen_f32(lanes_ground_value(plane, terms->horizon_x, *cut[0]));
    fit.top = widen_f32(lanes_ground_value(plane, terms->horizon_x, *cut[1]));
  } else if (kind == OBJECT) {
    LanesMoments moments = moments_of_upright(hi, lo);
    fit.energy = lanes_data_energy(lanes_squares(moments), unit);
    fit.foot = fit.top = widen_f32(moments.d0);
  } else {
    fit.energy = lanes_data_energy(narrow_f64(SUM(sky_dd)), unit);
  }
  return fit;
}

/* Fits a slanted object; `rest` is the start row's. */
INLINE Fit fit_slanted(
    const LaneTables *terms, LanesMoments moments, const HalfF32 *cut[2], const double *rest)
{
  HalfF32 most = narrow_f64(load_f64(rest));
  LanesObjectFit plane = lanes_fit_object(terms->lambda_object, moments);
  Fit fit = {lanes_data_energy(plane.residual, terms->residual_energy),
      widen_f32(lanes_slanted_value(plane, *cut[0], moments.w, most)),
      widen_f32(lanes_slanted_value(plane, *cut[1], moments.w, most))};
  return fit;
}

/* The semantic energy of the cheapest class. */
INLINE VecF64 class_energy(const Group *g, int kind, int vb, int k)
{
  int stride = g->classes[KINDS], begin = g->classes[kind], count = g->classes[kind + 1] - begin;
  const HalfI32 *sums = (const HalfI32 *)(const void *)g->sums;
  const HalfI32 *hi = sums + (k + 1) * stride + begin, *lo = sums + vb * stride + begin;
  if (count == 0)
    return set1_f64(0);
  HalfI32 least = hi[0] - lo[0];
  for (int i = 1; i < count; i++)
    least = min_half_i32(least, hi[i] - lo[i]);
  return widen_i32(least);
}
