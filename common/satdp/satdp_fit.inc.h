/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a start row pays for its own cells, from two rows of a group's summed tables.
 * Private to satdp_omp.c and fulldp's vector code.
 */
#ifndef STX_SATDP_FIT_INC_H
#define STX_SATDP_FIT_INC_H

#include "common/satdp/satdp_simd.inc.h"

INLINE LanesGroundPrior lanes_ground_prior(const LaneTables *t)
{
  LanesGroundPrior prior = {lanes_load(t->ground_slope), lanes_load(t->horizon_x),
      lanes_load(t->lambda_intercept), lanes_load(t->lambda_slope)};
  return prior;
}

INLINE LanesPairCost lanes_pair_cost(const LaneTables *t)
{
  LanesPairCost pair = {
      lanes_load(t->pair_cost), lanes_load(t->pair_slope), lanes_load(t->pair_tolerance)};
  return pair;
}

#define SUM_BETWEEN(field) (lanes_load(hi->field) - lanes_load(lo->field))

INLINE LanesGroundFit fit_ground(LanesGroundPrior prior, const SumRow *hi, const SumRow *lo)
{
  return lanes_fit_ground(prior, SUM_BETWEEN(ground_w), SUM_BETWEEN(ground_x),
      SUM_BETWEEN(ground_xx), SUM_BETWEEN(ground_d), SUM_BETWEEN(ground_xd),
      SUM_BETWEEN(ground_dd));
}

INLINE Real line_residual(LanesGroundPrior prior, const SumRow *hi, const SumRow *lo)
{
  return lanes_line_residual(prior, SUM_BETWEEN(ground_w), SUM_BETWEEN(ground_x),
      SUM_BETWEEN(ground_xx), SUM_BETWEEN(ground_d), SUM_BETWEEN(ground_xd),
      SUM_BETWEEN(ground_dd));
}

/* Energy and plane of start row vb at row k, without horizon, unknown cells and classes. */
typedef struct {
  Real energy, foot, top;
} Fit;

INLINE Fit fit_kind(const LaneTables *terms, int kind, const SumRow *hi, const SumRow *lo)
{
  Fit fit = {lanes_real(0), lanes_real(0), lanes_real(0)};
  Real unit = lanes_load(terms->residual_energy);
  if (kind == GROUND) {
    LanesGroundPrior prior = lanes_ground_prior(terms);
    Real horizon = prior.horizon_x;
    LanesGroundFit plane = fit_ground(prior, hi, lo);
    fit.energy = lanes_data_energy(plane.residual, unit);
    fit.foot = lanes_ground_value(plane.slope, plane.intercept, horizon, lanes_load(lo->cut));
    fit.top = lanes_ground_value(plane.slope, plane.intercept, horizon, lanes_load(hi->cut));
  } else if (kind == OBJECT) {
    Real w = SUM_BETWEEN(object_w), d = SUM_BETWEEN(object_d);
    Real residual = lanes_object_residual(w, d, SUM_BETWEEN(object_dd));
    fit.energy = lanes_data_energy(residual, unit);
    fit.foot = fit.top = lanes_object_value(w, d);
  } else {
    fit.energy = lanes_data_energy(SUM_BETWEEN(sky_dd), unit);
  }
  return fit;
}

#define SLANT_BETWEEN(field) (lanes_load(slant_hi->field) - lanes_load(slant_lo->field))

/* Of a slanted object; `rest` as the start row has it. */
INLINE Fit fit_slanted(const LaneTables *terms, const SumRow *hi, const SumRow *lo,
    const SlantRow *slant_hi, const SlantRow *slant_lo, const double *rest)
{
  Real w = SUM_BETWEEN(object_w), most = lanes_load(rest);
  LanesObjectFit plane = lanes_fit_object(lanes_load(terms->lambda_object), w, SLANT_BETWEEN(x),
      SLANT_BETWEEN(xx), SUM_BETWEEN(object_d), SLANT_BETWEEN(xd), SUM_BETWEEN(object_dd));
  Fit fit = {lanes_data_energy(plane.residual, lanes_load(terms->residual_energy)),
      lanes_slanted_value(plane, lanes_load(lo->cut), w, most),
      lanes_slanted_value(plane, lanes_load(hi->cut), w, most)};
  return fit;
}

INLINE Real slanted_free_residual(
    const SumRow *hi, const SumRow *lo, const SlantRow *slant_hi, const SlantRow *slant_lo)
{
  return lanes_slanted_free_residual(SUM_BETWEEN(object_w), SLANT_BETWEEN(x), SLANT_BETWEEN(xx),
      SUM_BETWEEN(object_d), SLANT_BETWEEN(xd), SUM_BETWEEN(object_dd));
}

/* The semantic energy of the cheapest class. */
INLINE Real class_energy(const Group *g, int kind, int vb, int k)
{
  int stride = g->classes[KINDS], begin = g->classes[kind], count = g->classes[kind + 1] - begin;
  const Integers *sums = (const Integers *)(const void *)g->sums;
  const Integers *hi = sums + (k + 1) * stride + begin, *lo = sums + vb * stride + begin;
  if (count == 0)
    return lanes_real(0);
  Integers least = hi[0] - lo[0];
  for (int i = 1; i < count; i++)
    least = lanes_least(least, hi[i] - lo[i]);
  return lanes_of_integers(least);
}

#endif
