/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU, second part: the recurrence, for the TILE = 8 end rows k0 … k0 + 7 of a tile
 * at a time (paper §4.4 takes one at a time).
 *
 *   gather   a warp per kind: the start rows vb <= k0, whose T(vb−1) is known, against the tile's
 *            end rows. A lane owns an end row and one of four start rows: no reduction but one of
 *            four lanes at the end.
 *   solve    warp 0: the 28 pairs per kind that begin inside the tile. A lane owns a kind and an
 *            end row; T of the row before comes by shuffle, so that a row costs no barrier.
 *   prepare  meanwhile, for the next tile: the kinds' warps drop dead start rows, others compute
 *            the data terms of those 28 pairs, which need no T.
 *
 * Two barriers per tile. Exact pruning, proofs in docs/algorithms/satdp.md:
 *   lists    a kind's live start rows; which of them are dead for good, is looked up now and then
 *   limit    `gather` first tries the start row k0 and the latest winners; a start row whose bound
 *            is above the worst of these results, less lower_K, is not tried.
 *
 * Shared memory: lanes of one start row read the same words, and different rows lie an odd number
 * of 8-byte words apart; terms and partial results are read by neighbouring lanes.
 *
 * Tiles of 8 rows: by count, 4 would leave fewer pairs that nothing can prune, but as many barriers
 * again; 16 the other way round. Tried and rejected: the start rows of a kind shared out to all
 * warps, from winners one tile older, so that they can be tried meanwhile: nearly twice the turns,
 * most of them the tile's own start rows, which no such limit can judge; a bound before the data
 * terms of the 28 pairs, which leaves a tenth fewer for a test before every one; steps of `solve`
 * that are a loop, in which the compiler multiplies 64 bits where 32 are enough.
 */
#pragma once

#include "cuda/satdp/satdp_pair.cuh"

/*
 * satdp on the GPU: what the warps beside the recurrence do for the next tile; see satdp_dp.cuh.
 * A warp tests 32 start rows at once, one per lane; ballots keep the lists in order.
 */

/* A kind's warp prunes and tries its start rows: 2, 5, 7. Another fits the kind's next tile: 3,
 * 6, 1. Warp 4 waits, because it would share the issue slots of the recurrence in warp 0: warps
 * whose numbers differ by 4 are on the same quarter of a multiprocessor. */
STX_DEVICE int home_warp(int kind)
{
  return kind == GROUND ? 2 : kind == OBJECT ? 5 : 7;
}

STX_DEVICE int fit_warp(int kind)
{
  return kind == GROUND ? 3 : kind == OBJECT ? 6 : 1;
}

/* ---- Meanwhile: the pairs that begin inside the next tile, one per lane --------------------- */

template <int kind> STX_DEVICE void fit_tile(const Column *c, int k0, uint32_t *evaluated)
{
  int pair = c->counts->pair[c->lane], i = pair / TILE, j = pair % TILE;
  if (i == 0 || k0 + j >= c->rows)
    return;
  Fit fit = fit_pair<kind>(c, k0 + i, k0 + j);
  StxSatdpTerm term = {own_key(c, kind, k0 + i, fit.energy), fit.foot, fit.top};
  c->terms[k0 / TILE % 2].term[kind][1 + c->lane] = term;
  *evaluated += 1;
}

STX_DEVICE void fit_tiles(const Column *c, int k0, uint32_t *evaluated)
{
  if (c->warp == fit_warp(GROUND) && c->has_ground)
    fit_tile<GROUND>(c, k0, evaluated);
  else if (c->warp == fit_warp(OBJECT))
    fit_tile<OBJECT>(c, k0, evaluated);
  else if (c->warp == fit_warp(SKY))
    fit_tile<SKY>(c, k0, evaluated);
}

/* ---- Meanwhile: pruning, one warp per kind ------------------------------------------------- */

/* Tiles between two looks for dead start rows. They make bounds fresh, too, and cost sky least. */
STX_DEVICE int drop_tiles(int kind)
{
  return kind == SKY ? 2 : 4;
}

/* The most that a stixel of the kind that begins at the row can pay, its own energy apart, less
 * lower_K there, and what data terms of the column may be off: stx_most_below_*. */
template <int kind> STX_DEVICE int64_t renewal_cost(const Column *c, const StxSatdpRow *row)
{
  Cut cut = cut_below(row);
  int64_t most = least_below(c, kind, row);
  if (kind == GROUND) {
    int64_t object = cut.object_value == UNKNOWN_TOP ? cut.object : NEVER;
    most = energy_of(min(add_keys(cut.ground, key_of(c->constants->pair_cost)), object)) +
           c->constants->stixel_cost;
  } else if (kind == OBJECT) {
    StxSatdpRule rule = rule_of(c->constants, OBJECT);
    int rest = (int)row->rest << VALUE_SHIFT, value = cut.ground_value;
    int gap = max(abs(value), abs(rest - value));
    int64_t ground =
        key_of(pay(with_half(c->constants->pair_cost), c->constants->pair_slope, (uint32_t)gap));
    int64_t least = min(on_object(&rule, &cut, rest), cut.sky);
    most = energy_of(min(add_keys(cut.ground, ground), least)) + c->constants->stixel_cost;
  }
  return most - row->lower[kind] + 2 * unsure_at<kind>(c, &c->row[c->rows]);
}

/* bound_K of the start row at the cells up to k, the prior left out. */
template <int kind> STX_DEVICE int64_t free_bound(const Column *c, int vb, int k)
{
  const StxSatdpRow *lo = &c->row[vb];
  float residual;
  if (kind == GROUND) {
    StxSegmentSums sums = ground_sums(c, vb, k);
    residual = stx_line_residual(stx_moments(&sums, false));
  } else if (kind == OBJECT) {
    StxMoments moments = object_moments(c, vb, k);
    residual = SLANTED ? stx_line_residual(moments) : stx_squares(moments);
  } else {
    residual = stx_to_float(c->row[k + 1].sky_dd - lo->sky_dd);
  }
  return least_below(c, kind, lo) + data_energy(residual, c->constants->residual_energy) -
         lo->lower[kind] - STX_ROUNDING + 2 * unsure_at<kind>(c, lo) -
         unsure_at<kind>(c, &c->row[k + 1]);
}

/* False if no row from k0 on can want the start row; else its bound is fresh. */
template <int kind> STX_DEVICE bool lives_on(const Column *c, int vb, int k0, int64_t renewal)
{
  int64_t bound = free_bound<kind>(c, vb, k0 - 1);
  c->row[vb].bound[kind] = fmaxf(c->row[vb].bound[kind], stx_round_down(bound));
  return bound <= renewal;
}

/* Appends the lanes' values, in their order, where `wanted`; returns the new length. */
STX_DEVICE int append(uint16_t *list, int length, int value, bool wanted, int lane)
{
  unsigned all = __ballot_sync(STX_FULL_WARP, wanted);
  if (wanted)
    list[length + count_below(all, lane)] = (uint16_t)value;
  return length + __popc(all);
}

/* Drops the dead among the start rows below k0. */
template <int kind> STX_DEVICE int drop_starts(const Column *c, int k0, int count)
{
  uint16_t *live = live_starts(c, kind);
  int kept = 0;
  int64_t renewal = renewal_cost<kind>(c, &c->row[k0]);
#pragma unroll 1
  for (int base = 0; base < count; base += LANES) {
    bool lives = base + c->lane < count;
    int vb = lives ? live[base + c->lane] : k0;
    __syncwarp(); /* all have read before the list is written again */
    if (vb < k0)
      lives = lives_on<kind>(c, vb, k0, renewal);
    kept = append(live, kept, vb, lives, c->lane);
  }
  return kept;
}

/* Now and then drops the dead; the start rows of the tile under way are new. */
template <int kind> STX_DEVICE void prune(const Column *c, int k0)
{
  int count = c->counts->live[kind], opened = min((int)TILE, c->rows - 1 - k0);
  if (k0 / TILE % drop_tiles(kind) == drop_tiles(kind) - 1)
    count = drop_starts<kind>(c, k0, count);
  if (c->lane < opened)
    live_starts(c, kind)[count + c->lane] = (uint16_t)(k0 + 1 + c->lane);
  __syncwarp(); /* all have read the length */
  if (c->lane == 0)
    c->counts->live[kind] = count + opened;
}

STX_DEVICE void prepare_tile(const Column *c, int k0, uint32_t *evaluated)
{
  fit_tiles(c, k0 + TILE, evaluated);
  if (k0 < 0)
    return;
  if (c->warp == home_warp(GROUND) && c->has_ground)
    prune<GROUND>(c, k0);
  else if (c->warp == home_warp(OBJECT))
    prune<OBJECT>(c, k0);
  else if (c->warp == home_warp(SKY))
    prune<SKY>(c, k0);
}

/* ---- First step of a tile: start rows at or below its first row ----------------------------- */

/* The start rows that are most likely to win: k0, and those that won at the rows just below. Each
 * group of TILE lanes has one, −1 if another group has it, too. */
template <int kind> STX_DEVICE int winner_of(const Column *c, int k0)
{
  int slot = c->lane / TILE;
  int vb = slot == 0 ? k0 : start_of(c->row[max(k0 - 3 * (slot - 1), 0)].key[kind]);
  unsigned same = __match_any_sync(STX_FULL_WARP, vb);
  return same & ((1u << slot * TILE) - 1) ? -1 : vb;
}

/* Returns a bound from the lanes' bests: above it no start row can win at any end row. */
STX_DEVICE float limit_of(int64_t best, int64_t lower)
{
  float limit = -stx_round_down(lower - energy_of(best));
  for (int step = TILE; step < LANES; step *= 2)
    limit = fminf(limit, __shfl_xor_sync(STX_FULL_WARP, limit, step));
  for (int step = 1; step < TILE; step *= 2)
    limit = fmaxf(limit, __shfl_xor_sync(STX_FULL_WARP, limit, step));
  return limit;
}

/* Lists the live start rows within the limit, but for the winners; returns how many. */
template <int kind> STX_DEVICE int list_starts(const Column *c, float limit, int winner)
{
  const uint16_t *live = live_starts(c, kind);
  int count = c->counts->live[kind], listed = 0;
#pragma unroll 1
  for (int base = 0; base < count; base += LANES) {
    int vb = live[min(base + c->lane, count - 1)];
    bool wanted = base + c->lane < count && c->row[vb].bound[kind] <= limit;
    for (int slot = 0; slot < STARTS; slot++)
      wanted &= __shfl_sync(STX_FULL_WARP, winner, slot * TILE) != vb;
    listed = append(tried_starts(c, kind), listed, vb, wanted, c->lane);
  }
  return listed;
}

/* A kind's start rows, for all end rows of the tile: first the likely winners, then what may still
 * be better than they are. */
template <int kind> STX_DEVICE void try_starts(const Column *c, int k0, uint32_t *evaluated)
{
  int slot = c->lane / TILE, j = c->lane % TILE, last = min((int)TILE, c->rows - k0) - 1;
  int k = k0 + min(j, last), vb = winner_of<kind>(c, k0), count = 0;
  Candidate best = no_candidate();
#pragma unroll 1
  for (int base = -STARTS; base < count; base += STARTS) {
    if (base >= 0)
      vb = base + slot < count ? tried_starts(c, kind)[base + slot] : -1;
    __syncwarp(); /* keeps the row above from staying in registers, which there are too few of */
    offer_if(vb >= 0, &best, try_pair<kind>(c, max(vb, 0), k, vb >= 0 && j == last));
    *evaluated += vb >= 0 && j <= last;
    if (base < 0) {
      int64_t lower = (int64_t)c->row[k + 1].lower[kind] - unsure_at<kind>(c, &c->row[k + 1]);
      float limit = limit_of(best.key, lower);
      __syncwarp(); /* bounds are known to all */
      count = list_starts<kind>(c, limit, vb);
      __syncwarp();
    }
  }
  merge_starts(&best);
  store_partial(c, kind, 0, &best);
}

STX_DEVICE void gather(const Column *c, int k0, uint32_t *evaluated)
{
  if (c->warp == home_warp(GROUND) && c->has_ground)
    try_starts<GROUND>(c, k0, evaluated);
  else if (c->warp == home_warp(OBJECT))
    try_starts<OBJECT>(c, k0, evaluated);
  else if (c->warp == home_warp(SKY))
    try_starts<SKY>(c, k0, evaluated);
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

STX_DEVICE Candidate merge_partials(const Column *c, Owner own, int parts)
{
  Candidate best = no_candidate();
  for (int part = 0; part < parts; part++)
    offer(&best, load_partial(c, own.kind, part, own.j));
  return best;
}

/* The cut above row i, from the owners of its T: their keys with their kinds, and values. */
STX_DEVICE Cut cut_above(int64_t offered, int value, int i)
{
  Cut cut = {__shfl_sync(STX_FULL_WARP, offered, GROUND * TILE + i),
      __shfl_sync(STX_FULL_WARP, offered, OBJECT * TILE + i),
      __shfl_sync(STX_FULL_WARP, offered, SKY * TILE + i),
      __shfl_sync(STX_FULL_WARP, value, GROUND * TILE + i),
      __shfl_sync(STX_FULL_WARP, value, OBJECT * TILE + i)};
  return cut;
}

STX_DEVICE void store_row(const Column *c, Owner own, int k0, const Candidate *best)
{
  StxSatdpRow *row = &c->row[k0 + own.j + 1];
  if (c->lane >= KINDS * TILE || k0 + own.j >= c->rows)
    return;
  row->key[own.kind] = best->key;
  if (own.kind != SKY)
    row->value[own.kind] = best->value;
}

/* In step i, T of row i − 1 is final, and all later end rows look at the start row above it. */
STX_DEVICE void solve_tile(const Column *c, int k0, int parts)
{
  Owner own = owner_of(c->lane);
  const StxSatdpRule rule = c->counts->rule[own.kind];
  const StxSatdpTerm *term = c->terms[k0 / TILE % 2].term[own.kind] + own.j;
  Candidate best = {NEVER, 0};
  int last = own.kind != GROUND || c->has_ground ? own.j : 0; /* step in which it still looks */
  if (own.kind != GROUND || c->has_ground)
    best = merge_partials(c, own, parts);
#pragma unroll
  for (int i = 1; i < TILE; i++) {
    Cut cut = cut_above(offer_of(best.key, rule.kind), best.value, i - 1);
    StxSatdpTerm own_term = *term;
    cut.ground = add_keys(cut.ground, own_term.key); /* to all three, while the values are on */
    cut.object = add_keys(cut.object, own_term.key); /* their longer way: one to the least would */
    cut.sky = add_keys(cut.sky, own_term.key);       /* come last */
    Candidate candidate = {choose_below(&rule, &cut, own_term.foot), own_term.top};
    offer_if(i <= last, &best, candidate);
    term += TILE - 1 - i;
  }
  store_row(c, own, k0, &best);
}

/* ---- All rows ----------------------------------------------------------------------------- */

/* The first tile tries start row 0. */
STX_DEVICE void begin_column(const Column *c)
{
  if (threadIdx.x < KINDS) {
    int kind = threadIdx.x;
    live_starts(c, kind)[0] = 0;
    c->counts->live[kind] = 1;
    if (kind == 0)
      c->counts->evaluated = 0;
  }
}

#ifndef STX_FULLDP
/* The least cost of a start row above one of the tile's end rows, without cells of its own. */
STX_DEVICE void open_starts(const Column *c, int k0)
{
  Owner own = owner_of(c->lane);
  StxSatdpRow *row = &c->row[k0 + own.j + 1];
  if (c->lane >= KINDS * TILE || k0 + own.j >= c->rows)
    return;
  int unsure = own.kind == GROUND   ? unsure_at<GROUND>(c, row)
               : own.kind == OBJECT ? unsure_at<OBJECT>(c, row)
                                    : unsure_at<SKY>(c, row);
  row->bound[own.kind] =
      stx_round_down(least_below(c, own.kind, row) - row->lower[own.kind] - STX_ROUNDING + unsure);
}

/* A tile before the first only prepares. */
STX_DEVICE void solve_column(const Column *c, uint32_t *evaluated)
{
  begin_column(c);
#pragma unroll 1
  for (int k0 = -TILE; k0 < c->rows; k0 += TILE) {
    if (k0 >= 0)
      gather(c, k0, evaluated);
    __syncthreads();
    if (c->warp == 0 && k0 >= 0) {
      solve_tile(c, k0, 1);
      __syncwarp(); /* keys of all kinds */
      open_starts(c, k0);
    } else if (k0 + TILE < c->rows)
      prepare_tile(c, k0, evaluated);
    __syncthreads();
  }
}
#endif
