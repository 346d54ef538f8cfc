/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Part of simd_base.inc.h for 64-bit ARM: what NEON has an instruction for and GCC makes several
 * of. */
#pragma once

#include <arm_neon.h>

STX_BINARY(VecU8, min_u8, vminq_u8, uint8x16_t)
STX_BINARY(VecU8, max_u8, vmaxq_u8, uint8x16_t)
STX_BINARY(VecU8, subs_u8, vqsubq_u8, uint8x16_t)
STX_BINARY(VecU8, avg_u8, vrhaddq_u8, uint8x16_t)
STX_BINARY(VecU16, min_u16, vminq_u16, uint16x8_t)
STX_BINARY(VecU16, max_u16, vmaxq_u16, uint16x8_t)
STX_BINARY(VecU16, subs_u16, vqsubq_u16, uint16x8_t)
STX_BINARY(VecI32, min_i32, vminq_s32, int32x4_t)
STX_BINARY(VecI32, max_i32, vmaxq_s32, int32x4_t)
STX_UNARY(VecI32, abs_i32, VecI32, (VecI32)vabsq_s32((int32x4_t)a))

INLINE VecI32 madd_i16(VecI32 a, VecI32 b)
{
  int16x8_t c = (int16x8_t)a, d = (int16x8_t)b;
  return (VecI32)vpaddq_s32(vmull_s16(vget_low_s16(c), vget_low_s16(d)), vmull_high_s16(c, d));
}

STX_EACH(VecU8, up_u8, (VecU8)vextq_u8((uint8x16_t)b, (uint8x16_t)a, 15))
STX_EACH(VecU8, down_u8, (VecU8)vextq_u8((uint8x16_t)a, (uint8x16_t)b, 1))
STX_UNARY(int, least_u8, VecU8, vminvq_u8((uint8x16_t)a))
STX_UNARY(VecU8, reduce_min_u8, VecU8, (VecU8)vdupq_n_u8(vminvq_u8((uint8x16_t)a)))
STX_UNARY(int, least_u16, VecU16, vminvq_u16((uint16x8_t)a))

INLINE unsigned mask_bits(Mask32 mask)
{
  return vaddvq_u32((uint32x4_t)(mask & (VecI32){1, 2, 4, 8}));
}

STX_UNARY(bool, any_zero_u16, VecU16, vminvq_u16((uint16x8_t)a) == 0)

INLINE uint64_t nonzero_bits_u16(VecU16 a, VecU16 b)
{
  const uint8x16_t place = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  uint16x8_t c = (uint16x8_t)a, d = (uint16x8_t)b;
  uint8x16_t set = vuzp1q_u8((uint8x16_t)vtstq_u16(c, c), (uint8x16_t)vtstq_u16(d, d));
  uint8x16_t sum = vandq_u8(set, place);
  sum = vpaddq_u8(sum, sum);
  sum = vpaddq_u8(sum, sum);
  return vgetq_lane_u16((uint16x8_t)vpaddq_u8(sum, sum), 0);
}
