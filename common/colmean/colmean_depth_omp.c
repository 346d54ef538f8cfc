/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction, fast implementation: disparity and weight.
 *
 * A vector lane is a cell. The pixels of LANES neighbouring cells are dealt out so that vector i
 * holds pixel i of every cell, unknown ones as 0; then every cell size runs through the same code:
 *
 *   median  unknown pixels count as 0, so the rank is (n − valid) + (valid − 1)/2. Up to 16 values
 *           go through a sorting network (158 operations); of more, the largest m with
 *           #{d < m} <= rank is found bit by bit (2 operations per value and bit: 480 for 16, but
 *           as many as a network's for 64, which does not fit the registers any more)
 *   sums    over the pixels with d in [low, high]; Σ c²(d − low) as two sums of 16-bit halves,
 *           which cannot overflow 32 bits for any cell
 */
#include "common/colmean/colmean_load.inc.h"
#include "common/colmean/colmean_median.inc.h"
#include "common/colmean/colmean_quotients.inc.h"

#include <string.h>

/* ---- Sums --------------------------------------------------------------------------------- */

/* Even and odd lanes widened to 32 bits. */
typedef struct {
  V32 even, odd;
} Wide;

static inline Wide widen(V16 v)
{
  return (Wide){(V32)v & 0xFFFF, (V32)v >> 16};
}

static inline void add(Wide *sum, Wide v)
{
  sum->even += v.even;
  sum->odd += v.odd;
}

static void store_wide(const Wide *wide, int32_t out[LANES])
{
  for (int i = 0; i < LANES / 2; i++) {
    out[2 * i] = (int32_t)wide->even[i];
    out[2 * i + 1] = (int32_t)wide->odd[i];
  }
}

/* Σw, Σw·r and the count over the pixels with r = d − low <= range. `weighted` is constant at
 * every call. */
static inline __attribute__((always_inline)) void sum_inside(
    const Pixels *pixels, V16 low, V16 range, bool weighted, bool certain, Sums *sums)
{
  Wide weight = {0}, moment_low = {0}, moment_high = {0};
  V16 entered = {0};
  for (int i = 0; i < pixels->count; i++) {
    V16 r = pixels->disparity[i] - low;
    V16 inside = (V16)(r <= range);
    entered -= inside;
    Wide rest = widen(r & inside);
    if (!certain) {
      Wide w = widen(pixels->weight[i] & inside);
      add(&weight, w);
      if (weighted) {
        Wide product = {w.even * rest.even, w.odd * rest.odd};
        add(&moment_high, (Wide){product.even >> 16, product.odd >> 16});
        rest = (Wide){product.even & 0xFFFF, product.odd & 0xFFFF};
      }
    }
    add(&moment_low, rest);
  }
  store_wide(&weight, sums->weight);
  store_wide(&moment_low, sums->moment_low);
  store_wide(&moment_high, sums->moment_high);
  Wide count = widen(entered);
  store_wide(&count, sums->entered);
}

static void sum_pixels(const Pixels *pixels, StxReduction reduction, V16 low, V16 range, Sums *sums)
{
  if (pixels->weight == NULL)
    sum_inside(pixels, low, range, false, true, sums);
  else if (reduction == STX_REDUCE_WEIGHTED)
    sum_inside(pixels, low, range, true, false, sums);
  else
    sum_inside(pixels, low, range, false, false, sums);
}

static V16 count_valid(const Pixels *pixels)
{
  V16 valid = {0};
  for (int i = 0; i < pixels->count; i++)
    valid -= (V16)(pixels->disparity[i] > 0);
  return valid;
}

/* [low, low + range] of the disparities that enter; 0 is outside, since it is unknown. */
static void entering(const StxColmeanParams *params, const uint16_t median[LANES],
    uint16_t low[LANES], uint16_t range[LANES])
{
  int near = stx_colmean_near(&params->grid);
  for (int lane = 0; lane < LANES; lane++) {
    int m = median[lane], tolerance = m / 20 > near ? m / 20 : near;
    if (params->reduction == STX_REDUCE_MEAN)
      tolerance = UINT16_MAX;
    int from = m - tolerance > 1 ? m - tolerance : 1;
    int to = m + tolerance < UINT16_MAX ? m + tolerance : UINT16_MAX;
    low[lane] = (uint16_t)from;
    range[lane] = (uint16_t)(to - from);
  }
}

/* Pixels that are unknown and have a weight. */
static void sum_sky(const Pixels *pixels, Sums *sums)
{
  Wide weight = {0};
  V16 count = {0};
  for (int i = 0; i < pixels->count; i++) {
    V16 w = pixels->weight[i] & (V16)(pixels->disparity[i] == 0);
    count -= (V16)(w > 0);
    add(&weight, widen(w));
  }
  store_wide(&weight, sums->sky_weight);
  memcpy(sums->sky, &count, sizeof count);
}

static void gather_sums(const Pixels *pixels, const StxColmeanParams *params, Sums *sums)
{
  V16 median = {0}, valid = count_valid(pixels), low, range;
  if (params->reduction != STX_REDUCE_MEAN)
    median = lower_median(pixels, valid);
  uint16_t ranges[LANES];
  memcpy(sums->valid, &valid, sizeof valid);
  memcpy(sums->median, &median, sizeof median);
  entering(params, sums->median, sums->low, ranges);
  memcpy(&low, sums->low, sizeof low);
  memcpy(&range, ranges, sizeof range);
  sum_pixels(pixels, params->reduction, low, range, sums);
}

/* ---- Any cells ---------------------------------------------------------------------------- */

/* What a block needs: its tiles, and pixels of LANES cells. */
typedef struct {
  const Job *job;
  const Block *block;
  Tile *disparity, *weight;
  Pixels pixels;
  bool certain, sky; /* every pixel is certain; it may be sky */
  Room *room;
} Work;

static void finish_cells(const Work *work, const Sums *sums, double unit, bool certain,
    const int32_t n[LANES], uint16_t *disparity, uint16_t *weight)
{
  finish(sums, unit, work->job->params->reduction, certain, n, disparity, weight);
  if (work->sky)
    finish_sky(sums, n, disparity, weight);
}

static void any_cells(Work *work, int x, Span span, uint16_t *disparity, uint16_t *weight)
{
  const StxColmeanParams *params = work->job->params;
  Sums sums;
  int32_t n[LANES];
  load(work->job, x, span, &work->pixels);
  gather_sums(&work->pixels, params, &sums);
  if (work->sky)
    sum_sky(&work->pixels, &sums);
  cell_sizes(&params->grid, x, span.bottom - span.top, n);
  finish_cells(work, &sums, 65536, work->certain, n, disparity, weight);
}

/* ---- Cells without far values, and the few others of their kind ----------------------------- */

static bool are_small(const StxColmeanParams *params)
{
  const StxGrid *grid = &params->grid;
  return params->reduction == STX_REDUCE_WEIGHTED &&
         (grid->cell_width == 4 || grid->cell_width == 8) &&
         grid->cell_width * grid->cell_height <= SMOOTH_PIXELS;
}

/* Rows that do not lie in the image as they are wanted are made in `room`. */
static SmoothRows smooth_rows(const Job *job, int x, Span span, Room *room)
{
  const StxGrid *grid = &job->params->grid;
  const StxColmeanInput *input = job->input;
  int wanted = grid->cell_width * LANES;
  int count = grid->width - x < wanted ? grid->width - x : wanted;
  SmoothRows rows = {room->disparity, room->confidence, wanted * 2, wanted, span.bottom - span.top};
  if (count == wanted && stx_disparity_is_plain(job->params)) {
    rows.disparity = stx_row16(&input->disparity, span.top) + x;
    rows.disparity_stride = input->disparity.stride;
  } else {
    for (int y = 0; y < rows.count; y++) {
      uint16_t *out = room->disparity + y * wanted;
      const uint16_t *in = steps_of(job, x, span.top + y, count, out);
      if (in != out)
        memcpy(out, in, count * sizeof *out);
      memset(out + count, 0, (wanted - count) * sizeof *out);
    }
  }
  if (input->confidence.data == NULL) {
    memset(room->confidence, 255, wanted);
    rows.confidence_stride = 0;
  } else if (count == wanted) {
    rows.confidence = stx_row8(&input->confidence, span.top) + x;
    rows.confidence_stride = input->confidence.stride;
  } else {
    for (int y = 0; y < rows.count; y++) {
      memcpy(room->confidence + y * wanted, stx_row8(&input->confidence, span.top + y) + x, count);
      memset(room->confidence + y * wanted + count, 0, wanted - count);
    }
  }
  return rows;
}

/* With medians: the cells whose pixels were dealt out in `room`. */
static void finish_dealt(Work *work, const int32_t n[LANES], uint16_t *disparity, uint16_t *weight)
{
  const StxGrid *grid = &work->job->params->grid;
  Room *room = work->room;
  Pixels pixels = {room->far_disparity, room->far_weight, grid->cell_width * grid->cell_height};
  Sums sums;
  gather_sums(&pixels, work->job->params, &sums);
  if (work->sky)
    sum_sky(&pixels, &sums);
  finish_cells(work, &sums, 65536, false, n, disparity, weight);
}

/* What was put aside. */
static void finish_far(Work *work)
{
  Room *room = work->room;
  Far *far = &room->far;
  int pixels = work->job->params->grid.cell_width * work->job->params->grid.cell_height;
  uint16_t disparity[LANES], weight[LANES];
  uint16_t *tile_disparity = (*work->disparity)[0], *tile_weight = (*work->weight)[0];
  if (far->count == 0)
    return;
  for (int i = far->count; i < LANES; i++) {
    memset(far->disparity[i], 0, sizeof far->disparity[i]);
    memset(far->weight[i], 0, sizeof far->weight[i]);
    far->n[i] = 1;
  }
  STX_VARIANT(stx_colmean_transpose)
  (far->disparity[0], SMOOTH_PIXELS, LANES, pixels, (uint16_t *)room->far_disparity, LANES);
  STX_VARIANT(stx_colmean_transpose)
  (far->weight[0], SMOOTH_PIXELS, LANES, pixels, (uint16_t *)room->far_weight, LANES);
  finish_dealt(work, far->n, disparity, weight);
  for (int i = 0; i < far->count; i++) {
    tile_disparity[far->at[i]] = disparity[i];
    tile_weight[far->at[i]] = weight[i];
  }
  far->count = 0;
}

ALWAYS_INLINE void copy_cell(
    const V16 *rows_of_cells, int width, int lane, int rows, uint16_t out[SMOOTH_PIXELS])
{
  const uint16_t *in = (const uint16_t *)rows_of_cells + lane * width;
  for (int y = 0; y < rows; y++)
    memcpy(out + y * width, in + y * width * LANES, width * sizeof *in);
  memset(out + rows * width, 0, (SMOOTH_PIXELS - rows * width) * sizeof *out);
}

/* Puts cell `lane` of `pixels`, of `rows` rows, aside; `at` is its place in a tile. */
static void put_aside(Work *work, int lane, int rows, int32_t n, int at)
{
  Far *far = &work->room->far;
  const Pixels *pixels = &work->pixels;
  int i = far->count++;
  far->n[i] = n;
  far->at[i] = at;
  if (work->job->params->grid.cell_width == 8) {
    copy_cell(pixels->disparity, 8, lane, rows, far->disparity[i]);
    copy_cell(pixels->weight, 8, lane, rows, far->weight[i]);
  } else {
    copy_cell(pixels->disparity, 4, lane, rows, far->disparity[i]);
    copy_cell(pixels->weight, 4, lane, rows, far->weight[i]);
  }
  if (far->count == LANES)
    finish_far(work);
}

/* Deals out all cells of `pixels`, `rows` rows of them. */
static void deal_all(Work *work, int rows)
{
  const StxGrid *grid = &work->job->params->grid;
  Room *room = work->room;
  int width = grid->cell_width, used = rows * width;
  for (int i = 0; i < used; i += width) {
    deal((const uint16_t *)(work->pixels.disparity + i), width, room->far_disparity + i);
    deal((const uint16_t *)(work->pixels.weight + i), width, room->far_weight + i);
  }
  size_t rest = (size_t)(grid->cell_height - rows) * width * sizeof(V16);
  memset(room->far_disparity + used, 0, rest);
  memset(room->far_weight + used, 0, rest);
}

/* The cells of `far`, a bit each. Where they are more than a quarter, nothing is gained by putting
 * them aside. */
static void far_cells(Work *work, uint32_t far, int rows, const int32_t n[LANES], int at)
{
  if (4 * __builtin_popcount(far) > LANES) {
    deal_all(work, rows);
    finish_dealt(work, n, (*work->disparity)[0] + at, (*work->weight)[0] + at);
    return;
  }
  for (; far != 0; far &= far - 1) {
    int lane = __builtin_ctz(far);
    put_aside(work, lane, rows, n[lane], at + lane);
  }
}

static void small_cells(Work *work, int x, Span span, int at)
{
  const StxGrid *grid = &work->job->params->grid;
  uint16_t *disparity = (*work->disparity)[0] + at, *weight = (*work->weight)[0] + at;
  SmoothRows rows = smooth_rows(work->job, x, span, work->room);
  int width = grid->cell_width, size = width * rows.count;
  int32_t n[LANES];
  V16 range, valid;
  Sums sums;
  STX_VARIANT(stx_colmean_smooth)(&rows, width, work->sky, &work->pixels, &sums, &range);
  memcpy(&valid, sums.valid, sizeof valid);
  bool whole =
      (x + LANES * width <= grid->width || grid->width % width == 0) && (size & (size - 1)) == 0;
  V16 near = (V16){0} + (uint16_t)stx_colmean_near(grid);
  V16 is_known = (V16)(valid > (uint16_t)(whole ? (size - 1) / 4 : 0));
  uint32_t far = lanes_that_are_not_0(minus(range, near) & is_known);
  if (whole)
    finish_small(&sums, work->sky, __builtin_ctz((unsigned)size), disparity, weight);
  if (whole && far == 0)
    return;
  cell_sizes(grid, x, rows.count, n);
  if (!whole)
    finish_cells(work, &sums, SMOOTH_UNIT, false, n, disparity, weight);
  if (far != 0)
    far_cells(work, far, rows.count, n, at);
}

/* ---- Entry points ------------------------------------------------------------------------- */

static size_t pixel_bytes(const StxColmeanParams *params)
{
  return (size_t)params->grid.cell_width * params->grid.cell_height * sizeof(V16);
}

size_t STX_VARIANT(stx_colmean_depth_scratch)(const StxColmeanParams *params)
{
  return 2 * sizeof(Tile) + 2 * pixel_bytes(params) + sizeof(Room);
}

void STX_VARIANT(stx_colmean_depth)(const Job *job, const Block *block, void *scratch)
{
  const StxColmeanParams *params = job->params;
  bool certain = job->input->confidence.data == NULL, small = are_small(params);
  Tile *tiles = scratch;
  V16 *vectors = (V16 *)(tiles + 2), *weights = vectors + pixel_bytes(params) / sizeof(V16);
  Work work = {job, block, &tiles[0], &tiles[1], {vectors, certain && !small ? NULL : weights, 0},
      certain, !certain && job->input->confidence_is_sky,
      (Room *)(weights + pixel_bytes(params) / sizeof(V16))};
  work.room->far.count = 0;
  for (int r = 0; r < block->rows; r++)
    for (int c = 0; c < block->columns; c += LANES) {
      Span span = cell_span(job, block, r);
      int x = (block->column + c) * params->grid.cell_width;
      if (small)
        small_cells(&work, x, span, r * BLOCK_COLUMNS + c);
      else
        any_cells(&work, x, span, tiles[0][r] + c, tiles[1][r] + c);
    }
  finish_far(&work);
  STX_VARIANT(stx_colmean_store)(job, block, 0, &tiles[0]);
  STX_VARIANT(stx_colmean_store)(job, block, 1, &tiles[1]);
}
