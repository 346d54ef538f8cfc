/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/core/frames.h"

#include <string.h>

gboolean gst_stx_video_info(GstVideoInfo *info, const GstCaps *caps, StxError *error)
{
  g_autofree gchar *text = NULL;

  if (gst_video_info_from_caps(info, caps))
    return TRUE;
  text = gst_caps_to_string(caps);
  stx_fail(error, "caps %.200s describe no picture", text);
  return FALSE;
}

guint gst_stx_first_component(const GstVideoInfo *info, guint plane)
{
  guint component = 0;

  while (GST_VIDEO_INFO_COMP_PLANE(info, component) != plane)
    component++;
  return component;
}

/* The widest component counts: of YUY2 with an odd width that is not the first. */
GstStxPlane gst_stx_plane(const GstVideoInfo *info, guint plane)
{
  GstStxPlane shape = {0};

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(info); c++) {
    gsize row_bytes =
        (gsize)GST_VIDEO_INFO_COMP_WIDTH(info, c) * (gsize)GST_VIDEO_INFO_COMP_PSTRIDE(info, c);

    if (GST_VIDEO_INFO_COMP_PLANE(info, c) != plane)
      continue;
    shape.row_bytes = MAX(shape.row_bytes, row_bytes);
    shape.rows = (gsize)GST_VIDEO_INFO_COMP_HEIGHT(info, c);
    shape.unit = (guint)(GST_VIDEO_INFO_COMP_DEPTH(info, c) + 7) / 8;
  }
  return shape;
}

gboolean gst_stx_fail_fit(GstBuffer *buffer, const GstVideoInfo *info, StxError *error)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  gchar layout[96] = "";

  if (meta != NULL)
    g_snprintf(layout, sizeof layout,
        "; its GstVideoMeta: %ux%u, at byte %" G_GSIZE_FORMAT ", rows of %d bytes", meta->width,
        meta->height, meta->offset[0], meta->stride[0]);
  return stx_fail(error,
      "a buffer of %" G_GSIZE_FORMAT " bytes does not fit its caps: %dx%d in %s needs "
      "%" G_GSIZE_FORMAT "%s",
      gst_buffer_get_size(buffer), GST_VIDEO_INFO_WIDTH(info), GST_VIDEO_INFO_HEIGHT(info),
      GST_VIDEO_INFO_NAME(info), GST_VIDEO_INFO_SIZE(info), layout);
}

/* The memory behind a plane: one map each with a GstVideoMeta, else one for all. */
static const GstMapInfo *map_of(const GstVideoFrame *frame, guint plane)
{
  return &frame->map[frame->meta != NULL ? plane : 0];
}

/* All rows of a plane within `size` bytes of memory, the first one at the byte `first`, counted in
 * offsets: sums of addresses could overflow. */
static gboolean is_inside(GstStxPlane shape, gint64 first, gint64 stride, gsize size)
{
  gint64 last = first + stride * ((gint64)shape.rows - 1);

  return MIN(first, last) >= 0 && ABS(stride) >= (gint64)shape.row_bytes &&
         MAX(first, last) + (gint64)shape.row_bytes <= (gint64)size;
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

  for (guint p = 0; inside && p < GST_VIDEO_INFO_N_PLANES(info); p++) {
    const GstMapInfo *map = map_of(frame, p);

    inside = is_inside(gst_stx_plane(info, p),
        (const guint8 *)GST_VIDEO_FRAME_PLANE_DATA(frame, p) - map->data,
        GST_VIDEO_FRAME_PLANE_STRIDE(frame, p), map->size);
  }
  return inside;
}

/* A plane that a GstVideoMeta describes lies in the one memory that has its first byte. */
static gboolean is_in_memory(GstBuffer *buffer, const GstVideoInfo *info, guint plane)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  guint index, count;
  gsize skip;

  return gst_buffer_find_memory(buffer, meta->offset[plane], 1, &index, &count, &skip) &&
         is_inside(gst_stx_plane(info, plane), (gint64)skip, meta->stride[plane],
             gst_memory_get_sizes(gst_buffer_peek_memory(buffer, index), NULL, NULL));
}

gboolean gst_stx_frame_check(GstBuffer *buffer, const GstVideoInfo *info, StxError *error)
{
  gboolean described = gst_buffer_get_video_meta(buffer) != NULL;
  gboolean inside = is_alike(buffer, info) &&
                    (described || gst_buffer_get_size(buffer) >= GST_VIDEO_INFO_SIZE(info));

  for (guint p = 0; inside && described && p < GST_VIDEO_INFO_N_PLANES(info); p++)
    inside = is_in_memory(buffer, info, p);
  return inside || gst_stx_fail_fit(buffer, info, error);
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

/* ---- Parts --------------------------------------------------------------------------------- */

/* Bytes from the beginning of a plane to the part. */
static gssize skip_to(
    const GstVideoInfo *info, guint plane, const GstVideoRectangle *part, gint stride)
{
  guint component = gst_stx_first_component(info, plane);
  gssize x = GST_VIDEO_FORMAT_INFO_SCALE_WIDTH(info->finfo, component, part->x);
  gssize y = GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(info->finfo, component, part->y);

  return x * GST_VIDEO_INFO_COMP_PSTRIDE(info, component) + y * stride;
}

GstBuffer *gst_stx_frame_part(
    GstBuffer *buffer, const GstVideoInfo *info, const GstVideoRectangle *part, StxError *error)
{
  gsize offset[GST_VIDEO_MAX_PLANES] = {0};
  gint stride[GST_VIDEO_MAX_PLANES] = {0};
  const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  GstBuffer *result;

  if (!is_alike(buffer, info) || gst_buffer_n_memory(buffer) == 0 ||
      (meta == NULL && gst_buffer_get_size(buffer) < GST_VIDEO_INFO_SIZE(info))) {
    gst_stx_fail_fit(buffer, info, error);
    return NULL;
  }
  /* The start of the part's planes: by the buffer's own description, or by the caps. */
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(info); p++) {
    stride[p] = meta != NULL ? meta->stride[p] : GST_VIDEO_INFO_PLANE_STRIDE(info, p);
    offset[p] = meta != NULL ? meta->offset[p] : GST_VIDEO_INFO_PLANE_OFFSET(info, p);
    offset[p] += (gsize)skip_to(info, p, part, stride[p]);
  }
  result = gst_buffer_new();
  if (meta == NULL)
    gst_buffer_append_memory(result, gst_buffer_get_all_memory(buffer));
  else /* a plane is looked for at its offset, in the one memory that has it */
    for (guint i = 0; i < gst_buffer_n_memory(buffer); i++)
      gst_buffer_append_memory(result, gst_buffer_get_memory(buffer, i));
  gst_buffer_add_video_meta_full(result, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(info),
      (guint)part->w, (guint)part->h, GST_VIDEO_INFO_N_PLANES(info), offset, stride);
  return result;
}

/* ---- Padding ------------------------------------------------------------------------------- */

void gst_stx_frame_clear_padding(GstVideoFrame *frame)
{
  gssize stride = GST_VIDEO_FRAME_PLANE_STRIDE(frame, 0);
  gssize used = (gssize)gst_stx_plane(&frame->info, 0).row_bytes;
  const GstMapInfo *map = map_of(frame, 0);
  guint8 *row = GST_VIDEO_FRAME_PLANE_DATA(frame, 0), *end = map->data + map->size;

  for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(frame, 0) && stride > used; y++, row += stride)
    memset(row + used, 0, (gsize)MIN(stride - used, end - (row + used)));
}
