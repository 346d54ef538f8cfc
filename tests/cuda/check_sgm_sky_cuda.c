/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sky on the GPU against the host, byte for byte, without the matching that comes before: so
 * that images may have many blocks of tiles.
 */
#include "cuda/sgm/sgm_parts.h"
#include "tests/common/sgm/sgm_c.h"
#include "tests/common/sgm/sgm_case.h"
#include "tests/cuda/cuda_case.h"

#include <stdlib.h>
#include <string.h>

static int at_most(int tiny, int usual)
{
  return stx_test_small() && tiny < usual ? tiny : usual;
}

/* ---- What the kernels are given ------------------------------------------------------------- */

typedef struct {
  StxImage8 left, confidence;
  StxImage16 disparity;
  void *left_words, *right_words, *scratch;
  StxSgmSkyArgs args;
} Device;

static void *upload_left_words(const SgmPair *pair)
{
  int width = pair->params.width, height = pair->params.height;
  uint32_t *words = malloc((size_t)width * height * sizeof *words);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      words[y * width + x] = stx_sgm_census(&pair->left, x, y);
  void *device = stx_device_copy_of(words, (size_t)width * height * sizeof *words);
  free(words);
  return device;
}

/* As StxSgmRightWords has them; only those that are not shifted, which are all that counts. */
static void *upload_right_words(const SgmPair *pair, StxSgmRightWords *layout)
{
  int width = pair->params.width, height = pair->params.height;
  layout->before = 64;
  layout->pitch = (layout->before + (uint32_t)width + 31) / 32 * 32;
  size_t size = STX_SGM_SHIFTS * (size_t)layout->pitch * (size_t)height * sizeof(uint32_t);
  uint32_t *words = malloc(size);
  memset(words, 0x5A, size);
  for (int y = 0; y < height; y++)
    for (int q = 0; q < (int)layout->before + width; q++) {
      int x = q - (int)layout->before;
      words[(size_t)y * STX_SGM_SHIFTS * layout->pitch + q] =
          stx_sgm_census(&pair->right, x > 0 ? x : 0, y);
    }
  void *device = stx_device_copy_of(words, size);
  free(words);
  return device;
}

static Device new_device(const SgmPair *pair, const SgmResult *before, bool confidence, int padding)
{
  int width = pair->params.width, height = pair->params.height;
  Device d = {stx_device_image8(width, height, padding),
      stx_device_image8(width, height, padding + 1), stx_device_image16(width, height, 2 * padding),
      .left_words = upload_left_words(pair),
      .scratch = stx_device_alloc(stx_sgm_sky_cuda_scratch(&pair->params))};
  d.right_words = upload_right_words(pair, &d.args.right_words);
  d.args.right_words.words = d.right_words;
  d.args.left_words = d.left_words;
  stx_device_upload8(&d.left, &pair->left);
  stx_device_upload8(&d.confidence, &before->confidence);
  stx_device_upload16(&d.disparity, &before->disparity);
  d.args.width = width;
  d.args.height = height;
  d.args.left = d.left.data;
  d.args.left_stride = d.left.stride;
  d.args.maps.disparity = d.disparity.data;
  d.args.maps.disparity_stride = d.disparity.stride;
  d.args.maps.confidence = confidence ? d.confidence.data : NULL;
  d.args.maps.confidence_stride = d.confidence.stride;
  return d;
}

static void free_device(Device *d)
{
  stx_device_free8(&d->left);
  stx_device_free8(&d->confidence);
  stx_device_free16(&d->disparity);
  stx_device_free(d->left_words);
  stx_device_free(d->right_words);
  stx_device_free(d->scratch);
}

/* ---- A run ---------------------------------------------------------------------------------- */

static SgmResult on_host(const SgmPair *pair, const SgmResult *before, bool confidence)
{
  SgmResult result = sgm_copy_result(before);
  StxImage8 unwanted = {NULL, 0, pair->params.width, pair->params.height};
  STX_GUARDED void *scratch = stx_guarded_alloc(stx_sgm_sky_scratch(&pair->params));
  stx_sgm_sky(&pair->params, &pair->left, &pair->right, &result.disparity,
      confidence ? &result.confidence : &unwanted, scratch, 1);
  return result;
}

static SgmResult on_device(
    const SgmPair *pair, const SgmResult *before, bool confidence, int padding, const char *what)
{
  SgmResult result = sgm_new_result(&pair->params);
  StxError error = {""};
  Device d = new_device(pair, before, confidence, padding);
  stx_case_ok(
      stx_sgm_sky_cuda(&pair->params, &d.args, d.scratch, stx_case_place(), &error), &error, what);
  stx_case_wait(what);
  stx_device_download16(&result.disparity, &d.disparity);
  stx_device_download8(&result.confidence, &d.confidence);
  free_device(&d);
  return result;
}

static void compare(const SgmPair *pair, const SgmResult *before, bool confidence, uint64_t seed)
{
  const char *what = sgm_describe(&pair->params, "sky on cuda", 0, seed);
  STX_AUTO(SgmResult) expected = on_host(pair, before, confidence);
  STX_AUTO(SgmResult) actual = on_device(pair, before, confidence, (int)(seed % 4), what);
  stx_expect_same_image16(&expected.disparity, &actual.disparity, what);
  stx_expect_same_image8(&expected.confidence, &actual.confidence, what);
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void compare_street(int width, int height, uint64_t seed)
{
  StxRandom random = {seed};
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(width, height, 64));
  sgm_fill_sky(&pair, &random);
  STX_AUTO(SgmResult) before =
      sgm_random_result(&pair.params, 1 + stx_random_below(&random, 8), &random);
  compare(&pair, &before, seed % 5 > 0, seed);
}

STX_TEST(agrees_on_any_size)
{
  for (uint64_t seed = 0; seed < (uint64_t)at_most(3, 60); seed++) {
    StxRandom random = {seed};
    int most = 1 << stx_random_below(&random, at_most(5, 9));
    compare_street(1 + stx_random_below(&random, most), 1 + stx_random_below(&random, most), seed);
  }
}

/* Blocks of 256 tiles; warps of 32 tiles that mark, and blocks of 8 rows. */
STX_TEST(agrees_around_blocks)
{
  static const int sizes[][2] = {{64, 64}, {128, 32}, {129, 33}, {124, 36}, {1024, 5}, {4, 1025},
      {257, 129}, {1030, 3}, {3, 600}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (uint64_t seed = 0; seed < (uint64_t)at_most(sizes[i][1] == 3, 5); seed++)
      compare_street(sizes[i][0], sizes[i][1], 100 * i + seed);
}

typedef enum { COMB, DOWN_AND_UP, LEFT_AND_RIGHT, WINDINGS } Winding;

/* White but for dark walls, one tile wide and far away, with corridors of five between them, so
 * white that nothing goes on across a wall. A wall ends before the bottom; when the
 * way winds, every other one before the top. */
static void fill_winding(const SgmPair *pair, Winding winding)
{
  int width = pair->params.width, height = pair->params.height;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      bool turned = winding == LEFT_AND_RIGHT;
      int along = turned ? y : x, deep = turned ? x : y, length = turned ? width : height;
      bool first = winding != COMB && along / 24 % 2;
      bool gap = first ? deep < 20 : deep >= length - 20;
      stx_row8(&pair->left, y)[x] = along % 24 >= 20 && !gap ? 60 : 255;
      stx_row8(&pair->right, y)[x] = stx_row8(&pair->left, y)[x];
    }
}

/* Makes the dark pixels known and far: the sky ends there. */
static void make_dark_far(const SgmPair *pair, const SgmResult *result)
{
  STX_EACH_PIXEL (x, y, pair->params.width, pair->params.height)
    stx_row16(&result->disparity, y)[x] = stx_row8(&pair->left, y)[x] < 100;
}

/* Patches whose root is far away, at the end of a way through all of the image, or that join at the
 * bottom only: in the last corridor there is sky. */
STX_TEST(finds_patches_that_wind)
{
  int width = at_most(60, 428), height = at_most(44, 160);
  for (int winding = 0; winding < WINDINGS; winding++) {
    StxRandom random = {(uint64_t)winding};
    STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(width, height, 64));
    fill_winding(&pair, (Winding)winding);
    STX_AUTO(SgmResult) before = sgm_random_result(&pair.params, 1, &random); /* all unknown */
    make_dark_far(&pair, &before);
    int x = winding == LEFT_AND_RIGHT ? width / 2 : (width - 1) / 24 * 24 + 10;
    int y = winding == LEFT_AND_RIGHT ? (height - 1) / 24 * 24 + 10 : height / 2;
    stx_row16(&before.disparity, y)[x] = 1;
    STX_AUTO(SgmResult) expected = on_host(&pair, &before, true);
    ck_assert_uint_eq(stx_row16(&expected.disparity, y)[x], 0);
    compare(&pair, &before, true, (uint64_t)winding);
  }
}

/* A sky that a wire crosses, one tile high and so dark that the tiles beside it are no sky either:
 * it goes on below. */
STX_TEST(goes_on_behind_a_wire)
{
  int width = at_most(60, 428), height = at_most(28, 160);
  StxRandom random = {1};
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(width, height, 64));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      stx_row8(&pair.left, y)[x] = stx_row8(&pair.right, y)[x] = y / 4 == 3 ? 60 : 200;
  STX_AUTO(SgmResult) before = sgm_random_result(&pair.params, 1, &random); /* all unknown */
  make_dark_far(&pair, &before);
  stx_row16(&before.disparity, height - 2)[width / 2] = 1;
  STX_AUTO(SgmResult) expected = on_host(&pair, &before, true);
  ck_assert_uint_eq(stx_row16(&expected.disparity, height - 2)[width / 2], 0);
  compare(&pair, &before, true, 1);
}

/* A sky under a black border with a slanted edge; what it ends at below is far. */
STX_TEST(begins_below_a_black_border)
{
  int width = at_most(60, 428), height = at_most(60, 160);
  StxRandom random = {1};
  STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(width, height, 64));
  STX_EACH_PIXEL (x, y, width, height)
    stx_row8(&pair.left, y)[x] = stx_row8(&pair.right, y)[x] =
        (uint8_t)(y < 6 + x / 16               ? 1
                  : y >= height - STX_SGM_TILE ? 60
                                               : 200);
  STX_AUTO(SgmResult) before = sgm_random_result(&pair.params, 1, &random); /* all unknown */
  make_dark_far(&pair, &before);
  STX_AUTO(SgmResult) expected = on_host(&pair, &before, true);
  ck_assert_uint_eq(stx_row8(&expected.confidence, height - 24)[width / 2], 255);
  ck_assert_uint_eq(stx_row8(&expected.confidence, 2)[width / 2], 0);
  compare(&pair, &before, true, 1);
}

/* A sky that goes on between dark stripes one tile wide, where no tile is a candidate: it grows by
 * STX_SGM_SKY_GROWTH tiles, and the margin is wider by STX_SGM_SKY_RIM. Its last tile is the first
 * of a block, which sees the patch only at the rim of what is near. */
STX_TEST(grows_over_blocks)
{
  for (int turned = 0; turned < 2; turned++) {
    int far = STX_SGM_SKY_GROWTH + STX_SGM_SKY_RIM;
    int block = turned ? STX_SGM_LANES : STX_SGM_SKY_MARK_ROWS;
    int length = STX_SGM_TILE * (block - (far - 3) % block), grown = length + STX_SGM_TILE * far;
    STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(turned ? 240 : 76, turned ? 76 : 144, 64));
    STX_EACH_PIXEL (x, y, pair.params.width, pair.params.height) {
      int along = turned ? x : y, across = turned ? y : x;
      bool dark = along >= length && across / STX_SGM_TILE % 2;
      stx_row8(&pair.left, y)[x] = stx_row8(&pair.right, y)[x] = dark ? 60 : 200;
    }
    StxRandom random = {1};
    STX_AUTO(SgmResult) before = sgm_random_result(&pair.params, 1, &random); /* all unknown */
    make_dark_far(&pair, &before);
    STX_AUTO(SgmResult) expected = on_host(&pair, &before, true);
    /* the patch ends two tiles before the stripes begin */
    STX_EACH_PIXEL (x, y, pair.params.width, pair.params.height) {
      int along = turned ? x : y;
      bool sky = along < grown - 2 * STX_SGM_TILE && stx_row8(&pair.left, y)[x] == 200;
      ck_assert_msg((stx_row8(&expected.confidence, y)[x] == 255) == sky,
          "turned %d: confidence (%d, %d) is %d", turned, x, y,
          stx_row8(&expected.confidence, y)[x]);
    }
    compare(&pair, &before, true, (uint64_t)turned);
  }
}

/* The greatest sums: every pixel white, so that there is one patch; and every one nearly black. */
STX_TEST(agrees_on_one_gray_value)
{
  static const int grays[] = {255, 0, 31, 32};
  for (int k = 0; k < 4; k++) {
    StxRandom random = {(uint64_t)k};
    STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(at_most(9, 515), at_most(9, 203), 64));
    for (int y = 0; y < pair.params.height; y++) {
      memset(stx_row8(&pair.left, y), grays[k], (size_t)pair.params.width);
      memset(stx_row8(&pair.right, y), grays[k], (size_t)pair.params.width);
    }
    STX_AUTO(SgmResult) before = sgm_random_result(&pair.params, 3, &random);
    compare(&pair, &before, true, (uint64_t)k);
  }
}

STX_TEST(agrees_on_two_skies)
{
  for (int k = 0; k < 4; k++) {
    StxRandom random = {(uint64_t)k};
    STX_AUTO(SgmPair) pair = sgm_new_pair(sgm_defaults(at_most(60, 2100), at_most(9, 13), 64));
    sgm_fill_two_skies(&pair, k % 2 ? 240 : 100, k % 2 ? 100 : 240);
    STX_AUTO(SgmResult) before = sgm_random_result(&pair.params, k < 2 ? 1 : 3, &random);
    compare(&pair, &before, true, (uint64_t)k);
  }
}
