/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stx-eval: frames with truth in, measures out. A data set (stx_eval_kitti.c, stx_eval_street.c)
 * loads frames, stx_eval.c runs the pipeline and scores them, stx_eval_report.c prints.
 */
#ifndef STX_EVAL_H
#define STX_EVAL_H

#include <jansson.h>
#include <stdio.h>

#include "common/egomotion/motion.h"
#include "common/metrics/metrics.h"
#include "common/pipeline/pipeline.h"
#include "common/scene/scene.h"

/* ---- Frames ------------------------------------------------------------------------------- */

/* Truth at pixels that both cameras see, and at all pixels. */
typedef enum { TRUTH_NOC, TRUTH_ALL, TRUTH_COUNT } Truth;

/* A point of a LiDAR scan as the left camera sees it. */
typedef struct {
  int x, y;        /* its pixel */
  float disparity; /* pixels, > 0 */
  float depth;     /* metres along the optical axis */
  StxKind kind;    /* ground or object */
  uint32_t label;  /* of the scan: class, and instance in the high 16 bits */
} EvalPoint;

/* All images of one size, all data owned by the frame; data NULL: the data set has none. */
typedef struct {
  char name[64];
  StxImage8 left, right;
  StxImage16 truth[TRUTH_COUNT];
  StxImage8 labels;  /* train ids, STX_LABEL_NONE where not labelled */
  EvalPoint *points; /* of a scan that belongs to the pictures, none hidden; NULL: no scan */
  size_t point_count;
  float *scores; /* of a network, planar, of 1 / 2^score_shift of the size; NULL: none */
  int score_shift;
  StxCamera camera; /* all zero: unknown */
  uint8_t *masks;   /* EvalMask of every pixel, rows without gaps; NULL: none are drawn */
} EvalFrame;

/* Areas drawn by hand. */
typedef enum { EVAL_UNMASKED, EVAL_SKY, EVAL_WALL } EvalMask;

void eval_frame_free(EvalFrame *frame);

/* The path of the picture of a frame or scan, in a folder that is made, to be freed; NULL: none is
 * wanted. */
char *eval_picture_path(const char *folder, const char *name);

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

/* Pairs with labelled scans, in the folders of KITTI's odometry benchmark and SemanticKITTI: below
 * `folder`, in its sub-folders or in sequences/. `calibration` as above. */
bool eval_open_scans(DataSet *set, const char *folder, const char *calibration, StxError *error);

/* Speed and noise of the street, unless something else is asked for. */
#define EVAL_STREET .speed = 10, .noise = 2

/* The pipeline's, but nothing is left to the pictures: results are compared. */
static inline StxPipelineSettings eval_defaults(void)
{
  StxPipelineSettings settings = stx_pipeline_defaults();
  settings.sgm.max_disparity = 128;
  settings.sgm.infinity = 0;
  return settings;
}

/* `frames` frames of the synthetic street.
 * EVAL_SCANS: each has the points of a LiDAR with 64 beams above the left camera.
 * EVAL_FIRST_FRAMES: the first of so many streets, each with the seed after the one before. */
typedef enum { EVAL_FRAMES, EVAL_SCANS, EVAL_FIRST_FRAMES } EvalStreet;
bool eval_open_street(
    DataSet *set, const StxSceneParams *street, size_t frames, EvalStreet kind, StxError *error);

/* 3×4 matrices, row by row: from a scan's points to the rectified cameras' axes, and from there to
 * the pictures. */
typedef struct {
  double left[12], right[12], to_camera[12];
} EvalProjection;

/* Puts the points of a labelled scan that count into the frame; `all`: vegetation, too. False:
 * there is no memory. */
bool eval_add_scan(EvalFrame *frame, const EvalProjection *projection, const float *points,
    const uint32_t *labels, size_t count, bool all);

/* The pictures and the calibration that belong to SEQUENCE/velodyne/X.bin, which need not exist.
 * One without "Tr:" is refused if it `needs_scan`; else the scanner looks straight ahead. */
bool eval_load_beside(const char *scan, const char *calibration, bool needs_scan,
    EvalProjection *projection, EvalFrame *frame, StxError *error);

/* Puts the scores of frame number `index` into the frame: of a folder's files in the order of their
 * names, one for each frame. 19 train ids, planar, float32. */
bool eval_load_scores(const char *folder, size_t index, EvalFrame *frame, StxError *error);

/* Passes the scores to the pipeline. */
void eval_set_scores(const EvalFrame *frame, StxPipelineInput *input);

/* Draws the masks of a frame, where the file has any, see stx_eval_masks.c. Its left picture must
 * be there, and as it was loaded. */
bool eval_draw_masks(const json_t *file, EvalFrame *frame, StxError *error);

/* The options that set a field of the parameters; `context` is a GOptionContext. */
struct _GOptionContext;
void eval_add_parameters(struct _GOptionContext *context, StxPipelineSettings *settings);

/* ---- One column ----------------------------------------------------------------------------- */

/* `stx-eval column …`: argv[0] is "column". See column/column.h. */
bool eval_column(int argc, char **argv, StxError *error);

/* ---- LiDAR --------------------------------------------------------------------------------- */

/* `stx-eval lidar …`: argv[0] is "lidar". */
bool eval_lidar(int argc, char **argv, StxError *error);

/* ---- Motion --------------------------------------------------------------------------------- */

/* `stx-eval motion …`: argv[0] is "motion". */
bool eval_motion(int argc, char **argv, StxError *error);

/* The difference of two motions: a rotation about each axis, radians, and a shift, metres. */
void eval_motion_difference(
    const StxMotion *found, const StxMotion *truth, double turn[3], double shift[3]);

/* ---- Obstacles ------------------------------------------------------------------------------ */

/* `stx-eval obstacles …`: argv[0] is "obstacles". See stx_eval_obstacles.h. */
bool eval_obstacles(int argc, char **argv, StxError *error);

/* ---- Occupancy grids ------------------------------------------------------------------------ */

/* `stx-eval occupancy …`: argv[0] is "occupancy". See stx_eval_occupancy.h. */
bool eval_occupancy(int argc, char **argv, StxError *error);

/* ---- Boxes ---------------------------------------------------------------------------------- */

/* `stx-eval boxes …`: argv[0] is "boxes". */
bool eval_boxes(int argc, char **argv, StxError *error);

/* ---- Hazards -------------------------------------------------------------------------------- */

/* `stx-eval hazards …`: argv[0] is "hazards". See stx_eval_hazards.h. */
bool eval_hazards(int argc, char **argv, StxError *error);

/* ---- What users see ------------------------------------------------------------------------- */

/* Ranges that are told apart, metres: from each to the next, and beyond the last. */
#define EVAL_RANGES 5
extern const double eval_ranges[EVAL_RANGES];
int eval_range_of(double metres);

#define EVAL_ERROR_BINS 1001 /* of a distance's error: steps of .1 % or 1 cm, and what is more */

/* Counts of stixels compared with a scan, and of the sky. Everything adds up. */
typedef struct {
  uint64_t points[2][STX_KIND_SKY + 1][EVAL_RANGES]; /* ground, object: by what they are seen as */
  uint64_t errors[EVAL_RANGES][EVAL_ERROR_BINS];  /* points by error of their distance, .1 % … */
  uint64_t lengths[EVAL_RANGES][EVAL_ERROR_BINS]; /* … and cm */
  uint64_t sky, sky_as_sky, sky_as_near; /* pixels of sky, seen as it, as an object nearer than
                                            100 m */
  uint64_t wall, wall_as_sky;            /* pixels drawn by hand */
} EvalSeen;

/*
 * Adds a frame's points and sky. The sky are the pixels drawn or labelled as such or, without masks
 * and labels, those that are bright, smooth and connected to the top edge through others like them.
 * `kinds` and `disparity` are the stixels', drawn. `picture` (a path, or NULL) becomes a PNG of the
 * left picture with what is wrong in colours, see docs/evaluation.md.
 */
bool eval_seen_add(EvalSeen *seen, const EvalFrame *frame, const StxImage8 *kinds,
    const StxImage16 *disparity, const char *picture, StxError *error);
void eval_seen_merge(EvalSeen *total, const EvalSeen *part);

/* Shares are 0…1; what there are no points or pixels for is null. */
json_t *eval_seen_json(const EvalSeen *seen);

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
  EvalSeen seen;
  double ms[STX_STAGE_COUNT];
} EvalResult;

/* As JSON, or the same as tables. */
void eval_print(FILE *out, const DataSet *set, const StxPipelineSettings *settings,
    const EvalResult *frames, size_t count, const EvalResult *total, bool json);

#endif
