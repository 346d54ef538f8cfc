/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/turnmeta.h"

#include "gst/stixels/meta_private.h"

static gboolean are_marks_of(GstBuffer *marks, GstBuffer *scan)
{
  return gst_buffer_get_size(marks) * 2 == gst_buffer_get_size(scan);
}

static gboolean transform(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data)
{
  const GstStxTurnMeta *self = (const GstStxTurnMeta *)meta;
  GstStxTurnMeta *copy;

  /* As labels of points: a part of a scan, or a picture of it, has no marks. */
  if (!gst_stx_meta_is_whole_copy(type, data) ||
      gst_buffer_get_size(target) != gst_buffer_get_size(source) ||
      !are_marks_of(self->marks, target))
    return FALSE;
  copy = gst_buffer_add_stx_turn_meta(target, self->marks);
  if (copy == NULL)
    return FALSE;
  copy->sensor_time = self->sensor_time;
  copy->number = self->number;
  copy->packets = self->packets;
  copy->lost = self->lost;
  copy->complete = self->complete;
  return TRUE;
}

static const GstStxMetaKind kind = {
    .api = "GstStxTurnMetaAPI",
    .name = "GstStxTurnMeta",
    .tags = NULL,
    .size = sizeof(GstStxTurnMeta),
    .buffers = 1,
    .transform = transform,
};

GType gst_stx_turn_meta_api_get_type(void)
{
  static gsize type = 0;

  return gst_stx_meta_api(&type, &kind);
}

const GstMetaInfo *gst_stx_turn_meta_get_info(void)
{
  static gsize info = 0;

  return gst_stx_meta_info(&info, gst_stx_turn_meta_api_get_type(), &kind);
}

GstStxTurnMeta *gst_buffer_add_stx_turn_meta(GstBuffer *scan, GstBuffer *marks)
{
  GstStxTurnMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(scan) && gst_buffer_is_writable(scan), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(marks), NULL);
  g_return_val_if_fail(are_marks_of(marks, scan), NULL);

  meta = gst_stx_meta_add(scan, gst_stx_turn_meta_get_info());
  meta->marks = gst_buffer_ref(marks);
  return meta;
}

GstStxTurnMeta *gst_buffer_get_stx_turn_meta(GstBuffer *scan)
{
  return (GstStxTurnMeta *)gst_buffer_get_meta(scan, gst_stx_turn_meta_api_get_type());
}
