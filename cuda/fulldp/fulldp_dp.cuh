/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fulldp on the GPU, the recurrence: for the TILE = 8 end rows k0 … k0 + 7 of a tile at a time, as
 * in satdp_dp.cuh.
 *
 *   gather   all warps: the start rows vb <= k0 against the tile's end rows. A lane owns an end row
 *            and one of four neighbouring start rows: lanes of a warp have loops of nearly the same
 *            length. Start rows are dealt to the warps in turns, four at a time, so that each has
 *            short and long ones. Every warp first tries the last winner, after which most other
 *            pairs end at a cell or two.
 *   solve    warp 0: the pairs that begin inside the tile, from terms computed a tile earlier
 *
 * Two barriers per tile.
 */
#ifndef STX_FULLDP_DP_CUH
#define STX_FULLDP_DP_CUH

#include "cuda/fulldp/fulldp_term.cuh"
#include "cuda/satdp/satdp_dp.cuh"

/* Warps that have start rows to try. */
STX_DEVICE int part_count(int k0)
{
  return min((int)((unsigned)(k0 + STARTS) / STARTS), (int)WARPS);
}

/* This warp's share of the start rows, for all end rows of the tile. */
template <int kind> STX_DEVICE void try_all(const Column *c, int k0, uint32_t *evaluated)
{
  int slot = c->lane / TILE, j = c->lane % TILE, last = min((int)TILE, c->rows - k0) - 1;
  int k = k0 + min(j, last);
  uint32_t ignored = 0, tried = 0;
  if (c->warp >= part_count(k0))
    return;
  Candidate best = no_candidate();
  if (k0 > 0)
    offer(&best,
        try_cells<kind>(c, start_of(c->row[k0].key[kind]), k, energy_of(best.key), &ignored));
#pragma unroll 1
  for (int base = c->warp * STARTS; base <= k0; base += WARPS * STARTS) {
    __syncwarp(); /* as in try_starts */
    if (base + slot <= k0)
      offer(&best, try_cells<kind>(c, k0 - base - slot, k, energy_of(best.key), &tried));
  }
  *evaluated += j <= last ? tried : 0;
  merge_starts(&best);
  store_partial(c, kind, c->warp, &best);
}

STX_DEVICE void gather_all(const Column *c, int k0, uint32_t *evaluated)
{
  if (c->has_ground)
    try_all<GROUND>(c, k0, evaluated);
  try_all<OBJECT>(c, k0, evaluated);
  try_all<SKY>(c, k0, evaluated);
}

STX_DEVICE void solve_column(const Column *c, uint32_t *evaluated)
{
  begin_column(c);
  store_cells(c);
  if (c->warp < KINDS && (c->warp != GROUND || c->has_ground))
    add_flats(c, c->warp);
  __syncthreads(); /* keeps nvcc from taking the first round out of the loop */
#pragma unroll 1
  for (int k0 = -TILE; k0 < c->rows; k0 += TILE) { /* a tile before the first only prepares */
    if (k0 >= 0)
      gather_all(c, k0, evaluated);
    __syncthreads();
    if (c->warp == 0 && k0 >= 0)
      solve_tile(c, k0, part_count(k0));
    else if (k0 + TILE < c->rows)
      fit_tiles(c, k0 + TILE, evaluated);
    __syncthreads();
  }
}

#endif
