/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/occupancymeta.h"

#include "gst/stixels/meta_private.h"

static gboolean are_cells_of(GstBuffer *cells, guint width, guint height)
{
  return gst_buffer_get_size(cells) == (gsize)width * height;
}

/* Whatever is done to the buffer, a picture perhaps, the cells are in the meta. */
static gboolean transform(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data)
{
  const GstStxOccupancyMeta *self = (const GstStxOccupancyMeta *)meta;
  GstStxOccupancyMeta *copy;

  if (!are_cells_of(self->cells, self->width, self->height))
    return FALSE;
  copy = gst_buffer_add_stx_occupancy_meta(
      target, self->cells, self->width, self->height, self->resolution);
  if (copy == NULL)
    return FALSE;
  copy->fixed = self->fixed;
  copy->epoch = self->epoch;
  copy->origin_x = self->origin_x;
  copy->origin_y = self->origin_y;
  copy->x = self->x;
  copy->y = self->y;
  copy->yaw = self->yaw;
  return TRUE;
}

static const GstStxMetaKind kind = {
    .api = "GstStxOccupancyMetaAPI",
    .name = "GstStxOccupancyMeta",
    .tags = NULL,
    .size = sizeof(GstStxOccupancyMeta),
    .buffers = 1,
    .transform = transform,
};

GType gst_stx_occupancy_meta_api_get_type(void)
{
  static gsize type = 0;

  return gst_stx_meta_api(&type, &kind);
}

const GstMetaInfo *gst_stx_occupancy_meta_get_info(void)
{
  static gsize info = 0;

  return gst_stx_meta_info(&info, gst_stx_occupancy_meta_api_get_type(), &kind);
}

GstStxOccupancyMeta *gst_buffer_add_stx_occupancy_meta(
    GstBuffer *buffer, GstBuffer *cells, guint width, guint height, gdouble resolution)
{
  GstStxOccupancyMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(buffer) && gst_buffer_is_writable(buffer), NULL);
  g_return_val_if_fail(GST_IS_BUFFER(cells) && cells != buffer, NULL);
  g_return_val_if_fail(are_cells_of(cells, width, height), NULL);

  meta = gst_stx_meta_add(buffer, gst_stx_occupancy_meta_get_info());
  meta->cells = gst_buffer_ref(cells);
  meta->width = width;
  meta->height = height;
  meta->resolution = resolution;
  return meta;
}

GstStxOccupancyMeta *gst_buffer_get_stx_occupancy_meta(GstBuffer *buffer)
{
  return (GstStxOccupancyMeta *)gst_buffer_get_meta(buffer, gst_stx_occupancy_meta_api_get_type());
}
