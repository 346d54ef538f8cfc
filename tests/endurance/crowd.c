/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Many pipelines at once in one process, each of which asks for all cores: they give the bytes that
 * one gives alone, and share their helpers (common/parallel.h), of which there is one per core.
 */
#include "tests/endurance/gauge.h"
#include "tests/endurance/lines.h"
#include "tests/gst/fixtures/util.h"

#define CROWD 50
#define SECONDS 500
#define SIZE "width=160,height=48,framerate=30/1"

/* A stream of stixels as a sum. */
typedef struct {
  GstElement *pipeline;
  GChecksum *sum;
  guint frames;
  gboolean failed;
} Member;

static GstPadProbeReturn add(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Member *member = data;
  GstMapInfo map;

  member->failed |= !gst_buffer_map(GST_PAD_PROBE_INFO_BUFFER(info), &map, GST_MAP_READ);
  if (member->failed)
    return GST_PAD_PROBE_OK;
  g_checksum_update(member->sum, map.data, (gssize)map.size);
  gst_buffer_unmap(GST_PAD_PROBE_INFO_BUFFER(info), &map);
  member->frames++;
  return GST_PAD_PROBE_OK;
}

static Member begin(guint frames)
{
  g_autofree gchar *count = g_strdup_printf("num-buffers=%u", frames);
  g_autofree gchar *line =
      g_strdup_printf(ENDURANCE_WHOLE ENDURANCE_STREET("%s", SIZE), count, count);
  Member member = {stx_test_parse(line), g_checksum_new(G_CHECKSUM_SHA256), 0, FALSE};

  return member;
}

static void play(Member *member)
{
  stx_test_probe(member->pipeline, "stixels", "src", GST_PAD_PROBE_TYPE_BUFFER, add, member);
  gst_element_set_state(member->pipeline, GST_STATE_PLAYING);
}

/* Waits for the end, and counts the helpers meanwhile. */
static guint await_end(Member *member, guint helpers)
{
  g_autoptr(GstBus) bus = gst_element_get_bus(member->pipeline);
  g_autoptr(GstMessage) end = NULL;

  for (gint i = 0; i < SECONDS * 50 && end == NULL; i++) {
    end = gst_bus_timed_pop_filtered(bus, GST_SECOND / 50, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    helpers = MAX(helpers, gauge_threads_named("stixels-helper"));
  }
  fail_unless(end != NULL && GST_MESSAGE_TYPE(end) == GST_MESSAGE_EOS);
  return helpers;
}

static gchar *end(Member *member)
{
  gchar *sum = g_strdup(g_checksum_get_string(member->sum));

  gst_element_set_state(member->pipeline, GST_STATE_NULL);
  gst_object_unref(member->pipeline);
  g_checksum_free(member->sum);
  return sum;
}

/* So many at once; returns their one sum, and the highest number of helpers. */
static gchar *run(guint crowd, guint frames, guint *helpers)
{
  Member members[CROWD];
  gchar *sum = NULL;

  for (guint i = 0; i < crowd; i++)
    members[i] = begin(frames);
  for (guint i = 0; i < crowd; i++)
    play(&members[i]);
  *helpers = 0;
  for (guint i = 0; i < crowd; i++)
    *helpers = await_end(&members[i], *helpers);
  for (guint i = 0; i < crowd; i++) {
    guint count = members[i].failed ? 0 : members[i].frames;
    gchar *other = end(&members[i]);

    fail_unless_equals_int(count, frames);
    fail_unless(sum == NULL || g_str_equal(sum, other), "pipeline %u gave other bytes", i);
    g_free(sum);
    sum = other;
  }
  return sum;
}

STX_TEST(many_at_once)
{
  guint frames = endurance_rounds(4, 200), cores = g_get_num_processors(), alone, shared;
  g_autofree gchar *expected = run(1, frames, &alone);
  g_autofree gchar *sum = run(CROWD, frames, &shared);

  g_print("%u pipelines of %u frames: %u helpers for %u cores\n", CROWD, frames, shared, cores);
  fail_unless(g_str_equal(sum, expected), "other bytes than alone");
  fail_unless(shared <= cores, "%u helpers for %u cores", shared, cores);
}

double stx_test_prepare(void)
{
  return endurance_length(300, 3600);
}
