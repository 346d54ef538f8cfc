/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The meta library: what applications link. */
#include "gst/stixels/stixels.h"

#include "tests/gst/fixtures/util.h"

#include <gst/video/video.h>
#include <math.h>

static const GstStxStixelInfo info = {.width = 64,
    .height = 32,
    .stixel_width = 8,
    .columns = 8,
    .camera = {.focal = 50, .cx = 31.5, .cy = 15.5, .baseline = .5}};

static GstBuffer *frame_with_stixels(void)
{
  GstBuffer *frame = gst_buffer_new_allocate(NULL, 64 * 32, NULL);
  g_autoptr(GstBuffer) stixels = gst_buffer_new_allocate(NULL, 8 * sizeof(StxStixel), NULL);
  GstStxStixelMeta *meta = gst_buffer_add_stx_stixel_meta(frame, stixels, &info);

  ck_assert_ptr_eq(meta->stixels, stixels);
  return frame;
}

static void expect_stixels(GstBuffer *frame)
{
  GstStxStixelMeta *meta = gst_buffer_get_stx_stixel_meta(frame);

  fail_unless(meta != NULL);
  ck_assert_uint_eq(gst_buffer_get_size(meta->stixels), 8 * sizeof(StxStixel));
  ck_assert_uint_eq(meta->info.width, 64);
  ck_assert_uint_eq(meta->info.height, 32);
  ck_assert_uint_eq(meta->info.stixel_width, 8);
  ck_assert_uint_eq(meta->info.columns, 8);
  ck_assert(stx_camera_is_same(&meta->info.camera, &info.camera));
}

STX_TEST(a_stixel_has_its_metres)
{
  StxStixel stixel = {
      .column = 4, .top = 6, .bottom = 25, .disparity_top = 5, .disparity_bottom = 5};
  StxMetres metres;

  ck_assert(gst_stx_stixel_info_get_metres(&info, &stixel, &metres));
  ck_assert(
      metres.z == 5 && metres.x == .4 && metres.y == 1 && metres.width == .8 && metres.height == 2);
  stixel.disparity_bottom = 0;
  ck_assert(!gst_stx_stixel_info_get_metres(&info, &stixel, &metres));
  ck_assert(isnan(metres.z));
  ASSERT_CRITICAL(gst_stx_stixel_info_get_metres(NULL, &stixel, &metres));
  ASSERT_CRITICAL(gst_stx_stixel_info_get_metres(&info, NULL, &metres));
  ASSERT_CRITICAL(gst_stx_stixel_info_get_metres(&info, &stixel, NULL));
}

STX_TEST(turns_keep_their_marks)
{
  g_autoptr(GstBuffer) scan = gst_buffer_new_allocate(NULL, 5 * 16, NULL);
  g_autoptr(GstBuffer) marks = gst_buffer_new_allocate(NULL, 5 * sizeof(GstStxPointMark), NULL);
  g_autoptr(GstBuffer) few = gst_buffer_new_allocate(NULL, 4 * sizeof(GstStxPointMark), NULL);
  g_autoptr(GstBuffer) copy = NULL;
  g_autoptr(GstBuffer) part = NULL;
  GstStxTurnMeta *meta;

  ASSERT_CRITICAL(gst_buffer_add_stx_turn_meta(scan, few));
  ASSERT_CRITICAL(gst_buffer_add_stx_turn_meta(scan, NULL));
  ASSERT_CRITICAL(gst_buffer_add_stx_turn_meta(NULL, marks));
  ck_assert_ptr_eq(gst_buffer_get_stx_turn_meta(scan), NULL);
  meta = gst_buffer_add_stx_turn_meta(scan, marks);
  meta->sensor_time = 7;
  meta->number = 8;
  meta->packets = 9;
  meta->lost = 10;
  meta->complete = TRUE;
  copy = gst_buffer_copy(scan);
  meta = gst_buffer_get_stx_turn_meta(copy);
  fail_unless(meta != NULL);
  ck_assert(meta->marks == marks && meta->sensor_time == 7 && meta->number == 8 &&
            meta->packets == 9 && meta->lost == 10 && meta->complete);
  part = gst_buffer_copy_region(scan, GST_BUFFER_COPY_ALL, 16, 32);
  ck_assert_ptr_eq(gst_buffer_get_stx_turn_meta(part), NULL);
}

STX_TEST(stixels_hold_a_reference)
{
  GstBuffer *frame = frame_with_stixels();
  g_autoptr(GstBuffer) stixels = gst_buffer_ref(gst_buffer_get_stx_stixel_meta(frame)->stixels);

  expect_stixels(frame);
  ASSERT_MINI_OBJECT_REFCOUNT(stixels, "stixels", 2);
  gst_buffer_unref(frame);
  ASSERT_MINI_OBJECT_REFCOUNT(stixels, "stixels", 1);
}

STX_TEST(stixels_survive_a_copy_but_not_a_region)
{
  g_autoptr(GstBuffer) frame = frame_with_stixels();
  g_autoptr(GstBuffer) copy = gst_buffer_copy(frame);
  g_autoptr(GstBuffer) region = gst_buffer_copy_region(frame, GST_BUFFER_COPY_ALL, 64, 64);

  expect_stixels(copy);
  fail_unless(gst_buffer_get_stx_stixel_meta(region) == NULL);
}

/* ---- The camera on the way into the meta --------------------------------------------------- */

#define METRES                                                                                     \
  "stixel-overlay name=overlay ! fakesink street-scene-src num-buffers=3 view=disparity %s ! "     \
  "video/x-raw,width=124,height=38 %s ! downsample-transpose ! sat-dp-stixels ! overlay.stixels "  \
  "street-scene-src num-buffers=3 view=left ! video/x-raw,format=RGB,width=248,height=76 %s ! "    \
  "overlay.sink"
#define FORGET                                                                                     \
  "! capssetter replace=true caps=video/x-raw,format=%s,width=%d,height=%d,framerate=10/1"

static GstPadProbeReturn take_info(GstPad *pad, GstPadProbeInfo *probe, gpointer data)
{
  GstStxStixelMeta *meta = gst_buffer_get_stx_stixel_meta(GST_PAD_PROBE_INFO_BUFFER(probe));

  ck_assert(meta != NULL);
  *(GstStxStixelInfo *)data = meta->info;
  return GST_PAD_PROBE_OK;
}

/* The camera of the pictures at the end. */
static StxCamera run_overlay(const char *stixels, const char *depth, const char *picture)
{
  g_autofree gchar *line = g_strdup_printf(METRES, stixels, depth, picture);
  g_autoptr(GstElement) pipeline = stx_test_parse(line);
  GstStxStixelInfo found = {0};

  stx_test_probe(pipeline, "overlay", "src", GST_PAD_PROBE_TYPE_BUFFER, take_info, &found);
  stx_test_play(pipeline);
  return found.camera;
}

STX_TEST(the_overlay_attaches_the_camera)
{
  g_autofree gchar *no_depth = g_strdup_printf(FORGET, "GRAY16_LE", 124, 38);
  g_autofree gchar *no_picture = g_strdup_printf(FORGET, "RGB", 248, 76);
  StxCamera camera = run_overlay("focal=100", "", "");

  ck_assert(camera.focal == 100 && camera.baseline == .54 && camera.image_width == 124);
  camera = run_overlay("focal=100", "", no_picture);
  ck_assert(camera.focal == 100 && camera.missing == 0);
  /* The video's, at twice the size of the stixels' image. */
  camera = run_overlay("", no_depth, "");
  ck_assert(fabs(camera.focal - .58 * 124) < 1e-9 && fabs(camera.cx - 61.5) < 1e-9);
  ck_assert_int_eq(camera.image_width, 124);
  camera = run_overlay("", no_depth, no_picture);
  ck_assert(camera.focal == 0);
}

/* Pushes one frame through a converter and hands back what comes out. */
static GstBuffer *converted(GstBuffer *frame, const char *line, const char *in, const char *out)
{
  g_autoptr(Harness) harness = gst_harness_new_parse(line);
  GstBuffer *result;

  gst_harness_set_caps_str(harness, in, out);
  result = gst_harness_push_and_pull(harness, frame);
  fail_unless(result != NULL);
  return result;
}

/* Gray, of half the size. */
static GstBuffer *halved(GstBuffer *frame)
{
  return converted(frame, "videoscale",
      "video/x-raw,format=GRAY8,width=64,height=32,framerate=10/1",
      "video/x-raw,format=GRAY8,width=32,height=16,framerate=10/1");
}

static GstBuffer *frame_with_confidence(void)
{
  GstBuffer *frame = gst_buffer_new_allocate(NULL, 64 * 32 * 2, NULL);
  g_autoptr(GstBuffer) confidence = gst_buffer_new_allocate(NULL, 64 * 32, NULL);
  GstStxConfidenceMeta *meta = gst_buffer_add_stx_confidence_meta(frame, confidence, 64, 32);

  ck_assert_ptr_eq(meta->confidence, confidence);
  return frame;
}

STX_TEST(confidence_survives_a_copy)
{
  GstBuffer *frame = frame_with_confidence();
  g_autoptr(GstBuffer) copy = gst_buffer_copy(frame);
  GstStxConfidenceMeta *meta = gst_buffer_get_stx_confidence_meta(copy);

  fail_unless(meta != NULL);
  ck_assert_uint_eq(meta->width, 64);
  ck_assert_uint_eq(meta->height, 32);
  gst_buffer_unref(frame);
  ck_assert_uint_eq(gst_buffer_get_size(meta->confidence), 64 * 32);
}

#define GRAY16(width) "video/x-raw,format=GRAY16_LE,width=" #width ",height=32,framerate=10/1"

/* One byte for each pixel says nothing of other pixels. */
STX_TEST(confidence_is_not_that_of_a_scaled_frame)
{
  GstBuffer *frame = converted(frame_with_confidence(), "videoscale", GRAY16(64), GRAY16(128));
  GstStxConfidenceMeta *meta = gst_buffer_get_stx_confidence_meta(frame);

  ck_assert(meta == NULL);
  gst_buffer_unref(frame);
  frame = converted(frame_with_confidence(), "videoconvert", GRAY16(64),
      "video/x-raw,format=GRAY16_BE,width=64,height=32,framerate=10/1");
  meta = gst_buffer_get_stx_confidence_meta(frame);
  fail_unless(meta != NULL);
  ck_assert_uint_eq(meta->width, 64);
  ck_assert_uint_eq(meta->height, 32);
  gst_buffer_unref(frame);
}

STX_TEST(confidence_of_the_wrong_size_is_refused)
{
  g_autoptr(GstBuffer) frame = gst_buffer_new_allocate(NULL, 64 * 32 * 2, NULL);
  g_autoptr(GstBuffer) confidence = gst_buffer_new_allocate(NULL, 64 * 31, NULL);

  ASSERT_CRITICAL(gst_buffer_add_stx_confidence_meta(frame, confidence, 64, 32));
  fail_unless(gst_buffer_get_stx_confidence_meta(frame) == NULL);
}

/* A holder of the confidence can still shorten it. */
STX_TEST(confidence_of_the_wrong_size_is_not_copied)
{
  g_autoptr(GstBuffer) frame = frame_with_confidence();
  g_autoptr(GstBuffer) copy = NULL;
  GstStxConfidenceMeta *meta = gst_buffer_get_stx_confidence_meta(frame);

  meta->confidence = gst_buffer_make_writable(meta->confidence);
  gst_buffer_set_size(meta->confidence, 64);
  copy = gst_buffer_copy(frame);
  fail_unless(gst_buffer_get_stx_confidence_meta(copy) == NULL);
}

/* ---- Motion --------------------------------------------------------------------------------- */

static const StxMotion motion = {
    STX_MOTION_KNOWN, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, -1}, {.1, .1, .1, .2, .2, .2}, 3, 2};

static GstBuffer *frame_with_motion(void)
{
  GstBuffer *frame = gst_buffer_new_allocate(NULL, 64 * 32, NULL);
  g_autoptr(GstBuffer) points = gst_buffer_new_allocate(NULL, 3 * sizeof(StxMotionPoint), NULL);

  fail_unless(gst_buffer_add_stx_motion_meta(frame, &motion, GST_SECOND, points, 64, 32) != NULL);
  return frame;
}

static void expect_motion(GstBuffer *frame)
{
  const GstStxMotionMeta *meta = gst_buffer_get_stx_motion_meta(frame);

  fail_unless(meta != NULL);
  ck_assert(memcmp(&meta->motion, &motion, sizeof motion) == 0);
  ck_assert_uint_eq(meta->interval, GST_SECOND);
  ck_assert_uint_eq(gst_buffer_get_size(meta->points), 3 * sizeof(StxMotionPoint));
  ck_assert_uint_eq(meta->width, 64);
  ck_assert_uint_eq(meta->height, 32);
}

/* The camera has moved like that, whatever becomes of the picture. */
STX_TEST(motion_survives_copies_and_scaling)
{
  GstBuffer *frame = frame_with_motion();
  g_autoptr(GstBuffer) copy = gst_buffer_copy(frame);

  gst_buffer_unref(frame);
  expect_motion(copy);
  frame = halved(frame_with_motion());
  expect_motion(frame);
  gst_buffer_unref(frame);
}

/* A camera that looks along the world's x, then turns by 90 degrees to the right and is 2 m ahead
 * and 1 m to the right of its place. What stood 5 m ahead is 3 m to the left, 1 m behind. */
STX_TEST(poses_make_a_motion)
{
  static const gdouble before[12] = {0, 0, 1, 7, -1, 0, 0, 8, 0, -1, 0, 9};
  static const gdouble now[12] = {-1, 0, 0, 9, 0, 0, -1, 7, 0, -1, 0, 9};
  static const gdouble deviation[6] = {1, 2, 3, 4, 5, 6};
  static const gdouble moved[3] = {-3, 0, -1};
  g_autoptr(GstBuffer) frame = gst_buffer_new(), first = gst_buffer_new();
  const GstStxMotionMeta *meta =
      gst_buffer_add_stx_motion_meta_of_poses(frame, before, now, deviation, GST_SECOND);
  const StxMotion *m = &meta->motion;

  ck_assert_int_eq(m->state, STX_MOTION_KNOWN);
  for (guint i = 0; i < 3; i++)
    ck_assert(fabs(5 * m->rotation[3 * i + 2] + m->translation[i] - moved[i]) < 1e-12);
  ck_assert(memcmp(m->deviation, deviation, sizeof deviation) == 0);
  ck_assert_uint_eq(m->points + m->agree, 0);
  ck_assert_uint_eq(meta->interval, GST_SECOND);
  fail_unless(meta->points == NULL);

  meta = gst_buffer_add_stx_motion_meta_of_poses(first, NULL, now, NULL, GST_CLOCK_TIME_NONE);
  ck_assert_int_eq(meta->motion.state, STX_MOTION_FIRST);
  ASSERT_CRITICAL(gst_buffer_add_stx_motion_meta_of_poses(first, before, NULL, NULL, 0));
}

STX_TEST(motion_goes_to_another_buffer)
{
  g_autoptr(GstBuffer) frame = frame_with_motion(), plain = gst_buffer_new();
  g_autoptr(GstBuffer) other = gst_buffer_new();
  const StxMotion first = {.state = STX_MOTION_FIRST};

  gst_buffer_add_stx_motion_meta(other, &first, GST_CLOCK_TIME_NONE, NULL, 0, 0);
  fail_if(gst_buffer_copy_stx_motion_meta(other, plain));
  ck_assert_int_eq(gst_buffer_get_stx_motion_meta(other)->motion.state, STX_MOTION_FIRST);
  fail_unless(gst_buffer_copy_stx_motion_meta(other, frame));
  fail_unless(gst_buffer_copy_stx_motion_meta(frame, frame));
  expect_motion(other); /* in place of the first */
  expect_motion(frame);
}

STX_TEST(velocities_survive_copies_and_scaling_whole)
{
  g_autoptr(GstBuffer) frame = gst_buffer_new_allocate(NULL, 64 * 32, NULL);
  g_autoptr(GstBuffer) one = gst_buffer_new_allocate(NULL, sizeof(StxVelocity), NULL);
  g_autoptr(GstBuffer) two = gst_buffer_new_allocate(NULL, 2 * sizeof(StxVelocity), NULL);
  g_autoptr(GstBuffer) half = gst_buffer_new_allocate(NULL, sizeof(StxVelocity) / 2, NULL);
  GstStxVelocitiesMeta *meta;

  ASSERT_CRITICAL(gst_buffer_add_stx_velocities_meta(frame, one, half));
  ASSERT_CRITICAL(gst_buffer_add_stx_velocities_meta(frame, half, one));
  ASSERT_CRITICAL(gst_buffer_add_stx_velocities_meta(frame, one, NULL));
  fail_unless(gst_buffer_get_stx_velocities_meta(frame) == NULL);
  gst_buffer_add_stx_velocities_meta(frame, one, two);
  frame = halved(frame);
  meta = gst_buffer_get_stx_velocities_meta(frame);
  fail_unless(meta != NULL && meta->obstacles == one && meta->stixels == two);
}

STX_TEST(occupancy_grids_survive_copies_and_scaling)
{
  g_autoptr(GstBuffer) frame = gst_buffer_new_allocate(NULL, 64 * 32, NULL);
  g_autoptr(GstBuffer) cells = gst_buffer_new_allocate(NULL, 6, NULL);
  GstStxOccupancyMeta *meta;

  ASSERT_CRITICAL(gst_buffer_add_stx_occupancy_meta(frame, cells, 3, 3, .5));
  ASSERT_CRITICAL(gst_buffer_add_stx_occupancy_meta(frame, NULL, 3, 2, .5));
  ASSERT_CRITICAL(gst_buffer_add_stx_occupancy_meta(cells, cells, 3, 2, .5));
  fail_unless(gst_buffer_get_stx_occupancy_meta(frame) == NULL);
  meta = gst_buffer_add_stx_occupancy_meta(frame, cells, 3, 2, .5);
  meta->fixed = TRUE;
  meta->epoch = 4;
  meta->origin_x = 1;
  meta->yaw = 2;
  frame = halved(frame);
  meta = gst_buffer_get_stx_occupancy_meta(frame);
  fail_unless(meta != NULL && meta->cells == cells && meta->width == 3 && meta->height == 2);
  fail_unless(meta->fixed && meta->epoch == 4 && meta->resolution == .5);
  fail_unless(meta->origin_x == 1 && meta->origin_y == 0 && meta->yaw == 2);
}

STX_TEST(motion_with_half_a_point_is_refused)
{
  g_autoptr(GstBuffer) frame = gst_buffer_new(), points = gst_buffer_new_allocate(NULL, 25, NULL);

  ASSERT_CRITICAL(gst_buffer_add_stx_motion_meta(frame, &motion, 0, points, 4, 4));
  ASSERT_CRITICAL(gst_buffer_add_stx_motion_meta(frame, NULL, 0, NULL, 4, 4));
  fail_unless(gst_buffer_get_stx_motion_meta(frame) == NULL);
}

/* ---- Obstacles ------------------------------------------------------------------------------ */

static GstBuffer *new_records(guint count, gsize size)
{
  return gst_buffer_new_allocate(NULL, count * size, NULL);
}

static GstBuffer *frame_with_obstacles(gboolean has_free_space)
{
  GstBuffer *frame = gst_buffer_new_allocate(NULL, 64 * 32, NULL);
  g_autoptr(GstBuffer) obstacles = new_records(3, sizeof(StxObstacle));
  GstBuffer *free_space = has_free_space ? new_records(8, sizeof(StxFreeSpace)) : NULL;
  GstStxObstaclesMeta *meta = gst_buffer_add_stx_obstacles_meta(
      frame, obstacles, free_space, has_free_space ? &info : NULL);

  ck_assert(meta->obstacles == obstacles && meta->free_space == free_space);
  gst_clear_buffer(&free_space);
  return frame;
}

STX_TEST(obstacles_survive_a_copy_and_scaling)
{
  GstBuffer *frame = frame_with_obstacles(TRUE), *copy = gst_buffer_copy(frame);
  GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(copy);

  ck_assert_uint_eq(gst_buffer_get_size(meta->obstacles), 3 * sizeof(StxObstacle));
  ck_assert_uint_eq(gst_buffer_get_size(meta->free_space), 8 * sizeof(StxFreeSpace));
  ck_assert_uint_eq(meta->info.columns, 8);
  gst_buffer_unref(copy);
  copy = converted(frame, "videoconvert ! videoscale",
      "video/x-raw,format=GRAY8,width=64,height=32,framerate=10/1",
      "video/x-raw,format=RGB,width=128,height=32,framerate=10/1");
  ck_assert(gst_buffer_get_stx_obstacles_meta(copy) != NULL);
  gst_buffer_unref(copy);
}

STX_TEST(obstacles_of_a_scan_have_no_image)
{
  g_autoptr(GstBuffer) scan = frame_with_obstacles(FALSE);
  GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(scan);

  ck_assert(meta->free_space == NULL && meta->info.width == 0 && meta->info.columns == 0);
}

STX_TEST(half_an_obstacle_is_refused)
{
  g_autoptr(GstBuffer) frame = gst_buffer_new_allocate(NULL, 64, NULL);
  g_autoptr(GstBuffer) whole = new_records(1, sizeof(StxObstacle));
  g_autoptr(GstBuffer) half = new_records(1, 30);

  ASSERT_CRITICAL(gst_buffer_add_stx_obstacles_meta(frame, half, NULL, &info));
  ASSERT_CRITICAL(gst_buffer_add_stx_obstacles_meta(frame, whole, half, &info));
  ck_assert(gst_buffer_get_stx_obstacles_meta(frame) == NULL);
}

STX_TEST(obstacles_cut_since_are_not_copied)
{
  for (guint cut = 0; cut < 2; cut++) {
    g_autoptr(GstBuffer) frame = frame_with_obstacles(TRUE);
    g_autoptr(GstBuffer) copy = NULL;
    GstStxObstaclesMeta *meta = gst_buffer_get_stx_obstacles_meta(frame);

    gst_buffer_set_size(cut == 0 ? meta->obstacles : meta->free_space, 30);
    copy = gst_buffer_copy(frame);
    ck_assert(gst_buffer_get_stx_obstacles_meta(copy) == NULL);
  }
}

/* A critical, and NULL instead of a meta. */
static void expect_refusals(GstBuffer *frame, GstBuffer *of_frame)
{
  gpointer meta = frame;

  ASSERT_CRITICAL(meta = gst_buffer_add_stx_stixel_meta(frame, of_frame, &info));
  ck_assert_ptr_eq(meta, NULL);
  meta = frame;
  ASSERT_CRITICAL(meta = gst_buffer_add_stx_obstacles_meta(frame, of_frame, NULL, &info));
  ck_assert_ptr_eq(meta, NULL);
  meta = frame;
  ASSERT_CRITICAL(meta = gst_buffer_add_stx_confidence_meta(frame, of_frame, 4, 4));
  ck_assert_ptr_eq(meta, NULL);
  meta = frame;
  ASSERT_CRITICAL(meta = gst_buffer_add_stx_point_labels_meta(frame, of_frame));
  ck_assert_ptr_eq(meta, NULL);
}

STX_TEST(nothing_is_added_to_a_frame_of_others)
{
  GstBuffer *frame = gst_buffer_new_allocate(NULL, 64, NULL);
  g_autoptr(GstBuffer) of_frame = gst_buffer_new_allocate(NULL, 16, NULL);
  gpointer state = NULL;

  gst_buffer_ref(frame);
  expect_refusals(frame, of_frame);
  expect_refusals(NULL, of_frame);
  gst_buffer_unref(frame);
  expect_refusals(frame, NULL);
  fail_unless(gst_buffer_iterate_meta(frame, &state) == NULL);
  fail_unless(gst_buffer_add_stx_point_labels_meta(frame, of_frame) != NULL);
  gst_buffer_unref(frame);
}

static void add_and_drop_metas(void)
{
  gst_buffer_unref(frame_with_stixels());
  gst_buffer_unref(frame_with_confidence());
  gst_buffer_unref(frame_with_obstacles(TRUE));
  gst_buffer_unref(frame_with_obstacles(FALSE));
}

STX_TEST(metas_do_not_leak)
{
  stx_test_no_leaks(add_and_drop_metas);
}
