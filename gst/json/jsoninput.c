/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/json/jsoninput.h"

#include "gst/base/inputs.h"
#include "gst/stixels/stixelmeta.h"

/* Records of `size` bytes of that part. */
static gboolean take(
    GstStxJsonInput *input, GstBuffer *buffer, gsize size, guint part, GstStxJsonRecords *records)
{
  GstMapInfo *map = &input->maps[input->count];

  if (!gst_stx_map_input(input->element, buffer, 0, size, map))
    return FALSE;
  input->mapped[input->count++] = buffer;
  input->frame.parts |= part;
  *records = (GstStxJsonRecords){map->data, map->size / size};
  return TRUE;
}

/* The same, where there may be no record. */
static gboolean take_any(
    GstStxJsonInput *input, GstBuffer *buffer, gsize size, guint part, GstStxJsonRecords *records)
{
  if (gst_buffer_get_size(buffer) > 0)
    return take(input, buffer, size, part, records);
  input->frame.parts |= part;
  return TRUE;
}

gboolean gst_stx_json_take_stixels(GstStxJsonInput *input, GstBuffer *stixels)
{
  return take(input, stixels, sizeof(StxStixel), GST_STX_JSON_STIXELS, &input->frame.stixels);
}

gboolean gst_stx_json_take_points(GstStxJsonInput *input, GstBuffer *points, GstBuffer *labels)
{
  GstStxJsonFrame *frame = &input->frame;

  if (!take_any(input, points, GST_STX_POINT_BYTES, GST_STX_JSON_POINTS, &frame->points) ||
      !take_any(input, labels, sizeof(guint32), GST_STX_JSON_POINTS, &frame->labels))
    return FALSE;
  if (frame->points.count == frame->labels.count)
    return TRUE;
  GST_ELEMENT_ERROR(input->element, STREAM, FORMAT,
      ("%" G_GSIZE_FORMAT " points, but labels of %" G_GSIZE_FORMAT, frame->points.count,
          frame->labels.count),
      (NULL));
  return FALSE;
}

gboolean gst_stx_json_take_obstacles(GstStxJsonInput *input, GstBuffer *obstacles)
{
  return take_any(
      input, obstacles, sizeof(StxObstacle), GST_STX_JSON_OBSTACLES, &input->frame.obstacles);
}

/* `info` of a scan names no image. */
static void take_info(GstStxJsonInput *input, const GstStxStixelInfo *info)
{
  if (input->frame.info == NULL && info->columns > 0)
    input->frame.info = info;
}

static gboolean take_stixels_meta(GstStxJsonInput *input, GstBuffer *buffer, guint wanted)
{
  GstStxStixelMeta *meta = gst_buffer_get_stx_stixel_meta(buffer);

  if (meta == NULL)
    return TRUE;
  take_info(input, &meta->info);
  return !(wanted & GST_STX_JSON_STIXELS) || gst_stx_json_take_stixels(input, meta->stixels);
}

static gboolean take_obstacles_meta(GstStxJsonInput *input, GstBuffer *buffer, guint wanted)
{
  GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(buffer);

  if (meta == NULL)
    return TRUE;
  take_info(input, &meta->info);
  if (wanted & GST_STX_JSON_OBSTACLES && !gst_stx_json_take_obstacles(input, meta->obstacles))
    return FALSE;
  return !(wanted & GST_STX_JSON_FREE_SPACE) || meta->free_space == NULL ||
         take_any(input, meta->free_space, sizeof(StxFreeSpace), GST_STX_JSON_FREE_SPACE,
             &input->frame.free_space);
}

gboolean gst_stx_json_take_metas(GstStxJsonInput *input, GstBuffer *buffer, guint wanted)
{
  return take_stixels_meta(input, buffer, wanted) && take_obstacles_meta(input, buffer, wanted);
}

void gst_stx_json_input_close(GstStxJsonInput *input)
{
  while (input->count > 0) {
    input->count--;
    gst_buffer_unmap(input->mapped[input->count], &input->maps[input->count]);
  }
}
