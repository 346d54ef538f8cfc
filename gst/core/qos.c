/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/core/qos.h"

const StxFieldChoice gst_stx_qos_modes[] = {
    {GST_STX_QOS_FALSE, "false", "Never"},
    {GST_STX_QOS_TRUE, "true", "Always"},
    {GST_STX_QOS_AUTO, "auto", "In live pipelines, before matching, where newer sets wait"},
    {0},
};

void gst_stx_qos_reset(GstStxQos *qos, GstElement *element)
{
  GST_OBJECT_LOCK(element);
  qos->earliest = GST_CLOCK_TIME_NONE;
  qos->proportion = 1;
  GST_OBJECT_UNLOCK(element);
  qos->passed = GST_CLOCK_TIME_NONE;
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

gboolean gst_stx_qos_is_late(GstStxQos *qos, GstElement *element, GstClockTimeDiff time)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(GST_OBJECT_GET_LOCK(element));

  return time >= 0 && GST_CLOCK_TIME_IS_VALID(qos->earliest) && (guint64)time <= qos->earliest;
}

gboolean gst_stx_qos_drops(GstStxQos *qos, gboolean late, GstClockTimeDiff time)
{
  GstClockTime running = (GstClockTime)MAX(time, 0);

  if (late &&
      (!GST_CLOCK_TIME_IS_VALID(qos->passed) || running < qos->passed + GST_STX_QOS_LONGEST))
    return TRUE;
  qos->processed++;
  qos->passed = running;
  return FALSE;
}

void gst_stx_qos_post(GstStxQos *qos, GstElement *element, GstBuffer *buffer, GstClockTimeDiff time)
{
  GstMessage *message = gst_message_new_qos(GST_OBJECT(element), FALSE, (guint64)MAX(time, 0),
      GST_CLOCK_TIME_NONE, GST_BUFFER_PTS(buffer), GST_BUFFER_DURATION(buffer));
  GstClockTimeDiff late = 0;
  gdouble proportion;

  GST_OBJECT_LOCK(element);
  if (GST_CLOCK_TIME_IS_VALID(qos->earliest))
    late = (GstClockTimeDiff)qos->earliest - time;
  proportion = qos->proportion;
  GST_OBJECT_UNLOCK(element);
  qos->dropped++;
  gst_message_set_qos_values(message, late, proportion, 1000000);
  gst_message_set_qos_stats(message, GST_FORMAT_BUFFERS, qos->processed, qos->dropped);
  gst_element_post_message(element, message);
}

/* ---- Gaps ---------------------------------------------------------------------------------- */

#define MARK "stx-qos"

void gst_stx_qos_mark_gap(GstEvent *gap)
{
  gst_structure_set(gst_event_writable_structure(gap), MARK, G_TYPE_BOOLEAN, TRUE, NULL);
}

gboolean gst_stx_qos_is_gap(GstEvent *event)
{
  return GST_EVENT_TYPE(event) == GST_EVENT_GAP &&
         gst_structure_has_field(gst_event_get_structure(event), MARK);
}
