/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/core/timeline.h"

gboolean gst_stx_times_are_apart(gint64 one, gint64 other, gint64 limit)
{
  guint64 apart = one > other ? (guint64)one - (guint64)other : (guint64)other - (guint64)one;

  return apart > (guint64)limit;
}

/* Without an interval to judge by: one that comes no longer after the odd one than that one came
 * after the last. */
static gboolean goes_on(const GstStxTimeline *self, gint64 time)
{
  return self->step == 0 && self->odd > self->last && time > self->odd &&
         !gst_stx_times_are_apart(time, self->odd, self->odd - self->last);
}

GstStxTimeVerdict gst_stx_timeline_see(
    GstStxTimeline *self, gint64 time, gint64 limit, gboolean plausible)
{
  gint64 most = MAX(limit, 2 * self->step), interval;
  gboolean good = !self->running || plausible || !gst_stx_times_are_apart(time, self->last, most);
  gboolean follows =
      self->doubted && (!gst_stx_times_are_apart(time, self->odd, most) || goes_on(self, time));

  self->doubted = !good && !follows;
  if (self->doubted) {
    self->odd = time;
    return GST_STX_TIME_ODD;
  }
  interval = self->running ? time - (good ? self->last : self->odd) : 0;
  if (interval > 0) {
    self->step = good ? MIN(interval, self->interval) : interval;
    self->interval = interval;
  }
  self->running = TRUE;
  self->last = time;
  return good ? GST_STX_TIME_GOOD : GST_STX_TIME_SET;
}
