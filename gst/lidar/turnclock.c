/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/lidar/turnclock.h"

#define JUMP (200 * (gint64)GST_MSECOND)

void gst_stx_turn_clock_note(GstStxTurnClock *self, guint64 sensor, GstClockTime arrival)
{
  gint64 offset = GST_CLOCK_TIME_IS_VALID(arrival) ? (gint64)(arrival - sensor) : -(gint64)sensor;
  gint64 more = offset - self->offset;

  if (!self->running) {
    self->offset = offset;
  } else if (GST_CLOCK_TIME_IS_VALID(arrival)) {
    if (more < 0 || more > JUMP)
      self->offset = offset;
    else
      self->offset += MIN(more, ABS((gint64)(sensor - self->last)) / 10000);
  }
  self->running = TRUE;
  self->last = sensor;
}

GstClockTime gst_stx_turn_clock_time(const GstStxTurnClock *self, guint64 sensor)
{
  gint64 time = (gint64)sensor + self->offset;

  return time > 0 ? (GstClockTime)time : 0;
}
