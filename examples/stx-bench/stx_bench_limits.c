/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/stx-bench/stx_bench_limits.h"

#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "examples/stx-bench/stx_bench_group.h"

#define COPY_BYTES ((size_t)96 << 20) /* per buffer, all threads together */
#define COPIES 9
#define LOOPS 40 /* short and many: one of them runs undisturbed */
#define ROUNDS 200000L

typedef struct {
  BenchLoop *add8, *mul_add;
} Loops;

static Loops pick_loops(void)
{
#if STX_BUILD_X86
  if (stx_cpu_flags() & STX_CPU_AVX512)
    return (Loops){bench_add8_avx512, bench_mul_add_avx512};
  if (stx_cpu_flags() & STX_CPU_AVX2)
    return (Loops){bench_add8_avx2, bench_mul_add_avx2};
#endif
  return (Loops){bench_add8_base, bench_mul_add_base};
}

/* The best of several runs counts: a limit is what the undisturbed machine can do. */
static double best_rate(double work, double begin, double best)
{
  double rate = work / (now_ms() - begin) / 1e6; /* 10⁹ per second */
  return rate > best ? rate : best;
}

static double copy_rate(int threads)
{
  char *from = malloc(COPY_BYTES), *to = malloc(COPY_BYTES);
  double best = 0;
  if (from != NULL && to != NULL) {
    memset(from, 1, COPY_BYTES);
    memset(to, 2, COPY_BYTES);
    size_t part = COPY_BYTES / (size_t)threads;
    for (int i = 0; i < COPIES; i++) {
      double begin = now_ms();
#pragma omp parallel for num_threads(threads) schedule(static)
      for (int t = 0; t < threads; t++)
        memcpy(to + (size_t)t * part, from + (size_t)t * part, part);
      best = best_rate(2.0 * (double)part * threads, begin, best);
    }
  }
  free(from);
  free(to);
  return best;
}

static double loop_rate(BenchLoop *loop, int threads)
{
  double best = 0;
  for (int i = 0; i < LOOPS; i++) {
    double work = 0, total = 0, begin = now_ms();
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : work, total)
    for (int t = 0; t < threads; t++) {
      double sink = 0;
      work += loop(ROUNDS, &sink);
      total += sink;
    }
    best = best_rate(work, begin, best);
  }
  return best;
}

BenchLimits bench_limits(int threads)
{
  Loops loops = pick_loops();
  return (BenchLimits){
      .threads = threads,
      .copy = copy_rate(threads),
      .add8 = loop_rate(loops.add8, threads),
      .mul_add = loop_rate(loops.mul_add, threads),
  };
}
