/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* downsample-transpose: class scores of every type, order and size give what the labels give. */
#include "tests/gst/fixtures/util.h"

#include "common/colmean/colmean.h"
#include "common/labels.h"

#define FRAME (100 * GST_MSECOND)
#define WIDTH 45
#define HEIGHT 27
#define CELL 4
#define CLASSES STX_LABEL_CLASSES

/* One score of probability 1, and every byte of one of 0. */
static const struct {
  const char *name;
  gsize size;
  guint8 one[4];
  guint8 zero;
} types[] = {{"uint8", 1, {255}, 0}, {"int8", 1, {0x7f}, 0x80}, {"float16", 2, {0x00, 0x3c}, 0},
    {"float32", 4, {0, 0, 0x80, 0x3f}, 0}};

/* ---- Frames -------------------------------------------------------------------------------- */

/* A label for each square of 2^shift × 2^shift pixels, written to all of its pixels. */
static void make_labels(guint8 labels[HEIGHT * WIDTH], gint shift)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(7);
  guint8 squares[HEIGHT][WIDTH];

  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++) {
      squares[y][x] = (guint8)g_rand_int_range(random, 0, CLASSES);
      labels[y * WIDTH + x] = squares[y / (1 << shift)][x / (1 << shift)];
    }
}

/* The scores that are 1 for the label of their square and 0 for the others. */
static GstBuffer *make_scores(const guint8 *labels, gint shift, guint type, gboolean interleaved)
{
  gint width = stx_score_side(WIDTH, shift), height = stx_score_side(HEIGHT, shift);
  gsize count = (gsize)width * (gsize)height, size = types[type].size;
  GstBuffer *scores = stx_test_buffer(count * CLASSES * size, types[type].zero, 0, FRAME);

  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++) {
      gsize label = labels[(y << shift) * WIDTH + (x << shift)], i = (gsize)(y * width + x);
      gsize place = interleaved ? i * CLASSES + label : label * count + i;

      gst_buffer_fill(scores, place * size, types[type].one, size);
    }
  return scores;
}

/* What the reference makes of the labels, without any disparity. */
static gpointer expected_columns(const guint8 *labels, gsize *size)
{
  static guint16 unknown[HEIGHT * WIDTH];
  const StxColmeanImpl *impl = stx_impl_named(&stx_colmean_impls, "c");
  StxColmeanParams params = STX_COLMEAN_DEFAULTS;
  StxColmeanInput input = {.disparity = {unknown, 2 * WIDTH, WIDTH, HEIGHT},
      .labels = {(guint8 *)labels, WIDTH, WIDTH, HEIGHT}};
  StxColmeanTables tables;
  gpointer columns, scratch;

  params.grid = (StxGrid){WIDTH, HEIGHT, CELL, CELL, CLASSES};
  params.semantics = STX_SEMANTICS_LABELS;
  stx_labels_identity(params.label_map);
  *size = stx_grid_bytes(&params.grid);
  columns = g_malloc(*size);
  scratch = g_aligned_alloc(1, impl->scratch_size(&params, 1) + STX_ALIGN, STX_ALIGN);
  stx_colmean_prepare(&tables);
  impl->run(&params, &tables, &input, columns, scratch, &(StxPlace){.threads = 1}, NULL);
  g_aligned_free(scratch);
  return columns;
}

/* ---- Tests --------------------------------------------------------------------------------- */

static void set_caps(GstHarness *scores, gint shift, guint type, gboolean interleaved)
{
  gint width = stx_score_side(WIDTH, shift), height = stx_score_side(HEIGHT, shift);
  g_autofree gchar *dimensions = interleaved
                                     ? g_strdup_printf("%d:%d:%d:1", CLASSES, width, height)
                                     : g_strdup_printf("%d:%d:%d:1", width, height, CLASSES);

  gst_harness_set_src_caps(
      scores, gst_caps_new_simple("other/tensors", "format", G_TYPE_STRING, "static", "num_tensors",
                  G_TYPE_INT, 1, "types", G_TYPE_STRING, types[type].name, "dimensions",
                  G_TYPE_STRING, dimensions, "framerate", GST_TYPE_FRACTION, 10, 1, NULL));
}

static void set_disparity_caps(GstHarness *sink)
{
  gst_harness_set_src_caps(sink,
      gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "GRAY16_LE", "width", G_TYPE_INT,
          WIDTH, "height", G_TYPE_INT, HEIGHT, "framerate", GST_TYPE_FRACTION, 10, 1, NULL));
}

static void expect_columns(GstHarness *sink, gint shift, guint type, gboolean interleaved,
    GstHarness *scores, GstClockTime pts)
{
  guint8 labels[HEIGHT * WIDTH];
  gsize size;
  gpointer expected;
  GstBuffer *buffer;
  g_autoptr(GstBuffer) columns = NULL;
  g_autofree gchar *what = g_strdup_printf(
      "%s, 1/%d, %s", types[type].name, 1 << shift, interleaved ? "interleaved" : "planar");

  make_labels(labels, shift);
  expected = expected_columns(labels, &size);
  buffer = make_scores(labels, shift, type, interleaved);
  GST_BUFFER_PTS(buffer) = pts;
  gst_harness_push(scores, buffer);
  gst_harness_push(sink, stx_test_buffer(HEIGHT * GST_ROUND_UP_4(2 * WIDTH), 0, pts, FRAME));
  columns = gst_harness_pull(sink);
  ck_assert_msg(columns != NULL, "%s: no columns came out", what);
  stx_test_expect_bytes(columns, expected, size, what);
  g_free(expected);
}

/* A new stream for each, and then all of them in one, whose caps change with every frame. */
STX_TEST_LOOP(certain_scores_equal_labels, 2)
{
  gboolean one_stream = _i;
  GstHarness *sink = NULL, *scores = NULL;

  for (guint i = 0; i < 2 * G_N_ELEMENTS(types) * (STX_SCORE_SHIFT_MAX + 1); i++) {
    gboolean interleaved = i & 1;
    guint type = i / 2 % G_N_ELEMENTS(types);
    gint shift = (gint)(i / 2 / G_N_ELEMENTS(types));

    if (sink == NULL) {
      sink = gst_harness_new_with_padnames("downsample-transpose", "sink", "src");
      g_object_set(sink->element, "stixel-width", CELL, "stixel-height", CELL, NULL);
      scores = gst_harness_new_with_element(sink->element, "semantics", NULL);
      set_disparity_caps(sink);
    }
    set_caps(scores, shift, type, interleaved);
    expect_columns(sink, shift, type, interleaved, scores, one_stream ? i * FRAME : 0);
    if (!one_stream) {
      gst_harness_teardown(scores);
      gst_harness_teardown(sink);
      sink = NULL;
    }
  }
  if (one_stream) {
    gst_harness_teardown(scores);
    gst_harness_teardown(sink);
  }
}
