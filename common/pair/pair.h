/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks whether two pictures can be the views of a rectified stereo camera, from some hundred
 * points.
 *
 * Method: the points are corners (J. Shi and C. Tomasi, CVPR 1994), one per cell of a grid, so that
 * neither a horizontal nor a vertical structure decides. Each is looked for in the right view in
 * its own row and in those above and below, at positive and at negative disparities, by the
 * normalised cross-correlation of windows, which no gain and no offset of a camera changes. Points
 * whose best match is good and unique vote. In a rectified pair they agree on row 0 and on
 * disparities of one sign.
 *
 *   fold      F(x, y) = I(2x, y) + I(2x + 1, y): half the columns, all rows. From here on a column
 *             is one of F.
 *   window    STX_PAIR_WINDOW_WIDTH columns from x − 4 on, STX_PAIR_WINDOW_HEIGHT rows around y;
 *             N = 56 pixels.
 *   texture   of a window: gx = F(x + 1, y) − F(x − 1, y), gy = F(x, y + 1) − F(x, y − 1); with the
 *             sums a = Σ gx², b = Σ gy², c = Σ gx·gy it is (a·b − c²) / (a + b), rounded down.
 *   points    STX_PAIR_GRID_COLUMNS × STX_PAIR_GRID_ROWS cells of equal size, in each the first of
 *             4 × 4 places with the most texture; none where that is less than STX_PAIR_TEXTURE.
 *   match     r² = cov² / (var_left · var_right) of the windows where cov > 0, else 0, in 1/4096;
 *             below 1/4 it is 0. Candidates: rows −R … R, disparities −D … D in steps of two
 *             pixels, as far as the window lies within the right view. The best is the first in
 *             that order; good from STX_PAIR_GOOD on, and unique where the best of those that lie
 *             more than two rows or columns from it misses 1 by at least twice as much. If
 *             `distinct`, nothing else at the same places of its own view may match as well as
 *             the best does: the true match of a chessboard's corner may lie outside of the
 *             candidates, among which there are others that look alike.
 *   model     rows(x, y) = shift + lean·(2x − width)/width + stretch·(2y − height)/height, rounded,
 *             with whole numbers from −R to R of which lean or stretch is 0: the one by which most
 *             matches lie, those within half a row counting twice, those within a row and a half
 *             once. A simpler one is kept unless another is better by an eighth.
 *   geometry  if that leaves a quarter of the matches: the rows of a rig that is not rectified, to
 *             first order in its angles, rows(x, y, d) = g0 + g1·X + g2·Y + g3·X·Y + g4·Y² + g5·d
 *             with X = 2x − width, Y = 2y − height and the disparity d: pitch, roll, focal lengths,
 *             yaw, pitch again, direction of the baseline. RANSAC over STX_PAIR_SAMPLES sets of six
 *             matches, the same for every pair, then least squares over the matches within a row
 *             and a half, three times. A camera that moves ahead between the views makes rows
 *             that grow with Y·d: it needs another g2 than a rig has.
 */
#pragma once

#include "common/stx.h"

#define STX_PAIR_GRID_COLUMNS 20
#define STX_PAIR_GRID_ROWS 8
#define STX_PAIR_CELLS (STX_PAIR_GRID_COLUMNS * STX_PAIR_GRID_ROWS)
#define STX_PAIR_WINDOW_WIDTH 8
#define STX_PAIR_WINDOW_HEIGHT 7
#define STX_PAIR_TEXTURE 8000 /* about 12 gray levels per pixel along the weaker direction */
#define STX_PAIR_GOOD 2900    /* r >= .84 */
#define STX_PAIR_MAX_REACH 24 /* rows above and below */
#define STX_PAIR_TERMS 6      /* of a geometry */
#define STX_PAIR_SAMPLES 300
#define STX_PAIR_MIN_WIDTH 128
#define STX_PAIR_MIN_HEIGHT 96

typedef struct {
  int max_disparity; /* pixels, 2 … 256 */
  int reach;         /* rows above and below, 1 … STX_PAIR_MAX_REACH */
  bool distinct;     /* what looks alike in its own view does not match */
} StxPairParams;

/* Offset of the matches: right minus left, in rows; positive: the right view lies lower. */
typedef struct {
  int shift, lean, stretch; /* in the centre; more at the right and at the lower border */
} StxPairModel;

/* Angles of the right camera against the left one, in pixels per pixel (radians) … */
typedef struct {
  double shift;      /* rows in the centre: pitch · focal length, and the principal points */
  double roll;       /* rows per column */
  double scale;      /* of the focal lengths, 0: none */
  double yaw, pitch; /* … these times the focal length: radians per pixel of it */
  double tilt;       /* of the baseline: rows per pixel of disparity */
  int fitted;        /* matches within a row and a half; 0: not looked for */
} StxPairGeometry;

typedef struct {
  int points[2]; /* textured cells of the left and of the right view, of STX_PAIR_CELLS */
  int gray[2];   /* mean gray level of these views */
  int matched;   /* points of the left view with a good and unique match */
  int ahead;     /* of these, with disparities of at least 4 pixels */
  int behind;    /* … of at most −4 pixels */
  int level;     /* … within a row of their own */
  int upright;   /* … within two columns of their own */
  int fitted;    /* … within a row and a half of the model */
  int alike; /* points of the left view without a match where something looks a little like them,
                    as in any other picture, unlike noise: .7 <= r < .84 */
  int same;  /* points of the left view whose window is the same, byte for byte, in the right */
  StxPairModel model;
  StxPairGeometry geometry;
} StxPairEvidence;

/* Too small for windows and grid: nothing can be said. */
bool stx_pair_is_small(int width, int height);

STX_API size_t stx_pair_scratch(int width, int height);

/* left, right: of one size, not small. scratch: stx_pair_scratch bytes, aligned to STX_ALIGN. */
void stx_pair_measure(const StxPairParams *params, const StxImage8 *left, const StxImage8 *right,
    void *scratch, StxPairEvidence *evidence);

/* A point of the left view that was found in the right one, pixels. */
typedef struct {
  double x, y;
  double disparity; /* in steps of two pixels */
  double rows;      /* right minus left, in 1/64 by the parabola through three scores */
} StxPairMatch;

/* The matches of the last measurement with this scratch: how many. */
int stx_pair_matches(const void *scratch, StxPairMatch matches[STX_PAIR_CELLS]);
