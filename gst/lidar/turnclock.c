/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/lidar/turnclock.h"

#define JUMP (200 * (gint64)GST_MSECOND)
#define SILENT (10 * (gint64)GST_SECOND)

/* Any numbers: of those that lie too far apart the result is wrong, but defined. */
static gint64 minus(guint64 one, guint64 other)
{
  return (gint64)(one - other);
}

static gint64 plus(gint64 one, gint64 other)
{
  return (gint64)((guint64)one + (guint64)other);
}

void gst_stx_turn_clock_note(GstStxTurnClock *self, guint64 sensor, GstClockTime arrival)
{
  gboolean arrives = GST_CLOCK_TIME_IS_VALID(arrival);
  gint64 offset = minus(arrives ? arrival : 0, sensor), more, drift, passed;

  if (!self->running) {
    self->offset = offset;
  } else if (arrives) {
    more = minus((guint64)offset, (guint64)self->offset);
    drift = MAX(sensor, self->last) / 10000 - MIN(sensor, self->last) / 10000;
    self->offset = more < 0 || more > JUMP ? offset : plus(self->offset, MIN(more, drift));
  } else {
    /* Nothing but the sensor's clock says how much time has passed; if it was set, none has. */
    passed = minus(sensor, self->last);
    if (passed < -JUMP || passed > SILENT)
      self->offset = minus((guint64)self->offset, (guint64)passed);
  }
  self->running = TRUE;
  self->last = sensor;
}

GstClockTime gst_stx_turn_clock_time(const GstStxTurnClock *self, guint64 sensor)
{
  gint64 time = (gint64)(sensor + (guint64)self->offset);

  return time > 0 ? (GstClockTime)time : 0;
}
