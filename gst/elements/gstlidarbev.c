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

#include "common/bev/bev.h"
#include "gst/shared/element.h"
#include "gst/shared/frames.h"
#include "gst/base/inputs.h"
#include "gst/shared/memory.h"
#include "gst/shared/properties.h"
#include "gst/stixels/stixels.h"

GST_DEBUG_CATEGORY_STATIC(gst_lidar_bev_debug);
#define GST_CAT_DEFAULT gst_lidar_bev_debug

#define FORMATS "{ RGBA, RGBx, BGRA, BGRx, ARGB, xRGB, ABGR, xBGR, RGB, BGR }"

typedef struct {
  StxBevParams params; /* what the caps say is not in use */
  gdouble zoom;
} GstLidarBevSettings;

#define GST_TYPE_LIDAR_BEV (gst_lidar_bev_get_type())
G_DECLARE_FINAL_TYPE(GstLidarBev, gst_lidar_bev, GST, LIDAR_BEV, GstBaseTransform)

struct _GstLidarBev {
  GstBaseTransform parent;

  GstLidarBevSettings settings; /* properties, under the object lock */

  /* Of the streaming thread. */
  GstVideoInfo info;
  StxBevParams params; /* of the prepared state */
  GstStxScratch memory;
  StxBev *bev;                  /* in it; NULL: to be prepared */
  GstStxScratch points, labels; /* of inputs that are not aligned */
};

G_DEFINE_TYPE(GstLidarBev, gst_lidar_bev, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE(lidar_bev, "lidar-bev", GST_RANK_NONE, GST_TYPE_LIDAR_BEV)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_LIDAR_MEDIA_TYPE));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC,
    GST_PAD_ALWAYS,
    GST_STATIC_CAPS("video/x-raw, format = (string) " FORMATS ", width = (int) [ 16, 8192 ], "
                    "height = (int) [ 16, 8192 ], framerate = (fraction) [ 0/1, 2147483647/1 ]"));

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxField own_fields[] = {
    {"zoom", "Zoom",
        "Magnification: extent / zoom is shown, but never less than 1 or more than 500 metres",
        STX_FIELD(DOUBLE, GstLidarBevSettings, zoom), .low = 0.1, .high = 100},
};
static const GstLidarBevSettings defaults = {STX_BEV_DEFAULTS, .zoom = 1};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&stx_bev_fields, offsetof(GstLidarBev, settings.params), GST_PARAM_MUTABLE_PLAYING,
        "GstLidarBev"},
    {&own_table, offsetof(GstLidarBev, settings), GST_PARAM_MUTABLE_PLAYING},
};

/* ---- Caps ---------------------------------------------------------------------------------- */

/* The other pad's template, with the frame rates of `caps`; one that is no frame rate is none. */
static GstCaps *other_caps(GstStaticPadTemplate *other, const GstCaps *caps)
{
  GstCaps *result = gst_caps_new_empty();

  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    const GValue *rate = gst_structure_get_value(gst_caps_get_structure(caps, i), "framerate");
    GstCaps *one = gst_caps_make_writable(gst_static_pad_template_get_caps(other));
    const GValue *possible = gst_structure_get_value(gst_caps_get_structure(one, 0), "framerate");

    if (rate != NULL && (possible == NULL || gst_value_intersect(NULL, rate, possible)))
      gst_caps_set_value(one, "framerate", rate);
    result = gst_caps_merge(result, one);
  }
  return result;
}

static GstCaps *transform_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstCaps *other = other_caps(direction == GST_PAD_SINK ? &src_template : &sink_template, caps);

  return gst_stx_caps_filtered(other, filter);
}

static GstCaps *fixate_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  GstStructure *structure;

  other = gst_caps_truncate(gst_caps_make_writable(other));
  if (direction == GST_PAD_SINK && !gst_caps_is_empty(other)) {
    structure = gst_caps_get_structure(other, 0);
    gst_structure_fixate_field_nearest_int(structure, "width", defaults.params.width);
    gst_structure_fixate_field_nearest_int(structure, "height", defaults.params.height);
  }
  return gst_caps_fixate(other);
}

static gboolean set_caps(GstBaseTransform *base, GstCaps *input, GstCaps *output)
{
  GstLidarBev *self = GST_LIDAR_BEV(base);
  StxError error;

  self->bev = NULL;
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

static StxBevParams current_params(GstLidarBev *self)
{
  StxBevParams params;

  GST_OBJECT_LOCK(self);
  params = self->settings.params;
  params.extent =
      CLAMP(params.extent / self->settings.zoom, STX_BEV_MIN_EXTENT, STX_BEV_MAX_EXTENT);
  GST_OBJECT_UNLOCK(self);
  params.width = GST_VIDEO_INFO_WIDTH(&self->info);
  params.height = GST_VIDEO_INFO_HEIGHT(&self->info);
  params.format = stx_pixel_format(GST_VIDEO_INFO_NAME(&self->info));
  return params;
}

static gboolean is_prepared(const GstLidarBev *self, const StxBevParams *p)
{
  const StxBevParams *q = &self->params;

  return self->bev != NULL && p->mode == q->mode && p->width == q->width &&
         p->height == q->height && p->format == q->format && p->extent == q->extent &&
         p->center_x == q->center_x && p->center_y == q->center_y &&
         p->point_size == q->point_size && p->rings == q->rings;
}

/* FALSE after an element error. */
static gboolean prepare(GstLidarBev *self)
{
  StxBevParams params = current_params(self);
  StxError error;

  if (is_prepared(self, &params))
    return TRUE;
  if (!stx_bev_check(&params, &error) ||
      !gst_stx_scratch_reserve(&self->memory, stx_bev_size(&params), &error)) {
    self->bev = NULL;
    GST_STX_ELEMENT_ERROR(self, RESOURCE, SETTINGS, &error);
    return FALSE;
  }
  self->params = params;
  self->bev = stx_bev_init(self->memory.data, &params);
  return TRUE;
}

static gboolean draw(GstLidarBev *self, const GstMapInfo *points, const GstMapInfo *labels,
    GstVideoFrame *video, StxError *error)
{
  StxFrame frame = {
      {GST_VIDEO_FRAME_PLANE_DATA(video, 0)}, {GST_VIDEO_FRAME_PLANE_STRIDE(video, 0)}};
  const float *xyzi = gst_stx_aligned(points, sizeof(float), &self->points, error);
  const uint32_t *label = NULL;

  if (labels != NULL)
    label = gst_stx_aligned(labels, sizeof(uint32_t), &self->labels, error);
  if (xyzi == NULL && points->size > 0)
    return FALSE;
  if (label == NULL && labels != NULL)
    return FALSE;
  stx_bev_draw(self->bev, xyzi, label, points->size / GST_STX_POINT_BYTES, &frame);
  gst_stx_frame_clear_padding(video);
  return TRUE;
}

/* Draws with the scan's labels if it has some that can be read. */
static gboolean draw_labelled(GstLidarBev *self, GstBuffer *scan, const GstMapInfo *points,
    GstVideoFrame *video, StxError *error)
{
  GstStxPointLabelsMeta *meta = gst_buffer_get_stx_point_labels_meta(scan);
  GstMapInfo labels;
  gboolean fits, drawn;

  if (meta == NULL || !gst_buffer_map(meta->labels, &labels, GST_MAP_READ))
    return draw(self, points, NULL, video, error);
  fits = labels.size == points->size / GST_STX_POINT_BYTES * sizeof(uint32_t);
  drawn = draw(self, points, fits ? &labels : NULL, video, error);
  gst_buffer_unmap(meta->labels, &labels);
  return drawn;
}

static GstFlowReturn transform(GstBaseTransform *base, GstBuffer *input, GstBuffer *output)
{
  GstLidarBev *self = GST_LIDAR_BEV(base);
  gboolean empty = gst_buffer_get_size(input) == 0;
  GstMapInfo points = GST_MAP_INFO_INIT;
  GstVideoFrame video;
  gboolean drawn = FALSE;
  StxError error;

  if (!prepare(self))
    return GST_FLOW_ERROR;
  if (!empty && !gst_stx_map_input(GST_ELEMENT(self), input, 0, GST_STX_POINT_BYTES, &points))
    return GST_FLOW_ERROR;
  if (gst_stx_frame_map(&video, &self->info, output, GST_MAP_WRITE, &error)) {
    drawn = draw_labelled(self, input, &points, &video, &error);
    gst_video_frame_unmap(&video);
  }
  if (!drawn)
    GST_STX_ELEMENT_ERROR(self, RESOURCE, WRITE, &error);
  if (!empty)
    gst_buffer_unmap(input, &points);
  return drawn ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/* Labels of points mean nothing on a picture. */
static gboolean transform_meta(
    GstBaseTransform *base, GstBuffer *output, GstMeta *meta, GstBuffer *input)
{
  return meta->info->api != gst_stx_point_labels_meta_api_get_type() &&
         GST_BASE_TRANSFORM_CLASS(gst_lidar_bev_parent_class)
             ->transform_meta(base, output, meta, input);
}

static void clear_memory(GstLidarBev *self)
{
  gst_stx_scratch_clear(&self->memory);
  gst_stx_scratch_clear(&self->points);
  gst_stx_scratch_clear(&self->labels);
}

static gboolean stop(GstBaseTransform *base)
{
  GstLidarBev *self = GST_LIDAR_BEV(base);

  self->bev = NULL;
  clear_memory(self);
  return TRUE;
}

/* ---- GObject ------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  clear_memory(GST_LIDAR_BEV(object));
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
  base->set_caps = set_caps;
  base->submit_input_buffer = gst_stx_submit_scan;
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
}
