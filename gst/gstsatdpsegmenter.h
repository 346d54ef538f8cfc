/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The work of sat-dp-stixels on a frame: from buffers and properties to common/satdp.h, on the CPU
 * or the GPU, and back. Internal; everything here belongs to the streaming thread.
 */
#ifndef GST_SAT_DP_SEGMENTER_H
#define GST_SAT_DP_SEGMENTER_H

#include <gst/base/gstbasetransform.h>

#include "gst/gstsatdpstixelscuda.h"
#include "gst/gststxroad.h"
#include "gst/gststxsatdp.h"

G_BEGIN_DECLS

typedef struct {
  GstBaseTransform *base; /* whose part this is */
  GstStxCuda *cuda;
  GstStxRun run;
  StxSatdpParams params; /* the settings of this frame and the grid of this stream */
  StxCamera camera;
  GstStxGround ground;
  GstStxRoad road;
  gboolean restart; /* the next frame does not follow the one before */
  gboolean warned;  /* that there is no road */
  StxSatdpTables *tables;
  GstStxScratch road_scratch;

  /* On the GPU. */
  gboolean device_output; /* stixels leave in CUDAMemory */
  GstSatDpStixelsOutput output;

  /* On the CPU. */
  const StxSatdpImpl *impl;
  int threads;
  GstStxScratch scratch;
  GstStxScratch records; /* the stixels of the worst frame: one per cell */
} GstSatDpSegmenter;

void gst_sat_dp_segmenter_init(GstSatDpSegmenter *self, GstBaseTransform *base, GstStxCuda *cuda);
void gst_sat_dp_segmenter_clear(GstSatDpSegmenter *self);

/* Begins a stream. FALSE with a text in `error` when parameters are out of range, there is no
 * memory, or the camera lacks what ground=calibration needs. */
gboolean gst_sat_dp_segmenter_configure(GstSatDpSegmenter *self,
    const GstStxSatdpSettings *settings, const GstStxRun *run, const StxGrid *grid,
    const StxCamera *camera, gboolean device_output, StxError *error);

/* The next frame does not follow the one before. */
void gst_sat_dp_segmenter_restart(GstSatDpSegmenter *self);

/* Frees what the stream needed. */
void gst_sat_dp_segmenter_stop(GstSatDpSegmenter *self);

/* Segments a frame into a new buffer without time stamps. GST_FLOW_ERROR after an element error;
 * GST_FLOW_FLUSHING while the pipeline stops. */
GstFlowReturn gst_sat_dp_segmenter_run(GstSatDpSegmenter *self, const GstStxSatdpSettings *settings,
    GstBuffer *input, GstBuffer **output);

G_END_DECLS

#endif
