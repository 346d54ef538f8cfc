/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The verdict on a pair, from the evidence of pair.h, and on the pairs of a second.
 *
 * A pair is measured with few rows first, which is cheap; whatever is not plausible then is
 * measured again with STX_PAIR_MAX_REACH rows and distinct points. A watch asks for one pair a
 * second as long as all is well, and for more as long as it is not. It warns once when pairs have
 * been implausible, none of them plausible, for a second and three pairs at least, and tells when
 * they have been plausible again for as long. A pair of which nothing can be said changes nothing;
 * after two seconds of these the watch begins anew. A stream that ends sooner, such as a pair of
 * pictures, is warned of at its end if most of its pairs have been implausible, and none plausible.
 *
 * Limits: an offset of a row, a scale within one per cent, and two moments between which nothing
 * has moved are plausible. What both views lack (night, fog, a white wall, strong noise) leaves a
 * pair unknown as long as some place has texture. A scale and a forward motion between the views
 * look the same while it is small.
 */
#pragma once

#include "common/pair/pair.h"

typedef enum {
  STX_PAIR_UNKNOWN,   /* too few points, or too few that are found again */
  STX_PAIR_PLAUSIBLE, /* from here on: implausible */
  STX_PAIR_SWAPPED,
  STX_PAIR_ROWS,        /* the views are shifted, or turned, against each other */
  STX_PAIR_UNRECTIFIED, /* turned against each other, by angles that are known */
  STX_PAIR_SCALED,      /* one is larger */
  STX_PAIR_TURNED,      /* points lie in one column: turned by a quarter, or one above the other */
  STX_PAIR_MOMENT,      /* points are found again, but wherever */
  STX_PAIR_UNRELATED,   /* hardly a point is found again, of many */
  STX_PAIR_DARK_LEFT,
  STX_PAIR_DARK_RIGHT,
  STX_PAIR_BLANK, /* no place of either view has texture */
  STX_PAIR_SAME,  /* twice the same picture */
  STX_PAIR_VERDICTS
} StxPairVerdict;

typedef struct {
  StxPairVerdict verdict;
  StxPairEvidence evidence;
  int width, height;
} StxPairFinding;

/* "unknown", "plausible", "swapped", "rows", "unrectified", "scaled", "turned", "moment",
 * "unrelated", "dark-left", "dark-right", "blank", "same". */
STX_API const char *stx_pair_name(StxPairVerdict verdict);

StxPairVerdict stx_pair_judge(const StxPairEvidence *evidence);

/* Measures and judges; the arguments are those of stx_pair_measure. Small pictures are unknown. */
STX_API void stx_pair_examine(int max_disparity, const StxImage8 *left, const StxImage8 *right,
    void *scratch, StxPairFinding *finding);

/* Degrees by which the right camera is turned against the left one, of an unrectified pair, if the
 * focal length is the width of a picture. Pitch includes a difference of the principal points. Yaw
 * and the direction of the baseline are not among them: lenses that bend lines look like these. */
typedef struct {
  double pitch, roll;
} StxPairAngles;
STX_API StxPairAngles stx_pair_angles(const StxPairFinding *finding);

/* The fault and the cure, as a sentence without a full stop. */
STX_API void stx_pair_describe(const StxPairFinding *finding, char text[256]);

/* ---- Over time ----------------------------------------------------------------------------- */

typedef enum { STX_PAIR_NO_NEWS, STX_PAIR_WARN, STX_PAIR_CLEARED } StxPairNews;

/* {0}, also to begin anew. Times in nanoseconds. */
typedef struct {
  StxPairFinding finding; /* the last one that was not unknown; {0}: none */
  StxPairVerdict said;    /* what was warned of; UNKNOWN: nothing */
  int64_t next;           /* when to look again */
  int64_t last, since;    /* the last verdict that was not unknown; the first of the current ones */
  int seen;               /* number of current verdicts */
  int unknown;            /* pairs since, of which nothing could be said */
  int looks, bad;         /* pairs in all, implausible ones */
  bool plausible;         /* a pair has been plausible */
  int seen_as[STX_PAIR_VERDICTS];
} StxPairWatch;

/* Is the pair of this time to be examined? Also true where time has gone back. */
bool stx_pair_watch_is_due(const StxPairWatch *watch, int64_t time);

/* After WARN, finding->verdict is `said`. */
StxPairNews stx_pair_watch_note(StxPairWatch *watch, int64_t time, const StxPairFinding *finding);

/* The stream is over: WARN if that is due, of watch->finding. */
StxPairNews stx_pair_watch_end(StxPairWatch *watch);
