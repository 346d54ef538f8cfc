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
#include "gst/gstsatdpsegmenter.h"
#include "gst/gststxcamera.h"
#include "gst/gststxcolumns.h"
#include "gst/gststxcuda.h"
#include "gst/gststxroad.h"
#include "gst/gststxsatdp.h"
#include "gst/gststxtransform.h"
#include "gst/gststxutil.h"

GST_DEBUG_CATEGORY_STATIC(gst_sat_dp_stixels_debug);
#define GST_CAT_DEFAULT gst_sat_dp_stixels_debug

enum { PROP_SETTINGS = GST_STX_PROP_OWN };

struct _GstSatDpStixels {
  GstBaseTransform parent;

  /* Properties, under the object lock. */
  GstStxRun run;
  GstStxCameraSettings camera_settings;
  GstStxSatdpSettings settings;

  GstStxCuda cuda; /* gststxcuda.h tells who may touch what */

  GstSatDpSegmenter segmenter; /* of the streaming thread */
};

G_DEFINE_TYPE(GstSatDpStixels, gst_sat_dp_stixels, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE(
    sat_dp_stixels, "sat-dp-stixels", GST_RANK_NONE, GST_TYPE_SAT_DP_STIXELS)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK,
    GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_COLUMNS_MEDIA_TYPE, "")));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC,
    GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_STIXELS_MEDIA_TYPE, "")));

/* ---- Properties ---------------------------------------------------------------------------- */

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(object);
  gboolean known;

  GST_OBJECT_LOCK(self);
  known = gst_stx_run_set_property(&self->run, id, value) ||
          gst_stx_camera_set_property(&self->camera_settings, id, value) ||
          gst_stx_satdp_set_property(&self->settings, PROP_SETTINGS, id, value);
  GST_OBJECT_UNLOCK(self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(object);
  gboolean known;

  GST_OBJECT_LOCK(self);
  known = gst_stx_run_get_property(&self->run, id, value) ||
          gst_stx_camera_get_property(&self->camera_settings, id, value) ||
          gst_stx_satdp_get_property(&self->settings, PROP_SETTINGS, id, value);
  GST_OBJECT_UNLOCK(self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
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
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(base);
  GstCaps *other = gst_stx_cuda_both_caps(&self->cuda, other_caps(self, direction, caps));
  GstCaps *result;

  if (filter == NULL)
    return other;
  result = gst_caps_intersect_full(filter, other, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(other);
  return result;
}

static GstCaps *fixate_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  if (direction == GST_PAD_SRC)
    return gst_caps_fixate(other);
  return gst_stx_cuda_fixate_caps(
      &GST_SAT_DP_STIXELS(base)->cuda, GST_BASE_TRANSFORM_SRC_PAD(base), other);
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

static gboolean configure(
    GstSatDpStixels *self, const GstCaps *input, const GstCaps *output, StxError *error)
{
  GstStxSatdpSettings settings;
  GstStxRun run;
  StxCamera camera;
  StxGrid grid;

  if (!parse_grid(input, &grid, error))
    return FALSE;
  camera = camera_for(self, input);
  GST_OBJECT_LOCK(self);
  settings = self->settings;
  run = self->run;
  GST_OBJECT_UNLOCK(self);
  return gst_sat_dp_segmenter_configure(
      &self->segmenter, &settings, &run, &grid, &camera, gst_stx_cuda_is_caps(output), error);
}

static gboolean set_caps(GstBaseTransform *base, GstCaps *input, GstCaps *output)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(base);
  StxError error;

  if (configure(self, input, output, &error))
    return TRUE;
  GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
  return FALSE;
}

/* ---- Frames -------------------------------------------------------------------------------- */

/* How large the output is comes out of the work, so the work is done here. */
static GstFlowReturn prepare_output_buffer(
    GstBaseTransform *base, GstBuffer *input, GstBuffer **output)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(base);
  GstStxSatdpSettings settings;
  GstFlowReturn flow;

  GST_OBJECT_LOCK(self);
  settings = self->settings;
  GST_OBJECT_UNLOCK(self);
  flow = gst_sat_dp_segmenter_run(&self->segmenter, &settings, input, output);
  if (flow == GST_FLOW_OK &&
      !GST_BASE_TRANSFORM_GET_CLASS(base)->copy_metadata(base, input, *output))
    GST_WARNING_OBJECT(self, "could not copy time stamps and metas");
  return flow;
}

static GstFlowReturn transform(GstBaseTransform *base, GstBuffer *input, GstBuffer *output)
{
  return GST_FLOW_OK;
}

/* ---- Context, queries, allocation ---------------------------------------------------------- */

static void set_context(GstElement *element, GstContext *context)
{
  gst_stx_cuda_set_context(&GST_SAT_DP_STIXELS(element)->cuda, context);
  GST_ELEMENT_CLASS(gst_sat_dp_stixels_parent_class)->set_context(element, context);
}

static gboolean query(GstBaseTransform *base, GstPadDirection direction, GstQuery *asked)
{
  return gst_stx_cuda_query_context(&GST_SAT_DP_STIXELS(base)->cuda, asked) ||
         GST_BASE_TRANSFORM_CLASS(gst_sat_dp_stixels_parent_class)->query(base, direction, asked);
}

static gboolean propose_allocation(GstBaseTransform *base, GstQuery *decided, GstQuery *asked)
{
  gst_stx_cuda_propose(asked);
  return TRUE;
}

static gboolean decide_allocation(GstBaseTransform *base, GstQuery *asked)
{
  gst_stx_cuda_decide(&GST_SAT_DP_STIXELS(base)->cuda, asked);
  return GST_BASE_TRANSFORM_CLASS(gst_sat_dp_stixels_parent_class)->decide_allocation(base, asked);
}

/* ---- States and events --------------------------------------------------------------------- */

static gboolean start(GstBaseTransform *base)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(base);

  return gst_stx_camera_settings_load(&self->camera_settings, GST_ELEMENT(self)) &&
         gst_stx_cuda_start(&self->cuda);
}

static gboolean stop(GstBaseTransform *base)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(base);

  gst_sat_dp_segmenter_stop(&self->segmenter);
  gst_stx_cuda_stop(&self->cuda);
  return TRUE;
}

static gboolean sink_event(GstBaseTransform *base, GstEvent *event)
{
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP)
    gst_sat_dp_segmenter_restart(&GST_SAT_DP_STIXELS(base)->segmenter);
  return GST_BASE_TRANSFORM_CLASS(gst_sat_dp_stixels_parent_class)->sink_event(base, event);
}

/* ---- GObject ------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(object);

  gst_stx_camera_settings_clear(&self->camera_settings);
  gst_sat_dp_segmenter_clear(&self->segmenter);
  gst_stx_cuda_clear(&self->cuda);
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
  element->set_context = set_context;
  gst_stx_run_install_properties(object);
  gst_stx_camera_install_properties(object);
  gst_stx_satdp_install_properties(object, PROP_SETTINGS);

  base->query = query;
  base->propose_allocation = propose_allocation;
  base->decide_allocation = decide_allocation;
  base->transform_caps = transform_caps;
  base->fixate_caps = fixate_caps;
  base->accept_caps = gst_stx_transform_accept_caps;
  base->set_caps = set_caps;
  base->prepare_output_buffer = prepare_output_buffer;
  base->transform = transform;
  base->start = start;
  base->stop = stop;
  base->sink_event = sink_event;

  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(element, "Stixel segmentation", "Filter/Analyzer/Video",
      "Cuts columns of disparity into ground, objects and sky by dynamic programming",
      GST_STX_AUTHOR);
  GST_DEBUG_CATEGORY_INIT(gst_sat_dp_stixels_debug, "sat-dp-stixels", 0, "stixel segmentation");
}

static void gst_sat_dp_stixels_init(GstSatDpStixels *self)
{
  self->run = GST_STX_RUN_DEFAULTS;
  gst_stx_camera_settings_init(&self->camera_settings);
  self->settings = (GstStxSatdpSettings)GST_STX_SATDP_SETTINGS_DEFAULTS;
  gst_stx_cuda_init(&self->cuda, GST_ELEMENT(self), &self->run, &stx_satdp_cuda_impls);
  gst_sat_dp_segmenter_init(&self->segmenter, GST_BASE_TRANSFORM(self), &self->cuda);
}
