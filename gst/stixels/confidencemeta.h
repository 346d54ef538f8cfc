/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Confidence of a disparity frame, as a meta on it. */
#ifndef GST_STX_CONFIDENCE_META_H
#define GST_STX_CONFIDENCE_META_H

#include "gst/stixels/api.h"

G_BEGIN_DECLS

/*
 * How certain each pixel of a disparity frame is.
 *
 * confidence  width × height bytes, rows packed without padding; 255 = certain, 0 = a guess or
 *             unknown
 * Converters and scalers copy the meta as it is: use it only if width and height are the frame's.
 */
typedef struct {
  GstMeta meta;
  GstBuffer *confidence;
  guint width, height; /* pixels, as the frame */
} GstStxConfidenceMeta;

GST_STX_API GType gst_stx_confidence_meta_api_get_type(void);
GST_STX_API const GstMetaInfo *gst_stx_confidence_meta_get_info(void);

/*
 * Adds the meta to `frame` and takes a reference on `confidence`. NULL, after a critical, when a
 * pointer is NULL, `frame` is not writable or `confidence` is not width · height bytes long.
 */
GST_STX_API GstStxConfidenceMeta *gst_buffer_add_stx_confidence_meta(
    GstBuffer *frame, GstBuffer *confidence, guint width, guint height);

/* The frame's first confidence meta, or NULL. Nothing is transferred. */
GST_STX_API GstStxConfidenceMeta *gst_buffer_get_stx_confidence_meta(GstBuffer *frame);

G_END_DECLS

#endif
