/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/core/frametime.h"

void gst_stx_frame_time_set_caps(GstStxFrameTime *self, const GstCaps *caps)
{
  gint numerator = 0, denominator = 1;

  gst_structure_get_fraction(
      gst_caps_get_structure(caps, 0), "framerate", &numerator, &denominator);
  self->frame = numerator > 0 ? gst_util_uint64_scale_int(GST_SECOND, denominator, numerator)
                              : GST_CLOCK_TIME_NONE;
}

void gst_stx_frame_time_reset(GstStxFrameTime *self)
{
  self->next = 0;
}

GstClockTime gst_stx_frame_time_of(GstStxFrameTime *self, GstBuffer *frame)
{
  GstClockTime time = GST_BUFFER_PTS(frame);

  if (!GST_CLOCK_TIME_IS_VALID(time) && GST_CLOCK_TIME_IS_VALID(self->frame))
    time = self->next;
  if (GST_CLOCK_TIME_IS_VALID(time) && GST_CLOCK_TIME_IS_VALID(self->frame))
    self->next = time + self->frame;
  return time;
}

gboolean gst_stx_frame_is_cut(GstBuffer *frame, GstClockTime *last)
{
  GstClockTime before = *last, time = GST_BUFFER_PTS(frame), hole;
  GstClockTime frames = GST_BUFFER_DURATION_IS_VALID(frame) ? GST_BUFFER_DURATION(frame) : 0;

  *last = time;
  if (!GST_CLOCK_TIME_IS_VALID(before) || !GST_CLOCK_TIME_IS_VALID(time) || time < before)
    return GST_BUFFER_IS_DISCONT(frame);
  hole = time - before;
  return hole > MAX(GST_SECOND, 2 * frames) ||
         (GST_BUFFER_IS_DISCONT(frame) && hole > 0 && (frames == 0 || 2 * hole < 3 * frames));
}

GstClockTime gst_stx_frame_time_duration(const GstStxFrameTime *self, GstBuffer *frame)
{
  return GST_BUFFER_DURATION_IS_VALID(frame) ? GST_BUFFER_DURATION(frame) : self->frame;
}
