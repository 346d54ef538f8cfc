/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction: what its source files share. The arithmetic that must be the same everywhere is
 * written here once; CUDA compiles it too.
 */
#ifndef STX_COLMEAN_PRIVATE_H
#define STX_COLMEAN_PRIVATE_H

#include "common/colmean.h"

/* num / den rounded half up; num < 2^62, den > 0. */
STX_INLINE uint64_t stx_round_half_up(uint64_t num, uint64_t den)
{
  return (2 * num + den) / (2 * den);
}

/* q(p) of colmean.h. A comparison with NaN is false, so NaN is 0; the addition is exact for
 * whatever rounds to 65535, the largest possible result. */
STX_INLINE uint32_t stx_score_from_float(float p)
{
  float finite = p > 0 && p <= 3.4028234663852886e38f ? p : 0;
  return (uint32_t)((finite < 1 ? finite : 1) * 65535.0f + 0.5f);
}

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
STX_COLMEAN_ENTRY_POINTS(c)

#endif
