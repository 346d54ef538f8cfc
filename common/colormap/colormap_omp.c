/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colormap, the fast one; compiled once per instruction set. Rows by several threads, in runs of
 * pixels: their levels, which for errors is arithmetic on vectors, and then their colours.
 */
#include "common/parallel.h"
#include "common/colormap/colormap_math.h"
#include "common/colormap/colormap_private.h"

#include <stdatomic.h>
#include <string.h>

#define CHUNK_ROWS 16
#define RUN 128 /* pixels; two of the largest squares */

#define INLINE static inline __attribute__((always_inline))

typedef struct {
  const StxColormapInput *input;
  const StxColormapTable *table;
  const StxColormapPicture *picture;
  atomic_ullong truth, known, bad, sum;
} Job;

/* ---- Levels of a run ----------------------------------------------------------------------- */

/* Both of 1/256 px. Sums of 128 pixels fit 32 bits. Errors are masked: where a condition chose
 * them, GCC 12 added up others. */
static void levels_of_errors(const uint16_t *restrict disparity, const uint16_t *restrict truth,
    uint8_t *restrict level, int n, StxColormapCount *count)
{
  uint32_t truths = 0, known = 0, bad = 0, sum = 0;
#pragma omp simd reduction(+ : truths, known, bad, sum)
  for (int i = 0; i < n; i++) {
    uint32_t d = disparity[i], t = truth[i], error = stx_colormap_error(d, t);
    uint32_t here = stx_colormap_error_level(error, t), has_truth = t != 0,
             both = has_truth & (d != 0);
    truths += has_truth;
    known += both;
    sum += error & (0u - both);
    bad += both & (here >= STX_COLORMAP_OUTLIER);
    level[i] = (uint8_t)(both ? here : has_truth ? STX_COLORMAP_MISSING : 0);
  }
  count->truth += truths;
  count->known += known;
  count->bad += bad;
  count->sum += sum;
}

/* The run as disparities: where they lie, or by the table, in `room`. */
static const uint16_t *disparities(
    const StxColormapInput *input, int map, int x, int y, int n, uint16_t room[RUN])
{
  const uint16_t *numbers = stx_row16(map == 0 ? &input->map : &input->truth, y) + x;
  if (input->disparities == NULL)
    return numbers;
  for (int i = 0; i < n; i++)
    room[i] = input->disparities->disparity[map][numbers[i]];
  return room;
}

static void levels_of_bytes(const Job *job, int x, int y, int n, uint8_t level[RUN])
{
  const uint8_t *bytes = stx_row8(&job->input->bytes, y) + x;
  if (job->input->map.data == NULL) {
    for (int i = 0; i < n; i++)
      level[i] = job->table->level[bytes[i]];
    return;
  }
  const uint16_t *numbers = stx_row16(&job->input->map, y) + x;
  for (int i = 0; i < n; i++)
    level[i] = (uint8_t)stx_colormap_sure_level(job->table, bytes[i], numbers[i]);
}

static void levels(const Job *job, int x, int y, int n, uint8_t level[RUN], StxColormapCount *count)
{
  const StxColormapInput *input = job->input;
  uint16_t room[2][RUN];
  if (input->bytes.data != NULL) {
    levels_of_bytes(job, x, y, n, level);
  } else if (input->truth.data != NULL)
    levels_of_errors(disparities(input, 0, x, y, n, room[0]),
        disparities(input, 1, x, y, n, room[1]), level, n, count);
  else {
    const uint16_t *numbers = stx_row16(&input->map, y) + x;
    for (int i = 0; i < n; i++)
      level[i] = job->table->level[numbers[i]];
  }
}

/* ---- Colours of a run ---------------------------------------------------------------------- */

/* Pixels of three bytes are written as four, of which the next pixel overwrites one, up to the last
 * one of the run. */
INLINE void paint_run(
    const Job *job, const uint8_t *level, int n, int y, uint8_t *to, const int pixel)
{
  const StxColormapTable *table = job->table;
  const int square = job->picture->square, whole = pixel == 4 ? n : n - 1;
  for (int x = 0; x < whole; x++)
    memcpy(to + (size_t)x * (size_t)pixel,
        &table->paint[stx_colormap_square(x, y, square)][level[x]], 4);
  if (whole < n)
    memcpy(to + (size_t)whole * (size_t)pixel,
        &table->paint[stx_colormap_square(whole, y, square)][level[whole]], (size_t)pixel);
}

static void add(Job *job, const StxColormapCount *count)
{
  if (job->input->truth.data == NULL)
    return;
  atomic_fetch_add(&job->truth, count->truth);
  atomic_fetch_add(&job->known, count->known);
  atomic_fetch_add(&job->bad, count->bad);
  atomic_fetch_add(&job->sum, count->sum);
}

static void paint_row(const Job *job, int y, StxColormapCount *count)
{
  const StxColormapPicture *picture = job->picture;
  uint8_t *row = picture->data + y * picture->stride, level[RUN];
  for (int x = 0; x < picture->width; x += RUN) {
    int n = picture->width - x < RUN ? picture->width - x : RUN;
    levels(job, x, y, n, level, count);
    if (picture->pixel == 4)
      paint_run(job, level, n, y, row + 4 * (size_t)x, 4);
    else
      paint_run(job, level, n, y, row + 3 * (size_t)x, 3);
  }
}

static void paint_rows(void *data, int chunk, int worker)
{
  Job *job = data;
  StxColormapCount count = {0};
  int end = (chunk + 1) * CHUNK_ROWS;
  for (int y = chunk * CHUNK_ROWS; y < end && y < job->picture->height; y++)
    paint_row(job, y, &count);
  add(job, &count);
}

bool STX_VARIANT(stx_colormap_paint)(const StxColormapInput *input, const StxColormapTable *table,
    const StxColormapPicture *picture, StxColormapCount *count, const StxPlace *place,
    StxError *error)
{
  Job job = {.input = input, .table = table, .picture = picture};
  stx_parallel(place->threads, (picture->height + CHUNK_ROWS - 1) / CHUNK_ROWS, paint_rows, &job);
  *count = (StxColormapCount){atomic_load(&job.truth), atomic_load(&job.known),
      atomic_load(&job.bad), atomic_load(&job.sum)};
  return true;
}
