/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cell reduction: shared by its source files only. */
#pragma once

#include "common/colmean/colmean_math.h"
#include "common/cpu.h"

/* Fills the holes of whole columns of disparity and weight in place, by strips of rows. */
void stx_colmean_fill(const StxColmeanParams *params, void *columns, int threads);

/* Values per pixel if classes lie side by side in pixels that are not too far apart, else 0. */
int stx_colmean_interleaved(const StxColmeanParams *params, const StxColmeanInput *input);

STX_DECLARE(StxColmeanImpl, stx_colmean, scratch_size);
STX_DECLARE(StxColmeanImpl, stx_colmean, run);
