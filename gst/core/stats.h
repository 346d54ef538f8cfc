/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counters of an element since the start: the read-only property `stats`, a GstStructure, and a
 * line of it in the log at the end of the stream (GST_DEBUG=stx-stats:4). Any thread: the functions
 * that take the element take its object lock.
 */
#pragma once

#include <gst/gst.h>

/* Nanoseconds. */
typedef struct {
  gint64 last, sum, furthest; /* furthest from 0 */
  guint64 count;
} GstStxSpread;

/* Guarded by the object lock. */
typedef struct {
  guint64 dropped, gaps, slips, odd, steps;
  GstStxSpread time; /* of each frame */
  GstStxSpread skew; /* of each buffer that was paired, behind the leading one */
} GstStxStats;

/* In class_init, after gst_stx_properties_install, whose get_property it takes the place of: what
 * the property says is made by `tell`, under the object lock. */
typedef GstStructure *(*GstStxStatsTell)(gpointer element);
void gst_stx_stats_install(GObjectClass *klass, GstStxStatsTell tell);

void gst_stx_stats_reset(GstStxStats *self, GstElement *element);

/* A frame is done, which was begun at `begin` by gst_util_get_timestamp. What it took. */
GstClockTime gst_stx_stats_frame(GstStxStats *self, GstElement *element, GstClockTime begin);

void gst_stx_stats_skew(GstStxStats *self, GstElement *element, GstClockTimeDiff skew);

/* One more of one of the counts. */
void gst_stx_stats_count(guint64 *count, GstElement *element);

/* Under the object lock: frames, dropped-qos, gaps, and the last, mean and longest processing-time.
 * `paired`: slips, skew, odd times and clock steps, too. */
GstStructure *gst_stx_stats_to_structure(const GstStxStats *self, gboolean paired);

/* The element's property, into the log. */
void gst_stx_stats_log(GstElement *element);
