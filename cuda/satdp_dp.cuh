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
  double energy, value;
  int vb, below; /* below: an StxBelow */
} Candidate;

STX_DEVICE Candidate no_candidate(void)
{
  Candidate none = {2 * STX_FORBIDDEN, 0, 0, 0};
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
      fit->energy + c->stixel_cost + choice.energy, fit->top, vb, (int)choice.below};
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
      (candidate.energy == best->energy && candidate.vb < best->vb))
    *best = candidate;
}

/* The best of the lanes that have the same end row: lane modulo TILE. */
STX_DEVICE void merge_starts(Candidate *best)
{
  for (int step = TILE; step < LANES; step *= 2) {
    Candidate other = {__shfl_xor_sync(STX_FULL_WARP, best->energy, step),
        __shfl_xor_sync(STX_FULL_WARP, best->value, step),
        __shfl_xor_sync(STX_FULL_WARP, best->vb, step),
        __shfl_xor_sync(STX_FULL_WARP, best->below, step)};
    offer_any(best, other);
  }
}

STX_DEVICE void store_partial(const Column *c, int kind, int part, const Candidate *best)
{
  if (c->lane >= TILE)
    return;
  StxSatdpPartial *partial = &c->partial[kind * WARPS + part];
  partial->energy[c->lane] = best->energy;
  partial->value[c->lane] = best->value;
  partial->vb[c->lane] = (uint16_t)best->vb;
  partial->below[c->lane] = (uint16_t)best->below;
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
    c->row[vb].bound[kind] = round_down(
        least_below<kind>(c, vb) + fit.energy - (double)c->row[k + 1].lower[kind] - c->rounding);
  return make_candidate<kind>(c, vb, &fit, cut_below(&c->row[vb]));
}

/* ---- First step of a tile: start rows at or below its first row ----------------------------- */

/* The warp that prunes a kind also tries its first start rows. */
STX_DEVICE int home_warp(int kind)
{
  return 1 + 3 * kind;
}

/* Warps that try start rows of the kind: the first from home_warp on. */
STX_DEVICE int part_count(const Column *c, int kind)
{
  return min((c->counts->tried[kind] + STARTS - 1) / STARTS, (int)WARPS);
}

/* This warp's share of the listed start rows, for all end rows of the tile. `carried` is what the
 * home warp tried before. */
template <int kind>
STX_DEVICE void try_starts(const Column *c, int k0, const Candidate *carried, uint32_t *evaluated)
{
  int part = (c->warp - home_warp(kind) + WARPS) % WARPS;
  if (part >= part_count(c, kind))
    return;
  int slot = c->lane / TILE, last = min(k0 + TILE, c->rows) - 1;
  int k = min(k0 + c->lane % TILE, last);
  bool inside = k0 + c->lane % TILE <= last;
  const uint16_t *starts = tried_starts(c, kind);
  int count = c->counts->tried[kind];
  Candidate best = no_candidate();
  for (int i = part * STARTS + slot; i < count; i += WARPS * STARTS) {
    offer(&best, try_pair<kind>(c, starts[i], k, inside && k == last));
    *evaluated += inside;
  }
  if (part == 0)
    offer_any(&best, *carried);
  merge_starts(&best);
  store_partial(c, kind, part, &best);
}

STX_DEVICE void gather(const Column *c, int k0, const Candidate *carried, uint32_t *evaluated)
{
  if (c->has_ground)
    try_starts<GROUND>(c, k0, carried, evaluated);
  try_starts<OBJECT>(c, k0, carried, evaluated);
  try_starts<SKY>(c, k0, carried, evaluated);
}

/* ---- Second step: the recurrence, row by row, in one warp ---------------------------------- */

/* A lane owns a kind and an end row of the tile; lanes 24 and up repeat others. */
typedef struct {
  int kind, j;
} Owner;

STX_DEVICE Owner owner_of(int lane)
{
  Owner owner = {min(lane / TILE, KINDS - 1), lane % TILE};
  return owner;
}

STX_DEVICE Candidate merge_partials(const Column *c, Owner own)
{
  Candidate best = no_candidate();
  int parts = part_count(c, own.kind);
  for (int part = 0; part < parts; part++) {
    const StxSatdpPartial *partial = &c->partial[own.kind * WARPS + part];
    Candidate candidate = {
        partial->energy[own.j], partial->value[own.j], partial->vb[own.j], partial->below[own.j]};
    offer_any(&best, candidate);
  }
  return best;
}

/* The three kinds side by side: they share most of their arithmetic. */
STX_DEVICE StxChoice choose_below(const Column *c, int kind, StxCut cut, double foot)
{
  StxChoice ground = stx_below_ground(c->pair, cut, foot);
  StxChoice object = stx_below_object(c->pair, cut, foot);
  StxChoice sky = stx_below_sky(c->pair, cut);
  return kind == GROUND ? ground : kind == OBJECT ? object : sky;
}

/* Energy and value of the owner's T of row i. */
STX_DEVICE StxCut cut_above(const Candidate *best, int i)
{
  StxCut cut = {__shfl_sync(STX_FULL_WARP, best->energy, GROUND * TILE + i),
      __shfl_sync(STX_FULL_WARP, best->energy, OBJECT * TILE + i),
      __shfl_sync(STX_FULL_WARP, best->energy, SKY * TILE + i),
      __shfl_sync(STX_FULL_WARP, best->value, GROUND * TILE + i),
      __shfl_sync(STX_FULL_WARP, best->value, OBJECT * TILE + i)};
  return cut;
}

STX_DEVICE void store_row(const Column *c, Owner own, int k0, const Candidate *best)
{
  StxSatdpRow *row = &c->row[k0 + own.j + 1];
  if (c->lane >= KINDS * TILE || k0 + own.j >= c->rows)
    return;
  row->energy[own.kind] = best->energy;
  row->link[own.kind] = stx_link(best->vb, best->below);
  if (own.kind != SKY)
    row->value[own.kind] = best->value;
}

/* In step i, T of row i − 1 is final, and all later end rows look at the start row above it. */
STX_DEVICE void solve_tile(const Column *c, int k0)
{
  Owner own = owner_of(c->lane);
  const StxSatdpTerms *terms = &c->terms[k0 / TILE % 2];
  Candidate best = {STX_FORBIDDEN, 0, 0, 0};
  bool solves = own.kind != GROUND || c->has_ground;
  if (solves)
    best = merge_partials(c, own);
#pragma unroll
  for (int i = 1; i < TILE; i++) {
    StxCut cut = cut_above(&best, i - 1);
    int term = (i - 1) * TILE - i * (i - 1) / 2 + max(own.j - i, 0);
    double foot = terms->foot[min(own.kind, (int)OBJECT)][term];
    double top = own.kind == GROUND ? terms->top[term] : foot;
    StxChoice choice = choose_below(c, own.kind, cut, foot);
    Candidate candidate = {terms->energy[own.kind][term] + c->stixel_cost + choice.energy, top,
        k0 + i, (int)choice.below};
    if (own.j >= i && solves)
      offer(&best, candidate);
  }
  store_row(c, own, k0, &best);
}

/* ---- Meanwhile: the pairs that begin inside the next tile, one per lane --------------------- */

template <int kind> STX_DEVICE void fit_tile(const Column *c, int k0, uint32_t *evaluated)
{
  int i = 1, left = c->lane;
  for (; i < TILE && left >= TILE - i; i++)
    left -= TILE - i;
  int j = i + left;
  if (i >= TILE || k0 + j >= c->rows)
    return;
  StxSatdpTerms *terms = &c->terms[k0 / TILE % 2];
  Fit fit = fit_pair<kind>(c, k0 + i, k0 + j);
  terms->energy[kind][c->lane] = fit.energy;
  if (kind != SKY)
    terms->foot[kind][c->lane] = fit.foot;
  if (kind == GROUND)
    terms->top[c->lane] = fit.top;
  *evaluated += 1;
}

/* The warps beside the home warps. */
STX_DEVICE void fit_tiles(const Column *c, int k0, uint32_t *evaluated)
{
  if (c->warp == home_warp(GROUND) + 1 && c->has_ground)
    fit_tile<GROUND>(c, k0, evaluated);
  else if (c->warp == home_warp(OBJECT) + 1)
    fit_tile<OBJECT>(c, k0, evaluated);
  else if (c->warp == home_warp(SKY) - 1)
    fit_tile<SKY>(c, k0, evaluated);
}

/* ---- Meanwhile: pruning, one warp per kind ------------------------------------------------- */

enum { DROP_TILES = 2 }; /* tiles between two looks for dead start rows */

/* What a stixel of the kind that begins at row k0 pays at most, its own energy apart, less
 * lower_K(k0). */
template <int kind> STX_DEVICE double renewal_cost(const Column *c, int k0)
{
  const StxSatdpRow *row = &c->row[k0];
  StxCut cut = cut_below(row);
  double most = kind == GROUND   ? stx_most_below_ground(c->pair, cut)
                : kind == OBJECT ? stx_most_below_object(c->pair, cut, row->rest)
                                 : stx_least_below_sky(c->pair, cut);
  return c->stixel_cost + most - (double)row->lower[kind];
}

/* bound_K of the start row at the cells up to k, the prior left out. */
template <int kind> STX_DEVICE double free_bound(const Column *c, int vb, int k)
{
  const StxSatdpRow *hi = &c->row[k + 1], *lo = &c->row[vb];
  double energy;
  if (kind == GROUND)
    energy = stx_data_energy(
        stx_line_residual(c->prior, hi->ground_w - lo->ground_w, hi->ground_x - lo->ground_x,
            hi->ground_xx - lo->ground_xx, hi->ground_d - lo->ground_d,
            hi->ground_xd - lo->ground_xd, hi->ground_dd - lo->ground_dd),
        c->residual_energy);
  else
    energy = fit_plane<kind>(c, vb, k).energy;
  return least_below<kind>(c, vb) + energy - (double)lo->lower[kind] - c->rounding;
}

/* Tries, for the tile at k1, the start rows that are most likely to win: those that won at the
 * rows just below the tile under way, k0, and k0 itself. Each group of TILE lanes has one, in
 * *vb, −1 if another group has it, too. Returns a bound above which no start row can win. */
template <int kind>
STX_DEVICE float try_winners(
    const Column *c, int k0, int k1, int *vb, Candidate *carried, uint32_t *evaluated)
{
  int slot = c->lane / TILE, last = min(k1 + TILE, c->rows) - 1;
  int k = min(k1 + c->lane % TILE, last);
  bool inside = k1 + c->lane % TILE <= last;
  *vb = slot == 0 ? k0 : (int)c->row[max(k0 - 3 * (slot - 1), 0)].link[kind] / 4;
  for (int i = 0; i < STARTS; i++) {
    int other = __shfl_sync(STX_FULL_WARP, *vb, i * TILE);
    if (i < slot && other == *vb)
      *vb = -1;
  }
  Candidate best = no_candidate();
  if (*vb >= 0) {
    best = try_pair<kind>(c, *vb, k, inside && k == last);
    *evaluated += inside;
  }
  merge_starts(&best);
  *carried = best;
  float limit = -round_down((double)c->row[k + 1].lower[kind] - best.energy);
  for (int step = 1; step < TILE; step *= 2)
    limit = fmaxf(limit, __shfl_xor_sync(STX_FULL_WARP, limit, step));
  return limit;
}

/* False if no row from k0 on can want the start row; else its bound is fresh. */
template <int kind> STX_DEVICE bool lives_on(const Column *c, int vb, int k0, double renewal)
{
  double bound = free_bound<kind>(c, vb, k0 - 1);
  c->row[vb].bound[kind] = fmaxf(c->row[vb].bound[kind], round_down(bound));
  return bound <= renewal;
}

/* Appends the lanes' values, in their order, where `wanted`; returns the new length. */
STX_DEVICE int append(uint16_t *list, int length, int value, bool wanted, int lane)
{
  unsigned all = __ballot_sync(STX_FULL_WARP, wanted);
  if (wanted)
    list[length + __popc(all & ((1u << lane) - 1))] = (uint16_t)value;
  return length + __popc(all);
}

/* Lists what the tile at k1 has to try: the live start rows that may be within the limit, unless
 * a winner, and those of the tile under way. Now and then drops the dead. */
template <int kind> STX_DEVICE void list_starts(const Column *c, int k0, float limit, int winner)
{
  uint16_t *live = live_starts(c, kind), *tried = tried_starts(c, kind);
  int count = c->counts->live[kind], kept = 0, listed = 0;
  bool drops = k0 / TILE % DROP_TILES == DROP_TILES - 1;
  double renewal = renewal_cost<kind>(c, k0);
  for (int base = 0; base < count; base += LANES) {
    bool lives = base + c->lane < count;
    int vb = lives ? live[base + c->lane] : k0;
    if (drops && vb < k0)
      lives = lives_on<kind>(c, vb, k0, renewal);
    bool wanted = lives && c->row[vb].bound[kind] <= limit;
    for (int slot = 0; slot < STARTS; slot++)
      wanted &= __shfl_sync(STX_FULL_WARP, winner, slot * TILE) != vb;
    kept = append(live, kept, vb, lives, c->lane);
    listed = append(tried, listed, vb, wanted, c->lane);
    __syncwarp();
  }
  int opened = min((int)TILE, c->rows - 1 - k0), vb = k0 + 1 + c->lane;
  kept = append(live, kept, vb, c->lane < opened, c->lane);
  listed = append(tried, listed, vb, c->lane < opened, c->lane);
  if (c->lane == 0) {
    c->counts->live[kind] = kept;
    c->counts->tried[kind] = listed;
  }
}

template <int kind>
STX_DEVICE void prune(const Column *c, int k0, Candidate *carried, uint32_t *evaluated)
{
  int winner;
  float limit = try_winners<kind>(c, k0, k0 + TILE, &winner, carried, evaluated);
  __syncwarp();
  list_starts<kind>(c, k0, limit, winner);
}

/* ---- All rows ----------------------------------------------------------------------------- */

/* The first tile tries start row 0. */
STX_DEVICE void begin_column(const Column *c)
{
  if (threadIdx.x < KINDS) {
    int kind = threadIdx.x;
    live_starts(c, kind)[0] = tried_starts(c, kind)[0] = 0;
    c->counts->live[kind] = c->counts->tried[kind] = 1;
    c->counts->evaluated = 0;
  }
}

STX_DEVICE void prepare_tile(const Column *c, int k0, Candidate *carried, uint32_t *evaluated)
{
  if (c->warp == home_warp(GROUND) && c->has_ground)
    prune<GROUND>(c, k0, carried, evaluated);
  else if (c->warp == home_warp(OBJECT))
    prune<OBJECT>(c, k0, carried, evaluated);
  else if (c->warp == home_warp(SKY))
    prune<SKY>(c, k0, carried, evaluated);
  else
    fit_tiles(c, k0 + TILE, evaluated);
}

STX_DEVICE void solve_column(const Column *c, uint32_t *evaluated)
{
  Candidate carried = no_candidate();
  begin_column(c);
  fit_tiles(c, 0, evaluated);
  __syncthreads();
  for (int k0 = 0; k0 < c->rows; k0 += TILE) {
    gather(c, k0, &carried, evaluated);
    __syncthreads();
    if (c->warp == 0)
      solve_tile(c, k0);
    else if (k0 + TILE < c->rows)
      prepare_tile(c, k0, &carried, evaluated);
    __syncthreads();
  }
}

#endif
