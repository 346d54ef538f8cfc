/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-lidar-decode
 * @title: lidar-decode
 *
 * Turns the UDP packets of a LiDAR sensor (Velodyne, Ouster, Hesai) into packed points, one buffer
 * per turn of the sensor.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 udpsrc port=2368 ! lidar-decode ! lidar-ground ! lidar-bev ! videoconvert \
 *     ! autovideosink
 * ]|
 *
 * Recordings of tcpdump or Wireshark:
 *
 * |[
 * gst-launch-1.0 filesrc location=drive.pcap ! pcapparse ! lidar-decode ! fakesink silent=false -v
 * ]|
 */
/*
 * A plain GstElement: many packets become one buffer, and one packet may end a turn and begin the
 * next. Which turn a packet belongs to, common/lidar_packet/lidar_turns.h decides; the element
 * keeps the points of the turns that are open.
 */
#include "gst/core/elements.h"

#include <stdlib.h>
#include <string.h>

#include "common/lidar_packet/lidar_turns.h"
#include "gst/core/delay.h"
#include "gst/core/element.h"
#include "gst/core/memory.h"
#include "gst/core/properties.h"
#include "gst/core/stats.h"
#include "gst/core/timeline.h"
#include "gst/lidar/bytes.h"
#include "gst/lidar/lidarmeta.h"
#include "gst/lidar/sender.h"
#include "gst/lidar/turnclock.h"
#include "gst/stixels/mediatypes.h"
#include "gst/stixels/turnmeta.h"

GST_DEBUG_CATEGORY_STATIC(gst_lidar_decode_debug);
#define GST_CAT_DEFAULT gst_lidar_decode_debug

G_STATIC_ASSERT(sizeof(GstStxPointMark) == sizeof(StxLidarMark));
G_STATIC_ASSERT(offsetof(GstStxPointMark, ring) == offsetof(StxLidarMark, ring));
G_STATIC_ASSERT(offsetof(GstStxPointMark, echo) == offsetof(StxLidarMark, echo));

#define LATENCY (120 * GST_MSECOND) /* of a turn, before one is known */
#define MARGIN (10 * GST_MSECOND)
#define STRANGE 1000 /* packets after which a warning is due if all are strange */
#define MIXED 50     /* … if so many do not follow those before */

typedef enum { GST_LIDAR_TIMES_SENSOR, GST_LIDAR_TIMES_ARRIVAL } GstLidarDecodeTimes;
typedef enum { GST_LIDAR_INCOMPLETE_MARK, GST_LIDAR_INCOMPLETE_DROP } GstLidarDecodeIncomplete;

typedef struct {
  StxLidarSensorKind sensor;
  StxLidarFiring firing;
  GstLidarDecodeTimes times;
  GstLidarDecodeIncomplete incomplete;
  gchar *calibration, *source;
  double cut;
  StxLidarMotion motion;
} GstLidarDecodeSettings;

typedef struct {
  guint64 packets, points, turns, incomplete, lost, late, doubled, foreign, truncated, forged;
  guint64 strange, restarts;
} GstLidarDecodeCounts;

/* Points of an open turn; they go into the buffers. */
typedef struct {
  gfloat *points;
  StxLidarMark *marks;
  gsize room;
  GstClockTime arrival; /* of its first packet */
} Store;

G_DECLARE_FINAL_TYPE(GstLidarDecode, gst_lidar_decode, GST, LIDAR_DECODE, GstElement)

struct _GstLidarDecode {
  GstElement parent;

  GstPad *sink, *src;

  /* Guarded by the object lock. */
  GstLidarDecodeSettings settings;
  GstLidarDecodeCounts counts;
  StxLidarSensorKind found; /* AUTO: none yet */
  GstClockTime latency;

  /* Owned by the streaming thread. */
  StxLidarSensor *sensor; /* whose packets are read; valid if `opened` */
  StxLidarPacket *packet;
  gboolean opened, sender_set, discont, warned, told_mixed, told_set;
  gsize last_size;              /* of the last packet that was none, */
  StxLidarSensorKind last_kind; /* and whose it may be */
  GstStxSender sender;
  GstStxTurnClock clock;
  StxLidarTurns turns;
  Store stores[2];
  GstStxTimeline timeline; /* of the buffers */
  GstClockTime last_pts;
  GstClockTimeDiff ahead; /* by which times go on: the clock of arrival was set back */
  gboolean behind;        /* the last buffer's time was before the one before */
  gint sent_rate;         /* in our last caps; −1: none yet */
};

G_DEFINE_TYPE(GstLidarDecode, gst_lidar_decode, GST_TYPE_ELEMENT)
GST_STX_ELEMENT(lidar_decode, "lidar-decode")

GST_STX_PAD(sink, SINK, ALWAYS, GST_STX_LIDAR_PACKETS_MEDIA_TYPE "; application/octet-stream");
GST_STX_PAD(src, SRC, ALWAYS, GST_STX_LIDAR_MEDIA_TYPE);

/* Properties that may change while the pipeline plays; the texts stay the property's. */
static GstLidarDecodeSettings get_settings(GstLidarDecode *self)
{
  GstLidarDecodeSettings settings;

  GST_STX_LOCKED(self, settings = self->settings);
  settings.calibration = settings.source = NULL;
  return settings;
}

/* ---- Memory -------------------------------------------------------------------------------- */

static void store_clear(Store *store)
{
  free(store->points);
  free(store->marks);
  *store = (Store){0};
}

/* Room for so many more points; half as many again, so that a turn rarely needs it twice. */
static gboolean store_reserve(Store *store, gsize used, gsize more, StxError *error)
{
  gsize room = MAX(used + more, 64); /* memory even of a turn without points */
  gpointer points = NULL, marks;

  if (room <= store->room)
    return TRUE;
  room += room / 2;
  if (posix_memalign(&points, STX_ALIGN, room * 16) != 0)
    points = NULL;
  marks = malloc(room * sizeof(StxLidarMark));
  if (points == NULL || marks == NULL) {
    free(points);
    free(marks);
    stx_fail(error, "no memory for %" G_GSIZE_FORMAT " points", room);
    return stx_fail_as(error, STX_ERROR_MEMORY);
  }
  if (used > 0) {
    memcpy(points, store->points, used * 16);
    memcpy(marks, store->marks, used * sizeof(StxLidarMark));
  }
  free(store->points);
  free(store->marks);
  store->points = points;
  store->marks = marks;
  store->room = room;
  return TRUE;
}

/* ---- Caps and time ------------------------------------------------------------------------- */

/* Turns a second, as sensors are set: whole ones; 0: not known. */
static gint rate_of(const StxLidarTurn *turn)
{
  double seconds = (double)(turn->end - turn->time) * 1e-9;
  double rate = turn->complete && seconds > 0 ? 1 / seconds : 0;

  return rate >= 0.9 && rate < 200 ? (gint)(rate + 0.5) : 0;
}

/* Sends caps if there are none yet, or if the rate became known. FALSE if downstream refuses. */
static gboolean send_caps(GstLidarDecode *self, gint rate)
{
  gboolean sent;

  if (self->sent_rate == rate || (self->sent_rate >= 0 && rate == 0))
    return TRUE;
  sent = gst_stx_send_scan_caps(GST_ELEMENT(self), self->src, rate, 1);
  if (sent)
    self->sent_rate = rate;
  return sent;
}

/* A turn waits for its end: that is the latency. */
static void note_latency(GstLidarDecode *self, GstClockTime duration)
{
  GstClockTime latency = duration + MARGIN;
  gboolean changed;

  GST_OBJECT_LOCK(self);
  changed = latency > self->latency || latency + 2 * MARGIN < self->latency;
  if (changed)
    self->latency = latency;
  GST_OBJECT_UNLOCK(self);
  if (changed)
    gst_stx_delay_tell(GST_ELEMENT(self));
}

/* The time by the sensor's clock, unless the arrival and the turns before speak against it. */
static GstClockTime time_of(GstLidarDecode *self, const StxLidarTurn *turn, GstClockTime arrival)
{
  GstClockTime time = gst_stx_turn_clock_time(&self->clock, turn->time);
  gboolean arrives = GST_CLOCK_TIME_IS_VALID(arrival);
  gboolean plausible =
      arrives && !gst_stx_times_are_apart((gint64)time, (gint64)arrival, GST_STX_TIME_APART);

  if (gst_stx_timeline_see(&self->timeline, (gint64)time, GST_STX_TIME_APART, plausible) !=
      GST_STX_TIME_ODD)
    return time;
  return arrives ? arrival : self->last_pts;
}

/* No time before the last one. A second one far before it is that of a clock of arrival that was
 * set back, a recording computer's: times go on from there. */
static GstClockTime go_on(GstLidarDecode *self, GstClockTime pts, GstClockTime duration)
{
  gint64 time = (gint64)pts + self->ahead, last = (gint64)self->last_pts;
  gboolean behind = GST_CLOCK_TIME_IS_VALID(self->last_pts) && time < last;

  if (behind && self->behind && gst_stx_times_are_apart(time, last, GST_STX_TIME_APART)) {
    self->ahead += last + (gint64)duration - time;
    time = last + (gint64)duration;
    GST_STX_ELEMENT_INFO(self, STREAM, FAILED,
        ("The packets' times of arrival were set back by %.3f s: those of scans go on",
            (double)self->ahead * 1e-9));
  } else if (behind) {
    time = last;
  }
  self->behind = behind;
  return (GstClockTime)time;
}

static void stamp(GstLidarDecode *self, GstBuffer *buffer, const StxLidarTurn *turn,
    GstClockTime arrival, GstLidarDecodeTimes times)
{
  GstClockTime pts = time_of(self, turn, arrival);
  GstClockTime duration = turn->end > turn->time ? turn->end - turn->time : 0;

  if (times == GST_LIDAR_TIMES_ARRIVAL && GST_CLOCK_TIME_IS_VALID(arrival))
    pts = arrival;
  pts = go_on(self, pts, duration);
  self->last_pts = pts;
  GST_BUFFER_PTS(buffer) = pts;
  GST_BUFFER_DURATION(buffer) = duration;
  if (turn->complete && duration < 2 * GST_SECOND)
    note_latency(self, duration);
}

/* ---- Turns --------------------------------------------------------------------------------- */

/* The points of the oldest open turn as a buffer, which takes their memory. */
static GstBuffer *wrap(GstLidarDecode *self, const GstLidarDecodeSettings *settings)
{
  const StxLidarTurn *turn = &self->turns.open[0];
  Store *store = &self->stores[0];
  gsize points = turn->count * 16, marks = turn->count * sizeof(StxLidarMark);
  g_autoptr(GstBuffer) beside = NULL;
  GstBuffer *buffer;
  GstStxTurnMeta *meta;

  if (store->points == NULL)
    return NULL;
  if (settings->motion.yaw != 0 || settings->motion.speed != 0 || settings->motion.yaw_rate != 0)
    stx_lidar_move(&settings->motion, turn->count, store->marks, store->points);
  buffer = gst_buffer_new_wrapped_full(
      0, store->points, store->room * 16, 0, points, store->points, free);
  beside = gst_buffer_new_wrapped_full(
      0, store->marks, store->room * sizeof(StxLidarMark), 0, marks, store->marks, free);
  meta = gst_buffer_add_stx_turn_meta(buffer, beside);
  meta->sensor_time = turn->time;
  meta->number = turn->number;
  meta->packets = turn->packets;
  meta->lost = turn->lost;
  meta->complete = turn->complete;
  *store = (Store){.arrival = store->arrival};
  return buffer;
}

static GstFlowReturn push_turn(GstLidarDecode *self)
{
  GstLidarDecodeSettings settings = get_settings(self);
  StxLidarTurn turn = self->turns.open[0];
  GstClockTime arrival = self->stores[0].arrival;
  g_autoptr(GstBuffer) buffer = NULL;

  if (turn.count == 0 && !turn.complete)
    return GST_FLOW_OK;
  GST_OBJECT_LOCK(self);
  self->counts.turns++;
  self->counts.points += turn.count;
  self->counts.incomplete += !turn.complete;
  GST_OBJECT_UNLOCK(self);
  GST_LOG_OBJECT(self, "turn of %" G_GSIZE_FORMAT " points, %u packets, %u lost, %scomplete",
      turn.count, turn.packets, turn.lost, turn.complete ? "" : "in");
  if (!turn.complete && settings.incomplete == GST_LIDAR_INCOMPLETE_DROP) {
    self->discont = TRUE;
    return GST_FLOW_OK;
  }
  buffer = wrap(self, &settings);
  if (buffer == NULL)
    return GST_FLOW_OK;
  if (!send_caps(self, rate_of(&turn)))
    return GST_PAD_IS_FLUSHING(self->src) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
  stamp(self, buffer, &turn, arrival, settings.times);
  if (self->discont)
    GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  if (!turn.complete)
    GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_CORRUPTED);
  self->discont = turn.lost > 0;
  gst_stx_lidar_meta_attach(self->src, buffer, turn.number);
  return gst_pad_push(
      self->src, gst_stx_offer(GST_ELEMENT(self), self->src, g_steal_pointer(&buffer)));
}

/* Everything that has ended. */
static GstFlowReturn hand_over(GstLidarDecode *self)
{
  GstFlowReturn flow = GST_FLOW_OK;
  Store first;

  while (self->turns.ended > 0) {
    if (flow == GST_FLOW_OK)
      flow = push_turn(self);
    first = self->stores[0];
    self->stores[0] = self->stores[1];
    self->stores[1] = first;
    stx_lidar_turns_close(&self->turns);
  }
  return flow;
}

static GstFlowReturn finish(GstLidarDecode *self)
{
  stx_lidar_turns_finish(&self->turns);
  return hand_over(self);
}

/* ---- Packets ------------------------------------------------------------------------------- */

static GstFlowReturn fail(GstLidarDecode *self, const StxError *error)
{
  if (error->kind == STX_ERROR_MEMORY)
    gst_stx_element_fail(GST_ELEMENT(self), error);
  else
    GST_STX_ELEMENT_ERROR(self, RESOURCE, SETTINGS, error);
  return GST_FLOW_ERROR;
}

static const gchar *name_of(StxLidarSensorKind kind)
{
  return stx_field_choice(stx_lidar_sensors, (int)kind)->nick;
}

/* With the first packet that a known sensor sends; FALSE, with a text if there is one, until then.
 */
static gboolean open_sensor(GstLidarDecode *self, const GstMapInfo *map, StxError *error)
{
  GstLidarDecodeSettings settings = get_settings(self);
  StxLidarSensorKind kind = settings.sensor;
  g_autofree gchar *calibration = NULL;

  if (kind == STX_LIDAR_SENSOR_AUTO)
    kind = stx_lidar_sensor_find(map->data, map->size);
  if (kind == STX_LIDAR_SENSOR_AUTO)
    return FALSE;
  GST_OBJECT_LOCK(self);
  calibration = g_strdup(self->settings.calibration);
  self->found = kind;
  GST_OBJECT_UNLOCK(self);
  if (calibration != NULL && calibration[0] == '\0')
    g_clear_pointer(&calibration, g_free);
  self->opened = stx_lidar_sensor_open(self->sensor, kind, calibration, settings.firing, error);
  if (self->opened && self->sensor->stated != 0 && self->sensor->stated != self->sensor->resolution)
    GST_ELEMENT_WARNING(self, RESOURCE, SETTINGS,
        ("%.200s: distance_resolution is %g m, but a unit of %s is %g m: the file's is not used",
            calibration, self->sensor->stated, name_of(kind), self->sensor->resolution),
        (NULL));
  self->turns.cut = (int32_t)(settings.cut / (2 * G_PI) * STX_LIDAR_TURN) % STX_LIDAR_TURN;
  return self->opened;
}

static void count_packet(GstLidarDecode *self, StxLidarVerdict verdict)
{
  GST_OBJECT_LOCK(self);
  self->counts.packets++;
  self->counts.foreign += verdict == STX_LIDAR_FOREIGN;
  self->counts.truncated += verdict == STX_LIDAR_TRUNCATED;
  self->counts.forged += verdict == STX_LIDAR_FORGED;
  self->counts.lost = self->turns.lost;
  self->counts.late = self->turns.late;
  self->counts.doubled = self->turns.doubled;
  self->counts.strange = self->turns.strange;
  self->counts.restarts = self->turns.restarts;
  GST_OBJECT_UNLOCK(self);
}

/* Says what the packets are that hold no points of the sensor, and the cure: to be freed. */
static gchar *describe_strange(GstLidarDecode *self)
{
  gsize size = self->last_size;

  if (self->last_kind == STX_LIDAR_SENSOR_AUTO)
    return g_strdup_printf(
        "the last has %" G_GSIZE_FORMAT " bytes: set sensor, or look at the port", size);
  if (self->last_kind == self->found)
    return g_strdup_printf("the last has %" G_GSIZE_FORMAT
                           " bytes: is the calibration of this sensor, as it is set now?",
        size);
  return g_strdup_printf("the last has %" G_GSIZE_FORMAT " bytes, as those of %s: set sensor=%s",
      size, name_of(self->last_kind), name_of(self->last_kind));
}

static gboolean all_are_strange(const GstLidarDecodeCounts *counts)
{
  return counts->foreign + counts->truncated + counts->forged == counts->packets;
}

/* Nothing that can be read has come, and it goes on coming. */
static void note_strange(GstLidarDecode *self, const GstMapInfo *map)
{
  g_autofree gchar *text = NULL;

  if (self->warned || !all_are_strange(&self->counts))
    return;
  self->last_size = map->size;
  self->last_kind = stx_lidar_sensor_find(map->data, map->size);
  if (self->counts.packets < STRANGE)
    return;
  self->warned = TRUE;
  text = describe_strange(self);
  GST_ELEMENT_WARNING(self, STREAM, WRONG_TYPE,
      ("None of %u packets is one of %s; %s", STRANGE,
          self->opened ? name_of(self->found) : "a known sensor", text),
      (NULL));
}

/* A packet does not follow the one before; the second of two sensors sends them all the time. Once.
 */
static void note_mixed(GstLidarDecode *self)
{
  const StxLidarTurns *turns = &self->turns;
  const StxLidarPacket *packet = self->packet;

  if (self->told_mixed || turns->strange < MIXED + turns->restarts * STX_LIDAR_STRANGERS)
    return;
  self->told_mixed = TRUE;
  GST_ELEMENT_WARNING(self, STREAM, WRONG_TYPE,
      ("Packets of two sensors come mixed: one looks to %.1f degrees at %.6f s of its clock, the "
       "other, which is passed over, to %.1f at %.6f s; set source-address behind udpsrc, src-ip "
       "of "
       "pcapparse for a capture",
          (double)(turns->position % STX_LIDAR_TURN) / 25600, (double)turns->wrapped_clock * 1e-9,
          packet->azimuth / 25600., (double)packet->time * 1e-9),
      (NULL));
}

/* The points of a packet, which is in self->packet. */
static GstFlowReturn take(GstLidarDecode *self, GstClockTime arrival)
{
  const StxLidarPacket *packet = self->packet;
  StxLidarFate fate = stx_lidar_turns_place(&self->turns, packet);
  GstFlowReturn flow = hand_over(self);
  StxError error = {""};

  if (fate == STX_LIDAR_FATE_STRANGE)
    note_mixed(self);
  if (self->turns.restarts > self->counts.restarts && !self->told_set) {
    self->told_set = TRUE;
    GST_STX_ELEMENT_INFO(self, STREAM, FAILED,
        ("The sensor's clock was set, or the sensor began anew: scans go on with the pipeline's "
         "times; more of this kind is only counted (stats: restarts)"));
  }
  if (fate != STX_LIDAR_FATE_TAKEN)
    return flow;
  gst_stx_turn_clock_note(&self->clock, self->turns.now + packet->span, arrival);
  for (guint t = 0; t < 2; t++) {
    gsize count = self->turns.open[t].count;

    if (!store_reserve(&self->stores[t], count, packet->count, &error))
      return fail(self, &error);
    stx_lidar_turns_add(&self->turns, packet, t, self->stores[t].points, self->stores[t].marks);
    if (count == 0)
      self->stores[t].arrival = arrival;
  }
  return flow == GST_FLOW_OK ? hand_over(self) : flow;
}

static GstFlowReturn read_packet(GstLidarDecode *self, GstBuffer *buffer, const GstMapInfo *map)
{
  StxLidarVerdict verdict = STX_LIDAR_FOREIGN;
  g_autofree gchar *source = NULL;
  GstFlowReturn flow = GST_FLOW_OK;
  StxError error = {""};

  if (!self->sender_set) { /* before the first packet: whose packets count */
    GST_STX_LOCKED(self, source = g_strdup(self->settings.source));
    self->sender_set = gst_stx_sender_set(&self->sender, source, &error);
    if (!self->sender_set)
      return fail(self, &error);
  }
  if (!gst_stx_sender_is(&self->sender, buffer, &error)) {
    if (error.text[0] != '\0')
      GST_ELEMENT_WARNING(
          self, STREAM, DECODE, ("%s", error.text), ("source-address says whose packets to read"));
  } else if (self->opened || open_sensor(self, map, &error)) {
    verdict = stx_lidar_packet_decode(self->sensor, map->data, map->size, self->packet);
  } else if (error.text[0] != '\0') {
    return fail(self, &error);
  }
  if (verdict == STX_LIDAR_GOOD) {
    gst_stx_sender_keep(&self->sender, buffer);
    flow = take(self, GST_BUFFER_DTS_OR_PTS(buffer));
  }
  count_packet(self, verdict);
  if (verdict != STX_LIDAR_GOOD)
    note_strange(self, map);
  return flow;
}

static GstFlowReturn chain(GstPad *pad, GstObject *parent, GstBuffer *given)
{
  GstLidarDecode *self = GST_LIDAR_DECODE(parent);
  g_autoptr(GstBuffer) buffer = given;
  GstFlowReturn flow;
  GstMapInfo map;

  if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) {
    GST_ELEMENT_ERROR(self, RESOURCE, READ, ("The buffer cannot be read"), (NULL));
    return GST_FLOW_ERROR;
  }
  flow = read_packet(self, buffer, &map);
  gst_buffer_unmap(buffer, &map);
  return flow;
}

/* ---- Events and queries -------------------------------------------------------------------- */

static void start_again(GstLidarDecode *self)
{
  gint32 cut = self->turns.cut;

  memset(&self->turns, 0, sizeof(self->turns));
  self->turns.cut = cut;
  self->timeline = (GstStxTimeline){0};
  self->clock = (GstStxTurnClock){0};
  self->last_pts = GST_CLOCK_TIME_NONE;
  self->ahead = 0;
  self->behind = FALSE;
  self->discont = TRUE;
}

/* A stream of packets of which none was the sensor's has failed; one without packets may have. The
 * end goes on its way all the same: not every program that waits for it hears of errors. */
static void check_end(GstLidarDecode *self)
{
  GstLidarDecodeCounts counts = self->counts;
  g_autofree gchar *text = NULL;

  if (counts.packets == 0)
    GST_ELEMENT_WARNING(self, STREAM, WRONG_TYPE, ("Not one packet came until the end"),
        ("pcapparse passes over fragments of packets, .pcapng and IPv6: stx-packets reads them"));
  if (counts.packets == 0 || !all_are_strange(&counts))
    return;
  text = describe_strange(self);
  GST_ELEMENT_ERROR(self, STREAM, WRONG_TYPE,
      ("%s: none of %" G_GUINT64_FORMAT " packets holds its points: %" G_GUINT64_FORMAT
       " foreign, %" G_GUINT64_FORMAT " truncated, %" G_GUINT64_FORMAT " forged; %s",
          self->found != STX_LIDAR_SENSOR_AUTO ? name_of(self->found) : "no known sensor",
          counts.packets, counts.foreign, counts.truncated, counts.forged, text),
      ("packets that are cut into fragments have to be joined before"));
}

static gboolean sink_event(GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstLidarDecode *self = GST_LIDAR_DECODE(parent);

  switch (GST_EVENT_TYPE(event)) {
  case GST_EVENT_CAPS: /* whatever they are: the packets say what they are */
    gst_event_unref(event);
    return TRUE;
  case GST_EVENT_SEGMENT:
    finish(self);
    start_again(self);
    /* Bytes have no time, turns have; the first shots were fired before the first packet came. */
    event = gst_stx_time_segment(event, &self->last_pts);
    if (!send_caps(self, self->sent_rate > 0 ? self->sent_rate : 0)) /* caps have to go first */
      GST_DEBUG_OBJECT(self, "downstream refuses the caps; the first buffer will say so");
    return gst_pad_push_event(self->src, event);
  case GST_EVENT_EOS:
    finish(self);
    gst_stx_stats_log(GST_ELEMENT(self));
    check_end(self);
    break;
  case GST_EVENT_STREAM_START:
    finish(self);
    break;
  case GST_EVENT_FLUSH_STOP:
    start_again(self);
    break;
  default:
    break;
  }
  return gst_pad_event_default(pad, parent, event);
}

static gboolean src_query(GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstLidarDecode *self = GST_LIDAR_DECODE(parent);
  GstClockTime latency;

  if (!gst_pad_query_default(pad, parent, query))
    return FALSE;
  if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY) {
    GST_STX_LOCKED(self, latency = self->latency);
    gst_stx_delay_add(query, latency);
  }
  return TRUE;
}

/* ---- GstElement ---------------------------------------------------------------------------- */

static void stop(GstLidarDecode *self)
{
  store_clear(&self->stores[0]);
  store_clear(&self->stores[1]);
  gst_stx_sender_clear(&self->sender);
  g_clear_pointer(&self->sensor, g_free);
  g_clear_pointer(&self->packet, g_free);
}

static void start(GstLidarDecode *self)
{
  start_again(self);
  self->sensor = g_new0(StxLidarSensor, 1);
  self->packet = g_new0(StxLidarPacket, 1);
  self->opened = self->sender_set = self->warned = self->told_mixed = self->told_set = FALSE;
  self->sent_rate = -1;
  GST_OBJECT_LOCK(self);
  self->counts = (GstLidarDecodeCounts){0};
  self->found = STX_LIDAR_SENSOR_AUTO;
  self->latency = LATENCY;
  GST_OBJECT_UNLOCK(self);
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition)
{
  GstLidarDecode *self = GST_LIDAR_DECODE(element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    start(self);
  result = GST_ELEMENT_CLASS(gst_lidar_decode_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    stop(self);
  return result;
}

/* ---- Properties ---------------------------------------------------------------------------- */

static const StxFieldChoice times[] = {
    {GST_LIDAR_TIMES_SENSOR, "sensor", "Sensor's clock"},
    {GST_LIDAR_TIMES_ARRIVAL, "arrival", "Arrival of the turn's first packet"},
    {0},
};
static const StxFieldChoice incompletes[] = {
    {GST_LIDAR_INCOMPLETE_MARK, "mark", "Pass marked"},
    {GST_LIDAR_INCOMPLETE_DROP, "drop", "Drop"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, GstLidarDecodeSettings, member)
#define MOTION(member) .field = #member, STX_STORED(DOUBLE, GstLidarDecodeSettings, motion.member)

static const StxField own_fields[] = {
    {"sensor", "Sensor", "Sensor", FIELD(CHOICE, sensor), .choices = stx_lidar_sensors,
        .at_start = true},
    {"calibration", "Calibration",
        "Beam angles; Ouster: its metadata (none = the maker's nominal angles)",
        FIELD(TEXT, calibration), .at_start = true},
    {"source-address", "Source address", "Address of the sensor (none = the first sender)",
        FIELD(TEXT, source), .at_start = true},
    {"cut", "Cut", "Azimuth where a turn begins, clockwise, radians (not Ouster)",
        FIELD(DOUBLE, cut), .high = 6.283185, .unit = "rad", .at_start = true},
    {"firing", "Firing", "Azimuths of a Velodyne within a packet", FIELD(CHOICE, firing),
        .choices = stx_lidar_firings, .at_start = true},
    {"times", "Times", "Source of time stamps", FIELD(CHOICE, times), .choices = times},
    {"incomplete", "Incomplete", "Incomplete turns", FIELD(CHOICE, incomplete),
        .choices = incompletes},
    {"yaw", "Yaw", "Rotation of all points to the left, radians", MOTION(yaw), .low = -3.141593,
        .high = 3.141593, .unit = "rad"},
    {"speed", "Speed",
        "Speed of the sensor, m/s, to move points to the turn's beginning (0 = none)",
        MOTION(speed), .low = -100, .high = 100, .unit = "m/s"},
    {"yaw-rate", "Yaw rate", "Yaw rate of the sensor, to the left, rad/s", MOTION(yaw_rate),
        .low = -10, .high = 10, .unit = "rad/s"},
};
static const GstLidarDecodeSettings defaults = {0};
static const StxFields own_table = {STX_FIELDS_OF(own_fields), &defaults};

static const GstStxPropertyGroup properties[] = {
    {&own_table, offsetof(GstLidarDecode, settings), GST_PARAM_MUTABLE_PLAYING, "GstLidarDecode"},
};

static const StxField count_fields[] = {
#define COUNT(member)                                                                              \
  {                                                                                                \
#member, .type = STX_FIELD_COUNT, .offset = offsetof(GstLidarDecodeCounts, member)             \
  }
    COUNT(packets),
    COUNT(points),
    COUNT(turns),
    COUNT(incomplete),
    COUNT(lost),
    COUNT(late),
    COUNT(doubled),
    COUNT(strange),
    COUNT(restarts),
    COUNT(foreign),
    COUNT(truncated),
    COUNT(forged),
};

static GstStructure *tell(gpointer element)
{
  GstLidarDecode *self = element;
  GstStructure *stats = gst_structure_new("application/x-lidar-stats", "sensor", G_TYPE_STRING,
      stx_field_choice(stx_lidar_sensors, (int)self->found)->nick, NULL);

  for (guint i = 0; i < G_N_ELEMENTS(count_fields); i++)
    gst_structure_set(stats, count_fields[i].name, G_TYPE_UINT64,
        G_STRUCT_MEMBER(guint64, &self->counts, count_fields[i].offset), NULL);
  return stats;
}

/* ---- GObject ------------------------------------------------------------------------------- */

static void finalize(GObject *object)
{
  GstLidarDecode *self = GST_LIDAR_DECODE(object);

  stop(self);
  g_free(self->settings.calibration);
  g_free(self->settings.source);
  G_OBJECT_CLASS(gst_lidar_decode_parent_class)->finalize(object);
}

static void gst_lidar_decode_class_init(GstLidarDecodeClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS(klass);

  object->finalize = finalize;
  GST_ELEMENT_CLASS(klass)->change_state = change_state;
  gst_stx_properties_install(klass, properties, G_N_ELEMENTS(properties));
  gst_stx_stats_install(object, tell);
  gst_stx_element_add_templates(klass, &sink_template, &src_template, NULL);
  gst_stx_element_describe(klass, "lidar-decode", "LiDAR packets to points", "Codec/Decoder",
      "Reads the UDP packets of LiDAR sensors, one buffer of points per turn");
  GST_DEBUG_CATEGORY_INIT(gst_lidar_decode_debug, "lidar-decode", 0, "LiDAR packets to points");
}

static void gst_lidar_decode_init(GstLidarDecode *self)
{
  self->settings = defaults;
  self->latency = LATENCY;
  self->sink = gst_pad_new_from_static_template(&sink_template, "sink");
  gst_pad_set_chain_function(self->sink, chain);
  gst_pad_set_event_function(self->sink, sink_event);
  gst_pad_set_query_function(self->sink, gst_stx_query_of_bytes);
  gst_element_add_pad(GST_ELEMENT(self), self->sink);
  self->src = gst_pad_new_from_static_template(&src_template, "src");
  gst_pad_set_query_function(self->src, src_query);
  gst_pad_use_fixed_caps(self->src);
  gst_element_add_pad(GST_ELEMENT(self), self->src);
}
