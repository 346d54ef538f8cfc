/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxtransform.h"

gboolean gst_stx_transform_accept_caps(
    GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps)
{
  GstCaps *possible;
  gboolean accepted;

  if (direction == GST_PAD_SINK)
    return TRUE;
  possible = gst_pad_get_pad_template_caps(GST_BASE_TRANSFORM_SRC_PAD(transform));
  accepted = gst_caps_is_subset(caps, possible);
  gst_caps_unref(possible);
  return accepted;
}

GstFlowReturn gst_stx_transform_prepare_output_buffer(
    GstBaseTransform *transform, GstBuffer *input, GstBuffer **output)
{
  *output = gst_buffer_new();
  if (!GST_BASE_TRANSFORM_GET_CLASS(transform)->copy_metadata(transform, input, *output))
    GST_WARNING_OBJECT(transform, "could not copy time stamps and metas");
  return GST_FLOW_OK;
}

gboolean gst_stx_map_input(
    GstElement *element, GstBuffer *buffer, gsize size, gsize unit, GstMapInfo *map)
{
  gsize actual = gst_buffer_get_size(buffer);

  if (size > 0 && actual != size) {
    GST_ELEMENT_ERROR(element, STREAM, FORMAT,
        ("a buffer of %" G_GSIZE_FORMAT " bytes, but its caps make %" G_GSIZE_FORMAT, actual, size),
        (NULL));
    return FALSE;
  }
  if (size == 0 && (actual == 0 || actual % unit != 0)) {
    GST_ELEMENT_ERROR(element, STREAM, FORMAT,
        ("a buffer of %" G_GSIZE_FORMAT " bytes is no whole number of records of %" G_GSIZE_FORMAT
         " bytes",
            actual, unit),
        (NULL));
    return FALSE;
  }
  if (!gst_buffer_map(buffer, map, GST_MAP_READ)) {
    GST_ELEMENT_ERROR(element, RESOURCE, READ, ("cannot read a buffer's memory"), (NULL));
    return FALSE;
  }
  return TRUE;
}
