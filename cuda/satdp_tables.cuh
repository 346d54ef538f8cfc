/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU, first part: a column's memory and its summed-area tables (paper §4.3).
 *
 * A block owns a column. Everything that is known of the boundary below cell u stands together in
 * one StxSatdpRow, so that a row needs one address and every field an immediate offset. Its size
 * is an odd number of 8-byte words: 16 lanes that look at the same field of 16 neighbouring rows
 * hit 16 different pairs of banks.
 *
 * Sums are made by whole warps, 32 cells at a time: each lane takes a cell, a scan by shuffles
 * adds up, the last lane's sum is carried on. All sums are integers, so their order is free. The
 * warps share out what there is to sum: `tasks` in build_tables.
 */
#ifndef STX_SATDP_TABLES_CUH
#define STX_SATDP_TABLES_CUH

#include "cuda/gpu.cuh"
#include "cuda/satdp_args.h"

#include "common/satdp_records.h"

enum { GROUND, OBJECT, SKY, KINDS };

enum {
  LANES = 32,
  WARPS = STX_SATDP_WARPS,
  TILE = STX_SATDP_TILE,
  STARTS = LANES / TILE /* start rows that a warp tries at once, for a tile's end rows */
};

/* A block's view of its column. */
typedef struct {
  const StxSatdpColumnsArgs *args;
  const StxSatdpTables *tables;
  int column, rows, warp, lane;
  bool has_ground;
  StxSatdpTerms *terms;     /* of even and of odd tiles */
  StxSatdpPartial *partial; /* [kind · WARPS + part] */
  StxSatdpCounts *counts;
  uint16_t *lists;  /* start rows; see live_starts */
  StxSatdpRow *row; /* rows + 1 */
  int4 *classes;    /* [boundary · quads + quad] */
  StxGroundPrior prior;
  StxPairCost pair;
  double stixel_cost, residual_energy, rounding;
} Column;

/* The start rows of a kind that may still win, in rising order. */
STX_DEVICE uint16_t *live_starts(const Column *c, int kind)
{
  return c->lists + kind * c->rows;
}

/* Those of them that the next tile tries. */
STX_DEVICE uint16_t *tried_starts(const Column *c, int kind)
{
  return c->lists + (KINDS + kind) * c->rows;
}

/* The sum of a lane's value and those of the lanes below it. */
template <typename T> STX_DEVICE T scan_add(T value, int lane)
{
  for (int step = 1; step < LANES; step *= 2) {
    T below = __shfl_up_sync(STX_FULL_WARP, value, step);
    if (lane >= step)
      value += below;
  }
  return value;
}

/* Adds the scanned values to the sum of all chunks before, and carries that on. */
template <typename T> STX_DEVICE T scan_on(T value, int lane, T *carry)
{
  T sum = scan_add(value, lane) + *carry;
  *carry = __shfl_sync(STX_FULL_WARP, sum, LANES - 1);
  return sum;
}

/* ---- Depth -------------------------------------------------------------------------------- */

/* A cell as it came, all zero above the last. */
typedef struct {
  uint32_t disparity, weight;
} Cell;

STX_DEVICE uint32_t load_cell(const Column *c, int channel, int u)
{
  const StxGrid *grid = &c->args->params.grid;
  return __ldg(stx_column(grid, (void *)c->args->columns, channel, c->column) + c->rows - 1 - u);
}

STX_DEVICE Cell depth_cell(const Column *c, int u)
{
  Cell cell = {0, 0};
  if (u < c->rows) {
    cell.disparity = load_cell(c, 0, u);
    cell.weight = load_cell(c, 1, u);
  }
  return cell;
}

STX_DEVICE void sum_ground(const Column *c)
{
  long long w_sum = 0, x_sum = 0, xx_sum = 0, d_sum = 0, xd_sum = 0, dd_sum = 0;
  for (int u = c->lane; u - c->lane < c->rows; u += LANES) {
    Cell cell = depth_cell(c, u);
    bool inside = u < c->rows;
    long long d = cell.disparity, x = inside ? __ldg(&c->tables->x[u]) : 0;
    uint32_t scale = inside ? __ldg(&c->tables->ground_scale[u]) : 0;
    long long w = stx_fold(cell.weight, scale, cell.disparity);
    long long sw = scan_on(w, c->lane, &w_sum), sx = scan_on(w * x, c->lane, &x_sum);
    long long sxx = scan_on(w * x * x, c->lane, &xx_sum), sd = scan_on(w * d, c->lane, &d_sum);
    long long sxd = scan_on(w * x * d, c->lane, &xd_sum);
    long long sdd = scan_on(w * d * d, c->lane, &dd_sum);
    if (inside) {
      StxSatdpRow *row = &c->row[u + 1];
      row->ground_w = (int32_t)sw;
      row->ground_x = (double)sx;
      row->ground_xx = (double)sxx;
      row->ground_d = (double)sd;
      row->ground_xd = (double)sxd;
      row->ground_dd = (double)sdd;
    }
  }
}

STX_DEVICE void sum_object_and_sky(const Column *c)
{
  const StxSatdpTables *t = c->tables;
  long long d_sum = 0, dd_sum = 0, sky_sum = 0;
  int w_sum = 0, weight_sum = 0;
  for (int u = c->lane; u - c->lane < c->rows; u += LANES) {
    Cell cell = depth_cell(c, u);
    uint32_t scale = __ldg(&t->object_scale[cell.disparity >> STX_OBJECT_BIN]);
    long long d = cell.disparity, w = stx_fold(cell.weight, scale, cell.disparity);
    long long sky = stx_fold(cell.weight, t->sky_scale, cell.disparity);
    int sw = scan_on((int)w, c->lane, &w_sum);
    int sweight = scan_on((int)cell.weight, c->lane, &weight_sum);
    long long sd = scan_on(w * d, c->lane, &d_sum), sdd = scan_on(w * d * d, c->lane, &dd_sum);
    long long ssky = scan_on(sky * d * d, c->lane, &sky_sum);
    if (u < c->rows) {
      StxSatdpRow *row = &c->row[u + 1];
      row->object_w = sw;
      row->weight = sweight;
      row->object_d = (double)sd;
      row->object_dd = (double)sdd;
      row->sky_dd = (double)ssky;
    }
  }
}

/* The largest disparity from a boundary up: from the top down. */
STX_DEVICE void find_rest(const Column *c)
{
  int largest = 0;
  for (int base = 0; base <= c->rows; base += LANES) {
    int u = c->rows - base - c->lane; /* boundary; the cell above it is cell u */
    int value = u >= 0 && u < c->rows ? (int)load_cell(c, 0, u) : 0;
    for (int step = 1; step < LANES; step *= 2) {
      int other = __shfl_up_sync(STX_FULL_WARP, value, step);
      value = c->lane >= step ? max(value, other) : value;
    }
    value = max(value, largest);
    if (u >= 0)
      c->row[u].rest = value;
    largest = __shfl_sync(STX_FULL_WARP, value, LANES - 1);
  }
}

/* ---- Classes ------------------------------------------------------------------------------ */

STX_DEVICE int class_sum(int slot, const Column *c, int u)
{
  int id = c->args->slot_class[slot];
  if (id == STX_LABEL_NONE || u >= c->rows)
    return 1 << 20; /* above every class energy, so that padding never is the cheapest */
  return stx_class_energy((int)load_cell(c, 2 + id, u), c->tables->class_scale);
}

STX_DEVICE void sum_quad(const Column *c, int quad)
{
  int quads = c->args->quad[KINDS], a_sum = 0, b_sum = 0, c_sum = 0, d_sum = 0;
  if (c->lane == 0)
    c->classes[quad] = make_int4(0, 0, 0, 0);
  for (int u = c->lane; u - c->lane < c->rows; u += LANES) {
    int4 sum;
    sum.x = scan_on(class_sum(4 * quad, c, u), c->lane, &a_sum);
    sum.y = scan_on(class_sum(4 * quad + 1, c, u), c->lane, &b_sum);
    sum.z = scan_on(class_sum(4 * quad + 2, c, u), c->lane, &c_sum);
    sum.w = scan_on(class_sum(4 * quad + 3, c, u), c->lane, &d_sum);
    if (u < c->rows)
      c->classes[(size_t)(u + 1) * quads + quad] = sum;
  }
}

/* Energy of a cell that every stixel of the kind pays for it, whatever its plane and class. */
STX_DEVICE uint32_t fixed_energy(const Column *c, int kind, int u)
{
  const StxSatdpTables *t = c->tables;
  double energy = 0;
  if (kind != SKY && load_cell(c, 0, u) == STX_DISPARITY_UNKNOWN)
    energy += __ldg(&t->unknown[u]);
  if (kind == GROUND)
    energy += __ldg(&t->horizon_ground[u + 1]) - __ldg(&t->horizon_ground[u]);
  if (kind == SKY)
    energy += __ldg(&t->horizon_sky[u + 1]) - __ldg(&t->horizon_sky[u]);
  return (uint32_t)energy;
}

STX_DEVICE void sum_lower(const Column *c, int kind)
{
  uint32_t fixed_sum = 0, lower_sum = 0;
  int begin = 4 * c->args->quad[kind], end = 4 * c->args->quad[kind + 1];
  for (int u = c->lane; u - c->lane < c->rows; u += LANES) {
    uint32_t fixed = u < c->rows ? fixed_energy(c, kind, u) : 0;
    int least = begin < end ? class_sum(begin, c, u) : 0;
    for (int slot = begin + 1; slot < end; slot++)
      least = min(least, class_sum(slot, c, u));
    uint32_t sfixed = scan_on(fixed, c->lane, &fixed_sum);
    uint32_t slower = scan_on(fixed + (uint32_t)least, c->lane, &lower_sum);
    if (u < c->rows) {
      c->row[u + 1].fixed[kind] = sfixed;
      c->row[u + 1].lower[kind] = slower;
    }
  }
}

/* ---- All of it ---------------------------------------------------------------------------- */

/* Below the image: no sums, and an unknown object of energy −C, on which anything may stand. */
STX_DEVICE void clear_bottom(const Column *c)
{
  StxSatdpRow *row = &c->row[0];
  row->ground_x = row->ground_xx = row->ground_d = row->ground_xd = row->ground_dd = 0;
  row->object_d = row->object_dd = row->sky_dd = 0;
  row->ground_w = row->object_w = row->weight = 0;
  row->value[GROUND] = row->value[OBJECT] = 0;
  for (int kind = 0; kind < KINDS; kind++) {
    row->energy[kind] = kind == OBJECT ? -c->stixel_cost : STX_FORBIDDEN;
    row->link[kind] = 0;
    row->fixed[kind] = row->lower[kind] = 0;
  }
}

/* Without a road there is no ground anywhere. */
STX_DEVICE void forbid_ground(const Column *c)
{
  for (int u = 1 + c->lane; u <= c->rows; u += LANES) {
    c->row[u].energy[GROUND] = STX_FORBIDDEN;
    c->row[u].link[GROUND] = c->row[u].value[GROUND] = 0;
  }
}

STX_DEVICE void build_tables(const Column *c)
{
  int tasks = 3 + KINDS + c->args->quad[KINDS];
  for (int task = c->warp; task < tasks; task += WARPS) {
    if (task == 0) {
      if (c->has_ground)
        sum_ground(c);
      else
        forbid_ground(c);
    } else if (task == 1) {
      if (c->lane == 0)
        clear_bottom(c);
      sum_object_and_sky(c);
    } else if (task == 2) {
      find_rest(c);
    } else if (task < 3 + KINDS) {
      sum_lower(c, task - 3);
    } else {
      sum_quad(c, task - 3 - KINDS);
    }
  }
}

#endif
