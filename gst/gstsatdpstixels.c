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

#include "gst/gstsatdpsegmenter.h"
#include "gst/gststxcamera.h"
#include "gst/gststxsatdp.h"
#include "gst/gststxutil.h"

GST_DEBUG_CATEGORY_STATIC(gst_sat_dp_stixels_debug);
#define GST_CAT_DEFAULT gst_sat_dp_stixels_debug

enum { PROP_SETTINGS = GST_STX_PROP_OWN };

struct _GstSatDpStixels {
  GstStxSegmentation parent;

  /* Properties, under the object lock. */
  GstStxCameraSettings camera_settings;
  GstStxSatdpSettings settings;

  GstSatDpSegmenter segmenter; /* of the streaming thread */
};

G_DEFINE_TYPE(GstSatDpStixels, gst_sat_dp_stixels, GST_TYPE_STX_SEGMENTATION)
GST_ELEMENT_REGISTER_DEFINE(
    sat_dp_stixels, "sat-dp-stixels", GST_RANK_NONE, GST_TYPE_SAT_DP_STIXELS)

#define SEGMENTER(base) (&GST_SAT_DP_STIXELS(base)->segmenter)

/* ---- Properties ---------------------------------------------------------------------------- */

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(object);
  gboolean known;

  GST_OBJECT_LOCK(self);
  known = gst_stx_camera_set_property(&self->camera_settings, id, value) ||
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
  known = gst_stx_camera_get_property(&self->camera_settings, id, value) ||
          gst_stx_satdp_get_property(&self->settings, PROP_SETTINGS, id, value);
  GST_OBJECT_UNLOCK(self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

/* ---- Segmentation -------------------------------------------------------------------------- */

static StxCamera camera(GstStxSegmentation *base, const GstCaps *caps)
{
  return gst_stx_camera_settings_apply(&GST_SAT_DP_STIXELS(base)->camera_settings, caps);
}

static void take_settings(GstStxSegmentation *base)
{
  gst_sat_dp_segmenter_take_settings(SEGMENTER(base), &GST_SAT_DP_STIXELS(base)->settings);
}

static gboolean configure(GstStxSegmentation *base, StxError *error)
{
  return gst_sat_dp_segmenter_configure(SEGMENTER(base), error);
}

static const StxImplInfo *choose_host(GstStxSegmentation *base, StxError *error)
{
  return gst_sat_dp_segmenter_choose_host(SEGMENTER(base), error);
}

static GstFlowReturn run_host(GstStxSegmentation *base, GstBuffer *frame, const void *columns,
    StxStixel *records, void *result)
{
  return gst_sat_dp_segmenter_run_host(SEGMENTER(base), frame, columns, records, result);
}

static GstFlowReturn run_device(GstStxSegmentation *base, GstBuffer *frame, const void *columns,
    StxStixel *records, void *result, StxError *error)
{
  return gst_sat_dp_segmenter_run_device(SEGMENTER(base), frame, columns, records, result, error);
}

static void post(GstStxSegmentation *base, GstBuffer *frame, const void *result)
{
  gst_sat_dp_segmenter_post(SEGMENTER(base), frame, result);
}

static void free_memory(GstStxSegmentation *base)
{
  gst_sat_dp_segmenter_stop(SEGMENTER(base));
}

/* ---- States and events --------------------------------------------------------------------- */

static gboolean start(GstBaseTransform *base)
{
  return gst_stx_camera_settings_load(
             &GST_SAT_DP_STIXELS(base)->camera_settings, GST_ELEMENT(base)) &&
         GST_BASE_TRANSFORM_CLASS(gst_sat_dp_stixels_parent_class)->start(base);
}

static gboolean sink_event(GstBaseTransform *base, GstEvent *event)
{
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP)
    gst_sat_dp_segmenter_restart(SEGMENTER(base));
  return GST_BASE_TRANSFORM_CLASS(gst_sat_dp_stixels_parent_class)->sink_event(base, event);
}

/* ---- GObject ------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(object);

  gst_stx_camera_settings_clear(&self->camera_settings);
  gst_sat_dp_segmenter_clear(&self->segmenter);
  G_OBJECT_CLASS(gst_sat_dp_stixels_parent_class)->finalize(object);
}

static void gst_sat_dp_stixels_class_init(GstSatDpStixelsClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS(klass);
  GstStxSegmentationClass *segmentation = GST_STX_SEGMENTATION_CLASS(klass);

  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  gst_stx_camera_install_properties(object);
  gst_stx_satdp_install_properties(object, PROP_SETTINGS);

  base->start = start;
  base->sink_event = sink_event;

  segmentation->rows_max = STX_MAX_ROWS;
  segmentation->device_impls = &stx_satdp_cuda_impls;
  segmentation->result =
      (GstStxRecordsResult){sizeof(StxSatdpResult), offsetof(StxSatdpResult, count)};
  segmentation->camera = camera;
  segmentation->take_settings = take_settings;
  segmentation->configure = configure;
  segmentation->choose_host = choose_host;
  segmentation->run_host = run_host;
  segmentation->run_device = run_device;
  segmentation->post = post;
  segmentation->free_memory = free_memory;

  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Stixel segmentation",
      "Filter/Analyzer/Video",
      "Cuts columns of disparity into ground, objects and sky by dynamic programming",
      GST_STX_AUTHOR);
  GST_DEBUG_CATEGORY_INIT(gst_sat_dp_stixels_debug, "sat-dp-stixels", 0, "stixel segmentation");
}

static void gst_sat_dp_stixels_init(GstSatDpStixels *self)
{
  gst_stx_camera_settings_init(&self->camera_settings);
  self->settings = (GstStxSatdpSettings)GST_STX_SATDP_SETTINGS_DEFAULTS;
  gst_sat_dp_segmenter_init(
      &self->segmenter, GST_ELEMENT(self), gst_stx_segmentation_stream(GST_STX_SEGMENTATION(self)));
}
