/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * downsample-transpose: what comes out equals the reference called directly, whichever way the
 * inputs arrive; what does not fit is refused with a reason.
 */
#include "tests/gst/fixtures/util.h"

#include <gst/video/video.h>

#include "common/colmean/colmean.h"
#include "common/labels.h"
#include "gst/stixels/stixels.h"

#define FRAME (100 * GST_MSECOND) /* at 10 frames per second */

/* ---- Frames -------------------------------------------------------------------------------- */

/* A picture of `pixel` bytes per pixel whose rows are padded by `padding` bytes of 0xCD. */
static GstBuffer *picture(const guint8 *pixels, int width, int height, int pixel, int padding)
{
  gsize offset[4] = {0};
  gint stride[4] = {width * pixel + padding};
  gsize size = (gsize)stride[0] * height;
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, size, NULL);

  gst_buffer_memset(buffer, 0, 0xCD, size);
  for (int y = 0; y < height; y++)
    gst_buffer_fill(
        buffer, (gsize)y * stride[0], pixels + (gsize)y * width * pixel, (gsize)width * pixel);
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE,
      pixel == 2 ? GST_VIDEO_FORMAT_GRAY16_LE : GST_VIDEO_FORMAT_GRAY8, width, height, 1, offset,
      stride);
  return buffer;
}

static GstBuffer *at(GstBuffer *buffer, GstClockTime pts)
{
  GST_BUFFER_PTS(buffer) = pts;
  GST_BUFFER_DURATION(buffer) = FRAME;
  return buffer;
}

/* Tightly packed inputs of one frame: a third of the disparities unknown, classes 0…18 and none. */
typedef struct {
  int width, height;
  guint16 *disparity;
  guint8 *confidence, *labels;
} Scene;

static Scene scene_new(int width, int height, guint32 seed)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  gsize count = (gsize)width * height;
  Scene scene = {width, height, g_new(guint16, count), g_new(guint8, count), g_new(guint8, count)};

  for (gsize i = 0; i < count; i++) {
    scene.disparity[i] =
        g_rand_int_range(random, 0, 3) == 0 ? 0 : g_rand_int_range(random, 0, 65536);
    scene.confidence[i] = g_rand_int_range(random, 0, 256);
    scene.labels[i] = g_rand_int_range(random, 0, STX_LABEL_CLASSES + 2);
  }
  return scene;
}

static void scene_free(Scene *scene)
{
  g_free(scene->disparity);
  g_free(scene->confidence);
  g_free(scene->labels);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Scene, scene_free)

static GstBuffer *disparity_of(const Scene *scene)
{
  return at(picture((guint8 *)scene->disparity, scene->width, scene->height, 2, 6), 0);
}

/* ---- What the reference says --------------------------------------------------------------- */

static StxColmeanParams params_for(const Scene *scene, int cell_width, int cell_height)
{
  StxColmeanParams params = {
      .grid = {scene->width, scene->height, cell_width, cell_height, 0},
      .reduction = STX_REDUCE_WEIGHTED,
      .fill_width = STX_FILL_WIDTH_DEFAULT,
      .semantics = STX_SEMANTICS_NONE,
  };

  stx_labels_identity(params.label_map);
  return params;
}

static StxColmeanInput input_of(const Scene *scene)
{
  int width = scene->width, height = scene->height;

  return (StxColmeanInput){
      .disparity = {scene->disparity, width * 2, width, height},
      .confidence = {scene->confidence, width, width, height},
      .labels = {scene->labels, width, width, height},
  };
}

static void expect_reference(GstBuffer *columns, const StxColmeanParams *params,
    const StxColmeanInput *input, const char *what)
{
  const StxColmeanImpl *impl = stx_impl_named(&stx_colmean_impls, "omp");
  gsize size = stx_grid_bytes(&params->grid);
  gpointer expected = g_malloc(size);
  gpointer scratch = g_aligned_alloc(1, impl->scratch_size(params, 1) + STX_ALIGN, STX_ALIGN);
  StxColmeanTables tables;
  StxError error = {""};

  ck_assert_msg(stx_colmean_check(params, &error), "%s", error.text);
  stx_colmean_prepare(&tables);
  impl->run(params, &tables, input, expected, scratch, &(StxPlace){.threads = 1}, NULL);
  stx_test_expect_bytes(columns, expected, size, what);
  g_aligned_free(scratch);
  g_free(expected);
}

/* ---- The element under test ---------------------------------------------------------------- */

typedef struct {
  GstElement *element;
  GstBus *bus;
  GstHarness *sink, *confidence, *semantics;
} Fixture;

static void fixture_begin(Fixture *fixture, const char *line, const Scene *scene)
{
  g_autofree gchar *caps = g_strdup_printf(
      "video/x-raw,format=GRAY16_LE,width=%d,height=%d,framerate=10/1,camera-focal=500.0",
      scene->width, scene->height);

  *fixture = (Fixture){gst_parse_launch(line, NULL)};
  gst_object_ref_sink(fixture->element);
  fixture->bus = stx_test_watch(fixture->element);
  fixture->sink = gst_harness_new_with_element(fixture->element, "sink", "src");
  gst_harness_set_src_caps_str(fixture->sink, caps);
}

static GstHarness *add_pad(Fixture *fixture, const char *pad, const char *format, ...)
{
  GstHarness *harness = gst_harness_new_with_element(fixture->element, pad, NULL);
  va_list args;
  g_autofree gchar *caps = NULL;

  va_start(args, format);
  caps = g_strdup_vprintf(format, args);
  va_end(args);
  gst_harness_set_src_caps_str(harness, caps);
  return harness;
}

static void add_confidence(Fixture *fixture, const Scene *scene)
{
  fixture->confidence = add_pad(fixture, "confidence",
      "video/x-raw,format=GRAY8,width=%d,height=%d,framerate=10/1", scene->width, scene->height);
}

static void add_labels(Fixture *fixture, const Scene *scene)
{
  fixture->semantics = add_pad(fixture, "semantics",
      "video/x-raw,format=GRAY8,width=%d,height=%d,framerate=10/1", scene->width, scene->height);
}

static void fixture_end(Fixture *fixture)
{
  GstHarness *harness[] = {fixture->confidence, fixture->semantics, fixture->sink};

  for (guint i = 0; i < G_N_ELEMENTS(harness); i++)
    if (harness[i] != NULL)
      gst_harness_teardown(harness[i]);
  stx_test_unwatch(fixture->bus);
  gst_object_unref(fixture->element);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fixture, fixture_end)

static GstBuffer *pull(Fixture *fixture)
{
  GstBuffer *buffer = gst_harness_pull(fixture->sink);

  stx_test_expect_silence(fixture->bus);
  ck_assert_msg(buffer != NULL, "no columns came out");
  return buffer;
}

/* ---- Equal to the reference ---------------------------------------------------------------- */

static const struct {
  int width, height, cell_width, cell_height;
} sizes[] = {{1, 1, 8, 8}, {1, 40, 8, 8}, {40, 1, 8, 8}, {33, 17, 8, 8}, {64, 48, 4, 4},
    {7, 5, 1, 1}, {129, 131, 128, 128}, {31, 50, 3, 7}};

STX_TEST_LOOP(every_backend_size_and_reduction_equals_reference, 6)
{
  static const char *const backends[] = {"omp", "auto"};
  static const char *const reductions[] = {"mean", "weighted", "median"};
  guint backend = _i / 3, reduction = _i % 3;

  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_auto(Scene) scene = scene_new(sizes[i].width, sizes[i].height, i);
    StxColmeanParams params = params_for(&scene, sizes[i].cell_width, sizes[i].cell_height);
    StxColmeanInput input = input_of(&scene);
    g_auto(Fixture) fixture = {0};
    g_autoptr(GstBuffer) columns = NULL;
    g_autofree gchar *line = g_strdup_printf(
        "downsample-transpose backend=%s threads=3 reduction=%s stixel-width=%d stixel-height=%d "
        "fill-width=%d",
        backends[backend], reductions[reduction], sizes[i].cell_width, sizes[i].cell_height,
        16 * i);

    params.reduction = reduction;
    params.fill_width = 16 * (int)i;
    fixture_begin(&fixture, line, &scene);
    add_confidence(&fixture, &scene);
    gst_harness_push(
        fixture.confidence, at(picture(scene.confidence, scene.width, scene.height, 1, 3), 0));
    gst_harness_push(fixture.sink, disparity_of(&scene));
    columns = pull(&fixture);
    expect_reference(columns, &params, &input, line);
  }
}

/* Without confidence every pixel counts fully; the meta counts; the pad beats the meta. */
STX_TEST_LOOP(confidence_comes_from_pad_or_meta, 4)
{
  gboolean by_meta = _i & 1, by_pad = _i & 2;
  g_auto(Scene) scene = scene_new(45, 23, 7);
  StxColmeanParams params = params_for(&scene, 8, 8);
  StxColmeanInput input = input_of(&scene);
  gsize count = 45 * 23;
  g_auto(Fixture) fixture = {0};
  GstBuffer *disparity = disparity_of(&scene);
  g_autoptr(GstBuffer) columns = NULL;

  fixture_begin(&fixture, "downsample-transpose", &scene);
  if (by_meta) { /* the right one alone, a wrong one beside the pad */
    g_autoptr(GstBuffer) confidence = stx_test_buffer(count, 1, 0, 0);

    if (!by_pad)
      gst_buffer_fill(confidence, 0, scene.confidence, count);
    gst_buffer_add_stx_confidence_meta(disparity, confidence, 45, 23);
  }
  if (by_pad) {
    add_confidence(&fixture, &scene);
    gst_harness_push(fixture.confidence, at(picture(scene.confidence, 45, 23, 1, 3), 0));
  }
  if (!by_meta && !by_pad)
    input.confidence.data = NULL;
  gst_harness_push(fixture.sink, disparity);
  columns = pull(&fixture);
  expect_reference(columns, &params, &input, "confidence");
}

/* ---- Semantics ----------------------------------------------------------------------------- */

static GstBuffer *columns_with_labels(const Scene *scene, const guint8 *labels, const char *line)
{
  g_auto(Fixture) fixture = {0};
  GstBuffer *columns;

  fixture_begin(&fixture, line, scene);
  add_labels(&fixture, scene);
  gst_harness_push(fixture.semantics, at(picture(labels, scene->width, scene->height, 1, 5), 0));
  gst_harness_push(fixture.sink, disparity_of(scene));
  columns = pull(&fixture);
  return columns;
}

STX_TEST(label_images_in_both_encodings)
{
  static const guint8 label_ids[] = {
      7, 8, 11, 12, 13, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 31, 32, 33, 255, 0};
  g_auto(Scene) scene = scene_new(45, 23, 11);
  StxColmeanParams params = params_for(&scene, 8, 8);
  StxColmeanInput input = input_of(&scene);
  guint8 ids[45 * 23];
  GstBuffer *columns;

  params.semantics = STX_SEMANTICS_LABELS;
  params.grid.classes = 19;
  input.confidence.data = NULL;
  columns = columns_with_labels(&scene, scene.labels, "downsample-transpose");
  expect_reference(columns, &params, &input, "train ids");
  gst_buffer_unref(columns);

  for (guint i = 0; i < sizeof ids; i++)
    ids[i] = label_ids[scene.labels[i]];
  columns = columns_with_labels(&scene, ids, "downsample-transpose label-encoding=cityscapes-ids");
  expect_reference(columns, &params, &input, "label ids");
  gst_buffer_unref(columns);
}

/* ---- Refusals ------------------------------------------------------------------------------ */

#define GRAY16 "video/x-raw,format=GRAY16_LE,width=19,height=19,framerate=10/1"
#define TENSOR "other/tensors,format=static,num_tensors=1,types=uint8,dimensions=(string)"

static const struct {
  const char *line, *disparity, *pad, *caps;
  const char *words[3];
} refusals[] = {
    {"", "video/x-raw,format=GRAY8,width=19,height=19", NULL, NULL,
        {"GRAY8", "GRAY16_LE", "GRAY16_BE ! videoconvert"}},
    {"", "video/x-raw,format=RGB,width=19,height=19", NULL, NULL, {"RGB", "GRAY16_LE", "pngdec"}},
    {"", "audio/x-raw", NULL, NULL, {"audio/x-raw", "GRAY16_LE", "disparity"}},
    {"", GRAY16, "confidence", "video/x-raw,format=GRAY8,width=20,height=19",
        {"confidence", "20x19", "19x19"}},
    {"", GRAY16, "semantics", "video/x-raw,format=GRAY8,width=19,height=10",
        {"label image", "19x10", "19x19"}},
    {"", GRAY16, "semantics", "video/x-raw,format=RGB,width=19,height=19",
        {"semantics", "RGB", "GRAY8"}},
    {"", GRAY16, "semantics", TENSOR "19:19:19:1", {"19:19:19", "planar", "interleaved"}},
    {"", GRAY16, "semantics", TENSOR "5:20:19:1", {"5:20:19:1", "19x19", "19:19:C:1"}},
    {"", GRAY16, "semantics", TENSOR "5:10:19:1", {"5:10:19:1", "19x19", "1/2"}},
    {"", GRAY16, "semantics", TENSOR "5:9:9:1", {"5:9:9:1", "19x19", "1/2"}},
    {"", GRAY16, "semantics", TENSOR "5:2:2:1", {"5:2:2:1", "19x19", "1/8"}},
    {"", GRAY16, "semantics", TENSOR "10:10:10:1", {"10:10:10", "planar", "interleaved"}},
    {"", GRAY16, "semantics", TENSOR "33:19:19:1", {"33 classes", "32", ""}},
    {"", GRAY16, "semantics", TENSOR "19:19", {"dimensions=19:19", "W:H:C:1", ""}},
    {"", GRAY16, "semantics", TENSOR "5:19:19:2", {"5:19:19:2", "W:H:C:1", ""}},
    {"", GRAY16, "semantics",
        "other/tensors,num_tensors=1,types=int32,dimensions=(string)5:19:19:1",
        {"types=int32", "uint8, int8, float16 or float32", ""}},
    {"", GRAY16, "semantics",
        "other/tensors,num_tensors=1,types=int16,dimensions=(string)5:19:19:1",
        {"types=int16", "uint8, int8, float16 or float32", ""}},
    {"", GRAY16, "semantics", "other/tensors,num_tensors=2,types=uint8", {"2 tensors", "", ""}},
    {"", GRAY16, "semantics", "other/tensors,num_tensors=1,format=flexible",
        {"flexible", "static", ""}},
    {"stixel-width=1 stixel-height=1",
        "video/x-raw,format=GRAY16_LE,width=32768,height=32768,framerate=10/1", NULL, NULL,
        {"32768x32768", "stixel-width", "stixel-height"}},
    {"", "video/x-raw,format=GRAY16_LE,width=40000,height=8", NULL, NULL, {"40000", "32768", ""}},
};

STX_TEST_LOOP(refuses_with_a_reason, G_N_ELEMENTS(refusals))
{
  g_autofree gchar *line = g_strdup_printf("downsample-transpose %s", refusals[_i].line);
  const char *const *words = refusals[_i].words;
  Scene scene = {19, 19, NULL, NULL, NULL};
  g_auto(Fixture) fixture = {0};

  fixture_begin(&fixture, line, &scene);
  gst_harness_set_src_caps_str(fixture.sink, refusals[_i].disparity);
  if (refusals[_i].pad != NULL) {
    fixture.semantics = add_pad(&fixture, refusals[_i].pad, "%s", refusals[_i].caps);
    gst_harness_push(fixture.semantics, stx_test_buffer(19 * 19 * 33, 0, 0, FRAME));
  }
  gst_harness_push(fixture.sink, stx_test_buffer(40000 * 20, 0, 0, FRAME));
  stx_test_expect_error(fixture.bus, words[0], words[1], words[2], NULL);
}

STX_TEST(refuses_buffers_that_contradict_their_caps)
{
  g_auto(Scene) scene = scene_new(16, 16, 1);
  GstBuffer *disparity = disparity_of(&scene);
  g_autoptr(GstBuffer) confidence = stx_test_buffer(64, 1, 0, 0);
  Fixture fixture;

  fixture_begin(&fixture, "downsample-transpose", &scene);
  gst_harness_push(fixture.sink, stx_test_buffer(100, 0, 0, FRAME));
  stx_test_expect_error(fixture.bus, "disparity", "fit", NULL);
  fixture_end(&fixture);

  gst_buffer_add_stx_confidence_meta(disparity, confidence, 8, 8);
  fixture_begin(&fixture, "downsample-transpose", &scene);
  gst_harness_push(fixture.sink, disparity);
  stx_test_expect_error(fixture.bus, "confidence meta", "8x8", "16x16", NULL);
  fixture_end(&fixture);

  fixture_begin(&fixture, "downsample-transpose", &scene);
  fixture.semantics = add_pad(&fixture, "semantics", "%s", TENSOR "3:16:16:1");
  gst_harness_push(fixture.semantics, stx_test_buffer(3 * 16 * 16 - 1, 0, 0, FRAME));
  gst_harness_push(fixture.sink, disparity_of(&scene));
  stx_test_expect_error(fixture.bus, "semantics", "767", "768", NULL);
  fixture_end(&fixture);
}

STX_TEST(names_the_calibration_file)
{
  stx_test_breaks("videotestsrc num-buffers=1 ! video/x-raw,format=GRAY16_LE ! "
                  "downsample-transpose calibration=/no/such/calib.txt ! fakesink",
      "/no/such/calib.txt", NULL);
}
