/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststixelpainter.h"

#include <string.h>

#include "gst/gststxtransform.h"

static StxMatrix matrix_of(const GstVideoInfo *video)
{
  switch (video->colorimetry.matrix) {
  case GST_VIDEO_COLOR_MATRIX_BT709:
    return STX_MATRIX_BT709;
  case GST_VIDEO_COLOR_MATRIX_BT2020:
    return STX_MATRIX_BT2020;
  default:
    return STX_MATRIX_BT601;
  }
}

static void fill_params(GstStixelPainter *painter, const StxCamera *camera)
{
  StxOverlayParams *params = &painter->params;

  params->camera = *camera;
  params->width = painter->info.width;
  params->height = painter->info.height;
  params->stixel_width = painter->info.stixel_width;
  params->columns = painter->info.columns;
  params->format = stx_pixel_format(GST_VIDEO_INFO_NAME(&painter->video));
  params->frame_width = GST_VIDEO_INFO_WIDTH(&painter->video);
  params->frame_height = GST_VIDEO_INFO_HEIGHT(&painter->video);
  params->matrix = matrix_of(&painter->video);
  params->full_range = painter->video.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
}

gboolean gst_stixel_painter_prepare(GstStixelPainter *painter, GstElement *element,
    const StxOverlayParams *settings, const GstStxRun *run, const GstVideoInfo *video,
    const GstStxStixelInfo *info, const StxCamera *camera)
{
  StxError error;

  painter->overlay = NULL;
  painter->on_device = NULL;
  painter->params = *settings;
  painter->video = *video;
  painter->info = *info;
  fill_params(painter, camera);
  if (!stx_overlay_check(&painter->params, &error)) {
    GST_STX_ELEMENT_ERROR(element, STREAM, FORMAT, &error);
    return FALSE;
  }
  painter->threads = stx_threads(run->threads);
  /* A user who wants the GPU gets it or an error, in the element's start. */
  painter->impl = gst_stx_run_pick(
      &(GstStxRun){run->backend == STX_BACKEND_CUDA ? STX_BACKEND_AUTO : run->backend, run->threads,
          run->cuda_device_id},
      &stx_overlay_impls, &error);
  if (painter->impl == NULL) {
    GST_STX_ELEMENT_ERROR(element, LIBRARY, SETTINGS, &error);
    return FALSE;
  }
  if (!gst_stx_scratch_reserve(&painter->prepared, stx_overlay_size(&painter->params), &error)) {
    GST_STX_ELEMENT_ERROR(element, RESOURCE, NO_SPACE_LEFT, &error);
    return FALSE;
  }
  painter->overlay = stx_overlay_init(painter->prepared.data, &painter->params);
  return TRUE;
}

gboolean gst_stixel_painter_is_ready(const GstStixelPainter *painter, const GstStxStixelInfo *info)
{
  const GstStxStixelInfo *mine = &painter->info;

  return painter->overlay != NULL && info->width == mine->width && info->height == mine->height &&
         info->stixel_width == mine->stixel_width && info->columns == mine->columns;
}

/* ---- One frame ----------------------------------------------------------------------------- */

/* The records behind `map`, copied behind the scratch if they lie where no record may: parts of a
 * larger memory begin where they like. NULL after an element error. */
static const StxStixel *align_records(
    GstStixelPainter *painter, GstElement *element, const GstMapInfo *map)
{
  gsize scratch = painter->impl->scratch_size(
      &painter->params, map->size / sizeof(StxStixel), painter->threads);
  gboolean aligned = (gsize)map->data % G_ALIGNOF(StxStixel) == 0;
  StxError error;

  if (!gst_stx_scratch_reserve(&painter->scratch, scratch + (aligned ? 0 : map->size), &error)) {
    GST_STX_ELEMENT_ERROR(element, RESOURCE, NO_SPACE_LEFT, &error);
    return NULL;
  }
  if (aligned)
    return (const StxStixel *)map->data;
  return memcpy((guint8 *)painter->scratch.data + scratch, map->data, map->size);
}

static gboolean draw_records(GstStixelPainter *painter, GstElement *element, GstBuffer *buffer,
    const StxStixel *records, gsize count, StxOverlayResult *counts)
{
  GstVideoFrame frame;
  StxFrame view;

  if (!gst_video_frame_map(&frame, &painter->video, buffer, GST_MAP_READWRITE)) {
    GST_ELEMENT_ERROR(element, STREAM, FORMAT,
        ("Cannot write to a frame of %" G_GSIZE_FORMAT " bytes; %dx%d in %s needs %" G_GSIZE_FORMAT,
            gst_buffer_get_size(buffer), painter->params.frame_width, painter->params.frame_height,
            painter->params.format->name, GST_VIDEO_INFO_SIZE(&painter->video)),
        (NULL));
    return FALSE;
  }
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES(&frame); p++) {
    view.data[p] = GST_VIDEO_FRAME_PLANE_DATA(&frame, p);
    view.stride[p] = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p);
  }
  *counts = stx_overlay_draw_all(painter->impl, painter->overlay, &view, records, count,
      painter->scratch.data, painter->threads);
  gst_video_frame_unmap(&frame);
  return TRUE;
}

gboolean gst_stixel_painter_draw(GstStixelPainter *painter, GstElement *element, GstBuffer *frame,
    GstBuffer *stixels, StxOverlayResult *counts)
{
  const StxStixel *records;
  gboolean drawn;
  GstMapInfo map;

  if (!gst_stx_map_input(element, stixels, 0, sizeof(StxStixel), &map))
    return FALSE;
  records = align_records(painter, element, &map);
  drawn = records != NULL &&
          draw_records(painter, element, frame, records, map.size / sizeof(StxStixel), counts);
  gst_buffer_unmap(stixels, &map);
  return drawn;
}

void gst_stixel_painter_clear(GstStixelPainter *painter)
{
  painter->overlay = NULL;
  painter->on_device = NULL;
  gst_stx_scratch_clear(&painter->prepared);
  gst_stx_scratch_clear(&painter->scratch);
}
