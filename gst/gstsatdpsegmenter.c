/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gstsatdpsegmenter.h"

GST_DEBUG_CATEGORY_STATIC(sat_dp_segmenter_debug);
#define GST_CAT_DEFAULT sat_dp_segmenter_debug

/* Blocks on the GPU. */
enum { LOOK = GST_STX_SEGMENTATION_BLOCK, TABLES, SCRATCH, RDP_SCRATCH, RDP_RESULT, KEPT };

/* ---- Configuration ------------------------------------------------------------------------- */

void gst_sat_dp_segmenter_take_settings(
    GstSatDpSegmenter *self, const GstStxSatdpSettings *settings)
{
  self->settings = *settings;
  self->params = settings->params;
  self->params.grid = self->stream->grid;
  self->followed = FALSE;
}

const StxImplInfo *gst_sat_dp_segmenter_choose_host(GstSatDpSegmenter *self, StxError *error)
{
  self->rdp.impl = NULL;
  self->impl = gst_stx_run_pick(&self->stream->run, &stx_satdp_impls, error);
  return self->impl != NULL &&
                 gst_stx_scratch_reserve(&self->scratch,
                     self->impl->scratch_size(&self->params, self->stream->threads), error)
             ? &self->impl->info
             : NULL;
}

gboolean gst_sat_dp_segmenter_configure(GstSatDpSegmenter *self, StxError *error)
{
  self->restart = FALSE;
  return stx_satdp_check(&self->params, error) &&
         gst_stx_scratch_reserve(
             &self->road_scratch, stx_roadline_scratch(&self->params.grid), error) &&
         gst_stx_road_reset(&self->road, self->settings.ground, &self->stream->camera, error);
}

/* ---- The road ------------------------------------------------------------------------------ */

static void warn_no_road(GstSatDpSegmenter *self)
{
  if (self->warned)
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING(self->element, STREAM, FAILED,
      ("no road was found: there is no ground among the stixels until one is. Set calibration=FILE "
       "or focal, baseline and camera-height if the camera is known; the caps and properties give "
       "%s",
          stx_camera_is_metric(&self->stream->camera) ? "no camera-height"
                                                      : "no focal length or baseline"),
      (NULL));
}

/* Finds the road of a frame, once. `columns` are on the host; only an estimate looks at them. */
static void follow_road(GstSatDpSegmenter *self, GstBuffer *frame, const void *columns)
{
  if (self->followed)
    return;
  if (self->restart || (GST_BUFFER_IS_DISCONT(frame) && self->road.estimate))
    gst_stx_road_reset(&self->road, self->settings.ground, &self->stream->camera, NULL);
  self->restart = FALSE;
  self->followed = TRUE;
  self->line =
      gst_stx_road_follow(&self->road, &self->params.grid, columns, self->road_scratch.data);
  if (self->line == NULL)
    warn_no_road(self);
  else
    GST_LOG_OBJECT(
        self->element, "road: slope %g, horizon %g", self->line->slope, self->line->horizon);
}

/* The tables of this frame, whose road is known. FALSE after an element error. */
static gboolean prepare(GstSatDpSegmenter *self)
{
  StxError error;

  if (stx_satdp_prepare(&self->params, &self->stream->camera, self->line, self->tables, &error))
    return TRUE;
  GST_STX_ELEMENT_ERROR(self->element, STREAM, FAILED, &error);
  return FALSE;
}

/* ---- Candidates ---------------------------------------------------------------------------- */

static gboolean wants_candidates(const GstSatDpSegmenter *self)
{
  return self->settings.candidates == GST_STX_CANDIDATES_RDP;
}

static StxRdpParams candidate_params(const GstSatDpSegmenter *self)
{
  return (StxRdpParams){
      .grid = self->params.grid, .epsilon = gst_stx_rdp_epsilon(self->settings.epsilon)};
}

static gsize kept_size(const GstSatDpSegmenter *self)
{
  return (gsize)stx_grid_columns(&self->params.grid) * (gsize)stx_grid_rows(&self->params.grid);
}

/* Where stixels may begin, or NULL with the reason in `error`. */
static const guint8 *candidates_on_host(
    GstSatDpSegmenter *self, const void *columns, StxError *error)
{
  StxRdpParams params = candidate_params(self);
  StxRdpResult result;

  if (self->rdp.impl == NULL && gst_stx_rdp_choose(&self->rdp, self->stream, error) == NULL)
    return NULL;
  return gst_stx_scratch_reserve(&self->kept, kept_size(self), error) &&
                 gst_stx_rdp_run(&self->rdp, &params, self->stream->threads, columns, NULL,
                     self->kept.data, &result, error)
             ? self->kept.data
             : NULL;
}

static const guint8 *candidates_on_device(
    GstSatDpSegmenter *self, const void *columns, StxError *error)
{
  StxRdpParams params = candidate_params(self);
  GstStxCuda *cuda = self->stream->cuda;
  StxRdpResult *result = gst_stx_cuda_block(cuda, RDP_RESULT, sizeof(*result), error);
  guint8 *kept = NULL;

  if (result != NULL)
    kept = gst_stx_cuda_block(cuda, KEPT, kept_size(self), error);
  return kept != NULL &&
                 gst_stx_rdp_enqueue(cuda, RDP_SCRATCH, &params, columns, NULL, kept, result, error)
             ? kept
             : NULL;
}

/* ---- A frame ------------------------------------------------------------------------------- */

void gst_sat_dp_segmenter_post(
    GstSatDpSegmenter *self, GstBuffer *frame, const StxSatdpResult *result)
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
        G_TYPE_DOUBLE, self->line->horizon, NULL);
  gst_element_post_message(
      self->element, gst_message_new_element(GST_OBJECT(self->element), structure));
}

GstFlowReturn gst_sat_dp_segmenter_run_host(GstSatDpSegmenter *self, GstBuffer *frame,
    const void *columns, StxStixel *records, StxSatdpResult *result)
{
  StxPlace place = {.threads = self->stream->threads};
  const guint8 *starts = NULL;
  StxError error;

  follow_road(self, frame, columns);
  if (!prepare(self))
    return GST_FLOW_ERROR;
  if (wants_candidates(self)) {
    starts = candidates_on_host(self, columns, &error);
    if (starts == NULL) {
      GST_STX_ELEMENT_ERROR(self->element, STREAM, FAILED, &error);
      return GST_FLOW_ERROR;
    }
  }
  self->impl->run(&self->params, self->tables, self->tables->has_ground, columns, starts, records,
      result, self->scratch.data, &place, NULL);
  return GST_FLOW_OK;
}

/* The disparity and weight channels of columns on the device, on the host: waits for them. */
static const void *look(GstSatDpSegmenter *self, const void *columns, StxError *error)
{
  GstStxCuda *cuda = self->stream->cuda;
  StxGrid channels = self->params.grid;
  gsize size;
  void *host;

  channels.classes = 0;
  size = stx_grid_bytes(&channels);
  host = gst_stx_cuda_host_block(cuda, LOOK, size, error);
  return host != NULL &&
                 stx_cuda_download_bytes(cuda->cuda, host, columns, size, cuda->stream, error) &&
                 stx_cuda_synchronize(cuda->cuda, cuda->stream, error)
             ? host
             : NULL;
}

/* An estimate of the road needs two channels on the host; what the camera tells needs none. */
static gboolean look_at_road(
    GstSatDpSegmenter *self, GstBuffer *frame, const void *columns, StxError *error)
{
  const void *host = NULL;

  if (self->road.estimate) {
    host = look(self, columns, error);
    if (host == NULL)
      return FALSE;
  }
  follow_road(self, frame, host);
  return TRUE;
}

static gboolean enqueue(GstSatDpSegmenter *self, const void *columns, StxStixel *records,
    StxSatdpResult *result, StxError *error)
{
  GstStxCuda *cuda = self->stream->cuda;
  const StxSatdpImpl *impl = gst_stx_cuda_impl(cuda);
  StxPlace place = stx_cuda_place(cuda->cuda, cuda->stream);
  const void *tables =
      gst_stx_cuda_constant(cuda, TABLES, self->tables, sizeof(*self->tables), error);
  const guint8 *starts = NULL;
  void *scratch = NULL;

  if (tables != NULL)
    scratch = gst_stx_cuda_block(cuda, SCRATCH, impl->scratch_size(&self->params, 1), error);
  if (scratch == NULL)
    return FALSE;
  if (wants_candidates(self)) {
    starts = candidates_on_device(self, columns, error);
    if (starts == NULL)
      return FALSE;
  }
  return impl->run(&self->params, tables, self->tables->has_ground, columns, starts, records,
      result, scratch, &place, error);
}

GstFlowReturn gst_sat_dp_segmenter_run_device(GstSatDpSegmenter *self, GstBuffer *frame,
    const void *columns, StxStixel *records, StxSatdpResult *result, StxError *error)
{
  if (!look_at_road(self, frame, columns, error))
    return GST_STX_FLOW_GPU_FAILED;
  if (!prepare(self))
    return GST_FLOW_ERROR;
  return enqueue(self, columns, records, result, error) ? GST_FLOW_OK : GST_STX_FLOW_GPU_FAILED;
}

/* ---- Life ---------------------------------------------------------------------------------- */

void gst_sat_dp_segmenter_init(
    GstSatDpSegmenter *self, GstElement *element, const GstStxColumnStream *stream)
{
  GST_DEBUG_CATEGORY_GET(sat_dp_segmenter_debug, "sat-dp-stixels");
  *self = (GstSatDpSegmenter){.element = element, .stream = stream};
  self->tables = g_new(StxSatdpTables, 1);
}

void gst_sat_dp_segmenter_restart(GstSatDpSegmenter *self)
{
  self->restart = TRUE;
}

void gst_sat_dp_segmenter_stop(GstSatDpSegmenter *self)
{
  gst_stx_scratch_clear(&self->road_scratch);
  gst_stx_scratch_clear(&self->scratch);
  gst_stx_scratch_clear(&self->kept);
  gst_stx_rdp_clear(&self->rdp);
  self->impl = NULL;
  self->warned = FALSE;
}

void gst_sat_dp_segmenter_clear(GstSatDpSegmenter *self)
{
  gst_sat_dp_segmenter_stop(self);
  g_clear_pointer(&self->tables, g_free);
}
