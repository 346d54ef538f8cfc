/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-occupancy-grid
 * @title: occupancy-grid
 *
 * Which squares of the road's plane are free, occupied or unknown: of stixels, of labelled LiDAR
 * scans, or of both, over time where the frames say how the camera moved. What leaves are grids as
 * ROS has them, with #GstStxOccupancyMeta, or gray pictures of them.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=disparity num-buffers=1 ! downsample-transpose !
 *     sat-dp-stixels ! occupancy-grid ! videoflip video-direction=90l ! pngenc !
 *     filesink location=grid.png
 * ]|
 */
#include "gst/core/elements.h"

#include "common/occupancy/occupancy.h"
#include "gst/base/inputs.h"
#include "gst/base/pairing.h"
#include "gst/columns/columns.h"
#include "gst/core/camera.h"
#include "gst/core/element.h"
#include "gst/core/frames.h"
#include "gst/core/stats.h"
#include "gst/obstacles/obstaclesstage.h"
#include "gst/views/records.h"

GST_DEBUG_CATEGORY_STATIC(occupancy_grid_debug);
#define GST_CAT_DEFAULT occupancy_grid_debug

enum { ROLE_SINK, ROLE_POINTS };

/* Records of a frame. */
enum { STIXELS, POINTS, LABELS, RECORDS };

G_DECLARE_FINAL_TYPE(GstOccupancyGrid, gst_occupancy_grid, GST, OCCUPANCY_GRID, GstStxPairing)

struct _GstOccupancyGrid {
  GstStxPairing parent;

  /* Properties, guarded by the object lock. */
  StxOccupancyParams params;
  GstStxCameraSettings camera_settings;
  guint64 frames_without;

  /* Used by the streaming thread only. */
  StxOccupancyParams active; /* of this frame */
  GstStxInput input;
  StxCamera frame_camera;    /* of the caps of frames, of whatever size */
  GstStxStixelInfo pad_info; /* of the caps of stixels */
  gboolean changed;          /* the caps have, since grids were announced */
  gint side;                 /* cells of a side of the announced grids */
  gdouble resolution;
  GstVideoInfo video; /* of pictures; format unknown: records are given */
  StxOccupancy *state;
  gsize records; /* stixels for which it was prepared, at most */
  GstStxMapped record[RECORDS];
  gboolean warned; /* of a frame that brings nothing */
  gboolean told;   /* that the motion was lost */
};

G_DEFINE_FINAL_TYPE(GstOccupancyGrid, gst_occupancy_grid, GST_TYPE_STX_PAIRING)
GST_STX_ELEMENT(occupancy_grid, "occupancy-grid")

#define SCANS GST_STX_CUDA_CAPS(GST_STX_LIDAR_MEDIA_TYPE, "")
#define CELLS "(int) [ 1, 2048 ]"
#define GRID_SIZE "width = " CELLS ", height = " CELLS

/* Only the metas of video are read: its format and memory do not matter. */
GST_STX_PAD(sink, SINK, ALWAYS,
    GST_STX_CUDA_CAPS(GST_STX_STIXELS_MEDIA_TYPE, "") "; video/x-raw; "
                                                      "video/x-raw(ANY); " SCANS);
GST_STX_PAD(points, SINK, REQUEST, SCANS);
GST_STX_PAD(src, SRC, ALWAYS,
    GST_STX_OCCUPANCY_MEDIA_TYPE ", " GRID_SIZE
                                 "; video/x-raw, format = (string) GRAY8, " GRID_SIZE);

/* ---- Caps ---------------------------------------------------------------------------------- */

/* Records and pictures of these grids, at the frame rate of the input. */
static GstCaps *make_caps(GstOccupancyGrid *self)
{
  GstCaps *caps =
      gst_stx_caps_at_rates(&src_template, gst_stx_pairing_caps(GST_STX_PAIRING(self), ROLE_SINK));

  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    GstStructure *structure = gst_caps_get_structure(caps, i);

    gst_structure_set(
        structure, "width", G_TYPE_INT, self->side, "height", G_TYPE_INT, self->side, NULL);
    if (gst_structure_has_name(structure, GST_STX_OCCUPANCY_MEDIA_TYPE))
      gst_structure_set(structure, "resolution", G_TYPE_DOUBLE, self->resolution, NULL);
  }
  return caps;
}

/* The first of them that downstream takes. */
static GstFlowReturn announce(GstStxPairing *pairing, guint roles, StxError *error)
{
  GstOccupancyGrid *self = GST_OCCUPANCY_GRID(pairing);
  GstPad *src = GST_AGGREGATOR_SRC_PAD(pairing);
  g_autoptr(GstCaps) made = NULL, taken = NULL;
  gint side;

  GST_STX_LOCKED(self, self->active = self->params);
  if (!stx_occupancy_check(&self->active, error)) {
    stx_fail_as(error, STX_ERROR_SETTINGS);
    return GST_FLOW_ERROR;
  }
  side = stx_occupancy_side(&self->active);
  if (!self->changed && side == self->side && self->active.resolution == self->resolution)
    return GST_FLOW_OK;
  self->side = side;
  self->resolution = self->active.resolution;
  self->changed = FALSE;
  made = make_caps(self);
  taken = gst_pad_peer_query_caps(src, made);
  if (gst_caps_is_empty(taken)) /* the base class says who refuses them */
    gst_caps_take(&taken, g_steal_pointer(&made));
  taken = gst_caps_fixate(gst_caps_truncate(taken));
  if (!gst_structure_has_name(gst_caps_get_structure(taken, 0), "video/x-raw"))
    gst_video_info_init(&self->video);
  else if (!gst_stx_video_info(&self->video, taken, error))
    return GST_FLOW_ERROR;
  return gst_stx_pairing_set_src_caps(pairing, g_steal_pointer(&taken));
}

static gboolean gives_pictures(const GstOccupancyGrid *self)
{
  return GST_VIDEO_INFO_FORMAT(&self->video) == GST_VIDEO_FORMAT_GRAY8;
}

static gboolean choose_pool(GstStxPairing *pairing, GstQuery *query)
{
  return !gives_pictures(GST_OCCUPANCY_GRID(pairing)) || gst_stx_decide_video_pool(query);
}

/* ---- What a frame brings ------------------------------------------------------------------- */

/* Counts a frame that brings nothing, and warns of the first. */
static void miss(GstOccupancyGrid *self, GstBuffer *frame)
{
  gboolean scan = self->input == GST_STX_INPUT_SCANS;

  gst_stx_stats_count(&self->frames_without, GST_ELEMENT(self));
  if (self->warned)
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING(self, STREAM, FAILED,
      ("The %s at %" GST_TIME_FORMAT " has no %s: it and others like it say nothing of the grid; "
       "if all are like it, put %s before occupancy-grid",
          scan ? "scan" : "frame", GST_TIME_ARGS(GST_BUFFER_PTS(frame)),
          scan ? "labels" : "stixels",
          scan ? "lidar-ground" : "sat-dp-stixels, stixel-overlay or stereo-stixels"),
      ("the property frames-without-stixels counts them"));
}

/* Stixels of the frame, if it brings any; properties are stronger than the camera of their caps. */
static gboolean find_stixels(
    GstOccupancyGrid *self, GstBuffer *input, GstObstaclesInput *found, StxError *error)
{
  g_autoptr(GstCaps) caps = NULL;

  *found = (GstObstaclesInput){NULL};
  if (self->input == GST_STX_INPUT_FRAMES)
    *found = gst_obstacles_stage_look_at_video(input, &self->frame_camera);
  else if (self->input == GST_STX_INPUT_STIXELS && gst_buffer_get_size(input) > 0)
    *found = (GstObstaclesInput){.stixels = input, .info = self->pad_info};
  if (found->stixels == NULL)
    return TRUE;
  caps = gst_stx_stixel_info_to_caps(&found->info, 0, 1);
  return gst_stx_pairing_find_camera(GST_STX_PAIRING(self), caps, GST_STX_CAMERA_OF_DATA,
      (gint)found->info.width, (gint)found->info.height, &found->info.camera, error);
}

/* ---- One frame ----------------------------------------------------------------------------- */

static void tell_lost(GstOccupancyGrid *self, const GstBuffer *input, const gchar *why)
{
  GST_INFO_OBJECT(self, "the grid begins anew: %s", why);
  if (self->told)
    return;
  self->told = TRUE;
  GST_ELEMENT_WARNING(self, STREAM, FAILED,
      ("The occupancy grid begins anew at %" GST_TIME_FORMAT ": %s; later ones tell it by their "
       "epoch alone",
          GST_TIME_ARGS(GST_BUFFER_PTS(input)), why),
      (NULL));
}

/* A buffer of the cells, or a picture of them, with the meta. */
static GstFlowReturn give(
    GstOccupancyGrid *self, const StxOccupancyResult *grid, GstBuffer **out, StxError *error)
{
  gsize size = (gsize)grid->width * (gsize)grid->height;
  g_autoptr(GstBuffer) cells = gst_buffer_new_memdup(grid->cells, size);
  GstFlowReturn flow = GST_FLOW_OK;
  GstStxOccupancyMeta *meta;
  GstVideoFrame video;
  StxImage8 picture;

  gst_clear_buffer(out);
  if (!gives_pictures(self))
    *out = gst_buffer_copy(cells);
  else if ((flow = gst_stx_pairing_acquire(GST_STX_PAIRING(self), out, error)) == GST_FLOW_OK) {
    if (gst_stx_frame_map(&video, &self->video, *out, GST_MAP_WRITE, error)) {
      picture = gst_stx_frame_image8(&video);
      stx_occupancy_draw(grid, &picture);
      gst_stx_frame_clear_padding(&video);
      gst_video_frame_unmap(&video);
    } else
      flow = GST_FLOW_ERROR;
  }
  if (flow == GST_FLOW_OK) {
    meta = gst_buffer_add_stx_occupancy_meta(
        *out, cells, (guint)grid->width, (guint)grid->height, grid->resolution);
    meta->fixed = grid->fixed;
    meta->epoch = grid->epoch;
    meta->origin_x = grid->origin_x;
    meta->origin_y = grid->origin_y;
    meta->x = grid->x;
    meta->y = grid->y;
    meta->yaw = grid->yaw;
  }
  return flow;
}

static GstFlowReturn work(GstElement *element, gpointer data, StxError *error)
{
  GstOccupancyGrid *self = GST_OCCUPANCY_GRID(element);
  GstStxPairingFrame *set = data;
  GstBuffer *input = set->set[ROLE_SINK];
  GstBuffer *scan = set->set[self->input == GST_STX_INPUT_SCANS ? ROLE_SINK : ROLE_POINTS];
  GstBuffer *scan_labels = scan != NULL ? gst_stx_scan_labels(scan) : NULL;
  GstStxMotionMeta *motion = gst_buffer_get_stx_motion_meta(input);
  GstStxMapped *r = self->record;
  GstObstaclesInput found;
  StxOccupancyResult grid;
  gdouble matrix[12], place[12];
  gboolean good;

  if (!find_stixels(self, input, &found, error) ||
      (self->input != GST_STX_INPUT_SCANS && scan_labels != NULL &&
          !gst_stx_pairing_find_sensor(GST_STX_PAIRING(self), ROLE_POINTS, matrix, error)))
    return GST_FLOW_ERROR;
  if (self->input != GST_STX_INPUT_SCANS && scan_labels != NULL)
    stx_extrinsics_to_scan_axes(matrix, place); /* the points' pose relative to the camera */
  if (self->input == GST_STX_INPUT_SCANS ? scan_labels == NULL && gst_buffer_get_size(input) > 0
                                         : found.stixels == NULL)
    miss(self, input);
  good = gst_stx_mapped_read(&r[STIXELS], found.stixels, sizeof(StxStixel), error) &&
         gst_stx_mapped_read(
             &r[POINTS], scan_labels != NULL ? scan : NULL, GST_STX_POINT_BYTES, error) &&
         gst_stx_mapped_read(&r[LABELS], scan_labels, sizeof(guint32), error);
  if (good) {
    StxOccupancyFrame frame = {.stixels = r[STIXELS].data,
        .count = r[STIXELS].count,
        .width = (int)found.info.width,
        .height = (int)found.info.height,
        .stixel_width = (int)found.info.stixel_width,
        .camera = found.info.camera,
        .points = r[POINTS].data,
        .labels = r[LABELS].data,
        .point_count = r[POINTS].count,
        .place = self->input == GST_STX_INPUT_SCANS ? NULL : place,
        .motion = motion != NULL ? &motion->motion : NULL,
        .time = gst_stx_pairing_time(GST_STX_PAIRING(self)),
        .interval = motion != NULL ? motion->interval : GST_CLOCK_TIME_NONE};

    self->records = MAX(self->records, frame.count);
    good = stx_occupancy_prepare(
               self->state, &self->active, self->records, found.info.columns, error) &&
           stx_occupancy_update(self->state, &frame, &grid, error);
  }
  gst_stx_mapped_unmap(r, RECORDS);
  if (!good)
    return GST_FLOW_ERROR;
  if (grid.lost != NULL)
    tell_lost(self, input, grid.lost);
  return give(self, &grid, &set->out, error);
}

/* ---- Streams ------------------------------------------------------------------------------- */

static gboolean set_role_caps(GstStxPairing *pairing, guint role, GstCaps *caps, StxError *error)
{
  GstOccupancyGrid *self = GST_OCCUPANCY_GRID(pairing);

  if (role == ROLE_POINTS)
    return gst_stx_check_scan_caps(GST_ELEMENT(self), caps, error);
  self->changed = TRUE;
  return gst_stx_input_parse(caps, &self->input, &self->frame_camera, &self->pad_info,
      " with labels",
      "put occupancy-grid behind sat-dp-stixels, stixel-overlay, stereo-stixels or lidar-ground",
      error);
}

static void reset(GstStxPairing *pairing)
{
  GstOccupancyGrid *self = GST_OCCUPANCY_GRID(pairing);

  if (self->state != NULL)
    stx_occupancy_reset(self->state);
}

static gboolean begin(GstStxPairing *pairing, StxError *error)
{
  GstOccupancyGrid *self = GST_OCCUPANCY_GRID(pairing);

  GST_STX_LOCKED(self, self->frames_without = 0);
  self->changed = TRUE;
  self->warned = self->told = FALSE;
  if (self->state == NULL)
    self->state = stx_occupancy_new();
  if (self->state != NULL)
    return TRUE;
  stx_fail(error, "There is no memory for an occupancy grid");
  return stx_fail_as(error, STX_ERROR_MEMORY);
}

static void clear(GstStxPairing *pairing)
{
  GstOccupancyGrid *self = GST_OCCUPANCY_GRID(pairing);

  g_clear_pointer(&self->state, stx_occupancy_free);
  self->records = 0;
  gst_stx_mapped_clear(self->record, RECORDS);
}

/* ---- Properties and class ------------------------------------------------------------------ */

static const StxField counts[] = {
    {"frames-without-stixels", "Frames without stixels",
        "Frames without stixels and scans without labels",
        STX_FIELD(COUNT, GstOccupancyGrid, frames_without)},
};
static const StxFields count_table = {STX_FIELDS_OF(counts)};

static const GstStxPropertyGroup properties[] = {
    {&stx_occupancy_fields, offsetof(GstOccupancyGrid, params), GST_PARAM_MUTABLE_PLAYING,
        "GstOccupancyGrid"},
    {&stx_extrinsics_fields, offsetof(GstOccupancyGrid, camera_settings.sensor.single),
        GST_PARAM_MUTABLE_PLAYING, "GstOccupancyGrid"},
    GST_STX_CAMERA_PROPERTIES(GstOccupancyGrid, camera_settings),
    GST_STX_CAMERA_IMAGE_PROPERTIES(GstOccupancyGrid, camera_settings),
    {&count_table, 0, 0},
};

static void gst_occupancy_grid_init(GstOccupancyGrid *self)
{
  self->params = (StxOccupancyParams)STX_OCCUPANCY_DEFAULTS;
  gst_stx_pairing_add_pad(GST_STX_PAIRING(self), ROLE_SINK);
}

static void gst_occupancy_grid_class_init(GstOccupancyGridClass *klass)
{
  GstStxPairingClass *pairing = GST_STX_PAIRING_CLASS(klass);

  GST_DEBUG_CATEGORY_INIT(occupancy_grid_debug, "occupancy-grid", 0, "free and occupied cells");
  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  gst_stx_element_add_templates(klass, &src_template, &sink_template, &points_template, NULL);
  gst_stx_element_describe(klass, "occupancy-grid", "Occupancy grid", "Filter/Analyzer/Video",
      "Says which squares of the road are free, of stixels and LiDAR scans, over time");
  pairing->roles.names[ROLE_SINK] = "sink";
  pairing->roles.names[ROLE_POINTS] = "points";
  pairing->roles.optional = 1u << ROLE_POINTS;
  pairing->stage.host = &stx_occupancy_impls;
  pairing->stage.work = work;
  pairing->makes_output = TRUE;
  pairing->uses_motion = TRUE;
  pairing->camera = offsetof(GstOccupancyGrid, camera_settings);
  pairing->uses_sensor = TRUE;
  pairing->begin = begin;
  pairing->clear = clear;
  pairing->set_role_caps = set_role_caps;
  pairing->announce = announce;
  pairing->choose_pool = choose_pool;
  pairing->reset = reset;
}
