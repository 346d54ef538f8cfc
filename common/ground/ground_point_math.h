/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The arithmetic of a single point, in float32. All implementations compile these functions, so
 * that all round alike; no operation but + − · / √ and conversions, which IEEE 754 defines. Private
 * to common/ground*.c and cuda/ground*.
 */
#pragma once

#include "common/ground/ground.h"

#include <math.h>
#include <string.h>

#define STX_GROUND_UNIT 1024.0f /* heights and ranges of prototypes are integers in 1/1024 m */
#define STX_GROUND_FAR 1024.0f  /* m: a coordinate beyond belongs to no scan */

/* The parameters as a point meets them. */
typedef struct {
  float rotation[9]; /* row-major: from the scan to level */
  float r_min, r_max, bins_per_metre;
  float sectors, last_sector, last_bin;
  int bins;
} StxGroundFrame;

/* A levelled point; bin < 0: it belongs to none, and the rest is undefined. */
typedef struct {
  float x, y, z, range;
  int bin; /* sector · bins + bin */
} StxGroundPoint;

#define STX_GROUND_TINY 1.17549435e-38f /* m, the least normal number: what divides is not 0 */

/* An approximation of atan(t)/2π on 0…1 that is off by less than 1e-6 turns, of numbers or vectors;
 * s = t², ss = t⁴. Three short sums in place of a long one that waits for itself. */
#define STX_GROUND_ARC(t, s, ss)                                                                   \
  ((((0.159151317f - 0.0529385668f * (s)) + (0.0308029046f - 0.0185298427f * (s)) * (ss)) +        \
       (0.00837907812f - 0.00186515519f * (s)) * ((ss) * (ss))) *                                  \
      (t))

/* The azimuth in turns, 0…1, counter-clockwise from x; 0 at the origin. */
STX_INLINE float stx_ground_turns(float x, float y)
{
  float a = fabsf(x), b = fabsf(y);
  float most = a > b ? a : b, least = b < a ? b : a; /* as vectors have a maximum, a minimum */
  float t = least / (most > STX_GROUND_TINY ? most : STX_GROUND_TINY), s = t * t;
  float ss = s * s, p = STX_GROUND_ARC(t, s, ss);
  p = b > a ? 0.25f - p : p;
  p = x < 0 ? 0.5f - p : p;
  return y < 0 ? 1.0f - p : p;
}

STX_INLINE int stx_ground_is_near(float value)
{
  return fabsf(value) < STX_GROUND_FAR; /* false for NaN */
}

/* value as an index 0 … last; not a number becomes 0. */
STX_INLINE int stx_ground_index(float value, float last)
{
  value = value > 0.0f ? value : 0.0f;
  value = value < last ? value : last;
  return (int)value;
}

/* Without branches, so that it can be done for many points at once. What is not finite makes a
 * range that is not a number or infinite, even where the rotation multiplies it by 0. */
STX_INLINE StxGroundPoint stx_ground_place(const StxGroundFrame *frame, const float *point)
{
  const float *r = frame->rotation;
  float x = point[0], y = point[1], z = point[2];
  StxGroundPoint p = {r[0] * x + r[1] * y + r[2] * z, r[3] * x + r[4] * y + r[5] * z,
      r[6] * x + r[7] * y + r[8] * z, 0, -1};
  p.range = sqrtf(p.x * p.x + p.y * p.y);
  int bin = stx_ground_index((p.range - frame->r_min) * frame->bins_per_metre, frame->last_bin);
  int sector = stx_ground_index(stx_ground_turns(p.x, p.y) * frame->sectors, frame->last_sector);
  int inside = (p.range >= frame->r_min) & (p.range < frame->r_max) & stx_ground_is_near(p.z);
  p.bin = inside ? sector * frame->bins + bin : -1;
  return p;
}

#define STX_GROUND_WHOLE 12582912.0f      /* 1.5 · 2^23, */
#define STX_GROUND_WHOLE_BITS 0x4B400000u /* in memory */

/* To 1/1024 m, ties to even; |metres| < 2048. The addition rounds: of floats from 2^23 to 2^24 the
 * last bits are the whole number. What is further off, or no number, becomes any number, which
 * is not read: its point has no bin. */
STX_INLINE int32_t stx_ground_units(float metres)
{
  float sum = metres * STX_GROUND_UNIT + STX_GROUND_WHOLE;
  uint32_t bits;
  memcpy(&bits, &sum, sizeof bits);
  return (int32_t)(bits - STX_GROUND_WHOLE_BITS);
}

/* Bins compare their points by this: the lowest first, of those the nearest. */
STX_INLINE uint64_t stx_ground_key(int32_t z, int32_t range)
{
  return (uint64_t)((uint32_t)z ^ 0x80000000u) << 32 | (uint32_t)range;
}

STX_INLINE int32_t stx_ground_key_z(uint64_t key)
{
  return (int32_t)((uint32_t)(key >> 32) ^ 0x80000000u);
}

#define STX_GROUND_NO_KEY UINT64_MAX

/* The ground in a bin: height = intercept + slope · range; up < 0: there is none. */
typedef struct {
  float intercept, slope, up;
} StxGroundLevel;

STX_INLINE int stx_ground_is_ground(
    const StxGroundLevel *level, float below, const StxGroundPoint *point)
{
  float above = point->z - (level->intercept + level->slope * point->range);
  return (above < level->up) & (above > -below) & (level->up >= 0);
}
