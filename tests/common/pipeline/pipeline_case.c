/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/pipeline/pipeline_case.h"

#include <stdlib.h>
#include <string.h>

#include "tests/common/ground/scan_case.h"

/* ---- Frames ------------------------------------------------------------------------------- */

PipelineFrame pipeline_frame(uint64_t number, int padding)
{
  StxSceneParams params = {
      .seed = 4, .width = PIPELINE_WIDTH, .height = PIPELINE_HEIGHT, .speed = 10, .noise = 2};
  STX_AUTO(StxScene) *scene = stx_scene_new(&params, NULL);
  PipelineFrame frame = {stx_test_image8(PIPELINE_WIDTH, PIPELINE_HEIGHT, padding),
      stx_test_image8(PIPELINE_WIDTH, PIPELINE_HEIGHT, padding),
      stx_test_image8(PIPELINE_WIDTH, PIPELINE_HEIGHT, padding),
      stx_test_image16(PIPELINE_WIDTH, PIPELINE_HEIGHT, 2 * padding),
      stx_scene_params(scene)->camera};
  stx_scene_move(scene, number);
  stx_scene_render(scene, STX_SCENE_LEFT, 1, &frame.left);
  stx_scene_render(scene, STX_SCENE_RIGHT, 1, &frame.right);
  stx_scene_truth(scene, &frame.disparity, &frame.labels);
  return frame;
}

void pipeline_frame_free(PipelineFrame *frame)
{
  stx_test_image8_free(&frame->left);
  stx_test_image8_free(&frame->right);
  stx_test_image8_free(&frame->labels);
  stx_test_image16_free(&frame->disparity);
}

StxPipelineInput pipeline_pair(const PipelineFrame *frame)
{
  return (StxPipelineInput){.left = frame->left, .right = frame->right, .camera = frame->camera};
}

StxPipelineInput pipeline_disparity(const PipelineFrame *frame)
{
  return (StxPipelineInput){.disparity = frame->disparity, .camera = frame->camera};
}

/* ---- Pipelines ---------------------------------------------------------------------------- */

StxPipelineSettings pipeline_settings(StxPipelineSource source)
{
  StxPipelineSettings settings = stx_pipeline_defaults();
  settings.source = source;
  settings.sgm.max_disparity = 64;
  settings.threads = 2;
  return settings;
}

StxPipeline *pipeline_open(const StxPipelineSettings *settings)
{
  StxError error;
  StxPipeline *pipeline = stx_pipeline_new(settings, PIPELINE_WIDTH, PIPELINE_HEIGHT, &error);
  ck_assert_msg(pipeline != NULL, "%s", error.text);
  return pipeline;
}

PipelineResult pipeline_run(StxPipeline *pipeline, StxPipelineInput input)
{
  StxPipelineOutput output;
  StxError error;
  ck_assert_msg(stx_pipeline_run(pipeline, &input, &output, &error), "%s", error.text);
  ck_assert(output.count > 0);
  PipelineResult result = {malloc(output.count * sizeof *output.stixels), output.count, {0}};
  memcpy(result.stixels, output.stixels, output.count * sizeof *output.stixels);
  if (output.line != NULL)
    result.line = *output.line;
  return result;
}

PipelineResult pipeline_run_alone(const StxPipelineSettings *settings, StxPipelineInput input)
{
  STX_AUTO(StxPipeline) *pipeline = pipeline_open(settings);
  PipelineResult result = pipeline_run(pipeline, input);
  return result;
}

void pipeline_expect_same(PipelineResult expected, PipelineResult actual, const char *what)
{
  ck_assert_msg(expected.count == actual.count, "%s: %zu stixels, expected %zu", what, actual.count,
      expected.count);
  stx_expect_same(expected.stixels, actual.stixels, expected.count * sizeof(StxStixel), what);
  free(expected.stixels);
  free(actual.stixels);
}
