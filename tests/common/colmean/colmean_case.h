/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inputs for the check programs of the cell reduction: a case is parameters and an input whose
 * memory ends where a page ends, so that reading beyond it is a fault.
 */
#pragma once

#include "tests/testing.h"

#include "common/colmean/colmean.h"

typedef struct {
  uint8_t *data, *map;
  size_t size, mapped;
} ColmeanBytes;

/* The layout of class scores in memory. MIXED: rows of one class, one below the other, with gaps
 * between the pixels: neither of the usual layouts. */
typedef enum { COLMEAN_PLANAR, COLMEAN_INTERLEAVED, COLMEAN_MIXED, COLMEAN_LAYOUTS } ColmeanLayout;

typedef struct {
  StxColmeanParams params;
  StxColmeanInput input;
  ColmeanBytes disparity, floats, confidence, labels, scores;
} ColmeanCase;

/* One of all that numbers may mean, every other time KITTI's. */
StxDisparityMeaning colmean_any_meaning(StxRandom *random);

/* `padding`: bytes between rows, pixels and classes where the layout has any. */
ColmeanCase colmean_make_case(const StxColmeanParams *params, ColmeanLayout layout, int padding,
    bool confidence, StxFill fill, StxRandom *random);

/* Makes a pixel unknown. */
void colmean_hide(ColmeanCase *c, int x, int y);

/* Makes the confidences of unknown pixels say that they are sky; if there are any, makes some or
 * all pixels of blocks unknown, surely sky or not. */
void colmean_add_sky(ColmeanCase *c, StxRandom *random);

/* One cell of side × side pixels, all of them as surely sky as can be. */
ColmeanCase colmean_surest_sky(int side);

/* The same with scores of 1 / 2^score_shift of the size. */
ColmeanCase colmean_make_scaled_case(const StxColmeanParams *params, int score_shift,
    ColmeanLayout layout, int padding, bool confidence, StxFill fill, StxRandom *random);

void colmean_free_case(ColmeanCase *c);
STX_AUTO_VALUE(ColmeanCase, colmean_free_case)

/* The implementation "c". */
const StxColmeanImpl *colmean_reference(void);

/* Runs an implementation into guarded memory that the caller frees. */
uint16_t *colmean_run(const StxColmeanImpl *impl, const ColmeanCase *c, int threads);

/* Fails the test unless every usable implementation equals the reference, with one thread and with
 * `threads`; `what` names the case. */
void colmean_expect_all_same(const ColmeanCase *c, int threads, const char *what);
