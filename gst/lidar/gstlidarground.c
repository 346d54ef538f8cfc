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
#include "gst/core/elements.h"

#include "gst/core/element.h"
#include "gst/base/inputs.h"
#include "gst/base/transform.h"
#include "gst/lidar/lidarmeta.h"
#include "common/ground/ground.h"
#include "gst/stixels/stixels.h"

GST_DEBUG_CATEGORY_STATIC(gst_lidar_ground_debug);
#define GST_CAT_DEFAULT gst_lidar_ground_debug

/* Slots of the stage. */
enum { POINTS, LABELS, RESULT, HOST_RESULT, SCRATCH };

typedef struct {
  StxGroundParams params;
  bool post_messages;
} GstLidarGroundSettings;

G_DECLARE_FINAL_TYPE(GstLidarGround, gst_lidar_ground, GST, LIDAR_GROUND, GstStxTransform)

struct _GstLidarGround {
  GstStxTransform parent;

  GstLidarGroundSettings settings; /* properties, under the object lock */

  /* Used by the streaming thread only. */
  GstLidarGroundSettings active; /* settings of this scan */
  StxGroundResult result;        /* this scan's, if it is to be posted or judged */
  gboolean gives_labels;         /* and not points with a meta */
  gboolean judged;               /* a scan has had a ground, or a warning has said why not */
  GstBuffer *points; /* of this scan, uploaded; NULL: they leave in the memory in which they came */
};

G_DEFINE_TYPE(GstLidarGround, gst_lidar_ground, GST_TYPE_STX_TRANSFORM)
GST_STX_ELEMENT(lidar_ground, "lidar-ground")

GST_STX_PAD(sink, SINK, ALWAYS, GST_STX_CUDA_CAPS(GST_STX_LIDAR_MEDIA_TYPE, ""));
GST_STX_PAD(src, SRC, ALWAYS,
    GST_STX_CUDA_CAPS(GST_STX_LIDAR_MEDIA_TYPE, "") "; " GST_STX_CUDA_CAPS(
        GST_STX_POINT_LABELS_MEDIA_TYPE, ""));

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxField own_fields[] = {
    {"post-messages", "Post messages", "Post stx-ground-stats per scan",
        STX_FIELD(BOOL, GstLidarGroundSettings, post_messages)},
};
static const GstLidarGroundSettings defaults = {.params = STX_GROUND_DEFAULTS};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&stx_ground_fields, offsetof(GstLidarGround, settings.params), GST_PARAM_MUTABLE_PLAYING},
    {&own_table, offsetof(GstLidarGround, settings), GST_PARAM_MUTABLE_PLAYING},
};

/* ---- Caps ---------------------------------------------------------------------------------- */

/* `name` with the frame rate of that structure. */
static GstStructure *renamed(const GstCaps *caps, guint index, const char *name)
{
  const GValue *rate = gst_structure_get_value(gst_caps_get_structure(caps, index), "framerate");
  GstStructure *structure = gst_structure_new_empty(name);

  if (rate != NULL)
    gst_structure_set_value(structure, "framerate", rate);
  return structure;
}

static GstCaps *other_caps(
    GstStxTransform *transform, GstPadDirection direction, const GstCaps *caps)
{
  GstStxCuda *cuda = &gst_stx_transform_stage(transform)->cuda;
  const char *name =
      direction == GST_PAD_SINK ? GST_STX_POINT_LABELS_MEDIA_TYPE : GST_STX_LIDAR_MEDIA_TYPE;
  GstCaps *points = gst_caps_new_empty(), *labels = gst_caps_new_empty();

  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    if (gst_structure_has_name(gst_caps_get_structure(caps, i), GST_STX_LIDAR_MEDIA_TYPE)) {
      GstCaps *one = gst_caps_copy_nth(caps, i);

      /* Points in CUDAMemory stay there; those in system memory may be uploaded. */
      if (gst_stx_cuda_is_caps(one) == (direction == GST_PAD_SRC)) {
        gst_caps_set_features_simple(one, NULL);
        one = gst_stx_cuda_both_caps(cuda, one);
      }
      gst_caps_append(points, one);
    } else if (direction == GST_PAD_SINK) /* set_caps will say why not */
      gst_caps_append(points, gst_caps_new_empty_simple(GST_STX_LIDAR_MEDIA_TYPE));
    gst_caps_append(
        labels, gst_stx_cuda_both_caps(cuda, gst_caps_new_full(renamed(caps, i, name), NULL)));
  }
  return gst_stx_cuda_filter_caps(cuda, gst_caps_merge(points, labels));
}

static gboolean is_labels(const GstCaps *caps)
{
  return gst_structure_has_name(gst_caps_get_structure(caps, 0), GST_STX_POINT_LABELS_MEDIA_TYPE);
}

/* Points first; what need not stay in CUDAMemory in the memory that downstream names. */
static GstCaps *fixate_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  if (direction == GST_PAD_SRC || gst_caps_is_empty(other) ||
      (!is_labels(other) && gst_stx_cuda_is_caps(caps)))
    return gst_caps_fixate(other);
  return GST_BASE_TRANSFORM_CLASS(gst_lidar_ground_parent_class)
      ->fixate_caps(base, direction, caps, other);
}

static void take_settings(GstLidarGround *self)
{
  GST_STX_LOCKED(self, self->active = self->settings);
}

static gboolean configure(
    GstStxTransform *transform, const GstCaps *input, const GstCaps *output, StxError *error)
{
  GstLidarGround *self = GST_LIDAR_GROUND(transform);

  take_settings(self);
  self->gives_labels = is_labels(output);
  return gst_stx_check_scan_caps(GST_ELEMENT(self), input, error) &&
         stx_ground_check(&self->active.params, error);
}

/* Points that came in CUDAMemory leave in it. */
static GstFlowReturn renegotiate(GstElement *element)
{
  const GstStxStageClass *parent = &GST_STX_TRANSFORM_CLASS(gst_lidar_ground_parent_class)->stage;
  g_autoptr(GstCaps) input = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(element));
  gboolean stays = !GST_LIDAR_GROUND(element)->gives_labels && gst_stx_cuda_is_caps(input);

  return stays ? GST_FLOW_OK : parent->renegotiate(element);
}

/* ---- Scans --------------------------------------------------------------------------------- */

static GstFlowReturn prepare(GstElement *element, gpointer data, StxError *error)
{
  GstLidarGround *self = GST_LIDAR_GROUND(element);
  const GstStxTransformFrame *frame = data;
  gsize size = gst_buffer_get_size(frame->input), count = size / GST_STX_POINT_BYTES;

  take_settings(self);
  if (!stx_ground_check(&self->active.params, error)) { /* set in mid-stream */
    stx_fail_as(error, STX_ERROR_SETTINGS);
    return GST_FLOW_ERROR;
  }
  if (size > 0 && !gst_stx_check_input(frame->input, 0, GST_STX_POINT_BYTES, error))
    return GST_FLOW_ERROR;
  if (count <= STX_GROUND_MAX_POINTS)
    return GST_FLOW_OK;
  stx_fail(error, "a scan of %" G_GSIZE_FORMAT " points, at most %d are possible", count,
      STX_GROUND_MAX_POINTS);
  return GST_FLOW_ERROR;
}

/*
 * Points that came in system memory and leave in CUDAMemory: written on the host's side of it,
 * which GstCuda uploads when the device is to read them, once. That side stays valid, so elements
 * that work on the CPU read them without a download.
 */
static GstFlowReturn upload(
    GstLidarGround *self, GstStxStage *stage, GstBuffer *input, StxError *error)
{
  GstFlowReturn flow;
  GstMapInfo map;

  gst_clear_buffer(&self->points);
  if (self->gives_labels || !stage->device_output || gst_stx_cuda_is_on_any(input))
    return GST_FLOW_OK;
  flow = gst_stx_stage_new_output(stage, gst_buffer_get_size(input), FALSE, &self->points, error);
  if (flow != GST_FLOW_OK)
    return flow;
  if (!gst_buffer_map(input, &map, GST_MAP_READ)) {
    stx_fail(error, "cannot read a buffer's memory");
    return GST_FLOW_ERROR;
  }
  if (!gst_stx_stage_fill(stage, self->points, map.data, map.size, error))
    flow = GST_FLOW_ERROR;
  else if (gst_buffer_get_size(self->points) != map.size) { /* a copy: the map has failed */
    stx_fail(error, "cannot reach a buffer's memory on the GPU");
    flow = GST_FLOW_ERROR;
  }
  gst_buffer_unmap(input, &map);
  return flow;
}

/* Waits for the result of the scan. */
static gboolean fetch(
    GstStxStage *stage, const StxGroundResult *found, StxGroundResult *result, StxError *error)
{
  const StxGroundResult *host =
      gst_stx_stage_bring(stage, HOST_RESULT, found, sizeof(*found), error);

  if (host == NULL || !gst_stx_stage_wait(stage, error))
    return FALSE;
  *result = *host;
  return TRUE;
}

static gboolean label(
    GstLidarGround *self, GstStxStage *stage, GstStxTransformFrame *frame, StxError *error)
{
  const StxGroundImpl *impl = gst_stx_stage_impl(stage);
  const StxGroundParams *params = &self->active.params;
  gsize count = gst_buffer_get_size(frame->input) / GST_STX_POINT_BYTES;
  gsize scratch_size = impl->scratch_size(params, count, stage->place.threads);
  void *scratch = gst_stx_stage_block(stage, SCRATCH, scratch_size, error), *to;
  StxGroundResult *found;
  const void *points;

  if (scratch == NULL)
    return FALSE;
  found = gst_stx_stage_block(stage, RESULT, sizeof(*found), error);
  return found != NULL &&
         gst_stx_stage_read(stage, POINTS, "", self->points != NULL ? self->points : frame->input,
             count * GST_STX_POINT_BYTES, &points, error) &&
         gst_stx_stage_write(stage, LABELS, frame->output, count * sizeof(guint32), &to, error) &&
         impl->run(params, points, count, to, found, scratch, &stage->place, error) &&
         ((self->judged && !self->active.post_messages) ||
             fetch(stage, found, &self->result, error));
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  GstLidarGround *self = GST_LIDAR_GROUND(element);
  GstStxStage *stage = gst_stx_transform_stage(GST_STX_TRANSFORM(self));
  GstStxTransformFrame *frame = data;
  gsize count = gst_buffer_get_size(frame->input) / GST_STX_POINT_BYTES;
  GstFlowReturn flow;

  gst_clear_buffer(&frame->output);
  flow = upload(self, stage, frame->input, error);
  if (flow == GST_FLOW_OK)
    flow = gst_stx_stage_new_output(
        stage, count * sizeof(guint32), !self->gives_labels, &frame->output, error);
  if (flow == GST_FLOW_OK && !label(self, stage, frame, error))
    flow = GST_FLOW_ERROR;
  return flow;
}

#define ENOUGH 1000 /* points, of which some should be ground */
#define BELOW .3    /* m: so far above the origin of a scan there is no ground */
#define AXES "x has to point ahead, y to the left, z up, in metres from the sensor"

/* Names what is wrong with a scan, or returns NULL: to be freed. */
static gchar *find_fault(const StxGroundParams *params, const StxGroundResult *result)
{
  guint inside = result->ground + result->obstacles, all = inside + result->outside;

  if (all >= ENOUGH && inside == 0)
    return g_strdup_printf(
        "None of %u points lies between r-min and r-max, %g to %g m from the sensor: they have to "
        "be in metres, and numbers; in millimetres, or from another origin, all are too far",
        all, params->r_min, params->r_max);
  if (inside >= ENOUGH && result->ground == 0)
    return g_strdup_printf("There is no ground among %u points: " AXES, inside);
  if (inside >= ENOUGH && result->measured && (gdouble)result->height < -BELOW)
    return g_strdup_printf(
        "The ground lies %.2f m above the sensor: is the scan upside down? " AXES,
        -(gdouble)result->height);
  return NULL;
}

static void done(GstStxTransform *transform, GstBuffer *scan)
{
  GstLidarGround *self = GST_LIDAR_GROUND(transform);
  const StxGroundResult *result = &self->result;
  g_autofree gchar *fault = NULL;

  /* Until a whole scan has a ground: units and axes stay as they are. */
  if (!self->judged && !GST_BUFFER_FLAG_IS_SET(scan, GST_BUFFER_FLAG_CORRUPTED)) {
    fault = find_fault(&self->active.params, result);
    self->judged = fault != NULL || result->ground > 0;
  }
  if (fault != NULL)
    GST_ELEMENT_WARNING(self, STREAM, FORMAT, ("%s", fault),
        ("the scan is the first whole one; others are not judged"));
  if (!self->active.post_messages)
    return;
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

/* The labels themselves, or the points with them on. */
static GstBuffer *finish(GstStxTransform *transform, GstBuffer *input, GstBuffer *labels)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM(transform);
  GstStxPointLabelsMeta *older;
  GstBuffer *points;

  if (GST_LIDAR_GROUND(transform)->gives_labels) {
    if (!GST_BASE_TRANSFORM_GET_CLASS(base)->copy_metadata(base, input, labels))
      GST_WARNING_OBJECT(base, "could not copy time stamps and metas");
    return labels;
  }
  points = g_steal_pointer(&GST_LIDAR_GROUND(transform)->points);
  if (points != NULL)
    gst_buffer_copy_into(points, input, GST_BUFFER_COPY_METADATA, 0, -1);
  else
    points = gst_buffer_copy(input); /* of the buffer, not of its memory */
  while ((older = gst_buffer_get_stx_point_labels_meta(points)) != NULL)
    gst_buffer_remove_meta(points, &older->meta);
  gst_buffer_add_stx_point_labels_meta(points, labels);
  gst_stx_lidar_meta_keep(input, points);
  gst_buffer_unref(labels);
  return points;
}

static gboolean start(GstBaseTransform *base)
{
  GST_LIDAR_GROUND(base)->judged = FALSE;
  return GST_BASE_TRANSFORM_CLASS(gst_lidar_ground_parent_class)->start(base);
}

static gboolean stop(GstBaseTransform *base)
{
  gst_clear_buffer(&GST_LIDAR_GROUND(base)->points);
  return GST_BASE_TRANSFORM_CLASS(gst_lidar_ground_parent_class)->stop(base);
}

/* ---- GObject ------------------------------------------------------------------------------- */

static void gst_lidar_ground_class_init(GstLidarGroundClass *klass)
{
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS(klass);
  GstStxTransformClass *transform = GST_STX_TRANSFORM_CLASS(klass);

  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  base->start = start;
  base->stop = stop;
  base->fixate_caps = fixate_caps;
  transform->other_caps = other_caps;
  transform->configure = configure;
  transform->done = done;
  transform->finish = finish;
  transform->stage.host = &stx_ground_impls;
  transform->stage.device = &stx_ground_cuda_impls;
  transform->stage.prepare = prepare;
  transform->stage.work = work;
  transform->stage.renegotiate = renegotiate;

  gst_stx_element_add_templates(klass, &sink_template, &src_template, NULL);
  gst_stx_element_describe(klass, "lidar-ground", "LiDAR ground segmentation", "Filter/Analyzer",
      "Labels the points of LiDAR scans as ground, or as obstacles in clusters");
  GST_DEBUG_CATEGORY_INIT(gst_lidar_ground_debug, "lidar-ground", 0, "LiDAR ground segmentation");
}

static void gst_lidar_ground_init(GstLidarGround *self)
{
  self->settings = defaults;
}
