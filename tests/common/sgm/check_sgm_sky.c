/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sky of semi-global matching: its decisions against literal values, all of it against brute
 * force. */
#include "tests/testing.h"

#include "common/sgm/sgm_sky_math.h"
#include "tests/common/sgm/sgm_brute_sky.h"

/* ---- By hand ------------------------------------------------------------------------------ */

STX_TEST(tiles_end_at_the_border)
{
  static const int cases[][5] = {{1, 1, 0, 0, 1}, {4, 4, 0, 0, 16}, {5, 4, 1, 0, 4},
      {7, 6, 1, 1, 6}, {7, 6, 0, 1, 8}, {9, 9, 2, 2, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const int *c = cases[i];
    ck_assert_int_eq(stx_sgm_tile_pixels(c[0], c[1], c[2], c[3]), c[4]);
  }
  static const int centres[][3] = {
      {0, 1, 0}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {3, 14, 13}, {3, 15, 14}, {3, 16, 14}};
  for (size_t i = 0; i < sizeof centres / sizeof centres[0]; i++)
    ck_assert_int_eq(stx_sgm_tile_centre(centres[i][0], centres[i][1]), centres[i][2]);
}

/* Frames of 100 pixels. */
STX_TEST(bright_is_three_quarters_of_the_mean)
{
  ck_assert(stx_sgm_is_bright(16 * 75, 16, 10000, 100));
  ck_assert(!stx_sgm_is_bright(16 * 75 - 1, 16, 10000, 100));
  ck_assert(stx_sgm_is_bright(6 * 75, 6, 10000, 100));
  ck_assert(!stx_sgm_is_bright(6 * 75 - 1, 6, 10000, 100));
  ck_assert(stx_sgm_is_bright(16 * 32, 16, 100, 100));
  ck_assert(!stx_sgm_is_bright(16 * 32 - 1, 16, 100, 100));
  /* the largest frame, all white */
  ck_assert(stx_sgm_is_bright(16 * 192, 16, (uint64_t)255 << 28, 1 << 28));
  ck_assert(!stx_sgm_is_bright(16 * 191, 16, (uint64_t)255 << 28, 1 << 28));
}

STX_TEST(brightness_is_in_sixteenths)
{
  StxSgmPatch patch = {.tiles = 2, .pixels = 32, .light = 32 * 100};
  static const int cases[][2] = {{100, 16}, {101, 15}, {94, 17}, {95, 16}, {50, 32}, {26, 61},
      {25, 64}, {1, 64}, {0, 64}, {255, 6}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    ck_assert_int_eq(stx_sgm_patch_light(&patch, 1000 * (uint64_t)cases[i][0], 1000), cases[i][1]);
  ck_assert_int_eq(stx_sgm_patch_light(&(StxSgmPatch){0}, 5, 5), 64);
}

/* 20 · votes <= samples · (16 + light) + 4 · tiles */
STX_TEST(far_is_what_matches_nowhere)
{
  static const struct {
    uint32_t tiles, samples;
    int32_t votes;
    int light;
    bool far;
  } cases[] = {
      {7, 0, 0, 12, true},                               /* nothing says that it is near */
      {10, 10, 18, 16, true},                            /* .8 · 2 + .2 = 1.8 a sample */
      {10, 10, 19, 16, false}, {100, 10, 36, 16, true},  /* few samples say less: 1.6 + 2 */
      {100, 10, 37, 16, false}, {10, 10, 34, 48, true},  /* .8 · 4 + .2 */
      {10, 10, 35, 48, false}, {10, 10, 34, 64, true},   /* no more than that */
      {10, 10, 35, 64, false}, {10, 10, -200, 16, true}, /* matches at infinity */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSgmPatch patch = {
        .tiles = cases[i].tiles, .samples = cases[i].samples, .votes = cases[i].votes};
    ck_assert_msg(stx_sgm_patch_is_far(&patch, cases[i].light) == cases[i].far, "case %d", (int)i);
  }
}

STX_TEST(weight_counts_twice_with_samples)
{
  static const uint32_t cases[][3] = {{8, 0, 8}, {8, 1, 16}, {9, 1, 9}, {16, 2, 32}, {17, 2, 17}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSgmPatch patch = {.tiles = cases[i][0], .samples = cases[i][1]};
    ck_assert_uint_eq(stx_sgm_patch_weight(&patch), cases[i][2]);
  }
}

STX_TEST(alike_is_a_factor_of_1_8)
{
  static const int cases[][3] = {{20, 20, 1}, {20, 36, 1}, {36, 20, 1}, {20, 37, 0}, {37, 20, 0},
      {12, 22, 0}, {13, 23, 1}, {64, 35, 0}, {64, 36, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    ck_assert_int_eq(stx_sgm_is_alike(cases[i][0], cases[i][1]), cases[i][2]);
}

/* Outlines: {column, disparity in 1/256 px} of tiles in an image of 1440 pixels, where less than
 * 10 px are far. */
STX_TEST(a_plane_is_a_wall)
{
  static const struct {
    int tiles[9][2];
    bool wall;
  } cases[] = {
      {{{1, 2560}, {2, 2560}, {3, 2560}, {4, 2560}, {5, 2560}, {6, 2560}, {7, 2560}, {9, 2560}},
          true},
      {{{1, 2560}, {2, 2560}, {3, 2560}, {4, 2560}, {5, 2560}, {6, 2560}, {7, 2560}}, false},
      {{{1, 2559}, {2, 2560}, {3, 2560}, {4, 2560}, {5, 2560}, {6, 2560}, {7, 2560}, {9, 2560}},
          false}, /* one of eight is far */
      {{{1, 3000}, {2, 4000}, {3, 5000}, {4, 6000}, {5, 7000}, {6, 8000}, {7, 9000}, {8, 10000}},
          true}, /* it recedes */
      {{{5, 6000}, {5, 6000}, {5, 6000}, {5, 6000}, {5, 9000}, {5, 9000}, {5, 9000}, {5, 9000}},
          true}, /* one column: 1500² / 7500² is .04 */
      {{{5, 6000}, {5, 6000}, {5, 6000}, {5, 6000}, {5, 9600}, {5, 9600}, {5, 9600}, {5, 9600}},
          false}, /* 1800² / 7800² is .053 */
      {{{1, 3000}, {2, 9000}, {3, 3000}, {4, 9000}, {5, 9000}, {6, 3000}, {7, 9000}, {8, 3000}},
          false}, /* here and there */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSgmPatch patch = {.tiles = 100};
    for (int k = 0; k < 9; k++) /* those that are not there are unknown */
      stx_sgm_add_outline(
          &patch.outline, cases[i].tiles[k][0], (uint32_t)cases[i].tiles[k][1], 1440);
    ck_assert_msg(stx_sgm_patch_is_wall(&patch) == cases[i].wall, "case %d", (int)i);
    patch.samples = 50; /* they match at 0: the sky, whatever it ends at; .6 each is the most */
    patch.votes = 30;
    ck_assert(!stx_sgm_patch_is_wall(&patch));
    patch.votes = 31;
    ck_assert(stx_sgm_patch_is_wall(&patch) == cases[i].wall);
    patch.votes = 0;
    patch.samples = 49;
    ck_assert(stx_sgm_patch_is_wall(&patch) == cases[i].wall);
  }
}

/* A wall that is as bright as the sky, to a tenth, and of which a quarter are samples. */
STX_TEST(a_wall_like_the_sky_is_sky)
{
  static const int cases[][4] = {{25, 30, 30, 1}, {24, 30, 30, 0}, {25, 33, 30, 1}, {25, 34, 30, 0},
      {25, 27, 30, 1}, {25, 26, 30, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSgmPatch patch = {.tiles = 100, .samples = (uint32_t)cases[i][0], .votes = 25};
    ck_assert(stx_sgm_patch_is_sky(&patch, cases[i][1], cases[i][2]));
    for (int k = 0; k < 8; k++)
      stx_sgm_add_outline(&patch.outline, k, 5000, 1440);
    ck_assert_int_eq(stx_sgm_patch_is_sky(&patch, cases[i][1], cases[i][2]), cases[i][3]);
    ck_assert(!stx_sgm_patch_may_be_sky(&patch, cases[i][1]));
  }
}

STX_TEST(a_wire_hides_no_sky)
{
  static const StxSgmTile dark = {100, 110, 0}, bright = {110, 120, 0}, brighter = {111, 121, 0};
  static const StxSgmTile nearly_white = {240, 254, 0}, white = {240, 255, 0};
  ck_assert(stx_sgm_is_same_sky(dark, bright));
  ck_assert(!stx_sgm_is_same_sky(dark, brighter));
  ck_assert(stx_sgm_is_same_sky(nearly_white, nearly_white));
  ck_assert(!stx_sgm_is_same_sky(nearly_white, white));
  ck_assert(!stx_sgm_is_same_sky(white, nearly_white));
}

STX_TEST(the_sky_goes_on_where_it_is_as_bright)
{
  static const StxSgmTile gray = {90, 254, 1600}, white = {90, 255, 1600};
  ck_assert(stx_sgm_may_meet(gray, gray));
  ck_assert(!stx_sgm_may_meet(gray, white));
  ck_assert(!stx_sgm_may_meet(white, gray));
  /* pixels and sum of a tile beside one of 16 pixels and mean 100 */
  static const int cases[][3] = {{16, 1696, 1}, {16, 1697, 0}, {16, 1504, 1}, {16, 1503, 0},
      {4, 424, 1}, {4, 425, 0}, {4, 376, 1}, {4, 375, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSgmTile tile = {0, 0, (uint16_t)cases[i][1]};
    ck_assert_int_eq(stx_sgm_is_alike_in_mean(gray, 16, tile, cases[i][0]), cases[i][2]);
    ck_assert_int_eq(stx_sgm_is_alike_in_mean(tile, cases[i][0], gray, 16), cases[i][2]);
  }
  static const uint32_t patches[][3] = {{8, 6, 1}, {8, 5, 0}, {7, 7, 0}, {12, 9, 1}, {13, 9, 0}};
  for (size_t i = 0; i < sizeof patches / sizeof patches[0]; i++) {
    StxSgmPatch patch = {.meetings = patches[i][0], .alike = patches[i][1]};
    ck_assert_uint_eq(stx_sgm_patch_is_behind(&patch), patches[i][2]);
  }
}

STX_TEST(the_sky_grows_from_what_is_not_small)
{
  static const StxSgmGrays sky = {100, 110};
  static const int cases[][3] = {{100, 120, 1}, {100, 121, 0}, {90, 110, 1}, {89, 110, 0},
      {90, 111, 0}, {95, 115, 1}, {104, 105, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSgmGrays tile = {(uint8_t)cases[i][0], (uint8_t)cases[i][1]};
    ck_assert_int_eq(stx_sgm_grows(tile, sky), cases[i][2]);
    ck_assert(!stx_sgm_grows(tile, stx_sgm_no_grays()));
  }
  ck_assert(!stx_sgm_patch_is_small(&(StxSgmPatch){.tiles = 10}, 2560));
  ck_assert(stx_sgm_patch_is_small(&(StxSgmPatch){.tiles = 10}, 2561));
  ck_assert(!stx_sgm_patch_is_small(&(StxSgmPatch){.tiles = 1 << 24}, 1 << 24));
}

/* ---- All of it ---------------------------------------------------------------------------- */

/* Marks the sky in a copy of a result, once by brute force and once with some threads. */
static void compare(const SgmPair *pair, const SgmResult *before, BruteSky *met, const char *what)
{
  static const int threads[] = {1, 2, 7};
  STX_AUTO(SgmResult) expected = sgm_copy_result(before);
  brute_sky(pair, &expected, met);
  for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
    STX_AUTO(SgmResult) actual = sgm_copy_result(before);
    STX_GUARDED void *scratch = stx_guarded_alloc(stx_sgm_sky_scratch(&pair->params));
    stx_sgm_sky(&pair->params, &pair->left, &pair->right, &actual.disparity, &actual.confidence,
        scratch, threads[t]);
    sgm_expect_same(&expected, &actual, what);
  }
}

/* Half of the disparities are those that the reference finds. */
static void compare_some(int width, int height, uint64_t seed, BruteSky *met)
{
  StxRandom random = {seed};
  StxSgmParams params = sgm_random_params(width, height, &random);
  params.max_disparity = 64;
  params.sky = false;
  STX_AUTO(SgmPair) pair = sgm_new_pair(params);
  sgm_fill_sky(&pair, &random);
  STX_AUTO(SgmResult) before =
      seed % 2 ? sgm_run(sgm_reference(), &pair, 1)
               : sgm_random_result(&params, 1 + stx_random_below(&random, 8), &random);
  compare(&pair, &before, met, sgm_describe(&params, "sky", 0, seed));
}

STX_TEST(equals_brute_force_on_any_size)
{
  BruteSky met = {0};
  for (int k = 0; k < 300; k++) {
    StxRandom random = {(uint64_t)k};
    int most = 1 << stx_random_below(&random, 6);
    compare_some(1 + stx_random_below(&random, most), 1 + stx_random_below(&random, most),
        (uint64_t)k, &met);
  }
  compare_some(1, 200, 301, &met);
  compare_some(200, 1, 303, &met);
}

/* Streets in which everything is met that sgm_sky.h decides. */
STX_TEST(equals_brute_force_on_every_decision)
{
  BruteSky met = {0};
  for (uint64_t seed = 0; seed < 240; seed++)
    compare_some(90 + (int)(seed % 7) * 11, 40 + (int)(seed % 5) * 3, seed, &met);
  const int *count = (const int *)&met;
  for (size_t i = 0; i < sizeof met / sizeof *count; i++)
    ck_assert_msg(count[i] >= 2, "decision %d of BruteSky was met %d times", (int)i, count[i]);
}

/* Smooth and bright is the upper half, which the other camera sees with noise of its own; below is
 * what is 20 pixels further left there and, from the middle on, 4. Then the upper half is what the
 * left one sees, 20 pixels further left, which makes it a wall. */
STX_TEST(a_wall_is_no_sky)
{
  for (int wall = 0; wall < 2; wall++) {
    StxRandom random = {5};
    StxSgmParams params = sgm_defaults(160, 48, 64);
    params.texture = 0;
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    STX_EACH_PIXEL (x, y, 160, 48) {
      bool above = y < 24;
      int shift = above || x < 80 ? 20 : 4;
      int gray = above ? 180 + stx_random_below(&random, 12) : stx_random_below(&random, 160);
      stx_row8(&pair.left, y)[x] = (uint8_t)gray;
      if (above && !wall)
        stx_row8(&pair.right, y)[x] = (uint8_t)(180 + stx_random_below(&random, 12));
      else if (x >= shift)
        stx_row8(&pair.right, y)[x - shift] = (uint8_t)gray;
    }
    STX_AUTO(SgmResult) result = sgm_run(sgm_reference(), &pair, 1);
    STX_EACH_PIXEL (x, y, 160, 48)
      ck_assert_msg((stx_row8(&result.confidence, y)[x] == 255) == (!wall && y < 24),
          "wall %d: confidence (%d, %d) is %d", wall, x, y, stx_row8(&result.confidence, y)[x]);
  }
}

/* Of two that are equally large the left one is the sky, be it the darker one or the brighter. */
STX_TEST(the_leftmost_sky_wins)
{
  for (int k = 0; k < 2; k++) {
    STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(96, 24, 64));
    int third = sgm_fill_two_skies(&pair, k ? 240 : 100, k ? 100 : 240);
    STX_AUTO(SgmResult) result = sgm_run(sgm_reference(), &pair, 1);
    STX_EACH_PIXEL (x, y, 96, 24)
      ck_assert_msg((stx_row8(&result.confidence, y)[x] == 255) == (x < third),
          "case %d: confidence (%d, %d) is %d", k, x, y, stx_row8(&result.confidence, y)[x]);
  }
}
