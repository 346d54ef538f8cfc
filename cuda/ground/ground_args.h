/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in ground.cu, filled by ground_launch.c: all have the same, a scan. */
#pragma once

#include "common/ground/ground_lines_math.h"
#include "common/ground/ground_plane_math.h"
#include "cuda/stxcuda.h"

enum {
  STX_GROUND_POINT_THREADS = 256, /* a point, a bin or a cell each */
  STX_GROUND_PLANE_THREADS = 128, /* a warp has one of the plane's samples */
  STX_GROUND_PLANE_BLOCKS = STX_GROUND_SAMPLES * 32 / STX_GROUND_PLANE_THREADS,
  STX_GROUND_RANK_THREADS = 512, /* cells that a block of stx_ground_rank looks at */
};

/* Memory that begins with all bits set. */
typedef struct {
  uint32_t sample;        /* the best so far, see sample_key */
  uint32_t planes, ranks; /* blocks that are done, less one */
  uint32_t reserved;
  unsigned long long lowest[STX_GROUND_CELLS]; /* of a cell: stx_ground_cell_key */
} StxGroundMinima;

/* Results of the plane for the kernels after it. */
typedef struct {
  StxGroundFrame frame;
  float height;
} StxGroundPose;

typedef struct {
  StxGroundParams params;
  StxGroundGrid grid; /* of the clusters */
  uint32_t count, stride;
  int32_t wants_plane, aligned; /* points lie at multiples of 16 bytes */
  int32_t search, bank_bins;    /* sectors, bins */
  int32_t side, cells;          /* of the grid; 0: no clusters */

  const float *points;
  uint32_t *labels;
  StxGroundResult *result;

  /* All bits set at first. */
  StxGroundMinima *minima;
  unsigned long long *key; /* of a bin: stx_ground_key of its lowest point */
  uint32_t *top;           /* of a bin: top_code of its highest point */
  uint32_t *parent;        /* of a cell: one of its cluster, not after it; all bits set: empty */

  StxGroundPose *pose;
  StxGroundLevel *own; /* of a bin: of its sector's lines */
  float *bank;         /* of a bin: the highest ground of those lines around, metres */
  uint32_t *root;      /* of an occupied cell: the first of its cluster */
  uint32_t *rank;      /* of a root: how many come before it in its block */
  uint32_t *before;    /* of a block of stx_ground_rank: the roots before it */
} StxGroundArgs;

/* ---- A sector's memory --------------------------------------------------------------------- */

/* Offsets in bytes from the start of a block's shared memory. */
typedef struct {
  size_t range, z, bin, bytes; /* int32_t each, by prototype; StxGroundPrefix comes first */
} StxGroundSector;

/* Sums over the prototypes of a sector before one of them. */
typedef struct {
  int64_t range, z, range_range, range_z;
} StxGroundPrefix;

STX_INLINE StxGroundSector stx_ground_sector(int bins)
{
  StxGroundSector at;
  at.range = (size_t)(bins + 1) * sizeof(StxGroundPrefix);
  at.z = at.range + (size_t)bins * sizeof(int32_t);
  at.bin = at.z + (size_t)bins * sizeof(int32_t);
  at.bytes = at.bin + (size_t)bins * sizeof(int32_t);
  return at;
}
