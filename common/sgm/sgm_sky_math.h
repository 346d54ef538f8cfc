/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The decisions of sgm_sky.h, written once for every implementation, CUDA included. */
#ifndef STX_SGM_SKY_MATH_H
#define STX_SGM_SKY_MATH_H

#include "common/sgm/sgm_sky.h"

/* Record of a tile. */
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

/* A range of gray values; low > high: none. */
typedef struct {
  uint8_t low, high;
} StxSgmGrays;

STX_INLINE StxSgmGrays stx_sgm_no_grays(void)
{
  StxSgmGrays none = {255, 0};
  return none;
}

STX_INLINE StxSgmGrays stx_sgm_both_grays(StxSgmGrays a, StxSgmGrays b)
{
  StxSgmGrays both = {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  return both;
}

/* True if a tile continues the sky behind a wire. */
STX_INLINE bool stx_sgm_is_same_sky(StxSgmTile tile, StxSgmTile above)
{
  int low = tile.low < above.low ? tile.low : above.low;
  int high = tile.high > above.high ? tile.high : above.high;
  return high < STX_SGM_SKY_WHITE && high - low <= STX_SGM_SKY_RANGE;
}

/* Sums over the tiles of an outline, i their columns and d their disparities. */
typedef struct {
  unsigned long long count, far, i, d, ii, dd, id;
} StxSgmOutline;

/* Sums over the tiles of a patch. */
typedef struct {
  uint32_t tiles, pixels, samples;
  int32_t votes;            /* Σ C(p,0) − C(p,d) over the samples, each −31 … 31 */
  uint64_t light;           /* Σ of the gray values */
  uint32_t meetings, alike; /* pairs with tiles of the sky, and those whose means hardly differ */
  StxSgmOutline outline;
} StxSgmPatch;

/* True if an outline's disparity is far. */
STX_INLINE bool stx_sgm_is_far_off(uint32_t disparity, int width)
{
  return 144 * disparity < (uint32_t)width * STX_DISPARITY_ONE;
}

STX_INLINE void stx_sgm_add_outline(StxSgmOutline *o, int i, uint32_t disparity, int width)
{
  unsigned long long column = (unsigned long long)i, d = disparity;
  if (disparity == STX_DISPARITY_UNKNOWN)
    return;
  o->count++;
  o->far += stx_sgm_is_far_off(disparity, width);
  o->i += column;
  o->d += d;
  o->ii += column * column;
  o->dd += d * d;
  o->id += column * d;
}

/* Near, and in one vertical plane. Doubles, since the products exceed 64 bits; they are rounded in
 * the same way everywhere. */
STX_INLINE bool stx_sgm_is_one_plane(const StxSgmOutline *o)
{
  double n = (double)o->count, i = (double)o->i, d = (double)o->d;
  double ii = n * (double)o->ii - i * i, dd = n * (double)o->dd - d * d;
  double id = n * (double)o->id - i * d;
  bool steep = ii > 0; /* else all are in one column */
  double rest = steep ? dd * ii - id * id : dd, unit = steep ? d * d * ii : d * d;
  return o->count >= STX_SGM_SKY_OUTLINE && 16 * o->far <= o->count && 20 * rest <= unit;
}

/* A wall, as far as its outline says. */
STX_INLINE bool stx_sgm_patch_is_wall(const StxSgmPatch *patch)
{
  bool sky = 2 * patch->samples >= patch->tiles &&
             5 * (int64_t)patch->votes <= 3 * (int64_t)patch->samples;
  return !sky && stx_sgm_is_one_plane(&patch->outline);
}

/* Brightness in sixteenths of the frame's, at most 64. */
STX_INLINE int stx_sgm_patch_light(const StxSgmPatch *patch, uint64_t total, uint64_t frame_pixels)
{
  double light = 16.0 * (double)patch->light * (double)frame_pixels;
  double unit = (double)patch->pixels * (double)total;
  return unit > 0 && light < 64.0 * unit ? (int)(light / unit) : 64;
}

/* Far, as far as the other camera says. */
STX_INLINE bool stx_sgm_patch_is_far(const StxSgmPatch *patch, int light)
{
  return 20 * (int64_t)patch->votes <=
         (int64_t)patch->samples * (16 + (light < 48 ? light : 48)) + 4 * (int64_t)patch->tiles;
}

/* May tell how bright the sky is. */
STX_INLINE bool stx_sgm_patch_may_be_sky(const StxSgmPatch *patch, int light)
{
  return stx_sgm_patch_is_far(patch, light) && !stx_sgm_patch_is_wall(patch);
}

/* The weight of a patch for the brightness of the sky. */
STX_INLINE uint32_t stx_sgm_patch_weight(const StxSgmPatch *patch)
{
  return 8 * patch->samples >= patch->tiles ? 2 * patch->tiles : patch->tiles;
}

/* As bright as the sky of brightness `sky`, within a factor of 1.8. */
STX_INLINE bool stx_sgm_is_alike(int light, int sky)
{
  return 5 * light <= 9 * sky && 5 * sky <= 9 * light;
}

/* A pixel beside the sky that spans at most STX_SGM_SKY_RANGE with the sky there. */
STX_INLINE StxSgmGrays stx_sgm_rim_grays(StxSgmGrays sky)
{
  int low = sky.high - STX_SGM_SKY_RANGE, high = sky.low + STX_SGM_SKY_RANGE;
  StxSgmGrays rim = {(uint8_t)(low > 0 ? low : 0), (uint8_t)(high < 255 ? high : 255)};
  return sky.low > sky.high || low > sky.low ? stx_sgm_no_grays() : rim;
}

STX_INLINE bool stx_sgm_has_sky_gray(StxSgmGrays grays, uint8_t gray)
{
  return grays.low <= gray && gray <= grays.high;
}

/* Two tiles tell whether the sky goes on from one to the other. */
STX_INLINE bool stx_sgm_may_meet(StxSgmTile a, StxSgmTile b)
{
  return a.high < STX_SGM_SKY_WHITE && b.high < STX_SGM_SKY_WHITE;
}

/* It does. Each has so many pixels. */
STX_INLINE bool stx_sgm_is_alike_in_mean(StxSgmTile a, int a_pixels, StxSgmTile b, int b_pixels)
{
  int difference = a.sum * b_pixels - b.sum * a_pixels;
  int most = STX_SGM_SKY_STEP * a_pixels * b_pixels;
  return -most <= difference && difference <= most;
}

/* A patch that goes on where the sky was hidden. */
STX_INLINE bool stx_sgm_patch_is_behind(const StxSgmPatch *patch)
{
  return patch->meetings >= STX_SGM_SKY_MEETINGS && 4 * patch->alike >= 3 * patch->meetings;
}

/* So few tiles, of as many in the frame, that nothing grows from them. */
STX_INLINE bool stx_sgm_patch_is_small(const StxSgmPatch *patch, int tiles)
{
  return STX_SGM_SKY_SMALL * (uint64_t)patch->tiles < (uint64_t)tiles;
}

/* A tile with these grays becomes sky beside sky with those. */
STX_INLINE bool stx_sgm_grows(StxSgmGrays tile, StxSgmGrays sky)
{
  StxSgmGrays both = stx_sgm_both_grays(tile, sky);
  return sky.low <= sky.high && both.high - both.low <= STX_SGM_SKY_RANGE;
}

/* The patch is sky, if the sky has this brightness. */
STX_INLINE bool stx_sgm_patch_is_sky(const StxSgmPatch *patch, int light, int sky)
{
  bool same = 4 * patch->samples >= patch->tiles && 10 * light <= 11 * sky && 10 * light >= 9 * sky;
  return stx_sgm_patch_is_far(patch, light) && stx_sgm_is_alike(light, sky) &&
         (same || !stx_sgm_patch_is_wall(patch));
}

#endif
