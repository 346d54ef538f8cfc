/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rectification: common/rectify/rectify.h on a GPU, with the arithmetic of
 * common/rectify/rectify_math.h.
 *
 * A thread owns four samples of a row, a warp 128, a block eight rows of them. It loads its four
 * entries of the map at once, 24 bytes, and stores four samples at once, so that both go in whole
 * lines of 128 bytes. What it gathers, the four samples around each place, comes from the level-1
 * cache: neighbours of the target are neighbours of the source, but for the little that a lens
 * bends, and a block's samples lie in some ten rows. Every byte of the source is asked for four
 * times, and comes from memory once. No shared memory, no branches on where a sample comes from: of
 * what the camera does not see, the first samples of the source are loaded and thrown away, so that
 * all loads of a thread are on their way together.
 *
 * Rejected on paper: textures, which interpolate with 8 bits of fraction and round their own way;
 * a tile of the source in shared memory, whose size depends on the lens.
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/rectify/rectify_args.h"

/* Rectification on the GPU: the four samples of a row that a thread owns. A sample is a word, its
 * first byte in the lowest bits. */

/* Entries x … x + 3 of row y of a map; the last one again beyond the row's end. */
STX_DEVICE void load_entries(const StxRectifyArgs &a, int x, int y,
    uint32_t (&place)[STX_RECTIFY_SAMPLES], unsigned (&fraction)[STX_RECTIFY_SAMPLES])
{
  const size_t row = (size_t)y * a.width;
  if (a.map_whole) {
    const uint4 at = __ldg((const uint4 *)(a.place + row + x));
    const ushort4 of = __ldg((const ushort4 *)(a.fraction + row + x));
    place[0] = at.x, place[1] = at.y, place[2] = at.z, place[3] = at.w;
    fraction[0] = of.x, fraction[1] = of.y, fraction[2] = of.z, fraction[3] = of.w;
    return;
  }
#pragma unroll
  for (int j = 0; j < STX_RECTIFY_SAMPLES; j++) {
    const int inside = x + j < a.width ? x + j : a.width - 1;
    place[j] = __ldg(a.place + row + inside);
    fraction[j] = __ldg(a.fraction + row + inside);
  }
}

/* A sample of S bytes, at once if it is `Whole`. */
template <int S, bool Whole> STX_DEVICE uint32_t load_sample(const uint8_t *at)
{
  if (S == 4 && Whole)
    return __ldg((const uint32_t *)at);
  if (S == 2 && Whole)
    return __ldg((const uint16_t *)at);
  uint32_t word = 0;
#pragma unroll
  for (int i = 0; i < S; i++)
    word |= (uint32_t)__ldg(at + i) << 8 * i;
  return word;
}

/* The samples around each of N places: itself, right, below, below right. They have S bytes and are
 * `Step` bytes apart. */
template <int S, int Step, bool Whole, int N>
STX_DEVICE void load_around(
    const uint8_t *source, int64_t stride, const uint32_t (&place)[N], uint32_t (&around)[N][4])
{
#pragma unroll
  for (int j = 0; j < N; j++) {
    const uint32_t seen = place[j] == STX_RECTIFY_OUTSIDE ? 0 : place[j];
    const uint8_t *upper = source + (int64_t)(seen >> 16) * stride + (seen & 0xFFFF) * Step;
    const uint8_t *lower = upper + stride;
    around[j][0] = load_sample<S, Whole>(upper);
    around[j][1] = load_sample<S, Whole>(upper + Step);
    around[j][2] = load_sample<S, Whole>(lower);
    around[j][3] = load_sample<S, Whole>(lower + Step);
  }
}

template <int S> STX_DEVICE uint32_t blend_around(const uint32_t (&around)[4], unsigned fraction)
{
  const int fraction_x = fraction & 0xFF, fraction_y = fraction >> 8;
  uint32_t out = 0;
#pragma unroll
  for (int i = 0; i < S; i++)
    out |= (uint32_t)stx_rectify_blend(around[0] >> 8 * i & 0xFF, around[1] >> 8 * i & 0xFF,
               around[2] >> 8 * i & 0xFF, around[3] >> 8 * i & 0xFF, fraction_x, fraction_y)
           << 8 * i;
  return out;
}

/* Written with a mask: with a choice, compilers put a branch in front of the loads. */
STX_DEVICE uint32_t unless_outside(uint32_t place, uint32_t seen, uint32_t border)
{
  const uint32_t outside = place == STX_RECTIFY_OUTSIDE ? 0xFFFFFFFFu : 0;
  return (seen & ~outside) | (border & outside);
}

/* `count` of the four samples, all of them at once if they are `whole`. */
template <int S>
STX_DEVICE void store_samples(
    const uint32_t (&out)[STX_RECTIFY_SAMPLES], uint8_t *to, int count, bool whole)
{
  if (whole && count >= STX_RECTIFY_SAMPLES) {
    if (S == 1)
      *(uint32_t *)to = out[0] | out[1] << 8 | out[2] << 16 | out[3] << 24;
    else if (S == 2)
      *(uint2 *)to = make_uint2(out[0] | out[1] << 16, out[2] | out[3] << 16);
    else if (S == 4)
      *(uint4 *)to = make_uint4(out[0], out[1], out[2], out[3]);
    else {
      ((uint32_t *)to)[0] = out[0] | out[1] << 24;
      ((uint32_t *)to)[1] = out[1] >> 8 | out[2] << 16;
      ((uint32_t *)to)[2] = out[2] >> 16 | out[3] << 8;
    }
    return;
  }
#pragma unroll
  for (int j = 0; j < STX_RECTIFY_SAMPLES; j++)
#pragma unroll
    for (int i = 0; i < S; i++)
      if (j < count)
        to[j * S + i] = (uint8_t)(out[j] >> 8 * i);
}

/* Samples x … x + 3 of row y, as far as there are any. */
template <int S> STX_DEVICE void rectify_samples(const StxRectifyArgs &a, int x, int y)
{
  uint32_t place[STX_RECTIFY_SAMPLES], out[STX_RECTIFY_SAMPLES];
  uint32_t around[STX_RECTIFY_SAMPLES][4];
  unsigned fraction[STX_RECTIFY_SAMPLES];
  load_entries(a, x, y, place, fraction);
  if (S % 2 == 0 && a.source_whole)
    load_around<S, S, true>(a.source, a.source_stride, place, around);
  else
    load_around<S, S, false>(a.source, a.source_stride, place, around);
#pragma unroll
  for (int j = 0; j < STX_RECTIFY_SAMPLES; j++)
    out[j] = unless_outside(place[j], blend_around<S>(around[j], fraction[j]), a.border);
  store_samples<S>(
      out, a.target + y * a.target_stride + (int64_t)x * S, a.width - x, a.target_whole);
}

/* Rectification on the GPU: two pairs of pixels in packed 4:2:2, which a thread owns. */

/* Entries of pairs u and u + 1 of row y of the colours' map; the last one again beyond its end. */
STX_DEVICE void load_pair_entries(const StxRectifyArgs &a, int u, int y,
    uint32_t (&place)[STX_RECTIFY_PAIRS], unsigned (&fraction)[STX_RECTIFY_PAIRS])
{
  const size_t row = (size_t)y * a.width;
  if (a.map_whole) {
    const uint2 at = __ldg((const uint2 *)(a.place + row + u));
    const ushort2 of = __ldg((const ushort2 *)(a.fraction + row + u));
    place[0] = at.x, place[1] = at.y;
    fraction[0] = of.x, fraction[1] = of.y;
    return;
  }
#pragma unroll
  for (int j = 0; j < STX_RECTIFY_PAIRS; j++) {
    const int inside = u + j < a.width ? u + j : a.width - 1;
    place[j] = __ldg(a.place + row + inside);
    fraction[j] = __ldg(a.fraction + row + inside);
  }
}

/* The colours of both pairs, where they stand in a pair; the pixels' own bytes are 0. */
template <bool Whole>
STX_DEVICE void colours_of_pairs(
    const StxRectifyPackedArgs &a, int u, int y, uint32_t (&out)[STX_RECTIFY_PAIRS])
{
  uint32_t place[STX_RECTIFY_PAIRS], around[STX_RECTIFY_PAIRS][4];
  unsigned fraction[STX_RECTIFY_PAIRS];
  const int shift = 8 - 8 * a.luma; /* of the first colour */
  load_pair_entries(a.colours, u, y, place, fraction);
  load_around<4, 4, Whole>(a.pixels.source, a.pixels.source_stride, place, around);
#pragma unroll
  for (int j = 0; j < STX_RECTIFY_PAIRS; j++) {
    uint32_t two[4];
#pragma unroll
    for (int k = 0; k < 4; k++) /* the colours in bytes 0 and 1 */
      two[k] = (around[j][k] >> shift & 0xFF) | (around[j][k] >> (shift + 8) & 0xFF00);
    const uint32_t seen =
        unless_outside(place[j], blend_around<2>(two, fraction[j]), a.border[1] * 0x0101u);
    out[j] = (seen & 0xFF) << shift | (seen & 0xFF00) << (shift + 8);
  }
}

STX_DEVICE void rectify_pairs(const StxRectifyPackedArgs &a, int u, int y)
{
  uint32_t place[STX_RECTIFY_SAMPLES], around[STX_RECTIFY_SAMPLES][4], out[STX_RECTIFY_PAIRS];
  unsigned fraction[STX_RECTIFY_SAMPLES];
  const int x = 2 * u;
  load_entries(a.pixels, x, y, place, fraction);
  load_around<1, 2, false>(a.pixels.source + a.luma, a.pixels.source_stride, place, around);
  if (a.pixels.source_whole)
    colours_of_pairs<true>(a, u, y, out);
  else
    colours_of_pairs<false>(a, u, y, out);
#pragma unroll
  for (int j = 0; j < STX_RECTIFY_SAMPLES; j++) {
    const uint32_t own =
        unless_outside(place[j], blend_around<1>(around[j], fraction[j]), a.border[0]);
    if (x + j < a.pixels.width)
      out[j / 2] |= own << (8 * a.luma + j % 2 * 16);
  }
  uint8_t *to = a.pixels.target + y * a.pixels.target_stride + (int64_t)u * 4;
  if (a.pixels.target_whole && u + 1 < a.colours.width) {
    *(uint2 *)to = make_uint2(out[0], out[1]);
    return;
  }
#pragma unroll
  for (int i = 0; i < 4 * STX_RECTIFY_PAIRS; i++)
    if (u + i / 4 < a.colours.width)
      to[i] = (uint8_t)(out[i / 4] >> i % 4 * 8);
}

#define RECTIFY(bytes)                                                                             \
  STX_KERNEL(stx_rectify_##bytes, StxRectifyArgs, STX_RECTIFY_X *STX_RECTIFY_Y)                    \
  {                                                                                                \
    const int x = (int)(blockIdx.x * STX_RECTIFY_X + threadIdx.x) * STX_RECTIFY_SAMPLES;           \
    const int y = (int)(blockIdx.y * STX_RECTIFY_Y + threadIdx.y);                                 \
    if (x < a.width && y < a.height)                                                               \
      rectify_samples<bytes>(a, x, y);                                                             \
  }

RECTIFY(1)
RECTIFY(2)
RECTIFY(3)
RECTIFY(4)

/* Two pairs, whose eight bytes are stored at once. */
STX_KERNEL(stx_rectify_packed, StxRectifyPackedArgs, STX_RECTIFY_X *STX_RECTIFY_Y)
{
  const int pair = (int)(blockIdx.x * STX_RECTIFY_X + threadIdx.x) * STX_RECTIFY_PAIRS;
  const int y = (int)(blockIdx.y * STX_RECTIFY_Y + threadIdx.y);
  if (pair < a.colours.width && y < a.colours.height)
    rectify_pairs(a, pair, y);
}
