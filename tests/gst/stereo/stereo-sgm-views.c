/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-sgm: what it says of views that cannot be a pair, when, and of which it says nothing. */
#include "common/scene/scene.h"
#include "tests/gst/fixtures/stereo_pair.h"

#define WIDTH 320
#define HEIGHT 160
#define FRAMES 16
#define BOARD "video/x-raw,format=GRAY8,width=640,height=480,framerate=10/1 ! queue ! "
#define LATER 5 /* frames: half a second */

static guint8 views[2][FRAMES + LATER][HEIGHT][WIDTH];

/* The street, by a car at 10 m/s. */
double stx_test_prepare(void)
{
  StxSceneParams params = STX_SCENE_DEFAULTS;
  StxScene *scene;
  StxError error;

  params.width = WIDTH;
  params.height = HEIGHT;
  scene = stx_scene_new(&params, &error);
  g_assert_nonnull(scene);
  for (guint frame = 0; frame < FRAMES + LATER; frame++) {
    stx_scene_move(scene, frame);
    for (guint eye = 0; eye < 2; eye++) {
      StxImage8 image = {views[eye][frame][0], WIDTH, WIDTH, HEIGHT};

      stx_scene_render(scene, eye == 0 ? STX_SCENE_LEFT : STX_SCENE_RIGHT, 1, &image);
    }
  }
  stx_scene_free(scene);
  return 0;
}

/* The picture of a view: of which eye, how many frames later, so many rows lower; then each pixel
 * gain · value / 256 + offset, and up to so many levels of noise; so many columns to the left. */
typedef struct {
  guint eye, later;
  gint rows, gain, offset, noise, columns;
} Look;

#define LEFT                                                                                       \
  {                                                                                                \
    .gain = 256                                                                                    \
  }
#define RIGHT                                                                                      \
  {                                                                                                \
    .eye = 1, .gain = 256                                                                          \
  }

static GstBuffer *show(const Look *look, guint frame)
{
  GstBuffer *buffer = stx_test_buffer(WIDTH * HEIGHT, 0, frame * FRAME, FRAME);
  g_autoptr(GRand) random = g_rand_new_with_seed(frame * 2 + look->eye);
  GstMapInfo map;

  fail_unless(gst_buffer_map(buffer, &map, GST_MAP_WRITE));
  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++) {
      gint from = CLAMP(y - look->rows, 0, HEIGHT - 1);
      gint value = views[look->eye][frame + look->later][from][MIN(x + look->columns, WIDTH - 1)];

      value = value * look->gain / 256 + look->offset;
      if (look->noise > 0)
        value += g_rand_int_range(random, -look->noise, look->noise + 1);
      map.data[y * WIDTH + x] = (guint8)CLAMP(value, 0, 255);
    }
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

static void push(StereoPair *pair, const Look *left, const Look *right, guint frame)
{
  stereo_push_left(pair, show(left, frame));
  stereo_push_right(pair, show(right, frame));
  gst_buffer_unref(gst_harness_pull(pair->left));
}

/* The field `pair` of the stats; to be freed. */
static gchar *verdict_of(StereoPair *pair, guint64 *warnings)
{
  g_autoptr(GstStructure) stats = NULL;
  gchar *verdict;

  g_object_get(pair->element, "stats", &stats, NULL);
  fail_unless(gst_structure_get_uint64(stats, "pair-warnings", warnings));
  verdict = g_strdup(gst_structure_get_string(stats, "pair"));
  return verdict;
}

static void expect_stats(StereoPair *pair, const char *verdict, guint64 warnings)
{
  guint64 counted;
  g_autofree gchar *said = verdict_of(pair, &counted);

  fail_unless_equals_string(said, verdict);
  fail_unless_equals_uint64(counted, warnings);
}

static StereoPair begin(const char *more)
{
  g_autofree gchar *properties = g_strconcat("max-disparity=64 search=coarse-to-fine ", more, NULL);
  StereoPair pair = stereo_pair(properties, WIDTH, HEIGHT);

  return pair;
}

/* ---- What it warns of ---------------------------------------------------------------------- */

static const struct {
  const char *verdict, *words;
  Look left, right;
} wrong[] = {
    {"swapped", "the views are swapped", RIGHT, LEFT},
    {"rows", "the right view lies 2 rows lower", LEFT, {1, 0, 2, 256}},
    {"rows", "the right view lies 2 rows higher", LEFT, {1, 0, -2, 256}},
    {"rows", "the right view lies 9 rows lower", LEFT, {1, 0, 9, 256, 0, 3}},
    {"moment", "not of one moment", LEFT, {1, LATER, 0, 256}},
    {"dark-left", "the left view shows nothing", {0, 0, 0, 0, 5, 2}, RIGHT},
    {"dark-right", "the right view shows nothing", LEFT, {1, 0, 0, 6, 0, 1}},
    {"blank", "neither view shows anything", {0, 0, 0, 12, 2, 1}, {1, LATER, 5, 12, 2, 1}},
    {"blank", "fog", {0, 0, 0, 13, 190, 1}, {1, 0, 0, 13, 190, 1}},
    {"blank", "overexposed", {0, 0, 0, 0, 235, 1}, {1, 0, 0, 0, 235, 1}},
    {"same", "the same picture", LEFT, LEFT},
};

STX_TEST_LOOP(says_once_what_is_wrong, STX_TEST_SOME(2, G_N_ELEMENTS(wrong)))
{
  g_auto(StereoPair) pair = begin("");

  for (guint frame = 0; frame < FRAMES; frame++) {
    push(&pair, &wrong[_i].left, &wrong[_i].right, frame);
    if (frame == 5)
      stx_test_expect_silence(pair.bus);
    if (frame == 10) /* a second has gone by */
      stx_test_expect_warning(pair.bus, wrong[_i].words);
  }
  stx_test_expect_silence(pair.bus);
  expect_stats(&pair, wrong[_i].verdict, 1);
}

/* A pair of pictures, which ends long before a second is over. */
STX_TEST_LOOP(says_at_the_end_what_is_wrong, G_N_ELEMENTS(wrong))
{
  g_auto(StereoPair) pair = begin("");

  push(&pair, &wrong[_i].left, &wrong[_i].right, 0);
  stx_test_expect_silence(pair.bus);
  gst_harness_push_event(pair.left, gst_event_new_eos());
  gst_harness_push_event(pair.right, gst_event_new_eos());
  stx_test_expect_warning(pair.bus, wrong[_i].words);
  stx_test_expect_silence(pair.bus);
  expect_stats(&pair, wrong[_i].verdict, 1);
}

/* ---- What it accepts, or cannot judge ------------------------------------------------------- */

static const struct {
  const char *verdict;
  Look left, right;
  const char *more;
} right[] = {
    {"plausible", LEFT, RIGHT},
    {"plausible", LEFT, {1, 0, 1, 256}},
    {"plausible", LEFT, {1, 0, 0, 160, 60}},                     /* another exposure */
    {"plausible", {0, 0, 0, 256, 0, 20}, {1, 0, 0, 256, 0, 20}}, /* noise */
    {"unknown", {0, 0, 0, 0, 128, 100}, {1, 0, 0, 0, 128, 100}}, /* noise alone */
    {"plausible", LEFT, {1, 0, 0, 256, .columns = 70}, "disparity-at-infinity=70"},
};

STX_TEST_LOOP(says_nothing, STX_TEST_SOME(2, G_N_ELEMENTS(right)))
{
  g_auto(StereoPair) pair = begin(right[_i].more);

  for (guint frame = 0; frame < FRAMES; frame++)
    push(&pair, &right[_i].left, &right[_i].right, frame);
  gst_harness_push_event(pair.left, gst_event_new_eos());
  gst_harness_push_event(pair.right, gst_event_new_eos());
  stx_test_expect_silence(pair.bus);
  expect_stats(&pair, right[_i].verdict, 0);
}

/* A board held so near that most corners have no true match in reach, but others that look alike.
 */
STX_TEST_LOOP(a_chessboard_is_no_reason_to_warn, STX_TEST_SOME(0, 1))
{
  g_autoptr(GstElement) pipeline = stx_test_parse(
      "stereo-sgm name=sgm search=coarse-to-fine ! fakesink "
      "street-scene-src scene=chessboard seed=9 board-hold=99 num-buffers=14 ! " BOARD
      "sgm.sink_left "
      "street-scene-src scene=chessboard seed=9 board-hold=99 view=right num-buffers=14 ! " BOARD
      "sgm.sink_right");
  g_auto(GStrv) warnings = stx_test_warnings(pipeline);

  ck_assert_uint_eq(g_strv_length(warnings), 0);
}

/* ---- Over time ----------------------------------------------------------------------------- */

static const Look left_view = LEFT, right_view = RIGHT;

static void push_swapped(StereoPair *pair, guint begin_at, guint end)
{
  for (guint frame = begin_at; frame < end; frame++)
    push(pair, &right_view, &left_view, frame);
}

/* The views are exchanged while it runs: frames of one time, but of the street at the start. */
STX_TEST(tells_when_it_is_well_again)
{
  g_auto(StereoPair) pair = begin("");
  guint infos = 0;
  GstMessage *message;

  push_swapped(&pair, 0, 12);
  stx_test_expect_warning(pair.bus, "swapped");
  for (guint frame = 12; frame < 40; frame++) {
    GstBuffer *left = show(&left_view, frame % FRAMES), *other = show(&right_view, frame % FRAMES);

    GST_BUFFER_PTS(left) = GST_BUFFER_PTS(other) = frame * FRAME;
    stereo_push_left(&pair, left);
    stereo_push_right(&pair, other);
    gst_buffer_unref(gst_harness_pull(pair.left));
  }
  while ((message = gst_bus_pop_filtered(pair.bus, GST_MESSAGE_INFO)) != NULL) {
    infos++;
    gst_message_unref(message);
  }
  fail_unless_equals_int(infos, 1);
  expect_stats(&pair, "plausible", 1);
}

/* Pairs before a flush, or at other caps, do not count. */
STX_TEST(begins_anew_after_a_flush)
{
  g_auto(StereoPair) pair = begin("");

  push_swapped(&pair, 0, 8);
  expect_stats(&pair, "swapped", 0);
  stereo_push_event(&pair, gst_event_new_flush_start());
  stereo_push_event(&pair, gst_event_new_flush_stop(TRUE));
  stereo_push_event(&pair, stx_test_segment(0));
  push_swapped(&pair, 8, 16);
  stx_test_expect_silence(pair.bus);
}

STX_TEST(begins_anew_at_new_caps)
{
  g_auto(StereoPair) pair = begin("");
  g_autofree gchar *caps = stereo_caps("GRAY8", WIDTH, HEIGHT);
  g_autofree gchar *others = g_strconcat(caps, ",pixel-aspect-ratio=2/1", NULL);

  push_swapped(&pair, 0, 8);
  gst_harness_set_src_caps_str(pair.left, others);
  push_swapped(&pair, 8, 16);
  stx_test_expect_silence(pair.bus);
}

/* The right camera begins half a second after the left one: pairs begin there. */
STX_TEST(cameras_that_start_apart_are_a_pair)
{
  g_auto(StereoPair) pair = begin("");

  stereo_push_left(&pair, show(&left_view, 0));
  gst_harness_set_time(pair.left, GST_SECOND / 2);
  stereo_push_right(&pair, show(&right_view, 5));
  for (guint frame = 1; frame <= 5; frame++)
    stereo_push_left(&pair, show(&left_view, frame));
  gst_buffer_unref(gst_harness_pull(pair.left));
  for (guint frame = 6; frame < FRAMES; frame++)
    push(&pair, &left_view, &right_view, frame);
  expect_stats(&pair, "plausible", 0);
}

/* Ten pairs stand for a second. */
STX_TEST(pairs_without_times_are_looked_at_too)
{
  g_auto(StereoPair) pair = begin("");

  for (guint frame = 0; frame < 12; frame++) {
    GstBuffer *left = show(&right_view, frame), *other = show(&left_view, frame);

    GST_BUFFER_PTS(left) = GST_BUFFER_PTS(other) = GST_CLOCK_TIME_NONE;
    stereo_push_left(&pair, left);
    stereo_push_right(&pair, other);
    gst_buffer_unref(gst_harness_pull(pair.left));
  }
  expect_stats(&pair, "swapped", 1);
}
