/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A number for each lane, in registers, and satdp's arithmetic on such. Private to satdp*_omp.c and
 * fulldp*_omp.c.
 *
 * Written out, because what GCC 12 makes of loops over lanes depends on trifles: it puts stores
 * behind branches that nobody can predict, and takes limits of values apart into branches first.
 */
#ifndef STX_SATDP_SIMD_INC_H
#define STX_SATDP_SIMD_INC_H

#include "common/satdp/satdp_lanes_private.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Ends a turn of a loop that has more constants than there are registers: they are read where they
 * lie in each turn. Else all of them would be moved to the stack first, which takes as long as a
 * turn, and few loops have more than two. */
#define STAY_IN_MEMORY __asm__ volatile("" : : : "memory")

typedef double Real __attribute__((vector_size(8 * LANES)));
typedef int32_t Integers __attribute__((vector_size(4 * LANES)));

INLINE Real lanes_real(double value)
{
  return (Real){0} + value;
}

INLINE Real lanes_load(const double *lanes)
{
  return *(const Real *)(const void *)lanes;
}

INLINE void lanes_store(double *lanes, Real value)
{
  *(Real *)(void *)lanes = value;
}

/*
 * Mask, what a comparison gives, for & and |; lanes_min, _max, _absolute, _less, _equal, _differ,
 * _select, _keep. lanes_narrow, lanes_widen: to and from floats. lanes_of_integers; lanes_least, of
 * floats lanes_smaller: the smaller ones of two. lanes_any_at_most: a <= b in any lane.
 * lanes_open8: the same of eight in a row and b, a bit each.
 */
#if defined(__AVX512F__)
#include "common/satdp/satdp_simd_avx512.inc.h"
#elif defined(__AVX2__)
#include "common/satdp/satdp_simd_avx2.inc.h"
#else
#include "common/satdp/satdp_simd_base.inc.h"
#endif

#define STX_REAL Real
#define STX_REAL_INLINE INLINE
#define STX_MASK Mask
#define STX_REAL_TYPE(name) Lanes##name
#define STX_REAL_NAME(name) lanes_##name
#include "common/satdp/satdp_real_math.inc.h"

#endif
