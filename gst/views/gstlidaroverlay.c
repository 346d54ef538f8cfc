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
#include "gst/core/elements.h"

#include "common/scanview/scanview.h"
#include "gst/base/inputs.h"
#include "gst/core/element.h"
#include "gst/core/memory.h"
#include "gst/views/canvasstage.h"
#include "gst/views/onvideo.h"

enum { ROLE_VIDEO = GST_STX_ROLE_VIDEO, ROLE_POINTS };

/* Records of a scan. */
enum { POINTS, LABELS, OBSTACLES, RECORDS };

/* Properties, under the object lock. */
typedef struct {
  StxScanviewParams params;
  GstStxCameraSettings camera;
} Settings;

G_DECLARE_FINAL_TYPE(GstLidarOverlay, gst_lidar_overlay, GST, LIDAR_OVERLAY, GstStxOnVideo)

struct _GstLidarOverlay {
  GstStxOnVideo parent;

  Settings settings;

  /* Used by the streaming thread only. */
  StxScanviewLens lens;
  GstCanvasStage canvas;
  GstStxScratch memory; /* of the dots */
  GstStxMapped records[RECORDS];
  GstStxScanHues hues;
};

/* State of the stage. */
typedef struct {
  GstStxOnVideoFrame parent;
  GstBuffer *scan;
  gdouble strength;
} Frame;

G_DEFINE_FINAL_TYPE(GstLidarOverlay, gst_lidar_overlay, GST_TYPE_STX_ONVIDEO)
GST_STX_ELEMENT(lidar_overlay, "lidar-overlay")

GST_STX_PAD(points, SINK, REQUEST, GST_STX_CUDA_CAPS(GST_STX_LIDAR_MEDIA_TYPE, ""));

/* ---- From caps and properties to a lens ----------------------------------------------------- */

static gboolean check_camera(const StxCamera *camera, StxError *error)
{
  return (camera->focal > 0 && !(camera->missing & (STX_CAMERA_CX | STX_CAMERA_CY))) ||
         stx_fail(error,
             "%s is not known: set calibration=FILE, or focal, cx and cy, here or in an element "
             "in front, from which the caps of the pictures have it",
             camera->focal > 0 ? "the camera's cx or cy" : "the camera's focal length");
}

/* ---- One frame ----------------------------------------------------------------------------- */

/* Draws a scan on the canvas, with the labels and obstacles that are attached to it, where these
 * fit. */
static gboolean draw_scan(
    GstLidarOverlay *self, const StxScanviewParams *params, const Frame *frame, StxError *error)
{
  const GstStxStage *stage = gst_stx_pairing_stage(GST_STX_PAIRING(self));
  GstBuffer *scan = frame->scan;
  GstStxMapped *r = self->records;
  gboolean good =
      gst_stx_mapped_read(&r[POINTS], scan, GST_STX_POINT_BYTES, error) &&
      gst_stx_mapped_read(&r[LABELS], gst_stx_scan_labels(scan), sizeof(guint32), error) &&
      gst_stx_mapped_read(&r[OBSTACLES], params->obstacles ? gst_stx_scan_obstacles(scan) : NULL,
          sizeof(StxObstacle), error) &&
      gst_stx_scan_hues_follow(&self->hues, &r[POINTS], &r[LABELS], error) &&
      gst_stx_scratch_reserve(&self->memory, stx_scanview_size(r[POINTS].count), error);

  if (good) {
    StxScan view = {r[POINTS].data, self->hues.labels, r[POINTS].count};

    stx_scanview_draw(params, &self->lens, &view, frame->strength,
        stx_threads((gint)stage->run.threads), self->memory.data, self->canvas.canvas);
    stx_scanview_boxes(
        &self->lens, r[OBSTACLES].data, r[OBSTACLES].count, frame->strength, self->canvas.canvas);
  }
  gst_stx_mapped_unmap(r, RECORDS);
  return good;
}

static GstFlowReturn prepare(GstElement *element, gpointer data, StxError *error)
{
  GstLidarOverlay *self = GST_LIDAR_OVERLAY(element);
  GstStxPairing *pairing = GST_STX_PAIRING(self);
  StxScanviewParams params;

  GST_STX_LOCKED(self, params = self->settings.params);
  return stx_scanview_check(&params, error) &&
                 gst_stx_pairing_find_camera(pairing, gst_stx_pairing_caps(pairing, ROLE_VIDEO),
                     GST_STX_CAMERA_OF_PICTURES, GST_VIDEO_INFO_WIDTH(&self->parent.video),
                     GST_VIDEO_INFO_HEIGHT(&self->parent.video), &self->lens.camera, error) &&
                 check_camera(&self->lens.camera, error) &&
                 gst_stx_pairing_find_sensor(pairing, ROLE_POINTS, self->lens.extrinsics, error) &&
                 gst_canvas_stage_prepare(&self->canvas, &self->parent.video, error) &&
                 draw_scan(self, &params, data, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  const Frame *frame = data;

  return gst_canvas_stage_lay_on_buffer(&GST_LIDAR_OVERLAY(element)->canvas,
             gst_stx_pairing_stage(GST_STX_PAIRING(element)), 0, frame->parent.picture, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

/* A frame without a scan shows the last one; the first of which nothing comes is warned of. */
static void find_last(GstLidarOverlay *self, GstBuffer *video, Frame *frame)
{
  GstStxOnVideo *base = &self->parent;
  gboolean linked = gst_stx_onvideo_is_linked(base, ROLE_POINTS);

  frame->strength = gst_stx_onvideo_miss(base);
  frame->scan = frame->strength > 0 ? base->last : NULL;
  if (base->warned || (linked && base->last != NULL))
    return;
  base->warned = TRUE;
  GST_ELEMENT_WARNING(self, STREAM, FAILED,
      ("The frame at %" GST_TIME_FORMAT " goes on undrawn: %s",
          GST_TIME_ARGS(GST_BUFFER_PTS(video)),
          linked ? "no scan has come until its time" : "pad points is not linked"),
      ("the property frames-without-scans counts"));
}

static GstFlowReturn process(GstStxPairing *pairing, GstBuffer **set, GstBuffer **out)
{
  GstLidarOverlay *self = GST_LIDAR_OVERLAY(pairing);
  GstFlowReturn flow = gst_stx_onvideo_announce(&self->parent);
  Frame frame = {.scan = set[ROLE_POINTS], .strength = 1};

  if (flow != GST_FLOW_OK)
    return flow;
  if (frame.scan == NULL)
    find_last(self, set[ROLE_VIDEO], &frame);
  *out = g_steal_pointer(&set[ROLE_VIDEO]);
  if (frame.scan == NULL)
    return GST_FLOW_OK;
  frame.parent.picture = *out = gst_buffer_make_writable(*out);
  flow = gst_stx_stage_run(gst_stx_pairing_stage(pairing), &frame);
  if (flow == GST_FLOW_OK && set[ROLE_POINTS] != NULL)
    gst_stx_onvideo_keep(&self->parent, frame.scan, NULL, gst_stx_pairing_time(pairing));
  return flow;
}

/* ---- Streams ------------------------------------------------------------------------------- */

static void too_late(GstStxPairing *pairing, guint role, GstBuffer *scan, GstClockTime time)
{
  gst_stx_onvideo_keep(GST_STX_ONVIDEO(pairing), scan, NULL, time);
}

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps, StxError *error)
{
  if (role == ROLE_VIDEO)
    return GST_STX_PAIRING_CLASS(gst_lidar_overlay_parent_class)
        ->set_role_caps(pairing, role, caps, error);
  gst_stx_onvideo_keep(GST_STX_ONVIDEO(pairing), NULL, NULL, GST_CLOCK_TIME_NONE);
  return gst_stx_check_scan_caps(GST_ELEMENT(pairing), caps, error);
}

static void clear(GstStxPairing *pairing)
{
  GstLidarOverlay *self = GST_LIDAR_OVERLAY(pairing);

  gst_canvas_stage_clear(&self->canvas);
  gst_stx_scratch_clear(&self->memory);
  gst_stx_scan_hues_clear(&self->hues);
  gst_stx_mapped_clear(self->records, RECORDS);
  GST_STX_PAIRING_CLASS(gst_lidar_overlay_parent_class)->clear(pairing);
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxField own_fields[] = {
    {"hold", "Hold",
        "Time for which the last scan fades on frames without one, milliseconds (0 = none)",
        STX_FIELD(UINT, GstLidarOverlay, parent.hold), .high = 60000, .unit = "ms"},
    {"frames-without-scans", "Frames without scans", "Frames without a scan",
        STX_FIELD(COUNT, GstLidarOverlay, parent.frames_without)},
};
static const GstLidarOverlay defaults = {
    .parent = {.hold = GST_STX_ONVIDEO_HOLD}, .settings = {.params = STX_SCANVIEW_DEFAULTS}};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&stx_scanview_fields, offsetof(GstLidarOverlay, settings.params), GST_PARAM_MUTABLE_PLAYING,
        "GstLidarOverlay"},
    {&stx_extrinsics_fields, offsetof(GstLidarOverlay, settings.camera.sensor.single),
        GST_PARAM_MUTABLE_PLAYING},
    GST_STX_CAMERA_PROPERTIES(GstLidarOverlay, settings.camera),
    GST_STX_CAMERA_IMAGE_PROPERTIES(GstLidarOverlay, settings.camera),
    {&own_table, 0, GST_PARAM_MUTABLE_PLAYING},
};

/* ---- Class --------------------------------------------------------------------------------- */

static void gst_lidar_overlay_init(GstLidarOverlay *self)
{
  self->settings = defaults.settings;
}

static void gst_lidar_overlay_class_init(GstLidarOverlayClass *klass)
{
  GstStxPairingClass *pairing_class = GST_STX_PAIRING_CLASS(klass);

  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  gst_stx_element_describe(klass, "lidar-overlay", "LiDAR overlay", "Filter/Effect/Video",
      "Draws LiDAR scans on the video frame of the same moment");
  gst_stx_element_add_templates(klass, &points_template, NULL);

  pairing_class->camera = offsetof(GstLidarOverlay, settings.camera);
  pairing_class->uses_sensor = TRUE;
  pairing_class->clear = clear;
  pairing_class->roles.names[ROLE_POINTS] = "points";
  pairing_class->roles.optional = 1u << ROLE_POINTS;
  pairing_class->stage.host = &stx_canvas_impls;
  pairing_class->stage.device = &stx_canvas_cuda_impls;
  pairing_class->stage.prepare = prepare;
  pairing_class->stage.work = work;
  pairing_class->set_role_caps = set_role_caps;
  pairing_class->process = process;
  pairing_class->too_late = too_late;
}
