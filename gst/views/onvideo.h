/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GstStxOnVideo: base class of the elements that draw on the frames of the pad `sink`, which is
 * role 0, and push them with the caps that they came with. What they draw, stixels or a scan, comes
 * on another pad. The last of it is kept, for frames that have none: it is drawn fainter and
 * fainter, until nothing is drawn.
 *
 * It brings the pads `sink` and `src`, and answers queries for their caps. A frame is drawn where
 * it lies: on the GPU only if it is there, or with backend=cuda, since the way there and back takes
 * longer than drawing. An element sets process and its stage's prepare and work, and may set
 * set_role_caps, too_late, begin and clear, which chain up.
 */
#pragma once

#include "gst/base/pairing.h"
#include "gst/views/records.h"

#define GST_STX_ONVIDEO_HOLD 300 /* milliseconds, the default */

enum { GST_STX_ROLE_VIDEO };

#define GST_TYPE_STX_ONVIDEO (gst_stx_onvideo_get_type())
#define GST_STX_ONVIDEO(object)                                                                    \
  (G_TYPE_CHECK_INSTANCE_CAST((object), GST_TYPE_STX_ONVIDEO, GstStxOnVideo))

typedef struct {
  GstStxPairing parent;

  /* Under the object lock. */
  guint hold;             /* milliseconds; a property of the element */
  guint64 frames_without; /* likewise */

  /* Used by the streaming thread only. */
  GstVideoInfo video; /* caps of the frames */
  gboolean warned;    /* of a frame without */
  GstBuffer *last;    /* what was drawn, or came too late to be: a reference, or NULL */
  GstStxImage image;  /* … of which these are stixels */
  GstClockTime time;  /* its running time */
} GstStxOnVideo;

typedef struct {
  GstStxPairingClass parent_class;
} GstStxOnVideoClass;

/* The beginning of the stage's state. */
typedef struct {
  GstBuffer *picture;
} GstStxOnVideoFrame;

GType gst_stx_onvideo_get_type(void);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GstStxOnVideo, gst_object_unref)

/* Call it first in process: announces that frames leave as they came. */
GstFlowReturn gst_stx_onvideo_announce(GstStxOnVideo *self);

/* Is there a pad of that role? */
gboolean gst_stx_onvideo_is_linked(GstStxOnVideo *self, guint role);

/* Keeps what was drawn, unless something newer is kept; a time of NONE: forgets. `image` may be
 * NULL. */
void gst_stx_onvideo_keep(
    GstStxOnVideo *self, GstBuffer *buffer, const GstStxImage *image, GstClockTime time);

/* From process: counts a frame that has nothing to draw. How strongly the last is to be drawn on
 * it: 0…1, 0 where that is too old, too young, or there is none. */
gdouble gst_stx_onvideo_miss(GstStxOnVideo *self);
