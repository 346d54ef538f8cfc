/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Semi-global matching: the table of implementations, each with both searches. */
#include "common/cpu.h"
#include "common/sgm/sgm_private.h"
#include "common/sgm/sgm_range.h"

static size_t larger(size_t a, size_t b)
{
  return a > b ? a : b;
}

/* Fills in the range that this pair asks for, where there is none. */
static bool with_range(StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    void *scratch, const StxPlace *place, StxError *error)
{
  StxSgmReach reach;
  if (params->max_disparity != STX_SGM_AUTO)
    return true;
  if (!stx_sgm_range_look(left, right, scratch, place, &reach, error))
    return false;
  params->max_disparity = stx_sgm_range_choose(&reach);
  return true;
}

#define CHOOSE(suffix)                                                                             \
  static size_t scratch_##suffix(const StxSgmParams *p, int threads)                               \
  {                                                                                                \
    StxSgmParams chosen = *p;                                                                      \
    size_t look = 0;                                                                               \
    if (p->max_disparity == STX_SGM_AUTO) {                                                        \
      chosen.max_disparity = STX_SGM_LARGEST_RANGE;                                                \
      look = stx_sgm_range_scratch(p->width, p->height, threads);                                  \
    }                                                                                              \
    return larger(look, p->search == STX_SGM_FULL                                                  \
                            ? stx_sgm_scratch_##suffix(&chosen, threads)                           \
                            : stx_sgm_coarse_scratch_##suffix(&chosen, threads));                  \
  }                                                                                                \
  static bool run_##suffix(const StxSgmParams *p, const StxImage8 *left, const StxImage8 *right,   \
      const StxImage16 *disparity, const StxImage8 *confidence, void *scratch,                     \
      const StxPlace *place, StxError *error)                                                      \
  {                                                                                                \
    StxSgmParams chosen = *p;                                                                      \
    return with_range(&chosen, left, right, scratch, place, error) &&                              \
           (p->search == STX_SGM_FULL ? stx_sgm_run_##suffix : stx_sgm_coarse_run_##suffix)(       \
               &chosen, left, right, disparity, confidence, scratch, place, error);                \
  }
CHOOSE(c)
CHOOSE(base)
#if STX_BUILD_X86
CHOOSE(avx2)
CHOOSE(avx512)
#endif

#define IMPL(name, backend, needs, suffix)                                                         \
  {                                                                                                \
    {name, backend, STX_MEMORY_HOST, needs}, scratch_##suffix, run_##suffix                        \
  }
static const StxSgmImpl impls[] = {STX_HOST_IMPLS(IMPL)};
const StxImplTable stx_sgm_impls = {impls, sizeof impls / sizeof impls[0], sizeof impls[0]};
