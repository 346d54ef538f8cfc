/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU, second part: the recurrence, for the TILE = 8 end rows k0 … k0 + 7 of a tile
 * at a time (paper §4.4 takes one at a time).
 *
 *   gather   all warps: the start rows vb <= k0, whose T(vb−1) is known, against the tile's end
 *            rows. A lane owns an end row and every fourth start row of the warp: no reduction but
 *            one of four lanes at the end.
 *   solve    warp 0: the 28 pairs per kind that begin inside the tile. A lane owns a kind and an
 *            end row; T of the row before comes by shuffle, so that a row costs no barrier.
 *   prepare  meanwhile, for the next tile: one warp per kind prunes, another computes the data
 *            terms of those 28 pairs, which need no T.
 *
 * Two barriers per tile. Exact pruning, proofs in docs/algorithms/satdp.md:
 *   lists    a kind's live start rows; which of them are dead for good, is looked up now and then
 *   limit    `prepare` tries the latest winners against the next tile's end rows; a start row whose
 *            bound is above the worst of these results, less lower_K, is not tried there.
 * Start rows of the tile under way are always tried in the next one: their T comes too late.
 *
 * Shared memory: lanes of one start row read the same words, and different rows lie an odd number
 * of 8-byte words apart; terms and partial results are read by neighbouring lanes.
 *
 * Tiles of 8 rows: by count, 4 would leave fewer pairs that nothing can prune, but as many barriers
 * again; 16 the other way round. Tried and rejected: a bound before the data terms of the tile's
 * own start rows, which leaves a tenth fewer pairs for a test before every one; steps of `solve`
 * that are a loop, in which the compiler multiplies 64 bits where 32 are enough.
 */
#ifndef STX_SATDP_DP_CUH
#define STX_SATDP_DP_CUH

#include "cuda/satdp/satdp_prune.cuh"

/* ---- First step of a tile: start rows at or below its first row ----------------------------- */

/* Warps that try start rows of the kind: the first from home_warp on. */
STX_DEVICE int part_count(const Column *c, int kind, int k0)
{
  return min((int)((unsigned)(*tried_count(c, kind, k0) + STARTS - 1) / STARTS), (int)WARPS);
}

/* This warp's share of the listed start rows, for all end rows of the tile. The home warp adds what
 * it tried while it pruned, each lane what it stored itself. */
template <int kind> STX_DEVICE void try_starts(const Column *c, int k0, uint32_t *evaluated)
{
  int part = (c->warp - home_warp(kind)) & (WARPS - 1);
  if (part >= part_count(c, kind, k0))
    return;
  int slot = c->lane / TILE, j = c->lane % TILE, last = min((int)TILE, c->rows - k0) - 1;
  int k = k0 + min(j, last);
  const uint16_t *starts = tried_starts(c, kind);
  int count = *tried_count(c, kind, k0);
  Candidate best = no_candidate();
  if (part == 0 && c->lane == 0)
    *evaluated += (uint32_t)(count * (last + 1));
#pragma unroll 1
  for (int base = part * STARTS; base < count; base += WARPS * STARTS) {
    bool mine = base + slot < count;
    __syncwarp(); /* keeps the row above from staying in registers, which there are too few of */
    offer_if(
        mine, &best, try_pair<kind>(c, starts[min(base + slot, count - 1)], k, mine && j == last));
  }
  if (part == 0 && k0 > 0 && c->lane < TILE)
    offer(&best, load_partial(c, kind, CARRIED, c->lane));
  merge_starts(&best);
  store_partial(c, kind, part, &best);
}

STX_DEVICE void gather(const Column *c, int k0, uint32_t *evaluated)
{
  if (c->has_ground)
    try_starts<GROUND>(c, k0, evaluated);
  try_starts<OBJECT>(c, k0, evaluated);
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

STX_DEVICE Candidate merge_partials(const Column *c, Owner own, int k0)
{
  Candidate best = no_candidate();
  int parts = part_count(c, own.kind, k0);
  for (int part = 0; part < parts; part++)
    offer(&best, load_partial(c, own.kind, part, own.j));
  return best;
}

/* What the owners of row i's T offer: their keys with their kinds, and values. */
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
STX_DEVICE void solve_tile(const Column *c, int k0)
{
  Owner own = owner_of(c->lane);
  const StxSatdpRule rule = c->counts->rule[own.kind];
  const StxSatdpTerm *term = c->terms[k0 / TILE % 2].term[own.kind] + own.j;
  Candidate best = {NEVER, 0};
  int last = own.kind != GROUND || c->has_ground ? own.j : 0; /* step in which it still looks */
  if (own.kind != GROUND || c->has_ground)
    best = merge_partials(c, own, k0);
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
    live_starts(c, kind)[0] = tried_starts(c, kind)[0] = 0;
    c->counts->live[kind] = *tried_count(c, kind, 0) = 1;
    if (kind == 0)
      c->counts->evaluated = 0;
  }
}

#ifndef STX_FULLDP
/* A tile before the first only prepares. */
STX_DEVICE void solve_column(const Column *c, uint32_t *evaluated)
{
  begin_column(c);
  __syncthreads();
#pragma unroll 1
  for (int k0 = -TILE; k0 < c->rows; k0 += TILE) {
    if (k0 >= 0)
      gather(c, k0, evaluated);
    __syncthreads();
    if (c->warp == 0 && k0 >= 0)
      solve_tile(c, k0);
    else if (k0 + TILE < c->rows)
      prepare_tile(c, k0, evaluated);
    __syncthreads();
  }
}
#endif

#endif
