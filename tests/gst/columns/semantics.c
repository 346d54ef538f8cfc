/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* downsample-transpose: class scores of every type, order and size give what the labels give; so do
 * scores and segmentations that come on pictures, with GStreamer 1.26. */
#if HAVE_TENSORS
#include <gst/analytics/analytics.h>
#endif
#include <string.h>

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

/* The reference's columns of the labels, without any disparity. */
static gpointer expected_columns(const guint8 *labels, gsize *size)
{
  static guint16 unknown[HEIGHT * WIDTH];
  const StxColmeanImpl *impl = stx_impl_named(&stx_colmean_impls, "omp");
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

/* ---- On pictures --------------------------------------------------------------------------- */

#if HAVE_TENSORS
#define PICTURE_CAPS "video/x-raw,format=RGB,width=90,height=54,framerate=10/1"
#define PICTURE_WIDTH (2 * WIDTH)
#define PICTURE_HEIGHT (2 * HEIGHT)

/* Disparities and, on another pad, pictures of twice their size that bring semantics. */
typedef struct {
  GstHarness *sink, *pictures;
  GstBus *bus;
  guint8 labels[HEIGHT * WIDTH]; /* that are expected of them */
} Attached;

static Attached attached_begin(const char *encoding)
{
  Attached fixture = {.sink = gst_harness_new_with_padnames("downsample-transpose", "sink", "src")};
  GstElement *element = fixture.sink->element;

  fixture.bus = stx_test_watch(element);
  g_object_set(element, "stixel-width", CELL, "stixel-height", CELL, NULL);
  gst_util_set_object_arg(G_OBJECT(element), "label-encoding", encoding);
  fixture.pictures = gst_harness_new_with_element(element, "semantics", NULL);
  set_disparity_caps(fixture.sink);
  gst_harness_set_src_caps_str(fixture.pictures, PICTURE_CAPS);
  make_labels(fixture.labels, 0);
  return fixture;
}

static void attached_end(Attached *fixture)
{
  stx_test_unwatch(fixture->bus);
  gst_harness_teardown(fixture->pictures);
  gst_harness_teardown(fixture->sink);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Attached, attached_end)

static void attached_push(Attached *fixture, GstBuffer *picture, guint frame)
{
  GstClockTime pts = frame * FRAME;

  GST_BUFFER_PTS(picture) = pts;
  gst_harness_push(fixture->pictures, picture);
  gst_harness_push(
      fixture->sink, stx_test_buffer(HEIGHT * GST_ROUND_UP_4(2 * WIDTH), 0, pts, FRAME));
}

static void attached_expect(Attached *fixture, GstBuffer *picture, guint frame, const char *what)
{
  g_autoptr(GstBuffer) columns = NULL;
  gsize size;
  gpointer expected = expected_columns(fixture->labels, &size);

  attached_push(fixture, picture, frame);
  columns = gst_harness_pull(fixture->sink);
  fail_unless(columns != NULL, "%s: no columns came out", what);
  stx_test_expect_bytes(columns, expected, size, what);
  g_free(expected);
}

/* Neither its pixels nor its memory are looked at. */
static GstBuffer *picture_new(void)
{
  return gst_buffer_new();
}

/* ---- Tensors ------------------------------------------------------------------------------- */

/* Behind one of boxes, as networks with several outputs have them. */
static void add_tensors(
    GstBuffer *picture, GstBuffer *data, guint type, const gsize dims[4], gboolean columns_first)
{
  static const GstTensorDataType tensor_types[] = {GST_TENSOR_DATA_TYPE_UINT8,
      GST_TENSOR_DATA_TYPE_INT8, GST_TENSOR_DATA_TYPE_FLOAT16, GST_TENSOR_DATA_TYPE_FLOAT32};
  GstTensor **tensors = g_new(GstTensor *, 2);
  gsize sides[4], boxes[] = {1, 4};

  for (guint i = 0; i < 4; i++)
    sides[i] = dims[columns_first ? 3 - i : i];
  tensors[0] =
      gst_tensor_new_simple(g_quark_from_static_string("boxes"), GST_TENSOR_DATA_TYPE_FLOAT32,
          gst_buffer_new_allocate(NULL, 16, NULL), GST_TENSOR_DIM_ORDER_ROW_MAJOR, 2, boxes);
  tensors[1] = gst_tensor_new_simple(g_quark_from_static_string("scores"), tensor_types[type], data,
      columns_first ? GST_TENSOR_DIM_ORDER_COL_MAJOR : GST_TENSOR_DIM_ORDER_ROW_MAJOR, 4, sides);
  gst_tensor_meta_set(gst_buffer_add_tensor_meta(picture), 2, tensors);
}

/* Another network has attached its own before. */
static GstBuffer *with_scores(
    const guint8 *labels, gint shift, guint type, gboolean interleaved, gboolean columns_first)
{
  gsize width = (gsize)stx_score_side(WIDTH, shift), height = (gsize)stx_score_side(HEIGHT, shift);
  gsize planar_dims[] = {1, CLASSES, height, width}, dims[] = {1, height, width, CLASSES};
  const gsize others[] = {1, CLASSES, HEIGHT, WIDTH + 1};
  GstBuffer *picture = picture_new();

  add_tensors(picture, gst_buffer_new_allocate(NULL, CLASSES * HEIGHT * (WIDTH + 1), NULL), 0,
      others, FALSE);
  add_tensors(picture, make_scores(labels, shift, type, interleaved), type,
      interleaved ? dims : planar_dims, columns_first);
  return picture;
}

/* All in one stream: what pictures bring may change with every frame. */
STX_TEST(scores_on_pictures_equal_labels)
{
  g_auto(Attached) fixture = attached_begin("train-ids");

  for (guint i = 0; i < 4 * G_N_ELEMENTS(types) * (STX_SCORE_SHIFT_MAX + 1); i++) {
    gboolean interleaved = i & 1, columns_first = (i & 2) != 0;
    guint type = i / 4 % G_N_ELEMENTS(types);
    gint shift = (gint)(i / 4 / G_N_ELEMENTS(types));
    g_autofree gchar *what = g_strdup_printf(
        "%s, 1/%d, %s", types[type].name, 1 << shift, interleaved ? "interleaved" : "planar");

    make_labels(fixture.labels, shift);
    attached_expect(
        &fixture, with_scores(fixture.labels, shift, type, interleaved, columns_first), i, what);
  }
}

/* ---- Segmentations ------------------------------------------------------------------------- */

/* A mask over a part of the picture, in which label k is `ids[k]`. */
typedef struct {
  GstVideoRectangle place;
  gint width, height;
  const guint *ids;
  const char *const *names; /* of the classes; NULL: the numbers speak for themselves */
  GstVideoFormat format;
} Mask;

static GstAnalyticsRelationMeta *relations_of(GstBuffer *picture)
{
  GstAnalyticsRelationMeta *relations = gst_buffer_get_analytics_relation_meta(picture);

  return relations != NULL ? relations : gst_buffer_add_analytics_relation_meta(picture);
}

static void name_regions(GstAnalyticsRelationMeta *relations, guint mtd, const Mask *mask)
{
  gfloat levels[CLASSES];
  GQuark names[CLASSES];
  GstAnalyticsClsMtd classes;

  for (guint k = 0; k < CLASSES; k++) {
    levels[k] = -1;
    names[k] = g_quark_from_string(mask->names[k]);
  }
  ck_assert(gst_analytics_relation_meta_add_cls_mtd(relations, CLASSES, levels, names, &classes));
  ck_assert(gst_analytics_relation_meta_set_relation(
      relations, GST_ANALYTICS_REL_TYPE_RELATE_TO, mtd, classes.id));
}

/* Pixel (x, y) of the mask shows labels[y · stride + x]. Rows are padded. */
static void add_mask(GstBuffer *picture, const Mask *mask, const guint8 *labels, gint stride)
{
  gsize offset[4] = {5}, pitch = (gsize)mask->width * 2 + 3;
  gint strides[4] = {(gint)pitch};
  GstBuffer *data = stx_test_buffer(5 + pitch * (gsize)mask->height, 255, 0, 0);
  GstAnalyticsRelationMeta *relations = relations_of(picture);
  GstAnalyticsSegmentationMtd mtd;

  for (gint y = 0; y < mask->height; y++)
    for (gint x = 0; x < mask->width; x++) {
      guint8 id = (guint8)mask->ids[labels[y * stride + x]];

      gst_buffer_fill(data, 5 + (gsize)y * pitch + (gsize)x, &id, 1);
    }
  gst_buffer_add_video_meta_full(data, GST_VIDEO_FRAME_FLAG_NONE, mask->format, (guint)mask->width,
      (guint)mask->height, 1, offset, strides);
  ck_assert(gst_analytics_relation_meta_add_segmentation_mtd(relations, data,
      GST_SEGMENTATION_TYPE_SEMANTIC, CLASSES, (guint *)mask->ids, mask->place.x, mask->place.y,
      (guint)mask->place.w, (guint)mask->place.h, &mtd));
  if (mask->names != NULL)
    name_regions(relations, mtd.id, mask);
}

static const guint train_ids[CLASSES] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
static const guint cityscapes_ids[CLASSES] = {
    7, 8, 11, 12, 13, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 31, 32, 33};
/* Those of a network of our own, which knows no bicycles. */
static const guint own_ids[CLASSES] = {
    200, 3, 5, 0, 254, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
static const char *const own_names[CLASSES] = {"Road", "sidewalk", "building", "wall", "fence",
    "pole", "traffic_light", "TRAFFIC-SIGN", "vegetation", "terrain", "sky", "person", "rider",
    "car", "truck", "bus", "train", "motorcycle", "strawberry"};

#define WHOLE {0, 0, PICTURE_WIDTH, PICTURE_HEIGHT}, WIDTH, HEIGHT

static const struct {
  const char *encoding;
  Mask mask;
  guint8 last; /* what label 18 becomes */
} segmentations[] = {
    {"train-ids", {WHOLE, train_ids, NULL, GST_VIDEO_FORMAT_GRAY8}, 18},
    {"cityscapes-ids", {WHOLE, cityscapes_ids, NULL, GST_VIDEO_FORMAT_GRAY8}, 18},
    {"cityscapes-ids", {WHOLE, own_ids, own_names, GST_VIDEO_FORMAT_GRAY8}, STX_LABEL_NONE},
};

STX_TEST_LOOP(segmentations_equal_labels, G_N_ELEMENTS(segmentations))
{
  g_auto(Attached) fixture = attached_begin(segmentations[_i].encoding);
  GstBuffer *picture = picture_new();

  add_mask(picture, &segmentations[_i].mask, fixture.labels, WIDTH);
  for (guint i = 0; i < HEIGHT * WIDTH; i++)
    if (fixture.labels[i] == 18)
      fixture.labels[i] = segmentations[_i].last;
  attached_expect(&fixture, picture, 0, "labels");
}

/* One of half the size, stretched over all, and one over a part, on top; outside of the picture
 * nothing is drawn. */
STX_TEST(segmentations_lie_where_they_say)
{
  static const Mask coarse = {{0, 0, PICTURE_WIDTH, PICTURE_HEIGHT - 2}, WIDTH / 3,
      (HEIGHT - 1) / 2, train_ids, NULL, GST_VIDEO_FORMAT_GRAY8};
  static const Mask part = {{-8, 20, 48, 40}, 24, 20, own_ids, own_names, GST_VIDEO_FORMAT_GRAY8};
  g_auto(Attached) fixture = attached_begin("train-ids");
  GstBuffer *picture = picture_new();
  guint8 labels[HEIGHT * WIDTH];

  memcpy(labels, fixture.labels, sizeof labels);
  add_mask(picture, &coarse, labels, WIDTH);
  add_mask(picture, &part, labels, WIDTH);
  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++) {
      guint8 *label = &fixture.labels[y * WIDTH + x];
      gint u = x + 4, v = y - 10;

      *label = y < HEIGHT - 1 ? labels[y / 2 * WIDTH + x / 3] : STX_LABEL_NONE;
      if (u < 24 && v >= 0 && v < 20 && labels[v * WIDTH + u] != 18)
        *label = labels[v * WIDTH + u];
    }
  attached_expect(&fixture, picture, 0, "labels");
}

/* Scores say more. */
STX_TEST(scores_come_before_segmentations)
{
  g_auto(Attached) fixture = attached_begin("train-ids");
  GstBuffer *picture = with_scores(fixture.labels, 0, 3, FALSE, FALSE);
  guint8 others[HEIGHT * WIDTH] = {0};

  add_mask(picture, &segmentations[0].mask, others, WIDTH);
  attached_expect(&fixture, picture, 0, "scores");
}

/* ---- What cannot work ---------------------------------------------------------------------- */

STX_TEST(pictures_without_semantics_are_refused)
{
  g_auto(Attached) fixture = attached_begin("train-ids");

  attached_push(&fixture, picture_new(), 0);
  stx_test_expect_error(fixture.bus, "format=RGB", "GstTensorMeta", "onnxinference", "GRAY8", NULL);
}

STX_TEST(tensors_that_are_no_scores_are_refused)
{
  static const gsize dims[] = {1, CLASSES, HEIGHT, WIDTH + 1};
  g_auto(Attached) fixture = attached_begin("train-ids");
  GstBuffer *picture = picture_new();

  add_tensors(
      picture, gst_buffer_new_allocate(NULL, CLASSES * HEIGHT * (WIDTH + 1), NULL), 0, dims, FALSE);
  attached_push(&fixture, picture, 0);
  stx_test_expect_error(fixture.bus, "a tensor 1x4", "classes x height x width", NULL);
}

static const struct {
  Mask mask;
  const char *word;
} bad_masks[] = {
    {{WHOLE, train_ids, NULL, GST_VIDEO_FORMAT_GRAY16_LE}, "must be GRAY8"},
    {{{0, 0, 90, 54}, 45, 27, train_ids, (const char *const[CLASSES]){[0 ... 18] = "strawberry"},
         GST_VIDEO_FORMAT_GRAY8},
        "strawberry"},
};

STX_TEST_LOOP(bad_segmentations_are_refused, G_N_ELEMENTS(bad_masks))
{
  g_auto(Attached) fixture = attached_begin("train-ids");
  GstBuffer *picture = picture_new();

  add_mask(picture, &bad_masks[_i].mask, fixture.labels, WIDTH);
  attached_push(&fixture, picture, 0);
  stx_test_expect_error(fixture.bus, "semantics: ", bad_masks[_i].word, NULL);
}
#endif
