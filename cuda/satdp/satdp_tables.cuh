/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU: a column's summed-area tables (paper §4.3).
 *
 * Sums are made by whole warps, 32 cells at a time: each lane takes a cell, a scan by shuffles
 * adds up, the last lane's sum is carried on. All sums are integers, so their order is free. The
 * warps share out what there is to sum: `tasks` in build_tables. One body serves all sums of depth,
 * and loops are not unrolled: this runs once per column, and the loop over tiles wants the
 * instruction cache.
 */
#ifndef STX_SATDP_TABLES_CUH
#define STX_SATDP_TABLES_CUH

#include "cuda/satdp/satdp_column.cuh"

/* ---- Depth -------------------------------------------------------------------------------- */

/* Where a column of a channel ends, less one: the place of cell 0. Cells are fewer than 2^26,
 * channels at most 34: 32 bits are enough. */
STX_DEVICE uint32_t first_cell(const Column *c, int channel)
{
  const StxSatdpColumnsArgs *a = c->args;
  return ((uint32_t)channel * (uint32_t)a->column_count + (uint32_t)c->column) *
             (uint32_t)a->cells +
         (uint32_t)a->cells - 1;
}

/* stx_column, without its divisions */
STX_DEVICE uint32_t load_cell(const Column *c, int channel, int u)
{
  return __ldg(c->args->columns + (first_cell(c, channel) - (uint32_t)u));
}

/* A cell for the lanes above the last, whose sums nobody stores. */
STX_DEVICE int cell_or_last(const Column *c, int u)
{
  return min(u, c->args->cells - 1);
}

/* Three sums that one warp makes. */
enum { GROUND_X, GROUND_D, GROUND_SUMS, OBJECT_D = GROUND_SUMS, SKY_D, OBJECT_X };
enum { DEPTH_SUMS = OBJECT_X + SLANTED };

typedef struct {
  uint32_t a; /* of 32 cells, too: 32 · 2047 · 65535 < 2^32 */
  uint64_t b, c;
} Terms;

typedef struct {
  uint64_t a, b, c;
} Sums;

/* What a cell adds. Weights are below 2^11, x and disparities below 2^16. */
STX_DEVICE Terms depth_terms(const Column *c, int sums, int u)
{
  const StxSatdpTables *t = c->tables;
  uint32_t disparity = load_cell(c, 0, u), weight = load_cell(c, 1, u);
  bool object = sums == OBJECT_D || sums == OBJECT_X;
  const uint32_t *scale = object          ? &t->object_scale[disparity >> STX_OBJECT_BIN]
                          : sums == SKY_D ? &t->sky_scale
                                          : &t->ground_scale[u];
  uint32_t w = stx_fold(weight, __ldg(scale), disparity), x = (uint32_t)__ldg(&t->x[u]);
  uint32_t wx = w * x, wd = w * disparity;
  uint32_t times = sums == GROUND_D ? disparity : sums == OBJECT_X ? x : 1;
  Terms terms;
  terms.a = sums == GROUND_D   ? wd
            : sums == OBJECT_X ? wx
            : sums == SKY_D    ? stx_known_weight(weight, disparity)
                               : w;
  terms.b = (uint64_t)(sums == OBJECT_D ? wd : wx) * times;
  terms.c = (uint64_t)(sums == GROUND_X || sums == OBJECT_X ? wx : wd) *
            (sums == GROUND_X ? x : disparity);
  return terms;
}

STX_DEVICE void store_depth(const Column *c, int sums, int at, Sums sum)
{
  StxSatdpRow *row = &c->row[at];
  int *weight = sums == GROUND_X ? &row->ground_w : &row->object_w;
  double *second = sums == GROUND_X ? &row->ground_x : &row->object_d;
  if (sums == GROUND_X || sums == OBJECT_D) {
    *weight = (int32_t)sum.a;
    second[0] = (double)sum.b;
    second[1] = (double)sum.c;
  } else if (sums == SKY_D) {
    row->weight = (int32_t)sum.a;
    row->sky_dd = (double)sum.c;
  } else {
    double *first = sums == GROUND_D ? &row->ground_d : &c->slant[at].x;
    first[0] = (double)sum.a;
    first[1] = (double)sum.b;
    first[2] = (double)sum.c;
  }
}

STX_DEVICE void sum_depth(const Column *c, int sums)
{
  Sums carry = {0, 0, 0};
  int rows = 1;
  if (c->lane == 0)
    store_depth(c, sums, 0, carry);
#pragma unroll 1
  for (int base = 0; base < c->args->cells; base += LANES) {
    int u = base + c->lane;
    Terms terms = depth_terms(c, sums, cell_or_last(c, u));
    Sums sum = {scan_on(terms.a, c->lane, &carry.a), scan_on(terms.b, c->lane, &carry.b),
        scan_on(terms.c, c->lane, &carry.c)};
    int row = row_of(c, u + 1, &rows);
    if (row >= 0)
      store_depth(c, sums, row, sum);
  }
}

/* What a row knows beside sums. The largest disparity above comes from the top down. */
STX_DEVICE void find_rest(const Column *c)
{
  int largest = 0, above = count_rows(c);
  if (c->lane == 0)
    c->counts->rows = above - 1;
#pragma unroll 1
  for (int base = 0; base <= c->args->cells; base += LANES) {
    int u = c->args->cells - base - c->lane; /* boundary; the cell above it is cell u */
    int value = u >= 0 && u < c->args->cells ? (int)load_cell(c, 0, u) : 0;
    for (int step = 1; step < LANES; step *= 2) {
      int other = __shfl_up_sync(STX_FULL_WARP, value, step);
      value = c->lane >= step ? max(value, other) : value;
    }
    value = max(value, largest);
    bool has = has_row(c, u);
    unsigned all = __ballot_sync(STX_FULL_WARP, has);
    StxSatdpRow *row = &c->row[above - 1 - count_below(all, c->lane)];
    above -= __popc(all);
    if (has) {
      row->cut = __ldg(&c->tables->cut[u]);
      row->boundary = (uint16_t)u;
      row->rest = (uint16_t)value;
    }
    largest = __shfl_sync(STX_FULL_WARP, value, LANES - 1);
  }
}

/* ---- Classes ------------------------------------------------------------------------------ */

/* Where a row's quads of a kind begin. Kinds have tables of their own: who looks at one does not
 * draw the others into the cache. */
STX_DEVICE int quads_at(const Column *c, int kind, int row)
{
  return c->args->table[kind] + row * c->args->quads[kind];
}

/* Where class i of args->class_id has its costs: first_cell. */
STX_DEVICE uint32_t class_at(const Column *c, int i)
{
  return first_cell(c, 2 + c->args->class_id[i]);
}

STX_DEVICE int load_energy(const Column *c, uint32_t at)
{
  return stx_class_energy(__ldg(c->args->columns + at), c->tables->class_scale);
}

/* Where a kind's classes are no whole quads, the last one fills up: the least stays the least. */
STX_DEVICE void sum_quad(const Column *c, int kind, int quad)
{
  int a_sum = 0, b_sum = 0, c_sum = 0, d_sum = 0, rows = 1;
  int i = c->args->class_begin[kind] + 4 * quad, last = c->args->class_begin[kind + 1] - 1;
  uint32_t at[4] = {class_at(c, i), class_at(c, min(i + 1, last)), class_at(c, min(i + 2, last)),
      class_at(c, min(i + 3, last))};
  if (c->lane == 0)
    c->classes[quads_at(c, kind, 0) + quad] = make_int4(0, 0, 0, 0);
#pragma unroll 1
  for (int base = 0; base < c->args->cells; base += LANES) {
    int u = cell_or_last(c, base + c->lane);
    int4 sum;
    sum.x = scan_on(load_energy(c, at[0] - u), c->lane, &a_sum);
    sum.y = scan_on(load_energy(c, at[1] - u), c->lane, &b_sum);
    sum.z = scan_on(load_energy(c, at[2] - u), c->lane, &c_sum);
    sum.w = scan_on(load_energy(c, at[3] - u), c->lane, &d_sum);
    int row = row_of(c, base + c->lane + 1, &rows);
    if (row >= 0)
      c->classes[quads_at(c, kind, row) + quad] = sum;
  }
}

/* The cheapest class: energies rise with costs. Nothing if the kind has none. */
STX_DEVICE uint32_t least_energy(const Column *c, int kind, int u)
{
  int begin = c->args->class_begin[kind], end = c->args->class_begin[kind + 1], least = UINT16_MAX;
#pragma unroll 1
  for (int i = begin; i < end; i++)
    least = min(least, (int)load_cell(c, 2 + c->args->class_id[i], u));
  return begin < end ? (uint32_t)stx_class_energy(least, c->tables->class_scale) : 0;
}

/* Energy of a cell that every stixel of the kind pays for it, whatever its plane and class. */
STX_DEVICE uint32_t fixed_energy(const Column *c, int kind, int u)
{
  const StxSatdpTables *t = c->tables;
  uint32_t disparity = load_cell(c, 0, u);
  double energy = stx_cell_energy(t, kind, u, disparity, load_cell(c, 1, u));
  if (kind == GROUND)
    energy += stx_off_road(disparity, __ldg(&t->road_low[u]), __ldg(&t->road_high[u]), t->off_road);
  if (kind == GROUND)
    energy += __ldg(&t->horizon_ground[u + 1]) - __ldg(&t->horizon_ground[u]);
  if (kind == SKY)
    energy += __ldg(&t->horizon_sky[u + 1]) - __ldg(&t->horizon_sky[u]);
  if (u == 0)
    energy += kind == OBJECT ? t->first_object : kind == SKY ? t->first_sky : 0.0;
  return (uint32_t)energy;
}

STX_DEVICE void sum_lower(const Column *c, int kind)
{
  uint32_t fixed_sum = 0, lower_sum = 0;
  int rows = 1;
  if (c->lane == 0)
    c->row[0].fixed[kind] = c->row[0].lower[kind] = 0;
#pragma unroll 1
  for (int base = 0; base < c->args->cells; base += LANES) {
    int u = cell_or_last(c, base + c->lane);
    uint32_t fixed = fixed_energy(c, kind, u);
    uint32_t sfixed = scan_on(fixed, c->lane, &fixed_sum);
    uint32_t slower = scan_on(fixed + least_energy(c, kind, u), c->lane, &lower_sum);
    int row = row_of(c, base + c->lane + 1, &rows);
    if (row >= 0) {
      c->row[row].fixed[kind] = sfixed;
      c->row[row].lower[kind] = slower;
    }
  }
}

/* ---- All of it ---------------------------------------------------------------------------- */

/* Below the image lies an unknown object of energy −C, on which anything may stand. */
STX_DEVICE void clear_bottom(const Column *c)
{
  StxSatdpRow *row = &c->row[0];
  row->value[GROUND] = 0;
  row->value[OBJECT] = UNKNOWN_TOP;
  row->key[GROUND] = row->key[SKY] = NEVER;
  row->key[OBJECT] = key_of(-c->constants->stixel_cost);
}

/* Without a road there is no ground anywhere. */
STX_DEVICE void forbid_ground(const Column *c)
{
#pragma unroll 1
  for (int u = 1 + threadIdx.x % LANES; u <= c->args->cells; u += LANES) {
    c->row[u].key[GROUND] = NEVER;
    c->row[u].value[GROUND] = 0;
  }
}

/* The quad with this number among those of all kinds. */
STX_DEVICE void sum_any_quad(const Column *c, int number)
{
  int kind = GROUND;
  for (; kind < SKY && number >= c->args->quads[kind]; kind++)
    number -= c->args->quads[kind];
  sum_quad(c, kind, number);
}

/* The longest tasks come first, so that the warps are done at about the same time. */
STX_DEVICE void build_tables(const Column *c)
{
  enum { LOWER = DEPTH_SUMS, REST = LOWER + KINDS, QUADS };
  const int *quads = c->args->quads;
  int tasks = QUADS + quads[GROUND] + quads[OBJECT] + quads[SKY];
#pragma unroll 1
  for (int task = c->warp; task < tasks; task += WARPS) {
    if (task == 0 && !c->has_ground)
      forbid_ground(c);
    else if (task < GROUND_SUMS && !c->has_ground)
      continue;
    else if (task < LOWER)
      sum_depth(c, task);
    else if (task < REST)
      sum_lower(c, task - LOWER);
    else if (task == REST)
      find_rest(c);
    else
      sum_any_quad(c, task - QUADS);
  }
  if (threadIdx.x == 0)
    clear_bottom(c);
}

#endif
