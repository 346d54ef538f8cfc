/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Range and infinity from the pictures: the choice by hand, in time, a look against one written
 * down, and what every implementation makes of it. */
#include "common/sgm/sgm_range.h"
#include "tests/common/sgm/sgm_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The choice ---------------------------------------------------------------------------- */

/* 1000 pixels, of which so many have that disparity, and the rest none. */
static StxSgmReach reach_of(int disparity, uint32_t pixels)
{
  StxSgmReach reach = {.pixels = 1000, .known = pixels};
  reach.counts[disparity - STX_SGM_RANGE_BEFORE] = pixels;
  return reach;
}

STX_TEST(the_least_range_that_leaves_a_hundredth_nearer)
{
  static const struct {
    int disparity, pixels, range;
  } cases[] = {{-64, 1000, 64}, {47, 1000, 64}, {48, 10, 64}, {48, 11, 128}, {111, 1000, 128},
      {112, 10, 64}, {112, 11, 256}, {240, 1000, 256}, {447, 1000, 256}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSgmReach reach = reach_of(cases[i].disparity, (uint32_t)cases[i].pixels);
    ck_assert_int_eq(stx_sgm_range_choose(&reach), cases[i].range);
  }
}

/* A pair whose things have that disparity comes; the range that it gets. */
static int follow(StxSgmRange *range, int disparity)
{
  StxSgmReach reach = reach_of(disparity, 1000);
  if (stx_sgm_range_is_due(range))
    stx_sgm_range_note(range, &reach);
  return range->max_disparity;
}

STX_TEST(the_range_grows_at_once_and_shrinks_after_calm)
{
  StxSgmRange range = {0};
  ck_assert_int_eq(follow(&range, 60), 128);
  for (int i = 0; i < 3; i++) /* no look */
    ck_assert_int_eq(follow(&range, 200), 128);
  ck_assert_int_eq(follow(&range, 200), 256);
  for (int look = 0; look < 15; look++)
    for (int i = 0; i < 4; i++)
      ck_assert_int_eq(follow(&range, 20), 256);
  for (int i = 0; i < 4; i++) /* something near again, in the look between: the count is void */
    ck_assert_int_eq(follow(&range, 200), 256);
  for (int look = 0; look < 16; look++)
    for (int i = 0; i < 4; i++)
      ck_assert_int_eq(follow(&range, look == 5 ? 60 : 20), look == 15 && i == 3 ? 128 : 256);
}

/* ---- A look -------------------------------------------------------------------------------- */

static int mean(const StxImage8 *image, int x, int y)
{
  int sum = 32;
  for (int k = 0; k < 64; k++)
    sum += stx_row8(
        image, brute_clamp(8 * y + k / 8, image->height))[brute_clamp(8 * x + k % 8, image->width)];
  return sum / 64;
}

/* The range after a look as the header says it. */
static int brute_range(const SgmPair *pair)
{
  int width = (pair->params.width + 7) / 8, height = (pair->params.height + 7) / 8;
  int cut = width > 16 ? 8 : 0, near[2] = {0, 0};
  StxSgmParams params = sgm_defaults(width - cut, height, 64);
  params.texture = 20;
  params.uniqueness = 5;
  params.sky = false;
  STX_AUTO(SgmPair) shrunk = sgm_new_pair(params);
  STX_EACH_PIXEL (x, y, width - cut, height) {
    stx_row8(&shrunk.left, y)[x] = (uint8_t)mean(&pair->left, x, y);
    stx_row8(&shrunk.right, y)[x] = (uint8_t)mean(&pair->right, x + cut, y);
  }
  STX_AUTO(SgmResult) result = sgm_run(sgm_reference(), &shrunk, 1);
  STX_EACH_PIXEL (x, y, width - cut, height)
    for (int i = 0; i < 2; i++) /* in 1/32 px */
      near[i] += stx_row16(&result.disparity, y)[x] - 256 * cut >= 32 * ((64 << i) - 16);
  return near[1] > width * height / 100 ? 256 : near[0] > width * height / 100 ? 128 : 64;
}

static StxSgmRange look(const SgmPair *pair, int threads)
{
  StxSgmRange range = {0};
  StxSgmParams params = pair->params;
  params.max_disparity = STX_SGM_AUTO;
  size_t size = stx_sgm_range_scratch(&params, &range, threads);
  STX_MALLOCED void *scratch = aligned_alloc(STX_ALIGN, stx_align(size));
  memset(scratch, 0xa5, size);
  ck_assert(stx_sgm_range_look(
      &params, &pair->left, &pair->right, scratch, &(StxPlace){.threads = threads}, &range, NULL));
  return range;
}

/* A wall of squares of 8 × 8 px at one disparity. */
static void fill_wall(const SgmPair *pair, int shift, StxRandom *random)
{
  uint64_t seed = stx_random(random);
  for (int y = 0; y < pair->params.height; y++)
    for (int x = 0; x < pair->params.width; x++)
      for (int side = 0; side < 2; side++) {
        int square = 4096 * (y / 8) + (x + side * shift + 800) / 8;
        StxRandom gray = {seed + (uint64_t)square * 0x9e3779b97f4a7c15u};
        stx_random(&gray);
        stx_row8(side ? &pair->right : &pair->left, y)[x] = (uint8_t)stx_random_below(&gray, 256);
      }
}

STX_TEST(a_look_is_as_the_header_says)
{
  static const int sizes[][2] = {{1, 1}, {7, 9}, {64, 8}, {133, 20}, {333, 75}, {641, 240}};
  StxRandom random = {1};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (int shift = 16; shift < 200; shift += 30) {
      STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(sizes[i][0], sizes[i][1], 64));
      fill_wall(&pair, shift, &random);
      int expected = brute_range(&pair);
      ck_assert_int_eq(look(&pair, 1).max_disparity, expected);
      ck_assert_int_eq(look(&pair, 3).max_disparity, expected);
    }
}

STX_TEST(pairs_get_the_range_that_they_need)
{
  static const struct {
    int shift, range;
  } cases[] = {{0, 64}, {40, 64}, {56, 128}, {104, 128}, {120, 256}, {240, 256}, {400, 256}};
  StxRandom random = {2};
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(800, 160, 64));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    fill_wall(&pair, cases[i].shift, &random);
    ck_assert_int_eq(look(&pair, 1).max_disparity, cases[i].range);
  }
}

/* Bare surfaces, and views that have nothing in common, are no evidence of anything near, nor of
 * anything behind infinity. */
STX_TEST(what_cannot_be_matched_asks_for_nothing)
{
  StxRandom random = {3};
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(640, 480, 64));
  pair.params.infinity = STX_SGM_INFINITY_AUTO;
  for (int noise = 0; noise < 5; noise++) {
    STX_EACH_PIXEL (x, y, 640, 480)
      for (int side = 0; side < 2; side++)
        stx_row8(side ? &pair.right : &pair.left, y)[x] =
            (uint8_t)(60 + x / 8 + stx_random_below(&random, 4 * noise + 1));
    StxSgmRange range = look(&pair, 1);
    ck_assert_int_eq(range.max_disparity, 64);
    ck_assert_int_eq(range.infinity, 0);
  }
}

/* ---- Infinity ------------------------------------------------------------------------------ */

/* Squares of 8 × 8 px with the disparity `far` in the upper half, and up to 80 px more below. */
static void fill_street(const SgmPair *pair, int far, StxRandom *random)
{
  int height = pair->params.height;
  for (int y = 0; y < height; y += 8) {
    int below = y - height / 2, rows = height - y < 8 ? height - y : 8;
    SgmPair strip = *pair;
    strip.params.height = rows;
    strip.left.data += y * pair->left.stride;
    strip.right.data += y * pair->right.stride;
    fill_wall(&strip, far + (below > 0 ? below * 160 / height : 0), random);
  }
}

STX_TEST(negative_disparities_prove_where_infinity_is)
{
  static const struct {
    int far, infinity;
  } cases[] = {{0, 0}, {12, 0}, {52, 0}, {-1, 0}, {-6, -6}, {-22, -22}, {-40, -40}};
  StxRandom random = {5};
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(640, 240, 64));
  pair.params.infinity = STX_SGM_INFINITY_AUTO;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    fill_street(&pair, cases[i].far, &random);
    ck_assert_int_le(abs(look(&pair, 2).infinity - cases[i].infinity), cases[i].infinity ? 1 : 0);
  }
  fill_wall(&pair, -20, &random); /* all of it: the views are exchanged */
  ck_assert_int_eq(look(&pair, 1).infinity, 0);
}

STX_TEST(infinity_stays_once_found_and_is_not_found_late)
{
  StxRandom random = {6};
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(640, 240, 64));
  pair.params.infinity = STX_SGM_INFINITY_AUTO;
  fill_street(&pair, -16, &random);
  for (int late = 0; late < 2; late++) {
    StxSgmRange range = {.tries = late ? STX_SGM_RANGE_TRIES : STX_SGM_RANGE_TRIES - 1};
    size_t size = stx_sgm_range_scratch(&pair.params, &range, 1);
    STX_MALLOCED void *scratch = aligned_alloc(STX_ALIGN, stx_align(size));
    for (int i = 0; i < 2; i++) {
      ck_assert(stx_sgm_range_look(
          &pair.params, &pair.left, &pair.right, scratch, &(StxPlace){.threads = 1}, &range, NULL));
      ck_assert_int_le(abs(range.infinity - (late ? 0 : -16)), late ? 0 : 1);
    }
  }
}

/* Squares as texture; on the ground stripes, `along` rows below the point where they meet and
 * `side` px beside it. */
static uint8_t street_gray(int x, int y, double along, double side)
{
  static const double stripes[] = {-2.3, -1.4, -.9, -.2, .4, 1.2, 1.5, 2.6};
  StxRandom random = {(uint64_t)(4096 * (y / 8) + (x + 800) / 8) * 0x9e3779b97f4a7c15u};
  bool stripe = false;
  stx_random(&random);
  for (size_t i = 0; i < sizeof stripes / sizeof stripes[0]; i++)
    stripe |= along > 0 && fabs(side / along - stripes[i]) < .04;
  return (uint8_t)((stripe ? 150 : 0) + stx_random_below(&random, 100));
}

/* A ground whose disparity is `far` at its horizon at a third of the height, and grows by .2 px a
 * row; above it things with `nearest` … `nearest` + 30 px. */
static void fill_road(const SgmPair *pair, int far, int nearest, int meet)
{
  int width = pair->params.width, height = pair->params.height, horizon = height / 3;
  STX_EACH_PIXEL (x, y, width, height) {
    double ground = far + .2 * (y - horizon);
    double d = ground > nearest ? ground : nearest + x / 64 % 4 * 10;
    for (int side = 0; side < 2; side++) {
      int at = x + (int)lround(side * d);
      stx_row8(side ? &pair->right : &pair->left, y)[x] =
          street_gray(at, y, ground > nearest ? y - meet : 0, at - width / 2.);
    }
  }
}

/* Above: a wall and a street without stripes prove nothing by their disparities alone. */
STX_TEST(edges_that_meet_prove_where_infinity_is)
{
  static const struct {
    int far, nearest; /* px */
    double meet;      /* disparity of the ground where the stripes do */
    int infinity;
  } cases[] = {
      {0, 12, 0, 0}, {11, 12, 11, 11}, {21, 21, 21, 21}, {52, 53, 52, 52}, {80, 80, 80, 80},
      {0, 30, 0, 0},   /* a room: the stripes go on behind its wall */
      {21, 21, -40, 0} /* they do not meet on the horizon */
  };
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(640, 360, 64));
  pair.params.infinity = STX_SGM_INFINITY_AUTO;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int meet = (int)lround(360 / 3 + (cases[i].meet - cases[i].far) / .2);
    fill_road(&pair, cases[i].far, cases[i].nearest, meet);
    int found = look(&pair, 2).infinity;
    ck_assert_int_le(abs(found - cases[i].infinity), cases[i].infinity ? 3 : 0);
  }
}

static uint8_t random_gray(int x, int y)
{
  StxRandom random = {(uint64_t)(4096 * y + x + 800) * 0x9e3779b97f4a7c15u};
  stx_random(&random);
  return (uint8_t)stx_random_below(&random, 150);
}

/* A ground that has the disparity `far` in the middle row, and houses of upright stripes in front
 * of a bright sky or a wall; what is less steep is between black borders. */
typedef struct {
  int far;      /* px */
  double lean;  /* of what is 1 half width to the right; looking down makes it negative */
  bool sky;     /* no wall */
  double slope; /* of the ground, px per row */
  double rise;  /* px per row by which houses come nearer */
} Place;

static void fill_place(const SgmPair *pair, const Place *place)
{
  int width = pair->params.width, height = pair->params.height, horizon = height / 2;
  int far = place->far, sky = place->sky, black = place->slope < .1 ? 60 : 0;
  double lean = place->lean;
  STX_EACH_PIXEL (x, y, width, height) {
    int below = y - horizon, house = (int)(x / 80 % 4 * 10 * place->slope - place->rise * below);
    double ground = far + place->slope * below, d = ground > far + house ? ground : far + house;
    for (int side = 0; side < 2; side++) {
      int at = x + (int)lround(side * d), half = width / 2;
      double foot = half + (at - half) / (1 + lean * below / half);
      int row = ground > far + house ? y : 5000 + 32 * house;
      int column = ground > far + house ? at : (int)lround(foot), fine = row < 5000 ? 3 : 10;
      int gray = random_gray(column / fine, row / 3) + random_gray(column / 32, row / 32);
      stx_row8(side ? &pair->right : &pair->left, y)[x] =
          (uint8_t)(x < black || x >= width - black                           ? 0
                    : sky && y < height / 6 + random_gray(column / 32, 0) / 4 ? 200
                                                                              : gray / 2);
    }
  }
}

STX_TEST(uprights_prove_where_infinity_is)
{
  static const struct {
    Place place;
    int infinity;
  } cases[] = {{{0, 0, true, .3}, 0}, {{24, 0, true, .3}, 24}, {{40, 0, true, .3}, 40},
      {{40, -.3, true, .3}, 0},   /* it looks down, as the ground says that ends at 0: a room */
      {{40, 0, false, .3}, 0},    /* so does this one, perhaps: no sky */
      {{40, -.3, true, .04}, 40}, /* a ground that would be a steep wall if it ended at 0 */
      {{40, -.3, false, .04}, 0}, {{40, -.3, true, .04, .1}, 0}};
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(640, 360, 64));
  pair.params.infinity = STX_SGM_INFINITY_AUTO;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    fill_place(&pair, &cases[i].place);
    int found = look(&pair, 2).infinity;
    ck_assert_int_le(abs(found - cases[i].infinity), cases[i].infinity ? 4 : 0);
  }
}

/* Cuts as the header says: the same as a narrower pair, and unknown beside it. */
STX_TEST(disparities_count_from_infinity)
{
  static const int infinities[] = {1, 21, -9, -120, 119, 256, -256};
  StxRandom random = {7};
  for (size_t i = 0; i < sizeof infinities / sizeof infinities[0]; i++) {
    int infinity = infinities[i], left = infinity > 0 ? infinity : 0, width = 120;
    STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(width, 17, 64));
    sgm_fill_pair(&pair, STX_FILL_NOISE, infinity + 5, &random);
    SgmPair cut = pair;
    cut.params.width = cut.left.width = cut.right.width = width - abs(infinity);
    cut.left.data += left;
    cut.right.data += left - infinity;
    pair.params.infinity = infinity;
    STX_AUTO(SgmResult) expected = sgm_new_result(&pair.params);
    STX_EACH_PIXEL (x, y, width, 17)
      stx_row16(&expected.disparity, y)[x] = stx_row8(&expected.confidence, y)[x] = 0;
    if (cut.params.width > 0) {
      STX_AUTO(SgmResult) part = sgm_run(sgm_reference(), &cut, 1);
      STX_EACH_PIXEL (x, y, cut.params.width, 17) {
        stx_row16(&expected.disparity, y)[x + left] = stx_row16(&part.disparity, y)[x];
        stx_row8(&expected.confidence, y)[x + left] = stx_row8(&part.confidence, y)[x];
      }
    }
    STX_EACH_IMPL (StxSgmImpl, impl, &stx_sgm_impls) {
      STX_AUTO(SgmResult) result = sgm_run(impl, &pair, 2);
      sgm_expect_same(&expected, &result, impl->info.name);
    }
  }
}

/* ---- Every implementation ------------------------------------------------------------------ */

STX_TEST(motion_moves_infinity_if_it_is_sure_for_five_pairs)
{
  static const struct {
    double offset, deviation;
    int infinity;
  } pairs[] = {{-6.4, .2, -6}, {1.6, .1, 2}, {1.4, .01, 0}, {9, 2, 0}, {300, .1, 0}};
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    StxSgmRange range = {0};
    for (int i = 0; i < 4; i++)
      ck_assert(!stx_sgm_range_correct(&range, pairs[k].offset, pairs[k].deviation));
    ck_assert(!stx_sgm_range_correct(&range, 0, .1)); /* not in turn */
    for (int i = 0; i < 4; i++)
      ck_assert(!stx_sgm_range_correct(&range, pairs[k].offset, pairs[k].deviation));
    ck_assert_int_eq(range.infinity, 0);
    bool moved = stx_sgm_range_correct(&range, pairs[k].offset, pairs[k].deviation);
    ck_assert_int_eq(moved, pairs[k].infinity != 0);
    ck_assert_int_eq(range.infinity, pairs[k].infinity);
  }
}

STX_TEST(what_is_left_open_is_what_a_look_says)
{
  StxRandom random = {4};
  for (int search = 0; search < 2; search++)
    for (int shift = -20; shift < 160; shift += 80) {
      STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(420, 49, 64));
      fill_street(&pair, shift, &random);
      SgmPair open = pair;
      open.params.search = pair.params.search = search;
      open.params.max_disparity = STX_SGM_AUTO;
      open.params.infinity = STX_SGM_INFINITY_AUTO;
      StxSgmRange range = look(&open, 1);
      ck_assert(range.infinity == 0 || shift < 0);
      pair.params.max_disparity = range.max_disparity;
      pair.params.infinity = range.infinity;
      STX_AUTO(SgmResult) expected = sgm_run(sgm_reference(), &pair, 1);
      STX_EACH_IMPL (StxSgmImpl, impl, &stx_sgm_impls) {
        STX_AUTO(SgmResult) result = sgm_run(impl, &open, 2);
        sgm_expect_same(&expected, &result, impl->info.name);
      }
    }
}
