/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ground and obstacles (common/ground/ground.h) of a scan in a buffer, where a stage works. */
#ifndef GST_GROUND_STAGE_H
#define GST_GROUND_STAGE_H

#include "common/ground/ground.h"
#include "gst/base/stage.h"

G_BEGIN_DECLS

/*
 * Labels the points of `input` in a new buffer *labels (transfer full) without time stamps, in the
 * memory of the stage's outputs; `attached`: they will be on a buffer of points. `result` may be
 * NULL; then nothing is waited for on its account. GST_FLOW_ERROR with the reason in `error`, as in
 * stage.h.
 */
GstFlowReturn gst_ground_stage_label(GstStxStage *stage, const StxGroundParams *params,
    GstBuffer *input, gboolean attached, StxGroundResult *result, GstBuffer **labels,
    StxError *error);

G_END_DECLS

#endif
