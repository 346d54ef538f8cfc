/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstStxCudaPool: buffers of one marked GstCudaMemory. Internal to gst/cuda. */
#ifndef GST_STX_CUDA_POOL_PRIVATE_H
#define GST_STX_CUDA_POOL_PRIVATE_H

#include "gst/cuda/cudadevice_private.h"

G_BEGIN_DECLS

#define GST_TYPE_STX_CUDA_POOL (gst_stx_cuda_pool_get_type())
G_DECLARE_FINAL_TYPE(GstStxCudaPool, gst_stx_cuda_pool, GST, STX_CUDA_POOL, GstBufferPool)

/* Configured for buffers of `size` contiguous bytes, with `caps` (may be NULL); `video` (may be
 * NULL) adds a GstVideoMeta with its offsets and strides. `shrinks`: whoever acquires a buffer may
 * make it smaller. Holds a reference on the device, as do its buffers through it. */
GstBufferPool *gst_stx_cuda_pool_new(GstStxCudaDevice *device, GstCaps *caps, gsize size,
    const GstVideoInfo *video, gboolean shrinks);

G_END_DECLS

#endif
