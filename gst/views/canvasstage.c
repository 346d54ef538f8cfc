/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/views/canvasstage.h"

#define ROOM_MIN (64 << 10) /* bytes of the smallest block on a GPU */

GstCaps *gst_stx_view_fixate(GstCaps *caps, gint width, gint height)
{
  GstStructure *structure;

  caps = gst_caps_truncate(gst_caps_make_writable(caps));
  structure = gst_caps_get_structure(caps, 0);
  gst_structure_fixate_field_nearest_int(structure, "width", width);
  gst_structure_fixate_field_nearest_int(structure, "height", height);
  return gst_caps_fixate(caps);
}

/* ---- Preparation --------------------------------------------------------------------------- */

StxCanvasParams gst_canvas_stage_params(const GstVideoInfo *video)
{
  GstVideoColorMatrix matrix = video->colorimetry.matrix;

  return (StxCanvasParams){.width = GST_VIDEO_INFO_WIDTH(video),
      .height = GST_VIDEO_INFO_HEIGHT(video),
      .format = stx_pixel_format(GST_VIDEO_INFO_NAME(video)),
      .matrix = matrix == GST_VIDEO_COLOR_MATRIX_BT709    ? STX_MATRIX_BT709
                : matrix == GST_VIDEO_COLOR_MATRIX_BT2020 ? STX_MATRIX_BT2020
                                                          : STX_MATRIX_BT601,
      .full_range = video->colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255};
}

gboolean gst_canvas_stage_prepare(GstCanvasStage *self, const GstVideoInfo *video, StxError *error)
{
  StxCanvasParams params = gst_canvas_stage_params(video);

  self->canvas = NULL;
  self->copy = NULL;
  self->video = *video;
  if (!stx_canvas_check(&params, error) ||
      !gst_stx_scratch_reserve(&self->memory, stx_canvas_size(&params), error))
    return FALSE;
  self->canvas = stx_canvas_init(self->memory.data, &params);
  return TRUE;
}

void gst_canvas_stage_clear(GstCanvasStage *self)
{
  self->canvas = NULL;
  self->copy = NULL;
  gst_stx_scratch_clear(&self->memory);
}

/* ---- One frame ----------------------------------------------------------------------------- */

/* The canvas's tiles where the stage works. */
static const void *bring(GstCanvasStage *self, GstStxStage *stage, guint slot, StxError *error)
{
  gsize size = stx_canvas_tiles_size(self->canvas), room = ROOM_MIN;

  while (room < size) /* differs from frame to frame: the block grows in powers of two */
    room *= 2;
  if (stage->on_device && gst_stx_stage_block(stage, slot, room, error) == NULL)
    return NULL;
  if (self->changes != stx_canvas_changes(self->canvas))
    self->copy = NULL;
  self->changes = stx_canvas_changes(self->canvas);
  return gst_stx_stage_table(stage, slot, stx_canvas_tiles(self->canvas), size, &self->copy, error);
}

gboolean gst_canvas_stage_lay(
    GstCanvasStage *self, GstStxStage *stage, guint slot, const StxFrame *frame, StxError *error)
{
  const StxCanvasImpl *impl;
  const void *tiles;

  if (stx_canvas_is_empty(self->canvas))
    return TRUE;
  impl = gst_stx_stage_impl_of(stage, &stx_canvas_impls, &stx_canvas_cuda_impls, error);
  tiles = impl != NULL ? bring(self, stage, slot, error) : NULL;
  return tiles != NULL && impl->lay(self->canvas, tiles, frame, &stage->place, error);
}

gboolean gst_canvas_stage_lay_on_buffer(
    GstCanvasStage *self, GstStxStage *stage, guint slot, GstBuffer *buffer, StxError *error)
{
  StxFrame frame;

  return stx_canvas_is_empty(self->canvas) ||
         (gst_stx_stage_picture(stage, slot + GST_CANVAS_STAGE_SLOTS, "frame", buffer, &self->video,
              GST_VIDEO_INFO_N_PLANES(&self->video), GST_MAP_READWRITE, &frame, error) &&
             gst_canvas_stage_lay(self, stage, slot, &frame, error));
}
