/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys 256·S + d of candidates, two to a value of sgm_two.cuh: what sgm_winner.cuh calculates with.
 * The key is where it decides comparisons: Packed, in either half of a word; Apart, in the upper
 * halves of two words, and below it is nothing but d once more. What combines the two of a value,
 * or the lanes of a warp, has the key in its upper half.
 */
#ifndef STX_SGM_KEYS_CUH
#define STX_SGM_KEYS_CUH

#include "cuda/sgm/sgm_two.cuh"

/* Of the bytes of `sums`, with those of `candidates`, the first two or the last two. */
STX_DEVICE void set_keys(Packed *to, uint32_t sums, uint32_t candidates, bool last)
{
  to->both = __byte_perm(sums, candidates, last ? 0x3726 : 0x1504);
}

STX_DEVICE void set_keys(Apart *to, uint32_t sums, uint32_t candidates, bool last)
{
  to->a = __byte_perm(sums, candidates, last ? 0x2666 : 0x0444);
  to->b = __byte_perm(sums, candidates, last ? 0x3777 : 0x1555);
}

/* No key is as large. */
STX_DEVICE void set_none(Packed *to)
{
  to->both = ~0u;
}

STX_DEVICE void set_none(Apart *to)
{
  to->a = to->b = ~0u;
}

STX_DEVICE uint32_t lesser_of_both(Packed keys)
{
  return __vminu2(keys.both, keys.both << 16);
}

STX_DEVICE uint32_t lesser_of_both(Apart keys)
{
  return min(keys.a, keys.b);
}

/* The later key of two. */
STX_DEVICE uint32_t later_of_both(Packed keys)
{
  return keys.both;
}

STX_DEVICE uint32_t later_of_both(Apart keys)
{
  return keys.b;
}

/* Each key moves on by one: that of `before` comes in, the later one goes out. */
STX_DEVICE Packed moved_on(uint32_t before, Packed keys)
{
  return {__byte_perm(before, keys.both, 0x5432)};
}

STX_DEVICE Apart moved_on(uint32_t before, Apart keys)
{
  return {before, keys.a};
}

/* The least of a word's bytes, in the uppermost of the result. */
STX_DEVICE uint32_t least_byte(Packed *, uint32_t word)
{
  const uint32_t halves = __vminu2(word, word << 8);
  return __vminu2(halves, halves << 16);
}

STX_DEVICE uint32_t least_byte(Apart *, uint32_t word)
{
  return min(min(word, word << 8), min(word << 16, word << 24));
}

#endif
