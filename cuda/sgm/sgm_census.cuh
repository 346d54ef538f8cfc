/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Census words and the texture check of common/sgm/sgm.h, four neighbouring pixels per thread.
 *
 * A block has a tile of 128 × 8 pixels, a warp one of its rows, a lane the pixels 4·lane … + 3. The
 * gray values of the tile and its margin lie in shared memory; a lane reads three words of each of
 * seven rows, lane by lane adjacent words: no bank conflicts. All else happens in registers, four
 * pixels in the bytes of a word: comparing bytes instead of single pixels takes 21 loads from
 * shared memory instead of 4 · 63, and a third of the arithmetic. Words go out through shared
 * memory again, so that the warp writes adjacent ones.
 */
#pragma once

#include "common/sgm/sgm_math.h"
#include "cuda/sgm/sgm_args.h"

enum {
  TILE_ROWS = STX_SGM_CENSUS_ROWS + 2 * STX_SGM_WINDOW_Y,
  TILE_COLUMNS = STX_SGM_CENSUS_COLUMNS + 2 * STX_SGM_WINDOW_X,
  WINDOW_ROWS = 2 * STX_SGM_WINDOW_Y + 1,
  WINDOW_COLUMNS = 2 * STX_SGM_WINDOW_X + 1,
};

/* Gray values 4·lane − 4 … 4·lane + 7 of the rows of the window. */
typedef struct {
  uint32_t rows[WINDOW_ROWS][3];
} Window;

STX_DEVICE void load_tile(
    const StxSgmCensusArgs *a, int side, int left, int top, uint32_t (*tile)[TILE_COLUMNS / 4])
{
  uint8_t *bytes = (uint8_t *)tile;
  const int thread = threadIdx.y * STX_SGM_LANES + threadIdx.x;
  for (int i = thread; i < TILE_ROWS * TILE_COLUMNS; i += STX_SGM_LANES * STX_SGM_CENSUS_ROWS) {
    int x = left + i % TILE_COLUMNS - STX_SGM_WINDOW_X;
    int y = top + i / TILE_COLUMNS - STX_SGM_WINDOW_Y;
    x = min(max(x, 0), a->width - 1);
    y = min(max(y, 0), a->height - 1);
    bytes[i] = a->image[side][y * a->stride[side] + x];
  }
}

/* The bytes of the lane's four pixels, moved by dx = −4 … 4. */
STX_DEVICE uint32_t moved(const uint32_t *row, int dx)
{
  return dx < 0 ? __byte_perm(row[0], row[1], 0x3210 + 0x1111 * (4 + dx))
                : __byte_perm(row[1], row[2], dx < 4 ? 0x3210 + 0x1111 * dx : 0x7654);
}

/* Bit k of each pixel's word is collected in byte plane k / 8; then the bytes of a pixel come
 * together. */
STX_DEVICE uint4 census(const Window *w)
{
  uint32_t plane[4] = {0, 0, 0, 0};
#pragma unroll
  for (int k = 0; k < STX_SGM_CENSUS_BITS; k++) {
    const int row = k / WINDOW_COLUMNS, dx = k % WINDOW_COLUMNS - STX_SGM_WINDOW_X;
    uint32_t greater =
        __vcmpgtu4(moved(w->rows[row], dx), moved(w->rows[WINDOW_ROWS - 1 - row], -dx));
    plane[k / 8] |= greater & 0x01010101u << (k % 8);
  }
  uint32_t low01 = __byte_perm(plane[0], plane[1], 0x5140);
  uint32_t low23 = __byte_perm(plane[2], plane[3], 0x5140);
  uint32_t high01 = __byte_perm(plane[0], plane[1], 0x7362);
  uint32_t high23 = __byte_perm(plane[2], plane[3], 0x7362);
  return make_uint4(__byte_perm(low01, low23, 0x5410), __byte_perm(low01, low23, 0x7632),
      __byte_perm(high01, high23, 0x5410), __byte_perm(high01, high23, 0x7632));
}

/* 255 in the bytes of pixels whose window spans more than `texture` gray values. */
STX_DEVICE uint32_t textured(const Window *w, int texture)
{
  uint32_t least[3], most[3];
#pragma unroll
  for (int i = 0; i < 3; i++) {
    least[i] = most[i] = w->rows[0][i];
#pragma unroll
    for (int row = 1; row < WINDOW_ROWS; row++) {
      least[i] = __vminu4(least[i], w->rows[row][i]);
      most[i] = __vmaxu4(most[i], w->rows[row][i]);
    }
  }
  uint32_t low = least[1], high = most[1];
#pragma unroll
  for (int dx = 1; dx <= STX_SGM_WINDOW_X; dx++) {
    low = __vminu4(low, __vminu4(moved(least, -dx), moved(least, dx)));
    high = __vmaxu4(high, __vmaxu4(moved(most, -dx), moved(most, dx)));
  }
  return __vcmpgtu4(high - low, 0x01010101u * (uint32_t)texture); /* high >= low in each byte */
}

/* The words of `count` pixels from x = from on. */
STX_DEVICE void write_left(
    const StxSgmCensusArgs *a, int from, int count, int y, const uint32_t *words)
{
  const uint32_t first = (uint32_t)y * a->width + from;
  for (int i = threadIdx.x; i < count; i += STX_SGM_LANES) {
    a->left[first + i] = words[i];
    if (a->right_best != NULL)
      a->right_best[first + i] = ~0u;
  }
}

STX_DEVICE void write_right(
    const StxSgmCensusArgs *a, int from, int count, int y, const uint32_t *words)
{
  const int before = from == 0 ? (int)a->right.before : 0; /* the row's first block repeats it */
  for (int copy = 0; copy < STX_SGM_SHIFTS; copy++) {
    uint32_t *row = a->right.words + ((size_t)y * STX_SGM_SHIFTS + copy) * a->right.pitch;
    const int to = from + (int)a->right.before - copy;
    for (int i = (int)threadIdx.x - before; i < count; i += STX_SGM_LANES)
      if (to + i >= 0)
        row[to + i] = words[max(i, 0)];
  }
}

STX_DEVICE void census_tile(
    const StxSgmCensusArgs *a, uint32_t (*tile)[TILE_COLUMNS / 4], uint4 (*words)[STX_SGM_LANES])
{
  const int lane = threadIdx.x, row = threadIdx.y, side = blockIdx.z;
  const int from = blockIdx.x * STX_SGM_CENSUS_COLUMNS;
  const int y = blockIdx.y * STX_SGM_CENSUS_ROWS + row;
  if (side == 0 && blockIdx.x == 0 && y == 0 && lane < STX_SGM_PATHS_LAUNCHES)
    a->taken[lane] = 0;
  load_tile(a, side, from, y - row, tile);
  __syncthreads();

  Window window;
#pragma unroll
  for (int r = 0; r < WINDOW_ROWS; r++)
#pragma unroll
    for (int i = 0; i < 3; i++)
      window.rows[r][i] = tile[row + r][lane + i];
  words[row][lane] = census(&window);
  __syncwarp();
  if (y >= a->height)
    return;
  const int count = min(a->width - from, (int)STX_SGM_CENSUS_COLUMNS);
  if (side == 1) {
    write_right(a, from, count, y, (const uint32_t *)words[row]);
    return;
  }
  write_left(a, from, count, y, (const uint32_t *)words[row]);
  if (a->textured != NULL)
    ((uint32_t *)(a->textured + (size_t)y * a->textured_pitch + from))[lane] =
        textured(&window, a->texture);
}
