/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU: a block works off its columns, one after the other; see satdp.cu. fulldp.cu has
 * a recurrence of its own in it.
 */
#pragma once

#include "cuda/driver/ordered.cuh"
#include "cuda/satdp/satdp_column.cuh"

/*
 * satdp on the GPU, last part: backtracking (paper §4.5).
 *
 * One thread follows the links from the top and notes where each stixel ends; then every stixel
 * has a thread, which takes its sums from the tables that the recurrence used.
 *
 * Records go where they stay at once: a column adds up what all before it have counted. Rejected: a
 * second kernel that moves them together, which costs a launch, records written and read once more,
 * and a column's worth of scratch for each; the last block moving them, with one multiprocessor's
 * bandwidth, while all others are idle.
 */

enum { VT_BITS = 10 }; /* of a note: the last row; above them the kind */

/* The kind of the topmost stixel: ties to ground, object, sky. */
STX_DEVICE int top_kind(const Column *c)
{
  const int64_t *key = c->row[c->rows].key;
  int64_t least = min(
      min(offer_of(key[GROUND], GROUND), offer_of(key[OBJECT], OBJECT)), offer_of(key[SKY], SKY));
  return (int)(least & LINK_MASK);
}

/* The segment of the kind that ends at row vt; *below: the kind of the one below it. */
STX_DEVICE StxSegment trace_segment(const Column *c, int kind, int vt, int *below)
{
  int64_t key = c->row[vt + 1].key[kind], energy = energy_of(key);
  int vb = start_of(key);
  *below = vb == 0 ? (int)STX_BELOW_NONE : (int)(key & 3);
  if (vb > 0)
    energy -= energy_of(c->row[vb].key[*below]);
  StxSegment segment = {vb, vt, (StxKind)(STX_KIND_GROUND + kind), energy};
  return segment;
}

/* Notes the stixels from the top down, where start rows are not needed any more; returns how
 * many. */
STX_DEVICE int note_stixels(const Column *c)
{
  uint16_t *notes = c->lists;
  int count = 0, below, kind = top_kind(c);
#pragma unroll 1
  for (int vt = c->rows - 1; vt >= 0; kind = below) {
    notes[count++] = (uint16_t)(kind << VT_BITS | vt);
    vt = trace_segment(c, kind, vt, &below).vb - 1;
  }
  return count;
}

/* The sums from which stx_make_stixel makes the record. */
STX_DEVICE StxSegmentSums sums_of(const Column *c, const StxSegment *segment)
{
  int vb = segment->vb, k = segment->vt;
  StxSegmentSums sums = {0, 0, 0, 0, 0, 0, 0};
  if (segment->kind == STX_KIND_OBJECT)
    sums = object_sums(c, vb, k);
  else if (segment->kind == STX_KIND_GROUND)
    sums = ground_sums(c, vb, k);
  sums.weight = c->row[k + 1].weight - c->row[vb].weight;
  return sums;
}

/* A kind's classes are in rising order: the first of the least is the smallest. */
STX_DEVICE int label_of(const Column *c, const StxSegment *segment)
{
  int kind = segment->kind - STX_KIND_GROUND, begin = c->args->class_begin[kind];
  int count = c->args->class_begin[kind + 1] - begin;
  bool has_table = c->args->quads[kind] > 0;
  int best = 0, least = INT32_MAX;
  const int *hi = (const int *)(c->classes + quads_at(c, kind, segment->vt + 1));
  const int *lo = (const int *)(c->classes + quads_at(c, kind, segment->vb));
#pragma unroll 1
  for (int i = 0; has_table && i < count; i++)
    if (hi[i] - lo[i] < least) {
      least = hi[i] - lo[i];
      best = i;
    }
  return count > 0 ? c->args->class_id[begin + best] : STX_LABEL_NONE;
}

/* The segment as it lies in the image: rows turned into cells. */
STX_DEVICE StxSegment cells_of(const Column *c, const StxSegment *segment)
{
  StxSegment cells = *segment;
  cells.vb = c->row[segment->vb].boundary;
  cells.vt = c->row[segment->vt + 1].boundary - 1;
  return cells;
}

/* The record of stixel i, counted from the top. */
STX_DEVICE StxStixel make_record(const Column *c, int i)
{
  int below, note = c->lists[i], kind = note >> VT_BITS, vt = note & ((1 << VT_BITS) - 1);
  StxSegment segment = trace_segment(c, kind, vt, &below);
  StxSegment cells = cells_of(c, &segment);
  StxSegmentSums sums = sums_of(c, &segment);
  StxStixel stixel = stx_make_stixel(&c->args->params.grid, c->tables, c->column, &cells, &sums, 0);
  if (SLANTED)
    stx_slant_stixel(&c->args->params.grid, c->tables, &sums, &stixel);
  stixel.label = (uint8_t)label_of(c, &segment); /* last: it would only occupy a register */
  return stixel;
}

STX_DEVICE void write_records(const Column *c)
{
#pragma unroll 1
  for (uint32_t base = 0; base < c->counts->records; base += WARPS * LANES) {
    uint32_t i = base + threadIdx.x;
    __syncwarp(); /* what the block knows need not stay in registers */
    if (i >= c->counts->records)
      continue;
    StxStixel stixel = make_record(c, (int)i);
    c->args->stixels[c->counts->first + c->counts->records - 1 - i] = stixel;
  }
}

/* By all threads, when the records of the column are written: between barriers, no two threads
 * write to one field, or read what another one writes. make_record has no registers left for the
 * feet. */
STX_DEVICE void settle_feet(const Column *c)
{
  StxStixel *stixels = c->args->stixels + c->counts->first;
  for (uint32_t i = threadIdx.x; i < c->counts->records; i += WARPS * LANES)
    stx_refuse_foot(&c->args->params.grid, c->tables, &stixels[i]);
  __syncthreads();
  for (uint32_t i = threadIdx.x; i + 1 < c->counts->records; i += WARPS * LANES)
    stx_settle_foot(&c->args->params.grid, &stixels[i], &stixels[i + 1]);
}

/* ---- Where the records go ------------------------------------------------------------------- */

/* Data terms and records of all columns share a word: below 2^36 and, as there are cells, 2^26. */
enum { RECORD_BITS = 26 };

/* The last column to come has the result. By one thread. */
STX_DEVICE void add_to_result(const Column *c)
{
  StxSatdpTurns *turns = c->args->turns;
  uint64_t own = (uint64_t)c->counts->evaluated << RECORD_BITS | c->counts->records;
  atomicAdd(&turns->sums, (unsigned long long)own);
  if (!is_last_turn(&turns->order, (uint32_t)c->args->column_count))
    return;
  uint64_t all = turns->sums;
  StxSatdpResult result = {all >> RECORD_BITS, (uint32_t)all & ((1u << RECORD_BITS) - 1), 0};
  *c->args->result = result;
}

/* The column's records, the lowest first, behind those of the columns before. All threads. */
STX_DEVICE void backtrack(const Column *c, uint32_t evaluated)
{
  StxSatdpCounts *counts = c->counts;
  evaluated = warp_sum_of_words(evaluated);
  if (threadIdx.x % LANES == 0)
    atomicAdd(&counts->evaluated, evaluated);
  if (threadIdx.x == 0) {
    counts->records = (uint32_t)note_stixels(c);
    publish_count(&c->args->turns->order, counts->column, counts->records);
  }
  __syncthreads();
  if (threadIdx.x < LANES) {
    uint32_t before = count_before(&c->args->turns->order, counts->column, counts->records);
    if (threadIdx.x == 0)
      counts->first = before;
  } else if (threadIdx.x == LANES) {
    add_to_result(c);
  }
  __syncthreads();
  write_records(c);
  __syncthreads();
  settle_feet(c);
}

/* The recurrence, from the tables to energies and links; adds to `evaluated`. */
STX_DEVICE void solve_column(const Column *c, uint32_t *evaluated);

/* Warps have other parts in every block, so that the recurrences of the blocks of a multiprocessor
 * are not all in the same quarter of it: it does not matter whether the blocks that share one have
 * neighbouring numbers or numbers that differ by the number of multiprocessors. The shuffle tells
 * the compiler that a warp's lanes agree. */
STX_DEVICE int warp_number(const StxSatdpColumnsArgs *a)
{
  int turn = (int)(blockIdx.x / a->processors + blockIdx.x % a->processors);
  return __shfl_sync(STX_FULL_WARP, ((int)threadIdx.x / LANES + turn) & (WARPS - 1), 0);
}

/* `slant` is not looked at unless SLANTED. */
STX_DEVICE Column new_column(
    const StxSatdpColumnsArgs *a, char *shared, StxSatdpRow *row, StxSatdpSlant *slant)
{
  Column c;
  const StxSatdpLayout *at = &a->layout;
  c.args = a;
  c.tables = a->tables;
  c.column = 0;
  c.rows = a->cells;
  c.warp = warp_number(a);
  c.lane = threadIdx.x % LANES;
  c.has_ground = a->has_ground;
  StxSatdpShared *first = (StxSatdpShared *)shared;
  c.terms = first->terms;
  c.partial = first->partial;
  c.counts = &first->counts;
  c.constants = &first->counts.constants;
  c.lists = (uint16_t *)(shared + at->lists);
  c.row = row;
  c.slant = slant;
  size_t classes = (size_t)a->table_size;
  c.classes = a->classes == NULL ? (int4 *)(shared + at->classes)
                                 : (int4 *)a->classes + classes * blockIdx.x;
  return c;
}

/* The pair of a lane that computes the terms of a tile: satdp_dp.cuh. */
STX_DEVICE void store_pair(const Column *c, int lane)
{
  int i = 1, left = lane;
#pragma unroll 1
  for (; i < TILE && left >= TILE - i; i++)
    left -= TILE - i;
  c->counts->pair[lane] = (uint8_t)(i < TILE ? i * TILE + i + left : 0);
}

/* Constants by the thread that reads them first, in clear_bottom. */
STX_DEVICE void store_constants(const Column *c)
{
  if (threadIdx.x < LANES)
    store_pair(c, threadIdx.x);
  if (threadIdx.x != 0)
    return;
  *c->constants = constants_of(c->tables);
#pragma unroll 1
  for (int kind = 0; kind < KINDS; kind++)
    c->counts->rule[kind] = rule_of(c->constants, kind);
}

/* Columns are taken in the order in which blocks get to it, whatever their numbers are: backtrack
 * waits for the columns before, which must have begun. False: there is none left. Until take_turn's
 * barrier nothing of the last column's is written but its turn, at which all have looked before
 * backtrack's last barrier. */
STX_DEVICE bool take_column(Column *c)
{
  int turn = (int)take_turn(&c->args->turns->order, &c->counts->column);
  c->column = __shfl_sync(STX_FULL_WARP, turn, 0); /* as in warp_number */
  return c->column < c->args->column_count;
}

STX_DEVICE void solve_columns(
    const StxSatdpColumnsArgs *a, char *shared, StxSatdpRow *row, StxSatdpSlant *slant)
{
  Column c = new_column(a, shared, row, slant);
  store_constants(&c);
#pragma unroll 1
  while (take_column(&c)) {
    uint32_t evaluated = 0;
    build_tables(&c);
    __syncthreads();
    if (a->starts != NULL)
      c.rows = c.counts->rows;
    solve_column(&c, &evaluated);
    backtrack(&c, evaluated);
    if (gridDim.x >= (unsigned)a->column_count)
      return; /* every block has a column */
  }
}

/* Four blocks of eight warps to a multiprocessor leave 64 registers per thread, which is what
 * bounds of 1024 threads make the compiler keep to. */
enum { COLUMN_THREADS = WARPS * LANES, COLUMN_BOUNDS = 1024 };

/* Solvers with the rows in shared memory, and in scratch. */
STX_DEVICE void solve_in_shared(const StxSatdpColumnsArgs *a, char *shared)
{
  solve_columns(a, shared, (StxSatdpRow *)(shared + sizeof(StxSatdpShared)),
      (StxSatdpSlant *)(shared + a->layout.slants));
}

STX_DEVICE void solve_in_scratch(const StxSatdpColumnsArgs *a, char *shared)
{
  size_t first = (stx_grid_rows(&a->params.grid) + 1) * (size_t)blockIdx.x;
  solve_columns(a, shared, a->rows + first, a->slants + first);
}
