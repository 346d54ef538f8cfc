/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fast code: threads over rows; vectors where the processor can load from places of a vector. */
#include "common/cpu.h"
#include "common/rectify/rectify_math.h"
#include "common/rectify/rectify.h"

#include "common/parallel.h"
#include "common/simd/simd.h"

STX_DECLARE(StxRectifyImpl, stx_rectify, run);
STX_DECLARE(StxRectifyImpl, stx_rectify, run_packed);

#define BATCH 16 /* rows that a thread takes at a time: they share the source's lines */

/* A row of the target, and all of the source. */
typedef struct {
  const uint8_t *source;
  ptrdiff_t stride;
  int source_width; /* samples */
  const uint32_t *place;
  const uint16_t *fraction;
  int width;
  const uint8_t *border;
  uint8_t *target;
} Row;

/* The same of packed 4:2:2: `pixels` has source, stride and target, `colours` the other map. */
typedef struct {
  Row pixels, colours;
  const StxRectifyPacked *packed;
} PackedRow;

#ifdef __AVX2__
/*
 * ---- Rows with AVX2 --------------------------------------------------------------------------
 *
 * A gather loads the two samples of each lane that lie side by side, a second one
 * the two below; where 4 or 8 bytes would reach over the end of the source's row, they are loaded
 * further left and shifted. Products of bytes and weights add up in pairs, first across (below
 * 2^14), then down (below 2^20).
 */

/* Bytes of eight lanes of 32 bits, each lane's the same. */
#define EACH_LANE(a, b, c, d)                                                                      \
  _mm256_setr_epi8(a, b, c, d, 4 + (a), 4 + (b), 4 + (c), 4 + (d), 8 + (a), 8 + (b), 8 + (c),      \
      8 + (d), 12 + (a), 12 + (b), 12 + (c), 12 + (d), a, b, c, d, 4 + (a), 4 + (b), 4 + (c),      \
      4 + (d), 8 + (a), 8 + (b), 8 + (c), 8 + (d), 12 + (a), 12 + (b), 12 + (c), 12 + (d))

/* Weights of eight samples. */
typedef struct {
  __m256i outside;      /* lanes of what is not seen: all ones */
  __m256i place;        /* with 0 there */
  __m256i across, down; /* bytes 64 − fx, fx, 64 − fx, fx; words 64 − fy, fy */
} Eight;

static inline Eight load_eight(const Row *row, int x)
{
  __m256i place = _mm256_loadu_si256((const __m256i *)(const void *)(row->place + x));
  __m256i fraction =
      _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(row->fraction + x)));
  __m256i fx = _mm256_shuffle_epi8(fraction, EACH_LANE(0, 0, 0, 0));
  __m256i fy = _mm256_shuffle_epi8(fraction, EACH_LANE(1, 2, 1, 2)); /* byte 2 is 0 */
  Eight eight;
  eight.outside = _mm256_srai_epi32(place, 31);
  eight.place = _mm256_andnot_si256(eight.outside, place);
  /* 64 − f is 65 + ~f. */
  eight.across =
      _mm256_add_epi8(_mm256_xor_si256(fx, _mm256_set1_epi16(0x00FF)), _mm256_set1_epi16(65));
  eight.down =
      _mm256_add_epi16(_mm256_xor_si256(fy, _mm256_set1_epi32(0xFFFF)), _mm256_set1_epi32(65));
  return eight;
}

/* The lanes' first samples in the source, and the bits that they lie above it. */
typedef struct {
  __m256i at, bits;
} Places;

/* Loads of `load` bytes that stay in the row. */
static inline Places find_places(const Row *row, __m256i place, int bytes, int load)
{
  __m256i factors = _mm256_set1_epi32((int)((uint32_t)row->stride << 16 | (uint32_t)bytes));
  __m256i column = _mm256_madd_epi16(place, _mm256_set1_epi32(bytes));
  __m256i last = _mm256_set1_epi32(row->source_width * bytes - load);
  __m256i over = _mm256_max_epi32(_mm256_sub_epi32(column, last), _mm256_setzero_si256());
  return (Places){
      _mm256_sub_epi32(_mm256_madd_epi16(place, factors), over), _mm256_slli_epi32(over, 3)};
}

static inline __m256i rounded(__m256i sums)
{
  return _mm256_srli_epi32(_mm256_add_epi32(sums, _mm256_set1_epi32(2048)), 12);
}

/* ---- Samples of one byte ------------------------------------------------------------------- */

static int row_1(const Row *row)
{
  const int *upper = (const int *)(const void *)row->source;
  const int *lower = (const int *)(const void *)(row->source + row->stride);
  const __m256i border = _mm256_set1_epi32(row->border[0]);
  int x = 0;
  for (; x + 8 <= row->width; x += 8) {
    Eight eight = load_eight(row, x);
    Places places = find_places(row, eight.place, 1, 4);
    __m256i above = _mm256_srlv_epi32(_mm256_i32gather_epi32(upper, places.at, 1), places.bits);
    __m256i below = _mm256_srlv_epi32(_mm256_i32gather_epi32(lower, places.at, 1), places.bits);
    __m256i four = _mm256_blend_epi16(above, _mm256_slli_epi32(below, 16), 0xAA);
    __m256i sums = _mm256_madd_epi16(_mm256_maddubs_epi16(four, eight.across), eight.down);
    __m256i out = _mm256_blendv_epi8(rounded(sums), border, eight.outside);
    __m256i bytes = _mm256_shuffle_epi8(out, EACH_LANE(0, 4, 8, 12));
    int halves[2] = {_mm256_extract_epi32(bytes, 0), _mm256_extract_epi32(bytes, 4)};
    memcpy(row->target + x, halves, 8);
  }
  return x;
}

/* ---- Samples of two bytes ------------------------------------------------------------------ */

static int row_2(const Row *row)
{
  const int *upper = (const int *)(const void *)row->source;
  const int *lower = (const int *)(const void *)(row->source + row->stride);
  const __m256i border = _mm256_set1_epi32(row->border[0] | row->border[1] << 16);
  int x = 0;
  for (; x + 8 <= row->width; x += 8) {
    Eight eight = load_eight(row, x);
    Places places = find_places(row, eight.place, 2, 4);
    __m256i order = EACH_LANE(0, 2, 1, 3);
    __m256i above = _mm256_shuffle_epi8(_mm256_i32gather_epi32(upper, places.at, 1), order);
    __m256i below = _mm256_shuffle_epi8(_mm256_i32gather_epi32(lower, places.at, 1), order);
    above = _mm256_maddubs_epi16(above, eight.across);
    below = _mm256_maddubs_epi16(below, eight.across);
    __m256i low = _mm256_madd_epi16(
        _mm256_unpacklo_epi16(above, below), _mm256_unpacklo_epi32(eight.down, eight.down));
    __m256i high = _mm256_madd_epi16(
        _mm256_unpackhi_epi16(above, below), _mm256_unpackhi_epi32(eight.down, eight.down));
    __m256i words = _mm256_packus_epi32(rounded(low), rounded(high));
    words = _mm256_blendv_epi8(words, border, eight.outside);
    __m256i bytes = _mm256_packus_epi16(words, words);
    long long halves[2] = {_mm256_extract_epi64(bytes, 0), _mm256_extract_epi64(bytes, 2)};
    memcpy(row->target + 2 * x, halves, 16);
  }
  return x;
}

/* ---- Samples of three and four bytes ------------------------------------------------------- */

/* The samples of two lanes of 64 bits side by side: byte i of both, then the next. */
static inline __m256i pair_up(__m256i samples, int bytes)
{
  const __m256i three = _mm256_setr_epi8(0, 3, 1, 4, 2, 5, -1, -1, 8, 11, 9, 12, 10, 13, -1, -1, 0,
      3, 1, 4, 2, 5, -1, -1, 8, 11, 9, 12, 10, 13, -1, -1);
  const __m256i four = _mm256_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15, 0, 4,
      1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
  return _mm256_shuffle_epi8(samples, bytes == 3 ? three : four);
}

/* Eight bytes from each of four places. One by one: a gather of so few is slower. */
static inline __m256i load_pairs(const uint8_t *from, const int *at, __m256i bits, int bytes)
{
  long long pairs[4];
  for (int i = 0; i < 4; i++)
    memcpy(&pairs[i], from + at[i], 8);
  __m256i loaded = _mm256_setr_epi64x(pairs[0], pairs[1], pairs[2], pairs[3]);
  return pair_up(bytes == 3 ? _mm256_srlv_epi64(loaded, bits) : loaded, bytes);
}

/* Four samples as words, two lanes of 64 bits in each half; weights stand in lanes of 64 bits. */
static inline __m256i blend_four(__m256i above, __m256i below, __m256i across, __m256i down)
{
  above = _mm256_maddubs_epi16(above, across);
  below = _mm256_maddubs_epi16(below, across);
  __m256i low =
      _mm256_madd_epi16(_mm256_unpacklo_epi16(above, below), _mm256_unpacklo_epi64(down, down));
  __m256i high =
      _mm256_madd_epi16(_mm256_unpackhi_epi16(above, below), _mm256_unpackhi_epi64(down, down));
  return _mm256_packus_epi32(rounded(low), rounded(high));
}

/* Each of four lanes of 32 bits twice. */
static inline __m256i twice(__m128i lanes)
{
  __m256i wide = _mm256_cvtepu32_epi64(lanes);
  return _mm256_or_si256(wide, _mm256_slli_epi64(wide, 32));
}

/* Four samples of four bytes. */
static inline __m128i pack_four(__m256i words, __m256i outside, uint32_t border)
{
  __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi16(words, words), 0x08);
  __m128i lanes = _mm256_castsi256_si128(packed);
  __m128i not_seen = _mm256_castsi256_si128(
      _mm256_permutevar8x32_epi32(outside, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
  return _mm_blendv_epi8(lanes, _mm_set1_epi32((int)border), not_seen);
}

static inline void store_four(
    uint8_t *to, __m256i words, __m256i outside, uint32_t border, int bytes)
{
  const __m128i close = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
  __m128i lanes = pack_four(words, outside, border);
  if (bytes == 3)
    lanes = _mm_shuffle_epi8(lanes, close);
  memcpy(to, &lanes, (size_t)(4 * bytes));
}

INLINE int row_wide(const Row *row, int bytes)
{
  uint32_t border = 0;
  int x = 0;
  memcpy(&border, row->border, (size_t)bytes);
  for (; x + 8 <= row->width; x += 8) {
    Eight eight = load_eight(row, x);
    Places places = find_places(row, eight.place, bytes, 8);
    int at[8];
    _mm256_storeu_si256((__m256i *)(void *)at, places.at);
    for (int half = 0; half < 2; half++) {
#define HALF(v) (half == 0 ? _mm256_castsi256_si128(v) : _mm256_extracti128_si256(v, 1))
      __m256i bits = _mm256_cvtepu32_epi64(HALF(places.bits));
      __m256i above = load_pairs(row->source, at + 4 * half, bits, bytes);
      __m256i below = load_pairs(row->source + row->stride, at + 4 * half, bits, bytes);
      __m256i words = blend_four(above, below, twice(HALF(eight.across)), twice(HALF(eight.down)));
      store_four(
          row->target + (x + 4 * half) * bytes, words, twice(HALF(eight.outside)), border, bytes);
#undef HALF
    }
  }
  return x;
}

INLINE int vector_row(const Row *row, int bytes)
{
  return bytes == 1 ? row_1(row) : bytes == 2 ? row_2(row) : row_wide(row, bytes);
}

/* ---- Packed 4:2:2 -------------------------------------------------------------------------- */

/* The own bytes of eight pixels, each in a lane of 16 bits. */
static inline __m128i eight_pixels(const Row *row, int x, int luma, uint8_t border)
{
  const int *upper = (const int *)(const void *)row->source;
  const int *lower = (const int *)(const void *)(row->source + row->stride);
  const __m256i order = luma == 0 ? EACH_LANE(0, 2, 0, 2) : EACH_LANE(1, 3, 1, 3);
  Eight eight = load_eight(row, x);
  Places places = find_places(row, eight.place, 2, 4);
  __m256i above = _mm256_shuffle_epi8(_mm256_i32gather_epi32(upper, places.at, 1), order);
  __m256i below = _mm256_shuffle_epi8(_mm256_i32gather_epi32(lower, places.at, 1), order);
  __m256i four = _mm256_blend_epi16(above, below, 0xAA);
  __m256i sums = _mm256_madd_epi16(_mm256_maddubs_epi16(four, eight.across), eight.down);
  __m256i out = _mm256_blendv_epi8(rounded(sums), _mm256_set1_epi32(border), eight.outside);
  return _mm256_castsi256_si128(_mm256_permute4x64_epi64(_mm256_packus_epi32(out, out), 0x08));
}

/* Pairs are samples of four bytes, of which the colours are kept. */
static int row_packed(const PackedRow *row)
{
  const Row *pixels = &row->pixels, *colours = &row->colours;
  const int luma = row->packed->luma;
  const __m128i own = _mm_set1_epi16(luma == 0 ? 0x00FF : (short)0xFF00);
  const uint32_t border = row->packed->border[1] * 0x01010101u;
  int u = 0;
  for (; u + 8 <= colours->width && 2 * (u + 8) <= pixels->width; u += 8) {
    Eight eight = load_eight(colours, u);
    Places places = find_places(colours, eight.place, 4, 8);
    int at[8];
    _mm256_storeu_si256((__m256i *)(void *)at, places.at);
    for (int half = 0; half < 2; half++) {
#define HALF(v) (half == 0 ? _mm256_castsi256_si128(v) : _mm256_extracti128_si256(v, 1))
      int first = u + 4 * half;
      __m256i above = load_pairs(pixels->source, at + 4 * half, _mm256_setzero_si256(), 4);
      __m256i below =
          load_pairs(pixels->source + pixels->stride, at + 4 * half, _mm256_setzero_si256(), 4);
      __m256i words = blend_four(above, below, twice(HALF(eight.across)), twice(HALF(eight.down)));
      __m128i pairs = pack_four(words, twice(HALF(eight.outside)), border);
      __m128i lumas = _mm_slli_epi16(
          eight_pixels(pixels, 2 * first, luma, row->packed->border[0]), luma == 0 ? 0 : 8);
      pairs = _mm_or_si128(_mm_andnot_si128(own, pairs), lumas);
      memcpy(pixels->target + 4 * first, &pairs, 16);
#undef HALF
    }
  }
  return u;
}

#else
/* Samples done by vectors. */
static int vector_row(const Row *row, int bytes)
{
  return 0;
}

/* Pairs done by vectors. */
static int row_packed(const PackedRow *row)
{
  return 0;
}
#endif

/* ---- Planes -------------------------------------------------------------------------------- */

typedef struct {
  const StxRectifyMap *map;
  const StxRectifySample *sample;
  const StxImage8 *source, *target;
} Shared;

/* A factor of 16 bits. */
static bool fits(const Row *row)
{
  return row->stride >= INT16_MIN && row->stride <= INT16_MAX;
}

static Row row_of(const StxRectifyMap *map, const StxImage8 *source, const StxImage8 *target, int y)
{
  size_t first = (size_t)y * (size_t)map->width;
  return (Row){.source = source->data,
      .stride = source->stride,
      .source_width = map->source_width,
      .place = map->place + first,
      .fraction = map->fraction + first,
      .width = map->width,
      .target = stx_row8(target, y)};
}

INLINE void fill_row(const Row *row, int bytes)
{
  for (int x = fits(row) ? vector_row(row, bytes) : 0; x < row->width; x++)
    stx_rectify_sample(row->source, row->stride, row->place[x], row->fraction[x], bytes,
        row->border, row->target + x * bytes);
}

static void do_batch(void *data, int batch, int worker)
{
  const Shared *s = data;
  const StxRectifyMap *map = s->map;
  for (int y = batch * BATCH; y < (batch + 1) * BATCH && y < map->height; y++) {
    Row row = row_of(map, s->source, s->target, y);
    row.border = s->sample->border;
    if (s->sample->bytes == 1)
      fill_row(&row, 1);
    else if (s->sample->bytes == 2)
      fill_row(&row, 2);
    else if (s->sample->bytes == 3)
      fill_row(&row, 3);
    else
      fill_row(&row, 4);
  }
}

bool STX_VARIANT(stx_rectify_run)(const StxRectifyMap *map, const StxRectifySample *sample,
    const StxImage8 *source, const StxImage8 *target, const StxPlace *place, StxError *error)
{
  Shared shared = {map, sample, source, target};
  stx_parallel(place->threads, (map->height + BATCH - 1) / BATCH, do_batch, &shared);
  return true;
}

/* ---- Packed 4:2:2 -------------------------------------------------------------------------- */

typedef struct {
  const StxRectifyMap *pixels, *colours;
  const StxRectifyPacked *packed;
  const StxImage8 *source, *target;
} SharedPacked;

static void do_packed_batch(void *data, int batch, int worker)
{
  const SharedPacked *s = data;
  for (int y = batch * BATCH; y < (batch + 1) * BATCH && y < s->pixels->height; y++) {
    PackedRow row = {row_of(s->pixels, s->source, s->target, y),
        row_of(s->colours, s->source, s->target, y), s->packed};
    const Row *pixels = &row.pixels, *colours = &row.colours;
    for (int u = fits(pixels) ? row_packed(&row) : 0; u < colours->width; u++)
      stx_rectify_pair_of_pixels(s->packed, pixels->source, pixels->stride, pixels->place + 2 * u,
          pixels->fraction + 2 * u, 2 * u + 1 < pixels->width ? 2 : 1, colours->place[u],
          colours->fraction[u], pixels->target + 4 * u);
  }
}

bool STX_VARIANT(stx_rectify_run_packed)(const StxRectifyMap *pixels, const StxRectifyMap *colours,
    const StxRectifyPacked *packed, const StxImage8 *source, const StxImage8 *target,
    const StxPlace *place, StxError *error)
{
  SharedPacked shared = {pixels, colours, packed, source, target};
  stx_parallel(place->threads, (pixels->height + BATCH - 1) / BATCH, do_packed_batch, &shared);
  return true;
}
