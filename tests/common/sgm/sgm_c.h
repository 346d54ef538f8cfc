/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of the references of both searches, for each other and for literal vectors. */
#pragma once

#include "common/sgm/coarse/sgm_coarse.h"
#include "common/sgm/sgm_private.h"

/* T(x, y) of sgm.h. */
uint32_t stx_sgm_census(const StxImage8 *image, int x, int y);

/* path = L_r(p,·) from previous = N(q,·) and cost = C(p,·); max_disparity values each. p1: P1_r */
void stx_sgm_path_step(const StxSgmParams *params, int p1, const uint8_t *previous,
    const uint8_t *cost, uint8_t *path);

/* True if the window around (x, y) shows nothing that could be matched. */
bool stx_sgm_is_flat(const StxImage8 *image, int texture, int x, int y);

/* The median, where it is wanted, and the output; width · height values and margins before it. */
void stx_sgm_write_c(const StxSgmParams *params, const uint16_t *values, const uint8_t *margins,
    const StxImage16 *disparity, const StxImage8 *confidence);

/* Windows of a block from its votes h(0 … n − 1). */
void stx_sgm_coarse_windows(const uint8_t *votes, int n, uint8_t starts[2]);

/* Full search. */
size_t stx_sgm_scratch_c(const StxSgmParams *params, int threads);
bool stx_sgm_run_c(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, void *scratch, const StxPlace *place,
    StxError *error);

size_t stx_sgm_coarse_scratch_c(const StxSgmParams *params, int threads);
bool stx_sgm_coarse_run_c(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, void *scratch, const StxPlace *place,
    StxError *error);
