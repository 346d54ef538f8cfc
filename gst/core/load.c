/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/core/load.h"

#define MEMORY 8 /* frames that the mean is about that of */
#define FIRST 4  /* frames after which it is believed; the first makes everything ready */
#define SPARE                                                                                      \
  16 /* part of a frame by which the work may exceed one: a sink that waits for the clock
                    makes it take a frame */

void gst_stx_load_note(GstStxLoad *self, GstClockTime time)
{
  GstClockTimeDiff more = GST_CLOCK_DIFF(self->busy, time);

  if (self->frames++ == 0)
    return;
  self->busy =
      self->frames == 2 ? time : (GstClockTime)((GstClockTimeDiff)self->busy + more / MEMORY);
}

gboolean gst_stx_load_is_over(const GstStxLoad *self, GstClockTime frame)
{
  return self->frames >= FIRST && frame > 0 && self->busy > frame + frame / SPARE;
}

/* The delay of a source is that of the newest frames; it may change. */
gboolean gst_stx_load_is_outdated(GstStxLoad *self, GstClockTimeDiff age, GstClockTime frame)
{
  GstClockTimeDiff length = (GstClockTimeDiff)frame;

  self->fresh = self->asked ? MIN(age, self->fresh + length / SPARE) : age;
  self->asked = TRUE;
  return frame > 0 && age - self->fresh >= length;
}
