/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Confidence of a disparity frame, as a meta on it. */
#ifndef GST_STX_CONFIDENCE_META_H
#define GST_STX_CONFIDENCE_META_H

#include "gst/stixels/api.h"

G_BEGIN_DECLS

/**
 * GstStxConfidenceMeta:
 * @meta: the parent
 * @confidence: a byte for each pixel, rows packed without padding; 255: certain, 0: a guess or
 *   unknown
 * @width: pixels, as the frame
 * @height: pixels, as the frame
 *
 * The certainty of each pixel of a disparity frame. A frame that was scaled, cut or turned loses
 * it.
 */
typedef struct _GstStxConfidenceMeta {
  GstMeta meta;
  GstBuffer *confidence;
  guint width, height;
} GstStxConfidenceMeta;

GST_STX_API GType gst_stx_confidence_meta_api_get_type(void);

/**
 * gst_stx_confidence_meta_get_info: (skip)
 */
GST_STX_API const GstMetaInfo *gst_stx_confidence_meta_get_info(void);

/**
 * gst_buffer_add_stx_confidence_meta:
 * @frame: a writable buffer
 * @confidence: width · height bytes; the meta takes a reference of it
 * @width: of the frame
 * @height: of the frame
 *
 * Returns: (transfer none) (nullable): the meta, which belongs to the frame. %NULL, after a
 * critical, when a pointer is %NULL, @frame is not writable or @confidence is of another length
 */
GST_STX_API GstStxConfidenceMeta *gst_buffer_add_stx_confidence_meta(
    GstBuffer *frame, GstBuffer *confidence, guint width, guint height);

/**
 * gst_buffer_get_stx_confidence_meta:
 * @frame: any buffer
 *
 * Returns: (transfer none) (nullable): the frame's first confidence meta, which lives as long as it
 */
GST_STX_API GstStxConfidenceMeta *gst_buffer_get_stx_confidence_meta(GstBuffer *frame);

G_END_DECLS

#endif
