/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU: what a start row vb and an end row k cost together: data term, candidate for
 * T_K(k), bound. One thread, one pair; the arithmetic is that of common/satdp/satdp_cost_math.h.
 */
#ifndef STX_SATDP_PAIR_CUH
#define STX_SATDP_PAIR_CUH

#include "cuda/satdp/satdp_tables.cuh"

/* ---- Data terms --------------------------------------------------------------------------- */

/* Everything about a pair that does not depend on what lies below the cut: its energy and its
 * plane's values at the cuts below and above it. */
typedef struct {
  double energy, foot, top;
} Fit;

/* The semantic energy of the cheapest class. */
template <int kind> STX_DEVICE int class_energy(const Column *c, int vb, int k)
{
  int quads = c->args->quad[KINDS], begin = c->args->quad[kind], end = c->args->quad[kind + 1];
  const int4 *hi = c->classes + (k + 1) * quads, *lo = c->classes + vb * quads;
  int least = INT32_MAX;
  for (int i = begin; i < end; i++) {
    int4 a = hi[i], b = lo[i];
    least = min(min(least, min(a.x - b.x, a.y - b.y)), min(a.z - b.z, a.w - b.w));
  }
  return begin < end ? least : 0;
}

STX_DEVICE Fit fit_slanted(const Column *c, int vb, int k)
{
  const StxSatdpRow *hi = &c->row[k + 1], *lo = &c->row[vb];
  const StxSatdpSlant *slant_hi = &c->slant[k + 1], *slant_lo = &c->slant[vb];
  double w = hi->object_w - lo->object_w, rest = lo->rest;
  StxObjectFit plane = stx_fit_object(__ldg(&c->tables->lambda_object), w,
      slant_hi->x - slant_lo->x, slant_hi->xx - slant_lo->xx, hi->object_d - lo->object_d,
      slant_hi->xd - slant_lo->xd, hi->object_dd - lo->object_dd);
  Fit fit = {stx_data_energy(plane.residual, c->residual_energy),
      stx_slanted_value(plane, lo->cut, w, rest), stx_slanted_value(plane, hi->cut, w, rest)};
  return fit;
}

STX_DEVICE StxGroundFit fit_ground(const Column *c, const StxSatdpRow *hi, const StxSatdpRow *lo)
{
  return stx_fit_ground(c->prior, hi->ground_w - lo->ground_w, hi->ground_x - lo->ground_x,
      hi->ground_xx - lo->ground_xx, hi->ground_d - lo->ground_d, hi->ground_xd - lo->ground_xd,
      hi->ground_dd - lo->ground_dd);
}

template <int kind> STX_DEVICE Fit fit_plane(const Column *c, int vb, int k)
{
  const StxSatdpRow *hi = &c->row[k + 1], *lo = &c->row[vb];
  Fit fit = {0, 0, 0};
  if (kind == GROUND) {
    StxGroundFit plane = fit_ground(c, hi, lo);
    double horizon = c->prior.horizon_x;
    fit.energy = stx_data_energy(plane.residual, c->residual_energy);
    fit.foot = stx_ground_value(plane.slope, plane.intercept, horizon, lo->cut);
    fit.top = stx_ground_value(plane.slope, plane.intercept, horizon, hi->cut);
  } else if (kind == OBJECT && SLANTED) {
    fit = fit_slanted(c, vb, k);
  } else if (kind == OBJECT) {
    double w = hi->object_w - lo->object_w, d = hi->object_d - lo->object_d;
    double residual = stx_object_residual(w, d, hi->object_dd - lo->object_dd);
    fit.energy = stx_data_energy(residual, c->residual_energy);
    fit.foot = fit.top = stx_object_value(w, d);
  } else {
    fit.energy = stx_data_energy(hi->sky_dd - lo->sky_dd, c->residual_energy);
  }
  return fit;
}

#ifdef STX_FULLDP /* its data term is another: fulldp_term.cuh */
template <int kind> STX_DEVICE Fit fit_pair(const Column *c, int vb, int k);
#else
template <int kind> STX_DEVICE Fit fit_pair(const Column *c, int vb, int k)
{
  Fit fit = fit_plane<kind>(c, vb, k);
  uint32_t fixed = c->row[k + 1].fixed[kind] - c->row[vb].fixed[kind];
  fit.energy += (double)(fixed + (uint32_t)class_energy<kind>(c, vb, k));
  return fit;
}
#endif

/* ---- Candidates --------------------------------------------------------------------------- */

typedef struct {
  double energy, value;
  int link; /* 4 · vb + below, as stx_link makes them */
} Candidate;

STX_DEVICE Candidate no_candidate(void)
{
  Candidate none = {2 * STX_FORBIDDEN, 0, 0};
  return none;
}

STX_DEVICE StxCut cut_below(const StxSatdpRow *row)
{
  StxCut cut = {row->energy[GROUND], row->energy[OBJECT], row->energy[SKY], row->value[GROUND],
      row->value[OBJECT]};
  return cut;
}

template <int kind>
STX_DEVICE Candidate make_candidate(const Column *c, int vb, const Fit *fit, StxCut cut)
{
  StxChoice choice = kind == GROUND   ? stx_below_ground(c->pair, cut, fit->foot)
                     : kind == OBJECT ? stx_below_object(c->pair, cut, fit->foot)
                                      : stx_below_sky(c->pair, cut);
  Candidate candidate = {
      fit->energy + c->stixel_cost + choice.energy, fit->top, 4 * vb + (int)choice.below};
  return candidate;
}

/* Candidates come in rising order of vb: among equals the one that is there stays. */
STX_DEVICE void offer(Candidate *best, Candidate candidate)
{
  if (candidate.energy < best->energy)
    *best = candidate;
}

/* The same in any order. */
STX_DEVICE void offer_any(Candidate *best, Candidate candidate)
{
  if (candidate.energy < best->energy ||
      (candidate.energy == best->energy && candidate.link < best->link))
    *best = candidate;
}

/* The best of the lanes that have the same end row: lane modulo TILE. */
STX_DEVICE void merge_starts(Candidate *best)
{
  for (int step = TILE; step < LANES; step *= 2) {
    Candidate other = {__shfl_xor_sync(STX_FULL_WARP, best->energy, step),
        __shfl_xor_sync(STX_FULL_WARP, best->value, step),
        __shfl_xor_sync(STX_FULL_WARP, best->link, step)};
    offer_any(best, other);
  }
}

STX_DEVICE void store_partial(const Column *c, int kind, int part, const Candidate *best)
{
  if (c->lane >= TILE)
    return;
  StxSatdpPartial *partial = &c->partial[kind * PARTS + part];
  partial->energy[c->lane] = best->energy;
  partial->value[c->lane] = best->value;
  partial->link[c->lane] = (uint16_t)best->link;
}

STX_DEVICE Candidate load_partial(const Column *c, int kind, int part, int j)
{
  const StxSatdpPartial *partial = &c->partial[kind * PARTS + part];
  Candidate candidate = {partial->energy[j], partial->value[j], partial->link[j]};
  return candidate;
}

/* ---- Bounds ------------------------------------------------------------------------------- */

/* A float at or below the value: at least one unit of the last place below what may have been
 * rounded up. */
STX_DEVICE float round_down(double value)
{
  float rounded = (float)value;
  return rounded - fabsf(rounded) * 1.1920929e-7f;
}

template <int kind> STX_DEVICE double least_below(const Column *c, int vb)
{
  StxCut cut = cut_below(&c->row[vb]);
  return c->stixel_cost + (kind == GROUND      ? stx_least_below_ground(cut)
                              : kind == OBJECT ? stx_least_below_object(cut)
                                               : stx_least_below_sky(c->pair, cut));
}

/* The pair's candidate. Its bound goes into the row of vb if `notes`. */
template <int kind> STX_DEVICE Candidate try_pair(const Column *c, int vb, int k, bool notes)
{
  Fit fit = fit_pair<kind>(c, vb, k);
  if (notes)
    c->row[vb].bound[kind] =
        round_down(least_below<kind>(c, vb) + fit.energy - (double)c->row[k + 1].lower[kind] -
                   __ldg(&c->tables->rounding));
  return make_candidate<kind>(c, vb, &fit, cut_below(&c->row[vb]));
}

#endif
