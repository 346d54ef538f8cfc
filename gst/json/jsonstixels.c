/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/json/jsonframe.h"

#include <math.h>

static const char *kind_name(guint kind)
{
  static const char *const names[] = {
      [STX_KIND_SEGMENT] = "segment",
      [STX_KIND_GROUND] = "ground",
      [STX_KIND_OBJECT] = "object",
      [STX_KIND_SKY] = "sky",
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

static void write_metres(
    GstStxJsonText *text, const GstStxStixelInfo *info, const StxStixel *stixel)
{
  StxMetres metres;

  if (!gst_stx_stixel_info_get_metres(info, stixel, &metres)) {
    gst_stx_json_words(text, ",\"metres\":null");
    return;
  }
  gst_stx_json_number(text, ",\"metres\":{\"x\":", metres.x);
  gst_stx_json_number(text, ",\"y\":", metres.y);
  gst_stx_json_number(text, ",\"z\":", metres.z);
  gst_stx_json_number(text, ",\"z_top\":", metres.z_top);
  gst_stx_json_number(text, ",\"width\":", metres.width);
  gst_stx_json_number(text, ",\"height\":", metres.height);
  gst_stx_json_words(text, "}");
}

static void write_stixel(GstStxJsonText *text, gconstpointer record, gconstpointer data)
{
  const StxStixel *stixel = record;
  const GstStxJsonFrame *frame = data;

  gst_stx_json_whole(text, "{\"column\":", stixel->column);
  gst_stx_json_whole(text, ",\"top\":", stixel->top);
  gst_stx_json_whole(text, ",\"bottom\":", stixel->bottom);
  gst_stx_json_name(text, ",\"kind\":", kind_name(stixel->kind));
  gst_stx_json_label(text, stixel->label);
  gst_stx_json_number(text, ",\"disparity_top\":", stixel->disparity_top);
  gst_stx_json_number(text, ",\"disparity_bottom\":", stixel->disparity_bottom);
  gst_stx_json_number(text, ",\"distance\":", distance(stixel, &frame->info->camera));
  if (frame->metres)
    write_metres(text, frame->info, stixel);
  gst_stx_json_number(text, ",\"cost\":", stixel->cost);
  gst_stx_json_number(text, ",\"confidence\":", stixel->confidence);
  gst_stx_json_words(text, "}");
}

void gst_stx_json_stixels(GstStxJsonText *text, const GstStxJsonFrame *frame)
{
  gst_stx_json_list(
      text, ",\"stixels\":[", &frame->stixels, sizeof(StxStixel), write_stixel, frame);
}
