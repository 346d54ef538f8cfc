/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text and legends on the canvas, and the font. */
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

STX_TEST(texts_are_as_wide_as_their_characters)
{
  ck_assert_double_eq_tol(stx_text_width("0", 6), 5.9, 1e-9);
  ck_assert_double_eq_tol(stx_text_width("10\xC2\xB0", 12), 2 * (3.9 + 5.9 + 3.9), 1e-9);
  ck_assert_double_eq(stx_text_width("", 12), 0);
}

/* ---- Texts and labels ---------------------------------------------------------------------- */

static StxCanvas *new_canvas(int width, int height)
{
  StxCanvasParams params = canvas_params("RGB", width, height);
  return canvas_new(&params);
}

/* The smallest box of whole pixels around what was drawn. */
static StxBox drawn_box(const StxCanvas *canvas)
{
  const StxCanvasParams *params = stx_canvas_params(canvas);
  int left = params->width, right = 0, top = params->height, bottom = 0;
  STX_AUTO(StxImage8) image = stx_test_image8(3 * params->width, params->height, 0);
  const StxCanvasImpl *impl = stx_impl_named(&stx_canvas_impls, "omp");
  StxPlace place = {.threads = 1};
  StxFrame frame = {{image.data}, {image.stride}};
  for (int y = 0; y < params->height; y++)
    memset(stx_row8(&image, y), 120, 3 * (size_t)params->width);
  impl->lay(canvas, stx_canvas_tiles(canvas), &frame, &place, NULL);
  STX_EACH_PIXEL (x, y, params->width, params->height)
    if (stx_row8(&image, y)[3 * x] != 120) {
      left = x < left ? x : left;
      right = x + 1 > right ? x + 1 : right;
      top = y < top ? y : top;
      bottom = y + 1 > bottom ? y + 1 : bottom;
    }
  return (StxBox){left, top, right - left, bottom - top};
}

static const char *const words[] = {"12.5 m", "gQ|", "\xC2\xB0", "M\xC2\xB2", "."};

STX_TEST(texts_stay_in_their_boxes_and_fill_them)
{
  StxInk black = {{0, 0, 0}, 1};
  for (int i = 0; i < 5; i++)
    for (int anchor = 0; anchor < 9; anchor++)
      for (double size = 9; size < 42; size += 15.5) {
        STX_AUTO(StxCanvas) *canvas = new_canvas(400, 200);
        StxSpot at = {203.3, 101.7};
        stx_canvas_text(canvas, words[i], size, at, (StxAnchor)anchor, canvas_white, black);
        StxBox box = stx_canvas_text_box(words[i], size, at, (StxAnchor)anchor);
        StxBox is = drawn_box(canvas);
        ck_assert(is.x >= box.x - 1 && is.x <= box.x + 2);
        ck_assert(is.y >= box.y - 1 && is.y <= box.y + 2);
        ck_assert(is.x + is.width <= box.x + box.width + 1);
        ck_assert(is.x + is.width >= box.x + box.width - 2);
        ck_assert(is.y + is.height <= box.y + box.height + 1);
        ck_assert(is.y + is.height >= box.y + box.height - 2);
      }
}

STX_TEST(anchors_say_which_point_is_given)
{
  static const double across[] = {0, .5, 1}, up[] = {1, .5, 0};
  for (int anchor = 0; anchor < 9; anchor++) {
    StxBox box = stx_canvas_text_box("H", 20, (StxSpot){100, 100}, (StxAnchor)anchor);
    double around = (box.height - 20) / 2; /* H is as high as its size */
    double left = box.x + around, right = box.x + box.width - around, top = box.y + around;
    ck_assert_double_eq_tol(left + across[anchor % 3] * (right - left), 100, 1e-6);
    ck_assert_double_eq_tol(top + up[anchor / 3] * 20, 100, 1e-6);
  }
}

/* White letters are seen on black and on white. */
STX_TEST(labels_can_be_read_on_any_picture)
{
  STX_AUTO(StxCanvas) *canvas = new_canvas(80, 40);
  uint8_t darkest = 255, lightest = 0, rgb[3];
  ck_assert(stx_canvas_label(
      canvas, "8", 18, (StxSpot){40, 20}, STX_ANCHOR_CENTRE_MIDDLE, stx_colour(STX_MEANS_INK)));
  for (int x = 30; x < 50; x++) {
    canvas_pixel(canvas, 255, x, 16, rgb);
    darkest = rgb[0] < darkest ? rgb[0] : darkest;
    canvas_pixel(canvas, 0, x, 16, rgb);
    lightest = rgb[0] > lightest ? rgb[0] : lightest;
  }
  ck_assert_int_lt(darkest, 100);
  ck_assert_int_gt(lightest, 200);
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

STX_TEST(sizes_suit_the_frame)
{
  static const double sizes[][4] = {{160, 90, 9, 1.5}, {640, 360, 9, 1.5}, {1242, 375, 9, 1.5},
      {1280, 720, 18, 1.5}, {1920, 1080, 27, 2.25}, {3840, 2160, 40, 4.5}, {720, 1280, 18, 1.5}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    StxCanvasUnit unit = stx_canvas_unit((int)sizes[i][0], (int)sizes[i][1]);
    ck_assert_double_eq_tol(unit.text, sizes[i][2], 1e-9);
    ck_assert_double_eq_tol(unit.line, sizes[i][3], 1e-9);
  }
}

/* ---- Legends ------------------------------------------------------------------------------ */

/* Many names get more of the width, and none of them is lost. */
STX_TEST(long_lists_find_their_place)
{
  static const int sizes[][2] = {{640, 192}, {1242, 375}, {3840, 2160}};
  StxName names[20];
  for (int k = 0; k < 20; k++)
    names[k] = (StxName){stx_label_name(k), {(uint8_t)(10 * k), 250, 1}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    int width = sizes[i][0], height = sizes[i][1];
    STX_AUTO(StxCanvas) *canvas = new_canvas(width, height);
    StxBox box = stx_canvas_names(canvas, STX_LEGEND_TOP_LEFT, "class", names, 20);
    ck_assert(box.width > 0 && box.width <= .4 * width && box.height <= .5 * height);
    for (int k = 0; k < 20; k++)
      ck_assert_int_gt(canvas_find(canvas, names[k].colour), 8);
  }
}

/* In a small frame a bar goes without names rather than not at all, and names without a title. */
STX_TEST(small_frames_have_short_legends)
{
  static const StxName names[] = {{"object", {250, 9, 9}}, {"ground", {9, 250, 9}},
      {"segment", {9, 9, 250}}, {"sky", {250, 250, 9}}};
  const StxBar bar = {.high = 50, .title = "distance", .unit = "m", .names = names, .count = 4};
  STX_AUTO(StxCanvas) *canvas = new_canvas(320, 96);
  ck_assert_double_gt(stx_canvas_bar(canvas, STX_LEGEND_TOP_LEFT, &bar).width, 0);
  ck_assert_int_eq(canvas_find(canvas, names[0].colour), 0);
  stx_canvas_clear(canvas);
  ck_assert_double_gt(stx_canvas_names(canvas, STX_LEGEND_TOP_LEFT, "kind", names, 4).width, 0);
  for (int k = 0; k < 4; k++)
    ck_assert_int_gt(canvas_find(canvas, names[k].colour), 8);
}

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
