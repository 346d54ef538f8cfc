/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the check programs of the pipeline: frames of the synthetic street, and runs. */
#pragma once

#include "common/pipeline/pipeline.h"
#include "tests/testing.h"

#define PIPELINE_WIDTH 412 /* the last column and row of cells are cut */
#define PIPELINE_HEIGHT 155

typedef struct {
  StxImage8 left, right, labels;
  StxImage16 disparity;
  StxCamera camera;
} PipelineFrame;

/* `padding` bytes between the rows, `padding` words between those of the disparity. */
PipelineFrame pipeline_frame(uint64_t number, int padding);
void pipeline_frame_free(PipelineFrame *frame);
STX_AUTO_VALUE(PipelineFrame, pipeline_frame_free)
STX_AUTO_POINTER(StxPipeline, stx_pipeline_free)

/* The input of a pipeline. */
StxPipelineInput pipeline_pair(const PipelineFrame *frame);
StxPipelineInput pipeline_disparity(const PipelineFrame *frame);

/* The defaults, a little faster. */
StxPipelineSettings pipeline_settings(StxPipelineSource source);

/* For frames of this size; the test fails if there is none. */
StxPipeline *pipeline_open(const StxPipelineSettings *settings);

/* The stixels of a run, to be freed. */
typedef struct {
  StxStixel *stixels;
  size_t count;
  StxRoadLine line; /* support 0: none */
} PipelineResult;

PipelineResult pipeline_run(StxPipeline *pipeline, StxPipelineInput input);

/* As the first frame of a stream. */
PipelineResult pipeline_run_alone(const StxPipelineSettings *settings, StxPipelineInput input);

/* Frees both. */
void pipeline_expect_same(PipelineResult expected, PipelineResult actual, const char *what);
