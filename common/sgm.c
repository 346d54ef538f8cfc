/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Semi-global matching: the table of implementations and the checks; the method is in sgm.h. */
#include "common/cpu.h"
#include "common/sgm_impls.h"

static bool in_range(const char *name, int value, int low, int high, StxError *error)
{
  if (value >= low && value <= high)
    return true;
  return stx_fail(error, "%s is %d, but must be from %d to %d", name, value, low, high);
}

bool stx_sgm_check(const StxSgmParams *p, StxError *error)
{
  if (error != NULL)
    error->text[0] = '\0';
  if (p->max_disparity != 64 && p->max_disparity != 128 && p->max_disparity != 256)
    return stx_fail(error, "max_disparity is %d, choose 64, 128 or 256", p->max_disparity);
  if (p->paths != 4 && p->paths != 8)
    return stx_fail(error, "paths is %d, choose 4 or 8", p->paths);
  if (p->p1 > p->p2)
    return stx_fail(error, "p1 is %d, but must not exceed p2, which is %d", p->p1, p->p2);
  return in_range("width", p->width, 1, STX_SGM_MAX_SIZE, error) &&
         in_range("height", p->height, 1, STX_SGM_MAX_SIZE, error) &&
         in_range("p1", p->p1, 0, STX_SGM_MAX_PENALTY, error) &&
         in_range("p2", p->p2, 0, STX_SGM_MAX_PENALTY, error) &&
         in_range("uniqueness", p->uniqueness, 0, 50, error) &&
         in_range("lr_max_diff", p->lr_max_diff, -1, 255, error) &&
         in_range("texture", p->texture, -1, 254, error);
}

#define IMPL(name, backend, needs, suffix)                                                         \
  {                                                                                                \
    {name, backend, STX_MEMORY_HOST, needs}, stx_sgm_scratch_##suffix, stx_sgm_run_##suffix        \
  }
static const StxSgmImpl impls[] = {STX_HOST_IMPLS(IMPL)};
const StxImplTable stx_sgm_impls = {impls, sizeof impls / sizeof impls[0], sizeof impls[0]};
