/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of stereo-sgm that works on a GPU. Internal; streaming thread. */
#ifndef GST_STEREO_SGM_CUDA_H
#define GST_STEREO_SGM_CUDA_H

#include "gst/gststereosgmplan.h"
#include "gst/gststxcuda.h"

G_BEGIN_DECLS

/*
 * Matches a set of buffers (GstStxPairingClass.process) into a new buffer of `pool` and one of
 * `confidence_pool` (else *confidence stays NULL). GST_FLOW_ERROR with the reason in `error`, and
 * nothing is posted; GST_FLOW_FLUSHING while a pool is shut down. Without success both are NULL.
 */
GstFlowReturn gst_stereo_sgm_cuda_run(GstStxCuda *cuda, const GstStereoSgmPlan *plan,
    GstBuffer **set, GstBuffer **disparity, GstBuffer **confidence, StxError *error);

G_END_DECLS

#endif
