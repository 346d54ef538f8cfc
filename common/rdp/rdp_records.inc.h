/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a column's list of kept points to its records. */
#ifndef STX_RDP_RECORDS_INC_H
#define STX_RDP_RECORDS_INC_H

#include "common/rdp/rdp_lists.inc.h"
#include "common/rdp/rdp_math.h"

#define GROUP 16    /* records that are made together */
#define MOST_FEW 48 /* segments of a column whose weights are summed up one by one */
#define AHEAD 1536  /* bytes: how far before it is written memory for records is asked for */

/* The sum of the weights above each cell; returns that of all. */
static uint32_t sum_weights(const uint16_t *weights, int rows, uint32_t *sums)
{
  uint16_t rest[LANES] = {0};
  Ints sum = ri_set(0);
  int i = 0;
  *sums++ = 0;
  for (; i + LANES <= rows; i += LANES) {
    Ints running = ri_running(weights + i);
    ri_store(sums + i, ri_add(running, sum));
    sum = ri_add(sum, ri_last(running));
  }
  memcpy(rest, weights + i, (size_t)(rows - i) * sizeof *rest);
  sum = ri_add(ri_running(rest), sum);
  ri_store(sums + i, sum);
  return (uint32_t)ri_lane0(ri_last(sum));
}

#define PAIRED (2 * LANES)

/* For every lane the sum of two weights, each less 32768, since a product takes them with a sign;
 * only of the first `count` weights. */
INLINE Ints paired(const uint16_t *weights, int count)
{
  static const int16_t ones[64] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  return ri_dot(ri_flip(ri_load(weights)), ri_load(ones + 32 - count));
}

/* The sums of the weights above some points, and last of all: less work per cell, more per point.
 */
static void sum_weights_above(const uint16_t *weights, int rows, const uint32_t *points, int count,
    uint32_t *lanes, uint32_t *sums)
{
  uint16_t rest[PAIRED] = {0};
  Ints sum = ri_set(0);
  uint32_t *to = lanes;
  int i = 0;
  for (; i + PAIRED <= rows; i += PAIRED, to += LANES) {
    ri_store(to, sum);
    sum = ri_add(sum, paired(weights + i, PAIRED));
  }
  ri_store(to, sum);
  memcpy(rest, weights + i, (size_t)(rows - i) * sizeof *rest);
  sums[count] = (uint32_t)ri_total(ri_add(sum, paired(rest, rows - i))) + (uint32_t)rows * 32768;
  for (int j = 0; j < count; j++) {
    uint32_t at = points[j] & 0xFFFF, inside = at % PAIRED, from = at - inside;
    Ints cells = paired((int)from < i ? weights + from : rest, (int)inside);
    sums[j] = (uint32_t)ri_total(ri_add(ri_load(lanes + from / 2), cells)) + at * 32768;
  }
}

#define WORDS_OF_RECORD (sizeof(StxStixel) / sizeof(uint32_t))

/* Writes GROUP records, the lowest first: of the segments between the points, which have the sums
 * of weights above them; the largest x belongs to the upper point of each. */
static __attribute__((noinline)) void write_group(const StxRdpRecords *grid, int column,
    const uint32_t *points, const int32_t *largest, const uint32_t *sums, void *records)
{
  StxRdpRecords common = *grid; /* a copy: loads under a condition would not become vectors */
  const uint32_t kind = (uint32_t)STX_KIND_SEGMENT << 16 | (uint32_t)STX_LABEL_NONE << 24;
  uint32_t places[2][GROUP];
  float values[4][GROUP];
#pragma omp simd
  for (int i = 0; i < GROUP; i++) {
    int f = GROUP - 1 - i, l = f + 1;
    StxRdpSegment segment = {column, (int)(points[f] & 0xFFFF), (int)(points[l] & 0xFFFF),
        points[f] >> 16 ^ 0x8000, points[l] >> 16 ^ 0x8000, (uint32_t)largest[f],
        sums[l] - sums[f]};
    StxRdpLine line = stx_rdp_line(&common, &segment);
    places[0][i] = (uint32_t)column | (uint32_t)line.top << 16;
    places[1][i] = ((uint32_t)line.bottom & 0xFFFF) | kind;
    values[0][i] = line.disparity_top;
    values[1][i] = line.disparity_bottom;
    values[2][i] = line.cost;
    values[3][i] = line.confidence;
  }
  for (int i = 0; i < GROUP; i += LANES) {
    Ints words[WORDS_OF_RECORD] = {ri_load(places[0] + i), ri_load(places[1] + i)};
    for (int j = 0; j < 4; j++)
      words[2 + j] = ri_load(values[j] + i);
    ri_records((char *)records + (size_t)i * sizeof(StxStixel), words);
  }
}

/* What making records takes. */
typedef struct {
  StxRdpRecords grid;
  int rows;
  uint32_t *sums;  /* of weights above a cell, */
  uint32_t *above; /*   above the points of a list */
} Records;

/* All sums before a record is made: a vector that was stored in parts just before would be waited
 * for, behind the records. */
static void sum_above(const Records *r, const uint16_t *weights, const List *list, int count)
{
  if (count <= MOST_FEW) {
    sum_weights_above(weights, r->rows, list->points, count, r->sums + 1, r->above);
    return;
  }
  uint32_t all = sum_weights(weights, r->rows, r->sums);
  for (int i = 0; i < count; i += LANES)
    ri_store(r->above + i, ri_gather(r->sums, ri_low(ri_load(list->points + i))));
  r->above[count] = all; /* the lowest cell is a record's, too */
}

/* Asks for memory that will be written. */
static inline void ask_for(const void *records)
{
  for (size_t i = 0; i < GROUP * sizeof(StxStixel); i += STX_ALIGN)
    __builtin_prefetch((const char *)records + AHEAD + i, 1);
}

/* Writes the records of a list with `count` segments. Before the list and the sums GROUP words may
 * be read. */
static void write_records(const Records *r, int column, const uint16_t *weights, const List *list,
    int count, StxStixel *records)
{
  sum_above(r, weights, list, count);
  for (int left = count; left > 0; left -= GROUP, records += GROUP) {
    int from = left - GROUP;
    StxStixel rest[GROUP];
    ask_for(records);
    write_group(&r->grid, column, list->points + from, list->largest + from, r->above + from,
        left < GROUP ? rest : records);
    if (left < GROUP)
      memcpy(records, rest, (size_t)left * sizeof *rest);
  }
}

#endif
