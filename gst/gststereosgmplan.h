/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the two ways of stereo-sgm to match a pair, gststereosgmhost.h and gststereosgmcuda.h, are
 * told. Internal. */
#ifndef GST_STEREO_SGM_PLAN_H
#define GST_STEREO_SGM_PLAN_H

#include "common/sgm.h"
#include "gst/gststereosgmviews.h"

G_BEGIN_DECLS

/* What stays the same from pair to pair. */
typedef struct {
  GstStereoSgmViews *views; /* planned */
  const StxSgmParams *params;
  const GstVideoInfo *output;     /* of the disparity */
  GstBufferPool *pool;            /* of the disparity */
  GstBufferPool *confidence_pool; /* NULL: no confidence */
  gboolean device_output;         /* the pools are those of gststxcuda.h, else host memory */
} GstStereoSgmPlan;

G_END_DECLS

#endif
