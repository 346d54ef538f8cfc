/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The GPU behind an element: one context and one stream per pipeline, device memory in buffers.
 * Stages (base/stage.h) use it; only the files of this folder include GstCuda: a build
 * without CUDA has the same functions, and says so when asked for a GPU.
 *
 * Order. All elements of a pipeline enqueue on the one stream of its context, so device buffers
 * pass between them without a wait: what is enqueued later reads what was written before, and
 * memory that goes back to a pool is overwritten only after its last reader. Memory of our pools
 * carries a mark that says so. An input without the mark comes from a foreign element: it is ready
 * when it arrives, and finish waits before it may go back. An output that goes to a foreign element
 * must be ready when it leaves: finish waits too; and such an element may still read what it has
 * given back, on a stream of its own: then the pools wait for it by the default stream. Host maps
 * of device memory need no care: GstCuda copies on the default stream, with which ours is ordered.
 *
 * Threads. What is read and written between start and stop belongs to the streaming thread;
 * gst_stx_cuda_set_context, _query, _offers and _available may be called from any thread.
 */
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include "cuda/stxcuda.h"

#define GST_STX_CUDA_FEATURE "memory:CUDAMemory"

/* Static caps of a pad that takes or gives both kinds of memory: `name` with its fields behind. */
#define GST_STX_CUDA_CAPS(name, fields) name "(" GST_STX_CUDA_FEATURE ")" fields "; " name fields

/*
 * Is there a GPU, and does this build have CUDA? Looked at once per process; the first call loads
 * the driver, which may take a second. FALSE with the reason in `error`. Nothing of GstCuda is
 * called before this was TRUE.
 */
gboolean gst_stx_cuda_available(StxError *error);

/* Device and threads of an element; their properties are in stage.h. */
typedef struct {
  StxBackend backend;
  gint threads;        /* 0: all cores; 1…256 */
  gint cuda_device_id; /* -1: any */
} GstStxRun;

#define GST_STX_RUN_DEFAULTS ((GstStxRun){STX_BACKEND_AUTO, 0, -1})

/* ---- The GPU of an element ----------------------------------------------------------------- */

#define GST_STX_CUDA_BLOCKS 20

typedef struct _GstStxCudaDevice GstStxCudaDevice; /* context, kernels and stream; shared */

/* A piece of memory that only grows, and is freed by stop and fail. */
typedef struct {
  void *data;
  gsize size;
  gboolean host;  /* page-locked */
  void *constant; /* what was uploaded into it, of `size_constant` bytes */
  gsize size_constant;
} GstStxCudaBlock;

typedef struct {
  /* For the element, between start and stop. */
  StxCuda *cuda; /* NULL: on the CPU */
  StxCudaStream stream;

  /* Private. */
  GstElement *element; /* whose part this is */
  const GstStxRun *run;
  const StxImplTable *table;
  GstObject *context; /* GstCudaContext, under the object lock of the element */
  GstStxCudaDevice *device;
  gint failed;                /* atomic: went to the CPU for good, until the next start */
  gboolean foreign_input;     /* of this frame */
  gboolean foreign_neighbour; /* downstream */
  GstStxCudaBlock block[GST_STX_CUDA_BLOCKS];
  StxCudaRing ring;
} GstStxCuda;

/* `run` (read under the object lock) and `table` (an stx_…_cuda_impls) must outlive it. */
void gst_stx_cuda_init(
    GstStxCuda *self, GstElement *element, const GstStxRun *run, const StxImplTable *table);

/*
 * Decides where the element works until stop: `cuda` is set, or NULL for the CPU. FALSE after an
 * element error: backend=cuda, and no GPU or no context; with backend=auto a GPU that is there but
 * cannot be opened gives one line of warning in the log.
 */
gboolean gst_stx_cuda_start(GstStxCuda *self);

/* Waits for what is enqueued and gives everything back. */
void gst_stx_cuda_stop(GstStxCuda *self);

/*
 * Something failed on the GPU. backend=auto: one line of warning with the reason, everything is
 * given back, `cuda` is NULL until the next start, and TRUE: do the frame again on the CPU.
 * backend=cuda: an element error with the reason, and FALSE.
 * Buffers of the element's own pools stay valid; forget the pools and negotiate again.
 */
gboolean gst_stx_cuda_fail(GstStxCuda *self, const StxError *error);

/* ---- Context and caps ---------------------------------------------------------------------- */

/* GstElementClass.set_context, without chaining up. */
void gst_stx_cuda_set_context(GstStxCuda *self, GstContext *context);

/* Answers queries for the context, TRUE if it did. */
gboolean gst_stx_cuda_query_context(GstStxCuda *self, GstQuery *query);

/* Answers queries for the context, and those for the caps of a pad that takes or gives what its
 * template says: with CUDAMemory where the element works on a GPU. TRUE if it did. */
gboolean gst_stx_cuda_query(GstStxCuda *self, GstPad *pad, GstQuery *query);

/* Does (or before start: would) the element work on a GPU, as far as is known? */
gboolean gst_stx_cuda_offers(GstStxCuda *self);

/* `caps` (transfer full) without those in CUDAMemory, unless gst_stx_cuda_offers. */
GstCaps *gst_stx_cuda_filter_caps(GstStxCuda *self, GstCaps *caps);

/*
 * Chooses the memory of the output. `caps` (transfer full, fixed, system memory) come back in
 * CUDAMemory if the element runs on the GPU and the peer of `src` names CUDAMemory for them. An
 * element that takes anything gets system memory: it does not know of CUDA.
 */
GstCaps *gst_stx_cuda_choose_caps(GstStxCuda *self, GstPad *src, GstCaps *caps);

/* Each of `caps` (transfer full, system memory) in CUDAMemory, if gst_stx_cuda_offers, and as it
 * is: for transform_caps. */
GstCaps *gst_stx_cuda_both_caps(GstStxCuda *self, GstCaps *caps);

/* One of these `caps` (transfer full), fixed, in the memory that gst_stx_cuda_choose_caps would
 * take: for fixate_caps. */
GstCaps *gst_stx_cuda_fixate_caps(GstStxCuda *self, GstPad *src, GstCaps *caps);

/* Are the first of these caps in CUDAMemory? */
gboolean gst_stx_cuda_is_caps(const GstCaps *caps);

/* ---- Blocks: the element's own memory ------------------------------------------------------ */

/* Block `index` as device memory or as page-locked host memory of at least `size` bytes, always
 * the same kind per index. The content is lost when it grows. NULL with the reason in `error`. */
void *gst_stx_cuda_block(GstStxCuda *self, guint index, gsize size, StxError *error);
void *gst_stx_cuda_host_block(GstStxCuda *self, guint index, gsize size, StxError *error);

/* Block `index` as device memory that holds these bytes: uploaded only if they changed since the
 * last call. */
void *gst_stx_cuda_constant(
    GstStxCuda *self, guint index, const void *data, gsize size, StxError *error);

/* ---- Buffers ------------------------------------------------------------------------------- */

/* Why a frame cannot be read. */
#define GST_STX_CUDA_LOST "it was in the memory of a GPU that has failed"

/* Is any of the buffer's memory CUDAMemory, of whichever context? */
gboolean gst_stx_cuda_is_on_any(GstBuffer *buffer);

/* Is all of the buffer's memory CUDAMemory of our context? Besides: in one piece; a picture, whose
 * rows go downwards? */
gboolean gst_stx_cuda_is_on_device(const GstStxCuda *self, GstBuffer *buffer);
gboolean gst_stx_cuda_is_bytes(const GstStxCuda *self, GstBuffer *buffer);
gboolean gst_stx_cuda_is_picture(const GstStxCuda *self, GstBuffer *buffer);

/*
 * The address on the device of such a buffer, or of a plane of such a picture, valid as long as the
 * buffer. FALSE with a text in `error` when it cannot be reached or does not fit `info`.
 */
gboolean gst_stx_cuda_map_bytes(
    GstStxCuda *self, GstBuffer *buffer, GstMapFlags access, void **device, StxError *error);
gboolean gst_stx_cuda_map_plane(GstStxCuda *self, GstBuffer *buffer, const GstVideoInfo *info,
    guint plane, GstMapFlags access, void **device, gsize *stride, StxError *error);

/* Enqueues a copy to the device. The host's memory may change when this returns. */
gboolean gst_stx_cuda_upload(GstStxCuda *self, const StxCudaCopy *copy, StxError *error);
gboolean gst_stx_cuda_upload_bytes(
    GstStxCuda *self, void *device, const void *host, gsize size, StxError *error);

/* Copies from the device, after all that is enqueued; waits. */
gboolean gst_stx_cuda_download(GstStxCuda *self, const StxCudaCopy *copy, StxError *error);

/* propose_allocation: what we read may be in CUDAMemory of our stream, and have a GstVideoMeta. */
void gst_stx_cuda_propose(GstQuery *query);

/* decide_allocation: notes whether downstream is one of our elements. */
void gst_stx_cuda_decide(GstStxCuda *self, GstQuery *query);

/*
 * Pools of marked CUDAMemory, configured but not active. _bytes: buffers of `size` contiguous
 * bytes, `caps` may be NULL; only with `shrinks` may a buffer be made smaller (gst_buffer_resize).
 * _video: pictures of `caps`, with a GstVideoMeta. Nothing is allocated before a buffer is
 * acquired. The pools stay usable until their last buffer is back, whatever
 * becomes of the element.
 */
GstBufferPool *gst_stx_cuda_pool_bytes_new(
    GstStxCuda *self, GstCaps *caps, gsize size, gboolean shrinks);
GstBufferPool *gst_stx_cuda_pool_video_new(GstStxCuda *self, GstCaps *caps);

/* End of a frame: waits if an input is foreign, if `pushes_device` and downstream is foreign, or if
 * `download`: what was downloaded is there. */
gboolean gst_stx_cuda_finish(
    GstStxCuda *self, gboolean pushes_device, gboolean download, StxError *error);
