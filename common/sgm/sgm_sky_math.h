/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The decisions of sgm_sky.h, written once for every implementation, CUDA included. */
#pragma once

#include "common/sgm/sgm_sky.h"

/* Record of a tile; where it goes beyond the right and lower border, these repeat. */
typedef struct {
  uint8_t low, high; /* least and greatest gray value */
  uint16_t sum;      /* of its gray values */
} StxSgmTile;

/* The pixel of a tile that is compared. */
STX_INLINE int stx_sgm_tile_centre(int i, int length)
{
  int x = i * STX_SGM_TILE + STX_SGM_TILE / 2;
  return x < length ? x : length - 1;
}

/* Black, as what surrounds a rectified picture. */
STX_INLINE bool stx_sgm_is_blank(int sum)
{
  return sum <= STX_SGM_SKY_BLANK * STX_SGM_TILE * STX_SGM_TILE;
}

/* The mean gray value of `tiles` that are not blank, as the sum of a tile. */
STX_INLINE int stx_sgm_sky_level(uint64_t total, uint32_t tiles)
{
  return tiles > 0 ? (int)(total / tiles) : 0;
}

/* Numbers of tiles that are not blank and span at most FLAT, ROUGH and ROUGHER gray levels. */
typedef struct {
  uint32_t flat, rough, rougher;
} StxSgmSpans;

STX_INLINE StxSgmSpans stx_sgm_spans(StxSgmTile tile)
{
  int span = stx_sgm_is_blank(tile.sum) ? 255 : tile.high - tile.low;
  StxSgmSpans spans = {(uint32_t)(span <= STX_SGM_SKY_FLAT), (uint32_t)(span <= STX_SGM_SKY_ROUGH),
      (uint32_t)(span <= STX_SGM_SKY_ROUGHER)};
  return spans;
}

/* Gray levels that a smooth tile spans with those around it, whatever its own brightness. Noise
 * spans 5/2 as many over 9 tiles, about, as over one of the flattest. */
STX_INLINE int stx_sgm_sky_range(int level, StxSgmSpans spans, uint32_t tiles)
{
  int range = level / (5 * STX_SGM_TILE * STX_SGM_TILE), noise = STX_SGM_SKY_NOISE;
  if (20 * (uint64_t)spans.flat < tiles)
    noise = 5 * STX_SGM_SKY_ROUGH / 2;
  if (20 * (uint64_t)spans.rough < tiles)
    noise = 5 * STX_SGM_SKY_ROUGHER / 2;
  if (20 * (uint64_t)spans.rougher < tiles)
    noise = STX_SGM_SKY_NOISIEST;
  return range > noise ? range : noise;
}

/* range: of stx_sgm_sky_range (), span: of the 3 x 3 tiles */
STX_INLINE bool stx_sgm_is_smooth(int span, int sum, int range)
{
  return ((span <= range) | (8 * STX_SGM_TILE * STX_SGM_TILE * span <= sum)) &
         !stx_sgm_is_blank(sum);
}

/* A known disparity that cannot be told from 0. */
STX_INLINE bool stx_sgm_is_infinite(uint32_t disparity, int width)
{
  return STX_SGM_SKY_FAR * disparity <= (uint32_t)width * STX_DISPARITY_ONE;
}

/* The least sum of a cloud, times 4: the sky that fills most of a picture is not much brighter than
 * its mean. */
STX_INLINE int stx_sgm_cloud_level(int level, int ground)
{
  return ground > 0 && 8 * ground < 5 * level ? 8 * ground : 5 * level;
}

/* least: of stx_sgm_cloud_level () */
STX_INLINE bool stx_sgm_is_cloud(uint32_t disparity, int width, int sum, int least)
{
  return disparity != STX_DISPARITY_UNKNOWN && stx_sgm_is_infinite(disparity, width) &&
         4 * sum >= least && !stx_sgm_is_blank(sum);
}

/* The other camera sees a surface: sums over the samples around. */
STX_INLINE bool stx_sgm_is_near(int votes, int costs)
{
  return (votes >= STX_SGM_SKY_NEAR) & (6 * votes > costs);
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
STX_INLINE bool stx_sgm_is_same_sky(StxSgmTile tile, StxSgmTile above, int range)
{
  int low = tile.low < above.low ? tile.low : above.low;
  int high = tile.high > above.high ? tile.high : above.high;
  int sum = tile.sum < above.sum ? tile.sum : above.sum;
  return high < STX_SGM_SKY_WHITE && stx_sgm_is_smooth(high - low, sum, range);
}

/* Sums over the tiles of an outline, i their columns and d their disparities. */
typedef struct {
  unsigned long long count, seen, far, i, d, ii, dd, id;
} StxSgmOutline;

/* Sums over the tiles of a patch. */
typedef struct {
  uint32_t tiles, samples, clipped;
  uint32_t open;  /* not 0: reaches the top edge */
  int32_t votes;  /* Σ C(p,0) − C(p,d) over the samples, each −31 … 31 */
  uint32_t costs; /* Σ C(p,0) over them */
  uint64_t light; /* Σ of the tiles' sums */
  StxSgmOutline outline;
} StxSgmPatch;

/* True if an outline's disparity is far. */
STX_INLINE bool stx_sgm_is_far_off(uint32_t disparity, int width)
{
  return 80 * disparity < (uint32_t)width * STX_DISPARITY_ONE;
}

/* A pixel that matches at its disparity better than nearer; `nearer`: the least cost there. */
STX_INLINE bool stx_sgm_is_seen(int cost, int nearer)
{
  return 2 * cost <= nearer;
}

/* Adds a tile of a known disparity. */
STX_INLINE void stx_sgm_add_outline(
    StxSgmOutline *o, int i, uint32_t disparity, bool seen, int width)
{
  unsigned long long column = (unsigned long long)i, d = disparity;
  o->count++;
  o->seen += seen;
  o->far += seen && stx_sgm_is_far_off(disparity, width);
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
  return o->count >= STX_SGM_SKY_OUTLINE && 32 * rest <= unit;
}

/* Brightness in sixteenths of the frame's, at most 63. */
STX_INLINE int stx_sgm_patch_light(const StxSgmPatch *patch, int level)
{
  uint64_t unit = (uint64_t)patch->tiles * (uint64_t)level;
  uint64_t light = unit > 0 ? 16 * patch->light / unit : 63;
  return light < 63 ? (int)light : 63;
}

/* Nothing that the other camera sees elsewhere. */
STX_INLINE bool stx_sgm_patch_is_far(const StxSgmPatch *patch)
{
  return 32 * (int64_t)patch->votes <= 8 * (int64_t)patch->costs + (int64_t)patch->tiles;
}

STX_INLINE bool stx_sgm_is_clipped(StxSgmTile tile)
{
  return tile.low >= STX_SGM_SKY_CLIPPED;
}

STX_INLINE bool stx_sgm_patch_glares(const StxSgmPatch *patch, int rest)
{
  bool burnt = 4 * (uint64_t)patch->clipped >= 3 * (uint64_t)patch->tiles;
  uint64_t least = burnt ? STX_SGM_SKY_BURNT : STX_SGM_SKY_GLARE;
  return 16 * patch->light >= least * (uint64_t)rest * patch->tiles;
}

/* Returns how surely a patch is sky without regard to the others: 3 its outline is far, 2 it
 * glares, 1 the outline of a dark one is far, 0 it needs another. `tiles` are the frame's. */
STX_INLINE int stx_sgm_patch_sureness(const StxSgmPatch *patch, int light, int rest, int tiles)
{
  const StxSgmOutline *o = &patch->outline;
  bool lighter = 8 * patch->light >= 9 * (uint64_t)rest * patch->tiles;
  bool plane = stx_sgm_is_one_plane(o), bright = light >= STX_SGM_SKY_DARK && lighter;
  uint64_t size = STX_SGM_SKY_SMALL * (uint64_t)patch->tiles;
  bool large = size >= 2 * (uint64_t)tiles;
  bool far = bright && large ? 8 * o->far >= 3 * o->seen : 4 * o->far >= 3 * o->seen;
  if (!stx_sgm_patch_is_far(patch) || o->count < STX_SGM_SKY_OUTLINE || size < (uint64_t)tiles)
    return 0;
  far &= o->far >= STX_SGM_SKY_SEEN && 10 * o->far >= o->count;
  if (far && bright)
    return 3;
  if (large && !plane && stx_sgm_patch_glares(patch, rest))
    return 2;
  return far && !plane && 4 * o->far >= o->count;
}

/* Ranks what is sure and open: greater is better; 0 is not sure. */
STX_INLINE uint64_t stx_sgm_patch_rank(const StxSgmPatch *patch, int light, int rest, int tiles)
{
  uint64_t sure = patch->open ? (uint64_t)stx_sgm_patch_sureness(patch, light, rest, tiles) : 0;
  return sure > 0 ? sure << 32 | patch->tiles : 0;
}

/* Brightnesses that differ by a factor of at most tenths / 10. */
STX_INLINE bool stx_sgm_is_alike(int light, int other, int tenths)
{
  return 10 * light <= tenths * other && 10 * other <= tenths * light;
}

/* The sky below a bridge. */
STX_INLINE bool stx_sgm_patch_is_enclosed_sky(const StxSgmPatch *patch, int light, int tiles)
{
  const StxSgmOutline *o = &patch->outline;
  bool large = STX_SGM_SKY_SMALL * (uint64_t)patch->tiles >= 8 * (uint64_t)tiles;
  bool bare = 4 * patch->samples < patch->tiles && stx_sgm_patch_is_far(patch);
  bool far = o->far >= STX_SGM_SKY_SEEN && 10 * o->far >= o->count && 8 * o->far >= 7 * o->seen;
  return large && bare && far && light >= STX_SGM_SKY_ENCLOSED && o->count >= STX_SGM_SKY_OUTLINE &&
         !stx_sgm_is_one_plane(o);
}

/* Bit k of `lights` is set if k is the brightness of a sure patch; `tiles` are the frame's. */
STX_INLINE bool stx_sgm_patch_is_sky(
    const StxSgmPatch *patch, int light, uint64_t lights, int tiles)
{
  const StxSgmOutline *o = &patch->outline;
  if (!patch->open)
    return stx_sgm_patch_is_enclosed_sky(patch, light, tiles);
  bool few = o->seen > 0 && o->count < STX_SGM_SKY_OUTLINE, alike = false;
  bool plane = 8 * o->far < o->seen && (few || stx_sgm_is_one_plane(o));
  bool bare = 4 * patch->samples < patch->tiles;
  bool near = 10 * (int64_t)patch->votes > (int64_t)patch->costs;
  for (int other = 0; other < 64; other++)
    alike |= (lights >> other & 1) && stx_sgm_is_alike(light, other, bare ? 15 : 12);
  return alike && stx_sgm_patch_is_far(patch) && !(plane && (bare || near));
}

/* Pixels beside the sky that span at most `range`, or a fifth of its least gray value, with the sky
 * there. */
STX_INLINE StxSgmGrays stx_sgm_rim_grays(StxSgmGrays sky, int range)
{
  int span = sky.low / 5 > range ? sky.low / 5 : range;
  int low = sky.high - span, high = sky.low + span;
  StxSgmGrays rim = {(uint8_t)(low > 0 ? low : 0), (uint8_t)(high < 255 ? high : 255)};
  return sky.low > sky.high || low > sky.low ? stx_sgm_no_grays() : rim;
}

STX_INLINE bool stx_sgm_has_sky_gray(StxSgmGrays grays, uint8_t gray)
{
  return grays.low <= gray && gray <= grays.high;
}

/* A tile with these grays becomes sky beside sky with those. */
STX_INLINE bool stx_sgm_grows(StxSgmGrays tile, StxSgmGrays sky, int sum, int range)
{
  StxSgmGrays both = stx_sgm_both_grays(tile, sky);
  return sky.low <= sky.high && stx_sgm_is_smooth(both.high - both.low, sum, range);
}
