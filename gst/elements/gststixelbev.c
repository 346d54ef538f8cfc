/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-stixel-bev
 * @title: stixel-bev
 *
 * Draws stixels from above, to scale: road, objects, free space and obstacles; with a pad `points`
 * a LiDAR scan of the same moment over them. Takes a stream of stixels, or video with stixels
 * attached.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=disparity num-buffers=1 ! downsample-transpose !
 *     sat-dp-stixels ! stixel-obstacles ! stixel-bev ! videoconvert ! pngenc !
 *     filesink location=above.png
 * ]|
 */
#include "gst/elements/elements.h"

#include "gst/shared/element.h"
#include "gst/base/inputs.h"
#include "gst/base/pairing.h"
#include "gst/formats/camera.h"
#include "gst/formats/columns.h"
#include "gst/formats/mount.h"
#include "gst/views/bevstage.h"
#include "gst/stages/obstaclesstage.h"
#include "gst/stixels/stixels.h"

GST_DEBUG_CATEGORY_STATIC(stixel_bev_debug);
#define GST_CAT_DEFAULT stixel_bev_debug

enum { ROLE_STIXELS, ROLE_POINTS, ROLES };

#define GST_TYPE_STIXEL_BEV (gst_stixel_bev_get_type())
G_DECLARE_FINAL_TYPE(GstStixelBev, gst_stixel_bev, GST, STIXEL_BEV, GstStxPairing)

typedef struct {
  StxBevParams picture;
  StxBevStixelsParams stixels;
} GstStixelBevSettings;

struct _GstStixelBev {
  GstStxPairing parent;

  /* Properties, guarded by the object lock. */
  GstStixelBevSettings settings;
  GstStxCameraSettings camera_settings;
  GstStxMountSettings mount;
  guint64 frames_without;

  /* Of the streaming thread. */
  gboolean is_video;         /* what comes are frames with stixels attached */
  gboolean changed;          /* caps, since pictures were negotiated */
  StxCamera video_camera;    /* of the caps of video, of whatever size */
  GstStxStixelInfo pad_info; /* of the caps of stixels */
  GstStxStixelInfo given;    /* image of the last stixels, and */
  StxCamera camera;          /*   what its camera has become by properties */
  GstVideoInfo video;        /* of pictures */
  GstBevStage drawing;
  gboolean warned; /* of a frame without stixels */
};

/* What the stage works on. */
typedef struct {
  GstBuffer **set, *picture;
  GstObstaclesInput found;       /* stixels NULL: there are none */
  GstStixelBevSettings settings; /* of this frame */
} Frame;

G_DEFINE_FINAL_TYPE(GstStixelBev, gst_stixel_bev, GST_TYPE_STX_PAIRING)
GST_ELEMENT_REGISTER_DEFINE(stixel_bev, "stixel-bev", GST_RANK_NONE, GST_TYPE_STIXEL_BEV)

/* Of video only the metas are read: its format and memory do not matter. */
static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS(
            GST_STX_CUDA_CAPS(GST_STX_STIXELS_MEDIA_TYPE, "") "; video/x-raw; video/x-raw(ANY)"));
static GstStaticPadTemplate points_template = GST_STATIC_PAD_TEMPLATE("points", GST_PAD_SINK,
    GST_PAD_REQUEST, GST_STATIC_CAPS(GST_STX_CUDA_CAPS(GST_STX_LIDAR_MEDIA_TYPE, "")));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_BEV_CAPS));

/* ---- Pictures ------------------------------------------------------------------------------ */

/* Whatever downstream wants, with the frame rate of the stixels. */
static GstFlowReturn announce(GstStxPairing *pairing, guint roles, StxError *error)
{
  GstStixelBev *self = GST_STIXEL_BEV(pairing);
  GstCaps *input, *caps;
  const GValue *rate;

  if (!self->changed)
    return GST_FLOW_OK;
  input = gst_stx_pairing_get_caps(pairing, ROLE_STIXELS);
  caps = gst_caps_make_writable(gst_static_pad_template_get_caps(&src_template));
  rate = gst_structure_get_value(gst_caps_get_structure(input, 0), "framerate");
  if (rate != NULL)
    gst_caps_set_value(caps, "framerate", rate);
  gst_caps_unref(input);
  self->changed = FALSE;
  return gst_stx_pairing_set_src_caps(pairing, caps);
}

/* The size of pictures is downstream's, which may change its mind. */
static GstFlowReturn update_src_caps(GstAggregator *aggregator, GstCaps *possible, GstCaps **caps)
{
  GstStixelBev *self = GST_STIXEL_BEV(aggregator);
  GstCaps *any;
  GstFlowReturn flow = GST_AGGREGATOR_CLASS(gst_stixel_bev_parent_class)
                           ->update_src_caps(aggregator, possible, &any);

  if (flow != GST_FLOW_OK) {
    gst_caps_unref(any);
    return flow;
  }
  *caps = gst_bev_stage_fixate(gst_caps_intersect_full(possible, any, GST_CAPS_INTERSECT_FIRST));
  gst_caps_unref(any);
  return gst_video_info_from_caps(&self->video, *caps) ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED;
}

static gboolean choose_pool(GstStxPairing *pairing, GstQuery *query)
{
  return gst_stx_decide_video_pool(query);
}

/* ---- What a frame brings ------------------------------------------------------------------- */

static GstObstaclesInput look(GstStixelBev *self, GstBuffer *frame)
{
  if (self->is_video)
    return gst_obstacles_stage_look_at_video(frame, &self->video_camera);
  return (GstObstaclesInput){
      .stixels = gst_buffer_get_size(frame) > 0 ? frame : NULL, .info = self->pad_info};
}

/* Counts a frame that brings no stixels, and warns of the first. */
static void miss(GstStixelBev *self, GstBuffer *frame)
{
  GST_OBJECT_LOCK(self);
  self->frames_without++;
  GST_OBJECT_UNLOCK(self);
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

static gboolean is_same_image(const GstStxStixelInfo *a, const GstStxStixelInfo *b)
{
  return a->width == b->width && a->height == b->height && a->stixel_width == b->stixel_width &&
         stx_camera_is_same(&a->camera, &b->camera);
}

/* The camera that counts for stixels of `info`: properties are stronger. */
static gboolean find_camera(GstStixelBev *self, GstStxStixelInfo *info, StxError *error)
{
  gboolean fits = TRUE;
  StxError note = {""};
  GstCaps *caps;

  if (!is_same_image(info, &self->given)) {
    caps = gst_stx_stixel_info_to_caps(info, 0, 1);
    GST_OBJECT_LOCK(self);
    fits = gst_stx_camera_settings_apply(&self->camera_settings, caps, GST_STX_CAMERA_OF_DATA,
        (gint)info->width, (gint)info->height, &self->camera, &note);
    GST_OBJECT_UNLOCK(self);
    gst_caps_unref(caps);
    if (!fits)
      return stx_fail(error, "%s", note.text);
    gst_stx_camera_tell(GST_ELEMENT(self), &note);
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

/* Points stand out from what is below them. */
static StxBevMode point_mode(StxBevStixelMode mode)
{
  return mode == STX_BEV_BY_OBSTACLE ? STX_BEV_CLUSTERS
         : mode == STX_BEV_BY_HEIGHT ? STX_BEV_HEIGHT
                                     : STX_BEV_PLAIN;
}

static GstFlowReturn prepare(GstElement *element, gpointer data, StxError *error)
{
  GstStixelBev *self = GST_STIXEL_BEV(element);
  GstStxStage *stage = gst_stx_pairing_stage(GST_STX_PAIRING(self));
  Frame *frame = data;
  GstFlowReturn flow = announce(GST_STX_PAIRING(self), gst_stx_roles_of(frame->set), error);

  if (flow != GST_FLOW_OK)
    return flow;
  GST_OBJECT_LOCK(self);
  frame->settings = self->settings;
  GST_OBJECT_UNLOCK(self);
  frame->settings.picture.mode = point_mode(frame->settings.stixels.mode);
  if (frame->found.stixels != NULL && !find_camera(self, &frame->found.info, error))
    return GST_FLOW_ERROR;
  gst_stx_stage_blame(stage, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS);
  return stx_bev_stixels_check(&frame->settings.stixels, error) &&
                 gst_bev_stage_prepare(
                     &self->drawing, &frame->settings.picture, &self->video, error)
             ? GST_FLOW_OK
             : GST_FLOW_ERROR;
}

/* Where the LiDAR stands, in the axes of a scan. */
static gboolean find_mount(GstStixelBev *self, gdouble ahead[12], StxError *error)
{
  GstCaps *caps = gst_stx_pairing_get_caps(GST_STX_PAIRING(self), ROLE_POINTS);
  gdouble matrix[12];
  gboolean known;

  GST_OBJECT_LOCK(self);
  known = gst_stx_mount_settings_apply(&self->mount, caps, matrix, error);
  GST_OBJECT_UNLOCK(self);
  gst_clear_caps(&caps);
  if (known)
    stx_mount_to_scan_axes(matrix, ahead);
  return known;
}

static gboolean draw(GstStixelBev *self, const Frame *frame, StxError *error)
{
  gdouble mount[12];

  gst_bev_stage_begin(&self->drawing);
  if (frame->set[ROLE_POINTS] != NULL &&
      (!find_mount(self, mount, error) ||
          !gst_bev_stage_put_scan(&self->drawing, frame->set[ROLE_POINTS], mount, error)))
    return FALSE;
  if (frame->found.stixels != NULL && /* last: their labels stand beside all legends */
      !gst_bev_stage_put_stixels(&self->drawing, &frame->settings.stixels, frame->found.stixels,
          frame->set[ROLE_STIXELS], &frame->found.info, error))
    return FALSE;
  return gst_bev_stage_finish(&self->drawing, frame->picture,
      gst_stx_pairing_stage(GST_STX_PAIRING(self))->place.threads, error);
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  Frame *frame = data;
  GstFlowReturn flow;

  gst_clear_buffer(&frame->picture);
  flow = gst_stx_pairing_acquire(GST_STX_PAIRING(element), &frame->picture, error);
  if (flow == GST_FLOW_OK && !draw(GST_STIXEL_BEV(element), frame, error))
    flow = GST_FLOW_ERROR;
  return flow;
}

/* A view that is small beside what it shows: it is drawn on the CPU. */
static gboolean wants_device(GstElement *element, gpointer data)
{
  return FALSE;
}

static GstFlowReturn process(GstStxPairing *pairing, GstBuffer **set, GstBuffer **out)
{
  GstStixelBev *self = GST_STIXEL_BEV(pairing);
  Frame frame = {.set = set, .found = look(self, set[ROLE_STIXELS])};
  GstFlowReturn flow;

  if (frame.found.stixels == NULL)
    miss(self, set[ROLE_STIXELS]);
  flow = gst_stx_stage_run(gst_stx_pairing_stage(pairing), &frame);
  if (flow == GST_FLOW_OK)
    *out = g_steal_pointer(&frame.picture);
  gst_clear_buffer(&frame.picture);
  return flow;
}

/* ---- Streams ------------------------------------------------------------------------------- */

static gboolean take_caps(GstStixelBev *self, guint role, GstCaps *caps, StxError *error)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);

  if (role == ROLE_POINTS)
    return gst_stx_check_scan_caps(GST_ELEMENT(self), caps, error);
  self->changed = TRUE;
  self->given = (GstStxStixelInfo){0};
  self->is_video = gst_structure_has_name(structure, "video/x-raw");
  gst_stx_camera_from_caps(caps, &self->video_camera);
  if (self->is_video)
    return TRUE;
  if (!gst_structure_has_name(structure, GST_STX_STIXELS_MEDIA_TYPE))
    return stx_fail(error,
        "expected " GST_STX_STIXELS_MEDIA_TYPE
        ", or video/x-raw with stixels attached, not %.60s: put stixel-bev behind sat-dp-stixels, "
        "rdp-columns, stixel-overlay or stereo-stixels",
        gst_structure_get_name(structure));
  return gst_stx_stixels_caps_parse(caps, &self->pad_info, error);
}

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps)
{
  StxError error;

  if (take_caps(GST_STIXEL_BEV(pairing), role, caps, &error))
    return TRUE;
  GST_STX_ELEMENT_ERROR(pairing, STREAM, FORMAT, &error);
  return FALSE;
}

static gboolean start(GstAggregator *aggregator)
{
  GstStixelBev *self = GST_STIXEL_BEV(aggregator);

  GST_OBJECT_LOCK(self);
  self->frames_without = 0;
  GST_OBJECT_UNLOCK(self);
  self->changed = TRUE;
  self->warned = FALSE;
  return gst_stx_camera_settings_load(&self->camera_settings, GST_ELEMENT(self)) &&
         gst_stx_mount_settings_load(&self->mount, &self->camera_settings, GST_ELEMENT(self)) &&
         GST_AGGREGATOR_CLASS(gst_stixel_bev_parent_class)->start(aggregator);
}

static gboolean stop(GstAggregator *aggregator)
{
  gst_bev_stage_clear(&GST_STIXEL_BEV(aggregator)->drawing);
  return GST_AGGREGATOR_CLASS(gst_stixel_bev_parent_class)->stop(aggregator);
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxField counts[] = {
    {"frames-without-stixels", "Frames without stixels",
        "Number of frames since the start that brought no stixels",
        STX_FIELD(COUNT, GstStixelBev, frames_without)},
};
static const StxFields count_table = {STX_FIELDS_OF(counts)};

static const GstStxPropertyGroup properties[] = {
    {&stx_bev_stixels_fields, offsetof(GstStixelBev, settings.stixels), GST_PARAM_MUTABLE_PLAYING,
        "GstStixelBev"},
    {&stx_bev_ahead_fields, offsetof(GstStixelBev, settings.picture), GST_PARAM_MUTABLE_PLAYING,
        "GstStixelBev"},
    {&stx_mount_fields, offsetof(GstStixelBev, mount.single), GST_PARAM_MUTABLE_PLAYING,
        "GstStixelBev"},
    GST_STX_CAMERA_PROPERTIES(GstStixelBev, camera_settings),
    GST_STX_CAMERA_IMAGE_PROPERTIES(GstStixelBev, camera_settings),
    {&count_table, 0, 0},
};

/* ---- Class --------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  GstStixelBev *self = GST_STIXEL_BEV(object);

  gst_stx_camera_settings_clear(&self->camera_settings);
  gst_bev_stage_clear(&self->drawing);
  G_OBJECT_CLASS(gst_stixel_bev_parent_class)->finalize(object);
}

static void gst_stixel_bev_init(GstStixelBev *self)
{
  self->settings = (GstStixelBevSettings){STX_BEV_AHEAD_DEFAULTS, STX_BEV_STIXELS_DEFAULTS};
  gst_stx_camera_settings_init(&self->camera_settings);
  gst_stx_pairing_add_pad(GST_STX_PAIRING(self), ROLE_STIXELS);
}

static void gst_stixel_bev_class_init(GstStixelBevClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstElementClass *element = GST_ELEMENT_CLASS(klass);
  GstAggregatorClass *aggregator = GST_AGGREGATOR_CLASS(klass);
  GstStxPairingClass *pairing = GST_STX_PAIRING_CLASS(klass);
  GstStaticPadTemplate *const templates[] = {&sink_template, &points_template, &src_template};

  GST_DEBUG_CATEGORY_INIT(stixel_bev_debug, "stixel-bev", 0, "stixels from above");
  gst_stx_properties_install(object, properties, G_N_ELEMENTS(properties));
  object->finalize = finalize;
  gst_stx_element_describe(element, "stixel-bev", "Stixels from above", "Filter/Converter/Video",
      "Draws stixels, and a LiDAR scan over them, from above and to scale");
  for (guint i = 0; i < G_N_ELEMENTS(templates); i++)
    gst_element_class_add_static_pad_template_with_gtype(
        element, templates[i], GST_TYPE_AGGREGATOR_PAD);

  aggregator->update_src_caps = update_src_caps;
  aggregator->start = start;
  aggregator->stop = stop;
  pairing->roles.names[ROLE_STIXELS] = "sink";
  pairing->roles.names[ROLE_POINTS] = "points";
  pairing->roles.optional = 1u << ROLE_POINTS;
  pairing->stage.host = &stx_sheet_impls;
  pairing->stage.device = &stx_sheet_cuda_impls;
  pairing->stage.prepare = prepare;
  pairing->stage.work = work;
  pairing->stage.wants_device = wants_device;
  pairing->set_role_caps = set_role_caps;
  pairing->announce = announce;
  pairing->process = process;
  pairing->choose_pool = choose_pool;
}
