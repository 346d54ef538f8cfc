/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions behind stx_sgm_impls, the steps of the reference that can be checked by hand or
 * that both searches have, and the last steps, which do not depend on the search. Private to
 * common/sgm*.c and tests/common/sgm/check_sgm.c; see StxSgmImpl for what they promise.
 */
#pragma once

#include "common/cpu.h"
#include "common/sgm/sgm.h"

STX_DECLARE(StxSgmImpl, stx_sgm, scratch_size);
STX_DECLARE(StxSgmImpl, stx_sgm, run);
STX_DECLARE(StxSgmImpl, stx_sgm_coarse, scratch_size);
STX_DECLARE(StxSgmImpl, stx_sgm_coarse, run);

/* The two searches of an implementation, by StxSgmSearch. */
typedef size_t StxSgmScratch(const StxSgmParams *params, int threads);
typedef bool StxSgmRun(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, void *scratch, const StxPlace *place,
    StxError *error);

/* The steps of every implementation before the search: the range, where it is left open, and the
 * columns from infinity on. */
size_t stx_sgm_scratch_search(
    StxSgmScratch *const sizes[2], const StxSgmParams *params, int threads);
bool stx_sgm_run_search(StxSgmRun *const runs[2], const StxSgmParams *params, const StxImage8 *left,
    const StxImage8 *right, const StxImage16 *disparity, const StxImage8 *confidence, void *scratch,
    const StxPlace *place, StxError *error);

/* Sky, border and depth, where they are wanted. */
void stx_sgm_last_steps(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, void *sky, int threads);
