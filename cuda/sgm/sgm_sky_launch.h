/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between sgm_launch.c and sgm_sky_launch.c: private to these. */
#ifndef STX_SGM_SKY_LAUNCH_H
#define STX_SGM_SKY_LAUNCH_H

#include "cuda/sgm/sgm_sky_args.h"
#include "cuda/stxcuda.h"

/* Bytes of device memory, aligned to STX_ALIGN. */
size_t stx_sgm_sky_cuda_scratch(const StxSgmParams *params);

/* Enqueues what finds the sky and marks it. The first half of *args is filled; the second is filled
 * here. */
bool stx_sgm_sky_cuda(const StxSgmParams *params, StxSgmSkyArgs *args, void *scratch,
    const StxPlace *place, StxError *error);

#endif
