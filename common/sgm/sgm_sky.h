/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sky in a stereo pair: where a matcher has nothing to match, and smears the disparities of
 * trees and houses over it. The last step of semi-global matching, when StxSgmParams.sky is set.
 *
 * Sky is smooth, reaches the top edge, and is infinitely far; ceilings and walls are only the
 * first two. Nothing in the sky matches better at a disparity than at 0, and where the sky ends,
 * something is far. Limits are shares of the picture's width and brightness, so that another
 * camera, a darker picture or another scale have the same sky. A picture may have none. Gray values
 * are those of the left picture.
 *
 *   tiles       of 4 × 4 pixels; at the right and lower border its pixels repeat. The span of a
 *               tile is that of its gray values and those of the 8 tiles around it
 *   blank       tiles whose mean gray value is at most STX_SGM_SKY_BLANK: what a rectification
 *               leaves black around a picture, with a camera's noise. They are not part of it
 *   level       the mean of the other tiles' sums, rounded down
 *   range       a fifth of the mean gray value, but at least the noise: STX_SGM_SKY_NOISE, if a
 *               20th of the tiles themselves span at most STX_SGM_SKY_FLAT gray levels; else 5/2 of
 *               the least of STX_SGM_SKY_ROUGH and ROUGHER that a 20th span at most; else
 *               STX_SGM_SKY_NOISIEST
 *   ground      the mean of the sums of those that are not blank and whose disparity at the centre
 *               is known and above width / STX_SGM_SKY_FAR, rounded down: without the sky itself,
 *               which may fill most of the picture
 *   smooth      tiles whose span is at most the range, or an eighth of their own mean gray value:
 *               bright light is noisy. No blank ones
 *   samples     of the smooth tiles every second, as on a chessboard, if the disparities at its
 *               centre p and at that of one or both of the tiles two to the left and two to the
 *               right are known and above width / STX_SGM_SKY_FAR. A sample votes the mean over
 *               these two of C(p,0) − C(p,d), rounded towards 0, with the costs C of sgm.h and
 *               their disparities d, rounded: positive if p matches at d, about 0 if it matches
 *               nowhere. Its own disparity is no witness: as the best of many it matches noise, too
 *   near        tiles where the votes of the samples among the 5 × 5 tiles around are at least
 *               STX_SGM_SKY_NEAR and more than a sixth of their costs C(p,0)
 *   candidates  tiles that are not near and are smooth, or whose disparity at the centre is known
 *               and at most width / STX_SGM_SKY_FAR, if their sum is at least 5/4 of the level or
 *               twice the ground (clouds); no blank ones
 *   patches     candidates whose 8 neighbours are candidates (what is outside of the image counts
 *               as one), connected by their sides, with at least one of them at the top edge. So no
 *               narrow gap connects the sky with a wall. Where a column begins with blank tiles,
 *               the first such tile is at the top edge if it is at most STX_SGM_SKY_EDGE below
 *               them. Two in a column are also connected if they are smooth together, all below
 *               STX_SGM_SKY_WHITE, and if of the 1 … STX_SGM_SKY_WIRE + 4 other tiles between them
 *               at most STX_SGM_SKY_WIRE are not so with the lower one: the sky behind a wire, of
 *               which it makes two tiles on each side rough
 *   enclosed    patches without a tile at the top edge, such as the sky below a bridge, if no
 *               other patch is above them in some column that does not begin with blank tiles. The
 *               rules of open patches, those at the top edge, are not theirs
 *   outline     of a patch: whatever is three tiles to the left, to the right, above or below one
 *               of its tiles, if that and the tile before it are no candidates and the disparity d
 *               of the pixel p at its centre is known, and it is not blank. i is its column. A
 *               tile may count up to four times
 *   seen        tiles of an outline whose C(p,d), d rounded, is at most half of C(p,d + k), k = 8,
 *               16, 32 and STX_SGM_SKY_NEARER, where these are in the picture. Noise and level
 *               edges match as well anywhere, so that a disparity found there says nothing. Seen
 *               tiles are far if d < width / 80
 *   one plane   an outline of at least STX_SGM_SKY_OUTLINE tiles that fit d = a·i + b, least
 *               squares, with a mean square of what is left of at most 1/32 of their mean's square
 *   brightness  of a patch: the mean of its sums over the level, in sixteenths, rounded down; at
 *               most 63
 *   matchless   a patch whose votes are at most a quarter of its samples' costs and a 32nd of its
 *               tiles
 *   rest        the mean of the sums of all that is neither blank nor in an open patch, rounded
 *               down
 *   glares      a patch whose mean sum is at least STX_SGM_SKY_GLARE sixteenths of the rest's: the
 *               sky gives the light that all else returns a part of. STX_SGM_SKY_BURNT if three
 *               quarters of its tiles have no gray value below STX_SGM_SKY_CLIPPED, since then the
 *               camera hides how bright it is
 *   sure        matchless patches of at least one tile in STX_SGM_SKY_SMALL of the frame's that
 *               have an outline of at least STX_SGM_SKY_OUTLINE tiles. At least STX_SGM_SKY_SEEN
 *               of it are far, a tenth of it, and 3/8 of what is seen; three quarters if the patch
 *               has less than twice that size or is dark: darker than STX_SGM_SKY_DARK or than 9/8
 *               of the rest, as ceilings are. The outline of a dark one is not in one plane, and a
 *               quarter of it is far. If no bright one is sure, those of twice that size that glare
 *               and whose outline is not in one plane. The sky is seldom darker than the rest: dark
 *               ones are sure only if no other is. The brightness of all is that of the largest
 *               (ties: the leftmost at the top edge) within a factor of 2
 *   the sky     the matchless patches whose brightness is that of a sure one within a factor of
 *               1.2, or of 1.5 if less than a quarter of their tiles are samples. A wall is none:
 *               its outline is in one plane or, if some of it is seen, less than
 *               STX_SGM_SKY_OUTLINE tiles, and less than an eighth of what is seen of it is far;
 *               and it has as few samples as that, or votes of more than a tenth of their costs
 *               So are matchless enclosed ones of eight times the least size, if less than a
 *               quarter of their tiles are samples, their brightness is at least
 *               STX_SGM_SKY_ENCLOSED, and their outline is not in one plane, and far as a sure
 *               one's and in seven eighths of what is seen: a white house below its roof is none
 *   growth      STX_SGM_SKY_GROWTH times, other tiles become sky, near ones and those of other
 *               patches too: beside the sky, its gray values say more than weak votes. They are
 *               smooth together with the tiles of the sky beside, above and below them. The grays
 *               of a tile of the sky's patches are its own; those of a tile that becomes sky are
 *               the ones of these tiles, so that the sky does not become another one step by step
 *   margin      and those pixels of the 5 × 5 tiles around each of theirs (STX_SGM_SKY_RIM) whose
 *               gray value spans, together with the grays of the tiles of the sky among the 5 × 5
 *               around the pixel's own, at most the range or a fifth of the least of these tiles'
 *               grays: the sky between leaves
 *
 * There the disparity becomes unknown and the confidence 255: how sure it is that there is nothing
 * to measure. (Elsewhere the confidence of an unknown disparity is 0.)
 */
#pragma once

#include "common/sgm/sgm.h"

#define STX_SGM_TILE 4
#define STX_SGM_SKY_NOISE 6
#define STX_SGM_SKY_FLAT 8
#define STX_SGM_SKY_ROUGH 11
#define STX_SGM_SKY_ROUGHER 15
#define STX_SGM_SKY_NOISIEST 50
#define STX_SGM_SKY_BLANK 5
#define STX_SGM_SKY_EDGE 4
#define STX_SGM_SKY_DARK 16
#define STX_SGM_SKY_ENCLOSED 24
#define STX_SGM_SKY_GLARE 36
#define STX_SGM_SKY_BURNT 28
#define STX_SGM_SKY_CLIPPED 250
#define STX_SGM_SKY_FAR 700
#define STX_SGM_SKY_NEAR 16
#define STX_SGM_SKY_NEARER 64 /* px */
#define STX_SGM_SKY_WIRE 2
#define STX_SGM_SKY_RIM 2
#define STX_SGM_SKY_WHITE 255
#define STX_SGM_SKY_GROWTH 20
#define STX_SGM_SKY_SMALL 512
#define STX_SGM_SKY_OUTLINE 8
#define STX_SGM_SKY_SEEN 5
#define STX_SGM_SKY_CONFIDENCE 255

/* Bytes of scratch, aligned to STX_ALIGN. */
size_t stx_sgm_sky_scratch(const StxSgmParams *params);

/* Finds the sky of a pair on the host and marks it in `disparity` and `confidence` (data may be
 * NULL). Images as in StxSgmImpl; the result does not depend on `threads`. */
void stx_sgm_sky(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, void *scratch, int threads);
