/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vectors for ground_omp.c: GSIMD lanes of 32 bits. Left to themselves, compilers take twice the
 * shuffles for points of four floats, and selections where a minimum does.
 *
 *   gs_points   GSIMD points of four floats, `stride` floats apart, as planes of x, y and z
 *   gs_back     where a < b: whole − p, else p, which is not negative
 *   gs_inside   index where least <= range < most and |z| < far, else none, which is larger
 *   gs_times    a · b of numbers below 2^15
 *   gs_points_at  likewise those at numbers at[0] …
 *   gs_quads    stores, for every lane, the four words a, b, c and d
 *   gs_keys     stores, for every lane, the two words low and high
 */
#ifndef STX_GROUND_SIMD_INC_H
#define STX_GROUND_SIMD_INC_H

#include <stddef.h>

#define INLINE static inline __attribute__((always_inline))

#if defined __AVX512F__ && defined __AVX512BW__
#include "common/ground/ground_simd_avx512.inc.h"
#elif defined __AVX2__
#include "common/ground/ground_simd_avx2.inc.h"
#else
#include "common/ground/ground_simd_base.inc.h"
#endif

#endif
