/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-stixel-bev
 * @title: stixel-bev
 *
 * Draws stixels from above, to scale: road, objects, free space and obstacles; with a pad `points`
 * a LiDAR scan of the same moment over them. Takes a stream of stixels, video with stixels
 * attached, or scans alone.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=disparity num-buffers=1 ! downsample-transpose !
 *     sat-dp-stixels ! stixel-obstacles ! stixel-bev ! videoconvert ! pngenc !
 *     filesink location=above.png
 * ]|
 */
/**
 * SECTION:element-lidar-bev
 * @title: lidar-bev
 *
 * Draws scans of a LiDAR sensor from above: ground, obstacles and clusters in colours, with range
 * rings and a scale. Points without labels are coloured by height. It is stixel-bev for scans
 * alone, under its older name, with the properties and defaults that suit them.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=lidar num-buffers=1 ! lidar-ground ! lidar-bev !
 * video/x-raw,width=800,height=800 ! videoconvert ! pngenc ! filesink location=scan.png
 * ]|
 */
#include "gst/core/elements.h"

#include "common/bev/bev_stixels.h"
#include "gst/base/inputs.h"
#include "gst/base/pairing.h"
#include "gst/columns/columns.h"
#include "gst/core/camera.h"
#include "gst/core/element.h"
#include "gst/core/frames.h"
#include "gst/core/stats.h"
#include "gst/obstacles/obstaclesstage.h"
#include "gst/views/canvasstage.h"
#include "gst/views/records.h"

enum { ROLE_SINK, ROLE_POINTS };

/* Records of a frame. */
enum { POINTS, LABELS, STIXELS, OBSTACLES, FREE_SPACE, SPEEDS, FLOW, RECORDS };

typedef struct {
  StxBevParams picture; /* without what the caps say; its mode may be STX_BEV_AUTO */
  StxBevStixelsParams stixels;
} Settings;

/* Base class of both elements. */
typedef struct {
  GstStxPairing parent;

  /* Properties, guarded by the object lock. */
  Settings settings;
  GstStxCameraSettings camera_settings;
  guint64 frames_without;

  /* Used by the streaming thread only. */
  GstStxInput input;
  gboolean changed;          /* caps, since pictures were negotiated */
  StxCamera frame_camera;    /* of the caps of frames, of whatever size */
  GstStxStixelInfo pad_info; /* of the caps of stixels */
  GstStxStixelInfo given;    /* image of the last stixels */
  StxCamera camera;          /* their camera, changed by the properties */
  GstVideoInfo video;        /* of pictures */
  StxBevParams params;       /* for which `bev` was prepared */
  StxBev *bev;               /* in `memory`; NULL: to be prepared */
  GstStxScratch memory;
  GstStxMapped records[RECORDS];
  GstStxScanHues hues;
  gboolean warned;         /* of a frame without stixels */
  GstObstaclesInput found; /* of this frame; stixels NULL: there are none */
  Settings drawn;          /* settings of this frame */
  gdouble range, needed;   /* with fit=true: metres, and the share of them that is drawn */
  guint fitted;            /* frames until they are looked at again */
} GstStxBev;

typedef struct {
  GstStxPairingClass parent_class;
} GstStxBevClass;

#define GST_STX_BEV(object) ((GstStxBev *)(object))

GType gst_stx_bev_get_type(void);
G_DEFINE_ABSTRACT_TYPE(GstStxBev, gst_stx_bev, GST_TYPE_STX_PAIRING)

typedef GstStxBev GstStixelBev, GstLidarBev;
typedef GstStxBevClass GstStixelBevClass, GstLidarBevClass;

GType gst_stixel_bev_get_type(void);
G_DEFINE_FINAL_TYPE(GstStixelBev, gst_stixel_bev, gst_stx_bev_get_type())
GST_STX_ELEMENT(stixel_bev, "stixel-bev")

GType gst_lidar_bev_get_type(void);
G_DEFINE_FINAL_TYPE(GstLidarBev, gst_lidar_bev, gst_stx_bev_get_type())
GST_STX_ELEMENT(lidar_bev, "lidar-bev")

#define SCANS GST_STX_CUDA_CAPS(GST_STX_LIDAR_MEDIA_TYPE, "")

/* Only the metas of video are read: its format and memory do not matter. */
GST_STX_PAD(sink, SINK, ALWAYS,
    GST_STX_CUDA_CAPS(GST_STX_STIXELS_MEDIA_TYPE, "") "; video/x-raw; "
                                                      "video/x-raw(ANY); " SCANS);
GST_STX_PAD(points, SINK, REQUEST, SCANS);
static GstStaticPadTemplate scans_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(SCANS));
GST_STX_PAD(src, SRC, ALWAYS, GST_STX_VIEW_CAPS);

/* ---- Pictures ------------------------------------------------------------------------------ */

/* The caps that downstream wants, with the frame rate of the input. */
static GstFlowReturn announce(GstStxPairing *pairing, guint roles, StxError *error)
{
  GstStxBev *self = GST_STX_BEV(pairing);

  if (!self->changed)
    return GST_FLOW_OK;
  self->changed = FALSE;
  return gst_stx_pairing_set_src_caps(
      pairing, gst_stx_caps_at_rates(&src_template, gst_stx_pairing_caps(pairing, ROLE_SINK)));
}

/* The size of pictures is downstream's, which may change its mind. */
static GstFlowReturn update_src_caps(GstAggregator *aggregator, GstCaps *possible, GstCaps **caps)
{
  static const StxBevParams usual = STX_BEV_DEFAULTS;
  GstStxBev *self = GST_STX_BEV(aggregator);
  g_autoptr(GstCaps) any = NULL;
  GstFlowReturn flow =
      GST_AGGREGATOR_CLASS(gst_stx_bev_parent_class)->update_src_caps(aggregator, possible, &any);

  if (flow != GST_FLOW_OK)
    return flow;
  *caps = gst_stx_view_fixate(
      gst_caps_intersect_full(possible, any, GST_CAPS_INTERSECT_FIRST), usual.width, usual.height);
  return gst_video_info_from_caps(&self->video, *caps) ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED;
}

static gboolean choose_pool(GstStxPairing *pairing, GstQuery *query)
{
  return gst_stx_decide_video_pool(query);
}

/* ---- What a frame brings ------------------------------------------------------------------- */

/* Counts a frame that brings no stixels, and warns of the first. */
static void miss(GstStxBev *self, GstBuffer *frame)
{
  gst_stx_stats_count(&self->frames_without, GST_ELEMENT(self));
  if (self->warned)
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING(self, STREAM, FAILED,
      ("The frame at %" GST_TIME_FORMAT " has no stixels: of it and others like it rings alone are "
       "drawn; put stixel-bev behind sat-dp-stixels, rdp-columns, stixel-overlay or "
       "stereo-stixels",
          GST_TIME_ARGS(GST_BUFFER_PTS(frame))),
      ("the property frames-without-stixels counts them"));
}

/* The camera that counts for stixels of `info`: properties are stronger. */
static gboolean find_camera(GstStxBev *self, GstStxStixelInfo *info, StxError *error)
{
  const GstStxStixelInfo *given = &self->given;
  g_autoptr(GstCaps) caps = NULL;
  StxError note;

  if (info->width != given->width || info->height != given->height ||
      info->stixel_width != given->stixel_width ||
      !stx_camera_is_same(&info->camera, &given->camera)) {
    caps = gst_stx_stixel_info_to_caps(info, 0, 1);
    if (!gst_stx_pairing_find_camera(GST_STX_PAIRING(self), caps, GST_STX_CAMERA_OF_DATA,
            (gint)info->width, (gint)info->height, &self->camera, error))
      return FALSE;
  }
  if (!stx_bev_stixels_can_place(&self->camera, &note))
    return stx_fail(error,
        "%s. Set calibration=FILE (KITTI's calib.txt, Cityscapes' camera.json), or focal, baseline "
        "and cx, on stixel-bev or on what makes the stixels",
        note.text);
  self->given = *info;
  info->camera = self->camera;
  return TRUE;
}

/* ---- One frame ----------------------------------------------------------------------------- */

/* Makes `bev` one for pictures of these settings. */
static gboolean prepare_bev(GstStxBev *self, const Settings *settings, StxError *error)
{
  StxBevParams params = settings->picture;

  /* Points of a scan alone show clusters; points over stixels have a colour that stands out. */
  if (params.mode == STX_BEV_AUTO)
    params.mode =
        self->input == GST_STX_INPUT_SCANS || settings->stixels.mode == STX_BEV_BY_OBSTACLE
            ? STX_BEV_CLUSTERS
        : settings->stixels.mode == STX_BEV_BY_HEIGHT ? STX_BEV_HEIGHT
                                                      : STX_BEV_PLAIN;
  params.width = GST_VIDEO_INFO_WIDTH(&self->video);
  params.height = GST_VIDEO_INFO_HEIGHT(&self->video);
  params.format = stx_pixel_format(GST_VIDEO_INFO_NAME(&self->video));
  if (self->bev != NULL && stx_bev_is_same(&params, &self->params))
    return TRUE;
  self->bev = NULL;
  if (!stx_bev_check(&params, error) ||
      !gst_stx_scratch_reserve(&self->memory, stx_bev_size(&params), error))
    return FALSE;
  self->params = params;
  self->bev = stx_bev_init(self->memory.data, &params);
  return TRUE;
}

static void look(GstStxBev *self, GstBuffer *input)
{
  self->found = (GstObstaclesInput){NULL};
  if (self->input == GST_STX_INPUT_FRAMES)
    self->found = gst_obstacles_stage_look_at_video(input, &self->frame_camera);
  else if (self->input == GST_STX_INPUT_STIXELS && gst_buffer_get_size(input) > 0)
    self->found = (GstObstaclesInput){.stixels = input, .info = self->pad_info};
  if (self->input != GST_STX_INPUT_SCANS && self->found.stixels == NULL)
    miss(self, input);
}

/* Magnifies the view of near things. Every 16th frame decides, so that it does not jump; where its
 * stixels cannot be read, work says why. */
static void fit(GstStxBev *self, Settings *settings)
{
  GstStxMapped *stixels = &self->records[STIXELS];
  StxBevParams *view = &settings->picture;
  gdouble range = view->center_x + view->extent / view->zoom;
  StxError unused;

  if (!settings->stixels.fit || self->found.stixels == NULL)
    return;
  if (self->fitted == 0 || range != self->range) {
    if (gst_stx_mapped_read(stixels, self->found.stixels, sizeof(StxStixel), &unused)) {
      self->needed = gst_stx_needed_share(stixels, &self->camera, range, STX_BEV_MIN_EXTENT);
      self->range = range;
      self->fitted = 16;
    }
    gst_stx_mapped_unmap(stixels, 1);
  }
  self->fitted -= self->fitted > 0;
  view->zoom = MIN(view->zoom / self->needed, 100); /* its largest */
  view->center_x *= self->needed;
  view->center_y *= self->needed;
  settings->stixels.max_distance = MAX(settings->stixels.max_distance * self->needed, 1);
}

static GstFlowReturn prepare(GstElement *element, gpointer data, StxError *error)
{
  GstStxBev *self = GST_STX_BEV(element);
  const GstStxPairingFrame *frame = data;
  GstFlowReturn flow = announce(GST_STX_PAIRING(self), gst_stx_roles_of(frame->set), error);

  look(self, frame->set[ROLE_SINK]);
  if (flow != GST_FLOW_OK)
    return flow;
  GST_STX_LOCKED(self, self->drawn = self->settings);
  if (self->found.stixels != NULL && !find_camera(self, &self->found.info, error))
    return GST_FLOW_ERROR;
  fit(self, &self->drawn);
  if (stx_bev_stixels_check(&self->drawn.stixels, error) && prepare_bev(self, &self->drawn, error))
    return GST_FLOW_OK;
  stx_fail_as(error, STX_ERROR_SETTINGS);
  return GST_FLOW_ERROR;
}

/* Points with the labels attached to them, where these fit. Over stixels they are brought to the
 * place of the camera, in the axes of a scan. */
static gboolean put_scan(GstStxBev *self, GstBuffer *scan, gboolean over, StxError *error)
{
  GstStxMapped *points = &self->records[POINTS], *labels = &self->records[LABELS];
  gdouble matrix[12], ahead[12];

  if (over && !gst_stx_pairing_find_sensor(GST_STX_PAIRING(self), ROLE_POINTS, matrix, error))
    return FALSE;
  if (over)
    stx_extrinsics_to_scan_axes(matrix, ahead);
  if (!gst_stx_mapped_read(points, scan, GST_STX_POINT_BYTES, error) ||
      !gst_stx_mapped_read(labels, gst_stx_scan_labels(scan), sizeof(guint32), error))
    return FALSE;
  if (!gst_stx_scan_hues_follow(&self->hues, points, labels, error))
    return FALSE;
  stx_bev_put_points(
      self->bev, points->data, self->hues.labels, points->count, over ? ahead : NULL);
  return TRUE;
}

/* Puts the stixels, with the obstacles and free space attached to their buffer. */
static gboolean put_stixels(GstStxBev *self, GstBuffer *input, StxError *error)
{
  const GstStxStixelInfo *info = &self->found.info;
  GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(input);
  gboolean known = meta != NULL && meta->info.width > 0; /* what a scan has has no image */
  GstStxVelocitiesMeta *moves = gst_buffer_get_stx_velocities_meta(input);
  GstStxMapped *r = self->records;
  StxBevStixels view = {.width = (int)info->width,
      .height = (int)info->height,
      .stixel_width = (int)info->stixel_width,
      .camera = info->camera};

  if (!gst_stx_mapped_read(&r[STIXELS], self->found.stixels, sizeof(StxStixel), error) ||
      !gst_stx_mapped_read(
          &r[OBSTACLES], known ? meta->obstacles : NULL, sizeof(StxObstacle), error) ||
      !gst_stx_mapped_read(
          &r[FREE_SPACE], known ? meta->free_space : NULL, sizeof(StxFreeSpace), error) ||
      !gst_stx_mapped_read(
          &r[SPEEDS], moves != NULL ? moves->obstacles : NULL, sizeof(StxVelocity), error) ||
      !gst_stx_mapped_read(
          &r[FLOW], moves != NULL ? moves->stixels : NULL, sizeof(StxVelocity), error))
    return FALSE;
  view.stixels = r[STIXELS].data;
  view.count = r[STIXELS].count;
  view.obstacles = r[OBSTACLES].data;
  view.obstacle_count = r[OBSTACLES].count;
  view.free_space = r[FREE_SPACE].data;
  view.directions = r[FREE_SPACE].count;
  view.velocities = r[SPEEDS].count == r[OBSTACLES].count ? r[SPEEDS].data : NULL;
  view.stixel_velocities = r[FLOW].count == r[STIXELS].count ? r[FLOW].data : NULL;
  stx_bev_put_stixels(self->bev, &self->drawn.stixels, &view);
  return TRUE;
}

static gboolean draw(GstStxBev *self, const GstStxPairingFrame *frame, StxError *error)
{
  gboolean is_scan = self->input == GST_STX_INPUT_SCANS;
  GstBuffer *scan = frame->set[is_scan ? ROLE_SINK : ROLE_POINTS];
  GstVideoFrame video;
  StxFrame planes;

  stx_bev_begin(self->bev);
  if (scan != NULL && !put_scan(self, scan, !is_scan, error))
    return FALSE;
  if (self->found.stixels != NULL && /* last: their labels stand beside all legends */
      !put_stixels(self, frame->set[ROLE_SINK], error))
    return FALSE;
  if (!gst_stx_frame_map(&video, &self->video, frame->out, GST_MAP_WRITE, error))
    return FALSE;
  planes = (StxFrame){
      {GST_VIDEO_FRAME_PLANE_DATA(&video, 0)}, {GST_VIDEO_FRAME_PLANE_STRIDE(&video, 0)}};
  stx_bev_finish(self->bev, &planes, gst_stx_pairing_stage(GST_STX_PAIRING(self))->place.threads);
  gst_stx_frame_clear_padding(&video);
  gst_video_frame_unmap(&video);
  return TRUE;
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  GstStxBev *self = GST_STX_BEV(element);
  GstStxPairingFrame *frame = data;
  GstFlowReturn flow;

  gst_clear_buffer(&frame->out);
  flow = gst_stx_pairing_acquire(GST_STX_PAIRING(element), &frame->out, error);
  if (flow == GST_FLOW_OK && !draw(self, frame, error))
    flow = GST_FLOW_ERROR;
  gst_stx_mapped_unmap(self->records, RECORDS);
  return flow;
}

/* ---- Streams ------------------------------------------------------------------------------- */

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps, StxError *error)
{
  GstStxBev *self = GST_STX_BEV(pairing);

  if (role == ROLE_POINTS)
    return gst_stx_check_scan_caps(GST_ELEMENT(self), caps, error);
  self->changed = TRUE;
  self->given = (GstStxStixelInfo){0};
  if (G_OBJECT_TYPE(self) == gst_lidar_bev_get_type()) {
    self->input = GST_STX_INPUT_SCANS;
    return gst_stx_check_scan_caps(GST_ELEMENT(self), caps, error);
  }
  return gst_stx_input_parse(caps, &self->input, &self->frame_camera, &self->pad_info, "",
      "put stixel-bev behind sat-dp-stixels, rdp-columns, stixel-overlay or stereo-stixels", error);
}

static gboolean begin(GstStxPairing *pairing, StxError *error)
{
  GstStxBev *self = GST_STX_BEV(pairing);

  GST_STX_LOCKED(self, self->frames_without = 0);
  self->changed = TRUE;
  self->warned = FALSE;
  return TRUE;
}

static void clear(GstStxPairing *pairing)
{
  GstStxBev *self = GST_STX_BEV(pairing);

  self->bev = NULL;
  self->fitted = 0;
  gst_stx_scratch_clear(&self->memory);
  gst_stx_scan_hues_clear(&self->hues);
  gst_stx_mapped_clear(self->records, RECORDS);
}

/* ---- Class --------------------------------------------------------------------------------- */

static void gst_stx_bev_init(GstStxBev *self)
{
}

static void gst_stx_bev_class_init(GstStxBevClass *klass)
{
  GstStxPairingClass *pairing = GST_STX_PAIRING_CLASS(klass);

  gst_stx_element_add_templates(klass, &src_template, NULL);
  GST_AGGREGATOR_CLASS(klass)->update_src_caps = update_src_caps;
  pairing->camera = offsetof(GstStxBev, camera_settings);
  pairing->uses_sensor = TRUE;
  pairing->begin = begin;
  pairing->clear = clear;
  pairing->roles.names[ROLE_SINK] = "sink";
  pairing->stage.host = &stx_canvas_impls;
  pairing->stage.device = &stx_canvas_cuda_impls;
  pairing->stage.on_host = TRUE; /* small beside what it shows */
  pairing->stage.prepare = prepare;
  pairing->stage.work = work;
  pairing->set_role_caps = set_role_caps;
  pairing->announce = announce;
  pairing->choose_pool = choose_pool;
}

/* ---- stixel-bev ---------------------------------------------------------------------------- */

static const StxField counts[] = {
    {"frames-without-stixels", "Frames without stixels", "Frames without stixels",
        STX_FIELD(COUNT, GstStxBev, frames_without)},
};
static const StxFields count_table = {STX_FIELDS_OF(counts)};

static const GstStxPropertyGroup properties[] = {
    {&stx_bev_stixels_fields, offsetof(GstStxBev, settings.stixels), GST_PARAM_MUTABLE_PLAYING,
        "GstStixelBev"},
    {&stx_bev_ahead_fields, offsetof(GstStxBev, settings.picture), GST_PARAM_MUTABLE_PLAYING,
        "GstStixelBev"},
    {&stx_bev_points_fields, offsetof(GstStxBev, settings.picture), GST_PARAM_MUTABLE_PLAYING,
        "GstStixelBev"},
    {&stx_extrinsics_fields, offsetof(GstStxBev, camera_settings.sensor.single),
        GST_PARAM_MUTABLE_PLAYING, "GstStixelBev"},
    GST_STX_CAMERA_PROPERTIES(GstStxBev, camera_settings),
    GST_STX_CAMERA_IMAGE_PROPERTIES(GstStxBev, camera_settings),
    {&count_table, 0, 0},
};

static void gst_stixel_bev_init(GstStixelBev *self)
{
  self->settings = (Settings){STX_BEV_AHEAD_DEFAULTS, STX_BEV_STIXELS_DEFAULTS};
  self->needed = 1;
  self->settings.picture.mode = STX_BEV_AUTO;
  gst_stx_pairing_add_pad(GST_STX_PAIRING(self), ROLE_SINK);
}

static void gst_stixel_bev_class_init(GstStixelBevClass *klass)
{
  GstStxPairingClass *pairing = GST_STX_PAIRING_CLASS(klass);

  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  gst_stx_element_describe(klass, "stixel-bev", "Stixels from above", "Filter/Converter/Video",
      "Draws stixels, and a LiDAR scan over them, from above and to scale");
  gst_stx_element_add_templates(klass, &sink_template, &points_template, NULL);
  pairing->roles.names[ROLE_POINTS] = "points";
  pairing->roles.optional = 1u << ROLE_POINTS;
}

/* ---- lidar-bev ----------------------------------------------------------------------------- */

static const GstStxPropertyGroup lidar_properties[] = {
    {&stx_bev_mode_fields, offsetof(GstStxBev, settings.picture), GST_PARAM_MUTABLE_PLAYING,
        "GstLidarBev"},
    {&stx_bev_fields, offsetof(GstStxBev, settings.picture), GST_PARAM_MUTABLE_PLAYING,
        "GstLidarBev"},
};

static void gst_lidar_bev_init(GstLidarBev *self)
{
  self->settings = (Settings){STX_BEV_DEFAULTS, STX_BEV_STIXELS_DEFAULTS};
  gst_stx_pairing_add_pad(GST_STX_PAIRING(self), ROLE_SINK);
}

static void gst_lidar_bev_class_init(GstLidarBevClass *klass)
{
  gst_stx_properties_install(klass, lidar_properties, G_N_ELEMENTS(lidar_properties));
  gst_stx_element_describe(klass, "lidar-bev", "LiDAR bird's-eye view", "Filter/Converter/Video",
      "Draws labelled points of LiDAR scans from above");
  gst_stx_element_add_templates(klass, &scans_template, NULL);
}
