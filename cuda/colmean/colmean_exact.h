/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction on the GPU: arithmetic that takes another way than the contract to the same
 * integers. Plain C, so that a check program can compare all that can occur.
 */
#pragma once

#include "common/colmean/colmean.h"

#include <string.h>

/* ---- Class costs of scores ------------------------------------------------------------------- */

/*
 * The index of a cost, 4095 · num / den rounded half up, is the integer part of
 * scaled · share / 2^64 + ½, with scaled = 2^shift · num and share = 2^(64 − shift) · 4095 / den
 * rounded up; shift is 5 for bytes (ONE = 255) and 0 for others (ONE = 65535), so that the share
 * stays below 2^64. That is exact for all num <= den = ONE · n, n <= 2^14: 15 divides both 4095 and
 * ONE, so 4095 · num / den + ½ is a multiple of 15 / (2 · den), which is > 2^-28 for 65535 and
 * > 2^-20 for 255; rounding up the share adds less than scaled / 2^64 < 2^-34.
 */
#define STX_COLMEAN_BYTE_SHIFT 5

typedef struct {
  uint32_t low, high;
} StxColmeanShare;

STX_INLINE StxColmeanShare stx_colmean_share(uint32_t den, int shift)
{
  uint64_t num = 4095ull << 52; /* a long division: 12 − shift more bits */
  uint64_t all = (num / den << (12 - shift)) + ((num % den << (12 - shift)) + den - 1) / den;
  StxColmeanShare share = {(uint32_t)all, (uint32_t)(all >> 32)};
  return share;
}

/* Without a product of more than 64 bits: what the low word's product has behind the point is
 * below 1 and so does not change the integer part of its sum with integers. */
STX_INLINE uint32_t stx_colmean_cost_index(uint32_t scaled, StxColmeanShare share)
{
  uint32_t low = (uint32_t)((uint64_t)scaled * share.low >> 32) + (1u << 31);
  return (uint32_t)(((uint64_t)scaled * share.high + low) >> 32);
}

/* ---- Class costs of labels ------------------------------------------------------------------- */

/* 2^32 / (2 · den) rounded up; den > 0. */
STX_INLINE uint32_t stx_colmean_label_share(uint32_t den)
{
  return UINT32_MAX / (2 * den) + 1;
}

/* 4095 · num / den rounded half up, for num <= den <= 2^14: twice as much and den is < 2^27, so
 * that the share's rounding adds less than 2^-5 to the quotient, which is one too large at most. */
STX_INLINE uint32_t stx_colmean_label_index(uint32_t num, uint32_t den, uint32_t share)
{
  uint32_t twice = 8190 * num + den;
  uint32_t estimate = (uint32_t)((uint64_t)twice * share >> 32);
  return estimate - (estimate * 2 * den > twice);
}

/* ---- Scores of 16 bits ----------------------------------------------------------------------- */

#define STX_HALF_ONE 0x3c00u
#define STX_HALF_INFINITE 0x7c00u

/* The value within 0…1: 0 for negative, infinite and NaN, 1 for larger ones. */
STX_INLINE uint32_t stx_clean_half(uint32_t half)
{
  uint32_t most = half < STX_HALF_ONE ? half : STX_HALF_ONE;
  return half < STX_HALF_INFINITE ? most : 0;
}

/*
 * q of a half in 0…1 that stands at bit 13 of `bits`: read as a float32 that is 2^-112 of the
 * half's value, exactly. Adding 2^23 leaves an integer in the mantissa. Product and sum round to
 * the nearest, where the contract rounds the product, adds ½, rounds again and cuts: for each of
 * the 15361 halves they agree, as a check program shows.
 */
STX_INLINE uint32_t stx_half_score(uint32_t bits)
{
  const float two_23 = 8388608.0f, two_112 = 5192296858534827628530496329220096.0f;
  float value;
  memcpy(&value, &bits, sizeof value);
  value = value * (65535 * two_112) + two_23;
  memcpy(&bits, &value, sizeof bits);
  return bits - 0x4b000000u; /* the bits of 2^23 */
}
