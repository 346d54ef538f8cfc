/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The steps of egomotion that read pixels, common/egomotion/egomotion.h, on the GPU.
 *
 *   take    a warp walks along two rows: their copy, whether they are those of the frame before,
 *           the row of half the size, and the sum of its contrast
 *   look    32 × 8 pixels of half the size, four cells, with three more around in shared memory: a
 *           thread has a pixel of the relief, and its score. The best of a cell is a maximum over
 *           two warps of score and place in one word
 *   match   a warp has a corner, and goes all the way from the expected place to the exact one.
 *           Regression: a lane has four of the 121 pixels of the patch in registers, and one
 *           of the four rows of the equations. Search: a lane has two columns of places,
 *           the patch in 16 registers, and reads the picture, whose rows begin at multiples of 64
 *           bytes, by words; the costs wait in shared memory for the place of the least of all
 *
 * Few corners are searched once the motion is known, so what `match` takes is mostly the way of a
 * warp through the rounds of its regression, which depend on each other. There are as many warps as
 * corners: those of different corners fill each other's gaps.
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/driver/threads.cuh"
#include "cuda/egomotion/egomotion_args.h"

enum {
  APRON = 3, /* pixels around a tile: what relief and scores look at */
  TILE_WIDTH = STX_EGOMOTION_TILE_CELLS * EGO_CELL + 2 * APRON,
  TILE_HEIGHT = EGO_CELL + 2 * APRON,
  TILE_STRIDE = 40,
  CELL_PIXELS = EGO_CELL * EGO_CELL,
  CELL_WARPS = CELL_PIXELS / STX_EGOMOTION_LANES,
  TILE_WARPS = STX_EGOMOTION_TILE_THREADS / STX_EGOMOTION_LANES,
};

/* ---- Take ---------------------------------------------------------------------------------- */

STX_DEVICE int pixel_at(const StxImage8 *image, int x, int y)
{
  return __ldg(stx_row8(image, y) + x);
}

/* A pixel of half the size. */
STX_DEVICE int half_at(const StxImage8 *left, int x, int y)
{
  return (pixel_at(left, 2 * x, 2 * y) + pixel_at(left, 2 * x + 1, 2 * y) +
             pixel_at(left, 2 * x, 2 * y + 1) + pixel_at(left, 2 * x + 1, 2 * y + 1) + 2) >>
         2;
}

/* Copies the pixel; true if it was another one before. */
STX_DEVICE bool take_pixel(const StxEgomotionArgs *a, int x, int y)
{
  if (x >= a->left.width || y >= a->left.height)
    return false;
  const int pixel = pixel_at(&a->left, x, y);
  stx_row8(&a->full[1], y)[x] = (uint8_t)pixel;
  return a->compares && pixel_at(&a->full[0], x, y) != pixel;
}

STX_KERNEL(stx_egomotion_take, StxEgomotionArgs, STX_EGOMOTION_LANES *STX_EGOMOTION_ROWS)
{
  const int y = blockIdx.x * STX_EGOMOTION_ROWS + threadIdx.y;
  if (2 * y >= a.left.height)
    return;
  const bool halved = y < a.half.height, measured = halved && y % 4 == 2;
  bool differs = false;
  unsigned sum = 0;
  for (int x = threadIdx.x; 2 * x < a.left.width; x += STX_EGOMOTION_LANES) {
    for (int k = 0; k < 4; k++)
      differs |= take_pixel(&a, 2 * x + k % 2, 2 * y + k / 2);
    if (halved && x < a.half.width)
      stx_row8(&a.half, y)[x] = (uint8_t)half_at(&a.left, x, y);
    if (measured && x >= 1 && x < a.half.width - 1)
      sum += abs(half_at(&a.left, x + 1, y) - half_at(&a.left, x - 1, y));
  }
  differs = __any_sync(STX_FULL_WARP, differs);
  sum = warp_sum_of_words(sum);
  if (threadIdx.x != 0)
    return;
  if (differs)
    atomicOr(&a.look->differs, 1u);
  if (sum > 0)
    atomicAdd((unsigned long long *)&a.look->sum, (unsigned long long)sum);
}

/* ---- Look ---------------------------------------------------------------------------------- */

typedef struct {
  uint8_t pixel[TILE_HEIGHT][TILE_STRIDE];
  uint32_t best[TILE_WARPS];
  int contrast;
} Tile;

/* Beyond the picture, where nothing that counts is looked at, its last pixels. */
STX_DEVICE void load_tile(const StxEgomotionArgs *a, Tile *tile)
{
  const int left = blockIdx.x * STX_EGOMOTION_TILE_CELLS * EGO_CELL - APRON;
  const int top = blockIdx.y * EGO_CELL - APRON;
  for (int i = threadIdx.x; i < TILE_WIDTH * TILE_HEIGHT; i += STX_EGOMOTION_TILE_THREADS) {
    const int x = i % TILE_WIDTH, y = i / TILE_WIDTH;
    tile->pixel[y][x] = (uint8_t)pixel_at(&a->half, min(max(left + x, 0), a->half.width - 1),
        min(max(top + y, 0), a->half.height - 1));
  }
  if (threadIdx.x == 0)
    tile->contrast = ego_contrast(a->look->sum, a->half.width, a->half.height);
}

/* Pixel (x, y) of the tile. */
STX_DEVICE int relief_of(const Tile *tile, int x, int y)
{
  int sum = 0;
#pragma unroll
  for (int j = 0; j < 7; j++)
#pragma unroll
    for (int i = 0; i < 7; i++)
      sum += tile->pixel[y + j][x + i];
  return ego_relief(tile->pixel[y + APRON][x + APRON], sum, tile->contrast);
}

/* 0: it is too low. Most are, which products of integers say without a division. */
STX_DEVICE int32_t score_of(const Tile *tile, int x, int y)
{
  int a = 0, b = 0, c = 0;
#pragma unroll
  for (int j = 1; j < 6; j++)
#pragma unroll
    for (int i = 1; i < 6; i++) {
      const int across = tile->pixel[y + j][x + i + 1] - tile->pixel[y + j][x + i - 1];
      const int down = tile->pixel[y + j + 1][x + i] - tile->pixel[y + j - 1][x + i];
      a += across * across;
      b += down * down;
      c += across * down;
    }
  if ((long long)a * b - (long long)c * c < (long long)STX_EGOMOTION_TEXTURE * (a + b + 1))
    return 0;
  return ego_score(a, b, c);
}

/* ego_disparity, by all lanes of a warp: 16 have a value each. */
STX_DEVICE float disparity_at(const StxEgomotionArgs *a, double u, double v)
{
  const int i = threadIdx.x % 4, j = threadIdx.x / 4 % 4;
  EgoMean mean;
  int x, y;
  if (!ego_mean_begin(&mean, &a->disparity, u, v, &x, &y))
    return -1;
  const double mine = ego_value_of(stx_row16(&a->disparity, y + j - 1)[x + i - 1], a->depth);
#pragma unroll 1
  for (int k = 0; k < 16; k++)
    ego_mean_add(&mean, k % 4, k / 4, __shfl_sync(STX_FULL_WARP, mine, k));
  return ego_mean_end(&mean);
}

/* Writes a cell's corner; all lanes of a warp call this. */
STX_DEVICE void put_cell(const StxEgomotionArgs *a, int column, uint32_t best)
{
  const int at = CELL_PIXELS - 1 - (int)(best % CELL_PIXELS);
  const int x = column * EGO_CELL + at % EGO_CELL, y = blockIdx.y * EGO_CELL + at / EGO_CELL;
  EgoCell cell = {0, 0, 0};
  if (best > 0)
    cell = {(int16_t)x, (int16_t)y, disparity_at(a, 2 * x, 2 * y)};
  if (threadIdx.x % STX_EGOMOTION_LANES == 0)
    a->cells[blockIdx.y * a->cells_across + column] = cell;
}

STX_KERNEL(stx_egomotion_look, StxEgomotionArgs, STX_EGOMOTION_TILE_THREADS)
{
  STX_SHARED(Tile, tile, 1);
  const int cell = threadIdx.x / CELL_PIXELS, at = threadIdx.x % CELL_PIXELS;
  const int column = blockIdx.x * STX_EGOMOTION_TILE_CELLS + cell;
  const int tile_x = cell * EGO_CELL + at % EGO_CELL, tile_y = at / EGO_CELL;
  const int x = column * EGO_CELL + at % EGO_CELL, y = blockIdx.y * EGO_CELL + tile_y;
  const int right = a.half.width, below = a.half.height;
  load_tile(&a, tile);
  __syncthreads();
  if (x < right && y < below) {
    const bool inside = x >= APRON && y >= APRON && x < right - APRON && y < below - APRON;
    stx_row8(&a.relief[1], y)[x] = (uint8_t)(inside ? relief_of(tile, tile_x, tile_y) : 128);
  }
  uint32_t best = 0;
  if (x >= EGO_BORDER && y >= EGO_BORDER && x < right - EGO_BORDER && y < below - EGO_BORDER) {
    const int32_t score = score_of(tile, tile_x, tile_y);
    best = score > 0 ? (uint32_t)(score * CELL_PIXELS + CELL_PIXELS - 1 - at) : 0;
  }
  best = warp_max(best);
  if (threadIdx.x % STX_EGOMOTION_LANES == 0)
    tile->best[threadIdx.x / STX_EGOMOTION_LANES] = best;
  __syncthreads();
  if (at < STX_EGOMOTION_LANES && column < a.cells_across)
    put_cell(&a, column, max(tile->best[CELL_WARPS * cell], tile->best[CELL_WARPS * cell + 1]));
}

/* ---- Search -------------------------------------------------------------------------------- */

enum {
  WINDOW_ROWS = 2 * EGO_DOWN + 1,
  WINDOW_SHIFT = 6, /* log2 of the columns of a window that a warp holds */
  WINDOW_COLUMNS = 1 << WINDOW_SHIFT,
  COST_SHIFT = 16,
};

/* Eight rows of eight pixels that begin anywhere: the words in which they begin, and how far in. */
typedef struct {
  const uint32_t *words;
  int stride; /* words */
  unsigned shift;
} Rows;

STX_DEVICE Rows rows_at(const StxImage8 *relief, int x, int y)
{
  const int left = x - EGO_BEFORE;
  const uint8_t *row = stx_row8(relief, y - EGO_BEFORE);
  return {(const uint32_t *)(row + (left & ~3)), (int)relief->stride / 4, 8u * (left & 3)};
}

/* A row of eight, in two words. */
STX_DEVICE uint2 eight_of(const uint32_t *words, unsigned shift)
{
  const uint32_t first = __ldg(words), second = __ldg(words + 1), third = __ldg(words + 2);
  return make_uint2(__funnelshift_r(first, second, shift), __funnelshift_r(second, third, shift));
}

typedef struct {
  uint2 row[EGO_SIDE];
} Patch;

STX_DEVICE Patch load_patch(const StxImage8 *relief, int x, int y)
{
  const Rows rows = rows_at(relief, x, y);
  Patch patch;
#pragma unroll
  for (int j = 0; j < EGO_SIDE; j++)
    patch.row[j] = eight_of(rows.words + j * rows.stride, rows.shift);
  return patch;
}

STX_DEVICE unsigned texture_of(const Patch *patch)
{
  unsigned sum = 0;
#pragma unroll
  for (int j = 0; j < EGO_SIDE; j++)
    sum += __vsadu4(patch->row[j].x, 0x80808080u) + __vsadu4(patch->row[j].y, 0x80808080u);
  return sum;
}

STX_DEVICE unsigned cost_of(const Patch *patch, const uint32_t *words, const Rows *rows)
{
  unsigned sum = 0;
#pragma unroll
  for (int j = 0; j < EGO_SIDE; j++) {
    const uint2 row = eight_of(words + j * rows->stride, rows->shift);
    sum += __vsadu4(patch->row[j].x, row.x) + __vsadu4(patch->row[j].y, row.y);
  }
  return sum;
}

/* Returns the least cost of the lane's columns, with its row and column in the lower bits. */
STX_DEVICE unsigned find_costs(
    const Patch *patch, const StxImage8 *relief, const EgoWindow *w, uint16_t *costs)
{
  const Rows rows = rows_at(relief, w->x + (int)threadIdx.x, w->y);
  unsigned least = UINT32_MAX;
#pragma unroll 1
  for (int row = 0; row < w->rows; row++)
#pragma unroll 1
    for (int column = threadIdx.x; column < w->columns; column += STX_EGOMOTION_LANES) {
      const uint32_t *words = rows.words + row * rows.stride + (column - (int)threadIdx.x) / 4;
      const unsigned at = (unsigned)row << WINDOW_SHIFT | (unsigned)column;
      const unsigned cost = cost_of(patch, words, &rows);
      costs[at] = (uint16_t)cost;
      least = min(least, cost << COST_SHIFT | at);
    }
  return least;
}

/* The least of the lane's costs that are not near. */
STX_DEVICE unsigned least_beside(const EgoWindow *w, const uint16_t *costs, int x, int y)
{
  unsigned least = INT32_MAX;
#pragma unroll 1
  for (int row = 0; row < w->rows; row++)
#pragma unroll 1
    for (int column = threadIdx.x; column < w->columns; column += STX_EGOMOTION_LANES)
      if (abs(row - y) > EGO_NEAR_PLACE || abs(column - x) > EGO_NEAR_PLACE)
        least = min(least, (unsigned)costs[row << WINDOW_SHIFT | column]);
  return least;
}

/* Searches the patch of one relief in the other; all lanes of a warp call this. */
STX_DEVICE bool search(const StxEgomotionArgs *a, int from, int from_x, int from_y, double x,
    double y, uint16_t *costs, EgoFound *found)
{
  const StxImage8 *now = &a->relief[!from];
  const EgoWindow w = ego_window_at(now->width, now->height, x, y, a->search.reach);
  if (w.columns == 0)
    return false;
  const Patch patch = load_patch(&a->relief[from], from_x, from_y);
  const unsigned least = warp_min(find_costs(&patch, now, &w, costs));
  const int column = least % WINDOW_COLUMNS;
  const int row = (int)((least & ((1u << COST_SHIFT) - 1)) >> WINDOW_SHIFT);
  found->least = (int)(least >> COST_SHIFT);
  found->second = (int)warp_min(least_beside(&w, costs, column, row));
  found->x = w.x + column;
  found->y = w.y + row;
  found->inside = column > 0 && row > 0 && column < w.columns - 1 && row < w.rows - 1;
  return 2 * found->least < (int)texture_of(&patch);
}

/* Searches a corner whose place is not expected: its match must be unique, and lead back. */
STX_DEVICE bool search_wide(const StxEgomotionArgs *a, const EgoCorner *c, double x, double y,
    uint16_t *costs, EgoFound *found)
{
  int from_x = c->x, from_y = c->y;
#pragma unroll 1
  for (int from = 0; from < 2; from++) {
    EgoFound there;
    if (!search(a, from, from_x, from_y, x, y, costs, &there))
      return false;
    if (from == 1)
      return abs(there.x - c->x) <= 1 && abs(there.y - c->y) <= 1;
    if (!ego_is_unique(&there))
      return false;
    *found = there;
    from_x = there.x;
    from_y = there.y;
    x = c->x;
    y = c->y;
  }
  return false;
}

/* ---- Places between pixels ----------------------------------------------------------------- */

enum {
  PATCH_WIDE = 2 * EGO_RADIUS + 1,
  PATCH_PIXELS = PATCH_WIDE * PATCH_WIDE,
  SHARE = (PATCH_PIXELS + STX_EGOMOTION_LANES - 1) / STX_EGOMOTION_LANES, /* of a lane */
};

STX_DEVICE int lane_sum(int value)
{
  return (int)warp_sum_of_words((unsigned)value);
}

/* A lane's pixels of a patch of the picture before; zeros behind the last one. */
typedef struct {
  int t[SHARE], x[SHARE], y[SHARE];
} Share;

/* The offset of pixel `number` of a patch around (0, 0). */
STX_DEVICE int64_t patch_pixel(int number, int64_t stride)
{
  return (number / PATCH_WIDE - EGO_RADIUS) * stride + number % PATCH_WIDE - EGO_RADIUS;
}

STX_DEVICE EgoProducts load_share(const StxImage8 *before, int x, int y, Share *share)
{
  const uint8_t *centre = stx_row8(before, y) + x;
  EgoProducts sum = {0, 0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll
  for (int k = 0; k < SHARE; k++) {
    const int number = k * STX_EGOMOTION_LANES + threadIdx.x;
    int t = 0, gx = 0, gy = 0;
    if (number < PATCH_PIXELS) {
      const uint8_t *p = centre + patch_pixel(number, before->stride);
      t = __ldg(p);
      gx = __ldg(p + 1) - __ldg(p - 1);
      gy = __ldg(p + before->stride) - __ldg(p - before->stride);
    }
    share->t[k] = t;
    share->x[k] = gx;
    share->y[k] = gy;
    sum.t += t;
    sum.x += gx;
    sum.y += gy;
    sum.tt += t * t;
    sum.tx += t * gx;
    sum.ty += t * gy;
    sum.xx += gx * gx;
    sum.xy += gx * gy;
    sum.yy += gy * gy;
  }
  return {lane_sum(sum.t), lane_sum(sum.x), lane_sum(sum.y), lane_sum(sum.tt), lane_sum(sum.tx),
      lane_sum(sum.ty), lane_sum(sum.xx), lane_sum(sum.xy), lane_sum(sum.yy)};
}

STX_DEVICE EgoSums sums_at(const StxImage8 *now, int x, int y, const Share *share)
{
  const uint8_t *centre = stx_row8(now, y / EGO_STEPS) + x / EGO_STEPS;
  EgoSums sum = {0, 0, 0, 0, 0};
  int weights[4];
  ego_weights(x % EGO_STEPS, y % EGO_STEPS, weights);
#pragma unroll
  for (int k = 0; k < SHARE; k++) {
    const int number = k * STX_EGOMOTION_LANES + threadIdx.x;
    if (number >= PATCH_PIXELS)
      continue;
    const uint8_t *p = centre + patch_pixel(number, now->stride), *below = p + now->stride;
    const int value = ego_between(weights, __ldg(p), __ldg(p + 1), __ldg(below), __ldg(below + 1));
    sum.sum_j += value;
    sum.jj += value * value;
    sum.tj += share->t[k] * value;
    sum.xj += share->x[k] * value;
    sum.yj += share->y[k] * value;
  }
  return {
      lane_sum(sum.sum_j), lane_sum(sum.jj), lane_sum(sum.tj), lane_sum(sum.xj), lane_sum(sum.yj)};
}

/* The equations of ego_regress: every fourth lane has the same row, of which the last number is
 * that of the round. */
typedef struct {
  double left[4];
} Row;

STX_DEVICE Row row_of(const EgoProducts *p)
{
  const int row = threadIdx.x % 4;
  const int second = row == 0 ? p->t : row == 1 ? p->tt : row == 2 ? p->tx : p->ty;
  const int third = row == 0 ? p->x : row == 1 ? p->tx : row == 2 ? p->xx : p->xy;
  const int fourth = row == 0 ? p->y : row == 1 ? p->ty : row == 2 ? p->xy : p->yy;
  const int first = row == 1 ? p->t : row == 2 ? p->x : p->y;
  return {{row == 0 ? EGO_COUNT : first, (double)second, (double)third, (double)fourth}};
}

/* ego_regress, by all lanes of a warp: what is divided and subtracted is the same, of four rows at
 * once. */
STX_DEVICE bool regress(Row mine, const EgoSums *j, double move[2])
{
  const int row = threadIdx.x % 4;
  double a[5] = {mine.left[0], mine.left[1], mine.left[2], mine.left[3],
      (double)(row == 0   ? j->sum_j
               : row == 1 ? j->tj
               : row == 2 ? j->xj
                          : j->yj)};
  double solution[4], diagonal = 1;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    double pivot[5];
#pragma unroll
    for (int i = k; i < 5; i++)
      pivot[i] = __shfl_sync(STX_FULL_WARP, a[i], k);
    if (!(pivot[k] > EGO_PIVOT))
      return false;
    diagonal = row == k ? a[k] : diagonal;
    const double factor = a[k] / pivot[k];
#pragma unroll
    for (int i = k; i < 5; i++)
      a[i] = row == k ? a[i] : a[i] - factor * pivot[i];
  }
  a[4] /= diagonal;
#pragma unroll
  for (int k = 0; k < 4; k++)
    solution[k] = __shfl_sync(STX_FULL_WARP, a[4], k);
  return ego_judge(solution, j, move);
}

/* Refines (u, v) to a part of a pixel; all lanes of a warp call this. */
STX_DEVICE bool settle(const StxEgomotionArgs *a, const EgoCorner *c, double *u, double *v)
{
  const StxImage8 *now = &a->full[1];
  EgoPlace place = {*u, *v, *u, *v, 0, 0};
  EgoStep step = EGO_GOES_ON;
  Share share;
  const EgoProducts products = load_share(&a->full[0], 2 * c->x, 2 * c->y, &share);
  const Row row = row_of(&products);
#pragma unroll 1
  for (int round = 0; round < EGO_ROUNDS && step == EGO_GOES_ON; round++) {
    double move[2];
    if (!ego_round_begin(&place, now->width, now->height))
      return false;
    const EgoSums sums = sums_at(now, place.x, place.y, &share);
    if (!regress(row, &sums, move))
      return false;
    step = ego_round_end(&place, move);
  }
  *u = place.u;
  *v = place.v;
  return step == EGO_SETTLED;
}

/* ---- Match --------------------------------------------------------------------------------- */

/* Around the place that is expected, and where nothing fits there, farther away. */
STX_DEVICE bool find_one(
    const StxEgomotionArgs *a, const EgoCorner *c, uint16_t *costs, double *u, double *v)
{
  double x, y;
  if (!ego_expect(&a->search, c, &x, &y))
    return false;
  *u = 2 * x;
  *v = 2 * y;
  /* One place for the code of the regression, which is long. */
#pragma unroll 1
  for (int turn = !a->search.surmise; turn < 2; turn++) {
    if (turn == 1) {
      EgoFound found;
      if (!search_wide(a, c, x, y, costs, &found))
        return false;
      *u = 2 * found.x;
      *v = 2 * found.y;
    }
    if (settle(a, c, u, v))
      return true;
  }
  return false;
}

STX_KERNEL_BLOCKS(
    stx_egomotion_match, StxEgomotionArgs, STX_EGOMOTION_LANES *STX_EGOMOTION_WARPS, 4)
{
  STX_SHARED_2D(uint16_t, costs, STX_EGOMOTION_WARPS, WINDOW_ROWS * WINDOW_COLUMNS);
  const int number = blockIdx.x * STX_EGOMOTION_WARPS + threadIdx.y;
  if (number >= a.search.count)
    return;
  const EgoCorner corner = a.corners[number * a.search.stride];
  EgoMatch match = {0, 0, -1, 0};
  match.found = find_one(&a, &corner, costs[threadIdx.y], &match.u, &match.v);
  if (match.found && a.search.measure)
    match.disparity = disparity_at(&a, match.u, match.v);
  if (threadIdx.x == 0)
    a.matches[number] = match;
}
