/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Obstacles (common/obstacles/obstacles.h) of what lies in buffers. They are found on the CPU: what
 * lies on a GPU comes back when it is mapped. Everything here belongs to the streaming thread. */
#pragma once

#include "common/obstacles/obstacles.h"
#include "gst/base/mapped.h"
#include "gst/stixels/stixels.h"

#define GST_OBSTACLES_STAGE_RECORDS 3 /* kinds of records of a frame */

/* Zero it to begin with. */
typedef struct {
  StxObstacles *state; /* NULL: not needed yet */
  gsize records;       /* for which it was prepared, at most */
  GstStxMapped record[GST_OBSTACLES_STAGE_RECORDS];
} GstObstaclesStage;

void gst_obstacles_stage_clear(GstObstaclesStage *self);

/* The next frame begins a new stream. */
void gst_obstacles_stage_reset(GstObstaclesStage *self);

/* FALSE: it cannot turn disparities into places; `error` names what is missing, and the element to
 * set it on.
 */
gboolean gst_obstacles_stage_check_camera(const StxCamera *camera, StxError *error);

/* The inputs of a frame, from its metas: stixels and their image, or points with labels. Both NULL:
 * nothing. */
typedef struct {
  GstBuffer *stixels, *labels;
  GstBuffer *points; /* with labels */
  GstStxStixelInfo info;
  const GstStxMotionMeta *motion; /* of the camera; NULL: unknown */
} GstObstaclesInput;

/* `camera`, of an image of whatever size, is that of stixels without one of their own. */
GstObstaclesInput gst_obstacles_stage_look_at_video(GstBuffer *frame, const StxCamera *camera);
GstObstaclesInput gst_obstacles_stage_look_at_scan(GstBuffer *scan);

/*
 * Obstacles of what there is; `time` as in obstacles.h. What *result leads to is good until the
 * next call. FALSE with the reason in `error`.
 */
gboolean gst_obstacles_stage_find(GstObstaclesStage *self, const StxObstaclesParams *params,
    const GstObstaclesInput *input, guint64 time, StxObstaclesResult *result, StxError *error);

/* A new buffer of the records alone. Transfer full. */
GstBuffer *gst_obstacles_stage_records(const StxObstaclesResult *result);

/* Hangs obstacles, free space, velocities and a given motion on `frame`, which is writable, in
 * place of those that are there; what road-hazards has found stays, behind the others. _motion
 * velocities and motion alone. */
void gst_obstacles_stage_attach(
    GstBuffer *frame, const StxObstaclesResult *result, const GstObstaclesInput *input);
void gst_obstacles_stage_attach_motion(GstBuffer *frame, const StxObstaclesResult *result);
