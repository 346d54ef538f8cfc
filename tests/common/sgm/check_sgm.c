/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Semi-global matching: the reference against literal vectors, and every other
 * implementation against the reference. */

#include <stdlib.h>
#include <string.h>

#include "common/sgm/sgm.h"
#include "common/sgm/sgm_border.h"
#include "common/sgm/sgm_math.h"
#include "tests/common/sgm/sgm_c.h"
#include "tests/common/sgm/sgm_case.h"

/* ---- By hand ------------------------------------------------------------------------------ */

STX_TEST(census_bits_follow_the_window)
{
  static const struct {
    int x, y;
    uint32_t word;
  } cases[] = {{0, 0, 1u}, {1, 0, 2u}, {8, 0, 1u << 8}, {4, 1, 1u << 13}, {3, 3, 1u << 30},
      {4, 3, 0}, {5, 3, 0}, {8, 6, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint8_t window[7][9] = {{0}};
    StxImage8 image = {&window[0][0], 9, 9, 7};
    window[cases[i].y][cases[i].x] = 1;
    ck_assert_uint_eq(stx_sgm_census(&image, 4, 3), cases[i].word);
  }
}

/* A bright and a dark pixel: with the border repeated, everything left of either is brighter than
 * its counterpart on the right; four bits in each of the rows −3 … 0. */
STX_TEST(census_repeats_the_border)
{
  uint8_t pixels[2] = {1, 0};
  StxImage8 image = {pixels, 2, 2, 1};
  ck_assert_uint_eq(stx_sgm_census(&image, 0, 0), 0x783C1E0Fu);
  ck_assert_uint_eq(stx_sgm_census(&image, 1, 0), 0x783C1E0Fu);
}

STX_TEST(path_step_by_hand)
{
  StxSgmParams params = sgm_defaults(1, 1, 64);
  params.p2 = 10;
  uint8_t previous[64], cost[64], path[64];
  memset(previous, 50, sizeof previous);
  memset(cost, 0, sizeof cost);
  memcpy(previous, (uint8_t[]){0, 5, 9, 20}, 4);
  memcpy(cost, (uint8_t[]){7, 0, 1, 2, 31}, 5);
  previous[62] = 4;
  previous[63] = 8;
  stx_sgm_path_step(&params, 3, previous, cost, path);
  const uint8_t first[] = {7 + 0, 0 + 3, 1 + 8, 2 + 10, 31 + 10, 0 + 10};
  const uint8_t last[] = {0 + 10, 0 + 7, 0 + 4, 0 + 7};
  stx_expect_same(first, path, sizeof first, "first disparities");
  stx_expect_same(last, path + 60, sizeof last, "last disparities");
}

STX_TEST(penalty_of_a_path_by_hand)
{
  ck_assert_int_eq(stx_sgm_p1(10, 1, 0, 1), 10);
  ck_assert_int_eq(stx_sgm_p1(10, 0, -1, 1), 10);
  ck_assert_int_eq(stx_sgm_p1(10, -1, 1, 1), 5);
  ck_assert_int_eq(stx_sgm_p1(10, -1, 0, 2), 10);
  ck_assert_int_eq(stx_sgm_p1(10, 0, 1, 2), 5);
  ck_assert_int_eq(stx_sgm_p1(10, 1, 1, 2), 3);
  ck_assert_int_eq(stx_sgm_p1(7, 1, -1, 1), 4);
}

/* The vertex against its definition, floor(128·(a − c)/(a − 2b + c) + 1/2), in integers. */
STX_TEST(vertex_is_exact)
{
  ck_assert_int_eq(stx_sgm_vertex(10, 5, 10), 0);
  ck_assert_int_eq(stx_sgm_vertex(10, 5, 5), 128);
  ck_assert_int_eq(stx_sgm_vertex(5, 5, 10), -128);
  ck_assert_int_eq(stx_sgm_vertex(5, 5, 5), 0);
  ck_assert_int_eq(stx_sgm_vertex(4, 1, 2), 64);
  for (int a = 0; a <= 254; a++)
    for (int c = a == 0; c <= 254; c++) {
      int curve = a + c, twice = 256 * (a - c) + curve + 512 * curve; /* moved to be positive */
      ck_assert_int_eq(stx_sgm_vertex(a, 0, c), twice / (2 * curve) - 256);
    }
}

STX_TEST(confidence_steps)
{
  static const int cases[][3] = {{0, 0, 184}, {99, 100, 184}, {98, 100, 190}, {96, 100, 190},
      {95, 100, 201}, {90, 100, 221}, {81, 100, 221}, {80, 100, 243}, {60, 100, 252},
      {31, 100, 252}, {30, 100, 254}, {0, 1, 254}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    ck_assert_int_eq(stx_sgm_confidence(cases[i][0], cases[i][1]), cases[i][2]);
}

/* ---- The left border ----------------------------------------------------------------------- */

/* Rows in words: '.' unknown, a letter a known run of 8 columns of that disparity in steps of 4
 * pixels (a: 4, b: 8, …). */
static void expect_border(const char *before, const char *after)
{
  int width = 8 * (int)strlen(before);
  StxSgmParams params = sgm_defaults(width, 1, 64);
  STX_AUTO(SgmResult) result = sgm_new_result(&params);
  for (int x = 0; x < width; x++) {
    int letter = before[x / 8];
    stx_row16(&result.disparity, 0)[x] = (uint16_t)(letter == '.' ? 0 : (letter - 'a' + 1) * 1024);
    stx_row8(&result.confidence, 0)[x] = letter == '.' ? 255 : 200;
  }
  stx_sgm_border(&params, &result.disparity, &result.confidence, 1);
  for (int x = 0; x < width; x++) {
    int letter = after[x / 8], value = letter == '.' ? 0 : (letter - 'a' + 1) * 1024;
    int confidence = letter != '.' ? 200 : before[x / 8] == '.' ? 255 : 0;
    ck_assert_msg(stx_row16(&result.disparity, 0)[x] == value, "%s: column %d is %d, expected %d",
        before, x, stx_row16(&result.disparity, 0)[x], value);
    ck_assert_int_eq(stx_row8(&result.confidence, 0)[x], confidence);
  }
}

/* A surface 24 px near (f) hides 24 columns: what seems to be there is not, what is beyond stays.
 */
STX_TEST(border_is_not_seen)
{
  expect_border("a...ffffffff", "....ffffffff");
  expect_border("a..dffff", "...dffff");
  expect_border("a...bbbbbb", "....bbbbbb");
  expect_border(".a..bbbbbb", ".a..bbbbbb"); /* 8 px hide 8 columns */
  expect_border("aa.affff", "aa.affff");     /* three quarters are known from the first on */
  expect_border("aaa", "aaa");               /* shorter than the window */
  expect_border("a.a.a.a.a.a.a.a.", "....a.a.a.a.a.a."); /* nothing bears it out */
  expect_border("a.......ffff", "........ffff");         /* from column 56 on … */
  expect_border("a........ffff", ".........ffff"); /* … and 64 on: too far right to be hidden */
}

/* ---- What it is for ----------------------------------------------------------------------- */

/* Random dots; a square in the middle is nearer than the ground behind it. */
static int true_shift(int x, int y)
{
  return x >= 70 && x < 130 && y >= 15 && y < 45 ? 21 : 6;
}

static SgmPair stereogram(void)
{
  SgmPair pair = sgm_new_pair(sgm_defaults(200, 60, 64));
  StxRandom random = {7};
  stx_fill8(&pair.left, STX_FILL_NOISE, &random);
  stx_fill8(&pair.right, STX_FILL_NOISE, &random);
  for (int pass = 0; pass < 2; pass++) /* the square last: it hides the ground */
    STX_EACH_PIXEL (x, y, 200, 60)
      if ((true_shift(x, y) == 21) == pass && x >= true_shift(x, y))
        stx_row8(&pair.right, y)[x - true_shift(x, y)] = stx_row8(&pair.left, y)[x];
  return pair;
}

STX_TEST(finds_the_square_of_a_random_dot_stereogram)
{
  for (int paths = 4; paths <= 8; paths += 4) {
    STX_AUTO(SgmPair) pair = stereogram();
    pair.params.paths = paths;
    STX_AUTO(SgmResult) result = sgm_run(sgm_reference(), &pair, 1);
    int right = 0, wrong = 0, hidden = 0;
    for (int y = 2; y < 58; y++)
      for (int x = 25; x < 196; x++) {
        int value = stx_row16(&result.disparity, y)[x], shift = true_shift(x, y);
        right += abs(value - 256 * shift) <= 128;
        wrong += value != 0 && abs(value - 256 * shift) > 256;
        /* the 15 ground pixels left of the square are not in the right image */
        hidden += value != 0 && y >= 17 && y < 43 && x >= 58 && x < 68;
      }
    ck_assert_msg(right > 171 * 56 * 90 / 100, "only %d pixels are right", right);
    ck_assert_msg(wrong < 171 * 56 * 3 / 100, "%d pixels are wrong", wrong);
    ck_assert_msg(hidden < 26 * 10 / 4, "%d hidden pixels have a disparity", hidden);
  }
}

STX_TEST(infinitely_far_is_known)
{
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(80, 9, 64));
  StxRandom random = {3};
  pair.params.sky = false; /* where it might be clouds */
  stx_fill8(&pair.left, STX_FILL_NOISE, &random);
  memcpy(pair.right.data, pair.left.data, 80); /* only to touch both */
  for (int y = 0; y < 9; y++)
    memcpy(stx_row8(&pair.right, y), stx_row8(&pair.left, y), 80);
  STX_AUTO(SgmResult) result = sgm_run(sgm_reference(), &pair, 1);
  STX_EACH_PIXEL (x, y, 80, 9) {
    ck_assert_int_eq(stx_row16(&result.disparity, y)[x], 1);
    ck_assert_int_ge(stx_row8(&result.confidence, y)[x], 243);
  }
}

/* Equal views, all dots but for a checkerboard of two grays whose range is 3, in the rectangle
 * [left, right) × [top, bottom). Unknown is what sees nothing else; the border repeats. */
static void expect_hole(int left, int top, int right, int bottom, int texture)
{
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(60, 40, 64));
  StxRandom random = {4};
  pair.params.texture = texture;
  pair.params.median = pair.params.sky = false;
  stx_fill8(&pair.left, STX_FILL_NOISE, &random);
  STX_EACH_PIXEL (x, y, 60, 40) {
    if (x >= left && x < right && y >= top && y < bottom)
      stx_row8(&pair.left, y)[x] = (uint8_t)(100 + 3 * ((x + y) % 2));
    stx_row8(&pair.right, y)[x] = stx_row8(&pair.left, y)[x];
  }
  STX_AUTO(SgmResult) result = sgm_run(sgm_reference(), &pair, 1);
  int x0 = left == 0 ? 0 : left + 4, x1 = right == 60 ? 60 : right - 4;
  int y0 = top == 0 ? 0 : top + 3, y1 = bottom == 40 ? 40 : bottom - 3;
  STX_EACH_PIXEL (x, y, 60, 40) {
    bool hole = texture >= 3 && x >= x0 && x < x1 && y >= y0 && y < y1;
    ck_assert_msg(stx_row16(&result.disparity, y)[x] == (hole ? 0 : 1),
        "texture %d: (%d, %d) is %d", texture, x, y, stx_row16(&result.disparity, y)[x]);
    ck_assert_int_eq(stx_row8(&result.confidence, y)[x] == 0, hole);
  }
}

STX_TEST(flat_windows_are_unknown)
{
  static const int rectangles[][4] = {{20, 10, 29, 17}, {20, 10, 35, 25}, {0, 0, 12, 9},
      {45, 30, 60, 40}, {0, 20, 60, 30}, {0, 0, 60, 40}};
  for (size_t i = 0; i < sizeof rectangles / sizeof rectangles[0]; i++)
    for (int texture = -1; texture <= 4; texture++) {
      const int *r = rectangles[i];
      expect_hole(r[0], r[1], r[2], r[3], texture);
    }
}

/* ---- Every implementation against the reference ------------------------------------------- */

/* The searches, by _i: full and coarse-to-fine. */
enum { SEARCHES = 2 };

/* Tiles are 128 columns, skewed, by 16 rows or 8; vectors 16, 32 or 64 lanes; stretches 32 pixels,
 * blocks 8. */
STX_TEST_LOOP(variants_equal_the_reference, SEARCHES)
{
  static const int sizes[][2] = {{1, 1}, {2, 1}, {1, 2}, {3, 33}, {1, 40}, {300, 1}, {31, 5},
      {33, 16}, {63, 17}, {64, 31}, {65, 32}, {121, 33}, {127, 15}, {128, 34}, {129, 9}, {265, 41}};
  const uint64_t count = sizeof sizes / sizeof sizes[0];
  for (uint64_t seed = 0; seed < count * (STX_FILL_COUNT + 1); seed += stx_test_small() ? 3 : 1) {
    StxRandom random = {seed};
    const int *size = sizes[seed % count];
    StxSgmParams params = sgm_random_params(size[0], size[1], &random);
    params.search = _i;
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    if (seed / count < STX_FILL_COUNT)
      sgm_fill_pair(&pair, (StxFill)(seed / count), stx_random_below(&random, 80), &random);
    else
      sgm_fill_sky(&pair, &random);
    sgm_compare_with_reference(&pair, seed);
  }
}

/* Ranges of every size, in pieces and at their seams. */
STX_TEST(variants_agree_on_texture)
{
  static const int textures[] = {-1, 0, 1, 2, 6, 20, 254};
  for (int k = 0; k < stx_rounds(35); k++) {
    StxRandom random = {(uint64_t)k};
    StxSgmParams params = sgm_defaults(120 + 33 * (k % 5), 1 + 3 * (k % 4), 64);
    params.texture = textures[k % 7];
    params.median = k % 2;
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    sgm_fill_ramps(&pair, &random);
    sgm_compare_with_reference(&pair, (uint64_t)k);
  }
}

/* Streets under a sky, larger than the rows of tiles that a thread takes. */
STX_TEST(variants_agree_on_the_sky)
{
  static const int sizes[][2] = {{1, 30}, {90, 2}, {61, 43}, {128, 32}, {203, 50}, {262, 37}};
  for (uint64_t seed = 0; seed < (uint64_t)stx_rounds(48); seed++) {
    StxRandom random = {seed};
    const int *size = sizes[seed % 6];
    StxSgmParams params = sgm_random_params(size[0], size[1], &random);
    params.max_disparity = 64;
    params.sky = true;
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    sgm_fill_sky(&pair, &random);
    sgm_compare_with_reference(&pair, seed);
  }
}

/* The largest path costs and sums: penalties at their limits, opposite images; and none at all. */
STX_TEST_LOOP(variants_equal_the_reference_at_the_bounds, SEARCHES)
{
  for (int k = 0; k < 12; k++) {
    StxRandom random = {(uint64_t)k};
    StxSgmParams params = sgm_defaults(150, 20, 64 << k % 3);
    params.search = _i;
    params.paths = k & 1 ? 8 : 4;
    params.p1 = k & 2 ? STX_SGM_MAX_PENALTY : 0;
    params.p2 = k & 4 ? params.p1 : STX_SGM_MAX_PENALTY;
    params.lr_max_diff = k & 1 ? 255 : 0;
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    sgm_fill_opposite(&pair, &random);
    sgm_compare_with_reference(&pair, (uint64_t)k);
  }
}

STX_TEST(confidence_is_optional)
{
  STX_EACH_IMPL (StxSgmImpl, impl, &stx_sgm_impls) {
    StxRandom random = {11};
    for (int k = 0; k < 3; k++) {
      STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(140, 20, 128));
      pair.params.uniqueness = 20 * (k == 1);
      if (k < 2)
        sgm_fill_pair(&pair, STX_FILL_NOISE, 9, &random);
      else
        sgm_fill_sky(&pair, &random);
      STX_AUTO(SgmResult) with = sgm_run(sgm_reference(), &pair, 1);
      STX_AUTO(StxImage16) without = stx_test_image16(140, 20, 2);
      STX_GUARDED void *scratch = stx_guarded_alloc(impl->scratch_size(&pair.params, 2));
      impl->run(&pair.params, &pair.left, &pair.right, &without, &(StxImage8){NULL, 0, 140, 20},
          scratch, &(StxPlace){.threads = 2}, NULL);
      stx_expect_same_image16(&with.disparity, &without, impl->info.name);
    }
  }
}

/* ---- Refusals ----------------------------------------------------------------------------- */

STX_TEST(refuses_bad_parameters)
{
  StxSgmParams good = sgm_defaults(8, 8, 64);
#define REFUSES(...) STX_REFUSES(stx_sgm_check, good, __VA_ARGS__)
  REFUSES(width, 0, "width is 0, but must be from 1 to 16384");
  REFUSES(max_disparity, 100, "max_disparity is 100, choose 0 (auto), 64, 128 or 256");
  REFUSES(search, 2, "search is 2, choose 0 (full) or 1 (coarse-to-fine)");
  REFUSES(p1, 87, "p1 is 87, but must not exceed p2, which is 86");
}

STX_TEST(accepts_the_defaults)
{
  StxError error = {"left over"};
  StxSgmParams params = sgm_defaults(STX_SGM_MAX_SIZE, STX_SGM_MAX_SIZE, 256);
  ck_assert(stx_sgm_check(&params, &error));
  ck_assert_str_eq(error.text, "");
}
