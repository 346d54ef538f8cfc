/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records of a segmentation on their way out. A frame has far fewer of them than cells: room for
 * the worst frame, one per cell, is kept once, here, and buffers have exactly the records of their
 * frame, so that a long queue of them stays small. Internal; streaming thread.
 */
#ifndef GST_STX_RECORDS_H
#define GST_STX_RECORDS_H

#include <gst/base/gstbasetransform.h>

#include "gst/gststxcuda.h"

G_BEGIN_DECLS

/* Blocks of the GstStxCuda that are used here: this many from the first one on. */
#define GST_STX_RECORDS_BLOCKS 4

/* Zero it to begin with, but for `first`. */
typedef struct {
  guint first;         /* block */
  GstStxScratch host;  /* room for the worst frame, on the CPU */
  StxStixel *device;   /* the same on the GPU */
  gsize count;         /* records of the last frame, on the GPU */
  GstBufferPool *pool; /* of buffers in device memory */
  gsize room;          /* records in each */
} GstStxRecords;

/* Forgets what belongs to the GPU, and all of it. */
void gst_stx_records_leave_device(GstStxRecords *self);
void gst_stx_records_clear(GstStxRecords *self);

/* ---- On the CPU ---------------------------------------------------------------------------- */

/* Room for the worst frame of this grid in `host`. */
gboolean gst_stx_records_reserve(GstStxRecords *self, const StxGrid *grid, StxError *error);

/* A buffer in system memory with a copy of these records, of the transform's allocator; NULL after
 * an element error. */
GstBuffer *gst_stx_records_buffer(GstBaseTransform *base, const StxStixel *records, gsize count);

/* ---- On the GPU ---------------------------------------------------------------------------- */

/* What a stage tells of a frame besides records: `size` bytes, the number of records among them as
 * a uint32_t. */
typedef struct {
  gsize size, count_offset;
} GstStxRecordsResult;

/* Room for the worst frame in `device`, and *result for such a result. */
gboolean gst_stx_records_reserve_device(GstStxRecords *self, GstStxCuda *cuda, const StxGrid *grid,
    const GstStxRecordsResult *layout, void **result, StxError *error);

/*
 * Waits for the result of what was enqueued, copies it to `host` and fills in `count`. With
 * `records` NULL these stay on the device; else it points to them on the host, until the next
 * frame.
 */
gboolean gst_stx_records_fetch(GstStxRecords *self, GstStxCuda *cuda, const StxGrid *grid,
    const GstStxRecordsResult *layout, const void *result, void *host, const StxStixel **records,
    StxError *error);

/* A buffer of exactly the last frame's records in device memory, of the pool. GST_FLOW_FLUSHING
 * while the pool is shut down. */
GstFlowReturn gst_stx_records_give(
    GstStxRecords *self, GstStxCuda *cuda, GstBuffer **buffer, StxError *error);

G_END_DECLS

#endif
