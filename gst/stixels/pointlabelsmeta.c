/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/pointlabelsmeta.h"

#include "gst/stixels/meta_private.h"

static const GstStxMetaField fields[] = {{0}};

static const GstStxMetaKind kind = {
    GST_STX_META_NAMES(GstStxPointLabelsMeta),
    .size = sizeof(GstStxPointLabelsMeta),
    .buffers = 1,
    .share = 4,
    .transform = gst_stx_meta_keep_on_scan,
    .fields = fields,
};

GST_STX_DEFINE_META(PointLabels, point_labels)

GstStxPointLabelsMeta *gst_buffer_add_stx_point_labels_meta(GstBuffer *scan, GstBuffer *labels)
{
  GstStxPointLabelsMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(scan) && gst_buffer_is_writable(scan), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(labels), NULL);
  g_return_val_if_fail(gst_buffer_get_size(labels) * 4 == gst_buffer_get_size(scan), NULL);

  meta = gst_stx_meta_add(scan, gst_stx_point_labels_meta_get_info());
  meta->labels = gst_buffer_ref(labels);
  return meta;
}
