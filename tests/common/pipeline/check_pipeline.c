/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pipeline as an application uses it, on the synthetic street. That its stixels are those of
 * the elements is shown in tests/tools/check_python.py. Settings and frames that a pipeline
 * refuses, and what it says then.
 */
#include "tests/common/pipeline/pipeline_case.h"
#include "common/labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PIXELS (PIPELINE_WIDTH * PIPELINE_HEIGHT)

/* Every row of every column belongs to exactly one record, in order. */
static void expect_cover(const StxPipelineOutput *output)
{
  int column = -1, next = -1;
  for (size_t i = 0; i < output->count; i++) {
    const StxStixel *stixel = &output->stixels[i];
    if (stixel->column != column) {
      ck_assert_int_eq(next, -1);
      ck_assert_int_eq(stixel->column, ++column);
      next = PIPELINE_HEIGHT - 1;
    }
    ck_assert_int_eq(stixel->bottom, next);
    next = stixel->top - 1;
  }
  ck_assert_int_eq(next, -1);
  ck_assert_int_eq(column, stx_grid_columns(&output->grid) - 1);
}

/* ---- What comes out ------------------------------------------------------------------------ */

STX_TEST(a_pair_becomes_stixels)
{
  STX_AUTO(PipelineFrame) frame = pipeline_frame(3, 0);
  StxPipelineSettings settings = stx_pipeline_defaults();
  STX_AUTO(StxPipeline) *pipeline = pipeline_open(&settings);
  StxPipelineInput input = pipeline_pair(&frame);
  StxPipelineOutput output;
  StxError error;
  ck_assert_msg(stx_pipeline_run(pipeline, &input, &output, &error), "%s", error.text);
  expect_cover(&output);
  ck_assert(output.grid.width == PIPELINE_WIDTH && output.grid.height == PIPELINE_HEIGHT);
  ck_assert(output.grid.cell_width == 8 && output.grid.cell_height == 8);
  ck_assert(output.disparity.width == PIPELINE_WIDTH && output.disparity.data != NULL);
  ck_assert(output.confidence.height == PIPELINE_HEIGHT && output.confidence.data != NULL);
  ck_assert_ptr_nonnull(output.columns);
  ck_assert_ptr_nonnull(output.line);
  ck_assert_double_eq(output.line->support, 1); /* the camera's */
  ck_assert(output.pairs > output.evaluated && output.evaluated > 0);
  for (StxStage stage = 0; stage < STX_STAGE_COUNT; stage++) {
    ck_assert_ptr_nonnull(stx_stage_name(stage));
    ck_assert(stx_pipeline_has(&settings, stage) ? output.ms[stage] >= 0 : output.ms[stage] == 0);
  }
  ck_assert_ptr_null(stx_stage_name(STX_STAGE_COUNT));
#ifndef _WIN32 /* whose clock ticks every 16 ms */
  ck_assert_double_gt(output.ms[STX_STAGE_SGM], 0);
#endif
  stx_pipeline_free(NULL);
}

STX_TEST(what_a_pair_gives_can_be_given)
{
  STX_AUTO(PipelineFrame) frame = pipeline_frame(5, 0);
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_PAIRS);
  for (int trust = 0; trust < 2; trust++) {
    settings.source = STX_PIPELINE_PAIRS;
    settings.use_confidence = trust;
    STX_AUTO(StxPipeline) *pairs = pipeline_open(&settings);
    StxPipelineInput input = pipeline_pair(&frame);
    StxPipelineOutput output;
    ck_assert(stx_pipeline_run(pairs, &input, &output, NULL));
    ck_assert_int_eq(output.confidence.data != NULL, trust);
    StxPipelineInput given = {.disparity = output.disparity,
        .confidence = output.confidence,
        .confidence_is_sky = true,
        .camera = frame.camera};
    settings.source = STX_PIPELINE_DISPARITIES;
    pipeline_expect_same(
        pipeline_run(pairs, input), pipeline_run_alone(&settings, given), "given disparity");
  }
}

STX_TEST(every_number_of_threads_gives_the_same)
{
  static const StxPipelineModel models[] = {STX_PIPELINE_SATDP, STX_PIPELINE_SATDP,
      STX_PIPELINE_RDP, STX_PIPELINE_FULLDP, STX_PIPELINE_FULLDP};
  static const StxPipelineCuts cuts[] = {STX_PIPELINE_CUTS_ALL, STX_PIPELINE_CUTS_RDP,
      STX_PIPELINE_CUTS_ALL, STX_PIPELINE_CUTS_ALL, STX_PIPELINE_CUTS_RDP};
  STX_AUTO(PipelineFrame) frame = pipeline_frame(0, 0);
  for (int i = 0; i < 5; i++) {
    StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_PAIRS);
    settings.model = models[i];
    settings.cuts = cuts[i];
    settings.threads = 1;
    PipelineResult expected = pipeline_run_alone(&settings, pipeline_pair(&frame));
    settings.threads = 7;
    pipeline_expect_same(expected, pipeline_run_alone(&settings, pipeline_pair(&frame)), "threads");
  }
}

/* ---- What goes in -------------------------------------------------------------------------- */

/* The same picture, stored from the bottom up. */
static StxImage8 upside_down8(const StxImage8 *image)
{
  StxImage8 copy = stx_test_image8(image->width, image->height, 0);
  for (int y = 0; y < image->height; y++)
    memcpy(stx_row8(&copy, image->height - 1 - y), stx_row8(image, y), (size_t)image->width);
  return copy;
}

static StxImage8 seen_from_above(StxImage8 image)
{
  image.data = stx_row8(&image, image.height - 1);
  image.stride = -image.stride;
  return image;
}

STX_TEST(strides_do_not_matter)
{
  STX_AUTO(PipelineFrame) frame = pipeline_frame(2, 0), padded = pipeline_frame(2, 5);
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_PAIRS);
  pipeline_expect_same(pipeline_run_alone(&settings, pipeline_pair(&frame)),
      pipeline_run_alone(&settings, pipeline_pair(&padded)), "padded pair");
  STX_AUTO(StxImage8) left = upside_down8(&frame.left), right = upside_down8(&frame.right);
  StxPipelineInput input = {seen_from_above(left), seen_from_above(right)};
  input.camera = frame.camera;
  pipeline_expect_same(pipeline_run_alone(&settings, pipeline_pair(&frame)),
      pipeline_run_alone(&settings, input), "pair from below");
  settings.source = STX_PIPELINE_DISPARITIES;
  pipeline_expect_same(pipeline_run_alone(&settings, pipeline_disparity(&frame)),
      pipeline_run_alone(&settings, pipeline_disparity(&padded)), "padded disparity");
}

STX_TEST(cityscapes_disparities_are_one_more)
{
  STX_AUTO(PipelineFrame) frame = pipeline_frame(2, 0);
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_DISPARITIES);
  PipelineResult expected = pipeline_run_alone(&settings, pipeline_disparity(&frame));
  for (int i = 0; i < PIXELS; i++)
    frame.disparity.data[i] += frame.disparity.data[i] > 0;
  settings.colmean.disparity.encoding = STX_DISPARITY_CITYSCAPES;
  pipeline_expect_same(
      expected, pipeline_run_alone(&settings, pipeline_disparity(&frame)), "Cityscapes");
  /* Disparities of the matcher do not have this encoding. */
  settings = pipeline_settings(STX_PIPELINE_PAIRS);
  expected = pipeline_run_alone(&settings, pipeline_pair(&frame));
  settings.colmean.disparity.encoding = STX_DISPARITY_CITYSCAPES;
  pipeline_expect_same(expected, pipeline_run_alone(&settings, pipeline_pair(&frame)), "pair");
}

/* Labels, and the same as certain scores, planar and interleaved. */
STX_TEST(labels_and_scores)
{
  enum { CLASSES = STX_LABEL_CLASSES };
  STX_AUTO(PipelineFrame) frame = pipeline_frame(2, 0);
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_PAIRS);
  settings.colmean.semantics = STX_SEMANTICS_LABELS;
  settings.colmean.grid.classes = CLASSES;
  StxPipelineInput input = pipeline_pair(&frame);
  input.labels = frame.labels;
  PipelineResult expected = pipeline_run_alone(&settings, input);
  bool labelled = false;
  for (size_t i = 0; i < expected.count; i++)
    labelled |= expected.stixels[i].label != STX_LABEL_NONE;
  ck_assert(labelled);

  STX_MALLOCED uint8_t *planar = calloc(CLASSES, PIXELS);
  STX_MALLOCED float *interleaved = calloc(CLASSES, PIXELS * sizeof *interleaved);
  for (int i = 0; i < PIXELS; i++) {
    planar[frame.labels.data[i] * PIXELS + i] = 255;
    interleaved[CLASSES * i + frame.labels.data[i]] = 1;
  }
  input = pipeline_pair(&frame);
  input.scores = planar;
  input.class_stride = PIXELS;
  input.row_stride = PIPELINE_WIDTH;
  input.pixel_stride = 1;
  settings.colmean.semantics = STX_SEMANTICS_SCORES_U8;
  PipelineResult scored = pipeline_run_alone(&settings, input);
  input.scores = interleaved;
  input.class_stride = sizeof(float);
  input.row_stride = CLASSES * PIPELINE_WIDTH * (ptrdiff_t)sizeof(float);
  input.pixel_stride = CLASSES * sizeof(float);
  settings.colmean.semantics = STX_SEMANTICS_SCORES_F32;
  PipelineResult scored_f32 = pipeline_run_alone(&settings, input);
  ck_assert_int_eq(expected.count, scored.count);
  stx_expect_same(expected.stixels, scored.stixels, expected.count * sizeof(StxStixel), "uint8");
  pipeline_expect_same(expected, scored_f32, "float32");
  free(scored.stixels);
}

/* Float16 scores of a quarter of the pixels, whose labels are those of squares. */
STX_TEST(scores_of_half_the_size)
{
  enum { CLASSES = STX_LABEL_CLASSES };
  STX_AUTO(PipelineFrame) frame = pipeline_frame(2, 0);
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_PAIRS);
  int columns = stx_score_side(PIPELINE_WIDTH, 1);
  STX_MALLOCED uint16_t *scores = calloc(CLASSES, PIXELS * sizeof *scores);
  settings.colmean.semantics = STX_SEMANTICS_LABELS;
  settings.colmean.grid.classes = CLASSES;
  STX_EACH_PIXEL (x, y, PIPELINE_WIDTH, frame.labels.height) {
    uint8_t label = frame.labels.data[(y & ~1) * PIPELINE_WIDTH + (x & ~1)];
    frame.labels.data[y * PIPELINE_WIDTH + x] = label;
    scores[CLASSES * (y / 2 * columns + x / 2) + label] = 0x3c00; /* 1 */
  }
  StxPipelineInput input = pipeline_pair(&frame);
  input.labels = frame.labels;
  PipelineResult expected = pipeline_run_alone(&settings, input);
  input = pipeline_pair(&frame);
  input.scores = scores;
  input.class_stride = 2;
  input.pixel_stride = 2 * CLASSES;
  input.row_stride = 2 * CLASSES * columns;
  input.score_shift = 1;
  settings.colmean.semantics = STX_SEMANTICS_SCORES_F16;
  pipeline_expect_same(expected, pipeline_run_alone(&settings, input), "float16, half the size");
}

/* ---- Streams ------------------------------------------------------------------------------- */

/* Only a stream's first frame is like one of its own. */
STX_TEST(a_stream_follows_the_road_until_it_begins_anew)
{
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_DISPARITIES);
  settings.ground = STX_ROAD_ESTIMATE;
  STX_AUTO(StxPipeline) *pipeline = pipeline_open(&settings);
  STX_AUTO(PipelineFrame) first = pipeline_frame(0, 0), second = pipeline_frame(8, 0);
  PipelineResult alone = pipeline_run_alone(&settings, pipeline_disparity(&second));

  pipeline_expect_same(pipeline_run_alone(&settings, pipeline_disparity(&first)),
      pipeline_run(pipeline, pipeline_disparity(&first)), "first frame");
  PipelineResult followed = pipeline_run(pipeline, pipeline_disparity(&second));
  ck_assert(followed.line.slope != alone.line.slope);
  free(followed.stixels);

  stx_pipeline_reset(pipeline);
  PipelineResult anew = pipeline_run(pipeline, pipeline_disparity(&second));
  ck_assert(anew.line.slope == alone.line.slope && anew.line.horizon == alone.line.horizon);
  free(anew.stixels);

  StxCamera camera = second.camera;
  second.camera = (StxCamera){0};
  free(pipeline_run(pipeline, pipeline_disparity(&second)).stixels);
  second.camera = camera;
  pipeline_expect_same(
      alone, pipeline_run(pipeline, pipeline_disparity(&second)), "after another camera");
}

/* A camera of the picture at twice its size; what comes out is this picture's. */
STX_TEST(a_camera_of_another_size_is_scaled)
{
  STX_AUTO(PipelineFrame) frame = pipeline_frame(0, 0);
  StxPipelineSettings settings = stx_pipeline_defaults();
  STX_AUTO(StxPipeline) *pipeline = pipeline_open(&settings);
  StxPipelineInput input = pipeline_pair(&frame);
  StxPipelineOutput output;
  StxError error = {"not touched"};
  double focal = input.camera.focal;
  input.camera.image_width = frame.left.width;
  input.camera.image_height = frame.left.height;
  ck_assert(stx_camera_fit(&input.camera, frame.left.width * 2, frame.left.height * 2, NULL));
  ck_assert_double_eq_tol(input.camera.focal, focal * 2, 1e-9);
  ck_assert(stx_pipeline_run(pipeline, &input, &output, &error) && error.text[0] == 0);
  ck_assert_double_eq_tol(output.camera.focal, focal, 1e-9);
  ck_assert_int_eq(output.camera.image_width, frame.left.width);
  input.camera.image_height /= 2;
  ck_assert(!stx_pipeline_run(pipeline, &input, &output, &error));
  stx_expect_words(&error, "cannot be scaled to");
}

STX_TEST(the_road_is_as_asked_for)
{
  static const StxRoadMode modes[] = {
      STX_ROAD_AUTO, STX_ROAD_CALIBRATION, STX_ROAD_ESTIMATE, STX_ROAD_NONE, STX_ROAD_PIECEWISE};
  STX_AUTO(PipelineFrame) frame = pipeline_frame(1, 0);
  StxRoadLine camera;
  ck_assert(stx_roadline_from_camera(&frame.camera, &camera));
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
    StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_DISPARITIES);
    settings.ground = modes[i];
    PipelineResult result = pipeline_run_alone(&settings, pipeline_disparity(&frame));
    bool is_known = modes[i] == STX_ROAD_AUTO || modes[i] == STX_ROAD_CALIBRATION;
    ck_assert_int_eq(result.line.slope == camera.slope, is_known);
    ck_assert_int_eq(result.line.support > 0, modes[i] != STX_ROAD_NONE);
    free(result.stixels);
  }
}

static void expect_refused(StxPipelineSettings settings, int width, int height, const char *words)
{
  StxError error = {""};
  ck_assert_ptr_null(stx_pipeline_new(&settings, width, height, &error));
  stx_expect_words(&error, words);
  ck_assert_ptr_null(stx_pipeline_new(&settings, width, height, NULL));
}

#define EXPECT_REFUSED(change, words)                                                              \
  do {                                                                                             \
    StxPipelineSettings settings = stx_pipeline_defaults();                                        \
    settings.change;                                                                               \
    expect_refused(settings, PIPELINE_WIDTH, PIPELINE_HEIGHT, words);                              \
  } while (0)

STX_TEST(bad_settings_are_named)
{
  StxPipelineSettings defaults = stx_pipeline_defaults();
  expect_refused(defaults, 0, PIPELINE_HEIGHT, "width is 0");
  expect_refused(defaults, PIPELINE_WIDTH, 40000, "height is 40000");
  EXPECT_REFUSED(backend = STX_BACKEND_CUDA, "backend cuda is not in this library");
  EXPECT_REFUSED(backend = (StxBackend)17, "backend is 17");
  EXPECT_REFUSED(threads = 257, "threads is 257; it must be 0 to 256");
  EXPECT_REFUSED(threads = -1, "threads is -1");
  EXPECT_REFUSED(source = (StxPipelineSource)2, "source is 2");
  EXPECT_REFUSED(model = (StxPipelineModel)3, "model is 3");
  EXPECT_REFUSED(cuts = (StxPipelineCuts)-1, "cuts is -1");
  EXPECT_REFUSED(ground = (StxRoadMode)5, "ground is 5");
  EXPECT_REFUSED(sgm.max_disparity = 100, "max_disparity is 100");
  EXPECT_REFUSED(sgm.depth = 1000, "depth is 1000");
  EXPECT_REFUSED(colmean.grid.cell_width = 0, "cell width is 0");
  EXPECT_REFUSED(colmean.semantics = STX_SEMANTICS_LABELS, "number of classes is 0");
  EXPECT_REFUSED(satdp.pair_cost = NAN, "pair_cost is nan");
}

/* A stage that does not run may have any parameters. */
STX_TEST(only_what_runs_is_checked)
{
  StxPipelineSettings settings = stx_pipeline_defaults();
  settings.source = STX_PIPELINE_DISPARITIES;
  settings.model = STX_PIPELINE_RDP;
  settings.sgm.paths = 5;
  settings.satdp.pair_cost = -1;
  settings.cuts_rdp.epsilon = -1;
  stx_pipeline_free(pipeline_open(&settings));
  settings.rdp.epsilon = -1;
  expect_refused(settings, PIPELINE_WIDTH, PIPELINE_HEIGHT, "epsilon is -1");
}

static void expect_bad_input(StxPipeline *pipeline, StxPipelineInput input, const char *words)
{
  StxPipelineOutput output, nothing = {0};
  StxError error = {""};
  memset(&output, 0xAA, sizeof output);
  ck_assert(!stx_pipeline_run(pipeline, &input, &output, &error));
  stx_expect_words(&error, words);
  ck_assert(memcmp(&output, &nothing, sizeof output) == 0);
}

#define EXPECT_BAD(pipeline, good, change, words)                                                  \
  do {                                                                                             \
    StxPipelineInput input = good;                                                                 \
    input.change;                                                                                  \
    expect_bad_input(pipeline, input, words);                                                      \
  } while (0)

STX_TEST(bad_pairs_are_named)
{
  STX_AUTO(PipelineFrame) frame = pipeline_frame(0, 0);
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_PAIRS);
  STX_AUTO(StxPipeline) *pipeline = pipeline_open(&settings);
  StxPipelineInput good = pipeline_pair(&frame);
  EXPECT_BAD(pipeline, good, left.data = NULL, "left: there is none");
  EXPECT_BAD(pipeline, good, right.width = 411, "right has 411 × 155 pixels");
  EXPECT_BAD(pipeline, good, left.stride = 411, "left: its rows are 411 bytes apart");
  EXPECT_BAD(pipeline, good, left.stride = -411, "left: its rows are -411 bytes apart");
  EXPECT_BAD(pipeline, good, disparity = frame.disparity, "disparity: this pipeline is one for");
  EXPECT_BAD(pipeline, good, confidence = frame.labels, "confidence: this pipeline is one for");
  EXPECT_BAD(pipeline, good, camera.focal = NAN, "camera: focal is nan");
  EXPECT_BAD(pipeline, good, camera.height = -1, "camera: height is -1");
  EXPECT_BAD(pipeline, good, camera.pitch = 2, "camera: pitch is 2");
  EXPECT_BAD(pipeline, good, camera.baseline = 540, "540 mm are 0.54");
  EXPECT_BAD(pipeline, good, camera.focal = 4, "4 px in an image 412 px wide");
  pipeline_expect_same(
      pipeline_run_alone(&settings, good), pipeline_run(pipeline, good), "after failures");
}

STX_TEST(bad_disparities_and_semantics_are_named)
{
  STX_AUTO(PipelineFrame) frame = pipeline_frame(0, 0);
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_DISPARITIES);
  StxPipeline *pipeline = pipeline_open(&settings);
  StxPipelineInput good = pipeline_disparity(&frame);
  EXPECT_BAD(pipeline, good, disparity.data = NULL, "disparity: there is none");
  EXPECT_BAD(pipeline, good, disparity.height = 1, "disparity has 412 × 1 pixels");
  EXPECT_BAD(pipeline, good, disparity.stride += 1, "no multiple of the 2 bytes");
  EXPECT_BAD(
      pipeline, good, disparity.stride = PIPELINE_WIDTH, "disparity: its rows are 412 bytes apart");
  EXPECT_BAD(pipeline, good, left = frame.left, "left: this pipeline is one for disparities");
  EXPECT_BAD(pipeline, good, right = frame.right, "right: this pipeline is one for disparities");
  EXPECT_BAD(pipeline, good,
      confidence = ((StxImage8){frame.left.data, PIPELINE_WIDTH, PIPELINE_WIDTH, 1}),
      "confidence has 412 × 1 pixels");
  stx_pipeline_free(pipeline);

  settings.colmean.semantics = STX_SEMANTICS_LABELS;
  settings.colmean.grid.classes = STX_LABEL_CLASSES;
  pipeline = pipeline_open(&settings);
  expect_bad_input(pipeline, good, "labels: there is none");
  stx_pipeline_free(pipeline);

  settings.colmean.semantics = STX_SEMANTICS_SCORES_U8;
  pipeline = pipeline_open(&settings);
  expect_bad_input(pipeline, good, "scores: there are none");
  EXPECT_BAD(pipeline, good, scores = frame.left.data, "pixel_stride is 0");
  good.scores = frame.left.data;
  good.pixel_stride = 1;
  EXPECT_BAD(pipeline, good, score_shift = -1, "score_shift is -1; it must be 0 (full size) to 3");
  EXPECT_BAD(pipeline, good, score_shift = 4, "score_shift is 4");
  stx_pipeline_free(pipeline);
}

STX_TEST(a_calibration_without_camera_is_refused)
{
  STX_AUTO(PipelineFrame) frame = pipeline_frame(0, 0);
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_DISPARITIES);
  settings.ground = STX_ROAD_CALIBRATION;
  STX_AUTO(StxPipeline) *pipeline = pipeline_open(&settings);
  StxPipelineInput good = pipeline_disparity(&frame);
  EXPECT_BAD(pipeline, good, camera.height = 0, "the camera height is unknown");
  EXPECT_BAD(pipeline, good, camera = (StxCamera){0}, "the focal length is unknown");
  free(pipeline_run(pipeline, good).stixels);
}
