/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The stages of common/ one after another on one stereo frame, each timed: what the elements do
 * in a GStreamer pipeline, without GStreamer.
 *
 *   left, right ─ sgm ─ disparity, confidence ─ colmean ─ columns ─ roadline ─ satdp ─ stixels
 *                                                                └─ rdp ─ segments, or start rows
 *
 * Stixels come from satdp, or from rdp alone; rdp may also tell satdp where stixels can begin.
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "common/colmean.h"
#include "common/rdp.h"
#include "common/roadline_track.h"
#include "common/satdp.h"
#include "common/sgm.h"

/* What makes the stixels, and where satdp may begin one: everywhere, or at what rdp keeps. */
typedef enum { MODEL_SATDP, MODEL_RDP } Model;
typedef enum { CANDIDATES_ALL, CANDIDATES_RDP } Candidates;

typedef enum {
  STAGE_SGM,
  STAGE_COLMEAN,
  STAGE_ROADLINE,
  STAGE_RDP,
  STAGE_SATDP,
  STAGE_COUNT
} Stage;

/* "sgm" … "satdp": for tables. */
extern const char *const stage_names[STAGE_COUNT];

/* All parameters; the sizes in sgm and the grids are filled in by pipeline_open. */
typedef struct {
  StxSgmParams sgm;
  StxColmeanParams colmean; /* grid: cell_width, cell_height and classes count */
  StxSatdpParams satdp;
  StxRdpParams rdp;
  Model model;
  Candidates candidates; /* of MODEL_SATDP */
  StxRoadMode ground;
  bool use_confidence; /* hand sgm's confidence on to the reduction */
  StxBackend backend;  /* of all stages */
  int threads;         /* 0: all cores */
} PipelineSettings;

#define PIPELINE_DEFAULTS                                                                          \
  {                                                                                                \
    .sgm = STX_SGM_DEFAULTS, .satdp = STX_SATDP_DEFAULTS, .rdp = STX_RDP_DEFAULTS,                 \
    .use_confidence = true,                                                                        \
    .colmean = {.grid = {.cell_width = 8, .cell_height = 8},                                       \
        .reduction = STX_REDUCE_WEIGHTED,                                                          \
        .fill_width = STX_FILL_WIDTH_DEFAULT},                                                     \
  }

/* Everything one frame size needs; the results of the last frame can be read from it. */
typedef struct {
  PipelineSettings settings;
  const StxSgmImpl *sgm;
  const StxColmeanImpl *colmean;
  const StxSatdpImpl *satdp;
  const StxRdpImpl *rdp;
  int threads;

  StxImage16 disparity;
  StxImage8 confidence;
  void *columns;
  StxRoadTrack road;
  const StxRoadLine *line; /* or NULL */
  uint8_t *starts;         /* what rdp keeps, for satdp */
  StxStixel *stixels;
  size_t stixel_count;
  StxSatdpResult result;  /* of satdp, if it ran */
  double ms[STAGE_COUNT]; /* of the last frame; 0 where a stage does not run */

  void *scratch;
  StxColmeanTables colmean_tables;
  StxSatdpTables satdp_tables;
} Pipeline;

/* Checks the settings and allocates for frames of width × height. On failure there is nothing to
 * close. */
bool pipeline_open(
    Pipeline *pipeline, const PipelineSettings *settings, int width, int height, StxError *error);
void pipeline_close(Pipeline *pipeline);

/* One frame, which follows no other: the road is that of a stream's first frame. `labels` (values
 * that colmean.label_map understands) is needed exactly if colmean.semantics is LABELS; `camera`
 * may be unknown (all zero). */
bool pipeline_run(Pipeline *pipeline, const StxImage8 *left, const StxImage8 *right,
    const StxImage8 *labels, const StxCamera *camera, StxError *error);

/* Whether these settings need a stage. */
bool pipeline_has(const PipelineSettings *settings, Stage stage);

/* Milliseconds of a clock that only goes forward. */
double now_ms(void);

#endif
