/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/mapped.h"

#include "gst/base/inputs.h"

gboolean gst_stx_mapped_read(GstStxMapped *records, GstBuffer *buffer, gsize unit, StxError *error)
{
  gst_stx_mapped_unmap(records, 1);
  if (buffer == NULL || gst_buffer_get_size(buffer) == 0)
    return TRUE;
  if (!gst_stx_check_input(buffer, 0, unit, error))
    return FALSE;
  if (!gst_buffer_map(buffer, &records->mapped, GST_MAP_READ))
    return stx_fail(error, "cannot read a buffer's memory");
  records->buffer = buffer;
  records->count = records->mapped.size / unit;
  records->data = gst_stx_aligned(&records->mapped, sizeof(gfloat), &records->aligned, error);
  return records->data != NULL;
}

void gst_stx_mapped_unmap(GstStxMapped *records, guint kinds)
{
  for (guint i = 0; i < kinds; i++) {
    if (records[i].buffer != NULL)
      gst_buffer_unmap(records[i].buffer, &records[i].mapped);
    records[i].buffer = NULL;
    records[i].data = NULL;
    records[i].count = 0;
  }
}

void gst_stx_mapped_clear(GstStxMapped *records, guint kinds)
{
  gst_stx_mapped_unmap(records, kinds);
  for (guint i = 0; i < kinds; i++)
    gst_stx_scratch_clear(&records[i].aligned);
}
