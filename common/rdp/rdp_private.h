/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions behind stx_rdp_impls. Private to common/rdp*.c; see StxRdpImpl for what they
 * promise.
 */
#pragma once

#include "common/cpu.h"
#include "common/rdp/rdp.h"

#define STX_RDP_DECLARE(suffix)                                                                    \
  size_t stx_rdp_scratch_##suffix(const StxRdpParams *params, int threads);                        \
  bool stx_rdp_run_##suffix(const StxRdpParams *params, const void *columns, StxStixel *segments,  \
      uint8_t *kept, StxRdpResult *result, void *scratch, const StxPlace *place, StxError *error);

STX_RDP_DECLARE(base)
#if STX_BUILD_X86
STX_RDP_DECLARE(avx2)
STX_RDP_DECLARE(avx512)
#endif

#undef STX_RDP_DECLARE
