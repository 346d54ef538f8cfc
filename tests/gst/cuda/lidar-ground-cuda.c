/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lidar-ground on a GPU: labels and points in either memory. The GPU is that of tests/emu; the
 * program runs a second time with work that starts only when it is waited for. Faults:
 * cuda-faults.c.
 */
#include <string.h>

#include "gst/stixels/stixels.h"
#include "tests/gst/cuda/cuda_fixture.h"
#include "tests/gst/fixtures/scan_fixture.h"

#define ON_DEVICE "(memory:CUDAMemory)"
#define LABELS "application/x-point-labels"
#define SMALL " sectors=24 bins=30 " /* the emulator is slow */
#define MOST 4500                    /* more than the smallest buffer of labels holds */

static StxGroundParams params_of_small(void)
{
  StxGroundParams params = STX_GROUND_DEFAULTS;

  params.sectors = 24;
  params.bins = 30;
  return params;
}

static GstBuffer *labels_of(GstBuffer *buffer)
{
  GstStxPointLabelsMeta *meta = gst_buffer_get_stx_point_labels_meta(buffer);

  return meta != NULL ? meta->labels : buffer;
}

/* Takes the buffer, which is points with labels, or labels. FALSE if it cannot be read: where a map
 * fails, GStreamer copies the memory, and GstCuda all that was allocated. */
static gboolean expect_labels(
    GstBuffer *buffer, const gfloat *points, gsize count, const char *what)
{
  StxGroundParams params = params_of_small();
  g_autofree guint32 *expected = scan_reference(&params, points, count, NULL);
  GstMapInfo map;
  gboolean mapped, readable;

  cuda_spare(TRUE);
  mapped = gst_buffer_map(labels_of(buffer), &map, GST_MAP_READ);
  cuda_spare(FALSE);
  readable = mapped && map.size == 4 * count;
  if (readable)
    ck_assert_msg(count == 0 || memcmp(map.data, expected, map.size) == 0,
        "%s, %" G_GSIZE_FORMAT " points: the labels are not those of the CPU", what, count);
  if (mapped)
    gst_buffer_unmap(labels_of(buffer), &map);
  gst_buffer_unref(buffer);
  return readable;
}

/* ---- Points in system memory --------------------------------------------------------------- */

/* Several scans in one stream: one wait at the end of a scan would hide what is not waited for. */
static const gsize counts[] = {300, 301, 0, 1, MOST, 17, 0, MOST};

static const struct {
  const char *line;
  gboolean device;
} lines[] = {
    {"lidar-ground backend=cuda" SMALL, FALSE},
    {"lidar-ground backend=auto" SMALL "! capsfilter caps=" LABELS, FALSE},
    {"lidar-ground backend=cuda" SMALL "! capsfilter caps=" LABELS ON_DEVICE, TRUE},
};

STX_TEST_LOOP(labels_are_those_of_the_cpu, G_N_ELEMENTS(lines))
{
  g_auto(Stage) fixture = stx_test_stage("lidar-ground", lines[_i].line, SCAN_CAPS);
  GstBuffer *outputs[G_N_ELEMENTS(counts)];
  g_autofree gfloat *points = g_new(gfloat, 4 * MOST);

  for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
    scan_points(points, counts[i], i);
    outputs[i] = scan_run(&fixture, points, counts[i]);
    ck_assert_int_eq(cuda_is_on_device(labels_of(outputs[i])), lines[_i].device);
  }
  for (guint i = 0; i < G_N_ELEMENTS(counts); i++) { /* kept all the while */
    scan_points(points, counts[i], i);
    ck_assert(expect_labels(outputs[i], points, counts[i], lines[_i].line));
  }
  stx_test_expect_silence(fixture.bus);
}

STX_TEST(statistics_come_back)
{
  g_auto(Stage) fixture = stx_test_stage("lidar-ground",
      "lidar-ground backend=cuda post-messages=true" SMALL "! capsfilter caps=" LABELS ON_DEVICE,
      SCAN_CAPS);
  StxGroundParams params = params_of_small();
  gfloat points[4 * 300];
  StxGroundResult expected;
  g_autoptr(GstMessage) message = NULL;
  double height;
  guint ground;

  scan_points(points, 300, 1);
  g_free(scan_reference(&params, points, 300, &expected));
  ck_assert(expect_labels(scan_run(&fixture, points, 300), points, 300, "labels"));
  message = gst_bus_pop_filtered(fixture.bus, GST_MESSAGE_ELEMENT);
  ck_assert(message != NULL);
  ck_assert(gst_structure_get(gst_message_get_structure(message), "ground", G_TYPE_UINT, &ground,
      "height", G_TYPE_DOUBLE, &height, NULL));
  ck_assert_uint_gt(ground, 0);
  ck_assert_uint_eq(ground, expected.ground);
  ck_assert(height == (double)expected.height);
}

/* ---- Points in CUDAMemory ------------------------------------------------------------------ */

/* Points in CUDAMemory of the context of `maker`, an element that writes labels to CUDAMemory:
 * a buffer of labels as large, filled with them. */
static GstBuffer *device_points(Stage *maker, const gfloat *points, gsize count)
{
  g_autofree gfloat *more = g_new0(gfloat, 16 * count);
  GstBuffer *buffer = scan_run(maker, more, 4 * count);
  GstMapInfo map;

  ck_assert(cuda_is_on_device(buffer) && gst_buffer_map(buffer, &map, GST_MAP_WRITE));
  ck_assert_uint_eq(map.size, 16 * count);
  memcpy(map.data, points, map.size);
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

static void share_context(Stage *from, Stage *to)
{
  GList *contexts = gst_element_get_contexts(from->element);

  ck_assert(contexts != NULL);
  for (GList *item = contexts; item != NULL; item = item->next)
    gst_element_set_context(to->element, item->data);
  g_list_free_full(contexts, (GDestroyNotify)gst_context_unref);
}

static const struct {
  const char *line;
  gboolean shared, device;
} device_lines[] = {
    {"lidar-ground backend=cuda" SMALL, TRUE, TRUE},
    {"lidar-ground backend=cuda" SMALL "! capsfilter caps=" LABELS ON_DEVICE, TRUE, TRUE},
    {"lidar-ground backend=cuda" SMALL "! capsfilter caps=" LABELS, TRUE, FALSE},
    {"lidar-ground backend=cuda" SMALL, FALSE, TRUE}, /* the points are another context's */
};

STX_TEST_LOOP(points_may_be_on_the_device, G_N_ELEMENTS(device_lines))
{
  g_auto(Stage) maker = stx_test_stage(
      "lidar-ground", "lidar-ground backend=cuda ! capsfilter caps=" LABELS ON_DEVICE, SCAN_CAPS);
  g_auto(Stage) fixture = {0};
  gfloat points[4 * 300];

  for (guint i = 0; i < 3; i++) {
    g_autoptr(GstBuffer) input = NULL;
    GstBuffer *output;

    scan_points(points, 300, i);
    input = device_points(&maker, points, 300);
    if (i == 0) {
      g_autofree gchar *line = g_strdup(device_lines[_i].line);

      fixture = stx_test_stage("lidar-ground", line, NULL);
      if (device_lines[_i].shared) {
        gst_element_set_state(fixture.harness->element, GST_STATE_NULL);
        share_context(&maker, &fixture);
        gst_element_set_state(fixture.harness->element, GST_STATE_PLAYING);
      }
      gst_harness_set_src_caps_str(fixture.harness, "application/x-lidar" ON_DEVICE);
    }
    output = gst_harness_push_and_pull(fixture.harness, gst_buffer_ref(input));
    ck_assert(output != NULL);
    ck_assert_int_eq(cuda_is_on_device(labels_of(output)), device_lines[_i].device);
    if (labels_of(output) != output) {
      ck_assert_ptr_eq(gst_buffer_peek_memory(output, 0), gst_buffer_peek_memory(input, 0));
      stx_test_expect_bytes(output, points, sizeof points, "points");
    }
    ck_assert(expect_labels(output, points, 300, device_lines[_i].line));
  }
  stx_test_expect_silence(fixture.bus);
}

/* ---- Points that lidar-ground uploads ------------------------------------------------------- */

#define SCANS "street-scene-src name=scans view=lidar beams=4 azimuth-steps=180 num-buffers=2 "
#define GROUND "lidar-ground name=ground %s" SMALL
#define PICTURE "video/x-raw,format=RGB,width=96,height=80 ! fakesink name=out "
#define POINTS "application/x-lidar"

/* Pipelines, and the caps of links in them: an element, and what leaves it. */
static const struct {
  const char *line;
  const char *links[6];
} chains[] = {
    {SCANS "! " GROUND "! stixel-obstacles name=obstacles ! lidar-bev ! " PICTURE,
        {"scans " POINTS, "ground " POINTS ON_DEVICE, "obstacles " POINTS ON_DEVICE}},
    {SCANS "! lidar-encode name=packets ! lidar-decode name=turns ! " GROUND "! tee name=tee ! "
           "queue name=one ! lidar-bev ! " PICTURE "tee. ! queue name=other ! stixel-obstacles "
           "name=obstacles ! fakesink",
        {"turns " POINTS, "ground " POINTS ON_DEVICE, "one " POINTS ON_DEVICE,
            "obstacles " POINTS ON_DEVICE}},
    {"street-scene-src view=left num-buffers=2 ! video/x-raw,format=RGB,width=96,height=48 ! "
     "overlay.sink " SCANS "! " GROUND
     "! overlay.points lidar-overlay name=overlay ! fakesink name=out",
        {"scans " POINTS, "ground " POINTS ON_DEVICE}},
    /* Without kernels for them, or of another plugin: in system memory. */
    {SCANS "! " GROUND "! occupancy-grid ! fakesink name=out", {"ground " POINTS}},
    {SCANS "! " GROUND "! fakesink name=out", {"ground " POINTS}},
    {SCANS "! " GROUND "! " POINTS ON_DEVICE " ! fakesink name=out", {"ground " POINTS ON_DEVICE}},
};

static GMutex lock;
static GString *seen; /* the lines "element caps" of all caps that left an element */

static GstPadProbeReturn note_caps(GstPad *pad, GstPadProbeInfo *info, gpointer element)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  g_autofree gchar *text = NULL;
  GstCaps *caps;

  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps(event, &caps);
  text = gst_caps_to_string(caps);
  g_mutex_lock(&lock);
  g_string_append_printf(seen, "%s %s,\n", GST_OBJECT_NAME(element), text);
  g_mutex_unlock(&lock);
  return GST_PAD_PROBE_OK;
}

static gboolean note_pad(GstElement *element, GstPad *pad, gpointer nothing)
{
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_caps, element, NULL);
  return TRUE;
}

static void note_element(const GValue *item, gpointer nothing)
{
  gst_element_foreach_src_pad(g_value_get_object(item), note_pad, NULL);
}

static void note_all(GstElement *pipeline)
{
  GstIterator *elements = gst_bin_iterate_elements(GST_BIN(pipeline));

  seen = g_string_new(NULL);
  gst_iterator_foreach(elements, note_element, NULL);
  gst_iterator_free(elements);
}

/* All caps that have left the element of this link are those of the link. */
static void expect_link(const char *link)
{
  g_autofree gchar *whole = g_strconcat(link, ",", NULL);
  g_auto(GStrv) all = g_strsplit(seen->str, "\n", 0);
  gsize name = strcspn(link, " ") + 1;
  guint count = 0;

  for (gchar **line = all; *line != NULL; line++)
    if (strncmp(*line, link, name) == 0) {
      ck_assert_msg(g_str_has_prefix(*line, whole), "%s, not %s", *line, link);
      count++;
    }
  ck_assert_msg(count > 0, "no caps for %s in\n%s", link, seen->str);
}

/* No property says so: points are uploaded where downstream names CUDAMemory, and the bytes at the
 * end are those of the CPU. */
STX_TEST_LOOP(points_stay_on_the_device, G_N_ELEMENTS(chains))
{
  static const CudaPlace nowhere[] = {{NULL, NULL}};
  g_autofree gchar *on_gpu = g_strdup_printf(chains[_i].line, "backend=cuda");
  g_autofree gchar *on_cpu = g_strdup_printf(chains[_i].line, "backend=omp");
  g_auto(CudaOutcome) gpu = cuda_run_text_with(on_gpu, nowhere, note_all);
  GString *there = seen;

  if (strstr(chains[_i].line, ON_DEVICE) == NULL) {
    g_auto(CudaOutcome) cpu = cuda_run_text_with(on_cpu, nowhere, note_all);

    cuda_expect_same(&gpu, &cpu, on_gpu);
    ck_assert(strstr(strstr(seen->str, "ground "), ON_DEVICE) == NULL);
    g_string_free(seen, TRUE);
    seen = there;
  }
  ck_assert(gpu.error == NULL);
  ck_assert_uint_eq(gpu.buffers, 2);
  ck_assert_int_eq(gpu.warnings, 0);
  for (guint i = 0; i < G_N_ELEMENTS(chains[_i].links) && chains[_i].links[i] != NULL; i++)
    expect_link(chains[_i].links[i]);
  g_string_free(seen, TRUE);
}

/* The labels, the times and the metas of a scan are on the points that were uploaded, and on a copy
 * which lives longer than the buffer of the pool. */
STX_TEST(uploaded_points_keep_what_the_scan_had)
{
  g_auto(Stage) fixture = stx_test_stage("lidar-ground",
      "lidar-ground backend=cuda" SMALL "! capsfilter caps=" POINTS ON_DEVICE, SCAN_CAPS);
  static gfloat points[4 * MOST];

  for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
    GstBuffer *marks = gst_buffer_new_allocate(NULL, 8 * counts[i], NULL), *input, *first, *output;

    scan_points(points, counts[i], i);
    input = gst_buffer_new_allocate(NULL, 16 * counts[i], NULL);
    gst_buffer_fill(input, 0, points, 16 * counts[i]);
    GST_BUFFER_PTS(input) = i * GST_SECOND;
    gst_buffer_add_stx_turn_meta(input, marks)->number = i;
    gst_buffer_unref(marks);
    first = gst_harness_push_and_pull(fixture.harness, input);
    ck_assert(first != NULL);
    output = counts[i] > 0 ? gst_buffer_copy(first) : gst_buffer_ref(first);
    gst_buffer_unref(first);
    ck_assert(cuda_is_on_device(output) && cuda_is_on_device(labels_of(output)));
    ck_assert_uint_eq(GST_BUFFER_PTS(output), i * GST_SECOND);
    ck_assert_uint_eq(gst_buffer_get_stx_turn_meta(output)->number, i);
    stx_test_expect_bytes(output, points, 16 * counts[i], "points");
    ck_assert(expect_labels(output, points, counts[i], "labels of uploaded points"));
  }
  stx_test_expect_silence(fixture.bus);
}
