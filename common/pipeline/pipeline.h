/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stixels without GStreamer: stereo pairs or disparities in, stixels out. The stages that the
 * elements stereo-sgm, downsample-transpose and sat-dp-stixels (or rdp-columns) run on the CPU,
 * one after another, with the elements' defaults and their bytes.
 *
 *   left, right ─ sgm ─ disparity, confidence ─ colmean ─ columns ─ roadline ─ satdp ─ stixels
 *                                                                └─ rdp ─ segments, or cuts
 *
 *   StxPipelineSettings settings = stx_pipeline_defaults();
 *   StxPipeline *pipeline = stx_pipeline_new(&settings, width, height, &error);
 *   while (…)
 *     stx_pipeline_run(pipeline, &input, &output, &error);
 *   stx_pipeline_free(pipeline);
 *
 * Library: `stixels` exports the functions marked STX_API, and no others of the headers beside this
 * one, which are there for their parameters. Until 1.0 any release may change all of it.
 *
 * Memory: _new allocates all of it, about width · height · (max_disparity + 22) bytes for pairs (66
 * MiB for 1242 × 375 pixels and 128 disparities), 1 MiB and width · height · 2 for disparities.
 * _run allocates nothing.
 *
 * Threads: a pipeline serves one thread at a time, which need not always be the same. Different
 * pipelines are independent of each other, and so are functions that take none. Inside, the stages
 * run on settings.threads threads; results do not depend on their number.
 *
 * Errors: what fails returns false or NULL, with a text in *error that names the culprit, its value
 * and the choices. `error` may be NULL. Nothing is printed, and no bad setting, size or value
 * aborts.
 */
#ifndef STX_PIPELINE_H
#define STX_PIPELINE_H

#include "common/colmean/colmean.h"
#include "common/rdp/rdp.h"
#include "common/roadline/roadline_track.h"
#include "common/satdp/satdp.h"
#include "common/sgm/sgm.h"

/* ---- Settings ------------------------------------------------------------------------------ */

/* The input of each frame. */
typedef enum { STX_PIPELINE_PAIRS, STX_PIPELINE_DISPARITIES } StxPipelineSource;

/* The algorithm that makes the stixels: the dynamic programme, whose stixels are ground, object or
 * sky; or Ramer-Douglas-Peucker, whose segments have no kind (STX_KIND_SEGMENT) and know of no
 * road; or the dynamic programme that expects wrong disparities, which takes several times as long
 * and is otherwise as the first, stage, parameters and all. */
typedef enum { STX_PIPELINE_SATDP, STX_PIPELINE_RDP, STX_PIPELINE_FULLDP } StxPipelineModel;

/* Cells at which satdp may begin a stixel: all, or those where rdp cuts, which is faster. */
typedef enum { STX_PIPELINE_CUTS_ALL, STX_PIPELINE_CUTS_RDP } StxPipelineCuts;

typedef enum {
  STX_STAGE_SGM,
  STX_STAGE_COLMEAN,
  STX_STAGE_ROADLINE,
  STX_STAGE_RDP,
  STX_STAGE_SATDP,
  STX_STAGE_COUNT
} StxStage;

/*
 * Take the defaults, then change what you like. Ranges and units of the stages' parameters are
 * beside their fields in the headers of the stages. width and height in `sgm` and the grids are
 * filled in by stx_pipeline_new, and so are all grids but that of `colmean`.
 */
typedef struct {
  StxPipelineSource source;
  StxSgmParams sgm;         /* of pairs */
  StxColmeanParams colmean; /* grid.cell_width, grid.cell_height: 1…128 px; grid.classes:
                               STX_LABEL_CLASSES for Cityscapes' labels, say, 0 without semantics;
                               disparity: what given ones mean */
  StxRoadMode ground;       /* of the dynamic programmes: where their road comes from */
  StxPipelineModel model;
  StxSatdpParams satdp;  /* of the dynamic programmes */
  StxPipelineCuts cuts;  /* likewise */
  StxRdpParams cuts_rdp; /* of STX_PIPELINE_CUTS_RDP */
  StxRdpParams rdp;      /* of STX_PIPELINE_RDP */
  bool use_confidence;   /* weight disparities with their confidence, else all are certain */
  StxBackend backend;    /* of all stages: AUTO, OMP, or C: the slow reference */
  int threads;           /* 0…256; 0: one per core that this process may use */
} StxPipelineSettings;

/* Those of the elements, which work on KITTI: pairs, the range of disparities from the pictures,
 * cells of 8 × 8 pixels, no semantics, but a label map for Cityscapes' train ids; the road from the
 * camera if it is known, else from the frames; satdp at every cell; all cores. */
STX_API StxPipelineSettings stx_pipeline_defaults(void);

/* True if these settings need a stage. */
STX_API bool stx_pipeline_has(const StxPipelineSettings *settings, StxStage stage);

/* "sgm" … "satdp", for tables; lives as long as the library. NULL for what is no stage. */
STX_API const char *stx_stage_name(StxStage stage);

/* ---- The pipeline -------------------------------------------------------------------------- */

/* Settings, code for this machine and memory for frames of one size. Opaque. */
typedef struct StxPipeline StxPipeline;

/*
 * A pipeline for frames of width × height pixels (1…16384 each for pairs, 1…32768 for disparities;
 * satdp takes up to STX_MAX_ROWS rows of cells), or NULL, with nothing left to free. `settings` is
 * copied. Free with stx_pipeline_free(), which accepts NULL.
 */
STX_API StxPipeline *stx_pipeline_new(
    const StxPipelineSettings *settings, int width, int height, StxError *error);
STX_API void stx_pipeline_free(StxPipeline *pipeline);

/* The next frame begins a new stream: nothing of the road so far is kept. So does a frame with
 * another camera. Only ground estimates and the kinds of stixels depend on earlier frames. */
STX_API void stx_pipeline_reset(StxPipeline *pipeline);

/* ---- A frame ------------------------------------------------------------------------------- */

/*
 * The inputs of a frame; zero if there are none. Every image has the pipeline's width and height,
 * any alignment that its type allows, rows any number of bytes apart that do not overlap (from the
 * bottom up if negative). Images stay the caller's, are only read, and only while _run runs.
 */
typedef struct {
  StxImage8 left, right; /* PAIRS: gray values of a rectified pair */
  StxImage16 disparity;  /* DISPARITIES: of the left image, 1/256 px, 0 unknown, or what
                            colmean.disparity says */
  StxImageFloat floats;  /* DISPARITIES: in place of it, where that says float32 */
  StxImage8 confidence;  /* DISPARITIES: 0…255 = 255 · probability of being right; data NULL: all
                            are certain */
  bool confidence_is_sky; /* DISPARITIES: that of an unknown one says how surely it is sky, as the
                             output of PAIRS does */
  StxImage8 labels;       /* colmean.semantics LABELS: values that colmean.label_map knows */
  const void *scores; /* colmean.semantics SCORES_*: as in StxColmeanInput, with these strides */
  ptrdiff_t class_stride, row_stride, pixel_stride; /* bytes, pixel_stride not 0 */
  int score_shift;  /* 0…3: scores of 1 / 2^shift of the width and of the height, rounded up */
  StxCamera camera; /* of the left image; all 0: unknown. Finite, lengths >= 0, |pitch| <= π/2. One
                       of another image size is scaled, see stx_camera_fit() */
} StxPipelineInput;

/*
 * The result of a frame. The memory behind the pointers belongs to the pipeline until its next run,
 * or its end; the caller may write there meanwhile.
 */
typedef struct {
  const StxStixel *stixels; /* `count` records, sorted by column, then from the bottom up; every
                               row of every column is in exactly one (stixel.h) */
  size_t count;
  StxGrid grid;            /* image and cell size, number of classes */
  StxCamera camera;        /* of the image: the input's, scaled where that named another size. With
                              it and stx_metres() (metres.h) a stixel has a place in metres */
  int infinity;            /* of PAIRS: the disparity at infinity that it was matched with, px */
  const void *columns;     /* what was segmented: stx_grid_bytes(&grid) bytes (columns.h) */
  StxImage16 disparity;    /* what was reduced: the pipeline's own, or the caller's, without
                              data where that were floats */
  StxImage8 confidence;    /* likewise; data NULL: none was used */
  const StxRoadLine *line; /* the road; NULL: none was found or asked for */
  uint64_t pairs;          /* of satdp: (start, end, kind) triples that there are */
  uint64_t evaluated;      /* of satdp: triples that cuts and exact pruning left */
  double ms[STX_STAGE_COUNT]; /* wall-clock time; 0 where a stage does not run */
} StxPipelineOutput;

/*
 * One frame; the next of a stream. On failure *output is all zero and the pipeline may go on with
 * the next frame. Fails if an image that the settings need is missing, has another size or rows
 * that are too short, if there is one that they do not provide for (a disparity for PAIRS, left or
 * right for DISPARITIES), and if ground is CALIBRATION but the camera lacks a number,
 * and if the camera is that of another image which cannot be scaled to this size.
 *
 * Cost with defaults, 1242 × 375: about 18 ms on two cores with AVX-512, most of it for sgm.
 */
STX_API bool stx_pipeline_run(StxPipeline *pipeline, const StxPipelineInput *input,
    StxPipelineOutput *output, StxError *error);

/*
 * Takes what the camera's motion says of the last frame of PAIRS: by how many pixels its
 * disparities are too large, and the standard deviation (StxEgomotionResult). If sgm.infinity is
 * open and several frames in turn agree (sgm_range.h), infinity moves with the next frame: true.
 * Motions compare two frames' disparities, so call stx_egomotion_reset() before a frame of another
 * output->infinity.
 */
STX_API bool stx_pipeline_correct(StxPipeline *pipeline, double offset, double deviation);

#endif
