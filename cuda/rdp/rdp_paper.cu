/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp on the GPU as P. Cebrian and J. C. Moure print it, Algorithm 3: a thread per cell knows the
 * segment that its cell is in; all look at all cells in every level; the largest x of a segment
 * travels to its last cell in log n steps. With more than 1024 cells a thread has several.
 *
 * The listing does not work as printed. What differs here, with the line it concerns:
 *   19      It splits wherever argMax[last] == i, which is true of a cell whose cost is 0, so it
 *           never ends: a segment is split if its largest cost says so, and only then.
 *   21      The cell that becomes a cut keeps stale ends: it ends the segment above it, so its
 *           `last` becomes itself; `first` is right.
 *   9       It cuts at a distance of exactly epsilon, which Algorithm 1 does not.
 *   14      idx > stride is kept: with >= the maximum of the segment above would come along.
 *   13      Strides n/2, n/4, … reach every cell only if n is a power of two: they begin with half
 *           of the next one.
 *   14-16   Of equal maxima neither the first nor the last wins: cost and cell are one key here,
 *           the smaller cell the larger key. One key is also read and written at once; keys are
 *           read from one array and written to another, because the cell above may be written
 *           while it is read.
 *   4, 20   Setting the flag races with testing it at the end of the previous level: an "or" of
 *           the whole block takes its place.
 *   7, 8    The slope is a fraction; everything is multiplied by the length, and integers.
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/rdp/rdp_output.cuh"

enum { CELL_BITS = 16 };

/* The larger cost is the larger key, then the smaller cell. */
STX_DEVICE unsigned long long key_of(int cost, int cell)
{
  return (unsigned long long)cost << CELL_BITS | (0xffff - cell);
}

STX_DEVICE int key_cost(unsigned long long key)
{
  return (int)(key >> CELL_BITS);
}

STX_DEVICE int key_cell(unsigned long long key)
{
  return 0xffff - (int)(key & 0xffff);
}

/* The cost of a cell against its segment; kept cells are the ends of theirs and have none. */
STX_DEVICE unsigned long long cost_of_cell(const Column *c, int i)
{
  int f = c->bounds[i] & 0xffff, l = c->bounds[i] >> 16, d = c->cells[i];
  int x = (d - c->cells[f]) * (l - f) - (c->cells[l] - c->cells[f]) * (i - f);
  return key_of(d == STX_DISPARITY_UNKNOWN ? 0 : abs(x), i);
}

/* Lines 13 to 17: the largest key of each segment arrives at its last cell. Returns where. */
STX_DEVICE const unsigned long long *reduce_segments(const Column *c)
{
  unsigned long long *from = c->keys, *to = c->keys + c->rows;
  int stride = 1;
  while (stride < c->rows)
    stride *= 2;
  for (stride /= 2; stride > 0; stride /= 2) {
    for (int i = threadIdx.x; i < c->rows; i += blockDim.x) {
      int index = i - (int)(c->bounds[i] & 0xffff);
      to[i] = index > stride ? max(from[i], from[i - stride]) : from[i];
    }
    __syncthreads();
    unsigned long long *swap = from;
    from = to;
    to = swap;
  }
  return from;
}

/* Lines 19 to 23 for one cell; returns whether it became a cut. */
STX_DEVICE bool narrow(const Column *c, const unsigned long long *keys, int i)
{
  int f = c->bounds[i] & 0xffff, l = c->bounds[i] >> 16;
  int cost = key_cost(keys[l]), cut = key_cell(keys[l]);
  bool split = cost > c->epsilon * (l - f);
  if (i == l && (i > 0 || c->rows == 1))
    c->largest[f] = cost;
  if (split && cut < i)
    c->bounds[i] = cut | (uint32_t)l << 16;
  else if (split)
    c->bounds[i] = f | (uint32_t)cut << 16;
  if (split && cut == i)
    keep(c, i);
  return split && cut == i;
}

/* Fills bits and largest; returns the number of levels. Ends with a barrier. */
STX_DEVICE int split_as_printed(const Column *c)
{
  int levels = 0;
  for (int i = threadIdx.x; i < c->rows; i += blockDim.x)
    c->bounds[i] = i == 0 ? 0 : (uint32_t)(c->rows - 1) << 16;
  bool split;
  do {
    split = false;
    for (int i = threadIdx.x; i < c->rows; i += blockDim.x)
      c->keys[i] = cost_of_cell(c, i);
    __syncthreads();
    const unsigned long long *keys = reduce_segments(c);
    for (int i = threadIdx.x; i < c->rows; i += blockDim.x)
      split |= narrow(c, keys, i);
    levels++;
  } while (__syncthreads_or(split));
  return levels;
}

STX_KERNEL(stx_rdp_paper, StxRdpArgs, STX_RDP_PAPER_THREADS)
{
  STX_SHARED_DYNAMIC(char, shared);
  Column c = new_column(&a, shared, a.layout.scratch != 0);
  for (bool first = true; next_column(&c, first); first = false) {
    load_column(&c);
    int levels = split_as_printed(&c);
    write_column(&c, levels);
  }
}
