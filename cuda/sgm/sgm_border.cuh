/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the right camera does not see, common/sgm/sgm_border.h. A warp owns a row and walks along
 * it, a window at a time; a lane looks at the window that begins at its column.
 */
#ifndef STX_SGM_BORDER_CUH
#define STX_SGM_BORDER_CUH

#include "common/sgm/sgm_border.h"
#include "cuda/sgm/sgm_args.h"

/* Which of the columns from `x` on, one per lane, are known. */
STX_DEVICE uint32_t known_columns(const StxSgmBorderArgs *a, const uint16_t *row, int x)
{
  return __ballot_sync(STX_FULL_WARP, x < a->width && row[x] != STX_DISPARITY_UNKNOWN);
}

/* The first column that is seen, or −1. */
STX_DEVICE int first_seen(const StxSgmBorderArgs *a, const uint16_t *row, int lane)
{
  uint32_t low = known_columns(a, row, lane);
  for (int base = 0; base < a->max_disparity && base + STX_SGM_LANES <= a->width;
       base += STX_SGM_LANES) {
    const int x = base + lane;
    const uint32_t high = known_columns(a, row, x + STX_SGM_LANES);
    const uint32_t window = __funnelshift_r(low, high, lane);
    const bool seen = __popc(window) >= STX_SGM_BORDER_KNOWN && x < a->max_disparity &&
                      x + STX_SGM_BORDER_WINDOW <= a->width;
    const uint32_t all = __ballot_sync(STX_FULL_WARP, seen);
    const int first = __ffs(all) - 1;
    if (all != 0)
      return base + first + __ffs(__funnelshift_r(low, high, first)) - 1;
    low = high;
  }
  return -1;
}

STX_DEVICE void clear_border(const StxSgmBorderArgs *a)
{
  const int lane = threadIdx.x, y = blockIdx.x * STX_SGM_BORDER_ROWS + threadIdx.y;
  if (y >= a->height)
    return;
  uint16_t *row = (uint16_t *)((uint8_t *)a->disparity + y * a->disparity_stride);
  uint8_t *confidence = a->confidence == NULL ? NULL : a->confidence + y * a->confidence_stride;
  const int seen = first_seen(a, row, lane);
  const int strip = seen >= 0 ? min(seen, (row[seen] + STX_DISPARITY_ONE / 2) / STX_DISPARITY_ONE)
                    : a->width >= STX_SGM_BORDER_WINDOW ? STX_SGM_BORDER_WINDOW
                                                        : 0;
  for (int x = lane; x < strip; x += STX_SGM_LANES) {
    if (row[x] != STX_DISPARITY_UNKNOWN && confidence != NULL)
      confidence[x] = 0;
    row[x] = STX_DISPARITY_UNKNOWN;
  }
}

#endif
