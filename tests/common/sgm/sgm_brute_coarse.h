/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Brute force for check_sgm_coarse.c: common/sgm/coarse/sgm_coarse.h once more, by other means. All
 * disparities have a place, and a flag says which are candidates; every jump from every candidate
 * to every other; blocks are asked which pixels vote for them; ties are broken by searching
 * backwards. Shares no code with the implementations.
 */
#ifndef STX_TESTS_SGM_BRUTE_COARSE_H
#define STX_TESTS_SGM_BRUTE_COARSE_H

#include "tests/common/sgm/sgm_brute.h"

#define COARSE_PIXELS 700
#define COARSE_COUNT 256

typedef int CoarseVolume[COARSE_PIXELS][COARSE_COUNT];

typedef struct {
  SgmPair pair; /* with this level's size and disparities */
  bool finest, top;
  bool candidate[COARSE_PIXELS][COARSE_COUNT];
  int begin[COARSE_PIXELS][2]; /* windows of a pixel */
  CoarseVolume sum;
  int winner[COARSE_PIXELS];
} BruteLevel;

static void brute_halve(const StxImage8 *from, const StxImage8 *to)
{
  for (int y = 0; y < to->height; y++)
    for (int x = 0; x < to->width; x++) {
      int sum = 2;
      for (int k = 0; k < 4; k++)
        sum += stx_row8(from,
            brute_clamp(2 * y + k / 2, from->height))[brute_clamp(2 * x + k % 2, from->width)];
      stx_row8(to, y)[x] = (uint8_t)(sum / 4);
    }
}

static void brute_smooth(const StxImage8 *from, const StxImage8 *to)
{
  static const int rows[4] = {-1, 0, 0, 1};
  for (int y = 0; y < to->height; y++)
    for (int x = 0; x < to->width; x++) {
      int sum = 2;
      for (int k = 0; k < 4; k++)
        sum += stx_row8(from, brute_clamp(y + rows[k], from->height))[x];
      stx_row8(to, y)[x] = (uint8_t)(sum / 4);
    }
}

/* Whether a pair of pixels (dx, dy) before and behind the centre counts: of the upper row of the
 * window every second one, of the next all but the ends, of the other two all. */
static bool brute_counts(int dx, int dy)
{
  return dy == -3 ? dx % 2 != 0 : dy == -2 ? abs(dx) < 4 : dy == -1 || dx < 0;
}

/* C of the pictures that the census sees. */
static int brute_coarse_cost(const StxImage8 *left, const StxImage8 *right, int x, int y, int d)
{
  int cost = 0;
  for (int dy = -3; dy <= 0; dy++)
    for (int dx = -4; dx <= 4 && (dy < 0 || dx < 0); dx++)
      if (brute_counts(dx, dy))
        cost += brute_census_bit(left, x, y, dx, dy) !=
                brute_census_bit(right, brute_clamp(x - d, right->width), y, dx, dy);
  return cost;
}

static void brute_coarse_costs(const BruteLevel *level, CoarseVolume cost)
{
  const StxSgmParams *p = &level->pair.params;
  SgmPair smooth = sgm_new_pair(sgm_defaults(p->width, p->height, 64));
  brute_smooth(&level->pair.left, &smooth.left);
  brute_smooth(&level->pair.right, &smooth.right);
  const SgmPair *seen = level->finest ? &smooth : &level->pair;
  for (int at = 0; at < p->width * p->height; at++)
    for (int d = 0; d < p->max_disparity; d++)
      cost[at][d] = brute_coarse_cost(&seen->left, &seen->right, at % p->width, at / p->width, d);
  sgm_free_pair(&smooth);
}

static int brute_begin(int t, int disparities)
{
  int begin = 2 * t - 2;
  return begin < 0 ? 0 : begin > disparities - 16 ? disparities - 16 : begin;
}

/* −1: no vote for a window more than 16 away from `other`. */
static int brute_window(const int *votes, int n, int other)
{
  int sums[COARSE_COUNT], most = 0, first = -1, last;
  for (int t = 0; t <= n - 6; t++) {
    sums[t] = 0;
    for (int c = 0; c < n; c++)
      sums[t] += c >= t && c < t + 6 ? votes[c] : 0;
    if (abs(brute_begin(t, 2 * n) - other) < 17)
      sums[t] = -1;
    most = sums[t] > most ? sums[t] : most;
  }
  for (int t = n - 6; t >= 0; t--)
    first = most > 0 && sums[t] == most ? t : first;
  if (first < 0)
    return -1;
  for (last = first; last + 1 <= n - 6 && sums[last + 1] == most;)
    last++;
  return brute_begin((first + last) / 2, 2 * n);
}

static void brute_windows(int *votes, int n, int begin[2])
{
  int first = brute_window(votes, n, -1000);
  for (int c = 0; c < n; c++)
    votes[c] = 2 * c >= first && 2 * c < first + 16 ? 0 : votes[c];
  int second = brute_window(votes, n, first);
  if (second < 0)
    second = first + 17 + 15 > 2 * n - 1 ? first - 17 : first + 17;
  begin[0] = first < second ? first : second;
  begin[1] = first < second ? second : first;
}

static void brute_candidates(BruteLevel *level, const BruteLevel *coarse)
{
  int width = level->pair.params.width, height = level->pair.params.height;
  for (int at = 0; at < width * height; at++) {
    int i = at % width / 8, j = at / width / 8, votes[COARSE_COUNT] = {0};
    level->begin[at][0] = 0;
    level->begin[at][1] = 16;
    if (!level->top) {
      int across = coarse->pair.params.width, pixels = across * coarse->pair.params.height;
      for (int q = 0; q < pixels; q++)
        if (q / across % 2 == 0 && abs(2 * (q % across) - 8 * i - 3) < 8 &&
            abs(2 * (q / across) - 8 * j - 3) < 8)
          votes[coarse->winner[q]]++;
      brute_windows(votes, coarse->pair.params.max_disparity, level->begin[at]);
    }
    for (int d = 0; d < COARSE_COUNT; d++)
      level->candidate[at][d] = abs(2 * (d - level->begin[at][0]) - 15) < 16 ||
                                abs(2 * (d - level->begin[at][1]) - 15) < 16;
  }
}

/* Three quarters, halves rounded up. */
static int brute_far(const BruteLevel *level)
{
  return (int)(.75 * level->pair.params.p2 + .5);
}

/* The penalty of a path from candidate e of q to candidate d of p. */
static int brute_jump(const BruteLevel *level, int near, int e, int d)
{
  bool seam = level->top && (e < 16) != (d < 16);
  return e == d ? 0 : abs(e - d) == 1 && !seam ? near : brute_far(level);
}

static void brute_coarse_step(const BruteLevel *level, int near, int at, int q, const int *cost,
    const CoarseVolume path, int *l)
{
  int count = level->pair.params.max_disparity, least = 1 << 20;
  for (int e = 0; e < count; e++)
    if (level->candidate[q][e] && path[q][e] < least)
      least = path[q][e];
  for (int d = 0; d < count; d++) {
    int best = least + brute_far(level);
    for (int e = 0; e < count; e++)
      if (level->candidate[q][e] && path[q][e] + brute_jump(level, near, e, d) < best)
        best = path[q][e] + brute_jump(level, near, e, d);
    l[d] = cost[d] + best - least;
  }
}

static void brute_coarse_path(
    const BruteLevel *level, int dx, int dy, const CoarseVolume cost, CoarseVolume path)
{
  int width = level->pair.params.width, height = level->pair.params.height;
  bool backwards = dy > 0 || (dy == 0 && dx > 0);
  int near = brute_near(&level->pair.params, abs(dx * dy) + abs(dy));
  for (int k = 0; k < width * height; k++) {
    int at = backwards ? width * height - 1 - k : k, qx = at % width + dx, qy = at / width + 2 * dy;
    if (at / width % 2 != 0)
      continue;
    if (qx < 0 || qx >= width || qy < 0 || qy >= height)
      memcpy(path[at], cost[at], sizeof path[at]);
    else
      brute_coarse_step(
          level, near, at, qy * width + qx, cost[at], (const int(*)[COARSE_COUNT])path, path[at]);
  }
}

static void brute_coarse_sums(BruteLevel *level)
{
  static const int steps[8][2] = {
      {-1, 0}, {0, -1}, {-1, -1}, {1, -1}, {1, 0}, {0, 1}, {1, 1}, {-1, 1}};
  static CoarseVolume cost, paths[8];
  const StxSgmParams *p = &level->pair.params;
  brute_coarse_costs(level, cost);
  for (int r = 0; r < 8; r++)
    if (p->paths == 8 || r % 4 < 2)
      brute_coarse_path(
          level, steps[r][0], steps[r][1], (const int(*)[COARSE_COUNT])cost, paths[r]);
  for (int at = 0; at < p->width * p->height; at++)
    for (int d = 0; d < p->max_disparity; d++) {
      int half[2];
      for (int h = 0; h < 2; h++)
        half[h] = p->paths == 4
                      ? paths[4 * h][at][d] + paths[4 * h + 1][at][d]
                      : brute_average(paths[4 * h][at][d], paths[4 * h + 1][at][d]) +
                            brute_average(paths[4 * h + 2][at][d], paths[4 * h + 3][at][d]);
      level->sum[at][d] = brute_average(half[0], half[1]);
    }
}

static void brute_coarse_level(BruteLevel *level, const BruteLevel *coarse)
{
  const StxSgmParams *p = &level->pair.params;
  brute_candidates(level, coarse);
  brute_coarse_sums(level);
  for (int at = 0; at < p->width * p->height; at++) {
    int least = 1 << 20;
    for (int d = p->max_disparity - 1; d >= 0; d--)
      if (level->candidate[at][d] && level->sum[at][d] <= least) {
        least = level->sum[at][d];
        level->winner[at] = d;
      }
  }
}

/* d_R of the right pixel (x, y): of all that match it the best one. */
static int brute_coarse_right(const BruteLevel *level, int x, int y)
{
  int width = level->pair.params.width, least = 1 << 20, best = -1;
  for (int from = width - 1; from >= x; from--) { /* the smallest disparity last */
    int at = y * width + from, d = level->winner[at];
    if (from - d == x && level->sum[at][d] <= least) {
      least = level->sum[at][d];
      best = d;
    }
  }
  return best;
}

/* Of a row that is matched. */
static void brute_coarse_pixel(const BruteLevel *level, int at, int *value, int *confidence)
{
  const StxSgmParams *p = &level->pair.params;
  const int *s = level->sum[at];
  int x = at % p->width, y = at / p->width, d = level->winner[at], second = 1 << 20;
  for (int e = 0; e < p->max_disparity; e++)
    if (level->candidate[at][e] && abs(e - d) > 1 && s[e] < second)
      second = s[e];
  *value = *confidence = 0;
  if (x < d || 100 * s[d] > (100 - p->uniqueness) * second)
    return;
  if (p->lr_max_diff >= 0 && abs(brute_coarse_right(level, x - d, y) - d) > p->lr_max_diff)
    return;
  if (p->texture >= 0 && brute_flat(&level->pair, x, y))
    return;
  bool inner = true;
  for (int w = 0; w < 2; w++)
    inner &= d != level->begin[at][w] && d != level->begin[at][w] + 15;
  *value = brute_value(d, s[inner ? d - 1 : d], s[d], s[inner ? d + 1 : d]);
  *confidence = brute_confidence(s[d], second);
}

/* Row y between two lines, of a result whose lines are done. */
static void brute_between(const SgmPair *pair, int y, const SgmResult *result)
{
  int down = y + 1 < pair->params.height ? y + 1 : y - 1;
  for (int x = 0; x < pair->params.width; x++) {
    int a = stx_row16(&result->disparity, y - 1)[x], b = stx_row16(&result->disparity, down)[x];
    int sure = stx_row8(&result->confidence, y - 1)[x];
    int also = stx_row8(&result->confidence, down)[x];
    bool known = a > 0 && b > 0 && abs(a - b) < 513;
    stx_row16(&result->disparity, y)[x] = (uint16_t)(known ? brute_average(a, b) : 0);
    stx_row8(&result->confidence, y)[x] = (uint8_t)(!known ? 0 : sure < also ? sure : also);
  }
}

#endif
