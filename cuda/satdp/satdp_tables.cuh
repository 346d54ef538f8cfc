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

/* stx_column, without its divisions */
STX_DEVICE uint32_t load_cell(const Column *c, int channel, int u)
{
  size_t first = (size_t)(channel * c->args->column_count + c->column) * c->args->cells;
  return __ldg(c->args->columns + first + (c->args->cells - 1 - u));
}

/* Three sums that one warp makes. */
enum { GROUND_X, GROUND_D, GROUND_SUMS, OBJECT_D = GROUND_SUMS, SKY_D, OBJECT_X };
enum { DEPTH_SUMS = OBJECT_X + SLANTED };

typedef struct {
  long long a, b, c;
} Triple;

/* What a cell adds; nothing above the last. */
STX_DEVICE Triple depth_terms(const Column *c, int sums, int u)
{
  const StxSatdpTables *t = c->tables;
  Triple terms = {0, 0, 0};
  if (u >= c->args->cells)
    return terms;
  uint32_t disparity = load_cell(c, 0, u), weight = load_cell(c, 1, u);
  bool object = sums == OBJECT_D || sums == OBJECT_X;
  const uint32_t *scale = object          ? &t->object_scale[disparity >> STX_OBJECT_BIN]
                          : sums == SKY_D ? &t->sky_scale
                                          : &t->ground_scale[u];
  int x = __ldg(&t->x[u]);
  long long w = stx_fold(weight, __ldg(scale), disparity), wx = w * x, wd = w * disparity;
  bool begins = sums == GROUND_X || sums == OBJECT_D;
  terms.a = begins ? w : sums == GROUND_D ? wd : sums == OBJECT_X ? wx : wd * disparity;
  terms.b = sums == SKY_D ? stx_known_weight(weight, disparity) : sums == OBJECT_D ? wd : wx;
  if (sums == GROUND_D || sums == OBJECT_X)
    terms.b *= sums == GROUND_D ? (int)disparity : x;
  terms.c = sums == GROUND_X ? wx * x : sums == OBJECT_X ? wx * disparity : wd * disparity;
  return terms;
}

STX_DEVICE void store_depth(const Column *c, int sums, int at, Triple sum)
{
  StxSatdpRow *row = &c->row[at];
  int *weight = sums == GROUND_X ? &row->ground_w : &row->object_w;
  double *second = sums == GROUND_X ? &row->ground_x : &row->object_d;
  if (sums == GROUND_X || sums == OBJECT_D) {
    *weight = (int32_t)sum.a;
    second[0] = (double)sum.b;
    second[1] = (double)sum.c;
  } else if (sums == SKY_D) {
    row->sky_dd = (double)sum.a;
    row->weight = (int32_t)sum.b;
  } else {
    double *first = sums == GROUND_D ? &row->ground_d : &c->slant[at].x;
    first[0] = (double)sum.a;
    first[1] = (double)sum.b;
    first[2] = (double)sum.c;
  }
}

STX_DEVICE void sum_depth(const Column *c, int sums)
{
  Triple carry = {0, 0, 0};
  int rows = 1;
  if (c->lane == 0)
    store_depth(c, sums, 0, carry);
#pragma unroll 1
  for (int base = 0; base < c->args->cells; base += LANES) {
    int u = base + c->lane;
    Triple terms = depth_terms(c, sums, u);
    Triple sum = {scan_on(terms.a, c->lane, &carry.a), scan_on(terms.b, c->lane, &carry.b),
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

/* What class i of args->class_id, if it is among the first `end`, costs a cell. What is not there
 * costs more than any class may, and never is the cheapest. */
STX_DEVICE int class_cost(const Column *c, int i, int end, int u)
{
  if (i >= end || u >= c->args->cells)
    return 1 << 20;
  return stx_class_energy((int)load_cell(c, 2 + c->args->class_id[i], u), c->tables->class_scale);
}

STX_DEVICE void sum_quad(const Column *c, int kind, int quad)
{
  int a_sum = 0, b_sum = 0, c_sum = 0, d_sum = 0, rows = 1;
  int i = c->args->class_begin[kind] + 4 * quad, end = c->args->class_begin[kind + 1];
  if (c->lane == 0)
    c->classes[quads_at(c, kind, 0) + quad] = make_int4(0, 0, 0, 0);
#pragma unroll 1
  for (int u = c->lane; u - c->lane < c->args->cells; u += LANES) {
    int4 sum;
    sum.x = scan_on(class_cost(c, i, end, u), c->lane, &a_sum);
    sum.y = scan_on(class_cost(c, i + 1, end, u), c->lane, &b_sum);
    sum.z = scan_on(class_cost(c, i + 2, end, u), c->lane, &c_sum);
    sum.w = scan_on(class_cost(c, i + 3, end, u), c->lane, &d_sum);
    int row = row_of(c, u + 1, &rows);
    if (row >= 0)
      c->classes[quads_at(c, kind, row) + quad] = sum;
  }
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
  int begin = c->args->class_begin[kind], end = c->args->class_begin[kind + 1], rows = 1;
  if (c->lane == 0)
    c->row[0].fixed[kind] = c->row[0].lower[kind] = 0;
#pragma unroll 1
  for (int u = c->lane; u - c->lane < c->args->cells; u += LANES) {
    uint32_t fixed = u < c->args->cells ? fixed_energy(c, kind, u) : 0;
    int least = begin < end ? class_cost(c, begin, end, u) : 0;
#pragma unroll 1
    for (int i = begin + 1; i < end; i++)
      least = min(least, class_cost(c, i, end, u));
    uint32_t sfixed = scan_on(fixed, c->lane, &fixed_sum);
    uint32_t slower = scan_on(fixed + (uint32_t)least, c->lane, &lower_sum);
    int row = row_of(c, u + 1, &rows);
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
