/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disparity at infinity from what is known of the world in front of a camera. Disparities alone
 * cannot prove one above 0: to them, a far street and a near room are the same. The proofs need a
 * ground (roadline.h; the middles of at most 256 × 256 cells, without what is black as around a
 * rectified picture), and are about the row at which it would end.
 *
 *   far     the disparity that a fiftieth of the known cells does not reach
 *
 * Markings and kerbs are parallel, so that they meet on the ground's vanishing line, where its
 * plane has the disparity of infinity.
 *   edges   blocks of STX_SGM_VANISHING_BLOCK px, half of it apart, whose squares of gray gradients
 *           have one direction (nine tenths of the structure tensor) and lie on a line; no level
 *           ones. The disparities around are the ground's within 1.5 px
 *   votes   a point (x, y) of the line on which the ground has disparity i gets a vote of each edge
 *           below that points to it within a seventieth of the distance; at most 6 of each
 *           direction in which an edge is seen from there. Those of the strongest direction count
 *           as many as the others have: one line has no vanishing point
 *   meeting the i of −2 … 100 with the most votes for a point, at least 20 and 7/5 of the best of
 *           −2 … 2
 *   infinity  Edges say about where it is, what is farthest says it exactly, if it is far:
 *           `meeting` is at least width / 160 (below, the sky needs none) and within
 *           far − width / 64 … far + 3. Then infinity is `meeting`, but at least far − 4 and at
 *           most far
 *
 * Uprights (walls, posts, trunks, people) are parallel, too. They converge downward as much as the
 * camera looks down, and so tell where the horizon is, whatever the disparities are. If these were
 * counted from 0 and the ground ended there, its end would be the horizon.
 *   lean    of edges as above of anything, within 24° of upright: all + more · u, u = −1 … 1 across
 *           the picture, that most of them follow within .03, in steps of .01
 *   level   Where the ground has the disparity `far` it is in the middle of the picture (.36 … .58
 *           of the height), and where it has 0 an eighth of the height or more above that. Uprights
 *           converge, by `more`, less than half as much as a camera of f = .8 width with this
 *           horizon sees them, and within .05 as much as with that one. STX_SGM_UPRIGHT_SUPPORT of
 *           what is below the horizon is ground. Then infinity is what a two-hundredth does not
 *           reach, but at least far − 3, if there is a sky when it is (sgm_range.c): not in a room
 *
 * Seen by a camera that looks down by 45° and more, uprights come nearer towards the top.
 *   steep   i is the disparity that a fifth of the known cells above .36 of the height does not
 *           reach, at most far + width / 64. A fifth of them has i or at most two pixels more: so
 *           nothing upright is there. The ground has the disparity i in the middle of the picture
 *           as above, and 0 at least .8 of the width above its middle row, as such a camera of
 *           f = .8 width would see it. Then infinity is i, if there is a sky when it is
 */
#pragma once

#include "common/stx.h"

#define STX_SGM_VANISHING_BLOCK 12
#define STX_SGM_VANISHING_EDGES 2048 /* at most */

#define STX_SGM_UPRIGHT_SUPPORT 0.2

/* Bytes of scratch, aligned to STX_ALIGN. */
size_t stx_sgm_vanishing_scratch(int width, int height);

/* Disparity at infinity, pixels, of a left view with this disparity (1/256 px, counted from 0); 0:
 * nothing proves another one. *below_sky: it needs a sky. */
int stx_sgm_vanishing(
    const StxImage8 *left, const StxImage16 *disparity, void *scratch, bool *below_sky);
