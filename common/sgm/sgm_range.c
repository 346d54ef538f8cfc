/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/sgm/sgm_range.h"

#include "common/sgm/sgm_sky.h"
#include "common/sgm/sgm_vanishing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_OFF 1.5 /* px: half a pixel more than rounding leaves */
#define OFF_DEVIATIONS 5
#define OFF_PAIRS 5

enum { SHRINK = STX_SGM_RANGE_SHRINK, BEFORE = STX_SGM_RANGE_BEFORE, FINE_RANGE = 256 };

/* A match whose result is counted. */
typedef struct {
  const StxSgmImpl *impl;
  StxSgmJob job;
  uint16_t *sums; /* of the columns of a shrunk row */
  void *vanishing;
  void *scratch;
} Look;

static int shrunk(int size)
{
  return (size + SHRINK - 1) / SHRINK;
}

static StxSgmParams params_of(int width, int height, int range, int infinity)
{
  StxSgmParams params = STX_SGM_DEFAULTS;
  params.width = width;
  params.height = height;
  params.max_disparity = range;
  params.infinity = infinity;
  params.sky = false;
  return params;
}

/* The disparity that a look has and the memory of its match. */
static void take_match(Look *look, int threads, StxLayout *at)
{
  const StxSgmParams *params = &look->job.params;
  size_t pixels = (size_t)params->width * (size_t)params->height;
  look->impl = stx_impl_pick(&stx_sgm_impls, STX_BACKEND_AUTO);
  look->job.disparity = (StxImage16){
      stx_take(at, 2 * pixels), 2 * (ptrdiff_t)params->width, params->width, params->height};
  look->scratch = stx_take(at, look->impl->scratch_size(params, threads));
}

/* Lays a look at shrunk views out from `base` (NULL: only to measure); returns the bytes used. */
static size_t lay_out(Look *look, int width, int height, int threads, void *base)
{
  StxLayout at = {.memory = base};
  int w = shrunk(width), h = shrunk(height), cut = BEFORE / SHRINK;
  *look = (Look){.job.params = params_of(w, h, STX_SGM_RANGE_COUNT, w > -2 * cut ? cut : 0)};
  look->job.params.search = STX_SGM_FULL;
  look->job.params.texture = 20;
  look->job.params.uniqueness = 5;
  look->job.left = (StxImage8){stx_take(&at, (size_t)w * (size_t)h), w, w, h};
  look->job.right = (StxImage8){stx_take(&at, (size_t)w * (size_t)h), w, w, h};
  STX_TAKE(&at, look->sums, (size_t)w * SHRINK);
  take_match(look, threads, &at);
  return at.size;
}

/* Likewise of a look at views in full size, from disparity `first` on. */
static size_t lay_out_fine(
    Look *look, int width, int height, int first, bool sky, int threads, void *base)
{
  StxLayout at = {.memory = base};
  *look = (Look){.job.params = params_of(width, height, FINE_RANGE, first)};
  look->job.params.sky = sky;
  look->vanishing = stx_take(&at, stx_sgm_vanishing_scratch(width, height));
  look->job.confidence =
      (StxImage8){stx_take(&at, (size_t)width * (size_t)height), width, width, height};
  take_match(look, threads, &at);
  return at.size;
}

/* ---- A look -------------------------------------------------------------------------------- */

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

/* Matches, and counts disparities in pixels of the views, of which a pixel here has `size`. */
static bool count(Look *look, int size, const StxPlace *place, StxSgmReach *reach, StxError *error)
{
  const StxSgmJob *job = &look->job;
  int first = size * job->params.infinity - BEFORE;
  *reach = (StxSgmReach){.pixels = (uint32_t)job->params.width * (uint32_t)job->params.height};
  if (!look->impl->run(&job->params, &job->left, &job->right, &job->disparity, &job->confidence,
          look->scratch, place, error))
    return false;
  for (int y = 0; y < job->params.height; y++) {
    const uint16_t *row = stx_row16(&job->disparity, y);
    for (int x = 0; x < job->params.width; x++)
      if (row[x] != STX_DISPARITY_UNKNOWN) {
        reach->counts[first + row[x] * size / STX_DISPARITY_ONE]++;
        reach->known++;
      }
  }
  return true;
}

/* Matches in full size, from disparity `first` on. */
static bool look_closely(const StxImage8 *left, const StxImage8 *right, int first, bool sky,
    void *scratch, const StxPlace *place, Look *look, StxSgmReach *reach, StxError *error)
{
  lay_out_fine(look, left->width, left->height, first, sky, place->threads, scratch);
  look->job.left = *left;
  look->job.right = *right;
  return count(look, 1, place, reach, error);
}

/* Infinity of a pair that has things behind 0. */
static bool find_negative(const StxImage8 *left, const StxImage8 *right, void *scratch,
    const StxPlace *place, int *infinity, StxError *error)
{
  StxSgmReach reach;
  uint32_t sum = 0;
  int i = 0;
  Look look;
  if (!look_closely(left, right, BEFORE, false, scratch, place, &look, &reach, error))
    return false;
  while (i < -BEFORE && 20 * (sum + reach.counts[i]) <= reach.known)
    sum += reach.counts[i++];
  *infinity = BEFORE + i;
  return true;
}

/* True if a hundredth of the picture is sky where disparities count from `infinity`. */
static bool has_sky(const StxImage8 *left, const StxImage8 *right, int infinity, void *scratch,
    const StxPlace *place, bool *sky, StxError *error)
{
  StxSgmReach reach;
  Look look;
  uint32_t count = 0;
  if (!look_closely(left, right, infinity, true, scratch, place, &look, &reach, error))
    return false;
  for (int y = 0; y < left->height; y++) {
    const uint8_t *row = stx_row8(&look.job.confidence, y);
    for (int x = 0; x < left->width; x++)
      count += row[x] == STX_SGM_SKY_CONFIDENCE && stx_row16(&look.job.disparity, y)[x] == 0;
  }
  *sky = 100 * (uint64_t)count >= reach.pixels;
  return true;
}

/* Infinity of a pair all of which may be nearer, by what else it shows. */
static bool find_positive(const StxImage8 *left, const StxImage8 *right, void *scratch,
    const StxPlace *place, int *infinity, StxError *error)
{
  StxSgmReach reach;
  Look look;
  bool below_sky, sky = true;
  if (!look_closely(left, right, 0, false, scratch, place, &look, &reach, error))
    return false;
  int found = stx_sgm_vanishing(left, &look.job.disparity, look.vanishing, &below_sky);
  if (found > 0 && below_sky && !has_sky(left, right, found, scratch, place, &sky, error))
    return false;
  *infinity = sky ? found : 0;
  return true;
}

uint32_t stx_sgm_reach_from(const StxSgmReach *reach, int disparity)
{
  uint32_t sum = 0;
  for (int i = disparity - BEFORE; i < STX_SGM_RANGE_PIXELS; i++)
    sum += reach->counts[i];
  return sum;
}

int stx_sgm_range_choose(const StxSgmReach *reach)
{
  int range = STX_SGM_LEAST_RANGE;
  while (range < STX_SGM_LARGEST_RANGE &&
         stx_sgm_reach_from(reach, range - STX_SGM_RANGE_FREE) > reach->pixels / 100)
    range *= 2;
  return range;
}

bool stx_sgm_range_is_negative(const StxSgmReach *reach)
{
  uint32_t twentieth = reach->pixels / 20 + 1;
  return reach->known > reach->pixels / 4 && stx_sgm_reach_from(reach, 2) >= twentieth &&
         reach->known - stx_sgm_reach_from(reach, -2) >= twentieth &&
         reach->known - stx_sgm_reach_from(reach, -48) <= reach->known / 50;
}

bool stx_sgm_range_may_be_positive(const StxSgmReach *reach, int width)
{
  return reach->known > reach->pixels / 8 &&
         20 * stx_sgm_reach_from(reach, width / 160 - 3) >= 19 * reach->known;
}

/* ---- Over time ----------------------------------------------------------------------------- */

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

/* True if this look may find infinity. */
static bool tries(const StxSgmParams *params, const StxSgmRange *range)
{
  return params->infinity == STX_SGM_INFINITY_AUTO && range->infinity == 0 &&
         range->tries < STX_SGM_RANGE_TRIES && params->width > -2 * BEFORE;
}

size_t stx_sgm_range_scratch(const StxSgmParams *params, const StxSgmRange *range, int threads)
{
  Look look;
  size_t size = lay_out(&look, params->width, params->height, threads, NULL), fine = 0;
  if (tries(params, range)) /* from 0 on: the wider one */
    fine = lay_out_fine(&look, params->width, params->height, 0, true, threads, NULL);
  return size > fine ? size : fine;
}

bool stx_sgm_range_look(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    void *scratch, const StxPlace *place, StxSgmRange *range, StxError *error)
{
  StxSgmJob job = {.params = *params, .left = *left, .right = *right};
  StxSgmReach reach;
  bool open = tries(params, range);
  stx_sgm_range_apply(range, &job.params);
  range->infinity = job.params.infinity;
  if (!stx_sgm_count_from_infinity(&job)) {
    range->max_disparity = STX_SGM_LEAST_RANGE;
    return true;
  }
  Look look;
  lay_out(&look, job.left.width, job.left.height, place->threads, scratch);
  for (int y = 0; y < look.job.params.height; y++) {
    shrink_row(&job.left, y, look.sums, stx_row8(&look.job.left, y));
    shrink_row(&job.right, y, look.sums, stx_row8(&look.job.right, y));
  }
  if (!count(&look, SHRINK, place, &reach, error))
    return false;
  stx_sgm_range_note(range, &reach);
  range->nearer = params->max_disparity == STX_SGM_AUTO
                      ? 0
                      : (int)(1000 * (uint64_t)stx_sgm_reach_from(&reach, params->max_disparity) /
                              reach.pixels);
  range->tries += range->tries < STX_SGM_RANGE_TRIES;
  if (open && stx_sgm_range_is_negative(&reach))
    return find_negative(left, right, scratch, place, &range->infinity, error);
  if (open && stx_sgm_range_may_be_positive(&reach, left->width))
    return find_positive(left, right, scratch, place, &range->infinity, error);
  return true;
}

bool stx_sgm_range_correct(StxSgmRange *range, double offset, double deviation)
{
  int infinity = range->infinity + (int)lrint(offset);
  bool off = fabs(offset) >= LEAST_OFF && fabs(offset) >= OFF_DEVIATIONS * deviation &&
             abs(infinity) <= STX_SGM_INFINITY_MOST;
  range->off = off ? range->off + 1 : 0;
  if (range->off < OFF_PAIRS)
    return false;
  range->infinity = infinity;
  range->off = 0;
  return true;
}

void stx_sgm_range_apply(const StxSgmRange *range, StxSgmParams *params)
{
  if (params->max_disparity == STX_SGM_AUTO)
    params->max_disparity = range->max_disparity;
  if (params->infinity == STX_SGM_INFINITY_AUTO)
    params->infinity = range->infinity;
}
