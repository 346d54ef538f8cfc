/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-rectify: pads, caps, one frame with both views, what ends and what is refused. Formats:
 * stereo-rectify-formats.c. What becomes of pixels: tests/common/rectify/. */

#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/rectify_rig.h"

/* ---- Two pads ------------------------------------------------------------------------------ */

STX_TEST(camera_and_size_go_into_the_caps)
{
  StereoPair rig = rectify_rig_of_two_pads(PLAIN);

  rectify_set_caps(rig.left, "GRAY8", WIDTH, HEIGHT);
  gst_harness_push(rig.left, rectify_picture("GRAY8", WIDTH, HEIGHT, 0));
  gst_buffer_unref(gst_harness_pull(rig.left));
  fail_unless(stx_test_caps_number(rig.left, "camera-focal") == 50);
  fail_unless(stx_test_caps_number(rig.left, "camera-cx") == 31);
  fail_unless(stx_test_caps_number(rig.left, "camera-cy") == 23);
  fail_unless(stx_test_caps_number(rig.left, "camera-baseline") == 0.2);
  fail_unless(stx_test_caps_number(rig.left, "camera-height") == 1.5); /* came in */
  stx_test_expect_silence(rig.bus);
  stereo_pair_free(&rig);
  rig = rectify_rig_of_two_pads(PLAIN);
  g_object_set(rig.element, "width", 32, NULL);
  rectify_set_caps(rig.left, "I420", WIDTH, HEIGHT);
  ck_assert(stx_test_caps_number(rig.left, "height") == 24);
  fail_unless(stx_test_caps_number(rig.left, "camera-focal") == 25);
  stereo_pair_free(&rig);
}

/* No side waits for the other, or ends with it. */
/* Motion that an application attached to the picture is passed on. */
STX_TEST(motion_goes_on)
{
  g_auto(StereoPair) rig = rectify_rig_of_two_pads(PLAIN);
  GstBuffer *picture = rectify_picture("GRAY8", WIDTH, HEIGHT, 0);
  const StxMotion motion = {.state = STX_MOTION_KNOWN, .translation = {0, 0, -1}};
  g_autoptr(GstBuffer) out = NULL;

  gst_buffer_add_stx_motion_meta(picture, &motion, FRAME, NULL, 0, 0);
  rectify_set_caps(rig.left, "GRAY8", WIDTH, HEIGHT);
  gst_harness_push(rig.left, picture);
  out = gst_harness_pull(rig.left);
  fail_unless(gst_buffer_get_stx_motion_meta(out) != NULL);
  ck_assert(gst_buffer_get_stx_motion_meta(out)->motion.translation[2] == -1);
}

STX_TEST(each_side_ends_for_itself)
{
  g_auto(StereoPair) rig = rectify_rig_of_two_pads(PLAIN);
  GstEvent *event;

  rectify_set_caps(rig.left, "GRAY8", WIDTH, HEIGHT);
  rectify_set_caps(rig.right, "GRAY8", WIDTH, HEIGHT);
  gst_harness_push(rig.left, rectify_picture("GRAY8", WIDTH, HEIGHT, 0));
  gst_buffer_unref(gst_harness_pull(rig.left));
  fail_unless(gst_harness_push_event(rig.left, gst_event_new_eos()));
  stx_test_expect_event(rig.left, GST_EVENT_EOS);
  for (int i = 0; i < 3; i++) {
    fail_unless_equals_int(
        gst_harness_push(rig.right, rectify_picture("GRAY8", WIDTH, HEIGHT, i)), GST_FLOW_OK);
    gst_buffer_unref(gst_harness_pull(rig.right));
  }
  while ((event = gst_harness_try_pull_event(rig.right)) != NULL) {
    fail_unless(GST_EVENT_TYPE(event) != GST_EVENT_EOS);
    gst_event_unref(event);
  }
}

STX_TEST(size_changes_in_mid_stream)
{
  g_auto(StereoPair) rig = rectify_rig_of_two_pads(PLAIN);

  for (int i = 1; i <= 3; i++) {
    rectify_set_caps(rig.left, "NV12", WIDTH * i, HEIGHT * i);
    fail_unless_equals_int(
        gst_harness_push(rig.left, rectify_picture("NV12", WIDTH * i, HEIGHT * i, i)), GST_FLOW_OK);
    gst_buffer_unref(gst_harness_pull(rig.left));
    ck_assert(stx_test_caps_number(rig.left, "width") == WIDTH * i);
    fail_unless(stx_test_caps_number(rig.left, "camera-focal") == 50 * i);
  }
  rectify_set_caps(rig.left, "NV12", WIDTH, WIDTH);
  fail_unless_equals_int(gst_harness_push(rig.left, rectify_picture("NV12", WIDTH, WIDTH, 4)),
      GST_FLOW_NOT_NEGOTIATED);
  stx_test_expect_error(rig.bus, "64x64", "64x48", "shape", NULL);
}

STX_TEST(flushes_go_on)
{
  g_auto(StereoPair) rig = rectify_rig_of_one_pad(PLAIN, "top-bottom");

  rectify_set_caps(rig.left, "GRAY8", WIDTH, 2 * HEIGHT);
  for (int i = 0; i < 3; i++) {
    gst_harness_push_event(rig.left, gst_event_new_flush_start());
    fail_unless_equals_int(
        gst_harness_push(rig.left, rectify_picture("GRAY8", WIDTH, 2 * HEIGHT, i)),
        GST_FLOW_FLUSHING);
    gst_harness_push_event(rig.left, gst_event_new_flush_stop(TRUE));
    gst_harness_push_event(rig.left, stx_test_segment(0));
    fail_unless_equals_int(
        gst_harness_push(rig.left, rectify_picture("GRAY8", WIDTH, 2 * HEIGHT, i)), GST_FLOW_OK);
    gst_buffer_unref(gst_harness_pull(rig.left));
    gst_buffer_unref(gst_harness_pull(rig.right));
  }
}

/* ---- One pad ------------------------------------------------------------------------------- */

/* Both views of a frame are the same as those that come one by one. Without a layout the caps have
 * to say it. */
static void expect_halves(const char *layout, gboolean rows, gboolean swapped)
{
  g_auto(StereoPair) rig = rectify_rig_of_one_pad(PLAIN, layout);
  int width = rows ? WIDTH : 2 * WIDTH, height = rows ? 2 * HEIGHT : HEIGHT;
  g_autoptr(GstBuffer) frame = rectify_picture("GRAY8", width, height, 0);
  GstHarness *harnesses[] = {rig.left, rig.right};
  GstCaps *caps = gst_caps_from_string("video/x-raw,format=GRAY8,framerate=10/1");
  GstMapInfo map;

  gst_caps_set_simple(caps, "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, NULL);
  if (swapped)
    gst_caps_set_simple(caps, "multiview-mode", G_TYPE_STRING, rows ? "top-bottom" : "side-by-side",
        "multiview-flags", GST_TYPE_VIDEO_MULTIVIEW_FLAGSET,
        GST_VIDEO_MULTIVIEW_FLAGS_RIGHT_VIEW_FIRST, GST_FLAG_SET_MASK_EXACT, NULL);
  gst_harness_set_src_caps(rig.left, caps);
  fail_unless_equals_int(gst_harness_push(rig.left, gst_buffer_ref(frame)), GST_FLOW_OK);
  gst_buffer_map(frame, &map, GST_MAP_READ);
  for (int i = 0; i < 2; i++) {
    g_autoptr(GstBuffer) out = gst_harness_pull(harnesses[i]);
    g_autoptr(GstBuffer) half = stx_test_buffer(WIDTH * HEIGHT, 0, 0, 0);
    gboolean later = (i == 1) != swapped;
    const guint8 *from = map.data + (later ? (rows ? width * HEIGHT : WIDTH) : 0);

    for (int y = 0; y < HEIGHT; y++)
      gst_buffer_fill(half, (gsize)(y * WIDTH), from + y * width, WIDTH);
    stx_test_expect_same(out, half, i == 0 ? "left" : "right");
    ck_assert(stx_test_caps_number(harnesses[i], "width") == WIDTH);
    ck_assert(stx_test_caps_number(harnesses[i], "height") == HEIGHT);
  }
  gst_buffer_unmap(frame, &map);
}

STX_TEST(both_views_in_one_frame)
{
  expect_halves("side-by-side", FALSE, FALSE);
  expect_halves("top-bottom", TRUE, FALSE);
  expect_halves(NULL, FALSE, TRUE);
  expect_halves(NULL, TRUE, TRUE);
}

STX_TEST(a_seek_from_both_lanes_goes_up_once)
{
  g_auto(StereoPair) rig = rectify_rig_of_one_pad(PLAIN, "side-by-side");
  GstEvent *seek = gst_event_new_seek(
      1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0);
  GstEvent *event;
  guint seeks = 0;

  rectify_set_caps(rig.left, "GRAY8", 2 * WIDTH, HEIGHT);
  fail_unless(gst_harness_push_upstream_event(rig.left, gst_event_ref(seek)));
  fail_unless(gst_harness_push_upstream_event(rig.right, seek));
  while ((event = gst_harness_try_pull_upstream_event(rig.left)) != NULL) {
    seeks += GST_EVENT_TYPE(event) == GST_EVENT_SEEK;
    gst_event_unref(event);
  }
  fail_unless_equals_int(seeks, 1);
}

STX_TEST(pads_exclude_each_other)
{
  g_auto(StereoPair) rig = rectify_rig(PLAIN);
  g_autoptr(GstPad) left = gst_element_request_pad_simple(rig.element, "sink_left");
  g_autoptr(GstPad) both = NULL;

  fail_unless(left != NULL);
  fail_unless(gst_element_request_pad_simple(rig.element, "sink") == NULL);
  gst_element_release_request_pad(rig.element, left);
  both = gst_element_request_pad_simple(rig.element, "sink");
  fail_unless(both != NULL);
  fail_unless(gst_element_request_pad_simple(rig.element, "sink_right") == NULL);
  gst_element_release_request_pad(rig.element, both);
}

/* ---- Refusals ------------------------------------------------------------------------------ */

static void expect_no_start(const char *path, const char *word, const char *more)
{
  g_auto(StereoPair) rig = rectify_rig("K1: [1]\n");

  if (path != NULL)
    g_object_set(rig.element, "calibration", path, NULL);
  fail_unless_equals_int(
      gst_element_set_state(rig.element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  stx_test_expect_error(rig.bus, word, more, NULL);
}

STX_TEST(bad_files)
{
  expect_no_start("", "no calibration is given", "calibration=FILE");
  expect_no_start("/nowhere/calibration.yml", "/nowhere/calibration.yml", "No such file");
  expect_no_start(NULL, "stereo-rectify.yml", "\"K1\" has 1 numbers");
}

STX_TEST(bad_caps)
{
  StereoPair rig = rectify_rig_of_two_pads(PLAIN);

  gst_harness_set_src_caps_str(rig.left, "video/x-raw,format=v210,width=64,height=48");
  stx_test_expect_error(rig.bus, "sink_left", "v210", "videoconvert", NULL);
  fail_unless_equals_int(
      gst_harness_push(rig.left, stx_test_buffer(6144, 0, 0, FRAME)), GST_FLOW_NOT_NEGOTIATED);
  stereo_pair_free(&rig);
  rig = rectify_rig_of_one_pad(PLAIN, NULL);
  rectify_set_caps(rig.left, "GRAY8", 2 * WIDTH, HEIGHT);
  stx_test_expect_error(rig.bus, "multiview-mode=mono", "layout=side-by-side", NULL);
  stereo_pair_free(&rig);
}

STX_TEST(buffers_that_do_not_fit)
{
  g_auto(StereoPair) rig = rectify_rig_of_two_pads(PLAIN);

  rectify_set_caps(rig.right, "GRAY8", WIDTH, HEIGHT);
  fail_unless_equals_int(
      gst_harness_push(rig.right, stx_test_buffer(100, 0, 0, FRAME)), GST_FLOW_ERROR);
  stx_test_expect_error(rig.bus, "sink_right", "100 bytes", NULL);
}

/* ---- Pipelines ----------------------------------------------------------------------------- */

STX_TEST(the_next_element_refuses)
{
  stx_test_write("pair.yml", PLAIN);
  stx_test_breaks("street-scene-src ! video/x-raw,width=64,height=48 ! r.sink_left "
                  "stereo-rectify name=r calibration=pair.yml "
                  "r.src_left ! video/x-raw,width=7 ! fakesink",
      "src of rectify-left", "takes video/x-raw", "width=(int)64", NULL);
}
