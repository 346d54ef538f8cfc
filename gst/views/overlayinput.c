/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/views/overlayinput.h"

#include "gst/base/inputs.h"
#include "gst/formats/regions.h"

void gst_overlay_complete_camera(GstStxStixelInfo *info, const StxCamera *video)
{
  StxCamera camera = *video;

  if (info->camera.focal <= 0 && camera.focal > 0 &&
      stx_camera_fit(&camera, (gint)info->width, (gint)info->height, NULL))
    info->camera = camera;
}

/* ---- Attached stixels ---------------------------------------------------------------------- */

/* Where the image of the stixels lies in their frame, whatever was done to it. */
static StxPlacement placement_of(const GstStxStixels *stixels, const GstVideoInfo *video)
{
  StxPlacement at = {.width = GST_VIDEO_INFO_WIDTH(video), .height = GST_VIDEO_INFO_HEIGHT(video)};
  const GstStxStixelInfo *info = gst_stx_stixels_get_info(stixels);

  gst_stx_stixels_get_position(stixels, 0, 0, &at.x0, &at.y0);
  gst_stx_stixels_get_position(stixels, info->width, 0, &at.xx, &at.yx);
  gst_stx_stixels_get_position(stixels, 0, info->height, &at.xy, &at.yy);
  at.xx = (at.xx - at.x0) / info->width;
  at.yx = (at.yx - at.y0) / info->width;
  at.xy = (at.xy - at.x0) / info->height;
  at.yy = (at.yy - at.y0) / info->height;
  return at;
}

GstBuffer *gst_overlay_attached(
    GstBuffer *frame, const GstCaps *caps, GstStxImage *image, StxError *error)
{
  GError *cause = NULL;
  GstStxStixels *stixels = gst_stx_stixels_new_from_buffer(frame, caps, &cause);
  GstVideoInfo video;
  GstBuffer *records;

  if (stixels == NULL) {
    stx_fail(error, "cannot draw the stixels that are attached to the frame: %s", cause->message);
    g_error_free(cause);
    return NULL;
  }
  gst_video_info_from_caps(&video, caps);
  image->info = *gst_stx_stixels_get_info(stixels);
  image->placement = placement_of(stixels, &video);
  records = gst_buffer_ref(gst_stx_stixels_get_buffer(stixels));
  gst_stx_stixels_unref(stixels);
  return records;
}

void gst_overlay_attach(
    GstBuffer *frame, GstBuffer *stixels, const GstStxStixelInfo *info, const GstVideoInfo *video)
{
  GstStxStixelMeta *meta;

  while ((meta = gst_buffer_get_stx_stixel_meta(frame)) != NULL)
    gst_buffer_remove_meta(frame, &meta->meta);
  meta = gst_buffer_add_stx_stixel_meta(frame, stixels, info);
  gst_stx_stixel_meta_set_frame_size(
      meta, GST_VIDEO_INFO_WIDTH(video), GST_VIDEO_INFO_HEIGHT(video));
}

static gboolean take_obstacles(
    GstBuffer *buffer, const GstStxStixelInfo *info, GstOverlayDrawing *drawing)
{
  const GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(buffer);

  if (meta == NULL || meta->info.width != info->width || meta->info.height != info->height)
    return FALSE;
  drawing->obstacles = meta->obstacles;
  drawing->free_space = meta->free_space;
  return TRUE;
}

void gst_overlay_find_obstacles(
    GstBuffer *frame, const GstStxStixelInfo *info, GstOverlayDrawing *drawing)
{
  if (!take_obstacles(frame, info, drawing))
    take_obstacles(drawing->stixels, info, drawing);
}

void gst_overlay_attach_obstacles(
    const GstStxRegionsFrame *frame, const GstCaps *caps, const GstOverlayDrawing *drawing)
{
  const GstStxObstaclesMeta *found = gst_buffer_get_stx_obstacles_meta(drawing->stixels);
  GstStxObstaclesMeta *older;
  GError *error = NULL;

  if (found == NULL || drawing->obstacles != found->obstacles)
    return;
  while ((older = gst_buffer_get_stx_obstacles_meta(frame->buffer)) != NULL)
    gst_buffer_remove_meta(frame->buffer, &older->meta);
  gst_buffer_add_stx_obstacles_meta(
      frame->buffer, found->obstacles, found->free_space, &found->info);
  if (!gst_stx_regions_attach(frame, caps, &error))
    GST_WARNING("no regions of interest: %s", error->message);
  g_clear_error(&error);
}

/* ---- Truth --------------------------------------------------------------------------------- */

static gboolean is_truth_of(
    const GstStxStixelInfo *info, const GstStxStixelInfo *truth, StxError *error)
{
  return (info->width == truth->width && info->height == truth->height &&
             info->stixel_width == truth->stixel_width && info->columns == truth->columns) ||
         stx_fail(error,
             "the true stixels are %u columns of %u pixels of an image of %ux%u, the others %u "
             "columns of %u pixels of %ux%u: cut both with the same stixel-width, of images of one "
             "size",
             truth->columns, truth->stixel_width, truth->width, truth->height, info->columns,
             info->stixel_width, info->width, info->height);
}

gboolean gst_overlay_check_truth(const GstStxStixelInfo *info, const GstStxStixelInfo *truth_info,
    GstBuffer *truth, StxError *error)
{
  if (truth_info == NULL)
    return stx_fail(error,
        "mode=truth compares with the stixels of pad truth, which is not linked: link it to those "
        "of a true disparity, or choose another mode");
  return truth == NULL || (is_truth_of(info, truth_info, error) &&
                              gst_stx_check_input(truth, 0, sizeof(StxStixel), error));
}

/* ---- Warnings ------------------------------------------------------------------------------ */

void gst_overlay_warn_of_none(GstElement *element, GstBuffer *frame, gboolean linked)
{
  if (linked)
    GST_ELEMENT_WARNING(element, STREAM, FAILED,
        ("The frame at %" GST_TIME_FORMAT " has no stixels: it and others like it show the last "
         "ones for the time that the property hold sets, then none",
            GST_TIME_ARGS(GST_BUFFER_PTS(frame))),
        ("no buffer of pad stixels has its timestamp; the property frames-without-stixels counts"));
  else
    GST_ELEMENT_WARNING(element, STREAM, FAILED,
        ("The frame at %" GST_TIME_FORMAT " goes on undrawn: pad stixels is not linked, and no "
         "stixels are attached to the frame",
            GST_TIME_ARGS(GST_BUFFER_PTS(frame))),
        (NULL));
}

void gst_overlay_warn_of_no_obstacles(GstElement *element)
{
  GST_ELEMENT_WARNING(element, STREAM, FAILED,
      ("labels=id and labels=class write what is known of obstacles, and none were looked for: set "
       "obstacles=true on stereo-stixels, or put stixel-obstacles in front of pad stixels"),
      ("the stixels have no GstStxObstaclesMeta"));
}

void gst_overlay_warn_of_no_truth(GstElement *element)
{
  GST_ELEMENT_WARNING(element, STREAM, FAILED,
      ("A frame has no true stixels: on it and others like it no stixel is drawn"),
      ("no buffer of pad truth has its timestamp"));
}

void gst_overlay_warn_of_skipped(GstElement *element, guint skipped, guint drawn)
{
  GST_ELEMENT_WARNING(element, STREAM, FORMAT,
      ("%u of %u stixels are not valid and were skipped", skipped, skipped + drawn),
      ("outside of the image, upside down, of unknown kind, overlapping or not finite"));
}
