/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/confidencemeta.h"

#include "gst/stixels/meta_private.h"
#include "gst/stixels/placing_private.h"

static gboolean is_confidence(GstBuffer *confidence, guint width, guint height)
{
  return gst_buffer_get_size(confidence) == (gsize)width * height;
}

static gboolean transform(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data)
{
  const GstStxConfidenceMeta *self = (const GstStxConfidenceMeta *)meta;

  return gst_stx_placement_is_kept(type, data) &&
         is_confidence(self->confidence, self->width, self->height) &&
         gst_buffer_add_stx_confidence_meta(target, self->confidence, self->width, self->height) !=
             NULL;
}

static const GstStxMetaKind kind = {
    .api = "GstStxConfidenceMetaAPI",
    .name = "GstStxConfidenceMeta",
    .tags = gst_stx_image_tags,
    .size = sizeof(GstStxConfidenceMeta),
    .buffers = 1,
    .transform = transform,
};

GType gst_stx_confidence_meta_api_get_type(void)
{
  static gsize type = 0;

  return gst_stx_meta_api(&type, &kind);
}

const GstMetaInfo *gst_stx_confidence_meta_get_info(void)
{
  static gsize info = 0;

  return gst_stx_meta_info(&info, gst_stx_confidence_meta_api_get_type(), &kind);
}

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

GstStxConfidenceMeta *gst_buffer_get_stx_confidence_meta(GstBuffer *frame)
{
  return (GstStxConfidenceMeta *)gst_buffer_get_meta(frame, gst_stx_confidence_meta_api_get_type());
}
