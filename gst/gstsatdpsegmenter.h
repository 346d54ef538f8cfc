/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The work of sat-dp-stixels on a frame: the road, the tables, the candidates, and common/satdp.h
 * on the CPU or the GPU. Internal; everything here belongs to the streaming thread.
 */
#ifndef GST_SAT_DP_SEGMENTER_H
#define GST_SAT_DP_SEGMENTER_H

#include "gst/gststxrdp.h"
#include "gst/gststxroad.h"
#include "gst/gststxsatdp.h"
#include "gst/gststxsegmentation.h"

G_BEGIN_DECLS

typedef struct {
  GstElement *element; /* whose part this is */
  const GstStxColumnStream *stream;
  GstStxSatdpSettings settings; /* of this frame */
  StxSatdpParams params;        /* the same with the grid of this stream */
  StxSatdpTables *tables;

  GstStxRoad road;
  gboolean restart;        /* the next frame does not follow the one before */
  gboolean followed;       /* `line` is that of this frame */
  gboolean warned;         /* that there is no road */
  const StxRoadLine *line; /* or NULL: no road */
  GstStxScratch road_scratch;

  /* On the CPU. */
  const StxSatdpImpl *impl;
  GstStxScratch scratch;
  GstStxRdp rdp; /* for candidates; its implementation is chosen when they are asked for */
  GstStxScratch kept;
} GstSatDpSegmenter;

void gst_sat_dp_segmenter_init(
    GstSatDpSegmenter *self, GstElement *element, const GstStxColumnStream *stream);
void gst_sat_dp_segmenter_clear(GstSatDpSegmenter *self);

/* A new frame with these settings. */
void gst_sat_dp_segmenter_take_settings(
    GstSatDpSegmenter *self, const GstStxSatdpSettings *settings);

/* The next frame does not follow the one before. */
void gst_sat_dp_segmenter_restart(GstSatDpSegmenter *self);

/* The functions of GstStxSegmentationClass. `configure` also fails when the camera lacks what
 * ground=calibration needs. */
gboolean gst_sat_dp_segmenter_configure(GstSatDpSegmenter *self, StxError *error);
const StxImplInfo *gst_sat_dp_segmenter_choose_host(GstSatDpSegmenter *self, StxError *error);
GstFlowReturn gst_sat_dp_segmenter_run_host(GstSatDpSegmenter *self, GstBuffer *frame,
    const void *columns, StxStixel *records, StxSatdpResult *result);
GstFlowReturn gst_sat_dp_segmenter_run_device(GstSatDpSegmenter *self, GstBuffer *frame,
    const void *columns, StxStixel *records, StxSatdpResult *result, StxError *error);
void gst_sat_dp_segmenter_post(
    GstSatDpSegmenter *self, GstBuffer *frame, const StxSatdpResult *result);
void gst_sat_dp_segmenter_stop(GstSatDpSegmenter *self); /* free_memory */

G_END_DECLS

#endif
