/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files rectify*.c only. */
#pragma once

#include "common/cpu.h"
#include "common/rectify/rectify.h"

#define STX_RECTIFY_DECLARE(suffix)                                                                \
  bool stx_rectify_run_##suffix(const StxRectifyMap *map, const StxRectifySample *sample,          \
      const StxImage8 *source, const StxImage8 *target, const StxPlace *place, StxError *error);   \
  bool stx_rectify_run_packed_##suffix(const StxRectifyMap *pixels, const StxRectifyMap *colours,  \
      const StxRectifyPacked *packed, const StxImage8 *source, const StxImage8 *target,            \
      const StxPlace *place, StxError *error);

STX_RECTIFY_DECLARE(base)
#if STX_BUILD_X86
STX_RECTIFY_DECLARE(avx2)
STX_RECTIFY_DECLARE(avx512)
#endif

#undef STX_RECTIFY_DECLARE
