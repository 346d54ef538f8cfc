/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/shared/memory.h"
#include "gst/views/overlaystage.h"

/* A picture takes as many slots as it has planes. */
enum { RECORDS, PLANES, PREPARED = PLANES + 3, RESULT, HOST_RESULT, SCRATCH, VERDICTS, SHEET };

/* ---- Preparation --------------------------------------------------------------------------- */

static void fill_params(GstOverlayStage *self)
{
  const GstStxStixelInfo *info = &self->image.info;
  StxSheetParams frame = gst_sheet_stage_params(&self->video);
  StxOverlayParams *params = &self->params;

  params->camera = info->camera;
  params->width = info->width;
  params->height = info->height;
  params->stixel_width = info->stixel_width;
  params->columns = info->columns;
  params->placement = self->image.placement;
  params->format = frame.format;
  params->frame_width = frame.width;
  params->frame_height = frame.height;
  params->matrix = frame.matrix;
  params->full_range = frame.full_range;
}

gboolean gst_overlay_stage_prepare(GstOverlayStage *self, const StxOverlayParams *settings,
    const GstVideoInfo *video, const GstStxImage *image, StxError *error)
{
  self->overlay = NULL;
  self->on_device = NULL;
  self->params = *settings;
  self->video = *video;
  self->image = *image;
  fill_params(self);
  if (!stx_overlay_check(&self->params, error) ||
      !gst_stx_scratch_reserve(&self->memory, stx_overlay_size(&self->params), error) ||
      !gst_sheet_stage_prepare(&self->sheet, video, error))
    return FALSE;
  self->overlay = stx_overlay_init(self->memory.data, &self->params);
  stx_overlay_draw_legend(self->overlay, NULL, self->sheet.sheet);
  return TRUE;
}

static gboolean same_placement(const StxPlacement *a, const StxPlacement *b)
{
  return a->xx == b->xx && a->xy == b->xy && a->x0 == b->x0 && a->yx == b->yx && a->yy == b->yy &&
         a->y0 == b->y0 && a->width == b->width && a->height == b->height;
}

gboolean gst_overlay_stage_is_ready(const GstOverlayStage *self, const GstStxImage *image)
{
  const GstStxStixelInfo *mine = &self->image.info, *info = &image->info;

  return self->overlay != NULL && same_placement(&image->placement, &self->image.placement) &&
         info->width == mine->width && info->height == mine->height &&
         info->stixel_width == mine->stixel_width && info->columns == mine->columns &&
         stx_camera_is_same(&info->camera, &mine->camera);
}

void gst_overlay_stage_clear(GstOverlayStage *self)
{
  self->overlay = NULL;
  self->on_device = NULL;
  gst_sheet_stage_clear(&self->sheet);
  gst_stx_scratch_clear(&self->memory);
  gst_stx_scratch_clear(&self->judging);
  gst_stx_scratch_clear(&self->marking);
}

/* ---- One frame ----------------------------------------------------------------------------- */

/* What a frame needs, where the stage works. */
typedef struct {
  const StxOverlayImpl *impl;
  const StxPlace *place;
  StxFrame frame;
  const void *records;
  gsize count;
  void *prepared, *scratch;
  StxOverlayResult *result;
} Job;

static gboolean reserve(GstOverlayStage *self, GstStxStage *stage, Job *job, StxError *error)
{
  gsize scratch = job->impl->scratch_size(&self->params, job->count, job->place->threads);

  job->prepared = self->overlay;
  if (job->impl->upload != NULL)
    job->prepared = gst_stx_stage_block(stage, PREPARED, stx_overlay_size(&self->params), error);
  return job->prepared != NULL &&
         (job->result = gst_stx_stage_block(stage, RESULT, sizeof(*job->result), error)) != NULL &&
         (job->scratch = gst_stx_stage_block(stage, SCRATCH, scratch, error)) != NULL;
}

static gboolean upload(GstOverlayStage *self, const Job *job, StxError *error)
{
  if (job->impl->upload == NULL || self->on_device == job->prepared)
    return TRUE;
  self->on_device = NULL;
  if (!job->impl->upload(self->overlay, job->prepared, job->place, error))
    return FALSE;
  self->on_device = job->prepared;
  return TRUE;
}

/* ---- Records on the host ------------------------------------------------------------------- */

static gsize count_of(GstBuffer *buffer, gsize record)
{
  return buffer != NULL ? gst_buffer_get_size(buffer) / record : 0;
}

/* The records of a buffer; NULL: none. */
static gboolean fetch(GstBuffer *buffer, const gchar *what, void *to, gsize record, StxError *error)
{
  gsize size = count_of(buffer, record) * record;

  return size == 0 || gst_buffer_extract(buffer, 0, to, size) == size ||
         stx_fail(error, "cannot read the buffer of %s", what);
}

/* ---- Truth --------------------------------------------------------------------------------- */

/* What the comparison of two sets of records needs, in one block. */
typedef struct {
  StxStixel *records, *truth, *verdicts;
  char *scratch;
} Judging;

static gsize lay_out_judging(
    const StxJudgement *judgement, gsize count, gsize truth_count, void *memory, Judging *judging)
{
  StxLayout at = {.memory = memory};

  STX_TAKE(&at, judging->records, count);
  STX_TAKE(&at, judging->truth, truth_count);
  STX_TAKE(&at, judging->verdicts, stx_judge_most(count + truth_count));
  STX_TAKE(&at, judging->scratch, stx_judge_scratch(judgement));
  return at.size;
}

/* Verdicts take the place of the records: they are few, and found on the host. */
static gboolean judge(GstOverlayStage *self, GstStxStage *stage, const GstOverlayDrawing *drawing,
    Job *job, StxError *error)
{
  const StxOverlayParams *params = &self->params;
  StxJudgement judgement = {params->width, params->height, params->stixel_width, params->columns};
  gsize count = count_of(drawing->stixels, sizeof(StxStixel));
  gsize truth_count = count_of(drawing->truth, sizeof(StxStixel));
  gsize size = lay_out_judging(&judgement, count, truth_count, NULL, &(Judging){NULL});
  Judging at;

  if (!gst_stx_scratch_reserve(&self->judging, size, error))
    return FALSE;
  lay_out_judging(&judgement, count, truth_count, self->judging.data, &at);
  if (!fetch(drawing->stixels, "stixels", at.records, sizeof(StxStixel), error) ||
      !fetch(drawing->truth, "true stixels", at.truth, sizeof(StxStixel), error))
    return FALSE;
  job->count = stx_judge(&judgement, at.records, count, at.truth, truth_count, at.verdicts,
      at.scratch, &self->verdicts);
  if (job->count == 0)
    at.verdicts[0] = (StxStixel){0};
  size = MAX(job->count, 1) * sizeof(StxStixel);
  job->records = gst_stx_stage_constant(stage, VERDICTS, at.verdicts, size, error);
  return job->records != NULL;
}

/* ---- What lies over it --------------------------------------------------------------------- */

/* What the marks of a frame need, in one block. */
typedef struct {
  StxStixel *stixels;
  StxObstacle *obstacles;
  StxFreeSpace *free_space;
  char *scratch;
} Marking;

static gsize lay_out_marking(
    const StxOverlayParams *params, const StxOverlayFacts *facts, void *memory, Marking *marking)
{
  StxLayout at = {.memory = memory};

  STX_TAKE(&at, marking->stixels, facts->stixel_count);
  STX_TAKE(&at, marking->obstacles, facts->obstacle_count);
  STX_TAKE(&at, marking->free_space, facts->free_count);
  STX_TAKE(&at, marking->scratch, stx_overlay_mark_scratch(params));
  return at.size;
}

/* What the drawing brings, and scratch. */
static gboolean gather(GstOverlayStage *self, const GstOverlayDrawing *drawing,
    StxOverlayFacts *facts, void **scratch, StxError *error)
{
  Marking at;
  gsize size;

  facts->stixel_count = count_of(drawing->stixels, sizeof(StxStixel));
  facts->obstacle_count = count_of(drawing->obstacles, sizeof(StxObstacle));
  facts->free_count = count_of(drawing->free_space, sizeof(StxFreeSpace));
  size = lay_out_marking(&self->params, facts, NULL, &at);
  if (!gst_stx_scratch_reserve(&self->marking, size, error))
    return FALSE;
  lay_out_marking(&self->params, facts, self->marking.data, &at);
  facts->stixels = at.stixels;
  facts->obstacles = drawing->obstacles != NULL ? at.obstacles : NULL;
  facts->free_space = drawing->free_space != NULL ? at.free_space : NULL;
  *scratch = at.scratch;
  return fetch(drawing->stixels, "stixels", at.stixels, sizeof(StxStixel), error) &&
         fetch(drawing->obstacles, "obstacles", at.obstacles, sizeof(StxObstacle), error) &&
         fetch(drawing->free_space, "free space", at.free_space, sizeof(StxFreeSpace), error);
}

/* All of the sheet. What is written on a frame is true of it: nothing is that held stixels say of
 * another. */
static gboolean write_sheet(
    GstOverlayStage *self, const GstOverlayDrawing *drawing, StxError *error)
{
  const StxVerdicts *verdicts = self->params.mode == STX_OVERLAY_TRUTH ? &self->verdicts : NULL;
  StxSheet *sheet = self->sheet.sheet;
  StxOverlayParams params = self->params;
  StxOverlayFacts facts;
  void *scratch;

  if (drawing->strength < 1) {
    params.labels = 0;
    params.free_space = false;
  }
  if (!gather(self, drawing, &facts, &scratch, error))
    return FALSE;
  stx_sheet_clear(sheet);
  stx_overlay_draw_lines(sheet, &params, &facts, scratch);
  stx_overlay_draw_legend(self->overlay, verdicts, sheet);
  stx_overlay_draw_labels(sheet, &params, &facts, scratch);
  return TRUE;
}

/* The legend of kinds and classes lists what the records have held so far. */
static gboolean update_sheet(GstOverlayStage *self, GstStxStage *stage,
    const GstOverlayDrawing *drawing, const StxOverlayResult *result, StxError *error)
{
  const StxOverlayParams *params = &self->params;
  gboolean is_truth = params->mode == STX_OVERLAY_TRUTH;
  gboolean changes = stx_overlay_has_marks(params) || is_truth;

  if (params->legend != STX_LEGEND_NONE && !stx_overlay_has_scale(params->mode) && !is_truth) {
    if (!gst_stx_stage_wait(stage, error))
      return FALSE;
    changes |= stx_overlay_see(self->overlay, result->seen);
  }
  return !changes || write_sheet(self, drawing, error);
}

/* ---- All of it ----------------------------------------------------------------------------- */

static gboolean draw(GstOverlayStage *self, GstStxStage *stage, const GstOverlayDrawing *drawing,
    const Job *job, const StxOverlayResult **result, StxError *error)
{
  const StxOverlay *overlay = self->overlay;

  if (!upload(self, job, error) || !job->impl->link(overlay, job->prepared, job->records,
                                       job->count, job->result, job->scratch, job->place, error))
    return FALSE;
  *result = gst_stx_stage_bring(stage, HOST_RESULT, job->result, sizeof(**result), error);
  return *result != NULL && update_sheet(self, stage, drawing, *result, error) &&
         job->impl->draw(overlay, job->prepared, &job->frame, job->records, job->count,
             job->scratch, job->place, error) &&
         gst_sheet_stage_lay(&self->sheet, stage, SHEET, &job->frame, error);
}

static gboolean find_records(GstOverlayStage *self, GstStxStage *stage,
    const GstOverlayDrawing *drawing, Job *job, StxError *error)
{
  gsize size = gst_buffer_get_size(drawing->stixels);

  if (self->params.mode == STX_OVERLAY_TRUTH)
    return judge(self, stage, drawing, job, error);
  job->count = size / sizeof(StxStixel);
  return gst_stx_stage_read(
      stage, RECORDS, "stixels", drawing->stixels, size, &job->records, error);
}

gboolean gst_overlay_stage_draw(GstOverlayStage *self, GstStxStage *stage, GstBuffer *frame,
    const GstOverlayDrawing *drawing, const StxOverlayResult **result, StxError *error)
{
  Job job = {.impl = gst_stx_stage_impl(stage), .place = &stage->place};

  if (stx_overlay_fade(self->overlay, drawing->strength))
    self->on_device = NULL;
  return find_records(self, stage, drawing, &job, error) && reserve(self, stage, &job, error) &&
         gst_stx_stage_picture(stage, PLANES, "frame", frame, &self->video,
             GST_VIDEO_INFO_N_PLANES(&self->video), GST_MAP_READWRITE, &job.frame, error) &&
         draw(self, stage, drawing, &job, result, error);
}
