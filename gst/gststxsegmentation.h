/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GstStxSegmentation: base class of the elements that cut columns into stixels. It brings the pads,
 * the caps, the choice between CPU and GPU and the way from one to the other, and the buffers; the
 * element has its parameters and calls its stage.
 *
 * Properties it brings: backend, threads, cuda-device-id. Ids of the element's own properties are
 * free of those, as gststxutil.h says.
 */
#ifndef GST_STX_SEGMENTATION_H
#define GST_STX_SEGMENTATION_H

#include <gst/base/gstbasetransform.h>

#include "common/camera.h"
#include "gst/gststxcuda.h"
#include "gst/gststxrecords.h"

G_BEGIN_DECLS

/* Blocks of the GstStxCuda that the element may use: from this one on. */
#define GST_STX_SEGMENTATION_BLOCK (1 + GST_STX_RECORDS_BLOCKS)

/* run_device: the GPU failed, and why stands in the StxError. */
#define GST_STX_FLOW_GPU_FAILED GST_FLOW_CUSTOM_ERROR

/* What an element knows of the stream, on the streaming thread. */
typedef struct {
  StxGrid grid;
  StxCamera camera; /* what counts; all 0: unknown */
  GstStxRun run;    /* the properties as the stream found them */
  int threads;      /* on the CPU */
  GstStxCuda *cuda;
} GstStxColumnStream;

#define GST_TYPE_STX_SEGMENTATION (gst_stx_segmentation_get_type())
G_DECLARE_DERIVABLE_TYPE(
    GstStxSegmentation, gst_stx_segmentation, GST, STX_SEGMENTATION, GstBaseTransform)

/*
 * rows_max      cells in a column, at most
 * device_impls  what runs on the GPU
 * result        how run_host and run_device tell what came of a frame
 *
 * camera (optional)
 *   The camera that counts for a stream of these caps, under the object lock. Without it the one
 *   in the caps. It goes downstream.
 *
 * take_settings
 *   Copies what the user has set, under the object lock: before every frame and `configure`.
 *
 * configure
 *   A stream begins: checks what was set. FALSE refuses it, with the reason in `error`.
 *
 * choose_host
 *   The stream begins on the CPU, or goes on there: the implementation that does, or NULL with the
 *   reason in `error`.
 *
 * run_host
 *   Segments the columns of a frame. `records` has room for one per cell; `result` is all 0.
 *   GST_FLOW_ERROR after an element error.
 *
 * run_device
 *   Enqueues the same on the GPU: the pointers are the device's, and result is not cleared. May
 *   wait. GST_STX_FLOW_GPU_FAILED, with the reason in `error`, GST_FLOW_ERROR after an element
 *   error. What failed is done again by run_host, on the same frame.
 *
 * post
 *   A frame is done. `result` is on the host.
 *
 * free_memory
 *   The stream has ended, or the element (then after its finalize).
 *
 * Of GstBaseTransformClass an element may set start, stop and sink_event, which chain up.
 */
struct _GstStxSegmentationClass {
  GstBaseTransformClass parent_class;

  int rows_max;
  const StxImplTable *device_impls;
  GstStxRecordsResult result;

  StxCamera (*camera)(GstStxSegmentation *self, const GstCaps *caps);
  void (*take_settings)(GstStxSegmentation *self);
  gboolean (*configure)(GstStxSegmentation *self, StxError *error);
  const StxImplInfo *(*choose_host)(GstStxSegmentation *self, StxError *error);
  GstFlowReturn (*run_host)(GstStxSegmentation *self, GstBuffer *frame, const void *columns,
      StxStixel *records, void *result);
  GstFlowReturn (*run_device)(GstStxSegmentation *self, GstBuffer *frame, const void *columns,
      StxStixel *records, void *result, StxError *error);
  void (*post)(GstStxSegmentation *self, GstBuffer *frame, const void *result);
  void (*free_memory)(GstStxSegmentation *self);
};

/* The element's stream; the same pointer all its life. */
const GstStxColumnStream *gst_stx_segmentation_stream(GstStxSegmentation *self);

G_END_DECLS

#endif
