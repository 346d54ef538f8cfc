/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-onnx-stereo
 *
 * Disparity of a rectified stereo pair by a network, a file of ONNX. Takes the views from two pads,
 * paired by their timestamps, or from one pad whose frames hold both; gives what stereo-sgm gives.
 * ONNX Runtime does the work, which is opened at run time.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 onnx-stereo name=net model=stereo.onnx ! fakesink \
 *     street-scene-src view=left num-buffers=20 ! net.sink_left \
 *     street-scene-src view=right num-buffers=20 ! net.sink_right
 * ]|
 */
#include "gst/core/elements.h"

#include "common/luma/luma.h"
#include "gst/core/element.h"
#include "gst/stereo/matcher.h"
#include "gst/stereo/network.h"

GST_DEBUG_CATEGORY_STATIC(onnx_stereo_debug);
#define GST_CAT_DEFAULT onnx_stereo_debug

#define FORMATS "{ RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR, GRAY8 }"
#define REACH 128 /* pixels of disparity within which the views are looked at */

G_DECLARE_FINAL_TYPE(GstOnnxStereo, gst_onnx_stereo, GST, ONNX_STEREO, GstStxMatcher)

struct _GstOnnxStereo {
  GstStxMatcher parent;

  GstStxNetworkSettings settings; /* properties, under the object lock; read at the start */
  GstStxNetwork *network;         /* from start to stop */
  guint64 unusable;               /* frames, under the object lock */
  gboolean told;                  /* … that the last one was */
};

/* Slots of the stage: the tensors. */
enum { TENSORS = GST_STX_MATCHER_SLOTS };
G_STATIC_ASSERT(TENSORS + GST_STX_NETWORK_INPUTS <= GST_STX_STAGE_SLOTS);

G_DEFINE_FINAL_TYPE(GstOnnxStereo, gst_onnx_stereo, GST_TYPE_STX_MATCHER)
GST_STX_ELEMENT(onnx_stereo, "onnx-stereo")

GST_STX_PAD(src, SRC, ALWAYS, "video/x-raw,format=GRAY16_LE");

/* ONNX Runtime does the work whichever backend is selected; it takes memory of the host. */
static const StxImplInfo impls[] = {{"onnx", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}};
static const StxImplTable impl_table = {impls, G_N_ELEMENTS(impls), sizeof impls[0]};

/* ---- Life ---------------------------------------------------------------------------------- */

static void describe(GstOnnxStereo *self)
{
  const GstStxOnnx *onnx = self->network->onnx;

  for (guint i = 0; i < self->network->inputs; i++) {
    const GstStxNetworkInput *input = &self->network->input[i];
    static const gchar *const views[] = {"", "left", "right", "left and right"};

    GST_INFO_OBJECT(self, "input %s: %s, %d channels, %s, %dx%d", onnx->input[input->port].name,
        views[input->views], input->channels, input->interleaved ? "nhwc" : "nchw", input->width,
        input->height);
  }
  GST_INFO_OBJECT(self, "output %s: disparity", onnx->output[self->network->disparity].name);
}

/* A file that is no network is told at once. Without any, caps and pads are still negotiated. */
static gboolean open_network(GstOnnxStereo *self, StxError *error)
{
  const GstStxRun *run = &gst_stx_pairing_stage(GST_STX_PAIRING(self))->properties;
  GstStxNetworkSettings settings; /* its texts stay the element's: they change in NULL and READY */

  GST_OBJECT_LOCK(self);
  settings = self->settings;
  settings.runtime.device = MAX(run->cuda_device_id, 0);
  settings.runtime.threads = stx_threads(run->threads);
  GST_OBJECT_UNLOCK(self);
  self->network = gst_stx_network_open(&settings, error);
  if (self->network != NULL)
    describe(self);
  return self->network != NULL;
}

static gboolean begin(GstStxPairing *pairing, StxError *error)
{
  GstOnnxStereo *self = GST_ONNX_STEREO(pairing);

  if (self->settings.runtime.model != NULL && !open_network(self, error))
    return FALSE;
  self->told = FALSE;
  GST_STX_LOCKED(self, self->unusable = 0);
  return GST_STX_PAIRING_CLASS(gst_onnx_stereo_parent_class)->begin(pairing, error);
}

static void clear(GstStxPairing *pairing)
{
  g_clear_pointer(&GST_ONNX_STEREO(pairing)->network, gst_stx_network_close);
  GST_STX_PAIRING_CLASS(gst_onnx_stereo_parent_class)->clear(pairing);
}

static gboolean make_plan(GstStxMatcher *matcher, const StxCamera *camera, StxError *error)
{
  GstOnnxStereo *self = GST_ONNX_STEREO(matcher);
  GstStxNetwork *network;

  if (self->network == NULL && !open_network(self, error))
    return FALSE;
  network = self->network;
  matcher->plan.reach = REACH;
  matcher->plan.confidence = matcher->plan.confidence && network->has_confidence;
  return gst_stx_network_plan(network, matcher->views.width, matcher->views.height, error);
}

/* ---- One pair ------------------------------------------------------------------------------ */

/* Both views, in gray where the network wants that, and where in a pixel the colours are. */
static gboolean find_views(GstOnnxStereo *self, GstStxStage *stage, const GstStxMatcherPair *pair,
    StxImage8 view[2], StxTensorPixel *pixel, StxError *error)
{
  GstStxMatcher *matcher = GST_STX_MATCHER(self);
  const GstVideoInfo *info = &matcher->views.info[matcher->views.lead];
  const StxLumaFormat *format = stx_luma_format(GST_VIDEO_INFO_NAME(info));

  *pixel = (StxTensorPixel){.bytes = 1};
  if (self->network->gray || format == NULL)
    return gst_stx_matcher_find_gray(matcher, stage, pair, &view[0], &view[1], error);
  *pixel = (StxTensorPixel){format->pixel, {format->at[0], format->at[1], format->at[2]}};
  view[0] = pair->picture[0];
  view[1] = pair->picture[1];
  gst_stereo_sgm_views_cut(&matcher->views, pixel->bytes, &view[0], &view[1]);
  return TRUE;
}

/* Most of a frame is nonsense, or none of it is known: the user has to know, once. */
static void judge(GstOnnxStereo *self, const StxTensorCounts *counts)
{
  const GstStxMatcher *matcher = &self->parent;
  guint64 pixels = (guint64)matcher->views.width * (guint64)matcher->views.height;
  gboolean nonsense = 2 * (counts->negative + counts->not_finite) > pixels || counts->known == 0;
  const gchar *name = self->network->onnx->output[self->network->disparity].name;

  GST_STX_LOCKED(self, self->unusable += nonsense);
  if (nonsense && !self->told)
    GST_ELEMENT_WARNING(self, STREAM, DECODE,
        ("Of the network's output %s %.0f %% are not finite and %.0f %% negative, %.0f %% are "
         "disparities: %s",
            name, 100. * (gdouble)counts->not_finite / (gdouble)pixels,
            100. * (gdouble)counts->negative / (gdouble)pixels,
            100. * (gdouble)counts->known / (gdouble)pixels,
            counts->not_finite >= counts->negative
                ? "are white, mean and std those that it was trained with?"
                : "set output-scale=-1 if it gives flow to the left, or exchange left-input and "
                  "right-input"),
        ("told once, until a frame is better"));
  else if (!nonsense && self->told)
    GST_STX_ELEMENT_INFO(self, STREAM, DECODE, ("The network's output is usable again"));
  self->told = nonsense;
}

static gboolean match(
    GstStxMatcher *matcher, GstStxStage *stage, const GstStxMatcherPair *pair, StxError *error)
{
  GstOnnxStereo *self = GST_ONNX_STEREO(matcher);
  GstStxNetwork *network = self->network;
  gint threads = stage->place.threads;
  void *tensor[GST_STX_NETWORK_INPUTS];
  StxTensorCounts counts;
  StxTensorPixel pixel;
  StxImage8 view[2];

  if (!find_views(self, stage, pair, view, &pixel, error))
    return FALSE;
  for (guint i = 0; i < network->inputs; i++) {
    tensor[i] = gst_stx_stage_block(stage, TENSORS + i, gst_stx_network_bytes(network, i), error);
    if (tensor[i] == NULL)
      return FALSE;
    gst_stx_network_fill(network, i, view, &pixel, tensor[i], threads);
  }
  if (!gst_stx_network_run(
          network, tensor, &pair->disparity, &pair->confidence, &counts, threads, error))
    return FALSE;
  judge(self, &counts);
  return TRUE;
}

static void tell(GstStxMatcher *matcher, GstStructure *stats)
{
  gst_structure_set(stats, "unusable", G_TYPE_UINT64, GST_ONNX_STEREO(matcher)->unusable, NULL);
}

/* ---- Class --------------------------------------------------------------------------------- */

static const GstStxPropertyGroup properties[] = {
    {&gst_stx_network_fields, offsetof(GstOnnxStereo, settings), GST_PARAM_MUTABLE_READY,
        "GstOnnxStereo"},
};

static void finalize(GObject *object)
{
  gst_stx_network_settings_clear(&GST_ONNX_STEREO(object)->settings);
  G_OBJECT_CLASS(gst_onnx_stereo_parent_class)->finalize(object);
}

static void gst_onnx_stereo_init(GstOnnxStereo *self)
{
  self->settings = *(const GstStxNetworkSettings *)gst_stx_network_fields.defaults;
}

static void gst_onnx_stereo_class_init(GstOnnxStereoClass *klass)
{
  GstStxPairingClass *pairing_class = GST_STX_PAIRING_CLASS(klass);
  GstStxMatcherClass *matcher_class = GST_STX_MATCHER_CLASS(klass);

  GST_DEBUG_CATEGORY_INIT(onnx_stereo_debug, "onnx-stereo", 0, "stereo networks");
  G_OBJECT_CLASS(klass)->finalize = finalize;
  gst_stx_element_describe(klass, "onnx-stereo", "Stereo network", "Filter/Analyzer/Video",
      "Finds the disparity of a rectified stereo pair by an ONNX network");
  gst_stx_element_add_templates(klass, &src_template, NULL);
  gst_stx_matcher_class_install(
      matcher_class, properties, G_N_ELEMENTS(properties), "video/x-raw,format=" FORMATS);
  pairing_class->begin = begin;
  pairing_class->clear = clear;
  matcher_class->formats = FORMATS;
  matcher_class->make_plan = make_plan;
  matcher_class->match = match;
  matcher_class->tell = tell;
  pairing_class->stage.host = &impl_table;
}
