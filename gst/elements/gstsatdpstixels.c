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
#include "gst/elements/elements.h"

#include "gst/shared/element.h"
#include "gst/base/segmentation.h"
#include "gst/formats/camera.h"
#include "gst/stages/satdpstage.h"

GST_DEBUG_CATEGORY_STATIC(gst_sat_dp_stixels_debug);
#define GST_CAT_DEFAULT gst_sat_dp_stixels_debug

#define GST_TYPE_SAT_DP_STIXELS (gst_sat_dp_stixels_get_type())
G_DECLARE_FINAL_TYPE(GstSatDpStixels, gst_sat_dp_stixels, GST, SAT_DP_STIXELS, GstStxSegmentation)

struct _GstSatDpStixels {
  GstStxSegmentation parent;

  /* Properties, under the object lock. */
  GstStxCameraSettings camera_settings;
  GstStxSatdpSettings settings;

  GstSatdpStage work; /* of the streaming thread */
};

G_DEFINE_TYPE(GstSatDpStixels, gst_sat_dp_stixels, GST_TYPE_STX_SEGMENTATION)
GST_ELEMENT_REGISTER_DEFINE(
    sat_dp_stixels, "sat-dp-stixels", GST_RANK_NONE, GST_TYPE_SAT_DP_STIXELS)

#define WORK(base) (&GST_SAT_DP_STIXELS(base)->work)

/* ---- Properties ---------------------------------------------------------------------------- */

static const GstStxPropertyGroup properties[] = {
    GST_STX_CAMERA_PROPERTIES(GstSatDpStixels, camera_settings),
    GST_STX_CAMERA_IMAGE_PROPERTIES(GstSatDpStixels, camera_settings),
    GST_STX_SATDP_PROPERTIES(GstSatDpStixels, settings),
};

/* ---- Segmentation -------------------------------------------------------------------------- */

static gboolean camera(GstStxSegmentation *base, const GstCaps *caps, const StxGrid *grid,
    StxCamera *camera, StxError *note)
{
  return gst_stx_camera_settings_apply(&GST_SAT_DP_STIXELS(base)->camera_settings, caps,
      GST_STX_CAMERA_OF_DATA, grid->width, grid->height, camera, note);
}

static void take_settings(GstStxSegmentation *base)
{
  gst_satdp_stage_take_settings(WORK(base), &GST_SAT_DP_STIXELS(base)->settings);
}

static gboolean configure(GstStxSegmentation *base, StxError *error)
{
  return gst_satdp_stage_configure(WORK(base), error);
}

static GstFlowReturn segment(GstStxSegmentation *base, GstBuffer *frame, const void *columns,
    StxStixel *records, void *result, StxError *error)
{
  return gst_satdp_stage_segment(
             WORK(base), gst_stx_segmentation_stage(base), frame, columns, records, result, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

static void post(GstStxSegmentation *base, GstBuffer *frame, const void *result)
{
  gst_satdp_stage_post(WORK(base), frame, result);
}

/* ---- States and events --------------------------------------------------------------------- */

static gboolean start(GstBaseTransform *base)
{
  gst_satdp_stage_start(WORK(base));
  return gst_stx_camera_settings_load(
             &GST_SAT_DP_STIXELS(base)->camera_settings, GST_ELEMENT(base)) &&
         GST_BASE_TRANSFORM_CLASS(gst_sat_dp_stixels_parent_class)->start(base);
}

static gboolean sink_event(GstBaseTransform *base, GstEvent *event)
{
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP)
    gst_satdp_stage_restart(WORK(base));
  return GST_BASE_TRANSFORM_CLASS(gst_sat_dp_stixels_parent_class)->sink_event(base, event);
}

/* ---- GObject ------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  GstSatDpStixels *self = GST_SAT_DP_STIXELS(object);

  gst_stx_camera_settings_clear(&self->camera_settings);
  gst_satdp_stage_clear(&self->work);
  G_OBJECT_CLASS(gst_sat_dp_stixels_parent_class)->finalize(object);
}

static void gst_sat_dp_stixels_class_init(GstSatDpStixelsClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS(klass);
  GstStxSegmentationClass *segmentation = GST_STX_SEGMENTATION_CLASS(klass);
  GstStxStageClass *stage = &GST_STX_TRANSFORM_CLASS(klass)->stage;

  object->finalize = finalize;
  gst_stx_properties_install(object, properties, G_N_ELEMENTS(properties));

  base->start = start;
  base->sink_event = sink_event;

  segmentation->rows_max = STX_MAX_ROWS;
  segmentation->result_size = sizeof(StxSatdpResult);
  segmentation->count_offset = offsetof(StxSatdpResult, count);
  segmentation->camera = camera;
  segmentation->take_settings = take_settings;
  segmentation->configure = configure;
  segmentation->segment = segment;
  segmentation->post = post;
  stage->host = &stx_satdp_impls;
  stage->device = &stx_satdp_cuda_impls;

  gst_stx_element_describe(GST_ELEMENT_CLASS(klass), "sat-dp-stixels", "Stixel segmentation",
      "Filter/Analyzer/Video",
      "Cuts columns of disparity into ground, objects and sky by dynamic programming");
  GST_DEBUG_CATEGORY_INIT(gst_sat_dp_stixels_debug, "sat-dp-stixels", 0, "stixel segmentation");
}

static void gst_sat_dp_stixels_init(GstSatDpStixels *self)
{
  gst_stx_camera_settings_init(&self->camera_settings);
  self->settings = (GstStxSatdpSettings)GST_STX_SATDP_SETTINGS_DEFAULTS;
  gst_satdp_stage_init(
      &self->work, GST_ELEMENT(self), gst_stx_segmentation_stream(GST_STX_SEGMENTATION(self)));
}
