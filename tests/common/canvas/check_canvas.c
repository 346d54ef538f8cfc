/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The canvas's tiles and inks, and how it is laid on frames of all formats. */
#include "tests/common/canvas/canvas_case.h"

#include "tests/common/overlay/overlay_frames.h"

static const int sizes[][2] = {{1, 1}, {1, 40}, {19, 1}, {17, 18}, {33, 31}, {64, 48}, {201, 75}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* ---- Laying ------------------------------------------------------------------------------- */

enum { MOST_PIXELS = 64 * 48 };

STX_TEST(implementations_give_the_same_bytes)
{
  StxRandom random = {7};
  for (int round = 0; round < 4 * OVERLAY_FORMATS; round++) {
    const int *size = sizes[round % SIZES];
    StxCanvasParams params =
        canvas_params(overlay_format_names[round % OVERLAY_FORMATS], size[0], size[1]);
    STX_AUTO(StxCanvas) *canvas = canvas_new(&params);
    for (int i = 0; i < 12; i++)
      canvas_draw_any(canvas, &random);
    uint64_t expected = canvas_lay_hash(canvas, "c", 1);
    for (int threads = 1; threads <= 7; threads = 3 * threads - 1)
      ck_assert_msg(canvas_lay_hash(canvas, "omp", threads) == expected, "%s, round %d, %d threads",
          params.format->name, round, threads);
  }
}

/* More tiles than one piece has. */
STX_TEST(large_canvases_are_laid_in_pieces)
{
  StxRandom random = {8};
  StxCanvasParams params = canvas_params("NV12", 611, 403);
  STX_AUTO(StxCanvas) *canvas = canvas_new(&params);
  stx_canvas_box(canvas, (StxBox){-9, -9, 700, 500}, 0, (StxInk){stx_colour(STX_MEANS_INK), .3});
  for (int i = 0; i < 40; i++)
    canvas_draw_any(canvas, &random);
  uint64_t expected = canvas_lay_hash(canvas, "c", 1);
  ck_assert(canvas_lay_hash(canvas, "omp", 1) == expected);
  ck_assert(canvas_lay_hash(canvas, "omp", 5) == expected);
}

/* ---- Ink ---------------------------------------------------------------------------------- */

STX_TEST(what_comes_later_lies_over_what_was_there)
{
  StxCanvasParams params = canvas_params("RGB", 4, 4);
  STX_AUTO(StxCanvas) *canvas = canvas_new(&params);
  StxBox all = {0, 0, 4, 4};
  uint8_t rgb[3];
  stx_canvas_box(canvas, all, 0, (StxInk){{200, 0, 100}, .5});
  stx_canvas_box(canvas, all, 0, (StxInk){{0, 100, 0}, .25});
  /* (100·½ + colour·½)·¾ + upper·¼ */
  canvas_pixel(canvas, 100, 1, 2, rgb);
  ck_assert_mem_eq(rgb, ((uint8_t[]){113, 63, 75}), 3);
  stx_canvas_box(canvas, all, 0, (StxInk){{1, 2, 3}, 1});
  canvas_pixel(canvas, 100, 3, 3, rgb);
  ck_assert_mem_eq(rgb, ((uint8_t[]){1, 2, 3}), 3);
}

/* Four layers of white on white stay white and of black black, but for what rounding takes: the
 * sums of rounded paints never leave their 16 bits. */
STX_TEST(layers_never_overflow)
{
  StxCanvasParams params = canvas_params("RGB", 1, 1);
  for (int first = 0; first <= 256; first += 1)
    for (int second = first % 5; second <= 256; second += 5) {
      STX_AUTO(StxCanvas) *canvas = canvas_new(&params);
      uint8_t rgb[3];
      for (int layer = 0; layer < 4; layer++)
        stx_canvas_box(canvas, (StxBox){0, 0, 1, 1}, 0,
            (StxInk){{255, 255, 0}, (layer % 2 ? second : first) / 256.});
      canvas_pixel(canvas, 255, 0, 0, rgb);
      ck_assert_msg(rgb[0] >= 254, "%d over %d: %d", second, first, rgb[0]);
      canvas_pixel(canvas, 0, 0, 0, rgb);
      ck_assert_int_eq(rgb[2], 0);
    }
}

STX_TEST(cleared_canvases_change_nothing)
{
  StxRandom random = {9};
  StxCanvasParams params = canvas_params("RGB", 90, 50);
  STX_AUTO(StxCanvas) *canvas = canvas_new(&params);
  ck_assert(stx_canvas_is_empty(canvas));
  ck_assert_uint_eq(stx_canvas_tiles_size(canvas), 0);
  uint64_t clean = canvas_lay_hash(canvas, "c", 1), changes = stx_canvas_changes(canvas);
  for (int i = 0; i < 20; i++)
    canvas_draw_any(canvas, &random);
  uint64_t drawn = canvas_lay_hash(canvas, "c", 1);
  ck_assert(drawn != clean);
  ck_assert(stx_canvas_changes(canvas) > changes);
  changes = stx_canvas_changes(canvas);
  stx_canvas_clear(canvas);
  ck_assert(stx_canvas_is_empty(canvas));
  ck_assert(stx_canvas_changes(canvas) > changes);
  ck_assert(canvas_lay_hash(canvas, "omp", 2) == clean);
  random = (StxRandom){9};
  for (int i = 0; i < 20; i++)
    canvas_draw_any(canvas, &random);
  ck_assert(canvas_lay_hash(canvas, "c", 1) == drawn); /* nothing of before shines through */
}

STX_TEST(refuses_what_it_cannot_draw_on)
{
  StxCanvasParams good = canvas_params("RGB", 32768, 1);
  ck_assert(stx_canvas_check(&good, NULL));
#define REFUSES(...) STX_REFUSES(stx_canvas_check, good, __VA_ARGS__)
  REFUSES(format, NULL, "format");
  REFUSES(width, 0, "width is 0");
  REFUSES(height, 32769, "height is 32769");
  REFUSES(matrix, (StxMatrix)7, "matrix is 7");
}
