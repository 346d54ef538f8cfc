/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Coarse-to-fine search: the reference against literal vectors and brute force, every other
 * implementation against the reference. */
#include "tests/testing.h"

#include <string.h>

#include "common/sgm/coarse/sgm_coarse.h"
#include "tests/common/sgm/sgm_brute_coarse.h"

/* ---- By hand ------------------------------------------------------------------------------ */

STX_TEST(levels_by_hand)
{
  ck_assert_int_eq(stx_sgm_coarse_levels(64), 2);
  ck_assert_int_eq(stx_sgm_coarse_levels(128), 3);
  ck_assert_int_eq(stx_sgm_coarse_levels(256), 4);
  ck_assert_int_eq(stx_sgm_coarse_size(1242, 2), 311);
  ck_assert_int_eq(stx_sgm_coarse_size(1, 3), 1);
  ck_assert_int_eq(stx_sgm_coarse_blocks(375), 47);
  ck_assert_int_eq(stx_sgm_coarse_lines(375), 188);
  ck_assert_int_eq(stx_sgm_coarse_lines(1), 1);
  ck_assert_int_eq(stx_sgm_coarse_p2(86), 65);
  ck_assert_int_eq(__builtin_popcount(STX_SGM_COARSE_CENSUS), STX_SGM_COARSE_BITS);
}

/* Up to four disparities of the coarser level and how often each of them won. */
typedef struct {
  int n;
  struct {
    int disparity, votes;
  } won[4];
  int starts[2];
} Ballot;

STX_TEST(windows_by_hand)
{
  static const Ballot ballots[] = {
      {32, {{10, 64}}, {12, 29}},           /* windows 5 … 10 hold it: 7 is in the middle */
      {32, {{0, 64}}, {0, 17}},             /* only window 0 does */
      {32, {{31, 64}}, {31, 48}},           /* nothing fits behind it */
      {32, {{10, 40}, {15, 24}}, {18, 35}}, /* window 10 alone holds both */
      {32, {{10, 40}, {16, 24}}, {12, 30}}, /* none does; 16 alone is better than nothing */
      {32, {{5, 32}, {20, 32}}, {2, 32}},
      {32, {{5, 24}, {20, 40}}, {2, 32}},
      {64, {{5, 24}, {20, 20}, {50, 20}}, {2, 32}}, /* the smaller of two that are alike */
      {64, {{5, 24}, {20, 20}, {22, 1}, {50, 20}}, {2, 34}},
      {32, {{14, 40}, {21, 20}}, {20, 38}}, /* windows 16 … 19 would touch the first */
      {128, {{127, 1}}, {223, 240}},
  };
  for (size_t i = 0; i < sizeof ballots / sizeof ballots[0]; i++) {
    const Ballot *b = &ballots[i];
    uint8_t votes[STX_SGM_COARSE_VOTES] = {0}, starts[2];
    for (int k = 0; k < 4; k++)
      if (b->won[k].votes > 0)
        votes[b->won[k].disparity] = (uint8_t)b->won[k].votes;
    stx_sgm_coarse_windows(votes, b->n, starts);
    ck_assert_msg(starts[0] == b->starts[0] && starts[1] == b->starts[1],
        "ballot %d: windows begin at %d and %d, expected %d and %d", (int)i, starts[0], starts[1],
        b->starts[0], b->starts[1]);
  }
}

/* ---- The reference as a whole ------------------------------------------------------------- */

static void halve_pairs(BruteLevel *levels, int count)
{
  for (int k = 1; k < count; k++) {
    StxSgmParams params = levels[k - 1].pair.params;
    params.width = (params.width + 1) / 2;
    params.height = (params.height + 1) / 2;
    params.max_disparity = 64; /* coarse levels have less than may be asked for */
    levels[k].pair = sgm_new_pair(params);
    levels[k].pair.params.max_disparity = levels[k - 1].pair.params.max_disparity / 2;
    brute_halve(&levels[k - 1].pair.left, &levels[k].pair.left);
    brute_halve(&levels[k - 1].pair.right, &levels[k].pair.right);
  }
}

static SgmResult brute_force(const SgmPair *pair)
{
  static BruteLevel levels[4];
  static int values[COARSE_PIXELS], confidences[COARSE_PIXELS];
  const StxSgmParams *p = &pair->params;
  int count = p->max_disparity == 256 ? 4 : p->max_disparity / 64 + 1;
  SgmResult result = sgm_new_result(p);
  BruteSky met = {0};
  levels[0].pair = *pair;
  halve_pairs(levels, count);
  for (int k = count - 1; k >= 0; k--) {
    levels[k].top = k == count - 1;
    levels[k].finest = k == 0;
    brute_coarse_level(&levels[k], &levels[k + 1 < count ? k + 1 : k]);
  }
  SgmPair lines = {.params = *p}; /* for the median, every second row of the pair */
  lines.params.height = (p->height + 1) / 2;
  for (int y = 0; y < p->height; y += 2)
    for (int x = 0; x < p->width; x++) {
      int line = y / 2 * p->width + x;
      brute_coarse_pixel(&levels[0], y * p->width + x, &values[line], &confidences[line]);
    }
  for (int y = 0; y < p->height; y += 2)
    for (int x = 0; x < p->width; x++) {
      int line = y / 2 * p->width + x;
      int value = p->median ? brute_median(&lines, values, x, y / 2) : values[line];
      stx_row16(&result.disparity, y)[x] = (uint16_t)value;
      stx_row8(&result.confidence, y)[x] = (uint8_t)(value != 0 ? confidences[line] : 0);
    }
  for (int y = 1; y < p->height; y += 2)
    brute_between(pair, y, &result);
  if (p->sky)
    brute_sky(pair, &result, &met);
  for (int y = 0; y < p->height && p->lr_max_diff >= 0; y++)
    brute_border(pair, &result, y);
  for (int k = 1; k < count; k++)
    sgm_free_pair(&levels[k].pair);
  return result;
}

STX_TEST(reference_equals_brute_force)
{
  static const int sizes[][2] = {{1, 1}, {2, 1}, {1, 19}, {90, 1}, {13, 11}, {35, 20}, {60, 9}};
  for (uint64_t seed = 0; seed < 49; seed++) {
    StxRandom random = {seed};
    StxSgmParams params = sgm_random_params(sizes[seed % 7][0], sizes[seed % 7][1], &random);
    params.search = STX_SGM_COARSE_TO_FINE;
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    int fill = (int)(seed / 7 % (STX_FILL_COUNT + 1));
    if (fill < STX_FILL_COUNT)
      sgm_fill_pair(&pair, (StxFill)fill, stx_random_below(&random, 60), &random);
    else
      sgm_fill_sky(&pair, &random);
    STX_AUTO(SgmResult) actual = sgm_run(sgm_reference(), &pair, 1), expected = brute_force(&pair);
    sgm_expect_same(&expected, &actual, sgm_describe(&params, "c", 1, seed));
  }
}

/* ---- What it is for ----------------------------------------------------------------------- */

/* Random dots, seen from further left on the right; a square in the middle is much nearer. */
STX_TEST(finds_both_surfaces_at_an_edge)
{
  StxSgmParams params = sgm_defaults(320, 80, 128);
  params.search = STX_SGM_COARSE_TO_FINE;
  STX_AUTO(SgmPair) pair = sgm_new_pair(params);
  StxRandom random = {5};
  stx_fill8(&pair.left, STX_FILL_NOISE, &random);
  stx_fill8(&pair.right, STX_FILL_NOISE, &random);
  for (int y = 0; y < 80; y++)
    for (int x = 0; x < 320; x += 4) /* dots of 4 pixels are still dots on the top level */
      memset(stx_row8(&pair.left, y) + x, stx_row8(&pair.left, y / 4 * 4)[x], 4);
#define SHIFT(x, y) ((x) >= 160 && (x) < 240 && (y) >= 20 && (y) < 60 ? 77 : 8)
  for (int pass = 0; pass < 2; pass++) /* the square last: it hides the ground */
    STX_EACH_PIXEL (x, y, 320, 80)
      if ((SHIFT(x, y) == 77) == pass && x >= SHIFT(x, y))
        stx_row8(&pair.right, y)[x - SHIFT(x, y)] = stx_row8(&pair.left, y)[x];
  STX_AUTO(SgmResult) result = sgm_run(sgm_reference(), &pair, 1);
  int right[2] = {0}, wrong = 0;
  for (int y = 0; y < 80; y++)
    for (int x = 90; x < 320; x++) {
      int value = stx_row16(&result.disparity, y)[x], shift = SHIFT(x, y);
      right[shift == 77] += abs(value - 256 * shift) <= 128;
      wrong += value != 0 && abs(value - 256 * shift) > 256;
    }
#undef SHIFT
  ck_assert_msg(right[1] > 80 * 40 * 75 / 100, "%d pixels of the square are right", right[1]);
  ck_assert_msg(right[0] > (230 * 80 - 149 * 40) * 85 / 100, "%d around it are", right[0]);
  ck_assert_msg(wrong < 230 * 80 * 5 / 100, "%d pixels are wrong", wrong);
}

STX_TEST(scratch_hardly_grows_with_the_disparities)
{
  STX_EACH_IMPL (StxSgmImpl, impl, &stx_sgm_impls) {
    StxSgmParams params = sgm_defaults(1242, 375, 128);
    size_t full = impl->scratch_size(&params, 2);
    params.search = STX_SGM_COARSE_TO_FINE;
    size_t fine = impl->scratch_size(&params, 2);
    params.max_disparity = 256;
    ck_assert_uint_lt(fine, full / 2);
    ck_assert_uint_lt(impl->scratch_size(&params, 2), fine + fine / 10);
  }
}
