/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The data cost of a start row, from two rows of a group's summed tables. Private to satdp_omp.c
 * and fulldp's vector code.
 */
#ifndef STX_SATDP_FIT_INC_H
#define STX_SATDP_FIT_INC_H

#include "common/satdp/satdp_simd.inc.h"

INLINE LanesGroundPrior lanes_ground_prior(const LaneTables *t)
{
  LanesGroundPrior prior = {load_f64(t->ground_slope), load_f64(t->horizon_x),
      load_f64(t->lambda_intercept), load_f64(t->lambda_slope)};
  return prior;
}

INLINE LanesPairCost lanes_pair_cost(const LaneTables *t)
{
  LanesPairCost pair = {
      load_f64(t->pair_cost), load_f64(t->pair_slope), load_f64(t->pair_tolerance)};
  return pair;
}

#define SUM_BETWEEN(field) (load_f64(hi->field) - load_f64(lo->field))

INLINE LanesGroundFit fit_ground(LanesGroundPrior prior, const SumRow *hi, const SumRow *lo)
{
  return lanes_fit_ground(prior, SUM_BETWEEN(ground_w), SUM_BETWEEN(ground_x),
      SUM_BETWEEN(ground_xx), SUM_BETWEEN(ground_d), SUM_BETWEEN(ground_xd),
      SUM_BETWEEN(ground_dd));
}

INLINE VecF64 line_residual(LanesGroundPrior prior, const SumRow *hi, const SumRow *lo)
{
  return lanes_line_residual(prior, SUM_BETWEEN(ground_w), SUM_BETWEEN(ground_x),
      SUM_BETWEEN(ground_xx), SUM_BETWEEN(ground_d), SUM_BETWEEN(ground_xd),
      SUM_BETWEEN(ground_dd));
}

/* Energy and plane of start row vb at row k, without horizon, unknown cells and classes. */
typedef struct {
  VecF64 energy, foot, top;
} Fit;

INLINE Fit fit_kind(const LaneTables *terms, int kind, const SumRow *hi, const SumRow *lo)
{
  Fit fit = {set1_f64(0), set1_f64(0), set1_f64(0)};
  VecF64 unit = load_f64(terms->residual_energy);
  if (kind == GROUND) {
    LanesGroundPrior prior = lanes_ground_prior(terms);
    VecF64 horizon = prior.horizon_x;
    LanesGroundFit plane = fit_ground(prior, hi, lo);
    fit.energy = lanes_data_energy(plane.residual, unit);
    fit.foot = lanes_ground_value(plane.slope, plane.intercept, horizon, load_f64(lo->cut));
    fit.top = lanes_ground_value(plane.slope, plane.intercept, horizon, load_f64(hi->cut));
  } else if (kind == OBJECT) {
    VecF64 w = SUM_BETWEEN(object_w), d = SUM_BETWEEN(object_d);
    VecF64 residual = lanes_object_residual(w, d, SUM_BETWEEN(object_dd));
    fit.energy = lanes_data_energy(residual, unit);
    fit.foot = fit.top = lanes_object_value(w, d);
  } else {
    fit.energy = lanes_data_energy(SUM_BETWEEN(sky_dd), unit);
  }
  return fit;
}

#define SLANT_BETWEEN(field) (load_f64(slant_hi->field) - load_f64(slant_lo->field))

/* Of a slanted object; `rest` as the start row has it. */
INLINE Fit fit_slanted(const LaneTables *terms, const SumRow *hi, const SumRow *lo,
    const SlantRow *slant_hi, const SlantRow *slant_lo, const double *rest)
{
  VecF64 w = SUM_BETWEEN(object_w), most = load_f64(rest);
  LanesObjectFit plane = lanes_fit_object(load_f64(terms->lambda_object), w, SLANT_BETWEEN(x),
      SLANT_BETWEEN(xx), SUM_BETWEEN(object_d), SLANT_BETWEEN(xd), SUM_BETWEEN(object_dd));
  Fit fit = {lanes_data_energy(plane.residual, load_f64(terms->residual_energy)),
      lanes_slanted_value(plane, load_f64(lo->cut), w, most),
      lanes_slanted_value(plane, load_f64(hi->cut), w, most)};
  return fit;
}

INLINE VecF64 slanted_free_residual(
    const SumRow *hi, const SumRow *lo, const SlantRow *slant_hi, const SlantRow *slant_lo)
{
  return lanes_slanted_free_residual(SUM_BETWEEN(object_w), SLANT_BETWEEN(x), SLANT_BETWEEN(xx),
      SUM_BETWEEN(object_d), SLANT_BETWEEN(xd), SUM_BETWEEN(object_dd));
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

#endif
