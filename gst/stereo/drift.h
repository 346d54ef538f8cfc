/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GstStxDrift: the drift of a right camera from its calibration (common/pair/pair_drift.h), watched
 * in the rectified pictures of two lanes that do not wait for each other.
 *
 * The first lane that comes to the next moment, a quarter of a second and eight frames after the
 * last, copies its picture, and the other one its own of that time, to 20 ms. Then a thread of its
 * own looks for matches. The right lane takes what it has found with its first frame .2 s after
 * that moment or later. So the same frames give the same bytes, as long as the left lane is not
 * more than this behind, nor .8 s ahead. If the left lane's picture is still missing a second
 * later, the moment is dropped.
 *
 * The estimate survives flushes and new caps, but not a new start.
 */
#pragma once

#include <gst/gst.h>

#include "common/fields.h"
#include "common/pair/pair_drift.h"
#include "gst/core/memory.h"

typedef enum { GST_STX_REFINE_OFF, GST_STX_REFINE_REPORT, GST_STX_REFINE_APPLY } GstStxRefine;
extern const StxFieldChoice gst_stx_refine_modes[];

#define GST_STX_DRIFT_MOMENTS 4 /* at once */

/* Private. */
typedef struct {
  GstClockTime time;
  GstStxScratch view[2], scratch;
  gint width[2], height[2]; /* 0: not there yet */
  gboolean failed;
  GThread *worker;   /* NULL: not yet */
  StxDriftPair pair; /* the worker's until it is joined */
} GstStxDriftMoment;

/* Zero it, and gst_stx_drift_init (). */
typedef struct {
  GMutex lock; /* of all that follows */
  GstStxRefine mode;
  GstStxDriftMoment moment[GST_STX_DRIFT_MOMENTS]; /* number n lies at n % MOMENTS */
  guint begun, taken, next[2];                     /* moments; the lanes' next */
  GstClockTime due, last[2]; /* of the next moment; of the lanes' last frame */
  StxDrift drift;
  StxDriftPair pair; /* the last that was taken */
  GstClockTime time, told;
  StxRectifyTurn target, applied;
} GstStxDrift;

void gst_stx_drift_init(GstStxDrift *self);
void gst_stx_drift_clear(GstStxDrift *self);
void gst_stx_drift_start(GstStxDrift *self, GstStxRefine mode);

/* Is the lane's picture of this time wanted? gst_stx_drift_put () is due then, with rows of samples
 * `step` bytes apart; `view` is that of the right lane, NULL for the left one. */
gboolean gst_stx_drift_wants(GstStxDrift *self, guint lane, GstClockTime time);
void gst_stx_drift_put(
    GstStxDrift *self, guint lane, const StxImage8 *picture, gint step, const StxRectifyView *view);

/* A frame of the right lane begins. TRUE: *turn, by which its view is to be turned, is another than
 * for the frame before. *news gets a message that is due, or NULL. */
gboolean gst_stx_drift_step(
    GstStxDrift *self, GstClockTime time, StxRectifyTurn *turn, GstStructure **news);

/* The right lane has new caps: what its view is to be turned by. */
StxRectifyTurn gst_stx_drift_hold(GstStxDrift *self);

/* The estimate, as in the message; NULL: refine=off. Any thread. */
GstStructure *gst_stx_drift_tell(GstStxDrift *self);
