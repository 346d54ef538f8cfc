/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rectification (common/rectify/rectify.h) of one camera's pictures in buffers, where a stage
 * works. */
#ifndef GST_RECTIFY_STAGE_H
#define GST_RECTIFY_STAGE_H

#include "common/rectify/rectify.h"
#include "gst/base/stage.h"

G_BEGIN_DECLS

/* Formats whose planes are 8-bit samples, of up to four bytes each, and packed 4:2:2. */
#define GST_RECTIFY_FORMATS                                                                        \
  "{ GRAY8, YUY2, UYVY, YVYU, VYUY, I420, YV12, NV12, NV21, Y42B, NV16, NV61, Y444, NV24, RGB, "   \
  "BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR }"

/* What the caps, the calibration and the properties led to. Zero it to begin with. */
typedef struct {
  StxRectifyView view;
  GstVideoRectangle part;   /* the camera's picture in the frames that come in */
  GstVideoInfo input;       /* of the frames */
  GstVideoInfo output;      /* set by the element, before the first frame */
  GstStxScratch map[2];     /* of planes at full size, and of subsampled ones */
  const void *on_device[2]; /* their copies on the GPU; NULL: none */
} GstRectifyPlan;

/*
 * Plans for the left (0) or right (1) camera. `plan->input` and `part` are set; `threads` fill the
 * maps. *camera gets the rectified pair's numbers. FALSE with the reason in `error`.
 */
gboolean gst_rectify_plan_make(GstRectifyPlan *plan, const StxCalibration *calibration,
    const StxRectifyParams *params, guint camera, gint threads, StxCamera *rectified,
    StxError *error);
void gst_rectify_plan_clear(GstRectifyPlan *plan);

/* Fills the output, one of the first kind per stage. FALSE with the reason in `error`. */
gboolean gst_rectify_stage_run(GstStxStage *stage, GstRectifyPlan *plan, const gchar *what,
    GstBuffer *input, GstBuffer *output, StxError *error);

G_END_DECLS

#endif
