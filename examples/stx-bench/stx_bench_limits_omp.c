/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/stx-bench/stx_bench_limits.h"

#include <stddef.h>
#include <string.h>

/*
 * Vectors of the widest registers of the instruction set, in GCC's and Clang's portable notation.
 * Twelve independent chains cover the latency of an addition on today's cores (at most four or
 * five cycles, two or three units) and still fit 16 registers with one to spare.
 */
#if defined(__AVX512F__)
#define WIDTH 64
#elif defined(__AVX2__)
#define WIDTH 32
#else
#define WIDTH 16
#endif
#define CHAINS 12

typedef unsigned char Bytes __attribute__((vector_size(WIDTH)));
typedef double Doubles __attribute__((vector_size(WIDTH)));

/* Makes the compiler believe that a register was looked at and changed. */
#if defined(__x86_64__)
#define OPAQUE(vector) __asm__ volatile("" : "+v"(vector))
#elif defined(__aarch64__)
#define OPAQUE(vector) __asm__ volatile("" : "+w"(vector))
#else
#define OPAQUE(vector) __asm__ volatile("" : "+m"(vector))
#endif

double STX_VARIANT(bench_add8)(long rounds, double *sink)
{
  Bytes chain[CHAINS], one;
  memset(&one, 1, sizeof one);
  memset(chain, 0, sizeof chain);
  for (long i = 0; i < rounds; i++)
#pragma GCC unroll 12
    for (int c = 0; c < CHAINS; c++) {
      chain[c] += one;
      OPAQUE(chain[c]);
    }
  for (int c = 0; c < CHAINS; c++)
    *sink += chain[c][0];
  return (double)rounds * CHAINS * WIDTH;
}

double STX_VARIANT(bench_mul_add)(long rounds, double *sink)
{
  Doubles chain[CHAINS], factor, summand;
  for (size_t lane = 0; lane < WIDTH / sizeof(double); lane++) {
    factor[lane] = 0.999;
    summand[lane] = 0.001;
  }
  for (int c = 0; c < CHAINS; c++)
    chain[c] = summand;
  for (long i = 0; i < rounds; i++)
#pragma GCC unroll 12
    for (int c = 0; c < CHAINS; c++) {
      chain[c] = chain[c] * factor + summand;
      OPAQUE(chain[c]);
    }
  for (int c = 0; c < CHAINS; c++)
    *sink += chain[c][0];
  return (double)rounds * CHAINS * (double)(WIDTH / sizeof(double)) * 2;
}
