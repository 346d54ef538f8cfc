/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-sat-dp-stixels
 * @title: sat-dp-stixels
 *
 * Cuts every column of a frame into ground, objects and sky, at the least total energy: dynamic
 * programming over summed-area tables, exact, column by column.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=disparity num-buffers=3 ! downsample-transpose !
 * sat-dp-stixels ! multifilesink location=frame-%03d.stixels
 * ]|
 */
#include "gst/core/elements.h"

#include "common/fulldp/fulldp.h"
#include "common/roadline/roadline_track.h"
#include "common/satdp/satdp.h"
#include "common/satdp/satdp_prior.h"
#include "common/satdp/satdp_carrier.h"
#include "gst/columns/rdpstage.h"
#include "gst/columns/segmentation.h"
#include "gst/core/element.h"
#include "gst/core/frametime.h"

GST_DEBUG_CATEGORY_STATIC(gst_sat_dp_stixels_debug);
#define GST_CAT_DEFAULT gst_sat_dp_stixels_debug

/* Slots of the stage. */
enum { LOOK = GST_STX_SEGMENTATION_SLOT, TABLES, SCRATCH, RDP_WORK, RDP_OUT, KEPT, PRIOR, SEEN };
G_STATIC_ASSERT(SEEN < GST_STX_STAGE_SLOTS);

typedef enum { MODEL_GAUSSIAN, MODEL_GAUSSIAN_UNIFORM } Model;
typedef enum { CANDIDATES_ALL, CANDIDATES_RDP } Candidates;

typedef struct {
  StxSatdpParams params; /* of the properties: without a grid */
  Model model;
  StxRoadMode ground;
  bool post_messages;
  Candidates candidates; /* where a stixel may begin */
  gdouble epsilon;       /* pixels, of the candidates */
  gchar *carrier;        /* rows or a file; NULL or "": none */
} Settings;

G_DECLARE_FINAL_TYPE(GstSatDpStixels, gst_sat_dp_stixels, GST, SAT_DP_STIXELS, GstStxSegmentation)

struct _GstSatDpStixels {
  GstStxSegmentation parent;

  Settings settings; /* properties, under the object lock */

  /* Used by the streaming thread only. */
  const GstStxColumnStream *stream;
  Settings active; /* settings of this frame, with the grid of its stream */
  StxSatdpTables *tables;
  StxRoadTrack road;
  StxSatdpPrior prior;
  GstStxScratch prior_memory;
  gboolean restart;        /* the next frame does not follow the one before */
  GstClockTime last;       /* of the frame before */
  gboolean followed;       /* `line` is that of this frame */
  gboolean warned;         /* that there is no road */
  const StxRoadLine *line; /* or NULL: no road */
  const guint8 *kinds;     /* the prior of this frame, on the host, or NULL */
  const void *seen;        /* its columns without ghosts, on the host, or NULL: it has none */
  GstStxScratch road_scratch;
};

G_DEFINE_TYPE(GstSatDpStixels, gst_sat_dp_stixels, GST_TYPE_STX_SEGMENTATION)
GST_STX_ELEMENT(sat_dp_stixels, "sat-dp-stixels")

/* ---- Properties ---------------------------------------------------------------------------- */

/* Pixels: the largest that STX_RDP_MAX_EPSILON allows, in whole pixels. */
#define EPSILON_MAX (STX_RDP_MAX_EPSILON / STX_DISPARITY_ONE)

static const StxFieldChoice models[] = {
    {MODEL_GAUSSIAN, "gaussian", "Least squares; quadratic in the rows"},
    {MODEL_GAUSSIAN_UNIFORM, "gaussian-uniform", "With outliers; cubic in the rows"},
    {0},
};
static const StxFieldChoice grounds[] = {
    {STX_ROAD_AUTO, "auto", "Calibration if camera height and cy are known, else estimate"},
    {STX_ROAD_CALIBRATION, "calibration", "Camera height and pitch"},
    {STX_ROAD_ESTIMATE, "estimate", "Estimated per frame, smoothed"},
    {STX_ROAD_PIECEWISE, "piecewise", "Estimated with up to three bends, from the calibration on"},
    {0},
};
static const StxFieldChoice candidates[] = {
    {CANDIDATES_ALL, "all", "All"},
    {CANDIDATES_RDP, "rdp", "Where rdp-columns cuts, faster"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, Settings, member)

static const StxField fields[] = {
    {"model", "Model", "Energy of a stixel", FIELD(CHOICE, model), .choices = models,
        .at_start = true},
    {"ground", "Ground", "Source of the road's expected disparity", FIELD(CHOICE, ground),
        .choices = grounds, .type_name = "GstStxGround", .at_start = true},
    {"post-messages", "Post messages", "Post stx-stixels-stats per frame",
        FIELD(BOOL, post_messages)},
    {"carrier", "Carrier",
        "What carries the camera, such as a bonnet: image rows from below, or a mask (PGM file)",
        FIELD(TEXT, carrier), .at_start = true},
    {"cut-candidates", "Candidates of cuts", "Cells where a stixel may begin",
        FIELD(CHOICE, candidates), .choices = candidates, .type_name = "GstSatDpStixelsCandidates"},
    {"epsilon", "Epsilon",
        "Largest error between candidates of cut-candidates=rdp, pixels of disparity",
        FIELD(DOUBLE, epsilon), .high = EPSILON_MAX, .unit = "px"},
};
static const Settings defaults = {.params = STX_SATDP_DEFAULTS, .epsilon = STX_SATDP_EPSILON};
static const StxFields own_table = {STX_FIELDS_OF(fields), &defaults};

/* All but `model` and `ground` count from the next frame. */
static const GstStxPropertyGroup properties[] = {
    {&stx_satdp_fields, offsetof(GstSatDpStixels, settings.params), GST_PARAM_MUTABLE_PLAYING},
    {&own_table, offsetof(GstSatDpStixels, settings), GST_PARAM_MUTABLE_PLAYING, "GstSatDpStixels"},
};

/* ---- Configuration ------------------------------------------------------------------------- */

static void take_settings(GstStxSegmentation *base)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(base);

  self->active = self->settings;
  self->active.params.grid = self->stream->grid;
  self->active.params.sky_known = self->stream->sky_known;
  self->followed = FALSE;
}

/* The carrier in this stream's grid. */
static gboolean load_carrier(GstSatDpStixels *self, StxError *error)
{
  const StxGrid *grid = &self->stream->grid;
  guint16 *cells = NULL;
  gboolean loaded = TRUE;
  g_autofree gchar *text = NULL, *bytes = NULL;
  gsize size;

  GST_STX_LOCKED(self, text = g_strdup(self->settings.carrier));
  if (text != NULL && text[0] != '\0') {
    cells = g_new0(guint16, stx_grid_columns(grid));
    loaded = g_file_get_contents(text, &bytes, &size, NULL)
                 ? stx_carrier_from_pgm(grid, text, bytes, size, cells, error)
                 : stx_carrier_from_rows(grid, text, cells, error);
  }
  gst_stx_segmentation_set_carrier(GST_STX_SEGMENTATION(self), cells);
  return loaded;
}

/* FALSE also when the camera lacks what ground=calibration needs. */
static gboolean configure(GstStxSegmentation *base, StxError *error)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(base);

  self->restart = FALSE;
  if (!gst_stx_scratch_reserve(
          &self->prior_memory, stx_satdp_prior_size(&self->active.params.grid), error))
    return FALSE;
  self->prior = (StxSatdpPrior){self->prior_memory.data, FALSE};
  return stx_satdp_check(&self->active.params, error) && load_carrier(self, error) &&
         gst_stx_scratch_reserve(
             &self->road_scratch, stx_roadline_scratch(&self->active.params.grid), error) &&
         stx_road_track_reset(&self->road, self->active.ground, &self->stream->camera, error);
}

/* ---- The road ------------------------------------------------------------------------------ */

static void warn_no_road(GstSatDpStixels *self)
{
  const StxCamera *camera = &self->stream->camera;
  const char *missing = camera->height > 0 ? "no cy" : "no camera-height";

  if (self->warned)
    return;
  self->warned = TRUE;
  if (!stx_camera_is_metric(camera))
    missing = "no focal length or baseline";
  else if (stx_camera_has_ground(camera))
    missing = "all of these, which this setting of ground does not use";
  GST_ELEMENT_WARNING(self, STREAM, FAILED,
      ("no road was found, as in a close-up or before a wall: no stixel is ground until one is. "
       "If there is one, set calibration=FILE, or focal, cy, baseline and camera-height (the caps "
       "give %s), and max-disparity=auto if the matcher says that it is too small",
          missing),
      (NULL));
}

/* Whether kinds have a prior, which is found on the host. What is raised is looked for where frames
 * show the road: for that of a calibration, columns need not leave the GPU. */
static gboolean has_prior(const GstSatDpStixels *self)
{
  const StxSatdpParams *params = &self->active.params;

  return self->active.model == MODEL_GAUSSIAN &&
         (params->change_cost > 0 || (params->raised_cost > 0 && self->road.estimate));
}

/* The columns, on the host. */
static const void *look(
    GstSatDpStixels *self, GstStxStage *stage, const void *columns, StxError *error)
{
  gsize size = stx_grid_bytes(&self->active.params.grid);
  const void *host = gst_stx_stage_bring(stage, LOOK, columns, size, error);

  return host != NULL && gst_stx_stage_wait(stage, error) ? host : NULL;
}

/* Finds the road of a frame, once: a frame may be tried twice. */
static gboolean follow_road(GstSatDpStixels *self, GstStxStage *stage, GstBuffer *frame,
    const void *columns, StxError *error)
{
  gboolean prior = has_prior(self), cut;
  const void *host = NULL;

  if (self->followed)
    return TRUE;
  if ((prior || self->road.estimate) && (host = look(self, stage, columns, error)) == NULL)
    return FALSE;
  cut = gst_stx_frame_is_cut(frame, &self->last) || self->restart;
  self->prior.known &= prior && !cut;
  if (self->restart || (cut && self->road.estimate))
    stx_road_track_reset(&self->road, self->active.ground, &self->stream->camera, NULL);
  self->restart = FALSE;
  self->followed = TRUE;
  self->line =
      stx_road_track_follow(&self->road, &self->active.params.grid, host, self->road_scratch.data);
  self->kinds =
      prior ? stx_satdp_prior(&self->prior, &self->active.params, host, self->line) : NULL;
  self->seen = prior && self->prior.columns != host ? self->prior.columns : NULL;
  if (self->line == NULL)
    warn_no_road(self);
  else
    GST_LOG_OBJECT(self, "road: slope %g, horizon %g, %d bends", self->line->slope,
        stx_roadline_end(self->line), self->line->bends);
  return TRUE;
}

/* ---- Candidates ---------------------------------------------------------------------------- */

/* Start rows of stixels; *starts stays NULL if all are allowed. */
static gboolean find_candidates(GstSatDpStixels *self, GstStxStage *stage, const void *columns,
    const guint8 **starts, StxError *error)
{
  const StxGrid *grid = &self->active.params.grid;
  StxRdpParams params = {.grid = *grid, .epsilon = gst_rdp_epsilon(self->active.epsilon)};
  gsize size = (gsize)stx_grid_columns(grid) * (gsize)stx_grid_rows(grid);
  StxRdpResult *result;
  guint8 *kept;

  if (self->active.candidates != CANDIDATES_RDP)
    return TRUE;
  result = gst_stx_stage_block(stage, RDP_OUT, sizeof(*result), error);
  if (result == NULL)
    return FALSE;
  *starts = kept = gst_stx_stage_block(stage, KEPT, size, error);
  return kept != NULL &&
         gst_rdp_stage_run(stage, RDP_WORK, &params, columns, NULL, kept, result, error);
}

/* ---- A frame ------------------------------------------------------------------------------- */

static GstFlowReturn segment(GstStxSegmentation *base, GstBuffer *frame, const void *columns,
    StxStixel *records, void *result, StxError *error)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(base);
  GstStxStage *stage = gst_stx_segmentation_stage(self);
  gboolean outliers = self->active.model == MODEL_GAUSSIAN_UNIFORM;
  const StxSatdpImpl *impl =
      outliers ? gst_stx_stage_impl_of(stage, &stx_fulldp_impls, &stx_fulldp_cuda_impls, error)
               : gst_stx_stage_impl(stage);
  StxSatdpParams *params = &self->active.params;
  gsize cells = (gsize)stx_grid_columns(&params->grid) * (gsize)stx_grid_rows(&params->grid);
  const guint8 *starts = NULL;
  const void *copy = NULL;
  const void *tables;
  void *scratch;

  if (impl == NULL || !follow_road(self, stage, frame, columns, error) ||
      !stx_satdp_prepare(params, &self->stream->camera, self->line, self->tables, error))
    return GST_FLOW_ERROR;
  params->prior = NULL;
  if (outliers)
    stx_fulldp_prepare(params, self->tables);
  else if (self->kinds != NULL && (params->prior = gst_stx_stage_table(
                                       stage, PRIOR, self->kinds, cells, &copy, error)) == NULL)
    return GST_FLOW_ERROR;
  copy = NULL;
  if (self->seen != NULL && !outliers &&
      (columns = gst_stx_stage_table(
           stage, SEEN, self->seen, stx_grid_bytes(&params->grid), &copy, error)) == NULL)
    return GST_FLOW_ERROR;
  tables = gst_stx_stage_constant(stage, TABLES, self->tables, sizeof(*self->tables), error);
  if (tables == NULL)
    return GST_FLOW_ERROR;
  scratch =
      gst_stx_stage_block(stage, SCRATCH, impl->scratch_size(params, stage->place.threads), error);
  return scratch != NULL && find_candidates(self, stage, columns, &starts, error) &&
                 impl->run(params, tables, self->tables->has_ground, columns, starts, records,
                     result, scratch, &stage->place, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

static void remember(GstStxSegmentation *base, const StxStixel *records, gsize count)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(base);

  if (has_prior(self))
    stx_satdp_remember(&self->prior, &self->active.params.grid, records, count);
}

static void post(GstStxSegmentation *base, GstBuffer *frame, const void *data)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(base);
  const StxSatdpResult *result = data;
  GstStructure *structure;

  if (!self->active.post_messages)
    return;
  structure = gst_structure_new("stx-stixels-stats", "timestamp", G_TYPE_UINT64,
      GST_BUFFER_PTS(frame), "stixels", G_TYPE_UINT, (guint)result->count, "pairs", G_TYPE_UINT64,
      stx_satdp_pairs(&self->active.params.grid, self->tables->has_ground), "evaluated",
      G_TYPE_UINT64, result->evaluated, NULL);
  if (self->line != NULL)
    gst_structure_set(structure, "ground-slope", G_TYPE_DOUBLE, self->line->slope, "horizon",
        G_TYPE_DOUBLE, stx_roadline_end(self->line), "bends", G_TYPE_UINT, (guint)self->line->bends,
        NULL);
  gst_element_post_message(GST_ELEMENT(self), gst_message_new_element(GST_OBJECT(self), structure));
}

/* ---- States and events --------------------------------------------------------------------- */

static gboolean start(GstBaseTransform *base)
{
  GST_SAT_DP_STIXELS(base)->warned = FALSE;
  return GST_BASE_TRANSFORM_CLASS(gst_sat_dp_stixels_parent_class)->start(base);
}

static gboolean sink_event(GstBaseTransform *base, GstEvent *event)
{
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP)
    GST_SAT_DP_STIXELS(base)->restart = TRUE;
  return GST_BASE_TRANSFORM_CLASS(gst_sat_dp_stixels_parent_class)->sink_event(base, event);
}

/* ---- GObject ------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(object);

  gst_stx_scratch_clear(&self->road_scratch);
  gst_stx_scratch_clear(&self->prior_memory);
  g_free(self->settings.carrier);
  g_clear_pointer(&self->tables, g_free);
  G_OBJECT_CLASS(gst_sat_dp_stixels_parent_class)->finalize(object);
}

static void gst_sat_dp_stixels_class_init(GstSatDpStixelsClass *klass)
{
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS(klass);
  GstStxSegmentationClass *segmentation = GST_STX_SEGMENTATION_CLASS(klass);
  GstStxStageClass *stage = &GST_STX_TRANSFORM_CLASS(klass)->stage;

  G_OBJECT_CLASS(klass)->finalize = finalize;
  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));

  base->start = start;
  base->sink_event = sink_event;

  segmentation->rows_max = STX_MAX_ROWS;
  segmentation->result_size = sizeof(StxSatdpResult);
  segmentation->count_offset = offsetof(StxSatdpResult, count);
  segmentation->take_settings = take_settings;
  segmentation->configure = configure;
  segmentation->segment = segment;
  segmentation->remember = remember;
  segmentation->post = post;
  stage->host = &stx_satdp_impls;
  stage->device = &stx_satdp_cuda_impls;

  gst_stx_element_describe(klass, "sat-dp-stixels", "Stixel segmentation", "Filter/Analyzer/Video",
      "Cuts columns of disparity into ground, objects and sky by dynamic programming");
  GST_DEBUG_CATEGORY_INIT(gst_sat_dp_stixels_debug, "sat-dp-stixels", 0, "stixel segmentation");
}

static void gst_sat_dp_stixels_init(GstSatDpStixels *self)
{
  self->settings = defaults;
  self->stream = gst_stx_segmentation_stream(GST_STX_SEGMENTATION(self));
  self->tables = g_new(StxSatdpTables, 1);
}
