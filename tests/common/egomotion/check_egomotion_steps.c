/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of egomotion that read pixels: by hand, by brute force, and every implementation
 * against the reference. */
#include "common/egomotion/egomotion_private.h"
#include "tests/common/oracle.h"
#include "tests/testing.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 160

/* A picture with as many bytes behind it as the state gives, in one guarded block. */
typedef struct {
  uint8_t *block;
  StxImage8 image;
} Picture;

static Picture new_picture(int width, int height, int padding)
{
  const ptrdiff_t stride = width + padding;
  uint8_t *block = stx_guarded_alloc((size_t)stride * (size_t)height + EGO_SPACE);
  return (Picture){block, {block, stride, width, height}};
}

static void free_picture(Picture *picture)
{
  stx_guarded_free(picture->block);
}
STX_AUTO_VALUE(Picture, free_picture)

static const EgoImpl *reference(void)
{
  return oracle(&stx_egomotion_impls);
}

/* ---- By hand --------------------------------------------------------------------------------- */

STX_TEST(halves_are_rounded_up)
{
  uint8_t pixels[4][5] = {
      {0, 1, 10, 20, 99}, {1, 1, 30, 41, 99}, {255, 255, 0, 0, 99}, {255, 254, 0, 1, 99}};
  STX_EACH_IMPL (EgoImpl, impl, &stx_egomotion_impls) {
    uint8_t half[2][2] = {{0}};
    impl->half(&(StxImage8){pixels[0], 5, 5, 4}, &(StxImage8){half[0], 2, 2, 2}, 0, 2);
    ck_assert_int_eq(half[0][0], 1);  /* 3/4 */
    ck_assert_int_eq(half[0][1], 25); /* 101/4 */
    ck_assert_int_eq(half[1][0], 255);
    ck_assert_int_eq(half[1][1], 0);
  }
}

/* One pixel of 100 among those of 20: the sum around it is 49 · 20 + 80. */
STX_TEST(what_stands_out)
{
  STX_EACH_IMPL (EgoImpl, impl, &stx_egomotion_impls) {
    STX_AUTO(Picture) half = new_picture(15, 15, 3), relief = new_picture(15, 15, 1);
    memset(half.block, 20, 18 * 15);
    stx_row8(&half.image, 7)[7] = 100;
    impl->relief(&half.image, &relief.image, 64, 0, 15);
    ck_assert_int_eq(stx_row8(&relief.image, 7)[7], 255); /* 128 + (49·80 − 80) / 16 = 368 */
    ck_assert_int_eq(stx_row8(&relief.image, 7)[8], 123); /* 128 − 80 / 16 */
    ck_assert_int_eq(stx_row8(&relief.image, 10)[10], 123);
    ck_assert_int_eq(stx_row8(&relief.image, 11)[7], 128);
    ck_assert_int_eq(stx_row8(&relief.image, 2)[7], 128); /* the border */
  }
}

/* Nothing on a plain, nothing along an edge, the corner of a bright quarter. */
STX_TEST(corners_are_where_two_edges_meet)
{
  STX_EACH_IMPL (EgoImpl, impl, &stx_egomotion_impls) {
    STX_AUTO(Picture) half = new_picture(48, 48, 0);
    int32_t scores[6];
    int16_t places[6][2];
    memset(half.block, 50, 48 * 48);
    impl->corners(&half.image, 2, scores, places);
    for (int i = 0; i < 6; i++)
      ck_assert_int_eq(scores[i], 0);
    STX_EACH_PIXEL (x, y, 48, 48)
      stx_row8(&half.image, y)[x] = x >= 20 ? 150 : 50;
    impl->corners(&half.image, 2, scores, places);
    for (int i = 0; i < 6; i++)
      ck_assert_int_eq(scores[i], 0);
    STX_EACH_PIXEL (x, y, 48, 48)
      stx_row8(&half.image, y)[x] = x >= 20 && y >= 20 ? 150 : 50;
    impl->corners(&half.image, 2, scores, places);
    for (int i = 0; i < 6; i++)
      ck_assert_int_eq(scores[i] > 0, i == 2);
    ck_assert_int_le(abs(places[2][0] - 20), 1);
    ck_assert_int_le(abs(places[2][1] - 20), 1);
  }
}

/* A picture moved by (5, −3): a place without any difference. */
STX_TEST(what_was_moved_is_found)
{
  StxRandom random = {3};
  STX_AUTO(Picture) before = new_picture(64, 40, 0), now = new_picture(64, 40, 7);
  stx_fill8(&before.image, STX_FILL_NOISE, &random);
  memset(now.block, 0, 71 * 40);
  STX_EACH_PIXEL (x, y, 59, 37)
    stx_row8(&now.image, y)[x + 5] = stx_row8(&before.image, y + 3)[x];
  STX_EACH_IMPL (EgoImpl, impl, &stx_egomotion_impls) {
    uint16_t costs[7][EGO_COSTS], least[7];
    impl->costs(
        &before.image, 30, 20, &now.image, &(EgoWindow){25, 14, 21, 7}, INT_MAX, costs, least);
    for (int y = 0; y < 7; y++)
      for (int x = 0; x < 21; x++)
        ck_assert_int_eq(costs[y][x] == 0, x == 10 && y == 3);
    ck_assert_int_eq(least[3], 0);
    ck_assert_int_gt(least[2], 500);
  }
}

/* On whole pixels J is eight times the picture; halfway it is the mean. */
STX_TEST(between_pixels)
{
  STX_AUTO(Picture) picture = new_picture(32, 32, 0);
  STX_EACH_PIXEL (x, y, 32, 32)
    stx_row8(&picture.image, y)[x] = (uint8_t)(3 * x + 2 * y);
  STX_EACH_IMPL (EgoImpl, impl, &stx_egomotion_impls) {
    EgoPatch patch;
    EgoSums sums;
    impl->patch(&picture.image, 16, 16, &patch);
    ck_assert_int_eq(patch.t[5][5], 80);
    ck_assert_int_eq(patch.x[0][10], 6);
    ck_assert_int_eq(patch.y[10][0], 4);
    ck_assert_int_eq(patch.t[3][11], 0); /* behind the patch */
    ck_assert_int_eq(patch.of.x, 121 * 6);
    ck_assert_int_eq(patch.of.xy, 121 * 24);
    impl->sums(&patch, &picture.image, 16 * EGO_STEPS, 16 * EGO_STEPS, &sums);
    ck_assert_int_eq(sums.sum_j, 8 * patch.of.t);
    ck_assert_int_eq(sums.tj, 8 * patch.of.tt);
    ck_assert_int_eq(sums.jj, 64 * patch.of.tt);
    impl->sums(&patch, &picture.image, 16 * EGO_STEPS + EGO_STEPS / 2, 16 * EGO_STEPS, &sums);
    ck_assert_int_eq(sums.sum_j, 8 * patch.of.t + 121 * 12);
  }
}

/* ---- By brute force -------------------------------------------------------------------------- */

/* Half of what is left of the trace when the greater eigenvalue is taken, up to a factor of 2. */
static double lesser_eigenvalue(const StxImage8 *image, int x, int y)
{
  double a = 0, b = 0, c = 0;
  for (int j = y - 2; j <= y + 2; j++)
    for (int i = x - 2; i <= x + 2; i++) {
      double gx = stx_row8(image, j)[i + 1] - stx_row8(image, j)[i - 1];
      double gy = stx_row8(image, j + 1)[i] - stx_row8(image, j - 1)[i];
      a += gx * gx;
      b += gy * gy;
      c += gx * gy;
    }
  return ((a + b) - sqrt((a - b) * (a - b) + 4 * c * c)) / 2;
}

STX_TEST(scores_are_the_lesser_eigenvalue_or_half_of_it)
{
  StxRandom random = {9};
  STX_AUTO(Picture) half = new_picture(70, 30, 0);
  stx_fill8(&half.image, STX_FILL_NOISE, &random);
  int32_t scores[9];
  int16_t places[9][2];
  reference()->corners(&half.image, 1, scores, places);
  for (int i = 0; i < 8; i++) {
    double least = lesser_eigenvalue(&half.image, places[i][0], places[i][1]);
    ck_assert_int_eq(places[i][0] / EGO_CELL, i);
    ck_assert_int_eq(places[i][1] / EGO_CELL, 1);
    ck_assert_msg(scores[i] <= least && scores[i] >= least / 2 - 1, "%d of %g", scores[i], least);
  }
}

/* ---- The others ------------------------------------------------------------------------------ */

static void compare_pictures(
    const EgoImpl *impl, const Picture *full, int padding, Picture *half, Picture *relief)
{
  const int width = full->image.width / 2, height = full->image.height / 2;
  STX_AUTO(Picture) half2 = new_picture(width, height, padding + 1);
  STX_AUTO(Picture) relief2 = new_picture(width, height, padding);
  impl->half(&full->image, &half2.image, 0, height);
  stx_expect_same_image8(&half->image, &half2.image, impl->info.name);
  impl->relief(&half2.image, &relief2.image, 40, 0, height / 2);
  impl->relief(&half2.image, &relief2.image, 40, height / 2, height);
  stx_expect_same_image8(&relief->image, &relief2.image, impl->info.name);
}

static void compare_corners(const EgoImpl *impl, const StxImage8 *half)
{
  const int cells = (half->width + EGO_CELL - 1) / EGO_CELL;
  int32_t expected[MOST], scores[MOST];
  int16_t places[MOST][2], found[MOST][2];
  for (int row = 0; row < (half->height + EGO_CELL - 1) / EGO_CELL; row++) {
    reference()->corners(half, row, expected, places);
    impl->corners(half, row, scores, found);
    stx_expect_same(expected, scores, (size_t)cells * sizeof *scores, impl->info.name);
    for (int i = 0; i < cells; i++)
      if (scores[i] > 0)
        stx_expect_same(places[i], found[i], sizeof places[i], impl->info.name);
  }
}

/* Compares sums; those that reach the limit may be any that do. */
static void expect_same_below(int limit, const uint16_t *expected, const uint16_t *found, int count)
{
  for (int i = 0; i < count; i++)
    ck_assert_int_eq(
        expected[i] < limit ? expected[i] : limit, found[i] < limit ? found[i] : limit);
}

static void compare_costs(
    const EgoImpl *impl, const StxImage8 *before, const StxImage8 *now, StxRandom *random)
{
  uint16_t expected[13][EGO_COSTS], costs[13][EGO_COSTS], least[2][13];
  const int across = before->width - 2 * EGO_BORDER, down = before->height - 2 * EGO_BORDER;
  if (across < 1 || down < 1)
    return;
  const int most = across < 2 * EGO_REACH + 1 ? across : 2 * EGO_REACH + 1;
  EgoWindow w = {.columns = 1 + stx_random_below(random, most),
      .rows = 1 + stx_random_below(random, down < 13 ? down : 13)};
  w.x = EGO_BORDER + stx_random_below(random, across - w.columns + 1);
  w.y = EGO_BORDER + stx_random_below(random, down - w.rows + 1);
  const int x = EGO_BORDER + stx_random_below(random, across);
  const int y = EGO_BORDER + stx_random_below(random, down);
  int limit = stx_random_below(random, EGO_SIDE * EGO_SIDE * 255);
  reference()->costs(before, x, y, now, &w, limit, expected, least[0]);
  impl->costs(before, x, y, now, &w, limit, costs, least[1]);
  for (int i = 0; i < w.rows; i++)
    limit = ego_beyond(least[0][i]) < limit ? ego_beyond(least[0][i]) : limit;
  for (int i = 0; i < w.rows; i++) {
    expect_same_below(limit, expected[i], costs[i], w.columns);
    expect_same_below(limit, &least[0][i], &least[1][i], 1);
  }
}

static void compare_sums(
    const EgoImpl *impl, const StxImage8 *before, const StxImage8 *now, StxRandom *random)
{
  const int least = EGO_RADIUS + 1, across = before->width - 2 * least - 1;
  const int down = before->height - 2 * least - 1;
  EgoPatch patches[2];
  EgoSums sums[2];
  if (across < 1 || down < 1)
    return;
  const int x = least + stx_random_below(random, across);
  const int y = least + stx_random_below(random, down);
  const int u = least * EGO_STEPS + stx_random_below(random, across * EGO_STEPS);
  const int v = least * EGO_STEPS + stx_random_below(random, down * EGO_STEPS);
  reference()->patch(before, x, y, &patches[0]);
  impl->patch(before, x, y, &patches[1]);
  stx_expect_same(&patches[0], &patches[1], sizeof patches[0], impl->info.name);
  reference()->sums(&patches[0], now, u, v, &sums[0]);
  impl->sums(&patches[1], now, u, v, &sums[1]);
  stx_expect_same(&sums[0], &sums[1], sizeof sums[0], impl->info.name);
}

static void compare_all(uint64_t seed)
{
  StxRandom random = {seed};
  const int width = 2 + stx_random_below(&random, 4 * MOST - 2);
  const int height = 2 + stx_random_below(&random, MOST - 2), padding = (int)(seed % 5);
  STX_AUTO(Picture) full = new_picture(width, height, padding);
  STX_AUTO(Picture) other = new_picture(width, height, padding);
  STX_AUTO(Picture) half = new_picture(width / 2, height / 2, padding);
  STX_AUTO(Picture) relief = new_picture(width / 2, height / 2, 0);
  stx_fill8(&full.image, (StxFill)(seed % STX_FILL_COUNT), &random);
  stx_fill8(&other.image, (StxFill)(seed / 2 % STX_FILL_COUNT), &random);
  reference()->half(&full.image, &half.image, 0, height / 2);
  reference()->relief(&half.image, &relief.image, 40, 0, height / 2);
  STX_EACH_IMPL (EgoImpl, impl, &stx_egomotion_impls) {
    compare_pictures(impl, &full, padding, &half, &relief);
    compare_corners(impl, &half.image);
    for (int i = 0; i < 5; i++) {
      compare_costs(impl, &full.image, &other.image, &random);
      compare_sums(impl, &full.image, &other.image, &random);
    }
  }
}

STX_TEST(all_implementations_agree)
{
  for (uint64_t seed = 0; seed < (uint64_t)stx_rounds(120); seed++)
    compare_all(seed);
}
