/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/sgm/sgm_border.h"

#include "common/parallel.h"
#include "common/sgm/sgm_math.h"

enum { WINDOW = STX_SGM_BORDER_WINDOW };

typedef struct {
  const StxSgmParams *params;
  const StxImage16 *disparity;
  const StxImage8 *confidence;
} Border;

/* x1 of the header, or −1; width >= WINDOW. */
static int first_seen(const uint16_t *disparity, int width, int max_disparity)
{
  int known = 0, x = 0;
  for (int i = 0; i < WINDOW; i++)
    known += disparity[i] != STX_DISPARITY_UNKNOWN;
  for (; known < STX_SGM_BORDER_KNOWN; x++) {
    if (x + 1 == max_disparity || x + WINDOW == width)
      return -1;
    known +=
        (disparity[x + WINDOW] != STX_DISPARITY_UNKNOWN) - (disparity[x] != STX_DISPARITY_UNKNOWN);
  }
  while (disparity[x] == STX_DISPARITY_UNKNOWN)
    x++;
  return x;
}

/* Columns of a row that are not seen. */
static int strip_width(const uint16_t *disparity, int width, int max_disparity)
{
  if (width < WINDOW)
    return 0;
  int seen = first_seen(disparity, width, max_disparity);
  if (seen < 0)
    return WINDOW;
  int pixels = stx_sgm_rounded(disparity[seen]);
  return seen < pixels ? seen : pixels;
}

static void clear_row(void *data, int y, int worker)
{
  const Border *b = data;
  uint16_t *disparity = stx_row16(b->disparity, y);
  int strip = strip_width(disparity, b->params->width, b->params->max_disparity);
  for (int x = 0; x < strip; x++) {
    if (disparity[x] != STX_DISPARITY_UNKNOWN && b->confidence->data != NULL)
      stx_row8(b->confidence, y)[x] = 0;
    disparity[x] = STX_DISPARITY_UNKNOWN;
  }
}

void stx_sgm_border(const StxSgmParams *params, const StxImage16 *disparity,
    const StxImage8 *confidence, int threads)
{
  Border border = {params, disparity, confidence};
  stx_parallel(threads, params->height, clear_row, &border);
}
