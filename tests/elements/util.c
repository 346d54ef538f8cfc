/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/elements/util.h"

#include <string.h>

#define ERROR_TIMEOUT (10 * GST_SECOND)
#define RUN_TIMEOUT (60 * GST_SECOND)

/* ---- Messages ----------------------------------------------------------------------------- */

GstBus *stx_test_watch(GstElement *element)
{
  GstBus *bus = gst_bus_new();

  gst_element_set_bus(element, bus);
  return bus;
}

static void expect_words(GstMessage *message, va_list words)
{
  GError *error = NULL;
  const char *word;

  gst_message_parse_error(message, &error, NULL);
  while ((word = va_arg(words, const char *)) != NULL)
    ck_assert_msg(strstr(error->message, word) != NULL, "no \"%s\" in the error \"%s\"", word,
        error->message);
  g_error_free(error);
}

void stx_test_expect_error(GstBus *bus, ...)
{
  GstMessage *message = gst_bus_timed_pop_filtered(bus, ERROR_TIMEOUT, GST_MESSAGE_ERROR);
  va_list words;

  ck_assert_msg(message != NULL, "no error message");
  va_start(words, bus);
  expect_words(message, words);
  va_end(words);
  gst_message_unref(message);
}

/* Fails with the text of an error or warning. */
static void fail_with(GstMessage *message)
{
  GError *error = NULL;
  gchar *debug = NULL;

  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
    gst_message_parse_error(message, &error, &debug);
  else
    gst_message_parse_warning(message, &error, &debug);
  ck_abort_msg("%s: %s (%s)", GST_OBJECT_NAME(GST_MESSAGE_SRC(message)), error->message, debug);
}

void stx_test_expect_silence(GstBus *bus)
{
  GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);

  if (message != NULL)
    fail_with(message);
}

/* ---- Whole pipelines ----------------------------------------------------------------------- */

static GstElement *parse_line(const char *line)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch(line, &error);

  ck_assert_msg(error == NULL, "%s: %s", line, error ? error->message : "");
  return pipeline;
}

/* Plays until EOS or an error, and returns that message. */
static GstMessage *play(GstElement *pipeline, const char *line)
{
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *message;

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered(bus, RUN_TIMEOUT, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  ck_assert_msg(message != NULL, "neither EOS nor an error: %s", line);
  gst_object_unref(bus);
  return message;
}

static void stop(GstElement *pipeline)
{
  ck_assert_int_eq(gst_element_set_state(pipeline, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  gst_object_unref(pipeline);
}

void stx_test_runs(const char *line)
{
  GstElement *pipeline = parse_line(line);
  GstMessage *message = play(pipeline, line);

  if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_EOS)
    fail_with(message);
  gst_message_unref(message);
  stop(pipeline);
}

void stx_test_breaks(const char *line, ...)
{
  GstElement *pipeline = parse_line(line);
  GstMessage *message = play(pipeline, line);
  va_list words;

  ck_assert_msg(GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR, "no error: %s", line);
  va_start(words, line);
  expect_words(message, words);
  va_end(words);
  gst_message_unref(message);
  stop(pipeline);
}

void stx_test_state_cycles(const char *line)
{
  GstElement *pipeline = parse_line(line);

  for (int cycle = 0; cycle < 50; cycle++) {
    GstState state = GST_STATE_NULL;

    gst_element_set_state(pipeline, GST_STATE_PAUSED);
    gst_element_get_state(pipeline, &state, NULL, ERROR_TIMEOUT);
    ck_assert_msg(state == GST_STATE_PAUSED, "cycle %d: %s", cycle, line);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    if (cycle % 2 == 0)
      gst_element_set_state(pipeline, GST_STATE_READY);
    gst_element_set_state(pipeline, GST_STATE_NULL);
  }
  stop(pipeline);
}

/* ---- Leaks --------------------------------------------------------------------------------- */

static guint live_objects(void)
{
  GList *tracers = gst_tracing_get_active_tracers();
  GstStructure *live = NULL;
  guint count;

  gst_task_cleanup_all(); /* joins the threads that may still be letting go of a pipeline */
  for (GList *item = tracers; item != NULL; item = item->next)
    if (g_strcmp0(G_OBJECT_TYPE_NAME(item->data), "GstLeaksTracer") == 0)
      g_signal_emit_by_name(item->data, "get-live-objects", &live);
  g_list_free_full(tracers, gst_object_unref);
  ck_assert_msg(live != NULL, "run with GST_TRACERS=leaks");
  count = gst_value_list_get_size(gst_structure_get_value(live, "live-objects-list"));
  gst_structure_free(live);
  return count;
}

void stx_test_no_leaks(void (*body)(void))
{
  guint before, after;

  body(); /* what exists once per process is made here */
  before = live_objects();
  for (int i = 0; i < 3; i++)
    body();
  after = live_objects();
  ck_assert_msg(after <= before, "%u objects leaked in 3 runs", after - before);
}

/* ---- Buffers ------------------------------------------------------------------------------- */

GstBuffer *stx_test_buffer(gsize size, guint8 value, GstClockTime pts, GstClockTime duration)
{
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, size, NULL);

  gst_buffer_memset(buffer, 0, value, size);
  GST_BUFFER_PTS(buffer) = pts;
  GST_BUFFER_DURATION(buffer) = duration;
  return buffer;
}

void stx_test_expect_bytes(GstBuffer *buffer, const void *bytes, gsize size, const char *what)
{
  GstMapInfo map;

  ck_assert(gst_buffer_map(buffer, &map, GST_MAP_READ));
  ck_assert_uint_eq(map.size, size);
  for (gsize i = 0; i < size && memcmp(map.data, bytes, size) != 0; i++) /* one by one is slow */
    ck_assert_msg(map.data[i] == ((const guint8 *)bytes)[i],
        "%s: byte %" G_GSIZE_FORMAT " is %u, expected %u", what, i, map.data[i],
        ((const guint8 *)bytes)[i]);
  gst_buffer_unmap(buffer, &map);
}
