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
 *           what is left of a cell, divides, looks up.
 *
 * SCALED: scores of a fraction of the picture's size. Step one adds a score as often as the cell
 * has rows of pixels with it, out of the cache, and step two as often as it has columns; ACROSS
 * is 1.
 *
 * Shared memory: a line of sums per part of a row of cells. Lines are an odd number of words, so
 * that the 32 rows that a warp reads in step two lie in different banks. In step one the words of
 * a chunk are exchanged among each other (`swizzle`) such that each of a warp's stores of one word
 * per chunk meets all banks.
 *
 * A cell of 4×4 8-bit pixels takes step one 4 dot products, and all blocks together read the
 * scores in segments of 128 bytes, which is what the time goes into. Not done: values of one
 * class through cp.async or bulk copies, which the oldest GPUs lack and loads of 16 bytes do not
 * need to reach the bandwidth; the whole sum of a cell in one thread, for which there would have to
 * be a kernel per cell size.
 */
#ifndef STX_COLMEAN_SCORES_CUH
#define STX_COLMEAN_SCORES_CUH

#include "cuda/colmean/colmean_fill.cuh"

#include "common/colmean/colmean_math.h"

/* ---- Sums of a chunk ------------------------------------------------------------------------ */

/* A binary16: what nvcc knows of them, the emulator does not. */
struct Half {
  uint16_t bits;
};

/* Of a chunk's 16 / sizeof(T) values, ACROSS neighbours to a sum; WORDS of shared memory, which
 * sums of at most 16 bits (128 · 255) share by twos. */
template <typename T, int ACROSS> struct ChunkSums {
  static constexpr bool HALVES = sizeof(T) == 1 && ACROSS == 1;
  static constexpr int WORDS = (HALVES ? 8 : 16 / sizeof(T)) / ACROSS;
  uint32_t word[WORDS];
};

/* HALVES: even values in the lower words, odd ones in the upper, until all is added. */
STX_DEVICE void add_chunk(ChunkSums<uint8_t, 1> &sums, const uint32_t v[4])
{
#pragma unroll
  for (int i = 0; i < 4; i++) {
    sums.word[i] += v[i] & 0x00ff00ff;
    sums.word[4 + i] += v[i] >> 8 & 0x00ff00ff;
  }
}

STX_DEVICE void add_chunk(ChunkSums<uint8_t, 4> &sums, const uint32_t v[4])
{
#pragma unroll
  for (int i = 0; i < 4; i++)
    sums.word[i] = __dp4a(v[i], 0x01010101u, sums.word[i]);
}

template <int ACROSS> STX_DEVICE void add_chunk(ChunkSums<float, ACROSS> &sums, const uint32_t v[4])
{
#pragma unroll
  for (int i = 0; i < 4; i++)
    sums.word[i / ACROSS] += stx_score_from_float(__uint_as_float(v[i]));
}

template <int ACROSS> STX_DEVICE void add_chunk(ChunkSums<Half, ACROSS> &sums, const uint32_t v[4])
{
#pragma unroll
  for (int i = 0; i < 8; i++) {
    const uint16_t half = (uint16_t)(v[i / 2] >> 16 * (i % 2));
    sums.word[i / ACROSS] += stx_score_from_float(stx_float_from_half(half));
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

/* Where word `i` of a line of sums stands in it. */
template <int WORDS> STX_DEVICE uint32_t swizzle(uint32_t i)
{
  return i ^ (i >> 5 & (WORDS - 1));
}

/* ---- Chunks --------------------------------------------------------------------------------- */

/* One chunk in one row of scores: where it begins, and how many of its values there are. */
struct Chunk {
  const uint8_t *at;
  size_t step;
  int before, values; /* values of the row before the chunk, and from its beginning on */
};

/* Value by value; 0 beyond the row. */
template <typename T> STX_DEVICE void gather(const Chunk &chunk, uint32_t v[4])
{
  constexpr int SIZE = sizeof(T), PER_WORD = 4 / SIZE;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    v[i] = 0;
#pragma unroll
    for (int j = 0; j < PER_WORD; j++) {
      if (i * PER_WORD + j >= chunk.values)
        continue;
      const uint8_t *at = chunk.at + (i * PER_WORD + j) * chunk.step;
      if (SIZE == 4 && (uintptr_t)at % 4 == 0)
        v[i] = *(const uint32_t *)at;
      else
        for (int byte = 0; byte < SIZE; byte++)
          v[i] |= (uint32_t)at[byte] << 8 * (j * SIZE + byte);
    }
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
    v[i] = __funnelshift_r(words[i], words[i + 1], 8 * offset);
}

/* Adds up `rows` rows of a chunk. */
template <typename T, int ACROSS>
STX_DEVICE ChunkSums<T, ACROSS> sum_rows(Chunk chunk, size_t row_stride, int rows)
{
  ChunkSums<T, ACROSS> sums = {};
  const bool vectors = chunk.step == sizeof(T) && chunk.values * sizeof(T) >= 16 &&
                       ((uintptr_t)chunk.at | row_stride) % 16 == 0;
  for (int y = 0; vectors && y < rows; y += 4) {
    uint4 v[4];
#pragma unroll
    for (int i = 0; i < 4; i++, chunk.at += row_stride)
      v[i] = y + i < rows ? *(const uint4 *)chunk.at : make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const uint32_t words[4] = {v[i].x, v[i].y, v[i].z, v[i].w};
      add_chunk(sums, words);
    }
  }
  for (int y = 0; !vectors && y < rows; y++, chunk.at += row_stride) {
    uint32_t words[4];
    load_chunk<T>(chunk, words);
    add_chunk(sums, words);
  }
  return sums;
}

/* The same for `rows` rows of pixels from `top` on; `first` lies in the first row of all scores. */
template <typename T>
STX_DEVICE ChunkSums<T, 1> sum_pixel_rows(
    const Chunk &first, const StxColmeanScoresArgs &a, int top, int rows)
{
  ChunkSums<T, 1> sums = {};
  for (int y = top; y < top + rows; y++) {
    Chunk chunk = first;
    chunk.at += (size_t)(y >> a.shift) * a.row_stride;
    uint32_t words[4];
    load_chunk<T>(chunk, words);
    add_chunk(sums, words);
  }
  return sums;
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
  tile.class_id = (blockIdx.z - a.fill.slices) * a.classes;
  tile.scores = a.scores + tile.class_id * a.class_stride;
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

/* Of a row of scores: the first that the tile's cells have. */
template <bool SCALED>
STX_DEVICE int first_score(const StxColmeanScoresArgs &a, const ScoresTile &tile)
{
  const int x = tile.column * a.target.grid.cell_width;
  return SCALED ? x >> a.shift : x;
}

template <typename T, int ACROSS, bool SCALED>
STX_DEVICE void sum_down(const StxColmeanScoresArgs &a, const ScoresTile &tile, uint32_t *sums)
{
  constexpr int WORDS = ChunkSums<T, ACROSS>::WORDS, VALUES = 16 / sizeof(T);
  const int lines = 1 << (a.tile.row_shift + a.tile.part_shift);
  const int first = first_score<SCALED>(a, tile) * a.elements;
  for (int i = threadIdx.x; i < lines * a.chunks; i += STX_COLMEAN_THREADS) {
    const int line = divide(i, a.chunks_reciprocal), c = i - line * a.chunks;
    int top, bottom;
    part_rows(a, tile, line, top, bottom);
    Chunk chunk = {nullptr, a.step, first + c * VALUES, 0};
    chunk.values = a.row_values - chunk.before;
    chunk.at = tile.scores + (SCALED ? 0 : top * a.row_stride) + chunk.before * a.step;
    const int rows = chunk.values > 0 ? bottom - top : 0;
    ChunkSums<T, ACROSS> sum;
    if constexpr (SCALED)
      sum = sum_pixel_rows<T>(chunk, a, top, rows);
    else
      sum = sum_rows<T, ACROSS>(chunk, a.row_stride, rows);
#pragma unroll
    for (int w = 0; w < WORDS; w++)
      sums[line * a.pitch + swizzle<WORDS>(c * WORDS + w)] = chunk_word(sum, w);
  }
}

/* Sum number i of a line. */
template <typename T, int ACROSS> STX_DEVICE uint32_t sum_at(const uint32_t *line, uint32_t i)
{
  constexpr int WORDS = ChunkSums<T, ACROSS>::WORDS;
  if constexpr (ChunkSums<T, ACROSS>::HALVES)
    return ((const uint16_t *)line)[2 * swizzle<WORDS>(i / 2) + i % 2];
  else
    return line[swizzle<WORDS>(i)];
}

/* What a line of sums adds to a cell, for one class of the tile; a score stands for several columns
 * of pixels. */
template <typename T>
STX_DEVICE uint32_t sum_scaled_cell(const StxColmeanScoresArgs &a, const ScoresTile &tile,
    const uint32_t *line, const Cell &cell, int id)
{
  const int first = first_score<true>(a, tile), end = cell.x + cell.width;
  uint32_t sum = 0;
  for (int x = cell.x, next; x < end; x = next) {
    const int score = x >> a.shift;
    next = min((score + 1) << a.shift, end);
    sum += (next - x) * sum_at<T, 1>(line, (score - first) * a.elements + id);
  }
  return sum;
}

template <typename T, int ACROSS, bool SCALED>
STX_DEVICE void cost_across(
    const StxColmeanScoresArgs &a, const ScoresTile &tile, const uint32_t *sums)
{
  constexpr uint32_t ONE = sizeof(T) == 1 ? 255 : 65535;
  const int rows = 1 << a.tile.row_shift, parts = 1 << a.tile.part_shift;
  const int r = threadIdx.x & (rows - 1), row = tile.row + r;
  const int cell_sums = a.target.grid.cell_width / ACROSS;
  const uint32_t *line = sums + (r << a.tile.part_shift) * a.pitch;
  for (int i = threadIdx.x >> a.tile.row_shift; i < a.tile.columns * a.classes;
       i += STX_COLMEAN_THREADS >> a.tile.row_shift) {
    const int c = divide(i, a.classes_reciprocal), class_id = i - c * a.classes;
    const Cell cell = cell_at(a.target, tile.column + c, row);
    if (cell.width == 0)
      continue;
    uint32_t num = 0;
    for (int part = 0; part < parts; part++) {
      if constexpr (SCALED)
        num += sum_scaled_cell<T>(a, tile, line + part * a.pitch, cell, class_id);
      else
        for (int x = 0; x < cell_sums; x++)
          num +=
              sum_at<T, ACROSS>(line + part * a.pitch, (c * cell_sums + x) * a.elements + class_id);
    }
    const uint32_t den = ONE * cell.width * cell.height;
    const size_t at = cell_index(a.target, 2 + tile.class_id + class_id, tile.column + c, row);
    a.target.cells[at] = class_cost(a.tables, num, den, 1.0f / den);
  }
}

template <typename T, int ACROSS, bool SCALED = false>
STX_DEVICE void reduce_scores(const StxColmeanScoresArgs &a, uint32_t *sums)
{
  if (fill_slice(a.target, a.fill))
    return;
  const ScoresTile tile = scores_tile(a);
  sum_down<T, ACROSS, SCALED>(a, tile, sums);
  __syncthreads();
  cost_across<T, ACROSS, SCALED>(a, tile, sums);
}

#endif
