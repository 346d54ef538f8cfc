/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What lanes.c and lanesflow.c share; nobody else includes it. */
#ifndef GST_STX_LANES_PRIVATE_H
#define GST_STX_LANES_PRIVATE_H

#include <gst/base/gstflowcombiner.h>

#include "gst/lanes/lanes.h"
#include "gst/live/delay.h"
#include "gst/live/stats.h"

G_BEGIN_DECLS

/* All but the pad and the constant parts of the stage belong to the thread that feeds the lane. */
typedef struct {
  GstPad *src;
  GstStxStage stage;
  GstCaps *caps; /* what leaves it, in system memory; NULL: the caps that came last were bad */
  GstBufferPool *pool; /* NULL: to be chosen */
  gboolean device;     /* its buffers are in CUDAMemory */
  GstStxStats stats;   /* these two under the object lock */
  GstStxDelay delay;
} GstStxLane;

typedef struct {
  GstStxLane lane[GST_STX_LANE_COUNT]; /* the properties of both stages are those of the first */
  GstFlowCombiner *combiner;           /* of the thread that feeds pad sink */
  guint32 seek; /* seqnum of the last one that pad sink passed on, under the object
                   lock */
} GstStxLanesPrivate;

GstStxLanesPrivate *gst_stx_lanes_private(GstStxLanes *self);

/* The lanes that a sink pad feeds: one, or for pad sink both. */
gboolean gst_stx_lanes_of(GstPad *sink, guint *first, guint *end);

/* Of a sink pad. */
gboolean gst_stx_lanes_take_caps(GstPad *sink, GstStxLanes *self, GstCaps *caps);
GstFlowReturn gst_stx_lanes_chain(GstPad *sink, GstObject *parent, GstBuffer *buffer);

/* Forgets the lane's caps, and gives its pool back. */
void gst_stx_lane_clear(GstStxLane *lane);

G_END_DECLS

#endif
