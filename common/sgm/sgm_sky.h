/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sky in a stereo pair: where a matcher has nothing to match, and smears the disparities of
 * trees and houses over it. The last step of semi-global matching, when StxSgmParams.sky is set.
 *
 * Sky is bright, smooth, reaches the top edge, and is infinitely far. What is the first three but
 * not the last is a wall: there the pictures agree better at the disparity that was found than
 * at 0, and what it ends at, such as its windows and edges, is near and stands in one plane. What
 * the sky ends at stands here and there, and some of it is far. Gray values are those of the left
 * picture.
 *
 *   tiles       of 4 × 4 pixels, smaller at the right and lower border
 *   candidates  tiles whose mean is at least 3/4 of the frame's, and at least STX_SGM_SKY_DARKEST,
 *               and which span with the 8 tiles around them at most STX_SGM_SKY_RANGE gray levels,
 *               or whose disparity at the centre is known and at most STX_SGM_SKY_FAR (clouds)
 *   patches     candidates connected by their sides, with at least one of them at the top edge. Two
 *               in a column are also connected if 1 … STX_SGM_SKY_WIRE tiles are between them, none
 *               of which is a candidate, and if the two span together at most
 *               STX_SGM_SKY_RANGE gray levels, all below STX_SGM_SKY_WHITE: the sky behind a wire
 *   samples     of a patch: candidates whose 8 neighbours are candidates, too (what is outside of
 *               the image counts as one), if the disparity of the pixel p at their centre is known.
 *               A sample votes C(p,0) − C(p,d), with the costs C of sgm.h and d the disparity,
 *               rounded: positive if it matches at d, about 0 if it matches nowhere.
 *   outline     of a patch: whatever is two tiles to the left, to the right, above or below one of
 *               its tiles, if that and the tile between are no candidates and the disparity d at
 *               its centre is known. i is its column. A tile may count up to four times
 *   wall        a patch with an outline of at least STX_SGM_SKY_OUTLINE tiles, at most 1 in 16 of
 *               which have d < width / 144 pixels, and which fit d = a·i + b, least squares, with a
 *               mean square of what is left of at most a twentieth of their mean's square. But not
 *               if at least half of the tiles are samples with a mean vote of at most .6
 *   brightness  of a patch: its mean gray value over the frame's, in sixteenths, rounded down; at
 *               most 4
 *   far         a patch whose mean vote is at most .8 · (1 + its brightness, at most 3)
 *               + .2 · tiles / samples
 *   the sky     of the far patches that are no walls the one with the most tiles, which count twice
 *               if one in eight is a sample (ties: the leftmost at the top edge), and those of them
 *               whose brightness differs from its by a factor of at most 1.8. (A white house has no
 *               texture either, nor samples; it is brighter than a sky that has.) Also those far
 *               walls a quarter of whose tiles are samples, if their brightness is its to a tenth:
 *               the sky between two trees
 *   behind      and those other patches that go on where the sky was hidden: meetings are pairs of
 *               one of their tiles and one of the sky in the same row, with 1 … STX_SGM_SKY_HIDDEN
 *               tiles between them, none of which is a candidate, and with no pixel of
 *               STX_SGM_SKY_WHITE. There are at least STX_SGM_SKY_MEETINGS, and in at least 3/4 of
 *               them the means differ by at most STX_SGM_SKY_STEP gray levels
 *   growth      STX_SGM_SKY_GROWTH times, tiles of no patch become sky: those that span, together
 *               with the grays of the tiles of the sky beside, above and below them, at most
 *               STX_SGM_SKY_RANGE gray levels. The grays of a tile of a patch are its own; those of
 *               a tile that becomes sky are the ones of these tiles, so that the sky does not
 *               become another one step by step. From patches of less than one tile in
 *               STX_SGM_SKY_SMALL of the frame's nothing grows: there most errors are
 *   margin      and those pixels of the 5 × 5 tiles around each of theirs (STX_SGM_SKY_RIM) whose
 *               gray value spans, together with the grays of the tiles of the sky among the 5 × 5
 *               around the pixel's own, at most STX_SGM_SKY_RANGE gray levels: the sky between
 *               leaves
 *
 * There the disparity becomes unknown and the confidence 255: how sure it is that there is nothing
 * to measure. (Elsewhere the confidence of an unknown disparity is 0.)
 */
#ifndef STX_SGM_SKY_H
#define STX_SGM_SKY_H

#include "common/sgm/sgm.h"

#define STX_SGM_TILE 4
#define STX_SGM_SKY_RANGE 20
#define STX_SGM_SKY_DARKEST 32
#define STX_SGM_SKY_FAR (3 * STX_DISPARITY_ONE / 2)
#define STX_SGM_SKY_WIRE 4
#define STX_SGM_SKY_RIM 2
#define STX_SGM_SKY_WHITE 255
#define STX_SGM_SKY_HIDDEN 40
#define STX_SGM_SKY_MEETINGS 8
#define STX_SGM_SKY_STEP 6
#define STX_SGM_SKY_GROWTH 6
#define STX_SGM_SKY_SMALL 256
#define STX_SGM_SKY_OUTLINE 8
#define STX_SGM_SKY_CONFIDENCE 255

/* Bytes of scratch, aligned to STX_ALIGN. */
size_t stx_sgm_sky_scratch(const StxSgmParams *params);

/* Finds the sky of a pair on the host and marks it in `disparity` and `confidence` (data may be
 * NULL). Images as in StxSgmImpl; the result does not depend on `threads`. */
void stx_sgm_sky(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, void *scratch, int threads);

#endif
