/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Luma, the fast one; compiled once per instruction set. Rows by several threads; a loop for each
 * kind of pixel with constants for where its bytes are, which compilers turn into vectors.
 */
#include "common/cpu.h"
#include "common/luma/luma_math.h"
#include "common/luma/luma.h"
#include "common/parallel.h"

#include <stdatomic.h>

STX_DECLARE(StxLumaImpl, stx_luma, run);

#define CHUNK_ROWS 32

#define INLINE static inline __attribute__((always_inline))

typedef struct {
  const StxLumaFormat *format;
  const StxImage8 *picture, *gray;
  int shift;
  atomic_uint most; /* the largest word so far */
} Job;

/* ---- Rows ---------------------------------------------------------------------------------- */

INLINE void bytes_row(const uint8_t *restrict from, uint8_t *restrict to, int n, int step)
{
#pragma omp simd
  for (int x = 0; x < n; x++)
    to[x] = from[x * step];
}

INLINE void words_row(const uint8_t *restrict from, uint8_t *restrict to, int n, int low, int shift)
{
#pragma omp simd
  for (int x = 0; x < n; x++)
    to[x] = stx_luma_of_word(stx_luma_word(from + 2 * x, low, 1 - low), shift);
}

INLINE unsigned largest_of_row(const uint8_t *from, int n, int low)
{
  unsigned most = 0;
#pragma omp simd reduction(max : most)
  for (int x = 0; x < n; x++) {
    unsigned word = stx_luma_word(from + 2 * x, low, 1 - low);
    most = word > most ? word : most;
  }
  return most;
}

/* Green is in the middle. */
INLINE void colours_row(
    const uint8_t *restrict from, uint8_t *restrict to, int n, int step, int red)
{
#pragma omp simd
  for (int x = 0; x < n; x++)
    to[x] = stx_luma_of_colours(from[x * step + red], from[x * step + 1], from[x * step + 2 - red]);
}

static void make_colours(const StxLumaFormat *format, const uint8_t *from, uint8_t *to, int n)
{
  const int first = format->at[1] - 1, red = format->at[0] - first;
  if (format->pixel == 3 && red == 0)
    colours_row(from, to, n, 3, 0);
  else if (format->pixel == 3)
    colours_row(from, to, n, 3, 2);
  else if (red == 0)
    colours_row(from + first, to, n, 4, 0);
  else
    colours_row(from + first, to, n, 4, 2);
}

/* ---- Pictures ------------------------------------------------------------------------------ */

static int chunk_end(const Job *job, int chunk)
{
  int end = (chunk + 1) * CHUNK_ROWS;
  return end < job->picture->height ? end : job->picture->height;
}

static void make_rows(void *data, int chunk, int worker)
{
  const Job *job = data;
  const StxLumaFormat *format = job->format;
  const int n = job->picture->width;
  for (int y = chunk * CHUNK_ROWS, end = chunk_end(job, chunk); y < end; y++) {
    const uint8_t *from = stx_row8(job->picture, y);
    uint8_t *to = stx_row8(job->gray, y);
    if (format->kind == STX_LUMA_COLOURS)
      make_colours(format, from, to, n);
    else if (format->kind == STX_LUMA_BYTES && format->pixel == 2)
      bytes_row(from + format->at[0], to, n, 2);
    else if (format->kind == STX_LUMA_BYTES)
      bytes_row(from + format->at[0], to, n, 4);
    else if (format->at[0] == 0)
      words_row(from, to, n, 0, job->shift);
    else
      words_row(from, to, n, 1, job->shift);
  }
}

static void find_most(void *data, int chunk, int worker)
{
  Job *job = data;
  unsigned most = 0, known;
  for (int y = chunk * CHUNK_ROWS, end = chunk_end(job, chunk); y < end; y++) {
    const uint8_t *row = stx_row8(job->picture, y);
    unsigned here = job->format->at[0] == 0 ? largest_of_row(row, job->picture->width, 0)
                                            : largest_of_row(row, job->picture->width, 1);
    most = here > most ? here : most;
  }
  known = atomic_load(&job->most);
  while (known < most && !atomic_compare_exchange_weak(&job->most, &known, most))
    continue;
}

bool STX_VARIANT(stx_luma_run)(const StxLumaFormat *format, int bits, const StxImage8 *picture,
    const StxImage8 *gray, void *scratch, const StxPlace *place, StxError *error)
{
  Job job = {format, picture, gray, stx_luma_shift(format, bits), 0};
  const int chunks = (picture->height + CHUNK_ROWS - 1) / CHUNK_ROWS;
  if (stx_luma_wants_most(format, bits)) {
    stx_parallel(place->threads, chunks, find_most, &job);
    job.shift = stx_luma_shift_for(atomic_load(&job.most));
  }
  stx_parallel(place->threads, chunks, make_rows, &job);
  return true;
}
