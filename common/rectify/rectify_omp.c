/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fast code: threads over rows; vectors where the processor can load from places of a vector. */
#include "common/rectify/rectify_math.h"
#include "common/rectify/rectify_private.h"

#include "common/parallel.h"

#define BATCH 16 /* rows that a thread takes at a time: they share the source's lines */

/* A row of the target, and all of the source. */
typedef struct {
  const uint8_t *source;
  ptrdiff_t stride;
  int source_width; /* samples */
  const uint32_t *place;
  const uint16_t *fraction;
  int width;
  const uint8_t *border;
  uint8_t *target;
} Row;

#ifdef __AVX2__
#include "common/rectify/rectify_simd_avx2.inc.h"
#else
/* Samples done by vectors. */
static int row_1(const Row *row)
{
  return 0;
}
#define row_2 row_1
#define row_3 row_1
#define row_4 row_1
#endif

typedef struct {
  const StxRectifyMap *map;
  const StxRectifySample *sample;
  const StxImage8 *source, *target;
} Shared;

static inline __attribute__((always_inline)) void rest_of_row(const Row *row, int x, int bytes)
{
  for (; x < row->width; x++)
    stx_rectify_sample(row->source, row->stride, row->place[x], row->fraction[x], bytes,
        row->border, row->target + x * bytes);
}

static void do_row(const Row *row, int bytes)
{
  bool fits = row->stride >= INT16_MIN && row->stride <= INT16_MAX; /* a factor of 16 bits */
  switch (bytes) {
  case 1:
    rest_of_row(row, fits ? row_1(row) : 0, 1);
    break;
  case 2:
    rest_of_row(row, fits ? row_2(row) : 0, 2);
    break;
  case 3:
    rest_of_row(row, fits ? row_3(row) : 0, 3);
    break;
  default:
    rest_of_row(row, fits ? row_4(row) : 0, 4);
  }
}

static void do_batch(void *data, int batch, int worker)
{
  const Shared *s = data;
  const StxRectifyMap *map = s->map;
  for (int y = batch * BATCH; y < (batch + 1) * BATCH && y < map->height; y++) {
    size_t first = (size_t)y * (size_t)map->width;
    Row row = {s->source->data, s->source->stride, map->source_width, map->place + first,
        map->fraction + first, map->width, s->sample->border, stx_row8(s->target, y)};
    do_row(&row, s->sample->bytes);
  }
}

bool STX_VARIANT(stx_rectify_run)(const StxRectifyMap *map, const StxRectifySample *sample,
    const StxImage8 *source, const StxImage8 *target, const StxPlace *place, StxError *error)
{
  Shared shared = {map, sample, source, target};
  stx_parallel(place->threads, (map->height + BATCH - 1) / BATCH, do_batch, &shared);
  return true;
}
