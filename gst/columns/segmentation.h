/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GstStxSegmentation: base class of the elements that cut columns into stixels. It brings the pads,
 * the caps and the buffers; the element has its parameters and calls its stage.
 *
 * Frames have far fewer records than cells: memory for the worst frame, one per cell, is kept once,
 * where the stage works, and buffers have exactly the records of their frame, so that a long queue
 * of them stays small.
 */
#pragma once

#include "common/camera.h"
#include "common/columns.h"
#include "gst/base/transform.h"

/* Slots of the stage that the element may use: from this one on. */
#define GST_STX_SEGMENTATION_SLOT 9

/* The state of the stream, on the streaming thread. */
typedef struct {
  StxGrid grid;
  StxCamera camera;   /* of the caps; all 0: unknown */
  gboolean sky_known; /* GST_STX_SKY_FIELD */
} GstStxColumnStream;

#define GST_TYPE_STX_SEGMENTATION (gst_stx_segmentation_get_type())
G_DECLARE_DERIVABLE_TYPE(
    GstStxSegmentation, gst_stx_segmentation, GST, STX_SEGMENTATION, GstStxTransform)

/*
 * rows_max      cells in a column, at most
 * result_size   bytes of the stem's result for a frame, such as StxSatdpResult
 * count_offset  offset in it of the number of records, a uint32_t
 *
 * take_settings
 *   Copies what the user has set, under the object lock: before every frame and `configure`.
 *
 * configure
 *   A stream begins: checks what was set. FALSE refuses it, with the reason in `error`.
 *
 * segment
 *   Segments the columns of a frame where the stage works: all three pointers are there. `records`
 *   holds one per cell. GST_FLOW_ERROR with the reason in `error`, as in stage.h.
 *
 * remember
 *   Keeps what the next frame needs of a frame's records, on the host. NULL: it needs none.
 *
 * post
 *   A frame is done. `result` is on the host.
 *
 * An element may set start, stop and sink_event of GstBaseTransformClass, which chain up.
 */
struct _GstStxSegmentationClass {
  GstStxTransformClass parent_class;

  int rows_max;
  gsize result_size, count_offset;

  void (*take_settings)(GstStxSegmentation *self);
  gboolean (*configure)(GstStxSegmentation *self, StxError *error);
  GstFlowReturn (*segment)(GstStxSegmentation *self, GstBuffer *frame, const void *columns,
      StxStixel *records, void *result, StxError *error);
  void (*remember)(GstStxSegmentation *self, const StxStixel *records, gsize count);
  void (*post)(GstStxSegmentation *self, GstBuffer *frame, const void *result);
};

/* The element's stream, and its stage; the same pointers all its life. */
const GstStxColumnStream *gst_stx_segmentation_stream(GstStxSegmentation *self);
/* The carrier's cells in every column (satdp_carrier.h), of the stream's grid: the base takes them
 * out of frames and puts it into the records. Takes the array; NULL: there is none. */
void gst_stx_segmentation_set_carrier(GstStxSegmentation *self, guint16 *cells);

#define gst_stx_segmentation_stage(self) gst_stx_transform_stage(GST_STX_TRANSFORM(self))
