/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the check programs of sgm: a case, which is parameters and two guarded images, its
 * fillings, and a run of a host implementation with exactly the memory that the contract asks for.
 * Every failure inside fails the test.
 */
#pragma once

#include "common/sgm/sgm.h"
#include "tests/testing.h"

typedef struct {
  StxSgmParams params;
  StxImage8 left, right;
} SgmPair;

typedef struct {
  StxImage16 disparity;
  StxImage8 confidence;
} SgmResult;

StxSgmParams sgm_defaults(int width, int height, int max_disparity);

/* Every parameter but the size anywhere in its range. */
StxSgmParams sgm_random_params(int width, int height, StxRandom *random);

SgmPair sgm_new_pair(StxSgmParams params);
void sgm_free_pair(SgmPair *pair);

/* The right image shows the left one from further right: what is at x in the left image is at
 * x − shift, with some noise. */
void sgm_fill_pair(const SgmPair *pair, StxFill fill, int shift, StxRandom *random);

/* Equal views; gray levels that fall off towards the right, with steps: windows of all ranges. */
void sgm_fill_ramps(const SgmPair *pair, StxRandom *random);

/* Noise and its opposite: the largest costs. */
void sgm_fill_opposite(const SgmPair *pair, StxRandom *random);

/* A street of strips under a sky, or what might be taken for one: bright and smooth to various
 * depths, far or near, of one brightness or several, hidden behind what hangs in from the top, with
 * more that is bright and smooth further down; at times saturated, dark, flat, or nothing of all
 * that. */
void sgm_fill_sky(const SgmPair *pair, StxRandom *random);

/* Two skies of the same size that are not alike, on the left and on the right, with something dark
 * between them: columns [0, n) and [width − n, width). Returns n, whole tiles. */
int sgm_fill_two_skies(const SgmPair *pair, int left_gray, int right_gray);

/* A matcher's result for any pair: every `share`-th disparity unknown, and all up to a column;
 * known ones at random, or all the same. */
SgmResult sgm_random_result(const StxSgmParams *params, int share, StxRandom *random);

/* The case in words that repeat it; a static text. */
const char *sgm_describe(const StxSgmParams *params, const char *impl, int threads, uint64_t seed);

const StxSgmImpl *sgm_reference(void);

SgmResult sgm_new_result(const StxSgmParams *params);
SgmResult sgm_copy_result(const SgmResult *result);
SgmResult sgm_run(const StxSgmImpl *impl, const SgmPair *pair, int threads);
void sgm_expect_same(const SgmResult *expected, const SgmResult *actual, const char *what);
/* Every implementation of the host against the reference, with 1, 2 and 7 threads. */
void sgm_compare_with_reference(const SgmPair *pair, uint64_t seed);

void sgm_free_result(SgmResult *result);
STX_AUTO_VALUE(SgmPair, sgm_free_pair)
STX_AUTO_VALUE(SgmResult, sgm_free_result)
