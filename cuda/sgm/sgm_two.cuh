/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Costs of two lines at the same candidate, as one value: what sgm_paths.cuh calculates with.
 *
 * Packed: two halves of a word. From sm_90 on a minimum of both, with an addition before it, is one
 * instruction. Costs of a path are at most 31 + P2 <= 127, and with a penalty on top at most 127 +
 * 255: halves never overflow. They never borrow either: what reaches a pixel is no less than the
 * least cost that is subtracted from it.
 *
 * Apart: two words. Before sm_90 a minimum of halves is five instructions, of two words it is two.
 */
#ifndef STX_SGM_TWO_CUH
#define STX_SGM_TWO_CUH

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

/* The least of all lanes. Of a word's halves the upper one decides. */
STX_DEVICE Packed least_of_warp(Packed value)
{
  const uint32_t b = warp_min(value.both), a = warp_min(value.both & 0xffff);
  return {(b & 0xffff0000) | a};
}

STX_DEVICE Apart least_of_warp(Apart value)
{
  return {warp_min(value.a), warp_min(value.b)};
}

/* From the lane below, from the lane above; the first and the last keep their own. */
STX_DEVICE Packed from_below(Packed value)
{
  return {__shfl_up_sync(STX_FULL_WARP, value.both, 1)};
}

STX_DEVICE Apart from_below(Apart value)
{
  return {__shfl_up_sync(STX_FULL_WARP, value.a, 1), __shfl_up_sync(STX_FULL_WARP, value.b, 1)};
}

STX_DEVICE Packed from_above(Packed value)
{
  return {__shfl_down_sync(STX_FULL_WARP, value.both, 1)};
}

STX_DEVICE Apart from_above(Apart value)
{
  return {__shfl_down_sync(STX_FULL_WARP, value.a, 1), __shfl_down_sync(STX_FULL_WARP, value.b, 1)};
}

/* 0 in place of those that are not kept. */
STX_DEVICE void keep(Packed *value, bool a, bool b)
{
  value->both &= (a ? 0xffffu : 0) | (b ? 0xffff0000u : 0);
}

STX_DEVICE void keep(Apart *value, bool a, bool b)
{
  value->a = a ? value->a : 0, value->b = b ? value->b : 0;
}

/* Two candidates in bytes: a's are the lower half, b's the upper one. */
STX_DEVICE uint32_t bytes_of(Packed first, Packed second)
{
  return second.both * 256 + first.both; /* a₀ a₁ b₀ b₁ */
}

STX_DEVICE uint32_t bytes_of(Apart first, Apart second)
{
  return first.a + second.a * 256 + first.b * 65536 + (second.b << 24);
}

/* Four candidates: a's in one word, b's in another. */
STX_DEVICE void words_of(const Packed *four, uint32_t *a, uint32_t *b)
{
  const uint32_t low = bytes_of(four[0], four[1]), high = bytes_of(four[2], four[3]);
  *a = __byte_perm(low, high, 0x5410);
  *b = __byte_perm(low, high, 0x7632);
}

STX_DEVICE void words_of(const Apart *four, uint32_t *a, uint32_t *b)
{
  *a = four[0].a + four[1].a * 256 + four[2].a * 65536 + (four[3].a << 24);
  *b = four[0].b + four[1].b * 256 + four[2].b * 65536 + (four[3].b << 24);
}

#endif
