/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Part of rdp_simd_base.inc.h for 64-bit ARM: what NEON has an instruction for and GCC makes
 * several of.
 */
#ifndef STX_RDP_SIMD_NEON_INC_H
#define STX_RDP_SIMD_NEON_INC_H

#include <arm_neon.h>

INLINE Ints ri_dot(Ints a, Ints b)
{
  int16x8_t c = (int16x8_t)a, d = (int16x8_t)b;
  return (Ints)vpaddq_s32(vmull_s16(vget_low_s16(c), vget_low_s16(d)), vmull_high_s16(c, d));
}

INLINE Ints ri_abs(Ints a)
{
  return (Ints)vabsq_s32((int32x4_t)a);
}

INLINE Ints ri_max(Ints a, Ints b)
{
  return (Ints)vmaxq_s32((int32x4_t)a, (int32x4_t)b);
}

INLINE Ints ri_min(Ints a, Ints b)
{
  return (Ints)vminq_s32((int32x4_t)a, (int32x4_t)b);
}

/* The signs of the lanes. */
INLINE unsigned ri_bits(Ints a)
{
  return vaddvq_u32((uint32x4_t)((a >> 31) & (Ints){1, 2, 4, 8}));
}

INLINE bool ri_known(const uint16_t *cells)
{
  return vminvq_u16(vminq_u16(vld1q_u16(cells), vld1q_u16(cells + 2 * LANES))) != 0;
}

INLINE Ints ri_halves(void)
{
  return (Ints)(int16x8_t){0, 1, 2, 3, 4, 5, 6, 7};
}

INLINE void ri_points_of_two(const uint16_t *cells, Ints halves, Ints *points)
{
  uint16x8_t index = (uint16x8_t)halves, values = veorq_u16(vld1q_u16(cells), vdupq_n_u16(0x8000));
  points[0] = (Ints)vzip1q_u16(index, values);
  points[1] = (Ints)vzip2q_u16(index, values);
}

/* Of 16 levels one byte each, with the bit of its place in eight. */
INLINE uint8x16_t kept_bits(const uint16_t *levels, uint16x8_t *most)
{
  const uint8x16_t bits = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  uint16x8_t a = vld1q_u16(levels), b = vld1q_u16(levels + 8);
  *most = vmaxq_u16(*most, vmaxq_u16(a, b));
  return vandq_u8(vuzp1q_u8((uint8x16_t)vtstq_u16(a, a), (uint8x16_t)vtstq_u16(b, b)), bits);
}

INLINE uint64_t ri_take_kept(uint16_t *levels, Ints *most)
{
  uint16x8_t m = (uint16x8_t)*most;
  uint8x16_t a = kept_bits(levels, &m), b = kept_bits(levels + 16, &m);
  uint8x16_t c = kept_bits(levels + 32, &m), d = kept_bits(levels + 48, &m);
  *most = (Ints)m;
  memset(levels, 0, 64 * sizeof *levels);
  uint8x16_t sum = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
  return vgetq_lane_u64((uint64x2_t)vpaddq_u8(sum, sum), 0);
}

#endif
