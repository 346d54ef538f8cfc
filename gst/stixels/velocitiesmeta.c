/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/velocitiesmeta.h"

#include "gst/stixels/meta_private.h"

static gboolean has_whole_records(GstBuffer *obstacles, GstBuffer *stixels)
{
  return gst_buffer_get_size(obstacles) % sizeof(StxVelocity) == 0 &&
         gst_buffer_get_size(stixels) % sizeof(StxVelocity) == 0;
}

static gboolean fits(gconstpointer meta, GstBuffer *carrier)
{
  const GstStxVelocitiesMeta *self = meta;

  return has_whole_records(self->obstacles, self->stixels);
}

static const GstStxMetaField fields[] = {{0}};

/* Metres per second are the same, whatever is done to the frame. */
static const GstStxMetaKind kind = {
    .api = "GstStxVelocitiesMetaAPI",
    .name = "GstStxVelocitiesMeta",
    .tags = NULL,
    .size = sizeof(GstStxVelocitiesMeta),
    .buffers = 2,
    .transform = gst_stx_meta_keep,
    .fits = fits,
    .fields = fields,
};

GST_STX_DEFINE_META(Velocities, velocities)

GstStxVelocitiesMeta *gst_buffer_add_stx_velocities_meta(
    GstBuffer *buffer, GstBuffer *obstacles, GstBuffer *stixels)
{
  GstStxVelocitiesMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(buffer) && gst_buffer_is_writable(buffer), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(obstacles) && GST_IS_BUFFER(stixels), NULL);
  g_return_val_if_fail(has_whole_records(obstacles, stixels), NULL);

  meta = gst_stx_meta_add(buffer, gst_stx_velocities_meta_get_info());
  meta->obstacles = gst_buffer_ref(obstacles);
  meta->stixels = gst_buffer_ref(stixels);
  return meta;
}
