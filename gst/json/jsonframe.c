/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/json/jsonframe.h"

#include <math.h>
#include <string.h>

#include "common/labels.h"

/* ---- The image ----------------------------------------------------------------------------- */

static double known(const StxCamera *camera, unsigned number, double value)
{
  return camera->missing & number ? NAN : value;
}

static void write_camera(GstStxJsonText *text, const StxCamera *camera)
{
  if (camera->focal <= 0) {
    gst_stx_json_words(text, ",\"camera\":null");
    return;
  }
  gst_stx_json_exact(text, ",\"camera\":{\"focal\":", camera->focal);
  gst_stx_json_exact(text, ",\"cx\":", known(camera, STX_CAMERA_CX, camera->cx));
  gst_stx_json_exact(text, ",\"cy\":", known(camera, STX_CAMERA_CY, camera->cy));
  gst_stx_json_exact(text, ",\"baseline\":", camera->baseline > 0 ? camera->baseline : NAN);
  gst_stx_json_exact(text, ",\"height\":", camera->height > 0 ? camera->height : NAN);
  gst_stx_json_exact(text, ",\"pitch\":", known(camera, STX_CAMERA_PITCH, camera->pitch));
  gst_stx_json_words(text, "}");
}

static void write_image(GstStxJsonText *text, const GstStxStixelInfo *info)
{
  gst_stx_json_whole(text, ",\"width\":", info->width);
  gst_stx_json_whole(text, ",\"height\":", info->height);
  gst_stx_json_whole(text, ",\"stixel_width\":", info->stixel_width);
  gst_stx_json_whole(text, ",\"columns\":", info->columns);
  write_camera(text, &info->camera);
}

void gst_stx_json_label(GstStxJsonText *text, guint label)
{
  if (label == STX_LABEL_NONE) {
    gst_stx_json_words(text, ",\"label\":null,\"class\":null");
    return;
  }
  gst_stx_json_whole(text, ",\"label\":", label);
  gst_stx_json_name(text, ",\"class\":", stx_label_name((gint)label));
}

void gst_stx_json_list(GstStxJsonText *text, const char *key, const GstStxJsonRecords *records,
    gsize size, GstStxJsonWrite write, gconstpointer data)
{
  union {
    StxStixel stixel;
    StxObstacle obstacle;
    StxFreeSpace space;
  } copy;

  g_return_if_fail(size <= sizeof copy);

  gst_stx_json_words(text, key);
  for (gsize i = 0; i < records->count; i++) {
    memcpy(&copy, (const guint8 *)records->data + i * size, size);
    if (i > 0)
      gst_stx_json_words(text, ",");
    write(text, &copy, data);
  }
  gst_stx_json_words(text, "]");
}

/* ---- The line ------------------------------------------------------------------------------ */

static void write_time(GstStxJsonText *text, GstClockTime pts)
{
  if (GST_CLOCK_TIME_IS_VALID(pts))
    gst_stx_json_whole(text, ",\"pts\":", pts);
  else
    gst_stx_json_words(text, ",\"pts\":null");
}

void gst_stx_json_frame(GstStxJsonText *text, const GstStxJsonFrame *frame)
{
  gst_stx_json_whole(text, "{\"version\":", GST_STX_JSON_VERSION);
  write_time(text, frame->pts);
  if (frame->info != NULL)
    write_image(text, frame->info);
  if (frame->parts & GST_STX_JSON_STIXELS)
    gst_stx_json_stixels(text, frame);
  if (frame->parts & GST_STX_JSON_OBSTACLES)
    gst_stx_json_obstacles(text, &frame->obstacles);
  if (frame->parts & GST_STX_JSON_FREE_SPACE)
    gst_stx_json_free_space(text, &frame->free_space);
  if (frame->parts & GST_STX_JSON_POINTS)
    gst_stx_json_points(text, &frame->points, &frame->labels);
  gst_stx_json_words(text, "}\n");
}
