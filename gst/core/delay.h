/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time that an element works on a frame: measured, and added to the latency that it reports, so
 * that a sink waits for what comes. It is about the mean of the last frames, without the first,
 * which makes everything ready; single slow frames are for the frame that pairing elements allow.
 * What is reported changes only if the work does, by a quarter and 5 ms: each change makes the
 * pipeline compute its latency anew. Guarded by the element's object lock.
 */
#pragma once

#include <gst/gst.h>

/* Zero it to begin with. */
typedef struct {
  guint frames;
  GstClockTime mean, reported;
} GstStxDelay;

/* A frame took so long. TRUE: what is reported has changed. */
gboolean gst_stx_delay_note(GstStxDelay *self, GstClockTime time);

/* The answer from upstream to a latency query, and so much more. */
void gst_stx_delay_add(GstQuery *query, GstClockTime more);

/* To the pipeline: ask for the latency again. Not under a lock. */
void gst_stx_delay_tell(GstElement *element);

/* Notes a frame under the element's lock, and tells the pipeline what has changed. */
void gst_stx_delay_note_and_tell(GstStxDelay *self, GstElement *element, GstClockTime time);
