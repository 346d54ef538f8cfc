/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets of records, and the caps that speak of their image. */
#include "gst/stixels/stixels.h"

#include "tests/gst/fixtures/util.h"

#include <math.h>
#include <string.h>

static const GstStxStixelInfo info = {64, 32, 8, 8,
    {.focal = 50, .cx = 31.5, .cy = 15.5, .baseline = .5, .image_width = 64, .image_height = 32}};

static GstBuffer *buffer_of(gconstpointer records, gsize size)
{
  return gst_buffer_new_memdup(records, size);
}

static const StxObstacle obstacles[] = {
    {.id = 4, .left = 8, .top = 4, .right = 23, .bottom = 19, .z = 5},
    {.id = 7, .left = 16, .top = 0, .right = 39, .bottom = 31, .z = 9}};
static const StxFreeSpace free_space[] = {{.z = 5, .obstacle = 0}, {.z = 9, .obstacle = 1}};

/* ---- Obstacles ------------------------------------------------------------------------------ */

static GstBuffer *frame_with_obstacles(const GstStxStixelInfo *of)
{
  GstBuffer *frame = gst_buffer_new();
  g_autoptr(GstBuffer) records = buffer_of(obstacles, sizeof obstacles);
  g_autoptr(GstBuffer) free_records = buffer_of(free_space, sizeof free_space);

  gst_buffer_add_stx_obstacles_meta(frame, records, free_records, of);
  return frame;
}

static GstStxObstacles *obstacles_of(GstBuffer *buffer, const char *text, GError **error)
{
  g_autoptr(GstCaps) caps = gst_caps_from_string(text);
  g_autoptr(GstSample) sample = gst_sample_new(buffer, caps, NULL, NULL);
  GstStxObstacles *set = gst_stx_obstacles_new_from_sample(sample, error);

  return set;
}

static void expect_rectangle(
    const GstStxObstacles *set, guint index, gdouble x, gdouble y, gdouble width, gdouble height)
{
  gdouble found[4];

  ck_assert(
      gst_stx_obstacles_get_rectangle(set, index, &found[0], &found[1], &found[2], &found[3]));
  ck_assert(found[0] == x && found[1] == y && found[2] == width && found[3] == height);
}

static void expect_obstacles(const GstStxObstacles *set)
{
  StxObstacle obstacle;
  StxFreeSpace free_record;

  ck_assert_uint_eq(gst_stx_obstacles_get_count(set), 2);
  ck_assert(gst_stx_obstacles_get_obstacle(set, 1, &obstacle) && obstacle.id == 7);
  ck_assert(!gst_stx_obstacles_get_obstacle(set, 2, &obstacle) && obstacle.id == 0);
  ck_assert_uint_eq(gst_buffer_get_size(gst_stx_obstacles_get_buffer(set)), 128);
  ck_assert_uint_eq(gst_stx_obstacles_get_free_count(set), 2);
  ck_assert(gst_stx_obstacles_get_free_space(set, 1, &free_record) && free_record.z == 9);
  ck_assert(!gst_stx_obstacles_get_free_space(set, 2, &free_record) && free_record.z == 0);
}

STX_TEST(obstacles_of_a_frame_are_found)
{
  GstBuffer *frame = frame_with_obstacles(&info);
  g_autoptr(GstStxObstacles) set = obstacles_of(frame, "video/x-raw,width=128,height=64", NULL);
  StxCamera camera;

  gst_buffer_unref(frame); /* the set keeps what it needs */
  expect_obstacles(set);
  expect_rectangle(set, 0, 16, 8, 32, 32);
  ck_assert_int_eq(gst_stx_obstacles_find_at(set, 40, 10), 0);
  ck_assert_int_eq(gst_stx_obstacles_find_at(set, 40, 50), 1);
  ck_assert_int_eq(gst_stx_obstacles_find_at(set, 127, 10), -1);
  ck_assert(gst_stx_obstacles_get_camera(set, &camera) && camera.focal == 100);
  ck_assert_uint_eq(gst_stx_obstacles_get_info(set)->width, 64);
  gst_stx_obstacles_unref(gst_stx_obstacles_ref(set));
}

/* On a frame that was stretched since it got its stixels, and whose shape alone would not do. */
STX_TEST(obstacles_lie_where_their_stixels_do)
{
  g_autoptr(GstBuffer) frame = gst_buffer_new();
  g_autoptr(GstBuffer) records = buffer_of(obstacles, sizeof obstacles);
  g_autoptr(GstStxObstacles) set = NULL;

  gst_stx_stixel_meta_set_frame_size(gst_buffer_add_stx_stixel_meta(frame, records, &info), 64, 64);
  gst_buffer_add_stx_obstacles_meta(frame, records, NULL, &info);
  set = obstacles_of(frame, "video/x-raw,width=64,height=64", NULL);
  expect_rectangle(set, 0, 8, 8, 16, 32);
}

/* Their buffer has caps of stixels: the frame is the image. */
STX_TEST(obstacles_of_stixels_are_found)
{
  g_autoptr(GstBuffer) frame = frame_with_obstacles(&info);
  g_autoptr(GstStxObstacles) set = obstacles_of(frame, "application/x-stixels", NULL);

  expect_obstacles(set);
  expect_rectangle(set, 0, 8, 4, 16, 16);
}

STX_TEST(obstacles_of_a_scan_have_no_pixels)
{
  g_autoptr(GstBuffer) scan = frame_with_obstacles(NULL);
  g_autoptr(GstStxObstacles) set = obstacles_of(scan, "application/x-lidar", NULL);
  gdouble x, y, width, height;
  StxCamera camera;

  expect_obstacles(set);
  ck_assert(!gst_stx_obstacles_get_rectangle(set, 0, &x, &y, &width, &height) && width == 0);
  ck_assert_int_eq(gst_stx_obstacles_find_at(set, 9, 9), -1);
  ck_assert(!gst_stx_obstacles_get_camera(set, &camera));
}

STX_TEST(a_stream_of_obstacles_is_read)
{
  g_autoptr(GstBuffer) records = buffer_of(obstacles, sizeof obstacles);
  GstStxObstacles *set = obstacles_of(
      records, "application/x-obstacles,width=64,height=32,stixel-width=8,columns=8", NULL);

  expect_rectangle(set, 0, 8, 4, 16, 16);
  ck_assert_uint_eq(gst_stx_obstacles_get_free_count(set), 0);
  ck_assert(gst_stx_obstacles_get_free_buffer(set) == NULL);
  gst_stx_obstacles_unref(set);
  set = obstacles_of(records, "application/x-obstacles,framerate=10/1", NULL);
  ck_assert_uint_eq(gst_stx_obstacles_get_info(set)->width, 0);
  gst_stx_obstacles_unref(set);
}

static void expect_no_obstacles(GstBuffer *buffer, const char *caps, const char *reason)
{
  g_autoptr(GError) error = NULL;

  ck_assert(obstacles_of(buffer, caps, &error) == NULL);
  ck_assert_msg(strstr(error->message, reason) != NULL, "%s", error->message);
  ck_assert(obstacles_of(buffer, caps, NULL) == NULL);
}

STX_TEST(why_there_are_none_is_said)
{
  g_autoptr(GstBuffer) records = buffer_of(obstacles, 100);
  g_autoptr(GstBuffer) frame = frame_with_obstacles(&info);

  expect_no_obstacles(records, "video/x-raw,width=8,height=8", "carries no obstacles");
  expect_no_obstacles(records, "application/x-obstacles", "100 bytes are no whole number");
  expect_no_obstacles(records, "application/x-obstacles,width=8", "'height'");
  expect_no_obstacles(frame, "video/x-raw,width=100,height=100", "unknown how");
  expect_no_obstacles(NULL, "application/x-obstacles", "no buffer");
}

/* ---- Stixels ------------------------------------------------------------------------------- */

STX_TEST(a_stream_of_stixels_is_read)
{
  const StxStixel records[] = {{.column = 0,
                                   .top = 16,
                                   .bottom = 31,
                                   .kind = STX_KIND_OBJECT,
                                   .disparity_top = 5,
                                   .disparity_bottom = 5},
      {.column = 0, .top = 0, .bottom = 15, .kind = STX_KIND_SKY}};
  g_autoptr(GstBuffer) buffer = buffer_of(records, sizeof records);
  g_autoptr(GstCaps) caps = gst_stx_stixel_info_to_caps(&info, 10, 1);
  g_autoptr(GstSample) sample = gst_sample_new(buffer, caps, NULL, NULL);
  g_autoptr(GstStxStixels) set = gst_stx_stixels_new_from_sample(sample, NULL);
  StxMetres metres;
  StxStixel stixel;

  ck_assert_uint_eq(gst_stx_stixels_get_count(set), 2);
  ck_assert(memcmp(gst_stx_stixels_get_records(set), records, sizeof records) == 0);
  ck_assert(gst_stx_stixels_get_stixel(set, 1, &stixel) && stixel.kind == STX_KIND_SKY);
  ck_assert(!gst_stx_stixels_get_stixel(set, 2, &stixel) && stixel.bottom == 0);
  ck_assert(gst_stx_stixels_get_metres(set, 0, &metres) && metres.z == 5);
  ck_assert(!gst_stx_stixels_get_metres(set, 1, &metres) && isnan(metres.z));
  ck_assert(!gst_stx_stixels_get_metres(set, 2, &metres));
  ck_assert_int_eq(gst_stx_stixels_find_at(set, 7.5, 15.5), 1);
  ck_assert_int_eq(gst_stx_stixels_find_at(set, 8.5, 15.5), -1);
  ck_assert_int_eq(gst_stx_stixels_find_nearest(set, 0), 0);
  ck_assert_int_eq(gst_stx_stixels_find_nearest(set, 65536), -1);
}

STX_TEST(no_stixels_are_a_set_too)
{
  g_autoptr(GstBuffer) empty = gst_buffer_new();
  g_autoptr(GstStxStixels) set = gst_stx_stixels_new(empty, &info, NULL);

  ck_assert_uint_eq(gst_stx_stixels_get_count(set), 0);
  ck_assert_int_eq(gst_stx_stixels_find_at(set, 5, 5), -1);
  ck_assert_int_eq(gst_stx_stixels_find_nearest(set, 0), -1);
}

/* ---- Caps ---------------------------------------------------------------------------------- */

STX_TEST(an_image_survives_its_caps)
{
  g_autoptr(GstCaps) caps = gst_stx_stixel_info_to_caps(&info, 30000, 1001);
  GstStxStixelInfo read;
  gint numerator, denominator;

  ck_assert(gst_stx_stixel_info_from_caps(&read, caps, NULL));
  ck_assert(read.width == 64 && read.height == 32 && read.stixel_width == 8 && read.columns == 8);
  ck_assert(stx_camera_is_same(&read.camera, &info.camera));
  gst_structure_get_fraction(
      gst_caps_get_structure(caps, 0), "framerate", &numerator, &denominator);
  ck_assert(numerator == 30000 && denominator == 1001);
}

STX_TEST(caps_of_something_else_are_refused)
{
  const char *texts[] = {"video/x-raw,width=64,height=32", "ANY", "EMPTY",
      "application/x-stixels,width=64,height=32,stixel-width=8",
      "application/x-stixels,width=64,height=32,stixel-width=8,columns=9",
      "application/x-stixels,width=64,height=0,stixel-width=8,columns=8",
      "application/x-stixels,width=64,height=32,stixel-width=8,columns=8,camera-focal=9.0,"
      "camera-image-width=128,camera-image-height=64"};

  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(GstCaps) caps = gst_caps_from_string(texts[i]);
    GstStxStixelInfo read = {.width = 5};
    g_autoptr(GError) error = NULL;

    ck_assert(!gst_stx_stixel_info_from_caps(&read, caps, &error));
    ck_assert(error != NULL && read.width == 5);
  }
}
