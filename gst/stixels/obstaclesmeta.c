/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/obstaclesmeta.h"

#include "gst/stixels/meta_private.h"
#include "gst/stixels/placing_private.h"
#include "gst/stixels/stixelmeta.h"

static gboolean is_sound(gconstpointer meta)
{
  const GstStxObstaclesMeta *self = meta;

  return self->info.width == 0 ||
         gst_stx_placed_is_sound(&self->info, gst_stx_placement_of((gpointer)meta));
}

G_STATIC_ASSERT(sizeof(GstStxObstaclesMeta) % G_ALIGNOF(StxPlacement) == 0);

static const GstStxMetaField fields[] = {GST_STX_PLACED_FIELDS(GstStxObstaclesMeta), {0}};

static const GstStxMetaKind kind = {
    GST_STX_META_NAMES(GstStxObstaclesMeta),
    .tags = gst_stx_image_tags,
    .size = GST_STX_PLACED_SIZE(GstStxObstaclesMeta),
    .buffers = 2,
    .optional = 1 << 1,
    .records = {sizeof(StxObstacle), sizeof(StxFreeSpace)},
    .transform = gst_stx_placed_transform,
    .is_sound = is_sound,
    .fields = fields,
};

GST_STX_DEFINE_META(Obstacles, obstacles)

GstStxObstaclesMeta *gst_buffer_add_stx_obstacles_meta(
    GstBuffer *buffer, GstBuffer *obstacles, GstBuffer *free_space, const GstStxStixelInfo *info)
{
  GstStxObstaclesMeta *meta;
  GstStxStixelMeta *stixels;

  g_return_val_if_fail(GST_IS_BUFFER(buffer) && gst_buffer_is_writable(buffer), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(obstacles), NULL);
  g_return_val_if_fail(free_space == NULL || GST_IS_BUFFER(free_space), NULL);
  g_return_val_if_fail(gst_stx_meta_is_whole(obstacles, sizeof(StxObstacle)), NULL);
  g_return_val_if_fail(gst_stx_meta_is_whole(free_space, sizeof(StxFreeSpace)), NULL);

  meta = gst_stx_meta_add(buffer, gst_stx_obstacles_meta_get_info());
  meta->obstacles = gst_buffer_ref(obstacles);
  meta->free_space = free_space != NULL ? gst_buffer_ref(free_space) : NULL;
  if (info != NULL) {
    meta->info = *info;
    stixels = gst_buffer_get_stx_stixel_meta(buffer);
    if (stixels != NULL && stixels->info.width == info->width &&
        stixels->info.height == info->height)
      gst_stx_place(meta, gst_stx_placement_of(stixels));
  }
  return meta;
}

void gst_stx_obstacles_meta_set_frame_size(GstStxObstaclesMeta *meta, guint width, guint height)
{
  g_return_if_fail(meta != NULL);

  gst_stx_place_in_size(meta, &meta->info, width, height);
}
