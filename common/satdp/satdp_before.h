/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kinds of the frame before as a prior of the next (StxSatdpParams.before), so that a camera's
 * noise does not turn ground into objects and back.
 *
 * A cell can tell if it is known in both frames, with nearly the weight of a certain one. It has
 * moved if its disparities differ by more than a quarter of a pixel and a 64th: there any kind is
 * as likely as another. If more than one in sixteen has moved, so has the camera, and there is no
 * prior: kinds would lag behind.
 */
#pragma once

#include "common/satdp/satdp.h"

/* A stream's; all 0 but `memory` before the first frame. */
typedef struct {
  void *memory; /* stx_satdp_before_size(grid) bytes, aligned like a uint16_t */
  bool known;   /* there is a frame before */
} StxSatdpBefore;

size_t stx_satdp_before_size(const StxGrid *grid);

/* Returns the prior of a frame, columns · rows bytes in `memory`, or NULL. It reads disparity and
 * weight of the columns, which are on the host, and keeps them. */
const uint8_t *stx_satdp_before(StxSatdpBefore *before, const StxGrid *grid, const void *columns);

/* Keeps the kinds of the records that came of it, which are on the host. */
void stx_satdp_remember(
    StxSatdpBefore *before, const StxGrid *grid, const StxStixel *records, size_t count);
