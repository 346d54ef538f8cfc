/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/confidencemeta.h"

#include "gst/stixels/meta_private.h"
#include "gst/stixels/placing_private.h"

static gboolean transform(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data)
{
  return gst_stx_placement_is_kept(type, data) && gst_stx_meta_copy(target, meta) != NULL;
}

static const GstStxMetaField fields[] = {
    GST_STX_META_RUN(GstStxConfidenceMeta, width, height, 4),
    {0},
};

static const GstStxMetaKind kind = {
    GST_STX_META_NAMES(GstStxConfidenceMeta),
    .tags = gst_stx_image_tags,
    .size = sizeof(GstStxConfidenceMeta),
    .buffers = 1,
    .transform = transform,
    .area = offsetof(GstStxConfidenceMeta, width),
    .fields = fields,
};

GST_STX_DEFINE_META(Confidence, confidence)

GstStxConfidenceMeta *gst_buffer_add_stx_confidence_meta(
    GstBuffer *frame, GstBuffer *confidence, guint width, guint height)
{
  GstStxConfidenceMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(frame) && gst_buffer_is_writable(frame), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(confidence), NULL);
  g_return_val_if_fail(gst_buffer_get_size(confidence) == (gsize)width * height, NULL);

  meta = gst_stx_meta_add(frame, gst_stx_confidence_meta_get_info());
  meta->confidence = gst_buffer_ref(confidence);
  meta->width = width;
  meta->height = height;
  return meta;
}
