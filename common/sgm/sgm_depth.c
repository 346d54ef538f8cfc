/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/sgm/sgm_depth.h"

#include "common/parallel.h"
#include "common/sgm/sgm_depth_math.h"

#define CHUNK_ROWS 16

bool stx_sgm_depth_scale(double focal, double baseline, int *scale, StxError *error)
{
  const double one = 1000. * STX_DISPARITY_ONE, exact = focal * baseline * one;
  if (!(exact >= .5 && exact <= STX_SGM_MAX_SCALE))
    return stx_fail(error,
        "focal length times baseline is %g px * %g m, but must be from %.2g to %.0f", focal,
        baseline, .5 / one, STX_SGM_MAX_SCALE / one);
  *scale = (int)(exact + .5);
  return true;
}

typedef struct {
  const StxSgmParams *params;
  const StxImage16 *map;
  const StxImage8 *confidence;
} Job;

static void convert_row(int scale, int width, uint16_t *restrict row)
{
#pragma omp simd
  for (int x = 0; x < width; x++)
    row[x] = stx_sgm_depth_of(scale, row[x]);
}

/* The confidence of a disparity that becomes unknown would mean sky. */
static void convert_both(int scale, int width, uint16_t *restrict row, uint8_t *restrict confidence)
{
  for (int x = 0; x < width; x++) {
    uint16_t depth = stx_sgm_depth_of(scale, row[x]);
    confidence[x] = depth == 0 && row[x] != STX_DISPARITY_UNKNOWN ? 0 : confidence[x];
    row[x] = depth;
  }
}

static void convert_rows(void *data, int chunk, int worker)
{
  const Job *job = data;
  const int width = job->params->width, end = (chunk + 1) * CHUNK_ROWS;
  for (int y = chunk * CHUNK_ROWS; y < end && y < job->params->height; y++)
    if (job->confidence->data != NULL)
      convert_both(job->params->depth, width, stx_row16(job->map, y), stx_row8(job->confidence, y));
    else
      convert_row(job->params->depth, width, stx_row16(job->map, y));
}

void stx_sgm_depth(const StxSgmParams *params, const StxImage16 *disparity,
    const StxImage8 *confidence, int threads)
{
  Job job = {params, disparity, confidence};
  stx_parallel(threads, (params->height + CHUNK_ROWS - 1) / CHUNK_ROWS, convert_rows, &job);
}
