/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Coarse-to-fine search: the reference against literal vectors, every other
 * implementation against the reference. */
#include "tests/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/sgm/sgm_c.h"
#include "tests/common/sgm/sgm_case.h"

/* ---- By hand ------------------------------------------------------------------------------ */

STX_TEST(levels_by_hand)
{
  ck_assert_int_eq(stx_sgm_coarse_levels(64), 2);
  ck_assert_int_eq(stx_sgm_coarse_levels(128), 3);
  ck_assert_int_eq(stx_sgm_coarse_levels(256), 3);
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

/* A bare table: its texture of single pixels is as weak as the cameras' noise, and a lamp that it
 * reflects has another disparity. */
STX_TEST(fine_texture_is_found_under_a_reflection)
{
  enum { WIDTH = 960, HEIGHT = 320, TABLE = 180, LAMP = 70 };
  StxSgmParams params = sgm_defaults(WIDTH, HEIGHT, 256);
  params.search = STX_SGM_COARSE_TO_FINE;
  STX_AUTO(SgmPair) pair = sgm_new_pair(params);
  static int8_t texture[HEIGHT][WIDTH + TABLE];
  StxRandom random = {7};
  STX_EACH_PIXEL (x, y, WIDTH + TABLE, HEIGHT)
    texture[y][x] = (int8_t)(stx_random_below(&random, 7) - 3);
  STX_EACH_PIXEL (x, y, WIDTH, HEIGHT)
    for (int side = 0; side < 2; side++) {
      double lamp = hypot(x - WIDTH / 2 + side * LAMP, y - HEIGHT / 2);
      int noise = stx_random_below(&random, 4) - 2, t = texture[y][x + side * TABLE];
      stx_row8(side == 0 ? &pair.left : &pair.right, y)[x] =
          (uint8_t)(100 + 100 * exp(-lamp * lamp / 9e4) + t + noise + .5);
    }
  STX_AUTO(SgmResult) result = sgm_run(sgm_reference(), &pair, 1);
  int right = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = TABLE; x < WIDTH; x++)
      right += abs(stx_row16(&result.disparity, y)[x] - 256 * TABLE) <= 256;
  ck_assert_msg(right > HEIGHT * (WIDTH - TABLE) / 6, "%d pixels are right", right);
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
