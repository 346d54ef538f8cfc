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
#include <string.h>

#include "common/colmean/colmean_omp_private.h"

#define LANES LANES_16

/* The pixels of LANES cells: count vectors each. */
typedef struct {
  VecU16 *disparity, *weight; /* weight is c²; NULL: every pixel is certain */
  int count;
} Pixels;

/* Sums by lane, all below 2^31; signed because these convert to double faster. */
typedef struct {
  int32_t weight[LANES];      /* Σw */
  int32_t moment_low[LANES];  /* Σw(d − low) = moment_low + 2^16 · moment_high, */
  int32_t moment_high[LANES]; /* or Σ(d − low) = moment_low */
  int32_t entered[LANES];
  int32_t sky_weight[LANES]; /* Σw of the pixels of sky */
  uint16_t sky[LANES];       /* how many these are */
  uint16_t low[LANES], valid[LANES], median[LANES];
} Sums;

/* ---- Dealing out -------------------------------------------------------------------------- */

/* `row` holds LANES cells of `width` pixels; pixel i of the cells goes to out[i]. */
INLINE void deal_row(const uint16_t *row, int width, VecU16 *out)
{
  uint16_t *to = (uint16_t *)out;
  for (int lane = 0; lane < LANES; lane++)
    for (int i = 0; i < width; i++)
      to[i * LANES + lane] = row[lane * width + i];
}

static void deal(const uint16_t *row, int width, VecU16 *out)
{
  switch (width) {
  case 1:
    deal_row(row, 1, out);
    break;
  case 2:
    deal_row(row, 2, out);
    break;
  case 4:
    deal_row(row, 4, out);
    break;
  case 8:
    deal_row(row, 8, out);
    break;
  default:
    deal_row(row, width, out);
  }
}

static void convert_16(
    const StxDisparityFormula *f, const uint16_t *restrict in, int count, uint16_t *restrict d)
{
  const StxDisparityFormula formula = *f;
  for (int i = 0; i < count; i++)
    d[i] = (uint16_t)stx_disparity_steps(&formula, stx_disparity_from_16(&formula, in[i]));
}

static void convert_floats(
    const StxDisparityFormula *f, const float *restrict in, int count, uint16_t *restrict d)
{
  const StxDisparityFormula formula = *f;
  for (int i = 0; i < count; i++)
    d[i] = (uint16_t)stx_disparity_steps(&formula, in[i]);
}

/* The steps of `count` pixels from (x, y) on: where they lie, or in `room`. */
static const uint16_t *steps_of(const Job *job, int x, int y, int count, uint16_t *room)
{
  const StxColmeanInput *input = job->input;
  if (stx_disparity_is_plain(job->params))
    return stx_row16(&input->disparity, y) + x;
  const StxDisparityFormula formula = stx_disparity_formula(job->params);
  if (stx_disparity_is_float(job->params->disparity.encoding))
    convert_floats(&formula, stx_row_float(&input->floats, y) + x, count, room);
  else
    convert_16(&formula, stx_row16(&input->disparity, y) + x, count, room);
  return room;
}

/* Disparities of `count` pixels with those of no confidence 0, and their c². Unknown pixels keep
 * theirs, which may say that they are sky. */
static void mask_confident(const uint16_t *in, const uint8_t *confidence, int count,
    uint16_t *restrict d, uint16_t *restrict w)
{
  for (int i = 0; i < count; i++) {
    uint16_t c = confidence[i];
    d[i] = in[i] & (uint16_t)(c > 0 ? UINT16_MAX : 0); /* not a load that depends on c */
    w[i] = (uint16_t)(c * c);
  }
}

/* Pixels [x, x + width · LANES) of the image rows of `span`; what lies beyond the image is
 * unknown. */
static void load(const Job *job, int x, Span span, Pixels *pixels)
{
  uint16_t d[LANES * 128], w[LANES * 128], steps[LANES * 128];
  const StxColmeanInput *input = job->input;
  int width = job->params->grid.cell_width, room = width * LANES;
  int count = job->params->grid.width - x < room ? job->params->grid.width - x : room;
  memset(d + count, 0, (room - count) * sizeof *d);
  memset(w + count, 0, (room - count) * sizeof *w);
  pixels->count = 0;
  for (int y = span.top; y < span.bottom; y++, pixels->count += width) {
    const uint16_t *row = steps_of(job, x, y, count, steps);
    if (pixels->weight == NULL) {
      memcpy(d, row, count * sizeof *d);
    } else {
      mask_confident(row, stx_row8(&input->confidence, y) + x, count, d, w);
      deal(w, width, pixels->weight + pixels->count);
    }
    deal(d, width, pixels->disparity + pixels->count);
  }
}

/* ---- Medians ----------------------------------------------------------------------------- */

#define SORTED 16 /* values in the sorting network */

/* count + 1 in the lanes where value < limit; `small`: both are below 2^15. Without AVX-512 numbers
 * that have a sign are compared by one instruction, others by two. */
INLINE VecU16 count_below(VecU16 count, VecU16 value, VecU16 limit, bool small)
{
#if defined STX_SIMD_AVX512
  return count_mask_u16(count, _mm512_cmplt_epu16_mask((__m512i)value, (__m512i)limit));
#else
  return count - (small ? (VecU16)((VecI16)value < (VecI16)limit) : (VecU16)(value < limit));
#endif
}

/* The highest bit that is set in any lane of any disparity. */
static unsigned highest_bit(const Pixels *pixels)
{
  VecU16 any = {0};
  for (int i = 0; i < pixels->count; i++)
    any |= pixels->disparity[i];
  unsigned bits = 1;
  for (int lane = 0; lane < LANES; lane++)
    bits |= any[lane];
  return 1u << (31 - __builtin_clz(bits));
}

/* The value of each lane's rank, 0 the smallest, below 2 · bit. */
INLINE VecU16 select_below(const Pixels *pixels, VecU16 rank, unsigned bit, bool small)
{
  VecU16 value = {0};
  for (; bit > 0; bit >>= 1) {
    VecU16 candidate = value | (uint16_t)bit, below = {0}, below2 = {0};
    int i = 0;
    for (; i + 1 < pixels->count; i += 2) {
      below = count_below(below, pixels->disparity[i], candidate, small);
      below2 = count_below(below2, pixels->disparity[i + 1], candidate, small);
    }
    if (i < pixels->count)
      below = count_below(below, pixels->disparity[i], candidate, small);
    value |= (VecU16)(below + below2 <= rank) & (uint16_t)bit;
  }
  return value;
}

/* K. Batcher, "Sorting networks and their applications", AFIPS 1968: odd-even merge sort. */
static const uint8_t network[63][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {1, 2}, {4, 5}, {6, 7},
    {4, 6}, {5, 7}, {5, 6}, {0, 4}, {2, 6}, {2, 4}, {1, 5}, {3, 7}, {3, 5}, {1, 2}, {3, 4}, {5, 6},
    {8, 9}, {10, 11}, {8, 10}, {9, 11}, {9, 10}, {12, 13}, {14, 15}, {12, 14}, {13, 15}, {13, 14},
    {8, 12}, {10, 14}, {10, 12}, {9, 13}, {11, 15}, {11, 13}, {9, 10}, {11, 12}, {13, 14}, {0, 8},
    {4, 12}, {4, 8}, {2, 10}, {6, 14}, {6, 10}, {2, 4}, {6, 8}, {10, 12}, {1, 9}, {5, 13}, {5, 9},
    {3, 11}, {7, 15}, {7, 11}, {3, 5}, {7, 9}, {11, 13}, {1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10},
    {11, 12}, {13, 14}};

INLINE void order(VecU16 *a, VecU16 *b)
{
  VecU16 least = min_u16(*a, *b);
  *b = max_u16(*a, *b);
  *a = least;
}

/* The same for up to SORTED values. */
static VecU16 select_by_sorting(const Pixels *pixels, VecU16 rank)
{
  VecU16 v[SORTED] = {0}, value = {0};
  memcpy(v, pixels->disparity, pixels->count * sizeof *v);
#pragma GCC unroll 63
  for (int i = 0; i < 63; i++)
    order(&v[network[i][0]], &v[network[i][1]]);
#pragma GCC unroll 16
  for (int i = 0; i < SORTED; i++)
    value |= v[i] & (VecU16)(rank == (uint16_t)i);
  return value;
}

static VecU16 lower_median(const Pixels *pixels, VecU16 valid)
{
  VecU16 half = (valid - 1) >> 1, unknown = (VecU16){0} - valid;
  if (pixels->count <= SORTED)
    return select_by_sorting(pixels, half + unknown + SORTED);
  VecU16 rank = half + unknown + (uint16_t)pixels->count;
  unsigned bit = highest_bit(pixels);
  return bit < 0x8000 ? select_below(pixels, rank, bit, true)
                      : select_below(pixels, rank, bit, false);
}

/* ---- From sums to disparities and weights -------------------------------------------------- */

/* In double numerators stay below 2^48 and denominators below 2^32, so two different quotients
 * differ by more than the rounding error, and the integer part is exact. */

/* The rounded quotients of every lane. `n` is the number of pixels of each cell. */
static void finish(const Sums *sums, StxReduction reduction, bool certain, const int32_t n[LANES],
    uint16_t *disparity, uint16_t *weight)
{
  bool by_weight = !certain && reduction == STX_REDUCE_WEIGHTED;
  for (int lane = 0; lane < LANES; lane++) {
    int32_t entered = sums->entered[lane];
    int32_t total = certain ? STX_WEIGHT_ONE * entered : sums->weight[lane];
    int32_t share = by_weight ? total : entered;
    double den = share > 0 ? share : 1;
    double num = sums->moment_high[lane] * 65536.0 + sums->moment_low[lane];
    int32_t mean = sums->low[lane] + (int32_t)((2 * num + den) / (2 * den));
    int32_t w = (int32_t)((2.0 * total + n[lane]) / (2.0 * n[lane]));
    int32_t known = 2 * sums->valid[lane] >= n[lane] ? -1 : 0;
    int32_t d = reduction == STX_REDUCE_MEDIAN ? sums->median[lane] : mean;
    disparity[lane] = (uint16_t)(d & known);
    weight[lane] = (uint16_t)(w & known);
  }
}

/* ---- Sums --------------------------------------------------------------------------------- */

/* Even and odd lanes widened to 32 bits. */
typedef struct {
  VecU32 even, odd;
} Wide;

static inline Wide widen(VecU16 v)
{
  return (Wide){(VecU32)v & 0xFFFF, (VecU32)v >> 16};
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
INLINE void sum_inside(
    const Pixels *pixels, VecU16 low, VecU16 range, bool weighted, bool certain, Sums *sums)
{
  Wide weight = {0}, moment_low = {0}, moment_high = {0};
  VecU16 entered = {0};
  for (int i = 0; i < pixels->count; i++) {
    VecU16 r = pixels->disparity[i] - low;
    VecU16 inside = (VecU16)(r <= range);
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
  VecU16 count = {0};
  for (int i = 0; i < pixels->count; i++) {
    VecU16 w = pixels->weight[i] & (VecU16)(pixels->disparity[i] == 0);
    count -= (VecU16)(w > 0);
    add(&weight, widen(w));
  }
  store_wide(&weight, sums->sky_weight);
  memcpy(sums->sky, &count, sizeof count);
}

static void gather_sums(const Pixels *pixels, const StxColmeanParams *params, Sums *sums)
{
  VecU16 median = {0}, valid = {0}, low, range;
  for (int i = 0; i < pixels->count; i++)
    valid -= (VecU16)(pixels->disparity[i] > 0);
  if (params->reduction != STX_REDUCE_MEAN)
    median = lower_median(pixels, valid);
  uint16_t ranges[LANES];
  memcpy(sums->valid, &valid, sizeof valid);
  memcpy(sums->median, &median, sizeof median);
  entering(params, sums->median, sums->low, ranges);
  memcpy(&low, sums->low, sizeof low);
  memcpy(&range, ranges, sizeof range);
  if (pixels->weight == NULL)
    sum_inside(pixels, low, range, false, true, sums);
  else if (params->reduction == STX_REDUCE_WEIGHTED)
    sum_inside(pixels, low, range, true, false, sums);
  else
    sum_inside(pixels, low, range, false, false, sums);
}

/* ---- Cells -------------------------------------------------------------------------------- */

static void reduce_cells(
    const Job *job, int x, Span span, Pixels *pixels, uint16_t *disparity, uint16_t *weight)
{
  const StxColmeanParams *params = job->params;
  bool certain = pixels->weight == NULL, sky = !certain && job->input->confidence_is_sky;
  Sums sums;
  int32_t n[LANES];
  load(job, x, span, pixels);
  gather_sums(pixels, params, &sums);
  for (int lane = 0; lane < LANES; lane++) {
    int left = params->grid.width - (x + lane * params->grid.cell_width);
    int width = left < params->grid.cell_width ? left : params->grid.cell_width;
    n[lane] = (width > 0 ? width : 1) * (span.bottom - span.top);
  }
  finish(&sums, params->reduction, certain, n, disparity, weight);
  if (!sky)
    return;
  sum_sky(pixels, &sums);
  for (int lane = 0; lane < LANES; lane++) {
    int32_t w = (int32_t)((2.0 * sums.sky_weight[lane] + n[lane]) / (2.0 * n[lane]));
    bool most = sums.sky[lane] > sums.valid[lane]; /* at most half of its pixels are known */
    weight[lane] = most ? (uint16_t)w : weight[lane];
  }
}

/* ---- Entry points ------------------------------------------------------------------------- */

static size_t pixel_bytes(const StxColmeanParams *params)
{
  return (size_t)params->grid.cell_width * params->grid.cell_height * sizeof(VecU16);
}

size_t STX_VARIANT(stx_colmean_depth_scratch)(const StxColmeanParams *params)
{
  return 2 * sizeof(Tile) + 2 * pixel_bytes(params);
}

void STX_VARIANT(stx_colmean_depth)(const Job *job, const Block *block, void *scratch)
{
  const StxColmeanParams *params = job->params;
  Tile *disparity = scratch, *weight = disparity + 1;
  VecU16 *vectors = (VecU16 *)(weight + 1);
  bool certain = job->input->confidence.data == NULL;
  Pixels pixels = {vectors, certain ? NULL : vectors + pixel_bytes(params) / sizeof(VecU16), 0};
  for (int r = 0; r < block->rows; r++)
    for (int c = 0; c < block->columns; c += LANES)
      reduce_cells(job, (block->column + c) * params->grid.cell_width, cell_span(job, block, r),
          &pixels, (*disparity)[r] + c, (*weight)[r] + c);
  STX_VARIANT(stx_colmean_store)(job, block, 0, disparity);
  STX_VARIANT(stx_colmean_store)(job, block, 1, weight);
}
