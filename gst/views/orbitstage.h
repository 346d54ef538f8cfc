/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An orbiting view (common/orbit) of stixels in buffers. It is drawn on the CPU: what lies on a GPU
 * comes back when it is mapped. Everything here belongs to the streaming thread. */
#ifndef GST_ORBIT_STAGE_H
#define GST_ORBIT_STAGE_H

#include <gst/video/video.h>

#include "common/orbit/orbit.h"
#include "gst/views/facetstage.h"
#include "gst/views/sheetstage.h"

G_BEGIN_DECLS

/* What the user wants. */
typedef struct {
  StxOrbitParams view; /* what the caps say is not in use */
  StxFacetColours colours;
  gdouble reach;
  gboolean texture; /* of frames: show their pixels */
  gint threads;     /* 0: as many as there are cores */
} GstOrbitSettings;

/* Zero it to begin with. */
typedef struct {
  GstFacetInput input;
  GstVideoInfo picture; /* of frames: what they are */
  GstVideoInfo video;   /* of views */
  GstSheetStage letters;
  GstStxScratch scratch;
} GstOrbitStage;

/*
 * Draws a view of what `buffer` brings into `view`.
 *
 * stixels  those of the buffer, as gst_facet_input_stixels has them
 * caps     of the buffer
 *
 * FALSE with the reason in `error`.
 */
gboolean gst_orbit_stage_draw(GstOrbitStage *self, const GstOrbitSettings *settings,
    GstBuffer *buffer, GstBuffer *stixels, const GstCaps *caps, GstBuffer *view, StxError *error);

void gst_orbit_stage_clear(GstOrbitStage *self);

G_END_DECLS

#endif
