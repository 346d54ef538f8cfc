/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ground on the GPU: LiDAR scans into ground and obstacles, see common/ground/ground.h. Kernels, in
 * the order in which they run:
 *
 *   lows     a thread per point: the lowest of each cell near the sensor
 *   plane    RANSAC over them, a warp per sample; the last block fits, and places the scan
 *   bins     a thread per point: lowest and highest point of each bin
 *   lines    a warp per sector: its lines
 *   labels   a thread per point: the line that counts in its bin, and where it lies against it;
 *            obstacles occupy cells, and have theirs as label for now
 *   merge    a thread per cell: union with its neighbours
 *   rank     a thread per cell: the number of its root; the last block adds up the blocks' roots
 *   number   a thread per point: the cluster of its cell
 *
 * Minima, maxima, counts and sums of integers are all that threads bring together, so the order in
 * which they come does not matter.
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/driver/sums.cuh"
#include "cuda/ground/ground_cells.cuh"
#include "cuda/ground/ground_plane.cuh"
#include "cuda/ground/ground_sector.cuh"

/* ---- Level -------------------------------------------------------------------------------- */

STX_KERNEL(stx_ground_lows, StxGroundArgs, STX_GROUND_POINT_THREADS)
{
  size_t i = (size_t)thread_number() * a.stride;
  float point[3];
  if (i >= a.count)
    return;
  load_point(&a, (uint32_t)i, point);
  int cell = stx_ground_cell(point);
  if (cell >= 0)
    atomicMin(&a.minima->lowest[cell], (unsigned long long)stx_ground_cell_key(point, (uint32_t)i));
}

STX_KERNEL(stx_ground_plane, StxGroundArgs, STX_GROUND_PLANE_THREADS)
{
  STX_SHARED(StxGroundLows, lows, 1);
  STX_SHARED(PlaneShared, shared, 1);
  StxGroundPlane none = {0, 0, 0};
  bool found = false;
  if (threadIdx.x == 0)
    shared->plane = none;
  if (a.wants_plane) {
    collect_lows(&a, lows, shared);
    try_sample(&a, lows);
    if (!is_last_block(&a.minima->planes, &shared->last))
      return;
    found = find_plane(&a, lows, shared);
  }
  if (threadIdx.x == 0)
    place_scan(&a, &shared->plane, found);
}

/* ---- Bins and lines ------------------------------------------------------------------------ */

STX_KERNEL(stx_ground_bins, StxGroundArgs, STX_GROUND_POINT_THREADS)
{
  StxGroundPoint p = place_point(&a, thread_number());
  if (p.bin < 0)
    return;
  int32_t z = stx_ground_units(p.z);
  unsigned long long key = stx_ground_key(z, stx_ground_units(p.range));
  atomicMin(&a.key[p.bin], key);
  atomicMin(&a.top[p.bin], top_code(z));
}

STX_KERNEL(stx_ground_sector_lines, StxGroundArgs, LANES)
{
  STX_SHARED_DYNAMIC(char, shared);
  Sector s = new_sector(&a, shared);
  collect_sector(&s);
  uint32_t lines = draw_lines(&s);
  if (threadIdx.x == 0 && lines > 0)
    atomicAdd(&a.result->lines, lines);
}

/* ---- Labels ------------------------------------------------------------------------------- */

/* The line that the nearest other sector has in the bin, the left one first. Looks at some of them
 * at once, because each look takes long. */
STX_DEVICE StxGroundLevel level_beside(const StxGroundArgs *a, int sector, int bin)
{
  enum { AT_ONCE = 4, SIDES = 2 };
  int sectors = a->params.sectors, bins = a->params.bins;
  for (int away = 1; away <= a->search; away += AT_ONCE) {
    int beside[SIDES * AT_ONCE], nearest = -1;
    float up[SIDES * AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++) {
      int step = min(away + k, a->search), left = sector + step, right = sector - step;
      beside[SIDES * k] = (left < sectors ? left : left - sectors) * bins + bin;
      beside[SIDES * k + 1] = (right >= 0 ? right : right + sectors) * bins + bin;
    }
#pragma unroll
    for (int k = 0; k < SIDES * AT_ONCE; k++)
      up[k] = a->own[beside[k]].up;
#pragma unroll
    for (int k = SIDES * AT_ONCE - 1; k >= 0; k--)
      nearest = up[k] >= 0 ? beside[k] : nearest;
    if (nearest >= 0)
      return a->own[nearest];
  }
  return stx_ground_no_level();
}

/* Each point looks for the line of its bin. Most sectors have one there, and neighbouring points
 * are mostly of the same bin, so that costs a warp little more than one point. */
STX_DEVICE bool is_ground(const StxGroundArgs *a, const StxGroundPoint *p)
{
  StxGroundLevel level = a->own[p->bin];
  int32_t top = code_top(a->top[p->bin]);
  int sector = p->bin / a->params.bins, bin = p->bin - sector * a->params.bins;
  if (level.up < 0)
    level = level_beside(a, sector, bin);
  stx_ground_narrow(&level, &a->params, bin, top);
  return stx_ground_is_ground(&level, (float)a->params.max_dist_below, p);
}

STX_KERNEL(stx_ground_labels, StxGroundArgs, STX_GROUND_POINT_THREADS)
{
  uint32_t i = thread_number(), label = STX_POINT_NONE;
  StxGroundPoint p = place_point(&a, i);
  bool inside = p.bin >= 0, ground = inside && is_ground(&a, &p);
  if (inside)
    label = ground ? STX_POINT_GROUND : STX_POINT_OBSTACLE;
  if (inside && !ground && a.cells > 0) {
    uint32_t cell = stx_ground_grid_cell(&a.grid, p.x, p.y);
    atomicMin(&a.parent[cell], cell);
    label = CELL_FLAG | cell;
  }
  if (i < a.count)
    a.labels[i] = label;
  uint32_t points = min(a.count - blockIdx.x * blockDim.x, blockDim.x);
  uint32_t all_inside = __syncthreads_count(inside);
  uint32_t all_ground = __syncthreads_count(ground);
  if (threadIdx.x == 0) {
    atomicAdd(&a.result->ground, all_ground);
    atomicAdd(&a.result->obstacles, all_inside - all_ground);
    atomicAdd(&a.result->outside, points - all_inside);
  }
}

/* ---- Clusters ----------------------------------------------------------------------------- */

STX_KERNEL(stx_ground_merge, StxGroundArgs, STX_GROUND_POINT_THREADS)
{
  join_cell(a.parent, (uint32_t)a.cells, (uint32_t)a.side, thread_number());
}

STX_KERNEL(stx_ground_rank, StxGroundArgs, STX_GROUND_RANK_THREADS)
{
  STX_SHARED(RankShared, shared, 1);
  rank_cell(&a, shared, thread_number());
  if (is_last_block(&a.minima->ranks, &shared->last))
    sum_blocks(&a, shared);
}

STX_KERNEL(stx_ground_number, StxGroundArgs, STX_GROUND_POINT_THREADS)
{
  uint32_t i = thread_number();
  if (i >= a.count)
    return;
  uint32_t label = a.labels[i];
  if (label & CELL_FLAG)
    a.labels[i] = stx_ground_obstacle(cluster_of(&a, label & ~CELL_FLAG));
}
