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

#include "cuda/sgm/sgm_sky.cuh"

STX_KERNEL(stx_sgm_sky_tiles, StxSgmSkyArgs, STX_SGM_SKY_THREADS)
{
  STX_SHARED(uint32_t, sums, SKY_WARPS);
  const uint32_t at = thread_number();
  const StxSgmPatch none = {0, 0, 0, 0, 0};
  uint32_t tile = 0;
  if (at < tile_count(&a))
    a.tiles[at] = tile = look_at_tile(&a, (int)(at % a.columns), (int)(at / a.columns));
  if (at < (uint32_t)a.columns)
    a.patches[at] = none;
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
  if (patch != STX_SGM_SKY_NONE)
    share = share_of(&a, at, (int)(at % a.columns), (int)(at / a.columns));
  add_to_patches(&a, patch, share);
  if (is_last_block(a.done, &shared->last))
    choose_sky(&a, shared);
}

STX_KERNEL(stx_sgm_sky_mark, StxSgmSkyArgs, STX_SGM_SKY_MARK_ROWS *STX_SGM_LANES)
{
  const int first = blockIdx.x * STX_SGM_LANES, i = first + (int)threadIdx.x;
  const int j = blockIdx.y * STX_SGM_SKY_MARK_ROWS + threadIdx.y;
  const bool marked = i < a.columns && j < a.rows && is_beside_sky(&a, i, j);
  const uint32_t all = __ballot_sync(STX_FULL_WARP, marked);
  if (all != 0)
    mark_tiles(&a, first, j, all);
}
