/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of the cell reduction on the GPU. */
#pragma once

#include "tests/common/colmean/colmean_case.h"

/* Inputs at addresses `shift` bytes off the alignment of device memory. */
typedef struct {
  StxColmeanInput input;
  uint8_t *disparity, *floats, *confidence, *labels, *scores; /* blocks */
} ColmeanDevice;

ColmeanDevice colmean_upload(const ColmeanCase *c, int shift);

/* Frees the input, and fails the test if its guards were touched. */
void colmean_free_device(ColmeanDevice *device);

/* Downloads the columns into guarded memory that the caller frees. */
uint16_t *colmean_run_cuda(
    const StxColmeanParams *params, const StxColmeanInput *input, const char *what);

/* The reference's bytes. */
void colmean_expect_cuda(const ColmeanCase *c, int shift, const char *what);
