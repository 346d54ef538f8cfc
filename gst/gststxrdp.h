/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp (common/rdp.h, cuda/stxcuda.h) for the elements that call it: rdp-columns for its segments,
 * sat-dp-stixels for the cells where they meet. Internal; streaming thread.
 */
#ifndef GST_STX_RDP_H
#define GST_STX_RDP_H

#include <gst/gst.h>

#include "gst/gststxsegmentation.h"

G_BEGIN_DECLS

/* Pixels; the largest is the largest that STX_RDP_MAX_EPSILON allows, in whole pixels. */
#define GST_STX_EPSILON_MAX (STX_RDP_MAX_EPSILON / STX_DISPARITY_ONE)
#define GST_STX_EPSILON_DEFAULT                                                                    \
  ((double)((StxRdpParams)STX_RDP_DEFAULTS).epsilon / STX_DISPARITY_ONE)

#define GST_STX_MEDIAN_DEFAULT (((StxRdpParams)STX_RDP_DEFAULTS).median)

/* From pixels to the 1/256 px of StxRdpParams, by rounding. */
int gst_stx_rdp_epsilon(double pixels);

/* Zero it to begin with. */
typedef struct {
  const StxRdpImpl *impl; /* on the CPU, chosen */
  GstStxScratch scratch;
} GstStxRdp;

/* The implementation for a stream on the CPU, or NULL with the reason in `error`. */
const StxImplInfo *gst_stx_rdp_choose(
    GstStxRdp *self, const GstStxColumnStream *stream, StxError *error);

/*
 * StxRdpImpl.run of the chosen implementation. FALSE, with the reason in `error`, when there is no
 * memory for its scratch.
 */
gboolean gst_stx_rdp_run(GstStxRdp *self, const StxRdpParams *params, int threads,
    const void *columns, StxStixel *segments, guint8 *kept, StxRdpResult *result, StxError *error);

/* The same of the first implementation on the GPU; its scratch is block `block`. */
gboolean gst_stx_rdp_enqueue(GstStxCuda *cuda, guint block, const StxRdpParams *params,
    const void *columns, StxStixel *segments, guint8 *kept, StxRdpResult *result, StxError *error);

void gst_stx_rdp_clear(GstStxRdp *self);

G_END_DECLS

#endif
