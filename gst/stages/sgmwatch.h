/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Can these be the views of a stereo camera? Looks at pairs now and then
 * (common/pair/pair_watch.h), on the CPU, and warns once while they cannot: a message, a line in
 * the log, and fields of `stats`. A pair without timestamps counts as a tenth of a second.
 */
#ifndef GST_SGM_WATCH_H
#define GST_SGM_WATCH_H

#include "common/pair/pair_watch.h"
#include "gst/base/pairing.h"
#include "gst/stages/sgmstage.h"

G_BEGIN_DECLS

/* Embedded in the element; of its streaming thread but for what is marked. */
typedef struct {
  GstStxPairing *element;
  GstStxStage stage;  /* on the CPU, wherever the element matches */
  guint64 pairs;      /* seen */
  StxPairWatch watch; /* written under the object lock */
  guint64 warnings;   /* under the object lock */
} GstSgmWatch;

/* In instance_init, `start`, `stop`; `reset` begins anew. */
void gst_sgm_watch_init(GstSgmWatch *self, GstStxPairing *element);
void gst_sgm_watch_start(GstSgmWatch *self);
void gst_sgm_watch_stop(GstSgmWatch *self);
void gst_sgm_watch_reset(GstSgmWatch *self);

/* A pair that is about to be matched. Pictures that cannot be read here are left out. */
void gst_sgm_watch_see(GstSgmWatch *self, const GstSgmPair *pair);

/* Under the object lock: the fields pair, pair-rows and pair-warnings. */
void gst_sgm_watch_tell(const GstSgmWatch *self, GstStructure *stats);

G_END_DECLS

#endif
