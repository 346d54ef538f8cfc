/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-lidar-ground
 * @title: lidar-ground
 *
 * Tells ground from obstacles in scans of a LiDAR sensor, and which obstacle points belong
 * together. Labels travel as a meta on the points, or as a stream of their own.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=lidar num-buffers=3 ! lidar-ground !
 * application/x-point-labels ! multifilesink location=%06d.label
 * ]|
 */
#include "gst/gstlidarground.h"

#include "gst/gstlidarlabeller.h"
#include "gst/gststxmeta.h"
#include "gst/gststxtransform.h"
#include "gst/gststxutil.h"

GST_DEBUG_CATEGORY_STATIC(gst_lidar_ground_debug);
#define GST_CAT_DEFAULT gst_lidar_ground_debug

enum { PROP_SETTINGS = GST_STX_PROP_OWN };

struct _GstLidarGround {
  GstBaseTransform parent;

  /* Properties, under the object lock. */
  GstStxRun run;
  GstStxGroundSettings settings;

  GstStxCuda cuda; /* gststxcuda.h tells who may touch what */

  /* Of the streaming thread. */
  GstLidarLabeller labeller;
  gboolean gives_labels; /* and not points with a meta */
};

G_DEFINE_TYPE(GstLidarGround, gst_lidar_ground, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE(lidar_ground, "lidar-ground", GST_RANK_NONE, GST_TYPE_LIDAR_GROUND)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK,
    GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_LIDAR_MEDIA_TYPE, "")));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_LIDAR_MEDIA_TYPE, "") "; " GST_STX_CUDA_CAPS(
            GST_STX_POINT_LABELS_MEDIA_TYPE, "")));

/* ---- Properties ---------------------------------------------------------------------------- */

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstLidarGround *self = GST_LIDAR_GROUND(object);
  gboolean known;

  GST_OBJECT_LOCK(self);
  known = gst_stx_run_set_property(&self->run, id, value) ||
          gst_stx_ground_set_property(&self->settings, PROP_SETTINGS, id, value);
  GST_OBJECT_UNLOCK(self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  GstLidarGround *self = GST_LIDAR_GROUND(object);
  gboolean known;

  GST_OBJECT_LOCK(self);
  known = gst_stx_run_get_property(&self->run, id, value) ||
          gst_stx_ground_get_property(&self->settings, PROP_SETTINGS, id, value);
  GST_OBJECT_UNLOCK(self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

static GstStxGroundSettings settings_of(GstLidarGround *self)
{
  GstStxGroundSettings settings;

  GST_OBJECT_LOCK(self);
  settings = self->settings;
  GST_OBJECT_UNLOCK(self);
  return settings;
}

/* ---- Caps ---------------------------------------------------------------------------------- */

/* Points go through in the memory in which they came. */
static void append_points(GstCaps *result, const GstCaps *caps, guint index)
{
  gst_caps_append_structure_full(result, gst_structure_copy(gst_caps_get_structure(caps, index)),
      gst_caps_features_copy(gst_caps_get_features(caps, index)));
}

/* `name` with the frame rate of that structure. */
static GstStructure *renamed(const GstCaps *caps, guint index, const char *name)
{
  const GValue *rate = gst_structure_get_value(gst_caps_get_structure(caps, index), "framerate");
  GstStructure *structure = gst_structure_new_empty(name);

  if (rate != NULL)
    gst_structure_set_value(structure, "framerate", rate);
  return structure;
}

static GstCaps *with_memories(GstLidarGround *self, GstStructure *structure)
{
  return gst_stx_cuda_both_caps(&self->cuda, gst_caps_new_full(structure, NULL));
}

static GstCaps *other_caps(GstLidarGround *self, GstPadDirection direction, const GstCaps *caps)
{
  GstCaps *points = gst_caps_new_empty(), *labels = gst_caps_new_empty();

  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    if (gst_structure_has_name(gst_caps_get_structure(caps, i), GST_STX_LIDAR_MEDIA_TYPE))
      append_points(points, caps, i);
    else if (direction == GST_PAD_SINK) /* set_caps will say why not */
      gst_caps_append(points, gst_caps_new_empty_simple(GST_STX_LIDAR_MEDIA_TYPE));
    gst_caps_append(
        labels, with_memories(self, renamed(caps, i,
                                        direction == GST_PAD_SINK ? GST_STX_POINT_LABELS_MEDIA_TYPE
                                                                  : GST_STX_LIDAR_MEDIA_TYPE)));
  }
  return gst_stx_cuda_filter_caps(&self->cuda, gst_caps_merge(points, labels));
}

static GstCaps *transform_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstCaps *other = other_caps(GST_LIDAR_GROUND(base), direction, caps), *result;

  if (filter == NULL)
    return other;
  result = gst_caps_intersect_full(filter, other, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(other);
  return result;
}

static gboolean is_labels(const GstCaps *caps)
{
  return gst_structure_has_name(gst_caps_get_structure(caps, 0), GST_STX_POINT_LABELS_MEDIA_TYPE);
}

/* Points first; labels in the memory that downstream names. */
static GstCaps *fixate_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  if (direction == GST_PAD_SRC || gst_caps_is_empty(other) || !is_labels(other))
    return gst_caps_fixate(other);
  return gst_stx_cuda_fixate_caps(
      &GST_LIDAR_GROUND(base)->cuda, GST_BASE_TRANSFORM_SRC_PAD(base), other);
}

static gboolean configure(
    GstLidarGround *self, const GstCaps *input, const GstCaps *output, StxError *error)
{
  GstStxGroundSettings settings = settings_of(self);
  GstStxRun run;

  GST_OBJECT_LOCK(self);
  run = self->run;
  GST_OBJECT_UNLOCK(self);
  self->gives_labels = is_labels(output);
  return gst_stx_check_scan_caps(GST_ELEMENT(self), input, error) &&
         stx_ground_check(&settings.params, error) &&
         gst_lidar_labeller_configure(&self->labeller, &run, gst_stx_cuda_is_caps(output), error);
}

static gboolean set_caps(GstBaseTransform *base, GstCaps *input, GstCaps *output)
{
  StxError error;

  if (configure(GST_LIDAR_GROUND(base), input, output, &error))
    return TRUE;
  GST_STX_ELEMENT_ERROR(base, STREAM, FORMAT, &error);
  return FALSE;
}

/* ---- Scans --------------------------------------------------------------------------------- */

static void post(GstLidarGround *self, GstBuffer *scan, const StxGroundResult *result)
{
  gst_element_post_message(GST_ELEMENT(self),
      gst_message_new_element(GST_OBJECT(self),
          gst_structure_new("stx-ground-stats", "timestamp", G_TYPE_UINT64, GST_BUFFER_PTS(scan),
              "ground", G_TYPE_UINT, result->ground, "obstacles", G_TYPE_UINT, result->obstacles,
              "outside", G_TYPE_UINT, result->outside, "lines", G_TYPE_UINT, result->lines,
              "clusters", G_TYPE_UINT, result->clusters, "measured", G_TYPE_BOOLEAN,
              result->measured, "height", G_TYPE_DOUBLE, (gdouble)result->height, "slope-x",
              G_TYPE_DOUBLE, (gdouble)result->slope_x, "slope-y", G_TYPE_DOUBLE,
              (gdouble)result->slope_y, NULL)));
}

static gboolean check_scan(GstLidarGround *self, GstBuffer *input, const StxGroundParams *params)
{
  gsize size = gst_buffer_get_size(input);
  StxError error;

  if (!stx_ground_check(params, &error)) { /* set in mid-stream */
    GST_STX_ELEMENT_ERROR(self, LIBRARY, SETTINGS, &error);
    return FALSE;
  }
  if (size > 0 && !gst_stx_check_input(GST_ELEMENT(self), input, 0, GST_STX_POINT_BYTES))
    return FALSE;
  if (size / GST_STX_POINT_BYTES <= STX_GROUND_MAX_POINTS)
    return TRUE;
  GST_ELEMENT_ERROR(self, STREAM, FORMAT,
      ("a scan of %" G_GSIZE_FORMAT " points, at most %d are possible", size / GST_STX_POINT_BYTES,
          STX_GROUND_MAX_POINTS),
      (NULL));
  return FALSE;
}

/* The labels themselves, or the points with them on. */
static GstBuffer *output_of(GstLidarGround *self, GstBuffer *input, GstBuffer *labels)
{
  GstStxPointLabelsMeta *older;
  GstBuffer *points;

  if (self->gives_labels) {
    GstBaseTransform *base = GST_BASE_TRANSFORM(self);
    if (!GST_BASE_TRANSFORM_GET_CLASS(base)->copy_metadata(base, input, labels))
      GST_WARNING_OBJECT(self, "could not copy time stamps and metas");
    return labels;
  }
  points = gst_buffer_copy(input); /* of the buffer, not of its memory */
  while ((older = gst_buffer_get_stx_point_labels_meta(points)) != NULL)
    gst_buffer_remove_meta(points, &older->meta);
  gst_buffer_add_stx_point_labels_meta(points, labels);
  gst_buffer_unref(labels);
  return points;
}

static GstFlowReturn prepare_output_buffer(
    GstBaseTransform *base, GstBuffer *input, GstBuffer **output)
{
  GstLidarGround *self = GST_LIDAR_GROUND(base);
  GstStxGroundSettings settings = settings_of(self);
  gboolean device_output = self->labeller.device_output;
  StxGroundResult result = {0};
  GstBuffer *labels;
  GstFlowReturn flow;

  if (!check_scan(self, input, &settings.params))
    return GST_FLOW_ERROR;
  flow = gst_lidar_labeller_run(
      &self->labeller, &settings.params, input, settings.post_messages, &result, &labels);
  if (flow != GST_FLOW_OK)
    return flow;
  if (self->gives_labels && device_output && !self->labeller.device_output &&
      !gst_stx_transform_to_system_memory(base)) {
    gst_buffer_unref(labels);
    return GST_FLOW_ERROR;
  }
  if (settings.post_messages)
    post(self, input, &result);
  *output = output_of(self, input, labels);
  return GST_FLOW_OK;
}

static GstFlowReturn transform(GstBaseTransform *base, GstBuffer *input, GstBuffer *output)
{
  return GST_FLOW_OK;
}

/* ---- Context, queries, allocation ---------------------------------------------------------- */

static void set_context(GstElement *element, GstContext *context)
{
  gst_stx_cuda_set_context(&GST_LIDAR_GROUND(element)->cuda, context);
  GST_ELEMENT_CLASS(gst_lidar_ground_parent_class)->set_context(element, context);
}

static gboolean query(GstBaseTransform *base, GstPadDirection direction, GstQuery *asked)
{
  return gst_stx_cuda_query_context(&GST_LIDAR_GROUND(base)->cuda, asked) ||
         GST_BASE_TRANSFORM_CLASS(gst_lidar_ground_parent_class)->query(base, direction, asked);
}

static gboolean propose_allocation(GstBaseTransform *base, GstQuery *decided, GstQuery *asked)
{
  gst_stx_cuda_propose(asked);
  return TRUE;
}

static gboolean decide_allocation(GstBaseTransform *base, GstQuery *asked)
{
  gst_stx_cuda_decide(&GST_LIDAR_GROUND(base)->cuda, asked);
  return GST_BASE_TRANSFORM_CLASS(gst_lidar_ground_parent_class)->decide_allocation(base, asked);
}

/* ---- States -------------------------------------------------------------------------------- */

static gboolean start(GstBaseTransform *base)
{
  return gst_stx_cuda_start(&GST_LIDAR_GROUND(base)->cuda);
}

static gboolean stop(GstBaseTransform *base)
{
  GstLidarGround *self = GST_LIDAR_GROUND(base);

  gst_lidar_labeller_stop(&self->labeller);
  gst_stx_cuda_stop(&self->cuda);
  return TRUE;
}

/* ---- GObject ------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  GstLidarGround *self = GST_LIDAR_GROUND(object);

  gst_lidar_labeller_stop(&self->labeller);
  gst_stx_cuda_clear(&self->cuda);
  G_OBJECT_CLASS(gst_lidar_ground_parent_class)->finalize(object);
}

static void install_virtuals(GstBaseTransformClass *base)
{
  base->query = query;
  base->propose_allocation = propose_allocation;
  base->decide_allocation = decide_allocation;
  base->transform_caps = transform_caps;
  base->fixate_caps = fixate_caps;
  base->accept_caps = gst_stx_transform_accept_caps;
  base->set_caps = set_caps;
  base->submit_input_buffer = gst_stx_transform_submit_scan;
  base->prepare_output_buffer = prepare_output_buffer;
  base->transform = transform;
  base->start = start;
  base->stop = stop;
}

static void gst_lidar_ground_class_init(GstLidarGroundClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstElementClass *element = GST_ELEMENT_CLASS(klass);

  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  element->set_context = set_context;
  gst_stx_run_install_properties(object);
  gst_stx_ground_install_properties(object, PROP_SETTINGS);
  install_virtuals(GST_BASE_TRANSFORM_CLASS(klass));

  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(element, "LiDAR ground segmentation", "Filter/Analyzer",
      "Labels the points of LiDAR scans as ground, or as obstacles in clusters", GST_STX_AUTHOR);
  GST_DEBUG_CATEGORY_INIT(gst_lidar_ground_debug, "lidar-ground", 0, "LiDAR ground segmentation");
}

static void gst_lidar_ground_init(GstLidarGround *self)
{
  self->run = GST_STX_RUN_DEFAULTS;
  self->settings = (GstStxGroundSettings)GST_STX_GROUND_SETTINGS_DEFAULTS;
  gst_stx_cuda_init(&self->cuda, GST_ELEMENT(self), &self->run, &stx_ground_cuda_impls);
  gst_lidar_labeller_init(&self->labeller, GST_ELEMENT(self), &self->cuda);
}
