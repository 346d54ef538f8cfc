/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GstStxViewStreams: base class of the elements that work on the two views of a stereo camera one
 * by one. Each view goes its own way, a *lane*: from sink_left to src_left, from sink_right to
 * src_right. Nothing is paired, no view waits: what one camera does, and when it ends, is no matter
 * of the other's. In place of the two sink pads there may be one, sink, whose frames hold both
 * views; the lanes then take each frame one after the other.
 *
 * Sink pads are on request, so that an element has those that are linked; the source pads are
 * always there. Events and queries stay in their lane, or go to both; a seek that comes from both
 * reaches the one source once.
 *
 * Each lane has a stage of its own (stage.h), since each may have a thread of its own. Properties
 * it brings: those of the stage, for both.
 */
#pragma once

#include <gst/gst.h>

#include "gst/base/stage.h"

#define GST_STX_VIEW_STREAM_COUNT 2 /* left, right */

#define GST_TYPE_STX_VIEW_STREAMS (gst_stx_view_streams_get_type())
G_DECLARE_DERIVABLE_TYPE(GstStxViewStreams, gst_stx_view_streams, GST, STX_VIEW_STREAMS, GstElement)

/* Input of a stage's `work`. */
typedef struct {
  guint lane;       /* 0 left, 1 right */
  const gchar *pad; /* where the input came in: "sink_left" */
  GstBuffer *input;
  GstBuffer *output; /* `work` sets it, from gst_stx_view_streams_acquire */
} GstStxViewFrame;

/*
 * stage      what computes in each lane; its frames are GstStxViewFrame
 *
 * configure
 *   New caps in a lane, `both` if each frame holds both views: what leaves it from now on (transfer
 *   full). NULL refuses them, with the reason in `error`.
 *
 * start (optional)
 *   On the way to PAUSED. FALSE after an element error.
 *
 * tell (optional)
 *   Adds its own to the lanes' statistics. Any thread.
 *
 * In class_init an element calls gst_stx_view_streams_class_add_pads.
 */
struct _GstStxViewStreamsClass {
  GstElementClass parent_class;

  GstStxStageClass stage;

  GstCaps *(*configure)(
      GstStxViewStreams *self, guint lane, gboolean both, GstCaps *input, StxError *error);
  gboolean (*start)(GstStxViewStreams *self);
  void (*tell)(GstStxViewStreams *self, GstStructure *stats);
};

/* The templates of all pads, which have these caps. */
void gst_stx_view_streams_class_add_pads(GstStxViewStreamsClass *klass, const gchar *caps);

/* A lane's stage; the same pointer all its life, but not before `constructed`. */
GstStxStage *gst_stx_view_streams_stage(GstStxViewStreams *self, guint lane);

/* From the stage's work: a buffer for the output, as gst_stx_stage_acquire gives it. */
GstFlowReturn gst_stx_view_streams_acquire(
    GstStxViewStreams *self, guint lane, GstBuffer **buffer, StxError *error);
