/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-disparity-colour
 * @title: disparity-colour
 *
 * Shows maps of disparities, depths or confidences, what stixels say of these, or the difference
 * between two maps, as colour video with a legend.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=disparity num-buffers=1 ! disparity-colour ! pngenc !
 * filesink location=disparity.png
 * ]|
 */
#include "gst/elements/elements.h"

#include "common/colmean/colmean.h"
#include "cuda/stxcuda.h"
#include "gst/base/inputs.h"
#include "gst/base/pairing.h"
#include "gst/formats/camera.h"
#include "gst/formats/columns.h"
#include "gst/formats/disparity.h"
#include "gst/shared/element.h"
#include "gst/views/tintstage.h"

GST_DEBUG_CATEGORY_STATIC(disparity_colour_debug);
#define GST_CAT_DEFAULT disparity_colour_debug

#define FORMATS "{ RGBA, RGBx, BGRA, BGRx, ARGB, xRGB, ABGR, xBGR, RGB, BGR }"

enum { ROLE_MAP, ROLE_TRUTH, ROLES };

typedef struct {
  StxTintParams tint; /* without what the data say */
  StxLegend legend;
  StxDisparityEncoding encoding;
} Settings;

#define GST_TYPE_DISPARITY_COLOUR (gst_disparity_colour_get_type())
G_DECLARE_FINAL_TYPE(GstDisparityColour, gst_disparity_colour, GST, DISPARITY_COLOUR, GstStxPairing)

struct _GstDisparityColour {
  GstStxPairing parent;

  /* Properties, guarded by the object lock. Every change sets `changed`. */
  GstStxCameraSettings camera;
  Settings settings;
  gboolean changed;

  /* Of the streaming thread: caps of the pads, and what they led to. */
  GstTintInput input;
  StxDisparityEncoding encoding, truth_encoding; /* AUTO: the caps say nothing */
  guint configured;                              /* roles; 0: plan first */
  GstVideoInfo output;
  GstTintStage tint;
};

/* What the stage works on. */
typedef struct {
  GstBuffer **set, *picture;
} Frame;

G_DEFINE_FINAL_TYPE(GstDisparityColour, gst_disparity_colour, GST_TYPE_STX_PAIRING)
GST_ELEMENT_REGISTER_DEFINE(
    disparity_colour, "disparity-colour", GST_RANK_NONE, GST_TYPE_DISPARITY_COLOUR)

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS(GST_STX_CUDA_CAPS("video/x-raw", ",format={ GRAY16_LE, GRAY8 }") "; " //
            GST_STX_CUDA_CAPS(GST_STX_STIXELS_MEDIA_TYPE, "")));
static GstStaticPadTemplate truth_template = GST_STATIC_PAD_TEMPLATE("truth", GST_PAD_SINK,
    GST_PAD_REQUEST, GST_STATIC_CAPS(GST_STX_CUDA_CAPS("video/x-raw", ",format=GRAY16_LE")));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC,
    GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_CUDA_CAPS("video/x-raw", ",format=" FORMATS)));

/* ---- Caps of the inputs -------------------------------------------------------------------- */

static gboolean parse_map(GstDisparityColour *self, const GstCaps *caps, StxError *error)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  GstStxDisparity map;

  self->input.is_stixels = gst_structure_has_name(structure, GST_STX_STIXELS_MEDIA_TYPE);
  self->encoding = STX_DISPARITY_AUTO;
  if (self->input.is_stixels)
    return gst_stx_stixels_caps_parse(caps, &self->input.stixels, error);
  if (g_strcmp0(gst_structure_get_string(structure, "format"), "GRAY8") == 0 &&
      gst_video_info_from_caps(&self->input.map, caps))
    return TRUE;
  if (!gst_stx_disparity_from_caps(&map, caps, error))
    return FALSE;
  if (map.is_tensor)
    return stx_fail(error, "disparity: a tensor; shown are pictures in GRAY16_LE or GRAY8");
  self->input.map = map.video;
  self->encoding = map.encoding;
  return TRUE;
}

static gboolean parse_truth(GstDisparityColour *self, const GstCaps *caps, StxError *error)
{
  GstStxDisparity map;
  StxError cause;

  if (!gst_stx_disparity_from_caps(&map, caps, &cause))
    return stx_fail(error, "pad truth: %.200s", cause.text);
  if (map.is_tensor)
    return stx_fail(error, "pad truth: a tensor; needed is video/x-raw,format=GRAY16_LE");
  self->input.truth = map.video;
  self->truth_encoding = map.encoding;
  return TRUE;
}

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps)
{
  GstDisparityColour *self = GST_DISPARITY_COLOUR(pairing);
  StxError error;

  self->configured = 0;
  if ((role == ROLE_MAP ? parse_map : parse_truth)(self, caps, &error))
    return TRUE;
  GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
  return FALSE;
}

/* ---- From caps and properties to a plan ---------------------------------------------------- */

typedef struct {
  StxTintParams tint, truth;
  StxCamera camera;
  gint width, height;
} Plan;

static void find_size(const GstDisparityColour *self, gint *width, gint *height)
{
  gboolean is_stixels = self->input.is_stixels;

  *width = is_stixels ? (gint)self->input.stixels.width : GST_VIDEO_INFO_WIDTH(&self->input.map);
  *height = is_stixels ? (gint)self->input.stixels.height : GST_VIDEO_INFO_HEIGHT(&self->input.map);
}

static gboolean is_bytes(const GstDisparityColour *self)
{
  return !self->input.is_stixels &&
         GST_VIDEO_INFO_FORMAT(&self->input.map) == GST_VIDEO_FORMAT_GRAY8;
}

static StxTintMode choose_mode(
    const GstDisparityColour *self, guint roles, StxDisparityEncoding encoding)
{
  if (is_bytes(self))
    return STX_TINT_CONFIDENCE;
  if (roles & 1u << ROLE_TRUTH)
    return STX_TINT_ERROR;
  return stx_disparity_is_depth(encoding) ? STX_TINT_DEPTH : STX_TINT_DISPARITY;
}

/* Is the mode one of what comes in? */
static gboolean check_mode(
    const GstDisparityColour *self, StxTintMode mode, guint roles, StxError *error)
{
  if (is_bytes(self) && mode != STX_TINT_CONFIDENCE)
    return stx_fail(error,
        "pad sink has GRAY8, a map of confidences: mode must be auto or confidence; disparities "
        "and depths are GRAY16_LE");
  if (mode == STX_TINT_COST && !self->input.is_stixels)
    return stx_fail(error,
        "mode=cost shows stixels, but pad sink has a map; link sat-dp-stixels or rdp-columns, or "
        "choose mode disparity, depth, confidence or error");
  if (mode == STX_TINT_ERROR && !(roles & 1u << ROLE_TRUTH))
    return stx_fail(error, "mode=error needs a second map: link it to pad truth");
  return TRUE;
}

static gboolean check_truth(const GstDisparityColour *self, const Plan *plan, StxError *error)
{
  gint width = GST_VIDEO_INFO_WIDTH(&self->input.truth);
  gint height = GST_VIDEO_INFO_HEIGHT(&self->input.truth);

  if (width == plan->width && height == plan->height)
    return TRUE;
  return stx_fail(error, "pad truth has %dx%d pixels, but pad sink %dx%d: they must be the same",
      width, height, plan->width, plan->height);
}

/* The camera of what comes in. FALSE with a text in `error` where it is that of another image. */
static gboolean find_camera(
    GstDisparityColour *self, const Plan *plan, StxCamera *camera, StxError *error)
{
  GstCaps *caps = gst_stx_pairing_get_caps(GST_STX_PAIRING(self), ROLE_MAP);
  gboolean fits, scales = stx_disparity_is_depth(plan->tint.encoding);

  GST_OBJECT_LOCK(self);
  fits = gst_stx_camera_settings_apply(&self->camera, caps,
      scales ? GST_STX_CAMERA_OF_PICTURES : GST_STX_CAMERA_OF_DATA, plan->width, plan->height,
      camera, error);
  GST_OBJECT_UNLOCK(self);
  gst_caps_unref(caps);
  if (fits)
    gst_stx_camera_tell(GST_ELEMENT(self), error);
  return fits;
}

static StxTintNumbers numbers_of(const GstDisparityColour *self, StxTintMode mode)
{
  if (mode != STX_TINT_CONFIDENCE && mode != STX_TINT_COST)
    return STX_TINT_OF_MAP;
  if (self->input.is_stixels)
    return STX_TINT_OF_PART;
  return is_bytes(self) ? STX_TINT_OF_BYTE : STX_TINT_OF_SURE;
}

static gboolean find_encoding(
    GstDisparityColour *self, StxDisparityEncoding *encoding, StxError *error)
{
  GstStxDisparity map = {.encoding = self->encoding};
  StxDisparityEncoding wanted = *encoding;

  *encoding = STX_DISPARITY_KITTI;
  return self->input.is_stixels || is_bytes(self) ||
         gst_stx_disparity_encoding(&map, wanted, encoding, error);
}

static gboolean plan_tint(GstDisparityColour *self, guint roles, Plan *plan, StxError *error)
{
  StxTintParams *tint = &plan->tint;
  StxCamera *camera = &plan->camera;

  find_size(self, &plan->width, &plan->height);
  if (!find_encoding(self, &tint->encoding, error))
    return FALSE;
  if (tint->mode == STX_TINT_AUTO)
    tint->mode = choose_mode(self, roles, tint->encoding);
  tint->numbers = numbers_of(self, tint->mode);
  if (!check_mode(self, tint->mode, roles, error) || !find_camera(self, plan, camera, error))
    return FALSE;
  tint->focal_baseline = stx_camera_is_metric(camera) ? camera->focal * camera->baseline : 0;
  plan->truth = *tint;
  plan->truth.encoding = self->truth_encoding;
  return tint->mode != STX_TINT_ERROR ||
         (check_truth(self, plan, error) && stx_tint_check(&plan->truth, error));
}

/* In any format. */
static GstCaps *plan_caps(GstDisparityColour *self, const Plan *plan)
{
  GstCaps *input = gst_stx_pairing_get_caps(GST_STX_PAIRING(self), ROLE_MAP);
  const GstStructure *from = gst_caps_get_structure(input, 0);
  GstCaps *caps = gst_caps_from_string("video/x-raw,format=" FORMATS ",framerate=0/1");
  GstStructure *to = gst_caps_get_structure(caps, 0);
  const gchar *kept[] = {"framerate", "pixel-aspect-ratio"};

  gst_structure_set(to, "width", G_TYPE_INT, plan->width, "height", G_TYPE_INT, plan->height, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(kept); i++)
    if (gst_structure_has_field(from, kept[i]))
      gst_structure_set_value(to, kept[i], gst_structure_get_value(from, kept[i]));
  gst_stx_camera_to_structure(&plan->camera, to);
  gst_caps_unref(input);
  return caps;
}

/* The format is downstream's, which may change its mind. */
static GstFlowReturn update_src_caps(GstAggregator *aggregator, GstCaps *possible, GstCaps **caps)
{
  GstDisparityColour *self = GST_DISPARITY_COLOUR(aggregator);
  GstCaps *any;
  GstFlowReturn flow = GST_AGGREGATOR_CLASS(gst_disparity_colour_parent_class)
                           ->update_src_caps(aggregator, possible, &any);

  if (flow == GST_FLOW_OK) {
    *caps = gst_caps_fixate(gst_caps_intersect_full(any, possible, GST_CAPS_INTERSECT_FIRST));
    gst_video_info_from_caps(&self->output, *caps);
    self->configured = 0;
  }
  gst_caps_unref(any);
  return flow;
}

/* After a change of caps or properties. */
static GstFlowReturn configure(GstDisparityColour *self, guint roles, StxError *error)
{
  GstFlowReturn flow;
  StxLegend legend;
  Plan plan;

  GST_OBJECT_LOCK(self);
  plan.tint = self->settings.tint;
  plan.tint.encoding = self->settings.encoding;
  legend = self->settings.legend;
  self->changed = FALSE;
  GST_OBJECT_UNLOCK(self);
  if (!plan_tint(self, roles, &plan, error))
    return GST_FLOW_ERROR;
  flow = gst_stx_pairing_set_src_caps(GST_STX_PAIRING(self), plan_caps(self, &plan));
  if (flow != GST_FLOW_OK)
    return flow;
  GST_INFO_OBJECT(self, "%s, %s",
      gst_stx_stage_impl_name(gst_stx_pairing_stage(GST_STX_PAIRING(self))),
      GST_VIDEO_INFO_NAME(&self->output));
  if (!gst_tint_stage_prepare(
          &self->tint, &plan.tint, &plan.truth, &self->input, &self->output, legend, error))
    return GST_FLOW_ERROR;
  self->configured = roles;
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

  GST_OBJECT_LOCK(self);
  changed = self->changed;
  GST_OBJECT_UNLOCK(self);
  if (!changed && roles == self->configured)
    return GST_FLOW_OK;
  flow = configure(self, roles, error);
  if (flow != GST_FLOW_OK)
    self->configured = 0;
  return flow;
}

static GstFlowReturn prepare(GstElement *element, gpointer data, StxError *error)
{
  const Frame *frame = data;
  GstDisparityColour *self = GST_DISPARITY_COLOUR(element);
  GstFlowReturn flow = announce(GST_STX_PAIRING(element), gst_stx_roles_of(frame->set), error);
  GstBuffer *map = frame->set[ROLE_MAP];

  if (flow != GST_FLOW_OK || !self->input.is_stixels || gst_buffer_get_size(map) == 0 ||
      gst_stx_check_input(map, 0, sizeof(StxStixel), error))
    return flow;
  return GST_FLOW_ERROR;
}

/* To the GPU and back costs more than to look colours up: only what lies or goes there is coloured
 * there, unless the user insists. */
static gboolean wants_device(GstElement *element, gpointer data)
{
  const GstStxStage *stage = gst_stx_pairing_stage(GST_STX_PAIRING(element));
  const Frame *frame = data;

  return stage->run.backend == STX_BACKEND_CUDA || stage->device_output ||
         gst_stx_stage_owns(stage, frame->set[ROLE_MAP]);
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  GstDisparityColour *self = GST_DISPARITY_COLOUR(element);
  Frame *frame = data;
  GstFlowReturn flow;

  gst_clear_buffer(&frame->picture);
  flow = gst_stx_pairing_acquire(GST_STX_PAIRING(self), &frame->picture, error);
  if (flow != GST_FLOW_OK)
    return flow;
  return gst_tint_stage_paint(&self->tint, gst_stx_pairing_stage(GST_STX_PAIRING(self)),
             frame->set[ROLE_MAP], frame->set[ROLE_TRUTH], frame->picture, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

static GstFlowReturn process(GstStxPairing *pairing, GstBuffer **set, GstBuffer **out)
{
  Frame frame = {.set = set};
  GstFlowReturn flow = gst_stx_stage_run(gst_stx_pairing_stage(pairing), &frame);

  if (flow == GST_FLOW_OK)
    *out = g_steal_pointer(&frame.picture);
  gst_clear_buffer(&frame.picture);
  return flow;
}

static void reset(GstStxPairing *pairing)
{
  gst_tint_stage_forget(&GST_DISPARITY_COLOUR(pairing)->tint);
}

/* ---- States -------------------------------------------------------------------------------- */

static gboolean start(GstAggregator *aggregator)
{
  GstDisparityColour *self = GST_DISPARITY_COLOUR(aggregator);

  self->configured = 0;
  return gst_stx_camera_settings_load(&self->camera, GST_ELEMENT(self)) &&
         GST_AGGREGATOR_CLASS(gst_disparity_colour_parent_class)->start(aggregator);
}

static gboolean stop(GstAggregator *aggregator)
{
  gst_tint_stage_clear(&GST_DISPARITY_COLOUR(aggregator)->tint);
  return GST_AGGREGATOR_CLASS(gst_disparity_colour_parent_class)->stop(aggregator);
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxField own_fields[] = {
    {"legend", "Legend", "Where the colours are explained, and errors counted",
        STX_FIELD(CHOICE, Settings, legend), .choices = stx_legend_choices},
    {GST_STX_DISPARITY_ENCODING, "Disparity encoding", "What the numbers of pad sink mean",
        STX_FIELD(CHOICE, Settings, encoding), .choices = stx_disparity_encodings},
};
static const Settings defaults = {.tint = STX_TINT_DEFAULTS, .legend = STX_LEGEND_TOP_LEFT};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    GST_STX_CAMERA_PROPERTIES(GstDisparityColour, camera),
    GST_STX_CAMERA_IMAGE_PROPERTIES(GstDisparityColour, camera),
    {&stx_tint_fields, offsetof(GstDisparityColour, settings.tint), GST_PARAM_MUTABLE_PLAYING,
        "GstDisparityColour"},
    {&own_table, offsetof(GstDisparityColour, settings), GST_PARAM_MUTABLE_PLAYING,
        "GstDisparityColour"},
};

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstDisparityColour *self = GST_DISPARITY_COLOUR(object);

  gst_stx_set_property(object, id, value, spec);
  GST_OBJECT_LOCK(self);
  self->changed = TRUE;
  GST_OBJECT_UNLOCK(self);
}

/* ---- Class --------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  GstDisparityColour *self = GST_DISPARITY_COLOUR(object);

  gst_stx_camera_settings_clear(&self->camera);
  gst_tint_stage_clear(&self->tint);
  G_OBJECT_CLASS(gst_disparity_colour_parent_class)->finalize(object);
}

static void gst_disparity_colour_init(GstDisparityColour *self)
{
  self->settings = defaults;
  gst_stx_camera_settings_init(&self->camera);
  gst_stx_pairing_add_pad(GST_STX_PAIRING(self), ROLE_MAP);
}

static void add_pad_templates(GstElementClass *klass)
{
  gst_element_class_add_static_pad_template_with_gtype(
      klass, &sink_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(
      klass, &truth_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(
      klass, &src_template, GST_TYPE_AGGREGATOR_PAD);
}

static void gst_disparity_colour_class_init(GstDisparityColourClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstElementClass *element = GST_ELEMENT_CLASS(klass);
  GstAggregatorClass *aggregator = GST_AGGREGATOR_CLASS(klass);
  GstStxPairingClass *pairing = GST_STX_PAIRING_CLASS(klass);

  GST_DEBUG_CATEGORY_INIT(disparity_colour_debug, "disparity-colour", 0, "maps as colours");
  gst_stx_properties_install(object, properties, G_N_ELEMENTS(properties));
  object->set_property = set_property;
  object->finalize = finalize;

  aggregator->start = start;
  aggregator->stop = stop;
  aggregator->update_src_caps = update_src_caps;
  pairing->roles.names[ROLE_MAP] = "sink";
  pairing->roles.names[ROLE_TRUTH] = "truth";
  pairing->stage.host = &stx_tint_impls;
  pairing->stage.device = &stx_tint_cuda_impls;
  pairing->stage.prepare = prepare;
  pairing->stage.work = work;
  pairing->stage.wants_device = wants_device;
  pairing->makes_output = TRUE;
  pairing->set_role_caps = set_role_caps;
  pairing->process = process;
  pairing->announce = announce;
  pairing->choose_pool = choose_pool;
  pairing->reset = reset;

  add_pad_templates(element);
  gst_stx_element_describe(element, "disparity-colour", "Disparity in colours",
      "Filter/Converter/Video", "Shows disparity, depth, confidence, cost or error as colours");
}
