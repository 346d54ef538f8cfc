/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The work of lidar-ground on a scan: from a buffer of points to one of labels, on the CPU or the
 * GPU. Internal; streaming thread.
 */
#ifndef GST_LIDAR_LABELLER_H
#define GST_LIDAR_LABELLER_H

#include <gst/base/gstbasetransform.h>

#include "gst/gststxcuda.h"
#include "gst/gststxground.h"

G_BEGIN_DECLS

#define GST_STX_POINT_BYTES (4 * sizeof(float))

typedef struct {
  GstElement *element; /* whose part this is */
  GstStxCuda *cuda;
  GstStxRun run;

  const StxGroundImpl *impl; /* on the CPU */
  int threads;
  GstStxScratch scratch;

  gboolean device_output; /* labels leave in CUDAMemory */
  GstBufferPool *pool;    /* of such buffers, */
  gsize room;             /*   each for so many labels */
} GstLidarLabeller;

void gst_lidar_labeller_init(GstLidarLabeller *self, GstElement *element, GstStxCuda *cuda);

/* Begins a stream. FALSE with the reason in `error`. */
gboolean gst_lidar_labeller_configure(
    GstLidarLabeller *self, const GstStxRun *run, gboolean device_output, StxError *error);

/* Frees what the stream needed. */
void gst_lidar_labeller_stop(GstLidarLabeller *self);

/*
 * Labels the points of `input` in a new buffer without time stamps. `result` is filled in only if
 * `wanted`. If the GPU fails, the CPU does the scan; then self->device_output is FALSE.
 * GST_FLOW_ERROR after an element error; GST_FLOW_FLUSHING while the pipeline stops.
 */
GstFlowReturn gst_lidar_labeller_run(GstLidarLabeller *self, const StxGroundParams *params,
    GstBuffer *input, gboolean wanted, StxGroundResult *result, GstBuffer **labels);

G_END_DECLS

#endif
