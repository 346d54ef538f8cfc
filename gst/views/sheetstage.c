/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/views/sheetstage.h"

#define ROOM_MIN (64 << 10) /* bytes of the smallest block on a GPU */

/* ---- Preparation --------------------------------------------------------------------------- */

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

StxSheetParams gst_sheet_stage_params(const GstVideoInfo *video)
{
  return (StxSheetParams){.width = GST_VIDEO_INFO_WIDTH(video),
      .height = GST_VIDEO_INFO_HEIGHT(video),
      .format = stx_pixel_format(GST_VIDEO_INFO_NAME(video)),
      .matrix = matrix_of(video),
      .full_range = video->colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255};
}

gboolean gst_sheet_stage_prepare(GstSheetStage *self, const GstVideoInfo *video, StxError *error)
{
  StxSheetParams params = gst_sheet_stage_params(video);

  self->sheet = NULL;
  self->copy = NULL;
  self->video = *video;
  if (!stx_sheet_check(&params, error) ||
      !gst_stx_scratch_reserve(&self->memory, stx_sheet_size(&params), error))
    return FALSE;
  self->sheet = stx_sheet_init(self->memory.data, &params);
  return TRUE;
}

void gst_sheet_stage_clear(GstSheetStage *self)
{
  self->sheet = NULL;
  self->copy = NULL;
  gst_stx_scratch_clear(&self->memory);
}

/* ---- One frame ----------------------------------------------------------------------------- */

/* Sheets are different from frame to frame: their block grows in powers of two. */
static gsize room_for(gsize size)
{
  gsize room = ROOM_MIN;

  while (room < size)
    room *= 2;
  return room;
}

/* The sheet's tiles where the stage works. */
static const void *bring(GstSheetStage *self, GstStxStage *stage, guint slot, StxError *error)
{
  gsize size = stx_sheet_tiles_size(self->sheet);

  if (stage->on_device && gst_stx_stage_block(stage, slot, room_for(size), error) == NULL)
    return NULL;
  if (self->changes != stx_sheet_changes(self->sheet))
    self->copy = NULL;
  self->changes = stx_sheet_changes(self->sheet);
  return gst_stx_stage_table(stage, slot, stx_sheet_tiles(self->sheet), size, &self->copy, error);
}

gboolean gst_sheet_stage_lay(
    GstSheetStage *self, GstStxStage *stage, guint slot, const StxFrame *frame, StxError *error)
{
  const StxSheetImpl *impl;
  const void *tiles;

  if (stx_sheet_is_empty(self->sheet))
    return TRUE;
  impl = gst_stx_stage_impl_of(stage, &stx_sheet_impls, &stx_sheet_cuda_impls, error);
  tiles = impl != NULL ? bring(self, stage, slot, error) : NULL;
  return tiles != NULL && impl->lay(self->sheet, tiles, frame, &stage->place, error);
}

gboolean gst_sheet_stage_lay_on_buffer(
    GstSheetStage *self, GstStxStage *stage, guint slot, GstBuffer *buffer, StxError *error)
{
  StxFrame frame;

  return stx_sheet_is_empty(self->sheet) ||
         (gst_stx_stage_picture(stage, slot + GST_SHEET_STAGE_SLOTS, "frame", buffer, &self->video,
              GST_VIDEO_INFO_N_PLANES(&self->video), GST_MAP_READWRITE, &frame, error) &&
             gst_sheet_stage_lay(self, stage, slot, &frame, error));
}
