/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stage.c and stagememory.c share; nobody else includes it. */
#ifndef GST_STX_STAGE_PRIVATE_H
#define GST_STX_STAGE_PRIVATE_H

#include "gst/base/stage.h"

G_BEGIN_DECLS

/* The frame's work has come to `flow`: brings what was written to where it belongs, waits if
 * somebody outside might not, and lets go of the frame's buffers. Returns what came of it all. */
GstFlowReturn gst_stx_stage_end_frame(GstStxStage *self, GstFlowReturn flow, StxError *error);

/* Forgets what is on the GPU, which is left, and all memory. */
void gst_stx_stage_leave_device(GstStxStage *self);
void gst_stx_stage_free_memory(GstStxStage *self);

G_END_DECLS

#endif
