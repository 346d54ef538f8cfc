/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * max-disparity=auto: the range of disparities that the pictures themselves ask for.
 *
 * Both views are shrunk to an eighth, each pixel the rounded mean of 8 × 8 (outside the image the
 * border repeats), and matched by full search with 64 candidates, so up to 512 px. Texture and
 * uniqueness are stricter than for the result, because a surface without contrast would match
 * anywhere. h(d) is the number of shrunk pixels with a known disparity of d … d + 1.
 *
 *   choice   the least D of 64, 128 and 256 for which at most a hundredth of the shrunk pixels has
 *            a disparity of D − 16 and more: a window of the matcher's candidates is left free
 *            for what comes nearer. 256 if there is none.
 *   in time  The first pair of a stream is looked at, then every fourth. A larger choice counts at
 *            once; a smaller one after 16 looks in a row that all ask for less, and then the
 *            largest of these.
 *
 * All of it is integers on the host, wherever the pair is matched afterwards: every implementation
 * of the matcher gets the same range for the same stream.
 */
#ifndef STX_SGM_RANGE_H
#define STX_SGM_RANGE_H

#include "common/sgm/sgm.h"

#define STX_SGM_RANGE_SHRINK 8
#define STX_SGM_RANGE_COUNT 64 /* candidates of the shrunk views */
#define STX_SGM_RANGE_FREE 16  /* px below the end of the range that should stay free */
#define STX_SGM_RANGE_LOOKS 4  /* pairs from look to look */
#define STX_SGM_RANGE_CALM 16  /* looks before the range becomes smaller */

/* The disparities of a pair at a glance. */
typedef struct {
  uint32_t near[STX_SGM_RANGE_COUNT + 1]; /* shrunk pixels with a disparity of 8·i px and more */
  uint32_t pixels;                        /* shrunk pixels, known or not */
} StxSgmReach;

/* Bytes that a look needs, aligned to STX_ALIGN. */
size_t stx_sgm_range_scratch(int width, int height, int threads);

/* A look at views of the same size, on the host. False: this machine has no matcher. */
bool stx_sgm_range_look(const StxImage8 *left, const StxImage8 *right, void *scratch,
    const StxPlace *place, StxSgmReach *reach, StxError *error);

/* The choice for this pair alone. */
int stx_sgm_range_choose(const StxSgmReach *reach);

/* ---- Over time ----------------------------------------------------------------------------- */

/* {0}: a stream begins. */
typedef struct {
  int max_disparity; /* the range in force; 0: no pair so far */
  int wait;          /* pairs until the next look */
  int calm, smaller; /* looks in a row that ask for less; the largest of these */
} StxSgmRange;

/* A pair comes. True: it must be looked at, and the result noted. */
bool stx_sgm_range_is_due(StxSgmRange *range);

void stx_sgm_range_note(StxSgmRange *range, const StxSgmReach *reach);

#endif
