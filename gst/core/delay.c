/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/core/delay.h"

#include "gst/core/element.h"

#define MEMORY 16 /* frames that the mean is about that of */
#define FIRST 4   /* frames after which it is believed; the shortest of them is where it begins */

#define SMALL (5 * GST_MSECOND) /* not worth a word: sinks allow some for their own work */

/* Is the work of another length than what is reported? */
static gboolean is_other(const GstStxDelay *self)
{
  GstClockTime bound = SMALL + self->reported / 4;

  return self->mean > self->reported + bound || self->mean + 2 * bound < self->reported;
}

gboolean gst_stx_delay_note(GstStxDelay *self, GstClockTime time)
{
  GstClockTimeDiff more = GST_CLOCK_DIFF(self->mean, time);

  if (self->frames++ == 0)
    return FALSE;
  if (self->frames <= FIRST)
    self->mean = self->frames == 2 ? time : MIN(self->mean, time);
  else
    self->mean = (GstClockTime)((GstClockTimeDiff)self->mean + more / MEMORY);
  if (self->frames < FIRST || !is_other(self))
    return FALSE;
  self->reported = self->mean < SMALL ? 0 : self->mean + self->mean / 8;
  return TRUE;
}

void gst_stx_delay_add(GstQuery *query, GstClockTime more)
{
  GstClockTime shortest, longest;
  gboolean live;

  gst_query_parse_latency(query, &live, &shortest, &longest);
  if (GST_CLOCK_TIME_IS_VALID(longest))
    longest += more;
  gst_query_set_latency(query, live, shortest + more, longest);
}

void gst_stx_delay_tell(GstElement *element)
{
  gst_element_post_message(element, gst_message_new_latency(GST_OBJECT(element)));
}

void gst_stx_delay_note_and_tell(GstStxDelay *self, GstElement *element, GstClockTime time)
{
  gboolean changed;

  GST_STX_LOCKED(element, changed = gst_stx_delay_note(self, time));
  if (changed)
    gst_stx_delay_tell(element);
}
