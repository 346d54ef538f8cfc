/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction, fast implementation: cells without far values.
 *
 * Where the valid disparities of a cell lie within 4 pixels of one another, all of them enter,
 * whichever is the median; so nobody needs to know it. Such cells are most of an image. Their
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

ALWAYS_INLINE V16 combine(Operation operation, V16 a, V16 b)
{
  if (operation == ADD)
    return a + b;
  return operation == LEAST ? least(a, b) : most(a, b);
}

/* Cells 8 wide: the 8 lanes of a quarter of v[i] become lane i of the quarter. */
ALWAYS_INLINE V16 across8(Operation operation, const V16 v[8])
{
  V16 by4[4], by2[2];
  for (int i = 0; i < 4; i++)
    by4[i] = combine(operation, low16(v[2 * i], v[2 * i + 1]), high16(v[2 * i], v[2 * i + 1]));
  for (int i = 0; i < 2; i++)
    by2[i] =
        combine(operation, low32(by4[2 * i], by4[2 * i + 1]), high32(by4[2 * i], by4[2 * i + 1]));
  return combine(operation, low64(by2[0], by2[1]), high64(by2[0], by2[1]));
}

/* Cells 4 wide: the halves of a quarter of v[0…3] become its lanes 0 2, 4 6, 1 3 and 5 7. */
ALWAYS_INLINE V16 across4(Operation operation, const V16 v[4])
{
  const V16 lower = (V16)((V32){0} + 0xFFFF);
  V16 a = combine(operation, even32(v[0], v[1]), odd32(v[0], v[1]));
  V16 b = combine(operation, even32(v[2], v[3]), odd32(v[2], v[3]));
  a = combine(operation, a, (V16)((V32)a >> 16));
  b = combine(operation, b, (V16)((V32)b << 16));
  return (a & lower) | (b & ~lower);
}

/* The same of two sums of 32 bits: lanes 0 … 3 of a quarter, of 4 vectors or of 2. */
ALWAYS_INLINE V32 add_across8(const V32 v[4])
{
  V16 by2[2];
  for (int i = 0; i < 2; i++) {
    V16 a = (V16)v[2 * i], b = (V16)v[2 * i + 1];
    by2[i] = (V16)((V32)low32(a, b) + (V32)high32(a, b));
  }
  return (V32)low64(by2[0], by2[1]) + (V32)high64(by2[0], by2[1]);
}

ALWAYS_INLINE V32 add_across4(const V32 v[2])
{
  return (V32)even32((V16)v[0], (V16)v[1]) + (V32)odd32((V16)v[0], (V16)v[1]);
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

ALWAYS_INLINE V16 in_order(int width, V16 v)
{
  return width == 8 ? __builtin_shuffle(v, (V16){EACH_LANE(LANE8)})
                    : __builtin_shuffle(v, (V16){EACH_LANE(LANE4)});
}

ALWAYS_INLINE V32 words_in_order(int width, V32 v)
{
  return width == 8 ? __builtin_shuffle(v, (V32){EACH_WORD(WORD8)})
                    : __builtin_shuffle(v, (V32){EACH_WORD(WORD4)});
}

/* What across8() or across4() gave, back to all lanes of the cells of v[i]. */
ALWAYS_INLINE V16 spread(int width, V16 v, int i)
{
  int lane = width == 8 ? i : i % 2 * 4 + i / 2, second = width == 8 ? lane : lane + 2;
#if defined __AVX2__
  const V16 first_half = (V16)((V32){0} + 0x01000100u);
  V16 zero = {0}, halves = low64(zero, zero + (uint16_t)(0x0202 * (second - lane)));
  V16 bytes = first_half + halves + (uint16_t)(0x0202 * lane);
  return (V16)STX_MM(shuffle_epi8)((Register)v, (Register)bytes);
#else
  uint16_t a = v[lane], b = v[second];
  return (V16){a, a, a, a, b, b, b, b};
#endif
}

/* ---- Down ----------------------------------------------------------------------------------- */

typedef uint8_t Bytes __attribute__((vector_size(VECTOR_BYTES / 2), aligned(1), may_alias));
typedef uint16_t Unaligned __attribute__((vector_size(VECTOR_BYTES), aligned(2), may_alias));

/* Sums down the rows of vector i of each row. */
typedef struct {
  V16 least[8], most[8], known[8], any[8], rest[8]; /* least: of d − 1; any: known or sky */
  V32 weight[8], any_weight[8], moment[8];
} Down;

/* GCC makes two halves of it and joins them. */
ALWAYS_INLINE V16 widen_bytes(const uint8_t *bytes)
{
#if defined __AVX512BW__
  return (V16)_mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)bytes));
#elif defined __AVX2__
  return (V16)_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)bytes));
#else
  return __builtin_convertvector(*(const Bytes *)bytes, V16);
#endif
}

/* Keeps d, 0 without confidence, and c². Of cells 4 high, as those 4 wide mostly are, the rows
 * below have to be asked for: the processor sees four rows too late to do so. */
ALWAYS_INLINE void look_down(
    const SmoothRows *rows, int width, bool sky, int i, const Pixels *pixels, Down *down)
{
  V16 lowest = ~(V16){0}, highest = {0}, knowns = {0}, any = {0};
  V32 weight = {0}, any_weight = {0};
  const char *d_row = (const char *)(rows->disparity + i * LANES);
  const uint8_t *c_row = rows->confidence + i * LANES;
  for (int y = 0; y < rows->count; y++) {
    if (width == 4) {
      __builtin_prefetch(d_row + rows->count * rows->disparity_stride);
      __builtin_prefetch(c_row + rows->count * rows->confidence_stride);
    }
    V16 c = widen_bytes(c_row);
    V16 d = where_not_zero(*(const Unaligned *)d_row, c), known = where_not_zero(c, d);
    pixels->disparity[y * width + i] = d;
    pixels->weight[y * width + i] = c * c;
    knowns = count_not_zero(knowns, d);
    lowest = least(lowest, d - 1);
    highest = most(highest, d);
    weight += multiply_pairs(known, known);
    if (sky) {
      any = count_not_zero(any, c);
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

ALWAYS_INLINE void multiply_down(
    const SmoothRows *rows, int width, int i, V16 low, const Pixels *pixels, Down *down)
{
  V16 rest = {0};
  V32 moment = {0};
  for (int y = 0; y < rows->count; y++) {
    V16 r = minus(pixels->disparity[y * width + i], low);
    moment += multiply_pairs(pixels->weight[y * width + i] ^ 0x8000, r);
    rest += r;
  }
  down->rest[i] = rest;
  down->moment[i] = moment;
}

/* ---- Cells ---------------------------------------------------------------------------------- */

ALWAYS_INLINE V16 across(int width, Operation operation, const V16 *v)
{
  return width == 8 ? across8(operation, v) : across4(operation, v);
}

ALWAYS_INLINE void store_words(int width, const V32 *v, int32_t out[LANES])
{
  for (int half = 0; half < 2; half++) {
    V32 sum = width == 8 ? add_across8(v + 4 * half) : add_across4(v + 2 * half);
    sum = words_in_order(width, sum);
    memcpy(out + half * LANES / 2, &sum, sizeof sum);
  }
}

static void store_lanes(V16 v, int32_t out[LANES])
{
  uint16_t lanes[LANES];
  memcpy(lanes, &v, sizeof v);
  for (int i = 0; i < LANES; i++)
    out[i] = lanes[i];
}

ALWAYS_INLINE V16 gather(
    const SmoothRows *rows, int width, bool sky, const Pixels *pixels, Sums *sums)
{
  Down down;
#pragma GCC unroll 8
  for (int i = 0; i < width; i++)
    look_down(rows, width, sky, i, pixels, &down);
  V16 low = across(width, LEAST, down.least) + 1;
#pragma GCC unroll 8
  for (int i = 0; i < width; i++)
    multiply_down(rows, width, i, spread(width, low, i), pixels, &down);
  V16 highest = across(width, MOST, down.most);
  V16 valid = in_order(width, across(width, ADD, down.known));
  low = in_order(width, low);
  memcpy(sums->low, &low, sizeof low);
  memcpy(sums->valid, &valid, sizeof valid);
  store_lanes(valid, sums->entered);
  store_lanes(in_order(width, across(width, ADD, down.rest)), sums->moment_high);
  store_words(width, down.moment, sums->moment_low);
  store_words(width, down.weight, sums->weight);
  if (sky) {
    V16 skies = in_order(width, across(width, ADD, down.any)) - valid;
    memcpy(sums->sky, &skies, sizeof skies);
    for (int i = 0; i < width; i++)
      down.any_weight[i] -= down.weight[i];
    store_words(width, down.any_weight, sums->sky_weight);
  }
  return in_order(width, highest) - low;
}

void STX_VARIANT(stx_colmean_smooth)(
    const SmoothRows *rows, int width, bool sky, const Pixels *pixels, Sums *sums, V16 *range)
{
  if (width == 8)
    *range = sky ? gather(rows, 8, true, pixels, sums) : gather(rows, 8, false, pixels, sums);
  else
    *range = sky ? gather(rows, 4, true, pixels, sums) : gather(rows, 4, false, pixels, sums);
}
