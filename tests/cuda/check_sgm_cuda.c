/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Semi-global matching on the GPU against the reference, byte for byte.
 */
#include "tests/cuda/cuda_case.h"
#include "tests/common/sgm/sgm_case.h"

#include <string.h>

/* `usual`, or at most `tiny` where every memory access is watched. */
static int at_most(int tiny, int usual)
{
  return stx_test_small() && tiny < usual ? tiny : usual;
}

static const StxSgmImpl *cuda_impl(void)
{
  return (const StxSgmImpl *)stx_impl_named(&stx_sgm_cuda_impls, "cuda");
}

/* ---- A run -------------------------------------------------------------------------------- */

/* A pair and memory for its result on the device. */
typedef struct {
  StxImage8 left, right, confidence;
  StxImage16 disparity;
  void *scratch;
} Device;

static Device new_device(const SgmPair *pair, int padding)
{
  int width = pair->params.width, height = pair->params.height;
  Device device = {stx_device_image8(width, height, padding),
      stx_device_image8(width, height, padding + 3), stx_device_image8(width, height, padding + 1),
      stx_device_image16(width, height, 2 * padding),
      stx_device_alloc(cuda_impl()->scratch_size(&pair->params, 1))};
  stx_device_upload8(&device.left, &pair->left);
  stx_device_upload8(&device.right, &pair->right);
  return device;
}

static void free_device(Device *device)
{
  stx_device_free8(&device->left);
  stx_device_free8(&device->right);
  stx_device_free8(&device->confidence);
  stx_device_free16(&device->disparity);
  stx_device_free(device->scratch);
}

STX_AUTO_VALUE(Device, free_device)

static void enqueue(const Device *device, const SgmPair *pair, bool confidence, const char *what)
{
  StxError error;
  StxImage8 unwanted = {NULL, 0, pair->params.width, pair->params.height};
  stx_case_ok(
      cuda_impl()->run(&pair->params, &device->left, &device->right, &device->disparity,
          confidence ? &device->confidence : &unwanted, device->scratch, stx_case_place(), &error),
      &error, what);
}

static SgmResult download(const Device *device, const SgmPair *pair)
{
  SgmResult result = sgm_new_result(&pair->params);
  stx_device_download16(&result.disparity, &device->disparity);
  stx_device_download8(&result.confidence, &device->confidence);
  return result;
}

static void expect_same(
    const SgmResult *expected, const Device *device, const SgmPair *pair, const char *what)
{
  STX_AUTO(SgmResult) actual = download(device, pair);
  stx_expect_same_image16(&expected->disparity, &actual.disparity, what);
  stx_expect_same_image8(&expected->confidence, &actual.confidence, what);
}

static void compare_with_reference(const SgmPair *pair, uint64_t seed)
{
  const char *what = sgm_describe(&pair->params, "cuda", 0, seed);
  STX_AUTO(SgmResult) expected = sgm_run(sgm_reference(), pair, 1);
  STX_AUTO(Device) device = new_device(pair, (int)(seed % 4));
  enqueue(&device, pair, true, what);
  expect_same(&expected, &device, pair, what);
}

/* ---- Tests -------------------------------------------------------------------------------- */

static void compare_sizes(const int (*sizes)[2], uint64_t count, StxSgmSearch search)
{
  for (uint64_t seed = 0; seed < count * (uint64_t)at_most(2, 3); seed++) {
    StxRandom random = {seed};
    const int *size = sizes[seed % count];
    STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_random_params(size[0], size[1], &random));
    sgm_fill_pair(&pair, (StxFill)((seed / count + STX_FILL_NOISE) % STX_FILL_COUNT),
        stx_random_below(&random, 80), &random);
    pair.params.search = search;
    pair.params.depth = seed % 2 ? 1 << (9 + stx_random_below(&random, 22)) : 0;
    compare_with_reference(&pair, seed);
  }
}

STX_TEST(equals_the_reference_on_tiny_images)
{
  static const int sizes[][2] = {{1, 1}, {2, 1}, {1, 2}, {3, 3}, {5, 2}, {2, 5}, {9, 7}};
  compare_sizes(sizes, sizeof sizes / sizeof sizes[0], STX_SGM_FULL);
  compare_sizes(sizes, sizeof sizes / sizeof sizes[0], STX_SGM_COARSE_TO_FINE);
}

/* The columns without a partner are left out on the left or on the right, to none at all. */
STX_TEST(equals_the_reference_wherever_infinity_is)
{
  static const int widths[] = {9, 40, 67, 131}, infinities[] = {-30, -1, 1, 7, 30};
  for (size_t i = 0; i < 4 * sizeof infinities / sizeof infinities[0];
       i += stx_test_small() ? 3 : 1) {
    StxRandom random = {i};
    StxSgmParams params = sgm_random_params(widths[i % 4], 5, &random);
    params.search = i % 2 ? STX_SGM_FULL : STX_SGM_COARSE_TO_FINE;
    params.infinity = infinities[i / 4];
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    sgm_fill_pair(&pair, STX_FILL_NOISE, stx_random_below(&random, 80), &random);
    compare_with_reference(&pair, i);
  }
}

/* Blocks of the census have 128 × 8 pixels, of the median 32 × 8, of the paths 2 rows or every
 * fourth of 8 columns; the winner walks over 64 pixels, four of them at a time, and a block has
 * four such segments. */
STX_TEST(equals_the_reference_around_tiles)
{
  static const int sizes[][2] = {{1, 40}, {300, 1}, {31, 7}, {32, 8}, {33, 9}, {63, 3}, {64, 4},
      {66, 5}, {67, 2}, {127, 3}, {128, 2}, {129, 2}, {257, 1}, {321, 1}};
  if (!stx_test_small())
    compare_sizes(sizes, sizeof sizes / sizeof sizes[0], STX_SGM_FULL);
  for (int k = 0; k < 6; k++) { /* wider than the disparities */
    StxRandom random = {(uint64_t)k};
    StxSgmParams params = sgm_defaults((64 << k % 3) + 6, 2, 64 << k % 3);
    params.paths = k < 3 ? 4 : 8;
    params.depth = k % 2 ? 1 << 9 : 0;
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    sgm_fill_pair(&pair, STX_FILL_NOISE, 30, &random);
    compare_with_reference(&pair, (uint64_t)k);
  }
}

/* Blocks of pixels have 8 × 8, and their windows come from the winners of 8 × 8 pixels of the
 * coarser level, of which there may be three. A block of threads has four of them, or two lines, or
 * 32 × 8 pixels. Pictures of noise have other windows in every block; in those that can be matched
 * neighbouring blocks have some candidates in common. */
STX_TEST(equals_the_reference_around_blocks)
{
  static const int sizes[][2] = {{16, 16}, {24, 33}, {65, 10}, {7, 8}, {8, 7}, {9, 17}, {17, 9},
      {31, 5}, {33, 8}, {40, 41}, {129, 12}, {2, 70}, {260, 2}};
  const uint64_t count = sizeof sizes / sizeof sizes[0];
  compare_sizes(sizes, stx_test_small() ? 3 : count, STX_SGM_COARSE_TO_FINE);
  for (int k = stx_test_small() ? 1 : 0; k < (stx_test_small() ? 4 : 6); k++) {
    /* Rows of several whole blocks, and what is left of one. */
    StxRandom random = {(uint64_t)k};
    StxSgmParams params = sgm_defaults(132 + 9 * k, k < 2 ? 18 : 3, 64);
    params.paths = k % 2 ? 8 : 4;
    params.search = STX_SGM_COARSE_TO_FINE;
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    sgm_fill_pair(&pair, STX_FILL_NOISE, k % 3 == 0 ? 30 : 80, &random); /* 80: nothing matches */
    compare_with_reference(&pair, (uint64_t)k);
  }
}

/* A block has two lines, and a warp loads the words of four steps, or two, together: blocks that
 * lack the second line, lines that end anywhere in a group, diagonals that come in again once and
 * many times. Penalties are large, so that what leaks from one line into the next shows. */
STX_TEST(equals_the_reference_along_all_lines)
{
  static const int sizes[][2] = {{1, 30}, {3, 41}, {4, 9}, {7, 23}, {8, 8}, {9, 17}, {12, 33},
      {15, 2}, {16, 5}, {17, 16}, {23, 24}, {33, 3}, {40, 1}};
  const int count = sizeof sizes / sizeof sizes[0];
  for (int k = 0; k < at_most(2, 3 * count); k++) {
    StxRandom random = {(uint64_t)k};
    const int *size = sizes[k % count];
    StxSgmParams params = sgm_defaults(at_most(9, size[0]), at_most(5, size[1]), 64 << k % 3);
    params.paths = k / count % 2 == 0 ? 8 : 4;
    params.p1 = k % 5 == 0 ? STX_SGM_MAX_PENALTY : 7;
    params.p2 = STX_SGM_MAX_PENALTY;
    params.texture = -1;
    params.median = false;
    params.search = k / 3 % 2;
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    sgm_fill_pair(&pair, STX_FILL_NOISE, k % 40, &random);
    compare_with_reference(&pair, (uint64_t)k);
  }
}

STX_TEST(agrees_on_texture)
{
  static const int textures[] = {-1, 0, 1, 2, 6, 20, 254};
  for (int k = 0; k < at_most(2, 14); k++) {
    StxRandom random = {(uint64_t)k};
    StxSgmParams params = sgm_defaults(at_most(12, 140), 1 + 3 * (k % 3), 64);
    params.texture = textures[k % 7];
    params.median = k % 2;
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    sgm_fill_ramps(&pair, &random);
    compare_with_reference(&pair, (uint64_t)k);
  }
}

/* Streets under a sky; check_sgm_sky_cuda.c has larger ones. */
STX_TEST(agrees_on_the_sky)
{
  static const int sizes[][2] = {{1, 1}, {1, 30}, {90, 2}, {61, 43}, {133, 24}};
  for (uint64_t seed = 0; seed < (uint64_t)at_most(2, 15); seed++) {
    StxRandom random = {seed};
    const int *size = sizes[seed % 5];
    StxSgmParams params = sgm_random_params(size[0], size[1], &random);
    params.sky = true;
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    sgm_fill_sky(&pair, &random);
    compare_with_reference(&pair, seed);
  }
}

/* There is no memory for it, so a search would be seen. */
STX_TEST(nobody_looks_for_a_sky_that_is_not_wanted)
{
  StxRandom random = {12};
  StxSgmParams params = sgm_defaults(at_most(6, 70), at_most(3, 20), 64);
  size_t with = cuda_impl()->scratch_size(&params, 1);
  params.sky = false;
  ck_assert_uint_lt(cuda_impl()->scratch_size(&params, 1), with);
  STX_AUTO(SgmPair) pair = sgm_new_pair(params);
  sgm_fill_sky(&pair, &random);
  compare_with_reference(&pair, 12);
}

/* The largest path costs and sums: penalties at their limits, opposite images. */
STX_TEST(equals_the_reference_at_the_bounds)
{
  for (int k = 0; k < 24; k++) {
    StxRandom random = {(uint64_t)k};
    StxSgmParams params = sgm_defaults(at_most(6, 50), at_most(2, 4), 64 << k % 3);
    params.paths = k / 3 & 1 ? 8 : 4;
    params.p1 = k & 2 ? STX_SGM_MAX_PENALTY : 0;
    params.p2 = k / 12 ? STX_SGM_MAX_PENALTY : params.p1;
    params.lr_max_diff = k & 1 ? 255 : 0;
    params.search = k / 6 & 1;
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    sgm_fill_opposite(&pair, &random);
    compare_with_reference(&pair, (uint64_t)k);
  }
}

STX_TEST(confidence_is_optional)
{
  StxRandom random = {11};
  const int width = at_most(6, 70), height = at_most(3, 24);
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(width, height, 128));
  sgm_fill_sky(&pair, &random);
  STX_AUTO(SgmResult) expected = sgm_run(sgm_reference(), &pair, 1);
  STX_AUTO(Device) device = new_device(&pair, 1);
  enqueue(&device, &pair, false, "without confidence");
  for (int y = 0; y < height; y++) /* nobody touched it */
    memset(stx_row8(&expected.confidence, y), 0xCD, (size_t)width);
  expect_same(&expected, &device, &pair, "without confidence");
}

/* Two runs in a row with the same scratch, whose content must not matter; both views of one image:
 * the right one may be the left. */
STX_TEST(scratch_may_hold_anything)
{
  for (int k = 0; k < 4; k++) {
    StxRandom random = {(uint64_t)k};
    StxSgmParams params = sgm_defaults(at_most(6, 80), at_most(3, 24), 64);
    params.paths = k % 2 ? 8 : 4;
    params.search = k / 2;
    STX_AUTO(SgmPair) pair = sgm_new_pair(params);
    sgm_fill_sky(&pair, &random);
    for (int y = 0; y < params.height; y++)
      memcpy(stx_row8(&pair.right, y), stx_row8(&pair.left, y), (size_t)params.width);
    STX_AUTO(SgmResult) expected = sgm_run(sgm_reference(), &pair, 1);
    Device device = new_device(&pair, 0), same = device;
    same.right = device.left;
    enqueue(&device, &pair, true, "first run");
    enqueue(&same, &pair, true, "second run");
    expect_same(&expected, &same, &pair, "second run");
    free_device(&device);
  }
}

/* Volumes of 2^36 bytes: nothing overflows on the way to the size. Those of coarse-to-fine search
 * have a sixteenth of them, and those of its top level a 64th. */
STX_TEST(sizes_are_64_bits_wide)
{
  StxSgmParams params = sgm_defaults(STX_SGM_MAX_SIZE, STX_SGM_MAX_SIZE, 256);
  params.paths = 8;
  size_t size = cuda_impl()->scratch_size(&params, 1), volumes = (size_t)4 << 36;
  ck_assert_uint_gt(size, volumes);
  ck_assert_uint_lt(size, volumes + volumes / 8);
  params.paths = 4;
  ck_assert_uint_eq(size - cuda_impl()->scratch_size(&params, 1), volumes / 2);
  params.search = STX_SGM_COARSE_TO_FINE;
  size = cuda_impl()->scratch_size(&params, 1);
  params.paths = 8;
  ck_assert_uint_eq(cuda_impl()->scratch_size(&params, 1) - size, volumes / 32 + volumes / 128);
}
