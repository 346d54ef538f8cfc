/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/io/jsonframe.h"

#include <math.h>
#include <string.h>

#include "common/clusters/clusters.h"
#include "common/decimal/decimal.h"
#include "common/labels.h"

/* ---- Text ---------------------------------------------------------------------------------- */

/* Fixed names, which need no quoting, and numbers: a tree of JSON objects would only be built to be
 * printed. A key is written as it stands, with what separates it from the value before. */

/* Room for so many more bytes; where they begin. */
static gchar *reserve(GstStxJsonText *text, gsize bytes)
{
  if (text->size - text->length < bytes) {
    text->size = MAX(2 * text->size, text->length + bytes);
    text->bytes = g_realloc(text->bytes, text->size);
  }
  return text->bytes + text->length;
}

static void put(GstStxJsonText *text, const char *words)
{
  gsize length = strlen(words);

  memcpy(reserve(text, length), words, length);
  text->length += length;
}

static void put_whole(GstStxJsonText *text, const char *key, guint64 value)
{
  put(text, key);
  text->length += stx_decimal_write_whole(value, reserve(text, STX_DECIMAL_SIZE));
}

static void put_bool(GstStxJsonText *text, const char *key, gboolean value)
{
  put(text, key);
  put(text, value ? "true" : "false");
}

/* `name` without anything that needs quoting; NULL: null. */
static void put_name(GstStxJsonText *text, const char *key, const char *name)
{
  put(text, key);
  put(text, name != NULL ? "\"" : "null");
  if (name == NULL)
    return;
  put(text, name);
  put(text, "\"");
}

/* With three decimals; _exact with nine digits that count. null where JSON has no number. */
static void put_number(GstStxJsonText *text, const char *key, double value)
{
  put(text, key);
  if (isfinite(value))
    text->length += stx_decimal_write(value, reserve(text, STX_DECIMAL_SIZE));
  else
    put(text, "null");
}

static void put_exact(GstStxJsonText *text, const char *key, double value)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  put(text, key);
  put(text, isfinite(value) ? g_ascii_formatd(number, sizeof number, "%.9g", value) : "null");
}

/* ---- The image ----------------------------------------------------------------------------- */

static double known(const StxCamera *camera, unsigned number, double value)
{
  return camera->missing & number ? NAN : value;
}

static void write_camera(GstStxJsonText *text, const StxCamera *camera)
{
  if (camera->focal <= 0) {
    put(text, ",\"camera\":null");
    return;
  }
  put_exact(text, ",\"camera\":{\"focal\":", camera->focal);
  put_exact(text, ",\"cx\":", known(camera, STX_CAMERA_CX, camera->cx));
  put_exact(text, ",\"cy\":", known(camera, STX_CAMERA_CY, camera->cy));
  put_exact(text, ",\"baseline\":", camera->baseline > 0 ? camera->baseline : NAN);
  put_exact(text, ",\"height\":", camera->height > 0 ? camera->height : NAN);
  put_exact(text, ",\"pitch\":", known(camera, STX_CAMERA_PITCH, camera->pitch));
  put(text, "}");
}

/* Writes a Cityscapes train id and the name of its class. */
static void write_label(GstStxJsonText *text, guint label)
{
  if (label == STX_LABEL_NONE) {
    put(text, ",\"label\":null,\"class\":null");
    return;
  }
  put_whole(text, ",\"label\":", label);
  put_name(text, ",\"class\":", stx_label_name((gint)label));
}

/* `key`, which opens a list, and the list: each record, a StxStixel, StxObstacle or StxFreeSpace of
 * `size` bytes, is written from an aligned copy. */
typedef void (*Write)(GstStxJsonText *text, gconstpointer record, gsize index, gconstpointer data);

static void write_list(GstStxJsonText *text, const char *key, const GstStxJsonRecords *records,
    gsize size, Write write, gconstpointer data)
{
  union {
    StxStixel stixel;
    StxObstacle obstacle;
    StxFreeSpace space;
  } copy;

  g_return_if_fail(size <= sizeof copy);

  put(text, key);
  for (gsize i = 0; i < records->count; i++) {
    memcpy(&copy, (const guint8 *)records->data + i * size, size);
    if (i > 0)
      put(text, ",");
    write(text, &copy, i, data);
  }
  put(text, "]");
}

/* ---- Motion -------------------------------------------------------------------------------- */

/* A list, or null where the values are not known. */
static void put_numbers(
    GstStxJsonText *text, const char *key, const double *values, guint count, gboolean is_known)
{
  put(text, key);
  put(text, is_known ? "[" : "null");
  for (guint i = 0; is_known && i < count; i++)
    put_exact(text, i > 0 ? "," : "", values[i]);
  put(text, is_known ? "]" : "");
}

static void write_motion(GstStxJsonText *text, const GstStxMotionMeta *meta)
{
  static const char *const names[] = {
      [STX_MOTION_KNOWN] = "known",
      [STX_MOTION_FIRST] = "first",
      [STX_MOTION_TOO_FEW] = "too few points",
      [STX_MOTION_DISAGREE] = "no agreement",
      [STX_MOTION_STILL] = "same frame",
  };
  const StxMotion *motion = &meta->motion;
  gboolean is_known = motion->state == STX_MOTION_KNOWN;

  put_name(text, ",\"motion\":{\"state\":",
      (guint)motion->state < G_N_ELEMENTS(names) ? names[motion->state] : "unknown");
  put_numbers(text, ",\"rotation\":", motion->rotation, 9, is_known);
  put_numbers(text, ",\"translation\":", motion->translation, 3, is_known);
  put_numbers(text, ",\"deviation\":", motion->deviation, 6, is_known);
  if (GST_CLOCK_TIME_IS_VALID(meta->interval))
    put_whole(text, ",\"interval\":", meta->interval);
  else
    put_name(text, ",\"interval\":", NULL);
  put_whole(text, ",\"points\":", motion->points);
  put_whole(text, ",\"agree\":", motion->agree);
  put(text, "}");
}

/* ---- Velocities ---------------------------------------------------------------------------- */

static const char *moves_name(guint moves)
{
  static const char *const names[] = {
      [STX_MOVES_UNKNOWN] = NULL,
      [STX_MOVES_NOT] = "standing",
      [STX_MOVES_ON] = "moving",
      [STX_MOVES_ONCOMING] = "oncoming",
  };

  return moves < G_N_ELEMENTS(names) ? names[moves] : NULL;
}

/* The velocity of number `index` of a list; FALSE where the motion of the camera is unknown. */
static gboolean velocity_at(const GstStxJsonRecords *velocities, gsize index, StxVelocity *v)
{
  if (velocities->count <= index)
    return FALSE;
  memcpy(v, (const guint8 *)velocities->data + index * sizeof *v, sizeof *v);
  return TRUE;
}

static void write_velocity(
    GstStxJsonText *text, const GstStxJsonRecords *velocities, gsize index, gboolean contact)
{
  StxVelocity v;

  if (!velocity_at(velocities, index, &v))
    return;
  put_name(text, ",\"velocity\":{\"state\":", moves_name(v.moves));
  put_number(text, ",\"x\":", v.x);
  put_number(text, ",\"z\":", v.z);
  put_number(text, ",\"deviation_x\":", v.deviation_x);
  put_number(text, ",\"deviation_z\":", v.deviation_z);
  if (contact) {
    put_number(text, ",\"time_to_contact\":", v.contact);
    put_number(text, ",\"time_to_contact_deviation\":", v.contact_deviation);
  }
  put(text, "}");
}

/* ---- Stixels ------------------------------------------------------------------------------- */

static const char *kind_name(guint kind)
{
  static const char *const names[] = {
      [STX_KIND_SEGMENT] = "segment",
      [STX_KIND_GROUND] = "ground",
      [STX_KIND_OBJECT] = "object",
      [STX_KIND_SKY] = "sky",
      [STX_KIND_CARRIER] = "carrier",
  };

  return kind < G_N_ELEMENTS(names) ? names[kind] : "unknown";
}

/* Metres along the optical axis to the nearer end; not finite: unknown or infinitely far. */
static double distance(const StxStixel *stixel, const StxCamera *camera)
{
  double nearest = MAX(stixel->disparity_top, stixel->disparity_bottom);

  if (!stx_camera_is_metric(camera) || !(nearest > 0 && isfinite(nearest)))
    return INFINITY;
  return camera->focal * camera->baseline / nearest;
}

static void write_stixel_metres(
    GstStxJsonText *text, const GstStxStixelInfo *info, const StxStixel *stixel)
{
  StxMetres metres;

  if (!gst_stx_stixel_info_get_metres(info, stixel, &metres)) {
    put(text, ",\"metres\":null");
    return;
  }
  put_number(text, ",\"metres\":{\"x\":", metres.x);
  put_number(text, ",\"y\":", metres.y);
  put_number(text, ",\"z\":", metres.z);
  put_number(text, ",\"z_top\":", metres.z_top);
  put_number(text, ",\"width\":", metres.width);
  put_number(text, ",\"height\":", metres.height);
  put(text, "}");
}

/* Metres; not less than the last digit that is written, since 0 would say that it is exact. */
static double deviation_of(const StxCamera *camera, double distance)
{
  double deviation = stx_metres_deviation(camera, distance);

  return deviation < .001 ? .001 : deviation;
}

static void write_stixel(
    GstStxJsonText *text, gconstpointer record, gsize index, gconstpointer data)
{
  const StxStixel *stixel = record;
  const GstStxJsonFrame *frame = data;

  put_whole(text, "{\"column\":", stixel->column);
  put_whole(text, ",\"top\":", stixel->top);
  put_whole(text, ",\"bottom\":", stixel->bottom);
  put_name(text, ",\"kind\":", kind_name(stixel->kind));
  write_label(text, stixel->label);
  put_number(text, ",\"disparity_top\":", stixel->disparity_top);
  put_number(text, ",\"disparity_bottom\":", stixel->disparity_bottom);
  double metres = distance(stixel, &frame->info->camera);
  put_number(text, ",\"distance\":", metres);
  put_number(text, ",\"distance_deviation\":", deviation_of(&frame->info->camera, metres));
  if (frame->metres)
    write_stixel_metres(text, frame->info, stixel);
  put_number(text, ",\"cost\":", stixel->cost);
  put_number(text, ",\"confidence\":", stixel->confidence);
  write_velocity(text, &frame->stixel_velocities, index, FALSE);
  put(text, "}");
}

/* ---- Obstacles ----------------------------------------------------------------------------- */

/* Its box in the image; a scan has none. */
static void write_box(GstStxJsonText *text, const StxObstacle *obstacle)
{
  if (obstacle->source == STX_OBSTACLE_LIDAR) {
    put(text, ",\"box\":null");
    return;
  }
  put_whole(text, ",\"box\":{\"left\":", obstacle->left);
  put_whole(text, ",\"top\":", obstacle->top);
  put_whole(text, ",\"right\":", obstacle->right);
  put_whole(text, ",\"bottom\":", obstacle->bottom);
  put_whole(text, ",\"first_column\":", obstacle->first_column);
  put_whole(text, ",\"last_column\":", obstacle->last_column);
  put(text, "}");
}

static void write_obstacle_metres(
    GstStxJsonText *text, const GstStxStixelInfo *info, const StxObstacle *obstacle)
{
  if (!isfinite(obstacle->z)) {
    put(text, ",\"metres\":null");
    return;
  }
  put_number(text, ",\"metres\":{\"x\":", obstacle->x);
  put_number(text, ",\"y\":", obstacle->y);
  put_number(text, ",\"z\":", obstacle->z);
  bool stereo = info != NULL && obstacle->source == STX_OBSTACLE_STEREO;
  put_number(text, ",\"z_deviation\":", stereo ? deviation_of(&info->camera, obstacle->z) : NAN);
  put_number(text, ",\"width\":", obstacle->width);
  put_number(text, ",\"height\":", obstacle->height);
  put_number(text, ",\"depth\":", obstacle->depth);
  put(text, "}");
}

static void write_obstacle(
    GstStxJsonText *text, gconstpointer record, gsize index, gconstpointer data)
{
  const StxObstacle *obstacle = record;
  const GstStxJsonFrame *frame = data;
  gboolean known;
  StxVelocity v;

  if (obstacle->id > 0)
    put_whole(text, "{\"id\":", obstacle->id);
  else
    put(text, "{\"id\":null");
  put_whole(text, ",\"age\":", obstacle->age);
  put_name(text, ",\"source\":", obstacle->source == STX_OBSTACLE_LIDAR ? "lidar" : "stereo");
  if (stx_obstacle_is_hazard(obstacle))
    put_name(text, ",\"hazard\":", obstacle->flags & STX_OBSTACLE_HOLE ? "hole" : "small");
  write_label(text, obstacle->label);
  write_box(text, obstacle);
  put_whole(text, ",\"count\":", obstacle->count);
  write_obstacle_metres(text, frame->info, obstacle);
  known = velocity_at(&frame->obstacle_velocities, index, &v);
  put_number(text, ",\"closing_speed\":", obstacle->closing_speed);
  put_number(text, ",\"closing_speed_deviation\":", known ? v.deviation_z : NAN);
  put_number(text, ",\"lateral_speed\":", obstacle->lateral_speed); /* over ground: as uncertain */
  put_number(text, ",\"lateral_speed_deviation\":", known ? v.deviation_x : NAN);
  put_bool(text, ",\"in_corridor\":", obstacle->flags & STX_OBSTACLE_IN_CORRIDOR);
  put_bool(text, ",\"cut\":", obstacle->flags & STX_OBSTACLE_CUT);
  put_number(text, ",\"confidence\":", obstacle->confidence);
  write_velocity(text, &frame->obstacle_velocities, index, TRUE);
  put(text, "}");
}

/* ---- Free space ---------------------------------------------------------------------------- */

static void write_place(GstStxJsonText *text, const char *key, guint place, guint none)
{
  if (place == none)
    put_name(text, key, NULL);
  else
    put_whole(text, key, place);
}

static void write_space(GstStxJsonText *text, gconstpointer record, gsize index, gconstpointer data)
{
  const StxFreeSpace *space = record;

  put_name(text, "{\"state\":",
      isnan(space->z)      ? "unknown"
      : isfinite(space->z) ? "obstacle"
                           : "free");
  put_number(text, ",\"x\":", isfinite(space->z) ? space->x : NAN);
  put_number(text, ",\"z\":", space->z);
  write_place(text, ",\"row\":", space->row, 0);
  write_place(text, ",\"obstacle\":", space->obstacle, STX_FREE_NO_OBSTACLE);
  put(text, "}");
}

/* ---- Points -------------------------------------------------------------------------------- */

static void write_range(GstStxJsonText *text, const char *key, double low, double high)
{
  put_number(text, key, low);
  put_number(text, ",", high);
  put(text, "]");
}

static void write_cluster(GstStxJsonText *text, gsize id, const StxCluster *cluster)
{
  put_whole(text, "{\"id\":", id);
  put_whole(text, ",\"count\":", cluster->count);
  if (cluster->low[0] <= cluster->high[0]) {
    write_range(text, ",\"metres\":{\"x\":[", cluster->low[0], cluster->high[0]);
    write_range(text, ",\"y\":[", cluster->low[1], cluster->high[1]);
    write_range(text, ",\"z\":[", cluster->low[2], cluster->high[2]);
    put(text, "}}");
  } else {
    put(text, ",\"metres\":null}");
  }
}

static void write_clusters(GstStxJsonText *text, const StxCluster *clusters, gsize highest)
{
  const char *between = "";

  put(text, ",\"clusters\":[");
  for (gsize i = 1; i <= highest; i++)
    if (clusters[i].count > 0) {
      put(text, between);
      write_cluster(text, i, &clusters[i]);
      between = ",";
    }
  put(text, "]");
}

/* The records of `size` bytes: where they lie, or, if that is not aligned, in *copy. */
static gconstpointer aligned(const GstStxJsonRecords *records, gsize size, gpointer *copy)
{
  if ((gsize)records->data % sizeof(guint32) == 0)
    return records->data;
  *copy = g_memdup2(records->data, records->count * size);
  return *copy;
}

static void write_points(
    GstStxJsonText *text, const GstStxJsonRecords *points, const GstStxJsonRecords *labels)
{
  g_autofree gpointer points_copy = NULL, labels_copy = NULL;
  const float *coordinates = aligned(points, 4 * sizeof(float), &points_copy);
  const guint32 *classes = aligned(labels, sizeof *classes, &labels_copy);
  gsize highest = stx_clusters_highest(classes, labels->count);
  g_autofree StxCluster *clusters = g_new(StxCluster, highest + 1);
  StxPointCounts counts;

  stx_clusters_gather(coordinates, classes, labels->count, clusters, highest, &counts);
  put_whole(text, ",\"points\":{\"count\":", points->count);
  put_whole(text, ",\"ground\":", counts.ground);
  put_whole(text, ",\"obstacle\":", counts.obstacle);
  put_whole(text, ",\"unknown\":", counts.unknown);
  write_clusters(text, clusters, highest);
  put(text, "}");
}

/* ---- The line ------------------------------------------------------------------------------ */

/* Lists of records, in the order of the line; those of points stand for what is said of them. */
typedef struct {
  guint part;
  const char *key;
  gsize size, records; /* of a record; in GstStxJsonFrame */
  Write write;         /* NULL: of points */
} List;

#define LIST(part, key, Record, member, write)                                                     \
  {                                                                                                \
    GST_STX_JSON_##part, key, sizeof(Record), offsetof(GstStxJsonFrame, member), write             \
  }
static const List lists[] = {
    LIST(STIXELS, ",\"stixels\":[", StxStixel, stixels, write_stixel),
    LIST(OBSTACLES, ",\"obstacles\":[", StxObstacle, obstacles, write_obstacle),
    LIST(FREE_SPACE, ",\"free_space\":[", StxFreeSpace, free_space, write_space),
    LIST(POINTS, NULL, guint32, labels, NULL),
};

/* Writes what the line has of them, and the MD5 of these records: equal in two lines only if no bit
 * differs, where numbers in JSON are rounded. */
static void write_lists(GstStxJsonText *text, const GstStxJsonFrame *frame)
{
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_MD5);
  guint parts = 0;

  for (const List *list = lists; list < lists + G_N_ELEMENTS(lists); list++) {
    const GstStxJsonRecords *records = (gconstpointer)((const guint8 *)frame + list->records);

    if (!(frame->parts & list->part))
      continue;
    parts |= list->part;
    g_checksum_update(sum, records->data, records->count * list->size);
    if (list->write != NULL)
      write_list(text, list->key, records, list->size, list->write, frame);
    else
      write_points(text, &frame->points, &frame->labels);
  }
  if (parts != 0)
    put_name(text, ",\"md5\":", g_checksum_get_string(sum));
}

void gst_stx_json_frame(GstStxJsonText *text, const GstStxJsonFrame *frame)
{
  put_whole(text, "{\"version\":", GST_STX_JSON_VERSION);
  if (GST_CLOCK_TIME_IS_VALID(frame->pts))
    put_whole(text, ",\"pts\":", frame->pts);
  else
    put_name(text, ",\"pts\":", NULL);
  if (frame->info != NULL) {
    put_whole(text, ",\"width\":", frame->info->width);
    put_whole(text, ",\"height\":", frame->info->height);
    put_whole(text, ",\"stixel_width\":", frame->info->stixel_width);
    put_whole(text, ",\"columns\":", frame->info->columns);
    write_camera(text, &frame->info->camera);
  }
  if (frame->parts & GST_STX_JSON_MOTION)
    write_motion(text, frame->motion);
  write_lists(text, frame);
  put(text, "}\n");
}
