/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GstStxTransform: base class of the elements with one input that compute a new buffer whose size
 * is known only when it is made. It brings the element's stage (stage.h): context, caps in
 * CUDAMemory, allocation, and the way from one buffer to the next.
 *
 * Properties it brings: those of the stage, stats (stats.h).
 */
#pragma once

#include <gst/base/gstbasetransform.h>

#include "gst/base/stage.h"

#define GST_TYPE_STX_TRANSFORM (gst_stx_transform_get_type())
G_DECLARE_DERIVABLE_TYPE(GstStxTransform, gst_stx_transform, GST, STX_TRANSFORM, GstBaseTransform)

/* Input of the stage's prepare and work. */
typedef struct {
  GstBuffer *input;
  GstBuffer *output; /* `work` sets it (transfer full) */
} GstStxTransformFrame;

/*
 * stage      what computes; its frames are GstStxTransformFrame
 *
 * other_caps
 *   transform_caps without the filter.
 *
 * configure
 *   A stream begins. FALSE refuses it, with the reason in `error`.
 *
 * done (optional)
 *   A frame is done: the place to post what came of it.
 *
 * finish (optional)
 *   What is pushed, made of the frame's output (both transfer full). Without it the output itself,
 *   with the time stamps and metas of the input.
 *
 * An element may set fixate_caps, submit_input_buffer, sink_event, start and stop of
 * GstBaseTransformClass; the last three chain up.
 */
struct _GstStxTransformClass {
  GstBaseTransformClass parent_class;

  GstStxStageClass stage;

  GstCaps *(*other_caps)(GstStxTransform *self, GstPadDirection direction, const GstCaps *caps);
  gboolean (*configure)(
      GstStxTransform *self, const GstCaps *input, const GstCaps *output, StxError *error);
  void (*done)(GstStxTransform *self, GstBuffer *input);
  GstBuffer *(*finish)(GstStxTransform *self, GstBuffer *input, GstBuffer *output);
};

/* The latency that the element adds. Any thread. */
GstClockTime gst_stx_transform_latency(GstStxTransform *self);

/* The element's stage; the same pointer all its life, but not before `constructed`. */
GstStxStage *gst_stx_transform_stage(GstStxTransform *self);
