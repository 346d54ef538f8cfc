/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/occupancymeta.h"

#include <math.h>

#include "gst/stixels/meta_private.h"

static gboolean is_sound(gconstpointer meta)
{
  const GstStxOccupancyMeta *self = meta;

  return self->resolution > 0 && isfinite(self->resolution + self->origin_x + self->origin_y +
                                          self->x + self->y + self->yaw);
}

static const GstStxMetaField fields[] = {
    GST_STX_META_RUN(GstStxOccupancyMeta, width, epoch, 4),
    GST_STX_META_RUN(GstStxOccupancyMeta, resolution, yaw, 8),
    {0},
};

/* Whatever is done to the buffer, a picture perhaps, the cells are in the meta. */
static const GstStxMetaKind kind = {
    GST_STX_META_NAMES(GstStxOccupancyMeta),
    .size = sizeof(GstStxOccupancyMeta),
    .buffers = 1,
    .transform = gst_stx_meta_keep,
    .area = offsetof(GstStxOccupancyMeta, width),
    .is_sound = is_sound,
    .fields = fields,
};

GST_STX_DEFINE_META(Occupancy, occupancy)

GstStxOccupancyMeta *gst_buffer_add_stx_occupancy_meta(
    GstBuffer *buffer, GstBuffer *cells, guint width, guint height, gdouble resolution)
{
  GstStxOccupancyMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(buffer) && gst_buffer_is_writable(buffer), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(cells) && cells != buffer, NULL);
  g_return_val_if_fail(gst_buffer_get_size(cells) == (gsize)width * height, NULL);

  meta = gst_stx_meta_add(buffer, gst_stx_occupancy_meta_get_info());
  meta->cells = gst_buffer_ref(cells);
  meta->width = width;
  meta->height = height;
  meta->resolution = resolution;
  return meta;
}
