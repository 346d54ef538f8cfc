/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * downsample-transpose, sat-dp-stixels and rdp-columns on a GPU: what their pads offer, where
 * buffers lie, and that the bytes are those of the CPU. The GPU is that of tests/emu; the test runs
 * a second time with work that starts only when it is waited for.
 */
#include <string.h>

#include "gst/stixels/stixels.h"
#include "tests/gst/cuda/cuda_fixture.h"

#define ON_DEVICE "(" CUDA_MEMORY ")"
#define SMALL "width=163,height=95"
#define CELLS(n) "stixel-width=" #n " stixel-height=" #n
#define RDP "rdp-columns"

/* Elements that segment columns; each does the same with buffers. */
static const char *const segmentations[] = {"sat-dp-stixels", RDP};

/* ---- Bytes --------------------------------------------------------------------------------- */

/* One wait at the end of a frame would hide what is not waited for: several frames each. */
static const CudaLine lines[] = {
    {SMALL, "", "", "", "", 3},
    {SMALL, "", ON_DEVICE, "", ON_DEVICE, 3},
    {SMALL, "", "", "", ON_DEVICE, 3},
    {SMALL, "", ON_DEVICE, "ground=estimate", "", 3},
    {SMALL, "", "", "ground=estimate", ON_DEVICE, 3},
    {SMALL, "stixel-width=3 stixel-height=2 reduction=median", ON_DEVICE, "stixel-cost=1", "", 2},
    {SMALL, "stixel-width=5 reduction=mean fill-width=0", ON_DEVICE, "stixel-cost=0", ON_DEVICE, 2},
    {"width=1,height=1", "", ON_DEVICE, "", ON_DEVICE, 2},
    {"width=17,height=9", "stixel-width=1 stixel-height=1", ON_DEVICE, "", ON_DEVICE, 2},
    {SMALL, CELLS(4), ON_DEVICE, "cut-candidates=rdp epsilon=1", ON_DEVICE, 3},
    {SMALL, CELLS(4), "", "cut-candidates=rdp epsilon=0 ground=estimate", "", 2},
    {SMALL, "", "", "", "", 3, RDP},
    {SMALL, "", ON_DEVICE, "", ON_DEVICE, 3, RDP},
    {SMALL, CELLS(1), ON_DEVICE, "epsilon=0", "", 3,
        RDP}, /* more records than are fetched at once */
    {SMALL, CELLS(1), "", "epsilon=1 median=7", ON_DEVICE, 3, RDP},
    {SMALL, "stixel-width=3 stixel-height=2", ON_DEVICE, "epsilon=0.3 median=3", "", 2, RDP},
    {"width=1,height=1", CELLS(1), ON_DEVICE, "", ON_DEVICE, 2, RDP},
    {"width=3,height=2000", CELLS(1), ON_DEVICE, "epsilon=0.5 median=5", ON_DEVICE, 2, RDP},
};

STX_TEST_LOOP(bytes_are_those_of_the_cpu, G_N_ELEMENTS(lines))
{
  CudaLine line = lines[_i];
  g_auto(CudaOutcome) cpu = cuda_run_on_cpu(&line);
  g_auto(CudaOutcome) gpu = {0};
  g_autofree gchar *cells = g_strdup_printf("backend=cuda %s", line.cells);
  g_autofree gchar *stixels = g_strdup_printf("backend=cuda %s", line.stixels);

  line.cells = cells;
  line.stixels = stixels;
  gpu = cuda_run(&line);
  cuda_expect_same(&gpu, &cpu, line.cells);
  ck_assert_uint_eq(gpu.buffers, line.frames);
}

/* ---- Memory of the host -------------------------------------------------------------------- */

#define PICTURE "video/x-raw,format=GRAY16_LE,width=160,height=96,framerate=10/1"
#define PICTURE_SIZE (160 * 96 * 2)

static GstPadProbeReturn arrive(GstPad *pad, GstPadProbeInfo *info, gpointer arrived)
{
  g_atomic_int_set((gint *)arrived, TRUE);
  return GST_PAD_PROBE_OK; /* stays blocked */
}

/* The stixels of one picture, whose memory is overwritten as soon as the first element has passed
 * it on, and before the GPU is waited for. */
static GstBuffer *stixels_of(const char *backend)
{
  g_autofree gchar *line = g_strdup_printf("downsample-transpose backend=%s ! queue name=queue ! "
                                           "sat-dp-stixels backend=%s",
      backend, backend);
  g_autoptr(Harness) harness = gst_harness_new_parse(line);
  g_autoptr(GstElement) queue = gst_bin_get_by_name(GST_BIN(harness->element), "queue");
  g_autoptr(GstPad) pad = gst_element_get_static_pad(queue, "src");
  g_autofree guint16 *picture = g_malloc(PICTURE_SIZE);
  GstBuffer *stixels;
  gint arrived = FALSE;
  gulong block = gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, arrive, &arrived, NULL);

  for (guint i = 0; i < PICTURE_SIZE / 2; i++)
    picture[i] = (guint16)(256 * (1 + i / 160 / 8) + 2560 * (i % 160 / 40));
  gst_harness_set_src_caps_str(harness, PICTURE);
  gst_harness_push(
      harness, gst_buffer_new_wrapped_full(0, picture, PICTURE_SIZE, 0, PICTURE_SIZE, NULL, NULL));
  for (guint i = 0; i < 10000 && !g_atomic_int_get(&arrived); i++)
    g_usleep(1000);
  ck_assert(arrived);
  memset(picture, 0, PICTURE_SIZE);
  gst_pad_remove_probe(pad, block);
  stixels = gst_harness_pull(harness);
  return stixels;
}

STX_TEST(a_picture_may_change_when_it_was_passed_on)
{
  g_autoptr(GstBuffer) cpu = stixels_of("omp");
  g_autoptr(GstBuffer) gpu = stixels_of("cuda");

  stx_test_expect_same(gpu, cpu, "stixels");
}

/* ---- Memory and context -------------------------------------------------------------------- */

/* Between our elements buffers stay on the device without a capsfilter; a sink that takes anything
 * gets system memory. */
STX_TEST_LOOP(memory_is_where_it_should_be, G_N_ELEMENTS(segmentations))
{
  CudaLine line = {SMALL, "", ON_DEVICE, "", ON_DEVICE, 3, segmentations[_i]};
  CudaOutcome outcome = cuda_run(&line);

  ck_assert_uint_eq(outcome.device_between, 3);
  ck_assert_uint_eq(outcome.device_behind, 3);
  ck_assert_uint_eq(outcome.contexts, 1);
  cuda_outcome_clear(&outcome);

  line.between = line.behind = "(ANY)";
  outcome = cuda_run(&line);
  ck_assert_uint_eq(outcome.device_between, 3);
  ck_assert_uint_eq(outcome.device_behind, 0);
  cuda_outcome_clear(&outcome);

  line.stixels = "backend=omp";
  outcome = cuda_run(&line);
  ck_assert_uint_eq(outcome.device_between, 0);
  ck_assert_uint_eq(outcome.contexts, 1);
  cuda_outcome_clear(&outcome);
}

/* ---- Streams ------------------------------------------------------------------------------- */

static GstHarness *cuda_harness(const char *segmentation, const char *behind)
{
  g_autofree gchar *line = g_strdup_printf(
      "downsample-transpose backend=cuda ! %s backend=cuda%s", segmentation, behind);
  GstHarness *harness = gst_harness_new_parse(line);

  return harness;
}

/* Pushes a frame of `width` pixels and returns what it became. */
static GstBuffer *push_size(GstHarness *harness, gint width, GstClockTime pts)
{
  g_autofree gchar *caps =
      g_strdup_printf("video/x-raw,format=GRAY16_LE,width=%d,height=40,framerate=10/1", width);
  GstBuffer *buffer =
      stx_test_buffer((gsize)(2 * width + 3) / 4 * 4 * 40, 0x15, pts, GST_SECOND / 10);

  gst_harness_set_src_caps_str(harness, caps);
  ck_assert_int_eq(gst_harness_push(harness, buffer), GST_FLOW_OK);
  return gst_harness_pull(harness);
}

static void expect_columns(GstBuffer *stixels, guint columns)
{
  GstMapInfo map;

  ck_assert(gst_buffer_map(stixels, &map, GST_MAP_READ));
  ck_assert_uint_ge(map.size / 24, columns);
  ck_assert_uint_eq(map.size % 24, 0);
  ck_assert_uint_eq(map.data[map.size - 24] + 256 * map.data[map.size - 23], columns - 1);
  gst_buffer_unmap(stixels, &map);
  gst_buffer_unref(stixels);
}

STX_TEST_LOOP(sizes_change_and_flushes_come, G_N_ELEMENTS(segmentations))
{
  g_autoptr(Harness) harness = cuda_harness(segmentations[_i], "");

  expect_columns(push_size(harness, 80, 0), 10);
  expect_columns(push_size(harness, 240, GST_SECOND), 30);
  stx_test_flush(harness);
  expect_columns(push_size(harness, 33, 0), 5);
  expect_columns(push_size(harness, 240, GST_SECOND), 30);
}

/* A buffer of ours outlives its pipeline, and the pool it came from. */
STX_TEST_LOOP(buffers_outlive_the_pipeline, G_N_ELEMENTS(segmentations))
{
  GstHarness *harness =
      cuda_harness(segmentations[_i], " ! capsfilter caps=\"" STIXELS_CAPS ON_DEVICE "\"");
  g_autoptr(GstBuffer) first = push_size(harness, 80, 0);
  g_autoptr(GstBuffer) second = push_size(harness, 80, GST_SECOND);
  GstMapInfo one, two;

  gst_harness_teardown(harness);
  ck_assert(gst_buffer_map(first, &one, GST_MAP_READ));
  ck_assert(gst_buffer_map(second, &two, GST_MAP_READ));
  ck_assert_uint_eq(one.size, two.size);
  ck_assert_int_eq(memcmp(one.data, two.data, one.size), 0);
  gst_buffer_unmap(first, &one);
  gst_buffer_unmap(second, &two);
}

/* ---- Caps ---------------------------------------------------------------------------------- */

static gboolean has_cuda(const GstCaps *caps)
{
  gboolean found = FALSE;

  for (guint i = 0; i < gst_caps_get_size(caps); i++)
    found |= gst_caps_features_contains(gst_caps_get_features(caps, i), CUDA_MEMORY);
  return found;
}

static void expect_offer(
    const char *factory, GstStaticPadTemplate *template, const char *backend, gboolean expected)
{
  g_autoptr(GstElement) element = gst_element_factory_make(factory, NULL);
  g_autoptr(GstPad) pad = template->presence == GST_PAD_REQUEST
                              ? gst_element_request_pad_simple(element, template->name_template)
                              : gst_element_get_static_pad(element, template->name_template);
  g_autoptr(GstCaps) caps = NULL;

  gst_util_set_object_arg(G_OBJECT(element), "backend", backend);
  caps = gst_pad_query_caps(pad, NULL);
  ck_assert_msg(
      has_cuda(caps) == expected, "%s.%s, backend=%s", factory, template->name_template, backend);
}

/* All pads but those that take any memory, which read metas alone. */
static void expect_offers(gboolean there_is_a_gpu)
{
  static const char *const factories[] = {
      "downsample-transpose", "sat-dp-stixels", RDP, "lidar-ground", "stereo-rectify"};
  g_autoptr(GstCaps) elsewhere = gst_caps_from_string("video/x-raw(memory:Elsewhere)");

  for (guint i = 0; i < G_N_ELEMENTS(factories); i++) {
    g_autoptr(GstElementFactory) factory = gst_element_factory_find(factories[i]);
    const GList *item = gst_element_factory_get_static_pad_templates(factory);

    for (; item != NULL; item = item->next) {
      g_autoptr(GstCaps) caps = gst_static_pad_template_get_caps(item->data);

      if (gst_caps_can_intersect(caps, elsewhere))
        continue;
      expect_offer(factories[i], item->data, "auto", there_is_a_gpu);
      expect_offer(factories[i], item->data, "cuda", there_is_a_gpu);
      expect_offer(factories[i], item->data, "omp", FALSE);
    }
  }
}

STX_TEST(caps_with_a_gpu)
{
  expect_offers(TRUE);
}

STX_TEST(caps_without_a_gpu)
{
  g_setenv("STX_FAKE_CUDA_DEVICES", "0", TRUE);
  expect_offers(FALSE);
}

static GstPadProbeReturn map_confidence(GstPad *pad, GstPadProbeInfo *info, gpointer mapped)
{
  GstBuffer *frame = GST_PAD_PROBE_INFO_BUFFER(info);
  GstStxConfidenceMeta *meta = gst_buffer_get_stx_confidence_meta(frame);
  GstMapInfo map;

  ck_assert(meta != NULL && gst_buffer_map(meta->confidence, &map, GST_MAP_READ));
  ck_assert_uint_eq(map.size, 97 * 51);
  gst_buffer_unmap(meta->confidence, &map);
  ++*(guint *)mapped;
  return GST_PAD_PROBE_OK;
}

static guint mapped;

static void watch_confidence(GstElement *pipeline)
{
  stx_test_probe(pipeline, "out", "sink", GST_PAD_PROBE_TYPE_BUFFER, map_confidence, &mapped);
}

/* GstCuda takes page-locked memory for the bytes at the first map, and fills it by pixels of 4. */
STX_TEST(an_odd_number_of_bytes_can_be_mapped)
{
  static const CudaPlace nowhere[] = {{NULL, NULL}};
  g_auto(CudaOutcome) outcome = cuda_run_text_with(
      "street-scene-src view=left num-buffers=2 ! video/x-raw,format=GRAY8,width=97,height=51 ! "
      "sgm.sink_left street-scene-src view=right num-buffers=2 ! video/x-raw,format=GRAY8,width=97,"
      "height=51 ! sgm.sink_right stereo-sgm name=sgm backend=cuda max-disparity=64 ! "
      "video/x-raw" ON_DEVICE " ! fakesink name=out",
      nowhere, watch_confidence);

  ck_assert(outcome.error == NULL);
  ck_assert_uint_eq(mapped, 2);
}
