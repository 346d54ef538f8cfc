/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-disparity-colour
 * @title: disparity-colour
 *
 * Shows maps of disparities, depths or confidences, or what stixels say of these, as colour video
 * with a legend.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=disparity num-buffers=1 ! disparity-colour ! pngenc !
 * filesink location=disparity.png
 * ]|
 */
#include "gst/core/elements.h"

#include "common/colormap/colormap.h"
#include "cuda/stxcuda.h"
#include "gst/base/inputs.h"
#include "gst/base/pairing.h"
#include "gst/columns/columns.h"
#include "gst/columns/disparity.h"
#include "gst/core/camera.h"
#include "gst/core/element.h"
#include "gst/views/canvasstage.h"
#include "gst/views/records.h"

GST_DEBUG_CATEGORY_STATIC(disparity_colour_debug);
#define GST_CAT_DEFAULT disparity_colour_debug

#define FORMATS "{ RGBA, RGBx, BGRA, BGRx, ARGB, xRGB, ABGR, xBGR, RGB, BGR }"

enum { ROLE_MAP };

/* Slots of the stage. */
enum { MAP, PICTURE, TABLE, HISTOGRAM, HOST_HISTOGRAM, SURE, CANVAS };

typedef struct {
  StxColormapParams colormap; /* without what the data say */
  StxLegend legend;
  StxDisparityEncoding encoding;
} Settings;

G_DECLARE_FINAL_TYPE(GstDisparityColour, gst_disparity_colour, GST, DISPARITY_COLOUR, GstStxPairing)

struct _GstDisparityColour {
  GstStxPairing parent;

  /* Properties, guarded by the object lock. Every change sets `changed`. */
  GstStxCameraSettings camera;
  Settings settings;
  gboolean changed;

  /* Used by the streaming thread only: caps of the pads */
  gboolean is_stixels;
  GstVideoInfo map;              /* GRAY16_LE or GRAY8, unless they are stixels */
  GstStxStixelInfo stixels;      /* if they are */
  StxDisparityEncoding encoding; /* AUTO: the caps say nothing */

  /* … and what they led to. */
  gboolean configured;      /* FALSE: plan first */
  StxColormapParams params; /* mode and numbers are known */
  GstVideoInfo output;
  StxLegend legend;
  GstStxScratch memory; /* of the table */
  const StxColormapTable *table;
  const void *table_on_device;
  StxColormapSpan span;     /* of the table */
  StxColormapSpan followed; /* of range=frame, before it is rounded */
  gboolean is_followed;     /* … is there */
  GstStxScratch rendered;   /* stixels as a map, and … */
  GstStxMapped records;     /* … what it is made of */
  GstCanvasStage canvas;    /* the legend */
  gboolean canvas_is_drawn;
};

G_DEFINE_FINAL_TYPE(GstDisparityColour, gst_disparity_colour, GST_TYPE_STX_PAIRING)
GST_STX_ELEMENT(disparity_colour, "disparity-colour")

GST_STX_PAD(sink, SINK, ALWAYS,
    GST_STX_CUDA_CAPS("video/x-raw", ",format={ GRAY16_LE, GRAY8 }") "; " //
    GST_STX_CUDA_CAPS(GST_STX_STIXELS_MEDIA_TYPE, ""));
GST_STX_PAD(src, SRC, ALWAYS, GST_STX_CUDA_CAPS("video/x-raw", ",format=" FORMATS));

/* ---- Caps of the inputs -------------------------------------------------------------------- */

static gboolean parse_map(GstDisparityColour *self, const GstCaps *caps, StxError *error)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  GstStxDisparity map;

  self->is_stixels = gst_structure_has_name(structure, GST_STX_STIXELS_MEDIA_TYPE);
  self->encoding = STX_DISPARITY_AUTO;
  if (self->is_stixels)
    return gst_stx_stixels_caps_parse(caps, &self->stixels, error);
  if (gst_structure_has_name(structure, "video/x-raw") && /* a GstVideoInfo takes others, too */
      g_strcmp0(gst_structure_get_string(structure, "format"), "GRAY8") == 0 &&
      gst_video_info_from_caps(&self->map, caps))
    return TRUE;
  if (!gst_stx_disparity_from_caps(&map, caps, error))
    return FALSE;
  if (map.is_tensor)
    return stx_fail(error, "disparity: a tensor; shown are pictures in GRAY16_LE or GRAY8");
  self->map = map.video;
  self->encoding = map.encoding;
  return TRUE;
}

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps, StxError *error)
{
  GstDisparityColour *self = GST_DISPARITY_COLOUR(pairing);

  self->configured = FALSE;
  return parse_map(self, caps, error);
}

/* ---- From caps and properties to a plan ---------------------------------------------------- */

typedef struct {
  StxColormapParams colormap;
  StxCamera camera;
  gint width, height;
} Plan;

static gboolean is_bytes(const GstDisparityColour *self)
{
  return !self->is_stixels && GST_VIDEO_INFO_FORMAT(&self->map) == GST_VIDEO_FORMAT_GRAY8;
}

/* Is the mode one of what comes in? */
static gboolean check_mode(const GstDisparityColour *self, StxColormapMode mode, StxError *error)
{
  if (is_bytes(self) && mode != STX_COLORMAP_CONFIDENCE)
    return stx_fail(error,
        "pad sink has GRAY8, a map of confidences: mode must be auto or confidence; disparities "
        "and depths are GRAY16_LE");
  if (mode == STX_COLORMAP_COST && !self->is_stixels)
    return stx_fail(error,
        "mode=cost shows stixels, but pad sink has a map; link sat-dp-stixels or rdp-columns, or "
        "choose mode disparity, depth or confidence");
  return TRUE;
}

static gboolean plan_colormap(GstDisparityColour *self, Plan *plan, StxError *error)
{
  StxColormapParams *colormap = &plan->colormap;
  StxCamera *camera = &plan->camera;
  GstStxDisparity map = {.encoding = self->encoding};
  GstStxPairing *pairing = GST_STX_PAIRING(self);

  plan->width = self->is_stixels ? (gint)self->stixels.width : GST_VIDEO_INFO_WIDTH(&self->map);
  plan->height = self->is_stixels ? (gint)self->stixels.height : GST_VIDEO_INFO_HEIGHT(&self->map);
  if (self->is_stixels || is_bytes(self))
    colormap->encoding = STX_DISPARITY_KITTI;
  else if (!gst_stx_disparity_encoding(&map, colormap->encoding, &colormap->encoding, error))
    return FALSE;
  if (colormap->mode == STX_COLORMAP_AUTO)
    colormap->mode = is_bytes(self)                               ? STX_COLORMAP_CONFIDENCE
                     : stx_disparity_is_depth(colormap->encoding) ? STX_COLORMAP_DEPTH
                                                                  : STX_COLORMAP_DISPARITY;
  if (colormap->mode != STX_COLORMAP_CONFIDENCE && colormap->mode != STX_COLORMAP_COST)
    colormap->numbers = STX_COLORMAP_OF_MAP;
  else
    colormap->numbers = self->is_stixels ? STX_COLORMAP_OF_PART
                        : is_bytes(self) ? STX_COLORMAP_OF_BYTE
                                         : STX_COLORMAP_OF_SURE;
  if (!check_mode(self, colormap->mode, error) ||
      !gst_stx_pairing_find_camera(pairing, gst_stx_pairing_caps(pairing, ROLE_MAP),
          stx_disparity_is_depth(colormap->encoding) ? GST_STX_CAMERA_OF_PICTURES
                                                     : GST_STX_CAMERA_OF_DATA,
          plan->width, plan->height, camera, error))
    return FALSE;
  colormap->focal_baseline = stx_camera_is_metric(camera) ? camera->focal * camera->baseline : 0;
  return TRUE;
}

/* The format is downstream's, which may change its mind. */
static GstFlowReturn update_src_caps(GstAggregator *aggregator, GstCaps *possible, GstCaps **caps)
{
  GstDisparityColour *self = GST_DISPARITY_COLOUR(aggregator);
  g_autoptr(GstCaps) any = NULL;
  GstFlowReturn flow = GST_AGGREGATOR_CLASS(gst_disparity_colour_parent_class)
                           ->update_src_caps(aggregator, possible, &any);

  if (flow == GST_FLOW_OK) {
    *caps = gst_caps_fixate(gst_caps_intersect_full(any, possible, GST_CAPS_INTERSECT_FIRST));
    gst_video_info_from_caps(&self->output, *caps);
    self->configured = FALSE;
  }
  return flow;
}

static void fill_table(GstDisparityColour *self, StxColormapSpan span)
{
  self->span = span;
  stx_colormap_table(
      &self->params, span, stx_pixel_format(GST_VIDEO_INFO_NAME(&self->output)), self->memory.data);
  self->table_on_device = NULL;
  self->canvas_is_drawn = FALSE;
}

/* Tables for maps of the plan, and pictures of `output`. */
static gboolean make_tables(GstDisparityColour *self, const Plan *plan, StxError *error)
{
  self->params = plan->colormap;
  if (!stx_colormap_check(&self->params, error) ||
      !gst_stx_scratch_reserve(&self->memory, sizeof(StxColormapTable), error) ||
      !gst_canvas_stage_prepare(&self->canvas, &self->output, error))
    return FALSE;
  self->table = self->memory.data;
  self->is_followed = FALSE;
  fill_table(self, stx_colormap_span(&self->params));
  return TRUE;
}

/* After a change of caps or properties. */
static GstFlowReturn configure(GstDisparityColour *self, StxError *error)
{
  GstStructure *to;
  GstFlowReturn flow;
  GstCaps *caps;
  Plan plan;

  GST_OBJECT_LOCK(self);
  plan.colormap = self->settings.colormap;
  plan.colormap.encoding = self->settings.encoding;
  self->legend = self->settings.legend;
  self->changed = FALSE;
  GST_OBJECT_UNLOCK(self);
  if (!plan_colormap(self, &plan, error))
    return GST_FLOW_ERROR;
  caps = gst_caps_from_string("video/x-raw,format=" FORMATS ",framerate=0/1");
  to = gst_caps_get_structure(caps, 0);
  gst_structure_set(to, "width", G_TYPE_INT, plan.width, "height", G_TYPE_INT, plan.height, NULL);
  gst_stx_pairing_keep_shape(GST_STX_PAIRING(self), ROLE_MAP, to);
  gst_stx_camera_to_structure(&plan.camera, to);
  flow = gst_stx_pairing_set_src_caps(GST_STX_PAIRING(self), caps);
  if (flow != GST_FLOW_OK)
    return flow;
  GST_INFO_OBJECT(self, "%s, %s",
      gst_stx_stage_impl_name(gst_stx_pairing_stage(GST_STX_PAIRING(self))),
      GST_VIDEO_INFO_NAME(&self->output));
  if (!make_tables(self, &plan, error))
    return GST_FLOW_ERROR;
  self->configured = TRUE;
  return GST_FLOW_OK;
}

static gboolean choose_pool(GstStxPairing *pairing, GstQuery *query)
{
  return gst_stx_stage_take_video_pool(gst_stx_pairing_stage(pairing), query);
}

/* ---- Frames -------------------------------------------------------------------------------- */

static GstFlowReturn announce(GstStxPairing *pairing, guint roles, StxError *error)
{
  GstDisparityColour *self = GST_DISPARITY_COLOUR(pairing);
  GstFlowReturn flow;
  gboolean changed;

  GST_STX_LOCKED(self, changed = self->changed);
  if (!changed && self->configured)
    return GST_FLOW_OK;
  flow = configure(self, error);
  if (flow != GST_FLOW_OK)
    self->configured = FALSE;
  return flow;
}

static GstFlowReturn prepare(GstElement *element, gpointer data, StxError *error)
{
  const GstStxPairingFrame *frame = data;
  GstDisparityColour *self = GST_DISPARITY_COLOUR(element);
  GstFlowReturn flow = announce(GST_STX_PAIRING(element), gst_stx_roles_of(frame->set), error);
  GstBuffer *map = frame->set[ROLE_MAP];

  if (flow != GST_FLOW_OK || !self->is_stixels || gst_buffer_get_size(map) == 0 ||
      gst_stx_check_input(map, 0, sizeof(StxStixel), error))
    return flow;
  return GST_FLOW_ERROR;
}

/* To the GPU and back costs more than to look colours up: only what lies or goes there is coloured
 * there, unless the user insists. */
static gboolean wants_device(GstElement *element, gpointer data)
{
  const GstStxStage *stage = gst_stx_pairing_stage(GST_STX_PAIRING(element));
  const GstStxPairingFrame *frame = data;

  return stage->run.backend == STX_BACKEND_CUDA || stage->device_output ||
         gst_stx_stage_owns(stage, frame->set[ROLE_MAP]);
}

/* ---- Inputs -------------------------------------------------------------------------------- */

/* Records are few: they become a map on the host. */
static gboolean find_stixels(GstDisparityColour *self, GstStxStage *stage, GstBuffer *buffer,
    StxImage16 *map, StxError *error)
{
  const GstStxStixelInfo *info = &self->stixels;
  gsize row = info->width * sizeof(uint16_t);
  const void *always = NULL;
  gboolean good = gst_stx_mapped_read(&self->records, buffer, sizeof(StxStixel), error) &&
                  gst_stx_scratch_reserve(&self->rendered, row * info->height, error);

  if (good) {
    *map = (StxImage16){self->rendered.data, (ptrdiff_t)row, (gint)info->width, (gint)info->height};
    stx_colormap_render(
        self->records.data, self->records.count, (gint)info->stixel_width, self->params.mode, map);
  }
  gst_stx_mapped_unmap(&self->records, 1);
  if (!good)
    return FALSE;
  map->data =
      (uint16_t *)gst_stx_stage_table(stage, MAP, map->data, row * info->height, &always, error);
  return map->data != NULL;
}

static gboolean find_map(GstStxStage *stage, GstBuffer *buffer, const GstVideoInfo *info,
    StxImage16 *map, StxError *error)
{
  StxImage8 bytes;

  if (!gst_stx_stage_image8(stage, MAP, "pad sink", buffer, info, &bytes, error))
    return FALSE;
  *map = (StxImage16){(uint16_t *)(void *)bytes.data, bytes.stride, bytes.width, bytes.height};
  return TRUE;
}

/* Confidences, and the map that they are of. */
static gboolean find_meta(GstDisparityColour *self, GstStxStage *stage, GstBuffer *buffer,
    StxColormapInput *input, StxError *error)
{
  const GstStxConfidenceMeta *meta = gst_buffer_get_stx_confidence_meta(buffer);
  gint width = GST_VIDEO_INFO_WIDTH(&self->output), height = GST_VIDEO_INFO_HEIGHT(&self->output);

  if (meta == NULL)
    return stx_fail(error,
        "mode=confidence, but a frame of pad sink has none: stereo-sgm attaches it with "
        "confidence=true, and elements between may lose it; or link a map of confidences in GRAY8");
  return gst_stx_stage_confidence(stage, SURE, meta, width, height, &input->bytes, error) &&
         find_map(stage, buffer, &self->map, &input->map, error);
}

static gboolean find_input(GstDisparityColour *self, GstStxStage *stage, GstBuffer *map,
    StxColormapInput *input, StxError *error)
{
  const GstVideoInfo *info = &self->map;

  if (self->is_stixels)
    return find_stixels(self, stage, map, &input->map, error);
  if (GST_VIDEO_INFO_FORMAT(info) == GST_VIDEO_FORMAT_GRAY8)
    return gst_stx_stage_image8(stage, MAP, "pad sink", map, info, &input->bytes, error);
  if (self->params.mode == STX_COLORMAP_CONFIDENCE)
    return find_meta(self, stage, map, input, error);
  return find_map(stage, map, info, &input->map, error);
}

/* ---- The range of a frame ------------------------------------------------------------------ */

static const StxColormapTable *find_table(
    GstDisparityColour *self, GstStxStage *stage, StxError *error)
{
  return gst_stx_stage_table(
      stage, TABLE, self->table, sizeof(*self->table), &self->table_on_device, error);
}

static gboolean follow_frame(
    GstDisparityColour *self, GstStxStage *stage, const StxColormapInput *input, StxError *error)
{
  const StxColormapImpl *impl = gst_stx_stage_impl(stage);
  const StxColormapTable *table = find_table(self, stage, error);
  StxColormapHistogram *histogram =
      gst_stx_stage_block(stage, HISTOGRAM, sizeof(*histogram), error);
  const StxColormapHistogram *brought;
  StxColormapSpan now, shown;

  if (table == NULL || histogram == NULL ||
      !impl->spread(input, table, histogram, &stage->place, error))
    return FALSE;
  brought = gst_stx_stage_bring(stage, HOST_HISTOGRAM, histogram, sizeof(*histogram), error);
  if (brought == NULL || !gst_stx_stage_wait(stage, error))
    return FALSE;
  if (!stx_colormap_measure(&self->params, self->table, brought, &now))
    return TRUE;
  self->followed = stx_colormap_follow(self->is_followed ? &self->followed : NULL, now);
  self->is_followed = TRUE;
  shown = stx_colormap_round(self->followed);
  if (shown.low != self->span.low || shown.high != self->span.high)
    fill_table(self, shown);
  return TRUE;
}

/* ---- One frame ----------------------------------------------------------------------------- */

static gboolean lay_legend(
    GstDisparityColour *self, GstStxStage *stage, const StxFrame *frame, StxError *error)
{
  if (self->legend == STX_LEGEND_NONE)
    return TRUE;
  if (!self->canvas_is_drawn) {
    stx_canvas_clear(self->canvas.canvas);
    stx_colormap_legend(&self->params, self->span, self->legend, self->canvas.canvas);
    self->canvas_is_drawn = TRUE;
  }
  return gst_canvas_stage_lay(&self->canvas, stage, CANVAS, frame, error);
}

static gboolean paint(GstDisparityColour *self, GstStxStage *stage, const StxColormapInput *input,
    const StxFrame *frame, StxError *error)
{
  const StxColormapImpl *impl = gst_stx_stage_impl(stage);
  const StxColormapTable *table = find_table(self, stage, error);
  StxColormapPicture picture = {frame->data[0], frame->stride[0],
      GST_VIDEO_INFO_WIDTH(&self->output), GST_VIDEO_INFO_HEIGHT(&self->output),
      GST_VIDEO_INFO_COMP_PSTRIDE(&self->output, 0), 0};

  picture.square = stx_colormap_square_for(picture.width, picture.height);
  return table != NULL && impl->paint(input, table, &picture, &stage->place, error) &&
         lay_legend(self, stage, frame, error);
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  GstDisparityColour *self = GST_DISPARITY_COLOUR(element);
  GstStxStage *stage = gst_stx_pairing_stage(GST_STX_PAIRING(self));
  gboolean follows = self->params.range == STX_COLORMAP_FRAME;
  StxColormapInput input = {0};
  GstStxPairingFrame *frame = data;
  StxFrame picture;
  GstFlowReturn flow;

  gst_clear_buffer(&frame->out);
  flow = gst_stx_pairing_acquire(GST_STX_PAIRING(self), &frame->out, error);
  if (flow != GST_FLOW_OK)
    return flow;
  return find_input(self, stage, frame->set[ROLE_MAP], &input, error) &&
                 (!follows || follow_frame(self, stage, &input, error)) &&
                 gst_stx_stage_picture(stage, PICTURE, "output", frame->out, &self->output, 1,
                     GST_MAP_WRITE, &picture, error) &&
                 paint(self, stage, &input, &picture, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

static void reset(GstStxPairing *pairing)
{
  GST_DISPARITY_COLOUR(pairing)->is_followed = FALSE; /* the next frame is another scene */
}

/* ---- States -------------------------------------------------------------------------------- */

static void clear(GstStxPairing *pairing)
{
  GstDisparityColour *self = GST_DISPARITY_COLOUR(pairing);

  self->configured = FALSE;
  gst_stx_scratch_clear(&self->memory);
  gst_stx_scratch_clear(&self->rendered);
  gst_stx_mapped_clear(&self->records, 1);
  gst_canvas_stage_clear(&self->canvas);
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxField own_fields[] = {
    {"legend", "Legend", "Corner of the legend", STX_FIELD(CHOICE, Settings, legend),
        .choices = stx_legend_choices},
    {GST_STX_DISPARITY_ENCODING, "Disparity encoding", "Encoding of the map of pad sink",
        STX_FIELD(CHOICE, Settings, encoding), .choices = stx_disparity_encodings},
};
static const Settings defaults = {.colormap = STX_COLORMAP_DEFAULTS, .legend = STX_LEGEND_TOP_LEFT};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    GST_STX_CAMERA_PROPERTIES(GstDisparityColour, camera),
    GST_STX_CAMERA_IMAGE_PROPERTIES(GstDisparityColour, camera),
    {&stx_colormap_fields, offsetof(GstDisparityColour, settings.colormap),
        GST_PARAM_MUTABLE_PLAYING, "GstDisparityColour"},
    {&own_table, offsetof(GstDisparityColour, settings), GST_PARAM_MUTABLE_PLAYING,
        "GstDisparityColour"},
};

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstDisparityColour *self = GST_DISPARITY_COLOUR(object);

  gst_stx_set_property(object, id, value, spec);
  GST_STX_LOCKED(self, self->changed = TRUE);
}

/* ---- Class --------------------------------------------------------------------------------- */

static void gst_disparity_colour_init(GstDisparityColour *self)
{
  self->settings = defaults;
  gst_stx_pairing_add_pad(GST_STX_PAIRING(self), ROLE_MAP);
}

static void gst_disparity_colour_class_init(GstDisparityColourClass *klass)
{
  GstStxPairingClass *pairing = GST_STX_PAIRING_CLASS(klass);

  GST_DEBUG_CATEGORY_INIT(disparity_colour_debug, "disparity-colour", 0, "maps as colours");
  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  G_OBJECT_CLASS(klass)->set_property = set_property;

  GST_AGGREGATOR_CLASS(klass)->update_src_caps = update_src_caps;
  pairing->camera = offsetof(GstDisparityColour, camera);
  pairing->clear = clear;
  pairing->roles.names[ROLE_MAP] = "sink";
  pairing->stage.host = &stx_colormap_impls;
  pairing->stage.device = &stx_colormap_cuda_impls;
  pairing->stage.prepare = prepare;
  pairing->stage.work = work;
  pairing->stage.wants_device = wants_device;
  pairing->makes_output = TRUE;
  pairing->set_role_caps = set_role_caps;
  pairing->announce = announce;
  pairing->choose_pool = choose_pool;
  pairing->reset = reset;

  gst_stx_element_add_templates(klass, &sink_template, &src_template, NULL);
  gst_stx_element_describe(klass, "disparity-colour", "Disparity in colours",
      "Filter/Converter/Video", "Shows disparity, depth, confidence or cost as colours");
}
