/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Depths in place of disparities, common/sgm/sgm_depth.h. A thread owns a pixel. */
#ifndef STX_SGM_DEPTH_CUH
#define STX_SGM_DEPTH_CUH

#include "common/sgm/sgm_depth_math.h"
#include "cuda/sgm/sgm_args.h"

STX_DEVICE void convert_pixel(const StxSgmDepthArgs *a, int x, int y)
{
  uint16_t *at = (uint16_t *)((uint8_t *)a->map + y * a->map_stride) + x;
  const uint16_t value = *at, depth = stx_sgm_depth_of(a->scale, value);
  if (value == STX_DISPARITY_UNKNOWN)
    return;
  *at = depth;
  if (depth == STX_DISPARITY_UNKNOWN && a->confidence != NULL)
    a->confidence[y * a->confidence_stride + x] = 0;
}

#endif
