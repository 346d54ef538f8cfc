/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/core/timeline.h"

gboolean gst_stx_times_are_apart(gint64 one, gint64 other, gint64 limit)
{
  guint64 apart = one > other ? (guint64)one - (guint64)other : (guint64)other - (guint64)one;

  return apart > (guint64)limit;
}

GstStxTimeVerdict gst_stx_timeline_see(
    GstStxTimeline *self, gint64 time, gint64 limit, gboolean plausible)
{
  gboolean good = !self->running || plausible || !gst_stx_times_are_apart(time, self->last, limit);
  gboolean follows = self->doubted && !gst_stx_times_are_apart(time, self->odd, limit);

  self->doubted = !good && !follows;
  if (self->doubted) {
    self->odd = time;
    return GST_STX_TIME_ODD;
  }
  self->running = TRUE;
  self->last = time;
  return good ? GST_STX_TIME_GOOD : GST_STX_TIME_SET;
}
