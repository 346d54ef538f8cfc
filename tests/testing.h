/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the check programs share: guarded images, reproducible fillings, comparison of an
 * implementation with the reference. Built on libcheck; a program is
 *
 *   START_TEST(equals_reference) { … } END_TEST
 *   static const StxTest tests[] = {{&equals_reference}, …};
 *   STX_TESTING_MAIN("sgm", tests)
 */
#ifndef STX_TESTING_H
#define STX_TESTING_H

#include <check.h>

#include "common/stx.h"
#include "tests/points.h"

typedef struct {
  const TTest *const *test;
} StxTest;

/* Runs the tests in one suite, each in its own process; returns main's exit status. */
int stx_testing_main(const char *suite, const StxTest *tests, size_t count);
#define STX_TESTING_MAIN(suite, tests)                                                             \
  int main(void)                                                                                   \
  {                                                                                                \
    return stx_testing_main(suite, tests, sizeof tests / sizeof tests[0]);                         \
  }

/* ---- Random numbers: the same sequence on every machine ----------------------------------- */

typedef struct {
  uint64_t state;
} StxRandom;

uint32_t stx_random(StxRandom *random);             /* 32 random bits */
int stx_random_below(StxRandom *random, int limit); /* 0 … limit − 1 */

/* Where every case is slow ($STX_CHECK_SIZES is "small": sanitizers, kernels as PTX). They see in a
 * few small cases what they would see in many. */
bool stx_test_small(void);

/* How many of so many random cases there are to be: a sixth of them where they are slow. */
int stx_rounds(int all);

/* ---- Guarded memory ----------------------------------------------------------------------- */

/* A block of exactly `size` bytes, 64-byte aligned, filled with 0xCD and followed and preceded by
 * guard bytes. stx_guarded_check fails the test when a guard byte changed; stx_guarded_free
 * checks, then frees. */
void *stx_guarded_alloc(size_t size);

/* From now on all blocks of this process are filled with `byte`. What two runs leave as it was
 * tells them apart if their memory was filled differently. */
void stx_guarded_filling(uint8_t byte);

void stx_guarded_check(const void *block);
void stx_guarded_free(void *block);

/* An image with `padding` extra bytes per row that nobody may touch, inside guarded memory. */
StxImage8 stx_test_image8(int width, int height, int padding);
StxImage16 stx_test_image16(int width, int height, int padding);
/* Fails the test if padding or guards were touched. Frees the image. */
void stx_test_image8_free(StxImage8 *image);
void stx_test_image16_free(StxImage16 *image);

/* How checkasm fills its inputs: all low, all high, uniform noise, or smooth with steps. */
typedef enum {
  STX_FILL_LOW,
  STX_FILL_HIGH,
  STX_FILL_NOISE,
  STX_FILL_STEPS,
  STX_FILL_COUNT
} StxFill;
void stx_fill8(const StxImage8 *image, StxFill fill, StxRandom *random);
void stx_fill16(const StxImage16 *image, StxFill fill, int max, StxRandom *random);

/* ---- Comparison --------------------------------------------------------------------------- */

/* Fails the test at the first byte that differs, naming `what` (variant, size, seed: whatever
 * repeats the case), the index and both values. */
void stx_expect_same(const void *expected, const void *actual, size_t size, const char *what);
void stx_expect_same_image8(const StxImage8 *expected, const StxImage8 *actual, const char *what);
void stx_expect_same_image16(
    const StxImage16 *expected, const StxImage16 *actual, const char *what);

/* FNV-1a of some bytes, going on from the hash of what came before. */
#define STX_HASH_BEGIN 0xcbf29ce484222325u
uint64_t stx_hash(uint64_t hash, const void *data, size_t bytes);

/* The folder with sample data ($STX_DATA, else ../shared/data seen from the source tree), or NULL
 * when there is none: then print "skipped: no data" and return. */
const char *stx_test_data(void);

#endif
