/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stixel-obstacles: what leaves is what the stem finds when it is called directly, as a meta on
 * what came or as records; what came passes untouched; caps, refusals. Streams, times, messages and
 * leaks: stixel-obstacles-stream.c; what programs for analytics read: regions.c.
 */
#include <math.h>

#include "common/stixel.h"
#include "tests/gst/fixtures/obstacles_fixture.h"
#include "tests/gst/fixtures/scan_fixture.h"

#define RECORDS " ! capsfilter caps=application/x-obstacles"

static const StxObstaclesParams defaults = STX_OBSTACLES_DEFAULTS;

/* A point of an image that is as large as the stixels'. */
static const StxMotionPoint point = {30, 20, 4, 30.5f, 20, 3.5f};

/* ---- Equal to the stem --------------------------------------------------------------------- */

static void find_in_stixels(StxObstacles *state, GstBuffer *stixels, StxObstaclesResult *result)
{
  const GstStxMotionMeta *moved = gst_buffer_get_stx_motion_meta(stixels);
  StxObstaclesFrame frame = {.width = 64,
      .height = 48,
      .stixel_width = 4,
      .camera = obstacles_info.camera,
      .time = GST_BUFFER_PTS(stixels),
      .motion = moved != NULL ? &moved->motion : NULL,
      .points = moved != NULL ? &point : NULL,
      .point_count = moved != NULL};
  GstMapInfo map;
  StxError error;

  gst_buffer_map(stixels, &map, GST_MAP_READ);
  frame.stixels = (const StxStixel *)(gpointer)map.data;
  frame.count = map.size / sizeof(StxStixel);
  ck_assert_msg(stx_obstacles_prepare(state, &defaults, frame.count, 16, &error) &&
                    stx_obstacles_of_stixels(state, &frame, result, &error),
      "%s", error.text);
  gst_buffer_unmap(stixels, &map);
}

/* Takes the buffer: with a meta, or records themselves. */
static void expect_result(GstBuffer *buffer, const StxObstaclesResult *result, const char *what)
{
  GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(buffer);

  stx_test_expect_bytes(meta != NULL ? meta->obstacles : buffer, result->obstacles,
      result->count * sizeof(StxObstacle), what);
  if (meta != NULL)
    stx_test_expect_bytes(
        meta->free_space, result->free_space, result->directions * sizeof(StxFreeSpace), what);
  gst_buffer_unref(buffer);
}

/* A box that comes, is gone for a moment, and comes again. */
static const gdouble distances[] = {12, 11, 10, 9, 0, 8, 7, 6};

STX_TEST_LOOP(stixels_give_what_the_stem_finds, 2)
{
  g_auto(Stage) fixture =
      obstacles_begin(_i ? "stixel-obstacles" RECORDS : "stixel-obstacles", OBSTACLES_CAPS);
  StxObstacles *state = stx_obstacles_new();
  StxObstaclesResult result;

  for (guint i = 0; i < G_N_ELEMENTS(distances); i++) {
    GstBuffer *stixels = obstacles_stixels(distances[i], 13, i * OBSTACLES_FRAME), *output;

    find_in_stixels(state, stixels, &result);
    ck_assert_uint_eq(result.count, distances[i] > 0);
    output = obstacles_run(&fixture, stixels);
    ck_assert_uint_eq(GST_BUFFER_PTS(output), i * OBSTACLES_FRAME);
    ck_assert_uint_eq(GST_BUFFER_DURATION(output), OBSTACLES_FRAME);
    expect_result(output, &result, "obstacles");
  }
  stx_test_expect_silence(fixture.bus);
  stx_obstacles_free(state);
}

static GstBuffer *moved(guint frame)
{
  static const StxMotion first = {.state = STX_MOTION_FIRST};
  static const StxMotion ahead = {.state = STX_MOTION_KNOWN,
      .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
      .translation = {0, 0, -1}};
  GstBuffer *stixels = obstacles_stixels(distances[frame], 13, frame * OBSTACLES_FRAME);
  g_autoptr(GstBuffer) points = gst_buffer_new_memdup(&point, sizeof point);

  gst_buffer_add_stx_motion_meta(
      stixels, frame > 0 ? &ahead : &first, OBSTACLES_FRAME, points, 64, 48);
  return stixels;
}

/* As a meta on what comes, and on records. The box stands. */
STX_TEST_LOOP(with_motion_there_are_velocities, 2)
{
  g_auto(Stage) fixture =
      obstacles_begin(_i ? "stixel-obstacles" RECORDS : "stixel-obstacles", OBSTACLES_CAPS);
  StxObstacles *state = stx_obstacles_new();
  GstStxVelocitiesMeta *meta;
  StxObstaclesResult result;

  for (guint i = 0; i < 4; i++) {
    GstBuffer *stixels = moved(i), *output;

    find_in_stixels(state, stixels, &result);
    output = obstacles_run(&fixture, stixels);
    meta = gst_buffer_get_stx_velocities_meta(output);
    fail_unless(meta != NULL);
    stx_test_expect_bytes(
        meta->obstacles, result.velocities, result.count * sizeof(StxVelocity), "velocities");
    stx_test_expect_bytes(meta->stixels, result.stixel_velocities,
        result.stixels * sizeof(StxVelocity), "stixels' velocities");
    expect_result(output, &result, "obstacles");
  }
  ck_assert_int_eq(result.velocities[0].moves, STX_MOVES_NOT);
  stx_test_expect_silence(fixture.bus);
  stx_obstacles_free(state);
}

/* Nothing is left of those that something else attached. */
STX_TEST(without_motion_there_are_no_velocities)
{
  g_auto(Stage) fixture = obstacles_begin("stixel-obstacles", OBSTACLES_CAPS);
  GstBuffer *stixels = obstacles_stixels(9, 13, 0);
  g_autoptr(GstBuffer) none = gst_buffer_new(), output = NULL;

  gst_buffer_add_stx_velocities_meta(stixels, none, none);
  output = obstacles_run(&fixture, stixels);
  fail_unless(gst_buffer_get_stx_velocities_meta(output) == NULL);
}

STX_TEST_LOOP(a_motion_that_is_none_is_refused, 2)
{
  g_auto(Stage) fixture = obstacles_begin("stixel-obstacles", OBSTACLES_CAPS);
  GstBuffer *stixels = obstacles_stixels(9, 13, 0);
  const StxMotion none = {.state = STX_MOTION_KNOWN, .translation = {_i ? NAN : 0, 0, 0}};

  gst_buffer_add_stx_motion_meta(stixels, &none, GST_CLOCK_TIME_NONE, NULL, 0, 0);
  gst_harness_push(fixture.harness, stixels);
  stx_test_expect_error(fixture.bus, _i ? "not finite" : "a rotation that is none", NULL);
}

STX_TEST_LOOP(scans_give_what_the_stem_finds, 2)
{
  static const gsize counts[] = {5000, 0, 1, 17, 4999};
  g_auto(Stage) fixture = stx_test_stage("stixel-obstacles",
      _i ? "lidar-ground ! stixel-obstacles" RECORDS : "lidar-ground ! stixel-obstacles",
      SCAN_CAPS);
  StxGroundParams ground = STX_GROUND_DEFAULTS;
  g_autofree gfloat *points = g_new(gfloat, 4 * counts[0]);
  StxObstacles *state = stx_obstacles_new();
  gsize found = 0;

  for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
    StxObstaclesScan scan = {.points = points, .count = counts[i], .time = SCAN_TIME};
    g_autofree guint32 *labels = NULL;
    StxObstaclesResult result;
    StxError error;

    scan_points(points, counts[i], i);
    scan.labels = labels = scan_reference(&ground, points, counts[i], NULL);
    ck_assert_msg(stx_obstacles_prepare(state, &defaults, counts[0], 0, &error) &&
                      stx_obstacles_of_scan(state, &scan, &result, &error),
        "%s", error.text);
    expect_result(scan_run(&fixture, points, counts[i]), &result, "of a scan");
    found += result.count;
  }
  ck_assert_uint_gt(found, 8);
  stx_test_expect_silence(fixture.bus);
  stx_obstacles_free(state);
}

STX_TEST_LOOP(pictures_give_what_their_stixels_give, 2)
{
  g_auto(Stage) fixture = obstacles_begin(
      _i ? "stixel-obstacles" RECORDS : "stixel-obstacles", OBSTACLES_VIDEO_CAPS(128, 48));
  StxObstacles *state = stx_obstacles_new();

  for (guint i = 0; i < G_N_ELEMENTS(distances); i++) {
    GstBuffer *picture = obstacles_picture(128, 48, distances[i], i * OBSTACLES_FRAME);
    StxObstaclesResult result;

    find_in_stixels(state, gst_buffer_get_stx_stixel_meta(picture)->stixels, &result);
    expect_result(obstacles_run(&fixture, picture), &result, "of a picture");
  }
  stx_test_expect_silence(fixture.bus);
  stx_obstacles_free(state);
}

/* ---- What passes --------------------------------------------------------------------------- */

STX_TEST(what_comes_passes_untouched)
{
  g_auto(Stage) fixture = obstacles_begin("stixel-obstacles", OBSTACLES_CAPS);
  GstBuffer *mine = obstacles_stixels(8, 13, 0);
  g_autoptr(GstBuffer) output = NULL;
  GstMemory *memory = gst_buffer_peek_memory(mine, 0);
  g_autoptr(GstBuffer) given = mine;

  output = obstacles_run(&fixture, mine); /* nobody else has it */
  ck_assert_ptr_eq(output, given);
  ck_assert_ptr_eq(gst_buffer_peek_memory(output, 0), memory);

  given = obstacles_run(&fixture, gst_buffer_ref(output)); /* somebody has, and it has a meta */
  ck_assert_ptr_ne(given, output);
  ck_assert_ptr_eq(gst_buffer_peek_memory(given, 0), memory);
  ck_assert_uint_eq(gst_buffer_get_n_meta(given, gst_stx_obstacles_meta_api_get_type()), 1);
  ck_assert_uint_eq(gst_buffer_get_n_meta(output, gst_stx_obstacles_meta_api_get_type()), 1);
  ck_assert_ptr_ne(gst_buffer_get_stx_obstacles_meta(given)->obstacles,
      gst_buffer_get_stx_obstacles_meta(output)->obstacles);
}

STX_TEST(the_meta_names_its_image)
{
  g_auto(Stage) fixture = obstacles_begin("stixel-obstacles", OBSTACLES_CAPS);
  g_autoptr(GstBuffer) output = obstacles_run(&fixture, obstacles_stixels(8, 13, 0));
  const GstStxStixelInfo *info = &gst_buffer_get_stx_obstacles_meta(output)->info;

  ck_assert_uint_eq(info->width, 64);
  ck_assert_uint_eq(info->height, 48);
  ck_assert_uint_eq(info->stixel_width, 4);
  ck_assert_uint_eq(info->columns, 16);
  ck_assert(info->camera.focal == 64 && info->camera.baseline == .5);
}

/* ---- Caps ---------------------------------------------------------------------------------- */

static const struct {
  const char *input, *output;
} caps[] = {
    {OBSTACLES_CAPS, "application/x-obstacles," OBSTACLES_SIZES ",framerate=10/1," OBSTACLES_CAMERA
                     ",source=stereo"},
    {OBSTACLES_VIDEO_CAPS(64, 48), "application/x-obstacles,framerate=10/1,source=stereo"},
    {SCAN_CAPS, "application/x-obstacles,framerate=10/1,source=lidar"},
};

STX_TEST_LOOP(records_have_caps, G_N_ELEMENTS(caps))
{
  g_auto(Stage) fixture = obstacles_begin("stixel-obstacles" RECORDS, caps[_i].input);

  stx_test_expect_caps(fixture.harness, caps[_i].output);
}

/* Those of pictures get their sizes with the first stixels, and keep them. */
STX_TEST(records_of_pictures_get_sizes)
{
  g_auto(Stage) fixture =
      obstacles_begin("stixel-obstacles" RECORDS, OBSTACLES_VIDEO_CAPS(128, 96));

  for (guint i = 0; i < 3; i++) {
    gst_buffer_unref(obstacles_run(&fixture, obstacles_picture(128, 96, 8, i * OBSTACLES_FRAME)));
    stx_test_expect_caps(fixture.harness, caps[0].output);
    if (i == 1)
      gst_harness_push_upstream_event(fixture.harness, gst_event_new_reconfigure());
  }
}

/* Where only pictures are taken, or points, there are no records. */
STX_TEST(pads_agree)
{
  static const struct {
    const char *sink, *src;
    gboolean fits;
  } links[] = {{"application/x-stixels", "application/x-obstacles", TRUE},
      {"application/x-lidar", "application/x-obstacles,source=lidar", TRUE},
      {"application/x-lidar", "application/x-obstacles,source=stereo", FALSE},
      {"application/x-stixels", "application/x-obstacles,source=lidar", FALSE},
      {"video/x-raw,format=NV12", "video/x-raw,format=NV12", TRUE},
      {"video/x-raw,format=NV12", "video/x-raw,format=RGB", FALSE},
      {"video/x-raw(memory:Other),width=8", "video/x-raw(memory:Other)", TRUE},
      {"application/x-stixels", "application/x-lidar", FALSE}};
  g_autoptr(GstElement) element =
      gst_object_ref_sink(gst_element_factory_make("stixel-obstacles", NULL));
  g_autoptr(GstPad) sink = gst_element_get_static_pad(element, "sink");
  g_autoptr(GstPad) src = gst_element_get_static_pad(element, "src");

  for (guint i = 0; i < G_N_ELEMENTS(links); i++) {
    g_autoptr(Harness) harness = gst_harness_new_with_element(element, NULL, "src");
    g_autoptr(GstCaps) filter = gst_caps_from_string(links[i].sink);
    g_autoptr(GstCaps) possible = NULL;

    gst_harness_set_sink_caps_str(harness, links[i].src);
    possible = gst_pad_query_caps(sink, filter);
    ck_assert_msg(
        gst_caps_is_empty(possible) != links[i].fits, "%s to %s", links[i].sink, links[i].src);
  }
}

/* ---- Refusals ------------------------------------------------------------------------------ */

#define UNMEASURED "application/x-stixels," OBSTACLES_SIZES

static const Refusal refusals[] = {
    {"application/octet-stream", 24,
        {"application/x-stixels", "application/octet-stream", "stixel-overlay", "lidar-ground"}},
    {UNMEASURED, 24, {"focal length, baseline, cx", "metres", "calibration", "stereo-sgm"}},
    {UNMEASURED ",camera-focal=64.0,camera-cx=31.5", 24,
        {"unknown: baseline.", "metres", "calibration", "stereo-stixels"}},
    {UNMEASURED ",camera-focal=64.0,camera-baseline=0.5", 24,
        {"unknown: cx.", "metres", "calibration", "sat-dp-stixels"}},
    {OBSTACLES_CAPS, 25, {"25 bytes", "24", "whole number"}},
    {OBSTACLES_CAPS, 0, {"0 bytes", "24", "whole number"}},
    {"application/x-stixels,width=64,height=48,stixel-width=4,columns=17", 24,
        {"columns=17", "16"}},
};

STX_TEST_LOOP(refuses_with_a_reason, G_N_ELEMENTS(refusals))
{
  stx_test_refuses("stixel-obstacles", refusals[_i].caps, refusals[_i].bytes, refusals[_i].words);
}

/* Line segments know no road, and stixels of a picture need not be what they say. */
STX_TEST(refuses_records)
{
  static const StxStixel wrong[] = {{0, 0, 47, STX_KIND_SEGMENT, 255, 1, 1, 0, 1},
      {16, 0, 47, STX_KIND_OBJECT, 255, 1, 1, 0, 1}, {0, 9, 48, STX_KIND_OBJECT, 255, 1, 1, 0, 1}};
  static const char *const words[] = {"segment", "column", "48"};

  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_auto(Stage) fixture = obstacles_begin("stixel-obstacles", OBSTACLES_CAPS);
    GstBuffer *stixels = stx_test_buffer(sizeof wrong[0], 0, 0, OBSTACLES_FRAME);

    gst_buffer_fill(stixels, 0, &wrong[i], sizeof wrong[0]);
    ck_assert_int_eq(gst_harness_push(fixture.harness, stixels), GST_FLOW_ERROR);
    stx_test_expect_error(fixture.bus, words[i], NULL);
  }
}
