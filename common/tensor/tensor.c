/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/tensor/tensor.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "common/colmean/colmean_math.h"
#include "common/parallel.h"

#define CHUNK_ROWS 16

static int chunks_of(int rows)
{
  return (rows + CHUNK_ROWS - 1) / CHUNK_ROWS;
}

static int chunk_end(int chunk, int rows)
{
  int end = (chunk + 1) * CHUNK_ROWS;
  return end < rows ? end : rows;
}

/* ---- Numbers ------------------------------------------------------------------------------- */

void stx_tensor_table(
    StxTensorTable *table, double white, const double mean[3], const double std[3])
{
  for (int k = 0; k < 3; k++)
    for (int v = 0; v < 256; v++)
      table->value[k][v] = ((float)v / 255.f * (float)white - (float)mean[k]) / (float)std[k];
}

/* A float32 of these bits and below lies between two binary16 of its exponent, `shift` bits of
 * which are dropped. */
static uint32_t rounded(uint32_t bits, int shift)
{
  uint32_t half = (uint32_t)1 << (shift - 1), odd = bits >> shift & 1;
  return (bits + half - 1 + odd) >> shift;
}

uint16_t stx_tensor_half(float value)
{
  uint32_t bits, sign, magnitude;
  memcpy(&bits, &value, sizeof bits);
  sign = bits >> 16 & 0x8000;
  magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return (uint16_t)(sign | 0x7e00);
  if (magnitude >= 0x47800000) /* 2^16 */
    return (uint16_t)(sign | 0x7c00);
  if (magnitude >= 0x38800000) /* 2^-14, the least normal one */
    return (uint16_t)(sign | rounded(magnitude - 0x38000000, 13));
  if (magnitude < 0x33000000) /* 2^-25 */
    return (uint16_t)sign;
  return (
      uint16_t)(sign | rounded((magnitude & 0x7fffff) | 0x800000, (int)(126 - (magnitude >> 23))));
}

static float number_at(StxTensorType type, const void *data, size_t i)
{
  return type == STX_TENSOR_HALF ? stx_float_from_half(((const uint16_t *)data)[i])
                                 : ((const float *)data)[i];
}

/* ---- Pictures in --------------------------------------------------------------------------- */

/* Between two pixels of the picture: at `from`, and `part` of the way to the next. */
typedef struct {
  int from, next;
  float part;
} Between;

static Between between(const StxTensorAxis *axis, int i)
{
  Between at = {i < axis->picture ? i : axis->picture - 1, 0, 0};
  float place;
  at.next = at.from;
  if (!axis->resized)
    return at;
  place = ((float)i + .5f) * (float)axis->picture / (float)axis->network - .5f;
  place = place > 0 ? place : 0;
  at.from = (int)place < axis->picture ? (int)place : axis->picture - 1;
  at.next = at.from + 1 < axis->picture ? at.from + 1 : at.from;
  at.part = place - (float)at.from;
  return at;
}

typedef struct {
  const StxTensorView *view;
  void *tensor;
  const StxTensorTable *table;
  const StxTensorPixel *pixel;
  const StxImage8 *picture;
} Fill;

static void store(const StxTensorView *view, void *tensor, size_t at, float value)
{
  if (view->type == STX_TENSOR_HALF)
    ((uint16_t *)tensor)[at] = stx_tensor_half(value);
  else if (view->type == STX_TENSOR_BYTE)
    ((uint8_t *)tensor)[at] = (uint8_t)(value + .5f);
  else
    ((float *)tensor)[at] = value;
}

static float mixed(float a, float b, float part)
{
  return a + (b - a) * part;
}

/* One channel of a row between two rows of the picture. */
static void fill_resized(const Fill *fill, const float *number, int channel, Between y, size_t at)
{
  const StxTensorView *view = fill->view;
  const int bytes = fill->pixel->bytes, offset = fill->pixel->at[channel];
  const uint8_t *upper = stx_row8(fill->picture, y.from) + offset;
  const uint8_t *lower = stx_row8(fill->picture, y.next) + offset;
  for (int i = 0; i < view->x.network; i++, at += view->step) {
    Between x = between(&view->x, i);
    float above = mixed(number[upper[x.from * bytes]], number[upper[x.next * bytes]], x.part);
    float below = mixed(number[lower[x.from * bytes]], number[lower[x.next * bytes]], x.part);
    store(view, fill->tensor, at, mixed(above, below, y.part));
  }
}

/* One channel of a row as it is in the picture. */
static void fill_plain(const Fill *fill, const float *number, int channel, int row, size_t at)
{
  const StxTensorView *view = fill->view;
  const int bytes = fill->pixel->bytes, last = view->x.picture - 1;
  const uint8_t *from = stx_row8(fill->picture, row) + fill->pixel->at[channel];
  for (int x = 0; x <= last; x++, at += view->step)
    store(view, fill->tensor, at, number[from[x * bytes]]);
  for (int x = last + 1; x < view->x.network; x++, at += view->step)
    store(view, fill->tensor, at, number[from[last * bytes]]);
}

static void fill_rows(void *data, int chunk, int worker)
{
  const Fill *fill = data;
  const StxTensorView *view = fill->view;
  const int end = chunk_end(chunk, view->y.network);
  for (int i = chunk * CHUNK_ROWS; i < end; i++)
    for (int k = 0; k < view->channels; k++) {
      Between y = between(&view->y, i);
      size_t at = view->first + (size_t)i * view->row + (size_t)k * view->plane;
      if (view->x.resized || view->y.resized)
        fill_resized(fill, fill->table->value[k], k, y, at);
      else
        fill_plain(fill, fill->table->value[k], k, y.from, at);
    }
}

void stx_tensor_fill(const StxTensorView *view, void *tensor, const StxTensorTable *table,
    const StxTensorPixel *pixel, const StxImage8 *picture, int threads)
{
  Fill fill = {view, tensor, table, pixel, picture};
  stx_parallel(threads, chunks_of(view->y.network), fill_rows, &fill);
}

/* ---- Maps out ------------------------------------------------------------------------------ */

typedef struct {
  const StxTensorMap *map;
  const StxTensorAxis *x, *y;
  float factor;
  const StxImage16 *disparity;
  const StxImage8 *confidence;
  atomic_ullong known, negative, not_finite;
} Read;

/* The index, in a map of `count` numbers, at the centre of the picture's pixel i. */
static int index_of(const StxTensorAxis *axis, int count, int i)
{
  if (!axis->resized && count == axis->network)
    return i;
  int64_t over = axis->resized ? axis->picture : axis->network;
  int64_t index = (2 * (int64_t)i + 1) * count / (2 * over);
  return (int)(index < count ? index : count - 1);
}

static void read_disparities(void *data, int chunk, int worker)
{
  Read *read = data;
  const StxTensorMap *map = read->map;
  StxTensorCounts counts = {0};
  const int end = chunk_end(chunk, read->disparity->height);
  for (int y = chunk * CHUNK_ROWS; y < end; y++) {
    const size_t row = (size_t)index_of(read->y, map->height, y) * map->row;
    uint16_t *to = stx_row16(read->disparity, y);
    for (int x = 0; x < read->disparity->width; x++) {
      const size_t at = row + (size_t)index_of(read->x, map->width, x) * map->step;
      const float d = number_at(map->type, map->data, at) * read->factor;
      const bool finite = isfinite(d);
      const float steps = finite && d > 0 ? d * STX_DISPARITY_ONE + .5f : STX_DISPARITY_UNKNOWN;
      to[x] = steps < 65535 ? (uint16_t)steps : 65535;
      counts.known += to[x] != STX_DISPARITY_UNKNOWN;
      counts.negative += finite && d < 0;
      counts.not_finite += !finite;
    }
  }
  atomic_fetch_add(&read->known, counts.known);
  atomic_fetch_add(&read->negative, counts.negative);
  atomic_fetch_add(&read->not_finite, counts.not_finite);
}

void stx_tensor_disparity(const StxTensorMap *map, const StxTensorAxis *x, const StxTensorAxis *y,
    double factor, const StxImage16 *disparity, StxTensorCounts *counts, int threads)
{
  Read read = {.map = map, .x = x, .y = y, .factor = (float)factor, .disparity = disparity};
  stx_parallel(threads, chunks_of(disparity->height), read_disparities, &read);
  *counts = (StxTensorCounts){
      atomic_load(&read.known), atomic_load(&read.negative), atomic_load(&read.not_finite)};
}

static void read_confidences(void *data, int chunk, int worker)
{
  const Read *read = data;
  const StxTensorMap *map = read->map;
  const int end = chunk_end(chunk, read->confidence->height);
  for (int y = chunk * CHUNK_ROWS; y < end; y++) {
    const size_t row = (size_t)index_of(read->y, map->height, y) * map->row;
    uint8_t *to = stx_row8(read->confidence, y);
    for (int x = 0; x < read->confidence->width; x++) {
      const size_t at = row + (size_t)index_of(read->x, map->width, x) * map->step;
      const float c = number_at(map->type, map->data, at);
      to[x] = (uint8_t)(c >= 1 ? 255 : c > 0 ? c * 255 + .5f : 0);
    }
  }
}

void stx_tensor_confidence(const StxTensorMap *map, const StxTensorAxis *x, const StxTensorAxis *y,
    const StxImage8 *confidence, int threads)
{
  Read read = {.map = map, .x = x, .y = y, .confidence = confidence};
  stx_parallel(threads, chunks_of(confidence->height), read_confidences, &read);
}
