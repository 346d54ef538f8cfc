/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-stixel-json
 * @title: stixel-json
 *
 * Writes stixels as text: one line of JSON per frame, with the place and size of every stixel in
 * metres when the camera is known.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=disparity num-buffers=3 ! downsample-transpose !
 * sat-dp-stixels ! stixel-json ! filesink location=stixels.jsonl
 * ]|
 */
#include "gst/elements/elements.h"

#include <gst/base/gstbasetransform.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "common/labels.h"
#include "gst/shared/element.h"
#include "gst/shared/properties.h"
#include "gst/base/inputs.h"
#include "gst/formats/columns.h"
#include "gst/stixels/mediatypes.h"

GST_DEBUG_CATEGORY_STATIC(gst_stixel_json_debug);
#define GST_CAT_DEFAULT gst_stixel_json_debug

#define GST_TYPE_STIXEL_JSON (gst_stixel_json_get_type())
G_DECLARE_FINAL_TYPE(GstStixelJson, gst_stixel_json, GST, STIXEL_JSON, GstBaseTransform)

struct _GstStixelJson {
  GstBaseTransform parent;

  bool metres; /* property, under the object lock */

  GstStxStixelInfo info;
  gboolean with_metres; /* of this frame */
  gsize reserve;        /* bytes to begin a line with: what the previous one took */
};

G_DEFINE_TYPE(GstStixelJson, gst_stixel_json, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE(stixel_json, "stixel-json", GST_RANK_NONE, GST_TYPE_STIXEL_JSON)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_STX_STIXELS_MEDIA_TYPE));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("application/x-json"));

/* ---- Text ----------------------------------------------------------------------------------
 * Nothing but numbers and fixed names, none of which needs quoting, and 10^5 of them per frame:
 * printed straight into one string. A tree of JSON objects would only be built to be printed. */

/* key and value, with a decimal point whatever the locale says; null where JSON has no number. */
static void append_number(GString *text, const char *key, const char *format, double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE + DBL_MAX_10_EXP];

  g_string_append(text, key);
  g_string_append(
      text, isfinite(value) ? g_ascii_formatd(number, sizeof number, format, value) : "null");
}

static void append_header(GString *text, const GstStixelJson *self, GstClockTime pts)
{
  if (GST_CLOCK_TIME_IS_VALID(pts))
    g_string_append_printf(text, "{\"pts\":%" G_GUINT64_FORMAT, pts);
  else
    g_string_append(text, "{\"pts\":null");
  g_string_append_printf(text, ",\"width\":%u,\"height\":%u,\"stixel_width\":%u,\"columns\":%u",
      self->info.width, self->info.height, self->info.stixel_width, self->info.columns);
}

static double known(const StxCamera *camera, unsigned number, double value)
{
  return camera->missing & number ? NAN : value;
}

static void append_camera(GString *text, const StxCamera *camera)
{
  static const char format[] = "%.9g";

  if (camera->focal <= 0) {
    g_string_append(text, ",\"camera\":null");
    return;
  }
  append_number(text, ",\"camera\":{\"focal\":", format, camera->focal);
  append_number(text, ",\"cx\":", format, known(camera, STX_CAMERA_CX, camera->cx));
  append_number(text, ",\"cy\":", format, known(camera, STX_CAMERA_CY, camera->cy));
  append_number(text, ",\"baseline\":", format, camera->baseline > 0 ? camera->baseline : NAN);
  append_number(text, ",\"height\":", format, camera->height > 0 ? camera->height : NAN);
  append_number(text, ",\"pitch\":", format, known(camera, STX_CAMERA_PITCH, camera->pitch));
  g_string_append_c(text, '}');
}

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

static void append_metres(GString *text, const GstStxStixelInfo *info, const StxStixel *stixel)
{
  static const char format[] = "%.3f";
  StxMetres metres;

  if (!gst_stx_stixel_info_get_metres(info, stixel, &metres)) {
    g_string_append(text, ",\"metres\":null");
    return;
  }
  append_number(text, ",\"metres\":{\"x\":", format, metres.x);
  append_number(text, ",\"y\":", format, metres.y);
  append_number(text, ",\"z\":", format, metres.z);
  append_number(text, ",\"z_top\":", format, metres.z_top);
  append_number(text, ",\"width\":", format, metres.width);
  append_number(text, ",\"height\":", format, metres.height);
  g_string_append_c(text, '}');
}

static void append_stixel(GString *text, const GstStixelJson *self, const StxStixel *stixel)
{
  static const char format[] = "%.3f";

  g_string_append_printf(text, "{\"column\":%u,\"top\":%u,\"bottom\":%u,\"kind\":\"%s\"",
      stixel->column, stixel->top, stixel->bottom, kind_name(stixel->kind));
  if (stixel->label != STX_LABEL_NONE)
    g_string_append_printf(
        text, ",\"label\":%u,\"class\":\"%s\"", stixel->label, stx_label_name(stixel->label));
  else
    g_string_append(text, ",\"label\":null,\"class\":null");
  append_number(text, ",\"disparity_top\":", format, stixel->disparity_top);
  append_number(text, ",\"disparity_bottom\":", format, stixel->disparity_bottom);
  append_number(text, ",\"distance\":", format, distance(stixel, &self->info.camera));
  if (self->with_metres)
    append_metres(text, &self->info, stixel);
  append_number(text, ",\"cost\":", format, stixel->cost);
  append_number(text, ",\"confidence\":", format, stixel->confidence);
  g_string_append_c(text, '}');
}

/* The whole line, newline included. `records` may lie anywhere in memory, aligned or not. */
static GString *line_new(
    const GstStixelJson *self, GstClockTime pts, const guint8 *records, gsize count)
{
  GString *text = g_string_sized_new(self->reserve);

  append_header(text, self, pts);
  append_camera(text, &self->info.camera);
  g_string_append(text, ",\"stixels\":[");
  for (gsize i = 0; i < count; i++) {
    StxStixel stixel;

    memcpy(&stixel, records + i * sizeof stixel, sizeof stixel);
    if (i > 0)
      g_string_append_c(text, ',');
    append_stixel(text, self, &stixel);
  }
  g_string_append(text, "]}\n");
  return text;
}

/* ---- GstBaseTransform ---------------------------------------------------------------------- */

static GstCaps *transform_caps(
    GstBaseTransform *transform, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstCaps *other =
      gst_static_pad_template_get_caps(direction == GST_PAD_SINK ? &src_template : &sink_template);
  GstCaps *result;

  if (filter == NULL)
    return other;
  result = gst_caps_intersect_full(filter, other, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(other);
  return result;
}

static gboolean set_caps(GstBaseTransform *transform, GstCaps *input, GstCaps *output)
{
  GstStixelJson *self = GST_STIXEL_JSON(transform);
  StxError error;

  if (!gst_stx_stixels_caps_parse(input, &self->info, &error)) {
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
    return FALSE;
  }
  return TRUE;
}

static GstFlowReturn transform(GstBaseTransform *base, GstBuffer *input, GstBuffer *output)
{
  GstStixelJson *self = GST_STIXEL_JSON(base);
  GstMapInfo map;
  GString *line;
  gsize length;
  gchar *bytes;

  GST_OBJECT_LOCK(self);
  self->with_metres = self->metres;
  GST_OBJECT_UNLOCK(self);
  if (!gst_stx_map_input(GST_ELEMENT(self), input, 0, sizeof(StxStixel), &map))
    return GST_FLOW_ERROR;
  line = line_new(self, GST_BUFFER_PTS(input), map.data, map.size / sizeof(StxStixel));
  gst_buffer_unmap(input, &map);

  length = line->len;
  self->reserve = length + length / 8;
  bytes = g_string_free(line, FALSE);
  gst_buffer_append_memory(
      output, gst_memory_new_wrapped(0, bytes, length, 0, length, bytes, g_free));
  return GST_FLOW_OK;
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxField fields[] = {
    {"metres", "Metres", "Write the place and the size of every stixel in metres",
        STX_FIELD(BOOL, GstStixelJson, metres)},
};
static const GstStixelJson defaults = {.metres = true};
static const StxFields table = {STX_FIELDS_OF(fields), &defaults};

static const GstStxPropertyGroup properties[] = {{&table, 0, GST_PARAM_MUTABLE_PLAYING, NULL}};

/* ---- GObject ------------------------------------------------------------------------------- */

static void gst_stixel_json_class_init(GstStixelJsonClass *klass)
{
  GstElementClass *element = GST_ELEMENT_CLASS(klass);
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS(klass);

  gst_stx_properties_install(G_OBJECT_CLASS(klass), properties, G_N_ELEMENTS(properties));
  base->transform_caps = transform_caps;
  base->accept_caps = gst_stx_accept_caps;
  base->set_caps = set_caps;
  base->prepare_output_buffer = gst_stx_prepare_output_buffer;
  base->transform = transform;

  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_set_static_metadata(element, "Stixels to JSON", "Converter/Metadata",
      "Writes one line of JSON per frame of stixels", GST_STX_AUTHOR);
  GST_DEBUG_CATEGORY_INIT(gst_stixel_json_debug, "stixel-json", 0, "stixels to JSON");
}

static void gst_stixel_json_init(GstStixelJson *self)
{
  self->metres = defaults.metres;
}
