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
#include "gst/gstsatdpstixels.h"

#include "common/satdp.h"
#include "gst/gststxcamera.h"
#include "gst/gststxcolumns.h"
#include "gst/gststxroad.h"
#include "gst/gststxsatdp.h"
#include "gst/gststxtransform.h"
#include "gst/gststxutil.h"

GST_DEBUG_CATEGORY_STATIC(gst_sat_dp_stixels_debug);
#define GST_CAT_DEFAULT gst_sat_dp_stixels_debug

typedef enum { MODEL_GAUSSIAN } Model;

enum { PROP_MODEL = GST_STX_PROP_OWN, PROP_GROUND, PROP_POST_MESSAGES, PROP_PARAMS };

struct _GstSatDpStixels {
  GstBaseTransform parent;

  /* Properties, under the object lock. */
  GstStxRun run;
  GstStxCameraSettings camera_settings;
  StxSatdpParams settings; /* the numbers; its grid is not used */
  Model model;
  GstStxGround ground;
  gboolean post_messages;

  /* The stream, under the stream lock. */
  const StxSatdpImpl *impl;
  int threads;
  StxSatdpParams params; /* the settings of this frame and the grid of this stream */
  StxCamera camera;
  GstStxRoad road;
  gboolean restart; /* the next frame does not follow the one before */
  gboolean warned;  /* that there is no road */
  StxSatdpTables *tables;
  GstStxScratch scratch; /* of the road line, then of the segmentation */
  GstStxScratch records; /* the stixels of the worst frame: one per cell */
};

G_DEFINE_TYPE(GstSatDpStixels, gst_sat_dp_stixels, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE(
    sat_dp_stixels, "sat-dp-stixels", GST_RANK_NONE, GST_TYPE_SAT_DP_STIXELS)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_COLUMNS_MEDIA_TYPE));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_STIXELS_MEDIA_TYPE));

/* ---- Properties ---------------------------------------------------------------------------- */

#define GST_TYPE_SAT_DP_MODEL (model_get_type())
static GType model_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {MODEL_GAUSSIAN, "Least squares per stixel, quadratic in the rows", "gaussian"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstSatDpStixelsModel", values));
  return type;
}

static void set_own_property(GstSatDpStixels *self, guint id, const GValue *value, GParamSpec *spec)
{
  if (id == PROP_MODEL)
    self->model = g_value_get_enum(value);
  else if (id == PROP_GROUND)
    self->ground = g_value_get_enum(value);
  else if (id == PROP_POST_MESSAGES)
    self->post_messages = g_value_get_boolean(value);
  else if (!gst_stx_satdp_set_property(&self->settings, PROP_PARAMS, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID(self, id, spec);
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(object);

  GST_OBJECT_LOCK(self);
  if (!gst_stx_run_set_property(&self->run, id, value) &&
      !gst_stx_camera_set_property(&self->camera_settings, id, value))
    set_own_property(self, id, value, spec);
  GST_OBJECT_UNLOCK(self);
}

static void get_own_property(GstSatDpStixels *self, guint id, GValue *value, GParamSpec *spec)
{
  if (id == PROP_MODEL)
    g_value_set_enum(value, self->model);
  else if (id == PROP_GROUND)
    g_value_set_enum(value, self->ground);
  else if (id == PROP_POST_MESSAGES)
    g_value_set_boolean(value, self->post_messages);
  else if (!gst_stx_satdp_get_property(&self->settings, PROP_PARAMS, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID(self, id, spec);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(object);

  GST_OBJECT_LOCK(self);
  if (!gst_stx_run_get_property(&self->run, id, value) &&
      !gst_stx_camera_get_property(&self->camera_settings, id, value))
    get_own_property(self, id, value, spec);
  GST_OBJECT_UNLOCK(self);
}

static void install_properties(GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  gst_stx_run_install_properties(klass);
  gst_stx_camera_install_properties(klass);
  g_object_class_install_property(klass, PROP_MODEL,
      g_param_spec_enum("model", "Model", "Energy of a stixel", GST_TYPE_SAT_DP_MODEL,
          MODEL_GAUSSIAN, flags | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property(klass, PROP_GROUND,
      g_param_spec_enum("ground", "Ground", "Where the expected disparity of the road comes from",
          GST_TYPE_STX_GROUND, GST_STX_GROUND_AUTO, flags | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property(klass, PROP_POST_MESSAGES,
      g_param_spec_boolean("post-messages", "Post messages",
          "Post an element message stx-stixels-stats for every frame", FALSE,
          flags | GST_PARAM_MUTABLE_PLAYING));
  gst_stx_satdp_install_properties(klass, PROP_PARAMS);
}

/* ---- Caps ---------------------------------------------------------------------------------- */

static StxCamera camera_for(GstSatDpStixels *self, const GstCaps *caps)
{
  StxCamera camera;

  GST_OBJECT_LOCK(self);
  camera = gst_stx_camera_settings_apply(&self->camera_settings, caps);
  GST_OBJECT_UNLOCK(self);
  return camera;
}

static gboolean remove_camera(GQuark field, GValue *value, gpointer data)
{
  return !g_str_has_prefix(g_quark_to_string(field), "camera-");
}

/* Downstream sees the camera that counts here; what is asked of upstream leaves it open. */
static GstCaps *other_caps(GstSatDpStixels *self, GstPadDirection direction, const GstCaps *caps)
{
  gboolean down = direction == GST_PAD_SINK;
  GstCaps *result = gst_caps_new_empty();

  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    GstStructure *structure = gst_stx_columns_rename(gst_caps_get_structure(caps, i),
        down ? GST_STX_STIXELS_MEDIA_TYPE : GST_STX_COLUMNS_MEDIA_TYPE);

    if (down && gst_caps_is_fixed(caps)) {
      StxCamera camera = camera_for(self, caps);
      gst_stx_camera_to_structure(&camera, structure);
    } else {
      gst_structure_filter_and_map_in_place(structure, remove_camera, NULL);
    }
    gst_caps_append_structure(result, structure);
  }
  return result;
}

static GstCaps *transform_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstCaps *other = other_caps(GST_SAT_DP_STIXELS(base), direction, caps);
  GstCaps *result;

  if (filter == NULL)
    return other;
  result = gst_caps_intersect_full(filter, other, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(other);
  return result;
}

static gboolean parse_grid(const GstCaps *caps, StxGrid *grid, StxError *error)
{
  int rows;

  if (!gst_stx_columns_caps_parse(caps, grid, error))
    return FALSE;
  rows = stx_grid_rows(grid);
  if (rows <= STX_MAX_ROWS)
    return TRUE;
  return stx_fail(error,
      "columns of %d cells (image height %d, stixel-height %d), at most %d are possible: set "
      "stixel-height=%d or more in downsample-transpose",
      rows, grid->height, grid->cell_height, STX_MAX_ROWS,
      (grid->height + STX_MAX_ROWS - 1) / STX_MAX_ROWS);
}

static gboolean reserve(GstSatDpStixels *self, StxError *error)
{
  const StxGrid *grid = &self->params.grid;
  gsize records = (gsize)stx_grid_columns(grid) * stx_grid_rows(grid) * sizeof(StxStixel);
  gsize scratch = self->impl->scratch_size(&self->params, self->threads);

  return gst_stx_scratch_reserve(&self->scratch, MAX(scratch, stx_roadline_scratch(grid)), error) &&
         gst_stx_scratch_reserve(&self->records, records, error);
}

static gboolean configure(GstSatDpStixels *self, const GstCaps *input, StxError *error)
{
  StxGrid grid;

  if (!parse_grid(input, &grid, error))
    return FALSE;
  self->camera = camera_for(self, input);
  GST_OBJECT_LOCK(self);
  self->params = self->settings;
  self->threads = stx_threads(self->run.threads);
  self->impl = gst_stx_run_pick(&self->run, &stx_satdp_impls, error);
  GST_OBJECT_UNLOCK(self);
  self->params.grid = grid;
  if (self->impl == NULL || !stx_satdp_check(&self->params, error) || !reserve(self, error))
    return FALSE;
  GST_DEBUG_OBJECT(self, "%d columns of %d cells, %d classes, implementation %s",
      stx_grid_columns(&grid), stx_grid_rows(&grid), grid.classes, self->impl->info.name);
  return gst_stx_road_reset(&self->road, self->ground, &self->camera, error);
}

static gboolean set_caps(GstBaseTransform *base, GstCaps *input, GstCaps *output)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(base);
  StxError error;

  if (configure(self, input, &error)) {
    self->restart = FALSE;
    return TRUE;
  }
  self->impl = NULL;
  GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
  return FALSE;
}

/* ---- Frames -------------------------------------------------------------------------------- */

static void warn_no_road(GstSatDpStixels *self)
{
  if (self->warned)
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING(self, STREAM, FAILED,
      ("no road was found: there is no ground among the stixels until one is. Set calibration=FILE "
       "or focal, baseline and camera-height if the camera is known; the caps and properties give "
       "%s",
          stx_camera_is_metric(&self->camera) ? "no camera-height" : "no focal length or baseline"),
      (NULL));
}

/* The road of this frame, or NULL. */
static const StxRoadLine *follow_road(GstSatDpStixels *self, const void *columns, gboolean discont)
{
  const StxRoadLine *line;

  if (self->restart || (discont && self->road.estimate))
    gst_stx_road_reset(&self->road, self->ground, &self->camera, NULL);
  self->restart = FALSE;
  line = gst_stx_road_follow(&self->road, &self->params.grid, columns, self->scratch.data);
  if (line == NULL)
    warn_no_road(self);
  else
    GST_LOG_OBJECT(self, "road: slope %g, horizon %g", line->slope, line->horizon);
  return line;
}

/* Takes over what the user changed since the last frame; TRUE if messages are wanted. */
static gboolean update_params(GstSatDpStixels *self)
{
  StxGrid grid = self->params.grid;
  gboolean post;

  GST_OBJECT_LOCK(self);
  self->params = self->settings;
  post = self->post_messages;
  GST_OBJECT_UNLOCK(self);
  self->params.grid = grid;
  return post;
}

static void post_stats(GstSatDpStixels *self, GstClockTime pts, gsize count,
    const StxSatdpStats *stats, const StxRoadLine *line)
{
  GstStructure *structure = gst_structure_new("stx-stixels-stats", "timestamp", G_TYPE_UINT64, pts,
      "stixels", G_TYPE_UINT, (guint)count, "pairs", G_TYPE_UINT64, stats->pairs, "evaluated",
      G_TYPE_UINT64, stats->evaluated, NULL);

  if (line != NULL)
    gst_structure_set(structure, "ground-slope", G_TYPE_DOUBLE, line->slope, "horizon",
        G_TYPE_DOUBLE, line->horizon, NULL);
  gst_element_post_message(GST_ELEMENT(self), gst_message_new_element(GST_OBJECT(self), structure));
}

/* Segments one frame into self->records. FALSE after an element error. */
static gboolean segment(GstSatDpStixels *self, GstBuffer *input, const void *columns, gsize *count)
{
  const StxRoadLine *line = follow_road(self, columns, GST_BUFFER_IS_DISCONT(input));
  gboolean post = update_params(self);
  StxSatdpStats stats = {0, 0};
  StxError error;

  if (!stx_satdp_prepare(&self->params, &self->camera, line, self->tables, &error)) {
    GST_STX_ELEMENT_ERROR(self, STREAM, FAILED, &error);
    return FALSE;
  }
  *count = self->impl->run(&self->params, self->tables, columns, self->records.data,
      post ? &stats : NULL, self->scratch.data, self->threads);
  if (post)
    post_stats(self, GST_BUFFER_PTS(input), *count, &stats, line);
  return TRUE;
}

/*
 * A frame has far fewer stixels than cells. Room for the worst frame is kept once, here; buffers
 * have exactly the stixels of their frame, so that a long queue of them stays small.
 */
static GstFlowReturn append_records(GstSatDpStixels *self, GstBuffer *output, gsize count)
{
  gsize size = count * sizeof(StxStixel);
  GstAllocationParams params;
  GstAllocator *allocator;
  GstMemory *memory;

  gst_base_transform_get_allocator(GST_BASE_TRANSFORM(self), &allocator, &params);
  memory = gst_allocator_alloc(allocator, size, &params);
  g_clear_object(&allocator);
  if (memory == NULL) {
    GST_ELEMENT_ERROR(self, RESOURCE, NO_SPACE_LEFT,
        ("no memory: %" G_GSIZE_FORMAT " bytes of stixels are needed", size), (NULL));
    return GST_FLOW_ERROR;
  }
  gst_buffer_append_memory(output, memory);
  gst_buffer_fill(output, 0, self->records.data, size);
  return GST_FLOW_OK;
}

static GstFlowReturn transform(GstBaseTransform *base, GstBuffer *input, GstBuffer *output)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(base);
  GstMapInfo map;
  gboolean segmented;
  gsize count = 0;

  if (!gst_stx_map_input(GST_ELEMENT(self), input, stx_grid_bytes(&self->params.grid), 0, &map))
    return GST_FLOW_ERROR;
  segmented = segment(self, input, map.data, &count);
  gst_buffer_unmap(input, &map);
  return segmented ? append_records(self, output, count) : GST_FLOW_ERROR;
}

/* ---- States and events --------------------------------------------------------------------- */

static gboolean start(GstBaseTransform *base)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(base);

  self->warned = FALSE;
  return gst_stx_camera_settings_load(&self->camera_settings, GST_ELEMENT(self));
}

static gboolean stop(GstBaseTransform *base)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(base);

  gst_stx_scratch_clear(&self->scratch);
  gst_stx_scratch_clear(&self->records);
  self->impl = NULL;
  return TRUE;
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

  gst_stx_camera_settings_clear(&self->camera_settings);
  gst_stx_scratch_clear(&self->scratch);
  gst_stx_scratch_clear(&self->records);
  g_free(self->tables);
  G_OBJECT_CLASS(gst_sat_dp_stixels_parent_class)->finalize(object);
}

static void gst_sat_dp_stixels_class_init(GstSatDpStixelsClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstElementClass *element = GST_ELEMENT_CLASS(klass);
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS(klass);

  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  install_properties(object);

  base->transform_caps = transform_caps;
  base->accept_caps = gst_stx_transform_accept_caps;
  base->set_caps = set_caps;
  base->prepare_output_buffer = gst_stx_transform_prepare_output_buffer;
  base->transform = transform;
  base->start = start;
  base->stop = stop;
  base->sink_event = sink_event;

  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(element, "Stixel segmentation", "Filter/Analyzer/Video",
      "Cuts columns of disparity into ground, objects and sky by dynamic programming",
      GST_STX_AUTHOR);
  gst_type_mark_as_plugin_api(GST_TYPE_SAT_DP_MODEL, 0);
  gst_type_mark_as_plugin_api(GST_TYPE_STX_GROUND, 0);
  GST_DEBUG_CATEGORY_INIT(gst_sat_dp_stixels_debug, "sat-dp-stixels", 0, "stixel segmentation");
}

static void gst_sat_dp_stixels_init(GstSatDpStixels *self)
{
  self->run = GST_STX_RUN_DEFAULTS;
  gst_stx_camera_settings_init(&self->camera_settings);
  self->settings = (StxSatdpParams)STX_SATDP_DEFAULTS;
  self->ground = GST_STX_GROUND_AUTO;
  self->tables = g_new(StxSatdpTables, 1);
}
