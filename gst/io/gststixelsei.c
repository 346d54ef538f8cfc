/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-stixel-sei
 * @title: stixel-sei
 *
 * Keeps stixels, obstacles, free space and motion inside H.264 and H.265 video. Behind an encoder
 * it writes the metas of each frame into its coded picture, as an SEI message; behind a parser or a
 * decoder it attaches them again.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 filesrc location=drive.mkv ! matroskademux ! h264parse ! stixel-sei !
 * avdec_h264 ! stixel-overlay ! videoconvert ! autovideosink
 * ]|
 */
#define _GNU_SOURCE /* memmem */
#include "gst/base/inputs.h"
#include "gst/core/elements.h"

#include <gst/base/gstbasetransform.h>
#include <gst/video/video-sei.h>
#include <string.h>

#include "gst/core/element.h"
#include "gst/core/properties.h"
#include "gst/io/metacode.h"
#include "gst/stixels/stixels.h"

#define PAYLOAD 5 /* user_data_unregistered */

/* Made for this purpose at random. */
static const guint8 uuid[16] = {
    0x6b, 0x5c, 0x3b, 0xd8, 0xec, 0x2a, 0x49, 0xe5, 0xa5, 0x4c, 0xec, 0x5d, 0x90, 0xe9, 0xb1, 0x61};

GST_DEBUG_CATEGORY_STATIC(gst_stixel_sei_debug);
#define GST_CAT_DEFAULT gst_stixel_sei_debug

G_DECLARE_FINAL_TYPE(GstStixelSei, gst_stixel_sei, GST, STIXEL_SEI, GstBaseTransform)

/* The input's kind, by its caps. */
typedef enum { VIDEO_RAW, VIDEO_H264, VIDEO_H265 } Video;

typedef struct {
  bool exact;
} Settings;

struct _GstStixelSei {
  GstBaseTransform parent;

  Settings settings; /* properties, under the object lock */

  Video video;
  guint prefix;     /* bytes of a NAL unit's length; 0: start codes are between them */
  gboolean refused; /* the user knows of a message that cannot be read */
};

G_DEFINE_TYPE(GstStixelSei, gst_stixel_sei, GST_TYPE_BASE_TRANSFORM)
GST_STX_ELEMENT(stixel_sei, "stixel-sei")

#define CAPS                                                                                       \
  "video/x-h264,stream-format={byte-stream,avc,avc3},alignment=au; "                               \
  "video/x-h265,stream-format={byte-stream,hvc1,hev1},alignment=au; video/x-raw(ANY)"

GST_STX_PAD(sink, SINK, ALWAYS, CAPS);
GST_STX_PAD(src, SRC, ALWAYS, CAPS);

/* ---- NAL units ----------------------------------------------------------------------------- */

static void put(GByteArray *unit, guint8 byte)
{
  g_byte_array_append(unit, &byte, 1);
}

/* No three bytes of a unit may look like a start code. */
static void put_escaped(GByteArray *unit, const guint8 *bytes, gsize size, guint *zeros)
{
  for (gsize i = 0; i < size; i++) {
    if (*zeros == 2 && bytes[i] <= 3) {
      put(unit, 3);
      *zeros = 0;
    }
    put(unit, bytes[i]);
    *zeros = bytes[i] == 0 ? *zeros + 1 : 0;
  }
}

/* A whole SEI unit with one message, as it stands in the stream. */
static GByteArray *make_unit(const GstStixelSei *self, const GByteArray *message)
{
  static const guint8 h264[] = {0x06}, h265[] = {39 << 1, 1}, payload[] = {PAYLOAD}, end[] = {0x80};
  static const guint8 start[4] = {0, 0, 0, 1}, full[] = {0xff};
  GByteArray *unit = g_byte_array_new();
  guint zeros = 0, length = message->len;
  guint8 rest;

  g_byte_array_append(unit, start, self->prefix > 0 ? self->prefix : sizeof start);
  if (self->video == VIDEO_H264)
    g_byte_array_append(unit, h264, sizeof h264);
  else
    g_byte_array_append(unit, h265, sizeof h265);
  put_escaped(unit, payload, 1, &zeros);
  for (; length >= 255; length -= 255)
    put_escaped(unit, full, 1, &zeros);
  rest = (guint8)length;
  put_escaped(unit, &rest, 1, &zeros);
  put_escaped(unit, message->data, message->len, &zeros);
  put_escaped(unit, end, 1, &zeros);
  for (guint i = 0; i < self->prefix; i++)
    unit->data[i] = (guint8)((guint64)(unit->len - self->prefix) >> 8 * (self->prefix - 1 - i));
  return unit;
}

static gboolean is_picture(Video video, guint8 head)
{
  guint type = video == VIDEO_H264 ? head & 31 : head >> 1 & 63;

  return video == VIDEO_H264 ? type >= 1 && type <= 5 : type < 32;
}

/* Where the first unit with a part of the picture begins, which SEI units have to precede. -1:
 * there is none. */
static gssize find_picture(const GstStixelSei *self, const guint8 *data, gsize size)
{
  gsize at = 0;

  while (at + self->prefix + 4 <= size) {
    gsize length = 0;

    if (self->prefix == 0) {
      if (data[at] == 0 && data[at + 1] == 0 && data[at + 2] == 1 &&
          is_picture(self->video, data[at + 3]))
        return (gssize)at;
      at++;
      continue;
    }
    for (guint i = 0; i < self->prefix; i++)
      length = length << 8 | data[at + i];
    if (length > size - at - self->prefix)
      return -1;
    if (length > 0 && is_picture(self->video, data[at + self->prefix]))
      return (gssize)at;
    at += self->prefix + length;
  }
  return -1;
}

/* ---- Frames -------------------------------------------------------------------------------- */

static GstBuffer *insert(GstBuffer *input, gsize at, GByteArray *unit)
{
  GstBuffer *output = gst_buffer_new();
  g_autoptr(GBytes) bytes = g_byte_array_free_to_bytes(unit);

  gst_buffer_copy_into(output, input, GST_BUFFER_COPY_METADATA, 0, (gsize)-1);
  gst_buffer_copy_into(output, input, GST_BUFFER_COPY_MEMORY, 0, at);
  output = gst_buffer_append(output, gst_buffer_new_wrapped_bytes(bytes));
  gst_buffer_copy_into(output, input, GST_BUFFER_COPY_MEMORY, at, (gsize)-1);
  return output;
}

/* Other data of the kind belong to others; the picture keeps them. */
static GstVideoSEIUserDataUnregisteredMeta *find_message(GstBuffer *buffer)
{
  GstVideoSEIUserDataUnregisteredMeta *meta;
  gpointer state = NULL;

  while ((meta = (GstVideoSEIUserDataUnregisteredMeta *)gst_buffer_iterate_meta_filtered(
              buffer, &state, GST_VIDEO_SEI_USER_DATA_UNREGISTERED_META_API_TYPE)) != NULL)
    if (memcmp(meta->uuid, uuid, sizeof uuid) == 0)
      return meta;
  return NULL;
}

static void refuse(GstStixelSei *self, const gchar *why)
{
  if (!self->refused)
    GST_ELEMENT_WARNING(self, STREAM, FORMAT,
        ("Frames stay without stixels: an SEI message cannot be read: %s", why), (NULL));
  self->refused = TRUE;
}

/* Attaches what the picture's SEI message holds. */
static GstBuffer *read_message(GstStixelSei *self, GstBuffer *input)
{
  GstVideoSEIUserDataUnregisteredMeta *message = find_message(input);
  const gchar *why = NULL;
  g_autoptr(GBytes) bytes =
      message != NULL ? gst_stx_metas_decode(message->data, message->size, &why) : NULL;
  GstBuffer *output = input;
  g_autoptr(GError) error = NULL;

  if (bytes == NULL) {
    if (why != NULL)
      refuse(self, why);
    return input;
  }
  if (!gst_buffer_is_writable(input))
    output = gst_buffer_copy(input);
  if (!gst_stx_metas_from_bytes(output, bytes, &error))
    refuse(self, error->message);
  return output;
}

/* Returns the metas as bytes, without the points of the motion where velocities are there that were
 * made of them: the points are half of the bytes. */
static GBytes *results_of(GstBuffer *input)
{
  GstStxMotionMeta *motion = gst_buffer_get_stx_motion_meta(input);
  g_autoptr(GstBuffer) bare = NULL;

  if (motion == NULL || motion->points == NULL || gst_buffer_get_stx_velocities_meta(input) == NULL)
    return gst_stx_metas_to_bytes(input);
  bare = gst_buffer_new();
  gst_buffer_copy_into(bare, input, GST_BUFFER_COPY_META, 0, (gsize)-1);
  motion = gst_buffer_get_stx_motion_meta(bare);
  gst_clear_buffer(&motion->points);
  motion->width = motion->height = 0;
  return gst_stx_metas_to_bytes(bare);
}

/* Writes what the frame carries into its picture. */
static GstBuffer *write_message(GstStixelSei *self, GstBuffer *input, GBytes *bytes)
{
  GstMapInfo map;
  g_autoptr(GByteArray) message = NULL;
  GByteArray *unit;
  gssize at;
  gboolean exact;

  if (!gst_buffer_map(input, &map, GST_MAP_READ))
    return input;
  at = find_picture(self, map.data, map.size);
  /* Is there a message of ours before the picture? The UUID has no zeros: it is never escaped. */
  if (at > 0 && memmem(map.data, (gsize)at, uuid, sizeof uuid) != NULL)
    at = -1;
  gst_buffer_unmap(input, &map);
  if (at < 0)
    return input;
  GST_STX_LOCKED(self, exact = self->settings.exact);
  message = g_byte_array_new();
  g_byte_array_append(message, uuid, sizeof uuid);
  if (!gst_stx_metas_code(bytes, exact, message))
    return input;
  unit = make_unit(self, message);
  GST_LOG_OBJECT(self, "%" G_GSIZE_FORMAT " bytes of metas in a unit of %u",
      g_bytes_get_size(bytes), unit->len);
  return insert(input, (gsize)at, unit);
}

static GstFlowReturn prepare_output_buffer(
    GstBaseTransform *base, GstBuffer *input, GstBuffer **output)
{
  GstStixelSei *self = GST_STIXEL_SEI(base);
  g_autoptr(GBytes) bytes = results_of(input);

  if (bytes == NULL)
    *output = read_message(self, input);
  else if (self->video == VIDEO_RAW)
    *output = input;
  else
    *output = write_message(self, input, bytes);
  return GST_FLOW_OK;
}

static GstFlowReturn transform_ip(GstBaseTransform *base, GstBuffer *buffer)
{
  return GST_FLOW_OK;
}

static gboolean set_caps(GstBaseTransform *base, GstCaps *input, GstCaps *output)
{
  GstStixelSei *self = GST_STIXEL_SEI(base);
  const GstStructure *structure = gst_caps_get_structure(input, 0);
  const GValue *value = gst_structure_get_value(structure, "codec_data");
  gboolean units = g_strcmp0(gst_structure_get_string(structure, "stream-format"), "byte-stream");
  gsize place;
  guint8 length = 3;

  self->video = gst_structure_has_name(structure, "video/x-h264")   ? VIDEO_H264
                : gst_structure_has_name(structure, "video/x-h265") ? VIDEO_H265
                                                                    : VIDEO_RAW;
  place = self->video == VIDEO_H264 ? 4 : 21; /* in the decoder's configuration record */
  if (units && value != NULL && GST_VALUE_HOLDS_BUFFER(value))
    gst_buffer_extract(gst_value_get_buffer(value), place, &length, 1);
  self->prefix = units ? (length & 3) + 1u : 0;
  self->refused = FALSE;
  return TRUE;
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxField fields[] = {
    {"exact", "Exact", "Write numbers to the last bit; else rounded, in a third of the bytes",
        STX_FIELD(BOOL, Settings, exact)},
};
static const Settings defaults = {.exact = true};
static const StxFields table = {STX_FIELDS_OF(fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&table, offsetof(GstStixelSei, settings), GST_PARAM_MUTABLE_PLAYING, "GstStixelSei"},
};

/* ---- GObject ------------------------------------------------------------------------------- */

static void gst_stixel_sei_class_init(GstStixelSeiClass *klass)
{
  GstBaseTransformClass *base = GST_BASE_TRANSFORM_CLASS(klass);

  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  base->set_caps = set_caps;
  base->prepare_output_buffer = prepare_output_buffer;
  base->transform_ip = transform_ip;

  gst_stx_element_add_templates(klass, &sink_template, &src_template, NULL);
  gst_stx_element_describe(klass, "stixel-sei", "Stixels in video", "Filter/Metadata/Video",
      "Writes stixels, obstacles and motion into H.264 and H.265, and attaches them again");
  GST_DEBUG_CATEGORY_INIT(gst_stixel_sei_debug, "stixel-sei", 0, "stixels in video");
}

static void gst_stixel_sei_init(GstStixelSei *self)
{
  self->settings = defaults;
  gst_stx_want_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
}
