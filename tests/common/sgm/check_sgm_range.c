/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* max-disparity=auto: the choice by hand, in time, a look against one written down, and what every
 * implementation makes of it. */
#include "common/sgm/sgm_range.h"
#include "tests/common/sgm/sgm_case.h"

#include <stdlib.h>
#include <string.h>

/* ---- The choice ---------------------------------------------------------------------------- */

/* 1000 pixels, of which so many have that disparity, and the rest none. */
static StxSgmReach reach_of(int disparity, uint32_t pixels)
{
  StxSgmReach reach = {.pixels = 1000};
  for (int i = 0; i <= disparity / 8; i++)
    reach.near[i] = pixels;
  return reach;
}

STX_TEST(the_least_range_that_leaves_a_hundredth_nearer)
{
  static const struct {
    int disparity, pixels, range;
  } cases[] = {{0, 1000, 64}, {40, 1000, 64}, {48, 10, 64}, {48, 11, 128}, {104, 1000, 128},
      {112, 10, 64}, {112, 11, 256}, {240, 1000, 256}, {504, 1000, 256}};
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

static int clamp(int value, int limit)
{
  return value < limit ? value : limit - 1;
}

static int mean(const StxImage8 *image, int x, int y)
{
  int sum = 32;
  for (int k = 0; k < 64; k++)
    sum += stx_row8(image, clamp(8 * y + k / 8, image->height))[clamp(8 * x + k % 8, image->width)];
  return sum / 64;
}

/* The look as the header says it. */
static StxSgmReach brute_look(const SgmPair *pair)
{
  int width = (pair->params.width + 7) / 8, height = (pair->params.height + 7) / 8;
  StxSgmParams params = sgm_defaults(width, height, 64);
  StxSgmReach reach = {.pixels = (uint32_t)(width * height)};
  params.texture = 20;
  params.uniqueness = 5;
  params.sky = false;
  STX_AUTO(SgmPair) shrunk = sgm_new_pair(params);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      stx_row8(&shrunk.left, y)[x] = (uint8_t)mean(&pair->left, x, y);
      stx_row8(&shrunk.right, y)[x] = (uint8_t)mean(&pair->right, x, y);
    }
  STX_AUTO(SgmResult) result = sgm_run(sgm_reference(), &shrunk, 1);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int i = 0; i <= stx_row16(&result.disparity, y)[x] / 256; i++)
        reach.near[i] += stx_row16(&result.disparity, y)[x] > 0;
  return reach;
}

static StxSgmReach look(const SgmPair *pair, int threads)
{
  StxSgmReach reach;
  size_t size = stx_sgm_range_scratch(pair->params.width, pair->params.height, threads);
  void *scratch = aligned_alloc(STX_ALIGN, stx_align(size));
  memset(scratch, 0xa5, size);
  ck_assert(stx_sgm_range_look(
      &pair->left, &pair->right, scratch, &(StxPlace){.threads = threads}, &reach, NULL));
  free(scratch);
  return reach;
}

/* A wall of squares of 8 × 8 px at one disparity. */
static void fill_wall(const SgmPair *pair, int shift, StxRandom *random)
{
  uint64_t seed = stx_random(random);
  for (int y = 0; y < pair->params.height; y++)
    for (int x = 0; x < pair->params.width; x++)
      for (int side = 0; side < 2; side++) {
        int square = 4096 * (y / 8) + (x + side * shift) / 8;
        StxRandom gray = {seed + (uint64_t)square * 0x9e3779b97f4a7c15u};
        stx_random(&gray);
        stx_row8(side ? &pair->right : &pair->left, y)[x] = (uint8_t)stx_random_below(&gray, 256);
      }
}

STX_TEST(a_look_is_as_the_header_says)
{
  static const int sizes[][2] = {{1, 1}, {7, 9}, {64, 8}, {333, 75}, {641, 240}};
  StxRandom random = {1};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(sizes[i][0], sizes[i][1], 64));
    fill_wall(&pair, 72, &random);
    StxSgmReach expected = brute_look(&pair);
    for (int threads = 1; threads <= 3; threads += 2) {
      StxSgmReach reach = look(&pair, threads);
      ck_assert(memcmp(&reach, &expected, sizeof reach) == 0);
    }
  }
}

STX_TEST(pairs_get_the_range_that_they_need)
{
  static const struct {
    int shift, range;
  } cases[] = {{8, 64}, {40, 64}, {48, 128}, {104, 128}, {112, 256}, {240, 256}, {400, 256}};
  StxRandom random = {2};
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(800, 160, 64));
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    fill_wall(&pair, cases[i].shift, &random);
    StxSgmReach reach = look(&pair, 1);
    ck_assert_int_eq(stx_sgm_range_choose(&reach), cases[i].range);
    ck_assert_uint_gt(reach.near[cases[i].shift / 8], reach.pixels / 4);
  }
}

/* Bare surfaces, and views that have nothing in common, are no evidence of anything near. */
STX_TEST(what_cannot_be_matched_asks_for_nothing)
{
  StxRandom random = {3};
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(640, 480, 64));
  for (int noise = 0; noise < 5; noise++) {
    for (int y = 0; y < 480; y++)
      for (int x = 0; x < 640; x++) {
        stx_row8(&pair.left, y)[x] =
            (uint8_t)(60 + x / 8 + stx_random_below(&random, 4 * noise + 1));
        stx_row8(&pair.right, y)[x] =
            (uint8_t)(60 + x / 8 + stx_random_below(&random, 4 * noise + 1));
      }
    StxSgmReach reach = look(&pair, 1);
    ck_assert_int_eq(stx_sgm_range_choose(&reach), 64);
  }
}

/* ---- Every implementation ------------------------------------------------------------------ */

STX_TEST(auto_is_the_range_of_the_pair)
{
  StxRandom random = {4};
  for (int search = 0; search < 2; search++)
    for (int shift = 24; shift < 160; shift += 64) {
      STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(420, 19, STX_SGM_AUTO));
      pair.params.search = search;
      fill_wall(&pair, shift, &random);
      SgmPair fixed = pair;
      StxSgmReach reach = look(&pair, 1);
      fixed.params.max_disparity = stx_sgm_range_choose(&reach);
      STX_AUTO(SgmResult) expected = sgm_run(sgm_reference(), &fixed, 1);
      STX_EACH_IMPL (StxSgmImpl, impl, &stx_sgm_impls) {
        STX_AUTO(SgmResult) result = sgm_run(impl, &pair, 2);
        sgm_expect_same(&expected, &result, impl->info.name);
      }
    }
}
