/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Connected cells of ground's grid by runs: L. He, Y. Chao and K. Suzuki, "A Run-Based Two-Scan
 * Labeling Algorithm", TIP 17(5), 2008. Cells that follow one another in a row are a run; runs that
 * touch one of the row before are joined by union-find, the root of a set being its first run. So
 * the sets are numbered in the order of their first cells. Private to common/ground/ground_omp.c.
 */
#pragma once

#include "common/ground/ground_lines_math.h"

#include <string.h>

typedef struct {
  uint16_t first, last; /* cells of its row */
  uint32_t root;        /* a run no later than itself */
  uint32_t cluster;     /* of a root */
} StxGroundRun;

typedef struct {
  int side, words;   /* cells in each direction, words of bits in a row */
  uint32_t *number;  /* side rows of words · 64 cells: the cluster of each that is occupied */
  StxGroundRun *run; /* of all rows, one after the other */
  uint32_t *begin;   /* side + 1: the first run of each row */
} StxGroundClusters;

static inline int stx_ground_row_words(int side)
{
  return (side + 63) / 64;
}

/* Bytes of a table of bits, one per cell, side rows of whole words. */
static inline size_t stx_ground_occupied_bytes(int side)
{
  return (size_t)side * (size_t)stx_ground_row_words(side) * sizeof(uint64_t);
}

/* Takes what the clusters need. */
static inline void stx_ground_clusters_take(
    StxLayout *at, const StxGroundParams *params, StxGroundClusters *c)
{
  c->side = stx_ground_side(params);
  c->words = stx_ground_row_words(c->side);
  STX_TAKE(at, c->number, (size_t)c->side * (size_t)c->words * 64);
  STX_TAKE(at, c->run, (size_t)c->side * (size_t)((c->side + 1) / 2));
  STX_TAKE(at, c->begin, c->side + 1);
}

/* The first cell from `from` on whose bit is `value`, or side. */
static inline int stx_ground_find_bit(const uint64_t *row, int from, int side, int value)
{
  for (int word = from / 64; word * 64 < side; word++) {
    uint64_t bits = value ? row[word] : ~row[word];
    if (word == from / 64)
      bits &= ~(uint64_t)0 << from % 64;
    if (bits != 0) {
      int at = word * 64 + __builtin_ctzll(bits);
      return at < side ? at : side;
    }
  }
  return side;
}

static inline uint32_t stx_ground_root(StxGroundRun *run, uint32_t at)
{
  while (run[at].root != at) {
    run[at].root = run[run[at].root].root;
    at = run[at].root;
  }
  return at;
}

static inline void stx_ground_unite(StxGroundRun *run, uint32_t a, uint32_t b)
{
  a = stx_ground_root(run, a);
  b = stx_ground_root(run, b);
  run[a > b ? a : b].root = a < b ? a : b;
}

/* Appends the runs of a row, joined with those of the row before. */
static inline void stx_ground_add_row(StxGroundClusters *c, const uint64_t *occupied, int row)
{
  const uint64_t *bits = occupied + (size_t)row * (size_t)c->words;
  uint32_t count = c->begin[row];
  uint32_t above = row > 0 ? c->begin[row - 1] : 0, above_end = c->begin[row];
  for (int end = 0, first; (first = stx_ground_find_bit(bits, end, c->side, 1)) < c->side;) {
    end = stx_ground_find_bit(bits, first, c->side, 0);
    c->run[count] = (StxGroundRun){(uint16_t)first, (uint16_t)(end - 1), count, 0};
    while (above < above_end && c->run[above].last < first)
      above++;
    for (uint32_t i = above; i < above_end && c->run[i].first < end; i++)
      stx_ground_unite(c->run, i, count);
    count++;
  }
  c->begin[row + 1] = count;
}

/* Numbers the occupied cells; returns how many clusters there are. */
static inline uint32_t stx_ground_join_cells(StxGroundClusters *c, const uint64_t *occupied)
{
  uint32_t clusters = 0;
  c->begin[0] = 0;
  for (int row = 0; row < c->side; row++)
    stx_ground_add_row(c, occupied, row);
  for (int row = 0; row < c->side; row++)
    for (uint32_t i = c->begin[row]; i < c->begin[row + 1]; i++) {
      uint32_t *number = c->number + (size_t)row * (size_t)c->words * 64;
      uint32_t root = stx_ground_root(c->run, i);
      if (root == i) /* it comes before the others of its set */
        c->run[i].cluster = ++clusters;
      for (int cell = c->run[i].first; cell <= c->run[i].last; cell++)
        number[cell] = c->run[root].cluster;
    }
  return clusters;
}
