/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stages that sgm_launch.c runs beside its own kernels: sgm_coarse_launch.c and sgm_sky_launch.c.
 * Private to these and to their tests. Scratch: bytes of device memory, aligned to STX_ALIGN. */
#pragma once

#include "common/sgm/sgm_math.h"
#include "cuda/sgm/sgm_args.h"
#include "cuda/stxcuda.h"

/* The maps as kernels take them; data of the confidence may be NULL. */
static inline StxSgmMaps stx_sgm_maps(const StxImage16 *disparity, const StxImage8 *confidence)
{
  return (StxSgmMaps){disparity->data, disparity->stride, confidence->data, confidence->stride};
}

/* A launch of the paths. */
typedef struct {
  StxSgmAxis axes[2];
  StxSgmStore store;
} StxSgmPaths;

/* All of them, into the volumes; returns how many launches these are. Four paths: opposite ones
 * share a volume, and horizontal lines, being the longest, come first. Eight: those that are
 * rounded together share one. There the horizontal lines add: what is added to has to be read as
 * well, so these launches take as long as the memory does, and it does not matter that at the end
 * only the longest lines are left. */
static inline int stx_sgm_all_paths(
    int paths, uint8_t *const *v, StxSgmPaths launch[STX_SGM_PATHS_LAUNCHES])
{
  if (paths == 4) {
    launch[0] = (StxSgmPaths){{{true, 0, v[0], v[0]}, {false, 0, v[1], v[1]}}, STX_SGM_MEET};
    return 1;
  }
  launch[0] = (StxSgmPaths){{{false, 0, v[0], v[2]}, {false, 1, v[1], v[3]}}, STX_SGM_PUT};
  launch[1] = (StxSgmPaths){{{true, 0, v[0], v[2]}, {false, -1, v[1], v[3]}}, STX_SGM_ADD};
  return 2;
}

/* P1_r of a launch's axes, with so many rows from line to line. */
static inline void stx_sgm_axes_p1(int p1, const StxSgmAxis axes[2], int step, int32_t each[2])
{
  for (int i = 0; i < 2; i++)
    each[i] = stx_sgm_p1(p1, axes[i].horizontal ? 1 : axes[i].dx, !axes[i].horizontal, step);
}

size_t stx_sgm_coarse_cuda_scratch(const StxSgmParams *params);

/* Coarse-to-fine search: enqueues all from the pair of pictures to the records of its lines, and
 * the right view of these. `pair` is complete; its words and `textured` hold afterwards what full
 * search leaves there. */
bool stx_sgm_coarse_cuda(const StxSgmParams *params, const StxSgmCensusArgs *pair,
    uint32_t *records, void *scratch, const StxPlace *place, StxError *error);

/* Enqueues what makes all rows of disparity and confidence of its lines, rows without gaps. Data of
 * both `sure` and confidence may be NULL. */
bool stx_sgm_coarse_cuda_rows(const StxSgmParams *params, const StxImage16 *lines,
    const StxImage8 *sure, const StxSgmMaps *maps, const StxPlace *place, StxError *error);

size_t stx_sgm_sky_cuda_scratch(const StxSgmParams *params);

/* Enqueues what finds the sky and marks it. The first half of *args is filled; the second is filled
 * here. */
bool stx_sgm_sky_cuda(const StxSgmParams *params, StxSgmSkyArgs *args, void *scratch,
    const StxPlace *place, StxError *error);
