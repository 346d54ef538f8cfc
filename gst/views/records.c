/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/views/records.h"

#include "gst/base/inputs.h"
#include "gst/stixels/stixels.h"

gboolean gst_stx_records_map(
    GstStxRecords *records, GstBuffer *buffer, gsize unit, GstStxScratch *scratch, StxError *error)
{
  *records = (GstStxRecords){NULL};
  if (buffer == NULL || gst_buffer_get_size(buffer) == 0)
    return TRUE;
  if (!gst_stx_check_input(buffer, 0, unit, error))
    return FALSE;
  if (!gst_buffer_map(buffer, &records->mapped, GST_MAP_READ))
    return stx_fail(error, "cannot read a buffer's memory");
  records->buffer = buffer;
  records->count = records->mapped.size / unit;
  records->data = gst_stx_aligned(&records->mapped, sizeof(gfloat), scratch, error);
  return records->data != NULL;
}

void gst_stx_records_unmap(GstStxRecords *records)
{
  if (records->buffer != NULL)
    gst_buffer_unmap(records->buffer, &records->mapped);
  records->buffer = NULL;
}

GstBuffer *gst_stx_scan_labels(GstBuffer *scan)
{
  GstStxPointLabelsMeta *meta = gst_buffer_get_stx_point_labels_meta(scan);
  gsize points = gst_buffer_get_size(scan) / GST_STX_POINT_BYTES;

  return meta != NULL && gst_buffer_get_size(meta->labels) == points * sizeof(guint32)
             ? meta->labels
             : NULL;
}
