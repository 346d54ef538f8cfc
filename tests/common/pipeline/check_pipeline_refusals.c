/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings and frames that a pipeline refuses, and what it says then. */
#include "tests/common/pipeline/pipeline_case.h"

#include "common/labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect_refused(StxPipelineSettings settings, int width, int height, const char *words)
{
  StxError error = {""};
  ck_assert_ptr_null(stx_pipeline_new(&settings, width, height, &error));
  ck_assert_msg(strstr(error.text, words) != NULL, "'%s' does not say '%s'", error.text, words);
  ck_assert_ptr_null(stx_pipeline_new(&settings, width, height, NULL));
}

#define EXPECT_REFUSED(change, words)                                                              \
  do {                                                                                             \
    StxPipelineSettings settings = stx_pipeline_defaults();                                        \
    settings.change;                                                                               \
    expect_refused(settings, PIPELINE_WIDTH, PIPELINE_HEIGHT, words);                              \
  } while (0)

START_TEST(bad_settings_are_named)
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
END_TEST

/* A stage that does not run may have any parameters. */
START_TEST(only_what_runs_is_checked)
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
END_TEST

static void expect_bad_input(StxPipeline *pipeline, StxPipelineInput input, const char *words)
{
  StxPipelineOutput output, nothing = {0};
  StxError error = {""};
  memset(&output, 0xAA, sizeof output);
  ck_assert(!stx_pipeline_run(pipeline, &input, &output, &error));
  ck_assert_msg(strstr(error.text, words) != NULL, "'%s' does not say '%s'", error.text, words);
  ck_assert(memcmp(&output, &nothing, sizeof output) == 0);
}

#define EXPECT_BAD(pipeline, good, change, words)                                                  \
  do {                                                                                             \
    StxPipelineInput input = good;                                                                 \
    input.change;                                                                                  \
    expect_bad_input(pipeline, input, words);                                                      \
  } while (0)

START_TEST(bad_pairs_are_named)
{
  PipelineFrame frame = pipeline_frame(0, 0);
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_PAIRS);
  StxPipeline *pipeline = pipeline_open(&settings);
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
  stx_pipeline_free(pipeline);
  pipeline_frame_free(&frame);
}
END_TEST

START_TEST(bad_disparities_and_semantics_are_named)
{
  PipelineFrame frame = pipeline_frame(0, 0);
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
  pipeline_frame_free(&frame);
}
END_TEST

START_TEST(a_calibration_without_camera_is_refused)
{
  PipelineFrame frame = pipeline_frame(0, 0);
  StxPipelineSettings settings = pipeline_settings(STX_PIPELINE_DISPARITIES);
  settings.ground = STX_ROAD_CALIBRATION;
  StxPipeline *pipeline = pipeline_open(&settings);
  StxPipelineInput good = pipeline_disparity(&frame);
  EXPECT_BAD(pipeline, good, camera.height = 0, "the camera height is unknown");
  EXPECT_BAD(pipeline, good, camera = (StxCamera){0}, "the focal length is unknown");
  free(pipeline_run(pipeline, good).stixels);
  stx_pipeline_free(pipeline);
  pipeline_frame_free(&frame);
}
END_TEST

static const StxTest tests[] = {
    {&bad_settings_are_named},
    {&only_what_runs_is_checked},
    {&bad_pairs_are_named},
    {&bad_disparities_and_semantics_are_named},
    {&a_calibration_without_camera_is_refused},
};
STX_TESTING_MAIN("pipeline_refusals", tests)
