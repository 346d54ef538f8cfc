/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sky of semi-global matching: its decisions against literal values, all of it against brute
 * force. */
#include "tests/testing.h"

#include "common/sgm/sgm_sky_math.h"
#include "tests/common/sgm/sgm_brute_sky.h"

/* ---- By hand ------------------------------------------------------------------------------ */

STX_TEST(centre_of_a_tile_is_inside)
{
  static const int centres[][3] = {
      {0, 1, 0}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {3, 14, 13}, {3, 15, 14}, {3, 16, 14}};
  for (size_t i = 0; i < sizeof centres / sizeof centres[0]; i++)
    ck_assert_int_eq(stx_sgm_tile_centre(centres[i][0], centres[i][1]), centres[i][2]);
}

STX_TEST(range_follows_the_brightness)
{
  ck_assert_int_eq(stx_sgm_sky_level((uint64_t)4080 << 24, 1 << 24), 4080);
  ck_assert_int_eq(stx_sgm_sky_level(59, 6), 9);
  ck_assert_int_eq(stx_sgm_sky_level(0, 0), 0);
  static const int ranges[][2] = {{0, 6}, {559, 6}, {560, 7}, {1600, 20}, {4080, 51}};
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
    ck_assert_int_eq(stx_sgm_sky_range(ranges[i][0], (StxSgmSpans){5, 5, 5}, 100), ranges[i][1]);
  static const int spans[][4] = {{20, 81, 20, 1}, {20, 80, 20, 0}, {21, 81, 20, 0},
      {21, 21 * 128, 20, 1}, {21, 21 * 128 - 1, 20, 0}};
  for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++)
    ck_assert_int_eq(stx_sgm_is_smooth(spans[i][0], spans[i][1], spans[i][2]), spans[i][3]);
}

STX_TEST(range_follows_the_noise_of_the_flattest_tiles)
{
  static const struct {
    StxSgmSpans spans;
    int range;
  } cases[] = {{{5, 9, 20}, 20}, {{4, 5, 20}, 27}, {{4, 4, 5}, 37}, {{4, 4, 4}, 50}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    ck_assert_int_eq(stx_sgm_sky_range(1600, cases[i].spans, 100), cases[i].range);
  ck_assert_int_eq(stx_sgm_sky_range(4080, (StxSgmSpans){0}, 100), 51);
  ck_assert_int_eq(stx_sgm_sky_range(0, (StxSgmSpans){0}, 0), 6);
  static const int tiles[][6] = {/* low, high, sum; is it flat, rough, rougher? */
      {100, 108, 1600, 1, 1, 1}, {100, 109, 1600, 0, 1, 1}, {100, 111, 1600, 0, 1, 1},
      {100, 112, 1600, 0, 0, 1}, {100, 115, 1600, 0, 0, 1}, {100, 116, 1600, 0, 0, 0},
      {0, 7, 80, 0, 0, 0}, {0, 7, 81, 1, 1, 1}};
  for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
    const int *t = tiles[i];
    StxSgmSpans spans = stx_sgm_spans((StxSgmTile){(uint8_t)t[0], (uint8_t)t[1], (uint16_t)t[2]});
    ck_assert(spans.flat == (uint32_t)t[3] && spans.rough == (uint32_t)t[4] &&
              spans.rougher == (uint32_t)t[5]);
  }
}

/* 1400 pixels: up to 2 px of disparity are as good as 0. */
STX_TEST(clouds_are_far_and_bright)
{
  ck_assert_int_eq(stx_sgm_cloud_level(800, 501), 4000); /* 5/4 of the frame */
  ck_assert_int_eq(stx_sgm_cloud_level(800, 499), 3992); /* twice the ground */
  ck_assert_int_eq(stx_sgm_cloud_level(800, 0), 4000);   /* there is none */
  ck_assert(stx_sgm_is_cloud(512, 1400, 1000, 4000));
  ck_assert(!stx_sgm_is_cloud(513, 1400, 1000, 4000));
  ck_assert(!stx_sgm_is_cloud(512, 1400, 999, 4000));
  ck_assert(!stx_sgm_is_cloud(STX_DISPARITY_UNKNOWN, 1400, 1000, 4000));
  ck_assert(!stx_sgm_is_cloud(512, 1400, 80, 0)); /* blank */
}

STX_TEST(near_is_what_matches_better_than_at_0)
{
  static const int cases[][3] = {
      {16, 95, 1}, {16, 96, 0}, {15, 0, 0}, {100, 599, 1}, {100, 600, 0}, {-9, 40, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    ck_assert_int_eq(stx_sgm_is_near(cases[i][0], cases[i][1]), cases[i][2]);
  /* of a patch: 32 · votes <= 8 · costs + tiles */
  ck_assert(stx_sgm_patch_is_far(&(StxSgmPatch){.tiles = 32, .votes = 6, .costs = 20}));
  ck_assert(!stx_sgm_patch_is_far(&(StxSgmPatch){.tiles = 32, .votes = 7, .costs = 20}));
}

STX_TEST(brightness_is_in_sixteenths)
{
  static const int cases[][2] = {
      {100, 16}, {101, 15}, {94, 17}, {50, 32}, {26, 61}, {25, 63}, {1, 63}, {0, 63}, {255, 6}};
  StxSgmPatch patch = {.tiles = 2, .light = 200};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    ck_assert_int_eq(stx_sgm_patch_light(&patch, cases[i][0]), cases[i][1]);
  ck_assert(stx_sgm_is_alike(20, 24, 12) && stx_sgm_is_alike(24, 20, 12));
  ck_assert(!stx_sgm_is_alike(20, 25, 12) && !stx_sgm_is_alike(25, 20, 12));
}

/* An image of 1200 pixels, where less than 15 px are far: the first `far` tiles of the outline are,
 * the others stand in one plane or, if `uneven`, here and there. */
static StxSgmPatch outlined(int count, int far, bool uneven)
{
  StxSgmPatch patch = {.tiles = 100, .samples = 25, .open = 1};
  for (int k = 0; k < count; k++)
    stx_sgm_add_outline(&patch.outline, k,
        k < far                ? 3839
        : uneven && k % 3 == 0 ? 9000
                               : 3840,
        true, 1200);
  return patch;
}

STX_TEST(sky_is_sure_where_it_ends_far_away)
{
  static const struct {
    int count, far;
    bool uneven;
    int light, tiles, sureness;
  } cases[] = {
      {64, 24, false, 16, 25600, 3}, {65, 24, false, 16, 25600, 0}, /* 3/8 */
      {10, 4, false, 16, 25600, 0},                                 /* 5 tiles at least */
      {64, 24, false, 16, 25601, 0}, /* a 256th of the frame, or three quarters … */
      {40, 30, true, 16, 51200, 3}, {40, 29, true, 16, 51200, 0},
      {40, 30, true, 16, 51201, 0},                                /* … of a 512th */
      {40, 30, true, 15, 25600, 1},                                /* less than any bright one */
      {40, 29, true, 15, 25600, 0}, {40, 40, false, 15, 25600, 0}, /* three quarters, no plane */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSgmPatch patch = outlined(cases[i].count, cases[i].far, cases[i].uneven);
    patch.light = 200; /* a mean of 2, and 1 is that of the rest: not so bright that it glares */
    int sureness = stx_sgm_patch_sureness(&patch, cases[i].light, 1, cases[i].tiles);
    ck_assert_msg(sureness == cases[i].sureness, "case %d: %d", (int)i, sureness);
    uint64_t rank = stx_sgm_patch_rank(&patch, cases[i].light, 1, cases[i].tiles);
    ck_assert_uint_eq(rank, sureness > 0 ? (uint64_t)sureness << 32 | 100 : 0);
    patch.votes = 4; /* it matches elsewhere */
    ck_assert_int_eq(stx_sgm_patch_sureness(&patch, cases[i].light, 1, cases[i].tiles), 0);
  }
  StxSgmPatch ceiling = outlined(64, 24, false); /* 9/8 of the rest is a sky's */
  ceiling.light = 112;
  ck_assert_int_eq(stx_sgm_patch_sureness(&ceiling, 16, 1, 25600), 0);
  ceiling.light = 113;
  for (int k = 64; k < 240; k++) /* a tenth of all, and 3/8 of what is seen */
    stx_sgm_add_outline(&ceiling.outline, k, 1, false, 1200);
  ck_assert_int_eq(stx_sgm_patch_sureness(&ceiling, 16, 1, 25600), 3);
  stx_sgm_add_outline(&ceiling.outline, 240, 1, false, 1200);
  ck_assert_int_eq(stx_sgm_patch_sureness(&ceiling, 16, 1, 25600), 0);
  ck_assert(stx_sgm_is_seen(7, 14) && !stx_sgm_is_seen(7, 13));
}

/* Nothing that a patch of 100 tiles ends at is far; the rest has a mean sum of 160. */
STX_TEST(sky_is_sure_where_it_glares)
{
  static const struct {
    int count;
    bool uneven;
    int mean, clipped, light, tiles, sureness;
  } cases[] = {
      {40, true, 360, 74, 20, 25600, 2}, {40, true, 359, 74, 20, 25600, 0}, /* 9/4 of the rest */
      {40, true, 280, 75, 20, 25600, 2}, {40, true, 279, 75, 20, 25600, 0}, /* 7/4 if clipped */
      {40, true, 360, 0, 15, 25600, 2}, /* however bright the whole frame is */
      {40, true, 360, 0, 20, 25601, 0}, /* a 256th of it at least */
      {40, false, 360, 0, 20, 25600, 0}, {7, true, 360, 0, 20, 25600, 0}, /* a white wall; few */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSgmPatch patch = outlined(cases[i].count, 0, cases[i].uneven);
    patch.light = 100 * (uint64_t)cases[i].mean;
    patch.clipped = (uint32_t)cases[i].clipped;
    ck_assert_msg(
        stx_sgm_patch_sureness(&patch, cases[i].light, 160, cases[i].tiles) == cases[i].sureness,
        "case %d", (int)i);
  }
  ck_assert(stx_sgm_is_clipped((StxSgmTile){250, 255, 4000}));
  ck_assert(!stx_sgm_is_clipped((StxSgmTile){249, 255, 4000}));
}

/* Beside a sure patch of brightness 20. */
STX_TEST(other_sky_is_as_bright_as_the_sure_one)
{
  static const struct {
    int samples, votes, light;
    bool uneven, sky;
  } cases[] = {
      {25, 0, 24, true, true}, {25, 0, 25, true, false}, {25, 0, 17, true, true},
      {25, 0, 16, true, false}, {24, 0, 30, true, true}, {24, 0, 31, true, false}, /* bare: 1.5 */
      {25, 1, 20, false, true}, {25, 2, 20, false, false}, {24, 0, 20, false, false}, /* walls */
      {25, 2, 20, true, true}, {25, 6, 20, true, false}, /* it matches elsewhere */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSgmPatch patch = outlined(40, 0, cases[i].uneven);
    patch.samples = (uint32_t)cases[i].samples;
    patch.votes = cases[i].votes;
    patch.costs = 10;
    bool sky = stx_sgm_patch_is_sky(&patch, cases[i].light, 1u << 20, 25600);
    ck_assert_msg(sky == cases[i].sky, "case %d", (int)i);
    ck_assert(!stx_sgm_patch_is_sky(&patch, cases[i].light, 0, 25600));
  }
  StxSgmPatch corner = outlined(7, 0, true); /* a wall's, too small for a plane */
  corner.samples = 24;
  ck_assert(!stx_sgm_patch_is_sky(&corner, 20, 1u << 20, 25600));
}

/* No other patch is sky. */
STX_TEST(enclosed_sky_is_bare_and_bright_and_ends_far_away)
{
  static const struct {
    int count, far, samples, light, tiles;
    bool uneven, sky;
  } cases[] = {
      {40, 35, 24, 24, 6400, true, true}, {40, 34, 24, 24, 6400, true, false}, /* 7/8 are far */
      {4, 4, 24, 24, 6400, true, false},                                       /* 5 at least */
      {40, 35, 25, 24, 6400, true, false}, {40, 35, 24, 23, 6400, true, false},
      {40, 35, 24, 24, 6401, true, false}, /* a 64th of the frame */
      {40, 40, 24, 24, 6400, false, false} /* a white house */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSgmPatch patch = outlined(cases[i].count, cases[i].far, cases[i].uneven);
    if (cases[i].uneven)
      for (int k = 0; k < 8; k++) /* not in one plane, and not seen */
        stx_sgm_add_outline(&patch.outline, k, 90000, false, 1200);
    patch.samples = (uint32_t)cases[i].samples;
    patch.open = 0;
    bool sky = stx_sgm_patch_is_sky(&patch, cases[i].light, 1u << 24, cases[i].tiles);
    ck_assert_msg(sky == cases[i].sky, "case %d", (int)i);
    ck_assert_uint_eq(stx_sgm_patch_rank(&patch, 24, 1, 25600), 0);
  }
}

/* Outlines: {column, disparity in 1/256 px} of tiles. */
STX_TEST(plane_is_what_fits_a_line_over_the_columns)
{
  static const struct {
    int tiles[8][2];
    bool plane;
  } cases[] = {
      {{{1, 2560}, {2, 2560}, {3, 2560}, {4, 2560}, {5, 2560}, {6, 2560}, {7, 2560}, {9, 2560}},
          true},
      {{{1, 2560}, {2, 2560}, {3, 2560}, {4, 2560}, {5, 2560}, {6, 2560}, {7, 2560}}, false},
      {{{1, 3000}, {2, 4000}, {3, 5000}, {4, 6000}, {5, 7000}, {6, 8000}, {7, 9000}, {8, 10000}},
          true}, /* it recedes */
      {{{5, 6000}, {5, 6000}, {5, 6000}, {5, 6000}, {5, 8500}, {5, 8500}, {5, 8500}, {5, 8500}},
          true}, /* one column: 1250² / 7250² is .03 */
      {{{5, 6000}, {5, 6000}, {5, 6000}, {5, 6000}, {5, 8600}, {5, 8600}, {5, 8600}, {5, 8600}},
          false}, /* 1300² / 7300² is .032 */
      {{{1, 3000}, {2, 9000}, {3, 3000}, {4, 9000}, {5, 9000}, {6, 3000}, {7, 9000}, {8, 3000}},
          false}, /* here and there */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSgmOutline outline = {0};
    for (int k = 0; k < 8 && cases[i].tiles[k][1] > 0; k++)
      stx_sgm_add_outline(
          &outline, cases[i].tiles[k][0], (uint32_t)cases[i].tiles[k][1], true, 1440);
    ck_assert_msg(stx_sgm_is_one_plane(&outline) == cases[i].plane, "case %d", (int)i);
  }
}

STX_TEST(a_wire_hides_no_sky)
{
  static const StxSgmTile dark = {100, 110, 99}, bright = {110, 120, 99}, brighter = {111, 121, 99};
  static const StxSgmTile nearly_white = {240, 254, 99}, white = {240, 255, 99};
  ck_assert(stx_sgm_is_same_sky(dark, bright, 20));
  ck_assert(!stx_sgm_is_same_sky(dark, brighter, 20));
  ck_assert(stx_sgm_is_same_sky(nearly_white, nearly_white, 20));
  ck_assert(!stx_sgm_is_same_sky(nearly_white, white, 20));
  ck_assert(!stx_sgm_is_same_sky(white, nearly_white, 20));
}

STX_TEST(sky_grows_into_its_own_gray_values)
{
  static const StxSgmGrays sky = {100, 110};
  static const int cases[][4] = {{100, 120, 99, 1}, {100, 121, 99, 0}, {90, 110, 99, 1},
      {89, 110, 99, 0}, {90, 111, 99, 0}, {90, 111, 21 * 128, 1}, {95, 115, 99, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSgmGrays tile = {(uint8_t)cases[i][0], (uint8_t)cases[i][1]};
    ck_assert_int_eq(stx_sgm_grows(tile, sky, cases[i][2], 20), cases[i][3]);
    ck_assert(!stx_sgm_grows(tile, stx_sgm_no_grays(), cases[i][2], 20));
  }
}

/* Sky of `low` … `high` and a range of 20: the gray values of the margin. */
STX_TEST(margin_spans_the_range_or_a_fifth_of_the_sky)
{
  static const int cases[][4] = {{90, 100, 80, 110}, {100, 110, 90, 120}, {105, 115, 94, 126},
      {200, 210, 170, 240}, {10, 15, 0, 30}, {240, 250, 202, 255}, {90, 110, 90, 110}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSgmGrays sky = {(uint8_t)cases[i][0], (uint8_t)cases[i][1]};
    StxSgmGrays rim = stx_sgm_rim_grays(sky, 20);
    ck_assert_msg(rim.low == cases[i][2] && rim.high == cases[i][3], "case %d: %d to %d", (int)i,
        rim.low, rim.high);
  }
  StxSgmGrays none = stx_sgm_rim_grays((StxSgmGrays){90, 111}, 20);
  ck_assert_int_gt(none.low, none.high);
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

/* Makes black what is above a slanted edge, as a rectification does. */
static void blacken(const SgmPair *pair, StxRandom *random)
{
  int at = stx_random_below(random, 24), slope = stx_random_below(random, 9) - 4;
  STX_EACH_PIXEL (x, y, pair->params.width, pair->params.height)
    if (y < at + x * slope / 8)
      stx_row8(&pair->left, y)[x] = stx_row8(&pair->right, y)[x] =
          (uint8_t)stx_random_below(random, 8);
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
  if (seed % 5 == 0)
    blacken(&pair, &random);
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

enum { DRAWN_WIDTH = 192 };

/* A pixel of the left view, and its disparity in 1/256 px; where that is unknown or less than a
 * pixel, the right view has the same one. */
typedef struct {
  int gray, disparity;
} Drawn;

static void compare_drawn(
    Drawn (*draw)(int x, int y, StxRandom *random), int height, const char *name, BruteSky *met)
{
  StxRandom random = {1};
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(DRAWN_WIDTH, height, 64));
  STX_AUTO(SgmResult) before = sgm_random_result(&pair.params, 1, &random); /* all unknown */
  STX_EACH_PIXEL (x, y, DRAWN_WIDTH, height) {
    Drawn drawn = draw(x, y, &random);
    int match = x - drawn.disparity / STX_DISPARITY_ONE;
    stx_row8(&pair.left, y)[x] = stx_row8(&pair.right, y)[x] = (uint8_t)drawn.gray;
    if (match >= 0)
      stx_row8(&pair.right, y)[match] = (uint8_t)drawn.gray;
    if (drawn.disparity > 0)
      stx_row16(&before.disparity, y)[x] = (uint16_t)drawn.disparity;
  }
  compare(&pair, &before, met, name);
}

/* Left of a pole the sky, right of it what is a wall, as all that it ends at is 20 px near. Above
 * the pole is a row of tiles of both, which grow. */
static Drawn draw_pole(int x, int y, StxRandom *random)
{
  bool pole = x / 8 == DRAWN_WIDTH / 16 && y >= 8, below = y >= 32;
  int disparity = (x < DRAWN_WIDTH / 2 ? 1 : 20) * STX_DISPARITY_ONE;
  int gray = pole ? 0 : below ? stx_random_below(random, 160) : 200;
  return (Drawn){gray, pole || below ? disparity : 0};
}

/* Sky above and below a band of four rows of tiles that are brighter and rough. The outer two and
 * what is beside them are clouds, so that sky reaches them. No wire is as thick. */
static Drawn draw_bar(int x, int y, StxRandom *random)
{
  bool bar = y >= 16 && y < 32, below = y >= 48;
  bool cloud = (y >= 12 && y < 20) || (y >= 28 && y < 36);
  int gray = bar ? 200 + stx_random_below(random, 55) : 200;
  gray = below ? stx_random_below(random, 60) : gray;
  return (Drawn){gray, below ? 20 * STX_DISPARITY_ONE : cloud};
}

/* A white sky above what is near, here and there. */
static Drawn draw_burnt(int x, int y, StxRandom *random)
{
  bool below = y >= 32;
  int disparity = (x / 32 % 2 ? 20 : 40) * STX_DISPARITY_ONE;
  return (Drawn){below ? stx_random_below(random, 200) : 255, below ? disparity : 0};
}

/* A dusk whose noise no tile is free of. */
static Drawn draw_dusk(int x, int y, StxRandom *random)
{
  bool below = y >= 32;
  int gray = below ? stx_random_below(random, 40) : 60 + stx_random_below(random, 14);
  return (Drawn){gray, below ? STX_DISPARITY_ONE : 0};
}

/* A white sky below a bridge, above what is far away, here and there less. */
static Drawn draw_bridge(int x, int y, StxRandom *random)
{
  bool sky = y >= 16 && y < 48;
  int disparity = (x / 32 % 2 ? 1 : 2) * STX_DISPARITY_ONE;
  return (Drawn){sky ? 200 : stx_random_below(random, 120), sky ? 0 : disparity};
}

/* Streets and a pole in which everything is met that sgm_sky.h decides. */
STX_TEST(equals_brute_force_on_every_decision)
{
  BruteSky met = {0};
  int seeds = stx_rounds(240);
  for (uint64_t seed = 0; seed < (uint64_t)seeds; seed++)
    compare_some(130 + (int)(seed % 7) * 11, 64 + (int)(seed % 5) * 3, seed, &met);
  compare_drawn(draw_pole, 64, "pole", &met);
  compare_drawn(draw_bar, 96, "bar", &met);
  compare_drawn(draw_burnt, 64, "burnt", &met);
  compare_drawn(draw_dusk, 64, "dusk", &met);
  compare_drawn(draw_bridge, 80, "bridge", &met);
  const int *count = (const int *)&met;
  for (size_t i = 0; i < sizeof met / sizeof *count && seeds == 240; i++)
    ck_assert_msg(count[i] > 0, "decision %d of BruteSky was not met", (int)i);
}

/* Smooth and bright is the upper half, which the other camera sees with noise of its own; below is
 * what is 20 pixels further left there and, from the middle on, 1. Or the upper half is what the
 * left one sees, 20 pixels further left, which makes it a wall. */
static void compare_wall(bool wall, int scale, int sixteenths)
{
  StxRandom random = {5};
  int width = 160 * scale, height = 48 * scale;
  StxSgmParams params = sgm_defaults(width, height, 64);
  params.texture = 0;
  STX_AUTO(SgmPair) pair = sgm_new_pair(params);
  STX_EACH_PIXEL (x, y, width, height) {
    bool above = y < height / 2;
    int shift = above || x < width / 2 ? 20 : 1;
    int gray = above ? 180 + stx_random_below(&random, 12) : stx_random_below(&random, 160);
    stx_row8(&pair.left, y)[x] = (uint8_t)(gray * sixteenths / 16);
    if (above && !wall)
      stx_row8(&pair.right, y)[x] =
          (uint8_t)((180 + stx_random_below(&random, 12)) * sixteenths / 16);
    else if (x >= shift)
      stx_row8(&pair.right, y)[x - shift] = stx_row8(&pair.left, y)[x];
  }
  STX_AUTO(SgmResult) result = sgm_run(sgm_reference(), &pair, 1);
  int wrong = 0;
  STX_EACH_PIXEL (x, y, width, height)
    wrong += (stx_row8(&result.confidence, y)[x] == 255) != (!wall && y < height / 2);
  ck_assert_msg(50 * wrong <= width * height, "wall %d, scale %d, gain %d/16: %d pixels are wrong",
      wall, scale, sixteenths, wrong);
}

/* At four gains and two sizes, at most one pixel in fifty differs. */
STX_TEST(a_wall_is_no_sky_at_any_scale_and_gain)
{
  static const int gains[] = {3, 6, 16, 21};
  for (int k = 0; k < 16; k++)
    compare_wall(k % 2, 1 + k / 2 % 2, gains[k / 4]);
}

/* Half of a picture is sky above what is 1 px near, within a black border as a rectification leaves
 * it: what is sky without one is sky with it. */
STX_TEST(a_black_border_hides_no_sky)
{
  StxRandom random = {7};
  int width = 240, height = 96;
  for (int border = 0; border <= 15; border += 5) {
    STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(width, height, 64));
    STX_EACH_PIXEL (x, y, width, height) {
      bool inside = x >= border && x < width - border && y >= border && y < height - border;
      int gray = y < height / 2 ? 200 : stx_random_below(&random, 160);
      stx_row8(&pair.left, y)[x] = (uint8_t)(inside ? gray : 0);
    }
    STX_EACH_PIXEL (x, y, width, height)
      stx_row8(&pair.right, y)[x] = stx_row8(&pair.left, y)[x + 1 < width ? x + 1 : x];
    STX_AUTO(SgmResult) result = sgm_run(sgm_reference(), &pair, 1);
    int skies = 0, wrong = 0;
    STX_EACH_PIXEL (x, y, width, height) {
      bool sky = stx_row8(&result.confidence, y)[x] == 255;
      bool inside = x >= border + 16 && x < width - border - 16 && y >= border + 16;
      skies += inside && y < height / 2 - 4 && !sky;
      wrong += sky && (y >= height / 2 + 4 || y < border - 4);
    }
    ck_assert_msg(
        skies == 0 && wrong == 0, "border %d: %d pixels lost, %d false", border, skies, wrong);
  }
}

/* The left one of two equally large skies is the sky, be it the darker or the brighter one. */
STX_TEST(the_leftmost_sky_wins)
{
  for (int k = 0; k < 2; k++) {
    STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(240, 48, 64));
    int quarter = sgm_fill_two_skies(&pair, k ? 240 : 100, k ? 100 : 240);
    STX_AUTO(SgmResult) result = sgm_run(sgm_reference(), &pair, 1);
    STX_EACH_PIXEL (x, y, 240, 48)
      ck_assert_msg((stx_row8(&result.confidence, y)[x] == 255) == (x < quarter),
          "case %d: confidence (%d, %d) is %d", k, x, y, stx_row8(&result.confidence, y)[x]);
  }
}
