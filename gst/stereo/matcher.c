/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/stereo/matcher.h"

#include "cuda/stxcuda.h"
#include "gst/base/inputs.h"
#include "gst/core/element.h"
#include "gst/core/frametime.h"
#include "gst/stixels/mediatypes.h"

GST_DEBUG_CATEGORY_STATIC(matcher_debug);
#define GST_CAT_DEFAULT matcher_debug

#define UNTIMED (100 * GST_MSECOND) /* what a pair without a time counts as, for the watch */

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(GstStxMatcher, gst_stx_matcher, GST_TYPE_STX_PAIRING,
    GST_DEBUG_CATEGORY_INIT(matcher_debug, "stx-matcher", 0, "disparity of two views"))
#define CLASS(self) GST_STX_MATCHER_GET_CLASS(self)
#define PARENT GST_AGGREGATOR_CLASS(gst_stx_matcher_parent_class)

/* ---- From caps and properties to a plan ---------------------------------------------------- */

/* Caps of the source pad: the size of a view, the rest as the leading pad has it. */
static GstCaps *plan_caps(GstStxMatcher *self, const StxCamera *camera)
{
  GstCaps *caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "GRAY16_LE", "width",
      G_TYPE_INT, self->views.width, "height", G_TYPE_INT, self->views.height, NULL);
  GstStructure *to = gst_caps_get_structure(caps, 0);

  gst_stx_pairing_keep_shape(GST_STX_PAIRING(self), self->views.lead, to);
  if (self->plan.depth > 0)
    gst_structure_set(to, "disparity-encoding", G_TYPE_STRING, "depth-mm", NULL);
  if (self->plan.sky && self->plan.confidence) /* which says where it is */
    gst_structure_set(to, GST_STX_SKY_FIELD, G_TYPE_BOOLEAN, TRUE, NULL);
  gst_stx_camera_to_structure(camera, to);
  return caps;
}

/* After a change of caps or properties. */
static gboolean make_plan(GstStxMatcher *self, guint roles, StxError *error)
{
  GstStxPairing *pairing = GST_STX_PAIRING(self);
  GstStxMatcherSettings settings;

  GST_STX_LOCKED(self, settings = self->settings);
  self->plan = (GstStxMatcherPlan){.confidence = settings.confidence, .motion = settings.motion};
  if (!gst_stereo_sgm_views_plan(&self->views, roles, settings.layout, error) ||
      !gst_stx_pairing_find_camera(pairing, gst_stx_pairing_caps(pairing, self->views.lead),
          GST_STX_CAMERA_OF_PICTURES, self->views.width, self->views.height, &self->view_camera,
          error) ||
      !CLASS(self)->make_plan(self, &self->view_camera, error))
    return FALSE;
  if (settings.motion == GST_STX_MOTION_FALSE ||
      gst_stereo_sgm_motion_check(&self->view_camera, error))
    return TRUE;
  self->plan.motion = GST_STX_MOTION_FALSE;
  return settings.motion == GST_STX_MOTION_AUTO || stx_fail_as(error, STX_ERROR_SETTINGS);
}

static GstFlowReturn plan(GstStxMatcher *self, guint roles, StxError *error)
{
  GstStxStage *stage = gst_stx_pairing_stage(GST_STX_PAIRING(self));
  GstCaps *caps;

  if (!make_plan(self, roles, error))
    return GST_FLOW_ERROR;
  caps = plan_caps(self, &self->view_camera);
  gst_video_info_from_caps(&self->output, caps);
  GST_INFO_OBJECT(self, "%s, %" GST_PTR_FORMAT, gst_stx_stage_impl_name(stage), caps);
  return gst_stx_pairing_set_src_caps(GST_STX_PAIRING(self), caps);
}

static void set_changed(GstStxMatcher *self, gboolean changed)
{
  GST_STX_LOCKED(self, self->changed = changed);
}

/* Has one of two live cameras begun to deliver another size? It may be the other's turn soon. */
static gboolean views_differ(GstStxMatcher *self, guint roles)
{
  gboolean begun = GST_VIDEO_INFO_WIDTH(&self->output) > 0, differ;
  GstStereoSgmViews views = self->views;
  GstStereoSgmLayout layout;
  StxError error;

  GST_STX_LOCKED(self, layout = self->settings.layout);
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
  GstStxMatcher *self = GST_STX_MATCHER(pairing);
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

/* The first plane of a view, or of both. */
static gboolean find_picture(GstStxMatcher *self, GstStxStage *stage, GstBuffer **set, guint slot,
    guint role, StxImage8 *image, StxError *error)
{
  static const gchar *const names[] = {"pad sink", "pad sink_left", "pad sink_right"};

  return gst_stx_stage_image8(
      stage, slot, names[role], set[role], &self->views.info[role], image, error);
}

static gboolean find_pictures(GstStxMatcher *self, GstStxStage *stage, GstBuffer **set,
    GstStxMatcherPair *pair, StxError *error)
{
  if (!find_picture(
          self, stage, set, GST_STX_MATCHER_LEAD, self->views.lead, &pair->picture[0], error))
    return FALSE;
  pair->picture[1] = pair->picture[0];
  return self->views.lead == GST_STEREO_SGM_BOTH ||
         find_picture(self, stage, set, GST_STX_MATCHER_RIGHT, GST_STEREO_SGM_RIGHT,
             &pair->picture[1], error);
}

static gboolean find_gray(GstStxMatcher *self, GstStxStage *stage, guint role, guint slot,
    StxImage8 *image, StxError *error)
{
  return gst_stx_stage_gray(stage, GST_STX_MATCHER_LUMA, slot, &self->views.info[role],
      self->plan.gray_bits, image, error);
}

gboolean gst_stx_matcher_find_gray(GstStxMatcher *self, GstStxStage *stage,
    const GstStxMatcherPair *pair, StxImage8 *left, StxImage8 *right, StxError *error)
{
  StxImage8 *gray = self->gray;

  if (!self->has_gray) {
    gray[0] = pair->picture[0];
    gray[1] = pair->picture[1];
    if (!find_gray(self, stage, self->views.lead, GST_STX_MATCHER_LEAD_GRAY, &gray[0], error) ||
        (self->views.lead != GST_STEREO_SGM_BOTH &&
            !find_gray(
                self, stage, GST_STEREO_SGM_RIGHT, GST_STX_MATCHER_RIGHT_GRAY, &gray[1], error)))
      return FALSE;
    gst_stereo_sgm_views_cut(&self->views, 1, &gray[0], &gray[1]);
    self->has_gray = TRUE;
  }
  *left = gray[0];
  *right = gray[1];
  return TRUE;
}

/* A view on the host, once gst_stx_stage_wait has returned TRUE. */
static gboolean bring_view(GstStxStage *stage, guint slot, StxImage8 *image, StxError *error)
{
  gsize size = (gsize)image->stride * (gsize)(image->height - 1) + (gsize)image->width;

  image->data = (uint8_t *)gst_stx_stage_bring(stage, slot, image->data, size, error);
  return image->data != NULL;
}

gboolean gst_stx_matcher_bring_gray(GstStxMatcher *self, GstStxStage *stage,
    const GstStxMatcherPair *pair, StxImage8 *left, StxImage8 *right, StxError *error)
{
  return gst_stx_matcher_find_gray(self, stage, pair, left, right, error) &&
         (!stage->on_device || (bring_view(stage, GST_STX_MATCHER_HOST_LEFT, left, error) &&
                                   bring_view(stage, GST_STX_MATCHER_HOST_RIGHT, right, error) &&
                                   gst_stx_stage_wait(stage, error)));
}

/* ---- Views that cannot be a pair ----------------------------------------------------------- */

static void warn(GstStxMatcher *self, const StxPairFinding *finding)
{
  gchar text[256];

  stx_pair_describe(finding, text);
  GST_ELEMENT_WARNING_WITH_DETAILS(self, STREAM, FORMAT, ("Implausible pair: %s", text),
      ("pair=%s; stx-check looks at single pictures", stx_pair_name(finding->verdict)),
      ("pair", G_TYPE_STRING, stx_pair_name(finding->verdict), "pair-rows", G_TYPE_INT,
          finding->evidence.model.shift, NULL));
}

static void note(GstStxMatcher *self, gint64 time, const StxPairFinding *finding)
{
  StxPairNews news;

  GST_OBJECT_LOCK(self);
  news = stx_pair_watch_note(&self->watch, time, finding);
  self->warnings += news == STX_PAIR_WARN;
  GST_OBJECT_UNLOCK(self);
  if (news == STX_PAIR_WARN)
    warn(self, finding);
  else if (news == STX_PAIR_CLEARED)
    GST_STX_ELEMENT_INFO(
        self, STREAM, FORMAT, ("The pairs have been plausible again for a second"));
  GST_LOG_OBJECT(self, "%s: %d points, %d found, %d in their row", stx_pair_name(finding->verdict),
      finding->evidence.points[0], finding->evidence.matched, finding->evidence.level);
}

/* Now and then looks, on the CPU, whether these can be views of a stereo camera
 * (common/pair/pair_watch.h); warns once while they cannot. */
static gboolean watch_pair(
    GstStxMatcher *self, GstStxStage *stage, const GstStxMatcherPair *pair, StxError *error)
{
  GstClockTime time = gst_stx_pairing_time(GST_STX_PAIRING(self));
  guint64 number = self->pairs++;
  StxImage8 left, right;
  StxPairFinding finding;

  if (!GST_CLOCK_TIME_IS_VALID(time))
    time = number * UNTIMED;
  if (!stx_pair_watch_is_due(&self->watch, (gint64)time))
    return TRUE;
  if (!gst_stx_matcher_bring_gray(self, stage, pair, &left, &right, error) ||
      !gst_stx_scratch_reserve(
          &self->pair_scratch, stx_pair_scratch(left.width, left.height), error))
    return FALSE;
  stx_pair_examine(self->plan.reach, &left, &right, self->pair_scratch.data, &finding);
  note(self, (gint64)time, &finding);
  return TRUE;
}

static void tell(GstStxPairing *pairing, GstStructure *stats)
{
  GstStxMatcher *self = GST_STX_MATCHER(pairing);
  const StxPairFinding *finding = &self->watch.finding;

  gst_structure_set(stats, "pair", G_TYPE_STRING, stx_pair_name(finding->verdict), "pair-rows",
      G_TYPE_INT, finding->evidence.model.shift, "pair-warnings", G_TYPE_UINT64, self->warnings,
      NULL);
  if (CLASS(self)->tell != NULL)
    CLASS(self)->tell(self, stats);
}

/* Two pictures are a stream, too. */
static void end(GstStxPairing *pairing)
{
  GstStxMatcher *self = GST_STX_MATCHER(pairing);
  StxPairNews news;

  GST_OBJECT_LOCK(self);
  news = stx_pair_watch_end(&self->watch);
  self->warnings += news == STX_PAIR_WARN;
  GST_OBJECT_UNLOCK(self);
  if (news == STX_PAIR_WARN)
    warn(self, &self->watch.finding);
}

/* Observations belong to a stream that is over. */
static void reset(GstStxPairing *pairing)
{
  GST_OBJECT_LOCK(pairing);
  GST_STX_MATCHER(pairing)->watch = (StxPairWatch){0};
  GST_STX_MATCHER(pairing)->restart = TRUE;
  GST_OBJECT_UNLOCK(pairing);
}

/* ---- The camera's own motion --------------------------------------------------------------- */

/* Finds the place and memory of the motion on the GPU. */
static gboolean find_motion_device(GstStxStage *stage, const StxEgomotionImpl *impl,
    StxEgomotionFrame *frame, StxEgomotionDevice *device, StxError *error)
{
  gsize size = stx_egomotion_device_bytes(impl, frame->left.width, frame->left.height);

  if (!stage->on_device)
    return TRUE;
  *device = (StxEgomotionDevice){stage->place,
      gst_stx_stage_block(stage, GST_STX_MATCHER_MOTION, size, error), gst_stx_stage_ring(stage)};
  frame->device = device;
  return device->memory != NULL;
}

/* The motion that the picture and its disparity show, unless the left picture came with one. With a
 * frame that is done again, on the CPU after the GPU has failed, a stream begins. */
static gboolean find_motion(GstStxMatcher *self, GstStxStage *stage, GstStxPairingFrame *frame,
    const GstStxMatcherPair *pair, StxError *error)
{
  const StxEgomotionImpl *impl =
      gst_stx_stage_impl_of(stage, &stx_egomotion_impls, &stx_egomotion_cuda_impls, error);
  GstStxMotionMeta *meta = gst_buffer_get_stx_motion_meta(frame->out);
  StxEgomotionFrame input = {.depth = self->plan.depth,
      .camera = self->view_camera,
      .time = gst_stx_pairing_time(GST_STX_PAIRING(self)),
      .threads = stage->place.threads,
      .disparity = pair->disparity};
  StxEgomotionDevice device;
  gboolean restart;
  StxImage8 right;

  if (meta == NULL)
    return TRUE;
  if (impl == NULL || !gst_stx_matcher_find_gray(self, stage, pair, &input.left, &right, error) ||
      !find_motion_device(stage, impl, &input, &device, error))
    return FALSE;
  GST_OBJECT_LOCK(self);
  restart = gst_stx_frame_is_cut(frame->set[self->views.lead], &self->last) || self->restart;
  self->restart = FALSE;
  GST_OBJECT_UNLOCK(self);
  return gst_stereo_sgm_motion_find(
      &self->egomotion, impl, &input, restart, meta, self->offset, error);
}

/* ---- One pair ------------------------------------------------------------------------------ */

/* The disparity, and with it the confidence, which must not be shared while it is written. */
static GstFlowReturn acquire(GstStxMatcher *self, GstBuffer **disparity, StxError *error)
{
  GstStxPairing *pairing = GST_STX_PAIRING(self);
  g_autoptr(GstBuffer) confidence = NULL;
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
      *disparity, confidence, (guint)self->views.width, (guint)self->views.height);
  return GST_FLOW_OK;
}

static gboolean find_outputs(GstStxMatcher *self, GstStxStage *stage, GstBuffer *out,
    GstStxMatcherPair *pair, StxError *error)
{
  int width = self->views.width, height = self->views.height;
  const GstStxConfidenceMeta *meta = gst_buffer_get_stx_confidence_meta(out);
  StxFrame picture;
  void *data = NULL;

  if (!gst_stx_stage_picture(stage, GST_STX_MATCHER_DISPARITY, "output", out, &self->output, 1,
          GST_MAP_WRITE, &picture, error) ||
      (meta != NULL && !gst_stx_stage_write(stage, GST_STX_MATCHER_CONFIDENCE, meta->confidence,
                           (gsize)width * (gsize)height, &data, error)))
    return FALSE;
  pair->disparity =
      (StxImage16){(uint16_t *)(void *)picture.data[0], picture.stride[0], width, height};
  pair->confidence = (StxImage8){data, width, width, height};
  return TRUE;
}

/* The gray views are made for the element, or for what is looked at besides. */
static gboolean match(GstStxMatcher *self, GstStxStage *stage, GstStxPairingFrame *frame,
    const GstStxMatcherPair *pair, StxError *error)
{
  return CLASS(self)->match(self, stage, pair, error) && watch_pair(self, stage, pair, error) &&
         find_motion(self, stage, frame, pair, error);
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  GstStxMatcher *self = GST_STX_MATCHER(element);
  GstStxStage *stage = gst_stx_pairing_stage(GST_STX_PAIRING(self));
  GstStxPairingFrame *frame = data;
  GstFlowReturn flow = acquire(self, &frame->out, error);
  const StxMotion none = {.state = STX_MOTION_FIRST};
  GstStxMatcherPair pair;

  if (flow != GST_FLOW_OK)
    return flow;
  self->has_gray = FALSE;
  /* A motion that came with the left picture stays. Else a meta to be filled in: nothing can be
   * hung on a buffer while it is written. Downstream may ask for it at any time. */
  if (gst_buffer_get_stx_motion_meta(frame->set[self->views.lead]) == NULL &&
      (self->plan.motion == GST_STX_MOTION_TRUE ||
          (self->plan.motion == GST_STX_MOTION_AUTO &&
              gst_stx_motion_is_wanted(GST_AGGREGATOR_SRC_PAD(self)))))
    gst_buffer_add_stx_motion_meta(frame->out, &none, GST_CLOCK_TIME_NONE, NULL, 0, 0);
  else
    GST_STX_LOCKED(self, self->restart = TRUE);
  return find_pictures(self, stage, frame->set, &pair, error) &&
                 find_outputs(self, stage, frame->out, &pair, error) &&
                 match(self, stage, frame, &pair, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

/* ---- Virtual methods ----------------------------------------------------------------------- */

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps, StxError *error)
{
  GstStxMatcher *self = GST_STX_MATCHER(pairing);
  g_autoptr(GstCaps) possible = gst_pad_template_get_caps(
      gst_element_class_get_pad_template(GST_ELEMENT_GET_CLASS(self), gst_stereo_sgm_roles[role]));
  gboolean usable =
      gst_caps_is_subset(caps, possible) && gst_video_info_from_caps(&self->views.info[role], caps);
  g_autofree gchar *text = NULL;

  if (usable) {
    reset(pairing);
    set_changed(self, TRUE);
    return TRUE;
  }
  text = gst_caps_to_string(caps);
  GST_ELEMENT_ERROR(self, STREAM, FORMAT,
      ("Pad %s got %s; expected video/x-raw in one of %s: put videoconvert in front",
          gst_stereo_sgm_roles[role], text, CLASS(self)->formats),
      (NULL));
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
  return PARENT->create_new_pad(aggregator, templ, name, caps);
}

static void clear_confidence_pool(GstStxMatcher *self)
{
  if (self->confidence_pool != NULL)
    gst_buffer_pool_set_active(self->confidence_pool, FALSE);
  gst_clear_object(&self->confidence_pool);
}

/* The confidence goes where the disparity goes. */
static gboolean choose_pool(GstStxPairing *pairing, GstQuery *query)
{
  GstStxMatcher *self = GST_STX_MATCHER(pairing);
  GstStxStage *stage = gst_stx_pairing_stage(pairing);

  clear_confidence_pool(self);
  if (self->plan.confidence)
    self->confidence_pool =
        gst_stx_stage_bytes_pool(stage, NULL, (gsize)self->views.width * (gsize)self->views.height);
  return gst_stx_stage_take_video_pool(stage, query);
}

static gboolean begin(GstStxPairing *pairing, StxError *error)
{
  GstStxMatcher *self = GST_STX_MATCHER(pairing);

  set_changed(self, TRUE);
  gst_video_info_init(&self->output);
  self->differ = FALSE;
  GST_STX_LOCKED(self, self->warnings = 0);
  return TRUE;
}

static void clear(GstStxPairing *pairing)
{
  gst_stx_scratch_clear(&GST_STX_MATCHER(pairing)->pair_scratch);
  clear_confidence_pool(GST_STX_MATCHER(pairing));
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxFieldChoice motions[] = {
    {GST_STX_MOTION_FALSE, "false", "Never"},
    {GST_STX_MOTION_TRUE, "true", "Always; needs the camera"},
    {GST_STX_MOTION_AUTO, "auto",
        "If the camera is known and stixel-obstacles, occupancy-grid or road-hazards is behind"},
    {0},
};
static const StxField own_fields[] = {
    {"layout", "Layout", "Packing of the two views on pad sink",
        STX_FIELD(CHOICE, GstStxMatcherSettings, layout), .choices = gst_stereo_sgm_layouts},
    {"confidence", "Confidence", "Attach a confidence per pixel as GstStxConfidenceMeta",
        STX_FIELD(BOOL, GstStxMatcherSettings, confidence)},
    {"motion", "Motion", "Compute the camera's motion and attach it as GstStxMotionMeta",
        STX_FIELD(CHOICE, GstStxMatcherSettings, motion), .choices = motions},
};
static const GstStxMatcherSettings defaults = {.confidence = true, .motion = GST_STX_MOTION_AUTO};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    GST_STX_CAMERA_PROPERTIES(GstStxMatcher, camera),
    GST_STX_CAMERA_IMAGE_PROPERTIES(GstStxMatcher, camera),
    {&own_table, offsetof(GstStxMatcher, settings), GST_PARAM_MUTABLE_PLAYING, "GstStereoSgm"},
};

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  gst_stx_set_property(object, id, value, spec);
  set_changed(GST_STX_MATCHER(object), TRUE);
}

/* ---- Class --------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  stx_egomotion_free(GST_STX_MATCHER(object)->egomotion);
  G_OBJECT_CLASS(gst_stx_matcher_parent_class)->finalize(object);
}

static void gst_stx_matcher_init(GstStxMatcher *self)
{
  self->settings = defaults;
  self->changed = TRUE;
}

void gst_stx_matcher_class_install(
    GstStxMatcherClass *klass, const GstStxPropertyGroup *groups, guint count, const gchar *caps)
{
  GstElementClass *element = GST_ELEMENT_CLASS(klass);
  g_autoptr(GstCaps) taken = gst_caps_from_string(caps);

  gst_stx_properties_install(klass, groups, count);
  G_OBJECT_CLASS(klass)->set_property = set_property;
  for (guint role = 0; role < GST_STEREO_SGM_ROLES; role++)
    gst_element_class_add_pad_template(
        element, gst_pad_template_new_with_gtype(gst_stereo_sgm_roles[role], GST_PAD_SINK,
                     GST_PAD_REQUEST, taken, GST_TYPE_AGGREGATOR_PAD));
}

static void gst_stx_matcher_class_init(GstStxMatcherClass *klass)
{
  GstStxPairingClass *pairing_class = GST_STX_PAIRING_CLASS(klass);

  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  G_OBJECT_CLASS(klass)->set_property = set_property;
  G_OBJECT_CLASS(klass)->finalize = finalize;
  GST_AGGREGATOR_CLASS(klass)->create_new_pad = create_new_pad;
  for (guint role = 0; role < GST_STEREO_SGM_ROLES; role++)
    pairing_class->roles.names[role] = gst_stereo_sgm_roles[role];
  pairing_class->roles.sufficient[0] = 1u << GST_STEREO_SGM_BOTH;
  pairing_class->roles.sufficient[1] = 1u << GST_STEREO_SGM_LEFT | 1u << GST_STEREO_SGM_RIGHT;
  pairing_class->stage.work = work;
  pairing_class->drops_late = TRUE;
  pairing_class->makes_output = TRUE;
  pairing_class->camera = offsetof(GstStxMatcher, camera);
  pairing_class->begin = begin;
  pairing_class->clear = clear;
  pairing_class->set_role_caps = set_role_caps;
  pairing_class->announce = announce;
  pairing_class->tell = tell;
  pairing_class->reset = reset;
  pairing_class->end = end;
  pairing_class->choose_pool = choose_pool;
}
