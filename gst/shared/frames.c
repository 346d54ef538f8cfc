/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/shared/frames.h"

#include <string.h>

GstStxPlane gst_stx_plane(const GstVideoInfo *info, guint plane)
{
  guint component = 0;

  while (GST_VIDEO_INFO_COMP_PLANE(info, component) != plane)
    component++;
  return (GstStxPlane){.row_bytes = (gsize)GST_VIDEO_INFO_COMP_WIDTH(info, component) *
                                    (gsize)GST_VIDEO_INFO_COMP_PSTRIDE(info, component),
      .rows = (gsize)GST_VIDEO_INFO_COMP_HEIGHT(info, component),
      .unit = (guint)(GST_VIDEO_INFO_COMP_DEPTH(info, component) + 7) / 8};
}

gboolean gst_stx_fail_fit(GstBuffer *buffer, const GstVideoInfo *info, StxError *error)
{
  return stx_fail(error,
      "a buffer of %" G_GSIZE_FORMAT " bytes does not fit its caps: %dx%d in %s needs "
      "%" G_GSIZE_FORMAT,
      gst_buffer_get_size(buffer), GST_VIDEO_INFO_WIDTH(info), GST_VIDEO_INFO_HEIGHT(info),
      GST_VIDEO_INFO_NAME(info), GST_VIDEO_INFO_SIZE(info));
}

/* The memory behind a plane: one map each with a GstVideoMeta, else one for all. */
static const GstMapInfo *map_of(const GstVideoFrame *frame, guint plane)
{
  return &frame->map[frame->meta != NULL ? plane : 0];
}

/* All rows within the memory, counted in offsets: sums of addresses could overflow. */
static gboolean is_inside(const GstVideoFrame *frame, const GstVideoInfo *info, guint plane)
{
  GstStxPlane shape = gst_stx_plane(info, plane);
  const GstMapInfo *map = map_of(frame, plane);
  gint64 first = (const guint8 *)GST_VIDEO_FRAME_PLANE_DATA(frame, plane) - map->data;
  gint64 stride = GST_VIDEO_FRAME_PLANE_STRIDE(frame, plane);
  gint64 last = first + stride * ((gint64)shape.rows - 1);

  return MIN(first, last) >= 0 && ABS(stride) >= (gint64)shape.row_bytes &&
         MAX(first, last) + (gint64)shape.row_bytes <= (gint64)map->size;
}

/* The same format, and no fewer columns and rows. GStreamer asserts on the rest. */
static gboolean is_alike(GstBuffer *buffer, const GstVideoInfo *info)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);

  return meta == NULL || (meta->format == GST_VIDEO_INFO_FORMAT(info) &&
                             meta->n_planes == GST_VIDEO_INFO_N_PLANES(info) &&
                             meta->width >= (guint)GST_VIDEO_INFO_WIDTH(info) &&
                             meta->height >= (guint)GST_VIDEO_INFO_HEIGHT(info));
}

static gboolean fits(const GstVideoFrame *frame, const GstVideoInfo *info)
{
  gboolean inside = TRUE;

  for (guint p = 0; inside && p < GST_VIDEO_INFO_N_PLANES(info); p++)
    inside = is_inside(frame, info, p);
  return inside;
}

gboolean gst_stx_frame_map(GstVideoFrame *frame, const GstVideoInfo *info, GstBuffer *buffer,
    GstMapFlags access, StxError *error)
{
  GstVideoFrame mapped;

  if (!is_alike(buffer, info) || !gst_video_frame_map(&mapped, info, buffer, access))
    return gst_stx_fail_fit(buffer, info, error);
  if (!fits(&mapped, info)) {
    gst_video_frame_unmap(&mapped);
    return gst_stx_fail_fit(buffer, info, error);
  }
  *frame = mapped;
  frame->info.width = info->width; /* what lies beyond is none of ours */
  frame->info.height = info->height;
  return TRUE;
}

void gst_stx_frame_clear_padding(GstVideoFrame *frame)
{
  gssize stride = GST_VIDEO_FRAME_PLANE_STRIDE(frame, 0);
  gssize used = GST_VIDEO_FRAME_COMP_WIDTH(frame, 0) * GST_VIDEO_FRAME_COMP_PSTRIDE(frame, 0);
  const GstMapInfo *map = map_of(frame, 0);
  guint8 *row = GST_VIDEO_FRAME_PLANE_DATA(frame, 0), *end = map->data + map->size;

  for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(frame, 0) && stride > used; y++, row += stride)
    memset(row + used, 0, (gsize)MIN(stride - used, end - (row + used)));
}
