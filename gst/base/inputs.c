/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/inputs.h"

#include "gst/cuda/cuda.h"
#include "gst/core/element.h"
#include "gst/stixels/mediatypes.h"

gboolean gst_stx_accepting_query(GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE(query) != GST_QUERY_ACCEPT_CAPS)
    return gst_pad_query_default(pad, parent, query);
  gst_query_set_accept_caps_result(query, TRUE);
  return TRUE;
}

gboolean gst_stx_accept_caps(GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps)
{
  g_autoptr(GstCaps) possible = NULL;

  if (direction == GST_PAD_SINK)
    return TRUE;
  possible = gst_pad_get_pad_template_caps(GST_BASE_TRANSFORM_SRC_PAD(transform));
  return gst_caps_is_subset(caps, possible);
}

gboolean gst_stx_sink_event(GstBaseTransform *transform, GstEvent *event)
{
  GstBaseTransformClass *base = g_type_class_peek(GST_TYPE_BASE_TRANSFORM);
  g_autoptr(GstCaps) caps = NULL;
  g_autoptr(GstCaps) made = NULL;
  gboolean taken;

  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS)
    gst_event_parse_caps(event, &caps);
  if (caps != NULL)
    gst_caps_ref(caps);
  taken = base->sink_event(transform, event);
  if (!taken && caps != NULL) {
    made = GST_BASE_TRANSFORM_GET_CLASS(transform)->transform_caps(
        transform, GST_PAD_SINK, caps, NULL);
    gst_stx_element_check_output(
        GST_ELEMENT(transform), GST_BASE_TRANSFORM_SRC_PAD(transform), made);
  }
  return taken;
}

GstFlowReturn gst_stx_prepare_output_buffer(
    GstBaseTransform *transform, GstBuffer *input, GstBuffer **output)
{
  *output = gst_buffer_new();
  if (!GST_BASE_TRANSFORM_GET_CLASS(transform)->copy_metadata(transform, input, *output))
    GST_WARNING_OBJECT(transform, "could not copy time stamps and metas");
  return GST_FLOW_OK;
}

/* ---- Memory -------------------------------------------------------------------------------- */

gboolean gst_stx_input_is_lost(GstBuffer *buffer, const GstCaps *caps)
{
  GstMapInfo map;

  if (caps == NULL || !gst_stx_cuda_is_on_any(buffer) ||
      gst_structure_has_name(gst_caps_get_structure(caps, 0), "video/x-raw"))
    return FALSE;
  if (!gst_buffer_map(buffer, &map, GST_MAP_READ))
    return TRUE;
  gst_buffer_unmap(buffer, &map);
  return FALSE;
}

GstFlowReturn gst_stx_submit_input(
    GstBaseTransform *transform, gboolean is_discont, GstBuffer *input)
{
  GstBaseTransformClass *base = g_type_class_peek_parent(GST_BASE_TRANSFORM_GET_CLASS(transform));
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(transform));

  if (!gst_stx_input_is_lost(input, caps))
    return base->submit_input_buffer(transform, is_discont, input);
  GST_ELEMENT_WARNING(
      transform, RESOURCE, FAILED, ("A frame is left out: %s", GST_STX_CUDA_LOST), (NULL));
  if (GST_BUFFER_PTS_IS_VALID(input))
    gst_pad_push_event(GST_BASE_TRANSFORM_SRC_PAD(transform),
        gst_event_new_gap(GST_BUFFER_PTS(input), GST_BUFFER_DURATION(input)));
  gst_buffer_unref(input);
  return GST_BASE_TRANSFORM_FLOW_DROPPED;
}

/* ---- Caps ---------------------------------------------------------------------------------- */

static const gchar *name_of(GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory(element);

  return factory != NULL ? GST_OBJECT_NAME(factory) : GST_OBJECT_NAME(element);
}

/* The element that gives bytes of this media type their caps. */
static const gchar *source_of(const gchar *type)
{
  if (g_str_equal(type, GST_STX_LIDAR_MEDIA_TYPE))
    return "lidar-parse";
  return g_str_equal(type, "video/x-raw") ? "a decoder (decodebin) or rawvideoparse"
                                          : "the element that makes them";
}

static GstPadProbeReturn see_data(GstPad *sink, GstPadProbeInfo *info, gpointer nothing)
{
  g_autoptr(GstElement) element = NULL;
  g_autoptr(GstCaps) needed = NULL;
  const gchar *type;

  if (gst_pad_has_current_caps(sink))
    return GST_PAD_PROBE_OK;
  element = gst_pad_get_parent_element(sink);
  needed = gst_pad_get_pad_template_caps(sink);
  type = gst_structure_get_name(gst_caps_get_structure(needed, 0));
  if (element != NULL)
    GST_ELEMENT_ERROR(element, STREAM, FORMAT,
        ("Pad %s got bytes without caps, expected %s: put %s before %s", GST_PAD_NAME(sink), type,
            source_of(type), name_of(element)),
        (NULL));
  gst_mini_object_unref(GST_PAD_PROBE_INFO_DATA(info));
  GST_PAD_PROBE_INFO_FLOW_RETURN(info) = GST_FLOW_ERROR;
  return GST_PAD_PROBE_HANDLED;
}

void gst_stx_want_caps(GstPad *sink)
{
  gst_pad_add_probe(
      sink, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, see_data, NULL, NULL);
}

/* The question travels downstream as a query, which all elements in between pass on. */
#define MOTION_QUERY "stx-motion-is-wanted"

static GstPadProbeReturn see_query(GstPad *sink, GstPadProbeInfo *info, gpointer nothing)
{
  const GstStructure *asked = gst_query_get_structure(GST_PAD_PROBE_INFO_QUERY(info));

  return asked != NULL && gst_structure_has_name(asked, MOTION_QUERY) ? GST_PAD_PROBE_HANDLED
                                                                      : GST_PAD_PROBE_OK;
}

void gst_stx_want_motion(GstPad *sink)
{
  gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, see_query, NULL, NULL);
}

gboolean gst_stx_motion_is_wanted(GstPad *src)
{
  g_autoptr(GstQuery) query =
      gst_query_new_custom(GST_QUERY_CUSTOM, gst_structure_new_empty(MOTION_QUERY));

  return gst_pad_peer_query(src, query);
}

gboolean gst_stx_check_scan_caps(GstElement *element, const GstCaps *caps, StxError *error)
{
  const gchar *type = gst_structure_get_name(gst_caps_get_structure(caps, 0));

  return g_str_equal(type, GST_STX_LIDAR_MEDIA_TYPE) ||
         stx_fail(error, "expected %s, not %s: put lidar-parse before %s", GST_STX_LIDAR_MEDIA_TYPE,
             type, name_of(element));
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
