/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stixels/placing_private.h"

#include <gst/video/gstvideometa.h>
#include <gst/video/video.h>
#include <math.h>

#include "common/columns.h"
#include "gst/stixels/meta_private.h"

const gchar *gst_stx_image_tags[] = {
    GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR, GST_META_TAG_VIDEO_ORIENTATION_STR, NULL};

/* GstVideoMetaTransformMatrix of GStreamer 1.28, which the headers of older ones lack. */
typedef struct {
  const GstVideoInfo *in_info;
  GstVideoRectangle in_rectangle;
  const GstVideoInfo *out_info;
  GstVideoRectangle out_rectangle;
  gfloat matrix[3][3];
} MatrixTransform;

/* ---- Steps --------------------------------------------------------------------------------- */

/* A matrix counts the columns and rows of a mirrored picture by pixels: the first becomes the last.
 * Where it scales, it moves edges. */
static gdouble edge(gfloat offset, gfloat a, gfloat b)
{
  return offset - MIN(a, 0) - MIN(b, 0);
}

static gboolean step_of_matrix(const MatrixTransform *data, StxPlacement *step)
{
  const gfloat(*m)[3] = data->matrix;
  const GstVideoRectangle *in = &data->in_rectangle, *out = &data->out_rectangle;
  StxPlacement shift = {.xx = 1, .yy = 1, .x0 = -in->x, .y0 = -in->y};
  StxPlacement linear = {m[0][0], m[0][1], out->x + edge(m[0][2], m[0][0], m[0][1]), m[1][0],
      m[1][1], out->y + edge(m[1][2], m[1][0], m[1][1]), data->out_info->width,
      data->out_info->height};

  *step = stx_placement_then(&shift, &linear);
  return m[2][0] == 0 && m[2][1] == 0 && m[2][2] == 1;
}

static gboolean find_step(GQuark type, gpointer data, const GstVideoInfo **in, StxPlacement *step)
{
  const GstVideoMetaTransform *scale = data;
  gdouble shape;

  if (type != 0 && type == g_quark_try_string("gst-video-matrix")) {
    *in = ((MatrixTransform *)data)->in_info;
    return step_of_matrix(data, step);
  }
  if (!GST_VIDEO_META_TRANSFORM_IS_SCALE(type))
    return FALSE;
  *in = scale->in_info;
  shape = ((gdouble)scale->in_info->par_n / scale->in_info->par_d) /
          ((gdouble)scale->out_info->par_n / scale->out_info->par_d);
  return stx_placement_scaled(scale->in_info->width, scale->in_info->height, scale->out_info->width,
      scale->out_info->height, shape, step);
}

/* ---- Frames -------------------------------------------------------------------------------- */

/* The placement in a frame of that size; FALSE after an unknown change. */
static gboolean start(const GstStxStixelInfo *info, const StxPlacement *placement, gint width,
    gint height, StxPlacement *result)
{
  if (info->width == 0 || info->height == 0 || width <= 0 || height <= 0)
    return FALSE;
  if (placement->width > 0) { /* the size of its frame is known */
    *result = *placement;
    return placement->width == width && placement->height == height;
  }
  *result = stx_placement_fill(info->width, info->height, width, height);
  return stx_same_shape((gint)info->width, (gint)info->height, width, height);
}

gboolean gst_stx_place(gpointer meta, const StxPlacement *placement)
{
  if (meta != NULL)
    *gst_stx_placement_of(meta) = *placement;
  return meta != NULL;
}

gboolean gst_stx_placed_transform(
    GstBuffer *target, GstMeta *meta, GstBuffer *source, GQuark type, gpointer data)
{
  const GstBuffer **buffers = (const GstBuffer **)(meta + 1);
  const GstStxStixelInfo *image = (gpointer)(buffers + gst_stx_meta_kind(meta->info)->buffers);
  StxPlacement placement = *gst_stx_placement_of(meta), before, step;
  const GstVideoInfo *in;

  if (!gst_stx_meta_is_whole_copy(type, data)) {
    /* Whether the sizes are those before or behind that crop is not said. */
    if (gst_buffer_get_video_crop_meta(source) != NULL || !find_step(type, data, &in, &step) ||
        !start(image, &placement, in->width, in->height, &before))
      return FALSE;
    placement = stx_placement_then(&before, &step);
  }
  return gst_stx_place(gst_stx_meta_copy(target, meta), &placement);
}

gboolean gst_stx_placed_is_sound(const GstStxStixelInfo *info, const StxPlacement *at)
{
  const StxGrid grid = {.width = (gint)info->width,
      .height = (gint)info->height,
      .cell_width = (gint)info->stixel_width,
      .cell_height = 1};
  const StxCamera *camera = &info->camera;
  StxError error;

  return stx_grid_check(&grid, &error) && info->columns == (guint)stx_grid_columns(&grid) &&
         isfinite(camera->focal + camera->cx + camera->cy + camera->baseline + camera->height +
                  camera->pitch) &&
         camera->image_width >= 0 && camera->image_height >= 0 &&
         camera->missing <= STX_CAMERA_ALL &&
         isfinite(at->xx + at->xy + at->x0 + at->yx + at->yy + at->y0 + at->width + at->height);
}

void gst_stx_place_in_size(gpointer meta, const GstStxStixelInfo *info, guint width, guint height)
{
  g_return_if_fail(info->width > 0 && info->height > 0 && width > 0 && height > 0);

  *gst_stx_placement_of(meta) = stx_placement_fill(info->width, info->height, width, height);
}

gboolean gst_stx_placement_is_kept(GQuark type, gpointer data)
{
  const GstVideoInfo *in;
  StxPlacement step;

  return gst_stx_meta_is_whole_copy(type, data) ||
         (find_step(type, data, &in, &step) && step.xx == 1 && step.yy == 1 && step.x0 == 0 &&
             step.y0 == 0 && step.width == in->width && step.height == in->height);
}

gboolean gst_stx_placement_in_frame(const GstStxStixelInfo *info, const StxPlacement *placement,
    GstBuffer *frame, const GstCaps *caps, StxPlacement *result, GError **error)
{
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta(frame);
  const GstVideoMeta *whole = gst_buffer_get_video_meta(frame);
  const GstStructure *structure = caps != NULL && !gst_caps_is_empty(caps) && !gst_caps_is_any(caps)
                                      ? gst_caps_get_structure(caps, 0)
                                      : NULL;
  gint width, height, whole_width, whole_height;

  if (structure == NULL || !gst_structure_get_int(structure, "width", &width) ||
      !gst_structure_get_int(structure, "height", &height))
    return gst_stx_fail(error, "the caps of the frame do not say its width and height");
  whole_width = crop != NULL ? (whole != NULL ? (gint)whole->width : 0) : width;
  whole_height = crop != NULL ? (whole != NULL ? (gint)whole->height : 0) : height;
  if (!start(info, placement, whole_width, whole_height, result))
    return gst_stx_fail(error,
        "the frame has %dx%d pixels, and it is unknown how it was made of the %ux%u of its stixels",
        whole_width, whole_height, info->width, info->height);
  if (crop != NULL) {
    StxPlacement step = {.xx = 1,
        .yy = 1,
        .x0 = -(gdouble)crop->x,
        .y0 = -(gdouble)crop->y,
        .width = width,
        .height = height};

    *result = stx_placement_then(result, &step);
  }
  return TRUE;
}
