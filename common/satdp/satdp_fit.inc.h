/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a start row pays for its own cells, from two rows of a group's summed tables.
 * Private to satdp_omp.c and fulldp's vector code.
 */
#ifndef STX_SATDP_FIT_INC_H
#define STX_SATDP_FIT_INC_H

#include "common/satdp/satdp_lanes_private.h"

#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

static inline StxGroundFit fit_ground(
    StxGroundPrior prior, const SumRow *hi, const SumRow *lo, int l)
{
  return stx_fit_ground(prior, hi->ground_w[l] - lo->ground_w[l], hi->ground_x[l] - lo->ground_x[l],
      hi->ground_xx[l] - lo->ground_xx[l], hi->ground_d[l] - lo->ground_d[l],
      hi->ground_xd[l] - lo->ground_xd[l], hi->ground_dd[l] - lo->ground_dd[l]);
}

static inline double line_residual(StxGroundPrior prior, const SumRow *hi, const SumRow *lo, int l)
{
  return stx_line_residual(prior, hi->ground_w[l] - lo->ground_w[l],
      hi->ground_x[l] - lo->ground_x[l], hi->ground_xx[l] - lo->ground_xx[l],
      hi->ground_d[l] - lo->ground_d[l], hi->ground_xd[l] - lo->ground_xd[l],
      hi->ground_dd[l] - lo->ground_dd[l]);
}

/* Energy and plane of start row vb at row k, without horizon, unknown cells and classes. */
typedef struct {
  double energy, foot, top;
} Fit;

typedef struct {
  StxGroundPrior prior;
  double unit;
} FitInput;

static inline Fit fit_kind(FitInput in, int kind, const SumRow *hi, const SumRow *lo, int l)
{
  Fit fit = {0, 0, 0};
  if (kind == GROUND) {
    StxGroundFit plane = fit_ground(in.prior, hi, lo, l);
    fit.energy = stx_data_energy(plane.residual, in.unit);
    fit.foot = stx_ground_value(plane.slope, plane.intercept, in.prior.horizon_x, lo->cut[l]);
    fit.top = stx_ground_value(plane.slope, plane.intercept, in.prior.horizon_x, hi->cut[l]);
  } else if (kind == OBJECT) {
    double w = hi->object_w[l] - lo->object_w[l], d = hi->object_d[l] - lo->object_d[l];
    double residual = stx_object_residual(w, d, hi->object_dd[l] - lo->object_dd[l]);
    fit.energy = stx_data_energy(residual, in.unit);
    fit.foot = fit.top = stx_object_value(w, d);
  } else {
    fit.energy = stx_data_energy(hi->sky_dd[l] - lo->sky_dd[l], in.unit);
  }
  return fit;
}

/* Of a slanted object; `rest` as the start row has it. */
static inline Fit fit_slanted(double lambda, double unit, const SumRow *hi, const SumRow *lo,
    const SlantRow *slant_hi, const SlantRow *slant_lo, const double *rest, int l)
{
  double w = hi->object_w[l] - lo->object_w[l];
  StxObjectFit plane = stx_fit_object(lambda, w, slant_hi->x[l] - slant_lo->x[l],
      slant_hi->xx[l] - slant_lo->xx[l], hi->object_d[l] - lo->object_d[l],
      slant_hi->xd[l] - slant_lo->xd[l], hi->object_dd[l] - lo->object_dd[l]);
  Fit fit = {stx_data_energy(plane.residual, unit),
      stx_slanted_value(plane, lo->cut[l], w, rest[l]),
      stx_slanted_value(plane, hi->cut[l], w, rest[l])};
  return fit;
}

static inline double slanted_free_residual(
    const SumRow *hi, const SumRow *lo, const SlantRow *slant_hi, const SlantRow *slant_lo, int l)
{
  return stx_slanted_free_residual(hi->object_w[l] - lo->object_w[l],
      slant_hi->x[l] - slant_lo->x[l], slant_hi->xx[l] - slant_lo->xx[l],
      hi->object_d[l] - lo->object_d[l], slant_hi->xd[l] - slant_lo->xd[l],
      hi->object_dd[l] - lo->object_dd[l]);
}

/* Integers to doubles in one store: what follows loads a whole vector, and would wait long for
 * two halves. GCC 12 makes halves of the plain loop. */
static inline void widen(const int32_t *integers, double *doubles)
{
#if defined(__AVX512F__)
  _mm512_store_pd(doubles, _mm512_cvtepi32_pd(_mm256_load_si256((const __m256i *)integers)));
#else
  for (int l = 0; l < LANES; l++)
    doubles[l] = integers[l];
#endif
}

/* The semantic energy of the cheapest class. */
static inline void class_energy(const Group *g, int kind, int vb, int k, double *energy)
{
  int stride = g->classes[KINDS], begin = g->classes[kind], count = g->classes[kind + 1] - begin;
  const Ints *hi = g->sums + (size_t)(k + 1) * stride + begin;
  const Ints *lo = g->sums + (size_t)vb * stride + begin;
  Ints least;
  memset(least, 0, sizeof least);
  for (int i = 0; i < count; i++)
    for (int l = 0; l < LANES; l++) {
      int32_t sum = hi[i][l] - lo[i][l];
      least[l] = i == 0 || sum < least[l] ? sum : least[l];
    }
  widen(least, energy);
}

#endif
