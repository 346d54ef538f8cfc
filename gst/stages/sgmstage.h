/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Semi-global matching (common/sgm/sgm.h) of a stereo pair in buffers, where a stage works.
 * Pictures without 8-bit luma in their first plane are made gray before (common/luma/luma.h). */
#ifndef GST_SGM_STAGE_H
#define GST_SGM_STAGE_H

#include "common/luma/luma.h"
#include "common/pair/pair_watch.h"
#include "common/sgm/sgm.h"
#include "gst/base/stage.h"
#include "gst/stages/sgmviews.h"

G_BEGIN_DECLS

typedef struct {
  const GstStereoSgmViews *views; /* planned, for buffers like `set` */
  const StxSgmParams *params;
  gint gray_bits;             /* of StxLumaImpl */
  const GstVideoInfo *output; /* of the disparity */
  GstBuffer **set;            /* as GstStxPairingClass.process gets it */
  GstBuffer *disparity;
  GstBuffer *confidence; /* NULL: not wanted */
} GstSgmPair;

/* Fills both outputs, one of the first kind per stage. FALSE with the reason in `error`. */
gboolean gst_sgm_stage_match(GstStxStage *stage, const GstSgmPair *pair, StxError *error);

/* What the pictures of the pair say of it, for a stage that works on the CPU; the outputs are not
 * needed. FALSE with the reason in `error`. */
gboolean gst_sgm_stage_examine(
    GstStxStage *stage, const GstSgmPair *pair, StxPairFinding *finding, StxError *error);

/* The confidence, if there is one, goes with the disparity, which nobody else holds. */
void gst_sgm_stage_attach(const GstSgmPair *pair);

G_END_DECLS

#endif
