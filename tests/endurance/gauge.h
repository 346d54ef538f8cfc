/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the tests of endurance: their length, the resources of the process, and whether these
 * grow.
 *
 * STX_ENDURANCE=full makes them long: minutes to an hour each. Otherwise they take seconds, and
 * find what is lost with every frame, but not what is lost with one in a thousand.
 */
#pragma once

#include <gst/check/gstcheck.h>

gboolean endurance_is_full(void);

/* `full` if the tests are long, else `quick`. */
guint endurance_length(guint quick, guint full);

/* The same of rounds, at least two, of which a quarter is enough for a sanitizer: it looks at each,
 * and is slow. */
guint endurance_rounds(guint quick, guint full);

/* Memory that may be gained after the first tenth. Queues that are fuller than before and arenas
 * that malloc fills anew take some MiB. In a million frames it is half of the smallest block that
 * malloc has, each; in the short tests a frame of 64×48 pixels, each. */
#define GAUGE_MOST_GROWTH 16.0 /* MiB */

typedef struct {
  gdouble memory; /* MiB, resident */
  guint descriptors, threads;
  gdouble seconds, work; /* of the wall clock and of all cores, from some begin */
} Gauge;

Gauge gauge_read(void);

/* Three readings, at a tenth, at the half and at the end. Any thread, one at a time. */
typedef struct {
  const gchar *name;
  guint length, done; /* frames, cycles */
  Gauge at[3];
  gdouble most; /* MiB that may be gained; 0: GAUGE_MOST_GROWTH */
} GaugeRun;

/* One more is done; to be called `length` times. */
void gauge_step(GaugeRun *run);

/* Prints the readings. Fails the test if less than `length` was done, or memory or descriptors have
 * grown; in a long test also if the second half took twice the work of the first. */
void gauge_judge(const GaugeRun *run);
