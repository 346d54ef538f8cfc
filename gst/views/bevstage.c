/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/views/bevstage.h"

#include "gst/base/inputs.h"
#include "gst/shared/frames.h"
#include "gst/views/records.h"

/* ---- Preparation --------------------------------------------------------------------------- */

GstCaps *gst_bev_stage_fixate(GstCaps *caps)
{
  static const StxBevParams defaults = STX_BEV_DEFAULTS;
  GstStructure *structure;

  caps = gst_caps_truncate(gst_caps_make_writable(caps));
  structure = gst_caps_get_structure(caps, 0);
  gst_structure_fixate_field_nearest_int(structure, "width", defaults.width);
  gst_structure_fixate_field_nearest_int(structure, "height", defaults.height);
  return gst_caps_fixate(caps);
}

gboolean gst_bev_stage_prepare(
    GstBevStage *self, const StxBevParams *settings, const GstVideoInfo *video, StxError *error)
{
  StxBevParams params = *settings;

  params.width = GST_VIDEO_INFO_WIDTH(video);
  params.height = GST_VIDEO_INFO_HEIGHT(video);
  params.format = stx_pixel_format(GST_VIDEO_INFO_NAME(video));
  self->video = *video;
  if (self->bev != NULL && stx_bev_is_same(&params, &self->params))
    return TRUE;
  self->bev = NULL;
  if (!stx_bev_check(&params, error) ||
      !gst_stx_scratch_reserve(&self->memory, stx_bev_size(&params), error))
    return FALSE;
  self->params = params;
  self->bev = stx_bev_init(self->memory.data, &params);
  return TRUE;
}

void gst_bev_stage_clear(GstBevStage *self)
{
  self->bev = NULL;
  gst_stx_scratch_clear(&self->memory);
  gst_stx_scratch_clear(&self->points);
  gst_stx_scratch_clear(&self->labels);
  gst_stx_scratch_clear(&self->stixels);
  gst_stx_scratch_clear(&self->obstacles);
  gst_stx_scratch_clear(&self->free_space);
}

/* ---- Layers -------------------------------------------------------------------------------- */

void gst_bev_stage_begin(GstBevStage *self)
{
  stx_bev_begin(self->bev);
}

gboolean gst_bev_stage_put_scan(
    GstBevStage *self, GstBuffer *scan, const gdouble *mount, StxError *error)
{
  GstStxRecords points, labels = {NULL};
  gboolean good = gst_stx_records_map(&points, scan, GST_STX_POINT_BYTES, &self->points, error) &&
                  gst_stx_records_map(
                      &labels, gst_stx_scan_labels(scan), sizeof(guint32), &self->labels, error);

  if (good)
    stx_bev_put_points(self->bev, points.data, labels.data, points.count, mount);
  gst_stx_records_unmap(&labels);
  gst_stx_records_unmap(&points);
  return good;
}

/* Those of stixels: what was found in a scan has no image. */
static gboolean map_obstacles(GstBevStage *self, GstBuffer *carrier, GstStxRecords *obstacles,
    GstStxRecords *free_space, StxError *error)
{
  GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(carrier);

  *obstacles = *free_space = (GstStxRecords){NULL};
  if (meta == NULL || meta->info.width == 0)
    return TRUE;
  return gst_stx_records_map(
             obstacles, meta->obstacles, sizeof(StxObstacle), &self->obstacles, error) &&
         gst_stx_records_map(
             free_space, meta->free_space, sizeof(StxFreeSpace), &self->free_space, error);
}

gboolean gst_bev_stage_put_stixels(GstBevStage *self, const StxBevStixelsParams *params,
    GstBuffer *stixels, GstBuffer *carrier, const GstStxStixelInfo *info, StxError *error)
{
  GstStxRecords records, obstacles = {NULL}, free_space = {NULL};
  gboolean good =
      gst_stx_records_map(&records, stixels, sizeof(StxStixel), &self->stixels, error) &&
      map_obstacles(self, carrier, &obstacles, &free_space, error);
  StxBevStixels frame = {.stixels = records.data,
      .count = records.count,
      .width = (int)info->width,
      .height = (int)info->height,
      .stixel_width = (int)info->stixel_width,
      .camera = info->camera,
      .obstacles = obstacles.data,
      .obstacle_count = obstacles.count,
      .free_space = free_space.data,
      .directions = free_space.count};

  if (good)
    stx_bev_put_stixels(self->bev, params, &frame);
  gst_stx_records_unmap(&free_space);
  gst_stx_records_unmap(&obstacles);
  gst_stx_records_unmap(&records);
  return good;
}

gboolean gst_bev_stage_finish(GstBevStage *self, GstBuffer *picture, gint threads, StxError *error)
{
  GstVideoFrame video;
  StxFrame frame;

  if (!gst_stx_frame_map(&video, &self->video, picture, GST_MAP_WRITE, error))
    return FALSE;
  frame = (StxFrame){
      {GST_VIDEO_FRAME_PLANE_DATA(&video, 0)}, {GST_VIDEO_FRAME_PLANE_STRIDE(&video, 0)}};
  stx_bev_finish(self->bev, &frame, threads);
  gst_stx_frame_clear_padding(&video);
  gst_video_frame_unmap(&video);
  return TRUE;
}
