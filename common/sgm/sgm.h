/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Semi-global matching: a rectified stereo pair in, disparity and confidence out.
 *
 * Source: H. Hirschmüller, "Stereo Processing by Semiglobal Matching and Mutual Information",
 * PAMI 30(2), 2008, §2.2–2.4; census transform after R. Zabih and J. Woodfill, ECCV 1994, in the
 * symmetric form of R. Spangenberg et al., CAIP 2013.
 *
 * Notation: p = (x, y) a pixel of the left image, D = max_disparity, d = 0 … D − 1 a candidate. The
 * left pixel (x, y) with disparity d matches the right pixel (x − d, y). All numbers are integers.
 *
 *   census   T(p): bit k is set if I(p + o_k) > I(p − o_k). o_k = (dx, dy) runs through the 9 × 7
 *            window in reading order and stops before the centre: o_0 = (−4, −3), o_30 = (−1, 0).
 *            Pixels outside the image repeat the border.
 *   cost     C(p,d) = Hamming distance of T_left(x, y) and T_right(max(x − d, 0), y), 0 … 31:
 *            candidates that leave the image compare with its border.
 *   paths    L_r(p,d) = C(p,d) + min(N(d), N(d − 1) + P1_r, N(d + 1) + P1_r, P2), where
 *            N(d) = L_r(p − r, d) − min_i L_r(p − r, i), and N = 0 if p − r is outside the image.
 *            N(−1) and N(D) do not exist. L_r <= 31 + P2 <= 127.
 *            P1_r is P1, on diagonals (P1 + 1) >> 1 (stx_sgm_p1): they cross more of a slope.
 *   sums     Two half sums, each of the paths that one sweep over the image can follow; avg(a, b)
 *            = (a + b + 1) >> 1 keeps everything within 8 bits. r is named by where it comes from.
 *              A = L_left  + L_up                                                        four paths
 *              A = avg(L_left, L_up) + avg(L_up-left, L_up-right)                       eight paths
 *              B = the same with right, down, down-right, down-left;       A, B <= 254
 *              S = avg(A, B)
 *   winner   d* = argmin_d S(p,d), S1 = S(p,d*), S2 = min S(p,d) over |d − d*| > 1.
 *            Right view: d_R(x) = argmin_d S((x + d, y), d) over x + d < width.
 *            Ties go to the smallest d, in both views.
 *   value    v = 256·d* + the vertex of the parabola through S(d* − 1), S1, S(d* + 1) in 1/256 px
 *            (stx_sgm_vertex; 0 if d* is 0 or D − 1). At least 1: a match at infinity (0 px) is
 *            known, and 0 means unknown. v <= 255·256 + 128.
 *   checks   unknown (v = 0) if
 *              x − d* < 0                                 the match is outside the right image
 *              100·S1 > (100 − uniqueness)·S2             not unique
 *              |d* − d_R(x − d*)| > lr_max_diff           left-right check, if lr_max_diff >= 0
 *              max I − min I <= texture                   nothing to match, if texture >= 0; over
 *                                                         the census window of p, left image
 *   median   v becomes the lower median of the known ones among the 3 × 3 values around it, if at
 *            least 5 of the 9 are known, else unknown; pixels outside the image repeat the border.
 *            So it may fill a hole or make one.
 *   confidence  stx_sgm_confidence(S1, S2); 0 where a check failed or the final v is 0. A hole that
 *            the median filled therefore has a disparity with confidence 0.
 *   sky      where there is sky, v becomes unknown and the confidence 255 (sgm_sky.h)
 *   infinity Where things at infinity have a disparity i other than 0 (toed-in cameras, principal
 *            points that differ, cropped pictures), all of this holds for the views without the
 *            first i columns of the left one and the last i of the right one; i < 0: the first −i
 *            of the right one and the last −i of the left one. So disparities count from i. Columns
 *            of the left view that are left out are unknown, with confidence 0.
 *   border   what the right camera cannot see becomes unknown, if lr_max_diff >= 0 (sgm_border.h)
 *   depth    v becomes a depth in millimetres, if `depth` is set (sgm_depth.h)
 */
#ifndef STX_SGM_H
#define STX_SGM_H

#include "common/fields.h"

#define STX_SGM_MAX_SIZE 16384 /* pixels, width and height */
#define STX_SGM_MAX_PENALTY 96 /* 2·(31 + P2) must fit 8 bits */
#define STX_SGM_MAX_SCALE (INT32_MAX - UINT16_MAX)

/* Choices of max_disparity. */
#define STX_SGM_AUTO 0 /* the least that the pictures ask for, sgm_range.h */
#define STX_SGM_LEAST_RANGE 64
#define STX_SGM_LARGEST_RANGE 256

/* Limits of `infinity`. */
#define STX_SGM_INFINITY_MOST 256
#define STX_SGM_INFINITY_AUTO (-STX_SGM_INFINITY_MOST - 1) /* 0, or what the pictures prove */

typedef enum {
  STX_SGM_FULL,          /* as above */
  STX_SGM_COARSE_TO_FINE /* sgm_coarse.h: 32 candidates per pixel */
} StxSgmSearch;

/* Ranges, units and texts of these: stx_sgm_fields. */
typedef struct {
  int width, height; /* of both images */
  int max_disparity; /* candidates 0 … max_disparity − 1; STX_SGM_AUTO: host implementations look
                        at each pair alone, a device's must be told */
  int infinity;      /* disparity of infinitely far things, px; STX_SGM_INFINITY_AUTO likewise */
  int paths;
  int search;      /* StxSgmSearch */
  int p1, p2;      /* penalties, p1 <= p2 */
  int uniqueness;  /* how much worse the best non-adjacent candidate must be */
  int lr_max_diff; /* -1: no left-right check */
  int texture;     /* a window of no larger range of gray levels is flat; -1: no check */
  bool median;     /* 3×3 median of the result */
  bool sky;        /* look for the sky */
  int depth;       /* of stx_sgm_depth_scale: the map is one of depths; 0: of disparities */
} StxSgmParams;

#define STX_SGM_DEFAULTS                                                                           \
  {                                                                                                \
    .max_disparity = STX_SGM_AUTO, .infinity = STX_SGM_INFINITY_AUTO, .paths = 4,                  \
    .search = STX_SGM_COARSE_TO_FINE, .p1 = 10, .p2 = 86, .lr_max_diff = 1, .texture = 3,          \
    .median = true, .sky = true                                                                    \
  }

typedef struct {
  StxImplInfo info;
  /* Bytes of scratch for these parameters and this number of threads; on the host about
   * width · height · (max_disparity + 16), with coarse-to-fine search width · height · 50. */
  size_t (*scratch_size)(const StxSgmParams *params, int threads);
  /*
   * params       has passed stx_sgm_check
   * left, right  width × height gray values, any stride
   * disparity    width × height, 1/256 pixel, or millimetres of depth; 0 = unknown
   * confidence   width × height, 0…255 = 255 · probability of being right; where unknown 255 in the
   *              sky, else 0; data may be NULL: not wanted, and then a little faster
   * scratch      scratch_size(params, threads) bytes, aligned to STX_ALIGN
   * No two images may overlap, except left and right. Strides of a device's images are positive, in
   * whole pixels. For the rest see StxPlace.
   */
  bool (*run)(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
      const StxImage16 *disparity, const StxImage8 *confidence, void *scratch,
      const StxPlace *place, StxError *error);
} StxSgmImpl;

/* Host implementations, best first. */
STX_API const StxImplTable stx_sgm_impls;

/* Every field of StxSgmParams. */
STX_API const StxFields stx_sgm_fields;

/* Refuses what the table does not allow, and p1 > p2; the text names the field, its value and
 * range. */
STX_API bool stx_sgm_check(const StxSgmParams *params, StxError *error);

#endif
