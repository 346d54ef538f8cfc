/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The font, room for texts, and legends that do not fit. Looks: tests/frames. */
#include "tests/common/canvas/canvas_case.h"

#include "common/lettering.h"

#include <string.h>

/* ---- Font --------------------------------------------------------------------------------- */

STX_TEST(characters_are_read_as_utf8)
{
  static const struct {
    const char *text;
    uint32_t glyphs[5];
  } texts[] = {{"aB", {'a', 'B'}}, {"1\xC2\xB0", {'1', 0xB0}}, {"\xC2\xB1\xC2\xB2", {0xB1, 0xB2}},
      {"\xE2\x82\xAC|", {STX_GLYPH_UNKNOWN, '|'}}, {"\xF0\x9F\x9A\x97!", {STX_GLYPH_UNKNOWN, '!'}},
      {"\xC2", {STX_GLYPH_UNKNOWN}}, {"\xB0g", {STX_GLYPH_UNKNOWN, 'g'}},
      {"\xC0\x80", {STX_GLYPH_UNKNOWN, STX_GLYPH_UNKNOWN}}, {"\xE2", {STX_GLYPH_UNKNOWN}},
      {"", {0}}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    const char *at = texts[i].text;
    for (int k = 0; k == 0 || texts[i].glyphs[k - 1] != 0; k++)
      ck_assert_msg(stx_text_next(&at) == texts[i].glyphs[k], "text %d, character %d", (int)i, k);
    ck_assert(*at == '\0');
  }
}

/* Each character has a shape of its own, and none is the box of what is unknown. */
STX_TEST(characters_differ)
{
  StxStroke strokes[99][STX_GLYPH_STROKES];
  size_t counts[99];
  memset(strokes, 0, sizeof strokes);
  for (uint32_t i = 0; i < 99; i++) {
    uint32_t glyph = i < 95 ? ' ' + i : i < 98 ? 0xB0 + i - 95 : STX_GLYPH_UNKNOWN;
    counts[i] = stx_glyph_strokes(glyph, 12, strokes[i]);
    ck_assert_uint_le(counts[i], STX_GLYPH_STROKES);
    ck_assert(glyph == ' ' || counts[i] > 0);
    ck_assert(stx_glyph_advance(glyph, 12) > 2 && stx_glyph_advance(glyph, 12) < 24);
    for (uint32_t k = 0; k < i; k++)
      ck_assert_msg(
          counts[i] != counts[k] || memcmp(strokes[i], strokes[k], sizeof strokes[i]) != 0,
          "%u is like %u", (unsigned)i, (unsigned)k);
  }
}

/* ---- Texts and labels ---------------------------------------------------------------------- */

static StxCanvas *new_canvas(int width, int height)
{
  StxCanvasParams params = canvas_params("RGB", width, height);
  return canvas_new(&params);
}

STX_TEST(claims_do_not_meet_and_lie_inside)
{
  STX_AUTO(StxCanvas) *canvas = new_canvas(100, 50);
  ck_assert(stx_canvas_claim(canvas, (StxBox){10, 10, 20, 10}));
  ck_assert(!stx_canvas_claim(canvas, (StxBox){29, 19, 5, 5}));
  ck_assert(!stx_canvas_claim(canvas, (StxBox){0, 0, 100, 50}));
  ck_assert(!stx_canvas_claim(canvas, (StxBox){12, 12, 1, 1}));
  ck_assert(stx_canvas_claim(canvas, (StxBox){30, 10, 20, 10})); /* beside it */
  ck_assert(stx_canvas_claim(canvas, (StxBox){10, 20, 20, 10}));
  ck_assert(!stx_canvas_claim(canvas, (StxBox){95, 40, 6, 5}));
  ck_assert(!stx_canvas_claim(canvas, (StxBox){60, -1, 6, 5}));
  ck_assert(!stx_canvas_label(
      canvas, "12 m", 9, (StxSpot){20, 15}, STX_ANCHOR_CENTRE_MIDDLE, canvas_white.colour));
  ck_assert(stx_canvas_is_empty(canvas));
  stx_canvas_clear(canvas);
  for (int i = 0; i < STX_CANVAS_CLAIMS; i++)
    ck_assert(stx_canvas_claim(canvas, (StxBox){i % 100, i / 100, 1, 1}));
  ck_assert(!stx_canvas_claim(canvas, (StxBox){50, 40, 1, 1}));
}

/* ---- Legends ------------------------------------------------------------------------------ */

STX_TEST(legends_that_do_not_fit_are_left_out)
{
  static const StxName names[] = {{"here", {250, 0, 0}}};
  static const double bad[][2] = {{1, 1}, {2, 1}, {0, 1e300}, {0, 0. / 0.}};
  StxBar bar = {.palette = STX_PALETTE_TURBO, .low = -2, .high = 2, .unit = "m", .title = "height"};
  StxCanvas *canvas = new_canvas(120, 30);
  ck_assert_double_eq(stx_canvas_bar(canvas, STX_LEGEND_TOP_LEFT, &bar).width, 0);
  ck_assert_double_eq(stx_canvas_names(canvas, STX_LEGEND_TOP_LEFT, NULL, names, 1).width, 0);
  canvas_free(canvas);
  canvas = new_canvas(640, 360);
  ck_assert_double_eq(stx_canvas_names(canvas, STX_LEGEND_TOP_LEFT, "none", names, 0).width, 0);
  ck_assert_double_eq(stx_canvas_bar(canvas, STX_LEGEND_NONE, &bar).width, 0);
  for (int i = 0; i < 4; i++) {
    bar.low = bad[i][0];
    bar.high = bad[i][1];
    ck_assert_double_eq(stx_canvas_bar(canvas, STX_LEGEND_TOP_LEFT, &bar).width, 0);
  }
  ck_assert(stx_canvas_is_empty(canvas));
  double below = 360;
  for (StxBox box;
       (box = stx_canvas_names(canvas, STX_LEGEND_BOTTOM_LEFT, NULL, names, 1)).width > 0;
       below = box.y) /* until half of the frame is full */
    ck_assert_double_le(box.y + box.height, below);
  ck_assert(below >= 180 && below < 220);
  canvas_free(canvas);
}
