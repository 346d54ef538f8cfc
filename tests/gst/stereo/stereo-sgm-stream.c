/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-sgm: caps, what it refuses and in which words, sizes that change. */
#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/stereo_pair.h"

#include <sys/resource.h>

#define WIDTH 48
#define HEIGHT 20

static GstBuffer *view(gboolean right, int number)
{
  return stereo_view("GRAY8", WIDTH, HEIGHT, right, number, 5, number);
}

static void push_pair(StereoPair *pair, int number)
{
  stereo_push_left(pair, view(FALSE, number));
  stereo_push_right(pair, view(TRUE, number));
}

static void push_and_pull(StereoPair *pair, int number)
{
  push_pair(pair, number);
  gst_buffer_unref(gst_harness_pull(pair->left));
}

/* ---- Caps ---------------------------------------------------------------------------------- */

STX_TEST(output_caps_keep_size_rate_and_shape)
{
  g_auto(StereoPair) pair = stereo_pair("", WIDTH, HEIGHT);

  gst_harness_set_src_caps_str(pair.left,
      "video/x-raw,format=GRAY8,width=48,height=20,framerate=10/1,pixel-aspect-ratio=2/1");
  push_and_pull(&pair, 0);
  stx_test_expect_caps(pair.left, "video/x-raw,format=GRAY16_LE,width=48,height=20,framerate=10/1,"
                                  "pixel-aspect-ratio=2/1,sky=(boolean)true");
}

/* Without the confidence nothing says where the sky is, and without the search there is none. */
STX_TEST(caps_say_where_the_sky_is_told)
{
  const gchar *cases[] = {"confidence=false", "sky=false"};

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(StereoPair) pair = stereo_pair(cases[i], WIDTH, HEIGHT);
    g_autoptr(GstCaps) caps = NULL;

    push_and_pull(&pair, 0);
    caps = gst_pad_get_current_caps(pair.left->sinkpad);
    fail_unless(!gst_structure_has_field(gst_caps_get_structure(caps, 0), "sky"));
  }
}

/* Caps of another program: such a number is as good as none. Those at the limits count. */
STX_TEST(camera_numbers_out_of_range_say_nothing)
{
  g_auto(StereoPair) pair = stereo_pair("", WIDTH, HEIGHT);

  gst_harness_set_src_caps_str(pair.left,
      "video/x-raw,format=GRAY8,width=48,height=20,framerate=10/1,camera-focal=(double)1000001,"
      "camera-cx=(double)1000000,camera-cy=(double)-999999,camera-baseline=(double)-0.5,"
      "camera-height=(double)1000.5,camera-pitch=(double)-1.6");
  push_and_pull(&pair, 0);
  fail_unless(stx_test_caps_number(pair.left, "camera-focal") == 0);
  fail_unless(stx_test_caps_number(pair.left, "camera-cx") == 1e6);
  fail_unless(stx_test_caps_number(pair.left, "camera-cy") == -999999);
  fail_unless(stx_test_caps_number(pair.left, "camera-baseline") == 0);
  fail_unless(stx_test_caps_number(pair.left, "camera-height") == 0);
  fail_unless(stx_test_caps_number(pair.left, "camera-pitch") == 0);
}

STX_TEST(confidence_can_be_left_out)
{
  g_auto(StereoPair) pair = stereo_pair("confidence=false", WIDTH, HEIGHT);
  GstBuffer *output;

  push_pair(&pair, 0);
  output = gst_harness_pull(pair.left);
  fail_unless(gst_buffer_get_stx_confidence_meta(output) == NULL);
  gst_buffer_unref(output);
  g_object_set(pair.element, "confidence", TRUE, NULL); /* from the next frame on */
  push_pair(&pair, 1);
  output = gst_harness_pull(pair.left);
  fail_unless(gst_buffer_get_stx_confidence_meta(output) != NULL);
  gst_buffer_unref(output);
}

STX_TEST(takes_video_meta)
{
  g_auto(StereoPair) pair = stereo_pair("", WIDTH, HEIGHT);
  g_autoptr(GstQuery) query = gst_query_new_allocation(NULL, FALSE);

  fail_unless(gst_pad_peer_query(pair.left->srcpad, query));
  fail_unless(gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL));
}

/* ---- What it refuses ----------------------------------------------------------------------- */

/* Pushes a pair that ends in an error. */
static void push_refused(StereoPair *pair)
{
  gst_harness_push(pair->left, view(FALSE, 0));
  gst_harness_push(pair->right, view(TRUE, 0));
}

STX_TEST(other_formats_need_videoconvert)
{
  g_auto(StereoPair) pair = stereo_pair("", WIDTH, HEIGHT);

  gst_harness_set_src_caps_str(
      pair.right, "video/x-raw,format=v210,width=48,height=20,framerate=10/1");
  push_refused(&pair);
  stx_test_expect_error(pair.bus, "sink_right", "v210", "GRAY8", "videoconvert", NULL);
  stx_test_runs("stereo-sgm name=sgm ! fakesink "
                "videotestsrc num-buffers=2 ! video/x-raw,format=v210,width=48,height=20 ! "
                "videoconvert ! sgm.sink_left "
                "videotestsrc num-buffers=2 ! video/x-raw,format=BGRx,width=48,height=20 ! "
                "videoconvert ! sgm.sink_right");
}

STX_TEST(views_of_different_size)
{
  g_auto(StereoPair) pair = stereo_pair("", WIDTH, HEIGHT);

  gst_harness_set_src_caps_str(
      pair.right, "video/x-raw,format=GRAY8,width=64,height=16,framerate=10/1");
  gst_harness_push(pair.left, view(FALSE, 0));
  gst_harness_push(pair.right, stereo_view("GRAY8", 64, 16, TRUE, 0, 5, 0));
  stx_test_expect_error(pair.bus, "sink_left is 48x20", "sink_right is 64x16", NULL);
}

STX_TEST(one_view_alone)
{
  g_auto(StereoPair) pair = stereo_element("");

  pair.left = gst_harness_new_with_element(pair.element, "sink_left", "src");
  gst_harness_set_src_caps_str(
      pair.left, "video/x-raw,format=GRAY8,width=48,height=20,framerate=10/1");
  gst_harness_push(pair.left, view(FALSE, 0));
  stx_test_expect_error(pair.bus, "sink_right is not linked", "sink_left and sink_right", NULL);
}

static void check_layout(const char *properties, int width, int height, const char *word)
{
  g_auto(StereoPair) pair = stereo_element(properties);
  g_autofree char *caps = stereo_caps("GRAY8", width, height);

  pair.left = gst_harness_new_with_element(pair.element, "sink", "src");
  gst_harness_set_src_caps_str(pair.left, caps);
  gst_harness_push(pair.left, stereo_view("GRAY8", width, height, FALSE, 0, 5, 0));
  stx_test_expect_error(pair.bus, word, "layout=", NULL);
}

STX_TEST(one_pad_without_a_layout)
{
  check_layout("", 48, 20, "multiview-mode=mono");
}

STX_TEST(one_pad_that_cannot_be_halved)
{
  check_layout("layout=side-by-side", 47, 20, "47x20");
  check_layout("layout=top-bottom", 48, 21, "48x21");
}

STX_TEST(three_pads)
{
  g_autoptr(GstElement) element = gst_object_ref_sink(gst_element_factory_make("stereo-sgm", NULL));
  GstPad *both = gst_element_request_pad_simple(element, "sink");

  fail_unless(both != NULL);
  fail_unless(gst_element_request_pad_simple(element, "sink_left") == NULL);
  gst_element_release_request_pad(element, both);
  gst_object_unref(both);
  both = gst_element_request_pad_simple(element, "sink_left");
  fail_unless(both != NULL);
  fail_unless(gst_element_request_pad_simple(element, "sink") == NULL);
  gst_object_unref(both);
}

STX_TEST(short_buffer)
{
  g_auto(StereoPair) pair = stereo_pair("", WIDTH, HEIGHT);

  gst_harness_push(pair.left, view(FALSE, 0));
  gst_harness_push(pair.right, stx_test_buffer(100, 0, 0, FRAME));
  stx_test_expect_error(pair.bus, "sink_right", "100 bytes", "960", NULL);
}

/* Also when the sources have long ended, and no element but this one could say why. */
STX_TEST(downstream_that_wants_another_size)
{
  stx_test_breaks("stereo-sgm name=sgm ! video/x-raw,width=99 ! fakesink "
                  "videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=32 ! queue ! "
                  "sgm.sink_left "
                  "videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=32 ! queue ! "
                  "sgm.sink_right",
      "The next element takes", "width=(int)32", NULL);
}

STX_TEST(penalties_in_the_wrong_order)
{
  g_auto(StereoPair) pair = stereo_pair("p1=50 p2=40", WIDTH, HEIGHT);

  push_refused(&pair);
  stx_test_expect_error(pair.bus, "p1 is 50", "p2", "40", NULL);
}

STX_TEST(backend_that_is_not_there)
{
  stx_test_breaks("stereo-sgm name=sgm backend=cuda cuda-device-id=99 ! fakesink "
                  "street-scene-src view=left ! sgm.sink_left "
                  "street-scene-src view=right ! sgm.sink_right",
      "backend=cuda", "auto or omp", NULL);
}

/* The address sanitizer reserves more address space than any limit would leave. */
#ifndef __SANITIZE_ADDRESS__
STX_TEST(more_pixels_than_memory)
{
  g_auto(StereoPair) pair = stereo_pair("max-disparity=256 search=full", 4096, 2048);
  GstBuffer *left = stereo_view("GRAY8", 4096, 2048, FALSE, 0, 5, 0);
  struct rlimit before, limit;

  ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
  limit = before;
  limit.rlim_cur = 1500ul << 20; /* the scratch alone takes 2 GB */
  ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
  gst_harness_push(pair.left, gst_buffer_ref(left));
  gst_harness_push(pair.right, left);
  stx_test_expect_error(pair.bus, "no memory", "bytes of scratch", NULL);
  ck_assert_int_eq(setrlimit(RLIMIT_AS, &before), 0);
}
#endif

/* ---- Changes in mid-stream ----------------------------------------------------------------- */

static void set_size(StereoPair *pair, int width, int height)
{
  g_autofree char *caps = stereo_caps("GRAY8", width, height);

  gst_harness_set_src_caps_str(pair->left, caps);
  gst_harness_set_src_caps_str(pair->right, caps);
}

STX_TEST(size_changes_on_both_pads)
{
  static const int sizes[][2] = {{48, 20}, {70, 31}, {16, 8}, {48, 20}};
  g_auto(StereoPair) pair = stereo_pair("", WIDTH, HEIGHT);

  for (int i = 0; i < (int)G_N_ELEMENTS(sizes); i++) {
    int width = sizes[i][0], height = sizes[i][1];
    g_autoptr(GstBuffer) output = NULL;
    GstVideoInfo info;
    g_autoptr(GstCaps) caps = NULL;

    set_size(&pair, width, height);
    stereo_push_left(&pair, stereo_view("GRAY8", width, height, FALSE, i, 5, i));
    stereo_push_right(&pair, stereo_view("GRAY8", width, height, TRUE, i, 5, i));
    output = gst_harness_pull(pair.left);
    caps = gst_pad_get_current_caps(pair.left->sinkpad);
    fail_unless(gst_video_info_from_caps(&info, caps));
    ck_assert_int_eq(info.width, width);
    ck_assert_int_eq(info.height, height);
    ck_assert_int_eq((stereo_at(output, width, height, width - 4, height / 2) + 128) / 256, 5);
    ck_assert_uint_eq(gst_buffer_get_stx_confidence_meta(output)->width, width);
  }
  stx_test_expect_silence(pair.bus);
}
