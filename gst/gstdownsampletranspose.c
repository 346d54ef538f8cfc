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
#include "gst/gstdownsampletransposecuda.h"
#include "gst/gststxcamera.h"
#include "gst/gststxcellinput.h"
#include "gst/gststxcells.h"
#include "gst/gststxcolumns.h"
#include "gst/gststxcuda.h"
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

  GstStxCuda cuda;        /* gststxcuda.h tells who may touch what */
  gboolean device_output; /* columns leave in CUDAMemory */

  /* What follows from both; valid for sets of the roles in `configured`, 0: for none. */
  guint configured;
  const StxColmeanImpl *impl; /* on the CPU, with its threads and scratch */
  int threads;
  StxColmeanParams params;
  StxColmeanTables tables;
  StxColmeanInput layout; /* its strides of scores; the rest is filled in per frame */
  GstStxScratch scratch;
};

G_DEFINE_TYPE(GstDownsampleTranspose, gst_downsample_transpose, GST_TYPE_STX_PAIRING)
GST_ELEMENT_REGISTER_DEFINE(
    downsample_transpose, "downsample-transpose", GST_RANK_NONE, GST_TYPE_DOWNSAMPLE_TRANSPOSE)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK,
    GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_CUDA_CAPS("video/x-raw", ",format=GRAY16_LE")));
static GstStaticPadTemplate confidence_template =
    GST_STATIC_PAD_TEMPLATE("confidence", GST_PAD_SINK, GST_PAD_REQUEST,
        GST_STATIC_CAPS(GST_STX_CUDA_CAPS("video/x-raw", ",format=GRAY8")));
static GstStaticPadTemplate semantics_template =
    GST_STATIC_PAD_TEMPLATE("semantics", GST_PAD_SINK, GST_PAD_REQUEST,
        GST_STATIC_CAPS(GST_STX_CUDA_CAPS("video/x-raw", ",format=GRAY8") "; other/tensors"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC,
    GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_COLUMNS_MEDIA_TYPE, "")));

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

/* The CPU's part; nothing to do while the GPU works. */
static gboolean choose_host(GstDownsampleTranspose *self, const GstStxRun *run, StxError *error)
{
  if (self->cuda.cuda != NULL)
    return TRUE;
  self->threads = stx_threads(run->threads);
  self->impl = gst_stx_run_pick(run, &stx_colmean_impls, error);
  return self->impl != NULL && gst_stx_scratch_reserve(&self->scratch,
                                   self->impl->scratch_size(&self->params, self->threads), error);
}

static gboolean choose(
    GstDownsampleTranspose *self, guint roles, StxCamera *camera, StxError *error)
{
  GstStxRun run;

  GST_OBJECT_LOCK(self);
  gst_stx_cells_apply(&self->cells, &self->params);
  *camera = gst_stx_camera_settings_apply(&self->camera_settings, self->disparity_caps);
  run = self->run;
  GST_OBJECT_UNLOCK(self);
  return gst_stx_cell_caps_layout(&self->caps, roles, &self->params, &self->layout, error) &&
         stx_colmean_check(&self->params, error) && check_bytes(&self->params.grid, error) &&
         choose_host(self, &run, error);
}

/* Makes everything ready for sets of these roles. */
static GstFlowReturn configure(GstDownsampleTranspose *self, guint roles)
{
  GstPad *src = GST_AGGREGATOR_SRC_PAD(self);
  StxCamera camera;
  StxError error;

  if (!choose(self, roles, &camera, &error)) {
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
    return GST_FLOW_ERROR;
  }
  if (!gst_stx_pairing_set_src_caps(GST_STX_PAIRING(self),
          gst_stx_columns_caps_new(&self->params.grid, &camera, self->disparity_caps)))
    return GST_PAD_IS_FLUSHING(src) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
  self->configured = roles;
  GST_DEBUG_OBJECT(self, "%d columns of %d cells, implementation %s",
      stx_grid_columns(&self->params.grid), stx_grid_rows(&self->params.grid),
      self->cuda.cuda != NULL ? "cuda" : self->impl->info.name);
  return GST_FLOW_OK;
}

static GstCaps *choose_memory(GstStxPairing *pairing, GstCaps *caps)
{
  return gst_stx_cuda_choose_caps(
      &GST_DOWNSAMPLE_TRANSPOSE(pairing)->cuda, GST_AGGREGATOR_SRC_PAD(pairing), caps);
}

static gboolean decide_allocation(GstAggregator *aggregator, GstQuery *query)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(aggregator);
  guint size = (guint)stx_grid_bytes(&self->params.grid);
  GstBufferPool *pool;
  GstCaps *caps;

  gst_query_parse_allocation(query, &caps, NULL);
  gst_stx_cuda_decide(&self->cuda, query);
  self->device_output = gst_stx_cuda_is_caps(caps);
  pool = self->device_output ? gst_stx_cuda_pool_bytes_new(&self->cuda, caps, size, FALSE)
                             : gst_stx_host_pool_new(caps, size);
  gst_stx_take_pool(query, pool, size, 0, 0);
  return TRUE;
}

static gboolean propose_allocation(
    GstAggregator *aggregator, GstAggregatorPad *pad, GstQuery *decide_query, GstQuery *query)
{
  gst_stx_cuda_propose(query);
  return TRUE;
}

/* ---- Frames -------------------------------------------------------------------------------- */

static GstFlowReturn reduce(
    GstDownsampleTranspose *self, const StxColmeanInput *input, GstBuffer **out)
{
  GstFlowReturn flow = gst_stx_pairing_acquire(GST_STX_PAIRING(self), out);
  StxPlace place = {.threads = self->threads};
  GstMapInfo map;

  if (flow != GST_FLOW_OK)
    return flow;
  if (!gst_buffer_map(*out, &map, GST_MAP_WRITE)) {
    GST_ELEMENT_ERROR(self, RESOURCE, WRITE, ("cannot write to a buffer's memory"), (NULL));
    return GST_FLOW_ERROR;
  }
  self->impl->run(&self->params, &self->tables, input, map.data, self->scratch.data, &place, NULL);
  gst_buffer_unmap(*out, &map);
  return GST_FLOW_OK;
}

static GstFlowReturn reduce_on_host(GstDownsampleTranspose *self, GstBuffer **set, GstBuffer **out)
{
  StxColmeanInput input = self->layout;
  GstStxCellMap map = {0};
  GstFlowReturn flow;
  StxError error;

  if (gst_stx_cell_map(&self->caps, set, &map, &input, &error)) {
    flow = reduce(self, &input, out);
  } else {
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
    flow = GST_FLOW_ERROR;
  }
  gst_stx_cell_unmap(set, &map);
  return flow;
}

static GstFlowReturn reduce_on_device(
    GstDownsampleTranspose *self, GstBuffer **set, GstBuffer **out, StxError *error)
{
  GstDownsampleTransposePlan plan = {&self->caps, &self->params, &self->tables, &self->layout};
  GstBufferPool *pool = gst_aggregator_get_buffer_pool(GST_AGGREGATOR(self));
  GstFlowReturn flow;

  if (pool == NULL || !gst_buffer_pool_set_active(pool, TRUE)) {
    stx_fail(error, "no pool of output buffers");
    flow = GST_FLOW_ERROR;
  } else {
    flow = gst_downsample_transpose_cuda_run(
        &self->cuda, &plan, set, pool, self->device_output, out, error);
  }
  gst_clear_object(&pool);
  return flow;
}

static GstFlowReturn process(GstStxPairing *pairing, GstBuffer **set, GstBuffer **out)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(pairing);
  GstFlowReturn flow = GST_FLOW_OK;
  StxError error;
  guint roles = 0;

  for (guint role = 0; role < GST_STX_CELL_ROLES; role++)
    roles |= set[role] != NULL ? 1u << role : 0;
  if (roles != self->configured)
    flow = configure(self, roles);
  if (flow != GST_FLOW_OK)
    return flow;

  if (self->cuda.cuda != NULL) {
    flow = reduce_on_device(self, set, out, &error);
    if (flow != GST_FLOW_ERROR || !gst_stx_cuda_fail(&self->cuda, &error))
      return flow;
    flow = configure(self, roles);
  }
  return flow == GST_FLOW_OK ? reduce_on_host(self, set, out) : flow;
}

/* ---- Context and queries ------------------------------------------------------------------- */

static void set_context(GstElement *element, GstContext *context)
{
  gst_stx_cuda_set_context(&GST_DOWNSAMPLE_TRANSPOSE(element)->cuda, context);
  GST_ELEMENT_CLASS(gst_downsample_transpose_parent_class)->set_context(element, context);
}

static gboolean sink_query(GstAggregator *aggregator, GstAggregatorPad *pad, GstQuery *query)
{
  return gst_stx_cuda_query(&GST_DOWNSAMPLE_TRANSPOSE(aggregator)->cuda, GST_PAD(pad), query) ||
         GST_AGGREGATOR_CLASS(gst_downsample_transpose_parent_class)
             ->sink_query(aggregator, pad, query);
}

static gboolean src_query(GstAggregator *aggregator, GstQuery *query)
{
  return gst_stx_cuda_query(&GST_DOWNSAMPLE_TRANSPOSE(aggregator)->cuda,
             GST_AGGREGATOR_SRC_PAD(aggregator), query) ||
         GST_AGGREGATOR_CLASS(gst_downsample_transpose_parent_class)->src_query(aggregator, query);
}

/* ---- States -------------------------------------------------------------------------------- */

static gboolean start(GstAggregator *aggregator)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(aggregator);

  self->configured = 0;
  return GST_AGGREGATOR_CLASS(gst_downsample_transpose_parent_class)->start(aggregator) &&
         gst_stx_camera_settings_load(&self->camera_settings, GST_ELEMENT(self)) &&
         gst_stx_cuda_start(&self->cuda);
}

static gboolean stop(GstAggregator *aggregator)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(aggregator);

  gst_stx_cuda_stop(&self->cuda);
  gst_caps_replace(&self->disparity_caps, NULL);
  gst_stx_scratch_clear(&self->scratch);
  return TRUE;
}

static void finalize(GObject *object)
{
  GstDownsampleTranspose *self = GST_DOWNSAMPLE_TRANSPOSE(object);

  gst_stx_camera_settings_clear(&self->camera_settings);
  gst_stx_cuda_clear(&self->cuda);
  gst_stx_scratch_clear(&self->scratch);
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
  aggregator->decide_allocation = decide_allocation;
  aggregator->propose_allocation = propose_allocation;
  aggregator->sink_query = sink_query;
  aggregator->src_query = src_query;
  element->set_context = set_context;
  pairing->roles[GST_STX_CELL_DISPARITY] = "sink";
  pairing->roles[GST_STX_CELL_CONFIDENCE] = "confidence";
  pairing->roles[GST_STX_CELL_SEMANTICS] = "semantics";
  pairing->set_role_caps = set_role_caps;
  pairing->process = process;
  pairing->choose_memory = choose_memory;

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
  gst_stx_cuda_init(&self->cuda, GST_ELEMENT(self), &self->run, &stx_colmean_cuda_impls);
  gst_stx_camera_settings_init(&self->camera_settings);
  self->cells = GST_STX_CELLS_DEFAULTS;
  stx_colmean_prepare(&self->tables);
  gst_stx_pairing_add_pad(GST_STX_PAIRING(self), GST_STX_CELL_DISPARITY);
}
