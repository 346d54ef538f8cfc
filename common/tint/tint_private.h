/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions behind stx_tint_impls; see StxTintImpl for what they promise. */
#ifndef STX_TINT_PRIVATE_H
#define STX_TINT_PRIVATE_H

#include "common/cpu.h"
#include "common/tint/tint.h"

#define STX_TINT_DECLARE(suffix)                                                                   \
  bool stx_tint_spread_##suffix(const StxTintInput *input, const StxTintTable *table,              \
      StxTintHistogram *histogram, const StxPlace *place, StxError *error);                        \
  bool stx_tint_paint_##suffix(const StxTintInput *input, const StxTintTable *table,               \
      const StxTintPicture *picture, StxTintCount *count, const StxPlace *place, StxError *error);

STX_TINT_DECLARE(c)
STX_TINT_DECLARE(base)
#if STX_BUILD_X86
STX_TINT_DECLARE(avx2)
STX_TINT_DECLARE(avx512)
#endif

#undef STX_TINT_DECLARE

#endif
