/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sums S of candidates, from the bytes of the volumes: four at a time, in a word. */
#pragma once

#include "cuda/sgm/sgm_args.h"

enum { GROUP = STX_SGM_COLUMNS }; /* pixels whose bytes are loaded together */

/* The sums of a lane's candidates, in bytes; of two candidates in the lower half. */
template <int K> struct Sums {
  uint32_t words[(K + 3) / 4];
};

STX_DEVICE void load_sums(const uint8_t *from, Sums<2> *to)
{
  to->words[0] = *(const unsigned short *)from;
}

STX_DEVICE void load_sums(const uint8_t *from, Sums<4> *to)
{
  to->words[0] = *(const unsigned *)from;
}

STX_DEVICE void load_sums(const uint8_t *from, Sums<8> *to)
{
  const uint2 v = *(const uint2 *)from;
  to->words[0] = v.x, to->words[1] = v.y;
}

/*
 * S of sgm.h, byte by byte, from the volumes. Four paths: L_left + L_right and L_up + L_down.
 * Eight: L_left + L_up and L_up-left + L_up-right, and the same two of B. None is above 254.
 */
STX_DEVICE uint32_t mean_of(const uint32_t (&v)[2])
{
  return __vavgu4(v[0], v[1]);
}

/* (p + 1) / 2 + (q + 1) / 2, each rounded down; the mean of both lacks 1 where both are odd. */
STX_DEVICE uint32_t sum_of_halves(uint32_t p, uint32_t q)
{
  return __vavgu4(p, q) + (p & q & 0x01010101u);
}

STX_DEVICE uint32_t mean_of(const uint32_t (&v)[4])
{
  return __vavgu4(sum_of_halves(v[0], v[1]), sum_of_halves(v[2], v[3]));
}

/* The words of the volumes that make up the sums of GROUP pixels. */
template <int K, int PATHS> struct Group {
  Sums<K> parts[GROUP][PATHS / 2];
};

/* S of the lane's candidates. */
template <int K, int PATHS> STX_DEVICE Sums<K> sums_of(const Sums<K> (&parts)[PATHS / 2])
{
  Sums<K> sums;
#pragma unroll
  for (int w = 0; w < (K + 3) / 4; w++) {
    uint32_t v[PATHS / 2];
#pragma unroll
    for (int i = 0; i < PATHS / 2; i++)
      v[i] = parts[i].words[w];
    sums.words[w] = mean_of(v);
  }
  return sums;
}

template <int PATHS> STX_DEVICE int sum_at(const StxSgmWinnerArgs *a, size_t at)
{
  uint32_t v[PATHS / 2];
#pragma unroll
  for (int i = 0; i < PATHS / 2; i++)
    v[i] = __ldg(a->volumes[i] + at);
  return (int)mean_of(v);
}
