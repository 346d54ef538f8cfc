/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files of gst/cuda only: the library, devices, pools. */
#pragma once

#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

#include "common/stx.h"
#include "cuda/stxcuda.h"

/* ---- The library ----------------------------------------------------------------------------- */

/*
 * GstCuda (libgstcuda-1.0), opened at run time like the driver: the plugin loads where it is not
 * installed, and it drags in OpenGL and a display's libraries only where there is a GPU. Its
 * headers give the types.
 */

/*
 * The plugin runs with another version of the library than it was built with, so what changed has
 * its types here, and cudalib.c has the compiler compare them with the headers that it is given.
 * 1.24 brought streams of memories, and with them gst_cuda_memory_sync.
 */
struct _GstCudaStream;
typedef GstMemory *(*GstStxCudaAlloc122)(
    GstCudaAllocator *, GstCudaContext *, const GstVideoInfo *info);
typedef GstMemory *(*GstStxCudaAlloc124)(
    GstCudaAllocator *, GstCudaContext *, struct _GstCudaStream *, const GstVideoInfo *info);
typedef void (*GstStxCudaSync124)(GstCudaMemory *);

typedef struct {
  __typeof__(gst_cuda_load_library) *load_library;
  __typeof__(CuInit) *init;
  __typeof__(gst_cuda_memory_init_once) *memory_init_once;
  __typeof__(gst_cuda_ensure_element_context) *ensure_element_context;
  __typeof__(gst_cuda_handle_set_context) *handle_set_context;
  __typeof__(gst_cuda_handle_context_query) *handle_context_query;
  __typeof__(gst_cuda_context_get_handle) *context_get_handle;
  __typeof__(gst_is_cuda_memory) *is_cuda_memory;
  gpointer allocator_alloc;      /* see gst_stx_cuda_lib_alloc */
  GstStxCudaSync124 memory_sync; /* NULL before 1.24: memory is always ready */
} GstStxCudaLib;

/*
 * The library with its driver, looked for once per process. NULL with the reason in `error`. This
 * is the gate: on GstCuda 1.22 most functions abort after gst_cuda_load_library () failed, and
 * gst_cuda_context_new () never returns from its second call after cuInit () did.
 */
const GstStxCudaLib *gst_stx_cuda_lib(StxError *error);

/* The same without a second look; NULL without a look, or after a vain one. */
const GstStxCudaLib *gst_stx_cuda_lib_peek(void);

/* Device memory for one picture, or NULL. The caller vouches for a format that GstCuda lists: it
 * aborts otherwise. */
GstMemory *gst_stx_cuda_lib_alloc(
    const GstStxCudaLib *lib, GstCudaContext *context, const GstVideoInfo *info);

/* ---- Devices --------------------------------------------------------------------------------- */

/*
 * A GstCudaContext with our kernels and the one stream on which all our elements that share the
 * context enqueue.
 */

typedef struct _GstStxCudaDevice GstStxCudaDevice;

/* Counted references. A holder may use all of it, from any thread. */
struct _GstStxCudaDevice {
  guint references; /* under the lock of cudadevice.c */
  const GstStxCudaLib *lib;
  GstCudaContext *context;
  StxCuda *cuda;
  StxCudaStream stream;
  gint foreign; /* atomic: an element of another plugin has had memory of our pools */
};

/* The device of a context, made if there is none yet: a new reference. NULL with the reason. */
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

/* ---- Pools ----------------------------------------------------------------------------------- */

/* GstStxCudaPool: buffers of one marked GstCudaMemory. */

#define GST_TYPE_STX_CUDA_POOL (gst_stx_cuda_pool_get_type())
G_DECLARE_FINAL_TYPE(GstStxCudaPool, gst_stx_cuda_pool, GST, STX_CUDA_POOL, GstBufferPool)

/* Configured for buffers of `size` contiguous bytes, with `caps` (may be NULL); `video` (may be
 * NULL) adds a GstVideoMeta with its offsets and strides. `shrinks`: the user of a buffer may
 * make it smaller. Holds a reference on the device, as do its buffers through it. */
GstBufferPool *gst_stx_cuda_pool_new(GstStxCudaDevice *device, GstCaps *caps, gsize size,
    const GstVideoInfo *video, gboolean shrinks);
