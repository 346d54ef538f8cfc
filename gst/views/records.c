/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/views/records.h"

#include <gst/video/video.h>

#include "gst/base/inputs.h"
#include "gst/columns/columns.h"

GstBuffer *gst_stx_scan_labels(GstBuffer *scan)
{
  GstStxPointLabelsMeta *meta = gst_buffer_get_stx_point_labels_meta(scan);
  gsize points = gst_buffer_get_size(scan) / GST_STX_POINT_BYTES;

  return meta != NULL && gst_buffer_get_size(meta->labels) == points * sizeof(guint32)
             ? meta->labels
             : NULL;
}

/* Those that were found in a scan have no image. */
GstBuffer *gst_stx_scan_obstacles(GstBuffer *scan)
{
  GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(scan);

  return meta != NULL && meta->info.width == 0 ? meta->obstacles : NULL;
}

gboolean gst_stx_scan_hues_follow(
    GstStxScanHues *hues, const GstStxMapped *points, const GstStxMapped *labels, StxError *error)
{
  gsize count = labels->data != NULL ? points->count : 0;

  hues->labels = NULL;
  if (count == 0)
    return TRUE;
  if (!gst_stx_scratch_reserve(&hues->memory, count * sizeof(guint32), error))
    return FALSE;
  if (hues->state == NULL)
    hues->state = g_new0(StxClusterHues, 1);
  stx_cluster_hues(hues->state, points->data, labels->data, count, hues->memory.data);
  hues->labels = hues->memory.data;
  return TRUE;
}

void gst_stx_scan_hues_clear(GstStxScanHues *hues)
{
  g_clear_pointer(&hues->state, g_free);
  gst_stx_scratch_clear(&hues->memory);
}

gdouble gst_stx_share_above(const GstStxMapped *stixels, gdouble disparity)
{
  gint64 above = 0, all = 0;

  for (gsize i = 0; i < stixels->count; i++) {
    const StxStixel *stixel = &((const StxStixel *)stixels->data)[i];
    gdouble middle = ((gdouble)stixel->disparity_top + stixel->disparity_bottom) / 2;
    gint rows = middle > 0 ? stixel->bottom - stixel->top + 1 : 0;

    all += rows;
    above += middle > disparity ? rows : 0;
  }
  return all > 0 ? (gdouble)above / (gdouble)all : 0;
}

gdouble gst_stx_needed_share(
    const GstStxMapped *stixels, const StxCamera *camera, gdouble range, gdouble least)
{
  gdouble share = 1;

  while (range * share >= 5 * least &&
         gst_stx_share_above(stixels, 5 * camera->focal * camera->baseline / (range * share)) >= .7)
    share /= 5;
  return share;
}

GstBuffer *gst_stx_attached_stixels(
    GstBuffer *frame, const GstCaps *caps, GstStxImage *image, StxError *error)
{
  g_autoptr(GError) cause = NULL;
  g_autoptr(GstStxStixels) stixels = gst_stx_stixels_new_from_buffer(frame, caps, &cause);
  gdouble corners[3][2], width, height;
  GstVideoInfo video;

  if (stixels == NULL) {
    stx_fail(error, "cannot draw the stixels that are attached to the frame: %s", cause->message);
    return NULL;
  }
  gst_video_info_from_caps(&video, caps);
  image->info = *gst_stx_stixels_get_info(stixels);
  width = image->info.width;
  height = image->info.height;
  gst_stx_stixels_get_position(stixels, 0, 0, &corners[0][0], &corners[0][1]);
  gst_stx_stixels_get_position(stixels, width, 0, &corners[1][0], &corners[1][1]);
  gst_stx_stixels_get_position(stixels, 0, height, &corners[2][0], &corners[2][1]);
  image->placement = stx_placement_of_corners(width, height, (const gdouble(*)[2])corners,
      GST_VIDEO_INFO_WIDTH(&video), GST_VIDEO_INFO_HEIGHT(&video));
  return gst_buffer_ref(gst_stx_stixels_get_buffer(stixels));
}

gboolean gst_stx_input_parse(const GstCaps *caps, GstStxInput *input, StxCamera *frame_camera,
    GstStxStixelInfo *info, const gchar *scans, const gchar *cure, StxError *error)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);

  *input = gst_structure_has_name(structure, "video/x-raw")                ? GST_STX_INPUT_FRAMES
           : gst_structure_has_name(structure, GST_STX_STIXELS_MEDIA_TYPE) ? GST_STX_INPUT_STIXELS
                                                                           : GST_STX_INPUT_SCANS;
  gst_stx_camera_from_caps(caps, frame_camera);
  if (*input == GST_STX_INPUT_STIXELS)
    return gst_stx_stixels_caps_parse(caps, info, error);
  return *input == GST_STX_INPUT_FRAMES ||
         gst_structure_has_name(structure, GST_STX_LIDAR_MEDIA_TYPE) ||
         stx_fail(error,
             "expected " GST_STX_STIXELS_MEDIA_TYPE
             ", video/x-raw with stixels attached, or " GST_STX_LIDAR_MEDIA_TYPE
             "%s, not %.60s: %s",
             scans, gst_structure_get_name(structure), cure);
}
