/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The decisions of sgm_sky.h, written once for every implementation, CUDA included. */
#ifndef STX_SGM_SKY_MATH_H
#define STX_SGM_SKY_MATH_H

#include "common/sgm/sgm_sky.h"

/* What is known of a tile. */
typedef struct {
  uint8_t low, high; /* least and greatest gray value */
  uint16_t sum;      /* of its gray values */
} StxSgmTile;

/* Pixels of tile (i, j): fewer at the right and lower border. */
STX_INLINE int stx_sgm_tile_pixels(int width, int height, int i, int j)
{
  int x = width - i * STX_SGM_TILE, y = height - j * STX_SGM_TILE;
  return (x < STX_SGM_TILE ? x : STX_SGM_TILE) * (y < STX_SGM_TILE ? y : STX_SGM_TILE);
}

/* The pixel of a tile that is compared. */
STX_INLINE int stx_sgm_tile_centre(int i, int length)
{
  int x = i * STX_SGM_TILE + STX_SGM_TILE / 2;
  return x < length ? x : length - 1;
}

/* Bright enough for a candidate: `sum` over the tile's pixels, `total` over all of the frame's. */
STX_INLINE bool stx_sgm_is_bright(int sum, int tile_pixels, uint64_t total, uint64_t frame_pixels)
{
  return sum >= STX_SGM_SKY_DARKEST * tile_pixels &&
         4 * (uint64_t)sum * frame_pixels >= 3 * total * (uint64_t)tile_pixels;
}

/* True if the disparity at a tile's centre makes it a candidate whatever it looks like. */
STX_INLINE bool stx_sgm_is_cloud(uint32_t disparity)
{
  return disparity != STX_DISPARITY_UNKNOWN && disparity <= STX_SGM_SKY_FAR;
}

/* True if a tile continues the sky of one beside it. */
STX_INLINE bool stx_sgm_continues(StxSgmTile tile, StxSgmTile sky)
{
  int low = tile.low < sky.low ? tile.low : sky.low;
  int high = tile.high > sky.high ? tile.high : sky.high;
  return high - low <= STX_SGM_SKY_RANGE;
}

/* What the tiles of a patch add up to. */
typedef struct {
  uint32_t tiles, pixels, samples;
  int32_t votes;  /* Σ C(p,0) − C(p,d) over the samples, each −31 … 31 */
  uint64_t light; /* Σ of the gray values */
} StxSgmPatch;

/* Brightness in sixteenths of the frame's, at most 64. */
STX_INLINE int stx_sgm_patch_light(const StxSgmPatch *patch, uint64_t total, uint64_t frame_pixels)
{
  double light = 16.0 * (double)patch->light * (double)frame_pixels;
  double unit = (double)patch->pixels * (double)total;
  return unit > 0 && light < 64.0 * unit ? (int)(light / unit) : 64;
}

/* May be sky, as far as the other camera says. */
STX_INLINE bool stx_sgm_patch_is_far(const StxSgmPatch *patch, int light)
{
  return 20 * (int64_t)patch->votes <=
         (int64_t)patch->samples * (16 + (light < 48 ? light : 48)) + 4 * (int64_t)patch->tiles;
}

/* How much a patch says about the brightness of the sky. */
STX_INLINE uint32_t stx_sgm_patch_weight(const StxSgmPatch *patch)
{
  return 8 * patch->samples >= patch->tiles ? 2 * patch->tiles : patch->tiles;
}

/* As bright as the sky of brightness `sky`, within a factor of 1.8. */
STX_INLINE bool stx_sgm_is_alike(int light, int sky)
{
  return 5 * light <= 9 * sky && 5 * sky <= 9 * light;
}

#endif
