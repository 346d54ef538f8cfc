/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stixel-obstacles: what came passes untouched; caps, refusals. Results of stixels, scans and
 * pictures: tests/frames/records.txt; streams, times, messages: stixel-obstacles-stream.c; what
 * programs for analytics read: obstacle-regions.c.
 */
#include <math.h>

#include "common/stixel.h"
#include "tests/gst/fixtures/obstacles_fixture.h"
#include "tests/gst/fixtures/scan_fixture.h"

#define RECORDS " ! capsfilter caps=application/x-obstacles"

/* ---- Motion -------------------------------------------------------------------------------- */

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
