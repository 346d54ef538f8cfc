/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures into tensors and disparities out of them, by literal numbers; every binary16. */
#include "common/tensor/tensor.h"

#include <math.h>

#include "common/colmean/colmean_math.h"
#include "tests/testing.h"

static const double none[3] = {0, 0, 0}, whole[3] = {1, 1, 1};
static const StxTensorPixel gray = {1, {0, 0, 0}};

/* ---- binary16 ------------------------------------------------------------------------------ */

STX_TEST(every_half_comes_back)
{
  for (unsigned half = 0; half < 0x10000; half++) {
    const bool nan = (half & 0x7fff) > 0x7c00;
    const uint16_t back = stx_tensor_half(stx_float_from_half((uint16_t)half));
    ck_assert_uint_eq(nan ? back & 0x7e00u : back, nan ? 0x7e00u : half);
  }
}

/* Between two neighbours the middle goes to the even one, and what is beside it to the nearer. */
STX_TEST(halves_are_the_nearest)
{
  for (unsigned half = 0; half < 0x7bff; half++) {
    const float low = stx_float_from_half((uint16_t)half);
    const float high = stx_float_from_half((uint16_t)(half + 1)), middle = (low + high) / 2;
    ck_assert_uint_eq(stx_tensor_half(middle), half % 2 == 0 ? half : half + 1);
    ck_assert_uint_eq(stx_tensor_half(nextafterf(middle, low)), half);
    ck_assert_uint_eq(stx_tensor_half(nextafterf(-middle, -high)), (half + 1) | 0x8000u);
  }
  ck_assert_uint_eq(stx_tensor_half(65519), 0x7bff);
  ck_assert_uint_eq(stx_tensor_half(65520), 0x7c00);
  ck_assert_uint_eq(stx_tensor_half(-INFINITY), 0xfc00);
}

/* ---- Pictures in --------------------------------------------------------------------------- */

STX_TEST(values)
{
  const double mean[3] = {0.5, 0, 0.25}, std[3] = {0.5, 1, 2};
  StxTensorTable table;

  stx_tensor_table(&table, 2, mean, std);
  ck_assert_float_eq(table.value[0][0], -1);
  ck_assert_float_eq(table.value[0][255], 3);
  ck_assert_float_eq(table.value[1][51], 51.f / 255.f * 2.f);
  ck_assert_float_eq(table.value[2][255], 0.875f);
  stx_tensor_table(&table, 255, none, whole);
  for (int v = 0; v < 256; v++)
    ck_assert_float_eq_tol(table.value[1][v], (float)v, 1e-4f);
}

/* 3 × 2 pixels of xBGR in a tensor of 4 × 3, as planes and interleaved behind another view. */
STX_TEST_LOOP(padded, 2)
{
  uint8_t pixels[2][16] = {
      {9, 3, 2, 1, 9, 6, 5, 4, 9, 30, 20, 10}, {9, 0, 0, 7, 9, 0, 0, 8, 9, 0, 0, 11}};
  const StxImage8 picture = {pixels[0], 16, 3, 2};
  const StxTensorPixel at = {4, {3, 2, 1}};
  const StxTensorAxis x = {3, 4, false}, y = {2, 3, false};
  const StxTensorView views[2] = {
      {STX_TENSOR_FLOAT, 3, x, y, 0, 4, 1, 12}, {STX_TENSOR_FLOAT, 3, x, y, 3, 24, 6, 1}};
  const float red[3][4] = {{1, 4, 10, 10}, {7, 8, 11, 11}, {7, 8, 11, 11}};
  const float blue[3][4] = {{3, 6, 30, 30}, {0, 0, 0, 0}, {0, 0, 0, 0}};
  float tensor[72] = {0};
  StxTensorTable table;

  for (int v = 0; v < 256; v++)
    table.value[0][v] = table.value[1][v] = table.value[2][v] = (float)v;
  stx_tensor_fill(&views[_i], tensor, &table, &at, &picture, 2);
  STX_EACH_PIXEL (column, row, 4, 3) {
    const size_t i =
        views[_i].first + (size_t)row * views[_i].row + (size_t)column * views[_i].step;
    ck_assert_float_eq(tensor[i], red[row][column]);
    ck_assert_float_eq(tensor[i + 2 * views[_i].plane], blue[row][column]);
  }
  if (_i == 1)
    for (size_t i = 0; i < 72; i++)
      ck_assert(i % 6 >= 3 || tensor[i] == 0);
}

/* 4 pixels to 2 and to 8; the other axis as it is. */
STX_TEST(resized)
{
  uint8_t pixels[4] = {0, 10, 20, 50};
  const StxImage8 picture = {pixels, 4, 4, 1};
  const StxTensorAxis y = {1, 1, false};
  const StxTensorView smaller = {STX_TENSOR_BYTE, 1, {4, 2, true}, y, 0, 2, 1, 2};
  const StxTensorView larger = {STX_TENSOR_HALF, 1, {4, 8, true}, y, 0, 8, 1, 8};
  const float expected[8] = {0, 2.5f, 7.5f, 12.5f, 17.5f, 27.5f, 42.5f, 50};
  StxTensorTable table;
  uint8_t two[2];
  uint16_t eight[8];

  for (int v = 0; v < 256; v++)
    table.value[0][v] = (float)v;
  stx_tensor_fill(&smaller, two, &table, &gray, &picture, 1);
  ck_assert_uint_eq(two[0], 5);
  ck_assert_uint_eq(two[1], 35);
  stx_tensor_fill(&larger, eight, &table, &gray, &picture, 1);
  for (int i = 0; i < 8; i++)
    ck_assert_float_eq(stx_float_from_half(eight[i]), expected[i]);
}

/* ---- Maps out ------------------------------------------------------------------------------ */

STX_TEST(disparities)
{
  const float numbers[8] = {1, -2, NAN, INFINITY, 0, 0.0009765625f, 400, 2.5f};
  const StxTensorMap map = {STX_TENSOR_FLOAT, numbers, 8, 1, 8, 1};
  const StxTensorAxis x = {8, 8, false}, y = {1, 1, false};
  const uint16_t expected[8] = {512, 0, 0, 0, 0, 1, 65535, 1280};
  uint16_t found[8];
  const StxImage16 image = {found, 16, 8, 1};
  StxTensorCounts counts;

  stx_tensor_disparity(&map, &x, &y, 2, &image, &counts, 1);
  for (int i = 0; i < 8; i++)
    ck_assert_uint_eq(found[i], expected[i]);
  ck_assert_uint_eq(counts.known, 4);
  ck_assert_uint_eq(counts.negative, 1);
  ck_assert_uint_eq(counts.not_finite, 2);
}

/* A map of half the size of a padded picture, every second number of it; and of a resized one. */
STX_TEST(disparities_of_another_size)
{
  const float numbers[8] = {1, 9, 2, 9, 3, 9, 4, 9};
  const StxTensorMap map = {STX_TENSOR_FLOAT, numbers, 4, 1, 8, 2};
  const StxTensorAxis padded = {5, 8, false}, resized = {6, 8, true}, y = {1, 1, false};
  const uint16_t of_padded[5] = {256, 256, 512, 512, 768};
  const uint16_t of_resized[6] = {256, 512, 512, 768, 1024, 1024};
  uint16_t found[6];
  StxTensorCounts counts;

  stx_tensor_disparity(&map, &padded, &y, 1, &(StxImage16){found, 12, 5, 1}, &counts, 3);
  for (int i = 0; i < 5; i++)
    ck_assert_uint_eq(found[i], of_padded[i]);
  stx_tensor_disparity(&map, &resized, &y, 1, &(StxImage16){found, 12, 6, 1}, &counts, 3);
  for (int i = 0; i < 6; i++)
    ck_assert_uint_eq(found[i], of_resized[i]);
}

STX_TEST(confidences)
{
  const float numbers[6] = {0, 1, 0.5f, -1, NAN, 7};
  const StxTensorMap map = {STX_TENSOR_FLOAT, numbers, 6, 1, 6, 1};
  const StxTensorAxis x = {6, 6, false}, y = {1, 1, false};
  const uint8_t expected[6] = {0, 255, 128, 0, 0, 255};
  uint8_t found[6];

  stx_tensor_confidence(&map, &x, &y, &(StxImage8){found, 6, 6, 1}, 1);
  for (int i = 0; i < 6; i++)
    ck_assert_uint_eq(found[i], expected[i]);
}

/* No byte depends on the number of threads, and nothing beside the rows is touched. */
STX_TEST_LOOP(threads, 2)
{
  enum { WIDTH = 97, HEIGHT = 61, WIDE = 128, HIGH = 64 };
  STX_AUTO(StxImage8) picture = stx_test_image8(WIDTH, HEIGHT, 5);
  STX_AUTO(StxImage16) one = stx_test_image16(WIDTH, HEIGHT, 4);
  STX_AUTO(StxImage16) many = stx_test_image16(WIDTH, HEIGHT, 4);
  const StxTensorAxis x = {WIDTH, WIDE, _i == 1}, y = {HEIGHT, HIGH, _i == 1};
  const StxTensorView view = {STX_TENSOR_FLOAT, 1, x, y, 0, WIDE, 1, WIDE * HIGH};
  STX_GUARDED float *other = stx_guarded_alloc(sizeof(float) * WIDE * HIGH);
  const StxTensorMap map = {STX_TENSOR_FLOAT, other, WIDE, HIGH, WIDE, 1};
  StxTensorCounts counts[2];
  StxTensorTable table;
  StxRandom random = {3};

  stx_tensor_table(&table, 90, none, whole);
  stx_fill8(&picture, STX_FILL_NOISE, &random);
  stx_tensor_fill(&view, other, &table, &gray, &picture, 1);
  stx_tensor_disparity(&map, &x, &y, 1, &one, &counts[0], 1);
  stx_tensor_fill(&view, other, &table, &gray, &picture, 7);
  stx_tensor_disparity(&map, &x, &y, 1, &many, &counts[1], 7);
  stx_expect_same_image16(&one, &many, "7 threads");
  ck_assert_mem_eq(&counts[0], &counts[1], sizeof counts[0]);
  stx_guarded_check(other);
}
