/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/rig.h"

#include <string.h>

#define PATIENCE G_TIME_SPAN_MINUTE

/* GStreamer's own, which stereo-stixels has inside; their names differ between versions. */
static void load_system_plugins(void)
{
  static const char *const names[] = {
      "coreelements", "videoconvert", "videoconvertscale", "videocrop"};

  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree gchar *path = g_strdup_printf(STX_FUZZ_SYSTEM "/libgst%s.so", names[i]);
    g_autoptr(GstPlugin) plugin = gst_plugin_load_file(path, NULL);
  }
}

/* Without a registry: nothing is looked for, and this build's plugin is the only one but for these.
 */
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  GError *error = NULL;
  GstPlugin *plugin;

  g_setenv("GST_REGISTRY_DISABLE", "yes", TRUE);
  gst_init(NULL, NULL);
  load_system_plugins();
  plugin = gst_plugin_load_file(STX_FUZZ_PLUGIN, &error);
  stx_fuzz_expect(plugin != NULL, "%s", error != NULL ? error->message : "no plugin");
  gst_object_unref(plugin);
  stx_fuzz_watch_glib();
  return 0;
}

/* ---- What comes out ------------------------------------------------------------------------ */

static guint out_count(const StxRig *rig)
{
  return rig->outs[1] != NULL ? 2 : 1;
}

static void note(StxRig *rig, gboolean failed)
{
  g_mutex_lock(&rig->lock);
  rig->failed |= failed;
  rig->ends += !failed;
  g_cond_signal(&rig->ended_or_failed);
  g_mutex_unlock(&rig->lock);
}

static GstFlowReturn take_buffer(GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  StxRig *rig = gst_pad_get_element_private(pad);
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);

  stx_fuzz_expect(caps != NULL, "a buffer before any caps");
  rig->outputs++;
  if (rig->take != NULL)
    rig->take(rig, buffer, caps);
  gst_buffer_unref(buffer);
  return GST_FLOW_OK;
}

static gboolean take_event(GstPad *pad, GstObject *parent, GstEvent *event)
{
  StxRig *rig = gst_pad_get_element_private(pad);

  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS)
    note(rig, FALSE);
  gst_event_unref(event);
  return TRUE;
}

static gboolean answer(GstPad *pad, GstObject *parent, GstQuery *query)
{
  StxRig *rig = gst_pad_get_element_private(pad);
  GstCaps *filter, *caps;

  if (GST_QUERY_TYPE(query) != GST_QUERY_CAPS)
    return gst_pad_query_default(pad, parent, query);
  caps = gst_caps_from_string(rig->accepts != NULL ? rig->accepts : "ANY");
  gst_query_parse_caps(query, &filter);
  if (filter != NULL)
    gst_caps_take(&caps, gst_caps_intersect(filter, caps));
  gst_query_set_caps_result(query, caps);
  gst_caps_unref(caps);
  return TRUE;
}

static GstBusSyncReply take_message(GstBus *bus, GstMessage *message, gpointer data)
{
  StxRig *rig = data;
  GError *error = NULL;

  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
    gst_message_parse_error(message, &error, NULL);
  else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning(message, &error, NULL);
  if (error != NULL)
    stx_fuzz_expect_text(error->message);
  g_clear_error(&error);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
    note(rig, TRUE);
  gst_message_unref(message);
  return GST_BUS_DROP;
}

/* ---- Making it ----------------------------------------------------------------------------- */

static GstElement *element_of(const char *line)
{
  GError *error = NULL;
  GstElement *element = strstr(line, " ! ") != NULL
                            ? gst_parse_bin_from_description(line, TRUE, &error)
                            : gst_parse_launch(line, &error);

  stx_fuzz_expect(element != NULL && error == NULL, "%s: %s", line, error ? error->message : "");
  return gst_object_ref_sink(element);
}

static GstPad *pad_of(GstElement *element, const char *name)
{
  GstPad *pad = gst_element_get_static_pad(element, name);

  return pad != NULL ? pad : gst_element_request_pad_simple(element, name);
}

static void link_source(StxRig *rig, guint i)
{
  g_autoptr(GstPad) pad = pad_of(rig->element, rig->pads[i]);

  rig->sources[i] = gst_object_ref_sink(gst_pad_new(NULL, GST_PAD_SRC));
  stx_fuzz_expect(
      gst_pad_link_full(rig->sources[i], pad, GST_PAD_LINK_CHECK_NOTHING) == GST_PAD_LINK_OK,
      "%s: no pad %s", rig->line, rig->pads[i]);
}

static void link_sink(StxRig *rig, guint i)
{
  GstPad *pad = pad_of(rig->element, rig->outs[i] != NULL ? rig->outs[i] : "src");
  GstPad *sink = gst_object_ref_sink(gst_pad_new(NULL, GST_PAD_SINK));

  gst_pad_set_element_private(sink, rig);
  gst_pad_set_chain_function(sink, take_buffer);
  gst_pad_set_event_function(sink, take_event);
  gst_pad_set_query_function(sink, answer);
  gst_pad_link_full(pad, sink, GST_PAD_LINK_CHECK_NOTHING);
  gst_object_unref(pad);
  rig->sinks[i] = sink;
}

static guint pad_count(const StxRig *rig)
{
  guint count = 0;

  while (count < STX_RIG_PADS && rig->pads[count] != NULL)
    count++;
  return count;
}

static void set_active(StxRig *rig, gboolean active)
{
  for (guint i = 0; i < pad_count(rig); i++)
    gst_pad_set_active(rig->sources[i], active);
  for (guint i = 0; i < out_count(rig); i++)
    gst_pad_set_active(rig->sinks[i], active);
}

static void play(StxRig *rig)
{
  set_active(rig, TRUE);
  stx_fuzz_expect(
      gst_element_set_state(rig->element, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE,
      "%s: does not start", rig->line);
}

static void make(StxRig *rig)
{
  GstBus *bus = gst_bus_new();

  g_mutex_init(&rig->lock);
  g_cond_init(&rig->ended_or_failed);
  rig->element = element_of(rig->line);
  for (guint i = 0; i < pad_count(rig); i++)
    link_source(rig, i);
  for (guint i = 0; i < out_count(rig); i++)
    link_sink(rig, i);
  if (rig->calibration != NULL)
    g_object_set(rig->element, "calibration",
        stx_fuzz_file(0, rig->calibration, strlen(rig->calibration)), NULL);
  gst_bus_set_sync_handler(bus, take_message, rig, NULL);
  gst_element_set_bus(rig->element, bus);
  gst_object_unref(bus);
  play(rig);
}

static void restart(StxRig *rig)
{
  gst_element_set_state(rig->element, GST_STATE_NULL);
  set_active(rig, FALSE);
  play(rig);
}

/* ---- What goes in -------------------------------------------------------------------------- */

void stx_rig_begin(StxRig *rig)
{
  if (rig->element == NULL)
    make(rig);
  rig->outputs = 0;
  rig->ends = 0;
  rig->refused = rig->failed = FALSE;
  for (guint i = 0; i < pad_count(rig); i++)
    stx_rig_event(rig, i, gst_event_new_stream_start(rig->pads[i]));
}

void stx_rig_event(StxRig *rig, guint pad, GstEvent *event)
{
  if (rig->refused)
    gst_event_unref(event);
  else if (!gst_pad_push_event(rig->sources[pad], event))
    rig->refused = TRUE;
}

void stx_rig_caps(StxRig *rig, guint pad, GstCaps *caps)
{
  stx_rig_event(rig, pad, gst_event_new_caps(caps));
  gst_caps_unref(caps);
}

void stx_rig_segment(StxRig *rig, guint pad)
{
  GstSegment segment;

  gst_segment_init(&segment, GST_FORMAT_TIME);
  stx_rig_event(rig, pad, gst_event_new_segment(&segment));
}

void stx_rig_push(StxRig *rig, guint pad, GstBuffer *buffer)
{
  if (rig->refused)
    gst_buffer_unref(buffer);
  else if (gst_pad_push(rig->sources[pad], buffer) < GST_FLOW_OK)
    rig->refused = TRUE;
}

/* A flush of several pads is one flush by its number. */
static void flush_pads(StxRig *rig, GstEvent *event)
{
  for (guint i = 0; i < pad_count(rig); i++)
    gst_pad_push_event(rig->sources[i], gst_event_ref(event));
  gst_event_unref(event);
}

void stx_rig_flush(StxRig *rig)
{
  GstEvent *start = gst_event_new_flush_start(), *stop = gst_event_new_flush_stop(TRUE);

  gst_event_set_seqnum(stop, gst_event_get_seqnum(start));
  flush_pads(rig, start);
  flush_pads(rig, stop);
}

/* ---- The end ------------------------------------------------------------------------------- */

/* TRUE if it was an error. */
static gboolean await_end(StxRig *rig)
{
  gint64 deadline = g_get_monotonic_time() + PATIENCE;
  gboolean failed, in_time = TRUE;

  g_mutex_lock(&rig->lock);
  while (in_time && rig->ends < out_count(rig) && !rig->failed)
    in_time = g_cond_wait_until(&rig->ended_or_failed, &rig->lock, deadline);
  failed = rig->failed;
  g_mutex_unlock(&rig->lock);
  stx_fuzz_expect(in_time, "%s: no end", rig->line);
  return failed;
}

static gboolean has_ended(GstPad *source)
{
  g_autoptr(GstEvent) end = gst_pad_get_sticky_event(source, GST_EVENT_EOS, 0);

  return end != NULL;
}

gboolean stx_rig_end(StxRig *rig)
{
  gboolean failed;

  for (guint i = 0; i < pad_count(rig) && !rig->refused; i++)
    if (!has_ended(rig->sources[i]))
      stx_rig_event(rig, i, gst_event_new_eos());
  g_mutex_lock(&rig->lock);
  failed = rig->failed;
  g_mutex_unlock(&rig->lock);
  stx_fuzz_expect(failed || !rig->refused, "%s: refuses without an error", rig->line);
  failed = await_end(rig);
  (failed ? restart : stx_rig_flush)(rig);
  return !failed;
}

/* ---- Buffers ------------------------------------------------------------------------------- */

StxRigLayout stx_rig_layout(StxFuzzInput *input)
{
  guint8 byte = stx_fuzz_byte(input);

  return (StxRigLayout){.begin = byte & 3, .cut = byte & 4 ? stx_fuzz_byte(input) : 0};
}

/* So many bytes of the endless repetition of the payload, beginning with byte `from`. */
static GstMemory *memory_of(const StxFuzzInput *payload, gsize from, gsize size, guint begin)
{
  gsize period = (gsize)(payload->end - payload->at);
  guint8 *bytes = g_malloc(begin + size + (begin + size == 0));

  memset(bytes, 0, begin + size);
  for (gsize i = 0; period > 0 && i < size;) {
    gsize at = (from + i) % period, run = MIN(period - at, size - i);

    memcpy(bytes + begin + i, payload->at + at, run);
    i += run;
  }
  return gst_memory_new_wrapped(0, bytes, begin + size, begin, size, bytes, g_free);
}

GstBuffer *stx_rig_buffer(
    const StxFuzzInput *payload, StxRigLayout layout, gsize size, guint number)
{
  GstBuffer *buffer = gst_buffer_new();
  gsize first = size * layout.cut / 256;

  if (first > 0)
    gst_buffer_append_memory(buffer, memory_of(payload, 0, first, layout.begin));
  gst_buffer_append_memory(buffer, memory_of(payload, first, size - first, layout.begin));
  GST_BUFFER_PTS(buffer) = number * STX_RIG_FRAME;
  GST_BUFFER_DURATION(buffer) = STX_RIG_FRAME;
  return buffer;
}

gsize stx_rig_wrong_size(StxFuzzInput *input, gsize size)
{
  guint8 byte = stx_fuzz_byte(input);

  if (byte < 0xC0)
    return MIN(size, 1 << 20);
  if (byte < 0xE0)
    return MIN(size + (byte & 31), 1 << 20);
  return MIN(size - MIN(size, (gsize)byte & 31), 1 << 20);
}
