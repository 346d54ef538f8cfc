/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What lies first on each pad of an aggregator, and what to do with it: the decision, without the
 * deed. The rules are those of pairing.h. Internal; streaming thread only, except where said.
 */
#ifndef GST_STX_HEADS_H
#define GST_STX_HEADS_H

#include <gst/base/gstaggregator.h>

#include "gst/base/skew.h"

G_BEGIN_DECLS

/* The head of the pad of one role. */
typedef struct {
  GstAggregatorPad *pad;   /* reference; NULL: the role has no pad */
  GstBuffer *buffer;       /* reference; NULL: nothing there yet, or EOS */
  GstClockTimeDiff time;   /* running time, if timed */
  GstClockTimeDiff moment; /* the same, without the skew that is expected of the role */
  gboolean timed;          /* the buffer has a PTS */
  gboolean eos;            /* nothing there, and nothing will come */
  gboolean required;
} GstStxHead;

typedef struct {
  GstStxHead head[GST_STX_ROLES_MAX];
  guint count; /* roles of the class */
  guint lead;  /* first role that has a pad; count: none has */
} GstStxHeads;

typedef enum {
  GST_STX_VERDICT_WAIT, /* something is still to come */
  GST_STX_VERDICT_EOS,  /* nothing that can be paired will come */
  GST_STX_VERDICT_DROP, /* drop the buffers of these roles, then look again */
  GST_STX_VERDICT_TAKE  /* the buffers of these roles are a set */
} GstStxVerdict;

/* Looks at the pads of these roles. Also from get_next_time. */
void gst_stx_heads_collect(
    GstStxHeads *heads, GstElement *element, const GstStxRoles *roles, const GstStxSkew *skew);
void gst_stx_heads_clear(GstStxHeads *heads);

/* Is a required pad at EOS and empty? Then nothing can be paired. */
gboolean gst_stx_heads_ended(const GstStxHeads *heads);

/* A pad at EOS of which GstAggregator is told that it is not, so that it waits for a new stream. */
void gst_stx_pad_set_parked(GstAggregatorPad *pad, gboolean parked);
gboolean gst_stx_pad_is_parked(GstAggregatorPad *pad);

/*
 * skew     says what is the same moment
 * timeout  do not wait any longer: take what there is without optional roles; where a required one
 *          is missing, drop the oldest required buffers
 * roles    of DROP and TAKE: the set of roles, bit i for role i
 */
GstStxVerdict gst_stx_heads_judge(
    const GstStxHeads *heads, const GstStxSkew *skew, gboolean timeout, guint *roles);

/* TRUE for what GstAggregator makes of a GAP event: a buffer without memory. */
gboolean gst_stx_is_gap(GstBuffer *buffer);

/*
 * Takes the buffers of `roles` from their pads into set[role] (transfer full), NULL for the
 * others and for gaps. FALSE if a required one is only a gap, or was flushed meanwhile: then the
 * rest is no set.
 */
gboolean gst_stx_heads_take(const GstStxHeads *heads, guint roles, GstBuffer **set);

G_END_DECLS

#endif
