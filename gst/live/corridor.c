/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/live/corridor.h"

#include "gst/formats/regions.h"

/* The running time as the pipeline's clock has it; NONE without a clock. */
static GstClockTime clock_time(GstElement *element, GstClockTime running)
{
  GstClockTime base;
  gboolean timed;

  GST_OBJECT_LOCK(element);
  timed = GST_ELEMENT_CLOCK(element) != NULL;
  base = GST_ELEMENT(element)->base_time;
  GST_OBJECT_UNLOCK(element);
  return timed && GST_CLOCK_TIME_IS_VALID(running) ? base + running : GST_CLOCK_TIME_NONE;
}

/* The same times as in messages of GStreamer's element `level`, and that of the clock. */
static void set_times(GstStructure *structure, GstBaseTransform *base, GstBuffer *frame)
{
  const GstSegment *segment = &base->segment;
  GstClockTime time = GST_BUFFER_PTS(frame);
  GstClockTime running = gst_segment_to_running_time(segment, GST_FORMAT_TIME, time);

  gst_structure_set(structure, "timestamp", G_TYPE_UINT64, time, "stream-time", G_TYPE_UINT64,
      gst_segment_to_stream_time(segment, GST_FORMAT_TIME, time), "running-time", G_TYPE_UINT64,
      running, "clock-time", G_TYPE_UINT64, clock_time(GST_ELEMENT(base), running), "duration",
      G_TYPE_UINT64, GST_BUFFER_DURATION(frame), NULL);
}

static void post(GstBaseTransform *base, GstBuffer *frame, GstStructure *structure)
{
  set_times(structure, base, frame);
  gst_element_post_message(GST_ELEMENT(base), gst_message_new_element(GST_OBJECT(base), structure));
}

void gst_stx_corridor_tell(
    GstBaseTransform *element, GstBuffer *frame, const StxObstaclesResult *result)
{
  for (gsize i = 0; i < result->entered_count; i++)
    post(element, frame,
        gst_stx_obstacle_structure("stx-corridor-entered", &result->obstacles[result->entered[i]]));
  if (result->corridor_cleared)
    post(element, frame, gst_structure_new_empty("stx-corridor-free"));
}
