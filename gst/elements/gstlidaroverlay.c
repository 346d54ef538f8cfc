/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-lidar-overlay
 * @title: lidar-overlay
 *
 * Draws the points of LiDAR scans on the video frame of the same moment, where the camera sees
 * them: by cluster, label, range, height or intensity.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 lidar-overlay name=overlay ! videoconvert ! pngenc snapshot=true !
 *     filesink location=scan.png
 *     street-scene-src view=left num-buffers=1 ! overlay.sink
 *     street-scene-src view=lidar num-buffers=1 ! lidar-ground ! overlay.points
 * ]|
 */
#include "gst/elements/elements.h"

#include "gst/base/inputs.h"
#include "gst/live/hold.h"
#include "gst/views/onvideo.h"
#include "gst/formats/mount.h"
#include "gst/shared/element.h"
#include "gst/views/scanviewstage.h"
#include "gst/views/sheetstage.h"
#include "gst/stixels/stixels.h"

GST_DEBUG_CATEGORY_STATIC(lidar_overlay_debug);
#define GST_CAT_DEFAULT lidar_overlay_debug

enum { ROLE_VIDEO, ROLE_POINTS, ROLES };

/* Properties, under the object lock. */
typedef struct {
  StxScanviewParams params;
  GstStxCameraSettings camera;
  GstStxMountSettings mount;
  guint hold; /* milliseconds */
  guint64 frames_without;
} Settings;

#define GST_TYPE_LIDAR_OVERLAY (gst_lidar_overlay_get_type())
G_DECLARE_FINAL_TYPE(GstLidarOverlay, gst_lidar_overlay, GST, LIDAR_OVERLAY, GstStxPairing)

struct _GstLidarOverlay {
  GstStxPairing parent;

  Settings settings;

  /* Of the streaming thread. */
  GstVideoInfo video; /* caps of the pad `sink` */
  StxScanviewLens lens;
  GstScanviewStage drawing;
  GstSheetStage sheet;
  GstStxHold last; /* scan that was drawn, or came too late to be */
  gboolean warned; /* of a frame without a scan */
};

/* What the stage works on. */
typedef struct {
  GstBuffer *picture, *scan;
  gdouble strength;
  StxScanviewParams params;
} Frame;

G_DEFINE_FINAL_TYPE(GstLidarOverlay, gst_lidar_overlay, GST_TYPE_STX_PAIRING)
GST_ELEMENT_REGISTER_DEFINE(lidar_overlay, "lidar-overlay", GST_RANK_NONE, GST_TYPE_LIDAR_OVERLAY)

static GstStaticPadTemplate video_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_ONVIDEO_CAPS));
static GstStaticPadTemplate points_template = GST_STATIC_PAD_TEMPLATE("points", GST_PAD_SINK,
    GST_PAD_REQUEST, GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_LIDAR_MEDIA_TYPE, "")));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_ONVIDEO_CAPS));

/* ---- From caps and properties to a lens ----------------------------------------------------- */

static gboolean check_camera(const StxCamera *camera, StxError *error)
{
  return (camera->focal > 0 && !(camera->missing & (STX_CAMERA_CX | STX_CAMERA_CY))) ||
         stx_fail(error,
             "%s is not known: set calibration=FILE, or focal, cx and cy, here or in an element "
             "in front, from which the caps of the pictures have it",
             camera->focal > 0 ? "the camera's cx or cy" : "the camera's focal length");
}

/* For these pictures and scans. */
static gboolean plan(GstLidarOverlay *self, StxScanviewLens *lens, StxError *error)
{
  GstCaps *video = gst_stx_pairing_get_caps(GST_STX_PAIRING(self), ROLE_VIDEO);
  GstCaps *scans = gst_stx_pairing_get_caps(GST_STX_PAIRING(self), ROLE_POINTS);
  gboolean good;

  GST_OBJECT_LOCK(self);
  good = gst_stx_camera_settings_apply(&self->settings.camera, video, GST_STX_CAMERA_OF_PICTURES,
             GST_VIDEO_INFO_WIDTH(&self->video), GST_VIDEO_INFO_HEIGHT(&self->video), &lens->camera,
             error) &&
         check_camera(&lens->camera, error) &&
         gst_stx_mount_settings_apply(&self->settings.mount, scans, lens->mount, error);
  GST_OBJECT_UNLOCK(self);
  gst_clear_caps(&video);
  gst_clear_caps(&scans);
  return good;
}

/* ---- One frame ----------------------------------------------------------------------------- */

/* Counts a frame for which there is no scan, and warns of the first. */
static void miss_scan(GstLidarOverlay *self, GstBuffer *frame)
{
  GstAggregatorPad *pad = gst_stx_pairing_get_pad(GST_STX_PAIRING(self), ROLE_POINTS);
  gboolean linked = pad != NULL;

  gst_clear_object(&pad);
  GST_OBJECT_LOCK(self);
  self->settings.frames_without++;
  GST_OBJECT_UNLOCK(self);
  if (self->warned || (linked && self->last.stixels != NULL))
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING(self, STREAM, FAILED,
      ("The frame at %" GST_TIME_FORMAT " goes on undrawn: %s",
          GST_TIME_ARGS(GST_BUFFER_PTS(frame)),
          linked ? "no scan has come until its time" : "pad points is not linked"),
      ("the property frames-without-scans counts"));
}

static GstFlowReturn prepare(GstElement *element, gpointer data, StxError *error)
{
  GstLidarOverlay *self = GST_LIDAR_OVERLAY(element);
  Frame *frame = data;
  StxError note = {""};

  GST_OBJECT_LOCK(self);
  frame->params = self->settings.params;
  GST_OBJECT_UNLOCK(self);
  if (!stx_scanview_check(&frame->params, error) || !plan(self, &self->lens, &note) ||
      !gst_sheet_stage_prepare(&self->sheet, &self->video, error)) {
    if (note.text[0] != '\0')
      *error = note;
    return GST_FLOW_ERROR;
  }
  gst_stx_camera_tell(element, &note);
  return gst_scanview_stage_draw(&self->drawing, &frame->params, &self->lens, frame->scan,
             frame->strength,
             stx_threads((gint)gst_stx_pairing_stage(GST_STX_PAIRING(self))->run.threads),
             self->sheet.sheet, error)
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

  return gst_sheet_stage_lay_on_buffer(&GST_LIDAR_OVERLAY(element)->sheet,
             gst_stx_pairing_stage(GST_STX_PAIRING(element)), 0, frame->picture, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

/* A frame without a scan shows the last one. */
static GstBuffer *scan_for(
    GstLidarOverlay *self, GstBuffer *frame, GstBuffer *scan, gdouble *strength)
{
  GstClockTime now = gst_stx_pairing_time(GST_STX_PAIRING(self));
  guint hold;

  *strength = 1;
  if (scan != NULL)
    return scan;
  miss_scan(self, frame);
  GST_OBJECT_LOCK(self);
  hold = self->settings.hold;
  GST_OBJECT_UNLOCK(self);
  *strength = gst_stx_hold_strength(&self->last, now, hold * GST_MSECOND);
  return *strength > 0 ? self->last.stixels : NULL;
}

static GstFlowReturn process(GstStxPairing *pairing, GstBuffer **set, GstBuffer **out)
{
  static const GstStxImage none;
  GstLidarOverlay *self = GST_LIDAR_OVERLAY(pairing);
  GstFlowReturn flow = gst_stx_onvideo_announce(pairing, ROLE_VIDEO);
  Frame frame = {0};

  if (flow != GST_FLOW_OK)
    return flow;
  frame.scan = scan_for(self, set[ROLE_VIDEO], set[ROLE_POINTS], &frame.strength);
  *out = g_steal_pointer(&set[ROLE_VIDEO]);
  if (frame.scan == NULL)
    return GST_FLOW_OK;
  frame.picture = *out = gst_buffer_make_writable(*out);
  flow = gst_stx_stage_run(gst_stx_pairing_stage(pairing), &frame);
  if (flow == GST_FLOW_OK && set[ROLE_POINTS] != NULL)
    gst_stx_hold_keep(&self->last, frame.scan, &none, gst_stx_pairing_time(pairing));
  return flow;
}

/* ---- Virtual methods ----------------------------------------------------------------------- */

static GstFlowReturn announce(GstStxPairing *pairing, guint roles, StxError *error)
{
  return gst_stx_onvideo_announce(pairing, ROLE_VIDEO);
}

static void too_late(GstStxPairing *pairing, guint role, GstBuffer *scan, GstClockTime time)
{
  static const GstStxImage none;

  gst_stx_hold_keep(&GST_LIDAR_OVERLAY(pairing)->last, scan, &none, time);
}

static void reset(GstStxPairing *pairing)
{
  gst_stx_hold_forget(&GST_LIDAR_OVERLAY(pairing)->last);
}

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps)
{
  GstLidarOverlay *self = GST_LIDAR_OVERLAY(pairing);
  StxError error;

  if (role == ROLE_VIDEO)
    return gst_stx_onvideo_parse(pairing, caps, &self->video);
  gst_stx_hold_forget(&self->last);
  if (gst_stx_check_scan_caps(GST_ELEMENT(self), caps, &error))
    return TRUE;
  GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
  return FALSE;
}

static gboolean sink_query(GstAggregator *aggregator, GstAggregatorPad *pad, GstQuery *query)
{
  return gst_stx_onvideo_query(GST_STX_PAIRING(aggregator), ROLE_VIDEO, GST_PAD(pad), query) ||
         GST_AGGREGATOR_CLASS(gst_lidar_overlay_parent_class)->sink_query(aggregator, pad, query);
}

static gboolean src_query(GstAggregator *aggregator, GstQuery *query)
{
  return gst_stx_onvideo_query(
             GST_STX_PAIRING(aggregator), ROLE_VIDEO, GST_AGGREGATOR_SRC_PAD(aggregator), query) ||
         GST_AGGREGATOR_CLASS(gst_lidar_overlay_parent_class)->src_query(aggregator, query);
}

static gboolean start(GstAggregator *aggregator)
{
  GstLidarOverlay *self = GST_LIDAR_OVERLAY(aggregator);

  GST_OBJECT_LOCK(self);
  self->settings.frames_without = 0;
  GST_OBJECT_UNLOCK(self);
  self->warned = FALSE;
  return gst_stx_camera_settings_load(&self->settings.camera, GST_ELEMENT(self)) &&
         gst_stx_mount_settings_load(
             &self->settings.mount, &self->settings.camera, GST_ELEMENT(self)) &&
         GST_AGGREGATOR_CLASS(gst_lidar_overlay_parent_class)->start(aggregator);
}

static gboolean stop(GstAggregator *aggregator)
{
  GstLidarOverlay *self = GST_LIDAR_OVERLAY(aggregator);

  gst_scanview_stage_clear(&self->drawing);
  gst_sheet_stage_clear(&self->sheet);
  gst_stx_hold_forget(&self->last);
  return GST_AGGREGATOR_CLASS(gst_lidar_overlay_parent_class)->stop(aggregator);
}

static void finalize(GObject *object)
{
  gst_stx_camera_settings_clear(&GST_LIDAR_OVERLAY(object)->settings.camera);
  G_OBJECT_CLASS(gst_lidar_overlay_parent_class)->finalize(object);
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxField own_fields[] = {
    {"hold", "Hold",
        "Milliseconds that the last scan is drawn, fainter and fainter, on frames that have none; "
        "0: not at all",
        STX_FIELD(UINT, Settings, hold), .high = 60000, .unit = "ms"},
    {"frames-without-scans", "Frames without scans",
        "Number of frames since the start for which no scan came",
        STX_FIELD(COUNT, Settings, frames_without)},
};
static const Settings defaults = {.params = STX_SCANVIEW_DEFAULTS, .hold = 300};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&stx_scanview_fields, offsetof(GstLidarOverlay, settings.params), GST_PARAM_MUTABLE_PLAYING,
        "GstLidarOverlay"},
    {&stx_mount_fields, offsetof(GstLidarOverlay, settings.mount.single),
        GST_PARAM_MUTABLE_PLAYING},
    GST_STX_CAMERA_PROPERTIES(GstLidarOverlay, settings.camera),
    GST_STX_CAMERA_IMAGE_PROPERTIES(GstLidarOverlay, settings.camera),
    {&own_table, offsetof(GstLidarOverlay, settings), GST_PARAM_MUTABLE_PLAYING},
};

/* ---- Class --------------------------------------------------------------------------------- */

static void gst_lidar_overlay_init(GstLidarOverlay *self)
{
  self->settings = defaults;
  gst_stx_camera_settings_init(&self->settings.camera);
  gst_stx_pairing_add_pad(GST_STX_PAIRING(self), ROLE_VIDEO);
}

static void gst_lidar_overlay_class_init(GstLidarOverlayClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS(klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS(klass);
  GstStxPairingClass *pairing_class = GST_STX_PAIRING_CLASS(klass);
  GstStaticPadTemplate *const templates[] = {&src_template, &video_template, &points_template};

  GST_DEBUG_CATEGORY_INIT(lidar_overlay_debug, "lidar-overlay", 0, "drawing of scans on video");
  gst_stx_properties_install(object_class, properties, G_N_ELEMENTS(properties));
  object_class->finalize = finalize;
  gst_stx_element_describe(element_class, "lidar-overlay", "LiDAR overlay", "Filter/Effect/Video",
      "Draws LiDAR scans on the video frame of the same moment");
  for (guint i = 0; i < G_N_ELEMENTS(templates); i++)
    gst_element_class_add_static_pad_template_with_gtype(
        element_class, templates[i], GST_TYPE_AGGREGATOR_PAD);

  aggregator_class->sink_query = sink_query;
  aggregator_class->src_query = src_query;
  aggregator_class->start = start;
  aggregator_class->stop = stop;
  pairing_class->roles.names[ROLE_VIDEO] = "sink";
  pairing_class->roles.names[ROLE_POINTS] = "points";
  pairing_class->roles.optional = 1u << ROLE_POINTS;
  pairing_class->stage.host = &stx_sheet_impls;
  pairing_class->stage.device = &stx_sheet_cuda_impls;
  pairing_class->stage.prepare = prepare;
  pairing_class->stage.work = work;
  pairing_class->stage.wants_device = wants_device;
  pairing_class->set_role_caps = set_role_caps;
  pairing_class->announce = announce;
  pairing_class->process = process;
  pairing_class->too_late = too_late;
  pairing_class->reset = reset;
}
