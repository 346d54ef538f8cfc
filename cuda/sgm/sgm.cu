/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Semi-global matching on the GPU, see common/sgm/sgm.h. Kernels, each explained where it is:
 *
 *   census   words of both images, the texture check
 *   paths    L_r along all lines, summed up in volumes of one byte per pixel and candidate: all of
 *            four paths in one launch, eight in two
 *   winner   S, the winners of both views, checks, vertex, confidence
 *   finish   left-right check, median, output
 *   border   what the right camera does not see
 *   depth    millimetres in place of disparities, if they are wanted
 *
 * The sky, found before the border, is in sgm_sky.cu.
 *
 * paths and winner exist for 64, 128 and 256 disparities.
 *
 * A model of its cost with search=full, at 1242 × 375 × 128 on an H200 (132 multiprocessors at 1.98
 * GHz, 4.8 TB/s, of which 4.2 can be had); read out of the machine code of sm_90 and not measured:
 * tests/sass/model.py. V is a volume, 60 MB.
 *
 *                                        four paths                  eight paths
 *   paths    steps of warps, 41 cycles   1.86 million: 81 µs         3.73 million: 162 µs
 *            of a scheduler each
 *            the longest line, 1242      77 µs                       77 µs
 *            steps of 123 cycles
 *            bytes, meanwhile            6 V: 86 µs                  12 V: 172 µs
 *   winner   a scheduler's cycles        466 000 pixels · 51: 25 µs  · 68: 33 µs
 *            bytes, meanwhile            2 V: 29 µs                  4 V: 57 µs
 *   others, and what is between them     45 µs                       45 µs
 *
 * A volume is written once and added to once, and read by the winner, 4 V for each; the same as if
 * each path had a volume of its own, in half the memory. Counts of ones alone, four to a step and a
 * cycle for four lanes, are 57 µs of the first line.
 *
 * Rejected, on paper
 *   - The last path and the winner in one kernel: saves 2 V, but only lines along the rows see the
 *     right view's diagonals, and 375 warps do not hide their latency. Better where the memory is
 *     slow and the processors few.
 *   - Columns that meet in shared memory, 48 KB each: saves 2 V of the paths' 6. But then blocks of
 *     rows and of columns have to share a multiprocessor in fixed parts, or it has too few warps.
 *   - Costs in a volume of their own: 1 V written and 4 or 8 V read, where the bytes are the bound.
 *   - Four costs to a word: a minimum of bytes takes six instructions. Two take one from sm_90 on.
 */
#include "cuda/driver/gpu.cuh"

#include "common/sgm/sgm_border.h"
#include "common/sgm/sgm_depth_math.h"
#include "common/sgm/sgm_math.h"
#include "cuda/driver/threads.cuh"
#include "cuda/sgm/sgm_args.h"
#include "cuda/sgm/sgm_census.cuh"
#include "cuda/sgm/sgm_paths.cuh"
#include "cuda/sgm/sgm_winner.cuh"

/*
 * The left-right check, the median, and the output.
 *
 * A thread owns a pixel of a tile of 32 × 8. The tile's values and those of a margin of one pixel,
 * after the left-right check, lie in shared memory; a warp reads a row of adjacent 16-bit values:
 * no bank conflicts.
 */

enum {
  VALUES_ROWS = STX_SGM_FINISH_ROWS + 2,
  VALUES_COLUMNS = STX_SGM_LANES + 2,
};

/* The value of a pixel inside the image before the median. */
STX_DEVICE uint16_t checked_value(const StxSgmFinishArgs *a, int x, int y)
{
  const uint32_t *row = a->records + (size_t)y * a->width;
  const uint32_t record = row[x];
  if (record == 0 || a->lr_max_diff < 0)
    return (uint16_t)record;
  const int d = (int)(record >> 16 & 255);
  const int other = (int)(a->right_best[(size_t)y * a->width + x - d] & 255);
  return abs(d - other) <= a->lr_max_diff ? (uint16_t)record : STX_DISPARITY_UNKNOWN;
}

STX_DEVICE void load_values(
    const StxSgmFinishArgs *a, int left, int top, uint16_t (*values)[VALUES_COLUMNS])
{
  const int thread = threadIdx.y * STX_SGM_LANES + threadIdx.x;
  for (int i = thread; i < VALUES_ROWS * VALUES_COLUMNS; i += STX_SGM_LANES * STX_SGM_FINISH_ROWS) {
    const int column = i % VALUES_COLUMNS, row = i / VALUES_COLUMNS;
    const int x = min(max(left + column - 1, 0), a->width - 1);
    const int y = min(max(top + row - 1, 0), a->height - 1);
    values[row][column] = checked_value(a, x, y);
  }
}

STX_DEVICE void finish_tile(const StxSgmFinishArgs *a, uint16_t (*values)[VALUES_COLUMNS])
{
  const int left = blockIdx.x * STX_SGM_LANES, x = left + (int)threadIdx.x;
  const int top = blockIdx.y * STX_SGM_FINISH_ROWS, y = top + (int)threadIdx.y;
  load_values(a, left, top, values);
  __syncthreads();
  if (x >= a->width || y >= a->height)
    return;

  const uint16_t *p = &values[threadIdx.y][threadIdx.x], *q = p + VALUES_COLUMNS;
  const uint16_t *r = q + VALUES_COLUMNS, own = q[1];
  uint16_t value = own;
  if (a->median)
    value = stx_sgm_median9(p[0], p[1], p[2], q[0], own, q[2], r[0], r[1], r[2]);
  *stx_sgm_disparity_at(&a->maps, x, y) = value;
  if (a->maps.confidence == NULL)
    return;
  const bool known = own != STX_DISPARITY_UNKNOWN && value != STX_DISPARITY_UNKNOWN;
  const uint32_t record = a->records[(size_t)y * a->width + x];
  *stx_sgm_confidence_at(&a->maps, x, y) = known ? (uint8_t)(record >> 24) : 0;
}

/*
 * Makes unknown what the right camera does not see (common/sgm/sgm_border.h). A warp owns a row and
 * walks along it, a window at a time; a lane looks at the window that begins at its column.
 */

/* Which of the columns from `x` on, one per lane, are known. */
STX_DEVICE uint32_t known_columns(const StxSgmBorderArgs *a, const uint16_t *row, int x)
{
  return __ballot_sync(STX_FULL_WARP, x < a->width && row[x] != STX_DISPARITY_UNKNOWN);
}

/* The first column that is seen, or −1. */
STX_DEVICE int first_seen(const StxSgmBorderArgs *a, const uint16_t *row, int lane)
{
  uint32_t low = known_columns(a, row, lane);
  for (int base = 0; base < a->max_disparity && base + STX_SGM_LANES <= a->width;
       base += STX_SGM_LANES) {
    const int x = base + lane;
    const uint32_t high = known_columns(a, row, x + STX_SGM_LANES);
    const uint32_t window = __funnelshift_r(low, high, lane);
    const bool seen = __popc(window) >= STX_SGM_BORDER_KNOWN && x < a->max_disparity &&
                      x + STX_SGM_BORDER_WINDOW <= a->width;
    const uint32_t all = __ballot_sync(STX_FULL_WARP, seen);
    const int first = __ffs(all) - 1;
    if (all != 0)
      return base + first + __ffs(__funnelshift_r(low, high, first)) - 1;
    low = high;
  }
  return -1;
}

STX_DEVICE void clear_border(const StxSgmBorderArgs *a)
{
  const int lane = threadIdx.x, y = blockIdx.x * STX_SGM_BORDER_ROWS + threadIdx.y;
  if (y >= a->height)
    return;
  uint16_t *row = stx_sgm_disparity_at(&a->maps, 0, y);
  uint8_t *confidence = a->maps.confidence == NULL ? NULL : stx_sgm_confidence_at(&a->maps, 0, y);
  const int seen = first_seen(a, row, lane);
  const int strip = seen >= 0                           ? min(seen, stx_sgm_rounded(row[seen]))
                    : a->width >= STX_SGM_BORDER_WINDOW ? STX_SGM_BORDER_WINDOW
                                                        : 0;
  for (int x = lane; x < strip; x += STX_SGM_LANES) {
    if (row[x] != STX_DISPARITY_UNKNOWN && confidence != NULL)
      confidence[x] = 0;
    row[x] = STX_DISPARITY_UNKNOWN;
  }
}

/* Depths in place of disparities, common/sgm/sgm_depth.h. A thread owns a pixel. */

STX_DEVICE void convert_pixel(const StxSgmDepthArgs *a, int x, int y)
{
  uint16_t *at = stx_sgm_disparity_at(&a->maps, x, y);
  const uint16_t value = *at, depth = stx_sgm_depth_of(a->scale, value);
  if (value == STX_DISPARITY_UNKNOWN)
    return;
  *at = depth;
  if (depth == STX_DISPARITY_UNKNOWN && a->maps.confidence != NULL)
    *stx_sgm_confidence_at(&a->maps, x, y) = 0;
}

STX_KERNEL(stx_sgm_census, StxSgmCensusArgs, STX_SGM_LANES *STX_SGM_CENSUS_ROWS)
{
  STX_SHARED_2D(uint32_t, tile, TILE_ROWS, TILE_COLUMNS / 4);
  STX_SHARED_2D(uint4, words, STX_SGM_CENSUS_ROWS, STX_SGM_LANES);
  census_tile(&a, tile, words);
}

#define PATHS_KERNEL(name, K)                                                                      \
  STX_KERNEL(name, StxSgmPathsArgs, 2 * STX_SGM_BLOCK_LINES * STX_SGM_LANES)                       \
  {                                                                                                \
    STX_SHARED(int, task, 1);                                                                      \
    follow<K>(&a, task);                                                                           \
  }
PATHS_KERNEL(stx_sgm_paths_64, 2)
PATHS_KERNEL(stx_sgm_paths_128, 4)
PATHS_KERNEL(stx_sgm_paths_256, 8)

#define WINNER_KERNEL(name, K)                                                                     \
  STX_KERNEL(name, StxSgmWinnerArgs, STX_SGM_WINNER_WARPS *STX_SGM_LANES)                          \
  {                                                                                                \
    find_winners<K>(&a);                                                                           \
  }
WINNER_KERNEL(stx_sgm_winner_64, 2)
WINNER_KERNEL(stx_sgm_winner_128, 4)
WINNER_KERNEL(stx_sgm_winner_256, 8)

STX_KERNEL(stx_sgm_finish, StxSgmFinishArgs, STX_SGM_FINISH_ROWS *STX_SGM_LANES)
{
  STX_SHARED_2D(uint16_t, values, VALUES_ROWS, VALUES_COLUMNS);
  finish_tile(&a, values);
}

STX_KERNEL(stx_sgm_border, StxSgmBorderArgs, STX_SGM_BORDER_ROWS *STX_SGM_LANES)
{
  clear_border(&a);
}

STX_KERNEL(stx_sgm_depth, StxSgmDepthArgs, STX_SGM_FINISH_ROWS *STX_SGM_LANES)
{
  const int x = blockIdx.x * STX_SGM_LANES + threadIdx.x;
  const int y = blockIdx.y * STX_SGM_FINISH_ROWS + threadIdx.y;
  if (x < a.width && y < a.height)
    convert_pixel(&a, x, y);
}
