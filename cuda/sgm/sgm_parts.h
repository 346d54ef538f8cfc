/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What sgm_launch.c puts together beside its own kernels: sgm_coarse_launch.c and sgm_sky_launch.c.
 * Private to these and to their tests. Scratch: bytes of device memory, aligned to STX_ALIGN. */
#ifndef STX_SGM_PARTS_H
#define STX_SGM_PARTS_H

#include "cuda/sgm/sgm_args.h"
#include "cuda/sgm/sgm_sky_args.h"
#include "cuda/stxcuda.h"

size_t stx_sgm_coarse_cuda_scratch(const StxSgmParams *params);

/* Coarse-to-fine search: enqueues all from the pair of pictures to the records of its lines, and
 * the right view of these. `pair` is complete; its words and `textured` hold afterwards what full
 * search leaves there. */
bool stx_sgm_coarse_cuda(const StxSgmParams *params, const StxSgmCensusArgs *pair,
    uint32_t *records, void *scratch, const StxPlace *place, StxError *error);

/* Enqueues what makes all rows of disparity and confidence of its lines, rows without gaps. Data of
 * both `sure` and confidence may be NULL. */
bool stx_sgm_coarse_cuda_rows(const StxImage16 *lines, const StxImage8 *sure,
    const StxImage16 *disparity, const StxImage8 *confidence, const StxPlace *place,
    StxError *error);

size_t stx_sgm_sky_cuda_scratch(const StxSgmParams *params);

/* Enqueues what finds the sky and marks it. The first half of *args is filled; the second is filled
 * here. */
bool stx_sgm_sky_cuda(const StxSgmParams *params, StxSgmSkyArgs *args, void *scratch,
    const StxPlace *place, StxError *error);

#endif
