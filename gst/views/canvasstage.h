/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Laying a canvas (common/canvas/canvas.h) on frames in buffers, where a stage works. A view draws
 * on `canvas` with the functions of canvas.h; what did not change since the last frame is not
 * brought to the GPU again.
 * Everything here belongs to the streaming thread.
 */
#pragma once

#include "common/canvas/canvas.h"
#include "gst/base/stage.h"
#include "gst/core/memory.h"

/* Slots of the stage that it takes, from the one it is told on: on a frame, on a buffer. */
#define GST_CANVAS_STAGE_SLOTS 1
#define GST_CANVAS_STAGE_BUFFER_SLOTS (GST_CANVAS_STAGE_SLOTS + 3)

/* Pictures that a view makes, in RGB; and fixed caps of them (transfer full), of this size where
 * `caps` (transfer full, not empty) leave it open. */
#define GST_STX_VIEW_CAPS                                                                          \
  "video/x-raw, format = (string) { RGBA, RGBx, BGRA, BGRx, ARGB, xRGB, ABGR, xBGR, RGB, BGR }, "  \
  "width = (int) [ 16, 8192 ], height = (int) [ 16, 8192 ], "                                      \
  "framerate = (fraction) [ 0/1, 2147483647/1 ]"
GstCaps *gst_stx_view_fixate(GstCaps *caps, gint width, gint height);

/* A canvas for frames of one kind. Zero it to begin with. */
typedef struct {
  StxCanvas *canvas; /* in `memory`; NULL: prepare first */
  GstVideoInfo video;
  GstStxScratch memory;
  const void *copy; /* where a GPU has its tiles; NULL: nowhere */
  guint64 changes;  /* of the canvas, when it was brought there */
} GstCanvasStage;

/* Pixels, format and colours of such frames, in the words of canvas.h. */
StxCanvasParams gst_canvas_stage_params(const GstVideoInfo *video);

/* An empty canvas for frames of `video`. FALSE with the reason in `error`. */
gboolean gst_canvas_stage_prepare(GstCanvasStage *self, const GstVideoInfo *video, StxError *error);

/* Lays it on a frame that lies where the stage works, or on the writable buffer `frame`. An empty
 * canvas costs nothing. FALSE with the reason in `error`. */
gboolean gst_canvas_stage_lay(
    GstCanvasStage *self, GstStxStage *stage, guint slot, const StxFrame *frame, StxError *error);
gboolean gst_canvas_stage_lay_on_buffer(
    GstCanvasStage *self, GstStxStage *stage, guint slot, GstBuffer *frame, StxError *error);

/* Frees the canvas. */
void gst_canvas_stage_clear(GstCanvasStage *self);
