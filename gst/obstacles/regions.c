/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/obstacles/regions.h"

#include <gst/video/video.h>
#if GST_STX_HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif
#include <math.h>

#include "common/clusters/clusters.h"
#include "common/labels.h"
#include "common/metres.h"
#include "common/overlay/overlay_marks.h"
#include "gst/base/inputs.h"
#include "gst/lidar/lidarmeta.h"

#define OWN "stx-obstacle" /* the parameter by which our regions are known */

/* ---- Places -------------------------------------------------------------------------------- */

#define EXACT 1e-6 /* pixels: what an edge may be off by that lies between two */

/* The box of an obstacle in the frame, grown to whole pixels; FALSE: outside. */
static gboolean place(const GstStxObstacles *obstacles, guint index, GstVideoRectangle *box)
{
  gdouble x, y, width, height;

  if (!gst_stx_obstacles_get_rectangle(obstacles, index, &x, &y, &width, &height))
    return FALSE;
  box->x = (gint)floor(x + EXACT);
  box->y = (gint)floor(y + EXACT);
  box->w = (gint)ceil(x + width - EXACT) - box->x;
  box->h = (gint)ceil(y + height - EXACT) - box->y;
  return box->w > 0 && box->h > 0;
}

static const gchar *class_of(const StxObstacle *obstacle)
{
  return obstacle->label < STX_LABEL_CLASSES ? stx_label_name(obstacle->label) : "obstacle";
}

#define TEXT_SIZE 64

/* Not a number: unknown. Points of a scan are as far as they are. */
static gdouble deviation_of(const GstStxRegionsFrame *frame, const StxObstacle *obstacle)
{
  return obstacle->source == STX_OBSTACLE_LIDAR
             ? NAN
             : stx_metres_deviation(&frame->camera, (gdouble)obstacle->z);
}

/* As stixel-overlay does; FALSE, and "": it is unknown. Whole metres keep the number of different
 * texts small: those of relations are quarks, which stay. */
static gboolean tell_distance(
    const GstStxRegionsFrame *frame, const StxObstacle *obstacle, gchar text[STX_METRES_TEXT])
{
  text[0] = 0;
  if (!isfinite(obstacle->z) || obstacle->z < 0)
    return FALSE;
  stx_metres_spell((gdouble)obstacle->z, deviation_of(frame, obstacle), text);
  return TRUE;
}

/* ---- Regions of interest ------------------------------------------------------------------- */

static GstStructure *detection_of(
    const GstStxRegionsFrame *frame, const StxObstacle *obstacle, const GstVideoRectangle *box)
{
  gdouble across = 1.0 / frame->width, down = 1.0 / frame->height;
  GstStructure *detection = gst_structure_new("detection", "x_min", G_TYPE_DOUBLE, box->x * across,
      "x_max", G_TYPE_DOUBLE, (box->x + box->w) * across, "y_min", G_TYPE_DOUBLE, box->y * down,
      "y_max", G_TYPE_DOUBLE, (box->y + box->h) * down, "confidence", G_TYPE_DOUBLE,
      (gdouble)obstacle->confidence, NULL);

  if (obstacle->label < STX_LABEL_CLASSES)
    gst_structure_set(detection, "label_id", G_TYPE_INT, (gint)obstacle->label, NULL);
  return detection;
}

/* Unknown numbers are left out. */
static void set_known(GstStructure *structure, const gchar *name, gfloat value)
{
  if (!isnan(value))
    gst_structure_set(structure, name, G_TYPE_DOUBLE, (gdouble)value, NULL);
}

GstStructure *gst_stx_obstacle_structure(const gchar *name, const StxObstacle *obstacle)
{
  GstStructure *own = gst_structure_new(name, "id", G_TYPE_UINT, obstacle->id, "age", G_TYPE_UINT,
      obstacle->age, "class", G_TYPE_STRING, class_of(obstacle), "in-corridor", G_TYPE_BOOLEAN,
      (obstacle->flags & STX_OBSTACLE_IN_CORRIDOR) != 0, "cut", G_TYPE_BOOLEAN,
      (obstacle->flags & STX_OBSTACLE_CUT) != 0, NULL);

  set_known(own, "distance", obstacle->z);
  set_known(own, "x", obstacle->x);
  set_known(own, "y", obstacle->y);
  set_known(own, "width", obstacle->width);
  set_known(own, "height", obstacle->height);
  set_known(own, "depth", obstacle->depth);
  set_known(own, "closing-speed", obstacle->closing_speed);
  set_known(own, "lateral-speed", obstacle->lateral_speed);
  set_known(own, "time-to-contact", stx_obstacle_time_to_contact(obstacle));
  set_known(own, "confidence", obstacle->confidence);
  return own;
}

/* The name of how an obstacle moves over ground; NULL: unknown. */
static const gchar *state_of(const StxVelocity *velocity)
{
  static const gchar *const states[] = {NULL, "standing", "moving", "oncoming"};

  return velocity->moves < G_N_ELEMENTS(states) ? states[velocity->moves] : NULL;
}

static void add_region(const GstStxRegionsFrame *frame, const StxObstacle *obstacle,
    const StxVelocity *velocity, const GstVideoRectangle *box, gint id)
{
  GstVideoRegionOfInterestMeta *region = gst_buffer_add_video_region_of_interest_meta(
      frame->buffer, class_of(obstacle), box->x, box->y, box->w, box->h);
  GstStructure *own = gst_stx_obstacle_structure(OWN, obstacle);
  gchar distance[STX_METRES_TEXT];

  set_known(own, "distance-deviation", (gfloat)deviation_of(frame, obstacle));
  if (tell_distance(frame, obstacle, distance))
    gst_structure_set(own, "label", G_TYPE_STRING, distance, NULL);
  if (state_of(velocity) != NULL) {
    gst_structure_set(own, "state", G_TYPE_STRING, state_of(velocity), NULL);
    set_known(own, "velocity-x", velocity->x);
    set_known(own, "velocity-z", velocity->z);
  }
  region->id = id;
  gst_video_region_of_interest_meta_add_param(region, detection_of(frame, obstacle, box));
  gst_video_region_of_interest_meta_add_param(region, own);
  if (obstacle->id != 0)
    gst_video_region_of_interest_meta_add_param(
        region, gst_structure_new("object_id", "id", G_TYPE_INT, (gint)obstacle->id, NULL));
}

static gboolean remove_own(GstBuffer *buffer, GstMeta **meta, gpointer data)
{
  if ((*meta)->info->api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE &&
      gst_video_region_of_interest_meta_get_param((GstVideoRegionOfInterestMeta *)*meta, OWN))
    *meta = NULL;
  return TRUE;
}

/* ---- Relations ----------------------------------------------------------------------------- */

#if GST_STX_HAVE_ANALYTICS
/* Since when it has been followed. */
static GstClockTime first_seen(const GstStxRegionsFrame *frame, const StxObstacle *obstacle)
{
  GstClockTime before;

  if (obstacle->age == 0 || !GST_CLOCK_TIME_IS_VALID(frame->time))
    return frame->time;
  if (!GST_CLOCK_TIME_IS_VALID(frame->duration))
    return GST_CLOCK_TIME_NONE;
  before = frame->duration * obstacle->age;
  return frame->time > before ? frame->time - before : 0;
}

static void add_tracking(GstAnalyticsRelationMeta *relations, guint detection,
    const GstStxRegionsFrame *frame, const StxObstacle *obstacle)
{
  GstAnalyticsTrackingMtd tracking;

  if (!gst_analytics_relation_meta_add_tracking_mtd(
          relations, obstacle->id, first_seen(frame, obstacle), &tracking))
    return;
  gst_analytics_tracking_mtd_update_last_seen(&tracking, frame->time);
  gst_analytics_relation_meta_set_relation(
      relations, GST_ANALYTICS_REL_TYPE_RELATE_TO, detection, tracking.id);
}

static void add_class(
    GstAnalyticsRelationMeta *relations, guint detection, gfloat confidence, const gchar *name)
{
  GstAnalyticsClsMtd mtd;

  if (gst_analytics_relation_meta_add_one_cls_mtd(
          relations, confidence, g_quark_from_string(name), &mtd))
    gst_analytics_relation_meta_set_relation(
        relations, GST_ANALYTICS_REL_TYPE_RELATE_TO, detection, mtd.id);
}

/* The number of the detection, which the region gets, too. */
static gint relate(const GstStxRegionsFrame *frame, const StxObstacle *obstacle,
    const StxVelocity *velocity, const GstVideoRectangle *box)
{
  GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta(frame->buffer);
  GstAnalyticsODMtd detection;
  gchar distance[STX_METRES_TEXT], label[2 * TEXT_SIZE];

  if (relations == NULL)
    relations = gst_buffer_add_analytics_relation_meta(frame->buffer);
  if (!gst_analytics_relation_meta_add_od_mtd(relations, g_quark_from_string(class_of(obstacle)),
          box->x, box->y, box->w, box->h, obstacle->confidence, &detection))
    return (gint)obstacle->id;
  /* The text that objectdetectionoverlay writes on the box, in place of the detection's type, is
   * that of the first classification. */
  if (tell_distance(frame, obstacle, distance)) {
    g_snprintf(label, sizeof label, "%s %s", class_of(obstacle), distance);
    add_class(relations, detection.id, obstacle->confidence, label);
  }
  if (state_of(velocity) != NULL)
    add_class(relations, detection.id, 1, state_of(velocity));
  if (obstacle->id != 0)
    add_tracking(relations, detection.id, frame, obstacle);
  return (gint)detection.id;
}

/* DL Streamer's gst_analytics_relation_meta_add_3d_od_mtd. In the axes of the scan: the centre of
 * the box, its extents along x, y and z, yaw, pitch, roll; the class, negative: unknown. */
typedef gboolean (*AddBox)(GstAnalyticsRelationMeta *relations, gfloat x, gfloat y, gfloat z,
    gfloat length, gfloat width, gfloat height, gfloat yaw, gfloat pitch, gfloat roll, gint type,
    gfloat confidence, gint modality, GstAnalyticsMtd *mtd);

#define LIDAR 0 /* GST_ANALYTICS_3D_SENSOR_LIDAR */

static gboolean add_box(AddBox add, GstAnalyticsRelationMeta *relations, const StxCluster *extent,
    const StxObstacle *obstacle, GstAnalyticsMtd *mtd)
{
  gint type = obstacle->label < STX_LABEL_CLASSES ? (gint)obstacle->label : -1;
  const gfloat *low = extent->low, *high = extent->high;

  return low[2] <= high[2] &&
         add(relations, .5f * (low[2] + high[2]), -.5f * (low[0] + high[0]),
             -.5f * (low[1] + high[1]), high[2] - low[2], high[0] - low[0], high[1] - low[1], 0, 0,
             0, type, obstacle->confidence, LIDAR, mtd);
}

static void add_boxes(AddBox add, const GstStxRegionsFrame *frame, const StxObstaclesResult *result,
    const gfloat *points, gsize count)
{
  GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta(frame->buffer);
  g_autofree StxCluster *extents = g_new(StxCluster, result->count);
  GstAnalyticsMtd box;

  if (relations == NULL)
    relations = gst_buffer_add_analytics_relation_meta(frame->buffer);
  stx_clusters_of_members(points, result->members, count, extents, result->count);
  for (gsize i = 0; i < result->count; i++) {
    const StxObstacle *obstacle = &result->obstacles[i];

    if (add_box(add, relations, &extents[i], obstacle, &box) && obstacle->id != 0)
      add_tracking(relations, box.id, frame, obstacle);
  }
}

void gst_stx_boxes_attach(const GstStxRegionsFrame *frame, const StxObstaclesResult *result)
{
  AddBox add = NULL;
  GstMapInfo map;

  *(void **)&add = gst_stx_dlstreamer_function("gst_analytics_relation_meta_add_3d_od_mtd");
  if (add == NULL || result->count == 0 || !gst_buffer_map(frame->buffer, &map, GST_MAP_READ))
    return;
  add_boxes(add, frame, result, (const gfloat *)map.data, map.size / GST_STX_POINT_BYTES);
  gst_buffer_unmap(frame->buffer, &map);
}
#else
void gst_stx_boxes_attach(const GstStxRegionsFrame *frame, const StxObstaclesResult *result)
{
}

static gint relate(const GstStxRegionsFrame *frame, const StxObstacle *obstacle,
    const StxVelocity *velocity, const GstVideoRectangle *box)
{
  return (gint)obstacle->id;
}
#endif

/* ---- All of it ----------------------------------------------------------------------------- */

gboolean gst_stx_regions_attach(
    const GstStxRegionsFrame *given, const GstCaps *caps, GError **error)
{
  GstStxRegionsFrame copy = *given, *frame = &copy;
  GstStxObstacles *obstacles = gst_stx_obstacles_new_from_buffer(frame->buffer, caps, error);
  GstStxVelocitiesMeta *moving = gst_buffer_get_stx_velocities_meta(frame->buffer);
  guint count = obstacles != NULL ? gst_stx_obstacles_get_count(obstacles) : 0;
  gboolean placed = obstacles != NULL;
  StxObstacle obstacle;
  GstVideoRectangle box;

  if (obstacles != NULL)
    gst_stx_obstacles_get_camera(obstacles, &frame->camera);
  gst_buffer_foreach_meta(frame->buffer, remove_own, NULL);
  for (guint i = 0; i < count; i++) {
    StxVelocity velocity = {.moves = STX_MOVES_UNKNOWN};

    if (moving != NULL)
      gst_buffer_extract(moving->obstacles, i * sizeof velocity, &velocity, sizeof velocity);
    if (place(obstacles, i, &box) && gst_stx_obstacles_get_obstacle(obstacles, i, &obstacle))
      add_region(frame, &obstacle, &velocity, &box, relate(frame, &obstacle, &velocity, &box));
  }
  g_clear_pointer(&obstacles, gst_stx_obstacles_unref);
  return placed;
}
