/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/elements/scan_fixture.h"

#include <math.h>

#define SENSOR 1.73
#define POSTS 8

/* A point of post number `post`: 1 m wide, up to 1.5 m high, 8 to 22 m away. */
static void put_post(gfloat *point, gint post, GRand *random)
{
  gdouble angle = post * 2 * G_PI / POSTS, range = 8 + 2 * post;

  point[0] = (gfloat)(range * cos(angle) + g_rand_double_range(random, -0.5, 0.5));
  point[1] = (gfloat)(range * sin(angle) + g_rand_double_range(random, -0.5, 0.5));
  point[2] = (gfloat)g_rand_double_range(random, -SENSOR, 1.5 - SENSOR);
}

static void put_road(gfloat *point, GRand *random)
{
  gdouble angle = g_rand_double_range(random, 0, 2 * G_PI);
  gdouble range = g_rand_double_range(random, 2, 60); /* the default r-max is 50 */

  point[0] = (gfloat)(range * cos(angle));
  point[1] = (gfloat)(range * sin(angle));
  point[2] = (gfloat)(g_rand_double_range(random, -0.02, 0.02) - SENSOR);
}

void scan_points(gfloat *points, gsize count, guint32 seed)
{
  GRand *random = g_rand_new_with_seed(seed);

  for (gsize i = 0; i < count; i++) {
    gint post = g_rand_int_range(random, 0, 4 * POSTS);

    if (post < POSTS)
      put_post(points + 4 * i, post, random);
    else
      put_road(points + 4 * i, random);
    points[4 * i + 3] = (gfloat)g_rand_double(random);
  }
  g_rand_free(random);
}

GstBuffer *scan_buffer(const gfloat *points, gsize count, GstClockTime pts)
{
  gsize size = 4 * sizeof(gfloat) * count;
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, size, NULL);

  gst_buffer_fill(buffer, 0, points, size);
  GST_BUFFER_PTS(buffer) = pts;
  GST_BUFFER_DURATION(buffer) = SCAN_TIME;
  return buffer;
}

guint32 *scan_reference(
    const StxGroundParams *params, const gfloat *points, gsize count, StxGroundResult *result)
{
  const StxGroundImpl *impl = stx_impl_named(&stx_ground_impls, "c");
  gpointer scratch =
      g_aligned_alloc(1, impl->scratch_size(params, count, 1) + STX_ALIGN, STX_ALIGN);
  guint32 *labels = g_new0(guint32, count + 1);
  StxPlace place = {.threads = 1};
  StxGroundResult found;

  impl->run(params, points, count, labels, &found, scratch, &place, NULL);
  if (result != NULL)
    *result = found;
  g_aligned_free(scratch);
  return labels;
}

ScanFixture scan_begin(const char *factory, const char *line, const char *caps)
{
  ScanFixture fixture = {gst_harness_new_parse(line), NULL, NULL};

  fixture.element = gst_harness_find_element(fixture.harness, factory);
  fixture.bus = stx_test_watch(fixture.harness->element);
  if (caps != NULL)
    gst_harness_set_src_caps_str(fixture.harness, caps);
  return fixture;
}

void scan_end(ScanFixture *fixture)
{
  gst_element_set_bus(fixture->harness->element, NULL);
  gst_object_unref(fixture->bus);
  gst_object_unref(fixture->element);
  gst_harness_teardown(fixture->harness);
}

GstBuffer *scan_run(ScanFixture *fixture, const gfloat *points, gsize count)
{
  GstBuffer *buffer =
      gst_harness_push_and_pull(fixture->harness, scan_buffer(points, count, SCAN_TIME));

  ck_assert_msg(buffer != NULL, "nothing came out for %" G_GSIZE_FORMAT " points", count);
  return buffer;
}

void scan_flush(ScanFixture *fixture)
{
  GstSegment segment;

  gst_segment_init(&segment, GST_FORMAT_TIME);
  ck_assert(gst_harness_push_event(fixture->harness, gst_event_new_flush_start()));
  ck_assert(gst_harness_push_event(fixture->harness, gst_event_new_flush_stop(TRUE)));
  ck_assert(gst_harness_push_event(fixture->harness, gst_event_new_segment(&segment)));
}
