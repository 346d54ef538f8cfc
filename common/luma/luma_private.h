/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions behind stx_luma_impls; see StxLumaImpl for what they promise. */
#pragma once

#include "common/cpu.h"
#include "common/luma/luma.h"

#define STX_LUMA_DECLARE(suffix)                                                                   \
  bool stx_luma_run_##suffix(const StxLumaFormat *format, int bits, const StxImage8 *picture,      \
      const StxImage8 *gray, void *scratch, const StxPlace *place, StxError *error);

STX_LUMA_DECLARE(base)
#if STX_BUILD_X86
STX_LUMA_DECLARE(avx2)
STX_LUMA_DECLARE(avx512)
#endif

#undef STX_LUMA_DECLARE
