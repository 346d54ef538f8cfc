/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Palettes against the published tables, colours by meaning, paints. */
#include "tests/testing.h"

#include "common/colour/colour_math.h"

#include <stdlib.h>

static void expect_near(StxRgb actual, int r, int g, int b, int most, const char *what)
{
  ck_assert_msg(abs(actual.r - r) <= most && abs(actual.g - g) <= most && abs(actual.b - b) <= most,
      "%s is %d, %d, %d, not %d, %d, %d", what, actual.r, actual.g, actual.b, r, g, b);
}

/* Entries of the published tables that are not kept, and one that is. */
STX_TEST(palettes_are_close_to_the_published_tables)
{
  static const struct {
    StxPalette palette;
    int index, r, g, b;
  } published[] = {{STX_PALETTE_TURBO, 7, 56, 39, 109}, {STX_PALETTE_TURBO, 52, 61, 158, 254},
      {STX_PALETTE_TURBO, 100, 63, 246, 138}, {STX_PALETTE_TURBO, 200, 244, 102, 23},
      {STX_PALETTE_TURBO, 248, 146, 11, 1}, {STX_PALETTE_VIRIDIS, 22, 72, 32, 113},
      {STX_PALETTE_VIRIDIS, 100, 42, 118, 142}, {STX_PALETTE_VIRIDIS, 200, 112, 207, 87},
      {STX_PALETTE_CIVIDIS, 22, 0, 49, 113}, {STX_PALETTE_CIVIDIS, 128, 125, 124, 120},
      {STX_PALETTE_CIVIDIS, 248, 249, 224, 58}};
  for (size_t i = 0; i < sizeof published / sizeof *published; i++)
    expect_near(stx_palette_colour(published[i].palette, published[i].index), published[i].r,
        published[i].g, published[i].b, 11, "an entry");
  expect_near(stx_palette_colour(STX_PALETTE_TURBO, 15), 63, 62, 156, 0, "a knot");
}

STX_TEST(palettes_end_where_they_should)
{
  expect_near(stx_palette_colour(STX_PALETTE_DISTANCE, 0), 64, 96, 240, 0, "far");
  expect_near(stx_palette_colour(STX_PALETTE_DISTANCE, 255), 224, 28, 46, 0, "near");
  expect_near(stx_palette_colour(STX_PALETTE_GRAY, 77), 77, 77, 77, 0, "gray");
  expect_near(stx_palette_colour(STX_PALETTE_VIRIDIS, -5), 68, 1, 84, 0, "below");
  expect_near(stx_palette_colour(STX_PALETTE_VIRIDIS, 1000), 253, 231, 37, 0, "above");
}

STX_TEST(colours_mean_something)
{
  StxRgb unknown = stx_colour(STX_MEANS_UNKNOWN);
  expect_near(stx_colour_class(0), 128, 64, 128, 0, "road");
  expect_near(stx_colour_class(18), 119, 11, 32, 0, "bicycle");
  expect_near(stx_colour_class(19), unknown.r, unknown.g, unknown.b, 0, "no class");
  expect_near(stx_colour_class(-1), unknown.r, unknown.g, unknown.b, 0, "no class");
  expect_near(stx_colour_class(STX_LABEL_NONE), unknown.r, unknown.g, unknown.b, 0, "no class");
  expect_near(stx_colour_kind(STX_KIND_OBJECT), 232, 64, 56, 0, "object");
}

STX_TEST(clusters_differ_from_their_neighbours_and_from_ground)
{
  StxRgb ground = stx_colour(STX_MEANS_GROUND), alone = stx_colour(STX_MEANS_NO_CLUSTER);
  for (unsigned i = 0; i < 64; i++) {
    StxRgb one = stx_colour_cluster(i), next = stx_colour_cluster(i + 1);
    ck_assert_int_gt(abs(one.r - next.r) + abs(one.g - next.g) + abs(one.b - next.b), 60);
    ck_assert_int_gt(abs(one.r - ground.r) + abs(one.g - ground.g) + abs(one.b - ground.b), 60);
    ck_assert_int_gt(abs(one.r - alone.r) + abs(one.g - alone.g) + abs(one.b - alone.b), 60);
    StxRgb again = stx_colour_cluster(i + 64);
    ck_assert_mem_eq(&one, &again, sizeof one);
  }
}

/* By the formulas of the standards, by hand. */
STX_TEST(channels_of_colours)
{
  uint8_t channel[3];
  StxRgb red = {255, 0, 0};
  stx_colour_channels(stx_pixel_format("I420"), STX_MATRIX_BT601, false, red, channel);
  ck_assert_mem_eq(channel, ((uint8_t[]){81, 90, 240}), 3);
  stx_colour_channels(stx_pixel_format("NV12"), STX_MATRIX_BT709, true, red, channel);
  ck_assert_mem_eq(channel, ((uint8_t[]){54, 99, 255}), 3);
  stx_colour_channels(stx_pixel_format("BGR"), STX_MATRIX_BT709, true, red, channel);
  ck_assert_mem_eq(channel, ((uint8_t[]){255, 0, 0}), 3);
  stx_colour_channels(NULL, STX_MATRIX_BT601, false, (StxRgb){1, 2, 3}, channel);
  ck_assert_mem_eq(channel, ((uint8_t[]){1, 2, 3}), 3);
}

STX_TEST(paints_keep_replace_and_mix)
{
  uint8_t channel[3] = {0, 100, 255};
  StxPaint none = stx_paint(channel, 0), half = stx_paint(channel, 128);
  StxPaint all = stx_paint(channel, 256);
  for (int in = 0; in < 256; in++)
    for (int k = 0; k < 3; k++) {
      ck_assert_int_eq(stx_paint_blend((uint8_t)in, none.keep, none.add[k]), in);
      ck_assert_int_eq(stx_paint_blend((uint8_t)in, all.keep, all.add[k]), channel[k]);
      ck_assert_int_eq(
          stx_paint_blend((uint8_t)in, half.keep, half.add[k]), (in + channel[k] + 1) / 2);
    }
}
