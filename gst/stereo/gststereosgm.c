/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-stereo-sgm
 *
 * Semi-global matching of a rectified stereo pair. Takes the views from two pads, paired by their
 * timestamps, or from one pad whose frames hold both. Only their luma is read.
 *
 * The disparity is in 1/256 pixel, 0 where it is unknown; with output=depth-mm there are
 * millimetres in its place. A confidence per pixel travels with it as #GstStxConfidenceMeta.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 stereo-sgm name=sgm ! fakesink \
 *     street-scene-src view=left num-buffers=20 ! sgm.sink_left \
 *     street-scene-src view=right num-buffers=20 ! sgm.sink_right
 * ]|
 */
#include "gst/core/elements.h"

#include "common/luma/luma.h"
#include "common/pair/pair_watch.h"
#include "common/sgm/sgm.h"
#include "common/sgm/sgm_depth.h"
#include "cuda/stxcuda.h"
#include "gst/base/pairing.h"
#include "gst/core/camera.h"
#include "gst/core/element.h"
#include "gst/stereo/sgmmotion.h"
#include "gst/stereo/sgmviews.h"
#include "gst/stixels/mediatypes.h"
#include "gst/stixels/stixels.h"

GST_DEBUG_CATEGORY_STATIC(stereo_sgm_debug);
#define GST_CAT_DEFAULT stereo_sgm_debug

/* First those whose first plane is 8-bit luma, in rows. */
#define LUMA_FORMATS                                                                               \
  "{ GRAY8, I420, YV12, NV12, NV21, NV16, NV61, NV24, Y41B, Y42B, Y444, YUV9, YVU9, "              \
  "A420, " STX_LUMA_FORMATS " }"
#define UNTIMED (100 * GST_MSECOND) /* what a pair without a time counts as, for the watch */

#define LUMA_CAPS GST_STX_CUDA_CAPS("video/x-raw", ",format=" LUMA_FORMATS)

#define GST_TYPE_STEREO_SGM (gst_stereo_sgm_get_type())
G_DECLARE_FINAL_TYPE(GstStereoSgm, gst_stereo_sgm, GST, STEREO_SGM, GstStxPairing)

typedef enum { GST_STEREO_SGM_DISPARITY, GST_STEREO_SGM_DEPTH_MM } GstStereoSgmOutput;

typedef struct {
  StxSgmParams params; /* sizes and depth are not set here */
  GstStereoSgmOutput output;
  GstStereoSgmLayout layout;
  int gray_bits;   /* of 16-bit gray pictures; 0: as many as their largest value needs */
  bool confidence; /* attach GstStxConfidenceMeta */
  bool motion;     /* … GstStxMotionMeta */
} GstStereoSgmSettings;

struct _GstStereoSgm {
  GstStxPairing parent;

  /* Properties, guarded by the object lock. Every change sets `changed`. */
  GstStxCameraSettings camera;
  GstStereoSgmSettings settings;
  gboolean changed;

  /* Of the streaming thread: what the current caps and properties led to. */
  GstStereoSgmViews views;
  GstVideoInfo output;
  StxSgmParams active;
  gint gray_bits;
  gboolean wants_confidence, wants_motion;
  StxCamera view_camera;
  gboolean differ;                /* the views do, since a while: the user knows */
  GstBufferPool *confidence_pool; /* NULL: no confidence wanted */

  /* Whether these are views of a stereo camera. */
  StxPairWatch watch;         /* written under the object lock */
  guint64 warnings;           /* of it, under the object lock */
  guint64 pairs;              /* seen */
  GstStxScratch pair_scratch; /* on the host, wherever the element matches */

  StxEgomotion *egomotion; /* NULL: never wanted so far; on the host, too */
  gboolean restart;        /* the next frame has none before it; under the object lock */
};

/* Slots of the stage. */
enum {
  LEAD,
  RIGHT,
  DISPARITY,
  CONFIDENCE,
  SCRATCH,
  LEAD_GRAY,
  RIGHT_GRAY,
  LUMA,
  HOST_LEFT,
  HOST_RIGHT,
  HOST_DISPARITY
};

G_DEFINE_FINAL_TYPE(GstStereoSgm, gst_stereo_sgm, GST_TYPE_STX_PAIRING)
GST_ELEMENT_REGISTER_DEFINE(stereo_sgm, "stereo-sgm", GST_RANK_NONE, GST_TYPE_STEREO_SGM)

static GstStaticPadTemplate both_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS(LUMA_CAPS));
static GstStaticPadTemplate left_template =
    GST_STATIC_PAD_TEMPLATE("sink_left", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS(LUMA_CAPS));
static GstStaticPadTemplate right_template = GST_STATIC_PAD_TEMPLATE(
    "sink_right", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS(LUMA_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC,
    GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_CUDA_CAPS("video/x-raw", ",format=GRAY16_LE")));

/* ---- From caps and properties to a plan ---------------------------------------------------- */

/* The camera of the views. FALSE with a text in `error` where it is that of another image. */
static gboolean plan_camera(GstStereoSgm *self, StxCamera *camera, StxError *error)
{
  GstCaps *input = gst_stx_pairing_get_caps(GST_STX_PAIRING(self), self->views.lead);
  gboolean fits;

  GST_OBJECT_LOCK(self);
  fits = gst_stx_camera_settings_apply(&self->camera, input, GST_STX_CAMERA_OF_PICTURES,
      self->views.width, self->views.height, camera, error);
  GST_OBJECT_UNLOCK(self);
  gst_caps_unref(input);
  if (fits)
    gst_stx_camera_tell(GST_ELEMENT(self), error);
  return fits;
}

/* Millimetres need a metric camera. */
static gboolean plan_depth(const StxCamera *camera, gint *scale, StxError *error)
{
  StxError cause;

  if (!stx_camera_is_metric(camera))
    return stx_fail(error,
        "output=depth-mm needs focal length and baseline, but the %s not known: set calibration, "
        "or focal (pixels) and baseline (metres), or put camera-focal and camera-baseline into the "
        "caps",
        camera->focal > 0      ? "baseline is"
        : camera->baseline > 0 ? "focal length is"
                               : "camera is");
  return stx_sgm_depth_scale(camera->focal, camera->baseline, scale, &cause) ||
         stx_fail(error, "output=depth-mm: %.200s", cause.text);
}

/* Caps of the source pad: the size of a view, the rest as the leading pad has it. */
static GstCaps *plan_caps(GstStereoSgm *self, const StxCamera *camera)
{
  GstCaps *input = gst_stx_pairing_get_caps(GST_STX_PAIRING(self), self->views.lead);
  const GstStructure *from = gst_caps_get_structure(input, 0);
  GstCaps *caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "GRAY16_LE", "width",
      G_TYPE_INT, self->active.width, "height", G_TYPE_INT, self->active.height, NULL);
  GstStructure *to = gst_caps_get_structure(caps, 0);
  const gchar *kept[] = {"framerate", "pixel-aspect-ratio"};

  for (gsize i = 0; i < G_N_ELEMENTS(kept); i++)
    if (gst_structure_has_field(from, kept[i]))
      gst_structure_set_value(to, kept[i], gst_structure_get_value(from, kept[i]));
  gst_caps_unref(input);
  if (self->active.depth > 0)
    gst_structure_set(to, "disparity-encoding", G_TYPE_STRING, "depth-mm", NULL);
  if (self->active.sky && self->wants_confidence) /* which says where it is */
    gst_structure_set(to, GST_STX_SKY_FIELD, G_TYPE_BOOLEAN, TRUE, NULL);
  gst_stx_camera_to_structure(camera, to);
  return caps;
}

/* The plan from views, camera and properties. */
static gboolean plan_params(
    GstStereoSgm *self, const GstStereoSgmSettings *settings, StxCamera *camera, StxError *error)
{
  self->wants_confidence = settings->confidence;
  self->wants_motion = settings->motion;
  self->gray_bits = settings->gray_bits;
  self->active = settings->params;
  self->active.width = self->views.width;
  self->active.height = self->views.height;
  if (!stx_sgm_check(&self->active, error))
    return stx_fail_as(error, STX_ERROR_SETTINGS);
  if (!plan_camera(self, camera, error))
    return FALSE;
  self->view_camera = *camera;
  return ((settings->output == GST_STEREO_SGM_DISPARITY ||
              plan_depth(camera, &self->active.depth, error)) &&
             (!settings->motion || gst_stereo_sgm_motion_check(camera, error))) ||
         stx_fail_as(error, STX_ERROR_SETTINGS);
}

/* After a change of caps or properties. */
static GstFlowReturn plan(GstStereoSgm *self, guint roles, StxError *error)
{
  GstStxStage *stage = gst_stx_pairing_stage(GST_STX_PAIRING(self));
  GstStereoSgmSettings settings;
  StxCamera camera;
  GstCaps *caps;

  GST_OBJECT_LOCK(self);
  settings = self->settings;
  GST_OBJECT_UNLOCK(self);

  if (!gst_stereo_sgm_views_plan(&self->views, roles, settings.layout, error) ||
      !plan_params(self, &settings, &camera, error))
    return GST_FLOW_ERROR;
  caps = plan_caps(self, &camera);
  gst_video_info_from_caps(&self->output, caps);
  GST_INFO_OBJECT(self, "%s, %" GST_PTR_FORMAT, gst_stx_stage_impl_name(stage), caps);
  return gst_stx_pairing_set_src_caps(GST_STX_PAIRING(self), caps);
}

static void set_changed(GstStereoSgm *self, gboolean changed)
{
  GST_OBJECT_LOCK(self);
  self->changed = changed;
  GST_OBJECT_UNLOCK(self);
}

/* Has one of two live cameras begun to deliver another size? It may be the other's turn soon. */
static gboolean views_differ(GstStereoSgm *self, guint roles)
{
  gboolean begun = GST_VIDEO_INFO_WIDTH(&self->output) > 0, differ;
  GstStereoSgmViews views = self->views;
  GstStereoSgmLayout layout;
  StxError error;

  GST_OBJECT_LOCK(self);
  layout = self->settings.layout;
  GST_OBJECT_UNLOCK(self);
  differ = begun && gst_stx_pairing_is_live(GST_STX_PAIRING(self)) &&
           !gst_stereo_sgm_views_plan(&views, roles, layout, &error);
  if (differ && !self->differ)
    GST_ELEMENT_WARNING(
        self, STREAM, FORMAT, ("%s: nothing comes out until they agree", error.text), (NULL));
  self->differ = differ;
  return differ;
}

/* Plans again if anything changed. */
static GstFlowReturn announce(GstStxPairing *pairing, guint roles, StxError *error)
{
  GstStereoSgm *self = GST_STEREO_SGM(pairing);
  GstFlowReturn flow = GST_FLOW_OK;
  gboolean changed;

  if (views_differ(self, roles))
    return GST_STX_PAIRING_FLOW_NOTHING;
  GST_OBJECT_LOCK(self);
  changed = self->changed;
  self->changed = FALSE;
  GST_OBJECT_UNLOCK(self);
  if (changed)
    flow = plan(self, roles, error);
  if (flow != GST_FLOW_OK)
    set_changed(self, TRUE);
  return flow;
}

/* ---- Pictures where the stage works -------------------------------------------------------- */

/* Makes the gray picture of one that has none in its first plane. */
static gboolean make_gray(GstStereoSgm *self, GstStxStage *stage, const StxLumaFormat *format,
    guint slot, StxImage8 *image, StxError *error)
{
  const StxLumaImpl *impl =
      gst_stx_stage_impl_of(stage, &stx_luma_impls, &stx_luma_cuda_impls, error);
  gsize stride = stx_align((gsize)image->width);
  void *scratch = gst_stx_stage_block(stage, LUMA, STX_LUMA_SCRATCH, error);
  StxImage8 gray = {gst_stx_stage_block(stage, slot, stride * (gsize)image->height, error),
      (ptrdiff_t)stride, image->width, image->height};

  if (impl == NULL || scratch == NULL || gray.data == NULL ||
      !impl->run(format, self->gray_bits, image, &gray, scratch, &stage->place, error))
    return FALSE;
  *image = gray;
  return TRUE;
}

static gboolean find_view(GstStereoSgm *self, GstStxStage *stage, GstBuffer **set, guint slot,
    guint role, StxImage8 *image, StxError *error)
{
  static const gchar *const names[] = {"pad sink", "pad sink_left", "pad sink_right"};
  const GstVideoInfo *info = &self->views.info[role];
  const StxLumaFormat *format = stx_luma_format(GST_VIDEO_INFO_NAME(info));
  StxFrame picture;

  if (!gst_stx_stage_picture(
          stage, slot, names[role], set[role], info, 1, GST_MAP_READ, &picture, error))
    return FALSE;
  *image = (StxImage8){
      picture.data[0], picture.stride[0], GST_VIDEO_INFO_WIDTH(info), GST_VIDEO_INFO_HEIGHT(info)};
  return format == NULL ||
         make_gray(self, stage, format, slot == LEAD ? LEAD_GRAY : RIGHT_GRAY, image, error);
}

static gboolean find_views(GstStereoSgm *self, GstStxStage *stage, GstBuffer **set, StxImage8 *left,
    StxImage8 *right, StxError *error)
{
  if (!find_view(self, stage, set, LEAD, self->views.lead, left, error) ||
      (self->views.lead != GST_STEREO_SGM_BOTH &&
          !find_view(self, stage, set, RIGHT, GST_STEREO_SGM_RIGHT, right, error)))
    return FALSE;
  gst_stereo_sgm_views_cut(&self->views, left, right);
  return TRUE;
}

/* ---- Views that cannot be a pair ----------------------------------------------------------- */

static void warn(GstStereoSgm *self, const StxPairFinding *finding)
{
  gchar text[256];

  stx_pair_describe(finding, text);
  GST_ELEMENT_WARNING_WITH_DETAILS(self, STREAM, FORMAT, ("Implausible pair: %s", text),
      ("pair=%s, for a second; stx-check looks at single pictures",
          stx_pair_name(finding->verdict)),
      ("pair", G_TYPE_STRING, stx_pair_name(finding->verdict), "pair-rows", G_TYPE_INT,
          finding->evidence.model.shift, NULL));
}

static void note(GstStereoSgm *self, gint64 time, const StxPairFinding *finding)
{
  StxPairNews news;

  GST_OBJECT_LOCK(self);
  news = stx_pair_watch_note(&self->watch, time, finding);
  self->warnings += news == STX_PAIR_WARN;
  GST_OBJECT_UNLOCK(self);
  if (news == STX_PAIR_WARN)
    warn(self, finding);
  else if (news == STX_PAIR_CLEARED)
    GST_ELEMENT_INFO(self, STREAM, FORMAT, ("The pairs are plausible again"), ("for a second"));
  GST_LOG_OBJECT(self, "%s: %d points, %d found, %d in their row", stx_pair_name(finding->verdict),
      finding->evidence.points[0], finding->evidence.matched, finding->evidence.level);
}

/* A view on the host, once gst_stx_stage_wait has returned TRUE. */
static gboolean bring_view(GstStxStage *stage, guint slot, StxImage8 *image, StxError *error)
{
  gsize size = (gsize)image->stride * (gsize)(image->height - 1) + (gsize)image->width;

  image->data = (uint8_t *)gst_stx_stage_bring(stage, slot, image->data, size, error);
  return image->data != NULL;
}

/* Now and then looks, on the CPU, whether these can be views of a stereo camera
 * (common/pair/pair_watch.h); warns once while they cannot. */
static gboolean watch_pair(
    GstStereoSgm *self, GstStxStage *stage, StxImage8 left, StxImage8 right, StxError *error)
{
  GstClockTime time = gst_stx_pairing_time(GST_STX_PAIRING(self));
  guint64 number = self->pairs++;
  StxPairFinding finding;

  if (!GST_CLOCK_TIME_IS_VALID(time))
    time = number * UNTIMED;
  if (!stx_pair_watch_is_due(&self->watch, (gint64)time))
    return TRUE;
  if (stage->on_device &&
      (!bring_view(stage, HOST_LEFT, &left, error) ||
          !bring_view(stage, HOST_RIGHT, &right, error) || !gst_stx_stage_wait(stage, error)))
    return FALSE;
  if (!gst_stx_scratch_reserve(
          &self->pair_scratch, stx_pair_scratch(left.width, left.height), error))
    return FALSE;
  stx_pair_examine(self->active.max_disparity, &left, &right, self->pair_scratch.data, &finding);
  note(self, (gint64)time, &finding);
  return TRUE;
}

static void tell(GstStxPairing *pairing, GstStructure *stats)
{
  GstStereoSgm *self = GST_STEREO_SGM(pairing);
  const StxPairFinding *finding = &self->watch.finding;

  gst_structure_set(stats, "pair", G_TYPE_STRING, stx_pair_name(finding->verdict), "pair-rows",
      G_TYPE_INT, finding->evidence.model.shift, "pair-warnings", G_TYPE_UINT64, self->warnings,
      NULL);
}

/* Observations belong to a stream that is over. */
static void reset(GstStxPairing *pairing)
{
  GST_OBJECT_LOCK(pairing);
  GST_STEREO_SGM(pairing)->watch = (StxPairWatch){0};
  GST_STEREO_SGM(pairing)->restart = TRUE;
  GST_OBJECT_UNLOCK(pairing);
}

/* ---- The camera's own motion --------------------------------------------------------------- */

/* A map on the host, once gst_stx_stage_wait has returned TRUE. */
static gboolean bring_map(GstStxStage *stage, StxImage16 *image, StxError *error)
{
  gsize size = (gsize)image->stride * (gsize)(image->height - 1) + 2 * (gsize)image->width;

  image->data = (uint16_t *)gst_stx_stage_bring(stage, HOST_DISPARITY, image->data, size, error);
  return image->data != NULL;
}

/* The motion that the picture and its disparity show, unless the left picture came with one. That
 * of a frame that is done again, on the CPU after the GPU has failed, has the state "still". */
static gboolean find_motion(GstStereoSgm *self, GstStxStage *stage, GstStxPairingFrame *frame,
    StxImage8 left, StxImage16 disparity, StxError *error)
{
  GstStxMotionMeta *meta = gst_buffer_get_stx_motion_meta(frame->out);
  StxEgomotionFrame input = {.depth = self->active.depth,
      .camera = self->view_camera,
      .time = gst_stx_pairing_time(GST_STX_PAIRING(self)),
      .threads = stage->place.threads};
  gboolean restart;

  if (meta == NULL)
    return TRUE;
  if (stage->on_device &&
      (!bring_view(stage, HOST_LEFT, &left, error) || !bring_map(stage, &disparity, error) ||
          !gst_stx_stage_wait(stage, error)))
    return FALSE;
  input.left = left;
  input.disparity = disparity;
  GST_OBJECT_LOCK(self);
  restart = self->restart || GST_BUFFER_IS_DISCONT(frame->set[self->views.lead]);
  self->restart = FALSE;
  GST_OBJECT_UNLOCK(self);
  return gst_stereo_sgm_motion_find(&self->egomotion, &input, restart, meta, error);
}

/* ---- One pair ------------------------------------------------------------------------------ */

/* A meta to be filled in, unless the left picture came with one: nothing can be hung on a buffer
 * while it is written. */
static void add_motion(GstStereoSgm *self, const GstStxPairingFrame *frame)
{
  const StxMotion none = {.state = STX_MOTION_FIRST};

  if (self->wants_motion && gst_buffer_get_stx_motion_meta(frame->set[self->views.lead]) == NULL)
    gst_buffer_add_stx_motion_meta(frame->out, &none, GST_CLOCK_TIME_NONE, NULL, 0, 0);
}

/* The disparity, and with it the confidence, which must not be shared while it is written. */
static GstFlowReturn acquire(GstStereoSgm *self, GstBuffer **disparity, StxError *error)
{
  GstStxPairing *pairing = GST_STX_PAIRING(self);
  GstBuffer *confidence;
  GstFlowReturn flow;

  gst_clear_buffer(disparity);
  flow = gst_stx_pairing_acquire(pairing, disparity, error);
  if (flow != GST_FLOW_OK || self->confidence_pool == NULL)
    return flow;
  flow = gst_stx_stage_acquire(
      gst_stx_pairing_stage(pairing), self->confidence_pool, &confidence, error);
  if (flow != GST_FLOW_OK)
    return flow;
  gst_buffer_add_stx_confidence_meta(
      *disparity, confidence, (guint)self->active.width, (guint)self->active.height);
  gst_buffer_unref(confidence);
  return GST_FLOW_OK;
}

static gboolean find_outputs(GstStereoSgm *self, GstStxStage *stage, GstBuffer *out,
    StxImage16 *disparity, StxImage8 *confidence, StxError *error)
{
  int width = self->active.width, height = self->active.height;
  const GstStxConfidenceMeta *meta = gst_buffer_get_stx_confidence_meta(out);
  StxFrame picture;
  void *data = NULL;

  if (!gst_stx_stage_picture(
          stage, DISPARITY, "output", out, &self->output, 1, GST_MAP_WRITE, &picture, error) ||
      (meta != NULL && !gst_stx_stage_write(stage, CONFIDENCE, meta->confidence,
                           (gsize)width * (gsize)height, &data, error)))
    return FALSE;
  *disparity = (StxImage16){(uint16_t *)(void *)picture.data[0], picture.stride[0], width, height};
  *confidence = (StxImage8){data, width, width, height};
  return TRUE;
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  GstStereoSgm *self = GST_STEREO_SGM(element);
  GstStxStage *stage = gst_stx_pairing_stage(GST_STX_PAIRING(self));
  const StxSgmImpl *impl = gst_stx_stage_impl(stage);
  GstStxPairingFrame *frame = data;
  GstFlowReturn flow = acquire(self, &frame->out, error);
  StxImage8 left, right, confidence;
  StxImage16 disparity;
  void *scratch;

  if (flow != GST_FLOW_OK)
    return flow;
  add_motion(self, frame);
  scratch = gst_stx_stage_block(
      stage, SCRATCH, impl->scratch_size(&self->active, stage->place.threads), error);
  return scratch != NULL && find_views(self, stage, frame->set, &left, &right, error) &&
                 watch_pair(self, stage, left, right, error) &&
                 find_outputs(self, stage, frame->out, &disparity, &confidence, error) &&
                 impl->run(&self->active, &left, &right, &disparity, &confidence, scratch,
                     &stage->place, error) &&
                 find_motion(self, stage, frame, left, disparity, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

/* ---- Virtual methods ----------------------------------------------------------------------- */

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps)
{
  GstStereoSgm *self = GST_STEREO_SGM(pairing);
  GstCaps *possible = gst_static_pad_template_get_caps(&both_template);
  gboolean usable =
      gst_caps_is_subset(caps, possible) && gst_video_info_from_caps(&self->views.info[role], caps);
  gchar *text;

  gst_caps_unref(possible);
  if (usable) {
    reset(pairing);
    set_changed(self, TRUE);
    return TRUE;
  }
  text = gst_caps_to_string(caps);
  GST_ELEMENT_ERROR(self, STREAM, FORMAT,
      ("Pad %s got %s; needed is video/x-raw in one of %s: put videoconvert in front",
          gst_stereo_sgm_roles[role], text, LUMA_FORMATS),
      (NULL));
  g_free(text);
  return FALSE;
}

/* The two views come from one pad or from two, never from three. */
static GstAggregatorPad *create_new_pad(
    GstAggregator *aggregator, GstPadTemplate *templ, const gchar *name, const GstCaps *caps)
{
  gboolean both = g_strcmp0(GST_PAD_TEMPLATE_NAME_TEMPLATE(templ), "sink") == 0, clash = FALSE;

  GST_OBJECT_LOCK(aggregator);
  for (GList *item = GST_ELEMENT(aggregator)->sinkpads; item != NULL; item = item->next)
    clash |= both || g_strcmp0(GST_OBJECT_NAME(item->data), "sink") == 0;
  GST_OBJECT_UNLOCK(aggregator);
  if (clash) {
    GST_WARNING_OBJECT(aggregator, "use either the pad sink, or sink_left and sink_right");
    return NULL;
  }
  return GST_AGGREGATOR_CLASS(gst_stereo_sgm_parent_class)
      ->create_new_pad(aggregator, templ, name, caps);
}

static void clear_confidence_pool(GstStereoSgm *self)
{
  if (self->confidence_pool != NULL)
    gst_buffer_pool_set_active(self->confidence_pool, FALSE);
  gst_clear_object(&self->confidence_pool);
}

/* The confidence goes where the disparity goes. */
static gboolean choose_pool(GstStxPairing *pairing, GstQuery *query)
{
  GstStereoSgm *self = GST_STEREO_SGM(pairing);
  GstStxStage *stage = gst_stx_pairing_stage(pairing);

  clear_confidence_pool(self);
  if (self->wants_confidence)
    self->confidence_pool = gst_stx_stage_bytes_pool(
        stage, NULL, (gsize)self->active.width * (gsize)self->active.height);
  return gst_stx_stage_take_video_pool(stage, query);
}

static gboolean start(GstAggregator *aggregator)
{
  GstStereoSgm *self = GST_STEREO_SGM(aggregator);

  set_changed(self, TRUE);
  gst_video_info_init(&self->output);
  self->differ = FALSE;
  if (!gst_stx_camera_settings_load(&self->camera, GST_ELEMENT(self)) ||
      !GST_AGGREGATOR_CLASS(gst_stereo_sgm_parent_class)->start(aggregator))
    return FALSE;
  GST_OBJECT_LOCK(self);
  self->warnings = 0;
  GST_OBJECT_UNLOCK(self);
  return TRUE;
}

static gboolean stop(GstAggregator *aggregator)
{
  gst_stx_scratch_clear(&GST_STEREO_SGM(aggregator)->pair_scratch);
  clear_confidence_pool(GST_STEREO_SGM(aggregator));
  return GST_AGGREGATOR_CLASS(gst_stereo_sgm_parent_class)->stop(aggregator);
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxFieldChoice gray_bits[] = {
    {0, "auto", "As many as the largest value of the picture needs"},
    {8, "8", "0 … 255"},
    {10, "10", "0 … 1023"},
    {12, "12", "0 … 4095"},
    {14, "14", "0 … 16383"},
    {16, "16", "0 … 65535"},
    {0},
};

static const StxFieldChoice outputs[] = {
    {GST_STEREO_SGM_DISPARITY, "disparity", "1/256 pixel"},
    {GST_STEREO_SGM_DEPTH_MM, "depth-mm", "Millimetres along the optical axis"},
    {0},
};

static const StxField own_fields[] = {
    {"output", "Output", "Contents of the source pad; depth needs the camera",
        STX_FIELD(CHOICE, GstStereoSgmSettings, output), .choices = outputs},
    {"layout", "Layout", "How a frame of pad sink holds the two views",
        STX_FIELD(CHOICE, GstStereoSgmSettings, layout), .choices = gst_stereo_sgm_layouts},
    {"gray-bits", "Bits of gray",
        "How many of the 16 bits of GRAY16 hold the value: the upper 8 of these are matched",
        STX_FIELD(CHOICE, GstStereoSgmSettings, gray_bits), .choices = gray_bits},
    {"confidence", "Confidence", "Attach a confidence per pixel as GstStxConfidenceMeta",
        STX_FIELD(BOOL, GstStereoSgmSettings, confidence)},
    {"motion", "Motion", "Attach the camera's own motion as GstStxMotionMeta; needs the camera",
        STX_FIELD(BOOL, GstStereoSgmSettings, motion)},
};
static const GstStereoSgmSettings defaults = {.params = STX_SGM_DEFAULTS, .confidence = true};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    GST_STX_CAMERA_PROPERTIES(GstStereoSgm, camera),
    GST_STX_CAMERA_IMAGE_PROPERTIES(GstStereoSgm, camera),
    {&stx_sgm_fields, offsetof(GstStereoSgm, settings.params), GST_PARAM_MUTABLE_PLAYING,
        "GstStereoSgm"},
    {&own_table, offsetof(GstStereoSgm, settings), GST_PARAM_MUTABLE_PLAYING, "GstStereoSgm"},
};

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  gst_stx_set_property(object, id, value, spec);
  set_changed(GST_STEREO_SGM(object), TRUE);
}

/* ---- Class --------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  gst_stx_camera_settings_clear(&GST_STEREO_SGM(object)->camera);
  stx_egomotion_free(GST_STEREO_SGM(object)->egomotion);
  G_OBJECT_CLASS(gst_stereo_sgm_parent_class)->finalize(object);
}

static void gst_stereo_sgm_init(GstStereoSgm *self)
{
  self->settings = defaults;
  self->changed = TRUE;
  gst_stx_camera_settings_init(&self->camera);
}

static void gst_stereo_sgm_class_init(GstStereoSgmClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS(klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS(klass);
  GstStxPairingClass *pairing_class = GST_STX_PAIRING_CLASS(klass);

  GST_DEBUG_CATEGORY_INIT(stereo_sgm_debug, "stereo-sgm", 0, "semi-global matching");
  gst_stx_properties_install(object_class, properties, G_N_ELEMENTS(properties));
  object_class->set_property = set_property;
  object_class->finalize = finalize;

  gst_stx_element_describe(element_class, "stereo-sgm", "Semi-global matching",
      "Filter/Analyzer/Video", "Finds the disparity of a rectified stereo pair");
  gst_element_class_add_static_pad_template_with_gtype(
      element_class, &src_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(
      element_class, &both_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(
      element_class, &left_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(
      element_class, &right_template, GST_TYPE_AGGREGATOR_PAD);

  aggregator_class->create_new_pad = create_new_pad;
  aggregator_class->start = start;
  aggregator_class->stop = stop;
  for (guint role = 0; role < GST_STEREO_SGM_ROLES; role++)
    pairing_class->roles.names[role] = gst_stereo_sgm_roles[role];
  pairing_class->roles.sufficient[0] = 1u << GST_STEREO_SGM_BOTH;
  pairing_class->roles.sufficient[1] = 1u << GST_STEREO_SGM_LEFT | 1u << GST_STEREO_SGM_RIGHT;
  pairing_class->stage.host = &stx_sgm_impls;
  pairing_class->stage.device = &stx_sgm_cuda_impls;
  pairing_class->stage.work = work;
  pairing_class->drops_late = TRUE;
  pairing_class->makes_output = TRUE;
  pairing_class->set_role_caps = set_role_caps;
  pairing_class->announce = announce;
  pairing_class->tell = tell;
  pairing_class->reset = reset;
  pairing_class->choose_pool = choose_pool;
}
