/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/confidencemeta.h"

#include "gst/stixels/meta_private.h"
#include "gst/stixels/placing_private.h"

static gboolean is_confidence(GstBuffer *confidence, guint width, guint height)
{
  return gst_buffer_get_size(confidence) == (gsize)width * height;
}

static gboolean fits(gconstpointer meta)
{
  const GstStxConfidenceMeta *self = meta;

  return is_confidence(self->confidence, self->width, self->height);
}

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
    .api = "GstStxConfidenceMetaAPI",
    .name = "GstStxConfidenceMeta",
    .tags = gst_stx_image_tags,
    .size = sizeof(GstStxConfidenceMeta),
    .buffers = 1,
    .transform = transform,
    .fits = fits,
    .fields = fields,
};

GST_STX_DEFINE_META(Confidence, confidence)

GstStxConfidenceMeta *gst_buffer_add_stx_confidence_meta(
    GstBuffer *frame, GstBuffer *confidence, guint width, guint height)
{
  GstStxConfidenceMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(frame) && gst_buffer_is_writable(frame), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(confidence), NULL);
  g_return_val_if_fail(is_confidence(confidence, width, height), NULL);

  meta = gst_stx_meta_add(frame, gst_stx_confidence_meta_get_info());
  meta->confidence = gst_buffer_ref(confidence);
  meta->width = width;
  meta->height = height;
  return meta;
}
