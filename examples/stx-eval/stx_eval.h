/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stx-eval: frames with truth in, measures out. A data set (stx_eval_kitti.c, stx_eval_street.c)
 * loads frames, stx_eval.c runs the pipeline and scores them, stx_eval_report.c prints.
 */
#ifndef STX_EVAL_H
#define STX_EVAL_H

#include <stdio.h>

#include "common/metrics/metrics.h"
#include "common/pipeline/pipeline.h"

/* ---- Frames ------------------------------------------------------------------------------- */

/* Truth at pixels that both cameras see, and at all pixels. */
typedef enum { TRUTH_NOC, TRUTH_ALL, TRUTH_COUNT } Truth;

/* All images of one size, all data owned by the frame; data NULL: the data set has none. */
typedef struct {
  char name[64];
  StxImage8 left, right;
  StxImage16 truth[TRUTH_COUNT];
  StxImage8 labels; /* train ids, STX_LABEL_NONE where not labelled */
  StxCamera camera; /* all zero: unknown */
} EvalFrame;

void eval_frame_free(EvalFrame *frame);

typedef struct DataSet DataSet;
struct DataSet {
  char name[256];
  size_t count;  /* frames */
  bool is_video; /* each follows the one before */
  bool has_labels;
  bool (*load)(DataSet *set, size_t index, EvalFrame *frame, StxError *error);
  void (*close)(DataSet *set);
  void *data;
};

/* A folder in the layout of KITTI's stereo benchmarks, or its training/ folder. `calibration` (may
 * be NULL) replaces the calibration of every frame. Errors say what was looked for, and where. */
bool eval_open_kitti(DataSet *set, const char *folder, const char *calibration, StxError *error);

/* `frames` frames of the synthetic street. */
bool eval_open_street(
    DataSet *set, int width, int height, uint64_t seed, size_t frames, StxError *error);

/* ---- LiDAR --------------------------------------------------------------------------------- */

/* `stx-eval lidar …`: argv[0] is "lidar". */
bool eval_lidar(int argc, char **argv, StxError *error);

/* ---- Results ------------------------------------------------------------------------------ */

/* The disparity maps that are scored: sgm's with holes, the same filled, and the stixels'. */
typedef enum { MAP_RAW, MAP_FILLED, MAP_STIXELS, MAP_COUNT } Map;

/* Of one frame, or the sum over all. Everything but `repeats` adds up. */
typedef struct {
  char name[64];
  int frames;
  bool has_truth[TRUTH_COUNT], has_labels, has_kinds,
      has_classes; /* kinds, classes: of the stixels */
  StxDisparityScore score[TRUTH_COUNT][MAP_COUNT];
  uint64_t pixels, known, stixels; /* known: pixels with a disparity before filling */
  uint64_t pairs, evaluated;       /* of the dynamic programme */
  StxConfusion classes, majority, kinds;
  double ms[STX_STAGE_COUNT];
} EvalResult;

/* Error of the stixels over the error of the filled input; negative without truth or error. */
double eval_ratio(const EvalResult *result, Truth truth);

void eval_print_text(FILE *out, const DataSet *set, const StxPipelineSettings *settings,
    const EvalResult *frames, size_t count, const EvalResult *total);
void eval_print_json(FILE *out, const DataSet *set, const StxPipelineSettings *settings,
    const EvalResult *frames, size_t count, const EvalResult *total);

#endif
