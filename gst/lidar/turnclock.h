/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sensor's clock in the pipeline's time. A packet arrives when it was made, or later: of all
 * differences between arrival and the sensor's clock the smallest is the true one. It may drift by
 * 100 millionths; where it jumps by a fifth of a second, the sensor's clock was set.
 */
#pragma once

#include <gst/gst.h>

/* Zero it to begin with. */
typedef struct {
  gboolean running;
  gint64 offset; /* running time − sensor's time, nanoseconds */
  guint64 last;  /* sensor's time */
} GstStxTurnClock;

/* A packet that was complete at `sensor` arrived at `arrival`, which may be NONE: the first one of
 * such a stream is then at 0. */
void gst_stx_turn_clock_note(GstStxTurnClock *self, guint64 sensor, GstClockTime arrival);

/* The time stamp of a moment of the sensor's clock. */
GstClockTime gst_stx_turn_clock_time(const GstStxTurnClock *self, guint64 sensor);
