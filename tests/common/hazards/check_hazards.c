/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hazards: things and holes of known size on an exact road, roads without any, frames that have no
 * ground, and every implementation against the reference. */
#include "tests/common/hazards/hazards_case.h"
#include "tests/common/oracle.h"

#include <math.h>
#include <string.h>

static const StxHazardsParams defaults = STX_HAZARDS_DEFAULTS;

static const StxHazardsImpl *fastest(void)
{
  return stx_impl_pick(&stx_hazards_impls, STX_BACKEND_AUTO);
}

static StxHazardsResult find(StxHazards *state, const HazardsPictures *pictures)
{
  StxHazardsResult result;
  StxError error = {""};
  ck_assert_msg(stx_hazards_find(state, &defaults, &pictures->frame, fastest(), 2, &result, &error),
      "%s", error.text);
  return result;
}

/* ---- What is there --------------------------------------------------------------------------- */

static const HazardsCase things[] = {
    {.x = 0, .z = 8, .width = .6, .length = .5, .height = .2},
    {.x = -.8, .z = 8, .width = .6, .length = .5, .height = .1},
    {.x = .5, .z = 10, .width = 1, .length = .3, .height = .3},
    {.x = 0, .z = 8, .width = 1.2, .length = 1.5, .height = -.2},
    {.x = .4, .z = 9, .width = 1, .length = 2, .height = -.3},
};

STX_TEST_LOOP(things_and_holes_are_found, 5)
{
  HazardsCase c = things[_i];
  STX_AUTO(HazardsPictures) pictures = hazards_pictures(&c);
  STX_AUTO(StxHazards) *state = stx_hazards_new();
  StxHazardsResult result = find(state, &pictures);
  const StxObstacle *r = result.hazards;
  ck_assert(result.ground);
  ck_assert_uint_eq(result.count, 1);
  ck_assert_int_eq(r->flags, c.height > 0 ? STX_OBSTACLE_SMALL : STX_OBSTACLE_HOLE);
  ck_assert_msg(fabs(r->z - c.z) < .06 * c.z, "z %g of %g", r->z, c.z);
  ck_assert_msg(fabs(r->x - c.x) < .2, "x %g of %g", r->x, c.x);
  ck_assert_msg(fabs(r->width - c.width) < .25, "width %g of %g", r->width, c.width);
  /* A hole's floor may hide behind its nearer edge. */
  ck_assert_msg(fabs(r->height - c.height) < (c.height > 0 ? .06 : .16), "height %g of %g",
      r->height, c.height);
  ck_assert(r->confidence > .6f && r->confidence <= 1);
  ck_assert(r->top <= r->bottom && r->left <= r->right && r->bottom < 120 && r->right < 320);
  ck_assert_msg(fabs(r->y - 1.65) < .1, "y %g", r->y);
}

/* ---- What is not ----------------------------------------------------------------------------- */

/* Nor have overexposed patches, whose edges are elsewhere where a camera has another gain. */
STX_TEST_LOOP(a_bare_road_has_none, 5)
{
  HazardsCase c = HAZARDS_CASE(.z = 8, .light = _i > 0 ? 1 + .5 * _i : 0);
  STX_AUTO(HazardsPictures) pictures = hazards_pictures(&c);
  STX_AUTO(StxHazards) *state = stx_hazards_new();
  StxHazardsResult result = find(state, &pictures);
  ck_assert(result.ground);
  ck_assert_uint_eq(result.count, 0);
}

/* The right picture of a bare road is a half and a quarter of a pixel off. */
STX_TEST_LOOP(rows_that_are_off_are_found, 4)
{
  static const double off[] = {-.5, -.25, .25, .5};
  HazardsCase c = HAZARDS_CASE(.z = 8, .lower = off[_i]);
  STX_AUTO(HazardsPictures) pictures = hazards_pictures(&c);
  STX_AUTO(StxHazards) *state = stx_hazards_new();
  StxHazardsParams params = defaults;
  StxHazardsResult result;
  params.max_distance = 12; /* farther away the texture is finer than a row */
  ck_assert(stx_hazards_find(state, &params, &pictures.frame, fastest(), 1, &result, NULL));
  ck_assert_uint_eq(result.count, 0);
  ck_assert_msg(result.noise < 6, "noise %g", result.noise);
}

/* Higher things, and those too far away, are not reported. */
STX_TEST(limits_hold)
{
  HazardsCase high = HAZARDS_CASE(.z = 8, .height = .8), far = HAZARDS_CASE(.z = 10, .height = .3);
  STX_AUTO(HazardsPictures) tall = hazards_pictures(&high);
  STX_AUTO(HazardsPictures) distant = hazards_pictures(&far);
  STX_AUTO(StxHazards) *state = stx_hazards_new();
  StxHazardsParams params = defaults;
  StxHazardsResult result = find(state, &tall);
  ck_assert_uint_eq(result.count, 0);
  params.max_distance = 9;
  ck_assert(stx_hazards_find(state, &params, &distant.frame, fastest(), 1, &result, NULL));
  ck_assert_uint_eq(result.count, 0);
  ck_assert_uint_eq(find(state, &distant).count, 1);
}

/* ---- Frames without ground ------------------------------------------------------------------- */

STX_TEST(nothing_comes_of_an_unknown_map)
{
  HazardsCase c = HAZARDS_CASE(.z = 8, .height = .2);
  STX_AUTO(HazardsPictures) pictures = hazards_pictures(&c);
  STX_AUTO(StxHazards) *state = stx_hazards_new();
  StxImage16 map = pictures.frame.disparity;
  for (int y = 0; y < map.height; y++)
    memset(stx_row16(&map, y), 0, 2 * (size_t)map.width);
  StxHazardsResult result = find(state, &pictures);
  ck_assert(!result.ground);
  ck_assert_uint_eq(result.count, 0);
}

static const int sizes[][2] = {{1, 1}, {1, 120}, {320, 1}, {7, 5}, {40, 33}, {321, 119}};

STX_TEST_LOOP(any_size_will_do, 6)
{
  HazardsCase c = HAZARDS_CASE(.z = 8, .height = .2, .width_px = sizes[_i][0],
      .height_px = sizes[_i][1], .padding = 3);
  STX_AUTO(HazardsPictures) pictures = hazards_pictures(&c);
  STX_AUTO(StxHazards) *state = stx_hazards_new();
  StxHazardsResult result = find(state, &pictures);
  ck_assert_uint_eq(result.count, _i == 5);
}

/* ---- Bad input ------------------------------------------------------------------------------- */

static void expect_failure(const StxHazardsFrame *frame, const char *text)
{
  STX_AUTO(StxHazards) *state = stx_hazards_new();
  StxHazardsResult result;
  StxError error = {""};
  ck_assert(!stx_hazards_find(state, &defaults, frame, fastest(), 1, &result, &error));
  ck_assert_msg(strstr(error.text, text) != NULL, "%s", error.text);
  ck_assert_uint_eq(result.count, 0);
}

STX_TEST(bad_frames_are_named)
{
  HazardsCase c = HAZARDS_CASE(.z = 8);
  STX_AUTO(HazardsPictures) pictures = hazards_pictures(&c);
  StxHazardsFrame frame = pictures.frame;
  frame.right.width--;
  expect_failure(&frame, "the right picture has 319 x 120 pixels");
  frame = pictures.frame;
  frame.camera.focal = 0;
  expect_failure(&frame, "its focal length is not known");
  frame = pictures.frame;
  frame.camera.missing = STX_CAMERA_CX;
  expect_failure(&frame, "cx is not known");
}

STX_TEST(bad_parameters_are_named)
{
  StxHazardsParams params = defaults;
  StxError error;
  ck_assert(stx_hazards_check(&params, &error));
  params.min_height = .5;
  ck_assert(!stx_hazards_check(&params, &error));
  ck_assert_str_eq(error.text, "min_height is 0.5 m, must be at most max_height, which is 0.4 m");
  params.min_height = 5;
  ck_assert(!stx_hazards_check(&params, &error));
  ck_assert_msg(strstr(error.text, "min_height") != NULL, "%s", error.text);
}

/* ---- All implementations --------------------------------------------------------------------- */

/* Noise in pictures and map, so that there is much to find. */
static void spoil(HazardsPictures *pictures, StxRandom *random)
{
  const StxHazardsFrame *frame = &pictures->frame;
  for (int y = 0; y < frame->left.height; y++)
    for (int x = 0; x < frame->left.width; x++) {
      if (stx_random_below(random, 9) == 0)
        stx_row16(&frame->disparity, y)[x] = (uint16_t)stx_random_below(random, 65536);
      if (stx_random_below(random, 20) == 0)
        stx_row8(&frame->right, y)[x] = (uint8_t)stx_random(random);
    }
}

static void compare(const HazardsPictures *pictures, const StxHazardsParams *params, size_t *found)
{
  STX_AUTO(StxHazards) *state = stx_hazards_new();
  STX_AUTO(StxHazards) *other = stx_hazards_new();
  StxHazardsResult expected, result;
  const StxHazardsImpl *reference = oracle(&stx_hazards_impls);
  ck_assert(stx_hazards_find(state, params, &pictures->frame, reference, 1, &expected, NULL));
  *found += expected.count;
  STX_EACH_IMPL (StxHazardsImpl, impl, &stx_hazards_impls)
    for (int threads = 1; threads <= 7; threads += 3) {
      ck_assert(stx_hazards_find(other, params, &pictures->frame, impl, threads, &result, NULL));
      ck_assert(result.noise == expected.noise && result.ground == expected.ground);
      ck_assert_uint_eq(result.count, expected.count);
      ck_assert_uint_eq(result.left_out, expected.left_out);
      stx_expect_same(
          expected.hazards, result.hazards, expected.count * sizeof(StxObstacle), impl->info.name);
    }
}

STX_TEST(all_implementations_agree)
{
  StxRandom random = {5};
  size_t found = 0;
  for (int i = 0; i < stx_rounds(6); i++) {
    HazardsCase c = HAZARDS_CASE(.x = i - 2, .z = 7.5 + .4 * i, .height = i & 1 ? .2 : -.25,
        .width_px = 181 + 13 * i, .height_px = 90 + 7 * i, .padding = i, .lower = .1 * i,
        .light = i % 3);
    STX_AUTO(HazardsPictures) pictures = hazards_pictures(&c);
    StxHazardsParams params = defaults;
    params.evidence = 3;
    params.min_width = 0;
    params.max_hazards = 3 + i;
    if (i > 1)
      spoil(&pictures, &random);
    compare(&pictures, &params, &found);
  }
  ck_assert_uint_gt(found, stx_rounds(6) < 6 ? 1 : 6); /* small sizes: fewer rounds */
}
