/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Costs of two of a lane's K candidates, d and d + K / 2, as one value: what sgm_paths.cuh
 * calculates with. The neighbours of a value are then values, too, but for the first and the last
 * one.
 *
 * Packed: two halves of a word. From sm_90 on a minimum of both, with an addition before it, is one
 * instruction. Costs of a path are at most 31 + P2 <= 127, and with a penalty on top at most 127 +
 * 255: halves never overflow. They never borrow either: what reaches a pixel is no less than the
 * least cost that is subtracted from it.
 *
 * Apart: two words. Before sm_90 a minimum of halves is five instructions, of two words it is two.
 */
#pragma once

#include "cuda/driver/gpu.cuh"

#include "cuda/driver/threads.cuh"

struct Packed {
  uint32_t both; /* a, b << 16 */
};

struct Apart {
  uint32_t a, b;
};

/* half: 65536, but as a number that the compiler does not know. It multiplies and adds in one
 * instruction; of a shift and an addition it makes two. */
STX_DEVICE void set(Packed *to, uint32_t a, uint32_t b, uint32_t half)
{
  to->both = b * half + a;
}

STX_DEVICE void set(Apart *to, uint32_t a, uint32_t b, uint32_t)
{
  to->a = a, to->b = b;
}

/* min(from + price, other) */
STX_DEVICE Packed reach(Packed from, Packed price, Packed other)
{
  return {__viaddmin_u16x2(from.both, price.both, other.both)};
}

STX_DEVICE Apart reach(Apart from, Apart price, Apart other)
{
  return {min(from.a + price.a, other.a), min(from.b + price.b, other.b)};
}

/* reached − least + cost */
STX_DEVICE Packed arrive(Packed reached, Packed least, Packed cost)
{
  return {reached.both - least.both + cost.both};
}

STX_DEVICE Apart arrive(Apart reached, Apart least, Apart cost)
{
  return {reached.a - least.a + cost.a, reached.b - least.b + cost.b};
}

STX_DEVICE Packed lesser(Packed p, Packed q)
{
  return {__vminu2(p.both, q.both)};
}

STX_DEVICE Apart lesser(Apart p, Apart q)
{
  return {min(p.a, q.a), min(p.b, q.b)};
}

/* The least of all lanes, twice. */
STX_DEVICE Packed least_of_warp(Packed value)
{
  return {warp_min(__vminu2(value.both, __byte_perm(value.both, 0, 0x1032)))};
}

STX_DEVICE Apart least_of_warp(Apart value)
{
  const uint32_t least = warp_min(min(value.a, value.b));
  return {least, least};
}

/* The value below the first one, from the last of the lane below (lane 0 has none) and of the other
 * half. */
STX_DEVICE Packed from_below(Packed last)
{
  return {__byte_perm(__shfl_up_sync(STX_FULL_WARP, last.both, 1), last.both, 0x5432)};
}

STX_DEVICE Apart from_below(Apart last)
{
  return {__shfl_up_sync(STX_FULL_WARP, last.b, 1), last.a};
}

/* The value above the last one, from the first of the lane above. */
STX_DEVICE Packed from_above(Packed first)
{
  return {__byte_perm(first.both, __shfl_down_sync(STX_FULL_WARP, first.both, 1), 0x5432)};
}

STX_DEVICE Apart from_above(Apart first)
{
  return {first.b, __shfl_down_sync(STX_FULL_WARP, first.a, 1)};
}

/* The lane's candidates in bytes, in their order. */
STX_DEVICE uint32_t bytes_of(const Packed (&two)[1])
{
  return __byte_perm(two[0].both, 0, 0x4420);
}

STX_DEVICE uint32_t bytes_of(const Packed (&four)[2])
{
  return four[1].both * 256 + four[0].both;
}

STX_DEVICE uint2 bytes_of(const Packed (&eight)[4])
{
  const uint32_t first = eight[1].both * 256 + eight[0].both;  /* 0 1 4 5 */
  const uint32_t second = eight[3].both * 256 + eight[2].both; /* 2 3 6 7 */
  return make_uint2(__byte_perm(first, second, 0x5410), __byte_perm(first, second, 0x7632));
}

STX_DEVICE uint32_t bytes_of(const Apart (&two)[1])
{
  return two[0].a + two[0].b * 256;
}

STX_DEVICE uint32_t bytes_of(const Apart (&four)[2])
{
  return four[0].a + four[1].a * 256 + four[0].b * 65536 + (four[1].b << 24);
}

STX_DEVICE uint2 bytes_of(const Apart (&v)[4])
{
  return make_uint2(v[0].a + v[1].a * 256 + v[2].a * 65536 + (v[3].a << 24),
      v[0].b + v[1].b * 256 + v[2].b * 65536 + (v[3].b << 24));
}
