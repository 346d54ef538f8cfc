/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/sgm/sgm_range.h"

#include <string.h>

enum { SHRINK = STX_SGM_RANGE_SHRINK, COUNT = STX_SGM_RANGE_COUNT, HUNDREDTH = 100 };

typedef struct {
  const StxSgmImpl *impl;
  StxSgmParams params;
  StxImage8 view[2];
  StxImage16 disparity;
  uint16_t *sums; /* of the columns of a shrunk row */
  void *scratch;
} Look;

static int shrunk(int size)
{
  return (size + SHRINK - 1) / SHRINK;
}

/* Lays the arrays out from `base` (NULL: only to measure); returns the bytes used. */
static size_t lay_out(Look *look, int width, int height, int threads, void *base)
{
  StxLayout at = {.memory = base};
  int w = shrunk(width), h = shrunk(height);
  size_t pixels = (size_t)w * (size_t)h;
  look->impl = stx_impl_pick(&stx_sgm_impls, STX_BACKEND_AUTO);
  look->params = (StxSgmParams)STX_SGM_DEFAULTS;
  look->params.width = w;
  look->params.height = h;
  look->params.max_disparity = COUNT;
  look->params.search = STX_SGM_FULL;
  look->params.texture = 20;
  look->params.uniqueness = 5;
  look->params.sky = false;
  for (int side = 0; side < 2; side++)
    look->view[side] = (StxImage8){stx_take(&at, pixels), w, w, h};
  look->disparity = (StxImage16){stx_take(&at, 2 * pixels), 2 * (ptrdiff_t)w, w, h};
  STX_TAKE(&at, look->sums, (size_t)w * SHRINK);
  look->scratch = stx_take(&at, look->impl->scratch_size(&look->params, threads));
  return at.size;
}

size_t stx_sgm_range_scratch(int width, int height, int threads)
{
  Look look;
  return lay_out(&look, width, height, threads, NULL);
}

/* Row y of the shrunk view. */
static void shrink_row(const StxImage8 *image, int y, uint16_t *restrict sums, uint8_t *to)
{
  int width = image->width, whole = shrunk(width) * SHRINK;
  memset(sums, 0, (size_t)whole * sizeof *sums);
  for (int k = 0; k < SHRINK; k++) {
    int row = y * SHRINK + k < image->height ? y * SHRINK + k : image->height - 1;
    const uint8_t *restrict from = stx_row8(image, row);
    for (int x = 0; x < width; x++)
      sums[x] = (uint16_t)(sums[x] + from[x]);
  }
  for (int x = width; x < whole; x++)
    sums[x] = sums[width - 1];
  for (int x = 0; x < whole; x += SHRINK) {
    int sum = SHRINK * SHRINK / 2;
    for (int k = 0; k < SHRINK; k++)
      sum += sums[x + k];
    to[x / SHRINK] = (uint8_t)(sum / (SHRINK * SHRINK));
  }
}

static void count(const StxImage16 *disparity, StxSgmReach *reach)
{
  *reach = (StxSgmReach){.pixels = (uint32_t)disparity->width * (uint32_t)disparity->height};
  for (int y = 0; y < disparity->height; y++) {
    const uint16_t *row = stx_row16(disparity, y);
    for (int x = 0; x < disparity->width; x++)
      reach->near[row[x] / STX_DISPARITY_ONE] += row[x] != STX_DISPARITY_UNKNOWN;
  }
  for (int i = COUNT - 1; i >= 0; i--)
    reach->near[i] += reach->near[i + 1];
}

bool stx_sgm_range_look(const StxImage8 *left, const StxImage8 *right, void *scratch,
    const StxPlace *place, StxSgmReach *reach, StxError *error)
{
  const StxImage8 *views[2] = {left, right}, none = {0};
  Look look;
  lay_out(&look, left->width, left->height, place->threads, scratch);
  for (int side = 0; side < 2; side++)
    for (int y = 0; y < look.params.height; y++)
      shrink_row(views[side], y, look.sums, stx_row8(&look.view[side], y));
  if (!look.impl->run(&look.params, &look.view[0], &look.view[1], &look.disparity, &none,
          look.scratch, place, error))
    return false;
  count(&look.disparity, reach);
  return true;
}

int stx_sgm_range_choose(const StxSgmReach *reach)
{
  int range = STX_SGM_LEAST_RANGE;
  while (range < STX_SGM_LARGEST_RANGE &&
         reach->near[(range - STX_SGM_RANGE_FREE) / SHRINK] > reach->pixels / HUNDREDTH)
    range *= 2;
  return range;
}

bool stx_sgm_range_is_due(StxSgmRange *range)
{
  bool due = range->wait == 0;
  range->wait = due ? STX_SGM_RANGE_LOOKS - 1 : range->wait - 1;
  return due;
}

void stx_sgm_range_note(StxSgmRange *range, const StxSgmReach *reach)
{
  int choice = stx_sgm_range_choose(reach);
  bool less = choice < range->max_disparity;
  if (choice > range->max_disparity)
    range->max_disparity = choice;
  range->smaller = range->calm > 0 && range->smaller > choice ? range->smaller : choice;
  range->calm = less ? range->calm + 1 : 0;
  if (range->calm == STX_SGM_RANGE_CALM) {
    range->max_disparity = range->smaller;
    range->calm = 0;
  }
}
