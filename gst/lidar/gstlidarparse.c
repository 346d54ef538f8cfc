/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-lidar-parse
 * @title: lidar-parse
 *
 * Turns files of LiDAR points (KITTI's and nuScenes' .bin, .pcd) into packed points, one
 * buffer per scan.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 multifilesrc location=velodyne/%06d.bin ! lidar-parse ! fakesink silent=false -v
 * ]|
 *
 * Without such files, with those of a synthetic street:
 *
 * |[
 * gst-launch-1.0 street-scene-src view=lidar num-buffers=3 ! multifilesink location=turn-%d.bin
 * gst-launch-1.0 multifilesrc location=turn-%d.bin ! lidar-parse ! fakesink silent=false -v
 * ]|
 */
/*
 * A plain GstElement. GstBaseParse looks for frames inside of a stream, but none of the formats
 * says where it ends; GstBaseTransform makes one buffer of one, but a file may come in many.
 */
#include "gst/core/elements.h"

#include <string.h>

#include <gst/base/gstadapter.h>

#include "common/lidar_file/lidar_file.h"
#include "gst/core/element.h"
#include "gst/core/memory.h"
#include "gst/core/properties.h"
#include "gst/lidar/bytes.h"
#include "gst/lidar/lidarmeta.h"
#include "gst/stixels/mediatypes.h"

GST_DEBUG_CATEGORY_STATIC(gst_lidar_parse_debug);
#define GST_CAT_DEFAULT gst_lidar_parse_debug

/* The framing of files. */
typedef enum {
  GST_LIDAR_FRAMING_AUTO,
  GST_LIDAR_FRAMING_BUFFER,
  GST_LIDAR_FRAMING_STREAM
} GstLidarParseFraming;

typedef struct {
  StxLidarFormat format;
  GstLidarParseFraming framing;
  gint rate[2];   /* scans per seconds, a fraction; 0/1: no time stamps */
  guint max_size; /* MiB that are collected at most */
  bool skip_bad;
} GstLidarParseSettings;

#define GST_TYPE_LIDAR_PARSE (gst_lidar_parse_get_type())
G_DECLARE_FINAL_TYPE(GstLidarParse, gst_lidar_parse, GST, LIDAR_PARSE, GstElement)

struct _GstLidarParse {
  GstElement parent;

  GstPad *sink, *src;
  GstLidarParseSettings settings; /* object lock */
  guint64 skipped;                /* object lock */

  /* Owned by the streaming thread. */
  GstAdapter *adapter;        /* the beginning of a file */
  gboolean decided, collects; /* a file comes in several buffers; known from the first one on */
  gboolean too_large;         /* … and the rest of this one is dropped */
  guint64 scans;              /* since the start or the last flush, skipped ones included */
  GstClockTime begin;         /* time of scan 0 where the input has none */
  gboolean discont;
  gint caps_rate, caps_per; /* from the input's caps; 0/1: they have none */
  gint sent_rate, sent_per; /* in our last caps; −1/1: none yet */
  GstStxScratch scratch;
};

G_DEFINE_TYPE(GstLidarParse, gst_lidar_parse, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE(lidar_parse, "lidar-parse", GST_RANK_PRIMARY, GST_TYPE_LIDAR_PARSE)

/* The media type of typefind, so that decodebin takes this element for such files only. */
GST_STX_PAD(sink, SINK, ALWAYS, GST_STX_PCD_MEDIA_TYPE);
GST_STX_PAD(src, SRC, ALWAYS, GST_STX_LIDAR_MEDIA_TYPE);

static GstLidarParseSettings get_settings(GstLidarParse *self)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new(GST_OBJECT_GET_LOCK(self));

  return self->settings;
}

/* ---- Caps and time ------------------------------------------------------------------------- */

/* Sends caps if there are none yet, or if the frame rate is another. FALSE if downstream refuses.
 */
static gboolean send_caps(GstLidarParse *self, const GstLidarParseSettings *settings)
{
  gboolean own = self->caps_rate <= 0;
  gint rate = own ? settings->rate[0] : self->caps_rate;
  gint per = own ? settings->rate[1] : self->caps_per;
  gboolean sent;

  if (rate == self->sent_rate && per == self->sent_per)
    return TRUE;
  sent = gst_stx_send_scan_caps(GST_ELEMENT(self), self->src, rate, per);
  if (sent) {
    self->sent_rate = rate;
    self->sent_per = per;
  }
  return sent;
}

/* The time of a scan by its number. */
static GstClockTime time_of(const GstLidarParse *self, guint64 scan)
{
  guint64 per = (guint64)self->sent_per * GST_SECOND;

  return self->begin + gst_util_uint64_scale(scan, per, (guint64)self->sent_rate);
}

/* The input's time stamp and duration; where it has none, those of the frame rate. */
static void stamp(GstLidarParse *self, GstBuffer *output, GstBuffer *input, guint64 scan)
{
  GST_BUFFER_PTS(output) = GST_BUFFER_PTS(input);
  GST_BUFFER_DURATION(output) = GST_BUFFER_DURATION(input);
  if (self->sent_rate > 0 && !GST_BUFFER_PTS_IS_VALID(output)) {
    GST_BUFFER_PTS(output) = time_of(self, scan);
    GST_BUFFER_DURATION(output) = time_of(self, scan + 1) - time_of(self, scan);
  } else if (self->sent_rate > 0 && !GST_BUFFER_DURATION_IS_VALID(output)) {
    GST_BUFFER_DURATION(output) = time_of(self, 1) - time_of(self, 0);
  }
  GST_BUFFER_OFFSET(output) = scan;
  GST_BUFFER_OFFSET_END(output) = scan + 1;
  if (self->discont || GST_BUFFER_IS_DISCONT(input))
    GST_BUFFER_FLAG_SET(output, GST_BUFFER_FLAG_DISCONT);
  self->discont = FALSE;
}

/* ---- The origin of a stream, for messages -------------------------------------------------- */

/* The path in a URI of files; other URIs whole. To be freed. */
static gchar *readable_uri(const gchar *uri)
{
  static const char *const schemes[] = {"file:", "multifile:", "multifle:"}; /* 1.22 spells it so */
  g_autofree gchar *path = NULL;

  for (guint i = 0; i < G_N_ELEMENTS(schemes); i++)
    if (g_str_has_prefix(uri, schemes[i])) {
      uri += strlen(schemes[i]);
      uri += g_str_has_prefix(uri, "//") ? 2 : 0;
      path = g_uri_unescape_string(uri, NULL);
      return g_filename_display_name(path != NULL ? path : uri);
    }
  return g_strdup(uri);
}

/* " of " and the file or files that the source before this pad reads, as far as it tells; else "".
 * To be freed. */
static gchar *source_name(GstPad *sink)
{
  g_autoptr(GstQuery) query = gst_query_new_uri();
  g_autofree gchar *uri = NULL, *shown = NULL;

  if (gst_pad_peer_query(sink, query))
    gst_query_parse_uri(query, &uri);
  if (uri == NULL)
    return g_strdup("");
  shown = readable_uri(uri);
  return g_strconcat(" of ", shown, NULL);
}

/* ---- Scans --------------------------------------------------------------------------------- */

/* The points in these bytes of a file; NULL with an error. */
static GstBuffer *read_points(
    GstLidarParse *self, const GstMapInfo *bytes, StxLidarFormat format, StxError *error)
{
  GstAllocationParams params = {.align = STX_ALIGN - 1};
  StxLidarFile file;
  g_autoptr(GstBuffer) points = NULL;
  GstMapInfo map;
  gboolean good;

  if (!stx_lidar_file_probe(bytes->data, bytes->size, format, &file, error) ||
      !gst_stx_scratch_reserve(&self->scratch, file.scratch_size, error))
    return NULL;
  points =
      gst_buffer_new_allocate(NULL, file.points * STX_LIDAR_POINT_FLOATS * sizeof(gfloat), &params);
  if (points == NULL || !gst_buffer_map(points, &map, GST_MAP_WRITE)) {
    stx_fail(error, "no memory for %" G_GSIZE_FORMAT " points", (gsize)file.points);
    return NULL;
  }
  good = stx_lidar_file_read(
      &file, bytes->data, (float *)(gpointer)map.data, self->scratch.data, error);
  gst_buffer_unmap(points, &map);
  GST_LOG_OBJECT(self, "%" G_GSIZE_FORMAT " bytes of %s, %" G_GSIZE_FORMAT " points", bytes->size,
      stx_lidar_format_name(file.format), (gsize)file.points);
  return good ? g_steal_pointer(&points) : NULL;
}

/* A scan that cannot be read: the end, or a warning. */
static GstFlowReturn refuse(
    GstLidarParse *self, guint64 scan, const GstLidarParseSettings *settings, const StxError *error)
{
  g_autofree gchar *source = source_name(self->sink);

  if (settings->skip_bad) {
    GST_STX_LOCKED(self, self->skipped++);
    self->discont = TRUE;
    GST_ELEMENT_WARNING(self, STREAM, DECODE,
        ("Scan %" G_GUINT64_FORMAT "%s skipped: %s", scan, source, error->text), (NULL));
  } else {
    GST_ELEMENT_ERROR(self, STREAM, DECODE,
        ("Scan %" G_GUINT64_FORMAT "%s: %s", scan, source, error->text), (NULL));
  }
  return settings->skip_bad ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/* One whole file, which is given away. */
static GstFlowReturn push_scan(GstLidarParse *self, GstBuffer *whole)
{
  g_autoptr(GstBuffer) input = whole, points = NULL;
  GstLidarParseSettings settings = get_settings(self);
  guint64 scan = self->scans++;
  StxError error;
  GstMapInfo map;

  if (gst_buffer_map(input, &map, GST_MAP_READ)) {
    points = read_points(self, &map, settings.format, &error);
    gst_buffer_unmap(input, &map);
  } else {
    stx_fail(&error, "the buffer cannot be read");
  }
  if (points == NULL)
    return refuse(self, scan, &settings, &error);
  if (!send_caps(self, &settings))
    return GST_PAD_IS_FLUSHING(self->src) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
  stamp(self, points, input, scan);
  gst_stx_lidar_meta_attach(self->src, points, scan);
  return gst_pad_push(
      self->src, gst_stx_offer(GST_ELEMENT(self), self->src, g_steal_pointer(&points)));
}

/* ---- Input --------------------------------------------------------------------------------- */

/* Adds to the beginning of a file, which must end some day. */
static GstFlowReturn collect(GstLidarParse *self, GstBuffer *buffer)
{
  GstLidarParseSettings settings = get_settings(self);
  StxError error;

  if (self->too_large) {
    gst_buffer_unref(buffer);
    return GST_FLOW_OK;
  }
  gst_adapter_push(self->adapter, buffer);
  if (gst_adapter_available(self->adapter) >> 20 < settings.max_size)
    return GST_FLOW_OK;
  gst_adapter_clear(self->adapter);
  self->too_large = TRUE;
  stx_fail(&error,
      "%u MiB and no end of the file: set max-size, or framing=buffer if every buffer is a file",
      settings.max_size);
  return refuse(self, self->scans++, &settings, &error);
}

static GstFlowReturn chain(GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstLidarParse *self = GST_LIDAR_PARSE(parent);

  if (!self->decided) {
    /* A source that knows how many bytes there are in all has one file: filesrc and its like. One
     * that does not hands over a file at a time: multifilesrc, appsrc. */
    GstLidarParseFraming framing = get_settings(self).framing;
    gint64 size = 0;

    self->collects =
        framing == GST_LIDAR_FRAMING_AUTO
            ? gst_pad_peer_query_duration(self->sink, GST_FORMAT_BYTES, &size) && size > 0
            : framing == GST_LIDAR_FRAMING_STREAM;
    self->decided = TRUE;
    GST_DEBUG_OBJECT(self, "%s", self->collects ? "all bytes are one file" : "a buffer is a file");
  }
  if (!self->collects)
    return push_scan(self, buffer);
  return collect(self, buffer);
}

/* The end of a file that was collected. */
static GstFlowReturn finish_file(GstLidarParse *self)
{
  gsize size = gst_adapter_available(self->adapter);

  self->decided = self->too_large = FALSE;
  return size > 0 ? push_scan(self, gst_adapter_take_buffer(self->adapter, size)) : GST_FLOW_OK;
}

static void start_again(GstLidarParse *self)
{
  gst_adapter_clear(self->adapter);
  self->decided = self->too_large = FALSE;
  self->scans = 0;
  self->begin = 0;
  self->discont = FALSE;
}

/* ---- Events -------------------------------------------------------------------------------- */

static gboolean sink_event(GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstLidarParse *self = GST_LIDAR_PARSE(parent);
  GstLidarParseSettings settings;
  GstCaps *caps;

  switch (GST_EVENT_TYPE(event)) {
  case GST_EVENT_CAPS:
    gst_event_parse_caps(event, &caps);
    if (!gst_structure_get_fraction(
            gst_caps_get_structure(caps, 0), "framerate", &self->caps_rate, &self->caps_per) ||
        self->caps_rate <= 0)
      self->caps_rate = 0;
    gst_event_unref(event);
    return TRUE;
  case GST_EVENT_SEGMENT:
    finish_file(self);
    /* Files are counted in bytes, points in time: unless the input has times of its own, scan 0
     * is at 0. Caps have to go first. */
    event = gst_stx_time_segment(event, &self->begin);
    settings = get_settings(self);
    if (!send_caps(self, &settings))
      GST_DEBUG_OBJECT(self, "downstream refuses the caps; the first buffer will say so");
    return gst_pad_push_event(self->src, event);
  case GST_EVENT_STREAM_START:
    finish_file(self);
    break;
  case GST_EVENT_EOS:
    finish_file(self);
    if (self->scans == 0)
      GST_ELEMENT_WARNING(self, STREAM, DECODE, ("Not one byte of a scan came until the end"),
          ("an empty file, or a pattern of names that fits none"));
    break;
  case GST_EVENT_FLUSH_STOP:
    start_again(self);
    break;
  default:
    break;
  }
  return gst_pad_event_default(pad, parent, event);
}

/* ---- GstElement ---------------------------------------------------------------------------- */

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition)
{
  GstLidarParse *self = GST_LIDAR_PARSE(element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    start_again(self);
    self->caps_rate = 0;
    self->sent_rate = -1;
    GST_STX_LOCKED(self, self->skipped = 0);
  }
  result = GST_ELEMENT_CLASS(gst_lidar_parse_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    gst_adapter_clear(self->adapter);
    gst_stx_scratch_clear(&self->scratch);
  }
  return result;
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxFieldChoice framings[] = {
    {GST_LIDAR_FRAMING_AUTO, "auto", "stream if upstream knows the length, else buffer"},
    {GST_LIDAR_FRAMING_BUFFER, "buffer", "One buffer"},
    {GST_LIDAR_FRAMING_STREAM, "stream", "The whole stream"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, GstLidarParseSettings, member)

static const StxField own_fields[] = {
    {"format", "Format", "Format of the files", FIELD(CHOICE, format),
        .choices = stx_lidar_formats},
    {"framing", "Framing", "Extent of a file", FIELD(CHOICE, framing), .choices = framings,
        .at_start = true},
    {"max-size", "Maximum size", "Largest file collected from several buffers, MiB",
        FIELD(UINT, max_size), .low = 1, .high = 65536},
    {"frame-rate", "Frame rate", "Scans per second where the input has no times (0/1 = none)",
        FIELD(FRACTION, rate), .high = G_MAXINT, .at_start = true},
    {"skip-bad", "Skip bad files", "Drop unreadable files with a warning, not an error",
        FIELD(BOOL, skip_bad)},
};
static const GstLidarParseSettings defaults = {.rate = {10, 1}, .max_size = 1024};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const StxField counts[] = {
    {"skipped", "Skipped", "Files dropped by skip-bad", STX_FIELD(COUNT, GstLidarParse, skipped)},
};
static const StxFields count_table = {STX_FIELDS_OF(counts)};

static const GstStxPropertyGroup properties[] = {
    {&own_table, offsetof(GstLidarParse, settings), GST_PARAM_MUTABLE_PLAYING, "GstLidarParse"},
    {&count_table, 0, 0},
};

/* ---- GObject ------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  GstLidarParse *self = GST_LIDAR_PARSE(object);

  g_object_unref(self->adapter);
  gst_stx_scratch_clear(&self->scratch);
  G_OBJECT_CLASS(gst_lidar_parse_parent_class)->finalize(object);
}

static void gst_lidar_parse_class_init(GstLidarParseClass *klass)
{
  GstElementClass *element = GST_ELEMENT_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = finalize;
  element->change_state = change_state;
  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  gst_stx_element_add_templates(klass, &sink_template, &src_template, NULL);
  gst_stx_element_describe(klass, "lidar-parse", "LiDAR files to points", "Codec/Parser",
      "Reads scans from files of points, of the formats that the property lists");
  GST_DEBUG_CATEGORY_INIT(gst_lidar_parse_debug, "lidar-parse", 0, "LiDAR files to points");
}

static void gst_lidar_parse_init(GstLidarParse *self)
{
  self->settings = defaults;
  self->adapter = gst_adapter_new();
  self->sent_rate = -1;
  self->sink =
      gst_pad_new_from_template(gst_element_get_pad_template(GST_ELEMENT(self), "sink"), "sink");
  gst_pad_set_chain_function(self->sink, chain);
  gst_pad_set_event_function(self->sink, sink_event);
  gst_pad_set_query_function(self->sink, gst_stx_query_of_bytes);
  gst_element_add_pad(GST_ELEMENT(self), self->sink);
  self->src = gst_pad_new_from_static_template(&src_template, "src");
  gst_pad_use_fixed_caps(self->src);
  gst_element_add_pad(GST_ELEMENT(self), self->src);
}
