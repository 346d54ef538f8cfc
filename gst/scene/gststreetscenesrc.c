/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-street-scene-src
 * @title: street-scene-src
 *
 * A synthetic street seen by a stereo camera and a LiDAR on a moving car, one view per element: the
 * left or the right picture, the exact disparity or classes of the left one, the points of a scan
 * or their labels. Frame n depends on the seed, n, the size and the frame rate only, so elements
 * with equal properties stay in step; live ones, too, whenever each of them began.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src num-buffers=100 ! videoconvert ! autovideosink
 * ]|
 * |[
 * gst-launch-1.0 street-scene-src view=lidar num-buffers=2 ! multifilesink location=/tmp/%06d.bin
 * ]|
 */
#include "gst/core/elements.h"

#include <gst/base/gstpushsrc.h>

#include "gst/core/element.h"
#include "gst/core/properties.h"
#include "gst/lidar/lidarmeta.h"
#include "gst/scene/sceneviews.h"

enum { PROP_IS_LIVE = 1 };

G_DECLARE_FINAL_TYPE(GstStreetSceneSrc, gst_street_scene_src, GST, STREET_SCENE_SRC, GstPushSrc)

struct _GstStreetSceneSrc {
  GstPushSrc parent;

  /* Guarded by the object lock. */
  GstStreetSceneSettings settings;
  GstVideoInfo info; /* of the current caps; fps 0/1 before the first ones */
  GstClockID wait;   /* of a live camera: for the end of a frame */
  gboolean unlocked; /* … which is not waited for now */

  /* Used by the streaming thread only. */
  StxScene *scene;
  GstStreetSceneView view; /* view of the current caps */
  StxSceneLidar lidar;     /* likewise */
  GstClockTime position;   /* where to go on; NONE: at `frame` */
  gboolean reverse;
  guint first_frame; /* shown at stream time 0 */
  gboolean round_up; /* go on at the first frame that begins at or after `position` */
  gint64 frame;      /* the next one, counted from stream time 0 */
};

G_DEFINE_TYPE(GstStreetSceneSrc, gst_street_scene_src, GST_TYPE_PUSH_SRC)
GST_STX_ELEMENT(street_scene_src, "street-scene-src")

GST_STX_PAD(src, SRC, ALWAYS, GST_STREET_SCENE_CAPS);

/* ---- A live camera ------------------------------------------------------------------------- */

/* Frame n lasts from n to n + 1 frame durations after the running time 0 of the pipeline, whenever
 * the source begins, so that all that are live show the same moment at the same time. */

#define LONGEST 3600 /* seconds */

/* FALSE with a text in `error`: a frame lasts for more than an hour, and comes when it ends. */
static gboolean check_live(const GstVideoInfo *info, StxError *error)
{
  if (info->fps_n <= 0 || (gint64)info->fps_d <= (gint64)info->fps_n * LONGEST)
    return TRUE;
  return stx_fail(error,
      "framerate=%d/%d with is-live=true: the first frame would come after %d hours; choose 1/%d "
      "or more",
      info->fps_n, info->fps_d, info->fps_d / info->fps_n / 3600, LONGEST);
}

/* Which frame to deliver in place of `frame`: the one that lasts now, if that one is late by more
 * than a frame. Cameras do not keep what they could not deliver. */
static gint64 skip_late(GstElement *element, const GstVideoInfo *info, gint64 frame)
{
  GstClockTime now = gst_element_get_current_running_time(element);
  guint64 unit = (guint64)info->fps_d * GST_SECOND;
  gint64 current;

  if (!GST_CLOCK_TIME_IS_VALID(now) || info->fps_n <= 0)
    return frame;
  current = (gint64)gst_util_uint64_scale(now, (guint64)info->fps_n, unit);
  return current > frame + 1 ? current : frame;
}

/* ---- Caps ----------------------------------------------------------------------------------- */

static GstStreetSceneSettings snapshot(GstStreetSceneSrc *self)
{
  GstStreetSceneSettings settings;

  GST_STX_LOCKED(self, settings = self->settings);
  settings.camera.calibration = settings.lens_calibration = NULL; /* may be freed at any time */
  settings.params.seed = settings.seed;
  settings.lidar = gst_street_scene_lidar(&settings);
  return settings;
}

static GstCaps *get_caps(GstBaseSrc *base, GstCaps *filter)
{
  return gst_stx_caps_filtered(
      gst_street_scene_view_caps(snapshot(GST_STREET_SCENE_SRC(base)).view), filter);
}

/* GstBaseSrc only says that something went wrong. */
static gboolean negotiate(GstBaseSrc *base)
{
  g_autoptr(GstCaps) ours = NULL, theirs = NULL;

  if (GST_BASE_SRC_CLASS(gst_street_scene_src_parent_class)->negotiate(base))
    return TRUE;
  ours = gst_pad_query_caps(base->srcpad, NULL);
  theirs = gst_pad_peer_query_caps(base->srcpad, NULL);
  if (!GST_PAD_IS_FLUSHING(base->srcpad) && !gst_caps_can_intersect(ours, theirs)) {
    g_autofree gchar *we = gst_caps_to_string(ours), *they = gst_caps_to_string(theirs);

    GST_ELEMENT_ERROR(base, CORE, NEGOTIATION,
        ("This view gives %s, but what follows takes %s only", we, they), (NULL));
  }
  return FALSE;
}

static GstCaps *fixate(GstBaseSrc *base, GstCaps *caps)
{
  GstStreetSceneSettings settings = snapshot(GST_STREET_SCENE_SRC(base));

  caps = gst_street_scene_view_fixate(&settings, caps);
  return GST_BASE_SRC_CLASS(gst_street_scene_src_parent_class)->fixate(base, caps);
}

static GstClockTime time_of(const GstVideoInfo *info, gint64 frame)
{
  return gst_util_uint64_scale(
      (guint64)frame, (guint64)info->fps_d * GST_SECOND, (guint64)info->fps_n);
}

/* A new rate in mid-stream goes on where the old one stopped. */
static void take_info(GstStreetSceneSrc *self, const GstVideoInfo *info)
{
  GST_OBJECT_LOCK(self);
  if (self->position == GST_CLOCK_TIME_NONE &&
      (self->info.fps_n != info->fps_n || self->info.fps_d != info->fps_d)) {
    self->position = time_of(&self->info, MAX(self->frame, 0));
    self->round_up = TRUE;
  }
  self->info = *info;
  GST_OBJECT_UNLOCK(self);
}

/* The street of a stream; scans need no camera. */
static StxScene *scene_for(GstElement *element, const GstStreetSceneSettings *settings,
    const GstCaps *caps, const GstVideoInfo *info, StxError *error)
{
  StxSceneParams params = settings->params;

  params.width = params.height = 1;
  params.fps_n = info->fps_n;
  params.fps_d = info->fps_d;
  if (gst_street_scene_view_is_lidar(settings->view)) {
    if (!stx_scene_lidar_check(&settings->lidar, error))
      return NULL;
  } else {
    params.width = info->width;
    params.height = info->height;
    if (!gst_street_scene_camera(settings, caps, info->width, info->height, &params.camera, error))
      return NULL;
    gst_stx_camera_tell(element, error);
    params.calibration = settings->is_real ? &settings->real : NULL;
  }
  return stx_scene_new(&params, error);
}

static gboolean set_caps(GstBaseSrc *base, GstCaps *caps)
{
  GstStreetSceneSrc *self = GST_STREET_SCENE_SRC(base);
  GstStreetSceneSettings settings = snapshot(self);
  StxError error = {""};
  GstVideoInfo info;

  if (!gst_street_scene_view_info(settings.view, caps, &info)) {
    g_autofree gchar *text = gst_caps_to_string(caps);

    GST_ELEMENT_ERROR(
        self, CORE, NEGOTIATION, ("These caps are not of the view: %s", text), (NULL));
    return FALSE;
  }
  g_clear_pointer(&self->scene, stx_scene_free);
  if (!gst_base_src_is_live(base) || check_live(&info, &error))
    self->scene = scene_for(GST_ELEMENT(self), &settings, caps, &info, &error);
  if (self->scene == NULL) {
    GST_STX_ELEMENT_ERROR(self, LIBRARY, SETTINGS, &error);
    return FALSE;
  }
  self->view = settings.view;
  self->lidar = settings.lidar;
  self->first_frame = settings.first_frame;
  take_info(self, &info);
  return TRUE;
}

static gboolean decide_allocation(GstBaseSrc *base, GstQuery *query)
{
  GstStreetSceneSrc *self = GST_STREET_SCENE_SRC(base);

  return gst_street_scene_view_decide(self->view, &self->lidar, query) &&
         GST_BASE_SRC_CLASS(gst_street_scene_src_parent_class)->decide_allocation(base, query);
}

/* ---- Frames --------------------------------------------------------------------------------- */

/* Turns a position in time into the next frame. */
static void find_frame(GstStreetSceneSrc *self)
{
  guint64 unit = (guint64)self->info.fps_d * GST_SECOND, rate = (guint64)self->info.fps_n;
  GstClockTime now;

  if (self->position == GST_CLOCK_TIME_NONE)
    return;
  /* A live stream begins now, if that is later; without a clock at its position. */
  now = gst_element_get_current_running_time(GST_ELEMENT(self));
  if (gst_base_src_is_live(GST_BASE_SRC(self)) && GST_CLOCK_TIME_IS_VALID(now)) {
    self->position = MAX(self->position, now);
    self->round_up = TRUE;
  }
  self->frame = (gint64)(self->round_up ? gst_util_uint64_scale_ceil(self->position, rate, unit)
                                        : gst_util_uint64_scale(self->position, rate, unit));
  /* The begin of a frame may have been rounded down to whole nanoseconds. */
  if (!self->round_up && time_of(&self->info, self->frame + 1) <= self->position)
    self->frame++;
  if (self->reverse)
    self->frame -= time_of(&self->info, self->frame) == self->position;
  self->position = GST_CLOCK_TIME_NONE;
  self->round_up = FALSE;
}

static gint frame_count(GstStreetSceneSrc *self)
{
  gint count;

  g_object_get(self, "num-buffers", &count, NULL);
  return count;
}

/* A frame of a live camera is there when it ends. */
static GstFlowReturn wait_for_end(GstStreetSceneSrc *self)
{
  GstClockTime end = time_of(&self->info, self->frame + 1);
  gboolean unlocked;

  GST_OBJECT_LOCK(self);
  unlocked = self->unlocked;
  if (!unlocked && GST_ELEMENT_CLOCK(self) != NULL)
    self->wait = gst_clock_new_single_shot_id(
        GST_ELEMENT_CLOCK(self), GST_ELEMENT_CAST(self)->base_time + end);
  GST_OBJECT_UNLOCK(self);
  if (self->wait != NULL)
    unlocked = gst_clock_id_wait(self->wait, NULL) == GST_CLOCK_UNSCHEDULED;
  GST_STX_LOCKED(self, g_clear_pointer(&self->wait, gst_clock_id_unref));
  return unlocked ? GST_FLOW_FLUSHING : GST_FLOW_OK;
}

static GstFlowReturn fill(GstPushSrc *src, GstBuffer *buffer)
{
  GstStreetSceneSrc *self = GST_STREET_SCENE_SRC(src);
  gboolean live = gst_base_src_is_live(GST_BASE_SRC(self));
  gint count = live ? -1 : frame_count(self); /* of a live camera the base class counts */
  GstFlowReturn flow = GST_FLOW_OK;
  StxError error = {""};
  gboolean skipped;
  gint64 first;

  if (self->scene == NULL)
    return GST_FLOW_NOT_NEGOTIATED;
  find_frame(self);
  first = self->frame;
  if (live)
    self->frame = skip_late(GST_ELEMENT(self), &self->info, first);
  skipped = self->frame > first; /* some are left out */
  if (live)
    GST_STX_LOCKED(self, self->settings.skipped += (guint64)(self->frame - first));
  if (self->frame < 0 || (count >= 0 && self->frame >= count && !self->reverse))
    return GST_FLOW_EOS;
  stx_scene_move(self->scene, (guint64)self->frame + self->first_frame);
  if (!gst_street_scene_view_write(
          self->view, self->scene, &self->info, &self->lidar, buffer, &error)) {
    GST_STX_ELEMENT_ERROR(self, RESOURCE, WRITE, &error);
    return GST_FLOW_ERROR;
  }
  GST_BUFFER_PTS(buffer) = time_of(&self->info, self->frame);
  GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION(buffer) = time_of(&self->info, self->frame + 1) - GST_BUFFER_PTS(buffer);
  GST_BUFFER_OFFSET(buffer) = (guint64)self->frame;
  GST_BUFFER_OFFSET_END(buffer) = (guint64)self->frame + 1;
  if (gst_street_scene_view_is_lidar(self->view))
    gst_stx_lidar_meta_attach(GST_BASE_SRC_PAD(self), buffer, (guint64)self->frame);
  if (skipped)
    GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  if (live && self->info.fps_n > 0)
    flow = wait_for_end(self);
  self->frame += self->reverse ? -1 : 1;
  return flow;
}

static void set_unlocked(GstBaseSrc *base, gboolean unlocked)
{
  GstStreetSceneSrc *self = GST_STREET_SCENE_SRC(base);

  GST_OBJECT_LOCK(self);
  self->unlocked = unlocked;
  if (unlocked && self->wait != NULL)
    gst_clock_id_unschedule(self->wait);
  GST_OBJECT_UNLOCK(self);
}

static gboolean unlock(GstBaseSrc *base)
{
  set_unlocked(base, TRUE);
  return TRUE;
}

static gboolean unlock_stop(GstBaseSrc *base)
{
  set_unlocked(base, FALSE);
  return TRUE;
}

/* ---- Seeking, queries, life ------------------------------------------------------------------ */

static gboolean is_seekable(GstBaseSrc *base)
{
  return !gst_base_src_is_live(base);
}

static gboolean do_seek(GstBaseSrc *base, GstSegment *segment)
{
  GstStreetSceneSrc *self = GST_STREET_SCENE_SRC(base);

  segment->time = segment->start;
  base->num_buffers_left = base->num_buffers; /* here the drive's length, which fill looks at */
  self->position = segment->position;
  self->reverse = segment->rate < 0;
  self->round_up = FALSE;
  return TRUE;
}

static gboolean answer_convert(GstStreetSceneSrc *self, GstQuery *query)
{
  GstFormat from, to;
  gint64 value, result;
  GstVideoInfo info;

  gst_query_parse_convert(query, &from, &value, &to, NULL);
  GST_STX_LOCKED(self, info = self->info);
  if (info.size == 0) { /* a scan: no two are of the same size */
    if (from == GST_FORMAT_BYTES || to == GST_FORMAT_BYTES)
      return FALSE;
    info.size = 1; /* converts nothing without */
  }
  if (info.fps_n == 0 || !gst_video_info_convert(&info, from, value, to, &result))
    return FALSE;
  gst_query_set_convert(query, from, value, to, result);
  return TRUE;
}

/* Known as soon as the number of frames and the rate are. */
static gboolean answer_duration(GstStreetSceneSrc *self, GstQuery *query)
{
  gint count = frame_count(self);
  GstVideoInfo info;
  GstFormat format;

  gst_query_parse_duration(query, &format, NULL);
  GST_STX_LOCKED(self, info = self->info);
  if (count < 0 || info.fps_n == 0 || (format != GST_FORMAT_TIME && format != GST_FORMAT_DEFAULT))
    return FALSE;
  gst_query_set_duration(
      query, format, format == GST_FORMAT_TIME ? (gint64)time_of(&info, count) : count);
  return TRUE;
}

static gboolean query(GstBaseSrc *base, GstQuery *query)
{
  GstStreetSceneSrc *self = GST_STREET_SCENE_SRC(base);
  gboolean answered = FALSE;
  GstVideoInfo info;

  if (GST_QUERY_TYPE(query) == GST_QUERY_CONVERT)
    answered = answer_convert(self, query);
  else if (GST_QUERY_TYPE(query) == GST_QUERY_DURATION)
    answered = answer_duration(self, query);
  GST_STX_LOCKED(self, info = self->info);
  if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY && gst_base_src_is_live(base) && info.fps_n > 0) {
    gst_query_set_latency(query, TRUE, time_of(&info, 1), time_of(&info, 1)); /* when it ends */
    return TRUE;
  }
  return answered || GST_BASE_SRC_CLASS(gst_street_scene_src_parent_class)->query(base, query);
}

static gboolean start(GstBaseSrc *base)
{
  GstStreetSceneSrc *self = GST_STREET_SCENE_SRC(base);

  self->position = GST_CLOCK_TIME_NONE;
  self->frame = 0;
  self->reverse = self->round_up = FALSE;
  GST_OBJECT_LOCK(self);
  gst_video_info_init(&self->info);
  self->info.fps_n = 0;
  self->settings.skipped = 0;
  GST_OBJECT_UNLOCK(self);
  return gst_street_scene_settings_load(&self->settings, GST_ELEMENT(self));
}

static gboolean stop(GstBaseSrc *base)
{
  g_clear_pointer(&GST_STREET_SCENE_SRC(base)->scene, stx_scene_free);
  return TRUE;
}

/* ---- Properties ------------------------------------------------------------------------------ */

static const GstStxPropertyGroup properties[] = {
    GST_STREET_SCENE_PROPERTIES(GstStreetSceneSrc, settings),
};

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  if (id == PROP_IS_LIVE)
    gst_base_src_set_live(GST_BASE_SRC(object), g_value_get_boolean(value));
  else
    gst_stx_set_property(object, id, value, spec);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  if (id == PROP_IS_LIVE)
    g_value_set_boolean(value, gst_base_src_is_live(GST_BASE_SRC(object)));
  else
    gst_stx_get_property(object, id, value, spec);
}

static void finalize(GObject *object)
{
  gst_street_scene_settings_clear(&GST_STREET_SCENE_SRC(object)->settings);
  G_OBJECT_CLASS(gst_street_scene_src_parent_class)->finalize(object);
}

static void gst_street_scene_src_class_init(GstStreetSceneSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  GstBaseSrcClass *base_class = GST_BASE_SRC_CLASS(klass);

  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  g_object_class_install_property(object_class, PROP_IS_LIVE,
      g_param_spec_boolean("is-live", "Is live", "Deliver frames in real time", FALSE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY));
  gst_stx_element_add_templates(klass, &src_template, NULL);
  gst_stx_element_describe(klass, "street-scene-src", "Synthetic street", "Source/Video",
      "Shows a street to a moving stereo camera and a LiDAR, with exact disparity and classes");
  base_class->get_caps = get_caps;
  base_class->negotiate = negotiate;
  base_class->fixate = fixate;
  base_class->set_caps = set_caps;
  base_class->decide_allocation = decide_allocation;
  base_class->is_seekable = is_seekable;
  base_class->do_seek = do_seek;
  base_class->query = query;
  base_class->unlock = unlock;
  base_class->unlock_stop = unlock_stop;
  base_class->start = start;
  base_class->stop = stop;
  GST_PUSH_SRC_CLASS(klass)->fill = fill;
}

static void gst_street_scene_src_init(GstStreetSceneSrc *self)
{
  self->position = GST_CLOCK_TIME_NONE;
  gst_street_scene_settings_init(&self->settings);
  gst_base_src_set_format(GST_BASE_SRC(self), GST_FORMAT_TIME);
}
