/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp on the GPU: a block's column, and how it comes in. The disparities lie in shared memory after
 * the median, and the kept cells are bits.
 */
#pragma once

#include "cuda/rdp/rdp_args.h"

enum { LANES = 32, VECTOR = 8 /* cells in 16 bytes */ };

typedef struct {
  const StxRdpArgs *args;
  int column, rows, epsilon;
  StxRdpShared *shared;
  uint32_t *bits, *sums, *largest, *lists;
  uint16_t *cells;
  StxRdpMark *marks;
} Column;

/* `high`: all but the disparities and the bits lies in scratch. Where the compiler knows which it
 * is, it need not ask at every access what kind of memory that is. */
STX_DEVICE Column new_column(const StxRdpArgs *a, char *shared, bool high)
{
  Column c;
  const StxRdpLayout *at = &a->layout;
  char *work = high ? a->memory + (size_t)at->scratch * blockIdx.x : shared;
  c.args = a;
  c.column = 0;
  c.rows = a->rows;
  c.epsilon = a->epsilon;
  c.shared = (StxRdpShared *)shared;
  c.bits = (uint32_t *)(shared + at->bits);
  c.cells = (uint16_t *)(shared + at->cells);
  c.sums = (uint32_t *)(shared + at->sums);
  c.largest = (uint32_t *)(work + at->largest);
  c.marks = (StxRdpMark *)(work + at->marks);
  c.lists = (uint32_t *)(work + at->lists);
  return c;
}

STX_DEVICE const uint16_t *column_disparities(const Column *c)
{
  return c->args->cells + (size_t)c->column * c->rows;
}

STX_DEVICE const uint16_t *column_weights(const Column *c)
{
  return column_disparities(c) + (size_t)c->args->columns * c->rows;
}

STX_DEVICE void keep(const Column *c, uint32_t cell)
{
  atomicOr(&c->bits[cell / 32], 1u << cell % 32);
}

STX_DEVICE int vectors_of(int rows)
{
  return (rows + VECTOR - 1) / VECTOR;
}

/* Eight cells of a column in memory, from a multiple of eight on; 0 beyond its end. */
STX_DEVICE void load_vector(const uint16_t *cells, int rows, int first, uint32_t *pairs)
{
  if (rows % VECTOR == 0) {
    uint4 v = __ldg((const uint4 *)(cells + first));
    pairs[0] = v.x, pairs[1] = v.y, pairs[2] = v.z, pairs[3] = v.w;
    return;
  }
#pragma unroll
  for (int k = 0; k < VECTOR / 2; k++) {
    int i = first + 2 * k;
    uint32_t low = i < rows ? __ldg(cells + i) : 0, high = i + 1 < rows ? __ldg(cells + i + 1) : 0;
    pairs[k] = low | high << 16;
  }
}

/* ---- Median ------------------------------------------------------------------------------- */

/* The smaller half of the window comes to its front; what is unknown counts as infinite. */
template <int width> STX_DEVICE uint16_t median_at(const uint16_t *cells, int rows, int i)
{
  const int infinite = 65536;
  int sorted[width], known = 0;
#pragma unroll
  for (int k = 0; k < width; k++) {
    int at = i + k - width / 2;
    int value = at >= 0 && at < rows ? cells[at] : STX_DISPARITY_UNKNOWN;
    known += value != STX_DISPARITY_UNKNOWN;
    sorted[k] = value != STX_DISPARITY_UNKNOWN ? value : infinite;
  }
#pragma unroll
  for (int k = 0; k <= width / 2; k++)
#pragma unroll
    for (int j = width - 1; j > k; j--) {
      int low = min(sorted[j - 1], sorted[j]), high = max(sorted[j - 1], sorted[j]);
      sorted[j - 1] = low;
      sorted[j] = high;
    }
  int median = sorted[0];
#pragma unroll
  for (int k = 1; k <= width / 2; k++)
    median = known > 2 * k ? sorted[k] : median;
  return (uint16_t)median;
}

/* Beyond the last row, up to a multiple of eight, nothing is known. */
template <int width> STX_DEVICE void filter(const uint16_t *from, uint16_t *to, int rows)
{
  for (int i = threadIdx.x; i < vectors_of(rows) * VECTOR; i += blockDim.x)
    to[i] =
        from[i] == STX_DISPARITY_UNKNOWN ? STX_DISPARITY_UNKNOWN : median_at<width>(from, rows, i);
}

/* ---- Input -------------------------------------------------------------------------------- */

/* Unknown ends take the nearest known disparity. Rare, so it may take its time. */
STX_DEVICE void mend_ends(const Column *c)
{
  int end = c->rows - 1;
  bool mend = c->cells[0] == STX_DISPARITY_UNKNOWN || c->cells[end] == STX_DISPARITY_UNKNOWN;
  if (!mend)
    return;
  if (threadIdx.x == 0) {
    c->shared->known[0] = end;
    c->shared->known[1] = 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i <= end; i += blockDim.x)
    if (c->cells[i] != STX_DISPARITY_UNKNOWN) {
      atomicMin(&c->shared->known[0], i);
      atomicMax(&c->shared->known[1], i);
    }
  __syncthreads();
  if (threadIdx.x == 0) {
    uint16_t first = c->cells[c->shared->known[0]], last = c->cells[c->shared->known[1]];
    if (c->cells[0] == STX_DISPARITY_UNKNOWN)
      c->cells[0] = first;
    if (c->cells[end] == STX_DISPARITY_UNKNOWN)
      c->cells[end] = last;
  }
  __syncthreads();
}

/* The weights of eight cells. */
STX_DEVICE uint32_t add_weights(const uint32_t *pairs)
{
  uint32_t sum = 0;
#pragma unroll
  for (int k = 0; k < VECTOR / 2; k++)
    sum += (pairs[k] & 0xffff) + (pairs[k] >> 16);
  return sum;
}

STX_DEVICE int count_unknown(const uint32_t *pairs)
{
  int unknown = 0;
#pragma unroll
  for (int k = 0; k < VECTOR / 2; k++) {
    unknown += (pairs[k] & 0xffff) == STX_DISPARITY_UNKNOWN;
    unknown += pairs[k] >> 16 == STX_DISPARITY_UNKNOWN;
  }
  return unknown;
}

/* All vectors of a thread's share, `at_once` of them under way together with their weights, which
 * wait for nothing here and would be waited for at the end. Returns how many cells are unknown. */
template <int at_once> STX_DEVICE int load_vectors(const Column *c, uint16_t *to)
{
  const uint16_t *cells = column_disparities(c), *weights = column_weights(c);
  int unknown = 0, step = VECTOR * blockDim.x;
  bool weighted = c->args->segments != NULL;
  for (int first = VECTOR * threadIdx.x; first < c->rows; first += at_once * step) {
    uint32_t cell[at_once][VECTOR / 2] = {}, weight[at_once][VECTOR / 2] = {};
#pragma unroll
    for (int k = 0; k < at_once; k++)
      if (first + k * step < c->rows) {
        load_vector(cells, c->rows, first + k * step, cell[k]);
        if (weighted)
          load_vector(weights, c->rows, first + k * step, weight[k]);
      }
#pragma unroll
    for (int k = 0; k < at_once; k++)
      if (first + k * step < c->rows) {
        int i = first + k * step;
        *(uint4 *)(to + i) = make_uint4(cell[k][0], cell[k][1], cell[k][2], cell[k][3]);
        unknown += count_unknown(cell[k]);
        c->sums[i / VECTOR] = add_weights(weight[k]);
      }
  }
  return unknown;
}

/* The column as it is in memory goes to `to`, with zeros up to a multiple of eight; counts its
 * unknown cells, and takes those zeros away again. Vectors that are not aligned are loaded cell by
 * cell, and so singly. */
STX_DEVICE void load_cells(const Column *c, uint16_t *to)
{
  int unknown = threadIdx.x == 0 ? c->rows - vectors_of(c->rows) * VECTOR : 0;
  unknown += c->rows % VECTOR == 0 ? load_vectors<2>(c, to) : load_vectors<1>(c, to);
  if (unknown != 0)
    atomicAdd(&c->shared->unknown, (uint32_t)unknown); /* modulo 2^32 while they come together */
}

/* Fills cells and the bits of both ends, and empties the lists; ends with a barrier. */
STX_DEVICE void load_column(const Column *c)
{
  int median = c->args->median, end = c->rows - 1;
  uint16_t *raw = median == 0 ? c->cells : (uint16_t *)c->largest;
  uint32_t *padding = (uint32_t *)(c->cells + vectors_of(c->rows) * VECTOR);
  for (int i = threadIdx.x; i <= end / 32; i += blockDim.x)
    c->bits[i] = (i == 0) | (i == end / 32 ? 1u << end % 32 : 0);
  for (int i = threadIdx.x; i < STX_RDP_PADDING / 2; i += blockDim.x)
    padding[i] = 0;
  if (threadIdx.x == 0)
    c->shared->unknown = 0;
  if (threadIdx.x < 6)
    (&c->shared->open[0][0])[threadIdx.x] = 0;
  __syncthreads();
  load_cells(c, raw);
  __syncthreads();
  if (median != 0) {
    if (median == 3)
      filter<3>(raw, c->cells, c->rows);
    else if (median == 5)
      filter<5>(raw, c->cells, c->rows);
    else
      filter<7>(raw, c->cells, c->rows);
    __syncthreads();
  }
  mend_ends(c);
}
