/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp on the GPU: what goes out of a column whose bits and largest are filled. A thread owns some
 * bytes of bits, each of eight cells; sums over all threads before tell it the number of its first
 * kept cell and the weights above its cells. Then every kept cell has a thread, and every record.
 */
#pragma once

#include "cuda/driver/ordered.cuh"
#include "cuda/rdp/rdp_column.cuh"

/* Kept cells and their weights: those of a thread, a warp, or all threads before. */
typedef struct {
  uint32_t kept, weight;
} Sums;

/* Turns each thread's sums into those of all threads before it. */
STX_DEVICE Sums sums_before(const Column *c, Sums own)
{
  int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
  Sums sums = {warp_scan(own.kept, lane), warp_scan(own.weight, lane)};
  if (lane == LANES - 1) {
    c->shared->kept[warp] = sums.kept;
    c->shared->sum[warp] = sums.weight;
  }
  sums.kept -= own.kept;
  sums.weight -= own.weight;
  __syncthreads();
  for (int w = 0; w < warp; w++) {
    sums.kept += c->shared->kept[w];
    sums.weight += c->shared->sum[w];
  }
  return sums;
}

STX_DEVICE uint32_t byte_of_bits(const Column *c, uint32_t vector)
{
  return c->bits[vector / 4] >> vector % 4 * VECTOR & 0xff;
}

/* The weights above a cell, whose vector's sum is already that of all above the vector. Its weights
 * were read when the column came in, and are near. */
STX_DEVICE uint32_t weights_above(const Column *c, uint32_t cell)
{
  uint32_t pairs[VECTOR / 2], place = cell % VECTOR, above = c->sums[cell / VECTOR];
  load_vector(column_weights(c), c->rows, (int)(cell - place), pairs);
#pragma unroll
  for (uint32_t k = 0; k < VECTOR - 1; k++)
    if (k < place)
      above += k % 2 ? pairs[k / 2] >> 16 : pairs[k / 2] & 0xffff;
  return above;
}

/* Turns the sums of a thread's vectors into those of all above, and lists its kept cells. */
STX_DEVICE void list_kept(const Column *c, uint32_t begin, uint32_t end, Sums before)
{
  StxRdpMark *mark = c->marks + before.kept;
  for (uint32_t v = begin; v < end; v++) {
    uint32_t own = c->sums[v];
    c->sums[v] = before.weight;
    before.weight += own;
    for (uint32_t bits = byte_of_bits(c, v); bits != 0; bits &= bits - 1)
      (mark++)->cell = v * VECTOR + __ffs((int)bits) - 1;
  }
  if (begin < end && end * VECTOR >= (uint32_t)c->rows) {
    StxRdpMark behind = {(uint32_t)c->rows, before.weight};
    *mark = behind;
  }
}

/* Fills marks, which may be read after a barrier. A thread lists what is kept of its own cells;
 * then each kept cell has a thread, because mostly few are. */
STX_DEVICE void mark_kept(const Column *c, int kept)
{
  uint32_t vectors = vectors_of(c->rows), own = (vectors + blockDim.x - 1) / blockDim.x;
  uint32_t begin = min(own * threadIdx.x, vectors), end = min(begin + own, vectors);
  Sums sums = {0, 0};
  for (uint32_t v = begin; v < end; v++) {
    sums.kept += __popc(byte_of_bits(c, v));
    sums.weight += c->sums[v];
  }
  list_kept(c, begin, end, sums_before(c, sums));
  __syncthreads();
  for (int i = threadIdx.x; i < kept; i += blockDim.x)
    c->marks[i].above = weights_above(c, c->marks[i].cell);
}

/* A segment owns the cells from its mark to the next; the last one also the column's last cell,
 * which has a mark of its own. */
STX_DEVICE void write_records(const Column *c, int count)
{
  StxStixel *records = c->args->segments + c->shared->before;
  for (int s = threadIdx.x; s < count; s += blockDim.x) {
    bool last = s == count - 1;
    StxRdpMark from = c->marks[s], to = c->marks[last && c->rows > 1 ? s + 2 : s + 1];
    StxRdpSegment segment;
    segment.column = c->column;
    segment.f = (int)from.cell;
    segment.l = (int)(last ? c->rows - 1 : to.cell);
    segment.disparity_f = c->cells[segment.f];
    segment.disparity_l = c->cells[segment.l];
    segment.largest = c->largest[segment.f];
    segment.weight = to.above - from.above;
    records[count - 1 - s] = stx_rdp_record(&c->args->grid, &segment);
  }
}

/* Four cells at a time where they are aligned. */
STX_DEVICE void write_kept(const Column *c)
{
  uint8_t *kept = c->args->kept + (size_t)c->column * c->rows;
  if (((uintptr_t)c->args->kept | c->rows) % 4 == 0) {
    for (int i = threadIdx.x * 4; i < c->rows; i += blockDim.x * 4) {
      uint32_t bits = c->bits[i / 32] >> i % 32 & 15;
      ((uint32_t *)kept)[i / 4] = bits * 0x204081 & 0x1010101; /* a bit to a byte */
    }
    return;
  }
  for (int i = threadIdx.x; i < c->rows; i += blockDim.x)
    kept[i] = c->bits[i / 32] >> i % 32 & 1;
}

/* The number of kept cells; every warp counts. */
STX_DEVICE int count_kept(const Column *c)
{
  uint32_t count = 0;
  for (int i = threadIdx.x % LANES; i <= (c->rows - 1) / 32; i += LANES)
    count += __popc(c->bits[i]);
  return (int)warp_sum_of_words(count);
}

/* ---- Statistics --------------------------------------------------------------------------- */

/* By one warp: adds the column's. Four neighbouring words are one access. */
STX_DEVICE void add_statistics(const Column *c, int count, int levels)
{
  StxRdpTurns *turns = c->args->turns;
  int lane = threadIdx.x % LANES;
  uint32_t mine = lane == 0   ? (uint32_t)count
                  : lane == 1 ? c->shared->unknown
                  : lane == 2 ? (uint32_t)levels
                              : (uint32_t)levels * (uint32_t)levels; /* < 2^28 */
  if (lane < 4)
    atomicAdd(&turns->sum[lane], (unsigned long long)mine);
  if (lane == 4)
    atomicMax(&turns->deepest, (uint32_t)levels);
  __syncwarp();
}

/* Finishes the statistics in the last turn; one thread of the warp that added calls this. */
STX_DEVICE void finish_statistics(const Column *c)
{
  StxRdpTurns *turns = c->args->turns;
  if (!is_last_turn(&turns->order, (uint32_t)c->args->columns))
    return;
  StxRdpResult result = {
      turns->sum[1], turns->sum[2], turns->sum[3], turns->deepest, (uint32_t)turns->sum[0]};
  *c->args->result = result;
}

/* ---- A column ----------------------------------------------------------------------------- */

/* The block's next column; false: there is none. Mostly each block has one, and asks once. Until
 * take_turn's barrier nothing of the last column's is written but its turn, at which all have
 * looked before load_column's barriers. */
STX_DEVICE bool next_column(Column *c, bool first)
{
  if (!first && gridDim.x >= (unsigned)c->args->columns)
    return false;
  c->column = (int)take_turn(&c->args->turns->order, &c->shared->turn);
  return c->column < c->args->columns;
}

/* Its number of records is known to the columns after it before it has made them. The last warp
 * adds up while the first looks back. */
STX_DEVICE void write_column(const Column *c, int levels)
{
  bool records = c->args->segments != NULL, adds = threadIdx.x / LANES == blockDim.x / LANES - 1;
  uint32_t turn = (uint32_t)c->column, before = 0;
  int kept = count_kept(c), count = max(kept - 1, 1); /* a column of one has a segment too */
  if (records && threadIdx.x == 0)
    publish_count(&c->args->turns->order, turn, (uint32_t)count);
  if (adds)
    add_statistics(c, count, levels);
  if (c->args->kept != NULL)
    write_kept(c);
  if (records)
    mark_kept(c, kept);
  if (adds && threadIdx.x % LANES == 0)
    finish_statistics(c);
  if (!records)
    return;
  if (threadIdx.x < LANES)
    before = count_before(&c->args->turns->order, turn, (uint32_t)count);
  if (threadIdx.x == 0)
    c->shared->before = before;
  __syncthreads();
  write_records(c, count);
}
