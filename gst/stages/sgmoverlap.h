/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two pairs at once, on the CPU. A pair has parts that one thread does, and parts in which threads
 * wait for each other; a second pair fills these. Each has half of the threads and memory of its
 * own. Where nobody allows that (gst/live/deferred.h), or pairs come slowly, one pair has all.
 */
#ifndef GST_SGM_OVERLAP_H
#define GST_SGM_OVERLAP_H

#include "gst/base/pairing.h"
#include "gst/stages/sgmstage.h"

G_BEGIN_DECLS

#define GST_SGM_TRACKS 2

typedef struct {
  GstStxStage stage; /* of whoever has made it busy */
  gboolean busy;     /* under the lock */
} GstSgmTrack;

/* Embedded in the element; of its streaming thread but for what is marked. */
typedef struct {
  GstStxPairing *element;
  GThreadPool *pool; /* NULL: nothing was given yet */
  gint64 ended;      /* ns: when the last pair had been taken or matched */
  GMutex lock;       /* for the rest */
  GCond changed;
  GstSgmTrack track[GST_SGM_TRACKS];
  guint given; /* pairs that are not matched yet */
  gint64 took; /* ns: of the last pair; 0: there was none */
} GstSgmOverlap;

/* In instance_init, `start`, `stop`, `finalize`. */
void gst_sgm_overlap_init(GstSgmOverlap *self, GstStxPairing *element);
void gst_sgm_overlap_start(GstSgmOverlap *self);
void gst_sgm_overlap_stop(GstSgmOverlap *self);
void gst_sgm_overlap_clear(GstSgmOverlap *self);

/* Matches a pair: now, or, if that is better, while later ones come: then *later is a buffer that
 * leaves in place of its disparity, and which nobody but the caller holds; else NULL.
 * GST_FLOW_ERROR after an element error. */
GstFlowReturn gst_sgm_overlap_take(GstSgmOverlap *self, const GstSgmPair *pair, GstBuffer **later);

/* A buffer is on its way out, and nobody works on it or its pair any more: what was put off
 * begins. Waits if there is too much of that. */
void gst_sgm_overlap_leave(GstSgmOverlap *self, GstBuffer *buffer);

/* Waits until all that was put off is done. */
void gst_sgm_overlap_settle(GstSgmOverlap *self);

G_END_DECLS

#endif
