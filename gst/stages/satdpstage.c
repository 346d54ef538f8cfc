/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stages/satdpstage.h"

#include "common/fulldp/fulldp.h"
#include "gst/shared/memory.h"
#include "gst/stages/rdpstage.h"

GST_DEBUG_CATEGORY_STATIC(satdp_stage_debug);
#define GST_CAT_DEFAULT satdp_stage_debug

enum { LOOK = GST_STX_SEGMENTATION_SLOT, TABLES, SCRATCH, RDP_SCRATCH, RDP_RESULT, KEPT };

/* ---- Configuration ------------------------------------------------------------------------- */

void gst_satdp_stage_take_settings(GstSatdpStage *self, const GstStxSatdpSettings *settings)
{
  self->settings = *settings;
  self->params = settings->params;
  self->params.grid = self->stream->grid;
  self->followed = FALSE;
}

gboolean gst_satdp_stage_configure(GstSatdpStage *self, StxError *error)
{
  self->restart = FALSE;
  return stx_satdp_check(&self->params, error) &&
         gst_stx_scratch_reserve(
             &self->road_scratch, stx_roadline_scratch(&self->params.grid), error) &&
         stx_road_track_reset(&self->road, self->settings.ground, &self->stream->camera, error);
}

/* ---- The road ------------------------------------------------------------------------------ */

static const char *missing_of(const StxCamera *camera)
{
  if (!stx_camera_is_metric(camera))
    return "no focal length or baseline";
  if (stx_camera_has_ground(camera))
    return "all of these, which this setting of ground does not use";
  return camera->height > 0 ? "no cy" : "no camera-height";
}

static void warn_no_road(GstSatdpStage *self)
{
  if (self->warned)
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING(self->element, STREAM, FAILED,
      ("no road was found: there is no ground among the stixels until one is. Set calibration=FILE "
       "or focal, cy, baseline and camera-height if the camera is known; the caps and properties "
       "give %s",
          missing_of(&self->stream->camera)),
      (NULL));
}

/* An estimate looks at the disparity and weight channels; what the camera tells needs none. */
static const void *look(
    GstSatdpStage *self, GstStxStage *stage, const void *columns, StxError *error)
{
  StxGrid channels = self->params.grid;
  const void *host;

  channels.classes = 0;
  host = gst_stx_stage_bring(stage, LOOK, columns, stx_grid_bytes(&channels), error);
  return host != NULL && gst_stx_stage_wait(stage, error) ? host : NULL;
}

/* Finds the road of a frame, once: a frame may be tried twice. */
static gboolean follow_road(
    GstSatdpStage *self, GstStxStage *stage, GstBuffer *frame, const void *columns, StxError *error)
{
  const void *host = NULL;

  if (self->followed)
    return TRUE;
  if (self->road.estimate && (host = look(self, stage, columns, error)) == NULL)
    return FALSE;
  if (self->restart || (GST_BUFFER_IS_DISCONT(frame) && self->road.estimate))
    stx_road_track_reset(&self->road, self->settings.ground, &self->stream->camera, NULL);
  self->restart = FALSE;
  self->followed = TRUE;
  self->line =
      stx_road_track_follow(&self->road, &self->params.grid, host, self->road_scratch.data);
  if (self->line == NULL)
    warn_no_road(self);
  else
    GST_LOG_OBJECT(self->element, "road: slope %g, horizon %g, %d bends", self->line->slope,
        stx_roadline_end(self->line), self->line->bends);
  return TRUE;
}

/* ---- Candidates ---------------------------------------------------------------------------- */

static gboolean wants_candidates(const GstSatdpStage *self)
{
  return self->settings.candidates == GST_STX_CANDIDATES_RDP;
}

/* Where stixels may begin; *starts stays NULL if everywhere. */
static gboolean find_candidates(GstSatdpStage *self, GstStxStage *stage, const void *columns,
    const guint8 **starts, StxError *error)
{
  const StxGrid *grid = &self->params.grid;
  StxRdpParams params = {.grid = *grid, .epsilon = gst_rdp_epsilon(self->settings.epsilon)};
  gsize size = (gsize)stx_grid_columns(grid) * (gsize)stx_grid_rows(grid);
  StxRdpResult *result;
  guint8 *kept;

  if (!wants_candidates(self))
    return TRUE;
  result = gst_stx_stage_block(stage, RDP_RESULT, sizeof(*result), error);
  if (result == NULL)
    return FALSE;
  *starts = kept = gst_stx_stage_block(stage, KEPT, size, error);
  return kept != NULL &&
         gst_rdp_stage_run(stage, RDP_SCRATCH, &params, columns, NULL, kept, result, error);
}

/* ---- A frame ------------------------------------------------------------------------------- */

void gst_satdp_stage_post(GstSatdpStage *self, GstBuffer *frame, const StxSatdpResult *result)
{
  GstStructure *structure;

  if (!self->settings.post_messages)
    return;
  structure = gst_structure_new("stx-stixels-stats", "timestamp", G_TYPE_UINT64,
      GST_BUFFER_PTS(frame), "stixels", G_TYPE_UINT, (guint)result->count, "pairs", G_TYPE_UINT64,
      stx_satdp_pairs(&self->params.grid, self->tables->has_ground), "evaluated", G_TYPE_UINT64,
      result->evaluated, NULL);
  if (self->line != NULL)
    gst_structure_set(structure, "ground-slope", G_TYPE_DOUBLE, self->line->slope, "horizon",
        G_TYPE_DOUBLE, stx_roadline_end(self->line), "bends", G_TYPE_UINT, (guint)self->line->bends,
        NULL);
  gst_element_post_message(
      self->element, gst_message_new_element(GST_OBJECT(self->element), structure));
}

static gboolean expects_outliers(const GstSatdpStage *self)
{
  return self->settings.model == GST_STX_SATDP_GAUSSIAN_UNIFORM;
}

static gboolean run(GstSatdpStage *self, GstStxStage *stage, const void *columns,
    StxStixel *records, StxSatdpResult *result, StxError *error)
{
  const StxSatdpImpl *impl =
      expects_outliers(self)
          ? gst_stx_stage_impl_of(stage, &stx_fulldp_impls, &stx_fulldp_cuda_impls, error)
          : gst_stx_stage_impl(stage);
  const void *tables =
      gst_stx_stage_constant(stage, TABLES, self->tables, sizeof(*self->tables), error);
  const guint8 *starts = NULL;
  void *scratch = NULL;

  if (tables != NULL && impl != NULL)
    scratch = gst_stx_stage_block(
        stage, SCRATCH, impl->scratch_size(&self->params, stage->place.threads), error);
  return scratch != NULL && find_candidates(self, stage, columns, &starts, error) &&
         impl->run(&self->params, tables, self->tables->has_ground, columns, starts, records,
             result, scratch, &stage->place, error);
}

gboolean gst_satdp_stage_segment(GstSatdpStage *self, GstStxStage *stage, GstBuffer *frame,
    const void *columns, StxStixel *records, StxSatdpResult *result, StxError *error)
{
  if (!follow_road(self, stage, frame, columns, error) ||
      !stx_satdp_prepare(&self->params, &self->stream->camera, self->line, self->tables, error))
    return FALSE;
  if (expects_outliers(self))
    stx_fulldp_prepare(&self->params, self->tables);
  return run(self, stage, columns, records, result, error);
}

/* ---- Life ---------------------------------------------------------------------------------- */

void gst_satdp_stage_init(
    GstSatdpStage *self, GstElement *element, const GstStxColumnStream *stream)
{
  GST_DEBUG_CATEGORY_GET(satdp_stage_debug, "sat-dp-stixels");
  *self = (GstSatdpStage){.element = element, .stream = stream};
  self->tables = g_new(StxSatdpTables, 1);
}

void gst_satdp_stage_start(GstSatdpStage *self)
{
  self->warned = FALSE;
}

void gst_satdp_stage_restart(GstSatdpStage *self)
{
  self->restart = TRUE;
}

void gst_satdp_stage_clear(GstSatdpStage *self)
{
  gst_stx_scratch_clear(&self->road_scratch);
  g_clear_pointer(&self->tables, g_free);
}
