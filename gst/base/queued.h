/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The first buffer on each pad of an aggregator: decides which belong to the same moment, and what
 * the aggregator has to do. The rules are those of pairing.h. Streaming thread only, except where
 * said.
 */
#pragma once

#include <gst/base/gstaggregator.h>

/* ---- Roles --------------------------------------------------------------------------------- */

#define GST_STX_ROLES_MAX 3

/*
 * The sink pads of an element with several of them, by what they are for. A role is a place in
 * `names`; a set of roles has bit i for role i.
 *
 * names       of the pads' templates, in the order in which buffers are handed over;
 *             NULL-terminated. The first role that has a pad leads
 * optional    roles that a set of buffers may lack; others are required once they have a pad
 * sufficient  sets of roles, each enough to work with; all 0: the first role
 */
typedef struct {
  const gchar *names[GST_STX_ROLES_MAX + 1];
  guint optional;
  guint sufficient[2];
} GstStxRoles;

/* The roles of which a set has a buffer. */
static inline guint gst_stx_roles_of(GstBuffer *const *set)
{
  guint roles = 0;

  for (guint role = 0; role < GST_STX_ROLES_MAX; role++)
    roles |= set[role] != NULL ? 1u << role : 0;
  return roles;
}

/* ---- Skew ---------------------------------------------------------------------------------- */

/*
 * Times of the same moment, for cameras that are not in step: two that run freely are up to half a
 * frame apart, their clocks drift, and their time stamps jitter.
 *
 * With a frame rate the nearest partner is taken: what lies closer than half a frame to where the
 * partner is expected. That is as far off as the last 32 pairs were, in the mean, so that jitter
 * tears nothing apart that runs 15 ms apart. Cameras that are in step have no skew. With one beyond
 * half a frame, and a 32nd so that it does not waver there, another partner is nearer: the skew
 * slips by a frame, and the frame of the faster camera that is left over has none.
 *
 * A tolerance limits the distance itself. Below half a frame that is all there is: nothing is
 * expected anywhere. Without a frame rate there is only the tolerance, 1 ms if none is set.
 */

#define GST_STX_TOLERANCE_AUTO (-1)

typedef struct {
  gint tolerance;                           /* milliseconds, or AUTO; as the property is now */
  GstClockTime period;                      /* duration of a frame of the fastest pad; 0: unknown */
  GstClockTimeDiff skew[GST_STX_ROLES_MAX]; /* behind the leading role */
  guint pairs[GST_STX_ROLES_MAX];           /* that it is the mean of; not above 32 */
  GstClockTimeDiff shift[GST_STX_ROLES_MAX]; /* by which the clock of a live source was set */
} GstStxSkew;

/* Do two buffers belong to the same moment, whose times differ by `times`, and by `moments` if what
 * is expected of each role is taken off? */
gboolean gst_stx_skew_matches(
    const GstStxSkew *self, GstClockTimeDiff moments, GstClockTimeDiff times);

/* A buffer of `role` was paired, `times` behind the leading one. TRUE: the skew slips by a frame.
 */
gboolean gst_stx_skew_note(GstStxSkew *self, guint role, GstClockTimeDiff times);

/* These roles begin anew, in step; by clocks that were set as before. */
void gst_stx_skew_forget(GstStxSkew *self, guint roles);

/* ---- Heads --------------------------------------------------------------------------------- */

/* A head that was taken off its pad, as its time is doubted: the next one there tells. */
typedef struct {
  GstBuffer *buffer; /* owned; NULL: none */
  gboolean believed;
} GstStxHeld;

/* The head of the pad of one role. */
typedef struct {
  GstAggregatorPad *pad;   /* reference; NULL: the role has no pad */
  GstStxHeld *held;        /* the place of `buffer`; NULL: it lies on the pad */
  GstBuffer *buffer;       /* reference; NULL: nothing there yet, or EOS */
  GstClockTimeDiff time;   /* running time without the role's shift, if timed */
  GstClockTimeDiff moment; /* the same, without the skew that is expected of the role */
  gboolean timed;          /* the buffer has a PTS */
  gboolean eos;            /* nothing there, and nothing will come */
  gboolean required;
} GstStxHead;

typedef struct {
  GstStxHead head[GST_STX_ROLES_MAX];
  guint count; /* roles of the class */
  guint lead;  /* first role that has a pad; count: none has */
} GstStxQueued;

typedef enum {
  GST_STX_VERDICT_WAIT, /* something is still to come */
  GST_STX_VERDICT_EOS,  /* nothing that can be paired will come */
  GST_STX_VERDICT_DROP, /* drop the buffers of these roles, then look again */
  GST_STX_VERDICT_TAKE  /* the buffers of these roles are a set */
} GstStxVerdict;

/* Looks at the pads of these roles, and at what was held of each, which is a head once something
 * follows it, or EOS. Also from get_next_time. */
void gst_stx_queued_collect(GstStxQueued *queued, GstElement *element, const GstStxRoles *roles,
    const GstStxSkew *skew, GstStxHeld *held);
void gst_stx_queued_clear(GstStxQueued *queued);

/* Running time of a buffer, negative before the segment. FALSE without a PTS, or a segment. */
gboolean gst_stx_running_time(GstAggregatorPad *pad, GstBuffer *buffer, GstClockTimeDiff *time);

void gst_stx_head_drop(const GstStxHead *head);

/* Is a required pad at EOS and empty? Then nothing can be paired. */
gboolean gst_stx_queued_ended(const GstStxQueued *queued);

/* A pad at EOS of which GstAggregator is told that it is not, so that it waits for a new stream. */
void gst_stx_pad_set_parked(GstAggregatorPad *pad, gboolean parked);
gboolean gst_stx_pad_is_parked(GstAggregatorPad *pad);

/*
 * skew     says what is the same moment
 * timeout  do not wait any longer: take what there is without optional roles; where a required one
 *          is missing, drop the oldest required buffers
 * roles    of DROP and TAKE: the set of roles, bit i for role i
 */
GstStxVerdict gst_stx_queued_judge(
    const GstStxQueued *queued, const GstStxSkew *skew, gboolean timeout, guint *roles);

/* TRUE for what GstAggregator makes of a GAP event: a buffer without memory. */
gboolean gst_stx_is_gap(GstBuffer *buffer);

/*
 * Takes the buffers of `roles` from their pads into set[role] (transfer full), NULL for the
 * others and for gaps. FALSE if a required one is only a gap, or was flushed meanwhile: then the
 * rest is no set.
 */
gboolean gst_stx_queued_take(const GstStxQueued *queued, guint roles, GstBuffer **set);
