/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cameras that are not in step, through stereo-sgm: drifting clocks, jitter, an offset, two rates,
 * and the property tolerance. The left view is always the same; the right one shows it shifted, so
 * that the disparity says which of sixteen frames it was.
 */
#include "tests/gst/fixtures/stereo_pair.h"

#define WIDTH 64
#define HEIGHT 16
#define CODES 16
#define RATE "framerate=30/1"
#define FRAME_30 (GST_SECOND / 30)
#define MOST_PAIRS 4096

typedef struct {
  const char *caps;  /* framerate, or "" */
  gdouble rate;      /* of its clock */
  gint64 offset;     /* milliseconds */
  guint jitter;      /* up to so many milliseconds to either side */
  guint lost_one_in; /* 0: none */
} Camera;

typedef struct {
  const Camera *camera;
  gboolean right;
  guint count;
  gint64 *times; /* in microseconds; -1: lost */
  GstHarness *harness;
} Stream;

static Stream new_stream(const Camera *camera, gboolean right, guint count)
{
  Stream stream = {camera, right, count, g_new(gint64, count), NULL};
  g_autoptr(GRand) chance = g_rand_new_with_seed(right ? 2 : 1);

  for (guint i = 0; i < count; i++) {
    gint64 jitter = camera->jitter * 1000;

    stream.times[i] = (gint64)((i + 2) * 1e6 / camera->rate) + camera->offset * 1000;
    stream.times[i] += jitter > 0 ? g_rand_int_range(chance, (gint32)-jitter, (gint32)jitter) : 0;
    if (camera->lost_one_in > 0 && g_rand_int_range(chance, 0, (gint32)camera->lost_one_in) == 0)
      stream.times[i] = -1;
  }
  return stream;
}

static gpointer play(gpointer data)
{
  Stream *stream = data;

  for (guint i = 0; i < stream->count; i++) {
    GstBuffer *view;

    if (stream->times[i] < 0)
      continue;
    view = stereo_view(
        "GRAY8", WIDTH, HEIGHT, stream->right, 1, stream->right ? 2 + (int)(i % CODES) : 0, 0);
    GST_BUFFER_PTS(view) = (GstClockTime)stream->times[i] * GST_USECOND;
    GST_BUFFER_DURATION(view) = FRAME_30;
    gst_harness_push(stream->harness, view);
  }
  gst_harness_push_event(stream->harness, gst_event_new_eos());
  return NULL;
}

/* ---- What came out ------------------------------------------------------------------------- */

typedef struct {
  guint count, left[MOST_PAIRS];
  gint64 skew[MOST_PAIRS]; /* microseconds by which the right view was behind */
  guint64 unpaired;
} Pairs;

static guint frame_at(const Stream *stream, GstClockTime time)
{
  for (guint i = 0; i < stream->count; i++)
    if (stream->times[i] == (gint64)(time / GST_USECOND))
      return i;
  fail("no frame of this time");
  return 0;
}

/* Returns the least skew between `left` and the right frames that give this disparity. */
static gint64 skew_of(const Stream *right, guint left, gint64 time, GstBuffer *disparity)
{
  guint code = (stereo_at(disparity, WIDTH, HEIGHT, 40, 8) + 128) / 256 - 2;
  gint64 skew = G_MAXINT64;

  fail_unless(code < CODES, "no match: two views of different streets");
  for (guint i = code; i < right->count; i += CODES)
    if (right->times[i] >= 0 && ABS(right->times[i] - time) < ABS(skew))
      skew = right->times[i] - time;
  return skew;
}

static void collect(Pairs *pairs, const Stream *left, const Stream *right)
{
  GstBuffer *buffer;

  while (gst_harness_pull_until_eos(left->harness, &buffer) && buffer != NULL) {
    guint i = frame_at(left, GST_BUFFER_PTS(buffer));

    fail_unless(pairs->count < MOST_PAIRS);
    pairs->left[pairs->count] = i;
    pairs->skew[pairs->count++] = skew_of(right, i, left->times[i], buffer);
    gst_buffer_unref(buffer);
  }
}

static void set_caps(GstHarness *harness, const Camera *camera)
{
  g_autofree gchar *caps = g_strdup_printf("video/x-raw,format=GRAY8,width=%d,height=%d%s%s", WIDTH,
      HEIGHT, *camera->caps ? "," : "", camera->caps);

  gst_harness_set_src_caps_str(harness, caps);
}

static void begin(Stream *stream, StereoPair *pair)
{
  stream->harness = gst_harness_new_with_element(
      pair->element, stream->right ? "sink_right" : "sink_left", stream->right ? NULL : "src");
  set_caps(stream->harness, stream->camera);
}

static Pairs run(const char *properties, const Camera *one, const Camera *other, guint count)
{
  g_auto(StereoPair) pair = stereo_element(properties);
  Stream left = new_stream(one, FALSE, count), right = new_stream(other, TRUE, count);
  GThread *threads[2];
  Pairs pairs = {0};

  begin(&left, &pair);
  begin(&right, &pair);
  pair.left = left.harness;
  pair.right = right.harness;
  threads[0] = g_thread_new("left", play, &left);
  threads[1] = g_thread_new("right", play, &right);
  collect(&pairs, &left, &right);
  g_thread_join(threads[0]);
  g_thread_join(threads[1]);
  pairs.unpaired = stx_test_count(pair.element, "unpaired");
  g_free(left.times);
  g_free(right.times);
  return pairs;
}

static void expect_skew(const Pairs *pairs, gdouble low, gdouble high)
{
  for (guint i = 0; i < pairs->count; i++) {
    gdouble skew = (gdouble)pairs->skew[i] / 1000;

    fail_unless(skew >= low && skew <= high, "left %u: a partner %.1f ms later, not %.1f … %.1f",
        pairs->left[i], skew, low, high);
  }
}

static void expect_count(const Pairs *pairs, guint low, guint high)
{
  fail_unless(pairs->count >= low && pairs->count <= high, "%u pairs, not %u … %u", pairs->count,
      low, high);
}

/* ---- Tests --------------------------------------------------------------------------------- */

#define EXACT 30000. / 1001 /* what cameras of 29.97 frames a second do */

/* A frame is left over whenever the skew has grown by a whole one: 33 s. */
STX_TEST(clocks_drift)
{
  const Camera fast = {RATE, 30}, slow = {RATE, EXACT};
  Pairs pairs = run("", &fast, &slow, 2000);

  expect_count(&pairs, 1996, 1998);
  expect_skew(&pairs, -19, 19);
  ck_assert_uint_ge(pairs.unpaired, 2);
  pairs = run("", &slow, &fast, 2000);
  expect_count(&pairs, 1996, 1998);
  expect_skew(&pairs, -19, 19);
}

STX_TEST(clocks_drift_and_stamps_jitter)
{
  const Camera fast = {RATE, 30, 0, 10}, slow = {RATE, EXACT, 0, 10};
  Pairs pairs = run("", &fast, &slow, 2000);

  expect_count(&pairs, 1900, 1998);
  expect_skew(&pairs, -FRAME_30 / 1e6, FRAME_30 / 1e6);
}

STX_TEST(jitter_around_an_offset_tears_nothing_apart)
{
  const Camera left = {RATE, 30}, right = {RATE, 30, 15, 10};
  Pairs pairs = run("", &left, &right, 600);

  expect_count(&pairs, 570, 600);
  /* 18 ms to the frame before is hardly more: the skew has to be learned. */
  for (guint i = 300; i < pairs.count; i++)
    fail_unless(pairs.skew[i] >= 5000 && pairs.skew[i] <= 25000);
}

STX_TEST(an_offset_is_no_matter)
{
  const Camera left = {RATE, 30}, later = {RATE, 30, 15}, earlier = {RATE, 30, -15};
  Pairs pairs = run("", &left, &later, 100);

  expect_count(&pairs, 100, 100);
  expect_skew(&pairs, 14.9, 15.1);
  pairs = run("", &left, &earlier, 100);
  expect_count(&pairs, 100, 100);
  expect_skew(&pairs, -15.1, -14.9);
  ck_assert_uint_eq(pairs.unpaired, 0);
}

/* A frame that lost its partner takes no other. */
STX_TEST(lost_frames_make_no_wrong_pair)
{
  const Camera left = {RATE, 30, 0, 4, 10}, right = {RATE, 30, 12, 4, 10};
  Pairs pairs = run("", &left, &right, 1000);

  expect_count(&pairs, 700, 900); /* .81 of them, on average */
  expect_skew(&pairs, 4, 20);
}

/* Half a frame is that of the faster camera. */
STX_TEST(one_camera_is_faster)
{
  const Camera slow = {"framerate=15/1", 15, 20}, fast = {RATE, 30};
  Pairs pairs = run("", &slow, &fast, 200);

  expect_count(&pairs, 98, 100);
  expect_skew(&pairs, 13.2, 13.4);
}

STX_TEST(a_rate_that_cannot_be_is_none)
{
  const Camera left = {RATE, 30}, right = {"framerate=90000/1", 30, 8};
  Pairs pairs = run("", &left, &right, 100);

  expect_count(&pairs, 100, 100);
  expect_skew(&pairs, 7.9, 8.1);
}

STX_TEST(tolerance_limits_the_distance)
{
  const Camera fast = {RATE, 30}, slow = {RATE, EXACT};
  Pairs pairs = run("tolerance=5", &fast, &slow, 2000);

  expect_skew(&pairs, -5, 5);
  expect_count(&pairs, 570, 630); /* 10 of 33.3 ms */
  pairs = run("tolerance=0", &fast, &fast, 100);
  expect_count(&pairs, 100, 100);
}

STX_TEST(a_large_tolerance_is_no_limit)
{
  const Camera fast = {RATE, 30}, slow = {RATE, EXACT};
  Pairs pairs = run("tolerance=100", &fast, &slow, 1000);

  expect_count(&pairs, 997, 999);
  expect_skew(&pairs, -19, 19);
}

STX_TEST(without_a_rate_there_is_only_the_tolerance)
{
  const Camera left = {"", 30}, later = {"", 30, 8}, near = {"", 30, 1};
  Pairs pairs = run("", &left, &later, 100);

  expect_count(&pairs, 0, 0);
  pairs = run("", &left, &near, 100);
  expect_count(&pairs, 100, 100);
  pairs = run("tolerance=10", &left, &later, 100);
  expect_count(&pairs, 100, 100);
}
