/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/obstaclesmeta.h"

#include <gst/video/gstvideometa.h>

#include "gst/stixels/meta_private.h"

static gboolean transform(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data)
{
  const GstStxObstaclesMeta *self = (const GstStxObstaclesMeta *)meta;

  if (!gst_stx_meta_is_whole_copy(type, data) && !GST_VIDEO_META_TRANSFORM_IS_SCALE(type))
    return FALSE;
  return gst_buffer_add_stx_obstacles_meta(
             target, self->obstacles, self->free_space, &self->info) != NULL;
}

static const GstStxMetaKind kind = {
    "GstStxObstaclesMetaAPI", "GstStxObstaclesMeta", sizeof(GstStxObstaclesMeta), 2, transform};

GType gst_stx_obstacles_meta_api_get_type(void)
{
  static gsize type = 0;

  return gst_stx_meta_api(&type, &kind);
}

const GstMetaInfo *gst_stx_obstacles_meta_get_info(void)
{
  static gsize info = 0;

  return gst_stx_meta_info(&info, gst_stx_obstacles_meta_api_get_type(), &kind);
}

static gboolean has_whole_records(GstBuffer *buffer, gsize size)
{
  return gst_buffer_get_size(buffer) % size == 0;
}

GstStxObstaclesMeta *gst_buffer_add_stx_obstacles_meta(
    GstBuffer *buffer, GstBuffer *obstacles, GstBuffer *free_space, const GstStxStixelInfo *info)
{
  GstStxObstaclesMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(buffer) && gst_buffer_is_writable(buffer), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(obstacles), NULL);
  g_return_val_if_fail(free_space == NULL || GST_IS_BUFFER(free_space), NULL);
  g_return_val_if_fail(has_whole_records(obstacles, sizeof(StxObstacle)), NULL);
  g_return_val_if_fail(
      free_space == NULL || has_whole_records(free_space, sizeof(StxFreeSpace)), NULL);

  meta = gst_stx_meta_add(buffer, gst_stx_obstacles_meta_get_info());
  meta->obstacles = gst_buffer_ref(obstacles);
  meta->free_space = free_space != NULL ? gst_buffer_ref(free_space) : NULL;
  if (info != NULL)
    meta->info = *info;
  return meta;
}

GstStxObstaclesMeta *gst_buffer_get_stx_obstacles_meta(GstBuffer *buffer)
{
  return (GstStxObstaclesMeta *)gst_buffer_get_meta(buffer, gst_stx_obstacles_meta_api_get_type());
}
