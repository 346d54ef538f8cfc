/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of sat-dp-stixels that works on a GPU. Internal; streaming thread. */
#ifndef GST_SAT_DP_STIXELS_CUDA_H
#define GST_SAT_DP_STIXELS_CUDA_H

#include "gst/gststxcuda.h"

G_BEGIN_DECLS

/* What comes of a frame. Zero it to begin with. */
typedef struct {
  StxStixel *records;  /* of the last frame, device */
  gsize count;         /* of them */
  GstBufferPool *pool; /* of buffers in device memory */
  gsize room;          /* records in each */
} GstSatDpStixelsOutput;

/* Forgets the pool. */
void gst_sat_dp_stixels_output_clear(GstSatDpStixelsOutput *output);

/* The device address of the columns of a frame, or NULL with the reason in `error`. */
const void *gst_sat_dp_stixels_cuda_columns(
    GstStxCuda *cuda, const StxGrid *grid, GstBuffer *buffer, StxError *error);

/* The disparity and weight channels of such columns, on the host: waits for them. */
const void *gst_sat_dp_stixels_cuda_look(
    GstStxCuda *cuda, const StxGrid *grid, const void *columns, StxError *error);

/*
 * Segments the frame and waits for the number of records. `tables` are the host's. With `records`
 * NULL they stay on the device; else it points to them on the host, until the next frame.
 */
gboolean gst_sat_dp_stixels_cuda_segment(GstStxCuda *cuda, GstSatDpStixelsOutput *output,
    const StxSatdpParams *params, const StxSatdpTables *tables, const void *columns,
    StxSatdpCudaResult *result, const StxStixel **records, StxError *error);

/* A buffer of exactly the last frame's records in device memory, of the pool. GST_FLOW_FLUSHING
 * while the pool is shut down. */
GstFlowReturn gst_sat_dp_stixels_cuda_give(
    GstStxCuda *cuda, GstSatDpStixelsOutput *output, GstBuffer **buffer, StxError *error);

G_END_DECLS

#endif
