/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vanishing line of a ground, from its parallel edges: lane markings and kerbs meet there, and the
 * ground's plane has the disparity of infinity. So edges prove one above 0, which disparities alone
 * cannot: to them, a far street and a near room are the same.
 *
 *   plane   d = a·x + b·y + c with b > 0.02 and |a| <= b / 2 that the most known disparities within
 *           1 px agree with (RANSAC, 400 draws); samples are a grid of the lower 3/5
 *   edges   blocks of STX_SGM_VANISHING_BLOCK px, half of it apart, whose squares of gray gradients
 *           have one direction (nine tenths of the structure tensor) and lie on a line; no level
 *           ones. The disparities around are the plane's within 1.5 px
 *   votes   a point (x, y) of the line on which the plane has disparity i gets a vote of each edge
 *           below that points to it within a seventieth of the distance; at most 6 of each
 *           direction in which an edge is seen from there. Those of the strongest direction count
 *           as many as the others have: one line has no vanishing point
 *   meeting the i of −2 … 100 with the most votes for a point, at least 20 and 7/5 of the best of
 *           −2 … 2
 *   far     the disparity that a fiftieth of the known ones does not reach
 *   infinity  Edges say about where it is, what is farthest says it exactly, if it is far:
 *           `meeting` is at least width / 160 (below, the sky needs none) and within
 *           far − width / 64 … far + 3. Then infinity is `meeting`, but at least far − 4 and at
 *           most far
 */
#pragma once

#include "common/stx.h"

#define STX_SGM_VANISHING_BLOCK 12
#define STX_SGM_VANISHING_EDGES 1024 /* at most */

/* Bytes of scratch. */
size_t stx_sgm_vanishing_scratch(void);

/* Disparity at infinity, pixels, of a left view with this disparity (1/256 px, counted from 0, at
 * most 127 px); 0: nothing proves another one. */
int stx_sgm_vanishing(const StxImage8 *left, const StxImage16 *disparity, void *scratch);
