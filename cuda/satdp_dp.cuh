/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef STX_SATDP_DP_CUH
#define STX_SATDP_DP_CUH

#include "cuda/satdp_tables.cuh"

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

template <int kind> STX_DEVICE Fit fit_plane(const Column *c, int vb, int k)
{
  const StxSatdpRow *hi = &c->row[k + 1], *lo = &c->row[vb];
  Fit fit = {0, 0, 0};
  if (kind == GROUND) {
    StxGroundFit plane = stx_fit_ground(c->prior, hi->ground_w - lo->ground_w,
        hi->ground_x - lo->ground_x, hi->ground_xx - lo->ground_xx, hi->ground_d - lo->ground_d,
        hi->ground_xd - lo->ground_xd, hi->ground_dd - lo->ground_dd);
    double horizon = c->prior.horizon_x;
    fit.energy = stx_data_energy(plane.residual, c->residual_energy);
    fit.foot = stx_ground_value(plane.slope, plane.intercept, horizon, __ldg(&c->tables->cut[vb]));
    fit.top =
        stx_ground_value(plane.slope, plane.intercept, horizon, __ldg(&c->tables->cut[k + 1]));
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

template <int kind> STX_DEVICE Fit fit_pair(const Column *c, int vb, int k)
{
  Fit fit = fit_plane<kind>(c, vb, k);
  uint32_t fixed = c->row[k + 1].fixed[kind] - c->row[vb].fixed[kind];
  fit.energy += (double)(fixed + (uint32_t)class_energy<kind>(c, vb, k));
  return fit;
}

/* ---- Candidates --------------------------------------------------------------------------- */

typedef struct {
  double energy, link, value;
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

template <int kind> STX_DEVICE StxChoice choose_below(StxPairCost pair, StxCut cut, double foot)
{
  return kind == GROUND   ? stx_below_ground(pair, cut, foot)
         : kind == OBJECT ? stx_below_object(pair, cut, foot)
                          : stx_below_sky(pair, cut);
}

template <int kind>
STX_DEVICE Candidate make_candidate(const Column *c, int vb, const Fit *fit, StxCut cut)
{
  StxChoice below = choose_below<kind>(c->pair, cut, fit->foot);
  Candidate candidate = {
      fit->energy + c->stixel_cost + below.energy, stx_link(vb, below.below), fit->top};
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
        __shfl_xor_sync(STX_FULL_WARP, best->link, step),
        __shfl_xor_sync(STX_FULL_WARP, best->value, step)};
    offer_any(best, other);
  }
}

/* ---- First step of a tile: everything that needs no T of the tile -------------------------- */

/* This warp's share of the start rows at or below the tile's first row, for all its end rows. */
template <int kind>
STX_DEVICE int try_starts(const Column *c, int k0, int turn, uint32_t *evaluated)
{
  int slot = c->lane / TILE, k = min(k0 + c->lane % TILE, c->rows - 1);
  int count = c->counts->live_count[kind];
  bool inside = k0 + c->lane % TILE < c->rows;
  int first = (c->warp + c->warps - turn % c->warps) % c->warps;
  const uint16_t *starts = live_starts(c, kind);
  Candidate best = no_candidate();
  for (int i = first * STARTS + slot; i < count; i += c->warps * STARTS) {
    int vb = starts[i];
    Fit fit = fit_pair<kind>(c, vb, k);
    offer(&best, make_candidate<kind>(c, vb, &fit, cut_below(&c->row[vb])));
    *evaluated += inside;
  }
  merge_starts(&best);
  if (c->lane < TILE) {
    StxSatdpPartial *partial = &c->partial[kind * c->warps + c->warp];
    partial->energy[c->lane] = best.energy;
    partial->link[c->lane] = best.link;
    partial->value[c->lane] = best.value;
  }
  return turn + (count + STARTS - 1) / STARTS;
}

/* The pairs that begin inside the tile: 28 of them, one per lane. */
template <int kind> STX_DEVICE void fit_tile(const Column *c, int k0, uint32_t *evaluated)
{
  int i = 1, left = c->lane; /* the left-th pair of 1 … 7, 2 … 7, … */
  for (; i < TILE && left >= TILE - i; i++)
    left -= TILE - i;
  int j = i + left;
  if (i >= TILE || k0 + j >= c->rows)
    return;
  StxSatdpTerms *terms = c->terms;
  Fit fit = fit_pair<kind>(c, k0 + i, k0 + j);
  terms->energy[kind][i * TILE + j] = fit.energy;
  if (kind != SKY)
    terms->foot[kind == OBJECT][i * TILE + j] = fit.foot;
  if (kind == GROUND)
    terms->top[i * TILE + j] = fit.top;
  *evaluated += 1;
}

template <int kind>
STX_DEVICE int gather_kind(const Column *c, int k0, int turn, uint32_t *evaluated)
{
  turn = try_starts<kind>(c, k0, turn, evaluated);
  if (c->warp == turn % c->warps)
    fit_tile<kind>(c, k0, evaluated);
  return turn + 1;
}

STX_DEVICE void gather(const Column *c, int k0, uint32_t *evaluated)
{
  int turn = 0;
  if (c->has_ground)
    turn = gather_kind<GROUND>(c, k0, turn, evaluated);
  turn = gather_kind<OBJECT>(c, k0, turn, evaluated);
  gather_kind<SKY>(c, k0, turn, evaluated);
}

/* ---- Second step: the recurrence, row by row, in one warp ---------------------------------- */

template <int kind> STX_DEVICE Candidate merge_partials(const Column *c)
{
  Candidate best = no_candidate();
  int j = c->lane % TILE;
  for (int i = c->lane / TILE; i < c->warps; i += STARTS) {
    const StxSatdpPartial *partial = &c->partial[kind * c->warps + i];
    Candidate candidate = {partial->energy[j], partial->link[j], partial->value[j]};
    offer_any(&best, candidate);
  }
  merge_starts(&best);
  return best;
}

template <int kind>
STX_DEVICE void offer_term(const Column *c, int k0, int i, int j, StxCut cut, Candidate *best)
{
  const StxSatdpTerms *terms = c->terms;
  Fit fit = {terms->energy[kind][i * TILE + j],
      kind == SKY ? 0 : terms->foot[kind == OBJECT][i * TILE + j],
      kind == GROUND ? terms->top[i * TILE + j] : 0};
  if (kind == OBJECT)
    fit.top = fit.foot;
  offer(best, make_candidate<kind>(c, k0 + i, &fit, cut));
}

template <int kind> STX_DEVICE void store_row(const Column *c, int k, const Candidate *best)
{
  StxSatdpRow *row = &c->row[k + 1];
  row->energy[kind] = best->energy;
  row->link[kind] = best->link;
  if (kind != SKY)
    row->value[kind] = best->value;
}

STX_DEVICE void solve_tile(const Column *c, int k0)
{
  int j = c->lane % TILE, k = k0 + j;
  bool inside = k < c->rows;
  Candidate ground = {STX_FORBIDDEN, 0, 0};
  if (c->has_ground)
    ground = merge_partials<GROUND>(c);
  Candidate object = merge_partials<OBJECT>(c), sky = merge_partials<SKY>(c);
  for (int i = 1; i < TILE; i++) {
    StxCut cut = {__shfl_sync(STX_FULL_WARP, ground.energy, i - 1),
        __shfl_sync(STX_FULL_WARP, object.energy, i - 1),
        __shfl_sync(STX_FULL_WARP, sky.energy, i - 1),
        __shfl_sync(STX_FULL_WARP, ground.value, i - 1),
        __shfl_sync(STX_FULL_WARP, object.value, i - 1)};
    if (j >= i && inside) {
      if (c->has_ground)
        offer_term<GROUND>(c, k0, i, j, cut, &ground);
      offer_term<OBJECT>(c, k0, i, j, cut, &object);
      offer_term<SKY>(c, k0, i, j, cut, &sky);
    }
  }
  if (c->lane < TILE && inside) {
    if (c->has_ground)
      store_row<GROUND>(c, k, &ground);
    store_row<OBJECT>(c, k, &object);
    store_row<SKY>(c, k, &sky);
  }
}

/* ---- Meanwhile: pruning, one warp per kind ------------------------------------------------- */

/* Adds the tile's start rows to those that the next tile tries. */
STX_DEVICE void open_starts(const Column *c, int kind, int k0, int count)
{
  int vb = k0 + 1 + c->lane;
  bool opens = c->lane < TILE && vb < c->rows;
  if (opens)
    live_starts(c, kind)[count + c->lane] = (uint16_t)vb;
  int opened = __popc(__ballot_sync(STX_FULL_WARP, opens));
  if (c->lane == 0)
    c->counts->live_count[kind] = count + opened;
}

/* ---- All rows ----------------------------------------------------------------------------- */

STX_DEVICE void solve_column(const Column *c, uint32_t *evaluated)
{
  if (c->warp < KINDS && c->lane == 0) {
    live_starts(c, c->warp)[0] = 0;
    c->counts->live_count[c->warp] = 1;
  }
  if (threadIdx.x == 0)
    c->counts->evaluated = 0;
  __syncthreads();
  for (int k0 = 0; k0 < c->rows; k0 += TILE) {
    gather(c, k0, evaluated);
    __syncthreads();
    if (c->warp == 0)
      solve_tile(c, k0);
    else if (c->warp <= KINDS)
      open_starts(c, c->warp - 1, k0, c->counts->live_count[c->warp - 1]);
    __syncthreads();
  }
}

#endif
