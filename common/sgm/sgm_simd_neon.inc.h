/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Part of sgm_simd_base.inc.h for 64-bit ARM: what NEON has an instruction for and GCC makes
 * several of: minima and averages, minima over all lanes, shifts by a lane, and counting bits.
 */
#ifndef STX_SGM_SIMD_NEON_INC_H
#define STX_SGM_SIMD_NEON_INC_H

#include <arm_neon.h>

INLINE VBytes vb_min(VBytes a, VBytes b)
{
  return (VBytes)vminq_u8((uint8x16_t)a, (uint8x16_t)b);
}

INLINE VBytes vb_max(VBytes a, VBytes b)
{
  return (VBytes)vmaxq_u8((uint8x16_t)a, (uint8x16_t)b);
}

INLINE VBytes vb_rest(VBytes a, VBytes b)
{
  return (VBytes)vqsubq_u8((uint8x16_t)a, (uint8x16_t)b);
}

INLINE void vb_stream(uint8_t *p, VBytes v)
{
  vb_store(p, v);
}

INLINE void vb_streamed(void)
{
}

INLINE VWords vw_min(VWords a, VWords b)
{
  return (VWords)vminq_u16((uint16x8_t)a, (uint16x8_t)b);
}

INLINE VBytes vb_average(VBytes a, VBytes b)
{
  return (VBytes)vrhaddq_u8((uint8x16_t)a, (uint8x16_t)b);
}

INLINE VBytes vb_up(VBytes v, VBytes free)
{
  return (VBytes)vextq_u8((uint8x16_t)free, (uint8x16_t)v, 15);
}

INLINE VBytes vb_down(VBytes v, VBytes free)
{
  return (VBytes)vextq_u8((uint8x16_t)v, (uint8x16_t)free, 1);
}

INLINE int vb_least_value(VBytes v)
{
  return vminvq_u8((uint8x16_t)v);
}

INLINE VBytes vb_least(VBytes v)
{
  return (VBytes)vdupq_n_u8(vminvq_u8((uint8x16_t)v));
}

INLINE int vw_least_value(VWords v)
{
  return vminvq_u16((uint16x8_t)v);
}

/* Bits of three bytes. */
INLINE VBytes vb_count3(VBytes a, VBytes b, VBytes c)
{
  return (VBytes)vcntq_u8((uint8x16_t)a) + (VBytes)vcntq_u8((uint8x16_t)b) +
         (VBytes)vcntq_u8((uint8x16_t)c);
}

INLINE void cost_vectors(const CostTable *table, const LeftBits *left, size_t left_stride,
    const uint8_t *const *right, size_t plane_stride, int n, VBytes *cost)
{
#pragma GCC unroll 4
  for (size_t p = 0; p < PLANES; p++) {
    uint8x16_t bits = vld1q_dup_u8(left + p * left_stride);
#pragma GCC unroll 16
    for (int k = 0; k < n; k++) {
      uint8x16_t count = vcntq_u8(veorq_u8(bits, vld1q_u8(right[k] + p * plane_stride)));
      cost[k] = (p == 0 ? table->p2 : cost[k]) + (VBytes)count;
    }
  }
}

#endif
