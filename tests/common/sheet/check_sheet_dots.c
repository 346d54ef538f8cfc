/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many dots at once are what one after the other is, in all formats and wherever they lie. */
#include "tests/common/sheet/sheet_case.h"

#include <math.h>
#include <stdio.h>

enum { DOTS = 150 };

/* In the middle of eighths of a pixel, where nothing is rounded; some beyond the frame. */
static void make_dots(StxSheetDot *dots, int width, int height, StxRandom *random)
{
  for (int i = 0; i < DOTS; i++) {
    dots[i].x = ((float)stx_random_below(random, 8 * (width + 40)) - 160 + .5f) / 8;
    dots[i].y = ((float)stx_random_below(random, 8 * (height + 40)) - 160 + .5f) / 8;
    dots[i].colour = stx_colour_cluster(stx_random(random) % 300);
  }
}

static void expect_alike(const char *format, int width, int height, double radius, double opacity)
{
  StxSheetParams params = sheet_params(format, width, height);
  StxSheet *many = sheet_new(&params), *single = sheet_new(&params);
  StxRandom random = {(uint64_t)(width * 31 + height)};
  StxSheetDot dots[DOTS];
  char what[96];
  make_dots(dots, width, height, &random);
  stx_sheet_dots(many, dots, DOTS, radius, opacity, 1 + width % 3);
  for (int i = 0; i < DOTS; i++)
    stx_sheet_dot(single, (StxSpot){(double)dots[i].x, (double)dots[i].y}, radius,
        (StxInk){dots[i].colour, opacity});
  snprintf(what, sizeof what, "%s %dx%d, radius %g", format, width, height, radius);
  ck_assert_msg(sheet_lay_hash(many, "c", 1) == sheet_lay_hash(single, "c", 1), "%s", what);
  sheet_free(many);
  sheet_free(single);
}

START_TEST(many_are_as_one_by_one)
{
  static const double radii[] = {.3, .5, 1, 1.37, 2.5, 4, 7.5, 9};
  for (size_t i = 0; i < sizeof radii / sizeof radii[0]; i++) {
    expect_alike("RGB", 97, 261, radii[i], 1);
    expect_alike("RGB", 98, 129, radii[i], 1);
    expect_alike("I420", 64, 48, radii[i], .7);
    expect_alike("BGRx", 1, 33, radii[i], .25);
    expect_alike("YUY2", 35, 1, radii[i], 1);
  }
}
END_TEST

START_TEST(odd_dots_are_passed_over)
{
  const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e9f};
  StxSheetParams params = sheet_params("RGB", 40, 40);
  StxSheet *sheet = sheet_new(&params);
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
    const StxSheetDot dots[2] = {{odd[i], 20, {255, 0, 0}}, {20, odd[i], {255, 0, 0}}};
    stx_sheet_dots(sheet, dots, 2, 3, 1, 2);
  }
  const StxSheetDot good = {20, 20, {255, 0, 0}};
  stx_sheet_dots(sheet, &good, 1, 0, 1, 2);
  stx_sheet_dots(sheet, &good, 1, NAN, 1, 2);
  stx_sheet_dots(sheet, &good, 1, 2, 0, 2);
  stx_sheet_dots(sheet, &good, 1, 2, NAN, 2);
  ck_assert(stx_sheet_is_empty(sheet));
  uint64_t before = stx_sheet_changes(sheet);
  stx_sheet_dots(sheet, &good, 1, 2, 1, 2);
  ck_assert(!stx_sheet_is_empty(sheet));
  ck_assert_uint_gt(stx_sheet_changes(sheet), before);
  sheet_free(sheet);
}
END_TEST

static const StxTest tests[] = {{&many_are_as_one_by_one}, {&odd_dots_are_passed_over}};
STX_TESTING_MAIN("sheet dots", tests)
