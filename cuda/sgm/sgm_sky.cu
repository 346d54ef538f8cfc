/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sky on the GPU, see common/sgm/sgm_sky.h: what semi-global matching ends with. Five kernels,
 * in the order in which they run:
 *
 *   tiles        a thread per tile: least, greatest and sum of its gray values; the frame's total
 *   candidates   a thread per tile: bright and smooth? Each is a patch for now
 *   join         a thread per tile: union with its neighbours
 *   patches      a thread per tile: its patch, its sample; the last block decides which are sky
 *   mark         a warp per 32 tiles of a row: margin, output
 *
 * A step needs all of the one before, so there are no fewer launches; what the step from patches
 * to the sky looks at is small enough for one block. Sums of integers and minima are all that
 * threads bring together, so the order in which they come does not matter.
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/driver/patches.cuh"
#include "cuda/driver/threads.cuh"
#include "cuda/sgm/sgm_args.h"

/*
 * The sky of common/sgm/sgm_sky.h, step by step: a thread has a tile. Sums over a patch come
 * together first in each warp, whose tiles are nearly always all of one patch.
 */

enum { SKY_WARPS = STX_SGM_SKY_THREADS / STX_SGM_LANES };

/* ---- Tiles and candidates ------------------------------------------------------------------ */

STX_DEVICE StxSgmTile tile_at(const StxSgmSkyArgs *a, uint32_t at)
{
  const uint32_t word = __ldg(&a->tiles[at]);
  const StxSgmTile tile = {(uint8_t)word, (uint8_t)(word >> 8), (uint16_t)(word >> 16)};
  return tile;
}

STX_DEVICE uint32_t tile_count(const StxSgmSkyArgs *a)
{
  return (uint32_t)a->columns * (uint32_t)a->rows;
}

STX_DEVICE unsigned long long frame_pixels(const StxSgmSkyArgs *a)
{
  return (unsigned long long)a->width * (unsigned long long)a->height;
}

STX_DEVICE int pixels_of(const StxSgmSkyArgs *a, int i, int j)
{
  return stx_sgm_tile_pixels(a->width, a->height, i, j);
}

/* The tile's word; what is outside of the image is not looked at. */
STX_DEVICE uint32_t look_at_tile(const StxSgmSkyArgs *a, int i, int j)
{
  uint32_t low = 255, high = 0, sum = 0;
#pragma unroll
  for (int v = 0; v < STX_SGM_TILE; v++)
#pragma unroll
    for (int u = 0; u < STX_SGM_TILE; u++) {
      const int x = i * STX_SGM_TILE + u, y = j * STX_SGM_TILE + v;
      if (x < a->width && y < a->height) {
        const uint32_t gray = __ldg(&a->left[y * a->left_stride + x]);
        low = min(low, gray);
        high = max(high, gray);
        sum += gray;
      }
    }
  return low | high << 8 | sum << 16;
}

/* Calls f(number) for the tile and those around it that there are. */
template <typename F> STX_DEVICE void around(const StxSgmSkyArgs *a, int i, int j, F f)
{
#pragma unroll
  for (int v = -1; v <= 1; v++)
#pragma unroll
    for (int u = -1; u <= 1; u++)
      if (i + u >= 0 && i + u < a->columns && j + v >= 0 && j + v < a->rows)
        f((uint32_t)((j + v) * a->columns + i + u));
}

/* The disparity at the centre of a tile. */
STX_DEVICE int disparity_of(const StxSgmSkyArgs *a, int i, int j)
{
  const int x = stx_sgm_tile_centre(i, a->width), y = stx_sgm_tile_centre(j, a->height);
  return *stx_sgm_disparity_at(&a->maps, x, y);
}

STX_DEVICE bool is_candidate(const StxSgmSkyArgs *a, uint32_t at, int i, int j)
{
  int low = 255, high = 0;
  if (!stx_sgm_is_bright(tile_at(a, at).sum, pixels_of(a, i, j), *a->total, frame_pixels(a)))
    return false;
  around(a, i, j, [&](uint32_t beside) {
    const StxSgmTile tile = tile_at(a, beside);
    low = min(low, (int)tile.low);
    high = max(high, (int)tile.high);
  });
  return high - low <= STX_SGM_SKY_RANGE || stx_sgm_is_cloud(disparity_of(a, i, j));
}

/* ---- Patches ------------------------------------------------------------------------------- */

/* Joins a tile with the next candidate above, if no more is between than a wire. */
STX_DEVICE void join_across(const StxSgmSkyArgs *a, uint32_t at)
{
  const uint32_t columns = (uint32_t)a->columns;
  if (at >= tile_count(a) || !is_used(a->parent, at))
    return;
  for (uint32_t k = 1; k <= 1 + STX_SGM_SKY_WIRE && at >= k * columns; k++) {
    const uint32_t above = at - k * columns;
    if (!is_used(a->parent, above))
      continue;
    if (k > 1 && stx_sgm_is_same_sky(tile_at(a, at), tile_at(a, above)))
      unite(a->parent, at, above);
    return;
  }
}

/* The patch of a candidate that reaches the top edge, or STX_SGM_SKY_NONE. */
STX_DEVICE uint32_t patch_of(const StxSgmSkyArgs *a, uint32_t at)
{
  if (!is_used(a->parent, at))
    return STX_SGM_SKY_NONE;
  const uint32_t root = find_root(a->parent, at);
  return root < (uint32_t)a->columns ? root : STX_SGM_SKY_NONE;
}

/* A tile's contribution to its patch. */
struct TileShare {
  int pixels, samples, votes, light;
};

/* C(p,0) − C(p,d) of a pixel whose disparity is known. Before a row's words its first is repeated.
 */
STX_DEVICE int vote_of(const StxSgmSkyArgs *a, int x, int y, int disparity)
{
  const int d = (disparity + STX_DISPARITY_ONE / 2) / STX_DISPARITY_ONE;
  const uint32_t left = a->left_words[(size_t)y * a->width + x];
  const uint32_t *right = a->right_words.words + a->right_words.before +
                          (size_t)y * STX_SGM_SHIFTS * a->right_words.pitch;
  return __popc(left ^ right[x]) - __popc(left ^ right[x - d]);
}

/* Of a tile that belongs to a patch. */
STX_DEVICE TileShare share_of(const StxSgmSkyArgs *a, uint32_t at, int i, int j)
{
  TileShare share = {pixels_of(a, i, j), 0, 0, tile_at(a, at).sum};
  const int x = stx_sgm_tile_centre(i, a->width), y = stx_sgm_tile_centre(j, a->height);
  const int disparity = disparity_of(a, i, j);
  bool inner = disparity != STX_DISPARITY_UNKNOWN;
  around(a, i, j, [&](uint32_t beside) { inner &= is_used(a->parent, beside); });
  if (inner) {
    share.samples = 1;
    share.votes = vote_of(a, x, y, disparity);
  }
  return share;
}

/* Adds the tile two steps from tile (i, j) in one direction, if the patch ends between them. */
STX_DEVICE void look_beyond(
    const StxSgmSkyArgs *a, StxSgmOutline *outline, int i, int j, int di, int dj)
{
  const int u = i + 2 * di, v = j + 2 * dj;
  if (u < 0 || u >= a->columns || v < 0 || v >= a->rows ||
      is_used(a->parent, (uint32_t)((j + dj) * a->columns + i + di)) ||
      is_used(a->parent, (uint32_t)(v * a->columns + u)))
    return;
  stx_sgm_add_outline(outline, u, (uint32_t)disparity_of(a, u, v), a->width);
}

/* Of a tile that belongs to a patch. Few tiles have an outline, so no warp adds it up. */
STX_DEVICE void add_outline(const StxSgmSkyArgs *a, StxSgmOutline *all, int i, int j)
{
  StxSgmOutline mine = {0, 0, 0, 0, 0, 0, 0};
  look_beyond(a, &mine, i, j, -1, 0);
  look_beyond(a, &mine, i, j, 1, 0);
  look_beyond(a, &mine, i, j, 0, -1);
  look_beyond(a, &mine, i, j, 0, 1);
  if (mine.count == 0)
    return;
  atomicAdd(&all->count, mine.count);
  atomicAdd(&all->far, mine.far);
  atomicAdd(&all->i, mine.i);
  atomicAdd(&all->d, mine.d);
  atomicAdd(&all->ii, mine.ii);
  atomicAdd(&all->dd, mine.dd);
  atomicAdd(&all->id, mine.id);
}

/* Adds the sums of a warp's lanes that `mine` is true of. */
STX_DEVICE void add_to_patch(StxSgmPatch *patch, bool mine, TileShare share)
{
  const uint32_t tiles = __popc(__ballot_sync(STX_FULL_WARP, mine));
  const uint32_t samples = __popc(__ballot_sync(STX_FULL_WARP, mine && share.samples > 0));
  const int pixels = warp_sum(mine ? share.pixels : 0);
  const int votes = warp_sum(mine ? share.votes : 0);
  const int light = warp_sum(mine ? share.light : 0);
  if (threadIdx.x % STX_SGM_LANES != 0)
    return;
  atomicAdd(&patch->tiles, tiles);
  atomicAdd(&patch->pixels, (uint32_t)pixels);
  atomicAdd((unsigned long long *)&patch->light, (unsigned long long)light);
  if (samples > 0) {
    atomicAdd(&patch->samples, samples);
    atomicAdd(&patch->votes, votes);
  }
}

/* By all lanes of a warp: one patch after the other that they have tiles of. */
STX_DEVICE void add_to_patches(const StxSgmSkyArgs *a, uint32_t patch, TileShare share)
{
  uint32_t left = __ballot_sync(STX_FULL_WARP, patch != STX_SGM_SKY_NONE);
  while (left != 0) {
    const uint32_t one = __shfl_sync(STX_FULL_WARP, patch, __ffs((int)left) - 1);
    add_to_patch(&a->patches[one], patch == one, share);
    left &= ~__ballot_sync(STX_FULL_WARP, patch == one);
  }
}

/* ---- The sky ------------------------------------------------------------------------------- */

typedef struct {
  uint32_t last;
  unsigned long long keys[SKY_WARPS];
} SkyShared;

/* The greatest of a block's keys, in all threads. */
STX_DEVICE unsigned long long block_max(unsigned long long key, unsigned long long *shared)
{
#pragma unroll
  for (int step = STX_SGM_LANES / 2; step > 0; step /= 2)
    key = max(key, __shfl_xor_sync(STX_FULL_WARP, key, step));
  if (threadIdx.x % STX_SGM_LANES == 0)
    shared[threadIdx.x / STX_SGM_LANES] = key;
  __syncthreads();
  for (int warp = 0; warp < SKY_WARPS; warp++)
    key = max(key, shared[warp]);
  return key;
}

/* 0 if there is no such patch. */
STX_DEVICE int light_of(const StxSgmSkyArgs *a, const StxSgmPatch *patch)
{
  return patch->tiles > 0 ? stx_sgm_patch_light(patch, *a->total, frame_pixels(a)) : 0;
}

/* The patch with the greatest key gives the sky's brightness: its weight, then the leftmost, then
 * the brightness itself. 0: not far, or no patch. */
STX_DEVICE unsigned long long key_of(const StxSgmPatch *patch, int root, int light)
{
  if (patch->tiles == 0 || !stx_sgm_patch_may_be_sky(patch, light))
    return 0;
  return (unsigned long long)stx_sgm_patch_weight(patch) << 32 |
         (uint32_t)(STX_SGM_SKY_NONE - root) << 8 | (uint32_t)light;
}

/* By one block: which patches are sky. */
STX_DEVICE void choose_sky(const StxSgmSkyArgs *a, SkyShared *shared)
{
  unsigned long long best = 0;
  for (int root = threadIdx.x; root < a->columns; root += STX_SGM_SKY_THREADS) {
    const StxSgmPatch patch = a->patches[root];
    best = max(best, key_of(&patch, root, light_of(a, &patch)));
  }
  const int sky = (int)(block_max(best, shared->keys) & 255);
  for (int root = threadIdx.x; root < a->columns; root += STX_SGM_SKY_THREADS) {
    const StxSgmPatch patch = a->patches[root];
    a->is_sky[root] = patch.tiles > 0 && stx_sgm_patch_is_sky(&patch, light_of(a, &patch), sky);
  }
}

/* ---- Marks --------------------------------------------------------------------------------- */

STX_DEVICE bool in_sky(const StxSgmSkyArgs *a, uint32_t at)
{
  const uint32_t patch = __ldg(&a->patch[at]);
  return patch != STX_SGM_SKY_NONE && __ldg(&a->is_sky[patch]);
}

/* Gray values of a tile's pixels that are marked: all in the sky, none far from it. */
STX_DEVICE StxSgmGrays marked_grays(const StxSgmSkyArgs *a, int i, int j)
{
  StxSgmGrays grays = stx_sgm_no_grays();
  if (i >= a->columns || j >= a->rows)
    return grays;
  if (in_sky(a, (uint32_t)(j * a->columns + i)))
    return {0, 255};
  for (int v = max(j - STX_SGM_SKY_RIM, 0); v <= min(j + STX_SGM_SKY_RIM, a->rows - 1); v++)
    for (int u = max(i - STX_SGM_SKY_RIM, 0); u <= min(i + STX_SGM_SKY_RIM, a->columns - 1); u++) {
      const uint32_t at = (uint32_t)(v * a->columns + u);
      const StxSgmTile tile = tile_at(a, at);
      const StxSgmGrays there = {tile.low, tile.high};
      if (in_sky(a, at))
        grays = stx_sgm_both_grays(grays, there);
    }
  return stx_sgm_rim_grays(grays);
}

/* By all lanes of a warp, side by side: 32 tiles from column `first` of row j, of which each lane
 * has the gray values that are marked. */
STX_DEVICE void mark_tiles(const StxSgmSkyArgs *a, int first, int j, StxSgmGrays mine)
{
  const int lane = threadIdx.x, bottom = min((j + 1) * STX_SGM_TILE, a->height);
  for (int part = 0; part < STX_SGM_TILE; part++) {
    const int column = part * STX_SGM_LANES + lane, x = first * STX_SGM_TILE + column;
    const uint32_t word =
        __shfl_sync(STX_FULL_WARP, (uint32_t)mine.low | mine.high << 8, column / STX_SGM_TILE);
    const StxSgmGrays grays = {(uint8_t)word, (uint8_t)(word >> 8)};
    if (x >= a->width || grays.low > grays.high)
      continue;
    for (int y = j * STX_SGM_TILE; y < bottom; y++) {
      if (!stx_sgm_has_sky_gray(grays, __ldg(&a->left[y * a->left_stride + x])))
        continue;
      *stx_sgm_disparity_at(&a->maps, x, y) = STX_DISPARITY_UNKNOWN;
      if (a->maps.confidence != NULL)
        *stx_sgm_confidence_at(&a->maps, x, y) = STX_SGM_SKY_CONFIDENCE;
    }
  }
}

/* Word by word: a structure of this size would go through local memory. */
STX_DEVICE void clear_patch(StxSgmPatch *patch)
{
  unsigned long long *words = (unsigned long long *)patch;
#pragma unroll
  for (size_t w = 0; w < sizeof *patch / sizeof *words; w++)
    words[w] = 0;
}

STX_KERNEL(stx_sgm_sky_tiles, StxSgmSkyArgs, STX_SGM_SKY_THREADS)
{
  STX_SHARED(uint32_t, sums, SKY_WARPS);
  const uint32_t at = thread_number();
  uint32_t tile = 0;
  if (at < tile_count(&a))
    a.tiles[at] = tile = look_at_tile(&a, (int)(at % a.columns), (int)(at / a.columns));
  if (at < (uint32_t)a.columns)
    clear_patch(&a.patches[at]);
  const uint32_t sum = block_sum(tile >> 16, sums);
  if (threadIdx.x == 0)
    atomicAdd(a.total, (unsigned long long)sum);
  if (at == 0)
    *a.done = UINT32_MAX;
}

STX_KERNEL(stx_sgm_sky_candidates, StxSgmSkyArgs, STX_SGM_SKY_THREADS)
{
  const uint32_t at = thread_number();
  if (at >= tile_count(&a))
    return;
  const bool yes = is_candidate(&a, at, (int)(at % a.columns), (int)(at / a.columns));
  a.parent[at] = yes ? at : STX_UNUSED_CELL;
}

STX_KERNEL(stx_sgm_sky_join, StxSgmSkyArgs, STX_SGM_SKY_THREADS)
{
  join_cell(a.parent, tile_count(&a), (uint32_t)a.columns, thread_number());
  join_across(&a, thread_number());
}

STX_KERNEL(stx_sgm_sky_patches, StxSgmSkyArgs, STX_SGM_SKY_THREADS)
{
  STX_SHARED(SkyShared, shared, 1);
  const uint32_t at = thread_number();
  uint32_t patch = STX_SGM_SKY_NONE;
  TileShare share = {0, 0, 0, 0};
  if (at < tile_count(&a)) {
    patch = patch_of(&a, at);
    a.patch[at] = (uint16_t)patch;
  }
  if (patch != STX_SGM_SKY_NONE) {
    share = share_of(&a, at, (int)(at % a.columns), (int)(at / a.columns));
    add_outline(&a, &a.patches[patch].outline, (int)(at % a.columns), (int)(at / a.columns));
  }
  add_to_patches(&a, patch, share);
  if (is_last_block(a.done, &shared->last))
    choose_sky(&a, shared);
}

STX_KERNEL(stx_sgm_sky_mark, StxSgmSkyArgs, STX_SGM_SKY_MARK_ROWS *STX_SGM_LANES)
{
  const int first = blockIdx.x * STX_SGM_LANES, i = first + (int)threadIdx.x;
  const int j = blockIdx.y * STX_SGM_SKY_MARK_ROWS + threadIdx.y;
  const StxSgmGrays mine = marked_grays(&a, i, j);
  if (__ballot_sync(STX_FULL_WARP, mine.low <= mine.high) != 0)
    mark_tiles(&a, first, j, mine);
}
