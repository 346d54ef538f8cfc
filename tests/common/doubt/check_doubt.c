/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps that are something else: a road and a wall as disparities, as depths, with bytes swapped, as
 * a picture; and what must not be doubted. */
#include "common/doubt/doubt.h"
#include "tests/testing.h"

#include <string.h>

#define WIDTH 320
#define HEIGHT 120

typedef uint16_t Map[HEIGHT][WIDTH];

/* A road from row 50 on, under a wall at `wall` pixels, and sky; sparse: one pixel of `every` is
 * known. */
static void draw(Map map, int wall, int every)
{
  StxRandom random = {5};
  STX_EACH_PIXEL (x, y, WIDTH, HEIGHT) {
    int road = (y - 50) * 110, noise = stx_random_below(&random, 60);
    int value = road > wall * 256 ? road : y > 20 ? wall * 256 : 0;
    map[y][x] = (uint16_t)(value > 0 && y / 2 % every == 0 ? value + noise : 0);
  }
}

static void draw_picture(Map map)
{
  StxRandom random = {5};
  STX_EACH_PIXEL (x, y, WIDTH, HEIGHT)
    map[y][x] = (uint16_t)(257 * (60 + stx_random_below(&random, 40)));
}

static void to_depths(Map map)
{
  STX_EACH_PIXEL (x, y, WIDTH, HEIGHT)
    map[y][x] = (uint16_t)(map[y][x] > 0 ? 400 * 1000 / 10 * 256 / map[y][x] : 0);
}

static void swap_bytes(Map map)
{
  STX_EACH_PIXEL (x, y, WIDTH, HEIGHT)
    map[y][x] = (uint16_t)(map[y][x] << 8 | map[y][x] >> 8);
}

static void expect(Map map, StxDisparityEncoding encoding, StxDoubt expected)
{
  StxDoubtCounts counts = {0};
  StxImage16 image = {&map[0][0], sizeof map[0], WIDTH, HEIGHT};
  stx_doubt_count(&image, encoding, &counts);
  StxDoubt found = stx_doubt_judge(&counts, encoding);
  ck_assert_msg(found == expected,
      "doubt %d, not %d: %d of %d jump, %d swapped; %d over, %d above, "
      "%d below; %d of %d beyond",
      found, expected, counts.jumps, counts.pairs, counts.swapped_jumps, counts.over, counts.above,
      counts.below, counts.beyond, counts.known);
}

STX_TEST(disparities_are_not_doubted)
{
  Map map;
  for (int wall = 1; wall < 60; wall += 9)
    for (int every = 1; every < 4; every++) {
      draw(map, wall, every);
      expect(map, STX_DISPARITY_KITTI, STX_DOUBT_NONE);
      expect(map, STX_DISPARITY_CITYSCAPES, STX_DOUBT_NONE);
    }
}

STX_TEST(depths_and_disparities_are_told_apart)
{
  Map map;
  draw(map, 4, 1);
  expect(map, STX_DISPARITY_DEPTH_MM, STX_DOUBT_DISPARITY);
  to_depths(map);
  expect(map, STX_DISPARITY_DEPTH_MM, STX_DOUBT_NONE);
  expect(map, STX_DISPARITY_KITTI, STX_DOUBT_DEPTH);
}

STX_TEST(swapped_bytes_are_told)
{
  Map map;
  draw(map, 4, 1);
  swap_bytes(map);
  expect(map, STX_DISPARITY_KITTI, STX_DOUBT_SWAPPED);
}

STX_TEST(pictures_are_told)
{
  Map map;
  draw_picture(map);
  expect(map, STX_DISPARITY_KITTI, STX_DOUBT_PICTURE);
  expect(map, STX_DISPARITY_DEPTH_MM, STX_DOUBT_PICTURE);
  swap_bytes(map); /* the same: both bytes are alike */
  expect(map, STX_DISPARITY_CITYSCAPES, STX_DOUBT_PICTURE);
}

/* OpenCV's numbers are a 16th pixel: those of KITTI are then far too large, or negative. */
STX_TEST(impossible_disparities_are_told)
{
  Map map;
  draw(map, 20, 1);
  expect(map, STX_DISPARITY_OPENCV, STX_DOUBT_RANGE);
  STX_EACH_PIXEL (x, y, WIDTH, HEIGHT)
    map[y][x] = (uint16_t)(map[y][x] > 0 ? map[y][x] / 16 : -16);
  expect(map, STX_DISPARITY_OPENCV, STX_DOUBT_NONE);
}

/* Whole pixels in 8 bits, as they are, and as videoconvert makes 16 bits of them. */
STX_TEST(maps_of_eight_bits_are_told)
{
  static const struct {
    int factor;
    StxDoubt kitti, opencv, depth;
  } cases[] = {{257, STX_DOUBT_SPREAD, STX_DOUBT_SPREAD, STX_DOUBT_SPREAD},
      {1, STX_DOUBT_SMALL, STX_DOUBT_NONE, STX_DOUBT_DISPARITY}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    Map map;
    draw(map, 10, 1);
    STX_EACH_PIXEL (x, y, WIDTH, HEIGHT)
      map[y][x] = (uint16_t)(map[y][x] / 256 * cases[i].factor);
    expect(map, STX_DISPARITY_KITTI, cases[i].kitti);
    expect(map, STX_DISPARITY_CITYSCAPES, cases[i].kitti);
    expect(map, STX_DISPARITY_OPENCV, cases[i].opencv);
    expect(map, STX_DISPARITY_DEPTH_MM, cases[i].depth);
  }
}

/* A wall straight ahead has one disparity, which may be any. */
STX_TEST(a_map_of_one_number_says_nothing)
{
  Map map;
  STX_EACH_PIXEL (x, y, WIDTH, HEIGHT)
    map[y][x] = 257 * 30;
  expect(map, STX_DISPARITY_KITTI, STX_DOUBT_NONE);
  STX_EACH_PIXEL (x, y, WIDTH, HEIGHT) /* of one picture given twice */
    map[y][x] = (uint16_t)(1 + y % 2);
  expect(map, STX_DISPARITY_KITTI, STX_DOUBT_NONE);
}

/* Too little to judge by: nothing known, one pixel, one row, one column. */
STX_TEST(little_says_nothing)
{
  static const int sizes[][2] = {{1, 1}, {1, HEIGHT}, {WIDTH, 1}, {2, 2}, {3, 7}, {8, 8}};
  Map map;
  memset(map, 0, sizeof map);
  expect(map, STX_DISPARITY_KITTI, STX_DOUBT_NONE);
  draw_picture(map);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    StxDoubtCounts counts = {0};
    stx_doubt_count(&(StxImage16){&map[0][0], sizeof map[0], sizes[i][0], sizes[i][1]},
        STX_DISPARITY_KITTI, &counts);
    ck_assert_int_eq(stx_doubt_judge(&counts, STX_DISPARITY_KITTI), STX_DOUBT_NONE);
  }
}

/* Only the image's own pixels are read. */
STX_TEST(stays_inside)
{
  for (int width = 1; width < 140; width += 23)
    for (int height = 1; height < 80; height += 13) {
      size_t size = (size_t)width * (size_t)height * 2;
      STX_GUARDED uint16_t *block = stx_guarded_alloc(size);
      StxDoubtCounts counts = {0};
      stx_doubt_count(&(StxImage16){block, 2 * width, width, height}, STX_DISPARITY_KITTI, &counts);
      ck_assert(counts.known <= width * height && counts.jumps == 0);
    }
}

STX_TEST(every_doubt_names_a_cure)
{
  for (StxDoubt doubt = STX_DOUBT_SWAPPED; doubt <= STX_DOUBT_SMALL; doubt++)
    ck_assert_uint_gt(strlen(stx_doubt_text(doubt)), 40);
}
