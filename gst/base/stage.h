/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GstStxStage: where and how an element computes. Every element that computes has one; it is the
 * only place that knows whether that is on the GPU, and the only one that goes over to the CPU.
 *
 * The element writes its work once, for memory "where the stage works": inputs come from
 * gst_stx_stage_read and _picture, outputs go through gst_stx_stage_write and _picture, memory of
 * its own comes from gst_stx_stage_block; then it calls the run function of an implementation
 * that gst_stx_stage_impl gives it, with stage->place. On the CPU these map buffers and allocate;
 * on the GPU they find device memory, upload, and download at the end.
 *
 * Failure. `prepare` and `work` return a GstFlowReturn:
 *   GST_FLOW_OK     done
 *   GST_FLOW_ERROR  why stands in the StxError, and nothing has been posted. Without a kind it is
 *                   STREAM, FORMAT from `prepare` and STREAM, FAILED from `work`
 *   another one     passed on as it is: FLUSHING while the pipeline stops, NOT_NEGOTIATED after
 *                   the reason was posted; GST_BASE_TRANSFORM_FLOW_DROPPED below
 * If `work` fails on the GPU, gst_stx_stage_run leaves it: with backend=auto one line of warning
 * in the log, caps and pools go to system memory, and the frame is worked on again, not prepared
 * again, on the CPU, as are all that follow; with backend=cuda an element error. What fails on the
 * CPU is posted as an element error.
 *
 * When a GPU fails for good, its memory is lost. A frame of which an input lay there is given up:
 * gst_stx_stage_run returns GST_BASE_TRANSFORM_FLOW_DROPPED, after one element warning until the
 * next start, and the base class sends a gap in its place.
 *
 * Slots number the memory of a stage: 0 … GST_STX_STAGE_SLOTS − 1, named by an enum of the
 * element. A slot is used for one purpose: a block, an input, an output, …; a picture of n planes
 * takes n slots. Blocks keep their content from frame to frame as long as they do not grow and the
 * stage does not leave the GPU; pointers into buffers are good until the frame's end.
 *
 * Threads. Everything belongs to the streaming thread, except what is marked "any thread".
 */
#pragma once

#include <gst/video/video.h>

#include "common/colour/colour.h"
#include "common/stx.h"
#include "gst/core/memory.h"
#include "gst/core/properties.h"
#include "gst/cuda/cuda.h"
#include "gst/stixels/confidencemeta.h"

/* The group (properties.h) of an element whose GstStxRun is `member`. */
extern const StxFields gst_stx_run_fields;
#define GST_STX_RUN_PROPERTIES(Element, member)                                                    \
  {                                                                                                \
    &gst_stx_run_fields, offsetof(Element, member), GST_PARAM_MUTABLE_READY, "GstStx"              \
  }

#define GST_STX_STAGE_SLOTS GST_STX_CUDA_BLOCKS

/*
 * host, device  the implementations of the stage's stem: stx_…_impls, stx_…_cuda_impls, or NULL
 *
 * prepare (optional)
 *   Before the work on every frame: checks it, and brings caps, pools and settings into line with
 *   it. What it fails with is an element error in any case.
 *
 * work
 *   One frame, where the stage works. What an earlier try has left in the frame is dropped; so is
 *   what is left after a failure, by the caller of gst_stx_stage_run.
 *
 * wants_device (optional)
 *   Is this frame worth the GPU? Without it every frame is.
 *
 * renegotiate (of the base class)
 *   The stage has left the GPU, and outputs were in CUDAMemory: caps and pools for system memory.
 */
typedef struct {
  const StxImplTable *host, *device;
  GstFlowReturn (*prepare)(GstElement *element, gpointer frame, StxError *error);
  GstFlowReturn (*work)(GstElement *element, gpointer frame, StxError *error);
  gboolean (*wants_device)(GstElement *element, gpointer frame);
  gboolean on_host; /* works on the CPU, also on what lies on the GPU */
  GstFlowReturn (*renegotiate)(GstElement *element);
} GstStxStageClass;

/* Memory of one slot. Private. */
typedef struct {
  GstStxScratch host; /* its block on the CPU */

  /* The current frame's. */
  GstBuffer *buffer; /* that is mapped; NULL: none. Not a reference */
  gboolean is_frame; /* `frame` holds the map, else `map` */
  gboolean clears;   /* it is written as a whole: the padding, too */
  GstMapInfo map;
  GstVideoFrame frame;
  StxCudaCopy download; /* at the frame's end, unless its rows are 0 */
} GstStxStageSlot;

typedef struct {
  StxPlace place;         /* of this frame */
  gboolean on_device;     /* … which is on the GPU */
  gboolean device_output; /* outputs leave in CUDAMemory, as was negotiated */

  /* Private. */
  const GstStxStageClass *klass;
  GstElement *element;
  GstStxRun properties; /* backend, threads, cuda-device-id, under the object lock; set by
                           GST_STX_RUN_PROPERTIES of the base class */
  GstStxRun run;        /* the same as start found them */
  GstStxCuda cuda;
  GstStxStageSlot slot[GST_STX_STAGE_SLOTS];
  struct {
    GstBufferPool *pool;
    gsize room;        /* bytes of its buffers */
  } growing[2];        /* of gst_stx_stage_new_output, on the GPU: by `attached` */
  gboolean gives;      /* this frame's output is in CUDAMemory */
  gboolean awaits;     /* something was brought and not yet waited for */
  gboolean gpu_lost;   /* this frame's GPU has failed for good */
  gboolean input_lost; /* this frame could not be read, since it lay on a GPU */
  guint lost;          /* such frames in a row */
  gboolean told_lost;  /* … and that there are any */
} GstStxStage;

/* ---- Life ---------------------------------------------------------------------------------- */

/* Initializes the stage; call it in `constructed`. */
void gst_stx_stage_init(GstStxStage *self, GstElement *element, const GstStxStageClass *klass);

/* Decides where the element works until stop. FALSE after an element error: there is no such
 * backend here. Stop, also in finalize, waits for what is enqueued and gives everything back. */
gboolean gst_stx_stage_start(GstStxStage *self);
void gst_stx_stage_stop(GstStxStage *self);

/* The part of gst_stx_stage_run for a frame whose input is lost, for earlier callers. */
GstFlowReturn gst_stx_stage_leave_out(GstStxStage *self, const StxError *error);

/* Prepares, and works on, one frame; see above. GST_FLOW_ERROR after an element error. */
GstFlowReturn gst_stx_stage_run(GstStxStage *self, gpointer frame);

/* ---- What to run, and where ---------------------------------------------------------------- */

/* The implementation of the stage's own stem where the frame is worked on, and one of another
 * stem; NULL with the reason in `error` if the latter has none. */
gconstpointer gst_stx_stage_impl(const GstStxStage *self);
gconstpointer gst_stx_stage_impl_of(
    const GstStxStage *self, const StxImplTable *host, const StxImplTable *device, StxError *error);

/* Does the element work on the GPU, wanting frames or not? The name of what works, for the log. */
gboolean gst_stx_stage_has_device(const GstStxStage *self);
const gchar *gst_stx_stage_impl_name(const GstStxStage *self);

/* ---- Memory -------------------------------------------------------------------------------- */

/* At least `size` bytes, aligned to STX_ALIGN. NULL with the reason in `error`. */
void *gst_stx_stage_block(GstStxStage *self, guint slot, gsize size, StxError *error);

/* These bytes: on the GPU a copy, made when they have changed. NULL with the reason in `error`. */
const void *gst_stx_stage_constant(
    GstStxStage *self, guint slot, const void *data, gsize size, StxError *error);

/* The same for what is too large to be compared at every frame: on the GPU a copy, made when *copy,
 * where the last one is, is another; NULL there says that the bytes have changed. */
const void *gst_stx_stage_table(GstStxStage *self, guint slot, const void *data, gsize size,
    const void **copy, StxError *error);

/*
 * `size` bytes of memory where the stage works, on the host, once gst_stx_stage_wait has returned
 * TRUE; good as long as the slot and `data` are. NULL with the reason in `error`.
 */
const void *gst_stx_stage_bring(
    GstStxStage *self, guint slot, const void *data, gsize size, StxError *error);
gboolean gst_stx_stage_wait(GstStxStage *self, StxError *error);

/* Returns the ring for small records, up and down, of a GPU stage that waits in its midst. */
StxCudaRing *gst_stx_stage_ring(GstStxStage *self);

/* ---- Buffers ------------------------------------------------------------------------------- */

/*
 * The bytes of an input, aligned to 4; `what`, in front of the error, says which ("" for the only
 * one). FALSE with the reason in `error` if it has fewer than `size`, or cannot be read.
 */
gboolean gst_stx_stage_read(GstStxStage *self, guint slot, const gchar *what, GstBuffer *buffer,
    gsize size, const void **data, StxError *error);

/* Memory for `size` bytes of an output; they are in the buffer when the frame has ended. */
gboolean gst_stx_stage_write(
    GstStxStage *self, guint slot, GstBuffer *buffer, gsize size, void **data, StxError *error);

/*
 * The first `planes` planes of a picture: to be read, written, or both; see above. On the GPU
 * strides are positive. FALSE with the reason in `error` if the buffer does not fit `info`.
 */
gboolean gst_stx_stage_picture(GstStxStage *self, guint slot, const gchar *what, GstBuffer *buffer,
    const GstVideoInfo *info, guint planes, GstMapFlags access, StxFrame *picture, StxError *error);

/* The first plane of a picture that is read, as 8-bit samples. */
gboolean gst_stx_stage_image8(GstStxStage *self, guint slot, const gchar *what, GstBuffer *buffer,
    const GstVideoInfo *info, StxImage8 *image, StxError *error);

/* Makes gray of a picture of `info` whose first plane is `image`, unless that is gray; of so many
 * bits, 0 for 8 (luma.h). */
gboolean gst_stx_stage_gray(GstStxStage *self, guint scratch_slot, guint slot,
    const GstVideoInfo *info, gint bits, StxImage8 *image, StxError *error);

/* The confidences of a map of this size. FALSE with the reason in `error`, also if the meta is of
 * another one. */
gboolean gst_stx_stage_confidence(GstStxStage *self, guint slot, const GstStxConfidenceMeta *meta,
    gint width, gint height, StxImage8 *image, StxError *error);

/* Is all of the buffer's memory of the stage's GPU? */
gboolean gst_stx_stage_owns(const GstStxStage *self, GstBuffer *buffer);

/* A buffer of `pool` (which is made active): GST_FLOW_ERROR with the reason in `error` when there
 * is no memory. */
GstFlowReturn gst_stx_stage_acquire(
    GstStxStage *self, GstBufferPool *pool, GstBuffer **buffer, StxError *error);

/* A buffer of exactly `size` bytes in the memory of outputs. On the GPU of a pool whose buffers
 * grow in powers of two, so that it is replaced a few times in a stream, not at every frame. On
 * the CPU of the allocator that downstream offers, unless it is `attached` to what goes there. */
GstFlowReturn gst_stx_stage_new_output(
    GstStxStage *self, gsize size, gboolean attached, GstBuffer **buffer, StxError *error);

/* `size` bytes of host memory into an output in system memory. */
gboolean gst_stx_stage_fill(
    GstStxStage *self, GstBuffer *buffer, const void *data, gsize size, StxError *error);

/* `size` bytes from memory where the stage works into an output. */
gboolean gst_stx_stage_copy(GstStxStage *self, guint slot, GstBuffer *buffer, const void *data,
    gsize size, StxError *error);

/* ---- Allocation: what base classes pass on -------------------------------------------------- */

/* decide_allocation: notes what downstream is and in which memory outputs go there. */
void gst_stx_stage_decide(GstStxStage *self, GstQuery *query);

/* A pool for buffers of `size` contiguous bytes: configured, not active. `query` is NULL for what
 * is attached to outputs. */
GstBufferPool *gst_stx_stage_bytes_pool(GstStxStage *self, GstQuery *query, gsize size);

/* decide_allocation, after gst_stx_stage_decide: such a pool, or one for pictures. */
gboolean gst_stx_stage_take_bytes_pool(GstStxStage *self, GstQuery *query, gsize size);
gboolean gst_stx_stage_take_video_pool(GstStxStage *self, GstQuery *query);

/* ---- Of stage.c and stagememory.c alone ----------------------------------------------------- */

/* The frame's work has come to `flow`: brings what was written to where it belongs, waits if
 * a foreign element might not, and lets go of the frame's buffers. Returns what came of it all. */
GstFlowReturn gst_stx_stage_end_frame(GstStxStage *self, GstFlowReturn flow, StxError *error);

/* Forgets what is on the GPU, which is left, and all memory. */
void gst_stx_stage_leave_device(GstStxStage *self);
void gst_stx_stage_free_memory(GstStxStage *self);
