/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colormap, the fast one; compiled once per instruction set. Rows by several threads, in runs of
 * pixels: their levels, and then their colours.
 */
#include "common/parallel.h"
#include "common/colormap/colormap_math.h"
#include "common/colormap/colormap_private.h"

#include <string.h>

#define CHUNK_ROWS 16
#define RUN 128 /* pixels; two of the largest squares */

#define INLINE static inline __attribute__((always_inline))

typedef struct {
  const StxColormapInput *input;
  const StxColormapTable *table;
  const StxColormapPicture *picture;
} Job;

/* ---- Levels of a run ----------------------------------------------------------------------- */

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

static void levels(const Job *job, int x, int y, int n, uint8_t level[RUN])
{
  if (job->input->bytes.data != NULL) {
    levels_of_bytes(job, x, y, n, level);
    return;
  }
  const uint16_t *numbers = stx_row16(&job->input->map, y) + x;
  for (int i = 0; i < n; i++)
    level[i] = job->table->level[numbers[i]];
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

static void paint_rows(void *data, int chunk, int worker)
{
  const Job *job = data;
  int end = (chunk + 1) * CHUNK_ROWS;
  const StxColormapPicture *picture = job->picture;
  for (int y = chunk * CHUNK_ROWS; y < end && y < picture->height; y++) {
    uint8_t *row = picture->data + y * picture->stride, level[RUN];
    for (int x = 0; x < picture->width; x += RUN) {
      int n = picture->width - x < RUN ? picture->width - x : RUN;
      levels(job, x, y, n, level);
      if (picture->pixel == 4)
        paint_run(job, level, n, y, row + 4 * (size_t)x, 4);
      else
        paint_run(job, level, n, y, row + 3 * (size_t)x, 3);
    }
  }
}

bool STX_VARIANT(stx_colormap_paint)(const StxColormapInput *input, const StxColormapTable *table,
    const StxColormapPicture *picture, const StxPlace *place, StxError *error)
{
  Job job = {.input = input, .table = table, .picture = picture};
  stx_parallel(place->threads, (picture->height + CHUNK_ROWS - 1) / CHUNK_ROWS, paint_rows, &job);
  return true;
}
