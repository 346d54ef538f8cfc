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
#include "tests/gst/fixtures/call_step.h"
#include "tests/gst/fixtures/kept.h"
#include "tests/gst/fixtures/util.h"

#include <string.h>

#define SECONDS 60

/* Settings that differ between two runs; NULL: the default. */
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
  g_autofree gchar *view =
      g_strdup_printf("num-buffers=%u ! video/x-raw,%s", way->frames, way->size);
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

  return line;
}

static void listen(GstElement *pipeline, const gchar *name, GByteArray *bytes)
{
  g_autoptr(GstElement) sink = gst_bin_get_by_name(GST_BIN(pipeline), name);

  g_signal_connect(sink, "handoff", G_CALLBACK(take_bytes), bytes);
}

/* A pipeline that does not end within a minute hangs. */
static Outcome run(const Way *way)
{
  Outcome outcome = {g_byte_array_new(), g_byte_array_new(), NULL};
  g_autofree gchar *line = launch_line(way);
  g_autoptr(GstElement) pipeline =
      gst_parse_launch_full(line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  g_autoptr(GstBus) bus = NULL;
  g_autoptr(GstMessage) message = NULL;

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
  return (Way){way->size, "backend=omp", "backend=omp", "backend=omp", "backend=omp", way->picture,
      way->frames, way->segmentation};
}

/* The same on the CPU, once for all turns of all loops. Call it after the GPU has run: a process
 * that has not yet used that reads the settings. */
static Outcome run_on_cpu(const Way *way)
{
  Way reference = on_cpu(way);
  Outcome outcome = {g_byte_array_new(), g_byte_array_new(), NULL};
  g_autofree gchar *line = launch_line(&reference);
  g_autofree gchar *drawn = g_strconcat(line, " pictures", NULL);

  if (!stx_test_recall(line, outcome.stixels) || !stx_test_recall(drawn, outcome.pictures)) {
    clear(&outcome);
    outcome = run(&reference);
    if (outcome.error == NULL) {
      stx_test_keep(line, outcome.stixels);
      stx_test_keep(drawn, outcome.pictures);
    }
  }
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

STX_TEST(all_on_the_gpu)
{
  static const char *const pictures[] = {"RGBA", "NV12", "I420", "UYVY"};

  for (gsize i = 0; i < G_N_ELEMENTS(pictures); i++)
    expect_same_as_cpu(&(Way){SMALL, CUDA, CUDA, CUDA, CUDA, pictures[i], 2});
}

/* Besides the default. */
static const char *const segmentations[] = {"rdp-columns epsilon=1 median=3",
    "sat-dp-stixels cut-candidates=rdp epsilon=1", "sat-dp-stixels model=gaussian-uniform"};

STX_TEST(what_auto_chooses)
{
  expect_same_as_cpu(&(Way){SMALL, "", "", "", "", "RGBA", 3});
  for (gsize i = 0; i < G_N_ELEMENTS(segmentations); i++)
    expect_same_as_cpu(&(Way){SMALL, "", "", "", "", "RGBA", 3, segmentations[i]});
}

/* Memory changes sides between any two elements. */
STX_TEST(every_mixture)
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

/* ---- Scans --------------------------------------------------------------------------------- */

/* Pictures of labelled scans. What faults do to them: tests/gst/cuda/lidar-ground-cuda.c. */
static GByteArray *scan_pictures(const gchar *backend)
{
  GByteArray *bytes = g_byte_array_new();
  g_autofree gchar *line =
      g_strdup_printf("street-scene-src view=lidar beams=8 azimuth-steps=90 "
                      "num-buffers=3 ! lidar-ground sectors=36 bins=40 %s ! lidar-bev ! "
                      "video/x-raw,width=160,height=160 ! "
                      "fakesink name=out signal-handoffs=true sync=false",
          backend);
  g_autoptr(GstElement) pipeline =
      gst_parse_launch_full(line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, NULL);
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  g_autoptr(GstMessage) message = NULL;

  listen(pipeline, "out", bytes);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  message =
      gst_bus_timed_pop_filtered(bus, SECONDS * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless(
      message != NULL && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS, "no EOS of %s", line);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return bytes;
}

STX_TEST(scans_to_pictures)
{
  g_autoptr(GByteArray) gpu = scan_pictures("backend=cuda");
  g_autoptr(GByteArray) either = scan_pictures("");
  g_autoptr(GByteArray) cpu = scan_pictures("backend=omp");

  fail_unless(cpu->len == 3 * 160 * 160 * 4, "%u bytes", cpu->len);
  expect_same(cpu, gpu, "pictures of scans");
  expect_same(cpu, either, "pictures of scans, backend=auto");
}

/* ---- Faults -------------------------------------------------------------------------------- */

/* More calls than a run of three frames makes; the last turn of each loop proves it. */
#define CALLS 560
#define CALLS_CUDA 800
#define LAST(calls) ((calls) / stx_test_call_step())

static void fail_call(gint number)
{
  g_autofree gchar *text = g_strdup_printf("%d", number);

  g_setenv("STX_FAKE_CUDA_FAIL", text, TRUE);
}

/* One call fails: the element that made it goes on on the CPU, and all bytes arrive. */
STX_TEST_RANGE(any_call_may_fail, 1, LAST(CALLS))
{
  fail_call(_i * stx_test_call_step());
  expect_same_as_cpu(&(Way){LEAST, "", "", "", "backend=omp", "RGBA", 3});
}

/* With backend=cuda there is an error that says what failed, or all bytes. */
STX_TEST_RANGE(any_call_may_fail_with_cuda, 1, LAST(CALLS_CUDA))
{
  Way way = {LEAST, CUDA, CUDA, CUDA, CUDA, "RGBA", 3};
  Outcome gpu, cpu;

  fail_call(_i * stx_test_call_step());
  gpu = run(&way);
  if (gpu.error != NULL) {
    fail_unless(strlen(gpu.error->message) > 10, "\"%s\"", gpu.error->message);
    fail_unless(_i < LAST(CALLS_CUDA), "a call that is not made failed: %s", gpu.error->message);
  } else {
    cpu = run_on_cpu(&way);
    expect_same(cpu.stixels, gpu.stixels, "stixels");
    expect_same(cpu.pictures, gpu.pictures, "pictures");
    clear(&cpu);
  }
  clear(&gpu);
}
