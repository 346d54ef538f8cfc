/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ramer-Douglas-Peucker (common/rdp/rdp.h) where a stage works, for the elements that call it:
 * rdp-columns for its segments, sat-dp-stixels for the cells where they meet.
 */
#pragma once

#include "common/rdp/rdp.h"
#include "gst/base/stage.h"

/* Rounds pixels to the 1/256 px of StxRdpParams. */
int gst_rdp_epsilon(double pixels);

/* StxRdpImpl.run; its scratch is slot `slot`. FALSE with the reason in `error`. */
gboolean gst_rdp_stage_run(GstStxStage *stage, guint slot, const StxRdpParams *params,
    const void *columns, StxStixel *segments, guint8 *kept, StxRdpResult *result, StxError *error);
