/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval obstacles --sequence: a real street whose camera's places are known. */
#ifndef STX_EVAL_SEQUENCE_H
#define STX_EVAL_SEQUENCE_H

#include "common/egomotion/motion.h"
#include "common/obstacles/obstacles.h"
#include "examples/shared/lidar_scans.h"
#include "examples/stx-eval/stx_eval.h"

/* ---- Frames --------------------------------------------------------------------------------- */

/* A folder in the layout of KITTI's odometry benchmark: image_2 and image_3 (or image_0 and
 * image_1), calib.txt, poses.txt, times.txt or ten frames a second, and where there are any,
 * velodyne/ with labels/. */
typedef struct {
  char name[256];
  char *folder;
  const char *calibration; /* in place of calib.txt, or NULL */
  GPtrArray *names;        /* of the left pictures, sorted */
  double *poses;           /* of each frame 12 numbers, by rows: to the axes of the first */
  double *times;           /* of each frame, seconds */
  LidarSet scans;          /* paths NULL: there are none */
} EvalSequence;

bool eval_sequence_open(
    EvalSequence *sequence, const char *folder, const char *calibration, StxError *error);
bool eval_sequence_load(EvalSequence *sequence, size_t index, EvalFrame *frame, StxError *error);
void eval_sequence_close(EvalSequence *sequence);

/* The camera's motion to this frame, by the poses. */
StxMotion eval_sequence_motion(const EvalSequence *sequence, size_t index);

/* ---- Scores --------------------------------------------------------------------------------- */

typedef enum { SPEED_CLOSING, SPEED_LATERAL, SPEED_COUNT } SpeedKind;

/* Of things that stand, in one range of distances, in the ranges of eval_ranges. */
typedef struct {
  uint64_t standing;                            /* obstacles */
  uint64_t said[SPEED_COUNT];                   /* that have a speed */
  uint64_t wide[SPEED_COUNT], far[SPEED_COUNT]; /* of these off by more than 1.5 and 3 m/s */
} SpeedScore;

/* The velocity over ground of an obstacle, back and to the right: its speeds less those of one
 * that stands there, over `dt` seconds. */
void eval_speed_over_ground(
    const StxMotion *motion, double dt, const StxObstacle *o, double speed[SPEED_COUNT]);

/* Adds one; returns whether it is off by more than 1.5 m/s. `speed` as above. */
bool eval_speed_add(SpeedScore *score, const double speed[SPEED_COUNT]);

/* As {"said", "off_1_5", "off_3"} of each kind. */
json_t *eval_speed_json(const SpeedScore *score, const char *name);

typedef struct {
  uint64_t frames, obstacles;
  bool labelled; /* else everything counts as standing */
  SpeedScore speed[EVAL_RANGES];
  uint64_t moving;                /* obstacles most of whose points move */
  uint64_t things, found;         /* labelled ones that stand, in frames */
  uint64_t on_road;               /* obstacles most of whose points are road */
  uint64_t ids;                   /* that were given */
  uint64_t stixels, known, wrong; /* of obstacles that stand; with a velocity; off by 1.5 m/s */
  double life, life_of_most;      /* medians, frames: of the ids; of the ids of all obstacles */
  double stay; /* share of the ids that are seen in 7 frames, if they stay in view */
  double ms;
} SequenceScore;

typedef struct SequenceJudge SequenceJudge;
SequenceJudge *sequence_judge_new(SequenceScore *score, FILE *log);

/* `motion` of the frame: what stands has its speed, over `dt` seconds. */
void sequence_judge(SequenceJudge *judge, const EvalFrame *frame, const StxMotion *motion,
    double dt, const StxObstaclesResult *result);

/* Fills in what is known in the end, and frees the judge. */
void sequence_judge_finish(SequenceJudge *judge);

/* As JSON, or the same as a table. */
void sequence_print(FILE *out, const char *name, const SequenceScore *score, bool json);

#endif
