/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/obstacles/freemask.h"

#if GST_STX_HAVE_TENSORS
#include <gst/analytics/analytics.h>
#include <gst/video/video.h>
#include <math.h>
#include <string.h>

typedef struct {
  guint8 *data;
  gint width, height; /* rows follow each other without a gap: some programs know of none */
} Mask;

static void fill(const Mask *mask, gdouble x, gdouble y, gdouble width, gdouble height)
{
  gint left = CLAMP((gint)lround(x), 0, mask->width);
  gint right = CLAMP((gint)lround(x + width), left, mask->width);
  gint top = CLAMP((gint)lround(y), 0, mask->height);
  gint bottom = CLAMP((gint)lround(y + height), top, mask->height);

  for (gint row = top; row < bottom; row++)
    memset(mask->data + (gsize)row * (gsize)mask->width + left, 1, (gsize)(right - left));
}

/* Ground of a column below the foot of what stands there; all of it where nothing does. */
static void draw(const Mask *mask, const GstStxStixels *stixels, const GstStxObstacles *obstacles)
{
  const StxStixel *records = gst_stx_stixels_get_records(stixels);
  gdouble x, y, width, height;
  StxFreeSpace space;

  for (guint i = 0; i < gst_stx_stixels_get_count(stixels); i++)
    if (gst_stx_obstacles_get_free_space(obstacles, records[i].column, &space) &&
        records[i].kind == STX_KIND_GROUND && !isnan(space.z) &&
        (isinf(space.z) || records[i].top >= space.row) &&
        gst_stx_stixels_get_rectangle(stixels, i, &x, &y, &width, &height))
      fill(mask, x, y, width, height);
}

/* Transfer full; NULL: no memory. */
static GstBuffer *draw_mask(
    const GstStxStixels *stixels, const GstStxObstacles *obstacles, gint width, gint height)
{
  gsize size = (gsize)width * (gsize)height, offset[GST_VIDEO_MAX_PLANES] = {0};
  gint stride[GST_VIDEO_MAX_PLANES] = {width};
  g_autoptr(GstBuffer) buffer = gst_buffer_new_allocate(NULL, size, NULL);
  GstMapInfo mapped;

  if (buffer == NULL || !gst_buffer_map(buffer, &mapped, GST_MAP_WRITE))
    return NULL;
  memset(mapped.data, 0, size);
  draw(&(Mask){mapped.data, width, height}, stixels, obstacles);
  gst_buffer_unmap(buffer, &mapped);
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8,
      (guint)width, (guint)height, 1, offset, stride);
  return g_steal_pointer(&buffer);
}

static void attach(GstBuffer *frame, GstBuffer *mask, gint width, gint height)
{
  GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta(frame);
  GQuark names[] = {
      g_quark_from_static_string("background"), g_quark_from_static_string("free space")};
  gfloat levels[] = {-1, -1}; /* unknown */
  guint ids[] = {0, 1};
  GstAnalyticsSegmentationMtd segmentation;
  GstAnalyticsClsMtd classes;

  if (relations == NULL)
    relations = gst_buffer_add_analytics_relation_meta(frame);
  if (!gst_analytics_relation_meta_add_segmentation_mtd(relations, mask,
          GST_SEGMENTATION_TYPE_SEMANTIC, 2, ids, 0, 0, (guint)width, (guint)height,
          &segmentation)) {
    gst_buffer_unref(mask);
    return;
  }
  if (gst_analytics_relation_meta_add_cls_mtd(relations, 2, levels, names, &classes))
    gst_analytics_relation_meta_set_relation(
        relations, GST_ANALYTICS_REL_TYPE_RELATE_TO, segmentation.id, classes.id);
}

gboolean gst_stx_free_mask_attach(
    GstBuffer *frame, const GstCaps *caps, gint width, gint height, GError **error)
{
  g_autoptr(GstStxStixels) stixels = gst_stx_stixels_new_from_buffer(frame, caps, error);
  g_autoptr(GstStxObstacles) obstacles =
      stixels != NULL ? gst_stx_obstacles_new_from_buffer(frame, caps, error) : NULL;
  GstBuffer *mask = obstacles != NULL ? draw_mask(stixels, obstacles, width, height) : NULL;

  if (mask != NULL)
    attach(frame, mask, width, height);
  else if (obstacles != NULL)
    g_set_error_literal(
        error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "no memory for it");
  return mask != NULL;
}
#else
gboolean gst_stx_free_mask_attach(
    GstBuffer *frame, const GstCaps *caps, gint width, gint height, GError **error)
{
  g_set_error_literal(error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
      "this build is for GStreamer before 1.26, which has no segmentations");
  return FALSE;
}
#endif
