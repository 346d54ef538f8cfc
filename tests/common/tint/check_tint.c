/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tint: levels, colours, counts and ranges by hand and by other ways to the same; all
 * implementations against the reference. */
#include "common/metrics/metrics.h"
#include "tests/common/tint/tint_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const StxTintImpl *reference(void)
{
  return stx_impl_named(&stx_tint_impls, "c");
}

static const StxPlace alone = {.threads = 1};

/* ---- Levels by hand ------------------------------------------------------------------------ */

typedef struct {
  StxTintMode mode;
  StxTintNumbers numbers;
  StxDisparityEncoding encoding;
  double min, max;
  unsigned number;
  int level;
} Level;

#define MAP STX_TINT_OF_MAP
static const Level levels[] = {
    {STX_TINT_DISPARITY, MAP, STX_DISPARITY_KITTI, 0, 0, 0, 0},
    {STX_TINT_DISPARITY, MAP, STX_DISPARITY_KITTI, 0, 0, 1, 1},
    {STX_TINT_DISPARITY, MAP, STX_DISPARITY_KITTI, 0, 0, 32 * 256, 128},
    {STX_TINT_DISPARITY, MAP, STX_DISPARITY_KITTI, 0, 0, 64 * 256, 254},
    {STX_TINT_DISPARITY, MAP, STX_DISPARITY_KITTI, 0, 0, 65535, 254},
    {STX_TINT_DISPARITY, MAP, STX_DISPARITY_AUTO, 10, 20, 10 * 256, 1},
    {STX_TINT_DISPARITY, MAP, STX_DISPARITY_AUTO, 10, 20, 15 * 256, 128},
    {STX_TINT_DISPARITY, MAP, STX_DISPARITY_AUTO, 10, 20, 5 * 256, 1},
    {STX_TINT_DISPARITY, MAP, STX_DISPARITY_CITYSCAPES, 0, 0, 1, 0},
    {STX_TINT_DISPARITY, MAP, STX_DISPARITY_CITYSCAPES, 0, 0, 32 * 256 + 1, 128},
    {STX_TINT_DISPARITY, MAP, STX_DISPARITY_OPENCV, 0, 0, 32 * 16, 128},
    {STX_TINT_DISPARITY, MAP, STX_DISPARITY_OPENCV, 0, 0, 65535, 0},
    {STX_TINT_DISPARITY, MAP, STX_DISPARITY_OPENCV, 0, 0, 32768, 0},
    {STX_TINT_DISPARITY, MAP, STX_DISPARITY_OPENCV, 0, 0, 32767, 254},
    /* Near has the last colour: 50 m are 1, and so is all beyond. */
    {STX_TINT_DEPTH, MAP, STX_DISPARITY_DEPTH_MM, 0, 0, 50000, 1},
    {STX_TINT_DEPTH, MAP, STX_DISPARITY_DEPTH_MM, 0, 0, 60000, 1},
    {STX_TINT_DEPTH, MAP, STX_DISPARITY_DEPTH_MM, 0, 0, 25000, 128},
    {STX_TINT_DEPTH, MAP, STX_DISPARITY_DEPTH_MM, 0, 0, 1, 254},
    {STX_TINT_DEPTH, MAP, STX_DISPARITY_DEPTH_MM, 0, 0, 65535, 0},
    {STX_TINT_DEPTH, MAP, STX_DISPARITY_DEPTH_MM, 0, 0, 0, 0},
    /* focal · baseline = 400 px m: 16 px are 25 m, and 25 m 16 px. */
    {STX_TINT_DEPTH, MAP, STX_DISPARITY_KITTI, 0, 0, 16 * 256, 128},
    {STX_TINT_DEPTH, MAP, STX_DISPARITY_KITTI, 0, 0, 1, 1},
    {STX_TINT_DISPARITY, MAP, STX_DISPARITY_DEPTH_MM, 0, 32, 25000, 128},
    {STX_TINT_CONFIDENCE, STX_TINT_OF_BYTE, STX_DISPARITY_AUTO, 0, 0, 0, 1},
    {STX_TINT_CONFIDENCE, STX_TINT_OF_BYTE, STX_DISPARITY_AUTO, 0, 0, 255, 254},
    {STX_TINT_CONFIDENCE, STX_TINT_OF_BYTE, STX_DISPARITY_AUTO, 0, 0, 51, 52},
    {STX_TINT_CONFIDENCE, STX_TINT_OF_PART, STX_DISPARITY_AUTO, 0, 0, 0, 0},
    {STX_TINT_CONFIDENCE, STX_TINT_OF_PART, STX_DISPARITY_AUTO, 0, 0, 1, 1},
    {STX_TINT_CONFIDENCE, STX_TINT_OF_PART, STX_DISPARITY_AUTO, 0, 0, 2049, 128},
    {STX_TINT_CONFIDENCE, STX_TINT_OF_PART, STX_DISPARITY_AUTO, 0, 0, 65534, 254},
    {STX_TINT_CONFIDENCE, STX_TINT_OF_PART, STX_DISPARITY_AUTO, 0, 0, 65535, STX_TINT_SKY},
    {STX_TINT_CONFIDENCE, STX_TINT_OF_SURE, STX_DISPARITY_AUTO, 0, 0, 51, 52},
    {STX_TINT_COST, STX_TINT_OF_PART, STX_DISPARITY_AUTO, 0, 4, 8193, 128},
    {STX_TINT_COST, STX_TINT_OF_PART, STX_DISPARITY_AUTO, 0, 4, 65535, STX_TINT_SKY},
};

static StxTintTable table;

START_TEST(levels_by_hand)
{
  for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
    const Level *l = &levels[i];
    StxTintParams params = {.mode = l->mode,
        .palette = STX_PALETTE_GRAY,
        .min = l->min,
        .max = l->max,
        .numbers = l->numbers,
        .encoding = l->encoding,
        .focal_baseline = 400};
    ck_assert(stx_tint_check(&params, NULL));
    stx_tint_table(&params, stx_tint_span(&params), stx_pixel_format("RGB"), &table);
    ck_assert_msg(table.level[l->number] == l->level, "row %zu: %d", i, table.level[l->number]);
  }
}
END_TEST

/* ---- Colours by hand ----------------------------------------------------------------------- */

/* A row of one unknown pixel and the two ends of gray, and the same nine pixels to the right of it,
 * where the next square has begun. */
static void paint_row(const char *format, int pixel, uint8_t *bytes)
{
  uint16_t numbers[11] = {0, 1, 65535, 0, 0, 0, 0, 0, 0, 1, 65535};
  StxTintParams params = {.mode = STX_TINT_DISPARITY, .palette = STX_PALETTE_GRAY};
  StxTintInput input = {.map = {numbers, sizeof numbers, 11, 1}};
  StxTintPicture picture = {bytes, 11 * pixel, 11, 1, pixel, 3};
  StxTintCount count;
  stx_tint_table(&params, stx_tint_span(&params), stx_pixel_format(format), &table);
  ck_assert(reference()->paint(&input, &table, &picture, &count, &alone, NULL));
  ck_assert_uint_eq(count.truth, 0);
}

START_TEST(bytes_of_a_pixel)
{
  uint8_t rgb[33], xrgb[44];
  paint_row("RGB", 3, rgb);
  paint_row("xRGB", 4, xrgb);
  for (int i = 0; i < 3; i++) {
    ck_assert_uint_eq(rgb[3 + i], 0);
    ck_assert_uint_eq(rgb[6 + i], 255);
    ck_assert_uint_eq(xrgb[8 + 1 + i], 255);
    ck_assert_uint_eq(xrgb[4 + 1 + i], 0);
    ck_assert_uint_eq(rgb[i], rgb[9 + i]);
    ck_assert_uint_ne(rgb[i], rgb[24 + i]); /* the other square */
  }
  for (int x = 0; x < 11; x++)
    ck_assert_uint_eq(xrgb[4 * x], 255);
}
END_TEST

/* Unknown pixels look like nothing that is known, whatever the palette. */
START_TEST(unknown_is_distinct)
{
  for (int palette = 0; palette < STX_PALETTES; palette++) {
    StxTintParams params = {.mode = STX_TINT_DISPARITY, .palette = palette};
    StxRgb even = stx_tint_colour(&params, 0, false), odd = stx_tint_colour(&params, 0, true);
    ck_assert_int_ge(abs(even.r - odd.r), 12); /* squares are seen */
    params.unknown = STX_TINT_BLACK;
    even = stx_tint_colour(&params, 0, false);
    ck_assert_int_eq(even.r + even.g + even.b, 0);
    params.unknown = STX_TINT_GREY;
    even = stx_tint_colour(&params, 0, true);
    ck_assert_int_gt(even.r, 60);
  }
}
END_TEST

static int distance_of(StxRgb a, StxRgb b)
{
  return abs(a.r - b.r) + abs(a.g - b.g) + abs(a.b - b.b);
}

/* Sky looks like no value, in any palette, and not like what is unknown. */
START_TEST(sky_is_distinct)
{
  for (int palette = 0; palette < STX_PALETTES; palette++) {
    StxTintParams params = {.mode = STX_TINT_CONFIDENCE, .palette = palette};
    StxRgb sky = stx_tint_colour(&params, STX_TINT_SKY, false);
    for (int level = 0; level <= STX_TINT_MOST; level++)
      ck_assert_int_ge(distance_of(sky, stx_tint_colour(&params, level, false)), 60);
  }
}
END_TEST

/* Pixels of a row that only a confidence and a disparity make: where there is no disparity the
 * confidence is that of sky, and of a hole nothing can be certain. */
START_TEST(unknown_is_not_certain)
{
  static const struct {
    StxDisparityEncoding encoding;
    uint16_t number;
    uint8_t confidence;
    int level;
  } pixels[] = {
      {STX_DISPARITY_KITTI, 0, 255, STX_TINT_SKY},
      {STX_DISPARITY_KITTI, 0, 128, STX_TINT_SKY},
      {STX_DISPARITY_KITTI, 0, 127, 0},
      {STX_DISPARITY_KITTI, 0, 0, 0},
      {STX_DISPARITY_KITTI, 1, 255, STX_TINT_MOST},
      {STX_DISPARITY_KITTI, 65535, 0, 1},
      {STX_DISPARITY_CITYSCAPES, 1, 255, STX_TINT_SKY},
      {STX_DISPARITY_CITYSCAPES, 2, 255, STX_TINT_MOST},
      {STX_DISPARITY_OPENCV, 32767, 255, STX_TINT_MOST},
      {STX_DISPARITY_OPENCV, 32768, 3, 0},
      {STX_DISPARITY_DEPTH_MM, 65534, 51, 52},
      {STX_DISPARITY_DEPTH_MM, 65535, 255, STX_TINT_SKY},
  };
  for (size_t i = 0; i < sizeof pixels / sizeof pixels[0]; i++) {
    uint16_t number = pixels[i].number;
    uint8_t confidence = pixels[i].confidence, rgb[3];
    StxTintParams params = {.mode = STX_TINT_CONFIDENCE,
        .palette = STX_PALETTE_GRAY,
        .numbers = STX_TINT_OF_SURE,
        .encoding = pixels[i].encoding,
        .focal_baseline = 400};
    StxTintInput input = {.map = {&number, 2, 1, 1}, .bytes = {&confidence, 1, 1, 1}};
    StxTintPicture picture = {rgb, 3, 1, 1, 3, 3};
    StxTintCount count;
    ck_assert(stx_tint_check(&params, NULL));
    stx_tint_table(&params, stx_tint_span(&params), stx_pixel_format("RGB"), &table);
    ck_assert(reference()->paint(&input, &table, &picture, &count, &alone, NULL));
    StxRgb expected = stx_tint_colour(&params, pixels[i].level, false);
    ck_assert_msg(memcmp(rgb, &expected, 3) == 0, "row %zu: %d, %d, %d", i, rgb[0], rgb[1], rgb[2]);
  }
}
END_TEST

START_TEST(squares_grow_with_the_picture)
{
  ck_assert_int_eq(stx_tint_square_for(640, 360), 3);
  ck_assert_int_eq(stx_tint_square_for(1242, 719), 3);
  ck_assert_int_eq(stx_tint_square_for(720, 1280), 4);
  ck_assert_int_eq(stx_tint_square_for(3840, 2160), 5);
  ck_assert_int_eq(stx_tint_square_for(32768, 32768), STX_TINT_SQUARES);
}
END_TEST

/* ---- Errors -------------------------------------------------------------------------------- */

/* The formula of tint.h in double. */
static int error_level(unsigned d, unsigned t)
{
  double error = fabs((double)d - t), ratio = fmin(error / 768, 20 * error / t);
  int level = 1;
  for (int k = 0; k < 9; k++)
    level += ratio > ldexp(1. / 16, k);
  return t == 0 ? 0 : d == 0 ? STX_TINT_MISSING : level;
}

START_TEST(errors_by_hand)
{
  static const struct {
    unsigned d, t;
    int level;
  } pairs[] = {
      {0, 0, 0},
      {5, 0, 0},
      {0, 5, 11},
      {256, 256, 1},
      {2560 + 48, 2560, 1},
      {2560 + 49, 2560, 2},
      {2560 + 768, 2560, 5},
      {2560 + 769, 2560, 6}, /* 3 px … */
      {25600 + 1280, 25600, 5},
      {25600 + 1281, 25600, 6}, /* … and 5 % of 100 px */
      {2560 - 769, 2560, 6},
      {65535, 256, 10},
      {1, 65535, 10},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    uint16_t d = (uint16_t)pairs[i].d, t = (uint16_t)pairs[i].t;
    ck_assert_int_eq(error_level(d, t), pairs[i].level);
  }
}
END_TEST

/* Every pixel against the formula, every count against the score of metrics.h. */
START_TEST(errors_are_those_of_the_score)
{
  for (uint64_t seed = 0; seed < 12; seed++) {
    TintCase c = tint_case_new(6, seed, 90);
    StxDisparityScore score = {0};
    StxTintCount count;
    double sum = 0;
    uint8_t *bytes = stx_guarded_alloc((size_t)(3 * c.width * c.height));
    StxTintPicture picture = {bytes, 3 * c.width, c.width, c.height, 3, c.square};
    ck_assert(reference()->paint(&c.input, c.table, &picture, &count, &alone, NULL));
    stx_disparity_score_add(&score, &c.input.truth, &c.input.map);
    for (int y = 0; y < c.height; y++)
      for (int x = 0; x < c.width; x++) {
        unsigned d = stx_row16(&c.input.map, y)[x], t = stx_row16(&c.input.truth, y)[x];
        StxRgb colour = stx_tint_colour(
            &c.params, error_level(d, t), ((x / (1 << c.square)) ^ (y / (1 << c.square))) & 1);
        sum += t != 0 && d != 0 ? fabs((double)d - t) : 0;
        ck_assert_msg(memcmp(bytes + 3 * (y * c.width + x), &colour, 3) == 0, "%u of %u", d, t);
      }
    ck_assert_uint_eq(count.truth, score.truth);
    ck_assert_uint_eq(count.known, score.known);
    ck_assert_uint_eq(count.bad, score.bad_and - (score.truth - score.known));
    ck_assert_double_eq((double)count.sum, sum);
    stx_guarded_free(bytes);
    tint_case_free(&c);
  }
}
END_TEST

START_TEST(numbers_become_disparities)
{
  static uint16_t disparity[STX_TINT_NUMBERS];
  StxTintParams params = {.mode = STX_TINT_ERROR, .focal_baseline = 400};
  params.encoding = STX_DISPARITY_OPENCV;
  ck_assert(!stx_tint_is_plain(&params));
  stx_tint_disparities(&params, disparity);
  ck_assert_uint_eq(disparity[16], 256);
  ck_assert_uint_eq(disparity[0], 0);
  ck_assert_uint_eq(disparity[40000], 0);
  ck_assert_uint_eq(disparity[32767], 65535);
  params.encoding = STX_DISPARITY_DEPTH_MM;
  stx_tint_disparities(&params, disparity);
  ck_assert_uint_eq(disparity[25000], 16 * 256);
  ck_assert_uint_eq(disparity[1], 65535);
  ck_assert_uint_eq(disparity[65535], 0);
  params.encoding = STX_DISPARITY_KITTI;
  ck_assert(stx_tint_is_plain(&params));
  stx_tint_disparities(&params, disparity);
  for (unsigned number = 0; number < STX_TINT_NUMBERS; number++)
    ck_assert_uint_eq(disparity[number], number);
}
END_TEST

/* ---- Ranges -------------------------------------------------------------------------------- */

/* 1000 values of 10 … 20 px, and one in 200 far outside on either side. */
START_TEST(a_range_leaves_one_percent_out)
{
  enum { WIDTH = 1000 };
  uint16_t numbers[WIDTH];
  StxTintParams params = {.mode = STX_TINT_DISPARITY, .range = STX_TINT_FRAME};
  StxTintInput input = {.map = {numbers, sizeof numbers, WIDTH, 1}};
  StxTintHistogram histogram;
  StxTintSpan span = {0, 0};
  for (int i = 0; i < WIDTH; i++)
    numbers[i] = (uint16_t)(i % 200 == 0 ? 1 : i % 200 == 1 ? 60000 : 2560 + (i % 11) * 256);
  stx_tint_table(&params, stx_tint_span(&params), stx_pixel_format("RGB"), &table);
  ck_assert(reference()->spread(&input, &table, &histogram, &alone, NULL));
  ck_assert(stx_tint_measure(&params, &table, &histogram, &span));
  ck_assert_double_eq_tol(span.low, 10, .07);
  ck_assert_double_eq_tol(span.high, 20, .07);
  params.mode = STX_TINT_DEPTH;
  params.focal_baseline = 400;
  ck_assert(stx_tint_measure(&params, &table, &histogram, &span));
  ck_assert_double_eq_tol(span.low, 20, .1);
  ck_assert_double_eq_tol(span.high, 40, .3);
  memset(numbers, 0, sizeof numbers);
  ck_assert(reference()->spread(&input, &table, &histogram, &alone, NULL));
  ck_assert(!stx_tint_measure(&params, &table, &histogram, &span));
}
END_TEST

/* Of 400 pixels 100 are sky and 100 unknown: those known have .2 … .6. */
START_TEST(a_range_is_that_of_what_is_known)
{
  enum { WIDTH = 400 };
  uint16_t numbers[WIDTH];
  uint8_t bytes[WIDTH];
  StxTintParams params = {
      .mode = STX_TINT_CONFIDENCE, .range = STX_TINT_FRAME, .numbers = STX_TINT_OF_SURE};
  StxTintInput input = {
      .map = {numbers, sizeof numbers, WIDTH, 1}, .bytes = {bytes, sizeof bytes, WIDTH, 1}};
  StxTintHistogram histogram;
  StxTintSpan span = {0, 0};
  for (int i = 0; i < WIDTH; i++) {
    numbers[i] = i % 4 < 2 ? 0 : 2560;
    bytes[i] = (uint8_t)(i % 4 == 0 ? 255 : i % 4 == 1 ? 0 : i % 4 == 2 ? 51 : 153);
  }
  stx_tint_table(&params, stx_tint_span(&params), stx_pixel_format("RGB"), &table);
  ck_assert(reference()->spread(&input, &table, &histogram, &alone, NULL));
  ck_assert(stx_tint_measure(&params, &table, &histogram, &span));
  ck_assert_double_eq_tol(span.low, .2, 1e-9);
  ck_assert_double_eq_tol(span.high, .6, 1e-9);
}
END_TEST

START_TEST(a_range_is_followed_slowly)
{
  StxTintSpan now = stx_tint_follow(NULL, (StxTintSpan){10, 20});
  ck_assert(now.low == 10 && now.high == 20);
  now = stx_tint_follow(&now, (StxTintSpan){10, 21.6});
  ck_assert_double_eq_tol(now.high, 20.2, 1e-9);
  now = stx_tint_follow(&now, (StxTintSpan){40, 50}); /* another scene */
  ck_assert(now.low == 40 && now.high == 50);
  /* Ends stand still while a range moves by less than a step. */
  StxTintSpan a = stx_tint_round((StxTintSpan){10.05, 20.3});
  StxTintSpan b = stx_tint_round((StxTintSpan){10.07, 20.31});
  ck_assert(a.low == b.low && a.high == b.high);
  ck_assert(a.low <= 10.05 && a.low > 9.7 && a.high >= 20.3 && a.high < 20.7);
  a = stx_tint_round((StxTintSpan){5, 5});
  ck_assert(a.low <= 5 && a.high >= 5 && a.high > a.low);
}
END_TEST

/* ---- Stixels ------------------------------------------------------------------------------- */

START_TEST(stixels_become_maps)
{
  const StxStixel stixels[] = {
      {.column = 0,
          .top = 2,
          .bottom = 3,
          .kind = STX_KIND_OBJECT,
          .cost = 3,
          .confidence = .5f,
          .disparity_top = 4,
          .disparity_bottom = 4},
      {.column = 0, .top = 0, .bottom = 1, .kind = STX_KIND_SEGMENT, .cost = 3, .confidence = NAN},
      {.column = 1, .top = 2, .bottom = 9, .kind = STX_KIND_GROUND, .cost = -1, .confidence = 2},
      {.column = 1, .top = 0, .bottom = 1, .kind = STX_KIND_SKY, .cost = 7, .confidence = 1},
  };
  enum { SKY = STX_TINT_PART_SKY };
  static const uint16_t cost[] = {
      12289, 12289, SKY, 12289, 12289, SKY, 6145, 6145, 0, 6145, 6145, 0};
  static const uint16_t confidence[] = {0, 0, SKY, 0, 0, SKY, 2049, 2049, 8193, 2049, 2049, 8193};
  static const uint16_t disparity[] = {0, 0, 1, 0, 0, 1, 1024, 1024, 0, 1024, 1024, 0};
  uint16_t numbers[12];
  const StxImage16 map = {numbers, 6, 3, 4};
  stx_tint_render(stixels, 4, 2, STX_TINT_COST, &map);
  stx_expect_same(cost, numbers, sizeof numbers, "cost");
  stx_tint_render(stixels, 4, 2, STX_TINT_CONFIDENCE, &map);
  stx_expect_same(confidence, numbers, sizeof numbers, "confidence");
  stx_tint_render(stixels, 4, 2, STX_TINT_DISPARITY, &map);
  stx_expect_same(disparity, numbers, sizeof numbers, "disparity");
  stx_tint_render(NULL, 0, 2, STX_TINT_COST, &map);
  for (int i = 0; i < 12; i++)
    ck_assert_uint_eq(numbers[i], 0);
}
END_TEST

/* ---- Refusals ------------------------------------------------------------------------------ */

static void expect_refusal(StxTintParams params, const char *word)
{
  StxError error = {""};
  ck_assert(!stx_tint_check(&params, &error));
  ck_assert_msg(strstr(error.text, word) != NULL, "%s: %s", word, error.text);
}

START_TEST(refusals)
{
  expect_refusal((StxTintParams){.mode = STX_TINT_DISPARITY, .min = 20, .max = 20}, "below max");
  expect_refusal((StxTintParams){.mode = STX_TINT_DISPARITY, .min = 64}, "default");
  expect_refusal((StxTintParams){.mode = STX_TINT_DISPARITY, .max = -1}, "max");
  expect_refusal((StxTintParams){.mode = STX_TINT_DEPTH}, "baseline");
  expect_refusal(
      (StxTintParams){.mode = STX_TINT_ERROR, .encoding = STX_DISPARITY_DEPTH_MM}, "baseline");
  expect_refusal((StxTintParams){.mode = STX_TINT_DISPARITY, .palette = 77}, "palette");
}
END_TEST

/* ---- The others ---------------------------------------------------------------------------- */

typedef struct {
  StxImage8 bytes;
  StxTintCount count;
  StxTintHistogram histogram;
} Painted;

static Painted paint(const StxTintImpl *impl, const TintCase *c, int padding, int threads)
{
  int pixel = tint_case_pixel(c);
  Painted painted = {.bytes = stx_test_image8(c->width * pixel, c->height, padding)};
  StxPlace place = {.threads = threads};
  StxTintPicture picture = {
      painted.bytes.data, painted.bytes.stride, c->width, c->height, pixel, c->square};
  ck_assert(impl->paint(&c->input, c->table, &picture, &painted.count, &place, NULL));
  ck_assert(impl->spread(&c->input, c->table, &painted.histogram, &place, NULL));
  return painted;
}

static void compare(const StxTintImpl *impl, const TintCase *c, const char *what)
{
  Painted expected = paint(reference(), c, 0, 1);
  for (int threads = 1; threads <= 7; threads += 3) {
    Painted actual = paint(impl, c, threads, threads);
    stx_expect_same_image8(&expected.bytes, &actual.bytes, what);
    stx_expect_same(&expected.count, &actual.count, sizeof actual.count, what);
    stx_expect_same(&expected.histogram, &actual.histogram, sizeof actual.histogram, what);
    stx_test_image8_free(&actual.bytes);
  }
  stx_test_image8_free(&expected.bytes);
}

START_TEST(all_implementations_agree)
{
  for (int kind = 0; kind < TINT_CASES; kind++)
    for (uint64_t seed = 0; seed < 10; seed++) {
      TintCase c = tint_case_new(kind, seed, 300);
      for (size_t i = 0; i < stx_tint_impls.count; i++) {
        const StxTintImpl *impl = (const StxTintImpl *)stx_impl_at(&stx_tint_impls, i);
        char what[64];
        snprintf(what, sizeof what, "%s, kind %d, seed %d", impl->info.name, kind, (int)seed);
        if (stx_impl_usable(&impl->info))
          compare(impl, &c, what);
      }
      tint_case_free(&c);
    }
}
END_TEST

static const StxTest tests[] = {
    {&levels_by_hand},
    {&bytes_of_a_pixel},
    {&unknown_is_distinct},
    {&sky_is_distinct},
    {&unknown_is_not_certain},
    {&squares_grow_with_the_picture},
    {&errors_by_hand},
    {&errors_are_those_of_the_score},
    {&numbers_become_disparities},
    {&a_range_leaves_one_percent_out},
    {&a_range_is_that_of_what_is_known},
    {&a_range_is_followed_slowly},
    {&stixels_become_maps},
    {&refusals},
    {&all_implementations_agree},
};
STX_TESTING_MAIN("tint", tests)
