/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The last steps of both searches on the host. */
#include "common/sgm/sgm_border.h"
#include "common/sgm/sgm_depth.h"
#include "common/sgm/sgm_private.h"
#include "common/sgm/sgm_sky.h"

void stx_sgm_last_steps(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, void *sky, int threads)
{
  if (params->sky)
    stx_sgm_sky(params, left, right, disparity, confidence, sky, threads);
  if (params->lr_max_diff >= 0)
    stx_sgm_border(params, disparity, confidence, threads);
  if (params->depth > 0)
    stx_sgm_depth(params, disparity, confidence, threads);
}
