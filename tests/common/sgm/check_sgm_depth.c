/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Depths in place of disparities: the formula by brute force, and every implementation against the
 * reference. */
#include "common/sgm/sgm_depth_math.h"
#include "tests/common/sgm/sgm_case.h"

#include <math.h>
#include <stdlib.h>

/* 700 px · 0.5 m. */
#define SCALE 89600000

/* ---- The formula --------------------------------------------------------------------------- */

/* Whole numbers of 64 bits, and what is nearest to the quotient. */
STX_TEST(depths_are_exact)
{
  static const int scales[] = {
      1, 2, 1000, 65535, 131069, 1000003, 24883200, SCALE, 99461089, 1 << 30, STX_SGM_MAX_SCALE};
  ck_assert_int_eq(stx_sgm_depth_of(SCALE, 0), 0);
  for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
    for (int64_t value = 1; value <= UINT16_MAX; value++) {
      int64_t twice = 2 * (int64_t)scales[i], depth = 0;
      depth = (twice + value) / (2 * value);
      ck_assert_int_le(llabs(2 * (depth * value - scales[i])), value);
      depth = depth <= 65534 ? depth : 0;
      ck_assert_int_eq(stx_sgm_depth_of(scales[i], (uint16_t)value), depth);
    }
}

STX_TEST(scales_of_cameras)
{
  StxError error = {""};
  int scale = 0;
  ck_assert(stx_sgm_depth_scale(700, .5, &scale, &error));
  ck_assert_int_eq(scale, SCALE);
  ck_assert(stx_sgm_depth_scale(721.5377, .532719, &scale, &error));
  ck_assert_int_eq(scale, 98400472); /* 98400471.9 */
  static const double bad[][2] = {
      {0, 1}, {700, 0}, {-700, .5}, {NAN, .5}, {700, NAN}, {INFINITY, 1}, {8389, 1}, {1e-6, 1}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    error.text[0] = '\0';
    ck_assert(!stx_sgm_depth_scale(bad[i][0], bad[i][1], &scale, &error));
    stx_expect_words(&error, "focal length times baseline");
  }
  stx_expect_words(&error, "8388");
}

/* ---- Maps ---------------------------------------------------------------------------------- */

/* Converts a map of disparities, pixel by pixel. */
static SgmResult converted(const SgmPair *pair, const SgmResult *disparities)
{
  SgmResult result = sgm_copy_result(disparities);
  STX_EACH_PIXEL (x, y, pair->params.width, pair->params.height) {
    uint16_t *at = &stx_row16(&result.disparity, y)[x];
    double depth = *at > 0 ? floor((double)pair->params.depth / *at + .5) : 0;
    if (*at > 0 && (depth < 1 || depth > 65534))
      stx_row8(&result.confidence, y)[x] = 0;
    *at = (uint16_t)(depth <= 65534 ? depth : 0);
  }
  return result;
}

static SgmResult run_without_depth(SgmPair *pair)
{
  int depth = pair->params.depth;
  pair->params.depth = 0;
  SgmResult result = sgm_run(sgm_reference(), pair, 1);
  pair->params.depth = depth;
  return result;
}

/* Every implementation, with confidence and without. */
static void compare(SgmPair *pair, uint64_t seed)
{
  STX_AUTO(SgmResult) disparities = run_without_depth(pair),
                      expected = converted(pair, &disparities);
  STX_EACH_IMPL (StxSgmImpl, impl, &stx_sgm_impls)
    for (int threads = 1; threads <= 3; threads += 2) {
      const char *what = sgm_describe(&pair->params, impl->info.name, threads, seed);
      STX_AUTO(SgmResult) actual = sgm_run(impl, pair, threads);
      sgm_expect_same(&expected, &actual, what);
      STX_GUARDED void *scratch = stx_guarded_alloc(impl->scratch_size(&pair->params, threads));
      StxImage8 none = {NULL, 0, pair->params.width, pair->params.height};
      impl->run(&pair->params, &pair->left, &pair->right, &actual.disparity, &none, scratch,
          &(StxPlace){.threads = threads}, NULL);
      stx_expect_same_image16(&expected.disparity, &actual.disparity, what);
    }
}

STX_TEST(every_implementation_gives_depths)
{
  static const int sizes[][2] = {{1, 1}, {1, 40}, {70, 1}, {90, 33}, {141, 20}};
  static const int scales[] = {1, 3000, 1000000, SCALE, STX_SGM_MAX_SCALE};
  for (uint64_t seed = 0; seed < 25; seed++) {
    StxRandom random = {seed};
    StxSgmParams params = sgm_random_params(sizes[seed % 5][0], sizes[seed % 5][1], &random);
    params.depth = scales[seed / 5];
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    if (seed % 2)
      sgm_fill_sky(&pair, &random);
    else
      sgm_fill_pair(&pair, STX_FILL_NOISE, stx_random_below(&random, 40), &random);
    compare(&pair, seed);
  }
}

/* Sky stays sky; what is too far for 16 bits is no sky. */
STX_TEST(far_is_not_sky)
{
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(140, 40, 64));
  StxRandom random = {3};
  pair.params.depth = SCALE;
  pair.params.sky = false;
  sgm_fill_pair(&pair, STX_FILL_NOISE, 2, &random); /* 2 px: 175 m */
  STX_AUTO(SgmResult) disparities = run_without_depth(&pair);
  STX_AUTO(SgmResult) depths = sgm_run(sgm_reference(), &pair, 1);
  ck_assert_int_gt(stx_row16(&disparities.disparity, 20)[100], 0);
  ck_assert_int_gt(stx_row8(&disparities.confidence, 20)[100], 0);
  ck_assert_int_eq(stx_row16(&depths.disparity, 20)[100], 0);
  ck_assert_int_eq(stx_row8(&depths.confidence, 20)[100], 0);
}
