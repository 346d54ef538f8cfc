/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/inputs.h"

#include "gst/shared/element.h"
#include "gst/stixels/mediatypes.h"

gboolean gst_stx_accept_caps(GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps)
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

GstFlowReturn gst_stx_prepare_output_buffer(
    GstBaseTransform *transform, GstBuffer *input, GstBuffer **output)
{
  *output = gst_buffer_new();
  if (!GST_BASE_TRANSFORM_GET_CLASS(transform)->copy_metadata(transform, input, *output))
    GST_WARNING_OBJECT(transform, "could not copy time stamps and metas");
  return GST_FLOW_OK;
}

/* ---- Scans --------------------------------------------------------------------------------- */

static gboolean refuse_scan(GstElement *element, const char *found, StxError *error)
{
  GstElementFactory *factory = gst_element_get_factory(element);

  return stx_fail(error, "expected %s, not %s: put lidar-parse before %s", GST_STX_LIDAR_MEDIA_TYPE,
      found, factory != NULL ? GST_OBJECT_NAME(factory) : GST_OBJECT_NAME(element));
}

gboolean gst_stx_check_scan_caps(GstElement *element, const GstCaps *caps, StxError *error)
{
  const gchar *name = gst_structure_get_name(gst_caps_get_structure(caps, 0));

  return g_str_equal(name, GST_STX_LIDAR_MEDIA_TYPE) || refuse_scan(element, name, error);
}

GstFlowReturn gst_stx_submit_scan(
    GstBaseTransform *transform, gboolean is_discont, GstBuffer *input)
{
  GstBaseTransformClass *base = g_type_class_peek_parent(GST_BASE_TRANSFORM_GET_CLASS(transform));
  StxError error;

  if (gst_pad_has_current_caps(GST_BASE_TRANSFORM_SINK_PAD(transform)))
    return base->submit_input_buffer(transform, is_discont, input);
  gst_buffer_unref(input);
  refuse_scan(GST_ELEMENT(transform), "bytes without caps", &error);
  GST_STX_ELEMENT_ERROR(transform, STREAM, FORMAT, &error);
  return GST_FLOW_ERROR;
}

/* ---- Sizes --------------------------------------------------------------------------------- */

gboolean gst_stx_check_input(GstBuffer *buffer, gsize size, gsize unit, StxError *error)
{
  gsize actual = gst_buffer_get_size(buffer);

  if (size > 0 && actual != size)
    return stx_fail(error,
        "a buffer of %" G_GSIZE_FORMAT " bytes, but its caps make %" G_GSIZE_FORMAT, actual, size);
  if (size == 0 && (actual == 0 || actual % unit != 0))
    return stx_fail(error,
        "a buffer of %" G_GSIZE_FORMAT " bytes is no whole number of records of %" G_GSIZE_FORMAT
        " bytes",
        actual, unit);
  return TRUE;
}

gboolean gst_stx_map_input(
    GstElement *element, GstBuffer *buffer, gsize size, gsize unit, GstMapInfo *map)
{
  StxError error;

  if (!gst_stx_check_input(buffer, size, unit, &error)) {
    GST_STX_ELEMENT_ERROR(element, STREAM, FORMAT, &error);
    return FALSE;
  }
  if (!gst_buffer_map(buffer, map, GST_MAP_READ)) {
    GST_ELEMENT_ERROR(element, RESOURCE, READ, ("cannot read a buffer's memory"), (NULL));
    return FALSE;
  }
  return TRUE;
}
