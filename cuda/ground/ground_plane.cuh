/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ground on the GPU: the plane. Each block collects the lowest points of all cells, in order; each
 * of its warps tries one sample. The block that is done last has the best, fits it and places the
 * scan.
 */
#ifndef STX_GROUND_PLANE_CUH
#define STX_GROUND_PLANE_CUH

#include "cuda/ground/ground_point.cuh"

enum {
  PLANE_WARPS = STX_GROUND_PLANE_THREADS / LANES,
  WARP_CELLS = (STX_GROUND_CELLS + PLANE_WARPS - 1) / PLANE_WARPS, /* that a warp collects */
  WARP_ROUNDS = (WARP_CELLS + LANES - 1) / LANES,
  PLANE_SUMS = sizeof(StxGroundPlaneSums) / sizeof(int64_t),
};

typedef struct {
  uint32_t count[PLANE_WARPS]; /* of a warp's cells that have a point */
  int64_t sums[PLANE_WARPS][PLANE_SUMS];
  StxGroundPlane plane;
  uint32_t last;
} PlaneShared;

/* ---- Samples ------------------------------------------------------------------------------ */

/* Of cell `round` · 32 + lane of the warp; no key beyond the warp's last. */
STX_DEVICE unsigned long long cell_key(const StxGroundArgs *a, int round)
{
  int warp = threadIdx.x / LANES, own = round * LANES + (int)(threadIdx.x % LANES);
  int cell = warp * WARP_CELLS + own;
  bool mine = own < WARP_CELLS && cell < STX_GROUND_CELLS;
  return mine ? a->minima->lowest[cell] : STX_GROUND_NO_KEY;
}

/* Fills lows; ends with a barrier. */
STX_DEVICE void collect_lows(const StxGroundArgs *a, StxGroundLows *lows, PlaneShared *shared)
{
  int warp = threadIdx.x / LANES;
  unsigned long long key[WARP_ROUNDS];
  uint32_t used[WARP_ROUNDS], count = 0, at = 0;
#pragma unroll
  for (int round = 0; round < WARP_ROUNDS; round++)
    key[round] = cell_key(a, round);
#pragma unroll
  for (int round = 0; round < WARP_ROUNDS; round++) {
    used[round] = __ballot_sync(STX_FULL_WARP, key[round] != STX_GROUND_NO_KEY);
    count += __popc(used[round]);
  }
  if (threadIdx.x % LANES == 0)
    shared->count[warp] = count;
  __syncthreads();
  for (int w = 0; w < warp; w++)
    at += shared->count[w];
#pragma unroll
  for (int round = 0; round < WARP_ROUNDS; round++) {
    const float *point = a->points + 4 * (size_t)(uint32_t)key[round];
    uint32_t place = at + __popc(used[round] & lanes_before());
    at += __popc(used[round]);
    if (key[round] == STX_GROUND_NO_KEY)
      continue;
    lows->x[place] = point[0];
    lows->y[place] = point[1];
    lows->z[place] = point[2];
  }
  if (threadIdx.x == blockDim.x - 1)
    lows->count = (int)at;
  __syncthreads();
}

/* The smaller the better: most support, then the first. */
STX_DEVICE uint32_t sample_key(int support, int sample)
{
  return (0xffffu - (uint32_t)support) << 16 | (uint32_t)sample;
}

STX_DEVICE int key_support(uint32_t key)
{
  return (int)(0xffffu - (key >> 16));
}

STX_DEVICE bool sample_plane(const StxGroundLows *lows, int sample, StxGroundPlane *plane)
{
  int cell[3];
  stx_ground_sample(sample, lows->count, cell);
  return stx_ground_plane_through(lows, cell, plane);
}

STX_DEVICE void try_sample(const StxGroundArgs *a, const StxGroundLows *lows)
{
  int sample = blockIdx.x * PLANE_WARPS + threadIdx.x / LANES;
  uint32_t support = 0;
  StxGroundPlane plane;
  if (lows->count < STX_GROUND_FEWEST || !sample_plane(lows, sample, &plane))
    return;
#pragma unroll 4
  for (int i = threadIdx.x % LANES; i < lows->count; i += LANES)
    support += stx_ground_is_close(lows, i, &plane, STX_GROUND_INLIER);
  support = warp_sum_of_words(support);
  if (threadIdx.x % LANES == 0 && support > 0)
    atomicMin(&a->minima->sample, sample_key((int)support, sample));
}

/* ---- The best ----------------------------------------------------------------------------- */

/* One trimmed fit; ends with a barrier. The order in which sums come together does not matter.
 * Those of a warp are below 2^35 · 2^11 = 2^46. */
STX_DEVICE void refit(const StxGroundLows *lows, float limit, PlaneShared *shared)
{
  StxGroundPlaneSums sums = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  int64_t *sum = (int64_t *)&sums;
  for (int i = threadIdx.x; i < lows->count; i += STX_GROUND_PLANE_THREADS)
    if (stx_ground_is_close(lows, i, &shared->plane, limit))
      stx_ground_plane_add(&sums, lows->x[i], lows->y[i], lows->z[i]);
#pragma unroll
  for (int k = 0; k < PLANE_SUMS; k++) {
    sum[k] = warp_sum_of_halves(sum[k]);
    if (threadIdx.x % LANES == 0)
      shared->sums[threadIdx.x / LANES][k] = sum[k];
  }
  __syncthreads();
  if (threadIdx.x < PLANE_SUMS)
    for (int w = 1; w < PLANE_WARPS; w++)
      shared->sums[0][threadIdx.x] += shared->sums[w][threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0)
    stx_ground_plane_solve((const StxGroundPlaneSums *)shared->sums[0], &shared->plane);
  __syncthreads();
}

/* Fits the best sample's plane, which is then in shared memory; false: it is none. */
STX_DEVICE bool find_plane(const StxGroundArgs *a, const StxGroundLows *lows, PlaneShared *shared)
{
  uint32_t best = STX_PEEK(&a->minima->sample);
  if (best == UINT32_MAX)
    return false;
  if (threadIdx.x == 0)
    sample_plane(lows, (int)(best & 0xffff), &shared->plane);
  __syncthreads();
  if (key_support(best) < STX_GROUND_FEWEST / 2)
    return false;
  for (int i = 0; i < 3; i++)
    refit(lows, i == 0 ? STX_GROUND_INLIER : STX_GROUND_CLOSER, shared);
  return true;
}

/* By one thread: how points are placed, and the result but for what is counted later. */
STX_DEVICE void place_scan(const StxGroundArgs *a, const StxGroundPlane *plane, bool found)
{
  StxGroundResult result = {0, 0, 0, 0, 0, found, 0, plane->slope_x, plane->slope_y};
  StxGroundPose pose;
  pose.frame = stx_ground_frame(&a->params, found ? plane : NULL, &result.height);
  pose.height = result.height;
  *a->pose = pose;
  *a->result = result;
}

#endif
