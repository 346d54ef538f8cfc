/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU: what a start row vb and an end row k cost together: data term, candidate for
 * T_K(k), bound. One thread, one pair; the arithmetic is that of common/satdp/satdp_cost_math.h.
 */
#pragma once

#include "cuda/satdp/satdp_column.cuh"

/* ---- Data terms --------------------------------------------------------------------------- */

/* Everything about a pair that does not depend on what lies below the cut: its energy and its
 * plane's values at the cuts below and above it. */
typedef struct {
  int64_t energy;
  int foot, top;
} Fit;

/* The least of the differences of four class sums. */
STX_DEVICE int least_of_quad(const int4 *classes, unsigned hi, unsigned lo)
{
  int4 a = classes[hi], b = classes[lo];
  return min(min(a.x - b.x, a.y - b.y), min(a.z - b.z, a.w - b.w));
}

/* The semantic energy of the cheapest class. Objects have most of them: two quads at once, of which
 * the last is looked at twice where their number is odd; that is cheaper than to ask. */
template <int kind> STX_DEVICE int class_energy(const Column *c, int vb, int k)
{
  const StxSatdpRow *top = &c->row[k + 1], *bottom = &c->row[vb];
  int quads = c->args->quads[kind], least = INT32_MAX;
  if (quads == 0)
    return (int)(top->lower[kind] - bottom->lower[kind] - (top->fixed[kind] - bottom->fixed[kind]));
  unsigned hi = quads_at(c, kind, k) + quads, lo = quads_at(c, kind, vb), end = hi + quads;
  unsigned step = kind == OBJECT ? 2 : 1;
#pragma unroll 1
  for (; hi < end; hi += step, lo += step) {
    unsigned next = hi + 1 < end;
    least = min(least, least_of_quad(c->classes, hi, lo));
    if (kind == OBJECT)
      least = min(least, least_of_quad(c->classes, hi + next, lo + next));
  }
  return least;
}

STX_DEVICE StxGroundFit fit_ground(const Column *c, int vb, int k)
{
  StxSegmentSums sums = ground_sums(c, vb, k);
  return stx_fit_ground(c->constants->prior, stx_moments(&sums, false));
}

STX_DEVICE int ground_value(const Column *c, StxGroundFit plane, int x)
{
  return pack_value(stx_ground_value(plane, c->constants->prior.horizon_x, (float)x));
}

STX_DEVICE StxMoments object_moments(const Column *c, int vb, int k)
{
  StxSegmentSums sums = object_sums(c, vb, k);
  return stx_moments(&sums, true);
}

template <int kind> STX_DEVICE Fit fit_plane(const Column *c, int vb, int k)
{
  const StxSatdpRow *hi = &c->row[k + 1], *lo = &c->row[vb];
  Fit fit = {0, 0, 0};
  float residual;
  if (kind == GROUND) {
    StxGroundFit plane = fit_ground(c, vb, k);
    residual = plane.residual;
    fit.foot = ground_value(c, plane, lo->cut);
    fit.top = ground_value(c, plane, hi->cut);
  } else if (kind == OBJECT) {
    StxMoments moments = object_moments(c, vb, k);
    residual = stx_squares(moments);
    fit.foot = fit.top = pack_value(moments.d0);
    if (SLANTED) {
      StxObjectFit plane = stx_fit_object(__ldg(&c->tables->lambda_object), moments);
      residual = plane.residual;
      fit.foot = pack_value(stx_slanted_value(plane, (float)lo->cut, moments.w, lo->rest));
      fit.top = pack_value(stx_slanted_value(plane, (float)hi->cut, moments.w, lo->rest));
    }
    fit.top = top_of(fit.top);
  } else {
    residual = stx_to_float(hi->sky_dd - lo->sky_dd);
  }
  fit.energy = data_energy(residual, c->constants->residual_energy);
  return fit;
}

#ifdef STX_FULLDP /* its data term is another: fulldp.cu */
template <int kind> STX_DEVICE Fit fit_pair(const Column *c, int vb, int k);
#else
template <int kind> STX_DEVICE Fit fit_pair(const Column *c, int vb, int k)
{
  Fit fit = fit_plane<kind>(c, vb, k);
  uint32_t fixed = c->row[k + 1].fixed[kind] - c->row[vb].fixed[kind];
  fit.energy += fixed + (uint32_t)class_energy<kind>(c, vb, k);
  return fit;
}
#endif

/* ---- Candidates --------------------------------------------------------------------------- */

typedef struct {
  int64_t key;
  int value;
} Candidate;

STX_DEVICE Candidate no_candidate(void)
{
  Candidate none = {INT64_MAX, 0};
  return none;
}

STX_DEVICE Cut cut_below(const StxSatdpRow *row)
{
  Cut cut = {offer_of(row->key[GROUND], GROUND), offer_of(row->key[OBJECT], OBJECT),
      offer_of(row->key[SKY], SKY), row->value[GROUND], row->value[OBJECT]};
  return cut;
}

/* A pair's own share of its key: all but what lies below the cut. */
STX_DEVICE int64_t own_key(const Column *c, int kind, int vb, int64_t energy)
{
  return add_keys(key_of(energy + start_cost(c->constants, kind)), 4 * vb);
}

template <int kind>
STX_DEVICE Candidate make_candidate(const Column *c, int vb, const Fit *fit, Cut cut)
{
  StxSatdpRule rule = rule_of(c->constants, kind);
  int64_t least = min(on_object(&rule, &cut, fit->foot), on_ground(&rule, &cut, fit->foot));
  if (kind == OBJECT) /* others never stand on sky */
    least = min(least, on_sky(&rule, &cut));
  Candidate candidate = {add_keys(least, own_key(c, kind, vb, fit->energy)), fit->top};
  return candidate;
}

/* Candidates come in any order: a key tells ties apart, too. */
STX_DEVICE void offer_if(bool wanted, Candidate *best, Candidate candidate)
{
  if (wanted && candidate.key < best->key)
    *best = candidate;
}

STX_DEVICE void offer(Candidate *best, Candidate candidate)
{
  offer_if(true, best, candidate);
}

/* The best of the lanes that have the same end row: lane modulo TILE. */
STX_DEVICE void merge_starts(Candidate *best)
{
  for (int step = TILE; step < LANES; step *= 2) {
    Candidate other = {__shfl_xor_sync(STX_FULL_WARP, best->key, step),
        __shfl_xor_sync(STX_FULL_WARP, best->value, step)};
    offer(best, other);
  }
}

STX_DEVICE void store_partial(const Column *c, int kind, int part, const Candidate *best)
{
  if (c->lane >= TILE)
    return;
  StxSatdpPartial *partial = &c->partial[kind * PARTS + part];
  partial->key[c->lane] = best->key;
  partial->value[c->lane] = best->value;
}

STX_DEVICE Candidate load_partial(const Column *c, int kind, int part, int j)
{
  const StxSatdpPartial *partial = &c->partial[kind * PARTS + part];
  Candidate candidate = {partial->key[j], partial->value[j]};
  return candidate;
}

/* ---- Bounds ------------------------------------------------------------------------------- */

/* The least that a stixel of the kind can pay for standing at a cut, C with it: stx_least_below_*.
 * For sky it is also the most. */
STX_DEVICE int64_t least_below(const Column *c, int kind, const StxSatdpRow *row)
{
  int64_t ground = row->key[GROUND];
  if (kind == SKY)
    ground = row->value[GROUND] > (int)c->constants->pair_tolerance
                 ? NEVER
                 : add_keys(ground, key_of(c->constants->pair_cost));
  int64_t least = min(ground, row->key[OBJECT]);
  if (kind == OBJECT)
    least = min(least, row->key[SKY]);
  return energy_of(least) + c->constants->stixel_cost;
}

/* The error of the data term of the cells below the row, or of some of them, at most: an integer,
 * as STX_ROUNDING has room for. */
template <int kind> STX_DEVICE int unsure_at(const Column *c, const StxSatdpRow *row)
{
  int64_t squares = kind == GROUND ? row->ground_dd : kind == OBJECT ? row->object_dd : row->sky_dd;
  return (int)(stx_to_float(squares) * c->constants->unsure);
}

/* The pair's candidate. Its bound goes into the row of vb if `notes`. */
template <int kind> STX_DEVICE Candidate try_pair(const Column *c, int vb, int k, bool notes)
{
  Fit fit = fit_pair<kind>(c, vb, k);
  if (notes)
    c->row[vb].bound[kind] = stx_round_down(
        least_below(c, kind, &c->row[vb]) + fit.energy - c->row[k + 1].lower[kind] - STX_ROUNDING +
        2 * unsure_at<kind>(c, &c->row[vb]) - unsure_at<kind>(c, &c->row[k + 1]));
  return make_candidate<kind>(c, vb, &fit, cut_below(&c->row[vb]));
}
