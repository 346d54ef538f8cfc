/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/velocitiesmeta.h"

#include "gst/stixels/meta_private.h"

static const GstStxMetaField fields[] = {{0}};

/* Metres per second are the same, whatever is done to the frame. */
static const GstStxMetaKind kind = {
    GST_STX_META_NAMES(GstStxVelocitiesMeta),
    .size = sizeof(GstStxVelocitiesMeta),
    .buffers = 2,
    .records = {sizeof(StxVelocity), sizeof(StxVelocity)},
    .transform = gst_stx_meta_keep,
    .fields = fields,
};

GST_STX_DEFINE_META(Velocities, velocities)

GstStxVelocitiesMeta *gst_buffer_add_stx_velocities_meta(
    GstBuffer *buffer, GstBuffer *obstacles, GstBuffer *stixels)
{
  GstStxVelocitiesMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(buffer) && gst_buffer_is_writable(buffer), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(obstacles) && GST_IS_BUFFER(stixels), NULL);
  g_return_val_if_fail(gst_stx_meta_is_whole(obstacles, sizeof(StxVelocity)), NULL);
  g_return_val_if_fail(gst_stx_meta_is_whole(stixels, sizeof(StxVelocity)), NULL);

  meta = gst_stx_meta_add(buffer, gst_stx_velocities_meta_get_info());
  meta->obstacles = gst_buffer_ref(obstacles);
  meta->stixels = gst_buffer_ref(stixels);
  return meta;
}
