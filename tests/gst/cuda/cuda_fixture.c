/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/gst/cuda/cuda_fixture.h"

#include <dlfcn.h>
#include <gst/video/video.h>
#include <stdbool.h>
#include <string.h>

#include "tests/gst/fixtures/kept.h"

void cuda_spare(gboolean spare)
{
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void (*set)(bool) = NULL;

  if (driver == NULL)
    return;
  *(void **)&set = dlsym(driver, "stx_fake_cuda_spare");
  if (set != NULL)
    set(spare);
  dlclose(driver);
}

gboolean cuda_is_on_device(GstBuffer *buffer)
{
  return gst_buffer_n_memory(buffer) == 1 &&
         gst_memory_is_type(gst_buffer_peek_memory(buffer, 0), "gst.cuda.memory");
}

static GstPadProbeReturn look_between(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  ((CudaOutcome *)data)->device_between += cuda_is_on_device(GST_PAD_PROBE_INFO_BUFFER(info));
  return GST_PAD_PROBE_OK;
}

/* Where a map fails, GStreamer copies the memory and tries again; GstCuda copies all that was
 * allocated, which may be more than the buffer's bytes. */
static void take_bytes(CudaOutcome *outcome, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size(buffer);
  GstMapInfo map;

  if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) {
    outcome->unreadable++;
    return;
  }
  outcome->unreadable += map.size != size;
  g_byte_array_append(outcome->bytes, (const guint8 *)&map.size, sizeof(map.size));
  g_byte_array_append(outcome->bytes, map.data, (guint)map.size);
  gst_buffer_unmap(buffer, &map);
}

/* Bytes between the rows of a picture differ between the memories. */
static void take_picture(CudaOutcome *outcome, GstBuffer *buffer, const GstVideoInfo *info)
{
  GstVideoFrame frame;

  if (!gst_video_frame_map(&frame, info, buffer, GST_MAP_READ)) {
    outcome->unreadable++;
    return;
  }
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS(&frame); c++)
    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&frame, c); y++) {
      const guint8 *from = GST_VIDEO_FRAME_COMP_DATA(&frame, c);
      guint width = (guint)GST_VIDEO_FRAME_COMP_WIDTH(&frame, c), end = outcome->bytes->len;
      guint8 *to = g_byte_array_set_size(outcome->bytes, end + width)->data + end;

      from += y * GST_VIDEO_FRAME_COMP_STRIDE(&frame, c);
      for (guint x = 0; x < width; x++)
        to[x] = from[(gint)x * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, c)];
    }
  gst_video_frame_unmap(&frame);
}

static GstPadProbeReturn look_behind(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  CudaOutcome *outcome = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  GstVideoInfo video;

  outcome->buffers++;
  outcome->device_behind += cuda_is_on_device(buffer);
  cuda_spare(TRUE);
  if (gst_video_info_from_caps(&video, caps))
    take_picture(outcome, buffer, &video);
  else
    take_bytes(outcome, buffer);
  cuda_spare(FALSE);
  g_array_append_vals(
      outcome->frames, &(CudaFrame){GST_BUFFER_PTS(buffer), outcome->bytes->len}, 1);
  return GST_PAD_PROBE_OK;
}

static gchar *text_of(const CudaLine *line)
{
  return g_strdup_printf("street-scene-src view=disparity num-buffers=%u ! video/x-raw,%s ! "
                         "downsample-transpose name=cells %s ! " COLUMNS_CAPS
                         "%s ! %s name=stixels %s ! " STIXELS_CAPS "%s ! fakesink name=out",
      line->frames, line->source, line->cells, line->between,
      line->segmentation != NULL ? line->segmentation : "sat-dp-stixels", line->stixels,
      line->behind);
}

/* Counts contexts and warnings until EOS or an error. */
static void wait(GstElement *pipeline, CudaOutcome *outcome)
{
  const GstMessageType types =
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_HAVE_CONTEXT;
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gboolean ended = FALSE;

  while (!ended) {
    g_autoptr(GstMessage) message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, types);

    ck_assert_msg(message != NULL, "neither EOS nor an error");
    outcome->contexts += GST_MESSAGE_TYPE(message) == GST_MESSAGE_HAVE_CONTEXT;
    outcome->told += GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING;
    ended = GST_MESSAGE_TYPE(message) & (GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
      gst_message_parse_error(message, &outcome->error, NULL);
  }
}

/* Counts what users see of the part under test with GST_DEBUG=2. */
static void count_warning(GstDebugCategory *category, GstDebugLevel level, const gchar *file,
    const gchar *function, gint line, GObject *object, GstDebugMessage *message, gpointer data)
{
  if (level <= GST_LEVEL_WARNING && strcmp(gst_debug_category_get_name(category), "stx-cuda") == 0)
    g_atomic_int_inc(&((CudaOutcome *)data)->warnings);
}

CudaOutcome cuda_run_text(const char *text, const CudaPlace *between)
{
  return cuda_run_text_with(text, between, NULL);
}

CudaOutcome cuda_run_text_with(const char *text, const CudaPlace *between, CudaSetUp set_up)
{
  CudaOutcome outcome = {
      .bytes = g_byte_array_new(), .frames = g_array_new(FALSE, FALSE, sizeof(CudaFrame))};
  g_autoptr(GstElement) pipeline = stx_test_parse(text);

  gst_debug_remove_log_function(gst_debug_log_default);
  gst_debug_set_active(TRUE);
  gst_debug_set_threshold_for_name("stx-cuda", GST_LEVEL_WARNING);
  gst_debug_add_log_function(count_warning, &outcome, NULL);
  for (; between->element != NULL; between++)
    stx_test_probe(pipeline, between->element, between->pad, GST_PAD_PROBE_TYPE_BUFFER,
        look_between, &outcome);
  stx_test_probe(pipeline, "out", "sink", GST_PAD_PROBE_TYPE_BUFFER, look_behind, &outcome);
  if (set_up != NULL)
    set_up(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  wait(pipeline, &outcome);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_debug_remove_log_function(count_warning);
  return outcome;
}

CudaOutcome cuda_run(const CudaLine *line)
{
  static const CudaPlace between[] = {{"stixels", "sink"}, {NULL, NULL}};
  g_autofree gchar *text = text_of(line);
  CudaOutcome outcome = cuda_run_text(text, between);

  return outcome;
}

CudaOutcome cuda_run_format(
    const char *format, const char *backend, const char *features, const CudaPlace *between)
{
  g_autofree gchar *line = g_strdup_printf(format, backend, features);
  CudaOutcome outcome = cuda_run_text(line, between);

  return outcome;
}

CudaOutcome cuda_run_text_once(const char *text)
{
  static const CudaPlace nowhere[] = {{NULL, NULL}};
  CudaOutcome outcome = {
      .bytes = g_byte_array_new(), .frames = g_array_new(FALSE, FALSE, sizeof(CudaFrame))};

  if (stx_test_recall(text, outcome.bytes))
    return outcome;
  cuda_outcome_clear(&outcome);
  outcome = cuda_run_text(text, nowhere);
  if (outcome.error == NULL)
    stx_test_keep(text, outcome.bytes);
  return outcome;
}

CudaOutcome cuda_run_on_cpu(const CudaLine *line)
{
  g_autofree gchar *cells = g_strdup_printf("%s backend=omp", line->cells);
  g_autofree gchar *stixels = g_strdup_printf("%s backend=omp", line->stixels);
  CudaLine host = {line->source, cells, "", stixels, "", line->frames, line->segmentation};
  g_autofree gchar *text = text_of(&host);
  CudaOutcome outcome = cuda_run_text_once(text);

  return outcome;
}

void cuda_outcome_clear(CudaOutcome *outcome)
{
  g_byte_array_unref(outcome->bytes);
  g_array_unref(outcome->frames);
  g_clear_error(&outcome->error);
}

void cuda_expect_same(const CudaOutcome *actual, const CudaOutcome *expected, const char *what)
{
  ck_assert_msg(
      expected->error == NULL && expected->bytes->len > 0, "%s: nothing to compare", what);
  ck_assert_msg(
      actual->error == NULL, "%s: %s", what, actual->error != NULL ? actual->error->message : "");
  ck_assert_msg(actual->unreadable == 0, "%s: %u buffers cannot be read", what, actual->unreadable);
  ck_assert_msg(actual->bytes->len == expected->bytes->len, "%s: %u bytes, expected %u", what,
      actual->bytes->len, expected->bytes->len);
  for (guint i = 0; i < actual->bytes->len &&
                    memcmp(actual->bytes->data, expected->bytes->data, actual->bytes->len) != 0;
       i++) /* one by one is slow */
    ck_assert_msg(actual->bytes->data[i] == expected->bytes->data[i],
        "%s: byte %u is %u, expected %u", what, i, actual->bytes->data[i],
        expected->bytes->data[i]);
}

static GBytes *frame_at(const CudaOutcome *outcome, GstClockTime time)
{
  for (guint i = 0; i < outcome->frames->len; i++) {
    const CudaFrame *frame = &g_array_index(outcome->frames, CudaFrame, i);
    guint begin = i > 0 ? frame[-1].end : 0;

    if (frame->time == time)
      return g_bytes_new(outcome->bytes->data + begin, frame->end - begin);
  }
  return NULL;
}

void cuda_expect_some(const CudaOutcome *actual, const CudaOutcome *expected, const char *what)
{
  ck_assert_msg(
      actual->error == NULL, "%s: %s", what, actual->error != NULL ? actual->error->message : "");
  ck_assert_msg(actual->unreadable == 0, "%s: %u buffers cannot be read", what, actual->unreadable);
  for (guint i = 0; i < actual->frames->len; i++) {
    GstClockTime time = g_array_index(actual->frames, CudaFrame, i).time;
    g_autoptr(GBytes) one = frame_at(actual, time);
    g_autoptr(GBytes) other = frame_at(expected, time);

    ck_assert_msg(other != NULL && g_bytes_equal(one, other),
        "%s: other bytes at %" GST_TIME_FORMAT, what, GST_TIME_ARGS(time));
  }
}
