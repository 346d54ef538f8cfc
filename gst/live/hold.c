/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/live/hold.h"

void gst_stx_hold_keep(
    GstStxHold *self, GstBuffer *stixels, const GstStxImage *image, GstClockTime time)
{
  if (!GST_CLOCK_TIME_IS_VALID(time)) {
    gst_stx_hold_forget(self);
    return;
  }
  if (self->stixels != NULL && self->time > time)
    return;
  gst_buffer_replace(&self->stixels, stixels);
  self->image = *image;
  self->time = time;
}

void gst_stx_hold_forget(GstStxHold *self)
{
  gst_clear_buffer(&self->stixels);
}

gdouble gst_stx_hold_strength(const GstStxHold *self, GstClockTime time, GstClockTime duration)
{
  if (self->stixels == NULL || !GST_CLOCK_TIME_IS_VALID(time) || time < self->time ||
      time - self->time >= duration)
    return 0;
  return 1 - (gdouble)(time - self->time) / (gdouble)duration;
}
