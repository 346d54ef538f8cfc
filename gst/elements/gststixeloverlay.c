/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-stixel-overlay
 * @title: stixel-overlay
 *
 * Draws stixels on the video frame of the same moment, by distance, kind or class, and attaches
 * them to it as #GstStxStixelMeta. Without a pad `stixels` it draws those that are attached
 * already.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 stixel-overlay name=overlay ! videoconvert ! pngenc snapshot=true !
 *     filesink location=stixels.png
 *     street-scene-src view=left num-buffers=1 ! overlay.sink
 *     street-scene-src view=disparity num-buffers=1 ! downsample-transpose ! sat-dp-stixels !
 *     overlay.stixels
 * ]|
 */
#include "gst/elements/elements.h"

#include "gst/shared/element.h"
#include "gst/base/inputs.h"
#include "gst/formats/camera.h"
#include "gst/formats/columns.h"
#include "gst/live/frametime.h"
#include "gst/live/hold.h"
#include "gst/views/onvideo.h"
#include "gst/views/overlayinput.h"
#include "gst/views/overlaystage.h"
#include "gst/stixels/stixels.h"

GST_DEBUG_CATEGORY_STATIC(stixel_overlay_debug);
#define GST_CAT_DEFAULT stixel_overlay_debug

enum { ROLE_VIDEO, ROLE_STIXELS, ROLE_TRUTH, ROLES };

#define GST_TYPE_STIXEL_OVERLAY (gst_stixel_overlay_get_type())
G_DECLARE_FINAL_TYPE(GstStixelOverlay, gst_stixel_overlay, GST, STIXEL_OVERLAY, GstStxPairing)

struct _GstStixelOverlay {
  GstStxPairing parent;

  /* Guarded by the object lock. */
  StxOverlayParams settings; /* without sizes, format and camera */
  guint hold;                /* milliseconds */
  gboolean changed;          /* settings or caps, since `drawing` was prepared */
  guint64 frames_without, skipped;

  /* Of the streaming thread. */
  GstVideoInfo video;          /* caps of the pad `sink` */
  StxCamera video_camera;      /* likewise, of whatever size */
  GstStxStixelInfo pad_info;   /* caps of the pad `stixels` */
  GstStxStixelInfo truth_info; /* … and of `truth` */
  GstOverlayStage drawing;
  GstStxFrameTime times;
  GstStxHold last;  /* drawn, or come too late to be */
  GstClockTime gap; /* the last one of pad `stixels` */
  /* Of a frame without stixels, without true ones, of labels without obstacles. */
  gboolean warned, truth_warned, labels_warned;
};

/* What the stage works on. */
typedef struct {
  GstBuffer *picture;
  GstOverlayDrawing drawing;
  const GstStxImage *image; /* of the stixels */
  const StxOverlayResult *result;
} Frame;

G_DEFINE_FINAL_TYPE(GstStixelOverlay, gst_stixel_overlay, GST_TYPE_STX_PAIRING)
GST_ELEMENT_REGISTER_DEFINE(
    stixel_overlay, "stixel-overlay", GST_RANK_NONE, GST_TYPE_STIXEL_OVERLAY)

static GstStaticPadTemplate video_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_ONVIDEO_CAPS));
static GstStaticPadTemplate stixels_template = GST_STATIC_PAD_TEMPLATE("stixels", GST_PAD_SINK,
    GST_PAD_REQUEST, GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_STIXELS_MEDIA_TYPE, "")));
static GstStaticPadTemplate truth_template = GST_STATIC_PAD_TEMPLATE("truth", GST_PAD_SINK,
    GST_PAD_REQUEST, GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_STIXELS_MEDIA_TYPE, "")));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_ONVIDEO_CAPS));

/* ---- From caps and properties to a plan ---------------------------------------------------- */

/* Makes the drawing ready for stixels of `image`. */
static gboolean plan(GstStixelOverlay *self, const GstStxImage *image, StxError *error)
{
  StxOverlayParams settings;
  gboolean changed;

  GST_OBJECT_LOCK(self);
  settings = self->settings;
  changed = self->changed;
  self->changed = FALSE;
  GST_OBJECT_UNLOCK(self);
  if (!changed && gst_overlay_stage_is_ready(&self->drawing, image))
    return TRUE;
  return gst_overlay_stage_prepare(&self->drawing, &settings, &self->video, image, error);
}

static GstFlowReturn announce(GstStxPairing *pairing, guint roles, StxError *error)
{
  return gst_stx_onvideo_announce(pairing, ROLE_VIDEO);
}

/* ---- One frame ----------------------------------------------------------------------------- */

/* Counts a frame for which there are no stixels, and warns of the first: not of one whose stixels a
 * GAP event has called off, since the element that lost them has said so. */
static void miss_stixels(GstStixelOverlay *self, GstBuffer *frame)
{
  GstAggregatorPad *pad = gst_stx_pairing_get_pad(GST_STX_PAIRING(self), ROLE_STIXELS);
  gboolean linked = pad != NULL;

  gst_clear_object(&pad);
  GST_OBJECT_LOCK(self);
  self->frames_without++;
  GST_OBJECT_UNLOCK(self);
  GST_DEBUG_OBJECT(self, "no stixels for %" GST_PTR_FORMAT, frame);
  if (GST_BUFFER_PTS_IS_VALID(frame) && GST_BUFFER_PTS(frame) == self->gap)
    return;
  if (!self->warned)
    gst_overlay_warn_of_none(GST_ELEMENT(self), frame, linked);
  self->warned = TRUE;
}

/* Warns of the first frame whose obstacles should be named and were not looked for. */
static void miss_obstacles(GstStixelOverlay *self)
{
  guint labels;

  GST_OBJECT_LOCK(self);
  labels = self->settings.labels;
  GST_OBJECT_UNLOCK(self);
  if (self->labels_warned || !(labels & (STX_OVERLAY_LABEL_ID | STX_OVERLAY_LABEL_CLASS)))
    return;
  self->labels_warned = TRUE;
  gst_overlay_warn_of_no_obstacles(GST_ELEMENT(self));
}

static void count_skipped(GstStixelOverlay *self, const StxOverlayResult *result)
{
  gboolean first;

  if (result->skipped == 0)
    return;
  GST_OBJECT_LOCK(self);
  first = self->skipped == 0;
  self->skipped += result->skipped;
  GST_OBJECT_UNLOCK(self);
  if (first)
    gst_overlay_warn_of_skipped(GST_ELEMENT(self), result->skipped, result->drawn);
}

static GstFlowReturn prepare(GstElement *element, gpointer data, StxError *error)
{
  const Frame *frame = data;

  return plan(GST_STIXEL_OVERLAY(element), frame->image, error) &&
                 gst_stx_check_input(frame->drawing.stixels, 0, sizeof(StxStixel), error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

/* To the GPU and back costs more than to draw: only what lies there is drawn there, unless the
 * user insists. */
static gboolean wants_device(GstElement *element, gpointer data)
{
  const GstStxStage *stage = gst_stx_pairing_stage(GST_STX_PAIRING(element));
  const Frame *frame = data;

  return stage->run.backend == STX_BACKEND_CUDA || gst_stx_stage_owns(stage, frame->picture);
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  Frame *frame = data;

  return gst_overlay_stage_draw(&GST_STIXEL_OVERLAY(element)->drawing,
             gst_stx_pairing_stage(GST_STX_PAIRING(element)), frame->picture, &frame->drawing,
             &frame->result, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

static GstFlowReturn draw(GstStixelOverlay *self, GstBuffer *picture,
    const GstOverlayDrawing *drawing, const GstStxImage *image)
{
  Frame frame = {picture, *drawing, image, NULL};
  GstFlowReturn flow = gst_stx_stage_run(gst_stx_pairing_stage(GST_STX_PAIRING(self)), &frame);

  if (flow == GST_FLOW_OK && drawing->strength == 1)
    count_skipped(self, frame.result);
  return flow;
}

static StxOverlayMode mode_of(GstStixelOverlay *self)
{
  StxOverlayMode mode;

  GST_OBJECT_LOCK(self);
  mode = self->settings.mode;
  GST_OBJECT_UNLOCK(self);
  return mode;
}

/* Whether stixels of `image` can be compared with what pad truth brought. FALSE after an element
 * error. */
static gboolean check_truth(GstStixelOverlay *self, GstBuffer *truth, const GstStxImage *image)
{
  GstAggregatorPad *pad = gst_stx_pairing_get_pad(GST_STX_PAIRING(self), ROLE_TRUTH);
  GstStxStixelInfo *info = pad != NULL ? &self->truth_info : NULL;
  StxError error;

  gst_clear_object(&pad);
  if (!gst_overlay_check_truth(&image->info, info, truth, &error)) {
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
    return FALSE;
  }
  if (truth == NULL && !self->truth_warned)
    gst_overlay_warn_of_no_truth(GST_ELEMENT(self));
  self->truth_warned |= truth == NULL;
  return TRUE;
}

/* A frame without stixels shows the last ones, which are not attached to it: they are not its. Nor
 * are they compared with its truth. */
static GstFlowReturn draw_last(GstStixelOverlay *self, GstBuffer **frame)
{
  GstOverlayDrawing drawing = {NULL};
  guint hold;

  miss_stixels(self, *frame);
  GST_OBJECT_LOCK(self);
  hold = self->hold;
  GST_OBJECT_UNLOCK(self);
  drawing.stixels = self->last.stixels;
  drawing.strength = gst_stx_hold_strength(
      &self->last, gst_stx_pairing_time(GST_STX_PAIRING(self)), hold * GST_MSECOND);
  if (drawing.strength <= 0 || mode_of(self) == STX_OVERLAY_TRUTH)
    return GST_FLOW_OK;
  *frame = gst_buffer_make_writable(*frame);
  return draw(self, *frame, &drawing, &self->last.image);
}

/* The stixels of a set, a new reference: of the pad, or attached to the frame. NULL in *stixels:
 * there are none. FALSE after an element error. */
static gboolean find_stixels(
    GstStixelOverlay *self, GstBuffer **set, GstBuffer **stixels, GstStxImage *image)
{
  GstBuffer *frame = set[ROLE_VIDEO];
  gboolean found = TRUE;
  StxError error;

  *stixels = NULL;
  *image = (GstStxImage){.info = self->pad_info};
  if (set[ROLE_STIXELS] != NULL) {
    *stixels = gst_buffer_ref(set[ROLE_STIXELS]);
  } else if (gst_buffer_get_stx_stixel_meta(frame) != NULL) {
    GstCaps *caps = gst_stx_pairing_get_caps(GST_STX_PAIRING(self), ROLE_VIDEO);

    *stixels = gst_overlay_attached(frame, caps, image, &error);
    found = *stixels != NULL;
    gst_caps_unref(caps);
  }
  if (!found)
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
  gst_overlay_complete_camera(&image->info, &self->video_camera);
  return found;
}

/* What came on pad `stixels` goes on with the frame. */
static void attach(GstStixelOverlay *self, GstBuffer *frame, const GstOverlayDrawing *drawing,
    const GstStxStixelInfo *info)
{
  GstCaps *caps = gst_stx_pairing_get_caps(GST_STX_PAIRING(self), ROLE_VIDEO);
  GstStxRegionsFrame regions = {.buffer = frame,
      .width = GST_VIDEO_INFO_WIDTH(&self->video),
      .height = GST_VIDEO_INFO_HEIGHT(&self->video),
      .time = gst_stx_pairing_time(GST_STX_PAIRING(self)),
      .duration = gst_stx_frame_time_duration(&self->times, frame)};

  gst_overlay_attach(frame, drawing->stixels, info, &self->video);
  gst_overlay_attach_obstacles(&regions, caps, drawing);
  gst_caps_unref(caps);
}

static GstFlowReturn process(GstStxPairing *pairing, GstBuffer **set, GstBuffer **out)
{
  GstStixelOverlay *self = GST_STIXEL_OVERLAY(pairing);
  GstOverlayDrawing drawing = {.truth = set[ROLE_TRUTH], .strength = 1};
  GstStxImage image;
  GstFlowReturn flow = gst_stx_onvideo_announce(pairing, ROLE_VIDEO);

  if (flow != GST_FLOW_OK)
    return flow;
  if (!find_stixels(self, set, &drawing.stixels, &image))
    return GST_FLOW_ERROR;
  *out = g_steal_pointer(&set[ROLE_VIDEO]);
  if (drawing.stixels == NULL || gst_buffer_get_size(drawing.stixels) == 0) {
    gst_clear_buffer(&drawing.stixels);
    return draw_last(self, out);
  }
  *out = gst_buffer_make_writable(*out);
  gst_overlay_find_obstacles(*out, &image.info, &drawing);
  if (drawing.obstacles == NULL)
    miss_obstacles(self);
  if (mode_of(self) == STX_OVERLAY_TRUTH && !check_truth(self, drawing.truth, &image))
    flow = GST_FLOW_ERROR;
  else
    flow = draw(self, *out, &drawing, &image);
  if (flow == GST_FLOW_OK && set[ROLE_STIXELS] != NULL)
    attach(self, *out, &drawing, &image.info);
  if (flow == GST_FLOW_OK)
    gst_stx_hold_keep(&self->last, drawing.stixels, &image, gst_stx_pairing_time(pairing));
  gst_buffer_unref(drawing.stixels);
  return flow;
}

/* ---- Virtual methods ----------------------------------------------------------------------- */

/* Stixels of a slow machine are shown late rather than never. */
static void too_late(GstStxPairing *pairing, guint role, GstBuffer *stixels, GstClockTime time)
{
  GstStixelOverlay *self = GST_STIXEL_OVERLAY(pairing);
  GstStxImage image = {.info = self->pad_info};
  StxError error;

  gst_overlay_complete_camera(&image.info, &self->video_camera);
  if (role == ROLE_STIXELS && gst_stx_check_input(stixels, 0, sizeof(StxStixel), &error))
    gst_stx_hold_keep(&self->last, stixels, &image, time);
}

static void reset(GstStxPairing *pairing)
{
  gst_stx_hold_forget(&GST_STIXEL_OVERLAY(pairing)->last);
  GST_STIXEL_OVERLAY(pairing)->gap = GST_CLOCK_TIME_NONE;
}

static void set_changed(GstStixelOverlay *self)
{
  GST_OBJECT_LOCK(self);
  self->changed = TRUE;
  GST_OBJECT_UNLOCK(self);
}

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps)
{
  GstStixelOverlay *self = GST_STIXEL_OVERLAY(pairing);
  StxError error;

  if (role != ROLE_VIDEO && !gst_stx_stixels_caps_parse(caps,
                                role == ROLE_TRUTH ? &self->truth_info : &self->pad_info, &error)) {
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
    return FALSE;
  }
  if (role == ROLE_VIDEO && !gst_stx_onvideo_parse(pairing, caps, &self->video))
    return FALSE;
  if (role == ROLE_VIDEO) {
    gst_stx_camera_from_caps(caps, &self->video_camera);
    gst_stx_frame_time_set_caps(&self->times, caps);
  }
  gst_stx_hold_forget(&self->last);
  set_changed(self);
  return TRUE;
}

/* Just before the aggregator takes its head. */
static gboolean sink_event(GstAggregator *aggregator, GstAggregatorPad *pad, GstEvent *event)
{
  GstStixelOverlay *self = GST_STIXEL_OVERLAY(aggregator);

  if (GST_EVENT_TYPE(event) == GST_EVENT_GAP && g_str_equal(GST_PAD_NAME(pad), "stixels"))
    gst_event_parse_gap(event, &self->gap, NULL);
  return GST_AGGREGATOR_CLASS(gst_stixel_overlay_parent_class)->sink_event(aggregator, pad, event);
}

static gboolean sink_query(GstAggregator *aggregator, GstAggregatorPad *pad, GstQuery *query)
{
  return gst_stx_onvideo_query(GST_STX_PAIRING(aggregator), ROLE_VIDEO, GST_PAD(pad), query) ||
         GST_AGGREGATOR_CLASS(gst_stixel_overlay_parent_class)->sink_query(aggregator, pad, query);
}

static gboolean src_query(GstAggregator *aggregator, GstQuery *query)
{
  return gst_stx_onvideo_query(
             GST_STX_PAIRING(aggregator), ROLE_VIDEO, GST_AGGREGATOR_SRC_PAD(aggregator), query) ||
         GST_AGGREGATOR_CLASS(gst_stixel_overlay_parent_class)->src_query(aggregator, query);
}

static gboolean start(GstAggregator *aggregator)
{
  GstStixelOverlay *self = GST_STIXEL_OVERLAY(aggregator);

  GST_OBJECT_LOCK(self);
  self->changed = TRUE;
  self->frames_without = self->skipped = 0;
  GST_OBJECT_UNLOCK(self);
  self->warned = self->truth_warned = self->labels_warned = FALSE;
  return GST_AGGREGATOR_CLASS(gst_stixel_overlay_parent_class)->start(aggregator);
}

static gboolean stop(GstAggregator *aggregator)
{
  gst_overlay_stage_clear(&GST_STIXEL_OVERLAY(aggregator)->drawing);
  gst_stx_hold_forget(&GST_STIXEL_OVERLAY(aggregator)->last);
  return GST_AGGREGATOR_CLASS(gst_stixel_overlay_parent_class)->stop(aggregator);
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxField own_fields[] = {
    {"hold", "Hold",
        "Milliseconds that the last stixels are drawn, fainter and fainter, on frames that have "
        "none; they are not attached to these; 0: not at all",
        STX_FIELD(UINT, GstStixelOverlay, hold), .high = 60000, .unit = "ms"},
    {"frames-without-stixels", "Frames without stixels",
        "Number of frames since the start for which no stixels came",
        STX_FIELD(COUNT, GstStixelOverlay, frames_without)},
    {"skipped-stixels", "Skipped stixels",
        "Number of stixels since the start that were not valid and not drawn",
        STX_FIELD(COUNT, GstStixelOverlay, skipped)},
};
static const GstStixelOverlay defaults = {.hold = 300};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&stx_overlay_fields, offsetof(GstStixelOverlay, settings), GST_PARAM_MUTABLE_PLAYING,
        "GstStixelOverlay"},
    {&own_table, 0, GST_PARAM_MUTABLE_PLAYING},
};

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  GstStixelOverlay *self = GST_STIXEL_OVERLAY(object);

  gst_stx_set_property(object, id, value, spec);
  GST_OBJECT_LOCK(self);
  self->changed = TRUE;
  GST_OBJECT_UNLOCK(self);
}

/* ---- Class --------------------------------------------------------------------------------- */

static void gst_stixel_overlay_init(GstStixelOverlay *self)
{
  self->settings = (StxOverlayParams)STX_OVERLAY_DEFAULTS;
  self->hold = defaults.hold;
  self->changed = TRUE;
  gst_stx_pairing_add_pad(GST_STX_PAIRING(self), ROLE_VIDEO);
}

static void gst_stixel_overlay_class_init(GstStixelOverlayClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS(klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS(klass);
  GstStxPairingClass *pairing_class = GST_STX_PAIRING_CLASS(klass);
  static const gchar *const roles[ROLES] = {"sink", "stixels", "truth"};

  GST_DEBUG_CATEGORY_INIT(stixel_overlay_debug, "stixel-overlay", 0, "drawing of stixels");
  gst_stx_properties_install(object_class, properties, G_N_ELEMENTS(properties));
  object_class->set_property = set_property;

  gst_stx_element_describe(element_class, "stixel-overlay", "Stixel overlay", "Filter/Effect/Video",
      "Draws stixels on the video frame of the same moment");
  gst_element_class_add_static_pad_template_with_gtype(
      element_class, &src_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(
      element_class, &video_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(
      element_class, &stixels_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype(
      element_class, &truth_template, GST_TYPE_AGGREGATOR_PAD);

  aggregator_class->sink_event = sink_event;
  aggregator_class->sink_query = sink_query;
  aggregator_class->src_query = src_query;
  aggregator_class->start = start;
  aggregator_class->stop = stop;
  for (guint role = 0; role < ROLES; role++)
    pairing_class->roles.names[role] = roles[role];
  pairing_class->roles.optional = 1u << ROLE_STIXELS | 1u << ROLE_TRUTH;
  pairing_class->stage.host = &stx_overlay_impls;
  pairing_class->stage.device = &stx_overlay_cuda_impls;
  pairing_class->stage.prepare = prepare;
  pairing_class->stage.work = work;
  pairing_class->stage.wants_device = wants_device;
  pairing_class->set_role_caps = set_role_caps;
  pairing_class->announce = announce;
  pairing_class->process = process;
  pairing_class->too_late = too_late;
  pairing_class->reset = reset;
}
