/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The whole way on a GPU, from the stereo pair to stixels and to the picture with them, held
 * against the same way on the CPU: the same bytes, whatever memory lies between. Then with every
 * single call of the driver failing once: the same bytes or an error message; never a crash, a
 * hang or anything else.
 *
 * The GPU is that of tests/emu, which reads its settings at its first use in a process; so
 * every test, and every turn of a loop, runs in a process of its own.
 */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "tests/gst/fixtures/call_step.h"
#include "tests/gst/fixtures/kept.h"

#define SECONDS 60

/* What differs between two ways; NULL: the default. */
typedef struct {
  const char *size;                                 /* of the pictures: caps fields */
  const char *matching, *cells, *stixels, *overlay; /* properties of the four elements */
  const char *picture;                              /* format that is drawn on */
  guint frames;
  const char *segmentation; /* element and what it computes; NULL: sat-dp-stixels */
} Way;

typedef struct {
  GByteArray *stixels, *pictures;
  GError *error; /* NULL: ended by EOS */
} Outcome;

/* ---- Running ------------------------------------------------------------------------------- */

static void take_bytes(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  GstMapInfo map;

  if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) {
    g_byte_array_append(data, (const guint8 *)"?", 1);
    return;
  }
  g_byte_array_append(data, map.data, (guint)map.size);
  gst_buffer_unmap(buffer, &map);
}

static gchar *launch_line(const Way *way)
{
  gchar *view = g_strdup_printf("num-buffers=%u ! video/x-raw,%s", way->frames, way->size);
  gchar *line = g_strdup_printf(
      "stereo-sgm name=sgm max-disparity=64 %s ! downsample-transpose stixel-width=4 "
      "stixel-height=4 %s ! %s %s ! tee name=stixels "
      "street-scene-src view=left %s ! sgm.sink_left street-scene-src view=right %s ! "
      "sgm.sink_right stixels. ! queue ! application/x-stixels ! "
      "fakesink name=records signal-handoffs=true sync=false async=false "
      "stixels. ! queue ! overlay.stixels "
      "street-scene-src view=left %s,format=RGB ! videoconvert ! video/x-raw,format=%s ! "
      "stixel-overlay name=overlay mode=kind %s ! "
      "fakesink name=pictures signal-handoffs=true sync=false async=false",
      way->matching, way->cells, way->segmentation != NULL ? way->segmentation : "sat-dp-stixels",
      way->stixels, view, view, view, way->picture, way->overlay);

  g_free(view);
  return line;
}

static void listen(GstElement *pipeline, const gchar *name, GByteArray *bytes)
{
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), name);

  g_signal_connect(sink, "handoff", G_CALLBACK(take_bytes), bytes);
  gst_object_unref(sink);
}

/* A pipeline that does not end within a minute hangs. */
static Outcome run(const Way *way)
{
  Outcome outcome = {g_byte_array_new(), g_byte_array_new(), NULL};
  gchar *line = launch_line(way);
  GstElement *pipeline = gst_parse_launch_full(line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  GstBus *bus;
  GstMessage *message;

  fail_unless(pipeline != NULL, "%s", line);
  listen(pipeline, "records", outcome.stixels);
  listen(pipeline, "pictures", outcome.pictures);
  bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  message =
      gst_bus_timed_pop_filtered(bus, SECONDS * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless(message != NULL, "no end after %d s: %s", SECONDS, line);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
    gst_message_parse_error(message, &outcome.error, NULL);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_message_unref(message);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  g_free(line);
  return outcome;
}

static void clear(Outcome *outcome)
{
  g_byte_array_unref(outcome->stixels);
  g_byte_array_unref(outcome->pictures);
  g_clear_error(&outcome->error);
}

/* ---- Comparing ----------------------------------------------------------------------------- */

static void expect_same(const GByteArray *expected, const GByteArray *actual, const char *what)
{
  guint first = 0;

  fail_unless(
      expected->len == actual->len, "%s: %u bytes, not %u", what, actual->len, expected->len);
  while (first < expected->len && expected->data[first] == actual->data[first])
    first++;
  fail_unless(first == expected->len, "%s: byte %u is %u, not %u", what, first, actual->data[first],
      expected->data[first]);
}

static Way on_cpu(const Way *way)
{
  return (Way){way->size, "backend=c", "backend=c", "backend=c", "backend=c", way->picture,
      way->frames, way->segmentation};
}

/* The same on the CPU, once for all turns of all loops. Call it after the GPU has run: a process
 * that has not yet used that reads the settings. */
static Outcome run_on_cpu(const Way *way)
{
  Way reference = on_cpu(way);
  Outcome outcome = {g_byte_array_new(), g_byte_array_new(), NULL};
  gchar *line = launch_line(&reference), *drawn = g_strconcat(line, " pictures", NULL);

  if (!stx_test_recall(line, outcome.stixels) || !stx_test_recall(drawn, outcome.pictures)) {
    clear(&outcome);
    outcome = run(&reference);
    if (outcome.error == NULL) {
      stx_test_keep(line, outcome.stixels);
      stx_test_keep(drawn, outcome.pictures);
    }
  }
  g_free(line);
  g_free(drawn);
  return outcome;
}

static void expect_same_as_cpu(const Way *way)
{
  Outcome gpu = run(way), cpu = run_on_cpu(way);

  fail_unless(gpu.error == NULL, "%s", gpu.error != NULL ? gpu.error->message : "");
  fail_unless(cpu.error == NULL && cpu.stixels->len > 0 && cpu.pictures->len > 0);
  expect_same(cpu.stixels, gpu.stixels, "stixels");
  expect_same(cpu.pictures, gpu.pictures, "pictures");
  clear(&gpu);
  clear(&cpu);
}

#define CUDA "backend=cuda"
#define SMALL "width=88,height=46" /* no padding, which videoconvert leaves undefined */
#define TINY "width=24,height=16"
#define LEAST "width=16,height=8" /* the same calls of the driver */

GST_START_TEST(all_on_the_gpu)
{
  static const char *const pictures[] = {"RGBA", "NV12", "I420", "UYVY"};

  for (gsize i = 0; i < G_N_ELEMENTS(pictures); i++)
    expect_same_as_cpu(&(Way){SMALL, CUDA, CUDA, CUDA, CUDA, pictures[i], 2});
}
GST_END_TEST

/* Besides the default. */
static const char *const segmentations[] = {"rdp-columns epsilon=1 median=3",
    "sat-dp-stixels cut-candidates=rdp epsilon=1", "sat-dp-stixels model=gaussian-uniform"};

GST_START_TEST(what_auto_chooses)
{
  expect_same_as_cpu(&(Way){SMALL, "", "", "", "", "RGBA", 3});
  for (gsize i = 0; i < G_N_ELEMENTS(segmentations); i++)
    expect_same_as_cpu(&(Way){SMALL, "", "", "", "", "RGBA", 3, segmentations[i]});
}
GST_END_TEST

/* Memory changes sides between any two elements. */
GST_START_TEST(every_mixture)
{
  static const char *const backends[] = {"backend=omp", CUDA};

  for (guint i = 1; i < 15; i++)
    expect_same_as_cpu(&(Way){TINY, backends[i & 1], backends[i >> 1 & 1], backends[i >> 2 & 1],
        backends[i >> 3 & 1], "RGBA", 2});
  for (guint i = 1; i < 7; i++) /* cells, segmentation, overlay */
    for (gsize k = 0; k < G_N_ELEMENTS(segmentations); k++)
      expect_same_as_cpu(&(Way){TINY, "backend=omp", backends[i & 1], backends[i >> 1 & 1],
          backends[i >> 2 & 1], "RGBA", 2, segmentations[k]});
}
GST_END_TEST

/* ---- Scans --------------------------------------------------------------------------------- */

/* Pictures of labelled scans. What faults do to them: tests/gst/cuda/lidar-ground-cuda.c. */
static GByteArray *scan_pictures(const gchar *backend)
{
  GByteArray *bytes = g_byte_array_new();
  gchar *line = g_strdup_printf("street-scene-src view=lidar beams=8 azimuth-steps=90 "
                                "num-buffers=3 ! lidar-ground sectors=36 bins=40 %s ! lidar-bev ! "
                                "video/x-raw,width=160,height=160 ! "
                                "fakesink name=out signal-handoffs=true sync=false",
      backend);
  GstElement *pipeline = gst_parse_launch_full(line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *message;

  listen(pipeline, "out", bytes);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  message =
      gst_bus_timed_pop_filtered(bus, SECONDS * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless(
      message != NULL && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS, "no EOS of %s", line);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_message_unref(message);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  g_free(line);
  return bytes;
}

GST_START_TEST(scans_to_pictures)
{
  GByteArray *gpu = scan_pictures("backend=cuda"), *either = scan_pictures("");
  GByteArray *cpu = scan_pictures("backend=c");

  fail_unless(cpu->len == 3 * 160 * 160 * 4, "%u bytes", cpu->len);
  expect_same(cpu, gpu, "pictures of scans");
  expect_same(cpu, either, "pictures of scans, backend=auto");
  g_byte_array_unref(cpu);
  g_byte_array_unref(either);
  g_byte_array_unref(gpu);
}
GST_END_TEST

/* ---- Faults -------------------------------------------------------------------------------- */

/* More calls than a run of three frames makes; the last turn of each loop proves it. */
#define CALLS 330
#define CALLS_CUDA 501
#define LAST(calls) ((calls) / stx_test_call_step())

static void fail_call(gint number)
{
  gchar *text = g_strdup_printf("%d", number);

  g_setenv("STX_FAKE_CUDA_FAIL", text, TRUE);
  g_free(text);
}

/* One call fails: whoever made it goes on on the CPU, and all bytes arrive. */
GST_START_TEST(any_call_may_fail)
{
  fail_call(__i__ * stx_test_call_step());
  expect_same_as_cpu(&(Way){LEAST, "", "", "", "backend=omp", "RGBA", 3});
}
GST_END_TEST

/* Each call of these two alone is made to fail in tests/gst/cuda/cuda-faults.c. */
#define SPARSE 16

GST_START_TEST(some_calls_may_fail_before_segments)
{
  fail_call(__i__ * SPARSE);
  expect_same_as_cpu(&(Way){LEAST, "backend=omp", "", "", "", "RGBA", 2, segmentations[__i__ % 2]});
}
GST_END_TEST

/* Who insists on the GPU gets an error that says what failed, or all bytes. */
GST_START_TEST(any_call_may_fail_with_cuda)
{
  Way way = {LEAST, CUDA, CUDA, CUDA, CUDA, "RGBA", 3};
  Outcome gpu, cpu;

  fail_call(__i__ * stx_test_call_step());
  gpu = run(&way);
  if (gpu.error != NULL) {
    fail_unless(strlen(gpu.error->message) > 10, "\"%s\"", gpu.error->message);
    fail_unless(__i__ < LAST(CALLS_CUDA), "a call that is not made failed: %s", gpu.error->message);
  } else {
    cpu = run_on_cpu(&way);
    expect_same(cpu.stixels, gpu.stixels, "stixels");
    expect_same(cpu.pictures, gpu.pictures, "pictures");
    clear(&cpu);
  }
  clear(&gpu);
}
GST_END_TEST

static Suite *pipeline_cuda_suite(void)
{
  Suite *suite = suite_create("pipeline-cuda");
  TCase *tests = tcase_create("pipeline-cuda");

  suite_add_tcase(suite, tests);
  tcase_add_test(tests, all_on_the_gpu);
  tcase_add_test(tests, what_auto_chooses);
  tcase_add_test(tests, every_mixture);
  tcase_add_test(tests, scans_to_pictures);
  tcase_add_loop_test(tests, any_call_may_fail, 1, LAST(CALLS) + 1);
  tcase_add_loop_test(tests, some_calls_may_fail_before_segments, 1, CALLS / SPARSE);
  tcase_add_loop_test(tests, any_call_may_fail_with_cuda, 1, LAST(CALLS_CUDA) + 1);
  return suite;
}
GST_CHECK_MAIN(pipeline_cuda)
