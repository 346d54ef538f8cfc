/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of downsample-transpose that works on a GPU. Internal; streaming thread. */
#ifndef GST_DOWNSAMPLE_TRANSPOSE_CUDA_H
#define GST_DOWNSAMPLE_TRANSPOSE_CUDA_H

#include "gst/gststxcellinput.h"
#include "gst/gststxcuda.h"

G_BEGIN_DECLS

/* What stays the same from frame to frame. */
typedef struct {
  const GstStxCellCaps *caps;
  const StxColmeanParams *params;
  const StxColmeanTables *tables;
  const StxColmeanInput *layout; /* its strides of scores */
} GstDownsampleTransposePlan;

/*
 * Reduces a set of buffers (gststxcellinput.h) into a new buffer of `pool`: in device memory if it
 * is one of gst_stx_cuda_pool_bytes_new, else downloaded. GST_FLOW_ERROR with the reason in
 * `error`, and nothing is posted; GST_FLOW_FLUSHING while the pool is shut down.
 */
GstFlowReturn gst_downsample_transpose_cuda_run(GstStxCuda *cuda,
    const GstDownsampleTransposePlan *plan, GstBuffer **set, GstBufferPool *pool,
    gboolean device_output, GstBuffer **out, StxError *error);

G_END_DECLS

#endif
