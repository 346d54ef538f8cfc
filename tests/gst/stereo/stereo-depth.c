/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-sgm output=depth-mm: millimetres, caps, and what it says without a camera. */
#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/stereo_pair.h"

#define WIDTH 100
#define HEIGHT 20
#define CAMERA "focal=80 baseline=0.5" /* 40000 px·mm */

static GstBuffer *push_pair(StereoPair *pair, int number, int shift)
{
  stereo_push_left(pair, stereo_view("GRAY8", WIDTH, HEIGHT, FALSE, number, shift, number));
  stereo_push_right(pair, stereo_view("GRAY8", WIDTH, HEIGHT, TRUE, number, shift, number));
  return gst_harness_pull(pair->left);
}

/* "depth-mm", or NULL. */
static gchar *encoding_of(StereoPair *pair)
{
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pair->left->sinkpad);
  gchar *text =
      g_strdup(gst_structure_get_string(gst_caps_get_structure(caps, 0), "disparity-encoding"));

  return text;
}

/* Pixel by pixel what the disparities of another element say. */
STX_TEST(depth_is_that_of_the_disparity)
{
  static const int shifts[] = {0, 1, 3, 11, 40};
  g_auto(StereoPair) disparities = stereo_pair(CAMERA, WIDTH, HEIGHT);
  g_auto(StereoPair) depths = stereo_pair(CAMERA " output=depth-mm", WIDTH, HEIGHT);
  guint known = 0;

  for (guint i = 0; i < G_N_ELEMENTS(shifts); i++) {
    g_autoptr(GstBuffer) from = push_pair(&disparities, (int)i, shifts[i]);
    g_autoptr(GstBuffer) to = push_pair(&depths, (int)i, shifts[i]);

    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++) {
        guint value = stereo_at(from, WIDTH, HEIGHT, x, y);
        guint expected = value > 0 ? (40000u * 256 + value / 2) / value : 0;

        expected = expected > 65534 ? 0 : expected;
        ck_assert_uint_eq(stereo_at(to, WIDTH, HEIGHT, x, y), expected);
        known += expected > 0;
      }
    fail_unless(gst_buffer_get_stx_confidence_meta(to) != NULL);
  }
  ck_assert_uint_gt(known, WIDTH * HEIGHT);
}

STX_TEST(the_caps_say_what_it_is)
{
  g_auto(StereoPair) pair = stereo_pair(CAMERA " output=depth-mm", WIDTH, HEIGHT);
  gchar *encoding;

  gst_buffer_unref(push_pair(&pair, 0, 4));
  encoding = encoding_of(&pair);
  ck_assert_str_eq(encoding, "depth-mm");
  g_free(encoding);
  gst_util_set_object_arg(G_OBJECT(pair.element), "output", "disparity");
  gst_buffer_unref(push_pair(&pair, 1, 4));
  fail_unless(encoding_of(&pair) == NULL);
  gst_util_set_object_arg(G_OBJECT(pair.element), "output", "depth-mm");
  gst_buffer_unref(push_pair(&pair, 2, 4));
  encoding = encoding_of(&pair);
  ck_assert_str_eq(encoding, "depth-mm");
  g_free(encoding);
}

/* A pair ends in an error with these words. */
static void expect_refusal(const char *properties, const char *what, const char *cure)
{
  g_auto(StereoPair) pair = stereo_pair(properties, WIDTH, HEIGHT);

  gst_harness_push(pair.left, stereo_view("GRAY8", WIDTH, HEIGHT, FALSE, 0, 3, 0));
  gst_harness_push(pair.right, stereo_view("GRAY8", WIDTH, HEIGHT, TRUE, 0, 3, 0));
  stx_test_expect_error(pair.bus, "output=depth-mm", what, cure, NULL);
}

STX_TEST(says_what_of_the_camera_is_missing)
{
  expect_refusal("output=depth-mm", "the camera is not known", "calibration");
  expect_refusal("output=depth-mm focal=700", "the baseline is not known", "baseline (metres)");
  expect_refusal("output=depth-mm baseline=1", "the focal length is not known", "focal (pixels)");
  expect_refusal("output=depth-mm focal=100000 baseline=10", "100000 px * 10 m", "8388");
}

/* ---- The street ---------------------------------------------------------------------------- */

typedef struct {
  guint16 *pixels;
  gsize count;
} Map;

static void keep(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer map)
{
  GstMapInfo info;

  fail_unless(gst_buffer_map(buffer, &info, GST_MAP_READ));
  g_free(((Map *)map)->pixels);
  ((Map *)map)->pixels = g_memdup2(info.data, info.size);
  ((Map *)map)->count = info.size / 2;
  gst_buffer_unmap(buffer, &info);
}

static void listen(GstElement *pipeline, const gchar *name, Map *map)
{
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), name);

  g_signal_connect(sink, "handoff", G_CALLBACK(keep), map);
}

#define FRAME_OF "num-buffers=1 ! video/x-raw,width=1242,height=375"
#define STREET                                                                                     \
  " street-scene-src view=left " FRAME_OF " ! sgm.sink_left "                                      \
  "street-scene-src view=right " FRAME_OF " ! sgm.sink_right "

/* Runs a line to its end; the last buffer of each of two sinks with handoffs. */
static void see(
    const char *line, const char *first_name, Map *first, const char *second_name, Map *second)
{
  g_autoptr(GstElement) pipeline = stx_test_parse(line);

  listen(pipeline, first_name, first);
  listen(pipeline, second_name, second);
  stx_test_play(pipeline);
}

#define CELLS(view, properties)                                                                    \
  "stereo-sgm name=" view " " properties                                                           \
  " ! downsample-transpose ! fakesink signal-handoffs=true name=" view "-cells "                   \
  "left. ! queue ! " view ".sink_left right. ! queue ! " view ".sink_right "

/* Cells of depths, which downsample-transpose makes disparities again, are those of disparities:
 * half a millimetre is less than two steps of 1/256 pixel from 5 m on. */
STX_TEST(depths_become_disparities_again)
{
  const int columns = 156, rows = 47; /* cells of 8 × 8 */
  Map disparity = {NULL}, depth = {NULL};
  guint known = 0, same = 0;

  see("street-scene-src view=left " FRAME_OF " ! tee name=left "
      "street-scene-src view=right " FRAME_OF " ! tee name=right " CELLS("disparity", "")
          CELLS("depth", "output=depth-mm"),
      "disparity-cells", &disparity, "depth-cells", &depth);
  ck_assert_uint_eq(disparity.count, depth.count);
  ck_assert_uint_eq(disparity.count, 2 * columns * rows);
  for (int i = 0; i < columns * rows; i++)
    if (disparity.pixels[i] > 2048 && disparity.pixels[i] < 16384) { /* 48.6 m … 6.1 m */
      known++;
      same += ABS(disparity.pixels[i] - depth.pixels[i]) <= 2;
    }
  ck_assert_uint_gt(known, columns * rows / 3);
  fail_unless(same > .99 * known, "%u of %u cells agree", same, known);
  g_free(disparity.pixels);
  g_free(depth.pixels);
}
