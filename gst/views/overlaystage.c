/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/views/overlaystage.h"

#include <string.h>

/* A picture takes as many slots as it has planes. */
enum { RECORDS, PLANES, PREPARED = PLANES + 3, RESULT, HOST_RESULT, SCRATCH, CANVAS };

/* Records that are read on the host. */
enum { STIXELS, OBSTACLES, FREE_SPACE, SPEEDS, FLOW };
G_STATIC_ASSERT(FLOW + 1 == GST_OVERLAY_STAGE_RECORDS);

/* ---- Colours that fit ---------------------------------------------------------------------- */

gboolean gst_overlay_stage_fit(GstOverlayStage *self, StxOverlayParams *settings,
    const StxCamera *camera, GstBuffer *stixels, gboolean *changed, StxError *error)
{
  GstStxMapped *records = &self->records[STIXELS];
  gboolean metric = stx_camera_is_metric(camera);
  gdouble *end = metric ? &settings->max_distance : &settings->max_disparity, zoom = 1;

  if (settings->mode != STX_OVERLAY_DISTANCE || settings->scale != STX_SCALE_AUTO)
    return TRUE;
  if (self->fitted++ % 16 == 0) {
    if (!gst_stx_mapped_read(records, stixels, sizeof(StxStixel), error))
      return FALSE;
    if (metric)
      zoom = gst_stx_needed_share(records, camera, *end, STX_OVERLAY_LEAST_DISTANCE);
    else
      while (*end * zoom <= STX_OVERLAY_MAX_DISPARITY / 4 &&
             gst_stx_share_above(records, *end * zoom) >= .5)
        zoom *= 4;
    gst_stx_mapped_unmap(records, 1);
    *changed |= zoom != self->zoom;
    self->zoom = zoom;
  }
  *end *= self->zoom;
  return TRUE;
}

/* ---- Preparation --------------------------------------------------------------------------- */

gboolean gst_overlay_stage_prepare(GstOverlayStage *self, const StxOverlayParams *settings,
    gboolean changed, const GstVideoInfo *video, const GstStxImage *image, StxError *error)
{
  const GstStxStixelInfo *last = &self->image.info, *info = &image->info;
  StxOverlayParams *params = &self->params;
  StxCanvasParams frame;

  if (self->overlay != NULL && !changed && last->width == info->width &&
      last->height == info->height && last->stixel_width == info->stixel_width &&
      last->columns == info->columns && stx_camera_is_same(&last->camera, &info->camera) &&
      memcmp(&self->image.placement, &image->placement, sizeof image->placement) == 0)
    return TRUE;
  frame = gst_canvas_stage_params(video);
  self->overlay = NULL;
  self->on_device = NULL;
  self->video = *video;
  self->image = *image;
  *params = *settings;
  params->camera = info->camera;
  params->width = info->width;
  params->height = info->height;
  params->stixel_width = info->stixel_width;
  params->columns = info->columns;
  params->placement = image->placement;
  params->format = frame.format;
  params->frame_width = frame.width;
  params->frame_height = frame.height;
  params->matrix = frame.matrix;
  params->full_range = frame.full_range;
  if (!stx_overlay_check(params, error) ||
      !gst_stx_scratch_reserve(&self->memory, stx_overlay_size(params), error) ||
      !gst_canvas_stage_prepare(&self->canvas, video, error))
    return FALSE;
  self->overlay = stx_overlay_init(self->memory.data, params);
  stx_overlay_draw_legend(self->overlay, self->canvas.canvas);
  return TRUE;
}

void gst_overlay_stage_clear(GstOverlayStage *self)
{
  self->overlay = NULL;
  self->on_device = NULL;
  self->fitted = 0;
  gst_canvas_stage_clear(&self->canvas);
  gst_stx_scratch_clear(&self->memory);
  gst_stx_scratch_clear(&self->marking);
  gst_stx_mapped_clear(self->records, GST_OVERLAY_STAGE_RECORDS);
}

/* ---- What lies over it --------------------------------------------------------------------- */

/* Returns the buffer's records; NULL: there is no buffer. An empty buffer's are not NULL. */
static gconstpointer known(GstBuffer *buffer, const GstStxMapped *records)
{
  static const guint32 none;

  return buffer == NULL ? NULL : records->count > 0 ? records->data : &none;
}

/* Writes all labels and marks on the canvas. Texts describe this frame only: held stixels, which
 * describe an earlier one, have none. */
static gboolean write_canvas(
    GstOverlayStage *self, const GstOverlayDrawing *drawing, StxError *error)
{
  const GstStxVelocitiesMeta *moves = drawing->velocities;
  GstStxMapped *r = self->records;
  StxCanvas *canvas = self->canvas.canvas;
  StxOverlayParams params = self->params;
  gboolean good =
      gst_stx_mapped_read(&r[STIXELS], drawing->stixels, sizeof(StxStixel), error) &&
      gst_stx_mapped_read(&r[OBSTACLES], drawing->obstacles, sizeof(StxObstacle), error) &&
      gst_stx_mapped_read(&r[FREE_SPACE], drawing->free_space, sizeof(StxFreeSpace), error) &&
      gst_stx_mapped_read(
          &r[SPEEDS], moves != NULL ? moves->obstacles : NULL, sizeof(StxVelocity), error) &&
      gst_stx_mapped_read(
          &r[FLOW], moves != NULL ? moves->stixels : NULL, sizeof(StxVelocity), error) &&
      gst_stx_scratch_reserve(&self->marking, stx_overlay_mark_scratch(&params), error);

  if (good) {
    gboolean moving = moves != NULL && r[SPEEDS].count == r[OBSTACLES].count;
    StxOverlayFacts facts = {r[STIXELS].data, r[STIXELS].count,
        known(drawing->obstacles, &r[OBSTACLES]), r[OBSTACLES].count,
        known(drawing->free_space, &r[FREE_SPACE]), r[FREE_SPACE].count,
        moving ? known(moves->obstacles, &r[SPEEDS]) : NULL,
        r[FLOW].count == r[STIXELS].count ? r[FLOW].data : NULL};

    if (drawing->strength < 1) {
      params.labels = 0;
      params.velocities = false;
      params.free_space = false;
    }
    stx_canvas_clear(canvas);
    stx_overlay_draw_lines(canvas, &params, &facts, self->marking.data);
    stx_overlay_draw_legend(self->overlay, canvas);
    stx_overlay_draw_labels(canvas, &params, &facts, self->marking.data);
  }
  gst_stx_mapped_unmap(r, GST_OVERLAY_STAGE_RECORDS);
  return good;
}

/* Are there small things or holes, which have frames, or were there some on the canvas? */
static gboolean frames_hazards(GstOverlayStage *self, const GstOverlayDrawing *drawing)
{
  gboolean before = self->hazards;
  GstMapInfo map;

  self->hazards = FALSE;
  if (drawing->obstacles == NULL || !gst_buffer_map(drawing->obstacles, &map, GST_MAP_READ))
    return before;
  for (gsize at = 0; at + sizeof(StxObstacle) <= map.size; at += sizeof(StxObstacle)) {
    StxObstacle obstacle;

    memcpy(&obstacle, map.data + at, sizeof obstacle);
    self->hazards |= stx_obstacle_is_hazard(&obstacle);
  }
  gst_buffer_unmap(drawing->obstacles, &map);
  return before || self->hazards;
}

/* The legend of kinds and classes lists what the records have held so far. */
static gboolean update_canvas(GstOverlayStage *self, GstStxStage *stage,
    const GstOverlayDrawing *drawing, const StxOverlayResult *result, StxError *error)
{
  const StxOverlayParams *params = &self->params;
  gboolean changes = stx_overlay_has_marks(params);

  changes |= frames_hazards(self, drawing);
  if (params->legend != STX_LEGEND_NONE && !stx_overlay_has_scale(params->mode)) {
    if (!gst_stx_stage_wait(stage, error))
      return FALSE;
    changes |= stx_overlay_see(self->overlay, result->seen);
  }
  return !changes || write_canvas(self, drawing, error);
}

/* ---- All of it ----------------------------------------------------------------------------- */

/* Uploads StxOverlayImpl's `prepared` to the GPU if the copy there is out of date. NULL with the
 * reason in `error`. */
static void *bring_overlay(
    GstOverlayStage *self, GstStxStage *stage, const StxOverlayImpl *impl, StxError *error)
{
  void *block;

  if (impl->upload == NULL)
    return self->overlay;
  block = gst_stx_stage_block(stage, PREPARED, stx_overlay_size(&self->params), error);
  if (block == NULL || block == self->on_device)
    return block;
  self->on_device = impl->upload(self->overlay, block, &stage->place, error) ? block : NULL;
  return self->on_device;
}

gboolean gst_overlay_stage_draw(GstOverlayStage *self, GstStxStage *stage, GstBuffer *frame,
    const GstOverlayDrawing *drawing, const StxOverlayResult **result, StxError *error)
{
  const StxOverlayImpl *impl = gst_stx_stage_impl(stage);
  const StxPlace *place = &stage->place;
  gsize size = gst_buffer_get_size(drawing->stixels), count = size / sizeof(StxStixel);
  gsize scratch_size = impl->scratch_size(&self->params, count, place->threads);
  const void *records;
  void *prepared, *found, *scratch;
  StxFrame picture;

  if (stx_overlay_fade(self->overlay, drawing->strength))
    self->on_device = NULL;
  if (!gst_stx_stage_read(stage, RECORDS, "stixels", drawing->stixels, size, &records, error) ||
      !(found = gst_stx_stage_block(stage, RESULT, sizeof(StxOverlayResult), error)) ||
      !(scratch = gst_stx_stage_block(stage, SCRATCH, scratch_size, error)) ||
      !gst_stx_stage_picture(stage, PLANES, "frame", frame, &self->video,
          GST_VIDEO_INFO_N_PLANES(&self->video), GST_MAP_READWRITE, &picture, error) ||
      !(prepared = bring_overlay(self, stage, impl, error)) ||
      !impl->link(self->overlay, prepared, records, count, found, scratch, place, error))
    return FALSE;
  *result = gst_stx_stage_bring(stage, HOST_RESULT, found, sizeof(**result), error);
  return *result != NULL && update_canvas(self, stage, drawing, *result, error) &&
         impl->draw(self->overlay, prepared, &picture, records, count, scratch, place, error) &&
         gst_canvas_stage_lay(&self->canvas, stage, CANVAS, &picture, error);
}
