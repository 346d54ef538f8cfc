/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pipeline as an application uses it, on the synthetic street. That its stixels are those of
 * the elements is shown in tests/pipeline/embedding.c.
 */
#include "tests/common/pipeline/pipeline_case.h"

#include "common/labels.h"

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

START_TEST(a_pair_becomes_stixels)
{
  PipelineFrame frame = pipeline_frame(3, 0);
  StxPipelineSettings settings = stx_pipeline_defaults();
  StxPipeline *pipeline = pipeline_open(&settings);
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
  ck_assert_double_gt(output.ms[STX_STAGE_SGM], 0);
  stx_pipeline_free(pipeline);
  stx_pipeline_free(NULL);
  pipeline_frame_free(&frame);
}
END_TEST

START_TEST(what_a_pair_gives_can_be_given)
{
  PipelineFrame frame = pipeline_frame(5, 0);
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_PAIRS);
  for (int trust = 0; trust < 2; trust++) {
    settings.source = STX_PIPELINE_PAIRS;
    settings.use_confidence = trust;
    StxPipeline *pairs = pipeline_open(&settings);
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
    stx_pipeline_free(pairs);
  }
  pipeline_frame_free(&frame);
}
END_TEST

START_TEST(every_backend_and_number_of_threads_agree)
{
  static const StxPipelineModel models[] = {STX_PIPELINE_SATDP, STX_PIPELINE_SATDP,
      STX_PIPELINE_RDP, STX_PIPELINE_FULLDP, STX_PIPELINE_FULLDP};
  static const StxPipelineCuts cuts[] = {STX_PIPELINE_CUTS_ALL, STX_PIPELINE_CUTS_RDP,
      STX_PIPELINE_CUTS_ALL, STX_PIPELINE_CUTS_ALL, STX_PIPELINE_CUTS_RDP};
  PipelineFrame frame = pipeline_frame(0, 0);
  for (int i = 0; i < 5; i++) {
    StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_PAIRS);
    settings.model = models[i];
    settings.cuts = cuts[i];
    for (int threads = 0; threads <= 7; threads += 7) {
      settings.threads = threads;
      settings.backend = STX_BACKEND_C;
      PipelineResult expected = pipeline_run_alone(&settings, pipeline_pair(&frame));
      settings.backend = STX_BACKEND_AUTO;
      pipeline_expect_same(
          expected, pipeline_run_alone(&settings, pipeline_pair(&frame)), "backend");
    }
  }
  pipeline_frame_free(&frame);
}
END_TEST

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

START_TEST(strides_do_not_matter)
{
  PipelineFrame frame = pipeline_frame(2, 0), padded = pipeline_frame(2, 5);
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_PAIRS);
  pipeline_expect_same(pipeline_run_alone(&settings, pipeline_pair(&frame)),
      pipeline_run_alone(&settings, pipeline_pair(&padded)), "padded pair");
  StxImage8 left = upside_down8(&frame.left), right = upside_down8(&frame.right);
  StxPipelineInput input = {seen_from_above(left), seen_from_above(right)};
  input.camera = frame.camera;
  pipeline_expect_same(pipeline_run_alone(&settings, pipeline_pair(&frame)),
      pipeline_run_alone(&settings, input), "pair from below");
  settings.source = STX_PIPELINE_DISPARITIES;
  pipeline_expect_same(pipeline_run_alone(&settings, pipeline_disparity(&frame)),
      pipeline_run_alone(&settings, pipeline_disparity(&padded)), "padded disparity");
  stx_test_image8_free(&left);
  stx_test_image8_free(&right);
  pipeline_frame_free(&frame);
  pipeline_frame_free(&padded);
}
END_TEST

START_TEST(cityscapes_disparities_are_one_more)
{
  PipelineFrame frame = pipeline_frame(2, 0);
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_DISPARITIES);
  PipelineResult expected = pipeline_run_alone(&settings, pipeline_disparity(&frame));
  for (int i = 0; i < PIXELS; i++)
    frame.disparity.data[i] += frame.disparity.data[i] > 0;
  settings.colmean.disparity.encoding = STX_DISPARITY_CITYSCAPES;
  pipeline_expect_same(
      expected, pipeline_run_alone(&settings, pipeline_disparity(&frame)), "Cityscapes");
  /* What is matched here is not encoded like that. */
  settings = pipeline_settings(STX_PIPELINE_PAIRS);
  expected = pipeline_run_alone(&settings, pipeline_pair(&frame));
  settings.colmean.disparity.encoding = STX_DISPARITY_CITYSCAPES;
  pipeline_expect_same(expected, pipeline_run_alone(&settings, pipeline_pair(&frame)), "pair");
  pipeline_frame_free(&frame);
}
END_TEST

/* Labels, and the same as certain scores, planar and interleaved. */
START_TEST(labels_and_scores)
{
  enum { CLASSES = STX_LABEL_CLASSES };
  PipelineFrame frame = pipeline_frame(2, 0);
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

  uint8_t *planar = calloc(CLASSES, PIXELS);
  float *interleaved = calloc(CLASSES, PIXELS * sizeof *interleaved);
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
  free(planar);
  free(interleaved);
  pipeline_frame_free(&frame);
}
END_TEST

/* Float16 scores of a quarter of the pixels, whose labels are those of squares. */
START_TEST(scores_of_half_the_size)
{
  enum { CLASSES = STX_LABEL_CLASSES };
  PipelineFrame frame = pipeline_frame(2, 0);
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_PAIRS);
  int columns = stx_score_side(PIPELINE_WIDTH, 1);
  uint16_t *scores = calloc(CLASSES, PIXELS * sizeof *scores);
  settings.colmean.semantics = STX_SEMANTICS_LABELS;
  settings.colmean.grid.classes = CLASSES;
  for (int y = 0; y < frame.labels.height; y++)
    for (int x = 0; x < PIPELINE_WIDTH; x++) {
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
  free(scores);
  pipeline_frame_free(&frame);
}
END_TEST

/* ---- Streams ------------------------------------------------------------------------------- */

/* Only a stream's first frame is like one of its own. */
START_TEST(a_stream_follows_the_road_until_it_begins_anew)
{
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_DISPARITIES);
  settings.ground = STX_ROAD_ESTIMATE;
  StxPipeline *pipeline = pipeline_open(&settings);
  PipelineFrame first = pipeline_frame(0, 0), second = pipeline_frame(8, 0);
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
  stx_pipeline_free(pipeline);
  pipeline_frame_free(&first);
  pipeline_frame_free(&second);
}
END_TEST

/* A camera of the picture at twice its size; what comes out is this picture's. */
START_TEST(a_camera_of_another_size_is_scaled)
{
  PipelineFrame frame = pipeline_frame(0, 0);
  StxPipelineSettings settings = stx_pipeline_defaults();
  StxPipeline *pipeline = pipeline_open(&settings);
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
  ck_assert_ptr_nonnull(strstr(error.text, "cannot be scaled to"));
  stx_pipeline_free(pipeline);
  pipeline_frame_free(&frame);
}
END_TEST

START_TEST(the_road_is_as_asked_for)
{
  static const StxRoadMode modes[] = {
      STX_ROAD_AUTO, STX_ROAD_CALIBRATION, STX_ROAD_ESTIMATE, STX_ROAD_NONE, STX_ROAD_PIECEWISE};
  PipelineFrame frame = pipeline_frame(1, 0);
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
  pipeline_frame_free(&frame);
}
END_TEST

static const StxTest tests[] = {
    {&a_pair_becomes_stixels},
    {&what_a_pair_gives_can_be_given},
    {&every_backend_and_number_of_threads_agree},
    {&strides_do_not_matter},
    {&cityscapes_disparities_are_one_more},
    {&labels_and_scores},
    {&scores_of_half_the_size},
    {&a_stream_follows_the_road_until_it_begins_anew},
    {&a_camera_of_another_size_is_scaled},
    {&the_road_is_as_asked_for},
};
STX_TESTING_MAIN("pipeline", tests)
