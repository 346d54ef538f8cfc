/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/obstacles/obstaclesstage.h"

#include <string.h>

#include "gst/base/inputs.h"

enum { DATA, LABELS, POINTS }; /* stixels or a scan; a scan's; of the motion */
G_STATIC_ASSERT(POINTS + 1 == GST_OBSTACLES_STAGE_RECORDS);

void gst_obstacles_stage_clear(GstObstaclesStage *self)
{
  stx_obstacles_free(self->state);
  gst_stx_mapped_clear(self->record, GST_OBSTACLES_STAGE_RECORDS);
  *self = (GstObstaclesStage){NULL};
}

void gst_obstacles_stage_reset(GstObstaclesStage *self)
{
  if (self->state != NULL)
    stx_obstacles_reset(self->state);
}

gboolean gst_obstacles_stage_check_camera(const StxCamera *camera, StxError *error)
{
  const gchar *missing[4] = {NULL};
  g_autofree gchar *names = NULL;
  guint count = 0;

  if (camera->focal <= 0)
    missing[count++] = "focal length";
  if (camera->baseline <= 0)
    missing[count++] = "baseline";
  if (camera->missing & STX_CAMERA_CX)
    missing[count++] = "cx";
  if (count == 0)
    return TRUE;
  names = g_strjoinv(", ", (gchar **)missing);
  stx_fail(error,
      "obstacles are measured in metres, and of the camera is unknown: %s. Set calibration, or "
      "focal, baseline and cx, on stereo-sgm, downsample-transpose or sat-dp-stixels, or "
      "calibration on stereo-stixels",
      names);
  return FALSE;
}

/* Frames differ in how much is in them: memory is kept for the largest so far. */
static gboolean prepare(GstObstaclesStage *self, const StxObstaclesParams *params, gsize records,
    gsize directions, StxError *error)
{
  if (self->state == NULL)
    self->state = stx_obstacles_new();
  if (self->state == NULL)
    return stx_fail(error, "no memory: what is followed needs some");
  self->records = MAX(self->records, records);
  return stx_obstacles_prepare(self->state, params, self->records, directions, error);
}

/* ---- What there is ------------------------------------------------------------------------- */

GstObstaclesInput gst_obstacles_stage_look_at_video(GstBuffer *frame, const StxCamera *camera)
{
  GstStxStixelMeta *meta = gst_buffer_get_stx_stixel_meta(frame);
  GstObstaclesInput input = {NULL};

  if (meta == NULL || gst_buffer_get_size(meta->stixels) == 0)
    return input;
  input.stixels = meta->stixels;
  input.info = meta->info;
  input.motion = gst_buffer_get_stx_motion_meta(frame);
  stx_camera_complete(&input.info.camera, camera, (gint)input.info.width, (gint)input.info.height);
  return input;
}

GstObstaclesInput gst_obstacles_stage_look_at_scan(GstBuffer *scan)
{
  GstStxPointLabelsMeta *meta = gst_buffer_get_stx_point_labels_meta(scan);
  GstObstaclesInput input = {NULL};

  if (meta == NULL || gst_buffer_get_size(meta->labels) * 4 != gst_buffer_get_size(scan))
    return input;
  input.labels = meta->labels;
  input.points = scan;
  return input;
}

/* ---- What comes of it ---------------------------------------------------------------------- */

/* The camera's motion, if the frame has it. Points of an image of another size are left out. */
static gboolean take_motion(GstObstaclesStage *self, const GstObstaclesInput *input,
    StxObstaclesFrame *frame, StxError *error)
{
  const GstStxMotionMeta *motion = input->motion;
  GstStxMapped *points = &self->record[POINTS];

  if (motion == NULL)
    return TRUE;
  frame->motion = &motion->motion;
  frame->interval = motion->interval;
  if (motion->width != input->info.width || motion->height != input->info.height)
    return TRUE;
  if (!gst_stx_mapped_read(points, motion->points, sizeof(StxMotionPoint), error))
    return FALSE;
  frame->points = points->data;
  frame->point_count = points->count;
  return TRUE;
}

static gboolean find_in_stixels(GstObstaclesStage *self, const StxObstaclesParams *params,
    const GstObstaclesInput *input, guint64 time, StxObstaclesResult *result, StxError *error)
{
  const GstStxStixelInfo *info = &input->info;
  GstStxMapped *stixels = &self->record[DATA];
  StxObstaclesFrame frame = {.width = (int)info->width,
      .height = (int)info->height,
      .stixel_width = (int)info->stixel_width,
      .camera = info->camera,
      .time = time};

  if (!gst_obstacles_stage_check_camera(&info->camera, error) ||
      !gst_stx_check_input(input->stixels, 0, sizeof(StxStixel), error) ||
      !gst_stx_mapped_read(stixels, input->stixels, sizeof(StxStixel), error) ||
      !take_motion(self, input, &frame, error))
    return FALSE;
  frame.stixels = stixels->data;
  frame.count = stixels->count;
  return prepare(self, params, frame.count, info->columns, error) &&
         stx_obstacles_of_stixels(self->state, &frame, result, error);
}

static gboolean find_in_points(GstObstaclesStage *self, const StxObstaclesParams *params,
    const GstObstaclesInput *input, guint64 time, StxObstaclesResult *result, StxError *error)
{
  GstStxMapped *points = &self->record[DATA], *labels = &self->record[LABELS];
  StxObstaclesScan scan = {.time = time};

  if (!gst_stx_mapped_read(points, input->points, GST_STX_POINT_BYTES, error) ||
      !gst_stx_mapped_read(labels, input->labels, sizeof(guint32), error))
    return FALSE;
  scan.points = points->data;
  scan.labels = labels->data;
  scan.count = points->count;
  return prepare(self, params, scan.count, 0, error) &&
         stx_obstacles_of_scan(self->state, &scan, result, error);
}

gboolean gst_obstacles_stage_find(GstObstaclesStage *self, const StxObstaclesParams *params,
    const GstObstaclesInput *input, guint64 time, StxObstaclesResult *result, StxError *error)
{
  gboolean found = (input->stixels != NULL ? find_in_stixels : find_in_points)(
      self, params, input, time, result, error);

  gst_stx_mapped_unmap(self->record, GST_OBSTACLES_STAGE_RECORDS);
  return found;
}

static GstBuffer *copy(const void *records, gsize size)
{
  return size > 0 ? gst_buffer_new_memdup(records, size) : gst_buffer_new();
}

GstBuffer *gst_obstacles_stage_records(const StxObstaclesResult *result)
{
  return copy(result->obstacles, result->count * sizeof(StxObstacle));
}

/* ---- Hazards that road-hazards attached ----------------------------------------------------- */

#define SAME_PLACE 1.5 /* m in front of or within an obstacle */

/* Is the middle of a hazard in front of an obstacle, or within it? */
static gboolean belongs(const StxObstacle *hazard, const StxObstacle *obstacle)
{
  return hazard->x >= obstacle->x - obstacle->width / 2 &&
         hazard->x <= obstacle->x + obstacle->width / 2 &&
         hazard->z > obstacle->z - (gfloat)SAME_PLACE &&
         hazard->z < obstacle->z + obstacle->depth + (gfloat)SAME_PLACE;
}

static gboolean is_own(const StxObstacle *hazard, const StxObstacle *records, gsize count)
{
  if (!stx_obstacle_is_hazard(hazard))
    return FALSE;
  for (gsize i = 0; i < count; i++)
    if (belongs(hazard, &records[i]))
      return FALSE;
  return TRUE;
}

/* The records (transfer full), and behind them the small things and holes of the frame's meta that
 * are no part of one of them: the foot of a car is not told twice. Places of the records stay. */
static GstBuffer *with_hazards(GstBuffer *records, GstBuffer *frame)
{
  const GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(frame);
  gsize own = gst_buffer_get_size(records) / sizeof(StxObstacle), count;
  GstBuffer *joined;
  GstMapInfo from;
  g_autoptr(GArray) list = NULL;

  if (meta == NULL || !gst_buffer_map(meta->obstacles, &from, GST_MAP_READ))
    return records;
  count = from.size / sizeof(StxObstacle);
  list = g_array_sized_new(FALSE, FALSE, sizeof(StxObstacle), (guint)(own + count));
  g_array_set_size(list, (guint)own);
  if (own > 0)
    gst_buffer_extract(records, 0, list->data, own * sizeof(StxObstacle));
  for (gsize i = 0; i < count; i++) {
    StxObstacle hazard;

    memcpy(&hazard, from.data + i * sizeof hazard, sizeof hazard);
    if (is_own(&hazard, (const StxObstacle *)(gpointer)list->data, own))
      g_array_append_val(list, hazard);
  }
  gst_buffer_unmap(meta->obstacles, &from);
  joined = records;
  if (list->len > own) {
    joined = gst_buffer_new_memdup(list->data, list->len * sizeof(StxObstacle));
    gst_buffer_unref(records);
  }
  return joined;
}

/* ---- All obstacles of a frame -------------------------------------------------------------- */

void gst_obstacles_stage_attach(
    GstBuffer *frame, const StxObstaclesResult *result, const GstObstaclesInput *input)
{
  g_autoptr(GstBuffer) obstacles = with_hazards(gst_obstacles_stage_records(result), frame);
  g_autoptr(GstBuffer) free_space =
      copy(result->free_space, result->directions * sizeof(StxFreeSpace));
  GstStxObstaclesMeta *older;

  while ((older = gst_buffer_get_stx_obstacles_meta(frame)) != NULL)
    gst_buffer_remove_meta(frame, &older->meta);
  gst_buffer_add_stx_obstacles_meta(
      frame, obstacles, free_space, input->stixels != NULL ? &input->info : NULL);
  gst_obstacles_stage_attach_motion(frame, result);
}

void gst_obstacles_stage_attach_motion(GstBuffer *frame, const StxObstaclesResult *result)
{
  GstStxVelocitiesMeta *older;
  GstStxMotionMeta *motion;
  g_autoptr(GstBuffer) obstacles = NULL, stixels = NULL;

  while ((older = gst_buffer_get_stx_velocities_meta(frame)) != NULL)
    gst_buffer_remove_meta(frame, &older->meta);
  while (result->given != NULL && (motion = gst_buffer_get_stx_motion_meta(frame)) != NULL)
    gst_buffer_remove_meta(frame, &motion->meta);
  if (result->given != NULL)
    gst_buffer_add_stx_motion_meta(frame, result->given, result->given_interval, NULL, 0, 0);
  if (result->velocities == NULL)
    return;
  obstacles = copy(result->velocities, result->count * sizeof(StxVelocity));
  stixels = copy(result->stixel_velocities, result->stixels * sizeof(StxVelocity));
  gst_buffer_add_stx_velocities_meta(frame, obstacles, stixels);
}
