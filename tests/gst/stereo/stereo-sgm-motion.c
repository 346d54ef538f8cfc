/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-sgm's motion: the street's motion, as far as it is carried, and when it begins anew. */
#include <math.h>
#include <string.h>

#include "common/scene/scene.h"
#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/stereo_pair.h"

#define WIDTH 480
#define HEIGHT 144
#define CAMERA "focal=278.4 cx=239.5 cy=66.24 baseline=0.54 "

/* ---- One element ----------------------------------------------------------------------------- */

/* The street and the element that looks at it. */
typedef struct {
  StereoPair pair;
  StxScene *scene;
} Drive;

static Drive drive(const char *properties)
{
  StxSceneParams params = STX_SCENE_DEFAULTS;
  g_autofree gchar *all = g_strconcat(CAMERA, properties, NULL);
  Drive self = {.pair = stereo_pair(all, WIDTH, HEIGHT)};

  params.seed = 1;
  params.width = WIDTH;
  params.height = HEIGHT;
  self.scene = stx_scene_new(&params, NULL);
  return self;
}

static void drive_free(Drive *self)
{
  stereo_pair_free(&self->pair);
  stx_scene_free(self->scene);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Drive, drive_free)

static GstBuffer *view(Drive *self, StxSceneEye eye, guint64 frame)
{
  GstBuffer *buffer = stx_test_buffer(WIDTH * HEIGHT, 0, frame * FRAME, FRAME);
  GstMapInfo map;

  stx_scene_move(self->scene, frame);
  fail_unless(gst_buffer_map(buffer, &map, GST_MAP_WRITE));
  stx_scene_render(self->scene, eye, 1, &(StxImage8){map.data, WIDTH, WIDTH, HEIGHT});
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

static GstBuffer *push(Drive *self, GstBuffer *left, guint64 frame)
{
  stereo_push_left(&self->pair, left);
  stereo_push_right(&self->pair, view(self, STX_SCENE_RIGHT, frame));
  return gst_harness_pull(self->pair.left);
}

static GstBuffer *go_to(Drive *self, guint64 frame)
{
  return push(self, view(self, STX_SCENE_LEFT, frame), frame);
}

static StxMotionState state_of(GstBuffer *taken)
{
  g_autoptr(GstBuffer) out = taken;
  const GstStxMotionMeta *meta = gst_buffer_get_stx_motion_meta(out);

  fail_unless(meta != NULL);
  return meta->motion.state;
}

static StxMotionState state_at(Drive *self, guint64 frame)
{
  return state_of(go_to(self, frame));
}

static StxMotionState state_behind_a_gap(Drive *self, guint64 frame)
{
  GstBuffer *left = view(self, STX_SCENE_LEFT, frame);

  GST_BUFFER_FLAG_SET(left, GST_BUFFER_FLAG_DISCONT);
  return state_of(push(self, left, frame));
}

static void expect_metre(GstBuffer *buffer)
{
  const GstStxMotionMeta *meta = gst_buffer_get_stx_motion_meta(buffer);
  const double *t = meta->motion.translation;

  ck_assert_int_eq(meta->motion.state, STX_MOTION_KNOWN);
  ck_assert_msg(fabs(t[0]) < .06 && fabs(t[1]) < .06 && fabs(t[2] + 1) < .06,
      "%g %g %g, not a metre ahead", t[0], t[1], t[2]);
  ck_assert_uint_eq(meta->interval, FRAME);
  ck_assert_uint_eq(meta->width, WIDTH);
  ck_assert_uint_eq(meta->height, HEIGHT);
  ck_assert_uint_eq(
      gst_buffer_get_size(meta->points), meta->motion.points * sizeof(StxMotionPoint));
}

STX_TEST_LOOP(the_street_goes_by, 2)
{
  g_auto(Drive) self = drive(_i == 0 ? "motion=true" : "motion=true output=depth-mm");

  ck_assert_int_eq(state_at(&self, 0), STX_MOTION_FIRST);
  for (guint64 frame = 1; frame < 4; frame++) {
    g_autoptr(GstBuffer) out = go_to(&self, frame);

    expect_metre(out);
  }
}

/* The same bytes with and without it, and no meta. */
STX_TEST(nothing_else_changes)
{
  g_auto(Drive) with = drive("motion=true"), without = drive("");

  for (guint64 frame = 0; frame < 2; frame++) {
    g_autoptr(GstBuffer) one = go_to(&with, frame), other = go_to(&without, frame);

    stx_test_expect_same(other, one, "disparity");
    fail_unless(gst_buffer_get_stx_motion_meta(other) == NULL);
  }
}

STX_TEST(it_begins_anew)
{
  g_auto(Drive) self = drive("motion=true");
  GstBuffer *left;

  ck_assert_int_eq(state_at(&self, 0), STX_MOTION_FIRST);
  ck_assert_int_eq(state_at(&self, 1), STX_MOTION_KNOWN);
  ck_assert_int_eq(state_behind_a_gap(&self, 2), STX_MOTION_FIRST);
  ck_assert_int_eq(state_at(&self, 3), STX_MOTION_KNOWN);
  ck_assert_int_eq(state_at(&self, 14), STX_MOTION_FIRST); /* more than a second later */
  ck_assert_int_eq(state_at(&self, 15), STX_MOTION_KNOWN);
  left = view(&self, STX_SCENE_LEFT, 15);
  GST_BUFFER_PTS(left) = 16 * FRAME;
  stereo_push_left(&self.pair, left);
  left = view(&self, STX_SCENE_RIGHT, 15);
  GST_BUFFER_PTS(left) = 16 * FRAME;
  stereo_push_right(&self.pair, left);
  ck_assert_int_eq(state_of(gst_harness_pull(self.pair.left)), STX_MOTION_STILL);
}

/* A live source marks what it lost, and a file forgets the mark: both give the same. */
STX_TEST(a_lost_frame_is_no_new_scene)
{
  g_auto(Drive) self = drive("motion=true");

  ck_assert_int_eq(state_at(&self, 0), STX_MOTION_FIRST);
  ck_assert_int_eq(state_at(&self, 1), STX_MOTION_KNOWN);
  ck_assert_int_eq(state_behind_a_gap(&self, 3), STX_MOTION_KNOWN);
}

/* The right camera turns about its vertical axis: its picture moves by `pixels` to the right. */
static GstBuffer *push_turned(Drive *self, guint64 frame, gint pixels)
{
  GstBuffer *right = view(self, STX_SCENE_RIGHT, frame);
  const gint from = MAX(-pixels, 0), to = MAX(pixels, 0), width = WIDTH - ABS(pixels);
  GstMapInfo map;

  fail_unless(gst_buffer_map(right, &map, GST_MAP_READWRITE));
  for (guint8 *row = map.data; row < map.data + WIDTH * HEIGHT; row += WIDTH)
    memmove(row + to, row + from, (gsize)width);
  gst_buffer_unmap(right, &map);
  stereo_push_left(&self->pair, view(self, STX_SCENE_LEFT, frame));
  stereo_push_right(&self->pair, right);
  return gst_harness_pull(self->pair.left);
}

static gint infinity_of(const Drive *self)
{
  g_autoptr(GstStructure) stats = NULL;
  gint infinity = -1000;

  g_object_get(self->pair.element, "stats", &stats, NULL);
  fail_unless(gst_structure_get_int(stats, "disparity-at-infinity", &infinity));
  return infinity;
}

STX_TEST_LOOP(infinity_follows_a_camera_that_turns, STX_TEST_SOME(1, 3))
{
  static const struct {
    const gchar *properties;
    gint pixels, infinity;
  } turns[] = {{"motion=true", 5, -5}, {"motion=true", -5, 5},
      {"motion=true disparity-at-infinity=0", 5, 0}};
  g_auto(Drive) self = drive(turns[_i].properties);

  for (guint64 frame = 0; frame < 20; frame++) {
    g_autoptr(GstBuffer) out = push_turned(&self, frame, frame < 8 ? 0 : turns[_i].pixels);

    if (frame == 7)
      ck_assert_int_eq(infinity_of(&self), 0);
    if (frame == 19) {
      g_autoptr(GstMessage) said = gst_bus_pop_filtered(self.pair.bus, GST_MESSAGE_INFO);
      g_autoptr(GError) info = said != NULL ? stx_test_read(said, NULL) : NULL;

      ck_assert_int_eq(infinity_of(&self), turns[_i].infinity);
      expect_metre(out);
      ck_assert((info != NULL) == (turns[_i].infinity != 0));
      ck_assert(_i != 0 || strstr(info->message, "by the camera's motion") != NULL);
    }
  }
}

/* A look may find what motion is about to. */
STX_TEST_LOOP(infinity_is_not_corrected_twice, STX_TEST_SOME(0, 2))
{
  const guint64 turn = 1 + (guint64)_i;
  const gint pixels = _i % 2 == 0 ? 5 : -5;
  g_auto(Drive) self = drive("motion=true");

  for (guint64 frame = 0; frame < 18; frame++) {
    g_autoptr(GstBuffer) out = push_turned(&self, frame, frame < turn ? 0 : pixels);

    ck_assert_int_ge(-pixels * infinity_of(&self), 0);
    ck_assert_int_le(ABS(infinity_of(&self)), 6);
  }
  ck_assert_int_le(ABS(infinity_of(&self) + pixels), 1);
}

/* A motion attached by an application is passed on, and none is computed. */
STX_TEST_LOOP(a_motion_that_is_given_stays, 2)
{
  g_auto(Drive) self = drive(_i == 0 ? "motion=true" : "motion=false");
  const StxMotion given = {.state = STX_MOTION_KNOWN, .translation = {0, 0, -7}};

  for (guint64 frame = 0; frame < 2; frame++) {
    GstBuffer *left = view(&self, STX_SCENE_LEFT, frame);
    g_autoptr(GstBuffer) out = NULL;

    gst_buffer_add_stx_motion_meta(left, &given, 5, NULL, 0, 0);
    out = push(&self, left, frame);
    ck_assert(memcmp(&gst_buffer_get_stx_motion_meta(out)->motion, &given, sizeof given) == 0);
    ck_assert_uint_eq(gst_buffer_get_stx_motion_meta(out)->interval, 5);
  }
}

STX_TEST(says_what_of_the_camera_is_missing)
{
  static const struct {
    const char *properties, *what;
  } cases[] = {{"", "focal length is not known"}, {"focal=300", "baseline is not known"},
      {"focal=300 baseline=.5", "cx is not known"}, {"focal=300 baseline=.5 cx=9", "cy is not"}};

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree gchar *all = g_strconcat("motion=true ", cases[i].properties, NULL);
    g_auto(StereoPair) pair = stereo_pair(all, 100, 20);

    gst_harness_push(pair.left, stereo_view("GRAY8", 100, 20, FALSE, 0, 3, 0));
    gst_harness_push(pair.right, stereo_view("GRAY8", 100, 20, TRUE, 0, 3, 0));
    stx_test_expect_error(pair.bus, "motion=true", cases[i].what, "calibration", NULL);
  }
}

/* ---- Pipelines ------------------------------------------------------------------------------- */

static void count(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer known)
{
  const GstStxMotionMeta *meta = gst_buffer_get_stx_motion_meta(buffer);

  fail_unless(meta != NULL);
  *(guint *)known += meta->motion.state == STX_MOTION_KNOWN;
}

#define VIEW(eye)                                                                                  \
  " street-scene-src num-buffers=3 view=" eye " ! "                                                \
  "video/x-raw,width=480,height=144,framerate=10/1 ! all.sink_" eye
#define OUT " ! fakesink name=out sync=false async=false signal-handoffs=true"

/* Through all that is made of a frame; by default, where an element behind the bin or in it, also
 * behind a tee, uses the motion. */
STX_TEST_LOOP(motion_reaches_the_output, STX_TEST_SOME(3, 6))
{
  static const char *const ways[] = {"motion=true output=stixels",
      "motion=true output=stixels segmentation=segments", "motion=true output=overlay",
      "output=stixels obstacles=true", "output=overlay ! stixel-obstacles",
      "output=stixels ! tee name=t t. ! queue ! occupancy-grid ! fakesink async=false t. ! queue"};
  g_autofree gchar *line =
      g_strconcat("stereo-stixels name=all ", ways[_i], OUT, VIEW("left"), VIEW("right"), NULL);
  g_autoptr(GstElement) pipeline = stx_test_parse(line);
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  guint known = 0;

  g_signal_connect(sink, "handoff", G_CALLBACK(count), &known);
  stx_test_play(pipeline);
  ck_assert_uint_eq(known, 2);
}
