/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lidar-decode and lidar-encode: packets into turns, live and not; several senders; what is lost or
 * wrong; times. */
#include "tests/gst/fixtures/util.h"

#include <gio/gio.h>
#include <gst/net/gstnet.h>
#include <stdlib.h>

#include "common/lidar_packet/lidar_encode.h"
#include "gst/stixels/stixels.h"

#define TENTH (GST_SECOND / 10)
#define PACKETS 75 /* of a turn of the encoder's VLP-16 */
#define POINTS 28800

/* ---- Helpers -------------------------------------------------------------------------------- */

/* Packet `number` of a VLP-16 that sees 10 m everywhere; NULL time: none. */
static GstBuffer *packet(guint number, GstClockTime time)
{
  static StxLidarEncoder encoder;
  guint8 *bytes = g_malloc(1206);
  GstBuffer *buffer;

  if (encoder.packets == 0) {
    stx_lidar_encode_open(&encoder, STX_LIDAR_ENCODE_VLP_16);
    for (guint c = 0; c < POINTS; c++)
      encoder.range[c] = 5000;
  }
  stx_lidar_encode_packet(&encoder, number % PACKETS, number / PACKETS,
      3 * GST_SECOND + number / PACKETS * TENTH, TENTH, bytes);
  buffer = gst_buffer_new_wrapped(bytes, 1206);
  GST_BUFFER_PTS(buffer) = time;
  return buffer;
}

static GstBuffer *from(GstBuffer *buffer, const gchar *address)
{
  g_autoptr(GSocketAddress) sender = g_inet_socket_address_new_from_string(address, 2368);

  gst_buffer_add_net_address_meta(buffer, sender);
  return buffer;
}

/* The sensor's clock is off by so many microseconds. */
static GstBuffer *off(GstBuffer *buffer, gint64 by)
{
  const gint64 hour = G_GINT64_CONSTANT(3600000000);
  GstMapInfo map;

  ck_assert(gst_buffer_map(buffer, &map, GST_MAP_READWRITE));
  GST_WRITE_UINT32_LE(
      map.data + 1200, (guint32)((GST_READ_UINT32_LE(map.data + 1200) + by + hour) % hour));
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

/* 400 µs after packet `number`, by the same clock. */
static GstBuffer *beside(GstBuffer *buffer, guint number)
{
  gint64 micros = (gint64)(3000000 + number * (100000. / PACKETS) + 400);
  GstMapInfo map;

  ck_assert(gst_buffer_map(buffer, &map, GST_MAP_READWRITE));
  GST_WRITE_UINT32_LE(map.data + 1200, (guint32)micros);
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

/* So many turns, packets arriving as they are made. */
static void push_turns(GstHarness *harness, guint first, guint turns)
{
  for (guint p = first * PACKETS; p < (first + turns) * PACKETS; p++)
    ck_assert_int_eq(
        gst_harness_push(harness, packet(p, GST_SECOND + (p + 1) * TENTH / PACKETS)), GST_FLOW_OK);
}

/* With a property, or without: NULL. */
static GstHarness *harness_of(const gchar *property, const gchar *value)
{
  GstHarness *harness = gst_harness_new("lidar-decode");

  if (property != NULL)
    gst_util_set_object_arg(G_OBJECT(harness->element), property, value);
  gst_harness_push_event(harness, gst_event_new_stream_start("packets"));
  gst_harness_push_event(harness, stx_test_segment(0));
  return harness;
}

static void expect_turn(GstHarness *harness, gsize points, gboolean complete, guint lost)
{
  g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);
  GstStxTurnMeta *meta = gst_buffer_get_stx_turn_meta(buffer);

  ck_assert_uint_eq(gst_buffer_get_size(buffer), 16 * points);
  fail_unless(meta != NULL);
  ck_assert_uint_eq(gst_buffer_get_size(meta->marks), 8 * points);
  ck_assert_int_eq(meta->complete, complete);
  ck_assert_int_eq(GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_CORRUPTED), !complete);
  ck_assert_uint_eq(meta->lost, lost);
}

/* ---- Turns ---------------------------------------------------------------------------------- */

STX_TEST(turns_come_out_with_their_marks)
{
  g_autoptr(Harness) harness = harness_of(NULL, NULL);

  push_turns(harness, 0, 3);
  ck_assert_uint_eq(gst_harness_buffers_received(harness), 2);
  gst_harness_push_event(harness, gst_event_new_eos());
  ck_assert_uint_eq(gst_harness_buffers_received(harness), 3);
  for (guint t = 0; t < 3; t++) {
    g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);
    GstStxTurnMeta *meta = gst_buffer_get_stx_turn_meta(buffer);
    GstMapInfo map;
    const GstStxPointMark *marks;
    guint seen[16] = {0};

    ck_assert_uint_eq(gst_buffer_get_size(buffer), 16 * POINTS);
    ck_assert(meta->complete);
    /* Packets arrive when they are complete; the first shot is 6 µs short of a packet before. */
    ck_assert_uint_lt(GST_BUFFER_PTS(buffer) - GST_SECOND - t * TENTH, 10000);
    ck_assert_uint_lt(GST_BUFFER_DURATION(buffer) - 99900000, 200000);
    ck_assert_uint_eq(meta->sensor_time, 3 * GST_SECOND + t * TENTH);
    ck_assert_uint_eq(meta->packets, PACKETS);
    ck_assert(gst_buffer_map(meta->marks, &map, GST_MAP_READ));
    marks = (const GstStxPointMark *)(gconstpointer)map.data;
    for (guint i = 0; i < POINTS; i++)
      seen[marks[i].ring]++;
    for (guint ring = 0; ring < 16; ring++)
      ck_assert_uint_eq(seen[ring], 1800);
    ck_assert_uint_eq(marks[0].time, 0);
    ck_assert_uint_gt(marks[POINTS - 1].time, 99 * GST_MSECOND);
    gst_buffer_unmap(meta->marks, &map);
  }
  ck_assert_uint_eq(stx_test_count(harness->element, "packets"), 3 * PACKETS);
  ck_assert_uint_eq(stx_test_count(harness->element, "turns"), 3);
  ck_assert_uint_eq(stx_test_count(harness->element, "points"), 3 * POINTS);
  ck_assert_uint_eq(stx_test_count(harness->element, "incomplete"), 0);
}

STX_TEST(a_turn_with_a_gap_is_marked_or_dropped)
{
  for (guint drop = 0; drop < 2; drop++) {
    g_autoptr(Harness) harness = harness_of("incomplete", drop ? "drop" : "mark");

    for (guint p = 0; p < 4 * PACKETS; p++)
      if (p < PACKETS + 10 || p >= PACKETS + 13)
        gst_harness_push(harness, packet(p, p * TENTH / PACKETS));
    gst_harness_push_event(harness, gst_event_new_eos());
    expect_turn(harness, POINTS, TRUE, 0);
    if (!drop) {
      expect_turn(harness, POINTS - 3 * POINTS / PACKETS, FALSE, 3);
    }
    expect_turn(harness, POINTS, TRUE, 0);
    expect_turn(harness, POINTS, TRUE, 0);
    ck_assert_uint_eq(stx_test_count(harness->element, "lost"), 3);
    ck_assert_uint_eq(stx_test_count(harness->element, "incomplete"), 1);
  }
}

STX_TEST(what_is_wrong_is_counted)
{
  g_autoptr(Harness) harness = harness_of("sensor", "vlp-16");
  GstBuffer *bad;

  push_turns(harness, 0, 1);
  gst_harness_push(harness, gst_buffer_new_allocate(NULL, 0, NULL));
  gst_harness_push(harness, stx_test_buffer(512, 1, 0, 0));
  bad = packet(75, 0);
  gst_buffer_set_size(bad, 1000);
  gst_harness_push(harness, bad);
  bad = packet(76, 0);
  gst_buffer_memset(bad, 2, 0xFF, 2); /* an azimuth of 655 degrees */
  gst_harness_push(harness, bad);
  gst_harness_push(harness, packet(74, 0));
  ck_assert_uint_eq(stx_test_count(harness->element, "foreign"), 2);
  ck_assert_uint_eq(stx_test_count(harness->element, "truncated"), 1);
  ck_assert_uint_eq(stx_test_count(harness->element, "forged"), 1);
  ck_assert_uint_eq(stx_test_count(harness->element, "doubled"), 1);
  ck_assert_uint_eq(stx_test_count(harness->element, "packets"), PACKETS + 5);
  gst_harness_push_event(harness, gst_event_new_eos());
  expect_turn(harness, POINTS, TRUE, 0);
}

STX_TEST(a_stream_of_something_else_is_refused)
{
  g_autoptr(Harness) harness = harness_of(NULL, NULL);
  g_autoptr(Watch) bus = stx_test_watch(harness->element);

  for (guint p = 0; p < 3; p++)
    gst_harness_push(harness, stx_test_buffer(452, 3, 0, 0));
  gst_harness_push_event(harness, gst_event_new_eos());
  stx_test_expect_error(bus, "no known sensor", "none of 3", "452", NULL);
}

/* At the end of a recording, and while a sensor goes on sending. */
STX_TEST_LOOP(a_stream_of_another_sensor_is_named, 2)
{
  g_autoptr(Harness) harness = harness_of("sensor", "vlp-32c");
  g_autoptr(Watch) bus = stx_test_watch(harness->element);

  for (guint p = 0; p < (_i ? 1010 : 3); p++)
    gst_harness_push(harness, packet(p, p * TENTH / PACKETS));
  if (_i) {
    stx_test_expect_warning(
        bus, "None of 1000 packets is one of vlp-32c; the last has 1206 bytes, as those of vlp-16");
    stx_test_expect_silence(bus);
  }
  gst_harness_push_event(harness, gst_event_new_eos());
  stx_test_expect_error(bus, "vlp-32c: none of", "set sensor=vlp-16", NULL);
}

STX_TEST(a_stream_of_nothing_is_warned_of)
{
  g_autoptr(Harness) harness = harness_of(NULL, NULL);
  g_autoptr(Watch) bus = stx_test_watch(harness->element);

  gst_harness_push_event(harness, gst_event_new_eos());
  stx_test_expect_warning(bus, "Not one packet");
}

STX_TEST(a_bad_calibration_is_refused)
{
  g_autoptr(Harness) harness = harness_of("calibration", "/nowhere/vlp16.yaml");
  g_autoptr(Watch) bus = stx_test_watch(harness->element);

  ck_assert_int_eq(gst_harness_push(harness, packet(0, 0)), GST_FLOW_ERROR);
  stx_test_expect_error(bus, "/nowhere/vlp16.yaml", NULL);
}

/* ---- Senders -------------------------------------------------------------------------------- */

/* Two sensors on a port: the first counts, or the one that is named. */
STX_TEST(two_sensors_are_told_apart)
{
  for (guint named = 0; named < 2; named++) {
    g_autoptr(Harness) harness = harness_of("source-address", named ? "10.0.0.2" : "");
    g_autoptr(Watch) bus = stx_test_watch(harness->element);

    for (guint p = 0; p < 2 * PACKETS; p++) {
      gst_harness_push(harness, from(packet(p, p * TENTH / PACKETS), "10.0.0.1"));
      gst_harness_push(harness, from(packet(p + 30, p * TENTH / PACKETS), "10.0.0.2"));
    }
    ck_assert_uint_eq(stx_test_count(harness->element, "foreign"), 2 * PACKETS);
    ck_assert_uint_eq(stx_test_count(harness->element, "lost"), 0);
    gst_harness_push_event(harness, gst_event_new_eos());
    expect_turn(harness, named ? POINTS - 30 * POINTS / PACKETS : POINTS, !named, 0);
    stx_test_expect_warning(bus, named ? "10.0.0.1" : "10.0.0.2");
  }
}

/* Without addresses, as from pcapparse, the second sensor shows in times that overlap. */
STX_TEST(two_sensors_of_a_capture_are_told_apart)
{
  g_autoptr(Harness) harness = harness_of(NULL, NULL);
  g_autoptr(Watch) bus = stx_test_watch(harness->element);

  for (guint p = 0; p < 2 * PACKETS; p++) {
    gst_harness_push(harness, packet(p, p * TENTH / PACKETS));
    gst_harness_push(harness, beside(packet((p + 30) % PACKETS, p * TENTH / PACKETS), p));
  }
  gst_harness_push_event(harness, gst_event_new_eos());
  expect_turn(harness, POINTS, TRUE, 0);
  expect_turn(harness, POINTS, TRUE, 0);
  ck_assert_uint_eq(stx_test_count(harness->element, "strange"), 2 * PACKETS);
  stx_test_expect_warning(bus, "two sensors");
}

STX_TEST(an_address_that_is_none)
{
  g_autoptr(Harness) harness = harness_of("source-address", "lidar");
  g_autoptr(Watch) bus = stx_test_watch(harness->element);

  ck_assert_int_eq(gst_harness_push(harness, packet(0, 0)), GST_FLOW_ERROR);
  stx_test_expect_error(bus, "source-address", "\"lidar\"", "192.168.1.201", NULL);
}

/* ---- Streams -------------------------------------------------------------------------------- */

STX_TEST(a_flush_forgets_and_a_segment_ends)
{
  g_autoptr(Harness) harness = harness_of(NULL, NULL);

  for (guint p = 0; p < 20; p++)
    gst_harness_push(harness, packet(p, 0));
  stx_test_flush(harness);
  for (guint p = 40; p < 50; p++)
    gst_harness_push(harness, packet(p, 0));
  ck_assert_uint_eq(gst_harness_buffers_received(harness), 0);
  gst_harness_push_event(harness, stx_test_segment(0)); /* another recording */
  push_turns(harness, 0, 1);
  gst_harness_push_event(harness, gst_event_new_eos());
  expect_turn(harness, 10 * POINTS / PACKETS, FALSE, 0);
  expect_turn(harness, POINTS, TRUE, 0);
}

/* A live sensor: a turn is handed on when it has ended, which is its latency. One of an Ouster with
 * five turns a second. */
STX_TEST(latency_is_a_turn)
{
  g_autoptr(Harness) harness = harness_of(NULL, NULL);
  g_autofree StxLidarEncoder *encoder = g_new0(StxLidarEncoder, 1);
  gchar text[STX_LIDAR_ENCODE_METADATA];
  GstClockTime latency;

  stx_test_folder();
  stx_lidar_encode_metadata(text, sizeof text);
  stx_test_write("os.json", text);
  gst_util_set_object_arg(G_OBJECT(harness->element), "calibration", "os.json");
  gst_harness_set_upstream_latency(harness, 0);
  latency = gst_harness_query_latency(harness);
  ck_assert_uint_ge(latency, TENTH);
  ck_assert_uint_le(latency, 3 * TENTH / 2);
  stx_lidar_encode_open(encoder, STX_LIDAR_ENCODE_OUSTER);
  for (guint p = 0; p < 2 * encoder->packets; p++) {
    guint8 *bytes = g_malloc(encoder->size);

    encoder->range[p] = 1000;
    stx_lidar_encode_packet(encoder, p % encoder->packets, p / encoder->packets,
        GST_SECOND + p / encoder->packets * 2 * TENTH, 2 * TENTH, bytes);
    gst_harness_push(harness, gst_buffer_new_wrapped(bytes, encoder->size));
  }
  ck_assert_uint_eq(gst_harness_buffers_received(harness), 2);
  ck_assert_uint_ge(gst_harness_query_latency(harness), 2 * TENTH);
}

/* Jitter of arrival is not one of time stamps, unless that is asked for. */
STX_TEST(times_of_the_sensor_or_of_arrival)
{
  for (guint arrival = 0; arrival < 2; arrival++) {
    g_autoptr(Harness) harness = harness_of("times", arrival ? "arrival" : "sensor");
    GstClockTime last = GST_CLOCK_TIME_NONE;
    guint off = 0;

    for (guint p = 0; p < 6 * PACKETS; p++) {
      GstClockTime late = p % PACKETS == 0 && p % (2 * PACKETS) == 0 ? 8 * GST_MSECOND : 0;

      gst_harness_push(harness, packet(p, GST_SECOND + (p + 1) * TENTH / PACKETS + late));
    }
    gst_harness_push_event(harness, gst_event_new_eos());
    for (guint t = 0; t < 6; t++) {
      g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);
      GstClockTime pts = GST_BUFFER_PTS(buffer);

      off += t > 0 && ABS((gint64)(pts - last - TENTH)) > 100000;
      last = pts;
    }
    ck_assert_int_eq(off > 1, arrival);
  }
}

/* The clock is set for good, or for one packet, in a turn or where one begins. Velodyne's goes
 * around within an hour. */
STX_TEST_LOOP(a_clock_that_is_set, 16)
{
  static const gint64 seconds[] = {-1200, -1, 1, 1200};
  g_autoptr(Harness) harness = harness_of(NULL, NULL);
  guint from = 3 * PACKETS + (_i & 4 ? 20 : 0), to = _i & 8 ? 10 * PACKETS : from + 1;

  for (guint p = 0; p < 10 * PACKETS; p++) {
    GstBuffer *buffer = packet(p, GST_SECOND + (p + 1) * TENTH / PACKETS);

    gst_harness_push(
        harness, p >= from && p < to ? off(buffer, seconds[_i & 3] * 1000000) : buffer);
  }
  gst_harness_push_event(harness, gst_event_new_eos());
  ck_assert_uint_ge(gst_harness_buffers_received(harness), 10);
  ck_assert_uint_le(gst_harness_buffers_received(harness), 12);
  for (guint t = 0; t < 10; t++) {
    g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);

    ck_assert_uint_le(ABS((gint64)(GST_BUFFER_PTS(buffer) - GST_SECOND - t * TENTH)), 2 * TENTH);
    ck_assert_uint_lt(GST_BUFFER_DURATION(buffer), 11 * TENTH / 10);
  }
}

/* The clock of a computer that records packets is set back in the fourth turn: the time of one scan
 * waits, and the rest goes on. One packet that is stamped so shifts nothing. */
STX_TEST_LOOP(arrivals_that_are_set_back, 8)
{
  static const gint64 seconds[] = {5, 3600};
  g_autoptr(Harness) harness = harness_of("times", _i & 2 ? "arrival" : "sensor");
  guint from = 3 * PACKETS + (_i & 2 ? 0 : 20), to = _i & 4 ? 10 * PACKETS : from + 1;
  GstClockTime last = 0;

  for (guint p = 0; p < 10 * PACKETS; p++)
    gst_harness_push(harness, packet(p, 7200 * GST_SECOND + (p + 1) * TENTH / PACKETS -
                                            (p >= from && p < to) * seconds[_i & 1] * GST_SECOND));
  gst_harness_push_event(harness, gst_event_new_eos());
  for (guint t = 0; t < 10; t++) {
    g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);
    GstClockTime pts = GST_BUFFER_PTS(buffer);

    ck_assert_uint_le(ABS((gint64)(pts - 7200 * GST_SECOND - t * TENTH)), 2 * TENTH);
    ck_assert(pts > last || t == 3 || t == 4);
    last = pts;
  }
}

STX_TEST(caps_get_the_rate)
{
  g_autoptr(Harness) harness = harness_of(NULL, NULL);

  push_turns(harness, 0, 3);
  stx_test_expect_caps(harness, "application/x-lidar, framerate=(fraction)10/1");
}

/* ---- Whole lines ---------------------------------------------------------------------------- */

STX_TEST(the_street_as_packets)
{
  g_autofree gchar *ouster = NULL;

  stx_test_folder();
  stx_test_runs("street-scene-src view=lidar beams=16 num-buffers=2 ! lidar-encode ! "
                "lidar-decode ! lidar-ground ! fakesink");
  stx_test_runs("street-scene-src view=lidar beams=32 num-buffers=2 ! lidar-encode "
                "sensor=ouster metadata=os.json ! lidar-decode calibration=os.json speed=10 "
                "yaw-rate=0.1 yaw=1 ! lidar-ground ! fakesink");
  stx_test_breaks("street-scene-src view=lidar num-buffers=1 ! lidar-encode sensor=ouster ! "
                  "lidar-decode ! fakesink",
      "ouster", "metadata", NULL);
}

/* A socket that is free now. */
static guint free_port(void)
{
  g_autoptr(GSocket) socket =
      g_socket_new(G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_autoptr(GInetAddress) any = g_inet_address_new_loopback(G_SOCKET_FAMILY_IPV4);
  g_autoptr(GSocketAddress) address = g_inet_socket_address_new(any, 0);
  g_autoptr(GSocketAddress) bound = NULL;

  ck_assert(g_socket_bind(socket, address, FALSE, NULL));
  bound = g_socket_get_local_address(socket, NULL);
  return g_inet_socket_address_get_port(G_INET_SOCKET_ADDRESS(bound));
}

static void count_turn(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  GstStxTurnMeta *meta = gst_buffer_get_stx_turn_meta(buffer);

  if (meta != NULL && meta->complete && gst_buffer_get_size(buffer) > 16 * 20000)
    g_atomic_int_inc((gint *)data);
}

/* The live line: a sensor that sends, and what receives, through the loopback. */
STX_TEST_LOOP(live_through_a_socket, 2)
{
  guint port = free_port();
  gint turns = 0;
  g_autofree gchar *receiver = NULL;
  g_autofree gchar *sender = NULL;
  g_autoptr(GstElement) receiving = NULL, sending = NULL, sink = NULL;

  stx_test_folder();
  sender = g_strdup_printf("street-scene-src view=lidar beams=%u is-live=true ! lidar-encode "
                           "sensor=%s metadata=os.json ! udpsink host=127.0.0.1 port=%u",
      _i == 0 ? 16 : 32, _i == 0 ? "vlp-16" : "ouster", port);
  sending = stx_test_parse(sender);
  gst_element_set_state(sending, GST_STATE_READY); /* writes the metadata */
  receiver = g_strdup_printf("udpsrc address=127.0.0.1 port=%u buffer-size=2000000 ! lidar-decode "
                             "name=decode %s ! lidar-ground ! fakesink name=sink sync=true "
                             "signal-handoffs=true",
      port, _i == 0 ? "" : "calibration=os.json");
  receiving = stx_test_parse(receiver);
  sink = gst_bin_get_by_name(GST_BIN(receiving), "sink");
  g_signal_connect(sink, "handoff", G_CALLBACK(count_turn), &turns);
  gst_element_set_state(receiving, GST_STATE_PLAYING);
  gst_element_get_state(receiving, NULL, NULL, GST_SECOND);
  gst_element_set_state(sending, GST_STATE_PLAYING);
  for (guint wait = 0; wait < 1000 && g_atomic_int_get(&turns) < 3; wait++)
    g_usleep(10000);
  ck_assert_int_ge(g_atomic_int_get(&turns), 3);
  gst_element_set_state(sending, GST_STATE_NULL);
  gst_element_set_state(receiving, GST_STATE_NULL);
}
