/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/frame_private.h"

#include <string.h>

#include "gst/stixels/meta_private.h"

/* ---- Records ------------------------------------------------------------------------------- */

gboolean gst_stx_records_open(
    GstStxRecords *records, GstBuffer *buffer, gsize size, const gchar *what, GError **error)
{
  *records = (GstStxRecords){NULL};
  if (buffer == NULL)
    return TRUE;
  if (!gst_buffer_map(buffer, &records->map, GST_MAP_READ))
    return gst_stx_fail(error, "cannot map the buffer of %s", what);
  if (records->map.size % size != 0 || records->map.size / size > G_MAXINT) {
    gst_stx_fail(error,
        "%" G_GSIZE_FORMAT " bytes are no whole number of %s, of %" G_GSIZE_FORMAT " each",
        records->map.size, what, size);
    gst_buffer_unmap(buffer, &records->map);
    return FALSE;
  }
  records->buffer = gst_buffer_ref(buffer);
  records->count = (guint)(records->map.size / size);
  return TRUE;
}

void gst_stx_records_clear(GstStxRecords *records)
{
  if (records->buffer != NULL)
    gst_buffer_unmap(records->buffer, &records->map);
  gst_clear_buffer(&records->buffer);
}

gboolean gst_stx_records_get(const GstStxRecords *records, guint index, gpointer record, gsize size)
{
  memset(record, 0, size);
  if (index >= records->count)
    return FALSE;
  memcpy(record, records->map.data + index * size, size);
  return TRUE;
}

/* ---- The frame ----------------------------------------------------------------------------- */

void gst_stx_frame_is_image(GstStxFrame *frame, const GstStxStixelInfo *info)
{
  frame->info = *info;
  frame->placement = (StxPlacement){0};
  if (info->width > 0 && info->height > 0)
    frame->placement = stx_placement_fill(info->width, info->height, info->width, info->height);
}

gboolean gst_stx_frame_rectangle(const GstStxFrame *frame, const StxRectangle *area, gdouble *x,
    gdouble *y, gdouble *width, gdouble *height)
{
  StxRectangle found;
  gboolean is_seen = stx_placement_rectangle(&frame->placement, area, &found);

  *x = found.x;
  *y = found.y;
  *width = found.width;
  *height = found.height;
  return is_seen;
}

gboolean gst_stx_frame_back(const GstStxFrame *frame, gdouble x, gdouble y, gdouble *u, gdouble *v)
{
  return x >= 0 && y >= 0 && x < frame->placement.width && y < frame->placement.height &&
         stx_placement_back(&frame->placement, x, y, u, v);
}

gboolean gst_stx_frame_camera(const GstStxFrame *frame, StxCamera *camera)
{
  return stx_placement_camera(&frame->placement, &frame->info.camera, camera);
}

gboolean gst_stx_caps_are(const GstCaps *caps, const gchar *media_type)
{
  return caps != NULL && !gst_caps_is_empty(caps) && !gst_caps_is_any(caps) &&
         gst_structure_has_name(gst_caps_get_structure(caps, 0), media_type);
}
