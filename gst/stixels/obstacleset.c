/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/obstacleset.h"

#include "common/lookup/lookup.h"
#include "gst/stixels/frame_private.h"
#include "gst/stixels/mediatypes.h"
#include "gst/stixels/meta_private.h"
#include "gst/stixels/obstaclesmeta.h"

struct _GstStxObstacles {
  GstStxRecords records, free_space;
  GstStxFrame frame;
};

G_DEFINE_BOXED_TYPE(
    GstStxObstacles, gst_stx_obstacles, gst_stx_obstacles_ref, gst_stx_obstacles_unref)

static GstStxObstacles *new_of(
    GstBuffer *records, GstBuffer *free_space, const GstStxFrame *frame, GError **error)
{
  g_autoptr(GstStxObstacles) self = g_atomic_rc_box_new0(GstStxObstacles);

  self->frame = *frame;
  return gst_stx_records_open(&self->records, records, sizeof(StxObstacle), "obstacles", error) &&
                 gst_stx_records_open(&self->free_space, free_space, sizeof(StxFreeSpace),
                     "records of free space", error)
             ? g_steal_pointer(&self)
             : NULL;
}

GstStxObstacles *gst_stx_obstacles_new(
    GstBuffer *records, GstBuffer *free_space, const GstStxStixelInfo *info, GError **error)
{
  const GstStxStixelInfo of_scan = {0};
  GstStxFrame frame;

  g_return_val_if_fail(GST_IS_BUFFER(records), NULL);
  g_return_val_if_fail(free_space == NULL || GST_IS_BUFFER(free_space), NULL);

  gst_stx_frame_is_image(&frame, info != NULL ? info : &of_scan);
  return new_of(records, free_space, &frame, error);
}

static GstStxObstacles *new_of_meta(GstBuffer *buffer, const GstCaps *caps, GError **error)
{
  GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(buffer);
  GstStxFrame frame;

  if (meta == NULL) {
    gst_stx_fail(error, "the buffer carries no obstacles: stixel-obstacles attaches them, and "
                        "elements that change a frame without saying how take them away");
    return NULL;
  }
  gst_stx_frame_is_image(&frame, &meta->info); /* as for buffers of stixels; a scan has none */
  if (meta->info.width != 0 && !gst_stx_caps_are(caps, GST_STX_STIXELS_MEDIA_TYPE) &&
      !gst_stx_placement_in_frame(
          &meta->info, gst_stx_placement_of(meta), buffer, caps, &frame.placement, error))
    return NULL;
  return new_of(meta->obstacles, meta->free_space, &frame, error);
}

GstStxObstacles *gst_stx_obstacles_new_from_buffer(
    GstBuffer *buffer, const GstCaps *caps, GError **error)
{
  GstStxStixelInfo info;

  g_return_val_if_fail(GST_IS_BUFFER(buffer), NULL);

  if (!gst_stx_caps_are(caps, GST_STX_OBSTACLES_MEDIA_TYPE))
    return new_of_meta(buffer, caps, error);
  if (!gst_stx_stixel_info_from_caps(&info, caps, error))
    return NULL;
  return gst_stx_obstacles_new(buffer, NULL, &info, error);
}

GstStxObstacles *gst_stx_obstacles_new_from_sample(GstSample *sample, GError **error)
{
  g_return_val_if_fail(GST_IS_SAMPLE(sample), NULL);

  if (gst_sample_get_buffer(sample) == NULL) {
    gst_stx_fail(error, "the sample has no buffer");
    return NULL;
  }
  return gst_stx_obstacles_new_from_buffer(
      gst_sample_get_buffer(sample), gst_sample_get_caps(sample), error);
}

GstStxObstacles *gst_stx_obstacles_ref(GstStxObstacles *self)
{
  g_return_val_if_fail(self != NULL, NULL);

  return g_atomic_rc_box_acquire(self);
}

static void clear(gpointer data)
{
  GstStxObstacles *self = data;

  gst_stx_records_clear(&self->records);
  gst_stx_records_clear(&self->free_space);
}

void gst_stx_obstacles_unref(GstStxObstacles *self)
{
  g_return_if_fail(self != NULL);

  g_atomic_rc_box_release_full(self, clear);
}

/* ---- Reading ------------------------------------------------------------------------------- */

const GstStxStixelInfo *gst_stx_obstacles_get_info(const GstStxObstacles *self)
{
  g_return_val_if_fail(self != NULL, NULL);

  return &self->frame.info;
}

GstBuffer *gst_stx_obstacles_get_buffer(const GstStxObstacles *self)
{
  g_return_val_if_fail(self != NULL, NULL);

  return self->records.buffer;
}

GstBuffer *gst_stx_obstacles_get_free_buffer(const GstStxObstacles *self)
{
  g_return_val_if_fail(self != NULL, NULL);

  return self->free_space.buffer;
}

guint gst_stx_obstacles_get_count(const GstStxObstacles *self)
{
  g_return_val_if_fail(self != NULL, 0);

  return self->records.count;
}

gboolean gst_stx_obstacles_get_obstacle(
    const GstStxObstacles *self, guint index, StxObstacle *obstacle)
{
  g_return_val_if_fail(self != NULL && obstacle != NULL, FALSE);

  return gst_stx_records_get(&self->records, index, obstacle, sizeof *obstacle);
}

guint gst_stx_obstacles_get_free_count(const GstStxObstacles *self)
{
  g_return_val_if_fail(self != NULL, 0);

  return self->free_space.count;
}

gboolean gst_stx_obstacles_get_free_space(
    const GstStxObstacles *self, guint column, StxFreeSpace *free_space)
{
  g_return_val_if_fail(self != NULL && free_space != NULL, FALSE);

  return gst_stx_records_get(&self->free_space, column, free_space, sizeof *free_space);
}

/* ---- The frame ----------------------------------------------------------------------------- */

gboolean gst_stx_obstacles_get_rectangle(const GstStxObstacles *self, guint index, gdouble *x,
    gdouble *y, gdouble *width, gdouble *height)
{
  StxRectangle area = {0};
  StxObstacle obstacle;

  g_return_val_if_fail(self != NULL, FALSE);
  g_return_val_if_fail(x != NULL && y != NULL && width != NULL && height != NULL, FALSE);

  if (gst_stx_obstacles_get_obstacle(self, index, &obstacle))
    area = stx_obstacle_area(&obstacle);
  return gst_stx_frame_rectangle(&self->frame, &area, x, y, width, height);
}

gint gst_stx_obstacles_find_at(const GstStxObstacles *self, gdouble x, gdouble y)
{
  gdouble u, v;
  gsize index;

  g_return_val_if_fail(self != NULL, -1);

  if (!gst_stx_frame_back(&self->frame, x, y, &u, &v) ||
      !stx_obstacle_at(
          (const StxObstacle *)self->records.map.data, self->records.count, u, v, &index))
    return -1;
  return (gint)index;
}

gboolean gst_stx_obstacles_get_camera(const GstStxObstacles *self, StxCamera *camera)
{
  g_return_val_if_fail(self != NULL && camera != NULL, FALSE);

  return gst_stx_frame_camera(&self->frame, camera);
}
