/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Semi-global matching, the reference: sgm.h written down step by step, one thread, whatever
 * the place says. Two sweeps over the image; the first leaves its half sum A(p,d) in a volume of
 * width · height · D bytes, the second turns it into S(p,d).
 */
#include "tests/common/sgm/sgm_c.h"
#include "common/sgm/sgm_math.h"
#include "common/sgm/sgm_sky.h"
#include "tests/testing.h"

#include <stdlib.h>

#define MAX_DISPARITY 256

/* State of each path of a sweep: N(q,·) of the row above and of the row being made. */
typedef struct {
  int dx, dy;       /* the predecessor q of p is (x + dx, y + dy) */
  uint8_t *rows[2]; /* width · D each, of even and odd y */
} Path;

typedef struct {
  const StxSgmParams *params;
  const StxImage8 *image; /* the left one */
  uint32_t *left, *right; /* census words */
  uint8_t *volume;        /* A, then S */
  uint8_t *path_rows;     /* 8 rows of width · D for the paths of one sweep */
  uint8_t *right_winner;  /* d_R of one row */
  uint16_t *value;        /* before the median */
  uint8_t *margin;        /* confidence before the median */
  void *sky;
} Scratch;

static size_t pixels(const StxSgmParams *params)
{
  return (size_t)params->width * (size_t)params->height;
}

/* Lays the arrays out from `base` (NULL: only to measure); returns the bytes used. */
static size_t lay_out(Scratch *s, const StxSgmParams *params, void *base)
{
  size_t n = pixels(params), row = (size_t)params->width * (size_t)params->max_disparity;
  StxLayout at = {.memory = base};
  s->params = params;
  STX_TAKE(&at, s->left, n);
  STX_TAKE(&at, s->right, n);
  STX_TAKE(&at, s->volume, row * (size_t)params->height);
  STX_TAKE(&at, s->path_rows, 8 * row);
  STX_TAKE(&at, s->right_winner, params->width);
  STX_TAKE(&at, s->value, n);
  STX_TAKE(&at, s->margin, n);
  s->sky = stx_take(&at, stx_sgm_sky_scratch(params));
  return at.size;
}

size_t stx_sgm_scratch_c(const StxSgmParams *params, int threads)
{
  Scratch s;
  return lay_out(&s, params, NULL);
}

/* ---- Census and cost ---------------------------------------------------------------------- */

static int gray(const StxImage8 *image, int x, int y)
{
  return stx_row8(image, brute_clamp(y, image->height))[brute_clamp(x, image->width)];
}

uint32_t stx_sgm_census(const StxImage8 *image, int x, int y)
{
  uint32_t word = 0;
  for (int k = 0; k < STX_SGM_CENSUS_BITS; k++) {
    int dx = k % (2 * STX_SGM_WINDOW_X + 1) - STX_SGM_WINDOW_X;
    int dy = k / (2 * STX_SGM_WINDOW_X + 1) - STX_SGM_WINDOW_Y;
    if (gray(image, x + dx, y + dy) > gray(image, x - dx, y - dy))
      word |= 1u << k;
  }
  return word;
}

static void census_image(const StxImage8 *image, uint32_t *words)
{
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      *words++ = stx_sgm_census(image, x, y);
}

/* C(p,·) */
static void pixel_costs(const Scratch *s, int x, int y, uint8_t *cost)
{
  const uint32_t *right = s->right + (size_t)y * (size_t)s->params->width;
  uint32_t left = s->left[(size_t)y * (size_t)s->params->width + (size_t)x];
  for (int d = 0; d < s->params->max_disparity; d++)
    cost[d] = (uint8_t)__builtin_popcount(left ^ right[x > d ? x - d : 0]);
}

/* ---- Paths -------------------------------------------------------------------------------- */

static int min2(int a, int b)
{
  return a < b ? a : b;
}

void stx_sgm_path_step(
    const StxSgmParams *params, int p1, const uint8_t *previous, const uint8_t *cost, uint8_t *path)
{
  int count = params->max_disparity;
  for (int d = 0; d < count; d++) {
    int least = min2(previous[d], params->p2);
    if (d > 0)
      least = min2(least, previous[d - 1] + p1);
    if (d + 1 < count)
      least = min2(least, previous[d + 1] + p1);
    path[d] = (uint8_t)(cost[d] + least);
  }
}

/* N = L − min L */
static void normalise(const uint8_t *path, int count, uint8_t *next)
{
  int least = path[0];
  for (int d = 1; d < count; d++)
    least = min2(least, path[d]);
  for (int d = 0; d < count; d++)
    next[d] = (uint8_t)(path[d] - least);
}

/* N(q,·) of the predecessor; all zero if it is outside the image. */
static const uint8_t *predecessor(const Scratch *s, const Path *path, int x, int y)
{
  static const uint8_t start[MAX_DISPARITY];
  int qx = x + path->dx, qy = y + path->dy;
  bool inside = qx >= 0 && qx < s->params->width && qy >= 0 && qy < s->params->height;
  return inside ? path->rows[qy & 1] + (size_t)qx * (size_t)s->params->max_disparity : start;
}

static uint8_t average(int a, int b)
{
  return (uint8_t)((a + b + 1) >> 1);
}

/* The half sum of one pixel: A or B of sgm.h. */
static void half_sum(const Scratch *s, const Path *paths, int x, int y, uint8_t *sum)
{
  int count = s->params->max_disparity;
  uint8_t cost[MAX_DISPARITY], l[4][MAX_DISPARITY];
  pixel_costs(s, x, y, cost);
  for (int r = 0; r < s->params->paths / 2; r++) {
    int p1 = stx_sgm_p1(s->params->p1, paths[r].dx, paths[r].dy, 1);
    stx_sgm_path_step(s->params, p1, predecessor(s, &paths[r], x, y), cost, l[r]);
    normalise(l[r], count, paths[r].rows[y & 1] + (size_t)x * (size_t)count);
  }
  for (int d = 0; d < count; d++)
    sum[d] = s->params->paths == 4
                 ? (uint8_t)(l[0][d] + l[1][d])
                 : (uint8_t)(average(l[0][d], l[1][d]) + average(l[2][d], l[3][d]));
}

/* direction 1: from the top left, leaves A; −1: from the bottom right, leaves S. */
static void sweep(const Scratch *s, int direction)
{
  int width = s->params->width, height = s->params->height, count = s->params->max_disparity;
  size_t row = (size_t)width * (size_t)count;
  Path paths[4] = {{.dx = -direction, .dy = 0}, {.dx = 0, .dy = -direction},
      {.dx = -direction, .dy = -direction}, {.dx = direction, .dy = -direction}};
  for (int r = 0; r < 4; r++)
    for (int odd = 0; odd < 2; odd++)
      paths[r].rows[odd] = s->path_rows + (size_t)(2 * r + odd) * row;

  for (int j = 0; j < height; j++)
    for (int i = 0; i < width; i++) {
      int x = direction > 0 ? i : width - 1 - i, y = direction > 0 ? j : height - 1 - j;
      uint8_t sum[MAX_DISPARITY];
      uint8_t *cell = s->volume + (size_t)y * row + (size_t)x * (size_t)count;
      half_sum(s, paths, x, y, sum);
      for (int d = 0; d < count; d++)
        cell[d] = direction > 0 ? sum[d] : average(cell[d], sum[d]);
    }
}

/* ---- Winner and checks -------------------------------------------------------------------- */

/* d_R(x) of a row of S */
static void right_view(const Scratch *s, const uint8_t *sums)
{
  int width = s->params->width, count = s->params->max_disparity;
  for (int x = 0; x < width; x++) {
    int best = 0;
    for (int d = 1; d < count && x + d < width; d++)
      if (sums[(x + d) * count + d] < sums[(x + best) * count + best])
        best = d;
    s->right_winner[x] = (uint8_t)best;
  }
}

static int left_winner(const uint8_t *sum, int count)
{
  int best = 0;
  for (int d = 1; d < count; d++)
    if (sum[d] < sum[best])
      best = d;
  return best;
}

static int second_best(const uint8_t *sum, int count, int best)
{
  int second = UINT8_MAX;
  for (int d = 0; d < count; d++)
    if (abs(d - best) > 1)
      second = min2(second, sum[d]);
  return second;
}

bool stx_sgm_is_flat(const StxImage8 *image, int texture, int x, int y)
{
  int least = UINT8_MAX, most = 0;
  for (int dy = -STX_SGM_WINDOW_Y; dy <= STX_SGM_WINDOW_Y; dy++)
    for (int dx = -STX_SGM_WINDOW_X; dx <= STX_SGM_WINDOW_X; dx++) {
      int value = gray(image, x + dx, y + dy);
      least = min2(least, value);
      most = value > most ? value : most;
    }
  return most - least <= texture;
}

static bool passes(const Scratch *s, int x, int y, int best, int s1, int s2)
{
  const StxSgmParams *params = s->params;
  if (x - best < 0 || !stx_sgm_unique(s1, s2, params->uniqueness) ||
      stx_sgm_is_flat(s->image, params->texture, x, y))
    return false;
  return params->lr_max_diff < 0 || abs(best - s->right_winner[x - best]) <= params->lr_max_diff;
}

static void finish_row(const Scratch *s, int y)
{
  int width = s->params->width, count = s->params->max_disparity;
  const uint8_t *sums = s->volume + (size_t)y * (size_t)width * (size_t)count;
  right_view(s, sums);
  for (int x = 0; x < width; x++) {
    const uint8_t *sum = sums + (size_t)x * (size_t)count;
    size_t at = (size_t)y * (size_t)width + (size_t)x;
    int best = left_winner(sum, count), second = second_best(sum, count, best);
    bool inner = best > 0 && best < count - 1;
    bool known = passes(s, x, y, best, sum[best], second);
    int vertex = inner ? stx_sgm_vertex(sum[best - 1], sum[best], sum[best + 1]) : 0;
    s->value[at] = known ? (uint16_t)stx_sgm_value(best, vertex) : STX_DISPARITY_UNKNOWN;
    s->margin[at] = known ? (uint8_t)stx_sgm_confidence(sum[best], second) : 0;
  }
}

/* ---- Median ------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
  return *(const uint16_t *)a - *(const uint16_t *)b;
}

static uint16_t median(const StxSgmParams *params, const uint16_t *values, int x, int y)
{
  uint16_t known[9];
  int count = 0;
  for (int k = 0; k < 9; k++) {
    int qx = brute_clamp(x + k % 3 - 1, params->width),
        qy = brute_clamp(y + k / 3 - 1, params->height);
    uint16_t value = values[(size_t)qy * (size_t)params->width + (size_t)qx];
    if (value != STX_DISPARITY_UNKNOWN)
      known[count++] = value;
  }
  qsort(known, (size_t)count, sizeof known[0], ascending);
  return count >= 5 ? known[(count - 1) / 2] : STX_DISPARITY_UNKNOWN;
}

static void write_row(const StxSgmParams *params, int y, const uint16_t *values,
    const uint8_t *margins, const StxImage16 *disparity, const StxImage8 *confidence)
{
  for (int x = 0; x < params->width; x++) {
    size_t at = (size_t)y * (size_t)params->width + (size_t)x;
    uint16_t value = params->median ? median(params, values, x, y) : values[at];
    stx_row16(disparity, y)[x] = value;
    if (confidence->data != NULL)
      stx_row8(confidence, y)[x] = value != STX_DISPARITY_UNKNOWN ? margins[at] : 0;
  }
}

void stx_sgm_write_c(const StxSgmParams *params, const uint16_t *values, const uint8_t *margins,
    const StxImage16 *disparity, const StxImage8 *confidence)
{
  for (int y = 0; y < params->height; y++)
    write_row(params, y, values, margins, disparity, confidence);
}

bool stx_sgm_run_c(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, void *scratch, const StxPlace *place,
    StxError *error)
{
  Scratch s;
  lay_out(&s, params, scratch);
  s.image = left;
  census_image(left, s.left);
  census_image(right, s.right);
  sweep(&s, 1);
  sweep(&s, -1);
  for (int y = 0; y < params->height; y++)
    finish_row(&s, y);
  stx_sgm_write_c(params, s.value, s.margin, disparity, confidence);
  stx_sgm_last_steps(params, left, right, disparity, confidence, s.sky, 1);
  return true;
}

/* ---- With both searches ------------------------------------------------------------------- */

static size_t scratch_size(const StxSgmParams *params, int threads)
{
  StxSgmScratch *const sizes[] = {stx_sgm_scratch_c, stx_sgm_coarse_scratch_c};
  return stx_sgm_scratch_search(sizes, params, threads);
}

static bool run(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, void *scratch, const StxPlace *place,
    StxError *error)
{
  StxSgmRun *const runs[] = {stx_sgm_run_c, stx_sgm_coarse_run_c};
  return stx_sgm_run_search(
      runs, params, left, right, disparity, confidence, scratch, place, error);
}

const StxSgmImpl oracle_sgm = {{"c", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, scratch_size, run};
