/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/motionmeta.h"

#include <string.h>

#include "gst/stixels/meta_private.h"

static gboolean is_sound(gconstpointer meta)
{
  return ((const GstStxMotionMeta *)meta)->motion.state <= STX_MOTION_STILL;
}

static const GstStxMetaField fields[] = {
    GST_STX_META_RUN(GstStxMotionMeta, motion.state, motion.state, 4),
    GST_STX_META_RUN(GstStxMotionMeta, motion.rotation, motion.deviation, 8),
    GST_STX_META_RUN(GstStxMotionMeta, motion.points, motion.agree, 4),
    GST_STX_META_RUN(GstStxMotionMeta, interval, interval, 8),
    GST_STX_META_RUN(GstStxMotionMeta, width, height, 4),
    {0},
};

static const GstStxMetaKind kind = {
    GST_STX_META_NAMES(GstStxMotionMeta),
    .size = sizeof(GstStxMotionMeta),
    .buffers = 1,
    .optional = 1,
    .records = {sizeof(StxMotionPoint)},
    .transform = gst_stx_meta_keep,
    .is_sound = is_sound,
    .fields = fields,
};

GST_STX_DEFINE_META(Motion, motion)

GstStxMotionMeta *gst_buffer_add_stx_motion_meta(GstBuffer *buffer, const StxMotion *motion,
    GstClockTime interval, GstBuffer *points, guint width, guint height)
{
  GstStxMotionMeta *meta;

  g_return_val_if_fail(GST_IS_BUFFER(buffer) && gst_buffer_is_writable(buffer), NULL);
  g_return_val_if_fail(motion != NULL, NULL);
  g_return_val_if_fail(points == NULL || GST_IS_BUFFER(points), NULL);
  g_return_val_if_fail(gst_stx_meta_is_whole(points, sizeof(StxMotionPoint)), NULL);

  meta = gst_stx_meta_add(buffer, gst_stx_motion_meta_get_info());
  meta->points = points != NULL ? gst_buffer_ref(points) : NULL;
  meta->motion = *motion;
  meta->interval = interval;
  meta->width = width;
  meta->height = height;
  return meta;
}

/* now⁻¹ · before; the inverse of a rotation is its transpose. */
static StxMotion between(const gdouble *before, const gdouble *now)
{
  StxMotion motion = {.state = STX_MOTION_KNOWN};

  for (gint i = 0; i < 3; i++)
    for (gint k = 0; k < 3; k++) {
      const gdouble r = now[4 * k + i];

      for (gint j = 0; j < 3; j++)
        motion.rotation[3 * i + j] += r * before[4 * k + j];
      motion.translation[i] += r * (before[4 * k + 3] - now[4 * k + 3]);
    }
  return motion;
}

GstStxMotionMeta *gst_buffer_add_stx_motion_meta_of_poses(GstBuffer *buffer, const gdouble *before,
    const gdouble *now, const gdouble *deviation, GstClockTime interval)
{
  StxMotion motion = {.state = STX_MOTION_FIRST};

  g_return_val_if_fail(now != NULL, NULL);

  if (before != NULL)
    motion = between(before, now);
  if (before != NULL && deviation != NULL)
    memcpy(motion.deviation, deviation, sizeof motion.deviation);
  return gst_buffer_add_stx_motion_meta(buffer, &motion, interval, NULL, 0, 0);
}

gboolean gst_buffer_copy_stx_motion_meta(GstBuffer *to, GstBuffer *from)
{
  GstStxMotionMeta *found = gst_buffer_get_stx_motion_meta(from), *older;

  g_return_val_if_fail(GST_IS_BUFFER(to) && gst_buffer_is_writable(to), FALSE);

  if (found == NULL || to == from)
    return found != NULL;
  while ((older = gst_buffer_get_stx_motion_meta(to)) != NULL)
    gst_buffer_remove_meta(to, &older->meta);
  return gst_stx_meta_copy(to, &found->meta) != NULL;
}
