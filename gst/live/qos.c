/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/live/qos.h"

void gst_stx_qos_reset(GstStxQos *qos, GstElement *element)
{
  GST_OBJECT_LOCK(element);
  qos->earliest = GST_CLOCK_TIME_NONE;
  qos->proportion = 1;
  GST_OBJECT_UNLOCK(element);
}

void gst_stx_qos_take_event(GstStxQos *qos, GstElement *element, GstEvent *event)
{
  GstClockTimeDiff late;
  GstClockTime time;
  gdouble proportion;

  if (GST_EVENT_TYPE(event) != GST_EVENT_QOS)
    return;
  gst_event_parse_qos(event, NULL, &proportion, &late, &time);
  GST_OBJECT_LOCK(element);
  qos->proportion = proportion;
  qos->earliest = GST_CLOCK_TIME_IS_VALID(time) && late > 0 ? time + late : GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK(element);
}

gboolean gst_stx_qos_drops(
    GstStxQos *qos, GstElement *element, GstBuffer *buffer, GstClockTimeDiff time)
{
  GstMessage *message;
  GstStxQos now;

  GST_OBJECT_LOCK(element);
  now = *qos;
  GST_OBJECT_UNLOCK(element);
  if (!now.enabled || !GST_CLOCK_TIME_IS_VALID(now.earliest) || time < 0 ||
      (GstClockTime)time > now.earliest) {
    qos->processed++;
    return FALSE;
  }
  qos->dropped++;
  message = gst_message_new_qos(GST_OBJECT(element), FALSE, time, GST_CLOCK_TIME_NONE,
      GST_BUFFER_PTS(buffer), GST_BUFFER_DURATION(buffer));
  gst_message_set_qos_values(
      message, (GstClockTimeDiff)now.earliest - time, now.proportion, 1000000);
  gst_message_set_qos_stats(message, GST_FORMAT_BUFFERS, qos->processed, qos->dropped);
  gst_element_post_message(element, message);
  return TRUE;
}
