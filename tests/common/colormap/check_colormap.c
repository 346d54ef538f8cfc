/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colormap: levels and colours by hand, refusals, all implementations against the reference.
 * Ranges, stixels and legends: tests/frames.
 */
#include "tests/common/colormap/colormap_case.h"
#include "common/colormap/colormap.h"
#include "tests/common/oracle.h"

#include <stdio.h>
#include <string.h>

static const StxColormapImpl *reference(void)
{
  return oracle(&stx_colormap_impls);
}

static const StxPlace alone = {.threads = 1};

/* ---- Levels by hand ------------------------------------------------------------------------ */

typedef struct {
  StxColormapMode mode;
  StxColormapNumbers numbers;
  StxDisparityEncoding encoding;
  double min, max;
  unsigned number;
  int level;
} Level;

#define MAP STX_COLORMAP_OF_MAP
static const Level levels[] = {
    {STX_COLORMAP_DISPARITY, MAP, STX_DISPARITY_KITTI, 0, 0, 0, 0},
    {STX_COLORMAP_DISPARITY, MAP, STX_DISPARITY_KITTI, 0, 0, 1, 1},
    {STX_COLORMAP_DISPARITY, MAP, STX_DISPARITY_KITTI, 0, 0, 32 * 256, 128},
    {STX_COLORMAP_DISPARITY, MAP, STX_DISPARITY_KITTI, 0, 0, 65535, 254},
    {STX_COLORMAP_DISPARITY, MAP, STX_DISPARITY_AUTO, 10, 20, 15 * 256, 128},
    {STX_COLORMAP_DISPARITY, MAP, STX_DISPARITY_AUTO, 10, 20, 5 * 256, 1},
    {STX_COLORMAP_DISPARITY, MAP, STX_DISPARITY_CITYSCAPES, 0, 0, 1, 0},
    {STX_COLORMAP_DISPARITY, MAP, STX_DISPARITY_CITYSCAPES, 0, 0, 32 * 256 + 1, 128},
    {STX_COLORMAP_DISPARITY, MAP, STX_DISPARITY_OPENCV, 0, 0, 32 * 16, 128},
    {STX_COLORMAP_DISPARITY, MAP, STX_DISPARITY_OPENCV, 0, 0, 32768, 0},
    {STX_COLORMAP_DISPARITY, MAP, STX_DISPARITY_OPENCV, 0, 0, 32767, 254},
    /* Near has the last colour: 50 m are 1, and so is all beyond. */
    {STX_COLORMAP_DEPTH, MAP, STX_DISPARITY_DEPTH_MM, 0, 0, 50000, 1},
    {STX_COLORMAP_DEPTH, MAP, STX_DISPARITY_DEPTH_MM, 0, 0, 25000, 128},
    {STX_COLORMAP_DEPTH, MAP, STX_DISPARITY_DEPTH_MM, 0, 0, 1, 254},
    {STX_COLORMAP_DEPTH, MAP, STX_DISPARITY_DEPTH_MM, 0, 0, 65535, 0},
    {STX_COLORMAP_DEPTH, MAP, STX_DISPARITY_DEPTH_MM, 0, 0, 0, 0},
    /* focal · baseline = 400 px m: 16 px are 25 m, and 25 m 16 px. */
    {STX_COLORMAP_DEPTH, MAP, STX_DISPARITY_KITTI, 0, 0, 16 * 256, 128},
    {STX_COLORMAP_DEPTH, MAP, STX_DISPARITY_KITTI, 0, 0, 1, 1},
    {STX_COLORMAP_DISPARITY, MAP, STX_DISPARITY_DEPTH_MM, 0, 32, 25000, 128},
    {STX_COLORMAP_CONFIDENCE, STX_COLORMAP_OF_BYTE, STX_DISPARITY_AUTO, 0, 0, 0, 1},
    {STX_COLORMAP_CONFIDENCE, STX_COLORMAP_OF_BYTE, STX_DISPARITY_AUTO, 0, 0, 255, 254},
    {STX_COLORMAP_CONFIDENCE, STX_COLORMAP_OF_PART, STX_DISPARITY_AUTO, 0, 0, 0, 0},
    {STX_COLORMAP_CONFIDENCE, STX_COLORMAP_OF_PART, STX_DISPARITY_AUTO, 0, 0, 1, 1},
    {STX_COLORMAP_CONFIDENCE, STX_COLORMAP_OF_PART, STX_DISPARITY_AUTO, 0, 0, 2049, 128},
    {STX_COLORMAP_CONFIDENCE, STX_COLORMAP_OF_PART, STX_DISPARITY_AUTO, 0, 0, 65535,
        STX_COLORMAP_SKY},
    {STX_COLORMAP_CONFIDENCE, STX_COLORMAP_OF_SURE, STX_DISPARITY_AUTO, 0, 0, 51, 52},
    {STX_COLORMAP_COST, STX_COLORMAP_OF_PART, STX_DISPARITY_AUTO, 0, 4, 8193, 128},
    {STX_COLORMAP_COST, STX_COLORMAP_OF_PART, STX_DISPARITY_AUTO, 0, 4, 65535, STX_COLORMAP_SKY},
};

static StxColormapTable table;

STX_TEST(levels_by_hand)
{
  for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
    const Level *l = &levels[i];
    StxColormapParams params = {.mode = l->mode,
        .palette = STX_PALETTE_GRAY,
        .min = l->min,
        .max = l->max,
        .numbers = l->numbers,
        .encoding = l->encoding,
        .focal_baseline = 400};
    ck_assert(stx_colormap_check(&params, NULL));
    stx_colormap_table(&params, stx_colormap_span(&params), stx_pixel_format("RGB"), &table);
    ck_assert_msg(table.level[l->number] == l->level, "row %zu: %d", i, table.level[l->number]);
  }
}

/* ---- Colours by hand ----------------------------------------------------------------------- */

/* Pixels of a row that only a confidence and a disparity make: where there is no disparity the
 * confidence is that of sky, and of a hole nothing can be certain. */
STX_TEST(unknown_is_not_certain)
{
  static const struct {
    StxDisparityEncoding encoding;
    uint16_t number;
    uint8_t confidence;
    int level;
  } pixels[] = {
      {STX_DISPARITY_KITTI, 0, 255, STX_COLORMAP_SKY},
      {STX_DISPARITY_KITTI, 0, 128, STX_COLORMAP_SKY},
      {STX_DISPARITY_KITTI, 0, 127, 0},
      {STX_DISPARITY_KITTI, 0, 0, 0},
      {STX_DISPARITY_KITTI, 1, 255, STX_COLORMAP_MOST},
      {STX_DISPARITY_KITTI, 65535, 0, 1},
      {STX_DISPARITY_CITYSCAPES, 1, 255, STX_COLORMAP_SKY},
      {STX_DISPARITY_CITYSCAPES, 2, 255, STX_COLORMAP_MOST},
      {STX_DISPARITY_OPENCV, 32767, 255, STX_COLORMAP_MOST},
      {STX_DISPARITY_OPENCV, 32768, 3, 0},
      {STX_DISPARITY_DEPTH_MM, 65534, 51, 52},
      {STX_DISPARITY_DEPTH_MM, 65535, 255, STX_COLORMAP_SKY},
  };
  for (size_t i = 0; i < sizeof pixels / sizeof pixels[0]; i++) {
    uint16_t number = pixels[i].number;
    uint8_t confidence = pixels[i].confidence, rgb[3];
    StxColormapParams params = {.mode = STX_COLORMAP_CONFIDENCE,
        .palette = STX_PALETTE_GRAY,
        .numbers = STX_COLORMAP_OF_SURE,
        .encoding = pixels[i].encoding,
        .focal_baseline = 400};
    StxColormapInput input = {.map = {&number, 2, 1, 1}, .bytes = {&confidence, 1, 1, 1}};
    StxColormapPicture picture = {rgb, 3, 1, 1, 3, 3};
    ck_assert(stx_colormap_check(&params, NULL));
    stx_colormap_table(&params, stx_colormap_span(&params), stx_pixel_format("RGB"), &table);
    ck_assert(reference()->paint(&input, &table, &picture, &alone, NULL));
    StxRgb expected = stx_colormap_colour(&params, pixels[i].level, false);
    ck_assert_msg(memcmp(rgb, &expected, 3) == 0, "row %zu: %d, %d, %d", i, rgb[0], rgb[1], rgb[2]);
  }
}

/* ---- Ranges -------------------------------------------------------------------------------- */

STX_TEST(a_range_is_followed_slowly)
{
  StxColormapSpan now = stx_colormap_follow(NULL, (StxColormapSpan){10, 20});
  ck_assert(now.low == 10 && now.high == 20);
  now = stx_colormap_follow(&now, (StxColormapSpan){10, 21.6});
  ck_assert_double_eq_tol(now.high, 20.2, 1e-9);
  now = stx_colormap_follow(&now, (StxColormapSpan){40, 50}); /* another scene */
  ck_assert(now.low == 40 && now.high == 50);
  /* Ends stand still while a range moves by less than a step. */
  StxColormapSpan a = stx_colormap_round((StxColormapSpan){10.05, 20.3});
  StxColormapSpan b = stx_colormap_round((StxColormapSpan){10.07, 20.31});
  ck_assert(a.low == b.low && a.high == b.high);
  ck_assert(a.low <= 10.05 && a.low > 9.7 && a.high >= 20.3 && a.high < 20.7);
  a = stx_colormap_round((StxColormapSpan){5, 5});
  ck_assert(a.low <= 5 && a.high >= 5 && a.high > a.low);
}

/* ---- Refusals ------------------------------------------------------------------------------ */

static void expect_refusal(StxColormapParams params, const char *word)
{
  StxError error = {""};
  ck_assert(!stx_colormap_check(&params, &error));
  stx_expect_words(&error, word);
}

STX_TEST(refusals)
{
  expect_refusal(
      (StxColormapParams){.mode = STX_COLORMAP_DISPARITY, .min = 20, .max = 20}, "below max");
  expect_refusal((StxColormapParams){.mode = STX_COLORMAP_DISPARITY, .min = 64}, "default");
  expect_refusal((StxColormapParams){.mode = STX_COLORMAP_DISPARITY, .max = -1}, "max");
  expect_refusal((StxColormapParams){.mode = STX_COLORMAP_DEPTH}, "baseline");
  expect_refusal((StxColormapParams){.mode = STX_COLORMAP_DISPARITY, .palette = 77}, "palette");
}

/* ---- The others ---------------------------------------------------------------------------- */

typedef struct {
  StxImage8 bytes;
  StxColormapHistogram histogram;
} Painted;

static Painted paint(const StxColormapImpl *impl, const ColormapCase *c, int padding, int threads)
{
  int pixel = colormap_case_pixel(c);
  Painted painted = {.bytes = stx_test_image8(c->width * pixel, c->height, padding)};
  StxPlace place = {.threads = threads};
  StxColormapPicture picture = {
      painted.bytes.data, painted.bytes.stride, c->width, c->height, pixel, c->square};
  ck_assert(impl->paint(&c->input, c->table, &picture, &place, NULL));
  ck_assert(impl->spread(&c->input, c->table, &painted.histogram, &place, NULL));
  return painted;
}

static void compare(const StxColormapImpl *impl, const ColormapCase *c, const char *what)
{
  Painted expected = paint(reference(), c, 0, 1);
  for (int threads = 1; threads <= 7; threads += 3) {
    Painted actual = paint(impl, c, threads, threads);
    stx_expect_same_image8(&expected.bytes, &actual.bytes, what);
    stx_expect_same(&expected.histogram, &actual.histogram, sizeof actual.histogram, what);
    stx_test_image8_free(&actual.bytes);
  }
  stx_test_image8_free(&expected.bytes);
}

STX_TEST(all_implementations_agree)
{
  for (int kind = 0; kind < COLORMAP_CASES; kind++)
    for (uint64_t seed = 0; seed < 10; seed++) {
      STX_AUTO(ColormapCase) c = colormap_case_new(kind, seed, 300);
      STX_EACH_IMPL (StxColormapImpl, impl, &stx_colormap_impls) {
        char what[64];
        snprintf(what, sizeof what, "%s, kind %d, seed %d", impl->info.name, kind, (int)seed);
        compare(impl, &c, what);
      }
    }
}
