/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The latency that elements add to a pipeline: a frame if they wait for partners, and what their
 * work takes. */
#include "gst/core/delay.h"
#include "tests/gst/fixtures/util.h"

#define FRAME (GST_SECOND / 30)
#define UPSTREAM (20 * GST_MSECOND)
#define VIDEO(format) "video/x-raw,format=" format ",width=32,height=16,framerate=30/1"

/* ---- The measured work --------------------------------------------------------------------- */

/* So many frames of so many milliseconds; how often the report changes. */
static guint work(GstStxDelay *delay, guint frames, guint time)
{
  guint changes = 0;

  for (guint i = 0; i < frames; i++)
    changes += gst_stx_delay_note(delay, time * GST_MSECOND);
  return changes;
}

STX_TEST(quick_work_is_not_reported)
{
  GstStxDelay delay = {0};

  ck_assert_uint_eq(work(&delay, 1000, 4), 0);
  ck_assert_uint_eq(delay.reported, 0);
}

STX_TEST(slow_work_is_reported_after_a_few_frames)
{
  GstStxDelay delay = {0};

  ck_assert_uint_eq(work(&delay, 1, 900), 0); /* the first makes everything ready */
  ck_assert_uint_eq(work(&delay, 2, 40), 0);
  ck_assert_uint_eq(work(&delay, 1, 40), 1);
  ck_assert_uint_eq(delay.reported, 45 * GST_MSECOND);
  ck_assert_uint_eq(work(&delay, 1000, 40), 0);
}

STX_TEST(it_follows_but_not_every_frame)
{
  GstStxDelay delay = {0};

  work(&delay, 10, 40);
  ck_assert_uint_eq(work(&delay, 1, 300), 0); /* one slow frame */
  ck_assert_uint_eq(work(&delay, 100, 40), 0);
  ck_assert_uint_le(work(&delay, 100, 80), 4);
  ck_assert_uint_ge(delay.reported, 65 * GST_MSECOND);
  ck_assert_uint_le(delay.reported, 95 * GST_MSECOND);
  ck_assert_uint_le(work(&delay, 1000, 1), 4);
  ck_assert_uint_le(delay.reported, 12 * GST_MSECOND);
}

/* ---- Elements ------------------------------------------------------------------------------ */

typedef struct {
  const char *factory, *pads[2], *caps[2];
  guint frames; /* that it adds to the latency of its input */
} Element;

static const Element elements[] = {
    {"stereo-sgm", {"sink_left", "sink_right"}, {VIDEO("GRAY8"), VIDEO("I420")}, 1},
    {"stereo-sgm", {"sink"}, {VIDEO("GRAY8") ",multiview-mode=(string)side-by-side"}, 0},
    {"downsample-transpose", {"sink"}, {VIDEO("GRAY16_LE")}, 0},
    {"downsample-transpose", {"sink", "confidence"}, {VIDEO("GRAY16_LE"), VIDEO("GRAY8")}, 1},
    {"stixel-overlay", {"sink"}, {VIDEO("RGB")}, 0},
};

STX_TEST_LOOP(who_waits_for_partners_reports_a_frame, G_N_ELEMENTS(elements))
{
  const Element *one = &elements[_i];
  g_autoptr(GstElement) element = gst_object_ref_sink(gst_element_factory_make(one->factory, NULL));
  g_autoptr(Harness) first = NULL;
  GstHarness *second = NULL;

  if (one->pads[1] != NULL)
    second = gst_harness_new_with_element(element, one->pads[1], NULL);
  first = gst_harness_new_with_element(element, one->pads[0], "src");
  gst_harness_set_upstream_latency(first, UPSTREAM);
  gst_harness_set_src_caps_str(first, one->caps[0]);
  if (second != NULL) {
    gst_harness_set_upstream_latency(second, UPSTREAM);
    gst_harness_set_src_caps_str(second, one->caps[1]);
  }
  /* Nothing has come yet. */
  ck_assert_uint_eq(gst_harness_query_latency(first), UPSTREAM + one->frames * FRAME);
  if (second != NULL)
    gst_harness_teardown(second);
}

/* ---- A pipeline ---------------------------------------------------------------------------- */

#define STREET(view, format)                                                                       \
  "street-scene-src is-live=true view=" view                                                       \
  " ! video/x-raw,width=64,height=32,framerate=10/1,format=" format

static GstClockTime latency_of(GstElement *pipeline)
{
  g_autoptr(GstElement) overlay = gst_bin_get_by_name(GST_BIN(pipeline), "overlay");
  g_autoptr(GstPad) src = gst_element_get_static_pad(overlay, "src");
  g_autoptr(GstQuery) query = gst_query_new_latency();
  GstClockTime least, most;
  gboolean live;

  fail_unless(gst_pad_query(src, query));
  gst_query_parse_latency(query, &live, &least, &most);
  fail_unless(live);
  fail_unless(most >= least);
  return least;
}

static GstPadProbeReturn hold(GstPad *pad, GstPadProbeInfo *info, gpointer holds)
{
  g_atomic_int_set((gint *)holds, TRUE);
  return GST_PAD_PROBE_OK; /* a blocking probe goes on blocking */
}

/* A sink that plays by what is reported before the first frame is late from the start otherwise. */
STX_TEST(a_live_pipeline_knows_it_before_the_first_frame)
{
  g_autoptr(GstElement) pipeline = stx_test_parse(
      "stereo-sgm name=sgm ! downsample-transpose ! sat-dp-stixels ! "
      "overlay.stixels stixel-overlay name=overlay ! fakesink sync=true " STREET(
          "left", "GRAY8") " ! tee name=left "
                           "left. ! queue ! sgm.sink_left left. ! queue ! videoconvert ! "
                           "overlay.sink " STREET("right", "GRAY8") " ! queue ! sgm.sink_right");

  gint holds = FALSE;

  stx_test_probe(pipeline, "overlay", "src", GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER,
      hold, &holds);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  while (!g_atomic_int_get(&holds)) /* or until the test's time is over */
    g_usleep(1000);
  ck_assert_uint_eq(latency_of(pipeline), 200 * GST_MSECOND);
  gst_element_set_state(pipeline, GST_STATE_NULL);
}

/* GstAggregator warns with every frame where queues are too short. */
STX_TEST(a_latency_that_cannot_be_is_said_once)
{
  g_autoptr(GstElement) element =
      gst_object_ref_sink(gst_element_factory_make("lidar-overlay", NULL));
  g_autoptr(Watch) bus = stx_test_watch(element);

  for (int i = 0; i < 3; i++)
    GST_ELEMENT_WARNING(element, CORE, CLOCK, (NULL), ("Impossible to configure latency"));
  stx_test_expect_warning(bus, "clock problem");
}
