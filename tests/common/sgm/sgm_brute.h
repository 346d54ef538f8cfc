/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Brute force for check_sgm.c: common/sgm/sgm.h once more, by other means. Whole volumes of ints,
 * every jump from every disparity to every other, ties broken by searching backwards, ratios in
 * floating point, the median by counting. Shares no code with the implementations.
 */
#ifndef STX_TESTS_SGM_BRUTE_H
#define STX_TESTS_SGM_BRUTE_H

#include <stdlib.h>
#include <string.h>

#include "common/sgm/sgm.h"
#include "tests/common/sgm/sgm_brute_sky.h"

#define BRUTE_PIXELS 400
#define BRUTE_COUNT 64

typedef int Volume[BRUTE_PIXELS][BRUTE_COUNT];

/* P1, halved so many times; halves are rounded up. */
static int brute_near(const StxSgmParams *params, int times)
{
  int near = params->p1;
  for (; times > 0; times--)
    near = near / 2 + near % 2;
  return near;
}

/* L_r of one direction as Hirschmüller's Eq. 14 has it; pixels in an order in which the
 * predecessor (x + dx, y + dy) comes first. */
static void brute_path(const SgmPair *pair, int dx, int dy, const Volume cost, Volume path)
{
  int width = pair->params.width, height = pair->params.height;
  bool backwards = dy > 0 || (dy == 0 && dx > 0);
  int near = brute_near(&pair->params, abs(dx * dy));
  for (int k = 0; k < width * height; k++) {
    int at = backwards ? width * height - 1 - k : k, x = at % width, y = at / width;
    int qx = x + dx, qy = y + dy;
    if (qx < 0 || qx >= width || qy < 0 || qy >= height) {
      memcpy(path[at], cost[at], sizeof path[at]);
      continue;
    }
    const int *from = path[qy * width + qx];
    int least = from[0];
    for (int d = 0; d < BRUTE_COUNT; d++)
      least = from[d] < least ? from[d] : least;
    for (int d = 0; d < BRUTE_COUNT; d++) {
      int best = least + pair->params.p2;
      for (int e = 0; e < BRUTE_COUNT; e++) {
        int jump = e == d ? 0 : abs(e - d) == 1 ? near : pair->params.p2;
        best = from[e] + jump < best ? from[e] + jump : best;
      }
      path[at][d] = cost[at][d] + best - least;
    }
  }
}

static int brute_average(int a, int b)
{
  return (a + b) / 2 + (a + b) % 2;
}

static inline void brute_sums(const SgmPair *pair, Volume sums)
{
  static const int steps[8][2] = {
      {-1, 0}, {0, -1}, {-1, -1}, {1, -1}, {1, 0}, {0, 1}, {1, 1}, {-1, 1}};
  static Volume cost, paths[8];
  int pixels = pair->params.width * pair->params.height;
  for (int at = 0; at < pixels; at++)
    for (int d = 0; d < BRUTE_COUNT; d++)
      cost[at][d] = brute_cost(pair, at % pair->params.width, at / pair->params.width, d);
  for (int r = 0; r < 8; r++)
    brute_path(pair, steps[r][0], steps[r][1], (const int(*)[BRUTE_COUNT])cost, paths[r]);
  for (int at = 0; at < pixels; at++)
    for (int d = 0; d < BRUTE_COUNT; d++) {
      int half[2];
      for (int h = 0; h < 2; h++)
        half[h] = pair->params.paths == 4
                      ? paths[4 * h][at][d] + paths[4 * h + 1][at][d]
                      : brute_average(paths[4 * h][at][d], paths[4 * h + 1][at][d]) +
                            brute_average(paths[4 * h + 2][at][d], paths[4 * h + 3][at][d]);
      sums[at][d] = brute_average(half[0], half[1]);
    }
}

/* The smallest disparity d >= 0 with the least sum along (at + d·stride), d < limit. */
static int brute_winner(const Volume sums, int at, int stride, int limit)
{
  int best = limit - 1;
  for (int d = limit - 1; d >= 0; d--)
    if (sums[at + d * stride][d] <= sums[at + best * stride][best])
      best = d;
  return best;
}

static int brute_confidence(int s1, int s2)
{
  static const struct {
    double margin;
    int value;
  } steps[] = {{.7, 254}, {.4, 252}, {.2, 243}, {.1, 221}, {.05, 201}, {.02, 190}};
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
    if (s2 > 0 && 1 - (double)s1 / s2 >= steps[i].margin - 1e-9)
      return steps[i].value;
  return 184;
}

static bool brute_flat(const SgmPair *pair, int x, int y)
{
  int seen[256] = {0}, first = 255, last = 0;
  for (int k = 0; k < 63; k++) {
    int qx = brute_clamp(x + k % 9 - 4, pair->left.width);
    seen[stx_row8(&pair->left, brute_clamp(y + k / 9 - 3, pair->left.height))[qx]]++;
  }
  for (int gray = 0; gray < 256; gray++) {
    first = seen[gray] && gray < first ? gray : first;
    last = seen[gray] ? gray : last;
  }
  return last <= first + pair->params.texture;
}

/* 256·d + the vertex of the parabola through S(d − 1), S(d), S(d + 1), at least 1. */
static int brute_value(int d, int below, int best, int above)
{
  double offset =
      below + above != 2 * best ? 128.0 * (below - above) / (below - 2 * best + above) : 0;
  int value = 256 * d + (int)(offset + 1000.5) - 1000;
  return value < 1 ? 1 : value;
}

/* Value and confidence of one pixel before the median. */
static inline void brute_pixel(
    const SgmPair *pair, const Volume sums, int at, int *value, int *confidence)
{
  const StxSgmParams *p = &pair->params;
  int x = at % p->width, d = brute_winner(sums, at, 0, BRUTE_COUNT), second = 1 << 20;
  const int *s = sums[at];
  for (int e = 0; e < BRUTE_COUNT; e++)
    if ((e < d - 1 || e > d + 1) && s[e] < second)
      second = s[e];
  *value = *confidence = 0;
  if (x < d || 100 * s[d] > (100 - p->uniqueness) * second)
    return;
  int match = x - d, reach = p->width - match < BRUTE_COUNT ? p->width - match : BRUTE_COUNT;
  if (p->lr_max_diff >= 0 && abs(brute_winner(sums, at - d, 1, reach) - d) > p->lr_max_diff)
    return;
  if (pair->params.texture >= 0 && brute_flat(pair, x, at / p->width))
    return;
  bool inner = d > 0 && d < BRUTE_COUNT - 1;
  *value = brute_value(d, s[inner ? d - 1 : d], s[d], s[inner ? d + 1 : d]);
  *confidence = brute_confidence(s[d], second);
}

static int brute_median(const SgmPair *pair, const int *values, int x, int y)
{
  int width = pair->params.width, height = pair->params.height, known[9], count = 0;
  for (int qy = y - 1; qy <= y + 1; qy++)
    for (int qx = x - 1; qx <= x + 1; qx++) {
      int value = values[brute_clamp(qy, height) * width + brute_clamp(qx, width)];
      if (value != 0)
        known[count++] = value;
    }
  for (int i = 0; count >= 5 && i < count; i++) {
    int smaller = 0, equal = 0;
    for (int k = 0; k < count; k++) {
      smaller += known[k] < known[i];
      equal += known[k] == known[i];
    }
    if (smaller <= (count - 1) / 2 && (count - 1) / 2 < smaller + equal)
      return known[i];
  }
  return 0;
}

#endif
