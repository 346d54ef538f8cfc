/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two live cameras with jitter and lost frames, of which now one, now the other stands still: while
 * the left one delivers, pictures come out, and afterwards there are stixels again.
 */
#include "gst/stixels/gststxmeta.h"
#include "tests/endurance/gauge.h"
#include "tests/endurance/lines.h"
#include "tests/gst/fixtures/util.h"

#define SIZE "width=96,height=64,framerate=30/1"
#define LOSS .01
#define JITTER_US 20000

/* Seconds between pictures. Short tests run beside others: they ask only whether pictures go on
 * during a stall, which is longer. */
#define LONGEST_PAUSE (endurance_is_full() ? .5 : 1.9)

#define LEAKY "queue leaky=downstream max-size-buffers=3 max-size-bytes=0 max-size-time=0"
#define CAMERAS(queue) ENDURANCE_STREET_WITH(queue, "is-live=true", SIZE)

/* What happens in each period of so many seconds. */
typedef struct {
  guint period, stall;     /* seconds */
  guint right[2], left[2]; /* when they stand still; 0: not at all */
} Times;

static const Times quick_times = {12, 2, {3, 0}, {7, 0}};
static const Times full_times = {90, 5, {10, 70}, {40, 70}};

typedef struct {
  const gchar *name, *line;
  /* What a camera has while it stands still comes afterwards. A view that comes late is waited for,
   * so that pictures may pause for as long as it stood still, but not longer. */
  gboolean late;
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
  gboolean late;
  guint frames, delivered;
} Camera;

typedef struct {
  GMutex lock;
  gint64 owed_since; /* the first left frame since the last picture; 0: none */
  gint64 longest;
  guint pictures, drawn, drawn_lately; /* lately: since the last stall */
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

static GstPadProbeReturn deliver(Camera *camera, const guint when[2])
{
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
  if (deliver(&scene->left, left->times->left) == GST_PAD_PROBE_DROP)
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

  return deliver(&scene->right, scene->right.times->right);
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

static GstPadProbeReturn look(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Scene *scene = data;
  gboolean drawn = gst_buffer_get_stx_stixel_meta(GST_PAD_PROBE_INFO_BUFFER(info)) != NULL;

  end_pause(scene);
  scene->pictures++;
  scene->drawn += drawn;
  scene->drawn_lately += drawn;
  return GST_PAD_PROBE_OK;
}

/* ---- Running ------------------------------------------------------------------------------- */

static Camera new_camera(guint32 seed, gboolean late)
{
  return (Camera){.times = endurance_is_full() ? &full_times : &quick_times,
      .chance = g_rand_new_with_seed(seed),
      .begin = g_get_monotonic_time(),
      .late = late};
}

/* One reading per second. */
static void watch(GstElement *pipeline, Scene *scene, GaugeRun *run)
{
  GstBus *bus = gst_element_get_bus(pipeline);

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  for (guint second = 0; second < run->length; second++) {
    GstMessage *error = gst_bus_timed_pop_filtered(bus, GST_SECOND, GST_MESSAGE_ERROR);

    fail_unless(error == NULL);
    gauge_step(run);
  }
  end_pause(scene);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
}

static void report(const Live *live, const Scene *scene)
{
  g_print("%s: left %u of %u frames, right %u of %u; %u pictures, %u drawn; longest pause %.2f s\n",
      live->name, scene->left.delivered, scene->left.frames, scene->right.delivered,
      scene->right.frames, scene->pictures, scene->drawn, (gdouble)scene->longest / 1e6);
}

static gdouble longest_pause(const Live *live)
{
  return LONGEST_PAUSE + (live->late ? endurance_length(quick_times.stall, full_times.stall) : 0);
}

GST_START_TEST(a_camera_stands_still)
{
  const Live *live = &lives[__i__];
  GaugeRun run = {live->name, endurance_length(live->quick, live->full), 0, {{0}}};
  GstElement *pipeline = stx_test_parse(live->line);
  Scene scene = {.left = new_camera(1, live->late), .right = new_camera(2, live->late)};

  g_mutex_init(&scene.lock);
  stx_test_probe(pipeline, "left", "src", GST_PAD_PROBE_TYPE_BUFFER, from_the_left, &scene);
  stx_test_probe(pipeline, "right", "src", GST_PAD_PROBE_TYPE_BUFFER, from_the_right, &scene);
  stx_test_probe(pipeline, "out", "sink", GST_PAD_PROBE_TYPE_BUFFER, look, &scene);
  watch(pipeline, &scene, &run);
  gst_object_unref(pipeline);
  g_rand_free(scene.left.chance);
  g_rand_free(scene.right.chance);
  g_mutex_clear(&scene.lock);
  report(live, &scene);
  fail_unless((gdouble)scene.longest / 1e6 < longest_pause(live));
  fail_unless(scene.drawn_lately > 0, "no stixels after a stall");
  gauge_judge(&run);
}
GST_END_TEST

static Suite *live_suite(void)
{
  Suite *suite = suite_create("live");
  TCase *tests = tcase_create("live");

  suite_add_tcase(suite, tests);
  tcase_set_timeout(tests, (int)endurance_length(60, 0));
  for (gsize i = 0; i < G_N_ELEMENTS(lives); i++)
    if (endurance_length(lives[i].quick, lives[i].full) > 0)
      tcase_add_loop_test(tests, a_camera_stands_still, (int)i, (int)i + 1);
  return suite;
}
GST_CHECK_MAIN(live)
