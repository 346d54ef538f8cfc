/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxtransform.h"

#include "gst/gststxutil.h"

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

gboolean gst_stx_transform_to_system_memory(GstBaseTransform *transform)
{
  GstPad *src = GST_BASE_TRANSFORM_SRC_PAD(transform);
  GstCaps *caps = gst_caps_make_writable(gst_pad_get_current_caps(src));
  gboolean accepted;
  gchar *text;

  gst_caps_set_features(caps, 0, NULL);
  accepted = gst_pad_peer_query_accept_caps(src, caps) &&
             gst_base_transform_update_src_caps(transform, caps);
  if (!accepted && !GST_PAD_IS_FLUSHING(src)) {
    text = gst_caps_to_string(caps);
    GST_ELEMENT_ERROR(
        transform, CORE, NEGOTIATION, ("The next element does not take %s", text), (NULL));
    g_free(text);
  }
  gst_caps_unref(caps);
  return accepted;
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

GstFlowReturn gst_stx_transform_submit_scan(
    GstBaseTransform *transform, gboolean is_discont, GstBuffer *input)
{
  GstBaseTransformClass *base = g_type_class_peek(GST_TYPE_BASE_TRANSFORM);
  StxError error;

  if (gst_pad_has_current_caps(GST_BASE_TRANSFORM_SINK_PAD(transform)))
    return base->submit_input_buffer(transform, is_discont, input);
  gst_buffer_unref(input);
  refuse_scan(GST_ELEMENT(transform), "bytes without caps", &error);
  GST_STX_ELEMENT_ERROR(transform, STREAM, FORMAT, &error);
  return GST_FLOW_ERROR;
}

/* ---- Sizes --------------------------------------------------------------------------------- */

gboolean gst_stx_check_input(GstElement *element, GstBuffer *buffer, gsize size, gsize unit)
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
  return TRUE;
}

gboolean gst_stx_map_input(
    GstElement *element, GstBuffer *buffer, gsize size, gsize unit, GstMapInfo *map)
{
  if (!gst_stx_check_input(element, buffer, size, unit))
    return FALSE;
  if (!gst_buffer_map(buffer, map, GST_MAP_READ)) {
    GST_ELEMENT_ERROR(element, RESOURCE, READ, ("cannot read a buffer's memory"), (NULL));
    return FALSE;
  }
  return TRUE;
}
