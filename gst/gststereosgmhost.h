/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of stereo-sgm that works on the CPU. Internal; streaming thread. */
#ifndef GST_STEREO_SGM_HOST_H
#define GST_STEREO_SGM_HOST_H

#include "gst/gststereosgmplan.h"
#include "gst/gststxutil.h"

G_BEGIN_DECLS

/* Zero it to begin with. */
typedef struct {
  const StxSgmImpl *impl;
  gint threads;
  GstStxScratch scratch;
} GstStereoSgmHost;

/* Picks the implementation and its memory. FALSE after an element error. */
gboolean gst_stereo_sgm_host_plan(
    GstStereoSgmHost *self, GstElement *element, const GstStxRun *run, const StxSgmParams *params);

/*
 * Matches a set of buffers (GstStxPairingClass.process) into the writable buffers `disparity` and
 * `confidence` (NULL: not wanted), whatever memory they have. FALSE after an element error.
 */
gboolean gst_stereo_sgm_host_run(GstStereoSgmHost *self, GstElement *element,
    const GstStereoSgmPlan *plan, GstBuffer **set, GstBuffer *disparity, GstBuffer *confidence);

void gst_stereo_sgm_host_clear(GstStereoSgmHost *self);

G_END_DECLS

#endif
