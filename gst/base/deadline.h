/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time that buffers of an aggregator's pads wait for missing partners in a live pipeline.
 * Elsewhere nothing is lost by waiting. Internal.
 *
 * The oldest required head waits until its running time, plus the pipeline's latency, plus the
 * property `timeout`; then its moment is given up. Two things change that:
 *   - a pad that was waited for in vain is not waited for again until it brings something: a camera
 *     that hangs holds up one frame, not each. Only a pad that is known to be late keeps its delay,
 *     until it has been silent for GST_STX_DEADLINE_STALL;
 *   - a pad that brings everything late is waited for longer, by twice as much as its last buffer
 *     that came too late was late: once for the known delay, once for a source that cannot keep up
 *     and is later with every frame. But no moment waits for longer than the one before by more
 *     than GST_STX_DEADLINE_STEP, so that pictures pause for no longer than that. A pad that is
 *     seconds late is reached in several steps; a pad that hands over withheld buffers at once has
 *     caught up by then. A slow camera or a slow machine loses little but the frames at the start.
 * GstAggregator's `latency`, if set, counts alone.
 */
#pragma once

#include "gst/base/queued.h"

#define GST_STX_DEADLINE_STEP (300 * GST_MSECOND)
#define GST_STX_DEADLINE_STALL GST_SECOND /* silence of a pad that is worth a word */

/* `timeout` is guarded by the object lock, the rest belongs to the streaming thread. */
typedef struct {
  guint timeout;                        /* property, milliseconds; 0: waits as long as it takes */
  guint given_up;                       /* set of roles that were waited for in vain */
  GstClockTimeDiff over;                /* the last moment that was; G_MININT64: none */
  GstClockTime lag[GST_STX_ROLES_MAX];  /* how late their last late buffers were */
  GstClockTime waited;                  /* how late the last moment was that left */
  GstClockTime seen[GST_STX_ROLES_MAX]; /* when they last had something; NONE: not yet, not live */
  guint stalled;                        /* set of roles that have been silent for too long */
} GstStxDeadline;

/* At the start and after a flush. The property stays. */
void gst_stx_deadline_reset(GstStxDeadline *self);

/* The running time, without the pipeline's latency, until which these queued wait; NONE: until
 * something comes. `latency` is GstAggregator's property. */
GstClockTime gst_stx_deadline_time(
    const GstStxDeadline *self, const GstStxQueued *queued, guint timeout, GstClockTime latency);

/* That time is over: missing buffers are given up, and so is the moment of the required queued
 * `dropped`. */
void gst_stx_deadline_end(GstStxDeadline *self, const GstStxQueued *queued, guint dropped);

/* Required queued whose moment was given up before they came. */
guint gst_stx_deadline_find_late(
    const GstStxDeadline *self, const GstStxQueued *queued, const GstStxSkew *skew);

/* Notes which pads have brought something at the time `now`: the deadline waits for them again.
 * Returns those of them that had stalled. */
guint gst_stx_deadline_see(GstStxDeadline *self, const GstStxQueued *queued, GstClockTime now);

/* Returns the pads that have become stalled at `now`: they have been silent for too long. */
guint gst_stx_deadline_find_stalled(
    GstStxDeadline *self, const GstStxQueued *queued, GstClockTime now);

/* Notes that the moment of this head left at `now`, whether paired or not. */
void gst_stx_deadline_leave(GstStxDeadline *self, const GstStxHead *head, GstClockTime now);

/* Returns the running time less the pipeline's latency, in aggregate; NONE if it is not live. */
GstClockTime gst_stx_deadline_now(GstAggregator *aggregator);

/* Notes that at `now` the head of a role is too late for its partners, or in time. */
void gst_stx_deadline_late(
    GstStxDeadline *self, const GstStxQueued *queued, guint role, GstClockTime now);
void gst_stx_deadline_in_time(
    GstStxDeadline *self, const GstStxQueued *queued, guint role, GstClockTime now);
