/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ground on the GPU: points, and what all kernels need. */
#ifndef STX_GROUND_POINT_CUH
#define STX_GROUND_POINT_CUH

#include "cuda/driver/threads.cuh"
#include "cuda/ground/ground_args.h"

enum { LANES = 32 };

STX_DEVICE void load_point(const StxGroundArgs *a, uint32_t i, float point[3])
{
  const float *from = a->points + 4 * (size_t)i;
  if (a->aligned) {
    float4 all = __ldg((const float4 *)from);
    point[0] = all.x, point[1] = all.y, point[2] = all.z;
  } else {
    point[0] = __ldg(from), point[1] = __ldg(from + 1), point[2] = __ldg(from + 2);
  }
}

/* Point i, levelled; its bin is −1 beyond the last. */
STX_DEVICE StxGroundPoint place_point(const StxGroundArgs *a, uint32_t i)
{
  StxGroundPoint none = {0, 0, 0, 0, -1};
  float point[3];
  if (i >= a->count)
    return none;
  load_point(a, i, point);
  return stx_ground_place(&a->pose->frame, point);
}

/* Heights as unsigned, the highest the smallest; all bits set: below everything. */
STX_DEVICE uint32_t top_code(int32_t z)
{
  return 0x7fffffffu - (uint32_t)z;
}

STX_DEVICE int32_t code_top(uint32_t code)
{
  return (int32_t)(0x7fffffffu - code);
}

#endif
