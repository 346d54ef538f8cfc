/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-rectify: pads, caps, one frame with both views, what ends and what is refused. What
 * becomes of pixels: tests/common/rectify/. */
#include <glib/gstdio.h>
#include <gst/video/video.h>
#include <string.h>
#include <unistd.h>

#include "tests/gst/fixtures/util.h"

#define WIDTH 64
#define HEIGHT 48
#define FRAME (100 * GST_MSECOND)

/* Pictures of this size stay as they are: no distortion, no rotation; focal 50, baseline 0.2 m. */
#define CAMERA(n) "K" n ": [50, 0, 31, 0, 50, 23, 0, 0, 1]\nD" n ": [0, 0, 0, 0, 0]\n"
#define RECTIFIED                                                                                  \
  "R1: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nR2: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n"                             \
  "P1: [50, 0, 31, 0, 0, 50, 23, 0, 0, 0, 1, 0]\nP2: [50, 0, 31, -10, 0, 50, 23, 0, 0, 0, 1, 0]\n"
#define PLAIN "image_size: [64, 48]\n" CAMERA("1") CAMERA("2") RECTIFIED

typedef struct {
  GstElement *element;
  GstHarness *left, *right;
  GstBus *bus;
  char *path;
} Rig;

/* ---- A rig --------------------------------------------------------------------------------- */

/* The element with a file of this text, not in any state yet. */
static Rig new_rig(const char *calibration)
{
  Rig rig = {.element = gst_element_factory_make("stereo-rectify", NULL)};

  fail_unless(rig.element != NULL);
  gst_object_ref_sink(rig.element);
  rig.bus = stx_test_watch(rig.element);
  rig.path = g_strdup_printf("%s/stereo-rectify-%d.yml", g_get_tmp_dir(), (int)getpid());
  fail_unless(g_file_set_contents(rig.path, calibration, -1, NULL));
  g_object_set(rig.element, "calibration", rig.path, NULL);
  return rig;
}

static Rig two_pads(const char *calibration)
{
  Rig rig = new_rig(calibration);

  rig.left = gst_harness_new_with_element(rig.element, "sink_left", "src_left");
  rig.right = gst_harness_new_with_element(rig.element, "sink_right", "src_right");
  return rig;
}

static Rig one_pad(const char *calibration, const char *layout)
{
  Rig rig = new_rig(calibration);

  if (layout != NULL)
    gst_util_set_object_arg(G_OBJECT(rig.element), "layout", layout);
  rig.left = gst_harness_new_with_element(rig.element, "sink", "src_left");
  rig.right = gst_harness_new_with_element(rig.element, NULL, "src_right");
  return rig;
}

static void free_rig(Rig *rig)
{
  if (rig->right != NULL)
    gst_harness_teardown(rig->right);
  if (rig->left != NULL)
    gst_harness_teardown(rig->left);
  gst_element_set_state(rig->element, GST_STATE_NULL);
  gst_element_set_bus(rig->element, NULL);
  gst_object_unref(rig->bus);
  gst_object_unref(rig->element);
  g_remove(rig->path);
  g_free(rig->path);
}

static void set_caps(GstHarness *harness, const char *format, int width, int height)
{
  char *caps = g_strdup_printf("video/x-raw,format=%s,width=%d,height=%d,framerate=10/1,"
                               "camera-height=(double)1.5,camera-focal=(double)9",
      format, width, height);

  gst_harness_set_src_caps_str(harness, caps);
  g_free(caps);
}

/* Bytes that say where they are. */
static GstBuffer *new_picture(const char *format, int width, int height, int number)
{
  GstVideoInfo info;
  GstBuffer *buffer;
  GstMapInfo map;

  gst_video_info_set_format(
      &info, gst_video_format_from_string(format), (guint)width, (guint)height);
  buffer = stx_test_buffer(GST_VIDEO_INFO_SIZE(&info), 0, (GstClockTime)number * FRAME, FRAME);
  gst_buffer_map(buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (guint8)(i * 7 + i / 97 + (gsize)number);
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

static void expect_same(GstBuffer *actual, GstBuffer *expected, const char *what)
{
  GstMapInfo map;

  gst_buffer_map(expected, &map, GST_MAP_READ);
  stx_test_expect_bytes(actual, map.data, map.size, what);
  gst_buffer_unmap(expected, &map);
}

static gdouble field(GstHarness *harness, const char *name)
{
  GstCaps *caps = gst_pad_get_current_caps(harness->sinkpad);
  gdouble value = 0;

  fail_unless(caps != NULL);
  gst_structure_get_double(gst_caps_get_structure(caps, 0), name, &value);
  gst_caps_unref(caps);
  return value;
}

static gint side(GstHarness *harness, const char *name)
{
  GstCaps *caps = gst_pad_get_current_caps(harness->sinkpad);
  gint value = 0;

  gst_structure_get_int(gst_caps_get_structure(caps, 0), name, &value);
  gst_caps_unref(caps);
  return value;
}

/* ---- Two pads ------------------------------------------------------------------------------ */

GST_START_TEST(every_format_goes_through)
{
  static const char *const formats[] = {"GRAY8", "I420", "YV12", "NV12", "NV21", "Y42B", "NV16",
      "NV61", "Y444", "NV24", "RGB", "BGR", "RGBx", "BGRx", "xRGB", "xBGR", "RGBA", "BGRA", "ARGB",
      "ABGR"};

  for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
    Rig rig = two_pads(PLAIN);
    GstBuffer *picture = new_picture(formats[i], WIDTH, HEIGHT, 3), *out;

    set_caps(rig.right, formats[i], WIDTH, HEIGHT);
    fail_unless_equals_int(gst_harness_push(rig.right, gst_buffer_ref(picture)), GST_FLOW_OK);
    out = gst_harness_pull(rig.right);
    expect_same(out, picture, formats[i]);
    fail_unless_equals_uint64(GST_BUFFER_PTS(out), 3 * FRAME);
    fail_unless_equals_uint64(GST_BUFFER_DURATION(out), FRAME);
    gst_buffer_unref(out);
    gst_buffer_unref(picture);
    free_rig(&rig);
  }
}
GST_END_TEST;

GST_START_TEST(camera_and_size_go_into_the_caps)
{
  Rig rig = two_pads(PLAIN);

  set_caps(rig.left, "GRAY8", WIDTH, HEIGHT);
  gst_harness_push(rig.left, new_picture("GRAY8", WIDTH, HEIGHT, 0));
  gst_buffer_unref(gst_harness_pull(rig.left));
  fail_unless(field(rig.left, "camera-focal") == 50);
  fail_unless(field(rig.left, "camera-cx") == 31);
  fail_unless(field(rig.left, "camera-cy") == 23);
  fail_unless(field(rig.left, "camera-baseline") == 0.2);
  fail_unless(field(rig.left, "camera-height") == 1.5); /* came in */
  stx_test_expect_silence(rig.bus);
  free_rig(&rig);
  rig = two_pads(PLAIN);
  g_object_set(rig.element, "width", 32, NULL);
  set_caps(rig.left, "I420", WIDTH, HEIGHT);
  fail_unless_equals_int(side(rig.left, "height"), 24);
  fail_unless(field(rig.left, "camera-focal") == 25);
  free_rig(&rig);
}
GST_END_TEST;

/* No side waits for the other, or ends with it. */
GST_START_TEST(each_side_ends_for_itself)
{
  Rig rig = two_pads(PLAIN);
  GstEvent *event;
  gboolean ended = FALSE;

  set_caps(rig.left, "GRAY8", WIDTH, HEIGHT);
  set_caps(rig.right, "GRAY8", WIDTH, HEIGHT);
  gst_harness_push(rig.left, new_picture("GRAY8", WIDTH, HEIGHT, 0));
  gst_buffer_unref(gst_harness_pull(rig.left));
  fail_unless(gst_harness_push_event(rig.left, gst_event_new_eos()));
  while ((event = gst_harness_try_pull_event(rig.left)) != NULL) {
    ended |= GST_EVENT_TYPE(event) == GST_EVENT_EOS;
    gst_event_unref(event);
  }
  fail_unless(ended);
  for (int i = 0; i < 3; i++) {
    fail_unless_equals_int(
        gst_harness_push(rig.right, new_picture("GRAY8", WIDTH, HEIGHT, i)), GST_FLOW_OK);
    gst_buffer_unref(gst_harness_pull(rig.right));
  }
  while ((event = gst_harness_try_pull_event(rig.right)) != NULL) {
    fail_unless(GST_EVENT_TYPE(event) != GST_EVENT_EOS);
    gst_event_unref(event);
  }
  free_rig(&rig);
}
GST_END_TEST;

GST_START_TEST(size_changes_in_mid_stream)
{
  Rig rig = two_pads(PLAIN);

  for (int i = 1; i <= 3; i++) {
    set_caps(rig.left, "NV12", WIDTH * i, HEIGHT * i);
    fail_unless_equals_int(
        gst_harness_push(rig.left, new_picture("NV12", WIDTH * i, HEIGHT * i, i)), GST_FLOW_OK);
    gst_buffer_unref(gst_harness_pull(rig.left));
    fail_unless_equals_int(side(rig.left, "width"), WIDTH * i);
    fail_unless(field(rig.left, "camera-focal") == 50 * i);
  }
  set_caps(rig.left, "NV12", WIDTH, WIDTH);
  fail_unless_equals_int(
      gst_harness_push(rig.left, new_picture("NV12", WIDTH, WIDTH, 4)), GST_FLOW_NOT_NEGOTIATED);
  stx_test_expect_error(rig.bus, "64x64", "64x48", "shape", NULL);
  free_rig(&rig);
}
GST_END_TEST;

GST_START_TEST(flushes_go_on)
{
  Rig rig = one_pad(PLAIN, "top-bottom");
  GstSegment segment;

  gst_segment_init(&segment, GST_FORMAT_TIME);
  set_caps(rig.left, "GRAY8", WIDTH, 2 * HEIGHT);
  for (int i = 0; i < 3; i++) {
    gst_harness_push_event(rig.left, gst_event_new_flush_start());
    fail_unless_equals_int(
        gst_harness_push(rig.left, new_picture("GRAY8", WIDTH, 2 * HEIGHT, i)), GST_FLOW_FLUSHING);
    gst_harness_push_event(rig.left, gst_event_new_flush_stop(TRUE));
    gst_harness_push_event(rig.left, gst_event_new_segment(&segment));
    fail_unless_equals_int(
        gst_harness_push(rig.left, new_picture("GRAY8", WIDTH, 2 * HEIGHT, i)), GST_FLOW_OK);
    gst_buffer_unref(gst_harness_pull(rig.left));
    gst_buffer_unref(gst_harness_pull(rig.right));
  }
  free_rig(&rig);
}
GST_END_TEST;

/* ---- One pad ------------------------------------------------------------------------------- */

/* Both views of a frame are the same as those that come one by one. Without a layout the caps have
 * to say it. */
static void expect_halves(const char *layout, gboolean rows, gboolean swapped)
{
  Rig rig = one_pad(PLAIN, layout);
  int width = rows ? WIDTH : 2 * WIDTH, height = rows ? 2 * HEIGHT : HEIGHT;
  GstBuffer *frame = new_picture("GRAY8", width, height, 0);
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
    GstBuffer *out = gst_harness_pull(harnesses[i]);
    GstBuffer *half = stx_test_buffer(WIDTH * HEIGHT, 0, 0, 0);
    gboolean later = (i == 1) != swapped;
    const guint8 *from = map.data + (later ? (rows ? width * HEIGHT : WIDTH) : 0);

    for (int y = 0; y < HEIGHT; y++)
      gst_buffer_fill(half, (gsize)(y * WIDTH), from + y * width, WIDTH);
    expect_same(out, half, i == 0 ? "left" : "right");
    fail_unless_equals_int(side(harnesses[i], "width"), WIDTH);
    fail_unless_equals_int(side(harnesses[i], "height"), HEIGHT);
    gst_buffer_unref(out);
    gst_buffer_unref(half);
  }
  gst_buffer_unmap(frame, &map);
  gst_buffer_unref(frame);
  free_rig(&rig);
}

GST_START_TEST(both_views_in_one_frame)
{
  expect_halves("side-by-side", FALSE, FALSE);
  expect_halves("top-bottom", TRUE, FALSE);
  expect_halves(NULL, FALSE, TRUE);
  expect_halves(NULL, TRUE, TRUE);
}
GST_END_TEST;

/* Half of a row of I420 begins in the middle of a sample of colour. */
GST_START_TEST(halves_of_odd_width)
{
  Rig rig = one_pad("image_size: [65, 48]\n" CAMERA("1") CAMERA("2") RECTIFIED, "side-by-side");

  set_caps(rig.left, "I420", 130, HEIGHT);
  stx_test_expect_error(rig.bus, "65x48", "I420", "videoconvert", NULL);
  free_rig(&rig);
}
GST_END_TEST;

GST_START_TEST(a_seek_from_both_lanes_goes_up_once)
{
  Rig rig = one_pad(PLAIN, "side-by-side");
  GstEvent *seek = gst_event_new_seek(
      1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0);
  GstEvent *event;
  guint seeks = 0;

  set_caps(rig.left, "GRAY8", 2 * WIDTH, HEIGHT);
  fail_unless(gst_harness_push_upstream_event(rig.left, gst_event_ref(seek)));
  fail_unless(gst_harness_push_upstream_event(rig.right, seek));
  while ((event = gst_harness_try_pull_upstream_event(rig.left)) != NULL) {
    seeks += GST_EVENT_TYPE(event) == GST_EVENT_SEEK;
    gst_event_unref(event);
  }
  fail_unless_equals_int(seeks, 1);
  free_rig(&rig);
}
GST_END_TEST;

GST_START_TEST(pads_exclude_each_other)
{
  Rig rig = new_rig(PLAIN);
  GstPad *left = gst_element_request_pad_simple(rig.element, "sink_left"), *both;

  fail_unless(left != NULL);
  fail_unless(gst_element_request_pad_simple(rig.element, "sink") == NULL);
  gst_element_release_request_pad(rig.element, left);
  gst_object_unref(left);
  both = gst_element_request_pad_simple(rig.element, "sink");
  fail_unless(both != NULL);
  fail_unless(gst_element_request_pad_simple(rig.element, "sink_right") == NULL);
  gst_element_release_request_pad(rig.element, both);
  gst_object_unref(both);
  free_rig(&rig);
}
GST_END_TEST;

/* ---- Refusals ------------------------------------------------------------------------------ */

static void expect_no_start(const char *path, const char *word, const char *more)
{
  Rig rig = new_rig("K1: [1]\n");

  if (path != NULL)
    g_object_set(rig.element, "calibration", path, NULL);
  fail_unless_equals_int(
      gst_element_set_state(rig.element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  stx_test_expect_error(rig.bus, word, more, NULL);
  free_rig(&rig);
}

GST_START_TEST(bad_files)
{
  expect_no_start("", "no calibration is given", "calibration=FILE");
  expect_no_start("/nowhere/calibration.yml", "/nowhere/calibration.yml", "No such file");
  expect_no_start(NULL, "stereo-rectify-", "\"K1\" has 1 numbers");
}
GST_END_TEST;

GST_START_TEST(bad_caps)
{
  Rig rig = two_pads(PLAIN);

  gst_harness_set_src_caps_str(rig.left, "video/x-raw,format=YUY2,width=64,height=48");
  stx_test_expect_error(rig.bus, "sink_left", "YUY2", "videoconvert", NULL);
  fail_unless_equals_int(
      gst_harness_push(rig.left, stx_test_buffer(6144, 0, 0, FRAME)), GST_FLOW_NOT_NEGOTIATED);
  free_rig(&rig);
  rig = one_pad(PLAIN, NULL);
  set_caps(rig.left, "GRAY8", 2 * WIDTH, HEIGHT);
  stx_test_expect_error(rig.bus, "multiview-mode=mono", "layout=side-by-side", NULL);
  free_rig(&rig);
}
GST_END_TEST;

GST_START_TEST(buffers_that_do_not_fit)
{
  Rig rig = two_pads(PLAIN);

  set_caps(rig.right, "GRAY8", WIDTH, HEIGHT);
  fail_unless_equals_int(
      gst_harness_push(rig.right, stx_test_buffer(100, 0, 0, FRAME)), GST_FLOW_ERROR);
  stx_test_expect_error(rig.bus, "sink_right", "100 bytes", NULL);
  free_rig(&rig);
}
GST_END_TEST;

/* ---- Pipelines ----------------------------------------------------------------------------- */

#define SOURCE(view)                                                                               \
  "street-scene-src num-buffers=3 view=" view " ! video/x-raw,format=GRAY8,width=64,height=48 ! "

static char *line_of(const Rig *rig)
{
  return g_strdup_printf(
      "stereo-rectify name=r calibration=%s " SOURCE("left") "r.sink_left " SOURCE(
          "right") "r.sink_right r.src_left ! queue ! sgm.sink_left r.src_right "
                   "! queue ! sgm.sink_right stereo-sgm name=sgm max-disparity=64 "
                   "! fakesink",
      rig->path);
}

GST_START_TEST(in_front_of_stereo_sgm)
{
  Rig rig = new_rig(PLAIN);
  char *line = line_of(&rig);

  stx_test_runs(line);
  stx_test_state_cycles(line);
  g_free(line);
  free_rig(&rig);
}
GST_END_TEST;

GST_START_TEST(the_next_element_refuses)
{
  Rig rig = new_rig(PLAIN);
  char *line = g_strdup_printf("stereo-rectify name=r calibration=%s " SOURCE(
                                   "left") "r.sink_left "
                                           "r.src_left ! video/x-raw,width=7 ! fakesink",
      rig.path);

  stx_test_breaks(line, "src_left", "does not take", "width=(int)64", NULL);
  g_free(line);
  free_rig(&rig);
}
GST_END_TEST;

static void leaking_body(void)
{
  Rig rig = one_pad(PLAIN, "side-by-side");

  set_caps(rig.left, "I420", 2 * WIDTH, HEIGHT);
  gst_harness_push(rig.left, new_picture("I420", 2 * WIDTH, HEIGHT, 0));
  gst_buffer_unref(gst_harness_pull(rig.left));
  gst_buffer_unref(gst_harness_pull(rig.right));
  free_rig(&rig);
}

GST_START_TEST(leaks_nothing)
{
  stx_test_no_leaks(leaking_body);
}
GST_END_TEST;

static Suite *stereo_rectify_suite(void)
{
  Suite *suite = suite_create("stereo-rectify");
  TCase *tests = tcase_create("stereo-rectify");

  suite_add_tcase(suite, tests);
  tcase_add_test(tests, every_format_goes_through);
  tcase_add_test(tests, camera_and_size_go_into_the_caps);
  tcase_add_test(tests, each_side_ends_for_itself);
  tcase_add_test(tests, size_changes_in_mid_stream);
  tcase_add_test(tests, flushes_go_on);
  tcase_add_test(tests, both_views_in_one_frame);
  tcase_add_test(tests, halves_of_odd_width);
  tcase_add_test(tests, a_seek_from_both_lanes_goes_up_once);
  tcase_add_test(tests, pads_exclude_each_other);
  tcase_add_test(tests, bad_files);
  tcase_add_test(tests, bad_caps);
  tcase_add_test(tests, buffers_that_do_not_fit);
  tcase_add_test(tests, in_front_of_stereo_sgm);
  tcase_add_test(tests, the_next_element_refuses);
  tcase_add_test(tests, leaks_nothing);
  return suite;
}

GST_CHECK_MAIN(stereo_rectify)
