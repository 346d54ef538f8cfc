/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From what rdp_split.inc.h leaves to the kept points of a column in their order. Which points are
 * kept is a set of bits; where most are, vectors of points are packed by it, else its bits are
 * listed one by one.
 */
#ifndef STX_RDP_LISTS_INC_H
#define STX_RDP_LISTS_INC_H

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

/* Finds the kept points of a column, whose levels are 0 afterwards; returns its levels. */
static uint32_t find_kept(const Splitter *s, Column *column)
{
  uint16_t levels[2 * LANES], most = 0;
  Ints largest = ri_set(0);
  int kept = 0;
  for (int i = 0; i < blocks_of(column->points); i++) {
    column->kept[i] = ri_take_kept(s->levels + column->begin + i * BLOCK, &largest);
    kept += __builtin_popcountll(column->kept[i]);
  }
  ri_store(levels, largest);
  for (int i = 0; i < 2 * LANES; i++)
    most = levels[i] > most ? levels[i] : most;
  column->segments = kept - 1;
  return most;
}

static void pack_list(const Splitter *s, const Column *column, List *list)
{
  const unsigned all = (1u << LANES) - 1;
  int blocks = blocks_of(column->points), count = 0;
  for (int i = 0; i < blocks; i++) {
    const uint32_t first = column->begin + (uint32_t)i * BLOCK;
    uint64_t kept = column->kept[i], after = i + 1 < blocks ? column->kept[i + 1] : 0;
    uint64_t followed = kept >> 1 | after << 63; /* by a kept point, so that no x lies between */
    for (int j = 0; j < BLOCK; j += LANES) {
      unsigned bits = (unsigned)(kept >> j) & all, looked = (unsigned)(~followed >> j) & all;
      Ints points = ri_load(s->points + first + j);
      Ints largest = ri_only(ri_load(s->largest + first + j), looked);
      ri_pack_two(list->points + count, points, (uint32_t *)list->largest + count, largest, bits);
      count += __builtin_popcount(bits);
    }
  }
  ri_store(list->points + count, ri_set(0)); /* whoever reads whole vectors meets points */
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
  for (int i = 0; i <= LANES; i += LANES)
    ri_store(index + i, ri_set((int32_t)column->begin));
}

static void gather_list(const Splitter *s, const Column *column, List *list)
{
  list_bits(column, list->index);
  for (int i = 0; i <= column->segments; i += LANES) {
    Ints at = ri_load(list->index + i), next = ri_load(list->index + i + 1);
    Ints largest = ri_gather((const uint32_t *)s->largest, at);
    ri_store(list->points + i, ri_gather(s->points, at));
    ri_store(list->largest + i, ri_where_above(ri_sub(next, at), ri_set(1), largest, ri_set(0)));
  }
}

static void list_kept(const Splitter *s, const Column *column, List *list)
{
  if (column->segments > column->points / MANY)
    pack_list(s, column, list);
  else
    gather_list(s, column, list);
}

#endif
