/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions behind stx_sgm_impls, the steps of the reference that can be checked by hand or
 * that both searches have, and the last steps, which do not depend on the search. Private to
 * common/sgm*.c and tests/common/sgm/check_sgm.c; see StxSgmImpl for what they promise.
 */
#ifndef STX_SGM_PRIVATE_H
#define STX_SGM_PRIVATE_H

#include "common/cpu.h"
#include "common/sgm/sgm.h"

#define STX_SGM_DECLARE(suffix)                                                                    \
  size_t stx_sgm_scratch_##suffix(const StxSgmParams *params, int threads);                        \
  bool stx_sgm_run_##suffix(const StxSgmParams *params, const StxImage8 *left,                     \
      const StxImage8 *right, const StxImage16 *disparity, const StxImage8 *confidence,            \
      void *scratch, const StxPlace *place, StxError *error);                                      \
  size_t stx_sgm_coarse_scratch_##suffix(const StxSgmParams *params, int threads);                 \
  bool stx_sgm_coarse_run_##suffix(const StxSgmParams *params, const StxImage8 *left,              \
      const StxImage8 *right, const StxImage16 *disparity, const StxImage8 *confidence,            \
      void *scratch, const StxPlace *place, StxError *error);

STX_SGM_DECLARE(c)
STX_SGM_DECLARE(base)
#if STX_BUILD_X86
STX_SGM_DECLARE(avx2)
STX_SGM_DECLARE(avx512)
#endif

#undef STX_SGM_DECLARE

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

/* Sky, border and depth, where they are wanted. */
void stx_sgm_last_steps(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, void *sky, int threads);

#endif
