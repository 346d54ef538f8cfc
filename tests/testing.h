/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the check programs: tests that register themselves, guarded images, reproducible
 * fillings, comparison of an implementation with the reference. Built on libcheck; a program is
 *
 *   STX_TEST(equals_reference)
 *   {
 *     …
 *   }
 *
 * and as many more as it has; main is in testing.c.
 */
#pragma once

#include <check.h>

#include "common/stx.h"
#include "tests/points.h"

/* A test, which runs in a process of its own, in the order of the file. A loop is as many, which
 * are told apart by _i, from 0 on. */
#define STX_TEST_LOOP(name, turns)                                                                 \
  static void name(int _i);                                                                        \
  __attribute__((constructor)) static void name##_add(void)                                        \
  {                                                                                                \
    static const TTest test = {#name, name, __FILE__, __LINE__};                                   \
    stx_testing_add(&test, turns);                                                                 \
  }                                                                                                \
  static void name(int _i CK_ATTRIBUTE_UNUSED)
#define STX_TEST(name) STX_TEST_LOOP(name, 1)

void stx_testing_add(const TTest *test, int turns);

/* Runs what was added; returns main's exit status. */
int stx_testing_main(const char *suite);

/* ---- Random numbers: the same sequence on every machine ----------------------------------- */

typedef struct {
  uint64_t state;
} StxRandom;

uint32_t stx_random(StxRandom *random);             /* 32 random bits */
int stx_random_below(StxRandom *random, int limit); /* 0 … limit − 1 */

/* Where every case is slow ($STX_CHECK_SIZES is "small": sanitizers, kernels as PTX). They see in a
 * few small cases what they would see in many. */
bool stx_test_small(void);

/* The number of random cases to run, of so many: a sixth of them where they are slow. */
int stx_rounds(int all);

/* ---- What ends with its block ------------------------------------------------------------- */

/* A variable of a type that a test declares with one of the next two is freed where its block ends:
 * STX_AUTO(SgmPair) pair = …; STX_AUTO(StxScene) *scene = …; and what lies in guarded memory, or
 * malloc's, likewise: STX_GUARDED void *scratch = … */
#define STX_AUTO(Type) __attribute__((cleanup(stx_auto_##Type))) Type
#define STX_AUTO_VALUE(Type, free_value)                                                           \
  static inline void stx_auto_##Type(Type *value)                                                  \
  {                                                                                                \
    free_value(value);                                                                             \
  }
#define STX_AUTO_POINTER(Type, free_pointer)                                                       \
  static inline void stx_auto_##Type(Type **pointer)                                               \
  {                                                                                                \
    free_pointer(*pointer);                                                                        \
  }
#define STX_GUARDED __attribute__((cleanup(stx_guarded_end)))
#define STX_MALLOCED __attribute__((cleanup(stx_malloced_end)))
void stx_guarded_end(void *pointer); /* of a pointer to the block */
void stx_malloced_end(void *pointer);

/* ---- Guarded memory ----------------------------------------------------------------------- */

/* A block of exactly `size` bytes, 64-byte aligned, filled with 0xCD. Behind it is a page that
 * faults when it is read or written, and up to there, as before the block, are guard bytes.
 * stx_guarded_check fails the test when a guard byte changed; stx_guarded_free checks, then
 * frees. */
void *stx_guarded_alloc(size_t size);

/* From now on all blocks of this process are filled with `byte`. What two runs leave as it was
 * tells them apart if their memory was filled differently. */
void stx_guarded_filling(uint8_t byte);

void stx_guarded_check(const void *block);
void stx_guarded_free(void *block);

/* An image with `padding` extra bytes per row that must not be touched, inside guarded memory. */
StxImage8 stx_test_image8(int width, int height, int padding);
StxImage16 stx_test_image16(int width, int height, int padding);
/* Fails the test if padding or guards were touched. Frees the image. */
void stx_test_image8_free(StxImage8 *image);
void stx_test_image16_free(StxImage16 *image);
STX_AUTO_VALUE(StxImage8, stx_test_image8_free)
STX_AUTO_VALUE(StxImage16, stx_test_image16_free)

/* Fillings as in checkasm: all low, all high, uniform noise, or smooth with steps. */
typedef enum {
  STX_FILL_LOW,
  STX_FILL_HIGH,
  STX_FILL_NOISE,
  STX_FILL_STEPS,
  STX_FILL_COUNT
} StxFill;
void stx_fill8(const StxImage8 *image, StxFill fill, StxRandom *random);
void stx_fill16(const StxImage16 *image, StxFill fill, int max, StxRandom *random);

/* ---- Loops -------------------------------------------------------------------------------- */

/* The nearest index of `count`: a border repeats. */
static inline int brute_clamp(int value, int count)
{
  return value < 0 ? 0 : value < count ? value : count - 1;
}

/* Each pixel of an image of that size, row by row. */
#define STX_EACH_PIXEL(x, y, width, height)                                                        \
  for (int y = 0, x = 0; y < (height); x + 1 < (width) ? x++ : (x = 0, y++))

/* ---- Implementations ---------------------------------------------------------------------- */

/* Those of a table that this machine has, one after the other. */
#define STX_EACH_IMPL(Type, impl, table)                                                           \
  for (const Type *impl = NULL; (impl = stx_next_impl(table, impl)) != NULL;)
const void *stx_next_impl(const StxImplTable *table, const void *impl);

/* ---- Refusals ----------------------------------------------------------------------------- */

/* `check` refuses the parameters `good` where one member has this value, in a text that holds the
 * words. That it refuses each field alone, by name and range: check_fields.c. */
#define STX_REFUSES(check, good, member, value, words)                                             \
  do {                                                                                             \
    __typeof__(good) bad_ = good;                                                                  \
    StxError error_ = {""};                                                                        \
    bad_.member = (value);                                                                         \
    ck_assert(!check(&bad_, &error_));                                                             \
    stx_expect_words(&error_, words);                                                              \
    ck_assert(!check(&bad_, NULL));                                                                \
  } while (0)
void stx_expect_words(const StxError *error, const char *words);

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
