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
#include "common/sgm/sgm.h"
#include "common/sgm/sgm_depth.h"
#include "common/sgm/sgm_range.h"
#include "cuda/stxcuda.h"
#include "gst/core/element.h"
#include "gst/stereo/matcher.h"

/* First those whose first plane is 8-bit luma, in rows. */
#define LUMA_FORMATS                                                                               \
  "{ GRAY8, I420, YV12, NV12, NV21, NV16, NV61, NV24, Y41B, Y42B, Y444, YUV9, YVU9, "              \
  "A420, " STX_LUMA_FORMATS " }"

#define LUMA_CAPS GST_STX_CUDA_CAPS("video/x-raw", ",format=" LUMA_FORMATS)

G_DECLARE_FINAL_TYPE(GstStereoSgm, gst_stereo_sgm, GST, STEREO_SGM, GstStxMatcher)

typedef enum { GST_STEREO_SGM_DISPARITY, GST_STEREO_SGM_DEPTH_MM } GstStereoSgmOutput;

typedef struct {
  StxSgmParams params; /* sizes and depth are not set here */
  GstStereoSgmOutput output;
  int gray_bits; /* of 16-bit gray pictures; 0: as many as their largest value needs */
} GstStereoSgmSettings;

struct _GstStereoSgm {
  GstStxMatcher parent;

  GstStereoSgmSettings settings; /* properties, under the object lock */
  StxSgmParams active;           /* of the streaming thread: what they led to */

  StxSgmRange range;         /* from the pictures; written under the object lock */
  gboolean begins;           /* a stream does, under the object lock */
  gboolean warned;           /* of its range */
  GstStxScratch look_memory; /* on the host, wherever the element matches */
};

/* Slot of the stage. */
enum { SCRATCH = GST_STX_MATCHER_SLOTS };

G_DEFINE_FINAL_TYPE(GstStereoSgm, gst_stereo_sgm, GST_TYPE_STX_MATCHER)
GST_STX_ELEMENT(stereo_sgm, "stereo-sgm")

GST_STX_PAD(src, SRC, ALWAYS, GST_STX_CUDA_CAPS("video/x-raw", ",format=GRAY16_LE"));

/* ---- From caps and properties to a plan ---------------------------------------------------- */

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

static gboolean make_plan(GstStxMatcher *matcher, const StxCamera *camera, StxError *error)
{
  GstStereoSgm *self = GST_STEREO_SGM(matcher);
  GstStxMatcherPlan *plan = &matcher->plan;
  GstStereoSgmSettings settings;

  GST_STX_LOCKED(self, settings = self->settings);
  self->active = settings.params;
  self->active.width = matcher->views.width;
  self->active.height = matcher->views.height;
  if (!stx_sgm_check(&self->active, error) || (settings.output == GST_STEREO_SGM_DEPTH_MM &&
                                                  !plan_depth(camera, &self->active.depth, error)))
    return stx_fail_as(error, STX_ERROR_SETTINGS);
  plan->reach = self->active.max_disparity; /* if auto: of every pair, below */
  plan->depth = self->active.depth;
  plan->gray_bits = settings.gray_bits;
  plan->sky = self->active.sky;
  return TRUE;
}

/* ---- One pair ------------------------------------------------------------------------------ */

/* Memory of a look, on the host: with the stage there the match's, which comes later. */
static void *look_memory(GstStereoSgm *self, GstStxStage *stage, gsize size, StxError *error)
{
  if (!stage->on_device)
    return gst_stx_stage_block(stage, SCRATCH, size, error);
  return gst_stx_scratch_reserve(&self->look_memory, size, error) ? self->look_memory.data : NULL;
}

/* Looks at this pair, on the CPU. */
static gboolean look(GstStereoSgm *self, GstStxStage *stage, const GstStxMatcherPair *pair,
    StxSgmRange *range, StxError *error)
{
  StxPlace place = {.threads = stage->place.threads};
  gsize size = stx_sgm_range_scratch(&self->active, range, place.threads);
  void *memory = look_memory(self, stage, size, error);
  StxImage8 left, right;

  return memory != NULL &&
         gst_stx_matcher_bring_gray(GST_STX_MATCHER(self), stage, pair, &left, &right, error) &&
         stx_sgm_range_look(&self->active, &left, &right, memory, &place, range, error);
}

#define WARN_FROM 20 /* thousandths of the picture beyond the range */

/* Tells, once for each stream, that a given range is too small. */
static void warn_of_range(GstStereoSgm *self, const StxSgmRange *range)
{
  const StxCamera *camera = &GST_STX_MATCHER(self)->view_camera;
  gint given = self->active.max_disparity;
  gchar metres[32] = "";

  if (self->warned || range->nearer < WARN_FROM)
    return;
  self->warned = TRUE;
  if (stx_camera_is_metric(camera))
    g_snprintf(metres, sizeof metres, " (%.2g m)", camera->focal * camera->baseline / given);
  GST_ELEMENT_WARNING(self, STREAM, FORMAT,
      ("%d %% of the picture is nearer than max-disparity=%d%s: its disparities are wrong and "
       "there may be no ground; %s",
          range->nearer / 10, given, metres,
          given < STX_SGM_LARGEST_RANGE ? "set max-disparity=auto" : "scale the pictures down"),
      (NULL));
}

static void tell_infinity(GstStereoSgm *self, gint infinity, gboolean by_motion)
{
  GST_STX_ELEMENT_INFO(self, STREAM, FORMAT,
      ("Infinitely far things have a disparity of %d px, by %s: the cameras look apart, or their "
       "principal points differ. Disparities count from there; set disparity-at-infinity=%d to be "
       "sure of it, or 0 if it is wrong",
          infinity,
          by_motion      ? "the camera's motion"
          : infinity < 0 ? "what lies behind 0"
                         : "markings or kerbs, or by uprights or too steep a ground below a sky",
          infinity));
}

/* Follows the disparity at infinity by the motion of the pair before: the pictures of a rig whose
 * cameras were turned against each other say nothing of it. */
static gboolean correct(GstStereoSgm *self, StxSgmRange *range)
{
  GstStxMatcher *matcher = GST_STX_MATCHER(self);
  gboolean moved;

  if (self->active.infinity != STX_SGM_INFINITY_AUTO || matcher->offset[1] <= 0)
    return FALSE;
  GST_LOG_OBJECT(self, "disparities are off by %.2f px, deviation %.2f, by the camera's motion",
      matcher->offset[0], matcher->offset[1]);
  moved = stx_sgm_range_correct(range, matcher->offset[0], matcher->offset[1]);
  matcher->offset[1] = 0;
  return moved;
}

/* The parameters of this pair: those of the plan, and what the pictures say. */
static gboolean choose(GstStereoSgm *self, GstStxStage *stage, const GstStxMatcherPair *pair,
    StxSgmParams *params, StxError *error)
{
  gboolean open =
      self->active.max_disparity == STX_SGM_AUTO || self->active.infinity == STX_SGM_INFINITY_AUTO;
  GstStxMatcher *matcher = GST_STX_MATCHER(self);
  gboolean by_motion;
  StxSgmRange range, before;

  GST_OBJECT_LOCK(self);
  range = before = self->begins ? (StxSgmRange){0} : self->range;
  self->warned &= !self->begins;
  GST_OBJECT_UNLOCK(self);
  if (stx_sgm_range_is_due(&range) && (open || range.tries < STX_SGM_RANGE_TRIES)) {
    if (!look(self, stage, pair, &range, error))
      return FALSE;
    warn_of_range(self, &range);
  }
  /* Else the pair before was matched with another one. */
  by_motion = range.infinity == before.infinity && correct(self, &range);
  if (range.infinity != before.infinity) { /* what motion knows of disparities is of another one */
    matcher->offset[1] = 0;
    if (matcher->egomotion != NULL)
      stx_egomotion_reset(matcher->egomotion);
  }
  *params = self->active;
  stx_sgm_range_apply(&range, params);
  matcher->plan.reach =
      MIN(params->max_disparity + MAX(params->infinity, 0), STX_SGM_LARGEST_RANGE);
  if (params->max_disparity != self->range.max_disparity)
    GST_INFO_OBJECT(self, "max-disparity: %d", params->max_disparity);
  if (range.infinity != before.infinity && self->active.infinity == STX_SGM_INFINITY_AUTO)
    tell_infinity(self, range.infinity, by_motion);
  GST_OBJECT_LOCK(self);
  self->range = range;
  self->begins = FALSE;
  GST_OBJECT_UNLOCK(self);
  return TRUE;
}

static gboolean match(
    GstStxMatcher *matcher, GstStxStage *stage, const GstStxMatcherPair *pair, StxError *error)
{
  GstStereoSgm *self = GST_STEREO_SGM(matcher);
  const StxSgmImpl *impl = gst_stx_stage_impl(stage);
  StxSgmParams params;
  StxImage8 left, right;
  void *scratch;

  if (!choose(self, stage, pair, &params, error))
    return FALSE;
  scratch =
      gst_stx_stage_block(stage, SCRATCH, impl->scratch_size(&params, stage->place.threads), error);
  return scratch != NULL && gst_stx_matcher_find_gray(matcher, stage, pair, &left, &right, error) &&
         impl->run(&params, &left, &right, &pair->disparity, &pair->confidence, scratch,
             &stage->place, error);
}

static void tell(GstStxMatcher *matcher, GstStructure *stats)
{
  GstStereoSgm *self = GST_STEREO_SGM(matcher);
  StxSgmParams params = self->settings.params;

  stx_sgm_range_apply(&self->range, &params);
  gst_structure_set(stats, "max-disparity", G_TYPE_INT, params.max_disparity,
      "disparity-at-infinity", G_TYPE_INT, params.infinity, NULL);
}

static void reset(GstStxPairing *pairing)
{
  GST_STX_PAIRING_CLASS(gst_stereo_sgm_parent_class)->reset(pairing);
  GST_STX_LOCKED(pairing, GST_STEREO_SGM(pairing)->begins = TRUE);
}

static void clear(GstStxPairing *pairing)
{
  gst_stx_scratch_clear(&GST_STEREO_SGM(pairing)->look_memory);
  GST_STX_PAIRING_CLASS(gst_stereo_sgm_parent_class)->clear(pairing);
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxFieldChoice gray_bits[] = {
    {0, "auto", "As the largest value needs"},
    {8, "8", "8"},
    {10, "10", "10"},
    {12, "12", "12"},
    {14, "14", "14"},
    {16, "16", "16"},
    {0},
};

static const StxFieldChoice outputs[] = {
    {GST_STEREO_SGM_DISPARITY, "disparity", "1/256 pixel"},
    {GST_STEREO_SGM_DEPTH_MM, "depth-mm", "Millimetres"},
    {0},
};

static const StxField own_fields[] = {
    {"output", "Output", "Output; depth needs the camera",
        STX_FIELD(CHOICE, GstStereoSgmSettings, output), .choices = outputs},
    {"gray-bits", "Bits of gray", "Bits of a GRAY16 value, of which the upper 8 are matched",
        STX_FIELD(CHOICE, GstStereoSgmSettings, gray_bits), .choices = gray_bits},
};
static const GstStereoSgmSettings defaults = {.params = STX_SGM_DEFAULTS};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&stx_sgm_fields, offsetof(GstStereoSgm, settings.params), GST_PARAM_MUTABLE_PLAYING,
        "GstStereoSgm"},
    {&own_table, offsetof(GstStereoSgm, settings), GST_PARAM_MUTABLE_PLAYING, "GstStereoSgm"},
};

/* ---- Class --------------------------------------------------------------------------------- */

static void gst_stereo_sgm_init(GstStereoSgm *self)
{
  self->settings = defaults;
  self->begins = TRUE;
}

static void gst_stereo_sgm_class_init(GstStereoSgmClass *klass)
{
  GstStxPairingClass *pairing_class = GST_STX_PAIRING_CLASS(klass);
  GstStxMatcherClass *matcher_class = GST_STX_MATCHER_CLASS(klass);

  gst_stx_element_describe(klass, "stereo-sgm", "Semi-global matching", "Filter/Analyzer/Video",
      "Finds the disparity of a rectified stereo pair");
  gst_stx_element_add_templates(klass, &src_template, NULL);
  gst_stx_matcher_class_install(matcher_class, properties, G_N_ELEMENTS(properties), LUMA_CAPS);
  matcher_class->formats = LUMA_FORMATS;
  matcher_class->make_plan = make_plan;
  matcher_class->match = match;
  matcher_class->tell = tell;
  pairing_class->reset = reset;
  pairing_class->clear = clear;
  pairing_class->stage.host = &stx_sgm_impls;
  pairing_class->stage.device = &stx_sgm_cuda_impls;
}
