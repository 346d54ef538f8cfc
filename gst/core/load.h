/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Does an element keep up with a live source, and which frames are not worth its work? One that
 * does not keep up finds more frames waiting than it can work on, and whatever it does, some are
 * lost. Those that lose least are the ones for which a newer one is there already: then nothing
 * waits, and no work is thrown away further down. Streaming thread.
 */
#pragma once

#include <gst/gst.h>

/* Zero it to begin with. */
typedef struct {
  guint frames;
  GstClockTime busy; /* mean time for a frame, with what comes after it and holds it up */
  gboolean asked;
  GstClockTimeDiff fresh; /* age of the youngest frames when their turn comes */
} GstStxLoad;

/* The work on a frame took so long, until the next one could begin. */
void gst_stx_load_note(GstStxLoad *self, GstClockTime time);

/* Do frames that last so long come faster than they are worked on? */
gboolean gst_stx_load_is_over(const GstStxLoad *self, GstClockTime frame);

/* To be asked of each frame, in order: does its turn come so late, at that age, that the next one
 * has come, too? Ages may count from any moment. */
gboolean gst_stx_load_is_outdated(GstStxLoad *self, GstClockTimeDiff age, GstClockTime frame);
