/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Semi-global matching with search=coarse-to-fine: 32 candidates per pixel, which the same search
 * in pictures of half the size has chosen. Time and memory grow with the picture, hardly with
 * max_disparity.
 *
 * Sources: H. Hirschmüller, PAMI 30(2), 2008, §2.6 (from level to level); M. Rothermel, K. Wenzel,
 * D. Fritsch and N. Haala, "SURE: Photogrammetric surface reconstruction from imagery", LC3D 2012
 * (ranges from neighbours); OpenCV's StereoSGBM (left-right check among winners). Two windows in
 * place of one range are our own: at an edge they hold both surfaces, however far apart.
 *
 * Everything in sgm.h about full search holds here, with these differences.
 *
 *   levels   Level 0 is the pair with D_0 = max_disparity; level k + 1 has half its width and
 *            height, rounded up, and D_{k+1} = D_k / 2. The top level is that with D = 32, or
 *            level 2: in smaller pictures the fine texture of bare walls and tables is lost, and
 *            the light that they reflect would be matched in its place.
 *              I_{k+1}(x, y) = (I(2x, 2y) + I(2x+1, 2y) + I(2x, 2y+1) + I(2x+1, 2y+1) + 2) >> 2
 *            of level k, whose pixels outside the image repeat the border.
 *   top      With D = 64 its winners come from full search in its pictures, without checks and
 *            median (stx_sgm_coarse_full): d* = (v + 128) >> 8. All that follows is about the other
 *            levels.
 *   lines    are what is matched: of each level every second row, y = 0, 2, 4 …
 *   census   Of the bits of T(p) 24 count, STX_SGM_COARSE_CENSUS, so C <= 24. On level 0 T is that
 *            of smoothed pictures,
 *              (I(x, y − 1) + 2·I(x, y) + I(x, y + 1) + 2) >> 2, the border repeated again.
 *            Its window counts rows, not lines.
 *            P2 counts as (3·P2 + 2) >> 2, because there are three quarters of the bits.
 *   blocks   of 8 × 8 pixels from the top left. The candidates of all pixels of a block are two
 *            windows of 16, s_0 … s_0 + 15 and s_1 … s_1 + 15. On the top level these are 0 and 16.
 *   votes    h(c) = how many pixels of lines of level k + 1 have the winner c, among those of the
 *            image with x = 4·i − 2 … 4·i + 5 and y = 4·j − 2 … 4·j + 5: half of the block (i, j)
 *            of level k, and two pixels around it.
 *   windows  of the block, with n = D_{k+1}: window t = 0 … n − 6 begins at
 *              s(t) = max(0, min(2t − 2, D_k − 16)), and has v(t) = h(t) + … + h(t + 5) votes.
 *            First: of the windows with the most votes the one in the middle of the first run, so
 *            t = (a + b) >> 1 if a is the least of them, and a … b all are. Then h(c) = 0 for all c
 *            with s(t) <= 2c <= s(t) + 14. Second: the same among the windows that begin more than
 *            16 away from the first. If these have no votes at all, it begins 17 behind the first,
 *            or 17 before it where it would end behind D_k − 1.
 *            s_0 is the smaller one. So the two never touch, but on the top level.
 *   paths    go from line to line. Where they do, P1_r is halved once more, (P1_r + 1) >> 1: two
 *            rows of a slope lie between. N(d) exists if d is a candidate of p − r. On the top
 *            level d = 15 and 16 do not count as neighbours.
 *   winner   d*, S1 and S2 among the candidates of p. Coarse levels end here.
 *            Right view: among the left pixels (x + d*, y) whose winner d* says that they match x,
 *            d_R(x) is that of the one with the least S1; ties go to the smallest d*.
 *   value    the vertex is 0 if d* is the first or the last of its window.
 *   checks   and the median see the lines as if there were no other rows; but the window of the
 *            texture check is one of rows, of the pictures as they are.
 *   rows     A row between two lines, with values a above it and b below it in the end (a again
 *            where there is no line below): v = (a + b + 1) >> 1 with the smaller confidence if
 *            both are known and |a − b| <= STX_SGM_COARSE_AGREE, two pixels, else unknown.
 *
 * Scratch on the host: about 50 bytes per pixel, for any max_disparity.
 */
#pragma once

#include "common/sgm/sgm.h"

#define STX_SGM_COARSE_BLOCK 8
#define STX_SGM_COARSE_STEP 2 /* rows from line to line */
#define STX_SGM_COARSE_WINDOW 16
#define STX_SGM_COARSE_TOP 32    /* disparities of the top level */
#define STX_SGM_COARSE_LEVELS 3  /* at most */
#define STX_SGM_COARSE_VOTERS 8  /* coarse pixels that vote for a block, in a row or a column */
#define STX_SGM_COARSE_AROUND 2  /* of them on each side of what the block covers */
#define STX_SGM_COARSE_HELD 6    /* disparities of the coarser level that vote for a window */
#define STX_SGM_COARSE_VOTES 128 /* D_{k+1} at most */
#define STX_SGM_COARSE_CENSUS 0x7ffdfcaau /* the bits of T that count */
#define STX_SGM_COARSE_BITS 24
#define STX_SGM_COARSE_AGREE (2 * STX_DISPARITY_ONE)

/* Level k of a pair. */
static inline int stx_sgm_coarse_size(int size, int level)
{
  return (size + (1 << level) - 1) >> level;
}

/* The scaled P2. */
static inline int stx_sgm_coarse_p2(int p2)
{
  return (3 * p2 + 2) >> 2;
}

/* The number of lines in so many rows. */
static inline int stx_sgm_coarse_lines(int rows)
{
  return (rows + STX_SGM_COARSE_STEP - 1) / STX_SGM_COARSE_STEP;
}

static inline int stx_sgm_coarse_blocks(int size)
{
  return (size + STX_SGM_COARSE_BLOCK - 1) / STX_SGM_COARSE_BLOCK;
}

/* The number of levels, 2 … STX_SGM_COARSE_LEVELS. */
static inline int stx_sgm_coarse_levels(int max_disparity)
{
  int levels = 1;
  while (levels < STX_SGM_COARSE_LEVELS && max_disparity > STX_SGM_COARSE_TOP << (levels - 1))
    levels++;
  return levels;
}

/* Full search in the pictures of a level. */
static inline StxSgmParams stx_sgm_coarse_full(const StxSgmParams *params, int level)
{
  StxSgmParams full = *params;
  full.width = stx_sgm_coarse_size(params->width, level);
  full.height = stx_sgm_coarse_size(params->height, level);
  full.max_disparity >>= level;
  full.infinity = full.uniqueness = full.depth = 0;
  full.search = STX_SGM_FULL;
  full.lr_max_diff = full.texture = -1;
  full.median = full.sky = false;
  return full;
}

/* The winner of a pixel by its value there. */
STX_INLINE int stx_sgm_coarse_nearest(int value)
{
  return (value + STX_DISPARITY_ONE / 2) / STX_DISPARITY_ONE;
}
