/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * road-hazards over time: what leaves equals the stem called directly (check_hazards_follow.c
 * proves that one), of frames whose camera moves; with a scene cut, a flush, a frame once more, a
 * lost frame, without motion, and at the end of the stream.
 */

#include "common/hazards/hazards.h"
#include "common/scene/scene.h"
#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/util.h"

#define WIDTH 640
#define HEIGHT 240
#define FRAME (100 * GST_MSECOND)
#define STREET 4 /* seed */
#define CAPS(format) "video/x-raw,framerate=10/1,width=640,height=240,format=" format

typedef struct {
  GstElement *element;
  GstBus *bus;
  GstHarness *left, *right, *map;
  StxScene *scene;
  StxHazards *state; /* of the stem */
  StxHazardsParams params;
  gsize told; /* so far */
} Fixture;

static Fixture begin(const char *properties)
{
  StxSceneParams params = STX_SCENE_DEFAULTS;
  Fixture f = {.state = stx_hazards_new(), .params = STX_HAZARDS_DEFAULTS};
  g_autofree gchar *line = NULL;
  StxCamera camera;

  params.kind = STX_SCENE_HAZARDS;
  params.seed = STREET;
  params.width = WIDTH;
  params.height = HEIGHT;
  params.fps_n = 10;
  params.fps_d = 1;
  f.scene = stx_scene_new(&params, NULL);
  fail_unless(f.scene != NULL && f.state != NULL);
  camera = stx_scene_params(f.scene)->camera;
  line = g_strdup_printf(
      "road-hazards focal=%.17g baseline=%.17g cx=%.17g cy=%.17g camera-height=%.17g "
      "camera-pitch=%.17g %s",
      camera.focal, camera.baseline, camera.cx, camera.cy, camera.height, camera.pitch, properties);
  f.element = gst_parse_launch(line, NULL);
  fail_unless(f.element != NULL);
  f.bus = stx_test_watch(f.element);
  f.left = gst_harness_new_with_element(f.element, "sink_left", "src");
  f.right = gst_harness_new_with_element(f.element, "sink_right", NULL);
  f.map = gst_harness_new_with_element(f.element, "disparity", NULL);
  gst_harness_set_src_caps_str(f.left, CAPS("GRAY8"));
  gst_harness_set_src_caps_str(f.right, CAPS("GRAY8"));
  gst_harness_set_src_caps_str(f.map, CAPS("GRAY16_LE"));
  return f;
}

static void end(Fixture *f)
{
  stx_test_expect_silence(f->bus);
  gst_harness_teardown(f->map);
  gst_harness_teardown(f->right);
  gst_harness_teardown(f->left);
  stx_test_unwatch(f->bus);
  gst_object_unref(f->element);
  stx_scene_free(f->scene);
  stx_hazards_free(f->state);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fixture, end)

/* ---- Frames -------------------------------------------------------------------------------- */

typedef struct {
  GstBuffer *left, *right, *map;
  StxMotion motion;
} Pictures;

static GstBuffer *render(Fixture *f, StxSceneEye eye, guint64 time)
{
  GstBuffer *buffer = stx_test_buffer(WIDTH * HEIGHT, 0, time, FRAME);
  GstMapInfo map;

  fail_unless(gst_buffer_map(buffer, &map, GST_MAP_WRITE));
  stx_scene_render(f->scene, eye, 1, &(StxImage8){map.data, WIDTH, WIDTH, HEIGHT});
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

static Pictures pictures_of(Fixture *f, guint frame, guint64 time)
{
  Pictures p;
  GstMapInfo map;

  stx_scene_move(f->scene, frame);
  p.left = render(f, STX_SCENE_LEFT, time);
  p.right = render(f, STX_SCENE_RIGHT, time);
  p.map = stx_test_buffer(2 * WIDTH * HEIGHT, 0, time, FRAME);
  fail_unless(gst_buffer_map(p.map, &map, GST_MAP_WRITE));
  stx_scene_truth(
      f->scene, &(StxImage16){(uint16_t *)(gpointer)map.data, 2 * WIDTH, WIDTH, HEIGHT}, NULL);
  gst_buffer_unmap(p.map, &map);
  p.motion = stx_scene_motion(f->scene);
  return p;
}

/* The stem's answer. */
static StxHazardsResult expect(
    Fixture *f, const Pictures *p, const StxMotion *motion, guint64 time, guint64 interval)
{
  StxHazardsFrame frame = {.camera = stx_scene_params(f->scene)->camera,
      .motion = motion,
      .time = time,
      .interval = interval};
  const StxHazardsImpl *impl = stx_impl_pick(&stx_hazards_impls, STX_BACKEND_AUTO);
  StxHazardsResult result;
  GstMapInfo left, right, map;
  StxError error = {""};

  fail_unless(gst_buffer_map(p->left, &left, GST_MAP_READ) &&
              gst_buffer_map(p->right, &right, GST_MAP_READ) &&
              gst_buffer_map(p->map, &map, GST_MAP_READ));
  frame.left = (StxImage8){left.data, WIDTH, WIDTH, HEIGHT};
  frame.right = (StxImage8){right.data, WIDTH, WIDTH, HEIGHT};
  frame.disparity = (StxImage16){(uint16_t *)(gpointer)map.data, 2 * WIDTH, WIDTH, HEIGHT};
  ck_assert_msg(
      stx_hazards_find(f->state, &f->params, &frame, impl, 1, &result, &error), "%s", error.text);
  gst_buffer_unmap(p->left, &left);
  gst_buffer_unmap(p->right, &right);
  gst_buffer_unmap(p->map, &map);
  return result;
}

typedef enum { ON_MAP, ON_LEFT, ABSENT } Where;

/* Pushes frame `frame` of the street at a time of 100 ms; a motion NULL is the street's own. At
 * most one frame is pulled, and it comes before any later one goes in. Returns its hazards. */
static gsize run(Fixture *f, guint frame, guint time, Where where, const StxMotion *given)
{
  Pictures p = pictures_of(f, frame, time * FRAME);
  StxMotion motion = given != NULL ? *given : p.motion;
  StxHazardsResult result = expect(f, &p, where == ABSENT ? NULL : &motion, time * FRAME, FRAME);
  GstBuffer *carrier = where == ON_LEFT ? p.left : p.map;
  GstStxObstaclesMeta *meta;
  g_autoptr(GstBuffer) out = NULL;

  if (where != ABSENT)
    gst_buffer_add_stx_motion_meta(carrier, &motion, FRAME, NULL, 0, 0);
  ck_assert_int_eq(gst_harness_push(f->right, p.right), GST_FLOW_OK);
  ck_assert_int_eq(gst_harness_push(f->map, p.map), GST_FLOW_OK);
  ck_assert_int_eq(gst_harness_push(f->left, p.left), GST_FLOW_OK);
  out = gst_harness_pull(f->left);
  fail_unless(out != NULL, "no frame");
  ck_assert_uint_eq(GST_BUFFER_PTS(out), time * FRAME);
  meta = gst_buffer_get_stx_obstacles_meta(out);
  fail_unless(meta != NULL, "no meta");
  stx_test_expect_bytes(
      meta->obstacles, result.hazards, result.count * sizeof *result.hazards, "hazards");
  f->told += result.count;
  return result.count;
}

static const StxMotion first = {.state = STX_MOTION_FIRST};

/* ---- Tests --------------------------------------------------------------------------------- */

STX_TEST(frames_confirm_each_other)
{
  g_auto(Fixture) f = begin("");
  gsize begun = run(&f, 20, 0, ON_MAP, &first), followed = 0;

  for (guint i = 1; i < 4; i++)
    followed += run(&f, 20 + i, i, i == 2 ? ON_LEFT : ON_MAP, NULL);
  ck_assert_uint_gt(followed, 2 * begun);
}

STX_TEST(a_flush_begins_anew)
{
  g_auto(Fixture) f = begin("");

  run(&f, 20, 0, ON_MAP, NULL);
  run(&f, 21, 1, ON_MAP, NULL);
  stx_test_flush(f.left);
  stx_test_flush(f.right);
  stx_test_flush(f.map);
  stx_hazards_reset(f.state);
  run(&f, 22, 2, ON_MAP, NULL);
  run(&f, 23, 3, ON_MAP, NULL);
}

STX_TEST(it_ends)
{
  g_auto(Fixture) f = begin("");

  run(&f, 20, 0, ON_MAP, &first);
  gst_harness_push_event(f.left, gst_event_new_eos());
  gst_harness_push_event(f.right, gst_event_new_eos());
  gst_harness_push_event(f.map, gst_event_new_eos());
  stx_test_expect_event(f.left, GST_EVENT_EOS);
  fail_unless(gst_harness_try_pull(f.left) == NULL, "a frame more");
}

STX_TEST(one_frame_is_enough_if_one_says_so)
{
  g_auto(Fixture) f = begin("confirm=1");

  f.params.confirm = 1;
  ck_assert_uint_gt(run(&f, 20, 0, ON_MAP, &first), 0);
  run(&f, 21, 1, ON_MAP, NULL);
}
