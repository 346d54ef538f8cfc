/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every fast implementation against the reference where fewer threads come than were asked for:
 * because the system grants fewer, or none (the linker sends the pool's pthread_create() here; see
 * meson.build), because two threads ask at once, and within a piece of another loop. No machine has
 * as many cores as MANY. Memory is filled with one byte for the reference and with another for what
 * is tested, so that unwritten bytes differ.
 */
#include "common/parallel.h"
#include "tests/common/granted_threads.h"
#include "tests/common/oracle.h"
#include "tests/common/variants_hash.h"
#include "tests/testing.h"

enum { MANY = 48, REFERENCE_FILLING = 0x3C, TESTED_FILLING = 0xA5, STEMS = 10 };

typedef struct {
  const VariantsStem *stem;
  uint64_t expected;
} Check;

static void compare_impls(const Check *check, int threads)
{
  for (size_t i = 0; i < check->stem->impls->count; i++) {
    const VariantsRun run = {stx_impl_at(check->stem->impls, i), threads, true};
    if (stx_impl_usable(run.impl) && check->stem->hash(&run) != check->expected)
      ck_abort_msg("%s, %s, %d threads: other bytes", check->stem->stem, run.impl->name, threads);
  }
}

static void *compare_beside(void *data)
{
  compare_impls(data, 3);
  return NULL;
}

static void compare_within(void *data, int i, int worker)
{
  compare_impls(data, 3);
}

/* Asks for more threads than there may be; then from two threads at once; then within a loop. */
STX_TEST_LOOP(no_stem_needs_a_number_of_threads, STEMS)
{
  static const int threads[] = {1, 2, 5, MANY}, more[] = {0, 1, 1, MANY};
  ck_assert_uint_eq(variants_stem_count, STEMS);
  Check check = {.stem = &variants_stems[_i]};
  stx_guarded_filling(REFERENCE_FILLING);
  check.expected = check.stem->hash(&(VariantsRun){oracle(check.stem->impls), 1, true});
  stx_guarded_filling(TESTED_FILLING);
  for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
    grant_threads(more[i]);
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++)
      compare_impls(&check, threads[t]);
    pthread_t beside = start_thread(compare_beside, &check);
    compare_impls(&check, 2);
    pthread_join(beside, NULL);
    stx_parallel(2, 2, compare_within, &check);
  }
}
