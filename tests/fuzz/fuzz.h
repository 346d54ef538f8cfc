/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the fuzz targets. A target is one file that defines
 *
 *   LLVMFuzzerTestOneInput   takes any bytes; aborts if something is wrong
 *   stx_fuzz_seed            inputs to begin with
 *   stx_fuzz_target          how they are varied
 *
 * and is linked twice. With replay.c it is a test of the suite, which needs no clang: the seeds and
 * random variations of them. With libFuzzer it is a program that looks for new ways through the
 * code:
 *
 *   CC=clang meson setup build-fuzz -Dfuzz=enabled -Dcuda=disabled -Dopenmp=disabled \
 *     -Db_sanitize=address,undefined -Db_lundef=false -Dc_args=-fno-sanitize-recover=all
 *   ninja -C build-fuzz fuzz
 *   build-fuzz/tests/fuzz/fuzz-elements --write-corpus corpus
 *   build-fuzz/tests/fuzz/libfuzzer-elements -max_len=4096 -detect_leaks=0 corpus
 *
 * which is what `tests/run.sh full` does, for each target. What an input did, fuzz-elements --files
 * shows again, in any build.
 */
#pragma once

#include "common/stx.h"
#include "tests/common/lidar_file/lidar_file_case.h" /* StxBytes */

/* ---- A target ------------------------------------------------------------------------------ */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Before the first input. Targets need not have it. */
int LLVMFuzzerInitialize(int *count, char ***arguments);

/* Appends the seed of that number, from 0 on. False: there are no more. */
bool stx_fuzz_seed(size_t number, StxBytes *seed);

typedef struct {
  const char *const *words; /* that mean something in its inputs; NULL ends them */
  size_t variations;        /* that replay.c runs: a few seconds of them */
} StxFuzzTarget;
extern const StxFuzzTarget stx_fuzz_target;

/* ---- Demands ------------------------------------------------------------------------------- */

/* Says what is wrong, and aborts. */
void stx_fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
#define stx_fuzz_expect(good, ...)                                                                 \
  do {                                                                                             \
    if (!(good))                                                                                   \
      stx_fuzz_fail(__VA_ARGS__);                                                                  \
  } while (0)

/* The text of an error has to say something, in UTF-8 without control characters. */
void stx_fuzz_expect_text(const char *text);

/* ---- Reading an input ---------------------------------------------------------------------- */

/* The first bytes of an input choose, the rest is payload. Behind the end everything is 0. */
typedef struct {
  const uint8_t *at, *end;
} StxFuzzInput;

static inline uint8_t stx_fuzz_byte(StxFuzzInput *input)
{
  return input->at < input->end ? *input->at++ : 0;
}

/* 0 … limit − 1, of one byte; `limit` is at most 256. */
static inline int stx_fuzz_below(StxFuzzInput *input, int limit)
{
  return stx_fuzz_byte(input) % limit;
}

/* Small numbers take one byte, those up to 65535 three, all others five. */
int32_t stx_fuzz_number(StxFuzzInput *input);

/* The same if it is 1 … limit, else brought there. */
int stx_fuzz_size(StxFuzzInput *input, int limit);

/* Any double: eight bytes. */
double stx_fuzz_double(StxFuzzInput *input);

/* Up to the next zero byte, which is passed over; at most room − 1 bytes. */
void stx_fuzz_text(StxFuzzInput *input, char *text, size_t room);

/* The path of file `number`, 0 or 1, with these bytes, in memory; good until it is asked for
 * again. */
const char *stx_fuzz_file(int number, const void *bytes, size_t size);

/* ---- Writing a seed ------------------------------------------------------------------------ */

void stx_fuzz_put_byte(StxBytes *seed, int byte);
void stx_fuzz_put_number(StxBytes *seed, int32_t number); /* as stx_fuzz_number reads it */
void stx_fuzz_put_text(StxBytes *seed, const char *text); /* with its zero byte */
