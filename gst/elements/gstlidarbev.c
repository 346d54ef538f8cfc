/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-lidar-bev
 * @title: lidar-bev
 *
 * Draws scans of a LiDAR sensor from above: ground, obstacles and clusters in colours, with range
 * rings and a scale. Points without labels are coloured by height.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=lidar num-buffers=1 ! lidar-ground ! lidar-bev !
 * video/x-raw,width=800,height=800 ! videoconvert ! pngenc ! filesink location=scan.png
 * ]|
 */
#include "gst/elements/elements.h"

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

#include "gst/cuda/cuda.h"
#include "gst/shared/element.h"
#include "gst/base/inputs.h"
#include "gst/shared/memory.h"
#include "gst/shared/properties.h"
#include "gst/views/bevstage.h"
#include "gst/stixels/stixels.h"

GST_DEBUG_CATEGORY_STATIC(gst_lidar_bev_debug);
#define GST_CAT_DEFAULT gst_lidar_bev_debug

#define GST_TYPE_LIDAR_BEV (gst_lidar_bev_get_type())
G_DECLARE_FINAL_TYPE(GstLidarBev, gst_lidar_bev, GST, LIDAR_BEV, GstBaseTransform)

struct _GstLidarBev {
  GstBaseTransform parent;

  StxBevParams settings; /* properties, under the object lock; what the caps say is not in use */

  /* Of the streaming thread. */
  GstVideoInfo info;
  GstBevStage drawing;
};

G_DEFINE_TYPE(GstLidarBev, gst_lidar_bev, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE(lidar_bev, "lidar-bev", GST_RANK_NONE, GST_TYPE_LIDAR_BEV)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK,
    GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_LIDAR_MEDIA_TYPE, "")));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_BEV_CAPS));

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxBevParams defaults = STX_BEV_DEFAULTS;

static const GstStxPropertyGroup properties[] = {
    {&stx_bev_mode_fields, offsetof(GstLidarBev, settings), GST_PARAM_MUTABLE_PLAYING,
        "GstLidarBev"},
    {&stx_bev_fields, offsetof(GstLidarBev, settings), GST_PARAM_MUTABLE_PLAYING, "GstLidarBev"},
};

/* ---- Caps ---------------------------------------------------------------------------------- */

static GstCaps *transform_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstCaps *other =
      gst_stx_caps_at_rates(direction == GST_PAD_SINK ? &src_template : &sink_template, caps);

  return gst_stx_caps_filtered(other, filter);
}

static GstCaps *fixate_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  if (direction == GST_PAD_SINK && !gst_caps_is_empty(other))
    return gst_bev_stage_fixate(other);
  return gst_caps_fixate(other);
}

static gboolean set_caps(GstBaseTransform *base, GstCaps *input, GstCaps *output)
{
  GstLidarBev *self = GST_LIDAR_BEV(base);
  StxError error;

  if (gst_stx_check_scan_caps(GST_ELEMENT(self), input, &error))
    return gst_video_info_from_caps(&self->info, output);
  GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
  return FALSE;
}

static gboolean transform_size(GstBaseTransform *base, GstPadDirection direction, GstCaps *caps,
    gsize size, GstCaps *other, gsize *other_size)
{
  GstVideoInfo info;

  if (direction != GST_PAD_SINK || !gst_video_info_from_caps(&info, other))
    return FALSE;
  *other_size = GST_VIDEO_INFO_SIZE(&info);
  return TRUE;
}

static gboolean decide_allocation(GstBaseTransform *base, GstQuery *query)
{
  return gst_stx_decide_video_pool(query) &&
         GST_BASE_TRANSFORM_CLASS(gst_lidar_bev_parent_class)->decide_allocation(base, query);
}

/* ---- Scans --------------------------------------------------------------------------------- */

static GstFlowReturn transform(GstBaseTransform *base, GstBuffer *input, GstBuffer *output)
{
  GstLidarBev *self = GST_LIDAR_BEV(base);
  StxBevParams settings;
  StxError error;

  GST_OBJECT_LOCK(self);
  settings = self->settings;
  GST_OBJECT_UNLOCK(self);
  if (!gst_bev_stage_prepare(&self->drawing, &settings, &self->info, &error)) {
    GST_STX_ELEMENT_ERROR(self, RESOURCE, SETTINGS, &error);
    return GST_FLOW_ERROR;
  }
  gst_bev_stage_begin(&self->drawing);
  if (gst_bev_stage_put_scan(&self->drawing, input, NULL, &error) &&
      gst_bev_stage_finish(&self->drawing, output, 1, &error))
    return GST_FLOW_OK;
  GST_STX_ELEMENT_ERROR(self, STREAM, FAILED, &error);
  return GST_FLOW_ERROR;
}

/* Labels of points mean nothing on a picture. */
static gboolean transform_meta(
    GstBaseTransform *base, GstBuffer *output, GstMeta *meta, GstBuffer *input)
{
  return meta->info->api != gst_stx_point_labels_meta_api_get_type() &&
         GST_BASE_TRANSFORM_CLASS(gst_lidar_bev_parent_class)
             ->transform_meta(base, output, meta, input);
}

static gboolean stop(GstBaseTransform *base)
{
  gst_bev_stage_clear(&GST_LIDAR_BEV(base)->drawing);
  return TRUE;
}

/* ---- GObject ------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  gst_bev_stage_clear(&GST_LIDAR_BEV(object)->drawing);
  G_OBJECT_CLASS(gst_lidar_bev_parent_class)->finalize(object);
}

static void gst_lidar_bev_class_init(GstLidarBevClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstElementClass *element = GST_ELEMENT_CLASS(klass);
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS(klass);

  object->finalize = finalize;
  gst_stx_properties_install(object, properties, G_N_ELEMENTS(properties));

  base->transform_caps = transform_caps;
  base->fixate_caps = fixate_caps;
  base->accept_caps = gst_stx_accept_caps;
  base->sink_event = gst_stx_sink_event;
  base->set_caps = set_caps;
  base->submit_input_buffer = gst_stx_submit_input;
  base->transform_size = transform_size;
  base->decide_allocation = decide_allocation;
  base->transform = transform;
  base->transform_meta = transform_meta;
  base->stop = stop;

  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_stx_element_describe(element, "lidar-bev", "LiDAR bird's-eye view", "Filter/Converter/Video",
      "Draws labelled points of LiDAR scans from above");
  GST_DEBUG_CATEGORY_INIT(gst_lidar_bev_debug, "lidar-bev", 0, "LiDAR bird's-eye view");
}

static void gst_lidar_bev_init(GstLidarBev *self)
{
  self->settings = defaults;
  gst_stx_want_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
}
