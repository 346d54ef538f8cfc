/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/pointlabelsmeta.h"

#include "gst/stixels/meta_private.h"

static gboolean are_labels_of(GstBuffer *labels, GstBuffer *scan)
{
  return gst_buffer_get_size(labels) * 4 == gst_buffer_get_size(scan);
}

static gboolean transform(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data)
{
  const GstStxPointLabelsMeta *self = (const GstStxPointLabelsMeta *)meta;

  /* A picture made of the scan is no scan, and a scan that was cut has lost its labels. */
  return gst_stx_meta_is_whole_copy(type, data) &&
         gst_buffer_get_size(target) == gst_buffer_get_size(source) &&
         are_labels_of(self->labels, target) &&
         gst_buffer_add_stx_point_labels_meta(target, self->labels) != NULL;
}

static const GstStxMetaKind kind = {
    .api = "GstStxPointLabelsMetaAPI",
    .name = "GstStxPointLabelsMeta",
    .tags = NULL,
    .size = sizeof(GstStxPointLabelsMeta),
    .buffers = 1,
    .transform = transform,
};

GType gst_stx_point_labels_meta_api_get_type(void)
{
  static gsize type = 0;

  return gst_stx_meta_api(&type, &kind);
}

const GstMetaInfo *gst_stx_point_labels_meta_get_info(void)
{
  static gsize info = 0;

  return gst_stx_meta_info(&info, gst_stx_point_labels_meta_api_get_type(), &kind);
}

GstStxPointLabelsMeta *gst_buffer_add_stx_point_labels_meta(GstBuffer *scan, GstBuffer *labels)
{
  GstStxPointLabelsMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(scan) && gst_buffer_is_writable(scan), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(labels), NULL);
  g_return_val_if_fail(are_labels_of(labels, scan), NULL);

  meta = gst_stx_meta_add(scan, gst_stx_point_labels_meta_get_info());
  meta->labels = gst_buffer_ref(labels);
  return meta;
}

GstStxPointLabelsMeta *gst_buffer_get_stx_point_labels_meta(GstBuffer *scan)
{
  return (GstStxPointLabelsMeta *)gst_buffer_get_meta(
      scan, gst_stx_point_labels_meta_api_get_type());
}
