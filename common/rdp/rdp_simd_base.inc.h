/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The vectors of rdp_simd.inc.h with the compiler's generic vectors: 4 lanes, any machine. Spelt
 * out for SSE2 is what it has and the generic form would not find; for NEON that is in
 * rdp_simd_neon.inc.h. */
#ifndef STX_RDP_SIMD_BASE_INC_H
#define STX_RDP_SIMD_BASE_INC_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LANES 4
typedef int32_t Ints __attribute__((vector_size(16)));

#ifdef __aarch64__
#include "common/rdp/rdp_simd_neon.inc.h"
#endif

INLINE Ints ri_load(const void *p)
{
  Ints a;
  memcpy(&a, p, sizeof a);
  return a;
}

INLINE Ints ri_set(int value)
{
  return (Ints){value, value, value, value};
}

#ifndef __aarch64__
INLINE Ints ri_dot(Ints a, Ints b)
{
#ifdef __SSE2__
  return (Ints)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
  return (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
#endif
}
#endif

INLINE Ints ri_flip(Ints a)
{
  return a ^ ri_set((int32_t)0x80008000);
}

INLINE Ints ri_add(Ints a, Ints b)
{
  return a + b;
}

INLINE Ints ri_sub(Ints a, Ints b)
{
  return a - b;
}

#ifndef __aarch64__
INLINE Ints ri_abs(Ints a)
{
  Ints sign = a >> 31;
  return (a ^ sign) - sign;
}
#endif

INLINE Ints ri_where_above(Ints a, Ints b, Ints c, Ints d)
{
  Ints above = a > b;
  return (above & c) | (~above & d);
}

INLINE Ints ri_where_equal(Ints a, Ints b, Ints c, Ints d)
{
  Ints equal = a == b;
  return (equal & c) | (~equal & d);
}

INLINE Ints ri_times(Ints a, Ints b)
{
  return a * b;
}

INLINE Ints ri_low(Ints a)
{
  return a & 0xFFFF;
}

INLINE Ints ri_high(Ints a)
{
  return a >> 16;
}

INLINE Ints ri_half(Ints a)
{
  return a >> 1;
}

INLINE Ints ri_join(Ints low, Ints high)
{
  return (low & 0xFFFF) | (high << 16);
}

#ifndef __aarch64__
INLINE Ints ri_max(Ints a, Ints b)
{
  return ri_where_above(a, b, a, b);
}

INLINE Ints ri_min(Ints a, Ints b)
{
  return ri_where_above(a, b, b, a);
}

/* The signs of the lanes. */
INLINE unsigned ri_bits(Ints a)
{
#ifdef __SSE2__
  return (unsigned)_mm_movemask_ps((__m128)a);
#else
  return (unsigned)((a[0] & 1) | (a[1] & 2) | (a[2] & 4) | (a[3] & 8));
#endif
}
#endif

INLINE unsigned ri_equal_bits(Ints a, Ints b)
{
  return ri_bits(a == b);
}

INLINE unsigned ri_above_bits(Ints a, Ints b)
{
  return ri_bits(a > b);
}

#define RI_REDUCE(op, a)                                                                           \
  do {                                                                                             \
    a = op(a, __builtin_shufflevector(a, a, 2, 3, 0, 1));                                          \
    a = op(a, __builtin_shufflevector(a, a, 1, 0, 3, 2));                                          \
  } while (0)

INLINE int ri_lane0(Ints a)
{
  return a[0];
}

INLINE Ints ri_ascending(void)
{
  return (Ints){0, 1, 2, 3};
}

INLINE Ints ri_points(const uint16_t *cells, Ints unknown)
{
  Ints wide = {cells[0], cells[1], cells[2], cells[3]};
  return (wide << 16) ^ unknown;
}

#ifndef __aarch64__
INLINE bool ri_known(const uint16_t *cells)
{
#ifdef __SSE2__
  __m128i none = _mm_setzero_si128(), first = _mm_cmpeq_epi16((__m128i)ri_load(cells), none);
  __m128i second = _mm_cmpeq_epi16((__m128i)ri_load(cells + 2 * LANES), none);
  return _mm_movemask_epi8(_mm_or_si128(first, second)) == 0;
#else
  for (int i = 0; i < 4 * LANES; i++)
    if (cells[i] == 0)
      return false;
  return true;
#endif
}

#ifdef __SSE2__
INLINE Ints ri_halves(void)
{
  return (Ints)_mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
}

INLINE void ri_points_of_two(const uint16_t *cells, Ints halves, Ints *points)
{
  __m128i values = (__m128i)ri_flip(ri_load(cells));
  points[0] = (Ints)_mm_unpacklo_epi16((__m128i)halves, values);
  points[1] = (Ints)_mm_unpackhi_epi16((__m128i)halves, values);
}
#else
INLINE Ints ri_halves(void)
{
  return ri_ascending() * 0x10001; /* the fours of both halves follow from it */
}

INLINE void ri_points_of_two(const uint16_t *cells, Ints halves, Ints *points)
{
  Ints unknown = ri_low(halves) ^ INT32_MIN;
  points[0] = ri_points(cells, unknown);
  points[1] = ri_points(cells + LANES, unknown + LANES);
}
#endif
#endif

INLINE Ints ri_last(Ints a)
{
  return ri_set(a[3]);
}

INLINE Ints ri_running(const uint16_t *n)
{
  int two = n[0] + n[1], three = two + n[2];
  return (Ints){n[0], two, three, three + n[3]};
}

INLINE void ri_pack(uint32_t *to, Ints a, unsigned bits)
{
  for (int i = 0, count = 0; i < LANES; i++) {
    to[count] = (uint32_t)a[i];
    count += bits >> i & 1;
  }
}

INLINE void ri_pack_two(uint32_t *to, Ints a, uint32_t *to2, Ints b, unsigned bits)
{
  ri_pack(to, a, bits);
  ri_pack(to2, b, bits);
}

INLINE void ri_store(void *to, Ints a)
{
  memcpy(to, &a, sizeof a);
}

INLINE Ints ri_gather(const uint32_t *points, Ints at)
{
  return (Ints){(int32_t)points[at[0]], (int32_t)points[at[1]], (int32_t)points[at[2]],
      (int32_t)points[at[3]]};
}

/* Two records from their thirds, 8 bytes each. */
INLINE void two_records(char *to, Ints a, Ints b, Ints c)
{
  ri_store(to, __builtin_shufflevector(a, b, 0, 1, 4, 5));
  ri_store(to + 16, __builtin_shufflevector(c, a, 0, 1, 6, 7));
  ri_store(to + 32, __builtin_shufflevector(b, c, 2, 3, 6, 7));
}

INLINE void ri_zip(Ints a, Ints b, Ints *low, Ints *high)
{
  *low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  *high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
}

INLINE void ri_records(void *to, const Ints words[6])
{
  Ints low[3], high[3];
  for (int i = 0; i < 3; i++)
    ri_zip(words[2 * i], words[2 * i + 1], &low[i], &high[i]);
  two_records(to, low[0], low[1], low[2]);
  two_records((char *)to + 48, high[0], high[1], high[2]);
}

INLINE void ri_columns(const uint32_t *points, const uint32_t *first, Ints *point)
{
  for (int i = 0; i < 8; i++, points++)
    point[i] = (Ints){(int32_t)points[first[0]], (int32_t)points[first[1]],
        (int32_t)points[first[2]], (int32_t)points[first[3]]};
}

INLINE Ints ri_four(const uint32_t *points, const uint32_t *first)
{
  return ri_load(points + first[0]);
}

INLINE void ri_zip_twos(Ints a, Ints b, Ints *low, Ints *high)
{
  *low = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  *high = __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

#ifndef __aarch64__
INLINE uint64_t ri_take_kept(uint16_t *levels, Ints *most)
{
  uint64_t kept = 0;
#ifdef __SSE2__
  __m128i none = _mm_setzero_si128();
  for (int i = 0; i < 64; i += 16) {
    __m128i a = (__m128i)ri_load(levels + i), b = (__m128i)ri_load(levels + i + 8);
    *most = (Ints)_mm_max_epi16((__m128i)*most, _mm_max_epi16(a, b));
    __m128i not = _mm_packs_epi16(_mm_cmpeq_epi16(a, none), _mm_cmpeq_epi16(b, none));
    kept |= (uint64_t)(~_mm_movemask_epi8(not ) & 0xFFFF) << i;
  }
#else
  uint16_t largest[2 * LANES];
  memcpy(largest, most, sizeof largest);
  for (int i = 0; i < 64; i++) {
    kept |= (uint64_t)(levels[i] != 0) << i;
    largest[i % 8] = levels[i] > largest[i % 8] ? levels[i] : largest[i % 8];
  }
  memcpy(most, largest, sizeof largest);
#endif
  memset(levels, 0, 64 * sizeof *levels);
  return kept;
}
#endif

INLINE Ints ri_only(Ints a, unsigned bits)
{
  Ints bit = {1, 2, 4, 8};
  return a & ((ri_set((int)bits) & bit) == bit);
}

#endif
