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
#include "gst/core/elements.h"

#include "gst/base/inputs.h"
#include "gst/columns/columns.h"
#include "gst/core/camera.h"
#include "gst/core/element.h"
#include "gst/core/frametime.h"
#include "gst/obstacles/regions.h"
#include "gst/stixels/motionmeta.h"
#include "gst/views/onvideo.h"
#include "gst/views/overlaystage.h"

GST_DEBUG_CATEGORY_STATIC(stixel_overlay_debug);
#define GST_CAT_DEFAULT stixel_overlay_debug

enum { ROLE_VIDEO = GST_STX_ROLE_VIDEO, ROLE_STIXELS };

G_DECLARE_FINAL_TYPE(GstStixelOverlay, gst_stixel_overlay, GST, STIXEL_OVERLAY, GstStxOnVideo)

struct _GstStixelOverlay {
  GstStxOnVideo parent;

  /* Guarded by the object lock. */
  StxOverlayParams settings; /* without sizes, format and camera */
  gboolean changed;          /* settings or caps, since `drawing` was prepared */
  guint64 skipped;

  /* Used by the streaming thread only. */
  StxCamera video_camera;    /* caps of the pad `sink`, of whatever size */
  GstStxStixelInfo pad_info; /* caps of the pad `stixels` */
  GstOverlayStage drawing;
  GstStxFrameTime times;
  GstClockTime gap;       /* the last one of pad `stixels` */
  gboolean labels_warned; /* of labels that say what is known of obstacles, without these */
};

/* State of the stage. */
typedef struct {
  GstStxOnVideoFrame parent;
  GstOverlayDrawing drawing; /* its stixels are a reference */
  GstStxImage image;         /* of the stixels */
  const StxOverlayResult *result;
} Frame;

G_DEFINE_FINAL_TYPE(GstStixelOverlay, gst_stixel_overlay, GST_TYPE_STX_ONVIDEO)
GST_STX_ELEMENT(stixel_overlay, "stixel-overlay")

GST_STX_PAD(stixels, SINK, REQUEST, GST_STX_CUDA_CAPS(GST_STX_STIXELS_MEDIA_TYPE, ""));

/* ---- What a frame brings ------------------------------------------------------------------- */

/* Its stixels, a new reference: of the pad, or attached to the frame. NULL: there are none. FALSE
 * after an element error. */
static gboolean find_stixels(GstStixelOverlay *self, GstBuffer **set, Frame *frame)
{
  GstStxStixelInfo *info = &frame->image.info;
  GstBuffer *stixels = NULL;
  StxError error;

  if (set[ROLE_STIXELS] != NULL) {
    stixels = gst_buffer_ref(set[ROLE_STIXELS]);
    *info = self->pad_info;
  } else if (gst_buffer_get_stx_stixel_meta(set[ROLE_VIDEO]) != NULL) {
    stixels = gst_stx_attached_stixels(set[ROLE_VIDEO],
        gst_stx_pairing_caps(GST_STX_PAIRING(self), ROLE_VIDEO), &frame->image, &error);
    if (stixels == NULL) {
      GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
      return FALSE;
    }
  }
  if (stixels != NULL && gst_buffer_get_size(stixels) == 0)
    gst_clear_buffer(&stixels);
  stx_camera_complete(&info->camera, &self->video_camera, (gint)info->width, (gint)info->height);
  frame->drawing.stixels = stixels;
  return TRUE;
}

/* Obstacles and free space are those that the picture carries, or else its stixels, if they are of
 * the same image. They live as long as that meta. */
static void find_obstacles(Frame *frame)
{
  GstBuffer *const carriers[] = {frame->parent.picture, frame->drawing.stixels};

  for (guint i = 0; i < G_N_ELEMENTS(carriers) && frame->drawing.obstacles == NULL; i++) {
    const GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(carriers[i]);

    if (meta == NULL || meta->info.width != frame->image.info.width ||
        meta->info.height != frame->image.info.height)
      continue;
    frame->drawing.obstacles = meta->obstacles;
    frame->drawing.free_space = meta->free_space;
    frame->drawing.velocities = gst_buffer_get_stx_velocities_meta(carriers[i]);
  }
}

/* ---- One frame ----------------------------------------------------------------------------- */

static GstFlowReturn prepare(GstElement *element, gpointer data, StxError *error)
{
  GstStixelOverlay *self = GST_STIXEL_OVERLAY(element);
  const Frame *frame = data;
  StxOverlayParams settings;
  gboolean changed;

  GST_OBJECT_LOCK(self);
  settings = self->settings;
  changed = self->changed;
  self->changed = FALSE;
  GST_OBJECT_UNLOCK(self);
  if (frame->drawing.obstacles == NULL && frame->drawing.strength == 1 && !self->labels_warned &&
      settings.labels & (STX_OVERLAY_LABEL_ID | STX_OVERLAY_LABEL_CLASS | STX_OVERLAY_LABEL_BOX)) {
    self->labels_warned = TRUE;
    GST_ELEMENT_WARNING(self, STREAM, FAILED,
        ("labels=id, class and box show what is known of obstacles, and none were looked for: "
         "set obstacles=true on stereo-stixels, or put stixel-obstacles in front of pad stixels"),
        ("the stixels have no GstStxObstaclesMeta"));
  }
  if (gst_overlay_stage_fit(&self->drawing, &settings, &frame->image.info.camera,
          frame->drawing.stixels, &changed, error) &&
      gst_overlay_stage_prepare(
          &self->drawing, &settings, changed, &self->parent.video, &frame->image, error) &&
      gst_stx_check_input(frame->drawing.stixels, 0, sizeof(StxStixel), error))
    return GST_FLOW_OK;
  return GST_FLOW_ERROR;
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  GstStixelOverlay *self = GST_STIXEL_OVERLAY(element);
  Frame *frame = data;

  return gst_overlay_stage_draw(&self->drawing, gst_stx_pairing_stage(GST_STX_PAIRING(self)),
             frame->parent.picture, &frame->drawing, &frame->result, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

/* Draws the last stixels on a frame without its own, which is counted. The first such frame is
 * warned of, unless a GAP event has announced it: the element that lost the stixels has then said
 * so. The last stixels are not attached to the frame. */
static GstFlowReturn draw_last(GstStixelOverlay *self, GstBuffer **out)
{
  GstStxOnVideo *base = &self->parent;
  Frame frame = {.drawing = {.stixels = base->last}, .image = base->image};

  frame.drawing.strength = gst_stx_onvideo_miss(base);
  GST_DEBUG_OBJECT(self, "no stixels for %" GST_PTR_FORMAT, *out);
  if (!GST_BUFFER_PTS_IS_VALID(*out) || GST_BUFFER_PTS(*out) != self->gap) {
    if (!base->warned && gst_stx_onvideo_is_linked(base, ROLE_STIXELS))
      GST_ELEMENT_WARNING(self, STREAM, FAILED,
          ("The frame at %" GST_TIME_FORMAT " has no stixels: it and others like it show the last "
           "ones for the time that the property hold sets, then none",
              GST_TIME_ARGS(GST_BUFFER_PTS(*out))),
          ("no buffer of pad stixels has its timestamp; the property frames-without-stixels "
           "counts"));
    else if (!base->warned)
      GST_ELEMENT_WARNING(self, STREAM, FAILED,
          ("The frame at %" GST_TIME_FORMAT " goes on undrawn: pad stixels is not linked, and no "
           "stixels are attached to the frame",
              GST_TIME_ARGS(GST_BUFFER_PTS(*out))),
          (NULL));
    base->warned = TRUE;
  }
  if (frame.drawing.strength <= 0)
    return GST_FLOW_OK;
  frame.parent.picture = *out = gst_buffer_make_writable(*out);
  return gst_stx_stage_run(gst_stx_pairing_stage(GST_STX_PAIRING(self)), &frame);
}

/* Attaches the input of pad `stixels` to the picture: the stixels, whose image fills it, and the
 * obstacles that were drawn, with their regions of interest, in place of others that were before.
 * Obstacles that the picture had itself stay as they are. */
static void attach(GstStixelOverlay *self, const Frame *frame)
{
  const GstVideoInfo *video = &self->parent.video;
  const GstStxObstaclesMeta *found = gst_buffer_get_stx_obstacles_meta(frame->drawing.stixels);
  GstBuffer *picture = frame->parent.picture;
  GstStxRegionsFrame regions = {.buffer = picture,
      .width = GST_VIDEO_INFO_WIDTH(video),
      .height = GST_VIDEO_INFO_HEIGHT(video)};
  GstStxVelocitiesMeta *velocities;
  GstStxObstaclesMeta *obstacles;
  GstStxStixelMeta *stixels;
  g_autoptr(GError) error = NULL;
  GstCaps *caps;

  while ((stixels = gst_buffer_get_stx_stixel_meta(picture)) != NULL)
    gst_buffer_remove_meta(picture, &stixels->meta);
  stixels = gst_buffer_add_stx_stixel_meta(picture, frame->drawing.stixels, &frame->image.info);
  gst_stx_stixel_meta_set_frame_size(stixels, regions.width, regions.height);
  gst_buffer_copy_stx_motion_meta(picture, frame->drawing.stixels);
  if (found == NULL || frame->drawing.obstacles != found->obstacles)
    return;
  while ((obstacles = gst_buffer_get_stx_obstacles_meta(picture)) != NULL)
    gst_buffer_remove_meta(picture, &obstacles->meta);
  gst_buffer_add_stx_obstacles_meta(picture, found->obstacles, found->free_space, &found->info);
  while ((velocities = gst_buffer_get_stx_velocities_meta(picture)) != NULL)
    gst_buffer_remove_meta(picture, &velocities->meta);
  if (frame->drawing.velocities != NULL)
    gst_buffer_add_stx_velocities_meta(
        picture, frame->drawing.velocities->obstacles, frame->drawing.velocities->stixels);
  regions.time = gst_stx_pairing_time(GST_STX_PAIRING(self));
  regions.duration = gst_stx_frame_time_duration(&self->times, picture);
  caps = gst_stx_pairing_caps(GST_STX_PAIRING(self), ROLE_VIDEO);
  if (!gst_stx_regions_attach(&regions, caps, &error))
    GST_WARNING_OBJECT(self, "no regions of interest: %s", error->message);
}

static void note_skipped(GstStixelOverlay *self, const StxOverlayResult *result)
{
  gboolean first;

  GST_OBJECT_LOCK(self);
  first = self->skipped == 0;
  self->skipped += result->skipped;
  GST_OBJECT_UNLOCK(self);
  if (first)
    GST_ELEMENT_WARNING(self, STREAM, FORMAT,
        ("%u of %u stixels are not valid and were skipped", result->skipped,
            result->skipped + result->drawn),
        ("outside of the image, upside down, of unknown kind, overlapping or not finite"));
}

static GstFlowReturn process(GstStxPairing *pairing, GstBuffer **set, GstBuffer **out)
{
  GstStixelOverlay *self = GST_STIXEL_OVERLAY(pairing);
  Frame frame = {.drawing = {.strength = 1}};
  GstFlowReturn flow = gst_stx_onvideo_announce(&self->parent);

  if (flow != GST_FLOW_OK)
    return flow;
  if (!find_stixels(self, set, &frame))
    return GST_FLOW_ERROR;
  *out = g_steal_pointer(&set[ROLE_VIDEO]);
  if (frame.drawing.stixels == NULL)
    return draw_last(self, out);
  frame.parent.picture = *out = gst_buffer_make_writable(*out);
  find_obstacles(&frame);
  flow = gst_stx_stage_run(gst_stx_pairing_stage(pairing), &frame);
  if (flow == GST_FLOW_OK) {
    if (frame.result->skipped > 0)
      note_skipped(self, frame.result);
    if (set[ROLE_STIXELS] != NULL)
      attach(self, &frame);
    gst_stx_onvideo_keep(
        &self->parent, frame.drawing.stixels, &frame.image, gst_stx_pairing_time(pairing));
  }
  gst_buffer_unref(frame.drawing.stixels);
  return flow;
}

/* ---- Streams ------------------------------------------------------------------------------- */

/* Stixels of a slow machine are shown late rather than never. */
static void too_late(GstStxPairing *pairing, guint role, GstBuffer *stixels, GstClockTime time)
{
  GstStixelOverlay *self = GST_STIXEL_OVERLAY(pairing);
  GstStxImage image = {.info = self->pad_info};
  StxError error;

  stx_camera_complete(
      &image.info.camera, &self->video_camera, (gint)image.info.width, (gint)image.info.height);
  if (gst_stx_check_input(stixels, 0, sizeof(StxStixel), &error))
    gst_stx_onvideo_keep(&self->parent, stixels, &image, time);
}

static void reset(GstStxPairing *pairing)
{
  GST_STIXEL_OVERLAY(pairing)->gap = GST_CLOCK_TIME_NONE;
  GST_STX_PAIRING_CLASS(gst_stixel_overlay_parent_class)->reset(pairing);
}

static void set_changed(GstStixelOverlay *self)
{
  GST_STX_LOCKED(self, self->changed = TRUE);
}

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps, StxError *error)
{
  GstStixelOverlay *self = GST_STIXEL_OVERLAY(pairing);

  if (role == ROLE_VIDEO) {
    if (!GST_STX_PAIRING_CLASS(gst_stixel_overlay_parent_class)
             ->set_role_caps(pairing, role, caps, error))
      return FALSE;
    gst_stx_camera_from_caps(caps, &self->video_camera);
    gst_stx_frame_time_set_caps(&self->times, caps);
  } else if (!gst_stx_stixels_caps_parse(caps, &self->pad_info, error)) {
    return FALSE;
  }
  gst_stx_onvideo_keep(&self->parent, NULL, NULL, GST_CLOCK_TIME_NONE);
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

static gboolean begin(GstStxPairing *pairing, StxError *error)
{
  GstStixelOverlay *self = GST_STIXEL_OVERLAY(pairing);

  GST_OBJECT_LOCK(self);
  self->changed = TRUE;
  self->skipped = 0;
  GST_OBJECT_UNLOCK(self);
  self->labels_warned = FALSE;
  return GST_STX_PAIRING_CLASS(gst_stixel_overlay_parent_class)->begin(pairing, error);
}

static void clear(GstStxPairing *pairing)
{
  gst_overlay_stage_clear(&GST_STIXEL_OVERLAY(pairing)->drawing);
  GST_STX_PAIRING_CLASS(gst_stixel_overlay_parent_class)->clear(pairing);
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxField own_fields[] = {
    {"hold", "Hold",
        "Time for which the last stixels fade on frames without any, milliseconds (0 = none)",
        STX_FIELD(UINT, GstStixelOverlay, parent.hold), .high = 60000, .unit = "ms"},
    {"frames-without-stixels", "Frames without stixels", "Frames without stixels",
        STX_FIELD(COUNT, GstStixelOverlay, parent.frames_without)},
    {"skipped-stixels", "Skipped stixels", "Invalid stixels, not drawn",
        STX_FIELD(COUNT, GstStixelOverlay, skipped)},
};
static const GstStixelOverlay defaults = {.parent = {.hold = GST_STX_ONVIDEO_HOLD}};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&stx_overlay_fields, offsetof(GstStixelOverlay, settings), GST_PARAM_MUTABLE_PLAYING,
        "GstStixelOverlay"},
    {&own_table, 0, GST_PARAM_MUTABLE_PLAYING},
};

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  gst_stx_set_property(object, id, value, spec);
  set_changed(GST_STIXEL_OVERLAY(object));
}

/* ---- Class --------------------------------------------------------------------------------- */

static void gst_stixel_overlay_init(GstStixelOverlay *self)
{
  self->settings = (StxOverlayParams)STX_OVERLAY_DEFAULTS;
  self->changed = TRUE;
}

static void gst_stixel_overlay_class_init(GstStixelOverlayClass *klass)
{
  GstStxPairingClass *pairing_class = GST_STX_PAIRING_CLASS(klass);

  GST_DEBUG_CATEGORY_INIT(stixel_overlay_debug, "stixel-overlay", 0, "drawing of stixels");
  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  G_OBJECT_CLASS(klass)->set_property = set_property;

  gst_stx_element_describe(klass, "stixel-overlay", "Stixel overlay", "Filter/Effect/Video",
      "Draws stixels on the video frame of the same moment");
  gst_stx_element_add_templates(klass, &stixels_template, NULL);

  GST_AGGREGATOR_CLASS(klass)->sink_event = sink_event;
  pairing_class->begin = begin;
  pairing_class->clear = clear;
  pairing_class->roles.names[ROLE_STIXELS] = "stixels";
  pairing_class->roles.optional = 1u << ROLE_STIXELS;
  pairing_class->stage.host = &stx_overlay_impls;
  pairing_class->stage.device = &stx_overlay_cuda_impls;
  pairing_class->stage.prepare = prepare;
  pairing_class->stage.work = work;
  pairing_class->set_role_caps = set_role_caps;
  pairing_class->process = process;
  pairing_class->too_late = too_late;
  pairing_class->reset = reset;
}
