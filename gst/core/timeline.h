/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time stamps of a stream, as far as they are believed: a time that lies apart from the one
 * before is odd, unless a clock or another stream makes it plausible, or the next one follows it.
 * One odd time costs one buffer; of a clock that was set the second buffer is believed.
 */
#pragma once

#include <gst/gst.h>

/* The limit where there is no clock, and only other streams can be compared. */
#define GST_STX_TIME_APART ((gint64)GST_SECOND)

/* Zero it to begin with. */
typedef struct {
  gboolean running, doubted;
  gint64 last, odd; /* the last that was believed; one that was not, if `doubted` */
  /* The last interval, and the shorter of the last two: a hole does not count. 0: unknown. */
  gint64 interval, step;
} GstStxTimeline;

typedef enum {
  GST_STX_TIME_GOOD,
  GST_STX_TIME_ODD, /* it is not believed */
  GST_STX_TIME_SET  /* it follows an odd one: the clock was set, or nothing came for long */
} GstStxTimeVerdict;

/* Do two times lie further apart than `limit`? */
gboolean gst_stx_times_are_apart(gint64 one, gint64 other, gint64 limit);

/* The next time of the stream. Apart is what lies beyond `limit`, and beyond two intervals of a
 * slow stream. `plausible`: by a clock or by another stream. */
GstStxTimeVerdict gst_stx_timeline_see(
    GstStxTimeline *self, gint64 time, gint64 limit, gboolean plausible);
