/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions behind stx_ground_impls. Private to common/ground*.c; see StxGroundImpl for what
 * they promise.
 */
#pragma once

#include "common/cpu.h"
#include "common/ground/ground.h"

#define STX_GROUND_DECLARE(suffix)                                                                 \
  size_t stx_ground_scratch_##suffix(const StxGroundParams *params, size_t count, int threads);    \
  bool stx_ground_run_##suffix(const StxGroundParams *params, const float *points, size_t count,   \
      uint32_t *labels, StxGroundResult *result, void *scratch, const StxPlace *place,             \
      StxError *error);

STX_GROUND_DECLARE(base)
#if STX_BUILD_X86
STX_GROUND_DECLARE(avx2)
STX_GROUND_DECLARE(avx512)
#endif

#undef STX_GROUND_DECLARE
