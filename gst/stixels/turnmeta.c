/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/turnmeta.h"

#include "gst/stixels/meta_private.h"

static const GstStxMetaField fields[] = {
    GST_STX_META_RUN(GstStxTurnMeta, sensor_time, number, 8),
    GST_STX_META_RUN(GstStxTurnMeta, packets, complete, 4),
    {0},
};

static const GstStxMetaKind kind = {
    GST_STX_META_NAMES(GstStxTurnMeta),
    .size = sizeof(GstStxTurnMeta),
    .buffers = 1,
    .share = 2,
    .transform = gst_stx_meta_keep_on_scan,
    .fields = fields,
};

GST_STX_DEFINE_META(Turn, turn)

GstStxTurnMeta *gst_buffer_add_stx_turn_meta(GstBuffer *scan, GstBuffer *marks)
{
  GstStxTurnMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(scan) && gst_buffer_is_writable(scan), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(marks), NULL);
  g_return_val_if_fail(gst_buffer_get_size(marks) * 2 == gst_buffer_get_size(scan), NULL);

  meta = gst_stx_meta_add(scan, gst_stx_turn_meta_get_info());
  meta->marks = gst_buffer_ref(marks);
  return meta;
}
