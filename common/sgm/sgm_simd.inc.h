/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vectors for sgm_omp.c, one set of functions per instruction set.
 *
 * The D disparities of a pixel lie in n = D / LANES vectors, dealt out like cards: lane i of vector
 * k belongs to d = (LANES − 1 − i)·n + k. The neighbours d ± 1 of nearly all candidates are then
 * the same lane of another vector, and one lane shift per path, direction and pixel does the rest
 * (M. Farrar, "Striped Smith-Waterman", Bioinformatics 23(2), 2007, for another recurrence).
 * Lanes descend so that the right census words x − d of a vector ascend in memory.
 *
 *   VBytes             LANES bytes; VWords: LANES / 2 words of 16 bits
 *   vb_stream          stores past the caches to an address that is a multiple of LANES;
 *   vb_streamed        before other threads may load it
 *   vb_rest            a − b, but not below 0
 *   vb_up, vb_down     lane i takes lane i − 1 / i + 1; the free lane becomes `free`'s
 *   vb_least           the smallest lane, in all lanes; vb_least_value: as a number
 *   key_make           256·sum + d of all lanes of a vector, in two VWords whose order differs by
 *                      instruction set; key_index prepares d
 *   key_up, key_down   the lane shift for such a pair; the free lane becomes 0xffff
 *   key_first, key_last   the key of lane 0 / of the last lane
 *   cost_table         what cost_vectors wants of P2
 *   cost_vectors       C(p,·) + P2: left: the pixel's bits, planes left_stride bytes apart;
 *                      right[k]: the words of lane 0 … of vector k, planes plane_stride bytes apart
 *   PLANES, PLANE_BITS how a census word is cut into bytes; left ones are kept << LEFT_SHIFT
 */
#ifndef STX_SGM_SIMD_INC_H
#define STX_SGM_SIMD_INC_H

#include <stddef.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))
#define FAR 128 /* N(−1) and N(D): more than any penalty, and FAR + P1 fits a byte */

#if defined __AVX512VBMI__ && defined __AVX512VBMI2__ && defined __AVX512BITALG__
#include "common/sgm/sgm_simd_avx512.inc.h"
#elif defined __AVX2__
#include "common/sgm/sgm_simd_avx2.inc.h"
#else
#include "common/sgm/sgm_simd_base.inc.h"
#endif

#define MAX_DISPARITY 256
#define MAX_VECTORS (MAX_DISPARITY / LANES)

#endif
