/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What sat-dp-stixels does with a frame, where its stage works: the road, the tables, the
 * candidates, and common/satdp/satdp.h. Everything here belongs to the streaming thread.
 */
#ifndef GST_SATDP_STAGE_H
#define GST_SATDP_STAGE_H

#include "common/roadline/roadline_track.h"
#include "gst/shared/memory.h"
#include "gst/base/segmentation.h"
#include "gst/settings/satdpsettings.h"

G_BEGIN_DECLS

typedef struct {
  GstElement *element; /* whose part this is */
  const GstStxColumnStream *stream;
  GstStxSatdpSettings settings; /* of this frame */
  StxSatdpParams params;        /* the same with the grid of this stream */
  StxSatdpTables *tables;

  StxRoadTrack road;
  gboolean restart;        /* the next frame does not follow the one before */
  gboolean followed;       /* `line` is that of this frame */
  gboolean warned;         /* that there is no road */
  const StxRoadLine *line; /* or NULL: no road */
  GstStxScratch road_scratch;
} GstSatdpStage;

void gst_satdp_stage_init(
    GstSatdpStage *self, GstElement *element, const GstStxColumnStream *stream);
void gst_satdp_stage_clear(GstSatdpStage *self);

/* A new frame with these settings. */
void gst_satdp_stage_take_settings(GstSatdpStage *self, const GstStxSatdpSettings *settings);

/* The element starts. */
void gst_satdp_stage_start(GstSatdpStage *self);

/* The next frame does not follow the one before. */
void gst_satdp_stage_restart(GstSatdpStage *self);

/* A stream begins. FALSE with the reason in `error`, also when the camera lacks what
 * ground=calibration needs. */
gboolean gst_satdp_stage_configure(GstSatdpStage *self, StxError *error);

/* GstStxSegmentationClass.segment: FALSE with the reason in `error`. */
gboolean gst_satdp_stage_segment(GstSatdpStage *self, GstStxStage *stage, GstBuffer *frame,
    const void *columns, StxStixel *records, StxSatdpResult *result, StxError *error);

/* Posts the statistics of the frame, if the user wants them. */
void gst_satdp_stage_post(GstSatdpStage *self, GstBuffer *frame, const StxSatdpResult *result);

G_END_DECLS

#endif
