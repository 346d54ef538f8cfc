/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* satdp's arithmetic on a number for each lane. Private to satdp*_omp.c and fulldp*_omp.c. */
#pragma once

#include "common/satdp/satdp_lanes_private.h"

/* Ends a turn of a loop that has more constants than there are registers: they are read where they
 * lie in each turn. Else all of them would be moved to the stack first, which takes as long as a
 * turn, and few loops have more than two. */
#define STAY_IN_MEMORY __asm__ volatile("" : : : "memory")

/* lanes_open8: whether any lane of eight bounds in a row is at most the limit, a bit each. */
#if defined STX_SIMD_AVX512
INLINE unsigned lanes_open8(const HalfF32 *bound, HalfF32 limit)
{
  const float *at = (const float *)(const void *)bound;
  __m512 most = _mm512_broadcast_f32x8((__m256)limit);
  uint64_t low = _mm512_cmp_ps_mask(_mm512_loadu_ps(at), most, _CMP_LE_OQ) |
                 (uint64_t)_mm512_cmp_ps_mask(_mm512_loadu_ps(at + 16), most, _CMP_LE_OQ) << 16;
  uint64_t high = _mm512_cmp_ps_mask(_mm512_loadu_ps(at + 32), most, _CMP_LE_OQ) |
                  (uint64_t)_mm512_cmp_ps_mask(_mm512_loadu_ps(at + 48), most, _CMP_LE_OQ) << 16;
  __m512i rows = _mm512_movm_epi8(low | high << 32);
  return _mm512_test_epi64_mask(rows, rows);
}
#elif defined STX_SIMD_AVX2
/* Two start rows: all bits of a lane. */
INLINE __m256i open2(const HalfF32 *bound, __m256 limit)
{
  const float *at = (const float *)(const void *)bound;
  return _mm256_castps_si256(_mm256_cmp_ps(_mm256_loadu_ps(at), limit, _CMP_LE_OQ));
}

/* Packing works on halves: it leaves the even rows in the lower, the odd ones in the upper. */
INLINE unsigned lanes_open8(const HalfF32 *bound, HalfF32 limit)
{
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  __m256 most = _mm256_broadcast_ps((const __m128 *)&limit);
  __m256i low = _mm256_packs_epi32(open2(bound, most), open2(bound + 2, most));
  __m256i high = _mm256_packs_epi32(open2(bound + 4, most), open2(bound + 6, most));
  __m256i rows = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), order);
  __m256i closed = _mm256_cmpeq_epi32(rows, _mm256_setzero_si256());
  return 255u ^ (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(closed));
}
#else
INLINE unsigned lanes_open8(const HalfF32 *bound, HalfF32 limit)
{
  unsigned open = 0;
  for (int i = 0; i < 8; i++)
    open |= (unsigned)any_le_f32(bound[i], limit) << i;
  return open;
}
#endif

#define lanes_real set1_f64
#define lanes_absolute abs_f64
#define lanes_min min_f64
#define lanes_max max_f64
#define lanes_less lt_f64
#define lanes_differ ne_f64
#define lanes_select blend_f64
#define lanes_keep keep_f64
#define STX_REAL VecF64
#define STX_REAL_INLINE INLINE
#define STX_MASK Mask64
#define STX_REAL_TYPE(name) Lanes##name
#define STX_REAL_NAME(name) lanes_##name
#include "common/satdp/satdp_real_math.inc.h"

#define lanes_float set1_half_f32
#define lanes_min_float min_half_f32
#define lanes_max_float max_half_f32
#define STX_FIT HalfF32
#define STX_FIT_INLINE INLINE
#define STX_FIT_TYPE(name) Lanes##name
#define STX_FIT_NAME(name) lanes_##name
#include "common/satdp/satdp_fit_math.inc.h"
