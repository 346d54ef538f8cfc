/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/lidar/bytes.h"

#include "gst/core/element.h"
#include "gst/stixels/mediatypes.h"

gboolean gst_stx_query_of_bytes(GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *filter;

  switch (GST_QUERY_TYPE(query)) {
  case GST_QUERY_ACCEPT_CAPS:
    gst_query_set_accept_caps_result(query, TRUE);
    return TRUE;
  case GST_QUERY_CAPS:
    gst_query_parse_caps(query, &filter);
    gst_query_set_caps_result(query, filter != NULL ? filter : GST_CAPS_ANY);
    return TRUE;
  default:
    return gst_pad_query_default(pad, parent, query);
  }
}

GstEvent *gst_stx_time_segment(GstEvent *event, GstClockTime *start)
{
  const GstSegment *input;
  GstSegment segment;
  GstEvent *made;

  gst_event_parse_segment(event, &input);
  *start = input->format == GST_FORMAT_TIME ? input->start : 0;
  if (input->format == GST_FORMAT_TIME)
    return event;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  made = gst_event_new_segment(&segment);
  gst_event_set_seqnum(made, gst_event_get_seqnum(event));
  gst_event_unref(event);
  return made;
}

gboolean gst_stx_send_scan_caps(GstElement *element, GstPad *src, gint rate, gint per)
{
  g_autoptr(GstCaps) caps = gst_caps_new_simple(
      GST_STX_LIDAR_MEDIA_TYPE, "framerate", GST_TYPE_FRACTION, rate, per, NULL);

  gst_stx_element_check_output(element, src, caps);
  return gst_pad_set_caps(src, caps);
}
