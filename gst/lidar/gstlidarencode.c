/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-lidar-encode
 * @title: lidar-encode
 *
 * Turns points into the UDP packets that a LiDAR sensor would send of them: a sensor to try
 * #lidar-decode with.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 street-scene-src view=lidar beams=16 is-live=true ! lidar-encode \
 *     ! udpsink host=127.0.0.1 port=2368
 * ]|
 */
#include "gst/core/elements.h"

#include "common/lidar_packet/lidar_encode.h"
#include "gst/base/inputs.h"
#include "gst/core/element.h"
#include "gst/core/memory.h"
#include "gst/core/properties.h"
#include "gst/stixels/mediatypes.h"

typedef struct {
  StxLidarEncodeKind sensor;
  gchar *metadata;
} GstLidarEncodeSettings;

G_DECLARE_FINAL_TYPE(GstLidarEncode, gst_lidar_encode, GST, LIDAR_ENCODE, GstElement)

struct _GstLidarEncode {
  GstElement parent;

  GstPad *sink, *src;
  GstLidarEncodeSettings settings; /* object lock */

  /* Used by the streaming thread only. */
  StxLidarEncoder *encoder;
  GstStxScratch scratch;
  guint64 turns;
  GstClockTime time; /* where the next turn begins, if its buffer does not say */
};

G_DEFINE_TYPE(GstLidarEncode, gst_lidar_encode, GST_TYPE_ELEMENT)
GST_STX_ELEMENT(lidar_encode, "lidar-encode")

GST_STX_PAD(sink, SINK, ALWAYS, GST_STX_LIDAR_MEDIA_TYPE);
GST_STX_PAD(src, SRC, ALWAYS, GST_STX_LIDAR_PACKETS_MEDIA_TYPE);

#define TURN (100 * GST_MSECOND)

/* ---- Packets ------------------------------------------------------------------------------- */

/* The packets of a turn, each at the time at which the sensor would have it complete. */
static GstFlowReturn push_packets(GstLidarEncode *self, GstClockTime time, GstClockTime duration)
{
  StxLidarEncoder *encoder = self->encoder;
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint p = 0; p < encoder->packets && flow == GST_FLOW_OK; p++) {
    guint8 *bytes = g_malloc(encoder->size);
    GstBuffer *packet;

    stx_lidar_encode_packet(encoder, p, self->turns, time, duration, bytes);
    packet = gst_buffer_new_wrapped(bytes, encoder->size);
    GST_BUFFER_PTS(packet) = time + gst_util_uint64_scale(duration, p + 1, encoder->packets);
    GST_BUFFER_DURATION(packet) = duration / encoder->packets;
    flow = gst_pad_push(self->src, gst_stx_offer(GST_ELEMENT(self), self->src, packet));
  }
  self->turns++;
  self->time = time + duration;
  return flow;
}

static GstFlowReturn chain(GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstLidarEncode *self = GST_LIDAR_ENCODE(parent);
  GstClockTime time = GST_BUFFER_PTS(buffer), duration = GST_BUFFER_DURATION(buffer);
  GstFlowReturn flow = GST_FLOW_ERROR;
  StxError error = {""};
  gconstpointer points = NULL;
  GstMapInfo map;

  if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) {
    stx_fail(&error, "the buffer cannot be read");
  } else {
    if (map.size % 16 != 0)
      stx_fail(&error,
          "a buffer of %" G_GSIZE_FORMAT " bytes is no whole number of records of 16 bytes",
          map.size);
    else
      points = gst_stx_aligned(&map, sizeof(gfloat), &self->scratch, &error);
    if (points != NULL || (map.size == 0 && error.text[0] == '\0'))
      stx_lidar_encode_turn(self->encoder, points, map.size / 16);
    gst_buffer_unmap(buffer, &map);
  }
  gst_buffer_unref(buffer);
  if (error.text[0] != '\0')
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
  else
    flow = push_packets(self, GST_CLOCK_TIME_IS_VALID(time) ? time : self->time,
        GST_CLOCK_TIME_IS_VALID(duration) && duration > 0 ? duration : TURN);
  return flow;
}

static gboolean sink_event(GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstLidarEncode *self = GST_LIDAR_ENCODE(parent);
  StxError error = {""};
  g_autoptr(GstCaps) made = NULL;
  gboolean good;
  GstCaps *caps;

  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS)
    return gst_pad_event_default(pad, parent, event);
  gst_event_parse_caps(event, &caps);
  good = gst_stx_check_scan_caps(GST_ELEMENT(self), caps, &error);
  gst_event_unref(event);
  if (!good) {
    GST_STX_ELEMENT_ERROR(self, STREAM, FORMAT, &error);
    return FALSE;
  }
  made = gst_static_pad_template_get_caps(&src_template);
  gst_pad_set_caps(self->src, made);
  return TRUE;
}

/* ---- GstElement ---------------------------------------------------------------------------- */

/* An Ouster's metadata, for the decoder of its packets. */
static gboolean write_metadata(GstLidarEncode *self)
{
  gchar text[STX_LIDAR_ENCODE_METADATA];
  g_autofree gchar *path = NULL;
  g_autoptr(GError) error = NULL;
  gsize size = stx_lidar_encode_metadata(text, sizeof(text));

  GST_STX_LOCKED(self, path = g_strdup(self->settings.metadata));
  if (path != NULL && path[0] != '\0' && !g_file_set_contents(path, text, (gssize)size, &error))
    GST_ELEMENT_ERROR(self, RESOURCE, OPEN_WRITE, ("metadata: %s", error->message), ("%s", path));
  return error == NULL;
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition)
{
  GstLidarEncode *self = GST_LIDAR_ENCODE(element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !write_metadata(self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    self->turns = 0;
    self->time = 0;
    GST_STX_LOCKED(self, stx_lidar_encode_open(self->encoder, self->settings.sensor));
  }
  result = GST_ELEMENT_CLASS(gst_lidar_encode_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_stx_scratch_clear(&self->scratch);
  return result;
}

#define FIELD(kind, member) STX_FIELD(kind, GstLidarEncodeSettings, member)

static const StxField own_fields[] = {
    {"sensor", "Sensor", "Sensor", FIELD(CHOICE, sensor), .choices = stx_lidar_encode_kinds,
        .at_start = true},
    {"metadata", "Metadata", "Written file of Ouster metadata, for lidar-decode's calibration",
        FIELD(TEXT, metadata), .at_start = true},
};
static const GstLidarEncodeSettings defaults = {0};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&own_table, offsetof(GstLidarEncode, settings), GST_PARAM_MUTABLE_READY, "GstLidarEncode"},
};

static void finalize(GObject *object)
{
  GstLidarEncode *self = GST_LIDAR_ENCODE(object);

  g_free(self->encoder);
  g_free(self->settings.metadata);
  gst_stx_scratch_clear(&self->scratch);
  G_OBJECT_CLASS(gst_lidar_encode_parent_class)->finalize(object);
}

static void gst_lidar_encode_class_init(GstLidarEncodeClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = finalize;
  GST_ELEMENT_CLASS(klass)->change_state = change_state;
  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  gst_stx_element_add_templates(klass, &sink_template, &src_template, NULL);
  gst_stx_element_describe(klass, "lidar-encode", "Points to LiDAR packets", "Codec/Encoder",
      "Makes the UDP packets that a LiDAR sensor would send of its points");
}

static void gst_lidar_encode_init(GstLidarEncode *self)
{
  self->settings = defaults;
  self->encoder = g_new0(StxLidarEncoder, 1);
  self->sink = gst_pad_new_from_static_template(&sink_template, "sink");
  gst_pad_set_chain_function(self->sink, chain);
  gst_stx_want_caps(self->sink);
  gst_pad_set_event_function(self->sink, sink_event);
  gst_pad_set_query_function(self->sink, gst_stx_accepting_query);
  gst_element_add_pad(GST_ELEMENT(self), self->sink);
  self->src = gst_pad_new_from_static_template(&src_template, "src");
  gst_pad_use_fixed_caps(self->src);
  gst_element_add_pad(GST_ELEMENT(self), self->src);
}
