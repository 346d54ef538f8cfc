/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two live cameras with jitter and lost frames, of which now one, now the other stands still: while
 * the left one delivers, pictures come out, no pair is a wrong one, the latency is what is
 * reported, and afterwards there are stixels again.
 */
#include <gst/video/video.h>

#include "gst/stixels/stixels.h"
#include "tests/endurance/gauge.h"
#include "tests/endurance/lines.h"
#include "tests/gst/fixtures/util.h"

#define WIDTH 96
#define HEIGHT 64
#define SIZE "width=96,height=64,framerate=30/1"
#define FRAME (GST_SECOND / 30)
#define LOSS .01
#define JITTER_US 20000

/* Rows at the bottom say the number of a frame: both views have the same texture there, the right
 * one shifted, so that the disparity is the number modulo CODES. */
#define BAND 20
#define CODES 16
#define LEAST_SHIFT 2

/* Seconds between pictures. Short tests run beside others: they ask only whether pictures go on
 * during a stall, which is longer. */
#define LONGEST_PAUSE (endurance_is_full() ? .5 : 1.9)

#define LEAKY "queue leaky=downstream max-size-buffers=3 max-size-bytes=0 max-size-time=0"
#define CAMERAS(queue) ENDURANCE_STREET_WITH(queue, "is-live=true", SIZE)

/* The events in each period of so many seconds. */
typedef struct {
  guint period, stall;     /* seconds */
  guint right[2], left[2]; /* when they stand still; 0: not at all */
} Times;

static const Times quick_times = {12, 2, {3, 0}, {7, 0}};
static const Times full_times = {90, 5, {10, 70}, {40, 70}};

typedef struct {
  const gchar *name, *line;
  gboolean late;     /* what a camera has when it stands still comes afterwards */
  guint quick, full; /* seconds; 0: not at all */
} Live;

static const Live lives[] = {
    {"plain queues", ENDURANCE_WHOLE CAMERAS("queue"), FALSE, 12, 600},
    {"leaky queues", ENDURANCE_WHOLE_WITH(LEAKY) CAMERAS(LEAKY), FALSE, 0, 180},
    {"frames that come late", ENDURANCE_WHOLE CAMERAS("queue"), TRUE, 0, 180},
};

/* ---- The cameras --------------------------------------------------------------------------- */

typedef struct {
  const Times *times;
  GRand *chance;
  gint64 begin;
  gboolean late, right;
  guint frames, delivered;
} Camera;

typedef struct {
  GMutex lock;
  gint64 owed_since; /* the first left frame since the last picture; 0: none */
  gint64 longest;
  guint pictures, drawn, drawn_lately; /* lately: since the last stall */
  guint pairs, wrong;
  GArray *latencies; /* of those drawn, nanoseconds */
  GstClockTime reported;
  Camera left, right;
} Scene;

static gboolean stands_still(const Camera *camera, const guint when[2])
{
  guint second = (guint)((g_get_monotonic_time() - camera->begin) / G_USEC_PER_SEC);

  second %= camera->times->period;
  for (guint i = 0; i < 2; i++)
    if (when[i] > 0 && second >= when[i] && second < when[i] + camera->times->stall)
      return TRUE;
  return FALSE;
}

/* A gray value for every place: a small integer hash. */
static guint8 texture(guint x, guint y)
{
  guint32 value = x * 2246822519u ^ y * 3266489917u;

  value = (value ^ value >> 15) * 2654435761u;
  return value >> 24;
}

static void write_number(GstPadProbeInfo *info, gboolean right)
{
  GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  guint shift = right ? LEAST_SHIFT + (guint)(GST_BUFFER_OFFSET(buffer) % CODES) : 0;
  guint channels = right ? 1 : 3;
  GstMapInfo map;

  fail_unless(gst_buffer_map(buffer, &map, GST_MAP_WRITE));
  for (guint y = HEIGHT - BAND; y < HEIGHT; y++)
    for (guint x = 0; x < WIDTH * channels; x++)
      map.data[y * WIDTH * channels + x] = texture(x / channels + shift, y);
  gst_buffer_unmap(buffer, &map);
  info->data = buffer;
}

static GstPadProbeReturn deliver(Camera *camera, GstPadProbeInfo *info, const guint when[2])
{
  write_number(info, camera->right);
  camera->frames++;
  while (camera->late && stands_still(camera, when))
    g_usleep(G_USEC_PER_SEC / 100);
  if (stands_still(camera, when) || g_rand_double(camera->chance) < LOSS)
    return GST_PAD_PROBE_DROP;
  g_usleep((gulong)g_rand_int_range(camera->chance, 0, JITTER_US));
  camera->delivered++;
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn from_the_left(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Scene *scene = data;
  const Camera *left = &scene->left;

  if (stands_still(left, left->times->right) || stands_still(left, left->times->left))
    scene->drawn_lately = 0;
  if (deliver(&scene->left, info, left->times->left) == GST_PAD_PROBE_DROP)
    return GST_PAD_PROBE_DROP;
  g_mutex_lock(&scene->lock);
  if (scene->owed_since == 0)
    scene->owed_since = g_get_monotonic_time();
  g_mutex_unlock(&scene->lock);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn from_the_right(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Scene *scene = data;

  return deliver(&scene->right, info, scene->right.times->right);
}

/* ---- The pairs ----------------------------------------------------------------------------- */

static int order(const void *a, const void *b)
{
  return *(const guint16 *)a - *(const guint16 *)b;
}

/* The median disparity of the band, in pixels. */
static guint read_shift(GstBuffer *disparity)
{
  guint16 row[WIDTH / 2];
  GstMapInfo map;

  fail_unless(gst_buffer_map(disparity, &map, GST_MAP_READ));
  for (guint i = 0; i < WIDTH / 2; i++)
    row[i] = GST_READ_UINT16_LE(map.data + 2 * ((HEIGHT - BAND / 2) * WIDTH + WIDTH / 3 + i));
  gst_buffer_unmap(disparity, &map);
  qsort(row, WIDTH / 2, sizeof(*row), order);
  return (row[WIDTH / 4] + 128u) / 256;
}

static GstPadProbeReturn check_pair(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *disparity = GST_PAD_PROBE_INFO_BUFFER(info);
  guint number = (guint)(GST_BUFFER_OFFSET(disparity) % CODES);
  Scene *scene = data;

  scene->pairs++;
  scene->wrong += read_shift(disparity) != LEAST_SHIFT + number;
  return GST_PAD_PROBE_OK;
}

/* ---- The pictures -------------------------------------------------------------------------- */

static void end_pause(Scene *scene)
{
  g_mutex_lock(&scene->lock);
  if (scene->owed_since > 0)
    scene->longest = MAX(scene->longest, g_get_monotonic_time() - scene->owed_since);
  scene->owed_since = 0;
  g_mutex_unlock(&scene->lock);
}

static void measure(Scene *scene, GstPad *pad, GstBuffer *picture)
{
  g_autoptr(GstElement) sink = gst_pad_get_parent_element(pad);
  GstClockTime now = gst_element_get_current_running_time(sink), latency;

  if (!GST_CLOCK_TIME_IS_VALID(now) || now < GST_BUFFER_PTS(picture))
    return;
  latency = now - GST_BUFFER_PTS(picture);
  g_array_append_val(scene->latencies, latency);
}

static GstPadProbeReturn look(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Scene *scene = data;
  gboolean drawn = gst_buffer_get_stx_stixel_meta(GST_PAD_PROBE_INFO_BUFFER(info)) != NULL;

  end_pause(scene);
  scene->pictures++;
  scene->drawn += drawn;
  scene->drawn_lately += drawn;
  if (drawn)
    measure(scene, pad, GST_PAD_PROBE_INFO_BUFFER(info));
  return GST_PAD_PROBE_OK;
}

/* ---- Running ------------------------------------------------------------------------------- */

static Camera new_camera(gboolean right, gboolean late)
{
  return (Camera){.times = endurance_is_full() ? &full_times : &quick_times,
      .chance = g_rand_new_with_seed(right ? 2 : 1),
      .begin = g_get_monotonic_time(),
      .late = late,
      .right = right};
}

/* Without what the sink adds. */
static GstClockTime reported_latency(GstElement *pipeline)
{
  g_autoptr(GstElement) overlay = gst_bin_get_by_name(GST_BIN(pipeline), "overlay");
  g_autoptr(GstPad) src = gst_element_get_static_pad(overlay, "src");
  g_autoptr(GstQuery) query = gst_query_new_latency();
  GstClockTime latency;

  fail_unless(gst_pad_query(src, query));
  gst_query_parse_latency(query, NULL, &latency, NULL);
  return latency;
}

/* Handles messages until then. An element that reports a new latency wants it to be used. */
static void answer_messages(GstElement *pipeline, GstBus *bus, gint64 end)
{
  GstMessage *message;

  while (g_get_monotonic_time() < end) {
    message =
        gst_bus_timed_pop_filtered(bus, GST_SECOND / 10, GST_MESSAGE_ERROR | GST_MESSAGE_LATENCY);
    if (message == NULL)
      continue;
    fail_unless(GST_MESSAGE_TYPE(message) == GST_MESSAGE_LATENCY);
    gst_bin_recalculate_latency(GST_BIN(pipeline));
    gst_message_unref(message);
  }
}

/* One reading per second, of those that say which camera stands still. */
static void watch(GstElement *pipeline, Scene *scene, GaugeRun *run)
{
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  for (guint second = 0; second < run->length; second++) {
    answer_messages(pipeline, bus, scene->left.begin + (gint64)(second + 1) * G_USEC_PER_SEC);
    gauge_step(run);
  }
  end_pause(scene);
  scene->reported = reported_latency(pipeline);
  gst_element_set_state(pipeline, GST_STATE_NULL);
}

static int order_times(const void *a, const void *b)
{
  GstClockTime first = *(const GstClockTime *)a, second = *(const GstClockTime *)b;

  return first < second ? -1 : first > second;
}

/* The latency that so many of 100 pictures have at most. */
static GstClockTime latency_of(const Scene *scene, guint percent)
{
  guint count = scene->latencies->len;

  fail_unless(count > 0);
  qsort(scene->latencies->data, count, sizeof(GstClockTime), order_times);
  return g_array_index(scene->latencies, GstClockTime, (count - 1) * percent / 100);
}

static void report(const Live *live, const Scene *scene)
{
  g_print("%s: left %u of %u frames, right %u of %u; %u pairs, %u wrong; %u pictures, %u drawn; "
          "longest pause %.2f s; latency %.1f ms, 95 %% of the pictures within %.1f ms, reported "
          "%.1f ms\n",
      live->name, scene->left.delivered, scene->left.frames, scene->right.delivered,
      scene->right.frames, scene->pairs, scene->wrong, scene->pictures, scene->drawn,
      (gdouble)scene->longest / 1e6, (gdouble)latency_of(scene, 50) / 1e6,
      (gdouble)latency_of(scene, 95) / 1e6, (gdouble)scene->reported / 1e6);
}

static void judge(const Scene *scene)
{
  fail_unless(scene->wrong == 0);
  fail_unless((gdouble)scene->longest / 1e6 < LONGEST_PAUSE);
  fail_unless(scene->drawn_lately > 0, "no stixels after a stall");
  if (endurance_is_full())
    fail_unless(
        ABS(GST_CLOCK_DIFF(scene->reported, latency_of(scene, 50))) < (GstClockTimeDiff)FRAME);
}

STX_TEST_LOOP(a_camera_stands_still, G_N_ELEMENTS(lives))
{
  const Live *live = &lives[_i];
  GaugeRun run = {live->name, endurance_length(live->quick, live->full), 0, {{0}}};
  g_autoptr(GstElement) pipeline = stx_test_parse(live->line);
  Scene scene = {.left = new_camera(FALSE, live->late), .right = new_camera(TRUE, live->late)};

  if (run.length == 0)
    return;
  g_mutex_init(&scene.lock);
  scene.latencies = g_array_sized_new(FALSE, FALSE, sizeof(GstClockTime), 31 * run.length);
  stx_test_probe(pipeline, "left", "src", GST_PAD_PROBE_TYPE_BUFFER, from_the_left, &scene);
  stx_test_probe(pipeline, "right", "src", GST_PAD_PROBE_TYPE_BUFFER, from_the_right, &scene);
  stx_test_probe(pipeline, "sgm", "src", GST_PAD_PROBE_TYPE_BUFFER, check_pair, &scene);
  stx_test_probe(pipeline, "out", "sink", GST_PAD_PROBE_TYPE_BUFFER, look, &scene);
  watch(pipeline, &scene, &run);
  g_rand_free(scene.left.chance);
  g_rand_free(scene.right.chance);
  g_mutex_clear(&scene.lock);
  report(live, &scene);
  judge(&scene);
  g_array_unref(scene.latencies);
  gauge_judge(&run);
}

double stx_test_prepare(void)
{
  return endurance_length(60, 0);
}
