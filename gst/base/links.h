/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Watches the links of an aggregator's sink pads, and tells the user when their streams do not go
 * together, or when a pipeline stands still because a link or a stream is missing: GstAggregator
 * would wait for ever. Internal.
 *
 * Pads may be linked late: behind a demuxer they appear one after the other while the first one
 * has data already. So nothing is wrong before GST_STX_LINKS_DEADLINE is over, counted from the
 * state PAUSED and again from the first caps on any pad. Then
 *   - a needed pad without a link, others with data: error, it will not come any more;
 *   - a needed pad without a link, no data anywhere: warning, the application may still link;
 *   - all linked, but one pad has kept the others waiting all the time: warning that names it.
 */
#pragma once

#include "gst/base/queued.h"

#define GST_STX_LINKS_DEADLINE (5 * GST_SECOND)

/* `timer` belongs to the threads that begin and end the watch, of which there is one at a time; the
 * rest is constant or atomic. */
typedef struct {
  GstElement *element; /* whose part this is */
  const GstStxRoles *roles;
  GstClockID timer;
  gint fed;   /* caps have come on some pad */
  gint moved; /* a set has been made: nothing is missing */
  gint given_up;
  /* Streaming thread. */
  gboolean told_untimed, told_orphan, told_slow, told_step, told_ended; /* they come once */
  GstClockTimeDiff last[GST_STX_ROLES_MAX]; /* running time of the last buffer */
  guint holes[GST_STX_ROLES_MAX];           /* grows where every few frames one is missing */
} GstStxLinks;

void gst_stx_links_init(GstStxLinks *links, GstElement *element, const GstStxRoles *roles);

/* On the way to PAUSED, and off it. A watch that runs holds no reference to the element. */
void gst_stx_links_begin(GstStxLinks *links);
void gst_stx_links_end(GstStxLinks *links);

/* Streaming thread: caps came. The first time the deadline starts anew. */
void gst_stx_links_feed(GstStxLinks *links);

/* Streaming thread: TRUE if the pads that exist suffice for a set; linked or not does not count.
 * FALSE comes 5 ms later: GstAggregator will ask again at once, as all pads that exist have data.
 */
gboolean gst_stx_links_suffice(const GstStxLinks *links, const GstStxQueued *queued);

/* Streaming thread; once per stream a warning that buffers without timestamps are paired by their
 * order, if there are such queued, and that a buffer of a required role had no partner. */
void gst_stx_links_warn_untimed(GstStxLinks *links, const GstStxQueued *queued);
void gst_stx_links_warn_orphan(GstStxLinks *links, guint role, GstBuffer *buffer);

/* Streaming thread: this head leaves its pad, where frames last so long. */
void gst_stx_links_see(GstStxLinks *links, guint role, const GstStxHead *head, GstClockTime frame);

/* Streaming thread: if that is why buffers have no partners, once a warning that the machine is too
 * slow: `work`, of a set, is longer than `frame`, or frames are missing on all required pads. */
void gst_stx_links_warn_slow(
    GstStxLinks *links, const GstStxQueued *queued, GstClockTime work, GstClockTime frame);

/* Streaming thread, a warning that these pads are silent, in live pipelines, or have ended, and
 * that the others go on; a word that they are back. */
void gst_stx_links_warn_stalled(GstStxLinks *links, guint roles);
void gst_stx_links_warn_ended(GstStxLinks *links, guint roles);

/* Streaming thread: a warning that these pads have ended, and that no set was ever complete. */
void gst_stx_links_warn_empty(GstStxLinks *links, guint roles);
void gst_stx_links_tell_back(GstStxLinks *links, guint roles);

/* Streaming thread, once: the times of this pad jumped by so much; `live`: it is paired as if they
 * had not. */
void gst_stx_links_tell_step(GstStxLinks *links, guint role, GstClockTimeDiff step, gboolean live);
