/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* egomotion, the reference of what looks at pixels: reads like egomotion.h. */
#include "common/egomotion/egomotion_private.h"

#include <stdlib.h>
#include <string.h>

void stx_egomotion_half_c(const StxImage8 *full, const StxImage8 *half, int row, int end)
{
  for (int y = row; y < end; y++)
    for (int x = 0; x < half->width; x++) {
      const uint8_t *a = stx_row8(full, 2 * y) + 2 * x, *b = a + full->stride;
      stx_row8(half, y)[x] = (uint8_t)((a[0] + a[1] + b[0] + b[1] + 2) >> 2);
    }
}

void stx_egomotion_relief_c(const StxImage8 *half, const StxImage8 *relief, int k, int row, int end)
{
  for (int y = row; y < end; y++)
    for (int x = 0; x < half->width; x++) {
      uint8_t *to = stx_row8(relief, y) + x;
      int sum = 0;
      *to = 128;
      if (x < 3 || y < 3 || x >= half->width - 3 || y >= half->height - 3)
        continue;
      for (int i = 0; i < 49; i++)
        sum += stx_row8(half, y + i / 7 - 3)[x + i % 7 - 3];
      *to = ego_relief(stx_row8(half, y)[x], sum, k);
    }
}

static int32_t score_at(const StxImage8 *half, int x, int y)
{
  int a = 0, b = 0, c = 0;
  for (int k = 0; k < 25; k++) {
    const uint8_t *p = stx_row8(half, y + k / 5 - 2) + x + k % 5 - 2;
    int across = p[1] - p[-1], down = p[half->stride] - p[-half->stride];
    a += across * across;
    b += down * down;
    c += across * down;
  }
  return ego_score(a, b, c);
}

void stx_egomotion_corners_c(const StxImage8 *half, int row, int32_t *scores, int16_t (*places)[2])
{
  const int cells = (half->width + EGO_CELL - 1) / EGO_CELL;
  for (int cell = 0; cell < cells; cell++) {
    scores[cell] = 0;
    for (int k = 0; k < EGO_CELL * EGO_CELL; k++) {
      int x = cell * EGO_CELL + k % EGO_CELL, y = row * EGO_CELL + k / EGO_CELL;
      if (x < EGO_BORDER || y < EGO_BORDER || x >= half->width - EGO_BORDER ||
          y >= half->height - EGO_BORDER)
        continue;
      int32_t score = score_at(half, x, y);
      if (score < STX_EGOMOTION_TEXTURE || score <= scores[cell])
        continue;
      scores[cell] = score;
      places[cell][0] = (int16_t)x;
      places[cell][1] = (int16_t)y;
    }
  }
}

void stx_egomotion_costs_c(const StxImage8 *before, int x, int y, const StxImage8 *now,
    const EgoWindow *window, uint16_t (*costs)[EGO_COSTS], uint16_t *least)
{
  for (int row = 0; row < window->rows; row++) {
    least[row] = UINT16_MAX;
    for (int column = 0; column < window->columns; column++) {
      int cost = 0;
      for (int k = 0; k < EGO_SIDE * EGO_SIDE; k++) {
        int right = k % EGO_SIDE - EGO_BEFORE, down = k / EGO_SIDE - EGO_BEFORE;
        cost += abs(stx_row8(before, y + down)[x + right] -
                    stx_row8(now, window->y + row + down)[window->x + column + right]);
      }
      costs[row][column] = (uint16_t)cost;
      least[row] = costs[row][column] < least[row] ? costs[row][column] : least[row];
    }
  }
}

void stx_egomotion_patch_c(const StxImage8 *before, int x, int y, EgoPatch *patch)
{
  memset(patch, 0, sizeof *patch);
  for (int j = 0; j <= 2 * EGO_RADIUS; j++)
    for (int i = 0; i <= 2 * EGO_RADIUS; i++) {
      const uint8_t *p = stx_row8(before, y + j - EGO_RADIUS) + x + i - EGO_RADIUS;
      int t = p[0], across = p[1] - p[-1], down = p[before->stride] - p[-before->stride];
      patch->t[j][i] = (int16_t)t;
      patch->x[j][i] = (int16_t)across;
      patch->y[j][i] = (int16_t)down;
      patch->of.t += t;
      patch->of.x += across;
      patch->of.y += down;
      patch->of.tt += t * t;
      patch->of.tx += t * across;
      patch->of.ty += t * down;
      patch->of.xx += across * across;
      patch->of.xy += across * down;
      patch->of.yy += down * down;
    }
}

void stx_egomotion_sums_c(const EgoPatch *patch, const StxImage8 *now, int x, int y, EgoSums *sums)
{
  int weights[4];
  ego_weights(x % EGO_STEPS, y % EGO_STEPS, weights);
  *sums = (EgoSums){0};
  for (int j = 0; j <= 2 * EGO_RADIUS; j++)
    for (int i = 0; i <= 2 * EGO_RADIUS; i++) {
      const uint8_t *p =
          stx_row8(now, y / EGO_STEPS + j - EGO_RADIUS) + x / EGO_STEPS + i - EGO_RADIUS;
      int value = ego_between(weights, p[0], p[1], p[now->stride], p[now->stride + 1]);
      sums->sum_j += value;
      sums->jj += value * value;
      sums->tj += patch->t[j][i] * value;
      sums->xj += patch->x[j][i] * value;
      sums->yj += patch->y[j][i] * value;
    }
}
