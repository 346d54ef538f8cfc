/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Semi-global matching: the table of implementations, each with both searches, and what all of them
 * do before. */
#include "common/cpu.h"
#include "common/sgm/sgm_private.h"
#include "common/sgm/sgm_range.h"

#include <string.h>

bool stx_sgm_count_from_infinity(StxSgmJob *job)
{
  int first = job->params.infinity, left = first > 0 ? first : 0, right = left - first;
  int width = job->params.width - left - right;
  if (width < 1)
    return false;
  job->left.data += left;
  job->right.data += right;
  if (job->disparity.data != NULL)
    job->disparity.data += left;
  if (job->confidence.data != NULL)
    job->confidence.data += left;
  job->left.width = job->right.width = job->disparity.width = job->confidence.width = width;
  job->params.width = width;
  job->params.infinity = 0;
  return true;
}

static bool is_open(const StxSgmParams *params)
{
  return params->max_disparity == STX_SGM_AUTO || params->infinity == STX_SGM_INFINITY_AUTO;
}

bool stx_sgm_run_search(StxSgmRun *const runs[2], const StxSgmParams *params, const StxImage8 *left,
    const StxImage8 *right, const StxImage16 *disparity, const StxImage8 *confidence, void *scratch,
    const StxPlace *place, StxError *error)
{
  StxSgmJob job = {*params, *left, *right, *disparity, *confidence};
  StxSgmRange range = {0};
  if (is_open(params) && !stx_sgm_range_look(params, left, right, scratch, place, &range, error))
    return false;
  stx_sgm_range_apply(&range, &job.params);
  for (int y = 0; job.params.infinity != 0 && y < disparity->height; y++) { /* all unknown */
    memset(stx_row16(disparity, y), 0, (size_t)disparity->width * sizeof(uint16_t));
    if (confidence->data != NULL)
      memset(stx_row8(confidence, y), 0, (size_t)confidence->width);
  }
  return !stx_sgm_count_from_infinity(&job) ||
         runs[params->search](&job.params, &job.left, &job.right, &job.disparity, &job.confidence,
             scratch, place, error);
}

size_t stx_sgm_scratch_search(
    StxSgmScratch *const sizes[2], const StxSgmParams *params, int threads)
{
  StxSgmParams largest = *params;
  if (params->max_disparity == STX_SGM_AUTO)
    largest.max_disparity = STX_SGM_LARGEST_RANGE;
  size_t look = is_open(params) ? stx_sgm_range_scratch(params, &(StxSgmRange){0}, threads) : 0;
  size_t search = sizes[params->search](&largest, threads);
  return look > search ? look : search;
}

#define CHOOSE(suffix)                                                                             \
  static size_t scratch_##suffix(const StxSgmParams *p, int threads)                               \
  {                                                                                                \
    return stx_sgm_scratch_search((StxSgmScratch *const[]){stx_sgm_scratch_size_##suffix,          \
                                      stx_sgm_coarse_scratch_size_##suffix},                       \
        p, threads);                                                                               \
  }                                                                                                \
  static bool run_##suffix(const StxSgmParams *p, const StxImage8 *left, const StxImage8 *right,   \
      const StxImage16 *disparity, const StxImage8 *confidence, void *scratch,                     \
      const StxPlace *place, StxError *error)                                                      \
  {                                                                                                \
    return stx_sgm_run_search(                                                                     \
        (StxSgmRun *const[]){stx_sgm_run_##suffix, stx_sgm_coarse_run_##suffix}, p, left, right,   \
        disparity, confidence, scratch, place, error);                                             \
  }
CHOOSE(base)
#if STX_BUILD_X86
CHOOSE(avx2)
CHOOSE(avx512)
#endif

#define FUNCTIONS(isa) scratch_##isa, run_##isa
STX_HOST_TABLE(StxSgmImpl, stx_sgm, FUNCTIONS);
