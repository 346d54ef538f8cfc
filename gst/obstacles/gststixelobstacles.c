/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-stixel-obstacles
 * @title: stixel-obstacles
 *
 * Groups stixels, or the clusters of a LiDAR scan, into obstacles with a place and a size in
 * metres, follows them from frame to frame, and says how far the way is free. What passes gets them
 * as a meta; pictures also as #GstVideoRegionOfInterestMeta and, with GStreamer 1.24, as
 * #GstAnalyticsRelationMeta. Messages tell when something enters a corridor ahead.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 -m street-scene-src view=disparity num-buffers=20 ! downsample-transpose !
 *     sat-dp-stixels ! stixel-obstacles post-messages=true ! fakesink
 * ]|
 */
#include "gst/core/elements.h"

#include "gst/base/inputs.h"
#include "gst/core/camera.h"
#include "gst/columns/columns.h"
#include "gst/lidar/lidarmeta.h"
#include "gst/obstacles/freemask.h"
#include "gst/obstacles/regions.h"
#include "gst/core/frametime.h"
#include "gst/core/stats.h"
#include "gst/core/element.h"
#include "gst/core/memory.h"
#include "gst/core/properties.h"
#include "gst/cuda/cuda.h"
#include "gst/obstacles/obstaclesstage.h"

GST_DEBUG_CATEGORY_STATIC(stixel_obstacles_debug);
#define GST_CAT_DEFAULT stixel_obstacles_debug

#define SOURCE "source"
#define STEREO "stereo"
#define LIDAR "lidar"
#define VIDEO "video/x-raw"

#define INPUTS                                                                                     \
  GST_STX_CUDA_CAPS(GST_STX_STIXELS_MEDIA_TYPE, "")                                                \
  "; video/x-raw; video/x-raw(ANY); " GST_STX_CUDA_CAPS(GST_STX_LIDAR_MEDIA_TYPE, "")

typedef enum { OF_STIXELS, OF_VIDEO, OF_SCANS } Input;

typedef struct {
  StxObstaclesParams params;
  bool post_messages;
  bool free_space_mask;
} GstStixelObstaclesSettings;

G_DECLARE_FINAL_TYPE(
    GstStixelObstacles, gst_stixel_obstacles, GST, STIXEL_OBSTACLES, GstBaseTransform)

struct _GstStixelObstacles {
  GstBaseTransform parent;

  /* Guarded by the object lock. */
  GstStixelObstaclesSettings settings;
  GstStxStats stats;
  guint64 frames_without;

  /* Used by the streaming thread only. */
  GstStixelObstaclesSettings active; /* settings of this frame */
  Input input;
  gboolean gives_records; /* and not the input */
  gint width, height;     /* of video */
  StxCamera video_camera; /* of whatever size */
  GstStxStixelInfo info;  /* of stixels; of the records of video those announced */
  GstStxFrameTime times;
  GstObstaclesStage stage;
  gboolean warned;    /* of a frame without stixels, or there was one with them */
  gboolean misplaced; /* the user was warned of a frame whose metas do not fit its size */
  gboolean unmasked;  /* the user was warned of a frame that got no mask */
};

G_DEFINE_FINAL_TYPE(GstStixelObstacles, gst_stixel_obstacles, GST_TYPE_BASE_TRANSFORM)
GST_STX_ELEMENT(stixel_obstacles, "stixel-obstacles")

GST_STX_PAD(sink, SINK, ALWAYS, INPUTS);
GST_STX_PAD(src, SRC, ALWAYS, INPUTS "; " GST_STX_OBSTACLES_MEDIA_TYPE);

/* ---- Caps ---------------------------------------------------------------------------------- */

/* application/x-obstacles: StxObstacle records (common/obstacle.h), one buffer per frame. Of
 * stixels the caps have the fields that those have (columns.h); of a scan framerate alone. `source`
 * says which: stereo or lidar. */

/* `name` with the frame rate of `from`, fixed or not. */
static GstStructure *with_rate_of(const GstStructure *from, const gchar *name)
{
  const GValue *rate = gst_structure_get_value(from, "framerate");
  GstStructure *to = gst_structure_new_empty(name);

  if (rate != NULL)
    gst_structure_set_value(to, "framerate", rate);
  return to;
}

static gboolean is_points(const GstStructure *structure)
{
  return gst_structure_has_name(structure, GST_STX_LIDAR_MEDIA_TYPE);
}

/* The caps of obstacles of one structure of stixels, points or video. */
static GstStructure *records_of(const GstStructure *input)
{
  GstStructure *obstacles = gst_structure_has_name(input, GST_STX_STIXELS_MEDIA_TYPE)
                                ? gst_stx_columns_rename(input, GST_STX_OBSTACLES_MEDIA_TYPE)
                                : with_rate_of(input, GST_STX_OBSTACLES_MEDIA_TYPE);

  gst_structure_set(obstacles, SOURCE, G_TYPE_STRING, is_points(input) ? LIDAR : STEREO, NULL);
  return obstacles;
}

/* Whether that is one of the sources that they may have. */
static gboolean may_be_of(const GstStructure *obstacles, const gchar *source)
{
  g_autoptr(GstStructure) other = gst_structure_new("s", SOURCE, G_TYPE_STRING, source, NULL);
  const GValue *named = gst_structure_get_value(obstacles, SOURCE);

  return named == NULL || gst_value_can_intersect(named, gst_structure_get_value(other, SOURCE));
}

static void append(GstCaps *caps, GstStructure *structure)
{
  gst_caps_append_structure_full(caps, structure, gst_caps_features_new_any());
}

static gboolean is_known(const GstStructure *structure)
{
  return gst_structure_has_name(structure, GST_STX_STIXELS_MEDIA_TYPE) ||
         gst_structure_has_name(structure, VIDEO) || is_points(structure);
}

static void append_same(GstCaps *same, const GstCaps *caps, guint index)
{
  gst_caps_append_structure_full(same, gst_structure_copy(gst_caps_get_structure(caps, index)),
      gst_caps_features_copy(gst_caps_get_features(caps, index)));
}

/* The possible outputs for these inputs: the same in any memory, and after it the records. Any
 * input is allowed here, so that unsuitable caps are refused later, with a reason. */
static GstCaps *outputs_of(const GstCaps *inputs)
{
  GstCaps *same = gst_caps_new_empty(), *records = gst_caps_new_empty();

  for (guint i = 0; i < gst_caps_get_size(inputs); i++) {
    const GstStructure *structure = gst_caps_get_structure(inputs, i);

    if (is_known(structure))
      append_same(same, inputs, i);
    else
      gst_caps_append(same, gst_caps_from_string(GST_STX_STIXELS_MEDIA_TYPE
                                "; " VIDEO "; " GST_STX_LIDAR_MEDIA_TYPE));
    gst_caps_append_structure(records, records_of(structure));
  }
  return gst_caps_merge(same, records);
}

/* The possible inputs for these outputs. The sizes of video are not those of its stixels: they are
 * left open. */
static GstCaps *inputs_of(const GstCaps *outputs)
{
  GstCaps *same = gst_caps_new_empty(), *inputs = gst_caps_new_empty();

  for (guint i = 0; i < gst_caps_get_size(outputs); i++) {
    const GstStructure *structure = gst_caps_get_structure(outputs, i);

    if (is_known(structure))
      append_same(same, outputs, i);
    if (!gst_structure_has_name(structure, GST_STX_OBSTACLES_MEDIA_TYPE))
      continue;
    if (may_be_of(structure, STEREO)) {
      append(inputs, gst_stx_columns_rename(structure, GST_STX_STIXELS_MEDIA_TYPE));
      append(inputs, with_rate_of(structure, VIDEO));
    }
    if (may_be_of(structure, LIDAR))
      append(inputs, with_rate_of(structure, GST_STX_LIDAR_MEDIA_TYPE));
  }
  return gst_caps_merge(same, inputs);
}

static gboolean refuse_input(const GstCaps *caps, StxError *error)
{
  return stx_fail(error,
      "expected " GST_STX_STIXELS_MEDIA_TYPE ", " VIDEO
      " with stixels attached, or " GST_STX_LIDAR_MEDIA_TYPE
      " with labels, not %.60s: put stixel-obstacles behind "
      "sat-dp-stixels, stixel-overlay or lidar-ground",
      gst_structure_get_name(gst_caps_get_structure(caps, 0)));
}

/* Fixed caps of the obstacles of video whose stixels are those of `info`; framerate is taken from
 * `timing`. */
static GstCaps *caps_of_video(const GstStxStixelInfo *info, const GstCaps *timing)
{
  GstCaps *caps = gst_caps_new_full(records_of(gst_caps_get_structure(timing, 0)), NULL);

  gst_caps_set_simple(caps, "width", G_TYPE_INT, info->width, "height", G_TYPE_INT, info->height,
      "stixel-width", G_TYPE_INT, info->stixel_width, "columns", G_TYPE_INT, info->columns, NULL);
  gst_stx_camera_to_structure(&info->camera, gst_caps_get_structure(caps, 0));
  return caps;
}

static gboolean is_of(const GstCaps *caps, const gchar *name)
{
  return gst_structure_has_name(gst_caps_get_structure(caps, 0), name);
}

static GstCaps *transform_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstCaps *other = direction == GST_PAD_SINK ? outputs_of(caps) : inputs_of(caps);

  return gst_stx_caps_filtered(other, filter);
}

static GstCaps *fixate_caps(
    GstBaseTransform *base, GstPadDirection direction, GstCaps *caps, GstCaps *other)
{
  GstStixelObstacles *self = GST_STIXEL_OBSTACLES(base);

  other = gst_caps_fixate(other);
  if (direction == GST_PAD_SRC || gst_caps_is_empty(other) ||
      !is_of(other, GST_STX_OBSTACLES_MEDIA_TYPE) || self->info.width == 0 ||
      !is_of(caps, "video/x-raw"))
    return other;
  gst_caps_unref(other);
  return caps_of_video(&self->info, caps);
}

static gboolean configure(GstStixelObstacles *self, const GstCaps *caps, StxError *error)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);

  if (is_of(caps, GST_STX_STIXELS_MEDIA_TYPE)) {
    self->input = OF_STIXELS;
    return gst_stx_stixels_caps_parse(caps, &self->info, error) &&
           gst_obstacles_stage_check_camera(&self->info.camera, error);
  }
  if (is_of(caps, "video/x-raw")) {
    self->input = OF_VIDEO;
    gst_stx_camera_from_caps(caps, &self->video_camera);
    return (gst_structure_get_int(structure, "width", &self->width) &&
               gst_structure_get_int(structure, "height", &self->height)) ||
           refuse_input(caps, error);
  }
  self->input = OF_SCANS;
  return is_of(caps, GST_STX_LIDAR_MEDIA_TYPE) || refuse_input(caps, error);
}

static gboolean set_caps(GstBaseTransform *base, GstCaps *input, GstCaps *output)
{
  GstStixelObstacles *self = GST_STIXEL_OBSTACLES(base);
  StxError error;

  self->gives_records = is_of(output, GST_STX_OBSTACLES_MEDIA_TYPE);
  gst_base_transform_set_in_place(base, !self->gives_records);
  gst_stx_frame_time_set_caps(&self->times, input);
  if (configure(self, input, &error))
    return TRUE;
  GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
  return FALSE;
}

/* The sizes of records of video are those of its stixels: known with the first of them, and then
 * whenever caps are made anew. */
static GstFlowReturn announce(GstStixelObstacles *self, const GstStxStixelInfo *info)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM(self);
  g_autoptr(GstCaps) input = NULL, caps = NULL;

  if (self->info.width == info->width && self->info.height == info->height &&
      self->info.stixel_width == info->stixel_width &&
      stx_camera_is_same(&self->info.camera, &info->camera))
    return GST_FLOW_OK;
  self->info = *info;
  input = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(base));
  caps = caps_of_video(info, input);
  if (gst_base_transform_update_src_caps(base, caps))
    return GST_FLOW_OK;
  return GST_PAD_IS_FLUSHING(GST_BASE_TRANSFORM_SRC_PAD(base)) ? GST_FLOW_FLUSHING
                                                               : GST_FLOW_NOT_NEGOTIATED;
}

/* ---- What a frame brings ------------------------------------------------------------------- */

/* Finds the frame's input. Stixels in video that have no camera get that of the caps. */
static GstObstaclesInput look(GstStixelObstacles *self, GstBuffer *frame)
{
  if (self->input == OF_VIDEO)
    return gst_obstacles_stage_look_at_video(frame, &self->video_camera);
  if (self->input == OF_SCANS)
    return gst_obstacles_stage_look_at_scan(frame);
  return (GstObstaclesInput){
      .stixels = frame, .info = self->info, .motion = gst_buffer_get_stx_motion_meta(frame)};
}

/* Counts a frame that brings nothing to look at, and warns of the first unless others brought
 * something: what got lost, the element says that lost it. */
static void miss(GstStixelObstacles *self, GstBuffer *frame)
{
  gboolean scan = self->input == OF_SCANS;

  GST_STX_LOCKED(self, self->frames_without++);
  GST_DEBUG_OBJECT(self, "nothing to look at in %" GST_PTR_FORMAT, frame);
  if (self->warned)
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING(self, STREAM, FAILED,
      ("The %s at %" GST_TIME_FORMAT
       " has no %s: it and others like it pass without obstacles; if all are like it, put "
       "%s before stixel-obstacles",
          scan ? "scan" : "frame", GST_TIME_ARGS(GST_BUFFER_PTS(frame)),
          scan ? "labels" : "stixels", scan ? "lidar-ground" : "stixel-overlay"),
      ("the property frames-without-stixels counts them"));
}

/* ---- Corridor ------------------------------------------------------------------------------ */

/* The running time as the pipeline's clock has it; NONE without a clock. */
static GstClockTime clock_time(GstElement *element, GstClockTime running)
{
  GstClockTime base;
  gboolean timed;

  GST_OBJECT_LOCK(element);
  timed = GST_ELEMENT_CLOCK(element) != NULL;
  base = GST_ELEMENT(element)->base_time;
  GST_OBJECT_UNLOCK(element);
  return timed && GST_CLOCK_TIME_IS_VALID(running) ? base + running : GST_CLOCK_TIME_NONE;
}

/* With the times that messages of GStreamer's element `level` have, and that of the clock. */
static void post_message(GstBaseTransform *base, GstBuffer *frame, GstStructure *structure)
{
  const GstSegment *segment = &base->segment;
  GstClockTime time = GST_BUFFER_PTS(frame);
  GstClockTime running = gst_segment_to_running_time(segment, GST_FORMAT_TIME, time);

  gst_structure_set(structure, "timestamp", G_TYPE_UINT64, time, "stream-time", G_TYPE_UINT64,
      gst_segment_to_stream_time(segment, GST_FORMAT_TIME, time), "running-time", G_TYPE_UINT64,
      running, "clock-time", G_TYPE_UINT64, clock_time(GST_ELEMENT(base), running), "duration",
      G_TYPE_UINT64, GST_BUFFER_DURATION(frame), NULL);
  gst_element_post_message(GST_ELEMENT(base), gst_message_new_element(GST_OBJECT(base), structure));
}

/* ---- What leaves --------------------------------------------------------------------------- */

static GstStxRegionsFrame regions_of(GstStixelObstacles *self, GstBuffer *frame)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM(self)->segment;

  return (GstStxRegionsFrame){.buffer = frame,
      .width = self->width,
      .height = self->height,
      .time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(frame)),
      .duration = gst_stx_frame_time_duration(&self->times, frame)};
}

/* None, with a warning for the first such frame, if it is unknown where in it obstacles are. */
static void attach_regions(GstStixelObstacles *self, GstBuffer *frame)
{
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
  GstStxRegionsFrame regions = regions_of(self, frame);
  g_autoptr(GError) error = NULL;

  if (!gst_stx_regions_attach(&regions, caps, &error) && !self->misplaced) {
    self->misplaced = TRUE;
    GST_ELEMENT_WARNING(self, STREAM, FORMAT,
        ("Obstacles get no regions of interest: %s", error->message),
        ("put stixel-obstacles right behind stixel-overlay"));
  }
}

static void attach_mask(GstStixelObstacles *self, GstBuffer *frame)
{
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
  g_autoptr(GError) error = NULL;

  if (!gst_stx_free_mask_attach(frame, caps, self->width, self->height, &error) &&
      !self->unmasked) {
    self->unmasked = TRUE;
    GST_ELEMENT_WARNING(
        self, STREAM, FORMAT, ("free-space-mask: frames get no mask: %s", error->message), (NULL));
  }
}

/* The frame itself, where it has no other owner. */
static GstBuffer *with_obstacles(GstStixelObstacles *self, GstBuffer *input,
    const StxObstaclesResult *result, const GstObstaclesInput *found)
{
  GstBuffer *frame = gst_buffer_is_writable(input) ? input : gst_buffer_copy(input);

  gst_obstacles_stage_attach(frame, result, found);
  if (self->input == OF_VIDEO)
    attach_regions(self, frame);
  if (self->input == OF_VIDEO && self->active.free_space_mask)
    attach_mask(self, frame);
  if (self->input == OF_SCANS && frame != input)
    gst_stx_lidar_meta_keep(input, frame);
  if (self->input == OF_SCANS) {
    GstStxRegionsFrame scan = regions_of(self, frame);

    gst_stx_boxes_attach(&scan, result);
  }
  return frame;
}

/* The records alone, with the times of the frame. */
static GstFlowReturn give_records(GstStixelObstacles *self, GstBuffer *input,
    const StxObstaclesResult *result, const GstObstaclesInput *found, GstBuffer **output)
{
  GstFlowReturn flow = self->input == OF_VIDEO ? announce(self, &found->info) : GST_FLOW_OK;

  if (flow != GST_FLOW_OK)
    return flow;
  *output = gst_obstacles_stage_records(result);
  gst_buffer_copy_stx_motion_meta(*output, input);
  gst_obstacles_stage_attach_motion(*output, result);
  gst_buffer_copy_into(
      *output, input, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, (gsize)-1);
  return GST_FLOW_OK;
}

/* A GAP event takes the place of the records. */
static GstFlowReturn pass(GstStixelObstacles *self, GstBuffer *input, GstBuffer **output)
{
  GstPad *src = GST_BASE_TRANSFORM_SRC_PAD(self);

  miss(self, input);
  if (!self->gives_records) {
    *output = input;
    return GST_FLOW_OK;
  }
  if (GST_BUFFER_PTS_IS_VALID(input)) {
    gst_pad_push_event(src, gst_event_new_gap(GST_BUFFER_PTS(input), GST_BUFFER_DURATION(input)));
    gst_stx_stats_count(&self->stats.gaps, GST_ELEMENT(self));
  }
  return GST_BASE_TRANSFORM_FLOW_DROPPED;
}

static GstFlowReturn prepare_output_buffer(
    GstBaseTransform *base, GstBuffer *input, GstBuffer **output)
{
  GstStixelObstacles *self = GST_STIXEL_OBSTACLES(base);
  GstClockTime begin = gst_util_get_timestamp(), at;
  GstObstaclesInput found = look(self, input);
  guint64 time = gst_stx_frame_time_of(&self->times, input);
  GstFlowReturn flow = GST_FLOW_OK;
  StxObstaclesResult result;
  StxError error;

  if (base->segment.rate < 0) /* played backwards, things are followed but have no speeds */
    time = STX_OBSTACLES_NO_TIME;
  at = gst_segment_to_stream_time(&base->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(input));
  if (GST_CLOCK_TIME_IS_VALID(at)) /* a controller may set properties */
    gst_object_sync_values(GST_OBJECT(self), at);
  GST_STX_LOCKED(self, self->active = self->settings);
  if (found.stixels == NULL && found.labels == NULL)
    return pass(self, input, output);
  if (!gst_obstacles_stage_find(
          &self->stage, &self->active.params, &found, time, &result, &error)) {
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
    return GST_FLOW_ERROR;
  }
  self->warned = TRUE;
  for (gsize i = 0; self->active.post_messages && i < result.entered_count; i++)
    post_message(base, input,
        gst_stx_obstacle_structure("stx-corridor-entered", &result.obstacles[result.entered[i]]));
  if (self->active.post_messages && result.corridor_cleared)
    post_message(base, input, gst_structure_new_empty("stx-corridor-free"));
  if (self->gives_records)
    flow = give_records(self, input, &result, &found, output);
  else
    *output = with_obstacles(self, input, &result, &found);
  if (flow == GST_FLOW_OK)
    *output = gst_stx_offer(GST_ELEMENT(self), GST_BASE_TRANSFORM_SRC_PAD(base), *output);
  gst_stx_stats_frame(&self->stats, GST_ELEMENT(self), begin);
  return flow;
}

static GstFlowReturn transform_ip(GstBaseTransform *base, GstBuffer *frame)
{
  return GST_FLOW_OK;
}

static GstFlowReturn transform(GstBaseTransform *base, GstBuffer *frame, GstBuffer *records)
{
  return GST_FLOW_OK;
}

/* ---- Streams ------------------------------------------------------------------------------- */

static gboolean sink_event(GstBaseTransform *base, GstEvent *event)
{
  GstStixelObstacles *self = GST_STIXEL_OBSTACLES(base);
  GstEventType type = GST_EVENT_TYPE(event);
  const GstSegment *segment = &base->segment;

  if (type == GST_EVENT_SEGMENT)
    gst_event_parse_segment(event, &segment);
  if (type == GST_EVENT_FLUSH_STOP || type == GST_EVENT_STREAM_START ||
      (segment->rate > 0) != (base->segment.rate > 0)) {
    gst_obstacles_stage_reset(&self->stage);
    gst_stx_frame_time_reset(&self->times);
  }
  if (type == GST_EVENT_GAP)
    gst_stx_stats_count(&self->stats.gaps, GST_ELEMENT(self));
  if (type == GST_EVENT_EOS)
    gst_stx_stats_log(GST_ELEMENT(self));
  return gst_stx_sink_event(base, event);
}

/* Passing buffers stay in any memory that the next element takes; records do not. */
static gboolean propose_allocation(GstBaseTransform *base, GstQuery *decided, GstQuery *asked)
{
  if (!GST_STIXEL_OBSTACLES(base)->gives_records)
    return GST_BASE_TRANSFORM_CLASS(gst_stixel_obstacles_parent_class)
        ->propose_allocation(base, decided, asked);
  gst_query_add_allocation_meta(asked, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

static gboolean start(GstBaseTransform *base)
{
  GstStixelObstacles *self = GST_STIXEL_OBSTACLES(base);

  gst_stx_stats_reset(&self->stats, GST_ELEMENT(self));
  GST_STX_LOCKED(self, self->frames_without = 0);
  self->info = (GstStxStixelInfo){0};
  self->warned = self->misplaced = self->unmasked = FALSE;
  gst_stx_frame_time_reset(&self->times);
  return TRUE;
}

static gboolean stop(GstBaseTransform *base)
{
  gst_obstacles_stage_clear(&GST_STIXEL_OBSTACLES(base)->stage);
  return TRUE;
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxField own_fields[] = {
    {"post-messages", "Post messages", "Post stx-corridor-entered and stx-corridor-free",
        STX_FIELD(BOOL, GstStixelObstaclesSettings, post_messages)},
    {"free-space-mask", "Free space mask",
        "Attach free space as GstAnalyticsSegmentationMtd (GStreamer 1.26)",
        STX_FIELD(BOOL, GstStixelObstaclesSettings, free_space_mask)},
};
static const GstStixelObstaclesSettings defaults = {.params = STX_OBSTACLES_DEFAULTS};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const StxField counts[] = {
    {"frames-without-stixels", "Frames without stixels",
        "Frames without stixels and scans without labels",
        STX_FIELD(COUNT, GstStixelObstacles, frames_without)},
};
static const StxFields count_table = {STX_FIELDS_OF(counts)};

static const GstStxPropertyGroup properties[] = {
    {&stx_obstacles_fields, offsetof(GstStixelObstacles, settings.params),
        GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE, "GstStixelObstacles"},
    {&own_table, offsetof(GstStixelObstacles, settings), GST_PARAM_MUTABLE_PLAYING},
    {&count_table, 0, 0},
};

static GstStructure *tell(gpointer self)
{
  return gst_stx_stats_to_structure(&GST_STIXEL_OBSTACLES(self)->stats, FALSE);
}

/* ---- GObject ------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  gst_obstacles_stage_clear(&GST_STIXEL_OBSTACLES(object)->stage);
  G_OBJECT_CLASS(gst_stixel_obstacles_parent_class)->finalize(object);
}

static void gst_stixel_obstacles_class_init(GstStixelObstaclesClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS(klass);

  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  gst_stx_stats_install(object, tell);
  object->finalize = finalize;
  base->transform_caps = transform_caps;
  base->fixate_caps = fixate_caps;
  base->accept_caps = gst_stx_accept_caps;
  base->set_caps = set_caps;
  base->propose_allocation = propose_allocation;
  base->submit_input_buffer = gst_stx_submit_input;
  base->prepare_output_buffer = prepare_output_buffer;
  base->transform_ip = transform_ip;
  base->transform = transform;
  base->sink_event = sink_event;
  base->start = start;
  base->stop = stop;

  gst_stx_element_add_templates(klass, &sink_template, &src_template, NULL);
  gst_stx_element_describe(klass, "stixel-obstacles", "Obstacles of stixels and scans",
      "Filter/Analyzer", "Groups stixels or clusters of points into obstacles and follows them");
  GST_DEBUG_CATEGORY_INIT(
      stixel_obstacles_debug, "stixel-obstacles", 0, "obstacles of stixels and scans");
}

static void gst_stixel_obstacles_init(GstStixelObstacles *self)
{
  self->settings = defaults;
  gst_stx_want_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
  gst_stx_want_motion(GST_BASE_TRANSFORM_SINK_PAD(self));
}
