/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cell reduction: shared by its source files only. */
#pragma once

#include "common/colmean/colmean_math.h"

/* Fills the holes of whole columns of disparity and weight in place, by strips of rows. */
void stx_colmean_fill(const StxColmeanParams *params, void *columns, int threads);

#define STX_COLMEAN_ENTRY_POINTS(suffix)                                                           \
  size_t stx_colmean_scratch_##suffix(const StxColmeanParams *params, int threads);                \
  bool stx_colmean_run_##suffix(const StxColmeanParams *params, const StxColmeanTables *tables,    \
      const StxColmeanInput *input, void *columns, void *scratch, const StxPlace *place,           \
      StxError *error);

STX_COLMEAN_ENTRY_POINTS(avx512)
STX_COLMEAN_ENTRY_POINTS(avx2)
STX_COLMEAN_ENTRY_POINTS(base)
