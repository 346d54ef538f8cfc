/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The LiDAR in the synthetic street: its bytes are those of stx_scene_scan(), frame by frame. */
#include "tests/gst/fixtures/util.h"

#include <math.h>

#include "common/scene/scene.h"

#define STEPS 90
#define SMALL "threads=1 azimuth-steps=90"

typedef struct {
  gfloat (*points)[4];
  guint32 *labels;
  gsize count;
} Turn;

static const struct {
  const char *view, *media_type;
  gsize bytes;
} views[] = {
    {"lidar", "application/x-lidar", 16},
    {"lidar-labels", "application/x-point-labels", 4},
};

/* ---- Helpers -------------------------------------------------------------------------------- */

/* A harness keeps all frames of the source, so each test asks for as many as it pulls. */
static GstHarness *harness_new(const char *view, const char *properties, const char *caps)
{
  g_autofree gchar *line = g_strdup_printf("street-scene-src view=%s %s", view, properties);

  return stx_test_source(line, caps);
}

static Turn expected_turn(guint seed, guint64 number, const StxSceneLidar *lidar)
{
  StxSceneParams params = {.seed = seed, .width = 1, .height = 1, .speed = 10, .threads = 1};
  StxScene *scene = stx_scene_new(&params, NULL);
  gsize room = (gsize)lidar->beams * (gsize)lidar->steps;
  Turn turn = {g_malloc(16 * room), g_malloc(4 * room), 0};

  stx_scene_move(scene, number);
  turn.count = stx_scene_scan(scene, lidar, turn.points, turn.labels);
  stx_scene_free(scene);
  return turn;
}

static void turn_free(Turn *turn)
{
  g_free(turn->points);
  g_free(turn->labels);
}

/* Pulls one buffer, which must be frame `number` of the view. */
static void expect_scan(
    GstHarness *harness, gsize view, guint seed, guint64 number, const StxSceneLidar *lidar)
{
  g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);
  Turn turn = expected_turn(seed, number, lidar);

  fail_unless(buffer != NULL);
  stx_test_expect_bytes(buffer, view == 0 ? (const void *)turn.points : (const void *)turn.labels,
      turn.count * views[view].bytes, views[view].view);
  turn_free(&turn);
}

/* ---- Views ---------------------------------------------------------------------------------- */

/* The buffers are given back one by one, so that a shortened one comes again. */
STX_TEST_LOOP(scans_equal_the_scene, G_N_ELEMENTS(views))
{
  static const gint beams[] = {1, 16, 32, 64, 128};

  for (gsize i = 0; i < G_N_ELEMENTS(beams); i++) {
    g_autofree gchar *properties =
        g_strdup_printf("num-buffers=6 seed=3 beams=%d " SMALL, beams[i]);
    g_autoptr(Harness) harness = harness_new(views[_i].view, properties, views[_i].media_type);
    StxSceneLidar lidar = stx_scene_lidar(beams[i]);

    lidar.steps = STEPS;
    for (guint64 number = 0; number < 6; number++)
      expect_scan(harness, (gsize)_i, 3, number, &lidar);
  }
}

/* Two elements with equal properties: a label for every point. */
STX_TEST(points_and_labels_belong_together)
{
  const char *properties = "num-buffers=4 seed=9 lidar-dropout=0.1 " SMALL;
  g_autoptr(Harness) points = harness_new("lidar", properties, NULL);
  g_autoptr(Harness) labels = harness_new("lidar-labels", properties, NULL);

  for (gint i = 0; i < 4; i++) {
    g_autoptr(GstBuffer) a = gst_harness_pull(points);
    g_autoptr(GstBuffer) b = gst_harness_pull(labels);

    ck_assert_uint_gt(gst_buffer_get_size(a), 0);
    ck_assert_uint_eq(gst_buffer_get_size(a), 4 * gst_buffer_get_size(b));
    ck_assert_uint_eq(GST_BUFFER_PTS(a), GST_BUFFER_PTS(b));
  }
}

/* An empty scan is a buffer, too: no element waits for it in vain. */
STX_TEST_LOOP(empty_scans_are_buffers, G_N_ELEMENTS(views))
{
  g_autoptr(Harness) harness =
      harness_new(views[_i].view, "num-buffers=3 lidar-dropout=1 " SMALL, NULL);

  for (gint i = 0; i < 3; i++) {
    g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);

    ck_assert_uint_eq(gst_buffer_get_size(buffer), 0);
    ck_assert_uint_eq(GST_BUFFER_OFFSET(buffer), i);
  }
}

/* ---- Caps, time ----------------------------------------------------------------------------- */

/* Points say where their sensor stands, too: 1.73 m above the road, the camera 1.65 m. */
static void expect_place(GstStructure *structure)
{
  const char *const fields[] = {
      "sensor-x", "sensor-y", "sensor-z", "sensor-roll", "sensor-pitch", "sensor-yaw"};

  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
    gdouble value = NAN;

    ck_assert(gst_structure_get_double(structure, fields[i], &value));
    ck_assert(fabs(value - (i == 2 ? .08 : 0)) < 1e-9);
    gst_structure_remove_field(structure, fields[i]);
  }
}

static void expect_caps(GstHarness *harness, const char *text)
{
  g_autoptr(GstCaps) caps = gst_caps_make_writable(gst_pad_get_current_caps(harness->sinkpad));
  g_autoptr(GstCaps) expected = gst_caps_from_string(text);

  if (g_str_has_prefix(text, "application/x-lidar"))
    expect_place(gst_caps_get_structure(caps, 0));
  fail_unless(gst_caps_is_strictly_equal(caps, expected), "%" GST_PTR_FORMAT, caps);
}

/* 12.5 scans a second; without a wish 10. */
STX_TEST_LOOP(the_rate_is_that_of_the_caps, G_N_ELEMENTS(views))
{
  g_autofree gchar *wish = g_strdup_printf("%s,framerate=25/2", views[_i].media_type);
  g_autofree gchar *usual = g_strdup_printf("%s,framerate=10/1", views[_i].media_type);
  GstHarness *harness = harness_new(views[_i].view, "num-buffers=4 " SMALL, wish);

  for (guint64 i = 0; i < 4; i++) {
    g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);

    ck_assert_uint_eq(GST_BUFFER_PTS(buffer), i * 80 * GST_MSECOND);
    ck_assert_uint_eq(GST_BUFFER_DURATION(buffer), 80 * GST_MSECOND);
    ck_assert_uint_eq(GST_BUFFER_OFFSET(buffer), i);
  }
  expect_caps(harness, wish);
  gst_harness_teardown(harness);
  harness = harness_new(views[_i].view, "num-buffers=1 " SMALL, views[_i].media_type);
  gst_buffer_unref(gst_harness_pull(harness));
  expect_caps(harness, usual);
  gst_harness_teardown(harness);
}

STX_TEST(wrong_caps_are_named)
{
  g_autoptr(Harness) harness = gst_harness_new_parse("street-scene-src view=lidar");
  g_autoptr(Watch) bus = stx_test_watch(harness->element);

  gst_harness_set_sink_caps_str(harness, "application/x-point-labels");
  gst_harness_play(harness);
  stx_test_expect_error(bus, "application/x-lidar", "application/x-point-labels", NULL);
}
