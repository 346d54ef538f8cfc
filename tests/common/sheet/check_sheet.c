/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sheet's tiles and inks, and how it is laid on frames of all formats. */
#include "tests/common/sheet/sheet_case.h"

#include "tests/common/overlay/overlay_frames.h"

#include <stdio.h>
#include <string.h>

static const int sizes[][2] = {{1, 1}, {1, 40}, {19, 1}, {17, 18}, {33, 31}, {64, 48}, {201, 75}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* ---- Laying ------------------------------------------------------------------------------- */

/* What the boxes below leave of each pixel: their paints, by the formula of colour.h. */
typedef struct {
  int keep, add[3];
} Paint;

enum { MOST_PIXELS = 64 * 48 };

/* Boxes that do not overlap, of whole pixels. */
static void draw_boxes(StxSheet *sheet, Paint *pixel)
{
  const StxSheetParams *params = stx_sheet_params(sheet);
  for (int i = 0; i < params->width * params->height; i++)
    pixel[i] = (Paint){256, {128, 128, 128}};
  for (int k = 0; k < 9; k++) {
    int left = 7 * k, top = 5 * (k % 3), a = 256 - 28 * k;
    StxRgb colour = stx_colour_cluster((unsigned)k);
    uint8_t channel[3];
    stx_colour_channels(params->format, params->matrix, params->full_range, colour, channel);
    stx_sheet_box(sheet, (StxBox){left, top, 6, 33}, 0, (StxInk){colour, a / 256.});
    for (int y = top; y < top + 33 && y < params->height; y++)
      for (int x = left; x < left + 6 && x < params->width; x++)
        for (int c = 0; c < 3; c++) {
          pixel[y * params->width + x].keep = 256 - a;
          pixel[y * params->width + x].add[c] = channel[c] * a + 128;
        }
  }
}

static int two(int a, int b)
{
  return (a + b) / 2;
}

/* The byte that a sample of value `in` becomes whose block begins at (x, y). */
static int expected_byte(const StxSheetParams *params, const Paint *pixel, const StxPlane *plane,
    int x, int y, int channel, int in)
{
  int right = x + plane->shift_x, below = y + plane->shift_y;
  const Paint *p[4];
  for (int i = 0; i < 4; i++) {
    int px = i % 2 ? right : x, py = i / 2 ? below : y;
    px = px < params->width ? px : params->width - 1;
    py = py < params->height ? py : params->height - 1;
    p[i] = &pixel[py * params->width + px];
  }
  int keep = two(two(p[0]->keep, p[1]->keep), two(p[2]->keep, p[3]->keep));
  int add =
      two(two(p[0]->add[channel], p[1]->add[channel]), two(p[2]->add[channel], p[3]->add[channel]));
  return (in * keep + add) >> 8;
}

static void expect_plane(
    const StxSheetParams *params, const Paint *pixel, int p, const StxImage8 *image, int in)
{
  const StxPlane *plane = &params->format->plane[p];
  for (int y = 0; y << plane->shift_y < params->height; y++)
    for (int x = 0; x << plane->shift_x < params->width; x++)
      for (int b = 0; b < plane->pixel_stride; b++) {
        int channel = plane->channel[b];
        if (channel < 0)
          continue;
        int want = expected_byte(
            params, pixel, plane, x << plane->shift_x, y << plane->shift_y, channel, in);
        int got = stx_row8(image, y)[x * plane->pixel_stride + b];
        ck_assert_msg(got == want, "%s %dx%d plane %d sample %d, %d byte %d: %d, not %d",
            params->format->name, params->width, params->height, p, x, y, b, got, want);
      }
}

static void check_lay(const char *format, int width, int height)
{
  StxSheetParams params = sheet_params(format, width, height);
  StxOverlayParams like = overlay_plain(format, width, height, 8);
  StxSheet *sheet = sheet_new(&params);
  static Paint pixel[MOST_PIXELS];
  StxImage8 plane[3];
  StxFrame frame;
  StxPlace place = {.threads = 1};
  const StxSheetImpl *impl = stx_impl_named(&stx_sheet_impls, "c");
  draw_boxes(sheet, pixel);
  overlay_frame_new(&like, 3, plane, &frame);
  overlay_frame_fill(&like, plane, 91);
  impl->lay(sheet, stx_sheet_tiles(sheet), &frame, &place, NULL);
  for (int p = 0; p < params.format->planes; p++)
    expect_plane(&params, pixel, p, &plane[params.format->shared ? 0 : p], 91);
  overlay_frame_free(&like, plane);
  sheet_free(sheet);
}

START_TEST(reference_is_the_formula_on_every_format)
{
  for (int f = 0; f < OVERLAY_FORMATS; f++)
    for (int s = 0; s < SIZES; s++)
      if (sizes[s][0] * sizes[s][1] <= MOST_PIXELS)
        check_lay(overlay_format_names[f], sizes[s][0], sizes[s][1]);
}
END_TEST

START_TEST(implementations_give_the_same_bytes)
{
  StxRandom random = {7};
  for (int round = 0; round < 4 * OVERLAY_FORMATS; round++) {
    const int *size = sizes[round % SIZES];
    StxSheetParams params =
        sheet_params(overlay_format_names[round % OVERLAY_FORMATS], size[0], size[1]);
    StxSheet *sheet = sheet_new(&params);
    for (int i = 0; i < 12; i++)
      sheet_draw_any(sheet, &random);
    uint64_t expected = sheet_lay_hash(sheet, "c", 1);
    for (int threads = 1; threads <= 7; threads = 3 * threads - 1)
      ck_assert_msg(sheet_lay_hash(sheet, "omp", threads) == expected, "%s, round %d, %d threads",
          params.format->name, round, threads);
    sheet_free(sheet);
  }
}
END_TEST

/* More tiles than one piece has. */
START_TEST(large_sheets_are_laid_in_pieces)
{
  StxRandom random = {8};
  StxSheetParams params = sheet_params("NV12", 611, 403);
  StxSheet *sheet = sheet_new(&params);
  stx_sheet_box(sheet, (StxBox){-9, -9, 700, 500}, 0, (StxInk){stx_colour(STX_MEANS_INK), .3});
  for (int i = 0; i < 40; i++)
    sheet_draw_any(sheet, &random);
  uint64_t expected = sheet_lay_hash(sheet, "c", 1);
  ck_assert(sheet_lay_hash(sheet, "omp", 1) == expected);
  ck_assert(sheet_lay_hash(sheet, "omp", 5) == expected);
  sheet_free(sheet);
}
END_TEST

/* ---- Ink ---------------------------------------------------------------------------------- */

START_TEST(what_comes_later_lies_over_what_was_there)
{
  StxSheetParams params = sheet_params("RGB", 4, 4);
  StxSheet *sheet = sheet_new(&params);
  StxBox all = {0, 0, 4, 4};
  uint8_t rgb[3];
  stx_sheet_box(sheet, all, 0, (StxInk){{200, 0, 100}, .5});
  stx_sheet_box(sheet, all, 0, (StxInk){{0, 100, 0}, .25});
  /* (100·½ + colour·½)·¾ + upper·¼ */
  sheet_pixel(sheet, 100, 1, 2, rgb);
  ck_assert_mem_eq(rgb, ((uint8_t[]){113, 63, 75}), 3);
  stx_sheet_box(sheet, all, 0, (StxInk){{1, 2, 3}, 1});
  sheet_pixel(sheet, 100, 3, 3, rgb);
  ck_assert_mem_eq(rgb, ((uint8_t[]){1, 2, 3}), 3);
  sheet_free(sheet);
}
END_TEST

/* Four layers of white on white stay white and of black black, but for what rounding takes: the
 * sums of rounded paints never leave their 16 bits. */
START_TEST(layers_never_overflow)
{
  StxSheetParams params = sheet_params("RGB", 1, 1);
  for (int first = 0; first <= 256; first += 1)
    for (int second = first % 5; second <= 256; second += 5) {
      StxSheet *sheet = sheet_new(&params);
      uint8_t rgb[3];
      for (int layer = 0; layer < 4; layer++)
        stx_sheet_box(sheet, (StxBox){0, 0, 1, 1}, 0,
            (StxInk){{255, 255, 0}, (layer % 2 ? second : first) / 256.});
      sheet_pixel(sheet, 255, 0, 0, rgb);
      ck_assert_msg(rgb[0] >= 254, "%d over %d: %d", second, first, rgb[0]);
      sheet_pixel(sheet, 0, 0, 0, rgb);
      ck_assert_int_eq(rgb[2], 0);
      sheet_free(sheet);
    }
}
END_TEST

START_TEST(cleared_sheets_change_nothing)
{
  StxRandom random = {9};
  StxSheetParams params = sheet_params("RGB", 90, 50);
  StxSheet *sheet = sheet_new(&params);
  ck_assert(stx_sheet_is_empty(sheet));
  ck_assert_uint_eq(stx_sheet_tiles_size(sheet), 0);
  uint64_t clean = sheet_lay_hash(sheet, "c", 1), changes = stx_sheet_changes(sheet);
  for (int i = 0; i < 20; i++)
    sheet_draw_any(sheet, &random);
  uint64_t drawn = sheet_lay_hash(sheet, "c", 1);
  ck_assert(drawn != clean);
  ck_assert(stx_sheet_changes(sheet) > changes);
  changes = stx_sheet_changes(sheet);
  stx_sheet_clear(sheet);
  ck_assert(stx_sheet_is_empty(sheet));
  ck_assert(stx_sheet_changes(sheet) > changes);
  ck_assert(sheet_lay_hash(sheet, "omp", 2) == clean);
  random = (StxRandom){9};
  for (int i = 0; i < 20; i++)
    sheet_draw_any(sheet, &random);
  ck_assert(sheet_lay_hash(sheet, "c", 1) == drawn); /* nothing of before shines through */
  sheet_free(sheet);
}
END_TEST

START_TEST(refuses_what_it_cannot_draw_on)
{
  StxSheetParams good = sheet_params("RGB", 32768, 1), bad;
  StxError error;
  ck_assert(stx_sheet_check(&good, &error));
#define REFUSES(member, value, word)                                                               \
  (bad = good, bad.member = (value), ck_assert(!stx_sheet_check(&bad, &error)),                    \
      ck_assert_msg(strstr(error.text, word) != NULL, "%s", error.text))
  REFUSES(format, NULL, "format");
  REFUSES(width, 0, "width is 0");
  REFUSES(height, 32769, "height is 32769");
  REFUSES(matrix, (StxMatrix)7, "matrix is 7");
}
END_TEST

static const StxTest tests[] = {
    {&reference_is_the_formula_on_every_format},
    {&implementations_give_the_same_bytes},
    {&large_sheets_are_laid_in_pieces},
    {&what_comes_later_lies_over_what_was_there},
    {&layers_never_overflow},
    {&cleared_sheets_change_nothing},
    {&refuses_what_it_cannot_draw_on},
};
STX_TESTING_MAIN("sheet", tests)
