/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction on the GPU: a chunk of 16 bytes of scores, read and added up down the image rows.
 *
 * Four loads of 16 bytes are in flight. Most of the work on 16-bit floats is not the sum but what
 * makes integers of the scores: six instructions a value (colmean_exact.h), where the contract's
 * arithmetic takes twenty, one of them F2I, which the hardware does for only 16 lanes at a time.
 * What is not aligned or not whole is rare and looped over, to keep it out of the hot code.
 */
#ifndef STX_COLMEAN_SUMS_CUH
#define STX_COLMEAN_SUMS_CUH

#include "cuda/driver/gpu.cuh"

#include "common/colmean/colmean_math.h"
#include "cuda/colmean/colmean_args.h"

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

/* Where word `i` of a line of sums stands in it: a word is left out after every 32. */
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

#endif
