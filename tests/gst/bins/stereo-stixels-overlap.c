/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-stixels, overlap: two pairs at once give what one after the other gives, whatever comes
 * between them. With threads=4, which a machine of any size takes. */
#include <string.h>

#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/util.h"

#define VIEW(view, more, width)                                                                    \
  "street-scene-src view=" view " " more " ! video/x-raw,width=" width ",height=96,framerate=10/"  \
  "1 "
#define FED(more)                                                                                  \
  VIEW("left", more, "160") "! s.sink_left " VIEW("right", more, "160") "! s.sink_right "
#define SINK "fakesink sync=false async=false "
#define OUT "fakesink name=out sync=false signal-handoffs=true "
#define BIN(overlap) "stereo-stixels name=s threads=4 overlap=" overlap " "

/* ---- What comes out ------------------------------------------------------------------------ */

static void add_bytes(GChecksum *sum, GstBuffer *buffer)
{
  GstMapInfo map;

  fail_unless(gst_buffer_map(buffer, &map, GST_MAP_READ));
  g_checksum_update(sum, map.data, (gssize)map.size);
  gst_buffer_unmap(buffer, &map);
}

static void take(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  GstStxConfidenceMeta *confidence = gst_buffer_get_stx_confidence_meta(buffer);
  guint64 pts = GST_BUFFER_PTS(buffer);

  g_checksum_update(data, (const guchar *)&pts, sizeof pts);
  add_bytes(data, buffer);
  if (confidence != NULL)
    add_bytes(data, confidence->confidence);
}

/* Times and bytes of all that comes to the sink `out` of a line with one %s, for the bin. */
static gchar *digest(const char *line, const char *bin)
{
  gchar **parts = g_strsplit(line, "%s", 2), *whole = g_strjoinv(bin, parts), *text;
  GstElement *pipeline = stx_test_parse(whole);
  GstElement *out = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  GstBus *bus = gst_element_get_bus(pipeline);
  GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA1);
  GstMessage *message;

  g_signal_connect(out, "handoff", G_CALLBACK(take), sum);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered(bus, 30 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless(message != NULL && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS, "%s", whole);
  gst_message_unref(message);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(out);
  gst_object_unref(pipeline);
  text = g_strdup(g_checksum_get_string(sum));
  g_checksum_free(sum);
  g_strfreev(parts);
  g_free(whole);
  return text;
}

/* Sizes change in the middle, twice. */
#define PART(view, width) VIEW(view, "num-buffers=3", width) "! concat-" view ". "
#define CHANGING(view)                                                                             \
  "concat name=concat-" view " ! s.sink_" view " " PART(view, "160") PART(view, "192")             \
      PART(view, "128")

static const char *const lines[] = {
    "%s output=stixels ! " OUT FED("num-buffers=9"),
    "%s ! " OUT FED("num-buffers=9"),
    "%s output=json obstacles=true paths=8 ! " OUT FED("num-buffers=9"),
    "%s s.src_disparity ! " OUT FED("num-buffers=9"),
    "%s output=stixels ! " OUT FED("num-buffers=1"),
    "%s output=stixels ! " OUT CHANGING("left") CHANGING("right"),
};

GST_START_TEST(two_at_once_give_the_bytes_of_one_after_the_other)
{
  gchar *off = digest(lines[__i__], BIN("off")), *on = digest(lines[__i__], BIN("on"));
  gchar *automatic = digest(lines[__i__], BIN("auto"));

  ck_assert_str_eq(on, off);
  ck_assert_str_eq(automatic, off);
  g_free(automatic);
  g_free(on);
  g_free(off);
}
GST_END_TEST

/* ---- Whether there are two ----------------------------------------------------------------- */

typedef struct {
  gint buffers, deferred;
} Seen;

static GstPadProbeReturn see(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  gpointer state = NULL;
  Seen *seen = data;
  GstMeta *meta;

  g_atomic_int_inc(&seen->buffers);
  while ((meta = gst_buffer_iterate_meta(buffer, &state)) != NULL)
    if (strcmp(g_type_name(meta->info->type), "GstStxDeferredMeta") == 0)
      g_atomic_int_inc(&seen->deferred);
  return GST_PAD_PROBE_OK;
}

static void wait_until_end(GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *message =
      gst_bus_timed_pop_filtered(bus, 30 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  fail_unless(message != NULL && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS);
  gst_message_unref(message);
  gst_object_unref(bus);
}

static void expect_stats(GstElement *pipeline, guint64 frames)
{
  GstElement *matcher = gst_bin_get_by_name(GST_BIN(pipeline), "sgm");
  GstStructure *stats;
  gint64 longest;
  guint64 count;

  g_object_get(matcher, "stats", &stats, NULL);
  fail_unless(gst_structure_get_uint64(stats, "frames", &count));
  fail_unless(gst_structure_get_int64(stats, "processing-time-max", &longest));
  ck_assert_uint_eq(count, frames);
  ck_assert_int_gt(longest, 0);
  gst_structure_free(stats);
  gst_object_unref(matcher);
}

/* Of eight frames, how many leave the matcher, and how many of these uncomputed; behind the queue
 * none is. A machine that is too slow for a live source gets fewer. */
static Seen watch_matcher(const char *line)
{
  gboolean live = strstr(line, "is-live=true") != NULL;
  GstElement *pipeline = stx_test_parse(line);
  Seen before = {0}, behind = {0};

  stx_test_probe(pipeline, "queue-disparity", "sink", GST_PAD_PROBE_TYPE_BUFFER, see, &before);
  stx_test_probe(pipeline, "disparity", "sink", GST_PAD_PROBE_TYPE_BUFFER, see, &behind);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  wait_until_end(pipeline);
  expect_stats(pipeline, (guint64)before.buffers);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  ck_assert_int_ge(before.buffers, live ? 2 : 8);
  ck_assert_int_eq(behind.buffers, before.buffers);
  ck_assert_int_eq(behind.deferred, 0);
  gst_object_unref(pipeline);
  return before;
}

static void expect_overlap(const char *line, gboolean all)
{
  Seen seen = watch_matcher(line);

  ck_assert_int_eq(seen.deferred, all ? seen.buffers : 0);
}

#define EIGHT(bin, more) bin "output=stixels ! fakesink sync=false " FED("num-buffers=8 " more)

GST_START_TEST(pairs_overlap_where_they_may)
{
  expect_overlap(EIGHT(BIN("on"), ""), TRUE);
  expect_overlap(EIGHT(BIN("on"), "is-live=true"), TRUE);
  expect_overlap(EIGHT(BIN("off"), ""), FALSE);
  expect_overlap(EIGHT(BIN("auto"), "is-live=true"), FALSE);
  expect_overlap(EIGHT("stereo-stixels name=s threads=1 overlap=on ", ""), FALSE);
  ck_assert_int_lt(watch_matcher(EIGHT(BIN("auto"), "")).deferred, 8); /* the first never does */
}
GST_END_TEST

/* Without a bin nobody waits for what is uncomputed. */
GST_START_TEST(a_matcher_alone_computes_at_once)
{
  GstElement *pipeline = stx_test_parse("stereo-sgm name=s threads=4 ! queue name=q ! "
                                        "fakesink sync=false " FED("num-buffers=8"));
  Seen seen = {0};

  stx_test_probe(pipeline, "q", "sink", GST_PAD_PROBE_TYPE_BUFFER, see, &seen);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  wait_until_end(pipeline);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  ck_assert_int_eq(seen.buffers, 8);
  ck_assert_int_eq(seen.deferred, 0);
  gst_object_unref(pipeline);
}
GST_END_TEST

/* ---- Interruptions ------------------------------------------------------------------------- */

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

GST_START_TEST(a_seek_drops_what_is_on_its_way)
{
  gint counter = 0;
  GstElement *pipeline = stx_test_parse(BIN("on") "! " OUT FED(""));
  GstElement *out = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  GstBus *bus = gst_element_get_bus(pipeline);

  g_signal_connect(out, "handoff", G_CALLBACK(count), &counter);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  wait_for(&counter, 1);
  for (int turn = 0; turn < 12; turn++) {
    wait_for(&counter, turn % 3);
    fail_unless(
        gst_element_seek_simple(pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, turn * GST_SECOND));
    g_atomic_int_set(&counter, 0);
  }
  wait_for(&counter, 5);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  stx_test_expect_silence(bus);
  gst_object_unref(bus);
  gst_object_unref(out);
  gst_object_unref(pipeline);
}
GST_END_TEST

GST_START_TEST(states_change_while_pairs_are_matched)
{
  static const GstState states[] = {
      GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY};
  GstElement *pipeline = stx_test_parse(BIN("on") "! fakesink sync=false " FED(""));

  for (guint i = 0; i < 8 * G_N_ELEMENTS(states); i++) {
    gst_element_set_state(pipeline, states[i % G_N_ELEMENTS(states)]);
    ck_assert_int_eq(
        gst_element_get_state(pipeline, NULL, NULL, 10 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}
GST_END_TEST

static void run_and_stop(void)
{
  gint counter = 0;
  GstElement *pipeline = stx_test_parse(BIN("on") "! " OUT FED(""));
  GstElement *out = gst_bin_get_by_name(GST_BIN(pipeline), "out");

  g_signal_connect(out, "handoff", G_CALLBACK(count), &counter);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  wait_for(&counter, 2);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(out);
  gst_object_unref(pipeline);
}

GST_START_TEST(what_was_on_its_way_is_given_back)
{
  stx_test_no_leaks(run_and_stop);
}
GST_END_TEST

/* ---- Errors -------------------------------------------------------------------------------- */

#define SHORT(view)                                                                                \
  "fakesrc num-buffers=6 sizetype=fixed sizemax=999 filltype=zero format=time ! "                  \
  "video/x-raw,format=GRAY8,width=160,height=96,framerate=10/1 ! s.sink_" view " "

#define SIZED(view, width)                                                                         \
  "street-scene-src num-buffers=6 view=" view " ! video/x-raw,height=96,width=" width              \
  " ! s.sink_" view " "

GST_START_TEST(errors_come_from_both_sides_of_the_matcher)
{
  stx_test_breaks(
      BIN("on") "! " SINK SHORT("left") SHORT("right"), "No frame of pad", "160x96", NULL);
  stx_test_breaks(BIN("on") "! " SINK SIZED("left", "160") SIZED("right", "176"), "differ", NULL);
  stx_test_breaks(BIN("on") "output=json ! filesink location=/dev/full " FED(""), "space", NULL);
  stx_test_breaks(BIN("on") "! identity error-after=3 ! " SINK FED(""), "Failed", NULL);
}
GST_END_TEST

/* ---- Latency ------------------------------------------------------------------------------- */

static GstClockTime latency_of(const char *line)
{
  GstElement *pipeline = stx_test_parse(line);
  GstElement *out = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  GstPad *sink = gst_element_get_static_pad(out, "sink");
  GstQuery *query = gst_query_new_latency();
  GstClockTime shortest, longest;
  gint counter = 0;
  gboolean live;

  g_signal_connect(out, "handoff", G_CALLBACK(count), &counter);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  wait_for(&counter, 1);
  fail_unless(gst_pad_peer_query(sink, query));
  gst_query_parse_latency(query, &live, &shortest, &longest);
  fail_unless(live);
  gst_query_unref(query);
  gst_object_unref(sink);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(out);
  gst_object_unref(pipeline);
  return shortest;
}

GST_START_TEST(a_live_pair_waits_for_no_other)
{
  ck_assert_uint_eq(latency_of(BIN("on") "output=stixels ! " OUT FED("is-live=true")),
      latency_of(BIN("off") "output=stixels ! " OUT FED("is-live=true")));
}
GST_END_TEST

static Suite *stereo_stixels_overlap_suite(void)
{
  Suite *suite = suite_create("stereo-stixels-overlap");
  TCase *tests = tcase_create("stereo-stixels-overlap");

  suite_add_tcase(suite, tests);
  tcase_add_loop_test(
      tests, two_at_once_give_the_bytes_of_one_after_the_other, 0, G_N_ELEMENTS(lines));
  tcase_add_test(tests, pairs_overlap_where_they_may);
  tcase_add_test(tests, a_matcher_alone_computes_at_once);
  tcase_add_test(tests, a_seek_drops_what_is_on_its_way);
  tcase_add_test(tests, states_change_while_pairs_are_matched);
  tcase_add_test(tests, what_was_on_its_way_is_given_back);
  tcase_add_test(tests, errors_come_from_both_sides_of_the_matcher);
  tcase_add_test(tests, a_live_pair_waits_for_no_other);
  return suite;
}
GST_CHECK_MAIN(stereo_stixels_overlap)
