/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/stixelmeta.h"

#include "gst/stixels/meta_private.h"
#include "gst/stixels/placing_private.h"

static gboolean is_sound(gconstpointer meta)
{
  const GstStxStixelMeta *self = meta;

  return gst_buffer_get_size(self->stixels) % sizeof(StxStixel) == 0 &&
         gst_stx_placed_is_sound(&self->info, gst_stx_placement_of((gpointer)meta));
}

G_STATIC_ASSERT(sizeof(GstStxStixelMeta) % G_ALIGNOF(StxPlacement) == 0);

static const GstStxMetaField fields[] = {GST_STX_PLACED_FIELDS(GstStxStixelMeta), {0}};

static const GstStxMetaKind kind = {
    GST_STX_META_NAMES(GstStxStixelMeta),
    .tags = gst_stx_image_tags,
    .size = GST_STX_PLACED_SIZE(GstStxStixelMeta),
    .buffers = 1,
    .transform = gst_stx_placed_transform,
    .is_sound = is_sound,
    .fields = fields,
};

GST_STX_DEFINE_META(Stixel, stixel)

GstStxStixelMeta *gst_buffer_add_stx_stixel_meta(
    GstBuffer *frame, GstBuffer *stixels, const GstStxStixelInfo *info)
{
  GstStxStixelMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(frame) && gst_buffer_is_writable(frame), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(stixels), NULL);
  g_return_val_if_fail(info != NULL, NULL);

  meta = gst_stx_meta_add(frame, gst_stx_stixel_meta_get_info());
  meta->stixels = gst_buffer_ref(stixels);
  meta->info = *info;
  return meta;
}

void gst_stx_stixel_meta_set_frame_size(GstStxStixelMeta *meta, guint width, guint height)
{
  g_return_if_fail(meta != NULL);

  gst_stx_place_in_size(meta, &meta->info, width, height);
}
