/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rectification on the GPU: two pairs of pixels in packed 4:2:2, which a thread owns. */
#ifndef STX_RECTIFY_PACKED_CUH
#define STX_RECTIFY_PACKED_CUH

#include "cuda/rectify/rectify_gather.cuh"

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

#endif
