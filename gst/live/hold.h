/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The last stixels, for frames that have none: drawn fainter and fainter, until nothing is drawn.
 * Everything here belongs to the streaming thread.
 */
#ifndef GST_STX_HOLD_H
#define GST_STX_HOLD_H

#include "common/lookup/placement.h"
#include "gst/stixels/stixels.h"

G_BEGIN_DECLS

/* What stixels are of, and where that lies in the frame; a placement that is all 0: it fills it. */
typedef struct {
  GstStxStixelInfo info;
  StxPlacement placement;
} GstStxImage;

/* Zero it to begin with. */
typedef struct {
  GstBuffer *stixels; /* reference, or NULL */
  GstStxImage image;
  GstClockTime time; /* their running time */
} GstStxHold;

/* Keeps these stixels, unless newer ones are kept already. A time of NONE: forgets. */
void gst_stx_hold_keep(
    GstStxHold *self, GstBuffer *stixels, const GstStxImage *image, GstClockTime time);

void gst_stx_hold_forget(GstStxHold *self);

/* How strongly to draw them on a frame of the running time `time`, if they last `duration`: 1 for
 * their own moment, 0 where they are too old, too young, or there are none. */
gdouble gst_stx_hold_strength(const GstStxHold *self, GstClockTime time, GstClockTime duration);

G_END_DECLS

#endif
