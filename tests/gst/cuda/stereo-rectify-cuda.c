/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stereo-rectify on the GPU of tests/emu: the bytes of the CPU in every format, frames that stay on
 * the device up to stereo-sgm. The program runs a second time with work that starts only when it is
 * waited for. Faults: cuda-faults.c.
 */
#include <math.h>
#include <string.h>

#include "tests/gst/cuda/cuda_fixture.h"

#define ON_DEVICE "(" CUDA_MEMORY ")"
#define WIDTH 64
#define HEIGHT 48

/* Two bent lenses that do not look the same way, for pictures of any size. */
static const char calibration[] =
    "K1: [50, 0, 31, 0, 50, 23, 0, 0, 1]\nD1: [-0.2, 0.03, 0.001, 0]\n"
    "K2: [51, 0, 30, 0, 51, 24, 0, 0, 1]\nD2: [-0.18, 0.02, 0, 0.001]\n"
    "R: [1, 0, 0.02, 0, 1, 0, -0.02, 0, 1]\nT: [-0.2, 0.003, 0]\n";

double stx_test_prepare(void)
{
  stx_test_write("lenses.yml", calibration);
  return 0;
}

static const CudaPlace nowhere[] = {{NULL, NULL}};

/* The same line on the CPU, in system memory. */
static CudaOutcome run_on_cpu(const gchar *line)
{
  g_autoptr(GString) host = g_string_new(line);
  CudaOutcome outcome;

  g_string_replace(host, "backend=auto", "backend=omp", 0);
  g_string_replace(host, "backend=cuda", "backend=omp", 0);
  g_string_replace(host, ON_DEVICE, "", 0);
  outcome = cuda_run_text_once(host->str);
  return outcome;
}

static CudaOutcome expect_same_as_cpu(const gchar *line, const CudaPlace *between)
{
  CudaOutcome gpu = cuda_run_text(line, between);
  g_auto(CudaOutcome) cpu = run_on_cpu(line);

  if (gpu.unreadable == 0) /* a call that failed may be that of the sink */
    cuda_expect_same(&gpu, &cpu, line);
  return gpu;
}

/* ---- Bytes --------------------------------------------------------------------------------- */

#define PLATE(format, width)                                                                       \
  "videotestsrc pattern=zone-plate kx2=20 ky2=30 kt=5 num-buffers=3 ! video/x-raw,format=" format  \
  ",width=" #width ",height=48,framerate=10/1 ! "
#define PLATE_OF_ANY_FORMAT PLATE("%s", 128)
#define RECTIFY(name, backend)                                                                     \
  "stereo-rectify name=" name " backend=" backend " calibration=lenses.yml "

static const char *const formats[] = {"GRAY8", "YUY2", "UYVY", "YVYU", "VYUY", "I420", "YV12",
    "NV12", "NV21", "Y42B", "NV16", "NV61", "Y444", "NV24", "RGB", "BGR", "RGBx", "BGRx", "xRGB",
    "xBGR", "RGBA", "BGRA", "ARGB", "ABGR"};

/* Frames have both views, so that each lane uploads its half. */
STX_TEST_LOOP(bytes_are_those_of_the_cpu, G_N_ELEMENTS(formats))
{
  static const char *const sides[][2] = {{"left", "right"}, {"right", "left"}};

  for (guint i = 0; i < G_N_ELEMENTS(sides); i++) {
    g_autofree gchar *line = g_strdup_printf(PLATE_OF_ANY_FORMAT
        "r.sink " RECTIFY("r", "cuda") "layout=side-by-side "
                                       "r.src_%s ! fakesink name=out async=false "
                                       "r.src_%s ! fakesink async=false",
        formats[_i], sides[i][0], sides[i][1]);
    g_auto(CudaOutcome) outcome = expect_same_as_cpu(line, nowhere);

    ck_assert_uint_eq(outcome.buffers, 3);
    ck_assert_uint_eq(outcome.unreadable, 0);
    ck_assert_uint_eq(outcome.device_behind, 0);
  }
}

/* Widths that are no multiple of what a thread makes, and planes that are no half of one another.
 */
STX_TEST_LOOP(odd_sizes, 8)
{
  g_autofree gchar *line = g_strdup_printf(
      PLATE("%s", 131) "r.sink_left " RECTIFY("r", "cuda") "r.src_left ! fakesink name=out",
      formats[_i]);
  g_auto(CudaOutcome) outcome = expect_same_as_cpu(line, nowhere);

  ck_assert_uint_eq(outcome.buffers, 3);
  ck_assert_uint_eq(outcome.unreadable, 0);
}

/* ---- Memory -------------------------------------------------------------------------------- */

/* Two of them and the matcher: what enters the second one is on the device, what leaves it, too. */
#define STREET(view) "street-scene-src view=" view " num-buffers=2 ! video/x-raw,width=64,height=48"
#define TO_SGM                                                                                     \
  STREET("left")                                                                                   \
  " ! videoconvert ! video/x-raw,format=%s ! a.sink_left " STREET(                                 \
      "right") " ! videoconvert ! a.sink_right "                                                   \
               "a.src_left ! b.sink_left a.src_right ! b.sink_right "                              \
               "b.src_left ! queue ! sgm.sink_left b.src_right ! queue ! sgm.sink_right "          \
               "stereo-sgm name=sgm max-disparity=64 backend=auto ! fakesink name=out "

STX_TEST_LOOP(frames_stay_on_the_device, 2)
{
  static const char *const lumas[] = {"GRAY8", "NV12"};
  static const CudaPlace between[] = {{"b", "sink_left"}, {"b", "sink_right"}, {"sgm", "sink_left"},
      {"sgm", "sink_right"}, {NULL, NULL}};
  g_autofree gchar *line =
      g_strdup_printf(TO_SGM RECTIFY("a", "auto") RECTIFY("b", "auto"), lumas[_i]);
  g_auto(CudaOutcome) outcome = expect_same_as_cpu(line, between);

  ck_assert_uint_eq(outcome.buffers, 2);
  ck_assert_uint_eq(outcome.device_between, 4 * 2);
  ck_assert_uint_eq(outcome.contexts, 1);
  ck_assert_int_eq(outcome.warnings, 0);
}

/* One on the CPU: buffers in CUDAMemory are mapped, and nothing is given to it that it refuses. */
STX_TEST(neighbours_may_work_on_the_cpu)
{
  static const CudaPlace between[] = {{"b", "sink_left"}, {"sgm", "sink_left"}, {NULL, NULL}};
  g_autofree gchar *line = g_strdup_printf(TO_SGM RECTIFY("a", "auto") RECTIFY("b", "omp"), "NV12");
  g_auto(CudaOutcome) outcome = expect_same_as_cpu(line, between);

  ck_assert_uint_eq(outcome.buffers, 2);
  ck_assert_uint_eq(outcome.device_between, 0);
}

/* The output of the first element is taken for a frame with both views. */
STX_TEST_LOOP(both_views_on_the_device, 6)
{
  static const char *const some[] = {"GRAY8", "YUY2", "I420", "NV12", "RGB", "RGBA"};
  static const CudaPlace between[] = {{"b", "sink"}, {NULL, NULL}};
  g_autofree gchar *line = g_strdup_printf(PLATE_OF_ANY_FORMAT
      "a.sink_left a.src_left ! b.sink " RECTIFY("a", "auto") RECTIFY(
          "b", "auto") "layout=side-by-side "
                       "b.src_left ! fakesink async=false b.src_right ! video/x-raw" ON_DEVICE
                       " ! fakesink name=out async=false",
      some[_i]);
  g_auto(CudaOutcome) outcome = expect_same_as_cpu(line, between);

  ck_assert_uint_eq(outcome.device_between, 3);
  ck_assert_uint_eq(outcome.device_behind, 3);
}

/* ---- Maps ---------------------------------------------------------------------------------- */

static GstHarness *new_lane(const char *backend)
{
  g_autoptr(GstElement) element = gst_element_factory_make("stereo-rectify", NULL);
  GstHarness *harness;

  gst_util_set_object_arg(G_OBJECT(element), "backend", backend);
  g_object_set(element, "calibration", "lenses.yml", NULL);
  harness = gst_harness_new_with_element(element, "sink_left", "src_left");
  return harness;
}

static GstBuffer *push_noise(GstHarness *harness, gint width, guint seed)
{
  GstBuffer *picture = stx_test_buffer((gsize)width * HEIGHT, 0, 0, GST_SECOND);
  guint32 random = 1 + seed;
  GstMapInfo map;

  gst_buffer_map(picture, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (guint8)((random = random * 1664525 + 1013904223) >> 24);
  gst_buffer_unmap(picture, &map);
  return gst_harness_push_and_pull(harness, picture);
}

static void expect_same_picture(GstHarness *cpu, GstHarness *gpu, gint width, guint seed)
{
  g_autoptr(GstBuffer) expected = push_noise(cpu, width, seed);
  g_autoptr(GstBuffer) actual = push_noise(gpu, width, seed);

  stx_test_expect_same(actual, expected, "picture");
}

/* A map is uploaded once, and again when caps or properties have changed it, though its bytes are
 * as many as before. */
STX_TEST(maps_change_with_caps_and_properties)
{
  g_autoptr(Harness) cpu = new_lane("omp");
  g_autoptr(Harness) gpu = new_lane("cuda");

  for (guint i = 0; i < 6; i++) {
    gint width = i % 2 == 0 ? WIDTH : 2 * WIDTH;
    g_autofree gchar *caps = g_strdup_printf(
        "video/x-raw,format=GRAY8,width=%d,height=%d,framerate=10/1", width, HEIGHT);

    if (i == 3) {
      gst_element_set_state(cpu->element, GST_STATE_NULL);
      gst_element_set_state(gpu->element, GST_STATE_NULL);
      g_object_set(cpu->element, "alpha", 0.8, NULL);
      g_object_set(gpu->element, "alpha", 0.8, NULL);
      gst_element_set_state(cpu->element, GST_STATE_PLAYING);
      gst_element_set_state(gpu->element, GST_STATE_PLAYING);
    }
    gst_harness_set_src_caps_str(cpu, caps);
    gst_harness_set_src_caps_str(gpu, caps);
    expect_same_picture(cpu, gpu, width, 2 * i);
    expect_same_picture(cpu, gpu, width, 2 * i + 1);
  }
}

/* A view that lies three rows lower, and turns: maps change from frame to frame, and pictures come
 * from the device to where drift is looked for. */
#define WIDE 320
#define HIGH 200

static guint8 blob(gint x, gint y)
{
  gdouble value = 0;

  for (gint i = 1; i <= 6; i++)
    value += sin(x * .09 * i + 5 * sin(y * .05 * i) + i * i) * cos(y * .11 * i + 2 * sin(x * .03));
  return (guint8)(128 + 18 * value);
}

STX_TEST(a_view_that_is_turned_back_is_that_of_the_cpu)
{
  static const gint disparity[] = {4, 24, 8, 30, 14, 20, 6, 10};
  static const char line[] =
      "multifilesrc location=pair-%%d.gray "
      "caps=video/x-raw,format=GRAY8,width=640,height=200,framerate=30/1 ! "
      "identity datarate=3840000 ! r.sink stereo-rectify name=r backend=cuda calibration=pair.txt "
      "layout=side-by-side refine=%s r.src_right ! fakesink name=out "
      "async=false r.src_left ! fakesink async=false";
  g_autofree gchar *pair = g_malloc(2 * WIDE * HIGH);
  g_autofree gchar *apply = g_strdup_printf(line, "apply"), *off = g_strdup_printf(line, "report");

  for (gint y = 0; y < HIGH; y++)
    for (gint x = 0; x < 2 * WIDE; x++) {
      gint row = x < WIDE ? y : y - 3, band = (row + 40) / 16;

      pair[2 * WIDE * y + x] =
          (gchar)blob(x < WIDE ? x : x - WIDE + disparity[band % 8], row + 1000 * band);
    }
  for (gint i = 0; i < 27; i++) {
    g_autofree gchar *name = g_strdup_printf("pair-%d.gray", i);

    fail_unless(g_file_set_contents(name, pair, 2 * WIDE * HIGH, NULL));
  }
  stx_test_write(
      "pair.txt", "P0: 300 0 160 0 0 300 100 0 0 0 1 0\nP1: 300 0 160 -60 0 300 100 0 0 0 1 0\n");
  g_auto(CudaOutcome) turned = expect_same_as_cpu(apply, nowhere);
  g_auto(CudaOutcome) straight = expect_same_as_cpu(off, nowhere);

  ck_assert_uint_eq(turned.buffers, 27);
  ck_assert_uint_eq(turned.bytes->len, straight.bytes->len);
  ck_assert(memcmp(turned.bytes->data, straight.bytes->data, turned.bytes->len) != 0);
}
