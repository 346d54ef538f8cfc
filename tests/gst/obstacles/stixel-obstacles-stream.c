/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stixel-obstacles in streams: times and speeds, where following begins anew, frames that bring
 * nothing, messages about the corridor, states, leaks. */
#include <math.h>

#include "tests/gst/fixtures/obstacles_fixture.h"
#include "tests/gst/fixtures/scan_fixture.h"

#define ALONE "stixel-obstacles"
#define TELLS "stixel-obstacles post-messages=true max-unseen=2"
#define RECORDS " ! capsfilter caps=application/x-obstacles"
#define UNTIMED "application/x-stixels," OBSTACLES_SIZES "," OBSTACLES_CAMERA

static GstClockTime at(guint frame)
{
  return frame * OBSTACLES_FRAME;
}

/* ---- Times and speeds ---------------------------------------------------------------------- */

#define STANDS ALONE " speed=0" /* the camera */

/* A quarter of a metre nearer with every frame, of which there are 20 a second. */
static StxObstacle approach(Stage *fixture, gboolean stamped, gboolean backwards)
{
  StxObstacle box = {0};

  for (guint i = 0; i < 14; i++) {
    GstClockTime time = at(backwards ? 20 - i : i) / 2;

    box = obstacles_one(fixture, 7 - .25 * i, stamped ? time : GST_CLOCK_TIME_NONE);
    ck_assert_uint_eq(box.id, 1);
    ck_assert_uint_eq(box.age, i);
  }
  return box;
}

static void expect_speed(StxObstacle box, gdouble speed, const char *what)
{
  ck_assert_msg(fabs(box.closing_speed - speed) < .2 * fabs(speed), "%s: %g m/s, expected %g", what,
      box.closing_speed, speed);
}

STX_TEST(speed_comes_from_time_stamps)
{
  g_auto(Stage) fixture = obstacles_begin(STANDS, UNTIMED);

  expect_speed(approach(&fixture, TRUE, FALSE), 5, "with time stamps");
}

STX_TEST(speed_comes_from_the_frame_rate)
{
  g_auto(Stage) fixture = obstacles_begin(STANDS, UNTIMED ",framerate=40/1");

  expect_speed(approach(&fixture, FALSE, FALSE), 10, "at 40 frames per second");
}

STX_TEST(without_times_there_is_no_speed)
{
  g_auto(Stage) fixture = obstacles_begin(ALONE, UNTIMED);

  ck_assert(isnan(approach(&fixture, FALSE, FALSE).closing_speed));
  stx_test_expect_silence(fixture.bus);
}

/* ---- Anew ---------------------------------------------------------------------------------- */

static void flush(Stage *fixture)
{
  stx_test_flush(fixture->harness);
}

static void turn(Stage *fixture)
{
  obstacles_segment(fixture, -1);
}

static void change_camera(Stage *fixture)
{
  gst_harness_set_src_caps_str(fixture->harness,
      "application/x-stixels," OBSTACLES_SIZES ",framerate=10/1,camera-focal=65.0,camera-cx=31.5,"
      "camera-cy=15.5,camera-baseline=0.5,camera-height=1.5");
}

static void change_rate(Stage *fixture)
{
  gst_harness_set_src_caps_str(fixture->harness,
      "application/x-stixels," OBSTACLES_SIZES ",framerate=5/1," OBSTACLES_CAMERA);
}

static void go_on(Stage *fixture)
{
  obstacles_segment(fixture, 1);
}

/* An event between two frames, the number of the second frame, and whether it is followed. */
static const struct {
  const char *what;
  void (*happens)(Stage *fixture);
  guint next;
  gboolean followed;
} breaks[] = {
    {"flush", flush, 3, FALSE},
    {"segment that is played backwards", turn, 3, FALSE},
    {"other camera", change_camera, 3, FALSE},
    {"hole of two seconds", go_on, 23, FALSE},
    {"time that went back", go_on, 1, FALSE},
    {"other frame rate", change_rate, 3, TRUE},
    {"new segment", go_on, 3, TRUE},
    {"hole of half a second", go_on, 7, TRUE},
};

STX_TEST_LOOP(following_begins_anew, G_N_ELEMENTS(breaks))
{
  g_auto(Stage) fixture = obstacles_begin(ALONE, OBSTACLES_CAPS);
  StxObstacle box = {0};

  for (guint i = 0; i < 3; i++)
    box = obstacles_one(&fixture, 9, at(i));
  ck_assert_uint_eq(box.id, 1);
  ck_assert_uint_eq(box.age, 2);
  breaks[_i].happens(&fixture);
  box = obstacles_one(&fixture, 9, at(breaks[_i].next));
  ck_assert_msg((box.id == 1) == breaks[_i].followed, "%s: id %u", breaks[_i].what, box.id);
  ck_assert_msg((box.age > 0) == breaks[_i].followed, "%s: age %u", breaks[_i].what, box.age);
}

/* ---- Frames that bring nothing ------------------------------------------------------------- */

static guint64 frames_without(Stage *fixture)
{
  return stx_test_count(fixture->element, "frames-without-stixels");
}

static GstBuffer *bare_picture(guint frame)
{
  return stx_test_buffer(64 * 48 * 3, 100, at(frame), OBSTACLES_FRAME);
}

STX_TEST(pictures_without_stixels_pass)
{
  g_auto(Stage) fixture = obstacles_begin(TELLS, OBSTACLES_VIDEO_CAPS(64, 48));
  GstBuffer *output;

  for (guint i = 0; i < 3; i++) {
    output = obstacles_run(&fixture, bare_picture(i));
    ck_assert(gst_buffer_get_stx_obstacles_meta(output) == NULL);
    ck_assert_uint_eq(gst_buffer_get_size(output), 64 * 48 * 3);
    gst_buffer_unref(output);
  }
  ck_assert_uint_eq(frames_without(&fixture), 3);
  stx_test_expect_warning(fixture.bus, "put stixel-overlay before stixel-obstacles");
  for (guint i = 3; i < 6; i += 2) { /* one that gets lost later has been told of where it was */
    output = obstacles_run(&fixture, obstacles_picture(64, 48, 9, at(i)));
    ck_assert_uint_gt(gst_buffer_get_stx_obstacles_meta(output)->info.columns, 0);
    gst_buffer_unref(output);
    gst_buffer_unref(obstacles_run(&fixture, bare_picture(i + 1)));
  }
  ck_assert_uint_eq(frames_without(&fixture), 5);
  ck_assert(gst_bus_pop_filtered(fixture.bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
}

STX_TEST(scans_without_labels_pass)
{
  g_auto(Stage) fixture = stx_test_stage(ALONE, ALONE, SCAN_CAPS);
  gfloat points[4 * 10] = {0};
  g_autoptr(GstBuffer) output = scan_run(&fixture, points, 10);

  ck_assert(gst_buffer_get_stx_obstacles_meta(output) == NULL);
  stx_test_expect_warning(fixture.bus, "put lidar-ground before stixel-obstacles");
}

/* Where records leave, the moment becomes a gap: an empty buffer would mean that nothing is there.
 */
STX_TEST(no_records_are_a_gap)
{
  g_auto(Stage) fixture = obstacles_begin(ALONE RECORDS, OBSTACLES_VIDEO_CAPS(64, 48));
  GstClockTime time, duration;
  GstEvent *event;

  ck_assert_int_eq(gst_harness_push(fixture.harness, bare_picture(3)), GST_FLOW_OK);
  ck_assert_uint_eq(gst_harness_buffers_received(fixture.harness), 0);
  while (GST_EVENT_TYPE(event = gst_harness_pull_event(fixture.harness)) != GST_EVENT_GAP)
    gst_event_unref(event);
  gst_event_parse_gap(event, &time, &duration);
  ck_assert_uint_eq(time, at(3));
  ck_assert_uint_eq(duration, OBSTACLES_FRAME);
  gst_event_unref(event);
  ck_assert_uint_eq(stx_test_count(fixture.element, "gaps"), 1);
}

STX_TEST(frames_are_counted)
{
  g_auto(Stage) fixture = obstacles_begin(ALONE, OBSTACLES_CAPS);

  for (guint i = 0; i < 3; i++)
    obstacles_one(&fixture, 9, at(i));
  ck_assert_uint_eq(stx_test_count(fixture.element, "frames"), 3);
}

/* ---- The corridor -------------------------------------------------------------------------- */

/* The next element message; NULL: there is none. */
static GstMessage *told(Stage *fixture)
{
  return gst_bus_pop_filtered(fixture->bus, GST_MESSAGE_ELEMENT);
}

static void expect_nothing_told(Stage *fixture, guint frame)
{
  GstMessage *message = told(fixture);

  fail_unless(message == NULL, "frame %u: %s", frame,
      message != NULL ? gst_structure_get_name(gst_message_get_structure(message)) : "");
}

static gdouble number(const GstStructure *structure, const char *name)
{
  gdouble value;

  fail_unless(gst_structure_get_double(structure, name, &value), "no %s", name);
  return value;
}

static guint64 time_in(const GstStructure *structure, const char *name)
{
  guint64 value;

  fail_unless(gst_structure_get_uint64(structure, name, &value), "no %s", name);
  return value;
}

static void expect_told(Stage *fixture, const char *name, guint frame)
{
  g_autoptr(GstMessage) message = told(fixture);
  const GstStructure *structure;

  fail_unless(message != NULL, "no %s at frame %u", name, frame);
  structure = gst_message_get_structure(message);
  ck_assert_str_eq(gst_structure_get_name(structure), name);
  ck_assert_uint_eq(time_in(structure, "timestamp"), at(frame));
  ck_assert_uint_eq(time_in(structure, "duration"), OBSTACLES_FRAME);
}

/* A box that comes, flickers, is gone, and comes again. */
STX_TEST(the_corridor_is_entered_and_left)
{
  g_auto(Stage) fixture = obstacles_begin(TELLS, OBSTACLES_CAPS);
  static const gdouble there[] = {0, 9, 9, 0, 0, 9, 0, 0, 0, 0, 9};

  for (guint i = 0; i < G_N_ELEMENTS(there); i++) {
    gst_buffer_unref(obstacles_run(&fixture, obstacles_stixels(there[i], 13, at(i))));
    if (i == 1 || i == 10)
      expect_told(&fixture, "stx-corridor-entered", i);
    if (i == 8)
      expect_told(&fixture, "stx-corridor-free", i);
    expect_nothing_told(&fixture, i);
  }
}

/* Messages sent before a flush are taken back after it. */
STX_TEST(a_flush_leaves_no_corridor_occupied)
{
  g_auto(Stage) fixture = obstacles_begin(TELLS, OBSTACLES_CAPS);

  gst_buffer_unref(obstacles_run(&fixture, obstacles_stixels(9, 13, at(0))));
  expect_told(&fixture, "stx-corridor-entered", 0);
  stx_test_flush(fixture.harness);
  for (guint i = 5; i < 8; i++) {
    expect_nothing_told(&fixture, i);
    gst_buffer_unref(obstacles_run(&fixture, obstacles_stixels(0, 13, at(i))));
  }
  expect_told(&fixture, "stx-corridor-free", 7);
}

STX_TEST(no_message_is_posted_by_default)
{
  g_auto(Stage) fixture = obstacles_begin(ALONE, OBSTACLES_CAPS);

  obstacles_one(&fixture, 9, at(0));
  expect_nothing_told(&fixture, 0);
}

/* Times as a sink and a clock see them, and what is known of the obstacle. */
STX_TEST(messages_say_when_and_what)
{
  g_auto(Stage) fixture = obstacles_begin(
      "stixel-obstacles speed=0 post-messages=true corridor-length=3.5", OBSTACLES_CAPS);
  const GstStructure *structure;
  g_autoptr(GstMessage) message = NULL;
  GstSegment segment;
  guint id;

  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.base = 7 * GST_SECOND;
  segment.time = 3 * GST_SECOND;
  gst_harness_push_event(fixture.harness, gst_event_new_segment(&segment));
  gst_element_set_base_time(fixture.element, GST_SECOND);
  for (guint i = 0; i < 7; i++)
    obstacles_one(&fixture, 4.9 - .25 * i, at(i));
  message = told(&fixture);
  fail_unless(message != NULL);
  structure = gst_message_get_structure(message);
  ck_assert_str_eq(gst_structure_get_name(structure), "stx-corridor-entered");
  ck_assert_uint_eq(time_in(structure, "timestamp"), at(6));
  ck_assert_uint_eq(time_in(structure, "stream-time"), at(6) + 3 * GST_SECOND);
  ck_assert_uint_eq(time_in(structure, "running-time"), at(6) + 7 * GST_SECOND);
  ck_assert_uint_eq(time_in(structure, "clock-time"), at(6) + 8 * GST_SECOND);
  ck_assert(gst_structure_get_uint(structure, "id", &id) && id == 1);
  ck_assert_str_eq(gst_structure_get_string(structure, "class"), "car");
  ck_assert(fabs(number(structure, "distance") - 3.4) < .2);
  ck_assert(fabs(number(structure, "closing-speed") - 2.5) < .7);
  ck_assert(fabs(number(structure, "width") - .85) < .05);
  ck_assert(fabs(number(structure, "time-to-contact") * number(structure, "closing-speed") -
                 number(structure, "distance")) < 1e-4);
}

/* ---- States and leaks ---------------------------------------------------------------------- */

/* The caps of records come with the first stixels, when no element may take them any more. */
STX_TEST(a_pipeline_that_stops_has_not_refused_records)
{
  g_auto(Stage) fixture = obstacles_begin(ALONE RECORDS, OBSTACLES_VIDEO_CAPS(64, 48));
  g_autoptr(GstPad) src = gst_element_get_static_pad(fixture.element, "src");

  fail_unless(gst_pad_set_active(src, FALSE));
  fail_unless_equals_int(
      gst_harness_push(fixture.harness, obstacles_picture(64, 48, 8, at(0))), GST_FLOW_FLUSHING);
  stx_test_expect_silence(fixture.bus);
}

/* ---- Motion -------------------------------------------------------------------------------- */

/* The velocities that a sink has seen. */
typedef struct {
  guint frames, standing, wrong; /* obstacles in all of them */
} Speeds;

static void count_speeds(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  const GstStxVelocitiesMeta *meta = gst_buffer_get_stx_velocities_meta(buffer);
  Speeds *speeds = data;
  GstMapInfo map;

  fail_unless(meta != NULL && gst_buffer_map(meta->obstacles, &map, GST_MAP_READ));
  for (gsize i = 0; i < map.size / sizeof(StxVelocity); i++) {
    const StxVelocity *v = (const StxVelocity *)(gpointer)map.data + i;

    speeds->standing += v->moves == STX_MOVES_NOT;
    speeds->wrong += v->moves == STX_MOVES_NOT && fabsf(v->z) > 1;
  }
  gst_buffer_unmap(meta->obstacles, &map);
  speeds->frames++;
}

#define VIEW(eye)                                                                                  \
  " street-scene-src seed=1 num-buffers=5 view=" eye " ! "                                         \
  "video/x-raw,width=640,height=192,framerate=10/1 ! all.sink_" eye

/* From the pictures on, over stixels and over pictures with them, with the default of motion. */
STX_TEST_LOOP(velocities_go_all_the_way, 2)
{
  g_autofree gchar *line = g_strconcat(
      "stereo-stixels name=all obstacles=true velocities=true output=", _i ? "overlay" : "stixels",
      " ! fakesink name=out sync=false async=false signal-handoffs=true", VIEW("left"),
      VIEW("right"), NULL);
  g_autoptr(GstElement) pipeline = stx_test_parse(line);
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  Speeds speeds = {0};

  g_signal_connect(sink, "handoff", G_CALLBACK(count_speeds), &speeds);
  stx_test_play(pipeline);
  ck_assert_uint_eq(speeds.frames, 5);
  ck_assert_uint_ge(speeds.standing, 5);
  ck_assert_uint_eq(speeds.wrong, 0);
}
