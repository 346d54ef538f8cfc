/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval hazards: stx_eval_hazards.c runs, …_judge.c compares with the street, …_known.c with a
 * list, …_report.c prints.
 */
#ifndef STX_EVAL_HAZARDS_H
#define STX_EVAL_HAZARDS_H

#include "common/hazards/hazards.h"
#include "examples/stx-eval/stx_eval.h"

#define HAZARD_RANGES 3 /* from each of hazard_ranges to the next, metres */
extern const double hazard_ranges[HAZARD_RANGES + 1];

/* Heights of the street's things, then depths of its holes, cm. */
#define HAZARD_SIZES 7
extern const int hazard_sizes[HAZARD_SIZES];

#define HAZARD_BINS 1001 /* of an error: mm; cm of a distance; and what is more */

/* Everything adds up. */
typedef struct {
  uint64_t frames, with_ground;
  uint64_t records[2];                                   /* in the lane: small things, holes */
  uint64_t seen[HAZARD_SIZES][HAZARD_RANGES];            /* of the street, in sight */
  uint64_t found[HAZARD_SIZES][HAZARD_RANGES];           /* and in the records */
  uint64_t other_kind, nothing;                          /* records in the lane: at one of the other
                                                          kind, and where there is none */
  uint64_t heights[HAZARD_BINS], distances[HAZARD_BINS]; /* errors of what was found */
  double ms;
} HazardScore;

/* Adds a frame of the street. `log`: NULL, or where misses and false records are told. */
void hazard_judge(const StxScene *scene, const StxHazardsResult *result, double lane, int frame,
    FILE *log, HazardScore *score);

/* A list of what real frames have, of a file of lines "FRAMES X0 X1 Z0 Z1 WORDS": in the frames
 * "folder/name" that begin with FRAMES there is something from X0 to X1 and from Z0 to Z1 metres.
 * Lines that begin with # are comments. */
typedef struct HazardKnown HazardKnown;
HazardKnown *hazard_known_load(const char *path, StxError *error);
void hazard_known_free(HazardKnown *known);

/* Is the record of that frame at something that is listed? NULL: nothing is. */
bool hazard_is_known(const HazardKnown *known, const char *frame, const StxObstacle *record);

/* Records in a lane that wide, straight ahead. */
bool hazard_in_lane(const StxObstacle *record, double lane);
void hazard_tell(FILE *log, const char *frame, const char *what, const StxObstacle *record);

/* `judged`: false records were counted. */
void hazard_print(
    FILE *out, const char *name, const HazardScore *score, bool street, bool judged, bool json);

#endif
