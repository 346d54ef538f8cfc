/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The drawing of stixel-overlay: from caps, properties and buffers to common/overlay.h and back.
 * Internal; everything here belongs to the streaming thread.
 */
#ifndef GST_STIXEL_PAINTER_H
#define GST_STIXEL_PAINTER_H

#include <gst/video/video.h>

#include "common/overlay.h"
#include "gst/gststxmeta.h"
#include "gst/gststxutil.h"

G_BEGIN_DECLS

typedef struct {
  StxOverlayParams params; /* what `overlay` was prepared for */
  GstVideoInfo video;
  GstStxStixelInfo info;
  const StxOverlayImpl *impl; /* on the CPU */
  gint threads;
  StxOverlay *overlay; /* in `prepared`; NULL: prepare first */
  void *on_device;     /* where a GPU has its copy of it; NULL: not uploaded */
  GstStxScratch prepared, scratch;
} GstStixelPainter;

/*
 * Prepares drawing stixels of `info`, computed with `camera` (all 0: unknown), on frames of
 * `video`. `settings` gives mode … max_distance. FALSE after an error posted on `element`.
 */
gboolean gst_stixel_painter_prepare(GstStixelPainter *painter, GstElement *element,
    const StxOverlayParams *settings, const GstStxRun *run, const GstVideoInfo *video,
    const GstStxStixelInfo *info, const StxCamera *camera);

/* TRUE if the last preparation succeeded, was for stixels of `info`, and still holds. */
gboolean gst_stixel_painter_is_ready(const GstStixelPainter *painter, const GstStxStixelInfo *info);

/* Draws into the writable buffer `frame`. FALSE after an error posted on `element`. */
gboolean gst_stixel_painter_draw(GstStixelPainter *painter, GstElement *element, GstBuffer *frame,
    GstBuffer *stixels, StxOverlayResult *counts);

/* Frees what was prepared. */
void gst_stixel_painter_clear(GstStixelPainter *painter);

G_END_DECLS

#endif
