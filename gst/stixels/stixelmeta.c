/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/stixelmeta.h"

#include "gst/stixels/meta_private.h"
#include "gst/stixels/placing_private.h"

static gboolean transform(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data)
{
  const GstStxStixelMeta *self = (const GstStxStixelMeta *)meta;
  StxPlacement placement;

  return gst_stx_placement_transform(
             &self->info, gst_stx_placement_of(meta), source, type, data, &placement) &&
         gst_stx_place(
             gst_buffer_add_stx_stixel_meta(target, self->stixels, &self->info), &placement);
}

G_STATIC_ASSERT(sizeof(GstStxStixelMeta) % G_ALIGNOF(StxPlacement) == 0);

static const GstStxMetaKind kind = {
    .api = "GstStxStixelMetaAPI",
    .name = "GstStxStixelMeta",
    .tags = gst_stx_image_tags,
    .size = GST_STX_PLACED_SIZE(GstStxStixelMeta),
    .buffers = 1,
    .transform = transform,
};

GType gst_stx_stixel_meta_api_get_type(void)
{
  static gsize type = 0;

  return gst_stx_meta_api(&type, &kind);
}

const GstMetaInfo *gst_stx_stixel_meta_get_info(void)
{
  static gsize info = 0;

  return gst_stx_meta_info(&info, gst_stx_stixel_meta_api_get_type(), &kind);
}

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

GstStxStixelMeta *gst_buffer_get_stx_stixel_meta(GstBuffer *frame)
{
  return (GstStxStixelMeta *)gst_buffer_get_meta(frame, gst_stx_stixel_meta_api_get_type());
}

void gst_stx_stixel_meta_set_frame_size(GstStxStixelMeta *meta, guint width, guint height)
{
  g_return_if_fail(meta != NULL);

  gst_stx_place_in_size(meta, &meta->info, width, height);
}
