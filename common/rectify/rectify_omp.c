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

/* The same of packed 4:2:2: `pixels` has source, stride and target, `colours` the other map. */
typedef struct {
  Row pixels, colours;
  const StxRectifyPacked *packed;
} PackedRow;

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

/* Pairs done by vectors. */
static int row_packed(const PackedRow *row)
{
  return 0;
}
#endif

/* ---- Planes -------------------------------------------------------------------------------- */

typedef struct {
  const StxRectifyMap *map;
  const StxRectifySample *sample;
  const StxImage8 *source, *target;
} Shared;

/* A factor of 16 bits. */
static bool fits(const Row *row)
{
  return row->stride >= INT16_MIN && row->stride <= INT16_MAX;
}

static Row row_of(const StxRectifyMap *map, const StxImage8 *source, const StxImage8 *target, int y)
{
  size_t first = (size_t)y * (size_t)map->width;
  return (Row){.source = source->data,
      .stride = source->stride,
      .source_width = map->source_width,
      .place = map->place + first,
      .fraction = map->fraction + first,
      .width = map->width,
      .target = stx_row8(target, y)};
}

static inline __attribute__((always_inline)) void rest_of_row(const Row *row, int x, int bytes)
{
  for (; x < row->width; x++)
    stx_rectify_sample(row->source, row->stride, row->place[x], row->fraction[x], bytes,
        row->border, row->target + x * bytes);
}

static void do_row(const Row *row, int bytes)
{
  switch (bytes) {
  case 1:
    rest_of_row(row, fits(row) ? row_1(row) : 0, 1);
    break;
  case 2:
    rest_of_row(row, fits(row) ? row_2(row) : 0, 2);
    break;
  case 3:
    rest_of_row(row, fits(row) ? row_3(row) : 0, 3);
    break;
  default:
    rest_of_row(row, fits(row) ? row_4(row) : 0, 4);
  }
}

static void do_batch(void *data, int batch, int worker)
{
  const Shared *s = data;
  const StxRectifyMap *map = s->map;
  for (int y = batch * BATCH; y < (batch + 1) * BATCH && y < map->height; y++) {
    Row row = row_of(map, s->source, s->target, y);
    row.border = s->sample->border;
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

/* ---- Packed 4:2:2 -------------------------------------------------------------------------- */

typedef struct {
  const StxRectifyMap *pixels, *colours;
  const StxRectifyPacked *packed;
  const StxImage8 *source, *target;
} SharedPacked;

static void do_packed_row(const PackedRow *row)
{
  const Row *pixels = &row->pixels, *colours = &row->colours;
  for (int u = fits(pixels) ? row_packed(row) : 0; u < colours->width; u++)
    stx_rectify_pair_of_pixels(row->packed, pixels->source, pixels->stride, pixels->place + 2 * u,
        pixels->fraction + 2 * u, 2 * u + 1 < pixels->width ? 2 : 1, colours->place[u],
        colours->fraction[u], pixels->target + 4 * u);
}

static void do_packed_batch(void *data, int batch, int worker)
{
  const SharedPacked *s = data;
  for (int y = batch * BATCH; y < (batch + 1) * BATCH && y < s->pixels->height; y++) {
    PackedRow row = {row_of(s->pixels, s->source, s->target, y),
        row_of(s->colours, s->source, s->target, y), s->packed};
    do_packed_row(&row);
  }
}

bool STX_VARIANT(stx_rectify_run_packed)(const StxRectifyMap *pixels, const StxRectifyMap *colours,
    const StxRectifyPacked *packed, const StxImage8 *source, const StxImage8 *target,
    const StxPlace *place, StxError *error)
{
  SharedPacked shared = {pixels, colours, packed, source, target};
  stx_parallel(place->threads, (pixels->height + BATCH - 1) / BATCH, do_packed_batch, &shared);
  return true;
}
