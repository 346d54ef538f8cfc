/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval obstacles: what its files share. docs/evaluation.md has the protocol. */
#ifndef STX_EVAL_OBSTACLES_H
#define STX_EVAL_OBSTACLES_H

#include <stdio.h>

#include "common/obstacles/obstacles.h"
#include "common/scene/scene.h"
#include "examples/stx-eval/stx_eval_sequence.h"

/* ---- ObstacleTruth
 * --------------------------------------------------------------------------------- */

typedef enum { THING_NONE, THING_GROUND, THING_OTHER, THING_VEHICLE, THING_PERSON, THINGS } Thing;

/* The surface seen at a place of the picture, or met by a point. */
typedef struct {
  float z;           /* metres along the optical axis; of a point its range */
  uint16_t instance; /* 0: none */
  uint8_t thing;
  bool seen;      /* the right camera shows it, too, if nothing hides it there */
  float speed[2]; /* over ground, m/s to the right and ahead */
} Sample;

/* Samples column by column, each from the top; of a scan one for each point, in one row. */
typedef struct {
  Sample *samples;
  int across, down;
  StxMotion motion; /* of the camera, to this frame; not of a scan */
} ObstacleTruth;

#define SAMPLE_COLUMNS 2 /* pixels from one to the next */
#define SAMPLE_ROWS 4

/* Of the left picture, or of a scan's points and their true labels. False if there is no memory.
 * Release with free(truth->samples). */
bool truth_of_picture(StxScene *scene, ObstacleTruth *truth);
bool truth_of_scan(
    const float (*points)[4], const uint32_t *labels, size_t count, ObstacleTruth *truth);

/* ---- Scores -------------------------------------------------------------------------------- */

#define ERROR_BINS 1001 /* of distances: steps of .1 %, and what is more */

/* Of vehicles or people. Everything adds up. */
typedef struct {
  uint64_t counted, found; /* objects in frames */
  uint64_t possible;       /* that some choice of the stixels would find */
  uint64_t again, kept;    /* found less than a second before, too; and with the same id */
  uint64_t errors[ERROR_BINS];
  uint64_t speeds; /* of those that have been found for a second */
  double speed_error;
  uint64_t moving, said;              /* of these, what moves over ground; with a speed */
  uint64_t moving_errors[ERROR_BINS]; /* off its velocity over ground, steps of 1 cm/s */
  uint64_t contacts;                  /* that come nearer, and of which it is said when */
  uint64_t contact_errors[ERROR_BINS];
} ThingScore;

/* Obstacles that are in a state, by the truth; that are said to be in one; in the right one. */
typedef struct {
  uint64_t all, said, right;
} StateScore;

typedef struct {
  uint64_t frames, obstacles; /* nearer than the limit: */
  uint64_t ghosts;            /* where nothing stands */
  uint64_t parts;             /* of objects that count, without being one of them */
  double ms;
  ThingScore thing[THINGS];
  SpeedScore standing;                      /* obstacles of what stands */
  StateScore state[STX_MOVES_ONCOMING + 1]; /* by StxMoves */
  uint64_t motions;                         /* of the camera that were found; sums of squares: */
  double motion_error[2];                   /*   radians, metres a frame */
} ObstacleScore;

/* Which objects count: in these distances, with so many samples that both cameras see, in so many
 * columns that have some of them one below the other. */
typedef struct {
  double nearest, farthest;
  uint64_t samples;
  int across;
  double pixel; /* by how much 1/z may be off where something stands, 1/m: a pixel of disparity */
} ObstacleLimits;

#define NO_PIECE UINT32_MAX

/* Judges the frames of one stream; `log`: what is missed, of nothing, or changes its id goes there,
 * or NULL. */
typedef struct ObstacleJudge ObstacleJudge;
ObstacleJudge *obstacle_judge_new(const ObstacleLimits *limits, FILE *log);
void obstacle_judge_free(ObstacleJudge *judge);

/*
 * Adds a frame at `seconds`.
 *
 * members  of every sample the place of its obstacle, or STX_FREE_NO_OBSTACLE
 * pieces   of every sample the object stixel that it lies in, or NO_PIECE; NULL of a scan, whose
 *          points are pieces of their own
 * depths   of every sample the distance that its stixel, or point, has
 */
void obstacle_judge(ObstacleJudge *judge, const ObstacleTruth *truth, const uint16_t *members,
    const uint32_t *pieces, const float *depths, const StxObstaclesResult *result, double seconds,
    ObstacleScore *score);

/* Adds how far a motion that was found is off. */
void obstacle_judge_motion(const StxMotion *found, const StxMotion *truth, ObstacleScore *score);

/* As JSON, or the same as a table. */
void obstacle_print(FILE *out, const char *name, const ObstacleScore *score, bool json);

#endif
