/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU, first part: a column's memory.
 *
 * A block owns a column. Everything that is known of a boundary between cells stands together in
 * one StxSatdpRow, so that a row needs one address and every field an immediate offset. Its size
 * is an odd number of 8-byte words: 16 lanes that look at the same field of 16 neighbouring rows
 * hit 16 different pairs of banks.
 *
 * Sums are taken over all cells, but only boundaries at which a stixel may begin or end have a row.
 * The recurrence takes what lies between two of them for one cell: it sees m rows instead of h, and
 * all its indices (vb, k, links, lists) count them. Only the records need to know the cells.
 */
#pragma once

#include "cuda/driver/gpu.cuh"

#include "common/satdp/satdp_records_math.h"
#include "cuda/driver/threads.cuh"
#include "cuda/satdp/satdp_args.h"

/*
 * satdp on the GPU: what a stixel pays for what lies below it, in integers: the numbers that
 * stx_below_ground, stx_below_object and stx_below_sky of common/satdp/satdp_cost_math.h compute
 * in doubles. No kernel has any: most GPUs have next to no units for them.
 *
 * Keys. An energy E and a link (4 · vb + below) are one number, E · 2^12 + link: the least key is
 * the least energy with the smallest link, so one comparison of 64 bits is choice and tie-break
 * together. Real energies are below 2^46 either way: a T is no more than its own kind's stixel from
 * row 0 on, 2^44 of data (satdp.h bounds the sums), 2^41 of their error, 2^33 of all else; a pair
 * adds one more data term. What cannot be costs NEVER = 2^48, or 2^49 on top of that: the largest
 * sum is below 2^50, a key below 2^62.
 *
 * Values at cuts are multiples of 1/256 px, here times 2^10: |ground| <= 2^20 (STX_VALUE_MOST) and
 * objects < 2^16 leave 31 bits, and the slope is an integer of 2^-22 energies. So the product's
 * high word is the energy, and half a unit below makes it the rounded one: it never is a tie.
 *
 * Three terms. All kinds pay by the same formulas, with constants of their own (Rule):
 *
 *   on ground  nothing if the values meet (or the foot is unknown), else a cost and a slope
 *   on object  another such cost if the foot is over the object's top, else a constant
 *   on sky     nothing, or never
 *
 * "Never" is a cost times another factor. Sky pays α on ground; as it knows no other pair cost than
 * that, its other ways are α cheaper and all α dearer (and all SKY_MORE, so that none is negative).
 */

enum { GROUND, OBJECT, SKY, KINDS };

/* ---- Keys ---------------------------------------------------------------------------------- */

enum { LINK_BITS = 12, LINK_MASK = (1 << LINK_BITS) - 1 };
#define NEVER ((int64_t)1 << 60)

/* Sums of keys wrap around without being an error: of what never counts, that of rows beyond the
 * column among it, the size is unknown. */
STX_DEVICE int64_t add_keys(int64_t a, int64_t b)
{
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

STX_DEVICE int64_t key_of(int64_t energy)
{
  return (int64_t)((uint64_t)energy << LINK_BITS);
}

STX_DEVICE int64_t energy_of(int64_t key)
{
  return key >> LINK_BITS;
}

/* The start row of the stixel that a key is of. */
STX_DEVICE int start_of(int64_t key)
{
  return (int)((uint32_t)key & LINK_MASK) / 4;
}

/* The key of a T as the stixels above see it: its kind in place of its link. */
STX_DEVICE int64_t offer_of(int64_t key, uint32_t kind)
{
  return (key & ~(int64_t)LINK_MASK) | kind;
}

/* ---- Values -------------------------------------------------------------------------------- */

enum { VALUE_SHIFT = 10 };
/* An object's top, if its disparity is unknown: no foot is above it. */
enum { UNKNOWN_TOP = 1 << 30 };

/* A value at a cut, an integer below 2^21. */
STX_DEVICE int pack_value(float value)
{
  return (int)((uint32_t)(int)value << VALUE_SHIFT);
}

/* stx_data_energy: above 2^22, which the high word counts, a float of that size is an integer. */
STX_DEVICE int64_t data_energy(float residual, float residual_energy)
{
  float energy = residual * residual_energy;
  int high = (int)(energy * 2.384185791015625e-7f);
  return ((int64_t)high << 22) + (int)stx_round_float(energy - (float)high * 4194304.0f);
}

STX_DEVICE int top_of(int foot)
{
  return foot == 0 ? (int)UNKNOWN_TOP : foot;
}

/* ---- Pair costs ---------------------------------------------------------------------------- */

STX_DEVICE StxSatdpConstants constants_of(const StxSatdpTables *tables)
{
  StxSatdpConstants constants;
  constants.prior = stx_ground_prior(tables, 0); /* each column sets its own */
  constants.residual_energy = tables->residual_energy;
  constants.unsure = tables->residual_energy * STX_UNSURE;
  constants.pair_cost = (uint32_t)tables->pair_cost;
  constants.pair_tolerance = (uint32_t)tables->pair_tolerance << VALUE_SHIFT;
  constants.pair_slope = tables->pair_slope;
  constants.stixel_cost = (int)tables->stixel_cost;
  return constants;
}

#define ONCE (1u << LINK_BITS)
#define FORBID_COST (uint32_t) INT32_MAX
#define FORBID_TIMES (1u << 30)
#define SKY_MEETS 4u                                       /* times FORBID_TIMES is … */
#define SKY_MORE (SKY_MEETS * (FORBID_TIMES >> LINK_BITS)) /* … the key of so much energy, > α */

/* cost, and half a unit of what is cut off. */
STX_DEVICE uint64_t with_half(uint32_t cost)
{
  return (uint64_t)cost << 32 | 0x80000000u;
}

STX_DEVICE StxSatdpRule rule_of(const StxSatdpConstants *pair, int kind)
{
  bool ground = kind == GROUND, object = kind == OBJECT, sky = kind == SKY;
  int over = ground ? (int)pair->pair_tolerance : 0;
  StxSatdpRule rule;
  rule.ground_cost = with_half(sky ? FORBID_COST : pair->pair_cost);
  rule.object_cost = with_half(ground ? FORBID_COST : pair->pair_cost);
  rule.tolerance = pair->pair_tolerance;
  rule.window = sky ? INT32_MAX : 2 * pair->pair_tolerance;
  rule.slope = object ? pair->pair_slope : 0;
  rule.unknown = object ? 0 : INT32_MAX;
  rule.over = sky ? INT32_MAX : over;
  rule.meeting = sky ? SKY_MEETS : 0;
  rule.otherwise = sky ? SKY_MORE - pair->pair_cost : 0;
  rule.ground_times = sky ? FORBID_TIMES : ONCE;
  rule.object_times = ground ? FORBID_TIMES : ONCE;
  rule.sky = object ? 0 : FORBID_TIMES;
  rule.kind = (uint32_t)kind;
  return rule;
}

/* The cost with which all stixels of a kind begin. */
STX_DEVICE int start_cost(const StxSatdpConstants *constants, int kind)
{
  int sky = (int)constants->pair_cost - (int)SKY_MORE;
  return constants->stixel_cost + (kind == SKY ? sky : 0);
}

/* cost + slope · difference, rounded, for a difference >= 0 */
STX_DEVICE uint32_t pay(uint64_t cost, uint32_t slope, uint32_t difference)
{
  return (uint32_t)(((uint64_t)slope * difference + cost) >> 32);
}

/* A cut: T of the row below it, by offer_of, and values. */
typedef struct {
  int64_t ground, object, sky;
  int ground_value, object_value;
} Cut;

STX_DEVICE int64_t on_ground(const StxSatdpRule *rule, const Cut *cut, int foot)
{
  uint32_t off = (uint32_t)foot - (uint32_t)cut->ground_value;
  uint32_t gap = (int)off < 0 ? 0 - off : off;
  bool meets = off + rule->tolerance <= rule->window || foot == rule->unknown;
  uint32_t cost = meets ? rule->meeting : pay(rule->ground_cost, rule->slope, gap);
  return (int64_t)((uint64_t)cost * rule->ground_times + (uint64_t)cut->ground);
}

STX_DEVICE int64_t on_object(const StxSatdpRule *rule, const Cut *cut, int foot)
{
  uint32_t over = (uint32_t)foot - (uint32_t)cut->object_value;
  uint32_t cost =
      (int)over > rule->over ? pay(rule->object_cost, rule->slope, over) : rule->otherwise;
  return (int64_t)((uint64_t)cost * rule->object_times + (uint64_t)cut->object);
}

STX_DEVICE int64_t on_sky(const StxSatdpRule *rule, const Cut *cut)
{
  uint32_t high = (uint32_t)((uint64_t)cut->sky >> 32) + rule->sky;
  return (int64_t)((uint64_t)high << 32 | (uint32_t)cut->sky);
}

/* The least key of a stixel's ways to stand there, by itself. */
STX_DEVICE int64_t choose_below(const StxSatdpRule *rule, const Cut *cut, int foot)
{
  return min(min(on_object(rule, cut, foot), on_sky(rule, cut)), on_ground(rule, cut, foot));
}

/* Whether objects may be slanted is known when this is compiled: satdp_slanted.cu is all of it once
 * more. It costs sums, registers and time that upright objects need not pay. */
#ifndef STX_SATDP_SLANTED
#define STX_SATDP_SLANTED 0
#endif
enum { SLANTED = STX_SATDP_SLANTED };

enum {
  LANES = 32,
  WARPS = STX_SATDP_WARPS,
  PARTS = STX_SATDP_PARTS,
  TILE = STX_SATDP_TILE,
  STARTS = LANES / TILE /* start rows that a warp tries at once, for a tile's end rows */
};

/* A block's view of its column. */
typedef struct {
  const StxSatdpColumnsArgs *args;
  const StxSatdpTables *tables;
  int column, rows, warp, lane; /* rows: see above */
  bool has_ground;
  StxSatdpTerms *terms;     /* of even and of odd tiles */
  StxSatdpPartial *partial; /* [kind · PARTS + part] */
  StxSatdpCounts *counts;
  StxSatdpConstants *constants;
  uint16_t *lists;      /* start rows; see live_starts */
  StxSatdpRow *row;     /* rows + 1 */
  StxSatdpSlant *slant; /* rows + 1, only if SLANTED */
  int4 *classes;        /* class sums, see quads_at */
} Column;

/* The start rows of a kind that may still win, in rising order. */
STX_DEVICE uint16_t *live_starts(const Column *c, int kind)
{
  return c->lists + kind * c->rows;
}

/* Those of them that the tile under way has to try. */
STX_DEVICE uint16_t *tried_starts(const Column *c, int kind)
{
  return c->lists + (KINDS + kind) * c->rows;
}

/* Sums over the cells of rows vb … k. */
STX_DEVICE StxSegmentSums ground_sums(const Column *c, int vb, int k)
{
  const StxSatdpRow *hi = &c->row[k + 1], *lo = &c->row[vb];
  StxSegmentSums sums = {hi->ground_w - lo->ground_w, hi->ground_x - lo->ground_x,
      hi->ground_xx - lo->ground_xx, hi->ground_d - lo->ground_d, hi->ground_xd - lo->ground_xd,
      hi->ground_dd - lo->ground_dd, 0};
  return sums;
}

/* Without those of x if objects are upright. */
STX_DEVICE StxSegmentSums object_sums(const Column *c, int vb, int k)
{
  const StxSatdpRow *hi = &c->row[k + 1], *lo = &c->row[vb];
  StxSegmentSums sums = {hi->object_w - lo->object_w, 0, 0, hi->object_d - lo->object_d, 0,
      hi->object_dd - lo->object_dd, 0};
  if (SLANTED) {
    const StxSatdpSlant *slant_hi = &c->slant[k + 1], *slant_lo = &c->slant[vb];
    sums.x = slant_hi->x - slant_lo->x;
    sums.xx = slant_hi->xx - slant_lo->xx;
    sums.xd = slant_hi->xd - slant_lo->xd;
  }
  return sums;
}

/* The number of lanes below this one that are in the ballot. */
STX_DEVICE int count_below(unsigned ballot, int lane)
{
  return __popc(ballot & ((1u << lane) - 1));
}

/* Adds the scanned values to the sum of all chunks before, and carries that on. A chunk's sum may
 * have fewer bits than all. */
template <typename T, typename Sum> STX_DEVICE Sum scan_on(T value, int lane, Sum *carry)
{
  T scanned = warp_scan(value, (unsigned)lane);
  Sum sum = *carry + scanned;
  *carry += __shfl_sync(STX_FULL_WARP, scanned, LANES - 1);
  return sum;
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Whether boundary u, below cell u, has a row. */
STX_DEVICE bool has_row(const Column *c, int u)
{
  const uint8_t *starts = c->args->starts;
  if (starts == NULL || u <= 0 || u >= c->args->cells)
    return u >= 0 && u <= c->args->cells;
  return __ldg(starts + (size_t)c->column * c->args->cells + c->args->cells - 1 - u) != 0;
}

/* The row of boundary u, −1 if it has none. The lanes ask for neighbouring boundaries, in rising
 * order; `rows` is the number of rows below these, and carried on. */
STX_DEVICE int row_of(const Column *c, int u, int *rows)
{
  bool has = has_row(c, u);
  if (c->args->starts == NULL)
    return has ? u : -1;
  unsigned all = __ballot_sync(STX_FULL_WARP, has);
  int row = *rows + count_below(all, c->lane);
  *rows += __popc(all);
  return has ? row : -1;
}

/* The same from the top down: `rows` is the number of rows at or below these. */
STX_DEVICE int row_from_above(const Column *c, int u, int *rows)
{
  bool has = has_row(c, u);
  unsigned all = __ballot_sync(STX_FULL_WARP, has);
  int row = *rows - 1 - count_below(all, c->lane);
  *rows -= __popc(all);
  return has ? row : -1;
}

STX_DEVICE int count_rows(const Column *c)
{
  int rows = 0;
#pragma unroll 1
  for (int base = 0; base <= c->args->cells; base += LANES)
    rows += __popc(__ballot_sync(STX_FULL_WARP, has_row(c, base + c->lane)));
  return rows;
}

/*
 * satdp on the GPU: a column's summed-area tables (paper §4.3).
 *
 * Sums are made by whole warps, 32 cells at a time: each lane takes a cell, a scan by shuffles
 * adds up, the last lane's sum is carried on. All sums are integers, so their order is free. The
 * warps share out what there is to sum: `tasks` in build_tables. One body serves all sums of depth,
 * and loops are not unrolled: this runs once per column, and the loop over tiles wants the
 * instruction cache.
 */

/* ---- Depth -------------------------------------------------------------------------------- */

/* The end of a column of a channel, less one: the place of cell 0. Cells are fewer than 2^26,
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

STX_DEVICE uint32_t load_prior(const Column *c, int u)
{
  return __ldg(c->args->params.prior + (first_cell(c, 0) - (uint32_t)u));
}

/* A cell for the lanes above the last, whose sums are not stored. */
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

/* Where the ground is expected. */
typedef struct {
  float slope, horizon_x;
  int drop;
} Road;

/* The terms that a cell adds to the sums. Weights are below 2^11, x and disparities below 2^16,
 * deviations from the ground below 2^15. */
STX_DEVICE Terms depth_terms(const Column *c, int sums, int u, Road road)
{
  const StxSatdpTables *t = c->tables;
  uint32_t disparity = load_cell(c, 0, u), weight = load_cell(c, 1, u);
  bool object = sums == OBJECT_D || sums == OBJECT_X;
  const uint32_t *scale = object          ? &t->object_scale[disparity >> STX_OBJECT_BIN]
                          : sums == SKY_D ? &t->sky_scale
                                          : &t->ground_scale[stx_road_cell(t, road.drop, u)];
  int w = (int)stx_fold(weight, __ldg(scale), disparity), x = __ldg(&t->x[u]), d = (int)disparity;
  if (sums == GROUND_D)
    d = stx_deviation(road.slope, road.horizon_x, x, disparity);
  int wx = w * x, wd = w * d, times = sums == GROUND_D ? d : sums == OBJECT_X ? x : 1;
  Terms terms;
  terms.a = (uint32_t)(sums == GROUND_D   ? wd
                       : sums == OBJECT_X ? wx
                       : sums == SKY_D    ? (int)stx_known_weight(weight, disparity)
                                          : w);
  terms.b = (uint64_t)((int64_t)(sums == OBJECT_D ? wd : wx) * times);
  terms.c = (uint64_t)((int64_t)(sums == GROUND_X || sums == OBJECT_X ? wx : wd) *
                       (sums == GROUND_X ? x : d));
  return terms;
}

/* Deviations have a sign. */
STX_DEVICE uint64_t widen_sum(int sums, uint32_t sum)
{
  return sums == GROUND_D ? (uint64_t)(int64_t)(int)sum : sum;
}

STX_DEVICE uint64_t scan_words(int sums, uint32_t value, int lane, uint64_t *carry)
{
  uint32_t scanned = warp_scan(value, (unsigned)lane);
  uint64_t sum = *carry + widen_sum(sums, scanned);
  *carry += widen_sum(sums, __shfl_sync(STX_FULL_WARP, scanned, LANES - 1));
  return sum;
}

STX_DEVICE void store_depth(const Column *c, int sums, int at, Sums sum)
{
  StxSatdpRow *row = &c->row[at];
  int *weight = sums == GROUND_X ? &row->ground_w : &row->object_w;
  int64_t *second = sums == GROUND_X ? &row->ground_x : &row->object_d;
  if (sums == GROUND_X || sums == OBJECT_D) {
    *weight = (int32_t)sum.a;
    second[0] = (int64_t)sum.b;
    second[1] = (int64_t)sum.c;
  } else if (sums == SKY_D) {
    row->weight = (int32_t)sum.a;
    row->sky_dd = (int64_t)sum.c;
  } else {
    int64_t *first = sums == GROUND_D ? &row->ground_d : &c->slant[at].x;
    first[0] = (int64_t)sum.a;
    first[1] = (int64_t)sum.b;
    first[2] = (int64_t)sum.c;
  }
}

STX_DEVICE void sum_depth(const Column *c, int sums)
{
  Sums carry = {0, 0, 0};
  int rows = 1;
  Road road = {c->tables->ground_slope, stx_column_horizon(c->tables, c->column),
      stx_drop_cells(c->tables, c->column)};
  if (c->lane == 0)
    store_depth(c, sums, 0, carry);
#pragma unroll 1
  for (int base = 0; base < c->args->cells; base += LANES) {
    int u = base + c->lane;
    Terms terms = depth_terms(c, sums, cell_or_last(c, u), road);
    Sums sum = {scan_words(sums, terms.a, c->lane, &carry.a), scan_on(terms.b, c->lane, &carry.b),
        scan_on(terms.c, c->lane, &carry.c)};
    int row = row_of(c, u + 1, &rows);
    if (row >= 0)
      store_depth(c, sums, row, sum);
  }
}

/* The fields of a row that are not sums. The largest disparity above comes from the top down. */
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
    int at = row_from_above(c, u, &above);
    StxSatdpRow *row = &c->row[at];
    if (at >= 0) {
      row->cut = __ldg(&c->tables->cut[u]);
      row->boundary = (uint16_t)u;
      row->rest = (uint16_t)value;
    }
    largest = __shfl_sync(STX_FULL_WARP, value, LANES - 1);
  }
}

/* ---- Classes ------------------------------------------------------------------------------ */

/* The start of a row's quads of a kind. Kinds have separate tables, so that reading one does not
 * load the others into the cache. */
STX_DEVICE int quads_at(const Column *c, int kind, int row)
{
  return c->args->table[kind] + row * c->args->quads[kind];
}

/* The place of the costs of class i of args->class_id: first_cell. */
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

/* The next known disparity above each lane's cell, of 32 from the top down; `next` is the one above
 * all of them, and carried on. */
STX_DEVICE uint32_t known_above(const Column *c, uint32_t disparity, uint32_t *next)
{
  unsigned known = __ballot_sync(STX_FULL_WARP, disparity != STX_DISPARITY_UNKNOWN);
  unsigned higher = known & ((1u << c->lane) - 1);
  uint32_t near = __shfl_sync(STX_FULL_WARP, disparity, 31 - __clz((int)(higher | 1)));
  uint32_t last = __shfl_sync(STX_FULL_WARP, disparity, 31 - __clz((int)(known | 1)));
  uint32_t above = higher != 0 ? near : *next;
  *next = known != 0 ? last : *next;
  return above;
}

/* Energy of a cell that every stixel of the kind pays for it, whatever its plane and class. */
STX_DEVICE uint32_t fixed_energy(const Column *c, int kind, int u, int drop, uint32_t above)
{
  const StxSatdpTables *t = c->tables;
  int v = stx_road_cell(t, drop, u);
  uint32_t disparity = load_cell(c, 0, u);
  int energy = stx_cell_energy(t, kind, v, disparity, load_cell(c, 1, u), above);
  if (c->args->params.prior != NULL)
    energy += stx_prior_energy(t, kind, load_prior(c, u));
  if (kind == GROUND)
    energy += stx_off_road(disparity, __ldg(&t->road_low[v]), __ldg(&t->road_high[v]), t->off_road);
  if (kind == GROUND)
    energy += __ldg(&t->horizon_ground[v + 1]) - __ldg(&t->horizon_ground[v]);
  if (kind == SKY)
    energy += __ldg(&t->horizon_sky[v + 1]) - __ldg(&t->horizon_sky[v]);
  if (u == 0)
    energy += kind == OBJECT ? stx_first_object(t, disparity) : kind == SKY ? t->first_sky : 0;
  return (uint32_t)energy;
}

/* Adds up from the top, since an unknown cell asks what is known above it; then turns the sums
 * above each boundary into those below. */
STX_DEVICE void sum_lower(const Column *c, int kind)
{
  uint32_t fixed_sum = 0, lower_sum = 0, next = STX_DISPARITY_UNKNOWN;
  int rows = count_rows(c), drop = stx_drop_cells(c->tables, c->column), last = c->args->cells - 1;
#pragma unroll 1
  for (int base = 0, above = rows; base <= last + 1; base += LANES) {
    int u = last + 1 - base - c->lane, cell = min(max(u, 0), last); /* as in find_rest */
    bool inside = u == cell;
    uint32_t disparity = inside ? load_cell(c, 0, cell) : STX_DISPARITY_UNKNOWN;
    uint32_t fixed = fixed_energy(c, kind, cell, drop, known_above(c, disparity, &next));
    uint32_t lower = fixed + least_energy(c, kind, cell);
    uint32_t sfixed = scan_on(inside ? fixed : 0, c->lane, &fixed_sum);
    uint32_t slower = scan_on(inside ? lower : 0, c->lane, &lower_sum);
    int row = row_from_above(c, u, &above);
    if (row >= 0) {
      c->row[row].fixed[kind] = sfixed;
      c->row[row].lower[kind] = slower;
    }
  }
  __syncwarp();
#pragma unroll 1
  for (int row = c->lane; row < rows; row += LANES) {
    c->row[row].fixed[kind] = fixed_sum - c->row[row].fixed[kind];
    c->row[row].lower[kind] = lower_sum - c->row[row].lower[kind];
  }
}

/* ---- All of it ---------------------------------------------------------------------------- */

/* Below the image lies an unknown object of energy −C, on which anything may stand. */
STX_DEVICE void clear_bottom(const Column *c)
{
  StxSatdpRow *row = &c->row[0];
  c->constants->prior = stx_ground_prior(c->tables, c->column);
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
