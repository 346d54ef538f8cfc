/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-stixels: pads that come and go, streams that change or end, states. */
#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/stereo_pair.h"

#define WIDTH 64
#define HEIGHT 32
#define STREET(more, view)                                                                         \
  "street-scene-src " more " view=" view " ! video/x-raw,width=64,height=32 ! "
#define SINK "fakesink sync=false async=false "
#define FED(more) STREET(more, "left") "s.sink_left " STREET(more, "right") "s.sink_right "

/* ---- Two harnesses ------------------------------------------------------------------------- */

static void send_caps(GstHarness *harness, int width, int height)
{
  g_autofree char *caps = stereo_caps("I420", width, height);

  gst_harness_set_src_caps_str(harness, caps);
}

static StereoPair new_pair(gboolean live)
{
  StereoPair pair = {.element = gst_element_factory_make("stereo-stixels", NULL)};

  gst_object_ref_sink(pair.element);
  pair.bus = stx_test_watch(pair.element);
  pair.left = gst_harness_new_with_element(pair.element, "sink_left", "src");
  pair.right = gst_harness_new_with_element(pair.element, "sink_right", NULL);
  gst_harness_set_live(pair.left, live);
  gst_harness_set_live(pair.right, live);
  send_caps(pair.left, WIDTH, HEIGHT);
  send_caps(pair.right, WIDTH, HEIGHT);
  return pair;
}

static GstBuffer *view(gboolean right, int number)
{
  return stereo_view("I420", WIDTH, HEIGHT, right, number, 5, number);
}

/* The next picture, of that moment, with stixels of pictures of that size. */
static void expect_picture(GstHarness *harness, int number, guint width)
{
  g_autoptr(GstBuffer) picture = gst_harness_pull(harness);
  GstStxStixelMeta *meta;

  fail_unless(picture != NULL, "no picture %d", number);
  meta = gst_buffer_get_stx_stixel_meta(picture);
  fail_unless(meta != NULL, "picture %d has no stixels", number);
  ck_assert_uint_eq(GST_BUFFER_PTS(picture), number * FRAME);
  ck_assert_uint_eq(meta->info.width, width);
}

/* One thread brings all of the left view and then all of the right one, as a demuxer may. */
STX_TEST(one_view_may_run_ahead)
{
  g_auto(StereoPair) pair = new_pair(FALSE);

  for (int i = 0; i < 40; i++)
    stereo_push_left(&pair, view(FALSE, i));
  for (int i = 0; i < 40; i++)
    stereo_push_right(&pair, view(TRUE, i));
  for (int i = 0; i < 40; i++)
    expect_picture(pair.left, i, WIDTH);
}

/* The thread of a camera or a file. */
typedef struct {
  GstHarness *left;
  gboolean untimed;
  gint pushed;
} Source;

static gpointer push_left(gpointer data)
{
  Source *source = data;

  for (int i = 0; i < 40; i++) {
    GstBuffer *frame = view(FALSE, i);

    if (source->untimed && i > 0)
      GST_BUFFER_PTS(frame) = GST_BUFFER_DURATION(frame) = GST_CLOCK_TIME_NONE;
    gst_harness_push(source->left, frame);
    g_atomic_int_inc(&source->pushed);
  }
  return NULL;
}

/* One whose partner hangs, and is waited for as long as it takes: a camera, a file, a file without
 * time stamps. Beside the frame that was paired, one each lies in the inputs and behind them, and
 * two on the matcher's pad; since 1.28 what lasts as long as the latency, ten without times. */
STX_TEST_LOOP(no_view_with_a_thread_of_its_own_runs_ahead, 3)
{
  g_auto(StereoPair) pair = new_pair(_i == 0);
  Source source = {.left = pair.left, .untimed = _i == 2};
  const gint most = !GST_CHECK_VERSION(1, 28, 0) ? 5 : source.untimed ? 13 : 6;
  GThread *thread;

  g_object_set(pair.element, "timeout", 0, NULL);
  stereo_push_right(&pair, view(TRUE, 0));
  thread = g_thread_new("source", push_left, &source);
  expect_picture(pair.left, 0, WIDTH);
  g_usleep(G_USEC_PER_SEC / 4);
  ck_assert_int_ge(g_atomic_int_get(&source.pushed), 3);
  ck_assert_int_le(g_atomic_int_get(&source.pushed), most);
  gst_element_set_state(pair.element, GST_STATE_NULL);
  g_thread_join(thread);
}

STX_TEST(both_views_may_change_their_size)
{
  g_auto(StereoPair) pair = new_pair(TRUE);

  for (int i = 0; i < 6; i++) {
    if (i == 3) {
      send_caps(pair.left, 2 * WIDTH, HEIGHT);
      send_caps(pair.right, 2 * WIDTH, HEIGHT);
    }
    for (int side = 0; side < 2; side++)
      gst_harness_push(side == 0 ? pair.left : pair.right,
          stereo_view("I420", i < 3 ? WIDTH : 2 * WIDTH, HEIGHT, side, i, 5, i));
  }
  for (int i = 0; i < 6; i++)
    expect_picture(pair.left, i, i < 3 ? WIDTH : 2 * WIDTH);
}

STX_TEST(frames_with_both_views_may_change_their_size)
{
  g_autoptr(GstElement) bin = gst_object_ref_sink(gst_element_factory_make("stereo-stixels", NULL));
  g_autoptr(Harness) harness = NULL;

  gst_util_set_object_arg(G_OBJECT(bin), "layout", "top-bottom");
  harness = gst_harness_new_with_element(bin, "sink", "src");
  for (int i = 0; i < 6; i++) {
    int height = i < 3 ? HEIGHT : 2 * HEIGHT;

    if (i % 3 == 0)
      send_caps(harness, WIDTH * 2, height * 2);
    gst_harness_push(harness, stereo_view("I420", WIDTH * 2, height * 2, FALSE, i, 5, i));
    expect_picture(harness, i, WIDTH * 2);
  }
}

STX_TEST(one_view_may_end)
{
  g_auto(StereoPair) pair = new_pair(TRUE);

  for (int i = 0; i < 5; i++)
    stereo_push_left(&pair, view(FALSE, i));
  for (int i = 0; i < 2; i++)
    stereo_push_right(&pair, view(TRUE, i));
  gst_harness_push_event(pair.right, gst_event_new_eos());
  gst_harness_push_event(pair.left, gst_event_new_eos());
  for (int i = 0; i < 2; i++)
    expect_picture(pair.left, i, WIDTH);
  stx_test_expect_event(pair.left, GST_EVENT_EOS);
}

/* ---- Requests ------------------------------------------------------------------------------ */

static GstPad *request(GstElement *bin, const char *name)
{
  return gst_element_request_pad_simple(bin, name);
}

static void release(GstElement *bin, GstPad *pad)
{
  gst_element_release_request_pad(bin, pad);
  gst_object_unref(pad);
}

STX_TEST(views_come_from_one_pad_or_two)
{
  g_autoptr(GstElement) bin = gst_object_ref_sink(gst_element_factory_make("stereo-stixels", NULL));
  g_autoptr(GstPad) left = request(bin, "sink_left");
  GstPad *right = request(bin, "sink_right"), *both;

  fail_unless(left != NULL && right != NULL);
  fail_unless(request(bin, "sink") == NULL);
  release(bin, left);
  fail_unless(request(bin, "sink") == NULL);
  release(bin, right);
  both = request(bin, "sink");
  fail_unless(both != NULL && request(bin, "sink_right") == NULL);
  release(bin, both);
  left = request(bin, "sink_left");
  fail_unless(left != NULL);
  release(bin, left);
  left = request(bin, "src_left"); /* left to the bin to release */
  fail_unless(left != NULL);
}

static void count(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  g_atomic_int_inc((gint *)data);
}

static void wait_for(const gint *counter, gint number)
{
  for (int i = 0; i < 2000 && g_atomic_int_get(counter) < number; i++)
    g_usleep(5000);
  ck_assert_int_ge(g_atomic_int_get(counter), number);
}

/* A counting sink behind the pad of a bin that plays. */
static GstElement *add_sink(GstElement *pipeline, GstPad *pad, gint *counter)
{
  GstElement *sink = gst_element_factory_make("fakesink", NULL);
  g_autoptr(GstPad) end = gst_element_get_static_pad(sink, "sink");

  g_object_set(sink, "sync", FALSE, "async", FALSE, "signal-handoffs", TRUE, NULL);
  g_signal_connect(sink, "handoff", G_CALLBACK(count), counter);
  gst_bin_add(GST_BIN(pipeline), sink);
  gst_element_sync_state_with_parent(sink);
  ck_assert_int_eq(gst_pad_link(pad, end), GST_PAD_LINK_OK);
  return sink;
}

static void remove_sink(GstElement *pipeline, GstElement *sink)
{
  gst_element_set_state(sink, GST_STATE_NULL);
  gst_bin_remove(GST_BIN(pipeline), sink);
}

static GstElement *play(const char *line)
{
  GstElement *pipeline = stx_test_parse(line);

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  return pipeline;
}

static void stop(GstElement *pipeline)
{
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);

  gst_element_set_state(pipeline, GST_STATE_NULL);
  stx_test_expect_silence(bus);
  gst_object_unref(pipeline);
}

static const char *const outputs[] = {"src_left", "src_disparity", "src_stixels"};

STX_TEST(outputs_come_and_go_while_it_plays)
{
  GstElement *pipeline =
      play("stereo-stixels name=s output=stixels ! identity name=i ! " SINK FED(""));
  g_autoptr(GstElement) bin = gst_bin_get_by_name(GST_BIN(pipeline), "s");

  for (guint turn = 0; turn < 6; turn++) {
    GstPad *pad = request(bin, outputs[turn % G_N_ELEMENTS(outputs)]);
    gint counter = 0;
    GstElement *sink = add_sink(pipeline, pad, &counter);

    wait_for(&counter, 3);
    release(bin, pad);
    remove_sink(pipeline, sink);
  }
  stop(pipeline);
}

typedef struct {
  GstElement *pipeline, *bin, *sources[2]; /* of the left and the right view */
  gint stixels, position;                  /* pictures with any; the last one's time in ms */
} Street;

static void see_picture(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  Street *street = data;
  g_autoptr(GstEvent) event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  guint64 time;

  gst_event_parse_segment(event, &segment);
  time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  g_atomic_int_set(&street->position, (gint)(time / GST_MSECOND));
  if (gst_buffer_get_stx_stixel_meta(buffer) != NULL)
    g_atomic_int_inc(&street->stixels);
}

/* The left view begins after all that the matcher may have of the right one: pictures that come
 * before it would wait for stixels. The right view catches up. */
static void add_source(Street *street, guint side)
{
  gint64 begin = g_atomic_int_get(&street->position) * (gint64)GST_MSECOND;

  GstElement *source = gst_parse_bin_from_description(
      side == 0 ? STREET("", "left") "identity" : STREET("", "right") "identity", TRUE, NULL);
  g_autoptr(GstPad) out = gst_element_get_static_pad(source, "src");

  street->sources[side] = source;
  if (begin != 0)
    gst_pad_set_offset(out, side == 0 ? begin + 5 * (gint64)GST_SECOND : begin);
  gst_bin_add(GST_BIN(street->pipeline), source);
  fail_unless(
      gst_element_link_pads(source, "src", street->bin, side == 0 ? "sink_left" : "sink_right"));
  gst_element_sync_state_with_parent(source);
}

static GstPadProbeReturn hold(GstPad *pad, GstPadProbeInfo *info, gpointer nothing)
{
  return GST_PAD_PROBE_OK;
}

/* Its next buffer has to wait, since there is no pad for it; earlier ones may be waiting in the
 * bin. */
static void release_source(Street *street, guint side)
{
  GstElement *source = street->sources[side];
  g_autoptr(GstPad) out = gst_element_get_static_pad(source, "src");
  GstPad *pad = gst_pad_get_peer(out);

  gst_pad_add_probe(out, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, hold, NULL, NULL);
  release(street->bin, pad);
  remove_sink(street->pipeline, source);
}

/* The other view does not run away meanwhile. */
static void replace_source(Street *street, guint side)
{
  g_autoptr(GstPad) other = gst_element_get_static_pad(street->sources[!side], "src");
  gulong probe = gst_pad_add_probe(other, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, hold, NULL, NULL);

  release_source(street, side);
  g_atomic_int_set(&street->stixels, 0);
  add_source(street, side);
  gst_pad_remove_probe(other, probe);
}

/* Threads wait in full queues all the while there. */
STX_TEST(views_come_and_go_where_nothing_is_live)
{
  Street street = {.pipeline = play("stereo-stixels name=s ! fakesink name=out sync=false "
                                    "async=false signal-handoffs=true")};
  g_autoptr(GstElement) out = gst_bin_get_by_name(GST_BIN(street.pipeline), "out");
  g_autoptr(GstBus) bus = gst_element_get_bus(street.pipeline);

  street.bin = gst_bin_get_by_name(GST_BIN(street.pipeline), "s");
  g_signal_connect(out, "handoff", G_CALLBACK(see_picture), &street);
  for (guint side = 0; side < 2; side++)
    add_source(&street, side);
  for (guint turn = 0; turn < 6; turn++) {
    wait_for(&street.stixels, 3);
    replace_source(&street, turn % 3 != 2);
  }
  wait_for(&street.stixels, 3);
  fail_unless(gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR) == NULL);
  gst_element_set_state(street.pipeline, GST_STATE_NULL);
  gst_object_unref(street.bin);
  gst_object_unref(street.pipeline);
}

/* Nothing moves in PAUSED: all queues are full, and the sources wait. */
STX_TEST(views_can_be_released_in_paused)
{
  for (guint side = 0; side < 2; side++) {
    Street street = {.pipeline = stx_test_parse("stereo-stixels name=s ! fakesink sync=true "
                                                "s.src_left ! fakesink sync=true")};

    street.bin = gst_bin_get_by_name(GST_BIN(street.pipeline), "s");
    add_source(&street, 0);
    add_source(&street, 1);
    gst_element_set_state(street.pipeline, GST_STATE_PAUSED);
    ck_assert_int_eq(gst_element_get_state(street.pipeline, NULL, NULL, 20 * GST_SECOND),
        GST_STATE_CHANGE_SUCCESS);
    g_usleep(G_USEC_PER_SEC / 5);
    release_source(&street, side);
    gst_object_unref(street.bin);
    stop(street.pipeline);
  }
}

/* As behind a demuxer that finds its streams late. */
STX_TEST(views_may_be_linked_late)
{
  gint counter = 0;
  GstElement *pipeline = play("stereo-stixels name=s ! fakesink name=out sync=false async=false "
                              "signal-handoffs=true");
  g_autoptr(GstElement) bin = gst_bin_get_by_name(GST_BIN(pipeline), "s");
  g_autoptr(GstElement) out = gst_bin_get_by_name(GST_BIN(pipeline), "out");

  g_signal_connect(out, "handoff", G_CALLBACK(count), &counter);
  for (int side = 0; side < 2; side++) {
    GstElement *source = gst_element_factory_make("street-scene-src", NULL);

    gst_util_set_object_arg(G_OBJECT(source), "view", side == 0 ? "left" : "right");
    gst_bin_add(GST_BIN(pipeline), source);
    fail_unless(gst_element_link_pads(source, "src", bin, side == 0 ? "sink_left" : "sink_right"));
    gst_element_sync_state_with_parent(source);
  }
  wait_for(&counter, 2);
  stop(pipeline);
}

#define ALL_OUTPUTS                                                                                \
  "stereo-stixels name=s ! " SINK "s.src_left ! " SINK "s.src_disparity ! " SINK                   \
  "s.src_stixels ! stixel-json ! " SINK

STX_TEST(the_end_comes_to_all_outputs)
{
  stx_test_runs(ALL_OUTPUTS FED("num-buffers=5"));
  stx_test_runs("stereo-stixels name=s s.src_disparity ! " SINK FED("num-buffers=5"));
}

STX_TEST(a_seek_flushes_all_of_it)
{
  gint counter = 0;
  GstElement *pipeline = play("stereo-stixels name=s ! fakesink name=out sync=false "
                              "signal-handoffs=true " FED(""));
  g_autoptr(GstElement) out = gst_bin_get_by_name(GST_BIN(pipeline), "out");

  g_signal_connect(out, "handoff", G_CALLBACK(count), &counter);
  for (int turn = 0; turn < 5; turn++) {
    wait_for(&counter, 2);
    fail_unless(
        gst_element_seek_simple(pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, turn * 10 * FRAME));
    g_atomic_int_set(&counter, 0);
  }
  wait_for(&counter, 2);
  stop(pipeline);
}

/* ---- Latency ------------------------------------------------------------------------------- */

static GstClockTime latency_of(const char *line)
{
  GstElement *pipeline = play(line);
  g_autoptr(GstQuery) query = gst_query_new_latency();
  GstClockTime least;
  gboolean live;

  ck_assert_int_eq(
      gst_element_get_state(pipeline, NULL, NULL, 20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  fail_unless(gst_element_query(pipeline, query));
  gst_query_parse_latency(query, &live, &least, NULL);
  fail_unless(live);
  stop(pipeline);
  return least;
}

#define LIVE(name)                                                                                 \
  STREET("is-live=true", "left")                                                                   \
  name ".sink_left " STREET("is-live=true", "right") name ".sink_right "

STX_TEST(latency_is_that_of_the_elements_inside)
{
  GstClockTime ours =
      latency_of("stereo-stixels name=s output=stixels ! fakesink sync=true " LIVE("s"));
  GstClockTime theirs = latency_of("stereo-sgm name=s ! downsample-transpose ! sat-dp-stixels ! "
                                   "queue ! fakesink sync=true " LIVE("s"));

  ck_assert_uint_eq(ours, theirs);
  ck_assert_uint_gt(ours, 0);
}

/* ---- States -------------------------------------------------------------------------------- */

/* The last output of a run with these properties. */
static gchar *run_with(
    GstElement *pipeline, const gchar *output, const gchar *segmentation, const gchar *obstacles)
{
  g_autoptr(GstElement) bin = gst_bin_get_by_name(GST_BIN(pipeline), "s");
  g_autoptr(GstElement) out = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  g_autoptr(GstPad) pad = gst_element_get_static_pad(out, "sink");
  g_autoptr(GstCaps) caps = NULL;
  gchar *text;

  gst_util_set_object_arg(G_OBJECT(bin), "output", output);
  gst_util_set_object_arg(G_OBJECT(bin), "segmentation", segmentation);
  gst_util_set_object_arg(G_OBJECT(bin), "obstacles", obstacles);
  gst_element_set_state(pipeline, GST_STATE_PAUSED);
  ck_assert_int_eq(
      gst_element_get_state(pipeline, NULL, NULL, 20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  caps = gst_pad_get_current_caps(pad);
  text = g_strdup(gst_structure_get_name(gst_caps_get_structure(caps, 0)));
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return text;
}

STX_TEST(what_comes_out_may_change_between_runs)
{
  static const gchar *const runs[][4] = {{"json", "stixels", "false", "application/x-json"},
      {"overlay", "segments", "false", "video/x-raw"},
      {"stixels", "segments", "false", "application/x-stixels"},
      {"overlay", "stixels", "true", "video/x-raw"},
      {"json", "stixels", "true", "application/x-json"},
      {"stixels", "stixels", "true", "application/x-stixels"},
      {"overlay", "stixels", "false", "video/x-raw"},
      {"json", "segments", "false", "application/x-json"}};
  g_autoptr(GstElement) pipeline =
      stx_test_parse("stereo-stixels name=s ! fakesink name=out " FED(""));

  for (guint i = 0; i < G_N_ELEMENTS(runs); i++) {
    g_autofree gchar *media = run_with(pipeline, runs[i][0], runs[i][1], runs[i][2]);

    ck_assert_str_eq(media, runs[i][3]);
  }
}

STX_TEST(states_come_and_go_without_pads)
{
  g_autoptr(GstElement) bin = gst_object_ref_sink(gst_element_factory_make("stereo-stixels", NULL));

  for (int cycle = 0; cycle < 50; cycle++) {
    ck_assert_int_ne(gst_element_set_state(bin, GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
    ck_assert_int_eq(gst_element_set_state(bin, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  }
}
