/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From what rdp_split.inc.h leaves to the kept points of a column in their order, and to its
 * records. Which points are kept is a set of bits; where most are, vectors of points are packed by
 * it, else its bits are listed one by one.
 */
#pragma once

#include "common/rdp/rdp_math.h"
#include "common/rdp/rdp_split.inc.h"

#define MANY 8    /* the list is packed if one point in so many is kept */
#define AT_ONCE 4 /* bits of a word that are listed without asking for more */

/* A column in the splitter. */
typedef struct {
  uint32_t begin; /* its first point; its levels go on with zeros to a whole block */
  int points, segments;
  uint64_t *kept; /* a bit for each point */
} Column;

/* Kept points, the top one first, and for each the largest x of the segment that begins there. */
typedef struct {
  uint32_t *points;
  int32_t *largest;
  uint32_t *index; /* of points in the splitter */
} List;

static int blocks_of(int points)
{
  return (points + BLOCK - 1) / BLOCK;
}

/* Bit i: levels[i], i < BLOCK, was not 0; is 0 now. *most: the largest so far, of each lane. */
INLINE uint64_t take_kept(uint16_t *levels, VecU16 *most)
{
  uint64_t kept = 0;
  for (int i = 0; i < BLOCK; i += 2 * LANES_16) {
    VecU16 a = load_u16(levels + i), b = load_u16(levels + i + LANES_16);
    *most = max_u16(*most, max_u16(a, b));
    store_u16(levels + i, set1_u16(0));
    store_u16(levels + i + LANES_16, set1_u16(0));
    kept |= nonzero_bits_u16(a, b) << i;
  }
  return kept;
}

/* Finds the kept points of a column, whose levels are 0 afterwards; returns its levels. */
static uint32_t find_kept(const Splitter *s, Column *column)
{
  uint16_t levels[2 * LANES_32], most = 0;
  VecU16 largest = set1_u16(0);
  int kept = 0;
  for (int i = 0; i < blocks_of(column->points); i++) {
    column->kept[i] = take_kept(s->levels + column->begin + i * BLOCK, &largest);
    kept += __builtin_popcountll(column->kept[i]);
  }
  store_u16(levels, largest);
  for (int i = 0; i < 2 * LANES_32; i++)
    most = levels[i] > most ? levels[i] : most;
  column->segments = kept - 1;
  return most;
}

static void pack_list(const Splitter *s, const Column *column, List *list)
{
  const unsigned all = (1u << LANES_32) - 1;
  int blocks = blocks_of(column->points), count = 0;
  for (int i = 0; i < blocks; i++) {
    const uint32_t first = column->begin + (uint32_t)i * BLOCK;
    uint64_t kept = column->kept[i], after = i + 1 < blocks ? column->kept[i + 1] : 0;
    uint64_t followed = kept >> 1 | after << 63; /* by a kept point, so that no x lies between */
    for (int j = 0; j < BLOCK; j += LANES_32) {
      unsigned bits = (unsigned)(kept >> j) & all, looked = (unsigned)(~followed >> j) & all;
      VecI32 points = load_i32(s->points + first + j);
      VecI32 largest = load_i32(s->largest + first + j);
      compress_store_i32(list->points + count, points, bits);
      compress_store_i32(list->largest + count, keep_i32(mask_of_bits(looked), largest), bits);
      count += __builtin_popcount(bits);
    }
  }
  store_i32(list->points + count, set1_i32(0)); /* reads of whole vectors meet points */
}

static void list_bits(const Column *column, uint32_t *index)
{
  const uint64_t none = (uint64_t)1 << 63; /* ends the search for the next bit */
  for (int i = 0; i < blocks_of(column->points); i++) {
    const uint32_t first = column->begin + (uint32_t)i * BLOCK;
    uint64_t bits = column->kept[i];
    if (bits == 0)
      continue;
    uint32_t *end = index + __builtin_popcountll(bits);
    for (int j = 0; j < AT_ONCE; j++, bits &= bits - 1)
      index[j] = first + (uint32_t)__builtin_ctzll(bits | none);
    for (index += AT_ONCE; bits != 0; bits &= bits - 1)
      *index++ = first + (uint32_t)__builtin_ctzll(bits);
    index = end;
  }
  for (int i = 0; i <= LANES_32; i += LANES_32)
    store_i32(index + i, set1_i32((int32_t)column->begin));
}

static void gather_list(const Splitter *s, const Column *column, List *list)
{
  list_bits(column, list->index);
  for (int i = 0; i <= column->segments; i += LANES_32) {
    VecI32 at = load_i32(list->index + i), next = load_i32(list->index + i + 1);
    VecI32 largest = gather_i32((const uint32_t *)s->largest, at);
    store_i32(list->points + i, gather_i32(s->points, at));
    store_i32(
        list->largest + i, blend_i32(gt_i32(sub_i32(next, at), set1_i32(1)), largest, set1_i32(0)));
  }
}

static void list_kept(const Splitter *s, const Column *column, List *list)
{
  if (column->segments > column->points / MANY)
    pack_list(s, column, list);
  else
    gather_list(s, column, list);
}

/* ---- Records ------------------------------------------------------------------------------ */

#define GROUP 16    /* records that are made together */
#define MOST_FEW 48 /* segments of a column whose weights are summed up one by one */
#define AHEAD 1536  /* bytes: how far before it is written memory for records is asked for */

/* The sum of the weights above each cell; returns that of all. */
static uint32_t sum_weights(const uint16_t *weights, int rows, uint32_t *sums)
{
  uint16_t rest[LANES_32] = {0};
  VecI32 sum = set1_i32(0);
  int i = 0;
  *sums++ = 0;
  for (; i + LANES_32 <= rows; i += LANES_32) {
    VecI32 running = prefix_sum_i32(widen_u16(weights + i));
    store_i32(sums + i, add_i32(running, sum));
    sum = add_i32(sum, last_lane_i32(running));
  }
  memcpy(rest, weights + i, (size_t)(rows - i) * sizeof *rest);
  sum = add_i32(prefix_sum_i32(widen_u16(rest)), sum);
  store_i32(sums + i, sum);
  return (uint32_t)sum[LANES_32 - 1];
}

#define PAIRED (2 * LANES_32)

/* For every lane the sum of two weights, each less 32768, since a product takes them with a sign;
 * only of the first `count` weights. */
INLINE VecI32 paired(const uint16_t *weights, int count)
{
  static const int16_t ones[64] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  return madd_i16(flip(load_i32(weights)), load_i32(ones + 32 - count));
}

/* The sums of the weights above some points, and last of all: less work per cell, more per point.
 */
static void sum_weights_above(const uint16_t *weights, int rows, const uint32_t *points, int count,
    uint32_t *lanes, uint32_t *sums)
{
  uint16_t rest[PAIRED] = {0};
  VecI32 sum = set1_i32(0);
  uint32_t *to = lanes;
  int i = 0;
  for (; i + PAIRED <= rows; i += PAIRED, to += LANES_32) {
    store_i32(to, sum);
    sum = add_i32(sum, paired(weights + i, PAIRED));
  }
  store_i32(to, sum);
  memcpy(rest, weights + i, (size_t)(rows - i) * sizeof *rest);
  sums[count] =
      (uint32_t)reduce_add_i32(add_i32(sum, paired(rest, rows - i)))[0] + (uint32_t)rows * 32768;
  for (int j = 0; j < count; j++) {
    uint32_t at = points[j] & 0xFFFF, inside = at % PAIRED, from = at - inside;
    VecI32 cells = paired((int)from < i ? weights + from : rest, (int)inside);
    sums[j] = (uint32_t)reduce_add_i32(add_i32(load_i32(lanes + from / 2), cells))[0] + at * 32768;
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
  for (int i = 0; i < GROUP; i += LANES_32) {
    VecI32 words[WORDS_OF_RECORD] = {load_i32(places[0] + i), load_i32(places[1] + i)};
    for (int j = 0; j < 4; j++)
      words[2 + j] = load_i32(values[j] + i);
    store6_i32((char *)records + (size_t)i * sizeof(StxStixel), words);
  }
}

/* Input of the records. */
typedef struct {
  StxRdpRecords grid;
  int rows;
  uint32_t *sums;  /* prefix sums: of weights above a cell */
  uint32_t *above; /* of weights above the points of a list */
} Records;

/* Writes the records of a list with `count` segments. Before the list and the sums GROUP words may
 * be read. */
static void write_records(const Records *r, int column, const uint16_t *weights, const List *list,
    int count, StxStixel *records)
{
  /* All sums before a record is made: a vector that was stored in parts just before would be waited
   * for, behind the records. */
  if (count <= MOST_FEW) {
    sum_weights_above(weights, r->rows, list->points, count, r->sums + 1, r->above);
  } else {
    uint32_t all = sum_weights(weights, r->rows, r->sums);
    for (int i = 0; i < count; i += LANES_32)
      store_i32(r->above + i, gather_i32(r->sums, low_half(load_i32(list->points + i))));
    r->above[count] = all; /* the lowest cell is a record's, too */
  }
  for (int left = count; left > 0; left -= GROUP, records += GROUP) {
    int from = left - GROUP;
    StxStixel rest[GROUP];
    for (size_t i = 0; i < GROUP * sizeof *records; i += STX_ALIGN) /* will be written */
      __builtin_prefetch((const char *)records + AHEAD + i, 1);
    write_group(&r->grid, column, list->points + from, list->largest + from, r->above + from,
        left < GROUP ? rest : records);
    if (left < GROUP)
      memcpy(records, rest, (size_t)left * sizeof *rest);
  }
}
