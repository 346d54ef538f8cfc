/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/views/tintstage.h"

#include "common/tint/tint_legend.h"

enum {
  MAP,
  TRUTH,
  PICTURE,
  TABLE,
  DISPARITIES,
  COUNT,
  HOST_COUNT,
  HISTOGRAM,
  HOST_HISTOGRAM,
  SURE,
  SHEET
};

/* ---- Preparation --------------------------------------------------------------------------- */

static gboolean needs_disparities(const GstTintStage *self)
{
  return self->params.mode == STX_TINT_ERROR &&
         !(stx_tint_is_plain(&self->params) && stx_tint_is_plain(&self->truth_params));
}

static gboolean reserve(GstTintStage *self, StxError *error)
{
  gsize table = stx_align(sizeof(StxTintTable));
  gsize size = table + (needs_disparities(self) ? sizeof(StxTintDisparities) : 0);

  if (!gst_stx_scratch_reserve(&self->memory, size, error))
    return FALSE;
  self->table = self->memory.data;
  self->disparities = NULL;
  if (needs_disparities(self))
    self->disparities = (StxTintDisparities *)(void *)((guint8 *)self->memory.data + table);
  return TRUE;
}

static void fill_table(GstTintStage *self, StxTintSpan span)
{
  self->span = span;
  stx_tint_table(
      &self->params, span, stx_pixel_format(GST_VIDEO_INFO_NAME(&self->output)), self->memory.data);
  self->table_on_device = NULL;
  self->sheet_is_drawn = FALSE;
}

gboolean gst_tint_stage_prepare(GstTintStage *self, const StxTintParams *params,
    const StxTintParams *truth, const GstTintInput *input, const GstVideoInfo *output,
    StxLegend legend, StxError *error)
{
  self->table = NULL;
  self->params = *params;
  self->truth_params = *truth;
  self->input = *input;
  self->output = *output;
  self->legend = legend;
  if (!stx_tint_check(params, error) || !reserve(self, error) ||
      !gst_sheet_stage_prepare(&self->sheet, output, error))
    return FALSE;
  gst_tint_stage_forget(self);
  fill_table(self, stx_tint_span(params));
  self->disparities_on_device = NULL;
  if (self->disparities != NULL) {
    stx_tint_disparities(params, self->disparities->disparity[0]);
    stx_tint_disparities(truth, self->disparities->disparity[1]);
  }
  return TRUE;
}

void gst_tint_stage_forget(GstTintStage *self)
{
  self->is_followed = FALSE;
}

void gst_tint_stage_clear(GstTintStage *self)
{
  self->table = NULL;
  gst_stx_scratch_clear(&self->memory);
  gst_stx_scratch_clear(&self->rendered);
  gst_stx_scratch_clear(&self->records);
  gst_sheet_stage_clear(&self->sheet);
}

/* ---- Inputs -------------------------------------------------------------------------------- */

static gboolean render(
    GstTintStage *self, const GstMapInfo *bytes, StxImage16 *map, StxError *error)
{
  const GstStxStixelInfo *info = &self->input.stixels;
  gsize row = info->width * sizeof(uint16_t);
  const StxStixel *records = gst_stx_aligned(bytes, sizeof(float), &self->records, error);

  if (records == NULL || !gst_stx_scratch_reserve(&self->rendered, row * info->height, error))
    return FALSE;
  *map = (StxImage16){self->rendered.data, (ptrdiff_t)row, (gint)info->width, (gint)info->height};
  stx_tint_render(
      records, bytes->size / sizeof(StxStixel), (gint)info->stixel_width, self->params.mode, map);
  return TRUE;
}

/* Records are few: they become a map on the host. */
static gboolean find_stixels(
    GstTintStage *self, GstStxStage *stage, GstBuffer *buffer, StxImage16 *map, StxError *error)
{
  const void *always = NULL;
  GstMapInfo bytes;
  gboolean rendered;

  if (!gst_buffer_map(buffer, &bytes, GST_MAP_READ))
    return stx_fail(error, "cannot read a buffer's memory");
  rendered = render(self, &bytes, map, error);
  gst_buffer_unmap(buffer, &bytes);
  if (!rendered)
    return FALSE;
  map->data = (uint16_t *)gst_stx_stage_table(
      stage, MAP, map->data, (gsize)map->stride * (gsize)map->height, &always, error);
  return map->data != NULL;
}

static gboolean find_picture(GstStxStage *stage, guint slot, const gchar *what, GstBuffer *buffer,
    const GstVideoInfo *info, StxImage8 *image, StxError *error)
{
  StxFrame picture;

  if (!gst_stx_stage_picture(stage, slot, what, buffer, info, 1, GST_MAP_READ, &picture, error))
    return FALSE;
  *image = (StxImage8){
      picture.data[0], picture.stride[0], GST_VIDEO_INFO_WIDTH(info), GST_VIDEO_INFO_HEIGHT(info)};
  return TRUE;
}

static gboolean find_map(GstStxStage *stage, guint slot, const gchar *what, GstBuffer *buffer,
    const GstVideoInfo *info, StxImage16 *map, StxError *error)
{
  StxImage8 bytes;

  if (!find_picture(stage, slot, what, buffer, info, &bytes, error))
    return FALSE;
  *map = (StxImage16){(uint16_t *)(void *)bytes.data, bytes.stride, bytes.width, bytes.height};
  return TRUE;
}

/* Confidences, and the map that they are of. */
static gboolean find_meta(
    GstTintStage *self, GstStxStage *stage, GstBuffer *buffer, StxTintInput *input, StxError *error)
{
  const GstStxConfidenceMeta *meta = gst_buffer_get_stx_confidence_meta(buffer);
  gint width = GST_VIDEO_INFO_WIDTH(&self->output), height = GST_VIDEO_INFO_HEIGHT(&self->output);
  const void *data;

  if (meta == NULL)
    return stx_fail(error,
        "mode=confidence, but a frame of pad sink has none: stereo-sgm attaches it with "
        "confidence=true, and elements between may lose it; or link a map of confidences in GRAY8");
  if (meta->width != (guint)width || meta->height != (guint)height)
    return stx_fail(error, "the confidence meta has %ux%u, but the disparity %dx%d", meta->width,
        meta->height, width, height);
  if (!gst_stx_stage_read(stage, SURE, "the confidence meta", meta->confidence,
          (gsize)width * (gsize)height, &data, error))
    return FALSE;
  input->bytes = (StxImage8){(uint8_t *)data, width, width, height};
  return find_map(stage, MAP, "pad sink", buffer, &self->input.map, &input->map, error);
}

static gboolean find_input(GstTintStage *self, GstStxStage *stage, GstBuffer *map, GstBuffer *truth,
    StxTintInput *input, StxError *error)
{
  const GstVideoInfo *info = &self->input.map;
  gboolean found;

  if (self->input.is_stixels)
    found = find_stixels(self, stage, map, &input->map, error);
  else if (GST_VIDEO_INFO_FORMAT(info) == GST_VIDEO_FORMAT_GRAY8)
    found = find_picture(stage, MAP, "pad sink", map, info, &input->bytes, error);
  else if (self->params.mode == STX_TINT_CONFIDENCE)
    found = find_meta(self, stage, map, input, error);
  else
    found = find_map(stage, MAP, "pad sink", map, info, &input->map, error);
  if (!found || self->params.mode != STX_TINT_ERROR)
    return found;
  if (self->disparities != NULL) {
    input->disparities = gst_stx_stage_table(stage, DISPARITIES, self->disparities,
        sizeof(*self->disparities), &self->disparities_on_device, error);
    if (input->disparities == NULL)
      return FALSE;
  }
  return find_map(stage, TRUTH, "pad truth", truth, &self->input.truth, &input->truth, error);
}

/* ---- The range of a frame ------------------------------------------------------------------ */

static const StxTintTable *find_table(GstTintStage *self, GstStxStage *stage, StxError *error)
{
  return gst_stx_stage_table(
      stage, TABLE, self->table, sizeof(*self->table), &self->table_on_device, error);
}

static void follow(GstTintStage *self, const StxTintHistogram *histogram)
{
  StxTintSpan now, shown;

  if (!stx_tint_measure(&self->params, self->table, histogram, &now))
    return;
  self->followed = stx_tint_follow(self->is_followed ? &self->followed : NULL, now);
  self->is_followed = TRUE;
  shown = stx_tint_round(self->followed);
  if (shown.low != self->span.low || shown.high != self->span.high)
    fill_table(self, shown);
}

static gboolean follow_frame(
    GstTintStage *self, GstStxStage *stage, const StxTintInput *input, StxError *error)
{
  const StxTintImpl *impl = gst_stx_stage_impl(stage);
  const StxTintTable *table = find_table(self, stage, error);
  StxTintHistogram *histogram = gst_stx_stage_block(stage, HISTOGRAM, sizeof(*histogram), error);
  const StxTintHistogram *brought;

  if (table == NULL || histogram == NULL ||
      !impl->spread(input, table, histogram, &stage->place, error))
    return FALSE;
  brought = gst_stx_stage_bring(stage, HOST_HISTOGRAM, histogram, sizeof(*histogram), error);
  if (brought == NULL || !gst_stx_stage_wait(stage, error))
    return FALSE;
  follow(self, brought);
  return TRUE;
}

/* ---- One frame ----------------------------------------------------------------------------- */

static void draw_legend(GstTintStage *self, const StxTintCount *count)
{
  if (self->sheet_is_drawn && stx_tint_same_count(count, &self->told))
    return;
  stx_sheet_clear(self->sheet.sheet);
  stx_tint_legend(&self->params, self->span, count, self->legend, self->sheet.sheet);
  self->told = *count;
  self->sheet_is_drawn = TRUE;
}

/* The legend, and of errors what they come to. */
static gboolean lay_legend(GstTintStage *self, GstStxStage *stage, const StxTintCount *count,
    const StxFrame *frame, StxError *error)
{
  if (self->legend == STX_LEGEND_NONE)
    return TRUE;
  if (self->params.mode == STX_TINT_ERROR && !gst_stx_stage_wait(stage, error))
    return FALSE;
  draw_legend(self, count);
  return gst_sheet_stage_lay(&self->sheet, stage, SHEET, frame, error);
}

static gboolean paint(GstTintStage *self, GstStxStage *stage, const StxTintInput *input,
    const StxFrame *frame, StxError *error)
{
  const StxTintImpl *impl = gst_stx_stage_impl(stage);
  const StxTintTable *table = find_table(self, stage, error);
  StxTintCount *count = gst_stx_stage_block(stage, COUNT, sizeof(*count), error);
  StxTintPicture picture = {frame->data[0], frame->stride[0], GST_VIDEO_INFO_WIDTH(&self->output),
      GST_VIDEO_INFO_HEIGHT(&self->output), GST_VIDEO_INFO_COMP_PSTRIDE(&self->output, 0), 0};
  const StxTintCount *brought = &self->told;

  picture.square = stx_tint_square_for(picture.width, picture.height);
  if (table == NULL || count == NULL ||
      !impl->paint(input, table, &picture, count, &stage->place, error))
    return FALSE;
  if (self->params.mode == STX_TINT_ERROR)
    brought = gst_stx_stage_bring(stage, HOST_COUNT, count, sizeof(*count), error);
  return brought != NULL && lay_legend(self, stage, brought, frame, error);
}

gboolean gst_tint_stage_paint(GstTintStage *self, GstStxStage *stage, GstBuffer *map,
    GstBuffer *truth, GstBuffer *picture, StxError *error)
{
  gboolean follows = self->params.range == STX_TINT_FRAME && self->params.mode != STX_TINT_ERROR;
  StxTintInput input = {0};
  StxFrame frame;

  return find_input(self, stage, map, truth, &input, error) &&
         (!follows || follow_frame(self, stage, &input, error)) &&
         gst_stx_stage_picture(
             stage, PICTURE, "output", picture, &self->output, 1, GST_MAP_WRITE, &frame, error) &&
         paint(self, stage, &input, &frame, error);
}
