/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction, fast implementation: cells without far values.
 *
 * Where the valid disparities of a cell lie within 4 pixels of one another, all of them enter,
 * whichever is the median, which is not computed. Such cells are most of an image. Their
 * pixels stay as they lie, row by row, and only the sums down the rows are added across: LANES
 * cells are 4 or 8 vectors wide, and after two or three steps, each of which halves the number of
 * vectors, a lane is a cell.
 *
 * With r = d − low <= 1024 and n <= 64 pixels, Σr is below 2^16, and Σ(c² − 2^15)·r within ±2^31:
 * one instruction multiplies and adds two pixels. Σc²r is that and 2^15·Σr.
 */
#include "common/colmean/colmean_smooth_private.h"

#include <string.h>

/* ---- Across --------------------------------------------------------------------------------- */

typedef enum { ADD, LEAST, MOST } Operation;

INLINE VecU16 combine(Operation operation, VecU16 a, VecU16 b)
{
  if (operation == ADD)
    return a + b;
  return operation == LEAST ? min_u16(a, b) : max_u16(a, b);
}

/* Cells 8 wide: the 8 lanes of a quarter of v[i] become lane i of the quarter. */
INLINE VecU16 across8(Operation operation, const VecU16 v[8])
{
  VecU16 by4[4], by2[2];
  for (int i = 0; i < 4; i++)
    by4[i] = combine(
        operation, unpacklo_16(v[2 * i], v[2 * i + 1]), unpackhi_16(v[2 * i], v[2 * i + 1]));
  for (int i = 0; i < 2; i++)
    by2[i] = combine(operation, unpacklo_32(by4[2 * i], by4[2 * i + 1]),
        unpackhi_32(by4[2 * i], by4[2 * i + 1]));
  return combine(operation, unpacklo_64(by2[0], by2[1]), unpackhi_64(by2[0], by2[1]));
}

/* Cells 4 wide: the halves of a quarter of v[0…3] become its lanes 0 2, 4 6, 1 3 and 5 7. */
INLINE VecU16 across4(Operation operation, const VecU16 v[4])
{
  const VecU16 lower = (VecU16)((VecU32){0} + 0xFFFF);
  VecU16 a = combine(operation, even_32(v[0], v[1]), odd_32(v[0], v[1]));
  VecU16 b = combine(operation, even_32(v[2], v[3]), odd_32(v[2], v[3]));
  a = combine(operation, a, (VecU16)((VecU32)a >> 16));
  b = combine(operation, b, (VecU16)((VecU32)b << 16));
  return (a & lower) | (b & ~lower);
}

/* The same of two sums of 32 bits: lanes 0 … 3 of a quarter, of 4 vectors or of 2. */
INLINE VecU32 add_across8(const VecU32 v[4])
{
  VecU16 by2[2];
  for (int i = 0; i < 2; i++) {
    VecU16 a = (VecU16)v[2 * i], b = (VecU16)v[2 * i + 1];
    by2[i] = (VecU16)((VecU32)unpacklo_32(a, b) + (VecU32)unpackhi_32(a, b));
  }
  return (VecU32)unpacklo_64(by2[0], by2[1]) + (VecU32)unpackhi_64(by2[0], by2[1]);
}

INLINE VecU32 add_across4(const VecU32 v[2])
{
  return (VecU32)even_32((VecU16)v[0], (VecU16)v[1]) + (VecU32)odd_32((VecU16)v[0], (VecU16)v[1]);
}

/* ---- The order of cells --------------------------------------------------------------------- */

#define QUARTERS (VECTOR_BYTES / 16)

/* Lane of cell n in what across8() and across4() give, and in what add_across…() do for half the
 * cells; vector v, quarter q and half s of it are those where the cell lies. */
#define Q8(n) ((n) % QUARTERS)
#define V4(n) ((n) / (2 * QUARTERS))
#define Q4(n) ((n) / 2 % QUARTERS)
#define S4(n) ((n) % 2)
#define LANE8(n) (Q8(n) * 8 + (n) / QUARTERS)
#define LANE4(n) (Q4(n) * 8 + V4(n) % 2 * 4 + S4(n) * 2 + V4(n) / 2)
#define WORD8(n) (Q8(n) * 4 + (n) / QUARTERS)
#define WORD4(n) (Q4(n) * 4 + V4(n) * 2 + S4(n))
#define EACH4(f, n) f(n), f((n) + 1), f((n) + 2), f((n) + 3)
#if VECTOR_BYTES == 64
#define EACH16(f, n) EACH4(f, n), EACH4(f, (n) + 4), EACH4(f, (n) + 8), EACH4(f, (n) + 12)
#define EACH_LANE(f) EACH16(f, 0), EACH16(f, 16)
#define EACH_WORD(f) EACH16(f, 0)
#elif VECTOR_BYTES == 32
#define EACH_LANE(f) EACH4(f, 0), EACH4(f, 4), EACH4(f, 8), EACH4(f, 12)
#define EACH_WORD(f) EACH4(f, 0), EACH4(f, 4)
#else
#define EACH_LANE(f) EACH4(f, 0), EACH4(f, 4)
#define EACH_WORD(f) EACH4(f, 0)
#endif

INLINE VecU16 in_order(int width, VecU16 v)
{
  return width == 8 ? __builtin_shufflevector(v, v, EACH_LANE(LANE8))
                    : __builtin_shufflevector(v, v, EACH_LANE(LANE4));
}

INLINE VecU32 words_in_order(int width, VecU32 v)
{
  return width == 8 ? __builtin_shufflevector(v, v, EACH_WORD(WORD8))
                    : __builtin_shufflevector(v, v, EACH_WORD(WORD4));
}

/* Spreads the result of across8() or across4() to all lanes of the cells of v[i]. */
INLINE VecU16 spread(int width, VecU16 v, int i)
{
  int lane = width == 8 ? i : i % 2 * 4 + i / 2, second = width == 8 ? lane : lane + 2;
#if defined __AVX2__
  const VecU16 first_half = (VecU16)((VecU32){0} + 0x01000100u);
  VecU16 zero = {0}, halves = unpacklo_64(zero, zero + (uint16_t)(0x0202 * (second - lane)));
  VecU16 bytes = first_half + halves + (uint16_t)(0x0202 * lane);
  return (VecU16)MM(shuffle_epi8)((Register)v, (Register)bytes);
#else
  uint16_t a = v[lane], b = v[second];
  return (VecU16){a, a, a, a, b, b, b, b};
#endif
}

/* ---- Down ----------------------------------------------------------------------------------- */

/* Sums down the rows of vector i of each row. */
typedef struct {
  VecU16 least[8], most[8], known[8], any[8], rest[8]; /* least: of d − 1; any: known or sky */
  VecU32 weight[8], any_weight[8], moment[8];
} Down;

/* Keeps d, 0 without confidence, and c². In cells that are 4 high, as those 4 wide mostly are, the
 * rows below are prefetched: the processor itself sees four rows too late to do so. */
INLINE void look_down(
    const SmoothRows *rows, int width, bool sky, int i, const Pixels *pixels, Down *down)
{
  VecU16 lowest = ~(VecU16){0}, highest = {0}, knowns = {0}, any = {0};
  VecU32 weight = {0}, any_weight = {0};
  const char *d_row = (const char *)(rows->disparity + i * LANES);
  const uint8_t *c_row = rows->confidence + i * LANES;
  for (int y = 0; y < rows->count; y++) {
    if (width == 4) {
      __builtin_prefetch(d_row + rows->count * rows->disparity_stride);
      __builtin_prefetch(c_row + rows->count * rows->confidence_stride);
    }
    VecU16 c = widen_u8(c_row);
    VecU16 d = keep_nonzero_u16(load_u16(d_row), c), known = keep_nonzero_u16(c, d);
    pixels->disparity[y * width + i] = d;
    pixels->weight[y * width + i] = c * c;
    knowns = count_nonzero_u16(knowns, d);
    lowest = min_u16(lowest, d - 1);
    highest = max_u16(highest, d);
    weight += multiply_pairs(known, known);
    if (sky) {
      any = count_nonzero_u16(any, c);
      any_weight += multiply_pairs(c, c);
    }
    d_row += rows->disparity_stride;
    c_row += rows->confidence_stride;
  }
  down->least[i] = lowest;
  down->most[i] = highest;
  down->known[i] = knowns;
  down->weight[i] = weight;
  down->any[i] = any;
  down->any_weight[i] = any_weight;
}

INLINE void multiply_down(
    const SmoothRows *rows, int width, int i, VecU16 low, const Pixels *pixels, Down *down)
{
  VecU16 rest = {0};
  VecU32 moment = {0};
  for (int y = 0; y < rows->count; y++) {
    VecU16 r = subs_u16(pixels->disparity[y * width + i], low);
    moment += multiply_pairs(pixels->weight[y * width + i] ^ 0x8000, r);
    rest += r;
  }
  down->rest[i] = rest;
  down->moment[i] = moment;
}

/* ---- Cells ---------------------------------------------------------------------------------- */

INLINE VecU16 across(int width, Operation operation, const VecU16 *v)
{
  return width == 8 ? across8(operation, v) : across4(operation, v);
}

INLINE void store_words(int width, const VecU32 *v, int32_t out[LANES])
{
  for (int half = 0; half < 2; half++) {
    VecU32 sum = width == 8 ? add_across8(v + 4 * half) : add_across4(v + 2 * half);
    sum = words_in_order(width, sum);
    memcpy(out + half * LANES / 2, &sum, sizeof sum);
  }
}

static void store_lanes(VecU16 v, int32_t out[LANES])
{
  uint16_t lanes[LANES];
  memcpy(lanes, &v, sizeof v);
  for (int i = 0; i < LANES; i++)
    out[i] = lanes[i];
}

INLINE VecU16 gather(const SmoothRows *rows, int width, bool sky, const Pixels *pixels, Sums *sums)
{
  Down down;
#pragma GCC unroll 8
  for (int i = 0; i < width; i++)
    look_down(rows, width, sky, i, pixels, &down);
  VecU16 low = across(width, LEAST, down.least) + 1;
#pragma GCC unroll 8
  for (int i = 0; i < width; i++)
    multiply_down(rows, width, i, spread(width, low, i), pixels, &down);
  VecU16 highest = across(width, MOST, down.most);
  VecU16 valid = in_order(width, across(width, ADD, down.known));
  low = in_order(width, low);
  memcpy(sums->low, &low, sizeof low);
  memcpy(sums->valid, &valid, sizeof valid);
  store_lanes(valid, sums->entered);
  store_lanes(in_order(width, across(width, ADD, down.rest)), sums->moment_high);
  store_words(width, down.moment, sums->moment_low);
  store_words(width, down.weight, sums->weight);
  if (sky) {
    VecU16 skies = in_order(width, across(width, ADD, down.any)) - valid;
    memcpy(sums->sky, &skies, sizeof skies);
    for (int i = 0; i < width; i++)
      down.any_weight[i] -= down.weight[i];
    store_words(width, down.any_weight, sums->sky_weight);
  }
  return in_order(width, highest) - low;
}

void STX_VARIANT(stx_colmean_smooth)(
    const SmoothRows *rows, int width, bool sky, const Pixels *pixels, Sums *sums, VecU16 *range)
{
  if (width == 8)
    *range = sky ? gather(rows, 8, true, pixels, sums) : gather(rows, 8, false, pixels, sums);
  else
    *range = sky ? gather(rows, 4, true, pixels, sums) : gather(rows, 4, false, pixels, sums);
}
