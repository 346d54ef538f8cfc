/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction on the GPU: class costs from scores of 8 bits, float16 or float32, in any layout.
 *
 * A block owns a tile of cells of one class (planar scores) or of all classes (interleaved ones),
 * typically 32 rows of them, and reads it once, in two steps:
 *
 *   down    a thread owns a chunk of 16 bytes of values in the image rows of one part of a row of
 *           cells, and adds them up, four loads in flight. ACROSS neighbouring values are added
 *           to one sum, if they are sure to belong to the same cell (planar scores, cells of a
 *           width divisible by 4). The sums go to shared memory.
 *   across  a thread owns (cell, class) pairs of one row of cells; neighbouring threads have
 *           neighbouring rows, so that costs are written down the columns as they come. It adds
 *           what is left of a cell, divides, looks up, four pairs at a time where a cell is one or
 *           two sums. The quotient is two products with a reciprocal from the host
 *           (colmean_exact.h), one for whole cells and one each for what the picture's edges cut.
 *
 * SCALED: scores of a fraction of the picture's size. Step one adds a score times the rows of
 * pixels of the cell that it stands for, and step two times the columns; ACROSS is 1.
 *
 * Shared memory: a line of sums per part of a row of cells. Lines are an odd number of words, so
 * that the 32 rows that a warp reads in step two lie in different banks. A word is left out after
 * every 32, so that each of a warp's stores of one word per chunk meets all banks in step one.
 *
 * A warp's 32 costs of 4 × 4 8-bit pixels take some 25 instructions in step two; 128 of them, with
 * the chunks that they come from and all that a block computes once, take 310, 16 of them dot
 * products (sm_90). All blocks together read the scores in segments of 128 bytes, which is what the
 * time goes into. Tried and rejected: an estimate in float32 and its correction (113 instructions
 * for 32 costs); one product with 32 bits of a reciprocal (exact up to 15421 pixels of 8 bits, and
 * up to 60 of others); values of one class through cp.async or bulk copies, which the oldest GPUs
 * lack and loads of 16 bytes do not need to reach the bandwidth; the whole sum of a cell in one
 * thread, for which there would have to be a kernel per cell size.
 */
#pragma once

#include "cuda/driver/gpu.cuh"

#include "common/colmean/colmean_math.h"
#include "cuda/colmean/colmean_args.h"
#include "cuda/colmean/colmean_rows.cuh"

/*
 * Cell reduction on the GPU: a chunk of 16 bytes of scores, read and added up down the image rows.
 *
 * Four loads of 16 bytes are in flight. Most of the work on 16-bit floats is not the sum but what
 * makes integers of the scores: six instructions a value (colmean_exact.h), where the contract's
 * arithmetic takes twenty, one of them F2I, which the hardware does for only 16 lanes at a time.
 * What is not aligned or not whole is rare and looped over, to keep it out of the hot code.
 */

/* ---- Sums of a chunk ------------------------------------------------------------------------ */

/* A binary16: what nvcc knows of them, the emulator does not. */
struct Half {
  uint16_t bits;
};

/* The sums of a chunk's 16 / sizeof(T) values, ACROSS neighbours to a sum, in WORDS of shared
 * memory; two sums of at most 16 bits (128 · 255) share a word. */
template <typename T, int ACROSS> struct ChunkSums {
  static constexpr bool HALVES = sizeof(T) == 1 && ACROSS == 1;
  static constexpr int WORDS = (HALVES ? 8 : 16 / sizeof(T)) / ACROSS;
  uint32_t word[WORDS];
};

/* HALVES: even values in the lower words, odd ones in the upper, until all is added. */
STX_DEVICE void add_chunk(ChunkSums<uint8_t, 1> &sums, const uint32_t v[4], uint32_t times)
{
#pragma unroll
  for (int i = 0; i < 4; i++) {
    sums.word[i] += times * (v[i] & 0x00ff00ff);
    sums.word[4 + i] += times * (v[i] >> 8 & 0x00ff00ff);
  }
}

STX_DEVICE void add_chunk(ChunkSums<uint8_t, 4> &sums, const uint32_t v[4], uint32_t times)
{
#pragma unroll
  for (int i = 0; i < 4; i++)
    sums.word[i] = __dp4a(v[i], 0x01010101u * times, sums.word[i]);
}

template <int ACROSS>
STX_DEVICE void add_chunk(ChunkSums<float, ACROSS> &sums, const uint32_t v[4], uint32_t times)
{
#pragma unroll
  for (int i = 0; i < 4; i++)
    sums.word[i / ACROSS] += times * stx_score_from_float(__uint_as_float(v[i]));
}

/* Nearly always there is nothing to do, which two operations per word find out: a half above 1
 * gets its sign bit by the addition, a negative one has it, and carries out of it. */
STX_DEVICE void clean_chunk(uint32_t v[4])
{
  uint32_t signs = 0;
#pragma unroll
  for (int i = 0; i < 4; i++)
    signs |= v[i] | (v[i] + 0x10001u * (0x7fff - STX_HALF_ONE));
  if ((signs & 0x80008000u) == 0)
    return;
#pragma unroll
  for (int i = 0; i < 4; i++)
    v[i] = stx_clean_half(v[i] & 65535) | stx_clean_half(v[i] >> 16) << 16;
}

template <int ACROSS>
STX_DEVICE void add_chunk(ChunkSums<Half, ACROSS> &sums, uint32_t v[4], uint32_t times)
{
  clean_chunk(v);
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const uint32_t mask = 0xffffu << 13, even = v[i] << 13 & mask, odd = v[i] >> 3 & mask;
    sums.word[2 * i / ACROSS] += times * stx_half_score(even);
    sums.word[(2 * i + 1) / ACROSS] += times * stx_half_score(odd);
  }
}

/* The words in the order of the values. */
template <typename T, int ACROSS>
STX_DEVICE uint32_t chunk_word(const ChunkSums<T, ACROSS> &sums, int i)
{
  if constexpr (ChunkSums<T, ACROSS>::HALVES)
    return __byte_perm(sums.word[i / 2], sums.word[4 + i / 2], i % 2 ? 0x7632 : 0x5410);
  else
    return sums.word[i];
}

/* The position of word `i` in a line of sums: a word is left out after every 32. */
STX_DEVICE uint32_t line_at(uint32_t i)
{
  return i + (i >> 5);
}

/* ---- Chunks --------------------------------------------------------------------------------- */

/* One chunk in one row of scores: where it begins, and how many of its values there are. */
struct Chunk {
  const uint8_t *at;
  size_t step;
  int before, values; /* values of the row before the chunk, and from its beginning on */
  uint32_t flip;
};

/* Scores of 8 bits as those of uint8. */
template <typename T> STX_DEVICE uint32_t flipped(uint32_t word, uint32_t flip)
{
  return sizeof(T) == 1 ? word ^ flip : word;
}

template <int SIZE> STX_DEVICE uint32_t load_value(const uint8_t *at)
{
  if (SIZE == 4 && (uintptr_t)at % 4 == 0)
    return __ldg((const uint32_t *)at);
  uint32_t value = 0;
#pragma unroll
  for (int byte = 0; byte < SIZE; byte++)
    value |= (uint32_t)__ldg(at + byte) << 8 * byte;
  return value;
}

/* Value by value; 0 beyond the row. Loops, for it is rare. */
template <typename T> STX_DEVICE void gather(const Chunk &chunk, uint32_t v[4])
{
  constexpr int SIZE = sizeof(T), VALUES = 16 / SIZE;
  const uint8_t *at = chunk.at;
  v[0] = v[1] = v[2] = v[3] = 0;
#pragma unroll 1
  for (int i = 0; i < min(chunk.values, VALUES); i++, at += chunk.step) {
    const uint32_t flip = SIZE == 1 ? chunk.flip & 255 : 0;
    const uint32_t value = (load_value<SIZE>(at) ^ flip) << 8 * (i * SIZE % 4);
    const int word = i * SIZE / 4;
#pragma unroll
    for (int k = 0; k < 4; k++)
      v[k] |= word == k ? value : 0;
  }
}

/* Any chunk. Values that follow one another are read by words, if the words around them belong to
 * the row as well. */
template <typename T> STX_DEVICE void load_chunk(const Chunk &chunk, uint32_t v[4])
{
  constexpr int SIZE = sizeof(T);
  const int offset = (uintptr_t)chunk.at % 4;
  if (chunk.step != SIZE || chunk.before * SIZE < offset || chunk.values * SIZE < 20) {
    gather<T>(chunk, v);
    return;
  }
  const uint32_t *words = (const uint32_t *)(chunk.at - offset);
#pragma unroll
  for (int i = 0; i < 4; i++)
    v[i] =
        flipped<T>(__funnelshift_r(__ldg(words + i), __ldg(words + i + 1), 8 * offset), chunk.flip);
}

/* Rows of a chunk whose values follow one another at addresses that are multiples of 16. */
template <typename T, int ACROSS, int ROWS>
STX_DEVICE void add_rows(
    ChunkSums<T, ACROSS> &sums, const uint8_t *at, size_t stride, uint32_t flip)
{
  uint4 v[ROWS];
#pragma unroll
  for (int i = 0; i < ROWS; i++, at += stride)
    v[i] = __ldg((const uint4 *)at);
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    uint32_t words[4] = {flipped<T>(v[i].x, flip), flipped<T>(v[i].y, flip),
        flipped<T>(v[i].z, flip), flipped<T>(v[i].w, flip)};
    add_chunk(sums, words, 1);
  }
}

/* Any number of them. */
template <typename T, int ACROSS>
STX_DEVICE void sum_aligned_rows(
    ChunkSums<T, ACROSS> &sums, const uint8_t *at, size_t stride, uint32_t flip, int rows)
{
#pragma unroll 1
  for (; rows >= 4; rows -= 4, at += 4 * stride)
    add_rows<T, ACROSS, 4>(sums, at, stride, flip);
#pragma unroll 1
  for (; rows > 0; rows--, at += stride)
    add_rows<T, ACROSS, 1>(sums, at, stride, flip);
}

/* Rows of pixels from `top` on of any chunk; `first` lies in the first row of all scores. SCALED:
 * a score stands for several of them. */
template <typename T, int ACROSS, bool SCALED>
STX_DEVICE void sum_any_rows(ChunkSums<T, ACROSS> &sums, const Chunk &first,
    const StxColmeanScoresArgs &a, int top, int rows)
{
#pragma unroll 1
  for (int y = top, next; y < top + rows; y = next) {
    const int score = SCALED ? y >> a.shift : y;
    next = SCALED ? min((score + 1) << a.shift, top + rows) : y + 1;
    Chunk chunk = first;
    chunk.at += (uint32_t)score * a.row_stride;
    uint32_t words[4];
    load_chunk<T>(chunk, words);
    add_chunk(sums, words, next - y);
  }
}

/* ---- The two steps ------------------------------------------------------------------------- */

/* The tile that a block owns. */
struct ScoresTile {
  int column, row; /* its first cell */
  int class_id;    /* its first class */
  const uint8_t *scores;
};

STX_DEVICE ScoresTile scores_tile(const StxColmeanScoresArgs &a)
{
  ScoresTile tile;
  tile.column = blockIdx.x * a.tile.columns;
  tile.row = blockIdx.y << a.tile.row_shift;
  tile.class_id = (blockIdx.z - a.rows.slices) * a.classes;
  tile.scores = a.scores + (uint32_t)tile.class_id * a.class_stride;
  return tile;
}

/* Image rows [top, bottom) of a part of a row of cells; `line` numbers the tile's parts. */
STX_DEVICE void part_rows(
    const StxColmeanScoresArgs &a, const ScoresTile &tile, int line, int &top, int &bottom)
{
  const StxGrid &grid = a.target.grid;
  const int row_top = (tile.row + (line >> a.tile.part_shift)) * grid.cell_height;
  const int part = line & ((1 << a.tile.part_shift) - 1);
  top = row_top + part * a.tile.part_rows;
  bottom = min(min(top + a.tile.part_rows, row_top + grid.cell_height), grid.height);
}

/* Returns the first score in a row that belongs to the tile's cells. */
template <bool SCALED>
STX_DEVICE int first_score(const StxColmeanScoresArgs &a, const ScoresTile &tile)
{
  const int x = tile.column * a.target.grid.cell_width;
  return SCALED ? x >> a.shift : x;
}

/* Adds up chunk `c` of a line of the tile; `first` is the tile's first value in a row, and lies at
 * `at` in the first row of all scores. */
template <typename T, int ACROSS, bool SCALED>
STX_DEVICE ChunkSums<T, ACROSS> sum_chunk(
    const StxColmeanScoresArgs &a, int first, const uint8_t *at, int c, int top, int rows)
{
  constexpr int VALUES = 16 / sizeof(T);
  const int before = first + c * VALUES, values = a.row_values - before;
  ChunkSums<T, ACROSS> sums = {};
  if (!SCALED && a.aligned && values >= VALUES) {
    sum_aligned_rows(sums, at + c * 16 + (uint32_t)top * a.row_stride, a.row_stride, a.flip, rows);
  } else if (values > 0) {
    const Chunk chunk = {at + (uint32_t)(c * VALUES) * a.step, a.step, before, values, a.flip};
    sum_any_rows<T, ACROSS, SCALED>(sums, chunk, a, top, rows);
  }
  return sums;
}

template <typename T, int ACROSS, bool SCALED>
STX_DEVICE void sum_down(const StxColmeanScoresArgs &a, const ScoresTile &tile, uint32_t *sums)
{
  constexpr int WORDS = ChunkSums<T, ACROSS>::WORDS;
  const int chunks = a.chunks << (a.tile.row_shift + a.tile.part_shift);
  const int first = first_score<SCALED>(a, tile) * a.elements;
  const uint8_t *at = tile.scores + (uint32_t)first * a.step;
#pragma unroll 1
  for (int i = threadIdx.x; i < chunks; i += STX_COLMEAN_THREADS) {
    const int line = divide(i, a.chunks_reciprocal), c = i - line * a.chunks;
    int top, bottom;
    part_rows(a, tile, line, top, bottom);
    const ChunkSums<T, ACROSS> sum =
        sum_chunk<T, ACROSS, SCALED>(a, first, at, c, top, bottom - top);
    uint32_t *words = sums + line * a.pitch + line_at(c * WORDS);
#pragma unroll
    for (int w = 0; w < WORDS; w++)
      words[w] = chunk_word(sum, w);
  }
}

/* Sum number i of a line. */
template <typename T, int ACROSS> STX_DEVICE uint32_t sum_at(const uint32_t *line, uint32_t i)
{
  if constexpr (ChunkSums<T, ACROSS>::HALVES)
    return ((const uint16_t *)line)[i + 2 * (i >> 6)]; /* line_at(i / 2), twice as fine */
  else
    return line[line_at(i)];
}

/* The same of scores that stand for several columns of pixels each. */
template <typename T>
STX_DEVICE uint32_t sum_scaled_cell(
    const StxColmeanScoresArgs &a, const ScoresTile &tile, const uint32_t *line, int c, int id)
{
  const StxGrid &grid = a.target.grid;
  const int begin = (tile.column + c) * grid.cell_width;
  const int first = first_score<true>(a, tile), end = min(begin + grid.cell_width, grid.width);
  uint32_t sum = 0;
  for (int part = 0; part < 1 << a.tile.part_shift; part++, line += a.pitch)
    for (int x = begin, next; x < end; x = next) {
      const int score = x >> a.shift;
      next = min((score + 1) << a.shift, end);
      sum += (next - x) * sum_at<T, 1>(line, (score - first) * a.elements + id);
    }
  return sum;
}

/* The sum of one class over a cell: SUMS sums of a line, or 0: any number of several lines. */
template <typename T, int ACROSS, int SUMS>
STX_DEVICE uint32_t sum_cell(const StxColmeanScoresArgs &a, const uint32_t *line, int c, int id)
{
  const int elements = ACROSS > 1 ? 1 : a.elements;
  uint32_t sum = 0;
  if constexpr (SUMS > 0) {
    const int first = c * SUMS * elements + id;
#pragma unroll
    for (int x = 0; x < SUMS; x++)
      sum += sum_at<T, ACROSS>(line, first + x * elements);
    return sum;
  }
  const int across = a.target.grid.cell_width / ACROSS;
  for (int part = 0; part < 1 << a.tile.part_shift; part++, line += a.pitch)
#pragma unroll 4
    for (int x = 0; x < across; x++)
      sum += sum_at<T, ACROSS>(line, (c * across + x) * elements + id);
  return sum;
}

/* The (cell, class) pairs of one row of cells that a thread owns: every `step`-th. */
struct Pairs {
  int first, step, count;
  int classes;     /* of a cell */
  uint16_t *cells; /* first cell of the row, first class */
  const uint32_t *line;
  int edge; /* the picture's last column of cells */
  StxColmeanShare whole, narrow;
};

STX_DEVICE Pairs pairs_of(
    const StxColmeanScoresArgs &a, const ScoresTile &tile, const uint32_t *sums)
{
  const int r = threadIdx.x & ((1 << a.tile.row_shift) - 1), row = tile.row + r;
  const int bottom = row == a.target.rows - 1;
  Pairs pairs;
  pairs.first = threadIdx.x >> a.tile.row_shift;
  pairs.step = STX_COLMEAN_THREADS >> a.tile.row_shift;
  pairs.edge = a.target.columns - 1 - tile.column;
  pairs.count = row < a.target.rows ? min(a.tile.columns, pairs.edge + 1) * a.classes : 0;
  pairs.cells = a.target.cells + cell_index(a.target, 2 + tile.class_id, tile.column, row);
  pairs.line = sums + (r << a.tile.part_shift) * a.pitch;
  pairs.whole = a.share[bottom][0];
  pairs.narrow = a.share[bottom][1];
  return pairs;
}

/* The address of a cost. With one class it is no further than 32 bits count from the row's
 * first. */
template <int ACROSS>
STX_DEVICE uint16_t *cost_at(
    const StxColmeanScoresArgs &a, uint16_t *cells, uint32_t c, uint32_t id)
{
  if constexpr (ACROSS > 1)
    return (uint16_t *)((uintptr_t)cells + c * 2u * a.target.rows);
  else
    return cells + (size_t)(id * a.target.columns + c) * a.target.rows;
}

/* BATCH pairs at a time, so that as many costs are on their way from the table. The last index of
 * the table is no limit, but keeps its address from being computed with 64 bits. */
template <typename T, int ACROSS, bool SCALED, int SUMS, int BATCH>
STX_DEVICE void cost_pairs(
    const StxColmeanScoresArgs &a, const ScoresTile &tile, const Pairs &pairs)
{
  constexpr int SHIFT = sizeof(T) == 1 ? STX_COLMEAN_BYTE_SHIFT : 0;
  const int classes = ACROSS > 1 ? 1 : a.classes;
#pragma unroll 1
  for (int first = pairs.first; first < pairs.count; first += BATCH * pairs.step) {
    uint16_t *to[BATCH], cost[BATCH];
#pragma unroll
    for (int j = 0; j < BATCH; j++) {
      const int i = min(first + j * pairs.step, pairs.count - 1);
      const int c = ACROSS > 1 ? i : divide(i, a.classes_reciprocal), id = i - c * classes;
      const uint32_t num = SCALED ? sum_scaled_cell<T>(a, tile, pairs.line, c, id)
                                  : sum_cell<T, ACROSS, SUMS>(a, pairs.line, c, id);
      const uint32_t index =
          stx_colmean_cost_index(num << SHIFT, c == pairs.edge ? pairs.narrow : pairs.whole);
      cost[j] = __ldg(a.tables->class_cost + min(index, 4095u));
      to[j] = cost_at<ACROSS>(a, pairs.cells, c, id);
    }
#pragma unroll
    for (int j = 0; j < BATCH; j++)
      if (first + j * pairs.step < pairs.count)
        *to[j] = cost[j];
  }
}

template <typename T, int ACROSS, bool SCALED>
STX_DEVICE void cost_across(
    const StxColmeanScoresArgs &a, const ScoresTile &tile, const uint32_t *sums)
{
  const Pairs pairs = pairs_of(a, tile, sums);
  if (!SCALED && a.sums == 1)
    cost_pairs<T, ACROSS, SCALED, 1, 4>(a, tile, pairs);
  else if (!SCALED && a.sums == 2)
    cost_pairs<T, ACROSS, SCALED, 2, 4>(a, tile, pairs);
  else if (!SCALED && a.sums == 4)
    cost_pairs<T, ACROSS, SCALED, 4, 2>(a, tile, pairs);
  else
    cost_pairs<T, ACROSS, SCALED, 0, 1>(a, tile, pairs);
}

template <typename T, int ACROSS, bool SCALED = false>
STX_DEVICE void reduce_scores(const StxColmeanScoresArgs &a, uint32_t *sums)
{
  if (row_slice(a.rows, sums))
    return;
  const ScoresTile tile = scores_tile(a);
  sum_down<T, ACROSS, SCALED>(a, tile, sums);
  __syncthreads();
  cost_across<T, ACROSS, SCALED>(a, tile, sums);
}
