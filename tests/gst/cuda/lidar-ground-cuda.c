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

static gboolean is_on_device(GstBuffer *buffer)
{
  return gst_buffer_n_memory(buffer) == 1 &&
         gst_memory_is_type(gst_buffer_peek_memory(buffer, 0), "gst.cuda.memory");
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
  guint32 *expected = scan_reference(&params, points, count, NULL);
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
  g_free(expected);
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
  g_auto(ScanFixture) fixture = scan_begin("lidar-ground", lines[_i].line, SCAN_CAPS);
  GstBuffer *outputs[G_N_ELEMENTS(counts)];
  g_autofree gfloat *points = g_new(gfloat, 4 * MOST);

  for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
    scan_points(points, counts[i], i);
    outputs[i] = scan_run(&fixture, points, counts[i]);
    ck_assert_int_eq(is_on_device(labels_of(outputs[i])), lines[_i].device);
  }
  for (guint i = 0; i < G_N_ELEMENTS(counts); i++) { /* kept all the while */
    scan_points(points, counts[i], i);
    ck_assert(expect_labels(outputs[i], points, counts[i], lines[_i].line));
  }
  stx_test_expect_silence(fixture.bus);
}

STX_TEST(statistics_come_back)
{
  g_auto(ScanFixture) fixture = scan_begin("lidar-ground",
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
static GstBuffer *device_points(ScanFixture *maker, const gfloat *points, gsize count)
{
  g_autofree gfloat *more = g_new0(gfloat, 16 * count);
  GstBuffer *buffer = scan_run(maker, more, 4 * count);
  GstMapInfo map;

  ck_assert(is_on_device(buffer) && gst_buffer_map(buffer, &map, GST_MAP_WRITE));
  ck_assert_uint_eq(map.size, 16 * count);
  memcpy(map.data, points, map.size);
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

static void share_context(ScanFixture *from, ScanFixture *to)
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
  g_auto(ScanFixture) maker = scan_begin(
      "lidar-ground", "lidar-ground backend=cuda ! capsfilter caps=" LABELS ON_DEVICE, SCAN_CAPS);
  g_auto(ScanFixture) fixture = {0};
  gfloat points[4 * 300];

  for (guint i = 0; i < 3; i++) {
    g_autoptr(GstBuffer) input = NULL;
    GstBuffer *output;

    scan_points(points, 300, i);
    input = device_points(&maker, points, 300);
    if (i == 0) {
      g_autofree gchar *line = g_strdup(device_lines[_i].line);

      fixture = scan_begin("lidar-ground", line, NULL);
      if (device_lines[_i].shared) {
        gst_element_set_state(fixture.harness->element, GST_STATE_NULL);
        share_context(&maker, &fixture);
        gst_element_set_state(fixture.harness->element, GST_STATE_PLAYING);
      }
      gst_harness_set_src_caps_str(fixture.harness, "application/x-lidar" ON_DEVICE);
    }
    output = gst_harness_push_and_pull(fixture.harness, gst_buffer_ref(input));
    ck_assert(output != NULL);
    ck_assert_int_eq(is_on_device(labels_of(output)), device_lines[_i].device);
    if (labels_of(output) != output) {
      ck_assert_ptr_eq(gst_buffer_peek_memory(output, 0), gst_buffer_peek_memory(input, 0));
      stx_test_expect_bytes(output, points, sizeof points, "points");
    }
    ck_assert(expect_labels(output, points, 300, device_lines[_i].line));
  }
  stx_test_expect_silence(fixture.bus);
}

/* Points and labels on the device are seen from above as those of the CPU are. */
STX_TEST(pictures_of_points_on_the_device)
{
  static const char behind[] =
      SMALL "! lidar-bev ! capsfilter caps=video/x-raw,format=RGB,width=64,height=48";
  g_auto(ScanFixture) maker = scan_begin(
      "lidar-ground", "lidar-ground backend=cuda ! capsfilter caps=" LABELS ON_DEVICE, SCAN_CAPS);
  g_autofree gchar *there = g_strconcat("lidar-ground backend=cuda", behind, NULL);
  g_autofree gchar *here = g_strconcat("lidar-ground backend=omp", behind, NULL);
  ScanFixture device;
  g_auto(ScanFixture) host = scan_begin("lidar-ground", here, SCAN_CAPS);
  gfloat points[4 * 300];
  g_autoptr(GstBuffer) input = NULL;
  g_autoptr(GstBuffer) picture = NULL;
  g_autoptr(GstBuffer) expected = NULL;
  GstMapInfo map;

  scan_points(points, 300, 3);
  input = device_points(&maker, points, 300);
  device = scan_begin("lidar-ground", there, NULL);
  gst_element_set_state(device.harness->element, GST_STATE_NULL);
  share_context(&maker, &device);
  gst_element_set_state(device.harness->element, GST_STATE_PLAYING);
  gst_harness_set_src_caps_str(device.harness, "application/x-lidar" ON_DEVICE);
  picture = gst_harness_push_and_pull(device.harness, gst_buffer_ref(input));
  expected = scan_run(&host, points, 300);
  ck_assert(picture != NULL && gst_buffer_map(expected, &map, GST_MAP_READ));
  stx_test_expect_bytes(picture, map.data, map.size, "a picture");
  gst_buffer_unmap(expected, &map);
  stx_test_expect_silence(device.bus);
  scan_end(&device);
}
