/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/json/jsonframe.h"

#include <math.h>

/* ---- Obstacles ----------------------------------------------------------------------------- */

/* Where it is in the image; a scan has none. */
static void write_box(GstStxJsonText *text, const StxObstacle *obstacle)
{
  if (obstacle->source == STX_OBSTACLE_LIDAR) {
    gst_stx_json_words(text, ",\"box\":null");
    return;
  }
  gst_stx_json_whole(text, ",\"box\":{\"left\":", obstacle->left);
  gst_stx_json_whole(text, ",\"top\":", obstacle->top);
  gst_stx_json_whole(text, ",\"right\":", obstacle->right);
  gst_stx_json_whole(text, ",\"bottom\":", obstacle->bottom);
  gst_stx_json_whole(text, ",\"first_column\":", obstacle->first_column);
  gst_stx_json_whole(text, ",\"last_column\":", obstacle->last_column);
  gst_stx_json_words(text, "}");
}

static void write_metres(GstStxJsonText *text, const StxObstacle *obstacle)
{
  if (!isfinite(obstacle->z)) {
    gst_stx_json_words(text, ",\"metres\":null");
    return;
  }
  gst_stx_json_number(text, ",\"metres\":{\"x\":", obstacle->x);
  gst_stx_json_number(text, ",\"y\":", obstacle->y);
  gst_stx_json_number(text, ",\"z\":", obstacle->z);
  gst_stx_json_number(text, ",\"width\":", obstacle->width);
  gst_stx_json_number(text, ",\"height\":", obstacle->height);
  gst_stx_json_number(text, ",\"depth\":", obstacle->depth);
  gst_stx_json_words(text, "}");
}

static void write_obstacle(GstStxJsonText *text, gconstpointer record, gconstpointer data)
{
  const StxObstacle *obstacle = record;

  if (obstacle->id > 0)
    gst_stx_json_whole(text, "{\"id\":", obstacle->id);
  else
    gst_stx_json_words(text, "{\"id\":null");
  gst_stx_json_whole(text, ",\"age\":", obstacle->age);
  gst_stx_json_name(
      text, ",\"source\":", obstacle->source == STX_OBSTACLE_LIDAR ? "lidar" : "stereo");
  gst_stx_json_label(text, obstacle->label);
  write_box(text, obstacle);
  gst_stx_json_whole(text, ",\"count\":", obstacle->count);
  write_metres(text, obstacle);
  gst_stx_json_number(text, ",\"closing_speed\":", obstacle->closing_speed);
  gst_stx_json_number(text, ",\"lateral_speed\":", obstacle->lateral_speed);
  gst_stx_json_bool(text, ",\"in_corridor\":", obstacle->flags & STX_OBSTACLE_IN_CORRIDOR);
  gst_stx_json_bool(text, ",\"cut\":", obstacle->flags & STX_OBSTACLE_CUT);
  gst_stx_json_number(text, ",\"confidence\":", obstacle->confidence);
  gst_stx_json_words(text, "}");
}

void gst_stx_json_obstacles(GstStxJsonText *text, const GstStxJsonRecords *obstacles)
{
  gst_stx_json_list(text, ",\"obstacles\":[", obstacles, sizeof(StxObstacle), write_obstacle, NULL);
}

/* ---- Free space ---------------------------------------------------------------------------- */

static const char *state_of(const StxFreeSpace *space)
{
  if (isnan(space->z))
    return "unknown";
  return isfinite(space->z) ? "obstacle" : "free";
}

static void write_place(GstStxJsonText *text, const char *key, guint place, guint none)
{
  if (place == none)
    gst_stx_json_name(text, key, NULL);
  else
    gst_stx_json_whole(text, key, place);
}

static void write_space(GstStxJsonText *text, gconstpointer record, gconstpointer data)
{
  const StxFreeSpace *space = record;

  gst_stx_json_name(text, "{\"state\":", state_of(space));
  gst_stx_json_number(text, ",\"x\":", isfinite(space->z) ? space->x : NAN);
  gst_stx_json_number(text, ",\"z\":", space->z);
  write_place(text, ",\"row\":", space->row, 0);
  write_place(text, ",\"obstacle\":", space->obstacle, STX_FREE_NO_OBSTACLE);
  gst_stx_json_words(text, "}");
}

void gst_stx_json_free_space(GstStxJsonText *text, const GstStxJsonRecords *free_space)
{
  gst_stx_json_list(text, ",\"free_space\":[", free_space, sizeof(StxFreeSpace), write_space, NULL);
}
