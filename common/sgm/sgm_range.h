/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two numbers that the pictures themselves give: the range of disparities that they need, for
 * max-disparity=auto, and the disparity at infinity, if they prove that it is not 0.
 *
 * A look: both views are shrunk to an eighth, each pixel the rounded mean of 8 × 8 (outside the
 * image the border repeats). The last 8 columns of the left one and the first 8 of the right one
 * are left out, unless it has no more than 16, and the rest is matched by full search with 64
 * candidates: disparities of −64 … 447 px. Texture and uniqueness are stricter than for the result,
 * because a surface without contrast would match anywhere.
 *
 *   range    the least D of 64, 128 and 256 for which at most a hundredth of the shrunk pixels has
 *            a disparity of D − 16 and more: a window of the matcher's candidates is left free
 *            for what comes nearer. 256 if there is none.
 *   infinity Nothing is farther than infinity, so negative disparities prove that infinity is not
 *            at 0. That is believed if a quarter of the shrunk pixels is known, a twentieth has
 *            less than −2 px, another one 2 px and more (else the views are exchanged), and no
 *            fiftieth of the known ones less than −48. Then the views are matched in full size,
 *            from −64 to 63 px, and infinity is the disparity, in whole pixels, that a twentieth of
 *            the known pixels does not reach. Positive ones alone prove nothing: all may be near.
 *            If more than an eighth of the shrunk pixels is known, and at most a twentieth of these
 *            below width / 160 − 3, the views are matched in full size from 0 to 255 px, and
 *            parallel edges tell where they meet (sgm_vanishing.h). What uprights say counts if a
 *            hundredth of the picture is then sky (sgm_sky.h).
 *   motion   While the camera moves, near and far things pass at speeds that show their depths but
 *            for one factor; so a constant by which all disparities are off is found with its
 *            motion (egomotion.h). If it is 1.5 px and five standard deviations for 5 pairs in
 *            turn, infinity moves by as many whole pixels.
 *   in time  The first pair of a stream is looked at, then every fourth. A larger range counts at
 *            once; a smaller one after 16 looks in a row that all ask for less, and then the
 *            largest of these. Infinity is found in one of the first 8 looks, or stays 0.
 *
 * All of it is integers on the host, wherever the pair is matched afterwards: every implementation
 * of the matcher gets the same numbers for the same stream.
 */
#pragma once

#include "common/sgm/sgm.h"

#define STX_SGM_RANGE_SHRINK 8
#define STX_SGM_RANGE_COUNT 64     /* candidates of the shrunk views */
#define STX_SGM_RANGE_BEFORE (-64) /* px, the first of these */
#define STX_SGM_RANGE_PIXELS (STX_SGM_RANGE_SHRINK * STX_SGM_RANGE_COUNT)
#define STX_SGM_RANGE_FREE 16 /* px below the end of the range that should stay free */
#define STX_SGM_RANGE_LOOKS 4 /* pairs from look to look */
#define STX_SGM_RANGE_CALM 16 /* looks before the range becomes smaller */
#define STX_SGM_RANGE_TRIES 8 /* looks that may find infinity */

/* The disparities of a pair at a glance. */
typedef struct {
  uint32_t counts[STX_SGM_RANGE_PIXELS]; /* shrunk pixels with −64, −63 … px, rounded down */
  uint32_t known, pixels;                /* these, and all */
} StxSgmReach;

/* Shrunk pixels with a disparity of so many pixels and more. */
uint32_t stx_sgm_reach_from(const StxSgmReach *reach, int disparity);

/* The range for this pair alone. */
int stx_sgm_range_choose(const StxSgmReach *reach);

/* True if infinity is not at 0. */
bool stx_sgm_range_is_negative(const StxSgmReach *reach);

/* True if nothing tells that it is below `width` / 160. */
bool stx_sgm_range_may_be_positive(const StxSgmReach *reach, int width);

/* ---- Over time ----------------------------------------------------------------------------- */

/* {0}: a stream begins. */
typedef struct {
  int max_disparity; /* the range that is needed; 0: no pair so far */
  int infinity;      /* in force; given or found */
  int wait;          /* pairs until the next look */
  int calm, smaller; /* looks in a row that ask for less; the largest of these */
  int tries;         /* looks so far, up to STX_SGM_RANGE_TRIES */
  int nearer;        /* thousandths of the picture beyond a range that is given */
  int off;           /* pairs in turn by whose motion infinity lies elsewhere */
} StxSgmRange;

/* A pair comes. True: it must be looked at. */
bool stx_sgm_range_is_due(StxSgmRange *range);

/* Takes a look at that pair into account for the range. */
void stx_sgm_range_note(StxSgmRange *range, const StxSgmReach *reach);

/* Bytes that the next look needs at most, aligned to STX_ALIGN; params: those of the match. */
STX_API size_t stx_sgm_range_scratch(
    const StxSgmParams *params, const StxSgmRange *range, int threads);

/* A look at views on the host: at whatever of range and infinity `params` leaves open, and whether
 * a given range is too small. */
STX_API bool stx_sgm_range_look(const StxSgmParams *params, const StxImage8 *left,
    const StxImage8 *right, void *scratch, const StxPlace *place, StxSgmRange *range,
    StxError *error);

/* Takes into account what the camera's motion says (StxEgomotionResult) of a pair that was matched
 * with `range`. True: infinity moved, by whole pixels. */
STX_API bool stx_sgm_range_correct(StxSgmRange *range, double offset, double deviation);

/* Fills in what `params` leaves open. */
void stx_sgm_range_apply(const StxSgmRange *range, StxSgmParams *params);

/* ---- Infinity ------------------------------------------------------------------------------ */

/* A pair and the result for it. */
typedef struct {
  StxSgmParams params;
  StxImage8 left, right;
  StxImage16 disparity;
  StxImage8 confidence; /* data may be NULL */
} StxSgmJob;

/* Leaves out the columns that params.infinity says, which becomes 0. False: none is left. The
 * result's columns outside are the caller's to make unknown. */
bool stx_sgm_count_from_infinity(StxSgmJob *job);
