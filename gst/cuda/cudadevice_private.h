/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A GstCudaContext with our kernels and the one stream on which all our elements that share the
 * context enqueue. Internal to gst/cuda.
 */
#ifndef GST_STX_CUDA_DEVICE_PRIVATE_H
#define GST_STX_CUDA_DEVICE_PRIVATE_H

#include "cuda/stxcuda.h"
#include "gst/cuda/cudalib_private.h"

G_BEGIN_DECLS

typedef struct _GstStxCudaDevice GstStxCudaDevice;

/* Counted references. Whoever holds one may use all of it, from any thread. */
struct _GstStxCudaDevice {
  guint references; /* under the lock of cudadevice.c */
  const GstStxCudaLib *lib;
  GstCudaContext *context;
  StxCuda *cuda;
  StxCudaStream stream;
};

/* The device of a context, made if nobody has it: a new reference. NULL with the reason. */
GstStxCudaDevice *gst_stx_cuda_device_get(GstCudaContext *context, StxError *error);

GstStxCudaDevice *gst_stx_cuda_device_ref(GstStxCudaDevice *device);
/* The last one waits for what is enqueued, and unloads the kernels. */
void gst_stx_cuda_device_unref(GstStxCudaDevice *device);

/* Whatever is done with this memory is done on the stream of its context's device. Only for memory
 * that no foreign element allocates: its pool would write it again on another stream. */
void gst_stx_cuda_memory_mark(GstMemory *memory);
gboolean gst_stx_cuda_memory_is_marked(GstMemory *memory);

/* Is this memory of the device's context? */
gboolean gst_stx_cuda_device_owns(const GstStxCudaDevice *device, GstMemory *memory);

G_END_DECLS

#endif
