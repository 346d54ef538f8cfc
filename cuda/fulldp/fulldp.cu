/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fulldp on the GPU: see common/fulldp/fulldp.h. Tables and backtracking are satdp's;
 * data term and recurrence are its own. Like satdp's, the kernel exists twice: with the column's
 * rows in shared memory, and in scratch.
 */
#define STX_FULLDP
#include "cuda/driver/gpu.cuh"

#include "common/fulldp/fulldp_math.h"
#include "cuda/satdp/satdp_columns.cuh"
#include "cuda/satdp/satdp_dp.cuh"
#include "cuda/satdp/satdp_pair.cuh"

/*
 * fulldp on the GPU, the data term: what the cells of a start row vb and an end row k cost. One
 * thread, one pair; the arithmetic is that of common/fulldp/fulldp_math.h.
 *
 * A cell's flat energy does not depend on the plane: it joins the sums of horizon and unknown
 * cells, and so does all of the sky's. The rest, which does, is added up cell by cell. Sums of
 * flat energies are negative at times: differences of `fixed` are taken modulo 2^32 and are below
 * 2^31 either way.
 */

/* ---- Cells -------------------------------------------------------------------------------- */

STX_DEVICE StxFulldpCell *cells_of_block(const Column *c)
{
  return c->args->full + (size_t)c->args->cells * blockIdx.x;
}

STX_DEVICE void store_cells(const Column *c)
{
  StxFulldpCell *cells = cells_of_block(c);
  int drop = stx_drop_cells(c->tables, c->column);
  for (int u = threadIdx.x; u < c->args->cells; u += WARPS * LANES) {
    uint32_t disparity = load_cell(c, 0, u), weight = load_cell(c, 1, u);
    int v = stx_road_cell(c->tables, drop, u);
    StxCell ground = stx_cell(c->tables, STX_KIND_GROUND, v, weight, disparity);
    StxCell object = stx_cell(c->tables, STX_KIND_OBJECT, u, weight, disparity);
    StxFulldpCell cell = {(float)c->tables->x[u], (float)disparity,
        {ground.precision, object.precision}, {ground.cap, object.cap}};
    cells[u] = cell;
  }
}

/* The cost of a cell in every stixel of a kind, beside horizon and unknown cells. */
STX_DEVICE int flat_energy(const Column *c, int kind, int u, int drop)
{
  if (u >= c->args->cells)
    return 0;
  uint32_t disparity = load_cell(c, 0, u), weight = load_cell(c, 1, u);
  StxCell cell = stx_cell(c->tables, (StxKind)(STX_KIND_GROUND + kind),
      stx_road_cell(c->tables, drop, u), weight, disparity);
  float energy = 0;
  if (kind == SKY)
    energy = stx_mixture_energy((float)disparity, 0, cell.precision, cell.cap);
  return cell.flat + (int)energy;
}

/* By one warp. To `lower`, too: its difference to `fixed` is that of the classes. */
STX_DEVICE void add_flats(const Column *c, int kind)
{
  int sum = 0, rows = 1, drop = stx_drop_cells(c->tables, c->column);
  for (int u = c->lane; u - c->lane < c->args->cells; u += LANES) {
    int flat = scan_on(flat_energy(c, kind, u, drop), c->lane, &sum);
    int row = row_of(c, u + 1, &rows);
    if (row >= 0) {
      c->row[row].fixed[kind] += (uint32_t)flat;
      c->row[row].lower[kind] += (uint32_t)flat;
    }
  }
}

/* ---- Pairs -------------------------------------------------------------------------------- */

typedef struct {
  StxCellLine line;
  int64_t energy;
  int foot, top;
} Plane;

template <int kind> STX_DEVICE Plane plane_of(const Column *c, int vb, int k)
{
  const StxSatdpRow *hi = &c->row[k + 1], *lo = &c->row[vb];
  Plane plane = {{0, 0}, 0, 0, 0};
  if (kind == GROUND) {
    StxGroundFit fit = fit_ground(c, vb, k);
    StxGroundPrior prior = c->constants->prior;
    plane.line = stx_cell_line(fit, prior.horizon_x, cells_of_block(c)[lo->boundary].x,
        __ldg(&c->tables->mixture.steepest));
    plane.energy = data_energy(stx_plane_residual(prior, fit), c->constants->residual_energy);
    plane.foot = ground_value(c, fit, lo->cut);
    plane.top = ground_value(c, fit, hi->cut);
  } else if (kind == OBJECT) {
    plane.line.start = object_moments(c, vb, k).d0;
    plane.foot = pack_value(plane.line.start);
    plane.top = top_of(plane.foot);
  }
  return plane;
}

/* The cost that no plane changes, without classes. */
template <int kind> STX_DEVICE int64_t fixed_of(const Column *c, int vb, int k)
{
  return (int)(c->row[k + 1].fixed[kind] - c->row[vb].fixed[kind]);
}

enum { CELLS_MOST = 1 << 24 }; /* of a pair: fulldp_math.h */

/* The cells of a pair on its line, or enough of them to cost more than `most`. */
template <int kind>
STX_DEVICE int64_t sum_cells(const Column *c, int vb, int k, StxCellLine line, int64_t most)
{
  const StxFulldpCell *cells = cells_of_block(c);
  int u = c->row[vb].boundary, end = c->row[k + 1].boundary;
  float x = cells[u].x, limit = (float)min(most, (int64_t)CELLS_MOST), sum = 0;
  for (; u < end && sum <= limit; u++) {
    const StxFulldpCell *cell = &cells[u];
    float value = kind == GROUND ? stx_line_value(line, cell->x - x) : line.start;
    sum += stx_mixture_energy(cell->disparity, value, cell->precision[kind], cell->cap[kind]);
  }
  return (int64_t)sum;
}

/* Fits a pair that begins and ends in a tile. */
template <int kind> STX_DEVICE Fit fit_pair(const Column *c, int vb, int k)
{
  Plane plane = plane_of<kind>(c, vb, k);
  Fit fit = {plane.energy + fixed_of<kind>(c, vb, k) + class_energy<kind>(c, vb, k), plane.foot,
      plane.top};
  if constexpr (kind != SKY)
    fit.energy += sum_cells<kind>(c, vb, k, plane.line, CELLS_MOST);
  return fit;
}

/* The pair's candidate, or one that is above `most`: then its energy is too low. */
template <int kind>
STX_DEVICE Candidate try_cells(const Column *c, int vb, int k, int64_t most, uint32_t *evaluated)
{
  int64_t fixed = fixed_of<kind>(c, vb, k);
  if (least_below(c, kind, &c->row[vb]) + fixed > most)
    return no_candidate();
  Plane plane = plane_of<kind>(c, vb, k);
  Fit fit = {plane.energy + fixed + class_energy<kind>(c, vb, k), plane.foot, plane.top};
  Candidate candidate = make_candidate<kind>(c, vb, &fit, cut_below(&c->row[vb]));
  int64_t left = most - energy_of(candidate.key);
  *evaluated += left >= 0;
  if constexpr (kind != SKY)
    if (left >= 0)
      candidate.key = add_keys(candidate.key, key_of(sum_cells<kind>(c, vb, k, plane.line, left)));
  return candidate;
}

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

STX_KERNEL(stx_fulldp_columns, StxSatdpColumnsArgs, COLUMN_BOUNDS)
{
  STX_SHARED_DYNAMIC(char, shared);
  solve_in_shared(&a, shared);
}

/* The same with the rows in scratch. */
STX_KERNEL(stx_fulldp_high_columns, StxSatdpColumnsArgs, COLUMN_THREADS)
{
  STX_SHARED_DYNAMIC(char, shared);
  solve_in_scratch(&a, shared);
}
