/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drawing stixels (common/overlay/overlay.h) on a frame in a buffer, where a stage works.
 * Everything here belongs to the streaming thread.
 */
#pragma once

#include "common/overlay/overlay_marks.h"
#include "gst/base/stage.h"
#include "gst/core/memory.h"
#include "gst/views/canvasstage.h"
#include "gst/views/records.h"

#define GST_OVERLAY_STAGE_RECORDS 5 /* kinds of records of a frame */

/* Prepared for frames and stixels of one kind. Zero it to begin with. */
typedef struct {
  StxOverlayParams params;
  GstVideoInfo video;
  GstStxImage image;
  StxOverlay *overlay;   /* in `memory`; NULL: prepare first */
  GstCanvasStage canvas; /* with legend and marks, over the stixels */
  void *on_device;       /* where a GPU has its copy of it; NULL: not uploaded */
  GstStxScratch memory, marking;
  GstStxMapped records[GST_OVERLAY_STAGE_RECORDS];
  gboolean hazards; /* some have frames on the canvas */
  guint fitted;     /* frames since the beginning, for gst_overlay_stage_fit */
  gdouble zoom;
} GstOverlayStage;

/*
 * With mode=distance and scale=auto the colours fit the stixels of every 16th frame: `settings` get
 * a fifth of their max_distance, and so on, while seven tenths of the rows are nearer than that;
 * without a camera four times their max_disparity while half of the rows have more. `changed`: is
 * set if that differs from the last frame's. FALSE with the reason in `error`.
 */
gboolean gst_overlay_stage_fit(GstOverlayStage *self, StxOverlayParams *settings,
    const StxCamera *camera, GstBuffer *stixels, gboolean *changed, StxError *error);

/*
 * Prepares drawing stixels of `image` on frames of `video`, unless that is so already and nothing
 * `changed`. `settings` gives mode … max_distance. FALSE with the reason in `error`.
 */
gboolean gst_overlay_stage_prepare(GstOverlayStage *self, const StxOverlayParams *settings,
    gboolean changed, const GstVideoInfo *video, const GstStxImage *image, StxError *error);

/* The contents of a frame's drawing. */
typedef struct {
  GstBuffer *stixels;
  GstBuffer *obstacles, *free_space;      /* of the same image; NULL: not looked for */
  const GstStxVelocitiesMeta *velocities; /* of the obstacles and the stixels, or NULL */
  gdouble strength;                       /* times the opacity, 0…1 */
} GstOverlayDrawing;

/*
 * Draws into the writable buffer `frame`, which is unchanged after a failure unless it lies on the
 * GPU. *result is on the host, and filled in, when gst_stx_stage_run has returned. FALSE with the
 * reason in `error`.
 */
gboolean gst_overlay_stage_draw(GstOverlayStage *self, GstStxStage *stage, GstBuffer *frame,
    const GstOverlayDrawing *drawing, const StxOverlayResult **result, StxError *error);

/* Frees all of it. */
void gst_overlay_stage_clear(GstOverlayStage *self);
