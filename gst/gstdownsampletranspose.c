/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-downsample-transpose
 * @title: downsample-transpose
 *
 * Reduces a disparity frame, its confidence and its semantics to cells, and transposes them on
 * the way, so that one column of the image is contiguous in memory.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=disparity num-buffers=3 ! downsample-transpose !
 * sat-dp-stixels ! fakesink
 * ]|
 */
#include "gst/gstdownsampletranspose.h"

#include "common/colmean.h"
#include "gst/gststxcamera.h"
#include "gst/gststxcellinput.h"
#include "gst/gststxcells.h"
#include "gst/gststxcolumns.h"
#include "gst/gststxutil.h"

GST_DEBUG_CATEGORY_STATIC(gst_downsample_transpose_debug);
#define GST_CAT_DEFAULT gst_downsample_transpose_debug

enum { PROP_CELLS = GST_STX_PROP_OWN };

#define COLUMNS_BYTES_MAX                                                                          \
  (1u << 30) /* of a buffer; 4096x2160 with 1x1 cells and 32 classes fits                          \
              */

struct _GstDownsampleTranspose {
  GstStxPairing parent;

  /* Properties, under the object lock. */
  GstStxRun run;
  GstStxCameraSettings camera_settings;
  GstStxCells cells;

  /* Caps of the pads, on the streaming thread. */
  GstStxCellCaps caps;
  GstCaps *disparity_caps; /* for framerate and camera */

  /* What follows from both; valid for sets of the roles in `configured`, 0: for none. */
  guint configured;
  const StxColmeanImpl *impl;
  int threads;
  StxColmeanParams params;
  StxColmeanTables tables;
  StxColmeanInput layout; /* its strides of scores; the rest is filled in per frame */
  GstStxScratch scratch;
  GstCaps *src_caps;
};

G_DEFINE_TYPE(GstDownsampleTranspose, gst_downsample_transpose, GST_TYPE_STX_PAIRING)
GST_ELEMENT_REGISTER_DEFINE(
    downsample_transpose, "downsample-transpose", GST_RANK_NONE, GST_TYPE_DOWNSAMPLE_TRANSPOSE)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-raw,format=GRAY16_LE"));
static GstStaticPadTemplate confidence_template = GST_STATIC_PAD_TEMPLATE(
    "confidence", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS("video/x-raw,format=GRAY8"));
static GstStaticPadTemplate semantics_template = GST_STATIC_PAD_TEMPLATE("semantics", GST_PAD_SINK,
    GST_PAD_REQUEST, GST_STATIC_CAPS("video/x-raw,format=GRAY8; other/tensors"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_COLUMNS_MEDIA_TYPE));

/* ---- Properties ---------------------------------------------------------------------------- */

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(object);
  gboolean known;

  GST_OBJECT_LOCK(self);
  known = gst_stx_run_set_property(&self->run, id, value) ||
          gst_stx_camera_set_property(&self->camera_settings, id, value) ||
          gst_stx_cells_set_property(&self->cells, PROP_CELLS, id, value);
  GST_OBJECT_UNLOCK(self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(object);
  gboolean known;

  GST_OBJECT_LOCK(self);
  known = gst_stx_run_get_property(&self->run, id, value) ||
          gst_stx_camera_get_property(&self->camera_settings, id, value) ||
          gst_stx_cells_get_property(&self->cells, PROP_CELLS, id, value);
  GST_OBJECT_UNLOCK(self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

/* ---- Caps of the inputs -------------------------------------------------------------------- */

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(pairing);
  StxError error;

  self->configured = 0;
  if (!gst_stx_cell_caps_set(&self->caps, role, caps, &error)) {
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
    return FALSE;
  }
  if (role == GST_STX_CELL_DISPARITY)
    gst_caps_replace(&self->disparity_caps, caps);
  return TRUE;
}

/* ---- Configuration: what follows from caps and properties ---------------------------------- */

static gboolean check_bytes(const StxGrid *grid, StxError *error)
{
  gsize bytes = stx_grid_bytes(grid);

  if (bytes <= COLUMNS_BYTES_MAX)
    return TRUE;
  return stx_fail(error,
      "%dx%d pixels in cells of %dx%d with %d classes make columns of %" G_GSIZE_FORMAT
      " bytes, at most %u are possible: use a larger stixel-width or stixel-height",
      grid->width, grid->height, grid->cell_width, grid->cell_height, grid->classes, bytes,
      COLUMNS_BYTES_MAX);
}

static gboolean choose(GstDownsampleTranspose *self, guint roles, StxError *error)
{
  StxCamera camera;

  GST_OBJECT_LOCK(self);
  gst_stx_cells_apply(&self->cells, &self->params);
  camera = gst_stx_camera_settings_apply(&self->camera_settings, self->disparity_caps);
  self->threads = stx_threads(self->run.threads);
  self->impl = gst_stx_run_pick(&self->run, &stx_colmean_impls, error);
  GST_OBJECT_UNLOCK(self);
  if (self->impl == NULL ||
      !gst_stx_cell_caps_layout(&self->caps, roles, &self->params, &self->layout, error) ||
      !stx_colmean_check(&self->params, error) || !check_bytes(&self->params.grid, error) ||
      !gst_stx_scratch_reserve(
          &self->scratch, self->impl->scratch_size(&self->params, self->threads), error))
    return FALSE;
  gst_caps_take(
      &self->src_caps, gst_stx_columns_caps_new(&self->params.grid, &camera, self->disparity_caps));
  return TRUE;
}

/* Makes everything ready for sets of these roles. */
static GstFlowReturn configure(GstDownsampleTranspose *self, guint roles)
{
  GstPad *src = GST_AGGREGATOR_SRC_PAD(self);
  StxError error;

  if (!choose(self, roles, &error)) {
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
    return GST_FLOW_ERROR;
  }
  if (!gst_aggregator_negotiate(GST_AGGREGATOR(self)))
    return GST_PAD_IS_FLUSHING(src) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
  self->configured = roles;
  GST_DEBUG_OBJECT(
      self, "%" GST_PTR_FORMAT ", implementation %s", self->src_caps, self->impl->info.name);
  return GST_FLOW_OK;
}

/* The base class negotiates as soon as there are buffers; the caps are known when they are a set.
 */
static gboolean negotiate(GstAggregator *aggregator)
{
  if (GST_DOWNSAMPLE_TRANSPOSE(aggregator)->src_caps == NULL)
    return TRUE;
  return GST_AGGREGATOR_CLASS(gst_downsample_transpose_parent_class)->negotiate(aggregator);
}

static GstFlowReturn update_src_caps(GstAggregator *aggregator, GstCaps *downstream, GstCaps **caps)
{
  *caps = gst_caps_intersect(GST_DOWNSAMPLE_TRANSPOSE(aggregator)->src_caps, downstream);
  return GST_FLOW_OK;
}

static gboolean decide_allocation(GstAggregator *aggregator, GstQuery *query)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(aggregator);
  guint size = (guint)stx_grid_bytes(&self->params.grid);
  GstBufferPool *pool = gst_buffer_pool_new();
  GstStructure *config = gst_buffer_pool_get_config(pool);
  GstAllocationParams params = {.align = STX_ALIGN - 1};
  gboolean configured;

  gst_buffer_pool_config_set_params(config, self->src_caps, size, 0, 0);
  gst_buffer_pool_config_set_allocator(config, NULL, &params);
  configured = gst_buffer_pool_set_config(pool, config) && gst_buffer_pool_set_active(pool, TRUE);
  if (configured && gst_query_get_n_allocation_pools(query) > 0)
    gst_query_set_nth_allocation_pool(query, 0, pool, size, 0, 0);
  else if (configured)
    gst_query_add_allocation_pool(query, pool, size, 0, 0);
  gst_object_unref(pool);
  return configured;
}

/* ---- Frames -------------------------------------------------------------------------------- */

static GstFlowReturn acquire(GstDownsampleTranspose *self, GstBuffer **buffer, GstMapInfo *map)
{
  GstBufferPool *pool = gst_aggregator_get_buffer_pool(GST_AGGREGATOR(self));
  GstFlowReturn flow = gst_buffer_pool_acquire_buffer(pool, buffer, NULL);

  gst_object_unref(pool);
  if (flow != GST_FLOW_OK)
    return flow;
  if (gst_buffer_map(*buffer, map, GST_MAP_WRITE))
    return GST_FLOW_OK;
  gst_clear_buffer(buffer);
  GST_ELEMENT_ERROR(self, RESOURCE, WRITE, ("cannot write to a buffer's memory"), (NULL));
  return GST_FLOW_ERROR;
}

static GstFlowReturn reduce(
    GstDownsampleTranspose *self, const StxColmeanInput *input, GstBuffer **out)
{
  GstMapInfo map;
  GstFlowReturn flow = acquire(self, out, &map);

  if (flow != GST_FLOW_OK)
    return flow;
  self->impl->run(&self->params, &self->tables, input, map.data, self->scratch.data, self->threads);
  gst_buffer_unmap(*out, &map);
  return GST_FLOW_OK;
}

static GstFlowReturn process(GstStxPairing *pairing, GstBuffer **set, GstBuffer **out)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(pairing);
  GstFlowReturn flow = GST_FLOW_OK;
  StxColmeanInput input;
  GstStxCellMap map = {0};
  StxError error;
  guint roles = 0;

  for (guint role = 0; role < GST_STX_CELL_ROLES; role++)
    roles |= set[role] != NULL ? 1u << role : 0;
  if (roles != self->configured)
    flow = configure(self, roles);
  if (flow != GST_FLOW_OK)
    return flow;

  input = self->layout;
  if (gst_stx_cell_map(&self->caps, set, &map, &input, &error)) {
    flow = reduce(self, &input, out);
  } else {
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
    flow = GST_FLOW_ERROR;
  }
  gst_stx_cell_unmap(set, &map);
  return flow;
}

/* ---- States -------------------------------------------------------------------------------- */

static gboolean start(GstAggregator *aggregator)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(aggregator);

  self->configured = 0;
  return GST_AGGREGATOR_CLASS(gst_downsample_transpose_parent_class)->start(aggregator) &&
         gst_stx_camera_settings_load(&self->camera_settings, GST_ELEMENT(self));
}

static gboolean stop(GstAggregator *aggregator)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(aggregator);

  gst_caps_replace(&self->src_caps, NULL);
  gst_caps_replace(&self->disparity_caps, NULL);
  gst_stx_scratch_clear(&self->scratch);
  return TRUE;
}

static void finalize(GObject *object)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(object);

  gst_stx_camera_settings_clear(&self->camera_settings);
  gst_stx_scratch_clear(&self->scratch);
  gst_caps_replace(&self->src_caps, NULL);
  gst_caps_replace(&self->disparity_caps, NULL);
  G_OBJECT_CLASS(gst_downsample_transpose_parent_class)->finalize(object);
}

static void add_pad_templates(GstElementClass *klass)
{
  gst_element_class_add_static_pad_template_with_gtype(
      klass, &sink_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(
      klass, &confidence_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(
      klass, &semantics_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(
      klass, &src_template, GST_TYPE_AGGREGATOR_PAD);
}

static void gst_downsample_transpose_class_init(GstDownsampleTransposeClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstElementClass *element = GST_ELEMENT_CLASS(klass);
  GstAggregatorClass *aggregator = GST_AGGREGATOR_CLASS(klass);
  GstStxPairingClass *pairing = GST_STX_PAIRING_CLASS(klass);

  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  gst_stx_run_install_properties(object);
  gst_stx_camera_install_properties(object);
  gst_stx_cells_install_properties(object, PROP_CELLS);

  aggregator->start = start;
  aggregator->stop = stop;
  aggregator->negotiate = negotiate;
  aggregator->update_src_caps = update_src_caps;
  aggregator->decide_allocation = decide_allocation;
  pairing->roles[GST_STX_CELL_DISPARITY] = "sink";
  pairing->roles[GST_STX_CELL_CONFIDENCE] = "confidence";
  pairing->roles[GST_STX_CELL_SEMANTICS] = "semantics";
  pairing->set_role_caps = set_role_caps;
  pairing->process = process;

  add_pad_templates(element);
  gst_element_class_set_static_metadata(element, "Disparity to columns of cells",
      "Filter/Converter/Video",
      "Averages disparity, confidence and semantics over cells and transposes them",
      GST_STX_AUTHOR);
  GST_DEBUG_CATEGORY_INIT(
      gst_downsample_transpose_debug, "downsample-transpose", 0, "cell reduction");
}

static void gst_downsample_transpose_init(GstDownsampleTranspose *self)
{
  self->run = GST_STX_RUN_DEFAULTS;
  gst_stx_camera_settings_init(&self->camera_settings);
  self->cells = GST_STX_CELLS_DEFAULTS;
  stx_colmean_prepare(&self->tables);
  gst_stx_pairing_add_pad(GST_STX_PAIRING(self), GST_STX_CELL_DISPARITY);
}
