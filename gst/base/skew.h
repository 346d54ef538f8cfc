/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which times belong to the same moment, for cameras that are not in step: two that run freely are
 * up to half a frame apart, their clocks drift, and their time stamps jitter. Internal; streaming
 * thread only.
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
#ifndef GST_STX_SKEW_H
#define GST_STX_SKEW_H

#include "gst/base/roles.h"

G_BEGIN_DECLS

#define GST_STX_TOLERANCE_AUTO (-1)

typedef struct {
  gint tolerance;                           /* milliseconds, or AUTO; as the property is now */
  GstClockTime period;                      /* duration of a frame of the fastest pad; 0: unknown */
  GstClockTimeDiff skew[GST_STX_ROLES_MAX]; /* behind the leading role */
  guint pairs[GST_STX_ROLES_MAX];           /* that it is the mean of; not above 32 */
} GstStxSkew;

/* By how much the times of a role are expected to lie behind those of the leading one. */
GstClockTimeDiff gst_stx_skew_of(const GstStxSkew *self, guint role);

/* Do two buffers belong to the same moment, whose times differ by `times`, and by `moments` if what
 * is expected of each role is taken off? */
gboolean gst_stx_skew_matches(
    const GstStxSkew *self, GstClockTimeDiff moments, GstClockTimeDiff times);

/* A buffer of `role` was paired, `times` behind the leading one. TRUE: the skew slips by a frame.
 */
gboolean gst_stx_skew_note(GstStxSkew *self, guint role, GstClockTimeDiff times);

/* These roles begin anew, in step. */
void gst_stx_skew_forget(GstStxSkew *self, guint roles);

G_END_DECLS

#endif
