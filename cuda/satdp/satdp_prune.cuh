/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU: what the warps beside the recurrence do for the next tile; see satdp_dp.cuh.
 * Of start rows, 32 are looked at at once, one per lane, and ballots keep the lists in order.
 */
#ifndef STX_SATDP_PRUNE_CUH
#define STX_SATDP_PRUNE_CUH

#include "cuda/satdp/satdp_pair.cuh"

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
 * lower_K there: stx_most_below_*. */
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
  return most - row->lower[kind];
}

STX_DEVICE double slanted_free_residual(const Column *c, int vb, int k)
{
  const StxSatdpRow *hi = &c->row[k + 1], *lo = &c->row[vb];
  const StxSatdpSlant *slant_hi = &c->slant[k + 1], *slant_lo = &c->slant[vb];
  return stx_slanted_free_residual(hi->object_w - lo->object_w, slant_hi->x - slant_lo->x,
      slant_hi->xx - slant_lo->xx, hi->object_d - lo->object_d, slant_hi->xd - slant_lo->xd,
      hi->object_dd - lo->object_dd);
}

/* bound_K of the start row at the cells up to k, the prior left out. */
template <int kind> STX_DEVICE int64_t free_bound(const Column *c, int vb, int k)
{
  const StxSatdpRow *hi = &c->row[k + 1], *lo = &c->row[vb];
  int64_t energy;
  if (kind == GROUND)
    energy = data_energy(c,
        stx_line_residual(c->constants->prior, hi->ground_w - lo->ground_w,
            hi->ground_x - lo->ground_x, hi->ground_xx - lo->ground_xx, hi->ground_d - lo->ground_d,
            hi->ground_xd - lo->ground_xd, hi->ground_dd - lo->ground_dd));
  else if (kind == OBJECT && SLANTED)
    energy = data_energy(c, slanted_free_residual(c, vb, k));
  else
    energy = fit_plane<kind>(c, vb, k).energy;
  return least_below(c, kind, lo) + energy - lo->lower[kind] - c->constants->rounding;
}

/* False if no row from k0 on can want the start row; else its bound is fresh. */
template <int kind> STX_DEVICE bool lives_on(const Column *c, int vb, int k0, int64_t renewal)
{
  int64_t bound = free_bound<kind>(c, vb, k0 - 1);
  c->row[vb].bound[kind] = fmaxf(c->row[vb].bound[kind], round_down(bound));
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

#endif
